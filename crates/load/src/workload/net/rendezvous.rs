//! The rendezvous address of a far end: sockets that wait for the connections of one trial.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;

use engine::fault::Fault;
use model::message::{RendezvousAddress, RendezvousKind};

use crate::workload::net::admitted_streams::{AcceptThread, AdmittedStreams};

/// A rendezvous address that is open, until this is dropped. Several loads of a trial share
/// it.
#[derive(Debug)]
pub struct RendezvousListener {
    tcp: SocketAddr,
    udp: SocketAddr,
    cookie: [u8; 16],
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
        let tcp = listener.local_addr().map_err(failed)?;
        let udp = socket.local_addr().map_err(failed)?;
        let accept_thread = AcceptThread::begin(listener, socket, cookie)?;
        Ok(Self { tcp, udp, cookie, accept_thread })
    }

    /// What the near end must know.
    ///
    /// # Errors
    /// None today.
    pub fn rendezvous(&self) -> Result<RendezvousAddress, Fault> {
        let Self { tcp, udp, cookie, .. } = self;
        Ok(RendezvousAddress {
            address: tcp.ip(),
            tcp: tcp.port(),
            udp: udp.port(),
            cookie: hexadecimal(cookie),
            way: BTreeMap::new(),
            kind: RendezvousKind::Ours,
        })
    }

    /// Where those who were let in wait for their workers.
    pub(super) fn admitted(&self) -> Arc<AdmittedStreams> {
        self.accept_thread.admitted()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
