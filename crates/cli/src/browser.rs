//! A page as PDF: printed by a browser that is already installed, Chromium or
//! Chrome without a window.
//!
//! The browser gets the page in a private folder that is also its home, so that
//! it reads no profile and leaves nothing behind; every address it could ask
//! for leads nowhere. It runs in a process group of its own, which is ended
//! whole: when it is done, when it hangs, and when the person interrupts.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, geteuid, kill_process_group, test_kill_process_group, waitid,
};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

use crate::database_passwords;
use crate::exit::Failure;

/// The names under which a Chromium is looked for in PATH, in this order.
pub const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Names another browser: a path, or a name in PATH.
pub const VARIABLE: &str = "HEADROOM_BROWSER";

/// How long the browser may take. A page of 500 cases takes it a few seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the killed children of a browser may take to be gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often we look whether it is done.
const GLANCE: Duration = Duration::from_millis(10);

/// Why there is no PDF.
#[derive(Debug)]
pub enum BrowserError {
    /// There is no browser of these names in PATH.
    Missing(Vec<String>),
    /// What [`VARIABLE`] names is no program.
    NotThere(String),
    /// The browser did not end in time.
    Hung {
        /// The browser.
        browser: PathBuf,
        /// How long it had.
        patience: Duration,
    },
    /// It ended without a PDF.
    Failed {
        /// The browser.
        browser: PathBuf,
        /// Its last output, or how it ended.
        said: String,
    },
    /// A signal to us ended it.
    Interrupted,
    /// We could not prepare or start it.
    Unprepared {
        /// What was tried.
        what: &'static str,
        /// The kernel's error.
        source: std::io::Error,
    },
}

impl BrowserError {
    /// What happened, in a sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let shown = |path: &Path| report::text::printable(&path.display().to_string());
        match self {
            BrowserError::Missing(names) => {
                format!("a PDF is printed by Chromium or Chrome, and there is none: no {}", names.join(", "))
            }
            BrowserError::NotThere(name) => {
                format!("{VARIABLE} is `{}`, which is no program", report::text::printable(name))
            }
            BrowserError::Hung { browser, patience } => {
                format!("{} printed no PDF in {} s", shown(browser), patience.as_secs_f64())
            }
            BrowserError::Failed { browser, said } => format!("{} printed no PDF: {said}", shown(browser)),
            BrowserError::Interrupted => "interrupted while the PDF was printed".to_owned(),
            BrowserError::Unprepared { what, source } => format!("{what} failed: {source}"),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let instead = "write the page as .html, and print it from any browser";
        match self {
            BrowserError::Missing(_) => Some(format!(
                "install one (Debian: `apt install chromium`), name one with {VARIABLE}=PATH, or {instead}"
            )),
            BrowserError::NotThere(_) => Some(format!("correct it, or unset it to look for {}", NAMES[0])),
            BrowserError::Hung { .. } | BrowserError::Failed { .. } => {
                Some(format!("name another browser with {VARIABLE}=PATH, or {instead}"))
            }
            BrowserError::Interrupted => None,
            BrowserError::Unprepared { .. } => {
                Some(format!("make room in the temporary folder, or {instead}"))
            }
        }
    }
}

/// The browser that would print: what [`VARIABLE`] names, or the first of
/// [`NAMES`] in PATH. Fails if there is none; so that a run can refuse before it measures anything.
pub fn find() -> Result<PathBuf, Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    Ok(find_in(&path, env::var_os(VARIABLE).as_deref())?)
}

fn find_in(path: &OsStr, named: Option<&OsStr>) -> Result<PathBuf, BrowserError> {
    let is_program = |file: &PathBuf| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    let in_path = |name: &OsStr| env::split_paths(path).map(|f| f.join(name)).find(is_program);
    if let Some(named) = named.filter(|n| !n.is_empty()) {
        let own = PathBuf::from(named);
        let found = if own.components().count() > 1 { Some(own).filter(is_program) } else { in_path(named) };
        return found.ok_or_else(|| BrowserError::NotThere(named.to_string_lossy().into_owned()));
    }
    let found = NAMES.iter().find_map(|name| in_path(OsStr::new(name)));
    found.ok_or_else(|| BrowserError::Missing(NAMES.iter().map(|&n| n.to_owned()).collect()))
}

