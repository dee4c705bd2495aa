//! What a node bears: how much, how many, how long. One place, so that a reader
//! sees all of it.

use std::time::Duration;

/// How long one end may hear nothing of the other before it counts as gone; one
/// that lives says at least an empty frame every [`super::WORD_EVERY`]. Longer than
/// a link may need to return when its MTU is changed (15 s, `setting::mtu`).
pub(super) const SILENCE: Duration = Duration::from_secs(20);

/// The same while a load runs, when no link is changed.
pub(super) const SILENCE_LOADED: Duration = Duration::from_secs(10);

/// The same while datagrams may fill the way, and words are lost with them.
pub(super) const SILENCE_FLOODED: Duration = Duration::from_secs(30);

/// What a node bears. [`Limits::default`] is what `headroom node` has; tests
/// have shorter times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections that have not shown the key yet, at once. One more, and another
    /// goes.
    pub strangers: usize,
    /// Connections that are told, at once, that their address is not allowed: none
    /// of them takes the place of one that is.
    pub turned_away: usize,
    /// How long one may take to show it.
    pub stranger: Duration,
    /// Controllers at once.
    pub sessions: usize,
    /// The longest request, bytes.
    pub frame: usize,
    /// How long a request may take to arrive, or a reply to be taken.
    pub slow: Duration,
    /// How long a controller may say nothing.
    pub silence: Duration,
    /// The same during a trial, whose own connections notice a dead end sooner.
    pub silence_in_trial: Duration,
    /// The same after a trial that failed.
    pub silence_after_failure: Duration,
    /// How long the agent's process may give no sign of life during a trial.
    pub stalled: Duration,
    /// The same while it does anything else.
    pub stuck: Duration,
    /// How long a rendezvous address may be open without a trial, while others wait.
    pub rendezvous: Duration,
    /// How long a trial may last.
    pub trial: Duration,
    /// How often a controller hears that it still waits.
    pub waiting: Duration,
    /// How long the last words may take.
    pub parting: Duration,
    /// What the agent's process may have of its own, bytes (`RLIMIT_DATA`).
    pub memory: u64,
    /// The files that it sends who asks for them, by their whole paths; it opens no others.
    pub files: Vec<String>,
    /// The devices and folders on which it makes stacks to present them, by their whole paths; it touches no others.
    pub presents: Vec<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            strangers: 32,
            turned_away: 8,
            stranger: Duration::from_secs(5),
            sessions: 16,
            frame: 4 << 20,
            slow: Duration::from_secs(30),
            silence: SILENCE,
            silence_in_trial: SILENCE_FLOODED,
            silence_after_failure: SILENCE_LOADED,
            // It gives one every 200 ms.
            stalled: Duration::from_secs(5),
            // A link may need 15 s to return after its MTU was changed.
            stuck: Duration::from_secs(60),
            rendezvous: Duration::from_secs(60),
            trial: Duration::from_secs(2 * 86_400),
            waiting: Duration::from_secs(60),
            parting: Duration::from_secs(2),
            memory: 4 << 30,
            files: Vec::new(),
            presents: Vec::new(),
        }
    }
}
