//! `headroom sqlite_commits`: clients of SQLite that are killed. Not for people: `db.durability` starts it, for SQLite
//! works in the process of its clients; its other end is a socket on standard input.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::exit::Failure;

pub(super) fn define(command: Command) -> Command {
    command.hide(true).about("Clients of SQLite that are killed (started by `db.durability`)")
}

pub(super) fn carry_out(_matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    // Started as /proc/self/exe it would be called `exe` in every list.
    let _ = rustix::thread::set_name(c"headroom");
    let failed = |source| Failure::File { what: "talking over", path: "standard input".into(), source };
    let stream = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from).map_err(failed)?;
    stream.peer_addr().map_err(|_| {
        Failure::arguments(
            "`headroom sqlite_commits` is started by `db.durability`",
            "use `headroom run db.durability`",
        )
    })?;
    load::workload::db::durability::commit_until_killed(stream).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
