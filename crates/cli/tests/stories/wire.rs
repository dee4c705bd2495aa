//! A wire of known speed between two namespaces: two TAP devices that state it,
//! and threads that carry each frame from one to the other as slowly as such a
//! wire does. What waits for it lies in the queue of the device, and what finds that
//! full is dropped, as at the port of a switch.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::hosts::tool;

/// Bytes on a wire beside a frame as the kernel hands it over: preamble, check and
/// gap (IEEE 802.3), and the least frame without its check.
const AROUND: usize = 8 + 4 + 12;
const LEAST: usize = 60;

/// A thread that the machine did not run for so long makes good for it: the wire
/// of others does not stand still.
const HELD_UP: Duration = Duration::from_millis(50);

/// Sleeping for less is not worth it: it lasts longer than it should.
const NAP: Duration = Duration::from_micros(500);

/// The wire; without current when it is dropped.
pub(crate) struct Wire {
    over: Arc<AtomicBool>,
    carriers: Vec<JoinHandle<()>>,
}

impl Wire {
    /// Lays one of so many Mbit/s from one to the other, each a namespace and what
    /// the interface is called in it. They do not say how fast it is yet.
    pub(crate) fn lay(mbit: u32, near: (&str, &str), far: (&str, &str)) -> Self {
        Self::lay_long(mbit, Duration::ZERO, near, far)
    }

    /// The same, with a way that takes so long each way.
    pub(crate) fn lay_long(mbit: u32, delay: Duration, near: (&str, &str), far: (&str, &str)) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (near, far) = (tap(near), tap(far));
        let ends = [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)];
        let carry_one = |(from, to): (File, File)| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                at_once();
                carry(&from, &to, (mbit, delay), &over);
            })
        };
        let carriers = ends.into_iter().map(carry_one).collect();
        Self { over, carriers }
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

/// Has an interface state its speed, as one does whose wire is known.
pub(crate) fn state_speed((namespace, interface): (&str, &str), mbit: u32) {
    let speed = mbit.to_string();
    tool("ip", &["netns", "exec", namespace, "ethtool", "-s", interface, "speed", &speed, "duplex", "full"]);
}

/// A TAP device in a namespace; it has a carrier as long as the file is open.
fn tap((namespace, interface): (&str, &str)) -> File {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let device = File::options().read(true).write(true).open("/dev/net/tun").unwrap();
    rustix::io::ioctl_fionbio(&device, true).unwrap();
    let here = format!("hr{}x{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    // SAFETY: `ifreq` is of plain data, for which zeros are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(here.bytes()) {
        *to = libc::c_char::from_ne_bytes([from]);
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: TUNSETIFF reads and writes an `ifreq`, which `request` is.
    let made = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    assert_eq!(made, 0, "no TAP device: {}", std::io::Error::last_os_error());
    tool("ip", &["link", "set", &here, "netns", namespace, "name", interface]);
    device
}

/// Has this thread run whenever it wants to (sched(7), SCHED_RR), where that is
/// allowed: a wire waits for no processor.
fn at_once() {
    let parameter = libc::sched_param { sched_priority: 1 };
    // SAFETY: it reads the parameter, which lives as long as the call.
    let _ = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &raw const parameter) };
}

/// Carries frames until it is over.
fn carry(mut from: &File, mut to: &File, (mbit, delay): (u32, Duration), over: &AtomicBool) {
    let mut frame = [0; 65536];
    let mut free = Instant::now();
    // On their way, with when they arrive.
    let mut under_way: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
    while !over.load(Ordering::Relaxed) {
        while under_way.front().is_some_and(|(due, _)| *due <= Instant::now()) {
            // One that is down takes none: then the frame is lost.
            let _ = under_way.pop_front().map(|(_, frame)| to.write(&frame));
        }
        let length = match from.read(&mut frame) {
            Ok(length) => length,
            Err(e) => {
                // An interface that is down has nothing to say.
                if e.kind() != ErrorKind::WouldBlock {
                    std::thread::sleep(Duration::from_millis(10));
                }
                let next = under_way.front().map(|(due, _)| due.saturating_duration_since(Instant::now()));
                wait(from, next.unwrap_or(PATIENCE).min(PATIENCE));
                continue;
            }
        };
        let now = Instant::now();
        let bits = (length.max(LEAST) + AROUND) as u64 * 8;
        free = free.max(now - HELD_UP) + Duration::from_nanos(bits * 1000 / u64::from(mbit));
        let ahead = free.saturating_duration_since(now);
        if ahead > NAP {
            std::thread::sleep(ahead);
        }
        if delay.is_zero() {
            let _ = to.write(&frame[..length]);
        } else {
            under_way.push_back((free.max(now) + delay, frame[..length].to_vec()));
        }
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
