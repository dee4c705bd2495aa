//! Little's law (J. D. C. Little, A proof for the queuing formula L = λW, 1961): what is in flight on
//! average is the rate times the mean latency. More than may be in flight is impossible.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::work::{is_closed_loop, operation_rate, option, outstanding, parts};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// More in flight than there may be, by rounding and by what was under way at the edges.
const MORE: f64 = 1.1;

/// Less than this share of what may be in flight: the load was not always ready. Where the kernel
/// works while operations are submitted, as with buffered writes, half of them are.
const LESS: f64 = 0.4;

/// Windows that differ by less began and ended together.
const AT_ONCE: f64 = 0.9;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "latency-contradicts-rate",
    doc: "Little's law: the rate times the mean latency is what is in flight on average. It must not be more than the \
          threads and the queue depth allow, and in a closed loop not much less.",
    english: r#"
finding-latency-contradicts-rate =
    { $how ->
        [more] Little's law is broken: { SHORT($rate, unit: "1/s") } at { SHORT($latency, unit: "s") } each need
            { FIXED($in_flight, decimals: 1) } operations in flight, but at most { $depth } are allowed: the rate or the latency
            is of something else
       *[less] { SHORT($rate, unit: "1/s") } at { SHORT($latency, unit: "s") } each make { FIXED($in_flight, decimals: 1) }
            operations in flight, though { $depth } are allowed: for the rest of the time the load was not ready, or waited for
            something that this latency leaves out
    }
    .advice = measure both in the same window, and find out what the tool counts as the latency of an operation

evidence-in-flight =
    { $printed } x { $lasted } = { FIXED($in_flight, decimals: 1) }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

/// What is in flight on average, and the figures that say so.
struct InFlight<'a> {
    rate: f64,
    count: f64,
    /// What rounding may have made of it.
    least: f64,
    most: f64,
    /// The rate and the latency of each class of operations.
    figures: Vec<(&'a PrintedValue, &'a PrintedValue)>,
}

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

fn check(result: &ToolResult) -> Option<Finding> {
    // In an open loop the latency may have the time in a queue that has no bound.
    let depth = outstanding(result).filter(|_| is_closed_loop(result))?;
    let asked = depth as f64;
    let in_flight = in_flight(result)?;
    // One that begins before the window counts with all of its latency.
    let longest = result.whole.figure(metric::LATENCY_MAX).map_or(0.0, |longest| longest.value);
    let window = result.whole.window.as_ref().map_or(f64::INFINITY, |window| window.value);
    let edges = if longest > 0.0 && window > 0.0 { longest / window } else { 0.0 };
    let how = if in_flight.least > asked * (MORE + edges) {
        "more"
    } else if in_flight.most < asked * LESS && !waits_for_more(result) {
        "less"
    } else {
        return None;
    };
    let severity = if how == "more" { Severity::Error } else { Severity::Warning };
    let evidence = in_flight.figures.iter().map(|(rate, latency)| {
        Evidence::maybe_at("in-flight", None)
            .arg("printed", rate.text.as_str())
            .arg("lasted", latency.text.as_str())
            .arg("in_flight", rate.value * latency.value)
    });
    let finding = Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("how", how)
        .arg("rate", in_flight.rate)
        .arg("latency", in_flight.count / in_flight.rate)
        .arg("in_flight", in_flight.count)
        .arg("depth", depth)
        .because_all(evidence);
    Some(finding)
}

/// Of the whole where it has a mean latency, or else of its directions together.
fn in_flight(result: &ToolResult) -> Option<InFlight<'_>> {
    let figures = match pair(&result.whole) {
        Some(pair) => vec![pair],
        None => {
            let directions = parts(result, ToolPartKind::Direction);
            if !are_at_once(&directions) {
                return None;
            }
            directions.iter().map(|part| pair(&part.measured)).collect::<Option<Vec<_>>>()?
        }
    };
    let sum = |of: fn(&PrintedValue, &PrintedValue) -> f64| -> f64 {
        figures.iter().map(|(rate, latency)| of(rate, latency)).sum()
    };
    // Where syncs are operations, too, they have latencies as the others.
    let syncs = result.whole.figure(metric::SYNCS_PER_SECOND);
    let of_syncs = syncs
        .zip(result.whole.figure(metric::LATENCY_MEAN))
        .map_or(0.0, |(syncs, latency)| syncs.most() * latency.most());
    let in_flight = InFlight {
        rate: sum(|rate, _| rate.value),
        count: sum(|rate, latency| rate.value * latency.value),
        least: sum(|rate, latency| rate.least() * latency.least()),
        most: sum(|rate, latency| rate.most() * latency.most()) + of_syncs,
        figures,
    };
    (in_flight.rate > 0.0).then_some(in_flight)
}

/// Whether directions were measured in the same time: fio reads back what it verifies when all is written.
fn are_at_once(directions: &[&ToolPart]) -> bool {
    let windows = || directions.iter().filter_map(|part| part.measured.window.as_ref());
    let shortest = windows().map(PrintedValue::most).fold(f64::INFINITY, f64::min);
    windows().all(|window| window.least() * AT_ONCE <= shortest)
}

