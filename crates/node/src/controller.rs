//! The controller's side of a node: an [`Agent`] like the one in a child
//! process, whichever of the two dialled.

use std::io;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use agent::converse::{AgentTransport, converse};
use agent::{Agent, AgentError, CallContext, Disconnect, OutOfBand, wire};
use model::message::{Reply, Request};

use super::byte_pump::BytePump;
use super::dial::{DialError, dial};
use super::frame::Frames;
use super::handshake::Dialer;
use super::join::JoinString;
use super::limits::SILENCE;
use super::reverse_accept::{Arrival, ReverseAccept};
use super::secure::Secure;
use super::silence;

/// How long a node that dials may take to come again once its connection was
/// lost: it tries every few seconds.
const COMES_AGAIN: Duration = Duration::from_secs(10);

/// An agent at a node.
pub struct NodeAgent {
    way: Reach,
    patience: Duration,
    /// The node's.
    address: IpAddr,
    /// Ours, where it came in.
    here: Option<IpAddr>,
    /// Whether one that dials did not come again the last time it was waited for:
    /// each of many trials would wait as long.
    stays_away: bool,
    link: Option<Connected>,
}

/// How a connection to the node comes about.
enum Reach {
    /// This end dials.
    Out(JoinString),
    /// The node does.
    In(ReverseAccept, GoesOn),
}

/// Says whether one who waits goes on.
pub type GoesOn = Box<dyn Fn() -> bool + Send + Sync>;

/// A connection that stands.
#[derive(Debug)]
pub(super) struct Connected {
    stream: UnixStream,
    /// To end the pump by force.
    tcp: TcpStream,
    pump: JoinHandle<String>,
    /// How long the node may say nothing now, ms.
    silence_ms: Arc<AtomicU64>,
}

impl NodeAgent {
    /// Dials the node of `join`. A request without progress for `patience` is
    /// given up. A connection that is lost is made anew for the next request.
    ///
    /// # Errors
    /// If the node cannot be reached, or lets nobody in.
    pub fn dial(join: JoinString, patience: Duration) -> Result<Self, DialError> {
        let (link, address) = go(&join, patience)?;
        let (way, link) = (Reach::Out(join), Some(link));
        Ok(Self { way, patience, address, here: None, stays_away: false, link })
    }

    /// Waits at `reception` for a node to dial, for so long at most and as long as
    /// `waits` says so; none if it did not. A connection that is lost is waited
    /// for again, for a few seconds and as long as `goes_on` says so.
    #[must_use]
    pub fn receive(
        reception: ReverseAccept,
        within: Duration,
        waits: &mut dyn FnMut() -> bool,
        goes_on: GoesOn,
    ) -> Option<Self> {
        let Arrival { link, from, here } = reception.wait(within, waits)?;
        let patience = reception.patience();
        let (way, link) = (Reach::In(reception, goes_on), Some(link));
        Some(Self { way, patience, address: from, here: Some(here), stays_away: false, link })
    }

    /// The address of the node: at which it was reached, or from which it came.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The address of this machine that the node dials; none where this end does.
    #[must_use]
    pub fn dials(&self) -> Option<IpAddr> {
        self.here
    }

    /// Its `HOST:PORT`, as it stands in the join string; of a node that dialled
    /// its address.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.way {
            Reach::Out(join) => join.place(),
            Reach::In(..) => self.address.to_string(),
        }
    }

    /// Tells the node that all is done, and waits until it has put everything
    /// away.
    pub fn finish(&mut self) {
        if let Some(mut link) = self.link.take() {
            let _ = wire::send(&mut link.stream, &Request::Finish);
            drop(link.stream);
            let _ = link.pump.join();
        }
    }
}

impl Drop for NodeAgent {
    fn drop(&mut self) {
        self.finish();
    }
}

fn as_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn go(join: &JoinString, patience: Duration) -> Result<(Connected, IpAddr), DialError> {
    let (secure, frames, address) = dial(join, Dialer::Controller, None)?;
    let link = Connected::over(secure, frames, patience, ());
    let link = link.map_err(|source| DialError::Connect { place: join.place(), source })?;
    Ok((link, address))
}

