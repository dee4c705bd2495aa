//! Stacks that are presented through a network: by the kernel's own targets in a network namespace, to the clients of the
//! same machine. Each kind is measured beside what is below it and taken down; what a killed run leaves goes by
//! `headroom restore`; targets of others stay.

use std::path::Path;

use serde_json::Value;

use crate::common::{StoryFolder, stderr};
use crate::test_bed::{TestBed, does, eventually};

pub(crate) const DISK: &str = "/dev/ram0";
const QUICK: &[&str] =
    &["--pattern", "randwrite", "--size", "16MiB", "--warm-up", "10ms", "--trials", "1", "--destroy", DISK];

/// What the kernel's targets are made of; other stories load some of it themselves.
pub(crate) const ISCSI: &[&str] = &["iscsi_tcp", "iscsi_target_mod", "target_core_iblock", "sd_mod"];
pub(crate) const NVME: &[&str] = &["nvme-tcp", "nvmet-tcp", "nvmet"];

/// A disk, and that these modules are gone when the story ends.
pub(crate) fn bed(modules: &[&str]) -> TestBed {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    unload_after(&mut bed, modules);
    bed
}

/// Has these modules unloaded when the story ends, if they are there by then.
pub(crate) fn unload_after(bed: &mut TestBed, modules: &[&str]) {
    let unload: String = modules.iter().map(|module| format!("modprobe -r {module} && ")).collect();
    let script = format!(
        "if [ -d /sys/kernel/config/target/iscsi ]; then rmdir /sys/kernel/config/target/iscsi; fi; {unload} true"
    );
    bed.build(&["true"], &["sh", "-c", &script]);
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let usual: &[&str] = if more.contains(&"--duration") { &[] } else { &["--duration", "200ms"] };
    [&["run", "disk", "--target", DISK][..], more, QUICK, usual].concat()
}

pub(crate) fn names(folder: &str) -> Vec<String> {
    let entries = Path::new(folder).read_dir().into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// That no target, session, mount, interface or namespace of ours is there.
fn nothing_is_left(place: &StoryFolder) {
    assert!(names("/run/netns").is_empty(), "{:?}", names("/run/netns"));
    no_target_is_left(place);
}

/// The same of a machine that has namespaces of others.
pub(crate) fn no_target_is_left(place: &StoryFolder) {
    for folder in ["/sys/class/iscsi_session", "/sys/class/nvme", "/sys/kernel/config/nvmet/ports"] {
        assert!(names(folder).is_empty(), "{folder}: {:?}", names(folder));
    }
    for (folder, ours) in [
        ("/sys/class/net", "hr"),
        ("/sys/kernel/config/target/iscsi", "iqn.2003-01.org.linux-iscsi.headroom"),
        ("/sys/kernel/config/target/core", "iblock_"),
        ("/sys/kernel/config/nvmet/subsystems", "nqn.2014-08.org.nvmexpress:uuid"),
        ("/sys/kernel/config/nvmet/hosts", "nqn.2014-08.org.nvmexpress:uuid"),
    ] {
        assert!(!names(folder).iter().any(|name| name.starts_with(ours)), "{folder}: {:?}", names(folder));
    }
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(" - nfs4 ") && !mounts.contains(" - nfsd "), "{mounts}");
    assert_eq!(names(&place.path().join("store.db-state/stacks").to_string_lossy()), [""; 0]);
}

