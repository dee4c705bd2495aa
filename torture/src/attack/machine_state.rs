//! What settings of the machine may change, as text that is compared before and after: numbers of the kernel, queues
//! of disks, areas of swap, mounts, processors and their clocks, interrupts, control groups. Interfaces are looked at
//! by [`kill_settings`](super::kill_settings).

use std::path::Path;

use crate::namespaces::Namespaces;
use crate::round::{Round, Trouble};

/// Numbers and switches of the kernel's, all of them files. What a machine does not have has no state.
const FILES: &str = "\
    /proc/sys/kernel/task_delayacct /proc/sys/kernel/numa_balancing /proc/sys/kernel/sched_* \
    /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/transparent_hugepage/defrag \
    /sys/devices/system/cpu/online /sys/devices/system/cpu/cpu*/online /sys/devices/system/cpu/smt/control \
    /sys/devices/system/cpu/cpufreq/boost /sys/devices/system/cpu/intel_pstate/no_turbo \
    /sys/devices/system/cpu/cpufreq/policy*/scaling_governor \
    /sys/devices/system/cpu/cpufreq/policy*/scaling_min_freq /sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq";

/// Interrupts are moved by irqbalance, where that runs. `$FILES`, `$DISKS`, `$FOLDER` and `$OPTIONS` (of the mounted file
/// system) are given. Of the files in vm three are commands, and how much of an area of swap is used is nobody's.
/// Others mount and unmount elsewhere.
const LOOK: &str = r#"
    grep -sH . $FILES $OPTIONS || true
    find /proc/sys/vm -type f ! -name drop_caches ! -name stat_refresh ! -name compact_memory \
        -exec grep -sH . {} + | sort || true
    for disk in $DISKS; do
        at=/sys/class/block/$disk
        grep -sH . $at/queue/* $at/size $at/ro $at/loop/backing_file || true
    done
    grep -qsx irqbalance /proc/[0-9]*/comm || grep -sH . /proc/irq/*/smp_affinity_list || true
    awk 'NR > 1 { print "swap", $1, $2, $5 }' /proc/swaps | sort
    awk -v folder="$FOLDER" 'index($5, folder) == 1 || $5 ~ "^/((sys|proc|dev)(/|$)|$)"' /proc/self/mountinfo"#;

/// What is there, as it is seen in the namespaces: with the queues of these disks (`loop1`), and the options of
/// the file system on the last of them.
pub(super) fn look(round: &Round, namespaces: &Namespaces, disks: &[&str]) -> Result<String, Trouble> {
    let options = disks.last().map(|disk| format!("/proc/fs/ext4/{disk}/options")).unwrap_or_default();
    let given = format!(
        "FILES='{FILES}'; OPTIONS='{options}'; DISKS='{}'; FOLDER='{}'",
        disks.join(" "),
        round.folder().display()
    );
    let seen = namespaces.shell(round, &format!("{given}{LOOK}"))?;
    Ok(seen + &groups(Path::new("/sys/fs/cgroup"), 3))
}

/// The control groups of Headroom's that are there.
fn groups(folder: &Path, depth: u32) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = String::new();
    for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()) {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("headroom-")) {
            found.push_str(&format!("{}\n", path.display()));
        }
        if depth > 0 {
            found.push_str(&groups(&path, depth - 1));
        }
    }
    found
}
