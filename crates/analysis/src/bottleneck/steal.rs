//! CPU time that the hypervisor gives to others: threads that would compute are not let, and no program of this
//! machine has what they lack (`steal` in proc_stat(5)).
//!
//! It holds a load back that wants processors: what its threads computed and what was stolen from them fill the CPUs
//! that they may use. A load that waits for something else hardly feels it. Of stolen time the load has the part that it
//! has of what was computed, for nobody counts from whom a CPU was taken.

use model::database::metric as names;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};
use model::{Finding, Resource, ResourceKind, Severity, Trial};

use super::cores::READY;
use super::{BEYOND, FULL, Verdict, finding, memory};
use crate::measure::End;
use crate::validity::steal;
use crate::{Context, measure};

/// From this share of what the load wants on, it is what is stolen that holds it back. Of less the CPUs that it fills have the
/// name, and what was stolen is told beside that ([`told`]): one more of them would bring more than all that was taken.
const TAKEN: f64 = 0.2;

/// Cores that are full, on the machine that drives.
const OF_CORES: [&str; 3] = ["one-core-full", "own-cores-full", "all-cores-full"];

/// What CPUs do for somebody here.
const BUSY: [&str; 5] = ["user", "nice", "system", "irq", "softirq"];

pub(super) const ENGLISH: &str = r#"
finding-steal-bound =
    the hypervisor holds this back: it gave others { PERCENT($share) } of the CPU time that the threads{ of-end } wanted
    (steal){ $some ->
        [yes] , in { stolen-trials }
       *[no] {""}
    }
    .advice =
        a machine that has its CPUs to itself, or another time: no program of this machine has what is taken here

evidence-stolen-in-some =
    in { stolen-trials } the hypervisor took { PERCENT($share) } of the CPU time that this machine wanted (steal), and at most
    { PERCENT($others) } in the others{ $differs ->
        [yes] : these gave { PERCENT($ratio) } of what the others gave
       *[no] {""}
    }
evidence-stolen-of-load = { PERCENT($share) } of the CPU time that the threads{ of-end } wanted was stolen
"#;

/// What was stolen from the threads of an end.
struct Stolen {
    end: End,
    /// Of what they wanted, as a share.
    share: f64,
    /// What they computed and what was stolen from them, of what the CPUs that they may use have.
    wanted: f64,
    place: Place,
}

impl Stolen {
    fn of(case: &CaseResult, context: &Context<'_>, end: End) -> Option<Self> {
        let workers = measure::workers(case).max(1.0);
        // A server of ours, or one that is here, computes for its clients.
        let server = measure::median(case, |trial| measure::measured(trial, names::SERVER_CPU));
        let server = server.filter(|_| end == End::Drives);
        let used = end.worker_share(case)? * workers + server.unwrap_or_default();
        let cpus = match end {
            End::Drives => measure::cpus_allowed(case, context.machine),
            End::Answers => end.cpus(case).unwrap_or_default(),
        };
        let most = match server {
            Some(_) if cpus > 0.0 => cpus,
            Some(_) => return None,
            None if cpus > 0.0 => workers.min(cpus),
            None => workers,
        };
        let usable = usable(case, context, end);
        let of = |trial: &Trial| {
            let rate = |name: &str| usable.iter().filter_map(|cpu| end.rate(trial, cpu, name)).sum::<f64>();
            let busy: f64 = BUSY.iter().map(|name| rate(name)).sum();
            let counter = measure::named(end.counters(trial), usable.first()?, "steal")?;
            // Some kernels charge threads for what was stolen from them.
            let used = used.min(busy);
            let taken = rate("steal") * used / busy;
            let stolen = Self {
                end,
                share: taken / (used + taken),
                wanted: (used + taken) / most,
                place: measure::place_of(counter),
            };
            Some((taken, stolen))
        };
        measure::middle(case, of)
    }

    fn is_felt(&self) -> bool {
        self.share >= TAKEN && self.wanted >= READY
    }

    fn evidence(&self, case: &CaseResult) -> Evidence {
        Evidence::at("stolen-of-load", self.place.clone())
            .arg("share", self.share)
            .arg("end", self.end.word())
            .arg("machine", self.end.machine(case).unwrap_or_default())
    }
}

/// What was stolen of each CPU second that a worker of the driving end had or would have had, in CPU seconds of each second.
pub(super) fn of_each(case: &CaseResult, context: &Context<'_>) -> f64 {
    let stolen = Stolen::of(case, context, End::Drives).filter(|stolen| stolen.share >= steal::FELT);
    let each = End::Drives.worker_share(case).unwrap_or_default();
    stolen.map_or(0.0, |stolen| each * stolen.share / (1.0 - stolen.share).max(f64::EPSILON))
}

/// That a part of the CPU time which a load with full cores wanted was stolen.
pub(super) fn told(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let stolen = Stolen::of(case, context, End::Drives).filter(|stolen| stolen.share >= steal::FELT)?;
    OF_CORES.contains(&named.code.as_str()).then(|| stolen.evidence(case))
}

