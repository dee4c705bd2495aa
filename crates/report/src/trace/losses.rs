//! What is not known: events that were lost, what could not be matched, what was left out.

use language::format;
use machine::trace::CaptureSummary;
use model::Severity;
use trace::analysis::UnmatchedIo;

use super::TraceCaution;
use super::view::{TraceView, counted};
use crate::document::{Block, Notice, Rank, Section, Text};
use crate::page::findings::severity_key;

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let words = view.words();
    let mut section = Section::new("losses", words.say("trace-losses"));
    for caution in view.subject.cautions {
        section.put(Rank::Caution, Block::Notice(notice(view, caution)));
    }
    let mut pairs: Vec<(String, Text)> = Vec::new();
    let mut add = |key: &str, text: String| pairs.push((words.say(key), text.into()));
    if let Some(capture) = view.subject.capture {
        capture_pairs(view, capture, &mut add);
    }
    let losses = &view.report().losses;
    if losses.times > 0 {
        let cpus: Vec<String> = losses.cpus.iter().map(u32::to_string).collect();
        add("trace-lost-cpus", cpus.join(", "));
    }
    let span = &view.report().span;
    if span.out_of_order > 0 {
        add("trace-out-of-order", counted(span.out_of_order));
    }
    if view.report().events_of_others > 0 {
        add("trace-events-of-others", counted(view.report().events_of_others));
    }
    // Nothing of a list of steps is ever completed.
    for device in view.devices().filter(|_| !view.subject.is_steps) {
        for (key, count) in unmatched(&device.unmatched) {
            if count > 0 {
                let name = format!("{} ({})", words.say(key), view.device(device.device));
                pairs.push((name, counted(count).into()));
            }
        }
    }
    if !pairs.is_empty() {
        section.push(Block::Pairs(pairs));
    }
    section
}

/// What the capture itself says.
fn capture_pairs(view: &TraceView<'_>, capture: &CaptureSummary, add: &mut impl FnMut(&str, String)) {
    let words = view.words();
    add("trace-events-read", counted(capture.events_read()));
    add("trace-events-lost", counted(capture.events_lost()));
    let is_accounted = if capture.is_accounted_for() { "yes" } else { "no" };
    add("trace-accounted", words.say(is_accounted));
    let buffers = [
        ("size", format::part(capture.buffer_bytes).into()),
        ("cpus", counted(capture.cpus.len() as u64).into()),
    ];
    add("trace-buffers", words.tell("trace-buffers-of", &buffers));
    if !capture.absent.is_empty() {
        add("trace-absent-events", capture.absent.join(", "));
    }
    if capture.late_records > 0 {
        add("trace-late", counted(capture.late_records));
    }
    if capture.unfinished_calls > 0 {
        add("trace-unfinished-calls", counted(capture.unfinished_calls));
    }
}

fn unmatched(unmatched: &UnmatchedIo) -> [(&'static str, u64); 7] {
    [
        ("trace-begun-before", unmatched.begun_before),
        ("trace-queued-before", unmatched.queued_before),
        ("trace-completions-after-loss", unmatched.completions_after_loss),
        ("trace-issues-after-loss", unmatched.issues_after_loss),
        ("trace-unfinished-bios", unmatched.unfinished_bios),
        ("trace-unfinished-requests", unmatched.unfinished_requests),
        ("trace-given-up", unmatched.given_up),
    ]
}

fn notice(view: &TraceView<'_>, caution: &TraceCaution) -> Notice {
    let words = view.words();
    let (severity, text) = match caution {
        TraceCaution::Vanished { device } => {
            (Severity::Warning, words.tell_texts("trace-caution-vanished", &[("device", device)]))
        }
        TraceCaution::Partition { part, disk, left_out } => {
            let arguments = [
                ("part", part.as_str().into()),
                ("disk", disk.as_str().into()),
                ("count", counted(*left_out).into()),
            ];
            (Severity::Note, words.tell("trace-caution-partition", &arguments))
        }
        TraceCaution::Stacked { device, members } => {
            let members = members.join(", ");
            let texts = [("device", device.as_str()), ("members", members.as_str())];
            (Severity::Note, words.tell_texts("trace-caution-stacked", &texts))
        }
        TraceCaution::Torn { file } => {
            (Severity::Warning, words.tell_texts("trace-caution-torn", &[("file", file)]))
        }
        TraceCaution::Damaged { file } => {
            (Severity::Warning, words.tell_texts("trace-caution-damaged", &[("file", file)]))
        }
        TraceCaution::Unread { events } => {
            let count = counted(*events);
            (Severity::Warning, words.tell_texts("trace-caution-unread", &[("count", &count)]))
        }
        TraceCaution::CommandLonger => (Severity::Note, words.say("trace-caution-command-longer")),
        TraceCaution::LeftInMemory => (Severity::Warning, words.say("trace-caution-left-in-memory")),
    };
    Notice {
        id: None,
        severity,
        kind: words.say(severity_key(severity)),
        about: String::new(),
        cases: None,
        text: Text::ticked(&text),
        details: Vec::new(),
        advice: None,
    }
}
