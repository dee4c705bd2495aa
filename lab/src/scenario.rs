//! What a scenario is: what is laid, which load runs meanwhile, which answers are right,
//! and how it is known by other means that the limit was there.

use std::fmt;
use std::time::Duration;

use crate::wire::Way;

/// One scenario: a line of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) area: Area,
    /// In this order; in a quiet run nothing that holds it back.
    pub(crate) lay: &'static [Limiter],
    /// What follows `headroom run`. `DEVICE` stands for the device that was laid, `URL` for the
    /// server.
    pub(crate) load: &'static [&'static str],
    /// The verdicts of which each is right; none where any is.
    pub(crate) right: &'static [&'static str],
    /// How the resource begins that the verdict must name, where that matters.
    pub(crate) resource: Option<&'static str>,
    /// What must be found beside the verdict.
    pub(crate) also: &'static [&'static str],
    /// Without these the limit was not there, whatever was answered.
    pub(crate) proofs: &'static [Proof],
    pub(crate) judged: Judged,
}

impl Scenario {
    /// One in which nothing is laid and any verdict is right.
    const fn new(name: &'static str, area: Area, load: &'static [&'static str]) -> Self {
        Self {
            name,
            area,
            lay: &[],
            load,
            right: &[],
            resource: None,
            also: &[],
            proofs: &[],
            judged: Judged::Last,
        }
    }

    /// In these tables, a limit that is there.
    pub(crate) const fn limit(
        name: &'static str,
        area: Area,
        lay: &'static [Limiter],
        load: &'static [&'static str],
    ) -> Self {
        Self { lay, ..Self::new(name, area, load) }
    }

    /// A quiet run, with the verdicts that are plausible; each case of it is judged.
    pub(crate) const fn quiet(
        name: &'static str,
        load: &'static [&'static str],
        right: &'static [&'static str],
    ) -> Self {
        Self { right, judged: Judged::Each, ..Self::new(name, Area::Quiet, load) }
    }

    /// The same where something must be laid that holds nothing back.
    pub(crate) const fn over(self, lay: &'static [Limiter]) -> Self {
        Self { lay, ..self }
    }

    pub(crate) const fn right(self, right: &'static [&'static str]) -> Self {
        Self { right, ..self }
    }

    pub(crate) const fn on(self, resource: &'static str) -> Self {
        Self { resource: Some(resource), ..self }
    }

    pub(crate) const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    pub(crate) const fn proved(self, proofs: &'static [Proof]) -> Self {
        Self { proofs, ..self }
    }

    pub(crate) const fn first(self) -> Self {
        Self { judged: Judged::First, ..self }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.area == Area::Quiet
    }
}

/// The part of the table that a scenario stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Area {
    Disk,
    Compute,
    Network,
    Database,
    /// Nothing is induced.
    Quiet,
}

impl Area {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Compute => "compute",
            Self::Network => "network",
            Self::Database => "database",
            Self::Quiet => "quiet",
        }
    }
}

/// Which case of a sweep is judged, of those that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    First,
    Last,
    /// Each of them by itself.
    Each,
}

/// Reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Reads,
    Writes,
}

/// What a throttle counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Per {
    Bytes,
    Operations,
}

/// A CPU among those that the lab may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cpu {
    First,
    Last,
}

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Near,
    Far,
}

/// When a throttle is lowered, and to what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowering {
    /// So many a second at first.
    pub(crate) from: u64,
    /// So many a second from then on.
    pub(crate) to: u64,
    /// After so many operations.
    pub(crate) after: u64,
}

/// What a server does that takes its time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Serving {
    /// It answers with so many bytes, and sends so many of them a second on each connection.
    Rate { bytes_per_s: u64, answer: u64 },
    /// It takes what comes, and answers so long after.
    Thinks(Duration),
    /// The same, one request after the other: the others wait, on whichever connection.
    OneByOne(Duration),
    /// It takes so many bytes a second on each connection, and answers at once.
    Takes(u64),
}

