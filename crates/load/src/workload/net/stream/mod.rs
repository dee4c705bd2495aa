//! `net.stream`: how much goes from one machine to another.
//!
//! What counts is what arrives: a sender's own figure holds what still lies in
//! its socket, which for a short transfer is most of it. So the result is made
//! of what both ends counted in the same window, each by its own calls.

mod arrivals;
mod merge;
mod message;
mod ring;
mod several;
pub(in crate::workload::net) mod source;
pub(in crate::workload) mod spec;
pub(in crate::workload) mod state;
pub(in crate::workload::net) mod tcp;
mod udp;

use std::sync::Arc;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, SideMetrics, Worker};
use model::plan::{LoadSpec, Problem};
use model::profile::{Flow, FlowUnit};
use model::trial::{TrialResult, Window};
use model::{FactName, LoadProfile, Parameters, Quantity, Value, WorkloadSpec, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::memory::buffer::Buffer;
use crate::workload::net::direction::StreamDirection;
use crate::workload::net::ends::End;
use crate::workload::net::socket::{self, DATAGRAM_MOST, SocketOptions};
use crate::workload::net::stream::several::Several;
use crate::workload::net::stream::source::{Source, Way};
use crate::workload::net::stream::state::State;
use crate::workload::net::stream::tcp::Share;
use crate::workload::net::stream::udp::Tally;
use crate::workload::net::worker_samples::SampleCollector;
use crate::workload::{
    HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, catalogue, common, named,
};

pub use spec::SPEC;

/// The kinds of operations: one call each.
const CLASSES: &[Class] = &[
    Class { name: "send", counts: true, fails: false },
    Class { name: "receive", counts: true, fails: false },
];

/// Bytes of one call over TCP, unless asked otherwise: what iperf3 has.
const CALL_BYTES: u64 = 128 << 10;

/// The workload.
#[derive(Debug)]
pub struct Stream;

impl Workload for Stream {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedStream::read(parameters, schedule)?))
    }
}

/// A stream as it is asked for.
#[derive(Clone, Debug)]
pub struct PlannedStream {
    /// How it is driven.
    pub schedule: LoadSchedule,
    /// Which way data goes.
    pub direction: StreamDirection,
    /// Connections each way.
    pub streams: u64,
    /// Bytes of one call that sends; over UDP none where the path says it.
    pub buffer: Option<u64>,
    read_buffer: u64,
    way: Way,
    /// Bits per second each way.
    pub bit_rate: Option<f64>,
    /// Those of its sockets.
    pub options: SocketOptions,
}

impl PlannedStream {
    /// What a load asks for, if it is a stream.
    ///
    /// # Errors
    /// If a parameter has the wrong type.
    pub fn of(load: &LoadSpec) -> Result<Option<Self>, Problem> {
        if load.workload != SPEC.name {
            return Ok(None);
        }
        let mut parameters = load.parameters.clone();
        catalogue().fill(&SPEC, &mut parameters);
        Self::read(&parameters, &LoadSchedule::of(&parameters, 1)?).map(Some)
    }

    /// Threads each way.
    fn threads(&self) -> u64 {
        self.schedule.threads.clamp(1, self.streams.max(1))
    }

    fn read(parameters: &Parameters, schedule: &LoadSchedule) -> Result<Self, Problem> {
        let options = SocketOptions::of(parameters)?;
        Ok(Self {
            schedule: schedule.clone(),
            direction: StreamDirection::of(parameters)?,
            streams: parameters.integer(named("streams"))?,
            buffer: parameters.integer(named("buffer")).ok(),
            read_buffer: parameters.integer(named("read-buffer"))?,
            way: if options.is_tcp { Way::of(parameters)? } else { Way::Copied },
            bit_rate: parameters.given(named("bit-rate"), Parameters::number)?,
            options,
        })
    }
}

impl Planned for PlannedStream {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        spec::survey(self)
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let ways = self.direction.classes();
        let share = 1.0 / ways.len() as f64;
        let asked_bytes_per_s = self.bit_rate.map(|bits| bits / 8.0);
        let ways_of = |count: u64| count.max(1).saturating_mul(ways.len() as u64);
        let (workers, connections) = (ways_of(self.threads()), ways_of(self.streams));
        let flow = |way| Flow { share, asked_bytes_per_s, ..Flow::only(way, FlowUnit::Bytes) };
        let mut profile = self.options.profile(base, ways.into_iter().map(flow).collect());
        (profile.concurrency.workers, profile.concurrency.operations) = (workers, connections);
        profile
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let end = End::of(given)?;
        let StreamDirection { sends, receives } =
            if end.drives() { self.direction } else { self.direction.turned() };
        let (states, tallies) = (Arc::default(), Arc::default());
        Ok(Box::new(PreparedStream { plan: self.clone(), end, sends, receives, states, tallies }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        // Only what arrives here is this end's throughput.
        metrics.remove(&metric::THROUGHPUT);
        let seconds = window.seconds();
        for class in outcome.classes.iter().filter(|c| c.operations > 0.0) {
            let (bytes, calls) = match class.class.name {
                "send" => (spec::SENDER_THROUGHPUT, spec::SENDER_CALLS),
                _ => (common::THROUGHPUT, spec::RECEIVER_CALLS),
            };
            let is_datagrams = !self.options.is_tcp && class.class.name == "receive";
            let packets = is_datagrams.then_some((spec::PACKETS, class.operations));
            let rates = [(bytes, class.bytes), (calls, class.operations)];
            for (metric, value) in rates.into_iter().chain(packets) {
                metrics.insert(metric.name, Quantity { value: value / seconds, unit: metric.unit });
            }
        }
        metrics
    }

    fn merge(&self, near: &mut TrialResult, far: &TrialResult) -> Merged {
        merge::merge(self, near, far)
    }
}

/// A stream that is ready.
#[derive(Debug)]
struct PreparedStream {
    plan: PlannedStream,
    end: End,
    sends: bool,
    receives: bool,
    states: Arc<SampleCollector<State>>,
    tallies: Arc<SampleCollector<Tally>>,
}

impl PreparedStream {
    /// Connections in all.
    fn connections(&self) -> usize {
        self.plan.streams as usize * (usize::from(self.sends) + usize::from(self.receives))
    }

