//! Rounds until a load was steady, or that it never was.

use language::format;
use model::run::CaseResult;

use super::NoteContext;
use crate::figure::rounds_verdict;

pub(super) fn of(context: &NoteContext<'_>, case: &CaseResult) -> Option<String> {
    let words = context.view.words;
    let rounds = case.rounds.as_ref()?;
    let (before, all) = rounds.written;
    let length = format::setting(rounds.round_s, model::Unit::Seconds);
    let texts = [
        ("verdict", rounds_verdict(words, rounds)),
        ("length", length),
        ("before", format::decimal(before)),
        ("all", format::decimal(all)),
    ];
    let key = if before > 0 || all > 0 { "remark-rounds-written" } else { "remark-rounds" };
    Some(context.view.tell(key, &texts.each_ref().map(|(name, text)| (*name, text.as_str()))))
}
