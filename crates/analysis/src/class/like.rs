//! Which parts are of a class, and which work its figures are of.

use std::ops::RangeInclusive;

use model::limit::{Access, Direction};
use model::machine::{BlockDevice, BlockKind, Inventory, NetworkInterface, PciLink};
use model::profile::{Aspect, Durability, OperationClass, Order, Transport};
use model::run::{CaseResult, Run};
use model::{Machine, ParameterName, ResourceKind, Value};
use serde::Deserialize;

use super::{NoReference, PartClass};
use crate::measure;

/// What parameters may say of a load without making it other work than a range is of: what the range itself
/// bounds, where the target lies, and how operations are handed over.
const BOUNDED: &[Aspect] = &[
    Aspect::Workers,
    Aspect::Depth,
    Aspect::Span,
    Aspect::Offset,
    Aspect::Sizes,
    Aspect::Targets,
    Aspect::Operation,
    Aspect::Interface,
    Aspect::Caches,
    Aspect::Idle,
    Aspect::CoolDown,
];

/// Transfers of links that differ by less are the same, as a fraction.
const SAME: f64 = 0.01;

/// Which parts are of a class.
#[derive(Debug)]
pub(super) enum Part {
    Disk(DiskPart),
    Interface(InterfacePart),
}

/// Disks of a class.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct DiskPart {
    transport: String,
    rotational: bool,
    link_bits: Option<u64>,
    pcie: Option<PcieForm>,
}

/// The link that drives are made for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PcieForm {
    transfers: f64,
    lanes: u32,
}

/// Network interfaces of a class.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct InterfacePart {
    kind: String,
    speed_bits: u64,
    mtu: u32,
}

/// The work on a disk that figures are of.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) direction: Direction,
    pub(super) access: Access,
    /// Bytes of an operation.
    pub(super) sizes: RangeInclusive<u64>,
    /// Operations under way at once.
    pub(super) operations: Option<RangeInclusive<u64>>,
    /// Bytes under way at once, at least.
    pub(super) under_way_least: Option<u64>,
    /// Bytes that are touched, at most.
    pub(super) span_most: u64,
}

impl PcieForm {
    /// Whether a drive is made for such a link and has all its lanes. Links slow down when idle, so the rate of now
    /// says nothing.
    fn is_of(&self, link: &PciLink) -> bool {
        let is_rate = |own: f64| (own / self.transfers - 1.0).abs() < SAME;
        link.max_transfers.is_some_and(is_rate)
            && link.max_lanes == Some(self.lanes)
            && link.lanes == Some(self.lanes)
    }
}

impl DiskPart {
    fn is_of(&self, disk: &BlockDevice, inventory: &Inventory) -> bool {
        let link = || inventory.pci_device(disk.pci.as_deref()?)?.link;
        disk.transport.as_deref() == Some(self.transport.as_str())
            && disk.rotational == Some(self.rotational)
            && self.link_bits.is_none_or(|bits| disk.link_bits == Some(bits))
            && self.pcie.as_ref().is_none_or(|form| link().is_some_and(|link| form.is_of(&link)))
    }
}

impl InterfacePart {
    fn is_of(&self, interface: &NetworkInterface) -> bool {
        interface.kind == self.kind
            && interface.speed_bits == Some(self.speed_bits)
            && interface.mtu == self.mtu
            && interface.qdisc_rate.is_none()
            && interface.qdisc_flow_rate.is_none()
    }
}

/// The class of the part that a case drives; or why it has none.
pub(super) fn class_of(case: &CaseResult, machine: &Machine) -> Result<&'static PartClass, NoReference> {
    let is_guest = machine.inventory.system.virtualization.is_some();
    if measure::is_net(case) {
        let interface = interface_of(case, machine)?;
        let is_it = |part: &Part| matches!(part, Part::Interface(form) if form.is_of(interface));
        return if is_guest { Err(NoReference::Guest) } else { class_where(is_it) };
    }
    let disk = disk_of(case, machine)?;
    let is_it = |part: &Part| matches!(part, Part::Disk(form) if form.is_of(disk, &machine.inventory));
    if is_guest { Err(NoReference::Guest) } else { class_where(is_it) }
}

fn class_where(is_it: impl Fn(&Part) -> bool) -> Result<&'static PartClass, NoReference> {
    super::all().iter().find(|class| is_it(&class.part)).ok_or(NoReference::Unknown)
}

