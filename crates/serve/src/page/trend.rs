//! How figures of like work changed over runs: the page that `headroom trend` writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::comparison::MARGIN;
use analysis::trend::TrendHistory;
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use model::MetricName;
use report::document::html::served;
use report::page::trend::{TrendSubject, document};
use store::{Annotations, RunEntry, RunQuery, SqliteStore, State as RunState, StoreError};

use super::filter;
use super::{Visitor, around, run, whole, with_styles};
use crate::shared::{Shared, Shown};
use crate::trouble::Trouble;

/// Runs that are looked at, at most: the newest. Each is read whole.
const RUNS_MOST: usize = 100;

/// The page; before anything is asked for, only the form.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let query = RunQuery { limit: RUNS_MOST, ..filter::asked(&visitor.query) };
    let is_asked = !visitor.query.with("lang", None).text().is_empty();
    let own = Arc::clone(&shared);
    let read = shared.with_store(move |store| {
        let asked = RunQuery { limit: if is_asked { query.limit } else { 0 }, ..query };
        let found = own.find(store, &asked)?;
        let entries: Vec<RunEntry> =
            found.entries.into_iter().filter(|entry| entry.state != RunState::Running).collect();
        let said = store.annotations_of(entries.iter().map(|entry| entry.id.as_str()))?;
        Ok((entries, said, own.choices(store)?, found.total))
    });
    let (entries, said, choices, total) = read.await?;
    let words = visitor.words;
    let form = filter::form(&visitor, "/trend", &choices, &metric_field(&visitor));
    if entries.is_empty() {
        let main = html! { p { (words.say("serve-trend-about")) } (form) @if is_asked { p { (words.say("serve-none-found")) } } };
        return Ok(whole(&visitor, &words.say("serve-trend"), &main).into_response());
    }
    let metric = match visitor.query.get("metric") {
        Some(name) => Some(MetricName::intern(name).ok_or(Trouble::Wrong("serve-no-metric"))?),
        None => None,
    };
    let stamps: Vec<String> =
        entries.iter().map(|entry| format!("{} {:?}", run::stamp(entry), said.get(&entry.id))).collect();
    let key = format!("trend {} {} {}", words.language().tag(), visitor.query.text(), stamps.join(" | "));
    let older = total.saturating_sub(RUNS_MOST);
    let shown = shared
        .shown(key, move |store| {
            let trend = gathered(store, &entries, &said, metric)?.finish(MARGIN);
            let told: BTreeMap<String, String> =
                said.iter().map(|(id, said)| (id.clone(), in_words(said))).collect();
            let document = document(&TrendSubject { trend: &trend, said: &told, command: &[], words });
            let below = html! {
                (form)
                @if older > 0 { p.note { (words.count("serve-trend-older", RUNS_MOST)) } }
            };
            let page = served(&document, &around(&visitor, &below));
            Ok(Shown { document, below, page })
        })
        .await?;
    Ok(with_styles(&shown.page))
}

fn metric_field(visitor: &Visitor) -> Markup {
    html! {
        label { (visitor.say("serve-metric"))
            input name="metric" maxlength="64" value=(visitor.query.get("metric").unwrap_or_default()) placeholder="throughput"; }
    }
}

/// What the runs have, oldest first. One that is damaged, or was removed meanwhile, is left out.
fn gathered(
    store: &SqliteStore,
    entries: &[RunEntry],
    said: &BTreeMap<String, Annotations>,
    metric: Option<MetricName>,
) -> Result<TrendHistory, Trouble> {
    let mut history = TrendHistory::new(metric);
    for entry in entries.iter().rev() {
        let accepted = said.get(&entry.id).and_then(|said| said.accepted.as_deref());
        match history.follow(accepted, |with_histograms| store.load_for_trend(&entry.id, with_histograms)) {
            Ok(()) | Err(StoreError::Damaged { .. } | StoreError::Unknown { .. }) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(history)
}

/// Tags and note of a run.
fn in_words(said: &Annotations) -> String {
    let tag = |(name, value): (&String, &String)| {
        if value.is_empty() { name.clone() } else { format!("{name}={value}") }
    };
    let tags: Vec<String> = said.tags.iter().map(tag).collect();
    let tags = (!tags.is_empty()).then(|| tags.join(" "));
    tags.into_iter().chain(said.note.clone()).collect::<Vec<_>>().join("; ")
}
