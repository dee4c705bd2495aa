//! What a stack stands on: loop devices on files of ours in folders of the target, or devices of the user's that were
//! given up.

use std::fs::metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership, Problem};
use model::scalar::binary;
use model::stack::LayerStack;
use model::value::Value;

use crate::host::HostInfo;
use crate::in_memory::{self, Room};
use crate::workload::disk::device;
use crate::workload::disk::stack::loop_device::LoopOptions;
use crate::workload::disk::stack::{partition, zram};
use crate::workload::named;

/// What always stays free in a folder.
const RESERVE: u64 = 64 << 20;

/// A device on which the stack stands, and what it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// A loop device on a file in this folder, with the letter that it has in the stack.
    File(PathBuf, char),
    /// A zram device, with the letter that it has in the stack.
    Memory(char),
    /// This device.
    Device(PathBuf),
}

/// How the devices on which a stack stands are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroundOptions {
    pub(super) devices: LoopOptions,
    /// How memory is compressed; by the kernel's own choice where nobody says.
    pub(super) algorithm: Option<String>,
}

/// The devices of all letters of `stack` by the parts of the target: each letter has a part of its own, or all of them
/// one folder. Those on which it stands come first.
pub(super) fn members(stack: &LayerStack, targets: &[PathBuf]) -> Result<Vec<Member>, Problem> {
    let one_folder = match targets {
        [one] if !is_device(one) => Some(one),
        _ => None,
    };
    let is_memory = stack.ground.as_ref().is_some_and(|ground| ground.spec.name == zram::SPEC.name);
    let member = |letter: &char| {
        let index = u32::from(*letter).saturating_sub(u32::from('a'));
        let own = usize::try_from(index).ok().and_then(|index| targets.get(index));
        let part = own.or(one_folder).ok_or_else(|| {
            Problem::invalid(
                format!("the stack stands on `{letter}`, and the target has {} parts", targets.len()),
                "join as many with + as the stack has letters, or give one folder for all",
            )
        })?;
        Ok(if is_device(part) {
            Member::Device(part.clone())
        } else if is_memory {
            Member::Memory(*letter)
        } else {
            Member::File(part.clone(), *letter)
        })
    };
    let members = stack.letters().iter().map(member).collect::<Result<Vec<Member>, Problem>>()?;
    let mut stood_upon = members.iter().take(stack.members.len());
    let device = stood_upon.find_map(|member| match member {
        Member::Device(path) => Some(path),
        Member::File(..) | Member::Memory(_) => None,
    });
    match (device, &stack.ground) {
        (Some(path), Some(ground)) => Err(Problem::invalid(
            format!("`{}` makes devices, and {} is one", ground.spec.name, path.display()),
            format!("leave `{}` out, or give a folder as target", ground.spec.name),
        )),
        _ => Ok(members),
    }
}

pub(super) fn is_device(path: &Path) -> bool {
    metadata(path).is_ok_and(|m| m.file_type().is_block_device())
}

/// How its devices are made, each with `bytes`.
pub(super) fn options(stack: &LayerStack, bytes: u64) -> GroundOptions {
    let option = |name: &'static str| stack.ground.as_ref().and_then(|ground| ground.option(named(name)));
    GroundOptions {
        devices: LoopOptions {
            bytes,
            direct_io: option("direct-io") != Some(Value::Bool(false)),
            allocated: option("allocated") == Some(Value::Bool(true)),
            partitions: stack.layers.first().is_some_and(|layer| layer.spec.name == partition::SPEC.name),
        },
        algorithm: option("algorithm").map(|word| word.to_string()),
    }
}

/// What was seen of the members before anything is made.
#[derive(Debug, Default)]
pub(super) struct SurveyedMembers {
    /// Bytes of each.
    pub(super) bytes: Vec<u64>,
    /// The devices among them, to be found again before they are written.
    pub(super) devices: Vec<FixtureKey>,
}

