//! `http.download`: how many bytes per second come from a server, to a file or to nowhere.

mod fetching;
mod sink;
mod spec;
mod spent;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, Worker};
use model::plan::{Effect, Problem};
use model::profile::{Caches, Durability, Flow, FlowUnit, OperationClass, RateUnit, Transport, WaitsFor};
use model::trial::{TrialResult, Window};
use model::{FactName, LoadProfile, MetricSpec, Parameters, Quantity, Value, WorkloadSpec, fact, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::disk::residency;
use crate::workload::http::client::Server;
use crate::workload::http::download::fetching::{Fetch, Fetching};
use crate::workload::http::download::sink::SinkOptions;
use crate::workload::http::download::spec::{DURABLE, FIRST_BYTE_MAX, FIRST_BYTE_P50, SPEC};
use crate::workload::http::download::spent::Spent;
use crate::workload::http::headers::{Headers, Request, head_of};
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::parameters::Destination;
use crate::workload::http::peer::{self, PeerServer};
use crate::workload::http::response::Head;
use crate::workload::http::serving::{PreparedServing, Served};
use crate::workload::http::url::Url;
use crate::workload::http::{dialog, facts};
use crate::workload::net::ends::End;
use crate::workload::net::socket::SocketOptions;
use crate::workload::{HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, named};

/// What its operations are: those that wait for a head move nothing that counts.
const CLASSES: &[Class] =
    &[Class { name: "receive", counts: true }, Class { name: "first_byte", counts: false }];

/// So many redirects are followed: as many as browsers do (WHATWG Fetch, section 4.4), curl 50.
const REDIRECTS_MOST: usize = 20;

/// The most streams of one load, and the largest buffer.
const STREAMS_MOST: u64 = 512;
const BUFFER: (u64, u64) = (4096, 64 << 20);

/// The workload.
#[derive(Debug)]
pub struct Download;

impl Workload for Download {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let target = parameters.given(named("target"), Parameters::text)?.map(str::to_owned);
        Ok(Box::new(PlannedDownload {
            schedule: schedule.clone(),
            destination: Destination::of(parameters)?,
            answer: parameters.given(named("answer"), Parameters::integer)?.unwrap_or(0),
            streams: parameters.integer(named("streams"))?,
            buffer: parameters.integer(named("buffer"))?,
            direct: parameters.flag(named("direct"))?,
            splices: parameters.is_word(named("move"), "splice"),
            preallocates: parameters.flag(named("preallocate"))?,
            syncs: parameters.is_word(named("sync"), "end"),
            checksum: parameters.given(named("checksum"), Parameters::text)?.map(checksum).transpose()?,
            targets: target.into_iter().collect(),
            headers: Headers::default(),
        }))
    }
}

/// What `sha256:...` says.
fn checksum(text: &str) -> Result<[u8; 32], Problem> {
    let wrong = || {
        Problem::invalid(
            format!("`{text}` is no checksum"),
            "write sha256: and 64 hexadecimal digits, as sha256sum gives them",
        )
    };
    let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64 && digits.is_ascii());
    let digits = digits.ok_or_else(wrong)?;
    let mut sum = [0; 32];
    for (place, byte) in sum.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(sum)
}

#[derive(Clone, Debug)]
struct PlannedDownload {
    schedule: LoadSchedule,
    destination: Destination,
    /// Bytes of an answer of our own server.
    answer: u64,
    streams: u64,
    buffer: u64,
    direct: bool,
    splices: bool,
    preallocates: bool,
    syncs: bool,
    checksum: Option<[u8; 32]>,
    /// The folder, if there is one.
    targets: Vec<String>,
    /// Of the file of headers, once it was read.
    headers: Headers,
}

impl PlannedDownload {
    fn once(&self) -> bool {
        self.schedule.until == Some(StopRule::End)
    }

    /// What all streams fetch of `server`, by `message`.
    fn fetch(&self, server: Server, peer: Option<PeerServer>, message: Vec<u8>) -> Fetch {
        let sink = SinkOptions {
            folder: self.targets.first().cloned(),
            direct: self.direct,
            preallocates: self.preallocates,
            buffer: self.buffer as usize,
            splices: self.splices,
        };
        let (once, syncs, checksum) = (self.once(), self.syncs, self.checksum);
        let (files, spent) = (Mutex::default(), Spent::default());
        Fetch { server, peer, message, sink, once, syncs, checksum, files, spent }
    }

