//! Checks of what people wrote, alone or beside outputs: tables against themselves, and amounts against the times and the rates in
//! the same sentence.

mod amount;
mod link;
mod sentence;
mod table;
mod table_ratio;
mod table_sums;
mod tables;

use model::ToolOutput;

use super::ToolCheck;

/// Those of this folder.
pub(super) const CHECKS: &[ToolCheck] = &[sentence::CHECK, link::CHECK, tables::CHECK];

/// Whether a text has figures that can be held against one another, without the output of any tool: a table with numbers, a
/// sentence with an amount, a time and a rate, a claim with two figures, or a rate beside the link that it went over.
pub(super) fn has_figures(output: &ToolOutput) -> bool {
    tables::any(output)
        || sentence::any(output)
        || link::any(output)
        || super::statistics::has_claim_of_figures(output)
}
