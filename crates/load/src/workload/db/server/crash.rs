//! A server of ours that is killed on purpose and started again: what it does then is what is measured.
//!
//! All of its processes are killed. The first is stopped before: it can start none then, and reaps none, so that the
//! number of each of its children is still its own when the signal comes. PostgreSQL's children are in groups of
//! their own (`setsid` in `InitPostmasterChild`), and would end by themselves only when they notice.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use engine::lock;
use rustix::process::{Pid, Signal};

use crate::workload::db::password::Password;
use crate::workload::db::server::process::ServerProcess;
use crate::workload::db::server::{
    ATTEMPTS, Launch, PAUSE, PrivateServer, ServerPlace, ServerRequest, launch, url,
};
use crate::workload::db::url::DatabaseUrl;

/// How long it may take until a process that was told to stop does nothing any more.
const STOPPED_WITHIN: Duration = Duration::from_secs(1);

/// A server of ours, for whoever kills it. A server that was started again dies with the thread that did that: the
/// kernel's signal at the death of a parent is one at the death of its thread (prctl(2), `PR_SET_PDEATHSIG`).
#[derive(Clone, Debug)]
pub(in crate::workload) struct CrashableServer {
    request: ServerRequest,
    place: ServerPlace,
    process: Arc<Mutex<ServerProcess>>,
}

impl PrivateServer {
    /// This server, for whoever kills it.
    pub(in crate::workload) fn crashable(&self) -> CrashableServer {
        let (request, place) = (self.request.clone(), self.place.clone());
        CrashableServer { request, place, process: Arc::clone(&self.process) }
    }
}

impl CrashableServer {
    /// Where it is, without a database.
    pub(in crate::workload) fn url(&self) -> DatabaseUrl {
        url(&self.request, &self.place, "")
    }

    /// The password of its user.
    pub(in crate::workload) fn password(&self) -> Password {
        self.place.around.password.clone()
    }

    /// Kills all of its processes (SIGKILL), and waits until the first has ended.
    ///
    /// # Errors
    /// If it had ended before, or cannot be killed.
    pub(in crate::workload) fn kill(&self) -> Result<(), Fault> {
        let mut process = lock(&self.process);
        if let Some(status) = process.ended() {
            let (name, reason) = (self.request.product().name(), process.reason());
            return Err(Fault::Other(format!("{name} ended before it was killed ({status}){reason}")));
        }
        let first = process.id();
        stop(first);
        for child in children(first) {
            // It is not reaped as long as its parent is stopped, so the number is still its own.
            signal(child, Signal::KILL);
        }
        process.stop(&[])
    }

    /// Starts it again, with what it left; returns when it lets clients in. `goes_on` is asked all the time whether to.
    ///
    /// # Errors
    /// If it does not come up.
    pub(in crate::workload) fn restart(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), Fault> {
        let mut attempts = 1;
        let started = loop {
            match launch(&self.request, &self.place, Launch::Again, goes_on) {
                Err(fault) if attempts < ATTEMPTS && !matches!(fault, Fault::Cancelled) => {
                    // Processes of one that was killed may hold its memory for a moment.
                    std::thread::sleep(PAUSE);
                    attempts += 1;
                }
                other => break other?,
            }
        };
        *lock(&self.process) = started;
        Ok(())
    }
}

/// Sends a signal to a process that cannot have been reaped.
fn signal(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // One that has ended needs none.
        let _ = rustix::process::kill_process(process, signal);
    }
}

/// Stops a process and waits until it does nothing any more.
fn stop(process: u32) {
    signal(process, Signal::STOP);
    let end = Instant::now() + STOPPED_WITHIN;
    let is_running = || state_and_parent(process).is_some_and(|(state, _)| !matches!(state, 'T' | 'Z'));
    while is_running() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The state of a process and the number of its parent (proc(5), `/proc/pid/stat`).
fn state_and_parent(process: u32) -> Option<(char, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // A name may have spaces and parentheses.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// The children of a process.
fn children(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|process| state_and_parent(*process).is_some_and(|(_, own)| own == parent)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_process_does_nothing_and_its_children_are_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(children(std::process::id()).contains(&child.id()));
        stop(child.id());
        let (state, parent) = state_and_parent(child.id()).unwrap();
        assert_eq!((state, parent), ('T', std::process::id()));
        signal(child.id(), Signal::KILL);
        assert!(!child.wait().unwrap().success());
        assert!(!children(std::process::id()).contains(&child.id()));
    }
}
