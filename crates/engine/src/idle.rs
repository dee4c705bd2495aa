//! The rest before and after a load: for so long nothing runs while the
//! machine is watched, so that what it does by itself (how warm it is, what it
//! draws) can be held against what it does under the load. No part of the work
//! and none of the window.

/// How long nothing runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdlePhases {
    /// Before the warm-up, ns; all workers are ready and wait.
    pub idle_ns: u64,
    /// After the last worker has ended its operations, ns.
    pub cool_down_ns: u64,
}

impl IdlePhases {
    /// Whether there is any.
    #[must_use]
    pub fn is_asked(self) -> bool {
        self != IdlePhases::default()
    }
}
