//! Parameters that several loads on servers have, and what they say.

use std::path::PathBuf;
use std::time::Duration;

use model::Parameters;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Peer};

use crate::workload::http::headers::Headers;
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::tls::Trust;
use crate::workload::http::url::Url;
use crate::workload::named;
use engine::fault::Fault;

/// What stands for a server of this program.
const SELF: &str = "self";

pub(super) const URL: ParameterSpec = ParameterSpec::new(
    "url",
    Kind::Text,
    "What is asked for: http://host:port/path, or https://. `self` starts a server in this program; the data then passes \
     the loopback interface, which is no wire.",
)
.says(Aspect::Server)
.default(SELF)
.words(&[Word { word: SELF, doc: "a server of this program" }]);

pub(super) const HEADERS: ParameterSpec = ParameterSpec::new(
    "headers",
    Kind::Path,
    "A file with headers to send, one `Name: value` a line. The result names the file, but does not show its contents.",
);

pub(super) const TIMEOUT: ParameterSpec = ParameterSpec::new(
    "timeout",
    Kind::Duration,
    "If the server sends or accepts no data for this long, the trial ends.",
)
.default("10s")
.not_work();

pub(super) const INSECURE: ParameterSpec =
    ParameterSpec::new("insecure", Kind::Flag, "Believe any certificate.").default("no").silent_by_default();

pub(super) const CA_FILE: ParameterSpec = ParameterSpec::new(
    "ca-file",
    Kind::Path,
    "A PEM file of the certificate authorities to trust, in place of this machine's.",
);

/// Where requests go, and how.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// As it was given.
    url: String,
    pub(super) trust: Trust,
    pub(super) patience: Duration,
    headers: Option<PathBuf>,
}

impl Destination {
    /// What `parameters` say.
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        let path =
            |name| Ok::<_, Problem>(parameters.given(named(name), Parameters::text)?.map(PathBuf::from));
        let trust = match path("ca-file")? {
            _ if parameters.flag(named("insecure"))? => Trust::Any,
            Some(path) => Trust::File(path),
            None => Trust::Machine,
        };
        let patience = parameters.number(named("timeout"))?;
        Ok(Self {
            url: parameters.text(named("url"))?.to_owned(),
            trust,
            patience: Duration::try_from_secs_f64(patience).unwrap_or(Duration::MAX),
            headers: path("headers")?,
        })
    }

    /// Whether this program answers.
    pub(super) fn is_self(&self) -> bool {
        self.url == SELF
    }

    /// Who answers.
    pub(super) fn peer(&self) -> Peer {
        if self.is_self() { Peer::SameProgram } else { Peer::AnotherProgram }
    }

    /// The host that it goes to.
    pub(super) fn host(&self) -> Option<String> {
        if self.is_self() { Some("127.0.0.1".to_owned()) } else { Some(Url::parse(&self.url).ok()?.host) }
    }

    /// Refuses what can be seen to be wrong beforehand; the headers.
    pub(super) fn survey(&self) -> Result<Headers, Problem> {
        if !self.is_self() {
            Url::parse(&self.url)?;
        }
        self.headers.as_deref().map_or_else(|| Ok(Headers::default()), Headers::read)
    }

    /// The URL, and the server behind it where that is of this program, with answers of so many bytes.
    pub(super) fn open(&self, answer: u64) -> Result<(Url, Option<OwnServer>), Fault> {
        if self.is_self() {
            let server = OwnServer::start(answer)?;
            return Ok((server.url(), Some(server)));
        }
        Ok((Url::parse(&self.url)?, None))
    }
}
