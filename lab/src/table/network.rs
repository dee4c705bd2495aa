//! Limits of connections: rates, links, windows, loss, processors of either end, and the
//! way there and back.

use std::time::Duration;

use crate::scenario::Area::Network;
use crate::scenario::Count::{
    Busy, BusyOf, BusyShare, Carried, Lost, Neighbours, Sent, SocketDrops, Switches, Throttled,
};
use crate::scenario::Cpu::{First, Last};
use crate::scenario::End::{Far, Near};
use crate::scenario::Limiter::{self, Affinity, Burner, Class, Quota, Shape, Sysctl, Veth, Wire};
use crate::scenario::Proof::{AtLeast, AtMost};
use crate::scenario::Scenario;
use crate::wire::{Bucket, Way};

const QUOTA: &[&str] = &["cpu-quota"];
const RATE: &[&str] = &["io-quota"];
const WINDOW: &[&str] = &["window-bound"];
const LOSS: &[&str] = &["loss-bound"];
/// A link of which nobody says how fast it is: that it is full, or that it is constant as well.
const PATH: &[&str] = &["path-full", "constant-limit"];
const ANSWER: &[&str] = &["round-trip-bound"];

const SEND: &[&str] = &["net.stream"];
const RECEIVE: &[&str] = &["net.stream", "--direction", "receive"];
const MESSAGES: &[&str] = &["net.pingpong"];

/// What loses needs longer until it is what it is.
const RENO: &[&str] =
    &["net.stream", "--congestion", "reno", "--duration", "1500ms", "--warm-up", "700ms", "--trials", "2"];
const CUBIC: &[&str] =
    &["net.stream", "--congestion", "cubic", "--duration", "1500ms", "--warm-up", "700ms", "--trials", "2"];

const TBF_20M: &[&str] = &["tbf", "rate", "20mbit", "burst", "32kb", "latency", "50ms"];
/// A queue that is shorter than what a socket may have in it, so that it drops.
const TBF_SHORT: &[&str] = &["tbf", "rate", "50mbit", "burst", "32kb", "limit", "60000"];
const TBF_100M: &[&str] = &["tbf", "rate", "100mbit", "burst", "64kb", "latency", "50ms"];
const TBF_1G: &[&str] = &["tbf", "rate", "1gbit", "burst", "256kb", "latency", "20ms"];
const TBF_SLOW: &[&str] = &["tbf", "rate", "1mbit", "burst", "1600", "latency", "100ms"];
const FQ_100M: &[&str] = &["fq", "maxrate", "100mbit"];
const HTB: &[&str] = &["handle", "1:", "htb", "default", "10"];
const HTB_400M: &[&str] = &["parent", "1:", "classid", "1:10", "htb", "rate", "400mbit", "burst", "256kb"];

/// A way of 5 ms each way, and what else is so.
const FIVE_MS: Duration = Duration::from_millis(5);
const LONG: &[Limiter] = &[Wire(Way { delay: FIVE_MS, ..Way::of(1000) }, false)];
const LOSES_1_IN_100: &[Limiter] =
    &[Wire(Way { delay: FIVE_MS, lost_one_in: Some(100), ..Way::of(200) }, false)];
const LOSES_1_IN_300: &[Limiter] =
    &[Wire(Way { delay: FIVE_MS, lost_one_in: Some(300), ..Way::of(200) }, false)];
const LOSES_1_IN_20: &[Limiter] = &[Wire(Way { lost_one_in: Some(20), ..Way::of(1000) }, false)];
const LINK_100M: &[Limiter] = &[Wire(Way::of(100), true)];
const LINK_20M: &[Limiter] = &[Wire(Way::of(20), true)];
/// One of which nobody says how fast it is.
const SECRET_100M: &[Limiter] = &[Wire(Way { delay: FIVE_MS, ..Way::of(100) }, false)];
/// 30 MB at 200 Mbit/s, then 50 Mbit/s: 1.6 s.
const BUCKET_30M: &[Limiter] =
    &[Wire(Way { bucket: Some(Bucket { bytes: 30_000_000, peak_mbit: 200 }), ..Way::of(50) }, false)];
const SMALL_READ_BUFFER: &[Limiter] =
    &[Wire(Way { delay: FIVE_MS, ..Way::of(1000) }, false), Sysctl(Far, "ipv4/tcp_rmem", "4096 65536 65536")];
