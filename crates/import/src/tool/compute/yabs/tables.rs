//! The tables that yabs.sh prints.

use std::ops::Range;

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::{DECIMAL, DECIMAL_SINCE, NAME, Yabs, YabsDisk, block_bytes, network_result};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{exact, leading, quantity, whole};
use crate::tool::reader::ToolReader;

/// A rate of fio's table, before it is known of what its multiples are.
#[derive(Clone)]
struct YabsRate {
    line: u64,
    text: String,
    value: f64,
    /// What its last digit counts; it was cut there, not rounded.
    step: f64,
    /// How often its kilobyte is multiplied by 1000.
    power: i32,
}

/// A column of fio's table.
struct YabsColumn {
    size: String,
    lines: Range<usize>,
    rows: Vec<(&'static str, Option<YabsRate>, Option<PrintedValue>)>,
}

/// The table that is being read.
#[derive(Default)]
enum YabsTable {
    #[default]
    None,
    /// fio's, with the place of its first column among all.
    Disk(usize),
    Dd,
    /// iperf3's, with the protocol.
    Network(String),
    /// With the version.
    Geekbench(String),
}

/// Reads all tables.
pub(super) fn read(block: &ToolBlock<'_>) -> Vec<ToolResult> {
    let mut reading = Reading::of(block);
    for (place, line) in block.lines.iter().enumerate() {
        reading.take(place, line);
    }
    reading.results()
}

/// The text as far as it was read.
struct Reading<'a> {
    block: ToolBlock<'a>,
    version: Option<String>,
    moment: Option<String>,
    table: YabsTable,
    titles: Vec<String>,
    columns: Vec<YabsColumn>,
    /// Those of the other tables.
    others: Vec<ToolResult>,
    /// Where the table of Geekbench stands among them.
    scores: Option<usize>,
}

impl<'a> Reading<'a> {
    fn of(block: &ToolBlock<'a>) -> Self {
        Self {
            block: *block,
            version: None,
            moment: None,
            table: YabsTable::None,
            titles: Vec::new(),
            columns: Vec::new(),
            others: Vec::new(),
            scores: None,
        }
    }

    fn take(&mut self, place: usize, line: &ToolLine) {
        let text = line.text.trim();
        if let Some(inside) = text.strip_prefix('#') {
            let version = inside.trim_matches(['#', ' ']);
            let is_version = version.starts_with("v20") && !version.contains(' ');
            self.version = self.version.take().or_else(|| is_version.then(|| version.to_owned()));
        } else if super::is_section(text) || text.ends_with("Network Information:") {
            self.section(place, text);
        } else if text.contains('|') {
            self.row(place, line);
        } else if self.moment.is_none() && self.version.is_some() && matches!(self.table, YabsTable::None) {
            let is_moment = text.contains(':') && !text.contains(" : ") && !text.starts_with("Warning");
            self.moment = is_moment.then(|| text.to_owned());
        }
    }

