//! Taking a share of some CPUs from whatever else runs there, in short slices: what shows whether a
//! load is held back by them. A quota would not do: it stalls a group for tens of milliseconds at a
//! time, and leaves softirq and the kernel's workers their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use engine::{Fault, clock, placement};
use model::search::CpuTake;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// How long a CPU is held at once, ns: short beside an operation's way to a disk and back. (With
/// 100 us, a thread that waits 55 us for each read of a disk lost 8 % of its rate to 12 % of its
/// CPU, though the CPU was not what it waited for.)
const SLICE_NS: u64 = 25_000;

/// The highest priority that is not real time: a slice begins when it is due.
const NICEST: i32 = -20;

/// Threads that take their share until they are told to end.
pub(crate) struct CpuTaker {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<u64>>,
    started_ns: u64,
}

impl CpuTaker {
    /// Begins to take `take.share` of each of its CPUs. Fails if a thread cannot be started or
    /// pinned.
    pub(crate) fn start(take: &CpuTake) -> Result<Self, Fault> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut taker = Self { stop, threads: Vec::new(), started_ns: clock::now_ns() };
        for cpu in &take.cpus {
            let (stop, cpu) = (Arc::clone(&taker.stop), *cpu);
            let period_ns = (SLICE_NS as f64 / take.share.clamp(0.001, 0.9)) as u64;
            let (ready, is_ready) = std::sync::mpsc::channel();
            let thread = std::thread::Builder::new()
                .name(format!("take-{cpu}"))
                .spawn(move || {
                    let placed = placement::pin_this_thread(cpu);
                    let is_placed = placed.is_ok();
                    // Nobody hears it only where the start was given up.
                    let _ = ready.send(placed);
                    if is_placed { take_slices(period_ns, &stop) } else { 0 }
                })
                .map_err(|e| Fault::system("starting a thread that takes CPU time", e))?;
            taker.threads.push(thread);
            is_ready.recv().map_err(|_| Fault::Other("a thread that takes CPU time ended".to_owned()))??;
        }
        Ok(taker)
    }

    /// Ends it; the share of each CPU that was really taken.
    pub(crate) fn end(mut self) -> f64 {
        let lasted_ns = clock::now_ns().saturating_sub(self.started_ns).max(1);
        let threads = self.threads.len().max(1);
        let used_ns = self.join();
        used_ns as f64 / lasted_ns as f64 / threads as f64
    }

    fn join(&mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.drain(..).filter_map(|thread| thread.join().ok()).sum()
    }
}

impl Drop for CpuTaker {
    fn drop(&mut self) {
        self.join();
    }
}

/// Holds the CPU for a slice in each period; returns the CPU time used, ns.
fn take_slices(period_ns: u64, stop: &AtomicBool) -> u64 {
    // Without the right to it, the share is taken late; how much was taken is measured.
    let _ = rustix::process::setpriority_process(None, NICEST);
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let begun = used_ns();
    let mut due_ns = clock::now_ns();
    while !stop.load(Ordering::Relaxed) {
        let before = used_ns();
        while used_ns().saturating_sub(before) < SLICE_NS && !stop.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        due_ns = (due_ns + period_ns).max(clock::now_ns().saturating_sub(period_ns));
        // Woken early, it takes its slice early.
        let _ = rustix::thread::clock_nanosleep_absolute(ClockId::Monotonic, &clock::timespec(due_ns));
    }
    used_ns().saturating_sub(begun)
}

/// CPU time of the calling thread, ns.
fn used_ns() -> u64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(tv_sec).unwrap_or_default() * 1_000_000_000 + u64::try_from(tv_nsec).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_cpu_is_taken_and_counted() {
        let cpus = rustix::thread::sched_getaffinity(None).unwrap();
        let cpu = (0..1024).find(|cpu| cpus.is_set(*cpu)).unwrap() as u32;
        let taker =
            CpuTaker::start(&CpuTake { cpus: vec![cpu], share: 0.2, far: false, of_group: false }).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        let share = taker.end();
        assert!((0.02..0.6).contains(&share), "{share}");
    }

    #[test]
    fn a_cpu_that_is_not_there_is_an_error() {
        assert!(
            CpuTaker::start(&CpuTake { cpus: vec![1023], share: 0.1, far: false, of_group: false }).is_err()
        );
    }
}
