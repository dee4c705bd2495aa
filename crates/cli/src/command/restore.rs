//! `headroom restore`: puts back what a run that was killed had changed, and
//! removes what it had made.

use std::net::IpAddr;
use std::process::ExitCode;

use ::agent::stale_files;
use clap::{ArgMatches, Command};
use machine::setting::{self, JournalError, Unrestorable};
use model::Plan;
use report::text::printable;

use super::flag;
use crate::exit::{Failure, TRIAL_FAILED};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Put back the settings that a run which was killed had changed, and remove the files it left")
        .long_about(
            "Put back the settings that a run which was killed, or a machine that lost its power, had changed, and \
             remove the folders of file.metadata and take down the storage stacks that it left. Runs that end or are interrupted do so themselves. \
             What may be left in object stores, for which keys are needed, is listed: the next run there removes it. \
             Says what it did; the exit code is 1 if something is left to be done, 0 otherwise.",
        )
        .arg(
            flag("drop", "Take what cannot be put back here out of the journal, and say what it was")
                .long_help(
                    "Take what cannot be put back here out of the journal, and say what it was: changes of another \
                     machine, from which this one was copied or which is no more, those that the kernel or a \
                     driver does not let be undone, and objects that were left in stores. All that can be put back \
                     is put back first. What a run that is under way has changed stays, and so does what lies in \
                     another network namespace.",
                ),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    // A journal that cannot be read keeps nobody from removing the rest.
    let left = stale_files::remove_all_left();
    let lines: String = left.iter().map(|one| printable(&one.to_string()) + "\n").collect();
    output::print(lines.as_bytes())?;
    let drops = matches.get_flag("drop");
    let objects = stale_files::objects_left(drops);
    let lines: String = objects.iter().map(|one| printable(&one.to_string()) + "\n").collect();
    output::print(lines.as_bytes())?;
    let stacks = stale_files::remove_left_stacks();
    let lines: String = stacks.iter().map(|one| printable(&one.to_string()) + "\n").collect();
    output::print(lines.as_bytes())?;
    let traces = machine::trace::remove_left();
    let lines: String = traces.iter().map(|one| printable(&one.to_string()) + "\n").collect();
    output::print(lines.as_bytes())?;
    let unrestorable = if drops { Unrestorable::Drop } else { Unrestorable::Keep };
    let done = setting::restore(unrestorable).map_err(refused)?;
    if done.is_empty() && left.is_empty() && objects.is_empty() && traces.is_empty() && stacks.is_empty() {
        return output::done("There is nothing to put back.\n");
    }
    let lines: String = done.iter().map(|one| printable(&one.to_string()) + "\n").collect();
    output::print(lines.as_bytes())?;
    let is_left = done.iter().any(|one| !one.is_settled())
        || left.iter().any(|one| !one.is_settled())
        || traces.iter().any(|one| !one.is_settled())
        || stacks.iter().any(|one| !one.is_settled())
        || !objects.is_empty() && !drops;
    Ok(if is_left { ExitCode::from(TRIAL_FAILED) } else { ExitCode::SUCCESS })
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