/// That the hypervisor took far more in some trials than in the others, of a verdict that does not say so: a median hides it.
pub(super) fn in_some(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    if named.code == "steal-bound" {
        return None;
    }
    let uneven = steal::StolenTrials::of(case, context)?;
    let evidence = Evidence::at("stolen-in-some", measure::place(case, &Resource::CPUS, "steal")?);
    let evidence = evidence.arg("share", uneven.share);
    Some(uneven.args().into_iter().fold(evidence, |evidence, (name, value)| evidence.arg(name, value)))
}

/// The CPUs that threads of an end may use, where they are some of all; else all of them as one.
fn usable(case: &CaseResult, context: &Context<'_>, end: End) -> Vec<Resource> {
    let machine = context.machine.filter(|_| !end.answers());
    let cpus = measure::CaseCpus::of(case, machine);
    if cpus.allowed.is_empty() || cpus.allowed.len() >= cpus.online.len() {
        return vec![Resource::CPUS];
    }
    cpus.allowed.iter().map(|cpu| Resource::of(ResourceKind::Cpu, cpu)).collect()
}

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let ends = measure::kernels(case).iter();
    let all = ends.filter_map(|end| Stolen::of(case, context, *end));
    let order = |a: &Stolen, b: &Stolen| a.is_felt().cmp(&b.is_felt()).then(a.share.total_cmp(&b.share));
    let Some(most) = all.max_by(order) else { return Verdict::Elsewhere };
    let evidence = most.evidence(case);
    if !most.is_felt() {
        return if most.share >= steal::FELT { Verdict::Free(evidence) } else { Verdict::Elsewhere };
    }
    if is_memory_full(case, context) {
        return Verdict::Elsewhere;
    }
    // What was taken at the other end is not of these CPUs.
    let uneven = steal::StolenTrials::of(case, context).filter(|_| !most.end.answers());
    let found = finding("steal-bound", Severity::Warning).on(Resource::CPUS).arg("some", uneven.is_some());
    let found = match uneven {
        Some(uneven) => uneven.told(found),
        None => found,
    };
    Verdict::Full(Box::new(
        found
            .arg("share", most.share)
            .arg("end", most.end.word())
            .arg("machine", most.end.machine(case).unwrap_or_default())
            .because(evidence),
    ))
}

/// Of memory that is full more CPU time brings nothing. Where it was measured too low nobody knows whether it is, and
/// where only the cores are full it has more to give.
fn is_memory_full(case: &CaseResult, context: &Context<'_>) -> bool {
    let is_reached = |used: &Utilization| {
        let is_memory = used.resource == Resource::MEMORY && used.kind == LimitKind::Measured;
        is_memory && (FULL..=BEYOND).contains(&used.fraction)
    };
    case.utilization.iter().any(is_reached) && matches!(memory::examine(case, context), Verdict::Full(_))
}

#[cfg(test)]
mod tests {
    use model::{Better, Quantity, Unit, metric};

    use super::super::tests::{disk, machine, used, verdict, verdict_on};
    use super::*;
    use crate::validity::fixture;

    /// A case in which two CPUs were busy, stolen and idle for so many hundredths of a second.
    fn on_stolen(mut case: CaseResult, [busy, steal, idle]: [u64; 3]) -> CaseResult {
        for trial in &mut case.trials {
            for (name, ticks) in [("user", busy), ("steal", steal), ("idle", idle)] {
                let counter = fixture::counter("cpu", &format!("/proc/stat {name}"), 0.01, ticks);
                trial.result.local_mut().counters.push(counter);
            }
        }
        case
    }

    /// One thread that computes for so many microseconds of each of 9,000 operations a second, on such CPUs.
    fn found(cpu_us: f64, ticks: [u64; 3]) -> model::Finding {
        verdict(&[on_stolen(disk(1, 9_000.0, 110.0, cpu_us), ticks)])
    }

    /// Bug: CPUs that the hypervisor gave to others were said to be busy with other programs, or nothing was named.
    #[test]
    fn a_thread_whose_cpu_is_stolen_half_of_the_time_is_held_back_by_that() {
        let half = found(55.0, [50, 50, 100]);
        assert_eq!(half.code, "steal-bound", "{half:?}");
        assert!((half.args["share"].number().unwrap() - 0.5).abs() < 0.01, "{half:?}");
        let text = "it gave others 50 % of the CPU time that the threads wanted (steal)";
        assert!(half.text.ends_with(text), "{}", half.text);
        assert_eq!(found(33.0, [31, 65, 104]).code, "steal-bound");
    }

    #[test]
    fn what_is_stolen_from_a_database_that_is_here_counts_too() {
        let found = |server: f64, ticks: [u64; 3]| {
            let mut case = disk(1, 9_000.0, 110.0, 22.0);
            for trial in &mut case.trials {
                let used = Quantity { value: server, unit: Unit::One };
                trial.result.main_mut().metrics.insert(names::SERVER_CPU, used);
            }
            verdict(&[on_stolen(case, ticks)]).code
        };
        assert_eq!(found(1.0, [125, 65, 10]), "steal-bound");
        assert_ne!(found(0.4, [65, 35, 100]), "steal-bound", "there are CPUs to spare");
    }

