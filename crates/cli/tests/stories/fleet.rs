//! Many machines at once: documents of one that was measured and of machines that were recorded become a fleet, of which
//! some are slow, some documents are none, and some work is other work.

use std::path::Path;

use model::machine::MemoryModule;
use model::{Machine, Run};
use store::{SqliteStore, Store};

use crate::common::{StoryFolder, flat, stderr, stdout};

/// One run that was measured.
fn measured(place: &StoryFolder) -> Run {
    let quick = ["run", "null", "--duration", "50ms", "--warm-up", "10ms", "--trials", "3"];
    let output = place.run(&quick);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut store = SqliteStore::open(&place.store()).unwrap();
    let id = store.resolve("last").unwrap();
    let mut run = store.load(&id).unwrap();
    store.remove(&id).unwrap();
    run.findings.clear();
    run
}

/// The same on another machine, with its rate times a factor.
fn made(measured: &Run, place: usize, machine: Machine, factor: f64) -> Run {
    let mut run =
        Run { id: format!("202601{:02}-made", place + 1), machines: vec![machine], ..measured.clone() };
    let factor = factor * [1.01, 0.99, 1.0, 1.005, 0.996, 1.003, 0.992][place % 7];
    for case in &mut run.cases {
        case.findings.clear();
        let median = case.trials[0].result.main().metrics.clone();
        for trial in &mut case.trials {
            for (name, quantity) in &mut trial.result.main_mut().metrics {
                quantity.value = median[name].value * factor;
            }
        }
    }
    run
}

/// A machine with both memory modules, or without the second.
fn node(measured: &Run, place: usize, is_whole: bool) -> Machine {
    let mut machine = measured.machines[0].clone();
    machine.hostname = format!("node{place}");
    let slots = if is_whole { ["DIMM_A1", "DIMM_B1"].as_slice() } else { &["DIMM_A1"] };
    let module =
        |slot: &&str| MemoryModule { slot: (*slot).to_owned(), bytes: 32 << 30, ..MemoryModule::default() };
    machine.inventory.memory.modules = slots.iter().map(module).collect();
    machine
}

fn write(place: &StoryFolder, name: &str, run: &Run) {
    std::fs::write(place.path().join(name), serde_json::to_vec(run).unwrap()).unwrap();
}