const SMALL_SEND_BUFFER: &[Limiter] = &[
    Wire(Way { delay: FIVE_MS, ..Way::of(1000) }, false),
    Sysctl(Near, "ipv4/tcp_wmem", "4096 65536 65536"),
];
const BUSY_FAR: &[Limiter] = &[Veth, Affinity(Near, First), Affinity(Far, Last), Burner(Last), Burner(Last)];

pub(super) const TABLE: &[Scenario] = &[
    Scenario::limit("a rate of 20 Mbit/s at the near end", Network, &[Veth, Shape(Near, TBF_20M)], SEND)
        .right(RATE)
        .on("nic:near0")
        .proved(&[AtLeast(Sent(Near), 2.3e6), AtMost(Sent(Near), 2.7e6)]),
    Scenario::limit("a rate of 100 Mbit/s at the near end", Network, &[Veth, Shape(Near, TBF_100M)], SEND)
        .right(RATE)
        .on("nic:near0")
        .proved(&[AtLeast(Sent(Near), 11.5e6), AtMost(Sent(Near), 13.2e6)]),
    Scenario::limit("a rate of 1 Gbit/s at the near end", Network, &[Veth, Shape(Near, TBF_1G)], SEND)
        .right(RATE)
        .on("nic:near0")
        .proved(&[AtLeast(Sent(Near), 115e6), AtMost(Sent(Near), 132e6)]),
    Scenario::limit(
        "a class of 400 Mbit/s at the near end",
        Network,
        &[Veth, Shape(Near, HTB), Class(Near, HTB_400M)],
        SEND,
    )
    .right(RATE)
    .on("nic:near0")
    .proved(&[AtLeast(Sent(Near), 46e6), AtMost(Sent(Near), 53e6)]),
    Scenario::limit("a rate of 100 Mbit/s for each connection", Network, &[Veth, Shape(Near, FQ_100M)], SEND)
        .right(RATE)
        .on("nic:near0")
        .proved(&[AtLeast(Sent(Near), 11.5e6), AtMost(Sent(Near), 13.2e6)]),
    Scenario::limit(
        "a rate of 100 Mbit/s for each of four connections",
        Network,
        &[Veth, Shape(Near, FQ_100M)],
        &["net.stream", "--streams", "4"],
    )
    .right(RATE)
    .on("nic:near0")
    .proved(&[AtLeast(Sent(Near), 46e6), AtMost(Sent(Near), 53e6)]),
    Scenario::limit("a rate of 100 Mbit/s at the far end", Network, &[Veth, Shape(Far, TBF_100M)], RECEIVE)
        .right(RATE)
        .on("nic:far0")
        .proved(&[AtLeast(Sent(Far), 11.5e6), AtMost(Sent(Far), 13.2e6)]),
    Scenario::limit(
        "datagrams at twice the rate of the near end",
        Network,
        &[Veth, Shape(Near, TBF_SHORT)],
        &["net.stream", "--protocol", "udp", "--bit-rate", "100m"],
    )
    .right(RATE)
    .on("nic:near0")
    .also(&["packets-dropped"])
    .proved(&[AtLeast(Sent(Near), 5.7e6), AtMost(Sent(Near), 6.7e6)]),
    // Where it drops, TCP sends again: the rate is what holds it back, and no loss on the way.
    Scenario::limit(
        "a rate of 50 Mbit/s with a queue that drops, at the near end",
        Network,
        &[Veth, Shape(Near, TBF_SHORT)],
        CUBIC,
    )
    .right(RATE)
    .on("nic:near0")
    .proved(&[AtLeast(Sent(Near), 5.5e6), AtMost(Sent(Near), 6.7e6)]),
    Scenario::limit(
        "datagrams to a receiver that has a part of a CPU",
        Network,
        BUSY_FAR,
        &["net.stream", "--protocol", "udp"],
    )
    .right(&["receiver-cpu", "own-cores-full"])
    .also(&["packets-dropped"])
    .proved(&[AtLeast(SocketDrops(Far), 500.0), AtLeast(BusyOf(Last), 0.95)]),
    // No counter of either end has them, and the receiver reads all that comes.
    Scenario::limit(
        "datagrams of which the way loses one in 20",
        Network,
        LOSES_1_IN_20,
        &["net.stream", "--protocol", "udp", "--bit-rate", "50m"],
    )
    .right(LOSS)
    .proved(&[AtLeast(Lost, 50.0), AtMost(SocketDrops(Far), 20.0)]),
    Scenario::limit("a link of 100 Mbit/s", Network, LINK_100M, SEND)
        .right(&["link-full"])
        .on("nic:")
        .proved(&[AtLeast(Carried, 11.2e6), AtMost(Carried, 13.5e6)]),
    Scenario::limit("a link of 100 Mbit/s, received", Network, LINK_100M, RECEIVE)
        .right(&["link-full"])
        .on("nic:")
        .proved(&[AtLeast(Carried, 11.2e6), AtMost(Carried, 13.5e6)]),
    Scenario::limit("a link of 20 Mbit/s", Network, LINK_20M, SEND)
        .right(&["link-full"])
        .on("nic:")
        .proved(&[AtLeast(Carried, 2.2e6), AtMost(Carried, 2.8e6)]),
    Scenario::limit(
        "a link that does not say that it has 100 Mbit/s",
        Network,
        SECRET_100M,
        &["net.stream", "--congestion", "cubic", "--duration", "4s", "--warm-up", "2s", "--trials", "3"],
    )
    .right(PATH)
    .on("nic:")
    .proved(&[AtLeast(Carried, 11.2e6), AtMost(Carried, 13.5e6)]),
    Scenario::limit(
        "a link that does not say its speed, 1 and 4 streams",
        Network,
        SECRET_100M,
        &["net.stream", "--streams", "1,4", "--duration", "3s", "--warm-up", "1s", "--trials", "3"],
    )
    .right(PATH)
    .on("nic:")
    .proved(&[AtLeast(Carried, 11.2e6), AtMost(Carried, 13.5e6)]),
    Scenario::limit(
        "30 MB at 200 Mbit/s, then 50 Mbit/s",
        Network,
        BUCKET_30M,
        &["net.stream", "--duration", "4s", "--warm-up", "300ms", "--trials", "3"],
    )
    .right(&["bucket-used-up"])
    .on("nic:")
    .proved(&[AtLeast(Carried, 5.5e6), AtMost(Carried, 20e6)]),
    Scenario::limit("a window of 64 KiB over 10 ms", Network, LONG, &["net.stream", "--window", "64KiB"])
        .right(WINDOW)
        .proved(&[AtLeast(Carried, 2e6), AtMost(Carried, 40e6)]),
    Scenario::limit(
        "a window of 64 KiB over 10 ms, received",
        Network,
        LONG,
        &["net.stream", "--window", "64KiB", "--direction", "receive"],
    )
    .right(WINDOW)
    .proved(&[AtLeast(Carried, 2e6), AtMost(Carried, 40e6)]),
    Scenario::limit("a receive buffer of 64 KiB over 10 ms", Network, SMALL_READ_BUFFER, SEND)
        .right(WINDOW)
        .proved(&[AtLeast(Carried, 2e6), AtMost(Carried, 40e6)]),
    Scenario::limit("a send buffer of 64 KiB over 10 ms", Network, SMALL_SEND_BUFFER, SEND)
        .right(WINDOW)
        .proved(&[AtLeast(Carried, 1e6), AtMost(Carried, 40e6)]),
    Scenario::limit("a segment in 100 lost, reno", Network, LOSES_1_IN_100, RENO)
        .right(LOSS)
        .proved(&[AtLeast(Lost, 3.0), AtMost(Carried, 10e6)]),
    Scenario::limit("a segment in 300 lost, cubic", Network, LOSES_1_IN_300, CUBIC)
        .right(LOSS)
        .proved(&[AtLeast(Lost, 2.0), AtMost(Carried, 12e6)]),
    // What was lost is sent again after 200 ms, and nothing else is under way meanwhile.
    Scenario::limit(
        "messages of which the way loses one in 20",
        Network,
        LOSES_1_IN_20,
        &[
            "net.pingpong",
            "--message-size",
            "1400",
            "--duration",
            "3s",
            "--warm-up",
            "500ms",
            "--trials",
            "2",
        ],
    )
    .right(LOSS)
    .proved(&[AtLeast(Lost, 1.0), AtMost(BusyShare, 0.8)]),
    Scenario::limit("CPU quota of 20 % on the sender", Network, &[Quota(Near, 20), Veth], SEND)
        .right(QUOTA)
        .proved(&[AtLeast(Throttled(Near), 3.0)]),
    Scenario::limit("CPU quota of 20 % on the far receiver", Network, &[Quota(Far, 20), Veth], SEND)
        .right(QUOTA)
        .proved(&[AtLeast(Throttled(Far), 3.0)]),
    Scenario::limit("CPU quota of 20 % on the far sender", Network, &[Quota(Far, 20), Veth], RECEIVE)
        .right(QUOTA)
        .proved(&[AtLeast(Throttled(Far), 3.0)]),
    Scenario::limit("CPU quota of 20 % on who answers", Network, &[Quota(Far, 20), Veth], MESSAGES)
        .right(QUOTA)
        .proved(&[AtLeast(Throttled(Far), 3.0)]),
    Scenario::limit("a busy CPU at the far receiver", Network, BUSY_FAR, SEND)
        .right(&["receiver-cpu", "own-cores-full"])
        .also(&["disturbed-by-others"])
        .proved(&[AtLeast(BusyOf(Last), 0.95), AtLeast(Neighbours, 0.4)]),
    // The thread that answers always has something to do, and a third of a CPU.
    Scenario::limit(
        "messages to an end with a busy CPU, 16 at a time",
        Network,
        BUSY_FAR,
        &["net.pingpong", "--outstanding", "16"],
    )
    .right(&["receiver-cpu", "own-cores-full", "all-cores-full"])
    .also(&["disturbed-by-others"])
    .proved(&[AtLeast(BusyOf(Last), 0.95), AtLeast(Neighbours, 0.4)]),
    Scenario::limit("a busy CPU at the far sender", Network, BUSY_FAR, RECEIVE)
        .right(&["sender-cpu", "own-cores-full"])
        .also(&["disturbed-by-others"])
        .proved(&[AtLeast(BusyOf(Last), 0.95), AtLeast(Neighbours, 0.4)]),
    Scenario::limit(
        "a receiver that takes 32 bytes at a time",
        Network,
        &[Veth],
        &["net.stream", "--read-buffer", "32"],
    )
    .right(&["receiver-cpu"])
    .proved(&[AtLeast(Busy, 0.95)]),
    Scenario::limit(
        "a sender that gives a byte at a time",
        Network,
        &[Veth, Shape(Far, TBF_SLOW)],
        &["net.stream", "--buffer", "1", "--read-buffer", "1MiB"],
    )
    .right(&["sender-cpu"])
    .proved(&[AtLeast(Busy, 0.9)]),
    Scenario::limit(
        "both ends on one CPU",
        Network,
        &[Veth, Affinity(Near, First), Affinity(Far, First)],
        SEND,
    )
    .right(&["own-cores-full", "sender-cpu", "receiver-cpu"])
    .proved(&[AtLeast(BusyOf(First), 0.95), AtMost(BusyShare, 0.8)]),
    Scenario::limit("a stream that nothing holds back but processors", Network, &[Veth], SEND)
        .right(&["sender-cpu", "receiver-cpu", "all-cores-full"])
        .proved(&[AtLeast(Busy, 0.95)]),
    Scenario::limit("a stream back that nothing holds back but processors", Network, &[Veth], RECEIVE)
        .right(&["sender-cpu", "receiver-cpu", "all-cores-full"])
        .proved(&[AtLeast(Busy, 0.95)]),
    Scenario::limit("messages to and fro", Network, &[Veth], MESSAGES)
        .right(ANSWER)
        .proved(&[AtLeast(Switches, 5000.0)]),
    Scenario::limit("messages to and fro over 10 ms", Network, LONG, MESSAGES)
        .right(ANSWER)
        .proved(&[AtLeast(Carried, 1000.0), AtMost(BusyShare, 0.8)]),
    Scenario::limit("connections one after the other", Network, &[Veth], &["net.connect"])
        .right(ANSWER)
        .proved(&[AtLeast(Switches, 1000.0)]),
    Scenario::limit("connections one after the other over 10 ms", Network, LONG, &["net.connect"])
        .right(ANSWER)
        .proved(&[AtLeast(Carried, 1000.0), AtMost(BusyShare, 0.8)]),
];
