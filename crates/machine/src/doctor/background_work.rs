//! Programs run that are known to read, write or compute in the background.

use model::{Resource, Severity};

use super::activity::Process;
use super::{Check, clip, condition, seen};

const CODE: &str = "background-work";

// What programs do, as findings of all languages call it.
const TRIMS: &str = "trims";
const CHECKS: &str = "checks";
const CHANGES: &str = "changes";
const FORMATS: &str = "formats";
const SCANS: &str = "scans";
const COPIES_DATA: &str = "copies-data";
const WIPES: &str = "wipes";
const INSTALLS: &str = "installs";
const BUILDS_MODULES: &str = "builds-modules";
const BUILDS_IMAGE: &str = "builds-image";
const COPIES_FILES: &str = "copies-files";
const BACKS_UP: &str = "backs-up";
const LISTS_FILES: &str = "lists-files";
const INDEXES_MANUALS: &str = "indexes-manuals";
const INDEXES_FILES: &str = "indexes-files";
const SEARCHES_VIRUSES: &str = "searches-viruses";
const SEARCHES_FILES: &str = "searches-files";
const LOADS: &str = "loads";
const TRACES: &str = "traces";

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
    row("fstrim", TRIMS),
    row("fsck*", CHECKS),
    row("e2fsck", CHECKS),
    row("xfs_repair", CHECKS),
    row("xfs_scrub", CHECKS),
    row("btrfs", CHANGES),
    row("resize2fs", CHANGES),
    row("mkfs*", FORMATS),
    row("mke2fs", FORMATS),
    row("badblocks", SCANS),
    row("dd", COPIES_DATA),
    row("tar", COPIES_DATA),
    row("shred", WIPES),
    row("apt", INSTALLS),
    row("apt-get", INSTALLS),
    row("aptitude", INSTALLS),
    row("dpkg", INSTALLS),
    Known { unless: Some("--wait-for-signal"), ..row("unattended-upgr", INSTALLS) },
    row("dnf", INSTALLS),
    row("dnf-automatic", INSTALLS),
    row("yum", INSTALLS),
    row("rpm", INSTALLS),
    row("zypper", INSTALLS),
    row("pacman", INSTALLS),
    daemon("packagekitd", INSTALLS),
    row("dkms", BUILDS_MODULES),
    row("update-initramf", BUILDS_IMAGE),
    row("dracut", BUILDS_IMAGE),
    Known { unless: Some("--daemon"), ..row("rsync", COPIES_FILES) },
    row("rclone", COPIES_FILES),
    row("borg", BACKS_UP),
    row("restic", BACKS_UP),
    row("kopia", BACKS_UP),
    row("duplicity", BACKS_UP),
    daemon("bacula-fd", BACKS_UP),
    daemon("veeamagent", BACKS_UP),
    row("updatedb*", LISTS_FILES),
    row("mandb", INDEXES_MANUALS),
    daemon("tracker-miner*", INDEXES_FILES),
    daemon("localsearch*", INDEXES_FILES),
    daemon("baloo_file*", INDEXES_FILES),
    row("clamscan", SEARCHES_VIRUSES),
    row("rkhunter", SEARCHES_FILES),
    row("aide", SEARCHES_FILES),
    row("fio", LOADS),
    row("sysbench", LOADS),
    row("stress", LOADS),
    row("stress-ng*", LOADS),
    row("iperf*", LOADS),
    row("netperf", LOADS),
    row("wrk", LOADS),
    row("bonnie++", LOADS),
    row("memtester", LOADS),
    row("mprime", LOADS),
    row("perf", TRACES),
    row("bpftrace", TRACES),
    row("trace-cmd", TRACES),
    row("blktrace", TRACES),
    row("strace", TRACES),
    row("ltrace", TRACES),
    row("gdb", TRACES),
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
    english: r#"
condition-background-work =
    `{ $name }`, which { $does ->
        [trims] discards free blocks
        [checks] checks a file system
        [changes] works on a file system
        [formats] makes a file system
        [scans] reads or writes a whole disk
        [copies-data] copies data
        [wipes] writes a whole disk
        [installs] installs packages
        [builds-modules] builds kernel modules
        [builds-image] builds a boot image
        [copies-files] copies files
        [backs-up] makes a backup
        [lists-files] lists all files
        [indexes-manuals] indexes manual pages
        [indexes-files] indexes files
        [searches-viruses] searches files for viruses
        [searches-files] searches files
        [loads] makes a load
       *[traces] traces
    }, { $busy ->
        [yes] is at work
       *[no] waits
    }
    .advice = wait until `{ $name }` has ended, or stop it

evidence-background-process =
    { $name }: { $count ->
        [1] 1 process
       *[other] { $count } processes
    }, { FIXED($cpu_s, decimals: 2) } CPU seconds
"#,
    look: |context| {
        let processes = context.activity.map_or(&[][..], |a| &a.processes);
        let ours = |p: &&Process| !p.kernel;
        let finding = |process: &Process| {
            let known = known(&process.name).filter(|k| process.active || !k.stays)?;
            let name = clip(&process.name);
            let severity = if process.active { Severity::Warning } else { Severity::Note };
            let evidence = seen("background-process")
                .arg("name", name.as_str())
                .arg("count", u64::from(process.count.max(1)))
                .arg("cpu_s", process.cpu_s.max(0.0));
            Some(
                condition(CODE, severity)
                    .on(Resource::CPUS)
                    .arg("name", name)
                    .arg("does", known.does)
                    .arg("busy", process.active)
                    .because(evidence),
            )
        };
        processes.iter().filter(ours).filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
    fn all_kinds_of_work_are_told_apart_in_every_language() {
        let kinds: BTreeSet<_> = TABLE.iter().map(|known| known.does).collect();
        for language in language::LANGUAGES {
            let said = TABLE.iter().map(|known| {
                let finding = &diagnose(&CHECK, &tree(known.name, true)).findings[0];
                language.words().finding(finding).replace(known.name, "it")
            });
            assert_eq!(said.collect::<BTreeSet<_>>().len(), kinds.len(), "{language:?}");
        }
    }

    #[test]
    fn names_are_such_as_the_kernel_keeps() {
        for known in TABLE {
            assert!(known.name.trim_end_matches('*').len() <= 15, "{}", known.name);
        }
    }
}
