//! Runs of which nothing is the matter: no verdict may name what somebody imposed, nor
//! others. The verdicts that are right are those that are plausible on any machine. Each
//! case of a sweep is judged, so that one pass has more than fifty of them.

use crate::scenario::Access::Reads;
use crate::scenario::End::Near;
use crate::scenario::Limiter::{self, Shape, Swap, Throttle, Veth};
use crate::scenario::Per::Operations;
use crate::scenario::Scenario;

const ONE: &[&str] = &["one-core-full"];
const ALL: &[&str] = &["all-cores-full"];
/// One thread, and one on each CPU.
const ONE_OR_ALL: &[&str] = &["one-core-full", "all-cores-full"];
const WAITS: &[&str] = &["scheduler-bound"];
const MEMORY: &[&str] = &["memory-latency"];
/// What fits no cache may fill the memory with one thread already.
const BANDWIDTH: &[&str] = &["one-core-full", "all-cores-full", "memory-bandwidth-full"];
// Where a depth tells nothing by itself, headroom adds the one that does.
const DEVICE: &[&str] = &["latency-bound", "device-full", "one-core-full"];
const LATENCY: &[&str] = &["latency-bound"];
const CACHE: &[&str] = &["one-core-full", "all-cores-full", "memory-bandwidth-full"];
const PROCESSORS: &[&str] = &["sender-cpu", "receiver-cpu", "all-cores-full", "one-core-full"];
/// Our own server has the CPUs that the client has: it may be what is waited for.
const OWN_SERVER: &[&str] =
    &["sender-cpu", "receiver-cpu", "all-cores-full", "one-core-full", "server-bound"];
const ANSWER: &[&str] = &["round-trip-bound"];
/// Messages of which many are under way fill the CPUs of both ends.
const ANSWERS: &[&str] = &["round-trip-bound", "all-cores-full", "one-core-full"];

/// Two ends with a wire that holds nothing back.
const TWO_ENDS: &[Limiter] = &[Veth];

