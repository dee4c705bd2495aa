//! What a search for the most that a load gives saw.

use model::run::CaseResult;

use super::NoteContext;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    crate::page::capacity::remark(context.view, case)
}
