//! `headroom syncfs`: writes back what file systems have in memory. Not for people: `headroom trace` starts it, for who
//! waits for a device that does not answer can neither go on nor be ended.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::exit::Failure;

pub(super) fn define(command: Command) -> Command {
    let folder = Arg::new("folder").value_name("FOLDER").required(true).num_args(1..);
    command
        .hide(true)
        .about("Write back what file systems have in memory (started by `headroom trace`)")
        .arg(folder.value_parser(value_parser!(PathBuf)))
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    // Started as /proc/self/exe it would be called `exe` in every list.
    let _ = rustix::thread::set_name(c"headroom");
    // One that fails keeps no other from being written.
    let folders = matches.get_many::<PathBuf>("folder").unwrap_or_default();
    folders.map(|folder| write_back(folder)).fold(Ok(()), Result::and)?;
    Ok(ExitCode::SUCCESS)
}

fn write_back(folder: &Path) -> Result<(), Failure> {
    let written = File::open(folder).and_then(|opened| Ok(rustix::fs::syncfs(&opened)?));
    written.map_err(|source| Failure::File { what: "writing back", path: folder.to_owned(), source })
}
