//! Cores that compute all the time: those of the workers, or all.

use std::collections::BTreeSet;

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{MetricName, Resource, ResourceKind, Severity, Trial, fact};

use super::{FULL, Verdict, finding, shown};
use crate::{Context, measure};

/// A load that computes for less than this share of the time mostly waits for
/// something else. Beside one that burns the same CPU it has a fair half, or a little less.
const WANTS: f64 = 0.45;

/// Of what a CPU does, so much of our own process leaves nothing worth naming to others.
const OWN: f64 = 0.90;

pub(super) const ENGLISH: &str = r#"
finding-one-core-full =
    { $threads ->
        [1] one core is full: { $waits ->
            [yes] it computes, or waits for memory, all the time
           *[no] { PERCENT($share) } of the time
        }
       *[other] the cores of its { FIXED($threads) } threads are full: { $waits ->
            [yes] they compute, or wait for memory, all the time
           *[no] { PERCENT($share) } of the time
        }
    }
    .advice =
        { $more ->
            [yes] more threads can use more cores
           *[no] {""}
        }

finding-all-cores-full =
    { $cpus ->
        [1] the only CPU is busy
       *[other] all { FIXED($cpus) } CPUs are busy
    }{ $shared ->
        [yes] , part of it with other programs
       *[no] {""}
    }

finding-own-cores-full =
    { $ours ->
        [yes] { RESOURCE($resource) }, all that the load may run on, is busy with it { PERCENT($busy) } of the time
       *[no] { RESOURCE($resource) }, where the load runs, is busy { PERCENT($busy) } of the time: each of its threads has
            { PERCENT($share) } of a CPU, other programs or the kernel have the rest
    }
    .advice =
        { $ours ->
            [yes] let it run on more of them (taskset, cpuset)
           *[no] stop what else runs there, or let the load run elsewhere (--pin, taskset)
        }

evidence-worker-cpu = each worker computes { PERCENT($share) } of the time
evidence-busy = all CPUs together are busy { PERCENT($share) } of the time
evidence-own-busy = { RESOURCE($resource) } is busy { PERCENT($share) } of the time
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some((metric, each)) = each(case, context) else { return Verdict::Elsewhere };
    let threads = measure::workers(case);
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    let all = measure::median(case, |trial| busy_share(trial, &[Resource::CPUS]));
    let mut evidence = vec![shown("worker-cpu", metric).arg("share", each)];
    if let (Some(all), Some(place)) = (all, measure::place(case, &Resource::CPUS, "idle")) {
        evidence.push(Evidence::at("busy", place).arg("share", all));
    }
    // Others may fill all CPUs while the load hardly wants one: that disturbs
    // it, and is said elsewhere, but more cores would not help it much.
    let is_hungry = wants(case, each, cpus);
    let everywhere = all.is_some_and(|a| a >= FULL) && is_hungry;
    let own = own_cores(case, context).filter(|_| each >= FULL || is_hungry);
    let is_crowded = |own: &OwnCores| threads > own.cpus.len() as f64;
    // What the kernel does for us on our own core is ours.
    let each = match &own {
        Some(own) if own.ours && !is_crowded(own) => each.max(own.busy),
        _ => each,
    };
    if let Some(own) = own.filter(|own| each < FULL || is_crowded(own)) {
        return own.verdict(each, evidence);
    }
    if each < FULL && !everywhere {
        // The busier of the two says it, unless others are what is busy.
        let last = evidence.len() - 1;
        let index = if all.is_some_and(|a| a > each && a < FULL) { last } else { 0 };
        return Verdict::Free(evidence.swap_remove(index));
    }
    let waits = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
    let shared = each < FULL;
    let waits = waits && measure::is_of_memory(case);
    // Threads that fill their cores would have no more of others that were free.
    let online = context.machine.map_or(0, |m| m.inventory.cpu.online.len()) as f64;
    let all = if each >= FULL { threads >= cpus && cpus > 0.0 && cpus >= online } else { everywhere };
    let code = if all { "all-cores-full" } else { "one-core-full" };
    let mut found = finding(code, Severity::Note)
        .on(Resource::CPUS)
        .arg("share", each)
        .arg("threads", threads)
        .arg("cpus", cpus)
        .arg("more", threads < cpus && !everywhere)
        .arg("shared", shared)
        .arg("waits", waits);
    found.evidence = evidence;
    Verdict::Full(Box::new(found))
}

/// The CPUs that the load runs on, or may run on, where these are some of all and busy.
struct OwnCores {
    cpus: Vec<u32>,
    /// The share of their time that they are busy.
    busy: f64,
    /// Whether it is nearly all our own process's.
    ours: bool,
    place: Place,
}

fn own_cores(case: &CaseResult, context: &Context<'_>) -> Option<OwnCores> {
    let cpus = &context.machine?.inventory.cpu;
    let pinned = |trial: &Trial| -> Option<BTreeSet<u32>> {
        let workers = &trial.result.placement.as_ref()?.workers;
        let of_main = workers.iter().filter(|worker| worker.load == 0);
        of_main.map(|worker| worker.cpu).collect()
    };
    let own = measure::good(case).find_map(pinned).filter(|own| !own.is_empty());
    let own: Vec<u32> = own.map_or_else(|| cpus.allowed.clone(), |own| own.into_iter().collect());
    if own.len() >= cpus.online.len() {
        return None;
    }
    let resources: Vec<Resource> = own.iter().map(|cpu| Resource::of(ResourceKind::Cpu, cpu)).collect();
    let busy = measure::median(case, |trial| busy_share(trial, &resources)).filter(|busy| *busy >= FULL)?;
    let place = measure::place(case, resources.first()?, "idle")?;
    let ours = own_process(case).is_some_and(|ours| ours >= OWN * busy * own.len() as f64);
    Some(OwnCores { cpus: own, busy, ours, place })
}

