//! The processes that are started: each is bounded in time, and none outlives the command.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use report::text::printable;
use rustix::process::{Pid, Signal, kill_process};

use super::tools::ServerPlace;
use crate::exit::Failure;
use crate::signals;

/// How much longer than its window a program may take: it starts, lays out files, warms up.
const LONGER: Duration = Duration::from_secs(120);
/// Some tools end by a count that takes the seconds they were asked for on a machine that is fast: others take so many
/// times as long.
const SLOWER: u64 = 4;

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
    /// Variables that each of them gets beside those of this process.
    pub(super) environment: Vec<(&'static str, String)>,
}

/// A process that is ended when it is no longer needed.
pub(super) struct Served(Child);

impl Served {
    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }
}

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
        Ok(Self { stop, environment: Vec::new() })
    }

    /// Whether somebody asked to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs a command to its end, and returns what it printed. `path` is where that is kept meanwhile.
    pub(super) fn output(&self, words: &[String], path: &Path, seconds: u64) -> Result<String, Failure> {
        let unkept = |source| Failure::File { what: "writing to", path: path.to_owned(), source };
        let file = File::create(path).map_err(unkept)?;
        let errors = file.try_clone().map_err(unkept)?;
        let mut child = Served(self.start(words, Stdio::from(file), Stdio::from(errors))?);
        let status = self.wait(&mut child.0, Duration::from_secs(seconds.saturating_mul(SLOWER)) + LONGER);
        // A terminal interrupts the program, too, which may have ended before that was looked at.
        if self.is_stopped() {
            return Err(Failure::Interrupted);
        }
        let printed = read(path).map_err(unkept)?;
        match status? {
            Some(status) if status.success() => Ok(printed),
            Some(status) => Err(failed(words, &status.to_string(), &printed)),
            None => Err(failed(words, "it did not end in time", &printed)),
        }
    }

    /// Starts a server, and waits until it listens at this port: at the loopback interface alone, unless it is in a network
    /// namespace of its own. `path` is where what it prints is kept.
    pub(super) fn serve(
        &self,
        words: &[String],
        path: &Path,
        (port, place): (u16, ServerPlace),
    ) -> Result<Served, Failure> {
        let unkept = |source| Failure::File { what: "writing to", path: path.to_owned(), source };
        let file = File::create(path).map_err(unkept)?;
        let errors = file.try_clone().map_err(unkept)?;
        let mut child = Served(self.start(words, Stdio::from(file), Stdio::from(errors))?);
        let said = || read(path).unwrap_or_default();
        let began = Instant::now();
        loop {
            let ended = child.0.try_wait().ok().flatten();
            if let Some(status) = ended.filter(|_| !self.is_stopped()) {
                return Err(failed(words, &status.to_string(), &said()));
            }
            match listening(child.id(), port) {
                Some(Listening::Loopback) => return Ok(child),
                Some(Listening::Everywhere) if place == ServerPlace::Namespace => return Ok(child),
                Some(Listening::Everywhere) => {
                    return Err(failed(words, "it listens to other machines, too, and was ended", ""));
                }
                None => {}
            }
            if self.is_stopped() {
                return Err(Failure::Interrupted);
            }
            if began.elapsed() > LISTENING {
                return Err(failed(words, "it does not listen", &said()));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Starts a command with English words and decimal points. The kernel ends it if this process is killed.
    fn start(&self, words: &[String], out: Stdio, errors: Stdio) -> Result<Child, Failure> {
        let (program, arguments) =
            words.split_first().map_or(("", words), |(first, rest)| (first.as_str(), rest));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("LC_ALL", "C")
            .envs(self.environment.iter().map(|(name, value)| (*name, value.as_str())))
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(errors);
        let parent = rustix::process::getpid();
        let end_with_us = move || -> std::io::Result<()> {
            rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
            // It may have died already.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(std::io::ErrorKind::NotFound.into())
            }
        };
        // SAFETY: it makes two system calls between fork and exec, allocates nothing and takes no lock.
        unsafe { command.pre_exec(end_with_us) };
        let started = command.spawn();
        started.map_err(|error| {
            Failure::refused(
                format!("{} cannot be run: {error}", printable(program)),
                "install it, and see that it is on the path",
            )
        })
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
            if self.is_stopped() {
                return Err(Failure::Interrupted);
            }
            if began.elapsed() > most {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// To whom a server listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listening {
    /// To programs of this machine.
    Loopback,
    /// To other machines, too.
    Everywhere,
}

/// To whom somebody in the network namespace of a process listens on this port, by the kernel's table
/// (`proc_pid_net(5)`: state 0A): who connected would be the server's one client.
fn listening(process: u32, port: u16) -> Option<Listening> {
    listening_in(&std::fs::read_to_string(format!("/proc/{process}/net/tcp")).unwrap_or_default(), port)
}

fn listening_in(table: &str, port: u16) -> Option<Listening> {
    // In the order of the machine's bytes.
    let loopback = format!("{:08X}", u32::from_ne_bytes([127, 0, 0, 1]));
    let mut found = None;
    for line in table.lines() {
        let mut fields = line.split_whitespace().skip(1);
        let Some((address, end)) = fields.next().and_then(|local| local.split_once(':')) else { continue };
        if u16::from_str_radix(end, 16) != Ok(port) || fields.nth(1) != Some("0A") {
            continue;
        }
        if address != loopback {
            return Some(Listening::Everywhere);
        }
        found = Some(Listening::Loopback);
    }
    found
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
        let environment = vec![("HEADROOM_OF_A_TEST", "c".to_owned())];
        let children = Children { stop: Arc::new(AtomicBool::new(false)), environment };
        let run = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            children.output(&words, &folder.path().join("x"), 1)
        };
        assert_eq!(run(&["echo", "a b"]).unwrap(), "a b\n");
        assert_eq!(run(&["sh", "-c", "echo $HEADROOM_OF_A_TEST $LC_ALL"]).unwrap(), "c C\n");
        assert!(run(&["false"]).unwrap_err().message().contains("false failed"));
        let failure = run(&["/no/such/program"]).unwrap_err();
        assert_eq!(failure.code(), crate::exit::REFUSED);
        children.stop.store(true, Ordering::Relaxed);
        assert!(matches!(run(&["sleep", "100"]), Err(Failure::Interrupted)));
    }

    #[test]
    fn who_listens_to_other_machines_is_told_from_who_does_not() {
        let own = std::process::id();
        for (address, expected) in
            [("127.0.0.1:0", Listening::Loopback), ("0.0.0.0:0", Listening::Everywhere)]
        {
            let listener = std::net::TcpListener::bind(address).unwrap();
            let port = listener.local_addr().unwrap().port();
            assert_eq!(listening(own, port), Some(expected));
        }
        let heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        assert_eq!(listening_in(heading, 80), None);
    }

    #[test]
    fn a_server_that_ends_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let children = Children { stop: Arc::new(AtomicBool::new(false)), environment: Vec::new() };
        let words = ["sh", "-c", "echo no such option; exit 3"].map(str::to_owned);
        let served = children.serve(&words, &folder.path().join("x"), (1, ServerPlace::Loopback));
        let failure = served.err().unwrap();
        assert!(failure.message().contains("no such option"), "{}", failure.message());
    }
}
