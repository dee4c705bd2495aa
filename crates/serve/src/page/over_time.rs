//! Charts over time that a reader chooses: any trial of any case of a run, or one quantity of several runs over each other.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use model::Run;
use report::document::Document;
use report::document::html::served;
use report::page::Subject;
use report::page::over_time::{SampledCase, of_runs, of_trial, sampled_cases};
use report::text::printable;
use store::RunEntry;

use super::{Visitor, compare, figure as part, run, with_figures};
use crate::shared::{Shared, Shown};
use crate::trouble::Trouble;

/// Where parts of the charts are asked for; the rest of the address is that of the page.
const FIGURES: &str = "/over-time/figure/";

/// The page.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let shown = shown(&shared, &visitor).await?;
    run::answer(&shared, &visitor, shown, FIGURES).await
}

/// A part of one of its charts.
pub(crate) async fn figure(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(number): Path<usize>,
) -> Result<Response, Trouble> {
    let shown = shown(&shared, &visitor).await?;
    part::answer(&shared, &visitor, shown, number).await
}

/// What is asked for: a case and a trial by their places from 0, and a quantity by its name.
struct Choice {
    case: Option<usize>,
    trial: Option<usize>,
    quantity: Option<String>,
}

async fn shown(shared: &Arc<Shared>, visitor: &Visitor) -> Result<Arc<Shown>, Trouble> {
    let (ids, _) = compare::asked(&visitor.query)?;
    let entries = shared.with_store(move |store| {
        ids.iter()
            .map(|id| store.entry(id)?.ok_or(Trouble::NotFound))
            .collect::<Result<Vec<RunEntry>, Trouble>>()
    });
    let entries = entries.await?;
    let place = |name: &str| visitor.query.get(name).and_then(|place| place.parse::<usize>().ok());
    let quantity = visitor.query.get("quantity").map(str::to_owned);
    let choice = Choice { case: place("case"), trial: place("trial"), quantity };
    let stamps: Vec<String> = entries.iter().map(run::stamp).collect();
    let tag = visitor.words.language().tag();
    let Choice { case, trial, quantity } = &choice;
    let key = format!("over-time {tag} {case:?} {trial:?} {quantity:?} {}", stamps.join(" | "));
    let visitor = visitor.clone();
    let make = move |store: &mut store::SqliteStore| {
        let runs: Vec<Run> =
            entries.iter().map(|entry| run::read(store, &entry.id)).collect::<Result<_, _>>()?;
        let (document, form) = made(&visitor, &runs, &choice)?;
        let below = html! {
            (form)
            div.acts { @for entry in &entries { a href=(format!("/run/{}", entry.id)) { (entry.id) } } }
        };
        let page = served(&document, &with_figures(&visitor, &below, FIGURES));
        Ok(Shown { document, below, page })
    };
    shared.shown(key, make).await
}

/// The page of what was chosen, or of the first that there is, and the form by which another is chosen.
fn made(visitor: &Visitor, runs: &[Run], choice: &Choice) -> Result<(Document, Markup), Trouble> {
    let cases = runs.first().map(sampled_cases).unwrap_or_default();
    let chosen = cases.iter().find(|case| Some(case.place) == choice.case).or(cases.first());
    let chosen = chosen.ok_or(Trouble::Wrong("serve-no-samples"))?;
    let (document, last) = if let [run] = runs {
        let trial = choice.trial.filter(|trial| chosen.trials.contains(trial)).unwrap_or(chosen.trials[0]);
        let document = of_trial(&Subject { run, words: visitor.words }, chosen.place, trial);
        let trials = chosen.trials.iter().map(|place| (place.to_string(), (place + 1).to_string()));
        (document, select(visitor, "trial", "serve-over-time-trial", trials, &trial.to_string()))
    } else {
        let found = of_runs(runs, visitor.words, chosen.place, choice.quantity.as_deref());
        let quantities = found.quantities.iter().map(|name| (name.clone(), name.clone()));
        let shown = found.shown.unwrap_or_default();
        (found.document, select(visitor, "quantity", "serve-over-time-quantity", quantities, &shown))
    };
    if document.sections.is_empty() {
        return Err(Trouble::Wrong("serve-no-samples"));
    }
    Ok((document, form(visitor, runs, (&cases, chosen), &last)))
}

fn form(
    visitor: &Visitor,
    runs: &[Run],
    (cases, chosen): (&[SampledCase], &SampledCase),
    last: &Markup,
) -> Markup {
    let names = cases.iter().map(|case| (case.place.to_string(), case.name.clone()));
    html! {
        form.filter method="get" action="/over-time" {
            @for run in runs { input type="hidden" name="run" value=(run.id); }
            (select(visitor, "case", "serve-over-time-case", names, &chosen.place.to_string()))
            (last)
            button { (visitor.say("serve-show")) }
        }
    }
}

/// A field with these values, each with its text.
fn select(
    visitor: &Visitor,
    name: &str,
    key: &str,
    all: impl Iterator<Item = (String, String)>,
    chosen: &str,
) -> Markup {
    html! {
        label { (visitor.say(key))
            select name=(name) {
                @for (value, text) in all { option value=(value) selected[value == chosen] { (printable(&text)) } }
            }
        }
    }
}
