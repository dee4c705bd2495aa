//! What the pages show, and that each says it in every language.

use http::StatusCode;
use language::LANGUAGES;
use store::Store;

use super::made::{AFTER, BEFORE, STRANGE};
use super::{Answer, Site, long::short};

fn page(site: &Site, address: &str) -> Answer {
    let answer = site.get(address);
    assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.text);
    answer
}

/// The number of the first figure that is over time.
fn time_chart(page: &str) -> usize {
    let (_, behind) = page.split_once("data-figure=\"").unwrap();
    behind.split_once('"').unwrap().0.parse().unwrap()
}

#[test]
fn the_list_has_every_run_with_what_was_said_of_it() {
    let site = Site::new(false);
    let list = page(&site, "/").text;
    let places = [STRANGE, AFTER, BEFORE].map(|id| list.find(&format!("href=\"/run/{id}\"")).unwrap());
    assert!(places.is_sorted(), "the newest is first");
    for says in ["rack=3", "baseline since 2026-03-05", "1 to 3 of 3", "name=\"run\"", "2026-03-01 10:00"] {
        assert!(list.contains(says), "no `{says}`: {list}");
    }
}

#[test]
fn a_list_is_searched_filtered_and_paged() {
    let site = Site::new(false);
    let has = |address: &str, ids: &[&str]| {
        let list = page(&site, address).text;
        for id in [STRANGE, AFTER, BEFORE] {
            assert_eq!(list.contains(&format!("/run/{id}\"")), ids.contains(&id), "{id} in {address}");
        }
        list
    };
    has("/?tag=rack", &[BEFORE]);
    has("/?tag=rack%3D4", &[]);
    has("/?q=bbbb", &[AFTER]);
    has("/?since=2026-03-02&until=2026-03-02", &[AFTER]);
    has("/?baselines=yes", &[BEFORE]);
    has("/?state=running", &[]);
    assert!(has("/?page=2", &[]).contains("rel=\"prev\""));
    let many = Site::new(false);
    let mut store = many.store();
    for number in 0..60 {
        let mut run = short();
        run.cases.truncate(1);
        (run.id, run.started) = (format!("many-{number}"), format!("2026-05-01T10:{number:02}:00Z"));
        store.keep(&run).unwrap();
    }
    let first = page(&many, "/?q=many").text;
    assert!(first.contains("1 to 50 of 60") && first.contains("href=\"/?q=many&amp;page=2\""), "{first}");
    let second = page(&many, "/?q=many&page=2").text;
    assert!(
        second.contains("51 to 60 of 60")
            && second.contains("/run/many-0\"")
            && !second.contains("rel=\"next\"")
    );
}

#[test]
fn a_run_is_the_page_that_a_report_is_and_has_its_files() {
    let site = Site::new(false);
    let run = page(&site, &format!("/run/{BEFORE}"));
    assert!(run.text.contains("Findings") && run.text.contains("<svg"));
    let policy = run.header("content-security-policy");
    assert!(!policy.contains("unsafe-inline") && policy.contains("'unsafe-hashes' 'sha256-"), "{policy}");
    // It is made once.
    let again = page(&site, &format!("/run/{BEFORE}"));
    assert_eq!(run.text, again.text);
    let json = page(&site, &format!("/run/{BEFORE}.json"));
    let document: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    assert_eq!(document["id"], BEFORE);
    assert!(json.header("content-security-policy").starts_with("sandbox"));
    assert!(page(&site, &format!("/run/{BEFORE}.csv")).text.lines().count() > 5);
    let saved = page(&site, &format!("/run/{BEFORE}.html"));
    assert!(saved.header("content-disposition").contains(BEFORE) && saved.text.contains("<style>"));
    // The beginning of an id, and the last run, lead to the whole id.
    for (typed, id) in [("20260301", BEFORE), ("last", STRANGE)] {
        let answer = site.get(&format!("/run/{typed}?lang=ko"));
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(answer.header("location"), format!("/run/{id}?lang=ko"));
    }
    for wrong in ["/run/nothing-like-it", "/run/2026", "/run/x.json", &format!("/run/{BEFORE}.pdf")] {
        assert_eq!(site.get(wrong).status, StatusCode::NOT_FOUND, "{wrong}");
    }
}

