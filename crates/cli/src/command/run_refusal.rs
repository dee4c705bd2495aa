//! What must not be measured here, though it could be: what would destroy the store of runs, leave no room for it, or
//! change what everything on this machine uses.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use clap::ArgMatches;
use model::plan::FixtureKey;
use model::{Plan, Study};

use super::{restore, store_path};
use crate::exit::Failure;

/// Refuses a run that must not be measured here.
pub(super) fn refuse(matches: &ArgMatches, study: &Study, plan: &Plan) -> Result<(), Failure> {
    refuse_own_store(matches, study)?;
    refuse_filling_store(matches, plan)?;
    restore::refuse_loopback(plan)
}

/// A run must not overwrite the store that it is kept in.
fn refuse_own_store(matches: &ArgMatches, study: &Study) -> Result<(), Failure> {
    let identity = |path: &Path| path.metadata().ok().map(|m| (m.dev(), m.ino()));
    let Some(store) = store_path(matches) else { return Ok(()) };
    let files = ["", "-journal", "-wal", "-shm"].map(|end| {
        let mut name = store.clone().into_os_string();
        name.push(end);
        identity(Path::new(&name))
    });
    match study.controls.destroy.iter().find(|path| {
        let given = identity(Path::new(path));
        given.is_some() && files.contains(&given)
    }) {
        Some(path) => Err(Failure::refused(
            format!("{path} is the store in which this run would be kept"),
            "name another file, or another --store",
        )),
        None => Ok(()),
    }
}

/// A run that fills a file system must not take the room that it needs to be
/// kept in.
fn refuse_filling_store(matches: &ArgMatches, plan: &Plan) -> Result<(), Failure> {
    let device = |path: &Path| path.ancestors().find_map(|p| p.metadata().ok()).map(|m| m.dev());
    let Some(store) = store_path(matches).and_then(|path| std::path::absolute(path).ok()) else {
        return Ok(());
    };
    // One that a size ends is smaller than what is free.
    let unbounded = |fixture: &&FixtureKey| {
        let room = rustix::fs::statvfs(fixture.target.as_str());
        fixture.used_up && room.is_ok_and(|s| fixture.bytes >= s.f_bavail.saturating_mul(s.f_frsize))
    };
    let fixtures = plan.cases.iter().flat_map(|case| &case.fixtures);
    match fixtures.filter(unbounded).find(|f| device(Path::new(&f.target)) == device(&store)) {
        Some(fixture) => Err(Failure::refused(
            format!("the file system of {} must not be filled: it holds the store", fixture.target),
            "give a folder on another file system, another --store, or a size at which to end",
        )),
        None => Ok(()),
    }
}
