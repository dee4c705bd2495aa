//! Two clocks of one run that do not agree: the tool's own, and that of `time` around it or of who
//! wrote its result down. Minutes are lost where `2m33.485s` is read.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolResult, UnreadCause, UnreadLines};
use model::{Finding, FindingKind, Severity, Unit, metric};

use crate::check::prose::{self, WrittenNumber};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What `time` prints stands so near behind what the program printed.
const NEAR: u64 = 4;

/// What is off by less is the start and the end of the program.
const SHARE: f64 = 0.1;

/// The same in seconds.
const SECONDS: f64 = 0.2;

/// A difference is so near to whole minutes where minutes are meant.
const MINUTE_BLUR: f64 = 0.05;

/// A time that somebody wrote has so many seconds at least.
const SHORTEST: f64 = 1.0;

/// How many seconds are lost or added where minutes are misread, and how exact a rate must be written for one
/// that fits not to do so by chance: as a share, what its last digit counts.
const MISREAD: &[(f64, f64)] = &[(60.0, 0.0015), (-60.0, 0.0015), (120.0, 0.0005), (-120.0, 0.0005)];

/// Of a text with more results nobody knows of which one a written rate is.
const RESULTS_MAX: usize = 8;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "clocks-disagree",
    doc: "The time around a program is shorter than the program's own, differs from it by whole minutes, or is much longer; \
          or a written rate is right for a time that is whole minutes away.",
    english: r#"
finding-clocks-disagree =
    { $how ->
        [minutes] { $printed } and { $lasted } are of the same run, but { FIXED($minutes) } min apart: the minutes were misread
        [rate] { $printed } would be right if it had taken { SHORT($took, unit: "s") }, but { $amount } took { $lasted }: the
            minutes were misread
        [shorter] the time around { $tool } is { $printed }, but its own is { $lasted }: the whole cannot be shorter than a part
       *[longer] { $tool } took { $printed } and counts { $lasted } of it: its rate leaves out { SHORT($rest, unit: "s") }
            of starting, preparing, or writing out at the end
    }
    .advice =
        { $how ->
            [longer] use the longer time where all of the work counts
           *[other] divide by the time that the tool itself printed
        }

evidence-clock-line =
    line { $line }: { $printed }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let Some(own) = result.whole.window.as_ref().filter(|own| own.value > 0.0) else { return Vec::new() };
    let beside = around(result, context).filter(|_| !is_clock(result));
    let found = beside.and_then(|around| disagreement(result, own, around));
    let written = || written(result, own, context);
    let rate = || written_rate(result, &[Some(own), beside], context);
    found.or_else(written).or_else(rate).into_iter().collect()
}

/// Whether it is what `time` printed, and nothing else.
fn is_clock(result: &ToolResult) -> bool {
    result.tool == "time"
}

/// The time around the program: what `time` printed behind it, or what it prints itself.
fn around<'a>(result: &'a ToolResult, context: &ToolCheckContext<'a>) -> Option<&'a PrintedValue> {
    let of_clock = || {
        let output = context.output_of(result)?;
        let next = prose::next_of(output, result)?;
        // Behind words of somebody it is of what these are about.
        let is_between = |unread: &UnreadLines| {
            unread.lines.first > result.lines.last && unread.lines.last < next.lines.first
        };
        let is_near = next.lines.first.saturating_sub(result.lines.last) <= NEAR
            && !output.unread.iter().any(is_between);
        let whole = &next.whole;
        let real = whole.window.as_ref().or_else(|| whole.figure(metric::ELAPSED));
        real.filter(|_| is_near && is_clock(next))
    };
    of_clock().or_else(|| result.whole.figure(metric::ELAPSED))
}

fn disagreement(result: &ToolResult, own: &PrintedValue, around: &PrintedValue) -> Option<Finding> {
    let rest = around.value - own.value;
    let rounding = own.half_step + around.half_step;
    let how = if minutes(rest, rounding).is_some() {
        "minutes"
    } else if rest < -rounding - SECONDS.min(0.01 * own.value) {
        "shorter"
    } else if rest > rounding + SECONDS + SHARE * own.value {
        "longer"
    } else {
        return None;
    };
    let severity = if how == "longer" { Severity::Note } else { Severity::Error };
    let line = |printed: &PrintedValue| {
        Evidence::maybe_at("clock-line", None).arg("line", printed.line).arg("printed", printed.text.as_str())
    };
    let finding = finding(result, how, severity, &around.text, own, rest);
    Some(finding.because(line(around)).because(line(own)))
}

