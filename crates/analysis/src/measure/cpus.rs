//! The CPUs of a case: those that were online while it was measured, and those of them that its load
//! could run on. What the machine had when the run began is not that. A setting may have taken some
//! away since, or brought some back (`smt`), and a person may have named CPUs or a NUMA node.

use std::collections::BTreeSet;

use model::machine::Cpu;
use model::profile::Aspect;
use model::run::CaseResult;
use model::study::Pin;
use model::trial::LOCAL;
use model::{Machine, ResourceKind, Value, setting};

use super::{End, good, profile};

/// The CPUs of one end of a case, by their numbers; empty where they are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CaseCpus {
    /// Those that were online.
    pub(crate) online: Vec<u32>,
    /// Those of them that its process could use.
    pub(crate) usable: Vec<u32>,
    /// Those of these that its workers were to run on: all, unless a person named some.
    pub(crate) allowed: Vec<u32>,
}

impl CaseCpus {
    /// Of the end that drives; `machine` is its own.
    pub(crate) fn of(case: &CaseResult, machine: Option<&Machine>) -> Self {
        machine.map_or_else(Self::default, |machine| Self::at(End::Drives, case, machine))
    }

    /// Of an end; `machine` is its own.
    pub(crate) fn at(end: End, case: &CaseResult, machine: &Machine) -> Self {
        let began = &machine.inventory.cpu;
        let there = counted(end, case).or_else(|| without_siblings(end, case, began));
        // CPUs come back by a setting only.
        let may_be_more = !case.settings.is_empty() && !began.online.is_empty();
        let online = match &there {
            Some(there) if may_be_more => there.iter().copied().collect(),
            _ => still_there(&began.online, there.as_ref()),
        };
        // Asked where it counts only: of a machine of 128 CPUs it takes thousands of comparisons, and rules
        // ask for the CPUs of each case some twenty times.
        let is_free = || {
            let allowed: BTreeSet<u32> = began.allowed.iter().copied().collect();
            began.online.iter().all(|cpu| allowed.contains(cpu))
        };
        let usable = match may_be_more && is_free() {
            true => online.clone(),
            false => still_there(&began.allowed, there.as_ref()),
        };
        let mut allowed = usable.clone();
        for named in [pinned(end, case), of_node(end, case, machine)].into_iter().flatten() {
            allowed.retain(|cpu| named.contains(cpu));
        }
        Self { online, usable, allowed }
    }

    /// How many cores its workers were to run on, of a machine with these CPUs.
    pub(crate) fn cores(&self, cpu: &Cpu) -> usize {
        cores_of(&self.allowed, cpu)
    }

    /// How many cores all that were online are; 0 where they are not known.
    pub(crate) fn online_cores(&self, cpu: &Cpu) -> usize {
        cores_of(&self.online, cpu)
    }
}

/// How many cores these CPUs are, of a machine with them.
fn cores_of(cpus: &[u32], cpu: &Cpu) -> usize {
    let place = |number: u32| cpu.topology.iter().find(|place| place.cpu == number);
    let core = |number: &u32| match place(*number) {
        Some(place) => (Some((place.package, place.die, place.core)), 0),
        // One of which nothing is known is one of its own.
        None => (None, *number),
    };
    cpus.iter().map(core).collect::<BTreeSet<_>>().len()
}

/// Of CPUs that were there when the run began, those that are there in the case. Numbers of which
/// none fits are of something else.
fn still_there(began: &[u32], there: Option<&BTreeSet<u32>>) -> Vec<u32> {
    let left = there.map(|there| began.iter().copied().filter(|cpu| there.contains(cpu)).collect::<Vec<_>>());
    left.filter(|left| !left.is_empty()).unwrap_or_else(|| began.to_vec())
}

/// The CPUs that were counted in the trials: the kernel counts those that are online.
fn counted(end: End, case: &CaseResult) -> Option<BTreeSet<u32>> {
    let all = good(case).flat_map(|trial| end.counters(trial));
    // Nearly all others differ in their length.
    let of_cpus = all.filter(|counter| counter.source == "/proc/stat user");
    let numbers =
        of_cpus.filter_map(|counter| counter.resource.named(ResourceKind::Cpu)?.parse::<u32>().ok());
    Some(numbers.collect::<BTreeSet<u32>>()).filter(|numbers| !numbers.is_empty())
}