/// What is laid. Each undoes itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limiter {
    /// A quota of so many hundredths of a CPU on the processes of an end.
    Quota(End, u32),
    /// A throttle on the device below the load: so many a second.
    Throttle(Access, Per, u64),
    /// A throttle on that device which is lowered once so many operations have passed: what is
    /// read before the load does not show what it becomes.
    Lowered(Access, Per, Lowering),
    /// A loop device of so many MiB over a file in memory, which is what is driven.
    Loop(u64),
    /// The same over a file on the disk, around the page cache.
    LoopOnDisk(u64),
    /// A zram device of so many MiB, filled with what does not compress.
    Zram(u64),
    /// A limit of so many MiB of memory on the processes of the near end; version 2 only, for version 1
    /// accounts no writeback.
    Memory(u64),
    /// A file of so many MiB on the disk to which memory is swapped.
    Swap(u64),
    /// A web server that is slow by itself.
    Server(Serving),
    /// A PostgreSQL at the far end, with these settings.
    Database(&'static [&'static str]),
    /// A file of this name and content in the folder of the load.
    File(&'static str, &'static str),
    /// A program that computes, and may only run there.
    Burner(Cpu),
    /// A program that copies 64 MiB again and again, and may only run there.
    Copier(Cpu),
    /// A program that starts others, one after the other.
    ForkStorm,
    /// A program that reads a file of the same disk around the page cache.
    Reader,
    /// The processes of an end may only run there.
    Affinity(End, Cpu),
    /// Two network namespaces, a veth pair between them and a node in the second.
    Veth,
    /// The same with a wire between them; `true` if its interfaces state its speed.
    Wire(Way, bool),
    /// A queueing discipline at the root of an end's interface, as tc takes it.
    Shape(End, &'static [&'static str]),
    /// A class of it.
    Class(End, &'static [&'static str]),
    /// A switch of an end's network, below /proc/sys/net.
    Sysctl(End, &'static str, &'static str),
}

/// What is counted to prove a limit, always so much a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Periods in which the quota of an end stopped somebody (`nr_throttled`).
    Throttled(End),
    /// What the throttle's own group counted at the device.
    Serviced(Access, Per),
    /// CPUs that were busy: 1 is one of them.
    Busy,
    /// CPU seconds that the hypervisor took.
    Stolen,
    /// The busy share of all CPUs.
    BusyShare,
    /// The busy share of one CPU.
    BusyOf(Cpu),
    /// CPU seconds that the neighbours had.
    Neighbours,
    /// Requests that the device finished.
    DeviceRequests,
    /// Bytes that the device moved.
    DeviceBytes,
    /// Seconds of waiting for the device, of all requests: the mean queue.
    DeviceWait,
    /// Flushes that the device finished.
    Flushes,
    /// Seconds in which some task stood still for I/O: a writer that is slowed down does, too.
    IoStall,
    /// Bytes that came back from swap.
    SwappedIn,
    /// Seconds that the server rested by intention, of all its connections.
    Rested,
    /// Datagrams that full sockets of an end dropped.
    SocketDrops(End),
    /// Bytes that left by the interface of an end.
    Sent(End),
    /// Bytes that the wire carried, both ways.
    Carried,
    /// Frames that the wire lost.
    Lost,
    /// Times that the scheduler switched.
    Switches,
    /// Processes that were made.
    Forks,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Throttled(_) => "periods that the quota cut short (cpu.stat)",
            Self::Serviced(..) => "what the throttled group moved (blkio.throttle.io_*, io.stat)",
            Self::Busy => "busy CPUs (/proc/stat)",
            Self::Stolen => "stolen CPU time (/proc/stat)",
            Self::BusyShare => "busy share of all CPUs (/proc/stat)",
            Self::BusyOf(_) => "busy share of the CPU (/proc/stat)",
            Self::Neighbours => "CPU seconds of the neighbours (/proc/PID/stat)",
            Self::DeviceRequests => "requests of the device (/sys/block/*/stat)",
            Self::DeviceBytes => "bytes of the device (/sys/block/*/stat)",
            Self::DeviceWait => "seconds waited for the device (/sys/block/*/stat)",
            Self::Flushes => "flushes of the device (/sys/block/*/stat)",
            Self::IoStall => "seconds that tasks stood still for I/O (/proc/pressure/io)",
            Self::SwappedIn => "bytes that came back from swap (/proc/vmstat)",
            Self::Rested => "seconds that the server rested",
            Self::SocketDrops(_) => "datagrams that full sockets dropped (/proc/PID/net/snmp)",
            Self::Sent(_) => "bytes that left the interface (/proc/PID/net/dev)",
            Self::Carried => "bytes that the wire carried",
            Self::Lost => "frames that the wire lost",
            Self::Switches => "context switches (/proc/stat)",
            Self::Forks => "new processes (/proc/stat)",
        })
    }
}

/// What must hold of a count in the windows of the case that is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proof {
    AtLeast(Count, f64),
    AtMost(Count, f64),
    /// It is at most 5 % more than in the case before.
    Flat(Count),
}

impl Proof {
    pub(crate) fn count(self) -> Count {
        match self {
            Self::AtLeast(count, _) | Self::AtMost(count, _) | Self::Flat(count) => count,
        }
    }
}
