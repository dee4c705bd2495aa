//! The `io_uring` engine: a ring, registered files and registered buffers for
//! each worker, made in the worker's own thread so that the kernel may skip
//! locking (`SINGLE_ISSUER`) and run completions in it (`DEFER_TASKRUN`).
//!
//! What was started is handed over in lots (`submit-batch`), the last of them
//! together with the wait for a completion. One large lot of all that is due
//! would leave the device idle while it is being prepared: at depth 32 lots of
//! 8 gave 83 k reads a second here where lots of 32 gave 70 k.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use engine::{Worker, clock};
use io_uring::{IoUring, opcode, types};
use model::FactName;
use model::parameter::Word;
use model::plan::Problem;

use super::{Engine, Options};
use crate::workload::disk::access::Task;
use crate::workload::disk::aligned::Slots;
use crate::workload::disk::io_uring_access;
use crate::workload::disk::job::{Flight, Job};
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::{DiskPlan, SyncRule};

/// The deepest queue: the largest ring that the kernel makes.
const DEPTH_MAX: usize = 4096;

pub(super) const ENGINE: Engine = Engine {
    word: Word { word: "io_uring", doc: "asynchronous, a ring of its own for each thread" },
    drives: true,
    cached_only: false,
    available,
    check,
    worker,
};

fn available() -> Result<(), Problem> {
    match io_uring_access::refusal() {
        None => Ok(()),
        Some(why) => Err(Problem::refused(why, "use engine=aio, or engine=sync, which has a depth of 1")),
    }
}

fn check(plan: &DiskPlan) -> Result<(), Problem> {
    let refuse = |message: String, help: &str| Err(Problem::invalid(message, help));
    let Options { depth, iopoll, direct, .. } = plan.options();
    if depth > DEPTH_MAX {
        return refuse(
            format!("queue-depth {depth} is more than {DEPTH_MAX}, the largest ring"),
            "use more threads",
        );
    }
    if iopoll && !direct {
        return refuse(
            "iopoll=yes polls a device, and with direct=no the page cache answers".to_owned(),
            "use direct=yes, or leave out iopoll",
        );
    }
    if iopoll && matches!(plan.sync, SyncRule::Every(_)) {
        return refuse(
            "a ring with iopoll=yes takes reads and writes only, no fsync".to_owned(),
            "use sync=dsync or sync=end, or leave out iopoll",
        );
    }
    Ok(())
}

fn worker(job: Job, options: &Options) -> Result<Box<dyn Worker>, Fault> {
    Ok(Box::new(Ring::new(job, options)?))
}

/// One worker's ring.
struct Ring {
    job: Job,
    options: Options,
    flags: String,
    fixed_buffers: bool,
    by_kernel_workers: bool,
    lot: usize,
    least: usize,
    pending: usize,
    in_flight: usize,
    flights: Vec<Flight>,
    /// Slots handed over, but not yet to the kernel.
    waiting: Vec<usize>,
    /// What was done by a call instead of by the ring.
    called: Vec<Completion>,
    // The order matters: the ring goes before the memory it points into.
    ring: Box<IoUring>,
    buffers: std::mem::ManuallyDrop<Slots>,
}

impl Ring {
    fn new(job: Job, options: &Options) -> Result<Self, Fault> {
        let depth = options.depth;
        let (ring, flags) = build(options)?;
        let submitter = ring.submitter();
        let files: Vec<_> = job.files.iter().map(AsRawFd::as_raw_fd).collect();
        if options.registered {
            submitter
                .register_files(&files)
                .map_err(|e| Fault::system("registering the files with io_uring", e))?;
        }
        let buffers = job.slots(depth)?;
        // Registered buffers count as locked memory for unprivileged users;
        // without them the kernel pins pages at each operation.
        // SAFETY: the mapping outlives the ring, by the order of the fields.
        let fixed_buffers =
            options.registered && unsafe { submitter.register_buffers(&buffers.each()) }.is_ok();
        let by_kernel_workers = !options.iopoll && !options.sqpoll && job.files.iter().any(must_wait);
        Ok(Self {
            job,
            options: *options,
            flags,
            fixed_buffers,
            by_kernel_workers,
            lot: options.submit_batch.clamp(1, depth),
            least: options.complete_batch.clamp(1, depth),
            pending: 0,
            in_flight: 0,
            flights: vec![Flight::NONE; depth],
            waiting: Vec::with_capacity(depth),
            called: Vec::with_capacity(depth),
            ring: Box::new(ring),
            buffers: std::mem::ManuallyDrop::new(buffers),
        })
    }

