//! What is known of how much the parts of this machine can do: what kept runs of it measured, and what links, datasheets and
//! quotas say. Each with where it is from.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::limit::Direction;
use model::machine::{BlockKind, Inventory, IoThrottle};
use model::profile::{Arrival, Caches, Durability, Flow, OperationClass, Order, Transport, WaitsFor};
use model::run::{CaseLoad, CaseResult, CaseRole, Run};
use model::trial::{Counter, LOCAL, Trial};
use model::{Limit, Machine, MetricName, Resource, ResourceKind, Severity, metric};
use store::{State, Store, StoreError};

use crate::mix::{IoMix, MeasuredMix, MixLevel};

/// How the counter of flushes is called in a run document.
const FLUSHES_SOURCE: &str = " flushes";
/// The working set of a thread that no cache holds, bytes: what `memory.bandwidth` takes at least.
const MEMORY_SPAN_LEAST: u64 = 256 << 20;
/// Runs that are looked into at most, the newest first.
const RUNS_MAX: usize = 60;

/// What an interface carried in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredGoodput {
    /// The interface.
    pub interface: String,
    /// Which way.
    pub direction: Direction,
    /// Bytes of payload per second.
    pub bytes_per_s: f64,
    /// The run.
    pub run: String,
    /// When that started, RFC 3339.
    pub started: String,
}

/// What a run got of something that is one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRate {
    /// In each second.
    pub per_s: f64,
    /// The run.
    pub run: String,
    /// When that started, RFC 3339.
    pub started: String,
}

/// All that is known of limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitBook {
    /// Mixes on disks; of one mix the newest run's alone.
    pub mixes: Vec<MeasuredMix>,
    /// What interfaces carried, the newest run of each direction.
    pub goodputs: Vec<MeasuredGoodput>,
    /// Flushes of the caches of disks, by disk: what the newest run got that synced its writes.
    pub flushes: BTreeMap<String, MeasuredRate>,
    /// Bytes between processors and memory, of the newest run that moved them.
    pub memory: Option<MeasuredRate>,
    /// What links, datasheets, providers and queueing disciplines say.
    pub limits: Vec<Limit>,
}

impl LimitBook {
    /// What the inventory of a machine says, and nothing measured.
    #[must_use]
    pub fn of_machine(machine: &Machine) -> Self {
        Self { limits: machine.limits.clone(), ..Self::default() }
    }

    /// Takes what kept runs of this machine measured.
    ///
    /// # Errors
    /// If the store cannot be read. A single run that cannot be is left out.
    pub fn add_runs(&mut self, store: &dyn Store, machine: &Machine) -> Result<(), StoreError> {
        let is_of_here = |entry: &&store::RunEntry| {
            entry.hostname == machine.hostname && matches!(entry.state, State::Complete | State::Budget)
        };
        for entry in store.list()?.iter().filter(is_of_here).take(RUNS_MAX) {
            if let Ok(run) = store.load(&entry.id) {
                self.add_run(&run, machine);
            }
        }
        Ok(())
    }

    /// Takes what a run measured, unless a newer one has told it: the newest comes first.
    pub fn add_run(&mut self, run: &Run, machine: &Machine) {
        let Some(then) = run.machines.first().filter(|then| then.hostname == machine.hostname) else {
            return;
        };
        let mut found: BTreeMap<String, MeasuredMix> = BTreeMap::new();
        for case in run.cases.iter().filter(|case| is_plain(case)) {
            let main = &case.loads.main;
            self.memory_of(run, main);
            if let Some(device) = device_of(case, &then.inventory) {
                let is_same = is_same_device(&device, &then.inventory, &machine.inventory);
                if is_same {
                    self.flushes_of(run, case, &device);
                }
                if is_same && let Some((mix, order, level)) = mix_of(main) {
                    let key = format!("{device} {order:?} {:.3} {:.0}", mix.read_share, mix.block_bytes);
                    let (run, started) = (run.id.clone(), run.started.clone());
                    let new = || MeasuredMix { device, mix, order, levels: Vec::new(), run, started };
                    found.entry(key).or_insert_with(new).levels.push(level);
                }
            } else {
                self.goodputs_of(run, case, then, machine);
            }
        }
        for mut mix in found.into_values() {
            mix.levels.sort_by(|a, b| a.depth.total_cmp(&b.depth));
            let is_known = |known: &MeasuredMix| {
                known.device == mix.device && known.order == mix.order && known.mix == mix.mix
            };
            if !self.mixes.iter().any(is_known) {
                self.mixes.push(mix);
            }
        }
    }

