//! Building a stack layer by layer, each written down before it is begun, and taking it down in reverse.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::fault::Fault;
use model::present::AttachOrder;
use model::stack::LayerStack;

use crate::workload::disk::stack::command::{Commands, StepTime};
use crate::workload::disk::stack::ground::{GroundOptions, Member};
use crate::workload::disk::stack::loop_device::{self, LoopDevice};
use crate::workload::disk::stack::md::SyncSpeeds;
use crate::workload::disk::stack::present::remote;
use crate::workload::disk::stack::record::{LayerRecord, StackRecord};
use crate::workload::disk::stack::{BuildSite, find, random, zram};

/// What is told of the making of a file with its loop device.
const LOOP_DEVICE: &str = "loop-device";

/// A stack as far as it was made.
#[derive(Debug)]
pub(super) struct Building {
    /// None once it is taken down.
    record: Option<StackRecord>,
    layers: Vec<LayerRecord>,
    loops: Vec<LoopDevice>,
    /// The devices that layers use beside those on which they stand, by their letters.
    besides: Vec<(char, PathBuf)>,
    /// Those of the user's.
    users: Vec<PathBuf>,
    /// The devices or the folder at its top.
    pub(super) tops: Vec<PathBuf>,
    /// The same of each layer that is made, the lowest first.
    pub(super) places: Vec<Vec<PathBuf>>,
    /// How long each step took, with the name of the layer that it was for.
    pub(super) times: Vec<(String, StepTime)>,
    /// How fast its array is synchronised; none where it has none with copies.
    pub(super) speeds: Option<SyncSpeeds>,
}

impl Building {
    /// One without layers, written down in the folder `state`.
    pub(super) fn begin(state: &Path) -> Result<Self, Fault> {
        let name = random::stack_name()?;
        let record = StackRecord::create(state, &name)
            .map_err(|e| Fault::system(format!("writing down the stack in {}", state.display()), e))?;
        Ok(Self {
            record: Some(record),
            layers: Vec::new(),
            loops: Vec::new(),
            besides: Vec::new(),
            users: Vec::new(),
            tops: Vec::new(),
            places: Vec::new(),
            times: Vec::new(),
            speeds: None,
        })
    }

    /// Makes the devices on which `stack` stands, and those that its layers use beside: `members` are in the order of
    /// its letters.
    pub(super) fn ground(
        &mut self,
        stack: &LayerStack,
        members: &[Member],
        options: &GroundOptions,
        commands: &mut Commands<'_>,
    ) -> Result<(), Fault> {
        let layer = stack.layer_names().into_iter().next().unwrap_or_default();
        for (index, (letter, member)) in stack.letters().into_iter().zip(members).enumerate() {
            let name = format!("{}_{letter}", self.name());
            let path = match member {
                Member::Device(path) => {
                    self.users.push(path.clone());
                    path.clone()
                }
                Member::File(folder, _) => {
                    self.write_down(of_ground(loop_device::SPEC.name, &name, String::new()))?;
                    let begin = Instant::now();
                    let made = LoopDevice::make(folder, &name, options.devices)?;
                    let seconds = begin.elapsed().as_secs_f64();
                    self.times.push((layer.clone(), StepTime { step: LOOP_DEVICE.to_owned(), seconds }));
                    let path = made.path.clone();
                    self.loops.push(made);
                    path
                }
                Member::Memory(_) => {
                    let mark = zram::mark()?;
                    self.write_down(of_ground(zram::SPEC.name, &name, mark.clone()))?;
                    let made = zram::make(&mark, options, commands)?;
                    self.times.extend(commands.take_times().into_iter().map(|time| (layer.clone(), time)));
                    made
                }
            };
            if index < stack.members.len() {
                self.tops.push(path);
            } else {
                self.besides.push((letter, path));
            }
        }
        self.places.push(self.tops.clone());
        Ok(())
    }

