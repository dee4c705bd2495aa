//! Runs over time: found again by tags, noted, accepted as baselines, and a figure that became worse.

use model::Run;
use store::{SqliteStore, Store};

use crate::common::{StoryFolder, flat, stderr, stdout};

/// A store with sixteen runs of January, of one that was measured: with the ninth the kernel is another, and the
/// rate a tenth less.
fn history(place: &StoryFolder) {
    let quick =
        ["run", "null", "--duration", "50ms", "--warm-up", "10ms", "--trials", "3", "--tag", "site=here"];
    let output = place.run(&quick);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut store = SqliteStore::open(&place.store()).unwrap();
    let id = store.resolve("last").unwrap();
    assert_eq!(store.annotations().unwrap()[&id].tags["site"], "here");
    let measured = store.load(&id).unwrap();
    store.remove(&id).unwrap();
    for day in 1..=16_usize {
        let run = made(&measured, day);
        store.keep(&run).unwrap();
        store.set_tag(&run.id, "rack", Some("3")).unwrap();
    }
}

/// The run of a day.
fn made(measured: &Run, day: usize) -> Run {
    let mut run = Run {
        id: format!("202601{day:02}-made"),
        started: format!("2026-01-{day:02}T12:00:00Z"),
        finished: Some(format!("2026-01-{day:02}T12:01:00Z")),
        ..measured.clone()
    };
    let (kernel, level) = if day < 9 { ("6.1.0", 1.0) } else { ("6.18.0", 0.9) };
    run.machines[0].inventory.kernel = kernel.to_owned();
    let factor = level * [1.01, 0.99, 1.0, 1.005][day % 4];
    for trial in run.cases.iter_mut().flat_map(|case| &mut case.trials) {
        for quantity in trial.result.main_mut().metrics.values_mut() {
            quantity.value *= factor;
        }
    }
    run
}

#[test]
fn a_figure_that_became_worse_is_found_told_and_accepted() {
    let place = StoryFolder::new();
    history(&place);
    let output = place.run(&["trend", "null", "--tag", "rack=3", "-o", "t.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = flat(&stdout(&output));
    for says in ["Trend over 16 runs", "worse", "20260109-made", "2026-01-09", "6.1.0, then 6.18.0", "-10."] {
        assert!(text.contains(says), "no `{says}`: {text}");
    }
    assert!(stdout(&output).lines().all(|line| line.chars().count() <= 80), "{}", stdout(&output));
    let page = std::fs::read_to_string(place.path().join("t.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("6.18.0"));

    let told = ["trend", "--fail-if-worse", "--on-worse", "cat > told.txt"];
    assert_eq!(place.run(&told).status.code(), Some(1));
    let mail = std::fs::read_to_string(place.path().join("told.txt")).unwrap();
    assert!(mail.contains("20260109-made") && !mail.contains("told.txt"), "{mail}");
    // A command that fails is no silence.
    let failed = place.run(&["trend", "--on-worse", "exit 7"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stderr(&failed).contains("--on-worse failed"), "{}", stderr(&failed));
    // Before the step nothing is worse, and nobody is told.
    let early = place.run(&["trend", "--until", "2026-01-08", "--on-worse", "exit 7"]);
    assert_eq!(early.status.code(), Some(0), "{}", stdout(&early));
    let early = place.run(&["trend", "--until", "2026-01-08", "--fail-if-worse"]);
    assert_eq!(early.status.code(), Some(0), "{}", stdout(&early));

    // Against a baseline from before it is still worse; what was accepted since is not.
    let accept = |run: &str| {
        let output = place.run(&["baseline", run]);
        assert!(stdout(&output).contains("accepted on"), "{}", stderr(&output));
        place.run(&["trend", "--fail-if-worse"])
    };
    let output = accept("20260103");
    assert_eq!(output.status.code(), Some(1));
    assert!(flat(&stdout(&output)).contains("against the baseline accepted on"), "{}", stdout(&output));
    assert!(place.run(&["baseline", "20260103", "--unpin"]).status.success());
    assert_eq!(accept("20260114").status.code(), Some(0));
    assert!(stdout(&place.run(&["baseline"])).starts_with("20260114-made  accepted on "));
}

#[test]
fn runs_are_found_by_what_was_said_of_them() {
    let place = StoryFolder::new();
    history(&place);
    let list = |arguments: &[&str]| stdout(&place.run(&[&["list"], arguments].concat()));
    assert!(place.run(&["tag", "20260105", "fan=new", "--remove", "rack"]).status.success());
    assert!(place.run(&["note", "20260105", "after", "the new fan"]).status.success());
    let found = list(&["--tag", "fan"]);
    assert!(found.contains("20260105-made") && found.contains("fan=new"), "{found}");
    assert!(found.contains("after the new fan") && !found.contains("20260106"), "{found}");
    assert!(!list(&["--tag", "rack=3"]).contains("20260105"));
    let found = list(&["null", "--since", "2026-01-15"]);
    assert!(
        found.contains("20260115") && found.contains("20260116") && !found.contains("20260114"),
        "{found}"
    );
    assert!(list(&["--tag", "rack=4"]).contains("No kept run is like that"));
    assert!(stdout(&place.run(&["note", "20260105"])).ends_with(": after the new fan\n"));
    assert_eq!(place.run(&["note", "20260105", "a\u{1b}[2Jb"]).status.code(), Some(2));
    assert!(place.run(&["note", "20260105", "--remove"]).status.success());
    assert!(stdout(&place.run(&["note", "20260105"])).contains("has no note"));
}

#[test]
fn a_trend_of_nothing_is_refused_with_what_to_type() {
    let place = StoryFolder::new();
    let cases: [(&[&str], &str); 6] = [
        (&["trend"], "`headroom run` makes one"),
        (&["trend", "--since", "yesterday"], "2026-11-28"),
        (&["trend", "--margin", "2"], "percentage"),
        (&["trend", "-o", "t.docx"], ".html"),
        (&["tag", "last", "rack"], "NAME=VALUE"),
        (&["baseline", "--unpin"], "RUN"),
    ];
    for (arguments, says) in cases {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(flat(&stderr(&output)).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}
