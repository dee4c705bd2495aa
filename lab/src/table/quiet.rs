//! Runs of which nothing is the matter: no verdict may name what somebody imposed, nor
//! others. The verdicts that are right are those that are plausible on any machine.

use crate::scenario::Scenario;

const ONE: &[&str] = &["one-core-full"];
const ALL: &[&str] = &["all-cores-full"];
const WAITS: &[&str] = &["scheduler-bound"];
const MEMORY: &[&str] = &["memory-latency"];
// A single depth tells nothing of a device, so that nobody can tell is right there, too.
const DEVICE: &[&str] = &["latency-bound", "device-full", "one-core-full", "cannot-tell"];
const PROCESSORS: &[&str] = &["sender-cpu", "receiver-cpu", "all-cores-full"];

pub(super) const TABLE: &[Scenario] = &[
    Scenario::quiet("primes on one CPU", &["cpu.primes"], ONE),
    Scenario::quiet("primes on all CPUs", &["cpu.primes", "--threads", "all"], ALL),
    Scenario::quiet("floating point", &["cpu.float"], ONE),
    Scenario::quiet("encryption", &["cpu.crypto"], ONE),
    Scenario::quiet("compression", &["cpu.compress"], ONE),
    Scenario::quiet("parity", &["cpu.parity"], ONE),
    Scenario::quiet("a slow open loop of primes", &["cpu.primes", "--rate", "500/s"], &[]),
    Scenario::quiet(
        "memory bandwidth of one CPU",
        &["memory.bandwidth"],
        &["one-core-full", "memory-bandwidth-full"],
    ),
    Scenario::quiet(
        "memory bandwidth of all CPUs",
        &["memory.bandwidth", "--threads", "all"],
        &["memory-bandwidth-full"],
    ),
    Scenario::quiet("memory latency", &["memory.latency"], MEMORY),
    Scenario::quiet("small blocks of memory", &["memory.blocks"], ONE),
    Scenario::quiet("a thread that wakes another", &["scheduler.handoff"], WAITS),
    Scenario::quiet("a thread that sleeps", &["scheduler.timer"], WAITS),
    Scenario::quiet("system calls", &["scheduler.syscall"], WAITS),
    Scenario::quiet("random reads, one at a time", &["disk", "--size", "64MiB"], &["latency-bound"]),
    Scenario::quiet(
        "random reads, 16 at a time",
        &["disk", "--size", "64MiB", "--queue-depth", "16"],
        DEVICE,
    ),
    Scenario::quiet(
        "sequential writes",
        &["disk", "--size", "64MiB", "--pattern", "write", "--block-size", "128k", "--queue-depth", "4"],
        DEVICE,
    ),
    Scenario::quiet(
        "writes with a sync each",
        &["disk", "--size", "64MiB", "--pattern", "randwrite", "--sync", "fsync"],
        &["latency-bound"],
    ),
    Scenario::quiet("files made and removed", &["file.metadata"], DEVICE),
    Scenario::quiet("a stream over loopback", &["net.stream"], PROCESSORS),
    Scenario::quiet("messages over loopback", &["net.pingpong"], &["round-trip-bound"]),
    Scenario::quiet("connections over loopback", &["net.connect"], &["round-trip-bound"]),
];
