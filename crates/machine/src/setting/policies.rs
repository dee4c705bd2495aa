//! The policies of cpufreq: CPUs whose clock rate is chosen together
//! (`Documentation/admin-guide/pm/cpufreq.rst`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where they are.
pub(super) const FOLDER: &str = "/sys/devices/system/cpu/cpufreq";

/// `EBUSY`, by which the kernel answers for a policy whose CPUs are all offline.
const EBUSY: i32 = 16;

/// The folder of one.
pub(super) fn folder(all: &Path, number: u32) -> PathBuf {
    all.join(format!("policy{number}"))
}

/// The numbers of those that have a CPU, as far as is told before they are read.
pub(super) fn with_cpus(all: &Path) -> Vec<u32> {
    let names = fs::read_dir(all).into_iter().flatten().flatten();
    let number = |entry: fs::DirEntry| -> Option<u32> {
        entry.file_name().to_str()?.strip_prefix("policy")?.parse().ok()
    };
    let mut numbers: Vec<u32> = names.filter_map(number).collect();
    numbers.retain(|number| !has_no_cpu(&folder(all, *number)));
    numbers.sort_unstable();
    numbers
}

/// Whether all CPUs of a policy are offline, which kernels before 5.19 say here only: they show its
/// rate, and take none (EINVAL).
pub(super) fn has_no_cpu(policy: &Path) -> bool {
    fs::read_to_string(policy.join("affected_cpus")).is_ok_and(|cpus| cpus.trim().is_empty())
}

/// Whether the kernel answered for a policy without a CPU.
pub(super) fn is_offline(error: &io::Error) -> bool {
    error.raw_os_error() == Some(EBUSY)
}

/// Likewise, or it has gone since it was listed.
pub(super) fn is_absent(error: &io::Error) -> bool {
    is_offline(error) || error.kind() == io::ErrorKind::NotFound
}

/// What it means that there is none.
pub(super) fn none(all: &Path) -> String {
    format!(
        "the kernel does not choose the clock rate here (there is no policy in {}), as in most virtual machines",
        all.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_with_a_cpu_are_in_the_order_of_their_numbers() {
        let all = tempfile::tempdir().unwrap();
        for (number, cpus) in [(10, "10\n"), (2, "2\n"), (3, "\n")] {
            fs::create_dir(folder(all.path(), number)).unwrap();
            fs::write(folder(all.path(), number).join("affected_cpus"), cpus).unwrap();
        }
        fs::create_dir(all.path().join("policyx")).unwrap();
        assert_eq!(with_cpus(all.path()), [2, 10]);
        assert!(with_cpus(&all.path().join("none")).is_empty());
        let (offline, none) = (io::Error::from_raw_os_error(EBUSY), io::Error::from_raw_os_error(2));
        assert!(is_offline(&offline) && !is_offline(&none) && is_absent(&none) && is_absent(&offline));
    }
}
