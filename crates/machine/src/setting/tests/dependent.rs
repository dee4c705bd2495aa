//! Two settings of which one sets the other anew, and lets it have so much: a scheduler and the requests
//! of a disk's queue, as numbers here.

use std::path::Path;
use std::sync::Mutex;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::{DEAD, left};
use crate::setting::guard::{SettingGuard, Wanted};
use crate::setting::journal::{Journal, JournalEntry, SideEffect};
use crate::setting::namespace::NamespaceScope;
use crate::setting::process::Process;
use crate::setting::restore::{Unrestorable, restore_from};
use crate::setting::{Setting, SettingError, order};

/// What stands at the disk: its scheduler, and the requests, of which each scheduler allows twenty times
/// its number, and begins with ten times.
type Disk = Mutex<(u64, u64)>;

struct Scheduler(&'static Disk);

struct Requests(&'static Disk);

const fn spec(name: &'static str) -> SettingSpec {
    SettingSpec {
        value: ParameterSpec::new(name, Kind::Count, ""),
        unit: Unit::One,
        binds: None,
        holds: None,
        summary: "",
    }
}

static SCHEDULER: SettingSpec = spec("scheduler");
static REQUESTS: SettingSpec = spec("requests");

impl Setting for Scheduler {
    fn spec(&self) -> &'static SettingSpec {
        &SCHEDULER
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn resets(&self) -> &'static [&'static str] {
        &["requests"]
    }

    fn read(&self, _: &Resource) -> Result<Value, SettingError> {
        Ok(Value::Integer(self.0.lock().unwrap().0))
    }

    fn write(&self, _: &Resource, value: &Value) -> Result<(), SettingError> {
        let Value::Integer(number) = *value else { panic!("{value}") };
        *self.0.lock().unwrap() = (number, 10 * number);
        Ok(())
    }

    fn side_effects(&self, resource: &Resource, _: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let before = Value::Integer(self.0.lock().unwrap().1);
        Ok(vec![SideEffect { setting: "requests".to_owned(), resource: resource.clone(), before }])
    }
}

impl Setting for Requests {
    fn spec(&self) -> &'static SettingSpec {
        &REQUESTS
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, _: &Resource) -> Result<Value, SettingError> {
        Ok(Value::Integer(self.0.lock().unwrap().1))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let Value::Integer(number) = *value else { panic!("{value}") };
        let mut disk = self.0.lock().unwrap();
        if number > 20 * disk.0 {
            return Err(SettingError::refused(&REQUESTS, resource, value, "it is too many".to_owned()));
        }
        disk.1 = number;
        Ok(())
    }

    fn side_effects(&self, _: &Resource, _: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

type Table = &'static [&'static dyn Setting];

fn disk(scheduler: u64, requests: u64) -> (&'static Disk, Table) {
    let disk: &'static Disk = Box::leak(Box::new(Mutex::new((scheduler, requests))));
    let (one, other): (&'static Scheduler, &'static Requests) =
        (Box::leak(Box::new(Scheduler(disk))), Box::leak(Box::new(Requests(disk))));
    let table: Table = Box::leak(Box::new([one as &dyn Setting, other as &dyn Setting]));
    (disk, table)
}

fn guard(table: Table, folder: &Path) -> SettingGuard {
    SettingGuard::with(table, Journal::at(folder), Process::parent())
}

fn of(setting: &str, value: u64) -> Wanted {
    Wanted { setting: setting.to_owned(), resource: "sda".into(), value: Value::Integer(value) }
}

#[test]
fn both_are_set_in_whatever_order_they_are_asked_for_and_each_level_begins_at_what_was_before() {
    let ((disk, table), folder) = (disk(1, 7), tempfile::tempdir().unwrap());
    let mut guard = guard(table, folder.path());
    let both = |scheduler, requests| vec![of("requests", requests), of("scheduler", scheduler)];
    for (asked, is) in [
        (both(2, 15), (2, 15)),
        (both(2, 30), (2, 30)),
        (both(1, 15), (1, 15)),
        (vec![of("scheduler", 2)], (2, 20)),
        (vec![of("requests", 12)], (1, 12)),
        (both(3, 12), (3, 12)),
        (vec![of("scheduler", 3)], (3, 30)),
        (both(3, 50), (3, 50)),
        (both(2, 7), (2, 7)),
    ] {
        let now = guard.set(&asked).unwrap();
        assert_eq!(*disk.lock().unwrap(), is, "{asked:?}");
        for (state, wanted) in now.iter().zip(&asked) {
            let before = if wanted.setting == "requests" { 7 } else { 1 };
            assert_eq!((&state.before, &state.read_back), (&Value::Integer(before), &wanted.value));
        }
        assert_eq!(guard.check(), Ok(()));
        assert_eq!(Journal::at(folder.path()).entries().unwrap().len(), asked.len());
    }
    let error = guard.set(&both(1, 21)).unwrap_err().to_string();
    assert!(error.contains("too many"), "{error}");
    assert_eq!(*disk.lock().unwrap(), (1, 7), "all is put back after a refusal");
    guard.set(&both(3, 50)).unwrap();
    drop(guard);
    assert_eq!(*disk.lock().unwrap(), (1, 7));
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn what_the_other_level_would_not_allow_is_put_back_after_that() {
    let ((disk, table), folder) = (disk(3, 55), tempfile::tempdir().unwrap());
    let mut guard = guard(table, folder.path());
    guard.set(&[of("scheduler", 1), of("requests", 5)]).unwrap();
    assert_eq!(*disk.lock().unwrap(), (1, 5));
    guard.set(&[of("scheduler", 2), of("requests", 5)]).unwrap();
    assert_eq!(*disk.lock().unwrap(), (2, 5));
    guard.restore().unwrap();
    assert_eq!(*disk.lock().unwrap(), (3, 55));
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn regression_what_happened_to_stay_was_set_anew_on_the_way_back() {
    let ((disk, table), folder) = (disk(2, 10), tempfile::tempdir().unwrap());
    let mut guard = guard(table, folder.path());
    guard.set(&[of("scheduler", 1)]).unwrap();
    assert_eq!(*disk.lock().unwrap(), (1, 10), "as many as before");
    guard.restore().unwrap();
    assert_eq!(*disk.lock().unwrap(), (2, 10));
}

/// The rule is that what others changed meanwhile is not ours to put back. What the kernel sets anew on the way back
/// was an exception without a reason.
#[test]
fn regression_what_somebody_else_made_of_what_is_set_anew_was_overwritten() {
    for (by_others, is_left, at_the_end) in [
        // The requests alone, as many as the scheduler of before allows; more than it does; and as before.
        ((2, 15), true, (1, 15)),
        ((2, 35), false, (1, 7)),
        ((2, 7), false, (1, 7)),
        // The scheduler was changed, and set the requests anew itself.
        ((1, 10), false, (1, 7)),
        ((3, 30), false, (1, 7)),
    ] {
        let ((disk, table), folder) = (disk(1, 7), tempfile::tempdir().unwrap());
        let journal = Journal::at(folder.path());
        let mut guard = guard(table, folder.path());
        guard.set(&[of("scheduler", 2)]).unwrap();
        let left = journal.entries().unwrap();
        assert_eq!(left[0].made["requests"], Value::Integer(20));
        *disk.lock().unwrap() = by_others;
        guard.restore().unwrap();
        assert_eq!(*disk.lock().unwrap(), at_the_end, "{by_others:?}");
        // The same after a kill, and it is said.
        *disk.lock().unwrap() = by_others;
        journal.add(&JournalEntry { owner: DEAD, controller: None, ..left[0].clone() }).unwrap();
        let done =
            restore_from(table, std::slice::from_ref(&journal), &NamespaceScope::here(), Unrestorable::Keep);
        assert_eq!(*disk.lock().unwrap(), at_the_end, "{by_others:?}");
        let told = done.unwrap()[0].to_string();
        let says = "left as somebody else made it: requests of sda at 15, which was 7 before the run";
        assert_eq!(told.contains(says), is_left, "{by_others:?}: {told}");
        assert!(!journal.path().exists());
    }
}

#[test]
fn what_the_run_asked_for_itself_is_not_taken_for_somebody_elses() {
    let ((disk, table), folder) = (disk(1, 7), tempfile::tempdir().unwrap());
    let mut guard = guard(table, folder.path());
    guard.set(&[of("scheduler", 2), of("requests", 15)]).unwrap();
    guard.restore().unwrap();
    assert_eq!(*disk.lock().unwrap(), (1, 7));
    // The next level begins at what somebody else made of it meanwhile.
    guard.set(&[of("scheduler", 2)]).unwrap();
    disk.lock().unwrap().1 = 15;
    guard.set(&[of("scheduler", 3)]).unwrap();
    assert_eq!(*disk.lock().unwrap(), (3, 30));
    guard.restore().unwrap();
    assert_eq!(*disk.lock().unwrap(), (1, 15));
}

/// What it changes along would else be written down as it is now, and not as it was before anything was changed.
#[test]
fn regression_what_is_so_already_and_new_was_no_reason_to_begin_at_what_was_before() {
    let (_, table) = disk(1, 15);
    let entry = |setting: &str, before: u64| JournalEntry {
        setting: setting.to_owned(),
        before: Value::Integer(before),
        ..left("sda")
    };
    let asked = |requests| [of("scheduler", 1), of("requests", requests)];
    let of_one = [entry("requests", 7)];
    assert_eq!(order::to_put_back(table, &of_one, &asked(12)), Ok(vec![0]));
    let of_both = [entry("requests", 7), entry("scheduler", 1)];
    assert_eq!(order::to_put_back(table, &of_both, &asked(15)), Ok(vec![]), "all is as asked");
    assert_eq!(order::to_put_back(table, &of_both, &asked(12)), Ok(vec![0, 1]));
}

#[test]
fn a_kill_at_any_step_leaves_what_restore_puts_back_in_order_and_a_second_one_finds_nothing() {
    let number = |setting: &str, before: u64| JournalEntry {
        setting: setting.to_owned(),
        before: Value::Integer(before),
        owner: DEAD,
        ..left("sda")
    };
    let effect =
        SideEffect { setting: "requests".to_owned(), resource: "sda".into(), before: Value::Integer(55) };
    let scheduler = JournalEntry { side_effects: vec![effect], ..number("scheduler", 3) };
    let both = [scheduler, number("requests", 55)];
    for (entries, killed_at) in [(1, (3, 55)), (1, (1, 10)), (2, (1, 10)), (2, (1, 5)), (2, (3, 30))] {
        let ((disk, table), folder) = (disk(killed_at.0, killed_at.1), tempfile::tempdir().unwrap());
        let journal = Journal::at(folder.path());
        both[..entries].iter().for_each(|entry| journal.add(entry).unwrap());
        let restore = || {
            let journals = std::slice::from_ref(&journal);
            restore_from(table, journals, &NamespaceScope::here(), Unrestorable::Keep).unwrap()
        };
        let done = restore();
        assert!(done.len() == entries && done.iter().all(|one| one.is_settled()), "{killed_at:?}: {done:?}");
        assert_eq!(*disk.lock().unwrap(), (3, 55), "{killed_at:?}");
        assert!(!journal.path().exists() && restore().is_empty());
    }
}
