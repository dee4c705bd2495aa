//! The processes that are started: each is bounded in time, and none outlives the command.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use report::text::printable;
use rustix::process::{Pid, Signal, kill_process};

use crate::exit::Failure;
use crate::signals;

/// How much longer than its window a program may take: it starts, lays out files, warms up.
const LONGER: Duration = Duration::from_secs(120);

/// How long a server may take until it listens.
const LISTENING: Duration = Duration::from_secs(10);

/// How long a process has to end once it is asked to.
const PUTTING_AWAY: Duration = Duration::from_secs(5);

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// The most that is kept of what a program prints.
const PRINTED_MAX: u64 = 16 << 20;

/// Starts processes.
pub(super) struct Children {
    /// Whether somebody asked to stop.
    stop: Arc<AtomicBool>,
}

/// A process that is ended when it is no longer needed.
pub(super) struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It may have something to put away; until it is waited for, its number is no other's.
        if self.0.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
            let began = Instant::now();
            while began.elapsed() < PUTTING_AWAY && self.0.try_wait().is_ok_and(|ended| ended.is_none()) {
                std::thread::sleep(LOOK);
            }
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Children {
    /// From now on a signal ends what runs first.
    pub(super) fn new() -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        signals::watch(&stop).map_err(|source| Failure::File {
            what: "catching signals of",
            path: "headroom".into(),
            source,
        })?;
        Ok(Self { stop })
    }

    /// Runs a command to its end, and returns what it printed. `path` is where that is kept meanwhile.
    pub(super) fn output(&self, words: &[String], path: &Path, seconds: u64) -> Result<String, Failure> {
        let unkept = |source| Failure::File { what: "writing to", path: path.to_owned(), source };
        let file = File::create(path).map_err(unkept)?;
        let errors = file.try_clone().map_err(unkept)?;
        let mut child = Served(start(words, Stdio::from(file), Stdio::from(errors))?);
        let status = self.wait(&mut child.0, Duration::from_secs(seconds) + LONGER);
        let printed = read(path).map_err(unkept)?;
        match status? {
            Some(status) if status.success() => Ok(printed),
            Some(status) => Err(failed(words, &status.to_string(), &printed)),
            None => Err(failed(words, "it did not end in time", &printed)),
        }
    }

    /// Starts a server, and waits until it listens.
    pub(super) fn serve(&self, words: &[String], port: u16) -> Result<Served, Failure> {
        let mut child = Served(start(words, Stdio::null(), Stdio::null())?);
        let began = Instant::now();
        while !is_listening(port) {
            let ended = child.0.try_wait().ok().flatten();
            if let Some(status) = ended {
                return Err(failed(words, &status.to_string(), ""));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            if began.elapsed() > LISTENING {
                return Err(failed(words, "it does not listen", ""));
            }
            std::thread::sleep(LOOK);
        }
        Ok(child)
    }

    /// How a process ended; nothing if it took too long.
    fn wait(&self, child: &mut Child, most: Duration) -> Result<Option<ExitStatus>, Failure> {
        let began = Instant::now();
        loop {
            let ended = child.try_wait();
            match ended {
                Ok(Some(status)) => return Ok(Some(status)),
                Ok(None) => {}
                Err(source) => {
                    return Err(Failure::File { what: "waiting for", path: "the tool".into(), source });
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            if began.elapsed() > most {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Whether somebody listens on this port, by the kernel's table (`proc_pid_net(5)`: state 0A): who
/// connected would be the server's one client.
fn is_listening(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let end = format!(":{port:04X}");
    table.lines().any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let is_local = fields.next().is_some_and(|address| address.ends_with(&end));
        is_local && fields.nth(1) == Some("0A")
    })
}

/// Starts a command with English words and decimal points.
fn start(words: &[String], out: Stdio, errors: Stdio) -> Result<Child, Failure> {
    let (program, arguments) =
        words.split_first().map_or(("", words), |(first, rest)| (first.as_str(), rest));
    let started = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(errors)
        .spawn();
    started.map_err(|error| {
        Failure::refused(
            format!("{} cannot be run: {error}", printable(program)),
            "install it, and see that it is on the path",
        )
    })
}

fn read(path: &Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    File::open(path)?.take(PRINTED_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(words: &[String], why: &str, printed: &str) -> Failure {
    let command = printable(&words.join(" "));
    let said = printable(printed.lines().last().unwrap_or_default());
    Failure::refused(format!("{command} failed: {why}: {said}"), "try the command by hand")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_prints_comes_back_and_its_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let children = Children { stop: Arc::new(AtomicBool::new(false)) };
        let run = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            children.output(&words, &folder.path().join("x"), 1)
        };
        assert_eq!(run(&["echo", "a b"]).unwrap(), "a b\n");
        assert!(run(&["false"]).unwrap_err().message().contains("false failed"));
        let failure = run(&["/no/such/program"]).unwrap_err();
        assert_eq!(failure.code(), crate::exit::REFUSED);
        children.stop.store(true, Ordering::Relaxed);
        assert!(matches!(run(&["sleep", "100"]), Err(Failure::Interrupted)));
    }
}
