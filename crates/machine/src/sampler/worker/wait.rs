//! What workers wait in while they have no CPU: at places in time that keep step
//! with nothing, each thread is asked which system call it is in
//! (`/proc/self/task/TID/syscall`, proc_pid_syscall(5)), and for what that call
//! waits. The number of a call and the kind of a descriptor are the kernel's
//! interface; the names of its functions (`wchan`) are not, and only say where
//! a call was held up by something else than what it asked for.
//!
//! The time since the look before goes to what is seen. It is an estimate: of
//! `n` looks, a share of one half is known to within `1 / sqrt(n)`.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::c_long;
use model::{Resource, Unit};

use crate::sampler::{Pace, Sampler, SamplerColumn, reader};

/// So many threads are asked in one look; of more, others in the next.
const THREADS_EACH: usize = 16;
/// So many are asked at all, of more some for all: two descriptors each are the load's to open.
const THREADS_MOST: usize = 64;
/// A line of numbers, or the name of a function.
const LINE_BYTES: usize = 256;

/// What a thread is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// It runs, or could and has no CPU.
    Running,
    /// In a call that reads, writes or changes a file or a disk.
    File,
    Socket,
    Pipe,
    /// For another thread, at a lock or an event.
    Lock,
    Timer,
    /// For the completion of asynchronous I/O.
    Completion,
    /// For one of several descriptors to be ready.
    Poll,
    /// For a page that was not mapped.
    Fault,
    /// Held back until dirty pages are written.
    Writeback,
    /// For memory that the kernel had to make free.
    Reclaim,
    Other,
}

/// Each with the name of its column, in their order.
const WAITS: [(Wait, &str); 12] = [
    (Wait::Running, "running"),
    (Wait::File, "wait_file"),
    (Wait::Socket, "wait_socket"),
    (Wait::Pipe, "wait_pipe"),
    (Wait::Lock, "wait_lock"),
    (Wait::Timer, "wait_timer"),
    (Wait::Completion, "wait_completion"),
    (Wait::Poll, "wait_poll"),
    (Wait::Fault, "wait_fault"),
    (Wait::Writeback, "wait_writeback"),
    (Wait::Reclaim, "wait_reclaim"),
    (Wait::Other, "wait_other"),
];

/// How often a thread was looked at.
const LOOKS: &str = "looks";

/// Functions of the kernel in which a call is held up for the sake of memory, as `wchan`
/// names them: `mm/page-writeback.c`; `mm/vmscan.c`, `mm/compaction.c` and
/// `mm/memcontrol.c`.
const HELD_UP: &[(&str, Wait)] = &[
    ("balance_dirty_pages", Wait::Writeback),
    ("throttle_direct_reclaim", Wait::Reclaim),
    ("reclaim_throttle", Wait::Reclaim),
    ("shrink_", Wait::Reclaim),
    ("try_to_free_", Wait::Reclaim),
    ("compact_zone", Wait::Reclaim),
    ("mem_cgroup_", Wait::Reclaim),
    ("__mem_cgroup_", Wait::Reclaim),
];

/// Calls whose first argument is a descriptor, which tells what is waited for.
const OF_DESCRIPTOR: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_sendfile,
    libc::SYS_splice,
    libc::SYS_ioctl,
];

/// sync_file_range(2). The crate has no number of it for 64-bit Arm: there it is the one of `asm-generic/unistd.h`.
#[cfg(target_arch = "x86_64")]
const SYNC_FILE_RANGE: c_long = libc::SYS_sync_file_range;
#[cfg(not(target_arch = "x86_64"))]
const SYNC_FILE_RANGE: c_long = 84;

/// Calls that wait for one thing only.
const ALWAYS: &[(Wait, &[c_long])] = &[
    (
        Wait::File,
        &[
            libc::SYS_fsync,
            libc::SYS_fdatasync,
            SYNC_FILE_RANGE,
            libc::SYS_sync,
            libc::SYS_syncfs,
            libc::SYS_msync,
            libc::SYS_fallocate,
            libc::SYS_ftruncate,
            libc::SYS_truncate,
            libc::SYS_copy_file_range,
            libc::SYS_getdents64,
            libc::SYS_openat,
            libc::SYS_unlinkat,
            libc::SYS_renameat2,
            libc::SYS_mkdirat,
            libc::SYS_linkat,
            libc::SYS_symlinkat,
            libc::SYS_statx,
            libc::SYS_fstat,
            libc::SYS_newfstatat,
            libc::SYS_close,
            // It waits where the device takes no more.
            libc::SYS_io_submit,
        ],
    ),
    (
        Wait::Socket,
        &[
            libc::SYS_recvfrom,
            libc::SYS_recvmsg,
            libc::SYS_recvmmsg,
            libc::SYS_sendto,
            libc::SYS_sendmsg,
            libc::SYS_sendmmsg,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_connect,
        ],
    ),
    (Wait::Lock, &[libc::SYS_futex]),
    (Wait::Timer, &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep]),
    (Wait::Completion, &[libc::SYS_io_uring_enter, libc::SYS_io_getevents]),
    (Wait::Poll, &[libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2]),
    // It gave its CPU to others.
    (Wait::Running, &[libc::SYS_sched_yield]),
    OLDER_FILE,
    OLDER_POLL,
];

