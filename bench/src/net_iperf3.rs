//! `net.stream` against iperf3 over loopback: as many streams, calls of as many
//! bytes, placed by nobody. The receiver's figure counts on both sides. CPU is
//! that of both ends together: of ours what the workers took, of iperf3 what it
//! says of its two processes.

use std::net::TcpListener;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides};
use xtask::Error;

const FIGURES: &[Figure] = &[
    Figure { what: "received, loopback", unit: "B/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: "CPU of both ends per byte", unit: "s/B", goal: Goal::HighAtMost(1.0) },
];

/// One stream.
pub(crate) const ONE: Benchmark = Benchmark {
    name: "net-stream-1",
    peer: "iperf3",
    needs: &["iperf3"],
    figures: FIGURES,
    prepare: |_| Ok(Box::new(Streams(1))),
};

/// Two.
pub(crate) const TWO: Benchmark =
    Benchmark { name: "net-stream-2", prepare: |_| Ok(Box::new(Streams(2))), ..ONE };

/// Four.
pub(crate) const FOUR: Benchmark =
    Benchmark { name: "net-stream-4", prepare: |_| Ok(Box::new(Streams(4))), ..ONE };

struct Streams(u32);

impl Sides for Streams {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let streams = self.0.to_string();
        let words = [&STREAM[..], &["--streams", &streams, "--warm-up", OMITTED]].concat();
        let metrics = context.headroom(None, &words, seed)?;
        let cpu = metrics.get("cpu_per_byte")? + metrics.get("peer_cpu_per_byte")?;
        Ok(vec![metrics.get("throughput")?, cpu])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let server = Server::start()?;
        let (port, streams, seconds) =
            (server.port.to_string(), self.0.to_string(), context.seconds.to_string());
        let words =
            ["-c", "127.0.0.1", "-p", &port, "-P", &streams, "-t", &seconds, "-O", "1", "-l", "128K", "-J"];
        let text = context.output(None, "iperf3", &words)?;
        drop(server);
        told(&text).ok_or_else(|| Error::Bench(format!("iperf3 tells no rate:\n{text}")))
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let text = context.output(None, "iperf3", &["--version"])?;
        Ok(text.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
    }
}

/// A stream as iperf3 does it.
pub(crate) const STREAM: [&str; 5] = ["net.stream", "--buffer", "128KiB", "--read-buffer", "128KiB"];

/// The start that is left out on both sides (iperf3's `-O 1`): the rate goes on
/// rising for most of a second.
pub(crate) const OMITTED: &str = "1s";

/// What the receiver got per second, and CPU seconds of both ends per byte.
pub(crate) fn told(text: &str) -> Option<Vec<f64>> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let end = document.get("end")?;
    let received = end.get("sum_received")?.get("bits_per_second")?.as_f64()? / 8.0;
    let cpu = end.get("cpu_utilization_percent")?;
    let of = |name: &str| cpu.get(name)?.as_f64();
    let both = (of("host_total")? + of("remote_total")?) / 100.0;
    (received > 0.0).then(|| vec![received, both / received])
}

/// A server of iperf3 on loopback, ended when it is dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Result<Self, Error> {
        let failed = |e: std::io::Error| Error::Bench(format!("starting an iperf3 server: {e}"));
        let port = {
            let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
            listener.local_addr().map_err(failed)?.port()
        };
        let child = Process::new("iperf3")
            .args(["-s", "-B", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        // A connection that only asks whether it is there would be its client.
        std::thread::sleep(Duration::from_millis(300));
        Ok(Self { child, port })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_and_the_cpu_of_both_ends_are_read() {
        let text = r#"{"end":{"sum_received":{"bits_per_second":16e9},
            "cpu_utilization_percent":{"host_total":60.0,"remote_total":40.0}}}"#;
        assert_eq!(told(text), Some(vec![2e9, 1.0 / 2e9]));
        assert_eq!(told("{}"), None);
    }
}
