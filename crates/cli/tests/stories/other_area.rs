//! An area that nobody knows, defined in one file (`examples/press.rs`), goes from the
//! run to the page: the verdict names its resource, its fixture is made and removed, and
//! every output has its parameters, its operations, its unit and its words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout};

/// The share of a limit from which on the verdict is that it is reached.
const REACHED: f64 = 0.95;

/// How far the share of checks may be from what was asked: a trial has some 20 pieces.
const NEAR: f64 = 0.15;

/// The program with that area; examples are built beside the tests.
fn program() -> PathBuf {
    let headroom = PathBuf::from(env!("CARGO_BIN_EXE_headroom"));
    let press = headroom.parent().unwrap().join("examples/press");
    assert!(press.exists(), "{} is not there: run `cargo build --example press`", press.display());
    press
}

/// Where it makes its dies.
fn dies(place: &StoryFolder) -> PathBuf {
    let folder = place.path().join("dies");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether there are none.
fn has_no_dies(place: &StoryFolder) -> bool {
    std::fs::read_dir(dies(place)).unwrap().next().is_none()
}

/// `press ARGUMENTS`.
fn press(place: &StoryFolder, arguments: &[&str]) -> Command {
    let headroom = place.command(arguments);
    let mut press = Command::new(program());
    press.args(headroom.get_args()).current_dir(place.path());
    press.envs(headroom.get_envs().filter_map(|(name, value)| Some((name, value?))));
    press.env("TMPDIR", dies(place));
    press
}

/// What it prints.
fn said(place: &StoryFolder, arguments: &[&str]) -> String {
    let output = press(place, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

/// A text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "")
}

/// The page of a run, in this format.
fn written(place: &StoryFolder, run: &str, language: &str, format: &str) -> String {
    let path = place.path().join(format!("{language}.{format}"));
    said(place, &["report", run, "--lang", language, "-o", path.to_str().unwrap()]);
    std::fs::read_to_string(path).unwrap()
}

/// The page of the last run.
fn page(place: &StoryFolder, language: &str) -> String {
    written(place, "last", language, "html")
}

fn last_run(place: &StoryFolder) -> Value {
    serde_json::from_str(&said(place, &["export", "last"])).unwrap()
}

#[test]
fn a_workload_of_an_unknown_area_has_verdict_page_comparison_and_table() {
    let place = StoryFolder::new();
    let load =
        ["press.stamp", "--threads", "8", "--duration", "400ms", "--warm-up", "100ms", "--trials", "3"];
    let summary = said(&place, &[&["run"][..], &load].concat());
    assert!(summary.contains("pieces/s"), "{summary}");
    std::fs::write(place.path().join("first.json"), said(&place, &["export", "last"])).unwrap();
    said(&place, &[&["run"][..], &load].concat());

    // Verdict: how full the press is follows from what was measured and its limit of 200 pieces a
    // second, whatever that is on a machine that is busy with other things.
    let document = last_run(&place);
    let case = &document["cases"][0];
    let estimate = &case["loads"][0]["estimates"]["pieces"];
    assert_eq!(estimate["unit"], "pieces/s");
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
    assert_eq!(document["cases"][0]["loads"][0]["profile"]["headline"], "pieces");
    assert_eq!(document["cases"][0]["loads"][0]["profile"]["waits_for"][0], "press");

    // The page, with its words in three languages.
    for (language, title) in [("en", "Pieces"), ("ko", "초당 조각 수"), ("ja", "毎秒の部品数")] {
        let page = page(&place, language);
        assert!(page.contains(title) && page.contains("pieces/s"), "{language}");
        assert!(page.contains("press:0"), "{language}: the verdict names the press");
    }

    let compared = said(&place, &["compare", "first.json", "last"]);
    assert!(compared.contains("pieces/s"), "{compared}");
    let table = said(&place, &["export", "last", "--format", "csv"]);
    assert!(table.contains("press.stamp") && table.contains("pieces/s"), "{table}");

    // The program itself knows neither the area nor loses what it made.
    let known = place.run(&["show", "last"]);
    assert!(known.status.success() && stdout(&known).contains("pieces/s"), "{}", stderr(&known));
    let unknown = place.run(&["run", "press.stamp"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", stdout(&unknown));
}

/// What is measured on a busy machine decides nothing; so the rates of a run are put in by hand.
#[test]
fn a_verdict_of_an_unknown_area_stands_where_its_limit_is_reached() {
    let place = StoryFolder::new();
    let load = ["press.stamp", "--threads", "8", "--duration", "100ms", "--warm-up", "10ms", "--trials", "3"];
    said(&place, &[&["run"][..], &load].concat());
    let made = |rate: f64| {
        let mut document = last_run(&place);
        for trial in document["cases"][0]["trials"].as_array_mut().unwrap() {
            trial["loads"][0]["metrics"]["pieces"]["value"] = rate.into();
        }
        std::fs::write(place.path().join("made.json"), document.to_string()).unwrap();
        let page = |language| written(&place, "made.json", language, "md");
        [said(&place, &["show", "made.json"]), page("en"), page("ko"), page("ja")].map(|text| flat(&text))
    };
    // What limits it; how much more can be done where nothing does.
    let verdicts = [
        "press:0 gives all that it can",
        "press:0 gives all that it can",
        "press:0 한계에 도달",
        "press:0 が限界",
    ];
    for (text, verdict) in made(198.0).iter().zip(verdicts) {
        assert!(text.contains(verdict) && text.contains("99 %"), "{verdict}: {text}");
    }
    for (text, verdict) in made(150.0).iter().zip(verdicts) {
        assert!(!text.contains(verdict) && text.contains("75 %"), "{verdict}: {text}");
    }
}

/// Six cases: two hardnesses, and three shares of checks.
const SWEEP: &[&str] = &[
    "run",
    "press.stamp",
    "--hardness",
    "soft,hard",
    "--check-share",
    "0%,25%,50%",
    "--threads",
    "2",
    "--duration",
    "150ms",
    "--warm-up",
    "20ms",
    "--trials",
    "3",
];

#[test]
fn its_parameters_operations_and_fixture_are_in_every_output() {
    let place = StoryFolder::new();
    let plan = flat(&said(&place, &[SWEEP, &["--dry-run"]].concat()));
    for hardness in ["soft", "hard"] {
        assert!(plan.contains(&format!("makes a die for {hardness} pieces")), "{plan}");
    }
    assert!(has_no_dies(&place), "a plan makes nothing");

    let run = press(&place, SWEEP).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let controller = run.id();
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let document = last_run(&place);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    cases.iter().for_each(check_case);
    check_dies(&place, cases, controller);
    check_pages(&place);
    check_comparison(&place);
    check_csv(&place);
}

/// Profile, limit and figures follow from the parameters.
fn check_case(case: &Value) {
    let load = &case["loads"][0];
    let share = load["parameters"]["check-share"].as_f64().unwrap();
    let stamp_s = if load["parameters"]["hardness"] == "hard" { 0.01 } else { 0.005 };
    let flows = load["profile"]["flows"].as_array().unwrap().iter();
    let flows: Vec<_> =
        flows.map(|flow| (flow["class"].as_str().unwrap(), flow["share"].as_f64().unwrap())).collect();
    let asked = [("stamp", 1.0 - share), ("check", share)];
    assert_eq!(flows, asked[..if share > 0.0 { 2 } else { 1 }]);
    let limit = case["limits"][0]["effective"].as_f64().unwrap();
    let each_s = (1.0 - share) * stamp_s + share * 0.001;
    assert!((limit * each_s - 1.0).abs() < 1e-9, "{case:#}");
    assert_eq!(case["utilization"][0]["resource"], "press:0");

    for trial in case["trials"].as_array().unwrap() {
        let rate = |name: &str| trial["loads"][0]["metrics"][name]["value"].as_f64();
        let all = rate("pieces").unwrap();
        match (rate("stamp_pieces"), rate("check_pieces")) {
            (Some(stamped), Some(checked)) if share > 0.0 => {
                assert!((stamped + checked - all).abs() < 1e-6 * all, "{trial:#}");
            }
            parts => assert_eq!((parts, share), ((None, None), 0.0)),
        }
    }
    let median = |name: &str| load["estimates"][name]["median"].as_f64();
    if let Some(checked) = median("check_pieces") {
        assert!((checked / median("pieces").unwrap() - share).abs() < NEAR, "{load:#}");
        assert_eq!(load["estimates"]["check_pieces"]["unit"], "pieces/s");
    }
    // Of both kinds there are enough for a percentile.
    if share == 0.5 {
        assert!(median("stamp_latency_p50").is_some() && median("check_latency_p50").is_some(), "{load:#}");
    }
}

/// The agent made one die for each hardness, for all cases and trials, and removed it.
fn check_dies(place: &StoryFolder, cases: &[Value], controller: u32) {
    let mut made: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for case in cases {
        let hardness = case["loads"][0]["parameters"]["hardness"].as_str().unwrap();
        let trials = case["trials"].as_array().unwrap();
        assert_eq!(trials.len(), 3);
        let used = trials.iter().map(|trial| trial["loads"][0]["facts"]["die"].as_str().unwrap());
        made.entry(hardness).or_default().extend(used);
    }
    assert_eq!(made.keys().copied().collect::<Vec<_>>(), ["hard", "soft"]);
    assert!(made.values().all(|dies| dies.len() == 1), "{made:?}");
    assert_ne!(made["hard"], made["soft"]);
    let makers: BTreeSet<u32> = made.values().flatten().map(|die| maker(place, Path::new(die))).collect();
    assert!(makers.len() == 1 && !makers.contains(&controller), "{controller} is no agent: {makers:?}");
    assert!(has_no_dies(place), "{:?}", std::fs::read_dir(dies(place)).unwrap().collect::<Vec<_>>());
}

/// The process that made a die.
fn maker(place: &StoryFolder, die: &Path) -> u32 {
    assert_eq!(die.parent(), Some(dies(place).as_path()));
    let name = die.file_name().unwrap().to_str().unwrap();
    name.strip_prefix("die-").unwrap().split('-').next().unwrap().parse().unwrap()
}

/// In each language the chart over the share, the levels of the hardness, and rows of
/// both kinds of operations in the four cases that have both.
fn check_pages(place: &StoryFolder) {
    for (language, chart, levels, rows) in [
        ("en", "Pieces over check share", ["soft", "hard"], ["+ stamp", "+ check"]),
        ("ko", "검사 비율에 따른 초당 조각 수", ["무른 조각", "단단한 조각"], ["+ 찍기", "+ 검사"]),
        ("ja", "検査の割合と毎秒の部品数", ["柔らかい部品", "硬い部品"], ["+ 打刻", "+ 検査"]),
    ] {
        let page = page(place, language);
        assert!(page.contains(chart), "{language}: no chart `{chart}`");
        for level in levels {
            assert!(page.contains(level), "{language}: no level `{level}`");
        }
        for row in rows {
            assert!(page.matches(row).count() >= 4, "{language}: `{row}` is missing in cases");
        }
    }
}

/// Hard pieces against soft ones, at each share.
fn check_comparison(place: &StoryFolder) {
    let by = ["compare", "last", "--by", "hardness"];
    let compared = said(place, &by);
    assert!(flat(&compared).contains("hardness hard against soft"), "{compared}");
    let document: Value = serde_json::from_str(&said(place, &[&by[..], &["--json"]].concat())).unwrap();
    let rows = document["rows"].as_array().unwrap().iter();
    let rows: Vec<&Value> = rows.filter(|row| row["headline"] == true).collect();
    assert_eq!(rows.len(), 3, "{document:#}");
    for row in rows {
        assert_eq!(row["metric"], "pieces");
        let median = |side: &str| row[side]["median"].as_f64().unwrap();
        assert!(median("baseline") > median("new"), "{row:#}");
    }
}

/// Each estimate has a row with its unit and the parameters of its case.
fn check_csv(place: &StoryFolder) {
    let table = said(place, &["export", "last", "--format", "csv"]);
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let column = |name: &str| head.iter().position(|title| *title == name).unwrap();
    let checks: Vec<_> = rows.filter(|row| row[column("metric")] == "check_pieces").collect();
    assert_eq!(checks.len(), 4, "{table}");
    for row in &checks {
        assert_eq!((row[column("workload")], row[column("unit")]), ("press.stamp", "pieces/s"), "{table}");
        assert_eq!((row[column("better")], row[column("n")]), ("higher", "3"), "{table}");
    }
    for level in ["hardness=soft", "hardness=hard", "check-share=0.25", "check-share=0.5"] {
        let has_level = |row: &&Vec<&str>| row[column("parameters")].split(' ').any(|word| word == level);
        assert_eq!(checks.iter().filter(has_level).count(), 2, "{level}: {table}");
    }
}

#[test]
fn its_parameters_are_listed_and_wrong_values_refused() {
    let place = StoryFolder::new();
    let list = flat(&said(&place, &["workloads"]));
    assert!(list.contains("press.stamp pieces stamped and checked by one press"), "{list}");
    let shown = flat(&said(&place, &["workloads", "press.stamp"]));
    for told in [
        "check-share = 0%",
        "hardness = soft",
        "soft (a stamp takes 5 ms), hard (a stamp takes 10 ms)",
        "check_pieces (pieces/s, higher is better)",
    ] {
        assert!(shown.contains(told), "no `{told}`: {shown}");
    }
    for (option, value, message, help) in [
        ("--hardness", "glass", "hardness: `glass` is not a choice here", "one of soft, hard"),
        (
            "--check-share",
            "120%",
            "check-share: `120%` is not between 0% and 100%",
            "a share from 0% to 100%",
        ),
        ("--check-share", "100%", "a press that only checks stamps nothing", "check fewer than 100%"),
    ] {
        let output = press(&place, &["run", "press.stamp", option, value]).output().unwrap();
        let says = flat(&stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{option} {value}: {says}");
        assert!(says.contains(message) && says.contains(help), "{option} {value}: {says}");
        assert!(output.stdout.is_empty() && has_no_dies(&place), "{option} {value}");
    }
}
