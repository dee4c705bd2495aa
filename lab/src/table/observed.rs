//! Limits of disks that only a trace of the kernel's events tells apart: a queue in the host, a device that
//! is full, and what is held above the block layer. A device that gives requests back is made in the guest
//! (`crates/cli/tests/guest/observed.rs`): the kernel here has none that does.

use super::disk::{READS_2000, any_size, untold};
use crate::scenario::Access::Reads;
use crate::scenario::Area::Disk;
use crate::scenario::Count::{BusyShare, DeviceBytes, DeviceRequests, DeviceWait};
use crate::scenario::Limiter::{LoopOnDisk, Lowered};
use crate::scenario::Per::Operations;
use crate::scenario::Proof::{AtLeast, AtMost, Flat};
use crate::scenario::Scenario;

/// A disk load that is traced.
macro_rules! traced {
    ($($word:literal),*) => { &["disk", $($word,)* "--observe", "block-trace", "--trials", "4"] };
}

pub(super) const TABLE: &[Scenario] = &[
    // The loop device takes 128, and the disk below gives more with more than four.
    Scenario::limit(
        "64 reads in flight of which the kernel passes on four",
        Disk,
        &[LoopOnDisk(64)],
        traced!(
            "--target",
            "DEVICE",
            "--queue-depth",
            "16,64",
            "--set",
            "queue-requests=4",
            "--duration",
            "600ms",
            "--warm-up",
            "200ms"
        ),
    )
    .right(&["host-queue"])
    .on("block:loop")
    .proved(&[
        AtLeast(DeviceWait, 2.0),
        AtMost(DeviceWait, 4.5),
        Flat(DeviceRequests),
        AtMost(BusyShare, 0.95),
    ]),
    // By itself, without another depth beside it.
    Scenario::limit(
        "64 writes in flight of which the kernel passes on four, one depth",
        Disk,
        &[LoopOnDisk(64)],
        traced!(
            "--target",
            "DEVICE",
            "--destroy",
            "DEVICE",
            "--pattern",
            "randwrite",
            "--queue-depth",
            "64",
            "--set",
            "queue-requests=4",
            "--duration",
            "600ms",
            "--warm-up",
            "200ms"
        ),
    )
    .right(&["host-queue"])
    .on("block:loop")
    .proved(&[AtLeast(DeviceWait, 2.0), AtMost(DeviceWait, 4.5), AtMost(BusyShare, 0.95)]),
    Scenario::limit(
        "16 large reads in flight where four are enough, traced",
        Disk,
        &[],
        traced!(
            "--size",
            "256MiB",
            "--pattern",
            "read",
            "--block-size",
            "1MiB",
            "--queue-depth",
            "4,16",
            "--duration",
            "600ms",
            "--warm-up",
            "100ms"
        ),
    )
    .right(&["device-full"])
    .on("block:")
    .proved(&[Flat(DeviceBytes), AtLeast(DeviceWait, 3.0)]),
    // The group's throttle holds them before the block layer has them: no device is full.
    Scenario::limit(
        "2000 reads a second of any size, which nobody tells, traced",
        Disk,
        &[Lowered(Reads, Operations, untold(2000))],
        any_size!("--observe", "block-trace"),
    )
    .right(&["constant-limit"])
    .on("block:")
    .proved(READS_2000),
    Scenario::quiet(
        "random reads, 4 and 16 at a time, traced",
        traced!("--size", "64MiB", "--queue-depth", "4,16", "--duration", "800ms", "--warm-up", "200ms"),
        &["latency-bound", "device-full", "one-core-full"],
    ),
];
