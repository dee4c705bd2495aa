//! What `net.stream` is, as data, and what is wrong with parameters.

use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, Parameters, Unit, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::{self, LoadSchedule};
use crate::workload::net::dscp::DSCP;
use crate::workload::net::socket::{
    CONGESTION, DATAGRAM_MOST, LOCAL_ADDRESS, PEER, PEER_CPU_NODE, PEER_MEMORY_NODE, PROTOCOL, WINDOW,
};
use crate::workload::net::stream::udp::HEADER;
use crate::workload::net::stream::{CALL_BYTES, PlannedStream, source};
use crate::workload::{Requirements, named};

/// The description.
pub const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("net.stream"),
    definition_version: 1,
    summary: "how many bytes per second go from one machine to another",
    doc: "Each stream is a connection with a thread at both ends: one sends what it can, the other reads what comes. With \
          fewer `threads` each serves several connections, whichever can go on (epoll), as iperf3 before 3.16 and most \
          servers do. \
          The throughput is that of the receiver, in the window of both: what the sender hands to its kernel stands \
          beside it as `sender_throughput`, and is more where a transfer is short, because the rest still lies in its \
          socket. Headers are not counted. With `bytes` there is no warm-up, so the start of a connection is part of \
          the result, which then is the time from the first call of the sender to the last of the receiver. The data \
          is random, and the receiver really copies it.",
    parameters: &[
        PEER,
        PROTOCOL,
        ParameterSpec::new("direction", Kind::Choice, "Which way the data goes, seen from here.").default("send").words(
            &[
                Word { word: "send", doc: "to the other end" },
                Word { word: "receive", doc: "from the other end" },
                Word { word: "both", doc: "both ways at once, over two connections for each stream" },
            ],
        ),
        ParameterSpec::new(
            "threads",
            Kind::Count,
            "Threads each way at both ends, which share the connections; over UDP one for each.",
        )
        .says(Aspect::Workers)
        .remote_max(512)
        .default("each")
        .words(&[common::EACH]),
        ParameterSpec::new("streams", Kind::Count, "Connections each way.").says(Aspect::Streams).remote_max(1024)
            .default("1"),
        ParameterSpec::new("buffer", Kind::Size, "Bytes of one call that sends; over UDP, of one datagram.").remote_max(256 << 20)
            .default("auto")
            .words(&[Word {
                word: "auto",
                doc: "128 KiB over TCP; over UDP what one packet of the path holds",
            }]),
        ParameterSpec::new("read-buffer", Kind::Size, "Bytes of one call that receives, at most.").remote_max(256 << 20)
            .default("128k")
            .only_with("protocol", &["tcp"]),
        WINDOW,
        CONGESTION,
        DSCP,
        ParameterSpec::new("nodelay", Kind::Flag, "Send small segments at once (TCP_NODELAY).")
            .default("no")
            .only_with("protocol", &["tcp"]),
        ParameterSpec::new(
            "zero-copy",
            Kind::Flag,
            "Send pages of memory as they are, not copied by the kernel. Where the other end is under the same kernel \
             (loopback, veth), or the interface cannot gather pages, the kernel may copy them after all: the fact \
             `copied_share` says of how many calls, where the kernel tells.",
        )
        .default("no")
        .only_with("protocol", &["tcp"]),
        ParameterSpec::new("zero-copy-by", Kind::Choice, "How pages are sent that are not copied.")
            .default("sendfile")
            .words(source::WORDS)
            .only_with("zero-copy", &["yes"]),
        ParameterSpec::new(
            "bit-rate",
            Kind::Rate,
            "Over UDP: send so many bits of payload per second each way, in equal steps, shared out over the streams: \
             100m is 100 Mbit/s. Without it as fast as the socket takes them. TCP sends what the path takes; there \
             the setting interface-rate holds it to a rate.",
        )
        .only_with("protocol", &["udp"]),
        LOCAL_ADDRESS,
        PEER_CPU_NODE,
        PEER_MEMORY_NODE,
        common::BYTES,
    ],
    headline: metric::THROUGHPUT,
    metrics: &[
        THROUGHPUT,
        SEND_THROUGHPUT,
        RECEIVE_THROUGHPUT,
        SENDER_THROUGHPUT,
        RETRANSMITS,
        RTT,
        LOSS,
        JITTER,
        REORDERED,
        DUPLICATES,
        PACKETS,
        SENDER_CALLS,
        RECEIVER_CALLS,
        common::CPU_PER_BYTE,
        PEER_CPU_PER_BYTE,
        common::ELAPSED,
    ],
    path: &[Symbol::WorkerCpus, Symbol::PeerInterface],
    examples: &[
        "net.stream",
        "net.stream --peer 'headroom://HOST:7117#KEY'",
        "net.stream --peer 'headroom://HOST:7117#KEY' --streams 1,4,16",
    ],
};

