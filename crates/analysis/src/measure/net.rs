//! What rules read of a load between two machines.

use model::database::fact as facts;
use model::limit::Direction;
use model::profile::{Aspect, OperationClass, Peer};
use model::run::CaseResult;
use model::trial::{Counter, LOCAL, LoadTrial, MachineTrial, Series, Trial};
use model::{FactName, Resource, ResourceKind, SeriesName, Value, metric};

use super::{estimated, good, median, profile, worker_cpu, workers};

/// One of the two ends of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It starts operations and times them.
    Drives,
    /// It answers them.
    Answers,
}

impl End {
    /// Whether it is the one that answers.
    pub(crate) fn answers(self) -> bool {
        self == End::Answers
    }

    /// As arguments of findings say it.
    pub(crate) fn word(self) -> &'static str {
        if self.answers() { "far" } else { "near" }
    }

    /// What its machine did in one trial.
    pub(crate) fn watched(self, trial: &Trial) -> Option<&MachineTrial> {
        let machine = if self.answers() { &far(trial)?.machine } else { LOCAL };
        Some(trial.result.machine(machine))
    }

    /// The counters of its machine in one trial.
    pub(crate) fn counters(self, trial: &Trial) -> &[Counter] {
        self.watched(trial).map_or(&[], |machine| &machine.counters)
    }

    /// How far a counter went over the window, in its unit.
    pub(crate) fn change(self, trial: &Trial, resource: &Resource, name: &str) -> Option<f64> {
        super::named(self.counters(trial), resource, name)?.change()
    }

    /// How fast a counter went over the window, in its unit per second.
    pub(crate) fn rate(self, trial: &Trial, resource: &Resource, name: &str) -> Option<f64> {
        let counter = super::named(self.counters(trial), resource, name)?;
        let seconds = counter.seconds();
        (seconds > 0.0).then_some(counter.change()? / seconds)
    }

    /// What its part of the load did in one trial.
    pub(crate) fn load(self, trial: &Trial) -> Option<&LoadTrial> {
        if self.answers() { far(trial) } else { Some(trial.result.main()) }
    }

    /// What it says of itself in one trial.
    pub(crate) fn fact(self, trial: &Trial, name: FactName) -> Option<&Value> {
        self.load(trial)?.facts.get(&name)
    }

    /// The same as a number.
    pub(crate) fn number(self, trial: &Trial, name: FactName) -> Option<f64> {
        self.fact(trial, name)?.number()
    }

    /// What the document calls its machine.
    pub(crate) fn machine(self, case: &CaseResult) -> Option<&str> {
        good(case).find_map(far).filter(|_| self.answers()).map(|part| part.machine.as_str())
    }

    /// How many CPUs of its machine were counted.
    pub(crate) fn cpus(self, case: &CaseResult) -> Option<f64> {
        good(case).filter_map(|trial| self.cpus_in(trial)).reduce(f64::max)
    }

    /// The same in one trial.
    pub(crate) fn cpus_in(self, trial: &Trial) -> Option<f64> {
        let is_cpu = |c: &&Counter| c.resource.is_named(ResourceKind::Cpu) && c.source == "/proc/stat user";
        let counted = self.counters(trial).iter().filter(is_cpu).count();
        (counted > 0).then_some(counted as f64)
    }

    /// CPU seconds that each of its workers used for each second.
    pub(crate) fn worker_share(self, case: &CaseResult) -> Option<f64> {
        let workers = workers(case);
        match self {
            End::Drives => worker_cpu(case).map(|(_, used)| used / workers),
            End::Answers => median(case, |t| far_cpu(t, workers)),
        }
    }

    /// Seconds of each second that each of its workers computed or could have, had it had a CPU;
    /// absent where its kernel does not tell.
    pub(crate) fn wanted_share(self, case: &CaseResult) -> Option<f64> {
        let waited = median(case, |trial| self.number(trial, model::fact::RUN_DELAY))?;
        Some(self.worker_share(case)? + waited / workers(case))
    }
}

