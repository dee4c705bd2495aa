//! cassandra-stress of Cassandra and Scylla: the results at its end. Those of each kind of operation stand in
//! brackets behind those of all, and are not read.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{LeadingNumber, leading, plain};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct CassandraStress;

const NAME: &str = "cassandra-stress";

/// What the lines begin with, in small letters.
const LABELS: &[&str] = &[
    "op rate",
    "partition rate",
    "row rate",
    "latency mean",
    "latency median",
    "latency 95th percentile",
    "latency 99th percentile",
    "latency 99.9th percentile",
    "latency max",
    "total partitions",
    "total operations",
    "total errors",
    "total gc count",
    "total gc memory",
    "total gc time",
    "avg gc time",
    "stddev gc time",
    "total operation time",
];

/// What words of the command begin with that are told, with our names for them. Each of the last three is a rate that was
/// asked for.
const TOLD: &[(&str, &str)] =
    &[("threads=", "threads"), ("limit=", "rate"), ("throttle=", "rate"), ("fixed=", "rate")];

impl ToolReader for CassandraStress {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the results at the end of cassandra-stress"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[":"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        row(&line.text).filter(|(label, _)| *label == "op rate").map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs = row(&last.text).is_some() && (before.is_empty() || self.begins(last).is_none());
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            if let Some((label, value)) = row(&line.text) {
                take(line.number, label, value, &mut result.whole);
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        for (start, name) in TOLD {
            let value = result.command.iter().find_map(|word| word.strip_prefix(*start)).map(str::to_owned);
            result.options.extend(value.map(|value| ((*name).to_owned(), value)));
        }
        if let Some(kind) = result.command.get(1) {
            result.options.insert("operation".to_owned(), kind.clone());
        }
        Ok(vec![result])
    }
}

/// The label of a line, and what stands behind its colon.
fn row(text: &str) -> Option<(&'static str, &str)> {
    let (label, value) = text.split_once(':')?;
    let label = label.trim();
    let own = LABELS.iter().find(|own| own.eq_ignore_ascii_case(label))?;
    Some((*own, value.trim()))
}

fn take(line: u64, label: &str, value: &str, whole_of_it: &mut ToolMeasurement) {
    let metric = match label {
        "op rate" => metric::OPERATIONS_PER_SECOND,
        "partition rate" => MetricName::new("partitions_per_second"),
        "row rate" => MetricName::new("rows_per_second"),
        "latency mean" => metric::LATENCY_MEAN,
        "latency median" => metric::LATENCY_P50,
        "latency 95th percentile" => MetricName::new("latency_p95"),
        "latency 99th percentile" => metric::LATENCY_P99,
        "latency 99.9th percentile" => metric::LATENCY_P99_9,
        "latency max" => metric::LATENCY_MAX,
        "total errors" => MetricName::new("errors"),
        "total operation time" => {
            whole_of_it.window = clock(line, value);
            return;
        }
        _ => return,
    };
    // Digits are parted by thousands.
    let Some(number) = leading(value, true) else { return };
    let printed = if label.starts_with("latency") {
        // Early versions leave the unit out.
        of(line, number, "ms", 1e-3, Unit::Seconds)
    } else if label.ends_with("rate") {
        of(line, number, "/s", 1.0, Unit::PerSecond)
    } else {
        PrintedValue { half_step: 0.0, ..of(line, number, "", 1.0, Unit::One) }
    };
    whole_of_it.add(metric, Some(printed));
}

fn of(line: u64, number: LeadingNumber<'_>, symbol: &str, scale: f64, unit: Unit) -> PrintedValue {
    let text = format!("{} {symbol}", number.digits);
    let half_step = number.half_step * scale;
    PrintedValue { half_step, ..plain(line, text.trim_end(), number.value * scale, unit) }
}

/// `00:04:20`, without parts of seconds.
fn clock(line: u64, text: &str) -> Option<PrintedValue> {
    let parts: Vec<u32> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    let value = f64::from(*hours) * 3600.0 + f64::from(*minutes) * 60.0 + f64::from(*seconds);
    Some(PrintedValue { half_step: 1.0, ..plain(line, text, value, Unit::Seconds) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted_by_commas_and_early_versions_have_no_units() {
        for (text, rate, mean) in [
            (
                "Op rate                   :    8,380 op/s  [insert: 8,380 op/s]\nLatency mean : 7.6 ms [insert: 7.6 ms]\n",
                8380.0,
                7.6e-3,
            ),
            (
                "op rate                   : 415 [WRITE:415]\nlatency mean              : 2.5 [WRITE:2.5]\n",
                415.0,
                2.5e-3,
            ),
        ] {
            let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
            let value = |name| result.whole.figure(name).unwrap().value;
            assert_eq!(value(metric::OPERATIONS_PER_SECOND), rate, "{text}");
            assert!((value(metric::LATENCY_MEAN) - mean).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn a_rate_that_is_asked_for_is_told() {
        let text = "$ cassandra-stress write n=1000 -rate threads=50 throttle=1000/s\nOp rate : 990 op/s\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        assert_eq!((&*result.options["threads"], &*result.options["rate"]), ("50", "1000/s"));
    }

    #[test]
    fn the_time_has_no_parts_of_seconds() {
        let time = clock(1, "00:04:20").unwrap();
        assert_eq!((time.value, time.half_step), (260.0, 1.0));
        assert!(clock(1, "4:20").is_none());
    }
}
