//! `[expect]`: what the user was promised. A key is a figure of a datasheet
//! (`read`, `random-read-4k`), a metric, or `datasheet`, which names one. Its goals are
//! read by [`super::goal`].

use import::diagnostic::{Diagnostic, SourceRange, suggest};
use model::limit::{Access, Direction};
use model::study::Promise;
use model::workload::Catalogue;
use model::{Kind, MetricName, MetricSpec, Unit, Value, metric, scalar};

use super::goal;

/// The key that names a datasheet.
pub const DATASHEET: &str = "datasheet";

/// Sequential figures, in bytes per second.
const SEQUENTIAL: &[(&str, Direction)] = &[("read", Direction::Read), ("write", Direction::Write)];

/// Random figures, in operations per second; the size follows.
const RANDOM: &[(&str, Direction)] =
    &[("random-read-", Direction::Read), ("random-write-", Direction::Write)];

/// Every key, with what may be written and what it promises, in documentation
/// order.
pub const KEYS: &[(&str, &str, &str)] = &[
    ("read", "560MB/s", "Sequential reads, bytes per second."),
    ("write", "530MB/s", "Sequential writes, bytes per second."),
    ("random-read-SIZE", "100k/s", "Random reads of this size, as `random-read-4k`, per second."),
    ("random-write-SIZE", "90k/s", "Random writes of this size, per second."),
    (
        "METRIC",
        "1.5GB/s, 20k/s or 2ms",
        "Any metric of a workload, as `throughput`, `iops` or `latency_p99`.",
    ),
    (DATASHEET, "NAME", "All figures of a datasheet that Headroom has, for the target's device."),
    (
        goal::GOALS,
        "[\"throughput >= 500MB/s\"]",
        "What the results are held to, with the interval: a metric, `<`, `<=`, `>` or `>=`, a value, and, behind `where`, \
         the cases that it is for.",
    ),
    (
        goal::ABORT_WHEN,
        "\"errors > 0\"",
        "The run ends with the first trial of which this is true. `errors` are the trials so far that failed, or in which \
         operations failed.",
    ),
];

/// Metrics that can be promised: those whose unit a person can write.
pub fn metrics(catalogue: &Catalogue) -> Vec<&'static MetricSpec> {
    let mut found: Vec<&'static MetricSpec> = Vec::new();
    for metric in catalogue.workloads.iter().flat_map(|w| w.metrics) {
        let is_written = matches!(metric.unit, Unit::BytesPerSecond | Unit::PerSecond | Unit::Seconds);
        if is_written && found.iter().all(|m| m.name != metric.name) {
            found.push(metric);
        }
    }
    found
}

/// Reads one promised figure: its key, and its value as a person wrote it.
pub(super) fn promise(
    catalogue: &Catalogue,
    (key, key_place): (&str, &SourceRange),
    (text, place): (&str, &SourceRange),
) -> Result<Promise, Diagnostic> {
    let about = |metric: MetricName, unit| Promise {
        key: key.to_owned(),
        metric: metric.to_owned(),
        direction: None,
        access: None,
        block_bytes: None,
        value: 0.0,
        unit,
    };
    let mut promise = if let Some((_, direction)) = SEQUENTIAL.iter().find(|(name, _)| *name == key) {
        Promise {
            direction: Some(*direction),
            access: Some(Access::Sequential),
            ..about(metric::THROUGHPUT, Unit::BytesPerSecond)
        }
    } else if let Some((prefix, direction)) = RANDOM.iter().find(|(prefix, _)| key.starts_with(prefix)) {
        Promise {
            direction: Some(*direction),
            access: Some(Access::Random),
            block_bytes: Some(size(key, prefix.len(), key_place)?),
            ..about(metric::IOPS, Unit::PerSecond)
        }
    } else {
        let metrics = metrics(catalogue);
        let Some(metric) = metrics.iter().find(|m| m.name.as_str() == key) else {
            let keys = [
                "read",
                "write",
                "random-read-4k",
                "random-write-4k",
                DATASHEET,
                goal::GOALS,
                goal::ABORT_WHEN,
            ];
            let known: Vec<&str> = keys.into_iter().chain(metrics.iter().map(|m| m.name.as_str())).collect();
            return Err(key_place.diagnostic(format!("`{key}` cannot be promised"), suggest(key, known)));
        };
        about(metric.name, metric.unit)
    };
    promise.value = value(promise.unit, text, place)?;
    Ok(promise)
}

