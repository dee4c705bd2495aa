//! Signals: setting a handler, and being called by it.

use std::cell::Cell;
use std::sync::atomic::{Ordering, compiler_fence};
use std::sync::{Mutex, PoisonError};

use engine::fault::Fault;

use crate::workload::scheduler::syscall::Batch;
use crate::workload::scheduler::syscall::call::repeat;

/// A signal that nobody else here uses: one of those for free use, above those
/// that C libraries take for themselves.
fn signal() -> libc::c_int {
    libc::SIGRTMIN() + 7
}

fn error() -> rustix::io::Errno {
    rustix::io::Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(rustix::io::Errno::INVAL)
}

/// Sets the handler of a signal to what it is: the kernel does the same work as
/// for another, and nothing is changed.
pub(super) fn install(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let mut present: KernelAction = KernelAction::default();
    // SAFETY: it asks for the action of a signal, into room for one.
    let asked = unsafe { rt_sigaction(std::ptr::null(), &raw mut present) };
    asked.map_err(|e| Fault::system("asking for a signal's handler", e))?;
    Ok(repeat(count, "setting a signal's handler", move || {
        // SAFETY: the action is the one that the kernel gave.
        unsafe { rt_sigaction(&raw const present, std::ptr::null_mut()) }
    }))
}

/// Room for the kernel's own `struct sigaction`, which is no larger than this on
/// any processor and is handed back as it was given.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
struct KernelAction([u64; 16]);

/// By the instruction itself: the C library would translate the action.
unsafe fn rt_sigaction(new: *const KernelAction, old: *mut KernelAction) -> rustix::io::Result<()> {
    // The kernel's set of signals has 64 bits (128 on MIPS, where we do not run).
    const SET_BYTES: usize = 8;
    // SAFETY: the caller gives valid pointers or null.
    let result = unsafe { libc::syscall(libc::SYS_rt_sigaction, signal(), new, old, SET_BYTES) };
    if result == 0 { Ok(()) } else { Err(error()) }
}

thread_local! {
    /// How often this thread's handler was called. (Without a destructor, so that
    /// a handler may touch it.)
    static CALLED: Cell<u32> = const { Cell::new(0) };
}

extern "C" fn on_signal(_signal: libc::c_int) {
    CALLED.set(CALLED.get() + 1);
}

/// How many need the handler.
static USERS: Mutex<usize> = Mutex::new(0);

/// The handler, while any of these is alive.
struct Handler;

impl Handler {
    fn new() -> Result<Self, Fault> {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        if *users == 0 {
            set(on_signal as *const () as usize).map_err(|e| Fault::system("handling a signal", e))?;
        }
        *users += 1;
        Ok(Self)
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        *users -= 1;
        if *users == 0 {
            let _ = set(libc::SIG_DFL);
        }
    }
}

fn set(handler: libc::sighandler_t) -> rustix::io::Result<()> {
    // SAFETY: all-zero is a valid sigaction; the handler takes a number and
    // touches only what a handler may.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal(), &raw const action, std::ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(error()) }
}

struct Signalling {
    count: u32,
    process: libc::c_int,
    thread: libc::c_int,
    signal: libc::c_int,
    _handler: Handler,
}

/// `count` signals of a thread to itself, each handled before the next is sent.
pub(super) fn handle(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let process = rustix::process::getpid().as_raw_pid();
    let thread = rustix::thread::gettid().as_raw_pid();
    Ok(Box::new(Signalling { count, process, thread, signal: signal(), _handler: Handler::new()? }))
}

impl Batch for Signalling {
    fn run(&mut self) -> Result<(), Fault> {
        CALLED.set(0);
        // The compiler does not know that these calls call the handler.
        compiler_fence(Ordering::SeqCst);
        for _ in 0..self.count {
            // SAFETY: it takes numbers, and the signal has a handler.
            let result = unsafe { libc::syscall(libc::SYS_tgkill, self.process, self.thread, self.signal) };
            if result != 0 {
                return Err(Fault::system("sending a signal", error()));
            }
        }
        compiler_fence(Ordering::SeqCst);
        match CALLED.get() {
            called if called == self.count => Ok(()),
            called => Err(Fault::Verification(format!("{called} of {} signals were handled", self.count))),
        }
    }
}
