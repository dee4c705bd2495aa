//! Figures of each request of a mix: a class of operations and metrics of its own.

use engine::outcome::LoadOutcome;
use engine::queue::Class;
use model::trial::Window;
use model::{FactName, MetricName, MetricSpec, Quantity};

use crate::workload::common;
use crate::workload::http::errors;

/// So many requests of a file have figures of their own, where it has no more.
pub(super) const KINDS_MOST: usize = 8;

/// The class of errors, and that of the first request of a mix.
pub(super) const ERROR: u8 = 1;
pub(super) const FIRST_KIND: u8 = 2;

const fn kind(name: &'static str) -> Class {
    Class { name, counts: true, fails: false }
}

/// What becomes of requests: answers that are none of success are no operations. What was due and was never
/// begun is of the first class, whatever request it would have been.
const CLASSES: &[Class] = &[
    kind("answer"),
    Class { name: errors::CLASS, counts: false, fails: true },
    kind("line_1"),
    kind("line_2"),
    kind("line_3"),
    kind("line_4"),
    kind("line_5"),
    kind("line_6"),
    kind("line_7"),
    kind("line_8"),
];

/// The classes of a load whose file has so many requests.
pub(super) fn classes(lines: usize) -> &'static [Class] {
    &CLASSES[..FIRST_KIND as usize + if have_figures(lines) { lines } else { 0 }]
}

/// Whether each of so many requests has figures of its own: a single one has those of the load.
pub(super) fn have_figures(lines: usize) -> bool {
    (2..=KINDS_MOST).contains(&lines)
}

/// What is told of each: what it asks for, and how many answers and errors it had in the whole trial.
pub(super) const FACTS: [[FactName; 3]; KINDS_MOST] = [
    facts(["line_1", "line_1_answers", "line_1_errors"]),
    facts(["line_2", "line_2_answers", "line_2_errors"]),
    facts(["line_3", "line_3_answers", "line_3_errors"]),
    facts(["line_4", "line_4_answers", "line_4_errors"]),
    facts(["line_5", "line_5_answers", "line_5_errors"]),
    facts(["line_6", "line_6_answers", "line_6_errors"]),
    facts(["line_7", "line_7_answers", "line_7_errors"]),
    facts(["line_8", "line_8_answers", "line_8_errors"]),
];

const fn facts([asks, answers, errors]: [&'static str; 3]) -> [FactName; 3] {
    [FactName::new(asks), FactName::new(answers), FactName::new(errors)]
}

macro_rules! metrics_of {
    ($($line:literal),*) => {
        [$(
            common::rate(
                MetricName::new(concat!("line_", $line, "_per_second")),
                concat!("Answers without an error to the request of line ", $line, " per second."),
            ),
            common::time(
                MetricName::new(concat!("line_", $line, "_latency_p50")),
                concat!("Half of the requests of line ", $line, " took at most this long."),
            ),
            common::time(
                MetricName::new(concat!("line_", $line, "_latency_p99")),
                concat!("99 % of the requests of line ", $line, " took at most this long."),
            ),
        )*]
    };
}

/// The metrics of each, in the order of the lines.
pub(super) const METRICS: &[MetricSpec] = &metrics_of!(1, 2, 3, 4, 5, 6, 7, 8);

/// How many answers per second each had in the window; its latencies follow from their distributions.
pub(super) fn rates(
    outcome: &LoadOutcome,
    window: Window,
) -> impl Iterator<Item = (MetricName, Quantity)> + '_ {
    let seconds = window.seconds();
    let kinds = outcome.classes.iter().skip(FIRST_KIND as usize).zip(METRICS.iter().step_by(3));
    kinds.map(move |(kind, rate)| (rate.name, Quantity { value: kind.operations / seconds, unit: rate.unit }))
}

#[cfg(test)]
mod tests {
    use model::metric;

    use super::*;

    #[test]
    fn each_class_has_the_metrics_of_its_name() {
        for (class, specs) in CLASSES[FIRST_KIND as usize..].iter().zip(METRICS.chunks_exact(3)) {
            let latency = metric::LATENCY.of(class.name);
            assert_eq!(Some(specs[0].name), metric::PER_SECOND.of(class.name));
            assert!(specs[1..].iter().all(|spec| spec.name.statistic().map(|(of, _)| of) == latency));
        }
        assert_eq!(CLASSES[usize::from(ERROR)].name, errors::CLASS);
        assert_eq!([0, 1, 2, 8, 9].map(|lines| classes(lines).len()), [2, 2, 4, 10, 2]);
    }
}
