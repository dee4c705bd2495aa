//! The agent's side: one thread reads requests, so that a cancel or a vanished
//! controller is noticed at any moment; the main thread carries them out.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::{Fault, lock};
use load::fixture::FixtureStore;
use load::host::StatusListener;
use load::workload;
use load::workload::disk::stack::{BuiltStack, StackRequest, SurveyedStack};
use load::workload::net::{RendezvousListener, RouteCache};
use machine::setting::state_folder;
use machine::{Host, doctor, inventory};
use model::machine::Diagnosis;
use model::message::{FromAgent, Reply, Request, TrialOrder, TrialRole};
use model::plan::{FixtureKey, Problem};
use model::present::{AttachOrder, PresentOrder};
use model::trial::Timeline;
use model::{AgentEvent, Machine, Phase};

use crate::settings::{RestoreOnDrop, Settings};
use crate::trial_observer::TrialObserver;
use crate::use_watch::UseWatch;
use crate::{calibrate, describe, presenter_watch, route_facts, survey, trial, wire};

/// Why an agent could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Its connection broke.
    #[error("the agent's connection broke: {0}")]
    Connection(#[from] io::Error),
}

/// How long a load may take to end after the controller vanished, before the
/// process ends itself by force.
const ORPHAN_GRACE: Duration = Duration::from_secs(10);

/// Progress of a fixture is told at most so often.
const TELL: Duration = Duration::from_millis(100);

/// Serves one controller over `stream` until it says [`Request::Finish`] or
/// vanishes. Everything that was made is gone when this returns.
///
/// # Errors
/// If the connection breaks other than by closing.
pub fn serve(stream: UnixStream) -> Result<(), ServeError> {
    // Started as /proc/self/exe it would be called `exe` in every list.
    let _ = rustix::thread::set_name(c"headroom");
    allow_many_files();
    let asides = Arc::new(OutOfBandRequests::default());
    let (send, requests) = channel();
    let reader = stream.try_clone()?;
    let heard = Arc::clone(&asides);
    let settings = Arc::new(Settings::new());
    let changed = Arc::clone(&settings);
    std::thread::spawn(move || read_requests(reader, &heard, send, &changed));
    let mut server = Server {
        out: Mutex::new(stream),
        asides,
        listening: None,
        fixtures: FixtureStore::new(workload::fixtures()).listing_in(state_folder()),
        ways: RouteCache::default(),
        settings,
        attached: Vec::new(),
        machine: describe::machine(&Host::this()),
        use_watch: Mutex::new(None),
    };
    // Dropped before the fixtures: what was changed of a stack is put back before that is taken down.
    let _at_the_end = RestoreOnDrop(Arc::clone(&server.settings));
    for request in requests {
        if request == Request::Finish {
            break;
        }
        let reply = server.carry_out(request).unwrap_or_else(|fault| match fault {
            Fault::Cancelled => Reply::Cancelled,
            other => Reply::Failed { reason: other.to_string() },
        });
        server.send(&FromAgent::Reply(reply))?;
    }
    Ok(())
}

/// Rings and samplers of a machine with hundreds of CPUs need more open files
/// than the usual 1,024, up to which select(2) works; nothing here uses that.
fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// What is heard beside a request that is under way.
#[derive(Debug, Default)]
struct OutOfBandRequests {
    /// Whether to end it.
    cancel: AtomicBool,
    /// The times of a trial whose near end is elsewhere.
    times: Mutex<Option<Timeline>>,
}

