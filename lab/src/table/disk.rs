//! Limits of disks: throttles of control groups, waiting for one operation after the
//! other or for syncs, depths that a device does not take, and processors before it.

use crate::scenario::Access::{Reads, Writes};
use crate::scenario::Area::Disk;
use crate::scenario::Count::{
    Busy, BusyOf, BusyShare, DeviceBytes, DeviceRequests, DeviceWait, Flushes, Serviced, Throttled,
};
use crate::scenario::Cpu::First;
use crate::scenario::End::Near;
use crate::scenario::Limiter::{Affinity, Loop, LoopOnDisk, Lowered, Quota, Reader, Throttle, Zram};
use crate::scenario::Per::{Bytes, Operations};
use crate::scenario::Proof::{AtLeast, AtMost, Flat};
use crate::scenario::{Lowering, Proof, Scenario};

const QUOTA: &[&str] = &["io-quota"];
const BUCKET: &[&str] = &["bucket-used-up"];
const CONSTANT: &[&str] = &["constant-limit"];
const LATENCY: &[&str] = &["latency-bound"];

/// Operations a second of which nothing tells: far away while headroom looks, and soon lowered.
pub(super) const fn untold(to: u64) -> Lowering {
    Lowering { from: 10_000_000, to, after: 100 }
}

/// What proves that there were some 2000 reads a second.
pub(super) const READS_2000: &[Proof] =
    &[AtLeast(Serviced(Reads, Operations), 1900.0), AtMost(Serviced(Reads, Operations), 2100.0)];

/// Reads of two sizes at two depths, which tell a limit of operations from one of bytes; with more words behind.
macro_rules! any_size {
    ($($word:literal),*) => {
        &[
            "disk",
            "--size",
            "64MiB",
            "--block-size",
            "4k,64k",
            "--queue-depth",
            "8,16",
            "--duration",
            "2s",
            "--warm-up",
            "500ms",
            "--trials",
            "4",
            $($word),*
        ]
    };
}
pub(super) use any_size;

