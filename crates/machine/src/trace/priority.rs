//! The priority of the thread that analyses a trace. What was read may wait in memory, and the load that is traced
//! may not: while there is room, that thread takes only what the CPUs have left over. Its priority is raised by the
//! thread that reads, for one that gets no CPU cannot do so itself.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use rustix::process::{Pid, getpriority_process, setpriority_process};
use rustix::thread::gettid;

/// The lowest priority (`setpriority(2)`).
const LOWEST: i32 = 19;

/// The thread that analyses.
#[derive(Debug)]
struct Analyser {
    thread: Pid,
    /// Its priority before.
    usual: i32,
    is_low: bool,
}

/// Where the priority of the thread that analyses is changed, if that was asked for.
#[derive(Debug, Default)]
pub(super) struct AnalysisPriority(Mutex<Option<Analyser>>);

impl AnalysisPriority {
    /// Lowers the priority of the calling thread from now on; does nothing where it could not be raised again.
    pub(super) fn begin(&self) {
        // Of thread 0: the one that calls.
        let Ok(usual) = getpriority_process(None) else { return };
        if usual >= LOWEST || !comes_back(usual) {
            return;
        }
        *self.analyser() = Some(Analyser { thread: gettid(), usual, is_low: false });
        self.set_low(true);
    }

    /// Lowers it or raises it to what it was.
    pub(super) fn set_low(&self, is_low: bool) {
        if let Some(analyser) = &mut *self.analyser() {
            analyser.set_low(is_low);
        }
    }

    /// Raises it for good.
    pub(super) fn end(&self) {
        if let Some(mut analyser) = self.analyser().take() {
            analyser.set_low(false);
        }
    }

    fn analyser(&self) -> MutexGuard<'_, Option<Analyser>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Analyser {
    fn set_low(&mut self, is_low: bool) {
        if self.is_low != is_low {
            let priority = if is_low { LOWEST } else { self.usual };
            // On Linux a priority is a thread's own.
            if setpriority_process(Some(self.thread), priority).is_ok() {
                self.is_low = is_low;
            }
        }
    }
}

/// Whether a thread whose priority was lowered may have its usual one again (`CAP_SYS_NICE`, `RLIMIT_NICE`):
/// tried by one that is made for it.
fn comes_back(usual: i32) -> bool {
    let tried = move || {
        let lowered = setpriority_process(None, LOWEST);
        lowered.and_then(|()| setpriority_process(None, usual)).is_ok()
    };
    Builder::new().spawn(tried).is_ok_and(|thread| thread.join().unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread::spawn;

    use super::*;

    #[test]
    fn a_priority_that_was_lowered_comes_back() {
        let own = || getpriority_process(None).unwrap();
        let thread = spawn(move || {
            let usual = own();
            let priority = Arc::new(AnalysisPriority::default());
            priority.begin();
            let lowered = own();
            let other = Arc::clone(&priority);
            spawn(move || other.set_low(false)).join().unwrap();
            let raised = own();
            priority.set_low(true);
            let again = own();
            priority.end();
            let ended = own();
            priority.set_low(true);
            (usual, [lowered, raised, again, ended, own()])
        });
        let (usual, found) = thread.join().unwrap();
        let low = if usual < LOWEST && comes_back(usual) { LOWEST } else { usual };
        assert_eq!(found, [low, usual, low, usual, usual]);
        assert_eq!(own(), usual);
    }
}