    #[inline]
    fn entry(&self, slot: usize, task: Task) -> io_uring::squeue::Entry {
        let pointer = self.buffers.pointer(slot);
        // The survey has checked both: at most 1 GiB, at most 4096 slots.
        let (bytes, index, offset) = (task.bytes as u32, slot as u16, task.offset);
        let flags = if task.is_forced { libc::RWF_DSYNC } else { 0 };
        // The library has no common type for the two kinds of files.
        macro_rules! on {
            ($file:expr) => {
                match (task.kind, self.fixed_buffers) {
                    (Kind::Sync, _) => opcode::Fsync::new($file).flags(types::FsyncFlags::DATASYNC).build(),
                    (Kind::Write, true) => {
                        let write = opcode::WriteFixed::new($file, pointer, bytes, index);
                        write.offset(offset).rw_flags(flags).build()
                    }
                    (Kind::Write, false) => {
                        let write = opcode::Write::new($file, pointer, bytes);
                        write.offset(offset).rw_flags(flags).build()
                    }
                    (_, true) => opcode::ReadFixed::new($file, pointer, bytes, index).offset(offset).build(),
                    (_, false) => opcode::Read::new($file, pointer, bytes).offset(offset).build(),
                }
            };
        }
        let entry = if self.options.registered {
            on!(types::Fixed(task.file as u32))
        } else {
            on!(types::Fd(self.job.files[task.file].as_raw_fd()))
        };
        entry.user_data(slot as u64)
    }

    /// What waits in the ring is given to the kernel now.
    #[inline]
    fn hand_over(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let now_ns = clock::now_ns();
        for slot in &self.waiting {
            self.flights[*slot].handed_ns = now_ns;
        }
        self.waiting.clear();
    }

    /// Hands over and waits as asked; running out of time is no error.
    #[inline]
    fn enter(&mut self, wait: Wait) -> Result<(), Fault> {
        self.hand_over();
        let least = self.least.min(self.in_flight).max(1);
        let wait = match wait {
            // The kernel waits for no time where it polls.
            Wait::For(_) if self.options.iopoll => Wait::Poll,
            Wait::One if self.options.sqpoll && self.ring.completion().len() >= least => Wait::Poll,
            wait => wait,
        };
        let submitter = self.ring.submitter();
        let result = match wait {
            // The kernel's thread needs no call, unless it has fallen asleep.
            Wait::Poll if self.options.sqpoll => submitter.submit().map(drop),
            Wait::One => submitter.submit_and_wait(least).map(drop),
            Wait::For(ns) => {
                let span = clock::timespec(ns);
                let timeout = types::Timespec::new().sec(span.tv_sec as u64).nsec(span.tv_nsec as u32);
                let args = types::SubmitArgs::new().timespec(&timeout);
                submitter.submit_with_args(1, &args).map(drop)
            }
            // GETEVENTS lets deferred completions run even when none is awaited.
            Wait::Poll => {
                let pending = self.ring.submission().len();
                let submitter = self.ring.submitter();
                // SAFETY: the entries point into buffers that live as long as
                // the ring; no argument is passed.
                unsafe {
                    submitter.enter::<libc::sigset_t>(
                        pending as u32,
                        0,
                        1, /* IORING_ENTER_GETEVENTS */
                        None,
                    )
                }
                .map(drop)
            }
        };
        result.or_else(passing)
    }

    /// The kernel's thread (`sqpoll`) may end an operation before it gives its
    /// place in the ring back.
    #[cold]
    fn make_room(&mut self) -> Result<(), Fault> {
        if !self.options.sqpoll {
            return Err(Fault::Other("the submission queue is full".to_owned()));
        }
        let submitter = self.ring.submitter();
        submitter.submit().and_then(|_| submitter.squeue_wait()).map(drop).or_else(passing)
    }
}

/// What is told of a target that [`must_wait`].
const BY_KERNEL_WORKERS: &str = "by threads of the kernel (io-wq), whose CPU time is not in cpu_per_operation, for the \
     target takes no operation that must not wait";

/// Whether a target takes no operation that must not wait (`RWF_NOWAIT`): the ring then gives each
/// one to a thread of the kernel, which takes some two switches of context instead of none. So it is
/// with zram, and with some stacked devices (io_uring/rw.c, `io_file_supports_nowait`).
fn must_wait(file: &File) -> bool {
    let mut sector = [0u8; 512];
    let into = libc::iovec { iov_base: sector.as_mut_ptr().cast(), iov_len: sector.len() };
    // That the flag is not known is told before the place and the length are looked at.
    // SAFETY: the buffer is as long as it says.
    let read = unsafe { libc::preadv2(file.as_raw_fd(), &raw const into, 1, 0, libc::RWF_NOWAIT) };
    read < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP)
}

/// What passes by itself is no fault: the time to wait ran out, a signal came,
/// completions must be collected first.
fn passing(error: io::Error) -> Result<(), Fault> {
    match error.raw_os_error() {
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
        _ => Err(Fault::system("handing operations to io_uring", error)),
    }
}

/// What cannot be polled is refused only when it is tried.
#[cold]
fn explained(fault: Fault, iopoll: bool) -> Fault {
    match &fault {
        Fault::System { source, .. } if iopoll && source.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            Fault::Other(format!("{fault}: this target cannot be polled; leave out iopoll"))
        }
        _ => fault,
    }
}

/// How long the kernel's thread looks for work before it sleeps (`sqpoll`), ms.
const SQPOLL_IDLE_MS: u32 = 1000;

