//! `openssl speed` of 1.x and 3.x, and of LibreSSL: its tables, or where these are cut off its lines of
//! progress. Each row is a result. What it calls seconds is the CPU time of one process, unless `-elapsed` or
//! `-multi` is given: on a machine whose processor is shared its rates are above what was got.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::openssl_keys::{KeyRow, heading, is_number};
use super::{add_unread, metric_of, openssl_sums};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct OpensslSpeed;

const NAME: &str = "openssl";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x, 3.x",
    units: "k behind a rate of bytes",
    counting: Counting::Decimal,
    proof: "openssl-3.0.22-md5: 2368799 blocks of 64 bytes in 0.85 s are 178356630 bytes/s; it prints 178356.63k",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// What stands above the table of rates of bytes.
const TABLE: &str = "The 'numbers' are in 1000s of bytes per second processed.";

/// The tables of all algorithms have fewer lines.
const TABLE_LINES_MAX: usize = 512;

/// What stands above all where the time that passed was taken, and not the CPU time.
const ELAPSED: &str = "You have chosen to measure elapsed time";

/// What stands before a size that `-mr` and `-multi` measured: `+DT:sha256:1:1024`.
const MACHINE_SIZE: &str = "+DT:";

/// What stands before the rates in bytes per second that `-mr` prints: `+F:6:sha256:320473750.59`.
const MACHINE_ROW: &str = "+F:";

/// What ends a rate.
const OF_ROWS: &[&str] = &["0k", "1k", "2k", "3k", "4k", "5k", "6k", "7k", "8k", "9k"];

/// What lines between the progress and the tables begin with.
const OF_HEAD: &[&str] = &[
    "version:",
    "built on:",
    "options:",
    "compiler:",
    "CPUINFO:",
    "OpenSSL ",
    "LibreSSL ",
    ELAPSED,
    "Forked child",
    "Got: ",
    "+DT:",
    "+DTP:",
    "+R",
    "+H:",
    "+F",
    "The 'numbers' are",
    "type ",
];

