//! A load that is to run on a stack: what its parameters ask for, and whether this machine can make it.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership, Problem};
use model::present::PresentOrder;
use model::scalar::binary;
use model::stack::{ALL, LOCAL, LayerStack, MEMBERS, presented};
use model::{ParameterName, Parameters, Value};
use serde::{Deserialize, Serialize};

use crate::fixture::FixtureStore;
use crate::host::HostInfo;
use crate::workload::disk::stack::command::Program;
use crate::workload::disk::stack::fixture::{BuiltStack, STACKS};
use crate::workload::disk::stack::ground::{self, Member};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::{Below, LAYERS, at_node, find, md, raid};
use crate::workload::named;

/// Bytes of each file, where nobody says.
const MEMBER_BYTES: u64 = 1 << 30;

/// What a stack at a node is taken to offer before it is attached, where it stands on devices: whoever asks for more than
/// they have is told so when they are there.
const UNKNOWN_ROOM: u64 = 1 << 50;

/// What is said where a stack cannot be presented so.
const PRESENTED_HELP: &str = "iscsi and nvme-tcp present devices, a stack without a file system at its top; nfs presents one with such, as --stack \"loop > ext4\"";

/// What a fixture is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StackOrder {
    /// The stack, as it is written.
    pub(super) stack: String,
    /// How many layers are made above the ground.
    pub(super) height: usize,
    /// Bytes of each file.
    pub(super) member_bytes: u64,
    /// The parts of the target.
    pub(super) targets: Vec<PathBuf>,
    /// What was seen of those that are devices.
    #[serde(default)]
    pub(super) devices: Vec<FixtureKey>,
    /// The node that makes it and presents its top to this machine; none where this machine makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) peer: Option<String>,
    /// The address at which its top is presented to another machine; none where it is presented to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) listen: Option<IpAddr>,
}

impl StackOrder {
    /// What `key` asks for.
    pub(super) fn of(key: &FixtureKey) -> Result<Self, Fault> {
        serde_json::from_value(key.details.clone())
            .map_err(|e| Fault::Other(format!("this agent does not understand which stack to make: {e}")))
    }

    /// The same whatever was seen.
    pub(super) fn without_devices(self) -> Self {
        Self { devices: Vec::new(), ..self }
    }
}

/// A load that is to run on a stack.
#[derive(Clone, Debug)]
pub struct StackRequest {
    stack: LayerStack,
    order: StackOrder,
    /// The parameter that names what the load drives.
    target: ParameterName,
}

/// What a survey says of a stack that is still to be made.
#[derive(Clone, Debug)]
pub struct SurveyedStack {
    /// The fixture.
    pub key: FixtureKey,
    /// About how much the whole stack offers, bytes: the same for each of its layers, so that loads on them are.
    pub room: u64,
}

impl StackRequest {
    /// What `parameters` ask for, of which `target` names what the load drives; none where they name no stack.
    ///
    /// # Errors
    /// If they contradict one another.
    pub fn of(parameters: &Parameters, target: Option<ParameterName>) -> Result<Option<Self>, Problem> {
        let given_text = |name: &'static str| parameters.given(named(name), Parameters::text);
        let (written, way) = (given_text("stack")?, given_text("present")?);
        let Some(text) = presented(written, way) else {
            let idle =
                [named("layer"), named("member-size")].into_iter().find(|n| parameters.get(*n).is_some());
            return match idle {
                Some(name) => Err(Problem::invalid(
                    format!("`{name}` has no meaning here: it goes with a stack"),
                    "leave it out, or give a stack",
                )),
                None => Ok(None),
            };
        };
        let stack = LayerStack::parse(&text, LAYERS).map_err(|e| {
            let is_way =
                way.is_some() && written.is_none_or(|stack| LayerStack::parse(stack, LAYERS).is_ok());
            let help = if is_way { PRESENTED_HELP.to_owned() } else { e.help };
            Problem::invalid(e.message, help)
        })?;
        let Some(given) = target.filter(|name| parameters.get(*name).is_some()) else {
            return Err(Problem::invalid(
                "this load drives no folder and no device, so it cannot run on a stack",
                "leave the stack out",
            ));
        };
        let height = height(&stack, parameters)?;
        let is_presented = way.is_some_and(|way| way != LOCAL);
        let peer = given_text("presented-by")?.filter(|_| is_presented).map(str::to_owned);
        let texts = parameters.texts(given)?;
        if let Some(peer) = &peer {
            at_node::check(peer, &stack, height, &texts)?;
        }
        let path = |text: &str| if peer.is_some() { PathBuf::from(text) } else { whole_path(text) };
        let targets = texts.into_iter().map(path).collect();
        let member_bytes =
            parameters.given(named("member-size"), Parameters::integer)?.unwrap_or(MEMBER_BYTES);
        let devices = Vec::new();
        let order = StackOrder {
            stack: stack.to_string(),
            height,
            member_bytes,
            targets,
            devices,
            peer,
            listen: None,
        };
        Ok(Some(Self { stack, order, target: given }))
    }

