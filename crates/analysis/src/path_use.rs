//! The way that a case's data takes, from where it comes from to where it stays, each step with how
//! much of its limit is used, as far as that is known.
//!
//! The case names the resources that its load passes ([`CaseResult::path`]). What lies between them and
//! beyond is added here from what trials counted: the memory, processors and interface of the other end,
//! the CPU that takes packets, the queue before a disk. A server that is no end of ours is a step of
//! which nothing is known.

use model::limit::{Direction, LimitKind};
use model::machine::BlockKind;
use model::profile::OperationClass;
use model::resource::PathStep;
use model::run::{CaseResult, Run, Utilization};
use model::trial::Counter;
use model::{Finding, Machine, Resource, ResourceKind, Trial, Unit, Value, fact, metric};

use crate::measure::{self, End};

/// One step of the way.
#[derive(Clone, Debug, PartialEq)]
pub struct PathUse {
    /// The machine, where it is not the one that drives.
    pub machine: Option<String>,
    /// What of the resource is passed.
    pub part: PathPart,
    /// The resource.
    pub resource: Resource,
    /// Bytes that pass here for each one of the workload.
    pub amplification: f64,
    /// How much of its limit is used; absent where no limit is known.
    pub used: Option<LimitUse>,
}

/// What of a resource is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// The resource itself.
    Whole,
    /// Memory that is sent from, or received into.
    Memory,
    /// What a CPU does in the wake of interrupts.
    SoftInterrupts,
    /// The requests that wait before a device, with those that it has.
    Queue,
    /// A resource that nobody of ours sees.
    Unseen,
}

/// How much of a limit is used.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitUse {
    /// How much.
    pub used: f64,
    /// Of how much.
    pub limit: f64,
    /// The unit of both.
    pub unit: Unit,
    /// What kind of limit it is.
    pub kind: LimitKind,
}

impl LimitUse {
    /// As a share, at least 0.
    #[must_use]
    pub fn share(&self) -> f64 {
        (self.used / self.limit).max(0.0)
    }

    /// Of what there is a number of.
    fn of_count(used: f64, limit: f64) -> Self {
        Self { used, limit, unit: Unit::One, kind: LimitKind::Hardware }
    }

    fn of(used: &Utilization) -> Option<Self> {
        let is_share = used.fraction.is_finite() && used.limit > 0.0;
        let Utilization { demand, limit, unit, kind, .. } = *used;
        is_share.then_some(Self { used: demand, limit, unit, kind })
    }
}

/// The steps of a case, in the order in which its data passes them.
#[must_use]
pub fn path_of(run: &Run, case: &CaseResult) -> Vec<PathUse> {
    let near = run.machines.first();
    let is_of = |kind: ResourceKind| move |step: &&PathStep| step.resource.kind() == kind;
    let server: Vec<PathUse> = case.path.iter().filter(is_of(ResourceKind::Server)).map(unseen).collect();
    let own = |step: &PathStep| whole(case, step, declared(case, None, &step.resource));
    let mut wire: Vec<PathUse> = case.path.iter().filter(is_of(ResourceKind::Nic)).map(own).collect();
    if measure::is_net(case) {
        wire.extend(soft_interrupts(case, End::Drives, None));
    }
    let rest = case
        .path
        .iter()
        .filter(|step| !matches!(step.resource.kind(), ResourceKind::Server | ResourceKind::Nic));
    let rest: Vec<PathUse> = rest.flat_map(|step| storage(run, case, near, step)).collect();
    let beyond = if server.is_empty() { other_end(run, case) } else { server };
    // What comes in begins at the other end; what goes out ends there.
    if measure::only_receives(case) {
        beyond.into_iter().chain(wire).chain(rest).collect()
    } else {
        rest.into_iter().chain(wire).chain(beyond.into_iter().rev()).collect()
    }
}

/// Whether a finding about what holds a case back is of the machine of the other end.
#[must_use]
pub fn is_of_other_end(case: &CaseResult, finding: &Finding) -> bool {
    // Without another machine all steps are of this one.
    if End::Answers.machine(case).is_none() {
        return false;
    }
    match (finding.args.get("end"), finding.code.as_str()) {
        (Some(end), _) => *end == Value::from(End::Answers.word()),
        // Its threads are those of one end.
        (None, "sender-cpu") => measure::sender(case).answers(),
        (None, "receiver-cpu") => measure::receiver(case).answers(),
        _ => false,
    }
}

fn whole(case: &CaseResult, step: &PathStep, used: Option<LimitUse>) -> PathUse {
    let part = match step.resource.kind() {
        ResourceKind::Memory if measure::is_net(case) => PathPart::Memory,
        _ => PathPart::Whole,
    };
    let amplification = step.amplification;
    PathUse { machine: None, part, resource: step.resource.clone(), amplification, used }
}

