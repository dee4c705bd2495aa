//! The same work on many items, on all CPUs that this process may use.
//!
//! Threads are made for one call and end with it: a program that measures keeps none that it does
//! not need. Items take times of their own, so a thread that is done takes the next few that nobody
//! has begun.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{Builder, available_parallelism, scope};

/// What a thread is worth: to make one takes some 20 us.
const ITEMS_LEAST: usize = 16;

/// So many times each thread takes items, if all take the same time.
const TURNS: usize = 16;

/// What `each` makes of every item, in their order. A few items are done by the calling thread, and
/// so is what no thread can be had for.
///
/// # Panics
///
/// If `each` does.
pub fn map<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (threads, chunk) = shared(items.len());
    let chunks = items.chunks(chunk).collect();
    let done = on_all(threads, chunks, |chunk: &[T]| chunk.iter().map(&each).collect::<Vec<R>>());
    done.into_iter().flatten().collect()
}

/// The same of a few items, each of which is worth a thread.
///
/// # Panics
///
/// If `each` does.
pub fn map_few<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    on_all(cpus().min(items.len()), items.iter().collect(), each)
}

/// Does `each` to every item, likewise.
///
/// # Panics
///
/// If `each` does.
pub fn update<T: Send>(items: &mut [T], each: impl Fn(&mut T) + Sync) {
    let (threads, chunk) = shared(items.len());
    let chunks = items.chunks_mut(chunk).collect();
    on_all(threads, chunks, |chunk: &mut [T]| chunk.iter_mut().for_each(&each));
}

/// What `each` makes of every item that `feed` gives, in the order in which it gives them, and what
/// `feed` returns. Other threads begin with the first item; the calling one feeds them, and then
/// works with them.
///
/// # Panics
///
/// If `feed` or `each` does.
pub fn map_fed<T: Send, R: Send, F>(
    feed: impl FnOnce(&mut dyn FnMut(T)) -> F,
    each: impl Fn(T) -> R + Sync,
) -> (F, Vec<R>) {
    let (sender, receiver) = mpsc::channel::<(usize, T)>();
    let receiver = Mutex::new(receiver);
    // The lock is held while one waits for an item, not while it works.
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let work = || {
        let mut done = Vec::new();
        while let Some((place, item)) = next() {
            done.push((place, each(item)));
        }
        done
    };
    let give_all = move || {
        let mut place = 0;
        feed(&mut |item| {
            // Received by this thread, if by no other.
            let _ = sender.send((place, item));
            place += 1;
        })
    };
    let (fed, done) = with_threads(cpus(), give_all, work);
    (fed, in_order(done))
}

fn cpus() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

/// How many threads share so many items, and how many one takes at once.
fn shared(items: usize) -> (usize, usize) {
    let threads = cpus().min(items / ITEMS_LEAST).max(1);
    let turns = if threads > 1 { threads * TURNS } else { 1 };
    (threads, items.div_ceil(turns).max(1))
}

/// What `of` makes of each chunk, in their order, by so many threads.
fn on_all<C: Send, R: Send>(threads: usize, chunks: Vec<C>, of: impl Fn(C) -> R + Sync) -> Vec<R> {
    let slots: Vec<Mutex<Option<C>>> = chunks.into_iter().map(|chunk| Mutex::new(Some(chunk))).collect();
    let begun = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let place = begun.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = slots.get(place) else { return done };
            let chunk = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            done.extend(chunk.map(|chunk| (place, of(chunk))));
        }
    };
    in_order(with_threads(threads, || (), work).1)
}

/// What `work` returns in so many threads, one after the other: the calling one does `first` before,
/// beside the others. Where no thread can be had there are fewer.
fn with_threads<R: Send, F>(
    threads: usize,
    first: impl FnOnce() -> F,
    work: impl Fn() -> Vec<R> + Sync,
) -> (F, Vec<R>) {
    scope(|scope| {
        let work = &work;
        let spawn = |_| Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(spawn).collect();
        let first = first();
        let mut all = work();
        for thread in others {
            all.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        (first, all)
    })
}

fn in_order<R>(mut all: Vec<(usize, R)>) -> Vec<R> {
    all.sort_unstable_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items() {
        for length in [0, 1, ITEMS_LEAST, 2 * ITEMS_LEAST, 1001] {
            let items: Vec<usize> = (0..length).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), doubled);
            assert_eq!(map_few(&items, |item| item * 2), doubled);
            let mut updated = items.clone();
            update(&mut updated, |item| *item *= 2);
            assert_eq!(updated, doubled);
            let feed = |give: &mut dyn FnMut(usize)| {
                items.iter().for_each(|item| give(*item));
                "all"
            };
            assert_eq!(map_fed(feed, |item| item * 2), ("all", doubled));
        }
    }

    #[test]
    fn one_long_item_keeps_no_other_waiting() {
        // The first waits until all others are done, which another thread has to do.
        let (done, items) = (AtomicUsize::new(0), [true, false, false, false]);
        let each = |waits: &bool| {
            if *waits && cpus() > 1 {
                while done.load(Ordering::Relaxed) < items.len() - 1 {
                    std::thread::yield_now();
                }
            }
            done.fetch_add(1, Ordering::Relaxed);
        };
        assert_eq!(map_few(&items, each).len(), items.len());
    }

    #[test]
    #[should_panic = "of one item"]
    fn a_panic_is_passed_on() {
        map(&[0; 100], |_| panic!("of one item"));
    }

    #[test]
    #[should_panic = "of what was fed"]
    fn a_panic_of_what_was_fed_is_passed_on() {
        map_fed(|give| (0..100).for_each(give), |_: i32| panic!("of what was fed"));
    }

    #[test]
    #[should_panic = "of the feeder"]
    fn a_feeder_that_panics_leaves_no_thread_waiting() {
        map_fed(|_: &mut dyn FnMut(i32)| panic!("of the feeder"), |item| item);
    }
}