    /// What the disk was seen to flush, for the kernel may join several syncs in one flush, and a file system may need more of
    /// them.
    fn flushes_of(&mut self, run: &Run, case: &CaseResult, device: &str) {
        let durability = &case.loads.main.profile.durability;
        if !matches!(durability, Durability::EachWrite | Durability::Syncs) {
            return;
        }
        let block = Resource::of(ResourceKind::Block, device);
        let of_trial = |trial: &Trial| {
            let machine = trial.result.machines.iter().find(|machine| machine.machine == LOCAL)?;
            let is_it = |c: &&Counter| c.resource == block && c.source.ends_with(FLUSHES_SOURCE);
            let counter = machine.counters.iter().find(is_it)?;
            Some(counter.change()? / counter.seconds())
        };
        let per_s =
            case.trials.iter().filter_map(of_trial).filter(|rate| rate.is_finite()).fold(0.0, f64::max);
        let known = self.flushes.entry(device.to_owned()).or_insert_with(|| MeasuredRate {
            per_s: 0.0,
            run: run.id.clone(),
            started: run.started.clone(),
        });
        // Levels of one run: the most that it gave.
        if known.run == run.id {
            known.per_s = known.per_s.max(per_s);
        }
    }

    /// What a run moved through memory, where its working sets were larger than caches are.
    fn memory_of(&mut self, run: &Run, load: &CaseLoad) {
        let profile = &load.profile;
        let is_fit = profile.waits_for.contains(&WaitsFor::Memory)
            && profile.span_bytes.is_some_and(|bytes| bytes >= MEMORY_SPAN_LEAST);
        let moved = median(load, metric::THROUGHPUT_BUS_ESTIMATE).filter(|_| is_fit);
        let Some(per_s) = moved else { return };
        match &mut self.memory {
            Some(known) if known.run == run.id => known.per_s = known.per_s.max(per_s),
            Some(_) => {}
            None => {
                let (run, started) = (run.id.clone(), run.started.clone());
                self.memory = Some(MeasuredRate { per_s, run, started });
            }
        }
    }

    fn goodputs_of(&mut self, run: &Run, case: &CaseResult, then: &Machine, now: &Machine) {
        let main = &case.loads.main;
        let is_stream = main.profile.is_stream() && main.profile.transport == Some(Transport::Tcp);
        let interface = case.path.iter().find_map(|step| step.resource.named(ResourceKind::Nic));
        let (Some(interface), true) = (interface, is_stream) else { return };
        let mtu = |machine: &Machine| {
            machine.inventory.network.iter().find(|n| n.name == interface).map(|n| (n.mtu, n.qdisc_rate))
        };
        if mtu(then) != mtu(now) || mtu(now).is_none() {
            return;
        }
        let ways = [
            (OperationClass::Receive, Direction::Read, metric::RECEIVE_THROUGHPUT),
            (OperationClass::Send, Direction::Write, metric::SEND_THROUGHPUT),
        ];
        for (class, direction, own) in ways.into_iter().filter(|(class, ..)| main.profile.does(*class)) {
            let both = main.profile.flows.len() > 1;
            let name = if both { own } else { metric::THROUGHPUT };
            let (Some(bytes_per_s), false) = (median(main, name), class == OperationClass::Trim) else {
                continue;
            };
            let is_same =
                |known: &&mut MeasuredGoodput| known.interface == interface && known.direction == direction;
            match self.goodputs.iter_mut().find(is_same) {
                Some(known) if known.run == run.id => known.bytes_per_s = known.bytes_per_s.max(bytes_per_s),
                Some(_) => {}
                None => self.goodputs.push(MeasuredGoodput {
                    interface: interface.to_owned(),
                    direction,
                    bytes_per_s,
                    run: run.id.clone(),
                    started: run.started.clone(),
                }),
            }
        }
    }
}

