//! Which CPU each worker runs on, relative to the resource that the load
//! drives. (Disk operations at depth 1 were seen 1.4 to 1.7 times as fast on
//! the CPU that takes the device's interrupts; left to luck, that is noise.)

use std::collections::BTreeMap;

use model::machine::Cpu;
use model::study::Pin;

/// What the agent knows of CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacementInput {
    /// CPUs that we may run on, in the order in which they are taken.
    pub allowed: Vec<u32>,
    /// Those of them that take interrupts of the main load's resource.
    pub local: Vec<u32>,
}

impl PlacementInput {
    /// What is left when others have `taken` some.
    fn without(&self, taken: &[u32]) -> Self {
        let left = |all: &[u32]| all.iter().copied().filter(|cpu| !taken.contains(cpu)).collect();
        Self { allowed: left(&self.allowed), local: left(&self.local) }
    }
}

/// The CPUs that we may run on, one of each core first, then their siblings: the
/// second thread of a core is no second core. Within each round in order of
/// their numbers; a CPU whose core is not known has one of its own.
#[must_use]
pub fn cores_first(cpu: &Cpu) -> Vec<u32> {
    let core =
        |number: u32| cpu.topology.iter().find(|p| p.cpu == number).map(|p| (p.package, p.die, p.core));
    let mut taken: BTreeMap<_, usize> = BTreeMap::new();
    let mut all: Vec<(usize, u32)> = Vec::with_capacity(cpu.allowed.len());
    for number in &cpu.allowed {
        let round = match core(*number) {
            Some(core) => taken.entry(core).or_default(),
            None => &mut 0,
        };
        all.push((*round, *number));
        *round += 1;
    }
    all.sort_unstable();
    all.into_iter().map(|(_, number)| number).collect()
}

/// A decision: what was done and why it is not what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementDecision {
    /// What was done.
    pub policy: Pin,
    /// Why it is not what was asked.
    pub reason: Option<String>,
    /// The CPU of each worker, absent where it is not pinned.
    pub cpus: Vec<Option<u32>>,
}

/// Decides for `workers` workers. There are never more pinned threads than
/// CPUs: two workers pinned to one CPU would measure the scheduler. CPUs that a
/// person names are taken in turn instead, as often as there are workers.
#[must_use]
pub fn place(asked: Pin, workers: usize, input: &PlacementInput) -> PlacementDecision {
    let nowhere =
        |reason: Option<String>| PlacementDecision { policy: Pin::None, reason, cpus: vec![None; workers] };
    if asked == Pin::None {
        return nowhere(None);
    }
    if let Pin::Cpus(list) = &asked {
        // Who names CPUs may have several workers on each.
        let cpus = list.cpus().iter().copied().cycle().take(workers).map(Some).collect();
        return PlacementDecision { policy: asked, reason: None, cpus };
    }
    let cpus = input.allowed.len();
    if workers > cpus {
        return nowhere(Some(format!("{workers} workers are more than the {cpus} CPUs allowed")));
    }
    // A resource whose interrupts go to all CPUs has no place of its own.
    let has_local = !input.local.is_empty() && input.local.len() < cpus;
    let (policy, reason) = match asked {
        Pin::Auto if has_local => (Pin::Local, None),
        Pin::Auto => (Pin::Spread, None),
        Pin::Local | Pin::Remote if !has_local => {
            (Pin::Spread, Some("no interrupts of this resource are known".to_owned()))
        }
        other => (other, None),
    };
    let is_local = |cpu: &&u32| input.local.contains(cpu);
    let (near, far): (Vec<&u32>, Vec<&u32>) = input.allowed.iter().partition(is_local);
    let order: Vec<u32> = match policy {
        Pin::Local => near.into_iter().chain(far).copied().collect(),
        Pin::Remote => far.into_iter().chain(near).copied().collect(),
        _ => input.allowed.clone(),
    };
    let remote = cpus - input.local.len();
    let spilled = policy == Pin::Remote && workers > remote;
    let reason =
        reason.or_else(|| spilled.then(|| format!("of {workers} workers only {remote} could be remote")));
    PlacementDecision { policy, reason, cpus: order.into_iter().take(workers).map(Some).collect() }
}

/// What a load has to say of where its workers run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadPlace {
    /// The CPU of each worker: the load itself chose them.
    Own(Vec<u32>),
    /// So many workers on these CPUs, those of a NUMA node.
    Within {
        /// The CPUs.
        cpus: Vec<u32>,
        /// How many workers.
        workers: usize,
    },
    /// So many workers, wherever there is room.
    Anywhere(usize),
}

