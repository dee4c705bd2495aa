//! Times that are too small for the clock that took them.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// The tick in which kernels count CPU time for programs: `USER_HZ` is 100 (times(2), proc(5)).
const TICK_S: f64 = 0.01;

/// Of fewer ticks one more or less is more than a tenth.
const TICKS_MIN: f64 = 10.0;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "too-short-for-clock",
    doc: "The CPU time, or the whole run, is less than ten ticks of the clock that counts it: it says nothing.",
    english: r#"
finding-too-short-for-clock =
    { $how ->
        [cpu] { $tool } counts { SHORT($seconds, unit: "s") } of CPU time; a tick of that clock is 10 ms, so one more or less
            changes it by more than a tenth: nothing follows from it
       *[run] the run took { $printed }: starting, first accesses to memory and one time slice of the scheduler take as long
    }
    .advice = do more in one run: a hundred times as much

evidence-short-time =
    line { $line }: { $printed }
"#,
    remedies: &[ToolRemedy::RunFor(60)],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let of_cpu = result.measurements().find_map(|(_, measured)| cpu_time(result, measured));
    short_run(result).into_iter().chain(of_cpu).collect()
}

/// What is printed in finer steps is of a finer clock, or the mean of many runs.
const COARSE_S: f64 = 0.000_4;

/// CPU time of less than ten ticks, of a run that took as long at least.
fn cpu_time(result: &ToolResult, measured: &ToolMeasurement) -> Option<Finding> {
    let both = [metric::CPU_USER_TIME, metric::CPU_SYSTEM_TIME].map(|name| measured.figure(name));
    let times: Vec<&PrintedValue> = match measured.figure(metric::CPU_TIME) {
        Some(all) => vec![all],
        None => both.into_iter().flatten().collect(),
    };
    let seconds: f64 = times.iter().map(|time| time.value).sum();
    let is_fine = times.iter().any(|time| time.half_step < COARSE_S);
    if times.is_empty() || is_fine || seconds >= TICKS_MIN * TICK_S {
        return None;
    }
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Note)
        .arg("how", "cpu")
        .arg("tool", result.tool.as_str())
        .arg("seconds", seconds);
    Some(finding.because_all(times.into_iter().map(line)))
}

/// Tools that add up the times of their operations, and leave out those between them.
const WITHOUT_PAUSES: &[&str] = &["ioping"];

/// A run that moved something, and was over at once.
fn short_run(result: &ToolResult) -> Option<Finding> {
    if WITHOUT_PAUSES.contains(&result.tool.as_str()) {
        return None;
    }
    let window = result.whole.window.as_ref()?;
    let does_something = result.whole.bytes.is_some() || result.whole.operations.is_some();
    let is_short = does_something && window.most() < TICKS_MIN * TICK_S;
    let severity = if window.most() < TICK_S { Severity::Warning } else { Severity::Note };
    is_short.then(|| {
        Finding::new(FindingKind::Validity, CHECK.code, severity)
            .arg("how", "run")
            .arg("printed", window.text.as_str())
            .because(line(window))
    })
}

fn line(printed: &PrintedValue) -> Evidence {
    Evidence::maybe_at("short-time", None).arg("line", printed.line).arg("printed", printed.text.as_str())
}

#[cfg(test)]
mod tests {
    use model::{ToolOutput, Unit, Value};

    use super::*;
    use crate::check::fixture;

    #[test]
    fn a_run_of_a_few_ticks_is_no_measurement() {
        let dd = |end: &str| {
            format!("64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, {end}\n")
        };
        let found = fixture::found(&CHECK, &dd("0.039679 s, 1.7 GB/s"));
        assert_eq!(found.first().and_then(|finding| finding.args.get("how")), Some(&Value::from("run")));
        assert_eq!(fixture::found(&CHECK, &dd("1.00000 s, 67.1 MB/s")).len(), 0);
    }

    #[test]
    fn regression_the_sum_of_a_few_requests_was_taken_for_the_run() {
        let ioping = "--- /x (ext4 /dev/dm-0 100.0 GiB) ioping statistics ---\n\
                      9 requests completed in 3.00 ms, 36 KiB read, 3.00 k iops, 11.7 MiB/s\n\
                      generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s\n\
                      min/avg/max/mdev = 254.2 us / 333.3 us / 396.4 us / 46.5 us\n";
        assert_eq!(fixture::found(&CHECK, ioping).len(), 0, "it took nine seconds");
    }

    #[test]
    fn cpu_time_of_a_few_ticks_says_nothing() {
        let found = |user: f64, system: f64| {
            let time = |value: f64| PrintedValue {
                line: 7,
                text: format!("{value:.2} s"),
                value,
                unit: Unit::Seconds,
                half_step: 0.005,
                counting: None,
            };
            let mut whole = ToolMeasurement { window: Some(time(5.0)), ..ToolMeasurement::default() };
            whole.add(metric::CPU_USER_TIME, Some(time(user)));
            whole.add(metric::CPU_SYSTEM_TIME, Some(time(system)));
            let results = vec![ToolResult { tool: "time".to_owned(), whole, ..ToolResult::default() }];
            fixture::found_in(&CHECK, &ToolOutput { results, ..ToolOutput::default() }).len()
        };
        assert_eq!((found(0.0, 0.01), found(0.03, 0.09)), (1, 0));
    }
}
