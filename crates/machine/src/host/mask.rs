//! Taking out of a recording what identifies a machine or its owner: serial
//! numbers, hardware and network addresses, unique identifiers, the name.

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

/// The content of `path` without what identifies; the shape stays, so that
/// readers do with it what they do with the original.
pub(crate) fn text(path: &str, content: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if path.ends_with("/dm/uuid") {
        return mapping(content);
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

/// The device mapper's identifier with its front, which says whose mapping it
/// is: `LVM-...`, `CRYPT-LUKS2-...`.
fn mapping(uuid: &str) -> String {
    let is_mark = |part: &str| part.len() <= 10 && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let mut parts = uuid.split('-');
    let mut out = parts.next().filter(|first| first.len() <= 10).unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        let mark = index == 0 && is_mark(part);
        out = format!("{out}-{}", if mark { part.to_owned() } else { hide(part, is_word) });
    }
    out
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
        return "00000000-0000-0000-0000-000000000000".to_owned();
    }
    if is_ipv4(word) {
        return "0.0.0.0".to_owned();
    }
    if word.parse::<std::net::Ipv6Addr>().is_ok() && word.len() > 4 {
        return "::".to_owned();
    }
    word.to_owned()
}

fn is_mac(word: &str) -> bool {
    let parts: Vec<&str> = word.split([':', '-']).collect();
    (parts.len() == 6 || parts.len() == 8 || parts.len() == 20)
        && parts.iter().all(|p| p.len() == 2 && p.chars().all(|c| c.is_ascii_hexdigit()))
}

fn is_uuid(word: &str) -> bool {
    // At the end of a word too: `CRYPT-LUKS2-<32 digits>-name` and the like.
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
        let mapping = |uuid| text("/sys/devices/virtual/block/dm-0/dm/uuid", uuid);
        assert_eq!(mapping("CRYPT-LUKS2-12ab34cd-root\n"), "CRYPT-LUKS2-00xx00xx-xxxx\n");
        assert_eq!(mapping("LVM-aB3dEf\n"), "LVM-xx0xxx\n");
        assert_eq!(mapping("mpath-3600508b4\n"), "mpath-0000000x0\n");
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d ip=10.0.0.7 quiet\n";
        let masked = text("/proc/cmdline", line);
        assert_eq!(
            masked,
            "BOOT_IMAGE=/vmlinuz root=UUID=00000000-0000-0000-0000-000000000000 ip=0.0.0.0 quiet\n"
        );
        assert_eq!(text("/x", "peer fe80::5054:ff:feab:cdef up"), "peer :: up");
        for kept in ["0000:01:00.0", "0-3,8", "8.0 GT/s PCIe", "8:16 1024", "6.12.9-amd64", "259:0"] {
            assert_eq!(text("/x", kept), kept);
        }
    }
}
