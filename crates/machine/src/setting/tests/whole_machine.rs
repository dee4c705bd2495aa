//! Settings of the whole machine, which are the same in every network namespace; those of
//! several parts; and those that cannot be changed together.

use std::sync::Mutex;

use model::{Resource, Value};

use super::{DEAD, Fake, guard, left, outcomes, restored, wanted};
use crate::setting::guard::{SettingGuard, Wanted};
use crate::setting::journal::{Journal, JournalEntry, SideEffect};
use crate::setting::namespace::NamespaceScope;
use crate::setting::parts::{self, Parts};
use crate::setting::process::Process;
use crate::setting::restore::{EntryOutcome, Unrestorable, refusal_of, restore_from};
use crate::setting::{Setting, SettingError, TABLE};

fn elsewhere() -> NamespaceScope {
    NamespaceScope { namespace: 1, ..NamespaceScope::here() }
}

fn of_the_machine() -> &'static Fake {
    Box::leak(Box::new(Fake { of_namespace: false, ..Fake::fresh() }))
}

/// A change of a setting of the table.
fn asked(setting: &str, resource: impl Into<Resource>, value: Value) -> Wanted {
    Wanted { setting: setting.to_owned(), resource: resource.into(), value }
}

/// Why the settings of the table are not changed so, of which nothing is written down.
fn refusal(all: &[Wanted]) -> SettingError {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut guard = SettingGuard::with_journal(journal.clone(), Process::parent());
    let error = guard.set(all).unwrap_err();
    assert!(!journal.path().exists());
    error
}

/// An interface that no machine has.
const NO_INTERFACE: &str = "nic:hr-none";

