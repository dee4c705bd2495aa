//! sysstat's tables: a heading, with a time of day before it or without, and rows with as many words.

use model::tool_result::LineRange;

use super::columns::{self, Heading};
use super::tasks;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::reader::{Beginning, Extent, NotUnderstood};
use crate::tool::system::cell::is_number;
use crate::tool::system::clock::{leading_clock, lone_clock};
use crate::tool::system::sample::SampleCell;

/// The first heading of iostat's table of processors. No word of a row stands below it.
const OF_ALL_CPUS: &str = "avg-cpu:";

/// What stands in each line with which a table, or what is above it, may begin: a rate, a share, or another of the headings
/// that [`columns`] has.
pub(super) const MARKS: &[&str] = &[
    "Linux ", "%", "/s", "tps", "_read", "_wrtn", "_dscd", "await", "svctm", "-sz", "kb", "ldavg-",
    "blocked", "MHz", "sck", "ip-frag", "tcp-tw",
];

/// What stands before a heading or a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stamp {
    /// The time of day.
    pub(super) clock: Option<f64>,
    /// Whether it is `Average:` in any language.
    pub(super) is_average: bool,
    /// Whether it is the least or the greatest of all.
    is_extreme: bool,
    /// How many words it has.
    pub(super) words: usize,
}

impl Stamp {
    /// What these words begin with.
    pub(super) fn of(words: &[&str]) -> Self {
        if let Some((clock, words)) = leading_clock(words) {
            return Self { clock: Some(clock), words, ..Self::default() };
        }
        let label = |word: &str| word.len() > 1 && !columns::is_item(word) && word != OF_ALL_CPUS;
        // In French a space stands before the colon.
        let used = match words {
            [first, _, ..] if first.ends_with(':') && label(first) => 1,
            [first, ":", _, ..] if label(first) => 2,
            _ => return Self::default(),
        };
        let is_extreme = words.first().is_some_and(|word| matches!(*word, "Minimum:" | "Maximum:"));
        Self { is_average: !is_extreme, is_extreme, words: used, clock: None }
    }

    fn is_any(self) -> bool {
        self.words > 0
    }
}

/// A heading.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub(super) line: u64,
    /// Without the time before them.
    pub(super) words: Vec<String>,
    /// What they stand for.
    pub(super) columns: Vec<Option<Heading>>,
    /// Which of them tells of what a row is.
    pub(super) item_at: Option<usize>,
    /// The time of day before it: when the first of its rows began.
    pub(super) clock: Option<f64>,
    /// The time of day on a line of its own above it: when its rows ended.
    pub(super) ended: Option<f64>,
    /// Whether it is of all processors, and no row tells of what it is.
    pub(super) is_of_all_cpus: bool,
}

/// A row.
#[derive(Clone, Debug)]
pub(super) struct TableRow {
    /// When it ended.
    pub(super) clock: Option<f64>,
    pub(super) is_average: bool,
    /// What it is of; empty where there is but one thing.
    pub(super) item: String,
    pub(super) cells: Vec<SampleCell>,
}

/// A heading with its rows.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) head: Head,
    pub(super) rows: Vec<TableRow>,
}

/// All tables of an output.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) list: Vec<Table>,
    /// Lines that are not understood.
    pub(super) unread: Vec<LineRange>,
}

