//! What was made of the corpus before: summaries and English Markdown as text, which
//! a review can read, all else as digests. `CORPUS=write` accepts what is made now.
//!
//! What a test made last lies under `target/tmp/corpus`, in `good` if it was as
//! expected and in `new` if not, so that the two can be compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{Outputs, kept};

/// The end of a file's name that says that its text is kept.
const TEXTS: &[&str] = &[".txt", ".en.md"];

fn is_text(name: &str) -> bool {
    TEXTS.iter().any(|end| name.ends_with(end))
}

fn folder() -> PathBuf {
    kept::folder().join("expected")
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The digests that are kept: of names of files.
fn digests() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("digests")).unwrap_or_default();
    let pair = |line: &str| line.split_once("  ").map(|(digest, name)| (name.to_owned(), digest.to_owned()));
    text.lines().filter_map(pair).collect()
}

/// The first lines in which two texts differ.
fn first_difference(before: &str, now: &str) -> String {
    let (mut before, mut now) = (before.lines(), now.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (before.next(), now.next()) {
            (None, None) => return "only the ends of lines differ".to_owned(),
            (b, n) if b != n => {
                let shown = |side: Option<&str>| {
                    side.map_or("(no line)".to_owned(), |s| s.chars().take(300).collect())
                };
                return format!("line {line}\n    - {}\n    + {}", shown(b), shown(n));
            }
            _ => {}
        }
    }
}

/// Where the outputs of tests are put to be looked at.
fn put(outputs: &Outputs, names: &[&String], kind: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus").join(kind);
    if kind == "new" {
        // Those of an earlier run say nothing of this one.
        let _ = fs::remove_dir_all(&folder);
    }
    fs::create_dir_all(&folder).unwrap();
    for name in names {
        fs::write(folder.join(name), &outputs[*name]).unwrap();
    }
    folder
}

/// Fails with the files that are not as they were.
pub(crate) fn compare(outputs: &Outputs) {
    if std::env::var_os("CORPUS").is_some_and(|value| value == "write") {
        write(outputs);
    }
    let digests = digests();
    let mut wrong: BTreeMap<&String, String> = BTreeMap::new();
    for (name, bytes) in outputs {
        if !is_text(name) {
            match digests.get(name) {
                Some(before) if *before == digest(bytes) => {}
                Some(_) => drop(wrong.insert(name, "differs".to_owned())),
                None => drop(wrong.insert(name, "is new".to_owned())),
            }
            continue;
        }
        match fs::read_to_string(folder().join(name)) {
            Ok(before) if before.as_bytes() == bytes => {}
            Ok(before) => {
                drop(wrong.insert(name, first_difference(&before, &String::from_utf8_lossy(bytes))));
            }
            Err(_) => drop(wrong.insert(name, "is new".to_owned())),
        }
    }
    let gone: Vec<&String> = digests.keys().filter(|name| !outputs.contains_key(*name)).collect();
    let (bad, good): (Vec<_>, Vec<_>) = outputs.keys().partition(|name| wrong.contains_key(name));
    let good = put(outputs, &good, "good");
    let new = put(outputs, &bad, "new");
    if wrong.is_empty() && gone.is_empty() {
        return;
    }
    let mut message = format!("{} of {} files are not as they were:\n", wrong.len(), outputs.len());
    for (name, how) in &wrong {
        writeln!(message, "  {name}: {how}").unwrap();
    }
    for name in gone {
        writeln!(message, "  {name}: is no more made").unwrap();
    }
    panic!(
        "{message}They lie in {}, and in {} those that a test saw as expected.\n\
         If that is what the commit is for: CORPUS=write cargo test -p cli --test corpus",
        new.display(),
        good.display()
    );
}

/// Takes all outputs as what is expected.
fn write(outputs: &Outputs) {
    let _ = fs::remove_dir_all(folder());
    fs::create_dir_all(folder()).unwrap();
    let mut lines = String::new();
    for (name, bytes) in outputs {
        if is_text(name) {
            fs::write(folder().join(name), bytes).unwrap();
        } else {
            writeln!(lines, "{}  {name}", digest(bytes)).unwrap();
        }
    }
    fs::write(folder().join("digests"), lines).unwrap();
}
