//! The end of a load that is its server: each worker answers the requests of one connection.
//!
//! Content is the same bytes at the same places of every answer, whatever calls send it; a body is taken and
//! forgotten. Like every end that only answers it goes on until the other end says that it asks no more, or is
//! gone: the clocks of two machines differ.

use std::net::TcpStream;
use std::sync::Arc;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Class, Completion, Operation, Queue, UNRECORDED, Wait};
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker, clock};
use model::trial::Window;
use model::{FactName, Value};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, sockopt};

use crate::workload::http::served::Served;
use crate::workload::net::answer_slots::AnswerSlots;
use crate::workload::net::ends::End;
use crate::workload::net::socket::{self, SocketOptions};
use crate::workload::net::stream::state::{self, State};
use crate::workload::net::worker_samples::{SampleCollector, WorkerSamples};

/// What it does: it sends content, or it takes bodies.
const SENDS: &[Class] = &[Class { name: "send", counts: true, fails: false }];
const TAKES: &[Class] = &[Class { name: "receive", counts: true, fails: false }];

/// The class of its operations, by its place there.
const MOVED: u8 = 0;

/// Bytes of one call, at most: what net.stream has.
const CALL: usize = 128 << 10;

/// A head of a request may have so many bytes.
const HEAD_MOST: usize = 64 << 10;

/// So long the other end may take nothing while an answer is under way, s: it may wait for a device that
/// takes its time.
const STALL_S: u32 = 60;

const SERVING: &str = "serving the other end";

/// The end that answers, ready.
#[derive(Debug)]
pub(in crate::workload) struct PreparedServing {
    end: End,
    options: SocketOptions,
    served: Served,
    /// Whether each connection is for one transfer.
    once: bool,
    states: Arc<SampleCollector<State>>,
}

impl PreparedServing {
    /// One that answers `end`'s other end.
    pub(in crate::workload) fn new(end: End, options: SocketOptions, served: Served, once: bool) -> Self {
        Self { end, options, served, once, states: Arc::default() }
    }
}

impl Prepared for PreparedServing {
    fn classes(&self) -> &'static [Class] {
        if self.served.is_sent() { SENDS } else { TAKES }
    }

    fn counts_from_start(&self) -> bool {
        self.once
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.options.asked().into_iter().chain(self.served.facts()).collect()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.served.facts_after()
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.served.verdict()
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        state::seen(&self.states, window, &mut seen);
        seen
    }

    fn worker(&self, worker: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        // The other end begins when its connection stands: what takes time comes first.
        let room = vec![0; CALL].into_boxed_slice();
        let stream = self.end.tcp(worker.index, &self.options)?;
        // Longer than the other end is waited for.
        sockopt::set_tcp_user_timeout(&stream, (STALL_S + 5) * 1000)
            .map_err(|e| Fault::system("setting how long a connection may be silent", e))?;
        let book = self.served.is_sent().then(|| Arc::clone(&self.states));
        Ok(Box::new(Serving::new(stream, self.served.clone(), room, book)))
    }
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its head is awaited.
    Hearing,
    /// So many bytes of its body are to come.
    Taking(u64),
    /// It is answered; so many bytes of content are to be sent.
    Answering(u64),
}

/// What one call gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// So many bytes of content or of a body moved.
    Moved(u64),
    /// Nothing did for a while.
    Nothing,
    /// The other end asks no more, or is gone.
    End,
}

/// The worker.
#[derive(Debug)]
struct Serving {
    stream: TcpStream,
    served: Served,
    /// Where what is received lies.
    room: Box<[u8]>,
    /// What came of a head that is not whole.
    head: Vec<u8>,
    phase: Phase,
    /// The head of an answer, and how many of its bytes were sent.
    out: Vec<u8>,
    out_sent: usize,
    slots: AnswerSlots,
    /// When anything moved last, ns.
    moved_ns: u64,
    track: WorkerSamples<State>,
    book: Option<Arc<SampleCollector<State>>>,
}

