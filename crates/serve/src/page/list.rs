//! The runs that are kept: found by a form, ticked to be compared, so many on a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use model::Value;
use report::text::printable;
use store::{Annotations, RunEntry, RunQuery, RunsFound};

use super::filter;
use super::{Visitor, address, is_id, minute, prose, state_word, whole};
use crate::shared::Shared;
use crate::trouble::Trouble;

/// Runs on a page.
const ON_PAGE: usize = 50;

/// Far beyond any store.
const PAGES_MOST: usize = 1_000_000;

/// The page.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Html<String>, Trouble> {
    let page =
        visitor.query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1_usize).clamp(1, PAGES_MOST);
    let query = RunQuery { offset: (page - 1) * ON_PAGE, limit: ON_PAGE, ..filter::asked(&visitor.query) };
    let own = Arc::clone(&shared);
    let read = shared.with_store(move |store| {
        let found = own.find(store, &query)?;
        let said = store.annotations_of(found.entries.iter().map(|entry| entry.id.as_str()))?;
        Ok((found, said, own.choices(store)?))
    });
    let (found, said, choices) = read.await?;
    let words = visitor.words;
    let main = html! {
        (filter::form(&visitor, "/", &choices, &html! {}))
        @if found.entries.is_empty() {
            p { (prose(&words.say(if visitor.query.text().is_empty() { "serve-none" } else { "serve-none-found" }))) }
        } @else {
            form method="get" action="/compare" {
                (table(&visitor, &found, &said))
                p.acts {
                    button { (words.say("serve-compare")) }
                    a.button href=(address("/trend", &visitor.query.with("page", None))) { (words.say("serve-trend-of-these")) }
                }
            }
        }
        (pages(&visitor, page, &found))
    };
    Ok(whole(&visitor, &words.say("serve-runs"), &main))
}

fn table(visitor: &Visitor, found: &RunsFound, said: &BTreeMap<String, Annotations>) -> Markup {
    let words = visitor.words;
    let heads = [
        "serve-column-run",
        "serve-machine",
        "serve-state",
        "serve-column-cases",
        "serve-column-trials",
        "serve-column-said",
    ];
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words.say("serve-runs")) {
            table.runs.n5.n6 {
                thead { tr {
                    th scope="col" { span.unseen { (words.say("serve-tick")) } }
                    @for head in heads { th scope="col" { (words.say(head)) } }
                } }
                tbody { @for entry in &found.entries { (row(visitor, entry, said.get(&entry.id))) } }
            }
        }
    }
}

fn row(visitor: &Visitor, entry: &RunEntry, said: Option<&Annotations>) -> Markup {
    let words = visitor.words;
    let usual =
        words.or(&format!("study-{}-title", entry.study), entry.title.as_deref().unwrap_or(&entry.study));
    let title = printable(if usual.trim().is_empty() { &entry.id } else { &usual });
    let label = words.tell_texts("serve-tick-run", &[("run", &title), ("time", &minute(&entry.started))]);
    // A store that somebody else made may call runs anything.
    let known = is_id(&entry.id);
    html! {
        tr {
            td { @if known { input type="checkbox" name="run" value=(entry.id) aria-label=(label); } }
            th scope="row" {
                @if known { a href=(format!("/run/{}", entry.id)) { (title) } } @else { (title) }
                span.when { time datetime=(printable(&entry.started)) { (minute(&entry.started)) } " · " span.id { (printable(&entry.id)) } }
            }
            td { (printable(&entry.hostname)) }
            td { (state_word(words, entry.state)) }
            td { (entry.cases) }
            td { (entry.trials) }
            td.prose { @if let Some(said) = said { (annotations(visitor, said)) } }
        }
    }
}

fn annotations(visitor: &Visitor, said: &Annotations) -> Markup {
    let words = visitor.words;
    html! {
        @for (name, value) in &said.tags {
            @let tag = if value.is_empty() { name.clone() } else { format!("{name}={value}") };
            a.tag href=(address("/", &crate::query::Query::default().with("tag", Some(&tag)))) { (printable(&tag)) } " "
        }
        @if let Some(time) = &said.accepted {
            span.badge.good { (words.tell_texts("serve-baseline", &[("day", &printable(time.get(..10).unwrap_or(time)))])) } " "
        }
        @if let Some(note) = &said.note { span { (printable(note)) } }
    }
}

/// Which part of the list it is, and the ways to the next ones.
fn pages(visitor: &Visitor, page: usize, found: &RunsFound) -> Markup {
    let words = visitor.words;
    let before = (page - 1) * ON_PAGE;
    let last = before + found.entries.len();
    let count = |n: usize| Value::Integer(n as u64);
    let to = |page: usize| address("/", &visitor.query.with("page", Some(&page.to_string())));
    let part = [("first", count(before + 1)), ("last", count(last)), ("all", count(found.total))];
    html! {
        nav.pages aria-label=(words.say("serve-pages")) {
            @if page > 1 { a.button rel="prev" href=(to(page - 1)) { (words.say("serve-newer")) } }
            @if !found.entries.is_empty() { span { (words.tell("serve-part", &part)) } }
            @if last < found.total && !found.entries.is_empty() { a.button rel="next" href=(to(page + 1)) { (words.say("serve-older")) } }
        }
    }
}
