//! The other end of a load as its server: a node, or another process of this machine, that has content in
//! memory or in a file, and takes bodies and forgets them.
//!
//! Requests go over the connections by which the two ends of every load meet (`net::ends`): worker i asks
//! over the connection that worker i of the other end answers. So nothing listens for long, nobody but this
//! load is answered, and what ends the connection ends the answering.

use engine::fault::Fault;
use model::metric;
use model::trial::TrialResult;
use rustix::io::Errno;

use crate::workload::Merged;
use crate::workload::http::served::{SERVED_CACHED_SHARE, SERVED_CACHED_SHARE_AFTER, SERVED_FROM};
use crate::workload::http::stream::Stream;
use crate::workload::net::ends::End;
use crate::workload::net::socket::{self, SocketOptions};
use crate::workload::net::stream::spec::PEER_CPU_PER_BYTE;

/// What stands in a url for the other end.
pub(in crate::workload) const PEER: &str = "peer";

const ASKING: &str = "asking the other end over HTTP";

/// The way to the other end.
#[derive(Clone, Debug)]
pub(in crate::workload) struct PeerServer {
    end: End,
    options: SocketOptions,
}

impl PeerServer {
    /// The one behind `end`, by sockets with these options.
    pub(in crate::workload) fn new(end: End, options: SocketOptions) -> Self {
        Self { end, options }
    }

    /// The connection of worker `worker`, which there is once.
    ///
    /// # Errors
    /// If the other end is not there.
    pub(in crate::workload) fn connect(&self, worker: usize) -> Result<Stream, Fault> {
        let stream = self.end.tcp(worker, &self.options)?;
        // A call that splices waits by this alone.
        rustix::io::ioctl_fionbio(&stream, true).map_err(|e| Fault::system(ASKING, e))?;
        Stream::new(stream.into(), None).map_err(|e| Fault::Other(e.to_string()))
    }
}

/// The fault of a connection to the other end that broke.
pub(in crate::workload) fn broken(error: Errno) -> Fault {
    socket::broken(ASKING, error)
}

/// Puts what the other end knows into the result of the one that asks: as the sender, and of its workers.
pub(in crate::workload) fn merge(near: &mut TrialResult, far: &TrialResult) -> Merged {
    let theirs = &far.main().metrics;
    let of_sender = [metric::SENDER_THROUGHPUT, metric::RETRANSMITS, metric::RTT];
    let mut known: Vec<_> = of_sender.iter().filter_map(|name| Some((*name, *theirs.get(name)?))).collect();
    known.extend(theirs.get(&metric::CPU_PER_BYTE).map(|cpu| (PEER_CPU_PER_BYTE.name, *cpu)));
    let of_content = [SERVED_FROM, SERVED_CACHED_SHARE, SERVED_CACHED_SHARE_AFTER];
    let facts = &far.main().facts;
    let told = of_content.into_iter().filter_map(|name| Some((name, facts.get(&name)?.clone())));
    near.main_mut().facts.extend(told);
    near.main_mut().metrics.extend(known);
    Ok(())
}
