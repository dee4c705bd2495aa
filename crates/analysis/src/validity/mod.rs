//! Whether a number may be trusted: one file a rule.

pub(crate) mod acknowledged;
pub(crate) mod array_busy;
pub(crate) mod buffers_filling;
pub(crate) mod buffers_small;
pub(crate) mod burst;
pub(crate) mod cache_absorbed;
pub(crate) mod cache_claim;
pub(crate) mod cache_speed;
pub(crate) mod cache_too_small;
pub(crate) mod checkpoint_stalls;
pub(crate) mod content;
pub(crate) mod core_kinds;
pub(crate) mod cost_per_operation;
mod counted;
mod database;
pub(crate) mod database_in_memory;
pub(crate) mod device_node;
pub(crate) mod discard_lost;
pub(crate) mod disturbed;
pub(crate) mod drive_cache;
pub(crate) mod dropped;
pub(crate) mod durability_off;
pub(crate) mod durable;
pub(crate) mod engine_forbidden;
pub(crate) mod extra_work;
pub(crate) mod failed;
pub(crate) mod fast_head;
pub(crate) mod few_trials;
pub(crate) mod fits_in_cache;
pub(crate) mod generator;
pub(crate) mod hardware_errors;
pub(crate) mod instructions_absent;
pub(crate) mod late;
pub(crate) mod little;
pub(crate) mod loop_cache;
pub(crate) mod memory_backed;
pub(crate) mod merged;
pub(crate) mod misaligned_start;
pub(crate) mod more_than_quota;
pub(crate) mod more_threads;
pub(crate) mod never_steady;
pub(crate) mod no_wire;
pub(crate) mod nothing_driven;
pub(crate) mod numa_remote;
pub(crate) mod observer_cost;
pub(crate) mod operations_failed;
pub(crate) mod other_route;
pub(crate) mod others_io;
pub(crate) mod outlier;
mod outlier_window;
pub(crate) mod packet_size;
pub(crate) mod packet_unknown;
pub(crate) mod packets_dropped;
pub(crate) mod page_cache;
pub(crate) mod paused;
pub(crate) mod placement;
pub(crate) mod precision;
pub(crate) mod queue_measured;
pub(crate) mod read_ahead;
pub(crate) mod reconcile;
pub(crate) mod repeated_inserts;
mod requests;
pub(crate) mod resync_held;
pub(crate) mod same_place;
pub(crate) mod server_counts;
pub(crate) mod setting_without_effect;
pub(crate) mod settling;
pub(crate) mod short_transfer;
pub(crate) mod slow_target;
pub(crate) mod slowed_down;
pub(crate) mod small_sectors;
pub(crate) mod smt_shared;
pub(crate) mod sparse;
pub(crate) mod split;
pub(crate) mod stalled;
pub(crate) mod steal;
pub(crate) mod stripe_lost;
pub(crate) mod swapping;
pub(crate) mod temperature;
pub(crate) mod throttled;
pub(crate) mod trace_lost;
pub(crate) mod uncounted;
pub(crate) mod uneven;
pub(crate) mod unwritten;
pub(crate) mod zones;

use std::collections::BTreeMap;

use model::finding::Evidence;
use model::{Finding, FindingKind, MetricName, Severity, Value};

/// What evidence of several of these rules says in English.
pub(crate) const SHARED: &[&str] = &[counted::ENGLISH, requests::ENGLISH, outlier_window::ENGLISH];

/// A validity finding that rests on one metric: its evidence says nothing that
/// the finding does not.
fn finding(code: &str, severity: Severity, args: &[(&str, Value)], metric: Option<MetricName>) -> Finding {
    let args: BTreeMap<String, Value> = args.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let evidence = Evidence { code: code.to_owned(), metric, ..Evidence::default() };
    Finding { args, ..Finding::new(FindingKind::Validity, code, severity) }.because_same(evidence)
}

#[cfg(test)]
pub(crate) mod fixture {
    //! A case to find something in.

    use model::metric::{self, Better};
    use model::resource::PathStep;
    use model::run::{CaseResult, Estimate};
    use model::study::{Controls, Pin};
    use model::trial::{
        Counter, LoadTrial, MachineTrial, Placement, Status, Trial, TrialResult, Window, WorkerPlace,
    };
    use model::unit::{Quantity, Unit};
    use model::{Finding, ParameterName, Resource, ResourceKind, Value, WorkloadName};

    use crate::{Context, Rule, Siblings};

    /// A case with `n` good trials.
    pub(crate) fn case(n: u32) -> CaseResult {
        let trial = |order| Trial {
            order,
            block: order,
            started: String::new(),
            status: Status::Ok,
            reason: None,
            result: TrialResult::default(),
        };
        let trials = (0..n).map(trial).collect();
        let mut case = CaseResult { trials, ..CaseResult::default() };
        case.loads.main.workload = WorkloadName::new("disk");
        case.loads.main.definition_version = Some(1);
        profile(&mut case);
        named(&mut case, "disk");
        case
    }

