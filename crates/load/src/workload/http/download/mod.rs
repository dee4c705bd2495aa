//! `http.download`: how many bytes per second come from a server, to a file or to nowhere.

mod checksum;
mod exchange;
mod fetching;
mod heard;
mod http1;
mod http2;
mod polled_stream;
mod prepared;
mod sink;
mod spec;
mod spent;
mod transfer;
mod transfer_ring;

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, OnceLock};

use engine::Prepared;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::stop::StopRule;
use model::plan::{Effect, Problem};
use model::profile::{Caches, Durability, Flow, FlowUnit, OperationClass, RateUnit, Transport, WaitsFor};
use model::trial::{TrialResult, Window};
use model::{LoadProfile, MetricSpec, Parameters, Quantity, WorkloadSpec, metric};

use crate::fixture::FixtureStore;
use crate::workload::common::LoadSchedule;
use crate::workload::disk::io_uring_access;
use crate::workload::http::client::Server;
use crate::workload::http::download::checksum::checksum;
use crate::workload::http::download::exchange::Exchange;
use crate::workload::http::download::fetching::Fetch;
use crate::workload::http::download::http1::Http1;
use crate::workload::http::download::http2::Http2;
use crate::workload::http::download::prepared::PreparedDownload;
use crate::workload::http::download::sink::SinkOptions;
use crate::workload::http::download::spec::{DURABLE, FIRST_BYTE_MAX, FIRST_BYTE_P50, HTTP2, SPEC};
use crate::workload::http::download::spent::Spent;
use crate::workload::http::download::transfer::Transfer;
use crate::workload::http::facts;
use crate::workload::http::headers::Headers;
use crate::workload::http::parameters::Destination;
use crate::workload::http::peer::{self, PeerServer};
use crate::workload::http::response::Head;
use crate::workload::http::served::Served;
use crate::workload::http::served_file::ServedFile;
use crate::workload::http::serving::PreparedServing;
use crate::workload::http::url::Url;
use crate::workload::net::ends::End;
use crate::workload::net::socket::SocketOptions;
use crate::workload::{HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, named};

pub use crate::workload::http::download::heard::{ENDLESS, heard};

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
            served: parameters.given(named("serve-file"), Parameters::text)?.map(str::to_owned),
            streams: parameters.integer(named("streams"))?,
            buffer: parameters.integer(named("buffer"))?,
            direct: parameters.flag(named("direct"))?,
            is_http2: parameters.is_word(named("http"), HTTP2),
            transfer: Transfer::find(parameters.text(named("move"))?).unwrap_or(Transfer::Buffer),
            preallocates: parameters.flag(named("preallocate"))?,
            syncs: parameters.is_word(named("sync"), "end"),
            checksum: checksum(parameters.text(named("verify"))?)?,
            targets: target.into_iter().collect(),
            headers: Headers::default(),
        }))
    }
}

#[derive(Clone, Debug)]
struct PlannedDownload {
    schedule: LoadSchedule,
    destination: Destination,
    /// Bytes of an answer of our own server, or of the other end.
    answer: u64,
    /// The file that the other end has instead.
    served: Option<String>,
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

    /// Whether this may be the end that has the content, which is surveyed as the other one is, and told of
    /// no file.
    fn may_serve(&self) -> bool {
        self.destination.to_peer().is_some() && self.targets.is_empty()
    }

    /// What all streams fetch of `server`, by `request`.
    fn fetch<E: Exchange>(&self, server: Server, peer: Option<PeerServer>, request: E::Request) -> Fetch<E> {
        let sink = SinkOptions {
            folder: self.targets.first().cloned(),
            direct: self.direct,
            preallocates: self.preallocates,
            buffer: self.buffer as usize,
            transfer: self.transfer,
        };
        let (once, syncs, checksum) = (self.once(), self.syncs, self.checksum);
        let (files, spent) = (Mutex::default(), Spent::default());
        let (connections, compared) = (AtomicU64::new(0), AtomicU64::new(0));
        let length = OnceLock::new();
        Fetch {
            server,
            peer,
            request,
            sink,
            once,
            syncs,
            checksum,
            length,
            files,
            spent,
            connections,
            compared,
        }
    }