fn unseen(step: &PathStep) -> PathUse {
    let (resource, amplification) = (step.resource.clone(), step.amplification);
    PathUse { machine: None, part: PathPart::Unseen, resource, amplification, used: None }
}

/// A step that data passes once.
fn once(machine: Option<&str>, part: PathPart, resource: Resource, used: Option<LimitUse>) -> PathUse {
    PathUse { machine: machine.map(str::to_owned), part, resource, amplification: 1.0, used }
}

/// The limit of a resource that the case came nearest to.
fn declared(case: &CaseResult, machine: Option<&str>, resource: &Resource) -> Option<LimitUse> {
    let is_its = |used: &&Utilization| used.resource == *resource && used.machine.as_deref() == machine;
    case.utilization.iter().filter(is_its).find_map(LimitUse::of)
}

/// The other end, from its memory to its interface. Of both ends in one program there is only the memory.
fn other_end(run: &Run, case: &CaseResult) -> Vec<PathUse> {
    if measure::is_loopback(case) {
        return vec![once(None, PathPart::Memory, Resource::MEMORY, None)];
    }
    let Some(id) = End::Answers.machine(case) else { return Vec::new() };
    let name = Some(id);
    let machine = run.machines.iter().find(|machine| machine.id == id);
    let mut steps = vec![once(name, PathPart::Memory, Resource::MEMORY, None)];
    let cpus = machine.map(|machine| &machine.inventory.cpu.allowed).filter(|cpus| !cpus.is_empty());
    if let Some(cpus) = cpus {
        let used = End::Answers
            .worker_share(case)
            .map(|share| LimitUse::of_count(share * measure::workers(case), cpus.len() as f64));
        steps.push(once(name, PathPart::Whole, Resource::of_cpus(cpus), used));
    }
    // Under one kernel the CPUs that take packets are those of this end.
    if !measure::only_receives(case) && !measure::is_one_machine(case) {
        steps.extend(soft_interrupts(case, End::Answers, name));
    }
    let interface = measure::good(case).find_map(|trial| End::Answers.fact(trial, fact::INTERFACE));
    if let Some(interface) = interface {
        let resource = Resource::of(ResourceKind::Nic, interface);
        let used = declared(case, name, &resource);
        steps.push(once(name, PathPart::Whole, resource, used));
    }
    steps
}

/// The CPU of an end that spends most of its time in the wake of interrupts, which is where packets are
/// taken.
fn soft_interrupts(case: &CaseResult, end: End, machine: Option<&str>) -> Option<PathUse> {
    let (share, cpu) = measure::middle(case, |trial| {
        let busiest = busiest(trial, end)?;
        Some((busiest.0, busiest))
    })?;
    let used = LimitUse::of_count(share, 1.0);
    Some(once(machine, PathPart::SoftInterrupts, cpu, Some(used)))
}

