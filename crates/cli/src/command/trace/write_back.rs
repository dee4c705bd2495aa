//! What a command wrote into memory is on no device when it ends: it is written back within the trace, so that it is
//! seen. A child process waits for that, for nothing ends a process whose device does not answer.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use report::trace::TraceCaution;

use crate::output;

/// How long it may take at most: a disk writes some tens of gigabytes in that time.
const MOST: Duration = Duration::from_secs(300);
/// After so long it is said what is waited for.
const TOLD_AFTER: Duration = Duration::from_secs(1);

/// Writes file systems back once a command has ended.
#[derive(Debug, Default)]
pub(super) struct WriteBack {
    state: WriteBackState,
    /// The process that waits for the devices, or did.
    process: Option<u32>,
}

#[derive(Debug, Default)]
enum WriteBackState {
    /// The command runs.
    #[default]
    Waiting,
    UnderWay {
        child: Child,
        began: Instant,
        is_told: bool,
    },
    Over {
        is_whole: bool,
    },
}

impl WriteBack {
    /// Whether it has begun.
    pub(super) const fn has_begun(&self) -> bool {
        !matches!(self.state, WriteBackState::Waiting)
    }

    /// Whether this process waits for the devices, or did.
    pub(super) fn is_own(&self, process: u32) -> bool {
        self.process == Some(process)
    }

    /// Whether it was said what is waited for.
    pub(super) const fn is_told(&self) -> bool {
        matches!(self.state, WriteBackState::UnderWay { is_told: true, .. })
    }

    /// Begins, with the file systems that have these folders.
    pub(super) fn begin(&mut self, folders: &[PathBuf]) {
        if folders.is_empty() {
            self.state = WriteBackState::Over { is_whole: true };
            return;
        }
        let mut command = Command::new("/proc/self/exe");
        command.arg("syncfs").arg("--").args(folders).stdin(Stdio::null()).stdout(Stdio::null());
        self.state = match command.spawn() {
            Ok(child) => {
                self.process = Some(child.id());
                WriteBackState::UnderWay { child, began: Instant::now(), is_told: false }
            }
            Err(error) => {
                output::note(&format!("What the command left in memory cannot be written back: {error}\n"));
                WriteBackState::Over { is_whole: false }
            }
        };
    }

    /// Whether it goes on; where that takes long it is said once.
    pub(super) fn goes_on(&mut self) -> bool {
        let WriteBackState::UnderWay { child, began, is_told } = &mut self.state else { return false };
        let is_whole = match child.try_wait() {
            Ok(Some(status)) => status.success(),
            Ok(None) if began.elapsed() < MOST => {
                if !*is_told && began.elapsed() >= TOLD_AFTER {
                    *is_told = true;
                    output::note(
                        "The command has ended. What was left in memory is written back; Ctrl-C ends that.\n",
                    );
                }
                return true;
            }
            // It has had its time, or the kernel does not say.
            Ok(None) | Err(_) => {
                end(child);
                false
            }
        };
        self.state = WriteBackState::Over { is_whole };
        false
    }

    /// Ends it where it goes on; gives what must be said of it.
    pub(super) fn finish(&mut self) -> Option<TraceCaution> {
        if self.goes_on()
            && let WriteBackState::UnderWay { child, .. } = &mut self.state
        {
            end(child);
            self.state = WriteBackState::Over { is_whole: false };
        }
        matches!(self.state, WriteBackState::Over { is_whole: false }).then_some(TraceCaution::LeftInMemory)
    }
}

impl Drop for WriteBack {
    fn drop(&mut self) {
        if let WriteBackState::UnderWay { child, .. } = &mut self.state {
            end(child);
        }
    }
}

/// Ends the process. One that waits in the kernel ends when it can, and that is not waited for.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.try_wait();
}
