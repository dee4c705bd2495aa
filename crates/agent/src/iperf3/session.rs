//! One test of one client, from its parameters to its results.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::clock;
use model::trial::Window;

use crate::iperf3::server::Iperf3Options;
use crate::iperf3::socket;
use crate::iperf3::stream::{Stream, StreamBarrier, StreamCounts};
use crate::iperf3::test_registry::TestSlot;
use crate::iperf3::wire::control_protocol::{ControlConnection, RefusalCode, State};
use crate::iperf3::wire::parameters::{Parameters, Results, StreamResult, stream_id};

/// Without a byte for so long, the client is gone.
const IDLE: Duration = Duration::from_secs(30);
/// How much longer than it said a client may take.
const GRACE_S: u64 = 10;
/// How often a session looks around.
const LOOK: Duration = Duration::from_millis(50);
/// What is on the way is awaited until nothing came for so long, where the client
/// said how much it sent ...
const QUIET: Duration = Duration::from_secs(1);
/// ... and where that is not known, or may be lost.
const QUIET_UNSURE: Duration = Duration::from_millis(100);
/// In all.
const DRAIN_MOST: Duration = Duration::from_secs(10);

/// Bytes of parameters, at most: titles are free text.
const PARAMETERS_MOST: usize = 64 << 10;
/// Bytes of results, at most: some 300 for each stream.
const RESULTS_MOST: usize = 256 << 10;

pub(crate) struct Iperf3Test<'a> {
    pub(crate) control: ControlConnection,
    pub(crate) place: TestSlot<'a>,
    pub(crate) options: &'a Iperf3Options,
    pub(crate) stop: &'a AtomicBool,
}

/// Why a test ended before its end.
#[derive(Debug)]
enum Broken {
    Refused(RefusalCode),
    Busy,
    Stopped,
    Ended,
    /// It had not begun, and another needed its place.
    GaveWay,
    Gone(String),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Broken::Gone(error.to_string())
    }
}