fn busiest(trial: &Trial, end: End) -> Option<(f64, Resource)> {
    let is_it = |c: &&Counter| c.resource.is_named(ResourceKind::Cpu) && c.source == "/proc/stat softirq";
    let cpus = end.counters(trial).iter().filter(is_it).map(|counter| &counter.resource);
    let share = |cpu: &Resource| Some((end.rate(trial, cpu, "softirq")?.clamp(0.0, 1.0), cpu.clone()));
    cpus.filter_map(share).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A step of what is driven; a disk has a queue before it.
fn storage(run: &Run, case: &CaseResult, near: Option<&Machine>, step: &PathStep) -> Vec<PathUse> {
    let used = declared(case, None, &step.resource).or_else(|| counted(run, case, near, step));
    let own = whole(case, step, used);
    let queue = near.and_then(|machine| queue(case, machine, step));
    queue.into_iter().chain([own]).collect()
}

/// The requests of a disk that wait or are under way, on average, of those that its queues hold.
fn queue(case: &CaseResult, machine: &Machine, step: &PathStep) -> Option<PathUse> {
    let name = step.resource.named(ResourceKind::Block)?;
    let device = machine.inventory.block_device(name)?;
    // Only these have requests that wait: arrays and mappings pass on what they are given.
    if !matches!(device.kind, BlockKind::Disk | BlockKind::Loop) {
        return None;
    }
    let requests = f64::from(device.queue_requests.filter(|requests| *requests > 0)?);
    let limit = requests * f64::from(device.hardware_queues.unwrap_or(1).max(1));
    let waiting = measure::median(case, |trial| measure::rate(trial, &step.resource, "queue_ms"));
    let used = waiting.map(|waiting| LimitUse::of_count(waiting, limit));
    let amplification = step.amplification;
    let queue = once(None, PathPart::Queue, step.resource.clone(), used);
    Some(PathUse { amplification, ..queue })
}

/// What the kernel wrote to the devices, where the load's own rate is that into the page cache.
fn counted(run: &Run, case: &CaseResult, machine: Option<&Machine>, step: &PathStep) -> Option<LimitUse> {
    if measure::is_direct(case) || !measure::does(case, OperationClass::Write) {
        return None;
    }
    let written = |resource: &Resource| {
        measure::median(case, |trial| measure::rate(trial, resource, "written_sectors"))
    };
    let (used, limit, kind) = match step.resource.kind() {
        ResourceKind::Block => (written(&step.resource)?, alone(run, step)?, LimitKind::Measured),
        ResourceKind::Sata | ResourceKind::Sas | ResourceKind::Pci | ResourceKind::Dmi => {
            // What passes a link that carries all of it once.
            let lowest = measure::lowest(case);
            let carries_all = !lowest.is_empty() && (step.amplification - 1.0).abs() < 1e-6;
            let all = lowest.iter().map(|device| written(&device.resource)).sum::<Option<f64>>();
            (all.filter(|_| carries_all)?, link(machine?, &step.resource)?, LimitKind::Link)
        }
        _ => return None,
    };
    Some(LimitUse { used, limit, unit: Unit::BytesPerSecond, kind })
}

/// What payload gets of a link.
fn link(machine: &Machine, resource: &Resource) -> Option<f64> {
    let of = |limit: &&model::Limit| {
        limit.resource == *resource
            && limit.kind == LimitKind::Link
            && limit.quantity == metric::THROUGHPUT
            && limit.direction != Some(Direction::Read)
    };
    machine.limits.iter().find(of)?.bound()
}

/// The most that a device took in sequence and around the page cache in another case of the run.
fn alone(run: &Run, step: &PathStep) -> Option<f64> {
    let is_it = |other: &&CaseResult| {
        !other.is_auxiliary()
            && measure::is_direct(other)
            && measure::direction(other) == Some(Direction::Write)
            && !measure::is_random(other)
            && measure::device(other) == Some(&step.resource)
    };
    let rates =
        run.cases.iter().filter(is_it).filter_map(|case| measure::estimated(case, metric::THROUGHPUT));
    rates.filter(|rate| *rate > 0.0).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use model::Better;
    use model::machine::BlockDevice;
    use model::profile::{Caches, Flow, FlowUnit, Peer};
    use model::trial::Window;

    use super::*;
    use crate::validity::fixture;

    fn step(resource: &str) -> PathStep {
        PathStep { resource: Resource::from(resource), amplification: 1.0 }
    }

    /// A download through the page cache to `sda`, of which the kernel wrote 400 MB in a second.
    fn download(path: &[&str]) -> CaseResult {
        let mut case = fixture::disk_case("write", 900e6, 400e6);
        fixture::set(&mut case, "direct", false);
        let profile = &mut case.loads.main.profile;
        profile.flows.insert(0, Flow::only(OperationClass::Receive, FlowUnit::Bytes));
        profile.peer = Some(Peer::AnotherProgram);
        assert_eq!(profile.caches, Caches::PageCache);
        case.path = path.iter().map(|resource| step(resource)).collect();
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
            trial.result.local_mut().counters.extend([
                fixture::counter("cpu:0", "/proc/stat softirq", 0.01, 10),
                fixture::counter("cpu:1", "/proc/stat softirq", 0.01, 62),
                fixture::counter("block:sda", "/proc/diskstats queue_ms", 1e-3, 32_000),
            ]);
        }
        case
    }

    fn machine() -> Machine {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            kind: BlockKind::Disk,
            queue_requests: Some(64),
            hardware_queues: Some(1),
            ..BlockDevice::default()
        });
        machine
    }

    fn run(cases: Vec<CaseResult>) -> Run {
        let mut run = crate::comparison::tests::run("r", &[], cases);
        run.machines = vec![machine()];
        run
    }

    /// Each step with its part, and the share that is used, in percent.
    fn told(run: &Run) -> Vec<(String, Option<u32>)> {
        let one = |step: &PathUse| {
            let of = step.machine.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
            let part = match step.part {
                PathPart::Whole => "",
                PathPart::Memory => "memory ",
                PathPart::SoftInterrupts => "softirq ",
                PathPart::Queue => "queue ",
                PathPart::Unseen => "unseen ",
            };
            let share = step.used.as_ref().map(|used| (used.share() * 100.0).round() as u32);
            (format!("{part}{}{of}", step.resource), share)
        };
        path_of(run, &run.cases[0]).iter().map(one).collect()
    }

    fn names(told: &[(String, Option<u32>)]) -> Vec<&str> {
        told.iter().map(|(name, _)| name.as_str()).collect()
    }

    const PATH: &[&str] =
        &["cpu:0-1", "page-cache", "filesystem:/data (ext4)", "block:sda", "sata:sda", "nic:eth0"];

    #[test]
    fn what_comes_from_a_node_begins_in_its_memory_and_ends_at_the_link_of_the_disk() {
        let mut case = download(PATH);
        let far = fixture::far(&mut case);
        far.facts.insert(fact::INTERFACE, "eth1".into());
        let id = far.machine.clone();
        let mut run = run(vec![case]);
        let mut node = Machine { id: id.clone(), ..Machine::default() };
        node.inventory.cpu.allowed = vec![0, 1, 2, 3];
        run.machines.push(node);
        let told = told(&run);
        let of = |name: &str| format!("{name} of {id}");
        let far = [of("memory memory"), of("cpu:0-3"), of("nic:eth1")];
        let near = [
            "nic:eth0",
            "softirq cpu:1",
            "cpu:0-1",
            "page-cache",
            "filesystem:/data (ext4)",
            "queue block:sda",
        ];
        let all: Vec<&str> =
            far.iter().map(String::as_str).chain(near).chain(["block:sda", "sata:sda"]).collect();
        assert_eq!(names(&told), all);
        let share = |name: &str| told.iter().find(|(own, _)| own == name).unwrap().1;
        assert_eq!((share("softirq cpu:1"), share("queue block:sda")), (Some(62), Some(50)));
        assert_eq!((share("block:sda"), share("sata:sda"), share("nic:eth0")), (None, None, None));
    }

    #[test]
    fn a_device_behind_the_page_cache_is_held_against_what_it_took_alone_and_its_link() {
        let mut alone = fixture::disk_case("write", 500e6, 500e6);
        fixture::set(&mut alone, "direct", true);
        let estimate = fixture::estimate(500e6, Unit::BytesPerSecond, Better::Higher);
        alone.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let mut run = run(vec![download(PATH), alone]);
        let link = model::Limit::new(
            Resource::from("sata:sda"),
            metric::THROUGHPUT,
            Unit::BytesPerSecond,
            LimitKind::Link,
            String::new(),
        );
        run.machines[0].limits.push(model::Limit { effective: Some(560e6), ..link });
        let told = told(&run);
        let share = |name: &str| told.iter().find(|(own, _)| own == name).unwrap().1;
        assert_eq!((share("block:sda"), share("sata:sda")), (Some(80), Some(71)));
        // A load that reads into memory is not what was written.
        run.cases[0].loads.main.profile.flows.retain(|flow| flow.class != OperationClass::Write);
        let told = self::told(&run);
        assert!(told.iter().all(|(name, share)| !name.starts_with("sata") || share.is_none()), "{told:?}");
    }

    #[test]
    fn a_server_that_is_none_of_ours_is_there_and_unknown() {
        let run = run(vec![download(&["server:10.0.0.2:80", "nic:eth0", "cpu:0-1", "block:sda"])]);
        let told = told(&run);
        assert_eq!(names(&told)[..2], ["unseen server:10.0.0.2:80", "nic:eth0"]);
        assert_eq!(told[0].1, None);
    }

    #[test]
    fn what_is_sent_ends_in_the_memory_of_the_other_end() {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "direction", "send");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        case.path = vec![step("cpu:0-1"), step("nic:eth0")];
        fixture::far_machine(&mut case).counters =
            vec![fixture::counter("cpu:3", "/proc/stat softirq", 0.01, 40)];
        let id = fixture::far(&mut case).machine.clone();
        let told = told(&run(vec![case]));
        let far = [format!("softirq cpu:3 of {id}"), format!("memory memory of {id}")];
        assert_eq!(names(&told), ["cpu:0-1", "nic:eth0", far[0].as_str(), far[1].as_str()]);
    }

    #[test]
    fn what_holds_a_case_back_is_at_the_end_that_the_finding_means() {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        let found = |code| Finding::new(model::FindingKind::Bottleneck, code, model::Severity::Note);
        let far = |case: &CaseResult| {
            ["sender-cpu", "receiver-cpu", "link-full"].map(|code| is_of_other_end(case, &found(code)))
        };
        fixture::set(&mut case, "direction", "receive");
        assert_eq!(far(&case), [false; 3], "there is no other machine");
        fixture::far(&mut case);
        assert_eq!(far(&case), [true, false, false]);
        fixture::set(&mut case, "direction", "send");
        assert_eq!(far(&case), [false, true, false]);
        assert!(!is_of_other_end(&case, &found("receiver-cpu").arg("end", "near")));
        assert!(is_of_other_end(&case, &found("io-quota").arg("end", "far")));
    }
}
