//! What was not understood.

use model::Value;
use model::tool_result::{UnreadCause, UnreadLines};

use super::ToolSubject;
use crate::document::{Block, Rank, Section, Text};

/// So many are listed where details are not asked for.
const SHOWN: usize = 10;

pub(super) fn write(subject: &ToolSubject<'_>) -> Section {
    let mut section = Section::new("unread", subject.words.say("check-unread"));
    let unread: Vec<&UnreadLines> =
        subject.run.tool_outputs.iter().flat_map(|output| &output.unread).collect();
    let line = |unread: &&UnreadLines| line(subject, unread);
    let shown: Vec<Text> = unread.iter().take(SHOWN).map(line).collect();
    if shown.is_empty() {
        return section;
    }
    section
        .put(Rank::Remark, Block::Paragraph(subject.words.count("check-unread-count", unread.len()).into()));
    section.put(Rank::Remark, Block::List(shown));
    let more: Vec<Text> = unread.iter().skip(SHOWN).map(line).collect();
    if !more.is_empty() {
        section.push(Block::List(more));
    }
    section
}

fn line(subject: &ToolSubject<'_>, unread: &UnreadLines) -> Text {
    let cause = match unread.cause {
        UnreadCause::NoTool => "no-tool",
        UnreadCause::NotUnderstood => "not-understood",
        UnreadCause::CutShort => "cut-short",
        UnreadCause::TooLong => "too-long",
        UnreadCause::TooMany => "too-many",
        UnreadCause::Other => "other",
    };
    let lines = [("first", Value::from(unread.lines.first)), ("last", Value::from(unread.lines.last))];
    let place = subject.words.tell("check-lines", &lines);
    let tool = unread.tool.as_deref().unwrap_or_default();
    let why = subject
        .words
        .tell("check-unread-cause", &[("cause", Value::from(cause)), ("tool", Value::from(tool))]);
    Text::from(format!("{place}: {why} \u{2014} ")).with(crate::document::Piece::Code(unread.text.clone()))
}
