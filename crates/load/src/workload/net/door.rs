//! The door of a far end: sockets that wait for the connections of one trial.

use std::collections::BTreeMap;
use std::net::{IpAddr, TcpListener, UdpSocket};

use model::message::Door;

use crate::engine::fault::Fault;

/// A door that is open.
#[derive(Debug)]
pub struct Listening {
    /// Where TCP connections come in.
    pub tcp: TcpListener,
    /// Where datagrams come in.
    pub udp: UdpSocket,
    /// What a connection must say first.
    pub cookie: [u8; 16],
}

impl Listening {
    /// Opens a door at `address`, on ports that the kernel chooses, for whoever
    /// knows `cookie`.
    ///
    /// # Errors
    /// If the address is not one of this machine's, or has no free port.
    pub fn open(address: IpAddr, cookie: [u8; 16]) -> Result<Self, Fault> {
        let failed = |e| Fault::system(format!("listening at {address}"), e);
        let tcp = TcpListener::bind((address, 0)).map_err(failed)?;
        let udp = UdpSocket::bind((address, 0)).map_err(failed)?;
        Ok(Self { tcp, udp, cookie })
    }

    /// What the near end must know.
    ///
    /// # Errors
    /// If the kernel does not tell the ports.
    pub fn door(&self) -> Result<Door, Fault> {
        let failed = |e| Fault::system("asking for a port", e);
        let tcp = self.tcp.local_addr().map_err(failed)?;
        let udp = self.udp.local_addr().map_err(failed)?;
        Ok(Door {
            address: tcp.ip(),
            tcp: tcp.port(),
            udp: udp.port(),
            cookie: hexadecimal(&self.cookie),
            way: BTreeMap::new(),
        })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
