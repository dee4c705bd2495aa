//! `net.stream`, `net.pingpong` and datagrams over a veth pair, each end of each
//! tool held to the same CPU, against the tools that people use for them: iperf3
//! and iperf 2 (streams), NetPIPE's NPtcp (messages), iperf3 and nuttcp (small
//! datagrams). What the receiver got counts, on all sides; a message's latency is
//! half the mean round trip of the best of three parts of a run, as NPtcp tells it.

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::net_iperf3;
use crate::veth::{FAR, NamespacePair};
use crate::{Benchmark, Sides};
use xtask::Error;

const STREAM: &[Figure] = &[
    Figure { what: "received, veth", unit: "B/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: "CPU of both ends per byte", unit: "s/B", goal: Goal::HighAtMost(1.0) },
];

/// Streams over veth against iperf3.
pub(crate) const STREAM_1: Benchmark = Benchmark {
    name: "veth-stream-1",
    peer: "iperf3",
    needs: &["iperf3", "ip", "taskset"],
    figures: STREAM,
    prepare: |context| sides(context, Peer::Iperf3(1)),
};
/// Two.
pub(crate) const STREAM_2: Benchmark =
    Benchmark { name: "veth-stream-2", prepare: |context| sides(context, Peer::Iperf3(2)), ..STREAM_1 };
/// Four.
pub(crate) const STREAM_4: Benchmark =
    Benchmark { name: "veth-stream-4", prepare: |context| sides(context, Peer::Iperf3(4)), ..STREAM_1 };
/// Four that one thread serves at each end, as iperf3 before 3.16 does.
pub(crate) const STREAM_4_ONE: Benchmark = Benchmark {
    name: "veth-stream-4-one-thread",
    prepare: |context| sides(context, Peer::Iperf3OneThread(4)),
    ..STREAM_1
};
/// One against iperf 2, which tells no CPU.
pub(crate) const STREAM_IPERF: Benchmark = Benchmark {
    name: "veth-stream-iperf",
    peer: "iperf",
    needs: &["iperf", "ip", "taskset"],
    figures: STREAM.split_at(1).0,
    prepare: |context| sides(context, Peer::Iperf),
};

/// One against nuttcp, which tells no CPU of both ends.
pub(crate) const STREAM_NUTTCP: Benchmark = Benchmark {
    name: "veth-stream-nuttcp",
    peer: "nuttcp",
    needs: &["nuttcp", "ip", "taskset"],
    prepare: |context| sides(context, Peer::NuttcpStream),
    ..STREAM_IPERF
};

/// One stream as a user types it, on both sides: nothing held to a CPU, nothing left out.
pub(crate) const STREAM_TYPED: Benchmark = Benchmark {
    name: "veth-stream-typed",
    needs: &["iperf3", "ip"],
    figures: &[Figure { what: "received, veth, defaults", unit: "B/s", goal: Goal::LowAtLeast(0.97) }],
    prepare: |context| {
        Ok(Box::new(Veth { network: NamespacePair::unplaced(context)?, peer: Peer::Iperf3Typed("1") }))
    },
    ..STREAM_1
};
/// Four.
pub(crate) const STREAM_TYPED_4: Benchmark = Benchmark {
    name: "veth-stream-typed-4",
    prepare: |context| {
        Ok(Box::new(Veth { network: NamespacePair::unplaced(context)?, peer: Peer::Iperf3Typed("4") }))
    },
    ..STREAM_TYPED
};

const MESSAGE: &[Figure] =
    &[Figure { what: "half a round trip, best of three, veth", unit: "s", goal: Goal::HighAtMost(1.03) }];

/// Messages of 1 byte against NetPIPE.
pub(crate) const PINGPONG_1: Benchmark = Benchmark {
    name: "veth-pingpong-1",
    peer: "NPtcp",
    needs: &["NPtcp", "ip", "taskset"],
    figures: MESSAGE,
    prepare: |context| sides(context, Peer::NetPipe("1")),
};
/// Of 1 KiB.
pub(crate) const PINGPONG_1K: Benchmark = Benchmark {
    name: "veth-pingpong-1k",
    prepare: |context| sides(context, Peer::NetPipe("1024")),
    ..PINGPONG_1
};
/// Of 64 KiB.
pub(crate) const PINGPONG_64K: Benchmark = Benchmark {
    name: "veth-pingpong-64k",
    prepare: |context| sides(context, Peer::NetPipe("65536")),
    ..PINGPONG_1
};

const DATAGRAM: &[Figure] =
    &[Figure { what: "datagrams of 64 B received, veth", unit: "1/s", goal: Goal::LowAtLeast(1.0) }];

/// Small datagrams as fast as they go, against iperf3.
pub(crate) const DATAGRAM_IPERF3: Benchmark = Benchmark {
    name: "veth-datagram-iperf3",
    figures: DATAGRAM,
    prepare: |context| sides(context, Peer::Iperf3Datagrams),
    ..STREAM_1
};
/// Against nuttcp.
pub(crate) const DATAGRAM_NUTTCP: Benchmark = Benchmark {
    name: "veth-datagram-nuttcp",
    peer: "nuttcp",
    needs: &["nuttcp", "ip", "taskset"],
    figures: DATAGRAM,
    prepare: |context| sides(context, Peer::Nuttcp),
};

/// `TRIALS` of NetPIPE.
const NETPIPE_TRIALS: u32 = 3;

/// Bytes of a small datagram.
const SMALL: &str = "64";

#[derive(Clone, Copy)]
enum Peer {
    Iperf3(u32),
    /// The same, with one thread of ours.
    Iperf3OneThread(u32),
    /// So many streams, as they are typed.
    Iperf3Typed(&'static str),
    Iperf,
    NetPipe(&'static str),
    Iperf3Datagrams,
    Nuttcp,
    NuttcpStream,
}

struct Veth {
    network: NamespacePair,
    peer: Peer,
}

fn sides(context: &BenchContext, peer: Peer) -> Result<Box<dyn Sides>, Error> {
    Ok(Box::new(Veth { network: NamespacePair::new(context)?, peer }))
}

impl Sides for Veth {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let run = |words: &[&str]| self.network.ours(context, words, seed);
        let stream = |streams: &str, warm_up: &[&str]| {
            run(&[&net_iperf3::STREAM[..], &["--streams", streams], warm_up].concat())
        };
        match self.peer {
            Peer::Iperf3(streams) | Peer::Iperf3OneThread(streams) => {
                let one: &[&str] = match self.peer {
                    Peer::Iperf3OneThread(_) => &["--threads", "1"],
                    _ => &[],
                };
                let more = [&["--warm-up", net_iperf3::OMITTED], one].concat();
                let metrics = stream(&streams.to_string(), &more)?;
                let cpu = metrics.get("cpu_per_byte")? + metrics.get("peer_cpu_per_byte")?;
                Ok(vec![metrics.get("throughput")?, cpu])
            }
            Peer::Iperf3Typed(streams) => {
                let words = ["net.stream", "--streams", streams];
                Ok(vec![self.network.typed(context, &words, seed)?.get("throughput")?])
            }
            Peer::Iperf | Peer::NuttcpStream => Ok(vec![stream("1", &[])?.get("throughput")?]),
            Peer::NetPipe(bytes) => {
                // As many parts as NPtcp makes trials, of which it tells the best.
                let part = format!("{}ms", u32::from(context.seconds) * 1000 / NETPIPE_TRIALS);
                let message = format!("{bytes}B");
                let metrics = run(&["net.pingpong", "--message-size", &message, "--interval", &part])?;
                Ok(vec![0.5 / metrics.best_rate()?])
            }
            Peer::Iperf3Datagrams | Peer::Nuttcp => {
                let words = ["net.stream", "--protocol", "udp", "--buffer", &format!("{SMALL}B")];
                Ok(vec![run(&words)?.get("throughput")? / 64.0])
            }
        }
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let seconds = context.seconds.to_string();
        let network = &self.network;
        match self.peer {
            Peer::Iperf3(streams) | Peer::Iperf3OneThread(streams) => {
                let _server = network.serve(context, &["iperf3", "-s", "-B", FAR])?;
                let streams = streams.to_string();
                let words =
                    ["iperf3", "-c", FAR, "-P", &streams, "-t", &seconds, "-O", "1", "-l", "128K", "-J"];
                read(&network.client(context, &words)?, net_iperf3::told)
            }
            Peer::Iperf3Typed(streams) => {
                let _server = network.serve(context, &["iperf3", "-s", "-B", FAR])?;
                let words = ["iperf3", "-c", FAR, "-P", streams, "-t", &seconds, "-J"];
                let mut figures = read(&network.client(context, &words)?, net_iperf3::told)?;
                figures.truncate(1);
                Ok(figures)
            }
            Peer::Iperf => {
                let mut server = network.serve(context, &["iperf", "-s", "-P", "1", "-y", "C", "-B", FAR])?;
                network.client(context, &["iperf", "-c", FAR, "-l", "128K", "-t", &seconds, "-y", "C"])?;
                read(&server.last_words()?, iperf)
            }
            Peer::NetPipe(bytes) => {
                // Both ends of NPtcp count for themselves.
                let repeats = (u32::from(context.seconds) * 4000).to_string();
                let same = ["-l", bytes, "-u", bytes, "-p", "0", "-n", &repeats];
                let _server = network.serve(context, &[&["NPtcp"], &same[..]].concat())?;
                network.client(context, &[&["NPtcp", "-h", FAR, "-o", "np.out"], &same[..]].concat())?;
                let path = context.scratch("np.out");
                let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
                read(&text, netpipe)
            }
            Peer::Iperf3Datagrams => {
                let _server = network.serve(context, &["iperf3", "-s", "-B", FAR])?;
                let words = ["iperf3", "-c", FAR, "-u", "-b", "0", "-l", SMALL, "-t", &seconds, "-J"];
                read(&network.client(context, &words)?, datagrams)
            }
            Peer::Nuttcp => {
                let _server = network.serve(context, &["nuttcp", "-S", "--nofork"])?;
                let words = ["nuttcp", "-u", "-l64", "-Ru", &format!("-T{seconds}"), "-fparse", FAR];
                read(&network.client(context, &words)?, nuttcp)
            }
            Peer::NuttcpStream => {
                let _server = network.serve(context, &["nuttcp", "-S", "--nofork"])?;
                let words = ["nuttcp", "-l131072", &format!("-T{seconds}"), "-fparse", FAR];
                read(&network.client(context, &words)?, nuttcp_stream)
            }
        }
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let first = |program: &str, word: &str, count: usize| {
            let text = context.output(None, program, &[word])?;
            Ok(text.split_whitespace().take(count).collect::<Vec<_>>().join(" "))
        };
        match self.peer {
            Peer::Iperf3(_) | Peer::Iperf3OneThread(_) | Peer::Iperf3Typed(_) | Peer::Iperf3Datagrams => {
                first("iperf3", "--version", 2)
            }
            Peer::Iperf => {
                // It says so with an exit status of its own.
                let package =
                    context.output(None, "dpkg-query", &["-W", "-f", "iperf ${Version}", "iperf"])?;
                Ok(package)
            }
            Peer::NetPipe(_) => {
                context.output(None, "dpkg-query", &["-W", "-f", "NPtcp ${Version}", "netpipe-tcp"])
            }
            Peer::Nuttcp | Peer::NuttcpStream => first("nuttcp", "-V", 1),
        }
    }
}

fn read(text: &str, figures: impl Fn(&str) -> Option<Vec<f64>>) -> Result<Vec<f64>, Error> {
    figures(text).ok_or_else(|| Error::Bench(format!("the peer tells no figure:\n{text}")))
}

/// The last line of iperf's table: time, both addresses and ports, number,
/// interval, bytes, bit/s.
fn iperf(text: &str) -> Option<Vec<f64>> {
    let rate: f64 = text.lines().last()?.split(',').nth(8)?.parse().ok()?;
    (rate > 0.0).then(|| vec![rate / 8.0])
}

/// Bytes, Mbit/s, seconds of half a round trip.
fn netpipe(text: &str) -> Option<Vec<f64>> {
    let half: f64 = text.lines().last()?.split_whitespace().nth(2)?.parse().ok()?;
    (half > 0.0).then(|| vec![half])
}

/// Datagrams that iperf3's receiver got, per second.
fn datagrams(text: &str) -> Option<Vec<f64>> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let sum = document.get("end")?.get("sum")?;
    let of = |name: &str| sum.get(name)?.as_f64();
    let got = (of("packets")? - of("lost_packets")?) / of("seconds")?;
    (got > 0.0).then(|| vec![got])
}

/// A number of nuttcp's, by its name.
fn of_nuttcp(text: &str, name: &str) -> Option<f64> {
    text.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Bytes that nuttcp's receiver got, per second.
fn nuttcp_stream(text: &str) -> Option<Vec<f64>> {
    let rate = of_nuttcp(text, "rate_Mbps")?;
    (rate > 0.0).then(|| vec![rate * 1e6 / 8.0])
}

/// Datagrams that nuttcp's receiver got, per second.
fn nuttcp(text: &str) -> Option<Vec<f64>> {
    let of = |name: &str| of_nuttcp(text, name);
    let got = (of("pkt")? - of("drop")?) / of("real_seconds")?;
    (got > 0.0).then(|| vec![got])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_peer_says_is_read() {
        let line = "19700101000000,10.77.0.1,40790,10.77.0.2,5001,1,0.0-1.0,1494220860,11909985776\n";
        assert_eq!(iperf(line), Some(vec![1_488_748_222.0]));
        assert_eq!(netpipe("    1024 93.225598   0.00008380\n"), Some(vec![0.0000838]));
        let text = r#"{"end":{"sum":{"packets":1000,"lost_packets":100,"seconds":2.0}}}"#;
        assert_eq!(datagrams(text), Some(vec![450.0]));
        let text = "megabytes=5.1 real_seconds=2.00 rate_Mbps=42.9 drop=600 pkt=1000 data_loss=60.0";
        assert_eq!(nuttcp(text), Some(vec![200.0]));
        assert_eq!(nuttcp_stream(text), Some(vec![5_362_500.0]));
    }

    #[test]
    fn nothing_said_is_no_figure() {
        for figures in [iperf, netpipe, datagrams, nuttcp, nuttcp_stream] {
            assert_eq!(figures(""), None);
        }
        assert_eq!(iperf("a,b,c"), None);
        assert_eq!(nuttcp("pkt=3 drop=1 real_seconds=x"), None);
    }
}
