//! dstat, and pcp-dstat that took its place: the table on the screen, and the file of `--output`. The first row of dstat
//! is of all the time since the machine started; pcp-dstat has none such.

use model::tool_result::{Counting, LineRange, ToolResult};

use super::clock::between;
use super::dstat_columns::{CPU_OF_PCP, Group, Row, Table, is_titles};
use super::sample::{Sample, Series};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::option_words::{self, OptionName, Takes};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::secret::hide_secrets;

/// The importer.
pub(super) struct Dstat;

const NAME: &str = "dstat";

const RULES: &[CountingRule] = &[
    CountingRule {
        tool: NAME,
        versions: "dstat 0.6 to 0.8, pcp-dstat",
        units: "B, k and M of disks, networks, paging and memory",
        counting: Counting::Binary,
        proof: "dstat-0.8.0-table and dstat-0.8.0-csv are of one run: 44k in the table are 45056 in the file, which are 44 * 1024",
    },
    CountingRule {
        tool: NAME,
        versions: "dstat 0.6 to 0.8, pcp-dstat",
        units: "k of interrupts, context switches and operations",
        counting: Counting::Decimal,
        proof: "dstat 0.8.0: the scale of dstat_sys and dstat_io is 1000, and cprint divides by it",
    },
];

/// What a file has of the machine.
const HOST: &str = "\"Host:\",\"";

/// What a file has of its command.
const COMMAND: &str = "\"Cmdline:\",\"";

/// What it says where no options are given.
const PREAMBLE: &str = "You did not select any stats, using";