/// Measures each layer of a stack that is presented, of which these are the names; the resources of the last one's path.
fn measured(place: &StoryFolder, more: &[&str], layers: &[&str]) -> String {
    let (code, document) = place.document(&arguments(&[more, &["--layers"]].concat()));
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    let found: Vec<Value> =
        cases.iter().map(|case| case["loads"][0]["parameters"]["layer"].clone()).collect();
    assert_eq!(found, layers);
    for case in cases {
        assert!(case["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "ok"), "{case}");
    }
    let path = cases.last().unwrap()["path"].as_array().unwrap();
    path.iter().map(|step| format!("{}\n", step["resource"].as_str().unwrap())).collect()
}

/// That these parts of a path follow one another.
pub(crate) fn follow(path: &str, parts: &[&str]) {
    let mut rest = path;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is missing or stands too early:\n{path}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_device_is_presented_by_iscsi_and_has_its_path_across_both_ends() {
    let _bed = bed(ISCSI);
    let place = StoryFolder::new();
    let path = measured(&place, &["--present", "iscsi"], &["members", "iscsi"]);
    follow(&path, &["block:sd", "nic:hr", "server:198.1", "block:ram0"]);
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_stack_is_presented_by_nvme_over_tcp_below_a_file_system_and_targets_of_others_stay() {
    let mut bed = bed(NVME);
    does(&["modprobe", "nvmet"]);
    let other = "/sys/kernel/config/nvmet/subsystems/nqn.of.somebody";
    bed.build(&["mkdir", other], &["rmdir", other]);
    let place = StoryFolder::new();
    let stack = "luks > nvme-tcp > ext4";
    let path = measured(&place, &["--stack", stack], &["members", "luks", "nvme-tcp", "ext4"]);
    follow(&path, &["(ext4)", "block:nvme", "nic:hr", "server:198.1", "block:dm-"]);
    assert!(Path::new(other).is_dir());
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_file_system_is_presented_by_nfs_and_driven_through_its_mount() {
    let _bed = bed(&[]);
    let place = StoryFolder::new();
    let path = measured(
        &place,
        &["--stack", "luks > ext4", "--present", "nfs"],
        &["members", "luks", "ext4", "nfs"],
    );
    follow(&path, &["(nfs4)", "nic:hr", "server:198.1", "(ext4)", "block:dm-", "block:ram0"]);
    nothing_is_left(&place);
}

/// 16 Mbit/s, which a disk of memory outruns even here: what holds a client that writes, and one that reads.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_network_that_is_held_to_less_than_the_disk_gives_is_named_as_the_link() {
    let _bed = bed(NVME);
    let place = StoryFolder::new();
    // A file system leaves its signature, so that it comes last.
    for (stack, pattern) in [("nvme-tcp(bit-rate=16m)", "read"), ("ext4(a) > nfs(bit-rate=16m)", "write")] {
        let load =
            ["run", "disk", "--target", DISK, "--destroy", DISK, "--stack", stack, "--pattern", pattern];
        let size = ["--block-size", "32k", "--queue-depth", "4", "--size", "32MiB"];
        let how = ["--duration", "6s", "--warm-up", "1s", "--trials", "2", "--no-extra"];
        let (code, document) = place.document(&[&load[..], &size, &how].concat());
        assert_eq!(code, 0, "{document}");
        let found = document["cases"][0]["findings"].as_array().unwrap();
        let verdict = found.iter().find(|finding| finding["kind"] == "bottleneck").unwrap();
        assert_eq!(verdict["code"], "link-full", "{stack}: {verdict}");
        assert!(verdict["resource"].as_str().unwrap().starts_with("nic:hr"), "{verdict}");
        assert!(verdict["args"]["server"].as_str().unwrap().starts_with("server:198.1"), "{verdict}");
        assert!(verdict["text"].as_str().unwrap().contains("the network link to"), "{verdict}");
        nothing_is_left(&place);
    }
}

/// Somebody's target on a RAM disk, with whose disk somebody's iscsid has a session.
const SOMEBODYS: &str = "iqn.2003-01.org.linux-iscsi.somebody:disk";

fn session_of_somebody(bed: &mut TestBed) {
    let target = "/sys/kernel/config/target";
    let (store, fabric) = (format!("{target}/core/iblock_7"), format!("{target}/iscsi/{SOMEBODYS}"));
    let group = format!("{fabric}/tpgt_1");
    let make = format!(
        "set -e; modprobe -a iscsi_target_mod target_core_iblock iscsi_tcp sd_mod; ip link set lo up
         mkdir {store} {store}/disk
         echo -n udev_path=/dev/ram1 > {store}/disk/control; echo 1 > {store}/disk/enable
         [ -d {target}/iscsi ] || mkdir {target}/iscsi
         mkdir {fabric} {group} {group}/lun/lun_0; ln -s {store}/disk {group}/lun/lun_0/disk
         echo 0 > {group}/attrib/authentication; echo 1 > {group}/attrib/generate_node_acls
         echo 0 > {group}/attrib/demo_mode_write_protect
         mkdir {group}/np/127.0.0.1:3260; echo 1 > {group}/enable"
    );
    let remove = format!(
        "echo 0 > {group}/enable; rmdir {group}/np/127.0.0.1:3260; rm {group}/lun/lun_0/disk
         rmdir {group}/lun/lun_0 {group} {fabric} {store}/disk {store}"
    );
    bed.build(&["sh", "-c", &make], &["sh", "-c", &remove]);
    let name = "InitiatorName=iqn.2003-01.org.linux-iscsi.somebody:client";
    let start = format!(
        "mkdir -p /run/lock/iscsi; echo {name} > /etc/iscsi/initiatorname.iscsi; exec iscsid > /dev/null 2>&1"
    );
    bed.build(&["sh", "-c", &start], &["sh", "-c", "kill $(cat /run/iscsid.pid)"]);
    eventually("iscsid answers", || {
        std::fs::read_to_string("/proc/net/unix").unwrap().contains("@ISCSIADM_ABSTRACT_NAMESPACE")
    });
    let node = ["iscsiadm", "-m", "node", "-T", SOMEBODYS, "-p", "127.0.0.1:3260"];
    bed.build(&[&node[..], &["-o", "new"]].concat(), &[&node[..], &["-o", "delete"]].concat());
    bed.build(&[&node[..], &["--login"]].concat(), &[&node[..], &["--logout"]].concat());
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_iscsid_that_runs_and_its_session_are_left_alone() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    unload_after(&mut bed, ISCSI);
    session_of_somebody(&mut bed);
    let daemon = || std::fs::read_to_string("/run/iscsid.pid").unwrap();
    let nodes = || does(&["iscsiadm", "-m", "node"]);
    let sessions = || names("/sys/class/iscsi_session");
    let before = (daemon(), nodes(), sessions());
    assert_eq!(before.2.len(), 1, "{before:?}");
    let place = StoryFolder::new();
    let path = measured(&place, &["--present", "iscsi"], &["members", "iscsi"]);
    follow(&path, &["block:sd", "nic:hr", "server:198.1", "block:ram0"]);
    assert_eq!((daemon(), nodes(), sessions()), before);
    let session = format!("/sys/class/iscsi_session/{}", before.2[0]);
    let of_session = |file: &str| std::fs::read_to_string(format!("{session}/{file}")).unwrap();
    assert_eq!((of_session("targetname").trim(), of_session("state").trim()), (SOMEBODYS, "LOGGED_IN"));
    assert!(Path::new("/sys/kernel/config/target/core/iblock_7/disk").is_dir());
    assert!(
        names("/run/netns").is_empty() && !names("/sys/class/net").iter().any(|name| name.starts_with("hr"))
    );
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn restore_takes_down_targets_sessions_and_shares_of_a_killed_run() {
    use crate::common::{agent_of, lives, signal, stdout};
    use rustix::process::Signal;
    let _bed = bed(&[ISCSI, NVME].concat());
    let place = StoryFolder::new();
    for (stack, taken_down) in [
        ("luks > iscsi(bit-rate=100m) > ext4", "ext4, iscsi, luks"),
        ("luks > nvme-tcp > ext4 > nfs", "nfs, ext4, nvme-tcp, luks"),
    ] {
        let mut run = place.start(&arguments(&["--stack", stack, "--duration", "600s"]));
        let agent = agent_of(run.id());
        let state = place.path().canonicalize().unwrap().join("store.db-state/stacks");
        let kind = if stack.ends_with("nfs") { " - nfs4 " } else { " - ext4 " };
        let is_mounted = |line: &str| line.contains(&*state.to_string_lossy()) && line.contains(kind);
        let mounts = || std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        eventually("it is mounted", || mounts().lines().any(is_mounted));
        for with in [Signal::STOP, Signal::KILL] {
            [run.id(), agent].into_iter().for_each(|process| signal(process, with));
        }
        run.wait().unwrap();
        eventually("both are gone", || !lives(agent));
        let restored = place.run(&["restore"]);
        assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
        let said = stdout(&restored).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(taken_down), "{said}");
        nothing_is_left(&place);
    }
}
