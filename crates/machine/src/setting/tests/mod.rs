//! Changing, putting back, and what is left after a crash, with settings that
//! are only numbers here.

pub(super) mod binding;
mod dependent;
mod fake;
mod link_down;
mod whole_machine;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;

use fake::Fake;
use model::{Resource, Value};

use super::guard::{SettingGuard, Wanted};
use super::journal::{Journal, JournalEntry, SideEffect};
use super::namespace::NamespaceScope;
use super::process::Process;
use super::restore::{EntryOutcome, Restored, Unrestorable, refusal_of, restore_from};
use super::{Setting, SettingError, block};

fn wanted(resource: &str, value: u64) -> Wanted {
    Wanted { setting: "level".into(), resource: resource.into(), value: Value::Integer(value) }
}

/// A process that was, and is no more.
const DEAD: Process = Process { pid: 1, start_ticks: u64::MAX };

/// An entry that a killed process left, for a run that was killed too.
fn left(resource: &str) -> JournalEntry {
    JournalEntry {
        place: NamespaceScope::here(),
        owner: DEAD,
        controller: Some(DEAD),
        setting: "level".into(),
        resource: resource.into(),
        before: Value::Integer(1),
        asked: Value::Integer(50),
        side_effects: Vec::new(),
        made: BTreeMap::new(),
        device: None,
    }
}

fn restored(fake: &'static Fake, journal: &Journal) -> Vec<Restored> {
    restore_from(fake.table(), std::slice::from_ref(journal), &NamespaceScope::here(), Unrestorable::Keep)
        .unwrap()
}

fn outcomes(all: Vec<Restored>) -> Vec<EntryOutcome> {
    all.into_iter().map(|r| r.outcome).collect()
}

fn guard(fake: &'static Fake, folder: &Path) -> SettingGuard {
    SettingGuard::with(fake.table(), Journal::at(folder), Process::parent())
}

/// This namespace, of a machine that this one is not.
fn on_another_machine() -> NamespaceScope {
    let another = "another".to_owned();
    NamespaceScope { machine: another.clone(), boot: another, ..NamespaceScope::here() }
}

#[test]
fn what_was_changed_is_put_back_last_first_and_the_journal_is_empty() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let mut guard = guard(fake, folder.path());
    let now = guard.set(&[wanted("a", 10), wanted("b", 20)]).unwrap();
    assert_eq!((&now[0].before, &now[0].read_back), (&Value::Integer(1), &Value::Integer(10)));
    assert_eq!(journal.entries().unwrap().len(), 2);
    // The value before is the first one, however often it is changed.
    let again = guard.set(&[wanted("a", 11), wanted("b", 20)]).unwrap();
    assert_eq!((&again[0].before, &again[0].read_back), (&Value::Integer(1), &Value::Integer(11)));
    let asked: Vec<Value> = journal.entries().unwrap().into_iter().map(|entry| entry.asked).collect();
    assert_eq!(asked, [Value::Integer(11), Value::Integer(20)], "the level that it has now");
    fake.written.lock().unwrap().clear();
    guard.set(&[wanted("a", 11), wanted("b", 20)]).unwrap();
    assert!(fake.written.lock().unwrap().is_empty(), "what is so already is only read");
    drop(guard);
    assert_eq!(*fake.written.lock().unwrap(), [("b".to_owned(), 2), ("a".to_owned(), 1)]);
    assert!(!journal.path().exists());
}

#[test]
fn what_is_no_longer_asked_for_is_put_back_at_once() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let mut guard = guard(fake, folder.path());
    guard.set(&[wanted("a", 10), wanted("b", 20)]).unwrap();
    guard.set(&[wanted("b", 20)]).unwrap();
    assert_eq!((fake.is("a"), fake.is("b")), (1, 20));
    guard.set(&[]).unwrap();
    assert_eq!(fake.is("b"), 2);
    guard.close().unwrap();
    assert!(guard.set(&[wanted("a", 10)]).is_err(), "after its end nothing is changed");
    assert_eq!(fake.is("a"), 1);
}

