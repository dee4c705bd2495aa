//! The table of mounts without servers and users: of file systems from
//! elsewhere the kind stays, and the options that shape a measurement
//! (proc_pid_mountinfo(5)).

/// Kinds that come over a network.
const REMOTE: &[&str] = &[
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "orangefs",
    "pvfs2",
    "smb3",
    "smbfs",
    "virtiofs",
];
/// Options of words that say nothing of anybody (nfs(5), mount.cifs(8)).
const WORDS: &[&str] =
    &["cache", "local_lock", "lookupcache", "mountproto", "proto", "sec", "trans", "xprtsec", "access"];
/// What stands for the rest.
const HIDDEN: &str = "...";

/// One line of the table.
pub(super) fn line(text: &str) -> String {
    let Some((left, right)) = text.split_once(" - ") else { return text.to_owned() };
    let mut right = right.splitn(3, ' ');
    let (Some(kind), Some(source)) = (right.next(), right.next()) else { return text.to_owned() };
    let options = right.next().unwrap_or_default();
    if !is_remote(kind, source) {
        return text.to_owned();
    }
    let mut left: Vec<&str> = left.split(' ').collect();
    // What is shown of the server's tree.
    if let Some(root) = left.get_mut(3) {
        *root = "/";
    }
    let options: Vec<&str> = options.split(',').filter(|option| is_kept(option)).collect();
    format!("{} - {kind} {HIDDEN} {}", left.join(" "), options.join(","))
}

/// Whatever the kind, `server:/folder` and `//server/share` are from elsewhere.
fn is_remote(kind: &str, source: &str) -> bool {
    REMOTE.contains(&kind)
        || kind.starts_with("fuse.")
        || source.contains(":/")
        || source.starts_with("//")
        || (source.contains('@') && !source.starts_with('/'))
}

fn is_kept(option: &str) -> bool {
    match option.split_once('=') {
        None => !option.contains(['@', '/', ':']),
        // Four numbers may be an address, and versions have two.
        Some((name, value)) => {
            let is_number = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            WORDS.contains(&name) || (is_number && value.matches('.').count() < 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn servers_are_dropped_and_what_shapes_a_measurement_stays() {
        let nfs = "36 25 0:50 /alice /home rw,relatime shared:1 - nfs4 10.0.0.9:/export/alice \
                   rw,vers=4.2,rsize=1048576,proto=tcp,sec=sys,clientaddr=10.0.0.7,addr=10.0.0.9";
        let expected = "36 25 0:50 / /home rw,relatime shared:1 - nfs4 ... \
                        rw,vers=4.2,rsize=1048576,proto=tcp,sec=sys";
        assert_eq!(line(nfs), expected);
        let cifs =
            line("1 2 0:51 / /mnt rw - cifs //nas/bob rw,username=bob,domain=CORP,uid=1000,cache=strict");
        assert_eq!(cifs, "1 2 0:51 / /mnt rw - cifs ... rw,uid=1000,cache=strict");
        let sshfs = line("1 2 0:52 / /mnt rw - fuse.sshfs bob@nas:/ rw,user_id=1000");
        assert_eq!(sshfs, "1 2 0:52 / /mnt rw - fuse.sshfs ... rw,user_id=1000");
        for kept in [
            "1 2 8:1 /sub /mnt rw - ext4 /dev/sda1 rw,errors=continue",
            "1 2 0:5 / /dev rw - tmpfs udev rw,size=8k,mode=755",
            "garbled",
            "1 2 - ext4",
        ] {
            assert_eq!(line(kept), kept);
        }
    }
}
