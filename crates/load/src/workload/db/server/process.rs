//! The process of a server of ours, and programs that make its folder ready: with nothing of our environment, not as
//! root, in a process group of their own, and never longer than this process.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt, fchown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use rustix::process::{Pid, Signal};

use crate::workload::db::password::Password;
use crate::workload::db::server::account::ServerAccount;

/// How often it is looked whether something has ended, or is ready.
const LOOK: Duration = Duration::from_millis(20);
/// How long one that takes no connections may take to end, or to take them again.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// How long a process that was killed may need to end.
const KILLED: Duration = Duration::from_secs(10);
/// How long those that it started may need to be gone after it.
const ORPHANS: Duration = Duration::from_secs(2);
/// So much of the end of a log is looked at.
const LOG_MOST: usize = 16 << 10;
/// A reason has so many characters at most.
const REASON_MOST: usize = 300;

/// What a line of a log begins or contains that says why a server ends.
const REASONS: [&str; 4] = ["FATAL", "PANIC", "[ERROR]", "ERROR"];

/// Where and as whom a program of a server runs.
#[derive(Clone, Debug)]
pub(super) struct ServerSurroundings {
    /// Where it works; all that it writes is in there.
    pub(super) folder: PathBuf,
    pub(super) account: ServerAccount,
    /// What must not be repeated from its log.
    pub(super) password: Password,
    /// The signal that the kernel sends it when this process dies.
    pub(super) at_our_death: Signal,
}

impl ServerSurroundings {
    /// A command for `program` there.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", &self.folder)
            .env("TMPDIR", &self.folder)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            // Ctrl-C at a terminal reaches only us, and we end it.
            .process_group(0);
        if let Some((user, group)) = self.account.ids {
            command.uid(user).gid(group);
        }
        let (signal, parent) = (self.at_our_death, rustix::process::getpid());
        let die_with_us = move || -> io::Result<()> {
            rustix::process::set_parent_process_death_signal(Some(signal))?;
            // It may have died already.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::ErrorKind::NotFound.into())
            }
        };
        // SAFETY: it makes two system calls between fork and exec, allocates nothing and takes no lock.
        unsafe { command.pre_exec(die_with_us) };
        command
    }

    /// A new file there, which only the server's user may read.
    pub(super) fn new_file(&self, name: &str, content: &[u8]) -> Result<PathBuf, Fault> {
        let path = self.folder.join(name);
        let made = self.create(&path).and_then(|mut file| file.write_all(content));
        made.map_err(|e| Fault::system(format!("making {}", path.display()), e))?;
        Ok(path)
    }

    /// The same without content, open. It is not opened by its name again: in that folder the name could mean another.
    fn create(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create_new(true).mode(0o600).open(path)?;
        if let Some((user, group)) = self.account.ids {
            fchown(&file, Some(user), Some(group))?;
        }
        Ok(file)
    }

    /// Starts `command` with a new log of this name.
    pub(super) fn start(&self, command: &mut Command, log: &str) -> Result<ServerProcess, Fault> {
        let path = self.folder.join(log);
        let log = self.create(&path).map_err(|e| Fault::system(format!("making {}", path.display()), e))?;
        let streams = log.try_clone().and_then(|out| Ok((out, log.try_clone()?)));
        let child = streams.and_then(|(out, err)| command.stdout(out).stderr(err).spawn());
        let child = child.map_err(|e| {
            Fault::system(format!("starting {}", Path::new(command.get_program()).display()), e)
        })?;
        Ok(ServerProcess { child, log, password: self.password.clone(), last_signal: self.at_our_death })
    }

    /// Runs `command` to its end, which must be a good one; `goes_on` is asked all the time whether to.
    pub(super) fn run(
        &self,
        command: &mut Command,
        log: &str,
        within: Duration,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let name = Path::new(command.get_program()).display().to_string();
        let mut process = self.start(command, log)?;
        match process.wait_until(within, goes_on, |_| false)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Fault::Other(format!("{name} failed ({status}){}", process.reason()))),
            None => Err(Fault::Other(format!(
                "{name} did not end within {} s{}",
                within.as_secs(),
                process.reason()
            ))),
        }
    }
}

