//! `http.download` where something else is the limit, against what measures that limit by itself: a
//! wire of 1 Gbit/s (a token bucket between two network namespaces, tc-tbf(8)), which
//! `net.stream` fills in the same direction, and behind it a disk of 80 MB/s (a control group), which
//! `disk` writes to from the front to the end. Nobody but Headroom is measured: a download should
//! get what the narrowest part of its way lets through.

use crate::context::BenchContext;
use crate::http_nginx::{CONTENT_1G, Content, Scheme, await_number, command, make_content};
use crate::judge::{Figure, Goal};
use crate::throttle::WriteThrottle;
use crate::veth::{FAR, NamespacePair, Server};
use crate::{Benchmark, Sides, http_nginx};
use xtask::Error;

/// To nowhere: the wire is the limit.
pub(crate) const WIRE: Benchmark = Benchmark {
    name: "http-download-wire",
    peer: "net.stream",
    needs: &["nginx", "ip", "taskset"],
    figures: &[Figure {
        what: "downloaded over a wire of 1 Gbit/s",
        unit: "B/s",
        goal: Goal::LowAtLeast(0.95),
    }],
    prepare: |context| prepare(context, false),
};

/// Around the page cache: the disk is.
pub(crate) const DISK: Benchmark = Benchmark {
    name: "http-download-disk",
    peer: "lower of net.stream and disk",
    figures: &[Figure {
        what: "downloaded to a disk of 80 MB/s, direct",
        unit: "B/s",
        goal: Goal::LowAtLeast(0.95),
    }],
    prepare: |context| prepare(context, true),
    ..WIRE
};

/// Bits per second of the wire, as tc has it.
const WIRE_RATE: &str = "1gbit";

/// Bytes per second of the disk.
const DISK_RATE: u64 = 80_000_000;

/// What one call writes, on both sides: the default of `http.download`.
const BLOCK: &str = "256k";
/// The same as a number.
const BLOCK_BYTES: u64 = 256 << 10;

/// The server's, which listens at no address but that of its namespace.
const PORT: u16 = 8080;

/// Of our own trials that stand for the peer: they have none to tell apart.
const PEER_SEED: u64 = 1;

struct Limited {
    /// Ends before the namespace that it is in.
    _server: Server,
    network: NamespacePair,
    /// The disk, where it is one of the limits, and what fills it for as long as a run measures.
    disk: Option<(WriteThrottle, Content)>,
}

fn prepare(context: &BenchContext, to_disk: bool) -> Result<Box<dyn Sides>, Error> {
    let blocks = DISK_RATE * u64::from(context.seconds) / BLOCK_BYTES;
    let content = Content { name: "limited", bytes: blocks * BLOCK_BYTES };
    make_content(context, if to_disk { content } else { CONTENT_1G })?;
    let throttle = to_disk.then(|| WriteThrottle::new(&context.scratch(""), DISK_RATE)).transpose()?;
    let network = NamespacePair::new(context)?;
    network.limit_far_end(WIRE_RATE)?;
    let words = command(context, &format!("{FAR}:{PORT}"), Scheme::Http)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let server = network.serve(context, &words)?;
    await_number(context)?;
    Ok(Box::new(Limited { _server: server, network, disk: throttle.map(|throttle| (throttle, content)) }))
}

impl Sides for Limited {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let url = |content: Content| format!("http://{FAR}:{PORT}/{}", content.name);
        let metrics = if let Some((throttle, content)) = &self.disk {
            let (url, folder) = (url(*content), context.scratch(""));
            let folder = folder.to_string_lossy();
            let what = ["http.download", "--url", &url, "--until", "end", "--target", &folder];
            let how = ["--direct", "yes", "--buffer", BLOCK, "--warm-up", "0s"];
            self.network.at_near_end(context, &throttle.words(), &[what.as_slice(), &how].concat(), seed)?
        } else {
            let (url, duration) = (url(CONTENT_1G), format!("{}s", context.seconds));
            let words = ["http.download", "--url", &url, "--duration", &duration];
            self.network.at_near_end(context, &[], &words, seed)?
        };
        Ok(vec![metrics.get("throughput")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let words = ["net.stream", "--direction", "receive"];
        let mut rate = self.network.ours(context, &words, PEER_SEED)?.get("throughput")?;
        if let Some((throttle, content)) = &self.disk {
            let (folder, bytes) = (context.scratch(""), format!("{}B", content.bytes));
            let folder = folder.to_string_lossy();
            // A file that grows, as that of the download does.
            let what = ["disk", "--target", &folder, "--pattern", "write", "--until", "full"];
            let how = ["--size", &bytes, "--block-size", BLOCK, "--warm-up", "0s"];
            let words = [what.as_slice(), &how].concat();
            let metrics = self.network.at_near_end(context, &throttle.words(), &words, PEER_SEED)?;
            rate = rate.min(metrics.get("throughput")?);
        }
        Ok(vec![rate])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(format!("the same headroom, {}", http_nginx::version(context)?))
    }
}