/// Calls that later architectures do without.
#[cfg(target_arch = "x86_64")]
const OLDER_FILE: (Wait, &[c_long]) = (
    Wait::File,
    &[
        libc::SYS_open,
        libc::SYS_unlink,
        libc::SYS_rename,
        libc::SYS_renameat,
        libc::SYS_mkdir,
        libc::SYS_rmdir,
        libc::SYS_link,
        libc::SYS_symlink,
        libc::SYS_stat,
        libc::SYS_lstat,
    ],
);
#[cfg(not(target_arch = "x86_64"))]
const OLDER_FILE: (Wait, &[c_long]) = (Wait::File, &[]);
#[cfg(target_arch = "x86_64")]
const OLDER_POLL: (Wait, &[c_long]) = (Wait::Poll, &[libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait]);
#[cfg(not(target_arch = "x86_64"))]
const OLDER_POLL: (Wait, &[c_long]) = (Wait::Poll, &[]);

/// What `text` of a thread's `syscall` says: it runs, it waits outside of a call, or it
/// waits in a call with this number and first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Runs,
    None,
    In(c_long, u64),
}

/// None where it is garbled.
fn call(text: &str) -> Option<Call> {
    let mut words = text.split_ascii_whitespace();
    let number = match words.next()? {
        "running" => return Some(Call::Runs),
        "-1" => return Some(Call::None),
        number => number.parse().ok()?,
    };
    let first = words.next()?.strip_prefix("0x")?;
    Some(Call::In(number, u64::from_str_radix(first, 16).ok()?))
}

/// What a thread in `call` waits for, by the kernel's function in which it is and what its
/// descriptors lead to.
fn waits_for(call: Call, function: &str, leads_to: impl Fn(u64) -> Option<String>) -> Wait {
    let held_up = || HELD_UP.iter().find(|(name, _)| function.starts_with(name)).map(|(_, wait)| *wait);
    let number = match call {
        Call::Runs => return Wait::Running,
        Call::None => return held_up().unwrap_or(Wait::Fault),
        Call::In(number, descriptor) => match held_up() {
            Some(wait) => return wait,
            None if OF_DESCRIPTOR.contains(&number) => {
                return leads_to(descriptor).map_or(Wait::Other, |place| of_descriptor(&place));
            }
            None => number,
        },
    };
    ALWAYS.iter().find(|(_, calls)| calls.contains(&number)).map_or(Wait::Other, |(wait, _)| *wait)
}

/// What a descriptor is waited at for, by where its link in `/proc/self/fd` leads.
fn of_descriptor(place: &str) -> Wait {
    match place {
        _ if place.starts_with("socket:") => Wait::Socket,
        _ if place.starts_with("pipe:") => Wait::Pipe,
        "anon_inode:[eventfd]" => Wait::Lock,
        "anon_inode:[timerfd]" => Wait::Timer,
        _ if place.starts_with("anon_inode:") => Wait::Other,
        _ => Wait::File,
    }
}

/// The files of one thread.
#[derive(Debug)]
struct Thread {
    call: File,
    /// Kernels without symbols have no such names.
    function: Option<File>,
}

impl Thread {
    fn open(id: u32) -> Option<Self> {
        let open = |name: &str| File::open(format!("/proc/self/task/{id}/{name}"));
        Some(Self { call: open("syscall").ok()?, function: open("wchan").ok() })
    }

    /// What it is at; none where it has ended.
    fn look(&self) -> Option<Wait> {
        let mut line = [0; LINE_BYTES];
        let call = call(read(&self.call, &mut line)?)?;
        let mut line = [0; LINE_BYTES];
        let function = self.function.as_ref().filter(|_| call != Call::Runs);
        let function = function.and_then(|file| read(file, &mut line)).unwrap_or_default();
        Some(waits_for(call, function, |descriptor| {
            let place = std::fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
            Some(place.to_string_lossy().into_owned())
        }))
    }
}

fn read<'a>(file: &File, line: &'a mut [u8; LINE_BYTES]) -> Option<&'a str> {
    let length = file.read_at(line, 0).ok()?;
    std::str::from_utf8(&line[..length]).ok()
}

