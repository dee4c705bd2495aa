//! What a node bears: how much, how many, how long. One place, so that a reader
//! sees all of it.

use std::time::Duration;

/// What a node bears. [`Limits::default`] is what `headroom node` has; tests
/// have shorter times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections that have not shown the key yet, at once.
    pub strangers: usize,
    /// The same of one address.
    pub strangers_of_one: usize,
    /// How long one may take to show it.
    pub stranger: Duration,
    /// Controllers at once.
    pub sessions: usize,
    /// The longest request, bytes.
    pub frame: usize,
    /// How long a request may take to arrive, or a reply to be taken.
    pub slow: Duration,
    /// How long a controller may say nothing. One that lives says at least an
    /// empty frame every [`super::WORD_EVERY`].
    pub silence: Duration,
    /// How long a door may be open without a trial, while others wait.
    pub door: Duration,
    /// How long a trial may last.
    pub trial: Duration,
    /// How often a controller hears that it still waits.
    pub waiting: Duration,
    /// How long the last words may take.
    pub parting: Duration,
    /// What the agent's process may have of its own, bytes (`RLIMIT_DATA`).
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            strangers: 32,
            strangers_of_one: 8,
            stranger: Duration::from_secs(5),
            sessions: 16,
            frame: 4 << 20,
            slow: Duration::from_secs(30),
            silence: Duration::from_secs(75),
            door: Duration::from_secs(60),
            trial: Duration::from_secs(2 * 86_400),
            waiting: Duration::from_secs(60),
            parting: Duration::from_secs(2),
            memory: 4 << 30,
        }
    }
}