    /// One of two ends, of which the other has the content or fetches it.
    fn prepare_end(
        &self,
        end: End,
        options: SocketOptions,
        fixtures: &FixtureStore,
    ) -> Result<Box<dyn Prepared>, Fault> {
        if !end.drives() {
            let served = match &self.served {
                Some(path) => {
                    let file = ServedFile::open(path)?;
                    file.check_same(fixtures)?;
                    Served::File(file)
                }
                None => Served::memory(self.answer),
            };
            return Ok(Box::new(PreparedServing::new(end, options, served, self.once())));
        }
        let server = Server::peer(self.destination.patience);
        let known = options.asked();
        let request = self.request::<Http1>(&server.url, &server.url)?;
        let fetch = self.fetch::<Http1>(server, Some(PeerServer::new(end, options)), request);
        Ok(Box::new(PreparedDownload::new(fetch, known, None)))
    }

    /// The request; the user's headers, which may be keys, go to the server that was named and to no other.
    fn request<E: Exchange>(&self, url: &Url, named: &Url) -> Result<E::Request, Fault> {
        let headers = if url.is_of_same_server(named) { &self.headers } else { &Headers::default() };
        E::request(url, headers)
    }

    /// Refuses ways of moving that contradict something else.
    fn check_transfer(&self) -> Result<(), Problem> {
        let ours = match self.destination.to_peer() {
            Some(_) => Some("the other end of a load"),
            None => self.destination.is_self().then_some("the server of this program"),
        };
        if self.is_http2
            && let Some(server) = ours
        {
            return Err(Problem::invalid(
                format!("{server} speaks HTTP/1.1 only"),
                "use http=1.1, or name a server as url",
            ));
        }
        if self.is_http2
            && let Some(name) = self.headers.refused_by_http2()
        {
            return Err(Problem::invalid(
                format!("the header `{name}` is for HTTP/1.1 connections, and HTTP/2 has none such"),
                "leave it out, or use http=1.1",
            ));
        }
        let why = match (self.transfer, self.is_http2, self.direct, self.checksum) {
            (Transfer::Buffer, ..) => None,
            (_, true, ..) => Some("takes bytes as they are, and HTTP/2 has frames around them"),
            _ if self.destination.is_secure() => {
                Some("takes bytes as the kernel has them, and TLS must see all")
            }
            (Transfer::Splice, _, true, _) => Some("goes through the page cache, and direct=yes around it"),
            (Transfer::Splice, _, _, Some(_)) => {
                Some("keeps the bytes in the kernel, and verify must read them")
            }
            _ => None,
        };
        if let Some(why) = why {
            return Err(Problem::invalid(format!("move={} {why}", self.transfer.name()), "use move=buffer"));
        }
        if self.transfer == Transfer::Ring
            && !self.may_serve()
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
                            at.shown(),
                            next.shown()
                        )));
                    }
                    if seen.len() > REDIRECTS_MOST {
                        return Err(Fault::Other(format!(
                            "more than {REDIRECTS_MOST} redirects lead on, the last to {}",
                            next.shown()
                        )));
                    }
                    url = next;
                }
                (status, _) => {
                    return Err(Fault::Other(format!(
                        "{} answers {status} to GET {}",
                        at.authority,
                        at.shown_path()
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
        let known = facts::of_content(&head);
        let request = this.request::<E>(&server.url, &url)?;
        let fetch = self.fetch::<E>(server, None, request);
        Ok(Box::new(PreparedDownload::new(fetch, known, own)))
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
        if self.direct && self.targets.is_empty() && !self.may_serve() {
            return Err(Problem::invalid(
                "direct has no meaning without a target",
                "leave it out, or name a folder",
            ));
        }
        self.check_transfer()?;
        if let Some(path) = &self.served {
            // It lies at the other end; only where that is this machine it can be looked at from here.
            let is_here = self.destination.to_peer().is_some_and(|options| options.is_to_self);
            if is_here { ServedFile::open(path).map(drop)? } else { ServedFile::check(path)? }
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
        // A ring has two buffers, and HTTP/2 one for what comes and one for what is to be written.
        let buffers = if self.is_http2 || self.transfer == Transfer::Ring { 2 } else { 1 };
        let memory_bytes = self.streams.saturating_mul(self.buffer).saturating_mul(buffers);
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

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        match self.destination.to_peer() {
            Some(options) => {
                self.prepare_end(End::of_ours(given, SPEC.name)?, options.clone(), given.fixtures)
            }
            None if self.is_http2 => self.prepare_by::<Http2>(),
            None => self.prepare_by::<Http1>(),
        }
    }

    fn written_share(&self, _outcome: &LoadOutcome) -> f64 {
        if self.targets.is_empty() { 0.0 } else { 1.0 }
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        // The end that sends has one class of operations, which is all: what its kernel took.
        if outcome.classes.is_empty() {
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
