//! Limits of disks that count otherwise than the load does: large operations in pieces, and names of files that are synced.

use crate::scenario::Access::Reads;
use crate::scenario::Area::Disk;
use crate::scenario::Count::{BusyShare, DeviceWait, Flushes, Serviced};
use crate::scenario::Limiter::Throttle;
use crate::scenario::Per::Operations;
use crate::scenario::Proof::{AtLeast, AtMost};
use crate::scenario::Scenario;

pub(super) const TABLE: &[Scenario] = &[
    Scenario::limit(
        "throttle of 300 reads a second, of 1 MiB each",
        Disk,
        &[Throttle(Reads, Operations, 300)],
        &["disk", "--size", "256MiB", "--block-size", "1MiB", "--queue-depth", "4"],
    )
    .right(&["io-quota"])
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 270.0), AtMost(Serviced(Reads, Operations), 330.0)]),
    Scenario::limit(
        "files that eight threads make and sync",
        Disk,
        &[],
        &["file.metadata", "--files", "2000", "--threads", "8", "--directory-fsync", "yes"],
    )
    .right(&["device-bound", "latency-bound"])
    .on("block:")
    .proved(&[AtLeast(DeviceWait, 0.2), AtLeast(Flushes, 50.0), AtMost(BusyShare, 0.9)]),
];
