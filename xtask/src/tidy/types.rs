//! Public types: no two have one name. Whoever reads `Outcome` in a message of the
//! compiler, in the index of the documentation or in a search must not have to ask which.
//!
//! What is `pub(crate)` or narrower is not seen, nor what a macro makes.

use std::collections::BTreeMap;
use std::path::Path;

use syn::{Item, Visibility};

use super::Problem;
use super::source::{Source, Sources};
use super::style::is_for_tests;
use crate::error::Error;

/// Which public types of the crates have the name of another.
pub(super) fn check(_: &Path, sources: &Sources) -> Result<Vec<Problem>, Error> {
    let ours = |source: &Source| source.path.starts_with("crates/") && source.path.contains("/src/");
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for (source, facts) in sources.rust().filter(|(source, _)| ours(source) && !source.is_test()) {
        for (name, line) in &facts.types {
            match known.get(name) {
                Some(other) => {
                    let message =
                        format!("`{name}` is the name of a public type of {other} too: rename one of them");
                    found.push(Problem::new(&source.path, *line, message));
                }
                None => {
                    known.insert(name.clone(), source.path.clone());
                }
            }
        }
    }
    Ok(found)
}

/// The name of a public type, and its line.
pub(super) fn public_type(item: &Item) -> Option<(String, usize)> {
    let (visibility, ident, attributes) = match item {
        Item::Struct(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Enum(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Trait(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Type(item) => (&item.vis, &item.ident, &item.attrs),
        _ => return None,
    };
    let is_public = matches!(visibility, Visibility::Public(_)) && !is_for_tests(attributes);
    is_public.then(|| (ident.to_string(), ident.span().start().line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let source =
            |(path, text): &(&str, &str)| Source { path: (*path).to_owned(), text: (*text).to_owned() };
        let sources = Sources::new(files.iter().map(source).collect());
        check(Path::new(""), &sources).unwrap().iter().map(Problem::to_string).collect()
    }

    #[test]
    fn two_public_types_of_one_name_are_found() {
        let one = ("crates/a/src/lib.rs", "pub struct Level;\n");
        let other = ("crates/b/src/x.rs", "use a::Level as A;\npub(crate) struct X;\npub enum Level {}\n");
        let expected = "crates/b/src/x.rs:3: `Level` is the name of a public type of crates/a/src/lib.rs too: rename one of them";
        assert_eq!(found(&[one, other]), [expected]);
        for fine in [
            ("crates/b/src/x.rs", "pub(crate) struct Level;\nstruct Other;\n"),
            ("crates/b/src/tests.rs", "pub struct Level;\n"),
            ("crates/b/src/x.rs", "#[cfg(test)]\npub struct Level;\n"),
            ("bench/src/x.rs", "pub trait Level {}\n"),
        ] {
            assert_eq!(found(&[one, fine]), [""; 0], "{fine:?}");
        }
    }
}
