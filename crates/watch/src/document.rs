//! A watch as a run document, so that the rules of runs judge it and a page can be made of it.
//!
//! What was watched is no load of ours, so each resource that did something is a case: what its kernel counted is the
//! result, and how its operations were mixed is the profile. Limits that only the watch knows (a control group's) stand in
//! the case, as those do that only a workload knows.

use std::collections::BTreeMap;

use machine::limit::{WriteShare, to_block_devices};
use model::label::{Label, LabelPart, LoadLabel};
use model::limit::{Direction, LimitKind};
use model::profile::{
    Concurrency, Flow, FlowUnit, LoadProfile, OperationClass, Peer, RateUnit, SizeShare, Transport, WaitsFor,
};
use model::resource::PathStep;
use model::run::{CaseLoad, CaseResult, LoadRole, Loads, Run};
use model::trial::{Counter, LOCAL, LoadTrial, MachineTrial, ProcessUse, Status, Trial, TrialResult, Window};
use model::{
    Kind, Limit, Machine, MetricName, Quantity, Resource, ResourceKind, Unit, Value, WorkloadName, metric,
};
use study::imported::{WatchedRun, of_watched};
use study::run::Invocation;

use crate::situation::{KnownLimit, LimitOrigin, ResourceActivity, ResourceRow, Situation, UseMeasure};

/// One way carries so much less than the other that it only answers.
const ANSWERS: f64 = 0.10;

/// What a document is made of.
pub struct WatchedTime<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// What it did in that time, with its processes.
    pub trial: MachineTrial,
    /// How much of everything was used in it.
    pub situation: &'a Situation,
    /// The time, ns of the monotonic clock.
    pub window: Window,
    /// When it began and ended, RFC 3339.
    pub span: (String, String),
    /// What is said of it: the command that ran, or what was watched.
    pub name: String,
}

/// The document, with its findings.
#[must_use]
pub fn document(watched: WatchedTime<'_>, identity: &Invocation) -> Run {
    let mut cases: Vec<CaseResult> = watched
        .situation
        .rows
        .iter()
        .filter(|row| row.is_active() && row.machine.is_none())
        .flat_map(|row| cases(row, &watched))
        .collect();
    let results = cases.iter_mut().enumerate();
    results.for_each(|(order, case)| add_trial(case, order as u32, &watched));
    let (started, finished) = watched.span;
    let mut machine = watched.machine.clone();
    // Others may run where this program may not.
    machine.inventory.cpu.allowed.clone_from(&machine.inventory.cpu.online);
    let run = WatchedRun { machine, cases, started, finished, name: watched.name };
    of_watched(run, identity)
}

/// What the trial of a case says: the first has all that was sampled, the others what is theirs.
fn add_trial(case: &mut CaseResult, order: u32, watched: &WatchedTime<'_>) {
    let Some(trial) = case.trials.first_mut() else { return };
    let own: Vec<&Resource> = case.path.iter().map(|step| &step.resource).collect();
    let common = [ResourceKind::Cpu, ResourceKind::Pressure, ResourceKind::OwnProcess];
    let counts = |resource: &Resource| own.contains(&resource) || common.contains(&resource.kind());
    let mut machine = MachineTrial {
        counters: watched.trial.counters.clone(),
        // What is watched is what everybody does: nobody disturbs it.
        processes: watched
            .trial
            .processes
            .iter()
            .map(|one| ProcessUse { own: true, ..one.clone() })
            .collect(),
        ..MachineTrial::of(LOCAL)
    };
    let is_kept = |series: &&model::trial::Series| order == 0 || counts(&series.resource);
    machine.series = watched.trial.series.iter().filter(is_kept).cloned().collect();
    if let Some(group) = own.iter().find(|resource| resource.kind() == ResourceKind::Cgroup) {
        machine.counters.extend(of_group(&watched.trial.counters, group));
    }
    trial.order = order;
    trial.started.clone_from(&watched.span.0);
    trial.result.window = Some(watched.window);
    trial.result.machines = vec![machine];
}

/// How long a group's processes were stopped, as the rules look for it.
fn of_group(counters: &[Counter], group: &Resource) -> Vec<Counter> {
    let is_its = |counter: &&Counter| counter.resource == *group;
    let named = |counter: &Counter| Counter { resource: Resource::CGROUP_CPU, ..counter.clone() };
    counters.iter().filter(is_its).map(named).collect()
}