impl Connected {
    /// Over a connection that was let in, or let one in; `keeps` is dropped when
    /// it ends.
    pub(super) fn over(
        secure: Secure,
        frames: Frames,
        patience: Duration,
        keeps: impl Send + 'static,
    ) -> io::Result<Self> {
        let tcp = secure.tcp().try_clone()?;
        let (stream, local) = UnixStream::pair()?;
        stream.set_read_timeout(Some(patience))?;
        local.set_nonblocking(true)?;
        let mut frames = frames;
        frames.allow(usize::MAX);
        let silence_ms = Arc::new(AtomicU64::new(as_ms(SILENCE)));
        let pump = BytePump::new(secure, frames, local, Arc::clone(&silence_ms))?;
        let run = move || {
            let why = pump.run();
            drop(keeps);
            why
        };
        let pump = std::thread::Builder::new().name("node".to_owned()).spawn(run)?;
        Ok(Self { stream, tcp, pump, silence_ms })
    }

    /// Ends it by force.
    pub(super) fn cut(self) {
        let _ = self.tcp.shutdown(Shutdown::Both);
        drop(self.stream);
        let _ = self.pump.join();
    }

    pub(super) fn lives(&self) -> bool {
        !self.pump.is_finished()
    }
}

impl NodeAgent {
    /// Says how long the node may say nothing while a request is under way.
    fn bear(&self, silence: Duration) {
        if let Some(link) = &self.link {
            link.silence_ms.store(as_ms(silence), Ordering::Relaxed);
        }
    }

    fn reach(&mut self) -> Result<Connected, AgentError> {
        match &self.way {
            Reach::Out(join) => {
                let reached = go(join, self.patience);
                let (link, address) = reached.map_err(|e| AgentError::Unreachable(e.to_string()))?;
                self.address = address;
                Ok(link)
            }
            Reach::In(reception, goes_on) => {
                let within = if self.stays_away { Duration::ZERO } else { COMES_AGAIN };
                let arrival = reception.wait(within, &mut || goes_on());
                self.stays_away = arrival.is_none();
                match arrival {
                    Some(Arrival { link, from, here }) => {
                        (self.address, self.here) = (from, Some(here));
                        Ok(link)
                    }
                    None if !goes_on() => Err(AgentError::Cancelled),
                    None => Err(AgentError::Unreachable(format!(
                        "the node at {}, which dials, did not come again within {} s: has it ended?",
                        self.address,
                        COMES_AGAIN.as_secs()
                    ))),
                }
            }
        }
    }
}

impl AgentTransport for NodeAgent {
    fn stream(&mut self) -> Result<&mut UnixStream, AgentError> {
        if self.link.is_none() {
            self.link = Some(self.reach()?);
        }
        let link = self.link.as_mut().ok_or_else(|| AgentError::Unreachable("no link".to_owned()))?;
        Ok(&mut link.stream)
    }

    fn lost(&mut self) -> AgentError {
        let why = match self.link.take() {
            Some(link) => link.pump.join().unwrap_or_else(|_| "its thread panicked".to_owned()),
            None => "it was closed".to_owned(),
        };
        AgentError::Died(format!("the connection to the node at {} was lost: {why}", self.place()))
    }

    fn abandon(&mut self) {
        if let Some(link) = self.link.take() {
            link.cut();
        }
    }
}

impl Agent for NodeAgent {
    fn lives(&self) -> bool {
        self.link.as_ref().is_some_and(Connected::lives)
    }

    fn out_of_band(&mut self) -> Result<OutOfBand, AgentError> {
        let stream = self.stream()?.try_clone().map_err(|e| AgentError::Unreachable(e.to_string()))?;
        Ok(Box::new(move |request| wire::send(&mut &stream, request)))
    }

    fn disconnect(&mut self) -> Option<Disconnect> {
        let tcp = self.link.as_ref()?.tcp.try_clone().ok()?;
        Some(Box::new(move || {
            let _ = tcp.shutdown(Shutdown::Both);
        }))
    }

    fn call(&mut self, request: Request, watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        self.bear(silence(&request));
        let patience = self.patience;
        let answer = converse(self, patience, &request, watch);
        self.bear(SILENCE);
        answer
    }
}

impl std::fmt::Debug for NodeAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NodeAgent({})", self.place())
    }
}

#[cfg(test)]
impl NodeAgent {
    /// What cuts the connection in a test.
    pub(super) fn cutter(&self) -> TcpStream {
        self.link.as_ref().unwrap().tcp.try_clone().unwrap()
    }

    pub(super) fn bears(&self, silence: Duration) {
        self.bear(silence);
    }

    pub(super) fn is_connected(&self) -> bool {
        self.link.as_ref().is_some_and(|link| !link.pump.is_finished())
    }
}
