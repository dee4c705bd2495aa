//! What all trials of a plan write to disks, as far as that is known before any has run. It is for people who mind the
//! life of a drive, so it is the most that may come: all trials that are allowed, with their warm-ups and files.

use std::collections::BTreeMap;

use model::ResourceKind;
use model::plan::{Case, Effect, FixtureKey, LoadSpec, Plan};
use model::profile::{Flow, LoadEnd, LoadProfile, OperationClass};

use super::{ROUNDS_MAX, SEARCH_WINDOWS, trials_of};

/// What is written to a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlannedWrites {
    /// Bytes of files and devices that are made ready, and of loads that have a size, a count or a rate.
    pub known_bytes: f64,
    /// For how many seconds loads write as fast as the disk takes it.
    pub open_s: f64,
}

impl PlannedWrites {
    fn of_bytes(known_bytes: f64) -> Self {
        Self { known_bytes, open_s: 0.0 }
    }

    fn and(self, other: Self) -> Self {
        Self { known_bytes: self.known_bytes + other.known_bytes, open_s: self.open_s + other.open_s }
    }

    fn times(self, count: f64) -> Self {
        Self { known_bytes: self.known_bytes * count, open_s: self.open_s * count }
    }
}

/// How often a case of a plan is measured at most.
#[must_use]
pub fn most_trials(plan: &Plan, case: &Case) -> u32 {
    trials_of(case, plan.controls.trials_max, ROUNDS_MAX)
}

/// What is written to each block device that `is_disk`, by its name, where each case has so many trials. Loads that run
/// with a case are taken to write where it does.
#[must_use]
pub fn writes(
    plan: &Plan,
    trials: impl Fn(&Case) -> u32,
    is_disk: impl Fn(&str) -> bool,
) -> BTreeMap<String, PlannedWrites> {
    let mut all: BTreeMap<String, PlannedWrites> = BTreeMap::new();
    let mut add = |case: &Case, written: PlannedWrites| {
        for step in &case.path {
            if let Some(name) = step.resource.named(ResourceKind::Block).filter(|name| is_disk(name))
                && written != PlannedWrites::default()
            {
                let disk = all.entry(name.to_owned()).or_default();
                *disk = disk.and(written.times(step.amplification));
            }
        }
    };
    let mut kept: Vec<&FixtureKey> = Vec::new();
    for group in 0..plan.groups {
        for case in plan.group(group) {
            let trials = f64::from(trials(case));
            for fixture in &case.fixtures {
                let made = match (fixture.used_up, kept.contains(&fixture)) {
                    (true, _) => trials,
                    (false, true) => 0.0,
                    (false, false) => 1.0,
                };
                kept.push(fixture);
                add(case, PlannedWrites::of_bytes(fixture.written as f64).times(made));
            }
            add(case, of_case(case, plan.controls.warm_up_s).times(trials));
        }
        // A state that was changed is made again for the next group.
        if plan.group(group).any(|case| case.effect != Effect::Clean) {
            kept.retain(|fixture| !fixture.has_state());
        }
    }
    all
}

/// What one trial of a case writes.
fn of_case(case: &Case, warm_up_s: f64) -> PlannedWrites {
    let main = case.loads.first().and_then(|load| load.profile.as_ref());
    let windows =
        if main.is_some_and(|profile| profile.concurrency.is_searched()) { SEARCH_WINDOWS } else { 1.0 };
    let window_s = main.and_then(|profile| profile.window_s).unwrap_or(1.0) * windows;
    let loads = case.loads.iter().map(|load| of_load(load, window_s, warm_up_s));
    loads.fold(PlannedWrites::default(), PlannedWrites::and)
}

/// What a load writes in a window of so many seconds and before it.
fn of_load(load: &LoadSpec, window_s: f64, warm_up_s: f64) -> PlannedWrites {
    let Some(profile) = load.profile.as_ref().filter(|profile| !profile.is_null) else {
        return PlannedWrites::default();
    };
    let written = bytes(profile, OperationClass::Write);
    if !profile.does(OperationClass::Write) {
        return PlannedWrites::default();
    }
    let share = written / (written + bytes(profile, OperationClass::Read)).max(f64::MIN_POSITIVE);
    // Operations whose size nobody knows.
    let share = if written > 0.0 { share } else { 1.0 };
    let rate =
        asked(profile).or(profile.concurrency.rate_per_s.filter(|_| written > 0.0).map(|r| r * written));
    let timed = |seconds: f64| match rate {
        Some(rate) => PlannedWrites::of_bytes(rate * seconds),
        None => PlannedWrites { known_bytes: 0.0, open_s: seconds },
    };
    match profile.end {
        LoadEnd::Bytes(count) => PlannedWrites::of_bytes(count as f64 * share).and(timed(warm_up_s)),
        LoadEnd::Operations(count) if written > 0.0 => {
            PlannedWrites::of_bytes(count as f64 * written).and(timed(warm_up_s))
        }
        LoadEnd::Pass | LoadEnd::Full if profile.span_bytes.is_some() => {
            let span = profile.span_bytes.unwrap_or_default() as f64;
            PlannedWrites::of_bytes(span * profile.targets.max(1) as f64 * share)
        }
        _ => timed(window_s + warm_up_s),
    }
}

/// Bytes of this kind in each counted operation, in the mean; 0 where their sizes are not known.
fn bytes(profile: &LoadProfile, class: OperationClass) -> f64 {
    let of_flow = |flow: &Flow| -> f64 {
        flow.share * flow.sizes.iter().map(|size| size.bytes as f64 * size.share).sum::<f64>()
    };
    profile.flows.iter().filter(|flow| flow.class == class).map(of_flow).sum()
}

/// Bytes per second that are asked for of the writes.
fn asked(profile: &LoadProfile) -> Option<f64> {
    profile.flow(OperationClass::Write)?.asked_bytes_per_s
}