/// Whether it waits for what is in the latency of no operation: syncs, sums to be verified, its own pace.
fn waits_for_more(result: &ToolResult) -> bool {
    const OPTIONS: &[&str] = &[
        "fsync",
        "fdatasync",
        "end_fsync",
        "fsync_on_close",
        "sync_file_range",
        "write_barrier",
        "verify",
        "latency_target",
    ];
    let is_on =
        |name: &str| option(result, &[name]).is_some_and(|value| !["0", "none", "off"].contains(&value));
    // Before 1.0 the fsyncs of sysbench are in the time of no event.
    let is_early =
        result.tool == "sysbench" && result.version.as_ref().is_some_and(|version| version.starts_with("0."));
    let syncs = ["file-fsync-freq", "file-fsync-all"];
    OPTIONS.iter().any(|name| is_on(name)) || is_early && syncs.iter().any(|name| is_on(name))
}

fn pair(measured: &ToolMeasurement) -> Option<(&PrintedValue, &PrintedValue)> {
    let (_, rate) = operation_rate(measured)?;
    Some((rate, measured.figure(metric::LATENCY_MEAN)?))
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn fio(depth: u32, mean: &str) -> String {
        format!(
            "x: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth={depth}\n\
             fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(391MiB/10000msec)\n     \
             lat (usec): min=38, max=9000, avg={mean}, stdev=10.00\n"
        )
    }

    #[test]
    fn the_rate_times_the_latency_is_what_is_in_flight() {
        for (depth, mean, how) in [
            (32, "3200.00", None),
            (32, "3199.00", None),
            (8, "3200.00", Some("more")),
            (64, "400.00", Some("less")),
        ] {
            let found = fixture::found(&CHECK, &fio(depth, mean));
            let said = found.first().and_then(|finding| finding.args.get("how"));
            assert_eq!(said, how.map(Value::from).as_ref(), "{depth} {mean}");
        }
    }

    #[test]
    fn without_the_depth_nothing_follows() {
        let text = fio(8, "3200.00");
        let (_, without) = text.split_once('\n').unwrap();
        assert_eq!(fixture::found(&CHECK, without).len(), 0);
    }

    #[test]
    fn what_waits_for_syncs_or_verifies_at_the_end_is_no_contradiction() {
        for (syncs, count) in [("--fsync=1", 0), ("--fsync=0 --end_fsync=1", 0), ("--fsync=0", 1)] {
            let command =
                format!("$ fio --name=x --rw=write {syncs} --ioengine=libaio --iodepth=64 --bs=4k\n");
            let found = fixture::found(&CHECK, &format!("{command}{}", fio(64, "400.00")));
            assert_eq!(found.len(), count, "{syncs}");
        }
        let verified = include_str!("../../../../import/tests/tool/fixtures/fio/fio-3.33-verify.out");
        assert_eq!(fixture::found(&CHECK, verified).len(), 0);
    }

    #[test]
    fn the_clients_of_pgbench_wait_for_their_transactions() {
        let report = |mean: &str, lag: &str| {
            format!(
                "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\nquery mode: simple\nnumber of clients: 10\n\
                 number of threads: 2\nduration: 60 s\nnumber of transactions actually processed: 60000\n\
                 latency average = {mean} ms\n{lag}tps = 1000.330000 (without initial connection time)\n"
            )
        };
        let lag = "rate limit schedule lag: avg 0.372 (max 12.612) ms\n";
        assert_eq!(fixture::found(&CHECK, &report("10.000", "")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &report("100.000", "")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &report("1.000", "")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &report("1.000", lag)).len(), 0, "it is held to a rate");
    }

    #[test]
    fn regression_fsyncs_of_early_versions_of_sysbench_were_no_wait() {
        let run = |syncs: &str| {
            format!(
                "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\nRunning the test with following options:\n\
                 Number of threads: 4\n\nExtra file open flags: 0\n128 files, 16Mb each\n2Gb total file size\nBlock size 16Kb\n\
                 {syncs}Using synchronous I/O mode\nDoing random r/w test\nThreads started!\nDone.\n\n\
                 Operations performed:  6000 Read, 4000 Write, 12800 Other = 22800 Total\n\
                 Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (32.12Mb/sec)\n 2055.68 Requests/sec executed\n\n\
                 Test execution summary:\n    total time:                          4.8646s\n    total number of events:    \
                           10000\n    total time taken by event execution: 2.5112\n    per-request statistics:\n         \
                 min:                                  0.01ms\n         avg:                                  0.25ms\n         \
                 max:                                 25.31ms\n"
            )
        };
        let periodic = "Periodic FSYNC enabled, calling fsync() each 100 requests.\n";
        assert_eq!(fixture::found(&CHECK, &run(periodic)).len(), 0);
        assert_eq!(fixture::found(&CHECK, &run("")).len(), 1);
    }

    #[test]
    fn the_queues_of_crystaldiskmark_count() {
        let writes = |latency: &str| {
            format!(
                "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n\n[Write]\n  \
                 RND    4KiB (Q= 32, T= 1):   500.000 MB/s [ 122070.3 IOPS] <   {latency} us>\n"
            )
        };
        assert_eq!(fixture::found(&CHECK, &writes("261.00")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &writes("2610.00")).len(), 1);
    }
}
