//! The description of `disk.replay`: its parameters and metrics, as data.

use model::parameter::{Kind, ParameterSpec, Parts, Word};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricName, MetricSpec, Unit, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::{self, rate, time};
use crate::workload::disk::replay::recording::SHA256;
use crate::workload::disk::spec::QUEUED;
use crate::workload::disk::{self, io_engine, stacked};

pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("disk.replay"),
    definition_version: 1,
    summary: "recorded I/O, done again: as it was timed, faster, or as fast as possible",
    doc: "Plays a recording of block I/O or of file I/O on another target: a trace that this program saved, the files \
          of blktrace, or an iolog of fio (versions 2 and 3). Each operation is due when it was recorded, whatever \
          became of those before: latency counts from then, and late starts are counted. How long operations took \
          when they were recorded stands beside it, where the recording says so. Writes have random content. In a \
          folder it makes a file as large as the recording reaches, really writes all of it, and removes it; an \
          existing file or a device is only written if it is named with --destroy. On a stack all of it goes to the \
          layer that is driven, and discards are left out unless they are asked for. The order of operations that \
          overlap in time is not kept, as the kernel keeps none.",
    parameters: PARAMETERS,
    headline: metric::IOPS,
    metrics: METRICS,
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
    examples: &[
        "disk.replay --replay day.hrt --target /data",
        "disk.replay --replay day.hrt --target /data --speed 1,2,max",
        "disk.replay --replay day.hrt --target /data --writes read",
    ],
};

/// Operations per second when they were recorded.
pub(super) const RECORDED_IOPS: MetricName = MetricName::new("recorded_iops");
/// Half of them took at most this long then.
pub(super) const RECORDED_P50: MetricName = MetricName::new("recorded_latency_p50");
/// 99 % of them did.
pub(super) const RECORDED_P99: MetricName = MetricName::new("recorded_latency_p99");
/// How many take longer now.
pub(super) const SLOWER_SHARE: MetricName = MetricName::new("slower_share");
/// How many start late.
pub(super) const LATE_SHARE: MetricName = MetricName::new("late_share");

/// How the recorded device did the same.
const RECORDED: [MetricSpec; 4] = [
    time(
        RECORDED_P50,
        "Half of the same operations took at most this long when they were recorded: from being queued at the device \
         until all of it was completed.",
    ),
    time(RECORDED_P99, "99 % of the same operations took at most this long when they were recorded."),
    rate(RECORDED_IOPS, "The same operations per second when they were recorded."),
    MetricSpec::lower(
        SLOWER_SHARE,
        Unit::One,
        "Of the operations of which it was recorded how long they took, the share that took longer here once the kernel \
         had them.",
    ),
];

const LATE: MetricSpec = MetricSpec::lower(
    LATE_SHARE,
    Unit::One,
    "The share of the operations that started more than 0.1 ms after they were due.",
);

const METRICS: &[MetricSpec] = &disk::spec::joined::<36>(&[
    &disk::spec::RATES,
    &disk::spec::TIMES,
    &RECORDED,
    &[common::LATE_STARTS, LATE, common::UNFINISHED],
    &disk::spec::COSTS,
]);

