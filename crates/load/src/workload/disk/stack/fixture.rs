//! The kind of fixture: a stack for a load, which other fixtures may lie on.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::FixtureKey;
use model::present::{AttachOrder, PresentedTarget};
use model::setting::LayerPlace;
use model::stack::LayerStack;
use model::{FactName, Value, fact};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::disk::stack::LAYERS;
use crate::workload::disk::stack::builder::Building;
use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::ground::{self, members};
use crate::workload::disk::stack::left::remove_left;
use crate::workload::disk::stack::md::SyncSpeeds;
use crate::workload::disk::stack::present::{HeldLink, held_links};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::request::{StackOrder, whole_path};

/// Stacks.
pub const STACKS: FixtureKind = FixtureKind { name: "stack", make };

/// The stack that a load drives.
const STACK: FactName = FactName::new("stack");
/// The programs that made it, by their versions.
const PROGRAMS: FactName = FactName::new("stack_programs");
/// Whether the kernel goes around the page cache to the files of its loop devices.
const DIRECT_IO: FactName = FactName::new("stack_direct_io");

/// A stack that is there; it goes when this is dropped.
#[derive(Debug)]
pub struct BuiltStack {
    key: FixtureKey,
    building: Building,
    facts: Vec<(FactName, Value)>,
    links: Vec<HeldLink>,
}

impl BuiltStack {
    /// What a load drives: the devices or the folder at the top.
    #[must_use]
    pub fn tops(&self) -> &[PathBuf] {
        &self.building.tops
    }

    /// What it was asked for with.
    #[must_use]
    pub fn key(&self) -> &FixtureKey {
        &self.key
    }

    /// The devices, or the folder, that are a layer of the stack `stack` on `targets`; none where this one is another
    /// stack, or is not made up to there.
    #[must_use]
    pub fn places_of(&self, LayerPlace { stack, targets, layer }: &LayerPlace) -> Option<&[PathBuf]> {
        let order = StackOrder::of(&self.key).ok()?;
        let targets: Vec<PathBuf> = targets.iter().map(|target| whole_path(target)).collect();
        if (&order.stack, &order.targets) != (stack, &targets) {
            return None;
        }
        let height = LayerStack::parse(stack, LAYERS).ok()?.height_of(layer)?;
        // What is at a node has no place here.
        self.building.places.get(height).map(Vec::as_slice).filter(|places| !places.is_empty())
    }

    /// What another machine must know to attach its top; none where that is presented to none.
    #[must_use]
    pub fn presented(&self) -> Option<PresentedTarget> {
        let layer = self.building.layers().last()?;
        let secret = layer.access.as_ref()?.secret.clone();
        Some(PresentedTarget { layer: layer.name.clone(), uuid: layer.uuid.clone(), secret })
    }

    /// Whether it is attached to a target that its node presents no more, by what is known of nodes now.
    #[must_use]
    pub fn is_outdated(&self, attached: &[AttachOrder]) -> bool {
        let order = StackOrder::of(&self.key).ok().and_then(|order| order.attached(attached));
        let layer = self.building.layers().last();
        order.zip(layer).is_some_and(|(order, layer)| order.target.layer != layer.name)
    }

    /// What was written down of its layers, the lowest first.
    pub(super) fn layers(&self) -> &[LayerRecord] {
        self.building.layers()
    }

    /// The networks between its layers that are held to a rate.
    #[must_use]
    pub fn links(&self) -> &[HeldLink] {
        &self.links
    }

    /// What is known of it.
    #[must_use]
    pub fn facts(&self) -> &[(FactName, Value)] {
        &self.facts
    }
}

impl Fixture for BuiltStack {
    fn check(&self) -> Result<(), Fault> {
        match self.tops().iter().find(|top| !top.exists()) {
            Some(top) => {
                Err(Fault::Other(format!("{} of the stack is gone: somebody took it down", top.display())))
            }
            None => Ok(()),
        }
    }

    /// What was seen of its devices is no difference; one that a trial uses up serves no other load.
    fn reuse(&self, made: &FixtureKey, asked: &FixtureKey) -> bool {
        let order = |key: &FixtureKey| StackOrder::of(key).ok().map(StackOrder::without_devices);
        (&made.kind, made.used_up) == (&asked.kind, asked.used_up)
            && order(made).is_some()
            && order(made) == order(asked)
    }

    fn remove(mut self: Box<Self>) -> Result<(), Fault> {
        self.building.take_down()
    }
}

