//! Programs that an attack starts: with an end to every wait, and what they said
//! kept in files, for a pipe is held open by whoever is left of them.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::round::Trouble;

/// How long a command may take that has nothing to wait for. The machine is full
/// of other work, so this is for what would never end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    status: ExitStatus,
    /// What it printed on standard output.
    pub(crate) printed: String,
    /// What it said on standard error.
    pub(crate) said: String,
    typed: String,
}

impl Ended {
    /// Its exit code, if it ended by itself.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// # Errors
    /// If it ended otherwise than by one of these codes.
    pub(crate) fn with(self, codes: &[i32]) -> Result<Self, Trouble> {
        match self.code() {
            Some(code) if codes.contains(&code) => Ok(self),
            _ => Err(self.fault(&format!("it did not end with one of {codes:?}"))),
        }
    }

    /// A fault of this command, with what it said.
    pub(crate) fn fault(&self, what: &str) -> Trouble {
        Trouble::Fault(format!(
            "{what}: `{}` ended with {}\n  printed: {}\n  said: {}",
            self.typed,
            self.status,
            tail(&self.printed),
            tail(&self.said)
        ))
    }
}

/// The end of a long text.
fn tail(text: &str) -> String {
    const LINES: usize = 12;
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n    ")
}

/// A command that runs, at the head of a process group of its own.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    printed: File,
    said: File,
    typed: String,
    begun: Instant,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Result<Self, Trouble> {
        let failed = |e: std::io::Error| Trouble::Untried(format!("{command:?}: {e}"));
        let file = || tempfile::tempfile().map_err(|e| Trouble::Untried(format!("a scratch file: {e}")));
        let (printed, said) = (file()?, file()?);
        let end_of = |file: &File| file.try_clone().map(Stdio::from);
        let (out, err) = (end_of(&printed).map_err(failed)?, end_of(&said).map_err(failed)?);
        let typed = typed(&command);
        command.stdin(Stdio::null()).stdout(out).stderr(err).process_group(0);
        let child = command.spawn().map_err(|e| Trouble::Untried(format!("{typed}: {e}")))?;
        Ok(Self { child, printed, said, typed, begun: Instant::now() })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The processes that it started itself, from any of its threads.
    pub(crate) fn children(&self) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).into_iter().flatten().flatten();
        let texts =
            tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
        texts
            .flat_map(|text| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>())
            .collect()
    }

    /// Kills its agents; whether there was one.
    pub(crate) fn kill_agents(&self) -> bool {
        let all = self.children();
        all.iter().for_each(|id| send(*id, Signal::KILL));
        !all.is_empty()
    }

    /// The signal that ended it, if it has ended by one.
    pub(crate) fn signal_of_end(&mut self) -> Option<i32> {
        self.child.try_wait().ok().flatten()?.signal()
    }

    /// What it printed until now.
    pub(crate) fn printed(&self) -> String {
        whole(&self.printed)
    }

    /// What it said until now.
    pub(crate) fn said(&self) -> String {
        whole(&self.said)
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Sends it a signal; nothing happens if it is gone.
    pub(crate) fn signal(&self, signal: Signal) {
        send(self.id(), signal);
    }

    /// Sends a signal to all of its group.
    pub(crate) fn signal_group(&self, signal: Signal) {
        if let Some(group) = pid(self.id()) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Waits for its end, which must be neither a panic nor a signal that nobody sent;
    /// `sent` are those that somebody did.
    pub(crate) fn end(mut self, patience: Duration, sent: &[Signal]) -> Result<Ended, Trouble> {
        let until = Instant::now() + patience;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                Ok(None) => {
                    let after = self.begun.elapsed().as_secs();
                    return Err(Trouble::Fault(format!(
                        "`{}` had not ended after {after} s\n  said: {}",
                        self.typed,
                        tail(&self.said())
                    )));
                }
                Err(e) => return Err(Trouble::Untried(format!("waiting for `{}`: {e}", self.typed))),
            }
        };
        let ended = Ended { status, printed: self.printed(), said: self.said(), typed: self.typed.clone() };
        if ended.said.contains("panicked at") || ended.code() == Some(101) {
            return Err(ended.fault("it panicked"));
        }
        match status.signal() {
            Some(signal) if !sent.iter().any(|one| one.as_raw() == signal) => {
                Err(ended.fault("it ended by a signal that nobody sent"))
            }
            _ => Ok(ended),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal_group(Signal::KILL);
        let _ = self.child.wait();
    }
}

fn whole(file: &File) -> String {
    let mut bytes = Vec::new();
    // The program writes at the same place of the same open file: look at it by another.
    let again = File::open(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file)));
    if let Ok(mut again) = again {
        let _ = again.rewind();
        let _ = again.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn typed(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Sends a signal to a process; nothing happens if it is gone.
pub(crate) fn send(id: u32, signal: Signal) {
    if let Some(process) = pid(id) {
        let _ = kill_process(process, signal);
    }
}

/// Runs a tool of the attack's own to its end.
pub(crate) fn tool(program: &str, arguments: &[&str]) -> Result<String, Trouble> {
    let mut command = Command::new(program);
    command.args(arguments);
    tool_of(command)
}

/// The same for a command that is made up already.
pub(crate) fn tool_of(command: Command) -> Result<String, Trouble> {
    let typed = typed(&command);
    match Running::start(command)?.end(PATIENCE, &[]) {
        Ok(ended) if ended.is_success() => Ok(ended.printed),
        Ok(ended) => Err(Trouble::Untried(format!("`{typed}`: {} {}", ended.status, tail(&ended.said)))),
        Err(Trouble::Fault(why) | Trouble::Untried(why)) => Err(Trouble::Untried(why)),
    }
}
