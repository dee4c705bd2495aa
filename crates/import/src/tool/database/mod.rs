//! Importers of tools for databases and queues, and sysbench with all it has: mysqlslap, pgbench, redis-benchmark,
//! memtier_benchmark, YCSB, go-ycsb, cassandra-stress, HammerDB, go-tpc, BenchBase, tpcc-mysql, db_bench, etcd, Kafka,
//! RabbitMQ, NATS.

mod cassandra_stress;
mod db_bench;
mod etcd;
mod go_measure;
mod hammerdb;
mod influx_stress;
mod kafka;
mod memtier;
mod mongoperf;
mod mysqlslap;
mod nats;
mod pgbench;
mod rabbitmq;
mod redis_benchmark;
mod sysbench;
mod tpcc;
mod tpch;
mod ycsb;

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use super::number::{bare as number, plain};
use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &sysbench::Sysbench,
    &pgbench::Pgbench,
    &mysqlslap::Mysqlslap,
    &redis_benchmark::RedisBenchmark,
    &memtier::Memtier,
    &ycsb::Ycsb,
    &cassandra_stress::CassandraStress,
    &hammerdb::HammerDb,
    &go_measure::GoYcsb,
    &go_measure::GoTpc,
    &tpcc::BenchBase,
    &tpcc::TpccMysql,
    &db_bench::DbBench,
    &etcd::EtcdBenchmark,
    &etcd::EtcdCheck,
    &kafka::KafkaProducer,
    &kafka::KafkaConsumer,
    &rabbitmq::RabbitMq,
    &nats::Nats,
    &tpch::TpcH,
    &mongoperf::Mongoperf,
    &influx_stress::InfluxStress,
];

/// What stands behind a name, which begins the text or follows a space or a parenthesis.
fn behind<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let is_apart = |at: usize| at == 0 || text.get(..at).is_some_and(|before| before.ends_with([' ', '(']));
    let (at, _) = text.match_indices(name).find(|(at, _)| is_apart(*at))?;
    Some(text.get(at + name.len()..)?.trim_start())
}

/// An amount for each second.
fn divided(amount: &PrintedValue, window: &PrintedValue, unit: Unit) -> Option<PrintedValue> {
    let value = amount.value / window.value;
    let half_step = value * (amount.half_step / amount.value.max(1.0) + window.half_step / window.value);
    let text = format!("{} / {}", amount.text, window.text);
    value.is_finite().then(|| PrintedValue { text, value, half_step, unit, counting: None, ..amount.clone() })
}

/// A count of each minute, with what rounding may have changed, as a rate of seconds.
fn each_minute(line: u64, text: &str, count: f64, half_step: f64) -> PrintedValue {
    PrintedValue { half_step: half_step / 60.0, ..plain(line, text, count / 60.0, Unit::PerSecond) }
}

/// The sum of what stands at several places; `None` of nothing.
fn added(values: &[&PrintedValue]) -> Option<PrintedValue> {
    let first = *values.first()?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Some(PrintedValue {
        text: texts.join(" + "),
        value: values.iter().map(|value| value.value).sum(),
        half_step: values.iter().map(|value| value.half_step).sum(),
        ..first.clone()
    })
}

/// Of a text that has intervals of equal length only: the mean of these rates.
fn mean(parts: &[ToolPart], rates: &[MetricName]) -> ToolMeasurement {
    let intervals = || parts.iter().filter(|part| part.kind == ToolPartKind::Interval);
    let mut whole = ToolMeasurement::default();
    for rate in rates {
        let each: Vec<_> = intervals().filter_map(|part| part.measured.figure(*rate)).collect();
        let (Some(first), Some(last)) = (each.first(), each.last()) else { continue };
        let count = each.len() as f64;
        let printed = PrintedValue {
            text: format!("{} ... {}: the mean of {count}", first.text, last.text),
            value: each.iter().map(|printed| printed.value).sum::<f64>() / count,
            ..(*first).clone()
        };
        whole.add(*rate, Some(printed));
    }
    whole
}

/// The place of a server as a URL has it: the path of a socket has what means something else there (RFC 3986, section 2.2).
fn encoded(place: &str) -> String {
    place.chars().fold(String::new(), |mut all, c| {
        if matches!(c, '%' | '/' | '?' | '#' | '&' | '=' | '@' | ':' | '[' | ']' | ' ') {
            all.push_str(&format!("%{:02x}", u32::from(c)));
        } else {
            all.push(c);
        }
        all
    })
}

/// Says of a tool whose output does not tell how many requests each connection has in flight that nobody knows it, where
/// its command does not stand there.
fn unknown_pipeline(result: &mut ToolResult) {
    if result.command.is_empty() {
        result.options.insert("pipeline".to_owned(), "unknown".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_within_another_word_is_not_that_name() {
        assert_eq!(behind("thds: 2 tps: 4.5 qps: 8", "qps:"), Some("8"));
        assert_eq!(behind("(r/w/o: 1/2/3)", "r/w/o:"), Some("1/2/3)"));
        assert_eq!(behind("xtps: 4", "tps:"), None);
    }

    #[test]
    fn a_derived_rate_is_known_as_well_as_what_it_is_made_of() {
        let events = super::super::number::exact(3, 10_000, Unit::One);
        let window = number(4, "9.1394s", Unit::Seconds).unwrap();
        let rate = divided(&events, &window, Unit::PerSecond).unwrap();
        assert!((rate.value - 10_000.0 / 9.1394).abs() < 1e-9 && (rate.half_step - 0.006).abs() < 1e-3);
        assert_eq!(rate.text, "10000 / 9.1394");
        assert_eq!(divided(&events, &number(4, "0.0000s", Unit::Seconds).unwrap(), Unit::PerSecond), None);
        let sum = added(&[&rate, &rate]).unwrap();
        assert!((sum.value - 2.0 * rate.value).abs() < 1e-9);
    }
}
