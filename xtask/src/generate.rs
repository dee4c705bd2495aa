//! `gen`: writes the reference documents that follow from tables in the code,
//! or with `--check` says which are not as they would be written. The built
//! program says what they are (`headroom reference`).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command as Process;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::error::Error;
use crate::{Task, cargo, tidy};

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

/// Documents by their path from the root.
type Documents = BTreeMap<String, String>;

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let built = cargo::build(root, &["build", "--package", "cli", "--bin", "headroom"])?;
    let documents = documents(cargo::headroom(&built)?)?;
    if arguments.get_flag("check") {
        return tidy::report(&stale(root, &documents)?);
    }
    for path in write(root, &documents)? {
        println!("wrote {path}");
    }
    Ok(())
}

/// Checks the documents against what this program says.
pub(crate) fn check(root: &Path, headroom: &Path) -> Result<(), Error> {
    tidy::report(&stale(root, &documents(headroom)?)?)
}

fn documents(headroom: &Path) -> Result<Documents, Error> {
    let failed = |reason: String| Error::Generate { reason };
    let output = Process::new(headroom).arg("reference").output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let documents: Documents = serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))?;
    if documents.is_empty() {
        return Err(failed("the program names no document".to_owned()));
    }
    Ok(documents)
}

/// Writes what is not as it should be, and says which files those were.
fn write(root: &Path, documents: &Documents) -> Result<Vec<String>, Error> {
    let mut written = Vec::new();
    for (path, text) in documents {
        let file = root.join(path);
        if present(&file)?.as_deref() == Some(text.as_str()) {
            continue;
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        fs::write(&file, text).map_err(Error::file("write", &file))?;
        written.push(path.clone());
    }
    Ok(written)
}

/// What is wrong with the documents on the disk.
fn stale(root: &Path, documents: &Documents) -> Result<Vec<tidy::Problem>, Error> {
    let mut problems = Vec::new();
    for (path, wanted) in documents {
        let (line, message) = match present(&root.join(path))? {
            None => (None, "is missing"),
            Some(found) if found == *wanted => continue,
            Some(found) => (Some(first_difference(&found, wanted)), "is not what the code says"),
        };
        let message = format!("{message}: run `cargo xtask gen` and commit the result");
        problems.push(tidy::Problem { path: path.clone(), line, message });
    }
    Ok(problems)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Documents {
        [("docs/a.md", "one\ntwo\n"), ("docs/deep/b.md", "three\n")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into()
    }

    #[test]
    fn what_was_written_passes_the_check_and_is_not_written_again() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(stale(root.path(), &table()).unwrap().len(), 2);
        assert_eq!(write(root.path(), &table()).unwrap(), ["docs/a.md", "docs/deep/b.md"]);
        assert!(stale(root.path(), &table()).unwrap().is_empty());
        assert!(write(root.path(), &table()).unwrap().is_empty());
    }

    #[test]
    fn a_changed_document_is_found_with_its_line_and_put_right() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &table()).unwrap();
        fs::write(root.path().join("docs/a.md"), "one\n2\n").unwrap();
        let problems = stale(root.path(), &table()).unwrap();
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].to_string().starts_with("docs/a.md:2: is not what the code says"),
            "{}",
            problems[0]
        );
        assert_eq!(write(root.path(), &table()).unwrap(), ["docs/a.md"]);
        assert!(stale(root.path(), &table()).unwrap().is_empty());
    }

    #[test]
    fn a_program_that_names_no_documents_is_an_error() {
        assert!(documents(Path::new("/bin/false")).is_err());
        assert!(documents(Path::new("/bin/true")).is_err());
        assert!(documents(Path::new("/no/such/program")).is_err());
    }
}
