//! Everything that must go, and everything that must stay.

use proptest::prelude::*;

use super::address::NO_UUID;
use super::*;

fn text(path: &str, content: &str) -> String {
    Mask::default().text(path, content)
}

/// A machine called `srv-accounting`, masked and written.
fn recorded(path: &str, content: &str) -> String {
    let all = format!("==> /proc/sys/kernel/hostname\nsrv-accounting\n==> {path}\n{content}\n");
    tree(&Tree::parse(&all)).read(path).unwrap().trim_end().to_owned()
}

#[test]
fn identities_are_hidden_and_the_rest_stays() {
    assert_eq!(text("/sys/class/net/eth0/address", "52:54:00:ab:cd:ef\n"), "00:00:00:xx:xx:xx\n");
    assert_eq!(text("/sys/block/nvme0n1/device/serial", "PHFT6175001B\n"), "xxxx0000000x\n");
    assert_eq!(text("/sys/block/dm-0/dm/uuid", "CRYPT-LUKS2-4d9a-x\n"), "CRYPT-LUKS2-0x0x-x\n");
    assert_eq!(text("/sys/block/dm-0/dm/uuid", "aB3-x\n"), "xx0-x\n");
    assert_eq!(text("/x", "peer fe80::5054:ff:feab:cdef up"), "peer :: up");
    let name = "luks-3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d";
    assert_eq!(text("/sys/block/dm-0/dm/name", name), format!("luks-{NO_UUID}"));
    for kept in ["0000:01:00.0", "0-3,8", "8.0 GT/s PCIe", "8:16 1024", "6.12.9-amd64", "259:0", "12:34:56"] {
        assert_eq!(text("/x", kept), kept);
    }
    assert_eq!(text("/proc/sys/kernel/osrelease", "4.18.0-80.11.2.1.x86_64"), "4.18.0-80.11.2.1.x86_64");
}

#[test]
fn the_command_line_of_a_machine_that_starts_from_the_network_tells_nothing_of_it() {
    let line = "BOOT_IMAGE=/vmlinuz-6.12.9-amd64 \
        ip=10.0.0.7::10.0.0.1:255.255.255.0:srv-accounting:eth0:none nfsroot=10.0.0.9:/export/root \
        BOOTIF=01-52-54-00-12-34-56 ifname=eth0:52:54:00:12:34:57 net=enx00e04c680001 \
        netroot=iscsi:alice:s3cret@10.0.0.5::3260 url=http://10.0.0.3:8080/ks http://169.254.169.254:80/ \
        cryptdevice=UUID=3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d:root systemd.hostname=srv-accounting \
        root=/dev/disk/by-id/ata-Samsung_SSD_860_PRO_S42GNX0K123456T-part2 root=PARTUUID=1a2b3c4d-02 \
        resume=/dev/mapper/srv--accounting--vg-swap isolcpus=2-3,8 pci=0000:01:00.0 mitigations=off quiet";
    let masked = recorded("/proc/cmdline", line);
    assert_eq!(
        masked,
        format!(
            "BOOT_IMAGE=/vmlinuz-6.12.9-amd64 ip=... nfsroot=... BOOTIF=00-00-00-00-00-00-00 \
             ifname=eth0:00:00:00:00:00:00 net=enx000000000000 netroot=... url=... http://... \
             cryptdevice=UUID={NO_UUID}:root systemd.hostname=... \
             root=/dev/disk/by-id/ata-Samsung_SSD_860_PRO_X00XXX0X000000X-part2 root=PARTUUID=00000000-00 \
             resume=/dev/mapper/host--vg-swap isolcpus=2-3,8 pci=0000:01:00.0 mitigations=off quiet"
        )
        .replace("X00XXX0X000000X", "x00xxx0x000000x")
    );
    // The same words in any other file.
    let elsewhere = recorded("/etc/os-release", line);
    for secret in [
        "10.0.0",
        "52-54",
        "52:54",
        "00e04c",
        "alice",
        "s3cret",
        "169.254",
        "3b9d6f60",
        "accounting",
        "S42GNX0K",
        "1a2b3c4d",
    ] {
        assert!(!elsewhere.contains(secret), "{secret}: {elsewhere}");
    }
}

