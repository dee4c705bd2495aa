//! Changing, putting back, and what is left after a crash, with settings that
//! are only numbers here.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use model::setting::{Binds, SettingSpec};
use model::{Kind, ParameterSpec, Unit, Value};

use super::journal::{Entry, Journal};
use super::keeper::{Keeper, Wanted};
use super::namespace::Where;
use super::process::Process;
use super::restore::{Outcome, Restored, refusal_of, restore_from};
use super::{Setting, SettingError};

/// A setting of some resources, which takes at most 100 and refuses 666.
struct Fake {
    spec: SettingSpec,
    values: Mutex<BTreeMap<String, u64>>,
    /// Every value that was written, in order.
    written: Mutex<Vec<(String, u64)>>,
}

impl Fake {
    fn new() -> &'static Self {
        let value = ParameterSpec::new("level", Kind::Count, "");
        let spec = SettingSpec { value, unit: Unit::One, binds: Binds::Nic, summary: "" };
        let values = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]);
        Box::leak(Box::new(Self { spec, values: Mutex::new(values), written: Mutex::default() }))
    }

    fn is(&self, resource: &str) -> u64 {
        self.values.lock().unwrap()[resource]
    }

    fn table(&'static self) -> &'static [&'static dyn Setting] {
        Box::leak(Box::new([self as &'static dyn Setting]))
    }
}

impl Setting for Fake {
    fn spec(&self) -> &'static SettingSpec {
        Box::leak(Box::new(self.spec))
    }

    fn read(&self, resource: &str) -> Result<Value, SettingError> {
        match self.values.lock().unwrap().get(resource) {
            Some(value) => Ok(Value::Integer(*value)),
            None => Err(SettingError::Gone { setting: "level".into(), resource: resource.into() }),
        }
    }

    fn write(&self, resource: &str, value: &Value) -> Result<(), SettingError> {
        let Value::Integer(value) = value else { panic!("{value}") };
        if *value == 666 {
            return Err(SettingError::Refused {
                setting: "level".into(),
                resource: resource.into(),
                asked: value.to_string(),
                reason: "it is too much".into(),
            });
        }
        self.values.lock().unwrap().insert(resource.to_owned(), (*value).min(100));
        self.written.lock().unwrap().push((resource.to_owned(), *value));
        Ok(())
    }
}

fn wanted(resource: &str, value: u64) -> Wanted {
    Wanted { setting: "level".into(), resource: resource.into(), value: Value::Integer(value) }
}

/// A process that was, and is no more.
const DEAD: Process = Process { pid: 1, start_ticks: u64::MAX };

/// An entry that a killed process left, for a run that was killed too.
fn left(resource: &str) -> Entry {
    Entry {
        place: Where::here(),
        owner: DEAD,
        controller: Some(DEAD),
        setting: "level".into(),
        resource: resource.into(),
        before: Value::Integer(1),
        asked: Value::Integer(50),
    }
}

fn outcomes(all: Vec<Restored>) -> Vec<Outcome> {
    all.into_iter().map(|r| r.outcome).collect()
}

fn keeper(fake: &'static Fake, folder: &Path) -> Keeper {
    Keeper::with(fake.table(), Journal::at(folder), Process::parent())
}

#[test]
fn what_was_changed_is_put_back_last_first_and_the_journal_is_empty() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let mut keeper = keeper(fake, folder.path());
    let now = keeper.set(&[wanted("a", 10), wanted("b", 20)]).unwrap();
    assert_eq!((&now[0].before, &now[0].read_back), (&Value::Integer(1), &Value::Integer(10)));
    assert_eq!(journal.entries().unwrap().len(), 2);
    // The value before is the first one, however often it is changed.
    let again = keeper.set(&[wanted("a", 11), wanted("b", 20)]).unwrap();
    assert_eq!((&again[0].before, &again[0].read_back), (&Value::Integer(1), &Value::Integer(11)));
    assert_eq!(journal.entries().unwrap().len(), 2);
    fake.written.lock().unwrap().clear();
    keeper.set(&[wanted("a", 11), wanted("b", 20)]).unwrap();
    assert!(fake.written.lock().unwrap().is_empty(), "what is so already is only read");
    drop(keeper);
    assert_eq!(*fake.written.lock().unwrap(), [("b".to_owned(), 2), ("a".to_owned(), 1)]);
    assert!(!journal.path().exists());
}

#[test]
fn what_is_no_longer_asked_for_is_put_back_at_once() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let mut keeper = keeper(fake, folder.path());
    keeper.set(&[wanted("a", 10), wanted("b", 20)]).unwrap();
    keeper.set(&[wanted("b", 20)]).unwrap();
    assert_eq!((fake.is("a"), fake.is("b")), (1, 20));
    keeper.set(&[]).unwrap();
    assert_eq!(fake.is("b"), 2);
    keeper.close().unwrap();
    assert!(keeper.set(&[wanted("a", 10)]).is_err(), "after its end nothing is changed");
    assert_eq!(fake.is("a"), 1);
}

#[test]
fn a_refusal_or_a_value_of_its_own_puts_everything_back() {
    for (asked, says) in [(666, "too much"), (500, "took 100 instead")] {
        let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
        let mut keeper = keeper(fake, folder.path());
        let error = keeper.set(&[wanted("a", 10), wanted("b", asked)]).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!((fake.is("a"), fake.is("b")), (1, 2));
        assert!(!Journal::at(folder.path()).path().exists());
    }
}

