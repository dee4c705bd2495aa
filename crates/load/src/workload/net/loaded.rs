//! `net.loaded`: how long a small message takes there and back while other
//! connections fill the link.
//!
//! A queue on the way that is always full makes every message wait (bufferbloat);
//! flent's RRUL shows it by pings beside full links. Here the first connection
//! asks and is answered, and all others carry what they can.

use std::sync::Arc;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass};
use model::resource::Symbol;
use model::trial::{TrialResult, Window};
use model::{
    FactName, LoadProfile, MetricSpec, Parameters, Quantity, Value, WorkloadName, WorkloadSpec, metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::net::direction::StreamDirection;
use crate::workload::net::dscp::DSCP;
use crate::workload::net::ends::End;
use crate::workload::net::pingpong::answering::Answering;
use crate::workload::net::pingpong::asking::{Asking, RequestMode};
use crate::workload::net::pingpong::message::{Messages, Sizes};
use crate::workload::net::pingpong::{WAIT, two_ended};
use crate::workload::net::socket::{
    CONGESTION, LOCAL_ADDRESS, PEER, PEER_CPU_NODE, PEER_MEMORY_NODE, SocketOptions, WINDOW,
};
use crate::workload::net::stream::source::{Source, Way};
use crate::workload::net::stream::spec::{RETRANSMITS, RTT, check_streams, refuse};
use crate::workload::net::stream::state::{self, State};
use crate::workload::net::stream::tcp::{self, Share};
use crate::workload::net::worker_samples::SampleCollector;
use crate::workload::{
    HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, common, named,
};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("net.loaded"),
    definition_version: 1,
    summary: "how long a small message takes there and back while the link is full",
    doc: "One connection asks and is answered, one message at a time; its round trip is the latency. Meanwhile \
          `streams` others each way carry as much as they can (`direction`). With direction=none,send,receive,both the \
          first case is the idle link, and the others say by how much each load makes a message wait. All run over TCP, \
          each with a thread at both ends.",
    parameters: &[
        PEER,
        ParameterSpec::new("direction", Kind::Choice, "Which way the link is filled, seen from here.")
            .default("both")
            .words(&[
                Word { word: "none", doc: "neither: the latency of the idle link" },
                Word { word: "send", doc: "to the other end" },
                Word { word: "receive", doc: "from the other end" },
                Word { word: "both", doc: "both ways at once" },
            ]),
        ParameterSpec::new("streams", Kind::Count, "Connections each way that fill the link.")
            .says(Aspect::Streams)
            .remote_max(1024)
            .default("1"),
        ParameterSpec::new("message-size", Kind::Size, "Bytes of a message, there and back.")
            .says(Aspect::Sizes)
            .remote_max(256 << 20)
            .default("64"),
        WAIT,
        WINDOW,
        CONGESTION_OF_ALL,
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
        common::OPERATIONS,
        THROUGHPUT,
        SEND_THROUGHPUT,
        RECEIVE_THROUGHPUT,
        RETRANSMITS,
        RTT,
    ],
    path: &[Symbol::WorkerCpus, Symbol::PeerInterface],
    examples: &[
        "net.loaded",
        "net.loaded --peer 'headroom://HOST:7117#KEY'",
        "net.loaded --peer 'headroom://HOST:7117#KEY' --streams 1,8",
    ],
};

/// The same as of other loads, which have a protocol.
const CONGESTION_OF_ALL: ParameterSpec = ParameterSpec { with: None, ..CONGESTION };

const THROUGHPUT: MetricSpec = common::throughput(
    metric::THROUGHPUT,
    "Bytes per second that arrived over the connections that fill the link, both ways together.",
);
const SEND_THROUGHPUT: MetricSpec = common::throughput(
    metric::SEND_THROUGHPUT,
    "Bytes per second that arrived at the other end over the connections that fill the link.",
);
const RECEIVE_THROUGHPUT: MetricSpec = common::throughput(
    metric::RECEIVE_THROUGHPUT,
    "Bytes per second that arrived here over the connections that fill the link.",
);

/// The kinds of operations, those of a stream first. Only the messages are the
/// load's: what is asked is how they fare.
const CLASSES: &[Class] = &[
    Class { name: "send", counts: false, fails: false },
    Class { name: "receive", counts: false, fails: false },
    Class { name: "message", counts: true, fails: false },
    Class { name: "answer", counts: false, fails: false },
];
const MESSAGE: u8 = 2;
const ANSWER: u8 = 3;

/// Bytes of one call of those that fill the link.
const CALL_BYTES: usize = 128 << 10;

/// The longest message: longer ones are a load themselves.
const MESSAGE_MOST: u64 = 64 << 10;

/// The workload.
#[derive(Debug)]
pub struct Responsiveness;

impl Workload for Responsiveness {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedLoadedPath {
            schedule: schedule.clone(),
            direction: StreamDirection::of(parameters)?,
            streams: parameters.integer(named("streams"))?,
            message: parameters.integer(named("message-size"))?,
            busy: parameters.is_word(named("wait"), "poll"),
            options: SocketOptions::of(parameters)?,
        }))
    }
}

#[derive(Clone, Debug)]
struct PlannedLoadedPath {
    schedule: LoadSchedule,
    direction: StreamDirection,
    streams: u64,
    /// Bytes of a message.
    message: u64,
    busy: bool,
    options: SocketOptions,
}

