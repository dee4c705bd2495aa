//! The kernel counted less at the device than the load says it moved (design,
//! section 6.6): something on the way answered.

use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::counted::{Counts, uncounted};
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "counts-do-not-reconcile",
    doc: "The kernel counted less at the device than the load says it moved: something on the way answered. Reads, writes \
         and trims are held against their own counters, several devices together; what may be in flight at both edges \
         is allowed for.",
    english: r#"
finding-counts-do-not-reconcile =
    { $how ->
        [nothing] the kernel counted nothing at { RESOURCE($resource) } while the load { $done ->
            [read] read
            [write] wrote
           *[trim] discarded
        } { SHORT($program, unit: "B/s") }: the device keeps no counts, or it was never reached
       *[part] the kernel counted { PERCENT($share) } of the bytes { $done ->
            [read] read
            [write] written
           *[trim] discarded
        } at { RESOURCE($resource) }: something on the way answered the rest
    }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
    if uncounted(case, context.machine) {
        return Vec::new();
    }
    let mut short = Counts::of(case);
    short.extend(below(case, context));
    short.retain(|c| c.device < c.program - c.tolerance);
    // What lies below tells nothing that what lies above does not.
    short.sort_by_key(|c| c.kind.name());
    short.dedup_by_key(|c| c.kind);
    short.iter().map(finding).collect()
}

/// Below a loop device that goes around the page cache to its file nothing
/// should answer either.
fn below(case: &CaseResult, context: &Context<'_>) -> Vec<Counts> {
    let bottom = measure::lowest(case);
    let is_below = bottom.first().is_some_and(|step| measure::below_loop(case, step));
    let direct = || measure::loops_are_direct(case, context.machine) == Some(true);
    if is_below && direct() { Counts::at_the_bottom(case) } else { Vec::new() }
}

