//! The description of `disk.rebuild`: its parameters and metrics, as data. It drives as `disk` does, and takes the
//! parameters of that.

use model::parameter::{Kind, ParameterSpec, Word};
use model::resource::Symbol;
use model::{MetricName, MetricSpec, Unit, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::{self, rate, throughput, time};
use crate::workload::disk;

pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("disk.rebuild"),
    definition_version: 1,
    summary: "what users of an array see while a member fails and is rebuilt, while it grows, or while it is scrubbed",
    doc: "Makes a storage stack with an array of md that keeps data when a member fails, drives its top as `disk` does, and \
          has something happen to the array meanwhile. With event=fail a member fails and is taken out; after a while the \
          same device, emptied, is given to the array as a new one, or a spare takes its place at once, and is rebuilt. With \
          event=grow a spare becomes one more member, and what is on the others is moved; then the file system on the array is \
          grown. With event=scrub all copies or all parity are read and compared. Rate and latency are told for each phase, \
          and how long the array took against the speeds that md is allowed. Devices that fail slowly, or answer with errors, \
          are not shown: md is told that the member failed. Without a bitmap all of a member is rebuilt, and so it is here \
          with one.",
    parameters: PARAMETERS,
    headline: TIME_TO_WHOLE,
    metrics: METRICS,
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
    examples: &[
        "disk.rebuild --target /data --stack \"raid5(a+b+c) > ext4\"",
        "disk.rebuild --target /data --stack \"raid6(a+b+c+d)\" --event fail",
        "disk.rebuild --target /data --stack \"raid5(a+b+c)\" --rate 200/s",
    ],
};

/// From the event until the array is as it should be.
pub(super) const TIME_TO_WHOLE: MetricName = MetricName::new("time_to_whole");
/// How long the array worked.
pub(super) const RESYNC_TIME: MetricName = MetricName::new("resync_time");
/// Sectors that differed.
pub(super) const MISMATCHES: MetricName = MetricName::new("mismatches");
/// How long the file system took to grow.
pub(super) const GROWTH_TIME: MetricName = MetricName::new("growth_time");

/// The parameters of `disk` that have no meaning here: a stack is new, its array is at its bottom, and the event ends a
/// trial.
const LEFT_OUT: [&str; 8] =
    ["layer", "present", "presented-by", "precondition", "purge", "verify", "bytes", "until"];

const OWN: [ParameterSpec; 4] = [
    ParameterSpec::new("event", Kind::Choice, "What happens to the array.")
        .always_told()
        .default("fail")
        .costly()
        .words(&[
            Word { word: "fail", doc: "a member fails; the same device, emptied, or a spare is rebuilt in its place" },
            Word { word: "grow", doc: "a spare becomes one more member, and the file system on the array grows" },
            Word { word: "scrub", doc: "all copies or all parity are read and compared" },
        ]),
    ParameterSpec::new(
        "phase-duration",
        Kind::Duration,
        "How long each phase lasts that nothing else ends: before the event, degraded, and after the array is whole.",
    )
    .default("5s"),
    ParameterSpec::new(
        "resync-timeout",
        Kind::Duration,
        "How long after the event the array may take to be whole again; a trial in which it takes longer fails.",
    )
    .default("1h")
    .not_work(),
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.")
        .default("end")
        .ends_trial()
        .words(&[Word { word: "end", doc: "the last phase" }, Word { word: "time", doc: "the duration: refused, as the array would be left as it is then" }]),
];

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_left_out(parameter: &ParameterSpec) -> bool {
    let mut at = 0;
    while at < LEFT_OUT.len() {
        if is_same(LEFT_OUT[at], parameter.name.as_str()) {
            return true;
        }
        at += 1;
    }
    false
}

/// How many parameters of `disk` are kept.
const fn kept() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < disk::SPEC.parameters.len() {
        if !is_left_out(&disk::SPEC.parameters[at]) {
            count += 1;
        }
        at += 1;
    }
    count
}

