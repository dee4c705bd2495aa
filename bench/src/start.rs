//! How long it takes until the program has said something, beside a program that does
//! nothing (`true`): what whoever types a command waits for.

use std::process::Command as Process;
use std::time::Instant;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides};
use xtask::Error;
use xtask::cargo_program;

/// Its version.
pub(crate) const VERSION: Benchmark = Benchmark {
    name: "start-version",
    peer: "true",
    needs: &[],
    figures: &[Figure { what: "seconds for --version", unit: "s", goal: Goal::OursAtMost(0.010) }],
    prepare: |_| Ok(Box::new(Start(vec!["--version".to_owned()]))),
};

/// What it can run.
pub(crate) const WORKLOADS: Benchmark = Benchmark {
    name: "start-workloads",
    figures: &[Figure { what: "seconds for workloads", unit: "s", goal: Goal::OursAtMost(0.010) }],
    prepare: |_| Ok(Box::new(Start(vec!["workloads".to_owned()]))),
    ..VERSION
};

/// The runs that are kept.
pub(crate) const LIST: Benchmark = Benchmark {
    name: "start-list",
    figures: &[Figure { what: "seconds for list of 1,000 runs", unit: "s", goal: Goal::OursAtMost(0.050) }],
    prepare: |context| {
        let store = context.scratch("list.db").to_string_lossy().into_owned();
        keep_runs(context, &store)?;
        Ok(Box::new(Start(vec!["list".to_owned(), "--store".to_owned(), store])))
    },
    ..VERSION
};

const RUNS: &str = "1000";

/// One short run, kept so often under other names.
fn keep_runs(context: &BenchContext, store: &str) -> Result<(), Error> {
    context.own(&["run", "null", "--duration", "100ms", "--trials", "3", "--store", store])?;
    let mut cargo = Process::new(cargo_program());
    cargo.args(["run", "--release", "--package", "store", "--example", "many_runs", "--", store, RUNS]);
    match cargo.current_dir(xtask::root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Error::Bench("the runs could not be kept, see above".to_owned())),
        Err(e) => Err(Error::Bench(format!("cargo cannot be run: {e}"))),
    }
}

struct Start(Vec<String>);

impl Sides for Start {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        let words: Vec<&str> = self.0.iter().map(String::as_str).collect();
        let began = Instant::now();
        context.own(&words)?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let began = Instant::now();
        context.output(None, "true", &[])?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    fn version(&self, _: &BenchContext) -> Result<String, Error> {
        Ok("true".to_owned())
    }
}
