//! bonnie++ 1.03 to 2.00: its tables and its line of comma-separated values, which has more digits.
//! Without multiples the tables of 1.x are in KiB/s.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::bonnie_lines::{PROGRESS, is_progress, is_second_heading, is_third_heading, is_title, too_quick};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::{leading, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Bonnie;

const NAME: &str = "bonnie++";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.03 to 2.00",
    units: "K/sec of 1.x; k, m and g of 2.00; values between commas are K/sec",
    counting: Counting::Binary,
    proof: "bonnie++-2.00a-direct: the line of values has 105890 where the table has 103m, and 340761 where it has 333m: 1024 \
            times as many",
};

const RULES: &[CountingRule] = &[BYTES];

/// What it measures, by the names of its values (man bon_csv2txt): first those of one file, then those of many.
const TESTS: [&str; 12] = [
    "putc",
    "put_block",
    "rewrite",
    "getc",
    "get_block",
    "seeks",
    "seq_create",
    "seq_stat",
    "seq_del",
    "ran_create",
    "ran_stat",
    "ran_del",
];

/// So many of them are of one file.
const OF_FILE: usize = 6;

/// So many files are one in `-n`.
const FILES_UNIT: f64 = 1024.0;

impl ToolReader for Bonnie {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of bonnie++ 1.03 to 2.00 and its line of comma-separated values"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["bonnie++"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[PROGRESS, &["-Sequential Output-", "-Sequential Create-", ","]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if is_title(text) || is_progress(text) {
            return Some(Beginning::Certain);
        }
        Values::of(text).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_table = |text: &str| is_title(text) && text.contains("Sequential Output");
        let has = |is: &dyn Fn(&str) -> bool| before.iter().any(|line| is(&line.text));
        let is_values = |text: &str| Values::of(text).is_some();
        // Below the third heading stand values, and below these their latencies.
        let is_row =
            before.last().is_some_and(|line| is_third_heading(&line.text)) || text.starts_with("Latency");
        match () {
            () if before.is_empty() || last.is_blank() || is_progress(text) && !has(&is_values) => {
                Extent::More
            }
            () if is_values(text) => {
                if has(&is_values) {
                    Extent::EndsBefore
                } else {
                    Extent::More
                }
            }
            () if is_table(text) => {
                if has(&is_table) {
                    Extent::EndsBefore
                } else {
                    Extent::More
                }
            }
            () if is_title(text) || is_second_heading(text) || is_third_heading(text) || is_row => {
                Extent::More
            }
            () => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut run = BonnieRun::default();
        let mut table = None;
        for line in block.lines {
            run.take(line, &mut table);
        }
        let values = block.lines.iter().find_map(|line| Some((line.number, Values::of(&line.text)?)));
        if let Some((line, values)) = values {
            values.fill(line, &mut run);
        }
        let mut result = block.result(NAME, self.programs());
        result.warnings.extend(block.lines.iter().find_map(too_quick));
        run.fill(&mut result);
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// Where a table has its columns.
#[derive(Clone)]
struct Table {
    /// The first and the last place of each.
    columns: Vec<(usize, usize)>,
    /// The place of the first in [`TESTS`].
    first: usize,
    /// Whether its numbers are in KiB/s.
    is_kilo: bool,
    /// Whether its columns stand where they were printed: white space may be lost.
    is_in_place: bool,
}

/// So many letters stand before the first column of every version.
const BEFORE_COLUMNS: usize = 20;

impl Table {
    /// From the second heading.
    fn of(text: &str) -> Option<Self> {
        let (start, first) = match text.find("-Per Chr-") {
            Some(start) => (start, 0),
            None => (text.find("-Create-")?, OF_FILE),
        };
        let mut columns = Vec::new();
        let mut begin = start;
        let headings = text.get(start..)?;
        // One ends with a dash, and the next begins with one.
        for (at, _) in headings.match_indices("- -") {
            columns.push((begin, start + at + 1));
            begin = start + at + 2;
        }
        columns.push((begin, text.len()));
        let is_in_place = start >= BEFORE_COLUMNS;
        (columns.len() == OF_FILE).then_some(Self { columns, first, is_kilo: false, is_in_place })
    }

    /// The words of a row, by the column in which each ends. Where none is blank, they are counted: names may
    /// have moved them.
    fn cells<'a>(&self, text: &'a str, each: usize) -> Vec<Vec<&'a str>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let all = self.columns.len() * each;
        if words.len() > all && words.len() <= all + 2 {
            let own = words.get(words.len() - all..).unwrap_or_default();
            return own.chunks(each).map(<[&str]>::to_vec).collect();
        }
        let mut cells = vec![Vec::new(); self.columns.len()];
        if !self.is_in_place {
            return cells;
        }
        let mut from = 0;
        for word in words {
            let Some(at) = text.get(from..).and_then(|rest| rest.find(word)) else { continue };
            let end = from + at + word.len();
            from = end;
            let column = self.columns.iter().position(|(first, last)| (*first + 1..=*last).contains(&end));
            if let Some(cell) = column.and_then(|column| cells.get_mut(column)) {
                cell.push(word);
            }
        }
        cells
    }
}