#[test]
fn a_refusal_or_a_value_of_its_own_puts_everything_back() {
    for (asked, says) in [(666, "too much"), (500, "took 100 instead")] {
        let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
        let mut guard = guard(fake, folder.path());
        let error = guard.set(&[wanted("a", 10), wanted("b", asked)]).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!((fake.is("a"), fake.is("b")), (1, 2));
        assert!(!Journal::at(folder.path()).path().exists());
    }
}

#[test]
fn without_a_journal_nothing_is_changed() {
    let (fake, file) = (Fake::new(), tempfile::NamedTempFile::new().unwrap());
    let mut guard = guard(fake, &file.path().join("below a file"));
    assert!(matches!(
        guard.set(&[wanted("a", 10)]),
        Err(SettingError::NotPutBack { .. } | SettingError::Journal(_))
    ));
    assert!(fake.written.lock().unwrap().is_empty());
}

#[test]
fn after_a_crash_before_or_after_the_change_it_is_as_before() {
    for now in [1, 50, 7] {
        let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
        let journal = Journal::at(folder.path());
        journal.add(&left("a")).unwrap();
        fake.values.lock().unwrap().insert("a".to_owned(), now);
        let done = restored(fake, &journal);
        let expected = match now {
            1 => EntryOutcome::Already("1".to_owned()),
            other => EntryOutcome::PutBack { from: other.to_string(), to: "1".to_owned() },
        };
        assert_eq!(outcomes(done), [expected]);
        assert_eq!(fake.is("a"), 1);
        assert!(!journal.path().exists());
    }
}

#[test]
fn no_run_starts_over_what_a_killed_one_left() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let journals = std::slice::from_ref(&journal);
    assert_eq!(refusal_of(fake.table(), journals, &NamespaceScope::here()), Ok(None));
    journal.add(&left("a")).unwrap();
    let reason = refusal_of(fake.table(), journals, &NamespaceScope::here()).unwrap().unwrap();
    assert!(reason.contains("headroom restore"), "{reason}");
    let mut guard = guard(fake, folder.path());
    let error = guard.set(&[wanted("b", 10)]).unwrap_err().to_string();
    assert!(error.contains("headroom restore"), "{error}");
    assert_eq!(fake.is("b"), 2);
    drop(guard);
    assert_eq!(journal.entries().unwrap().len(), 1, "it is not ours to put back");
}

#[test]
fn another_run_that_lives_is_not_disturbed() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let journals = std::slice::from_ref(&journal);
    // Who made the change is dead, and the run that it was made for goes on.
    journal.add(&JournalEntry { controller: Some(Process::this()), ..left("a") }).unwrap();
    let reason = refusal_of(fake.table(), journals, &NamespaceScope::here()).unwrap().unwrap();
    assert!(reason.contains(&format!("process {}", std::process::id())), "{reason}");
    let done = restored(fake, &journal);
    assert_eq!(outcomes(done), [EntryOutcome::UnderWay(std::process::id())]);
    let elsewhere = NamespaceScope { namespace: 1, ..NamespaceScope::here() };
    assert_eq!(refusal_of(fake.table(), journals, &elsewhere), Ok(None), "another namespace is another host");
    assert_eq!(journal.entries().unwrap().len(), 1);
}

#[test]
fn what_a_dead_process_of_the_same_run_changed_is_taken_over() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    journal.add(&JournalEntry { controller: Process::parent(), ..left("a") }).unwrap();
    fake.values.lock().unwrap().insert("a".to_owned(), 50);
    let mut guard = guard(fake, folder.path());
    let now = guard.set(&[wanted("a", 50)]).unwrap();
    assert_eq!((&now[0].before, &now[0].read_back), (&Value::Integer(1), &Value::Integer(50)));
    assert_eq!(journal.entries().unwrap()[0].owner, Process::this());
    guard.restore().unwrap();
    assert_eq!(fake.is("a"), 1);
}

