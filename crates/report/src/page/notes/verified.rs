//! What was read back and held against what was written. That something was
//! wrong is an error of the trial, and said as one; this says that nothing was.

use model::run::CaseResult;
use model::{Status, Value, fact};

use super::NoteContext;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    // Of a trial that failed nobody knows what it would have read.
    if case.trials.iter().any(|t| t.status == Status::Failed) {
        return None;
    }
    let facts = || case.trials.iter().filter(|t| t.status == Status::Ok).map(|t| &t.result.main().facts);
    let blocks = |value: &Value| match value {
        Value::Integer(count) => Some(*count),
        _ => None,
    };
    let all: Vec<u64> = facts().filter_map(|f| f.get(&fact::VERIFIED_BLOCKS).and_then(blocks)).collect();
    let count: u64 = all.iter().sum();
    if count == 0 {
        return None;
    }
    let is_cached = |how: &Value| fact::is(how, fact::PAGE_CACHE);
    let cached = facts().any(|f| f.get(&fact::VERIFIED_BY_READING).is_some_and(is_cached));
    let key = if cached { "remark-verified-cached" } else { "remark-verified" };
    let arguments = [("blocks", Value::Integer(count)), ("trials", Value::from(all.len() as u64))];
    Some(context.view.words.tell(key, &arguments))
}
