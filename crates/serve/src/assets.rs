//! What pages load: style, script and icon, out of the program. Their names have their hashes in them, so that a browser keeps
//! each for good and never mixes two versions.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use language::Words;
use maud::{Markup, html};
use report::document::html::style_sheet;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::trouble::Trouble;

/// One asset.
struct Asset {
    name: String,
    kind: &'static str,
    content: String,
}

impl Asset {
    fn new(stem: &str, extension: &str, kind: &'static str, content: String) -> Self {
        let hash = Sha256::digest(content.as_bytes());
        let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Self { name: format!("{stem}-{hash}.{extension}"), kind, content }
    }
}

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let all = style_sheet() + include_str!("assets/style.css");
    Asset::new("style", "css", "text/css; charset=utf-8", all)
});

static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("script", "js", "text/javascript; charset=utf-8", include_str!("assets/script.js").to_owned())
});

static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("assets/icon.svg").to_owned()));

/// What the script says, by what it calls it.
const WORDS: [(&str, &str); 7] = [
    ("help", "serve-chart-help"),
    ("all", "serve-chart-all"),
    ("in", "serve-chart-in"),
    ("out", "serve-chart-out"),
    ("tracks", "serve-chart-tracks"),
    ("fails", "serve-chart-fails"),
    ("news", "serve-chart-news"),
];

/// What stands in the head of every page.
pub(crate) fn head(words: &Words) -> Markup {
    let told: serde_json::Map<String, Value> =
        WORDS.iter().map(|(name, key)| ((*name).to_owned(), words.say(key).into())).collect();
    let path = |asset: &Asset| format!("/assets/{}", asset.name);
    html! {
        link rel="stylesheet" href=(path(&STYLE));
        link rel="icon" href=(path(&ICON));
        meta name="headroom-words" content=(Value::Object(told));
        script src=(path(&SCRIPT)) defer {}
    }
}

/// Answers with an asset.
pub(crate) async fn show(Path(name): Path<String>) -> Result<Response, Trouble> {
    let asset =
        [&STYLE, &SCRIPT, &ICON].into_iter().find(|asset| asset.name == name).ok_or(Trouble::NotFound)?;
    let headers = [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, asset.content.as_str()).into_response())
}
