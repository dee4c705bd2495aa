//! What several rules ask of a load on a database: by facts of its trials and what its server counted, whichever
//! server it is.

use model::database::{fact, metric as names};
use model::finding::Place;
use model::run::CaseResult;
use model::trial::{Series, Trial};
use model::{FactName, Machine, SeriesName, Value, metric, series};

use super::counted;
use crate::measure;

/// The kernel's name for the requests that read (`Documentation/admin-guide/iostats.rst`).
const READS: &str = "reads";

/// With fewer reads for each transaction than this, what is slow about a disk has no part in a figure: a read of 100 us
/// for one transaction in a hundred is 1 us for each.
pub(super) const FELT: f64 = 0.01;

/// A fact of the main load as text, as the first trial that gave a result has it.
pub(super) fn text(case: &CaseResult, name: FactName) -> Option<String> {
    measure::good(case).find_map(|trial| trial.result.main().facts.get(&name)).map(ToString::to_string)
}

/// Whether the load changes rows.
pub(super) fn writes(case: &CaseResult) -> bool {
    let does = |trial: &Trial| trial.result.main().facts.get(&fact::WRITES) == Some(&Value::Bool(true));
    measure::good(case).any(does)
}

/// Bytes of tables and indexes, before the load or after it, whichever is more: the median over trials.
pub(super) fn data_bytes(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let both = [fact::BYTES, fact::BYTES_AFTER].into_iter();
        both.filter_map(|name| measure::number(trial, name)).reduce(f64::max)
    };
    measure::median(case, of).filter(|bytes| *bytes > 0.0)
}

/// Bytes of the server's own buffers.
pub(super) fn buffer_bytes(case: &CaseResult) -> Option<f64> {
    measure::median(case, |trial| measure::number(trial, fact::BUFFER_BYTES))
}

/// Who counted what was read from outside of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadCounter {
    /// The kernel, at the devices that the data lie on.
    Device,
    /// The server: what is not in its own buffers. The page cache may have had it.
    Server,
}

impl ReadCounter {
    /// The word by which sentences choose.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Server => "server",
        }
    }
}

/// What was read from outside of memory: of one trial, the middle one by reads for each transaction.
#[derive(Clone, Debug)]
pub(super) struct DataReads {
    pub(super) counter: ReadCounter,
    pub(super) reads_per_s: f64,
    pub(super) transactions_per_s: f64,
    pub(super) place: Place,
}

impl DataReads {
    /// By the kernel where the data are here, else by the server; absent where nobody counted.
    pub(super) fn of(case: &CaseResult, machine: Option<&Machine>) -> Option<Self> {
        Self::at_devices(case, machine).or_else(|| Self::at_server(case))
    }

    fn at_devices(case: &CaseResult, machine: Option<&Machine>) -> Option<Self> {
        let steps = measure::devices(case);
        let first = steps.first()?;
        if counted::uncounted(case, machine) {
            return None;
        }
        let place = measure::place(case, &first.resource, READS)?;
        Self::middle(case, ReadCounter::Device, place, |trial| counted::rate(trial, &steps, READS))
    }

    fn at_server(case: &CaseResult) -> Option<Self> {
        let name = names::SERVER_PAGE_READS_PER_SECOND;
        Self::middle(case, ReadCounter::Server, Place::Metric(name), |trial| measure::measured(trial, name))
    }

    fn middle(
        case: &CaseResult,
        counter: ReadCounter,
        place: Place,
        reads: impl Fn(&Trial) -> Option<f64>,
    ) -> Option<Self> {
        let of = |trial: &Trial| {
            let transactions_per_s = measure::measured(trial, metric::TRANSACTIONS_PER_SECOND)?;
            let reads_per_s = reads(trial)?;
            let each = reads_per_s / transactions_per_s;
            (transactions_per_s > 0.0).then_some((each, (reads_per_s, transactions_per_s)))
        };
        let (reads_per_s, transactions_per_s) = measure::middle(case, of)?;
        Some(Self { counter, reads_per_s, transactions_per_s, place })
    }

    /// Whether there were so many that they are felt.
    pub(super) fn are_felt(&self) -> bool {
        self.reads_per_s >= FELT * self.transactions_per_s
    }
}

/// A series of the main load.
pub(super) fn course(trial: &Trial, name: SeriesName) -> Option<&Series> {
    trial.result.main().series.iter().find(|series| series.name == name)
}