fn finding(counts: &Counts) -> Finding {
    let share = (counts.device / counts.program).max(0.0);
    let how = if counts.device <= 0.0 { "nothing" } else { "part" };
    Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .on(counts.resource.clone())
        .arg("how", how)
        .arg("done", counts.kind.name())
        .arg("share", share)
        .arg("program", counts.program)
        .arg("device", counts.device)
        .because(counts.evidence())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture::{self, counter};
    use crate::validity::others_io;
    use model::metric;
    use model::resource::PathStep;
    use model::run::{CaseLoad, LoadRole};
    use model::study::Controls;
    use model::trial::{LOCAL, LoadTrial};
    use model::{Machine, MetricName, ParameterName, Quantity, Resource, Unit, Value, WorkloadName};
    use std::collections::BTreeMap;

    fn put(case: &mut CaseResult, metrics: &[(MetricName, f64)]) {
        for (name, value) in metrics {
            let quantity = Quantity { value: *value, unit: Unit::BytesPerSecond };
            case.trials.iter_mut().for_each(|t| {
                t.result.main_mut().metrics.insert(*name, quantity);
            });
        }
    }

    /// Bytes per second at a device, read and written.
    fn count_at(case: &mut CaseResult, resource: &str, read: f64, written: f64) {
        for trial in &mut case.trials {
            trial
                .result
                .local_mut()
                .counters
                .retain(|c| c.resource.as_str() != resource || !c.source.ends_with("_sectors"));
            for (name, bytes) in [("read_sectors", read), ("written_sectors", written)] {
                let source = format!("/proc/diskstats {name}");
                trial.result.local_mut().counters.push(counter(
                    resource,
                    &source,
                    512.0,
                    (bytes / 512.0) as u64,
                ));
            }
        }
    }

    fn direct(pattern: &str, program: f64, device: f64) -> CaseResult {
        let mut case = fixture::disk_case(pattern, program, device);
        fixture::set(&mut case, "direct", true);
        case
    }

    fn on(case: &mut CaseResult, path: &[(&str, f64)]) {
        let step = |(resource, amplification): &(&str, f64)| PathStep {
            resource: Resource::from(*resource),
            amplification: *amplification,
        };
        case.path = path.iter().map(step).collect();
    }

    fn found(case: &CaseResult, machine: Option<&Machine>) -> Vec<String> {
        let controls = Controls::default();
        let context = Context { machine, ..fixture::context(&controls) };
        fixture::found(&RULE, case, &context).into_iter().map(|f| f.text).collect()
    }

    /// Bug: a replay, whose operations have the sizes of its recording, was not held against the kernel's counts.
    #[test]
    fn loads_that_ask_for_no_sizes_are_held_against_counts_too() {
        let found = |device: f64| {
            let mut case = direct("randread", 100e6, device);
            put(&mut case, &[(metric::IOPS, 1000.0)]);
            case.loads.main.profile.flows.iter_mut().for_each(|flow| flow.sizes.clear());
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!((found(100e6), found(50e6)), (0, 1));
    }

    #[test]
    fn counts_that_agree_are_no_finding_and_others_are_told_by_their_sign() {
        let controls = Controls::default();
        let count = |program: f64, device: f64| {
            let case = direct("randread", program, device);
            (fixture::count(&RULE, &case, &controls), fixture::count(&others_io::RULE, &case, &controls))
        };
        assert_eq!(count(100e6, 100e6), (0, 0));
        assert_eq!(count(100e6, 98e6), (0, 0));
        assert_eq!(count(100e6, 80e6), (1, 0));
        assert_eq!(count(100e6, 0.0), (1, 0));
        assert_eq!(count(100e6, 130e6), (0, 1));
    }

    #[test]
    fn counters_that_were_read_late_are_not_held_against_the_load() {
        let mut case = direct("randread", 100e6, 92e6);
        assert_eq!(found(&case, None).len(), 1);
        for trial in &mut case.trials {
            trial.result.local_mut().counters[0].after_ns += 60_000_000;
            trial.result.local_mut().counters[0].after += 11_500;
        }
        assert_eq!(found(&case, None).len(), 0);
    }

    #[test]
    fn a_buffered_load_is_judged_elsewhere() {
        let mut case = direct("randread", 100e6, 0.0);
        fixture::set(&mut case, "direct", false);
        assert!(found(&case, None).is_empty());
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "engine", "mmap");
        assert!(found(&case, None).is_empty());
    }

    /// Reads that a cache answers are not made up for by writes of others.
    #[test]
    fn reads_and_writes_of_a_mix_are_counted_apart() {
        let mut case = direct("randrw", 100e6, 0.0);
        put(&mut case, &[(metric::READ_THROUGHPUT, 60e6), (metric::WRITE_THROUGHPUT, 40e6)]);
        count_at(&mut case, "block:sda", 60e6, 40e6);
        assert!(found(&case, None).is_empty());
        count_at(&mut case, "block:sda", 30e6, 70e6);
        let text = found(&case, None);
        assert_eq!(text.len(), 1);
        assert!(text[0].contains("50 % of the bytes read"), "{text:?}");
    }

    #[test]
    fn discards_have_their_own_counter() {
        let mut case = direct("trim", 100e6, 0.0);
        let source = "/proc/diskstats discarded_sectors";
        for trial in &mut case.trials {
            trial.result.local_mut().counters.push(counter("block:sda", source, 512.0, 195_312));
        }
        assert!(found(&case, None).is_empty());
        put(&mut case, &[(metric::THROUGHPUT, 200e6)]);
        assert!(found(&case, None)[0].contains("of the bytes discarded"));
    }

    /// One target may be faster than the other.
    #[test]
    fn several_devices_are_counted_together() {
        let mut case = direct("randread", 100e6, 0.0);
        on(&mut case, &[("block:sda", 0.5), ("block:sdb", 0.5)]);
        count_at(&mut case, "block:sda", 70e6, 0.0);
        assert!(found(&case, None).is_empty(), "nothing is known of the other");
        count_at(&mut case, "block:sdb", 30e6, 0.0);
        assert!(found(&case, None).is_empty());
        count_at(&mut case, "block:sdb", 10e6, 0.0);
        assert!(found(&case, None)[0].contains("80 % of the bytes read at disks sda, sdb"));
    }

    #[test]
    fn a_partition_is_counted_by_itself_and_others_at_its_disk() {
        let mut case = direct("randread", 100e6, 0.0);
        on(&mut case, &[("block:sda1", 1.0), ("block:sda", 1.0)]);
        count_at(&mut case, "block:sda1", 100e6, 0.0);
        count_at(&mut case, "block:sda", 150e6, 0.0);
        assert!(found(&case, None).is_empty());
        let controls = Controls::default();
        let others = fixture::found(&others_io::RULE, &case, &fixture::context(&controls));
        assert_eq!(others[0].resource.as_ref().map(Resource::as_str), Some("block:sda"));
    }

    fn machine(direct: Option<bool>, counts: Option<bool>) -> Machine {
        let mut machine = Machine::default();
        machine.inventory.block.push(model::machine::BlockDevice {
            name: "loop0".to_owned(),
            kind: model::machine::BlockKind::Loop,
            backing_direct: direct,
            counts,
            ..model::machine::BlockDevice::default()
        });
        machine
    }

    /// Its file may be kept in memory, and holes of it are nowhere.
    #[test]
    fn below_a_loop_device_counts_are_compared_where_no_cache_lies_between() {
        let mut case = direct("randread", 100e6, 0.0);
        on(&mut case, &[("block:loop0", 1.0), ("filesystem:/ (ext4)", 1.0), ("block:vda", 1.0)]);
        count_at(&mut case, "block:loop0", 100e6, 0.0);
        count_at(&mut case, "block:vda", 20e6, 0.0);
        assert!(found(&case, Some(&machine(Some(false), None))).is_empty());
        let text = found(&case, Some(&machine(Some(true), None)));
        assert!(text.len() == 1 && text[0].contains("20 % of the bytes read at disk vda"), "{text:?}");
        count_at(&mut case, "block:loop0", 10e6, 0.0);
        assert_eq!(found(&case, Some(&machine(Some(true), None))).len(), 1, "said once");
    }

    #[test]
    fn a_device_that_keeps_no_counts_is_no_mismatch() {
        let mut case = direct("randread", 100e6, 0.0);
        on(&mut case, &[("block:loop0", 1.0)]);
        count_at(&mut case, "block:loop0", 0.0, 0.0);
        assert_eq!(found(&case, Some(&machine(None, Some(true)))).len(), 1);
        assert!(found(&case, Some(&machine(None, Some(false)))).is_empty());
        // zram counts whatever its flag says.
        count_at(&mut case, "block:loop0", 50e6, 0.0);
        assert_eq!(found(&case, Some(&machine(None, Some(false)))).len(), 1);
    }

    #[test]
    fn a_log_writer_beside_readers_is_counted_with_them() {
        let mut case = direct("randread", 100e6, 0.0);
        fixture::set(&mut case, "target", "/data");
        count_at(&mut case, "block:sda", 100e6, 10e6);
        let mut companion = CaseLoad {
            role: LoadRole::Beside,
            workload: WorkloadName::new("disk"),
            parameters: case.loads.main.parameters.clone(),
            ..CaseLoad::default()
        };
        companion.parameters.set(ParameterName::new("pattern"), "write");
        case.loads.beside = vec![companion];
        fixture::profile(&mut case);
        for trial in &mut case.trials {
            let written = Quantity { value: 40e6, unit: Unit::BytesPerSecond };
            let metrics = BTreeMap::from([(metric::THROUGHPUT, written)]);
            trial.result.loads.push(LoadTrial { metrics, ..LoadTrial::of(1, LOCAL) });
        }
        assert!(found(&case, None)[0].contains("25 % of the bytes written"));
        case.loads.beside[0].parameters.set(ParameterName::new("target"), Value::from("/elsewhere"));
        fixture::profile(&mut case);
        assert!(found(&case, None).is_empty(), "nobody knows where that is");
    }
}
