//! The report of a trace, from records that were made up.

use std::collections::BTreeMap;

use language::{LANGUAGES, Language, Words};
use trace::event::{Action, BlockOperation, Flags, IoDirection, TaskName};
use trace::{Analysis, AnalysisOptions, BlockEvent, Device, Report, TraceRecord};

use super::*;
use crate::document::terminal::{Detail, write};
use crate::document::{html, markdown};
use crate::terminal::Terminal;

const DISK: Device = Device { major: 8, minor: 0 };

fn named(text: &str) -> TaskName {
    let mut name = TaskName::default();
    name.0[..text.len()].copy_from_slice(text.as_bytes());
    name
}

/// 200 writes of 4 KiB one after another by `dd`, each at the device for 2 ms, then a stall and
/// a loss.
fn records(with_loss: bool) -> Vec<TraceRecord> {
    let operation =
        BlockOperation { direction: IoDirection::Write, flags: Flags { sync: true, ..Flags::default() } };
    let mut all = Vec::new();
    let mut at = |time_ns: u64, action: Action, sector: u64| {
        all.push(TraceRecord::Block(BlockEvent {
            time_ns,
            cpu: 0,
            action,
            device: Some(DISK),
            sector,
            bytes: 4096,
            operation,
            thread: 7,
            task: named("dd\u{1b}[2J"),
            error: 0,
        }));
    };
    for index in 0..200 {
        let (start, sector) = (index * 2_100_000, 2048 + 8 * index);
        at(start, Action::Queue, sector);
        at(start, Action::GetRequest, sector);
        at(start + 100_000, Action::Issue, sector);
        at(start + 2_100_000, Action::Complete, sector);
    }
    let start = 200 * 2_100_000;
    at(start, Action::Queue, 0);
    at(start, Action::Issue, 0);
    at(start + 300_000_000, Action::Complete, 0);
    if with_loss {
        all.push(TraceRecord::Lost { time_ns: start + 300_000_001, cpu: 1, events: Some(12) });
    }
    all.push(TraceRecord::Synced {
        began_ns: start,
        ended_ns: start + 300_000_002,
        thread: 7,
        task: named("dd"),
        call: "fsync",
        result: 0,
    });
    all
}

fn report(records: &[TraceRecord]) -> Report {
    let mut analysis = Analysis::new(AnalysisOptions::default());
    records.iter().for_each(|record| analysis.take(record));
    analysis.finish()
}

fn with_subject<T>(report: &Report, words: &'static Words, use_it: impl FnOnce(&TraceSubject<'_>) -> T) -> T {
    let names = BTreeMap::from([(DISK, "sda".to_owned())]);
    let command =
        TracedCommandEnd { line: "dd if=a of=b".to_owned(), ending: CommandEnding::Code(3), io: None };
    let cautions = [TraceCaution::Vanished { device: "sda".to_owned() }];
    use_it(&TraceSubject {
        report,
        names: &names,
        target: "/dev/sda",
        capture: None,
        command: Some(&command),
        is_steps: false,
        cautions: &cautions,
        words,
    })
}

fn text(report: &Report, words: &'static Words, detail: Detail<'_>) -> String {
    with_subject(report, words, |subject| write(&document(subject), Terminal::default(), detail))
}