impl OwnCores {
    /// That they are what is full: others, or the kernel, have what the load does not.
    fn verdict(self, each: f64, evidence: Vec<Evidence>) -> Verdict {
        let Self { cpus, busy, ours, place } = self;
        let resource = Resource::of_cpus(&cpus);
        let seen = Evidence::at("own-busy", place).arg("resource", resource.as_str()).arg("share", busy);
        let found = finding("own-cores-full", Severity::Note)
            .on(resource)
            .arg("busy", busy)
            .arg("share", each)
            .arg("ours", ours);
        Verdict::Full(Box::new(found.because_all(evidence.into_iter().next()).because(seen)))
    }
}

/// Whether the load would compute more if it could: its workers stood ready and had no CPU, or
/// they, or the kernel's workers on their behalf, have a fair part of the CPUs.
fn wants(case: &CaseResult, each: f64, cpus: f64) -> bool {
    let threads = measure::workers(case).max(1.0);
    let waited = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY));
    let used = each * if cpus > 0.0 { threads.min(cpus) } else { threads };
    let ready = waited.is_some_and(|waited| (used + waited) / threads >= FULL);
    let ours = own_process(case).unwrap_or_default() / threads.min(cpus).max(1.0);
    ready || each >= WANTS || ours >= FULL
}

/// CPU seconds for each second of all our threads, those of the kernel that work for them too.
fn own_process(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial, name| measure::rate(trial, &Resource::OWN_PROCESS, name);
    measure::median(case, |trial| Some(of(trial, "user")? + of(trial, "system")?))
}

/// CPU seconds that each worker used for each second, of the CPUs that there
/// are, and the metric that says so.
pub(super) fn each(case: &CaseResult, context: &Context<'_>) -> Option<(MetricName, f64)> {
    let (metric, used) = measure::worker_cpu(case)?;
    let threads = measure::workers(case);
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    Some((metric, used / if cpus > 0.0 { threads.min(cpus) } else { threads }))
}

/// The share of their time that these CPUs together were busy.
fn busy_share(trial: &Trial, cpus: &[Resource]) -> Option<f64> {
    let of = |name: &str| cpus.iter().filter_map(|cpu| measure::change(trial, cpu, name)).sum::<f64>();
    // Where one was not counted, nothing is known of all.
    cpus.iter().map(|cpu| measure::change(trial, cpu, "idle")).collect::<Option<Vec<f64>>>()?;
    let idle = of("idle") + of("iowait");
    let busy: f64 = ["user", "nice", "system", "irq", "softirq", "steal"].iter().map(|name| of(name)).sum();
    let all = idle + busy;
    (all > 0.0).then_some(busy / all)
}

#[cfg(test)]
mod tests {
    use model::study::Pin;
    use model::trial::{Placement, WorkerPlace};

    use super::super::tests::{disk, machine, verdict, verdict_on};
    use super::*;
    use crate::validity::fixture;

    /// A thread that fills its core has no more of one that somebody else fills.
    #[test]
    fn a_full_core_beside_a_burner_is_one_core() {
        let mut case = disk(32, 500_000.0, 60.0, 1.97);
        counted(&mut case, "cpu", [198, 2]);
        let found = verdict(&[case]);
        assert_eq!((found.code.as_str(), found.advice), ("one-core-full", None));
    }

    /// Bug: with one of two CPUs allowed, or pinned to, beside a neighbour, all CPUs were said
    /// to be busy half of the time, and nothing to be full.
    #[test]
    fn the_cpus_that_a_load_may_run_on_are_those_that_count() {
        let mut machine = machine();
        machine.inventory.cpu.online = vec![0, 1];
        machine.inventory.cpu.allowed = vec![1];
        // Each operation takes 55 us of a CPU, 9,000 times a second.
        let mut case = disk(1, 9_000.0, 110.0, 55.0);
        counted(&mut case, "cpu", [101, 99]);
        counted(&mut case, "cpu:0", [2, 98]);
        counted(&mut case, "cpu:1", [99, 1]);
        let found = verdict_on(&machine, &[case.clone()]);
        assert_eq!(found.code, "own-cores-full");
        assert_eq!(found.resource, Some(Resource::of_cpus(&[1])));
        machine.inventory.cpu.allowed = vec![0, 1];
        assert_eq!(verdict_on(&machine, &[case.clone()]).code, "latency-bound");
        for (cpu, code) in [(1, "own-cores-full"), (0, "latency-bound")] {
            for trial in &mut case.trials {
                let workers = vec![WorkerPlace { load: 0, cpu: Some(cpu) }];
                let (asked, policy) = (Pin::Spread, Pin::Spread);
                trial.result.placement =
                    Some(Placement { asked, policy, reason: None, workers, interrupts: Vec::new() });
            }
            assert_eq!(verdict_on(&machine, &[case.clone()]).code, code);
        }
    }

    /// Ticks of 10 ms that a CPU was busy and idle.
    fn counted(case: &mut CaseResult, cpu: &str, [busy, idle]: [u64; 2]) {
        for trial in &mut case.trials {
            for (name, ticks) in [("user", busy), ("idle", idle)] {
                let counter = fixture::counter(cpu, &format!("/proc/stat {name}"), 0.01, ticks);
                trial.result.local_mut().counters.push(counter);
            }
        }
    }
}
