//! `net.pingpong`: how long a message takes there and back.

pub(in crate::workload::net) mod answering;
pub(in crate::workload::net) mod asking;
mod datagram;
pub(in crate::workload::net) mod message;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{ALIKE, Class};
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass};
use model::resource::Symbol;
use model::trial::{TrialResult, Window};
use model::{
    FactName, LoadProfile, MetricName, MetricSpec, Parameters, Quantity, Unit, Value, WorkloadName,
    WorkloadSpec, metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::net::dscp::DSCP;
use crate::workload::net::ends::End;
use crate::workload::net::pingpong::answering::Answering;
use crate::workload::net::pingpong::asking::{Asking, RequestMode};
use crate::workload::net::pingpong::datagram::RequestOutcomes;
use crate::workload::net::pingpong::message::{Messages, Sizes};
use crate::workload::net::socket::{
    CONGESTION, DATAGRAM_MOST, LOCAL_ADDRESS, NODELAY, PEER, PEER_CPU_NODE, PEER_MEMORY_NODE, PROTOCOL,
    SocketOptions, WINDOW,
};
use crate::workload::{
    HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, common, named,
};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("net.pingpong"),
    definition_version: 1,
    summary: "how long a message takes to another machine and back",
    doc: "A message goes to the other end, which reads it whole and sends it back. The latency is the whole round trip, \
          from before the call that sends until the last byte is back. half_round_trip is half of its median, and \
          throughput is message-size for half of its mean, which is as NetPIPE has both; with `outstanding` messages \
          under way at once on each of several threads, that many times as much. Of messages that take longer than \
          the window both go by the parts that fell into it. With a rate the latency counts from the moment a message was due, and \
          half_round_trip from when it was sent. Each thread has its own connection.",
    parameters: &[
        PEER,
        PROTOCOL,
        ParameterSpec::new("message-size", Kind::Size, "Bytes of a message, there and back.").says(Aspect::Sizes).remote_max(256 << 20).default("1"),
        ParameterSpec::new(
            "neighbours",
            Kind::Size,
            "Messages of so many bytes less and more take turns with those of message-size and have figures of their \
             own (NetPIPE: 3), which shows whether some lengths are slow.",
        ).remote_max(256 << 20),
        OUTSTANDING,
        WAIT,
        VERIFY,
        NODELAY,
        WINDOW,
        CONGESTION,
        DSCP,
        LOCAL_ADDRESS,
        PEER_CPU_NODE,
        PEER_MEMORY_NODE,
    ],
    headline: metric::LATENCY_P50,
    metrics: &[
        common::LATENCY_P50,
        common::LATENCY_P90,
        common::LATENCY_P99,
        common::LATENCY_P99_9,
        common::LATENCY_MAX,
        HALF_ROUND_TRIP,
        THROUGHPUT,
        common::OPERATIONS,
        BELOW,
        ABOVE,
        LOSS,
        common::ELAPSED,
        common::SERVICE_P50,
        common::SERVICE_P99,
        common::CPU_PER_OPERATION,
        PEER_CPU,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus, Symbol::PeerInterface],
    examples: &[
        "net.pingpong",
        "net.pingpong --peer 'headroom://HOST:7117#KEY'",
        "net.pingpong --peer 'headroom://HOST:7117#KEY' --wait block,poll",
    ],
};

pub(in crate::workload::net) const OUTSTANDING: ParameterSpec = ParameterSpec::new(
    "outstanding",
    Kind::Count,
    "Messages under way at once on each connection, one behind the other.",
)
.says(Aspect::Depth)
.remote_max(65_536)
.default("1");

pub(in crate::workload::net) const WAIT: ParameterSpec =
    ParameterSpec::new("wait", Kind::Choice, "How both ends wait for a message.").default("block").words(&[
        Word { word: "block", doc: "asleep in the kernel" },
        Word { word: "poll", doc: "looking again and again, which takes a processor at each end" },
    ]);

const VERIFY: ParameterSpec = ParameterSpec::new("verify", Kind::Choice, "Whether replies are looked at.")
    .silent_by_default()
    .default("none")
    .words(&[
        Word { word: "none", doc: "only their length counts" },
        Word {
            word: "content",
            doc: "every reply is compared with its message, byte by byte, while time counts",
        },
    ]);

