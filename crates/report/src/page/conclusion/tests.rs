//! The sentence of each kind of verdict, of one case and of a sweep.

use language::{LANGUAGES, Language};
use model::finding::Evidence;
use model::run::{Doubling, Gain, GainBound, GainCeiling, GainFix, GainLaw, TriedGain};
use model::{Resource, Run, Severity};

use super::*;
use crate::document::markdown;
use crate::document::terminal::{self, Detail};
use crate::page::Subject;
use crate::terminal::Terminal;

/// A case of random reads of 4 KiB with so many under way.
fn disk(depth: u64, iops: f64) -> CaseResult {
    let mut case = crate::tests::run().cases.remove(0);
    let parameters = &mut case.loads.main.parameters;
    parameters.set(ParameterName::new("pattern"), "randread");
    parameters.set(ParameterName::new("block-size"), 4096u64);
    parameters.set(ParameterName::new("queue-depth"), depth);
    crate::tests::profiled(&mut case);
    crate::tests::named(&mut case, &format!("disk randread 4k queue-depth={depth}"));
    put(&mut case, metric::IOPS, iops);
    case
}

fn put(case: &mut CaseResult, name: MetricName, value: f64) {
    let (low, high) = (Some(value * 0.99), Some(value * 1.01));
    let (confidence, method) = (Some(0.95), None);
    let (unit, better) = (Unit::PerSecond, Better::Higher);
    let estimate = Estimate { n: 5, median: value, low, high, confidence, method, unit, better };
    case.loads.main.estimates.insert(name, estimate);
}

fn limited(mut case: CaseResult, code: &str) -> CaseResult {
    let finding = Finding::new(FindingKind::Bottleneck, code, Severity::Note);
    case.findings = vec![finding.on("block:vda")];
    case
}

fn with(mut case: CaseResult, name: &str, value: impl Into<Value>) -> CaseResult {
    case.findings[0].args.insert(name.to_owned(), value.into());
    case
}

fn run(cases: Vec<CaseResult>) -> Run {
    let definitions = crate::figure::tests::fixture::definitions();
    Run { cases, definitions, ..crate::tests::run() }
}

/// The sentences about these cases.
fn said(language: Language, cases: Vec<CaseResult>) -> Vec<String> {
    let run = run(cases);
    let view = View::new(&Subject { run: &run, words: language.words() });
    all(&view).into_iter().map(|one| one.text).collect()
}

