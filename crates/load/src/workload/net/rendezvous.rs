//! The rendezvous address of a far end: sockets that wait for the connections of one trial.

use std::collections::BTreeMap;
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::sync::Arc;

use engine::fault::Fault;
use model::message::{RendezvousAddress, RendezvousKind};

use crate::workload::net::admitted_streams::{AcceptThread, AdmittedStreams};

/// A rendezvous address that is open, until this is dropped. Several loads of a trial share
/// it.
#[derive(Debug)]
pub struct RendezvousListener {
    accept_thread: AcceptThread,
}

impl RendezvousListener {
    /// Opens a rendezvous address at `address`, on ports that the kernel chooses, for whoever
    /// knows `cookie`.
    ///
    /// # Errors
    /// If the address is not one of this machine's, or has no free port.
    pub fn open(address: IpAddr, cookie: [u8; 16]) -> Result<Self, Fault> {
        let failed = |e| Fault::system(format!("listening at {address}"), e);
        let listener = TcpListener::bind((address, 0)).map_err(failed)?;
        let socket = UdpSocket::bind((address, 0)).map_err(failed)?;
        Ok(Self { accept_thread: AcceptThread::begin(listener, socket, cookie)? })
    }

    /// What the near end must know.
    #[must_use]
    pub fn rendezvous(&self) -> RendezvousAddress {
        let admitted = self.admitted();
        RendezvousAddress {
            address: admitted.tcp.ip(),
            tcp: admitted.tcp.port(),
            udp: admitted.udp.port(),
            cookie: format!("{:032x}", u128::from_be_bytes(admitted.cookie)),
            way: BTreeMap::new(),
            kind: RendezvousKind::Ours,
        }
    }

    /// Where those who were let in wait for their workers.
    pub(super) fn admitted(&self) -> Arc<AdmittedStreams> {
        self.accept_thread.admitted()
    }
}
