//! Watches until somebody asks to stop, a time is over, or a command has ended.

use std::io::IsTerminal;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ::machine::trace::TracedCommand;
use ::watch::document::{WatchedTime, document};
use ::watch::keeper::{KeepBounds, SampleKeeper};
use ::watch::limit_book::LimitBook;
use ::watch::prometheus::{MetricServer, MetricServerError, WatchMetrics};
use ::watch::readings::BufferReadings;
use ::watch::recording::{WatchRecording, machine_trial};
use ::watch::screen::{ScreenChoices, ScreenKey, Shown, TerminalScreen};
use ::watch::session::{WatchSession, WatchSettings};
use ::watch::situation::Situation;
use ::watch::text::first_line;
use ::watch::verdict::verdicts;
use clap::ArgMatches;
use jiff::Timestamp;
use model::trial::{MachineTrial, Window};
use model::{Machine, Run};
use store::SqliteStore;
use study::run::Invocation;

use super::super::run::identity;
use super::arguments::WatchArguments;
use super::far_ends::{FarEnds, FarSettings};
use super::kept::as_json;
use super::phase_trace::PhaseTrace;
use super::{failure, lines};
use crate::accept_nodes::NodeWait;
use crate::exit::Failure;
use crate::output::{self, Pending};
use crate::signals;

/// A screen changes no more often; nobody reads faster.
const REDRAW: Duration = Duration::from_millis(250);
/// How often the rules are asked, at most,
const VERDICT: Duration = Duration::from_secs(5);
/// and how little of the time that may take.
const VERDICT_SHARE: u32 = 400;
/// How long a command that is to end has for it, twice.
const GRACE: Duration = Duration::from_secs(3);
/// How often it is looked whether a command has ended.
const GLANCE: Duration = Duration::from_millis(50);

/// How it is told.
enum Telling {
    Screen(TerminalScreen),
    Lines,
    /// Others are told, or all is told at the end.
    Quiet,
}

pub(super) fn watch(
    matches: &ArgMatches,
    arguments: &WatchArguments,
    typed: &[String],
) -> Result<ExitCode, Failure> {
    let pending = arguments.record.as_deref().map(Pending::at).transpose()?;
    let stop = Arc::new(AtomicBool::new(false));
    signals::watch(&stop)
        .map_err(|e| Failure::refused(format!("signals cannot be caught: {e}"), "try again"))?;
    let machine = ::agent::describe_host(None)
        .map_err(|e| Failure::refused(format!("this machine cannot be described: {e}"), "try again"))?;
    let bounds = |age| KeepBounds { age, bytes: arguments.keep_bytes };
    let keeper = match arguments.keep {
        Some(age) => Some(SampleKeeper::open(arguments.folder()?, bounds(age)).map_err(|e| failure(&e))?),
        None => None,
    };
    let metrics = match arguments.prometheus {
        Some(_) => Some(start_metrics(arguments, &machine)?),
        None => None,
    };
    let is_whole = pending.is_some() || !arguments.command.is_empty();
    let settings =
        WatchSettings { interval: arguments.interval, window: arguments.window(), keeps_all: is_whole };
    let far = reach(matches, arguments, &machine, &stop)?;
    let traced = if arguments.has_trace { Some(PhaseTrace::begin()?) } else { None };
    let learned = learn(arguments.store.clone(), machine.clone());
    let under_way = UnderWay {
        arguments,
        identity: identity(typed),
        far,
        traced,
        learned,
        session: WatchSession::begin(machine, settings),
        recording: is_whole.then(WatchRecording::default),
        keeper,
        metrics,
        telling: telling(arguments)?,
        stop,
        began: Instant::now(),
        started: Timestamp::now(),
        situation: Situation::default(),
        said: Vec::new(),
        verdict_due: Instant::now() + VERDICT.min(arguments.window()),
        choices: ScreenChoices { has_colour: output::colour(&std::io::stdout()), ..ScreenChoices::default() },
        drawn: None,
    };
    let command = start(&arguments.command)?;
    under_way.run(command, pending)
}

/// The other machines that are to be watched.
fn reach(
    matches: &ArgMatches,
    arguments: &WatchArguments,
    machine: &Machine,
    stop: &Arc<AtomicBool>,
) -> Result<FarEnds, Failure> {
    let settings = FarSettings {
        interval: arguments.interval,
        window: arguments.window(),
        store: arguments.store.clone(),
        here: &machine.hostname,
    };
    FarEnds::reach(&arguments.peers, &settings, &NodeWait::of(matches, stop))
}

fn telling(arguments: &WatchArguments) -> Result<Telling, Failure> {
    let has_terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    // The terminal is the command's.
    if !arguments.command.is_empty() {
        return Ok(if arguments.has_lines { Telling::Lines } else { Telling::Quiet });
    }
    if has_terminal && !arguments.has_lines {
        let help = "use --lines";
        let screen = TerminalScreen::take().map_err(|e| Failure::refused(e.to_string(), help))?;
        return Ok(Telling::Screen(screen));
    }
    let is_service = arguments.prometheus.is_some() || arguments.keep.is_some();
    Ok(if is_service && !arguments.has_lines { Telling::Quiet } else { Telling::Lines })
}

