//! The `aio` engine: the kernel's native asynchronous I/O by system call, for
//! machines where io_uring is forbidden. What was started is handed over in
//! lots (`submit-batch`); completions are waited for by `complete-batch`.
//!
//! It differs from `io_uring` in one figure: `io_submit` may block, where the
//! device's queue is full and whenever the page cache is used, so an operation
//! counts as handed over when that call returned, and the wait is seen in the
//! submit latency (as in fio's `slat`). io_uring takes an operation over before
//! it works on it, so there the time before the call counts.
//!
//! It is no POSIX aio: the C library makes that of threads.

use engine::{Worker, clock};
use std::io;
use std::os::fd::AsRawFd;

use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::parameter::Word;
use model::plan::Problem;
use model::{FactName, Value};

use super::{Engine, Options, only_io_uring};
use crate::workload::disk::aligned::Slots;
use crate::workload::disk::job::{Flight, Job};
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::DiskPlan;

/// Operations in flight that all processes may have together.
const LIMIT: &str = "/proc/sys/fs/aio-max-nr";
/// Those that are taken.
const TAKEN: &str = "/proc/sys/fs/aio-nr";

pub(super) const ENGINE: Engine = Engine {
    word: Word { word: "aio", doc: "asynchronous, the older way: where io_uring is forbidden" },
    drives: true,
    cached_only: false,
    available,
    check,
    worker,
};

fn available() -> Result<(), Problem> {
    Context::new(1).map(drop).map_err(|error| {
        let instead = match error.raw_os_error() {
            Some(libc::EAGAIN) => "raise it (`sysctl fs.aio-max-nr=1048576`), or use engine=io_uring",
            _ => "use engine=io_uring, or engine=sync, which has a depth of 1",
        };
        Problem::refused(why(&error, read_number(LIMIT)), instead)
    })
}

fn check(plan: &DiskPlan) -> Result<(), Problem> {
    only_io_uring("aio", plan)?;
    let (Some(limit), Some(taken)) = (read_number(LIMIT), read_number(TAKEN)) else { return Ok(()) };
    let threads = plan.threads.saturating_mul(plan.targets.len() as u64);
    check_room((plan.options().depth as u64).saturating_mul(threads), limit, taken)
}

fn worker(job: Job, options: &Options) -> Result<Box<dyn Worker>, Fault> {
    Ok(Box::new(Aio::new(job, options)?))
}

/// Why no context can be had.
fn why(error: &io::Error, limit: Option<u64>) -> String {
    match (error.raw_os_error(), limit) {
        (Some(libc::ENOSYS), _) => "this kernel has no aio, or a seccomp filter hides it".to_owned(),
        (Some(libc::EPERM | libc::EACCES), _) => {
            "aio is forbidden here, by a seccomp filter or a security module".to_owned()
        }
        (Some(libc::EAGAIN), Some(limit)) => {
            format!("all {limit} aio operations that sysctl fs.aio-max-nr allows are taken")
        }
        _ => format!("aio cannot be used: {error}"),
    }
}

/// Whether the system's limit has room for all workers' queues.
fn check_room(wanted: u64, limit: u64, taken: u64) -> Result<(), Problem> {
    if wanted <= limit.saturating_sub(taken) {
        return Ok(());
    }
    Err(Problem::refused(
        format!(
            "{wanted} operations in flight are more than aio may have: sysctl fs.aio-max-nr={limit}, of which {taken} \
             are taken"
        ),
        format!("raise it (`sysctl fs.aio-max-nr={}`), or use a smaller queue-depth", taken + wanted),
    ))
}

fn read_number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// `struct iocb` of `include/uapi/linux/aio_abi.h`: one operation.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Iocb {
    data: u64,
    /// Two fields of 32 bits whose order depends on the byte order: one is the
    /// kernel's, the other (`aio_rw_flags`) is the upper half in either.
    key_and_flags: u64,
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// `RWF_DSYNC` where `aio_rw_flags` lies.
const FORCED: u64 = (libc::RWF_DSYNC as u64) << 32;

/// `struct io_event` of the same file: an operation that ended.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Event {
    data: u64,
    object: u64,
    result: i64,
    result_2: i64,
}

