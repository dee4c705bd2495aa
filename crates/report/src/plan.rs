//! A plan as text: what `--dry-run` prints.

use model::Plan;
use model::plan::{Case, Effect, FixtureKey, Ownership, Precondition, Problem};

use crate::format;
use crate::text::paragraph;

/// The plan in words: cases, order, what will be written, how long it takes.
#[must_use]
pub fn text(plan: &Plan, left_out: &[(Case, Problem)]) -> String {
    let mut out = String::new();
    let controls = &plan.controls;
    let trials = if controls.trials_min == controls.trials_max {
        controls.trials_min.to_string()
    } else {
        format!("{} to {}", controls.trials_min, controls.trials_max)
    };
    out.push_str(&format!(
        "{} case{} x {trials} trials\n\n",
        plan.cases.len(),
        if plan.cases.len() == 1 { "" } else { "s" }
    ));
    for group in 0..plan.groups {
        let rounds = plan.group(group).any(Case::has_rounds);
        let how = if rounds {
            ", round by round until five rounds are steady, at most 25; those are the trials"
        } else {
            ""
        };
        let title = format!("Group {} of {}, shuffled anew for each trial{how}", group + 1, plan.groups);
        out.push_str(&paragraph("", "  ", &title));
        for case in plan.group(group) {
            let dirty = if case.effect == Effect::Clean { "" } else { " (writes)" };
            out.push_str(&paragraph("  ", "      ", &format!("{}{dirty}", case.label)));
        }
    }
    out.push('\n');
    for line in touched(plan) {
        out.push_str(&paragraph("", "  ", &line));
    }
    for (case, problem) in left_out {
        let line = format!("left out: {}: {}", case.label, problem.message);
        out.push_str(&paragraph("", "  ", &line));
    }
    let (least, most) = plan.seconds;
    let time = if most - least < 1.0 {
        format!("about {}", format::span(least))
    } else {
        format!("{} to {}", format::span(least), format::span(most))
    };
    let budget =
        controls.budget_s.map(|s| format!(", at most {} (budget)", format::span(s))).unwrap_or_default();
    let writes = plan.cases.iter().flat_map(|c| &c.fixtures).any(|f| f.written() > 0 || f.grows);
    let assumed = if writes { "; files are taken to be written at 200 MB/s" } else { "" };
    out.push_str(&format!("Time needed: {time}{budget}{assumed}.\n"));
    out
}

/// Every file and device that would be touched.
fn touched(plan: &Plan) -> Vec<String> {
    let mut fixtures: Vec<_> = plan.cases.iter().flat_map(|c| &c.fixtures).collect();
    fixtures.sort();
    fixtures.dedup();
    let mut touches: Vec<&String> = plan.cases.iter().flat_map(|c| &c.touches).collect();
    touches.dedup();
    if fixtures.is_empty() && touches.is_empty() {
        return vec!["Nothing is written, no setting is changed.".to_owned()];
    }
    let mut lines: Vec<String> = fixtures.into_iter().map(line).collect();
    lines.extend(touches.into_iter().cloned());
    lines.push("No setting is changed.".to_owned());
    lines
}

fn line(f: &FixtureKey) -> String {
    let (size, target) = (format::binary(f.bytes), &f.target);
    let mut line = match f.ownership {
        Ownership::Created if f.grows => format!(
            "writes a file in {target}, without a name, until no space is left or it has {size}, and removes it"
        ),
        Ownership::Created if f.files > 1 => {
            format!(
                "writes {} files of {size} together in {target}, without names, and removes them",
                f.files
            )
        }
        Ownership::Created => format!("writes a file of {size} in {target}, without a name, and removes it"),
        Ownership::Borrowed => format!("reads {size} of {target}, which is yours"),
        Ownership::Surrendered => format!("OVERWRITES {size} of {target}, as --destroy allows"),
    };
    if f.discarded() > 0 {
        line.push_str("; discards all of it first (purge)");
    }
    match f.precondition {
        Precondition::None => {}
        Precondition::Fill => line.push_str("; writes it once before it is measured (precondition=fill)"),
        Precondition::Full => {
            line.push_str("; writes it twice, sequentially, before it is measured (precondition=full)");
        }
    }
    line
}
