//! One controller at a node: a thread that moves frames between the TLS
//! connection and the agent's process, looks at each request, and knows when it
//! is this controller's turn to measure. It sleeps in `poll` and wakes for bytes
//! and deadlines only: it shares a machine with what is measured.

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::child::ChildCommand;
use agent::wire;
use model::message::{FromAgent, Reply};
use rustix::event::{PollFd, PollFlags};

use super::WORD_EVERY;
use super::admit::{self, Admitted, Kind};
use super::ending::Ending;
use super::frame::Frames;
use super::limits::Limits;
use super::measurement_lock::{LockOutcome, MeasurementLock, Waker};
use super::presented::PresentedOrders;
use super::relay::{SendBuffer, Worker};
use super::reply::{is_reply, short_reply};
use super::secure::{Secure, wait, wait_until};

/// What waits for the controller at most before the agent's process is not read
/// any more, bytes.
const OUT_MAX: usize = 1 << 20;
/// What waits for the agent's process at most before the controller is not read
/// any more, bytes.
const IN_MAX: usize = 8 << 20;

/// What all sessions of a node share.
pub(super) struct SharedState<'a> {
    pub(super) lock: &'a MeasurementLock,
    pub(super) command: &'a ChildCommand,
    pub(super) limits: &'a Limits,
    /// Can be read from when the node is to end.
    pub(super) stop: BorrowedFd<'a>,
}

pub(super) struct NodeSession<'a> {
    shared: &'a SharedState<'a>,
    id: u64,
    from: IpAddr,
    here: IpAddr,
    secure: Secure,
    frames: Frames,
    out: SendBuffer,
    worker: Option<Worker>,
    waker: Arc<Waker>,
    /// What is not answered yet, and since when.
    under_way: Option<(Kind, Instant)>,
    /// A request for a rendezvous address that waits for the lock.
    held_back: Option<Vec<u8>>,
    /// When the controller heard last that it waits.
    told: Instant,
    /// Since when a rendezvous address is open without a trial.
    rendezvous: Option<Instant>,
    /// Whether settings of this controller hold.
    changed: bool,
    /// What is presented to it.
    presented: PresentedOrders,
    /// Whether the last trial of this controller failed.
    failed: bool,
    /// Whether an agent's process died over settings that it had changed.
    left: bool,
    /// When the controller said something last.
    heard: Instant,
    /// When it was told something last.
    said: Instant,
    /// When the agent's process said something last.
    sign: Instant,
    /// Since when a frame is not whole.
    inside: Option<Instant>,
}

impl<'a> NodeSession<'a> {
    /// With a controller that was let in; `frames` is what came after its first
    /// word.
    pub(super) fn new(
        shared: &'a SharedState<'a>,
        id: u64,
        (secure, mut frames): (Secure, Frames),
    ) -> io::Result<Self> {
        frames.allow(shared.limits.frame);
        let now = Instant::now();
        Ok(Self {
            shared,
            id,
            from: secure.tcp().peer_addr()?.ip().to_canonical(),
            here: secure.tcp().local_addr()?.ip().to_canonical(),
            secure,
            frames,
            out: SendBuffer::default(),
            worker: None,
            waker: Arc::new(Waker::new()?),
            under_way: None,
            held_back: None,
            told: now,
            rendezvous: None,
            changed: false,
            presented: PresentedOrders::default(),
            failed: false,
            left: false,
            heard: now,
            said: now,
            sign: now,
            inside: None,
        })
    }

    /// Serves the controller to the end; nothing of it is left.
    pub(super) fn run(mut self) -> Ending {
        let mut turn = self.take_frames();
        let ending = loop {
            match turn {
                Ok(()) => turn = self.turn(),
                Err(ending) => break ending,
            }
        };
        self.close(&ending);
        ending
    }

    /// Waits for something and sees to it.
    fn turn(&mut self) -> Result<(), Ending> {
        if self.said.elapsed() >= WORD_EVERY {
            self.tell(&[]);
        }
        self.push().map_err(Ending::Broken)?;
        let (worker_ready, rung) = self.sleep()?;
        if rung {
            self.waker.clear();
            self.take_turn()?;
        }
        // Whatever woke us: to read what is not there costs one call.
        if self.hears() {
            self.hear()?;
        }
        if worker_ready {
            self.hear_worker()?;
        }
        self.look_at_clock()
    }