fn start_metrics(arguments: &WatchArguments, machine: &Machine) -> Result<WatchMetrics, Failure> {
    let metrics = WatchMetrics::new(&machine.hostname, env!("CARGO_PKG_VERSION"));
    let Some(address) = arguments.prometheus else { return Ok(metrics) };
    match MetricServer::start(address, arguments.is_reachable, &metrics) {
        Ok(server) => {
            output::note(&format!("Metrics are at http://{}/metrics\n", server.address()));
            Ok(metrics)
        }
        Err(error @ MetricServerError::Reachable(_)) => Err(Failure::refused(
            error.to_string(),
            "give a loopback address such as 127.0.0.1:9847, or --reachable, where the network keeps strangers away",
        )),
        Err(error) => {
            Err(Failure::refused(format!("metrics cannot be handed out at {error}"), "name another address"))
        }
    }
}

/// What kept runs tell of limits, from a thread of its own: to read many runs takes a while.
fn learn(store: Option<PathBuf>, machine: Machine) -> Receiver<LimitBook> {
    let (send, receive) = channel();
    let read = move || {
        let store = store.filter(|path| path.exists()).and_then(|path| SqliteStore::open(&path).ok());
        let mut book = LimitBook::default();
        if let Some(store) = store
            && book.add_runs(&store, &machine).is_ok()
        {
            // Whoever asked may have ended meanwhile.
            let _ = send.send(book);
        }
    };
    // Without it, less is known.
    let _ = std::thread::Builder::new().name("limits".to_owned()).spawn(read);
    receive
}

fn start(words: &[String]) -> Result<Option<TracedCommand>, Failure> {
    let Some((program, rest)) = words.split_first() else { return Ok(None) };
    let started = TracedCommand::start(Command::new(program).args(rest));
    started.map(Some).map_err(|e| {
        let name = Path::new(program).display();
        let message = format!("the command `{name}` cannot be started: {e}");
        Failure::refused(message, "correct its name or its path")
    })
}

/// A watch while it goes on.
struct UnderWay<'a> {
    arguments: &'a WatchArguments,
    identity: Invocation,
    far: FarEnds,
    traced: Option<PhaseTrace>,
    learned: Receiver<LimitBook>,
    session: WatchSession,
    recording: Option<WatchRecording>,
    keeper: Option<SampleKeeper>,
    metrics: Option<WatchMetrics>,
    telling: Telling,
    stop: Arc<AtomicBool>,
    began: Instant,
    started: Timestamp,
    situation: Situation,
    said: Vec<String>,
    verdict_due: Instant,
    choices: ScreenChoices,
    drawn: Option<Instant>,
}

