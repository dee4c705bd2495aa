//! The files that the rules look at, read once.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use super::facts::{self, Facts};
use crate::error::Error;

/// Folders that hold other people's words or what tools made.
const PASSED_OVER: &[&str] = &["target", "fixtures", "golden", "snapshots"];

/// One text file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it lies, from the root, with `/`.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// All text files of the workspace that rules speak of.
#[derive(Debug)]
pub(crate) struct Sources {
    /// By their paths.
    pub(crate) files: Vec<Source>,
    /// What rules take of the Rust files, once one of them asked for it.
    facts: OnceLock<Vec<Facts>>,
}

impl Sources {
    /// Reads every Rust, Markdown, TOML and shell file, and CI's script.
    pub(crate) fn read(root: &Path) -> Result<Self, Error> {
        let mut found = Vec::new();
        walk(root, "", &mut found)?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self::new(found))
    }

    /// These files.
    pub(crate) fn new(files: Vec<Source>) -> Self {
        Self { files, facts: OnceLock::new() }
    }

    /// The files whose name ends so.
    pub(crate) fn ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = &'a Source> {
        self.files.iter().filter(move |source| source.path.ends_with(ending))
    }

    /// The Rust files, and what rules take of each.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&Source, &Facts)> {
        self.ending(".rs").zip(self.facts.get_or_init(|| facts::of_all(self)))
    }
}

impl Source {
    /// Whether the whole file is for tests: it lies in a folder `tests`, or is
    /// the file `tests.rs` of a module.
    pub(crate) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }
}

fn walk(root: &Path, inside: &str, found: &mut Vec<Source>) -> Result<(), Error> {
    let folder = root.join(inside);
    for entry in fs::read_dir(&folder).map_err(Error::file("read", &folder))? {
        let entry = entry.map_err(Error::file("read", &folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
        let kind = entry.file_type().map_err(Error::file("read", &entry.path()))?;
        if kind.is_dir() {
            let hidden = name.starts_with('.') && name != ".ci";
            if !hidden && !PASSED_OVER.contains(&name.as_str()) {
                walk(root, &path, found)?;
            }
        } else if kind.is_file() && is_ours(&path) {
            let text = fs::read_to_string(entry.path()).map_err(Error::file("read", &entry.path()))?;
            found.push(Source { path, text });
        }
    }
    Ok(())
}

fn is_ours(path: &str) -> bool {
    path.starts_with(".ci/") || [".rs", ".md", ".toml", ".sh"].iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
impl Source {
    /// A file that is on no disk.
    pub(crate) fn made_up(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_folders_and_what_others_wrote_are_passed_over() {
        let root = tempfile::tempdir().unwrap();
        for path in
            ["a/lib.rs", ".ci/run", ".git/x.rs", "target/y.rs", "a/fixtures/z.md", "a/picture.png", "R.md"]
        {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        let sources = Sources::read(root.path()).unwrap();
        let paths: Vec<_> = sources.files.iter().map(|source| source.path.as_str()).collect();
        assert_eq!(paths, [".ci/run", "R.md", "a/lib.rs"]);
    }
}
