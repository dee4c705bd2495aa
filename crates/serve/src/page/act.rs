//! What is done to a run only after a question, by a form of ours, by those who may write: removing it, or stopping it.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Html;
use maud::html;
use report::text::printable;
use store::RunEntry;

use super::{Visitor, form, is_id, minute, whole};
use crate::session::Role;
use crate::shared::Shared;
use crate::trouble::Trouble;

/// Something that can be done to a run, with what it is called in pages.
pub(super) struct RunAct {
    /// The end of its address.
    pub(super) path: &'static str,
    /// The question.
    pub(super) title: &'static str,
    /// What comes of it.
    pub(super) about: &'static str,
    /// The button that does it.
    pub(super) button: &'static str,
    /// The way back.
    pub(super) otherwise: &'static str,
}

impl RunAct {
    /// The page that asks; `back` is where one goes who does not want it.
    pub(super) fn question(&self, visitor: &Visitor, entry: &RunEntry, back: &str) -> Html<String> {
        let title = printable(entry.title.as_deref().unwrap_or(&entry.study));
        let main = html! {
            dl.pairs {
                div { dt { (visitor.say("serve-column-run")) } dd { a href=(format!("/run/{}", entry.id)) { (title) } " · " (entry.id) } }
                div { dt { (visitor.say("serve-column-started")) } dd { (minute(&entry.started)) } }
                div { dt { (visitor.say("serve-machine")) } dd { (printable(&entry.hostname)) } }
                div { dt { (visitor.say("serve-column-trials")) } dd { (entry.trials) } }
            }
            p { (visitor.say(self.about)) }
            form.act method="post" action=(format!("/run/{}/{}", entry.id, self.path)) {
                (visitor.form_secret())
                button { (visitor.say(self.button)) } " "
                a href=(back) { (visitor.say(self.otherwise)) }
            }
        };
        whole(visitor, &visitor.say(self.title), &main)
    }
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

/// The run, if this is a form of ours, or came with a token, and one may write.
pub(super) async fn demanded(
    shared: &Arc<Shared>,
    visitor: &Visitor,
    id: &str,
    request: Request,
) -> Result<RunEntry, Trouble> {
    visitor.may_write(&form(request).await?)?;
    allowed(shared, visitor, id).await
}
