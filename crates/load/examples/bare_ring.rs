//! A bare loop that submits random reads of 4 KiB and reaps them, by io_uring
//! with the same flags, lots and registrations as the engine of `disk`: no
//! clock, no histogram, no schedule, nothing to end it but a flag. What `disk`
//! does less than this is what measuring costs. It is a peer of
//! `cargo xtask bench`, and no engine: it records nothing.
//!
//! `bare_ring PATH DEPTH WARM_UP_MS WINDOW_MS` prints reads per second, and the CPU
//! seconds that each took.
#![allow(clippy::print_stdout, reason = "it speaks to the benchmark")]

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use io_uring::{IoUring, opcode, types};
use rustix::time::{ClockId, clock_gettime};

const BLOCK: usize = 4096;
/// What `disk` hands over at once, at most.
const LOT: usize = 8;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, depth, warm_up, window] = words.as_slice() else {
        return Err("wanted: PATH DEPTH WARM_UP_MS WINDOW_MS".into());
    };
    let depth: usize = depth.parse()?;
    let warm_up = Duration::from_millis(warm_up.parse()?);
    let window = Duration::from_millis(window.parse()?);
    let file = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)?;
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let (rate, cpu_s) = std::thread::scope(|scope| {
        let worker = scope.spawn(|| read(&file, depth, &done, &stop).map_err(|e| e.to_string()));
        std::thread::sleep(warm_up);
        let (begin, before) = (Instant::now(), done.load(Ordering::Relaxed));
        std::thread::sleep(window);
        let rate = (done.load(Ordering::Relaxed) - before) as f64 / begin.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        match worker.join() {
            Ok(result) => result.map(|cpu_s| (rate, cpu_s / done.load(Ordering::Relaxed) as f64)),
            Err(_) => Err("the reader panicked".to_owned()),
        }
    })?;
    println!("{rate} {cpu_s}");
    Ok(())
}

/// A buffer for each slot, aligned as O_DIRECT wants; kept until the process
/// ends.
fn buffers(depth: usize) -> Result<*mut u8, Failure> {
    let layout = Layout::from_size_align(depth * BLOCK, BLOCK)?;
    // SAFETY: the layout has a size above zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    Ok(memory)
}

/// Reads until it is told to stop; returns the CPU seconds it used.
fn read(mut file: &File, depth: usize, done: &AtomicU64, stop: &AtomicBool) -> Result<f64, Failure> {
    let blocks = file.seek(SeekFrom::End(0))? / BLOCK as u64;
    let memory = buffers(depth)?;
    let buffer = |slot: usize| memory.wrapping_add(slot * BLOCK);
    let mut builder: io_uring::Builder = IoUring::builder();
    let mut ring =
        builder.setup_single_issuer().setup_defer_taskrun().build(depth.next_power_of_two() as u32)?;
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    let each: Vec<_> =
        (0..depth).map(|slot| libc::iovec { iov_base: buffer(slot).cast(), iov_len: BLOCK }).collect();
    // SAFETY: the memory is never given back.
    unsafe { ring.submitter().register_buffers(&each)? };

    let mut free: Vec<usize> = (0..depth).collect();
    let (mut total, mut index) = (0, 0u64);
    let before_s = cpu_s();
    while !stop.load(Ordering::Relaxed) {
        let mut pending = 0;
        while let Some(slot) = free.pop() {
            let block = ((u128::from(mixed(index)) * u128::from(blocks)) >> 64) as u64;
            index += 1;
            let entry = opcode::ReadFixed::new(types::Fixed(0), buffer(slot), BLOCK as u32, slot as u16)
                .offset(block * BLOCK as u64)
                .build()
                .user_data(slot as u64);
            // SAFETY: the slot is not in flight.
            unsafe { ring.submission().push(&entry)? };
            pending += 1;
            if pending == LOT && LOT < depth {
                pending = 0;
                ring.submit()?;
            }
        }
        ring.submit_and_wait(1)?;
        for completion in ring.completion() {
            if completion.result() != BLOCK as i32 {
                return Err(format!("a read gave {}", completion.result()).into());
            }
            free.push(completion.user_data() as usize);
            total += 1;
        }
        done.store(total, Ordering::Relaxed);
    }
    while free.len() < depth {
        ring.submit_and_wait(1)?;
        free.extend(ring.completion().map(|completion| completion.user_data() as usize));
    }
    Ok(cpu_s() - before_s)
}

/// CPU seconds of this thread.
fn cpu_s() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

/// SplitMix64's output for the state `index` steps from 0 (Steele, Lea and Flood
/// 2014), as `disk` chooses its places.
fn mixed(index: u64) -> u64 {
    let z = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