pub(super) const THROUGHPUT: MetricSpec =
    common::throughput(metric::THROUGHPUT, "Bytes that the receiver got per second, both ways together.");
pub(super) const SEND_THROUGHPUT: MetricSpec = common::throughput(
    metric::SEND_THROUGHPUT,
    "Where data goes both ways: bytes that the other end got per second.",
);
pub(super) const RECEIVE_THROUGHPUT: MetricSpec = common::throughput(
    metric::RECEIVE_THROUGHPUT,
    "Where data goes both ways: bytes that came from the other end per second.",
);
pub(in crate::workload) const SENDER_THROUGHPUT: MetricSpec = common::throughput(
    metric::SENDER_THROUGHPUT,
    "Bytes that the sender handed to its kernel per second; what lies in its socket is among them.",
);
pub(super) const SENDER_CALLS: MetricSpec =
    common::rate(MetricName::new("sender_calls_per_second"), "Calls that sent something, per second.");
pub(super) const RECEIVER_CALLS: MetricSpec =
    common::rate(MetricName::new("receiver_calls_per_second"), "Calls that received something, per second.");
pub(in crate::workload) const RETRANSMITS: MetricSpec = MetricSpec::lower(
    metric::RETRANSMITS,
    Unit::One,
    "Segments that TCP sent again in the window (TCP_INFO).",
);
pub(in crate::workload) const RTT: MetricSpec = common::time(
    metric::RTT,
    "The median of the sender's smoothed round-trip time (TCP_INFO): under load, queues on the way are in it.",
);
const LOSS: MetricSpec = MetricSpec::lower(
    metric::LOSS,
    Unit::One,
    "The share of the datagrams that did not arrive, from the gaps in their numbers; both ways, the worse.",
);
const JITTER: MetricSpec = common::time(
    metric::JITTER,
    "How much the time of datagrams on the way varies (RFC 3550, section 6.4.1); both ways, the worse.",
);
const REORDERED: MetricSpec =
    MetricSpec::lower(MetricName::new("reordered"), Unit::One, "Datagrams that arrived after a later one.");
const DUPLICATES: MetricSpec =
    MetricSpec::lower(MetricName::new("duplicates"), Unit::One, "Datagrams that arrived once more.");
pub(super) const PACKETS: MetricSpec =
    common::rate(metric::PACKETS_PER_SECOND, "Datagrams that arrived per second.");
pub(in crate::workload) const PEER_CPU_PER_BYTE: MetricSpec = MetricSpec::lower(
    metric::PEER_CPU_PER_BYTE,
    Unit::SecondsPerByte,
    "CPU time of the other end's workers for each byte moved; what its kernel does in interrupts is not in it.",
);

/// The most connections of one load each way: two threads each, unless fewer are asked for.
const STREAMS_MOST: u64 = 512;

/// The largest buffer of one call.
const BUFFER_MOST: u64 = 64 << 20;

/// Resolves the words and refuses what contradicts itself.
pub(super) fn survey(stream: &mut PlannedStream) -> Result<Requirements, Problem> {
    refuse(&stream.schedule, &SPEC, &["rate", "latency-target", "requests"])?;
    check_streams(stream.streams)?;
    stream.options.check()?;
    let is_udp = !stream.options.is_tcp;
    let threads = stream.schedule.threads;
    if threads > stream.streams {
        return Err(Problem::invalid(
            format!("{threads} threads are more than the {} streams that they serve", stream.streams),
            "give as many streams, or fewer threads",
        ));
    }
    if is_udp && threads < stream.streams {
        return Err(Problem::invalid(
            format!(
                "over UDP each of the {} streams has a thread of its own, and threads is {threads}",
                stream.streams
            ),
            "leave threads out",
        ));
    }
    let mut resolved = Parameters::default();
    if stream.buffer.is_none() && !is_udp {
        stream.buffer = Some(CALL_BYTES);
        resolved.set(named("buffer"), CALL_BYTES);
    }
    if let Some(bytes) = stream.buffer {
        let (least, most) = if is_udp { (HEADER as u64, DATAGRAM_MOST as u64) } else { (1, BUFFER_MOST) };
        if !(least..=most).contains(&bytes) {
            let of = if is_udp { "a datagram" } else { "one call" };
            return Err(Problem::invalid(
                format!("a buffer of {bytes} bytes is not what {of} can have"),
                format!("use {least} to {most}"),
            ));
        }
    }
    if stream.read_buffer > BUFFER_MOST {
        return Err(Problem::invalid("read-buffer is larger than 64 MiB", "use a smaller one"));
    }
    let memory_bytes = 2 * stream.streams * (stream.buffer.unwrap_or(1 << 16) + stream.read_buffer);
    Ok(Requirements { resolved, memory_bytes, ..Requirements::default() })
}

