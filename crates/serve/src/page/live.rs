//! Runs that are being measured: how far each is, told again and again to pages that stay open, and a way to stop it.
//!
//! What is known is what the store has, which gets every trial as soon as it is measured, and what the measuring process says
//! of how far it is, and of the trial under way once somebody looks.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use chart::plot;
use futures_util::stream::unfold;
use http::header::CONTENT_TYPE;
use maud::{Markup, PreEscaped, html};
use model::Unit;
use model::event::IntervalFigures;
use report::text::printable;
use report::{format, latency_map};
use serde_json::{Value, json};
use store::{RunEntry, RunProgress, RunQuery, State as RunState};
use tokio::time::sleep;

use super::act::{RunAct, allowed, demanded};
use super::{Visitor, is_id, minute, whole};
use crate::shared::Shared;
use crate::trouble::Trouble;

/// Runs at a time, at most: one machine measures one, but a store may serve several.
const MOST: usize = 50;

/// How often the store is looked at for a page that stays open, and after how many looks without news it is told that there
/// is none.
const LOOK: Duration = Duration::from_secs(1);
const QUIET: u32 = 10;

fn running() -> RunQuery {
    RunQuery { state: Some(RunState::Running), limit: MOST, ..RunQuery::default() }
}

/// A run that is being measured, and how far it is where it says so.
type UnderWay = (RunEntry, Option<RunProgress>);

async fn under_way(shared: &Arc<Shared>) -> Result<Vec<UnderWay>, Trouble> {
    let own = Arc::clone(shared);
    let read = shared.with_store(move |store| {
        let entries = own.find(store, &running())?.entries.into_iter().filter(|entry| is_id(&entry.id));
        entries.map(|entry| Ok((entry.clone(), store.progress(&entry.id)?))).collect()
    });
    read.await
}

/// The page.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Html<String>, Trouble> {
    let entries = under_way(&shared).await?;
    let main = html! {
        div #live data-live="" { (content(&visitor, &entries)) }
        noscript { p.note { (visitor.say("serve-live-reload")) } }
    };
    Ok(whole(&visitor, &visitor.say("serve-live"), &main))
}

/// The runs, and below them what is known of the trial that each of them measures.
fn content(visitor: &Visitor, entries: &[UnderWay]) -> Markup {
    html! {
        (table(visitor, entries))
        @for (entry, progress) in entries {
            @if let Some(progress) = progress { (trial(visitor, entry, progress)) }
        }
    }
}

/// The trial under way: what its load did in the last second, and the latency in each second until now.
fn trial(visitor: &Visitor, entry: &RunEntry, progress: &RunProgress) -> Markup {
    let words = visitor.words;
    let number = ("number", model::Value::Integer(progress.trial));
    let case = ("case", model::Value::Text(printable(&progress.case)));
    let map = progress.latency.as_ref().and_then(|(from, over_time)| latency_map(over_time, *from, words));
    let title = words.tell("serve-live-trial", &[number, case]);
    html! {
        section.trial aria-labelledby=(format!("trial-{}", entry.id)) {
            h2 id=(format!("trial-{}", entry.id)) { (title) }
            @if let Some(figures) = &progress.latest { p { (said_of(visitor, figures)) } }
            @match map {
                Some(map) => figure { figcaption { (words.say("serve-live-latency")) } (PreEscaped(plot::svg(&map, &title, words))) },
                None => p.note { (words.say("serve-live-soon")) },
            }
        }
    }
}

/// What a load did in an interval, in a line.
fn said_of(visitor: &Visitor, figures: &IntervalFigures) -> String {
    let words = visitor.words;
    let seconds = figures.end_s - figures.start_s;
    let rate =
        |count: u64, unit| format::quantity(if seconds > 0.0 { count as f64 / seconds } else { 0.0 }, unit);
    let operations = rate(figures.operations, Unit::PerSecond);
    let mut said = vec![words.tell_texts("serve-live-operations", &[("rate", &operations)])];
    if figures.bytes > 0 {
        said.push(rate(figures.bytes, Unit::BytesPerSecond));
    }
    for (key, latency) in
        [("serve-live-p50", figures.latency_p50_s), ("serve-live-p99", figures.latency_p99_s)]
    {
        said.extend(
            latency.map(|s| words.tell_texts(key, &[("latency", &format::quantity(s, Unit::Seconds))])),
        );
    }
    if figures.errors > 0 {
        said.push(words.tell("serve-live-errors", &[("count", model::Value::Integer(figures.errors))]));
    }
    said.join(" · ")
}

