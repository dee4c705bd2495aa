//! Where the workers of a session wait for each other.

use std::sync::{Condvar, Mutex, PoisonError};

/// What opens when all workers are there.
#[derive(Debug)]
pub(crate) struct StartBarrier<T> {
    state: Mutex<Option<Option<T>>>,
    opened: Condvar,
}

impl<T> Default for StartBarrier<T> {
    fn default() -> Self {
        Self { state: Mutex::new(None), opened: Condvar::new() }
    }
}

impl<T: Copy> StartBarrier<T> {
    /// Lets everybody through, with something or with nothing to do.
    pub(crate) fn open(&self, with: Option<T>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(with);
        self.opened.notify_all();
    }

    /// What it was opened with, or `None` if the session was called off.
    pub(crate) fn wait(&self) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *state {
                Some(with) => return with,
                None => state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
