//! The columns of dstat and pcp-dstat: groups of them below one title, in a table and in a file.

use model::tool_result::{Counting, PrintedValue};
use model::{MetricName, Unit, metric};

use super::cell::{CellUnit, Mean, is_number};
use super::clock::leading_clock;
use super::sample::SampleCell;
use crate::tool::block::ToolLine;
use crate::tool::number::count;

/// What the numbers of a column are.
#[derive(Clone, Copy)]
enum Kind {
    Share,
    Bytes,
    BytesPerSecond,
    Count,
    PerSecond,
}

/// A column: what stands above its group, its own heading, our name for it, and what its numbers are.
type DstatColumn = (&'static str, &'static str, MetricName, Kind);

const COLUMNS: &[DstatColumn] = &[
    (CPU, "usr", MetricName::new("cpu_user_share"), Kind::Share),
    (CPU, "sys", MetricName::new("cpu_system_share"), Kind::Share),
    (CPU, "idl", MetricName::new("cpu_idle_share"), Kind::Share),
    (CPU, "wai", MetricName::new("cpu_wait_share"), Kind::Share),
    (CPU, "hiq", MetricName::new("cpu_irq_share"), Kind::Share),
    (CPU, "siq", MetricName::new("cpu_softirq_share"), Kind::Share),
    (CPU, "stl", MetricName::new("cpu_steal_share"), Kind::Share),
    (DISK, "read", metric::READ_THROUGHPUT, Kind::BytesPerSecond),
    (DISK, "writ", metric::WRITE_THROUGHPUT, Kind::BytesPerSecond),
    (NETWORK, "recv", metric::RECEIVE_THROUGHPUT, Kind::BytesPerSecond),
    (NETWORK, "send", metric::SEND_THROUGHPUT, Kind::BytesPerSecond),
    (OPERATIONS, "read", metric::READ_IOPS, Kind::PerSecond),
    (OPERATIONS, "writ", metric::WRITE_IOPS, Kind::PerSecond),
    (PAGING, "in", MetricName::new("swap_in_throughput"), Kind::BytesPerSecond),
    (PAGING, "out", MetricName::new("swap_out_throughput"), Kind::BytesPerSecond),
    (SYSTEM, "int", MetricName::new("interrupts_per_second"), Kind::PerSecond),
    (SYSTEM, "csw", MetricName::new("context_switches_per_second"), Kind::PerSecond),
    (MEMORY, "used", MetricName::new("memory_used"), Kind::Bytes),
    (MEMORY, "free", MetricName::new("memory_free"), Kind::Bytes),
    (MEMORY, "buff", MetricName::new("memory_buffers"), Kind::Bytes),
    (MEMORY, "buf", MetricName::new("memory_buffers"), Kind::Bytes),
    (MEMORY, "cach", MetricName::new("memory_page_cache"), Kind::Bytes),
    ("procs", "run", MetricName::new("running_tasks"), Kind::Count),
    ("procs", "blk", MetricName::new("blocked_tasks"), Kind::Count),
    ("procs", "new", MetricName::new("forks_per_second"), Kind::PerSecond),
    ("load avg", "1m", MetricName::new("load_average_1"), Kind::Count),
    ("load avg", "5m", MetricName::new("load_average_5"), Kind::Count),
    ("load avg", "15m", MetricName::new("load_average_15"), Kind::Count),
];

const CPU: &str = "total cpu usage";
/// The same in pcp-dstat.
pub(super) const CPU_OF_PCP: &str = "total usage";
const DISK: &str = "dsk/total";
const NETWORK: &str = "net/total";
const OPERATIONS: &str = "io/total";
const PAGING: &str = "paging";
const SYSTEM: &str = "system";
const MEMORY: &str = "memory usage";

/// Titles of which one stands above each table, as they are written there.
const TITLES: &[&str] = &[
    "-total-cpu-usage-",
    "-total-usage-",
    "-dsk/",
    "-net/",
    "-io/total-",
    "-memory-usage-",
    "--system--",
    "---paging--",
    "---procs---",
];

