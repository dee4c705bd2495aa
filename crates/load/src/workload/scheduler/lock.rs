//! Arrays of the C library's mutexes, as sysbench has them: not Rust's, which
//! spin and sleep by rules of their own. How far apart they lie decides which
//! of them share a cache line, so both of sysbench's layouts are here.

use std::cell::UnsafeCell;

/// A mutex alone: 40 bytes with glibc on x86-64, so that three lie on two cache
/// lines, as in sysbench's threads test.
#[repr(C)]
pub(super) struct PlainMutex(UnsafeCell<libc::pthread_mutex_t>);

/// A mutex and 256 bytes behind it, as in sysbench's mutex test: no two share a
/// cache line.
#[repr(C)]
pub(super) struct PaddedMutex {
    mutex: UnsafeCell<libc::pthread_mutex_t>,
    padding: [u8; 256],
}

/// Something with a mutex in it.
pub(super) trait LockCell {
    /// One that nobody holds.
    const FREE: Self;
    /// Where on a cache line the first of them begins, where that is chosen: it
    /// decides which neighbours share a line.
    const OFFSET: Option<usize> = None;
    fn mutex(&self) -> *mut libc::pthread_mutex_t;
}

impl LockCell for PlainMutex {
    const FREE: Self = PlainMutex(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));
    /// Where the array of sysbench 1.0.20 begins with 2 threads, seen with gdb (48
    /// with 1 and 3, 16 with 4 to 64: its heap decides). Two
    /// threads are almost always at neighbours, of which 3 pairs of 8 share a line
    /// here; begun at 0 or 16, 4 do, and events are 5 to 8 % fewer.
    const OFFSET: Option<usize> = Some(32);

    #[inline(always)]
    fn mutex(&self) -> *mut libc::pthread_mutex_t {
        self.0.get()
    }
}

impl LockCell for PaddedMutex {
    const FREE: Self =
        PaddedMutex { mutex: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER), padding: [0; 256] };

    #[inline(always)]
    fn mutex(&self) -> *mut libc::pthread_mutex_t {
        self.mutex.get()
    }
}

/// Mutexes side by side. They stay where they are made until they are dropped.
pub(super) struct Locks<P: LockCell> {
    all: Box<[P]>,
    /// Those before it are there to be left out.
    first: usize,
}

const LINE: usize = 64;

// SAFETY: the mutexes are reached through `hold` only, and to be locked by
// several threads is what they are for.
unsafe impl<P: LockCell> Send for Locks<P> {}
// SAFETY: as above.
unsafe impl<P: LockCell> Sync for Locks<P> {}

impl<P: LockCell> Locks<P> {
    pub(super) fn new(count: usize) -> Self {
        let spare = if P::OFFSET.is_some() { LINE / align_of::<P>() } else { 0 };
        let all: Box<[P]> = (0..count + spare).map(|_| P::FREE).collect();
        let lies_right = |place: &P| Some(std::ptr::from_ref(place).addr() % LINE) == P::OFFSET;
        let first = all.iter().take(spare).position(lies_right).unwrap_or(0);
        Self { all, first }
    }

    /// Does `work` while holding mutex `index`.
    #[inline(always)]
    pub(super) fn hold(&self, index: usize, work: impl FnOnce()) {
        let mutex = self.all[self.first + index].mutex();
        // SAFETY: the mutex is initialised and lives as long as `self`; it is
        // unlocked by the thread that locked it. `work` does not panic in any
        // use here; if it did, the mutex would stay locked, not break. One of
        // the default kind that is used so cannot fail.
        unsafe {
            libc::pthread_mutex_lock(mutex);
            work();
            libc::pthread_mutex_unlock(mutex);
        }
    }
}

impl<P: LockCell> Drop for Locks<P> {
    fn drop(&mut self) {
        for place in &self.all {
            // SAFETY: nobody holds it: all who could borrow it are gone.
            unsafe { libc::pthread_mutex_destroy(place.mutex()) };
        }
    }
}

impl<P: LockCell> std::fmt::Debug for Locks<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} mutexes", self.all.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_env = "gnu", target_arch = "x86_64"))]
    fn the_layouts_are_those_of_sysbench() {
        // sysbench 1.0.20 for x86-64 multiplies by 5 x 8 and by 37 x 8.
        assert_eq!(size_of::<PlainMutex>(), 40);
        assert_eq!(size_of::<PaddedMutex>(), 296);
        for count in [1, 2, 8, 100] {
            let locks = Locks::<PlainMutex>::new(count);
            assert_eq!(locks.all[locks.first].mutex().addr() % 64, 32);
            locks.hold(count - 1, || {});
        }
    }

    #[test]
    fn a_mutex_keeps_others_out() {
        let locks = Locks::<PaddedMutex>::new(2);
        let mut count = 0u64;
        let counter = std::sync::atomic::AtomicPtr::new(&raw mut count);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let counter = counter.load(std::sync::atomic::Ordering::Relaxed);
                    for _ in 0..10_000 {
                        // SAFETY: the counter outlives the scope and is touched
                        // by the holder of mutex 1 only.
                        locks.hold(1, || unsafe { *counter += 1 });
                    }
                });
            }
        });
        assert_eq!(count, 40_000);
    }
}
