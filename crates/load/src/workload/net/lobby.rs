//! Who comes through the door: one thread takes connections in, hears what they
//! say first and keeps those that know the cookie until their worker asks for
//! them.
//!
//! It waits for all of them at once, so that one that is slow or says nothing
//! holds up nobody. Who does not know the cookie gets nothing, not a byte, and is
//! shut out after [`HEARING`] at the latest.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::engine::clock;
use crate::engine::fault::Fault;
use crate::workload::net::hello::{self, COOKIE, HELLO, Place, WELCOME};
use crate::workload::net::path;

/// How long a connection may take to say who it is.
pub(super) const HEARING: Duration = Duration::from_secs(2);

/// How many connections may be heard at once: the oldest goes when there are
/// more, so that strangers who fill the place hold it for a moment only.
const HEARD_AT_ONCE: usize = 256;

/// How many guests may wait for their workers: more seats than any load has.
const GUESTS_MOST: usize = 8192;

/// How long the far end's worker waits for its guest: longer than the near end
/// tries, for its other loads may have to be made ready first.
pub(super) const AWAITED: Duration = Duration::from_secs(15);

/// Those who were let in and not yet fetched.
#[derive(Debug)]
pub(super) struct Lobby {
    /// What must be said.
    pub(super) cookie: [u8; COOKIE],
    /// Where connections are taken, to be named where none comes.
    tcp: SocketAddr,
    /// The same of datagrams.
    udp: SocketAddr,
    guests: Mutex<Guests>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct Guests {
    tcp: BTreeMap<Place, TcpStream>,
    udp: BTreeMap<Place, Seated>,
}

/// A UDP socket that was made for one worker.
#[derive(Debug)]
struct Seated {
    /// Who it talks to, and its own port: a hello that is said again gets the
    /// same answer.
    peer: SocketAddr,
    port: u16,
    /// Until it is fetched.
    socket: Option<UdpSocket>,
}

impl Lobby {
    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for whom `take` finds.
    fn wait<T>(
        &self,
        place: Place,
        (protocol, at): (&str, SocketAddr),
        take: impl Fn(&mut Guests) -> Option<T>,
    ) -> Result<T, Fault> {
        let until = Instant::now() + AWAITED;
        let mut guests = self.guests();
        loop {
            if let Some(found) = take(&mut guests) {
                return Ok(found);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::Other(format!(
                    "worker {} of the other end did not come to {at} ({protocol}) within {} s: does a firewall keep \
                     it out?",
                    place.seat,
                    AWAITED.as_secs()
                )));
            }
            guests = self.came.wait_timeout(guests, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The connection for the worker at `place`, not yet answered.
    ///
    /// # Errors
    /// If it does not come within [`AWAITED`].
    pub(super) fn tcp(&self, place: Place) -> Result<TcpStream, Fault> {
        self.wait(place, ("TCP", self.tcp), |guests| guests.tcp.remove(&place))
    }

    /// The socket for the worker at `place`, connected, its hello not yet heard.
    ///
    /// # Errors
    /// If nobody asks for one within [`AWAITED`].
    pub(super) fn udp(&self, place: Place) -> Result<UdpSocket, Fault> {
        self.wait(place, ("UDP", self.udp), |guests| guests.udp.get_mut(&place)?.socket.take())
    }
}

/// The thread at the door; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Porter {
    lobby: Arc<Lobby>,
    leave: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Porter {
    /// Begins to take in who comes to these sockets and knows `cookie`.
    ///
    /// # Errors
    /// If there is no thread or descriptor for it.
    pub(super) fn begin(tcp: TcpListener, udp: UdpSocket, cookie: [u8; COOKIE]) -> Result<Self, Fault> {
        let failed = |e: std::io::Error| Fault::system("waiting at the door", e);
        tcp.set_nonblocking(true).map_err(failed)?;
        udp.set_nonblocking(true).map_err(failed)?;
        let leave = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| failed(e.into()))?);
        let (at, datagrams) = (tcp.local_addr().map_err(failed)?, udp.local_addr().map_err(failed)?);
        let (guests, came) = (Mutex::default(), Condvar::new());
        let lobby = Arc::new(Lobby { cookie, tcp: at, udp: datagrams, guests, came });
        let (their_lobby, their_leave) = (Arc::clone(&lobby), Arc::clone(&leave));
        let work = move || {
            let mut shift = Shift { tcp, udp, lobby: their_lobby, strangers: Vec::new() };
            while shift.attend(&their_leave) {}
        };
        let thread = std::thread::Builder::new().name("door".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { lobby, leave, thread: Some(thread) })
    }

