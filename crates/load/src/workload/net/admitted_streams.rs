//! Who comes through the rendezvous address: one thread takes connections in, hears what they
//! say first and keeps those that know the cookie until their worker asks for
//! them.
//!
//! It waits for all of them at once, so that one that is slow or says nothing
//! holds up nobody. Who does not know the cookie gets nothing, not a byte, and is
//! shut out after [`HEARING`] at the latest.
//!
//! Whoever connected has proved its address by TCP's handshake. Who sent a datagram
//! has not: it may be anybody, in the name of a third. So the answer to a hello over
//! UDP has a word for that worker alone, and no more bytes than the hello had; only who
//! says that word to the worker's own port is its guest.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::clock;
use engine::fault::Fault;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::workload::net::crowd;
use crate::workload::net::hello::{self, COOKIE, HELLO, WorkerSlot};
use crate::workload::net::path;

/// How long a connection may take to say who it is.
pub(super) const HEARING: Duration = Duration::from_secs(2);

/// How many connections may be heard at once: when there are more, one goes
/// ([`crowd::gives_way`]).
const HEARD_AT_ONCE: usize = 256;

/// How many guests may wait for their workers: more workers than any load has.
const GUESTS_MOST: usize = 8192;

/// How long the far end's worker waits for its guest: longer than the near end
/// tries, for its other loads may have to be made ready first.
pub(super) const AWAITED: Duration = Duration::from_secs(15);

/// Those who were let in and not yet fetched.
#[derive(Debug)]
pub(super) struct AdmittedStreams {
    /// What must be said.
    pub(super) cookie: [u8; COOKIE],
    /// Where connections are taken, to be named where none comes.
    pub(super) tcp: SocketAddr,
    /// The same of datagrams.
    pub(super) udp: SocketAddr,
    guests: Mutex<Guests>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct Guests {
    tcp: BTreeMap<WorkerSlot, TcpStream>,
    udp: BTreeMap<WorkerSlot, Seated>,
}

/// A UDP socket that was made for one worker.
#[derive(Debug)]
struct Seated {
    /// Who it talks to, and its own port: a hello that is said again gets the
    /// same answer.
    peer: SocketAddr,
    port: u16,
    /// What must be said to that port: sent to `peer`, so that only who receives
    /// there knows it.
    word: [u8; COOKIE],
    /// Until it is fetched.
    socket: Option<UdpSocket>,
}

impl AdmittedStreams {
    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for whom `take` finds.
    fn wait<T>(
        &self,
        place: WorkerSlot,
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
                    place.worker,
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
    pub(super) fn tcp(&self, place: WorkerSlot) -> Result<TcpStream, Fault> {
        self.wait(place, ("TCP", self.tcp), |guests| guests.tcp.remove(&place))
    }

    /// The socket for the worker at `place`, connected, and the word that must be
    /// said to it before it is used.
    ///
    /// # Errors
    /// If nobody asks for one within [`AWAITED`].
    pub(super) fn udp(&self, place: WorkerSlot) -> Result<(UdpSocket, [u8; COOKIE]), Fault> {
        self.wait(place, ("UDP", self.udp), |guests| {
            let seated = guests.udp.get_mut(&place)?;
            Some((seated.socket.take()?, seated.word))
        })
    }
}

/// The thread at the rendezvous address; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct AcceptThread {
    admitted: Arc<AdmittedStreams>,
    leave: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl AcceptThread {
    /// Begins to take in who comes to these sockets and knows `cookie`.
    pub(super) fn begin(tcp: TcpListener, udp: UdpSocket, cookie: [u8; COOKIE]) -> Result<Self, Fault> {
        let failed = |e: std::io::Error| Fault::system("waiting for connections", e);
        tcp.set_nonblocking(true).map_err(failed)?;
        udp.set_nonblocking(true).map_err(failed)?;
        let leave = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| failed(e.into()))?);
        let (at, datagrams) = (tcp.local_addr().map_err(failed)?, udp.local_addr().map_err(failed)?);
        let (guests, came) = (Mutex::default(), Condvar::new());
        let admitted = Arc::new(AdmittedStreams { cookie, tcp: at, udp: datagrams, guests, came });
        let (their_admitted, their_leave) = (Arc::clone(&admitted), Arc::clone(&leave));
        let work = move || {
            let mut run = WorkerRun { tcp, udp, admitted: their_admitted, strangers: Vec::new() };
            while run.attend(&their_leave) {}
        };
        let thread = std::thread::Builder::new().name("accept".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { admitted, leave, thread: Some(thread) })
    }

