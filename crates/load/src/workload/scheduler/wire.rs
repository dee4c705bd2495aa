//! The three ways by which one thread wakes another here: a futex, a pipe, an
//! eventfd. Each end has a wire of its own to be woken by.
//!
//! Nobody spins: who waits, sleeps in the kernel unless it was woken already.
//! The standard library differs there: its mutex and its channels look some
//! hundred times before they sleep, and `park` is one futex as here.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};

use engine::fault::Fault;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::thread::futex;

/// By what the thread at its end is woken.
#[derive(Debug)]
pub(super) enum Wire {
    /// A word that counts wake-ups, on a cache line of its own.
    Futex(Box<FutexWord>),
    /// A byte for each wake-up.
    Pipe(PipeReader, PipeWriter),
    /// A count of wake-ups that a read takes.
    Eventfd(OwnedFd),
}

#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct FutexWord(AtomicU32);

impl Wire {
    /// A wire of the kind that the parameter `by` names.
    ///
    /// # Errors
    /// If the kernel has no descriptor for it, or there is no such kind.
    pub(super) fn new(by: &str) -> Result<Self, Fault> {
        let failed = |e: std::io::Error| Fault::system(format!("making a {by} to wake a thread by"), e);
        Ok(match by {
            "futex" => Wire::Futex(Box::default()),
            "pipe" => std::io::pipe().map(|(read, write)| Wire::Pipe(read, write)).map_err(failed)?,
            "eventfd" => Wire::Eventfd(eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| failed(e.into()))?),
            other => return Err(Fault::Other(format!("no thread is woken by `{other}`"))),
        })
    }

    /// Wakes who waits at its end, or will.
    #[inline]
    pub(super) fn wake(&self) -> Result<(), Fault> {
        match self {
            Wire::Futex(word) => {
                word.0.fetch_add(1, Ordering::Release);
                futex::wake(&word.0, futex::Flags::PRIVATE, 1).map(|_| ()).map_err(std::io::Error::from)
            }
            Wire::Pipe(_, write) => { write }.write_all(&[1]),
            Wire::Eventfd(fd) => all(|| rustix::io::write(fd, &1u64.to_ne_bytes())),
        }
        .map_err(|e| Fault::system("waking the other thread", e))
    }

    /// Waits for one wake-up; `taken` counts those that the caller had.
    #[inline]
    pub(super) fn wait(&self, taken: &mut u32) -> Result<(), Fault> {
        let result = match self {
            Wire::Futex(word) => loop {
                if word.0.load(Ordering::Acquire) != *taken {
                    break Ok(());
                }
                match futex::wait(&word.0, futex::Flags::PRIVATE, *taken, None) {
                    // Again: it was woken before it slept.
                    Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(e) => break Err(e.into()),
                }
            },
            Wire::Pipe(read, _) => { read }.read_exact(&mut [0]),
            Wire::Eventfd(fd) => all(|| rustix::io::read(fd, &mut [0; 8])),
        };
        *taken = taken.wrapping_add(1);
        result.map_err(|e| Fault::system("waiting for the other thread", e))
    }
}

/// A transfer of 8 bytes, which an eventfd does whole or not at all.
fn all(mut transfer: impl FnMut() -> rustix::io::Result<usize>) -> std::io::Result<()> {
    loop {
        match transfer() {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wake_up_is_kept_for_who_waits_later_and_counts_once() {
        for by in ["futex", "pipe", "eventfd"] {
            let wire = Wire::new(by).unwrap();
            let mut taken = 0;
            wire.wake().unwrap();
            wire.wait(&mut taken).unwrap();
            std::thread::scope(|scope| {
                let waiter = scope.spawn(|| wire.wait(&mut taken.clone()));
                std::thread::sleep(std::time::Duration::from_millis(5));
                assert!(!waiter.is_finished(), "{by}: the second wait must sleep");
                wire.wake().unwrap();
                waiter.join().unwrap().unwrap();
            });
        }
        assert!(Wire::new("carrier pigeon").is_err());
    }
}
