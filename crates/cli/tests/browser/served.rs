//! `headroom serve` in a real browser: every page at every width, light, dark and on paper; the script by pointer and by
//! keyboard; and what a page is without it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use language::Language;
use model::LatencyOverTime;
use model::event::IntervalFigures;
use serde_json::{Value, json};
use serve::{WebServer, WebServerOptions};
use store::{RunProgress, SqliteStore, Store};

use crate::chromium::{Chromium, Page};
use crate::inspect::{MATRIX, check, screen};
use crate::long::short;

const BEFORE: &str = "20260301-100000-aaaa";
const AFTER: &str = "20260302-100000-bbbb";

const LIVE: &str = "20260303-100000-cccc";

/// A server over a store with two runs, and one that goes on.
pub(crate) struct Site {
    address: SocketAddr,
    token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Site {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let mut store = SqliteStore::open(&path).unwrap();
        for (id, day, factor) in [(BEFORE, "2026-03-01", 1.0), (AFTER, "2026-03-02", 1.25)] {
            let mut run = short();
            run.definitions = agent::catalogue().definitions(run.workloads());
            (run.id, run.started) = (id.to_owned(), format!("{day}T10:00:00Z"));
            let trials = run.cases.iter_mut().flat_map(|case| &mut case.trials);
            for quantity in trials.flat_map(|trial| trial.result.main_mut().metrics.values_mut()) {
                quantity.value *= factor;
            }
            store.keep(&run).unwrap();
        }
        store.set_tag(BEFORE, "rack", Some("3")).unwrap();
        store
            .set_note(AFTER, Some("after the new controller, with the same drives and the same cables"))
            .unwrap();
        let mut live = short();
        live.id = LIVE.to_owned();
        store.begin(&live).unwrap();
        // What the process that measures it would say; where there is no room for it, the page has no chart.
        let _ = progress().write();
        let server = WebServer::bind(WebServerOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            names: Vec::new(),
            certificate: None,
            as_root: false,
            language: Language::English,
            open: Box::new(move || SqliteStore::open(&path)),
            tell: |_| {},
        })
        .unwrap();
        let (address, token, stop) =
            (server.address(), server.write_token(), Arc::new(AtomicBool::new(false)));
        let own = Arc::clone(&stop);
        let thread = Some(std::thread::spawn(move || server.run(&own).unwrap()));
        Self { address, token, stop, thread, _folder: folder }
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Opens a page in a language; one on which something can be done with the token for that.
    pub(crate) fn open<'a>(&self, chromium: &'a Chromium, path: &str, language: &str) -> Page<'a> {
        let joint = if path.contains('?') { "&" } else { "?" };
        let address = self.at(&format!("{path}{joint}lang={language}"));
        if !path.ends_with("/remove") && !path.ends_with("/stop") {
            return Page::open_at(chromium, address, MATRIX[0]);
        }
        let page = Page::open_at(chromium, self.at("/sign-in"), MATRIX[0]);
        let headers = json!({ "headers": { "Authorization": format!("Bearer {}", self.token) } });
        page.call("Network.setExtraHTTPHeaders", headers);
        page.call("Page.navigate", json!({ "url": address }));
        page.loaded(2);
        page
    }
}

/// The pages that there are.
pub(crate) const PAGES: [(&str, &str); 14] = [
    ("list", "/"),
    ("run", "/run/20260301-100000-aaaa"),
    ("compare", "/compare?run=20260301-100000-aaaa&run=20260302-100000-bbbb"),
    ("over-time", "/over-time?run=20260301-100000-aaaa"),
    ("over-time-runs", "/over-time?run=20260301-100000-aaaa&run=20260302-100000-bbbb"),
    ("trend-form", "/trend"),
    ("trend", "/trend?until=2026-03-02"),
    ("machines", "/machines"),
    ("machine", "/machines/20260301-100000-aaaa"),
    ("live", "/live"),
    ("sign-in", "/sign-in"),
    ("not-found", "/no-such-page"),
    ("remove", "/run/20260301-100000-aaaa/remove"),
    ("stop", "/run/20260303-100000-cccc/stop"),
];