/// The one disk that a case drives.
fn disk_of<'a>(case: &CaseResult, machine: &'a Machine) -> Result<&'a BlockDevice, NoReference> {
    let steps = measure::devices(case).len();
    let disks = measure::wholes(case, Some(machine));
    match (steps, disks.first().copied()) {
        (0, _) => Err(NoReference::NoPart),
        (1, Some(disk)) if disk.kind == BlockKind::Disk => Ok(disk),
        (1, None) => Err(NoReference::Unknown),
        _ => Err(NoReference::Several),
    }
}

/// The one interface that a case's data passes.
fn interface_of<'a>(case: &CaseResult, machine: &'a Machine) -> Result<&'a NetworkInterface, NoReference> {
    let mut names = case.path.iter().filter_map(|step| step.resource.named(ResourceKind::Nic));
    let name = match (names.next(), names.next()) {
        (Some(name), None) => name,
        (Some(_), Some(_)) => return Err(NoReference::Several),
        (None, _) => return Err(NoReference::NoPart),
    };
    let mut all = machine.inventory.network.iter();
    all.find(|interface| interface.name == name).ok_or(NoReference::Unknown)
}

/// Whether a case is the work that figures are of: `work` on a disk, or a TCP stream where there is none.
pub(super) fn is_like(work: Option<&Work>, run: &Run, case: &CaseResult) -> bool {
    let is_alone = case.loads.beside.is_empty() && case.settings.is_empty() && case.taken.is_none();
    let is_it = match work {
        Some(work) => work.is_of(case) && is_bounded(run, case),
        None => is_tcp_stream(run, case),
    };
    is_alone && !measure::is_null(case) && is_it
}

impl Work {
    fn is_of(&self, case: &CaseResult) -> bool {
        let profile = measure::profile(case);
        let order = match self.access {
            Access::Sequential => Order::Sequential,
            Access::Random => Order::Random,
        };
        let is_order = profile.flows.first().is_some_and(|flow| flow.order == order);
        let is_plain = measure::is_closed(case)
            && measure::is_direct(case)
            && profile.durability == Durability::None
            && profile.places.is_none()
            && profile.targets == 1;
        let Some(bytes) = measure::one_block(case) else { return false };
        let operations = profile.concurrency.operations;
        is_order
            && is_plain
            && measure::direction(case) == Some(self.direction)
            && self.sizes.contains(&bytes)
            && self.operations.as_ref().is_none_or(|range| range.contains(&operations))
            && self.under_way_least.is_none_or(|least| operations.saturating_mul(bytes) >= least)
            && measure::span(case).is_none_or(|span| span <= self.span_most)
    }
}

/// Whether only parameters that a range bounds have other values than their defaults: places by another
/// distribution, or other content, are other work.
fn is_bounded(run: &Run, case: &CaseResult) -> bool {
    changed(run, case).all(|aspect| aspect.is_some_and(|aspect| BOUNDED.contains(&aspect)))
}

/// Whether a case sends or receives by TCP as fast as it can, with buffers that nobody bounds.
fn is_tcp_stream(run: &Run, case: &CaseResult) -> bool {
    let profile = measure::profile(case);
    let is_plain = |class: OperationClass| matches!(class, OperationClass::Send | OperationClass::Receive);
    profile.transport == Some(Transport::Tcp)
        && profile.is_stream()
        && profile.flows.iter().all(|flow| is_plain(flow.class) && flow.asked_bytes_per_s.is_none())
        && !measure::goes_both_ways(case)
        && !measure::is_one_machine(case)
        && profile.parameter(Aspect::Server).is_none()
        && changed(run, case).all(|aspect| aspect != Some(Aspect::Window))
}

/// What the parameters say that are part of the work and have another value than their default; absent of one
/// that says nothing.
fn changed<'a>(run: &'a Run, case: &'a CaseResult) -> impl Iterator<Item = Option<Aspect>> + use<'a> {
    let load = &case.loads.main;
    let is_changed = move |(name, value): &(ParameterName, &Value)| {
        let known = run.definitions.parameter(load.workload, name.as_str());
        known.is_some_and(|known| known.work && known.default.as_ref() != Some(*value))
    };
    load.parameters.iter().filter(is_changed).map(move |(name, _)| load.profile.aspects.get(&name).copied())
}
