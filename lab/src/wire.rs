//! A wire of known speed, length and loss between two network namespaces: two TAP
//! devices, and threads that carry each frame from one to the other as slowly as such a
//! wire does. What waits for it lies in the queue of the device, and what finds that
//! full is dropped, as at the port of a switch.
//!
//! The end-to-end tests of `cli` have this file too, by its path.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Bytes on a wire beside a frame as the kernel hands it over: preamble, check and
/// gap (IEEE 802.3), and the least frame without its check.
const AROUND: usize = 8 + 4 + 12;
const LEAST: usize = 60;

/// A thread that the machine did not run for so long makes good for it: the wire
/// of others does not stand still.
const HELD_UP: Duration = Duration::from_millis(50);

/// Sleeping for less is not worth it: it lasts longer than it should.
const NAP: Duration = Duration::from_micros(500);

/// Frames from this length on may be lost: handshakes and acknowledgements, which are
/// shorter, always arrive.
const LOSABLE: usize = 1000;

/// What a wire is like, the same both ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) mbit: u32,
    /// How long a frame is under way, after it was put on the wire.
    pub(crate) delay: Duration,
    /// Of so many long frames one is lost.
    pub(crate) lost_one_in: Option<u32>,
    /// What was saved up of it goes faster.
    pub(crate) bucket: Option<Bucket>,
}

/// A bucket of tokens, as providers and tc-tbf(8) have it: it is full at first, the wire's rate
/// fills it, and each byte takes one out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    /// Bytes that it holds.
    pub(crate) bytes: u32,
    /// How fast frames go while there is something in it (peakrate).
    pub(crate) peak_mbit: u32,
}

impl Way {
    /// A short one that loses nothing.
    pub(crate) const fn of(mbit: u32) -> Self {
        Self { mbit, delay: Duration::ZERO, lost_one_in: None, bucket: None }
    }
}

/// What a wire did so far, both ways together.
#[derive(Debug, Default)]
pub(crate) struct WireCounts {
    /// Bytes of the frames that arrived.
    pub(crate) carried_bytes: AtomicU64,
    /// Frames that were lost on purpose.
    pub(crate) lost: AtomicU64,
}

/// The wire; without current when it is dropped.
pub(crate) struct Wire {
    over: Arc<AtomicBool>,
    counts: Arc<WireCounts>,
    carriers: Vec<JoinHandle<()>>,
}

impl Wire {
    /// Lays one from one to the other, each a namespace, as `ip link set netns` takes it,
    /// and what the interface is called in it. They do not say how fast it is.
    pub(crate) fn lay(way: Way, near: (&str, &str), far: (&str, &str)) -> io::Result<Self> {
        let (over, counts) = (Arc::new(AtomicBool::new(false)), Arc::new(WireCounts::default()));
        let (near, far) = (tap(near)?, tap(far)?);
        let ends = [(near.try_clone()?, far.try_clone()?), (far, near)];
        let carry_one = |(from, to): (File, File)| {
            let (over, counts) = (Arc::clone(&over), Arc::clone(&counts));
            std::thread::spawn(move || {
                at_once();
                let tokens = f64::from(way.bucket.map_or(0, |bucket| bucket.bytes));
                let carrier = Carrier { from: &from, to: &to, way, counts: &counts, chance: 1, tokens };
                carrier.carry(&over);
            })
        };
        let carriers = ends.into_iter().map(carry_one).collect();
        Ok(Self { over, counts, carriers })
    }

    /// What it does, to be looked at while it does it.
    pub(crate) fn counts(&self) -> Arc<WireCounts> {
        Arc::clone(&self.counts)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for carrier in self.carriers.drain(..) {
            let _ = carrier.join();
        }
    }
}

/// A TAP device in a namespace; it has a carrier as long as the file is open.
fn tap((namespace, interface): (&str, &str)) -> io::Result<File> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let device = File::options().read(true).write(true).open("/dev/net/tun")?;
    rustix::io::ioctl_fionbio(&device, true)?;
    let here = format!("hr{}x{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    // SAFETY: `ifreq` is of plain data, for which zeros are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(here.bytes()) {
        *to = libc::c_char::from_ne_bytes([from]);
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: TUNSETIFF reads and writes an `ifreq`, which `request` is.
    let made = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if made != 0 {
        let why = io::Error::last_os_error();
        return Err(io::Error::new(why.kind(), format!("no TAP device: {why}")));
    }
    let output =
        Command::new("ip").args(["link", "set", &here, "netns", namespace, "name", interface]).output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io::Error::other(format!("`ip link set {here} netns {namespace}`: {why}")));
    }
    Ok(device)
}

