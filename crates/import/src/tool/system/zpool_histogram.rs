//! `zpool iostat -w` and `-r`: how often operations took so long, and how often they were so large, in buckets that double. From `-w`
//! the bucket that holds the median and the 99th percentile is known.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::{count, leading, plain, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct ZpoolHistogram;

/// Its results are those of zpool.
const NAME: &str = "zpool-histogram";

/// The tool that prints them.
const TOOL: &str = "zpool";

/// What the second line of headings begins with.
const LATENCY: &str = "latency";
const SIZE: &str = "req_size";

/// Groups of columns of `-w`, with what their times are of.
const GROUPS: &[(&str, &str)] = &[
    ("total_wait", "latency"),
    ("disk_wait", "device_latency"),
    ("syncq_wait", "sync_queue_time"),
    ("sync_queue", "sync_queue_time"),
    ("asyncq_wait", "async_queue_time"),
    ("async_queue", "async_queue_time"),
];

impl ToolReader for ZpoolHistogram {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the histograms of zpool iostat: of times (`-w`) the buckets with the median, the 99th percentile and the longest of each kind of \
         operation, of sizes (`-r`) their counts"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[TOOL]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // As the table of zpool iostat; buckets have their units.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["total_wait", "sync_read"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        heading(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_second = text.starts_with(LATENCY) || text.starts_with(SIZE);
        let is_rule = text.starts_with("---");
        if heading(text).is_some() && !before.is_empty() {
            return Extent::EndsBefore;
        }
        let belongs = before.is_empty() || is_second || is_rule || bucket(text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        let (pool, groups) = heading(&first.text).ok_or(NotUnderstood::OtherText)?;
        let second = block.lines.get(1).ok_or(NotUnderstood::CutShort)?;
        let kinds: Vec<&str> = second.text.split_whitespace().skip(1).collect();
        let is_time = second.text.trim().starts_with(LATENCY);
        let columns = columns(&groups, &kinds);
        let mut result = block.result(TOOL, self.programs());
        result.options.insert("device".to_owned(), pool.to_owned());
        let rows: Vec<(u64, &str, Vec<f64>)> = block
            .lines
            .iter()
            .filter_map(|line| bucket(&line.text).map(|(name, counts)| (line.number, name, counts)))
            .collect();
        if rows.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if is_time {
            times(&rows, &columns, &mut result.whole);
        } else {
            sizes(&rows, &columns, &mut result);
        }
        let is_empty = result.whole.figures.is_empty() && result.parts.is_empty();
        if is_empty { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// The pool and the groups of `mypool        total_wait     disk_wait    sync_queue    async_queue`.
fn heading(text: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = text.split_whitespace();
    let pool = words.next()?;
    let groups: Vec<&str> = words.collect();
    let is_time = groups.starts_with(&["total_wait", "disk_wait"]);
    let is_size = groups.starts_with(&["sync_read", "sync_write"]);
    (is_time || is_size).then_some((pool, groups))
}

/// A name for each column: the group, and what of it. A group such as `scrub` may have one column.
fn columns<'a>(groups: &[&'a str], kinds: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let mut kinds = kinds.iter().copied();
    let mut all = Vec::new();
    for group in groups {
        let is_pair = group.contains('_') || kinds.clone().next() == Some("ind");
        let own = if is_pair { 2 } else { 1 };
        all.extend(kinds.by_ref().take(own).map(|kind| (*group, kind)));
    }
    all
}

/// `1us             0      0      0      0      0      0    548      0      0`, with the first letter of a multiple behind large counts.
fn bucket(text: &str) -> Option<(&str, Vec<f64>)> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let number = leading(name, false)?;
    let is_unit = ["ns", "us", "ms", "s", "", "K", "M", "G"].contains(&number.rest);
    let value = |word: &str| {
        if word == "-" {
            return Some(0.0);
        }
        let number = leading(word, false)?;
        Some(number.value * factor(number.rest, Counting::Binary)?)
    };
    let counts: Vec<f64> = words.map(value).collect::<Option<_>>()?;
    (is_unit && counts.len() >= 4).then_some((name, counts))
}

