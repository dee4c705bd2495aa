//! Why two things cannot be compared.

use model::MetricName;

use super::words::list;

/// Why two things cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    /// Nothing to hold it against.
    #[error("one run alone has nothing to be compared with")]
    TooFew,
    /// A run against itself.
    #[error("run {run} is given twice: against itself every run is the same")]
    Twice {
        /// The run.
        run: String,
    },
    /// No case of one is the same work as one of the other.
    #[error("run {other} did not do the same work as run {baseline}: {}", differs.join("; "))]
    Unlike {
        /// The baseline.
        baseline: String,
        /// The other.
        other: String,
        /// The nearest cases, with what differs.
        differs: Vec<String>,
    },
    /// All cases have the same, or none has it.
    #[error("the cases of run {run} do not differ in `{by}`")]
    NoFactor {
        /// The run.
        run: String,
        /// What was asked.
        by: String,
        /// In what they do differ, with the levels.
        factors: Vec<String>,
    },
    /// Whatever differs in it differs in something else too.
    #[error("no two cases of run {run} differ in `{by}` alone")]
    NeverAlone {
        /// The run.
        run: String,
        /// What was asked.
        by: String,
        /// In what they differ, with the levels.
        factors: Vec<String>,
    },
    /// The baseline is no level.
    #[error("no case has {by}={value}")]
    NoLevel {
        /// The thing.
        by: String,
        /// What was asked.
        value: String,
        /// What there is.
        levels: Vec<String>,
    },
    /// No case has it on both sides.
    #[error("no case has the metric `{metric}` on both sides")]
    NoMetric {
        /// What was asked.
        metric: MetricName,
        /// What there is.
        known: Vec<String>,
    },
}

impl ComparisonError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::TooFew => "name a second run, or what to compare within this one: --by NAME".to_owned(),
            Self::Twice { .. } => "name two runs; `headroom list` shows those that are kept".to_owned(),
            Self::Unlike { .. } => {
                "run the same work again; within one run, --by NAME compares what differs".to_owned()
            }
            Self::NoFactor { factors, .. } | Self::NeverAlone { factors, .. } if factors.is_empty() => {
                "its cases differ in no single thing; give two runs to compare".to_owned()
            }
            Self::NoFactor { factors, .. } | Self::NeverAlone { factors, .. } => {
                format!("they differ in {}", factors.join("; "))
            }
            Self::NoLevel { levels, .. } => format!("there are {}", list(levels)),
            Self::NoMetric { known, .. } if known.is_empty() => "no metric is on both sides".to_owned(),
            Self::NoMetric { known, .. } => format!("there are {}, and `all`", list(known)),
        }
    }
}
