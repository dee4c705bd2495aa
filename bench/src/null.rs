//! What the engines cost by themselves: `null` against fio's null engine, both
//! with their histograms. The goal is a floor of our own, far above what any
//! device here can take; the peer stands beside it.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, fio, place};
use xtask::Error;

/// The benchmark.
pub(crate) const NULL: Benchmark = Benchmark {
    name: "null",
    peer: "fio",
    needs: &["fio", "taskset"],
    figures: &[Figure { what: "operations/s that do nothing", unit: "1/s", goal: Goal::OursAtLeast(10e6) }],
    prepare: |_| Ok(Box::new(Null { cpu: place::last()? })),
};

struct Null {
    cpu: u32,
}

impl Sides for Null {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let metrics = context.headroom(Some(self.cpu), &["null"], seed)?;
        Ok(vec![metrics.get("operations_per_second")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        Ok(vec![fio::run(context, Some(self.cpu), &["--ioengine=null", "--size=1g"])?.iops])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        fio::version(context)
    }
}