impl UnderWay<'_> {
    fn run(mut self, command: Option<TracedCommand>, pending: Option<Pending>) -> Result<ExitCode, Failure> {
        let mut due = Instant::now();
        loop {
            self.sample()?;
            due = (due + self.arguments.interval).max(Instant::now());
            if !self.wait(due, command.as_ref())? {
                break;
            }
        }
        // What was done since the last sample counts, too.
        self.sample()?;
        let status = command.map(|command| self.finish(command)).transpose()?;
        // The terminal is as it was before anything else is said.
        self.telling = Telling::Quiet;
        self.conclude(pending, status)
    }

    /// Reads all that is due, and tells it.
    fn sample(&mut self) -> Result<(), Failure> {
        if let Ok(book) = self.learned.try_recv() {
            self.session.learn(book);
        }
        let sampled = self.session.sample();
        if let Some(recording) = &mut self.recording {
            recording.take(&self.session, sampled.has_all);
        }
        if let Some(keeper) = &mut self.keeper {
            keeper.take(&self.session, sampled.has_all).map_err(|error| failure(&error))?;
        }
        let is_shown = match &self.telling {
            Telling::Screen(_) => {
                !self.choices.is_paused && self.drawn.is_none_or(|at| at.elapsed() >= REDRAW)
            }
            Telling::Lines => true,
            Telling::Quiet => false,
        };
        if self.metrics.is_none() && !is_shown {
            return Ok(());
        }
        let mut situation = self.session.situation();
        self.far.add_to(&mut situation);
        self.traced.iter().for_each(|traced| traced.add_to(&mut situation));
        if let Some(metrics) = &self.metrics {
            metrics.take(&situation, self.arguments.interval.as_secs_f64());
        }
        if is_shown {
            self.situation = situation;
            self.judge();
            self.tell()?;
        }
        Ok(())
    }

    /// Asks the rules what holds anything back, now and then.
    fn judge(&mut self) {
        let begin = Instant::now();
        if begin < self.verdict_due {
            return;
        }
        let [fast, slow] = self.session.observer().buffers();
        let (_, groups) = self.session.groups();
        let window = self.session.window();
        let mut trial = machine_trial(&[fast, slow, groups], window);
        trial.processes = self.session.observer().processes_of(window);
        let run = self.document(trial, &self.situation, window);
        let said: Vec<String> = verdicts(&run).iter().map(|f| self.arguments.words.finding(f)).collect();
        if matches!(self.telling, Telling::Lines) && self.arguments.is_verbose && said != self.said {
            let lines: String =
                said.iter().map(|one| lines::verdict_line(self.arguments.words, one)).collect();
            // The line of the situation follows; what cannot be printed shows there.
            let _ = output::print(lines.as_bytes());
        }
        self.said = said;
        self.verdict_due = Instant::now() + VERDICT.max(begin.elapsed() * VERDICT_SHARE);
    }

    fn document(&self, trial: MachineTrial, situation: &Situation, window: Window) -> Run {
        let name = match &self.arguments.command[..] {
            [] => "watch".to_owned(),
            words => words.join(" "),
        };
        let watched = WatchedTime {
            machine: self.session.machine(),
            trial,
            situation,
            window,
            span: (self.started.to_string(), Timestamp::now().to_string()),
            name,
        };
        document(watched, &self.identity)
    }

    fn tell(&mut self) -> Result<(), Failure> {
        let words = self.arguments.words;
        match &mut self.telling {
            Telling::Screen(screen) => {
                let shown =
                    Shown { words, situation: &self.situation, verdicts: &self.said, choices: self.choices };
                self.drawn = Some(Instant::now());
                screen.draw(&shown).map_err(|e| Failure::refused(e.to_string(), "use --lines"))
            }
            Telling::Lines => {
                let now = Timestamp::now().strftime("%H:%M:%SZ");
                let mut text = format!("{now}  {}\n", first_line(words, &self.situation));
                if self.arguments.is_verbose {
                    text.push_str(&lines::resources(words, &self.situation));
                }
                output::print(text.as_bytes())
            }
            Telling::Quiet => Ok(()),
        }
    }

    /// Waits until the next sample is due, and does what the person asks for meanwhile. Whether to go on.
    fn wait(&mut self, due: Instant, command: Option<&TracedCommand>) -> Result<bool, Failure> {
        loop {
            let is_late = self.arguments.most.is_some_and(|most| self.began.elapsed() >= most);
            if self.stop.load(Ordering::Relaxed)
                || is_late
                || command.map_or(Ok(false), TracedCommand::has_ended).map_err(not_waited_for)?
            {
                return Ok(false);
            }
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(true);
            }
            let Telling::Screen(screen) = &mut self.telling else {
                let glance = if command.is_some() { GLANCE } else { 4 * GLANCE };
                std::thread::sleep(left.min(glance));
                continue;
            };
            let key = screen
                .key(left.min(4 * GLANCE))
                .map_err(|e| Failure::refused(e.to_string(), "use --lines"))?;
            match key {
                None => continue,
                Some(ScreenKey::Quit) => return Ok(false),
                Some(ScreenKey::Pause) => self.choices.is_paused = !self.choices.is_paused,
                Some(ScreenKey::Sort) => self.choices.order = self.choices.order.next(),
                Some(ScreenKey::Up) => self.choices.selected = self.choices.selected.saturating_sub(1),
                Some(ScreenKey::Down) => {
                    let last = self.situation.rows.len().saturating_sub(1);
                    self.choices.selected = (self.choices.selected + 1).min(last);
                }
                Some(ScreenKey::Redraw) => {}
            }
            self.tell()?;
        }
    }

    /// Waits for the end of the command; where somebody asked to stop, it has a while for it.
    fn finish(&self, command: TracedCommand) -> Result<ExitStatus, Failure> {
        if self.stop.load(Ordering::Relaxed) || !command.has_ended().map_err(not_waited_for)? {
            command.end_within(GRACE).map_err(not_waited_for)?;
        }
        command.finish().map(|(status, _)| status).map_err(not_waited_for)
    }

    /// Says what came of the whole time, and writes it.
    fn conclude(self, pending: Option<Pending>, status: Option<ExitStatus>) -> Result<ExitCode, Failure> {
        let recorded = self.recording.as_ref().and_then(|recording| Some((recording, recording.window()?)));
        if let Some((recording, window)) = recorded {
            let processes = self.session.observer().processes_of(window);
            let readings = BufferReadings { buffers: recording.buffers(), window };
            let situation = self.session.situation_in(&readings, processes.clone());
            let trial = MachineTrial { processes, ..recording.machine_trial(window) };
            let run = self.document(trial, &situation, window);
            if status.is_some() {
                let said: Vec<String> =
                    verdicts(&run).iter().map(|finding| self.arguments.words.finding(finding)).collect();
                // Standard output is the command's.
                output::note(&lines::whole(self.arguments.words, &situation, &said));
            }
            if let Some(pending) = pending {
                pending.finish(&as_json(&run))?;
            }
        }
        Ok(status.map_or(ExitCode::SUCCESS, exit_code))
    }
}

fn not_waited_for(error: std::io::Error) -> Failure {
    Failure::refused(format!("the command cannot be waited for: {error}"), "look whether it still runs")
}

/// The exit status of a command as a shell has it.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1))
}
