//! The rules: one file and one line each. A rule says when it applies by giving
//! charts or none.

mod bars;
mod chain;
mod durable;
mod heat;
mod histogram;
mod interaction;
mod kinds;
mod knee;
mod load;
mod loaded;
mod matrix;
mod messages;
mod mixed;
mod pair;
pub(super) mod percentiles;
mod places;
pub(super) mod rounds;
mod scaling;
mod split;
mod sweep;
mod targets;
mod trials;
mod waterfall;

pub(super) use chain::{Reason, by_findings};

use super::factors::CaseGroup;
use super::{Figure, RuleInput};

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

/// The charts of each group of cases, in the order of the groups.
fn each<C: IntoIterator<Item = Figure>>(
    input: &RuleInput<'_>,
    charts: fn(&RuleInput<'_>, &CaseGroup<'_>) -> C,
) -> Vec<Figure> {
    input.groups.iter().flat_map(|group| charts(input, group)).collect()
}

/// Of the figures themselves people want all that there are.
const FIGURES: usize = 14;

/// Of what only goes with them, a few.
const OTHERS: usize = 6;

/// Every rule, the most informative first.
pub(super) const RULES: &[Rule] = &[
    // Rounds until a load was steady: before anything is read off its figures.
    Rule { first: 1, overlays: false, filled: FIGURES, charts: |input| each(input, rounds::charts) },
    // The layers of a storage stack, each held against the one below.
    Rule { first: 4, overlays: false, filled: FIGURES, charts: waterfall::charts },
    // The rate over the place on a disk, where it was passed through.
    Rule { first: 2, overlays: false, filled: FIGURES, charts: |input| each(input, places::charts) },
    // An ordered factor of three levels or more: lines, and a line for each
    // level of a second factor.
    Rule { first: 2, overlays: true, filled: FIGURES, charts: |input| each(input, sweep::chart) },
    // Fewer levels, or choices: bars.
    Rule { first: 2, overlays: true, filled: FIGURES, charts: |input| each(input, bars::chart) },
    // What a hand-off takes from each CPU to each.
    Rule { first: 3, overlays: false, filled: FIGURES, charts: |input| each(input, matrix::chart) },
    // What more threads bring, unless another chart shows it.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: |input| each(input, scaling::chart) },
    // A latency while others draw more and more.
    Rule { first: 2, overlays: true, filled: FIGURES, charts: |input| each(input, loaded::chart) },
    // Message sizes, as NetPIPE draws them.
    Rule { first: 2, overlays: false, filled: FIGURES, charts: |input| each(input, messages::charts) },
    // Reads and writes at once: what each gets.
    Rule { first: 2, overlays: false, filled: OTHERS, charts: |input| each(input, mixed::charts) },
    // The parts of an operation, such as the statements of a transaction: how long each takes.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: |input| each(input, kinds::chart) },
    // Writes until they returned, and until they were on the device.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: |input| each(input, durable::chart) },
    // Several targets driven at once: each of them.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: |input| each(input, targets::chart) },
    // Two factors with many levels each.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: |input| each(input, heat::chart) },
    // A load that is turned up: what latency the throughput costs.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: |input| each(input, load::chart) },
    // Where distributions were kept whole.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: |input| each(input, percentiles::chart) },
    // Every trial, for what an interval sums up.
    Rule { first: 1, overlays: true, filled: OTHERS, charts: trials::charts },
    // What the time of an operation is made of.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: |input| each(input, split::chart) },
    // A path of several resources, with the share of each.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: chain::charts },
    // The shape of one distribution.
    Rule { first: 1, overlays: false, filled: OTHERS, charts: histogram::charts },
];
