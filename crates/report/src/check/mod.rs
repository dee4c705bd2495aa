//! What is said of results of other tools: the figures in one unit system beside what was printed,
//! what is wrong with them, the commands that should have been run, and what was not understood.

mod export;
mod findings;
mod results;
mod suggestions;
mod unread;

pub use export::{TOOL_EXPORTERS, WriteToolReport};

use language::Words;
use model::tool_result::ToolResult;
use model::{Run, Value};

use crate::document::{Document, Section, Text};
use crate::page::comparison::{self, ComparisonSubject};

/// What a report of results of other tools is made from.
pub struct ToolSubject<'a> {
    /// The run that was made of them.
    pub run: &'a Run,
    /// The commands that should have been run.
    pub suggestions: &'a [ToolSuggestion],
    /// The comparison of its parts, where they are sides of one.
    pub comparison: Option<&'a ComparisonSubject<'a>>,
    /// The words.
    pub words: &'static Words,
}

/// What should have been run in place of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSuggestion {
    /// The tool.
    pub tool: String,
    /// The command as it was typed.
    pub typed: Option<String>,
    /// The same with what it lacks.
    pub corrected: Option<String>,
    /// How often it should be run, where once is too few.
    pub times: Option<u32>,
    /// The command of Headroom that does the same work.
    pub own: Option<String>,
}

/// Every section, in order. One that says nothing is left out.
const SECTIONS: &[fn(&ToolSubject<'_>) -> Section] =
    &[findings::write, results::write, suggestions::write, unread::write];

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &ToolSubject<'_>) -> Document {
    let own = SECTIONS.iter().map(|write| write(subject)).filter(|section| !section.is_empty());
    // What differs between the sides stands before the figures of each.
    let compared = subject.comparison.map(|compared| comparison::document(compared).sections);
    let sections = compared.into_iter().flatten().chain(own);
    Document {
        words: subject.words,
        title: subject.words.say("check-title"),
        byline: byline(subject),
        purpose: Vec::new(),
        sections: sections.collect(),
        footer: Text::default(),
    }
}

/// The tools, and the files with their encodings.
fn byline(subject: &ToolSubject<'_>) -> Vec<String> {
    let tool = format!("{} {}", subject.run.origin.tool, subject.run.origin.version);
    let files = subject.run.tool_outputs.iter().map(|output| match &output.encoding {
        Some(encoding) => format!("{} ({encoding})", output.source),
        None => output.source.clone(),
    });
    let all = std::iter::once(tool).chain(files).map(|text| text.trim().to_owned());
    all.filter(|text| !text.is_empty()).collect()
}

/// What a result is called: its tool, and where it stands.
fn called(subject: &ToolSubject<'_>, result: &ToolResult) -> String {
    let tool = match &result.version {
        Some(version) => format!("{} {version}", result.tool),
        None => result.tool.clone(),
    };
    let lines = [("first", Value::from(result.lines.first)), ("last", Value::from(result.lines.last))];
    format!("{tool}, {}", subject.words.tell("check-lines", &lines))
}

#[cfg(test)]
mod tests;
