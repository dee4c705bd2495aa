//! How long a commit takes, the writes and the sync behind them, as a database
//! waits for it: the latency of the load is that of a write alone.
//!
//! A worker that does one operation at a time does one commit after the other,
//! so that their mean time is the number of workers by the rate of syncs. With
//! more under way, or with a rate that was asked for, it is not.

use model::profile::{Concurrency, OperationClass};
use model::run::CaseResult;
use model::{MetricName, Unit, Value, metric};

use super::NoteContext;
use crate::format;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    let rate =
        |name: MetricName| case.loads.main.estimates.get(&name).map(|e| e.median).filter(|rate| *rate > 0.0);
    let Concurrency { workers, operations, rate_per_s, .. } = crate::load::profile(case).concurrency;
    let is_one_by_one = operations == workers && rate_per_s.is_none();
    let reads = crate::load::profile(case).does(OperationClass::Read);
    if !is_one_by_one || reads || case.loads.main.targets.len() > 1 {
        return None;
    }
    let syncs = rate(metric::SYNCS_PER_SECOND)?;
    let writes = (rate(metric::WRITE_IOPS).or_else(|| rate(metric::IOPS))? / syncs).round().max(1.0);
    let mean = workers as f64 / syncs;
    let arguments = [
        ("writes", Value::Integer(writes as u64)),
        ("time", Value::Text(format::quantity(mean, Unit::Seconds))),
    ];
    Some(context.view.words.tell("remark-commit", &arguments))
}
