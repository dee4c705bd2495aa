//! The CPUs that the kernel's work for a layer may use are full: encryption, checksums, compression, what a loop device
//! does. The load's threads wait for it, so that they seem to have CPUs to spare.
//!
//! Whose work it is, is read from what threads and queues of the kernel are called by: the name of the device, or its
//! number. Work that is called by neither, such as that of a queue of a whole kind of file system, is not seen here.

use std::collections::BTreeMap;

use model::finding::Evidence;
use model::layer::{LayerDevice, StorageLayers, WorkQueueSource};
use model::run::CaseResult;
use model::{Machine, Resource, ResourceKind, Severity, Trial};

use super::nodes;
use crate::bottleneck::cores::busy_share;
use crate::bottleneck::{FULL, Verdict, finding};
use crate::measure::layers::{WORKER, has_work_events};
use crate::{Context, measure};

/// Of what full CPUs do, so much must be for one layer; and nobody of ours may have more.
const LARGE_PART: f64 = 1.0 / 3.0;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-kernel-work-full =
    the CPUs that the kernel's work for { RESOURCE($resource) } may use are full: { $crypto ->
        [yes] encryption there
       *[no] it
    } has { PERCENT($used) } of their time, the load's own threads { PERCENT($own) }
    .advice =
        { $crypto ->
            [yes] a cipher that the processor has instructions for, larger sectors, or more CPUs help; faster devices below do not; `headroom run cpu.crypto --threads all` measures what these CPUs encrypt at most
           *[no] more CPUs help; faster devices below do not
        }

evidence-kernel-work =
    the kernel's work for { RESOURCE($resource) }, by { $by ->
        [events] the kernel's events of its queues
       *[names] the names of its threads and queues
    }, has { PERCENT($used) } of the time of the CPUs that it may use, which are busy { PERCENT($busy) } of it
"#;

/// What the kernel did for one layer, of the time of the CPUs that it may use.
struct LayerWork {
    resource: Resource,
    encrypts: bool,
    /// How busy the CPUs were.
    busy: f64,
    /// The share of their time that it had.
    used: f64,
    /// The share that our own process had.
    own: f64,
}

impl LayerWork {
    /// Of the layer that had most in a trial: on the node whose CPUs it fills, where it stays on one, else on all CPUs.
    fn of(layers: &StorageLayers, trial: &Trial, machine: Option<&Machine>) -> Option<Self> {
        let cpus = usable(layers, trial);
        let (used, device) = most_used(layers, trial)?;
        let rate = |name: &str| measure::rate(trial, &Resource::OWN_PROCESS, name);
        let own = rate("user")? + rate("system")?;
        let did = |cpus: &[Resource]| Some(busy_share(trial, cpus)? * cpus.len() as f64);
        let total = did(&cpus)?;
        let at = |cpus: &[Resource]| {
            let (here, all) = (did(cpus)?, cpus.len() as f64);
            // All that the other CPUs did may have been this work.
            let least = (used - (total - here)).max(0.0);
            Some(Self {
                resource: device.resource.clone(),
                encrypts: device.encrypts(),
                busy: here / all,
                // Looks at threads are not quite at the edges of the window.
                used: (least / all).min(here / all),
                own: (own / all).min(here / all),
            })
        };
        let nodes = nodes::of(&cpus, machine);
        nodes.iter().find_map(|node| at(node).filter(Self::is_full)).or_else(|| at(&cpus))
    }

    fn is_full(&self) -> bool {
        self.busy >= FULL && self.used >= LARGE_PART * self.busy && self.used >= self.own
    }
}

