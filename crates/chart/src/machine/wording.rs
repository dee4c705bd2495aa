//! The picture's words: keys of the language tables that begin with `picture-`,
//! filled. Names from a machine go in as arguments only, and are never read as
//! patterns.

use language::Words;
use model::Value;

/// The text of `picture-KEY`, filled with words.
pub(super) fn fill(words: &Words, key: &str, arguments: &[(&str, &str)]) -> String {
    words.tell_texts(&format!("picture-{key}"), arguments)
}

pub(super) fn say(words: &Words, key: &str) -> String {
    words.say(&format!("picture-{key}"))
}

/// The text of `picture-KEY` for so many: `1 core`, `8 cores`.
pub(super) fn counted(words: &Words, key: &str, count: usize) -> String {
    words.count(&format!("picture-{key}"), count)
}

/// What a name stands for: `sda: 256 GB`.
pub(super) fn named(words: &Words, name: &str, what: &str) -> String {
    fill(words, "named", &[("name", name), ("what", what)])
}

/// What is not empty as one enumeration: `PCIe 3.0 x4, 3.9 GB/s`.
pub(super) fn list<T: AsRef<str>>(words: &Words, parts: impl IntoIterator<Item = T>) -> String {
    let mut all = String::new();
    for part in parts {
        let part = part.as_ref();
        match (all.is_empty(), part.is_empty()) {
            (true, _) => part.clone_into(&mut all),
            (false, false) => all = fill(words, "list", &[("first", &all), ("next", part)]),
            (false, true) => {}
        }
    }
    all
}

/// Names in one line, as [`super::names::joined`] shortens them.
pub(super) fn names(words: &Words, all: &[String]) -> String {
    let (names, more) = super::names::joined(all);
    match more {
        0 => names,
        more => more_names(words, &names, more),
    }
}

/// `a, b and 7 more`.
pub(super) fn more_names(words: &Words, names: &str, more: usize) -> String {
    let more = ("count", Value::Integer(more as u64));
    words.tell("picture-names-more", &[("names", Value::Text(names.to_owned())), more])
}