fn make(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let order = StackOrder::of(key)?;
    let stack = LayerStack::parse(&order.stack, LAYERS)
        .map_err(|e| Fault::Other(format!("this agent cannot read the stack {}: {e}", order.stack)))?;
    let state = host.state_folder.as_deref().ok_or_else(|| {
        Fault::Other("there is no folder where a stack could be written down, so none is made".to_owned())
    })?;
    let state = std::path::absolute(state).map_err(|e| Fault::system("finding the folder of states", e))?;
    take_down_left(&state)?;
    let members = if order.peer.is_some() { Vec::new() } else { members(&stack, &order.targets)? };
    ground::check_again(&order.devices, host)?;
    let mut ticks = 0u64;
    // Programs do not say how far they are; that they run is a sign of life.
    let mut goes_on = || {
        ticks += 1;
        progress(ticks)
    };
    if !goes_on() {
        return Err(Fault::Cancelled);
    }
    let mut building = Building::begin(&state)?;
    let mut commands = Commands::new(&mut goes_on).with_status(host.status.clone());
    let made = match &order.peer {
        Some(peer) => {
            let missing = || Fault::Other(format!("{peer} did not say what it presents"));
            let attached = order.attached(&host.attached).ok_or_else(missing);
            attached.and_then(|attached| building.attach(&stack, attached, &mut commands))
        }
        None => building
            .ground(&stack, &members, &ground::options(&stack, order.member_bytes), &mut commands)
            .and_then(|()| building.raise(&stack, order.height, order.listen, &mut commands)),
    };
    if let Err(fault) = made {
        return Err(fault.and(building.take_down()));
    }
    let facts = facts(&stack, &order, &building, &mut commands);
    let links = held_links(&stack, order.height, building.layers());
    Ok(Box::new(BuiltStack { key: key.clone(), building, facts, links }))
}

/// An agent of this run that was killed may have left one on the same devices.
fn take_down_left(state: &Path) -> Result<(), Fault> {
    match remove_left(state).into_iter().find(|left| !left.is_settled()) {
        Some(left) => Err(Fault::Other(format!("{left}; see to that first"))),
        None => Ok(()),
    }
}

fn facts(
    stack: &LayerStack,
    order: &StackOrder,
    building: &Building,
    commands: &mut Commands<'_>,
) -> Vec<(FactName, Value)> {
    let kinds = order.kinds(stack).into_iter();
    let programs = kinds.flat_map(|(layer, kind)| kind.programs().iter().chain(kind.programs_of(layer)));
    let mut known: Vec<&Program> = Vec::new();
    let mut versions: Vec<Value> = Vec::new();
    for program in programs {
        if !known.contains(&program) {
            known.push(program);
            let version = commands.version(program).unwrap_or_else(|| "unknown".to_owned());
            versions.push(format!("{}: {version}", program.name).into());
        }
    }
    let mut facts = vec![(STACK, Value::from(stack.to_string()))];
    if !versions.is_empty() {
        facts.push((PROGRAMS, Value::List(versions)));
    }
    let times = || building.times.iter();
    if !building.times.is_empty() {
        let layers = times().map(|(layer, _)| Value::from(layer.as_str())).collect();
        let steps = times().map(|(_, time)| Value::from(time.step.as_str())).collect();
        let seconds = times().map(|(_, time)| Value::Number(time.seconds)).collect();
        facts.push((fact::STACK_STEP_LAYERS, Value::List(layers)));
        facts.push((fact::STACK_STEPS, Value::List(steps)));
        facts.push((fact::STACK_STEP_SECONDS, Value::List(seconds)));
    }
    facts.extend(building.direct_io().map(|direct| (DIRECT_IO, Value::Bool(direct))));
    // What files offer is what somebody chose.
    let bytes = building.tops.iter().map(|top| offered(top)).sum::<Option<u64>>();
    facts.extend(bytes.filter(|_| !order.devices.is_empty()).map(|bytes| (fact::STACK_BYTES, bytes.into())));
    if let Some(SyncSpeeds { least, most, initial }) = building.speeds {
        let number = |bytes: u64| Value::Number(bytes as f64);
        facts.extend(least.map(|speed| (fact::SYNC_SPEED_LEAST, number(speed))));
        facts.extend(most.map(|speed| (fact::SYNC_SPEED_MOST, number(speed))));
        facts.extend(initial.map(|rate| (fact::INITIAL_SYNC_RATE, Value::Number(rate))));
    }
    facts
}

/// Bytes of a device, or of the file system at a folder; none where it cannot be looked at.
fn offered(top: &Path) -> Option<u64> {
    if top.is_dir() {
        let stat = rustix::fs::statvfs(top).ok()?;
        return Some(stat.f_blocks.saturating_mul(stat.f_frsize));
    }
    File::open(top).and_then(|mut device| device.seek(SeekFrom::End(0))).ok()
}
