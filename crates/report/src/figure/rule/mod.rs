//! The rules: one file and one line each. A rule says when it applies by giving
//! charts or none.

mod bars;
mod chain;
mod durable;
mod heat;
mod histogram;
mod knee;
mod load;
mod loaded;
mod matrix;
mod messages;
mod mixed;
mod pair;
mod percentiles;
pub(super) mod rounds;
mod scaling;
mod split;
mod sweep;
mod targets;
mod trials;

pub(super) use chain::{Reason, by_findings};

use super::{Figure, RuleInput};

/// One rule.
pub(super) struct Rule {
    /// How many of its charts come before those of later rules.
    pub(super) first: usize,
    /// Whether its charts lay the sides of a comparison over each other.
    pub(super) overlays: bool,
    /// Up to so many charts of the workload, it may fill up with more of its own.
    pub(super) filled: usize,
    /// Its charts, those that tell most first; none where it does not apply.
    pub(super) charts: fn(&RuleInput<'_>) -> Vec<Figure>,
}

/// Of the figures themselves people want all that there are.
const FIGURES: usize = 14;

/// Of what only goes with them, a few.
const OTHERS: usize = 6;

/// Every rule, the most informative first.
pub(super) const RULES: &[Rule] = &[
    // Rounds until a load was steady: before anything is read off its figures.
    Rule { first: 1, overlays: false, filled: FIGURES, charts: rounds::charts },
    // An ordered factor of three levels or more: lines, and a line for each
    // level of a second factor.
    Rule { first: 2, overlays: true, filled: FIGURES, charts: sweep::charts },
    // Fewer levels, or choices: bars.
    Rule { first: 2, overlays: true, filled: FIGURES, charts: bars::charts },
    // What a hand-off takes from each CPU to each.
    Rule { first: 3, overlays: false, filled: FIGURES, charts: matrix::charts },
    // What more threads bring, unless another chart shows it.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: scaling::charts },
    // A latency while others draw more and more.
    Rule { first: 2, overlays: true, filled: FIGURES, charts: loaded::charts },
    // Message sizes, as NetPIPE draws them.
    Rule { first: 2, overlays: false, filled: FIGURES, charts: messages::charts },
    // Reads and writes at once: what each gets.
    Rule { first: 2, overlays: false, filled: OTHERS, charts: mixed::charts },
    // Writes until they returned, and until they were on the device.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: durable::charts },
    // Several targets driven at once: each of them.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: targets::charts },
    // Two factors with many levels each.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: heat::charts },
    // A load that is turned up: what latency the throughput costs.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: load::charts },
    // Where distributions were kept whole.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: percentiles::charts },
    // Every trial, for what an interval sums up.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: trials::charts },
    // What the time of an operation is made of.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: split::charts },
    // A path of several resources, with the share of each.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: chain::charts },
    // The shape of one distribution.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: histogram::charts },
];