/// A process that is killed when this is dropped.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: Child,
    log: File,
    password: Password,
    /// What ends it at once, before it is killed.
    last_signal: Signal,
}

impl ServerProcess {
    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Whether it goes on. One that was just killed takes a moment to end, in which nobody takes connections at its
    /// socket in `folder`; one that takes none for longer is of no use, and is killed.
    pub(super) fn is_alive(&mut self, folder: &Path) -> bool {
        let end = Instant::now() + ENDS_WITHIN;
        loop {
            if self.ended().is_some() {
                return false;
            }
            if takes_connections(folder) {
                return true;
            }
            if Instant::now() >= end {
                return !matches!(self.kill(), Ok(Some(_)));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until it has ended, or `is_ready` says so, but not longer than `within`. How it ended, if it has.
    pub(super) fn wait_until(
        &mut self,
        within: Duration,
        goes_on: &mut dyn FnMut() -> bool,
        is_ready: impl Fn(&Self) -> bool,
    ) -> Result<Option<ExitStatus>, Fault> {
        let end = Instant::now() + within;
        loop {
            if let Some(status) = self.ended() {
                return Ok(Some(status));
            }
            if is_ready(self) || Instant::now() >= end {
                return Ok(None);
            }
            if !goes_on() {
                return Err(Fault::Cancelled);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Ends it by these signals, each with the time that it may need; then by force.
    ///
    /// # Errors
    /// If it cannot be ended.
    pub(super) fn stop(&mut self, signals: &[(Signal, Duration)]) -> Result<(), Fault> {
        for (signal, within) in signals {
            if self.ended().is_some() {
                return Ok(());
            }
            // It is not reaped yet, so the number is still its own.
            let _ = rustix::process::kill_process(Pid::from_child(&self.child), *signal);
            if self.wait_until(*within, &mut || true, |_| false)?.is_some() {
                return Ok(());
            }
        }
        match self.kill()? {
            Some(_) => Ok(()),
            None => Err(Fault::Other(format!("the server (process {}) cannot be ended", self.child.id()))),
        }
    }

    /// Kills it and those that it started in its group; returns how it ended, if it has.
    fn kill(&mut self) -> Result<Option<ExitStatus>, Fault> {
        let group = Pid::from_child(&self.child);
        // The number is its own until it is reaped, which is what waiting does.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
        let _ = self.child.kill();
        let ended = self.wait_until(KILLED, &mut || true, |_| false)?;
        // Others of the group are reaped by somebody else: what they write would be removed too early.
        let end = Instant::now() + ORPHANS;
        while rustix::process::test_kill_process_group(group).is_ok() && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
        Ok(ended)
    }

    /// The line of its log that says why it ended, in a form that follows a sentence; empty if there is none.
    pub(super) fn reason(&self) -> String {
        let Ok(text) = end_of(&self.log) else { return String::new() };
        reason_of(&text, self.password.bytes()).map_or_else(String::new, |line| format!(": {line}"))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.ended().is_some() {
            return;
        }
        // What makes a folder ready starts others: who killed it alone would have them go on in there.
        let _ = if self.last_signal == Signal::KILL {
            self.kill().map(drop)
        } else {
            self.stop(&[(self.last_signal, KILLED)])
        };
    }
}

/// Whether somebody takes connections at a socket in `folder`.
fn takes_connections(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut sockets = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()));
    sockets.any(|socket| UnixStream::connect(socket.path()).is_ok())
}

fn end_of(log: &File) -> io::Result<String> {
    let length = log.metadata()?.len();
    let mut bytes = vec![0; LOG_MOST];
    let got = log.read_at(&mut bytes, length.saturating_sub(LOG_MOST as u64))?;
    Ok(String::from_utf8_lossy(&bytes[..got]).into_owned())
}

/// The first line that gives a reason, or the last one, without `password`.
fn reason_of(log: &str, password: &[u8]) -> Option<String> {
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines()
        .find(|line| REASONS.iter().any(|mark| line.contains(mark)))
        .or_else(|| lines().next_back())?;
    let line = match std::str::from_utf8(password) {
        Ok(password) if !password.is_empty() => line.replace(password, "..."),
        _ => line.to_owned(),
    };
    Some(line.chars().filter(|c| !c.is_control()).take(REASON_MOST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(folder: &Path) -> ServerSurroundings {
        ServerSurroundings {
            folder: folder.canonicalize().unwrap(),
            account: ServerAccount { name: "x".to_owned(), ids: None },
            password: Password::new(b"hunter2".to_vec()),
            at_our_death: Signal::KILL,
        }
    }

    fn shell(around: &ServerSurroundings, script: &str) -> Command {
        let mut command = around.command(Path::new("/bin/sh"));
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_has_nothing_of_our_environment_and_its_reason_is_told_without_the_password() {
        let place = tempfile::tempdir_in(".").unwrap();
        let around = surroundings(place.path());
        let script = "echo well; env | grep -c CARGO; echo 'FATAL: it was hunter2' >&2; echo more; exit 3";
        let failed =
            around.run(&mut shell(&around, script), "log", KILLED, &mut || true).unwrap_err().to_string();
        assert!(failed.ends_with(": FATAL: it was ...") && failed.contains("exit status: 3"), "{failed}");
        let log = std::fs::read_to_string(around.folder.join("log")).unwrap();
        assert!(log.starts_with("well\n0\n"), "{log}");
        assert!(around.run(&mut shell(&around, "exit 0"), "other", KILLED, &mut || true).is_ok());
        let again = around.run(&mut shell(&around, "exit 0"), "log", KILLED, &mut || true).unwrap_err();
        assert!(again.to_string().contains("making"), "a file that is there is not written: {again}");
    }

    #[test]
    fn a_process_is_ended_however_it_resists() {
        let place = tempfile::tempdir_in(".").unwrap();
        let around = surroundings(place.path());
        let script = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
        let mut process = around.start(&mut shell(&around, script), "log").unwrap();
        let ready = around.folder.join("ready");
        let ended = process.wait_until(Duration::from_secs(20), &mut || true, |_| ready.exists()).unwrap();
        assert!(ended.is_none() && ready.exists());
        process.stop(&[(Signal::TERM, Duration::from_millis(100))]).unwrap();
        assert!(process.ended().is_some());
        let cancelled =
            around.run(&mut shell(&around, "exec sleep 60"), "long", KILLED, &mut || false).unwrap_err();
        assert!(matches!(cancelled, Fault::Cancelled), "{cancelled}");
    }

    /// Bug: only the first process was killed, and what it had started went on in a folder that was removed.
    #[test]
    fn what_is_stopped_leaves_nobody_of_its_group() {
        let place = tempfile::tempdir_in(".").unwrap();
        let around = surroundings(place.path());
        let child = around.folder.join("child");
        let script = "sleep 60 & echo $! >new; mv new child; wait";
        let mut goes_on = || !child.exists();
        let run = around.run(&mut shell(&around, script), "log", Duration::from_secs(20), &mut goes_on);
        assert!(matches!(run, Err(Fault::Cancelled)), "{run:?}");
        let id = std::fs::read_to_string(&child).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }

    #[test]
    fn the_reason_is_the_first_line_that_gives_one() {
        let log = "10:00 LOG: starting\n10:00 [ERROR] InnoDB: no space\n10:00 [ERROR] Aborting\n";
        assert_eq!(reason_of(log, b"").as_deref(), Some("10:00 [ERROR] InnoDB: no space"));
        assert_eq!(reason_of("one\n\ntwo\n \n", b"o").as_deref(), Some("tw..."));
        assert_eq!(reason_of("\n", b"x"), None);
    }
}
