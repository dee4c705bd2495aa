//! How long it takes to say what the machine is made of, beside lshw, which
//! reads much of the same.

use std::time::Instant;

use crate::judge::{Figure, Goal};
use crate::site::Site;
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
    fn ours(&self, site: &Site, _seed: u64) -> Result<Vec<f64>, Error> {
        let began = Instant::now();
        site.own(&["machine", "--json"])?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    fn peer(&self, site: &Site) -> Result<Vec<f64>, Error> {
        let began = Instant::now();
        site.output(None, "lshw", &["-json", "-quiet"])?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    /// It prints none of its own.
    fn version(&self, site: &Site) -> Result<String, Error> {
        let package = site.output(None, "dpkg-query", &["--show", "--showformat=${Version}", "lshw"]);
        match package {
            Err(Error::Interrupted) => Err(Error::Interrupted),
            package => Ok(format!("lshw {}", package.unwrap_or_default().trim()).trim().to_owned()),
        }
    }
}