    /// Gives a case the label that reads so.
    pub(crate) fn named(case: &mut CaseResult, label: &str) {
        let loads = case.loads.iter().map(|load| (load.workload, &load.parameters));
        case.label = import::v1::label::read(label, &loads.collect::<Vec<_>>());
    }

    /// Gives the loads of a case profiles that fit their parameters.
    pub(crate) fn profile(case: &mut CaseResult) {
        for load in case.loads.iter_mut() {
            load.profile = import::v1::profile(load.workload, &load.parameters);
        }
    }

    /// Makes the main load one of this workload.
    pub(crate) fn workload(case: &mut CaseResult, name: &str) {
        case.loads.main.workload = WorkloadName::intern(name).unwrap();
        profile(case);
    }

    /// Sets a parameter of the main load.
    pub(crate) fn set(case: &mut CaseResult, name: &str, value: impl Into<Value>) {
        case.loads.main.parameters.set(ParameterName::intern(name).unwrap(), value);
        profile(case);
    }

    /// Pins a worker of the main load to each of these CPUs, in the first trial.
    pub(crate) fn placed(case: &mut CaseResult, cpus: &[u32]) {
        case.trials[0].result.placement = Some(Placement {
            asked: Pin::Auto,
            policy: Pin::Spread,
            reason: None,
            workers: cpus.iter().map(|cpu| WorkerPlace { load: 0, cpu: Some(*cpu) }).collect(),
            interrupts: Vec::new(),
        });
    }

    /// What the other end of the main load did in the first trial.
    pub(crate) fn far(case: &mut CaseResult) -> &mut LoadTrial {
        let loads = &mut case.trials[0].result.loads;
        if !loads.iter().any(|load| load.machine == FAR) {
            loads.push(LoadTrial::of(0, FAR));
        }
        loads.iter_mut().find(|load| load.machine == FAR).unwrap()
    }

    /// What the machine of that end did.
    pub(crate) fn far_machine(case: &mut CaseResult) -> &mut MachineTrial {
        let machines = &mut case.trials[0].result.machines;
        if !machines.iter().any(|machine| machine.machine == FAR) {
            machines.push(MachineTrial::of(FAR));
        }
        machines.iter_mut().find(|machine| machine.machine == FAR).unwrap()
    }

    const FAR: &str = "10.0.0.2:7117";

    /// What a rule sees beside the case, with no machine.
    pub(crate) fn context(controls: &Controls) -> Context<'_> {
        static NONE: Siblings<'static> = Siblings::of(&[]);
        Context { controls, headline: Some(metric::IOPS), machine: None, expect: None, siblings: &NONE }
    }

    /// What `rule` finds in `case`; every language can say it.
    pub(crate) fn found(rule: &Rule, case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
        let found = rule.look(case, context);
        assert!(found.iter().all(|f| f.code == rule.code));
        crate::said::written(found)
    }

    /// How many findings `rule` has in `case`.
    pub(crate) fn count(rule: &Rule, case: &CaseResult, controls: &Controls) -> usize {
        found(rule, case, &context(controls)).len()
    }

    /// An estimate over five trials.
    pub(crate) fn estimate(median: f64, unit: Unit, better: Better) -> Estimate {
        Estimate { n: 5, median, low: None, high: None, confidence: None, method: None, unit, better }
    }

    /// A counter that went so many steps in one second.
    pub(crate) fn counter(resource: impl Into<Resource>, source: &str, scale: f64, steps: u64) -> Counter {
        Counter {
            resource: resource.into(),
            source: source.to_owned(),
            after: steps,
            after_ns: 1_000_000_000,
            scale: Some(scale),
            ..Counter::default()
        }
    }

    /// A case of `disk` on `sda`: bytes per second that the load moved and that
    /// the device counted.
    pub(crate) fn disk_case(pattern: &str, program: f64, device: f64) -> CaseResult {
        let mut case = case(3);
        set(&mut case, "pattern", pattern);
        set(&mut case, "block-size", 4096u64);
        case.path = vec![PathStep { resource: Resource::of(ResourceKind::Block, "sda"), amplification: 1.0 }];
        let name = if pattern.ends_with("read") { "read_sectors" } else { "written_sectors" };
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
            let throughput = Quantity { value: program, unit: Unit::BytesPerSecond };
            trial.result.main_mut().metrics.insert(metric::THROUGHPUT, throughput);
            let source = format!("/proc/diskstats {name}");
            trial.result.local_mut().counters = vec![
                counter("block:sda", &source, 512.0, (device / 512.0) as u64),
                counter("block:sda", "/proc/diskstats reads", 1.0, 1000),
            ];
        }
        case
    }
}
