//! Strangers get nothing: other names, other sites, wrong tokens, paths that lead elsewhere, and texts that are meant to
//! harm.

use http::StatusCode;

use super::made::{AFTER, BEFORE, STRANGE};
use super::{Site, request};

/// Addresses of every page.
fn addresses() -> Vec<String> {
    let fixed = ["/", "/machines", "/trend?q=x", "/live", "/live/events", "/compare", "/over-time"]
        .map(str::to_owned);
    let of_run =
        ["", ".json", ".csv", "/figure/1", "/remove", "/stop"].map(|end| format!("/run/{BEFORE}{end}"));
    let others = [
        format!("/machines/{BEFORE}"),
        format!("/compare?a={BEFORE}&b={AFTER}"),
        format!("/over-time?run={BEFORE}"),
        format!("/over-time/figure/1?run={BEFORE}"),
        "/no-such".to_owned(),
    ];
    fixed.into_iter().chain(of_run).chain(others).collect()
}

#[test]
fn a_page_under_a_foreign_name_is_not_shown() {
    let site = Site::new(false);
    for host in ["evil.example", "evil.example:7118", "localhost.evil.example", "127.0.0.1.nip.io", ""] {
        for address in addresses() {
            let answer = site.get_with(&address, &[("host", host)]);
            assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{host} {address}");
            assert!(!answer.text.contains("rack=3") && !answer.text.contains("<svg"), "{host} {address}");
        }
    }
    for host in ["127.0.0.1:7118", "[::1]:7118", "localhost", "192.0.2.7", "lab.example"] {
        assert_eq!(site.get_with("/", &[("host", host)]).status, StatusCode::OK, "{host}");
    }
    // Two names, none, and one in the address that is another.
    let twice = request("GET", "/", &[("host", "localhost"), ("host", "evil.example")], "");
    assert_eq!(site.ask(twice).status, StatusCode::MISDIRECTED_REQUEST);
    let mut none = request("GET", "/", &[], "");
    none.headers_mut().clear();
    assert_eq!(site.ask(none).status, StatusCode::MISDIRECTED_REQUEST);
    let other = request("GET", "http://evil.example/", &[("host", "localhost")], "");
    assert_eq!(site.ask(other).status, StatusCode::MISDIRECTED_REQUEST);
}

#[test]
fn on_a_foreign_address_nothing_is_shown_without_a_token() {
    let site = Site::new(true);
    for address in addresses() {
        let answer = site.get(&address);
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{address}");
        for secret in ["2026-03", "rack=3", "data-figure"] {
            assert!(
                !answer.text.replace(BEFORE, "").replace(AFTER, "").contains(secret),
                "{address}: {secret}"
            );
        }
        assert!(answer.text.contains("type=\"password\""), "{address}");
    }
    let read = site.shared.door.read_token().unwrap();
    let cookie = site.sign_in(&read);
    assert_eq!(site.get_with("/", &[("cookie", &cookie)]).status, StatusCode::OK);
    let bearer = format!("Bearer {read}");
    assert_eq!(site.get_with("/", &[("authorization", &bearer)]).status, StatusCode::OK);
    // Who signs out has to sign in again.
    let form = format!("form={}", site.form_secret(&cookie));
    let headers = [("cookie", cookie.as_str()), ("origin", &site.origin())];
    assert_eq!(site.post("/sign-out", &headers, &form).status, StatusCode::SEE_OTHER);
    assert_eq!(site.get_with("/", &[("cookie", &cookie)]).status, StatusCode::UNAUTHORIZED);
}

#[test]
fn wrong_tokens_and_cookies_let_nobody_in_and_have_to_wait() {
    let site = Site::new(true);
    for cookie in [
        "__Host-headroom-7118=",
        "__Host-headroom-7118=x",
        "headroom-7118=x",
        "__Host-headroom-7118=AAAA; a=b",
    ] {
        assert_eq!(site.get_with("/", &[("cookie", cookie)]).status, StatusCode::UNAUTHORIZED, "{cookie}");
    }
    let origin = site.origin();
    let try_token =
        |token: &str| site.post("/sign-in", &[("origin", &origin)], &format!("token={token}")).status;
    for token in ["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        assert_eq!(try_token(token), StatusCode::UNAUTHORIZED, "{token}");
    }
    for header in ["Bearer x", "Basic YTpi", "Bearer"] {
        let status = site.get_with("/", &[("authorization", header)]).status;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{header}");
    }
    while try_token("wrong") == StatusCode::UNAUTHORIZED {}
    assert_eq!(try_token("wrong"), StatusCode::TOO_MANY_REQUESTS);
    // Even the right one waits now, so that nobody learns whether it was right.
    assert_eq!(try_token(&site.shared.door.read_token().unwrap()), StatusCode::TOO_MANY_REQUESTS);
}