/// Has this thread run whenever it wants to (sched(7), SCHED_RR), where that is
/// allowed: a wire waits for no processor.
fn at_once() {
    let parameter = libc::sched_param { sched_priority: 1 };
    // SAFETY: it reads the parameter, which lives as long as the call.
    let _ = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &raw const parameter) };
}

/// What carries frames one way.
struct Carrier<'a> {
    from: &'a File,
    to: &'a File,
    way: Way,
    counts: &'a WireCounts,
    /// Which frame is lost next (xorshift): always the same ones.
    chance: u32,
    /// Bytes that are in the bucket when the wire is free again.
    tokens: f64,
}

impl Carrier<'_> {
    /// Carries frames until it is over.
    fn carry(mut self, over: &AtomicBool) {
        let mut frame = [0; 65536];
        let mut free = Instant::now();
        // On their way, with when they arrive.
        let mut under_way: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
        while !over.load(Ordering::Relaxed) {
            while under_way.front().is_some_and(|(due, _)| *due <= Instant::now()) {
                if let Some((_, frame)) = under_way.pop_front() {
                    self.deliver(&frame);
                }
            }
            let mut from = self.from;
            let length = match from.read(&mut frame) {
                Ok(length) => length,
                Err(e) => {
                    // An interface that is down has nothing to say.
                    if e.kind() != ErrorKind::WouldBlock {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                    let due = under_way.front().map(|(due, _)| *due);
                    let next = due.map_or(PATIENCE, |due| due.saturating_duration_since(Instant::now()));
                    wait(self.from, next.min(PATIENCE));
                    continue;
                }
            };
            let now = Instant::now();
            let begins = free.max(now - HELD_UP);
            free = begins + self.takes((length.max(LEAST) + AROUND) as f64, begins - free);
            let ahead = free.saturating_duration_since(now);
            if ahead > NAP {
                std::thread::sleep(ahead);
            }
            if self.is_lost(length) {
                self.counts.lost.fetch_add(1, Ordering::Relaxed);
            } else if self.way.delay.is_zero() {
                self.deliver(&frame[..length]);
            } else {
                under_way.push_back((free.max(now) + self.way.delay, frame[..length].to_vec()));
            }
        }
    }

    /// How long the wire is busy with so many bytes, after it was free for so long.
    fn takes(&mut self, bytes: f64, idle: Duration) -> Duration {
        let bytes_per_s = |mbit: u32| f64::from(mbit) * 1e6 / 8.0;
        let base = bytes_per_s(self.way.mbit);
        let Some(bucket) = self.way.bucket else { return Duration::from_secs_f64(bytes / base) };
        let most = f64::from(bucket.bytes).max(bytes);
        self.tokens = (self.tokens + idle.as_secs_f64() * base).min(most);
        // What is missing must come in first.
        let missing = (bytes - self.tokens).max(0.0);
        let takes = (bytes / bytes_per_s(bucket.peak_mbit)).max(missing / base);
        self.tokens = (self.tokens + takes * base - bytes).clamp(0.0, most);
        Duration::from_secs_f64(takes)
    }

    fn deliver(&self, frame: &[u8]) {
        let mut to = self.to;
        // One that is down takes none: then the frame is lost.
        if let Ok(bytes) = to.write(frame) {
            self.counts.carried_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Whether a frame of this length is one that is lost.
    fn is_lost(&mut self, length: usize) -> bool {
        let Some(one_in) = self.way.lost_one_in.filter(|_| length >= LOSABLE) else { return false };
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 17;
        self.chance ^= self.chance << 5;
        self.chance.is_multiple_of(one_in.max(1))
    }
}

/// How long a carrier waits for a frame before it asks whether it is over.
const PATIENCE: Duration = Duration::from_millis(50);

/// Waits until there may be a frame, for so long at most.
fn wait(from: &File, most: Duration) {
    let most = Timespec { tv_sec: 0, tv_nsec: most.as_nanos().min(999_999_999) as i64 };
    let mut one = [PollFd::from_borrowed_fd(from.as_fd(), PollFlags::IN)];
    let _ = poll(&mut one, Some(&most));
}