const RING: &[&str] = &["auto", "io_uring"];

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::new(
        "replay",
        Kind::Path,
        "The recording: a file of `headroom trace --save`, one of blktrace's files (those of all CPUs are read) or what \
         their names have in common, or an iolog of fio. It must be given. Where it lies is no part of the work: what it \
         holds is.",
    )
    .not_work(),
    ParameterSpec::new(
        "recording",
        Kind::Choice,
        "What the recording must hold. Results of the same content are of the same work, wherever it lay.",
    )
    .silent_by_default()
    .default("any")
    .words(&[Word { word: "any", doc: "whatever it holds; the result has its digest" }])
    .digest(Word {
        word: SHA256,
        doc: "what has this SHA-256 in 64 hexadecimal digits, as sha256sum prints it of the file; of blktrace's files, of \
              all of them, one behind the other by CPU",
    }),
    ParameterSpec::new(
        "target",
        Kind::Path,
        "Where it is played: a folder, in which a file is made and removed; a new name in a folder; an existing file or \
         a device. Of a recording of several files or devices all go there, side by side; NAME=TARGET+NAME=TARGET gives \
         each a target of its own, and leaves out those that are not named. Of devices that stand on one another only \
         the uppermost is played unless it is named.",
    ).says(Aspect::Targets)
    .default(".")
    .parts(Parts::Named)
    .costly()
    .not_work(),
    stacked::STACK,
    stacked::LAYER,
    stacked::MEMBER_SIZE,
    stacked::PRESENT,
    ParameterSpec::new(
        "speed",
        Kind::Number,
        "How many times as fast as recorded: 2, or 0.5 for half as fast.",
    ).always_told()
    .default("1")
    .words(&[Word {
        word: "max",
        doc: "as fast as possible: an operation starts when one before it ends",
    }]),
    ParameterSpec::new(
        "map",
        Kind::Choice,
        "What becomes of places that the target does not have.",
    ).silent_by_default()
    .default("none")
    .words(&[
        Word { word: "none", doc: "nothing: a target that is too small is refused" },
        Word { word: "wrap", doc: "behind the end of the target they begin anew at its start (modulo its size)" },
        Word {
            word: "scale",
            doc: "all that was recorded is pressed or stretched onto all of the target, so that what was far apart is so \
                  in proportion; neighbours may overlap",
        },
    ]),
    ParameterSpec::new(
        "align",
        Kind::Size,
        "Places are rounded down, and ends up, to multiples of this, for targets with larger blocks than the recorded \
         one.",
    ),
    ParameterSpec::new("writes", Kind::Choice, "What becomes of recorded writes.").silent_by_default()
        .default("play")
        .words(&[
            Word {
                word: "play",
                doc: "they are done, with random content; those that were on the medium when they ended (FUA) are again \
                      (RWF_DSYNC), and writes of zeros are done without data where that can be done (BLKZEROOUT, \
                      FALLOC_FL_ZERO_RANGE)",
            },
            Word { word: "skip", doc: "they are left out, with syncs, discards and writes of zeros" },
            Word {
                word: "read",
                doc: "their places are read instead; syncs, discards and writes of zeros are left out",
            },
        ]),
    ParameterSpec::new("discards", Kind::Choice, "What becomes of recorded discards.").silent_by_default()
        .default("auto")
        .words(&[
            Word { word: "auto", doc: "done where all targets are block devices that take them, else left out" },
            Word { word: "play", doc: "done: all targets must be block devices" },
            Word { word: "skip", doc: "left out" },
        ]),
    ParameterSpec::new("queue-depth", Kind::Count, "Operations in flight at once, at most, for each thread.")
        .says(Aspect::Depth)
        .default("recorded")
        .words(&[Word {
            word: "recorded",
            doc: "as many as there were at most when it was recorded, 32 where nobody knows; at the recorded times at \
                  least 32; with an engine that does one at a time, 1",
        }]),
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
    ParameterSpec::new(
        "size",
        Kind::Size,
        "Bytes of a file that is made, or of an existing target that are used, from its start.",
    ).says(Aspect::Span)
    .default("auto")
    .costly()
    .words(&[Word { word: "auto", doc: "as far as the recording reaches; all of an existing file or a device" }]),
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.").default("end").ends_trial().words(&[
        Word { word: "end", doc: "the end of the recording, as often as `repeat` says" },
        Word { word: "time", doc: "the duration, or requests, if given; the recording begins anew as often as that takes" },
    ]),
    ParameterSpec::new("repeat", Kind::Count, "How often the recording is played, with until=end.")
        .default("1")
        .only_with("until", &["end"]),
];
