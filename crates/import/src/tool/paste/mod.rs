//! A text parted into the outputs that stand in it. Lines come one by one, and only those of the output that is being read are kept.

mod contradictions;
mod decoration;
mod encoding;
mod escaped;
mod json;
mod lines;
mod markup;
mod moment;
mod readers;
mod room;
mod sample;
mod terminal;
mod wrapped;

use std::io::Read;
use std::sync::LazyLock;

use model::ToolOutput;
use model::tool_result::{LineRange, ToolResult, UnreadCause, UnreadLines, WrittenLine};

use self::decoration::{Decorations, Sureness};
use self::json::JsonExtent;
pub use self::lines::LINE_BYTES_MAX;
use self::lines::LineSource;
#[cfg(test)]
pub(super) use self::lines::as_shown;
use self::markup::is_between;
use self::readers::{ReaderSet, Readers};
use self::room::{bytes_of, room_of};
use super::block::{ToolBlock, ToolLine};
use super::command_line::CommandLine;
use super::reader::{Beginning, Extent, NotUnderstood, ToolReader};
use super::secret::{hide_in_line, hide_options, hide_secrets};

/// The most bytes of one output in JSON: fio writes some 100 MB where every job of many has its histograms.
pub const JSON_BYTES_MAX: usize = 128 << 20;

/// The most bytes of one output in lines: a day of vmstat, a row a second. Of each row some 20 figures are kept.
pub const BLOCK_BYTES_MAX: usize = 8 << 20;

/// The most results of one text; what follows is listed as not read.
pub const RESULTS_MAX: usize = 100_000;

/// The most figures of all its results; the first result may have more.
pub const FIGURES_MAX: usize = 1_000_000;

/// The most bytes of the command lines of all its results; the first result may have more.
const COMMAND_BYTES_MAX: usize = 256 << 20;

/// The most ranges of lines that are listed as not understood; the last one takes all after it.
const UNREAD_MAX: usize = 1000;

/// Why a text cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PasteError {
    /// It cannot be read at all.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("it is no text, but {what}")]
    NotText {
        /// What it is.
        what: &'static str,
    },
    /// It becomes something else.
    #[error("it is no text, but binary data (line {line})")]
    Binary {
        /// Where.
        line: u64,
    },
}

/// How much is read of a text.
#[derive(Clone, Copy, Debug)]
struct PasteLimits {
    json_bytes: usize,
    block_bytes: usize,
    results: usize,
    figures: usize,
    command_bytes: usize,
}

const LIMITS: PasteLimits = PasteLimits {
    json_bytes: JSON_BYTES_MAX,
    block_bytes: BLOCK_BYTES_MAX,
    results: RESULTS_MAX,
    figures: FIGURES_MAX,
    command_bytes: COMMAND_BYTES_MAX,
};

/// All importers.
static READERS: LazyLock<Readers> = LazyLock::new(|| Readers::new(super::readers()));

/// Reads a text to its end.
///
/// # Errors
/// As [`super::read`].
pub(super) fn read(source: &str, input: impl Read) -> Result<ToolOutput, PasteError> {
    read_within(LIMITS, source, input, &READERS)
}

fn read_within(
    limits: PasteLimits,
    source: &str,
    input: impl Read,
    readers: &Readers,
) -> Result<ToolOutput, PasteError> {
    let mut lines = LineSource::new(input)?;
    let mut paste = Paste::new(limits, readers);
    while let Some(line) = lines.next_line()? {
        match paste.unescaped(&line) {
            Some(unescaped) => unescaped.into_iter().for_each(|line| paste.take_as_shown(line)),
            None => paste.take_as_shown(line),
        }
    }
    paste.close();
    let output = paste.output;
    Ok(ToolOutput { source: source.to_owned(), encoding: lines.encoding(), lines: lines.count(), ..output })
}

/// The lines of an output that is not yet over.
struct OpenBlock {
    lines: Vec<ToolLine>,
    bytes: usize,
    kind: OpenKind,
}

