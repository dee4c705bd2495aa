//! Block devices as somebody who wants to write to one must know them: who
//! uses them, and what they hold. Nothing is written, nothing is changed, and
//! whether anybody may write is not decided here.

mod family;
mod identity;
mod loop_device;
mod memory;
mod mounted;
mod node;
mod other_users;
mod signature;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use model::identity::DeviceIdentity;
use model::plan::DeviceState;

use crate::Host;
use family::Family;
use mounted::Mounts;
use node::Node;

pub use memory::memory_beneath;

/// BLKGETSIZE64, BLKROGET (`include/uapi/linux/fs.h`).
const SIZE: rustix::ioctl::Opcode = rustix::ioctl::opcode::read::<usize>(0x12, 114);
const READ_ONLY: rustix::ioctl::Opcode = rustix::ioctl::opcode::none(0x12, 94);

/// What is known of the block device at `path`. Nothing is written.
///
/// Whatever cannot be told is said in `unknown`. A device that this process
/// itself has open for writing counts as claimed by itself, not by others: so
/// it can be looked at once more after it was claimed with `O_EXCL`.
///
/// # Errors
/// If there is no block device at `path`, or it cannot be opened.
pub fn device_state(path: &Path) -> io::Result<DeviceState> {
    let path = path.canonicalize()?;
    if !std::fs::metadata(&path)?.file_type().is_block_device() {
        let text = format!("{} is no block device", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    // It stays open to the end: so long neither a loop device nor a number in sysfs
    // comes to mean another device.
    let file = open(&path, 0)?;
    let identity = device_identity(&file)?;
    let number = node::number(identity.number);
    let mut state = DeviceState { path: path.to_string_lossy().into_owned(), identity, ..sizes(&file)? };
    let host = Host::this();
    let Some(node) = Node::numbered(&host, &number) else {
        let path = &state.path;
        state.unknown = Some(format!("sysfs does not show {path}, so nobody can say who uses it"));
        return Ok(state);
    };
    add_queue(&host, &node, &mut state);
    match uses(&host, &node) {
        Ok(family) => {
            state.in_use.clone_from(&family.uses);
            state.in_use.extend(lasting(|| Ok(other_users::writers(&family.members)))?);
            if state.in_use.is_empty() {
                state.in_use = lasting(|| claims(&path, &family.roots))?;
            }
        }
        Err(reason) => state.unknown = Some(reason),
    }
    add_signatures(&host, &node, &mut state);
    Ok(state)
}

/// Which block device `file` is open on: asked of the open file, so it stays true
/// whatever its name comes to mean.
///
/// # Errors
/// If it is no block device, or does not say how large it is.
pub fn device_identity(file: &File) -> io::Result<DeviceIdentity> {
    identity::of(&Host::this(), file)
}

/// What the device says of itself.
fn sizes(file: &File) -> io::Result<DeviceState> {
    // SAFETY: BLKGETSIZE64 writes a u64 and BLKROGET an int, whatever they are.
    let (bytes, read_only) = unsafe {
        use rustix::ioctl::{Getter, ioctl};
        (ioctl(file, Getter::<SIZE, u64>::new())?, ioctl(file, Getter::<READ_ONLY, i32>::new())?)
    };
    let logical_block = u64::from(rustix::fs::ioctl_blksszget(file)?);
    Ok(DeviceState { bytes, logical_block, read_only: read_only != 0, ..DeviceState::default() })
}

/// What the queue of the whole device says (`Documentation/ABI/stable/sysfs-block`).
fn add_queue(host: &Host, node: &Node, state: &mut DeviceState) {
    let whole = node.whole(host);
    let queue = whole.as_ref().unwrap_or(node).file("queue");
    state.rotational = host.number(format!("{queue}/rotational")).map(|n| n != 0);
    state.discard_max = host.number(format!("{queue}/discard_max_bytes")).unwrap_or(0);
}

/// Everybody that files of the kernel tell of who uses `node` or what shares
/// content with it.
///
/// # Errors
/// Why it cannot be told.
fn uses(host: &Host, node: &Node) -> Result<Family, String> {
    let mut family = Family::of(host, node);
    let mounts =
        Mounts::of(host).ok_or("/proc/self/mountinfo cannot be read, so nobody can say what is mounted")?;
    let members = &family.members;
    let more = [
        mounts.uses(host, members),
        other_users::swap(host, members),
        other_users::arrays(host, members),
        other_users::exports(host, members),
    ];
    more.into_iter().flatten().for_each(|sentence| family.say(sentence));
    Ok(family)
}

/// Of what `look` finds, what it still finds half a second later: programs that
/// look for a free loop device, ask a drive for its temperature or write a table
/// of partitions have devices open for a moment.
fn lasting(look: impl Fn() -> io::Result<Vec<String>>) -> io::Result<Vec<String>> {
    const LOOKS: u32 = 5;
    const PAUSE: Duration = Duration::from_millis(100);
    let mut found = look()?;
    for _ in 0..LOOKS {
        if found.is_empty() {
            break;
        }
        std::thread::sleep(PAUSE);
        let again = look()?;
        found.retain(|sentence| again.contains(sentence));
    }
    Ok(found)
}

/// Whether somebody else has claimed the device at `path`, a partition of it or
/// what it is a partition of, for the kernel gives one claim to all of them
/// (`bd_may_claim` in `block/bdev.c`); or other names of it, which come after it
/// in `roots`. It finds what no list tells.
fn claims(path: &Path, roots: &[Node]) -> io::Result<Vec<String>> {
    let mut claimed = Vec::new();
    for (index, node) in roots.iter().enumerate() {
        let is_first = index == 0;
        let place = if is_first { path.to_owned() } else { node.path().into() };
        match open(&place, libc::O_EXCL).map_err(|e| (e.kind(), e)) {
            Ok(_) => {}
            Err((io::ErrorKind::ResourceBusy, _)) => claimed.push(node),
            // Another name that is not in /dev cannot be asked.
            Err((io::ErrorKind::NotFound, _)) if !is_first => {}
            Err((_, e)) => return Err(e),
        }
    }
    // We ourselves open devices for writing with a claim only.
    let own = other_users::open_for_writing("self");
    claimed.retain(|node| !own.contains(&node.number));
    Ok(claimed.iter().map(|node| format!("the kernel says that {} is in use", node.shown())).collect())
}

fn open(path: &Path, more: i32) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | more).open(path)
}

/// Puts to `state` what the device and its partitions hold.
fn add_signatures(host: &Host, node: &Node, state: &mut DeviceState) {
    if host.number(node.file("dm/suspended")) == Some(1) {
        // Whoever reads waits until it is resumed.
        state.unknown.get_or_insert(format!("{} is suspended", node.shown()));
        return;
    }
    let parts = node.partitions(host).iter().map(Node::path).collect::<Vec<_>>();
    for path in std::iter::once(&state.path).chain(&parts) {
        let place = if *path == state.path { String::new() } else { format!(" on {path}") };
        match signature::of(path) {
            Ok(names) => state.signatures.extend(names.iter().map(|name| format!("{name}{place}"))),
            Err(reason) => {
                state.unknown.get_or_insert(reason);
            }
        }
    }
}

#[cfg(test)]
mod tests;
