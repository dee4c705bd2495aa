//! In which language a page is: what the address says, else what was chosen before, else what the browser asks for.

use http::HeaderMap;
use http::header::{ACCEPT_LANGUAGE, COOKIE};
use language::Language;

/// The cookie of what was chosen.
pub(crate) const COOKIE_NAME: &str = "headroom-language";

/// The language of a page.
pub(crate) fn of(asked: Option<&str>, headers: &HeaderMap, usual: Language) -> Language {
    let chosen = asked.and_then(Language::of_tag).or_else(|| Language::of_tag(cookie(headers, COOKIE_NAME)?));
    chosen.or_else(|| accepted(headers)).unwrap_or(usual)
}

/// The value of a cookie.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| {
        let (known, value) = pair.trim().split_once('=')?;
        (known == name).then_some(value)
    })
}

/// The language that the browser prefers of ours (RFC 9110, section 12.5.4).
fn accepted(headers: &HeaderMap) -> Option<Language> {
    let text = headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?;
    let mut best: Option<(f64, Language)> = None;
    for range in text.split(',').take(32) {
        let mut parts = range.split(';').map(str::trim);
        let tag = parts.next().unwrap_or_default();
        let weight = parts.find_map(|p| p.strip_prefix("q=")).and_then(|q| q.parse().ok()).unwrap_or(1.0);
        let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let Some(language) = Language::of_tag(&primary) else { continue };
        if weight > 0.0 && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, language));
        }
    }
    best.map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accepted: &str, cookies: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, accepted.parse().unwrap());
        headers.insert(COOKIE, cookies.parse().unwrap());
        headers
    }

    #[test]
    fn the_address_comes_first_then_the_choice_then_the_browser() {
        let german = headers("de-DE,ja;q=0.4,ko-KR;q=0.8", "");
        assert_eq!(of(None, &german, Language::English), Language::Korean);
        assert_eq!(of(Some("ja"), &german, Language::English), Language::Japanese);
        assert_eq!(of(Some("xx"), &german, Language::English), Language::Korean);
        let chosen = headers("ko", "a=b; headroom-language=ja; c");
        assert_eq!(of(None, &chosen, Language::English), Language::Japanese);
        assert_eq!(of(Some("en"), &chosen, Language::English), Language::English);
        assert_eq!(of(None, &headers("de;q=1,ko;q=0,*", ""), Language::Japanese), Language::Japanese);
        assert_eq!(of(None, &HeaderMap::new(), Language::English), Language::English);
    }
}