/// The best ring that this kernel makes, and what it is called.
fn build(options: &Options) -> Result<(IoUring, String), Fault> {
    let entries = u32::try_from(options.depth.next_power_of_two()).unwrap_or(u32::MAX);
    let mut asked = Vec::new();
    let mut builder = IoUring::builder();
    if options.iopoll {
        builder.setup_iopoll();
        asked.push("iopoll");
    }
    if options.sqpoll {
        // The kernel's thread submits, so the other flags have no meaning.
        builder.setup_sqpoll(SQPOLL_IDLE_MS);
        asked.push("sqpoll");
        let ring = builder.build(entries).map_err(|e| Fault::system("making an io_uring with sqpoll", e))?;
        return Ok((ring, asked.join(" ")));
    }
    let mut best = builder.clone();
    if let Ok(ring) = best.setup_single_issuer().setup_defer_taskrun().build(entries) {
        asked.extend(["single-issuer", "defer-taskrun"]);
        return Ok((ring, asked.join(" ")));
    }
    if let Ok(ring) = builder.clone().setup_coop_taskrun().build(entries) {
        asked.push("coop-taskrun");
        return Ok((ring, asked.join(" ")));
    }
    let ring = builder.build(entries).map_err(|e| Fault::system("making an io_uring", e))?;
    Ok((ring, if asked.is_empty() { "none".to_owned() } else { asked.join(" ") }))
}

impl Queue for Ring {
    #[inline]
    fn depth(&self) -> usize {
        self.options.depth
    }

    #[inline]
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let task = self.job.task(slot, operation, self.buffers.bytes(slot));
        if self.job.is_called(task) {
            self.called.push(self.job.call(slot, task)?);
            return Ok(());
        }
        let entry = self.entry(slot, task);
        let handed_ns = if self.options.sqpoll { clock::now_ns() } else { 0 };
        self.flights[slot] = Flight { task, handed_ns };
        // SAFETY: the entry's buffer belongs to a slot that is not in flight and
        // lives as long as the ring.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.make_room()?;
        }
        if !self.options.sqpoll {
            self.waiting.push(slot);
        }
        self.in_flight += 1;
        self.pending += 1;
        if self.pending == self.lot && self.lot < self.options.depth {
            self.pending = 0;
            self.hand_over();
            self.ring.submit().map(drop).or_else(passing)?;
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        self.pending = 0;
        if !self.called.is_empty() {
            done.append(&mut self.called);
            self.enter(Wait::Poll)?;
        } else {
            self.enter(wait)?;
        }
        for completion in self.ring.completion() {
            self.in_flight -= 1;
            let slot = completion.user_data() as usize;
            let result = u64::try_from(completion.result())
                .map_err(|_| io::Error::from_raw_os_error(-completion.result()));
            let ended = self.job.ended(slot, self.flights[slot], result);
            done.push(ended.map_err(|fault| explained(fault, self.options.iopoll))?);
        }
        Ok(())
    }

    as_its_job_does!();

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        vec![self.buffers.range()]
    }

    fn facts(&self) -> Vec<(FactName, model::Value)> {
        let mut facts = self.job.facts();
        facts.extend([
            (FactName::new("ring_flags"), self.flags.clone().into()),
            (FactName::new("registered_file"), self.options.registered.into()),
            (FactName::new("registered_buffers"), self.fixed_buffers.into()),
            (FactName::new("completion_batch"), (self.least as u64).into()),
        ]);
        if self.by_kernel_workers {
            facts.push((FactName::new("submission"), BY_KERNEL_WORKERS.into()));
        }
        if self.options.sqpoll {
            let told = "a thread of the kernel, whose CPU time is not in cpu_per_operation";
            facts.push((FactName::new("submission"), told.into()));
        }
        facts
    }
}

impl Drop for Ring {
    /// The kernel may still write into the buffers: waits until it does not.
    fn drop(&mut self) {
        while self.in_flight > 0 {
            if self.enter(Wait::One).is_err() {
                // The ring cannot be waited for. Closing it makes the kernel
                // cancel what is in flight; the memory stays mapped till the
                // process ends.
                return;
            }
            self.in_flight -= self.ring.completion().count().min(self.in_flight);
        }
        // The kernel tears a ring down in its own time; what is unregistered
        // here is free when we return, so that a file system can be unmounted.
        let submitter = self.ring.submitter();
        let _ = submitter.unregister_buffers();
        let _ = submitter.unregister_files();
        // SAFETY: nothing is in flight any more, and this is the only place that
        // drops the buffers.
        unsafe { std::mem::ManuallyDrop::drop(&mut self.buffers) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_no_read_that_must_not_wait_is_found() {
        // The kernel says so by FMODE_NOWAIT, which files of proc lack (fs/proc) and /dev/null has
        // (drivers/char/mem.c).
        assert!(must_wait(&File::open("/proc/self/status").unwrap()));
        assert!(!must_wait(&File::open("/dev/null").unwrap()));
    }
}
