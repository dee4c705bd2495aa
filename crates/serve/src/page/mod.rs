//! The pages, one file each, and what stands around all of them.

mod act;
pub(crate) mod compare;
pub(crate) mod figure;
pub(crate) mod filter;
pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod machines;
pub(crate) mod over_time;
pub(crate) mod remove;
pub(crate) mod run;
pub(crate) mod sign_in;
pub(crate) mod trend;
pub(crate) mod trouble;

use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use axum::extract::Request;
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use language::{LANGUAGES, Words};
use maud::{DOCTYPE, Markup, html};
use report::document::html::{ServedPage, Surroundings};
use sha2::{Digest, Sha256};
use store::State;

use crate::assets;
use crate::policy::{POLICY, SIGN_IN};
use crate::query::Query;
use crate::session::{Role, Session};
use crate::trouble::Trouble;

/// Who asks, and for what.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) words: &'static Words,
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) client: IpAddr,
    pub(crate) role: Role,
    /// The cookie and its session, of one who signed in.
    pub(crate) session: Option<(String, Session)>,
    /// Whether a token came with the request.
    pub(crate) has_token: bool,
}

impl Visitor {
    /// One of whom nothing is known yet.
    pub(crate) fn anybody(words: &'static Words, path: String, query: Query) -> Self {
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self { words, path, query, client, role: Role::Nobody, session: None, has_token: false }
    }

    fn say(&self, key: &str) -> String {
        self.words.say(key)
    }

    /// The field by which a form shows that it is ours; nothing for one who has no session.
    fn form_secret(&self) -> Markup {
        let secret = self.session.as_ref().map(|(_, session)| session.form_secret.secret());
        html! { @if let Some(secret) = secret { input type="hidden" name="form" value=(secret); } }
    }

    /// Checks that one may write, by a form of ours or by a token.
    pub(crate) fn may_write(&self, form: &Query) -> Result<(), Trouble> {
        if self.role < Role::Writer {
            return Err(Trouble::Forbidden);
        }
        let brought = form.get("form").unwrap_or_default();
        let is_ours = self.session.as_ref().is_some_and(|(_, session)| session.form_secret.is(brought));
        if is_ours || self.has_token { Ok(()) } else { Err(Trouble::Foreign) }
    }
}

/// The largest form of ours, and for how long it may take to come.
const FORM_BYTES: usize = 8 << 10;
const FORM_PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// What a form says. Fails if it is none, too large, or does not come.
pub(crate) async fn form(request: Request) -> Result<Query, Trouble> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.is_empty() && !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(Trouble::Wrong("serve-no-form"));
    }
    let body = axum::body::to_bytes(Body::new(request.into_body()), FORM_BYTES);
    let bytes = tokio::time::timeout(FORM_PATIENCE, body).await.map_err(|_| Trouble::Slow)?;
    Ok(Query::of(&String::from_utf8_lossy(&bytes.map_err(|_| Trouble::TooLarge)?)))
}

/// The ways between pages: what each is called, and where it leads.
const WAYS: [(&str, &str); 4] = [
    ("serve-runs", "/"),
    ("serve-machines", "/machines"),
    ("serve-trend", "/trend"),
    ("serve-live", "/live"),
];

/// What stands above every page.
fn above(visitor: &Visitor) -> Markup {
    let words = visitor.words;
    // Who cannot see the pages needs no way to them.
    let ways = WAYS.iter().filter(|_| visitor.role > Role::Nobody);
    html! {
        nav.ways aria-label=(words.say("serve-ways")) {
            b { "Headroom" }
            ul {
                @for (key, path) in ways {
                    li { a href=(path) aria-current=[(visitor.path == *path).then_some("page")] { (words.say(key)) } }
                }
            }
            ul.languages {
                @for language in LANGUAGES {
                    li {
                        a href=(address(&visitor.path, &visitor.query.with("lang", Some(language.tag()))))
                            lang=(language.tag()) hreflang=(language.tag())
                            aria-current=[(words.language() == *language).then_some("true")] { (language.name()) }
                    }
                }
                li { a href=(SIGN_IN) { (words.say("serve-sign-in")) } }
            }
        }
    }
}