    /// What a node is to present.
    ///
    /// # Errors
    /// If it cannot be read, or no node presents such a thing.
    pub fn to_present(asked: &PresentOrder) -> Result<Self, Problem> {
        let stack =
            LayerStack::parse(&asked.stack, LAYERS).map_err(|e| Problem::invalid(e.message, e.help))?;
        at_node::check_top(&stack)?;
        let order = StackOrder {
            stack: stack.to_string(),
            height: stack.height(),
            member_bytes: asked.member_bytes,
            targets: asked.targets.iter().map(|target| whole_path(target)).collect(),
            devices: Vec::new(),
            peer: None,
            listen: Some(asked.listen),
        };
        Ok(Self { stack, order, target: named("target") })
    }

    /// Whether what the load drives of it is a device, or several, and no folder.
    #[must_use]
    pub fn is_device(&self) -> bool {
        let top = self.order.height.checked_sub(1).and_then(|place| self.stack.layers.get(place));
        top.is_none_or(|layer| !layer.spec.role.is_mounted())
    }

    /// The devices on which it stands here: none where it is made at a node.
    fn members(&self) -> Result<Vec<Member>, Problem> {
        match self.order.peer {
            Some(_) => Ok(Vec::new()),
            None => ground::members(&self.stack, &self.order.targets),
        }
    }

    /// The fixture, as far as it is known without looking at the machine.
    pub(super) fn key(&self, members: &[Member]) -> FixtureKey {
        let files = members.iter().filter(|member| matches!(member, Member::File(..))).count();
        let bytes = self.order.member_bytes.saturating_mul(files as u64);
        let has_devices = members.iter().any(|member| matches!(member, Member::Device(_)));
        let owner = if has_devices { Ownership::Surrendered } else { Ownership::Created };
        let first = self.order.targets.first().map(|path| path.to_string_lossy().into_owned());
        let first = first.unwrap_or_default();
        let target = match &self.order.peer {
            // No path of this machine's.
            Some(peer) => format!("{peer}:{first}"),
            None => first,
        };
        let key = FixtureKey::new(STACKS.name, target, bytes, owner);
        FixtureKey { details: serde_json::json!(self.order), carries_targets: true, ..key }
    }

