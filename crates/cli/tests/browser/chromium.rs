//! A Chromium of the test's own, driven over its DevTools protocol: JSON
//! messages, each ended by a NUL, through file descriptors 3 (to it) and 4
//! (from it). No port is opened.
//!
//! It has a profile of its own in a temporary folder and a process group of its
//! own, which ends with the value. What takes too long panics.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long one answer may take: a page of 500 cases is laid out meanwhile, on
/// a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running browser.
pub(crate) struct Chromium {
    process: Child,
    to: RefCell<ChildStdin>,
    from: Receiver<Value>,
    last_id: Cell<u64>,
    /// What it said without being asked.
    events: RefCell<Vec<Value>>,
    home: TempDir,
}

impl Chromium {
    /// Starts `program`.
    pub(crate) fn start(program: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        // The shell turns its own input and output into the descriptors 3 and 4.
        let script = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(program).args([
            "--headless",
            "--remote-debugging-pipe",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-domain-reliability",
            "--disable-sync",
            "--disable-extensions",
            "--disable-breakpad",
            "--disable-crash-reporter",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]);
        if geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        command.arg(format!("--user-data-dir={}", home.path().join("profile").display())).arg("about:blank");
        command.env("HOME", home.path()).env("TMPDIR", home.path());
        command.env("XDG_CONFIG_HOME", home.path().join("config"));
        command.env("XDG_CACHE_HOME", home.path().join("cache")).env_remove("DBUS_SESSION_BUS_ADDRESS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut process = command.spawn().unwrap();
        let to = RefCell::new(process.stdin.take().unwrap());
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                let Ok(value) = serde_json::from_slice(text) else { return };
                if send.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        Self { process, to, from, last_id: Cell::new(0), events: RefCell::default(), home }
    }

    /// The folder that is its home.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Sends a command, to a page where `session` names one, and waits for its
    /// answer.
    fn call(&self, session: Option<&str>, method: &str, parameters: &Value) -> Result<Value, String> {
        let id = self.send(session, method, parameters);
        let end = Instant::now() + PATIENCE;
        loop {
            let message = self.receive(end, method);
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(message["result"].clone()),
                };
            }
            self.keep(message);
        }
    }

    fn send(&self, session: Option<&str>, method: &str, parameters: &Value) -> u64 {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut bytes = serde_json::to_vec(&command).unwrap();
        bytes.push(0);
        let mut to = self.to.borrow_mut();
        to.write_all(&bytes).and_then(|()| to.flush()).unwrap_or_else(|e| panic!("{method}: {e}"));
        id
    }

    fn receive(&self, end: Instant, what: &str) -> Value {
        let left = end.saturating_duration_since(Instant::now());
        self.from.recv_timeout(left).unwrap_or_else(|e| panic!("the browser does not answer {what}: {e}"))
    }

    /// Keeps an event. A dialog holds everything up, so it is closed at once.
    fn keep(&self, message: Value) {
        if message["method"] == "Page.javascriptDialogOpening" {
            let session = message["sessionId"].as_str();
            self.send(session, "Page.handleJavaScriptDialog", &json!({ "accept": false }));
        }
        if message.get("method").is_some() {
            self.events.borrow_mut().push(message);
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

/// What a page is shown on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// Its name in complaints and files.
    pub(crate) name: &'static str,
    /// CSS pixels.
    pub(crate) width: u32,
    /// CSS pixels.
    pub(crate) height: u32,
    /// Pixels of the device for each CSS pixel.
    pub(crate) scale: f64,
    /// `screen` or `print`.
    pub(crate) media: &'static str,
    /// `light` or `dark`.
    pub(crate) scheme: &'static str,
}

/// One page in a tab of its own.
pub(crate) struct Page<'a> {
    chromium: &'a Chromium,
    session: String,
    address: String,
}

/// How long the browser took: to be told, never to be asserted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// From the start of loading to the first paint, ms; absent where nothing
    /// was painted.
    pub(crate) first_paint_ms: Option<f64>,
    /// From the start of loading to the end of the load event, ms.
    pub(crate) load_ms: f64,
}

impl<'a> Page<'a> {
    /// Opens a file, first seen in `view`, and waits for its load event.
    pub(crate) fn open(chromium: &'a Chromium, file: &Path, view: View) -> Self {
        let file = std::fs::canonicalize(file).unwrap();
        Self::open_at(chromium, format!("file://{}", file.display()), view)
    }

    /// The same of an address.
    pub(crate) fn open_at(chromium: &'a Chromium, address: String, view: View) -> Self {
        let made = chromium.call(None, "Target.createTarget", &json!({ "url": "about:blank" })).unwrap();
        let attach = json!({ "targetId": made["targetId"], "flatten": true });
        let attached = chromium.call(None, "Target.attachToTarget", &attach).unwrap();
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let page = Self { chromium, session, address };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.show(view);
        let went = page.call("Page.navigate", json!({ "url": page.address }));
        assert!(went.get("errorText").is_none(), "{went}");
        page.loaded(1);
        page
    }

