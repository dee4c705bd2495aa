//! What another tool printed, as data: figures with the text they were read from, in one
//! unit system. Made by `import::tool`, one result a block of output; checks of `analysis`
//! hold it against arithmetic, and a run document keeps it beside the cases made of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::metric::MetricName;
use crate::name::WorkloadName;
use crate::profile::is_default;
use crate::tool_arithmetic::FigureDisagreement;
use crate::unit::Unit;
use crate::value::Parameters;

/// What was read from one file, or from standard input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolOutput {
    /// The file; empty for standard input.
    pub source: String,
    /// The encoding of its text, where that is not UTF-8: `EUC-KR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How many lines it has.
    pub lines: u64,
    /// What was understood, in the order of the text.
    pub results: Vec<ToolResult>,
    /// What was not. Empty lines and command lines are not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadLines>,
}

/// Lines of a text, both ends included, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineRange {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

/// Lines that were not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadLines {
    /// Which.
    pub lines: LineRange,
    /// Why not.
    pub cause: UnreadCause,
    /// The tool that they began like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The beginning of the first.
    pub text: String,
    /// The beginning of the last, where there are few of them or it is a title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_text: Option<String>,
    /// Those of prose and tables, as far as there are not too many: what they say is held against the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<WrittenLine>,
}

/// A line that somebody wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenLine {
    /// Its number.
    pub line: u64,
    /// Its text, or the beginning of a long one.
    pub text: String,
}

impl UnreadLines {
    /// What is kept of them, each with its line: of the first, and of the last.
    pub fn texts(&self) -> impl Iterator<Item = (u64, &str)> {
        let last = self.last_text.as_deref().map(|text| (self.lines.last, text));
        std::iter::once((self.lines.first, self.text.as_str())).chain(last)
    }
}

/// Why lines were not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnreadCause {
    /// They are of no known tool: prose, or another program.
    NoTool,
    /// They begin like a tool's output, and do not go on like it.
    NotUnderstood,
    /// They are a tool's output that was cut before its figures.
    CutShort,
    /// They are longer than any output of the tool.
    TooLong,
    /// Nobody looks at so many results: those before are kept.
    TooMany,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// One result of a tool: one execution, or what it counts as one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// The tool, by its importer's name: `fio`.
    pub tool: String,
    /// Its version, or variant, as far as the text tells: `3.33`, `busybox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where it stands.
    pub lines: LineRange,
    /// What its tool calls it, where one output may have several: a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The command line above it, by its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// When it was measured, as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<String>,
    /// The workload that does the same work; absent where none does, or it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadName>,
    /// Parameters of that workload, as far as they are known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parameters: Parameters,
    /// The tool's own options as far as they were read, in its words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What was measured of the whole.
    pub whole: ToolMeasurement,
    /// What was measured of its parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ToolPart>,
    /// Lines within it that were not understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<LineRange>,
    /// What the tool itself warned of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ToolWarning>,
    /// Figures that are not what follows from others of it, by more than rounding explains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<FigureDisagreement>,
}

impl ToolResult {
    /// What was measured: of the whole first, then of each part with its name.
    pub fn measurements(&self) -> impl Iterator<Item = (Option<&ToolPart>, &ToolMeasurement)> {
        let parts = self.parts.iter().map(|part| (Some(part), &part.measured));
        std::iter::once((None, &self.whole)).chain(parts)
    }

    /// What it has in common with all results that did the same: the same tool with the same options. Of
    /// those without any that is known, whether it did as much; `None` where not even that is known.
    #[must_use]
    pub fn repeated_work(&self) -> Option<RepeatedWork<'_>> {
        let amount = self.whole.bytes.as_ref().map(|bytes| bytes.value.to_bits());
        let amount = amount.filter(|_| self.options.is_empty());
        (!self.options.is_empty() || amount.is_some()).then(|| RepeatedWork {
            tool: &self.tool,
            version: self.version.as_deref(),
            workload: self.workload,
            // As a document has them: numbers have no order.
            parameters: serde_json::to_string(&self.parameters).unwrap_or_default(),
            options: &self.options,
            amount,
        })
    }

    /// Whether its figures are of all the time since the machine started: there is nothing to repeat.
    #[must_use]
    pub fn is_since_boot(&self) -> bool {
        self.options.get("since").is_some_and(|since| since == "boot")
    }

    /// The error that ended it before it had done all, as its tool printed it.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.options.get("error").map(String::as_str)
    }

    /// How many figures it has, those of its parts counted.
    #[must_use]
    pub fn figure_count(&self) -> usize {
        self.measurements().map(|(_, measured)| measured.figures.len()).sum()
    }
}

/// A warning that a tool printed beside its figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolWarning {
    /// The line on which it stands.
    pub line: u64,
    /// It, in the tool's words.
    pub text: String,
}

/// What results that did the same have in common. To look it up costs the same however many there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepeatedWork<'a> {
    tool: &'a str,
    version: Option<&'a str>,
    workload: Option<WorkloadName>,
    parameters: String,
    options: &'a BTreeMap<String, String>,
    amount: Option<u64>,
}

/// What was measured of a result or of a part of it. Missing is absent, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolMeasurement {
    /// How long it was measured, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<PrintedValue>,
    /// Bytes moved in that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<PrintedValue>,
    /// Operations done in that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<PrintedValue>,
    /// Rates, latencies with their percentiles, shares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<ToolFigure>,
}

