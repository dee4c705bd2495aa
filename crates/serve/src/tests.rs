//! The server as a browser meets it: pages by requests without a network, and what only a connection shows.

#[path = "../../report/src/tests/long/mod.rs"]
#[allow(dead_code)]
mod long;
mod made;
#[path = "../../report/src/tests/odd.rs"]
#[allow(dead_code)]
mod odd;
mod over_tcp;
mod pages;
mod security;
#[path = "../../report/src/tests/server.rs"]
mod server;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use http::header::{HOST, SET_COOKIE};
use http::{HeaderMap, Request, StatusCode};
use language::Language;
use store::SqliteStore;
use tempfile::TempDir;
use tower::ServiceExt;

use crate::door::Door;
use crate::router::router;
use crate::shared::Shared;

/// A server without a network, over a store of its own.
struct Site {
    router: Router,
    shared: Arc<Shared>,
    folder: TempDir,
}

/// What came back.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The cookie that was set, as it is sent back.
    fn cookie(&self) -> String {
        let set = self.headers.get(SET_COOKIE).unwrap().to_str().unwrap();
        set.split(';').next().unwrap().to_owned()
    }
}

impl Site {
    /// One on this machine alone, or for others too.
    fn new(is_foreign: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        made::fill(&mut SqliteStore::open(&path).unwrap());
        let door = Door::new(7118, is_foreign, is_foreign, vec!["lab.example".to_owned()]).unwrap();
        let open = Box::new(move || SqliteStore::open(&path));
        let shared = Arc::new(Shared::new(door, Language::English, open, |_| {}).unwrap());
        Self { router: router(&shared), shared, folder }
    }

    fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.folder.path().join("runs.db")).unwrap()
    }

    fn ask(&self, request: Request<Body>) -> Answer {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let bytes = to_bytes(body, 64 << 20).await.unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Answer { status: parts.status, headers: parts.headers, text }
        })
    }

    fn get(&self, address: &str) -> Answer {
        self.get_with(address, &[])
    }

    fn get_with(&self, address: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask(request("GET", address, headers, ""))
    }

    fn post(&self, address: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        self.ask(request("POST", address, &[&form, headers].concat(), body))
    }

    /// Signs in with a token; the answer is the cookie.
    fn sign_in(&self, token: &str) -> String {
        let answer = self.post("/sign-in", &[("origin", &self.origin())], &format!("token={token}"));
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        answer.cookie()
    }

    fn origin(&self) -> String {
        self.shared.door.origin("localhost:7118")
    }

    /// The secret in the forms of whoever has this cookie.
    fn form_secret(&self, cookie: &str) -> String {
        let (_, value) = cookie.split_once('=').unwrap();
        self.shared.sessions.of(value).unwrap().form_secret.secret()
    }
}

/// A request to `localhost`, unless a header says another host.
fn request(method: &str, address: &str, headers: &[(&str, &str)], body: &str) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(address);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header(HOST, "localhost:7118");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}
