//! Examples of other crates that do a part of a benchmark: this program itself is not optimised.

use std::path::PathBuf;
use std::process::Command as Process;

use crate::context::BenchContext;
use xtask::Error;
use xtask::cargo_program;

/// Builds the example `name` of the crate `package`; where it is.
pub(crate) fn build(context: &BenchContext, package: &str, name: &str) -> Result<PathBuf, Error> {
    let mut cargo = Process::new(cargo_program());
    cargo.args(["build", "--release", "--package", package, "--example", name]);
    match cargo.current_dir(xtask::root()).status() {
        Ok(status) if status.success() => Ok(context.target().join("release/examples").join(name)),
        Ok(_) => Err(Error::Bench(format!("the example {name} could not be built, see above"))),
        Err(e) => Err(Error::Bench(format!("cargo cannot be run: {e}"))),
    }
}
