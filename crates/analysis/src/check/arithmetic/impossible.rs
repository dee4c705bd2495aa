//! Values that cannot be: percentiles that fall, a mean above the greatest, an operation that took
//! longer than the run, a share above the whole.

use std::collections::BTreeSet;

use model::finding::Evidence;
use model::metric::{MetricSummary, Statistic};
use model::tool_result::{PrintedValue, ToolFigure, ToolMeasurement, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, Unit, metric};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Histograms round up: those of fio to 1/64, those of sysbench to 1/20.
const BUCKET: f64 = 0.06;

/// One that began before the window counts with all of its time: so many windows are allowed for, and
/// a second more.
const WINDOWS: f64 = 1.5;

/// What is below zero and taken for a number without a sign is above half of what 64 bits count.
const WRAPPED: f64 = (1_u64 << 63) as f64;

/// What the share of the time in which a device was busy may be more than all of it.
const BUSY: f64 = 0.05;

/// Tools read the counters of processors one after the other.
const ROUNDED: f64 = 0.01;

/// What shares may lack of all time: states that only some kernels count.
const LACKING: f64 = 0.03;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "impossible-value",
    doc: "A percentile is above a higher one or above the greatest, or below the least, a mean is above the greatest or below \
          the least, an operation took longer than the run, a share or the shares of the processors together are more than \
          the whole, or with idle time less, or an amount is below zero or as much as 64 bits count.",
    english: r#"
finding-impossible-value =
    { $how ->
        [order] { WORDS($metric) } is { $printed }, which is more than { WORDS($other) }, { $amount }
        [window] one operation took { $printed }, which is longer than the whole run, { $amount }
        [share] { WORDS($metric) } is { $printed }, which is more than 100 %
        [shares] { WORDS($metric) } is { $printed }, and with the other shares of the processors that makes
            { PERCENT($sum) }, which is more than 100 %
        [few-shares] { WORDS($metric) } is { $printed }, and with the other shares of the processors that makes only
            { PERCENT($sum) }, which is less than 100 %
        [wrapped] { WORDS($metric) } is { $printed }, which is about as much as 64 bits count: a counter fell below zero
       *[negative] { WORDS($metric) } is { $printed }, which is below zero
    }: that cannot be
    .advice = look at the original output: the figures may be of several runs, or in other units than they say
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = result.measurements().flat_map(|(_, measured)| of_one(measured)).collect();
    found.dedup();
    found
}

fn of_one(measured: &ToolMeasurement) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        measured.figures.iter().filter_map(|f| alone(f.metric, &f.printed)).collect();
    found.extend(measured.window.as_ref().and_then(|window| alone(metric::ELAPSED, window)));
    found.extend(order(measured));
    found.extend(longer_than_the_run(measured));
    found.extend(more_than_all_processors(measured));
    found
}

/// The shares of what processors did, each with what rounding may have added, are more than all of it.
fn more_than_all_processors(measured: &ToolMeasurement) -> Option<Finding> {
    // What guests did is among the user time, in some versions of some tools.
    let is_share = |figure: &&ToolFigure| {
        figure.metric.processor_state().is_some_and(|state| !state.starts_with("guest"))
    };
    let shares: Vec<&ToolFigure> = measured.figures.iter().filter(is_share).collect();
    let least: f64 = shares.iter().map(|figure| figure.printed.least()).sum();
    let sum: f64 = shares.iter().map(|figure| figure.printed.value).sum();
    let greatest = shares.iter().max_by(|a, b| a.printed.value.total_cmp(&b.printed.value))?;
    let is_more = shares.len() > 1 && least > 1.0 + ROUNDED;
    if is_more {
        return Some(finding("shares", greatest.metric, &greatest.printed).arg("sum", sum));
    }
    less_than_all_processors(measured)
}

/// States of processors without which some of their time may stand elsewhere.
const STATES: &[&str] = &["user", "system", "idle"];

/// The same shares, with idle time among them, are less than all of it. Where none has any, the processor was off.
fn less_than_all_processors(measured: &ToolMeasurement) -> Option<Finding> {
    let shares: Vec<&ToolFigure> =
        measured.figures.iter().filter(|figure| figure.metric.processor_state().is_some()).collect();
    let has = |state: &&str| shares.iter().any(|figure| figure.metric.processor_state() == Some(*state));
    let most: f64 = shares.iter().map(|figure| figure.printed.most()).sum();
    let sum: f64 = shares.iter().map(|figure| figure.printed.value).sum();
    let greatest = shares.iter().max_by(|a, b| a.printed.value.total_cmp(&b.printed.value))?;
    let is_less = STATES.iter().all(has) && sum > 0.0 && most < 1.0 - LACKING;
    is_less.then(|| finding("few-shares", greatest.metric, &greatest.printed).arg("sum", sum))
}