    /// Bug: of a thread on its one CPU, of which the hypervisor took a little, other programs were said to have the rest.
    #[test]
    fn what_is_stolen_of_the_one_cpu_of_a_load_is_no_other_program() {
        let mut machine = machine();
        (machine.inventory.cpu.online, machine.inventory.cpu.allowed) = (vec![0, 1], vec![1]);
        let mut case = on_stolen(disk(1, 9_000.0, 110.0, 95.0), [88, 12, 100]);
        for trial in &mut case.trials {
            let counters = &mut trial.result.local_mut().counters;
            for (name, ticks) in [("user", 87), ("steal", 12), ("idle", 1)] {
                counters.push(fixture::counter("cpu:1", &format!("/proc/stat {name}"), 0.01, ticks));
            }
            for (name, ticks) in [("user", 1), ("idle", 99)] {
                counters.push(fixture::counter("cpu:0", &format!("/proc/stat {name}"), 0.01, ticks));
            }
            counters.push(fixture::counter("self", "getrusage(2) user", 0.01, 86));
            counters.push(fixture::counter("self", "getrusage(2) system", 0.01, 0));
        }
        let found = verdict_on(&machine, &[case]);
        assert_eq!(found.code, "one-core-full", "{found:?}");
        assert!(found.evidence.iter().any(|e| e.code == "stolen-of-load"), "{found:?}");
    }

    /// Bug: what is full by a limit that is known, or a chase that waits for memory, was said to be held back by what is
    /// stolen beside it.
    #[test]
    fn what_is_full_by_a_known_limit_is_not_held_back_by_what_is_stolen() {
        let code = |resource: &str, kind: LimitKind, fraction: f64| {
            let mut case = on_stolen(disk(1, 9_000.0, 110.0, 55.0), [50, 50, 100]);
            case.utilization = vec![used(resource, kind, fraction)];
            verdict(&[case]).code
        };
        for (resource, kind, full) in [
            ("sata:sda", LimitKind::Link, "link-full"),
            ("press:0", LimitKind::Hardware, "limit-reached"),
            ("memory", LimitKind::Measured, "memory-bandwidth-full"),
        ] {
            assert_eq!(code(resource, kind, 0.97), full);
            assert_eq!(code(resource, kind, 0.6), "steal-bound", "{resource}");
        }
        let mut chase = disk(1, 9_000.0, 110.0, 55.0);
        fixture::workload(&mut chase, "memory.latency");
        let each = fixture::estimate(118e-9, Unit::Seconds, Better::Lower);
        chase.loads.main.estimates.insert(metric::LOAD_LATENCY, each);
        assert_eq!(verdict(&[on_stolen(chase, [50, 50, 100])]).code, "memory-latency");
    }

    /// Bug: two threads that draw twice as much as one, as much as copying got before, were said to have full cores
    /// though 30 % of them was stolen.
    #[test]
    fn memory_that_has_more_to_give_hides_nothing_that_is_stolen() {
        let copies = |threads: u64, bytes: f64| {
            // Each computes for 70 % of the time.
            let mut case = disk(1, 100.0, 100.0, threads as f64 * 7_000.0);
            fixture::workload(&mut case, "memory.bandwidth");
            fixture::named(&mut case, &format!("memory.bandwidth threads={threads}"));
            fixture::set(&mut case, "threads", threads);
            for (trial, noise) in case.trials.iter_mut().zip([0.99, 1.0, 1.01]) {
                let rate = Quantity { value: bytes * noise, unit: Unit::BytesPerSecond };
                trial.result.main_mut().metrics.insert(metric::THROUGHPUT, rate);
            }
            case.utilization = vec![used("memory", LimitKind::Measured, 0.49 * threads as f64)];
            on_stolen(case, [70 * threads, 30 * threads, 200 - 100 * threads])
        };
        assert_eq!(verdict(&[copies(2, 20e9), copies(1, 10.2e9)]).code, "steal-bound");
        assert_eq!(verdict(&[copies(2, 15e9), copies(1, 10e9)]).code, "memory-bandwidth-full");
    }

    #[test]
    fn what_is_stolen_from_others_or_hardly_at_all_holds_nobody_back() {
        let others = found(55.0, [150, 50, 0]);
        assert_ne!(others.code, "steal-bound", "other programs have most of the CPUs");
        let waits = found(11.0, [10, 10, 180]);
        assert_eq!(waits.code, "latency-bound", "it waits for its operations");
        assert!(waits.ruled_out.iter().any(|e| e.code == "stolen-of-load"), "{waits:?}");
        for little in [found(103.0, [94, 5, 101]), found(95.0, [86, 14, 100])] {
            assert_eq!(little.code, "one-core-full", "{little:?}");
            assert!(little.evidence.iter().any(|e| e.code == "stolen-of-load" && e.beside), "{little:?}");
        }
        assert_ne!(found(80.0, [72, 8, 120]).code, "one-core-full", "it waits for something else");
        assert!(!found(55.0, [50, 0, 150]).ruled_out.iter().any(|e| e.code == "stolen-of-load"));
    }
}