    /// Whether this machine can make it; touches nothing.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn survey(&self, host: &HostInfo) -> Result<SurveyedStack, Problem> {
        let members = self.members()?;
        self.check_layers()?;
        self.check_machine(&members)?;
        if let Some(peer) = &self.order.peer {
            return Ok(self.at_node(peer));
        }
        let seen = ground::survey(&members, self.order.member_bytes, host)?;
        // Those beside come last, and offer nothing.
        let below: Vec<u64> = seen.bytes.into_iter().take(self.stack.members.len()).collect();
        let least = below.iter().copied().min().unwrap_or(0);
        let room = self.offered(below)?;
        let order = StackOrder { devices: seen.devices, ..self.order.clone() };
        let about = format!("{}{}", self.about(&members), self.about_sync(least, md::usual_speed_most()));
        let key = self.key(&members);
        Ok(SurveyedStack { key: FixtureKey { details: serde_json::json!(order), about, ..key }, room })
    }

    /// The same of one that a node makes, of whose devices nothing is known here until its top is attached.
    fn at_node(&self, peer: &str) -> SurveyedStack {
        let room = match self.stack.ground {
            Some(_) => self.room(vec![self.order.member_bytes; self.stack.members.len()]),
            None => UNKNOWN_ROOM,
        };
        let paths: Vec<String> = self.order.targets.iter().map(|path| path.display().to_string()).collect();
        let about = format!(
            "{peer} makes {} on {}, which is overwritten where it is a device, and presents it; the disk is attached here, and \
             all is taken down at the end",
            self.stack,
            paths.join(", ")
        );
        SurveyedStack { key: FixtureKey { about, ..self.key(&[]) }, room }
    }

    /// About how many bytes its top offers on devices of so many.
    ///
    /// # Errors
    /// If its layers leave nothing of them.
    pub(super) fn offered(&self, below: Vec<u64>) -> Result<u64, Problem> {
        let least = below.iter().copied().min().unwrap_or(0);
        match self.room(below) {
            0 => Err(Problem::refused(
                format!(
                    "the stack {} has no room on devices of {}: its layers take all of it",
                    self.stack,
                    binary(least)
                ),
                "use larger devices; files in a folder are as large as `--member-size` says",
            )),
            room => Ok(room),
        }
    }

    /// About how many bytes its top offers on devices of so many; 0 where its layers leave nothing.
    fn room(&self, mut below: Vec<u64>) -> u64 {
        for layer in &self.stack.layers {
            let capacity = find(layer.spec.name).map_or(0, |kind| kind.capacity(layer, &below));
            below = vec![capacity];
        }
        below.iter().copied().min().unwrap_or(0)
    }

    fn about(&self, members: &[Member]) -> String {
        let names = self.stack.layer_names();
        let made = names.get(..=self.order.height).unwrap_or(&names).join(" > ");
        let files = members.iter().filter(|member| matches!(member, Member::File(..))).count();
        let memory = members.iter().filter(|member| matches!(member, Member::Memory(_))).count();
        let size = binary(self.order.member_bytes);
        let folder = self.order.targets.first().map_or_else(String::new, |path| path.display().to_string());
        let devices: Vec<String> = members
            .iter()
            .filter_map(|member| match member {
                Member::Device(path) => Some(path.display().to_string()),
                Member::File(..) | Member::Memory(_) => None,
            })
            .collect();
        let on = match (devices.is_empty(), files, memory) {
            (false, ..) => format!("{}, which is overwritten", devices.join(", ")),
            (true, _, 1) => format!("a zram device of {size}"),
            (true, _, 2..) => format!("{memory} zram devices of {size}"),
            (true, 1, _) => format!("a file of {size} in {folder}"),
            (true, ..) => format!("{files} files of {size} in {folder}"),
        };
        format!("the stack {made} is made on {on}, and taken down at the end")
    }

    /// What the first synchronisation of an array on members of so many bytes takes at least, where that is minutes: no
    /// faster than md allows, which is `usual` unless the stack says otherwise.
    fn about_sync(&self, bytes: u64, usual: Option<u64>) -> String {
        let array = self.stack.layers.first().filter(|layer| raid::is_redundant(layer.spec.name));
        let Some(array) = array.filter(|_| self.order.height > 0) else { return String::new() };
        let is_clean = array.option(named("assume-clean")) == Some(Value::Bool(true));
        let most = raid::speed_most(array).or(usual).filter(|speed| *speed > 0 && !is_clean);
        let minutes = most.map_or(0, |speed| bytes / speed / 60);
        let time = match minutes {
            0 => return String::new(),
            1..120 => format!("{minutes} min"),
            _ => format!("{} h {} min", minutes / 60, minutes % 60),
        };
        format!("; its array is synchronised first, which takes at least {time} by the speed that md allows")
    }

    fn check_layers(&self) -> Result<(), Problem> {
        if let Some(lowest) = self.stack.layers.first() {
            let members = self.stack.members.len().saturating_sub(raid::spares(lowest));
            let (name, fewest) = (lowest.spec.name, lowest.spec.devices.0);
            if members < fewest {
                return Err(Problem::invalid(
                    format!("`{name}` needs at least {fewest} devices beside its spares, and has {members}"),
                    "name more devices, or fewer spares",
                ));
            }
        }
        let ground = self.stack.ground.as_ref().map_or(MEMBERS, |ground| ground.spec.name);
        let mut below = Below { kind: ground, devices: self.stack.members.len() };
        let mut layers = self.stack.layers.iter();
        let refused = layers.find_map(|layer| {
            let kind = find(layer.spec.name)?;
            let why = kind.refuses(layer).or_else(|| kind.refuses_on(layer, below));
            below = Below { kind: layer.spec.name, devices: 1 };
            Some((layer, why?))
        });
        match refused {
            Some((layer, why)) => {
                Err(Problem::invalid(format!("{}: {why}", layer.spec.name), "see `headroom workloads disk`"))
            }
            None => Ok(()),
        }
    }

    /// Whether there are the rights, the programs and the parts of the kernel for the layers that are made.
    fn check_machine(&self, members: &[Member]) -> Result<(), Problem> {
        if !rustix::process::geteuid().is_root() {
            return Err(Problem::refused(
                "a stack cannot be made: Headroom does not run as root",
                "run it as root, or leave the stack out",
            ));
        }
        let kinds = || self.order.kinds(&self.stack).into_iter();
        let programs =
            kinds().flat_map(|(layer, kind)| kind.programs().iter().chain(kind.programs_of(layer)));
        let missing: Vec<&Program> = programs.filter(|program| program.find().is_none()).collect();
        if let Some(problem) = not_installed(&self.stack, &missing) {
            return Err(problem);
        }
        let refused = kinds().find_map(|(_, kind)| Some((kind.spec().name, kind.refuses_here()?)));
        if let Some((name, (why, help))) = refused {
            return Err(Problem::refused(format!("{name}: {why}"), help));
        }
        let ground = members.iter().filter_map(|member| match member {
            Member::File(..) => Some(KernelPart::Loop),
            Member::Memory(_) => Some(KernelPart::Zram),
            Member::Device(_) => None,
        });
        let of_layers = kinds().flat_map(|(layer, kind)| kind.kernel().iter().chain(kind.kernel_of(layer)));
        let mut parts = ground.chain(of_layers.copied());
        match parts.find(|part| !part.is_there()) {
            Some(part) => Err(Problem::refused(
                format!(
                    "the stack {} needs {} of the kernel, which this one has neither built in nor as a module",
                    self.stack,
                    part.told()
                ),
                "run it on a machine whose kernel has it, or leave that layer out",
            )),
            None => Ok(()),
        }
    }

    /// The stack, if it is made.
    #[must_use]
    pub fn built<'a>(&self, fixtures: &'a FixtureStore) -> Option<&'a BuiltStack> {
        let members = self.members().ok()?;
        let key = self.key(&members);
        fixtures.find(&key).or_else(|| fixtures.find(&FixtureKey { used_up: true, ..key }))
    }

    /// The parameters of a load that drives `tops` in the place of its target.
    #[must_use]
    pub fn on(&self, parameters: &Parameters, tops: &[PathBuf]) -> Parameters {
        let text = |top: &PathBuf| Value::Text(top.to_string_lossy().into_owned());
        let mut texts: Vec<Value> = tops.iter().map(text).collect();
        let value = if texts.len() == 1 { texts.pop() } else { Some(Value::List(texts)) };
        let mut parameters = parameters.clone();
        parameters.extend(value.map(|value| (self.target, value)));
        parameters
    }

    /// The parameters of the same load in a folder that is there already, to see what it needs: that of the first
    /// file, or the root where the stack stands on devices alone.
    #[must_use]
    pub fn on_folder(&self, parameters: &Parameters) -> Parameters {
        let targets = self.order.targets.iter();
        let folder = targets.filter(|_| self.order.peer.is_none()).find(|path| path.is_dir());
        self.on(parameters, &[folder.cloned().unwrap_or_else(|| Path::new("/").to_owned())])
    }

    /// The same of a load that was surveyed before the stack is there, with what it was `given`.
    #[must_use]
    pub fn as_planned(&self, surveyed: &Parameters, given: &Parameters) -> Parameters {
        without_ends(self.as_asked(surveyed), given)
    }

    /// The parameters of a surveyed load with the target that was asked for, by its whole path.
    #[must_use]
    pub fn as_asked(&self, parameters: &Parameters) -> Parameters {
        self.on(parameters, &self.order.targets)
    }
}