    /// One of two ends, of which the other has the content or fetches it.
    fn prepare_end(&self, end: End, options: SocketOptions) -> Result<Box<dyn Prepared>, Fault> {
        if !end.drives() {
            let served = Served::Content(self.answer);
            return Ok(Box::new(PreparedServing::new(end, options, served, self.once())));
        }
        let server = Server::peer(self.destination.patience);
        let mut known = options.asked();
        known.push((FactName::new("content_length"), Value::Integer(self.answer)));
        let message = self.message(&server.url, &server.url);
        let fetch = Arc::new(self.fetch(server, Some(PeerServer::new(end, options)), message));
        Ok(Box::new(PreparedDownload { fetch, known, _own: None }))
    }

    /// The request; the user's headers, which may be keys, go to the server that was named and to no other.
    fn message(&self, url: &Url, named: &Url) -> Vec<u8> {
        let request = Request { method: "GET", path: &url.path, keeps: true, body: None };
        let headers = if url.is_of_same_server(named) { &self.headers } else { &Headers::default() };
        head_of(request, url, headers).into_bytes()
    }

    /// The server that has the content in the end, and what it says of it.
    fn follow(&self, named: &Url) -> Result<(Server, Head), Fault> {
        let mut url = named.clone();
        let mut seen: Vec<Url> = Vec::new();
        loop {
            let mut server = Server::find(url, &self.destination.trust, self.destination.patience)?;
            let mut stream = server.reach()?;
            dialog::send(&server, &mut stream, &self.message(&server.url, named))?;
            let head = dialog::hear(&server, &mut stream, false)?.head().clone();
            let at = &server.url;
            match (head.status, &head.location) {
                (200..=299, _) => return Ok((server, head)),
                (301 | 302 | 303 | 307 | 308, Some(location)) => {
                    let next = at.joined(location)?;
                    seen.push(at.clone());
                    if seen.contains(&next) {
                        return Err(Fault::Other(format!(
                            "{} redirects in a circle, by way of {}",
                            at.text(),
                            next.text()
                        )));
                    }
                    if seen.len() > REDIRECTS_MOST {
                        return Err(Fault::Other(format!(
                            "more than {REDIRECTS_MOST} redirects lead on, the last to {}",
                            next.text()
                        )));
                    }
                    url = next;
                }
                (status, _) => {
                    return Err(Fault::Other(format!(
                        "{} answers {status} to GET {}",
                        at.authority, at.path
                    )));
                }
            }
        }
    }
}

