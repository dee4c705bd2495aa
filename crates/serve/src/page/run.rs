//! A run: its page, and the files that can be made of it.

use std::sync::Arc;

use analysis::comparison::factors;
use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use maud::{Markup, html};
use model::Run;
use report::document::html::{Surroundings, served};
use report::export::{EXPORTERS, Exporter};
use report::page::{self, Subject};
use store::{RunEntry, SqliteStore, State as RunState, Store};

use super::{Visitor, address, is_id, with_figures, with_styles};
use crate::query::{Query, encoded};
use crate::shared::{Shared, Shown};
use crate::trouble::Trouble;

/// Formats that a run can be had in here, by their extensions: what the browser is told they are.
const KINDS: [(&str, &str); 8] = [
    ("html", "text/html; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("json", "application/json"),
    ("csv", "text/csv; charset=utf-8"),
    ("csv-series", "text/csv; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("junit", "application/xml"),
    ("annotations", "text/plain; charset=utf-8"),
];

/// What a file may do that the browser shows: nothing, in an origin of its own.
const FILE_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The page of a run, or a file of it where the name has an extension.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<Response, Trouble> {
    if let Some((id, extension)) = name.split_once('.') {
        return file(&shared, &visitor, id, extension).await;
    }
    if !is_id(&name) {
        return Err(Trouble::NotFound);
    }
    let asked = name.clone();
    let known = shared.with_store(move |store| Ok(store.entry(&asked)?.is_some())).await?;
    if !known {
        // The beginning of an id, or `last`.
        let id = shared.with_store(move |store| Ok(store.resolve(&name)?)).await?;
        let to = if is_id(&id) { format!("/run/{id}") } else { return Err(Trouble::NotFound) };
        return Ok(Redirect::to(&address(&to, &visitor.query)).into_response());
    }
    let shown = shown(&shared, &visitor, &name).await?;
    answer(&shared, &visitor, shown, &figures(&name)).await
}

/// Where the parts of the charts of a run's page are asked for.
fn figures(id: &str) -> String {
    format!("/run/{id}/figure/")
}

/// A page, or the same with the part of its charts over time that the address asks for.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    visitor: &Visitor,
    shown: Arc<Shown>,
    figures: &str,
) -> Result<Response, Trouble> {
    let (span, hidden) = part(&visitor.query);
    if span.is_none() && hidden.is_empty() {
        return Ok(with_styles(&shown.page));
    }
    let around = with_figures(visitor, &shown.below, figures);
    let page = shared
        .with_store_alone(move |_| Ok(served(&shown.document, &Surroundings { span, hidden, ..around })));
    Ok(with_styles(&page.await?))
}

/// Tracks that are not drawn: the figure's number, and the track's place.
pub(super) type HiddenTracks = Vec<(usize, usize)>;

/// Which part of charts over time an address asks for: `t=FROM,TO` in seconds, and `hide=FIGURE.TRACK,...`.
pub(super) fn part(query: &Query) -> (Option<(f64, f64)>, HiddenTracks) {
    let span = query.get("t").and_then(|text| text.split_once(',')).and_then(|(from, to)| {
        let (from, to): (f64, f64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        (from.is_finite() && to.is_finite() && from < to).then_some((from, to))
    });
    let track = |text: &str| {
        let (figure, track) = text.trim().split_once('.')?;
        Some((figure.parse().ok()?, track.parse().ok()?))
    };
    let hidden = query.all("hide").flat_map(|all| all.split(',')).filter_map(track).take(1000).collect();
    (span, hidden)
}

/// The page of a run and its content, made or kept.
pub(super) async fn shown(shared: &Arc<Shared>, visitor: &Visitor, id: &str) -> Result<Arc<Shown>, Trouble> {
    let asked = id.to_owned();
    let entry = shared.with_store(move |store| store.entry(&asked)?.ok_or(Trouble::NotFound)).await?;
    let key = format!("run {} {}", visitor.words.language().tag(), stamp(&entry));
    let visitor = Visitor { query: Query::default(), ..visitor.clone() };
    shared
        .shown(key, move |store| {
            let run = read(store, &entry.id)?;
            let document = page::document(&Subject { run: &run, words: visitor.words });
            let factors: Vec<String> = factors(&run).into_iter().map(|factor| factor.name).collect();
            let below = below(&visitor, &entry, &factors);
            let page = served(&document, &with_figures(&visitor, &below, &figures(&entry.id)));
            drop_apart(run);
            Ok(Shown { document, below, page })
        })
        .await
}

/// What tells a run from what it was before more was measured of it.
pub(super) fn stamp(entry: &RunEntry) -> String {
    format!("{} {} {:?} {:?}", entry.id, entry.trials, entry.finished, entry.state)
}

/// A run with estimates and findings as this version makes them.
pub(super) fn read(store: &SqliteStore, id: &str) -> Result<Run, Trouble> {
    let mut run = store.load(id)?;
    analysis::derive(&mut run);
    Ok(run)
}

/// Gives back a long run, which takes a while, on a thread that nobody waits for.
fn drop_apart(run: Run) {
    std::thread::spawn(move || drop(run));
}

/// What can be done with a run.
fn below(visitor: &Visitor, entry: &RunEntry, factors: &[String]) -> Markup {
    let words = visitor.words;
    let id = &entry.id;
    let is_running = entry.state == RunState::Running;
    html! {
        div.acts {
            @if is_running {
                p.live data-live=(id) { (words.say("serve-run-is-live")) " "
                    a href="/live" { (words.say("serve-live")) }
                }
            }
            @for factor in factors {
                a href=(format!("/compare?run={id}&by={}", encoded(factor))) {
                    (words.tell_texts("serve-compare-by", &[("name", factor)]))
                }
            }
            a href=(address("/over-time", &Query::default().with("run", Some(id)))) { (words.say("serve-over-time")) }
            a href=(address("/trend", &Query::default().with("study", Some(&entry.study)))) { (words.say("serve-trend-of-study")) }
            @for (extension, key) in [("html", "serve-file-page"), ("json", "serve-file-json"), ("csv", "serve-file-csv"), ("md", "serve-file-md")] {
                a href=(format!("/run/{id}.{extension}")) download { (words.say(key)) }
            }
            @if is_running {
                a href=(format!("/run/{id}/stop")) { (words.say("serve-stop")) }
            } @else {
                a href=(format!("/run/{id}/remove")) { (words.say("serve-remove")) }
            }
        }
    }
}

/// A run in a format of `headroom export`.
async fn file(
    shared: &Arc<Shared>,
    visitor: &Visitor,
    id: &str,
    extension: &str,
) -> Result<Response, Trouble> {
    let format = EXPORTERS.iter().find(|format| format.extension == extension && !format.printed);
    let kind = KINDS.iter().find(|(known, _)| *known == extension);
    let (Some(format), Some((_, kind)), true) = (format, kind, is_id(id)) else {
        return Err(Trouble::NotFound);
    };
    let (asked, words) = (id.to_owned(), visitor.words);
    let bytes = shared.with_store_alone(move |store| written(format, &read(store, &asked)?, words)).await?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY));
    let name = format!("attachment; filename=\"headroom-{id}.{extension}\"");
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(|_| Trouble::Failed)?);
    Ok(response)
}

fn written(format: &Exporter, run: &Run, words: &'static language::Words) -> Result<Vec<u8>, Trouble> {
    (format.write)(&Subject { run, words }).map_err(|_| Trouble::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_which_part_of_the_charts_is_shown() {
        assert_eq!(part(&Query::of("t=1.5,20&hide=3.0,4.1")), (Some((1.5, 20.0)), vec![(3, 0), (4, 1)]));
        assert_eq!(part(&Query::of("t=-2,1&hide=3")), (Some((-2.0, 1.0)), vec![]));
        for wrong in ["t=2,1", "t=1", "t=nan,1", "t=0,inf", "hide=x.y,-1.0"] {
            assert_eq!(part(&Query::of(wrong)), (None, vec![]), "{wrong}");
        }
    }

    #[test]
    fn every_format_that_is_no_print_can_be_had() {
        for format in EXPORTERS.iter().filter(|format| !format.printed) {
            assert!(KINDS.iter().any(|(known, _)| *known == format.extension), "{}", format.extension);
        }
    }
}
