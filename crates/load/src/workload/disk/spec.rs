//! The description of `disk`: its parameters and metrics, as data.

use model::parameter::{Kind, ParameterSpec, Parts, Word};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::{self, rate, throughput, time};
use crate::workload::disk::stacked;
use crate::workload::disk::{content, distribution, io_engine, pattern, precondition, verify};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("disk"),
    definition_version: 1,
    summary: "reads, writes and discards of files, sequential or random",
    doc: "Drives files with reads and writes, by default around the page cache (O_DIRECT). In a folder it makes files \
          of its own, really writes all of them, and removes them; an existing file is only read, unless it is named \
          with --destroy. What is measured is the path down to the device: the drive's own cache, a controller's and \
          a hypervisor's still lie on it; sweep `span` to see them. A new file is not a preconditioned device: write \
          figures of a short run are those of a burst.",
    parameters: PARAMETERS,
    headline: metric::IOPS,
    metrics: METRICS,
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
    examples: &[
        "disk --target /data",
        "disk --target /data --pattern read,write --block-size 1m",
        "disk --target /data --queue-depth 1..64 --observe block-trace",
    ],
};

/// Rates of loads that read and write.
pub(super) const RATES: [MetricSpec; 7] = [
    common::IOPS,
    common::THROUGHPUT,
    rate(metric::READ_IOPS, "Reads finished per second, of a load that also writes."),
    rate(metric::WRITE_IOPS, "Writes finished per second, of a load that also reads."),
    throughput(metric::READ_THROUGHPUT, "Bytes read per second, of a load that also writes."),
    throughput(metric::WRITE_THROUGHPUT, "Bytes written per second, of a load that also reads."),
    rate(metric::SYNCS_PER_SECOND, "Syncs (fdatasync) finished per second."),
];

/// Times of loads that read and write.
pub(super) const TIMES: [MetricSpec; 20] = [
    common::ELAPSED,
    time(metric::FIRST_DONE, "When the first of several targets had all that was asked for, from the start."),
    time(metric::LAST_DONE, "When the last of several targets had all that was asked for, from the start."),
    common::LATENCY_P50,
    common::LATENCY_P90,
    common::LATENCY_P99,
    common::LATENCY_P99_9,
    common::LATENCY_MAX,
    time(
        MetricName::new("read_latency_p50"),
        "Half of the reads took at most this long, in a load that also writes.",
    ),
    time(
        MetricName::new("read_latency_p99"),
        "99 % of the reads took at most this long, in a load that also writes.",
    ),
    time(
        MetricName::new("write_latency_p50"),
        "Half of the writes took at most this long, in a load that also reads or syncs.",
    ),
    time(
        MetricName::new("write_latency_p99"),
        "99 % of the writes took at most this long, in a load that also reads or syncs.",
    ),
    time(MetricName::new("sync_latency_p50"), "Half of the syncs took at most this long."),
    time(MetricName::new("sync_latency_p99"), "99 % of the syncs took at most this long."),
    time(
        MetricName::new("submit_latency_p50"),
        "Half of the operations were given to the kernel within this time from their start.",
    ),
    time(
        MetricName::new("submit_latency_p99"),
        "99 % of the operations were given to the kernel within this time from their start.",
    ),
    time(
        MetricName::new("device_latency_p50"),
        "Half of the operations were seen finished this long after the kernel was given them.",
    ),
    time(
        MetricName::new("device_latency_p99"),
        "99 % of the operations were seen finished this long after the kernel was given them.",
    ),
    common::SERVICE_P50,
    common::SERVICE_P99,
];

/// What one operation costs.
pub(super) const COSTS: [MetricSpec; 2] = [common::CPU_PER_OPERATION, common::USER_CPU_PER_OPERATION];

const METRICS: &[MetricSpec] = &joined::<33>(&[
    &RATES,
    &[DURABLE],
    &TIMES,
    &COSTS,
    &[common::RATE_HELD, common::LATE_STARTS, common::UNFINISHED],
]);

const DURABLE: MetricSpec = throughput(
    metric::THROUGHPUT_DURABLE,
    "Bytes written, over the time until all of them were on the device: of writes that are synced at the end, and \
         of those through the page cache, as long as hardly any is overwritten there (one pass over the span, or a tenth \
         of it at random places, which is right within 5 %; else the fact `rewritten` says how many passes it was).",
);

