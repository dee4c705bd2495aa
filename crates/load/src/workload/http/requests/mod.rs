//! `http.requests`: how many requests a server answers, and how long an answer takes.

mod asking;
mod spec;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
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
use crate::workload::http::requests::asking::{Asking, Question};
use crate::workload::http::requests::spec::SPEC;
use crate::workload::http::tally::PARTING;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

/// What becomes of requests: answers that are none of success are no operations.
const CLASSES: &[Class] = &[
    Class { name: "answer", counts: true, fails: false },
    Class { name: errors::CLASS, counts: false, fails: true },
];

/// The most connections of one load, and the most paths of a file.
const CONNECTIONS_MOST: u64 = 10_000;
const PATHS_MOST: usize = 100_000;

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
            paths: Vec::new(),
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
    /// Of the file of headers, once it was read, and of that of paths.
    headers: Headers,
    paths: Vec<String>,
}

impl PlannedRequests {
    fn read_paths(&self) -> Result<Vec<String>, Problem> {
        let Some(path) = &self.paths_file else { return Ok(Vec::new()) };
        let shown = path.display();
        let wrong = |why: String| Problem::invalid(why, "give each line a path such as /a?b=c");
        if !path.is_file() {
            return Err(wrong(format!("{shown}, which is to have the paths, is no file that can be read")));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|e| wrong(format!("the paths in {shown} cannot be read: {e}")))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let mut paths = Vec::new();
        for (number, line) in lines {
            let line = line.trim();
            let is_path = line.starts_with('/') && line.parse::<http::uri::PathAndQuery>().is_ok();
            if !is_path {
                return Err(wrong(format!("{shown}, line {}: it is no path of a URL", number + 1)));
            }
            paths.push(line.to_owned());
        }
        if paths.is_empty() || paths.len() > PATHS_MOST {
            return Err(wrong(format!(
                "{shown} has {} paths, and 1 to {PATHS_MOST} can be asked for",
                paths.len()
            )));
        }
        Ok(paths)
    }

    /// Bytes of all requests.
    fn messages_bytes(&self) -> u64 {
        (self.paths.len().max(1) as u64).saturating_mul(self.body.unwrap_or(0).saturating_add(1 << 10))
    }

    /// The requests to `server`, each whole.
    fn messages(&self, server: &Server) -> Vec<Vec<u8>> {
        let mut body = vec![0; self.body.unwrap_or(0) as usize];
        Xoshiro256PlusPlus::seed_from_u64(1).fill_bytes(&mut body);
        let of = |path: &str| {
            let request = Request { method: &self.method, path, keeps: self.keeps_alive, body: self.body };
            let mut message = head_of(request, &server.url, &self.headers).into_bytes();
            message.extend_from_slice(&body);
            message
        };
        match self.paths.as_slice() {
            [] => vec![of(&server.url.path)],
            paths => paths.iter().map(|path| of(path)).collect(),
        }
    }
}

impl Planned for PlannedRequests {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        self.headers = self.destination.survey()?;
        self.paths = self.read_paths()?;
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
        if !self.paths.is_empty() && self.destination.is_self() {
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
                "give a smaller body or fewer paths",
            ));
        }
        let memory_bytes = self.messages_bytes() + (threads << 17) + (self.connections << 12);
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
        let this = Self { headers: self.destination.survey()?, paths: self.read_paths()?, ..self.clone() };
        let messages = this.messages(&server);
        let mut known = facts::of(&stream);
        let head_only = self.method == "HEAD";
        // What can be asked once more than is counted is asked first, so that a wrong url is told.
        if matches!(self.method.as_str(), "GET" | "HEAD") {
            let message = messages.first().map(Vec::as_slice).unwrap_or_default();
            dialog::send(&server, &mut stream, message)?;
            let answer = dialog::hear(&server, &mut stream, head_only)?;
            if answer.head().status >= 400 {
                return Err(Fault::Other(format!(
                    "{} answers {} to {} {}",
                    server.url.authority,
                    answer.head().status,
                    self.method,
                    this.paths.first().unwrap_or(&server.url.path)
                )));
            }
            known.extend(facts::of_server(answer.head()));
        }
        let keeps_alive = self.keeps_alive;
        // TCP takes one round trip (RFC 9293), TLS 1.3 another (RFC 8446).
        let trips = if keeps_alive { 1 } else { 2 + u64::from(server.secure.is_some()) };
        known.push((fact::ROUND_TRIPS, Value::Integer(trips)));
        let question = Question { server, messages, head_only, keeps_alive, seen: Mutex::default() };
        Ok(Box::new(PreparedRequests {
            question: Arc::new(question),
            connections: self.connections,
            known,
            _own: own,
        }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        metrics.extend(errors::share(outcome));
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

impl Prepared for PreparedRequests {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("first_byte"), MetricName::new("rest")])
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.question.seen.lock().unwrap_or_else(PoisonError::into_inner).facts()
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of.max(1) as u64);
        let own = self.connections / of + u64::from(index < self.connections % of);
        Ok(Box::new(Asking::new(Arc::clone(&self.question), own.max(1) as usize, seed)?))
    }
}
