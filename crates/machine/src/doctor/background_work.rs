//! Programs run that are known to read, write or compute in the background.

use model::Severity;

use super::activity::Process;
use super::{Check, clip, condition, seen};

const CODE: &str = "background-work";

/// A program that disturbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Its name; with a star at its end, all that begin so. The kernel keeps 15
    /// bytes of a name.
    name: &'static str,
    /// What it does.
    does: &'static str,
    /// A word of its command line by which it is a daemon that waits.
    pub(super) unless: Option<&'static str>,
    /// Whether it is always there, so that only its work is worth a word.
    stays: bool,
}

const fn row(name: &'static str, does: &'static str) -> Known {
    Known { name, does, unless: None, stays: false }
}

const fn daemon(name: &'static str, does: &'static str) -> Known {
    Known { stays: true, ..row(name, does) }
}

/// Trims, checks and copies of file systems; package managers; backups; those
/// who index or search all files; other loads; tracers.
const TABLE: &[Known] = &[
    row("fstrim", "discards free blocks"),
    row("fsck*", "checks a file system"),
    row("e2fsck", "checks a file system"),
    row("xfs_repair", "checks a file system"),
    row("xfs_scrub", "checks a file system"),
    row("btrfs", "works on a file system"),
    row("resize2fs", "works on a file system"),
    row("mkfs*", "makes a file system"),
    row("mke2fs", "makes a file system"),
    row("badblocks", "reads or writes a whole disk"),
    row("dd", "copies data"),
    row("tar", "copies data"),
    row("shred", "writes a whole disk"),
    row("apt", "installs packages"),
    row("apt-get", "installs packages"),
    row("aptitude", "installs packages"),
    row("dpkg", "installs packages"),
    Known { unless: Some("--wait-for-signal"), ..row("unattended-upgr", "installs packages") },
    row("dnf", "installs packages"),
    row("dnf-automatic", "installs packages"),
    row("yum", "installs packages"),
    row("rpm", "installs packages"),
    row("zypper", "installs packages"),
    row("pacman", "installs packages"),
    daemon("packagekitd", "installs packages"),
    row("dkms", "builds kernel modules"),
    row("update-initramf", "builds a boot image"),
    row("dracut", "builds a boot image"),
    Known { unless: Some("--daemon"), ..row("rsync", "copies files") },
    row("rclone", "copies files"),
    row("borg", "makes a backup"),
    row("restic", "makes a backup"),
    row("kopia", "makes a backup"),
    row("duplicity", "makes a backup"),
    daemon("bacula-fd", "makes a backup"),
    daemon("veeamagent", "makes a backup"),
    row("updatedb*", "lists all files"),
    row("mandb", "indexes manual pages"),
    daemon("tracker-miner*", "indexes files"),
    daemon("localsearch*", "indexes files"),
    daemon("baloo_file*", "indexes files"),
    row("clamscan", "searches files for viruses"),
    row("rkhunter", "searches files"),
    row("aide", "searches files"),
    row("fio", "makes a load"),
    row("sysbench", "makes a load"),
    row("stress", "makes a load"),
    row("stress-ng*", "makes a load"),
    row("iperf*", "makes a load"),
    row("netperf", "makes a load"),
    row("wrk", "makes a load"),
    row("bonnie++", "makes a load"),
    row("memtester", "makes a load"),
    row("mprime", "makes a load"),
    row("perf", "traces"),
    row("bpftrace", "traces"),
    row("trace-cmd", "traces"),
    row("blktrace", "traces"),
    row("strace", "traces"),
    row("ltrace", "traces"),
    row("gdb", "traces"),
];

/// The program of this name.
pub(super) fn known(name: &str) -> Option<&'static Known> {
    TABLE.iter().find(|k| match k.name.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == k.name,
    })
}

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "programs that trim, install, back up, index, load or trace: a warning if at work",
    look: |patient| {
        let processes = patient.activity.map_or(&[][..], |a| &a.processes);
        let ours = |p: &&Process| !p.kernel;
        let finding = |process: &Process| {
            let known = known(&process.name).filter(|k| process.active || !k.stays)?;
            let name = clip(&process.name);
            let (severity, state) = match process.active {
                true => (Severity::Warning, "is at work"),
                false => (Severity::Note, "waits"),
            };
            let evidence = format!(
                "{name}: {} processes, {:.2} CPU seconds",
                process.count.max(1),
                process.cpu_s.max(0.0)
            );
            Some(
                condition(CODE, severity, format!("`{name}`, which {}, {state}", known.does))
                    .on("cpu")
                    .arg("name", name.as_str())
                    .arg("does", known.does)
                    .arg("busy", process.active)
                    .because(seen("process", evidence))
                    .advise(format!("wait until `{name}` has ended, or stop it")),
            )
        };
        processes.iter().filter(ours).filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose};

    fn tree(name: &str, active: bool) -> String {
        format!(
            "==> /probe/activity\n{{\"processes\": [{{\"name\": \"{name}\", \"count\": 1, \"active\": {active}}}]}}\n"
        )
    }

    #[test]
    fn what_is_known_to_disturb_is_named_with_what_it_does() {
        diagnose(&CHECK, &tree("fstrim", true))
            .one(Severity::Warning, "`fstrim`, which discards free blocks, is");
        diagnose(&CHECK, &tree("fsck.ext4", true)).one(Severity::Warning, "checks a file system");
        diagnose(&CHECK, &tree("apt-get", false)).one(Severity::Note, "which installs packages, waits");
        assert_eq!(diagnose(&CHECK, &tree("sshd", true)), Shown::nothing());
        diagnose(&CHECK, &tree("packagekitd", true)).one(Severity::Warning, "is at work");
        assert_eq!(diagnose(&CHECK, &tree("packagekitd", false)), Shown::nothing());
    }

    #[test]
    fn names_are_such_as_the_kernel_keeps() {
        for known in TABLE {
            assert!(known.name.trim_end_matches('*').len() <= 15, "{}", known.name);
        }
    }
}
