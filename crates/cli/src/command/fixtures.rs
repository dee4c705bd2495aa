//! `headroom fixtures`: what loads keep for later runs, and its removal. What is shown and removed stands in the list
//! that runs keep of it; a file is removed only where it bears the mark of what is in it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, ArgMatches, Command};
use load::workload::db::left::{KeptData, kept_for_later};
use load::workload::db::left_restore::remove_kept_file;
use machine::setting::state_folder;
use report::text::printable;

use super::help::examples;
use super::option;
use crate::exit::{Failure, TRIAL_FAILED};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "fixtures",
            "fixtures --remove /data/headroom_kept_0123456789abcdef.db",
            "fixtures --remove /data/one.db --remove /data/other.db",
        ]))
        .about("The data that loads keep for later runs (--keep-data) and that no run uses, and its removal")
        .after_help(
            "All other data that a run makes is removed when the run ends. `headroom restore --kept` removes all kept \
             files, and with --url the databases kept at a server, for which a password may be needed.",
        )
        .arg(
            option("remove", "PATH")
                .action(ArgAction::Append)
                .help("Remove this kept file; several times for several"),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let state = state_folder();
    let named: Vec<&String> = matches.get_many("remove").into_iter().flatten().collect();
    if !named.is_empty() {
        return remove(&state, &named);
    }
    let lines: String = kept_for_later(&state).iter().filter_map(|left| Some(line(left.kept()?))).collect();
    output::done(if lines.is_empty() { "No data is kept for later runs.\n".to_owned() } else { lines })
}

/// What is kept, and how it is removed.
fn line(kept: KeptData<'_>) -> String {
    let text = match kept {
        KeptData::File(path) => {
            let size = match path.metadata() {
                Ok(metadata) => model::scalar::binary(metadata.len()),
                Err(_) => "not there any more".to_owned(),
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
    let all = kept_for_later(state);
    let files: Vec<PathBuf> =
        named.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))).collect();
    let is_kept = |file: &PathBuf| all.iter().any(|left| left.kept() == Some(KeptData::File(file.as_path())));
    if let Some(file) = files.iter().find(|file| !is_kept(file)) {
        return Err(Failure::arguments(
            printable(&format!("{} is no kept data, or a run uses it", file.display())),
            "`headroom fixtures` lists what is kept and not in use; nothing was removed",
        ));
    }
    let mut is_left = false;
    for removed in files.iter().filter_map(|file| remove_kept_file(state, file)) {
        is_left |= !removed.is_settled();
        output::print((printable(&removed.to_string()) + "\n").as_bytes())?;
    }
    Ok(if is_left { ExitCode::from(TRIAL_FAILED) } else { ExitCode::SUCCESS })
}