/// Decides for several loads. Those that chose themselves have their CPUs; those of a node come
/// next, for they have fewer to choose from; those of the others go to the CPUs that are left, all
/// by the same policy.
#[must_use]
pub fn place_around(asked: Pin, loads: &[LoadPlace], input: &PlacementInput) -> PlacementDecision {
    let mut taken: Vec<u32> = Vec::new();
    for load in loads {
        if let LoadPlace::Own(own) = load {
            taken.extend(own);
        }
    }
    let mut decisions: Vec<PlacementDecision> = Vec::new();
    let mut of_nodes: Vec<Vec<Option<u32>>> = Vec::new();
    for load in loads {
        if let LoadPlace::Within { cpus, workers } = load {
            let decision = place_within(&asked, *workers, cpus, &input.without(&taken));
            taken.extend(decision.cpus.iter().flatten());
            of_nodes.push(decision.cpus.clone());
            decisions.push(decision);
        }
    }
    let anywhere =
        loads.iter().map(|load| if let LoadPlace::Anywhere(workers) = load { *workers } else { 0 });
    let anywhere: usize = anywhere.sum();
    let rest = (anywhere > 0).then(|| place(asked.clone(), anywhere, &input.without(&taken)));
    let mut left = rest.iter().flat_map(|d| d.cpus.iter().copied());
    let mut of_nodes = of_nodes.into_iter();
    let cpus = loads.iter().flat_map(|load| match load {
        LoadPlace::Own(own) => own.iter().copied().map(Some).collect(),
        LoadPlace::Within { .. } => of_nodes.next().unwrap_or_default(),
        LoadPlace::Anywhere(workers) => left.by_ref().take(*workers).collect::<Vec<_>>(),
    });
    let cpus = cpus.collect();
    let told = || rest.iter().chain(&decisions);
    let policy = told().next().map_or(asked, |d| d.policy.clone());
    let reason = told().find_map(|d| d.reason.clone());
    PlacementDecision { policy, reason, cpus }
}

/// Decides for the workers of a load that keeps to `cpus`, of which `left` are free. Workers that
/// have no CPU of their own share all of them.
fn place_within(asked: &Pin, workers: usize, cpus: &[u32], left: &PlacementInput) -> PlacementDecision {
    let kept = |all: &[u32]| all.iter().copied().filter(|cpu| cpus.contains(cpu)).collect::<Vec<u32>>();
    let input = PlacementInput { allowed: kept(&left.allowed), local: kept(&left.local) };
    let free = input.allowed.len();
    let mut decision = place(asked.clone(), workers, &input);
    if workers > free && decision.policy == Pin::None && decision.reason.is_some() {
        decision.reason =
            Some(format!("{workers} workers are more than the {free} CPUs left in their NUMA node"));
    }
    decision
}