/// How far the run is that goes on: in its third trial, after a minute.
fn progress() -> RunProgress {
    let second = |at: u32| BTreeMap::from([(50 + at % 3, 900), (53, 300), (60 + at / 20, 5)]);
    let seconds: Vec<BTreeMap<u32, u64>> = (0..60).map(second).collect();
    let latest = IntervalFigures {
        start_s: 58.0,
        end_s: 59.0,
        operations: 1205,
        bytes: 1205 * 4096,
        latency_p50_s: Some(110e-6),
        latency_p99_s: Some(1.2e-3),
        ..IntervalFigures::default()
    };
    RunProgress {
        case: "disk randread 4 KiB, queue depth 8".to_owned(),
        trial: 3,
        seconds: Some((61.0, 240.0)),
        latest: Some(latest),
        latency: LatencyOverTime::of(0, 1_000_000_000, &seconds).map(|latency| (-1.0, latency)),
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        RunProgress::take_away();
    }
}

/// Waits until an expression is true.
pub(crate) fn until(page: &Page<'_>, expression: &str) {
    let began = Instant::now();
    while page.evaluate(expression) != Value::Bool(true) {
        assert!(began.elapsed() < Duration::from_secs(30), "{expression} does not come true");
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// Presses a key.
fn press(page: &Page<'_>, key: &str) {
    let text = (key.chars().count() == 1).then_some(key);
    for kind in ["keyDown", "keyUp"] {
        let mut event = json!({ "type": kind, "key": key });
        if let Some(text) = text.filter(|_| kind == "keyDown") {
            event["text"] = text.into();
        }
        page.call("Input.dispatchKeyEvent", event);
    }
}

/// Moves the pointer, or presses or lets go of its button.
fn pointer(page: &Page<'_>, kind: &str, (x, y): (f64, f64)) {
    let (button, count) = if kind == "mouseMoved" { ("none", 0) } else { ("left", 1) };
    page.call(
        "Input.dispatchMouseEvent",
        json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count }),
    );
}

fn keep(name: &str, page: &Page<'_>) {
    let Some(folder) = std::env::var_os("HEADROOM_SCREENSHOTS") else { return };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(Path::new(&folder).join(format!("serve-{name}.png")), page.screenshot()).unwrap();
}