/// What one execution printed.
#[derive(Default)]
struct BonnieRun {
    version: Option<String>,
    size: Option<String>,
    files: Option<String>,
    rates: [Option<PrintedValue>; TESTS.len()],
    cpu: [Option<PrintedValue>; TESTS.len()],
    latencies: [Option<PrintedValue>; TESTS.len()],
    /// The line of the table of files, whose row comes.
    is_row_next: bool,
}

impl BonnieRun {
    fn take(&mut self, line: &ToolLine, table: &mut Option<Table>) {
        let text = line.text.as_str();
        if is_title(text) {
            let version = text.strip_prefix("Version ").and_then(|rest| rest.split_whitespace().next());
            self.version = version.map(str::to_owned).or(self.version.take());
        } else if is_second_heading(text) {
            *table = Table::of(text);
        } else if is_third_heading(text) {
            self.is_row_next = true;
            if let Some(table) = table {
                table.is_kilo = text.contains("K/sec");
            }
        } else if let Some(table) = table {
            if let Some(rest) = text.strip_prefix("Latency") {
                self.latencies(line.number, text, table, rest);
            } else if std::mem::take(&mut self.is_row_next) {
                self.row(line.number, text, table);
            }
        }
    }

    fn row(&mut self, line: u64, text: &str, table: &Table) {
        let names: Vec<&str> = text.split_whitespace().take(2).collect();
        if table.first == 0 {
            self.size = names.get(1).filter(|size| is_size(size)).map(|size| (*size).to_owned());
        } else {
            self.files = names.first().map(|files| (*files).to_owned());
        }
        for (test, cell) in (table.first..).zip(table.cells(text, 2)) {
            let [rate, cpu] = cell.as_slice() else { continue };
            let rate = self.rate(line, test, rate, table.is_kilo);
            let cpu = share(line, cpu).filter(|_| rate.is_some());
            if let (Some(own_rate), Some(own_cpu)) = (self.rates.get_mut(test), self.cpu.get_mut(test)) {
                (*own_rate, *own_cpu) = (rate, cpu);
            }
        }
    }

    /// A rate of a table; what took too little time is `+++++`.
    fn rate(&self, line: u64, test: usize, text: &str, is_kilo: bool) -> Option<PrintedValue> {
        let number = leading(text, false)?;
        if test + 1 >= OF_FILE {
            // 2.00 has the number of files in place of their rate: the line of values contradicts it.
            let files = self.files.as_deref().and_then(whole).map(|(files, _)| files as f64);
            let is_count = test >= OF_FILE && files.is_some_and(|files| number.value == files * FILES_UNIT);
            let is_broken =
                is_count && self.version.as_deref().is_some_and(|version| version.starts_with('2'));
            let half_step = number.half_step;
            let rate = PrintedValue { half_step, ..plain(line, text, number.value, Unit::PerSecond) };
            return (number.rest.is_empty() && !is_broken).then_some(rate);
        }
        let scale = factor(number.rest, BYTES.counting)? * if is_kilo { 1024.0 } else { 1.0 };
        Some(PrintedValue {
            half_step: number.half_step * scale,
            counting: Some(BYTES.counting),
            ..plain(line, text, number.value * scale, Unit::BytesPerSecond)
        })
    }

    fn latencies(&mut self, line: u64, text: &str, table: &Table, rest: &str) {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let cells: Vec<Vec<&str>> = match words.len() == table.columns.len() {
            true => words.into_iter().map(|word| vec![word]).collect(),
            false => table.cells(text, 1),
        };
        for (test, cell) in (table.first..).zip(cells) {
            if let (Some(own), Some(word)) = (self.latencies.get_mut(test), cell.first()) {
                *own = latency(line, word);
            }
        }
    }

