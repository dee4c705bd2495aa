//! What a page costs: the time to write it, beside writing the same run as
//! JSON, and the time until a browser has drawn it, beside an empty page, the
//! browser's own start in both. Of the overview, and of a made run of 500 cases,
//! 128 CPUs and an hour of samples, in a store, where runs are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Instant;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides};
use xtask::Error;
use xtask::cargo_program;

const WRITE: &str = "seconds to read the run and write the page";
const DRAW: &str = "seconds in a browser, its start included";

/// The overview, measured once, shorter than usual.
pub(crate) const OVERVIEW: Benchmark = Benchmark {
    name: "page-overview",
    peer: "JSON; an empty page",
    needs: &["chromium"],
    figures: &[
        Figure { what: WRITE, unit: "s", goal: Goal::OursAtMost(0.1) },
        Figure { what: DRAW, unit: "s", goal: Goal::None },
    ],
    prepare: |context| {
        let run = context.scratch("overview.json");
        let words = ["run", "--duration", "300ms", "--trials", "5", "-o", &run.to_string_lossy(), "--store"];
        context.own(&[words.as_slice(), &[&*context.scratch("page.db").to_string_lossy()]].concat())?;
        Pages::of(context, vec![run.to_string_lossy().into_owned()])
    },
};

/// A run as long as they get.
pub(crate) const LONG: Benchmark = Benchmark {
    name: "page-long",
    peer: "JSON; an empty page",
    needs: &["chromium"],
    figures: &[
        Figure { what: WRITE, unit: "s", goal: Goal::OursAtMost(0.5) },
        Figure { what: DRAW, unit: "s", goal: Goal::OursAtMost(2.0) },
    ],
    prepare: |context| {
        let folder = context.scratch("runs");
        example("report", "long_run", &[&folder])?;
        let store = context.scratch("long.db");
        example("store", "keep_document", &[&store, &folder.join("long.json")])?;
        let words = ["last", "--store", &store.to_string_lossy()];
        Pages::of(context, words.map(str::to_owned).to_vec())
    },
};

/// Runs an example of a crate.
fn example(package: &str, name: &str, words: &[&Path]) -> Result<(), Error> {
    let mut cargo = Process::new(cargo_program());
    cargo.args(["run", "--release", "--package", package, "--example", name, "--"]).args(words);
    match cargo.current_dir(xtask::root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Error::Bench(format!("the example {name} failed, see above"))),
        Err(e) => Err(Error::Bench(format!("cargo cannot be run: {e}"))),
    }
}

/// A run by the words that name it, its page and an empty one.
struct Pages {
    run: Vec<String>,
    page: PathBuf,
    empty: PathBuf,
}

impl Pages {
    fn of(context: &BenchContext, run: Vec<String>) -> Result<Box<dyn Sides>, Error> {
        let (page, empty) = (context.scratch("page.html"), context.scratch("empty.html"));
        fs::write(&empty, "<!doctype html><title>empty</title>").map_err(Error::file("write", &empty))?;
        Ok(Box::new(Self { run, page, empty }))
    }

    fn written(&self, context: &BenchContext, words: &[&str], file: &str) -> Result<f64, Error> {
        let began = Instant::now();
        let file = context.scratch(file);
        let run: Vec<&str> = self.run.iter().map(String::as_str).collect();
        context.own(&[words, &run, &["-o", &file.to_string_lossy()]].concat())?;
        Ok(began.elapsed().as_secs_f64())
    }
}

/// How long a browser takes from its start until it has drawn the page.
fn drawn(context: &BenchContext, page: &Path) -> Result<f64, Error> {
    let (profile, picture) = (context.scratch("profile"), context.scratch("page.png"));
    let profile = format!("--user-data-dir={}", profile.display());
    let picture = format!("--screenshot={}", picture.display());
    let address = format!("file://{}", page.display());
    let began = Instant::now();
    let fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1440,1000"];
    context.output(None, "chromium", &[fixed.as_slice(), &[&profile, &picture, &address]].concat())?;
    Ok(began.elapsed().as_secs_f64())
}

impl Sides for Pages {
    fn ours(&self, context: &BenchContext, _seed: u64) -> Result<Vec<f64>, Error> {
        Ok(vec![self.written(context, &["report"], "page.html")?, drawn(context, &self.page)?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        Ok(vec![self.written(context, &["export"], "copy.json")?, drawn(context, &self.empty)?])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(context.output(None, "chromium", &["--version"])?.trim().to_owned())
    }
}
