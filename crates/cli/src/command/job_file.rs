//! A job file of fio as a study: what it may refer to on this machine.

use std::io::{Error, ErrorKind};
use std::path::Path;

use clap::ArgMatches;
use import::fio::{JobFileAccess, from_fio};
use machine::file::{self, Bounds};
use model::Study;
use model::workload::Catalogue;

use super::run_study::{stem, study_text};
use crate::exit::Failure;

/// The largest file that is included.
const INCLUDED_BYTES_MAX: u64 = 1 << 20;

/// The study that the job file at `path` asks for.
pub(super) fn read(path: &Path, matches: &ArgMatches, catalogue: &Catalogue) -> Result<Study, Failure> {
    let text = study_text(path)?;
    let sections: Vec<String> = matches.get_many("section").into_iter().flatten().cloned().collect();
    let outside = JobFileAccess {
        variable: &|name| std::env::var(name).ok(),
        file: &included,
        words: words(),
        sections: &sections,
    };
    Ok(from_fio(catalogue, &stem(path), &path.display().to_string(), &text, &outside)?)
}

fn included(path: &Path) -> Result<String, Error> {
    let bytes = file::read(path, Bounds::of_file(INCLUDED_BYTES_MAX))?;
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

/// fio's words for this machine.
fn words() -> Vec<(&'static str, u64)> {
    let memory = rustix::system::sysinfo();
    let bytes = u128::from(memory.totalram) * u128::from(memory.mem_unit);
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    vec![
        ("$pagesize", rustix::param::page_size() as u64),
        ("$mb_memory", (bytes >> 20) as u64),
        ("$ncpus", cpus),
    ]
}
