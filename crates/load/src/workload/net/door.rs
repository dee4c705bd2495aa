//! The door of a far end: sockets that wait for the connections of one trial.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;

use engine::fault::Fault;
use model::message::{Door, DoorKind};

use crate::workload::net::lobby::{Lobby, Porter};

/// A door that is open, until this is dropped. Several loads of a trial share
/// it.
#[derive(Debug)]
pub struct Listening {
    tcp: SocketAddr,
    udp: SocketAddr,
    cookie: [u8; 16],
    porter: Porter,
}

impl Listening {
    /// Opens a door at `address`, on ports that the kernel chooses, for whoever
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
        let porter = Porter::begin(listener, socket, cookie)?;
        Ok(Self { tcp, udp, cookie, porter })
    }

    /// What the near end must know.
    ///
    /// # Errors
    /// None today.
    pub fn door(&self) -> Result<Door, Fault> {
        let Self { tcp, udp, cookie, .. } = self;
        Ok(Door {
            address: tcp.ip(),
            tcp: tcp.port(),
            udp: udp.port(),
            cookie: hexadecimal(cookie),
            way: BTreeMap::new(),
            kind: DoorKind::Ours,
        })
    }

    /// Where those who were let in wait for their workers.
    pub(super) fn lobby(&self) -> Arc<Lobby> {
        self.porter.lobby()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
