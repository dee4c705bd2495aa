//! Faults of memory: the first write to a page, and a write that is not allowed.

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering, compiler_fence};
use std::sync::{Mutex, PoisonError};

use engine::fault::Fault;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};

use crate::workload::scheduler::syscall::Batch;

/// Whole pages of memory, of the smallest kind.
struct Pages {
    at: NonNull<c_void>,
    bytes: usize,
    page: usize,
}

impl Pages {
    fn new(count: u32) -> Result<Self, Fault> {
        let page = rustix::param::page_size();
        let bytes = page * count as usize;
        let failed = |e| Fault::system("mapping pages to fault on", e);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let at = unsafe {
            mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        };
        let at = NonNull::new(at.map_err(failed)?).ok_or_else(|| failed(rustix::io::Errno::NOMEM))?;
        let pages = Self { at, bytes, page };
        // A huge page would be one fault for all. A kernel without them refuses.
        // SAFETY: the range is the mapping above.
        let _ = unsafe { madvise(at.as_ptr(), bytes, Advice::LinuxNoHugepage) };
        Ok(pages)
    }

    fn protect(&self, flags: MprotectFlags) -> Result<(), Fault> {
        // SAFETY: the mapping is our own, and nobody holds a reference into it.
        unsafe { mprotect(self.at.as_ptr(), self.bytes, flags) }
            .map_err(|e| Fault::system("protecting a page", e))
    }

    fn write(&self, index: usize) {
        // SAFETY: the address lies in the mapping, which may be written to, or is
        // made so by the handler of the fault that the write causes.
        unsafe { self.at.as_ptr().cast::<u8>().add(index * self.page).write_volatile(1) };
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is our own and nobody uses it any more.
        let _ = unsafe { munmap(self.at.as_ptr(), self.bytes) };
    }
}

struct Touching(Pages);

/// The first write to each of `count` pages.
pub(super) fn page(count: u32) -> Result<Box<dyn Batch>, Fault> {
    Ok(Box::new(Touching(Pages::new(count)?)))
}

impl Batch for Touching {
    fn run(&mut self) -> Result<(), Fault> {
        let pages = &self.0;
        for index in 0..pages.bytes / pages.page {
            pages.write(index);
        }
        // SAFETY: nothing in these pages is needed any more.
        unsafe { madvise(pages.at.as_ptr(), pages.bytes, Advice::LinuxDontNeed) }
            .map_err(|e| Fault::system("giving pages back", e))
    }
}

thread_local! {
    /// The page on which this thread faults by intent, 0 while on none. (Without
    /// a destructor and set when the thread begins, so that a handler may look at
    /// it; an atomic between fences, because a compiler does not know that a
    /// plain write calls the handler.)
    static PAGE: AtomicUsize = const { AtomicUsize::new(0) };
    /// How often it is yet to.
    static LEFT: AtomicU32 = const { AtomicU32::new(0) };
}

/// What handled such faults before, while ours does.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

/// How many need ours.
static USERS: Mutex<usize> = Mutex::new(0);

/// Our handler of SIGSEGV, while any of these is alive.
struct Handler;

impl Handler {
    fn new() -> Result<Self, Fault> {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        if *users == 0 {
            // SAFETY: all-zero is a valid sigaction; the handler has the type
            // that SA_SIGINFO asks for, and touches only what a handler may.
            unsafe {
                let mut before: Box<libc::sigaction> = Box::new(std::mem::zeroed());
                libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut *before);
                // There before the first fault can be handled.
                let before = Box::into_raw(before);
                BEFORE.store(before, Ordering::Release);
                let mut ours: libc::sigaction = std::mem::zeroed();
                ours.sa_sigaction = on_fault as *const () as usize;
                ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                if libc::sigaction(libc::SIGSEGV, &raw const ours, null_mut()) != 0 {
                    BEFORE.store(null_mut(), Ordering::Release);
                    drop(Box::from_raw(before));
                    let error = std::io::Error::last_os_error();
                    return Err(Fault::system("handling faults", error));
                }
            }
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
            // What was before is not freed: a fault of another thread may be on
            // its way through our handler. It is 152 bytes a load.
            // SAFETY: it points to the sigaction that was found.
            unsafe { libc::sigaction(libc::SIGSEGV, BEFORE.load(Ordering::Acquire), null_mut()) };
        }
    }
}

/// Counts the faults that are meant; the last may write. Any other is a fault of
/// the program, and goes to who handled it before: that is put back, and the
/// instruction faults again.
extern "C" fn on_fault(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    let (page, left) = (PAGE.with(|p| p.load(Ordering::Relaxed)), LEFT.with(|l| l.load(Ordering::Relaxed)));
    // SAFETY: the kernel gives a siginfo of a fault, which has an address.
    let at = unsafe { (*info).si_addr() } as usize;
    if page == 0 || at != page || left == 0 {
        // SAFETY: as in `Handler`; sigaction may be called by a handler.
        unsafe { libc::sigaction(libc::SIGSEGV, BEFORE.load(Ordering::Acquire), null_mut()) };
        return;
    }
    LEFT.with(|l| l.store(left - 1, Ordering::Relaxed));
    if left == 1 {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the page is the mapping of this thread, of this size at least.
        // A refusal would mean a fault more, which ends above.
        unsafe { libc::mprotect(at as *mut c_void, 1, both) };
    }
}

struct Trespassing {
    pages: Pages,
    count: u32,
    _handler: Handler,
}

/// `count` writes to a page that may only be read. Making it writable for the
/// last and not writable again are two calls more in all of them.
pub(super) fn protection(count: u32) -> Result<Box<dyn Batch>, Fault> {
    let pages = Pages::new(1)?;
    pages.write(0);
    Ok(Box::new(Trespassing { pages, count, _handler: Handler::new()? }))
}

impl Batch for Trespassing {
    fn run(&mut self) -> Result<(), Fault> {
        self.pages.protect(MprotectFlags::READ)?;
        let page = self.pages.at.as_ptr() as usize;
        PAGE.with(|p| p.store(page, Ordering::Relaxed));
        LEFT.with(|l| l.store(self.count, Ordering::Relaxed));
        compiler_fence(Ordering::SeqCst);
        self.pages.write(0);
        compiler_fence(Ordering::SeqCst);
        PAGE.with(|p| p.store(0, Ordering::Relaxed));
        match LEFT.with(|l| l.load(Ordering::Relaxed)) {
            0 => Ok(()),
            left => Err(Fault::Verification(format!("{left} of {} faults did not come", self.count))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handled_by() -> usize {
        // SAFETY: it only asks, into a valid sigaction.
        unsafe {
            let mut found: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut found);
            found.sa_sigaction
        }
    }

    #[test]
    fn a_fault_comes_as_often_as_asked() {
        let mut batch = protection(5).unwrap();
        assert_eq!(handled_by(), on_fault as *const () as usize);
        batch.run().unwrap();
        batch.run().unwrap();
        assert_eq!(PAGE.with(|p| p.load(Ordering::Relaxed)), 0);
    }
}
