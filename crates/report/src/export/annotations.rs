//! Goals that are not kept, or of which it cannot be told, cases whose trials failed, and the condition that ended the
//! run, as the lines by which a step of GitHub Actions says something beside a change: `::error title=TITLE::MESSAGE`.
//! What is well has no line.

use model::goal::GoalOutcome;
use model::trial::Status;

use crate::page::goals;
use crate::page::{Subject, View};
use crate::text::clean;

pub(super) fn write(subject: &Subject<'_>) -> String {
    let view = View::new(subject);
    let mut out = String::new();
    if let Some(cause) = analysis::abort_cause(view.run) {
        out.push_str(&line("error", &cause.condition.text, &goals::aborted(&view, &cause)));
    }
    for case in view.cases() {
        let failed = case.trials.iter().filter(|trial| trial.status == Status::Failed);
        let reason = failed.clone().find_map(|trial| trial.reason.as_deref()).unwrap_or_default();
        let count = failed.count();
        if count > 0 {
            let message = format!("{} {reason}", view.count("ending-failed", count));
            out.push_str(&line("error", &case.label.to_string(), &message));
        }
    }
    for goal in goals::all(&view) {
        if goal.cases.is_empty() {
            let (_, key) = goals::verdict(GoalOutcome::CannotTell);
            let message = format!("{}: {}", view.say(key), view.say(goals::NO_CASE));
            out.push_str(&line("warning", &goal.goal.text, &message));
        }
        for (case, held) in &goal.cases {
            let command = match held.outcome {
                GoalOutcome::Kept => continue,
                GoalOutcome::CannotTell => "warning",
                GoalOutcome::NotKept => "error",
            };
            let (_, key) = goals::verdict(held.outcome);
            let told = goals::told(&view, &goal, (*case, *held));
            let message = format!("{}: {told} ({})", view.say(key), case.label);
            out.push_str(&line(command, &goal.goal.text, &message));
        }
    }
    out
}

/// One line. What stands for itself in the command is written as GitHub's own toolkit does.
fn line(command: &str, title: &str, message: &str) -> String {
    let data = |text: &str| clean(text.trim()).replace('%', "%25");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    format!("::{command} title={}::{}\n", property(title), data(message))
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    #[test]
    fn what_is_not_kept_is_an_error_and_what_cannot_be_told_a_warning() {
        let run = crate::page::goals::tests::run();
        let text = write(&Subject { run: &run, words: Language::English.words() });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("::warning title=iops >= 480/s::cannot tell: 500.0 /s"), "{text}");
        let error = "::error title=iops >= 800/s::not kept: 500.0 /s (450.0 to 550.0) (disk queue-depth=2)";
        assert_eq!(lines[1], error);
    }

    #[test]
    fn a_text_of_others_is_no_command() {
        let line = line("error", "a: 5%,\n::stop", "x\r\n::add-mask::y 5%");
        assert_eq!(line, "::error title=a%3A 5%25%2C %3A%3Astop::x  ::add-mask::y 5%25\n");
    }
}
