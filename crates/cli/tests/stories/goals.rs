//! Goals as a script meets them: the exit code, the first lines, the document and what a CI reads.

use crate::common::{StoryFolder, flat, stderr, stdout, trials};

/// A load that does nothing, `trials` times.
fn with(trials: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    let load = ["run", "null", "--no-extra", "--duration", "50ms", "--warm-up", "10ms", "--trials", trials];
    [&load[..], more].concat()
}

const KEPT: &str = "operations_per_second > 1/s";
const NOT_KEPT: &str = "operations_per_second < 2/s";
/// Only a search for a rate has that.
const UNKNOWN: &str = "rate_held > 1/s";

#[test]
fn a_goal_that_is_not_kept_fails_a_script_and_stands_first() {
    let place = StoryFolder::new();
    let output = place.run(&with("3", &["--expect", KEPT]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(flat(&stdout(&output)).contains(KEPT), "{}", stdout(&output));

    let output = place.run(&with("3", &["--expect", KEPT, "--expect", NOT_KEPT]));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for text in [stdout(&output), stdout(&place.run(&["show", "last"]))] {
        let text = flat(&text);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing: {text}"));
        assert!(at(NOT_KEPT) < at(KEPT) && at(KEPT) < at("Can it be trusted"), "{text}");
    }
    let document = place.stored();
    assert_eq!(document["study"]["goals"][1]["text"], NOT_KEPT);
    let outcomes = document["cases"][0]["goals"].as_array().unwrap();
    let outcomes: Vec<&str> = outcomes.iter().map(|held| held["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["kept", "not-kept"]);

    let output = place.run(&["report", "last", "--format", "annotations"]);
    let lines = stdout(&output);
    assert!(lines.starts_with("::error title=operations_per_second < 2/s::not kept: "), "{lines}");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    let output = place.run(&["report", "last", "--format", "junit", "-o", "goals.xml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let tests = std::fs::read_to_string(place.path().join("goals.xml")).unwrap();
    assert!(tests.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{tests}");
}

#[test]
fn what_cannot_be_told_warns_or_has_a_code_of_its_own() {
    let place = StoryFolder::new();
    let output = place.run(&with("1", &["--expect", KEPT]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("warning: it cannot be told"), "{}", stderr(&output));
    assert!(flat(&stdout(&output)).contains("too few or too short trials"), "{}", stdout(&output));
    let output = place.run(&with("1", &["--expect", KEPT, "--strict"]));
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    let output = place.run(&with("3", &["--expect", UNKNOWN, "--expect", NOT_KEPT, "--strict"]));
    assert_eq!(output.status.code(), Some(1), "not kept wins: {}", stderr(&output));
}

#[test]
fn a_study_has_goals_for_some_of_its_cases() {
    let place = StoryFolder::new();
    let study = "[expect]\ngoals = [\"operations_per_second < 1/s where queue-depth=2\"]\n\
                 [trials]\ntrials = 2\nwarm-up = \"10ms\"\n\
                 [[workload]]\nkind = \"null\"\nduration = \"50ms\"\nqueue-depth = [1, 2]\n";
    std::fs::write(place.path().join("mine.toml"), study).unwrap();
    let (code, document) = place.document(&["run", "mine.toml"]);
    assert_eq!(code, 1);
    let held = |case: usize| document["cases"][case]["goals"].as_array().map_or(0, Vec::len);
    assert_eq!((held(0), held(1)), (0, 1), "{document}");
}

#[test]
fn a_condition_ends_a_run_early_and_what_was_measured_is_kept() {
    let place = StoryFolder::new();
    let output = place.run(&with("5", &["--abort-when", KEPT]));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = flat(&stdout(&output));
    assert!(text.contains("A trial met the condition that ends the run"), "{text}");
    let document = place.stored();
    assert_eq!(trials(&document).len(), 1, "{document}");
    assert!(document["finished"].is_string() && document["cases"][0]["loads"][0]["estimates"].is_object());
    // A trial that meets none ends nothing.
    let output = place.run(&with("2", &["--abort-when", "errors > 0"]));
    assert_eq!((output.status.code(), trials(&place.stored()).len()), (Some(0), 2), "{}", stderr(&output));
}