/// One table of several, which have as many entries together.
pub(super) const fn joined<const N: usize>(parts: &[&[MetricSpec]]) -> [MetricSpec; N] {
    let mut all = [common::IOPS; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut place = 0;
        while place < parts[part].len() {
            all[at] = parts[part][place];
            (at, place) = (at + 1, place + 1);
        }
        part += 1;
    }
    assert!(at == N, "the table has another length");
    all
}

/// Patterns, and engines, with which some parameters have a meaning.
const MIXED: &[&str] = &["readwrite", "randrw"];
const WRITES: &[&str] = &["write", "randwrite", "readwrite", "randrw"];
const RANDOM: &[&str] = &["randread", "randwrite", "randrw", "randtrim"];
pub(super) const QUEUED: &[&str] = &["auto", "io_uring", "aio"];
const RING: &[&str] = &["auto", "io_uring"];

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::new(
        "target",
        Kind::Path,
        "A folder, in which files are made and removed; a new name in a folder; or an existing file to read. Several, \
         joined with +, are driven at once, each by threads of its own.",
    ).says(Aspect::Targets)
    .default(".")
    .parts(Parts::Joined)
    .costly()
    .not_work(),
    stacked::STACK,
    stacked::LAYER,
    stacked::MEMBER_SIZE,
    stacked::PRESENT,
    stacked::PRESENTER,
    ParameterSpec::new("pattern", Kind::Choice, "What is done, and in which order.").says(Aspect::Operation)
        .default("randread")
        .words(pattern::WORDS),
    ParameterSpec::new(
        "read-share",
        Kind::Share,
        "Of a pattern that reads and writes: the share of operations that read.",
    )
    .default("50%").only_with("pattern", MIXED),
    ParameterSpec::new(
        "block-size",
        Kind::Size,
        "Bytes of one operation; a mix of sizes with their shares of the operations is 4k:70%+64k:30%.",
    ).always_told().says(Aspect::Sizes)
    .default("4k")
    .parts(Parts::Weighted),
    ParameterSpec::new("queue-depth", Kind::Count, "Operations in flight at once, for each thread.").always_told().says(Aspect::Depth)
        .default("1"),
    ParameterSpec::new("engine", Kind::Choice, "How operations are handed to the kernel.").says(Aspect::Interface)
        .default("auto")
        .words(io_engine::WORDS),
    ParameterSpec::new(
        "submit-batch",
        Kind::Count,
        "Operations handed over at once, at most; fio's iodepth_batch_submit.",
    )
    .default("8").only_with("engine", QUEUED),
    ParameterSpec::new(
        "complete-batch",
        Kind::Count,
        "Completions to wait for, at least; fio's iodepth_batch_complete_min.",
    )
    .default("1").only_with("engine", QUEUED),
    ParameterSpec::new(
        "registered",
        Kind::Flag,
        "io_uring: files and buffers are registered with the kernel once, not looked up at each operation.",
    )
    .default("yes").only_with("engine", RING),
    ParameterSpec::new("sqpoll", Kind::Flag, "io_uring: a thread of the kernel takes operations over, without a call.")
        .default("no").only_with("engine", RING),
    ParameterSpec::new(
        "iopoll",
        Kind::Flag,
        "io_uring: completions are polled for instead of interrupting; the device must have poll queues.",
    )
    .default("no").only_with("engine", RING),
    ParameterSpec::new("direct", Kind::Flag, "Around the page cache (O_DIRECT).").says(Aspect::Caches)
        .default("auto")
        .words(&[Word { word: "auto", doc: "yes, but with engine=mmap no: that is the page cache" }]),
    ParameterSpec::new("size", Kind::Size, "Bytes of the files, all of a target's together.").says(Aspect::Span)
        .default("auto")
        .costly()
        .words(&[
            Word { word: "auto", doc: "1 GiB, less where little is free; all of an existing file or a device" },
            Word { word: "all", doc: "all of an existing file or a device; a new file needs a size" },
            Word {
                word: "half",
                doc: "half of what is free, at most 32 GiB; all of an existing file or a device",
            },
        ]),
    ParameterSpec::new("files", Kind::Count, "Into how many files of equal size the bytes are divided.")
        .default("1")
        .costly(),
    ParameterSpec::new("span", Kind::Size, "Bytes that are touched, from the offset on.").says(Aspect::Span)
        .default("all")
        .words(&[Word { word: "all", doc: "all of it" }]),
    ParameterSpec::new("offset", Kind::Size, "Where the bytes that are touched begin.").says(Aspect::Offset).default("0").or_zero(),
    ParameterSpec::new(
        "places",
        Kind::Count,
        "So many evenly spaced places of the span are visited instead of all of it, one after the other, 64 MiB at each: \
         with until=end, sequential patterns, one thread and one file. The report draws the rate over the place.",
    )
    .words(&[Word { word: "all", doc: "all of the span" }]),
    ParameterSpec::new("distribution", Kind::Choice, "How random places are spread over the span.").silent_by_default()
        .default("uniform").only_with("pattern", RANDOM)
        .words(distribution::WORDS),
    ParameterSpec::new(
        "zipf-theta",
        Kind::Number,
        "With distribution=zipf: the block of rank k is visited in proportion to 1 / k^theta.",
    )
    .default("1.1").only_with("distribution", &["zipf"]),
    ParameterSpec::new("hot-span", Kind::Share, "With distribution=hot: the share of the blocks that are hot.")
        .default("20%").only_with("distribution", &["hot"]),
    ParameterSpec::new(
        "hot-share",
        Kind::Share,
        "With distribution=hot: the share of the operations that go to the hot blocks.",
    )
    .default("80%").only_with("distribution", &["hot"]),
    ParameterSpec::new("content", Kind::Choice, "What is written, and what files of ours hold that are read.").silent_by_default().says(Aspect::Content)
        .default("random")
        .costly()
        .words(content::WORDS),
    ParameterSpec::new(
        "content-share",
        Kind::Share,
        "How much of compressible content is compressed away; how many of the blocks are copies with duplicates.",
    )
    .default("auto").only_with("content", &["compressible", "duplicate"])
    .costly()
    .words(content::SHARE_WORDS),
    ParameterSpec::new("sync", Kind::Choice, "When written data is brought to where it lasts.").silent_by_default()
        .default("none").only_with("pattern", WRITES)
        .words(&[
            Word { word: "none", doc: "when the kernel and the device like" },
            Word { word: "dsync", doc: "at each write (O_DSYNC)" },
            Word { word: "fsync", doc: "by an fdatasync after every `sync-every` writes of a thread" },
            Word { word: "end", doc: "by an fdatasync at the end" },
        ]),
    ParameterSpec::new("sync-every", Kind::Count, "Writes of a thread between two syncs, with sync=fsync.")
        .default("1").only_with("sync", &["fsync"]),
    ParameterSpec::new("precondition", Kind::Choice, "The state that the target is brought into before it is measured.").silent_by_default()
        .default("none")
        .costly()
        .words(precondition::WORDS),
    ParameterSpec::new(
        "purge",
        Kind::Flag,
        "Before that, all blocks of a device are discarded, so that it is as when new. A new file is as it is.",
    ).says(Aspect::Discard)
    .default("no")
    .costly(),
    ParameterSpec::new(
        "verify",
        Kind::Choice,
        "Whether what was written is read back after the window, around the page cache. Each thread then has a region \
         of its own, at random places too.",
    ).silent_by_default()
    .default("none")
    .words(verify::WORDS),
    ParameterSpec::new(
        "keep-data",
        Kind::Flag,
        "Keep the file for later runs, which look whether it holds what was written and need not write it again: of loads \
         that only read, in a folder. `headroom fixtures` lists and removes it.",
    )
    .default("no")
    .silent_by_default()
    .not_work(),
    common::BYTES,
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.").default("time").ends_trial().words(&[
        Word { word: "time", doc: "the duration, or requests or bytes where they are given" },
        Word { word: "end", doc: "one pass over the span: sequential patterns, and random ones with distribution=once" },
        Word {
            word: "full",
            doc: "no space left, or the size where one is given: sequential writes only, into a file that grows or over a \
                  device; each of several targets goes to its own end",
        },
    ]),
];