const fn parameters() -> [ParameterSpec; kept() + OWN.len()] {
    let mut all = [OWN[0]; kept() + OWN.len()];
    let (mut place, mut at) = (0, 0);
    while at < disk::SPEC.parameters.len() {
        if !is_left_out(&disk::SPEC.parameters[at]) {
            all[place] = disk::SPEC.parameters[at];
            place += 1;
        }
        at += 1;
    }
    at = 0;
    while at < OWN.len() {
        all[place + at] = OWN[at];
        at += 1;
    }
    all
}

const PARAMETERS: &[ParameterSpec] = &parameters();

const METRICS: &[MetricSpec] = &[
    time(
        TIME_TO_WHOLE,
        "From the moment that a member is told to fail, or the array to grow or to compare its copies, until all members are \
         there and nothing is synchronised. With event=fail and without a spare the degraded phase is in it.",
    ),
    time(RESYNC_TIME, "How long the array rebuilt a member, moved data to a new one, or compared copies."),
    throughput(
        metric::RESYNC_RATE,
        "Bytes per second that it did of each member meanwhile, as md counts them; the first synchronisation and the \
         comparing of raid10 count bytes of the array.",
    ),
    MetricSpec::lower(
        MISMATCHES,
        Unit::One,
        "Sectors that differed between copies, or from their parity (`mismatch_cnt`), with event=scrub. Writes that were under \
         way may count in raid1 and raid10.",
    ),
    time(GROWTH_TIME, "How long the file system took to grow once the array had."),
    rate(MetricName::new("before_per_second"), "Operations per second before the event."),
    time(
        MetricName::new("before_latency_p50"),
        "Half of the operations took at most this long before the event.",
    ),
    time(
        MetricName::new("before_latency_p99"),
        "99 % of the operations took at most this long before the event.",
    ),
    time(MetricName::new("before_latency_max"), "The longest operation before the event."),
    rate(
        MetricName::new("degraded_per_second"),
        "Operations per second while a member was missing and none was rebuilt.",
    ),
    time(
        MetricName::new("degraded_latency_p50"),
        "Half of the operations took at most this long while a member was missing and none was rebuilt.",
    ),
    time(
        MetricName::new("degraded_latency_p99"),
        "99 % of the operations took at most this long while a member was missing and none was rebuilt.",
    ),
    time(
        MetricName::new("degraded_latency_max"),
        "The longest operation while a member was missing and none was rebuilt.",
    ),
    rate(
        MetricName::new("during_per_second"),
        "Operations per second while a member was rebuilt, the array grew, or its copies were compared.",
    ),
    time(
        MetricName::new("during_latency_p50"),
        "Half of the operations took at most this long while a member was rebuilt, the array grew, or its copies were compared.",
    ),
    time(
        MetricName::new("during_latency_p99"),
        "99 % of the operations took at most this long while a member was rebuilt, the array grew, or its copies were compared.",
    ),
    time(
        MetricName::new("during_latency_max"),
        "The longest operation while a member was rebuilt, the array grew, or its copies were compared.",
    ),
    rate(MetricName::new("after_per_second"), "Operations per second once the array was whole again."),
    time(
        MetricName::new("after_latency_p50"),
        "Half of the operations took at most this long once the array was whole again.",
    ),
    time(
        MetricName::new("after_latency_p99"),
        "99 % of the operations took at most this long once the array was whole again.",
    ),
    time(MetricName::new("after_latency_max"), "The longest operation once the array was whole again."),
    common::IOPS,
    common::THROUGHPUT,
    common::LATENCY_P50,
    common::LATENCY_P99,
    common::LATENCY_P99_9,
    common::LATENCY_MAX,
    common::CPU_PER_OPERATION,
    common::LATE_STARTS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_parameters_of_disk_but_for_those_without_a_meaning() {
        let names: Vec<&str> = SPEC.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        for name in [
            "target",
            "stack",
            "member-size",
            "pattern",
            "block-size",
            "queue-depth",
            "engine",
            "sync",
            "event",
        ] {
            assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name}: {names:?}");
        }
        for name in ["layer", "present", "presented-by", "precondition", "verify", "bytes"] {
            assert!(!names.contains(&name), "{name}");
        }
        assert_eq!(names.len(), disk::SPEC.parameters.len() - LEFT_OUT.len() + OWN.len());
    }
}
