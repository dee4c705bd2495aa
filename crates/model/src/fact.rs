//! Facts of a trial: what shaped its result without being a parameter. The constants are
//! those that rules and charts read, or that are told of any load; a fact that only its own
//! workload knows stands in that workload's file.

use crate::name::{known_names, names};
use crate::value::Value;

names! {
    /// What a fact of a trial is called, in snake case.
    FactName ("the name of a fact")
}

known_names! { FactName:
    /// What ended a load that fills its target: [`FULL`] or [`SIZE`].
    ENDED = "ended";
    /// Blocks that were read back.
    VERIFIED_BLOCKS = "verified_blocks";
    /// How they were read: through the [`PAGE_CACHE`], or from the [`DEVICE`].
    VERIFIED_BY_READING = "verified_by_reading";
    /// The share of the bytes written that was only in memory when the last write returned.
    DIRTY_SHARE = "dirty_share";
    /// The share of the target that was in memory after the window.
    CACHED_SHARE_AFTER = "cached_share_after";
    /// The share of a working set that lies in huge pages.
    HUGE_PAGE_SHARE = "huge_page_share";
    /// The share of the target's bytes that have blocks.
    ALLOCATED_SHARE = "allocated_share";
    /// Why the engine that is usual here could not be taken.
    ENGINE_FORBIDDEN = "engine_forbidden";
    /// Why it is not known how long replayed operations took when they were recorded: [`NOT_IN_FORMAT`] or
    /// [`NOT_RECORDED`].
    RECORDED_TIMES_UNKNOWN = "recorded_times_unknown";
    /// Bytes that the load wrote, warm-up included.
    BYTES_WRITTEN = "bytes_written";
    /// Seconds of each second in which workers could have run and had no CPU, all of them together.
    RUN_DELAY = "run_delay";
    /// The largest difference in seconds that was seen between `CLOCK_MONOTONIC` and the time of a
    /// worker, which reads the time stamp counter by itself; absent where none does, and in trials
    /// so short that nothing was compared.
    CLOCK_ERROR = "clock_error";
    /// Why nothing is known of what workers waited in.
    WAITS_UNKNOWN = "waits_unknown";
    /// Why the kernel did not account what workers waited for.
    DELAYS_UNKNOWN = "delays_unknown";
    /// Whose cycles and instructions were counted: those of [`USER_AND_KERNEL`] or of [`USER`]
    /// mode.
    HARDWARE_COUNTERS = "hardware_counters";
    /// Why none were.
    HARDWARE_COUNTERS_UNKNOWN = "hardware_counters_unknown";
    /// The share of some CPUs that was taken from the load to prove what limits it.
    CPU_TAKEN = "cpu_taken";
    /// The NUMA nodes that the threads ran on.
    CPU_NODE = "cpu_node";
    /// The NUMA nodes that their memory was on.
    MEMORY_NODE = "memory_node";
    /// The share of their memory that was on another node than the thread that used it.
    MEMORY_AWAY_SHARE = "memory_away_share";
    /// The kernel's policy for it, as it was read back: `bind:1` for node 1 alone.
    MEMORY_POLICY = "memory_policy";

    /// The layers of the storage stack that the load drives, by their names: one for each step in which it was made.
    STACK_STEP_LAYERS = "stack_step_layers";
    /// What each step was: a program with its command, or a word.
    STACK_STEPS = "stack_steps";
    /// How long each took, s.
    STACK_STEP_SECONDS = "stack_step_seconds";
    /// Bytes that the top of a stack on devices offers, of all that the load drives of it.
    STACK_BYTES = "stack_bytes";
    /// Bytes per second that synchronising the array of the stack takes beside other work at least, of each member
    /// (`sync_speed_min` of md).
    SYNC_SPEED_LEAST = "sync_speed_least";
    /// The same at most (`sync_speed_max`).
    SYNC_SPEED_MOST = "sync_speed_most";
    /// Bytes per second of each member at which it was synchronised first.
    INITIAL_SYNC_RATE = "initial_sync_rate";
    /// The phases of the load's window, by their names, in the order in which they followed one another without a gap.
    WINDOW_PHASES = "window_phases";
    /// How long each of them was, s.
    WINDOW_PHASE_SECONDS = "window_phase_seconds";

    /// The interface towards the other end.
    INTERFACE = "interface";
    /// The address that packets to the other end come from.
    SOURCE_ADDRESS = "source_address";
    /// The gateway towards the other end.
    GATEWAY = "gateway";
    /// The MTU of the interface, bytes.
    INTERFACE_MTU = "interface_mtu";
    /// The MTU that the kernel has for the route, bytes.
    ROUTE_MTU = "route_mtu";
    /// The queueing discipline of the interface.
    QDISC = "qdisc";
    /// The link-layer address of the next hop.
    NEIGHBOUR = "neighbour";
    /// The address of the other end.
    REMOTE_ADDRESS = "remote_address";
    /// Instructions that the load would have used and that its code could not.
    INSTRUCTIONS_ABSENT = "instructions_absent";
    /// The cipher suite of TLS that both ends agreed on, by its name.
    TLS_SUITE = "tls_suite";
    /// Whether both ends are under one kernel, and share its processors.
    ONE_MACHINE = "one_machine";
    /// The devices of the node that presents what is driven, the highest first, as that machine calls them.
    PRESENTED_ON = "presented_on";
    /// The least round trip that TCP saw, s.
    RTT_LEAST = "rtt_least";
    /// How often a request goes there and back at least, with the connection that is made for it.
    ROUND_TRIPS = "round_trips";
    /// The share of its time in which a client waited for the server to send.
    SERVER_WAIT_SHARE = "server_wait_share";
    /// The share of the time in which the window of a server to which an upload goes was full.
    SERVER_WINDOW_FULL_SHARE = "server_window_full_share";
    /// The share of the time in which that server had acknowledged all that was sent to it, but for two segments at
    /// most, whose acknowledgement it may delay.
    ALL_ACKNOWLEDGED_SHARE = "all_acknowledged_share";
    /// The largest window that it offered, B.
    PEER_WINDOW_MOST = "peer_window_most";
    /// The share of a file that the other end sends which the page cache there held before.
    SERVED_CACHED_SHARE = "served_cached_share";
    /// The share of its time in which a client wrote what came.
    WRITE_SHARE = "write_share";
    /// How well the two clocks are known, s.
    CLOCK_UNCERTAINTY = "clock_uncertainty";
    /// The largest packet by the route, bytes.
    PACKET_OF_ROUTE = "packet_of_route";
    /// The largest packet that arrived, bytes.
    PACKET_CARRIED = "packet_carried";
    /// The maximum segment size of TCP, bytes.
    MSS = "mss";
    /// Bytes of a datagram.
    DATAGRAM = "datagram";
    /// The receive buffer that the kernel granted, bytes.
    WINDOW_GRANTED_RECEIVE = "window_granted_receive";
    /// The most that was in the send buffer, bytes.
    SEND_BUFFER_MOST = "send_buffer_most";
    /// How long a connection had something to send, s.
    BUSY_TIME = "busy_time";
    /// How long the receiver's window was full, s.
    RECEIVE_WINDOW_LIMITED_TIME = "receive_window_limited_time";
    /// How long the send buffer was full, s.
    SEND_BUFFER_LIMITED_TIME = "send_buffer_limited_time";
    /// The window that the other end offered a sender, B: the median of one connection.
    PEER_WINDOW = "peer_window";
    /// The window that this end offered, B.
    OWN_WINDOW = "own_window";
    /// The least round trip that a sender saw, s: the median of one connection.
    LEAST_RTT = "least_rtt";
    /// Segments that were sent again though the other end had them: it said so (DSACK,
    /// RFC 2883).
    SPURIOUS_RETRANSMITS = "spurious_retransmits";
    /// The rate at which a socket that sends is paced at most, where somebody set one, B/s: without heads.
    PACING_RATE_MOST = "pacing_rate_most";
    /// The rate at which a sender was paced, by its congestion control, B/s: the median of one connection.
    PACING_RATE = "pacing_rate";
    /// The congestion window of a sender, B: the median of one connection.
    CONGESTION_WINDOW = "congestion_window";
    /// The most that it was in the window of the trial, B.
    CONGESTION_WINDOW_MOST = "congestion_window_most";
    /// The algorithm of congestion control.
    CONGESTION = "congestion";

    /// The program at the other end, where it is not ours.
    PEER_TOOL = "peer_tool";
    /// What its own figures are of.
    PEER_SPAN = "peer_span";
    /// How long it measured, s.
    PEER_SECONDS = "peer_seconds";
    /// The CPU time that it used, percent of one CPU.
    PEER_CPU_PERCENT = "peer_cpu_percent";

    /// The rate of a closed loop, below which one that keeps a latency was searched, 1/s.
    CLOSED_LOOP_RATE = "closed_loop_rate";
    /// The rates that were tried, 1/s.
    RATES_TRIED = "rates_tried";
    /// The share of the operations of each that kept the latency.
    SHARES_KEPT = "shares_kept";
}

