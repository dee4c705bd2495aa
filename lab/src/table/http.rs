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

/// One that sends 40 MB/s, which no loopback interface notices.
const SLOW: &[Limiter] = &[Server(Serving::Rate { bytes_per_s: 40_000_000, answer: 1 << 30 })];
/// One that answers 30 ms after it has a request.
const THINKS: &[Limiter] = &[Server(Serving::Thinks(Duration::from_millis(30)))];
/// One that answers one request after the other, each in 5 ms.
const ONE_BY_ONE: &[Limiter] = &[Server(Serving::OneByOne(Duration::from_millis(5)))];
/// One that takes 40 MB/s.
const TAKES: &[Limiter] = &[Server(Serving::Takes(40_000_000))];

/// A load of the server that was laid.
macro_rules! asked {
    ($workload:literal $(, $more:literal)*) => { &[$workload, "--url", "URL" $(, $more)*] };
}

/// One that is measured long enough for a page cache to fill up.
macro_rules! long {
    ($($word:literal),*) => { &[$($word,)* "--duration", "3s", "--warm-up", "1s", "--trials", "3"] };
}

/// Writes through the page cache of a device, faster than it takes them.
macro_rules! buffered {
    ($($more:literal),*) => {
        long!(
            "disk", "--target", "DEVICE", "--destroy", "DEVICE", "--pattern", "write", "--block-size", "256k",
            "--direct", "no" $(, $more)*
        )
    };
}

/// A server that takes its time.
const fn of_server(name: &'static str, lay: &'static [Limiter], load: &'static [&'static str]) -> Scenario {
    Scenario::limit(name, Network, lay, load)
        .right(&["server-bound"])
        .proved(&[AtLeast(Rested, 0.5), AtMost(BusyShare, 0.8)])
}

/// A device that is waited for around the page cache.
const fn of_device(name: &'static str, lay: &'static [Limiter], load: &'static [&'static str]) -> Scenario {
    Scenario::limit(name, Disk, lay, load).right(&["device-bound"]).on("block:")
}

/// A page cache that may hold no more of what is not written yet.
const fn of_page_cache(
    name: &'static str,
    lay: &'static [Limiter],
    load: &'static [&'static str],
) -> Scenario {
    Scenario::limit(name, Disk, lay, load)
        .right(&["dirty-throttled"])
        .on("block:")
        .proved(&[AtLeast(IoStall, 0.5), AtLeast(DeviceBytes, 10e6)])
}

pub(super) const TABLE: &[Scenario] = &[
    of_server("a download from a server that sends 40 MB/s", SLOW, asked!("http.download")),
    of_server(
        "a download to a file from a server that sends 40 MB/s",
        SLOW,
        asked!("http.download", "--target", "."),
    ),
    of_server(
        "four downloads from a server that sends 40 MB/s each",
        SLOW,
        asked!("http.download", "--streams", "4"),
    )
    .proved(&[AtLeast(Rested, 2.0), AtMost(BusyShare, 0.9)]),
    of_server("uploads to a server that answers after 30 ms", THINKS, asked!("http.upload", "--size", "64k")),
    of_server("uploads to a server that takes 40 MB/s", TAKES, asked!("http.upload", "--size", "4m")),
    of_server("requests to a server that answers after 30 ms", THINKS, asked!("http.requests")),
    // More connections make longer waits and nothing else.
    of_server(
        "eight connections to a server that answers one request after the other",
        ONE_BY_ONE,
        asked!("http.requests", "--connections", "8"),
    )
    .proved(&[AtLeast(Rested, 0.8), AtMost(Rested, 1.05), AtMost(BusyShare, 0.8)]),
    // Each small write waits for the device, and the server meanwhile.
    of_device(
        "a download that writes 4 KiB at a time around the page cache",
        &[],
        &["http.download", "--target", ".", "--direct", "yes", "--buffer", "4k"],
    )
    .proved(&[AtLeast(DeviceRequests, 500.0), AtLeast(DeviceWait, 0.4), AtMost(BusyShare, 0.9)]),
    // Nobody tells of it: what is read before the load is far away.
    of_device(
        "a download around the page cache to a disk that takes 20 MB/s",
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
    .proved(&[AtMost(Serviced(Writes, Bytes), 24e6), AtLeast(Serviced(Writes, Bytes), 16e6)]),
    of_page_cache(
        "a writer that may leave 32 MiB waiting",
        &[LoopOnDisk(128)],
        buffered!("--set", "dirty-bytes=32MiB"),
    ),
    of_page_cache(
        "a download to a file that may leave 32 MiB waiting",
        &[],
        long!("http.download", "--target", ".", "--answer", "256m", "--set", "dirty-bytes=32MiB"),
    ),
    // Only the group's limit is small: the machine lets all of the device wait.
    of_page_cache(
        "a writer whose control group has 192 MiB of memory",
        &[LoopOnDisk(128), Memory(192)],
        buffered!(),
    ),
];
