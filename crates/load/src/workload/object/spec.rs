//! What the loads on stores of objects are, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::common;
use crate::workload::http::errors::ERROR_SHARE;
use crate::workload::http::parameters::{CA_FILE, INSECURE, SELF, TIMEOUT, UNTIL};

/// Where the store of this program has its objects.
const BUCKET_USUAL: &str = "s3://headroom";

const ENDPOINT: ParameterSpec = ParameterSpec::new(
    "endpoint",
    Kind::Text,
    "Where the store is: http://host:port or https://host; the bucket becomes part of the path. `self` starts a store in \
     this program, which keeps names and sizes only; the data then passes the loopback interface, which is no wire.",
)
.says(Aspect::Server)
.default(SELF)
.words(&[Word { word: SELF, doc: "a store of this program" }]);

const BUCKET: ParameterSpec = ParameterSpec::new(
    "bucket",
    Kind::Text,
    "The bucket, and a prefix in it: s3://bucket/prefix. Objects are put below a random name there and removed after \
     each trial; nothing else is touched. In a bucket with versioning, removed objects leave old versions.",
)
.default(BUCKET_USUAL);

const REGION: ParameterSpec =
    ParameterSpec::new("region", Kind::Text, "The region that requests are signed for.").default("us-east-1");

const CREDENTIALS: ParameterSpec = ParameterSpec::new(
    "credentials",
    Kind::Path,
    "A file with keys in the format of ~/.aws/credentials, of which the profile `default` is read. Without it, the \
     keys come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. No report shows them.",
)
.not_work();

const CONCURRENCY: ParameterSpec = ParameterSpec::new(
    "concurrency",
    Kind::Count,
    "Operations under way at once, shared out over the threads.",
)
.says(Aspect::Streams)
.remote_max(4096)
.default("16");

const PAYLOAD: ParameterSpec =
    ParameterSpec::new("payload", Kind::Choice, "Whether requests are signed with a hash of their body.")
        .default("signed")
        .words(&[
            Word { word: "signed", doc: "with its SHA-256, which is computed before time counts" },
            Word { word: "unsigned", doc: "without (UNSIGNED-PAYLOAD), as most clients do over https://" },
        ]);

const OBJECTS: ParameterSpec =
    ParameterSpec::new("objects", Kind::Count, "Objects that are put before time counts.")
        .remote_max(100_000);

const fn size(usual: &'static str) -> ParameterSpec {
    ParameterSpec::new("size", Kind::Size, "Bytes of each object: random, and the same in all objects.")
        .says(Aspect::Sizes)
        .remote_max(16 << 30)
        .or_zero()
        .default(usual)
}

const METRICS: &[MetricSpec] = &[
    common::OPERATIONS,
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
];

/// Of loads that move no content.
const METRICS_OF_NAMES: &[MetricSpec] = &[
    common::OPERATIONS,
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
];

const FIRST_BYTE_P50: MetricSpec = common::time(
    MetricName::new("first_byte_p50"),
    "Half of the operations had the first byte of their last answer after at most this long.",
);
const FIRST_BYTE_P99: MetricSpec = common::time(
    MetricName::new("first_byte_p99"),
    "99 % of the operations had the first byte of their last answer after at most this long.",
);

const PATH: &[Symbol] = &[Symbol::WorkerCpus, Symbol::ServerInterface];

