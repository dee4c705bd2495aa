//! Parameters that several loads on servers have, and what they say.

use std::path::PathBuf;
use std::time::Duration;

use model::Parameters;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Peer};

use crate::workload::common;
use crate::workload::http::headers::Headers;
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::peer::PEER;
use crate::workload::http::tls::Trust;
use crate::workload::http::url::Url;
use crate::workload::named;
use crate::workload::net::socket::{self, SocketOptions};
use engine::fault::Fault;

/// What stands for a server of this program.
pub(in crate::workload) const SELF: &str = "self";

pub(in crate::workload) const URL: ParameterSpec = ParameterSpec::new(
    "url",
    Kind::Text,
    "What is asked for: http://host:port/path, or https://. `self` starts a server in this program; the data then passes \
     the loopback interface, which is no wire.",
)
.says(Aspect::Server)
.default(SELF)
.words(&[SELF_WORD]);

/// The word for it.
pub(in crate::workload) const SELF_WORD: Word = Word { word: SELF, doc: "a server of this program" };

/// The same for the other end of a load.
pub(in crate::workload) const PEER_WORD: Word =
    Word { word: PEER, doc: "the other end of this load, which the parameter `peer` names" };

/// The other end, and the sockets at both, of a load whose url may be one.
pub(in crate::workload) const OTHER_END: ParameterSpec = socket::PEER.only_with("url", &[PEER]);
pub(in crate::workload) const PEER_CPU_NODE: ParameterSpec = socket::PEER_CPU_NODE.only_with("url", &[PEER]);
pub(in crate::workload) const PEER_MEMORY_NODE: ParameterSpec =
    socket::PEER_MEMORY_NODE.only_with("url", &[PEER]);
pub(in crate::workload) const WINDOW: ParameterSpec = socket::WINDOW.only_with("url", &[PEER]);
pub(in crate::workload) const CONGESTION: ParameterSpec = socket::CONGESTION.only_with("url", &[PEER]);
pub(in crate::workload) const LOCAL_ADDRESS: ParameterSpec = socket::LOCAL_ADDRESS.only_with("url", &[PEER]);

/// Connections with content one way, each of which has a thread of its own.
pub(super) const fn streams(doc: &'static str) -> ParameterSpec {
    ParameterSpec::new("streams", Kind::Count, doc).says(Aspect::Streams).remote_max(512).default("1")
}

pub(super) const THREADS: ParameterSpec =
    ParameterSpec::new("threads", Kind::Count, "Threads: one for each stream.")
        .says(Aspect::Workers)
        .remote_max(512)
        .default("each")
        .words(&[common::EACH]);

/// What one call moves of it.
pub(super) const fn buffer(doc: &'static str) -> ParameterSpec {
    ParameterSpec::new("buffer", Kind::Size, doc).remote_max(256 << 20).default("256k")
}

/// Who has it says what its words, `time` and `end`, mean.
pub(in crate::workload) const UNTIL: ParameterSpec =
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.").default("time").ends_trial();

pub(in crate::workload) const HEADERS: ParameterSpec = ParameterSpec::new(
    "headers",
    Kind::Path,
    "A file with headers to send, one `Name: value` a line. The result names the file, but does not show its contents.",
);

pub(in crate::workload) const TIMEOUT: ParameterSpec = ParameterSpec::new(
    "timeout",
    Kind::Duration,
    "If the server sends or accepts no data for this long, the trial ends.",
)
.default("10s")
.not_work();

pub(in crate::workload) const INSECURE: ParameterSpec =
    ParameterSpec::new("insecure", Kind::Flag, "Believe any certificate.").default("no").silent_by_default();

pub(in crate::workload) const CA_FILE: ParameterSpec = ParameterSpec::new(
    "ca-file",
    Kind::Path,
    "A PEM file of the certificate authorities to trust, in place of this machine's.",
);

/// Whose certificates are believed.
pub(in crate::workload) fn trust(parameters: &Parameters) -> Result<Trust, Problem> {
    Ok(match parameters.given(named("ca-file"), Parameters::text)? {
        _ if parameters.flag(named("insecure"))? => Trust::Any,
        Some(path) => Trust::File(PathBuf::from(path)),
        None => Trust::Machine,
    })
}

/// How long a server may be silent.
pub(in crate::workload) fn patience(parameters: &Parameters) -> Result<Duration, Problem> {
    let seconds = parameters.number(named("timeout"))?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// Where requests go, and how.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Destination {
    /// As it was given.
    url: String,
    pub(in crate::workload) trust: Trust,
    pub(in crate::workload) patience: Duration,
    headers: Option<PathBuf>,
    /// The sockets between both ends, where the other end of the load is the server.
    to_peer: Option<SocketOptions>,
}

impl Destination {
    /// What `parameters` say.
    pub(in crate::workload) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        let url = parameters.text(named("url"))?.to_owned();
        // Only where a parameter can name it.
        let is_peer = url == PEER && parameters.get(socket::PEER.name).is_some();
        let options =
            || SocketOptions::of(parameters).map(|options| SocketOptions { nodelay: true, ..options });
        Ok(Self {
            url,
            to_peer: is_peer.then(options).transpose()?,
            trust: trust(parameters)?,
            patience: patience(parameters)?,
            headers: parameters.given(named("headers"), Parameters::text)?.map(PathBuf::from),
        })
    }

    /// Whether this program answers.
    pub(in crate::workload) fn is_self(&self) -> bool {
        self.url == SELF
    }

    /// Whether the url that was given asks for TLS; a redirect may lead elsewhere.
    pub(in crate::workload) fn is_secure(&self) -> bool {
        self.to_peer.is_none() && Url::parse(&self.url).is_ok_and(|url| url.is_secure)
    }

    /// The options of the sockets to the other end of the load, where that is the server.
    pub(in crate::workload) fn to_peer(&self) -> Option<&SocketOptions> {
        self.to_peer.as_ref()
    }

    /// Who answers.
    pub(in crate::workload) fn peer(&self) -> Peer {
        let is_ours = self.to_peer.as_ref().map_or(self.is_self(), |options| options.is_to_self);
        if is_ours { Peer::SameProgram } else { Peer::AnotherProgram }
    }

    /// The host that it goes to; none where that is the other end of the load.
    pub(in crate::workload) fn host(&self) -> Option<String> {
        if self.to_peer.is_some() {
            return None;
        }
        if self.is_self() { Some("127.0.0.1".to_owned()) } else { Some(Url::parse(&self.url).ok()?.host) }
    }

    /// Refuses what can be seen to be wrong beforehand; the headers.
    pub(super) fn survey(&self) -> Result<Headers, Problem> {
        if self.to_peer.is_some() {
            if self.headers.is_some() {
                return Err(Problem::invalid(
                    "headers are for a web server, and url=peer is none",
                    "leave headers out",
                ));
            }
            return Ok(Headers::default());
        }
        if !self.is_self() {
            Url::parse(&self.url)?;
        }
        self.headers.as_deref().map_or_else(|| Ok(Headers::default()), Headers::read)
    }

    /// The URL, and the server behind it where that is of this program, with answers of so many bytes.
    pub(in crate::workload) fn open(&self, answer: u64) -> Result<(Url, Option<OwnServer>), Fault> {
        if self.is_self() {
            let server = OwnServer::start(answer)?;
            return Ok((server.url(), Some(server)));
        }
        Ok((Url::parse(&self.url)?, None))
    }
}