pub(super) const TABLE: &[Scenario] = &[
    Scenario::limit(
        "throttle of 500 reads a second",
        Disk,
        &[Throttle(Reads, Operations, 500)],
        &["disk", "--size", "64MiB", "--queue-depth", "8"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 450.0), AtMost(Serviced(Reads, Operations), 550.0)]),
    Scenario::limit(
        "throttle of 3000 reads a second, 4 threads",
        Disk,
        &[Throttle(Reads, Operations, 3000)],
        &["disk", "--size", "64MiB", "--threads", "4", "--engine", "sync"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 2700.0), AtMost(Serviced(Reads, Operations), 3300.0)]),
    Scenario::limit(
        "throttle of 500 reads a second, one at a time",
        Disk,
        &[Throttle(Reads, Operations, 500)],
        &["disk", "--size", "64MiB"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 450.0), AtMost(Serviced(Reads, Operations), 550.0)]),
    Scenario::limit(
        "throttle of 20 MB/s of reads",
        Disk,
        &[Throttle(Reads, Bytes, 20_000_000)],
        &["disk", "--size", "64MiB", "--pattern", "read", "--block-size", "64k", "--queue-depth", "4"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Bytes), 18e6), AtMost(Serviced(Reads, Bytes), 22e6)]),
    Scenario::limit(
        "throttle of 500 writes a second",
        Disk,
        &[Throttle(Writes, Operations, 500)],
        &["disk", "--size", "16MiB", "--pattern", "randwrite", "--queue-depth", "8"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Writes, Operations), 450.0), AtMost(Serviced(Writes, Operations), 550.0)]),
    Scenario::limit(
        "throttle of 20 MB/s of writes",
        Disk,
        &[Throttle(Writes, Bytes, 20_000_000)],
        &["disk", "--size", "32MiB", "--pattern", "write", "--block-size", "64k", "--queue-depth", "4"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Writes, Bytes), 18e6), AtMost(Serviced(Writes, Bytes), 22e6)]),
    Scenario::limit(
        "throttle of 400 reads a second, reads and writes mixed",
        Disk,
        &[Throttle(Reads, Operations, 400)],
        &["disk", "--size", "64MiB", "--pattern", "randrw", "--queue-depth", "8"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 360.0), AtMost(Serviced(Reads, Operations), 440.0)]),
    Scenario::limit(
        "throttle of 1000 reads a second, depths 1 and 8",
        Disk,
        &[Throttle(Reads, Operations, 1000)],
        &["disk", "--size", "64MiB", "--queue-depth", "1,8", "--duration", "600ms", "--trials", "3"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 900.0), AtMost(Serviced(Reads, Operations), 1100.0)]),
    Scenario::limit(
        "throttle of 300 reads a second of a loop device",
        Disk,
        &[Loop(32), Throttle(Reads, Operations, 300)],
        &["disk", "--target", "DEVICE", "--queue-depth", "4"],
    )
    .right(QUOTA)
    .on("block:loop")
    .proved(&[AtLeast(Serviced(Reads, Operations), 270.0), AtMost(Serviced(Reads, Operations), 330.0)]),
    Scenario::limit(
        "throttle of 30 MB/s of reads of a loop device",
        Disk,
        &[Loop(32), Throttle(Reads, Bytes, 30_000_000)],
        &["disk", "--target", "DEVICE", "--pattern", "read", "--block-size", "64k", "--queue-depth", "4"],
    )
    .right(QUOTA)
    .on("block:loop")
    .proved(&[AtLeast(Serviced(Reads, Bytes), 27e6), AtMost(Serviced(Reads, Bytes), 33e6)]),
    Scenario::limit(
        "throttle of 400 writes a second of a loop device",
        Disk,
        &[Loop(32), Throttle(Writes, Operations, 400)],
        &["disk", "--target", "DEVICE", "--destroy", "DEVICE", "--pattern", "randwrite"],
    )
    .right(QUOTA)
    .on("block:loop")
    .proved(&[AtLeast(Serviced(Writes, Operations), 360.0), AtMost(Serviced(Writes, Operations), 440.0)]),
    Scenario::limit(
        "throttle of 10 MB/s of writes of a loop device",
        Disk,
        &[Loop(32), Throttle(Writes, Bytes, 10_000_000)],
        &["disk", "--target", "DEVICE", "--destroy", "DEVICE", "--pattern", "write", "--block-size", "64k"],
    )
    .right(QUOTA)
    .on("block:loop")
    .proved(&[AtLeast(Serviced(Writes, Bytes), 9e6), AtMost(Serviced(Writes, Bytes), 11e6)]),
    // A flush counts as a write, so that the load has half of them.
    Scenario::limit(
        "throttle of 400 writes a second, with a sync after each",
        Disk,
        &[Throttle(Writes, Operations, 400)],
        &["disk", "--size", "16MiB", "--pattern", "randwrite", "--sync", "fsync"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Writes, Operations), 360.0), AtMost(Serviced(Writes, Operations), 440.0)]),
    // What is laid first lies on the disk, below the loop device that is driven.
    Scenario::limit(
        "throttle of 300 reads a second below a loop device",
        Disk,
        &[Throttle(Reads, Operations, 300), LoopOnDisk(64)],
        &["disk", "--target", "DEVICE", "--queue-depth", "4"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Operations), 270.0), AtMost(Serviced(Reads, Operations), 330.0)]),
    Scenario::limit(
        "throttle of 20 MB/s of reads below a loop device",
        Disk,
        &[Throttle(Reads, Bytes, 20_000_000), LoopOnDisk(64)],
        &["disk", "--target", "DEVICE", "--queue-depth", "4", "--block-size", "64k"],
    )
    .right(QUOTA)
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Bytes), 18e6), AtMost(Serviced(Reads, Bytes), 22e6)]),
    Scenario::limit(
        "reads that fall from 5000 a second to 1000 after 12,500",
        Disk,
        &[Loop(32), Lowered(Reads, Operations, Lowering { from: 5000, to: 1000, after: 12_500 })],
        &[
            "disk",
            "--target",
            "DEVICE",
            "--queue-depth",
            "4",
            "--duration",
            "4s",
            "--warm-up",
            "1s",
            "--trials",
            "3",
        ],
    )
    .right(BUCKET)
    .on("block:loop")
    .proved(&[AtLeast(Serviced(Reads, Operations), 900.0)]),
    Scenario::limit(
        "reads of 128 KiB that fall from 200 MB/s to 50 after 4000",
        Disk,
        &[Loop(32), Lowered(Reads, Bytes, Lowering { from: 200_000_000, to: 50_000_000, after: 4000 })],
        &[
            "disk",
            "--target",
            "DEVICE",
            "--pattern",
            "randread",
            "--block-size",
            "128k",
            "--queue-depth",
            "4",
            "--duration",
            "4s",
            "--warm-up",
            "1s",
            "--trials",
            "3",
        ],
    )
    .right(BUCKET)
    .on("block:loop")
    .proved(&[AtLeast(Serviced(Reads, Bytes), 45e6)]),
    Scenario::limit(
        "2000 reads a second of any size, which nobody tells",
        Disk,
        &[Lowered(Reads, Operations, untold(2000))],
        any_size!(),
    )
    .right(CONSTANT)
    .on("block:")
    .proved(READS_2000),
    Scenario::limit(
        "1000 reads a second, which nobody tells",
        Disk,
        &[Lowered(Reads, Operations, untold(1000))],
        &[
            "disk",
            "--size",
            "64MiB",
            "--queue-depth",
            "1,4",
            "--duration",
            "3s",
            "--warm-up",
            "500ms",
            "--trials",
            "4",
        ],
    )
    .right(CONSTANT)
    .on("block:")
    .first()
    .proved(&[AtLeast(Serviced(Reads, Operations), 950.0), AtMost(Serviced(Reads, Operations), 1050.0)]),
    Scenario::limit(
        "reads through the page cache of a disk that gives 1000 a second",
        Disk,
        &[LoopOnDisk(128), Lowered(Reads, Operations, untold(1000))],
        &[
            "disk",
            "--target",
            "DEVICE",
            "--direct",
            "no",
            "--duration",
            "2s",
            "--warm-up",
            "500ms",
            "--trials",
            "2",
        ],
    )
    .right(&["device-bound", "constant-limit"])
    .on("block:loop")
    .proved(&[
        AtLeast(Serviced(Reads, Operations), 500.0),
        AtMost(Serviced(Reads, Operations), 1050.0),
        AtMost(BusyShare, 0.9),
    ]),
    Scenario::limit("random reads, one after the other", Disk, &[], &["disk", "--size", "64MiB"])
        .right(LATENCY)
        .on("block:")
        .proved(&[AtLeast(DeviceWait, 0.4), AtMost(DeviceWait, 1.3), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "random writes, one after the other",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--pattern", "randwrite"],
    )
    .right(LATENCY)
    .on("block:")
    .proved(&[AtLeast(DeviceWait, 0.4), AtMost(DeviceWait, 1.3), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "reads of 128 KiB, one after the other",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--pattern", "read", "--block-size", "128k"],
    )
    .right(LATENCY)
    .on("block:")
    .proved(&[AtLeast(DeviceWait, 0.4), AtMost(DeviceWait, 1.5), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "reads of a loop device, one after the other",
        Disk,
        &[Loop(32)],
        &["disk", "--target", "DEVICE"],
    )
    .right(LATENCY)
    .on("block:loop")
    .proved(&[AtLeast(DeviceWait, 0.2), AtMost(DeviceWait, 1.3), AtMost(BusyShare, 0.95)]),
    Scenario::limit(
        "one read in flight where four give more",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--queue-depth", "1,4", "--duration", "600ms", "--trials", "3"],
    )
    .right(LATENCY)
    .on("block:")
    .first()
    .proved(&[AtLeast(DeviceWait, 0.4), AtMost(DeviceWait, 1.3)]),
    Scenario::limit(
        "a sync after each write",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--pattern", "randwrite", "--sync", "fsync"],
    )
    .right(LATENCY)
    .on("block:")
    .proved(&[AtLeast(DeviceWait, 0.4), AtLeast(Flushes, 100.0), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "a sync after every eighth write",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--pattern", "randwrite", "--sync", "fsync", "--sync-every", "8"],
    )
    .right(LATENCY)
    .on("block:")
    .proved(&[AtLeast(DeviceWait, 0.4), AtLeast(Flushes, 50.0), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "writes that are durable when they return",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--pattern", "randwrite", "--sync", "dsync"],
    )
    .right(LATENCY)
    .on("block:")
    .proved(&[AtLeast(DeviceWait, 0.4), AtLeast(Flushes, 100.0), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "16 large reads in flight where four are enough",
        Disk,
        &[],
        &[
            "disk",
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
            "100ms",
            "--trials",
            "5",
        ],
    )
    .right(&["device-full"])
    .on("block:")
    .proved(&[Flat(DeviceBytes), AtLeast(DeviceWait, 3.0)]),
    Scenario::limit(
        "16 large writes in flight where four are enough",
        Disk,
        &[],
        &[
            "disk",
            "--size",
            "256MiB",
            "--pattern",
            "write",
            "--block-size",
            "1MiB",
            "--queue-depth",
            "4,16",
            "--duration",
            "600ms",
            "--warm-up",
            "100ms",
            "--trials",
            "5",
        ],
    )
    .right(&["device-full"])
    .on("block:")
    .proved(&[Flat(DeviceBytes), AtLeast(DeviceWait, 3.0)]),
    Scenario::limit(
        "a thread that drives memory as a disk",
        Disk,
        &[Zram(128)],
        &["disk", "--target", "DEVICE", "--engine", "sync"],
    )
    .right(&["one-core-full"])
    .proved(&[AtLeast(Busy, 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit(
        "threads on all CPUs that drive memory as a disk",
        Disk,
        &[Zram(128)],
        &["disk", "--target", "DEVICE", "--queue-depth", "32", "--threads", "all"],
    )
    .right(&["all-cores-full"])
    .proved(&[AtLeast(BusyShare, 0.95)]),
    // The kernel's workers do what the ring hands over, on whichever CPU.
    Scenario::limit(
        "a ring that drives memory as a disk, one at a time",
        Disk,
        &[Zram(128)],
        &["disk", "--target", "DEVICE", "--engine", "io_uring"],
    )
    .right(&["one-core-full", "all-cores-full"])
    .proved(&[AtLeast(Busy, 0.95)]),
    Scenario::limit(
        "a ring that drives memory as a disk, 32 at a time",
        Disk,
        &[Zram(128)],
        &["disk", "--target", "DEVICE", "--engine", "io_uring", "--queue-depth", "32"],
    )
    .right(&["one-core-full", "all-cores-full"])
    .proved(&[AtLeast(Busy, 0.95)]),
    Scenario::limit(
        "a ring on one CPU that drives memory as a disk",
        Disk,
        &[Zram(128), Affinity(Near, First)],
        &["disk", "--target", "DEVICE", "--engine", "io_uring", "--queue-depth", "8"],
    )
    .right(&["one-core-full", "own-cores-full"])
    .proved(&[AtLeast(BusyOf(First), 0.95)]),
    Scenario::limit(
        "a file in the page cache, mapped",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--engine", "mmap"],
    )
    .right(&["one-core-full"])
    .also(&["page-cache-included"])
    .proved(&[AtLeast(Busy, 0.95), AtMost(DeviceBytes, 50e6)]),
    Scenario::limit(
        "a file in the page cache, read by all CPUs",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--engine", "mmap", "--threads", "all"],
    )
    .right(&["all-cores-full", "memory-bandwidth-full"])
    .also(&["page-cache-included"])
    .proved(&[AtLeast(BusyShare, 0.95), AtMost(DeviceBytes, 50e6)]),
    Scenario::limit(
        "CPU quota of 10 % on a disk load",
        Disk,
        &[Quota(Near, 10)],
        &["disk", "--size", "64MiB", "--queue-depth", "32"],
    )
    .right(&["cpu-quota"])
    .proved(&[AtLeast(Throttled(Near), 4.0)]),
    Scenario::limit(
        "a neighbour that reads the same disk",
        Disk,
        &[Reader],
        &["disk", "--size", "64MiB", "--queue-depth", "4"],
    )
    .also(&["others-use-the-device"])
    .proved(&[AtLeast(DeviceBytes, 300e6)]),
    Scenario::limit(
        "an open loop that asks for more than the disk gives",
        Disk,
        &[],
        &["disk", "--size", "64MiB", "--queue-depth", "4", "--rate", "400k/s"],
    )
    .also(&["rate-not-kept"])
    .proved(&[AtLeast(DeviceRequests, 5e3), AtMost(DeviceRequests, 350e3)]),
];