impl ToolMeasurement {
    /// The figure of this metric.
    #[must_use]
    pub fn figure(&self, metric: MetricName) -> Option<&PrintedValue> {
        self.figures.iter().find(|figure| figure.metric == metric).map(|figure| &figure.printed)
    }

    /// Adds a figure, where there is one.
    pub fn add(&mut self, metric: MetricName, printed: Option<PrintedValue>) {
        self.figures.extend(printed.map(|printed| ToolFigure { metric, printed }));
    }

    /// Whether nothing was measured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFigure {
    /// What it is, by our name for it.
    pub metric: MetricName,
    /// The figure.
    #[serde(flatten)]
    pub printed: PrintedValue,
}

/// A number with the text that it was read from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrintedValue {
    /// The line on which it stands.
    pub line: u64,
    /// As printed, with its unit: `56.4MiB/s`.
    pub text: String,
    /// The number, in `unit`.
    pub value: f64,
    /// The unit of `value`.
    pub unit: Unit,
    /// Half of what its last digit counts, in `unit`: what rounding may have changed.
    pub half_step: f64,
    /// How the tool counts the multiples of its unit; absent where it was printed without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counting: Option<Counting>,
}

impl PrintedValue {
    /// The least that would be printed so.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.value - self.half_step
    }

    /// The most that would be printed so.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.value + self.half_step
    }
}

/// What k, M and G before a unit stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// Powers of 1000.
    Decimal,
    /// Powers of 1024.
    Binary,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// A part of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPart {
    /// What kind of part.
    pub kind: ToolPartKind,
    /// Which: `read`, `3`, a job's name.
    pub name: String,
    /// Of an interval: when it began, in seconds from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_s: Option<f64>,
    /// What was measured of it.
    pub measured: ToolMeasurement,
}

/// What kind of part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolPartKind {
    /// Reads or writes of a load that does both, sending or receiving.
    Direction,
    /// A thread, a process or a client.
    Thread,
    /// A job, with options of its own.
    Job,
    /// A connection.
    Stream,
    /// A span of time.
    Interval,
    /// A file or a device.
    Target,
    /// One step of several: a kernel of STREAM, a size of NetPIPE.
    Phase,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// What should have been done otherwise, so that the figure says what it is taken for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToolRemedy {
    /// Measure so many times.
    Repeat(u32),
    /// Go around the page cache.
    BypassPageCache,
    /// Count the time until all that was written is on the device.
    SyncAtEnd,
    /// End by time, after so many seconds.
    RunFor(u32),
    /// Touch more than the memory holds.
    SpanBeyondMemory,
    /// Write what cannot be compressed.
    RandomContent,
    /// Look at the receiver's figure.
    MeasureReceiver,
    /// Leave out the first seconds, so many.
    WarmUp(u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric;

    #[test]
    fn a_printed_value_knows_what_rounding_may_have_changed() {
        let printed = PrintedValue {
            line: 3,
            text: "1.7 GB/s".to_owned(),
            value: 1.7e9,
            unit: Unit::BytesPerSecond,
            half_step: 0.05e9,
            counting: Some(Counting::Decimal),
        };
        assert_eq!((printed.least(), printed.most()), (1.65e9, 1.75e9));
        let mut measured = ToolMeasurement::default();
        assert!(measured.is_empty());
        measured.add(metric::IOPS, None);
        assert!(measured.is_empty());
        measured.add(metric::THROUGHPUT, Some(printed.clone()));
        assert_eq!(measured.figure(metric::THROUGHPUT), Some(&printed));
    }

    #[test]
    fn what_did_the_same_has_its_work_in_common() {
        let result = |option: Option<&str>, bytes: Option<f64>| {
            let mut result = ToolResult { tool: "dd".to_owned(), ..ToolResult::default() };
            result.options.extend(option.map(|value| ("bs".to_owned(), value.to_owned())));
            result.whole.bytes = bytes.map(|value| PrintedValue {
                line: 1,
                text: value.to_string(),
                value,
                unit: Unit::Bytes,
                half_step: 0.0,
                counting: None,
            });
            result
        };
        let is_same =
            |a: &ToolResult, b: &ToolResult| a.repeated_work().is_some_and(|a| Some(a) == b.repeated_work());
        assert!(is_same(&result(Some("1M"), Some(1.0)), &result(Some("1M"), Some(2.0))));
        assert!(!is_same(&result(Some("1M"), Some(1.0)), &result(Some("2M"), Some(1.0))));
        assert!(is_same(&result(None, Some(1.0)), &result(None, Some(1.0))), "it did as much");
        assert!(!is_same(&result(None, Some(1.0)), &result(None, Some(2.0))));
        assert_eq!(result(None, None).repeated_work(), None, "nothing is known of it");
        let mut other = result(Some("1M"), None);
        other.parameters.extend([(crate::ParameterName::BLOCK_SIZE, crate::Value::from(1_u64))]);
        assert!(!is_same(&result(Some("1M"), None), &other));
    }

    #[test]
    fn words_of_a_later_version_are_read() {
        let read: ToolPartKind = serde_json::from_str("\"planet\"").unwrap();
        assert_eq!(read, ToolPartKind::Other);
        let read: UnreadCause = serde_json::from_str("\"forgotten\"").unwrap();
        assert_eq!(read, UnreadCause::Other);
    }
}
