//! What was taken or given to prove verdicts, and what that did: a chart for each workload.

use chart::plot::{EffectRow, Effects, Measured};
use model::Value;
use model::run::{CaseResult, ProofEffect, ProofOutcome, ProofStep};

use super::Figure;
use crate::view::{View, label};

/// The chart of the proofs of these cases, if there are any.
pub(super) fn figure(view: &View<'_>, cases: &[&CaseResult]) -> Option<Figure> {
    let with_proof: Vec<&CaseResult> = cases.iter().copied().filter(|case| case.proof.is_some()).collect();
    let is_one = with_proof.len() == 1;
    let rows = with_proof.iter().flat_map(|case| {
        let effects = case.proof.iter().flat_map(|proof| &proof.effects);
        effects.map(|effect| row(view, case, effect, is_one)).collect::<Vec<_>>()
    });
    let rows: Vec<EffectRow> = rows.collect();
    let verdicts = with_proof.iter().filter_map(|case| {
        let outcome = case.proof.as_ref()?.outcome;
        let outcome = view.say(match outcome {
            ProofOutcome::Proved => "proof-proved",
            ProofOutcome::Refuted => "proof-refuted",
            _ => "proof-unproved",
        });
        let case = view.short(case);
        Some(if is_one {
            outcome
        } else {
            view.tell("remark-of-case", &[("case", &case), ("text", &outcome)])
        })
    });
    let verdicts = verdicts.collect::<Vec<_>>().join("; ");
    (!rows.is_empty()).then(|| {
        let title = view.tell("figure-proofs", &[("verdicts", &verdicts)]);
        Figure::new("proofs", title, Effects { rows }).note(Some(view.say("figure-proofs-note")))
    })
}

fn row(view: &View<'_>, case: &CaseResult, effect: &ProofEffect, is_one: bool) -> EffectRow {
    let what = what(view, effect);
    let (role, mark) = match effect.step {
        ProofStep::Named => ("proof-named", 0),
        ProofStep::Relief => ("proof-relief", 2),
        _ => ("proof-other", 1),
    };
    let expected = match effect.step {
        // What is not named must not matter.
        ProofStep::Other | ProofStep::Rival => Some(0.0),
        _ => effect.in_proportion,
    };
    EffectRow {
        label: match is_one {
            true => what,
            false => view.tell("remark-of-case", &[("case", &view.short(case)), ("text", &what)]),
        },
        effect: Measured { value: effect.effect, interval: Some((effect.low, effect.high)) },
        expected,
        role: view.say(role),
        mark,
    }
}

/// What was changed.
fn what(view: &View<'_>, effect: &ProofEffect) -> String {
    let number = |value: Option<f64>| Value::Number(value.unwrap_or_default());
    match (&effect.resource, &effect.setting, effect.parameter) {
        (Some(resource), ..) => {
            let machine = effect.machine.as_deref().unwrap_or_default();
            let parts = [
                ("taken", number(effect.taken)),
                ("resource", Value::from(resource.as_str())),
                ("end", Value::from(if machine.is_empty() { "near" } else { "far" })),
                ("machine", Value::from(machine)),
            ];
            view.words.tell("proof-taken", &parts)
        }
        (None, Some(setting), _) => {
            let parts =
                [("more", number(effect.in_proportion)), ("parameter", Value::from(setting.as_str()))];
            view.words.tell("proof-raised", &parts)
        }
        (None, None, parameter) => {
            let parameter = parameter.map(|p| label::title(view.words, p.as_str())).unwrap_or_default();
            let parts = [
                ("parameter", Value::from(parameter.as_str())),
                ("from", number(effect.from)),
                ("to", number(effect.to)),
            ];
            view.words.tell("proof-level", &parts)
        }
    }
}