/// What is wrong with one figure.
fn alone(metric: MetricName, printed: &PrintedValue) -> Option<Finding> {
    let counted = [Unit::BytesPerSecond, Unit::PerSecond, Unit::Seconds, Unit::Bytes];
    let is_share = [metric::ERROR_SHARE, metric::LOSS].contains(&metric);
    if printed.most() < 0.0 && counted.contains(&printed.unit) {
        return Some(finding("negative", metric, printed));
    }
    // The shortest time that is counted is a nanosecond.
    let wrapped = if printed.unit == Unit::Seconds { WRAPPED / 1e9 } else { WRAPPED };
    if printed.least() >= wrapped && counted.contains(&printed.unit) {
        return Some(finding("wrapped", metric, printed));
    }
    // Some versions of iostat take the time of a span a little too short.
    let is_more =
        is_share && printed.least() > 1.0 || metric == metric::BUSY_SHARE && printed.least() > 1.0 + BUSY;
    is_more.then(|| finding("share", metric, printed))
}

/// Where a figure stands in its distribution: a percent; the greatest is the last.
fn place(name: MetricName) -> Option<(MetricName, f64)> {
    let (distribution, statistic) = name.statistic()?;
    match statistic {
        Statistic::Percentile(percent) => Some((distribution, percent)),
        Statistic::Greatest => Some((distribution, 100.0)),
    }
}

/// The first pair of a distribution of which the lower place has the greater value, with the mean
/// against the greatest and the least, and the least against all.
fn order(measured: &ToolMeasurement) -> Option<Finding> {
    // Of several figures of one name the first is taken; a text may have any number of them.
    let mut known = BTreeSet::new();
    let figures: Vec<&ToolFigure> =
        measured.figures.iter().filter(|figure| known.insert(figure.metric)).collect();
    let placed = |figure: &ToolFigure| place(figure.metric);
    let more = |a: &PrintedValue, b: &PrintedValue| a.least() > b.most() * (1.0 + BUCKET);
    let of_places = figures.iter().copied().find_map(|low| {
        let (distribution, percent) = placed(low)?;
        let high = figures.iter().copied().find(|high| {
            let is_higher = placed(high).is_some_and(|(own, above)| own == distribution && above > percent);
            is_higher && more(&low.printed, &high.printed)
        })?;
        Some((low.metric, &low.printed, high.metric, &high.printed))
    });
    let of_mean = || {
        figures.iter().copied().find_map(|mean| {
            // Others have limits beside them, which may be passed: those of fans and voltages.
            let of = match mean.metric.summary() {
                Some((of, MetricSummary::Mean)) => of,
                None if mean.metric == metric::ELAPSED => mean.metric,
                _ => return None,
            };
            let beside = |summary: MetricSummary| {
                let is_it = |figure: &&ToolFigure| figure.metric.summary() == Some((of, summary));
                figures.iter().copied().find(is_it)
            };
            let above =
                beside(MetricSummary::Greatest).filter(|greatest| more(&mean.printed, &greatest.printed));
            let below = || beside(MetricSummary::Least).filter(|least| more(&least.printed, &mean.printed));
            let pair = above.map(|greatest| (mean, greatest)).or_else(|| below().map(|least| (least, mean)));
            pair.map(|(low, high)| (low.metric, &low.printed, high.metric, &high.printed))
        })
    };
    // Nothing is below the least, whatever its place.
    let of_least = || {
        figures.iter().copied().find_map(|figure| {
            let (distribution, _) = placed(figure)?;
            let is_least =
                |least: &&ToolFigure| least.metric.summary() == Some((distribution, MetricSummary::Least));
            let least = figures.iter().copied().find(is_least)?;
            let pair = (least.metric, &least.printed, figure.metric, &figure.printed);
            more(&least.printed, &figure.printed).then_some(pair)
        })
    };
    let (low, printed, high, other) = of_places.or_else(of_mean).or_else(of_least)?;
    let finding =
        finding("order", low, printed).arg("other", high.as_str()).arg("amount", other.text.as_str());
    Some(finding.because(line_of(other)))
}

fn longer_than_the_run(measured: &ToolMeasurement) -> Option<Finding> {
    let (longest, window) = (measured.figure(metric::LATENCY_MAX)?, measured.window.as_ref()?);
    let is_longer = longest.least() > window.most() * WINDOWS + 1.0;
    is_longer.then(|| {
        let finding = finding("window", metric::LATENCY_MAX, longest);
        finding.arg("amount", window.text.as_str()).because(line_of(window))
    })
}

fn finding(how: &str, metric: MetricName, printed: &PrintedValue) -> Finding {
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("how", how)
        .arg("metric", metric.as_str())
        .arg("printed", printed.text.as_str())
        .because(line_of(printed))
}

