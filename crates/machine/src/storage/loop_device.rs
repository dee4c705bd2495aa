//! What loop devices stand on: a file, or another block device. They do not
//! claim it, so the kernel lets it be used beside them.

use std::os::fd::AsFd;

use rustix::fs::{CWD, Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::node::{self, Node};
use crate::Host;

/// LOOP_GET_STATUS64 of `include/uapi/linux/loop.h`.
const GET_STATUS: rustix::ioctl::Opcode = 0x4c05;
/// `struct loop_info64` of the same file, 232 bytes: it begins with the numbers
/// `lo_device`, `lo_inode` and `lo_rdevice`.
type Info = [u64; 29];

/// What the kernel tells of a loop device's backing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Status {
    /// The number of the device that the file lies on.
    device: String,
    /// The file's own.
    inode: u64,
    /// The number of the block device that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    itself: Option<String>,
}

/// One loop device in use.
#[derive(Debug)]
struct Looped {
    name: String,
    /// The path of what it stands on, as the kernel gives it.
    backing: String,
    status: Option<Status>,
}

/// What a loop device stands on.
#[derive(Debug)]
pub(super) enum Backing {
    /// The block device with this number.
    Device(String),
    /// A file.
    File {
        /// The number of the device that it lies on.
        number: Option<String>,
        /// Its path, as the kernel gives it: as its opener saw it.
        path: String,
    },
}

/// The loop devices in use.
#[derive(Debug)]
pub(super) struct Loops(Vec<Looped>);

impl Loops {
    pub(super) fn of(host: &Host) -> Self {
        let used = host.names("/sys/block").into_iter().filter_map(|name| {
            let backing = host.text(format!("/sys/block/{name}/loop/backing_file"))?;
            let backing = backing.trim_end().to_owned();
            let status = host.probe(&format!("loop/{name}"), || ask(&name)).ok();
            Some(Looped { name, backing, status })
        });
        Self(used.collect())
    }

    /// The loop devices that stand on `node` itself, or on a file (its path) of
    /// the file system on it.
    pub(super) fn above(&self, host: &Host, node: &Node) -> Vec<(Node, Option<&str>)> {
        let on = self.0.iter().filter_map(|looped| {
            let on_it = |yes: bool, file| yes.then_some((looped, file));
            match &looped.status {
                Some(Status { itself: Some(itself), .. }) => on_it(*itself == node.number, None),
                Some(status) => on_it(status.device == node.number, Some(looped.backing.as_str())),
                None => on_it(node.is_called(host, &looped.backing), None),
            }
        });
        on.filter_map(|(looped, file)| Some((Node::named(host, &looped.name)?, file))).collect()
    }

    /// What `node`, a loop device, stands on.
    pub(super) fn backing(&self, node: &Node) -> Option<Backing> {
        let looped = self.0.iter().find(|looped| looped.name == node.name)?;
        let path = || looped.backing.clone();
        Some(match &looped.status {
            Some(Status { itself: Some(itself), .. }) => Backing::Device(itself.clone()),
            Some(status) => Backing::File { number: Some(status.device.clone()), path: path() },
            None => Backing::File { number: None, path: path() },
        })
    }

    /// The block device that `node`, a loop device, stands on.
    pub(super) fn below(&self, host: &Host, node: &Node) -> Option<Node> {
        let looped = self.0.iter().find(|looped| looped.name == node.name)?;
        match &looped.status {
            Some(status) => Node::numbered(host, status.itself.as_ref()?),
            None => Node::all_whole(host)
                .into_iter()
                .flat_map(|whole| [vec![whole.clone()], whole.partitions(host)].concat())
                .find(|other| other.is_called(host, &looped.backing)),
        }
    }

    /// Other loop devices on the file that `node`, a loop device, stands on.
    pub(super) fn on_same_file(&self, host: &Host, node: &Node) -> Vec<Node> {
        let Some(own) = self.0.iter().find(|looped| looped.name == node.name) else { return Vec::new() };
        let same = |other: &&Looped| {
            other.name != own.name
                && match (&own.status, &other.status) {
                    (Some(a), Some(b)) => a.itself.is_none() && a == b,
                    _ => own.backing == other.backing,
                }
        };
        self.0.iter().filter(same).filter_map(|other| Node::named(host, &other.name)).collect()
    }
}

/// Asks this machine.
fn ask(name: &str) -> Result<Status, String> {
    let fd = rustix::fs::openat(
        CWD,
        format!("/dev/{name}"),
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(|e| e.to_string())?;
    let [device, inode, itself, ..] = status(fd).map_err(|e| e.to_string())?;
    Ok(Status {
        device: node::number(device),
        inode,
        itself: Some(itself).filter(|n| *n != 0).map(node::number),
    })
}

/// The device and the inode of the file that an open loop device, or the whole
/// of an open partition of one, stands on; none where it stands on nothing.
pub(super) fn backing(device: impl AsFd) -> Option<(u64, u64)> {
    let [device, inode, ..] = status(device).ok()?;
    Some((device, inode))
}

fn status(device: impl AsFd) -> rustix::io::Result<Info> {
    // SAFETY: LOOP_GET_STATUS64 writes one `struct loop_info64`, which is as
    // large and as aligned as `Info`, and any bits are an `Info`.
    unsafe { rustix::ioctl::ioctl(device, rustix::ioctl::Getter::<GET_STATUS, Info>::new()) }
}
