//! `gen`: writes the reference documents that follow from tables in the code,
//! or with `--check` says which are not as they would be written.
//!
//! A document is one line in [`GENERATED`]. Its text must follow from the code
//! alone: the same on every machine and with every set of Cargo features.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use crate::error::Error;
use crate::{Task, reference, tidy};

/// The task.
pub(crate) const TASK: Task = Task {
    name: "gen",
    about: "Write the generated reference documents",
    arguments: |command: Command| {
        let check = Arg::new("check").long("check").action(ArgAction::SetTrue);
        command.arg(check.help("Write nothing; fail if a document is not as it would be written"))
    },
    run,
};

/// A document that is made from code.
pub(crate) struct Generated {
    /// Where it lies, from the root.
    pub(crate) path: &'static str,
    /// Its text; the error says why there is none.
    pub(crate) make: fn() -> Result<String, String>,
}

/// Every generated document.
pub(crate) const GENERATED: &[Generated] = &[
    Generated { path: "docs/reference/run.schema.json", make: || pretty(&model::run::json_schema()) },
    Generated {
        path: "docs/reference/comparison.schema.json",
        make: || pretty(&model::comparison::json_schema()),
    },
    Generated {
        path: "docs/reference/study.schema.json",
        make: || pretty(&study::schema::study_schema(&agent::catalogue())),
    },
    Generated { path: "docs/reference/study.md", make: || Ok(study::schema::markdown()) },
    Generated { path: "docs/reference/fio.md", make: || Ok(study::read::fio::markdown()) },
    Generated {
        path: "docs/reference/workloads.md",
        make: || Ok(report::reference::markdown(&agent::catalogue())),
    },
    Generated { path: "docs/reference/findings.md", make: || Ok(reference::findings()) },
    Generated { path: "docs/reference/samplers.md", make: || Ok(reference::samplers()) },
    Generated { path: "docs/reference/command-line.md", make: || Ok(cli::reference()) },
];

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    if arguments.get_flag("check") {
        return tidy::report(&stale(root, GENERATED)?);
    }
    for path in write(root, GENERATED)? {
        println!("wrote {path}");
    }
    Ok(())
}

/// Writes what is not as it should be, and says which files those were.
fn write(root: &Path, table: &[Generated]) -> Result<Vec<&'static str>, Error> {
    let mut written = Vec::new();
    for document in table {
        let (path, text) = (root.join(document.path), text(document)?);
        if present(&path)?.as_deref() == Some(text.as_str()) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        fs::write(&path, text).map_err(Error::file("write", &path))?;
        written.push(document.path);
    }
    Ok(written)
}

/// What is wrong with the documents on the disk.
pub(crate) fn stale(root: &Path, table: &[Generated]) -> Result<Vec<tidy::Problem>, Error> {
    let mut problems = Vec::new();
    for document in table {
        let wanted = text(document)?;
        let (line, message) = match present(&root.join(document.path))? {
            None => (None, "is missing"),
            Some(found) if found == wanted => continue,
            Some(found) => (Some(first_difference(&found, &wanted)), "is not what the code says"),
        };
        let message = format!("{message}: run `cargo xtask gen` and commit the result");
        problems.push(tidy::Problem { path: document.path.to_owned(), line, message });
    }
    Ok(problems)
}

fn text(document: &Generated) -> Result<String, Error> {
    (document.make)().map_err(|reason| Error::Generate { path: document.path, reason })
}

fn present(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::file("read", path)(e)),
    }
}

/// The first line, from 1, in which two different texts differ.
fn first_difference(a: &str, b: &str) -> usize {
    a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count() + 1
}

/// JSON for people. Keys are sorted here because whether `serde_json` sorts
/// them depends on which features other crates of the same build ask for.
pub(crate) fn pretty(value: &Value) -> Result<String, String> {
    let text = serde_json::to_string_pretty(&sorted(value)).map_err(|e| e.to_string())?;
    Ok(text + "\n")
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Generated] = &[
        Generated { path: "docs/a.md", make: || Ok("one\ntwo\n".to_owned()) },
        Generated { path: "docs/deep/b.md", make: || Ok("three\n".to_owned()) },
    ];

    #[test]
    fn what_was_written_passes_the_check_and_is_not_written_again() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(stale(root.path(), TABLE).unwrap().len(), 2);
        assert_eq!(write(root.path(), TABLE).unwrap(), ["docs/a.md", "docs/deep/b.md"]);
        assert!(stale(root.path(), TABLE).unwrap().is_empty());
        assert!(write(root.path(), TABLE).unwrap().is_empty());
    }

    #[test]
    fn a_changed_document_is_found_with_its_line_and_put_right() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), TABLE).unwrap();
        fs::write(root.path().join("docs/a.md"), "one\n2\n").unwrap();
        let problems = stale(root.path(), TABLE).unwrap();
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].to_string().starts_with("docs/a.md:2: is not what the code says"),
            "{}",
            problems[0]
        );
        assert_eq!(write(root.path(), TABLE).unwrap(), ["docs/a.md"]);
        assert!(stale(root.path(), TABLE).unwrap().is_empty());
    }

    #[test]
    fn a_document_that_cannot_be_made_is_an_error_with_its_name() {
        let root = tempfile::tempdir().unwrap();
        let table = &[Generated { path: "docs/a.md", make: || Err("two workloads of one name".to_owned()) }];
        let error = write(root.path(), table).unwrap_err().to_string();
        assert_eq!(error, "cannot make `docs/a.md`: two workloads of one name");
        assert!(!root.path().join("docs").exists());
    }

    #[test]
    fn every_document_can_be_made_and_has_a_place_of_its_own() {
        for (place, document) in GENERATED.iter().enumerate() {
            let text = (document.make)().unwrap();
            assert!(text.ends_with('\n') && text.len() > 100, "{}: {text}", document.path);
            assert!(document.path.starts_with("docs/reference/"), "{}", document.path);
            assert!(GENERATED[..place].iter().all(|other| other.path != document.path), "{}", document.path);
        }
    }

    #[test]
    fn keys_are_sorted_and_lists_are_not() {
        let value: Value = serde_json::from_str(r#"{"b": [2, 1], "a": {"d": 1, "c": 2}}"#).unwrap();
        let text: String = pretty(&value).unwrap().split_whitespace().collect();
        assert_eq!(text, r#"{"a":{"c":2,"d":1},"b":[2,1]}"#);
    }
}