impl Planned for PlannedDownload {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        self.headers = self.destination.survey()?;
        crate::workload::net::stream::spec::refuse(
            &self.schedule,
            &SPEC,
            &["rate", "latency-target", "requests"],
        )?;
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
        if self.direct && self.targets.is_empty() {
            return Err(Problem::invalid(
                "direct has no meaning without a target",
                "leave it out, or name a folder",
            ));
        }
        if self.splices {
            let why = match (self.direct, self.checksum) {
                (true, _) => Some("goes through the page cache, and direct=yes around it"),
                (_, Some(_)) => Some("keeps the bytes in the kernel, and checksum must read them"),
                _ => None,
            };
            if let Some(why) = why {
                return Err(Problem::invalid(format!("move=splice {why}"), "use move=buffer"));
            }
        }
        if let Some(target) = self.targets.first()
            && !Path::new(target).is_dir()
        {
            return Err(Problem::invalid(
                format!("{target} is no folder"),
                "name one: the download goes into a file in it that has no name, and is gone afterwards",
            ));
        }
        let effect = if self.targets.is_empty() { Effect::Clean } else { Effect::Dirty };
        let memory_bytes = self.streams.saturating_mul(self.buffer);
        Ok(Requirements { memory_bytes, effect, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let writes = !self.targets.is_empty();
        let mut flows = vec![Flow::only(OperationClass::Receive, FlowUnit::Bytes)];
        if writes {
            flows.push(Flow::only(OperationClass::Write, FlowUnit::Bytes).of_bytes(self.buffer));
        }
        let device = writes.then_some(WaitsFor::Device);
        let mut profile = LoadProfile {
            flows,
            waits_for: [WaitsFor::Peer].into_iter().chain(device).collect(),
            peer: Some(self.destination.peer()),
            transport: Some(Transport::Tcp),
            targets: self.targets.len() as u64,
            paths: self.targets.clone(),
            interface: Some(if self.splices { "splice" } else { "buffer" }.to_owned()),
            caches: if writes && !self.direct { Caches::PageCache } else { Caches::None },
            durability: if writes && self.syncs { Durability::End } else { Durability::None },
            rate_unit: if writes { RateUnit::Bytes } else { RateUnit::Bits },
            ..base
        };
        profile.concurrency.workers = self.streams.max(1);
        profile.concurrency.operations = self.streams.max(1);
        profile
    }

    fn targets(&self) -> &[String] {
        &self.targets
    }

    fn servers(&self) -> Vec<String> {
        self.destination.host().into_iter().collect()
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        if let Some(options) = self.destination.to_peer() {
            return self.prepare_end(End::of_ours(given, SPEC.name)?, options.clone());
        }
        let (url, own) = self.destination.open(self.answer)?;
        // Who surveyed it was another object, maybe elsewhere.
        let this = Self { headers: self.destination.survey()?, ..self.clone() };
        let (server, head) = this.follow(&url)?;
        if self.splices && server.url.is_secure {
            return Err(Fault::Other(
                "move=splice keeps the bytes in the kernel, and TLS must see all: use move=buffer".to_owned(),
            ));
        }
        let mut known = facts::of_server(&head);
        known.extend(head.length.map(|bytes| (FactName::new("content_length"), Value::Integer(bytes))));
        known.extend(head.encoding.map(|coded| (FactName::new("content_encoding"), Value::Text(coded))));
        let message = this.message(&server.url, &url);
        let fetch = Arc::new(self.fetch(server, None, message));
        Ok(Box::new(PreparedDownload { fetch, known, _own: own }))
    }

    fn written_share(&self, _outcome: &LoadOutcome) -> f64 {
        if self.targets.is_empty() { 0.0 } else { 1.0 }
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        if outcome.classes.iter().any(|c| c.class.name == "send") {
            // The end that sends: what its kernel took.
            let taken = metrics.remove(&metric::THROUGHPUT);
            metrics.extend(taken.map(|rate| (metric::SENDER_THROUGHPUT, rate)));
            return metrics;
        }
        let mut put = |spec: MetricSpec, value: f64| {
            metrics.insert(spec.name, Quantity { value, unit: spec.unit });
        };
        if let Some(begun) = outcome.classes.iter().find(|c| c.class.name == "first_byte")
            && !begun.latency.is_empty()
        {
            if let Some(ns) = stats::histogram::percentile(&begun.latency, 50.0) {
                put(FIRST_BYTE_P50, ns / 1e9);
            }
            put(FIRST_BYTE_MAX, begun.latency.max() as f64 / 1e9);
        }
        // Each file was written once, from its front.
        if self.once()
            && let Some((settled_ns, (start_ns, _))) = outcome.settled_ns.zip(outcome.span_ns)
            && settled_ns > start_ns
        {
            put(DURABLE, outcome.done_bytes / ((settled_ns - start_ns) as f64 / 1e9));
        }
        metrics
    }

    fn merge(&self, near: &mut TrialResult, far: &TrialResult) -> Merged {
        peer::merge(near, far)
    }
}

#[derive(Debug)]
struct PreparedDownload {
    fetch: Arc<Fetch>,
    known: Vec<(FactName, Value)>,
    /// Answers as long as this is there.
    _own: Option<OwnServer>,
}

impl Prepared for PreparedDownload {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    /// A download has a beginning, which is part of it.
    fn counts_from_start(&self) -> bool {
        self.fetch.once
    }

    /// Each stream sees its own end.
    fn stop(&self, rule: StopRule) -> StopRule {
        if rule == StopRule::End { StopRule::Full } else { rule }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let files = self.fetch.files.lock().unwrap_or_else(PoisonError::into_inner);
        let all: u64 = files.iter().map(|(_, bytes)| bytes).sum();
        let of = |(file, bytes): &(_, u64)| Some(residency::cached_share(file, *bytes)? * *bytes as f64);
        let cached: Option<f64> = files.iter().filter(|(_, bytes)| *bytes > 0).map(of).sum();
        let share = cached.filter(|_| all > 0 && !self.fetch.sink.direct).map(|cached| cached / all as f64);
        let spent = self.fetch.spent.shares();
        let written = spent.and_then(|(_, written)| Some((fact::WRITE_SHARE, written?)));
        [
            share.map(|share| (fact::CACHED_SHARE_AFTER, share)),
            spent.map(|(waited, _)| (fact::SERVER_WAIT_SHARE, waited)),
            written,
        ]
        .into_iter()
        .flatten()
        .map(|(name, share)| (name, Value::Number((share * 1000.0).round() / 1000.0)))
        .collect()
    }

    fn worker(&self, worker: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Fetching::new(Arc::clone(&self.fetch), worker.index)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_read_or_refused() {
        let sum = checksum(&format!("sha256:{}", "0f".repeat(32))).unwrap();
        assert_eq!(sum, [15; 32]);
        for wrong in ["", "sha256:", "md5:0f", &format!("sha256:{}", "0g".repeat(32)), &"é".repeat(20)] {
            assert!(checksum(wrong).is_err(), "{wrong}");
        }
    }
}