#[test]
fn without_a_journal_nothing_is_changed() {
    let (fake, file) = (Fake::new(), tempfile::NamedTempFile::new().unwrap());
    let mut keeper = keeper(fake, &file.path().join("below a file"));
    assert!(matches!(
        keeper.set(&[wanted("a", 10)]),
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
        let done = restore_from(fake.table(), std::slice::from_ref(&journal), &Where::here()).unwrap();
        let expected = match now {
            1 => Outcome::Already("1".to_owned()),
            other => Outcome::PutBack { from: other.to_string(), to: "1".to_owned() },
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
    assert_eq!(refusal_of(journals, &Where::here()), Ok(None));
    journal.add(&left("a")).unwrap();
    let reason = refusal_of(journals, &Where::here()).unwrap().unwrap();
    assert!(reason.contains("headroom restore"), "{reason}");
    let mut keeper = keeper(fake, folder.path());
    let error = keeper.set(&[wanted("b", 10)]).unwrap_err().to_string();
    assert!(error.contains("headroom restore"), "{error}");
    assert_eq!(fake.is("b"), 2);
    drop(keeper);
    assert_eq!(journal.entries().unwrap().len(), 1, "it is not ours to put back");
}

#[test]
fn another_run_that_lives_is_not_disturbed() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let journals = std::slice::from_ref(&journal);
    // Who made the change is dead, and the run that it was made for goes on.
    journal.add(&Entry { controller: Some(Process::this()), ..left("a") }).unwrap();
    let reason = refusal_of(journals, &Where::here()).unwrap().unwrap();
    assert!(reason.contains(&format!("process {}", std::process::id())), "{reason}");
    let done = restore_from(fake.table(), journals, &Where::here()).unwrap();
    assert_eq!(outcomes(done), [Outcome::UnderWay(std::process::id())]);
    let elsewhere = Where { namespace: 1, ..Where::here() };
    assert_eq!(refusal_of(journals, &elsewhere), Ok(None), "another namespace is another host");
    assert_eq!(journal.entries().unwrap().len(), 1);
}

#[test]
fn what_a_dead_process_of_the_same_run_changed_is_taken_over() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    journal.add(&Entry { controller: Process::parent(), ..left("a") }).unwrap();
    fake.values.lock().unwrap().insert("a".to_owned(), 50);
    let mut keeper = keeper(fake, folder.path());
    let now = keeper.set(&[wanted("a", 50)]).unwrap();
    assert_eq!((&now[0].before, &now[0].read_back), (&Value::Integer(1), &Value::Integer(50)));
    assert_eq!(journal.entries().unwrap()[0].owner, Process::this());
    keeper.restore().unwrap();
    assert_eq!(fake.is("a"), 1);
}

#[test]
fn another_start_of_the_machine_has_undone_it() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let place = Where { boot: "another".to_owned(), ..Where::here() };
    // The same process number may live again.
    journal.add(&Entry { place, owner: Process::this(), ..left("a") }).unwrap();
    let journals = std::slice::from_ref(&journal);
    assert!(refusal_of(journals, &Where::here()).unwrap().is_some());
    let done = restore_from(fake.table(), journals, &Where::here()).unwrap();
    assert!(done[0].to_string().contains("started anew"), "{}", done[0]);
    assert!(fake.written.lock().unwrap().is_empty() && !journal.path().exists());
}

#[test]
fn another_namespace_is_named_with_the_way_in() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    journal.add(&left("a")).unwrap();
    let journals = std::slice::from_ref(&journal);
    // Seen from elsewhere, the namespace of this process is another one.
    let elsewhere = Where { namespace: 1, ..Where::here() };
    let done = restore_from(fake.table(), journals, &elsewhere).unwrap();
    let text = done[0].to_string();
    assert!(text.contains("headroom restore`") && text.contains("another network namespace"), "{text}");
    assert_eq!(journal.entries().unwrap().len(), 1, "it stays until it is put back there");
    let gone = Entry { place: elsewhere, ..left("b") };
    journal.add(&gone).unwrap();
    let done = restore_from(fake.table(), journals, &Where::here()).unwrap();
    assert_eq!(done[0].outcome, Outcome::NamespaceGone);
    assert!(!journal.path().exists());
}

#[test]
fn a_resource_that_is_gone_and_another_machine_are_said() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let place = Where { machine: "another".to_owned(), ..Where::here() };
    journal.add(&Entry { place, ..left("a") }).unwrap();
    journal.add(&left("gone")).unwrap();
    journal.add(&Entry { setting: "other".to_owned(), ..left("a") }).unwrap();
    let journals = std::slice::from_ref(&journal);
    let done = restore_from(fake.table(), journals, &Where::here()).unwrap();
    let kinds = outcomes(done);
    assert_eq!(kinds[0], Outcome::Failed(SettingError::Unknown("other".to_owned())));
    assert_eq!(kinds[1..], [Outcome::Gone, Outcome::OtherMachine]);
    assert_eq!(journal.entries().unwrap().len(), 2);
}

#[test]
fn every_setting_is_described_and_can_be_found() {
    for setting in super::TABLE {
        let spec = setting.spec();
        assert!(spec.value.doc.len() > 40 && !spec.summary.is_empty(), "{}", spec.name());
        assert_eq!(super::find(spec.name()).map(|s| s.spec()), Some(spec));
        assert_eq!(super::TABLE.iter().filter(|s| s.spec().name() == spec.name()).count(), 1);
    }
    assert_eq!(super::resource("mtu", Some("eth0"), None), Ok("nic:eth0".to_owned()));
    assert_eq!(super::resource("mtu", None, Some("127.0.0.1".parse().unwrap())), Ok("nic:lo".to_owned()));
    assert_eq!(super::resource("socket-buffer-max", None, None), Ok("machine".to_owned()));
    assert!(matches!(super::resource("mtu", None, None), Err(SettingError::Unbound(_))));
    assert!(matches!(super::resource("swap", None, None), Err(SettingError::Unknown(_))));
}
