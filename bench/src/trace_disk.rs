//! What `headroom trace` costs where the device is the limit: fio reads 4 KiB at a time from one file
//! on this disk, 32 at once, with a trace of the disk beside it and without. The reads have the CPU that
//! takes the disk's interrupts; the trace goes where the kernel puts it.

use std::path::PathBuf;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::tracer::Tracer;
use crate::{Benchmark, Sides, disk, fio, place};
use xtask::Error;

/// The benchmark.
pub(crate) const COST: Benchmark = Benchmark {
    name: "trace-cost-disk",
    peer: "no trace",
    needs: &["fio", "taskset"],
    figures: &[Figure { what: "4k random reads/s, traced", unit: "1/s", goal: Goal::LowAtLeast(0.97) }],
    prepare: |context| {
        let file = disk::file(context)?;
        let cpu = place::of_disk_under(&file)?;
        Ok(Box::new(TracedDisk { file, cpu }))
    },
};

const DEPTH: u16 = 32;

struct TracedDisk {
    file: PathBuf,
    cpu: u32,
}

impl TracedDisk {
    fn run(&self, context: &BenchContext) -> Result<fio::Reads, Error> {
        let file = format!("--filename={}", self.file.display());
        let ring = disk::ring_of_fio(DEPTH);
        let words = ring.iter().map(String::as_str).chain([file.as_str(), "--direct=1"]);
        fio::run(context, Some(self.cpu), &words.collect::<Vec<_>>())
    }
}

impl Sides for TracedDisk {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        // The disk below the folder is meant.
        let folder = context.scratch("");
        let (reads, counts) = Tracer::Headroom.around(context, &folder, || self.run(context))?;
        counts.require(reads.count)?;
        Ok(vec![reads.iops])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        Ok(vec![self.run(context)?.iops])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        fio::version(context)
    }
}
