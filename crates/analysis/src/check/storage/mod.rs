//! Checks of what lies between a load and its device: caches, small spans, content.

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[];
