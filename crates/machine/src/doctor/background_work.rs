//! Programs run that are known to read, write or compute in the background.

use std::sync::LazyLock;

use model::{Resource, Severity};

use super::activity::Process;
use super::{Check, clip, condition, seen};

const CODE: &str = "background-work";

/// A program that disturbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownProgram {
    /// Its name; with a star at its end, all that begin so. The kernel keeps 15
    /// bytes of a name.
    name: &'static str,
    does: &'static str,
    /// A word of its command line by which it is a daemon that waits.
    pub(super) unless: Option<&'static str>,
    /// Whether it is always there, so that only its work is worth a word.
    stays: bool,
}

/// What programs do, as findings of all languages call it, the names of those that come and go, and
/// of those that are always there.
const TABLE: &[(&str, &str, &str)] = &[
    ("trims", "fstrim", ""),
    ("checks", "fsck* e2fsck xfs_repair xfs_scrub", ""),
    ("changes", "btrfs resize2fs", ""),
    ("formats", "mkfs* mke2fs", ""),
    ("scans", "badblocks", ""),
    ("copies-data", "dd tar", ""),
    ("wipes", "shred", ""),
    (
        "installs",
        "apt apt-get aptitude dpkg unattended-upgr dnf dnf-automatic yum rpm zypper pacman",
        "packagekitd",
    ),
    ("builds-modules", "dkms", ""),
    ("builds-image", "update-initramf dracut", ""),
    ("copies-files", "rsync rclone", ""),
    ("backs-up", "borg restic kopia duplicity", "bacula-fd veeamagent"),
    ("lists-files", "updatedb*", ""),
    ("indexes-manuals", "mandb", ""),
    ("indexes-files", "", "tracker-miner* localsearch* baloo_file*"),
    ("searches-viruses", "clamscan", ""),
    ("searches-files", "rkhunter aide", ""),
    ("loads", "fio sysbench stress stress-ng* iperf* netperf wrk bonnie++ memtester mprime", ""),
    ("traces", "perf bpftrace trace-cmd blktrace strace ltrace gdb", ""),
];

/// Programs that wait where their command line has this word.
const WAIT: &[(&str, &str)] = &[("unattended-upgr", "--wait-for-signal"), ("rsync", "--daemon")];

fn programs() -> impl Iterator<Item = KnownProgram> {
    TABLE
        .iter()
        .flat_map(|&(does, passing, staying)| row(does, passing, false).chain(row(does, staying, true)))
}

fn row(does: &'static str, names: &'static str, stays: bool) -> impl Iterator<Item = KnownProgram> {
    names.split_whitespace().map(move |name| {
        let unless = WAIT.iter().find(|(program, _)| *program == name).map(|(_, word)| *word);
        KnownProgram { name, does, unless, stays }
    })
}

/// The program of this name, if its work disturbs others. Asked for each process.
pub(super) fn known(name: &str) -> Option<&'static KnownProgram> {
    static PROGRAMS: LazyLock<Vec<KnownProgram>> = LazyLock::new(|| programs().collect());
    PROGRAMS.iter().find(|k| match k.name.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == k.name,
    })
}

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
    use crate::doctor::tests::{CheckResult, diagnose};

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
        assert_eq!(diagnose(&CHECK, &tree("sshd", true)), CheckResult::nothing());
        diagnose(&CHECK, &tree("packagekitd", true)).one(Severity::Warning, "is at work");
        assert_eq!(diagnose(&CHECK, &tree("packagekitd", false)), CheckResult::nothing());
    }

    #[test]
    fn all_kinds_of_work_are_told_apart_in_every_language() {
        let kinds: BTreeSet<_> = programs().map(|known| known.does).collect();
        for language in language::LANGUAGES {
            let said = programs().map(|known| {
                let finding = &diagnose(&CHECK, &tree(known.name, true)).findings[0];
                language.words().finding(finding).replace(known.name, "it")
            });
            assert_eq!(said.collect::<BTreeSet<_>>().len(), kinds.len(), "{language:?}");
        }
    }

    #[test]
    fn names_are_such_as_the_kernel_keeps() {
        for known in programs() {
            assert!(known.name.trim_end_matches('*').len() <= 15, "{}", known.name);
        }
    }
}