const HALF_ROUND_TRIP: MetricSpec = common::time(
    metric::HALF_ROUND_TRIP,
    "Half of the median round trip, which is NetPIPE's latency: one way, if both take as long.",
);
const THROUGHPUT: MetricSpec = common::throughput(
    metric::THROUGHPUT,
    "Bytes of the messages under way at once for each half of the mean round trip, NetPIPE's way: one way, if both \
     are as fast.",
);
const BELOW: MetricSpec = common::time(
    MetricName::new("below_half_round_trip"),
    "The same of messages that are `neighbours` bytes shorter.",
);
const ABOVE: MetricSpec = common::time(
    MetricName::new("above_half_round_trip"),
    "The same of messages that are `neighbours` bytes longer.",
);
const LOSS: MetricSpec = MetricSpec::lower(
    metric::LOSS,
    Unit::One,
    "The share of the messages that did not come back within 1 s, over the whole trial; UDP only.",
);
pub(in crate::workload::net) const PEER_CPU: MetricSpec = common::time(
    MetricName::new("peer_cpu_per_operation"),
    "CPU time of the other end's workers, user and kernel, for each operation.",
);

/// The sizes of the end that asks, where there are several.
const SIZES: &[Class] = &[
    Class { name: "exact", counts: true, fails: false },
    Class { name: "below", counts: false, fails: false },
    Class { name: "above", counts: false, fails: false },
];

/// Those of the end that answers: what it does are no round trips.
const ANSWERS: &[Class] = &[
    Class { name: "answer", counts: false, fails: false },
    Class { name: "farewell", counts: false, fails: false },
];

/// The longest message: as far as NetPIPE goes.
const MESSAGE_MOST: u64 = 8 << 20;

/// The most messages at once on a connection.
const OUTSTANDING_MOST: u64 = 1024;

/// The workload.
#[derive(Debug)]
pub struct Pingpong;

impl Workload for Pingpong {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedPingpong {
            schedule: schedule.clone(),
            bytes: parameters.integer(named("message-size"))?,
            apart: parameters.given(named("neighbours"), Parameters::integer)?.unwrap_or(0),
            depth: parameters.integer(named("outstanding"))?.max(1),
            busy: parameters.is_word(named("wait"), "poll"),
            verify: parameters.is_word(named("verify"), "content"),
            options: SocketOptions::of(parameters)?,
        }))
    }
}

/// Refuses what is not there for loads with two ends.
pub(in crate::workload::net) fn two_ended(
    schedule: &LoadSchedule,
    workload: WorkloadName,
) -> Result<(), Problem> {
    if schedule.latency_target.is_none() {
        return Ok(());
    }
    Err(Problem::invalid(
        format!("latency-target is searched by trials of one end, and {workload} has two"),
        "give several rates instead, such as rate=1k,2k,4k",
    ))
}

#[derive(Clone, Debug)]
struct PlannedPingpong {
    schedule: LoadSchedule,
    /// Of a message.
    bytes: u64,
    /// How many bytes its neighbours are longer and shorter; 0 without any.
    apart: u64,
    /// Messages under way on each connection.
    depth: u64,
    busy: bool,
    verify: bool,
    options: SocketOptions,
}