/// How much a load goes to the end of is known when the stack is there, unless it was `given`.
fn without_ends(mut surveyed: Parameters, given: &Parameters) -> Parameters {
    if surveyed.is_word(named("until"), "full") {
        for name in [named("size"), named("span")] {
            if given.integer(name).is_err() {
                surveyed.remove(name);
            }
        }
    }
    surveyed
}

/// The path of a part of the target, wherever this process is.
pub(super) fn whole_path(text: &str) -> PathBuf {
    let path = Path::new(text);
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// That programs for a stack are not installed, and the packages that have them; none where none is missing.
fn not_installed(stack: &LayerStack, missing: &[&Program]) -> Option<Problem> {
    let first = missing.first()?;
    let mut packages: Vec<&str> = missing.iter().map(|program| program.package).collect();
    packages.sort_unstable();
    packages.dedup();
    Some(Problem::refused(
        format!("the stack {stack} needs the program `{}`, which is not installed", first.name),
        format!("install it (in Debian: {})", packages.join(", ")),
    ))
}

/// How many layers above the ground are made.
fn height(stack: &LayerStack, parameters: &Parameters) -> Result<usize, Problem> {
    match parameters.given(named("layer"), Parameters::text)? {
        None => Ok(stack.height()),
        Some(ALL) => Err(Problem::invalid(
            "`layer=all` stands for each layer of a stack, and a case has one",
            "update the program that made this case",
        )),
        Some(name) => stack.height_of(name).ok_or_else(|| {
            Problem::invalid(
                format!("the stack {stack} has no layer `{name}`"),
                format!("one of {}", stack.layer_names().join(", ")),
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use model::plan::ProblemKind;

    use super::*;

    #[test]
    fn programs_that_are_missing_are_told_with_their_packages() {
        let program = |name, package| Program { name, package, version: &[] };
        let all = [program("mdadm", "mdadm"), program("lvm", "lvm2"), program("dmsetup", "lvm2")];
        let all: Vec<&Program> = all.iter().collect();
        let stack = LayerStack::parse("raid1(a+b) > lvm", LAYERS).unwrap();
        let problem = not_installed(&stack, &all).unwrap();
        assert_eq!(problem.kind, ProblemKind::Refused);
        assert!(problem.message.contains("raid1(a+b) > lvm needs the program `mdadm`"), "{problem:?}");
        assert!(problem.help.ends_with("(in Debian: lvm2, mdadm)"), "{problem:?}");
        assert_eq!(not_installed(&stack, &[]), None);
    }

    #[test]
    fn a_first_synchronisation_takes_as_long_as_md_allows() {
        let about = |stack: &str, bytes: u64, usual: Option<u64>| {
            let mut parameters = Parameters::default();
            parameters.set(named("stack"), stack);
            parameters.set(named("target"), "/");
            let request = StackRequest::of(&parameters, Some(named("target"))).unwrap().unwrap();
            request.about_sync(bytes, usual)
        };
        let usual = Some(200_000 * 1024);
        assert!(about("raid6(a+b+c+d) > xfs", 2_000_000_000_000, usual).contains("at least 2 h 42 min"));
        assert!(about("raid1(a+b)", 100 << 30, usual).contains("at least 8 min"));
        assert!(about("raid1(a+b; sync-speed-max=1m)", 1 << 30, usual).contains("at least 17 min"));
        for (stack, bytes, usual) in [
            ("raid1(a+b)", 1 << 30, usual),
            ("raid1(a+b)", 1 << 40, None),
            ("raid1(a+b; assume-clean=yes)", 1 << 40, usual),
            ("raid0(a+b)", 1 << 40, usual),
        ] {
            assert_eq!(about(stack, bytes, usual), "", "{stack}");
        }
    }
}
