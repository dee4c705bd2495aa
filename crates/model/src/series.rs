//! What series of a trial are called.

use crate::name::{known_names, names};

names! {
    /// What a series is called: as the kernel calls the field or the file that it was read
    /// from, or in snake case.
    SeriesName ("the name of a series")
}

known_names! { SeriesName:
    /// Operations of a load per second. This and those below are what rules and charts read;
    /// all others have their names where they are read from the kernel.
    OPERATIONS = "operations";
    /// Bytes that a load moved per second.
    THROUGHPUT = "throughput";

    /// CPUs in user mode.
    USER = "user";
    /// CPUs in user mode at a low priority.
    NICE = "nice";
    /// CPUs in the kernel.
    SYSTEM = "system";
    /// CPUs in interrupts.
    IRQ = "irq";
    /// CPUs in soft interrupts.
    SOFTIRQ = "softirq";
    /// CPUs that the hypervisor gave to others.
    STEAL = "steal";
    /// CPUs that waited for disks.
    IOWAIT = "iowait";
    /// CPUs that were idle.
    IDLE = "idle";
    /// Context switches per second.
    CONTEXT_SWITCHES = "ctxt";
    /// Interrupts per second.
    INTERRUPTS = "intr";
    /// The share of time in which some tasks waited for the resource.
    SOME = "some";
    /// The share of time in which all tasks waited for it.
    FULL = "full";

    /// Bytes read from a device per second.
    READ_SECTORS = "read_sectors";
    /// Bytes written to it per second.
    WRITTEN_SECTORS = "written_sectors";
    /// Requests that it has.
    IN_FLIGHT = "in_flight";

    /// Bytes that an interface received per second.
    RX_BYTES = "rx_bytes";
    /// Bytes that it sent per second.
    TX_BYTES = "tx_bytes";
    /// Packets that it received and dropped per second.
    RX_DROP = "rx_drop";
    /// Packets that it was to send and dropped per second.
    TX_DROP = "tx_drop";
    /// Packets that its queue dropped per second.
    QDISC_DROPS = "qdisc_drops";
    /// Segments that TCP sent again per second.
    RETRANSMITTED_SEGMENTS = "RetransSegs";
    /// Retransmission timeouts of TCP per second.
    TCP_TIMEOUTS = "TCPTimeouts";
    /// Datagrams that found no room in the receive buffer of their socket per second.
    RECEIVE_BUFFER_ERRORS = "RcvbufErrors";
    /// Packets that the backlog of a CPU dropped per second.
    DROPPED = "dropped";
    /// Entries of the kernel's table of connections.
    TRACKED_CONNECTIONS = "nf_conntrack_count";
    /// How many it may have.
    TRACKED_CONNECTIONS_MOST = "nf_conntrack_max";

    /// Bytes of memory that are free.
    FREE_PAGES = "nr_free_pages";
    /// Bytes of files in memory that were used of late.
    ACTIVE_FILE_PAGES = "nr_active_file";
    /// Bytes of files in memory that were not.
    INACTIVE_FILE_PAGES = "nr_inactive_file";
    /// Bytes in the page cache.
    FILE_PAGES = "nr_file_pages";
    /// Bytes of it that are to be written.
    DIRTY_PAGES = "nr_dirty";
    /// Bytes of it that are being written.
    WRITEBACK_PAGES = "nr_writeback";
    /// Bytes of it that may wait to be written: from midway between the next and this on, writers
    /// are slowed down.
    DIRTY_THRESHOLD = "nr_dirty_threshold";
    /// Bytes of it from which on the kernel writes them by itself.
    DIRTY_BACKGROUND_THRESHOLD = "nr_dirty_background_threshold";
    /// Of a control group: bytes of its page cache that are to be written.
    GROUP_DIRTY = "file_dirty";
    /// Bytes of it that are being written.
    GROUP_WRITEBACK = "file_writeback";
    /// Bytes of its files in memory that were used of late.
    GROUP_ACTIVE_FILE = "active_file";
    /// Bytes of its files in memory that were not.
    GROUP_INACTIVE_FILE = "inactive_file";
    /// Bytes of memory that the tightest limit at or above it allows.
    GROUP_LIMIT = "memory_limit";
    /// Bytes that this limit leaves.
    GROUP_HEADROOM = "memory_headroom";
    /// Bytes read from swap per second.
    SWAPPED_IN = "pswpin";
    /// Bytes written to swap per second.
    SWAPPED_OUT = "pswpout";

    /// The clock of a CPU.
    FREQUENCY = "scaling_cur_freq";
    /// What a sensor shows.
    TEMPERATURE = "temperature";
    /// How often per second a core was throttled.
    CORE_THROTTLES = "core_throttle_count";
    /// How often per second its package was.
    PACKAGE_THROTTLES = "package_throttle_count";
    /// The power that a zone draws.
    POWER = "energy_uj";
}