/// Whether a line is of the titles above a table: `--total-cpu-usage-- -dsk/total-`.
pub(super) fn is_titles(text: &str) -> bool {
    let is_letter =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | ' ' | '_' | '.' | ':' | '>');
    text.trim_start().starts_with('-')
        && TITLES.iter().any(|title| text.contains(title))
        && text.chars().all(is_letter)
        // That of vmstat.
        && !text.contains("-memory--")
}

/// Columns below one title.
pub(super) struct Group {
    pub(super) title: String,
    pub(super) headings: Vec<String>,
}

/// The columns of a table.
pub(super) struct Table {
    pub(super) groups: Vec<Group>,
    /// The line of headings, which parts groups by signs; none of a file.
    pub(super) line: String,
    pub(super) is_of_pcp: bool,
}

impl Table {
    /// The columns of a table with these titles and headings.
    pub(super) fn of(titles: &str, headings: &str) -> Self {
        let headings = headings.trim_end_matches('>');
        let mut groups = Vec::new();
        let mut at = 0;
        for part in headings.split(['|', ':']) {
            let end = at + part.len();
            let title = titles.get(at.min(titles.len())..end.min(titles.len())).unwrap_or_default();
            let title = title.trim_matches(['-', ' ']);
            // The name of a device may have such a sign.
            let title = if title.contains('/') { title.to_owned() } else { title.replace('-', " ") };
            groups.push(Group { title, headings: part.split_whitespace().map(str::to_owned).collect() });
            at = end + 1;
        }
        let is_of_pcp = groups.iter().any(|group| group.title == CPU_OF_PCP);
        Self { groups, line: headings.to_owned(), is_of_pcp }
    }

    /// The table that these lines begin with.
    pub(super) fn first(lines: &[ToolLine]) -> Option<Self> {
        let mut pairs = lines.iter().zip(lines.iter().skip(1)).take(2);
        let (titles, headings) = pairs.find(|(titles, _)| is_titles(&titles.text))?;
        Some(Self::of(&titles.text, &headings.text))
    }

