//! nfsiostat: what each NFS mount did in a span, with the round trips of its calls and the time that they waited before.
//! The first report is of all the time since it was mounted.

use std::collections::BTreeMap;

use model::tool_result::{Counting, ToolResult};
use model::{MetricName, metric};

use super::cell::{CellUnit, Mean};
use super::sample::{Sample, SampleCell, Series};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::option_words::{self, OptionName, Takes};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Nfsiostat;

const NAME: &str = "nfsiostat";

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "nfs-utils 1.2 to 2.x",
    units: "kB/s",
    counting: Counting::Binary,
    proof: "nfsiostat-2.6.2-made: 40 reads a second of 1048880 bytes, with their heads, are 40971.9 KiB/s, which it prints, and 41955.2 \
            kB/s of 1000 bytes",
}];

/// The headings of its columns. Before version 1.3 the first is the second one of these.
const COLUMNS: &[&str] = &[
    "ops/s",
    "op/s",
    "rpc bklog",
    "kB/s",
    "kB/op",
    "retrans",
    "avg RTT (ms)",
    "avg exe (ms)",
    "avg queue (ms)",
    "errors",
];

impl ToolReader for Nfsiostat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "nfsiostat: each mount is a result, with its calls of each kind; not its sums of caches (-a, -d, -p)"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" mounted on "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        mount(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let belongs = before.is_empty()
            || last.is_blank()
            || mount(text).is_some()
            || heading(text).is_some()
            || values(text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut mounts: Vec<Mount> = Vec::new();
        // Where each stands: there may be many thousands.
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut at = 0;
        let mut columns: Option<Heading<'_>> = None;
        for line in block.lines {
            if let Some(name) = mount(&line.text) {
                at = *places.entry(name).or_insert(mounts.len());
                if at == mounts.len() {
                    mounts.push(Mount { name: name.to_owned(), reports: Vec::new() });
                }
                if let Some(mount) = mounts.get_mut(at) {
                    mount.reports.push(Vec::new());
                }
            } else if let Some(found) = heading(&line.text) {
                columns = Some(found);
            } else if let (Some(heading), Some(values)) = (columns.take(), values(&line.text))
                && let Some(report) = mounts.get_mut(at).and_then(|mount| mount.reports.last_mut())
            {
                report.extend(heading.cells(line.number, &values));
            }
        }
        let mut result = block.result(NAME, self.programs());
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        let interval_s = interval(&result.command);
        let results: Vec<ToolResult> =
            mounts.into_iter().filter_map(|mount| mount.result(&result, interval_s)).collect();
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// `srv:/export mounted on /mnt/data:`, the place where it is mounted.
fn mount(text: &str) -> Option<&str> {
    let (server, place) = text.trim().strip_suffix(':')?.split_once(" mounted on ")?;
    let is_server = server.contains(':') && !server.contains(' ');
    (is_server && place.starts_with('/')).then_some(place)
}

/// A line of headings.
struct Heading<'a> {
    /// The kind of call, such as `read`; nothing of all.
    kind: &'a str,
    columns: Vec<&'static str>,
}

/// `read:   ops/s   kB/s   kB/op   retrans   avg RTT (ms) ...`.
fn heading(text: &str) -> Option<Heading<'_>> {
    let mut found: Vec<(usize, &'static str)> =
        COLUMNS.iter().filter_map(|column| Some((text.find(column)?, *column))).collect();
    found.sort_unstable();
    let (start, first) = *found.first()?;
    let kind = text.get(..start)?.trim().trim_end_matches(':');
    let is_word = kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_one = is_word && matches!(first, "ops/s" | "op/s") && found.len() > 1;
    is_one.then(|| Heading { kind, columns: found.into_iter().map(|(_, column)| column).collect() })
}

/// The numbers of a line that has nothing else but shares in parentheses.
fn values(text: &str) -> Option<Vec<&str>> {
    let is_share = |word: &str| word.starts_with('(') && word.ends_with("%)");
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_share(word)).collect();
    let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    (words.len() > 1 && words.iter().all(is_number)).then_some(words)
}

