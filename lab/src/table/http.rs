//! Limits of downloads and uploads: a server that takes its time, a device that takes its own, and a
//! page cache that is full of what is not written yet, by downloads' way of writing and by a file's.

use std::time::Duration;

use crate::scenario::Access::Writes;
use crate::scenario::Area::{Disk, Network};
use crate::scenario::Count::{BusyShare, DeviceBytes, DeviceRequests, DeviceWait, IoStall, Rested, Serviced};
use crate::scenario::Limiter::{self, LoopOnDisk, Lowered, Memory, Server};
use crate::scenario::Per::Bytes;
use crate::scenario::Proof::{AtLeast, AtMost};
use crate::scenario::{Lowering, Scenario, Serving};

const SERVER: &[&str] = &["server-bound"];
const DEVICE: &[&str] = &["device-bound"];
const DIRTY: &[&str] = &["dirty-throttled"];

/// A server that sends 40 MB/s, which no loopback interface notices.
const SLOW: &[Limiter] = &[Server(Serving::Rate { bytes_per_s: 40_000_000, answer: 1 << 30 })];
/// One that answers 30 ms after it has a request.
const THINKS: &[Limiter] = &[Server(Serving::Thinks(Duration::from_millis(30)))];
/// One that takes 40 MB/s.
const TAKES: &[Limiter] = &[Server(Serving::Takes(40_000_000))];

/// Writes through the page cache of a device, faster than it takes them: it must not hold more back
/// than 32 MiB.
const BUFFERED: &[&str] = &[
    "disk",
    "--target",
    "DEVICE",
    "--destroy",
    "DEVICE",
    "--pattern",
    "write",
    "--block-size",
    "256k",
    "--direct",
    "no",
    "--set",
    "dirty-bytes=32MiB",
    "--duration",
    "3s",
    "--warm-up",
    "1s",
    "--trials",
    "3",
];

/// The same where only a control group's limit is small: the machine lets all of the device wait.
const BUFFERED_IN_GROUP: &[&str] = &[
    "disk",
    "--target",
    "DEVICE",
    "--destroy",
    "DEVICE",
    "--pattern",
    "write",
    "--block-size",
    "256k",
    "--direct",
    "no",
    "--duration",
    "3s",
    "--warm-up",
    "1s",
    "--trials",
    "3",
];

pub(super) const TABLE: &[Scenario] = &[
    Scenario::limit(
        "a download from a server that sends 40 MB/s",
        Network,
        SLOW,
        &["http.download", "--url", "URL"],
    )
    .right(SERVER)
    .proved(&[AtLeast(Rested, 0.5), AtMost(BusyShare, 0.8)]),
    Scenario::limit(
        "a download to a file from a server that sends 40 MB/s",
        Network,
        SLOW,
        &["http.download", "--url", "URL", "--target", "."],
    )
    .right(SERVER)
    .proved(&[AtLeast(Rested, 0.5), AtMost(BusyShare, 0.8)]),
    Scenario::limit(
        "four downloads from a server that sends 40 MB/s each",
        Network,
        SLOW,
        &["http.download", "--url", "URL", "--streams", "4"],
    )
    .right(SERVER)
    .proved(&[AtLeast(Rested, 2.0), AtMost(BusyShare, 0.9)]),
    Scenario::limit(
        "uploads to a server that answers after 30 ms",
        Network,
        THINKS,
        &["http.upload", "--url", "URL", "--size", "64k"],
    )
    .right(SERVER)
    .proved(&[AtLeast(Rested, 0.5), AtMost(BusyShare, 0.8)]),
    Scenario::limit(
        "uploads to a server that takes 40 MB/s",
        Network,
        TAKES,
        &["http.upload", "--url", "URL", "--size", "4m"],
    )
    .right(SERVER)
    .proved(&[AtLeast(Rested, 0.5), AtMost(BusyShare, 0.8)]),
    Scenario::limit(
        "requests to a server that answers after 30 ms",
        Network,
        THINKS,
        &["http.requests", "--url", "URL"],
    )
    .right(SERVER)
    .proved(&[AtLeast(Rested, 0.5), AtMost(BusyShare, 0.8)]),
    // Each small write waits for the device, and the server meanwhile.
    Scenario::limit(
        "a download that writes 4 KiB at a time around the page cache",
        Disk,
        &[],
        &["http.download", "--target", ".", "--direct", "yes", "--buffer", "4k"],
    )
    .right(DEVICE)
    .on("block:")
    .proved(&[AtLeast(DeviceRequests, 500.0), AtLeast(DeviceWait, 0.4), AtMost(BusyShare, 0.9)]),
    // Nobody tells of it: what is read before the load is far away.
    Scenario::limit(
        "a download around the page cache to a disk that takes 20 MB/s",
        Disk,
        &[Lowered(Writes, Bytes, Lowering { from: 10_000_000_000, to: 20_000_000, after: 100 })],
        &[
            "http.download",
            "--target",
            ".",
            "--direct",
            "yes",
            "--duration",
            "2s",
            "--warm-up",
            "1s",
            "--trials",
            "3",
        ],
    )
    .right(DEVICE)
    .on("block:")
    .proved(&[AtMost(Serviced(Writes, Bytes), 24e6), AtLeast(Serviced(Writes, Bytes), 16e6)]),
    Scenario::limit("a writer that may leave 32 MiB waiting", Disk, &[LoopOnDisk(128)], BUFFERED)
        .right(DIRTY)
        .on("block:")
        .proved(&[AtLeast(IoStall, 0.5), AtLeast(DeviceBytes, 10e6)]),
    Scenario::limit(
        "a download to a file that may leave 32 MiB waiting",
        Disk,
        &[],
        &[
            "http.download",
            "--target",
            ".",
            "--answer",
            "256m",
            "--set",
            "dirty-bytes=32MiB",
            "--duration",
            "3s",
            "--warm-up",
            "1s",
            "--trials",
            "3",
        ],
    )
    .right(DIRTY)
    .on("block:")
    .proved(&[AtLeast(IoStall, 0.5), AtLeast(DeviceBytes, 10e6)]),
    Scenario::limit(
        "a writer whose control group has 192 MiB of memory",
        Disk,
        &[LoopOnDisk(128), Memory(192)],
        BUFFERED_IN_GROUP,
    )
    .right(DIRTY)
    .on("block:")
    .proved(&[AtLeast(IoStall, 0.5), AtLeast(DeviceBytes, 10e6)]),
];