    /// The words of a row, by groups; `None` if it is no row of this table.
    pub(super) fn words<'a>(&self, row: &'a str) -> Option<Vec<Vec<&'a str>>> {
        let row = row.trim_end_matches('>');
        let (parts, row_parts) = (self.line.split('|'), row.split('|'));
        if parts.clone().count() != row_parts.clone().count() {
            return None;
        }
        let mut all = Vec::new();
        for (part, values) in parts.zip(row_parts) {
            let count = part.split(':').count();
            // A time of day has colons, too.
            let values: Vec<&str> = if count > 1 { values.split(':').collect() } else { vec![values] };
            if values.len() != count {
                return None;
            }
            all.extend(values.into_iter().map(|value| value.split_whitespace().collect::<Vec<_>>()));
        }
        let mut groups = self.groups.iter().zip(&all);
        let is_any = groups.any(|(group, words)| {
            group.headings.len() == words.len() && words.iter().all(|word| is_number(word))
        });
        is_any.then_some(all)
    }

    /// What a group is of: that of the only disk as that of all.
    fn title<'a>(&self, group: &'a Group) -> &'a str {
        let title = group.title.as_str();
        let is_only =
            |kind: &str| self.groups.iter().filter(|other| other.title.starts_with(kind)).count() == 1;
        match title.split_once('/') {
            Some(("dsk", _)) if is_only("dsk/") => DISK,
            Some(("net", _)) if is_only("net/") => NETWORK,
            Some(("io", _)) if is_only("io/") => OPERATIONS,
            None if title == CPU_OF_PCP => CPU,
            _ => title,
        }
    }

    /// The device that a group is of where others stand beside it, and what a group of all of them has above it.
    fn of_several<'a>(&self, group: &'a Group) -> Option<(&'a str, &'static str)> {
        let (kind, device) = group.title.split_once('/')?;
        let all = match kind {
            "dsk" => DISK,
            "io" => OPERATIONS,
            "net" => NETWORK,
            _ => return None,
        };
        (device != "total" && self.title(group) != all).then_some((device, all))
    }

    /// Which column of ours stands below this title.
    fn column(&self, title: &str, heading: &str) -> Option<&'static DstatColumn> {
        let is_known = match title {
            // What pcp-dstat has there are counts of a span, and pages.
            SYSTEM | PAGING => !self.is_of_pcp,
            // In its file they are in the units of its collector.
            DISK | MEMORY => !self.is_of_pcp || !self.line.is_empty(),
            _ => true,
        };
        COLUMNS.iter().find(|(above, own, ..)| is_known && *above == title && *own == heading)
    }

    /// The figures of a row, whose words stand in groups.
    pub(super) fn row(&self, line: u64, words: &[Vec<&str>]) -> Row {
        let mut row = Row { clock: None, cells: Vec::new(), of_devices: Vec::new() };
        for (group, words) in self.groups.iter().zip(words) {
            if group.headings.first().is_some_and(|heading| heading == "time") {
                // A date may stand before it.
                row.clock = words.last().and_then(|word| leading_clock(&[*word])).map(|(clock, _)| clock);
                continue;
            }
            if group.headings.len() != words.len() {
                continue;
            }
            let several = self.of_several(group);
            let title = several.map_or(self.title(group), |(_, all)| all);
            for (heading, word) in group.headings.iter().zip(words) {
                let Some((_, _, metric, kind)) = self.column(title, heading) else { continue };
                let Some(printed) = cell(line, word, *kind) else { continue };
                let cell = SampleCell { metric: *metric, printed, mean: Mean::Plain };
                match several {
                    Some((device, _)) => row.of_devices.push((device.to_owned(), cell)),
                    None => row.cells.push(cell),
                }
            }
        }
        row
    }

    /// The devices that stand beside others, each once, with what they are.
    pub(super) fn several(&self) -> Vec<(&'static str, String)> {
        let mut all: Vec<(&'static str, String)> = Vec::new();
        for (device, title) in self.groups.iter().filter_map(|group| self.of_several(group)) {
            let kind = if title == NETWORK { "interface" } else { "device" };
            if !all.iter().any(|(_, known)| known == device) {
                all.push((kind, device.to_owned()));
            }
        }
        all
    }

    /// Which devices the columns of one device are of.
    pub(super) fn devices(&self) -> Vec<(String, String)> {
        let one = |group: &Group| {
            let (kind, device) = group.title.split_once('/')?;
            let kind = if kind == "net" { "interface" } else { "device" };
            let is_taken = device != "total" && self.title(group) != group.title;
            is_taken.then(|| (kind.to_owned(), device.to_owned()))
        };
        self.groups.iter().filter_map(one).collect()
    }
}

/// A number of a column.
fn cell(line: u64, word: &str, kind: Kind) -> Option<PrintedValue> {
    match kind {
        Kind::Share => CellUnit::PERCENT.read(line, word),
        Kind::Bytes => CellUnit::BYTES.read(line, word),
        Kind::BytesPerSecond => CellUnit::BYTES_PER_S.read(line, word),
        Kind::Count => count(line, word, Counting::Decimal, Unit::One),
        Kind::PerSecond => count(line, word, Counting::Decimal, Unit::PerSecond),
    }
}

/// A row.
pub(super) struct Row {
    /// The time of day of its end.
    pub(super) clock: Option<f64>,
    pub(super) cells: Vec<SampleCell>,
    /// Those of devices that stand beside others, with their names.
    pub(super) of_devices: Vec<(String, SampleCell)>,
}

impl Row {
    /// What it says of one of several devices.
    pub(super) fn of_device(&self, name: &str) -> Self {
        let own = self.of_devices.iter().filter(|(device, _)| device == name);
        Self { clock: self.clock, cells: own.map(|(_, cell)| cell.clone()).collect(), of_devices: Vec::new() }
    }
}