/// What an open block is.
enum OpenKind {
    /// The output of a tool that knew its first line.
    Tool(&'static dyn ToolReader),
    /// A JSON text, of whichever tool.
    Json(JsonExtent),
    /// A command that goes on in the next line.
    Command(CommandLine),
}

/// A text on the way.
struct Paste<'a> {
    limits: PasteLimits,
    readers: &'a Readers,
    open: Option<OpenBlock>,
    /// The first part of a line that a terminal broke.
    first_part: Option<ToolLine>,
    /// The line of a command that it may have broken.
    full_command: Option<ToolLine>,
    /// The last command line.
    command: Option<CommandLine>,
    /// The importers whose programs it runs.
    below: ReaderSet,
    /// The tool whose output was longer than what is read of one, while it goes on.
    too_long: Option<&'static str>,
    /// Whether there are as many results as are kept.
    is_full: bool,
    /// How many figures the results have, and what else there may be much of.
    figures: usize,
    /// How many lines are kept of what somebody wrote.
    written: usize,
    /// How many bytes the commands of the results have.
    command_bytes: usize,
    /// What stands before the lines that come now.
    decorations: Decorations,
    output: ToolOutput,
}

impl<'a> Paste<'a> {
    fn new(limits: PasteLimits, readers: &'a Readers) -> Self {
        Self {
            limits,
            readers,
            open: None,
            first_part: None,
            full_command: None,
            command: None,
            below: ReaderSet::default(),
            too_long: None,
            is_full: false,
            figures: 0,
            written: 0,
            command_bytes: 0,
            decorations: Decorations::default(),
            output: ToolOutput::default(),
        }
    }

    /// Takes the next line without what stands before the lines around it.
    fn take_as_shown(&mut self, line: ToolLine) {
        let line = ToolLine { text: self.decorations.taken_off(line.text), ..line };
        self.take(line);
    }

    /// Takes the next line.
    fn take(&mut self, line: ToolLine) {
        if self.is_full {
            return self.unread(&[line], UnreadCause::TooMany, None);
        }
        let mut open = self.open.take();
        let Some(line) = self.with_first_part(&mut open, line) else { return };
        let Some(mut open) = open else { return self.begin(line) };
        let extent = self.extent(&mut open, &line);
        if extent == Extent::EndsBefore {
            if self.is_part(&mut open, &line) {
                self.open = Some(open);
                return;
            }
            self.finish(open);
            return self.take(line);
        }
        if open.bytes.saturating_add(bytes_of(&line)) > self.bytes_max(&open.kind) {
            match open.kind {
                // What is there may have figures.
                OpenKind::Tool(reader) => {
                    self.too_long = Some(reader.name());
                    self.finish(open);
                }
                _ => self.unread(&open.lines, UnreadCause::TooLong, None),
            }
            return self.take(line);
        }
        match open.kind {
            OpenKind::Tool(_) | OpenKind::Json(_) => open.push(line),
            // Its words are kept in place of the line.
            OpenKind::Command(_) => open.bytes = open.bytes.saturating_add(bytes_of(&line)),
        }
        match extent {
            Extent::EndsHere => self.finish(open),
            _ => self.open = Some(open),
        }
    }

    /// The most bytes that a block of this kind may have.
    fn bytes_max(&self, kind: &OpenKind) -> usize {
        match kind {
            OpenKind::Json(_) => self.limits.json_bytes,
            OpenKind::Tool(_) | OpenKind::Command(_) => self.limits.block_bytes,
        }
    }

    /// Whether a line belongs to the open block.
    fn extent(&self, open: &mut OpenBlock, line: &ToolLine) -> Extent {
        match &mut open.kind {
            OpenKind::Json(_) if self.ends_json(line) => Extent::EndsBefore,
            OpenKind::Json(extent) => match extent.take(&line.text) {
                true => Extent::EndsHere,
                false => Extent::More,
            },
            OpenKind::Command(command) => {
                command.extend(&line.text);
                if command.goes_on() { Extent::More } else { Extent::EndsHere }
            }
            OpenKind::Tool(reader) => {
                let is_other = |(other, beginning): (&'static dyn ToolReader, Beginning)| {
                    beginning == Beginning::Certain && other.name() != reader.name()
                };
                let is_command = || is_between(&line.text) || self.readers.command(line).is_some();
                // Nothing begins with an empty line.
                let ends = || !reader.shares(line) && self.readers.beginnings(line).any(is_other);
                if !line.is_blank() && (is_command() || ends()) {
                    return Extent::EndsBefore;
                }
                open.lines.push(line.clone());
                let extent = reader.extent(&open.lines);
                open.lines.pop();
                extent
            }
        }
    }