#[test]
fn another_start_of_the_machine_has_undone_it() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let place = NamespaceScope { boot: "another".to_owned(), ..NamespaceScope::here() };
    // The same process number may live again.
    journal.add(&JournalEntry { place, owner: Process::this(), ..left("a") }).unwrap();
    let journals = std::slice::from_ref(&journal);
    assert!(refusal_of(fake.table(), journals, &NamespaceScope::here()).unwrap().is_some());
    let done = restored(fake, &journal);
    assert!(done[0].to_string().contains("restarted since"), "{}", done[0]);
    assert!(fake.written.lock().unwrap().is_empty() && !journal.path().exists());
}

#[test]
fn another_namespace_is_named_with_the_way_in() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    journal.add(&left("a")).unwrap();
    let journals = std::slice::from_ref(&journal);
    // Seen from elsewhere, the namespace of this process is another one.
    let elsewhere = NamespaceScope { namespace: 1, ..NamespaceScope::here() };
    let done = restore_from(fake.table(), journals, &elsewhere, Unrestorable::Keep).unwrap();
    let text = done[0].to_string();
    assert!(text.contains("headroom restore`") && text.contains("another network namespace"), "{text}");
    assert_eq!(journal.entries().unwrap().len(), 1, "it stays until it is put back there");
    let gone = JournalEntry { place: elsewhere, ..left("b") };
    journal.add(&gone).unwrap();
    let done = restored(fake, &journal);
    assert_eq!(done[0].outcome, EntryOutcome::NamespaceGone);
    assert!(!journal.path().exists());
}

#[test]
fn a_resource_that_is_gone_and_another_machine_are_said() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let place = on_another_machine();
    journal.add(&JournalEntry { place, ..left("a") }).unwrap();
    journal.add(&left("gone")).unwrap();
    journal.add(&JournalEntry { setting: "other".to_owned(), ..left("a") }).unwrap();
    let done = restored(fake, &journal);
    let kinds = outcomes(done);
    assert_eq!(kinds[0], EntryOutcome::Failed(SettingError::Unknown("other".to_owned())));
    assert_eq!(kinds[1..], [EntryOutcome::Gone, EntryOutcome::OtherMachine]);
    assert_eq!(journal.entries().unwrap().len(), 2);
}

#[test]
fn of_two_runs_that_start_together_one_gets_in() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    // Time enough to meet between the look at the journal and the entry in it.
    *fake.slow.lock().unwrap() = Duration::from_millis(20);
    let start = Barrier::new(2);
    let run = |resource: &'static str, value| {
        let mut guard = guard(fake, folder.path());
        start.wait();
        let outcome = guard.set(&[wanted(resource, value)]);
        // Whoever got in is still at it when the other asks.
        start.wait();
        outcome.map_err(|e| e.to_string())
    };
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| run("a", 10));
        (run("b", 20), one.join().unwrap())
    });
    let refused = [&one, &other].into_iter().filter_map(|outcome| outcome.as_ref().err());
    let refused: Vec<&String> = refused.collect();
    assert!(matches!(refused[..], [reason] if reason.contains("another run")), "{one:?} {other:?}");
    assert_eq!(fake.written.lock().unwrap().len(), 2, "one change, put back");
    assert_eq!((fake.is("a"), fake.is("b")), (1, 2));
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn what_is_so_already_is_held_against_another_run() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let mut first = guard(fake, folder.path());
    first.set(&[wanted("a", 1)]).unwrap();
    assert!(fake.written.lock().unwrap().is_empty());
    let mut second = guard(fake, folder.path());
    let error = second.set(&[wanted("a", 10)]).unwrap_err().to_string();
    assert!(error.contains("another run"), "{error}");
    assert_eq!(fake.is("a"), 1);
    drop(first);
    second.set(&[wanted("a", 10)]).unwrap();
    assert_eq!(second.check(), Ok(()));
}