impl Heading<'_> {
    /// The figures of the line below.
    fn cells(&self, line: u64, values: &[&str]) -> Vec<SampleCell> {
        if values.len() != self.columns.len() {
            return Vec::new();
        }
        // Of no call there is no time.
        let is_idle = values.first().is_some_and(|rate| rate.parse().is_ok_and(|rate: f64| rate <= 0.0));
        let one = |(column, value): (&&'static str, &&str)| {
            let (metric, unit, mean) = self.column(column)?;
            let is_time = unit == CellUnit::MILLISECONDS;
            let printed = unit.read(line, value).filter(|_| !(is_idle && is_time))?;
            Some(SampleCell { metric, printed, mean })
        };
        self.columns.iter().zip(values).filter_map(one).collect()
    }

    /// What a column is.
    fn column(&self, column: &str) -> Option<(MetricName, CellUnit, Mean)> {
        let of = |what: &str| MetricName::intern(&format!("{}_{what}", self.kind));
        let (calls, bytes, mean) = match self.kind {
            "" => (metric::OPERATIONS_PER_SECOND, None, Mean::No),
            "read" => (metric::READ_IOPS, Some(metric::READ_THROUGHPUT), Mean::By(&[metric::READ_IOPS])),
            "write" => (metric::WRITE_IOPS, Some(metric::WRITE_THROUGHPUT), Mean::By(&[metric::WRITE_IOPS])),
            kind => (metric::PER_SECOND.of(kind)?, None, Mean::No),
        };
        Some(match column {
            "ops/s" | "op/s" => (calls, CellUnit::PER_SECOND, Mean::Plain),
            "rpc bklog" => (MetricName::new("queued_operations"), CellUnit::COUNT, Mean::Plain),
            "kB/s" => (bytes?, CellUnit::KIB_PER_S, Mean::Plain),
            "retrans" => (of("retransmits")?, CellUnit::COUNT, Mean::No),
            "avg RTT (ms)" => (of("rtt_mean")?, CellUnit::MILLISECONDS, mean),
            "avg exe (ms)" => (of("latency_mean")?, CellUnit::MILLISECONDS, mean),
            "avg queue (ms)" => (of("queue_latency_mean")?, CellUnit::MILLISECONDS, mean),
            _ => return None,
        })
    }
}

/// What is told of one mount.
struct Mount {
    name: String,
    reports: Vec<Vec<SampleCell>>,
}

impl Mount {
    fn result(self, of_all: &ToolResult, interval_s: Option<f64>) -> Option<ToolResult> {
        let mut reports = self.reports.into_iter();
        let first = Sample { cells: reports.next()?, ..Sample::default() };
        let mut result = of_all.clone();
        result.options.insert("mount".to_owned(), self.name);
        let mut series = Series::default();
        reports.for_each(|cells| series.add(interval_s, cells));
        if series.samples.is_empty() {
            result.options.insert("since".to_owned(), "mount".to_owned());
            series.samples.push(first);
        }
        series.fill(&mut result);
        (!result.whole.figures.is_empty()).then_some(result)
    }
}

/// Seconds between two reports, where the command tells them.
fn interval(command: &[String]) -> Option<f64> {
    let takes = |name: OptionName<'_>| match name {
        // How many mounts are listed.
        OptionName::Letter('l') | OptionName::Long("list") => Takes::Value,
        _ => Takes::Nothing,
    };
    let seconds = option_words::first_number(&option_words::read(command, takes))?;
    (seconds > 0.0 && seconds < 1e6).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "srv:/export mounted on /mnt:\n\n   op/s\t\trpc bklog\n   4.00 \t   0.50\n\
                       read:             ops/s\t\t   kB/s\t\t  kB/op\t\tretrans\t\tavg RTT (ms)\tavg exe (ms)\n\
                       \t\t  4.000 \t  8.000 \t  2.000        1 (0.2%) \t  2.500 \t  3.000\n\
                       write:            ops/s\t\t   kB/s\t\t  kB/op\t\tretrans\t\tavg RTT (ms)\tavg exe (ms)\n\
                       \t\t  0.000 \t  0.000 \t  0.000        0 (0.0%) \t  0.000 \t  0.000\n";

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn without_a_call_there_is_no_time() {
        let results = read(OLD);
        let value = |name| results[0].whole.figure(name).map(|figure| figure.value);
        assert_eq!(value(metric::READ_THROUGHPUT), Some(8192.0));
        assert!(value(MetricName::new("read_latency_mean")).is_some_and(|time| (time - 3e-3).abs() < 1e-12));
        assert_eq!(value(MetricName::new("queued_operations")), Some(0.5));
        let writes = (value(metric::WRITE_IOPS), value(MetricName::new("write_latency_mean")));
        assert_eq!(writes, (Some(0.0), None));
        assert_eq!(results[0].options["since"], "mount");
    }

    #[test]
    fn the_first_report_counts_only_where_there_is_no_other() {
        let other = OLD.replace("/mnt:", "/srv:");
        let results =
            read(&format!("$ nfsiostat 2 2\n{OLD}\n{other}\n{}\n{other}", OLD.replace("  8.000", "  9.000")));
        let reads: Vec<Option<f64>> = results
            .iter()
            .map(|result| result.whole.figure(metric::READ_THROUGHPUT).map(|figure| figure.value))
            .collect();
        assert_eq!(reads, [Some(9.0 * 1024.0), Some(8192.0)]);
        assert_eq!(results[1].options["mount"], "/srv");
        assert_eq!(results[0].whole.window.as_ref().map(|window| window.value), Some(2.0));
    }

    #[test]
    fn how_many_mounts_are_listed_is_no_time() {
        let of = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            interval(&words)
        };
        assert_eq!([of("nfsiostat -l 3 5 2"), of("nfsiostat --list 3")], [Some(5.0), None]);
        assert_eq!([of("nfsiostat --list=3 5 /mnt"), of("nfsiostat 0")], [Some(5.0), None]);
    }

    #[test]
    fn prose_of_mounts_is_none() {
        assert!(mount("The disk is mounted on /mnt:").is_none());
        assert!(heading("read: it has 5 ops/s").is_none());
        assert!(values("1.0 and 2.0").is_none());
    }
}
