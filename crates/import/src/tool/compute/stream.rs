//! STREAM of John D. McCalpin, in C and in Fortran, with OpenMP or without. It counts every byte that a
//! kernel names: two arrays for copy and scale, three for add and triad. Its rate is that of the
//! fastest pass.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning,
};
use model::{MetricName, Unit, metric};

use super::add_unread;
use crate::tool::arithmetic::{Computed, outside, unequal};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, DASHES, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct StreamBenchmark;

const NAME: &str = "stream";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "4.x, 5.x",
    units: "MB/s; a copied byte counts twice, once read and once written",
    counting: Counting::Decimal,
    proof: "stream-5.10-serial: copy moves 2 x 8 bytes of each of 2000000 elements, 32000000 bytes in 0.001644 s, which \
            are 19465 decimal MB/s; it prints 19463.1",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// The ruler that STREAM in C begins with, which is of so many dashes.
const RULER: usize = 61;

/// What lines of the head begin with, in lower case.
const OF_HEAD: &[&str] = &[
    "stream version",
    "this system uses",
    "array size",
    "offset",
    "memory per array",
    "total memory",
    "the total memory",
    "each kernel",
    "each test",
    "you are",
    "number of threads",
    "your clock",
    "increase the size",
    "warning",
    "for best results",
    "precision of your",
    "double precision",
    "assuming",
    "the *best*",
    "*excluding*",
    "will be used",
    "printing one line",
    "printing",
    "*****",
    "--",
    "it appears",
    "this version of the code",
    "reverting",
    "function",
];

/// What lines below the table begin with, in lower case.
const OF_END: &[&str] = &[
    "solution validates",
    "failed validation",
    "results validation",
    "expected",
    "observed",
    "for array",
    "array ",
    "weird",
    "rms error",
];

impl ToolReader for StreamBenchmark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what STREAM prints, in C or Fortran, with threads or without; its table alone, too"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["stream", "stream_c", "stream_f", "stream_omp", "stream_mpi"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Double precision appears to have ", "STREAM ", "Function", DASHES]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        // In Fortran, how large a word is stands first.
        let is_word = text.starts_with("Double precision appears to have ");
        if is_word || version(text).is_some() || Columns::of(text).is_some() {
            return Some(Beginning::Certain);
        }
        (is_ruler(text) && text.len() == RULER).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_of = |beginnings: &[&str]| {
            let lower = text.to_ascii_lowercase();
            beginnings.iter().any(|beginning| lower.starts_with(beginning))
        };
        let has = |is_it: fn(&str) -> bool| before.iter().any(|line| is_it(line.text.trim()));
        let is_first = before.is_empty();
        // A ruler alone is nobody's.
        let is_after_ruler = before.len() == 1 && has(is_ruler);
        let belongs = match () {
            () if is_first => true,
            () if is_after_ruler || version(text).is_some() => {
                version(text).is_some() && !has(|text| version(text).is_some())
            }
            () if is_ruler(text) && has(is_verdict) => return Extent::EndsHere,
            () if !has(|text| Columns::of(text).is_some()) => {
                last.is_blank() || last.is_indented() || is_ruler(text) || is_of(OF_HEAD)
            }
            () => is_ruler(text) || is_row(text) || is_of(OF_END) || last.is_indented() && !last.is_blank(),
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if block.lines.iter().all(|line| is_ruler(line.text.trim()) || line.is_blank()) {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = block.result(NAME, self.programs());
        let (mut head, mut columns, mut kernels) = (Head::default(), None, Vec::new());
        for line in block.lines {
            let text = line.text.trim();
            if let Some(found) = Columns::of(text) {
                columns = Some(found);
                continue;
            }
            match &columns {
                None => head.take(line.number, text),
                // What stands behind a verdict is none of the table.
                Some(columns) => match columns.kernel(line, &head).filter(|_| result.unread.is_empty()) {
                    Some(kernel) => kernels.push(kernel),
                    None if text.is_empty() || is_ruler(text) || is_right(text) => {}
                    None => {
                        // That a result is wrong cannot be said by a figure.
                        if text.starts_with("Failed Validation") {
                            result.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
                        }
                        add_unread(&mut result.unread, line.number);
                    }
                },
            }
        }
        if kernels.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.version = head.version;
        result.warnings.extend(head.warning);
        result.options = head.options;
        result.disagreements = disagreements(&kernels);
        for (name, measured) in kernels {
            let rate = measured.figure(metric::THROUGHPUT).cloned();
            if let Some(own) = metric::THROUGHPUT.of(&name) {
                result.whole.add(own, rate);
            }
            result.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
        }
        Ok(vec![result])
    }
}

