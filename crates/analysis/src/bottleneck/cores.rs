//! Cores that compute all the time: those of the workers, or all.

use std::collections::BTreeSet;
use std::slice;

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::Counter;
use model::{Finding, MetricName, Resource, ResourceKind, Severity, Trial, fact};

use super::{FULL, Verdict, chase, finding, shown, steal};
use crate::measure::End;
use crate::{Context, measure};

/// A load that computes for less than this share of the time mostly waits for
/// something else. Beside one that burns the same CPU it has a fair half, or a little less.
const WANTS: f64 = 0.45;

/// Of what a CPU does, so much of our own process leaves nothing worth naming to others.
const OWN: f64 = 0.90;

/// CPU seconds of others in each second, below which what is busy is ours.
const OTHERS: f64 = 0.1;

/// A thread that computes, or stands ready without a CPU, for this share of the time is held back
/// by processors: all else that it waits for has the rest.
pub(super) const READY: f64 = 0.85;

/// From this share of the time on a thread fills its core, where the hypervisor or others have all the rest of it.
const WITH_LOSSES: f64 = 0.80;

/// Threads that stand ready without a CPU for this share of the time are short of CPUs. They may
/// wait for one another meanwhile, so that CPUs idle now and then: busy for so much is full then.
const QUEUES: f64 = 0.25;
const CROWDED: f64 = 0.85;

pub(super) const ENGLISH: &str = r#"
finding-one-core-full =
    { $threads ->
        [1] one core is full: { $waits ->
            [yes] it computes, or waits for memory, all the time
           *[no] { PERCENT($share) } of the time{ $kernel ->
                [yes] {" "}with what the kernel's workers do for it
               *[no] {""}
            }
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
       *[other] all { FIXED($cpus) } CPUs{ $smt ->
            [yes] , threads of { $cores ->
                [1] one core
               *[other] { FIXED($cores) } cores
            },
           *[no] {""}
        } are busy
    }{ $shared ->
        [yes] , part of it with other programs
       *[no] { $beside ->
            [yes] , part of it with the loads beside it
           *[no] {""}
        }
    }

finding-own-cores-full =
    { $ours ->
        [yes] { RESOURCE($resource) }, all that the load may run on, { verb-is } busy { PERCENT($busy) } of the time with it{ $beside ->
            [yes] {" "}and the loads beside it
           *[no] {""}
        }
       *[no] { RESOURCE($resource) }, where the load runs, { verb-is } busy { PERCENT($busy) } of the time: each of its threads has
            { PERCENT($share) } of a CPU, other programs or the kernel have the rest
    }
    .advice =
        { $ours ->
            [yes] let it run on more of them (taskset, cpuset)
           *[no] stop what else runs there, or let the load run elsewhere (--pin, taskset)
        }

evidence-worker-cpu = each worker computes { PERCENT($share) } of the time
evidence-busy = all CPUs together are busy { PERCENT($share) } of the time
evidence-kernel-share =
    { RESOURCE($resource) } { verb-is } busy { PERCENT($share) } of the time: its threads compute { PERCENT($threads) } of it, and
    the kernel's workers that do their operations the rest
evidence-own-busy = { RESOURCE($resource) } { verb-is } busy { PERCENT($share) } of the time
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some((metric, each)) = each(case, context) else { return Verdict::Elsewhere };
    let threads = measure::workers(case);
    let cpus = measure::cpus_allowed(case, context.machine);
    let all = measure::median(case, |trial| busy_share(trial, &[Resource::CPUS]));
    let mut evidence = vec![shown("worker-cpu", metric).arg("share", each)];
    if let (Some(all), Some(place)) = (all, measure::place(case, &Resource::CPUS, "idle")) {
        evidence.push(Evidence::at("busy", place).arg("share", all));
    }
    // Others may fill all CPUs while the load hardly wants one: that disturbs
    // it, and is said elsewhere, but more cores would not help it much.
    let is_hungry = wants(case, each, cpus);
    let everywhere =
        all.is_some_and(|a| a >= FULL) && is_hungry || all.is_some_and(|a| a >= CROWDED) && queues(case);
    let is_each = each >= FULL || is_full_with_losses(case, context, each, cpus);
    let own = own_cores(case, context).filter(|_| is_each || is_hungry);
    let is_crowded = |own: &OwnCores| threads > own.cpus.len() as f64 || each < FULL && own.beside;
    // What the kernel does for us on our own core is ours.
    let is_alone = own.as_ref().is_some_and(|own| own.ours && !is_crowded(own));
    if let Some(own) = own.as_ref().filter(|own| is_crowded(own) || each < FULL && !is_alone) {
        return own.verdict(each, evidence);
    }
    let each = own.filter(|_| is_alone).map_or(each, |own| each.max(own.busy));
    let is_each = is_each || each >= FULL;
    if !is_each && !everywhere {
        if let Some(found) = with_the_kernel(case, each, cpus) {
            return Verdict::Full(Box::new(found.because_all(evidence)));
        }
        // The busier of the two says it, unless others are what is busy.
        let last = evidence.len() - 1;
        let index = if all.is_some_and(|a| a > each && a < FULL) { last } else { 0 };
        return Verdict::Free(evidence.swap_remove(index));
    }
    let waits = context.machine.is_some_and(|m| measure::beyond_caches(case, m));
    let ours = is_ours(case, all.unwrap_or_default());
    let shared = !is_each && !ours;
    let beside = !is_each && ours && !case.loads.beside.is_empty();
    let waits = waits && measure::is_of_memory(case);
    // Threads that fill their cores would have no more of others that were free.
    let online = measure::cpus_online(case, context.machine);
    let all = if is_each { threads >= cpus && cpus > 0.0 && cpus >= online } else { everywhere };
    let code = if all { "all-cores-full" } else { "one-core-full" };
    // Another thread on a core that one fills is no second core.
    let own_cpus = measure::CaseCpus::of(case, context.machine);
    let cores = context.machine.map_or(cpus, |machine| own_cpus.cores(&machine.inventory.cpu) as f64);
    let mut found = finding(code, Severity::Note)
        .on(Resource::CPUS)
        .arg("share", each)
        .arg("threads", threads)
        .arg("cpus", cpus)
        .arg("cores", cores)
        .arg("smt", cores < cpus)
        .arg("more", threads < cores && !everywhere)
        .arg("shared", shared)
        .arg("beside", beside)
        .arg("kernel", false)
        .arg("waits", waits);
    found.evidence = evidence;
    Verdict::Full(Box::new(found))
}