    fn hears(&self) -> bool {
        self.worker.as_ref().is_none_or(|worker| worker.inbox.waits() < IN_MAX)
    }

    /// Sleeps until something is to be done; whether the agent's process has
    /// something, and whether the waker was woken.
    fn sleep(&self) -> Result<(bool, bool), Ending> {
        let mut fds = vec![
            self.secure.poll_fd(self.hears()),
            PollFd::from_borrowed_fd(self.shared.stop, PollFlags::IN),
            PollFd::new(&*self.waker, PollFlags::IN),
        ];
        fds.extend(self.worker.as_ref().map(|worker| worker.poll_fd(self.out.waits() < OUT_MAX)));
        wait(&mut fds, self.deadline()).map_err(Ending::Broken)?;
        let ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        if ready(1) {
            return Err(Ending::Stopped);
        }
        Ok((ready(3), ready(2)))
    }

    /// Moves what waits, both ways.
    fn push(&mut self) -> io::Result<()> {
        self.secure.push(&mut self.out)?;
        if let Some(worker) = &mut self.worker {
            worker.push();
        }
        Ok(())
    }

    fn hear(&mut self) -> Result<(), Ending> {
        let mut bytes = Vec::new();
        let is_open = self.secure.receive(&mut bytes).map_err(Ending::Broken)?;
        if !bytes.is_empty() {
            self.frames.push(&bytes);
            self.take_frames()?;
        }
        if is_open { Ok(()) } else { Err(Ending::Gone) }
    }

    fn take_frames(&mut self) -> Result<(), Ending> {
        loop {
            let frame = self.frames.take().map_err(|e| Ending::Misbehaved(e.to_string()))?;
            let Some(body) = frame.map(<[u8]>::to_vec) else { break };
            self.inside = None;
            self.heard = Instant::now();
            // One of no bytes is a sign of life.
            if !body.is_empty() {
                self.take_request(&body)?;
            }
        }
        match self.frames.is_inside() {
            true => self.inside = self.inside.or_else(|| Some(Instant::now())),
            false => self.inside = None,
        }
        Ok(())
    }

    fn take_request(&mut self, body: &[u8]) -> Result<(), Ending> {
        let limits = self.shared.limits;
        let Admitted { kind, frame, presents } = match admit::admit(body, self.here, self.from, limits) {
            Ok(admitted) => admitted,
            Err(reason) => return self.refuse(reason),
        };
        match kind {
            Kind::Finish => return Err(Ending::Finished),
            Kind::Cancel if self.held_back.take().is_some() => {
                self.shared.lock.leave(self.id);
                self.under_way = None;
                return self.reply(&FromAgent::Reply(Reply::Cancelled));
            }
            Kind::Cancel | Kind::Begin => {
                if let Some(worker) = &mut self.worker {
                    worker.inbox.put(&frame);
                }
                return Ok(());
            }
            Kind::Ask
            | Kind::Open
            | Kind::Trial
            | Kind::Set
            | Kind::PutBack
            | Kind::Present
            | Kind::Withdraw => {}
        }
        if self.under_way.is_some() {
            return Err(Ending::Misbehaved("a request came before the last was answered".to_owned()));
        }
        self.presented.ask(presents);
        match kind {
            Kind::Trial if !self.shared.lock.is_of(self.id) => {
                let after = self.shared.limits.rendezvous.as_secs();
                self.refuse(format!(
                    "no port is open for a trial: it must be asked for, and is closed after {after} s"
                ))
            }
            Kind::Open | Kind::Set | Kind::Present => {
                self.under_way = Some((kind, Instant::now()));
                self.held_back = Some(frame);
                self.take_turn()
            }
            _ => self.pass_on(kind, &frame),
        }
    }

    /// Opens the rendezvous address if it is this controller's turn, or says why it is not.
    fn take_turn(&mut self) -> Result<(), Ending> {
        let Some(frame) = self.held_back.take() else { return Ok(()) };
        match self.shared.lock.ask(self.id, self.from, &self.waker) {
            LockOutcome::Granted => {
                let kind = self.under_way.map_or(Kind::Open, |(kind, _)| kind);
                self.pass_on(kind, &frame)
            }
            LockOutcome::Waits { holder, before } => {
                self.held_back = Some(frame);
                self.told = Instant::now();
                self.reply(&FromAgent::Event(admit::waiting(holder, before)))
            }
        }
    }

