//! Kafka's kafka-producer-perf-test (`tools/ProducerPerformance.java`) and kafka-consumer-perf-test
//! (`ConsumerPerformance`). A megabyte of both is 1048576 bytes.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{bare, exact, leading, plain, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer of the producer.
pub(super) struct KafkaProducer;

/// The importer of the consumer.
pub(super) struct KafkaConsumer;

const PRODUCER: &str = "kafka-producer-perf-test";
const CONSUMER: &str = "kafka-consumer-perf-test";

const PRODUCER_RULES: &[CountingRule] = &[CountingRule {
    tool: PRODUCER,
    versions: "all",
    units: "MB/sec",
    counting: Counting::Binary,
    proof: "ProducerPerformance.java, Stats.printTotal: `1000.0 * this.bytes / (double) elapsed / (1024.0 * 1024.0)` is printed \
            with ` MB/sec`",
}];

const CONSUMER_RULES: &[CountingRule] = &[CountingRule {
    tool: CONSUMER,
    versions: "all",
    units: "MB, MB.sec",
    counting: Counting::Binary,
    proof: "ConsumerPerformance: `totalMBRead = (totalBytesRead.get * 1.0) / (1024 * 1024)` stands below `data.consumed.in.MB`",
}];

/// Options of the producer that are told, with our names.
const TOLD: &[(&str, &str)] =
    &[("--num-records", "records"), ("--record-size", "record-size"), ("--throughput", "rate")];

impl ToolReader for KafkaProducer {
    fn name(&self) -> &'static str {
        PRODUCER
    }

    fn doc(&self) -> &'static str {
        "the lines of Kafka's producer test: its intervals, and the last one of all records with percentiles"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[PRODUCER, "kafka-producer-perf-test.sh"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        PRODUCER_RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" records sent, "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        sent(line).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, _)) = lines.split_last() else { return Extent::More };
        match sent(last) {
            Some((_, true)) => Extent::EndsHere,
            Some(_) => Extent::More,
            None => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(PRODUCER, self.programs());
        for line in block.lines {
            match sent(line) {
                Some((measured, true)) => result.whole = measured,
                Some((measured, false)) => {
                    let name = (result.parts.len() + 1).to_string();
                    let kind = ToolPartKind::Interval;
                    result.parts.push(ToolPart { kind, name, start_s: None, measured });
                }
                None => {}
            }
        }
        if result.whole.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let command = std::mem::take(&mut result.command);
        for (word, next) in command.iter().zip(command.iter().skip(1)) {
            let told = TOLD.iter().find(|(option, _)| word == option);
            // -1 asks for no rate.
            let told = told.filter(|(_, name)| !(*name == "rate" && next.starts_with('-')));
            result.options.extend(told.map(|(_, name)| ((*name).to_owned(), next.clone())));
        }
        result.command = command;
        Ok(vec![result])
    }
}

/// `245013 records sent, 49002.6 records/sec (46.73 MB/sec), 553.0 ms avg latency, 812.0 ms max latency.`, and whether it is
/// of all records: that one has percentiles.
fn sent(line: &ToolLine) -> Option<(ToolMeasurement, bool)> {
    let (count, rest) = whole(&line.text)?;
    let rest = rest.strip_prefix(" records sent, ")?;
    let mut measured =
        ToolMeasurement { operations: Some(exact(line.number, count, Unit::One)), ..Default::default() };
    let mut is_all = false;
    for cell in rest.trim_end_matches('.').split(", ") {
        let Some(number) = leading(cell, false) else { continue };
        let label = number.rest.trim();
        if let Some(rate) = label.strip_prefix("records/sec") {
            measured.add(metric::OPERATIONS_PER_SECOND, bare(line.number, cell, Unit::PerSecond));
            let inside = rate.trim().strip_prefix('(').and_then(|inside| inside.split(')').next());
            let rate = inside.and_then(|inside| quantity(line.number, inside, Counting::Binary));
            measured.add(metric::THROUGHPUT, rate);
            continue;
        }
        // Some versions add the errors, and the latency of a transaction.
        let Some(label) = label.strip_prefix("ms ") else { continue };
        let metric = match label.split_once(' ') {
            None => {
                is_all = true;
                statistic(label)
            }
            Some((rank, "latency" | "latency.")) => statistic(rank),
            Some(_) => None,
        };
        if let Some(metric) = metric {
            measured.add(metric, time(line.number, number.digits, "ms"));
        }
    }
    (!measured.figures.is_empty()).then_some((measured, is_all))
}

