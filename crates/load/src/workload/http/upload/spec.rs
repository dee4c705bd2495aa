//! What `http.upload` is, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::common;
use crate::workload::http::errors::ERROR_SHARE;
use crate::workload::http::parameters::{
    CA_FILE, CONGESTION, HEADERS, INSECURE, LOCAL_ADDRESS, OTHER_END, PEER_CPU_NODE, PEER_MEMORY_NODE,
    PEER_WORD, SELF_WORD, THREADS, TIMEOUT, UNTIL, URL, WINDOW, buffer, streams,
};
use crate::workload::net::stream::spec::{PEER_CPU_PER_BYTE, RETRANSMITS, RTT};

/// What stands in a url for the number of a stream.
pub(super) const NUMBER: &str = "{stream}";

/// What stands for a size that follows from the source.
pub(super) const AUTO: &str = "auto";

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("http.upload"),
    definition_version: 1,
    summary: "how many bytes per second can be sent to a server over HTTP",
    doc: "Each stream is a connection with a thread of its own that sends a body to the url over HTTP/1.1, again and again \
          until the trial ends. An operation is a whole upload, from its head to the last byte of the answer. Only the \
          body counts, once the server has acknowledged it with a status from 200 to 299, not the headers. A status of \
          500 or above, 408 or 429 is an error, which is counted beside the uploads. Any other answer ends the trial, \
          because the next request would get the same: so does a status of 400 or above that comes before the whole \
          body was sent.",
    parameters: &[
        ParameterSpec {
            doc: "Where bodies go: http://host:port/path, or https://. `{stream}` in it is replaced by the number of the \
                  stream, from 0, so that streams do not write the same object. `peer` is the other end of this load, a \
                  node, which discards them, so that no web server is needed there. `self` starts a server in this \
                  program, which does the same; the data then passes the loopback interface, which is no wire.",
            ..URL
        }
        .words(&[SELF_WORD, PEER_WORD]),
        OTHER_END,
        ParameterSpec::new("method", Kind::Choice, "How a body is sent.").default("put").words(&[
            Word { word: "put", doc: "PUT: the server stores it under the url" },
            Word { word: "post", doc: "POST: the server decides what becomes of it" },
        ]),
        streams("Connections, each of which sends whole bodies."),
        THREADS,
        ParameterSpec::new("size", Kind::Size, "Bytes of each body; of an upload-file, only this many from its beginning are sent.")
            .says(Aspect::Sizes)
            .default(AUTO)
            .words(&[Word { word: AUTO, doc: "all of the upload-file, or 64 MiB without one" }]),
        ParameterSpec::new(
            "upload-file",
            Kind::Path,
            "A file to send: with http:// by sendfile(2), with https:// it is read and encrypted. Without it, random bytes \
             are sent, different ones in every block.",
        ),
        buffer("Bytes of one call that sends, at most."),
        UNTIL.words(
            &[
                Word { word: "time", doc: "the duration; bodies are sent again and again" },
                Word { word: "end", doc: "that each stream has sent one body" },
            ],
        ),
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
        common::LATENCY_P50,
        common::LATENCY_P99,
        common::LATENCY_MAX,
        ANSWER_P50,
        ANSWER_P99,
        ERROR_SHARE,
        RETRANSMITS,
        RTT,
        common::CPU_PER_BYTE,
        PEER_CPU_PER_BYTE,
        common::ELAPSED,
    ],
    path: &[Symbol::WorkerCpus, Symbol::ServerInterface],
    examples: &[
        "http.upload --url http://store/incoming/{stream}",
        "http.upload --url http://store/a --size 1g",
        "http.upload --url http://store/{stream} --streams 1,4,16",
    ],
};

const THROUGHPUT: MetricSpec = common::throughput(
    metric::THROUGHPUT,
    "Bytes of bodies that the server acknowledged with a status from 200 to 299, per second.",
);
const ANSWER_P50: MetricSpec = common::time(
    MetricName::new("answer_p50"),
    "Half of the uploads were answered at most this long after their last byte was handed to the kernel.",
);
const ANSWER_P99: MetricSpec = common::time(
    MetricName::new("answer_p99"),
    "99 % of the uploads were answered at most this long after their last byte was handed to the kernel.",
);
