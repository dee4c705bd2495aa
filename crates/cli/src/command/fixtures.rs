//! `headroom fixtures`: what loads keep for later runs, and its removal. What is shown and removed stands in the list
//! that runs keep of it; a file is removed only where it bears the mark of what is in it, or nobody has written to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, ArgMatches, Command};
use load::workload::db::left::{KeptData, kept_for_later};
use load::workload::db::left_restore::remove_kept_file;
use load::workload::disk::kept::{kept_disk_files, remove_kept_disk_file};
use machine::setting::state_folder;
use report::text::printable;

use super::help::examples;
use super::option;
use crate::exit::{Failure, TRIAL_FAILED};
use crate::output;

/// What is said where nothing is kept.
const NONE_KEPT: &str =
    "No data is kept for later runs.\n`headroom run disk --keep-data yes` keeps its file for the next one.\n";

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "fixtures",
            "fixtures --remove /data/headroom_kept_0123456789abcdef.db",
            "fixtures --remove /data/one.db --remove /data/other.db",
        ]))
        .about("List the data that loads keep for later runs (--keep-data) and that no run uses, or remove it")
        .after_help(
            "All other data that a run makes is removed when the run ends. `headroom restore --kept` removes all kept \
             files, and with --url the databases kept at a server, for which a password may be needed.",
        )
        .arg(
            option("remove", "PATH")
                .action(ArgAction::Append)
                .help("Remove this kept file; may be given several times"),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let state = state_folder();
    let named: Vec<&String> = matches.get_many("remove").into_iter().flatten().collect();
    if !named.is_empty() {
        return remove(&state, &named);
    }
    let mut lines: String =
        kept_for_later(&state).iter().filter_map(|left| Some(line(left.kept()?))).collect();
    lines.extend(kept_disk_files(&state).iter().map(|kept| line(KeptData::File(kept.path()))));
    output::done(if lines.is_empty() { NONE_KEPT.to_owned() } else { lines })
}

/// What is kept, and how it is removed.
fn line(kept: KeptData<'_>) -> String {
    let text = match kept {
        KeptData::File(path) => {
            let size = match path.metadata() {
                Ok(metadata) => model::scalar::binary(metadata.len()),
                Err(_) => "not there, or not mounted now".to_owned(),
            };
            format!("{} ({size})", path.display())
        }
        KeptData::Database { name, url } => {
            format!("{name} at {url} (`headroom restore --kept --url {url}` removes it)")
        }
    };
    printable(&text) + "\n"
}

/// Removes kept files; nothing where one of the paths is none.
fn remove(state: &Path, named: &[&String]) -> Result<ExitCode, Failure> {
    let (all, of_disks) = (kept_for_later(state), kept_disk_files(state));
    let files: BTreeSet<PathBuf> =
        named.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))).collect();
    let is_kept = |file: &PathBuf| {
        all.iter().any(|left| left.kept() == Some(KeptData::File(file.as_path())))
            || of_disks.iter().any(|kept| kept.path() == file)
    };
    if let Some(file) = files.iter().find(|file| !is_kept(file)) {
        return Err(Failure::arguments(
            printable(&format!("{} is no kept data, or a run uses it", file.display())),
            "`headroom fixtures` lists what is kept and not in use; nothing was removed",
        ));
    }
    let mut is_left = false;
    for file in &files {
        let (line, is_gone) = outcome(file, removed(state, file));
        is_left |= !is_gone;
        output::print((printable(&line) + "\n").as_bytes())?;
    }
    Ok(if is_left { ExitCode::from(TRIAL_FAILED) } else { ExitCode::SUCCESS })
}

/// Removes a kept file of a database or of a disk load: what became of it, in words, and whether it is gone.
fn removed(state: &Path, file: &Path) -> Option<(String, bool)> {
    let of_database = remove_kept_file(state, file).map(|one| (one.to_string(), one.is_settled()));
    of_database.or_else(|| remove_kept_disk_file(state, file).map(|one| (one.to_string(), one.is_settled())))
}

/// What became of a kept file, in words, and whether it is gone; without `removed` it is in the list no longer, or a run
/// has begun to use it since the list was read.
fn outcome(file: &Path, removed: Option<(String, bool)>) -> (String, bool) {
    let left_alone =
        || format!("{} was left alone: a run has just begun to use it, or removed it", file.display());
    removed.unwrap_or_else(|| (left_alone(), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_a_run_has_just_taken_is_told_and_not_passed_over() {
        let state = tempfile::tempdir().unwrap();
        let file = Path::new("/data/headroom_kept_0123456789abcdef.db");
        let (line, is_gone) = outcome(file, removed(state.path(), file));
        assert!(line.starts_with("/data/headroom_kept_0123456789abcdef.db was left alone"), "{line}");
        assert!(!is_gone);
    }
}
