//! `http.upload`: how many bytes per second a server takes, from memory or a file.

mod body;
mod limits;
mod sending;
mod spec;

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, SideMetrics, Worker};
use model::plan::Problem;
use model::profile::{Caches, Flow, FlowUnit, OperationClass, RateUnit, Transport, WaitsFor};
use model::trial::{TrialResult, Window};
use model::{FactName, LoadProfile, MetricName, Parameters, Value, WorkloadSpec, metric};

use crate::workload::common::{LoadSchedule, NumberOrWord};
use crate::workload::disk::residency;
use crate::workload::http::client::Server;
use crate::workload::http::errors;
use crate::workload::http::headers::{Headers, Request, head_of};
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::parameters::Destination;
use crate::workload::http::peer::{self, PeerServer};
use crate::workload::http::served::Served;
use crate::workload::http::serving::PreparedServing;
use crate::workload::http::upload::limits::longest_ns;
use crate::workload::http::upload::sending::{Seen, Sending, Transfer};
use crate::workload::http::upload::spec::{NUMBER, SPEC};
use crate::workload::net::ends::End;
use crate::workload::net::socket::SocketOptions;
use crate::workload::net::stream::state;
use crate::workload::net::worker_samples::SampleCollector;
use crate::workload::{HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, named};

/// What becomes of uploads: those that were not acknowledged are no operations.
const CLASSES: &[Class] = &[
    Class { name: "send", counts: true, fails: false },
    Class { name: errors::CLASS, counts: false, fails: true },
];

/// The most streams of one load, and the smallest and largest buffer.
const STREAMS_MOST: u64 = 512;
const BUFFER: (u64, u64) = (4096, 64 << 20);

/// Bytes of a body that follows from no file.
const SIZE_USUAL: u64 = 64 << 20;

/// The workload.
#[derive(Debug)]
pub struct Upload;

impl Workload for Upload {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedUpload {
            schedule: schedule.clone(),
            destination: Destination::of(parameters)?,
            method: if parameters.is_word(named("method"), "post") { "POST" } else { "PUT" },
            streams: parameters.integer(named("streams"))?,
            size: NumberOrWord::of(parameters, named("size"))?,
            source: parameters.given(named("upload-file"), Parameters::text)?.map(str::to_owned),
            buffer: parameters.integer(named("buffer"))?,
        }))
    }
}

#[derive(Debug)]
struct PlannedUpload {
    schedule: LoadSchedule,
    destination: Destination,
    method: &'static str,
    streams: u64,
    /// Bytes of a body.
    size: NumberOrWord,
    /// The file to be sent.
    source: Option<String>,
    buffer: u64,
}

impl PlannedUpload {
    fn once(&self) -> bool {
        self.schedule.until == Some(StopRule::End)
    }

    /// Bytes of a body, which the source must have.
    fn bytes(&self) -> Result<u64, Problem> {
        let Some(path) = &self.source else { return Ok(self.size.number().unwrap_or(SIZE_USUAL)) };
        let wrong =
            |why: String| Problem::invalid(why, "name a file that can be read and has something in it");
        let metadata = std::fs::metadata(path)
            .map_err(|e| wrong(format!("the upload-file {path} cannot be read: {e}")))?;
        let has = metadata.len();
        if !metadata.is_file() || has == 0 {
            return Err(wrong(format!("the upload-file {path} is no file with content")));
        }
        let bytes = self.size.number().unwrap_or(has);
        if bytes > has {
            return Err(Problem::invalid(
                format!("the upload-file {path} has {has} bytes, and {bytes} are to be sent"),
                "give a smaller size, or leave it out",
            ));
        }
        Ok(bytes)
    }
}