#[test]
fn three_slow_machines_of_a_folder_are_named_with_what_they_miss() {
    let place = StoryFolder::new();
    let measured = measured(&place);
    std::fs::create_dir(place.path().join("runs")).unwrap();
    for number in 0..24 {
        let is_slow = [3, 7, 20].contains(&number);
        let run =
            made(&measured, number, node(&measured, number, !is_slow), if is_slow { 0.85 } else { 1.0 });
        write(&place, &format!("runs/n{number}.json"), &run);
    }
    std::fs::write(place.path().join("runs/broken.json"), "{\"schema\": ").unwrap();
    std::fs::write(place.path().join("runs/foreign.json"), "{\"schema\": \"headroom.comparison/1\"}")
        .unwrap();
    std::fs::write(place.path().join("runs/readme.txt"), "no document").unwrap();
    for file in ["f.html", "f.md", "f.json", "f.csv"] {
        let output = place.run(&["fleet", "runs", "-o", file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = flat(&stdout(&output));
        for says in [
            "Fleet of 24 machines",
            "3 of 24 machines are unlike the others",
            "node3, node7, node20",
            "memory modules without DIMM_B1",
            "need not be its cause",
            "it is not JSON",
            "it is a document of headroom.comparison/1",
        ] {
            assert!(text.contains(says), "no `{says}`: {}", stdout(&output));
        }
        assert!(stdout(&output).lines().all(|line| line.chars().count() <= 80), "{}", stdout(&output));
        assert!(flat(&stderr(&output)).contains("runs/broken.json is left out"), "{}", stderr(&output));
        let written = std::fs::read_to_string(place.path().join(file)).unwrap();
        assert!(written.contains("node20"), "{file}: {written}");
    }
    // Without names nothing says which machine it is.
    let output = place.run(&["fleet", "runs", "--mask", "-v", "-o", "masked.json"]);
    let text = flat(&stdout(&output));
    assert!(text.contains("machine 4, machine 8, machine 21") && !text.contains("node"), "{text}");
    let written = std::fs::read_to_string(place.path().join("masked.json")).unwrap();
    assert!(
        written.contains("machine 21") && !written.contains("node") && !written.contains("-made"),
        "{written}"
    );
}

#[test]
fn kept_runs_are_a_fleet_of_which_tags_choose() {
    let place = StoryFolder::new();
    let measured = measured(&place);
    let mut store = SqliteStore::open(&place.store()).unwrap();
    for number in 0..12 {
        let run = made(&measured, number, node(&measured, number, true), if number == 5 { 0.5 } else { 1.0 });
        store.keep(&run).unwrap();
        store.set_tag(&run.id, "rack", Some(if number < 6 { "1" } else { "2" })).unwrap();
    }
    let text = flat(&stdout(&place.run(&["fleet", "--study", "null"])));
    assert!(text.contains("1 of 12 machines is unlike the others") && text.contains("node5"), "{text}");
    let text = flat(&stdout(&place.run(&["fleet", "--tag", "rack=2"])));
    assert!(text.contains("None of the 6 machines is found to be unlike"), "{text}");
    // Three say nothing of who is slow, and that is said.
    let few = place.run(&["fleet", "20260101-made", "20260102-made", "20260106-made"]);
    assert!(flat(&stdout(&few)).contains("3 machines are too few"), "{}", stdout(&few));
}

/// Their inventories are real: what each has to itself, and what some have in common.
#[test]
fn the_recorded_hosts_make_a_fleet() {
    let place = StoryFolder::new();
    let measured = measured(&place);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hosts");
    let mut hosts: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    hosts.retain(|path| path.extension().is_some_and(|extension| extension == "host"));
    hosts.sort();
    assert!(hosts.len() >= 8, "{hosts:?}");
    let mut files = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let output = place.run(&["machine", "--host", host.to_str().unwrap(), "--json"]);
        let mut machine: Machine = serde_json::from_slice(&output.stdout).unwrap();
        let stem = host.file_stem().unwrap().to_string_lossy().into_owned();
        machine.hostname.clone_from(&stem);
        let factor = if stem == "arm-board" { 0.3 } else { 1.0 };
        write(&place, &format!("{stem}.json"), &made(&measured, number, machine, factor));
        files.push(format!("{stem}.json"));
    }
    let arguments: Vec<&str> = ["fleet"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let output = place.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = flat(&stdout(&output));
    let unlike = format!("1 of {} machines is unlike the others", hosts.len());
    assert!(text.contains(&unlike) && text.contains("arm-board"), "{}", stdout(&output));
    // What it alone has may be chance: one of so few.
    assert!(text.contains("by chance"), "{}", stdout(&output));
}

#[test]
fn what_is_no_fleet_is_refused_with_what_to_do() {
    let place = StoryFolder::new();
    let measured = measured(&place);
    write(&place, "one.json", &made(&measured, 0, node(&measured, 0, true), 1.0));
    let mut other = made(&measured, 1, node(&measured, 1, true), 1.0);
    other.cases.iter_mut().for_each(|case| case.work_id = "other".to_owned());
    write(&place, "other.json", &other);
    std::fs::write(place.path().join("bad.json"), "[1, 2]").unwrap();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["fleet", "one.json"], "runs of one machine"),
        (&["fleet", "one.json", "other.json"], "have no work in common"),
        (&["fleet", "one.json", "bad.json"], "bad.json is no run: it is JSON of something else"),
        (&["fleet", "empty"], "no document of a run"),
        (&["fleet", "missing.json"], "there is no such file"),
        (&["fleet", "one.json", "--tag", "rack"], "cannot be used with"),
        (&["fleet", "one.json", "--metric", "no_such"], "no run has the metric"),
        (&["fleet", "--margin", "2"], "percentage"),
        (&["fleet", "-o", "t.docx"], ".html"),
    ];
    for (arguments, says) in cases {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(flat(&stderr(&output)).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}
