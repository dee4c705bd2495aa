//! Removing a run: asked first, and done only by a form of ours.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use store::{State as RunState, Store};

use super::Visitor;
use super::act::{RunAct, allowed, demanded};
use crate::shared::Shared;
use crate::trouble::Trouble;

const REMOVING: RunAct = RunAct {
    path: "remove",
    title: "serve-remove-title",
    about: "serve-remove-about",
    button: "serve-remove",
    otherwise: "serve-keep",
};

/// The question.
pub(crate) async fn ask(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Html<String>, Trouble> {
    let entry = allowed(&shared, &visitor, &id).await?;
    Ok(REMOVING.question(&visitor, &entry, &format!("/run/{id}")))
}

/// Removes the run.
pub(crate) async fn remove(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Trouble> {
    let entry = demanded(&shared, &visitor, &id, request).await?;
    if entry.state == RunState::Running {
        return Err(Trouble::Running);
    }
    shared.with_store(move |store| Ok(store.remove(&id)?)).await?;
    Ok(Redirect::to("/").into_response())
}