    fn section(&mut self, place: usize, text: &str) {
        let inside =
            || text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inside, _)| inside);
        if text.starts_with("Block Size") {
            self.table = YabsTable::Disk(self.columns.len());
            for title in text.split('|').skip(1).filter(|title| title.contains("(IOPS)")) {
                let size = title.split_whitespace().next().unwrap_or_default().to_owned();
                self.columns.push(YabsColumn { size, lines: place..place + 1, rows: Vec::new() });
            }
        } else if text.starts_with("Provider") {
            if !matches!(self.table, YabsTable::Network(_)) {
                self.table = YabsTable::Network(String::new());
            }
            self.titles = cells(text).map(str::to_owned).collect();
        } else if text.starts_with("iperf3") {
            self.table = YabsTable::Network(inside().unwrap_or_default().to_owned());
        } else if let Some(rest) = text.strip_prefix("Geekbench ") {
            let version = rest.split_whitespace().next().unwrap_or_default();
            (self.table, self.scores) = (YabsTable::Geekbench(version.to_owned()), None);
        } else if text.starts_with("dd ") {
            self.table = YabsTable::Dd;
        } else {
            self.table = YabsTable::None;
        }
    }

    fn row(&mut self, place: usize, line: &ToolLine) {
        let cells: Vec<&str> = cells(&line.text).collect();
        match &self.table {
            YabsTable::None => {}
            YabsTable::Disk(first) => {
                let class = ["Read", "Write", "Total"].into_iter().find(|class| cells.first() == Some(class));
                let (Some(class), Some(columns)) = (class, self.columns.get_mut(*first..)) else { return };
                for (column, cell) in columns.iter_mut().zip(cells.iter().skip(1)) {
                    let (rate, iops) = disk_cell(line.number, cell);
                    column.rows.push((class, rate, iops));
                    column.lines.end = place + 1;
                }
            }
            YabsTable::Dd => self.dd(place, line, &cells),
            YabsTable::Network(mode) => {
                let title = |name: &str| self.titles.iter().position(|title| title.starts_with(name));
                let cell = |name: &str| title(name).and_then(|at| cells.get(at)).copied().unwrap_or_default();
                let value = |name: &str| quantity(line.number, cell(name), Counting::Decimal);
                let options =
                    [("mode", mode.as_str()), ("provider", cell("Provider")), ("location", cell("Location"))];
                let values = (value("Send"), value("Recv"), value("Ping"));
                let result = network_result(self.empty(place..place + 1), options, values);
                self.others.extend(result);
            }
            YabsTable::Geekbench(version) => {
                let metric = match cells.first() {
                    Some(&"Single Core") => MetricName::new("single_core_score"),
                    Some(&"Multi Core") => MetricName::new("multi_core_score"),
                    _ => return,
                };
                let score = cells.get(1).and_then(|score| whole(score)).filter(|(_, rest)| rest.is_empty());
                let Some((score, _)) = score else { return };
                let options = [("test", "geekbench"), ("version", version.as_str())];
                let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
                self.score(place, options, metric, exact(line.number, score, Unit::One));
            }
        }
    }

    /// Three writes and three reads by dd; their mean says no more.
    fn dd(&mut self, place: usize, line: &ToolLine, cells: &[&str]) {
        let direction = match cells.first() {
            Some(&"Write") => "write",
            Some(&"Read") => "read",
            _ => return,
        };
        for cell in cells.iter().skip(1).take(3) {
            let rate = quantity(line.number, cell, Counting::Decimal);
            let Some(rate) = rate.filter(|rate| rate.unit == Unit::BytesPerSecond) else { continue };
            let mut result = self.empty(place..place + 1);
            result.options.insert("test".to_owned(), "dd".to_owned());
            result.options.insert("direction".to_owned(), direction.to_owned());
            result.whole.add(metric::THROUGHPUT, Some(rate));
            self.others.push(result);
        }
    }

    /// Adds a score to the result of its table.
    fn score(
        &mut self,
        place: usize,
        options: [(String, String); 2],
        metric: MetricName,
        score: PrintedValue,
    ) {
        let at = match self.scores {
            Some(at) => at,
            None => {
                let mut result = self.empty(place..place + 1);
                result.options.extend(options);
                self.others.push(result);
                self.others.len() - 1
            }
        };
        self.scores = Some(at);
        if let Some(result) = self.others.get_mut(at) {
            result.lines.last = score.line;
            result.whole.add(metric, Some(score));
        }
    }

    /// A result of these lines of the block without figures.
    fn empty(&self, lines: Range<usize>) -> ToolResult {
        let lines = self.block.lines.get(lines).unwrap_or_default();
        ToolResult {
            version: self.version.clone(),
            moment: self.moment.clone(),
            ..ToolBlock { lines, ..self.block }.result(NAME, Yabs.programs())
        }
    }

    fn results(mut self) -> Vec<ToolResult> {
        let kilobyte = match self.version.as_deref() {
            Some(version) if version < DECIMAL_SINCE => Some(1024.0),
            Some(_) => Some(1000.0),
            None => kilobyte(&self.columns),
        };
        let mut results = Vec::new();
        for YabsColumn { size, lines, rows } in std::mem::take(&mut self.columns) {
            let mut disk = YabsDisk { size, ..YabsDisk::default() };
            for (class, rate, iops) in rows {
                let rate = rate.and_then(|rate| printed(rate, kilobyte?));
                match class {
                    "Read" => disk.read = (rate, iops),
                    "Write" => disk.write = (rate, iops),
                    _ => disk.total = (rate, iops),
                }
            }
            results.extend(disk.result(self.empty(lines)));
        }
        results.append(&mut self.others);
        results.sort_by_key(|result| result.lines.first);
        results
    }
}

fn cells(text: &str) -> impl Iterator<Item = &str> {
    text.split('|').map(str::trim)
}

