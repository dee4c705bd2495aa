//! `http.requests`: how many requests a server answers, and how long an answer takes.

mod asking;
mod kinds;
mod mix;
mod spec;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, Transport, WaitsFor};
use model::trial::Window;
use model::{FactName, LoadProfile, MetricName, Parameters, Value, WorkloadSpec, fact};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::common::LoadSchedule;
use crate::workload::http::client::Server;
use crate::workload::http::dialog;
use crate::workload::http::errors;
use crate::workload::http::facts;
use crate::workload::http::headers::{Headers, Request, head_of};
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::parameters::Destination;
use crate::workload::http::requests::asking::{Asking, Question, Seen};
use crate::workload::http::requests::mix::{Body, Choice, RequestLine};
use crate::workload::http::requests::spec::SPEC;
use crate::workload::http::stream::Stream;
use crate::workload::http::tally::PARTING;
use crate::workload::http::url;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

/// The most connections of one load.
const CONNECTIONS_MOST: u64 = 10_000;

/// Bytes that all requests together may have: each is kept whole.
const MESSAGES_MOST: u64 = 1 << 30;

/// Descriptors that a trial needs beside its connections, at most.
const OTHER_FILES: u64 = 256;

/// The workload.
#[derive(Debug)]
pub struct Requests;

impl Workload for Requests {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let method = parameters.text(named("method"))?.to_ascii_uppercase();
        let has_body = matches!(method.as_str(), "POST" | "PUT");
        Ok(Box::new(PlannedRequests {
            schedule: schedule.clone(),
            destination: Destination::of(parameters)?,
            answer: parameters.given(named("answer"), Parameters::integer)?.unwrap_or(0),
            connections: parameters.integer(named("connections"))?,
            body: has_body.then(|| parameters.integer(named("body"))).transpose()?,
            method,
            paths_file: parameters.given(named("paths"), Parameters::text)?.map(PathBuf::from),
            keeps_alive: parameters.flag(named("keep-alive"))?,
            headers: Headers::default(),
            lines: Vec::new(),
        }))
    }
}

#[derive(Clone, Debug)]
struct PlannedRequests {
    schedule: LoadSchedule,
    destination: Destination,
    /// Bytes of an answer of our own server.
    answer: u64,
    connections: u64,
    method: String,
    body: Option<u64>,
    paths_file: Option<PathBuf>,
    keeps_alive: bool,
    /// Of the file of headers, once it was read, and of that of requests; none without such a file.
    headers: Headers,
    lines: Vec<RequestLine>,
}

impl PlannedRequests {
    fn read_lines(&self) -> Result<Vec<RequestLine>, Problem> {
        self.paths_file.as_deref().map_or_else(|| Ok(Vec::new()), mix::read)
    }

