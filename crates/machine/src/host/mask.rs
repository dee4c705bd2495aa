//! Taking out of a recording what identifies a machine or its owner: serial
//! numbers, hardware and network addresses, unique identifiers, the name.

use crate::inventory::block::uuid_front;

/// Files whose whole content identifies.
const WHOLE: &[&str] = &[
    "serial",
    "serial_number",
    "product_serial",
    "product_uuid",
    "board_serial",
    "chassis_serial",
    "board_asset_tag",
    "chassis_asset_tag",
    "wwid",
    "wwn",
    "uuid",
    "nguid",
    "eui",
    "subsysnqn",
    "address",
    "broadcast",
    "perm_address",
    "unique_id",
    "machine-id",
    "boot_id",
    "hostname",
    "sas_address",
    "phys_port_id",
    "phys_switch_id",
    "ad_partner_mac",
    "ad_actor_system",
];

/// What stands for a UUID.
const NO_UUID: &str = "00000000-0000-0000-0000-000000000000";

/// The content of `path` without what identifies; the shape stays, so that
/// readers do with it what they do with the original.
pub(crate) fn text(path: &str, content: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    // What a mapping is for stands in front of what identifies it.
    if let Some(front) = uuid_front(content).filter(|_| path.ends_with("/dm/uuid")) {
        return format!("{front}{}", hide(&content[front.len()..], is_word));
    }
    // A PCI or SCSI folder has files of these names with other meanings.
    if WHOLE.contains(&name) && !path.starts_with("/sys/firmware/memmap") {
        return content.lines().map(|line| hide(line, is_word)).collect::<Vec<_>>().join("\n") + "\n";
    }
    let mut out = String::with_capacity(content.len());
    for (index, word) in split_words(content) {
        let _ = index;
        out.push_str(&mask_word(word));
    }
    out
}

/// A path without what identifies, as it stands masked in the files that name
/// it: the control group in `/proc/self/cgroup`, whose folder it is.
pub(crate) fn path(path: &str) -> String {
    path.split('/').map(mask_word).collect::<Vec<_>>().join("/")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// Letters and digits as `x` and `0`.
fn hide(text: &str, which: fn(char) -> bool) -> String {
    text.chars()
        .map(|c| match c {
            c if !which(c) => c,
            c if c.is_ascii_digit() => '0',
            _ => 'x',
        })
        .collect()
}

/// Pieces that are made of the characters of addresses, and what lies between.
fn split_words(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '-' | '_');
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut inside = None;
    for (at, c) in text.char_indices() {
        if inside != Some(is_part(c)) {
            if at > start {
                pieces.push((start, &text[start..at]));
            }
            start = at;
            inside = Some(is_part(c));
        }
    }
    if start < text.len() {
        pieces.push((start, &text[start..]));
    }
    pieces
}

fn mask_word(word: &str) -> String {
    if is_mac(word) {
        return "00:00:00:00:00:00".to_owned();
    }
    if is_uuid(word) {
        return NO_UUID.to_owned();
    }
    // `luks-<UUID>`, as installers name mappings.
    let end = word.len().checked_sub(NO_UUID.len());
    if let Some(front) = end.filter(|at| word.get(*at..).is_some_and(is_uuid)).and_then(|at| word.get(..at)) {
        return format!("{front}{NO_UUID}");
    }
    if is_ipv4(word) {
        return "0.0.0.0".to_owned();
    }
    if word.parse::<std::net::Ipv6Addr>().is_ok() && word.len() > 4 {
        return "::".to_owned();
    }
    without_digests(word)
}

/// Names of control groups carry a container's number, `docker-<64 digits>.scope`.
fn without_digests(word: &str) -> String {
    const DIGITS_MIN: usize = 32;
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let (before, from) = rest.split_at(start);
        let (run, after) = from.split_at(from.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(from.len()));
        out.push_str(before);
        out.push_str(if run.len() < DIGITS_MIN { run } else { NO_UUID });
        rest = after;
    }
    out + rest
}

fn is_mac(word: &str) -> bool {
    let parts: Vec<&str> = word.split([':', '-']).collect();
    (parts.len() == 6 || parts.len() == 8 || parts.len() == 20)
        && parts.iter().all(|p| p.len() == 2 && p.chars().all(|c| c.is_ascii_hexdigit()))
}

fn is_uuid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    let hex = word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    hex && (lengths == [8, 4, 4, 4, 12] || (lengths.len() == 1 && word.len() >= 32))
}

/// A dotted quad; four numbers with dots are also versions, which a recording
/// can do without as well.
fn is_ipv4(word: &str) -> bool {
    word.trim_end_matches('.').parse::<std::net::Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_hidden_and_the_rest_stays() {
        assert_eq!(text("/sys/class/net/eth0/address", "52:54:00:ab:cd:ef\n"), "00:00:00:xx:xx:xx\n");
        assert_eq!(text("/sys/block/nvme0n1/device/serial", "PHFT6175001B\n"), "xxxx0000000x\n");
        assert_eq!(text("/sys/block/dm-0/dm/uuid", "CRYPT-LUKS2-4d9a-x\n"), "CRYPT-LUKS2-0x0x-x\n");
        assert_eq!(text("/sys/block/dm-0/dm/uuid", "aB3-x\n"), "xx0-x\n");
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d ip=10.0.0.7 quiet\n";
        let masked = text("/proc/cmdline", line);
        assert_eq!(
            masked,
            "BOOT_IMAGE=/vmlinuz root=UUID=00000000-0000-0000-0000-000000000000 ip=0.0.0.0 quiet\n"
        );
        assert_eq!(text("/x", "peer fe80::5054:ff:feab:cdef up"), "peer :: up");
        let name = "luks-3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d";
        assert_eq!(text("/sys/block/dm-0/dm/name", name), format!("luks-{NO_UUID}"));
        let digest = "5f".repeat(32);
        let group = text("/proc/self/cgroup", &format!("0::/system.slice/docker-{digest}.scope"));
        assert_eq!(group, format!("0::/system.slice/docker-{NO_UUID}.scope"));
        let folder = path(&format!("/sys/fs/cgroup/system.slice/docker-{digest}.scope/cpu.max"));
        assert_eq!(folder, format!("/sys/fs/cgroup/system.slice/docker-{NO_UUID}.scope/cpu.max"));
        let kept = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        assert_eq!(path(kept), kept);
        for kept in ["0000:01:00.0", "0-3,8", "8.0 GT/s PCIe", "8:16 1024", "6.12.9-amd64", "259:0"] {
            assert_eq!(text("/x", kept), kept);
        }
    }
}