/// That somebody wrote a time which is whole minutes away.
fn written(result: &ToolResult, own: &PrintedValue, context: &ToolCheckContext<'_>) -> Option<Finding> {
    let output = context.output_of(result)?;
    prose::beside(output, result).flat_map(UnreadLines::texts).find_map(|(at, text)| {
        let numbers = prose::numbers(text).into_iter().filter(|number| number.unit == Unit::Seconds);
        numbers.filter(|number| number.text.contains('.')).find_map(|number| {
            // What is shorter is a latency.
            let seconds = number.meanings.first().copied().filter(|seconds| *seconds >= SHORTEST)?;
            let rest = seconds - own.value;
            minutes(rest, own.half_step + number.step * seconds)?;
            let evidence =
                Evidence::maybe_at("clock-line", None).arg("line", at).arg("printed", number.text.as_str());
            Some(finding(result, "minutes", Severity::Error, &number.text, own, rest).because(evidence))
        })
    })
}

/// That somebody wrote a rate that is the amount divided by a time which is whole minutes away.
fn written_rate(
    result: &ToolResult,
    clocks: &[Option<&PrintedValue>],
    context: &ToolCheckContext<'_>,
) -> Option<Finding> {
    let output = context.output_of(result).filter(|output| output.results.len() <= RESULTS_MAX)?;
    let texts = output.unread.iter().filter(|unread| unread.cause == UnreadCause::NoTool);
    let mut numbers = texts
        .flat_map(UnreadLines::texts)
        .flat_map(|(at, text)| prose::numbers(text).into_iter().map(move |number| (at, number)));
    numbers.find_map(|(at, number)| {
        let amount = match number.unit {
            Unit::PerSecond => result.whole.operations.as_ref()?,
            Unit::BytesPerSecond => result.whole.bytes.as_ref()?,
            _ => return None,
        };
        let of_clock = |clock: &&PrintedValue| Some((clock.text.clone(), misread(&number, amount, clock)?));
        let (lasted, took) = clocks.iter().flatten().find_map(of_clock)?;
        let evidence = Evidence::maybe_at("clock-line", None).arg("line", at).arg("printed", &*number.text);
        let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
            .arg("how", "rate")
            .arg("printed", number.text.as_str())
            .arg("amount", amount.text.as_str())
            .arg("lasted", lasted)
            .arg("took", took)
            .because(evidence);
        Some(finding)
    })
}

/// The time by which a rate was computed, if that is whole minutes off.
fn misread(number: &WrittenNumber, amount: &PrintedValue, clock: &PrintedValue) -> Option<f64> {
    let is_exact = |(_, step): &&(f64, f64)| number.step <= *step;
    let mut times = MISREAD.iter().filter(is_exact).map(|(seconds, _)| clock.value + seconds);
    let fits = |took: &f64| *took >= SHORTEST && number.distance(amount.value / took) <= number.step;
    times.find(fits)
}

/// How many whole minutes a difference is, where it is as good as that.
fn minutes(rest: f64, rounding: f64) -> Option<f64> {
    let minutes = (rest / 60.0).round();
    let is_one = minutes != 0.0 && (rest - minutes * 60.0).abs() <= MINUTE_BLUR + rounding;
    is_one.then_some(minutes.abs())
}

fn finding(
    result: &ToolResult,
    how: &str,
    severity: Severity,
    around: &str,
    own: &PrintedValue,
    rest: f64,
) -> Finding {
    Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("how", how)
        .arg("tool", result.tool.as_str())
        .arg("printed", around)
        .arg("lasted", own.text.as_str())
        .arg("minutes", (rest / 60.0).round().abs())
        .arg("rest", rest)
}

#[cfg(test)]
mod tests {
    use model::tool_result::{LineRange, ToolMeasurement};
    use model::{ToolOutput, Value};