impl Iperf3Test<'_> {
    /// Serves it; says in a few words how it went.
    pub(crate) fn run(mut self) -> String {
        match self.serve() {
            Ok(how) => how,
            // All of these are the last words of a connection that may be gone.
            Err(Broken::Refused(code)) => {
                let _ = self.control.refuse(code);
                format!("refused: {}", RefusalCode::meaning(code as i32))
            }
            Err(Broken::Busy) => {
                let _ = self.control.say(State::AccessDenied);
                "told that the server is busy".to_owned()
            }
            Err(Broken::Stopped) => {
                let _ = self.control.say(State::ServerTerminate);
                "ended, because the server ends".to_owned()
            }
            Err(Broken::Ended) => "the client ended it".to_owned(),
            Err(Broken::GaveWay) => "dropped: others came before its streams were there".to_owned(),
            Err(Broken::Gone(why)) => format!("dropped: {why}"),
        }
    }

    fn serve(&mut self) -> Result<String, Broken> {
        let asked = self.parameters()?;
        let streams = self.streams(&asked)?;
        if !self.place.close() {
            return Err(Broken::GaveWay);
        }
        let barrier = StreamBarrier::default();
        let content = content(asked.length() as usize);
        self.control.say(State::TestStart)?;
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(streams.len());
            for stream in &streams {
                let work = || stream.work(&asked, &content, &barrier);
                match std::thread::Builder::new().name("iperf3 stream".to_owned()).spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(e) => {
                        end(&barrier, &streams);
                        return Err(e.into());
                    }
                }
            }
            let before = socket::thread_cpu();
            let begun_ns = clock::now_ns();
            let measured = self.measure(&asked, &streams, &barrier);
            end(&barrier, &streams);
            let mut cpu = socket::thread_cpu();
            cpu = (cpu.0 - before.0, cpu.1 - before.1);
            for thread in threads {
                // One that panicked has used what it used.
                let (all_s, user_s) = thread.join().unwrap_or_default();
                cpu = (cpu.0 + all_s, cpu.1 + user_s);
            }
            let (mut results, window) = measured?;
            let percent = |cpu_s: f64| 100.0 * cpu_s / ((window.end_ns - begun_ns).max(1) as f64 / 1e9);
            results.cpu_util_total = percent(cpu.0);
            results.cpu_util_user = percent(cpu.1);
            results.cpu_util_system = percent(cpu.0 - cpu.1);
            self.control.write_json(&results)?;
            self.control.say(State::DisplayResults)?;
            // The client has all that it wants; whether it takes leave does not
            // matter.
            let _ = self.control.hear(self.options.caps.patience);
            Ok(told(&asked, &results))
        })
    }

    /// What the client asks for, if it can have that.
    fn parameters(&mut self) -> Result<Parameters, Broken> {
        self.control.say(State::ParamExchange)?;
        let read = self.control.read_json(PARAMETERS_MOST, Instant::now() + self.options.caps.patience);
        let asked: Parameters = read.map_err(|e| match e.kind() {
            io::ErrorKind::InvalidData => Broken::Refused(RefusalCode::Parameters),
            _ => Broken::from(e),
        })?;
        let caps = &self.options.caps;
        asked.check(caps.streams, caps.seconds).map_err(Broken::Refused)?;
        if self.place.claim(asked.streams(), asked.memory()) { Ok(asked) } else { Err(Broken::Busy) }
    }

    /// Its streams, in the order in which the client opened them.
    fn streams(&mut self, asked: &Parameters) -> Result<Vec<Stream>, Broken> {
        let wanted = asked.streams();
        if !self.place.open(asked.udp, wanted, Instant::now() + self.options.caps.patience) {
            return Err(Broken::Busy);
        }
        self.control.say(State::CreateStreams)?;
        let mut came = Vec::new();
        let mut until = Instant::now() + self.options.caps.patience;
        while (came.len() as u64) < wanted {
            if let Ok(stream) = self.place.came.recv_timeout(LOOK) {
                came.push(stream);
                until = Instant::now() + self.options.caps.patience;
                continue;
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(Broken::Stopped);
            }
            if Instant::now() > until {
                return Err(Broken::Refused(RefusalCode::CreateStream));
            }
            if self.control.hear(Duration::ZERO)?.is_some() {
                return Err(Broken::Ended);
            }
        }
        came.sort_by_key(|stream| stream.order);
        let (receiving, _) = asked.ways();
        let prepared = came.into_iter().enumerate().map(|(index, came)| {
            socket::prepare(&came.socket, asked)?;
            // Clients open those on which they send first.
            Ok(Stream::new(came.socket, index as u64 >= receiving))
        });
        let prepared: io::Result<Vec<Stream>> = prepared.collect();
        prepared.map_err(Broken::from)
    }

    /// Lets the streams run until the client has enough; what they did.
    fn measure(
        &mut self,
        asked: &Parameters,
        streams: &[Stream],
        barrier: &StreamBarrier,
    ) -> Result<(Results, Window), Broken> {
        self.control.say(State::TestRunning)?;
        barrier.open();
        let start_ns = clock::now_ns();
        let (base_ns, base) = self.watch(asked, streams, start_ns)?;
        let end_ns = clock::now_ns();
        barrier.end();
        let congestion = streams.first().and_then(|s| socket::congestion(&s.socket));
        let sent: Vec<StreamCounts> = streams.iter().map(Stream::done).collect();
        streams.iter().filter(|s| s.sends).for_each(|s| s.wake(false));
        self.control.say(State::ExchangeResults)?;
        let theirs: Results =
            self.control.read_json(RESULTS_MOST, Instant::now() + self.options.caps.patience)?;
        if asked.ways().0 > 0 {
            drain(asked, streams, &theirs);
        }
        let window = Window { start_ns: base_ns, end_ns };
        let mut results = Results {
            sender_has_retransmits: if asked.ways().1 == 0 { -1 } else { i64::from(asked.tcp) },
            congestion_used: congestion,
            server_output_text: asked.get_server_output.map(|_| NO_OUTPUT.to_owned()),
            ..Results::default()
        };
        for (index, stream) in streams.iter().enumerate() {
            let done = if stream.sends { sent[index] } else { stream.done() };
            let theirs = theirs.streams.get(index);
            results.streams.push(result((index, stream.sends), done, base[index], window, theirs));
        }
        Ok((results, window))
    }

    /// Waits for the client's end of the test. Returns since when it counts, and
    /// what the streams had done then.
    fn watch(
        &mut self,
        asked: &Parameters,
        streams: &[Stream],
        start_ns: u64,
    ) -> Result<(u64, Vec<StreamCounts>), Broken> {
        let counts_ns = start_ns + asked.omit.saturating_mul(1_000_000_000);
        let by_count = asked.time == 0 || asked.num > 0 || asked.blockcount > 0;
        let caps = &self.options.caps;
        let most_s = if by_count { caps.seconds } else { asked.omit + asked.time + GRACE_S };
        let mut base = (start_ns, vec![StreamCounts::default(); streams.len()]);
        let mut omits = asked.omit > 0;
        let (mut moved, mut bytes) = (Instant::now(), 0);
        loop {
            let now_ns = clock::now_ns();
            if omits && now_ns >= counts_ns {
                base = (now_ns, streams.iter().map(Stream::done).collect());
                omits = false;
            }
            let wait = if omits { Duration::from_nanos(counts_ns - now_ns).min(LOOK) } else { LOOK };
            match self.control.hear(wait)? {
                None => {}
                Some(State::TestEnd) => return Ok(base),
                Some(State::ClientTerminate) => return Err(Broken::Ended),
                Some(_) => return Err(Broken::Gone("it said something out of turn".to_owned())),
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(Broken::Stopped);
            }
            if now_ns.saturating_sub(start_ns) > most_s.saturating_mul(1_000_000_000) {
                return Err(Broken::Refused(RefusalCode::Duration));
            }
            let all = streams.iter().map(Stream::bytes).sum();
            if all != bytes {
                (moved, bytes) = (Instant::now(), all);
            } else if moved.elapsed() > IDLE {
                return Err(Broken::Gone(format!("not a byte for {} s", IDLE.as_secs())));
            }
        }
    }
}

