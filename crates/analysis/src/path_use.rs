//! The way that a case's data takes, from where it comes from to where it stays, each step with how
//! much of its limit is used, as far as that is known.
//!
//! The case names the resources that its load passes ([`CaseResult::path`]). What lies between them and
//! beyond is added here from what trials counted: the memory, processors and interface of the other end,
//! the CPU that takes packets, the queue before a disk. A server that is no end of ours is a step of
//! which nothing is known.

use std::path::Path;

use model::limit::{Direction, LimitKind};
use model::machine::BlockKind;
use model::profile::OperationClass;
use model::resource::PathStep;
use model::run::{CaseResult, Run, Utilization};
use model::trial::Counter;
use model::{Finding, FindingKind, Machine, Resource, ResourceKind, Trial, Unit, Value, fact, metric};

use crate::measure::{self, End};

/// Verdicts that may be of a CPU that takes packets: their resource is that CPU, or all of them.
pub const BY_PACKETS: &[&str] = &["sender-cpu", "receiver-cpu"];

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
    let wire: Vec<PathUse> = case.path.iter().filter(is_of(ResourceKind::Nic)).map(own).collect();
    let packets = Some(case).filter(|case| measure::is_net(case));
    let packets = packets.and_then(|case| soft_interrupts(case, End::Drives, None));
    let is_own = |step: &&PathStep| !matches!(step.resource.kind(), ResourceKind::Server | ResourceKind::Nic);
    let (rest, behind) = case.path.split_at(measure::storage_server(case).unwrap_or(case.path.len()));
    let [rest, behind] = [rest, behind].map(|steps| -> Vec<PathUse> {
        steps.iter().filter(is_own).flat_map(|step| storage(run, case, near, step)).collect()
    });
    let beyond = if server.is_empty() { other_end(run, case) } else { server };
    let behind = behind.into_iter().chain(presenter(run, case));
    // What comes in begins at the other end; what goes out ends there. Storage stands at the end whichever way.
    if measure::only_receives(case) {
        beyond.into_iter().chain(wire).chain(packets).chain(rest).chain(behind).collect()
    } else {
        let beyond = beyond.into_iter().rev();
        rest.into_iter().chain(packets).chain(wire).chain(beyond).chain(behind).collect()
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
        // Both ends may call their interfaces the same.
        _ => limit_of(case, finding).is_some_and(|used| used.machine.is_some()),
    }
}

/// The limit that a finding is about, by how much of it is used.
fn limit_of<'a>(case: &'a CaseResult, finding: &Finding) -> Option<&'a Utilization> {
    let (resource, fraction) = (finding.resource.as_ref()?, finding.args.get("fraction")?.number()?);
    case.utilization.iter().find(|used| used.resource == *resource && used.fraction == fraction)
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

/// Where the other end has a file that it sends: its page cache, and the disk below, but where the page cache
/// held all of the file.
fn served(case: &CaseResult, id: &str, machine: Option<&Machine>) -> Vec<PathUse> {
    let Some(file) = measure::served_file(case) else { return Vec::new() };
    let disk = machine.filter(|_| !measure::is_served_from_cache(case)).and_then(|m| disk_below(m, file));
    let steps = disk.into_iter().chain([Resource::PAGE_CACHE]);
    steps.map(|resource| once(Some(id), PathPart::Whole, resource, None)).collect()
}

/// The device whose file system a file of a machine lies in.
fn disk_below(machine: &Machine, file: &str) -> Option<Resource> {
    let mounts = machine.inventory.block.iter().flat_map(|device| {
        device.mounts.iter().map(move |mount| (mount.point.as_str(), device.name.as_str()))
    });
    let above = mounts.filter(|(point, _)| Path::new(file).starts_with(point));
    let (_, name) = above.max_by_key(|(point, _)| point.len())?;
    Some(Resource::of(ResourceKind::Block, name))
}

/// The other end, from its memory to its interface, with a file that it sends. Of both ends in one program there is
/// only the memory.
fn other_end(run: &Run, case: &CaseResult) -> Vec<PathUse> {
    if measure::is_loopback(case) {
        return vec![once(None, PathPart::Memory, Resource::MEMORY, None)];
    }
    let Some(id) = End::Answers.machine(case) else { return Vec::new() };
    let name = Some(id);
    let machine = run.machines.iter().find(|machine| machine.id == id);
    let mut steps = served(case, id, machine);
    steps.push(once(name, PathPart::Memory, Resource::MEMORY, None));
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

/// The node that presents what is driven: its processors, and its devices below.
fn presenter(run: &Run, case: &CaseResult) -> Vec<PathUse> {
    let Some(id) = measure::presenter(case) else { return Vec::new() };
    let machine = run.machines.iter().find(|machine| machine.id == id);
    let cpus = machine.map(|machine| &machine.inventory.cpu.allowed).filter(|cpus| !cpus.is_empty());
    let mut steps = Vec::new();
    if let Some(cpus) = cpus {
        let all = cpus.len() as f64;
        let used = measure::presenter_busy(case).map(|share| LimitUse::of_count(share * all, all));
        steps.push(once(Some(id), PathPart::Whole, Resource::of_cpus(cpus), used));
    }
    let devices = measure::presented_on(case).into_iter();
    steps.extend(devices.map(|device| once(Some(id), PathPart::Whole, device, None)));
    steps
}

/// The CPU of an end that spends most of its time in the wake of interrupts, which is where packets are
/// taken; where a verdict says that one is full of that, this one.
fn soft_interrupts(case: &CaseResult, end: End, machine: Option<&str>) -> Option<PathUse> {
    let of = |only: Option<&Resource>| {
        measure::middle(case, |trial| {
            let busiest = busiest(trial, end, only)?;
            Some((busiest.0, busiest))
        })
    };
    let full = full_core(case, end).and_then(|core| of(Some(core)));
    let (share, cpu) = full.or_else(|| of(None))?;
    let used = LimitUse::of_count(share, 1.0);
    Some(once(machine, PathPart::SoftInterrupts, cpu, Some(used)))
}

/// The CPU of an end that packets keep full, by what holds the case back.
fn full_core(case: &CaseResult, end: End) -> Option<&Resource> {
    let is_it = |found: &&Finding| {
        let is_one = found.kind == FindingKind::Bottleneck && BY_PACKETS.contains(&found.code.as_str());
        is_one && is_of_other_end(case, found) == end.answers()
    };
    case.findings.iter().filter(is_it).find_map(|found| found.resource.as_ref())
}

fn busiest(trial: &Trial, end: End, only: Option<&Resource>) -> Option<(f64, Resource)> {
    let is_it = |c: &&Counter| {
        let is_one = c.resource.is_named(ResourceKind::Cpu) && c.source == "/proc/stat softirq";
        is_one && only.is_none_or(|cpu| *cpu == c.resource)
    };
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
        ResourceKind::Sata
        | ResourceKind::Sas
        | ResourceKind::Usb
        | ResourceKind::Pci
        | ResourceKind::Dmi => {
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
    };
    // Of several devices each takes its part.
    let took = |other: &CaseResult| {
        let devices = measure::devices(other).into_iter().chain(measure::lowest(other));
        let mut own = devices.filter(|own| own.resource == step.resource && !measure::below_loop(other, own));
        Some(measure::estimated(other, metric::THROUGHPUT)? * own.next()?.amplification)
    };
    let rates = run.cases.iter().filter(is_it).filter_map(took);
    rates.filter(|rate| *rate > 0.0).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests;
