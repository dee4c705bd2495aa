//! A mean that is far below the peak: the run had more than one state, and the mean is of none.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolPartKind, ToolRemedy, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, metric};

use crate::check::work::parts;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// A steady load differs by less from one second to another.
const FAR: f64 = 1.3;

/// Fewer intervals show no course.
const INTERVALS_MIN: usize = 4;

/// The last interval may be a short rest in which nothing was done.
const STALLED_MIN: usize = 2;

/// Longer than what most caches and token buckets take.
const LONGER_S: u32 = 120;

/// Longer than most ramps: slow start, warming caches, clocks that rise.
const RAMP_S: u32 = 10;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "mean-far-from-peak",
    doc: "The highest interval, or the peak that is printed, is far above the mean: a cache filled, a limit set in, the \
          load stood still, or it had to rise first.",
    english: r#"
finding-mean-far-from-peak =
    the mean is { $printed } and the peak { $other }, { FIXED($ratio, decimals: 1) } times as much{ $course ->
        [fell] {""}; it fell: the first quarter had { SHORT($early, $unit) }, the last { SHORT($late, $unit) }: a cache or a
            credit was used up, and the mean depends on how long it was measured
        [rose] {""}; it rose: the first quarter had { SHORT($early, $unit) }, the last { SHORT($late, $unit) }: leave out the
            first seconds
        [stalled] {""}; in { $none } of { $all } intervals nothing was done: find out why it stood still, for the mean mixes work
            and waiting
        [varied] {""}; it went up and down: the mean mixes several states
       *[unknown] {""}: the mean mixes several states
    }
    .advice = measure until the rate is steady, and use only that part

evidence-peak-line =
    line { $line }: { $printed }
"#,
    remedies: &[ToolRemedy::RunFor(LONGER_S), ToolRemedy::WarmUp(RAMP_S)],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let of_intervals = || {
        let rates =
            [metric::THROUGHPUT, metric::IOPS, metric::EVENTS_PER_SECOND, metric::TRANSACTIONS_PER_SECOND];
        let same = rates.into_iter().find_map(|rate| by_intervals(result, rate, rate));
        // Where the other end is silent, intervals are the sender's, too.
        same.or_else(|| by_intervals(result, metric::SENDER_THROUGHPUT, metric::THROUGHPUT))
    };
    by_printed_peak(result).or_else(of_intervals).into_iter().collect()
}

/// Of a peak that stands beside the mean.
fn by_printed_peak(result: &ToolResult) -> Option<Finding> {
    let mean = result.whole.figure(metric::THROUGHPUT)?;
    let peak = result.whole.figure(metric::THROUGHPUT_PEAK)?;
    is_far(mean, peak).then(|| finding(mean, peak).arg("course", "unknown"))
}

fn by_intervals(result: &ToolResult, whole: MetricName, rate: MetricName) -> Option<Finding> {
    let mean = result.whole.figure(whole)?;
    let intervals: Vec<&PrintedValue> =
        parts(result, ToolPartKind::Interval).iter().filter_map(|part| part.measured.figure(rate)).collect();
    let peak = *intervals.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    if intervals.len() < INTERVALS_MIN || !is_far(mean, peak) {
        return None;
    }
    let quarter = intervals.len() / 4;
    let early = average(intervals.get(..quarter)?)?;
    let late = average(intervals.get(intervals.len() - quarter..)?)?;
    let none = intervals.iter().filter(|interval| interval.value <= 0.0).count();
    let course = match () {
        () if none >= STALLED_MIN => "stalled",
        () if early > late * FAR => "fell",
        () if late > early * FAR => "rose",
        () => "varied",
    };
    let finding = finding(mean, peak).arg("course", course).arg("early", early).arg("late", late);
    let finding = finding.arg("none", none as u64).arg("all", intervals.len() as u64);
    Some(finding.arg("unit", mean.unit.symbol()))
}

fn is_far(mean: &PrintedValue, peak: &PrintedValue) -> bool {
    mean.value > 0.0 && peak.least() > mean.most() * FAR
}

fn average(values: &[&PrintedValue]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.value).sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

fn finding(mean: &PrintedValue, peak: &PrintedValue) -> Finding {
    let line = |printed: &PrintedValue| {
        Evidence::maybe_at("peak-line", None).arg("line", printed.line).arg("printed", printed.text.as_str())
    };
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("printed", mean.text.as_str())
        .arg("other", peak.text.as_str())
        .arg("ratio", peak.value / mean.value)
        .because(line(mean))
        .because(line(peak))
}