/// Refuses more connections each way than one load may have.
pub(in crate::workload::net) fn check_streams(streams: u64) -> Result<(), Problem> {
    if (1..=STREAMS_MOST).contains(&streams) {
        return Ok(());
    }
    Err(Problem::invalid(format!("streams is more than {STREAMS_MOST}"), "use fewer"))
}

/// Refuses common parameters that mean nothing for a load between two ends.
pub(in crate::workload) fn refuse(
    schedule: &LoadSchedule,
    spec: &WorkloadSpec,
    names: &[&str],
) -> Result<(), Problem> {
    // One that has no parameter of its own for it.
    let is_common = spec.parameters.iter().all(|parameter| parameter.name != named("threads"));
    if is_common && schedule.threads > 1 {
        return Err(Problem::invalid(
            format!("{} has a thread for each connection, not `threads`", spec.name),
            "give streams",
        ));
    }
    let asked = [
        ("rate", schedule.rate.is_some()),
        ("latency-target", schedule.latency_target.is_some()),
        ("requests", schedule.requests.is_some()),
    ];
    let Some((name, _)) = asked.into_iter().find(|(name, is_asked)| *is_asked && names.contains(name)) else {
        return Ok(());
    };
    let help = match (name, spec.name.as_str()) {
        ("rate", "net.stream") => "leave it out; with protocol=udp, bit-rate says how much is sent",
        ("requests", "net.stream") => "leave it out; bytes ends a transfer by its size",
        _ => "leave it out",
    };
    Err(Problem::invalid(format!("{name} has no meaning for {}", spec.name), help))
}

#[cfg(test)]
mod tests {
    use model::{ParameterName, Value};

    use super::*;
    use crate::workload::HostInfo;
    use crate::workload::net::stream::Stream;

    fn surveyed(changes: &[(&str, Value)]) -> Result<Requirements, Problem> {
        let mut parameters = Parameters::default();
        changes
            .iter()
            .for_each(|(name, value)| parameters.set(ParameterName::intern(name).unwrap(), value.clone()));
        crate::workload::survey(&Stream, parameters, &HostInfo::default())
    }

    #[test]
    fn words_are_resolved_where_they_can_be() {
        let tcp = surveyed(&[]).unwrap().resolved;
        assert_eq!(tcp.integer(named("buffer")), Ok(128 << 10));
        // What a path holds is known when there is one.
        let udp = surveyed(&[("protocol", "udp".into())]).unwrap().resolved;
        assert_eq!(udp, Parameters::default());
    }

    #[test]
    fn what_has_no_meaning_is_refused_with_what_has() {
        let wrong: [(&str, Value, &str); 6] = [
            ("threads", 2u64.into(), "as many streams"),
            ("rate", 10.0.into(), "bit-rate"),
            ("requests", 10u64.into(), "bytes"),
            ("latency-target", "1ms@99%".into(), "leave it out"),
            ("streams", 1000u64.into(), "fewer"),
            ("buffer", (1u64 << 40).into(), "use 1 to"),
        ];
        for (name, value, help) in wrong {
            let problem = surveyed(&[(name, value)]).unwrap_err();
            assert!(problem.help.contains(help), "{name}: {problem:?}");
        }
        let small = surveyed(&[("protocol", "udp".into()), ("buffer", 8u64.into())]).unwrap_err();
        assert!(small.help.contains("16 to 65507"), "{small:?}");
    }
}