fn line_of(printed: &PrintedValue) -> Evidence {
    Evidence::maybe_at("printed-lines", None).arg("first", printed.line).arg("last", printed.line)
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn fio(max: &str, p99: &str) -> String {
        format!(
            "fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(78.2MiB/2000msec)\n     \
             lat (usec): min=38, max={max}, avg=100.00, stdev=10.00\n    lat percentiles (usec):\n     \
             | 50.00th=[   90], 90.00th=[  120], 99.00th=[ {p99}]\n"
        )
    }

    /// Bug: of a row that a text repeats each was held against each, which took minutes.
    #[test]
    fn a_row_that_is_repeated_is_held_against_others_once() {
        let fio = fio("900", "100");
        let output = import::tool::read("", fio.as_bytes()).unwrap();
        let mut measured =
            output.results[0].measurements().find(|(_, own)| order(own).is_some()).unwrap().1.clone();
        let mean = measured.figures.iter().find(|own| own.metric == metric::LATENCY_MEAN).unwrap().clone();
        measured.figures.retain(|own| own.metric != metric::LATENCY_P50 && own.metric != metric::LATENCY_P90);
        measured.figures.extend(std::iter::repeat_n(mean, 50_000));
        assert!(order(&measured).is_none());
    }

    #[test]
    fn what_cannot_be_is_told() {
        for (max, p99, how) in [
            ("900", "500", None),
            ("900", "905", None),
            ("900", "100", Some("order")),
            ("900", "2000", Some("order")),
            ("80", "130", Some("order")),
            ("9000000", "500", Some("window")),
        ] {
            let found = fixture::found(&CHECK, &fio(max, p99));
            let said = found.first().and_then(|finding| finding.args.get("how"));
            assert_eq!(said, how.map(Value::from).as_ref(), "{max} {p99}");
        }
    }

    #[test]
    fn a_share_of_more_than_all_and_less_than_nothing_are_told() {
        let found = |metric, value: f64, unit| {
            let printed = PrintedValue {
                line: 1,
                text: value.to_string(),
                value,
                unit,
                half_step: 0.0,
                counting: None,
            };
            alone(metric, &printed).is_some()
        };
        assert!(found(metric::LOSS, 1.5, Unit::One) && !found(metric::LOSS, 1.0, Unit::One));
        assert!(found(metric::BUSY_SHARE, 1.99, Unit::One) && !found(metric::BUSY_SHARE, 1.01, Unit::One));
        assert!(found(metric::THROUGHPUT, -1.0, Unit::BytesPerSecond));
        assert!(!found(metric::THROUGHPUT, 0.0, Unit::BytesPerSecond));
        assert!(found(metric::TRANSACTIONS_PER_SECOND, 1.8446842801212e19, Unit::PerSecond));
        assert!(!found(metric::THROUGHPUT, 1e15, Unit::BytesPerSecond));
        // wrk prints `35951 requests in 307445734491.24m`.
        assert!(found(metric::ELAPSED, 1.8e13, Unit::Seconds) && !found(metric::ELAPSED, 1e9, Unit::Seconds));
    }

    #[test]
    fn the_shares_of_processors_are_all_of_them_at_most() {
        let capture = include_str!("../../../../import/tests/tool/fixtures/vmstat/vmstat-4.0.2-basic.out");
        assert_eq!(fixture::found(&CHECK, capture).len(), 0);
        for row in [" 99 43  0  0  6", " 11 43  0  0  6"] {
            let doctored = capture.replacen(" 51 43  0  0  6", row, 1);
            assert_ne!(fixture::found(&CHECK, &doctored).len(), 0, "{row}");
        }
    }

    #[test]
    fn a_mean_lies_between_the_least_and_the_greatest() {
        let of = |least: &str, mean: &str| {
            let capture = include_str!(
                "../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-cpu-intervals.out"
            );
            let changed = |line: &str| match line.trim_start().split(' ').next() {
                Some("min:") => format!("         min: {least}"),
                Some("avg:") => format!("         avg: {mean}"),
                Some("max:") => "         max: 50.00".to_owned(),
                _ => line.to_owned(),
            };
            let lines: Vec<String> = capture.lines().map(changed).collect();
            fixture::found(&CHECK, &lines.join("\n")).len()
        };
        assert_eq!((of("0.10", "1.00"), of("2.00", "1.00"), of("0.10", "60.00")), (0, 1, 1));
    }

    #[test]
    fn a_time_below_zero_is_told() {
        let dd =
            |seconds: &str| format!("1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, 504 MB/s\n");
        assert_eq!(fixture::found(&CHECK, &dd("-2.13")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &dd("2.13")).len(), 0);
        let negative = fio("900", "500").replace("min=38", "min=-38").replace("/2000msec", "/-2000msec");
        assert_eq!(fixture::found(&CHECK, &negative).len(), 2);
    }

    #[test]
    fn a_percentile_is_not_below_the_least() {
        let capture =
            include_str!("../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-cpu-intervals.out");
        let of = |percentile: &str| {
            let changed = |line: &str| match line.trim_start().starts_with("99th percentile:") {
                true => format!("         99th percentile: {percentile}"),
                false => line.to_owned(),
            };
            let lines: Vec<String> = capture.lines().map(changed).collect();
            fixture::found(&CHECK, &lines.join("\n")).len()
        };
        assert_eq!((of("4.65"), of("0.05")), (0, 1));
    }
}