/// `object.put`.
pub(super) const PUT: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("object.put"),
    definition_version: 1,
    summary: "how many objects per second a store (S3) takes, and how long one takes",
    doc: "Each operation puts an object over HTTP/1.1, with requests signed by Signature Version 4; names are used \
          again after `objects` of them. With a `part-size`, larger objects are sent in parts (multipart upload), and \
          the operation is the whole upload, from the first request to the answer that completes it; an upload that \
          fails is aborted. An unsuccessful answer is an error, which is no operation but counted separately; the \
          result lists the codes.",
    parameters: &[
        ENDPOINT,
        BUCKET,
        size("1m"),
        CONCURRENCY,
        ParameterSpec { doc: "Names that objects are put under, again and again.", ..OBJECTS }.default("100"),
        ParameterSpec::new(
            "part-size",
            Kind::Size,
            "Objects larger than this are put in parts of so many bytes. AWS takes no parts below 5m, but for the last.",
        )
        .remote_max(5 << 30),
        ParameterSpec::new(
            "parts",
            Kind::Count,
            "With part-size: parts of one object that are under way at once, each over a connection of its own.",
        )
        .remote_max(64)
        .default("1"),
        PAYLOAD,
        REGION,
        CREDENTIALS,
        TIMEOUT,
        INSECURE,
        CA_FILE,
    ],
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: METRICS,
    path: PATH,
    examples: &[
        "object.put",
        "object.put --endpoint http://store:9000 --size 64k,1m,16m",
        "object.put --endpoint http://store:9000 --concurrency 1,4,16,64",
    ],
};

/// `object.get`.
pub(super) const GET: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("object.get"),
    definition_version: 1,
    summary: "how many objects per second a store (S3) gives, and how long one takes",
    doc: "Before time counts, `objects` objects are put. Each operation gets one of them, chosen at random, over HTTP/1.1 with \
          a request signed by Signature Version 4, and discards the content; another size than was put is an error. An \
          unsuccessful answer is an error, which is no operation but counted separately.",
    parameters: &[
        ENDPOINT,
        BUCKET,
        size("1m"),
        CONCURRENCY,
        OBJECTS.default("100"),
        PAYLOAD,
        REGION,
        CREDENTIALS,
        TIMEOUT,
        INSECURE,
        CA_FILE,
    ],
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: METRICS,
    path: PATH,
    examples: &[
        "object.get",
        "object.get --endpoint http://store:9000 --size 64k,1m,16m",
        "object.get --endpoint http://store:9000 --concurrency 1,4,16,64",
    ],
};

/// `object.list`.
pub(super) const LIST: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("object.list"),
    definition_version: 1,
    summary: "how many pages of names per second a store (S3) lists, and how long one takes",
    doc: "Before time counts, `objects` objects are put. Each operation asks for a page of their names (ListObjectsV2) that \
          begins after one of them, chosen at random. An unsuccessful answer is an error, which is no operation but \
          counted separately.",
    parameters: &[
        ENDPOINT,
        BUCKET,
        size("1k"),
        CONCURRENCY,
        OBJECTS.default("1000"),
        ParameterSpec::new("max-keys", Kind::Count, "Names per page, at most; stores return 1000 or fewer.")
            .remote_max(1000)
            .default("1000"),
        PAYLOAD,
        REGION,
        CREDENTIALS,
        TIMEOUT,
        INSECURE,
        CA_FILE,
    ],
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: METRICS_OF_NAMES,
    path: PATH,
    examples: &[
        "object.list",
        "object.list --endpoint http://store:9000 --objects 1000,10000",
        "object.list --endpoint http://store:9000 --max-keys 100,1000",
    ],
};

/// `object.delete`.
pub(super) const DELETE: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("object.delete"),
    definition_version: 1,
    summary: "how many objects per second a store (S3) deletes, and how long one takes",
    doc: "Before time counts, `objects` objects are put. Each operation deletes one of them; a trial ends when all are \
          deleted. An unsuccessful answer is an error, which is no operation but counted separately.",
    parameters: &[
        ENDPOINT,
        BUCKET,
        size("1k"),
        CONCURRENCY,
        OBJECTS.default("1000"),
        UNTIL.default("end").words(&[
            Word { word: "end", doc: "that all objects are deleted" },
            Word {
                word: "time",
                doc: "the duration; there must be more objects than are deleted until then",
            },
        ]),
        PAYLOAD,
        REGION,
        CREDENTIALS,
        TIMEOUT,
        INSECURE,
        CA_FILE,
    ],
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: METRICS_OF_NAMES,
    path: PATH,
    examples: &[
        "object.delete",
        "object.delete --endpoint http://store:9000 --concurrency 1,16",
        "object.delete --endpoint http://store:9000 --objects 10000",
    ],
};
