//! `headroom agent`: the measuring end, started by `run` as a child process.
//! Not for people; its other end is a socket on standard input.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::database_passwords;
use crate::exit::Failure;

pub(super) fn define(command: Command) -> Command {
    command.hide(true).about("The measuring end of a run (started by `headroom run`)")
}

pub(super) fn carry_out(_matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    // SAFETY: no thread was started yet.
    if let Some(passwords) = unsafe { database_passwords::receive() } {
        load::workload::db::password::give(&passwords);
    }
    let failed = |source| Failure::File { what: "talking over", path: "standard input".into(), source };
    let stream = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from).map_err(failed)?;
    stream.peer_addr().map_err(|_| {
        Failure::arguments("`headroom agent` is started by `headroom run`", "use `headroom run`")
    })?;
    ::agent::serve(stream).map_err(|e| failed(std::io::Error::other(e)))?;
    Ok(ExitCode::SUCCESS)
}
