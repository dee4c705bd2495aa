//! `guest -- COMMAND`: runs a command of this machine under a kernel that has
//! what this one may lack: md, device mapper, null_blk, NVMe targets. QEMU boots
//! Debian's kernel with the host's root as its own, read-only, below a layer of
//! memory: every program and file is there at its usual path, may be written,
//! and nothing of it reaches the host.
//!
//! The CPU is emulated: the guest is for behaviour, never for figures.

mod initramfs;
mod kernel;
mod printed;
mod qemu;
mod share;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command, value_parser};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::Error;
use crate::{Task, target_folder, tools};
pub(crate) use printed::Printed;
use share::Share;

/// The task.
pub(crate) const TASK: Task =
    Task { name: "guest", about: "Run a command under a kernel that has everything", arguments, run };

/// The programs without which there is no guest.
pub(crate) const NEEDS: &[&str] = &["qemu-system-x86_64", "busybox", "cpio", "depmod"];

/// A guest that is wanted.
#[derive(Debug)]
pub(crate) struct Guest {
    /// Its memory, in MiB; what is written to files there takes from it.
    pub(crate) memory_mib: u32,
    /// When it is ended, counted from its start.
    pub(crate) timeout: Duration,
    /// A package with the kernel to boot, in place of today's.
    pub(crate) kernel: Option<PathBuf>,
    /// Variables of the command, beside those that every command gets.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Where it runs beside other work: what it prints is kept here, and it has what
    /// CPU that work leaves. Else what it prints is shown at once.
    pub(crate) beside: Option<Printed>,
    /// The command and its arguments.
    pub(crate) command: Vec<OsString>,
}

/// How the command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Its exit status; 128 and the signal if one ended it.
    pub(crate) status: u8,
    /// What it printed on standard output.
    pub(crate) stdout: String,
}

/// Enough for what the stories build out of memory.
pub(crate) const MEMORY_MIB: u32 = 2048;

fn arguments(command: Command) -> Command {
    let number = |name: &'static str, value: &'static str, help| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .arg(
            number("memory", "MIB", "Memory of the guest, which also holds what is written there")
                .default_value("2048")
                .value_parser(value_parser!(u32).range(512..=65536)),
        )
        .arg(
            number("timeout", "S", "End it after so many seconds")
                .default_value("600")
                .value_parser(value_parser!(u64).range(10..=86400)),
        )
        .arg(
            Arg::new("kernel").long("kernel").value_name("DEB").value_parser(value_parser!(PathBuf)).help(
                "Boot the kernel of this package (linux-image-*.deb of any Debian) in place of today's",
            ),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(1..)
                .required(true)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help("The command, found as on this machine, run as root in this folder"),
        )
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let guest = Guest {
        memory_mib: *arguments.get_one("memory").expect("it has a default"),
        timeout: Duration::from_secs(*arguments.get_one("timeout").expect("it has a default")),
        kernel: arguments.get_one("kernel").cloned(),
        environment: Vec::new(),
        beside: None,
        command: arguments.get_many("command").expect("clap asks for it").cloned().collect(),
    };
    match guest.run(root)?.status {
        0 => Ok(()),
        status => Err(Error::Command(status)),
    }
}

impl Guest {
    /// Boots it, runs the command, shows or keeps what it prints, and ends it.
    pub(crate) fn run(&self, root: &Path) -> Result<Ended, Error> {
        tools::require(NEEDS).map_err(Error::Guest)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let is_over = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Once the guest is gone, a signal ends this process as it would have before.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_over))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&interrupted)))
                .map_err(|e| Error::Guest(format!("cannot listen for signals: {e}")))?;
        }
        let ended = self.boot(root, &interrupted);
        is_over.store(true, Ordering::SeqCst);
        // What the signal ended beside QEMU, such as apt-get, failed for that reason.
        if ended.is_err() && interrupted.load(Ordering::SeqCst) { Err(Error::Interrupted) } else { ended }
    }

    fn boot(&self, root: &Path, interrupted: &AtomicBool) -> Result<Ended, Error> {
        let folder = target_folder(root)?.join("guest");
        fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
        let started = Instant::now();
        let kernel = match &self.kernel {
            Some(package) => kernel::unpacked(&folder, package)?,
            None => kernel::ensure(&folder)?,
        };
        let found = started.elapsed();
        let share = Share::new(&folder, self, &kernel)?;
        let initramfs = initramfs::make(&kernel, share.outside())?;
        let times = qemu::run(self, &kernel, &initramfs, &share, interrupted)?;
        let line = format!(
            "guest: {} found in {:.1} s, up after {:.1} s, command {:.1} s, off after {:.1} s",
            kernel.release,
            found.as_secs_f64(),
            times.up.as_secs_f64(),
            times.command.as_secs_f64(),
            times.off.as_secs_f64()
        );
        match &self.beside {
            Some(printed) => printed.add(format!("\n{line}\n").as_bytes()),
            None => eprintln!("{line}"),
        }
        share.ended()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_keeps_its_own_options() {
        let parse = |words: &[&str]| {
            arguments(Command::new("guest")).try_get_matches_from([&["guest"], words].concat())
        };
        let matches = parse(&["--memory", "1024", "--", "ls", "--all", "--memory"]).unwrap();
        let command: Vec<OsString> = matches.get_many("command").unwrap().cloned().collect();
        assert_eq!(command, ["ls", "--all", "--memory"]);
        assert_eq!(matches.get_one("memory"), Some(&1024_u32));
        let older = parse(&["--kernel", "older.deb", "--", "ls"]).unwrap();
        assert_eq!(older.get_one("kernel"), Some(&PathBuf::from("older.deb")));
        parse(&[]).unwrap_err();
        parse(&["ls"]).unwrap_err();
        parse(&["--memory", "1", "--", "ls"]).unwrap_err();
        assert_eq!(parse(&["--", "ls"]).unwrap().get_one("memory"), Some(&MEMORY_MIB));
    }

    #[test]
    fn every_tool_is_known() {
        for tool in NEEDS {
            assert!(tools::is_known(tool), "{tool}");
        }
    }
}