fn cases(row: &ResourceRow, watched: &WatchedTime<'_>) -> Vec<CaseResult> {
    match &row.activity {
        ResourceActivity::Processors { busy, online, .. } => {
            vec![of_processors(row, *busy, *online, watched)]
        }
        ResourceActivity::Group { cpu, .. } => vec![of_group_cpu(row, *cpu)],
        ResourceActivity::Disk { operations, bytes, latency_s, depth, .. } => {
            let name = row.resource.name();
            let written = bytes[1] / bytes.iter().sum::<f64>().max(1.0);
            let inventory = &watched.machine.inventory;
            let path = to_block_devices(inventory, &[Some(name)], WriteShare { written }, &|_| None);
            vec![of_disk(row, *operations, *bytes, (*latency_s, *depth), path)]
        }
        ResourceActivity::GroupDevice { bytes, operations } => {
            let device = row.resource.name().rsplit('@').next().unwrap_or_default();
            let block = Resource::of(ResourceKind::Block, device);
            let depth = operations.iter().sum::<f64>().min(1.0);
            let path = vec![step(block.clone())];
            let case = of_disk(row, *operations, *bytes, ([None; 2], depth), path);
            vec![CaseResult { limits: throttles(row, &block), ..case }]
        }
        ResourceActivity::Interface { bytes, packets, .. } => of_interface(row, *bytes, *packets),
        ResourceActivity::Memory { .. } | ResourceActivity::MemoryTraffic { .. } => Vec::new(),
    }
}

fn step(resource: Resource) -> PathStep {
    PathStep { resource, amplification: 1.0 }
}

/// The throttles of a group, as limits of the device.
fn throttles(row: &ResourceRow, device: &Resource) -> Vec<Limit> {
    let of = |used: &crate::situation::LimitShare| {
        let KnownLimit { high, origin: LimitOrigin::Quota(source), .. } = used.limit.as_ref()? else {
            return None;
        };
        let (quantity, direction) = match used.measure {
            UseMeasure::BytesIn => (metric::THROUGHPUT, Direction::Read),
            UseMeasure::BytesOut => (metric::THROUGHPUT, Direction::Write),
            UseMeasure::Reads => (metric::IOPS, Direction::Read),
            UseMeasure::Writes => (metric::IOPS, Direction::Write),
            _ => return None,
        };
        let source = format!("{source} of {}", row.resource.name());
        let bound = Limit::new(device.clone(), quantity, used.unit, LimitKind::Quota, source);
        Some(Limit { direction: Some(direction), effective: Some(*high), ..bound })
    };
    row.uses.iter().filter_map(of).collect()
}

/// A case with one trial, of a profile and its figures.
fn case(
    row: &ResourceRow,
    profile: LoadProfile,
    figures: &[(MetricName, f64, Unit)],
    path: Vec<PathStep>,
) -> CaseResult {
    let metrics: BTreeMap<MetricName, Quantity> = figures
        .iter()
        .filter(|(_, value, _)| value.is_finite())
        .map(|(name, value, unit)| (*name, Quantity { value: *value, unit: *unit }))
        .collect();
    let trial = Trial {
        order: 0,
        block: 0,
        started: String::new(),
        status: Status::Ok,
        reason: None,
        result: TrialResult {
            loads: vec![LoadTrial { metrics, ..LoadTrial::of(0, LOCAL) }],
            ..TrialResult::default()
        },
    };
    let part = LabelPart {
        name: "resource".to_owned(),
        kind: Kind::Text,
        value: Value::from(row.resource.as_str()),
    };
    let workload = WorkloadName::WATCHED;
    let main = CaseLoad { role: LoadRole::Main, workload, profile, ..CaseLoad::default() };
    CaseResult {
        work_id: format!("watched {}", row.resource),
        label: Label { loads: vec![LoadLabel { workload, parameters: vec![part] }], settings: Vec::new() },
        loads: Loads { main, beside: Vec::new() },
        path,
        trials: vec![trial],
        ..CaseResult::default()
    }
}

/// All that computes: an operation is what lies between two changes from one thread to another.
fn of_processors(row: &ResourceRow, busy: f64, online: usize, watched: &WatchedTime<'_>) -> CaseResult {
    let is_switch = |c: &&Counter| c.resource == Resource::CPUS && c.source.ends_with(" ctxt");
    let switches = watched.trial.counters.iter().find(is_switch);
    let rate =
        switches.and_then(|c| Some(c.change()? / c.seconds())).filter(|rate| *rate > 0.0).unwrap_or(1.0);
    let figures = [
        (metric::OPERATIONS_PER_SECOND, rate, Unit::PerSecond),
        (metric::CPU_PER_OPERATION, busy.min(online as f64) / rate, Unit::Seconds),
    ];
    case(row, computes(online as u64, metric::CPU_PER_OPERATION), &figures, vec![step(Resource::CPUS)])
}