    /// Gives a request to the agent's process, which is started if there is none.
    fn pass_on(&mut self, kind: Kind, frame: &[u8]) -> Result<(), Ending> {
        self.under_way = Some((kind, Instant::now()));
        self.presented.begin();
        (self.rendezvous, self.failed) = (None, false);
        if self.worker.is_none() {
            match Worker::start(self.shared.command, self.shared.limits.memory) {
                Ok(worker) => self.worker = Some(worker),
                Err(error) => return self.fail(format!("the node cannot start its agent: {error}")),
            }
        }
        if let Some(worker) = &mut self.worker {
            worker.inbox.put(frame);
        }
        Ok(())
    }

    fn hear_worker(&mut self) -> Result<(), Ending> {
        let Some(worker) = &mut self.worker else { return Ok(()) };
        let is_open = worker.hear();
        loop {
            let Some(worker) = &mut self.worker else { return Ok(()) };
            let frame = match worker.frames.take() {
                Ok(Some(body)) => body.to_vec(),
                Ok(None) => break,
                Err(error) => return self.lose_worker(Some(error.to_string())),
            };
            if is_reply(&frame) {
                self.settle(&frame);
            }
            self.sign = Instant::now();
            self.tell(&frame);
        }
        if is_open { Ok(()) } else { self.lose_worker(None) }
    }

    /// The request under way is answered by `frame`.
    fn settle(&mut self, frame: &[u8]) {
        match self.under_way.take() {
            Some((Kind::Open, _)) if matches!(short_reply(frame), Some(Reply::Open(_))) => {
                self.rendezvous = Some(Instant::now());
            }
            Some((Kind::Open, _)) => self.let_others(),
            Some((Kind::Trial, _)) => {
                self.failed = matches!(short_reply(frame), Some(Reply::Failed { .. }));
                self.let_others();
            }
            // What was changed must hold until it is put back.
            Some((Kind::Set, _)) => self.changed = true,
            Some((kind @ (Kind::PutBack | Kind::Present | Kind::Withdraw), _)) => {
                match kind {
                    Kind::PutBack => self.changed = false,
                    _ => self.presented.answered(short_reply(frame).as_ref()),
                }
                if self.rendezvous.is_none() {
                    self.let_others();
                }
            }
            _ => {}
        }
    }

    /// Gives the lock back, unless settings of this controller hold, or something is presented to it.
    fn let_others(&self) {
        if !self.changed && self.presented.is_empty() {
            self.shared.lock.leave(self.id);
        }
    }

    /// The agent's process is gone, or is ended because of what it said.
    fn lose_worker(&mut self, why: Option<String>) -> Result<(), Ending> {
        let ended = self.worker.take().map(Worker::ended).unwrap_or_default();
        self.rendezvous = None;
        // The next agent's process puts back what this one could not.
        self.left |= self.changed || matches!(self.under_way, Some((Kind::Set, _)));
        self.changed = false;
        self.take_down_left();
        self.shared.lock.leave(self.id);
        if self.under_way.is_none() {
            return Ok(());
        }
        self.fail(why.unwrap_or(ended))
    }

    /// Takes down what an agent's process left that had presented something and is gone. What cannot be taken down is
    /// written down, for `headroom restore`.
    fn take_down_left(&mut self) {
        if self.presented.end() {
            let _ = agent::stale_files::remove_left_stacks();
        }
    }

    /// Answers the request under way.
    fn fail(&mut self, reason: String) -> Result<(), Ending> {
        if matches!(self.under_way.take(), Some((Kind::Open | Kind::Trial | Kind::Set | Kind::Present, _))) {
            self.let_others();
        }
        self.reply(&FromAgent::Reply(Reply::Failed { reason }))
    }

    /// Answers a request that is not let through.
    fn refuse(&mut self, reason: String) -> Result<(), Ending> {
        if self.under_way.is_some() {
            return Err(Ending::Misbehaved(reason));
        }
        self.reply(&FromAgent::Reply(Reply::Failed { reason }))
    }