fn median(load: &CaseLoad, name: MetricName) -> Option<f64> {
    load.estimates.get(&name).map(|estimate| estimate.median).filter(|value| *value > 0.0)
}

/// How long ago a time was, in seconds; none of what is no time.
#[must_use]
pub fn age_s(started: &str, now: Timestamp) -> Option<u64> {
    let then: Timestamp = started.parse().ok()?;
    u64::try_from(now.as_second() - then.as_second()).ok()
}

/// Whether a case tells what its device can do: it ran alone, with the machine as it is, and its figures are what they say.
fn is_plain(case: &CaseResult) -> bool {
    let is_bad = |finding: &model::Finding| finding.severity == Severity::Error;
    let is_kind = matches!(
        case.role,
        CaseRole::Asked | CaseRole::Level { .. } | CaseRole::Knee { .. } | CaseRole::Extra { .. }
    );
    is_kind
        && case.settings.is_empty()
        && case.loads.beside.is_empty()
        && !case.findings.iter().any(is_bad)
        && case.loads.main.profile.concurrency.arrival == Arrival::Closed
}

/// The whole disk that the case drives.
fn device_of(case: &CaseResult, inventory: &Inventory) -> Option<String> {
    let name = case.path.iter().find_map(|step| step.resource.named(ResourceKind::Block))?;
    Some(whole_disk(inventory, name).to_owned())
}

/// The disk of a partition; itself of all else.
fn whole_disk<'a>(inventory: &'a Inventory, name: &'a str) -> &'a str {
    let device = inventory.block_device(name).filter(|device| device.kind == BlockKind::Partition);
    device.and_then(|device| device.below.first()).map_or(name, String::as_str)
}

/// Whether the device of this name is the same one, held to the same.
fn is_same_device(name: &str, then: &Inventory, now: &Inventory) -> bool {
    let throttle = |inventory: &Inventory| -> Option<IoThrottle> {
        inventory.cgroup.io.iter().find(|io| io.device == name).cloned()
    };
    match (then.block_device(name), now.block_device(name)) {
        (Some(a), Some(b)) => {
            (&a.model, a.bytes, a.kind, &a.backing_file) == (&b.model, b.bytes, b.kind, &b.backing_file)
                && throttle(then) == throttle(now)
        }
        _ => false,
    }
}

/// The mix of a load on one target around the page cache, and what it gave.
fn mix_of(load: &CaseLoad) -> Option<(IoMix, Order, MixLevel)> {
    let profile = &load.profile;
    let is_fit = profile.caches == Caches::None
        && profile.targets == 1
        && profile.peer.is_none()
        && profile.durability == Durability::None;
    let moves = |flow: &&Flow| matches!(flow.class, OperationClass::Read | OperationClass::Write);
    let flows: Vec<&Flow> = profile.flows.iter().filter(|flow| flow.share > 0.0).collect();
    if !is_fit || flows.is_empty() || !flows.iter().all(moves) {
        return None;
    }
    let share: f64 = flows.iter().map(|flow| flow.share).sum();
    let read: f64 = flows.iter().filter(|f| f.class == OperationClass::Read).map(|f| f.share).sum();
    let sizes = &flows[0].sizes;
    let block_bytes: f64 = sizes.iter().map(|size| size.bytes as f64 * size.share).sum();
    let order = flows[0].order.clone();
    let operations = median(load, metric::IOPS)?;
    let depth = profile.concurrency.operations.max(1) as f64;
    let mix = IoMix { block_bytes, read_share: read / share };
    (block_bytes > 0.0).then_some((mix, order, MixLevel { depth, operations_per_s: operations }))
}

#[cfg(test)]
mod tests;
