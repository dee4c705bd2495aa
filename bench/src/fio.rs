//! fio as a peer: its common arguments and its JSON.
//!
//! fio starts its counts of operations, time and CPU anew when its ramp time is
//! over (`reset_all_stats` in its `libfio.c`), so all figures here are of the
//! same window.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::context::{BenchContext, WARM_UP};
use xtask::Error;

/// A sampled user time below this is taken for this. Most kernels sample it by
/// a tick of 4 ms: a short run with little user time may meet none, and 0 has
/// no ratio. Both sides get the same, which moves a ratio towards 1.
pub(crate) const HALF_A_TICK_S: f64 = 0.002;

/// What one job of fio, reading only, tells.
#[derive(Debug, PartialEq)]
pub(crate) struct Reads {
    /// Reads per second.
    pub(crate) iops: f64,
    /// All of them, without those of the ramp time.
    pub(crate) count: f64,
    /// CPU time in user mode for each read.
    pub(crate) user_s: f64,
    /// All CPU time for each read.
    pub(crate) cpu_s: f64,
    /// 99 % of the reads took at most so long from being handed over to being
    /// seen; absent where it was not asked for.
    pub(crate) handed_p99_s: Option<f64>,
    /// The same from their start.
    pub(crate) total_p99_s: Option<f64>,
}

/// Runs fio with these arguments: random reads of 4 KiB for the site's time.
pub(crate) fn run(context: &BenchContext, cpu: Option<u32>, arguments: &[&str]) -> Result<Reads, Error> {
    let (runtime, ramp) = (format!("--runtime={}", context.seconds), format!("--ramp_time={WARM_UP}"));
    let reads =
        ["--rw=randread", "--bs=4k", "--norandommap=1", "--randrepeat=0", "--time_based", &runtime, &ramp];
    run_to_end(context, cpu, &[&reads, arguments].concat())
}

/// Runs fio with these arguments, which say what it reads and what ends it.
pub(crate) fn run_to_end(
    context: &BenchContext,
    cpu: Option<u32>,
    arguments: &[&str],
) -> Result<Reads, Error> {
    let common = [
        "--name=bench",
        "--output-format=json",
        "--readonly",
        // Histograms of the time from start to end and from handed over to seen.
        "--clat_percentiles=1",
        "--lat_percentiles=1",
    ];
    read(&context.output(cpu, "fio", &[&common, arguments].concat())?)
}

/// `fio 3.33`.
pub(crate) fn version(context: &BenchContext) -> Result<String, Error> {
    Ok(context.output(None, "fio", &["--version"])?.trim().replacen('-', " ", 1))
}

/// The parts of fio's answer that are used.
#[derive(Deserialize)]
struct Answer {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    error: i32,
    /// Milliseconds.
    job_runtime: f64,
    /// Percent of the runtime.
    usr_cpu: f64,
    sys_cpu: f64,
    read: Direction,
}

#[derive(Deserialize)]
struct Direction {
    iops: f64,
    total_ios: f64,
    clat_ns: Option<Times>,
    lat_ns: Option<Times>,
}

#[derive(Deserialize)]
struct Times {
    #[serde(default)]
    percentile: BTreeMap<String, f64>,
}

impl Times {
    fn p99_s(&self) -> Option<f64> {
        self.percentile.get("99.000000").map(|ns| ns / 1e9)
    }
}

/// The one job in fio's JSON, before which notes may stand.
fn read(text: &str) -> Result<Reads, Error> {
    let unusable = |why: String| Error::Bench(format!("the answer of fio {why}"));
    let json = text.find('{').map_or(text, |start| &text[start..]);
    let answer: Answer = serde_json::from_str(json).map_err(|e| unusable(format!("cannot be read: {e}")))?;
    let [job] = answer.jobs.as_slice() else {
        return Err(unusable(format!("has {} jobs instead of one", answer.jobs.len())));
    };
    if job.error != 0 || job.read.total_ios < 1.0 {
        return Err(unusable(format!("has error {} and {} reads", job.error, job.read.total_ios)));
    }
    let seconds = |percent: f64| percent / 100.0 * job.job_runtime / 1000.0;
    Ok(Reads {
        iops: job.read.iops,
        count: job.read.total_ios,
        user_s: seconds(job.usr_cpu).max(HALF_A_TICK_S) / job.read.total_ios,
        cpu_s: seconds(job.usr_cpu + job.sys_cpu) / job.read.total_ios,
        handed_p99_s: job.read.clat_ns.as_ref().and_then(Times::p99_s),
        total_p99_s: job.read.lat_ns.as_ref().and_then(Times::p99_s),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By fio 3.33 (`--ioengine=io_uring --iodepth=1 --runtime=1`), shortened.
    const CAPTURE: &str = r#"fio: a note that fio may print first
{
  "fio version" : "fio-3.33",
  "timestamp" : 1795206391,
  "jobs" : [
    {
      "jobname" : "x",
      "error" : 0,
      "elapsed" : 2,
      "job options" : { "iodepth" : "1", "runtime" : "1", "ramp_time" : "300ms" },
      "read" : {
        "io_bytes" : 72601600,
        "iops" : 17707.292707,
        "runtime" : 1001,
        "total_ios" : 17725
      },
      "write" : { "iops" : 0.000000, "total_ios" : 0 },
      "job_runtime" : 1000,
      "usr_cpu" : 1.700000,
      "sys_cpu" : 37.900000,
      "ctx" : 17725
    }
  ]
}
"#;

    #[test]
    fn a_real_answer_is_read() {
        let reads = read(CAPTURE).unwrap();
        assert_eq!((reads.iops, reads.count), (17_707.292_707, 17_725.0));
        // 1.7 % of 1 s over 17,725 reads; all CPU time is 39.6 %.
        assert!((reads.user_s - 0.959e-6).abs() < 0.001e-6, "{reads:?}");
        assert!((reads.cpu_s - 22.341e-6).abs() < 0.001e-6, "{reads:?}");
    }

    #[test]
    fn no_user_time_counts_as_half_a_tick() {
        let reads = read(&CAPTURE.replace(r#""usr_cpu" : 1.7"#, r#""usr_cpu" : 0.0"#)).unwrap();
        assert!((reads.user_s - 0.002 / 17_725.0).abs() < 1e-12, "{reads:?}");
    }

    #[test]
    fn an_answer_that_says_nothing_is_refused() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(error("fio: job failed").starts_with("the answer of fio cannot be read"));
        assert!(error(r#"{"jobs": []}"#).ends_with("has 0 jobs instead of one"));
        let failed = CAPTURE.replace(r#""error" : 0"#, r#""error" : 5"#);
        assert!(error(&failed).contains("error 5"));
        let nothing = CAPTURE.replace(r#""total_ios" : 17725"#, r#""total_ios" : 0"#);
        assert!(error(&nothing).ends_with("0 reads"));
    }
}