fn computes(workers: u64, headline: MetricName) -> LoadProfile {
    LoadProfile {
        flows: vec![Flow::only(OperationClass::Compute, FlowUnit::Operations)],
        concurrency: Concurrency { workers, operations: workers, ..Concurrency::default() },
        waits_for: [WaitsFor::Processor].into(),
        headline,
        ..LoadProfile::default()
    }
}

fn of_group_cpu(row: &ResourceRow, cpu: Option<f64>) -> CaseResult {
    let most = row.uses.first().and_then(|used| used.limit.as_ref()).map_or(1.0, |limit| limit.high);
    let figures = cpu.map(|cpu| (metric::CPU, cpu, Unit::One));
    let workers = most.ceil().max(1.0) as u64;
    case(row, computes(workers, metric::CPU), figures.as_slice(), vec![step(row.resource.clone())])
}

fn of_disk(
    row: &ResourceRow,
    operations: [f64; 2],
    bytes: [f64; 2],
    (latency_s, depth): ([Option<f64>; 2], f64),
    path: Vec<PathStep>,
) -> CaseResult {
    let all: f64 = operations.iter().sum();
    let classes = [OperationClass::Read, OperationClass::Write];
    let flow = |way: usize| Flow {
        share: operations[way] / all,
        sizes: vec![SizeShare { bytes: (bytes[way] / operations[way]).round() as u64, share: 1.0 }],
        ..Flow::only(classes[way], FlowUnit::Operations)
    };
    let flows: Vec<Flow> = (0..2).filter(|way| operations[*way] > 0.0).map(flow).collect();
    let at_once = depth.round().max(1.0) as u64;
    let is_mixed = flows.len() > 1;
    let profile = LoadProfile {
        flows,
        concurrency: Concurrency {
            workers: 1,
            operations: at_once,
            depth: Some(at_once),
            ..Concurrency::default()
        },
        targets: 1,
        waits_for: [WaitsFor::Device].into(),
        headline: metric::IOPS,
        ..LoadProfile::default()
    };
    let mut figures = vec![
        (metric::IOPS, all, Unit::PerSecond),
        (metric::THROUGHPUT, bytes.iter().sum(), Unit::BytesPerSecond),
    ];
    let taken = latency_s.iter().zip(operations).filter_map(|(s, n)| Some((*s)? * n)).sum::<f64>();
    if latency_s.iter().any(Option::is_some) {
        figures.push((metric::LATENCY_MEAN, taken / all, Unit::Seconds));
    }
    if is_mixed {
        figures.extend([
            (metric::READ_IOPS, operations[0], Unit::PerSecond),
            (metric::WRITE_IOPS, operations[1], Unit::PerSecond),
            (metric::READ_THROUGHPUT, bytes[0], Unit::BytesPerSecond),
            (metric::WRITE_THROUGHPUT, bytes[1], Unit::BytesPerSecond),
        ]);
    }
    case(row, profile, &figures, path)
}

/// A case for each way that carries more than answers.
fn of_interface(row: &ResourceRow, bytes: [f64; 2], packets: [f64; 2]) -> Vec<CaseResult> {
    let classes = [OperationClass::Receive, OperationClass::Send];
    let measures = [UseMeasure::BytesIn, UseMeasure::BytesOut];
    let most = bytes[0].max(bytes[1]);
    let of = |way: usize| {
        let profile = LoadProfile {
            flows: vec![Flow::only(classes[way], FlowUnit::Bytes)],
            peer: Some(Peer::AnotherProgram),
            transport: Some(Transport::Tcp),
            waits_for: [WaitsFor::Peer].into(),
            rate_unit: RateUnit::Bits,
            headline: metric::THROUGHPUT,
            ..LoadProfile::default()
        };
        let payload = row.uses.iter().find(|used| used.measure == measures[way]).map(|used| used.demand);
        let figures = [
            (metric::THROUGHPUT, payload.unwrap_or(bytes[way]), Unit::BytesPerSecond),
            (metric::PACKETS_PER_SECOND, packets[way], Unit::PerSecond),
        ];
        case(row, profile, &figures, vec![step(row.resource.clone())])
    };
    (0..2).filter(|way| bytes[*way] > ANSWERS * most).map(of).collect()
}