    /// Where its guests wait.
    pub(super) fn admitted(&self) -> Arc<AdmittedStreams> {
        Arc::clone(&self.admitted)
    }
}

impl Drop for AcceptThread {
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
    /// The network that it came from.
    from: IpAddr,
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

/// What the accept thread works with.
#[derive(Debug)]
struct WorkerRun {
    tcp: TcpListener,
    udp: UdpSocket,
    admitted: Arc<AdmittedStreams>,
    strangers: Vec<Stranger>,
}

impl WorkerRun {
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
                Ok((stream, from)) => {
                    if stream.set_nonblocking(true).is_err() {
                        continue;
                    }
                    let (from, until) = (crowd::network(from.ip()), Instant::now() + HEARING);
                    self.strangers.push(Stranger { stream, from, said: [0; HELLO], got: 0, until });
                    if self.strangers.len() > HEARD_AT_ONCE {
                        self.show_one_out();
                    }
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // One that was gone again, or no descriptor left: strangers go.
                Err(_) => return self.show_one_out(),
            }
        }
    }

    fn show_one_out(&mut self) {
        let networks: Vec<IpAddr> = self.strangers.iter().map(|s| s.from).collect();
        if let Some(at) = crowd::gives_way(&networks) {
            self.strangers.remove(at);
        }
    }

    /// Reads what strangers say; lets in, shuts out, or waits on.
    fn hear(&mut self) {
        let now = Instant::now();
        for mut stranger in std::mem::take(&mut self.strangers) {
            let Stranger { stream, said, got, until, .. } = &mut stranger;
            match stream.read(&mut said[*got..]) {
                Ok(0) => continue,
                Ok(more) => *got += more,
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => continue,
            }
            if *got == HELLO {
                if let Some(place) = hello::read(&self.admitted.cookie, said) {
                    self.admit(place, stranger.stream);
                }
            } else if now < *until {
                self.strangers.push(stranger);
            }
        }
    }

    fn admit(&self, place: WorkerSlot, stream: TcpStream) {
        let mut guests = self.admitted.guests();
        if stream.set_nonblocking(false).is_ok() && guests.tcp.len() < GUESTS_MOST {
            guests.tcp.insert(place, stream);
            self.admitted.came.notify_all();
        }
    }

    fn hear_datagrams(&self) {
        let mut said = vec![0; DATAGRAM_MOST];
        for _ in 0..HEARD_AT_ONCE {
            match self.udp.recv_from(&mut said) {
                Ok((length, from)) if is_probe(&self.admitted.cookie, &said[..length]) => {
                    let _ = self.udp.send_to(&path::answer(length), from);
                }
                Ok((HELLO, from)) => {
                    let Some(said) = said.first_chunk() else { continue };
                    if let Some(place) = hello::read(&self.admitted.cookie, said) {
                        self.worker(place, from);
                    }
                }
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // A refusal of an answer, which concerns one peer.
                Err(_) => {}
            }
        }
    }

    /// Gives the worker at `place` a socket towards `from`, and tells there its port
    /// and what must be said to it.
    fn worker(&self, place: WorkerSlot, from: SocketAddr) {
        let mut guests = self.admitted.guests();
        let known = guests.udp.get(&place).filter(|seated| seated.peer == from);
        let known = known.map(|seated| (seated.port, seated.word));
        let is_full = guests.udp.len() >= GUESTS_MOST;
        let told = known.or_else(|| {
            let local = self.udp.local_addr().ok().filter(|_| !is_full)?;
            let socket = UdpSocket::bind((local.ip(), 0)).ok()?;
            socket.connect(from).ok()?;
            let port = socket.local_addr().ok()?.port();
            let mut word = [0; COOKIE];
            rustix::rand::getrandom(&mut word, rustix::rand::GetRandomFlags::empty()).ok()?;
            guests.udp.insert(place, Seated { peer: from, port, word, socket: Some(socket) });
            self.admitted.came.notify_all();
            Some((port, word))
        });
        if let Some((port, word)) = told {
            let _ = self.udp.send_to(&hello::seated(port, &word), from);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::Ipv4Addr;

    use super::*;

    const OURS: [u8; COOKIE] = *b"a cookie of ours";
    const PLACE: WorkerSlot = WorkerSlot { load: 0, worker: 3 };

    fn accept_thread() -> AcceptThread {
        let here = (Ipv4Addr::LOCALHOST, 0);
        AcceptThread::begin(TcpListener::bind(here).unwrap(), UdpSocket::bind(here).unwrap(), OURS).unwrap()
    }

    /// A connection from an address of the loopback.
    fn from(address: [u8; 4], to: SocketAddr) -> TcpStream {
        use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddr::new(address.into(), 0)).unwrap();
        connect(&socket, &to).unwrap();
        TcpStream::from(socket)
    }

    /// Bug: the oldest connection went when there were too many, whoever it was;
    /// and the other end, a round trip away, is soon the oldest.
    #[test]
    fn strangers_who_crowd_a_door_do_not_drive_out_the_other_end() {
        // Nobody else attends to this rendezvous address, so that nothing here depends on how fast it
        // goes.
        let here = (Ipv4Addr::LOCALHOST, 0);
        let (tcp, udp) = (TcpListener::bind(here).unwrap(), UdpSocket::bind(here).unwrap());
        tcp.set_nonblocking(true).unwrap();
        let at = tcp.local_addr().unwrap();
        let admitted = AdmittedStreams {
            cookie: OURS,
            tcp: at,
            udp: udp.local_addr().unwrap(),
            guests: Mutex::default(),
            came: Condvar::new(),
        };
        let mut run = WorkerRun { tcp, udp, admitted: Arc::new(admitted), strangers: Vec::new() };
        let mut ours = from([127, 0, 0, 1], at);
        run.take_in();
        let crowd: Vec<_> = (0..HEARD_AT_ONCE + 40)
            .map(|_| {
                let stranger = from([127, 0, 0, 2], at);
                run.take_in();
                stranger
            })
            .collect();
        assert_eq!(run.strangers.len(), HEARD_AT_ONCE);
        ours.write_all(&hello::written(&OURS, PLACE)).unwrap();
        run.hear();
        assert_eq!(run.admitted.tcp(PLACE).unwrap().peer_addr().unwrap(), ours.local_addr().unwrap());
        drop(crowd);
    }

    fn told(socket: &UdpSocket) -> Option<Vec<u8>> {
        let mut answer = [0; 64];
        socket.recv(&mut answer).ok().map(|got| answer[..got].to_vec())
    }

    /// Bug: who knew the cookie said hello in the name of an address that never
    /// asked for anything, and the load was sent there.
    #[test]
    fn an_address_that_does_not_say_what_was_sent_to_it_gets_no_data() {
        let accept_thread = accept_thread();
        let admitted = accept_thread.admitted();
        // Another machine sends these in its name, and knows the cookie.
        let victim = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        victim.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let known = hello::written(&OURS, PLACE);
        victim.send_to(&known, admitted.udp).unwrap();
        let worker = told(&victim).unwrap();
        assert!(worker.len() <= HELLO, "it is sent more than was said in its name: {worker:?}");
        let port = u16::from_be_bytes([worker[1], worker[2]]);
        let (socket, word) = admitted.udp(PLACE).unwrap();
        let hello = hello::written(&word, PLACE);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| hello::answer_udp(&socket, &hello));
            // Ports are soon guessed, words of 128 bits are not.
            let at = (Ipv4Addr::LOCALHOST, port);
            for guess in [known, [0; HELLO], hello.map(|byte| byte ^ 1)] {
                victim.send_to(&guess, at).unwrap();
                assert_eq!(told(&victim), None);
            }
            assert!(!waits.is_finished());
            // It says what it heard, so it hears.
            let heard: [u8; COOKIE] = *worker.last_chunk().unwrap();
            victim.send_to(&hello::written(&heard, PLACE), at).unwrap();
            assert_eq!(told(&victim).as_deref(), Some(&hello::welcome(&hello)[..]));
            waits.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_hello_that_comes_again_gets_the_same_answer_and_each_address_its_own() {
        let accept_thread = accept_thread();
        let admitted = accept_thread.admitted();
        let [one, two] = [0; 2].map(|_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let ask = |socket: &UdpSocket| {
            socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            socket.send_to(&hello::written(&OURS, PLACE), admitted.udp).unwrap();
            told(socket).unwrap()
        };
        let first = ask(&one);
        assert_eq!(ask(&one), first);
        assert_ne!(ask(&two)[3..], first[3..]);
    }
}
