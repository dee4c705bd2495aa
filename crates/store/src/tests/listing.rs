//! Parts of a list: which runs are found, how many, and in which order.

use model::run::Outcome;

use super::example;
use crate::error::StoreError;
use crate::{RunDetail, RunList, RunQuery, SqliteStore, State, Store};

/// Of the runs `r0` to `r11`, one a day, newest last: every third is of `host-8`, every fourth of the study `net`.
fn store(folder: &tempfile::TempDir) -> SqliteStore {
    let mut store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    for number in 0..12 {
        let mut run = example::run(&format!("r{number}"), &format!("2026-03-{:02}T10:00:00Z", number + 1));
        if number % 3 == 0 {
            run.machines[0].hostname = "host-8".to_owned();
        }
        if number % 4 == 0 {
            (run.study.name, run.study.title) = ("net".to_owned(), None);
        }
        run.outcome = Some(if number == 5 { Outcome::Budget } else { Outcome::Complete });
        store.keep(&run).unwrap();
    }
    store
}

fn ids(store: &SqliteStore, query: RunQuery) -> (Vec<String>, usize) {
    let found = store.find(&RunQuery { limit: query.limit.max(1), ..query }).unwrap();
    (found.entries.into_iter().map(|entry| entry.id).collect(), found.total)
}

fn all(query: RunQuery) -> RunQuery {
    RunQuery { limit: 100, ..query }
}

#[test]
fn a_part_of_the_list_is_what_the_whole_list_has_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    let whole = store.list().unwrap();
    for (offset, limit) in [(0, 5), (5, 5), (10, 5), (12, 5), (0, 100)] {
        let found = store.find(&RunQuery { offset, limit, ..RunQuery::default() }).unwrap();
        assert_eq!(found.total, 12);
        let part: Vec<_> = whole.iter().skip(offset).take(limit).cloned().collect();
        assert_eq!(found.entries, part, "{offset} {limit}");
        assert!(part.iter().all(|entry| entry.trials == 4));
    }
    assert_eq!(store.entry("r7").unwrap().as_ref(), whole.iter().find(|e| e.id == "r7"));
    assert_eq!(store.entry("r").unwrap(), None);
}

#[test]
fn runs_are_found_by_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store(&folder);
    let some = |text: &str| Some(text.to_owned());
    let machine = all(RunQuery { hostname: some("host-8"), ..RunQuery::default() });
    assert_eq!(ids(&store, machine.clone()).0, ["r9", "r6", "r3", "r0"]);
    let both = RunQuery { study: some("net"), ..machine };
    assert_eq!(ids(&store, both), (vec!["r0".to_owned()], 1));
    let days = all(RunQuery { since: some("2026-03-03"), until: some("2026-03-04"), ..RunQuery::default() });
    assert_eq!(ids(&store, days).0, ["r3", "r2"]);
    let budget = all(RunQuery { state: Some(State::Budget), ..RunQuery::default() });
    assert_eq!(ids(&store, budget).0, ["r5"]);
    let killed = all(RunQuery { state: Some(State::Killed), ..RunQuery::default() });
    assert_eq!(ids(&store, killed.clone()).1, 0);
    store.begin(&example::run("s1", "2026-04-01T10:00:00Z")).unwrap();
    assert_eq!(ids(&store, killed).1, 0);
    let running = all(RunQuery { state: Some(State::Running), ..RunQuery::default() });
    assert_eq!(ids(&store, running), (vec!["s1".to_owned()], 1));

    let tag = |value: Option<&str>| {
        all(RunQuery { tag: Some(("rack".to_owned(), value.map(str::to_owned))), ..RunQuery::default() })
    };
    store.set_tag("r2", "rack", Some("3")).unwrap();
    store.set_tag("r4", "rack", Some("5")).unwrap();
    store.set_note("r1", Some("100% of the Old_Kernel")).unwrap();
    store.set_baseline("r7", Some("2026-04-01T10:00:00Z")).unwrap();
    assert_eq!(ids(&store, tag(None)).0, ["r4", "r2"]);
    assert_eq!(ids(&store, tag(Some("3"))).0, ["r2"]);
    assert_eq!(ids(&store, all(RunQuery { baselines: true, ..RunQuery::default() })).0, ["r7"]);
    let said = store.annotations_of(["r1", "r2", "r3"]).unwrap();
    assert_eq!(said.keys().collect::<Vec<_>>(), ["r1", "r2"]);
    assert_eq!(said["r2"], store.annotations().unwrap()["r2"]);

    let text = |text: &str| all(RunQuery { text: some(text), ..RunQuery::default() });
    for (typed, found) in [
        ("r11", vec!["r11"]),
        ("old_kernel", vec!["r1"]),
        ("100%", vec!["r1"]),
        ("rack", vec!["r4", "r2"]),
        // Neither is a pattern.
        ("r%1", vec![]),
        ("host_8", vec![]),
        ("' OR 1 --", vec![]),
    ] {
        assert_eq!(ids(&store, text(typed)).0, found, "{typed}");
    }
    assert_eq!(ids(&store, text("HOST-8")).1, 4);
}

