//! A job file of fio as a study: what it may refer to on this machine.

use std::io::{Error, ErrorKind};
use std::path::Path;

use clap::ArgMatches;
use model::Study;
use model::workload::Catalogue;
use study::read::fio::{Outside, from_fio};

use super::run::{stem, study_text};
use crate::exit::Failure;

/// The largest file that is included.
const INCLUDED_BYTES_MAX: u64 = 1 << 20;

/// The study that the job file at `path` asks for.
pub(super) fn read(path: &Path, matches: &ArgMatches, catalogue: &Catalogue) -> Result<Study, Failure> {
    let text = study_text(path)?;
    let sections: Vec<String> = matches.get_many("section").into_iter().flatten().cloned().collect();
    let outside = Outside {
        variable: &|name| std::env::var(name).ok(),
        file: &included,
        words: words(),
        sections: &sections,
    };
    Ok(from_fio(catalogue, &stem(path), &path.display().to_string(), &text, &outside)?)
}

fn included(path: &Path) -> Result<String, Error> {
    let metadata = path.metadata()?;
    if !metadata.is_file() || metadata.len() > INCLUDED_BYTES_MAX {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file, or too large for one of options"));
    }
    std::fs::read_to_string(path)
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