const _: () = assert!(size_of::<Iocb>() == 64 && size_of::<Event>() == 32);

/// `IOCB_CMD_*` of the same file.
fn opcode(kind: Kind) -> u16 {
    match kind {
        Kind::Read => 0,
        Kind::Write => 1,
        // Trims and zeros go by a call.
        Kind::Sync | Kind::Trim | Kind::Zero => 3,
    }
}

/// A context of the kernel: a queue of completions. When it goes, it waits for
/// all that is in flight, as io_destroy(2) promises.
#[derive(Debug)]
struct Context(libc::c_ulong);

impl Context {
    fn new(depth: usize) -> io::Result<Self> {
        let mut id: libc::c_ulong = 0;
        // SAFETY: the kernel writes the context's name to the pointer, which
        // lives through the call.
        number(unsafe { libc::syscall(libc::SYS_io_setup, depth as libc::c_ulong, &raw mut id) })?;
        Ok(Self(id))
    }

    /// Hands over `lot`; returns how many of it the kernel took.
    ///
    /// # Safety
    /// What the entries point to must live, and not be touched, until they end.
    unsafe fn submit(&self, lot: &[*mut Iocb]) -> io::Result<usize> {
        // SAFETY: the list and its entries live through the call.
        number(unsafe { libc::syscall(libc::SYS_io_submit, self.0, lot.len(), lot.as_ptr()) })
    }

