//! The kernel's command line without what identifies the machine, its network
//! or its owner (`Documentation/admin-guide/kernel-parameters.txt`).

use crate::host::mask;

/// Parameters whose value identifies as a whole: addresses with their names
/// (`Documentation/admin-guide/nfs/nfsroot.rst`, dracut.cmdline(7)), host names
/// (kernel-command-line(7)), where cloud-init gets its data.
const IDENTIFYING: &[&str] = &[
    "ip",
    "nfsaddrs",
    "nfsroot",
    "netroot",
    "hostname",
    "systemd.hostname",
    "ds",
    "cloud-config-url",
    "url",
];
/// Words of a parameter's name whose value nobody else should see.
const SECRET: &[&str] = &["password", "passwd", "secret", "token", "credential", "apikey", "api_key"];
/// What stands for them.
const HIDDEN: &str = "...";
/// The kernel's own most is 4096 (`COMMAND_LINE_SIZE` of s390; others less);
/// bootconfig may add to it.
const BYTES_MAX: usize = 32 << 10;

/// The command line, in one line; absent if it is empty.
pub(super) fn masked(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > BYTES_MAX {
        return None;
    }
    let words: Vec<String> = text.split_whitespace().map(word).collect();
    Some(words.join(" ").chars().filter(|c| !c.is_control()).collect())
}

fn word(word: &str) -> String {
    let Some((name, _)) = word.split_once('=') else { return without_addresses(word) };
    let low = name.to_ascii_lowercase();
    if IDENTIFYING.contains(&name) || name.starts_with("iscsi_") || SECRET.iter().any(|s| low.contains(s)) {
        return format!("{name}={HIDDEN}");
    }
    without_addresses(word)
}

/// Without addresses, also those with a port (`10.0.0.7:80`).
fn without_addresses(word: &str) -> String {
    let masked = mask::text("/proc/cmdline", word);
    let pieces = masked.split_inclusive([':', ',', '/', '@', '=']);
    pieces
        .map(|piece| {
            let end = piece.trim_end_matches([':', ',', '/', '@', '=']).len();
            let (address, rest) = piece.split_at(end);
            if address.parse::<std::net::Ipv4Addr>().is_ok() {
                format!("0.0.0.0{rest}")
            } else {
                piece.to_owned()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn identities_are_hidden_and_what_shapes_a_measurement_stays() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d ro \
                    ip=10.0.0.7::10.0.0.1:255.255.255.0:box:eth0 systemd.hostname=box \
                    root_Password=hunter2 iscsi_initiator=iqn.2004:box mitigations=off isolcpus=2-3 \
                    nvme.host=10.0.0.7:4420 --addr 10.0.0.8:80\n";
        let expected = "BOOT_IMAGE=/vmlinuz root=UUID=00000000-0000-0000-0000-000000000000 ro ip=... \
                        systemd.hostname=... root_Password=... iscsi_initiator=... mitigations=off isolcpus=2-3 \
                        nvme.host=0.0.0.0:4420 --addr 0.0.0.0:80";
        assert_eq!(masked(line).unwrap(), expected);
        assert_eq!(masked(" \n"), None);
        assert_eq!(masked(&"x".repeat(1 << 20)), None);
    }
}