/// What some threads of this process are at.
#[derive(Debug)]
pub struct WorkerWaits {
    /// Those that are asked, two descriptors each.
    threads: Vec<Thread>,
    /// All that these stand for.
    all: usize,
    /// The first that is asked in the next look.
    next: usize,
    last_ns: u64,
    seen: Arc<Seen>,
}

/// Time by what it went to, ns, in the order of [`WAITS`], and looks.
#[derive(Debug, Default)]
struct Seen {
    waits: [AtomicU64; WAITS.len()],
    looks: AtomicU64,
}

impl WorkerWaits {
    /// Of these threads, by their numbers.
    ///
    /// # Errors
    /// Why the first of them cannot be asked.
    pub fn open(threads: &[u32]) -> Result<Self, String> {
        // Evenly among all.
        let step = threads.len().div_ceil(THREADS_MOST).max(1);
        let found: Vec<Thread> = threads.iter().step_by(step).filter_map(|id| Thread::open(*id)).collect();
        match threads.first() {
            Some(first) if found.is_empty() => {
                let path = format!("/proc/self/task/{first}/syscall");
                let reason = std::fs::read(&path).err().map(|e| e.to_string()).unwrap_or_default();
                Err(format!("{path}: {reason}"))
            }
            _ => {
                let (all, seen) = (threads.len(), Arc::default());
                Ok(Self { threads: found, all, next: 0, last_ns: 0, seen })
            }
        }
    }

    /// From now on time counts.
    pub fn begin(&mut self, now_ns: u64) {
        self.last_ns = now_ns;
    }

    /// Asks what they are at; the time since the last look goes to it.
    pub fn look(&mut self, now_ns: u64) {
        let since_ns = now_ns.saturating_sub(self.last_ns);
        self.last_ns = now_ns;
        let open = self.threads.len();
        let asked = open.min(THREADS_EACH);
        for place in 0..asked {
            let Some(wait) = self.threads[(self.next + place) % open].look() else { continue };
            let time_ns = (u128::from(since_ns) * self.all as u128 / asked as u128) as u64;
            self.seen.add(wait, time_ns);
        }
        self.next = (self.next + asked) % open.max(1);
    }

    /// What they were at so far, as counters: seconds of all of them together.
    #[must_use]
    pub fn sampler(&self) -> Vec<Box<dyn Sampler>> {
        let time = |(_, name): &(Wait, &'static str)| {
            SamplerColumn::counter(Resource::WORKERS, name, Unit::Seconds, 1e-9)
        };
        let mut columns: Vec<SamplerColumn> = WAITS.iter().map(time).collect();
        columns.push(SamplerColumn::counter(Resource::WORKERS, LOOKS, Unit::One, 1.0));
        let seen = Arc::clone(&self.seen);
        reader("/proc/self/task/*/syscall", Pace::Fast, columns, move |values| {
            let all = seen.waits.iter().chain([&seen.looks]);
            values.iter_mut().zip(all).for_each(|(value, own)| *value = own.load(Ordering::Relaxed));
        })
    }
}