impl Planned for PlannedLoadedPath {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        two_ended(&self.schedule, SPEC.name)?;
        refuse(&self.schedule, &SPEC, &["rate", "requests"])?;
        check_streams(self.streams)?;
        self.options.check()?;
        if !(1..=MESSAGE_MOST).contains(&self.message) {
            return Err(Problem::invalid(
                "messages of more than 64 KiB are a load themselves",
                "use a smaller message-size",
            ));
        }
        let memory_bytes = 4 * self.streams * CALL_BYTES as u64;
        Ok(Requirements { memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let messages = Flow::only(OperationClass::Exchange, FlowUnit::Operations).of_bytes(self.message);
        // What fills the link is not counted.
        let fill = |way| Flow { share: 0.0, ..Flow::only(way, FlowUnit::Bytes) };
        let ways = self.direction.classes();
        let streams = self.streams.max(1).saturating_mul(ways.len() as u64);
        let nothing = Flow { asked_bytes_per_s: Some(0.0), ..fill(OperationClass::Send) };
        let nothing = ways.is_empty().then_some(nothing);
        let flows = std::iter::once(messages).chain(ways.into_iter().map(fill)).chain(nothing);
        let mut profile = self.options.profile(base, flows.collect());
        (profile.concurrency.workers, profile.concurrency.operations) = (streams.saturating_add(1), 1);
        profile
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let streams = |goes: bool| if goes { self.streams as usize } else { 0 };
        Ok(Box::new(PreparedLoadedPath {
            end: End::of_ours(given, SPEC.name)?,
            there: streams(self.direction.sends),
            back: streams(self.direction.receives),
            plan: self.clone(),
            states: Arc::default(),
        }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        metrics.retain(|name, _| name.as_str().starts_with("latency") || *name == common::OPERATIONS.name);
        if outcome.operations <= 0.0 {
            // The end that answers asks nothing.
            metrics.clear();
        }
        let received = outcome.classes.iter().find(|c| c.class.name == "receive");
        if let Some(received) = received.filter(|c| c.operations > 0.0) {
            let value = received.bytes / window.seconds();
            metrics.insert(THROUGHPUT.name, Quantity { value, unit: THROUGHPUT.unit });
        }
        metrics
    }

    fn merge(&self, near: &mut TrialResult, far: &TrialResult) -> Merged {
        let of = |result: &TrialResult| result.main().metrics.get(&THROUGHPUT.name).map_or(0.0, |q| q.value);
        let (here, there) = (of(near), of(far));
        let StreamDirection { sends, receives } = self.direction;
        let ways = [(SEND_THROUGHPUT, there, sends), (RECEIVE_THROUGHPUT, here, receives)];
        let all = (THROUGHPUT, here + there, sends || receives);
        for (spec, value, is_filled) in ways.into_iter().chain([all]) {
            if is_filled {
                near.main_mut().metrics.insert(spec.name, Quantity { value, unit: spec.unit });
            }
        }
        for spec in [RETRANSMITS, RTT] {
            let Some(theirs) = far.main().metrics.get(&spec.name).copied() else { continue };
            let ours = near.main().metrics.get(&spec.name).map(|q| q.value);
            let value = match ours {
                None => theirs.value,
                Some(ours) if spec.name == RETRANSMITS.name => ours + theirs.value,
                Some(ours) => ours,
            };
            near.main_mut().metrics.insert(spec.name, Quantity { value, unit: spec.unit });
        }
        Ok(())
    }
}

#[derive(Debug)]
struct PreparedLoadedPath {
    end: End,
    /// Connections that fill the link to the far end, and from there.
    there: usize,
    back: usize,
    plan: PlannedLoadedPath,
    states: Arc<SampleCollector<State>>,
}

impl PreparedLoadedPath {
    /// The connection that carries messages.
    fn messages(&self, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Self { end, plan: PlannedLoadedPath { message, busy, options, .. }, .. } = self;
        let sizes = Sizes { bytes: *message as usize, apart: 0, class: MESSAGE };
        let options = SocketOptions { nodelay: true, ..options.clone() };
        if !end.drives() {
            return Ok(Box::new(Answering::new(end.tcp(0, &options)?, (sizes, ANSWER), *busy)?));
        }
        let messages = Messages::new(sizes, seed)?;
        let manner = RequestMode { depth: 1, busy: *busy, verify: false };
        Ok(Box::new(Asking::new(end.tcp(0, &options)?, messages, manner)))
    }
}

impl Prepared for PreparedLoadedPath {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn workers(&self, _threads: usize) -> usize {
        1 + self.there + self.back
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.plan.options.asked()
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        state::seen(&self.states, window, &mut seen);
        seen
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Some(stream) = worker.index.checked_sub(1) else { return self.messages(seed) };
        let share = Share { bytes: CALL_BYTES, left: None, farewell: self.end.farewell() };
        let connection = || self.end.tcp(worker.index, &self.plan.options);
        if (stream < self.there) != self.end.drives() {
            return Ok(Box::new(tcp::Receiving::new(connection()?, share)?));
        }
        let stream = connection()?;
        let source = Source::new(&stream, CALL_BYTES, Way::Copied, seed ^ worker.index as u64)?;
        Ok(Box::new(tcp::Sending::new(stream, source, share, Arc::clone(&self.states))))
    }
}
