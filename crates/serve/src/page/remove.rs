//! Removing a run: asked first, and done only by a form of ours.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use report::text::printable;
use store::{RunEntry, State as RunState, Store};

use super::{Visitor, form, is_id, minute, whole};
use crate::session::Role;
use crate::shared::Shared;
use crate::trouble::Trouble;

/// The question.
pub(crate) async fn ask(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Html<String>, Trouble> {
    let entry = allowed(&shared, &visitor, &id).await?;
    let main = html! {
        (described(&visitor, &entry))
        p { (visitor.say("serve-remove-about")) }
        form.act method="post" action=(format!("/run/{id}/remove")) {
            (visitor.form_secret())
            button { (visitor.say("serve-remove")) } " "
            a href=(format!("/run/{id}")) { (visitor.say("serve-keep")) }
        }
    };
    Ok(whole(&visitor, &visitor.say("serve-remove-title"), &main))
}

/// Removes the run.
pub(crate) async fn remove(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Trouble> {
    visitor.may_write(&form(request).await?)?;
    let entry = allowed(&shared, &visitor, &id).await?;
    if entry.state == RunState::Running {
        return Err(Trouble::Running);
    }
    shared.with_store(move |store| Ok(store.remove(&id)?)).await?;
    Ok(Redirect::to("/").into_response())
}

/// The run, if one may write and there is one.
pub(super) async fn allowed(shared: &Arc<Shared>, visitor: &Visitor, id: &str) -> Result<RunEntry, Trouble> {
    if visitor.role < Role::Writer {
        return Err(Trouble::Forbidden);
    }
    if !is_id(id) {
        return Err(Trouble::NotFound);
    }
    let id = id.to_owned();
    shared.with_store(move |store| store.entry(&id)?.ok_or(Trouble::NotFound)).await
}

/// Which run it is about.
pub(super) fn described(visitor: &Visitor, entry: &RunEntry) -> Markup {
    let title = printable(entry.title.as_deref().unwrap_or(&entry.study));
    html! {
        dl.pairs {
            div { dt { (visitor.say("serve-column-run")) } dd { a href=(format!("/run/{}", entry.id)) { (title) } " · " (entry.id) } }
            div { dt { (visitor.say("serve-column-started")) } dd { (minute(&entry.started)) } }
            div { dt { (visitor.say("serve-machine")) } dd { (printable(&entry.hostname)) } }
            div { dt { (visitor.say("serve-column-trials")) } dd { (entry.trials) } }
        }
    }
}
