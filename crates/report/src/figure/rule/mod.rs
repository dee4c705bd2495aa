//! The rules: one file and one line each. A rule says when it applies by giving
//! charts or none.

mod bars;
mod chain;
mod heat;
mod histogram;
mod load;
mod percentiles;
mod sweep;
mod trials;

pub(super) use chain::{Reason, telling};

use super::{Figure, Scene};

/// One rule.
pub(super) struct Rule {
    /// What it is for; tests name charts by it.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) kind: &'static str,
    /// How many of its charts come before those of later rules.
    pub(super) first: usize,
    /// Its charts, those that tell most first; none where it does not apply.
    pub(super) charts: fn(&Scene<'_>) -> Vec<Figure>,
}

/// Every rule, in order of telling.
pub(super) const RULES: &[Rule] = &[
    // An ordered factor of three levels or more: lines, and a line for each
    // level of a second factor.
    Rule { kind: sweep::KIND, first: 2, charts: sweep::charts },
    // Fewer levels, or choices: bars.
    Rule { kind: bars::KIND, first: 2, charts: bars::charts },
    // Two factors with many levels each.
    Rule { kind: heat::KIND, first: 1, charts: heat::charts },
    // A load that is turned up: what latency the throughput costs.
    Rule { kind: load::KIND, first: 1, charts: load::charts },
    // Where distributions were kept whole.
    Rule { kind: percentiles::KIND, first: 1, charts: percentiles::charts },
    // Every trial, for what an interval sums up.
    Rule { kind: trials::KIND, first: 1, charts: trials::charts },
    // A path of several resources, with the share of each.
    Rule { kind: chain::KIND, first: 1, charts: chain::charts },
    // The shape of one distribution.
    Rule { kind: histogram::KIND, first: 1, charts: histogram::charts },
];