impl Tables {
    /// Reads them.
    ///
    /// # Errors
    /// If no row has a figure.
    pub(super) fn of(block: &ToolBlock<'_>) -> Result<Self, NotUnderstood> {
        let mut tables = Self::default();
        let mut ended = None;
        // A long name of a device has a line of its own.
        let mut name: Option<String> = None;
        for line in block.lines {
            let text = shown(line);
            let words: Vec<&str> = text.split_whitespace().collect();
            if words.is_empty() || is_banner(text) {
                continue;
            }
            if let Some(clock) = lone_clock(text) {
                ended = Some(clock);
            } else if let Some(head) = Head::of(line.number, &words, true) {
                let columns = head.words.iter().map(|word| columns::heading(word)).collect();
                tables.list.push(Table { head: Head { ended, columns, ..head }, rows: Vec::new() });
            } else if let ([one], Some(Table { head: Head { item_at: Some(0), .. }, .. })) =
                (words.as_slice(), tables.list.last())
            {
                name = Some((*one).to_owned());
            } else {
                tables.row(line.number, &words, name.take());
            }
        }
        let has_figures = |table: &Table| table.rows.iter().any(|row| !row.cells.is_empty());
        for table in tables.list.iter().filter(|table| !has_figures(table) && !table.rows.is_empty()) {
            tables.unread.push(LineRange { first: table.head.line, last: table.head.line });
        }
        tables.list.retain(has_figures);
        tables.unread.sort_by_key(|range| range.first);
        if tables.list.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(tables) }
    }

    fn row(&mut self, line: u64, words: &[&str], name: Option<String>) {
        let row = self.list.last().and_then(|table| table.head.row(line, words, name));
        match (row, self.list.last_mut()) {
            (Some(row), Some(table)) => table.rows.push(row),
            _ => self.unread.push(LineRange { first: line, last: line }),
        }
    }

    /// Whether mpstat made them: it has interrupts beside waits for input and output, and sar has not.
    pub(super) fn is_of_mpstat(&self) -> bool {
        let is_one = |table: &Table| {
            let place = |name: &str| table.head.words.iter().position(|word| word == name);
            let is_beside = place("%iowait").zip(place("%irq")).is_some_and(|(wait, irq)| irq == wait + 1);
            let item = table.head.words.first().map(String::as_str);
            matches!(item, Some("CPU" | "NODE")) && (is_beside || place("intr/s").is_some())
        };
        self.list.iter().any(is_one)
    }

    /// Whether iostat made them: it has no time of day before its rows.
    pub(super) fn is_of_iostat(&self) -> bool {
        let is_one = |table: &Table| {
            let device = |word: &String| matches!(word.as_str(), "Device" | "Device:" | "device");
            let has_device = table.head.words.iter().any(device);
            table.head.is_of_all_cpus || has_device && table.head.clock.is_none()
        };
        self.list.iter().any(is_one)
    }
}

impl Head {
    /// A heading of these words. Within an output, any words behind a time of day are one.
    fn of(line: u64, words: &[&str], is_within: bool) -> Option<Self> {
        let stamp = Stamp::of(words);
        let rest = words.get(stamp.words..)?;
        let (first, last) = (*rest.first()?, *rest.last()?);
        let is_of_all_cpus = first == OF_ALL_CPUS;
        let has_item = || columns::is_item(first) || columns::is_item(last) || is_of_all_cpus;
        if !(stamp.is_any() || has_item()) || rest.iter().any(|word| is_number(word)) {
            return None;
        }
        let item_at = match rest.iter().position(|word| columns::is_item(word)) {
            Some(at) if at == 0 || at + 1 == rest.len() => Some(at),
            _ => None,
        };
        let known = rest.iter().filter(|word| columns::is_known(word)).count();
        let least = if stamp.is_any() { 1 } else { 2 };
        let is_known = known >= least && known * 3 >= rest.len();
        if !(is_known || is_within && stamp.is_any() && rest.len() > 1) {
            return None;
        }
        let words = rest.iter().skip(usize::from(is_of_all_cpus)).map(|word| (*word).to_owned()).collect();
        Some(Self { line, words, item_at, clock: stamp.clock, is_of_all_cpus, ..Self::default() })
    }

    /// A row below it.
    fn row(&self, line: u64, words: &[&str], name: Option<String>) -> Option<TableRow> {
        let stamp = Stamp::of(words);
        let mut rest: Vec<&str> = words.get(stamp.words..)?.to_vec();
        if let Some(name) = &name {
            rest.insert(0, name);
        }
        if rest.len() != self.words.len() || stamp.is_extreme {
            return None;
        }
        let item = self.item_at.and_then(|at| rest.get(at)).copied().unwrap_or_default().to_owned();
        let cell = |(heading, word): (&Option<Heading>, &&str)| {
            let Heading { metric, unit, mean } = (*heading)?;
            Some(SampleCell { metric, printed: unit.read(line, word)?, mean })
        };
        let cells = self.columns.iter().zip(&rest).filter_map(cell).collect();
        Some(TableRow { clock: stamp.clock, is_average: stamp.is_average, item, cells })
    }
}

/// Whether an output may begin with this line.
pub(super) fn begins(line: &ToolLine) -> Option<Beginning> {
    let text = shown(line);
    if is_banner(text) {
        return Some(Beginning::Certain);
    }
    // The cheap question first: every line of any text is asked. All headings have a rate, a share or a time, in which
    // not every language has colons.
    if !text.contains(['%', '/', ':']) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // Prose is longer, or has figures.
    let words: Vec<&str> = text.split_whitespace().take(80).collect();
    Head::of(line.number, &words, false).map(|_| Beginning::Likely)
}