impl Serving {
    fn new(
        stream: TcpStream,
        served: Served,
        room: Box<[u8]>,
        book: Option<Arc<SampleCollector<State>>>,
    ) -> Self {
        Self {
            stream,
            served,
            room,
            head: Vec::new(),
            phase: Phase::Hearing,
            out: Vec::new(),
            out_sent: 0,
            slots: AnswerSlots::default(),
            moved_ns: clock::now_ns(),
            track: WorkerSamples::default(),
            book,
        }
    }

    /// One call.
    #[inline]
    fn step(&mut self) -> Result<Step, Fault> {
        match self.phase {
            Phase::Hearing => self.hear(),
            Phase::Taking(left) => self.take(left),
            Phase::Answering(left) => self.answer(left),
        }
    }

    /// Receives, of a head or of a body, at most so many bytes.
    #[inline]
    fn receive(&mut self, most: usize) -> Result<Result<usize, Step>, Fault> {
        match rustix::net::recv(&self.stream, &mut self.room[..most], RecvFlags::empty()) {
            Ok((0, _)) | Err(Errno::CONNRESET) => Ok(Err(Step::End)),
            Ok((got, _)) => Ok(Ok(got)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Err(Step::Nothing)),
            Err(e) => Err(socket::broken(SERVING, e)),
        }
    }

    fn hear(&mut self) -> Result<Step, Fault> {
        let got = match self.receive(self.room.len())? {
            Ok(got) => got,
            Err(step) => return Ok(step),
        };
        self.moved_ns = clock::now_ns();
        self.head.extend_from_slice(&self.room[..got]);
        match body_of(&self.head)? {
            Some((used, body)) => {
                let came = ((self.head.len() - used) as u64).min(body);
                self.head.clear();
                self.await_body(body - came);
                Ok(Step::Moved(came))
            }
            None => Ok(Step::Moved(0)),
        }
    }

    /// So many bytes of the body are to come.
    fn await_body(&mut self, left: u64) {
        if left > 0 {
            self.phase = Phase::Taking(left);
            return;
        }
        let bytes = self.served.bytes();
        self.out =
            format!("HTTP/1.1 200 OK\r\nServer: headroom\r\nContent-Length: {bytes}\r\n\r\n").into_bytes();
        (self.out_sent, self.phase) = (0, Phase::Answering(bytes));
    }

    #[inline]
    fn take(&mut self, left: u64) -> Result<Step, Fault> {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(self.room.len());
        match self.receive(most)? {
            Ok(got) => {
                self.moved_ns = clock::now_ns();
                self.await_body(left - got as u64);
                Ok(Step::Moved(got as u64))
            }
            Err(Step::Nothing) => self.stalled(),
            Err(step) => Ok(step),
        }
    }

    #[inline]
    fn answer(&mut self, left: u64) -> Result<Step, Fault> {
        let is_head = self.out_sent < self.out.len();
        let flags =
            if is_head && left > 0 { SendFlags::NOSIGNAL | SendFlags::MORE } else { SendFlags::NOSIGNAL };
        let sent = if is_head {
            rustix::net::send(&self.stream, &self.out[self.out_sent..], flags)
        } else {
            self.served.send(&self.stream, left, CALL)?
        };
        let sent = match sent {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => return self.look_for_end(),
            // Who has enough of an answer closes the connection, and its kernel resets it.
            Err(Errno::CONNRESET | Errno::PIPE) => return Ok(Step::End),
            Err(e) => return Err(socket::broken_on(&self.stream, SERVING, e)),
        };
        self.moved_ns = clock::now_ns();
        let (moved, left) = if is_head {
            self.out_sent += sent;
            (0, left)
        } else {
            (sent as u64, left - sent as u64)
        };
        let is_over = left == 0 && self.out_sent == self.out.len();
        self.phase = if is_over { Phase::Hearing } else { Phase::Answering(left) };
        Ok(Step::Moved(moved))
    }

    /// The socket takes no more: whether that is because the other end has enough.
    #[cold]
    fn look_for_end(&mut self) -> Result<Step, Fault> {
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        match rustix::net::recv(&self.stream, &mut self.room[..1], flags) {
            Ok((0, _)) | Err(Errno::CONNRESET) => Ok(Step::End),
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => self.stalled(),
            Err(e) => Err(socket::broken_on(&self.stream, SERVING, e)),
        }
    }

