//! Charts of the whole run, over what several workloads measured: how long
//! things take on this machine, and what it can do with each byte. One file
//! each, and a line in [`ALL`].

mod ladder;
mod roofline;

use model::profile::{Aspect, WaitsFor};
use model::run::CaseResult;
use model::{LoadProfile, MetricName, Run, Value};

use super::mountain::{self, CacheOwner};
use super::{Figure, factors, quantity};
use crate::load;
use crate::view::View;
use crate::view::label::level_in_words;

/// Every chart, in order.
const ALL: &[fn(&View<'_>) -> Option<Figure>] = &[ladder::figure, roofline::figure];

/// The charts that this run has something for.
pub(super) fn figures(view: &View<'_>) -> Vec<Figure> {
    ALL.iter().filter_map(|figure| figure(view)).collect()
}

/// The cases whose load is such a one.
fn cases(run: &Run, is: impl Fn(&LoadProfile) -> bool) -> Vec<&CaseResult> {
    run.cases.iter().filter(|c| !c.is_auxiliary() && is(load::profile(c))).collect()
}

/// Whether a load goes over working sets, with nothing else beside it, and shows
/// `headline` of them.
fn sweeps(profile: &LoadProfile, headline: MetricName) -> bool {
    let one = profile.flows.len() == 1 && profile.flows[0].sizes.is_empty();
    profile.waits_only_for(&[WaitsFor::Memory]) && one && profile.headline == headline
}

/// The threads that a case ran with.
fn threads(case: &CaseResult) -> u64 {
    load::profile(case).concurrency.workers
}

/// Caches up to this level belong to a core.
const OWN_LEVELS: u32 = 2;

/// Where a working set lies: a cache of this level, or memory, the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MemoryLevel {
    Cache(u32),
    /// A last cache of which others may have most, or memory: no edge was seen.
    Beyond,
    Memory,
}

impl MemoryLevel {
    /// `L2`, or memory in the reader's language.
    fn text(self, view: &View<'_>) -> String {
        match self {
            MemoryLevel::Cache(level) => format!("L{level}"),
            MemoryLevel::Beyond => view.say("figure-place-beyond"),
            MemoryLevel::Memory => view.say("figure-place-memory"),
        }
    }
}

/// What is had of each cache and of memory: the plateau of a sweep of sizes; of
/// a few sizes without one, the one that lies in the middle of each cache. The
/// second is the largest size of a sweep, or that size.
fn places(view: &View<'_>, cases: &[&CaseResult]) -> Vec<(MemoryLevel, u64, f64)> {
    let Some(first) = cases.first() else { return Vec::new() };
    let profile = load::profile(first);
    let name = profile.headline;
    let claims = mountain::claims(view.run.machines.first(), cases);
    // Most of a share of a cache of one core is in it for sure; one that many
    // share, other machines on the same host too, may hold nothing of it.
    let by_claim = |bytes: u64| match claims.iter().find(|(_, share)| bytes as f64 <= *share as f64 * 0.75) {
        Some((level, _)) if *level <= OWN_LEVELS => MemoryLevel::Cache(*level),
        Some(_) => MemoryLevel::Beyond,
        None if claims.last().is_some_and(|(_, share)| bytes as f64 <= *share as f64 * 1.5) => {
            MemoryLevel::Beyond
        }
        None => MemoryLevel::Memory,
    };
    let swept = mountain::of_cases(view, cases).into_iter().find(|(_, m, _)| m.name == name);
    let mut all: Vec<(MemoryLevel, u64, f64)> = match swept.filter(|(_, _, m)| !m.edges.is_empty()) {
        Some((_, _, mountain)) => {
            let last = mountain.levels.len().saturating_sub(1);
            let of = |(at, (from, to, value)): (usize, &(f64, f64, f64))| {
                let edge = mountain.edges.iter().find(|e| e.holds == *to);
                let place = match edge.map(|e| &e.whose) {
                    Some(CacheOwner::Processor(level, _) | CacheOwner::Claimed(level, _)) => {
                        MemoryLevel::Cache(*level)
                    }
                    Some(_) => by_claim(*from as u64),
                    None if at == last && is_behind(&mountain, &claims, *to) => MemoryLevel::Memory,
                    None => by_claim(*to as u64),
                };
                (place, *to as u64, *value)
            };
            mountain.levels.iter().enumerate().map(of).collect()
        }
        None => {
            let one = |c: &&CaseResult| {
                let bytes = load::profile(c).span_bytes?;
                let value = quantity::measured(c.loads.main.estimates.get(&name)?)?.value;
                Some((by_claim(bytes), bytes, value))
            };
            cases.iter().filter_map(one).collect()
        }
    };
    // The largest of each: in memory, what is beyond all caches.
    all.sort_by_key(|(place, bytes, _)| (*place, *bytes));
    all.dedup_by(|b, a| {
        let is_same = a.0 == b.0;
        if is_same && b.0 >= MemoryLevel::Beyond {
            *a = *b;
        }
        is_same
    });
    all
}

/// Whether what comes last in a sweep lies behind the last cache: beyond what it
/// claims, or beyond where it was seen to end.
fn is_behind(mountain: &mountain::Mountain, claims: &[(u32, u64)], to: f64) -> bool {
    let Some((level, bytes)) = claims.last() else { return false };
    let ended = mountain.edges.last().is_some_and(|e| match e.whose {
        CacheOwner::Processor(l, _) | CacheOwner::Claimed(l, _) => l == *level,
        _ => false,
    });
    ended || to > *bytes as f64 * 1.5
}

/// What a case has of the parameter that says this of its load, as a reader knows it.
fn said(view: &View<'_>, case: &CaseResult, aspect: Aspect) -> String {
    let Some((name, value)) = load::said(case, aspect) else { return String::new() };
    match value {
        Value::Text(word) => level_in_words(view.words, name.as_str(), word).unwrap_or_else(|| word.clone()),
        other => other.to_string(),
    }
}

/// Those with the fewest threads, and of these those that have the other
/// parameters most have: one curve of the many that a study may hold.
fn plainest<'a>(view: &View<'_>, cases: &[&'a CaseResult], keep: &[Aspect]) -> Vec<&'a CaseResult> {
    let mut left: Vec<&CaseResult> = cases.to_vec();
    loop {
        let factors = factors::of(view, &left);
        let Some(factor) = factors.into_iter().find(|f| f.says.is_none_or(|says| !keep.contains(&says)))
        else {
            return left;
        };
        let count = |level: usize| left.iter().filter(|c| factor.level_of(c) == Some(level)).count();
        let best = (0..factor.levels.len()).max_by_key(|l| (count(*l), std::cmp::Reverse(*l)));
        left.retain(|c| factor.level_of(c) == best);
    }
}