/// A load's rate over a trial. Of a stream that goes one way it is what its receiver counted, where
/// that is there: a sender's buffer takes in lumps what leaves it evenly.
pub(crate) fn course<'a>(case: &CaseResult, trial: &'a Trial, name: SeriesName) -> Option<&'a Series> {
    let is_one = |s: &&Series| s.name == name && s.resource.kind() == ResourceKind::Load && s.interval_ns > 0;
    let of = |load: &'a LoadTrial| load.series.iter().find(is_one);
    let goes_one_way = is_net(case) && profile(case).is_stream() && !goes_both_ways(case);
    let counted = receiver(case).load(trial).filter(|_| goes_one_way).and_then(of);
    counted.or_else(|| of(trial.result.main()))
}

/// CPU seconds that each worker of the far end used for each second: by what it answered, or by the bytes that it moved.
fn far_cpu(trial: &Trial, workers: f64) -> Option<f64> {
    let metrics = &far(trial)?.metrics;
    let by_operation = || Some(metrics.get(&metric::CPU_PER_OPERATION)?.value * super::rate_of(metrics)?);
    let by_byte = || {
        let moved = [metric::THROUGHPUT, metric::SENDER_THROUGHPUT];
        let moved = moved.iter().filter_map(|name| metrics.get(name)).map(|q| q.value);
        Some(metrics.get(&metric::CPU_PER_BYTE)?.value * moved.sum::<f64>())
    };
    let used = by_byte().or_else(by_operation)?;
    used.is_finite().then_some(used / workers)
}

/// Whether both ends are under one kernel: on this machine, perhaps in network
/// namespaces of their own. Then its processors are those of both.
pub(crate) fn is_one_machine(case: &CaseResult) -> bool {
    let says = |t: &Trial| t.result.main().facts.get(&model::fact::ONE_MACHINE) == Some(&Value::Bool(true));
    is_loopback(case) || is_net(case) && good(case).any(says)
}

/// The ends whose processors and processes are counted each by itself: under a kernel of
/// its own.
pub(crate) fn kernels(case: &CaseResult) -> &'static [End] {
    match is_net(case) && !is_one_machine(case) {
        true => &[End::Drives, End::Answers],
        false => &[End::Drives],
    }
}

/// The ends whose interfaces and sockets are counted each by itself. Of two in one
/// namespace the counters are the same ones.
pub(crate) fn counted_ends(case: &CaseResult) -> &'static [End] {
    let is_lo =
        |t: &Trial| End::Drives.fact(t, model::fact::INTERFACE).is_some_and(|name| name.to_string() == "lo");
    let one_namespace = is_loopback(case) || is_one_machine(case) && good(case).any(is_lo);
    match one_namespace || !is_net(case) {
        true => &[End::Drives],
        false => &[End::Drives, End::Answers],
    }
}

/// Whether the load has another end.
pub(crate) fn is_net(case: &CaseResult) -> bool {
    profile(case).peer.is_some()
}

/// Whether both ends are this machine.
pub(crate) fn is_loopback(case: &CaseResult) -> bool {
    profile(case).peer == Some(Peer::SameProgram)
}

/// Which way its data goes, seen from the machine that drives; absent where both or
/// neither.
pub(crate) fn way(case: &CaseResult) -> Option<Direction> {
    let profile = profile(case);
    match [OperationClass::Send, OperationClass::Receive].map(|class| profile.does(class)) {
        [true, false] => Some(Direction::Write),
        [false, true] => Some(Direction::Read),
        _ => None,
    }
}

/// The end that sends the data; the one that drives where both do.
pub(crate) fn sender(case: &CaseResult) -> End {
    if only_receives(case) { End::Answers } else { End::Drives }
}

/// The end that the data goes to; the one that answers where it goes to both.
pub(crate) fn receiver(case: &CaseResult) -> End {
    if only_receives(case) { End::Drives } else { End::Answers }
}

/// The end whose counters are those of the receiver: of two ends in one namespace the counters are the same ones.
pub(crate) fn counted_receiver(case: &CaseResult) -> End {
    let receiver = receiver(case);
    if counted_ends(case).contains(&receiver) { receiver } else { End::Drives }
}

/// Whether its data only comes from the far end.
pub(crate) fn only_receives(case: &CaseResult) -> bool {
    way(case) == Some(Direction::Read)
}

/// Whether data goes both ways at once.
pub(crate) fn goes_both_ways(case: &CaseResult) -> bool {
    let profile = profile(case);
    profile.does(OperationClass::Send) && profile.does(OperationClass::Receive)
}