    fn fill(self, result: &mut ToolResult) {
        result.version = self.version;
        let known = [("size", self.size), ("files", self.files)];
        result.options.extend(known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        options(result);
        let each = TESTS.iter().zip(self.rates).zip(self.cpu.into_iter().zip(self.latencies));
        for ((name, rate), (cpu, latency)) in each {
            let mut measured = ToolMeasurement::default();
            let (metric, of_phase) = match rate.as_ref().map(|rate| rate.unit) {
                Some(Unit::BytesPerSecond) => (metric::THROUGHPUT, metric::THROUGHPUT),
                _ => (metric::OPERATIONS_PER_SECOND, metric::PER_SECOND),
            };
            let of_whole = match *name {
                "put_block" => Some(metric::WRITE_THROUGHPUT),
                "get_block" => Some(metric::READ_THROUGHPUT),
                other => of_phase.of(other),
            };
            if let Some(of_whole) = of_whole {
                result.whole.add(of_whole, rate.clone());
            }
            measured.add(metric, rate);
            measured.add(metric::CPU, cpu);
            measured.add(metric::LATENCY_MAX, latency);
            if !measured.is_empty() {
                let name = (*name).to_owned();
                result.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
            }
        }
    }
}

/// `64M`, `4G`, `16096M`, with the size of a block behind it or without.
fn is_size(text: &str) -> bool {
    whole(text).is_some_and(|(_, rest)| rest.starts_with(['M', 'G', 'T', 'k', 'K']))
}

/// A share of the CPUs in percent.
fn share(line: u64, text: &str) -> Option<PrintedValue> {
    let (percent, "") = whole(text)? else { return None };
    let value = percent as f64 / 100.0;
    Some(PrintedValue { half_step: 0.005, ..plain(line, format!("{text} %"), value, Unit::One) })
}

/// `37930us`, `115ms`.
fn latency(line: u64, text: &str) -> Option<PrintedValue> {
    quantity(line, text, BYTES.counting).filter(|time| time.unit == Unit::Seconds)
}

/// The line of comma-separated values.
struct Values<'a> {
    values: Vec<&'a str>,
    /// The place of the first rate of one file, of the number of files, of the first rate of many, and of the first
    /// latency.
    rates: usize,
    files: usize,
    more_rates: usize,
    latencies: Option<usize>,
}

impl<'a> Values<'a> {
    fn of(text: &'a str) -> Option<Self> {
        // Every line of every text is asked.
        if text.len() < 64 || text.matches(',').count() < 26 {
            return None;
        }
        let values: Vec<&str> = text.trim().split(',').collect();
        let format = values.first().copied().unwrap_or_default();
        let has_size = values.get(1).is_some_and(|size| is_size(size));
        match values.len() {
            // Since 1.98 there are the size of a seek's block, how many seeks, and of how many processes.
            50 if format == "1.98" => {
                Some(Self { values, rates: 9, files: 21, more_rates: 26, latencies: Some(38) })
            }
            48 if format == "1.96" || format == "1.97" => {
                Some(Self { values, rates: 7, files: 19, more_rates: 24, latencies: Some(36) })
            }
            // Of 1.03, which begins with the name of the machine.
            27 if has_size => Some(Self { values, rates: 2, files: 14, more_rates: 15, latencies: None }),
            _ => None,
        }
    }

    fn fill(&self, line: u64, run: &mut BonnieRun) {
        let get = |at: usize| self.values.get(at).copied().filter(|value| !value.is_empty());
        if self.latencies.is_some() {
            run.version = get(1).map(str::to_owned);
        }
        let size = get(if self.latencies.is_some() { 5 } else { 1 });
        run.size = run.size.take().or_else(|| size.map(str::to_owned));
        run.files = run.files.take().or_else(|| get(self.files).map(str::to_owned));
        for test in 0..TESTS.len() {
            let of_file = test < OF_FILE;
            let at = if of_file { self.rates + 2 * test } else { self.more_rates + 2 * (test - OF_FILE) };
            let rate = get(at).and_then(|value| rate_of_values(line, test, value));
            let cpu = get(at + 1).and_then(|value| share(line, value)).filter(|_| rate.is_some());
            if let (Some(own_rate), Some(own_cpu)) = (run.rates.get_mut(test), run.cpu.get_mut(test))
                && rate.is_some()
            {
                (*own_rate, *own_cpu) = (rate, cpu);
            }
            let value = self.latencies.and_then(|first| get(first + test));
            let latency = value.and_then(|value| latency(line, value));
            if let Some(own) = run.latencies.get_mut(test)
                && own.is_none()
            {
                *own = latency;
            }
        }
    }
}

