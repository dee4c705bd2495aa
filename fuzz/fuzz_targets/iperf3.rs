//! What a client of iperf3 says, to a server that listens: a cookie, parameters with
//! their length, a stream if there is to be one, and then bytes in pieces. The server
//! answers or hangs up, and goes on.
#![cfg_attr(feature = "libfuzzer", no_main)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use agent::iperf3::{Iperf3Options, Iperf3Server, ServerLimits};
use libfuzzer_sys::fuzz_target;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with, sockopt};

static STOP: AtomicBool = AtomicBool::new(false);

/// The server, from the first input on.
fn server() -> SocketAddr {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    *SERVER.get_or_init(|| {
        let mut options = Iperf3Options::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let patience = Duration::from_millis(20);
        options.caps = ServerLimits {
            patience,
            seconds: 1,
            streams: 8,
            memory_bytes: 16 << 20,
            ..ServerLimits::default()
        };
        let server = Iperf3Server::open(options).expect("there is a port");
        let address = server.address();
        std::thread::spawn(move || server.serve(&STOP));
        address
    })
}

/// Dials from one of many addresses, so that ports do not run out. Absent if a
/// signal, of libFuzzer's clock, came between.
fn dial(number: u32) -> Option<TcpStream> {
    let from = Ipv4Addr::from(0x7f01_0001 + number % 4096);
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None).ok()?;
    bind(&socket, &SocketAddr::from((from, 0))).ok()?;
    match connect(&socket, &server()) {
        Ok(()) => {}
        Err(Errno::INTR | Errno::ADDRNOTAVAIL) => return None,
        Err(e) => panic!("the server is gone: {e}"),
    }
    // Closed without a wait.
    sockopt::set_socket_linger(&socket, Some(Duration::ZERO)).ok()?;
    let stream: TcpStream = socket.into();
    stream.set_write_timeout(Some(Duration::from_millis(50))).ok()?;
    stream.set_read_timeout(Some(Duration::from_millis(2))).ok()?;
    Some(stream)
}

/// The first message: a length and so many bytes.
fn message(rest: &[u8]) -> &[u8] {
    let length = rest.first_chunk::<4>().map_or(0, |head| u32::from_be_bytes(*head) as usize);
    rest.get(..length.saturating_add(4)).unwrap_or(rest)
}

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let Some((cut, rest)) = bytes.split_first() else { return };
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let cookie = format!("{number:036}\0");
    let Some(mut control) = dial(number) else { return };
    let mut some = [0; 256];
    // A write that fails is an answer, too.
    let _ = control.write_all(cookie.as_bytes());
    let _ = control.read(&mut some);
    let parameters = message(rest);
    let _ = control.write_all(parameters);
    // It may ask for streams now.
    let asked = control.read(&mut some).map_or(0, |count| count);
    let mut stream = if asked > 0 { dial(number) } else { None };
    if let Some(stream) = &mut stream {
        let _ = stream.write_all(cookie.as_bytes());
        let _ = control.read(&mut some);
    }
    let after = &rest[parameters.len()..];
    for piece in after.chunks(usize::from(*cut).max(1) * 16) {
        if let Some(stream) = &mut stream {
            let _ = stream.write_all(piece);
        }
        if control.write_all(piece).is_err() {
            break;
        }
        let _ = control.read(&mut some);
    }
    let _ = control.shutdown(Shutdown::Write);
    let _ = control.set_read_timeout(Some(Duration::from_millis(20)));
    while control.read(&mut some).is_ok_and(|count| count > 0) {}
});