/// A path with what it asks.
fn address(path: &str, query: &Query) -> String {
    format!("{path}{}", query.text())
}

/// What stands around a page that is made of a run, a comparison or a trend.
fn around(visitor: &Visitor, below: &Markup) -> Surroundings {
    Surroundings {
        head: assets::head(visitor.words).into_string(),
        above: above(visitor).into_string(),
        below: below.0.clone(),
        ..Surroundings::default()
    }
}

/// As [`around`], with where the script asks for parts of the charts over time.
fn with_figures(visitor: &Visitor, below: &Markup, figures: &str) -> Surroundings {
    let usual = around(visitor, below);
    let mark = html! { meta name="headroom-figures" content=(figures); };
    Surroundings { head: usual.head + &mark.into_string(), ..usual }
}

/// A page of this crate.
fn whole(visitor: &Visitor, title: &str, main: &Markup) -> Html<String> {
    let words = visitor.words;
    let page = html! {
        (DOCTYPE)
        html lang=(words.language().tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Headroom" }
                (assets::head(words))
            }
            body.served {
                a.skip href="#main" { (words.say("page-skip")) }
                (above(visitor))
                header.top { h1 { (title) } }
                main #main tabindex="-1" { (main) }
            }
        }
    };
    Html(page.into_string())
}

/// A page of a document, with the policy that lets its style be.
fn with_styles(page: &ServedPage) -> Response {
    let mut response = Html(page.html.clone()).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy(&page.styles)) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The policy that lets this style be, by its hashes (CSP Level 3, section 8.3).
fn policy(styles: &[String]) -> String {
    let hashes: Vec<String> = styles
        .iter()
        .map(|style| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(style.as_bytes()))))
        .collect();
    if hashes.is_empty() {
        return POLICY.to_owned();
    }
    POLICY.replace("style-src 'self'", &format!("style-src 'self' 'unsafe-hashes' {}", hashes.join(" ")))
}

/// Whether a run may be asked for by this id: ours are made of these letters.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// A sentence in which commands stand between backticks.
fn prose(text: &str) -> Markup {
    html! {
        @for (place, part) in text.split('`').enumerate() {
            @if place % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}

/// How a run ended, in a word.
fn state_word(words: &Words, state: State) -> String {
    words.say(match state {
        State::Complete => "serve-state-complete",
        State::Budget => "serve-state-budget",
        State::Interrupted => "serve-state-interrupted",
        State::Running => "serve-state-running",
        State::Killed => "serve-state-killed",
    })
}

/// A time to the minute, UTC, as lists have it; what is no time is shown as it is.
fn minute(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(day), Some("T"), Some(clock)) => format!("{day} {clock}"),
        _ => report::text::printable(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_lets_style_be_by_its_hash_alone() {
        assert_eq!(policy(&[]), POLICY);
        let own = policy(&["width:50%".to_owned()]);
        // `printf %s width:50% | openssl dgst -sha256 -binary | base64`
        assert!(own.contains("style-src 'self' 'unsafe-hashes' 'sha256-"), "{own}");
        assert!(!own.contains("unsafe-inline"));
    }

    #[test]
    fn commands_in_sentences_are_marked() {
        assert_eq!(prose("`a <b>` makes one.").into_string(), "<code>a &lt;b&gt;</code> makes one.");
        assert_eq!(prose("none").into_string(), "none");
    }

    #[test]
    fn ids_lead_nowhere() {
        assert!(is_id("20261129-101112-k3f9"));
        for bad in ["", "..", "a/b", "a.b", "a%2f", "a b", "\u{e4}", &"a".repeat(65)] {
            assert!(!is_id(bad), "{bad}");
        }
    }

    #[test]
    fn a_time_is_shown_to_the_minute() {
        assert_eq!(minute("2026-11-29T10:11:12.5Z"), "2026-11-29 10:11");
        assert_eq!(minute("yesterday"), "yesterday");
    }
}