fn table(visitor: &Visitor, entries: &[UnderWay]) -> Markup {
    let words = visitor.words;
    let heads = [
        "serve-column-run",
        "serve-machine",
        "serve-column-started",
        "serve-column-cases",
        "serve-column-trials",
        "serve-column-progress",
        "serve-stop",
    ];
    if entries.is_empty() {
        return html! { p { (words.say("serve-live-none")) } };
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words.say("serve-live")) {
            table.n4.n5 {
                thead { tr { @for head in heads { th scope="col" { (words.say(head)) } } } }
                tbody {
                    @for (entry, progress) in entries {
                        @let title = printable(entry.title.as_deref().unwrap_or(&entry.study));
                        tr {
                            th scope="row" { a href=(format!("/run/{}", entry.id)) { (title) } }
                            td { (printable(&entry.hostname)) }
                            td { (minute(&entry.started)) }
                            td { (entry.cases) }
                            td { (entry.trials) }
                            td.prose { @if let Some(progress) = progress { (how_far(visitor, progress)) } }
                            td { a href=(format!("/run/{}/stop", entry.id)) { (words.say("serve-stop")) } }
                        }
                    }
                }
            }
        }
    }
}

/// How far a run is: a bar, the time that is left, and the case that is measured.
fn how_far(visitor: &Visitor, progress: &RunProgress) -> Markup {
    let words = visitor.words;
    html! {
        @if let Some((done, total)) = progress.seconds {
            @let left = format::span((total - done).max(0.0));
            progress max=(total.round()) value=(done.min(total).round()) aria-label=(words.say("serve-column-progress")) {} " "
            span { (words.tell_texts("serve-left", &[("time", &left)])) }
        }
        @if !progress.case.is_empty() { span.when { (printable(&progress.case)) } }
    }
}

/// What changed, as server-sent events: the runs and, for the page that lists them, their table.
pub(crate) async fn events(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let room = shared.enter_stream().ok_or(Trouble::Busy)?;
    let watcher = Watcher { shared, visitor, told: String::new(), quiet: 0, is_first: true };
    let stream = unfold((watcher, room), |(mut watcher, room)| async {
        let text = watcher.next().await?;
        Some((Ok::<_, Infallible>(text), (watcher, room)))
    });
    Ok(([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response())
}

/// A page that stays open.
struct Watcher {
    shared: Arc<Shared>,
    visitor: Visitor,
    /// What it was told last.
    told: String,
    quiet: u32,
    is_first: bool,
}

impl Watcher {
    /// The next event; none where the server ends, or the store fails.
    async fn next(&mut self) -> Option<String> {
        loop {
            if !std::mem::take(&mut self.is_first) {
                sleep(LOOK).await;
            }
            if self.shared.is_ending() {
                return None;
            }
            let entries = under_way(&self.shared).await.ok()?;
            let told = self.event(&entries).to_string();
            if told != self.told {
                self.quiet = 0;
                self.told.clone_from(&told);
                return Some(format!("event: runs\ndata: {told}\n\n"));
            }
            self.quiet += 1;
            if self.quiet >= QUIET {
                self.quiet = 0;
                return Some(": nothing new\n\n".to_owned());
            }
        }
    }

    fn event(&self, entries: &[UnderWay]) -> Value {
        let run =
            |(entry, _): &UnderWay| json!({ "id": entry.id, "cases": entry.cases, "trials": entry.trials });
        json!({ "runs": entries.iter().map(run).collect::<Vec<_>>(), "html": content(&self.visitor, entries).into_string() })
    }
}

const STOPPING: RunAct = RunAct {
    path: "stop",
    title: "serve-stop-title",
    about: "serve-stop-about",
    button: "serve-stop",
    otherwise: "serve-go-on",
};

/// The question whether a run is to be stopped.
pub(crate) async fn ask(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Html<String>, Trouble> {
    let entry = allowed(&shared, &visitor, &id).await?;
    if entry.state != RunState::Running {
        return Err(Trouble::Wrong("serve-not-running"));
    }
    Ok(STOPPING.question(&visitor, &entry, "/live"))
}

/// Asks the process that measures a run to stop, as Ctrl-C would.
pub(crate) async fn stop(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Trouble> {
    demanded(&shared, &visitor, &id, request).await?;
    if shared.with_store(move |store| Ok(store.interrupt(&id)?)).await? {
        return Ok(Redirect::to("/live").into_response());
    }
    Err(Trouble::Wrong("serve-not-running"))
}
