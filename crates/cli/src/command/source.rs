//! Where a command's runs come from: the store, a file that `export` or `run --json` wrote, or a text
//! that another tool printed.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use clap::ArgMatches;
use import::v1::document::{self, SCHEMA_V1};
use machine::file::{self, Bounds};
use model::Run;
use model::run::SCHEMA;
use report::text::printable;
use store::{SqliteStore, Store};

use super::{kept_runs, tool_text};
use crate::exit::Failure;

/// Runs by their names; the store is opened when the first is asked of it.
pub(super) struct Runs<'a> {
    matches: &'a ArgMatches,
    store: Option<SqliteStore>,
    /// The names that texts gave to their runs, each with its path.
    texts: BTreeMap<String, String>,
}

impl<'a> Runs<'a> {
    /// Of the store that the arguments name.
    pub(super) fn of(matches: &'a ArgMatches) -> Self {
        Self { matches, store: None, texts: BTreeMap::new() }
    }

    /// The run of this name, or the document at this path, with estimates and findings as this
    /// version makes them.
    pub(super) fn load(&mut self, named: &str) -> Result<Run, Failure> {
        let mut run =
            if is_path(named) { read(Path::new(named), &mut self.texts)? } else { self.stored(named)? };
        analysis::derive(&mut run);
        Ok(run)
    }

    fn stored(&mut self, named: &str) -> Result<Run, Failure> {
        let store = match self.store.take() {
            Some(store) => store,
            None => kept_runs(self.matches)?,
        };
        let store = self.store.insert(store);
        Ok(store.load(&store.resolve(named)?)?)
    }
}

/// A run's name has neither of these, so a mistyped file is not looked for in a store.
fn is_path(named: &str) -> bool {
    named.contains(['/', '.'])
}

/// The largest document that is read; a run of 10,000 cases with all that was
/// sampled takes less.
const BYTES_MAX: u64 = 1 << 30;

/// The run in a file. `texts` has the names of the runs of texts before it, each with its path.
fn read(path: &Path, texts: &mut BTreeMap<String, String>) -> Result<Run, Failure> {
    let bytes = file::read(path, Bounds::of_pipe(BYTES_MAX)).map_err(|source| match source.kind() {
        ErrorKind::NotFound => wrong(
            path,
            "there is no such file",
            "correct the path; `headroom list` shows the runs that are kept",
        ),
        ErrorKind::InvalidInput | ErrorKind::FileTooLarge | ErrorKind::TimedOut => {
            wrong(path, &source.to_string(), EXPORT)
        }
        _ => Failure::File { what: "reading", path: path.to_owned(), source },
    })?;
    parse(path, &bytes).or_else(|failure| {
        let run = tool_text::run_in(path, &bytes).ok_or(failure);
        run.map(|run| Run { id: numbered(texts, &run.id, &path.to_string_lossy()), ..run })
    })
}

/// The name of the run of the text at `path`: with a number behind it where another text has it.
fn numbered(texts: &mut BTreeMap<String, String>, name: &str, path: &str) -> String {
    let (mut own, mut number) = (name.to_owned(), 2);
    while texts.get(&own).is_some_and(|other| other != path) {
        own = format!("{name}-{number}");
        number += 1;
    }
    texts.insert(own.clone(), path.to_owned());
    own
}

/// What is to be given instead.
const EXPORT: &str =
    "give a file that `headroom export` or `headroom run --json` wrote, or a text that a known tool printed";

fn parse(path: &Path, bytes: &[u8]) -> Result<Run, Failure> {
    let run = match document::read(bytes) {
        Ok(run) if run.schema == SCHEMA && !is_name(&run.id) => {
            return Err(wrong(path, "its name has other characters than letters, digits and dashes", EXPORT));
        }
        Ok(run) if run.schema == SCHEMA => return Ok(run),
        other => other,
    };
    // Why not: no JSON at all, another document, a newer one, or one that is not whole.
    let json: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|e| wrong(path, &format!("it is not JSON: {e}"), EXPORT))?;
    let schema = json.get("schema").and_then(|s| s.as_str()).unwrap_or_default();
    let kind = schema.rsplit_once('/').map_or(schema, |(kind, _)| kind);
    let own = SCHEMA.rsplit_once('/').map_or(SCHEMA, |(own, _)| own);
    if schema.is_empty() {
        return Err(wrong(path, "it is JSON of something else", EXPORT));
    }
    if kind != own {
        return Err(wrong(path, &format!("it is a document of {schema}"), EXPORT));
    }
    if ![SCHEMA, SCHEMA_V1].contains(&schema) {
        let what = format!("it is {schema}, and this version reads {SCHEMA_V1} and {SCHEMA}");
        return Err(wrong(path, &what, "use the version of Headroom that wrote it, or a newer one"));
    }
    let why = run.err().map(|e| e.to_string()).unwrap_or_default();
    Err(wrong(path, &format!("it is {schema}, but damaged: {why}"), EXPORT))
}

