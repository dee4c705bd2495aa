//! `headroom restore`: puts back what a run that was killed had changed, and
//! removes what it had made.

use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;

use ::agent::stale_files;
use clap::{ArgMatches, Command};
use load::workload::db::left::{kept_on_servers, left_on_servers};
use load::workload::db::left_restore::{RestoredOnServer, remove_kept_files, remove_left_files, restore_at};
use load::workload::disk::kept::remove_kept_disk_files;
use machine::setting::{self, JournalError, Unrestorable, state_folder};
use model::Plan;
use model::plan::{Problem, ProblemKind};
use report::text::printable;

use super::help::examples;
use super::{flag, option};
use crate::exit::{Failure, TRIAL_FAILED};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["restore", "restore --drop", "restore --url postgres://me@db1/shop"]))
        .about("Put back the settings that a killed run changed, and remove what it left")
        .long_about(
            "After a run was killed, or the machine lost its power: puts back the settings that the run changed, removes \
             the folders of file.metadata, and takes down the storage stacks that it left. Runs that end or are \
             interrupted do so themselves. \
             What may be left in object stores, for which keys are needed, is listed: the next run there removes it. \
             Databases and variables that were left at servers are listed, too. No password is kept, so name the server \
             with --url: then what the list has for it is removed or put back. Says what it did; the exit code is 1 if \
             something is left to be done, 0 otherwise.",
        )
        .arg(
            flag("drop", "Take what cannot be put back here out of the journal, and say what it was")
                .long_help(
                    "Take what cannot be put back here out of the journal, and say what it was: changes of another \
                     machine, from which this one was copied or which is no more, those that the kernel or a \
                     driver does not let be undone, and what was left in object stores and at servers. All that can \
                     be put back is put back first. What a run that is under way has changed stays, and so does what lies in \
                     another network namespace.",
                ),
        )
        .arg(
            option("url", "URL")
                .help("Remove and put back what was left at the server of a database, such as postgres://USER@HOST/DATABASE")
                .long_help(
                    "Remove and put back what killed runs left at the server of a database: databases that stand in the \
                     list and whose names begin with headroom_, and variables that --allow-server-settings had let be \
                     changed. Name the server as the list does; another user may be named who has the right. The password \
                     comes from the URL, --password-file, HEADROOM_DB_PASSWORD, or what the database's own clients read.",
                ),
        )
        .arg(
            flag("kept", "Remove the data that loads kept for later runs (--keep-data), too").long_help(
                "Remove the data that loads kept for later runs (--keep-data), too: files of disk and of SQLite, and \
                 databases of the server of --url. What is kept at other servers is listed.",
            ),
        )
        .arg(
            option("password-file", "FILE")
                .requires("url")
                .help("A file whose first line is the password for the server of --url"),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    // A journal that cannot be read keeps nobody from removing the rest.
    let left = stale_files::remove_all_left();
    print_lines(&left)?;
    let drops = matches.get_flag("drop");
    let objects = stale_files::objects_left(drops);
    print_lines(&objects)?;
    let unrestorable = if drops { Unrestorable::Drop } else { Unrestorable::Keep };
    // As long as the stacks are there on which settings were changed.
    let done = setting::restore(unrestorable);
    let stacks = stale_files::remove_left_stacks();
    print_lines(&stacks)?;
    let traces = machine::trace::remove_left();
    print_lines(&traces)?;
    let done = done.map_err(refused)?;
    print_lines(&done)?;
    // Last: a server that is out of reach keeps nothing else from being put back.
    let mut at_server = remove_left_files(&state_folder());
    let mut of_disks = Vec::new();
    if matches.get_flag("kept") {
        at_server.extend(remove_kept_files(&state_folder()));
        of_disks = remove_kept_disk_files(&state_folder());
    }
    print_lines(&at_server)?;
    print_lines(&of_disks)?;
    let there = restore_at_server(matches)?;
    print_lines(&there)?;
    at_server.extend(there);
    let mut on_servers = left_on_servers(&state_folder(), drops);
    on_servers.retain(|left| !at_server.iter().any(|one| one.left() == left));
    print_lines(&on_servers)?;
    let kept = if matches.get_flag("kept") { kept_on_servers(&state_folder()) } else { Vec::new() };
    print_lines(&kept)?;
    let is_nothing_elsewhere = objects.is_empty()
        && at_server.is_empty()
        && on_servers.is_empty()
        && kept.is_empty()
        && of_disks.is_empty();
    if done.is_empty() && left.is_empty() && traces.is_empty() && stacks.is_empty() && is_nothing_elsewhere {
        return output::done("There is nothing to put back.\n");
    }
    let is_elsewhere =
        at_server.iter().any(|one| !one.is_settled()) || !objects.is_empty() || !on_servers.is_empty();
    let is_left = done.iter().any(|one| !one.is_settled())
        || left.iter().any(|one| !one.is_settled())
        || traces.iter().any(|one| !one.is_settled())
        || stacks.iter().any(|one| !one.is_settled())
        || of_disks.iter().any(|one| !one.is_settled())
        || is_elsewhere && !drops;
    Ok(if is_left { ExitCode::from(TRIAL_FAILED) } else { ExitCode::SUCCESS })
}

