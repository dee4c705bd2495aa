//! `http.download`: how many bytes per second come from a server, to a file or to nowhere.

mod exchange;
mod fetching;
mod http1;
mod http2;
mod polled_stream;
mod sink;
mod spec;
mod spent;
mod transfer;
mod transfer_ring;

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
use model::trial::Window;
use model::{FactName, LoadProfile, MetricSpec, Parameters, Quantity, Value, WorkloadSpec, fact};

use crate::workload::common::LoadSchedule;
use crate::workload::disk::{io_uring_access, residency};
use crate::workload::http::client::Server;
use crate::workload::http::download::exchange::Exchange;
use crate::workload::http::download::fetching::{Fetch, Fetching};
use crate::workload::http::download::http1::Http1;
use crate::workload::http::download::http2::Http2;
use crate::workload::http::download::sink::SinkOptions;
use crate::workload::http::download::spec::{DURABLE, FIRST_BYTE_MAX, FIRST_BYTE_P50, HTTP2, SPEC};
use crate::workload::http::download::spent::Spent;
use crate::workload::http::download::transfer::Transfer;
use crate::workload::http::facts;
use crate::workload::http::headers::Headers;
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::parameters::Destination;
use crate::workload::http::response::Head;
use crate::workload::http::url::Url;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

/// What its operations are: those that wait for a head move nothing that counts.
const CLASSES: &[Class] =
    &[Class { name: "receive", counts: true }, Class { name: "first_byte", counts: false }];

/// What a worker does when something ends or breaks.
const DOWNLOADING: &str = "in the middle of a download";

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
            is_http2: parameters.is_word(named("http"), HTTP2),
            transfer: Transfer::find(parameters.text(named("move"))?).unwrap_or(Transfer::Buffer),
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
    is_http2: bool,
    transfer: Transfer,
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

    /// The request; the user's headers, which may be keys, go to the server that was named and to no other.
    fn request<E: Exchange>(&self, url: &Url, named: &Url) -> Result<E::Request, Fault> {
        let headers = if url.is_of_same_server(named) { &self.headers } else { &Headers::default() };
        E::request(url, headers)
    }

    /// Refuses ways of moving that contradict something else.
    fn check_transfer(&self) -> Result<(), Problem> {
        if self.is_http2 && self.destination.is_self() {
            return Err(Problem::invalid(
                "the server of this program speaks HTTP/1.1 only",
                "use http=1.1, or name a server as url",
            ));
        }
        if self.is_http2
            && let Some(name) = self.headers.refused_by_http2()
        {
            return Err(Problem::invalid(
                format!("the header `{name}` is of connections of HTTP/1.1, and HTTP/2 has none such"),
                "leave it out, or use http=1.1",
            ));
        }
        let why = match (self.transfer, self.is_http2, self.direct, self.checksum) {
            (Transfer::Buffer, ..) => None,
            (_, true, ..) => Some("takes bytes as they are, and HTTP/2 has frames around them"),
            (Transfer::Splice, _, true, _) => Some("goes through the page cache, and direct=yes around it"),
            (Transfer::Splice, _, _, Some(_)) => {
                Some("keeps the bytes in the kernel, and checksum must read them")
            }
            _ => None,
        };
        if let Some(why) = why {
            return Err(Problem::invalid(format!("move={} {why}", self.transfer.name()), "use move=buffer"));
        }
        if self.transfer == Transfer::Ring
            && let Some(why) = io_uring_access::refusal()
        {
            return Err(Problem::refused(why, "use move=buffer"));
        }
        Ok(())
    }

    /// The server that has the content in the end, and what it says of it.
    fn follow<E: Exchange>(&self, named: &Url) -> Result<(Server, Head), Fault> {
        let mut url = named.clone();
        let mut seen: Vec<Url> = Vec::new();
        loop {
            let mut server = Server::find(url, &self.destination.trust, self.destination.patience)?;
            E::offer(&mut server);
            let stream = server.reach()?;
            let head = E::head(&server, stream, &self.request::<E>(&server.url, named)?)?;
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

    /// What downloads by one protocol are made with.
    fn prepare_by<E: Exchange>(&self) -> Result<Box<dyn Prepared>, Fault> {
        let (url, own) = self.destination.open(self.answer)?;
        // Who surveyed it was another object, maybe elsewhere.
        let this = Self { headers: self.destination.survey()?, ..self.clone() };
        let (server, head) = this.follow::<E>(&url)?;
        if server.url.is_secure && self.transfer != Transfer::Buffer {
            return Err(Fault::Other(format!(
                "move={} takes bytes as the kernel has them, and TLS must see all: use move=buffer",
                self.transfer.name()
            )));
        }
        let mut known = facts::of_server(&head);
        known.extend(head.length.map(|bytes| (FactName::new("content_length"), Value::Integer(bytes))));
        known.extend(head.encoding.map(|coded| (FactName::new("content_encoding"), Value::Text(coded))));
        let sink = SinkOptions {
            folder: self.targets.first().cloned(),
            direct: self.direct,
            preallocates: self.preallocates,
            buffer: self.buffer as usize,
            transfer: self.transfer,
        };
        let request = this.request::<E>(&server.url, &url)?;
        let (once, syncs, checksum) = (self.once(), self.syncs, self.checksum);
        let (files, spent) = (Mutex::default(), Spent::default());
        let fetch = Fetch::<E> { server, request, sink, once, syncs, checksum, files, spent };
        Ok(Box::new(PreparedDownload { fetch: Arc::new(fetch), known, _own: own }))
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
        self.check_transfer()?;
        if let Some(target) = self.targets.first()
            && !Path::new(target).is_dir()
        {
            return Err(Problem::invalid(
                format!("{target} is no folder"),
                "name one: the download goes into a file in it that has no name, and is gone afterwards",
            ));
        }
        let effect = if self.targets.is_empty() { Effect::Clean } else { Effect::Dirty };
        // A ring has two buffers, and HTTP/2 one for what comes and one for what is to be written.
        let buffers = if self.is_http2 || self.transfer == Transfer::Ring { 2 } else { 1 };
        let memory_bytes = self.streams.saturating_mul(self.buffer).saturating_mul(buffers);
        Ok(Requirements { memory_bytes, effect, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let writes = !self.targets.is_empty();
        let mut flows = vec![Flow::only(OperationClass::Receive, FlowUnit::Bytes)];
        if writes {
            flows.push(Flow::only(OperationClass::Write, FlowUnit::Bytes));
        }
        let device = writes.then_some(WaitsFor::Device);
        let mut profile = LoadProfile {
            flows,
            waits_for: [WaitsFor::Peer].into_iter().chain(device).collect(),
            peer: Some(self.destination.peer()),
            transport: Some(Transport::Tcp),
            targets: self.targets.len() as u64,
            paths: self.targets.clone(),
            interface: Some(self.transfer.name().to_owned()),
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

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        if self.is_http2 { self.prepare_by::<Http2>() } else { self.prepare_by::<Http1>() }
    }

    fn written_share(&self, _outcome: &LoadOutcome) -> f64 {
        if self.targets.is_empty() { 0.0 } else { 1.0 }
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
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
}

#[derive(Debug)]
struct PreparedDownload<E: Exchange> {
    fetch: Arc<Fetch<E>>,
    known: Vec<(FactName, Value)>,
    /// Answers as long as this is there.
    _own: Option<OwnServer>,
}

impl<E: Exchange> Prepared for PreparedDownload<E> {
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

    fn worker(&self, _worker: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Fetching::new(Arc::clone(&self.fetch))?))
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
