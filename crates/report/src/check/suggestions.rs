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
    let mut written: Vec<(String, String)> = Vec::new();
    let mut places = 0;
    for suggestion in subject.suggestions.iter().take(LISTED) {
        // One command may have printed several results: it is named once.
        let mut new = lines(subject, suggestion);
        new.retain(|line| !written.contains(line));
        let rank = if places < SHOWN { Rank::Remark } else { Rank::Detail };
        places += usize::from(!new.is_empty());
        for (line, command) in &new {
            section.put(rank, Block::Paragraph(line.as_str().into()));
            section.put(rank, Block::Code(command.clone()));
        }
        written.extend(new);
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
