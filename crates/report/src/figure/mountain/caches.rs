//! Which cache of the processor ends at an edge of a memory mountain.
//!
//! A cache is where it claims to be when the edge lies around the share of it
//! that a thread has: the curve begins to fall a little before, for pages fall
//! unevenly on its sets and other data want room, and a step of the sizes may
//! lie in between. Where none does, a cache that claims more than was seen is
//! named for the last such edge; what lies between, or behind all of them, is
//! nothing that the inventory tells of: pages (the TLB), or a guest's host.

use model::Machine;
use model::run::CaseResult;

use super::{CacheOwner, Edge};

/// An edge belongs to a cache up to these multiples of its size: the last size
/// that is still fast is not above the one, the first that is slow not below
/// the other.
const HOLDS_MOST: f64 = 1.25;
const EXCEEDS_LEAST: f64 = 0.5;

/// Level and bytes of each cache, as far as a thread of these cases has them.
pub(crate) fn claims(machine: Option<&Machine>, cases: &[&CaseResult]) -> Vec<(u32, u64)> {
    let of = |c: &&CaseResult| {
        let profile = crate::load::profile(c);
        profile.concurrency.workers / profile.targets.max(1)
    };
    let threads = cases.iter().map(of).min().unwrap_or(1);
    let Some(machine) = machine else { return Vec::new() };
    // Threads that may run on the CPUs which share a cache have a part of it each.
    let share = |c: &model::machine::Cache| c.bytes / threads.clamp(1, c.shared_by.len().max(1) as u64);
    let caches = &machine.inventory.cpu.caches;
    let mut all: Vec<(u32, u64)> = caches.iter().map(|c| (c.level, share(c))).filter(|c| c.1 > 0).collect();
    all.sort_by_key(|(level, _)| *level);
    all
}

/// Gives edges, which ascend, the names of these caches.
pub(super) fn name(edges: &mut [Edge], claims: &[(u32, u64)]) {
    let fits = |edge: &Edge, bytes: u64| {
        let bytes = bytes as f64;
        edge.holds <= bytes * HOLDS_MOST && edge.exceeds >= bytes * EXCEEDS_LEAST
    };
    let mut from = 0;
    let mut taken: Vec<Option<usize>> = vec![None; claims.len()];
    for (claim, (level, bytes)) in claims.iter().enumerate() {
        let found = (from..edges.len()).find(|at| fits(&edges[*at], *bytes));
        if let Some(at) = found {
            edges[at].whose = CacheOwner::Processor(*level, *bytes);
            taken[claim] = Some(at);
            from = at + 1;
        }
    }
    for (claim, (level, bytes)) in claims.iter().enumerate().rev() {
        if taken[claim].is_some() {
            continue;
        }
        let below = taken[..claim].iter().flatten().max().map_or(0, |at| at + 1);
        let above = taken[claim + 1..].iter().flatten().min().copied().unwrap_or(edges.len());
        // What is smaller than the cache below it is not that cache.
        let least = claims[..claim].last().map_or(0.0, |c| c.1 as f64);
        let is_its = |at: &usize| edges[*at].holds >= least && edges[*at].exceeds < *bytes as f64;
        if let Some(at) = (below..above).rev().find(is_its) {
            edges[at].whose = CacheOwner::Claimed(*level, *bytes);
            taken[claim] = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: f64 = 1024.0;
    const MIB: f64 = 1024.0 * KIB;
    const CLAIMS: [(u32, u64); 3] = [(1, 48 << 10), (2, 2 << 20), (3, 260 << 20)];

    fn named(edges: &[(f64, f64)], claims: &[(u32, u64)]) -> Vec<CacheOwner> {
        let edge = |(holds, exceeds): &(f64, f64)| Edge {
            holds: *holds,
            exceeds: *exceeds,
            before: 1.0,
            behind: (*exceeds, 2.0),
            whose: CacheOwner::Untold,
        };
        let mut all: Vec<Edge> = edges.iter().map(edge).collect();
        name(&mut all, claims);
        all.into_iter().map(|e| e.whose).collect()
    }

    #[test]
    fn edges_at_the_claimed_sizes_have_their_names() {
        let edges = [(32.0 * KIB, 64.0 * KIB), (MIB, 2.0 * MIB), (256.0 * MIB, 512.0 * MIB)];
        let all = CLAIMS.map(|(level, bytes)| CacheOwner::Processor(level, bytes));
        assert_eq!(named(&edges, &CLAIMS), all);
        // One of them was not seen: the others keep their names.
        assert_eq!(named(&edges[1..], &CLAIMS), all[1..]);
        assert_eq!(named(&edges[..1], &CLAIMS), all[..1]);
    }

    #[test]
    fn a_claim_that_is_not_kept_is_named_at_the_last_edge_before_it() {
        // A guest with 32 MiB of 260; at 8 MiB the pages outgrow the TLB.
        let edges =
            [(32.0 * KIB, 64.0 * KIB), (MIB, 2.0 * MIB), (4.0 * MIB, 8.0 * MIB), (32.0 * MIB, 64.0 * MIB)];
        let got = named(&edges, &CLAIMS);
        assert_eq!(
            got[1..],
            [CacheOwner::Processor(2, 2 << 20), CacheOwner::Untold, CacheOwner::Claimed(3, 260 << 20)]
        );
    }

    #[test]
    fn what_lies_behind_all_caches_or_has_none_is_untold() {
        assert_eq!(named(&[(512.0 * MIB, 1024.0 * MIB)], &CLAIMS), [CacheOwner::Untold]);
        assert_eq!(named(&[(32.0 * KIB, 64.0 * KIB)], &[]), [CacheOwner::Untold]);
        // Smaller than L1: no other cache either.
        assert_eq!(named(&[(4.0 * KIB, 8.0 * KIB)], &CLAIMS[1..2]), [CacheOwner::Claimed(2, 2 << 20)]);
        assert_eq!(named(&[(4.0 * KIB, 8.0 * KIB)], &CLAIMS), [CacheOwner::Claimed(1, 48 << 10)]);
    }
}