/// Pins the calling thread to `cpu`.
///
/// # Errors
/// If the kernel refuses, as it does for a CPU that is offline.
pub fn pin_this_thread(cpu: u32) -> Result<(), crate::Fault> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu as usize);
    rustix::thread::sched_setaffinity(None, &set)
        .map_err(|e| crate::Fault::system(format!("pinning a worker to CPU {cpu}"), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> PlacementInput {
        PlacementInput { allowed: vec![0, 1, 2, 3], local: vec![2] }
    }

    fn cpus(asked: Pin, workers: usize) -> Vec<Option<u32>> {
        place(asked, workers, &input()).cpus
    }

    #[test]
    fn local_starts_at_the_interrupt_and_remote_ends_there() {
        assert_eq!(cpus(Pin::Local, 2), [Some(2), Some(0)]);
        assert_eq!(cpus(Pin::Auto, 1), [Some(2)]);
        assert_eq!(cpus(Pin::Remote, 4), [Some(0), Some(1), Some(3), Some(2)]);
        assert_eq!(cpus(Pin::Spread, 2), [Some(0), Some(1)]);
        assert_eq!(cpus(Pin::None, 2), [None, None]);
    }

    #[test]
    fn cpus_that_are_named_are_taken_in_turn() {
        let named = || Pin::Cpus("cpus:3,1".parse().unwrap());
        assert_eq!(cpus(named(), 5), [Some(3), Some(1), Some(3), Some(1), Some(3)]);
        assert_eq!(place(named(), 1, &input()).policy, named());
        let loads = [LoadPlace::Own(vec![0]), LoadPlace::Anywhere(2)];
        let decision = place_around(named(), &loads, &input());
        assert_eq!((decision.cpus, decision.policy), (vec![Some(0), Some(3), Some(1)], named()));
    }

    #[test]
    fn a_load_that_says_where_it_runs_has_its_place_and_others_what_is_left() {
        let loads = [LoadPlace::Anywhere(2), LoadPlace::Own(vec![1, 1]), LoadPlace::Anywhere(1)];
        let decision = place_around(Pin::Spread, &loads, &input());
        assert_eq!(decision.cpus, [Some(0), Some(2), Some(1), Some(1), Some(3)]);
        let alone = place_around(Pin::None, &[LoadPlace::Own(vec![3])], &input());
        assert_eq!((alone.cpus, alone.reason), (vec![Some(3)], None));
        let anywhere = [LoadPlace::Anywhere(2)];
        assert_eq!(place_around(Pin::Spread, &anywhere, &input()), place(Pin::Spread, 2, &input()));
    }

    #[test]
    fn workers_of_a_node_keep_to_its_cpus_and_choose_first() {
        let within = |workers| LoadPlace::Within { cpus: vec![0, 1], workers };
        // The interrupt is on CPU 2, of another node.
        let decision = place_around(Pin::Auto, &[LoadPlace::Anywhere(1), within(2)], &input());
        assert_eq!(decision.cpus, [Some(2), Some(0), Some(1)]);
        assert_eq!(place_around(Pin::Auto, &[within(1)], &input()).policy, Pin::Spread);
        let twice = place_around(Pin::Spread, &[within(1), within(1)], &input());
        assert_eq!(twice.cpus, [Some(0), Some(1)], "two loads of a node have different CPUs");
        let many = place_around(Pin::Spread, &[within(3), LoadPlace::Anywhere(1)], &input());
        assert_eq!(many.cpus, [None, None, None, Some(0)], "they share all CPUs of the node");
        assert_eq!(many.reason.unwrap(), "3 workers are more than the 2 CPUs left in their NUMA node");
        assert_eq!(place_around(Pin::None, &[within(2)], &input()).cpus, [None, None]);
    }

    #[test]
    fn every_core_has_one_before_any_has_two() {
        let place =
            |(cpu, core, package)| model::machine::CpuPlace { cpu, core, package, ..Default::default() };
        // Siblings side by side, as AMD numbers them; core 0 of each package.
        let topology = [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 0), (4, 0, 1), (5, 0, 1)].map(place).to_vec();
        let cpu =
            |allowed: &[u32]| Cpu { allowed: allowed.to_vec(), topology: topology.clone(), ..Cpu::default() };
        let order = cores_first(&cpu(&[0, 1, 2, 3, 4, 5]));
        assert_eq!(order, [0, 2, 4, 1, 3, 5]);
        let input = PlacementInput { allowed: order, local: vec![] };
        assert_eq!(
            place_around(Pin::Spread, &[LoadPlace::Anywhere(3)], &input).cpus,
            [Some(0), Some(2), Some(4)]
        );
        assert_eq!(cores_first(&cpu(&[1, 2, 3])), [1, 2, 3], "what is left of each core");
        assert_eq!(cores_first(&Cpu { allowed: vec![7, 8], ..Cpu::default() }), [7, 8]);
    }

    #[test]
    fn more_workers_than_cpus_are_not_pinned_and_the_reason_is_kept() {
        let decision = place(Pin::Local, 5, &input());
        assert_eq!(decision.policy, Pin::None);
        assert!(decision.reason.is_some_and(|r| r.contains("5 workers")));
        assert_eq!(decision.cpus, [None; 5]);
    }

    #[test]
    fn a_resource_whose_interrupts_go_everywhere_has_no_place_of_its_own() {
        let everywhere = PlacementInput { allowed: vec![0, 1], local: vec![0, 1] };
        assert_eq!(place(Pin::Auto, 1, &everywhere).policy, Pin::Spread);
        assert!(place(Pin::Remote, 4, &input()).reason.is_some(), "one of four is local");
    }

    #[test]
    fn without_interrupts_local_says_why_it_is_spread() {
        let decision = place(Pin::Local, 1, &PlacementInput { allowed: vec![1], local: vec![] });
        assert_eq!((decision.policy, decision.cpus), (Pin::Spread, vec![Some(1)]));
        assert!(decision.reason.is_some());
    }
}