impl ToolReader for OpensslSpeed {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of `openssl speed`: ciphers and digests by the size of a block, and operations of keys"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["openssl"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Doing ", TABLE, MACHINE_SIZE, ELAPSED, "type ", "/s"], OF_ROWS])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_one = is_done(text)
            || text.starts_with(TABLE)
            || text.starts_with(MACHINE_SIZE)
            || text.starts_with(ELAPSED)
            || sizes(text).is_some()
            || heading(text);
        match is_one {
            true => Some(Beginning::Certain),
            false => is_row_alone(text).then_some(Beginning::Likely),
        }
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_progress = is_done(text);
        // Another run begins.
        let is_built = |line: &ToolLine| line.text.starts_with("built on:");
        if is_progress && before.iter().rev().take(TABLE_LINES_MAX).any(is_built) {
            return Extent::EndsBefore;
        }
        let is_head = OF_HEAD.iter().any(|start| text.starts_with(start));
        let is_row = rates(text).is_some() || KeyRow::of(text).is_some() || heading(text);
        if before.is_empty() || is_progress || is_head || is_row { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        openssl_sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut reading = Reading::default();
        block.lines.iter().for_each(|line| reading.take(line));
        let results = reading.results(block.result(NAME, self.programs()));
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// Whether a line tells what was done in which time: of blocks, or of keys.
fn is_done(text: &str) -> bool {
    let rest = text.strip_prefix("Doing ").and_then(|rest| rest.split_once(" for "));
    let seconds =
        rest.and_then(|(_, rest)| rest.rsplit_once(" in ")).and_then(|(_, end)| end.strip_suffix('s'));
    seconds.is_some_and(is_number)
}

/// `Doing md5 for 1s on 64 size blocks: 2368799 md5's in 0.85s`.
struct Progress {
    name: String,
    size: PrintedValue,
    operations: PrintedValue,
    window: PrintedValue,
    /// For how many seconds it was to run.
    asked: String,
}

impl Progress {
    fn of(line: &ToolLine) -> Option<Self> {
        let (name, rest) = line.text.trim().strip_prefix("Doing ")?.split_once(" for ")?;
        let (asked, rest) = rest.split_once(" on ")?;
        let (size, rest) = whole(rest)?;
        let (operations, rest) = whole(rest.trim_start().strip_prefix("size blocks:")?)?;
        let (_, seconds) = rest.rsplit_once(" in ")?;
        Some(Self {
            // Since 3.2 it says `sha256 ops`.
            name: name.trim_end_matches(" ops").to_owned(),
            size: exact(line.number, size, Unit::Bytes),
            operations: exact(line.number, operations, Unit::One),
            window: time(line.number, seconds.strip_suffix('s')?, "s")?,
            asked: asked.strip_suffix('s')?.to_owned(),
        })
    }

    fn bytes(&self) -> PrintedValue {
        PrintedValue {
            text: format!("{} x {} bytes", self.operations.text, self.size.text),
            value: self.size.value * self.operations.value,
            ..self.size.clone()
        }
    }

    /// What was done in the time, of blocks of this size.
    fn measured(&self) -> ToolMeasurement {
        let (window, bytes) = (Some(self.window.clone()), Some(self.bytes()));
        ToolMeasurement { window, bytes, operations: Some(self.operations.clone()), figures: Vec::new() }
    }
}

/// The sizes of the columns: `type             16 bytes     64 bytes`.
fn sizes(text: &str) -> Option<Vec<u64>> {
    let rest = text.strip_prefix("type ")?;
    let parts: Vec<&str> = rest.split("bytes").map(str::trim).filter(|part| !part.is_empty()).collect();
    let all: Vec<u64> = parts.iter().map_while(|part| part.parse().ok()).collect();
    (!all.is_empty() && all.len() == parts.len()).then_some(all)
}

/// The name and the rates of a row: `md5             178356.63k   274325.44k`. Scripts put the core behind it: `(Cortex-A72)`.
fn rates(text: &str) -> Option<(String, Vec<&str>)> {
    let behind = text.rsplit_once(" (").filter(|(_, behind)| behind.ends_with(')'));
    let words: Vec<&str> = behind.map_or(text, |(row, _)| row).split_whitespace().collect();
    let is_rate =
        |word: &&str| leading(word, false).is_some_and(|number| number.rest == "k") || *word == "0.00";
    let count = words.iter().rev().take_while(|word| is_rate(word)).count();
    let (name, rates) = words.split_at(words.len() - count);
    let of = behind.map(|(_, core)| format!(" ({core}")).unwrap_or_default();
    (!name.is_empty() && !rates.is_empty()).then(|| (name.join(" ") + &of, rates.to_vec()))
}

/// Whether it is a row of a table with as many sizes as it has where none are asked for: some put rows of several runs
/// below one another, with words between them.
fn is_row_alone(text: &str) -> bool {
    // Every line of any text is asked.
    text.ends_with('k') && rates(text).is_some_and(|(_, rates)| matches!(rates.len(), 5 | 6))
}

/// What stands above the tables.
#[derive(Default)]
struct Head {
    version: Option<String>,
    options: Vec<(&'static str, String)>,
    /// What the columns of keys are of.
    operations: Vec<String>,
}

/// A row of a table.
struct Row {
    name: String,
    line: u64,
    parts: Vec<ToolPart>,
    whole: ToolMeasurement,
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    columns: Vec<u64>,
    done: Vec<Progress>,
    rows: Vec<Row>,
    head: Head,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        if let Some(progress) = Progress::of(line) {
            if self.done.is_empty() {
                self.head.options.push(("seconds", progress.asked.clone()));
            }
            self.done.push(progress);
        } else if let Some(sizes) = sizes(text) {
            self.columns = sizes;
        } else if let Some(rest) = text.strip_prefix(MACHINE_SIZE) {
            let size: Option<u64> = rest.rsplit(':').next().and_then(|size| size.parse().ok());
            let is_known = size.is_some_and(|size| self.columns.contains(&size));
            self.columns.extend(size.filter(|_| !is_known));
        } else if let Some(rest) = text.strip_prefix(MACHINE_ROW) {
            let fields: Vec<&str> = rest.split(':').collect();
            if let [_, name, rates @ ..] = fields.as_slice() {
                self.row(line.number, (*name).to_owned(), rates);
            }
        } else if heading(text) {
            let names = text.split_whitespace().filter(|word| !word.ends_with("/s"));
            self.head.operations = names.map(|name| name.trim_end_matches('.').to_owned()).collect();
        } else if let Some(version) = text.strip_prefix("version: ") {
            self.head.version = Some(version.to_owned());
        } else if let Some(version) = text.strip_prefix("OpenSSL ") {
            self.head.version = version.split_whitespace().next().map(str::to_owned);
        } else if text.starts_with(ELAPSED) {
            self.head.options.push(("elapsed", "true".to_owned()));
        } else if text.starts_with("Forked child") {
            let children = self.head.options.iter_mut().find(|(name, _)| *name == "multi");
            match children {
                Some((_, count)) => *count = (count.parse().unwrap_or(0_u64) + 1).to_string(),
                None => self.head.options.push(("multi", "1".to_owned())),
            }
        } else if let Some((name, rates)) = rates(text) {
            self.row(line.number, name, &rates);
        } else if let Some(row) = KeyRow::of(text) {
            self.keys(line.number, row);
        }
    }

    /// A row of rates of bytes: each size is a part; where the sizes are not known the last rate counts, that of the largest.
    fn row(&mut self, line: u64, name: String, rates: &[&str]) {
        let mut row = Row { name, line, parts: Vec::new(), whole: ToolMeasurement::default() };
        // With `-multi` the sizes are not printed above.
        let sizes: Vec<Option<u64>> = match self.columns.len() == rates.len() {
            true => self.columns.iter().copied().map(Some).collect(),
            false => vec![None; rates.len()],
        };
        for (size, rate) in sizes.into_iter().zip(rates) {
            let Some(printed) = quantity(line, &format!("{rate}B/s"), DECIMAL.counting) else { continue };
            let printed = PrintedValue { text: (*rate).to_owned(), ..printed };
            let done = self
                .done
                .iter()
                .find(|one| Some(one.size.value) == size.map(|s| s as f64) && is_of(one, &row.name));
            let mut measured = done.map(Progress::measured).unwrap_or_default();
            measured.add(metric::THROUGHPUT, Some(printed.clone()));
            let Some(size) = size else {
                row.whole.figures.clear();
                row.whole.add(metric::THROUGHPUT, Some(printed));
                continue;
            };
            if let Some(own) = metric::THROUGHPUT.of(&format!("block_{size}")) {
                row.whole.add(own, Some(printed));
            }
            row.parts.push(ToolPart {
                kind: ToolPartKind::Phase,
                name: format!("{size} bytes"),
                start_s: None,
                measured,
            });
        }
        self.rows.push(row);
    }

    /// A row of operations of keys.
    fn keys(&mut self, line: u64, row: KeyRow<'_>) {
        let mut whole = ToolMeasurement::default();
        let names = self.head.operations.iter().map(String::as_str);
        // Where the heading was cut off it is not known of what they are.
        for ((operation, rate), seconds) in names.zip(&row.rates).zip(&row.times) {
            let Some(own) = metric_of(operation) else { continue };
            let number = leading(rate, false);
            let printed = number.map(|number| PrintedValue {
                half_step: number.half_step,
                ..plain(line, format!("{rate}/s"), number.value, Unit::PerSecond)
            });
            add_of(&mut whole, own, metric::PER_SECOND, printed);
            let seconds = seconds.strip_suffix('s').and_then(|seconds| time(line, seconds, "s"));
            // Times that were rounded to nothing are none.
            add_of(&mut whole, own, metric::LATENCY_MEAN, seconds.filter(|time| time.value > 0.0));
        }
        self.rows.push(Row { name: row.name, line, parts: Vec::new(), whole });
    }

    fn results(self, of_all: ToolResult) -> Vec<ToolResult> {
        let Self { done, rows, head, .. } = self;
        let rows = if rows.is_empty() { of_progress(done) } else { rows };
        let mut results: Vec<ToolResult> = Vec::new();
        for Row { name, line, parts, whole } in rows {
            let mut result = of_all.clone();
            if whole.figures.is_empty() && parts.is_empty() {
                if let Some(before) = results.last_mut() {
                    add_unread(&mut before.unread, line);
                }
                continue;
            }
            result.version.clone_from(&head.version);
            result.options.insert("algorithm".to_owned(), name);
            result
                .options
                .extend(head.options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
            (result.whole, result.parts) = (whole, parts);
            results.push(result);
        }
        results
    }
}

/// Whether what was done is of a row: names differ by case, and by the mode that stands behind some of them.
fn is_of(progress: &Progress, row: &str) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    plain(&progress.name) == plain(row)
}

/// Rows of what was done, where the table is missing.
fn of_progress(done: Vec<Progress>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for progress in done {
        let size = progress.size.text.clone();
        let (bytes, window) = (progress.bytes(), &progress.window);
        let value = bytes.value / window.value;
        let rate = (window.value > 0.0).then(|| PrintedValue {
            text: format!("{} / {}", bytes.text, window.text),
            value,
            half_step: value * window.half_step / window.value,
            unit: Unit::BytesPerSecond,
            ..bytes.clone()
        });
        let line = progress.size.line;
        let mut measured = progress.measured();
        measured.add(metric::THROUGHPUT, rate.clone());
        let row = match rows.iter().position(|row| row.name == progress.name) {
            Some(place) => rows.get_mut(place),
            None => {
                let (parts, whole) = (Vec::new(), ToolMeasurement::default());
                rows.push(Row { name: progress.name.clone(), line, parts, whole });
                rows.last_mut()
            }
        };
        let Some(row) = row else { continue };
        if let Some(own) = metric::THROUGHPUT.of(&format!("block_{size}")) {
            row.whole.add(own, rate);
        }
        row.parts.push(ToolPart {
            kind: ToolPartKind::Phase,
            name: format!("{size} bytes"),
            start_s: None,
            measured,
        });
    }
    rows
}

/// Adds the metric of one kind of operation.
fn add_of(
    whole: &mut ToolMeasurement,
    operation: MetricName,
    metric: MetricName,
    printed: Option<PrintedValue>,
) {
    if let Some(own) = metric.of(operation.as_str()) {
        whole.add(own, printed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn rates_are_held_against_what_was_done() {
        let results = read(
            "Doing md5 for 1s on 64 size blocks: 2368799 md5's in 0.85s\nversion: 3.0.22\n\
             The 'numbers' are in 1000s of bytes per second processed.\ntype             64 bytes\n\
             md5             178356.63k\n",
        );
        let part = &results[0].parts[0];
        assert_eq!(part.measured.bytes.as_ref().unwrap().value, 151_603_136.0);
        let rate = part.measured.figure(metric::THROUGHPUT).unwrap();
        assert!((rate.value - 178_356_630.0).abs() < 1e-3, "{rate:?}");
        assert_eq!((&*results[0].options["algorithm"], &*results[0].options["seconds"]), ("md5", "1"));
        assert_eq!(results[0].version.as_deref(), Some("3.0.22"));
    }

    #[test]
    fn without_its_table_the_progress_is_read() {
        let results = read(
            "Doing md5 for 1s on 64 size blocks: 1000000 md5's in 0.50s\n\
             Doing md5 ops for 1s on 256 size blocks: 500000 md5's in 0.50s\n",
        );
        assert_eq!((results.len(), results[0].parts.len()), (1, 2));
        let rate = results[0].whole.figure(MetricName::new("block_256_throughput")).unwrap();
        assert_eq!(rate.value, 256e6);
    }

    #[test]
    fn operations_of_keys_have_the_names_of_their_heading() {
        let results = read(
            "                  sign    verify    sign/s verify/s\nrsa 2048 bits 0.000688s 0.000021s   1453.8  46575.3\n\
             \x20                             op      op/s\n 253 bits ecdh (X25519)   0.0000s  21124.2\n",
        );
        let value = |place: usize, name: &'static str| {
            results[place].whole.figure(MetricName::new(name)).map(|printed| printed.value)
        };
        assert_eq!(
            (value(0, "sign_per_second"), value(0, "verify_per_second")),
            (Some(1453.8), Some(46575.3))
        );
        assert_eq!(value(0, "verify_latency_mean"), Some(2.1e-5));
        assert_eq!((value(1, "op_per_second"), value(1, "op_latency_mean")), (Some(21124.2), None));
        assert_eq!(results[1].options["algorithm"], "253 bits ecdh (X25519)");
    }

    #[test]
    fn what_is_printed_for_machines_is_read() {
        let results = read("+DT:sha256:1:64\n+R:4256292:sha256:0.850000\n+H:64\n+F:6:sha256:320473750.50\n");
        let rate = results[0].whole.figure(MetricName::new("block_64_throughput")).unwrap();
        assert_eq!(rate.value, 320_473_750.5);
        assert_eq!(results[0].options["algorithm"], "sha256");
    }

    #[test]
    fn rows_with_words_between_them_are_known() {
        let row = |name: &str| format!("{name}     100.00k   200.00k   300.00k   400.00k   500.00k\n");
        let results =
            read(&format!("{}\nWith instructions for it:\n{}", row("aes-128 cbc"), row("aes-128-cbc")));
        let algorithms: Vec<&str> =
            results.iter().map(|result| result.options["algorithm"].as_str()).collect();
        assert_eq!(algorithms, ["aes-128 cbc", "aes-128-cbc"]);
        assert_eq!(results[1].whole.figure(metric::THROUGHPUT).map(|rate| rate.value), Some(500e3));
    }

    #[test]
    fn prose_is_no_table() {
        assert!(sizes("type 16 bytes or so").is_none() && sizes("type ").is_none());
        assert!(!heading("sign and verify") && heading("sign    verify    sign/s verify/s"));
        assert!(rates("5k").is_none() && rates("is 5k (A7)").is_some_and(|(name, _)| name == "is (A7)"));
    }
}
