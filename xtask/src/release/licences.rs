//! The licences of all that is in the program, in one text: each licence once, below the names of those that have it.
//! What is part of the program and no crate is named first: a static program contains the C library, whose licence
//! (LGPL) asks that its text goes along and that the program can be linked with another version of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::dependencies::Dependency;
use crate::error::Error;

/// What the names of files with licences and notices begin with, in small letters.
const NAMES: &[&str] = &["licence", "license", "copying", "copyright", "notice", "unlicense"];

const HEAD: &str = "headroom is licensed under MIT OR Apache-2.0. It contains the software below, under licences of its own.\n";

const C_LIBRARY: &str = "\
GNU C Library (glibc): LGPL-2.1-or-later, text below. It is linked into the program statically. The source text of
all the rest, with what is needed to build the program and link it with another version of the library, is
published together with it (`cargo xtask release`).

libgcc (of GCC): GPL-3.0-or-later WITH GCC-exception-3.1, which lets programs that contain it have any licence.

Rust standard library: MIT OR Apache-2.0, Copyright (c) The Rust Project Contributors.
";

const RULE: &str = "\n==============================================================================\n";

/// Writes the text; `lgpl` is that of the LGPL, version 2.1.
pub(super) fn text(
    dependencies: &BTreeMap<(String, String), Dependency>,
    lgpl: &str,
) -> Result<String, Error> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut names = String::new();
    for dependency in dependencies.values().filter(|dependency| !dependency.is_ours) {
        let name = format!("{} {}", dependency.name, dependency.version);
        let found = files(&dependency.folder)?;
        let licence = dependency.licence.as_deref().unwrap_or("see its text below");
        let remark = match (found.is_empty(), &dependency.licence) {
            (false, _) => "",
            (true, Some(_)) => " (it has no text of its own)",
            (true, None) => {
                return Err(Error::Release(format!("{name} says nowhere under which licence it is")));
            }
        };
        names.push_str(&format!("{name}: {licence}{remark}\n"));
        for text in found {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let mut whole = format!("{HEAD}\n{C_LIBRARY}\n{names}{RULE}GNU C Library\n\n{}", lgpl.trim_end());
    // By whom it is for first, so that the order does not depend on words of licences.
    let mut parts: Vec<(&BTreeSet<String>, &String)> =
        texts.iter().map(|(text, names)| (names, text)).collect();
    parts.sort();
    for (names, text) in parts {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        whole.push_str(&format!("\n{RULE}{}\n\n{}", names.join(", "), text.trim_end()));
    }
    whole.push('\n');
    Ok(whole)
}

/// The texts of licences in the folder of a crate and in the folders in it, where C libraries lie.
fn files(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut texts = BTreeSet::new();
    for path in sorted(folder)? {
        if path.is_dir() {
            for inner in sorted(&path)?.iter().filter(|inner| is_licence(inner)) {
                texts.insert(read(inner)?);
            }
        } else if is_licence(&path) {
            texts.insert(read(&path)?);
        }
    }
    Ok(texts)
}

fn sorted(folder: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(Error::file("read", folder))).collect()
}

/// Whether a file has a licence in it. Sources of programs that are called so do not.
fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_source =
        [".rs", ".c", ".h", ".py", ".sh", ".toml", ".json"].iter().any(|ending| name.ends_with(ending));
    path.is_file() && !is_source && NAMES.iter().any(|start| name.starts_with(start))
}

/// A text, whose bytes need not all be UTF-8, with plain ends of lines.
fn read(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(Error::file("read", path))?;
    Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tests::dependency;

    /// A crate with these files.
    fn with_files(root: &Path, name: &str, licence: Option<&str>, files: &[(&str, &str)]) -> Dependency {
        let mut dependency = dependency(name, licence);
        dependency.folder = root.join(name);
        fs::create_dir_all(&dependency.folder).unwrap();
        for (path, text) in files {
            let path = dependency.folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dependency
    }

    fn written(all: Vec<Dependency>) -> Result<String, Error> {
        let all = all.into_iter().map(|one| ((one.name.clone(), one.version.clone()), one)).collect();
        text(&all, "Words of the LGPL.\n")
    }

    #[test]
    fn a_text_stands_once_below_all_that_have_it() {
        let root = tempfile::tempdir().unwrap();
        let text = written(vec![
            with_files(
                root.path(),
                "a",
                Some("MIT"),
                &[("LICENSE", "Words\r\nof MIT.\n"), ("src/x.rs", "no")],
            ),
            with_files(
                root.path(),
                "b",
                Some("MIT"),
                &[("license-mit", "Words\nof MIT.\n\n"), ("license.rs", "no")],
            ),
            with_files(root.path(), "c", Some("BSD-3-Clause"), &[("library/COPYING", "Words of BSD.")]),
            with_files(root.path(), "d", Some("ISC"), &[]),
        ])
        .unwrap();
        assert_eq!(text.matches("Words\nof MIT.").count(), 1, "{text}");
        assert!(text.contains("\na 1.0.0, b 1.0.0\n\nWords\nof MIT."), "{text}");
        assert!(text.contains("\nc 1.0.0\n\nWords of BSD.\n"), "{text}");
        assert!(text.contains("\nd 1.0.0: ISC (it has no text of its own)\n"), "{text}");
        assert!(text.contains("\nGNU C Library\n\nWords of the LGPL.\n") && !text.contains("\r"), "{text}");
        assert!(!text.contains("\nno"), "{text}");
    }

    #[test]
    fn a_crate_without_any_licence_is_not_released() {
        let root = tempfile::tempdir().unwrap();
        let error = written(vec![with_files(root.path(), "a", None, &[])]).unwrap_err();
        assert!(error.to_string().contains("a 1.0.0 says nowhere"), "{error}");
    }
}