pub(super) const TABLE: &[Scenario] = &[
    Scenario::quiet("primes on one CPU and on all", &["cpu.primes", "--threads", "1,2"], ONE_OR_ALL),
    Scenario::quiet("primes on all CPUs", &["cpu.primes", "--threads", "all"], ALL),
    Scenario::quiet("primes below 2,000", &["cpu.primes", "--max-prime", "2000"], ONE),
    Scenario::quiet("floating point", &["cpu.float", "--threads", "1,2"], ONE_OR_ALL),
    Scenario::quiet(
        "floating point, single and scalar",
        &["cpu.float", "--type", "single", "--vectors", "scalar"],
        ONE,
    ),
    Scenario::quiet("encryption", &["cpu.crypto"], ONE),
    Scenario::quiet("encryption without instructions for it", &["cpu.crypto", "--hardware", "no"], ONE),
    Scenario::quiet("compression", &["cpu.compress", "--codec", "zstd,lz4"], ONE),
    Scenario::quiet("decompression", &["cpu.compress", "--operation", "decompress"], ONE),
    Scenario::quiet("parity", &["cpu.parity", "--raid", "raid5,raid6"], ONE),
    Scenario::quiet("primes beside a load of its own", &["cpu.primes", "--with", "cpu.float"], ONE_OR_ALL),
    Scenario::quiet("a slow open loop of primes", &["cpu.primes", "--rate", "500/s"], &[]),
    Scenario::quiet(
        "memory read by one CPU and by all",
        &["memory.bandwidth", "--threads", "1,2"],
        BANDWIDTH,
    ),
    Scenario::quiet(
        "memory written and copied",
        &["memory.bandwidth", "--operation", "write,copy"],
        BANDWIDTH,
    ),
    Scenario::quiet("a cache read", &["memory.bandwidth", "--size", "16k"], BANDWIDTH),
    Scenario::quiet("latency of memory and of a cache", &["memory.latency", "--size", "dram,16k"], MEMORY),
    Scenario::quiet("small blocks of memory", &["memory.blocks", "--operation", "read,write"], ONE),
    Scenario::quiet("small blocks of memory on all CPUs", &["memory.blocks", "--threads", "all"], ALL),
    Scenario::quiet("a thread that wakes another", &["scheduler.handoff", "--by", "futex,pipe"], WAITS),
    Scenario::quiet("a thread that wakes another on its CPU", &["scheduler.handoff", "--to", "same"], WAITS),
    Scenario::quiet("a thread that sleeps", &["scheduler.timer"], WAITS),
    Scenario::quiet("system calls", &["scheduler.syscall"], WAITS),
    Scenario::quiet("random reads, one at a time", &["disk", "--size", "64MiB"], LATENCY),
    Scenario::quiet(
        "random writes, one at a time",
        &["disk", "--size", "64MiB", "--pattern", "randwrite"],
        LATENCY,
    ),
    Scenario::quiet(
        "reads in order, one at a time",
        &["disk", "--size", "64MiB", "--pattern", "read"],
        LATENCY,
    ),
    Scenario::quiet(
        "random reads, 4 and 16 at a time",
        &["disk", "--size", "64MiB", "--queue-depth", "4,16"],
        DEVICE,
    ),
    Scenario::quiet(
        "random reads by two threads",
        &["disk", "--size", "64MiB", "--threads", "2", "--engine", "sync"],
        DEVICE,
    ),
    Scenario::quiet(
        "reads and writes mixed",
        &["disk", "--size", "64MiB", "--pattern", "randrw", "--queue-depth", "8"],
        DEVICE,
    ),
    Scenario::quiet(
        "sequential writes",
        &["disk", "--size", "64MiB", "--pattern", "write", "--block-size", "128k", "--queue-depth", "4"],
        DEVICE,
    ),
    Scenario::quiet(
        "sequential reads of 1 MiB",
        &["disk", "--size", "256MiB", "--pattern", "read", "--block-size", "1MiB", "--queue-depth", "2"],
        DEVICE,
    ),
    Scenario::quiet(
        "writes with a sync each",
        &["disk", "--size", "64MiB", "--pattern", "randwrite", "--sync", "fsync"],
        LATENCY,
    ),
    Scenario::quiet("a slow open loop of reads", &["disk", "--size", "64MiB", "--rate", "500/s"], &[]),
    Scenario::quiet(
        "a mapped file in the page cache",
        &["disk", "--size", "64MiB", "--engine", "mmap"],
        CACHE,
    ),
    Scenario::quiet(
        "files made and removed",
        &["file.metadata"],
        &["latency-bound", "device-full", "one-core-full"],
    ),
    Scenario::quiet(
        "a file written to the page cache, which has room",
        &["disk", "--size", "64MiB", "--pattern", "write", "--block-size", "256k", "--direct", "no"],
        CACHE,
    ),
    Scenario::quiet("a download from our own server", &["http.download", "--streams", "1,2"], OWN_SERVER),
    Scenario::quiet("uploads to our own server", &["http.upload", "--streams", "1,2"], OWN_SERVER),
    Scenario::quiet("a stream over loopback", &["net.stream", "--streams", "1,2"], PROCESSORS),
    Scenario::quiet(
        "a stream over loopback, received",
        &["net.stream", "--direction", "receive"],
        PROCESSORS,
    ),
    Scenario::quiet(
        "a slow stream of datagrams over loopback",
        &["net.stream", "--protocol", "udp", "--bit-rate", "50m"],
        &[],
    ),
    Scenario::quiet("messages over loopback", &["net.pingpong", "--message-size", "1,16k"], ANSWER),
    Scenario::quiet(
        "messages over loopback, 16 at a time",
        &["net.pingpong", "--outstanding", "16"],
        ANSWERS,
    ),
    Scenario::quiet("connections over loopback", &["net.connect"], ANSWER),
    Scenario::quiet("a stream between two namespaces", &["net.stream", "--streams", "1,2"], PROCESSORS)
        .over(TWO_ENDS),
    Scenario::quiet(
        "a stream between two namespaces, received",
        &["net.stream", "--direction", "receive"],
        PROCESSORS,
    )
    .over(TWO_ENDS),
    Scenario::quiet(
        "a slow stream of datagrams between two namespaces",
        &["net.stream", "--protocol", "udp", "--bit-rate", "50m"],
        &[],
    )
    .over(TWO_ENDS),
    Scenario::quiet("messages between two namespaces", &["net.pingpong", "--message-size", "1,16k"], ANSWER)
        .over(TWO_ENDS),
    Scenario::quiet(
        "datagrams to and fro between two namespaces",
        &["net.pingpong", "--protocol", "udp"],
        ANSWER,
    )
    .over(TWO_ENDS),
    Scenario::quiet("connections between two namespaces", &["net.connect"], ANSWER).over(TWO_ENDS),
    Scenario::quiet(
        "random reads of four sizes at two depths",
        &["disk", "--size", "64MiB", "--block-size", "4k,16k,64k,256k", "--queue-depth", "16,32"],
        DEVICE,
    ),
    Scenario::quiet(
        "random writes of three sizes",
        &[
            "disk",
            "--size",
            "64MiB",
            "--pattern",
            "randwrite",
            "--block-size",
            "4k,16k,64k",
            "--queue-depth",
            "16,32",
        ],
        DEVICE,
    ),
    Scenario::quiet(
        "large reads at four depths",
        &["disk", "--size", "256MiB", "--pattern", "read", "--block-size", "1MiB", "--queue-depth", "1..8"],
        DEVICE,
    ),
    Scenario::quiet(
        "reads and writes of one size",
        &["disk", "--size", "64MiB", "--pattern", "randread,randwrite", "--queue-depth", "32,64"],
        DEVICE,
    ),
    Scenario::quiet(
        "random reads under a throttle that is far away",
        &["disk", "--size", "64MiB", "--queue-depth", "4,16"],
        DEVICE,
    )
    .over(&[Throttle(Reads, Operations, 10_000_000)]),
    Scenario::quiet(
        "a stream through a queue without a rate",
        &["net.stream", "--streams", "1,2"],
        PROCESSORS,
    )
    .over(&[Veth, Shape(Near, &["pfifo", "limit", "10000"])]),
    Scenario::quiet(
        "memory that has room in its group, beside a swap file",
        &["memory.bandwidth", "--size", "64MiB", "--set", "cgroup-memory=1GiB"],
        BANDWIDTH,
    )
    .over(&[Swap(16)]),
    Scenario::quiet("one stream and four over loopback", &["net.stream", "--streams", "1,4"], PROCESSORS),
];
