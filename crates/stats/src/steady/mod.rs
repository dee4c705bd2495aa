//! Where a series stops settling and starts to count.
//!
//! Two questions, two methods. Within one trial: how much of the beginning is warm-up ([`mser5`],
//! from simulation practice, which needs no model of the transient). Across rounds on a device
//! that changes while it is written: has it settled at all ([`snia`], the storage industry's own
//! criteria, so that results can be held against theirs).
//!
//! Neither knows what is behind the numbers. Whether a device was written over often enough for
//! its rounds to mean anything is for the caller to say.

mod mser;
mod snia;

pub use self::mser::{MSER_BATCH, MSER_MIN_BATCHES, Mser, mser5};
pub use self::snia::{SNIA_RANGE, SNIA_SLOPE, SNIA_WINDOW, Snia, snia};