#[test]
fn mounts_keep_their_kind_and_lose_their_server() {
    let table = "40 1 0:50 / /mnt rw - tmpfs 10.20.30.40:/export/alice rw\n\
        41 1 0:51 / /home rw - nfs4 fileserver01.example.com:/home/bob rw,vers=4.2,addr=10.0.0.3\n\
        42 1 8:1 / /mnt2/srv-accounting rw - ext4 /dev/mapper/srv--accounting--vg-data rw";
    let expected = "40 1 0:50 / /mnt rw - tmpfs ... rw\n\
        41 1 0:51 / /home rw - nfs4 ... rw,vers=4.2\n\
        42 1 8:1 / /mnt2/host rw - ext4 /dev/mapper/host--vg-data rw";
    assert_eq!(recorded("/proc/self/mountinfo", table), expected);
    assert_eq!(recorded("/sys/block/dm-0/dm/name", "srv--accounting--vg-data"), "host--vg-data");
    assert_eq!(recorded("/proc/self/mountinfo", "garbled\n\n - "), "garbled\n\n -");
}

#[test]
fn who_built_the_kernel_is_not_recorded() {
    let line = "Linux version 6.12.9-amd64 (alice@srv-accounting) (gcc 12.2.0, GNU ld 2.40) #1 SMP 12:34:56";
    let expected = "Linux version 6.12.9-amd64 (...) (gcc 12.2.0, GNU ld 2.40) #1 SMP 12:34:56";
    assert_eq!(recorded("/proc/version", line), expected);
}

#[test]
fn names_and_passwords_before_a_server_are_hidden_and_names_of_services_stay() {
    let cases = [
        ("a http://alice:s3/c@ret@box/x b", "a http://xxxxx:x0/x@xxx@box/x b"),
        ("root=cifs:bob:pw@box", "root=xxxx:xxx:xx@box"),
        ("/user@1000.service getty@tty1 cpu@0", "/user@1000.service getty@tty1 cpu@0"),
    ];
    for (content, expected) in cases {
        assert_eq!(text("/x", content), expected);
    }
}

#[test]
fn paths_are_masked_as_the_files_that_name_them() {
    let digest = "5f".repeat(32);
    let group = text("/proc/self/cgroup", &format!("0::/system.slice/docker-{digest}.scope"));
    assert_eq!(group, format!("0::/system.slice/docker-{NO_UUID}.scope"));
    let all = format!(
        "==> /proc/sys/kernel/hostname\nsrv-accounting\n==> /sys/fs/cgroup/system.slice/docker-{digest}.scope/cpu.max\n1\n\
         ==> /sys/class/net/enx00e04c680001 -> ../../devices/pci0000:00/0000:00:14.0/net/enx00e04c680001\n\
         ==> /sys/devices/pci0000:00/0000:00:14.0/net/enx00e04c680001/mtu\n1500\n\
         ==> /sys/class/net/enx00e04c680002/mtu\n9000\n==> /probe/ethtool/enx00e04c680001\n{{\"version\": \"4.0.1.1\"}}\n\
         ==> /probe/activity\n{{\"name\": \"srv-accounting\"}}\n"
    );
    let masked = tree(&Tree::parse(&all));
    let read = |path: &str| masked.read(path).unwrap();
    assert_eq!(read(&format!("/sys/fs/cgroup/system.slice/docker-{NO_UUID}.scope/cpu.max")), "1\n");
    assert_eq!(read("/probe/ethtool/enx000000000000"), "{\"version\": \"4.0.1.1\"}\n");
    assert_eq!(read("/sys/class/net/enx000000000000/mtu"), "1500\n");
    assert_eq!(read("/sys/class/net/enx000000000001/mtu"), "9000\n");
    assert_eq!(read("/probe/activity"), "{\"name\": \"host\"}\n");
    let kept = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
    assert_eq!(Mask::default().words(kept, false), kept);
}

proptest! {
    // No file of failures: a case worth keeping becomes a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn whatever_a_file_holds_it_is_masked_without_harm(
        content in prop_oneof![
            "\\PC{0,80}",
            "[0-9a-f:.@/=_v-]{0,80}",
            "(enx|by-id/|UUID=|ip-|://|wwn-0x|srv|@| - |\u{e4}|[0-9a-f]{1,12}|[:.-]){0,20}",
        ],
        path in prop_oneof![
            Just("/proc/cmdline"),
            Just("/proc/self/mountinfo"),
            Just("/proc/version"),
            Just("/x/dm/uuid"),
            Just("/x"),
        ],
    ) {
        let all = format!("==> /proc/sys/kernel/hostname\nsrv-a\n==> {path}\n{content}\n");
        let masked = tree(&Tree::parse(&all)).read(path);
        prop_assert!(masked.is_ok(), "{masked:?}");
    }
}