#[test]
fn a_part_of_a_chart_has_an_address_and_comes_with_its_figures() {
    let site = Site::new(false);
    let whole = page(&site, &format!("/run/{BEFORE}")).text;
    let number = time_chart(&whole);
    let ask = |query: &str| -> serde_json::Value {
        let answer = page(&site, &format!("/run/{BEFORE}/figure/{number}{query}"));
        assert_eq!(answer.header("content-type"), "application/json");
        serde_json::from_str(&answer.text).unwrap()
    };
    let all = ask("");
    let svg = all["svg"].as_str().unwrap();
    assert!(whole.contains(svg.lines().next().unwrap()), "the page has the same picture");
    let track = &all["tracks"][0];
    assert!(track["values"].as_array().unwrap().iter().any(|value| value.is_string()), "{track}");
    let (from, to) = (all["span"][0].as_f64().unwrap(), all["span"][1].as_f64().unwrap());
    let middle = format!("{},{}", from + (to - from) * 0.25, from + (to - from) * 0.5);
    let part = ask(&format!("?t={middle}&hide={number}.0"));
    assert_ne!(part["svg"], all["svg"]);
    assert!(part["tracks"][0]["values"].as_array().unwrap().iter().all(serde_json::Value::is_null));
    // Without a script, the same address shows the same picture.
    let page = page(&site, &format!("/run/{BEFORE}?t={middle}&hide={number}.0")).text;
    assert!(page.contains(part["svg"].as_str().unwrap().lines().next().unwrap()));
    assert_eq!(site.get(&format!("/run/{BEFORE}/figure/999")).status, StatusCode::NOT_FOUND);
    assert_eq!(site.get(&format!("/run/{BEFORE}/figure/x")).status, StatusCode::BAD_REQUEST);
}

#[test]
fn runs_are_compared_by_ticks_the_earlier_one_as_the_baseline() {
    let site = Site::new(false);
    let ticked = page(&site, &format!("/compare?run={AFTER}&run={BEFORE}")).text;
    let ordered = page(&site, &format!("/compare?a={BEFORE}&b={AFTER}")).text;
    let main = |text: &str| text[text.find("<main").unwrap()..].to_owned();
    assert_eq!(main(&ticked), main(&ordered));
    assert!(ticked.contains(&format!("/compare?a={AFTER}&amp;b={BEFORE}")));
    assert_ne!(main(&page(&site, &format!("/compare?a={AFTER}&b={BEFORE}")).text), main(&ordered));
    assert!(page(&site, &format!("/compare?run={BEFORE}")).text.contains("&amp;by="));
    assert_eq!(site.get("/compare").status, StatusCode::BAD_REQUEST);
    assert_eq!(site.get(&format!("/compare?run={BEFORE}&run=gone")).status, StatusCode::NOT_FOUND);
}

#[test]
fn a_trend_follows_the_runs_that_are_asked_for() {
    let site = Site::new(false);
    assert!(!page(&site, "/trend").text.contains("<svg"), "only the form before anything is asked for");
    let trend = page(&site, "/trend?until=2026-03-02").text;
    assert!(trend.contains("Trend over 2 runs"), "{trend}");
    assert!(page(&site, "/trend?q=nothing-like-it").text.contains("No kept run is like that"));
}

#[test]
fn machines_are_listed_and_drawn() {
    let site = Site::new(false);
    let list = page(&site, "/machines").text;
    let address = format!("/machines/{AFTER}");
    assert!(list.contains(&format!("href=\"/machines/{STRANGE}\"")) || list.contains(&address), "{list}");
    let machine = page(&site, &address).text;
    assert!(machine.contains("<figure class=\"picture\">"));
}

#[test]
fn a_run_that_is_measured_is_live_and_its_end_is_not_to_be_removed() {
    let site = Site::new(false);
    assert!(page(&site, "/live").text.contains("Nothing is being measured"));
    let mut run = short();
    run.id = "live-1".to_owned();
    // This process writes it, and lives.
    site.store().begin(&run).unwrap();
    assert!(page(&site, "/live").text.contains("/run/live-1/stop"));
    assert!(page(&site, "/run/live-1").text.contains("data-live=\"live-1\""));
    let cookie = site.sign_in(&site.shared.door.write_token());
    let form = format!("form={}", site.form_secret(&cookie));
    let headers = [("cookie", cookie.as_str()), ("origin", &site.origin())];
    assert_eq!(site.post("/run/live-1/remove", &headers, &form).status, StatusCode::CONFLICT);
    assert!(site.store().entry("live-1").unwrap().is_some());
    assert_eq!(site.post(&format!("/run/{BEFORE}/stop"), &headers, &form).status, StatusCode::BAD_REQUEST);
}

#[test]
fn pages_are_in_the_language_that_is_asked_for_and_the_choice_stays() {
    let site = Site::new(false);
    let mut seen = Vec::new();
    for language in LANGUAGES {
        let tag = language.tag();
        for address in
            ["/", "/machines", "/trend", "/live", "/sign-in", &format!("/run/{BEFORE}"), "/no-such-page"]
        {
            let answer = site.get_with(address, &[("accept-language", tag)]);
            assert!(answer.text.contains(&format!("<html lang=\"{tag}\">")), "{address} in {tag}");
            assert!(!answer.text.contains("serve-"), "{address} in {tag} shows a key");
            seen.push(answer.text);
        }
        let chosen = site.get_with(&format!("/?lang={tag}"), &[("accept-language", "de")]);
        assert!(chosen.cookie() == format!("headroom-language={tag}"));
        let later = site.get_with("/live", &[("cookie", &chosen.cookie()), ("accept-language", "de")]);
        assert!(later.text.contains(&format!("<html lang=\"{tag}\">")));
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count, "no two are the same");
}

