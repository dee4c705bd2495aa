//! How many bytes fitted on a target that was filled, or that its size was
//! reached before it was full.

use language::format;
use model::profile::LoadEnd;
use model::run::CaseResult;
use model::{MetricName, Status, Trial, fact, metric};

use super::NoteContext;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    // Several are full at several times, and no figure says how many bytes each took.
    if crate::load::profile(case).end != LoadEnd::Full || case.loads.main.targets.len() > 1 {
        return None;
    }
    let good = || case.trials.iter().filter(|t| t.status == Status::Ok);
    let was_full =
        |t: &Trial| t.result.main().facts.get(&fact::ENDED).is_some_and(|how| fact::is(how, fact::FULL));
    let key = if good().all(was_full) { "remark-full" } else { "remark-not-full" };
    let bytes = stats::interval::median(&good().filter_map(bytes).collect::<Vec<_>>())?;
    Some(context.view.tell(key, &[("bytes", &format::decimal(bytes as u64))]))
}

/// What a trial wrote: its mean rate for as long as it took.
fn bytes(trial: &Trial) -> Option<f64> {
    let value = |name: MetricName| Some(trial.result.main().metrics.get(&name)?.value);
    Some((value(metric::THROUGHPUT)? * value(metric::ELAPSED)?).round())
}