    /// Waits until so many pages were loaded in this tab.
    pub(crate) fn loaded(&self, count: usize) {
        let end = Instant::now() + PATIENCE;
        while self.events("Page.loadEventFired").len() < count {
            let message = self.chromium.receive(end, "Page.navigate");
            self.chromium.keep(message);
        }
    }

    /// Closes the tab. What is left open goes with the browser.
    pub(crate) fn close(self) {
        self.call("Page.close", json!({}));
    }

    /// A command of the protocol.
    pub(crate) fn call(&self, method: &str, parameters: Value) -> Value {
        self.chromium.call(Some(&self.session), method, &parameters).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The parameters of all events of this name so far.
    pub(crate) fn events(&self, method: &str) -> Vec<Value> {
        let events = self.chromium.events.borrow();
        let ours = events.iter().filter(|e| e["sessionId"] == *self.session && e["method"] == method);
        ours.map(|e| e["params"].clone()).collect()
    }

    /// Lays the page out anew in another view.
    pub(crate) fn show(&self, view: View) {
        let size = json!({ "width": view.width, "height": view.height, "deviceScaleFactor": view.scale,
                           "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{ "name": "prefers-color-scheme", "value": view.scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": view.media, "features": features }));
    }

    /// The value of a JavaScript expression, awaited where it is a promise.
    pub(crate) fn evaluate(&self, expression: &str) -> Value {
        let ask = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", ask);
        assert!(answer.get("exceptionDetails").is_none(), "{expression:.80}: {answer}");
        answer["result"]["value"].clone()
    }

    /// What the console, the log and scripts that failed said, and dialogs.
    pub(crate) fn console(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut all = Vec::new();
        for event in self.events("Runtime.exceptionThrown") {
            let details = &event["exceptionDetails"];
            all.push(format!(
                "exception: {} {}",
                text(&details["text"]),
                details["exception"]["description"]
            ));
        }
        for event in self.events("Runtime.consoleAPICalled") {
            let said: Vec<String> =
                event["args"].as_array().into_iter().flatten().map(|a| text(&a["value"])).collect();
            all.push(format!("console {}: {}", text(&event["type"]), said.join(" ")));
        }
        for event in self.events("Log.entryAdded") {
            let entry = &event["entry"];
            all.push(format!("log {}: {} {}", text(&entry["level"]), text(&entry["text"]), entry["url"]));
        }
        for event in self.events("Page.javascriptDialogOpening") {
            all.push(format!("dialog {}: {}", text(&event["type"]), text(&event["message"])));
        }
        all
    }

    /// Addresses that it asked for, other than its own and what it carries
    /// itself.
    pub(crate) fn requests(&self) -> Vec<String> {
        let sent = self.events("Network.requestWillBeSent");
        let addresses = sent.iter().filter_map(|e| e["request"]["url"].as_str());
        let foreign = addresses.filter(|url| *url != self.address && !url.starts_with("data:"));
        foreign.map(str::to_owned).collect()
    }

    /// How long loading took.
    pub(crate) fn timing(&self) -> Timing {
        // The paint is told a little after the load event, if at all.
        let answer = self.evaluate(
            "new Promise(done => {
                const began = performance.now();
                const look = () => {
                    const paint = performance.getEntriesByType('paint')[0];
                    if (!paint && performance.now() - began < 2000) return setTimeout(look, 20);
                    const load = performance.getEntriesByType('navigation')[0];
                    done({ paint: paint ? paint.startTime : null, load: load.loadEventEnd });
                };
                look();
            })",
        );
        Timing { first_paint_ms: answer["paint"].as_f64(), load_ms: answer["load"].as_f64().unwrap() }
    }

    /// A picture of the whole page, its upper part where it is very long.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        const LONGEST: u64 = 12_000;
        let size = self.call("Page.getLayoutMetrics", json!({}))["cssContentSize"].clone();
        let height = size["height"].as_u64().unwrap_or(LONGEST).clamp(1, LONGEST);
        let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1 });
        let ask = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        bytes(&self.call("Page.captureScreenshot", ask)["data"])
    }

    /// The page printed, on the paper that its own style asks for.
    pub(crate) fn pdf(&self) -> Vec<u8> {
        let ask = json!({ "printBackground": true, "preferCSSPageSize": true });
        bytes(&self.call("Page.printToPDF", ask)["data"])
    }
}

/// What the protocol sends as base64.
fn bytes(data: &Value) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("no base64: {c}"),
    };
    let text = data.as_str().unwrap().trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    for group in text.chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, &c| bits << 6 | u32::from(digit(c)));
        let [_, three @ ..] = (bits << (6 * (4 - group.len()))).to_be_bytes();
        out.extend(&three[..group.len() - 1]);
    }
    out
}

#[test]
fn base64_is_read() {
    for (text, plain) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob")] {
        assert_eq!(bytes(&text.into()), plain.as_bytes());
    }
}