fn is_ruler(text: &str) -> bool {
    text.len() >= 20 && text.chars().all(|c| c == '-')
}

/// `STREAM version $Revision: 5.10 $`.
fn version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("STREAM version").or_else(|| text.strip_prefix("STREAM Version"))?;
    let version = rest.split_once("Revision:").map_or(rest, |(_, version)| version);
    Some(version.trim_matches(['$', ' ', ':']))
}

/// What is said of the results' correctness.
fn is_verdict(text: &str) -> bool {
    is_right(text) || text.starts_with("Failed Validation")
}

fn is_right(text: &str) -> bool {
    text.starts_with("Solution Validates")
}

/// Whether it may be a row of the table.
fn is_row(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, rest)| is_name(name.trim()) && leading(rest, false).is_some())
}

fn is_name(name: &str) -> bool {
    (1..=16).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphabetic())
}

/// The longest pass.
const ELAPSED_MAX: MetricName = MetricName::new("elapsed_max");

/// What rates may be off by beyond the rounding of their times.
const ROUNDED: f64 = 0.005;

/// Fewer ticks of the clock in a test are too few, by what STREAM prints.
const TICKS_MIN: u64 = 20;

/// What stands above the table.
#[derive(Default)]
struct Head {
    version: Option<String>,
    options: std::collections::BTreeMap<String, String>,
    /// Elements of an array, and the line on which they stand.
    elements: Option<(u64, u64)>,
    element_bytes: Option<u64>,
    /// That the arrays are too small for the clock, by STREAM's own rule.
    warning: Option<ToolWarning>,
}

impl Head {
    fn take(&mut self, line: u64, text: &str) {
        if let Some(version) = version(text) {
            self.version = Some(version.to_owned()).filter(|version| !version.is_empty());
            return;
        }
        let behind = |words: &str| {
            let rest = text.split_once(words)?.1;
            whole(rest.trim_start_matches([' ', '='])).map(|(number, _)| number)
        };
        // `(= 958 clock ticks)`, of which there should be "at least 20 clock ticks per test".
        if text.ends_with("clock ticks)") && behind("(").is_some_and(|ticks| ticks < TICKS_MIN) {
            self.warning = Some(ToolWarning { line, text: text.to_owned() });
        }
        let mut set = |name: &str, value: Option<u64>| {
            if let Some(value) = value {
                self.options.insert(name.to_owned(), value.to_string());
            }
        };
        if let Some(elements) = behind("Array size") {
            set("array-size", Some(elements));
            self.elements = Some((elements, line));
        }
        set("offset", behind("Offset"));
        set("threads", behind("Number of Threads counted").or_else(|| behind("Number of Threads =")));
        set("threads-requested", behind("Number of Threads requested"));
        let times = behind("kernel will be executed").or_else(|| behind("test is run"));
        set("executions", times.or_else(|| behind("running each test")));
        // `This system uses 8 bytes per array element.`, in Fortran `Assuming 8 bytes per ...`.
        if text.contains("bytes per") {
            let bytes = behind("system uses").or_else(|| behind("Assuming"));
            set("bytes-per-element", bytes);
            self.element_bytes = bytes.or(self.element_bytes);
        }
    }

    /// The bytes that a pass of this kernel moves, as STREAM counts them.
    fn bytes(&self, kernel: &str) -> Option<PrintedValue> {
        let arrays = arrays(kernel)?;
        let ((elements, line), size) = (self.elements?, self.element_bytes?);
        let value = arrays.checked_mul(elements)?.checked_mul(size)?;
        let text = format!("{arrays} x {elements} x {size} bytes");
        Some(PrintedValue { text, ..exact(line, value, Unit::Bytes) })
    }
}