#[test]
fn what_pages_load_is_there_and_stays() {
    let site = Site::new(true);
    let list = site.get("/").text;
    let mut loaded = 0;
    for part in list.split("\"/assets/").skip(1) {
        let name = part.split('"').next().unwrap();
        let asset = page(&site, &format!("/assets/{name}"));
        assert!(asset.header("cache-control").contains("immutable") && asset.text.len() > 100, "{name}");
        loaded += 1;
    }
    assert_eq!(loaded, 3);
    assert_eq!(site.get("/assets/style.css").status, StatusCode::NOT_FOUND);
}

#[test]
fn any_trial_of_any_case_is_shown_over_time_and_its_charts_have_parts() {
    let site = Site::new(false);
    let run = page(&site, &format!("/run/{BEFORE}")).text;
    assert!(run.contains(&format!("href=\"/over-time?run={BEFORE}\"")), "{run}");
    let first = page(&site, &format!("/over-time?run={BEFORE}")).text;
    let trials = first.split_once("name=\"trial\"").unwrap().1.split_once("</select>").unwrap().0;
    assert!(trials.matches("<option").count() >= 2, "{trials}");
    let second = page(&site, &format!("/over-time?run={BEFORE}&case=0&trial=1")).text;
    assert!(
        second.contains("<option value=\"1\" selected>2</option>") && second.contains("Trial 2 of"),
        "{second}"
    );
    let number = time_chart(&second);
    let base =
        second.split_once("name=\"headroom-figures\" content=\"").unwrap().1.split_once('"').unwrap().0;
    let part = page(&site, &format!("{base}{number}?run={BEFORE}&case=0&trial=1&t=0,0.5"));
    let part: serde_json::Value = serde_json::from_str(&part.text).unwrap();
    assert!(part["svg"].as_str().unwrap().contains("<svg"));
    // A part has an address without script, too, and what is not there is the first that is.
    assert_ne!(page(&site, &format!("/over-time?run={BEFORE}&case=0&trial=1&t=0,0.5")).text, second);
    assert!(page(&site, &format!("/over-time?run={BEFORE}&case=99&trial=99")).text.contains("Trial 1 of"));
    for (wrong, status) in [
        ("/over-time".to_owned(), StatusCode::BAD_REQUEST),
        ("/over-time?run=none".to_owned(), StatusCode::NOT_FOUND),
        ("/over-time?run=../x".to_owned(), StatusCode::NOT_FOUND),
        (format!("{base}999?run={BEFORE}"), StatusCode::NOT_FOUND),
    ] {
        assert_eq!(site.get(&wrong).status, status, "{wrong}");
    }
}

#[test]
fn one_quantity_of_several_runs_is_drawn_over_each_other() {
    let site = Site::new(false);
    let compared = page(&site, &format!("/compare?run={BEFORE}&run={AFTER}")).text;
    assert!(compared.contains(&format!("href=\"/over-time?run={BEFORE}&amp;run={AFTER}\"")), "{compared}");
    let two = page(&site, &format!("/over-time?run={BEFORE}&run={AFTER}")).text;
    let number = time_chart(&two);
    let quantities = two.split_once("name=\"quantity\"").unwrap().1.split_once("</select>").unwrap().0;
    assert!(quantities.matches("<option").count() >= 2, "{quantities}");
    let ask = |more: &str| -> serde_json::Value {
        let answer = page(&site, &format!("/over-time/figure/{number}?run={BEFORE}&run={AFTER}{more}"));
        serde_json::from_str(&answer.text).unwrap()
    };
    let names = |answer: &serde_json::Value| -> Vec<String> {
        answer["tracks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|track| track["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&ask("")), [BEFORE, AFTER]);
    // One is hidden from the picture, and can be shown again.
    let hidden = ask(&format!("&hide={number}.1"));
    assert_ne!(hidden["svg"], ask("")["svg"]);
    assert_eq!(names(&hidden), [BEFORE, AFTER]);
}

#[test]
fn runs_that_came_and_went_are_seen_at_once() {
    let site = Site::new(false);
    assert!(page(&site, "/").text.contains("1 to 3 of 3"));
    let mut store = site.store();
    let mut run = short();
    run.id = "new".to_owned();
    store.keep(&run).unwrap();
    assert!(page(&site, "/").text.contains("1 to 4 of 4"));
    store.remove("new").unwrap();
    store.remove(AFTER).unwrap();
    let list = page(&site, "/").text;
    assert!(list.contains("1 to 2 of 2") && !list.contains(AFTER), "{list}");
}