    /// By what method a line asks, and with what body.
    fn asks<'a>(&'a self, line: &'a RequestLine) -> (&'a str, Option<Cow<'a, Body>>) {
        match line.method {
            Some(method) => (method, line.body.as_ref().map(Cow::Borrowed)),
            None => (self.method.as_str(), self.body.map(|bytes| Cow::Owned(Body::Random(bytes)))),
        }
    }

    /// The requests of the file, or the one to `path` that there is without it.
    fn all_lines(&self, path: &str) -> Cow<'_, [RequestLine]> {
        if !self.lines.is_empty() {
            return Cow::Borrowed(self.lines.as_slice());
        }
        vec![RequestLine { weight: 1, method: None, path: path.to_owned(), body: None }].into()
    }

    /// Bytes of all requests.
    fn messages_bytes(&self) -> u64 {
        let head = 1 << 10;
        let bytes = |line: &RequestLine| head + self.asks(line).1.map_or(0, |body| body.bytes());
        let of_lines = self.lines.iter().map(bytes).fold(0, u64::saturating_add);
        of_lines.max(self.body.unwrap_or(0).saturating_add(head))
    }

    /// The request of a line to `server`, whole.
    fn message(&self, server: &Server, line: &RequestLine) -> Result<Vec<u8>, Fault> {
        let (method, body) = self.asks(line);
        let bytes = body.as_ref().map(|body| body.bytes());
        // A request need not say who asks, nor that any content is welcome (RFC 9110, sections 10.1.5, 12.5.1 and
        // 12.5.3): a server that is the limit would read it again and again. If it compresses unasked, a fact says so.
        let (keeps, introduces) = (self.keeps_alive, false);
        let request = Request { method, path: &line.path, keeps, introduces, body: bytes };
        let mut message = head_of(request, &server.url, &self.headers).into_bytes();
        match body.as_deref() {
            None => {}
            Some(Body::Text(text)) => message.extend_from_slice(text.as_bytes()),
            Some(Body::Random(bytes)) => {
                let head = message.len();
                message.resize(head + *bytes as usize, 0);
                Xoshiro256PlusPlus::seed_from_u64(1).fill_bytes(&mut message[head..]);
            }
            Some(Body::File(path, bytes)) => {
                let failed =
                    |e: std::io::Error| Fault::system(format!("reading the body in {}", path.display()), e);
                message.extend_from_slice(&mix::content_of(path, *bytes).map_err(failed)?);
            }
        }
        Ok(message)
    }

    /// Asks what can be asked once more than is counted, so that a wrong url is told; what the server says of
    /// itself.
    fn try_out(
        &self,
        server: &Server,
        stream: &mut Stream,
        lines: &[RequestLine],
        messages: &[Vec<u8>],
    ) -> Result<Vec<(FactName, Value)>, Fault> {
        let is_harmless = |line: &RequestLine| matches!(self.asks(line).0, "GET" | "HEAD");
        let Some(place) = lines.iter().position(is_harmless) else { return Ok(Vec::new()) };
        let (method, path) = (self.asks(&lines[place]).0, &lines[place].path);
        dialog::send(server, stream, &messages[place])?;
        let answer = dialog::hear(server, stream, method == "HEAD")?;
        if answer.head().status >= 400 {
            return Err(Fault::Other(format!(
                "{} answers {} to {method} {}",
                server.url.authority,
                answer.head().status,
                url::hidden(path),
            )));
        }
        Ok(facts::of_content(answer.head()))
    }

    /// What each line asks for, where each has figures of its own.
    fn kinds(&self) -> Vec<(FactName, Value)> {
        if !kinds::have_figures(self.lines.len()) {
            return Vec::new();
        }
        let asks = |line: &RequestLine| format!("{} {}", self.asks(line).0, url::hidden(&line.path));
        let named = self.lines.iter().zip(kinds::FACTS);
        named.map(|(line, [name, ..])| (name, Value::Text(asks(line)))).collect()
    }
}