/// The bucket in which so many of all have been counted: what it holds took as long as its name at most, and half of it at least.
fn within<'a>(rows: &'a [(u64, &'a str, Vec<f64>)], column: usize, share: f64) -> Option<(u64, &'a str)> {
    let count = |row: &(u64, &str, Vec<f64>)| row.2.get(column).copied().unwrap_or(0.0);
    let all: f64 = rows.iter().map(count).sum();
    let mut seen = 0.0;
    rows.iter().filter(|_| all > 0.0).find_map(|row| {
        seen += count(row);
        (seen >= all * share && count(row) > 0.0).then_some((row.0, row.1))
    })
}

fn times(rows: &[(u64, &str, Vec<f64>)], columns: &[(&str, &str)], whole_of: &mut ToolMeasurement) {
    for (at, (group, kind)) in columns.iter().enumerate() {
        let Some((_, name)) = GROUPS.iter().find(|(own, _)| own == group) else { continue };
        for (end, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
            let Some((line, bucket)) = within(rows, at, share) else { continue };
            // A time in it may be up to twice as long as its name.
            let printed = quantity(line, bucket, Counting::Decimal).map(|time| PrintedValue {
                half_step: time.value,
                text: format!("{bucket} bucket"),
                ..time
            });
            if let Some(metric) = MetricName::intern(&format!("{kind}_{name}_{end}")) {
                whole_of.add(metric, printed);
            }
        }
    }
}

fn sizes(rows: &[(u64, &str, Vec<f64>)], columns: &[(&str, &str)], result: &mut ToolResult) {
    for (line, name, counts) in rows {
        let mut measured = ToolMeasurement::default();
        for ((group, kind), value) in columns.iter().zip(counts).filter(|(_, value)| **value > 0.0) {
            let kind = if *kind == "agg" { "aggregated" } else { "individual" };
            if let Some(metric) = MetricName::intern(&format!("{kind}_{group}s")) {
                let text = value.to_string();
                let printed = count(*line, &text, Counting::Binary, Unit::One);
                measured.add(metric, printed.or_else(|| Some(plain(*line, text, *value, Unit::One))));
            }
        }
        if !measured.figures.is_empty() {
            let name = format!("requests of {name}");
            result.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buckets_of_the_median_and_of_the_tail_are_told() {
        let text = "# zpool iostat -y tank -w 5\n\ntank         total_wait     disk_wait    syncq_wait    asyncq_wait\nlatency      read  write   read  write   read  write   read  write  scrub   trim\n\
                    ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n1us             0      0      0      0      0      0      0      0      0      0\n\
                    131us          10      0     20      0      0      0      0      0      0      0\n262us         980      0    980      0      0      0      0      0      0      0\n\
                    4ms         10      0      0      0      0      0      0      0      0      0\n--------------------------------------------------------------------------------\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(MetricName::new(name)).map(|figure| figure.text.as_str());
        assert_eq!(
            (value("read_latency_p50"), value("read_latency_max")),
            (Some("262us bucket"), Some("4ms bucket"))
        );
        assert_eq!(
            (value("read_device_latency_max"), value("write_latency_p50")),
            (Some("262us bucket"), None)
        );
        assert_eq!((result.tool.as_str(), result.options["device"].as_str()), (TOOL, "tank"));
    }

    #[test]
    fn sizes_have_their_counts() {
        let text = "$ zpool iostat -r\nmypool        sync_read    sync_write    async_read    async_write      scrub\nreq_size      ind    agg    ind    agg    ind    agg    ind    agg    ind    agg\n\
                    ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n512             0      0      0      0      0      0    530      0      0      0\n\
                    4K              0      0      0      0      0      0  2.13K    107      0      0\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["requests of 512", "requests of 4K"]);
        let value = result.parts[1]
            .measured
            .figure(MetricName::new("individual_async_writes"))
            .map(|count| count.value);
        assert_eq!((value, output.unread.len()), (Some(2.13 * 1024.0), 0));
    }
}
