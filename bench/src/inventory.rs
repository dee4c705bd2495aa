//! How long it takes to say what the machine is made of, beside lshw, which
//! reads much of the same.

use std::time::Instant;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides};
use xtask::Error;

/// The benchmark.
pub(crate) const INVENTORY: Benchmark = Benchmark {
    name: "inventory",
    peer: "lshw",
    needs: &["lshw"],
    figures: &[Figure { what: "seconds for the whole inventory", unit: "s", goal: Goal::OursAtMost(0.3) }],
    prepare: |_| Ok(Box::new(Inventory)),
};

struct Inventory;

impl Sides for Inventory {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        let began = Instant::now();
        context.own(&["machine", "--json"])?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let began = Instant::now();
        context.output(None, "lshw", &["-json", "-quiet"])?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    /// It prints none of its own.
    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let package = context.output(None, "dpkg-query", &["--show", "--showformat=${Version}", "lshw"]);
        match package {
            Err(Error::Interrupted) => Err(Error::Interrupted),
            package => Ok(format!("lshw {}", package.unwrap_or_default().trim()).trim().to_owned()),
        }
    }
}
