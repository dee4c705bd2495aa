//! What is said of results of other tools: the figures in one unit system beside what was printed,
//! what is wrong with them, the commands that should have been run, and what was not understood.

mod export;
mod findings;
mod results;
mod suggestions;
mod unread;

pub use export::{TOOL_EXPORTERS, WriteToolReport};

use language::Words;
use model::tool_result::{LineRange, ToolResult};
use model::{Finding, Run, Value};

use crate::document::{Document, Section, Text};
use crate::page::comparison::{self, ComparisonSubject};

/// What a report of results of other tools is made from.
pub struct ToolSubject<'a> {
    /// The run that was made of them.
    pub run: &'a Run,
    /// What was found in each result, by its place among all.
    pub found: &'a [Vec<Finding>],
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

/// So many names stand where there may be very many of them.
const NAMED: usize = 5;

/// The tools, and the files with their encodings.
fn byline(subject: &ToolSubject<'_>) -> Vec<String> {
    let outputs = &subject.run.tool_outputs;
    let tool = format!("{} {}", subject.run.origin.tool, subject.run.origin.version);
    let files = outputs.iter().take(NAMED).map(|output| match &output.encoding {
        Some(encoding) => format!("{} ({encoding})", output.source),
        None => output.source.clone(),
    });
    let more = outputs.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| subject.words.count("and-more", more));
    let all = std::iter::once(tool).chain(files).chain(more).map(|text| text.trim().to_owned());
    all.filter(|text| !text.is_empty()).collect()
}

/// A result, and the text in which it stands.
#[derive(Clone, Copy)]
struct PlacedResult<'a> {
    result: &'a ToolResult,
    /// The name of the text, where there are several.
    source: Option<&'a str>,
    /// All results of its tool and its command that stand one behind the other, itself among them.
    siblings: &'a [ToolResult],
}

/// Every result, by its place among all.
fn placed<'a>(subject: &ToolSubject<'a>) -> Vec<PlacedResult<'a>> {
    let outputs = &subject.run.tool_outputs;
    let all = outputs.iter().flat_map(|output| {
        let source = Some(output.source.as_str()).filter(|_| outputs.len() > 1);
        let is_of_one = |a: &ToolResult, b: &ToolResult| (&a.tool, &a.command) == (&b.tool, &b.command);
        let of_each = output.results.chunk_by(is_of_one);
        of_each.flat_map(move |siblings| {
            siblings.iter().map(move |result| PlacedResult { result, source, siblings })
        })
    });
    all.collect()
}

/// What a result is called: its tool, what it is of where others are of the same command, and where it stands.
fn called(subject: &ToolSubject<'_>, placed: PlacedResult<'_>) -> String {
    let PlacedResult { result, source, .. } = placed;
    let tool = match &result.version {
        Some(version) => format!("{} {version}", result.tool),
        None => result.tool.clone(),
    };
    let (of, lines) = (told_apart(placed), lines(subject, result.lines));
    let parts = [tool.as_str(), of.as_str(), source.unwrap_or_default(), lines.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A result is held against so many others of the same command.
const COMPARED: usize = 64;

/// So many options, in which results differ, stand in a name.
const DIFFERING: usize = 4;

/// What tells a result apart from others of the same command: its name, or else the options in which they differ,
/// such as the device. Empty where nothing does.
fn told_apart(placed: PlacedResult<'_>) -> String {
    let PlacedResult { result, siblings, .. } = placed;
    let others = siblings.iter().take(COMPARED);
    if siblings.len() < 2 {
        return String::new();
    }
    if let Some(name) = result.name.as_ref().filter(|_| others.clone().any(|other| other.name != result.name))
    {
        return name.clone();
    }
    let differs = |(name, value): &(&String, &String)| {
        others.clone().any(|other| other.options.get(name.as_str()) != Some(*value))
    };
    let told = |(name, value): (&String, &String)| match value.as_str() {
        "yes" => name.clone(),
        value => format!("{name} {value}"),
    };
    let options = result.options.iter().filter(differs).take(DIFFERING).map(told);
    options.collect::<Vec<_>>().join(", ")
}

/// Which lines of a text these are.
fn lines(subject: &ToolSubject<'_>, lines: LineRange) -> String {
    let how = match lines {
        LineRange { first: 0, .. } => "none",
        LineRange { first, last } if first == last => "one",
        LineRange { .. } => "several",
    };
    let (first, last) = (Value::from(lines.first), Value::from(lines.last));
    subject.words.tell("check-lines", &[("how", Value::from(how)), ("first", first), ("last", last)])
}

#[cfg(test)]
mod tests;
