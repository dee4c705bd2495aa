//! `net.pingpong`: how long a message takes there and back.

pub(in crate::workload::net) mod answering;
pub(in crate::workload::net) mod asking;
mod datagram;
pub(in crate::workload::net) mod message;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{ALIKE, Class};
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass};
use model::resource::Symbol;
use model::trial::{TrialResult, Window};
use model::{LoadProfile, MetricSpec, Parameters, Quantity, Unit, Value, WorkloadSpec};

use crate::workload::net::ends::End;
use crate::workload::net::pingpong::answering::Answering;
use crate::workload::net::pingpong::asking::{Asking, RequestMode};
use crate::workload::net::pingpong::datagram::RequestOutcomes;
use crate::workload::net::pingpong::message::{Messages, Sizes};
use crate::workload::net::socket::{
    CONGESTION, DATAGRAM_MOST, LOCAL_ADDRESS, NODELAY, Options, PEER, PROTOCOL, WINDOW,
};
use crate::workload::{HostInfo, LoadContext, Requirements, United, Workload, common, profile};

/// The description.
pub const SPEC: WorkloadSpec = WorkloadSpec {
    name: "net.pingpong",
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
        ParameterSpec::new("message-size", Kind::Size, "Bytes of a message, there and back.").default("1"),
        ParameterSpec::new(
            "neighbours",
            Kind::Size,
            "Messages of so many bytes less and more take turns with those of message-size and have figures of their \
             own (NetPIPE: 3), which shows whether some lengths are slow.",
        ),
        OUTSTANDING,
        WAIT,
        VERIFY,
        NODELAY,
        WINDOW,
        CONGESTION,
        LOCAL_ADDRESS,
    ],
    headline: "latency_p50",
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
};

/// The parameter of requests at once.
pub(in crate::workload::net) const OUTSTANDING: ParameterSpec = ParameterSpec::new(
    "outstanding",
    Kind::Count,
    "Messages under way at once on each connection, one behind the other.",
)
.default("1");

/// The parameter of the manner of waiting.
pub(in crate::workload::net) const WAIT: ParameterSpec =
    ParameterSpec::new("wait", Kind::Choice, "How both ends wait for a message.").default("block").words(&[
        Word { word: "block", doc: "asleep in the kernel" },
        Word { word: "poll", doc: "looking again and again, which takes a processor at each end" },
    ]);

const VERIFY: ParameterSpec =
    ParameterSpec::new("verify", Kind::Choice, "Whether replies are looked at.").default("none").words(&[
        Word { word: "none", doc: "only their length counts" },
        Word {
            word: "content",
            doc: "every reply is compared with its message, byte by byte, while time counts",
        },
    ]);

/// Half of the median round trip.
const HALF_ROUND_TRIP: MetricSpec = MetricSpec::lower(
    "half_round_trip",
    Unit::Seconds,
    "Half of the median round trip, which is NetPIPE's latency: one way, if both take as long.",
);
const THROUGHPUT: MetricSpec = MetricSpec::higher(
    "throughput",
    Unit::BytesPerSecond,
    "Bytes of the messages under way at once for each half of the mean round trip, NetPIPE's way: one way, if both \
     are as fast.",
);
const BELOW: MetricSpec = MetricSpec::lower(
    "below_half_round_trip",
    Unit::Seconds,
    "The same of messages that are `neighbours` bytes shorter.",
);
const ABOVE: MetricSpec = MetricSpec::lower(
    "above_half_round_trip",
    Unit::Seconds,
    "The same of messages that are `neighbours` bytes longer.",
);
const LOSS: MetricSpec = MetricSpec::lower(
    "loss",
    Unit::One,
    "The share of the messages that did not come back within 1 s, over the whole trial; UDP only.",
);
/// What the other end spends.
pub(in crate::workload::net) const PEER_CPU: MetricSpec = MetricSpec::lower(
    "peer_cpu_per_operation",
    Unit::Seconds,
    "CPU time of the other end's workers, user and kernel, for each operation.",
);

/// The sizes of the end that asks, where there are several.
const SIZES: &[Class] = &[
    Class { name: "exact", counts: true },
    Class { name: "below", counts: false },
    Class { name: "above", counts: false },
];