/// What stands where a stock server would send its own page.
const NO_OUTPUT: &str =
    "The server is Headroom. It prints no page of its own; what it measured stands above.\n";

fn end(barrier: &StreamBarrier, streams: &[Stream]) {
    barrier.open();
    barrier.close();
    streams.iter().for_each(|s| s.wake(true));
}

/// Waits for what the client sent and is not here yet.
fn drain(asked: &Parameters, streams: &[Stream], theirs: &Results) {
    let missing = |index: usize, stream: &Stream| {
        let Some(theirs) = theirs.streams.get(index).filter(|_| !stream.sends) else { return false };
        match asked.udp {
            false => stream.bytes() < theirs.bytes,
            true => i64::try_from(stream.done().number).is_ok_and(|seen| seen < theirs.packets),
        }
    };
    // What a client sent in the omitted seconds it does not tell.
    let is_sure = asked.tcp && asked.omit == 0;
    let quiet = if is_sure { QUIET } else { QUIET_UNSURE };
    let begun = Instant::now();
    let (mut moved, mut bytes) = (begun, None);
    while moved.elapsed() < quiet && begun.elapsed() < DRAIN_MOST {
        let is_missing = streams.iter().enumerate().any(|(index, stream)| missing(index, stream));
        if !is_missing && (is_sure || asked.udp) {
            return;
        }
        let now: u64 = streams.iter().filter(|s| !s.sends).map(Stream::bytes).sum();
        if bytes != Some(now) {
            (moved, bytes) = (Instant::now(), Some(now));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What this end says of one stream.
fn result(
    (index, sends): (usize, bool),
    done: StreamCounts,
    base: StreamCounts,
    window: Window,
    theirs: Option<&StreamResult>,
) -> StreamResult {
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (mut packets, mut errors) = (done.number, done.lost);
    if let (false, Some(theirs)) = (sends, theirs) {
        // What was lost at the very end left no gap; the client knows how many
        // it sent.
        let sent = u64::try_from(theirs.packets).unwrap_or_default().max(packets);
        errors += sent - packets;
        packets = sent;
    }
    let end_ns = if sends { window.end_ns } else { window.end_ns.max(done.last_ns) };
    let again = |done: StreamCounts| done.retransmits.map(signed);
    StreamResult {
        id: theirs.map_or_else(|| stream_id(index), |theirs| theirs.id),
        bytes: done.bytes - base.bytes,
        retransmits: again(done).map_or(-1, |now| now - again(base).unwrap_or_default()),
        jitter: done.jitter_s,
        errors: signed(errors),
        omitted_errors: signed(base.lost),
        packets: signed(packets),
        omitted_packets: signed(base.number),
        start_time: 0.0,
        end_time: end_ns.saturating_sub(window.start_ns) as f64 / 1e9,
    }
}

/// What senders send: bytes that no link can compress.
fn content(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut content = Vec::with_capacity(length + 8);
    while content.len() < length {
        // Xorshift (Marsaglia, 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        content.extend(state.to_le_bytes());
    }
    content.truncate(length);
    content
}

/// The test in a few words.
fn told(asked: &Parameters, results: &Results) -> String {
    let protocol = if asked.udp { "UDP" } else { "TCP" };
    let way = match asked.ways() {
        (_, 0) => "received",
        (0, _) => "sent",
        _ => "both ways",
    };
    let bytes: u64 = results.streams.iter().map(|s| s.bytes).sum();
    let seconds = results.streams.iter().map(|s| s.end_time).fold(0.0, f64::max);
    let streams = results.streams.len();
    format!("{protocol}, {streams} stream(s), {way} {bytes} bytes in {seconds:.2} s")
}