impl Seen {
    fn add(&self, wait: Wait, time_ns: u64) {
        let place = WAITS.iter().position(|(own, _)| *own == wait);
        place.map(|place| self.waits[place].fetch_add(time_ns, Ordering::Relaxed));
        self.looks.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    fn in_call(number: c_long, first: u64) -> Call {
        call(&format!("{number} {first:#x} 0x0 0x0 0x0 0x0 0x0 0x7ffd060c4178 0x7f56ed7b2503\n")).unwrap()
    }

    #[test]
    fn what_the_kernel_says_of_a_call_is_read() {
        assert_eq!(call("running\n"), Some(Call::Runs));
        assert_eq!(call("-1 0x7ffd060c4178 0x7f56ed7b2503\n"), Some(Call::None));
        // Of this machine, a thread in clock_nanosleep(2).
        let line = "230 0x0 0x0 0x7ffd060c4190 0x7ffd060c41d0 0x0 0x0 0x7ffd060c4178 0x7f56ed7b2503\n";
        assert_eq!(call(line), Some(Call::In(230, 0)));
        for garbled in ["", "x", "230", "230 3", "230 0x", "230 0xg"] {
            assert_eq!(call(garbled), None, "{garbled}");
        }
    }

    #[test]
    fn a_call_waits_for_what_its_descriptor_is() {
        let places = [
            ("socket:[4711]", Wait::Socket),
            ("pipe:[12]", Wait::Pipe),
            ("anon_inode:[eventfd]", Wait::Lock),
            ("anon_inode:[timerfd]", Wait::Timer),
            ("anon_inode:[signalfd]", Wait::Other),
            ("/data/headroom.0", Wait::File),
            ("/dev/loop0", Wait::File),
        ];
        for (place, expected) in places {
            let leads_to = |descriptor| (descriptor == 3).then(|| place.to_owned());
            let at = |number| waits_for(in_call(number, 3), "", leads_to);
            assert_eq!((at(libc::SYS_read), at(libc::SYS_pwrite64)), (expected, expected), "{place}");
            assert_eq!(waits_for(in_call(libc::SYS_read, 4), "", leads_to), Wait::Other, "it was closed");
        }
    }

    #[test]
    fn other_calls_wait_for_one_thing_unless_they_are_held_up() {
        let at = |number, function: &str| waits_for(in_call(number, 3), function, |_| None);
        for (number, expected) in [
            (libc::SYS_fdatasync, Wait::File),
            (libc::SYS_recvfrom, Wait::Socket),
            (libc::SYS_futex, Wait::Lock),
            (libc::SYS_clock_nanosleep, Wait::Timer),
            (libc::SYS_io_uring_enter, Wait::Completion),
            (libc::SYS_ppoll, Wait::Poll),
            (libc::SYS_getpid, Wait::Other),
        ] {
            assert_eq!(at(number, "0"), expected, "{number}");
        }
        assert_eq!(at(libc::SYS_pwrite64, "balance_dirty_pages"), Wait::Writeback);
        assert_eq!(at(libc::SYS_pwrite64, "reclaim_throttle"), Wait::Reclaim);
        let outside = |function| waits_for(Call::None, function, |_| None);
        assert_eq!((outside("folio_wait_bit_common"), outside("shrink_node")), (Wait::Fault, Wait::Reclaim));
        assert_eq!(waits_for(Call::Runs, "", |_| None), Wait::Running);
    }

    #[test]
    fn every_wait_has_a_column_of_its_own() {
        let names: std::collections::HashSet<_> = WAITS.iter().map(|(_, name)| name).collect();
        assert_eq!(names.len(), WAITS.len());
        for wait in ALWAYS.iter().map(|(wait, _)| wait).chain(HELD_UP.iter().map(|(_, wait)| wait)) {
            assert!(WAITS.iter().any(|(own, _)| own == wait), "{wait:?}");
        }
    }

    /// A thread that does nothing but `wait`, seen when it has come to it.
    fn seen(wait: impl FnOnce() + Send, end: impl FnOnce()) -> Vec<&'static str> {
        std::thread::scope(|scope| {
            let (send, number) = channel();
            scope.spawn(move || {
                send.send(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()).unwrap();
                wait();
            });
            let mut waits = WorkerWaits::open(&[number.recv().unwrap()]).unwrap();
            waits.begin(0);
            let mut all = Vec::new();
            // It may take a while to get there.
            for look in 1..=200 {
                std::thread::sleep(Duration::from_millis(5));
                waits.look(look);
                let of =
                    |(place, own): (usize, &AtomicU64)| (own.load(Ordering::Relaxed) > 0).then_some(place);
                all = waits.seen.waits.iter().enumerate().filter_map(of).map(|at| WAITS[at].1).collect();
                if all.iter().any(|name| *name != "running") {
                    break;
                }
            }
            end();
            all.retain(|name| *name != "running");
            all
        })
    }

    #[test]
    fn threads_that_wait_are_seen_to() {
        let (mut near, far) = UnixStream::pair().unwrap();
        assert_eq!(seen(move || drop(near.read(&mut [0; 1])), move || drop(far)), ["wait_socket"]);
        let (mut read, write) = std::io::pipe().unwrap();
        assert_eq!(seen(move || drop(read.read(&mut [0; 1])), move || drop(write)), ["wait_pipe"]);
        let (send, receive) = channel::<()>();
        assert_eq!(seen(move || _ = receive.recv(), move || drop(send)), ["wait_lock"]);
        assert_eq!(seen(|| std::thread::sleep(Duration::from_millis(1500)), || ()), ["wait_timer"]);
    }

    #[test]
    fn of_many_threads_others_are_asked_each_time_and_all_time_is_shared_out() {
        let own = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        let mut waits = WorkerWaits::open(&[own; 40]).unwrap();
        waits.begin(1_000);
        waits.look(2_000);
        waits.look(4_000);
        assert_eq!(waits.next, 32);
        let all: u64 = waits.seen.waits.iter().map(|own| own.load(Ordering::Relaxed)).sum();
        assert_eq!((all, waits.seen.looks.load(Ordering::Relaxed)), (40 * 3_000, 32));
        let mut sampler = waits.sampler().remove(0);
        let mut values = vec![0; sampler.columns().len()];
        sampler.read(&mut values);
        assert_eq!(values.iter().take(WAITS.len()).sum::<u64>(), 40 * 3_000);
        assert!(WorkerWaits::open(&[u32::MAX]).is_err_and(|reason| reason.contains("syscall")));
    }
}
