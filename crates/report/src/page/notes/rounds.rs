//! Rounds until a load was steady, or that it never was.

use language::{Words, format};
use model::Value;
use model::run::Rounds;

use super::NoteContext;

/// Whether rounds became steady, in a clause.
pub(crate) fn verdict(words: &Words, rounds: &Rounds) -> String {
    let count = ("rounds", Value::from(rounds.values.len() as u64));
    let criteria = rounds.range.zip(rounds.slope);
    match (&rounds.failed, criteria) {
        (Some(reason), _) => {
            let round = ("round", Value::from(rounds.values.len() as u64 + 1));
            words.tell("rounds-failed", &[round, ("reason", Value::from(reason.as_str()))])
        }
        (None, Some((range, slope))) => {
            let key = if rounds.steady { "rounds-steady" } else { "rounds-unsteady" };
            words.tell(key, &[count, ("range", range.into()), ("slope", slope.into())])
        }
        (None, None) => words.tell("rounds-few", &[count]),
    }
}

pub(super) fn of(look: &NoteContext<'_>) -> Vec<String> {
    let words = look.view.words;
    let one = |case: &&model::run::CaseResult| {
        let rounds = case.rounds.as_ref()?;
        let (before, all) = rounds.written;
        let length = format::setting(rounds.round_s, model::Unit::Seconds);
        let texts = [
            ("verdict", verdict(words, rounds)),
            ("length", length),
            ("before", format::decimal(before)),
            ("all", format::decimal(all)),
        ];
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let key = if before > 0 || all > 0 { "remark-rounds-written" } else { "remark-rounds" };
        Some(look.about(case, &look.view.tell(key, &texts)))
    };
    look.cases.iter().filter_map(one).collect()
}
