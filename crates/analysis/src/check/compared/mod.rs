//! Checks of results beside one another: whether they are two at all, and whether they differ in nothing but what they
//! are compared by.

mod conditions;
mod copied;
mod sides;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[copied::CHECK, conditions::CHECK];
