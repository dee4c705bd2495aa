//! How long workers waited for block devices, for swapped pages and for memory
//! to be made free, as the kernel accounts it for each task
//! (`Documentation/accounting/delay-accounting.rst`): by taskstats over generic
//! netlink, which takes `CAP_NET_ADMIN`. Asked for is the sum of all threads of
//! this process, those that have ended with them (`fill_stats_for_tgid` in
//! `kernel/taskstats.c`): when a window closes, its workers may be gone before
//! anybody could ask. What the others do meanwhile, this reader and who gathers
//! results, waits for no device.
//!
//! A task has such an account only if `kernel.task_delayacct` was on when it
//! started (`delayacct_tsk_init` in `include/linux/delayacct.h`): workers start
//! anew in each trial, behind the settings.

use std::os::fd::OwnedFd;
use std::time::Duration;

use model::{Resource, Unit};
use rustix::net::netlink::{GENERIC, SocketAddrNetlink};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

use crate::Host;
use crate::inventory::network::wire::{self, attribute, long, number, push_attribute};
use crate::sampler::{ABSENT, Pace, Sampler, SamplerColumn, reader};

const SWITCH: &str = "/proc/sys/kernel/task_delayacct";

/// `include/uapi/linux/genetlink.h` and `include/uapi/linux/taskstats.h`.
const CONTROLLER: u16 = 0x10;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const NAME: &[u8] = b"TASKSTATS\0";
const GET: u8 = 1;
const OF_THREAD: u16 = 1;
const OF_PROCESS: u16 = 2;
const THREAD_AND_STATS: u16 = 4;
const PROCESS_AND_STATS: u16 = 5;
const STATS: u16 = 3;
/// `struct genlmsghdr`.
const HEAD: usize = 4;
/// A structure of the latest version has 0.6 KiB.
const ANSWER_BYTES: usize = 8 << 10;
/// The kernel answers at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// One kind of wait in `struct taskstats`: since which version, and where its total stands.
struct Delay {
    name: &'static str,
    version: u16,
    at: usize,
}

/// In their order in the structure, to whose end later versions add.
const DELAYS: &[Delay] = &[
    Delay { name: "blkio_delay", version: 1, at: 40 },
    Delay { name: "swapin_delay", version: 1, at: 56 },
    Delay { name: "freepages_delay", version: 7, at: 320 },
    Delay { name: "thrashing_delay", version: 9, at: 336 },
    Delay { name: "compact_delay", version: 11, at: 360 },
    Delay { name: "wpcopy_delay", version: 13, at: 408 },
    Delay { name: "irq_delay", version: 14, at: 424 },
];
/// Where the number of a thread stands: version 15 put fields between the others, which
/// version 16 put behind them.
const PID_AT: usize = 128;

/// What these threads of this process waited for, as counters.
///
/// # Errors
/// Why nobody tells.
pub fn delays(host: &Host, threads: &[u32]) -> Result<Vec<Box<dyn Sampler>>, String> {
    match host.text(SWITCH).as_deref().map(str::trim) {
        Some("0") => return Err("kernel.task_delayacct is 0".to_owned()),
        // Before Linux 5.14 there was no switch but the kernel's command line.
        None => return Err("there is no kernel.task_delayacct".to_owned()),
        Some(_) => {}
    }
    let first = *threads.first().ok_or("there is no worker")?;
    let open = || {
        let stats = Taskstats::open()?;
        // Only what is said of one thread tells whether the layout is known.
        stats.of_thread(first)?;
        Ok(stats)
    };
    let stats = open().map_err(|reason: String| format!("taskstats: {reason}"))?;
    let column = |delay: &Delay| SamplerColumn::counter(Resource::WORKERS, delay.name, Unit::Seconds, 1e-9);
    let process = std::process::id();
    // The kernel adds up all threads for each question.
    Ok(reader("taskstats", Pace::Slow, DELAYS.iter().map(column).collect(), move |values| {
        let totals = stats.of_process(process).unwrap_or_default();
        values.iter_mut().zip(totals).for_each(|(value, total)| *value = total.unwrap_or(ABSENT));
    }))
}

/// By the place in [`DELAYS`]: ns, none where the kernel's version does not have it.
type Totals = [Option<u64>; DELAYS.len()];

/// A socket to the kernel's taskstats.
struct Taskstats {
    socket: OwnedFd,
    family: u16,
}