#[test]
fn a_cookie_is_for_this_server_and_no_script() {
    for (is_foreign, secure) in [(true, true), (false, false)] {
        let site = Site::new(is_foreign);
        let token = site.shared.door.write_token();
        let answer =
            site.post("/sign-in", &[("origin", &site.origin())], &format!("token={token}&next=/live"));
        assert_eq!(answer.header("location"), "/live");
        let cookie = answer.header("set-cookie");
        assert!(
            cookie.contains("; HttpOnly")
                && cookie.contains("; SameSite=Strict")
                && cookie.contains("; Path=/")
        );
        assert_eq!(
            (cookie.contains("; Secure"), cookie.starts_with("__Host-")),
            (secure, secure),
            "{cookie}"
        );
        assert!(!cookie.contains(&token));
    }
}

#[test]
fn only_the_write_token_removes_a_run_even_on_this_machine() {
    let site = Site::new(false);
    let origin = site.origin();
    let address = format!("/run/{BEFORE}/remove");
    assert_eq!(site.get(&address).status, StatusCode::FORBIDDEN);
    assert_eq!(site.post(&address, &[("origin", &origin)], "").status, StatusCode::FORBIDDEN);
    let cookie = site.sign_in(&site.shared.door.write_token());
    let secret = site.form_secret(&cookie);
    assert!(site.get_with(&address, &[("cookie", &cookie)]).text.contains(&secret));
    let own = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    // Without the form's secret, or with that of another session.
    let other = site.form_secret(&site.sign_in(&site.shared.door.write_token()));
    for form in [String::new(), "form=x".to_owned(), format!("form={other}")] {
        assert_eq!(site.post(&address, &own, &form).status, StatusCode::FORBIDDEN, "{form}");
    }
    assert!(site.store().entry(BEFORE).unwrap().is_some());
    let form = format!("form={secret}");
    assert_eq!(site.post(&address, &own, &form).status, StatusCode::SEE_OTHER);
    assert!(site.store().entry(BEFORE).unwrap().is_none());
    assert_eq!(site.get(&format!("/run/{BEFORE}")).status, StatusCode::NOT_FOUND);
    // A program brings the token itself.
    let bearer = format!("Bearer {}", site.shared.door.write_token());
    let status = site.post(&format!("/run/{AFTER}/remove"), &[("authorization", &bearer)], "").status;
    assert_eq!(status, StatusCode::SEE_OTHER);
}

#[test]
fn a_reader_of_a_foreign_address_removes_nothing() {
    let site = Site::new(true);
    let cookie = site.sign_in(&site.shared.door.read_token().unwrap());
    let form = format!("form={}", site.form_secret(&cookie));
    let own = [("cookie", cookie.as_str()), ("origin", &site.origin())];
    for end in ["remove", "stop"] {
        assert_eq!(
            site.post(&format!("/run/{BEFORE}/{end}"), &own, &form).status,
            StatusCode::FORBIDDEN,
            "{end}"
        );
    }
    assert!(site.store().entry(BEFORE).unwrap().is_some());
}

#[test]
fn forms_of_other_sites_are_refused() {
    let site = Site::new(false);
    let cookie = site.sign_in(&site.shared.door.write_token());
    let form = format!("form={}", site.form_secret(&cookie));
    let address = format!("/run/{BEFORE}/remove");
    for foreign in [
        vec![("origin", "http://evil.example")],
        vec![("origin", "null")],
        vec![("origin", "https://localhost:7118")],
        vec![("origin", "http://localhost:7119")],
        vec![("origin", "http://localhost:7118"), ("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        // Neither says where it comes from.
        vec![],
    ] {
        let headers: Vec<(&str, &str)> = [vec![("cookie", cookie.as_str())], foreign.clone()].concat();
        for to in [address.as_str(), "/sign-in", "/sign-out"] {
            assert_eq!(site.post(to, &headers, &form).status, StatusCode::FORBIDDEN, "{to} {foreign:?}");
        }
    }
    assert!(site.store().entry(BEFORE).unwrap().is_some());
    // Nor does another site look into a page; it may lead to one.
    let load =
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "script")];
    assert_eq!(site.get_with("/", &load).status, StatusCode::FORBIDDEN);
    let frame =
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
    assert_eq!(site.get_with("/", &frame).status, StatusCode::FORBIDDEN);
    let link =
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    assert_eq!(site.get_with("/", &link).status, StatusCode::OK);
    assert_eq!(site.get_with("/", &[("origin", "http://evil.example")]).status, StatusCode::FORBIDDEN);
}

