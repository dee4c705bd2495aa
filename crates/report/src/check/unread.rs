//! What was not understood.

use model::tool_result::{UnreadCause, UnreadLines};
use model::{ToolOutput, Value};

use super::{ToolSubject, lines};
use crate::document::{Block, Rank, Section, Text};

/// So many are listed where details are not asked for.
const SHOWN: usize = 10;

/// The most that a page lists; the run document has all.
const LISTED: usize = 1000;

pub(super) fn write<'a>(subject: &ToolSubject<'a>) -> Section {
    let mut section = Section::new("unread", subject.words.say("check-unread"));
    let outputs = &subject.run.tool_outputs;
    if outputs.iter().all(|output| output.results.is_empty()) {
        // It is said already that none of it is the output of a tool.
        return section;
    }
    let of_text = |output: &'a ToolOutput| {
        let source = Some(output.source.as_str()).filter(|_| outputs.len() > 1);
        output.unread.iter().map(move |unread| (source, unread))
    };
    let mut unread: Vec<(Option<&str>, &UnreadLines)> = outputs.iter().flat_map(of_text).collect();
    // What was not read at all comes first: of the rest there may be very much.
    unread.sort_by_key(|(_, unread)| !matches!(unread.cause, UnreadCause::TooMany | UnreadCause::TooLong));
    let line = |(source, unread): &(Option<&str>, &UnreadLines)| line(subject, *source, unread);
    let shown: Vec<Text> = unread.iter().take(SHOWN).map(line).collect();
    if shown.is_empty() {
        return section;
    }
    section
        .put(Rank::Remark, Block::Paragraph(subject.words.count("check-unread-count", unread.len()).into()));
    section.put(Rank::Remark, Block::List(shown));
    let more: Vec<Text> = unread.iter().take(LISTED).skip(SHOWN).map(line).collect();
    if !more.is_empty() {
        section.push(Block::List(more));
    }
    section
}

fn line(subject: &ToolSubject<'_>, source: Option<&str>, unread: &UnreadLines) -> Text {
    let cause = match unread.cause {
        UnreadCause::NoTool => "no-tool",
        UnreadCause::NotUnderstood => "not-understood",
        UnreadCause::CutShort => "cut-short",
        UnreadCause::TooLong => "too-long",
        UnreadCause::TooMany => "too-many",
        UnreadCause::Other => "other",
    };
    let place = match source {
        Some(source) => format!("{source}, {}", lines(subject, unread.lines)),
        None => lines(subject, unread.lines),
    };
    let tool = unread.tool.as_deref().unwrap_or_default();
    let why = subject
        .words
        .tell("check-unread-cause", &[("cause", Value::from(cause)), ("tool", Value::from(tool))]);
    Text::from(format!("{place}: {why} \u{2014} ")).with(crate::document::Piece::Code(unread.text.clone()))
}
