//! What TCP carries within this machine: what its network code can do at most,
//! with no wire in the way.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::Fault;
use model::machine::Calibration;
use model::{Quantity, Resource, ResourceKind, Unit};

/// How long the stream runs before it counts, and while it does.
const WARM_UP: Duration = Duration::from_millis(50);
const WINDOW: Duration = Duration::from_millis(200);
/// Bytes of one call.
const CHUNK: usize = 128 << 10;
/// No peer within this machine takes longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends one stream to ourselves for a quarter of a second. The listener takes
/// one connection, ours: another that came first is turned away.
///
/// # Errors
/// If there is no loopback, or the person asked to stop.
pub(crate) fn measure(cancel: &AtomicBool) -> Result<Calibration, Fault> {
    let fault = |what: &'static str| move |e| Fault::system(what, e);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(fault("listening on loopback"))?;
    let address = listener.local_addr().map_err(fault("listening on loopback"))?;
    let mut sender =
        TcpStream::connect_timeout(&address, PATIENCE).map_err(fault("connecting to loopback"))?;
    let own = sender.local_addr().map_err(fault("connecting to loopback"))?;
    let mut receiver = accept_own(&listener, own)?;
    drop(listener);
    for stream in [&sender, &receiver] {
        stream.set_read_timeout(Some(PATIENCE)).map_err(fault("setting up a socket"))?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(fault("setting up a socket"))?;
    }
    let stop = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || cancel.load(Ordering::Relaxed);
    let received = std::thread::scope(|scope| {
        std::thread::Builder::new().spawn_scoped(scope, || {
            let chunk = vec![0u8; CHUNK];
            while !stopped() && sender.write_all(&chunk).is_ok() {}
            let _ = sender.shutdown(std::net::Shutdown::Both);
        })?;
        let received = receive(&mut receiver, &stopped);
        stop.store(true, Ordering::Relaxed);
        // The sender may wait for room.
        let _ = receiver.shutdown(std::net::Shutdown::Both);
        received
    });
    if cancel.load(Ordering::Relaxed) {
        return Err(Fault::Cancelled);
    }
    let (bytes, seconds) = received.map_err(fault("receiving over loopback"))?;
    Ok(Calibration {
        name: "loopback".to_owned(),
        result: Quantity { value: bytes as f64 / seconds, unit: Unit::BytesPerSecond },
        method: "one TCP stream over loopback in calls of 128 KiB, 0.2 s, what the receiver got".to_owned(),
        limit_of: Some(Resource::of(ResourceKind::Nic, "lo")),
    })
}

fn accept_own(listener: &TcpListener, own: SocketAddr) -> Result<TcpStream, Fault> {
    listener.set_nonblocking(true).map_err(|e| Fault::system("listening on loopback", e))?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        match listener.accept() {
            Ok((stream, peer)) if peer == own => {
                stream.set_nonblocking(false).map_err(|e| Fault::system("setting up a socket", e))?;
                return Ok(stream);
            }
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(1)),
            Err(e) => return Err(Fault::system("accepting on loopback", e)),
        }
    }
    Err(Fault::Other("loopback did not connect".to_owned()))
}

/// Bytes received after the warm-up, and the seconds that took.
fn receive(stream: &mut TcpStream, stopped: &dyn Fn() -> bool) -> std::io::Result<(u64, f64)> {
    let mut chunk = vec![0u8; CHUNK];
    let begin = Instant::now();
    let mut counted: Option<(Instant, u64)> = None;
    while !stopped() {
        let got = stream.read(&mut chunk)? as u64;
        if got == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let now = Instant::now();
        match &mut counted {
            None if now - begin >= WARM_UP => counted = Some((now, 0)),
            None => {}
            Some((since, bytes)) => {
                *bytes += got;
                let seconds = (now - *since).as_secs_f64();
                if seconds >= WINDOW.as_secs_f64() {
                    return Ok((*bytes, seconds));
                }
            }
        }
    }
    Err(ErrorKind::Interrupted.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_carries_something_and_a_cancel_ends_it() {
        let found = measure(&AtomicBool::new(false)).unwrap();
        assert!(found.result.value > 0.0, "{found:?}");
        assert_eq!(found.limit_of, Some(Resource::of(ResourceKind::Nic, "lo")));
        assert!(matches!(measure(&AtomicBool::new(true)), Err(Fault::Cancelled)));
    }
}
