//! Checks of what links, devices and the other end can do.

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[];