/// How many arrays a kernel names.
fn arrays(kernel: &str) -> Option<u64> {
    match kernel {
        "copy" | "copying" | "scale" | "scaling" => Some(2),
        "add" | "adding" | "sum" | "summing" | "triad" | "saxpying" => Some(3),
        _ => None,
    }
}

/// What the table contradicts itself in: a mean outside of its range, and rates that are of arrays of different sizes.
fn disagreements(kernels: &[(String, ToolMeasurement)]) -> Vec<FigureDisagreement> {
    let mut all = Vec::new();
    for (_, measured) in kernels {
        let mean = measured.figure(metric::ELAPSED_MEAN);
        let most = measured.figure(ELAPSED_MAX);
        all.extend(mean.and_then(|mean| outside(mean, measured.window.as_ref(), most)));
        all.extend(
            most.zip(measured.window.as_ref()).and_then(|(most, least)| outside(most, Some(least), None)),
        );
    }
    if kernels.iter().any(|(_, measured)| measured.bytes.is_some()) {
        // Each is held against that.
        return all;
    }
    let arrays: Vec<KernelArray<'_>> =
        kernels.iter().filter_map(|(name, measured)| KernelArray::of(name, measured)).collect();
    for kernel in &arrays {
        let others = arrays.iter().filter(|other| other.rate.line != kernel.rate.line);
        let contradicts = |other: &KernelArray<'_>| {
            let moved = other.bytes.clone().times(&Computed::number(kernel.count));
            unequal(kernel.rate, moved.over(&Computed::of(kernel.least)), ROUNDED)
        };
        let by_others: Vec<_> = others.map(contradicts).collect();
        // One wrong kernel contradicts all others, and each of these that one.
        if by_others.len() > 1 && by_others.iter().all(Option::is_some) {
            all.extend(by_others.into_iter().flatten().take(1));
        }
    }
    all
}

/// What one array has, by the rate and the least time of a kernel.
struct KernelArray<'a> {
    rate: &'a PrintedValue,
    least: &'a PrintedValue,
    bytes: Computed,
    /// How many arrays the kernel names.
    count: f64,
}

impl<'a> KernelArray<'a> {
    fn of(name: &str, measured: &'a ToolMeasurement) -> Option<Self> {
        let (rate, least) = (measured.figure(metric::THROUGHPUT)?, measured.window.as_ref()?);
        let count = arrays(name)? as f64;
        let bytes = Computed::of(rate).times(&Computed::of(least)).over(&Computed::number(count))?;
        Some(Self { rate, least, bytes, count })
    }
}

/// In which order the columns stand.
struct Columns {
    names: Vec<StreamColumn>,
    /// The unit of the rate.
    unit: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum StreamColumn {
    Rate,
    Mean,
    Least,
    Greatest,
}

impl Columns {
    /// `Function    Best Rate MB/s  Avg time     Min time     Max time`.
    fn of(text: &str) -> Option<Self> {
        if !text.starts_with("Function") || !text.contains("Rate") {
            return None;
        }
        let unit = *["MB/s", "GB/s"].iter().find(|unit| text.contains(*unit))?;
        let titles = [
            ("Rate", StreamColumn::Rate),
            ("Avg", StreamColumn::Mean),
            ("Min", StreamColumn::Least),
            ("Max", StreamColumn::Greatest),
        ];
        // Early ones have `RMS time` for the mean.
        let found = titles.iter().filter_map(|(title, column)| Some((text.find(title)?, *column)));
        let mut found: Vec<(usize, StreamColumn)> = found.collect();
        if let Some(at) = text.find("RMS") {
            found.push((at, StreamColumn::Mean));
        }
        found.sort_by_key(|(at, _)| *at);
        Some(Self { names: found.into_iter().map(|(_, column)| column).collect(), unit })
    }

