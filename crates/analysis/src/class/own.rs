//! Figures of like work on like machines, in runs that are kept.

use std::collections::BTreeMap;
use std::fmt::Write;

use model::run::{CaseResult, CaseRole, Run};
use model::{Machine, MetricName, ResourceKind};

use crate::{headline, measure};

/// Gathers figures of runs, so that not all of these need be in memory at once.
///
/// Like work is the same work, without settings that were changed. Like machines have the same processor and, under
/// a load of disks or a network, the same models of disks or interfaces of the same speed. Neither the place on the
/// machine nor the duration matters.
#[derive(Debug, Default)]
pub struct OwnFigures {
    figures: BTreeMap<String, Vec<f64>>,
}

/// What runs have of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnRange {
    /// How many runs have it.
    pub runs: usize,
    /// The least of their medians, in the unit of the metric.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl OwnFigures {
    /// Takes what a run has: of each case its figures; of cases that did the same, those of the first.
    pub fn add(&mut self, run: &Run) {
        let mut own: BTreeMap<String, f64> = BTreeMap::new();
        for case in &run.cases {
            for (metric, estimate) in &case.loads.main.estimates {
                let key = key(run, case, *metric).filter(|_| estimate.median.is_finite());
                if let Some(key) = key {
                    own.entry(key).or_insert(estimate.median);
                }
            }
        }
        for (key, median) in own {
            self.figures.entry(key).or_default().push(median);
        }
    }

    /// What the runs have of a case's `metric`; of the one that its load shows first where none is named.
    #[must_use]
    pub fn of(&self, run: &Run, case: &CaseResult, metric: Option<MetricName>) -> Option<OwnRange> {
        let metric = metric.or_else(|| headline(case).map(|(name, _)| name))?;
        let all = self.figures.get(&key(run, case, metric)?)?;
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(OwnRange { runs: all.len(), least, most })
    }
}

/// What like work on like machines has in common; absent where it cannot be told.
fn key(run: &Run, case: &CaseResult, metric: MetricName) -> Option<String> {
    let load = &case.loads.main;
    if case.work_id.is_empty() || case.role != CaseRole::Asked || !case.settings.is_empty() {
        return None;
    }
    let machine = run.machines.first()?;
    let version = load.definition_version.unwrap_or_default();
    let processor = machine.inventory.cpu.model.as_deref().unwrap_or_default();
    let tool = &run.origin.tool;
    let mut key = format!("{tool}; {}/{version}; {}; {metric}; {processor}", load.workload, case.work_id);
    parts(&mut key, case, machine);
    Some(key)
}

/// Writes which disks and interfaces a case drives.
fn parts(key: &mut String, case: &CaseResult, machine: &Machine) {
    for disk in measure::wholes(case, Some(machine)) {
        let model = disk.model.as_deref().unwrap_or_default();
        // A text takes whatever is written to it.
        let _ = write!(key, "; {model} {}", disk.bytes);
    }
    let names = case.path.iter().filter_map(|step| step.resource.named(ResourceKind::Nic));
    for name in names {
        let interface = machine.inventory.network.iter().find(|interface| interface.name == name);
        let speed = interface.and_then(|interface| interface.speed_bits).unwrap_or_default();
        let _ = write!(key, "; {speed} bit/s");
    }
}
