//! Where a download meets the protocol that it is made by.

use engine::clock;
use engine::fault::Fault;
use model::{FactName, Value};
use sha2::Sha256;

use crate::workload::http::client::Server;
use crate::workload::http::dialog::Unanswered;
use crate::workload::http::download::sink::Sink;
use crate::workload::http::headers::Headers;
use crate::workload::http::response::Head;
use crate::workload::http::stream::Stream;
use crate::workload::http::url::Url;

/// What a call that receives works with.
pub(super) struct Receiving<'a> {
    pub(super) server: &'a Server,
    pub(super) sink: &'a mut Sink,
    /// What sums the content up, where that is asked for.
    pub(super) digest: Option<&'a mut Sha256>,
    /// Bytes of the content that came before.
    pub(super) got: u64,
}

/// What came by one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Received {
    /// Bytes of content.
    pub(super) bytes: u64,
    /// Whether the content is whole.
    pub(super) is_whole: bool,
}

/// A connection that has one request under way at a time; only [`wait`](Self::wait) waits.
pub(super) trait Exchange: std::fmt::Debug + Sized + 'static {
    /// A request that can be sent again and again.
    type Request: std::fmt::Debug + Send + Sync;

    /// Before the first connection: what is to be offered to `server`.
    fn offer(server: &mut Server);

    /// The request for `url` with the user's headers.
    ///
    /// # Errors
    /// If it cannot be written.
    fn request(url: &Url, headers: &Headers) -> Result<Self::Request, Fault>;

    /// Over a connection that stands; `room` bytes may be received by one call.
    ///
    /// # Errors
    /// If the server does not speak the protocol.
    fn over(server: &Server, stream: Stream, room: usize) -> Result<Self, Fault>;

    /// Sends the request.
    ///
    /// # Errors
    /// If the server takes none.
    fn ask(&mut self, server: &Server, request: &Self::Request) -> Result<(), Unanswered>;

    /// Takes what is there of the answer; its head, once that is whole.
    ///
    /// # Errors
    /// If what comes cannot be understood, or no more comes.
    fn listen(&mut self, server: &Server) -> Result<Option<Head>, Unanswered>;

    /// Whether an answer whose head came has no content that is to come.
    fn is_whole(&self) -> bool;

    /// Takes what is there of the content. None if nothing is there yet.
    ///
    /// # Errors
    /// If it ends before its end, or cannot be put where it goes.
    fn receive(&mut self, of: Receiving<'_>) -> Result<Option<Received>, Fault>;

    /// Whether another request may follow the answer.
    fn keeps(&self) -> bool;

    /// Waits until something may be there; whether that was before `until_ns`.
    ///
    /// # Errors
    /// If it cannot be waited for.
    fn wait(&self, until_ns: u64) -> Result<bool, Fault>;

    /// Says that nothing more is asked for, in the middle of an answer too. If the server is gone, it is.
    fn shutdown(&self);

    /// What the connection was granted.
    fn facts(&self) -> Vec<(FactName, Value)>;

    /// What the server answers to one request over a connection that is used for nothing else.
    ///
    /// # Errors
    /// If it does not.
    fn head(server: &Server, stream: Stream, request: &Self::Request) -> Result<Head, Fault> {
        const ROOM: usize = 64 << 10;
        let mut exchange = Self::over(server, stream, ROOM)?;
        exchange.ask(server, request)?;
        loop {
            if let Some(head) = exchange.listen(server)? {
                return Ok(head);
            }
            if !exchange.wait(clock::now_ns() + server.patience.as_nanos() as u64)? {
                return Err(server.silent("when it was to answer"));
            }
        }
    }
}
