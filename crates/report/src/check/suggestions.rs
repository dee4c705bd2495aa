//! What should have been run.

use model::Value;

use super::{ToolSubject, ToolSuggestion};
use crate::document::{Block, Rank, Section};

/// So many are shown where details are not asked for.
const SHOWN: usize = 3;

/// The most that a page has.
const LISTED: usize = 100;

pub(super) fn write(subject: &ToolSubject<'_>) -> Section {
    let mut section = Section::new("suggestions", subject.words.say("check-suggestions"));
    for (place, suggestion) in subject.suggestions.iter().take(LISTED).enumerate() {
        let rank = if place < SHOWN { Rank::Remark } else { Rank::Detail };
        for (line, command) in lines(subject, suggestion) {
            section.put(rank, Block::Paragraph(line.into()));
            section.put(rank, Block::Code(command));
        }
    }
    section
}

/// The commands, each with what stands above it.
fn lines(subject: &ToolSubject<'_>, suggestion: &ToolSuggestion) -> Vec<(String, String)> {
    let words = subject.words;
    let mut all = Vec::new();
    let theirs = suggestion.corrected.as_ref().or(suggestion.typed.as_ref());
    if let Some(command) = theirs.filter(|_| suggestion.corrected.is_some() || suggestion.times.is_some()) {
        let texts = [
            ("tool", Value::from(suggestion.tool.as_str())),
            ("times", Value::from(u64::from(suggestion.times.unwrap_or(1)))),
        ];
        all.push((words.tell("check-their-command", &texts), command.clone()));
    }
    if let Some(command) = &suggestion.own {
        all.push((words.say("check-own-command"), command.clone()));
    }
    all
}