/// Where nobody counted: the first CPU of each core, if the setting that takes the others offline was
/// in force, as it was read back.
fn without_siblings(end: End, case: &CaseResult, began: &Cpu) -> Option<BTreeSet<u32>> {
    let machine = if end.answers() { end.machine(case)? } else { LOCAL };
    let mut states = case.settings.get(setting::SMT)?.iter().filter(|state| state.machine == machine);
    states.find(|state| state.read_back == Some(Value::Bool(false)))?;
    let mut cores = BTreeSet::new();
    let mut places: Vec<_> =
        began.topology.iter().filter(|place| began.online.contains(&place.cpu)).collect();
    places.sort_by_key(|place| place.cpu);
    places.retain(|place| cores.insert((place.package, place.die, place.core)));
    Some(places.into_iter().map(|place| place.cpu).collect())
}

/// The CPUs that a person named for workers: those of the end that drives.
fn pinned(end: End, case: &CaseResult) -> Option<Vec<u32>> {
    let placed = good(case).filter(|_| !end.answers()).find_map(|trial| trial.result.placement.as_ref())?;
    match &placed.asked {
        Pin::Cpus(cpus) => Some(cpus.cpus().to_vec()),
        _ => None,
    }
}

/// The CPUs of the NUMA node that was asked for.
fn of_node(end: End, case: &CaseResult, machine: &Machine) -> Option<Vec<u32>> {
    let aspect = if end.answers() { Aspect::PeerCpuNode } else { Aspect::CpuNode };
    let asked = case.loads.main.parameters.integer(profile(case).parameter(aspect)?).ok()?;
    let node = machine.inventory.memory.nodes.iter().find(|node| u64::from(node.id) == asked)?;
    Some(node.cpus.clone()).filter(|cpus| !cpus.is_empty())
}

/// How many CPUs the load of a case could run on while it was measured; 0 where it is not known.
#[must_use]
pub fn cpus_allowed(case: &CaseResult, machine: Option<&Machine>) -> f64 {
    CaseCpus::of(case, machine).allowed.len() as f64
}

/// How many CPUs were online while a case was measured; 0 where it is not known.
#[must_use]
pub fn cpus_online(case: &CaseResult, machine: Option<&Machine>) -> f64 {
    CaseCpus::of(case, machine).online.len() as f64
}

#[cfg(test)]
mod tests {
    use model::machine::{CpuPlace, NumaNode};
    use model::resource::PathStep;
    use model::setting::{Change, SettingState};
    use model::trial::{Placement, WorkerPlace};
    use model::{Better, Resource, Unit, metric};

    use super::*;
    use crate::validity::fixture;

    /// Four cores of two threads: the second threads are 4 to 7. Each node has two cores.
    fn machine() -> Machine {
        let mut machine = Machine::default();
        let place = |cpu| CpuPlace { cpu, core: cpu % 4, ..CpuPlace::default() };
        machine.inventory.cpu.topology = (0..8).map(place).collect();
        machine.inventory.cpu.online = (0..8).collect();
        machine.inventory.cpu.allowed = (0..8).collect();
        let node = |id, cpus: &[u32]| NumaNode { id, cpus: cpus.to_vec(), ..NumaNode::default() };
        machine.inventory.memory.nodes = vec![node(0, &[0, 1, 4, 5]), node(1, &[2, 3, 6, 7])];
        machine
    }

    fn count(case: &mut CaseResult, cpus: &[u32]) {
        for trial in &mut case.trials {
            let user = |cpu: &u32| fixture::counter(format!("cpu:{cpu}"), "/proc/stat user", 0.01, 1);
            trial.result.local_mut().counters = cpus.iter().map(user).collect();
        }
    }

    fn smt(case: &mut CaseResult, read_back: bool) {
        let asked = SettingState::asked(&Change::new(setting::SMT, false.into()), Unit::One);
        let state = SettingState { read_back: Some(read_back.into()), ..asked };
        case.settings.insert(setting::SMT.to_owned(), vec![state]);
    }

    fn allowed(case: &CaseResult, machine: &Machine) -> Vec<u32> {
        CaseCpus::of(case, Some(machine)).allowed
    }