    /// Whether a line stands in no JSON text: it was cut, and another output begins.
    fn ends_json(&self, line: &ToolLine) -> bool {
        let text = line.text.trim_start();
        // `[root@host ~]# ` is a prompt: a list does not begin so.
        let is_prompt = text
            .strip_prefix('[')
            .is_some_and(|inside| inside.contains('@') && !inside.trim_start().starts_with(['"', '{', '[']));
        if text.starts_with(['"', '{', '}', '[', ']']) && !is_prompt || line.is_blank() {
            return false;
        }
        let mut beginnings = self.readers.beginnings(line);
        self.readers.command(line).is_some() || beginnings.any(|(_, one)| one == Beginning::Certain)
    }

    /// Takes a line that no open block has.
    fn begin(&mut self, mut line: ToolLine) {
        if line.is_blank() || is_between(&line.text) || self.is_rest_of_command(&line) {
            return;
        }
        let known = self.sureness(&line);
        match self.undecorated(&line, known) {
            Some(rest) => line.text = rest,
            // Most lines of most texts: nobody is asked about them again.
            None if known == Sureness::Unknown => return self.of_nobody(line),
            None => {}
        }
        if let Some(command) = self.readers.command(&line) {
            self.too_long = None;
            self.decorations.begin_below(&line.text);
            if command.goes_on() {
                self.open = Some(OpenBlock::new(OpenKind::Command(command)));
            } else {
                self.ran(command);
                self.keep_if_full(line);
            }
            return;
        }
        let first = self.beginnings(&line).next().map(|(reader, _)| reader);
        let (kind, extent) = match first {
            Some(reader) => (OpenKind::Tool(reader), reader.extent(std::slice::from_ref(&line))),
            None if JsonExtent::begins(&line.text) => {
                let mut extent = JsonExtent::default();
                let ends = extent.take(&line.text);
                (OpenKind::Json(extent), if ends { Extent::EndsHere } else { Extent::More })
            }
            None => return self.of_nobody(line),
        };
        self.too_long = None;
        let mut open = OpenBlock::new(kind);
        open.push(line);
        match extent {
            Extent::EndsHere => self.finish(open),
            _ => self.open = Some(open),
        }
    }

    /// Lists a line with which nothing begins.
    fn of_nobody(&mut self, line: ToolLine) {
        let cause = self.too_long.map_or(UnreadCause::NoTool, |_| UnreadCause::TooLong);
        self.unread(&[line], cause, self.too_long);
    }

    /// A line without what stands before it, where it is better known so than as `known` says.
    fn undecorated(&mut self, line: &ToolLine, known: Sureness) -> Option<String> {
        let mut decorations = std::mem::take(&mut self.decorations);
        let without = |text: &str| self.sureness(&ToolLine { number: line.number, text: text.to_owned() });
        let found = decorations.find(&line.text, known, &without);
        self.decorations = decorations;
        found
    }