fn read_requests(
    mut stream: UnixStream,
    asides: &OutOfBandRequests,
    send: Sender<Request>,
    settings: &Settings,
) {
    while let Ok(Some(request)) = wire::receive::<Request>(&mut stream) {
        // In the order of the stream, so that a cancel never meets a request
        // that came after it.
        match request {
            Request::Cancel => asides.cancel.store(true, Ordering::Relaxed),
            Request::Begin(times) => *lock(&asides.times) = Some(times),
            request => {
                asides.cancel.store(false, Ordering::Relaxed);
                if send.send(request).is_err() {
                    return;
                }
            }
        }
    }
    // The controller is gone: end the load; the main thread ends after it. If
    // the load does not end, this process does: what it made has no name.
    asides.cancel.store(true, Ordering::Relaxed);
    drop(send);
    // Not left to the main thread, which may be stuck with its load.
    settings.close();
    std::thread::sleep(ORPHAN_GRACE);
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

/// The times as the engine can divide by them.
fn timeline(times: &Timeline) -> Timeline {
    Timeline { interval_ns: times.interval_ns.max(1), ..*times }
}

/// Removes what is attached for `key`, if its node presents another target in its place by now.
fn remove_outdated(
    store: &mut FixtureStore,
    key: &FixtureKey,
    attached: &[AttachOrder],
) -> Result<(), Fault> {
    let built = store.find::<BuiltStack>(key).filter(|built| built.is_outdated(attached));
    let outdated = built.map(|built| built.key().clone());
    store.remove(outdated.as_slice())
}

struct Server {
    out: Mutex<UnixStream>,
    asides: Arc<OutOfBandRequests>,
    /// The rendezvous address for the next trial in which the other end comes to this one.
    listening: Option<RendezvousListener>,
    fixtures: FixtureStore,
    /// What is known of the ways to far ends.
    ways: RouteCache,
    settings: Arc<Settings>,
    /// What nodes present to this machine.
    attached: Vec<AttachOrder>,
    machine: Machine,
    /// What watches this machine for the controller, from its first question on.
    use_watch: Mutex<Option<UseWatch>>,
}

impl Server {
    fn send(&self, message: &FromAgent) -> io::Result<()> {
        wire::send(&mut *lock(&self.out), message)
    }

    fn tell(&self, event: AgentEvent) {
        // A broken connection shows at the next request.
        let _ = self.send(&FromAgent::Event(event));
    }

    fn phase(&self, phase: Phase) {
        self.tell(AgentEvent::Phase { phase, at_ns: engine::clock::now_ns() });
    }

    fn prepare(&mut self, fixtures: &[FixtureKey]) -> Result<(), Fault> {
        self.phase(Phase::Prepare);
        let mut store = std::mem::take(&mut self.fixtures);
        let (mut told, mut last) = (Instant::now(), u64::MAX);
        let made = fixtures.iter().try_for_each(|key| {
            let of = key.discarded + key.written;
            inventory::memory::refresh(&Host::this(), &mut self.machine.inventory.memory);
            let status = Arc::new(Mutex::new(String::new()));
            let heard = Arc::clone(&status);
            let mut host = survey::host_info(&self.machine.inventory, &[], &[]);
            host.status = StatusListener::new(move |words| *lock(&heard) = words.to_owned());
            host.attached.clone_from(&self.attached);
            remove_outdated(&mut store, key, &self.attached)?;
            store.make(key, &host, &mut |done| {
                // What did not move is no sign of life.
                if done != last && (told.elapsed() >= TELL || done == of) {
                    (told, last) = (Instant::now(), done);
                    let why = lock(&status).clone();
                    self.tell(match why.is_empty() {
                        true => AgentEvent::Preparing { what: key.target.clone(), done, of },
                        false => AgentEvent::Waiting { why },
                    });
                }
                !self.asides.cancel.load(Ordering::Relaxed)
            })
        });
        self.fixtures = store;
        if fixtures.iter().any(|key| key.carries_targets) {
            // Its devices are not among those that were there when the machine was described.
            self.machine.inventory.block = inventory::block::describe(&Host::this(), &mut Vec::new());
        }
        made
    }

    /// Puts fixtures away, after what was changed of a stack among them.
    fn release(&mut self, fixtures: &[FixtureKey]) -> Result<(), Fault> {
        let is_stack = fixtures.iter().any(|key| key.carries_targets);
        let put_back = if is_stack { self.settings.leave_stacks() } else { Ok(()) };
        self.fixtures.remove(fixtures).and(put_back)
    }

    /// Presents the top of a stack to the controller; what is presented already stays.
    fn present(&mut self, order: &PresentOrder) -> Result<Reply, Fault> {
        let request = StackRequest::to_present(order)?;
        if request.built(&self.fixtures).is_none() {
            let key = self.presentable(&request, order)?.key;
            self.prepare(&[key])?;
        }
        let presented = request.built(&self.fixtures).and_then(BuiltStack::presented);
        let missing = || Fault::Other("what was made for the controller is not there".to_owned());
        presented.map(Reply::Presented).ok_or_else(missing)
    }

    /// What is needed to present it, which its owner gave up for that.
    fn presentable(
        &mut self,
        request: &StackRequest,
        order: &PresentOrder,
    ) -> Result<SurveyedStack, Problem> {
        inventory::memory::refresh(&Host::this(), &mut self.machine.inventory.memory);
        request.survey(&survey::host_info(&self.machine.inventory, &order.targets, &[]))
    }

    /// Why it cannot be presented; none where it can, or is.
    fn why_not_presented(&mut self, order: &PresentOrder) -> Option<String> {
        let looked = StackRequest::to_present(order).and_then(|request| {
            let is_there = request.built(&self.fixtures).is_some();
            if is_there { Ok(()) } else { self.presentable(&request, order).map(drop) }
        });
        looked.err().map(|Problem { message, help, .. }| format!("{message}; {help}"))
    }

    /// Watches this machine while the controller drives what was presented for `order`.
    fn watch(&self, order: &PresentOrder) -> Result<Reply, Fault> {
        let built = StackRequest::to_present(order)?.built(&self.fixtures);
        let tops = built.map(BuiltStack::tops).unwrap_or_default();
        let tell = |event| self.tell(event);
        let told = || lock(&self.asides.times).as_ref().map(timeline);
        let context = presenter_watch::WatchContext { told: &told, cancel: &self.asides.cancel, tell: &tell };
        let watched = presenter_watch::run(tops, &self.machine.inventory, &context);
        // The next ones are another trial's.
        *lock(&self.asides.times) = None;
        watched.map(|watched| Reply::Watched(Box::new(watched)))
    }

    /// Takes down what was presented for `order`, if it is there.
    fn withdraw(&mut self, order: &PresentOrder) -> Result<(), Fault> {
        let built = StackRequest::to_present(order)?.built(&self.fixtures).map(|built| built.key().clone());
        self.release(built.as_slice())
    }

    /// Knows what a node presents, in the place of what it presented before for the same.
    fn attach(&mut self, order: AttachOrder) {
        self.attached.retain(|known| known.peer != order.peer || !known.order.is_same(&order.order));
        self.attached.push(order);
    }

    fn trial(&mut self, order: &TrialOrder) -> Result<Reply, Fault> {
        let listening = self.listening.take();
        self.bears(order)?;
        let tell = |event| self.tell(event);
        let told = || lock(&self.asides.times).as_ref().map(timeline);
        let end = trial::TrialContext {
            fixtures: &self.fixtures,
            ways: &self.ways,
            listening: listening.as_ref(),
            told: &told,
            cancel: &self.asides.cancel,
            tell: &tell,
        };
        let report = trial::run(order, &self.machine.inventory, &end);
        self.phase(Phase::Clean);
        report.map(|r| Reply::Trial(Box::new(r)))
    }

    /// Whether this machine bears the far end of a trial of another one, which was
    /// surveyed there and not here. What a person may not ask of a load nobody may.
    fn bears(&mut self, order: &TrialOrder) -> Result<(), Fault> {
        if !matches!(order.role, TrialRole::Answers { .. }) || order.from_last {
            return Ok(());
        }
        let host = Host::this();
        inventory::memory::refresh(&host, &mut self.machine.inventory.memory);
        let inventory = &self.machine.inventory;
        let host_info = survey::host_info(inventory, &[], &[]);
        let survey = survey::survey(order.loads.clone(), inventory, (&host_info, &self.fixtures), &host);
        match survey.problem {
            Some(problem) => Err(Fault::Other(format!("{}: {}", problem.message, problem.help))),
            None => Ok(()),
        }
    }

    fn carry_out(&mut self, request: Request) -> Result<Reply, Fault> {
        let allowed = self.machine.inventory.cpu.allowed.clone();
        match request {
            Request::Describe => Ok(Reply::Machine(Box::new(self.machine.clone()))),
            Request::Survey { cases, destroy, wipe } => {
                let host = Host::this();
                // What is free changes; what was read at the start does not do.
                inventory::memory::refresh(&host, &mut self.machine.inventory.memory);
                let inventory = &self.machine.inventory;
                let host_info = survey::host_info(inventory, &destroy, &wipe);
                let site = (&host_info, &self.fixtures);
                let answer = cases.into_iter().map(|loads| survey::survey(loads, inventory, site, &host));
                Ok(Reply::Survey(answer.collect()))
            }
            Request::Diagnose => {
                // Temperatures, arrays and links change; what was read at the
                // start does not do.
                let host = Host::this();
                let findings = doctor::look(&host, &inventory::describe(&host));
                Ok(Reply::Diagnose(Diagnosis { findings, written_bytes: doctor::written_bytes(&host) }))
            }
            Request::Calibrate { loads } => {
                let tell = |event| self.tell(event);
                let observer = TrialObserver::unwatched(&tell);
                let host_info = survey::host_info(&self.machine.inventory, &[], &[]);
                calibrate::calibrate(&loads, &allowed, &host_info, &self.asides.cancel, &observer)
                    .map(Reply::Calibration)
            }
            Request::Prepare { fixtures } => self.prepare(&fixtures).map(|()| Reply::Done),
            Request::LookAtSettings { changes } => Ok(Reply::Missing(crate::settings::missing(&changes))),
            Request::LookAtObservers { cases } => {
                Ok(Reply::Missing(crate::observers::missing(&cases, &self.machine.inventory)))
            }
            Request::Set { changes } => Ok(self.settings.set(&self.machine.id, &changes, &self.fixtures)),
            Request::Restore => Ok(self.settings.restore()),
            Request::Trial(order) => {
                let report = self.trial(&order);
                self.settings.check(report)
            }
            Request::Release { fixtures } => self.release(&fixtures).map(|()| Reply::Done),
            Request::Time => Ok(Reply::Time(engine::clock::now_ns())),
            Request::Open(order) => {
                *lock(&self.asides.times) = None;
                let mut cookie = [0; 16];
                rustix::rand::getrandom(&mut cookie, rustix::rand::GetRandomFlags::empty())
                    .map_err(|e| Fault::system("getting random bytes", e))?;
                let listening = RendezvousListener::open(order.listen, cookie)?;
                let mut rendezvous = listening.rendezvous();
                rendezvous.way = order.near.map(route_facts::facts).unwrap_or_default();
                self.listening = Some(listening);
                Ok(Reply::Open(rendezvous))
            }
            Request::LookAtPresented(order) => Ok(Reply::Missing(vec![self.why_not_presented(&order)])),
            Request::Present(order) => self.present(&order),
            Request::Withdraw(order) => self.withdraw(&order).map(|()| Reply::Done),
            Request::Watch(order) => self.watch(&order),
            Request::LookAtUse { window_s } => {
                let mut watch = lock(&self.use_watch);
                let watch = watch.get_or_insert_with(UseWatch::open);
                Ok(Reply::Use(Box::new(watch.look(window_s))))
            }
            Request::Attach(order) => {
                self.attach(*order);
                Ok(Reply::Done)
            }
            Request::Cancel | Request::Begin(_) | Request::Finish => Ok(Reply::Done),
        }
    }
}
