//! An area that nobody knows, defined in one file (`examples/press.rs`), goes from the
//! run to the page: the verdict names its resource, and every output has its unit and
//! its words.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout};

/// The program with that area; examples are built beside the tests.
fn press() -> PathBuf {
    let headroom = PathBuf::from(env!("CARGO_BIN_EXE_headroom"));
    headroom.parent().unwrap().join("examples/press")
}

/// `press ARGUMENTS`; what it prints.
fn said(place: &StoryFolder, arguments: &[&str]) -> String {
    let mut command = place.command(arguments);
    let rest: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let envs: Vec<_> = command.get_envs().map(|(k, v)| (k.to_owned(), v.unwrap().to_owned())).collect();
    command = std::process::Command::new(press());
    let output = command.args(rest).envs(envs).current_dir(place.path()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

#[test]
fn a_workload_of_an_unknown_area_has_verdict_page_comparison_and_table() {
    let place = StoryFolder::new();
    let load =
        ["press.stamp", "--threads", "8", "--duration", "400ms", "--warm-up", "100ms", "--trials", "3"];
    let summary = said(&place, &[&["run"][..], &load].concat());
    assert!(summary.contains("stamps/s"), "{summary}");
    std::fs::write(place.path().join("first.json"), said(&place, &["export", "last"])).unwrap();
    said(&place, &[&["run"][..], &load].concat());

    // Verdict: the press is full, and how full is a measured share of its limit.
    let document: Value = serde_json::from_str(&said(&place, &["export", "last"])).unwrap();
    let findings = document["cases"][0]["findings"].as_array().unwrap();
    let verdict = findings.iter().find(|f| f["kind"] == "bottleneck").unwrap();
    assert_eq!(
        (verdict["code"].as_str(), verdict["resource"].as_str()),
        (Some("limit-reached"), Some("press:0"))
    );
    let share = verdict["args"]["fraction"].as_f64().unwrap();
    assert!((0.95..1.1).contains(&share), "{verdict:#}");
    let estimate = &document["cases"][0]["loads"][0]["estimates"]["stamps"];
    assert_eq!(estimate["unit"], "stamps/s");
    assert_eq!(document["cases"][0]["loads"][0]["profile"]["headline"], "stamps");
    assert_eq!(document["cases"][0]["loads"][0]["profile"]["waits_for"][0], "press");

    // The page, with its words in three languages.
    for (language, title) in [("en", "Stamps"), ("ko", "초당 조각 수"), ("ja", "毎秒の部品数")] {
        let path = place.path().join(format!("{language}.html"));
        said(&place, &["report", "last", "--lang", language, "-o", path.to_str().unwrap()]);
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(title) && page.contains("stamps/s"), "{language}");
        assert!(page.contains("press:0"), "{language}: the verdict names the press");
    }

    let compared = said(&place, &["compare", "first.json", "last"]);
    assert!(compared.contains("stamps"), "{compared}");
    let table = said(&place, &["export", "last", "--format", "csv"]);
    assert!(table.contains("press.stamp") && table.contains("stamps/s"), "{table}");

    // The program itself knows neither the area nor loses what it made.
    let known = place.run(&["show", "last"]);
    assert!(known.status.success() && stdout(&known).contains("stamps/s"), "{}", stderr(&known));
    let unknown = place.run(&["run", "press.stamp"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", stdout(&unknown));
}
