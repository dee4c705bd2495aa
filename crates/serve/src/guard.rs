//! What stands in front of every page: is the server called by a name of its own, does the request come from a page of its
//! own, who asks, and is there room. Behind every page: the headers that bind the browser.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, RETRY_AFTER,
    SET_COOKIE, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::client::Client;
use crate::language_choice::{self, COOKIE_NAME};
use crate::page::{self, Visitor};
use crate::policy::{POLICY, SIGN_IN};
use crate::query::Query;
use crate::session::Role;
use crate::shared::Shared;
use crate::trouble::Trouble;

/// The longest address of a page, with all that it asks.
const ADDRESS: usize = 8 << 10;

/// For so long a page may take to be made.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lets a request through to its page, or answers in its place.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let query = Query::of(request.uri().query().unwrap_or_default());
    let headers = request.headers();
    let language = language_choice::of(query.get("lang"), headers, shared.usual);
    let mut visitor = Visitor::anybody(language.words(), request.uri().path().to_owned(), query);
    let is_head = request.method() == Method::HEAD;
    let mut response = match admit(&shared, &request, &mut visitor) {
        Err(trouble) => trouble.into_response(),
        Ok(()) => match shared.enter() {
            None => Trouble::Busy.into_response(),
            Some(_room) => {
                request.extensions_mut().insert(visitor.clone());
                let answer = tokio::time::timeout(PATIENCE, next.run(request)).await;
                answer.unwrap_or_else(|_| Trouble::Busy.into_response())
            }
        },
    };
    if let Some(trouble) = response.extensions_mut().remove::<Trouble>() {
        let status = response.status();
        response = (status, page::trouble::page(&visitor, &trouble)).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        if is_head {
            *response.body_mut() = Body::empty();
        }
    }
    bind(response.headers_mut());
    if visitor.query.get("lang").is_some_and(|tag| language.tag() == tag) {
        let cookie = format!("{COOKIE_NAME}={}; Path=/; SameSite=Lax; Max-Age=31536000", language.tag());
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(SET_COOKIE, value);
        }
    }
    response
}

/// Finds out who asks, or why they are not let through.
fn admit(shared: &Shared, request: &Request, visitor: &mut Visitor) -> Result<(), Trouble> {
    let (door, headers) = (&shared.door, request.headers());
    let host = called(request).ok_or(Trouble::Misdirected)?;
    if !door.is_called(host) {
        return Err(Trouble::Misdirected);
    }
    let length = request.uri().path_and_query().map_or(0, |all| all.as_str().len());
    if length > ADDRESS {
        return Err(Trouble::TooLong);
    }
    let is_writing = match *request.method() {
        Method::GET | Method::HEAD => false,
        Method::POST => true,
        _ => return Err(Trouble::Method),
    };
    // A request without a connection is a test's.
    let client =
        request.extensions().get::<Client>().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |client| client.0);
    visitor.client = client;
    visitor.role = door.role_of_anybody();
    if let Some(cookie) = language_choice::cookie(headers, door.cookie())
        && let Some(session) = shared.sessions.of(cookie)
    {
        visitor.role = session.role;
        visitor.session = Some((cookie.to_owned(), session));
    }
    let has_token = bearer(shared, headers, visitor)?;
    if !is_ours(headers, &door.origin(host), is_writing, has_token) {
        return Err(Trouble::Foreign);
    }
    visitor.has_token = has_token;
    let is_open = visitor.path == SIGN_IN || visitor.path.starts_with("/assets/");
    if visitor.role == Role::Nobody && !is_open { Err(Trouble::Unknown) } else { Ok(()) }
}

/// By which name the server was called: by one alone, however often it is said.
fn called(request: &Request) -> Option<&str> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    let is_only = hosts.next().is_none();
    let is_same = request.uri().authority().is_none_or(|authority| authority.as_str() == host);
    (is_only && is_same).then_some(host)
}

/// Whether a token was sent with the request, as programs do it. Fails if it is wrong.
fn bearer(shared: &Shared, headers: &HeaderMap, visitor: &mut Visitor) -> Result<bool, Trouble> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(false) };
    if shared.failed_logins.has_to_wait(visitor.client) {
        return Err(Trouble::Waits);
    }
    let token = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
    match token.and_then(|token| shared.door.role_of(token)) {
        Some(role) => {
            visitor.role = visitor.role.max(role);
            Ok(true)
        }
        None => {
            shared.failed_logins.count(visitor.client);
            Err(Trouble::Unknown)
        }
    }
}

/// Whether a request comes from a page of ours, or from nobody's: what browsers say of it (Fetch Metadata, and the `Origin` of
/// forms). Another site may lead here, but neither look into an answer nor send a form.
fn is_ours(headers: &HeaderMap, origin: &str, is_writing: bool, has_token: bool) -> bool {
    let said = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = said("sec-fetch-site");
    let is_same = matches!(site, None | Some("same-origin" | "none"));
    match (headers.get(ORIGIN), is_writing) {
        (Some(own), _) => own.to_str().is_ok_and(|own| own == origin) && is_same,
        // Programs that have the token send none; of browsers, those that send neither are too old.
        (None, true) => is_same && (has_token || site.is_some()),
        (None, false) => {
            is_same
                || said("sec-fetch-mode") == Some("navigate") && said("sec-fetch-dest") == Some("document")
        }
    }
}

/// Adds the headers that every answer has.
fn bind(headers: &mut HeaderMap) {
    const POLICIES: [(HeaderName, &str); 4] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // Without one, browsers would send forms from nowhere.
        (REFERRER_POLICY, "same-origin"),
        (VARY, "Accept-Language, Cookie"),
    ];
    for (name, value) in POLICIES {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static("same-origin"));
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
