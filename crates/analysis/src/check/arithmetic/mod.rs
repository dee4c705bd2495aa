//! Checks of figures against one another: whoever printed them, they must agree.

mod rate_and_amount;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[rate_and_amount::CHECK];