impl ToolReader for Dstat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of dstat and pcp-dstat, and the file of --output: processors, disks, networks, memory, paging, processes and load. \
         Not with --bits; of pcp-dstat neither paging nor system, and of its file no disks and no memory, for it writes them in \
         other units than their names say"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "pcp-dstat"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "-total-",
            "-dsk/",
            "-net/",
            "-io/total-",
            "-memory-usage-",
            "--system--",
            "---paging--",
            "---procs---",
            " CSV ",
            HOST,
            PREAMBLE,
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_first = is_titles(text) || is_csv_head(text) || text.starts_with(PREAMBLE);
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some((last, before))) = (lines.first(), lines.split_last()) else {
            return Extent::More;
        };
        let text = last.text.as_str();
        let Some(previous) = before.last() else { return Extent::More };
        let belongs = if is_csv_head(&first.text) {
            let is_line = text.contains(',') && text.starts_with(|c: char| c == '"' || c.is_ascii_digit());
            // A further execution appends to the file.
            let is_again = csv_version(text).is_some()
                || text.starts_with(HOST) && before.iter().any(|line| line.text.starts_with(HOST));
            !is_again && (last.is_blank() || is_line)
        } else {
            // The first table tells what the rows look like; with other columns another output begins.
            let table = Table::first(before);
            is_titles(text)
                || is_titles(&previous.text)
                || is_remark(text)
                || table.is_some_and(|table| table.words(text).is_some())
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if result.command.iter().any(|word| word == "--bits") {
            return Err(NotUnderstood::OtherText);
        }
        let is_csv = block.lines.first().is_some_and(|line| is_csv_head(&line.text));
        let (table, rows) =
            if is_csv { csv_rows(block.lines, &mut result) } else { table_rows(block.lines, &mut result) };
        let Some(table) = table else { return Err(NotUnderstood::CutShort) };
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        let (interval, has_first) = (interval(&result.command), !table.is_of_pcp);
        let of_device = |(kind, name): (&'static str, String)| {
            let own: Vec<Row> = rows.iter().map(|row| row.of_device(&name)).collect();
            let mut one = ToolResult { unread: Vec::new(), ..result.clone() };
            one.options.insert(kind.to_owned(), name);
            has_figures(&own).then(|| {
                series(own, interval, has_first).fill(&mut one);
                one
            })
        };
        let devices: Vec<ToolResult> = table.several().into_iter().filter_map(of_device).collect();
        let mut results = Vec::new();
        if has_figures(&rows) {
            series(rows, interval, has_first).fill(&mut result);
            result.options.extend(table.devices());
            results.push(result);
        }
        results.extend(devices);
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// Whether rows have anything that is known.
fn has_figures(rows: &[Row]) -> bool {
    rows.iter().any(|row| !row.cells.is_empty())
}

/// Whether a line is of those that may stand among the rows.
fn is_remark(text: &str) -> bool {
    text == "^C" || text.starts_with("missed ") && text.ends_with(" ticks")
}

/// `0.7.2` of `"Dstat 0.7.2 CSV output"`, `pcp-dstat 5.3.7` of `"pcp-dstat 5.3.7 CSV Output"`.
fn csv_version(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    let own = inside.strip_suffix(" CSV output").and_then(|name| name.strip_prefix("Dstat "));
    let of_pcp = inside.strip_suffix(" CSV Output").filter(|name| name.starts_with("pcp-dstat "));
    own.or(of_pcp)
}

/// Whether a file, or what a further execution appended to it, may begin with this line.
fn is_csv_head(text: &str) -> bool {
    csv_version(text).is_some() || text.starts_with(HOST) && text.contains("\"User:\"")
}

/// The table of a screen, and its rows.
fn table_rows(lines: &[ToolLine], result: &mut ToolResult) -> (Option<Table>, Vec<Row>) {
    let mut table: Option<Table> = None;
    let mut rows = Vec::new();
    let mut titles = None;
    for line in lines {
        let text = line.text.as_str();
        if is_titles(text) {
            titles = Some(text);
        } else if let Some(titles) = titles.take() {
            table = Some(Table::of(titles, text));
        } else if let Some((table, words)) =
            table.as_ref().and_then(|table| Some((table, table.words(text)?)))
        {
            rows.push(table.row(line.number, &words));
        } else if !is_remark(text) && !text.starts_with(PREAMBLE) {
            result.unread.push(LineRange { first: line.number, last: line.number });
        }
    }
    (table, rows)
}

/// The table of a file, and its rows. It tells its version and its command.
fn csv_rows(lines: &[ToolLine], result: &mut ToolResult) -> (Option<Table>, Vec<Row>) {
    let version = lines.first().and_then(|line| csv_version(&line.text));
    let is_of_pcp = version.is_some_and(|version| version.starts_with("pcp"));
    result.version = version.map(str::to_owned);
    let mut titles: Option<Vec<&str>> = None;
    let mut table: Option<Table> = None;
    let mut rows = Vec::new();
    for line in lines {
        let text = line.text.as_str();
        if let Some(command) = text.strip_prefix(COMMAND).filter(|_| result.command.is_empty()) {
            let words = command.split('"').next().unwrap_or_default().split_whitespace();
            result.command = words.map(str::to_owned).collect();
            hide_secrets(&mut result.command);
        }
        let is_head = is_csv_head(text) || text.starts_with(COMMAND) || text.starts_with("\"Author:");
        if line.is_blank() || is_head {
            continue;
        }
        let cells: Vec<&str> = text.split(',').map(|cell| cell.trim_matches('"')).collect();
        if let Some(table) = &table {
            rows.extend(csv_row(table, line.number, &cells));
        } else if let Some(titles) = titles.take() {
            table = Some(csv_table(&titles, &cells, is_of_pcp));
        } else {
            titles = Some(cells);
        }
    }
    (table, rows)
}

/// The columns of a file. A title stands above the first of its columns; a heading may have it before a colon.
fn csv_table(titles: &[&str], headings: &[&str], is_of_pcp: bool) -> Table {
    let mut groups: Vec<Group> = Vec::new();
    for (title, heading) in titles.iter().zip(headings) {
        if !title.is_empty() || groups.is_empty() {
            groups.push(Group { title: (*title).to_owned(), headings: Vec::new() });
        }
        let heading = heading.rsplit(':').next().unwrap_or(heading);
        if let Some(group) = groups.last_mut() {
            group.headings.push(heading.to_owned());
        }
    }
    let is_of_pcp = is_of_pcp || groups.iter().any(|group| group.title == CPU_OF_PCP);
    Table { groups, line: String::new(), is_of_pcp }
}

fn csv_row(table: &Table, line: u64, cells: &[&str]) -> Option<Row> {
    let mut rest = cells;
    let mut words: Vec<Vec<&str>> = Vec::new();
    for group in &table.groups {
        let (own, behind) = rest.split_at_checked(group.headings.len())?;
        let is_time = group.headings.first().is_some_and(|heading| heading == "time");
        words.push(match own.first() {
            Some(time) if is_time => time.split_whitespace().collect(),
            _ => own.to_vec(),
        });
        rest = behind;
    }
    Some(table.row(line, &words))
}

/// Behind which options a value stands.
fn takes(name: OptionName<'_>) -> Takes {
    match name {
        OptionName::Long("output") | OptionName::Letter('C' | 'D' | 'I' | 'L' | 'M' | 'N' | 'S') => {
            Takes::Value
        }
        _ => Takes::Nothing,
    }
}

/// Seconds between two rows, where the command is known.
fn interval(command: &[String]) -> Option<f64> {
    command.first()?;
    let seconds = option_words::first_number(&option_words::read(command, takes)).unwrap_or(1.0);
    (seconds > 0.0 && seconds < 1e6).then_some(seconds)
}

/// The rows as samples. The time of a row is that of its end.
fn series(rows: Vec<Row>, interval_s: Option<f64>, has_first: bool) -> Series {
    let mut series = Series::default();
    let mut before: Option<f64> = None;
    for (at, row) in rows.into_iter().enumerate() {
        let told = before.zip(row.clock).map(|(from, to)| between(from, to));
        before = row.clock;
        if at == 0 && has_first {
            series.since_boot = Some(Sample { cells: row.cells, ..Sample::default() });
            continue;
        }
        series.add(told.or(interval_s), row.cells);
    }
    series
}

#[cfg(test)]
mod tests {
    use model::MetricName;

    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    fn value(result: &ToolResult, name: &'static str) -> Option<f64> {
        result.whole.figure(MetricName::new(name)).map(|figure| figure.value)
    }

    #[test]
    fn multiples_of_bytes_are_binary_and_of_events_decimal() {
        let result = read(
            "$ dstat -dy 5\n-dsk/total- ---system--\n read  writ| int   csw\n   0     0 | 100   200\n8124k    2M|  10k  743\n",
        );
        assert_eq!(value(&result, "read_throughput"), Some(8124.0 * 1024.0));
        assert_eq!(value(&result, "write_throughput"), Some(2.0 * 1_048_576.0));
        assert_eq!(value(&result, "interrupts_per_second"), Some(10_000.0));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(5.0));
    }

    #[test]
    fn a_row_has_a_time_and_columns_that_are_not_known() {
        let result = read(
            "----system---- sda- -dsk/total-\n     time     |util| read  writ\n28-11 10:42:14| 0.4|  10k    0 \n28-11 10:42:16| 0.5|  20k    0 \n",
        );
        assert_eq!(value(&result, "read_throughput"), Some(20.0 * 1024.0));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(2.0));
    }

    #[test]
    fn of_one_disk_it_is_told_which() {
        let result = read("--dsk/sda--\n read  writ\n   0     0\n   5k    0\n");
        assert_eq!(value(&result, "read_throughput"), Some(5120.0));
        assert_eq!(result.options.get("device").map(String::as_str), Some("sda"));
    }

    #[test]
    fn each_of_several_devices_is_a_result() {
        let both = "$ dstat -d -D sda,sdb,total 1\n--dsk/sda-----dsk/sdb----dsk/total-\n read  writ: read  writ: read  writ\n\
                    \x20  0     0 :   0     0 :   0     0 \n   5k    0 :   6k    0 :  11k    0 \n";
        let results = crate::tool::read("", both.as_bytes()).unwrap().results;
        let told: Vec<(Option<&str>, Option<f64>)> = results
            .iter()
            .map(|result| {
                (result.options.get("device").map(String::as_str), value(result, "read_throughput"))
            })
            .collect();
        let expected = [(None, Some(11_264.0)), (Some("sda"), Some(5120.0)), (Some("sdb"), Some(6144.0))];
        assert_eq!(told, expected);
        let cards = "-net/eth0- -net/eth1-\n recv  send: recv  send\n   0     0 :   0     0 \n   0    1k :   0    2k\n";
        let results = crate::tool::read("", cards.as_bytes()).unwrap().results;
        let sent: Vec<Option<f64>> = results.iter().map(|result| value(result, "send_throughput")).collect();
        assert_eq!(sent, [Some(1024.0), Some(2048.0)]);
        assert_eq!(results[1].options["interface"], "eth1");
    }

    #[test]
    fn each_execution_that_a_file_has_is_a_result() {
        let head = "\"Host:\",\"a\",,,,\"User:\",\"b\"\n\"Cmdline:\",\"dstat -d\",,,,\"Date:\",\"x\"\n\"dsk/total\",\n\"read\",\"writ\"\n";
        let text = format!("\"Dstat 0.7.2 CSV output\"\n{head}1,2\n3,4\n\n\n{head}5,6\n7,8\n");
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let reads: Vec<Option<f64>> = results.iter().map(|result| value(result, "read_throughput")).collect();
        assert_eq!(reads, [Some(3.0), Some(7.0)]);
    }

    #[test]
    fn what_pcp_writes_in_other_units_is_left_out() {
        let result = read(
            "\"pcp-dstat 5.3.7 CSV Output\"\n\"Host:\",\"a\",,,,\"User:\",\"b\"\n\"Cmdline:\",\"dstat -cdn 2\",,,,\"Date:\",\"x\"\n\
             \"total usage\",,,,,\"dsk/total\",,\"net/total\",\n\
             \"total usage:usr\",\"total usage:sys\",\"total usage:idl\",\"total usage:wai\",\"total usage:stl\",\
             \"dsk/total:read\",\"dsk/total:writ\",\"net/total:recv\",\"net/total:send\"\n1,2,96.5,0,0,10,20,1000,2000\n",
        );
        assert_eq!(
            (value(&result, "read_throughput"), value(&result, "cpu_idle_share")),
            (None, Some(0.965))
        );
        assert_eq!(value(&result, "receive_throughput"), Some(1000.0));
        assert_eq!(result.version.as_deref(), Some("pcp-dstat 5.3.7"));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(2.0));
    }

    #[test]
    fn the_number_of_a_processor_is_no_time() {
        let of = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            interval(&words)
        };
        assert_eq!([of("dstat -cC 0 5 3"), of("dstat -tcD sda 2")], [Some(5.0), Some(2.0)]);
        assert_eq!([of("dstat --output 7 -c"), of("dstat --top-io 2")], [Some(1.0), Some(2.0)]);
    }

    #[test]
    fn titles_of_vmstat_are_not_its_own() {
        assert!(is_titles("--total-cpu-usage-- -dsk/total- ---system--"));
        assert!(!is_titles("--procs-- -----memory---- ---swap-- -----io---- --system-- ----cpu----"));
    }
}