/// Of [`HARDWARE_COUNTERS`]: what the workers did themselves and what the kernel did for them.
pub const USER_AND_KERNEL: &str = "user-and-kernel";
/// Of [`HARDWARE_COUNTERS`]: what they did themselves.
pub const USER: &str = "user";
/// Of [`ENDED`]: no space was left.
pub const FULL: &str = "full";
/// Of [`ENDED`]: the size that was asked for was reached.
pub const SIZE: &str = "size";
/// Of [`RECORDED_TIMES_UNKNOWN`]: the format of the recording has no place for it.
pub const NOT_IN_FORMAT: &str = "not-in-format";
/// Of [`RECORDED_TIMES_UNKNOWN`]: the recording has no operation that was seen to end.
pub const NOT_RECORDED: &str = "not-recorded";
/// Of [`VERIFIED_BY_READING`]: through the page cache, which was dropped before.
pub const PAGE_CACHE: &str = "page-cache";
/// Of [`VERIFIED_BY_READING`]: around the page cache.
pub const DEVICE: &str = "device";

/// How the sentences begin that stood for some of these words in older documents.
const SENTENCES: &[(&str, &str)] =
    &[("no space left", FULL), ("its size", SIZE), ("through", PAGE_CACHE), ("around", DEVICE)];

/// Whether a fact is this word, or the sentence that older documents have for it.
#[must_use]
pub fn is(value: &Value, word: &str) -> bool {
    let Value::Text(said) = value else { return false };
    let sentence = SENTENCES.iter().find(|(_, own)| *own == word);
    said == word || sentence.is_some_and(|(begin, _)| said.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_documents_say_in_a_sentence_is_the_word() {
        assert!(is(&"full".into(), FULL) && is(&"no space left".into(), FULL));
        assert!(is(&"through the page cache, dropped before".into(), PAGE_CACHE));
        assert!(is(&"its size".into(), SIZE) && is(&"around the page cache".into(), DEVICE));
        assert!(!is(&"its size".into(), FULL) && !is(&"around the page cache".into(), PAGE_CACHE));
        assert!(!is(&true.into(), FULL));
    }
}