    /// Makes the layers of `stack` above its ground, up to `height`; its top is presented to another machine at the address
    /// `listen`, if there is one.
    pub(super) fn raise(
        &mut self,
        stack: &LayerStack,
        height: usize,
        listen: Option<IpAddr>,
        commands: &mut Commands<'_>,
    ) -> Result<(), Fault> {
        let names = stack.layer_names();
        for (index, layer) in stack.layers.iter().take(height).enumerate() {
            let unknown = || Fault::Other(format!("this agent makes no `{}`", layer.spec.name));
            let listens = listen.filter(|_| index + 1 == height);
            let kind = match listens {
                Some(_) => remote::target_of(layer.spec.name),
                None => find(layer.spec.name),
            };
            let kind = kind.ok_or_else(unknown)?;
            let below = std::mem::take(&mut self.tops);
            let point = self.record.as_ref().map(|record| record.mount_point(index + 1));
            let beside = layer.beside.map(|letter| self.beside(letter)).transpose()?;
            let is_users = below.iter().chain(&beside).any(|path| self.users.contains(path));
            let is_mounted = layer.spec.role.is_mounted();
            let record = LayerRecord {
                kind: kind.spec().name.to_owned(),
                name: format!("{}_{}", self.name(), index + 1),
                uuid: random::uuid()?,
                // Those of ours go by themselves.
                on_devices: is_users,
                below: below.clone(),
                beside: beside.clone(),
                place: point.filter(|_| is_mounted),
                access: listens.map(remote::access).transpose()?,
            };
            self.write_down(record.clone())?;
            let mut site = BuildSite {
                layer,
                record: &record,
                below: &below,
                beside: beside.as_deref(),
                commands: &mut *commands,
            };
            self.tops = vec![kind.make(&mut site)?];
            self.places.push(self.tops.clone());
            // The first name is that of the ground.
            let name = names.get(index + 1).cloned().unwrap_or_default();
            self.times.extend(commands.take_times().into_iter().map(|time| (name.clone(), time)));
            self.speeds = self.speeds.or(commands.speeds());
        }
        Ok(())
    }

    /// Attaches what a node presents, the top of `stack`, in the place of the whole stack.
    pub(super) fn attach(
        &mut self,
        stack: &LayerStack,
        order: &AttachOrder,
        commands: &mut Commands<'_>,
    ) -> Result<(), Fault> {
        let unknown = || Fault::Other(format!("this agent attaches nothing of {stack}"));
        let layer = stack.layers.last().ok_or_else(unknown)?;
        let kind = remote::session_of(layer.spec.name).ok_or_else(unknown)?;
        let record = remote::session_record(kind, order.address, &order.target)?;
        self.write_down(record.clone())?;
        let mut site =
            BuildSite { layer, record: &record, below: &[], beside: None, commands: &mut *commands };
        self.tops = vec![kind.make(&mut site)?];
        // The others are at the node.
        self.places = vec![Vec::new(); stack.height()];
        self.places.push(self.tops.clone());
        let name = stack.layer_names().pop().unwrap_or_default();
        self.times.extend(commands.take_times().into_iter().map(|time| (name.clone(), time)));
        Ok(())
    }

    /// The device of this letter, which a layer uses beside those on which it stands.
    fn beside(&self, letter: char) -> Result<PathBuf, Fault> {
        let found = self.besides.iter().find(|(known, _)| *known == letter).map(|(_, path)| path.clone());
        found.ok_or_else(|| Fault::Other(format!("there is no device for `{letter}`")))
    }

    fn name(&self) -> String {
        self.record.as_ref().map(StackRecord::name).unwrap_or_default()
    }

    fn write_down(&mut self, layer: LayerRecord) -> Result<(), Fault> {
        let gone = || Fault::Other("the stack was taken down already".to_owned());
        let record = self.record.as_mut().ok_or_else(gone)?;
        record.add(&layer).map_err(|e| Fault::system("writing down a layer of the stack", e))?;
        self.layers.push(layer);
        Ok(())
    }

    /// The layers that are there, the lowest first.
    pub(super) fn layers(&self) -> &[LayerRecord] {
        &self.layers
    }

    /// Whether the kernel goes around the page cache to the files of all its loop devices; none where it has none.
    pub(super) fn direct_io(&self) -> Option<bool> {
        (!self.loops.is_empty()).then(|| self.loops.iter().all(|device| device.direct_io))
    }

    /// Takes all of it down, from the top.
    ///
    /// # Errors
    /// What stays, and why: then what is below it stays, too, and so does the record.
    pub(super) fn take_down(&mut self) -> Result<(), Fault> {
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        while let Some(layer) = self.layers.last() {
            if layer.kind == loop_device::SPEC.name {
                // They go when nobody has them open any more.
                self.loops.clear();
            }
            take_down_layer(layer, &mut commands)?;
            self.layers.pop();
        }
        self.tops.clear();
        self.places.clear();
        if let Some(record) = self.record.take() {
            record.remove();
        }
        Ok(())
    }
}

/// What is written down of a device that is made for a stack to stand on.
fn of_ground(kind: &str, name: &str, uuid: String) -> LayerRecord {
    LayerRecord {
        kind: kind.to_owned(),
        name: name.to_owned(),
        uuid,
        below: Vec::new(),
        beside: None,
        on_devices: false,
        place: None,
        access: None,
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // Nobody hears of it any more; what stays is written down.
        let _ = self.take_down();
    }
}

/// Takes down what a record says; whether there was something.
pub(super) fn take_down_layer(layer: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
    if layer.kind == loop_device::SPEC.name {
        return loop_device::take_down(layer, commands);
    }
    if layer.kind == zram::SPEC.name {
        return zram::take_down(layer, commands);
    }
    let unknown = || Fault::Other(format!("this version makes no `{}`", layer.kind));
    find(&layer.kind).ok_or_else(unknown)?.take_down(layer, commands)
}
