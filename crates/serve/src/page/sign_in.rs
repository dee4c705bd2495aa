//! Signing in by a token, and out.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{Html, IntoResponse, Response};
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderValue, StatusCode};
use maud::{Markup, html};

use super::{Visitor, form, prose, whole};
use crate::policy::SIGN_IN;
use crate::query::Query;
use crate::session::{LASTS, Role};
use crate::shared::Shared;
use crate::trouble::Trouble;

/// The form, or who one is.
pub(crate) async fn ask(Extension(visitor): Extension<Visitor>) -> Html<String> {
    let role = match visitor.role {
        Role::Nobody => "serve-role-nobody",
        Role::Reader => "serve-role-reader",
        Role::Writer => "serve-role-writer",
    };
    let main = html! {
        p { (visitor.say(role)) }
        @if visitor.session.is_some() {
            form.act method="post" action="/sign-out" {
                (visitor.form_secret())
                button { (visitor.say("serve-sign-out")) }
            }
        }
        @if visitor.role < Role::Writer { (form_for(&visitor, visitor.query.get("next").unwrap_or("/"))) }
    };
    whole(&visitor, &visitor.say("serve-sign-in"), &main)
}

/// The form that signs one in and then leads on.
pub(super) fn form_for(visitor: &Visitor, next: &str) -> Markup {
    html! {
        form.act method="post" action=(SIGN_IN) {
            input type="hidden" name="next" value=(next);
            // Password managers look for a name.
            input type="text" name="user" value="headroom" autocomplete="username" readonly hidden;
            label { (visitor.say("serve-token"))
                input type="password" name="token" autocomplete="current-password" required spellcheck="false"
                    aria-describedby="token-help" autofocus; }
            p.note #token-help { (prose(&visitor.say("serve-token-help"))) }
            button { (visitor.say("serve-sign-in")) }
        }
    }
}

/// Begins a session for whoever brings a token.
pub(crate) async fn sign_in(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Result<Response, Trouble> {
    if shared.failed_logins.has_to_wait(visitor.client) {
        return Err(Trouble::Waits);
    }
    let form = form(request).await?;
    let Some(role) = shared.door.role_of(form.get("token").unwrap_or_default()) else {
        shared.failed_logins.count(visitor.client);
        return Err(Trouble::Unknown);
    };
    // A cookie that somebody had before is not raised to more: it ends, and another begins.
    if let Some((cookie, _)) = &visitor.session {
        shared.sessions.end(cookie);
    }
    let cookie = shared.sessions.begin(role).map_err(|_| Trouble::Failed)?;
    lead(next(&form), &shared.door.set_cookie(&cookie, LASTS.as_secs()))
}

/// Ends the session.
pub(crate) async fn sign_out(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Result<Response, Trouble> {
    let form = form(request).await?;
    let Some((cookie, session)) = &visitor.session else {
        return lead(SIGN_IN, &shared.door.set_cookie("", 0));
    };
    if !session.form_secret.is(form.get("form").unwrap_or_default()) {
        return Err(Trouble::Foreign);
    }
    shared.sessions.end(cookie);
    lead(SIGN_IN, &shared.door.set_cookie("", 0))
}

/// Where a form leads on to: a page of ours, and no other site's.
fn next(form: &Query) -> &str {
    let is_own = |path: &&str| {
        path.starts_with('/')
            && !path.starts_with("//")
            && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
            && !path.starts_with(SIGN_IN)
    };
    form.get("next").filter(is_own).unwrap_or("/")
}

/// Leads on, with a cookie.
fn lead(to: &str, cookie: &str) -> Result<Response, Trouble> {
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| Trouble::Failed);
    let headers = [(LOCATION, value(to)?), (SET_COOKIE, value(cookie)?)];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_leads_on_to_pages_of_ours_alone() {
        for (asked, leads) in [
            ("/run/a1?lang=ko", "/run/a1?lang=ko"),
            ("//evil.example/", "/"),
            ("/\\evil.example", "/"),
            ("https://evil.example/", "/"),
            ("/a\r\nSet-Cookie: x=y", "/"),
            ("/sign-in", "/"),
            ("", "/"),
        ] {
            assert_eq!(next(&Query::default().with("next", Some(asked))), leads, "{asked}");
        }
    }
}