    /// Nothing moved for a while in the middle of a transfer.
    #[cold]
    fn stalled(&self) -> Result<Step, Fault> {
        let still_s = clock::now_ns().saturating_sub(self.moved_ns) / 1_000_000_000;
        if still_s <= u64::from(STALL_S) {
            return Ok(Step::Nothing);
        }
        Err(Fault::Other(format!(
            "{SERVING}, not a byte moved for {STALL_S} s: the link or the other end is gone, its program is stopped, \
             or what it reads or writes is"
        )))
    }
}

/// Bytes of the head of a request, and of the body that it announces; none if the head is not whole.
fn body_of(came: &[u8]) -> Result<Option<(usize, u64)>, Fault> {
    let wrong = |why: &str| Fault::Other(format!("what came from the other end is no request: {why}"));
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let used = match request.parse(came) {
        Ok(httparse::Status::Complete(used)) => used,
        Ok(httparse::Status::Partial) if came.len() <= HEAD_MOST => return Ok(None),
        Ok(httparse::Status::Partial) => return Err(wrong("its head does not end")),
        Err(e) => return Err(wrong(&e.to_string())),
    };
    let length = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let Some(length) = length else { return Ok(Some((used, 0))) };
    let bytes = std::str::from_utf8(length.value).ok().and_then(|text| text.trim().parse().ok());
    bytes.map(|bytes| Some((used, bytes))).ok_or_else(|| wrong("its length is no number"))
}

