//! Runs beside each other, or the cases of one: the page that `headroom compare` writes, of what was ticked in the list.

use std::sync::Arc;

use analysis::comparison::{ComparisonOptions, Judged, MARGIN, factors, of_runs, within};
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use model::Run;
use report::document::html::served;
use report::page::comparison::{ComparisonSubject, document};
use report::text::printable;
use store::RunEntry;

use super::{Visitor, around, is_id, run, whole, with_styles};
use crate::query::{Query, encoded};
use crate::shared::{Shared, Shown};
use crate::trouble::Trouble;

/// Runs beside each other, at most.
const RUNS_MOST: usize = 8;

/// The page.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let (ids, is_ordered) = asked(&visitor.query)?;
    let entries = shared.with_store(move |store| {
        ids.iter()
            .map(|id| store.entry(id)?.ok_or(Trouble::NotFound))
            .collect::<Result<Vec<RunEntry>, Trouble>>()
    });
    let mut entries = entries.await?;
    if !is_ordered {
        // What was there before is the baseline.
        entries.sort_by(|a, b| a.started.cmp(&b.started));
    }
    let by = visitor.query.get("by").map(str::to_owned);
    if let ([one], None) = (&entries[..], &by) {
        return choose(&shared, &visitor, one).await;
    }
    let margin = margin(&visitor.query);
    let is_all = visitor.query.get("all").is_some();
    let stamps: Vec<String> = entries.iter().map(run::stamp).collect();
    let tag = visitor.words.language().tag();
    let key = format!("compare {tag} {margin} {is_all} {by:?} {}", stamps.join(" | "));
    let shown = shared
        .shown(key, move |store| {
            let runs: Vec<Run> =
                entries.iter().map(|entry| run::read(store, &entry.id)).collect::<Result<_, _>>()?;
            let judged = if is_all { Judged::All(&[]) } else { Judged::Usual };
            let options = ComparisonOptions { margin, judged, baseline: None };
            let comparison = match (&runs[..], &by) {
                ([one], Some(by)) => within(one, by, &options)?,
                _ => of_runs(&runs, &options)?,
            };
            let subject = ComparisonSubject {
                comparison: &comparison,
                runs: &runs,
                command: &[],
                words: visitor.words,
            };
            let document = document(&subject);
            let below = below(&visitor, &entries, by.as_deref());
            let page = served(&document, &around(&visitor, &below));
            Ok(Shown { document, below, page })
        })
        .await?;
    Ok(with_styles(&shown.page))
}

/// The ids of the runs, and whether their order was chosen: `a` is the baseline then, or the first.
pub(super) fn asked(query: &Query) -> Result<(Vec<String>, bool), Trouble> {
    let is_ordered = query.get("a").is_some() || query.get("ordered").is_some();
    let mut ids: Vec<String> = Vec::new();
    for id in ["a", "b", "run"].iter().flat_map(|name| query.all(name)) {
        if !is_id(id) {
            return Err(Trouble::NotFound);
        }
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    match ids.len() {
        0 => Err(Trouble::Wrong("serve-compare-two")),
        n if n > RUNS_MOST => Err(Trouble::Wrong("serve-compare-fewer")),
        _ => Ok((ids, is_ordered)),
    }
}

/// The difference that does not matter, given in percent.
fn margin(query: &Query) -> f64 {
    let percent = query.get("margin").and_then(|text| text.trim_end_matches(['%', ' ']).parse::<f64>().ok());
    percent.filter(|percent| (0.0..100.0).contains(percent)).map_or(MARGIN, |percent| percent / 100.0)
}

/// Of one run alone: by what its cases can be compared.
async fn choose(shared: &Arc<Shared>, visitor: &Visitor, entry: &RunEntry) -> Result<Response, Trouble> {
    let id = entry.id.clone();
    let factors = shared.with_store_alone(move |store| Ok(factors(&run::read(store, &id)?))).await?;
    if factors.is_empty() {
        return Err(Trouble::Wrong("serve-compare-two"));
    }
    let main = html! {
        p { (visitor.say("serve-compare-one")) }
        ul {
            @for factor in &factors {
                li {
                    a href=(format!("/compare?run={}&by={}", entry.id, encoded(&factor.name))) { (printable(&factor.name)) }
                    ": " (printable(&factor.levels.join(", ")))
                }
            }
        }
    };
    Ok(whole(visitor, &visitor.say("serve-compare"), &main).into_response())
}

/// What can be asked otherwise.
fn below(visitor: &Visitor, entries: &[RunEntry], by: Option<&str>) -> Markup {
    let words = visitor.words;
    let swapped = match entries {
        [one, other] => Some(format!("/compare?a={}&b={}", other.id, one.id)),
        _ => None,
    };
    html! {
        form.filter method="get" action="/compare" {
            @for entry in entries { input type="hidden" name="run" value=(entry.id); }
            input type="hidden" name="ordered" value="yes";
            @if let Some(by) = by { input type="hidden" name="by" value=(by); }
            label { (words.say("serve-margin"))
                input name="margin" inputmode="decimal" size="4" value=(format!("{}", margin(&visitor.query) * 100.0)); }
            label.tick { input type="checkbox" name="all" value="yes" checked[visitor.query.get("all").is_some()];
                (words.say("serve-all-metrics")) }
            button { (words.say("serve-compare")) }
            a href=(over_time(entries)) { (words.say(if entries.len() == 1 { "serve-over-time" } else { "serve-over-time-runs" })) }
            @if let Some(swapped) = swapped { a href=(swapped) { (words.say("serve-swap")) } }
            @for entry in entries { a href=(format!("/run/{}", entry.id)) { (entry.id) } }
        }
    }
}

/// Where the same runs are shown over time.
fn over_time(entries: &[RunEntry]) -> String {
    let runs: Vec<String> = entries.iter().map(|entry| format!("run={}", entry.id)).collect();
    format!("/over-time?{}", runs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_asked_for_by_ticks_or_by_order() {
        assert_eq!(
            asked(&Query::of("run=b&run=a&run=b")).unwrap(),
            (vec!["b".to_owned(), "a".to_owned()], false)
        );
        assert_eq!(asked(&Query::of("b=2&a=1&run=3")).unwrap().0, ["1", "2", "3"]);
        assert!(asked(&Query::of("a=1&b=2")).unwrap().1);
        assert!(matches!(asked(&Query::of("")), Err(Trouble::Wrong("serve-compare-two"))));
        assert!(matches!(asked(&Query::of("a=../x")), Err(Trouble::NotFound)));
        let many: String = (0..9).map(|n| format!("run={n}&")).collect();
        assert!(matches!(asked(&Query::of(&many)), Err(Trouble::Wrong("serve-compare-fewer"))));
    }

    #[test]
    fn a_margin_is_a_percentage() {
        for (typed, margin_is) in
            [("margin=2", 0.02), ("margin=0.5%25", 0.005), ("margin=x", MARGIN), ("margin=100", MARGIN)]
        {
            assert_eq!(margin(&Query::of(typed)), margin_is, "{typed}");
        }
    }
}
