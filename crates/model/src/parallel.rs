//! The same work on many items, on all CPUs that this process may use.
//!
//! Threads are made for one call and end with it: a program that measures keeps none that it does
//! not need.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope};

/// What a thread is worth: to make one takes some 20 us.
const ITEMS_LEAST: usize = 16;

/// What `each` makes of every item, in their order. A few items are done by the calling thread, and
/// so is what no thread can be had for.
///
/// # Panics
///
/// If `each` does.
pub fn map<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let chunks = items.chunks(chunk_of(items.len())).collect();
    on_all(chunks, |chunk: &[T]| chunk.iter().map(&each).collect::<Vec<R>>()).into_iter().flatten().collect()
}

/// Does `each` to every item, likewise.
///
/// # Panics
///
/// If `each` does.
pub fn update<T: Send>(items: &mut [T], each: impl Fn(&mut T) + Sync) {
    let chunks = items.chunks_mut(chunk_of(items.len())).collect();
    on_all(chunks, |chunk: &mut [T]| chunk.iter_mut().for_each(&each));
}

/// How many items one thread takes.
fn chunk_of(items: usize) -> usize {
    let cpus = available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cpus.min(items / ITEMS_LEAST).max(1);
    items.div_ceil(threads).max(1)
}

/// What `of` makes of each chunk: of the first in this thread, of the others each in its own.
fn on_all<C: Send, R: Send>(chunks: Vec<C>, of: impl Fn(C) -> R + Sync) -> Vec<R> {
    // A chunk stays here until somebody takes it, for a thread may not come to be.
    let slots: Vec<Mutex<Option<C>>> = chunks.into_iter().map(|chunk| Mutex::new(Some(chunk))).collect();
    let take = |slot: &Mutex<Option<C>>| slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    let work = |slot| take(slot).map(&of);
    scope(|scope| {
        let work = &work;
        let spawn = |slot| (slot, Builder::new().spawn_scoped(scope, move || work(slot)).ok());
        let others: Vec<_> = slots.iter().skip(1).map(spawn).collect();
        let mut all: Vec<R> = slots.first().and_then(work).into_iter().collect();
        for (slot, thread) in others {
            let joined = thread.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            all.extend(joined.unwrap_or_else(|| work(slot)));
        }
        all
    })
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
            let mut updated = items.clone();
            update(&mut updated, |item| *item *= 2);
            assert_eq!(updated, doubled);
        }
    }

    #[test]
    #[should_panic = "of one item"]
    fn a_panic_is_passed_on() {
        map(&[0; 100], |_| panic!("of one item"));
    }
}
