//! A run that ended when so much was done, not when its time was over.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolPartKind, ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity};

use crate::check::work::{asked_seconds, ends_by_amount, option, parts};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// A run that ends before this share of its time did not end by time.
const EARLY: f64 = 0.97;

/// Parts that end within this share of one another end together.
const TOGETHER: f64 = 0.1;

/// A run of this many seconds is long enough, whatever ends it.
const LONG_S: f64 = 30.0;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "ended-by-size",
    doc: "The run ended when so much was done: before the time that was asked for, with parts that ended one after the \
          other, or after a few seconds.",
    english: r#"
finding-ended-by-size =
    { $how ->
        [early] it was to run { SHORT($asked, unit: "s") }, but ended after { $lasted }: all its bytes or operations were done,
            or it failed
        [parts] its parts ended one after the other, the first after { $below }, the last after { $lasted }: towards the
            end fewer shared the machine, so the rates are not those of all together
       *[amount] it ended after { $lasted }, when its amount was done: a faster machine is measured for a shorter time,
            and a short run shows only the start
    }
    .advice = run for a time instead, the same for all

evidence-end-line =
    line { $line }: { $printed }
"#,
    remedies: &[ToolRemedy::RunFor(60)],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let window = result.whole.window.as_ref();
    let early = window.and_then(|window| ended_early(result, window));
    let amount = || window.and_then(|window| ended_by_amount(result, window));
    early.or_else(|| ended_apart(result)).or_else(amount).into_iter().collect()
}

fn ended_early(result: &ToolResult, window: &PrintedValue) -> Option<Finding> {
    // What fio prints on the way is of a run that goes on.
    if option(result, &["status-interval"]).is_some() {
        return None;
    }
    let asked = asked_seconds(result).filter(|asked| *asked > 0.0)?;
    let is_below = |window: &PrintedValue| window.most() < asked * EARLY;
    // What arrived may be counted for a shorter time than what was sent.
    let directions = parts(result, ToolPartKind::Direction);
    let mut others = directions.iter().filter_map(|part| part.measured.window.as_ref());
    let is_early = window.value > 0.0 && is_below(window) && others.all(is_below);
    is_early.then(|| finding("early", Severity::Warning, window).arg("asked", asked))
}

/// Of parts that began together.
fn ended_apart(result: &ToolResult) -> Option<Finding> {
    let kinds = [ToolPartKind::Job, ToolPartKind::Thread, ToolPartKind::Target, ToolPartKind::Stream];
    kinds.into_iter().find_map(|kind| {
        let windows = parts(result, kind)
            .iter()
            .map(|part| part.measured.window.as_ref())
            .collect::<Option<Vec<_>>>()?;
        let by_time = |a: &&PrintedValue, b: &&PrintedValue| a.value.total_cmp(&b.value);
        let (first, last) =
            (windows.iter().copied().min_by(by_time)?, windows.iter().copied().max_by(by_time)?);
        let is_apart = last.least() > first.most() * (1.0 + TOGETHER);
        is_apart.then(|| {
            finding("parts", Severity::Warning, last).arg("below", first.text.as_str()).because(line(first))
        })
    })
}

fn ended_by_amount(result: &ToolResult, window: &PrintedValue) -> Option<Finding> {
    let is_short = ends_by_amount(result) && window.value < LONG_S;
    is_short.then(|| finding("amount", Severity::Note, window))
}

fn finding(how: &str, severity: Severity, window: &PrintedValue) -> Finding {
    Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("how", how)
        .arg("lasted", window.text.as_str())
        .because(line(window))
}

fn line(printed: &PrintedValue) -> Evidence {
    Evidence::maybe_at("end-line", None).arg("line", printed.line).arg("printed", printed.text.as_str())
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn said(text: &str) -> Option<Value> {
        fixture::found(&CHECK, text).first().and_then(|finding| finding.args.get("how")).cloned()
    }

    fn fio(options: &str, window_ms: u32) -> String {
        format!(
            "$ fio --name=x --rw=randread --bs=4k --filename=/data/f {options}\n\
             fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(1024MiB/{window_ms}msec)\n"
        )
    }

    #[test]
    fn what_ends_before_its_time_ended_by_something_else() {
        assert_eq!(said(&fio("--size=2G --runtime=180", 109_800)), Some(Value::from("early")));
        assert_eq!(said(&fio("--size=2G --runtime=180 --time_based", 180_001)), None);
        assert_eq!(said(&fio("--size=2G --runtime=180 --status-interval=60", 60_001)), None, "it goes on");
    }

    #[test]
    fn what_was_sent_for_the_whole_time_did_not_end_early() {
        let iperf3 = |sent: &str| {
            format!(
                "$ iperf3 -c 10.0.0.2 -t 60\n\
                 Connecting to host 10.0.0.2, port 5201\n\
                 [  5] local 10.0.0.1 port 48176 connected to 10.0.0.2 port 5201\n\
                 [ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n\
                 [  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec    0    148 KBytes\n\
                 - - - - - - - - - - - - - - - - - - - - - - - - -\n\
                 [ ID] Interval           Transfer     Bitrate         Retr\n\
                 [  5]   0.00-{sent}  sec   533 MBytes  74.5 Mbits/sec    0             sender\n\
                 [  5]   0.00-57.73  sec   528 MBytes  76.7 Mbits/sec                  receiver\n\
                 \n\
                 iperf Done.\n"
            )
        };
        assert_eq!(said(&iperf3("60.00")), None);
        assert_eq!(said(&iperf3("57.70")), Some(Value::from("early")));
    }

    #[test]
    fn an_amount_that_is_done_in_seconds_is_told() {
        assert_eq!(said(&fio("--size=1G", 5_000)), Some(Value::from("amount")));
        assert_eq!(said(&fio("--size=1G", 50_000)), None);
    }

    #[test]
    fn jobs_that_end_one_after_the_other_are_told() {
        let job = |ms: u32| {
            format!(
                "x: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
                 read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(1024MiB/{ms}msec)\n"
            )
        };
        assert_eq!(said(&format!("fio-3.33\n{}{}", job(26_000), job(31_000))), Some(Value::from("parts")));
        assert_eq!(said(&format!("fio-3.33\n{}{}", job(26_000), job(26_200))), None);
    }
}