    /// Whether this end sends over a connection. Where data goes both ways, the near end
    /// sends over the first half of them.
    fn sends(&self, connection: usize) -> bool {
        match (self.sends, self.receives) {
            (true, true) => ((connection as u64) < self.plan.streams) == self.end.drives(),
            (sends, _) => sends,
        }
    }

    /// The connections of worker `worker`, which all go the same way: the same at both ends, in
    /// the same order.
    fn connections_of(&self, worker: usize) -> impl Iterator<Item = usize> {
        let (threads, streams) = (self.plan.threads() as usize, self.plan.streams as usize);
        let first = worker / threads * streams;
        (worker % threads..streams).step_by(threads).map(move |stream| first + stream)
    }

    /// Bytes that a connection carries, where a count ends it.
    fn share(&self, connection: usize) -> Option<u64> {
        let (bytes, of) = (self.plan.schedule.bytes?, self.connections() as u64);
        Some(bytes / of + u64::from((connection as u64) < bytes % of))
    }

    fn told(&self, connection: usize, call: u64) -> Result<Share, Fault> {
        let bytes =
            usize::try_from(call).map_err(|_| Fault::Other("a buffer larger than memory".to_owned()))?;
        Ok(Share { bytes, left: self.share(connection), farewell: self.end.farewell() })
    }

    fn sending(&self, connection: usize, seed: u64) -> Result<tcp::Sending, Fault> {
        let share = self.told(connection, self.plan.buffer.unwrap_or(CALL_BYTES))?;
        let stream = self.end.tcp(connection, &self.plan.options)?;
        let source = Source::new(&stream, share.bytes, self.plan.way, seed ^ connection as u64)?;
        Ok(tcp::Sending::new(stream, source, share, Arc::clone(&self.states)))
    }

    fn receiving(&self, connection: usize) -> Result<tcp::Receiving, Fault> {
        let share = self.told(connection, self.plan.read_buffer)?;
        tcp::Receiving::new(self.end.tcp(connection, &self.plan.options)?, share)
    }

    fn tcp(&self, worker: usize, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let all: Vec<usize> = self.connections_of(worker).collect();
        let sends = all.first().is_some_and(|first| self.sends(*first));
        Ok(match (sends, all.as_slice()) {
            (true, [one]) => Box::new(self.sending(*one, seed)?),
            (false, [one]) => Box::new(self.receiving(*one)?),
            (true, _) => {
                let all = all.into_iter().map(|connection| self.sending(connection, seed));
                Box::new(Several::new(all.collect::<Result<_, _>>()?)?)
            }
            (false, _) => {
                let all = all.into_iter().map(|connection| self.receiving(connection));
                Box::new(Several::new(all.collect::<Result<_, _>>()?)?)
            }
        })
    }

    fn udp(&self, worker: usize) -> Result<Box<dyn Worker>, Fault> {
        let (socket, hello) = self.end.udp(worker, &self.plan.options)?;
        if !self.sends(worker) {
            let (by_count, book) = (self.plan.schedule.bytes.is_some(), Arc::clone(&self.tallies));
            return Ok(Box::new(udp::Receiving::new(socket, hello, by_count, book)?));
        }
        let bytes = match self.plan.buffer {
            Some(bytes) => (bytes as usize).clamp(udp::HEADER, DATAGRAM_MOST),
            None => socket::datagram_of_path(&socket)?,
        };
        let mut buffer = Buffer::new(bytes)?;
        buffer.as_mut_slice().fill(1);
        let gap_ns =
            self.plan.bit_rate.map_or(0.0, |rate| bytes as f64 * 8e9 / (rate / self.plan.streams as f64));
        let manner = (gap_ns, self.end.is_iperf3());
        Ok(Box::new(udp::Sending::new(socket, (buffer, bytes), self.share(worker), manner)))
    }
}

impl Prepared for PreparedStream {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    /// A transfer of so many bytes has a beginning, which is part of it.
    fn counts_from_start(&self) -> bool {
        self.plan.schedule.bytes.is_some()
    }

    fn workers(&self, _threads: usize) -> usize {
        self.plan.threads() as usize * (usize::from(self.sends) + usize::from(self.receives))
    }

    /// Who sends has a share of the bytes, and who receives has them all when
    /// they are there: no call is a ticket.
    fn stop(&self, rule: StopRule) -> StopRule {
        if matches!(rule, StopRule::Bytes(_)) { StopRule::Full } else { rule }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.plan.options.asked()
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        state::seen(&self.states, window, &mut seen);
        udp::seen(&self.tallies, window, &mut seen);
        seen
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        if self.plan.options.is_tcp { self.tcp(worker.index, seed) } else { self.udp(worker.index) }
    }
}
