//! The captures that the integration tests read, for tests of what every line or every text is asked.

use std::collections::BTreeSet;
use std::path::Path;

/// Their texts, in the order of their names. What is not UTF-8 is damaged.
pub(super) fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tool/fixtures");
    let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries(&root).flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    let mut paths: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "out")).collect();
    paths.sort();
    paths.iter().map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect()
}

/// Their lines as readers are given them, each once; of those that differ in their digits alone one.
pub(super) fn lines() -> Vec<String> {
    let mut known = BTreeSet::new();
    let texts = texts();
    let is_new = |line: &&str| {
        known.insert(line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>())
    };
    texts.iter().flat_map(|text| text.lines()).filter(is_new).map(super::paste::as_shown).collect()
}
