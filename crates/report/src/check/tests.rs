//! The report of a run that another tool made, in every language.

use language::LANGUAGES;
use model::finding::Evidence;
use model::tool_result::{
    Counting, LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, UnreadCause,
    UnreadLines,
};
use model::trial::TrialResult;
use model::{Finding, FindingKind, MetricName, Run, Severity, Status, ToolOutput, Trial, Unit, metric};

use super::{ToolSubject, ToolSuggestion, document};
use crate::document::terminal::{Detail, write};
use crate::terminal::Terminal;

fn result() -> ToolResult {
    let mut whole = ToolMeasurement::default();
    let printed = PrintedValue {
        line: 4,
        text: "64.00 MB/s".to_owned(),
        value: 64e6,
        unit: Unit::BytesPerSecond,
        half_step: 5e3,
        counting: Some(Counting::Decimal),
    };
    whole.add(metric::THROUGHPUT, Some(printed));
    ToolResult {
        tool: "dd".to_owned(),
        version: Some("GNU".to_owned()),
        lines: LineRange { first: 2, last: 4 },
        command: vec!["dd".to_owned(), "of=x".to_owned()],
        whole,
        ..ToolResult::default()
    }
}

fn run() -> Run {
    let unread = UnreadLines {
        lines: LineRange { first: 6, last: 7 },
        cause: UnreadCause::CutShort,
        tool: Some("fio".to_owned()),
        text: "fio-3.33".to_owned(),
        last_text: None,
        written: Vec::new(),
    };
    let output =
        ToolOutput { results: vec![result()], unread: vec![unread], lines: 7, ..ToolOutput::default() };
    let mut run = crate::tests::run();
    let trial = Trial {
        order: 0,
        block: 0,
        started: String::new(),
        status: Status::Ok,
        reason: None,
        result: TrialResult::default(),
    };
    run.cases[0].trials = vec![trial];
    let lines = Evidence::maybe_at("printed-lines", None).arg("first", 2u64).arg("last", 4u64);
    let finding = Finding::new(FindingKind::Validity, "single-run", Severity::Warning)
        .arg("tool", "dd")
        .arg("times", 5u64)
        .because(lines);
    run.cases[0].findings = vec![finding];
    run.tool_outputs = vec![output];
    run
}

#[test]
fn the_figures_stand_as_printed_and_in_one_unit_with_what_is_wrong() {
    let run = run();
    let suggestion = ToolSuggestion {
        tool: "dd".to_owned(),
        typed: Some("dd of=x".to_owned()),
        corrected: None,
        times: Some(5),
        own: Some("headroom run disk --target x".to_owned()),
    };
    for language in LANGUAGES {
        let words = crate::view::words(*language);
        let subject = ToolSubject {
            run: &run,
            found: &[],
            suggestions: std::slice::from_ref(&suggestion),
            comparison: None,
            words,
        };
        let text = write(&document(&subject), Terminal::default(), Detail::All);
        for part in ["64.00 MB/s", "dd GNU", "dd of=x", "headroom run disk --target x", "fio-3.33"] {
            assert!(text.contains(part), "{language:?} lacks {part}:\n{text}");
        }
        assert!(!text.contains("check-") && !text.contains("column-"), "{language:?}:\n{text}");
        assert!(!text.contains('{') && !text.contains("single-run"), "{language:?}:\n{text}");
    }
}

#[test]
fn regression_the_command_of_several_results_was_named_for_each() {
    let run = run();
    let of = |command: &str| ToolSuggestion {
        tool: "redis-benchmark".to_owned(),
        typed: Some(command.to_owned()),
        corrected: None,
        times: Some(5),
        own: None,
    };
    let one = "redis-benchmark -q";
    let suggestions = [of(one), of(one), of(one), of("redis-benchmark -t set")];
    let words = crate::view::words(LANGUAGES[0]);
    let subject = ToolSubject { run: &run, found: &[], suggestions: &suggestions, comparison: None, words };
    let text = write(&document(&subject), Terminal::default(), Detail::Brief("headroom check -v x"));
    assert_eq!(text.matches(one).count(), 1, "{text}");
    assert!(text.contains("redis-benchmark -t set"), "{text}");
}

