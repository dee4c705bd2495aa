//! Comparing real runs, and what is no run.

use crate::common::{StoryFolder, stderr, stdout};
use serde_json::Value;

const QUICK: &[&str] = &["--duration", "50ms", "--warm-up", "10ms", "--trials", "5"];

/// Runs it and gives the run's name.
fn measured(place: &StoryFolder, arguments: &[&str]) -> String {
    let (code, document) = place.document(&[&["run"], arguments, QUICK].concat());
    assert_eq!(code, 0, "{document}");
    document["id"].as_str().unwrap().to_owned()
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "")
}

#[test]
fn two_runs_are_compared_and_the_document_fits_its_schema() {
    let place = StoryFolder::new();
    let a = measured(&place, &["null", "--threads", "1,2"]);
    let b = measured(&place, &["null", "--threads", "1,2"]);
    let output = place.run(&["compare", &a, &b, "--margin", "50%", "-o", "c.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains(&format!("baseline  {a}")) && text.contains(&format!("new       {b}")), "{text}");
    assert!(text.contains("\nthreads=1\n") && text.contains("operations per second"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let csv = std::fs::read_to_string(place.path().join("c.csv")).unwrap();
    assert!(csv.starts_with("baseline,new,case,") && csv.lines().count() > 4, "{csv}");
    let output = place.run(&["compare", &a, &b, "-o", "c.md", "--lang", "ko"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = std::fs::read_to_string(place.path().join("c.md")).unwrap();
    // The command that made it is in it, and no key of a text.
    assert!(page.contains(&format!("headroom compare {a} {b} -o c.md --lang ko")), "{page}");
    assert!(page.contains("기준") && !page.contains("comparison-"), "{page}");

    let output = place.run(&["compare", &a, "last", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/comparison.schema.json"));
    let schema: Value = serde_json::from_slice(&schema.unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(document["schema"], "headroom.comparison/1");
    assert_eq!(document["sides"][1]["run"], b);
    let mut broken = document.clone();
    broken["rows"][0]["verdict"] = "nicer".into();
    assert!(!validator.is_valid(&broken));
}

#[test]
fn a_run_stands_beside_its_class_and_beside_like_runs() {
    let place = StoryFolder::new();
    let first = measured(&place, &["null"]);
    measured(&place, &["null"]);
    let output = place.run(&["compare", "last", "--class", "-o", "class.md"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = flat(&stdout(&output));
    assert!(text.contains("it drives neither a disk nor a network interface"), "{text}");
    assert!(text.contains("1 kept run of such work on a like machine"), "{text}");
    let page = std::fs::read_to_string(place.path().join("class.md")).unwrap();
    assert!(page.contains("No reference") && !page.contains("class-"), "{page}");
    // A class that no part is of is refused, and says so.
    let refused = place.run(&["compare", &first, "--class=sata-ssd"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = flat(&stderr(&refused));
    assert!(said.contains("no case of the run drives a part of the class `sata-ssd`"), "{said}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn one_run_is_compared_by_a_parameter_and_a_worse_one_fails_if_asked() {
    let place = StoryFolder::new();
    // A prime search up to twice the number takes more than twice as long.
    measured(&place, &["cpu.primes", "--max-prime", "1000,4000"]);
    let by = ["compare", "last", "--by", "max-prime", "--metric", "events_per_second"];
    let output = place.run(&by);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("\nWorse: 1.\n"), "{text}");
    assert!(text.contains("max-prime 4000 against 1000"), "{text}");
    let verbose = stdout(&place.run(&[&by[..], &["-v"]].concat()));
    assert!(verbose.contains(&text[..40]) && flat(&verbose).contains("in pairs: each trial"), "{verbose}");
    let fails = place.run(&[&by[..], &["--fail-if-worse"]].concat());
    assert_eq!(fails.status.code(), Some(1));
    // Its last lines name the command that was typed.
    let figures = |text: &str| text.split("Compared by").next().unwrap().to_owned();
    assert_eq!(figures(&stdout(&fails)), figures(&text));
    let other_way = place.run(&[&by[..], &["--fail-if-worse", "--baseline", "4000"]].concat());
    assert_eq!(other_way.status.code(), Some(0), "{}", stdout(&other_way));
    assert!(stdout(&other_way).contains("\nBetter: 1.\n"));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn regression_a_run_whose_trials_all_failed_passed_as_not_worse() {
    let place = StoryFolder::new();
    let id = measured(&place, &["null"]);
    assert!(place.run(&["export", &id, "-o", "a.json"]).status.success());
    let mut failed: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("a.json")).unwrap()).unwrap();
    failed["id"] = "b".into();
    for trial in failed["cases"][0]["trials"].as_array_mut().unwrap() {
        trial["status"] = "failed".into();
    }
    std::fs::write(place.path().join("b.json"), failed.to_string()).unwrap();
    let output = place.run(&["compare", "a.json", "b.json", "--fail-if-worse"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(flat(&stdout(&output)).contains("he new side has not a trial that gave"), "{}", stdout(&output));
    // Where the baseline is what failed, nothing became worse.
    let output = place.run(&["compare", "b.json", "a.json", "--fail-if-worse"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn regression_to_forget_a_run_removed_a_page_that_was_asked_for() {
    let place = StoryFolder::new();
    let id = measured(&place, &["null"]);
    // Beside the store, where the overview would have put its own.
    assert!(place.run(&["report", &id]).status.success());
    assert!(place.run(&["rm", &id]).status.success());
    assert_eq!(place.names(), [format!("headroom-{id}.html")]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn work_that_is_not_the_same_is_refused_with_the_difference() {
    let place = StoryFolder::new();
    let a = measured(&place, &["cpu.primes", "--max-prime", "1000"]);
    let b = measured(&place, &["cpu.primes", "--max-prime", "2000"]);
    let output = place.run(&["compare", &a, &b]);
    assert_eq!(output.status.code(), Some(2));
    let says = flat(&stderr(&output));
    assert!(says.contains("max-prime 1000 against 2000"), "{says}");
    for (arguments, says) in [
        (&["compare", "last"][..], "one run alone has nothing to be compared with"),
        (&["compare", "last", "last"], "is given twice"),
        (&["compare", "last", "--by", "threads"], "do not differ in `threads`"),
        (&["compare", &a, &b, "--by", "threads"], "--by divides one run"),
        (&["compare", &a, &b, "--baseline", "3"], "--baseline is a value of what --by names"),
        (&["compare", &a, &b, "--margin", "5"], "is not a margin"),
        (&["compare", &a, &b, "-o", "c.xyz"], "does not say in which format"),
        (&["compare", &a, "none.json"], "none.json is no run: there is no such file"),
        (&["compare", "nowhere", &a], "has no run `nowhere`"),
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(flat(&stderr(&output)).contains(says), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_file_is_a_run_wherever_one_is_named_and_needs_no_store() {
    let place = StoryFolder::new();
    let id = measured(&place, &["null"]);
    assert!(place.run(&["export", &id, "-o", "a.json"]).status.success());
    // The same figures by another name, with markup and escapes where words stand.
    let mut other: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("a.json")).unwrap()).unwrap();
    let bad = "\u{1b}[31m<script>alert(1)</script>";
    other["id"] = "b".into();
    other["machines"][0]["hostname"] = bad.into();
    other["cases"][0]["label"]["loads"][0]["parameters"] =
        serde_json::json!([{ "name": bad, "kind": "text", "value": bad }]);
    other["study"]["title"] = bad.into();
    std::fs::write(place.path().join("b.json"), other.to_string()).unwrap();
    let elsewhere = StoryFolder::new();
    let (a, b) = (place.path().join("a.json"), place.path().join("b.json"));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    for arguments in [&["compare", a, b][..], &["compare", b, a], &["show", b]] {
        let output = elsewhere.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stdout(&output).contains('\u{1b}'), "{arguments:?}: {:?}", stdout(&output));
    }
    assert!(stdout(&elsewhere.run(&["show", a])).contains(&format!(" run {id}.\n")));
    assert!(stdout(&elsewhere.run(&["export", a, "--format", "csv"])).contains("operations_per_second"));
    assert!(!elsewhere.store().exists(), "a file was read, and a store made");
}

#[test]
fn files_that_are_no_run_are_named_for_what_they_are() {
    let place = StoryFolder::new();
    for (text, says) in [
        ("not json", "it is not JSON"),
        ("{\"fio version\": \"fio-3.33\"}", "JSON of something else"),
        ("{\"schema\": \"headroom.run/3\"}", "this version reads headroom.run/1 and headroom.run/2"),
        ("{\"schema\": \"headroom.run/1\"}", "damaged"),
    ] {
        std::fs::write(place.path().join("x.json"), text).unwrap();
        for arguments in [&["show", "x.json"][..], &["export", "x.json"], &["compare", "x.json", "x.json"]] {
            let output = place.run(arguments);
            assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
            assert!(flat(&stderr(&output)).contains(says), "{arguments:?}: {}", stderr(&output));
        }
    }
}
