//! Which cases are measured together, and in which order the groups of them
//! run.

use model::plan::{Case, Effect, FixtureKey};
use model::profile::TargetState;
use model::workload::Catalogue;

/// What the cases of a group have in common; groups run in this order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Where its targets appear first: all that touches one is together.
    appearance: usize,
    /// The state that targets are brought into: what is dearer comes later, and
    /// what must be written is not undone by another's being written.
    state: (TargetState, bool),
    /// Of those that go round by round to a steady state, which test they are
    /// of: rounds of two tests would disturb each other's state.
    test: usize,
    /// The fixtures that have a state.
    stated: Vec<FixtureKey>,
    /// Reads before writes.
    effect: Effect,
    fixtures: Vec<FixtureKey>,
    costly: Vec<String>,
    /// Where its settings appear first: each combination has a group of its own.
    settings: usize,
}

/// Puts cases into groups, which run one after the other: cases that share a
/// fixture and leave it alike are measured together, reads before writes, and
/// each level of a costly parameter and of a setting has a group of its own. `tests` says of each
/// case which of the study's workloads it is of. Returns how many groups there
/// are.
pub(super) fn group(cases: &mut [Case], tests: &[usize], catalogue: &Catalogue) -> usize {
    let of_each: Vec<Key> =
        cases.iter().zip(tests).map(|(case, test)| key(case, *test, cases, catalogue)).collect();
    let mut keys = of_each.clone();
    keys.sort();
    keys.dedup();
    for (case, key) in cases.iter_mut().zip(&of_each) {
        case.group = keys.binary_search(key).unwrap_or(0);
    }
    keys.len()
}

fn key(case: &Case, test: usize, cases: &[Case], catalogue: &Catalogue) -> Key {
    let costly = case.loads.iter().flat_map(|load| {
        let spec = catalogue.workload(load.workload);
        let names = spec.into_iter().flat_map(|s| catalogue.parameters(s)).filter(|p| p.costly);
        names.map(|p| format!("{}={:?}", p.name, load.parameters.get(p.name))).collect::<Vec<_>>()
    });
    let stated: Vec<FixtureKey> = case.fixtures.iter().filter(|f| f.has_state()).cloned().collect();
    let own = targets(case);
    Key {
        appearance: cases.iter().position(|c| targets(c) == own).unwrap_or(0),
        state: stated.iter().map(|f| (f.state.clone(), f.discarded > 0)).max().unwrap_or_default(),
        test: if case.has_rounds() { test } else { 0 },
        stated,
        effect: case.effect,
        fixtures: case.fixtures.clone(),
        costly: costly.collect(),
        settings: cases.iter().position(|c| c.settings == case.settings).unwrap_or(0),
    }
}

fn targets(case: &Case) -> Vec<&str> {
    let mut all: Vec<&str> = case.fixtures.iter().map(|f| f.target.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    all
}