impl Taskstats {
    fn open() -> Result<Self, String> {
        let text = |e: rustix::io::Errno| e.to_string();
        let socket =
            socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, Some(GENERIC))
                .map_err(text)?;
        // Connected to the kernel, so that nobody else can answer.
        rustix::net::connect(&socket, &SocketAddrNetlink::new(0, 0)).map_err(text)?;
        set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE)).map_err(text)?;
        let found = ask(&socket, CONTROLLER, &question(GET_FAMILY, FAMILY_NAME, NAME))?;
        let id = found.get(HEAD..).and_then(|all| attribute(all, FAMILY_ID)?.first_chunk().copied());
        let family = id.map(u16::from_ne_bytes).ok_or("the kernel has no taskstats")?;
        Ok(Self { socket, family })
    }

    /// What a thread waited for so far.
    fn of_thread(&self, thread: u32) -> Result<Totals, String> {
        let stats = self.stats(OF_THREAD, thread, THREAD_AND_STATS)?;
        if number(&stats, PID_AT) != Some(thread) {
            let version = version(&stats).unwrap_or_default();
            return Err(format!("version {version} has another layout"));
        }
        totals(&stats)
    }

    /// What all threads of a process did.
    fn of_process(&self, process: u32) -> Result<Totals, String> {
        totals(&self.stats(OF_PROCESS, process, PROCESS_AND_STATS)?)
    }

    fn stats(&self, question_kind: u16, id: u32, answer_kind: u16) -> Result<Vec<u8>, String> {
        let answer = ask(&self.socket, self.family, &question(GET, question_kind, &id.to_ne_bytes()))?;
        let stats = answer.get(HEAD..).and_then(|all| attribute(attribute(all, answer_kind)?, STATS));
        stats.map(<[u8]>::to_vec).ok_or_else(|| "the answer is empty".to_owned())
    }
}

fn question(command: u8, kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut all = vec![command, 1, 0, 0];
    push_attribute(&mut all, kind, payload);
    all
}

fn ask(socket: &OwnedFd, kind: u16, payload: &[u8]) -> Result<Vec<u8>, String> {
    let text = |e: rustix::io::Errno| e.to_string();
    send(socket, &wire::request(kind, wire::FLAGS_ONE, payload), SendFlags::empty()).map_err(text)?;
    let mut part = vec![0; ANSWER_BYTES];
    let (_, length) = recv(socket, &mut part[..], RecvFlags::TRUNC).map_err(text)?;
    wire::answer(part.get(..length).ok_or("the answer is too large")?)
}

fn version(stats: &[u8]) -> Option<u16> {
    stats.first_chunk().map(|b| u16::from_ne_bytes(*b))
}

/// Reads `struct taskstats`.
fn totals(stats: &[u8]) -> Result<Totals, String> {
    let version = version(stats).ok_or("the answer is empty")?;
    let of = |delay: &Delay| stats.get(delay.at..).and_then(long).filter(|_| version >= delay.version);
    let mut all = [None; DELAYS.len()];
    all.iter_mut().zip(DELAYS).for_each(|(total, delay)| *total = of(delay));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A structure of this version, whose totals are the places that they stand at.
    fn stats(version: u16, bytes: usize) -> Vec<u8> {
        let mut stats = vec![0; bytes];
        stats[..2].copy_from_slice(&version.to_ne_bytes());
        for delay in DELAYS.iter().filter(|delay| delay.at + 8 <= bytes) {
            stats[delay.at..delay.at + 8].copy_from_slice(&(delay.at as u64).to_ne_bytes());
        }
        stats
    }

    #[test]
    fn a_version_has_what_came_with_it_or_before() {
        let known = |version, bytes| totals(&stats(version, bytes)).map(|all| all.iter().flatten().count());
        assert_eq!(known(8, 328), Ok(3));
        assert_eq!(known(10, 352), Ok(4));
        assert_eq!(known(13, 416), Ok(6));
        assert_eq!(known(16, 560), Ok(7));
        assert_eq!(known(16, 420), Ok(6), "what was cut off is not there");
        assert_eq!(totals(&stats(16, 560)).unwrap()[0], Some(40));
        assert!(totals(&[]).is_err());
    }

    #[test]
    fn without_the_switch_nothing_is_told() {
        let why = |text: &str| delays(&Host::parse(text), &[1]).err().unwrap_or_default();
        assert!(why(&format!("==> {SWITCH}\n0\n")).contains("task_delayacct is 0"));
        assert!(why("").contains("no kernel.task_delayacct"));
    }

    /// What the kernel says of this very thread, and of a process whose threads have ended.
    #[test]
    fn the_kernel_answers_in_the_layout_that_is_read() {
        let own = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        let stats = match Taskstats::open().and_then(|stats| stats.of_thread(own).map(|_| stats)) {
            Ok(stats) => stats,
            Err(reason) => return eprintln!("skipped: taskstats: {reason}"),
        };
        std::thread::spawn(|| ()).join().unwrap();
        let all = stats.of_process(std::process::id()).unwrap();
        assert!(all[0].is_some(), "{all:?}");
        assert!(stats.of_thread(u32::MAX).is_err());
    }
}
