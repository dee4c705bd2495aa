//! How long workers waited for block devices, for swapped pages and for memory
//! to be made free, as the kernel accounts it for each task
//! (`Documentation/accounting/delay-accounting.rst`): by taskstats over generic
//! netlink, which takes `CAP_NET_ADMIN`; else by field 42 of
//! `/proc/self/task/TID/stat`, which has the block devices only, in clock ticks.
//!
//! A task has such an account only if `kernel.task_delayacct` was on when it
//! started (`delayacct_tsk_init` in `include/linux/delayacct.h`): workers start
//! anew in each trial, behind the settings.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use model::{Resource, Unit};
use rustix::net::netlink::{GENERIC, SocketAddrNetlink};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

use crate::Host;
use crate::inventory::network::wire::{self, attribute, long, number, push_attribute};
use crate::sampler::cpu::TICK_S;
use crate::sampler::file::Numbers;
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
const THREAD_AND_STATS: u16 = 4;
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
/// Where the number of the task stands: version 15 put fields between the others, which
/// version 16 took out again.
const PID_AT: usize = 128;

/// What tasks of these numbers waited for, as counters.
///
/// # Errors
/// Why nobody tells.
pub fn delays(host: &Host, threads: &[u32]) -> Result<Vec<Box<dyn Sampler>>, String> {
    let first = *threads.first().ok_or("there is no worker")?;
    match host.text(SWITCH).as_deref().map(str::trim) {
        Some("0") => return Err("kernel.task_delayacct is 0".to_owned()),
        // Before Linux 5.14 there was no switch but the kernel's command line.
        None => return Err("there is no kernel.task_delayacct".to_owned()),
        Some(_) => {}
    }
    let by_netlink = Taskstats::open().and_then(|stats| {
        // Where the first is not told, none is.
        stats.of(first)?;
        Ok(stats)
    });
    match by_netlink {
        Ok(stats) => Ok(by_taskstats(stats, threads)),
        Err(reason) => by_ticks(threads).ok_or(reason),
    }
}

fn column(name: &'static str, scale: f64) -> SamplerColumn {
    SamplerColumn::counter(Resource::WORKERS, name, Unit::Seconds, scale)
}

fn by_taskstats(stats: Taskstats, threads: &[u32]) -> Vec<Box<dyn Sampler>> {
    let columns = DELAYS.iter().map(|delay| column(delay.name, 1e-9)).collect();
    // Of one that has ended, the latest counts on.
    let mut latest: Vec<(u32, Totals)> = threads.iter().map(|id| (*id, [None; DELAYS.len()])).collect();
    // A question costs some microseconds, for each thread.
    reader("taskstats", Pace::Slow, columns, move |values| {
        for (id, totals) in &mut latest {
            if let Ok(now) = stats.of(*id) {
                *totals = now;
            }
        }
        for (place, value) in values.iter_mut().enumerate() {
            let all: Option<u64> = latest.iter().map(|(_, totals)| totals[place]).sum();
            *value = all.unwrap_or(ABSENT);
        }
    })
}

/// Field 42 of `/proc/self/task/TID/stat` (proc_pid_stat(5)).
fn by_ticks(threads: &[u32]) -> Option<Vec<Box<dyn Sampler>>> {
    let open = |id: &u32| File::open(format!("/proc/self/task/{id}/stat")).ok();
    let mut latest: Vec<(File, u64)> =
        threads.iter().map(|id| Some((open(id)?, 0))).collect::<Option<_>>()?;
    let columns = vec![column(DELAYS[0].name, TICK_S)];
    Some(reader("/proc/self/task/*/stat", Pace::Slow, columns, move |values| {
        let mut line = [0; 2048];
        for (file, ticks) in &mut latest {
            let text = file.read_at(&mut line, 0).ok().and_then(|length| line.get(..length));
            if let Some(now) = text.and_then(ticks_of) {
                *ticks = now;
            }
        }
        values[0] = latest.iter().map(|(_, ticks)| *ticks).sum();
    }))
}

fn ticks_of(line: &[u8]) -> Option<u64> {
    /// Counted from the one after the state, which is the third.
    const FIELD: usize = 42 - 4;
    let close = line.iter().rposition(|b| *b == b')')?;
    Numbers(line.get(close + 3..)?).nth(FIELD).filter(|ticks| *ticks != ABSENT)
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

    /// What a task waited for so far.
    fn of(&self, thread: u32) -> Result<Totals, String> {
        let answer = ask(&self.socket, self.family, &question(GET, OF_THREAD, &thread.to_ne_bytes()))?;
        let stats = answer.get(HEAD..).and_then(|all| attribute(attribute(all, THREAD_AND_STATS)?, STATS));
        totals(stats.unwrap_or_default(), thread)
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

/// Reads `struct taskstats` of this thread.
fn totals(stats: &[u8], thread: u32) -> Result<Totals, String> {
    let version = stats.first_chunk().map(|b| u16::from_ne_bytes(*b)).ok_or("the answer is empty")?;
    if number(stats, PID_AT) != Some(thread) {
        return Err(format!("version {version} of taskstats has another layout"));
    }
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
        stats[PID_AT..PID_AT + 4].copy_from_slice(&77_u32.to_ne_bytes());
        for delay in DELAYS.iter().filter(|delay| delay.at + 8 <= bytes) {
            stats[delay.at..delay.at + 8].copy_from_slice(&(delay.at as u64).to_ne_bytes());
        }
        stats
    }

    #[test]
    fn a_version_has_what_came_with_it_or_before() {
        let known =
            |version, bytes| totals(&stats(version, bytes), 77).map(|all| all.iter().flatten().count());
        assert_eq!(known(8, 328), Ok(3));
        assert_eq!(known(10, 352), Ok(4));
        assert_eq!(known(13, 416), Ok(6));
        assert_eq!(known(16, 544), Ok(7));
        assert_eq!(known(16, 420), Ok(6), "what was cut off is not there");
        assert_eq!(totals(&stats(16, 544), 77).unwrap()[0], Some(40));
        assert!(totals(&stats(15, 544), 78).is_err_and(|reason| reason.contains("version 15")));
        assert!(totals(&[], 77).is_err());
    }

    #[test]
    fn ticks_stand_in_the_42nd_field() {
        let fields: Vec<String> = (4..=52).map(|field| field.to_string()).collect();
        let line = format!("12 (a) b) D {}\n", fields.join(" "));
        assert_eq!(ticks_of(line.as_bytes()), Some(42));
        assert_eq!(ticks_of(b"12 (a) D 1 2 3\n"), None);
    }

    #[test]
    fn without_the_switch_nothing_is_told() {
        let why = |text: &str| delays(&Host::parse(text), &[1]).err().unwrap_or_default();
        assert!(why(&format!("==> {SWITCH}\n0\n")).contains("task_delayacct is 0"));
        assert!(why("").contains("no kernel.task_delayacct"));
    }

    /// What the kernel says of this very thread, where it may be asked.
    #[test]
    fn the_kernel_answers_in_the_layout_that_is_read() {
        let own = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        match Taskstats::open().and_then(|stats| stats.of(own)) {
            Ok(all) => assert!(all[0].is_some(), "{all:?}"),
            Err(reason) => eprintln!("skipped: taskstats: {reason}"),
        }
    }
}
