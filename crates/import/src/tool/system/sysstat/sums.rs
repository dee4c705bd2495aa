//! What the columns of iostat say of one another: how large requests are, how many are under way, and what processors do.

use model::tool_arithmetic::FigureDisagreement;
use model::{MetricName, metric};

use super::columns;
use super::table::Tables;
use crate::tool::arithmetic::{FigureSheet, JsonNode, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::system::sample::SampleCell;

/// A request that is under way at an end of the span counts for the queue, and not for the waits, or the other way round.
const UNDER_WAY: f64 = 0.5;

/// Of longer waits too many are under way at the ends of a span of a second.
const WAIT_S_MAX: f64 = 0.05;

/// Counts that went back are printed as nothing, and are in the whole nevertheless.
const WENT_BACK: f64 = 0.01;

/// What is counted of each kind of request: rate, throughput, wait and size.
const KINDS: [[MetricName; 4]; 3] = [
    [
        metric::READ_IOPS,
        metric::READ_THROUGHPUT,
        MetricName::new("read_latency_mean"),
        MetricName::new("read_size_mean"),
    ],
    [
        metric::WRITE_IOPS,
        metric::WRITE_THROUGHPUT,
        MetricName::new("write_latency_mean"),
        MetricName::new("write_size_mean"),
    ],
    [
        MetricName::new("discard_iops"),
        MetricName::new("discard_throughput"),
        MetricName::new("discard_latency_mean"),
        MetricName::new("discard_size_mean"),
    ],
];

const FLUSHES_PER_SECOND: MetricName = MetricName::new("flushes_per_second");
const FLUSH_WAIT: MetricName = MetricName::new("flush_latency_mean");
const QUEUE: MetricName = MetricName::new("queue_depth_mean");
const BUSY: MetricName = MetricName::new("busy_share");
const SERVICE_TIME: MetricName = MetricName::new("service_time_mean");
const IDLE: MetricName = MetricName::new("cpu_idle_share");

/// What contradicts itself in tables.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let Ok(tables) = Tables::of(&ToolBlock { lines, command: None }) else { return Vec::new() };
    for row in tables.list.iter().flat_map(|table| &table.rows) {
        of_row(&sheet, &row.cells);
    }
    sheet.found()
}

/// The same in JSON.
pub(super) fn disagreements_of_json(root: &JsonNode) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(&[]);
    for host in root.get("sysstat").get("hosts").items() {
        for statistics in host.get("statistics").items() {
            let rows = statistics.get("disk").items().iter().chain([statistics.get("avg-cpu")]);
            rows.for_each(|row| of_row(&sheet, &cells(row)));
        }
    }
    sheet.found()
}

/// The figures of an object. sysstat prints two decimals, and JSON forgets zeros at the end.
fn cells(row: &JsonNode) -> Vec<SampleCell> {
    let one = |(name, value): &(String, JsonNode)| {
        let JsonNode::Number(line, text) = value else { return None };
        let heading = columns::heading_of_json(name)?;
        let number: f64 = text.parse().ok()?;
        let printed = heading.unit.read(*line, &format!("{number:.2}"))?;
        Some(SampleCell { metric: heading.metric, printed, mean: heading.mean })
    };
    row.members().iter().filter_map(one).collect()
}

fn of_row(sheet: &FigureSheet<'_>, cells: &[SampleCell]) {
    let of = |metric: MetricName| {
        Term::of(cells.iter().find(|cell| cell.metric == metric).map(|cell| cell.printed.clone()))
    };
    of_processors(sheet, cells, &of(IDLE));
    let mut waits = Vec::new();
    let mut is_long = false;
    for [rate, throughput, wait, size] in KINDS {
        let (rate, throughput, wait, size) = (of(rate), of(throughput), of(wait), of(size));
        // With few decimals a quotient of small numbers says nothing.
        if rate.is_some() && throughput.is_some() {
            sheet.equal(&size, &throughput / &rate, 0.0);
        }
        is_long |= wait.value().is_some_and(|wait| wait > WAIT_S_MAX);
        waits.extend((rate.value().is_some() && wait.value().is_some()).then(|| &rate * &wait));
    }
    let (queue, flushes) = (of(QUEUE), &of(FLUSHES_PER_SECOND) * &of(FLUSH_WAIT));
    let has_flushes = flushes.value().is_some();
    waits.extend(has_flushes.then_some(flushes));
    if let Some((first, rest)) = waits.split_first().filter(|_| waits.len() >= 2 && !is_long) {
        let all = rest.iter().fold(first.clone(), |sum, wait| &sum + wait);
        sheet.at_least(&queue, all.clone(), UNDER_WAY);
        // Early versions print no flushes, and count them.
        if has_flushes {
            sheet.at_most(&queue, all, UNDER_WAY);
        }
    }
    let all = &of(metric::READ_IOPS) + &of(metric::WRITE_IOPS);
    if of(SERVICE_TIME).is_some() && all.is_some() {
        sheet.equal(&of(BUSY), &all * &of(SERVICE_TIME), WENT_BACK);
    }
}

