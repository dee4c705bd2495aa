//! What a metric is: its name, unit, direction and meaning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::unit::Unit;

/// Which direction of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// One metric of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MetricSpec {
    /// The name in the run document, in snake case.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// What it counts, in a sentence.
    pub doc: &'static str,
}

impl MetricSpec {
    /// A metric of which more is better.
    #[must_use]
    pub const fn higher(name: &'static str, unit: Unit, doc: &'static str) -> Self {
        Self { name, unit, better: Better::Higher, doc }
    }

    /// A metric of which less is better.
    #[must_use]
    pub const fn lower(name: &'static str, unit: Unit, doc: &'static str) -> Self {
        Self { name, unit, better: Better::Lower, doc }
    }
}

/// What a metric says of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// So many percent of the values are at most this large.
    Percentile(f64),
    /// The greatest value.
    Greatest,
}

impl Statistic {
    /// The distribution that a metric is of, and what of it: `read_latency_p99_9` is
    /// the 99.9th percentile of `read_latency`, `latency_max` the greatest of
    /// `latency`. `None` for metrics that are of none.
    #[must_use]
    pub fn of(metric: &str) -> Option<(&str, Self)> {
        if let Some(distribution) = metric.strip_suffix("_max") {
            return Some((distribution, Self::Greatest));
        }
        let (distribution, percent) = metric.rsplit_once("_p")?;
        let percent = percent.replace('_', ".").parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some((distribution, Self::Percentile(percent)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_names_its_distribution() {
        assert_eq!(Statistic::of("latency_p50"), Some(("latency", Statistic::Percentile(50.0))));
        assert_eq!(Statistic::of("read_latency_p99_9"), Some(("read_latency", Statistic::Percentile(99.9))));
        assert_eq!(Statistic::of("latency_max"), Some(("latency", Statistic::Greatest)));
        for metric in
            ["iops", "cpu_per_operation", "packets_per_second", "latency_p", "latency_p101", "x_pinf"]
        {
            assert_eq!(Statistic::of(metric), None, "{metric}");
        }
    }
}
