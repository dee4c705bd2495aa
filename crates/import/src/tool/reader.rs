//! What an importer is.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{ToolRemedy, ToolResult};

use super::arithmetic::JsonNode;
use super::block::{ToolBlock, ToolLine};
use super::command_line::CommandLine;
use super::counting::CountingRule;

/// The importer of one tool.
pub trait ToolReader: Sync {
    /// The tool, in lower case: `fio`.
    fn name(&self) -> &'static str;

    /// Which of its outputs are read, in a sentence, for the reference.
    fn doc(&self) -> &'static str;

    /// What its program is called on a command line.
    fn programs(&self) -> &'static [&'static str];

    /// What multiples before its units stand for, by version.
    fn counting(&self) -> &'static [CountingRule];

    /// What stands in each line that [`Self::begins`] knows. Nobody is asked about a line without his marks, and most lines of
    /// most texts have marks of few.
    fn marks(&self) -> LineMarks {
        LineMarks::UNKNOWN
    }

    /// Whether an output may begin with this line.
    fn begins(&self, line: &ToolLine) -> Option<Beginning>;

    /// The same of a line below a command. Only with it some outputs are known: two numbers are what `bw_mem` prints. Below a
    /// command of one of its programs it is asked about every line.
    fn begins_below(&self, line: &ToolLine, _command: Option<&CommandLine>) -> Option<Beginning> {
        self.begins(line)
    }

    /// Whether the last of `lines`, which may be the first, too, belongs to the output that the
    /// others are. Asked at each line, so it should look at few of them.
    fn extent(&self, lines: &[ToolLine]) -> Extent;

    /// Whether a line belongs to an open output of this tool though another tool prints such lines, too, with which an
    /// output of that may begin.
    fn shares(&self, _line: &ToolLine) -> bool {
        false
    }

    /// Whether a JSON text is of this tool: `text` is all of it, or the beginning of a long one.
    fn knows_json(&self, _text: &str) -> bool {
        false
    }

    /// Reads an output, or a JSON text of it. What several executions printed becomes several results. None at all says
    /// that it is a job file, of which the outputs below it may be.
    ///
    /// # Errors
    /// Why it is not understood. Figures that cannot be read are left out, never guessed: an
    /// output without any is an error.
    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood>;

    /// What stands in the lines of one result, which are no JSON, and others of them contradict: totals that are no sums,
    /// means, ratios. What `read` found itself is not told again.
    fn disagreements(&self, _lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        Vec::new()
    }

    /// The same of all lines of an output, where it is of what several results have in common.
    fn disagreements_of_all(&self, _lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        Vec::new()
    }

    /// The same of a JSON text. That means lie between their extremes, and that percentiles rise, is known of any.
    fn disagreements_of_json(&self, _root: &JsonNode) -> Vec<FigureDisagreement> {
        Vec::new()
    }

    /// The words of the result's command with these remedies, as far as the tool has options for
    /// them; `None` where it has for none.
    fn corrected(&self, _result: &ToolResult, _remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        None
    }
}

/// A part of a line of dashes, of which every reader that knows one by its length has at least as many.
pub(super) const DASHES: &str = "--------------------";

/// What stands in every line with which an output of a tool may begin.
#[derive(Clone, Copy, Debug)]
pub struct LineMarks {
    /// At least one of these, in the letters of the line; `None` where no such texts are known.
    pub(super) texts: Option<&'static [&'static [&'static str]]>,
    /// Whether it may begin with a number in place of them.
    pub(super) is_number: bool,
}

impl LineMarks {
    /// Of a reader that has to be asked about every line.
    pub const UNKNOWN: Self = Self { texts: None, is_number: false };

    /// At least one of the texts of these lists.
    #[must_use]
    pub const fn of(texts: &'static [&'static [&'static str]]) -> Self {
        Self { texts: Some(texts), is_number: false }
    }

    /// Or a number at its beginning.
    #[must_use]
    pub const fn or_number(self) -> Self {
        Self { is_number: true, ..self }
    }
}

/// How sure it is that an output begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// No other program prints such a line: it ends whatever stood before.
    Certain,
    /// It may be prose, or a line of another output.
    Likely,
}

/// Whether a line belongs to an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It does, and more may follow.
    More,
    /// It is the last one.
    EndsHere,
    /// The output ended before it.
    EndsBefore,
}

/// Why an output is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotUnderstood {
    /// It does not go on as it began.
    OtherText,
    /// It ends before its figures.
    CutShort,
}