    /// Where its guests wait.
    pub(super) fn lobby(&self) -> Arc<Lobby> {
        Arc::clone(&self.lobby)
    }
}

impl Drop for Porter {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.leave, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A connection of which nobody knows yet who it is.
#[derive(Debug)]
struct Stranger {
    stream: TcpStream,
    said: [u8; HELLO],
    got: usize,
    until: Instant,
}

/// The longest datagram.
const DATAGRAM_MOST: usize = 65_536;

/// Whether a datagram asks how long it is, and may.
fn is_probe(cookie: &[u8; COOKIE], said: &[u8]) -> bool {
    let (Some(head), Some(mark)) = (said.first_chunk::<COOKIE>(), said.get(COOKIE..HELLO)) else {
        return false;
    };
    mark == path::MARK && hello::is_same(cookie, head)
}

/// What the porter works with.
#[derive(Debug)]
struct Shift {
    tcp: TcpListener,
    udp: UdpSocket,
    lobby: Arc<Lobby>,
    strangers: Vec<Stranger>,
}

impl Shift {
    /// Waits for something to do and does it; whether to go on.
    fn attend(&mut self, leave: &OwnedFd) -> bool {
        let Some([leaves, comes, says]) = self.wait(leave) else {
            // Poll fails only where there is no memory: not so fast again.
            std::thread::sleep(Duration::from_millis(10));
            return true;
        };
        if leaves {
            return false;
        }
        if comes {
            self.take_in();
        }
        self.hear();
        if says {
            self.hear_datagrams();
        }
        true
    }

    /// Which of the three have something: the sign to leave, the listener, the
    /// UDP socket.
    fn wait(&self, leave: &OwnedFd) -> Option<[bool; 3]> {
        let mut fds = vec![
            PollFd::new(leave, PollFlags::IN),
            PollFd::new(&self.tcp, PollFlags::IN),
            PollFd::new(&self.udp, PollFlags::IN),
        ];
        fds.extend(self.strangers.iter().map(|s| PollFd::new(&s.stream, PollFlags::IN)));
        let now = Instant::now();
        let first = self.strangers.iter().map(|s| s.until).min();
        let pause =
            first.map(|until| clock::timespec(until.saturating_duration_since(now).as_nanos() as u64));
        match poll(&mut fds, pause.as_ref()) {
            Ok(_) => Some([0, 1, 2].map(|i| !fds[i].revents().is_empty())),
            Err(rustix::io::Errno::INTR) => Some([false; 3]),
            Err(_) => None,
        }
    }

    fn take_in(&mut self) {
        for _ in 0..HEARD_AT_ONCE {
            match self.tcp.accept() {
                Ok((stream, _)) => {
                    if stream.set_nonblocking(true).is_err() {
                        continue;
                    }
                    if self.strangers.len() >= HEARD_AT_ONCE {
                        self.strangers.remove(0);
                    }
                    let until = Instant::now() + HEARING;
                    self.strangers.push(Stranger { stream, said: [0; HELLO], got: 0, until });
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // One that was gone again, or no descriptor left: strangers go.
                Err(_) => {
                    if !self.strangers.is_empty() {
                        self.strangers.remove(0);
                    }
                    return;
                }
            }
        }
    }

    /// Reads what strangers say; lets in, shuts out, or waits on.
    fn hear(&mut self) {
        let now = Instant::now();
        for mut stranger in std::mem::take(&mut self.strangers) {
            let Stranger { stream, said, got, until } = &mut stranger;
            match stream.read(&mut said[*got..]) {
                Ok(0) => continue,
                Ok(more) => *got += more,
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => continue,
            }
            if *got == HELLO {
                if let Some(place) = hello::read(&self.lobby.cookie, said) {
                    self.admit(place, stranger.stream);
                }
            } else if now < *until {
                self.strangers.push(stranger);
            }
        }
    }

    fn admit(&self, place: Place, stream: TcpStream) {
        let mut guests = self.lobby.guests();
        if stream.set_nonblocking(false).is_ok() && guests.tcp.len() < GUESTS_MOST {
            guests.tcp.insert(place, stream);
            self.lobby.came.notify_all();
        }
    }

    fn hear_datagrams(&self) {
        let mut said = vec![0; DATAGRAM_MOST];
        for _ in 0..HEARD_AT_ONCE {
            match self.udp.recv_from(&mut said) {
                Ok((length, from)) if is_probe(&self.lobby.cookie, &said[..length]) => {
                    let _ = self.udp.send_to(&path::answer(length), from);
                }
                Ok((HELLO, from)) => {
                    let Some(said) = said.first_chunk() else { continue };
                    if let Some(place) = hello::read(&self.lobby.cookie, said) {
                        self.seat(place, from);
                    }
                }
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // A refusal of an answer, which concerns one peer.
                Err(_) => {}
            }
        }
    }

    /// Gives the worker at `place` a socket towards `from`, and tells its port.
    fn seat(&self, place: Place, from: SocketAddr) {
        let mut guests = self.lobby.guests();
        let known = guests.udp.get(&place).filter(|seated| seated.peer == from).map(|seated| seated.port);
        let is_full = guests.udp.len() >= GUESTS_MOST;
        let port = known.or_else(|| {
            let local = self.udp.local_addr().ok().filter(|_| !is_full)?;
            let socket = UdpSocket::bind((local.ip(), 0)).ok()?;
            socket.connect(from).ok()?;
            let port = socket.local_addr().ok()?.port();
            guests.udp.insert(place, Seated { peer: from, port, socket: Some(socket) });
            self.lobby.came.notify_all();
            Some(port)
        });
        if let Some(port) = port {
            let [high, low] = port.to_be_bytes();
            let _ = self.udp.send_to(&[WELCOME, high, low], from);
        }
    }
}