#[test]
fn what_has_nothing_but_parts_is_shown_by_them() {
    let mut run = run();
    let only = &mut run.tool_outputs[0].results[0];
    let measured = std::mem::take(&mut only.whole);
    only.parts.push(ToolPart {
        kind: ToolPartKind::Target,
        name: "EXAMPLE SSD".to_owned(),
        start_s: None,
        measured,
    });
    let words = crate::view::words(LANGUAGES[0]);
    let subject = ToolSubject { run: &run, found: &[], suggestions: &[], comparison: None, words };
    let text = write(&document(&subject), Terminal::default(), Detail::Brief("headroom check -v x"));
    assert!(text.contains("EXAMPLE SSD") && text.contains("64.00 MB/s"), "{text}");
}

/// A figure without a unit.
fn share(value: f64) -> PrintedValue {
    PrintedValue { line: 4, text: format!("{value}"), value, unit: Unit::One, half_step: 0.0, counting: None }
}

fn brief(run: &Run) -> String {
    let words = crate::view::words(LANGUAGES[0]);
    let subject = ToolSubject { run, found: &[], suggestions: &[], comparison: None, words };
    write(&document(&subject), Terminal::default(), Detail::Brief("headroom check -v x"))
}

#[test]
fn results_of_one_command_are_told_apart_by_their_options() {
    let mut run = run();
    let only = run.tool_outputs[0].results[0].clone();
    let of = |device: &str| {
        let mut result = only.clone();
        result.options.insert("device".to_owned(), device.to_owned());
        result.options.insert("bs".to_owned(), "4096".to_owned());
        result
    };
    run.tool_outputs[0].results = vec![of("sda"), of("sdb")];
    let text = brief(&run);
    assert!(text.contains("device sda") && text.contains("device sdb"), "{text}");
    assert!(!text.contains("4096"), "both have it:\n{text}");
}

#[test]
fn what_is_looked_for_stands_before_the_details() {
    let mut run = run();
    let whole = &mut run.tool_outputs[0].results[0].whole;
    *whole = ToolMeasurement::default();
    let named = |name: &'static str| model::MetricName::new(name);
    whole.add(named("load_average"), Some(share(0.25)));
    whole.add(metric::LATENCY_MEAN, Some(share(0.5)));
    whole.add(named("latency_p95"), Some(share(0.75)));
    whole.add(named("latency_stddev"), Some(share(0.125)));
    whole.add(named("cpu_steal_share"), Some(share(0.375)));
    whole.add(named("cpu_nice_share"), Some(share(0.0)));
    let text = brief(&run);
    for shown in ["0.25", "0.5", "0.75", "0.375"] {
        assert!(text.contains(shown), "{shown} is missing:\n{text}");
    }
    assert!(!text.contains("0.125"), "{text}");
}

#[test]
fn both_ways_of_a_link_are_shown() {
    let mut run = run();
    let whole = &mut run.tool_outputs[0].results[0].whole;
    *whole = ToolMeasurement::default();
    whole.add(MetricName::new("receive_packets_per_second"), Some(share(0.25)));
    whole.add(MetricName::new("send_packets_per_second"), Some(share(0.5)));
    whole.add(metric::RECEIVE_THROUGHPUT, Some(share(0.75)));
    whole.add(metric::SENDER_THROUGHPUT, Some(share(0.375)));
    let text = brief(&run);
    for shown in ["0.25", "0.5", "0.75", "0.375"] {
        assert!(text.contains(shown), "{shown} is missing:\n{text}");
    }
    let whole = &mut run.tool_outputs[0].results[0].whole;
    whole.add(metric::THROUGHPUT, Some(share(0.625)));
    let text = brief(&run);
    assert!(text.contains("0.625") && !text.contains("0.375"), "{text}");
}

#[test]
fn regression_a_small_loss_was_shown_as_none() {
    let mut run = run();
    let lost = PrintedValue { text: "123/610325".to_owned(), ..share(123.0 / 610_325.0) };
    run.tool_outputs[0].results[0].whole.add(metric::LOSS, Some(lost));
    assert!(brief(&run).contains("0.00020"), "{}", brief(&run));
}

#[test]
fn of_phases_each_is_shown() {
    let mut run = run();
    let whole = &mut run.tool_outputs[0].results[0].whole;
    *whole = ToolMeasurement::default();
    whole.add(model::MetricName::new("copy_throughput"), Some(share(0.25)));
    whole.add(model::MetricName::new("triad_throughput"), Some(share(0.5)));
    whole.add(model::MetricName::new("triad_time"), Some(share(0.125)));
    let text = brief(&run);
    assert!(text.contains("0.25") && text.contains("0.5") && !text.contains("0.125"), "{text}");
}

