//! The kernel's command line without what identifies the machine, its network
//! or its owner (`Documentation/admin-guide/kernel-parameters.txt`).

use super::{Mask, without_users};

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
    "fqdn",
    "domain",
    "nameserver",
    "ds",
    "cloud-config-url",
    "url",
    "ks",
    "inst.ks",
    "inst.repo",
    "preseed/url",
    "netcfg/get_hostname",
    "netcfg/get_domain",
];
/// How names of parameters begin that name targets and initiators
/// (dracut.cmdline(7)).
const IDENTIFYING_HEADS: &[&str] = &["iscsi_", "rd.iscsi.", "rd.nvmf.", "nvmf.", "rd.route"];
/// Where a root file system comes from over a network; what follows says from
/// whom.
const REMOTE_ROOTS: &[&str] =
    &["nfs", "nfs4", "iscsi", "nbd", "cifs", "smb", "fcoe", "aoe", "http", "https", "ftp", "tftp", "live"];
/// Words of a parameter's name whose value nobody else should see.
const SECRET: &[&str] = &["password", "passwd", "secret", "token", "credential", "apikey", "api_key"];
/// What stands for them.
const HIDDEN: &str = "...";
/// The kernel's own most is 4096 (`COMMAND_LINE_SIZE` of s390; others less);
/// bootconfig may add to it.
const BYTES_MAX: usize = 32 << 10;

/// The command line as it is shown, in one line; absent if it is empty.
pub(crate) fn masked(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > BYTES_MAX {
        return None;
    }
    let masked = Mask::default().words(&without_users(&without_identities(text)), false);
    Some(masked.chars().filter(|c| !c.is_control()).collect())
}

/// Without the values of parameters that identify; addresses elsewhere stay.
pub(super) fn without_identities(text: &str) -> String {
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn word(word: &str) -> String {
    if let Some((name, value)) = word.split_once('=') {
        let low = name.to_ascii_lowercase();
        let identifies =
            IDENTIFYING.contains(&name) || IDENTIFYING_HEADS.iter().any(|head| name.starts_with(head));
        if identifies || SECRET.iter().any(|secret| low.contains(secret)) {
            return format!("{name}={HIDDEN}");
        }
        let remote = value.split_once(':').filter(|(kind, _)| name == "root" && REMOTE_ROOTS.contains(kind));
        if let Some((kind, _)) = remote {
            return format!("{name}={kind}:{HIDDEN}");
        }
    }
    match word.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://{HIDDEN}"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn identities_are_hidden_and_what_shapes_a_measurement_stays() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d ro \
                    ip=10.0.0.7::10.0.0.1:255.255.255.0:box:eth0 systemd.hostname=box \
                    root_Password=hunter2 iscsi_initiator=iqn.2004:box root=nfs:nas:/x mitigations=off isolcpus=2-3 \
                    nvme.host=10.0.0.7:4420 --addr 10.0.0.8:80\n";
        let expected = "BOOT_IMAGE=/vmlinuz root=UUID=00000000-0000-0000-0000-000000000000 ro ip=... \
                        systemd.hostname=... root_Password=... iscsi_initiator=... root=nfs:... mitigations=off isolcpus=2-3 \
                        nvme.host=0.0.0.0:4420 --addr 0.0.0.0:80";
        assert_eq!(masked(line).unwrap(), expected);
        assert_eq!(masked(" \n"), None);
        assert_eq!(masked(&"x".repeat(1 << 20)), None);
    }
}
