//! A situation as lines of text.

use ::language::Words;
use ::watch::screen::{cost_text, pressure_text, process_text};
use ::watch::situation::Situation;
use ::watch::text::{first_line, rows};

/// Columns of names, and of how full something is.
const NAME: usize = 34;
const SHARE: usize = 14;

/// The first line, and with it a line for each resource that does something, what tasks waited for, who computed, what
/// holds it back, and what watching cost.
pub(super) fn whole(words: &Words, situation: &Situation, verdicts: &[String]) -> String {
    let mut text = first_line(words, situation) + "\n\n" + &resources(words, situation);
    let pressure = pressure_text(words, situation);
    if !pressure.is_empty() {
        text.push_str(&format!("\n{pressure}\n"));
    }
    for process in situation.processes.iter().take(6) {
        text.push_str(&format!("  {}\n", process_text(process)));
    }
    text.push('\n');
    match verdicts {
        [] => text.push_str(&(words.say("watch-no-verdict") + "\n")),
        all => all.iter().for_each(|verdict| text.push_str(&verdict_line(words, verdict))),
    }
    if let Some(cost) = cost_text(words, situation) {
        text.push_str(&format!("{cost}\n"));
    }
    text
}

/// A line for each resource that does something, and its limit below it.
pub(super) fn resources(words: &Words, situation: &Situation) -> String {
    let mut text = String::new();
    for (row, told) in situation.rows.iter().zip(rows(words, situation)) {
        if row.is_active() {
            let (name, share) = (&told.name, &told.share);
            text.push_str(&format!("  {name:<NAME$} {share:<SHARE$} {}\n", told.now));
            for more in [&told.limit, &told.phases].into_iter().filter(|more| !more.is_empty()) {
                text.push_str(&format!("  {:<NAME$} {:<SHARE$} {more}\n", "", ""));
            }
        }
    }
    text
}

pub(super) fn verdict_line(words: &Words, verdict: &str) -> String {
    words.tell_texts("watch-verdict", &[("text", verdict)]) + "\n"
}