    /// Waits for at least `least` ends, for `timeout` at most; returns how many
    /// there are in `events`.
    fn events(
        &self,
        least: usize,
        events: &mut [Event],
        timeout: Option<&libc::timespec>,
    ) -> io::Result<usize> {
        let timeout = timeout.map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the kernel writes at most as many events as there is room for.
        number(unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.0,
                least as libc::c_long,
                events.len() as libc::c_long,
                events.as_mut_ptr(),
                timeout,
            )
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is ours and nobody uses it any more.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

fn number(result: libc::c_long) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// One worker's queue.
#[derive(Debug)]
struct Aio {
    job: Job,
    depth: usize,
    direct: bool,
    lot: usize,
    least: usize,
    /// Operations that were started and have not been seen to end.
    in_flight: usize,
    flights: Vec<Flight>,
    /// One for each slot; the kernel reads them only while it is given them.
    entries: Vec<Iocb>,
    /// Slots whose operations are still to be handed over.
    waiting: Vec<usize>,
    /// Their entries, while they are.
    list: Vec<*mut Iocb>,
    events: Vec<Event>,
    /// What was done by a call instead.
    called: Vec<Completion>,
    // The order matters: the context, which waits for what is in flight, goes
    // before the memory that is written to.
    context: Context,
    buffers: Slots,
}

impl Aio {
    fn new(job: Job, options: &Options) -> Result<Self, Fault> {
        let depth = options.depth;
        let context = Context::new(depth).map_err(|error| {
            Fault::Other(format!("making an aio queue: {}", why(&error, read_number(LIMIT))))
        })?;
        let buffers = job.slots(depth)?;
        Ok(Self {
            depth,
            direct: options.direct,
            lot: options.submit_batch.clamp(1, depth),
            least: options.complete_batch.clamp(1, depth),
            in_flight: 0,
            flights: vec![Flight::NONE; depth],
            entries: vec![Iocb::default(); depth],
            waiting: Vec::with_capacity(depth),
            list: Vec::with_capacity(depth),
            events: vec![Event::default(); depth],
            called: Vec::with_capacity(depth),
            context,
            buffers,
            job,
        })
    }

    /// Gives the kernel all that waits, or as much as it takes: the rest follows
    /// when something has ended.
    fn hand_over(&mut self) -> Result<(), Fault> {
        while !self.waiting.is_empty() {
            let entries = self.entries.as_mut_ptr();
            self.list.clear();
            self.list.extend(self.waiting.iter().map(|slot| entries.wrapping_add(*slot)));
            // SAFETY: entries and buffers belong to slots that are not used until
            // their end was seen, and the context goes before both.
            let taken = match unsafe { self.context.submit(&self.list) } {
                Ok(0) => return Ok(()),
                Ok(taken) => taken,
                Err(error) => match error.raw_os_error() {
                    Some(libc::EINTR) => continue,
                    // No room until something in flight has ended.
                    Some(libc::EAGAIN) if self.in_flight > self.waiting.len() => return Ok(()),
                    _ => return Err(Fault::system("handing operations to aio", error)),
                },
            };
            let now_ns = clock::now_ns();
            for slot in self.waiting.drain(..taken) {
                self.flights[slot].handed_ns = now_ns;
            }
        }
        Ok(())
    }

    /// Waits as asked; returns how many ended.
    fn wait(&mut self, wait: Wait) -> Result<usize, Fault> {
        let handed = self.in_flight - self.waiting.len();
        if handed == 0 {
            return Ok(0);
        }
        let mut span = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        if let Wait::For(ns) = wait {
            let asked = clock::timespec(ns);
            span = libc::timespec { tv_sec: asked.tv_sec as _, tv_nsec: asked.tv_nsec as _ };
        }
        let (least, timeout) = match wait {
            Wait::One => (self.least.min(handed), None),
            Wait::For(_) => (1, Some(&span)),
            Wait::Poll => (0, Some(&span)),
        };
        match self.context.events(least, &mut self.events, timeout) {
            Ok(count) => Ok(count),
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => Ok(0),
            Err(error) => Err(Fault::system("waiting for operations of aio", error)),
        }
    }
}

impl Queue for Aio {
    #[inline]
    fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let task = self.job.task(slot, operation, self.buffers.bytes(slot));
        if self.job.is_called(task) {
            self.called.push(self.job.call(slot, task)?);
            return Ok(());
        }
        self.flights[slot] = Flight { task, handed_ns: 0 };
        self.entries[slot] = Iocb {
            data: slot as u64,
            key_and_flags: if task.is_forced { FORCED } else { 0 },
            opcode: opcode(task.kind),
            file: self.job.files[task.file].as_raw_fd() as u32,
            buffer: if task.bytes > 0 { self.buffers.pointer(slot) as u64 } else { 0 },
            bytes: task.bytes,
            offset: task.offset as i64,
            ..Iocb::default()
        };
        self.waiting.push(slot);
        self.in_flight += 1;
        if self.waiting.len() >= self.lot && self.lot < self.depth {
            self.hand_over()?;
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        self.hand_over()?;
        let wait = if self.called.is_empty() { wait } else { Wait::Poll };
        done.append(&mut self.called);
        let count = self.wait(wait)?;
        for index in 0..count {
            let Event { data, result, .. } = self.events[index];
            self.in_flight -= 1;
            let slot = data as usize;
            let result = u64::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result as i32));
            done.push(self.job.ended(slot, self.flights[slot], result)?);
        }
        Ok(())
    }

    as_its_job_does!();

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        vec![self.buffers.range()]
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = self.job.facts();
        facts.push((FactName::new("completion_batch"), (self.least as u64).into()));
        if !self.direct {
            facts.push((
                FactName::new("submission"),
                "blocks: through the page cache aio is not asynchronous".into(),
            ));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_there_is_no_queue_is_told_by_what_forbids_it() {
        let told = |code: i32| why(&io::Error::from_raw_os_error(code), Some(64));
        assert!(told(libc::ENOSYS).contains("no aio, or a seccomp filter"));
        assert!(told(libc::EPERM).contains("forbidden"));
        assert_eq!(told(libc::EAGAIN), "all 64 aio operations that sysctl fs.aio-max-nr allows are taken");
        assert!(told(libc::ENOMEM).contains("cannot be used"));
    }

    #[test]
    fn the_systems_limit_has_room_for_all_queues_or_says_how_much_it_needs() {
        assert!(check_room(32 * 4 * 2, 356, 100).is_ok());
        let problem = check_room(32 * 4 * 2, 355, 100).unwrap_err();
        assert!(problem.message.starts_with("256 operations in flight"), "{problem:?}");
        assert!(problem.help.contains("fs.aio-max-nr=356"), "{problem:?}");
    }
}