/// Those of the end that answers: what it does are no round trips.
const ANSWERS: &[Class] =
    &[Class { name: "answer", counts: false }, Class { name: "farewell", counts: false }];

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

    fn survey(&self, parameters: Parameters, _site: &HostInfo) -> Result<Requirements, Problem> {
        survey(parameters)
    }

    fn profile(&self, parameters: &Parameters) -> LoadProfile {
        let messages = Flow {
            sizes: profile::sizes(parameters, "message-size"),
            ..Flow::only(OperationClass::Exchange, FlowUnit::Operations)
        };
        let mut profile = profile::of_two_ends(&SPEC, parameters, vec![messages]);
        let outstanding = profile::at_least_one(parameters, "outstanding");
        profile.concurrency.operations = profile.concurrency.operations.saturating_mul(outstanding);
        profile
    }

    fn prepare(&self, parameters: &Parameters, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let size = |name: &str| match parameters.get(name) {
            Some(Value::Integer(bytes)) => *bytes as usize,
            _ => 0,
        };
        Ok(Box::new(PreparedPingpong {
            end: End::of_ours(given, SPEC.name)?,
            sizes: Sizes { bytes: size("message-size"), apart: size("neighbours"), class: 0 },
            depth: size("outstanding").max(1),
            busy: parameters.is_word("wait", "poll"),
            verify: parameters.is_word("verify", "content"),
            options: Options::of(parameters)?,
            fates: Arc::default(),
        }))
    }

    fn metrics(
        &self,
        parameters: &Parameters,
        outcome: &LoadOutcome,
        window: Window,
    ) -> BTreeMap<String, Quantity> {
        metrics(parameters, outcome, window)
    }

    fn has_far_end(&self) -> bool {
        true
    }

    fn unite(&self, _parameters: &Parameters, near: &mut TrialResult, far: &TrialResult) -> United {
        if let Some(theirs) = far.metrics.get("cpu_per_operation") {
            near.metrics.insert(PEER_CPU.name.to_owned(), *theirs);
        }
        Ok(())
    }
}

/// Refuses what is not there for loads with two ends.
pub(in crate::workload::net) fn two_ended(parameters: &Parameters, workload: &str) -> Result<(), Problem> {
    if parameters.get("latency-target").is_none() {
        return Ok(());
    }
    Err(Problem::invalid(
        format!("latency-target is searched by trials of one end, and {workload} has two"),
        "give several rates instead, such as rate=1k,2k,4k",
    ))
}

fn survey(parameters: Parameters) -> Result<Requirements, Problem> {
    two_ended(&parameters, SPEC.name)?;
    let size = |name: &str| parameters.integer(name).unwrap_or_default();
    let (bytes, apart) = (size("message-size"), size("neighbours"));
    let is_udp = parameters.is_word("protocol", "udp");
    let most = if is_udp { DATAGRAM_MOST as u64 } else { MESSAGE_MOST };
    if bytes + apart > most {
        let why =
            if is_udp { "one datagram holds no more" } else { "larger ones are a stream: use net.stream" };
        return Err(Problem::invalid(
            format!("a message of {} bytes is more than {most}", bytes + apart),
            format!("use smaller ones; {why}"),
        ));
    }
    let depth = size("outstanding").max(1);
    if depth > OUTSTANDING_MOST {
        return Err(Problem::invalid(
            format!("{depth} outstanding messages are more than {OUTSTANDING_MOST}"),
            "use fewer, or more threads",
        ));
    }
    let memory_bytes = 3 * size("threads").max(1) * (bytes + apart);
    Ok(Requirements { parameters, memory_bytes, ..Requirements::default() })
}

