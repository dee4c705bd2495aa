//! Limits that count otherwise than the load does: large operations in pieces, or few of them, what is synced through the page
//! cache, names of files that are synced, and a wait for memory that is one for a CPU.

use crate::scenario::Access::{Reads, Writes};
use crate::scenario::Area::{Compute, Disk};
use crate::scenario::Count::{BusyShare, DeviceWait, Flushes, Neighbours, Serviced};
use crate::scenario::Cpu::{First, Last};
use crate::scenario::Limiter::{Burner, Throttle};
use crate::scenario::Per::{Bytes, Operations};
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
        "throttle of 10 MB/s of reads, of 1 MiB each",
        Disk,
        &[Throttle(Reads, Bytes, 10_000_000)],
        &["disk", "--size", "64MiB", "--block-size", "1MiB", "--queue-depth", "4"],
    )
    .right(&["io-quota"])
    .on("block:")
    .proved(&[AtLeast(Serviced(Reads, Bytes), 8e6), AtMost(Serviced(Reads, Bytes), 12e6)]),
    Scenario::limit(
        "throttle of 400 writes a second, with a sync after each, through the page cache",
        Disk,
        &[Throttle(Writes, Operations, 400)],
        &["disk", "--size", "16MiB", "--pattern", "randwrite", "--sync", "fsync", "--direct", "no"],
    )
    .right(&["io-quota"])
    .on("block:")
    .proved(&[AtLeast(Serviced(Writes, Operations), 360.0), AtMost(Serviced(Writes, Operations), 440.0)]),
    Scenario::limit(
        "a chase through memory beside programs on all CPUs",
        Compute,
        &[Burner(First), Burner(Last)],
        &["memory.latency"],
    )
    .right(&["all-cores-full", "own-cores-full"])
    .proved(&[AtLeast(BusyShare, 0.95), AtLeast(Neighbours, 1.0)]),
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
