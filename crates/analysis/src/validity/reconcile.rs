//! The kernel counted less at the device than the load says it moved (design,
//! section 6.6): something on the way answered.

use language::format;
use model::finding::Evidence;
use model::limit::Direction;
use model::resource::PathStep;
use model::run::CaseResult;
use model::trial::Trial;
use model::{Finding, FindingKind, Severity, Unit, Value};

use crate::{Context, Rule, called, measure};

/// How far two counts of the same bytes may be apart beside what is in flight
/// at the edges: the counters are read up to a few milliseconds after an edge.
pub(super) const TOLERANCE: f64 = 0.03;

/// The rule.
pub(crate) struct Reconcile;

impl Rule for Reconcile {
    fn code(&self) -> &'static str {
        "counts-do-not-reconcile"
    }

    fn doc(&self) -> &'static str {
        "The kernel counted less at the device than the load says it moved: something on the way answered."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        let Some(counts) = Counts::of(case) else { return Vec::new() };
        if counts.device >= counts.program - counts.tolerance {
            return Vec::new();
        }
        let share = (counts.device / counts.program).max(0.0);
        let device = called(&counts.resource);
        let (how, text) = if counts.device <= 0.0 {
            (
                "nothing",
                format!(
                    "the kernel counted nothing at {device} while the load moved {}: the device keeps no counts, or it \
                     was never reached",
                    format::setting(counts.program, Unit::BytesPerSecond)
                ),
            )
        } else {
            (
                "part",
                format!(
                    "the kernel counted {} of the load's bytes at {device}: something on the way answered the rest",
                    format::percent(share)
                ),
            )
        };
        vec![
            Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
                .on(counts.resource.clone())
                .arg("how", how)
                .arg("share", share)
                .arg("program", counts.program)
                .arg("device", counts.device)
                .because(counts.evidence()),
        ]
    }
}

/// The same bytes counted twice, bytes per second.
pub(super) struct Counts {
    pub(super) resource: String,
    /// By the loads, with the path's amplification.
    pub(super) program: f64,
    /// By the kernel at the device.
    pub(super) device: f64,
    /// How far they may be apart.
    pub(super) tolerance: f64,
    place: model::finding::Place,
}

impl Counts {
    /// The same at the whole disk, where the load drives a part of it only:
    /// others may be on another part.
    pub(super) fn at_the_disk(case: &CaseResult) -> Option<Self> {
        let blocks: Vec<_> = case.path.iter().filter(|s| s.resource.starts_with("block:")).collect();
        // Below an array nothing is told by one of its disks.
        let whole = blocks.iter().all(|s| (s.amplification - 1.0).abs() < 1e-9);
        let last = blocks.last().filter(|_| whole);
        let below = last.and_then(|step| Self::at(case, step));
        below.or_else(|| Self::of(case))
    }

    /// Of a case that goes around the page cache to a device with counters.
    pub(super) fn of(case: &CaseResult) -> Option<Self> {
        // A companion through the page cache reaches the device when it likes.
        if case.with.iter().any(|c| c.parameters.get("target").is_some()) {
            return None;
        }
        Self::at(case, case.path.iter().find(|s| s.resource.starts_with("block:"))?)
    }

    fn at(case: &CaseResult, step: &PathStep) -> Option<Self> {
        if measure::is_null(case) || case.parameters.get("direct") != Some(&Value::Bool(true)) {
            return None;
        }
        // These spread, check or compress what they are given.
        let transforms =
            |s: &PathStep| ["(btrfs)", "(zfs)", "(bcachefs)"].iter().any(|k| s.resource.ends_with(k));
        if case.path.iter().any(transforms) {
            return None;
        }
        let name = match measure::direction(case)? {
            Direction::Read => "read_sectors",
            Direction::Write => "written_sectors",
        };
        let program = measure::median(case, |t| Some(t.result.metrics.get("throughput")?.value))?;
        let device = measure::median(case, |t| measure::rate(t, &step.resource, name))?;
        let program = program * step.amplification;
        let edges = measure::median(case, |t| in_flight(case, t))?;
        let late = measure::median(case, |t| lateness(t, &step.resource, name))?;
        let place = measure::place(case, &step.resource, name)?;
        let tolerance = program * (TOLERANCE + late) + edges;
        (program > 0.0).then(|| Self { resource: step.resource.clone(), program, device, tolerance, place })
    }

    pub(super) fn evidence(&self) -> Evidence {
        let rate = |value: f64| format::setting(value, Unit::BytesPerSecond);
        let text = format!("the load moved {}, the device {}", rate(self.program), rate(self.device));
        Evidence::at("counted", self.place.clone(), text)
            .arg("program", self.program)
            .arg("device", self.device)
    }
}

/// How far the counter's readings were from the window's edges, as a share of
/// the window: on a busy machine the reader gets its CPU late.
fn lateness(trial: &Trial, resource: &str, name: &str) -> Option<f64> {
    let (counter, window) = (measure::counter(trial, resource, name)?, trial.result.window?);
    let off = counter.before_ns.abs_diff(window.start_ns) + counter.after_ns.abs_diff(window.end_ns);
    Some(off as f64 / 1e9 / window.seconds())
}

/// What may be in flight at both edges, spread over the window, bytes per
/// second.
fn in_flight(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let block = case.parameters.integer("block-size").ok()? as f64;
    Some(2.0 * measure::concurrency(case) * block / trial.result.window?.seconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use crate::validity::others_io::OthersIo;
    use model::study::Controls;

    #[test]
    fn counts_that_agree_are_no_finding_and_others_are_told_by_their_sign() {
        let controls = Controls::default();
        let count = |program: f64, device: f64| {
            let mut case = fixture::disk_case("randread", program, device);
            case.parameters.set("direct", true);
            (fixture::count(&Reconcile, &case, &controls), fixture::count(&OthersIo, &case, &controls))
        };
        assert_eq!(count(100e6, 100e6), (0, 0));
        assert_eq!(count(100e6, 98e6), (0, 0));
        assert_eq!(count(100e6, 80e6), (1, 0));
        assert_eq!(count(100e6, 0.0), (1, 0));
        assert_eq!(count(100e6, 130e6), (0, 1));
    }

    #[test]
    fn counters_that_were_read_late_are_not_held_against_the_load() {
        let mut case = fixture::disk_case("randread", 100e6, 92e6);
        case.parameters.set("direct", true);
        assert_eq!(fixture::count(&Reconcile, &case, &Controls::default()), 1);
        for trial in &mut case.trials {
            trial.result.counters[0].after_ns += 60_000_000;
            trial.result.counters[0].after += 11_500;
        }
        assert_eq!(fixture::count(&Reconcile, &case, &Controls::default()), 0);
    }

    #[test]
    fn a_buffered_load_is_judged_elsewhere() {
        let mut case = fixture::disk_case("randread", 100e6, 0.0);
        case.parameters.set("direct", false);
        assert_eq!(fixture::count(&Reconcile, &case, &Controls::default()), 0);
    }
}