#[test]
fn the_answer_says_what_was_done_by_whom_and_what_takes_the_time() {
    let said = text(&report(&records(false)), Language::English.words(), Detail::Brief("headroom trace -v"));
    let words: Vec<&str> = said.split_whitespace().collect();
    let flat = words.join(" ");
    for expected in [
        "sda completed 201 writes (804 KiB) and no read.",
        "Writes to sda were mostly sequential",
        "in pieces of 4 KiB (median)",
        "submitted most of it (100 % of the bytes)",
        "The command `dd if=a of=b` failed with exit code 3.",
        "sda completed nothing for 300 ms",
        "The device takes the time",
        "sda was removed while it was traced",
    ] {
        assert!(flat.contains(expected), "{expected} in {said}");
    }
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn regression_discards_were_told_as_writes() {
    let mut all = Vec::new();
    let mut done = |start: u64, direction: IoDirection, bytes: u64, (thread, task): (u32, &str)| {
        let operation = BlockOperation { direction, flags: Flags::default() };
        let ways = [Action::Queue, Action::GetRequest, Action::Issue, Action::Complete];
        for (time_ns, action) in (start..).step_by(1_000_000).zip(ways) {
            let (device, task) = (Some(DISK), named(task));
            let event = BlockEvent {
                time_ns,
                cpu: 0,
                action,
                device,
                sector: 64,
                bytes,
                operation,
                thread,
                task,
                error: 0,
            };
            all.push(TraceRecord::Block(event));
        }
    };
    done(0, IoDirection::Write, 4096, (7, "dd"));
    done(10_000_000, IoDirection::Write, 4096, (7, "dd"));
    done(20_000_000, IoDirection::Discard, 1 << 30, (8, "fstrim"));
    done(30_000_000, IoDirection::Discard, 1 << 30, (8, "fstrim"));
    let flat = |report: &Report| {
        let said = text(report, Language::English.words(), Detail::Brief("headroom trace -v"));
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = flat(&report(&all));
    for expected in [
        "sda completed 2 writes (8 KiB) and no read. sda also completed 2 discards and the like (2 GiB), which move no data.",
        "dd submitted most of it (100 % of the bytes)",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
    // Nor are they bytes per second of who submitted them.
    let threads = report(&all).threads.threads;
    let rates = threads.iter().map(|(thread, io)| (*thread, io.series_bytes.iter().sum::<u64>()));
    assert_eq!(rates.collect::<BTreeMap<_, _>>(), BTreeMap::from([(7, 8192), (8, 0)]));
    // A discard after the command is nothing that it wrote.
    let mut analysis = Analysis::new(AnalysisOptions::default());
    let (before, after) = all.split_at(12);
    before.iter().for_each(|record| analysis.take(record));
    analysis.set_command_end(25_000_000);
    after.iter().for_each(|record| analysis.take(record));
    let said = flat(&analysis.finish());
    assert!(!said.contains("While the command ran"), "{said}");
    for language in LANGUAGES {
        let said = text(&report(&all), language.words(), Detail::All);
        assert!(said.contains("2 GiB") && said.contains("8 KiB"), "{said}");
    }
}

#[test]
fn lost_events_come_first() {
    let said = text(&report(&records(true)), Language::English.words(), Detail::All);
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let lost = flat.find("12 events were lost, once,").unwrap();
    assert!(lost < flat.find("completed 201").unwrap(), "{said}");
}

#[test]
fn every_language_says_all_and_every_format_is_written() {
    let report = report(&records(true));
    for language in LANGUAGES {
        let words = language.words();
        let said = text(&report, words, Detail::All);
        assert!(!said.contains("trace-") && !said.contains("{ $"), "{said}");
        with_subject(&report, words, |subject| {
            let document = document(subject);
            let page = html::write(&document);
            let parsed = roxmltree::Document::parse(page.trim_start_matches("<!DOCTYPE html>")).unwrap();
            assert!(parsed.descendants().any(|node| node.attribute("id") == Some("charts-title")));
            assert!(markdown::write(&document).contains("804 KiB"));
        });
    }
}

#[test]
fn figures_for_programs_are_those_of_the_trace() {
    let report = report(&records(true));
    with_subject(&report, Language::English.words(), |subject| {
        let parsed: serde_json::Value = serde_json::from_slice(&trace_json(subject).unwrap()).unwrap();
        let disk = &parsed["devices"][0];
        assert_eq!(disk["completed"]["writes"]["count"], 201);
        assert_eq!(disk["completed"]["writes"]["bytes"], 201 * 4096);
        assert_eq!(disk["name"], "sda");
        assert_eq!(parsed["lost"]["events"], 12);
        assert_eq!(parsed["command"]["exit_code"], 3);
        assert_eq!(parsed["observations"][0]["code"], "lost-events");
        assert!(parsed["capture"].is_null());
        let csv = TRACE_EXPORTERS.iter().find(|format| format.extension == "csv").unwrap();
        let bytes = (csv.write)(subject).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let issued = rows.iter().find(|row| &row[1] == "d2c" && &row[2] == "write").unwrap();
        assert_eq!((&issued[0], &issued[4]), ("sda", "201"));
    });
}

#[test]
fn what_was_written_after_the_command_is_told_apart() {
    let all = records(false);
    let mut analysis = Analysis::new(AnalysisOptions::default());
    // Of each of the first hundred writes there are four events.
    let (before, after) = all.split_at(400);
    before.iter().for_each(|record| analysis.take(record));
    analysis.set_command_end(100 * 2_100_000 + 1);
    after.iter().for_each(|record| analysis.take(record));
    let report = analysis.finish();
    for language in LANGUAGES {
        let said = text(&report, language.words(), Detail::All);
        assert!(said.contains("400 KiB") && said.contains("404 KiB"), "{said}");
    }
    with_subject(&report, Language::English.words(), |subject| {
        let parsed: serde_json::Value = serde_json::from_slice(&trace_json(subject).unwrap()).unwrap();
        let after = &parsed["after_command"];
        assert_eq!(after["began_ns"], 100 * 2_100_000 + 1);
        assert_eq!(after["devices"][0]["name"], "sda");
        assert_eq!(after["devices"][0]["completed"]["writes"]["bytes"], 101 * 4096);
        assert_eq!(parsed["devices"][0]["completed"]["writes"]["bytes"], 201 * 4096);
    });
    with_subject(&self::report(&all), Language::English.words(), |subject| {
        let parsed: serde_json::Value = serde_json::from_slice(&trace_json(subject).unwrap()).unwrap();
        assert!(parsed["after_command"].is_null());
    });
}

#[test]
fn steps_have_no_times() {
    let only_asked: Vec<TraceRecord> = records(false)
        .into_iter()
        .filter(|record| matches!(record, TraceRecord::Block(BlockEvent { action: Action::Queue, .. })))
        .collect();
    let report = report(&only_asked);
    let names = BTreeMap::new();
    let subject = TraceSubject {
        report: &report,
        names: &names,
        target: "log",
        capture: None,
        command: None,
        is_steps: true,
        cautions: &[],
        words: Language::English.words(),
    };
    let said = write(&document(&subject), Terminal::default(), Detail::All);
    assert!(said.contains("8:0 is asked for 201 writes"), "{said}");
    assert!(!said.contains("completed") && !said.contains("Q2C"), "{said}");
}