impl Planned for PlannedRequests {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        self.headers = self.destination.survey()?;
        self.lines = self.read_lines()?;
        let threads = self.schedule.threads;
        if !(threads..=CONNECTIONS_MOST).contains(&self.connections) {
            let (message, help) = if self.connections < threads {
                (
                    format!(
                        "{threads} threads are more than the {} connections that they serve",
                        self.connections
                    ),
                    "give as many connections, or fewer threads".to_owned(),
                )
            } else {
                (
                    format!("{} connections are more than one load may have", self.connections),
                    format!("at most {CONNECTIONS_MOST}"),
                )
            };
            return Err(Problem::invalid(message, help));
        }
        if !self.lines.is_empty() && self.destination.is_self() {
            return Err(Problem::invalid(
                "this program's own server knows no paths",
                "leave paths out, or name the url of another server",
            ));
        }
        // Our own server has the other end of each, and those that were closed are kept for a while.
        let ends = if self.destination.is_self() { 2 } else { 1 };
        let needed =
            (self.connections * ends).saturating_add(threads * PARTING as u64).saturating_add(OTHER_FILES);
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        if files.is_some_and(|most| needed > most) {
            return Err(Problem::refused(
                format!(
                    "{} connections are more than the {} files that a process may have open here",
                    self.connections,
                    files.unwrap_or(0)
                ),
                "give fewer connections, or raise the limit first (ulimit -n)",
            ));
        }
        if self.messages_bytes() > MESSAGES_MOST {
            return Err(Problem::invalid(
                "all requests together are larger than 1 GiB",
                "give smaller bodies or fewer of them",
            ));
        }
        // A class of operations has counts of its own, in each of the few records of a worker.
        let counts = (kinds::classes(self.lines.len()).len() as u64) << 19;
        let memory_bytes = self.messages_bytes() + threads * ((1 << 17) + counts) + (self.connections << 12);
        Ok(Requirements { memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut concurrency = base.concurrency;
        concurrency.operations = self.connections.max(1);
        LoadProfile {
            flows: vec![Flow::only(OperationClass::Exchange, FlowUnit::Operations)],
            waits_for: [WaitsFor::Peer].into(),
            peer: Some(self.destination.peer()),
            transport: Some(Transport::Tcp),
            concurrency,
            ..base
        }
    }

    fn servers(&self) -> Vec<String> {
        self.destination.host().into_iter().collect()
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (url, own) = self.destination.open(self.answer)?;
        let mut server = Server::find(url, &self.destination.trust, self.destination.patience)?;
        let mut stream = server.reach()?;
        // Who surveyed it was another object, maybe elsewhere.
        let this = Self { headers: self.destination.survey()?, lines: self.read_lines()?, ..self.clone() };
        let lines = this.all_lines(&server.url.path);
        let messages: Vec<Vec<u8>> =
            lines.iter().map(|line| this.message(&server, line)).collect::<Result<_, _>>()?;
        let mut known = facts::of(&stream);
        known.extend(this.try_out(&server, &mut stream, &lines, &messages)?);
        known.extend(this.kinds());
        let keeps_alive = self.keeps_alive;
        // TCP takes one round trip (RFC 9293), TLS 1.3 another (RFC 8446).
        let trips = if keeps_alive { 1 } else { 2 + u64::from(server.secure.is_some()) };
        known.push((fact::ROUND_TRIPS, Value::Integer(trips)));
        let weights: Vec<u64> = lines.iter().map(|line| line.weight).collect();
        let question = Question {
            server,
            messages,
            head_only: lines.iter().map(|line| this.asks(line).0 == "HEAD").collect(),
            choice: Choice::of(&weights),
            has_kinds: kinds::have_figures(this.lines.len()),
            keeps_alive,
            seen: Mutex::default(),
        };
        Ok(Box::new(PreparedRequests {
            question: Arc::new(question),
            connections: self.connections,
            known,
            _own: own,
        }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        metrics.extend(errors::share(outcome));
        metrics.extend(kinds::rates(outcome, window));
        metrics
    }
}

#[derive(Debug)]
struct PreparedRequests {
    question: Arc<Question>,
    connections: u64,
    known: Vec<(FactName, Value)>,
    /// Answers as long as this is there.
    _own: Option<OwnServer>,
}

impl PreparedRequests {
    /// What workers saw that have ended.
    fn tell(&self) -> MutexGuard<'_, Seen> {
        self.question.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Prepared for PreparedRequests {
    fn classes(&self) -> &'static [Class] {
        let lines = if self.question.has_kinds { self.question.messages.len() } else { 0 };
        kinds::classes(lines)
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("first_byte"), MetricName::new("rest")])
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let seen = self.tell();
        let mut all = seen.tally.facts();
        for (counts, [_, answered, failed]) in seen.counts.iter().zip(kinds::FACTS) {
            all.push((answered, Value::Integer(counts.answers)));
            all.push((failed, Value::Integer(counts.errors)));
        }
        all
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let metrics = self.tell().tally.handshakes.metrics(window).into_iter().collect();
        SideMetrics { metrics, ..SideMetrics::default() }
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of.max(1) as u64);
        let own = self.connections / of + u64::from(index < self.connections % of);
        Ok(Box::new(Asking::new(Arc::clone(&self.question), own.max(1) as usize, seed)?))
    }
}
