//! Checks of how long it was measured, and by which clock.

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[];