/// Whether the last line belongs to the output that the others are.
pub(super) fn extent(lines: &[ToolLine]) -> Extent {
    let Some((last, before)) = lines.split_last() else { return Extent::More };
    let text = shown(last);
    if is_banner(text) {
        return if before.is_empty() { Extent::More } else { Extent::EndsBefore };
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_part = words.is_empty()
        || text.contains("LINUX RESTART")
        || lone_clock(text).is_some()
        || Head::of(last.number, &words, true).is_some();
    let previous = || before.iter().rev().find(|line| !line.is_blank());
    let is_part = is_part || tasks::is_line(text);
    if is_part || previous().is_some_and(|previous| follows(previous, &words)) {
        Extent::More
    } else {
        Extent::EndsBefore
    }
}

/// Whether these words are a row where `previous` is a heading or a row.
fn follows(previous: &ToolLine, words: &[&str]) -> bool {
    let before: Vec<&str> = shown(previous).split_whitespace().collect();
    let rest = |words: &[&str]| words.len() - Stamp::of(words).words.min(words.len());
    let numbers = |words: &[&str]| {
        let behind = words.iter().skip(Stamp::of(words).words);
        behind.filter(|word| is_number(word)).count()
    };
    let is_row = |words: &[&str]| numbers(words) > 0 && numbers(words) + 1 >= rest(words);
    let head = Head::of(previous.number, &before, true);
    // The long name of a device, and its figures on the next line.
    let has_devices = |head: &Head| head.item_at == Some(0) && head.clock.is_none();
    if let [name] = words {
        let is_in_table = is_row(&before) && before.len() > 3 && !Stamp::of(&before).is_any();
        return !is_number(name) && (is_in_table || head.as_ref().is_some_and(has_devices));
    }
    match head {
        _ if !is_row(words) => false,
        Some(head) => rest(words) == head.words.len(),
        None if before.len() == 1 => numbers(words) == words.len(),
        None => is_row(&before) && rest(&before).abs_diff(rest(words)) <= 1,
    }
}

/// The text of a line, without what a terminal echoes for an interrupt.
fn shown(line: &ToolLine) -> &str {
    line.text.strip_prefix("^C").unwrap_or(&line.text).trim()
}

/// `Linux 6.1.0 (host)  11/27/26  _x86_64_  (2 CPU)`.
fn is_banner(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("Linux ") else { return false };
    let mut words = rest.split_whitespace().skip(1);
    let is_host = words.next().is_some_and(|host| host.starts_with('(') && host.ends_with(')'));
    is_host && words.next().is_some_and(|date| date.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn headings_are_known_with_and_without_times() {
        for text in [
            "Linux 2.6.18-8.el5 (host)  01/02/2008",
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
            "Device            r/s     rkB/s   rrqm/s",
            "     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device",
            "08:04:56 PM     CPU    %usr   %nice",
            "20:04:56       proc/s   cswch/s",
            "20:04:56      runq-sz  plist-sz   ldavg-1",
            "20.04.56      runq-sz  plist-sz   ldavg-1",
            "20時04分56秒   runq-sz  plist-sz   ldavg-1",
            "20시 04분 56초   runq-sz  plist-sz   ldavg-1",
            "Moyenne :       CPU     %user",
        ] {
            assert!(begins(&line(text)).is_some(), "{text}");
        }
        for text in [
            "Linux version 6.1.0 (builder) 2020",
            "Device drivers in MB/s",
            "20:04:56 systemd started a unit",
            "Device sda does 5 MB/s and 7 r/s",
            "CPU time",
            "",
        ] {
            assert!(begins(&line(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn rows_follow_headings_and_one_another() {
        let follows = |before: &str, text: &str| {
            super::follows(&line(before), &text.split_whitespace().collect::<Vec<_>>())
        };
        assert!(follows("20:04:56  CPU %user %idle", "20:04:57 all 1.00 99.00"));
        assert!(follows("20:04:57 all 1.00 99.00", "Average: all 1.00 99.00"));
        assert!(follows("avg-cpu: %user %idle", "1,00 99,00"));
        assert!(follows("Device: r/s w/s", "/dev/mapper/group-volume"));
        assert!(follows("/dev/mapper/group-volume", "1.00 2.00"));
        assert!(!follows("20:04:57 all 1.00 99.00", "That is much"));
        assert!(!follows("avg-cpu: %user %idle", "1 of 3 disks"));
    }

    #[test]
    fn a_name_on_a_line_of_its_own_belongs_to_the_next_row() {
        let lines: Vec<ToolLine> =
            ["Device: r/s w/s", "/dev/mapper/a", "   1.00 2.00", "sda 3.00 4.00"].map(line).into();
        let tables = Tables::of(&ToolBlock { lines: &lines, command: None }).unwrap();
        let items: Vec<&str> = tables.list[0].rows.iter().map(|row| row.item.as_str()).collect();
        assert_eq!(items, ["/dev/mapper/a", "sda"]);
        assert!(tables.unread.is_empty());
    }
}
