//! `headroom watch --peer`: other machines, each asked by a thread of its own, so that one that does not answer holds up
//! nothing.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::node::{JoinString, NodeAgent};
use ::watch::far::far_situation;
use ::watch::limit_book::LimitBook;
use ::watch::situation::Situation;
use agent::{Agent, AgentError, CallContext, unexpected};
use model::Machine;
use model::message::{Reply, Request};
use store::SqliteStore;

use crate::accept_nodes::{self, NodeWait};
use crate::exit::Failure;

/// How long a machine may take for an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Another machine is asked no more often.
const INTERVAL_LEAST: Duration = Duration::from_secs(1);
/// How long one that does not answer is left alone.
const REST: Duration = Duration::from_secs(3);
/// How often the end is looked for.
const GLANCE: Duration = Duration::from_millis(50);
/// How long threads have to end.
const GRACE: Duration = Duration::from_secs(1);

/// How they are watched.
pub(super) struct FarSettings<'a> {
    pub(super) interval: Duration,
    pub(super) window: Duration,
    pub(super) store: Option<PathBuf>,
    /// What this machine is called.
    pub(super) here: &'a str,
}

/// What is known of one of them.
#[derive(Default)]
struct FarState {
    situation: Option<Situation>,
    is_silent: bool,
}

struct FarEnd {
    name: String,
    state: Arc<Mutex<FarState>>,
    thread: JoinHandle<()>,
}

/// Other machines under watch, until it is dropped.
pub(super) struct FarEnds {
    ends: Vec<FarEnd>,
    over: Arc<AtomicBool>,
}

impl FarEnds {
    /// Reaches all of them.
    pub(super) fn reach(
        peers: &[String],
        settings: &FarSettings<'_>,
        waiting: &NodeWait,
    ) -> Result<Self, Failure> {
        let mut all = Self { ends: Vec::new(), over: Arc::default() };
        for peer in peers {
            let end = all.begin(peer, settings, waiting)?;
            all.ends.push(end);
        }
        Ok(all)
    }

    fn begin(&self, peer: &str, settings: &FarSettings<'_>, waiting: &NodeWait) -> Result<FarEnd, Failure> {
        let (mut agent, address) = dial(peer, waiting)?;
        let refused = |error: AgentError| {
            let help = "look what `headroom node` says there";
            Failure::refused(format!("{address} cannot be watched: {error}"), help)
        };
        let machine = asked(|watch| agent.describe(watch), &self.over).map_err(refused)?;
        // An older release answers that it does not know the question.
        look(&mut agent, settings.window, &self.over).map_err(refused)?;
        let known = |name: &str| name == settings.here || self.ends.iter().any(|end| end.name == name);
        let name = if known(&machine.hostname) { address } else { machine.hostname.clone() };
        let state: Arc<Mutex<FarState>> = Arc::default();
        let mut watching = FarWatching {
            name: name.clone(),
            book: known_limits(&machine, settings.store.as_ref()),
            machine,
            agent,
            interval: settings.interval.max(INTERVAL_LEAST),
            window: settings.window,
            state: Arc::clone(&state),
            over: Arc::clone(&self.over),
        };
        let thread = std::thread::Builder::new().name("peer".to_owned()).spawn(move || watching.run());
        let thread =
            thread.map_err(|e| Failure::refused(format!("no thread can be started: {e}"), "try again"))?;
        Ok(FarEnd { name, state, thread })
    }

    /// Adds what they do to what this machine does.
    pub(super) fn add_to(&self, situation: &mut Situation) {
        for end in &self.ends {
            let state = end.state.lock().unwrap_or_else(PoisonError::into_inner);
            match &state.situation {
                _ if state.is_silent => situation.silent.push(end.name.clone()),
                Some(far) => situation.add_far(far),
                None => {}
            }
        }
    }
}

impl Drop for FarEnds {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let until = Instant::now() + GRACE;
        // Their connections end with this process in any case.
        while self.ends.iter().any(|end| !end.thread.is_finished()) && Instant::now() < until {
            std::thread::sleep(GLANCE);
        }
    }
}

/// The agent behind a join string, or one that comes, and its address.
fn dial(peer: &str, waiting: &NodeWait) -> Result<(NodeAgent, String), Failure> {
    if peer.starts_with(accept_nodes::SCHEME) {
        let agent = waiting.receive(peer, PATIENCE)?;
        let address = agent.place();
        return Ok((agent, address));
    }
    let join = JoinString::parse(peer).map_err(|error| {
        Failure::arguments(
            format!("what follows --peer is no join string: {error}"),
            "copy it whole, as `headroom node` on the other machine prints it, in quotes; listen://:7117 waits for a \
             machine that can only dial out",
        )
    })?;
    let address = join.place();
    let help = "`headroom node` on the other machine prints the string to give here";
    let agent = NodeAgent::dial(join, PATIENCE).map_err(|e| Failure::refused(e.to_string(), help))?;
    Ok((agent, address))
}

/// What kept runs of that machine tell; without a store less is known.
fn known_limits(machine: &Machine, store: Option<&PathBuf>) -> LimitBook {
    let mut book = LimitBook::of_machine(machine);
    if let Some(store) = store.filter(|path| path.exists()).and_then(|path| SqliteStore::open(path).ok()) {
        let _ = book.add_runs(&store, machine);
    }
    book
}

fn asked<T>(ask: impl FnOnce(&mut CallContext<'_>) -> T, over: &AtomicBool) -> T {
    let cancelled = || over.load(Ordering::Relaxed);
    ask(&mut CallContext { on_event: &mut |_| {}, cancelled: &cancelled })
}

/// What it does now.
fn look(
    agent: &mut NodeAgent,
    window: Duration,
    over: &AtomicBool,
) -> Result<model::machine_use::MachineUse, AgentError> {
    let request = Request::LookAtUse { window_s: window.as_secs_f64() };
    match asked(|watch| agent.call(request, watch), over)? {
        Reply::Use(told) => Ok(*told),
        other => Err(unexpected(other)),
    }
}

/// One of them, on its thread.
struct FarWatching {
    name: String,
    machine: Machine,
    book: LimitBook,
    agent: NodeAgent,
    interval: Duration,
    window: Duration,
    state: Arc<Mutex<FarState>>,
    over: Arc<AtomicBool>,
}

impl FarWatching {
    fn run(&mut self) {
        while !self.over.load(Ordering::Relaxed) {
            let began = Instant::now();
            let told = look(&mut self.agent, self.window, &self.over);
            let rest = if told.is_ok() { self.interval } else { REST };
            let situation = told.ok().map(|told| far_situation(&self.name, &self.machine, &told, &self.book));
            let is_silent = situation.is_none();
            *self.state.lock().unwrap_or_else(PoisonError::into_inner) = FarState { situation, is_silent };
            while began.elapsed() < rest && !self.over.load(Ordering::Relaxed) {
                std::thread::sleep(GLANCE);
            }
        }
    }
}
