//! Which end of a load this is, and how its workers get their connections: those
//! of one end go through the rendezvous address, those of the other are fetched from the admitted streams
//! behind it. Mostly the near end goes; where the far one can only dial out, it
//! does. Worker i of one end is connected with worker i of the other.

use std::net::{TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use engine::fault::Fault;
use model::WorkloadName;
use model::message::{RendezvousAddress, RendezvousKind};
use rustix::net::SendFlags;

use crate::workload::net::admitted_streams::AdmittedStreams;
use crate::workload::net::hello::{self, COOKIE, HELLO, WELCOME, WorkerSlot};
use crate::workload::net::iperf3::client::Iperf3Client;
use crate::workload::net::socket::SocketOptions;
use crate::workload::{LoadContext, LoadEndpoint, Rendezvous};

/// One end of a load.
#[derive(Clone, Debug)]
pub(in crate::workload) struct End {
    load: u16,
    cookie: [u8; COOKIE],
    /// Whether it drives.
    drives: bool,
    way: ConnectionSource,
}

#[derive(Clone, Debug)]
enum ConnectionSource {
    Out(RendezvousAddress),
    In(Arc<AdmittedStreams>),
    Iperf3(Arc<Iperf3Client>),
}

impl End {
    /// The end that `given` says.
    ///
    /// # Errors
    /// If there is no other end, or the rendezvous address's cookie cannot be read.
    pub(super) fn of(given: &LoadContext<'_>) -> Result<Self, Fault> {
        let Some(LoadEndpoint { drives, rendezvous, load }) = given.endpoint else {
            return Err(Fault::Other(
                "this load has two ends, and there is no other one: its parameter `peer` names it".to_owned(),
            ));
        };
        let load =
            u16::try_from(load).map_err(|_| Fault::Other("more loads than a trial can have".to_owned()))?;
        let (cookie, way) = match rendezvous {
            Rendezvous::Out(rendezvous) if rendezvous.kind == RendezvousKind::Iperf3 => {
                ([0; COOKIE], ConnectionSource::Iperf3(Arc::new(Iperf3Client::new(rendezvous.clone()))))
            }
            Rendezvous::Out(rendezvous) => {
                (hello::cookie_of(rendezvous)?, ConnectionSource::Out(rendezvous.clone()))
            }
            Rendezvous::In(listening) => {
                let admitted = listening.admitted();
                (admitted.cookie, ConnectionSource::In(admitted))
            }
        };
        Ok(Self { load, cookie, drives, way })
    }

    /// The same, of a load that no stock server of iperf3 answers.
    ///
    /// # Errors
    /// As above, or if the other end is one.
    pub(in crate::workload) fn of_ours(
        given: &LoadContext<'_>,
        workload: WorkloadName,
    ) -> Result<Self, Fault> {
        let end = Self::of(given)?;
        if end.is_iperf3() {
            return Err(Fault::Other(format!(
                "an iperf3 server only sends and receives, which is net.stream: {workload} needs `headroom node` there"
            )));
        }
        Ok(end)
    }

    pub(in crate::workload) fn drives(&self) -> bool {
        self.drives
    }

    /// Whether the other end is a stock server of iperf3, which knows neither our
    /// hello nor our farewell.
    pub(super) fn is_iperf3(&self) -> bool {
        matches!(self.way, ConnectionSource::Iperf3(_))
    }

    /// What the last bytes of a connection are, so that its end is told from a
    /// break: nothing that a hello has. None where the other end knows no such
    /// thing, and closes the connection instead.
    pub(super) fn farewell(&self) -> Option<[u8; COOKIE]> {
        (!self.is_iperf3()).then(|| self.cookie.map(|byte| !byte))
    }

    /// The options with which this end goes out: the address to go out from is
    /// the near end's.
    fn outward(&self, options: &SocketOptions) -> SocketOptions {
        let local = options.local.clone().filter(|_| self.drives);
        SocketOptions { local, ..options.clone() }
    }

    fn place(&self, worker: usize) -> Result<WorkerSlot, Fault> {
        let worker = u16::try_from(worker)
            .map_err(|_| Fault::Other("more connections than a load can have".to_owned()))?;
        Ok(WorkerSlot { load: self.load, worker })
    }

    /// The connection of worker `worker`. At the near end, its partner is ready
    /// when this returns; so what the far end needs must be there before.
    pub(in crate::workload) fn tcp(
        &self,
        worker: usize,
        options: &SocketOptions,
    ) -> Result<TcpStream, Fault> {
        let place = self.place(worker)?;
        match &self.way {
            ConnectionSource::Out(rendezvous) => {
                let stream = hello::tcp(rendezvous, &self.cookie, place, &self.outward(options))?;
                if !self.drives {
                    welcome(&stream)?;
                }
                Ok(stream)
            }
            ConnectionSource::Iperf3(guest) => guest.tcp(worker, options),
            ConnectionSource::In(admitted) => {
                let stream = admitted.tcp(place)?;
                options.apply_early(&stream)?;
                options.apply(&stream)?;
                welcome(&stream)?;
                if self.drives {
                    // The one that drives is the last to be ready.
                    let from = stream.peer_addr().map_err(|e| Fault::system("asking who came", e))?;
                    hello::await_welcome(&stream, from, Instant::now() + hello::PATIENCE)?;
                }
                Ok(stream)
            }
        }
    }

    /// The socket of worker `worker`, connected, as above, and what was said first on
    /// it, which may come again; none where the other end is a stock iperf3.
    pub(super) fn udp(
        &self,
        worker: usize,
        options: &SocketOptions,
    ) -> Result<(UdpSocket, Option<[u8; HELLO]>), Fault> {
        let place = self.place(worker)?;
        match &self.way {
            ConnectionSource::Out(rendezvous) => {
                let (socket, hello) = hello::udp(rendezvous, &self.cookie, place, &self.outward(options))?;
                Ok((socket, Some(hello)))
            }
            ConnectionSource::Iperf3(guest) => Ok((guest.udp(worker, options)?, None)),
            ConnectionSource::In(admitted) => {
                let (socket, word) = admitted.udp(place)?;
                options.apply_early(&socket)?;
                let hello = hello::written(&word, place);
                hello::answer_udp(&socket, &hello)?;
                options.apply(&socket)?;
                Ok((socket, Some(hello)))
            }
        }
    }
}

/// Says that this end is ready.
fn welcome(stream: &TcpStream) -> Result<(), Fault> {
    rustix::net::send(stream, &[WELCOME], SendFlags::NOSIGNAL)
        .map_err(|e| Fault::system("answering the other end", e))?;
    Ok(())
}