/// The device that the kernel used most CPUs for, and how many.
fn most_used<'a>(layers: &'a StorageLayers, trial: &'a Trial) -> Option<(f64, &'a LayerDevice)> {
    let local = trial.result.local();
    // By events work counts also while it is put off the CPU. All of it has no more than the threads used that run it.
    let by_events = local.work_queues.iter().any(|queue| queue.by == WorkQueueSource::Events);
    let is_capped = by_events && local.processes.iter().any(|process| process.kernel);
    let workers = local.processes.iter().filter(|process| {
        let is_worker = process.pid == 0 || process.name.starts_with(WORKER);
        is_worker && process.kernel && process.watched_s > 0.0
    });
    let workers: f64 = workers.map(|process| process.cpu_s / process.watched_s).sum();
    let mut each: BTreeMap<&Resource, (f64, f64, &LayerDevice)> = BTreeMap::new();
    for part in measure::kernel_uses(layers, trial) {
        let (queues, threads, _) = each.entry(&part.device.resource).or_insert((0.0, 0.0, part.device));
        if part.is_queue {
            *queues += part.cpus;
        } else {
            *threads += part.cpus;
        }
    }
    let used = |(queues, threads, device): (f64, f64, &'a LayerDevice)| {
        let queues = if is_capped { queues.min(workers) } else { queues };
        (queues + threads, device)
    };
    each.into_values().map(used).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The CPUs that were counted and that unbound work may run on; where nobody says which, all.
fn usable(layers: &StorageLayers, trial: &Trial) -> Vec<Resource> {
    let counters = trial.result.local().counters.iter();
    let counted = counters.filter(|counter| counter.source == "/proc/stat idle");
    let may = |cpu: u32| layers.work_cpus.is_empty() || layers.work_cpus.contains(&cpu);
    let number = |resource: &Resource| resource.named(ResourceKind::Cpu)?.parse::<u32>().ok();
    let of = |resource: &Resource| number(resource).is_some_and(may);
    counted.map(|counter| &counter.resource).filter(|resource| of(resource)).cloned().collect()
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    // Trials beside these that were observed know more, where there are any.
    let twin = measure::observed(case, context.siblings).filter(|twin| has_work_events(twin));
    let seen = twin.unwrap_or(case);
    let Some(layers) = measure::stacked(seen) else { return Verdict::Elsewhere };
    let of = |trial: &Trial| LayerWork::of(layers, trial, context.machine).map(|work| (work.used, work));
    let Some(work) = measure::middle(seen, of) else { return Verdict::Elsewhere };
    let place = measure::place(case, &Resource::CPUS, "idle");
    let evidence = Evidence::maybe_at("kernel-work", place)
        .arg("resource", work.resource.as_str())
        .arg("used", work.used)
        .arg("busy", work.busy)
        .arg("by", if twin.is_some() { "events" } else { "names" });
    if !work.is_full() {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("kernel-work-full", Severity::Note)
            .on(work.resource.clone())
            .arg("crypto", work.encrypts)
            .arg("used", work.used)
            .arg("own", work.own)
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use model::machine::CpuPlace;

    use super::*;
    use crate::bottleneck::tests::{disk, machine, verdict, verdict_on};
    use crate::measure::layers::tests::{kernel, put, stack};
    use crate::validity::fixture;

    /// Two CPUs that idled for so many hundredths of a second each, of which our process had 0.3 s.
    fn case(idle: [u64; 2], work_cpus: Vec<u32>, crypto: f64) -> CaseResult {
        let mut case = disk(8, 9_000.0, 110.0, 15.0);
        put(&mut case, &StorageLayers { work_cpus, ..stack("raid0") });
        kernel(&mut case, &[("dmcrypt_write/253:0", 0.1), ("md0_raid0", 0.2)], &[("kcryptd/253:0", crypto)]);
        for trial in &mut case.trials {
            let counters = &mut trial.result.local_mut().counters;
            let mut put = |resource: &str, source: &str, ticks: u64| {
                counters.push(fixture::counter(resource, source, 0.01, ticks));
            };
            put("cpu", "/proc/stat idle", idle.iter().sum());
            for (cpu, idle) in ["cpu:0", "cpu:1"].into_iter().zip(idle) {
                put(cpu, "/proc/stat idle", idle);
                put(cpu, "/proc/stat system", 100 - idle);
            }
            put("self", "getrusage(2) user", 10);
            put("self", "getrusage(2) system", 20);
        }
        case
    }

    #[test]
    fn encryption_that_fills_the_cpus_that_it_may_use_is_named() {
        let found = verdict(&[case([2, 3], Vec::new(), 1.4)]);
        assert_eq!(found.code, "kernel-work-full", "{found:?}");
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("block:dm-0"));
        assert!(found.text.contains("encryption there has 75 % of their time"), "{}", found.text);
        // The other CPU idles, but unbound work may not run there.
        assert_eq!(verdict(&[case([2, 90], vec![0], 0.6)]).code, "kernel-work-full");
        assert_ne!(verdict(&[case([2, 90], Vec::new(), 0.6)]).code, "kernel-work-full");
    }

    #[test]
    fn a_full_node_is_all_that_work_may_use_before_linux_6_6() {
        let code = |kernel: &str| {
            let mut machine = machine();
            machine.inventory.kernel = kernel.to_owned();
            let place = |cpu: u32| CpuPlace { cpu, core: 0, die: 0, package: cpu, node: Some(cpu) };
            machine.inventory.cpu.topology = vec![place(0), place(1)];
            verdict_on(&machine, &[case([2, 90], Vec::new(), 0.6)]).code
        };
        assert_eq!(code("5.15.0-91-generic"), "kernel-work-full");
        assert_ne!(code("6.6.1"), "kernel-work-full");
    }

    #[test]
    fn work_that_was_put_off_the_cpu_counts_as_what_its_threads_used() {
        let used = |worker: f64| {
            let mut case = case([2, 3], Vec::new(), 1.4);
            kernel(&mut case, &[("kworker/u4:1+kcryptd/253:0", worker)], &[]);
            let trial = &mut case.trials[0];
            trial.result.local_mut().work_queues.iter_mut().for_each(|q| q.by = WorkQueueSource::Events);
            let layers = trial.result.local().storage.clone().unwrap();
            most_used(&layers, trial).unwrap().0
        };
        // The thread of the mapping beside them had 0.1 s.
        assert!((used(0.5) - 0.6).abs() < 1e-9 && (used(1.9) - 1.5).abs() < 1e-9);
    }

    #[test]
    fn full_cpus_that_others_fill_are_not_the_layer_s() {
        assert_ne!(verdict(&[case([2, 3], Vec::new(), 0.1)]).code, "kernel-work-full");
        let mut without = case([2, 3], Vec::new(), 1.4);
        for trial in &mut without.trials {
            trial.result.local_mut().storage = None;
        }
        assert_ne!(verdict(&[without]).code, "kernel-work-full");
    }
}
