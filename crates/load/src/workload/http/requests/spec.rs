//! What `http.requests` is, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::common;
use crate::workload::http::errors::ERROR_SHARE;
use crate::workload::http::handshakes;
use crate::workload::http::parameters::{CA_FILE, HEADERS, INSECURE, SELF, TIMEOUT, URL};
use crate::workload::http::requests::kinds;

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("http.requests"),
    definition_version: 1,
    summary: "how many requests per second a server answers over HTTP, and how long an answer takes",
    doc: "Each operation is a request over HTTP/1.1 and the whole of its answer. A thread serves several connections (epoll); \
          each has one request under way at a time. With a `rate`, requests begin at that rate whatever the server does, \
          and the latency counts from the moment that a request was due: if the server stalls for 2 s, the wait counts for \
          every request due meanwhile. Responses with a status code from 400 on, or that end early, are errors: they are no \
          operations, and are counted beside them.",
    parameters: &[
        URL,
        ParameterSpec::new("answer", Kind::Size, "Bytes of an answer of this program's own server.")
            .says(Aspect::Sizes)
            .default("1k")
            .only_with("url", &[SELF])
            .or_zero(),
        ParameterSpec::new("connections", Kind::Count, "Connections, shared out over the threads.")
            .says(Aspect::Streams)
            .remote_max(10_000)
            .default("16"),
        ParameterSpec::new("method", Kind::Choice, "What is asked for.").default("get").words(&[
            Word { word: "get", doc: "GET: the content" },
            Word { word: "head", doc: "HEAD: what GET would say, without the content" },
            Word { word: "post", doc: "POST: takes a body" },
            Word { word: "put", doc: "PUT: takes a body, and keeps it under the url" },
            Word { word: "delete", doc: "DELETE: removes what is there" },
        ]),
        ParameterSpec::new("body", Kind::Size, "Bytes of the body of each request, random ones.")
            .default("1k")
            .only_with("method", &["post", "put"])
            .or_zero(),
        ParameterSpec::new(
            "paths",
            Kind::Path,
            "A file with a request in each line, in place of the path of the url: `/a?b=c`, `GET /a`, `3 POST /b {\"c\": 1}`, \
             `POST /d @body.json`, `PUT /e random:4k`, `# a comment`. One of them is chosen at random for each request, by its \
             weight, which is the number in front, or 1. A line without a method has that of the load, with its body. What \
             follows the path is the body: a text, `@` and a file relative to this one, or `random:` and a size. With 2 to \
             8 requests each has figures of its own, such as line_1_latency_p99, numbered without comments.",
        ),
        ParameterSpec::new(
            "keep-alive",
            Kind::Flag,
            "Use a connection for many requests. With `no` each has its own, over TLS with a full handshake: no session is \
             resumed.",
        )
        .default("yes"),
        HEADERS,
        TIMEOUT,
        INSECURE,
        CA_FILE,
    ],
    headline: metric::REQUESTS_PER_SECOND,
    metrics: &METRICS,
    path: &[Symbol::ServerInterface, Symbol::WorkerCpus],
    examples: &[
        "http.requests --url http://web1/index.html",
        "http.requests --url http://web1/ --connections 1,4,16,64",
        "http.requests --url http://web1/ --rate 2k/s --arrivals poisson",
    ],
};

/// Those of the whole load.
const OF_LOAD: &[MetricSpec] = &[
    REQUESTS,
    common::THROUGHPUT,
    common::LATENCY_P50,
    common::LATENCY_P90,
    common::LATENCY_P99,
    common::LATENCY_P99_9,
    common::LATENCY_MAX,
    FIRST_BYTE_P50,
    FIRST_BYTE_P99,
    ERROR_SHARE,
    common::ELAPSED,
    common::SERVICE_P50,
    common::SERVICE_P99,
    common::CPU_PER_OPERATION,
    common::RATE_HELD,
    common::LATE_STARTS,
    common::UNFINISHED,
    handshakes::PER_SECOND,
    handshakes::P50,
    handshakes::P99,
];

/// And those of each request of a mix.
const METRICS: [MetricSpec; OF_LOAD.len() + kinds::METRICS.len()] = {
    let mut all = [REQUESTS; OF_LOAD.len() + kinds::METRICS.len()];
    let mut place = 0;
    while place < all.len() {
        let of_kinds = place >= OF_LOAD.len();
        all[place] = if of_kinds { kinds::METRICS[place - OF_LOAD.len()] } else { OF_LOAD[place] };
        place += 1;
    }
    all
};

const REQUESTS: MetricSpec = common::rate(
    metric::REQUESTS_PER_SECOND,
    "Requests per second with a complete response and a status code below 400.",
);
const FIRST_BYTE_P50: MetricSpec = common::time(
    MetricName::new("first_byte_p50"),
    "Half of the requests had the first byte of their answer after at most this long.",
);
const FIRST_BYTE_P99: MetricSpec = common::time(
    MetricName::new("first_byte_p99"),
    "99 % of the requests had the first byte of their answer after at most this long.",
);
