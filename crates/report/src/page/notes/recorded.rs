//! That a recording does not say how long its operations took: then no figure of the recorded device stands beside those
//! of this one.

use model::run::CaseResult;
use model::{Status, fact};

use super::NoteContext;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    let mut good = case.trials.iter().filter(|trial| trial.status == Status::Ok);
    let why = good.find_map(|trial| trial.result.main().facts.get(&fact::RECORDED_TIMES_UNKNOWN))?;
    let is_of_format = fact::is(why, fact::NOT_IN_FORMAT);
    let key = if is_of_format { "remark-recorded-no-latencies" } else { "remark-recorded-no-ends" };
    Some(context.view.say(key))
}