/// Bytes per second of payload that pass the interface of the machine that drives
/// one way.
pub(crate) fn carried(case: &CaseResult, direction: Option<Direction>) -> Option<f64> {
    let of = |name| estimated(case, name);
    let profile = profile(case);
    let asks = profile.does(OperationClass::Exchange);
    if asks && profile.flows.len() == 1 {
        // There and back: as much each way.
        return Some(of(metric::OPERATIONS_PER_SECOND)? * super::message(case)? as f64);
    }
    if !asks && !profile.is_stream() {
        return None;
    }
    let own = way(case).filter(|_| !asks);
    match (own, direction) {
        (Some(own), Some(asked)) if own != asked => None,
        (Some(_), _) => of(metric::THROUGHPUT),
        (None, Some(Direction::Write)) => of(metric::SEND_THROUGHPUT),
        (None, Some(Direction::Read)) => of(metric::RECEIVE_THROUGHPUT),
        // An interface carries as much each way at once.
        (None, None) => [of(metric::SEND_THROUGHPUT), of(metric::RECEIVE_THROUGHPUT)]
            .into_iter()
            .flatten()
            .reduce(f64::max),
    }
}

/// From this share of the rate asked for on, a stream of datagrams had it: what is
/// under way at the edges of the window is missing.
const HAD: f64 = 0.98;

/// Whether datagrams arrived at the rate that they were asked to be sent at: the load
/// asks for no more.
pub(crate) fn has_its_bit_rate(case: &CaseResult) -> bool {
    let profile = profile(case);
    let asked: Option<f64> = profile.flows.iter().map(|flow| flow.asked_bytes_per_s).sum();
    let Some(asked) = asked.filter(|_| profile.is_stream()) else { return false };
    estimated(case, metric::THROUGHPUT).is_some_and(|rate| rate >= HAD * asked)
}

/// How many connections send the data of a case one way.
pub(crate) fn sending(case: &CaseResult) -> u64 {
    let profile = profile(case);
    let (operations, workers) = (profile.concurrency.operations, profile.concurrency.workers);
    let asks = profile.does(OperationClass::Exchange);
    let all = match () {
        () if profile.is_stream() => operations,
        // Streams beside who asks.
        () if asks && (profile.does(OperationClass::Send) || profile.does(OperationClass::Receive)) => {
            workers.saturating_sub(operations)
        }
        // Several requests share a connection.
        () if profile.parameter(Aspect::Depth).is_some() => workers,
        () => operations,
    };
    let ways = if goes_both_ways(case) { 2 } else { 1 };
    (all / ways).max(1)
}

/// Whether the end that answers is ours, which measured too: a server that is none is seen from here alone.
pub(crate) fn has_far_end(case: &CaseResult) -> bool {
    good(case).any(|trial| far(trial).is_some())
}

/// Whether a server that is no end of ours is on this machine: what it computes is neither the load's nor a disturbance.
pub(crate) fn is_served_here(case: &CaseResult) -> bool {
    let is_here = |t: &Trial| t.result.main().facts.get(&facts::SERVER_IS_HERE) == Some(&Value::Bool(true));
    let is_server = profile(case).parameter(Aspect::Server).is_some() && !has_far_end(case);
    is_server && is_one_machine(case) || good(case).any(is_here)
}

/// From this share of a served file on the page cache is where it comes from.
const CACHED: f64 = 0.95;

/// A file that the other end sends, by its path there.
pub(crate) fn served_file(case: &CaseResult) -> Option<&str> {
    let name = profile(case).parameter(Aspect::ServedFile)?;
    case.loads.main.parameters.text(name).ok()
}

/// The share of it that the page cache there held before a trial; absent where the kernel does not say.
pub(crate) fn served_cached(case: &CaseResult) -> Option<f64> {
    served_file(case)?;
    let name = model::fact::SERVED_CACHED_SHARE;
    median(case, |trial| End::Drives.number(trial, name).or_else(|| End::Answers.number(trial, name)))
}

/// Whether it comes from there, and not from a disk.
pub(crate) fn is_served_from_cache(case: &CaseResult) -> bool {
    served_cached(case).is_some_and(|share| share >= CACHED)
}

/// What the end that answers measured in a trial.
pub(crate) fn far(trial: &Trial) -> Option<&LoadTrial> {
    trial.result.loads.iter().find(|end| end.load == 0 && end.machine != LOCAL)
}