/// The page `html` as PDF, with the paper size that its own `@page` asks for. Fails if there is no
/// browser, or it prints nothing within a minute, or a signal (Ctrl-C) ends us meanwhile.
pub fn print(html: &[u8]) -> Result<Vec<u8>, Failure> {
    let browser = find()?;
    let interruption = Interruption::watch();
    Ok(print_with(&browser, html, PATIENCE, &interruption.seen)?)
}

fn print_with(
    browser: &Path,
    html: &[u8],
    patience: Duration,
    interrupted: &AtomicBool,
) -> Result<Vec<u8>, BrowserError> {
    let unprepared = |what| move |source| BrowserError::Unprepared { what, source };
    let folder = tempfile::Builder::new()
        .prefix("headroom-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .map_err(unprepared("making a temporary folder"))?;
    let page = folder.path().join("page.html");
    let words = folder.path().join("words");
    fs::write(&page, html).map_err(unprepared("writing the page for the browser"))?;
    let log = File::create(&words).map_err(unprepared("writing the page for the browser"))?;
    let mut command = command(browser, &folder, geteuid().is_root());
    command.stderr(log);
    let child = command.spawn().map_err(unprepared("starting the browser"))?;
    let ended = Group::of(child).wait(patience, interrupted);
    let failed = |said: String| BrowserError::Failed { browser: browser.to_owned(), said };
    match ended {
        Ended::Interrupted => return Err(BrowserError::Interrupted),
        Ended::Hung => return Err(BrowserError::Hung { browser: browser.to_owned(), patience }),
        Ended::Lost(source) => return Err(unprepared("waiting for the browser")(source)),
        Ended::Done => {}
    }
    let pdf = fs::read(folder.path().join(PDF)).unwrap_or_default();
    if pdf.is_empty() {
        return Err(failed(last_line(&words).unwrap_or_else(|| "it said nothing".to_owned())));
    }
    if pages(&pdf) == 0 {
        return Err(failed("what it wrote is no PDF with a page".to_owned()));
    }
    Ok(pdf)
}

/// The name of what the browser writes, in the private folder.
const PDF: &str = "page.pdf";

fn command(browser: &Path, folder: &TempDir, root: bool) -> Command {
    let home = folder.path();
    let option = |name: &str, path: PathBuf| {
        let mut option = OsString::from(name);
        option.push(path);
        option
    };
    let mut command = Command::new(browser);
    // It needs no passwords of databases, which are there for agents.
    command.env_remove(database_passwords::VARIABLE);
    command.args([
        "--headless",
        "--disable-gpu",
        "--no-first-run",
        "--no-default-browser-check",
        "--no-pdf-header-footer",
        // A container may have little shared memory.
        "--disable-dev-shm-usage",
        // Nothing is asked of any network: names do not resolve, and numbers
        // go to a proxy that is not there.
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--proxy-server=127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-sync",
        "--disable-extensions",
        "--disable-breakpad",
        "--disable-crash-reporter",
    ]);
    if root {
        // Chromium refuses to start as root with its sandbox; the page is ours.
        command.arg("--no-sandbox");
    }
    command.arg(option("--user-data-dir=", home.join("profile")));
    command.arg(option("--print-to-pdf=", home.join(PDF)));
    command.arg(option("file://", home.join("page.html")));
    // Fonts that the person installed stay visible.
    if env::var_os("XDG_DATA_HOME").is_none()
        && let Some(own) = env::var_os("HOME")
    {
        command.env("XDG_DATA_HOME", Path::new(&own).join(".local/share"));
    }
    command.env("HOME", home).env("TMPDIR", home);
    command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_CACHE_HOME", home.join("cache"));
    command.env_remove("DBUS_SESSION_BUS_ADDRESS").current_dir(home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command
}

/// How the browser ended.
enum Ended {
    Done,
    Hung,
    Interrupted,
    Lost(std::io::Error),
}

/// A child and all that it started; both end here at the latest.
struct Group {
    leader: Child,
}

impl Group {
    fn of(leader: Child) -> Self {
        Self { leader }
    }

    fn id(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.leader.id()).ok()?)
    }

    /// Waits until the leader ends by itself, without reaping it, so that the
    /// group's number stays ours.
    fn wait(self, patience: Duration, interrupted: &AtomicBool) -> Ended {
        let started = Instant::now();
        let Some(id) = self.id() else { return Ended::Done };
        loop {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match waitid(WaitId::Pid(id), options) {
                Ok(Some(_)) => return Ended::Done,
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Ended::Lost(e.into()),
            }
            if interrupted.load(Ordering::Relaxed) {
                return Ended::Interrupted;
            }
            if started.elapsed() >= patience {
                return Ended::Hung;
            }
            std::thread::sleep(GLANCE);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.id() {
            let _ = kill_process_group(id, Signal::KILL);
        }
        let _ = self.leader.wait();
        // What it started dies a little later, and until then may write to the folder that is about
        // to be removed. One that nobody reaps stays in the group, so not for long.
        let started = Instant::now();
        while let Some(id) = self.id()
            && test_kill_process_group(id).is_ok()
            && started.elapsed() < LAST_WORDS
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Signals that would end us, remembered for as long as this lives.
struct Interruption {
    seen: Arc<AtomicBool>,
    registered: Vec<SigId>,
}

impl Interruption {
    fn watch() -> Self {
        let seen = Arc::new(AtomicBool::new(false));
        let register = |signal| signal_hook::flag::register(signal, Arc::clone(&seen)).ok();
        Self { registered: [SIGINT, SIGTERM, SIGHUP].into_iter().filter_map(register).collect(), seen }
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// The last line that says anything, short and without control characters.
fn last_line(words: &Path) -> Option<String> {
    const LONGEST: usize = 300;
    let bytes = fs::read(words).ok()?;
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(1 << 16)..]).into_owned();
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(report::text::printable(&line.chars().take(LONGEST).collect::<String>()))
}

/// How many pages a PDF has, by the objects that describe them; 0 for what is
/// no PDF. Chromium writes these objects uncompressed.
#[must_use]
pub fn pages(pdf: &[u8]) -> usize {
    const KEY: &[u8] = b"/Type";
    if !pdf.starts_with(b"%PDF-") {
        return 0;
    }
    let is_page = |rest: &[u8]| {
        let value = rest.trim_ascii_start();
        value.starts_with(b"/Page") && !value.get(5).is_some_and(u8::is_ascii_alphanumeric)
    };
    let keys = pdf.windows(KEY.len()).enumerate().filter(|(_, window)| *window == KEY);
    keys.filter(|(at, _)| is_page(&pdf[at + KEY.len()..])).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a program in it that stands in for a browser.
    struct Fake {
        folder: TempDir,
    }

    impl Fake {
        /// `$pdf` is where to print, `$home` the private folder.
        fn new(script: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let text = format!(
                "#!/bin/sh\nfor word; do case $word in --print-to-pdf=*) pdf=${{word#*=}} ;; esac; done\n\
                 home=${{pdf%/*}}\necho \"$home\" > {0}/home\n{script}\n",
                folder.path().display()
            );
            // A shell writes it: a file that this process writes stays open in what other tests start meanwhile, and a
            // program that is open for writing cannot be started.
            let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"";
            let mut shell = Command::new("sh");
            shell.args(["-c", write, "sh", &text]).arg(folder.path().join("chromium"));
            assert!(shell.status().unwrap().success());
            Self { folder }
        }

        fn print(&self, patience: Duration, interrupted: bool) -> Result<Vec<u8>, BrowserError> {
            let program = self.folder.path().join("chromium");
            print_with(&program, b"<p>page", patience, &AtomicBool::new(interrupted))
        }

        fn said(&self, name: &str) -> String {
            fs::read_to_string(self.folder.path().join(name)).unwrap().trim().to_owned()
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_the_browser_prints_is_returned_and_its_folder_removed() {
        let fake = Fake::new("stat -c %a $home > ${0%/*}/mode; printf '%%PDF-1.4 /Type /Page ' > $pdf");
        assert_eq!(fake.print(LONG, false).unwrap(), b"%PDF-1.4 /Type /Page ");
        assert_eq!(fake.said("mode"), "700");
        assert!(!Path::new(&fake.said("home")).exists());
    }

    #[test]
    fn a_browser_that_fails_is_quoted() {
        let fake = Fake::new("echo first >&2; printf 'No usable sandbox!\\033[1m\\n\\n' >&2; exit 1");
        let error = fake.print(LONG, false).unwrap_err();
        assert!(
            error.message().ends_with("chromium printed no PDF: No usable sandbox!\\u{1b}[1m"),
            "{}",
            error.message()
        );
        assert!(error.help().unwrap().contains(VARIABLE));
        assert!(!Path::new(&fake.said("home")).exists());
        assert_eq!(Failure::from(error).code(), 1);
    }

    #[test]
    fn a_program_that_is_no_browser_is_found_out() {
        for (script, says) in [
            ("exit 0", "it said nothing"),
            (": > $pdf", "it said nothing"),
            ("echo hello > $pdf", "no PDF with a page"),
            ("printf '%%PDF-1.4 /Type /Pages' > $pdf", "no PDF with a page"),
        ] {
            let message = Fake::new(script).print(LONG, false).unwrap_err().message();
            assert!(message.contains(says), "{script}: {message}");
        }
    }

    fn lives(process: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
    }

    /// The group ends whole, also the child that its leader waits for.
    const HANGS: &str = "sleep 600 & echo $! > ${0%/*}/child; wait";

    #[test]
    fn a_browser_that_hangs_is_ended_with_its_children() {
        let fake = Fake::new(HANGS);
        let error = fake.print(Duration::from_secs(1), false).unwrap_err();
        assert!(matches!(error, BrowserError::Hung { .. }), "{error:?}");
        assert!(!lives(&fake.said("child")));
        assert!(!Path::new(&fake.said("home")).exists());
    }

    #[test]
    fn children_that_a_browser_leaves_behind_are_ended_too() {
        let fake = Fake::new("sleep 600 & echo $! > ${0%/*}/child");
        fake.print(LONG, false).unwrap_err();
        assert!(!lives(&fake.said("child")));
    }

    #[test]
    fn an_interruption_ends_the_browser() {
        let error = Fake::new("sleep 600").print(LONG, true).unwrap_err();
        assert!(matches!(error, BrowserError::Interrupted), "{error:?}");
        assert_eq!(Failure::from(error).code(), 130);
    }

    #[test]
    fn the_browser_is_looked_for_by_its_names() {
        let fake = Fake::new("");
        let folder = fake.folder.path();
        let own = folder.join("chromium");
        let find = |path: &str, named: Option<&str>| find_in(OsStr::new(path), named.map(OsStr::new));
        let here = folder.to_str().unwrap();
        assert_eq!(find(here, None).unwrap(), own);
        assert_eq!(find(here, Some("")).unwrap(), own);
        assert_eq!(find(here, Some("chromium")).unwrap(), own);
        assert_eq!(find("/nowhere", Some(own.to_str().unwrap())).unwrap(), own);
        // Nothing else is taken in place of what was named.
        assert!(matches!(find(here, Some("firefox")), Err(BrowserError::NotThere(n)) if n == "firefox"));
        assert!(matches!(find(here, Some(here)), Err(BrowserError::NotThere(_))));
        let missing = Failure::from(find("/nowhere", None).unwrap_err());
        for name in NAMES {
            assert!(missing.message().contains(name), "{}", missing.message());
        }
        assert_eq!(missing.code(), 3);
        assert!(missing.help().unwrap().contains(".html"));
    }

    #[test]
    fn the_sandbox_is_left_out_for_root_only() {
        let folder = tempfile::tempdir().unwrap();
        for root in [true, false] {
            let command = command(Path::new("chromium"), &folder, root);
            assert_eq!(command.get_args().any(|a| a == "--no-sandbox"), root);
        }
    }

    #[test]
    fn pages_are_counted() {
        assert_eq!(pages(b"%PDF-1.4\n<</Type /Pages>> <</Type /Page\n>> <</Type/Page>>"), 2);
        assert_eq!(pages(b"/Type /Page"), 0);
        assert_eq!(pages(b""), 0);
        assert_eq!(pages(b"%PDF-1.4 /Type"), 0);
    }
}