impl Planned for PlannedPingpong {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        two_ended(&self.schedule, SPEC.name)?;
        self.options.check()?;
        let bytes = self.bytes + self.apart;
        let (most, why) = if self.options.is_tcp {
            (MESSAGE_MOST, "larger ones are a stream: use net.stream")
        } else {
            (DATAGRAM_MOST as u64, "one datagram holds no more")
        };
        if bytes > most {
            return Err(Problem::invalid(
                format!("a message of {bytes} bytes is more than {most}"),
                format!("use smaller ones; {why}"),
            ));
        }
        if self.depth > OUTSTANDING_MOST {
            return Err(Problem::invalid(
                format!("{} outstanding messages are more than {OUTSTANDING_MOST}", self.depth),
                "use fewer, or more threads",
            ));
        }
        let memory_bytes = 3 * self.schedule.threads.max(1) * bytes;
        Ok(Requirements { memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let messages = Flow::only(OperationClass::Exchange, FlowUnit::Operations).of_bytes(self.bytes);
        let mut profile = self.options.profile(base, vec![messages]);
        profile.concurrency.operations = profile.concurrency.operations.saturating_mul(self.depth);
        profile
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let end = End::of_ours(given, SPEC.name)?;
        let sizes = Sizes { bytes: self.bytes as usize, apart: self.apart as usize, class: 0 };
        Ok(Box::new(PreparedPingpong { plan: self.clone(), end, sizes, outcomes: Arc::default() }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let answers = outcome.classes.iter().find(|c| c.class.name == "answer");
        if let Some(answers) = answers {
            return counted(common::OPERATIONS, answers.operations, outcome, window);
        }
        metrics.remove(&metric::THROUGHPUT);
        let mut put = |spec: MetricSpec, value: f64| {
            metrics.insert(spec.name, Quantity { value, unit: spec.unit });
        };
        // Of few messages too: how far it is off shows in how trials differ, and a
        // sweep has large ones, of which a window holds few.
        let median = |name: MetricName| {
            let all = outcome.histogram(name).filter(|h| !h.is_empty())?;
            Some(all.value_at_quantile(0.5) as f64 / 2e9)
        };
        for (spec, name) in [(BELOW, "below"), (ABOVE, "above")] {
            if let Some(half) = metric::LATENCY.of(name).and_then(median) {
                put(spec, half);
            }
        }
        let is_open = outcome.service.is_some();
        if let Some(half) = median(if is_open { metric::SERVICE_TIME } else { metric::LATENCY }) {
            put(HALF_ROUND_TRIP, half);
        }
        // In an open loop nobody knows how many are under way at once. The mean, for
        // a rate that only the faster half of the messages had is none.
        let under_way = (self.depth * self.schedule.threads) as f64;
        let bytes = self.bytes as f64 * under_way;
        let mean = outcome.histogram(metric::LATENCY).filter(|_| !is_open).and_then(stats::histogram::mean);
        if let Some(mean_ns) = mean.filter(|ns| *ns > 0.0) {
            put(THROUGHPUT, bytes / (mean_ns / 2e9));
        } else if let Some(seconds) = longer_than_window(outcome, window, under_way).filter(|_| !is_open) {
            // Of sizes that take turns nobody knows whose share it was.
            if self.apart == 0 {
                put(THROUGHPUT, bytes / (seconds / 2.0));
                put(HALF_ROUND_TRIP, seconds / 2.0);
            }
        }
        metrics
    }

    fn merge(&self, near: &mut TrialResult, far: &TrialResult) -> Merged {
        tell_peer_cpu(near, far)
    }
}

/// Puts what the other end's workers spent into the result.
pub(in crate::workload::net) fn tell_peer_cpu(near: &mut TrialResult, far: &TrialResult) -> Merged {
    if let Some(theirs) = far.main().metrics.get(&metric::CPU_PER_OPERATION) {
        near.main_mut().metrics.insert(PEER_CPU.name, *theirs);
    }
    Ok(())
}

/// The mean round trip of messages none of which went there and came back within
/// the window, s: by the shares of them that fell into it.
fn longer_than_window(outcome: &LoadOutcome, window: Window, under_way: f64) -> Option<f64> {
    let rate = outcome.operations / window.seconds();
    (rate > 0.0).then(|| under_way / rate)
}

/// The rate of what was done so often, and the CPU time of each.
pub(in crate::workload::net) fn counted(
    rate: MetricSpec,
    count: f64,
    outcome: &LoadOutcome,
    window: Window,
) -> Metrics {
    let mut metrics = Metrics::new();
    let mut put = |spec: MetricSpec, value: f64| {
        metrics.insert(spec.name, Quantity { value, unit: spec.unit });
    };
    put(rate, count / window.seconds());
    if count > 0.0 {
        put(common::CPU_PER_OPERATION, (outcome.user_s + outcome.system_s) / count);
    }
    metrics
}

#[derive(Debug)]
struct PreparedPingpong {
    plan: PlannedPingpong,
    end: End,
    sizes: Sizes,
    outcomes: Arc<RequestOutcomes>,
}

impl Prepared for PreparedPingpong {
    fn operation_bytes(&self) -> u64 {
        self.sizes.bytes as u64
    }

    fn classes(&self) -> &'static [Class] {
        match (self.end.drives(), self.sizes.apart) {
            (false, _) => ANSWERS,
            (true, 0) => ALIKE,
            (true, _) => SIZES,
        }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.plan.options.asked()
    }

    fn seen(&self, _window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        let [answered, lost] =
            [&self.outcomes.answered, &self.outcomes.lost].map(|n| n.load(Ordering::Relaxed) as f64);
        if answered + lost > 0.0 {
            let quantity = Quantity { value: lost / (answered + lost), unit: LOSS.unit };
            seen.metrics.insert(LOSS.name, quantity);
        }
        seen
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Self { plan: PlannedPingpong { depth, busy, verify, options, .. }, end, sizes, outcomes } = self;
        let farewell = end.farewell().unwrap_or_default();
        let manner = RequestMode { depth: *depth as usize, busy: *busy, verify: *verify };
        let messages = || Messages::new(*sizes, seed ^ worker.index as u64);
        Ok(match (options.is_tcp, end.drives()) {
            (true, true) => {
                let messages = messages()?;
                Box::new(Asking::new(end.tcp(worker.index, options)?, messages, manner))
            }
            (true, false) => Box::new(Answering::new(end.tcp(worker.index, options)?, (*sizes, 0), *busy)?),
            (false, true) => {
                let told = (farewell, Arc::clone(outcomes));
                let (socket, _) = end.udp(worker.index, options)?;
                Box::new(datagram::Asking::new(socket, messages()?, manner, told))
            }
            (false, false) => {
                let (socket, hello) = end.udp(worker.index, options)?;
                Box::new(datagram::Answering::new(socket, *busy, 0, (farewell, hello))?)
            }
        })
    }
}