/// Looks whether the members can be had, each file with `bytes`; touches nothing.
pub(super) fn survey(members: &[Member], bytes: u64, host: &HostInfo) -> Result<SurveyedMembers, Problem> {
    let mut surveyed = SurveyedMembers::default();
    let mut folders: Vec<(&Path, u64)> = Vec::new();
    let mut memory = 0u64;
    for member in members {
        match member {
            Member::File(folder, _) => {
                surveyed.bytes.push(bytes);
                let number = |path: &Path| metadata(path).map(|m| m.dev()).ok();
                match folders.iter_mut().find(|(known, _)| number(known) == number(folder)) {
                    Some((_, sum)) => *sum = sum.saturating_add(bytes),
                    None => folders.push((folder.as_path(), bytes)),
                }
            }
            Member::Memory(_) => {
                surveyed.bytes.push(bytes);
                memory = memory.saturating_add(bytes);
            }
            Member::Device(path) => {
                let key = survey_device(path, host)?;
                surveyed.bytes.push(key.bytes);
                surveyed.devices.push(key);
            }
        }
    }
    folders.into_iter().try_for_each(|(folder, sum)| check_folder(folder, sum, host))?;
    check_memory(memory, host)?;
    Ok(surveyed)
}

fn survey_device(path: &Path, host: &HostInfo) -> Result<FixtureKey, Problem> {
    let shown = path.to_string_lossy().into_owned();
    let hidden = |e| Problem::refused(format!("{shown} cannot be looked at: {e}"), "check its permissions");
    let state = (host.look.state)(path).map_err(hidden)?;
    let ownership = device::check(&shown, true, &state, &host.destroy, &host.wipe)?;
    let identity = Some(model::identity::Identity::Device(state.identity));
    let key = FixtureKey::new("device", state.path, state.bytes, ownership);
    Ok(FixtureKey { identity, holds: state.signatures, ..key })
}

/// Whether there is memory for data that cannot be compressed.
fn check_memory(bytes: u64, host: &HostInfo) -> Result<(), Problem> {
    let room = host.memory_room();
    if bytes <= room {
        return Ok(());
    }
    Err(Problem::refused(
        format!(
            "the zram devices of the stack may take {} of memory, and {} may be taken",
            binary(bytes),
            binary(room)
        ),
        "give a smaller member-size",
    ))
}

fn check_folder(folder: &Path, bytes: u64, host: &HostInfo) -> Result<(), Problem> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(Problem::invalid(
            format!("{shown} is neither a folder nor a block device"),
            "a stack stands on files in an existing folder, or on devices",
        ));
    }
    let refused = |e: rustix::io::Errno| {
        let why = std::io::Error::from(e);
        Problem::refused(
            format!("{shown} cannot be written to: {why}"),
            "give a folder in which you may write: `--target FOLDER`",
        )
    };
    let stat = rustix::fs::statvfs(folder).map_err(refused)?;
    if stat.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY) {
        return Err(Problem::refused(
            format!("{shown} is on a read-only file system"),
            "give a folder on another one: `--target FOLDER`",
        ));
    }
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let Room { bytes: room, memory } = in_memory::room(folder, free, host);
    if bytes.saturating_add(RESERVE) <= room {
        return Ok(());
    }
    let kind = memory.map(|memory| format!(" of memory ({memory})")).unwrap_or_default();
    Err(Problem::refused(
        format!(
            "the files of the stack may take {}, and {shown} has {}{kind} free, of which {} always stay free",
            binary(bytes),
            binary(room),
            binary(RESERVE)
        ),
        "give a smaller member-size, or another target",
    ))
}

/// Claims devices of the user's once more for a moment, and looks whether they are what was given up.
pub(super) fn check_again(devices: &[FixtureKey], host: &HostInfo) -> Result<(), Fault> {
    devices
        .iter()
        .filter(|key| key.ownership == Ownership::Surrendered)
        .try_for_each(|key| device::claim(Path::new(&key.target), key, host.look).map(drop))
}