/// Operations per second of the main load in each interval of another series; absent where there are none.
pub(super) fn operations_beside(trial: &Trial, other: &Series) -> Option<Vec<f64>> {
    let own = course(trial, series::OPERATIONS)?;
    let length = own.interval_ns.max(1);
    // The first interval that begins at a time, or after it.
    let index = |at_ns: u64| usize::try_from(at_ns.saturating_sub(own.start_ns).div_ceil(length)).ok();
    let starts = (0..).map(|step: u64| other.start_ns.saturating_add(step.saturating_mul(other.interval_ns)));
    let mean = |(start_ns, _): (u64, &f64)| {
        let end = index(start_ns.saturating_add(other.interval_ns))?.min(own.values.len());
        let inside = own.values.get(index(start_ns)?..end).filter(|values| !values.is_empty())?;
        Some(inside.iter().sum::<f64>() / inside.len() as f64)
    };
    starts.zip(&other.values).map(mean).collect()
}

#[cfg(test)]
pub(super) mod simulated {
    //! Trials of loads on databases, made up.

    use model::database::fact;
    use model::run::CaseResult;
    use model::trial::{Series, Window};
    use model::{
        FactName, Finding, LoadProfile, MetricName, Quantity, Resource, SeriesName, Unit, Value, series,
    };

    use crate::Rule;
    use crate::validity::fixture;

    /// A case of three trials of ten seconds, each with these facts and metrics.
    pub(crate) fn case(facts: &[(FactName, Value)], metrics: &[(MetricName, f64)]) -> CaseResult {
        let mut case = fixture::case(3);
        case.loads.main.profile = LoadProfile::default();
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 0, end_ns: 10_000_000_000 });
            let main = trial.result.main_mut();
            main.facts.insert(fact::VERSION, "MariaDB 10.11".into());
            main.facts.extend(facts.iter().cloned());
            let quantity = |value| Quantity { value, unit: Unit::PerSecond };
            main.metrics.extend(metrics.iter().map(|(name, value)| (*name, quantity(*value))));
        }
        case
    }

    /// Gives every trial a series of half seconds.
    pub(crate) fn add_series(case: &mut CaseResult, name: SeriesName, values: &[f64]) {
        add_intervals(case, name, 500_000_000, values.to_vec());
    }

    /// Gives every trial operations per second, the same for each of these half seconds.
    pub(crate) fn add_operations(case: &mut CaseResult, values: &[f64]) {
        let each = values.iter().flat_map(|value| [*value; 5]).collect();
        add_intervals(case, series::OPERATIONS, 100_000_000, each);
    }

    fn add_intervals(case: &mut CaseResult, name: SeriesName, interval_ns: u64, values: Vec<f64>) {
        let resource = Resource::LOAD;
        let series = Series { resource, name, unit: Unit::PerSecond, start_ns: 0, interval_ns, values };
        for trial in &mut case.trials {
            trial.result.main_mut().series.push(series.clone());
        }
    }

    /// What a rule finds in it.
    pub(crate) fn found(rule: &Rule, case: &CaseResult) -> Vec<Finding> {
        let controls = model::study::Controls::default();
        fixture::found(rule, case, &fixture::context(&controls))
    }

    /// The sentences of that.
    pub(crate) fn said(rule: &Rule, case: &CaseResult) -> Vec<String> {
        found(rule, case).into_iter().map(|finding| finding.text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::database::series as courses;

    #[test]
    fn operations_are_those_of_each_interval_of_the_other_series() {
        let mut case = simulated::case(&[], &[]);
        simulated::add_operations(&mut case, &[10.0, 20.0, 30.0]);
        simulated::add_series(&mut case, courses::PAGE_READS, &[0.0; 3]);
        let beside = |case: &CaseResult| {
            let trial = &case.trials[0];
            operations_beside(trial, course(trial, courses::PAGE_READS)?)
        };
        assert_eq!(beside(&case), Some(vec![10.0, 20.0, 30.0]));
        // It begins later, and in the middle.
        let moved = |case: &mut CaseResult, start_ns: u64| {
            case.trials[0].result.main_mut().series[1].start_ns = start_ns;
        };
        case.trials[0].result.main_mut().series[1].values.pop();
        moved(&mut case, 500_000_000);
        assert_eq!(beside(&case), Some(vec![20.0, 30.0]));
        moved(&mut case, 1_500_000_000);
        assert_eq!(beside(&case), None, "there was no load then");
    }

    #[test]
    fn data_are_as_large_as_they_became() {
        let sizes = [(fact::BYTES, Value::Integer(70)), (fact::BYTES_AFTER, Value::Integer(90))];
        assert_eq!(data_bytes(&simulated::case(&sizes, &[])), Some(90.0));
        assert_eq!(data_bytes(&simulated::case(&sizes[..1], &[])), Some(70.0));
        assert_eq!(data_bytes(&simulated::case(&[], &[])), None);
    }
}