    #[test]
    fn regression_cpus_that_a_setting_took_away_were_counted_with_the_rest() {
        let (mut machine, mut case) = (Machine::default(), fixture::case(2));
        assert_eq!((cpus_allowed(&case, None), cpus_online(&case, Some(&machine))), (0.0, 0.0));
        (machine.inventory.cpu.online, machine.inventory.cpu.allowed) = (vec![0, 1, 2, 3], vec![1, 2, 3]);
        let of = |case: &CaseResult| (cpus_allowed(case, Some(&machine)), cpus_online(case, Some(&machine)));
        assert_eq!(of(&case), (3.0, 4.0), "nothing was counted");
        count(&mut case, &[0, 1]);
        assert_eq!(of(&case), (1.0, 2.0), "CPU 0 was not ours before either");
        count(&mut case, &[17]);
        assert_eq!(of(&case), (3.0, 4.0), "a count of other CPUs says nothing of these");
    }

    #[test]
    fn without_smt_a_machine_of_eight_threads_has_four_cpus() {
        let machine = machine();
        let mut case = fixture::case(2);
        assert_eq!(allowed(&case, &machine), (0..8).collect::<Vec<_>>());
        smt(&mut case, true);
        assert_eq!(allowed(&case, &machine).len(), 8, "it was asked for and not done");
        smt(&mut case, false);
        assert_eq!(allowed(&case, &machine), [0, 1, 2, 3], "by the setting alone");
        case.settings.clear();
        count(&mut case, &[0, 1, 2, 3]);
        assert_eq!(allowed(&case, &machine), [0, 1, 2, 3], "by what was counted alone");
        assert_eq!(CaseCpus::of(&case, Some(&machine)).cores(&machine.inventory.cpu), 4);
    }

    #[test]
    fn cpus_that_a_setting_brought_back_are_there() {
        let (mut machine, mut case) = (machine(), fixture::case(1));
        (machine.inventory.cpu.online, machine.inventory.cpu.allowed) = (vec![0, 1], vec![0, 1]);
        count(&mut case, &[0, 1, 4, 5]);
        assert_eq!(allowed(&case, &machine), [0, 1], "without a setting none comes back");
        smt(&mut case, true);
        assert_eq!(allowed(&case, &machine), [0, 1, 4, 5]);
        machine.inventory.cpu.allowed = vec![1];
        let cpus = CaseCpus::of(&case, Some(&machine));
        assert_eq!((cpus.allowed, cpus.online), (vec![1], vec![0, 1, 4, 5]), "we may use no others");
    }

    #[test]
    fn who_names_cpus_or_a_node_has_no_others() {
        let (machine, mut case) = (machine(), fixture::case(1));
        fixture::set(&mut case, "cpu-node", 1u64);
        assert_eq!(allowed(&case, &machine), [2, 3, 6, 7]);
        let asked = Pin::Cpus("cpus:6,2".parse().unwrap());
        let workers = vec![WorkerPlace { load: 0, cpu: Some(6) }];
        case.trials[0].result.placement =
            Some(Placement { policy: asked.clone(), asked, reason: None, workers, interrupts: Vec::new() });
        let cpus = CaseCpus::of(&case, Some(&machine));
        assert_eq!((&cpus.allowed[..], cpus.usable.len()), (&[2, 6][..], 8));
        assert_eq!(cpus.cores(&machine.inventory.cpu), 1, "two threads of one core");
        assert_eq!(cpus.online_cores(&machine.inventory.cpu), 4);
    }

    #[test]
    fn regression_half_of_the_cpus_that_a_setting_left_was_a_quarter_of_all() {
        let (machine, mut case) = (machine(), fixture::case(2));
        case.path = vec![PathStep { resource: Resource::CPUS, amplification: 1.0 }];
        let estimates = [
            (metric::IOPS, Unit::PerSecond, Better::Higher, 1e5),
            (metric::CPU_PER_OPERATION, Unit::Seconds, Better::Lower, 2e-5),
        ];
        for (name, unit, better, median) in estimates {
            case.loads.main.estimates.insert(name, fixture::estimate(median, unit, better));
        }
        let share = |case: &CaseResult| crate::utilization::of_case(case, &machine)[0].fraction;
        assert!((share(&case) - 0.25).abs() < 1e-9, "two of eight");
        count(&mut case, &[0, 1, 2, 3]);
        assert!((share(&case) - 0.5).abs() < 1e-9, "two of the four that were there");
    }
}
