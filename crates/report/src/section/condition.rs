//! What could disturb a measurement: all that the doctor says, and in the
//! summary of a run what was grave before or after it.

use std::cmp::Reverse;

use model::machine::{CheckTime, ConditionCheck};
use model::{Finding, Run, Severity};

use super::findings::word;
use crate::text::paragraph;

/// What stands before advice and later lines.
const INDENT: &str = "    ";

/// The findings of a look, the gravest first, each with its advice.
#[must_use]
pub fn text(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "Nothing found that would disturb a measurement.\n".to_owned();
    }
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|f| Reverse(f.severity));
    let mut out = String::new();
    for finding in sorted {
        out.push_str(&paragraph("", INDENT, &format!("{}: {}", word(finding.severity), finding.text)));
        if let Some(advice) = &finding.advice {
            out.push_str(&paragraph(INDENT, INDENT, advice));
        }
    }
    out
}

/// A condition, and whether it was there before and after the run.
type Seen<'a> = (&'a Finding, bool, bool);

/// The conditions of a run that are warnings or worse, a short block; empty
/// where there are none. Those of the machine that drives need no name.
#[must_use]
pub fn of_run(run: &Run) -> String {
    let mut grave: Vec<(Option<&str>, Seen<'_>)> = Vec::new();
    for (index, machine) in run.machines.iter().enumerate() {
        let mut own: Vec<Seen<'_>> = Vec::new();
        for look in &machine.looks {
            for finding in look.findings.iter().filter(|f| f.severity >= Severity::Warning) {
                note(&mut own, look, finding);
            }
        }
        let name = (index > 0).then_some(machine.id.as_str());
        grave.extend(own.into_iter().map(|condition| (name, condition)));
    }
    grave.sort_by_key(|(_, (f, ..))| Reverse(f.severity));
    let mut out = String::new();
    for (machine, (finding, before, after)) in &grave {
        let when = match (before, after) {
            (true, true) => "before and after the run",
            (true, false) => "before the run",
            _ => "after the run",
        };
        out.push_str(&paragraph(
            "",
            INDENT,
            &format!(
                "{}, {when}{}: {}",
                word(finding.severity),
                machine.map(|name| format!(", at {name}")).unwrap_or_default(),
                finding.text
            ),
        ));
    }
    if !grave.is_empty() {
        out.push_str("`headroom doctor` says what to do.\n");
    }
    out
}

/// The same condition of the same part is told once, in the words of the first
/// look.
fn note<'a>(grave: &mut Vec<Seen<'a>>, look: &ConditionCheck, finding: &'a Finding) {
    let (before, after) = (look.moment == CheckTime::Before, look.moment == CheckTime::After);
    let same = |f: &Finding| {
        f.code == finding.code
            && f.resource == finding.resource
            && (f.resource.is_some() || f.text == finding.text)
    };
    match grave.iter_mut().find(|(f, ..)| same(f)) {
        Some(known) => {
            known.1 |= before;
            known.2 |= after;
        }
        None => grave.push((finding, before, after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{FindingKind, Machine};

    fn condition(code: &str, severity: Severity, text: &str) -> Finding {
        Finding::new(FindingKind::Condition, code, severity).worded(text)
    }

    #[test]
    fn conditions_are_told_with_their_advice_the_gravest_first() {
        let findings = [
            condition("load", Severity::Note, "Two processes are running."),
            condition("governor", Severity::Warning, "The governor is powersave.")
                .advise("Choose performance."),
        ];
        let expected = "warning: The governor is powersave.\n    Choose performance.\nnote: Two processes are running.\n";
        assert_eq!(text(&findings), expected);
        assert_eq!(text(&[]), "Nothing found that would disturb a measurement.\n");
    }

    #[test]
    fn no_name_of_a_process_reaches_the_terminal_as_a_command() {
        let found = text(&[condition("load", Severity::Warning, "evil\u{1b}[2J\u{7} uses a CPU")]);
        assert!(!found.contains('\u{1b}') && found.contains("\\u{1b}[2J"), "{found}");
    }

    #[test]
    fn a_run_tells_what_was_grave_and_when() {
        let mut run = crate::tests::run();
        let look = |moment, findings: Vec<Finding>| ConditionCheck { moment, findings };
        let hot = || condition("hot", Severity::Warning, "It is hot.").on("cpu");
        let hotter = condition("hot", Severity::Warning, "It is hotter.").on("cpu");
        let small = condition("small", Severity::Note, "It is small.");
        let late = condition("late", Severity::Error, "The array is degraded.");
        run.machines = vec![Machine {
            looks: vec![
                look(CheckTime::Before, vec![hot(), small]),
                look(CheckTime::After, vec![hotter, late]),
            ],
            ..Machine::default()
        }];
        let expected = "error, after the run: The array is degraded.\n\
                        warning, before and after the run: It is hot.\n`headroom doctor` says what to do.\n";
        assert_eq!(of_run(&run), expected);
        let looks = vec![look(CheckTime::Before, vec![hot()])];
        run.machines.push(Machine { id: "10.0.0.2:7117".to_owned(), looks, ..Machine::default() });
        assert!(of_run(&run).contains("warning, before the run, at 10.0.0.2:7117: It is hot.\n"));
        run.machines.clear();
        assert_eq!(of_run(&run), "");
    }
}