#[test]
fn a_state_that_somebody_else_changed_is_found_at_the_end_of_a_trial() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let mut guard = guard(fake, folder.path());
    assert_eq!(guard.check(), Ok(()));
    guard.set(&[wanted("a", 10)]).unwrap();
    assert_eq!(guard.check(), Ok(()));
    fake.values.lock().unwrap().insert("a".to_owned(), 11);
    let error = guard.check().unwrap_err().to_string();
    assert!(error.contains("level of a from 10 to 11"), "{error}");
    guard.set(&[wanted("a", 10)]).unwrap();
    assert_eq!(guard.check(), Ok(()), "the next trial is measured as asked");
    fake.values.lock().unwrap().remove("a");
    assert!(matches!(guard.check(), Err(SettingError::Gone { .. })));
    guard.set(&[]).unwrap();
    assert_eq!(guard.check(), Ok(()), "nothing is asked any more");
}

#[test]
fn what_changes_with_a_setting_is_put_back_with_it() {
    let (fake, folder) = (Fake::with_above(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let mut guard = guard(fake, folder.path());
    guard.set(&[wanted("b", 40)]).unwrap();
    assert_eq!((fake.is("b"), fake.is("above")), (40, 40));
    assert_eq!(journal.entries().unwrap()[0].side_effects.len(), 1);
    // A level is reached from what was before, in whatever order levels come.
    guard.set(&[wanted("b", 60)]).unwrap();
    assert_eq!((fake.is("b"), fake.is("above")), (60, 60));
    guard.set(&[wanted("b", 90)]).unwrap();
    assert_eq!((fake.is("b"), fake.is("above")), (90, 90));
    guard.set(&[wanted("b", 95)]).unwrap();
    assert_eq!(journal.entries().unwrap()[0].side_effects, [], "it was not changed, and is not ours");
    guard.set(&[wanted("b", 40)]).unwrap();
    drop(guard);
    assert_eq!((fake.is("b"), fake.is("above")), (90, 90));
    assert!(!journal.path().exists());
}

#[test]
fn a_setting_that_undoes_another_is_an_error_and_both_are_put_back() {
    let (fake, folder) = (Fake::with_above(), tempfile::tempdir().unwrap());
    let mut guard = guard(fake, folder.path());
    let error = guard.set(&[wanted("above", 80), wanted("b", 40)]).unwrap_err().to_string();
    assert!(error.contains("took 40 instead"), "{error}");
    assert_eq!((fake.is("b"), fake.is("above")), (90, 90));
    // What lies above is changed first and stands in the way of its own return.
    guard.set(&[wanted("b", 95), wanted("above", 93)]).unwrap();
    fake.write(&Resource::from("b"), &Value::Integer(50)).unwrap();
    guard.restore().unwrap();
    assert_eq!((fake.is("b"), fake.is("above")), (90, 90));
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn restore_says_nothing_is_to_be_done_only_where_nothing_else_was_changed() {
    let (fake, folder) = (Fake::with_above(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let effect = SideEffect { setting: "level".into(), resource: "above".into(), before: Value::Integer(90) };
    let entry = JournalEntry { before: Value::Integer(90), side_effects: vec![effect], ..left("b") };
    journal.add(&entry).unwrap();
    // It was put back, and its process killed before what lies above was.
    fake.values.lock().unwrap().insert("above".to_owned(), 50);
    let done = restored(fake, &journal);
    let text = done[0].to_string();
    assert!(text.contains("as before; put back with it: level of above from 50 to 90"), "{text}");
    assert_eq!(fake.is("above"), 90);
    // The order of the changes is not always one in which they can be put back.
    journal.add(&JournalEntry { before: Value::Integer(90), ..left("b") }).unwrap();
    journal.add(&JournalEntry { before: Value::Integer(90), ..left("above") }).unwrap();
    fake.values.lock().unwrap().extend([("b".to_owned(), 50), ("above".to_owned(), 50)]);
    assert!(restored(fake, &journal).iter().all(Restored::is_settled));
    assert_eq!((fake.is("b"), fake.is("above")), (90, 90));
    assert!(!journal.path().exists());
}

#[test]
fn what_can_never_be_put_back_here_is_dropped_only_when_it_is_said() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let place = on_another_machine();
    journal.add(&JournalEntry { place, ..left("a") }).unwrap();
    journal.add(&JournalEntry { before: Value::Integer(666), ..left("b") }).unwrap();
    journal.add(&JournalEntry { controller: Some(Process::this()), ..left("a") }).unwrap();
    let kept = restored(fake, &journal);
    assert_eq!(kept.iter().filter(|one| one.to_string().contains("headroom restore --drop")).count(), 2);
    assert_eq!(journal.entries().unwrap().len(), 3);
    let drop = |place: &NamespaceScope| {
        restore_from(fake.table(), std::slice::from_ref(&journal), place, Unrestorable::Drop).unwrap()
    };
    let done = drop(&NamespaceScope::here());
    assert_eq!(
        outcomes(done.clone()),
        [EntryOutcome::UnderWay(std::process::id()), EntryOutcome::Dropped, EntryOutcome::Dropped]
    );
    assert!(done[1].to_string().contains("it was 666 before"), "{}", done[1]);
    assert_eq!(journal.entries().unwrap().len(), 1, "a run that is under way puts back its own");
    assert_eq!(fake.is("b"), 2);
}

#[test]
fn a_device_that_has_the_name_of_one_that_is_gone_is_left_alone() {
    let devices = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let Some(name) = devices.map(|device| device.file_name()).min() else {
        println!("skipped: this machine has no block device");
        return;
    };
    let at = format!("block:{}", name.to_string_lossy());
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    fake.values.lock().unwrap().insert(at.clone(), 50);
    let own = block::identity(&Resource::from(at.as_str())).unwrap();
    let entry = |device: u64| JournalEntry { device: Some(device), ..left(&at) };
    journal.add(&entry(own + 1)).unwrap();
    assert_eq!(outcomes(restored(fake, &journal)), [EntryOutcome::Gone]);
    assert_eq!(fake.is(&at), 50);
    // An agent that follows a dead one begins with what is there.
    journal.add(&JournalEntry { controller: Process::parent(), ..entry(own + 1) }).unwrap();
    let mut next = guard(fake, folder.path());
    assert_eq!(next.set(&[wanted(&at, 10)]).unwrap()[0].before, Value::Integer(50));
    assert_eq!(journal.entries().unwrap()[0].device, Some(own));
    next.restore().unwrap();
    assert_eq!(fake.is(&at), 50);
    journal.add(&entry(own)).unwrap();
    assert!(restored(fake, &journal)[0].is_settled());
    assert_eq!(fake.is(&at), 1, "it is the same one");
}

#[test]
fn a_machine_id_made_anew_does_not_make_this_start_another_machine() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let place = NamespaceScope { machine: "before".to_owned(), ..NamespaceScope::here() };
    journal.add(&JournalEntry { place, ..left("a") }).unwrap();
    fake.values.lock().unwrap().insert("a".to_owned(), 50);
    assert!(
        refusal_of(fake.table(), std::slice::from_ref(&journal), &NamespaceScope::here()).unwrap().is_some()
    );
    assert!(restored(fake, &journal)[0].is_settled());
    assert_eq!(fake.is("a"), 1);
    assert!(!journal.path().exists());
}

#[test]
fn every_setting_is_described_and_can_be_found() {
    // What stands for all sysctls is none of them.
    let is_one = |setting: &&&dyn Setting| setting.spec().name() != super::sysctl::ANY_NAME;
    for setting in super::TABLE.iter().filter(is_one) {
        let spec = setting.spec();
        assert!(spec.value.doc.len() > 40 && !spec.summary.is_empty(), "{}", spec.name());
        assert_eq!(super::find(spec.name()).map(|s| s.spec()), Some(spec));
        assert_eq!(super::TABLE.iter().filter(|s| s.spec().name() == spec.name()).count(), 1);
    }
}