fn english(cases: Vec<CaseResult>) -> String {
    let mut all = said(Language::English, cases);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn a_sweep_says_from_where_on_more_gives_no_more() {
    let sweep = || {
        vec![
            limited(disk(1, 10_000.0), "latency-bound"),
            limited(disk(8, 29_500.0), "device-full"),
            limited(disk(16, 30_100.0), "device-full"),
        ]
    };
    let text =
        "Disk vda is the limit: 30.10 k reads a second from queue depth 8 on; more only makes them wait.";
    assert_eq!(english(sweep()), text);
    let said_in = |language| said(language, sweep()).remove(0);
    assert!(said_in(Language::Korean).ends_with("기다리기만 합니다."));
    assert!(said_in(Language::Japanese).ends_with("待ちが増えるだけです。"));
    // Where the most that was tried gives the most, nobody knows where it ends.
    let growing = vec![disk(1, 10_000.0), limited(disk(2, 18_000.0), "cannot-tell")];
    let text = "The limit is unknown: 18.00 k reads a second at queue depth 2, the most that was tried.";
    assert_eq!(english(growing), text);
}

/// A level that headroom added by itself has no verdict; what was asked for answers.
#[test]
fn a_level_that_was_added_does_not_take_the_answer_away() {
    let sweep = |deepest: CaseResult| {
        let waits = |depth: u64, iops: f64| {
            let case = limited(disk(depth, iops), "latency-bound");
            with(with(case, "depth", depth as f64), "latency_s", depth as f64 / iops)
        };
        english(vec![waits(32, 50_000.0), waits(64, 60_000.0), deepest])
    };
    let mut added = disk(128, 66_000.0);
    added.role = CaseRole::Extra { of: 1 };
    let text = sweep(added.clone());
    assert!(text.contains("60.00 k reads a second, 64 at a time"), "{text}");
    // One that was asked for and has no verdict keeps its answer.
    added.role = CaseRole::Asked;
    added = limited(added, "cannot-tell");
    assert!(sweep(added).starts_with("The limit is unknown: 66.00 k reads a second"));
}

#[test]
fn a_case_alone_says_what_limits_it() {
    let core = with(with(limited(disk(1, 2_000.0), "one-core-full"), "threads", 1.0), "cpus", 2.0);
    let core = with(core, "more", true);
    let text = "One core is the limit: 2.000 k reads a second; the machine has another one.";
    assert_eq!(english(vec![core]), text);
    let waits = with(with(limited(disk(1, 10_000.0), "latency-bound"), "depth", 1.0), "latency_s", 1e-4);
    let text = "The wait for disk vda is the limit: 10.00 k reads a second, one at a time, each of which takes 100 us.";
    assert_eq!(english(vec![waits]), text);
    // A load that is not driven as hard as it goes has no limit.
    assert_eq!(said(Language::English, vec![disk(1, 10_000.0)]), Vec::<String>::new());
}

#[test]
fn a_search_says_where_it_ended() {
    let searched = |ended| {
        let parameter = ParameterName::new("queue-depth");
        let growth: Vec<Doubling> = Vec::new();
        let search = LevelSearch { parameter, best: 32, knee: 24, ended, growth };
        CaseResult { search: Some(search), ..limited(disk(32, 104_000.0), "device-full") }
    };
    let mut knee = limited(disk(24, 100_000.0), "device-full");
    knee.role = CaseRole::Knee { of: 0 };
    for (ended, end) in [
        (SearchEnd::Flat, " from queue depth 24 on; more only makes them wait."),
        (SearchEnd::Latency, " at queue depth 32; more gives little more, and they wait long."),
        (SearchEnd::Bound, " at queue depth 32, the most that was tried."),
        (SearchEnd::Budget, " at queue depth 32; there was no time to look for more."),
    ] {
        let text = english(vec![searched(ended), knee.clone()]);
        assert_eq!(text, format!("Disk vda is the limit: 104.0 k reads a second{end}"));
    }
}

/// A verdict without words here would be said in the words of its finding.
#[test]
fn every_verdict_has_its_sentence_in_every_language() {
    for language in LANGUAGES {
        let words = crate::view::words(*language);
        let lacks: Vec<_> =
            analysis::verdicts().filter(|code| !words.has(&format!("conclusion-{code}"))).collect();
        assert!(lacks.is_empty(), "{}: {lacks:?}", language.tag());
    }
}

/// Bug: an interface of the other machine was told without the machine, though both call theirs the same.
#[test]
fn what_is_full_at_the_other_end_is_told_with_its_machine() {
    let case = with(limited(disk(1, 2_000.0), "link-full"), "end", "far");
    let text = "Disk vda of 10.0.0.2:7117 is the limit: 2.000 k reads a second.";
    assert_eq!(english(vec![with(case.clone(), "machine", "10.0.0.2:7117")]), text);
    let near = with(with(case, "end", "near"), "machine", "");
    assert_eq!(english(vec![near]), "Disk vda is the limit: 2.000 k reads a second.");
}

/// Bug: of a load on a server nobody knew whose core was full.
#[test]
fn the_core_of_a_client_is_told_from_the_server_s() {
    let case = with(limited(disk(1, 2_000.0), "one-core-full"), "threads", 1.0);
    let mut case = with(with(case, "cpus", 1.0), "more", false);
    case.loads.main.profile.aspects.insert(ParameterName::new("url"), Aspect::Server);
    assert_eq!(english(vec![case]), "One core of the client is the limit: 2.000 k reads a second.");
}

/// Bug: a disk that is full of what others do, or of what a file system adds, was told as if the load filled it.
#[test]
fn a_full_disk_of_which_the_load_has_at_most_half_says_so() {
    let mut case = limited(disk(16, 5_300.0), "device-full");
    let there = Evidence { code: "others-there".to_owned(), ..Evidence::default() };
    case.findings[0].evidence.push(there);
    let text = "Disk vda, of whose traffic at most half is the load's, is the limit: 5.300 k reads a second.";
    assert_eq!(english(vec![case]), text);
}

/// Bug: of writes with a sync each only the time of the write was told, which is next to nothing of it.
#[test]
fn what_syncs_take_of_the_time_is_told_with_what_is_waited_for() {
    let case = with(with(limited(disk(1, 480.0), "latency-bound"), "depth", 1.0), "latency_s", 1.2e-4);
    let case = with(with(with(case, "syncs", true), "sync_s", 1.95e-3), "sync_share", 0.94);
    let text = english(vec![case]);
    assert!(
        text.ends_with("each of which takes 120 us; 94 % of the time is spent in syncs of 1.95 ms."),
        "{text}"
    );
    let mut full = limited(disk(16, 2_300.0), "device-full");
    let seen = Evidence { code: "in-syncs".to_owned(), ..Evidence::default() };
    full.findings[0].evidence.push(seen.arg("share", 0.93).arg("sync_s", 6.5e-3));
    let text = english(vec![full]);
    assert!(
        text.ends_with("2.300 k reads a second; 93 % of the time is spent in syncs of 6.5 ms."),
        "{text}"
    );
}

/// Bug: that all processors were slowed down stood in a warning only.
#[test]
fn processors_that_slowed_down_in_most_trials_are_said_to_have() {
    let told = |trials: f64, why: &str| {
        let full = with(with(limited(disk(1, 2_000.0), "all-cores-full"), "cpus", 8.0), "shared", false);
        let mut case = full;
        let found = Finding::new(FindingKind::Validity, "throttled", Severity::Warning);
        case.findings.push(found.arg("trials", trials).arg("of", 5.0).arg("why", why));
        english(vec![case])
    };
    assert_eq!(told(3.0, "heat"), "All 8 CPUs are the limit, slowed down by heat: 2.000 k reads a second.");
    assert!(told(5.0, "power").contains("the limit, slowed down by a limit of power: "));
    assert!(told(2.0, "heat").contains("the limit: "), "in two of five trials");
}

/// Bug: the mean of what was saved up and of what lasts was told as the base rate.
#[test]
fn the_base_rate_of_a_bucket_is_told_apart_from_what_was_measured() {
    let case = with(limited(disk(32, 1_750.0), "bucket-used-up"), "base", 500.0);
    let text = english(vec![with(case, "unit", "1/s")]);
    assert!(
        text.contains("its base rate of 500") && text.contains("measured: 1.750 k reads a second"),
        "{text}"
    );
}

#[test]
fn what_a_later_version_found_is_said_in_its_own_words() {
    let mut case = limited(disk(1, 2_000.0), "of-a-later-version");
    case.findings[0].text = "the moon is full: it shines".to_owned();
    assert_eq!(english(vec![case]), "The moon is full: 2.000 k reads a second.");
}

/// What was measured once has no interval.
#[test]
fn what_was_tried_once_has_no_interval() {
    let mut case = gaining();
    case.gains[0].tried = Some(TriedGain { times: 1.57, low: None, high: None, trials: 1 });
    let run = run(vec![case]);
    let subject = Subject { run: &run, words: Language::English.words() };
    let page = markdown::write(&crate::page::document(&subject));
    assert!(page.contains("| 1.57 times |"), "{page}");
}

/// A case with a prediction that was tried and one that was not.
fn gaining() -> CaseResult {
    let mut case = with(with(limited(disk(1, 10_000.0), "latency-bound"), "depth", 1.0), "latency_s", 1e-4);
    let bound = |kind, resource: Option<&str>| GainBound { kind, resource: resource.map(Resource::from) };
    let deeper = Gain {
        fix: GainFix::More,
        parameter: Some(ParameterName::new("queue-depth")),
        resource: None,
        from: Some(1.0),
        to: Some(2.0),
        law: GainLaw::Little,
        predicted: 1.9,
        least: None,
        bound: Some(bound(GainCeiling::Resource, Some("block:vda"))),
        tried: Some(TriedGain { times: 1.7, low: Some(1.6), high: Some(1.8), trials: 5 }),
    };
    let faster = Gain {
        fix: GainFix::Processor,
        parameter: None,
        from: None,
        to: None,
        predicted: 1.0,
        bound: Some(bound(GainCeiling::Processors, None)),
        tried: None,
        law: GainLaw::Utilization,
        ..deeper.clone()
    };
    case.gains = vec![deeper, faster];
    case
}

#[test]
fn what_would_buy_more_stands_on_the_page_and_in_one_line_on_a_terminal() {
    let run = run(vec![gaining()]);
    for language in LANGUAGES {
        let subject = Subject { run: &run, words: language.words() };
        let document = crate::page::document(&subject);
        let page = markdown::write(&document);
        let brief = terminal::write(&document, Terminal::new(200, false), Detail::Brief("x"));
        assert!(page.contains("1.7") && brief.contains("1.7"), "{page}\n{brief}");
        if *language != Language::English {
            continue;
        }
        let row = "| queue depth 2 instead of 1 | at most 1.9 times as much; then disk vda is full | Little’s law \
                   | 1.7 times (1.6 to 1.8) |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| nothing, for all CPUs are busy | utilization law |"), "{page}");
        let brief: String = brief.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = "queue depth 2 instead of 1: at most 1.9 times as much; then disk vda is full; measured 1.7 times \
                    (1.6 to 1.8)";
        assert!(brief.contains(line), "{brief}");
    }
}

#[test]
fn notes_that_every_run_of_a_kind_has_stand_once_at_the_end_and_are_folded() {
    let note = |scope: bool| {
        let found = Finding::new(FindingKind::Validity, "a-note", Severity::Note).worded("it may be so");
        if scope { found.general() } else { found.worded("it is so here") }
    };
    let mut cases = vec![disk(1, 1.0), disk(2, 2.0)];
    for case in &mut cases {
        case.findings = vec![note(true), note(false)];
    }
    let run = run(cases);
    let document = crate::page::document(&Subject { run: &run, words: Language::English.words() });
    let page = markdown::write(&document);
    let [before, after] =
        page.split_once("Notes that every run of this kind has (1)").map(Into::into).unwrap();
    assert!(before.contains("It is so here.") && !before.contains("It may be so."), "{page}");
    assert_eq!(after.matches("It may be so.").count(), 1, "{page}");
    assert!(after.contains("<details>"), "{page}");
    let brief = terminal::write(&document, Terminal::default(), Detail::Brief("headroom show -v"));
    let brief: String = brief.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(brief.ends_with("Notes that every run of this kind has (1)."), "{brief}");
    assert!(!brief.contains("It may be so"), "{brief}");
}
