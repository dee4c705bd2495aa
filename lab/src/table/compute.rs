//! Limits of processors and memory: quotas, neighbours, affinity, all CPUs or one, what
//! memory gives, and threads that wait for one another.

use crate::scenario::Area::Compute;
use crate::scenario::Count::{Busy, BusyOf, BusyShare, Forks, Neighbours, SwappedIn, Switches, Throttled};
use crate::scenario::Cpu::{First, Last};
use crate::scenario::End::Near;
use crate::scenario::Limiter::{Affinity, Burner, Copier, ForkStorm, Quota, Swap};
use crate::scenario::Proof::{AtLeast, AtMost};
use crate::scenario::Scenario;

const QUOTA: &[&str] = &["cpu-quota"];
const ONE: &[&str] = &["one-core-full"];
const ALL: &[&str] = &["all-cores-full"];
const OWN: &[&str] = &["own-cores-full"];
const WAITS: &[&str] = &["scheduler-bound"];
const OTHERS: &[&str] = &["disturbed-by-others"];

const PRIMES: &[&str] = &["cpu.primes"];
const PRIMES_ALL: &[&str] = &["cpu.primes", "--threads", "all"];
const PRIMES_TWO: &[&str] = &["cpu.primes", "--threads", "2"];

pub(super) const TABLE: &[Scenario] = &[
    Scenario::limit("CPU quota of 20 %", Compute, &[Quota(Near, 20)], PRIMES)
        .right(QUOTA)
        .on("cgroup:")
        .proved(&[AtLeast(Throttled(Near), 4.0), AtMost(Busy, 0.5)]),
    Scenario::limit("CPU quota of 50 %", Compute, &[Quota(Near, 50)], PRIMES)
        .right(QUOTA)
        .on("cgroup:")
        .proved(&[AtLeast(Throttled(Near), 4.0), AtMost(Busy, 0.8)]),
    Scenario::limit("CPU quota of 90 %", Compute, &[Quota(Near, 90)], PRIMES)
        .right(QUOTA)
        .on("cgroup:")
        .proved(&[AtLeast(Throttled(Near), 4.0)]),
    Scenario::limit("CPU quota of 150 % on all CPUs", Compute, &[Quota(Near, 150)], PRIMES_TWO)
        .right(QUOTA)
        .on("cgroup:")
        .proved(&[AtLeast(Throttled(Near), 4.0)]),
    Scenario::limit("CPU quota of 150 % that does not bind", Compute, &[Quota(Near, 150)], PRIMES)
        .right(ONE)
        .proved(&[AtMost(Throttled(Near), 0.5), AtLeast(Busy, 0.95)]),
    Scenario::limit("CPU quota of 50 % on memory", Compute, &[Quota(Near, 50)], &["memory.bandwidth"])
        .right(QUOTA)
        .on("cgroup:")
        .proved(&[AtLeast(Throttled(Near), 4.0)]),
    Scenario::limit("CPU quota of 20 % on handoffs", Compute, &[Quota(Near, 20)], &["scheduler.handoff"])
        .right(QUOTA)
        .on("cgroup:")
        .proved(&[AtLeast(Throttled(Near), 4.0)]),
    Scenario::limit("a burner on the load's CPU", Compute, &[Affinity(Near, First), Burner(First)], PRIMES)
        .right(OWN)
        .also(OTHERS)
        .proved(&[AtLeast(BusyOf(First), 0.95), AtLeast(Neighbours, 0.35), AtMost(Neighbours, 0.65)]),
    Scenario::limit(
        "two burners on the load's CPU",
        Compute,
        &[Affinity(Near, First), Burner(First), Burner(First)],
        PRIMES,
    )
    .right(OWN)
    .also(OTHERS)
    .proved(&[AtLeast(BusyOf(First), 0.95), AtLeast(Neighbours, 0.5)]),
    Scenario::limit(
        "three burners on the CPU of a disk load",
        Compute,
        &[Affinity(Near, First), Burner(First), Burner(First), Burner(First)],
        &["disk", "--size", "64MiB", "--queue-depth", "8"],
    )
    .right(OWN)
    .also(OTHERS)
    .proved(&[AtLeast(BusyOf(First), 0.95), AtLeast(Neighbours, 0.6)]),
    Scenario::limit("burners on both CPUs, one thread", Compute, &[Burner(First), Burner(Last)], PRIMES)
        .right(&["own-cores-full", "all-cores-full"])
        .also(OTHERS)
        .proved(&[AtLeast(BusyShare, 0.95), AtLeast(Neighbours, 1.2)]),
    Scenario::limit("burners on both CPUs, all threads", Compute, &[Burner(First), Burner(Last)], PRIMES_ALL)
        .right(ALL)
        .also(OTHERS)
        .proved(&[AtLeast(BusyShare, 0.95), AtLeast(Neighbours, 0.7)]),
    Scenario::limit("a burner on one CPU, all threads", Compute, &[Burner(Last)], PRIMES_ALL)
        .right(ALL)
        .also(OTHERS)
        .proved(&[AtLeast(BusyShare, 0.95), AtLeast(Neighbours, 0.3)]),
    Scenario::limit("a burner on the other CPU", Compute, &[Affinity(Near, First), Burner(Last)], PRIMES)
        .right(&["one-core-full", "own-cores-full"])
        .also(OTHERS)
        .proved(&[AtLeast(BusyOf(Last), 0.95), AtLeast(BusyOf(First), 0.95), AtLeast(Neighbours, 0.85)]),
    Scenario::limit("a fork storm beside all threads", Compute, &[ForkStorm], PRIMES_ALL)
        .right(ALL)
        .also(OTHERS)
        .proved(&[AtLeast(BusyShare, 0.95), AtLeast(Forks, 50.0)]),
    Scenario::limit("a fork storm beside one thread", Compute, &[ForkStorm], PRIMES)
        .right(&["one-core-full", "all-cores-full"])
        .also(OTHERS)
        .proved(&[AtLeast(Busy, 1.2), AtLeast(Forks, 50.0)]),
    Scenario::limit("one CPU allowed, one thread", Compute, &[Affinity(Near, First)], PRIMES)
        .right(&["one-core-full", "own-cores-full"])
        .proved(&[AtLeast(BusyOf(First), 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit("one CPU allowed, two threads", Compute, &[Affinity(Near, Last)], PRIMES_TWO)
        .right(OWN)
        .proved(&[AtLeast(BusyOf(Last), 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit(
        "one CPU allowed, with a load of its own beside it",
        Compute,
        &[Affinity(Near, First)],
        &["cpu.primes", "--with", "cpu.float"],
    )
    .right(OWN)
    .proved(&[AtLeast(BusyOf(First), 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit("one thread of primes", Compute, &[], PRIMES)
        .right(ONE)
        .proved(&[AtLeast(Busy, 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit("threads of primes on all CPUs", Compute, &[], PRIMES_ALL)
        .right(ALL)
        .proved(&[AtLeast(BusyShare, 0.95)]),
    Scenario::limit("one thread of multiply-adds", Compute, &[], &["cpu.float"])
        .right(ONE)
        .proved(&[AtLeast(Busy, 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit("threads of multiply-adds on all CPUs", Compute, &[], &["cpu.float", "--threads", "all"])
        .right(ALL)
        .proved(&[AtLeast(BusyShare, 0.95)]),
    Scenario::limit("encryption on all CPUs", Compute, &[], &["cpu.crypto", "--threads", "all"])
        .right(ALL)
        .proved(&[AtLeast(BusyShare, 0.95)]),
    Scenario::limit("a chase through memory", Compute, &[], &["memory.latency"])
        .right(&["memory-latency"])
        .on("memory")
        .proved(&[AtLeast(Busy, 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit("a chase through a cache", Compute, &[], &["memory.latency", "--size", "16k"])
        .right(&["memory-latency"])
        .proved(&[AtLeast(Busy, 0.95), AtMost(Busy, 1.3)]),
    Scenario::limit("copies by all CPUs", Compute, &[], &["memory.bandwidth", "--threads", "all"])
        // Which of both, the level that is added tells: here half the threads draw half as much.
        .right(&["memory-bandwidth-full", "all-cores-full"])
        .proved(&[AtLeast(BusyShare, 0.95)]),
    Scenario::limit(
        "copies by all CPUs beside another copier",
        Compute,
        &[Copier(Last)],
        &["memory.bandwidth", "--threads", "all"],
    )
    .right(&["memory-bandwidth-full", "all-cores-full"])
    .also(OTHERS)
    .proved(&[AtLeast(BusyShare, 0.95), AtLeast(Neighbours, 0.3)]),
    // Half of it has room; what is read is not there any more when its turn comes again.
    Scenario::limit(
        "a group with half of the memory that is read in turns",
        Compute,
        &[Swap(512)],
        &[
            "memory.bandwidth",
            "--size",
            "256MiB",
            "--page-size",
            "base",
            "--set",
            "cgroup-memory=128MiB",
            "--set",
            "task-delay-accounting=yes",
            "--duration",
            "2s",
            "--warm-up",
            "500ms",
            "--trials",
            "2",
        ],
    )
    .right(&["swap-bound"])
    .on("memory")
    .also(&["swapping"])
    .proved(&[AtLeast(SwappedIn, 5e6), AtMost(BusyShare, 0.95)]),
    // Nobody accounts for the waits of its threads, unless the kernel does so anyway.
    Scenario::limit(
        "a group with half of the memory that is read in turns, without an account of delays",
        Compute,
        &[Swap(512)],
        &[
            "memory.bandwidth",
            "--size",
            "256MiB",
            "--page-size",
            "base",
            "--set",
            "cgroup-memory=128MiB",
            "--duration",
            "2s",
            "--warm-up",
            "500ms",
            "--trials",
            "2",
        ],
    )
    .right(&["swap-bound"])
    .on("memory")
    .also(&["swapping"])
    .proved(&[AtLeast(SwappedIn, 5e6), AtMost(BusyShare, 0.95)]),
    Scenario::limit("small blocks on all CPUs", Compute, &[], &["memory.blocks", "--threads", "all"])
        .right(ALL)
        .proved(&[AtLeast(BusyShare, 0.95)]),
    Scenario::limit("threads that wake one another", Compute, &[], &["scheduler.handoff"])
        .right(WAITS)
        .proved(&[AtLeast(Switches, 5000.0)]),
    Scenario::limit("a thread that waits for the clock", Compute, &[], &["scheduler.timer"])
        .right(WAITS)
        .proved(&[AtLeast(Switches, 500.0), AtMost(BusyShare, 0.5)]),
    Scenario::limit("threads that mostly count", Compute, &[], &["scheduler.mutex", "--threads", "all"])
        .right(ALL)
        .proved(&[AtLeast(BusyShare, 0.9)]),
    Scenario::limit(
        "an open loop that asks for more than a CPU gives",
        Compute,
        &[],
        &["cpu.primes", "--rate", "50k/s"],
    )
    .right(ONE)
    .also(&["rate-not-kept"])
    .proved(&[AtLeast(Busy, 0.95), AtMost(Busy, 1.3)]),
];