/// `445.04 MB/s (111.2k)`.
fn disk_cell(line: u64, cell: &str) -> (Option<YabsRate>, Option<PrintedValue>) {
    let (rate, iops) = match cell.split_once('(') {
        Some((rate, iops)) => (rate.trim(), iops.split(')').next()),
        None => (cell, None),
    };
    let rate = leading(rate, false).and_then(|number| {
        let power = match number.rest.trim() {
            "KB/s" => 0,
            "MB/s" => 1,
            "GB/s" => 2,
            _ => return None,
        };
        let step = number.half_step * 2.0;
        Some(YabsRate { line, text: rate.to_owned(), value: number.value, step, power })
    });
    let iops = iops.and_then(|iops| {
        let printed = crate::tool::number::count(line, iops, DECIMAL.counting, Unit::PerSecond)?;
        // Cut, not rounded.
        Some(PrintedValue { half_step: printed.half_step * 2.0, ..printed })
    });
    (rate, iops)
}

/// A rate whose kilobyte has so many bytes.
fn printed(rate: YabsRate, kilobyte: f64) -> Option<PrintedValue> {
    let scale = kilobyte * 1000f64.powi(rate.power);
    let counting = if kilobyte > 1000.0 { Counting::Other } else { Counting::Decimal };
    Some(PrintedValue {
        line: rate.line,
        text: rate.text,
        value: rate.value * scale,
        unit: Unit::BytesPerSecond,
        half_step: rate.step * scale,
        counting: Some(counting),
    })
}

/// How many bytes the kilobyte of these rates has, by the operations that stand beside them: one of them may be copied wrongly,
/// which most of the others tell. `None` where both are as likely, or neither is.
fn kilobyte(columns: &[YabsColumn]) -> Option<f64> {
    let fits = |block: f64, rate: &YabsRate, iops: &PrintedValue, kilobyte: f64| {
        let scale = kilobyte * 1000f64.powi(rate.power);
        let (least, most) = (rate.value * scale, (rate.value + rate.step) * scale);
        // Operations are whole numbers before they are cut.
        let upper = (iops.value + iops.half_step + 1.0) * block;
        least <= upper && most >= iops.value * block
    };
    let (mut all, mut decimal, mut binary) = (0, 0, 0);
    for column in columns {
        let Some(block) = block_bytes(&column.size) else { continue };
        for (_, rate, iops) in &column.rows {
            let (Some(rate), Some(iops)) = (rate, iops) else { continue };
            all += 1;
            decimal += usize::from(fits(block, rate, iops, 1000.0));
            binary += usize::from(fits(block, rate, iops, 1024.0));
        }
    }
    let (most, kilobyte) = if decimal > binary { (decimal, 1000.0) } else { (binary, 1024.0) };
    (decimal != binary && 2 * most > all).then_some(kilobyte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(text: &str) -> Vec<ToolResult> {
        let number = |(number, text): (u64, &str)| ToolLine { number, text: text.to_owned() };
        let lines: Vec<ToolLine> = (1..).zip(text.lines()).map(number).collect();
        read(&ToolBlock { lines: &lines, command: None })
    }

    #[test]
    fn the_kilobyte_of_a_table_is_told_by_its_operations() {
        let table = |row: &str| format!("Block Size | 4k            (IOPS) | 64k           (IOPS)\n{row}\n");
        let rate = |row: &str| {
            let first = results(&table(row)).swap_remove(0);
            first.whole.figure(metric::READ_THROUGHPUT).map(|printed| printed.value)
        };
        let old = rate("Read       | 445.04 MB/s (111.2k) | 475.05 MB/s   (7.4k)").unwrap();
        assert!((old / (445.04 * 1_024_000.0) - 1.0).abs() < 1e-12);
        let new = rate("Read       | 185.74 MB/s  (45.3k) | 566.41 MB/s   (8.6k)").unwrap();
        assert!((new / 185.74e6 - 1.0).abs() < 1e-12);
        assert_eq!(rate("Read       | 99.00 MB/s  (45.3k) | 566.41 MB/s   (8.6k)"), None, "neither");
    }

    #[test]
    fn what_was_busy_has_no_figure() {
        let text = "iperf3 Network Speed Tests (IPv4):\nProvider | Location (Link) | Send Speed | Recv Speed | Ping\n\
                    A | Paris, FR (10G) | 1.62 Gbits/sec | busy | 77.4 ms\nB | Oslo, NO (1G) | busy | busy | --\n";
        let results = results(text);
        assert_eq!(results.len(), 1);
        let whole = &results[0].whole;
        assert_eq!(whole.figure(metric::SEND_THROUGHPUT).unwrap().value, 1.62e9 / 8.0);
        assert!(whole.figure(metric::RECEIVE_THROUGHPUT).is_none());
        assert_eq!(results[0].options["mode"], "IPv4");
    }
}
