//! What happens while a study runs. A terminal, and later a web page, only
//! renders these.

use serde::{Deserialize, Serialize};

use crate::metric::MetricName;
use crate::name::ParameterName;
use crate::profile::RateUnit;
use crate::run::Estimate;
use crate::trial::Status;
use crate::trial::Timeline;
use crate::unit::Quantity;

/// The phases of a trial, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Fixtures are made ready.
    Prepare,
    /// Nothing runs, the machine is watched.
    Idle,
    /// The load runs, nothing counts yet.
    WarmUp,
    /// The window is open.
    Measure,
    /// Nothing runs any more, the machine is still watched.
    CoolDown,
    /// What was written is read back, where that was asked.
    Verify,
    /// What is ours is put away.
    Clean,
}

/// What the main load did in one interval of a trial that is under way. The trial's result, which comes at its end,
/// has all of it; this is for those who look on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalFigures {
    /// When it began, in seconds from the start of the window: below 0 in the warm-up.
    pub start_s: f64,
    /// When it ended, likewise.
    pub end_s: f64,
    /// Operations that count and were reported in it.
    pub operations: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Operations that failed.
    pub errors: u64,
    /// The median of their latency, in seconds; this and those below are absent where too few operations lie beyond.
    pub latency_p50_s: Option<f64>,
    /// The 99th percentile.
    pub latency_p99_s: Option<f64>,
    /// The longest; absent where there was none.
    pub latency_max_s: Option<f64>,
    /// How many operations had a latency in each step of [`LatencyOverTime`](crate::LatencyOverTime), without steps
    /// that had none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency_steps: Vec<(u32, u64)>,
}

/// The most operations of one trial that are told one by one.
pub const OPERATIONS_LOGGED_MAX: u64 = 1_000_000;

/// Some of the operations of one worker, in the order in which they ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationBatch {
    /// The load, 0 is the main one.
    pub load: usize,
    /// The worker.
    pub worker: usize,
    /// The kinds of operations that the load has, by their numbers.
    pub kinds: Vec<OperationKind>,
    /// The operations.
    pub operations: Vec<LoggedOperation>,
    /// How many more of the worker's operations there were, for which there was no room.
    pub left_out: u64,
}

/// A kind of operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationKind {
    /// What it is called; empty where a load has one kind.
    pub name: String,
    /// Whether its operations are those that failed.
    pub fails: bool,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedOperation {
    /// When it began, or was due in an open loop, in nanoseconds from the start of the window.
    #[serde(rename = "s")]
    pub start_ns: i64,
    /// How long it took from then on, ns.
    #[serde(rename = "l")]
    pub latency_ns: u64,
    /// Bytes that it moved.
    #[serde(rename = "b")]
    pub bytes: u64,
    /// The number of its kind.
    #[serde(rename = "k")]
    pub kind: u8,
}

/// What an agent says while it works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentEvent {
    /// A phase began, at a time of the machine's monotonic clock.
    Phase {
        /// The phase.
        phase: Phase,
        /// When, ns.
        at_ns: u64,
    },
    /// The times of a trial of which this agent is the near end: the far end is
    /// to be told.
    Starts(Timeline),
    /// Packets that the route here allows do not reach the far end, smaller ones do.
    Narrow {
        /// Bytes of the largest packet that the route here allows.
        route: u32,
        /// Bytes of the largest that was seen to arrive.
        carried: u32,
    },
    /// Something keeps the agent from beginning, in a sentence.
    Waiting {
        /// What it waits for.
        why: String,
    },
    /// How far a fixture is.
    Preparing {
        /// What is made.
        what: String,
        /// Bytes done.
        done: u64,
        /// Bytes in all.
        of: u64,
    },
    /// The load is alive.
    Working {
        /// A count that changes when every worker has moved since it last
        /// changed.
        beat: u64,
    },
    /// An interval is over, where [`TrialOrder::lines_s`](crate::message::TrialOrder::lines_s) asks for them. It is
    /// no sign of life: time passes for a load that is stuck, too.
    Interval(IntervalFigures),
    /// Operations one by one, where [`TrialOrder::log_operations`](crate::message::TrialOrder::log_operations) asks for
    /// them: told when they are over.
    Operations(OperationBatch),
}

/// How a case stands on its way to a steady state.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// What a person calls the case.
    pub label: String,
    /// The metric that is watched.
    pub metric: MetricName,
    /// Its value in the last round.
    pub value: Quantity,
    /// Greatest less smallest of the last rounds, relative to their mean; absent
    /// before there are enough.
    pub range: Option<f64>,
    /// Whether those rounds are steady.
    pub steady: bool,
}

/// What a running study says.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A trial begins.
    TrialStarted {
        /// The case's number.
        case: usize,
        /// What a person calls it.
        label: String,
        /// The block, from 0.
        block: u32,
    },
    /// From the agent, about the present trial or fixture.
    Agent(AgentEvent),
    /// A trial ended.
    TrialFinished {
        /// The case's number.
        case: usize,
        /// How.
        status: Status,
        /// Why it failed or was skipped.
        reason: Option<String>,
    },
    /// A round of a group is over: each of its cases has been measured once more
    /// on the way to a steady state.
    RoundFinished {
        /// Its number, from 1.
        round: u32,
        /// The most rounds that there will be.
        most: u32,
        /// How the cases stand that go on.
        cases: Vec<Standing>,
    },
    /// The concurrency of a case was searched, and found.
    LevelFound {
        /// The case's number.
        case: usize,
        /// The parameter that was searched.
        parameter: ParameterName,
        /// The value that gives the most.
        best: u64,
        /// The least value that gives 95 % of it.
        knee: u64,
    },
    /// All trials of a case are done.
    CaseFinished {
        /// The case's number.
        case: usize,
        /// What a person calls it.
        label: String,
        /// What its rates are written in.
        rate_unit: RateUnit,
        /// The headline metric's name and estimate; absent if no trial worked.
        headline: Option<(MetricName, Estimate)>,
        /// Trials that did not work.
        failed: usize,
    },
    /// How much is left, in seconds; said when it changes.
    TimeLeft {
        /// Seconds done.
        done_s: f64,
        /// Seconds in all, as now estimated.
        total_s: f64,
    },
}