#[test]
fn machines_and_studies_are_listed_with_their_latest_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    let machines = store.machines().unwrap();
    let of = |m: &crate::MachineEntry| (m.hostname.clone(), m.runs, m.latest.clone());
    assert_eq!(
        machines.iter().map(of).collect::<Vec<_>>(),
        [("host-7".to_owned(), 8, "r11".to_owned()), ("host-8".to_owned(), 4, "r9".to_owned())]
    );
    assert_eq!(store.studies().unwrap(), ["disk", "net"]);
}

#[test]
fn a_run_that_nobody_measures_cannot_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    assert!(!store.interrupt("r1").unwrap());
    assert!(!store.interrupt("no-such").unwrap());
}

/// Every kind of question once.
fn questions() -> Vec<RunQuery> {
    let some = |text: &str| Some(text.to_owned());
    let usual = RunQuery { limit: 5, ..RunQuery::default() };
    let states = [State::Complete, State::Running, State::Killed, State::Budget].map(Some);
    let mut all = vec![
        RunQuery { offset: 4, ..usual.clone() },
        RunQuery { offset: 100, ..usual.clone() },
        RunQuery { limit: 0, ..usual.clone() },
        RunQuery { hostname: some("host-8"), ..usual.clone() },
        RunQuery { study: some("net"), until: some("2026-03-09"), ..usual.clone() },
        RunQuery { text: some("R1"), ..usual.clone() },
        RunQuery { text: some("old"), ..usual.clone() },
        RunQuery { tag: Some(("rack".to_owned(), None)), ..usual.clone() },
        RunQuery { baselines: true, ..usual.clone() },
    ];
    all.extend(states.map(|state| RunQuery { state, ..usual.clone() }));
    all
}