/// The size at the end of a key.
fn size(key: &str, from: usize, place: &SourceRange) -> Result<u64, Diagnostic> {
    match scalar::parse(Kind::Size, &key[from..]) {
        Ok(Value::Integer(bytes)) => Ok(bytes),
        Ok(_) => Err(place.diagnostic(format!("`{key}` names no size"), Kind::Size.hint())),
        Err(e) => Err(place.part(e.span.start + from..e.span.end + from).diagnostic(e.message, e.help)),
    }
}

fn value(unit: Unit, text: &str, place: &SourceRange) -> Result<f64, Diagnostic> {
    let read = match unit {
        Unit::BytesPerSecond => scalar::throughput(text).map(Value::Number),
        Unit::PerSecond => scalar::parse(Kind::Rate, text),
        _ => scalar::parse(Kind::Duration, text),
    };
    match read.map_err(|e| place.unread(e))? {
        Value::Number(value) => Ok(value),
        other => Err(place.diagnostic(format!("`{other}` is no figure"), "")),
    }
}

pub(super) fn datasheet(name: &str, place: &SourceRange) -> Result<String, Diagnostic> {
    if machine::limit::datasheet::named(name).is_some() {
        return Ok(name.to_owned());
    }
    Err(place.unknown("datasheet", name, datasheets()))
}

/// The names of all datasheets.
pub fn datasheets() -> Vec<&'static str> {
    machine::limit::datasheet::all().iter().map(|sheet| sheet.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::from_toml;

    fn expect(lines: &str) -> Result<model::study::Expect, Diagnostic> {
        let text = format!("[[workload]]\nkind = \"null\"\n[expect]\n{lines}\n");
        from_toml(&agent::catalogue(), "test", "test.toml", &text).map(|study| study.expect)
    }

    #[test]
    fn promises_are_read_with_their_units() {
        let found = expect(
            "read = \"560MB/s\"\nrandom-write-8k = \"75k/s\"\nlatency_p99 = \"2ms\"\niops = 1000\n\
             throughput = \"1.5GiB/s\"\ndatasheet = \"intel-dc-p3700-1.6tb\"",
        )
        .unwrap();
        assert_eq!(found.datasheet.as_deref(), Some("intel-dc-p3700-1.6tb"));
        let of = |key: &str| found.promises.iter().find(|p| p.key == key).unwrap();
        assert_eq!((of("read").value, of("read").access), (560e6, Some(Access::Sequential)));
        let random = of("random-write-8k");
        assert_eq!((random.metric, random.value, random.block_bytes), (metric::IOPS, 75e3, Some(8192)));
        assert_eq!(random.direction, Some(Direction::Write));
        assert_eq!((of("latency_p99").value, of("latency_p99").unit), (0.002, Unit::Seconds));
        assert_eq!((of("iops").value, of("iops").direction), (1000.0, None));
        assert_eq!(of("throughput").value, 1.5 * f64::from(1u32 << 30));
        assert_eq!(found.promises.len(), 5);
    }

    #[test]
    fn a_study_without_promises_has_none() {
        assert!(expect("").unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_promised_is_refused() {
        for (line, says) in [
            ("raed = \"1MB/s\"", "cannot be promised"),
            ("cpu_per_operation = \"1us\"", ""),
            ("random-read-4q = \"1k/s\"", "not a unit"),
            ("random-read- = \"1k/s\"", "no value"),
            ("read = \"560\"", "no unit"),
            ("read = \"4Gb/s\"", "bits or bytes"),
            ("latency_p99 = \"2\"", "no unit"),
            ("datasheet = \"intel-dc-p3800-2tb\"", "no datasheet"),
            ("datasheet = 1", "text in quotes"),
            ("read = [\"1MB/s\"]", "a single value"),
        ] {
            match expect(line) {
                Err(diagnostic) => {
                    assert!(diagnostic.message.contains(says), "{line}: {}", diagnostic.message)
                }
                Ok(found) => assert!(says.is_empty(), "{line}: {found:?}"),
            }
        }
    }
}