/// Whether threads compute for nearly all of the time that they are let: what they lack of it the hypervisor gave to others,
/// or they stood ready while others had their CPU.
fn is_full_with_losses(case: &CaseResult, context: &Context<'_>, each: f64, cpus: f64) -> bool {
    let threads = measure::workers(case).max(1.0);
    // More threads than CPUs share them by intention.
    let may_lose = each >= WITH_LOSSES && (cpus <= 0.0 || threads <= cpus);
    let ready = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY)).unwrap_or_default();
    may_lose && each + ready / threads + steal::of_each(case, context) >= FULL
}

/// Whether it is us, with the loads beside this one, who have the CPUs that are all busy.
fn is_ours(case: &CaseResult, busy: f64) -> bool {
    let cpus = measure::good(case).find_map(|trial| End::Drives.cpus_in(trial));
    let used = own_process(case, |_, _| true);
    cpus.zip(used).is_some_and(|(cpus, used)| used >= OWN * busy * cpus)
}

/// One thread whose operations the kernel's workers do (those of io_uring for a device that
/// answers at once), on one CPU or one after the other: the sum is what is full.
fn with_the_kernel(case: &CaseResult, each: f64, cpus: f64) -> Option<Finding> {
    // Of packets no thread is charged for what interrupts do.
    if measure::is_net(case)
        || measure::workers(case) > 1.0
        || measure::waits_on_scheduler(measure::profile(case))
    {
        return None;
    }
    let of = |trial: &Trial| {
        let (core, busy) = busiest(trial)?;
        let ours = own_in(case, trial, &|load, _| load == 0)?;
        let online = End::Drives.cpus_in(trial)?;
        let others = busy_share(trial, &[Resource::CPUS])? * online - own_in(case, trial, &|_, _| true)?;
        // A CPU that is full of what is ours; or nothing under way but what computes.
        let is_full = busy >= FULL && ours >= OWN * busy;
        let is_serial = measure::concurrency(case) <= 1.0 && (FULL..=1.0 + OTHERS).contains(&ours);
        let share = if is_full { busy } else { ours.min(1.0) };
        ((is_full || is_serial) && others < OTHERS).then_some((share, core))
    };
    let trials = measure::good(case).count();
    let full: Vec<(f64, Resource)> = measure::good(case).filter_map(of).collect();
    let is_usual = 2 * full.len() > trials;
    let (share, core) = full.into_iter().filter(|_| is_usual).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let place = measure::place(case, &core, "idle")?;
    let seen = Evidence::at("kernel-share", place)
        .arg("resource", core.as_str())
        .arg("share", share)
        .arg("threads", each / share);
    Some(
        finding("one-core-full", Severity::Note)
            .on(core)
            .arg("share", share)
            .arg("threads", 1.0)
            .arg("cpus", cpus)
            .arg("more", cpus > 1.0)
            .arg("shared", false)
            .arg("beside", false)
            .arg("kernel", true)
            .arg("waits", false)
            .because(seen),
    )
}