/// Whether a run may be called so: names become names of files.
pub(super) fn is_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn wrong(path: &Path, what: &str, help: &str) -> Failure {
    let message = format!("{} is no run: {what}", path.display());
    Failure::arguments(printable(&message), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_file_is_not_looked_for_in_the_store() {
        for (named, path) in [("page.html", true), ("run.json", true), ("./x", true), ("20261121-1", false)] {
            assert_eq!(is_path(named), path, "{named}");
        }
        assert!(is_path(".") && !is_path("last"));
    }

    #[test]
    fn texts_of_one_name_are_numbered() {
        let mut texts = BTreeMap::new();
        let names = ["a.txt", "a.log", "a.txt"].map(|path| numbered(&mut texts, "a", path));
        assert_eq!(names, ["a", "a-2", "a"], "the same text is the same run");
    }

    #[test]
    fn what_is_no_run_says_what_it_is() {
        for (text, says) in [
            ("", "not JSON"),
            ("{\"schema\": ", "not JSON"),
            ("[1, 2]", "JSON of something else"),
            ("{\"fio version\": \"fio-3.33\"}", "JSON of something else"),
            ("{\"schema\": \"headroom.comparison/1\"}", "a document of headroom.comparison/1"),
            (
                "{\"schema\": \"headroom.run/3\"}",
                "it is headroom.run/3, and this version reads headroom.run/1 and headroom.run/2",
            ),
            ("{\"schema\": \"headroom.run/1\", \"id\": 5}", "it is headroom.run/1, but damaged"),
            ("{\"schema\": \"headroom.run/2\", \"id\": 5}", "it is headroom.run/2, but damaged"),
        ] {
            let failure = parse(Path::new("x.json"), text.as_bytes()).unwrap_err();
            assert!(failure.message().contains(says), "{}", failure.message());
            assert!(failure.help().is_some());
            assert_eq!(failure.code(), 2);
        }
    }

    #[test]
    fn what_another_tool_printed_is_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("linux 1.txt");
        let text =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        std::fs::write(&path, text.repeat(3)).unwrap();
        let run = read(&path, &mut BTreeMap::new()).unwrap();
        assert!(run.id.ends_with("linux-1") && is_name(&run.id), "{}", run.id);
        assert_eq!((run.origin.tool.as_str(), run.cases.len(), run.cases[0].trials.len()), ("dd", 1, 3));
        std::fs::write(&path, "prose\n").unwrap();
        assert!(
            read(&path, &mut BTreeMap::new()).unwrap_err().message().contains("is no run: it is not JSON")
        );
    }

    #[test]
    fn regression_a_device_was_read_as_a_run_for_ever() {
        let failure = read(Path::new("/dev/zero"), &mut BTreeMap::new()).unwrap_err();
        assert_eq!(failure.message(), "/dev/zero is no run: it is a device");
        assert_eq!(failure.code(), 2);
        assert!(
            read(Path::new("/proc"), &mut BTreeMap::new()).unwrap_err().message().contains("it is a folder")
        );
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        for bad in ["../../etc/x", "", "a/b", "a\u{1b}[2J", "a b"] {
            assert!(!is_name(bad), "{bad}");
        }
        assert!(is_name("20261120-191542-k3f9"));
    }

    #[test]
    fn names_of_runs_are_no_paths() {
        for name in ["last", "20261120-191542-k3f9", "2026"] {
            assert!(!is_path(name));
        }
        for path in ["a.json", "./a", "/tmp/run.json"] {
            assert!(is_path(path));
        }
    }
}