#[test]
fn no_address_leads_to_a_file() {
    let site = Site::new(false);
    let mark = "kept from strangers";
    std::fs::write(site.folder.path().join("secret.json"), mark).unwrap();
    let folder = site.folder.path().display().to_string();
    let encoded = folder.replace('/', "%2f");
    for address in [
        "/run/../../../etc/passwd",
        "/run/..%2f..%2f..%2fetc%2fpasswd",
        "/run/%2e%2e%2fsecret.json",
        "/run/....//secret.json",
        "/assets/..%2f..%2fsecret.json",
        "/assets/%2e%2e",
        "/machines/..%2fsecret",
        "/compare?a=../secret.json&b=/etc/passwd",
        "/run/a%00.json",
        &format!("/run{folder}/secret.json"),
        &format!("/run/{encoded}%2fsecret.json"),
        &format!("/run/{encoded}%2fsecret/figure/1"),
    ] {
        let answer = site.get(address);
        assert!(answer.status.is_client_error(), "{address}: {}", answer.status);
        assert!(!answer.text.contains(mark) && !answer.text.contains("root:"), "{address}");
    }
}

#[test]
fn texts_of_strangers_are_shown_without_harm() {
    let site = Site::new(false);
    let mark = "<script>alert(1)</script>";
    let typed = "%3Cscript%3Ealert(1)%3C/script%3E%22%27%3E%3Cimg%20src=x%20onerror=alert(2)%3E";
    let mut addresses: Vec<String> =
        ["/", "/machines", "/trend?since=2026-01-01"].map(str::to_owned).to_vec();
    addresses.extend(["", ".html"].map(|end| format!("/run/{STRANGE}{end}")));
    addresses.push(format!("/machines/{STRANGE}"));
    addresses.extend(["", "&run=20260301-100000-aaaa"].map(|more| format!("/over-time?run={STRANGE}{more}")));
    addresses.push(format!("/over-time?run={BEFORE}&run={AFTER}&quantity={typed}&case={typed}"));
    for name in [
        "q", "tag", "machine", "study", "since", "state", "page", "lang", "metric", "t", "hide", "margin",
        "by",
    ] {
        addresses.push(format!("/?{name}={typed}"));
        addresses.push(format!("/trend?q=x&{name}={typed}"));
        addresses.push(format!("/sign-in?next={typed}&{name}={typed}"));
    }
    addresses.push(format!("/{typed}"));
    addresses.push(format!("/compare?run={BEFORE}&by={typed}"));
    for address in addresses {
        let answer = site.get(&address);
        assert!(!answer.text.contains(mark) && !answer.text.contains("<img src=x"), "{address}");
        for name in
            ["x-content-type-options", "x-frame-options", "content-security-policy", "referrer-policy"]
        {
            assert!(!answer.header(name).is_empty(), "{address} lacks {name}");
        }
        let scripts = answer.header("content-security-policy").to_owned();
        assert!(!scripts.contains("script-src 'unsafe") && !scripts.contains("script-src *"), "{address}");
    }
}

#[test]
fn other_methods_and_overlong_requests_are_refused() {
    let site = Site::new(false);
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"] {
        let status = site.ask(request(method, "/", &[], "")).status;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
    }
    assert_eq!(site.post("/", &[("origin", &site.origin())], "").status, StatusCode::METHOD_NOT_ALLOWED);
    let long = format!("/?q={}", "a".repeat(9000));
    assert_eq!(site.get(&long).status, StatusCode::URI_TOO_LONG);
    let body = format!("token={}", "a".repeat(20_000));
    assert_eq!(
        site.post("/sign-in", &[("origin", &site.origin())], &body).status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    let answer =
        site.post("/sign-in", &[("origin", &site.origin()), ("content-type", "text/plain")], "token=x");
    assert!(answer.status.is_client_error());
    let head = site.ask(request("HEAD", "/", &[], ""));
    assert_eq!((head.status, head.text.as_str()), (StatusCode::OK, ""));
}

#[test]
fn a_store_that_fails_is_not_told_to_browsers() {
    let site = Site::new(false);
    std::fs::write(site.folder.path().join("runs.db"), "no store any more").unwrap();
    let answer = site.get("/");
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(answer.text.contains("The store cannot be read"));
    assert!(!answer.text.contains("runs.db"), "{}", answer.text);
}