/// The CPU that was busy for the greatest share of its time.
fn busiest(trial: &Trial) -> Option<(Resource, f64)> {
    let is_one = |c: &&Counter| c.resource.is_named(ResourceKind::Cpu) && c.source == "/proc/stat idle";
    let all = trial.result.local().counters.iter().filter(is_one);
    let shares =
        all.filter_map(|c| Some((c.resource.clone(), busy_share(trial, slice::from_ref(&c.resource))?)));
    shares.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The CPUs that the load runs on, or may run on, where these are some of all and busy.
struct OwnCores {
    cpus: Vec<u32>,
    /// The share of their time that they are busy.
    busy: f64,
    /// Whether it is nearly all our own process's.
    ours: bool,
    /// Whether loads beside it have a part of them that is felt.
    beside: bool,
    place: Place,
}

fn own_cores(case: &CaseResult, context: &Context<'_>) -> Option<OwnCores> {
    let allowed = measure::CaseCpus::of(case, Some(context.machine?)).allowed;
    let pinned = |trial: &Trial| -> Option<BTreeSet<u32>> {
        let workers = &trial.result.placement.as_ref()?.workers;
        let of_main = workers.iter().filter(|worker| worker.load == 0);
        of_main.map(|worker| worker.cpu).collect()
    };
    let own = measure::good(case).find_map(pinned).filter(|own| !own.is_empty());
    let mut own: Vec<u32> = own.map_or(allowed, |own| own.into_iter().collect());
    // Those that are there: a setting may have taken some away.
    let is_counted = |trial: &Trial, cpu: u32| {
        measure::change(trial, &Resource::of(ResourceKind::Cpu, cpu), "idle").is_some()
    };
    own.retain(|cpu| measure::good(case).any(|trial| is_counted(trial, *cpu)));
    if own.len() as f64 >= measure::cpus_online(case, context.machine) {
        return None;
    }
    let resources: Vec<Resource> = own.iter().map(|cpu| Resource::of(ResourceKind::Cpu, cpu)).collect();
    let busy = measure::median(case, |trial| busy_share(trial, &resources)).filter(|busy| *busy >= FULL)?;
    let place = measure::place(case, resources.first()?, "idle")?;
    // Workers that are pinned elsewhere do not run here.
    let is_here = |cpu: Option<u32>| cpu.is_none_or(|cpu| own.contains(&cpu));
    let used = own_process(case, |_, cpu| is_here(cpu));
    // What the hypervisor gave to others no program of this machine has.
    let stolen = measure::median(case, |trial| stolen_share(trial, &resources)).unwrap_or_default();
    let ours = used.is_some_and(|used| used >= OWN * (busy - stolen) * own.len() as f64);
    let ours = ours && stolen <= 1.0 - WITH_LOSSES;
    let alone = own_process(case, |load, cpu| load == 0 && is_here(cpu));
    let beside = used.zip(alone).is_some_and(|(used, alone)| used - alone >= (1.0 - FULL) * own.len() as f64);
    Some(OwnCores { cpus: own, busy, ours, beside, place })
}

impl OwnCores {
    /// That they are what is full: others, or the kernel, have what the load does not.
    fn verdict(&self, each: f64, evidence: Vec<Evidence>) -> Verdict {
        let Self { busy, ours, beside, .. } = *self;
        let resource = Resource::of_cpus(&self.cpus);
        let seen = Evidence::at("own-busy", self.place.clone())
            .arg("resource", resource.as_str())
            .arg("share", busy);
        let found = finding("own-cores-full", Severity::Note)
            .on(resource)
            .arg("busy", busy)
            .arg("share", each)
            .arg("ours", ours)
            .arg("beside", beside);
        Verdict::Full(Box::new(found.because_all(evidence.into_iter().next()).because(seen)))
    }
}

/// Whether the load would compute more if it could: its workers stood ready and had no CPU for long, or
/// they, or the kernel's workers on their behalf, have a fair part of the CPUs.
fn wants(case: &CaseResult, each: f64, cpus: f64) -> bool {
    let threads = measure::workers(case).max(1.0);
    let waited = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY));
    let used = each * if cpus > 0.0 { threads.min(cpus) } else { threads };
    let ready = waited.is_some_and(|waited| (used + waited) / threads >= READY);
    let ours = own_process(case, |load, _| load == 0).unwrap_or_default() / threads.min(cpus).max(1.0);
    ready || each >= WANTS || ours >= FULL || queues(case) || waits_off_device(case)
}