/// The shares of a processor are all that it did.
fn of_processors(sheet: &FigureSheet<'_>, cells: &[SampleCell], idle: &Term) {
    let is_share = |cell: &&SampleCell| {
        let name = cell.metric.as_str();
        name.starts_with("cpu_") && name.ends_with("_share") && cell.metric != IDLE
    };
    let others: Vec<Term> =
        cells.iter().filter(is_share).map(|cell| Term::of(Some(cell.printed.clone()))).collect();
    if others.len() >= 2 && idle.value().is_some() {
        let sum = Term::total(&others);
        sheet.at_most(idle, &Term::number(1.0 + WENT_BACK) - &sum, 0.0);
        // A processor that is switched off did nothing, nor was it idle.
        if sum.is_some() || idle.is_some() {
            sheet.at_least(idle, &Term::number(1.0 - WENT_BACK) - &sum, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n\
        \x20         10.00    0.00    5.00    2.00    0.00   83.00\n\n\
        Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     \
        d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\n\
        sda            1000.00   8000.00     0.00   0.00    2.00     8.00  500.00   2000.00     0.00   0.00    4.00     4.00    \
        0.00      0.00     0.00   0.00    0.00     0.00   10.00   10.00    4.10  90.00\n";

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(!output.results.is_empty());
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    #[test]
    fn sizes_queues_and_shares_follow_from_other_columns() {
        assert_eq!(wrong(TEXT), Vec::<String>::new());
        let with = |from: &str, to: &str| wrong(&TEXT.replacen(from, to, 1));
        assert_eq!(with("     8.00  500", "    16.00  500"), ["16.00 kB / 8000.00 kB/s / 1000.00 1/s"]);
        assert_eq!(with(" 4.10 ", "40.10 ").len(), 1);
        assert_eq!(with(" 4.10 ", " 0.41 ").len(), 1);
        assert_eq!(with("83.00", "53.00").len(), 1);
        assert_eq!(with("83.00", "93.00").len(), 1);
        // Without flushes the queue may be longer.
        let without = TEXT.replace("f/s f_await  ", "").replace("10.00   10.00    4.10", "40.10");
        assert_eq!(wrong(&without), Vec::<String>::new());
    }

    #[test]
    fn the_time_that_a_device_was_busy_is_that_of_its_requests() {
        let text = |busy: &str| {
            format!(
                "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n\
                 sda               0.00     0.00  100.00  100.00   400.00   400.00     8.00     0.40    2.00   1.00  {busy}\n"
            )
        };
        assert_eq!(wrong(&text("20.00")), Vec::<String>::new());
        assert_eq!(wrong(&text("80.00")).len(), 1);
    }

    #[test]
    fn json_is_held_against_itself() {
        let text = |queue: &str| {
            format!(
                "{{\"sysstat\": {{\n\"hosts\": [{{\"nodename\": \"a\", \"statistics\": [\n{{\"avg-cpu\": {{\"user\": 10.00, \"nice\": 0.00, \"system\": 5.00, \
                 \"iowait\": 2.00, \"steal\": 0.00, \"idle\": 83.00}},\n\"disk\": [{{\"disk_device\": \"sda\", \"r/s\": 1000.00, \"rkB/s\": 8000.00, \
                 \"r_await\": 2.00, \"rareq-sz\": 8.00, \"w/s\": 500.00, \"w_await\": 4.00, \"f/s\": 10.00, \"f_await\": 10.00, \"aqu-sz\": {queue}, \
                 \"util\": 90.00}}]}}]}}]}}}}\n"
            )
        };
        assert_eq!(wrong(&text("4.1")), Vec::<String>::new());
        assert_eq!(wrong(&text("40.1")).len(), 1);
    }
}