/// Prints each in a line.
fn print_lines(all: &[impl ToString]) -> Result<(), Failure> {
    let lines: String = all.iter().map(|one| printable(&one.to_string()) + "\n").collect();
    output::print(lines.as_bytes())
}

/// What was left at the server that is named, if one is, and what became of it.
fn restore_at_server(matches: &ArgMatches) -> Result<Vec<RestoredOnServer>, Failure> {
    let Some(url) = matches.get_one::<String>("url") else { return Ok(Vec::new()) };
    let file = matches.get_one::<String>("password-file").map(Path::new);
    restore_at(&state_folder(), url, file, matches.get_flag("kept")).map_err(
        |Problem { kind, message, help }| match kind {
            ProblemKind::Invalid => Failure::arguments(message, help),
            ProblemKind::Refused => Failure::refused(message, help),
        },
    )
}

/// Refuses to measure while settings are changed by another run, or left changed
/// by one that was killed: the figures would be those of another machine.
pub(super) fn refuse_changed() -> Result<(), Failure> {
    let refusal = match setting::refusal() {
        // A folder that is not this user's, as HOME names it under some ways of
        // changing users: who may change nothing has left nothing changed there.
        Err(JournalError::File { .. }) if !setting::may_change() => None,
        other => other.map_err(refused)?,
    };
    match refusal {
        Some(reason) => Err(Failure::refused(
            format!("the machine is not as it was found: {reason}"),
            "`headroom restore` says what was changed, and puts back what nobody else will",
        )),
        None => Ok(()),
    }
}

/// Removes what runs that were killed left in folders of the user's, and says so.
pub(super) fn remove_left() {
    for one in stale_files::remove_left_soon() {
        output::note(&(printable(&one.to_string()) + "\n"));
    }
    for one in stale_files::remove_left_stacks() {
        output::note(&(printable(&one.to_string()) + "\n"));
    }
    for one in remove_left_files(&state_folder()) {
        output::note(&(printable(&one.to_string()) + "\n"));
    }
    // The trace of a dead process would slow down what is measured.
    for one in machine::trace::remove_left() {
        output::note(&(printable(&one.to_string()) + "\n"));
    }
}

/// For a node, at which perhaps nobody sits: puts back what was left changed, and
/// says so; then as [`refuse_changed`].
pub(super) fn put_back_left() -> Result<(), Failure> {
    for one in setting::restore(Unrestorable::Keep).map_err(refused)? {
        output::note(&(printable(&one.to_string()) + "\n"));
    }
    refuse_changed()
}

/// Before a run: refuses it as [`refuse`] does, or removes what others left.
pub(super) fn begin(plan: &Plan) -> Result<(), Failure> {
    refuse(plan)?;
    remove_left();
    Ok(())
}

/// Refuses a run as [`refuse_changed`], and one that is to change settings and
/// may not.
fn refuse(plan: &Plan) -> Result<(), Failure> {
    refuse_changed()?;
    match plan.cases.iter().flat_map(|case| &case.settings).next() {
        Some(change) if !setting::may_change() => Err(Failure::refused(
            format!("`{}` cannot be changed: Headroom does not run as root", change.name),
            "run it as root, or with CAP_NET_ADMIN. Without that, leave the settings out: loads are measured on the machine \
             as it is, and `headroom settings` shows how each setting stands",
        )),
        _ => Ok(()),
    }
}

/// Refuses settings of the loopback that nobody named.
pub(super) fn refuse_loopback(plan: &Plan) -> Result<(), Failure> {
    let is_here = |host: &String| {
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    };
    for change in plan.cases.iter().flat_map(|case| &case.settings) {
        let (lacking, option) = match &change.peer {
            Some(peer) if peer == crate::peer::SELF => ("a peer", "--peer"),
            None if change.servers.iter().any(is_here) => ("a server of another machine", "another --url"),
            _ => continue,
        };
        let name = &change.name;
        return Err(Failure::arguments(
            format!(
                "without {lacking} `{name}` would be changed on this machine's loopback, which everything on it uses"
            ),
            format!("give {option}, or name the interface: {name}@eth0"),
        ));
    }
    Ok(())
}

fn refused(error: JournalError) -> Failure {
    let message = error.to_string();
    Failure::refused(message, "as root, or with the rights of who ran it last, it may go")
}