/// Whether most of what a load has under way is not at its device, while its threads stand ready without a CPU for long enough
/// to be felt: what the device has done waits until somebody looks.
fn waits_off_device(case: &CaseResult) -> bool {
    let waited = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY)).unwrap_or_default();
    let is_above = || measure::UnderWay::of(case, measure::device(case)?).map(|found| found.is_above());
    waited / measure::workers(case).max(1.0) >= FELT && is_above().unwrap_or(false)
}

/// Whether the threads of an end on this machine stand ready without a CPU for long.
pub(super) fn queues(case: &CaseResult) -> bool {
    let ends: &[End] =
        if measure::is_one_machine(case) { &[End::Drives, End::Answers] } else { &[End::Drives] };
    let workers = measure::workers(case).max(1.0);
    let waited = |end: &End| measure::median(case, |trial| end.number(trial, fact::RUN_DELAY));
    ends.iter().filter_map(waited).any(|waited| waited / workers >= QUEUES)
}

/// CPU seconds for each second of all our threads, those of the kernel that work for them too,
/// less those workers, by load and the CPU that they are pinned to, that do not count.
fn own_process(case: &CaseResult, counts: impl Fn(usize, Option<u32>) -> bool) -> Option<f64> {
    measure::median(case, |trial| own_in(case, trial, &counts))
}

fn own_in(case: &CaseResult, trial: &Trial, counts: &dyn Fn(usize, Option<u32>) -> bool) -> Option<f64> {
    let of = |name| measure::rate(trial, &Resource::OWN_PROCESS, name);
    let all = of("user")? + of("system")?;
    let placed = trial.result.placement.as_ref().map_or(&[][..], |placement| &placement.workers);
    let left_out = |load: usize| {
        let own: Vec<bool> = placed.iter().filter(|w| w.load == load).map(|w| counts(load, w.cpu)).collect();
        let share = match own.len() {
            0 => f64::from(u8::from(!counts(load, None))),
            all => own.iter().filter(|counts| !**counts).count() as f64 / all as f64,
        };
        share * trial.result.load(load).and_then(measure::cpu_of).unwrap_or(0.0)
    };
    let rest = all - (0..case.loads.iter().count()).map(left_out).sum::<f64>();
    Some(rest.max(0.0))
}

/// CPU seconds that each worker used for each second, of the CPUs that there
/// are, and the metric that says so.
pub(super) fn each(case: &CaseResult, context: &Context<'_>) -> Option<(MetricName, f64)> {
    let (metric, used) = measure::worker_cpu(case).or_else(|| chase::cpu(case))?;
    let threads = measure::workers(case);
    let cpus = measure::cpus_allowed(case, context.machine);
    Some((metric, used / if cpus > 0.0 { threads.min(cpus) } else { threads }))
}

/// From this share of the time on a worker that stands ready without a CPU feels that others have these.
const FELT: f64 = 0.1;

/// Whether all CPUs that the load may use are full, and its workers stand ready without one for so long that it is felt: what a
/// greater depth does not add may be for want of these.
pub(super) fn are_lacking(case: &CaseResult, context: &Context<'_>) -> bool {
    let waited = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY)).unwrap_or_default();
    waited / measure::workers(case).max(1.0) >= FELT && are_all_busy(case, context)
}

/// Whether all CPUs together are busy, or those that the load runs on or may run on, whoever keeps them so.
pub(super) fn are_all_busy(case: &CaseResult, context: &Context<'_>) -> bool {
    let all = measure::median(case, |trial| busy_share(trial, &[Resource::CPUS]));
    all.is_some_and(|busy| busy >= FULL) || own_cores(case, context).is_some()
}

/// The share of their time that the hypervisor gave to others.
fn stolen_share(trial: &Trial, cpus: &[Resource]) -> Option<f64> {
    let rates: Vec<f64> = cpus.iter().filter_map(|cpu| measure::rate(trial, cpu, "steal")).collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / cpus.len() as f64)
}

/// The share of their time that these CPUs together were busy.
pub(super) fn busy_share(trial: &Trial, cpus: &[Resource]) -> Option<f64> {
    let of = |name: &str| cpus.iter().filter_map(|cpu| measure::change(trial, cpu, name)).sum::<f64>();
    // Where one was not counted, nothing is known of all.
    cpus.iter().map(|cpu| measure::change(trial, cpu, "idle")).collect::<Option<Vec<f64>>>()?;
    let busy: f64 = ["user", "nice", "system", "irq", "softirq", "steal"].iter().map(|name| of(name)).sum();
    let all = of("idle") + of("iowait") + busy;
    (all > 0.0).then_some(busy / all)
}

#[cfg(test)]
mod tests;