impl Planned for PlannedUpload {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        self.destination.survey()?;
        crate::workload::net::stream::spec::refuse(&self.schedule, &SPEC, &["rate", "latency-target"])?;
        if !(1..=STREAMS_MOST).contains(&self.streams) {
            return Err(Problem::invalid(format!("streams is more than {STREAMS_MOST}"), "use fewer"));
        }
        if self.schedule.threads != self.streams {
            return Err(Problem::invalid("each stream has a thread of its own", "leave threads out"));
        }
        if !(BUFFER.0..=BUFFER.1).contains(&self.buffer) {
            return Err(Problem::invalid(
                format!("a buffer of {} bytes is not what one call can have", self.buffer),
                "use 4k to 64m",
            ));
        }
        let bytes = self.bytes()?;
        self.size = NumberOrWord::Number(bytes);
        let mut resolved = Parameters::default();
        resolved.set(named("size"), bytes);
        let memory_bytes = self.streams.saturating_mul(self.buffer);
        Ok(Requirements { resolved, memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut flow = Flow::only(OperationClass::Send, FlowUnit::Bytes);
        if let Ok(bytes) = self.size.number() {
            flow = flow.of_bytes(bytes);
        }
        let mut profile = LoadProfile {
            flows: vec![flow],
            waits_for: [WaitsFor::Peer].into(),
            peer: Some(self.destination.peer()),
            transport: Some(Transport::Tcp),
            caches: if self.source.is_some() { Caches::PageCache } else { Caches::None },
            rate_unit: RateUnit::Bits,
            ..base
        };
        profile.concurrency.workers = self.streams.max(1);
        profile.concurrency.operations = self.streams.max(1);
        profile
    }

    fn servers(&self) -> Vec<String> {
        self.destination.host().into_iter().collect()
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let peer = match self.destination.to_peer() {
            Some(options) => {
                let (end, options) = (End::of_ours(given, SPEC.name)?, options.clone());
                if !end.drives() {
                    return Ok(Box::new(PreparedServing::new(end, options, Served::Bodies, self.once())));
                }
                Some(PeerServer::new(end, options))
            }
            None => None,
        };
        let bytes = self.bytes()?;
        let mut known = Vec::new();
        let source = match &self.source {
            Some(path) => {
                let file = File::open(path).map_err(|e| Fault::system(format!("opening {path}"), e))?;
                let share = residency::cached_share(&file, bytes);
                let share = share.map(|share| Value::Number((share * 1000.0).round() / 1000.0));
                known.extend(share.map(|share| (FactName::new("source_cached_share"), share)));
                Some((file, path.clone()))
            }
            None => None,
        };
        let (server, own) = if peer.is_some() {
            known.extend(self.destination.to_peer().map(SocketOptions::asked).unwrap_or_default());
            (Server::peer(self.destination.patience), None)
        } else {
            let (url, own) = self.destination.open(0)?;
            let mut server = Server::find(url, &self.destination.trust, self.destination.patience)?;
            // A url where nobody listens is told before anything else begins.
            drop(server.reach()?);
            (server, own)
        };
        let transfer = Transfer {
            server,
            peer,
            method: self.method,
            bytes,
            buffer: self.buffer as usize,
            source,
            once: self.once(),
            longest_ns: AtomicU64::new(u64::MAX),
            seen: Mutex::new(Seen::default()),
            states: SampleCollector::default(),
        };
        let (transfer, headers) = (Arc::new(transfer), self.destination.survey()?);
        Ok(Box::new(PreparedUpload { transfer, headers, known, _own: own }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        // The end that takes bodies has one class of operations, which is all: how many bytes came, and what
        // each took.
        if outcome.classes.is_empty() {
            metrics.retain(|name, _| [metric::THROUGHPUT, metric::CPU_PER_BYTE].contains(name));
            return metrics;
        }
        metrics.extend(errors::share(outcome));
        metrics
    }

    fn merge(&self, near: &mut TrialResult, far: &TrialResult) -> Merged {
        peer::merge(near, far)
    }
}

#[derive(Debug)]
struct PreparedUpload {
    transfer: Arc<Transfer>,
    headers: Headers,
    known: Vec<(FactName, Value)>,
    /// Takes bodies as long as this is there.
    _own: Option<OwnServer>,
}

impl Prepared for PreparedUpload {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("send"), metric::ANSWER])
    }

    /// An upload has a beginning, which is part of it.
    fn counts_from_start(&self) -> bool {
        self.transfer.once
    }

    /// Each stream sees its own end.
    fn stop(&self, rule: StopRule) -> StopRule {
        if let StopRule::Time(window_ns) = rule {
            self.transfer.longest_ns.store(longest_ns(window_ns), Ordering::Relaxed);
        }
        if rule == StopRule::End { StopRule::Full } else { rule }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let seen = self.transfer.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut facts = seen.tally.facts();
        facts.push((FactName::new("uploads_retried"), Value::Integer(seen.retries)));
        facts.extend(seen.server.iter().cloned());
        facts
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        match self.transfer.peer {
            Some(_) => state::seen(&self.transfer.states, window, &mut seen),
            None => state::taken(&self.transfer.states, window, &mut seen),
        }
        seen
    }

    fn verdict(&self) -> Result<(), Fault> {
        let seen = self.transfer.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.tally.has_only_errors() {
            return Ok(());
        }
        let Transfer { server, method, .. } = &*self.transfer;
        Err(Fault::Other(format!(
            "{} did not acknowledge any upload by {method} to {}; its answers were {}",
            server.url.authority,
            server.url.path,
            seen.tally.answers()
        )))
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Transfer { server, bytes, .. } = &*self.transfer;
        let path = server.url.path.replace(NUMBER, &worker.index.to_string());
        let method = self.transfer.method;
        let request = Request { method, path: &path, keeps: true, introduces: true, body: Some(*bytes) };
        let head = head_of(request, &server.url, &self.headers).into_bytes();
        // No two streams send the same.
        let seed = seed.wrapping_add(worker.index as u64);
        Ok(Box::new(Sending::new(Arc::clone(&self.transfer), head, seed, worker.index)?))
    }
}
