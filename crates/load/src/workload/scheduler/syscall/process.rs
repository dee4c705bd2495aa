//! What has to do with other threads and processes: pipes, switches, and making
//! them.

use std::io::{PipeReader, PipeWriter};

use engine::clock;
use engine::fault::Fault;
use engine::placement::pin_this_thread;
use model::{FactName, Value};
use rustix::io::{read, write};

use crate::workload::scheduler::handoff::Waking;
use crate::workload::scheduler::staged::Stages;
use crate::workload::scheduler::syscall::call::{repeat, steps};
use crate::workload::scheduler::syscall::{Batch, OWN_COST};

fn new_pipe() -> Result<(PipeReader, PipeWriter), Fault> {
    std::io::pipe().map_err(|e| Fault::system("making a pipe", e))
}

/// A byte into a pipe and out again.
pub(super) fn pipe(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let (out, into) = new_pipe()?;
    let mut byte = [0; 1];
    Ok(repeat(count, "passing a byte through a pipe", move || {
        write(&into, &[1])?;
        read(&out, &mut byte).map(drop)
    }))
}

struct Switching {
    rounds: u32,
    waking: Waking,
    pipe_s: f64,
}

/// `count` switches between two threads on one CPU, two a round. As lmbench's
/// `lat_ctx`, the time of the same bytes through the same pipes by one thread is
/// taken off afterwards: it is measured here first.
pub(super) fn context_switch(count: u32) -> Result<Box<dyn Batch>, Fault> {
    // The worker may not be pinned; both threads must stay where one of them is.
    let cpu = rustix::thread::sched_getcpu() as u32;
    pin_this_thread(cpu)?;
    // The other thread is there before, so that pipes cost the same: it shares the table of files.
    let waking = Waking::new("pipe", cpu)?;
    let pipe_s = pipe_cost()?;
    Ok(Box::new(Switching { rounds: count.div_ceil(2), waking, pipe_s }))
}

/// Seconds for a byte through a pipe and half a reading of the clock, of which
/// each round has one: the median of some batches.
fn pipe_cost() -> Result<f64, Fault> {
    const BATCH: u32 = 200;
    let mut both = pipe(2)?;
    let mut costs = Vec::with_capacity(21);
    for _ in 0..21 {
        // As the other thread of a round reads it.
        let begin_ns = clock::monotonic_ns();
        for _ in 0..BATCH / 2 {
            both.run()?;
            std::hint::black_box(clock::monotonic_ns());
        }
        costs.push((clock::monotonic_ns() - begin_ns) as f64 / f64::from(BATCH) / 1e9);
    }
    Ok(stats::interval::median(&costs).unwrap_or_default())
}

impl Batch for Switching {
    fn run(&mut self) -> Result<(), Fault> {
        for _ in 0..self.rounds {
            self.waking.operate()?;
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = self.waking.facts();
        facts.push((OWN_COST, Value::Number(self.pipe_s)));
        facts
    }
}

/// A thread that does nothing, made and awaited.
pub(super) fn thread(count: u32) -> Result<Box<dyn Batch>, Fault> {
    Ok(steps(count, || {
        let thread = std::thread::Builder::new().spawn(|| {});
        let thread = thread.map_err(|e| Fault::system("making a thread", e))?;
        thread.join().map_err(|_| Fault::Panic("a thread that does nothing".to_owned()))
    }))
}

/// Awaits a child by its number; what it ended with must be 0.
fn await_child(child: libc::pid_t, what: &str) -> Result<(), Fault> {
    let mut status = 0;
    loop {
        // SAFETY: it writes the status of a child that is ours and not awaited.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        if ended == child {
            break;
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(Fault::system(format!("waiting for {what}"), error));
        }
    }
    if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
        return Ok(());
    }
    Err(Fault::Verification(format!("{what} ended with status {status}")))
}

/// A copy of this process that ends at once.
pub(super) fn fork(count: u32) -> Result<Box<dyn Batch>, Fault> {
    Ok(steps(count, || {
        // SAFETY: the child calls nothing but `_exit`, which may be
        // called whatever the other threads held when it was made.
        let child = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(0);
            }
            child
        };
        if child < 0 {
            return Err(Fault::system("forking", std::io::Error::last_os_error()));
        }
        await_child(child, "a copy of this process")
    }))
}

/// `/bin/true`, by posix_spawn, which copies no memory: without arguments and
/// environment.
pub(super) fn exec(count: u32) -> Result<Box<dyn Batch>, Fault> {
    Ok(steps(count, || {
        let path = c"/bin/true";
        let mut child = 0;
        let arguments = [path.as_ptr().cast_mut(), std::ptr::null_mut()];
        let environment = [std::ptr::null_mut::<libc::c_char>()];
        // SAFETY: the path and both lists end as they must and live until
        // the call returns; nothing is written through the former.
        let error = unsafe {
            libc::posix_spawn(
                &raw mut child,
                path.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                arguments.as_ptr(),
                environment.as_ptr(),
            )
        };
        if error != 0 {
            return Err(Fault::system("starting /bin/true", std::io::Error::from_raw_os_error(error)));
        }
        await_child(child, "/bin/true")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_fails_is_told() {
        // SAFETY: as in `fork`.
        let child = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(3);
            }
            child
        };
        assert!(await_child(child, "a child").unwrap_err().to_string().contains("a child"));
        assert!(await_child(child, "a child").is_err(), "it is gone");
    }

    #[test]
    fn a_pipe_takes_time() {
        assert!(pipe_cost().unwrap() > 0.0);
    }
}
