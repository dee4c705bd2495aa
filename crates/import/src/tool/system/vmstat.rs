//! vmstat of procps: its table of processes, memory, swap, blocks and processors, with any of its
//! options for columns. The first row is of all the time since the machine started, unless `-y` is given.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, LineRange, ToolResult};
use model::{MetricName, metric};

use super::cell::{CellUnit, Column, Mean, column, is_number};
use super::clock::{between, lone_clock};
use super::sample::{Sample, SampleCell, Series};
use super::vmstat_lists;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::option_words::{self, OptionName, OptionWord, Takes};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Vmstat;

const NAME: &str = "vmstat";

const RULES: &[CountingRule] = &[
    CountingRule {
        tool: NAME,
        versions: "procps 2.x to 4.x",
        units: "bi, bo; memory and swap with -S K, the default, and -S M",
        counting: Counting::Binary,
        proof: "vmstat-4.0.2-basic and iostat-12.6.1-extended saw the same second: bi is 836 where iostat \
                has 836.00 rkB/s, whose kB are of 1024 bytes",
    },
    CountingRule {
        tool: NAME,
        versions: "procps 2.x to 4.x",
        units: "memory and swap with -S k or -S m",
        counting: Counting::Decimal,
        proof: "vmstat-4.0.2-no-first has 14931497 free with -S k; vmstat-4.0.2-active, of the same second, 14591836 \
                of 1024 bytes, which are 14942040 of 1000",
    },
];

/// Of a column whose unit the option -S chooses.
const CHOSEN: CellUnit = CellUnit::KIB;

const fn plain(headings: &'static [&'static str], metric: MetricName, unit: CellUnit) -> Column {
    Column { headings, metric, unit, mean: Mean::Plain }
}

const COLUMNS: &[Column] = &[
    plain(&["r"], MetricName::new("running_tasks"), CellUnit::COUNT),
    plain(&["b"], MetricName::new("blocked_tasks"), CellUnit::COUNT),
    plain(&["swpd"], MetricName::new("swap_used"), CHOSEN),
    plain(&["free"], MetricName::new("memory_free"), CHOSEN),
    plain(&["buff"], MetricName::new("memory_buffers"), CHOSEN),
    plain(&["cache"], MetricName::new("memory_page_cache"), CHOSEN),
    plain(&["inact"], MetricName::new("memory_inactive"), CHOSEN),
    plain(&["active"], MetricName::new("memory_active"), CHOSEN),
    plain(&["si"], MetricName::new("swap_in_throughput"), CHOSEN),
    plain(&["so"], MetricName::new("swap_out_throughput"), CHOSEN),
    plain(&["bi"], metric::READ_THROUGHPUT, CellUnit::KIB_PER_S),
    plain(&["bo"], metric::WRITE_THROUGHPUT, CellUnit::KIB_PER_S),
    plain(&["in"], MetricName::new("interrupts_per_second"), CellUnit::PER_SECOND),
    plain(&["cs"], MetricName::new("context_switches_per_second"), CellUnit::PER_SECOND),
    plain(&["us"], MetricName::new("cpu_user_share"), CellUnit::PERCENT),
    plain(&["sy"], MetricName::new("cpu_system_share"), CellUnit::PERCENT),
    plain(&["id"], MetricName::new("cpu_idle_share"), CellUnit::PERCENT),
    plain(&["wa"], MetricName::new("cpu_wait_share"), CellUnit::PERCENT),
    plain(&["st"], MetricName::new("cpu_steal_share"), CellUnit::PERCENT),
    plain(&["gu"], MetricName::new("cpu_guest_share"), CellUnit::PERCENT),
];

impl ToolReader for Vmstat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of vmstat, with any columns, and its lists of -d and -s; not those of -m, -p and -D. In the table memory and \
         swap only below its command line, which has their unit"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["vmstat"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["procs", "sy", "disk-", "sectors", "total memory"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_first = is_title(&line.text) || is_heading(&line.text) || vmstat_lists::begins(&line.text);
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Extent::More };
        if let Some(extent) = vmstat_lists::extent(first, last) {
            return extent;
        }
        let text = last.text.as_str();
        let (_, row) = behind_clock(text);
        let is_row = row.split_whitespace().take(10).filter(|word| is_number(word)).count() == 10;
        if is_row || is_title(text) || is_heading(text) || text == "^C" {
            Extent::More
        } else {
            Extent::EndsBefore
        }
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::shares::of_vmstat(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(|first| vmstat_lists::begins(&first.text)) {
            let is_any = vmstat_lists::fill(block.lines, &mut result);
            return if is_any { Ok(vec![result]) } else { Err(NotUnderstood::CutShort) };
        }
        let asked = Asked::of(&result.command);
        let mut rows = Vec::new();
        let mut headings: Vec<&str> = Vec::new();
        for line in block.lines {
            if is_heading(&line.text) {
                headings = in_english(line.text.split_whitespace().collect());
            } else if let Some(row) = Row::of(line, &headings, asked.unit) {
                rows.push(row);
            } else if !is_title(&line.text) && line.text != "^C" {
                result.unread.push(LineRange { first: line.number, last: line.number });
            }
        }
        if rows.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        series(rows, &asked).fill(&mut result);
        result.options.extend(asked.scale.map(|scale| ("-S".to_owned(), scale.to_owned())));
        Ok(vec![result])
    }
}