    /// Who may begin with a line.
    fn beginnings<'b>(
        &'b self,
        line: &'b ToolLine,
    ) -> impl Iterator<Item = (&'static dyn ToolReader, Beginning)> + 'b {
        self.readers.beginnings_below(line, self.command.as_ref(), &self.below)
    }

    /// How well a line is known.
    fn sureness(&self, line: &ToolLine) -> Sureness {
        let mut is_likely = false;
        for (_, beginning) in self.beginnings(line) {
            match beginning {
                Beginning::Certain => return Sureness::Certain,
                Beginning::Likely => is_likely = true,
            }
        }
        match () {
            () if self.readers.command(line).is_some() => Sureness::Certain,
            () if is_likely => Sureness::Likely,
            () if JsonExtent::begins(&line.text) => Sureness::Likely,
            () => Sureness::Unknown,
        }
    }

    /// Ends what is open: the text is over.
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.finish(open);
        }
        if let Some(line) = self.first_part.take() {
            self.take(line);
            self.close();
        }
    }

    /// What follows is of this command.
    fn ran(&mut self, mut command: CommandLine) {
        hide_secrets(&mut command.words);
        if let Some(before) = self.command.take() {
            command.job_file = before.job_file;
        }
        self.below = self.readers.below(&command);
        command.complete(self.readers.programs_of(self.below));
        self.command = Some(command);
    }

    fn finish(&mut self, open: OpenBlock) {
        let lines = open.lines;
        match open.kind {
            OpenKind::Command(command) => self.ran(command),
            OpenKind::Tool(first) => {
                let knows = lines.first().into_iter().flat_map(|line| self.beginnings(line));
                let others = knows.map(|(reader, _)| reader).filter(|reader| reader.name() != first.name());
                let candidates: Vec<_> = std::iter::once(first).chain(others).collect();
                self.read_by(&candidates, &lines);
            }
            OpenKind::Json(_) => {
                let text = ToolBlock { lines: &lines, command: None }.text();
                let candidates: Vec<_> = self.readers.all().filter(|r| r.knows_json(&text)).collect();
                self.read_by(&candidates, &lines);
            }
        }
    }

    /// Has the first of `candidates` that understands these lines.
    fn read_by(&mut self, candidates: &[&'static dyn ToolReader], lines: &[ToolLine]) {
        let block = ToolBlock { lines, command: self.command.as_ref() };
        let mut why = None;
        for reader in candidates {
            match reader.read(&block) {
                Ok(results) if results.is_empty() => {
                    self.command.get_or_insert_default().job_file = lines.to_vec();
                    return;
                }
                Ok(mut results) => {
                    contradictions::add(*reader, &mut results, lines);
                    if let Some(command) = &mut self.command {
                        command.pass(reader.programs());
                    }
                    return self.keep(results, lines);
                }
                Err(error) => {
                    why.get_or_insert((error, reader.name()));
                }
            }
        }
        match why {
            None => self.unread(lines, UnreadCause::NoTool, None),
            Some((NotUnderstood::OtherText, tool)) => {
                self.unread(lines, UnreadCause::NotUnderstood, Some(tool))
            }
            Some((NotUnderstood::CutShort, tool)) => {
                let cause = self.too_long.map_or(UnreadCause::CutShort, |_| UnreadCause::TooLong);
                self.unread(lines, cause, Some(tool));
            }
        }
    }

    /// Keeps what stands in these lines, while there is room.
    fn keep(&mut self, mut results: Vec<ToolResult>, lines: &[ToolLine]) {
        let count = self.output.results.len().saturating_add(results.len());
        self.figures = results.iter().map(room_of).fold(self.figures, usize::saturating_add);
        let words = results.iter().flat_map(|result| &result.command);
        let bytes = words.map(|word| size_of::<String>().saturating_add(word.len()));
        self.command_bytes = bytes.fold(self.command_bytes, usize::saturating_add);
        let is_first = self.output.results.is_empty();
        let is_much = self.figures > self.limits.figures || self.command_bytes > self.limits.command_bytes;
        if count > self.limits.results || is_much && !is_first {
            self.is_full = true;
            return self.unread(lines, UnreadCause::TooMany, None);
        }
        results.iter_mut().for_each(hide_options);
        for warning in results.iter_mut().flat_map(|result| &mut result.warnings) {
            warning.text = hide_in_line(&warning.text);
        }
        self.output.results.extend(results);
    }

    /// Lists lines as not understood; together with those before them of which the same is known.
    fn unread(&mut self, lines: &[ToolLine], cause: UnreadCause, tool: Option<&str>) {
        let mut told = lines.iter().filter(|line| !line.is_blank() && !markup::is_fence(&line.text));
        let (Some(first), Some(last)) = (told.clone().next(), told.next_back()) else { return };
        let room = sample::WRITTEN_MAX.saturating_sub(self.written);
        let prose = lines.iter().filter(|line| cause == UnreadCause::NoTool && !line.is_blank());
        let written: Vec<WrittenLine> = prose.map(sample::written).take(room).collect();
        self.written = self.written.saturating_add(written.len());
        let tool = tool.map(str::to_owned);
        // That not all was read is never lost among the rest.
        let is_full = self.output.unread.len() >= UNREAD_MAX && cause != UnreadCause::TooMany;
        let results_before = self.output.results.last().map_or(0, |result| result.lines.last);
        if let Some(before) = self.output.unread.last_mut()
            && (is_full || before.cause == cause && before.tool == tool && before.lines.last > results_before)
        {
            before.lines.last = last.number;
            before.last_text = sample::of_last(before.lines, last);
            before.written.extend(written);
            return;
        }
        let text = sample::of(first);
        let lines = LineRange { first: first.number, last: last.number };
        let last_text = sample::of_last(lines, last);
        self.output.unread.push(UnreadLines { lines, cause, tool, text, last_text, written });
    }
}

impl OpenBlock {
    fn new(kind: OpenKind) -> Self {
        Self { lines: Vec::new(), bytes: 0, kind }
    }

    fn push(&mut self, line: ToolLine) {
        self.bytes = self.bytes.saturating_add(bytes_of(&line));
        self.lines.push(line);
    }
}

#[cfg(test)]
mod tests;