    /// Puts a frame aside for the controller; an empty one is a sign of life.
    fn tell(&mut self, body: &[u8]) {
        self.out.put_frame(body);
        self.said = Instant::now();
    }

    fn reply(&mut self, message: &FromAgent) -> Result<(), Ending> {
        self.out.put(&wire::frame(message).map_err(Ending::Broken)?);
        Ok(())
    }

    /// What must not last, since when it does, and how long it may.
    fn clocks(&self) -> [(Option<Instant>, Duration); 7] {
        let limits = self.shared.limits;
        let trial = self.under_way.filter(|(kind, _)| *kind == Kind::Trial).map(|(_, since)| since);
        let silence = match trial {
            Some(_) => limits.silence_in_trial,
            None if self.failed => limits.silence_after_failure,
            None => limits.silence,
        };
        [
            (Some(self.heard), silence),
            (self.inside, limits.slow),
            (self.out.stuck_since(), limits.slow),
            (trial, limits.trial),
            (self.rendezvous.filter(|_| self.under_way.is_none()), limits.rendezvous),
            (self.held_back.as_ref().map(|_| self.told), limits.waiting),
            self.stalled(),
        ]
    }

    /// Since when the agent's process owes a sign of life, and how long it may.
    fn stalled(&self) -> (Option<Instant>, Duration) {
        let limits = self.shared.limits;
        match self.under_way.filter(|_| self.held_back.is_none()) {
            Some((Kind::Trial, since)) => (Some(since.max(self.sign)), limits.stalled),
            Some((_, since)) => (Some(since.max(self.sign)), limits.stuck),
            None => (None, limits.stuck),
        }
    }

    /// How long there is nothing to do by the clock.
    fn deadline(&self) -> Option<Duration> {
        let left = |(since, most): (Option<Instant>, Duration)| Some(most.saturating_sub(since?.elapsed()));
        self.clocks().into_iter().chain([(Some(self.said), WORD_EVERY)]).filter_map(left).min()
    }

    fn look_at_clock(&mut self) -> Result<(), Ending> {
        let over = self.clocks().map(|(since, most)| since.is_some_and(|since| since.elapsed() >= most));
        let [silent, slow_in, slow_out, trial, rendezvous, waiting, stalled] = over;
        let misbehaved = |what: &str| Err(Ending::Misbehaved(what.to_owned()));
        if silent {
            return misbehaved("nothing was heard of it for too long");
        }
        if slow_in || slow_out {
            return misbehaved("it spoke or listened too slowly");
        }
        if trial {
            return misbehaved("a trial took longer than a node allows");
        }
        if rendezvous {
            self.rendezvous = None;
            self.let_others();
        }
        if stalled {
            self.fail(format!(
                "the agent of the node gave no sign of life for {} s: it was stopped, or is stuck",
                self.stalled().1.as_secs()
            ))?;
            // Before the end of its connections says less.
            self.push().map_err(Ending::Broken)?;
            return self.lose_worker(None);
        }
        if waiting { self.take_turn() } else { Ok(()) }
    }

    /// Ends the agent's process, lets the next one measure, and says goodbye.
    fn close(&mut self, ending: &Ending) {
        let changed = self.changed || matches!(self.under_way, Some((Kind::Set, _)));
        if self.under_way.take().is_some() || matches!(ending, Ending::Misbehaved(_)) {
            let reason = format!("the node ended the session: {ending}");
            let _ = self.reply(&FromAgent::Reply(Reply::Failed { reason }));
            let _ = self.push();
        }
        if let Some(worker) = self.worker.take() {
            let put_away = worker.finish();
            self.left = !put_away && (self.left || changed);
        }
        self.take_down_left();
        // Another puts back what one that had to be killed could not.
        if self.left
            && let Ok(worker) = Worker::start(self.shared.command, self.shared.limits.memory)
        {
            worker.finish();
        }
        self.shared.lock.leave(self.id);
        let until = Instant::now() + self.shared.limits.parting;
        while self.out.waits() > 0 || self.secure.wants_write() {
            let waited = wait_until(self.secure.poll_fd(false), until, None);
            if waited.is_err() || self.push().is_err() {
                break;
            }
        }
        self.secure.end();
    }
}

/// Whether nothing is there to be read, rather than an error.
pub(super) fn is_none_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
