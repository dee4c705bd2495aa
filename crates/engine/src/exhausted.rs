//! Limits on what a process may have, where the kernel refuses more of it: open files and threads. Its message is the same whoever
//! set the limit, so the one that is reached is looked for, and said with where it is set.

use std::fs;
use std::io;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

use crate::fault::Fault;

const GROUPS: &str = "/sys/fs/cgroup";

/// Which limit on open files an error comes of.
pub(crate) fn of_files(error: &io::Error) -> Option<String> {
    match error.raw_os_error()? {
        libc::EMFILE => {
            let most = getrlimit(Resource::Nofile).current;
            let most = most.map_or_else(|| "no more".to_owned(), |most| most.to_string());
            Some(format!(
                "this process may have {most} at once (RLIMIT_NOFILE: ulimit -n, LimitNOFILE of systemd)"
            ))
        }
        libc::ENFILE => Some("all processes together have as many as fs.file-max allows".to_owned()),
        _ => None,
    }
}

/// The fault of a thread that could not be started.
pub(crate) fn thread_fault(what: String, error: io::Error) -> Fault {
    match of_threads(&error) {
        Some(why) => Fault::Other(format!("{what}: {why}")),
        None => Fault::system(what, error),
    }
}

/// Which limit on threads an error comes of, with which one could not be started.
fn of_threads(error: &io::Error) -> Option<String> {
    if error.raw_os_error()? != libc::EAGAIN {
        return None;
    }
    let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    if let Some(most) = full_group(Path::new(GROUPS), &membership) {
        return Some(format!(
            "a control group of this process may have {most} tasks (pids.max, TasksMax of systemd)"
        ));
    }
    if let Some(most) = getrlimit(Resource::Nproc).current.filter(|_| !rustix::process::geteuid().is_root()) {
        return Some(format!(
            "this user may have {most} tasks (RLIMIT_NPROC: ulimit -u, LimitNPROC of systemd)"
        ));
    }
    let most = fs::read_to_string("/proc/sys/kernel/threads-max").ok()?;
    Some(format!("the machine may have {} threads (kernel.threads-max)", most.trim()))
}

/// How many tasks the group, of those that a process is in, may have which has as many (cgroups(7);
/// `Documentation/admin-guide/cgroup-v2.rst`, "PID").
fn full_group(root: &Path, membership: &str) -> Option<u64> {
    let hierarchies = membership.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let is_first = controllers.split(',').any(|name| name == "pids");
        let below = if is_first { "pids" } else { "" };
        (is_first || controllers.is_empty())
            .then(|| (root.join(below), path.trim_start_matches('/').to_owned()))
    });
    let number =
        |folder: &Path, leaf: &str| fs::read_to_string(folder.join(leaf)).ok()?.trim().parse::<u64>().ok();
    let full = |folder: &Path| {
        let most = number(folder, "pids.max")?;
        // What could not be started is not there, and others may have ended since; the kernel counts what it refused.
        let is_full = number(folder, "pids.current").is_some_and(|tasks| tasks >= most);
        (is_full || has_refused(folder)).then_some(most)
    };
    let of_all =
        hierarchies.filter(|(_, path)| !path.split('/').any(|part| part == "..")).flat_map(|(top, path)| {
            let own = top.join(path);
            own.ancestors().take_while(|folder| folder.starts_with(&top)).filter_map(full).collect::<Vec<_>>()
        });
    of_all.min()
}

/// Whether a group refused tasks for its limit.
fn has_refused(folder: &Path) -> bool {
    let events = fs::read_to_string(folder.join("pids.events")).unwrap_or_default();
    let refused = events.lines().find_map(|line| line.strip_prefix("max ")?.trim().parse::<u64>().ok());
    refused.is_some_and(|refused| refused > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_files_is_named() {
        let told = |code| of_files(&io::Error::from_raw_os_error(code));
        assert!(told(libc::EMFILE).is_some_and(|text| text.contains("RLIMIT_NOFILE")));
        assert!(told(libc::ENFILE).is_some_and(|text| text.contains("fs.file-max")));
        assert_eq!(told(libc::EACCES), None);
    }

    #[test]
    fn the_group_that_has_as_many_tasks_as_it_may_is_found_in_either_version() {
        let root = std::env::temp_dir().join(format!("headroom-exhausted-{}", std::process::id()));
        let group = |path: &str, most: &str, tasks: &str| {
            let folder = root.join(path);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("pids.max"), most).unwrap();
            fs::write(folder.join("pids.current"), tasks).unwrap();
        };
        group("pids/a", "20\n", "20\n");
        group("pids/a/b", "max\n", "9\n");
        group("second", "30\n", "12\n");
        assert_eq!(full_group(&root, "8:pids:/a/b\n0::/\n"), Some(20), "the one above");
        assert_eq!(full_group(&root, "0::/second\n"), None, "it has room");
        // Bug: where a thread had ended until somebody looked, the limit of the machine was said to be reached.
        fs::write(root.join("second/pids.events"), "max 0\n").unwrap();
        assert_eq!(full_group(&root, "0::/second\n"), None);
        fs::write(root.join("second/pids.events"), "max 3\n").unwrap();
        assert_eq!(full_group(&root, "0::/second\n"), Some(30));
        assert_eq!(full_group(&root, "8:pids:/../a\n0::/\n"), None, "it leads out of what is seen");
        assert_eq!(full_group(&root, ""), None);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn only_a_refusal_of_threads_is_explained() {
        assert_eq!(of_threads(&io::Error::from_raw_os_error(libc::ENOMEM)), None);
        assert!(of_threads(&io::Error::from_raw_os_error(libc::EAGAIN)).is_some());
    }
}
