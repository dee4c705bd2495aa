//! How long each part of the way took.

use trace::analysis::{DeviceReport, IoClass, IoPhase};

use super::view::{TraceView, times};
use crate::document::{Block, Rank, Section, Text};

/// What most readers need: where the time of a request goes.
const MAIN: [IoPhase; 3] = [IoPhase::QueueToIssue, IoPhase::IssueToComplete, IoPhase::QueueToComplete];

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let words = view.words();
    let mut section = Section::new("phases", words.say("trace-phases"));
    section.names_rows = true;
    let columns = || {
        let first = [view.words_column("trace-phases"), view.words_column("trace-column-kind")];
        first.into_iter().chain(view.time_columns()).collect::<Vec<_>>()
    };
    let main = view.table(columns(), view.devices(), |device| rows(view, device, &MAIN));
    if main.rows.is_empty() {
        return section;
    }
    section.put(Rank::Figure, Block::Table(main));
    for device in view.devices() {
        if let Some(at_device) = device.time_shares.device() {
            let arguments = [("device", view.device(device.device).into()), ("share", at_device.into())];
            section.put(Rank::Remark, Block::Paragraph(words.tell("trace-phases-share", &arguments).into()));
        }
    }
    section.push(Block::Table(view.table(columns(), view.devices(), |device| {
        let rest: Vec<IoPhase> = IoPhase::ALL.into_iter().filter(|phase| !MAIN.contains(phase)).collect();
        rows(view, device, &rest)
    })));
    section.push(Block::Paragraph(words.say("trace-phases-note").into()));
    section
}

fn rows(view: &TraceView<'_>, device: &DeviceReport, phases: &[IoPhase]) -> Vec<Vec<Text>> {
    let all = phases.iter().flat_map(|phase| IoClass::ALL.into_iter().map(move |class| (*phase, class)));
    all.filter_map(|(phase, class)| {
        let times_ns = device.phase(phase, class)?;
        let first = [Text::from(name(view, phase)), view.class(class).into()];
        Some(first.into_iter().chain(times(times_ns)).collect())
    })
    .collect()
}

/// What a phase is called, with btt's letters.
pub(super) fn name(view: &TraceView<'_>, phase: IoPhase) -> String {
    view.words().say(match phase {
        IoPhase::QueueToGet => "trace-phase-q2g",
        IoPhase::GetToInsert => "trace-phase-g2i",
        IoPhase::QueueToInsert => "trace-phase-q2i",
        IoPhase::QueueToMerge => "trace-phase-q2m",
        IoPhase::GetToIssue => "trace-phase-g2d",
        IoPhase::InsertToIssue => "trace-phase-i2d",
        IoPhase::MergeToIssue => "trace-phase-m2d",
        IoPhase::QueueToIssue => "trace-phase-q2d",
        IoPhase::IssueToComplete => "trace-phase-d2c",
        IoPhase::QueueToComplete => "trace-phase-q2c",
    })
}