/// KiB/s of one file; others are counts per second.
fn rate_of_values(line: u64, test: usize, text: &str) -> Option<PrintedValue> {
    let number = leading(text, false).filter(|number| number.rest.is_empty())?;
    let (scale, unit) =
        if test + 1 < OF_FILE { (1024.0, Unit::BytesPerSecond) } else { (1.0, Unit::PerSecond) };
    let half_step = number.half_step * scale;
    Some(PrintedValue { half_step, ..plain(line, text, number.value * scale, unit) })
}

/// Adds the options of the command.
fn options(result: &mut ToolResult) {
    const WITH_VALUE: &[char] = &['d', 'c', 's', 'n', 'm', 'r', 'x', 'u', 'g', 'z', 'Z', 'p'];
    let mut words = result.command.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(letter) = word.strip_prefix('-').and_then(|letters| letters.chars().next()) else {
            continue;
        };
        let joined = word.get(1 + letter.len_utf8()..).unwrap_or_default();
        let value = match joined {
            "" if WITH_VALUE.contains(&letter) => words.next().cloned().unwrap_or_default(),
            joined => joined.to_owned(),
        };
        result.options.insert(letter.to_string(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        Bonnie.read(&ToolBlock { lines: &lines, command: None }).unwrap().remove(0)
    }

    fn rate(result: &ToolResult, test: &str) -> Option<f64> {
        let part = result.parts.iter().find(|part| part.name == test)?;
        let figures = &part.measured;
        let rate = figures.figure(metric::THROUGHPUT).or(figures.figure(metric::OPERATIONS_PER_SECOND));
        rate.map(|rate| rate.value)
    }

    const TABLE: &str = "\
Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
vm             256M            103m  40  333m  73           +++++ +++ +++++ +++
Latency                       10241us    8713us              4104us   24787us
";

    #[test]
    fn blank_columns_stay_where_they_are() {
        let read = read(TABLE);
        assert_eq!(rate(&read, "put_block"), Some(103.0 * 1_048_576.0));
        assert_eq!(rate(&read, "rewrite"), Some(333.0 * 1_048_576.0));
        let names: Vec<&str> = read.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["put_block", "rewrite", "get_block", "seeks"]);
        assert_eq!(rate(&read, "get_block"), None);
    }

    #[test]
    fn blank_columns_without_their_white_space_are_not_guessed() {
        let stripped: Vec<&str> = TABLE.lines().map(str::trim_start).collect();
        let output = crate::tool::read("", stripped.join("\n").as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (0, 1));
    }

    #[test]
    fn a_test_that_was_too_quick_is_warned_of() {
        let warned: Vec<u64> = read(TABLE).warnings.iter().map(|warning| warning.line).collect();
        assert_eq!(warned, [4]);
        assert!(read(&TABLE.replace("+++++ +++", "400m  50")).warnings.is_empty());
    }

    #[test]
    fn the_number_of_files_is_not_taken_for_their_rate() {
        let text = "Version 2.00a       ------Sequential Create------ --------Random Create--------
vm                  -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
                 16 16384  20 +++++ +++ 16384  22 16384  66 +++++ +++  5907  39
";
        let lines =
            format!("{text}Latency             28072us     771us   13566us    4178us    1643us    4272us\n");
        let of_2 = read(&lines);
        assert_eq!((rate(&of_2, "seq_create"), rate(&of_2, "ran_del")), (None, Some(5907.0)));
        let of_1 = read(&text.replace("2.00a", "1.97 "));
        assert_eq!(rate(&of_1, "seq_create"), Some(16_384.0));
    }

    #[test]
    fn without_a_multiple_early_versions_count_kibibytes() {
        let read = read(
            "Version  1.03       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
local            4G 37203  60 63552  15 27344   6 39450  58 71567   7 187.2   0
",
        );
        assert_eq!((rate(&read, "putc"), rate(&read, "seeks")), (Some(37_203.0 * 1024.0), Some(187.2)));
        assert_eq!((read.version.as_deref(), read.options["size"].as_str()), (Some("1.03"), "4G"));
    }
}