#[cfg(test)]
mod tests {
    use model::tool_result::{ToolMeasurement, ToolPart};
    use model::{ToolOutput, Unit, Value};

    use super::*;
    use crate::check::fixture;

    fn printed(line: u64, mbytes: f64) -> PrintedValue {
        PrintedValue {
            line,
            text: format!("{mbytes:.0} MB/s"),
            value: mbytes * 1e6,
            unit: Unit::BytesPerSecond,
            half_step: 0.5e6,
            counting: None,
        }
    }

    /// What a tool prints that has a line for each second, and one for the whole.
    fn course(rates: &[f64]) -> ToolOutput {
        let measured = |line, rate| {
            let mut measured = ToolMeasurement::default();
            measured.add(metric::THROUGHPUT, Some(printed(line, rate)));
            measured
        };
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let parts = (1u64..).zip(rates).map(|(line, rate)| ToolPart {
            kind: ToolPartKind::Interval,
            name: line.to_string(),
            start_s: Some(line as f64),
            measured: measured(line, *rate),
        });
        let parts = parts.collect();
        let result =
            ToolResult { tool: "wget".to_owned(), whole: measured(99, mean), parts, ..ToolResult::default() };
        ToolOutput { results: vec![result], ..ToolOutput::default() }
    }

    #[test]
    fn the_course_of_a_run_is_told_where_its_mean_is_of_no_state() {
        for (rates, course_said) in [
            (vec![900.0, 900.0, 400.0, 400.0, 400.0, 400.0, 400.0, 400.0], Some("fell")),
            (vec![100.0, 400.0, 900.0, 900.0, 900.0, 900.0, 400.0, 900.0], Some("rose")),
            (vec![400.0, 400.0, 900.0, 400.0, 900.0, 400.0, 400.0, 400.0], Some("varied")),
            (vec![900.0, 900.0, 0.0, 900.0, 0.0, 0.0, 400.0, 0.0], Some("stalled")),
            (vec![400.0, 410.0, 395.0, 400.0], None),
            (vec![900.0, 400.0], None),
        ] {
            let found = fixture::found_in(&CHECK, &course(&rates));
            let said = found.first().and_then(|finding| finding.args.get("course"));
            assert_eq!(said, course_said.map(Value::from).as_ref(), "{rates:?}");
        }
    }

    #[test]
    fn the_seconds_of_a_sender_are_held_against_its_mean() {
        let client = |last: &str| {
            let second =
                |at: u32, rate: &str| format!("[  3] {at:2}.0-{:2}.0 sec  {rate} Mbits/sec\n", at + 1);
            let early: String = (0..2).map(|at| second(at, " 112 MBytes   940")).collect();
            let late: String = (2..8).map(|at| second(at, last)).collect();
            format!(
                "------------------------------------------------------------\n\
                 Client connecting to 10.1.1.2, TCP port 5001\nTCP window size: 85.0 KByte (default)\n\
                 ------------------------------------------------------------\n\
                 [  3] local 10.1.1.1 port 38770 connected with 10.1.1.2 port 5001\n\
                 [ ID] Interval       Transfer     Bandwidth\n{early}{late}"
            )
        };
        let fell = client("35.8 MBytes   300") + "[  3]  0.0- 8.0 sec   439 MBytes   460 Mbits/sec\n";
        assert_eq!(fixture::found(&CHECK, &fell).len(), 1);
        let steady = client(" 112 MBytes   940") + "[  3]  0.0- 8.0 sec   896 MBytes   940 Mbits/sec\n";
        assert_eq!(fixture::found(&CHECK, &steady).len(), 0);
    }

    #[test]
    fn a_peak_that_is_printed_is_held_against_the_mean() {
        let mut output = course(&[441.0]);
        output.results[0].whole.add(metric::THROUGHPUT_PEAK, Some(printed(5, 923.0)));
        assert_eq!(fixture::found_in(&CHECK, &output).len(), 1);
        let mut output = course(&[441.0]);
        output.results[0].whole.add(metric::THROUGHPUT_PEAK, Some(printed(5, 450.0)));
        assert_eq!(fixture::found_in(&CHECK, &output).len(), 0);
    }
}