    use super::*;
    use crate::check::fixture;

    fn seconds(line: u64, value: f64) -> PrintedValue {
        PrintedValue {
            line,
            text: format!("{value:.3} s"),
            value,
            unit: Unit::Seconds,
            half_step: 0.0005,
            counting: None,
        }
    }

    fn result(tool: &str, line: u64, value: f64) -> ToolResult {
        ToolResult {
            tool: tool.to_owned(),
            lines: LineRange { first: line, last: line },
            whole: ToolMeasurement { window: Some(seconds(line, value)), ..ToolMeasurement::default() },
            ..ToolResult::default()
        }
    }

    #[test]
    fn the_time_around_a_program_is_held_against_its_own() {
        for (own, real, how) in [
            (153.485, 153.6, None),
            (153.485, 213.485, Some("minutes")),
            (153.485, 33.485, Some("minutes")),
            (10.0, 8.0, Some("shorter")),
            (10.0, 14.0, Some("longer")),
            (0.04, 0.05, None),
        ] {
            let output = ToolOutput {
                results: vec![result("mysqlslap", 3, own), result("time", 5, real)],
                ..ToolOutput::default()
            };
            let found = fixture::found_in(&CHECK, &output);
            let said = found.first().and_then(|finding| finding.args.get("how"));
            assert_eq!(said, how.map(Value::from).as_ref(), "{own} {real}");
        }
    }

    #[test]
    fn a_clock_far_below_is_of_another_program() {
        let results = vec![result("mysqlslap", 3, 10.0), result("time", 9, 1.0)];
        assert_eq!(fixture::found_in(&CHECK, &ToolOutput { results, ..ToolOutput::default() }).len(), 0);
    }

    #[test]
    fn regression_a_clock_behind_a_question_was_taken_for_that_of_the_tool_above() {
        let dd =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 15.3 s, 4.4 MB/s\n";
        let time = "real\t0m0.175s\nuser\t0m0.030s\nsys\t0m0.019s\n";
        assert_eq!(fixture::found(&CHECK, &format!("{dd}{time}")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &format!("{dd}What does another program say?\n{time}")).len(), 0);
    }

    #[test]
    fn minutes_that_were_lost_on_the_way_to_the_page_are_found() {
        let dd =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 153.485 s, 437 kB/s\n";
        let found = fixture::found(&CHECK, &format!("It took 213.485 s:\n{dd}"));
        assert_eq!(found.first().and_then(|finding| finding.args.get("how")), Some(&Value::from("minutes")));
        assert_eq!(fixture::found(&CHECK, &format!("It took 153.485 s:\n{dd}")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &format!("Another one took 190.1 s:\n{dd}")).len(), 0);
    }

    #[test]
    fn a_rate_of_misread_minutes_is_found() {
        let slap = "Benchmark\n\tAverage number of seconds to run all queries: 153.185 seconds\n\
                    \tMinimum number of seconds to run all queries: 153.185 seconds\n\
                    \tMaximum number of seconds to run all queries: 153.185 seconds\n\
                    \tNumber of clients running queries: 50\n\tAverage number of queries per client: 100000\n\n\n\
                    real\t2m33.485s\nuser\t2m10.000s\nsys\t3m5.000s\n\n";
        let how = |said: &str| {
            let found = fixture::found(&CHECK, &format!("{slap}{said}\n"));
            found.first().map(|finding| finding.args["how"].to_string())
        };
        assert_eq!(how("That is 23,420 queries per second.").as_deref(), Some("rate"));
        assert_eq!(how("That is 23,420 queries/s.").as_deref(), Some("rate"));
        assert_eq!(how("That is 32,576 queries/s."), None);
        assert_eq!(how("The other server does 4,620 queries/s."), None);
    }

    #[test]
    fn regression_a_latency_was_taken_for_a_time_without_its_minutes() {
        let dd =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 60.004 s, 1.1 MB/s\n";
        assert_eq!(fixture::found(&CHECK, &format!("Each one took 23.100 ms:\n{dd}")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &format!("It took 120.004 s:\n{dd}")).len(), 1);
    }
}
