//! Settings of a control group of our own: made, entered, left and removed on this
//! machine. One test, for all of this process is in the group. Needs root and the
//! controllers, of version 1 or 2.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use machine::setting::{self, Journal, Process, SettingGuard, Wanted};
use model::setting::Change;
use model::{Resource, Value};
use rustix::time::{ClockId, clock_gettime};

fn groups() -> String {
    std::fs::read_to_string("/proc/self/cgroup").unwrap()
}

/// A block device of this machine that a group can limit: its name.
fn device() -> Option<String> {
    let all = std::fs::read_dir("/sys/block").ok()?.flatten();
    let mut names = all.filter_map(|entry| entry.file_name().into_string().ok());
    names.find(|name| ["vd", "sd", "nvme"].iter().any(|kind| name.starts_with(kind)))
}

/// The change as it is bound here; none, and said so, where there can be no group.
fn bound(change: &Change) -> Option<Wanted> {
    match setting::resources(change) {
        Ok(mut found) => {
            let (setting, value) = (change.name.clone(), change.value.clone());
            Some(Wanted { setting, resource: found.remove(0), value })
        }
        Err(error) => {
            skip(&error.to_string());
            None
        }
    }
}

/// Says that something is left out; in CI nothing is.
fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{reason}");
    println!("skipped: {reason}");
}

/// How long it takes until this process has computed for so long.
fn burn(time: Duration) -> Duration {
    let used = || {
        let used = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap())
    };
    let (start, before) = (Instant::now(), used());
    while used() - before < time {
        std::hint::spin_loop();
    }
    start.elapsed()
}

fn folder_of(resource: &Resource) -> PathBuf {
    let path = resource.as_str().strip_prefix("cgroup:").unwrap();
    PathBuf::from(path.rsplit_once(':').map_or(path, |(folder, _)| folder))
}

#[test]
fn this_process_is_limited_in_a_group_of_its_own_and_out_of_it_again() {
    let journals = tempfile::tempdir().unwrap();
    let journal = Journal::at(journals.path());
    let own = format!("headroom-{}", std::process::id());
    let before = groups();
    let cpu = bound(&Change::new("cgroup-cpu", Value::Number(1.5)));
    if let Some(cpu) = cpu {
        let folder = folder_of(&cpu.resource);
        let mut guard = SettingGuard::with_journal(journal.clone(), Process::parent());
        let now = guard.set(std::slice::from_ref(&cpu)).unwrap();
        assert_eq!((&now[0].before, &now[0].read_back), (&"none".into(), &Value::Number(1.5)));
        assert!(groups().contains(&own), "{}", groups());
        // Bound again from inside, it is the same group.
        assert_eq!(bound(&Change::new("cgroup-cpu", Value::Number(1.5))), Some(cpu.clone()));
        let other = Wanted { value: Value::Number(0.5), ..cpu.clone() };
        let now = guard.set(&[other]).unwrap();
        assert_eq!((&now[0].before, &now[0].read_back), (&"none".into(), &Value::Number(0.5)));
        assert_eq!(guard.check(), Ok(()));
        // 50 ms in each 100 ms: of what 200 ms of computing take, three pauses of 50 ms are
        // a part, of which one may have begun before.
        let took = burn(Duration::from_millis(200));
        assert!(took > Duration::from_millis(270), "the quota did not hold: {took:?}");
        guard.restore().unwrap();
        assert_eq!(groups(), before);
        assert!(!folder.exists() && !journal.path().exists());
    }
    let Some(device) = device() else { return skip("there is no disk that a group can limit") };
    let io = |name: &str, value: Value| {
        bound(&Change { resource: Some(device.clone()), ..Change::new(name, value) })
    };
    let bytes = io("cgroup-io-read-bytes", Value::Integer(50_000_000));
    let operations = io("cgroup-io-write-operations", Value::Number(500.0));
    if let (Some(bytes), Some(operations)) = (bytes, operations) {
        let folder = folder_of(&bytes.resource);
        assert_eq!(folder, folder_of(&operations.resource), "both are of one group");
        let mut guard = SettingGuard::with_journal(journal.clone(), Process::parent());
        guard.set(&[bytes.clone(), operations]).unwrap();
        assert!(groups().contains(&own), "{}", groups());
        // One of two is put back: the group stays.
        let now = guard.set(&[bytes]).unwrap();
        assert_eq!(now[0].read_back, Value::Integer(50_000_000));
        assert!(folder.exists() && groups().contains(&own));
        drop(guard);
        assert_eq!(groups(), before);
        assert!(!folder.exists() && !journal.path().exists());
    }
}