impl ToolReader for KafkaConsumer {
    fn name(&self) -> &'static str {
        CONSUMER
    }

    fn doc(&self) -> &'static str {
        "the table of Kafka's consumer test, and of the producer test of early versions; each row is a result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[CONSUMER, "kafka-consumer-perf-test.sh"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        CONSUMER_RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["nMsg.sec"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_heading(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let columns = lines.first().map_or(0, |heading| heading.text.split(',').count());
        let is_row =
            last.text.starts_with(|c: char| c.is_ascii_digit()) && last.text.split(',').count() == columns;
        let is_warning = last.text.starts_with("WARNING:");
        if before.is_empty() || is_row || is_warning { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let (heading, rows) = block.lines.split_first().ok_or(NotUnderstood::OtherText)?;
        let names: Vec<&str> = heading.text.split(',').map(str::trim).collect();
        let is_row = |line: &&ToolLine| line.text.starts_with(|c: char| c.is_ascii_digit());
        let results: Vec<ToolResult> = rows
            .iter()
            .filter(is_row)
            .map(|line| {
                let mut result = block.result(CONSUMER, self.programs());
                result.lines = model::tool_result::LineRange { first: line.number, last: line.number };
                let cells: Vec<&str> = line.text.split(',').map(str::trim).collect();
                take(line.number, &names, &cells, &mut result);
                result
            })
            .collect();
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

fn is_heading(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with("start.time, end.time,") || text.starts_with("time, threadId,"))
        && text.contains("nMsg.sec")
}

fn take(line: u64, names: &[&str], cells: &[&str], result: &mut ToolResult) {
    let measured = &mut result.whole;
    let rate = |cell: &str| quantity(line, &format!("{cell} MB/s"), Counting::Binary);
    let mut moments: (Option<f64>, Option<f64>) = (None, None);
    for (name, cell) in names.iter().zip(cells) {
        match *name {
            "start.time" => {
                result.moment = Some((*cell).to_owned());
                moments.0 = second_of_day(cell);
            }
            "end.time" => moments.1 = second_of_day(cell),
            "data.consumed.in.MB" | "total.data.sent.in.MB" => {
                measured.bytes = quantity(line, &format!("{cell} MB"), Counting::Binary);
            }
            "MB.sec" => measured.add(metric::THROUGHPUT, rate(cell)),
            "data.consumed.in.nMsg" | "total.data.sent.in.nMsg" => {
                measured.operations = whole(cell).map(|(count, _)| exact(line, count, Unit::One));
            }
            "nMsg.sec" => measured.add(metric::OPERATIONS_PER_SECOND, bare(line, cell, Unit::PerSecond)),
            "fetch.MB.sec" => measured.add(MetricName::new("fetch_throughput"), rate(cell)),
            "message.size" => {
                result.options.insert("record-size".to_owned(), (*cell).to_owned());
            }
            _ => {}
        }
    }
    if let (Some(start), Some(end)) = moments {
        let lasted = (end - start).rem_euclid(86_400.0);
        let text = format!(
            "{} to {}",
            cells.first().copied().unwrap_or_default(),
            cells.get(1).copied().unwrap_or_default()
        );
        let window = PrintedValue { half_step: 0.001, ..plain(line, text, lasted, Unit::Seconds) };
        measured.window = Some(window).filter(|_| lasted > 0.0);
    }
}

/// The second of the day in `2024-01-18 10:00:05:456`.
fn second_of_day(text: &str) -> Option<f64> {
    let (_, clock) = text.split_once(' ')?;
    let parts: Vec<f64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds, thousandths] = parts.as_slice() else { return None };
    Some(hours * 3600.0 + minutes * 60.0 + seconds + thousandths / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn the_line_with_percentiles_is_of_all_records() {
        let results = read(
            "$ bin/kafka-producer-perf-test.sh --topic test --num-records 1000000 --record-size 1000 --throughput -1\n\
             245013 records sent, 49002.6 records/sec (46.73 MB/sec), 553.0 ms avg latency, 812.0 ms max latency.\n\
             1000000 records sent, 58139.534884 records/sec (55.45 MB/sec), 536.54 ms avg latency, 812.00 ms max latency, \
             536 ms 50th, 672 ms 95th, 744 ms 99th, 790 ms 99.9th.\n",
        );
        assert_eq!((results.len(), results[0].parts.len()), (1, 1));
        let value = |name| results[0].whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(metric::OPERATIONS_PER_SECOND), Some(58_139.534_884));
        assert_eq!(value(metric::THROUGHPUT), Some(55.45 * 1_048_576.0));
        assert!(value(metric::LATENCY_P99_9).is_some_and(|tail| (tail - 0.79).abs() < 1e-12));
        assert!(value(metric::LATENCY_MEAN).is_some_and(|mean| (mean - 0.536_54).abs() < 1e-12));
        assert_eq!(results[0].options["record-size"], "1000");
        assert!(!results[0].options.contains_key("rate"));
    }

    #[test]
    fn rows_of_the_consumer_have_their_time_in_two_clocks() {
        let results = read(
            "start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, fetch.time.ms, \
             fetch.MB.sec, fetch.nMsg.sec\n\
             2024-01-18 23:59:58:000, 2024-01-19 00:00:03:000, 953.6743, 190.7349, 1000000, 200000.0000, 3456, 1544, 617.6647, 647668.3938\n",
        );
        let whole = &results[0].whole;
        assert_eq!(whole.window.as_ref().map(|window| window.value), Some(5.0));
        assert_eq!(whole.bytes.as_ref().map(|bytes| bytes.value), Some(953.6743 * 1_048_576.0));
        assert_eq!(whole.figure(metric::OPERATIONS_PER_SECOND).map(|rate| rate.value), Some(200_000.0));
    }
}
