//! What a client of iperf3 says, to a server that listens: a cookie, and after it
//! bytes in pieces. The server answers or hangs up, and goes on.
#![no_main]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use agent::iperf3::{Caps, Iperf3Options, Iperf3Server};
use libfuzzer_sys::fuzz_target;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with, sockopt};

static STOP: AtomicBool = AtomicBool::new(false);

/// The server, from the first input on.
fn server() -> SocketAddr {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    *SERVER.get_or_init(|| {
        let mut options = Iperf3Options::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let patience = Duration::from_millis(20);
        options.caps = Caps { patience, seconds: 1, streams: 8, memory_bytes: 16 << 20, ..Caps::default() };
        let server = Iperf3Server::open(options).expect("there is a port");
        let address = server.address();
        std::thread::spawn(move || server.serve(&STOP));
        address
    })
}

/// Dials from one of many addresses, so that ports do not run out.
fn dial(to: SocketAddr) -> std::io::Result<TcpStream> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let from = Ipv4Addr::from(0x7f01_0001 + number % 4096);
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    bind(&socket, &SocketAddr::from((from, 0)))?;
    connect(&socket, &to)?;
    // Closed without a wait.
    sockopt::set_socket_linger(&socket, Some(Duration::ZERO))?;
    Ok(socket.into())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, rest)) = bytes.split_first() else { return };
    let to = server();
    // A signal, of libFuzzer's clock, may come between.
    let Ok(mut stream) = dial(to) else { return };
    let _ = stream.set_read_timeout(Some(Duration::from_millis(2)));
    let _ = stream.set_write_timeout(Some(Duration::from_millis(50)));
    let mut some = [0; 256];
    // As a client: a cookie, the word to send parameters, and those.
    let _ = stream.write_all(b"abcdefghijklmnopqrstuvwxyz0123456789\0");
    let _ = stream.read(&mut some);
    for piece in rest.chunks(usize::from(*cut).max(1) * 16) {
        if stream.write_all(piece).is_err() {
            break;
        }
        let _ = stream.read(&mut some);
    }
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
    while stream.read(&mut some).is_ok_and(|count| count > 0) {}
});
