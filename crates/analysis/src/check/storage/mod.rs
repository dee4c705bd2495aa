//! Checks of what lies between a load and its device: caches, small spans, content.

mod depth;
mod device;
mod load;
mod page_cache;
mod small_span;
mod zeros;

use super::ToolCheck;

pub(in crate::check) use device::{disk_under, target_device};
pub(in crate::check) use load::StorageLoad;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[page_cache::CHECK, depth::CHECK, small_span::CHECK, zeros::CHECK];