/// What the command asks for, where it is known.
struct Asked {
    /// The unit of memory; absent without a command.
    unit: Option<CellUnit>,
    /// Its letter, where it was chosen.
    scale: Option<&'static str>,
    /// Seconds between two rows.
    interval_s: Option<f64>,
    /// Whether there is no row of the time since the machine started.
    is_without_first: bool,
}

impl Asked {
    fn of(command: &[String]) -> Self {
        let mut asked = Self {
            unit: (!command.is_empty()).then_some(CHOSEN),
            scale: None,
            interval_s: None,
            is_without_first: false,
        };
        let takes = |name: OptionName<'_>| match name {
            OptionName::Long("unit") | OptionName::Letter('S') => Takes::Value,
            _ => Takes::Nothing,
        };
        let words = option_words::read(command, takes);
        for word in &words {
            match *word {
                OptionWord::Option(OptionName::Long("unit") | OptionName::Letter('S'), scale) => {
                    asked.choose(scale.unwrap_or_default());
                }
                OptionWord::Option(OptionName::Long("no-first") | OptionName::Letter('y'), _) => {
                    asked.is_without_first = true;
                }
                _ => {}
            }
        }
        asked.interval_s =
            option_words::first_number(&words).filter(|seconds| *seconds > 0.0 && *seconds < 1e6);
        asked
    }

    fn choose(&mut self, scale: &str) {
        let (scale, unit) = match scale {
            "k" => ("k", CellUnit::bytes("kB", 1e3, Counting::Decimal)),
            "K" => ("K", CHOSEN),
            "m" => ("m", CellUnit::bytes("MB", 1e6, Counting::Decimal)),
            "M" => ("M", CellUnit::MIB),
            "b" | "B" => ("B", CellUnit::BYTES),
            _ => {
                self.unit = None;
                return;
            }
        };
        (self.scale, self.unit) = (Some(scale), Some(unit));
    }
}

/// A row of the table.
struct Row {
    clock: Option<f64>,
    cells: Vec<SampleCell>,
}

impl Row {
    fn of(line: &ToolLine, headings: &[&str], chosen: Option<CellUnit>) -> Option<Self> {
        let (clock_before, text) = behind_clock(&line.text);
        let words: Vec<&str> = text.split_whitespace().collect();
        // A date and a time stand below the name of the zone.
        let count =
            if words.len() == headings.len() + 1 { headings.len().saturating_sub(1) } else { headings.len() };
        let (numbers, rest) = (words.get(..count)?, words.get(count..)?);
        // Early versions print the zone behind them, and not in the heading.
        let is_zone =
            |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic()) && !["AM", "PM"].contains(word);
        let has_zone = rest.len() == 3 && rest.last().is_some_and(is_zone);
        let moment = if has_zone { rest.get(..2)? } else { rest };
        let clock = clock_before.or_else(|| lone_clock(&moment.join(" ")));
        let is_row = !numbers.is_empty() && numbers.iter().all(|word| is_number(word));
        if !is_row || !rest.is_empty() && (clock.is_none() || clock_before.is_some()) {
            return None;
        }
        let cell = |(heading, word): (&&str, &&str)| {
            let column = column(COLUMNS, heading)?;
            let unit = match (column.unit == CHOSEN, *heading) {
                (true, "si" | "so") => chosen?.each_second(),
                (true, _) => chosen?,
                (false, _) => column.unit,
            };
            let printed = unit.read(line.number, word)?;
            Some(SampleCell { metric: column.metric, printed, mean: column.mean })
        };
        Some(Self { clock, cells: headings.iter().zip(numbers).filter_map(cell).collect() })
    }
}

/// The rows as samples. The time of a row is that of its end.
fn series(rows: Vec<Row>, asked: &Asked) -> Series {
    let mut series = Series::default();
    let has_first = !asked.is_without_first;
    let mut before: Option<f64> = None;
    for (at, row) in rows.into_iter().enumerate() {
        let told = before.zip(row.clock).map(|(from, to)| between(from, to));
        before = row.clock;
        if at == 0 && has_first {
            series.since_boot = Some(Sample { cells: row.cells, ..Sample::default() });
            continue;
        }
        series.add(told.or(asked.interval_s), row.cells);
    }
    series
}

/// The time that scripts which watch a machine put before a row, and the row: `18:16:32 36  0   4528 22659696`.
fn behind_clock(text: &str) -> (Option<f64>, &str) {
    let text = text.trim_start();
    let parted =
        text.split_once(' ').and_then(|(first, rest)| lone_clock(first).map(|clock| (Some(clock), rest)));
    parted.unwrap_or((None, text))
}

