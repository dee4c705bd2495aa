//! What `http.download` is, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::common;
use crate::workload::http::download::transfer::Transfer;
use crate::workload::http::parameters::{
    CA_FILE, CONGESTION, HEADERS, INSECURE, LOCAL_ADDRESS, OTHER_END, PEER_CPU_NODE, PEER_MEMORY_NODE,
    PEER_WORD, SELF, SELF_WORD, THREADS, TIMEOUT, UNTIL, URL, WINDOW, buffer, streams,
};
use crate::workload::http::peer::PEER;
use crate::workload::net::stream::spec::{PEER_CPU_PER_BYTE, RETRANSMITS, RTT, SENDER_THROUGHPUT};

/// The word for a checksum.
pub(super) const SHA256: &str = "sha256";

/// The word for HTTP/2.
pub(super) const HTTP2: &str = "2";

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("http.download"),
    definition_version: 1,
    summary: "how many bytes per second come from a server over HTTP, to a file or to nowhere",
    doc: "Each stream is a connection with a thread of its own that fetches the url, again and again until the trial \
          ends, over HTTP/1.1 or HTTP/2; redirects are followed before it begins. With `url=peer` a node sends, over \
          HTTP/1.1: each stream then has a thread there too, and keeps its one connection. Only the content counts, \
          not the headers. With a `target` it goes into an unnamed file in that folder, from the beginning again \
          for each fetch, and nothing remains. An operation is one call that receives.",
    parameters: &[
        ParameterSpec {
            doc: "What is asked for: http://host:port/path, or https://. `peer` is the other end of this load, a node: \
                  it sends content from its memory, or a file (`serve-file`), so that no web server is needed there. `self` starts a server in \
                  this program; the data then passes the loopback interface, which is no wire.",
            ..URL
        }
        .words(&[SELF_WORD, PEER_WORD]),
        OTHER_END,
        ParameterSpec::new(
            "answer",
            Kind::Size,
            "Bytes of each answer of our own server, or of the other end if it sends no file.",
        )
            .default("64m")
            .only_with("url", &[SELF, PEER])
            .or_zero(),
        ParameterSpec::new(
            "serve-file",
            Kind::Path,
            "A file at the other end, by its whole path: it is sent by sendfile(2), all of it with each answer, in place \
             of content of memory. A node sends only files that it was started for (`headroom node --serve-file`).",
        )
        .says(Aspect::ServedFile)
        .only_with("url", &[PEER]),
        streams("Connections, each of which fetches all of the url."),
        THREADS,
        ParameterSpec::new(
            "http",
            Kind::Choice,
            "The version of HTTP. With HTTP/2, too, each stream has a connection of its own. The windows of stream and \
             connection are 64 MiB, so that those of TCP are the limit.",
        )
        .default("1.1")
        .silent_by_default()
        .words(&[
            Word { word: "1.1", doc: "HTTP/1.1, as it comes from the socket" },
            Word {
                word: HTTP2,
                doc: "HTTP/2: over https:// nothing else is offered (h2 by ALPN), over http:// it is spoken at once \
                      (prior knowledge); a library parses its frames, and copies the content once more",
            },
        ]),
        ParameterSpec::new(
            "target",
            Kind::Path,
            "A folder whose file system takes the content; without it, it goes nowhere.",
        )
        .says(Aspect::Targets),
        ParameterSpec::new("direct", Kind::Flag, "Around the page cache (O_DIRECT).")
            .says(Aspect::Caches)
            .default("no"),
        ParameterSpec::new(
            "move",
            Kind::Choice,
            "How bytes come from the socket to the file, or to nowhere.",
        )
        .says(Aspect::Interface)
        .default("buffer")
        .words(Transfer::WORDS),
        buffer("Bytes of one call that receives, at most, and of one that writes."),
        ParameterSpec::new(
            "preallocate",
            Kind::Flag,
            "Reserve the blocks of the file before the first byte (fallocate(2)), where the server says how many.",
        )
        .default("no"),
        ParameterSpec::new("sync", Kind::Choice, "When written data is brought to where it lasts.")
            .silent_by_default()
            .default("none")
            .words(&[
                Word { word: "none", doc: "when the kernel and the device like" },
                Word { word: "end", doc: "by an fdatasync at the end, which is part of the trial" },
            ]),
        ParameterSpec::new("verify", Kind::Choice, "Whether the content is compared with a checksum.")
            .silent_by_default()
            .default("none")
            .words(&[Word { word: "none", doc: "only its length counts" }])
            .digest(Word {
                word: SHA256,
                doc: "this SHA-256 in 64 hexadecimal digits, as sha256sum prints it; it is computed while time counts",
            }),
        UNTIL.words(&[
            Word { word: "time", doc: "the duration; the url is fetched again and again" },
            Word { word: "end", doc: "that each stream has fetched the url once" },
        ]),
        WINDOW,
        CONGESTION,
        LOCAL_ADDRESS,
        PEER_CPU_NODE,
        PEER_MEMORY_NODE,
        HEADERS,
        TIMEOUT,
        INSECURE,
        CA_FILE,
    ],
    headline: metric::THROUGHPUT,
    metrics: &[
        THROUGHPUT,
        common::THROUGHPUT_PEAK,
        SUSTAINED,
        DURABLE,
        FIRST_BYTE_P50,
        FIRST_BYTE_MAX,
        SENDER_THROUGHPUT,
        RETRANSMITS,
        RTT,
        common::CPU_PER_BYTE,
        PEER_CPU_PER_BYTE,
        common::ELAPSED,
    ],
    path: &[Symbol::ServerInterface, Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
    examples: &[
        "http.download --url http://mirror/big.iso",
        "http.download --url http://mirror/big.iso --target /data",
        "http.download --url http://mirror/big.iso --streams 1,4,16",
    ],
};

const THROUGHPUT: MetricSpec = common::throughput(
    metric::THROUGHPUT,
    "Bytes of content that were received, and written if they are, per second.",
);
const SUSTAINED: MetricSpec = common::throughput(
    metric::THROUGHPUT_SUSTAINED,
    "With a target, through the page cache: bytes per second from the moment when so much waits to be written that the \
     kernel slows the writer down; absent where that did not happen in the window.",
);
/// Until all was on the device.
pub(super) const DURABLE: MetricSpec = common::throughput(
    metric::THROUGHPUT_DURABLE,
    "With sync=end and until=end: bytes per second from the first request until all were on the device.",
);
/// Half of the first bytes.
pub(super) const FIRST_BYTE_P50: MetricSpec = common::time(
    MetricName::new("first_byte_p50"),
    "Half of the fetches had the head of their answer after at most this long; a new connection is in it.",
);
/// The longest.
pub(super) const FIRST_BYTE_MAX: MetricSpec = common::time(
    MetricName::new("first_byte_max"),
    "The longest that a fetch took until the head of its answer was there.",
);