/// What the checks of pages say at every width, without script errors and without anything from elsewhere.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_page_of_the_server_is_right_at_every_width() {
    let Some(program) = crate::browser() else { return };
    let (chromium, site) = (Chromium::start(&program), Site::start());
    let mut wrong = Vec::new();
    for (index, (name, path)) in PAGES.into_iter().enumerate() {
        let page = site.open(&chromium, path, ["en", "ko", "ja"][index % 3]);
        for view in MATRIX {
            page.show(*view);
            // A saved page must have all within it; this one has a server.
            let told = check(&page).into_iter().filter(|complaint| complaint.check != "outside");
            wrong.extend(told.map(|complaint| format!("{name} {}: {complaint}", view.name)));
            keep(&format!("{name}-{}", view.name), &page);
        }
        let asked = page.requests();
        let foreign = asked.iter().filter(|url| !url.starts_with(&site.at("/")));
        wrong.extend(foreign.map(|url| format!("{name} asks for {url}")));
        // That there is no such page is what is looked at.
        wrong.extend(page.console().into_iter().filter(|said| name != "not-found" || !said.contains("404")));
        page.close();
    }
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn one_cursor_reads_all_charts_and_a_part_has_an_address() {
    let Some(program) = crate::browser() else { return };
    let (chromium, site) = (Chromium::start(&program), Site::start());
    let address = site.at(&format!("/run/{BEFORE}"));
    let page = Page::open_at(&chromium, address.clone(), screen("1440", 1440, "light"));
    let first = "document.querySelector('figure[data-figure]')";
    let all = page.evaluate("document.querySelectorAll('figure[data-figure]').length").as_u64().unwrap();
    assert!(all >= 2, "{all}");
    page.evaluate(&format!("{first}.scrollIntoView({{ block: 'center' }})"));
    let place = |share: f64| {
        let ask = format!(
            "(() => {{ const b = {first}.querySelector('.drawing').getBoundingClientRect();
            return [b.left + b.width * {share}, b.top + b.height * 0.3]; }})()"
        );
        let at = page.evaluate(&ask);
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    };
    pointer(&page, "mouseMoved", place(0.5));
    until(&page, &format!("{first}.querySelectorAll('.chart-acts button').length >= 3"));
    pointer(&page, "mouseMoved", place(0.52));
    until(&page, "[...document.querySelectorAll('.cursor')].filter((line) => !line.hidden).length >= 2");
    let told = page.evaluate(&format!("{first}.querySelector('.readout').textContent"));
    assert!(told.as_str().unwrap().contains(" s"), "{told}");
    keep("cursor", &page);

    // A drag zooms all charts, and the address says where.
    let before = page.evaluate(&format!("{first}.querySelector('svg').outerHTML"));
    pointer(&page, "mousePressed", place(0.4));
    pointer(&page, "mouseMoved", place(0.5));
    pointer(&page, "mouseMoved", place(0.6));
    pointer(&page, "mouseReleased", place(0.6));
    until(&page, "location.search.startsWith('?t=')");
    until(&page, &format!("{first}.querySelector('svg').outerHTML !== {before}"));
    let zoomed = page.evaluate("location.href").as_str().unwrap().to_owned();
    keep("zoomed", &page);

    // By keyboard: the cursor, further in, aside, and back to all.
    page.evaluate(&format!("{first}.focus()"));
    press(&page, "ArrowRight");
    press(&page, "+");
    until(&page, &format!("location.href !== '{zoomed}'"));
    page.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": "ArrowRight", "modifiers": 8 }));
    press(&page, "0");
    until(&page, "location.search === ''");

    // A line that is hidden stays hidden in the address.
    let line = format!("{first}.querySelector('.chart-acts button[aria-pressed]')");
    if page.evaluate(&format!("{line} !== null")) == Value::Bool(true) {
        page.evaluate(&format!("{line}.click()"));
        until(&page, "location.search.startsWith('?hide=')");
        until(&page, &format!("{line}.getAttribute('aria-pressed') === 'false'"));
    }
    assert_eq!(page.console(), Vec::<String>::new());
    page.close();

    // Whoever gets the address sees the same, without a script too.
    let drawn = "document.querySelector('figure[data-figure] svg').outerHTML";
    let page = Page::open_at(&chromium, zoomed.clone(), screen("1440", 1440, "light"));
    let with = page.evaluate(drawn);
    page.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    page.call("Page.navigate", json!({ "url": zoomed }));
    page.loaded(2);
    page.call("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
    assert_eq!(page.evaluate(drawn), with);
    assert_eq!(page.evaluate("document.querySelectorAll('.chart-acts').length"), 0);
    assert_ne!(with, before);
}

#[test]
fn runs_are_ticked_compared_and_removed_in_a_browser() {
    let Some(program) = crate::browser() else { return };
    let (chromium, site) = (Chromium::start(&program), Site::start());
    let page = Page::open_at(&chromium, site.at("/"), screen("1440", 1440, "light"));
    let button = "document.querySelector('form[action=\"/compare\"] .acts button')";
    assert_eq!(page.evaluate(&format!("{button}.disabled")), true);
    page.evaluate("document.querySelectorAll('input[name=run]').forEach((tick) => tick.value.startsWith('202603') && tick.value < '20260303' && tick.click())");
    page.evaluate(&format!("{button}.click()"));
    page.loaded(2);
    until(&page, "location.pathname === '/compare' && document.querySelectorAll('main section').length > 2");

    // Removing takes the token; where one signed in, one is led back.
    page.call("Page.navigate", json!({ "url": site.at(&format!("/run/{AFTER}/remove")) }));
    page.loaded(3);
    page.evaluate("document.querySelector('main a.button').click()");
    page.loaded(4);
    page.evaluate(&format!("document.querySelector('input[name=token]').value = '{}'", site.token));
    page.evaluate("document.querySelector('form[action=\"/sign-in\"] button').click()");
    page.loaded(5);
    until(&page, &format!("location.pathname === '/run/{AFTER}/remove'"));
    assert!(!page.evaluate("document.cookie").as_str().unwrap_or_default().contains("headroom-"));
    page.evaluate("document.querySelector('form.act button').click()");
    page.loaded(6);
    until(&page, "location.pathname === '/'");
    assert_eq!(page.evaluate(&format!("document.body.innerHTML.includes('{AFTER}')")), false);
    // What was refused on the way is told in the console, and nothing else.
    let said: Vec<String> = page.console().into_iter().filter(|line| !line.contains("403")).collect();
    assert_eq!(said, Vec::<String>::new());
}