#[test]
fn a_list_in_memory_is_that_of_the_store_also_after_runs_came_and_went() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store(&folder);
    let mut list = RunList::new(SqliteStore::open(&folder.path().join("runs.db")).unwrap()).unwrap();
    let same = |list: &mut RunList, store: &SqliteStore, when: &str| {
        for question in questions() {
            assert_eq!(list.find(&question).unwrap(), store.find(&question).unwrap(), "{when}: {question:?}");
        }
        assert_eq!(list.machines().unwrap(), store.machines().unwrap(), "{when}");
        assert_eq!(list.studies().unwrap(), store.studies().unwrap(), "{when}");
    };
    same(&mut list, &store, "at first");
    store.set_tag("r2", "rack", Some("3")).unwrap();
    store.set_note("r5", Some("an old one")).unwrap();
    store.set_baseline("r7", Some("2026-04-01T10:00:00Z")).unwrap();
    same(&mut list, &store, "with what was said");
    // As old as can be, but of a number of its own.
    let mut begun = example::run("r0-again", "2020-01-01T00:00:00Z");
    store.begin(&begun).unwrap();
    same(&mut list, &store, "with one that began");
    store.remove("r11").unwrap();
    same(&mut list, &store, "without one");
    // That it has ended is shown at once, and chosen by soon.
    begun.outcome = Some(Outcome::Budget);
    store.finish(&begun).unwrap();
    let all = RunQuery { limit: 100, ..RunQuery::default() };
    assert_eq!(list.find(&all).unwrap(), store.find(&all).unwrap());
    let budget = RunQuery { state: Some(State::Budget), ..all };
    while list.find(&budget).unwrap() != store.find(&budget).unwrap() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_run_is_read_without_what_is_most_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    let whole = store.load("r1").unwrap();
    let (mut bare, mut with_histograms) = (whole.clone(), whole.clone());
    for run in [&mut bare, &mut with_histograms] {
        for result in run.cases.iter_mut().flat_map(|case| &mut case.trials).map(|trial| &mut trial.result) {
            let targets = result.loads.iter_mut().flat_map(|load| &mut load.targets);
            targets.for_each(|target| target.series.clear());
            result.loads.iter_mut().for_each(|load| load.series.clear());
            for machine in &mut result.machines {
                machine.series.clear();
                machine.counters.clear();
            }
        }
    }
    assert_ne!(with_histograms, whole);
    assert_eq!(store.load_with("r1", RunDetail::Histograms).unwrap(), with_histograms);
    for load in
        bare.cases.iter_mut().flat_map(|case| &mut case.trials).flat_map(|trial| &mut trial.result.loads)
    {
        load.histograms.clear();
        load.targets.iter_mut().for_each(|target| target.histograms.clear());
    }
    assert_ne!(bare, with_histograms);
    assert_eq!(store.load_with("r1", RunDetail::Figures).unwrap(), bare);
    assert_eq!(store.load_with("r1", RunDetail::Whole).unwrap(), whole);
    // What is damaged is said to be, and not that reading failed.
    store.connection.execute("UPDATE trial SET document = 'no'", []).unwrap();
    for detail in [RunDetail::Figures, RunDetail::Histograms, RunDetail::Whole] {
        assert!(matches!(store.load_with("r1", detail), Err(StoreError::Damaged { .. })));
    }
}

/// So many rows that a list of all of them takes long; each has as large a document as a run of some cases.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_part_of_a_list_of_10000_runs_is_right() {
    const RUNS: usize = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    store.keep(&example::run("r", "2020-01-01T00:00:00Z")).unwrap();
    store
        .connection
        .execute_batch(&format!(
            "INSERT INTO run (id, started, finished, outcome, study, title, hostname, cases, document)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {RUNS} - 1)
             SELECT printf('r%05d', i), strftime('%Y-%m-%dT%H:%M:%SZ', julianday('2020-01-01') + i / 24.0), finished,
                    outcome, study, title, 'host-' || (i % 20), cases, document || printf('%*c', 3000, ' ')
             FROM n, run WHERE id = 'r'"
        ))
        .unwrap();
    let found = store.find(&RunQuery { offset: 9_990, limit: 50, ..RunQuery::default() }).unwrap();
    assert_eq!((found.total, found.entries.len()), (RUNS, 10));
    assert_eq!(found.entries[8].id, "r00001");
    let of_one = RunQuery { hostname: Some("host-7".to_owned()), limit: 3, ..RunQuery::default() };
    let found = store.find(&of_one).unwrap();
    assert_eq!((found.total, found.entries[0].id.as_str()), (RUNS / 20 + 1, "r09987"));
    assert_eq!(store.machines().unwrap().len(), 20);
    let by_text = RunQuery { text: Some("r0999".to_owned()), limit: 5, ..RunQuery::default() };
    let found = store.find(&by_text).unwrap();
    assert_eq!(found.total, 10);
    let mut list = RunList::new(SqliteStore::open(&folder.path().join("runs.db")).unwrap()).unwrap();
    assert_eq!(list.find(&by_text).unwrap(), found);
}