/// `procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----`, in any language; scripts write
/// `--time--` before it.
fn is_title(text: &str) -> bool {
    let text = text.strip_prefix("--time-- ").unwrap_or(text);
    let is_first = text.trim_start_matches('-').trim_start().starts_with("procs");
    is_first && text.matches("--").count() >= 5
}

/// ` r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st`.
fn is_heading(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    let has = |those: &[&str]| those.iter().all(|one| words.contains(one));
    words.starts_with(&["r", "b"])
        && has(&["us", "sy", "id"])
        && (has(&["si", "so", "bi", "bo"]) || has(&["wa"]) && is_whole(&words))
}

/// Whether there are as many headings as in English, with the steal time, the guests' time and a zone or
/// without: those of AIX have others at these places.
fn is_whole(headings: &[&str]) -> bool {
    (16..=19).contains(&headings.len())
        && headings.get(10..13).is_some_and(|three| three == ["in", "cs", "us"])
}

/// What stands at each place, where some words are translated. Of the fifth and the sixth that depends on
/// options, so that these are what they say.
fn in_english(headings: Vec<&str>) -> Vec<&str> {
    const PLACES: &[&str] = &["r", "b", "swpd", "free", "", "", "si", "so", "bi", "bo", "in", "cs"];
    if !is_whole(&headings) {
        return headings;
    }
    let places = PLACES.iter().copied().chain(std::iter::repeat(""));
    let both = headings.into_iter().zip(places);
    both.map(|(word, place)| if place.is_empty() { word } else { place }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st";

    fn read(command: &str, text: &str) -> Vec<ToolResult> {
        let text = format!("{command}{HEADING}\n{text}");
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    const ROW: &str = " 1  0      2   3000     40    500    6    7     8     9   10   11 12 13 70  4  1\n";

    #[test]
    fn memory_has_the_unit_of_the_command_or_is_left_out() {
        let free = |command: &str| {
            let results = read(command, ROW);
            results[0].whole.figure(MetricName::new("memory_free")).map(|printed| printed.value)
        };
        assert_eq!(free("$ vmstat\n"), Some(3000.0 * 1024.0));
        assert_eq!(free("$ vmstat -S m\n"), Some(3e9));
        assert_eq!(free("$ vmstat -nSM 1\n"), Some(3000.0 * 1_048_576.0));
        assert_eq!(free(""), None);
    }

    #[test]
    fn regression_a_zone_that_is_not_in_the_heading_made_no_row() {
        let row = ROW.trim_end();
        let text = format!("{row}        2012-09-02 14:57:18 IST\n{row}        2012-09-02 14:57:19 IST\n");
        let results = read("$ vmstat -t 1 2\n", &text);
        assert!(results[0].whole.figure(metric::READ_THROUGHPUT).is_some());
    }

    #[test]
    fn the_first_row_counts_only_where_it_is_a_span() {
        let reads = |command: &str| {
            let results = read(command, &format!("{ROW}{}", ROW.replace("  8 ", " 18 ")));
            results[0].whole.figure(metric::READ_THROUGHPUT).unwrap().value
        };
        assert_eq!(reads("$ vmstat 1\n"), 18.0 * 1024.0);
        assert_eq!(reads("$ vmstat -y 1\n"), 13.0 * 1024.0);
        assert_eq!(read("", ROW)[0].options["since"], "boot");
    }

    #[test]
    fn a_time_may_stand_before_each_row() {
        let title =
            "--time-- procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu-----\n";
        let text = format!("{title}         {HEADING}\n10:00:00 {ROW}10:00:05 {ROW}10:00:10 {ROW}");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.figure(metric::READ_THROUGHPUT).map(|rate| rate.value), Some(8.0 * 1024.0));
        // That of all the time since the machine started, and two spans.
        assert_eq!((result.parts.len(), output.unread.len()), (3, 0));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(10.0));
    }

    #[test]
    fn translated_headings_are_known_by_their_places() {
        let headings = " r  b 스왑 가용 버퍼 캐시  입  출   입   출   in   cs us sy id wa st";
        let korean = format!("$ vmstat\n{headings}\n{ROW}");
        let results = crate::tool::read("", korean.as_bytes()).unwrap().results;
        let value = |metric| results[0].whole.figure(metric).map(|printed| printed.value);
        assert_eq!(value(metric::READ_THROUGHPUT), Some(8.0 * 1024.0));
        assert_eq!(value(MetricName::new("memory_free")), Some(3000.0 * 1024.0));
        assert_eq!(value(MetricName::new("memory_buffers")), None);
    }

    #[test]
    fn the_table_of_another_system_is_not_taken_for_it() {
        let line = |text: &str| ToolLine { number: 1, text: text.to_owned() };
        let bsd = " r  b  w  avm  fre  flt  re  pi  po  fr   sr ada0   in   sy   cs us sy id";
        assert!(Vmstat.begins(&line(bsd)).is_none());
        assert!(Vmstat.begins(&line("procs and memory")).is_none());
        assert!(Vmstat.begins(&line(HEADING)).is_some());
    }
}
