//! An area that nobody knows, defined in one file (`examples/press.rs`), goes from the
//! run to the page: the verdict names its resource, and every output has its unit and
//! its words.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout};

/// The share of a limit from which on the verdict is that it is reached.
const REACHED: f64 = 0.95;

/// The program with that area; examples are built beside the tests.
fn press() -> PathBuf {
    let headroom = PathBuf::from(env!("CARGO_BIN_EXE_headroom"));
    let press = headroom.parent().unwrap().join("examples/press");
    assert!(press.exists(), "{} is not there: run `cargo build --example press`", press.display());
    press
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

    // Verdict: how full the press is follows from what was measured and its limit of 200 pieces a
    // second, whatever that is on a machine that is busy with other things.
    let document: Value = serde_json::from_str(&said(&place, &["export", "last"])).unwrap();
    let case = &document["cases"][0];
    let estimate = &case["loads"][0]["estimates"]["stamps"];
    assert_eq!(estimate["unit"], "stamps/s");
    let used = &case["utilization"][0];
    assert_eq!((used["resource"].as_str(), used["limit"].as_f64()), (Some("press:0"), Some(200.0)));
    let share = used["fraction"].as_f64().unwrap();
    assert!((share - estimate["median"].as_f64().unwrap() / 200.0).abs() < 1e-9, "{used:#}");
    let findings = case["findings"].as_array().unwrap();
    let reached = findings.iter().find(|f| f["code"] == "limit-reached");
    match reached {
        Some(verdict) => {
            assert_eq!(
                (verdict["kind"].as_str(), verdict["resource"].as_str()),
                (Some("bottleneck"), Some("press:0"))
            );
            assert_eq!(verdict["args"]["fraction"].as_f64(), Some(share), "{verdict:#}");
        }
        None => assert!(share < REACHED, "{case:#}"),
    }
    // The limit belongs to the case, not to the machine.
    assert_eq!(case["limits"][0]["resource"], "press:0");
    assert!(!document["machines"][0]["limits"].to_string().contains("press:0"));
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
