//! How long it takes to say what a trace of 5 million events means: `headroom trace` of blktrace's
//! files, against blkparse, which puts the files of all CPUs in order, and btt, which analyses what that wrote.
//! The files are made by an example of the crate `trace`, and are in the page cache. Times are of whole
//! programs; of memory, that of the larger of the two programs counts. Both sides must have seen every
//! event.

use std::fs::{self, File};
use std::path::PathBuf;

use serde_json::Value;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::process_cost::ProcessCost;
use crate::{Benchmark, Sides, example, random_file};
use xtask::Error;

/// The benchmark.
pub(crate) const ANALYSIS: Benchmark = Benchmark {
    name: "trace-analysis",
    peer: "blkparse and btt",
    needs: &["blkparse"],
    figures: &[
        Figure { what: "seconds for 5 million events", unit: "s", goal: Goal::HighAtMost(0.1) },
        Figure { what: "most memory for 5 million events", unit: "B", goal: Goal::OursAtMost(200e6) },
    ],
    prepare,
};

const EVENTS: u64 = 5_000_000;
/// Each request is queued, allocated, inserted, issued and completed.
const REQUESTS: u64 = EVENTS / 5;

/// The files have 240 MB, and what blkparse makes of them has as much.
const ROOM: u64 = 1 << 30;

/// The files, by what their names have in common.
struct TraceFiles {
    stem: PathBuf,
}

fn prepare(context: &BenchContext) -> Result<Box<dyn Sides>, Error> {
    let program = example::build(context, "trace", "trace_analysis")?;
    let folder = context.scratch("trace");
    fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    let open = File::open(&folder).map_err(Error::file("open", &folder))?;
    random_file::require_room(&open, &folder, ROOM)?;
    let (events, name) = (EVENTS.to_string(), folder.to_string_lossy());
    context.output(None, &program.to_string_lossy(), &[events.as_str(), &*name])?;
    // So that nothing is written to the disk meanwhile.
    for entry in fs::read_dir(&folder).map_err(Error::file("read", &folder))? {
        let path = entry.map_err(Error::file("read", &folder))?.path();
        File::open(&path).and_then(|file| file.sync_all()).map_err(Error::file("sync", &path))?;
    }
    Ok(Box::new(TraceFiles { stem: folder.join("trace") }))
}

impl Sides for TraceFiles {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        let (program, file) =
            (context.program().to_string_lossy(), format!("{}.blktrace.0", self.stem.display()));
        let cost = ProcessCost::of(context, None, &program, &["trace", &file, "--json"])?;
        let unusable =
            |e: serde_json::Error| Error::Bench(format!("the analysis of headroom is not JSON: {e}"));
        let figures: Value = serde_json::from_str(&cost.text).map_err(unusable)?;
        require("headroom", figures["block_events"].as_u64(), EVENTS)?;
        Ok(vec![cost.wall_s, cost.resident_bytes as f64])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (stem, sorted) = (self.stem.to_string_lossy(), format!("{}.bin", self.stem.display()));
        let parsed = ProcessCost::of(context, None, "blkparse", &["-q", "-i", &stem, "-d", &sorted, "-O"])?;
        let analysed = ProcessCost::of(context, None, "btt", &["-i", &sorted])?;
        // What is not on the disk yet need not go there.
        fs::remove_file(&sorted).map_err(Error::file("remove", sorted.as_ref()))?;
        require("btt", completed(&analysed.text), REQUESTS)?;
        let resident_bytes = parsed.resident_bytes.max(analysed.resident_bytes);
        Ok(vec![parsed.wall_s + analysed.wall_s, resident_bytes as f64])
    }

    /// `blkparse 1.2.0, btt 2.09`.
    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let of = |program: &str| context.output(None, "sh", &["-c", r#""$0" -V 2>&1"#, program]);
        let both = format!("{}, {}", of("blkparse")?.trim(), of("btt")?.trim());
        Ok(both.replace(" version", ""))
    }
}

/// How many requests btt saw at the device: the last column of its first line of that phase.
fn completed(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("D2C "))?;
    line.split_whitespace().last()?.parse().ok()
}

/// That nothing was missed: what is fast because it does less is no result.
fn require(who: &str, seen: Option<u64>, all: u64) -> Result<(), Error> {
    if seen == Some(all) {
        return Ok(());
    }
    let seen = seen.map_or("no number".to_owned(), |seen| seen.to_string());
    Err(Error::Bench(format!("{who} saw {seen} of {all}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By btt 2.09, shortened.
    const CAPTURE: &str = "==================== All Devices ====================\n\n            \
        ALL           MIN           AVG           MAX           N\n\
        --------------- ------------- ------------- ------------- -----------\n\n\
        I2D               0.000000800   0.000000800   0.000000800      100000\n\
        D2C               0.000007500   0.000317459   0.003427500      100000\n\
        Q2C               0.000009000   0.000318959   0.003429000      100000\n\n\
        ==================== Device Overhead ====================\n\n\
               DEV |       Q2G       G2I       Q2M       I2D       D2C\n";

    #[test]
    fn what_btt_saw_is_read_and_less_is_refused() {
        assert_eq!(completed(CAPTURE), Some(100_000));
        assert_eq!(completed(""), None);
        require("btt", completed(CAPTURE), 100_000).unwrap();
        let error = require("btt", completed(CAPTURE), 100_001).unwrap_err();
        assert_eq!(error.to_string(), "btt saw 100000 of 100001");
        require("btt", None, 1).unwrap_err();
    }
}
