//! Checks of what links, devices, caches and the other end can do.

mod above_limit;
mod bound;
mod cache_size;
mod named;
mod same_machine;
mod sender;

pub(super) use self::bound::ListedBounds;
pub(super) use self::named::{LinkInWords, link_in};
use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] =
    &[above_limit::CHECK, sender::CHECK, same_machine::CHECK, cache_size::CHECK];
