//! The machines of which runs are kept, and what each is made of, as its latest run has it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, Response};
use maud::html;
use report::document::html::served;
use report::page::{self, Subject};
use report::text::printable;

use super::{Visitor, address, around, is_id, minute, prose, run, whole, with_styles};
use crate::query::Query;
use crate::shared::{Shared, Shown};
use crate::trouble::Trouble;

/// The list.
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Html<String>, Trouble> {
    let own = Arc::clone(&shared);
    let machines = shared.with_store(move |store| Ok(own.machines(store)?)).await?;
    let words = visitor.words;
    let runs = |name: &str| address("/", &Query::default().with("machine", Some(name)));
    let main = html! {
        @if machines.is_empty() { p { (prose(&words.say("serve-none"))) } } @else {
            div.scroll tabindex="0" role="region" aria-label=(words.say("serve-machines")) {
                table.n2 {
                    thead { tr {
                        @for head in ["serve-machine", "serve-runs", "serve-column-latest", "serve-column-parts"] {
                            th scope="col" { (words.say(head)) }
                        }
                    } }
                    tbody {
                        @for machine in &machines {
                            tr {
                                th scope="row" { (printable(&machine.hostname)) }
                                td { a href=(runs(&machine.hostname)) { (machine.runs) } }
                                @if is_id(&machine.latest) {
                                    td { a href=(format!("/run/{}", machine.latest)) { (minute(&machine.started)) } }
                                    td { a href=(format!("/machines/{}", machine.latest)) { (words.say("serve-picture")) } }
                                } @else { td { (minute(&machine.started)) } td {} }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(whole(&visitor, &words.say("serve-machines"), &main))
}

/// The machines of a run: what they are made of, and what their parts can do at most.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    if !is_id(&id) {
        return Err(Trouble::NotFound);
    }
    let asked = id.clone();
    let entry = shared.with_store(move |store| store.entry(&asked)?.ok_or(Trouble::NotFound)).await?;
    let key = format!("machines {} {}", visitor.words.language().tag(), run::stamp(&entry));
    let shown = shared
        .shown(key, move |store| {
            let mut run = run::read(store, &entry.id)?;
            // What was measured is on the run's page.
            run.cases.clear();
            run.findings.clear();
            let mut document = page::document(&Subject { run: &run, words: visitor.words });
            document.sections.retain(|section| section.id == "machine");
            document.purpose.clear();
            document.title = visitor.say("serve-machines");
            if !entry.hostname.is_empty() {
                document.title = printable(&entry.hostname);
            }
            let below = html! {
                div.acts {
                    a href=(format!("/run/{}", entry.id)) { (visitor.say("serve-as-in-run")) " " (minute(&entry.started)) }
                    a href=(address("/", &Query::default().with("machine", Some(&entry.hostname)))) { (visitor.say("serve-runs-of-machine")) }
                }
            };
            let page = served(&document, &around(&visitor, &below));
            Ok(Shown { document, below, page })
        })
        .await?;
    Ok(with_styles(&shown.page))
}