#[test]
fn regression_results_of_one_command_had_the_same_name() {
    fn told(change: fn(&mut ToolResult, &str)) -> String {
        let mut run = run();
        let mut other = result();
        change(&mut run.tool_outputs[0].results[0], "sda");
        change(&mut other, "sdb");
        run.tool_outputs[0].results.push(other);
        let words = crate::view::words(LANGUAGES[0]);
        let subject = ToolSubject { run: &run, found: &[], suggestions: &[], comparison: None, words };
        write(&document(&subject), Terminal::default(), Detail::Brief("headroom check -v x"))
    }
    let by_device = told(|result, device| {
        result.options.insert("device".to_owned(), device.to_owned());
        result.options.insert("interval".to_owned(), "1".to_owned());
    });
    for name in ["dd GNU, device sda, lines 2 to 4", "dd GNU, device sdb, lines 2 to 4"] {
        assert!(by_device.contains(name), "{by_device}");
    }
    let by_name = told(|result, name| result.name = Some(format!("job {name}")));
    assert!(by_name.contains("dd GNU, job sda, lines 2 to 4"), "{by_name}");
    let alike = told(|_, _| {});
    assert!(alike.contains("dd GNU, lines 2 to 4"), "{alike}");
}

#[test]
fn without_a_percentile_the_mean_latency_is_among_the_first_figures() {
    let mut run = run();
    let latency = |text: &str, value: f64| PrintedValue {
        line: 5,
        text: text.to_owned(),
        value,
        unit: Unit::Seconds,
        half_step: 0.0,
        counting: None,
    };
    let words = crate::view::words(LANGUAGES[0]);
    let brief = |run: &Run| {
        let subject = ToolSubject { run, found: &[], suggestions: &[], comparison: None, words };
        write(&document(&subject), Terminal::default(), Detail::Brief("headroom check -v x"))
    };
    let whole = &mut run.tool_outputs[0].results[0].whole;
    whole.add(metric::LATENCY_MEAN, Some(latency("7.25 ms", 0.00725)));
    assert!(brief(&run).contains("7.25 ms"), "{}", brief(&run));
    let whole = &mut run.tool_outputs[0].results[0].whole;
    whole.add(MetricName::new("device_latency_p99"), Some(latency("8.50 ms", 0.0085)));
    assert!(brief(&run).contains("8.50 ms") && brief(&run).contains("7.25 ms"), "{}", brief(&run));
    let whole = &mut run.tool_outputs[0].results[0].whole;
    whole.add(metric::LATENCY_P99, Some(latency("9.75 ms", 0.00975)));
    assert!(brief(&run).contains("9.75 ms") && !brief(&run).contains("8.50 ms"), "{}", brief(&run));
}

#[test]
fn regression_latencies_of_reads_and_writes_were_not_among_the_first_figures() {
    let mut run = run();
    let words = crate::view::words(LANGUAGES[0]);
    let brief = |run: &Run| {
        let subject = ToolSubject { run, found: &[], suggestions: &[], comparison: None, words };
        write(&document(&subject), Terminal::default(), Detail::Brief("headroom check -v x"))
    };
    let figure = |text: &str, value: f64, unit: Unit| PrintedValue {
        line: 5,
        text: text.to_owned(),
        value,
        unit,
        half_step: 0.0,
        counting: None,
    };
    let mut add = |whole: MetricName, direction: &str, printed: PrintedValue| {
        run.tool_outputs[0].results[0].whole.add(whole.of(direction).unwrap(), Some(printed));
    };
    add(metric::IOPS, "read", figure("321 IOPS", 321.0, Unit::PerSecond));
    add(metric::LATENCY_MEAN, "read", figure("7.25 ms", 0.00725, Unit::Seconds));
    add(MetricName::new("device_latency_p99"), "write", figure("8.50 ms", 0.0085, Unit::Seconds));
    let text = brief(&run);
    assert!(["321 IOPS", "7.25 ms", "8.50 ms"].iter().all(|printed| text.contains(*printed)), "{text}");
    let whole = &mut run.tool_outputs[0].results[0].whole;
    whole.add(metric::LATENCY_MEAN, Some(figure("9.75 ms", 0.00975, Unit::Seconds)));
    let text = brief(&run);
    assert!(text.contains("9.75 ms") && !text.contains("7.25 ms"), "{text}");
}
