//! Runs that are gone on with.

use model::Run;
use model::machine::ClockInfo;
use model::run::{Outcome, Resumption};

use super::example;
use crate::{SqliteStore, State, Store, StoreError};

#[test]
fn a_run_that_ended_is_resumed_with_its_trials_and_one_that_is_measured_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    let run = example::run("a1", "2026-03-01T10:00:00Z");
    store.begin(&run).unwrap();
    store.add_trial("a1", 0, &example::trial(0)).unwrap();
    let error = store.resume(&run).unwrap_err();
    assert!(error.to_string().ends_with("cannot be resumed: it is still being measured"), "{error}");

    store.finish(&run).unwrap();
    assert_eq!(store.list().unwrap()[0].state, State::Complete);
    let gap = Resumption {
        stopped: "2026-03-01T10:09:00Z".to_owned(),
        outcome: Some(Outcome::Interrupted),
        resumed: "2026-03-01T11:00:00Z".to_owned(),
        order: 1,
        clock: ClockInfo::default(),
    };
    let mut resumed = store.load("a1").unwrap();
    resumed.resumptions.push(gap.clone());
    store.resume(&resumed).unwrap();
    let entry = &store.list().unwrap()[0];
    assert_eq!((entry.state, entry.trials), (State::Running, 1));
    store.add_trial("a1", 1, &example::trial(1)).unwrap();
    let seen = store.load("a1").unwrap();
    assert_eq!((seen.finished, seen.outcome, seen.resumptions), (None, None, vec![gap]));
    assert_eq!(seen.cases[0].trials, [example::trial(0)]);
    assert_eq!(seen.cases[1].trials, [example::trial(1)]);

    assert!(matches!(store.resume(&resumed), Err(StoreError::NotResumed { .. })), "it is measured again");
    let other = Run { id: "b2".to_owned(), ..run };
    assert!(matches!(store.resume(&other), Err(StoreError::Unknown { .. })));
}

#[test]
fn what_another_process_has_measured_since_a_run_was_read_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    let run = example::run("a1", "2026-03-01T10:00:00Z");
    store.begin(&run).unwrap();
    store.add_trial("a1", 0, &example::trial(0)).unwrap();
    store.finish(&run).unwrap();
    let gap = || Resumption {
        stopped: "2026-03-01T10:09:00Z".to_owned(),
        outcome: Some(Outcome::Interrupted),
        resumed: "2026-03-01T11:00:00Z".to_owned(),
        order: 1,
        clock: ClockInfo::default(),
    };
    let mut resumed = store.load("a1").unwrap();
    resumed.resumptions.push(gap());
    store.resume(&resumed).unwrap();
    let ended = Run { finished: Some("2026-03-01T11:00:01Z".to_owned()), ..resumed.clone() };
    let refused = |store: &mut SqliteStore| {
        let before = store.load("a1").unwrap();
        let error = store.resume(&resumed).unwrap_err();
        assert!(
            error.to_string().ends_with("another process has gone on with it since it was read"),
            "{error}"
        );
        assert_eq!(store.load("a1").unwrap(), before);
    };
    // One that measured nothing leaves its gap.
    store.finish(&ended).unwrap();
    refused(&mut store);
    let mut again = store.load("a1").unwrap();
    again.resumptions.push(gap());
    store.resume(&again).unwrap();
    store.add_trial("a1", 1, &example::trial(1)).unwrap();
    store.finish(&Run { resumptions: again.resumptions, ..ended }).unwrap();
    refused(&mut store);
}