    /// `Copy:           19463.1     0.001654     0.001644     0.001663`.
    fn kernel(&self, line: &ToolLine, head: &Head) -> Option<(String, ToolMeasurement)> {
        let (name, values) = line.text.trim().split_once(':')?;
        let name = name.trim();
        let values: Vec<&str> = values.split_whitespace().collect();
        if !is_name(name) || values.is_empty() || values.len() > self.names.len() {
            return None;
        }
        let name = name.to_ascii_lowercase();
        let mut measured = ToolMeasurement { bytes: head.bytes(&name), ..ToolMeasurement::default() };
        for (column, value) in self.names.iter().zip(values) {
            let seconds = || time(line.number, value, "s");
            match column {
                StreamColumn::Rate => {
                    let rate = quantity(line.number, &format!("{value} {}", self.unit), DECIMAL.counting);
                    measured.add(metric::THROUGHPUT, rate);
                }
                StreamColumn::Mean => measured.add(metric::ELAPSED_MEAN, seconds()),
                // The rate is that of the fastest pass.
                StreamColumn::Least => measured.window = seconds(),
                StreamColumn::Greatest => measured.add(ELAPSED_MAX, seconds()),
            }
        }
        measured.figure(metric::THROUGHPUT)?;
        Some((name, measured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn columns_are_known_by_their_titles() {
        for (title, row) in [
            ("Function    Best Rate MB/s  Avg time     Min time     Max time", "Copy: 1000.0 3.0 2.0 4.0"),
            ("Function      Rate (MB/s)   Avg time     Min time     Max time", "Copy: 1000.0 3.0 2.0 4.0"),
            ("Function     Rate (MB/s)  RMS time   Min time  Max time", "Copying: 1000.0 3.0 2.0 4.0"),
            ("Function  Min time  Avg time  Max time  Best Rate GB/s", "Copy: 2.0 3.0 4.0 1.0"),
        ] {
            let columns = Columns::of(title).unwrap();
            let (_, measured) = columns.kernel(&line(row), &Head::default()).unwrap();
            assert_eq!(measured.figure(metric::THROUGHPUT).unwrap().value, 1e9, "{title}");
            assert_eq!(measured.window.unwrap().value, 2.0, "{title}");
        }
        assert!(Columns::of("Function of the Rate").is_none());
    }

    #[test]
    fn a_kernel_moves_what_its_arrays_have() {
        let mut head = Head::default();
        head.take(6, "Array size = 1000000 (elements), Offset = 16 (elements)");
        head.take(4, "This system uses 4 bytes per array element.");
        let bytes = |kernel: &str| head.bytes(kernel).map(|bytes| bytes.value);
        assert_eq!((bytes("copy"), bytes("triad"), bytes("write")), (Some(8e6), Some(12e6), None));
        assert_eq!(head.options.get("offset").map(String::as_str), Some("16"));
        assert_eq!(head.warning, None);
        head.take(16, "(= 5 clock ticks)");
        assert_eq!(head.warning.as_ref().map(|warning| warning.line), Some(16));
        head.take(5, "Assuming   8 bytes per DOUBLE PRECISION word");
        assert_eq!(head.bytes("add").map(|bytes| bytes.value), Some(24e6));
    }

    #[test]
    fn a_table_is_held_against_itself() {
        let wrong = |copy: &str| -> Vec<String> {
            let text = format!(
                "Function    Best Rate MB/s  Avg time     Min time     Max time\nCopy:  {copy}\n\
                 Scale:          16000.0     0.010100     0.010000     0.010200\n\
                 Add:            24000.0     0.010200     0.010000     0.010400\n"
            );
            let results = crate::tool::read("", text.as_bytes()).unwrap().results;
            results[0].disagreements.iter().map(|wrong| wrong.printed.text.clone()).collect()
        };
        assert_eq!(wrong("16000.0     0.010100     0.010000     0.010200"), Vec::<String>::new());
        assert_eq!(wrong("16000.0     0.009100     0.010000     0.010200"), ["0.009100 s"]);
        assert_eq!(wrong("16000.0     0.010100     0.010000     0.009000"), ["0.010100 s", "0.009000 s"]);
        assert_eq!(wrong("32000.0     0.010100     0.010000     0.010200"), ["32000.0 MB/s"]);
    }

    #[test]
    fn a_ruler_alone_is_no_output() {
        let lines = [line(&"-".repeat(RULER)), line("some prose")];
        assert_eq!(StreamBenchmark.extent(&lines), Extent::EndsBefore);
        let block = ToolBlock { lines: &lines[..1], command: None };
        assert_eq!(StreamBenchmark.read(&block).unwrap_err(), NotUnderstood::OtherText);
    }
}