impl Queue for Serving {
    #[inline]
    fn depth(&self) -> usize {
        AnswerSlots::DEPTH
    }

    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        self.slots.start(slot);
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        let step = self.step()?;
        let (bytes, class) = match step {
            Step::Moved(bytes) if bytes > 0 => (bytes as usize, MOVED),
            _ => (0, UNRECORDED),
        };
        match step {
            Step::End => self.slots.over(done),
            // A body that is under way when the time is over is still acknowledged.
            _ if matches!(self.phase, Phase::Taking(_)) => self.slots.comes(bytes, class, done),
            _ if class == UNRECORDED => self.slots.nothing(done),
            _ => self.slots.answered(bytes, class, done),
        }
        if self.book.is_some() {
            state::look(&mut self.track, &self.stream, false);
        }
        Ok(())
    }

    #[inline]
    fn ended(&self) -> bool {
        self.slots.is_over()
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        if let Some(book) = &self.book {
            state::look(&mut self.track, &self.stream, true);
            book.hand_in(&mut self.track);
        }
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.stream)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::{Shutdown, TcpListener};
    use std::time::Duration;

    use super::*;
    use crate::workload::http::served::CONTENT;
    use crate::workload::http::served_file::ServedFile;

    /// A connection and the end that answers it.
    fn ends(served: Served) -> (TcpStream, Serving) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        socket::patience(&far).unwrap();
        (near, Serving::new(far, served, vec![0; CALL].into_boxed_slice(), None))
    }

    /// Content whose bytes tell their places.
    fn of_memory(bytes: u64) -> Served {
        let content: Vec<u8> = (0..CONTENT).map(|place| (place % 251) as u8).collect();
        Served::Memory { bytes, content: content.into() }
    }

    fn served(mut serving: Serving) -> std::thread::JoinHandle<(u64, Serving)> {
        std::thread::spawn(move || {
            let mut moved = 0;
            loop {
                match serving.step().unwrap() {
                    Step::Moved(bytes) => moved += bytes,
                    Step::Nothing => {}
                    Step::End => return (moved, serving),
                }
            }
        })
    }

    #[test]
    fn content_is_the_same_at_each_place_of_every_answer() {
        let bytes = 2 * CONTENT + 12_345;
        let (mut near, far) = ends(of_memory(bytes as u64));
        let far = served(far);
        for _ in 0..2 {
            near.write_all(b"GET / HTTP/1.1\r\nHost: peer\r\n\r\n").unwrap();
            let head = b"HTTP/1.1 200 OK\r\nServer: headroom\r\nContent-Length: 2109497\r\n\r\n";
            let mut got = vec![0; head.len() + bytes];
            near.read_exact(&mut got).unwrap();
            assert_eq!(&got[..head.len()], head);
            let sound = |(place, byte): (usize, &u8)| *byte == (place % CONTENT % 251) as u8;
            assert!(got[head.len()..].iter().enumerate().all(sound));
        }
        near.shutdown(Shutdown::Write).unwrap();
        assert_eq!(far.join().unwrap().0, 2 * bytes as u64);
    }

    #[test]
    fn a_file_is_every_answer_until_it_is_shorter() {
        let content: Vec<u8> = (0..300_007_u32).map(|place| (place % 251) as u8).collect();
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&content).unwrap();
        let path = file.path().to_str().unwrap();
        let (mut near, far) = ends(Served::File(ServedFile::open(path).unwrap()));
        let far = served(far);
        let head = b"HTTP/1.1 200 OK\r\nServer: headroom\r\nContent-Length: 300007\r\n\r\n";
        for _ in 0..2 {
            near.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
            let mut got = vec![0; head.len() + content.len()];
            near.read_exact(&mut got).unwrap();
            assert!(got.starts_with(head) && got[head.len()..] == content);
        }
        near.shutdown(Shutdown::Write).unwrap();
        assert_eq!(far.join().unwrap().0, 600_014);
        let (mut near, mut far) = ends(Served::File(ServedFile::open(path).unwrap()));
        file.as_file().set_len(10).unwrap();
        near.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let fault = (0..100).find_map(|_| far.step().err()).unwrap().to_string();
        assert!(fault.contains("became shorter while it was sent") && fault.contains("10"), "{fault}");
    }

    #[test]
    fn bodies_are_taken_whole_before_they_are_answered() {
        let (mut near, far) = ends(Served::Bodies);
        let far = served(far);
        // With the head, in parts, and none.
        let bodies: [&[&[u8]]; 3] = [&[b"abc"], &[b"a", b"bc"], &[b"", b"abc"]];
        for parts in bodies {
            near.write_all(b"PUT / HTTP/1.1\r\ncontent-length: 3\r\n\r\n").unwrap();
            let (last, before) = parts.split_last().unwrap();
            for part in before {
                near.write_all(part).unwrap();
            }
            // Nothing comes before the last byte was sent.
            near.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            let early = near.read(&mut [0]).map_err(|e| e.kind());
            assert_eq!(early, Err(ErrorKind::WouldBlock), "{parts:?}");
            near.set_read_timeout(None).unwrap();
            near.write_all(last).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\nServer: headroom\r\nContent-Length: 0\r\n\r\n";
            let mut got = vec![0; answer.len()];
            near.read_exact(&mut got).unwrap();
            assert_eq!(got, answer);
        }
        drop(near);
        assert_eq!(far.join().unwrap().0, 9);
    }

    #[test]
    fn who_has_enough_in_the_middle_of_an_answer_ends_it() {
        for is_orderly in [true, false] {
            let (mut near, far) = ends(of_memory(1 << 50));
            let far = served(far);
            near.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
            near.read_exact(&mut [0; 100_000]).unwrap();
            if is_orderly {
                near.shutdown(Shutdown::Write).unwrap();
            } else {
                drop(near);
            }
            let (moved, serving) = far.join().unwrap();
            assert!(moved > 50_000 && matches!(serving.phase, Phase::Answering(_)));
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for (came, why) in [
            (b"\x01\x02\r\n\r\n".to_vec(), "no request"),
            (b"PUT / HTTP/1.1\r\nContent-Length: many\r\n\r\n".to_vec(), "no number"),
            ([b"GET /".to_vec(), vec![b'a'; HEAD_MOST]].concat(), "does not end"),
        ] {
            let fault = body_of(&came).unwrap_err().to_string();
            assert!(fault.contains(why), "{fault}");
        }
        assert_eq!(body_of(b"GET / HTTP/1.1\r\nHost").unwrap(), None);
        assert_eq!(body_of(b"GET / HTTP/1.1\r\n\r\n").unwrap(), Some((18, 0)));
    }
}