#[test]
fn regression_a_state_of_the_machine_was_another_hosts_in_another_namespace() {
    let (fake, folder) = (of_the_machine(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let journals = std::slice::from_ref(&journal);
    // Another run is under way in another namespace.
    let under_way = JournalEntry { place: elsewhere(), owner: Process::this(), ..left("a") };
    journal.add(&under_way).unwrap();
    let reason = refusal_of(fake.table(), journals, &NamespaceScope::here()).unwrap().unwrap();
    assert!(reason.contains("another run"), "{reason}");
    let error = guard(fake, folder.path()).set(&[wanted("a", 10)]).unwrap_err().to_string();
    assert!(error.contains("another run"), "{error}");
    // Of a setting that each namespace has, it is another's.
    let own = Fake::new();
    assert_eq!(refusal_of(own.table(), journals, &NamespaceScope::here()), Ok(None));
    assert_eq!(journal.entries().unwrap().len(), 1);
}

#[test]
fn regression_a_state_of_the_machine_was_given_up_with_its_namespace() {
    let (fake, folder) = (of_the_machine(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    journal.add(&JournalEntry { place: elsewhere(), ..left("a") }).unwrap();
    fake.values.lock().unwrap().insert("a".to_owned(), 50);
    let journals = std::slice::from_ref(&journal);
    let done = restore_from(fake.table(), journals, &NamespaceScope::here(), Unrestorable::Keep).unwrap();
    let put_back = EntryOutcome::PutBack { from: "50".to_owned(), to: "1".to_owned() };
    assert_eq!(outcomes(done), [put_back]);
    assert_eq!(fake.is("a"), 1);
    assert!(!journal.path().exists());
}

#[test]
fn what_a_dead_process_of_the_same_run_changed_elsewhere_is_taken_over() {
    let (fake, folder) = (of_the_machine(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let (place, controller) = (elsewhere(), Process::parent());
    journal.add(&JournalEntry { place, controller, owner: DEAD, ..left("a") }).unwrap();
    fake.values.lock().unwrap().insert("a".to_owned(), 50);
    guard(fake, folder.path()).restore().unwrap();
    assert_eq!(fake.is("a"), 1);
    assert!(!journal.path().exists());
}

#[test]
fn an_entry_that_this_version_does_not_know_is_neither_passed_over_nor_dropped() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let journal = Journal::at(folder.path());
    let unknown = JournalEntry { place: elsewhere(), setting: "other".to_owned(), ..left("a") };
    journal.add(&unknown).unwrap();
    let journals = std::slice::from_ref(&journal);
    assert!(refusal_of(fake.table(), journals, &NamespaceScope::here()).unwrap().is_some());
    let done = restore_from(fake.table(), journals, &NamespaceScope::here(), Unrestorable::Keep).unwrap();
    assert_eq!(outcomes(done), [EntryOutcome::Failed(SettingError::Unknown("other".to_owned()))]);
    assert_eq!(journal.entries().unwrap().len(), 1);
}

#[test]
fn a_file_that_was_made_for_a_setting_is_removed_after_another_start_too() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let (journal, file) = (Journal::at(folder.path()), folder.path().join("swap-file"));
    std::fs::write(&file, vec![0; 4096]).unwrap();
    let resource = Resource::from(format!("file:{}", file.display()));
    let made = SideEffect { setting: "swap-file".into(), resource, before: "none".into() };
    // What the kernel forgets by itself is not written again.
    let forgotten = SideEffect { setting: "level".into(), resource: "b".into(), before: Value::Integer(7) };
    let place = NamespaceScope { boot: "another".to_owned(), ..NamespaceScope::here() };
    journal.add(&JournalEntry { place, side_effects: vec![forgotten, made], ..left("a") }).unwrap();
    let done = restored(fake, &journal);
    let text = done[0].to_string();
    assert!(text.contains("restarted since") && text.contains("from 4KiB to none"), "{text}");
    assert!(!text.contains("nothing had to be done") && done[0].is_settled(), "{text}");
    assert!(!file.exists() && !journal.path().exists());
    assert!(fake.written.lock().unwrap().is_empty());
}

#[test]
fn regression_a_file_that_was_made_stayed_where_the_setting_could_not_be_put_back() {
    let (fake, folder) = (Fake::new(), tempfile::tempdir().unwrap());
    let (journal, file) = (Journal::at(folder.path()), folder.path().join("swap-file"));
    std::fs::write(&file, vec![0; 4096]).unwrap();
    let resource = Resource::from(format!("file:{}", file.display()));
    let made = SideEffect { setting: "swap-file".into(), resource, before: "none".into() };
    // What the kernel changed with it waits until the setting itself is put back.
    let changed = SideEffect { setting: "level".into(), resource: "b".into(), before: Value::Integer(7) };
    let refused =
        JournalEntry { before: Value::Integer(666), side_effects: vec![changed, made], ..left("a") };
    journal.add(&refused).unwrap();
    let done = restored(fake, &journal);
    let text = done[0].to_string();
    assert!(!done[0].is_settled() && text.contains("too much"), "{text}");
    assert!(!file.exists() && fake.written.lock().unwrap().is_empty());
    assert_eq!(journal.entries(), Ok(vec![refused]));
}

#[test]
fn settings_say_whose_they_are() {
    let of_namespace = TABLE.iter().filter(|s| s.is_of_namespace()).map(|s| s.spec().name());
    assert_eq!(
        of_namespace.collect::<Vec<_>>(),
        [
            "mtu",
            "tx-queue-length",
            "interface-rate",
            "queueing-discipline",
            "offloads",
            "offload-tso",
            "offload-gso",
            "offload-gro",
            "offload-lro",
            "offload-tx-checksum",
            "offload-rx-checksum",
            "offload-scatter-gather",
            "coalescing",
            "rings",
            "ring-rx",
            "ring-tx",
            "socket-buffer-max",
            "congestion-control"
        ]
    );
}

/// A setting of parts, `level` of whatever resource.
struct InParts {
    fake: Fake,
    parts: Mutex<Parts>,
}

impl Setting for InParts {
    fn spec(&self) -> &'static model::setting::SettingSpec {
        self.fake.spec()
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, _: &Resource) -> Result<Value, SettingError> {
        let parts = self.parts.lock().unwrap();
        let number = |text: &String| Value::Integer(text.parse().unwrap());
        Ok(parts::common(&parts).map_or_else(|| parts::value(&parts), number))
    }

    fn read_each(&self, _: &Resource) -> Result<Value, SettingError> {
        Ok(parts::value(&self.parts.lock().unwrap()))
    }

    fn write(&self, _: &Resource, value: &Value) -> Result<(), SettingError> {
        let mut parts = self.parts.lock().unwrap();
        match parts::parse(value) {
            Some(each) => parts.extend(each),
            None => parts.values_mut().for_each(|text| *text = value.to_string()),
        }
        Ok(())
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        let (now, before) = (parts::parse(now).unwrap(), parts::parse(before).unwrap());
        before.iter().all(|(number, text)| now.get(number) == Some(text))
    }

    fn side_effects(&self, _: &Resource, _: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

#[test]
fn each_part_gets_its_own_back_and_one_that_came_is_left_alone() {
    let parts = Mutex::new(Parts::from([(0, "7".to_owned()), (1, "7".to_owned())]));
    let setting: &'static InParts = Box::leak(Box::new(InParts { fake: Fake::fresh(), parts }));
    let table: &'static [&'static dyn Setting] = Box::leak(Box::new([setting as &'static dyn Setting]));
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut guard = SettingGuard::with(table, journal.clone(), Process::parent());
    let now = guard.set(&[wanted("a", 3)]).unwrap();
    assert_eq!((now[0].before.to_string().as_str(), &now[0].read_back), ("0-1:7", &Value::Integer(3)));
    assert_eq!(journal.entries().unwrap()[0].before.to_string(), "0-1:7");
    setting.parts.lock().unwrap().insert(2, "9".to_owned());
    assert!(matches!(guard.check(), Err(SettingError::Changed { .. })));
    guard.restore().unwrap();
    assert_eq!(parts::value(&setting.parts.lock().unwrap()).to_string(), "0-1:7+2:9");
    assert!(!journal.path().exists());
}

#[test]
fn what_depends_on_another_setting_of_the_same_interface_is_not_set_beside_it() {
    let of = |setting: &str, value: Value| asked(setting, NO_INTERFACE, value);
    let both = [of("mtu", Value::Integer(1400)), of("interface-rate", Value::Number(1e9))];
    let error = refusal(&both).to_string();
    assert!(error.contains("interface-rate=1000M/s") && error.contains("depends on `mtu`"), "{error}");
    assert!(matches!(refusal(&both[1..]), SettingError::Gone { .. }));
    let kind = of("queueing-discipline", "fq".into());
    for other in [both[0].clone(), both[1].clone(), of("tx-queue-length", Value::Integer(10))] {
        let error = refusal(&[kind.clone(), other.clone()]).to_string();
        assert!(error.contains(&format!("depends on `{}`", other.setting)), "{error}");
    }
}

#[test]
fn regression_what_the_kernel_makes_by_default_was_set_beside_what_it_makes_anew() {
    let default = asked("sysctl.net.core.default_qdisc", Resource::MACHINE, "fq".into());
    for (name, value) in [("interface-rate", Value::Number(1e9)), ("queueing-discipline", "sfq".into())] {
        let error = refusal(&[asked(name, NO_INTERFACE, value), default.clone()]).to_string();
        assert!(
            error.contains("default_qdisc=fq") && error.contains(&format!("depends on `{name}`")),
            "{error}"
        );
    }
}

#[test]
fn settings_of_the_same_features_or_rings_are_not_changed_together() {
    let of = |setting: &str, value: Value| asked(setting, NO_INTERFACE, value);
    for both in [
        [of("offload-gro", Value::Bool(true)), of("offloads", Value::Bool(false))],
        [of("rings", Value::Integer(256)), of("ring-tx", Value::Integer(512))],
    ] {
        let error = refusal(&both).to_string();
        assert!(error.contains("it depends on `"), "{error}");
    }
    let apart = [of("ring-rx", Value::Integer(256)), of("ring-tx", Value::Integer(512))];
    assert!(matches!(refusal(&apart), SettingError::Gone { .. }), "each is one direction");
}

#[test]
fn what_lies_with_the_cpus_that_go_is_not_set_beside_smt_at_any_resource() {
    let smt = asked("smt", "machine", Value::Bool(false));
    for (name, resource, value) in
        [("irq-affinity", "irq:hr-none", "0".into()), ("governor", "machine", Value::from("performance"))]
    {
        let error = refusal(&[asked(name, resource, value), smt.clone()]).to_string();
        assert!(error.contains("smt=no") && error.contains(&format!("depends on `{name}`")), "{error}");
    }
}

/// A setting of which a value says a part of the state only: two words, of which one is asked for.
struct InWords {
    fake: Fake,
    words: Mutex<[String; 2]>,
}

impl Setting for InWords {
    fn spec(&self) -> &'static model::setting::SettingSpec {
        self.fake.spec()
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, _: &Resource) -> Result<Value, SettingError> {
        Ok(Value::Text(self.words.lock().unwrap().join("+")))
    }

    fn read_as(&self, resource: &Resource, asked: &Value) -> Result<Value, SettingError> {
        let at = usize::from(asked.to_string().starts_with('b'));
        Ok(if asked.to_string().contains('+') {
            self.read(resource)?
        } else {
            Value::from(self.words.lock().unwrap()[at].as_str())
        })
    }

    fn write(&self, _: &Resource, value: &Value) -> Result<(), SettingError> {
        for word in value.to_string().split('+') {
            self.words.lock().unwrap()[usize::from(word.starts_with('b'))] = word.to_owned();
        }
        Ok(())
    }

    fn side_effects(&self, _: &Resource, _: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

#[test]
fn of_a_value_that_says_a_part_that_part_is_read_back_and_all_is_put_back() {
    let words = Mutex::new(["a1".to_owned(), "b1".to_owned()]);
    let setting: &'static InWords = Box::leak(Box::new(InWords { fake: Fake::fresh(), words }));
    let table: &'static [&'static dyn Setting] = Box::leak(Box::new([setting as &'static dyn Setting]));
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut guard = SettingGuard::with(table, journal.clone(), Process::parent());
    let of = |word: &str| Wanted { setting: "level".into(), resource: "a".into(), value: word.into() };
    let now = guard.set(&[of("a2")]).unwrap();
    assert_eq!((now[0].before.to_string().as_str(), now[0].read_back.to_string().as_str()), ("a1+b1", "a2"));
    // Another part is reached from what was before.
    guard.set(&[of("b2")]).unwrap();
    assert_eq!(setting.words.lock().unwrap().join("+"), "a1+b2");
    guard.check().unwrap();
    setting.words.lock().unwrap()[0] = "a9".to_owned();
    guard.check().unwrap();
    setting.words.lock().unwrap()[1] = "b9".to_owned();
    assert!(matches!(guard.check(), Err(SettingError::Changed { .. })));
    guard.restore().unwrap();
    assert_eq!(setting.words.lock().unwrap().join("+"), "a1+b1");
    assert!(!journal.path().exists());
}