fn metrics(parameters: &Parameters, outcome: &LoadOutcome, window: Window) -> BTreeMap<String, Quantity> {
    let answers = outcome.classes.iter().find(|c| c.class.name == "answer");
    if let Some(answers) = answers {
        return of_far(answers.operations, outcome, window);
    }
    let mut metrics = common::metrics(&SPEC, outcome, window);
    metrics.remove("throughput");
    let mut put = |spec: MetricSpec, value: f64| {
        metrics.insert(spec.name.to_owned(), Quantity { value, unit: spec.unit });
    };
    // Of few messages too: how far it is off shows in how trials differ, and a
    // sweep has large ones, of which a window holds few.
    let median = |name: &str| {
        let all = outcome.histogram(name).filter(|h| !h.is_empty())?;
        Some(all.value_at_quantile(0.5) as f64 / 2e9)
    };
    for (spec, name) in [(BELOW, "below_latency"), (ABOVE, "above_latency")] {
        if let Some(half) = median(name) {
            put(spec, half);
        }
    }
    let is_open = outcome.service.is_some();
    if let Some(half) = median(if is_open { "service_time" } else { "latency" }) {
        put(HALF_ROUND_TRIP, half);
    }
    // In an open loop nobody knows how many are under way at once. The mean, for
    // a rate that only the faster half of the messages had is none.
    let size = |name: &str| parameters.integer(name).unwrap_or(1) as f64;
    let under_way = size("outstanding") * size("threads");
    let mean = outcome.histogram("latency").filter(|_| !is_open).and_then(stats::histogram::mean);
    if let Some(mean_ns) = mean.filter(|ns| *ns > 0.0) {
        put(THROUGHPUT, size("message-size") * under_way / (mean_ns / 2e9));
    } else if let Some(seconds) = longer_than_window(outcome, window, under_way).filter(|_| !is_open) {
        // Of sizes that take turns nobody knows whose share it was.
        if parameters.integer("neighbours").unwrap_or(0) == 0 {
            put(THROUGHPUT, size("message-size") * under_way / (seconds / 2.0));
            put(HALF_ROUND_TRIP, seconds / 2.0);
        }
    }
    metrics
}

/// The mean round trip of messages none of which went there and came back within
/// the window, s: by the shares of them that fell into it.
fn longer_than_window(outcome: &LoadOutcome, window: Window, under_way: f64) -> Option<f64> {
    let rate = outcome.operations / window.seconds();
    (rate > 0.0).then(|| under_way / rate)
}

/// What the end that answers knows.
fn of_far(answers: f64, outcome: &LoadOutcome, window: Window) -> BTreeMap<String, Quantity> {
    let mut metrics = BTreeMap::new();
    let mut put = |spec: MetricSpec, value: f64| {
        metrics.insert(spec.name.to_owned(), Quantity { value, unit: spec.unit });
    };
    put(common::OPERATIONS, answers / window.seconds());
    if answers > 0.0 {
        put(common::CPU_PER_OPERATION, (outcome.user_s + outcome.system_s) / answers);
    }
    metrics
}

#[derive(Debug)]
struct PreparedPingpong {
    end: End,
    sizes: Sizes,
    depth: usize,
    busy: bool,
    verify: bool,
    options: Options,
    fates: Arc<RequestOutcomes>,
}

impl Prepared for PreparedPingpong {
    fn operation_bytes(&self) -> u64 {
        self.sizes.bytes as u64
    }

    fn classes(&self) -> &'static [Class] {
        match (self.end.is_near(), self.sizes.apart) {
            (false, _) => ANSWERS,
            (true, 0) => ALIKE,
            (true, _) => SIZES,
        }
    }

    fn facts(&self) -> Vec<(&'static str, Value)> {
        self.options.window.map(|window| ("window_asked", Value::Integer(window))).into_iter().collect()
    }

    fn seen(&self, _window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        let [answered, lost] =
            [&self.fates.answered, &self.fates.lost].map(|n| n.load(Ordering::Relaxed) as f64);
        if answered + lost > 0.0 {
            let quantity = Quantity { value: lost / (answered + lost), unit: LOSS.unit };
            seen.metrics.insert(LOSS.name.to_owned(), quantity);
        }
        seen
    }

    fn worker(&self, seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Self { end, sizes, depth, busy, verify, options, fates } = self;
        let farewell = end.farewell().unwrap_or_default();
        let manner = RequestMode { depth: *depth, busy: *busy, verify: *verify };
        let messages = || Messages::new(*sizes, seed ^ seat.index as u64);
        Ok(match (options.is_tcp, end.is_near()) {
            (true, true) => {
                let messages = messages()?;
                Box::new(Asking::new(end.tcp(seat.index, options)?, messages, manner))
            }
            (true, false) => Box::new(Answering::new(end.tcp(seat.index, options)?, (*sizes, 0), *busy)?),
            (false, true) => {
                let told = (farewell, Arc::clone(fates));
                let (socket, _) = end.udp(seat.index, options)?;
                Box::new(datagram::Asking::new(socket, messages()?, manner, told))
            }
            (false, false) => {
                let (socket, hello) = end.udp(seat.index, options)?;
                Box::new(datagram::Answering::new(socket, *busy, 0, (farewell, hello))?)
            }
        })
    }
}
