//! How source reads: a module begins with what it is, imports say what they
//! import, nothing is left to do, and white space is plain.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Meta, Token, UseTree};

use super::Problem;
use super::source::{Source, Sources};

/// Macros that mark work not done.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];

/// What is wrong with how the sources read.
pub(super) fn check(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for source in &sources.files {
        problems.extend(white_space(source));
    }
    for (source, facts) in sources.rust() {
        if !source.text.starts_with("//!") {
            let message = "does not begin with `//!`: say what the module is, why it is so, what it is not";
            problems.push(Problem::new(&source.path, 1, message));
        }
        problems.extend_from_slice(&facts.habits);
    }
    problems
}

fn white_space(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |line, message| problems.push(Problem::new(&source.path, line, message));
    for (number, line) in (1..).zip(source.text.split('\n')) {
        if line.contains('\t') {
            wrong(number, "has a tab: use spaces, or `\\t` in a string");
        }
        if line.ends_with([' ', '\t', '\r']) {
            wrong(number, "ends with white space");
        }
    }
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        wrong(source.text.lines().count(), "does not end with a new line");
    }
    problems
}

/// Imports and macros of a file that should not be.
pub(super) fn habits(source: &Source, file: &syn::File) -> Vec<Problem> {
    let mut habits = Habits { source, in_tests: source.is_test(), problems: Vec::new() };
    habits.visit_file(file);
    habits.problems
}

/// Looks for imports and macros.
struct Habits<'a> {
    source: &'a Source,
    in_tests: bool,
    problems: Vec<Problem>,
}

impl Habits<'_> {
    fn within(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.in_tests;
        self.in_tests |= is_for_tests(attributes);
        visit(self);
        self.in_tests = before;
    }
}

impl<'ast> Visit<'ast> for Habits<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.within(&module.attrs, |this| visit::visit_item_mod(this, module));
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.within(&function.attrs, |this| visit::visit_item_fn(this, function));
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        self.within(&import.attrs, |this| visit::visit_item_use(this, import));
    }

    fn visit_use_tree(&mut self, tree: &'ast UseTree) {
        if let UseTree::Glob(glob) = tree
            && !self.in_tests
        {
            let line = glob.star_token.span().start().line;
            self.problems.push(Problem::new(&self.source.path, line, "imports with `*`: name what is used"));
        }
        visit::visit_use_tree(self, tree);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if UNFINISHED.contains(&name.as_str()) {
            let line = call.path.span().start().line;
            self.problems.push(Problem::new(&self.source.path, line, format!("has `{name}!`: finish it")));
        }
        visit::visit_macro(self, call);
    }
}

/// Whether an item with these attributes exists in tests only.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let named = |name| attribute.path().segments.last().is_some_and(|segment| segment.ident == name);
        if named("cfg") {
            attribute.parse_args::<Meta>().is_ok_and(|condition| needs_test(&condition))
        } else {
            named("test")
        }
    })
}

/// Whether this condition of `cfg` holds in tests only.
fn needs_test(condition: &Meta) -> bool {
    let inner = |list: &syn::MetaList| {
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        parser.parse2(list.tokens.clone()).unwrap_or_default()
    };
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => inner(list).iter().any(needs_test),
        Meta::List(list) if list.path.is_ident("any") => {
            let choices = inner(list);
            !choices.is_empty() && choices.iter().all(needs_test)
        }
        Meta::List(_) | Meta::NameValue(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let sources = Sources::new(vec![Source::made_up(path, text)]);
        check(&sources).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_module_says_what_it_is_first() {
        assert_eq!(found("a.rs", "//! A.\n"), [""; 0]);
        assert!(found("a.rs", "use x;\n//! A.\n")[0].starts_with("a.rs:1: does not begin with `//!`"));
        assert!(found("a.rs", "").len() == 1);
    }

    #[test]
    fn a_glob_is_for_tests_only() {
        let glob = "a.rs:2: imports with `*`: name what is used";
        assert_eq!(found("a.rs", "//! A.\nuse b::{c, prelude::*};\n"), [glob]);
        assert_eq!(found("a.rs", "//! A.\npub use b::*;\n"), [glob]);
        assert_eq!(found("a.rs", "//! A.\nfn f() { use E::*; }\n"), [glob]);
        assert_eq!(found("a.rs", "//! A.\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n"), [""; 0]);
        assert_eq!(found("a.rs", "//! A.\n#[cfg(test)]\nuse b::*;\n"), [""; 0]);
        assert_eq!(found("a/tests/b.rs", "//! A.\nuse super::*;\n"), [""; 0]);
    }

    #[test]
    fn only_what_needs_tests_is_for_tests() {
        let is = |attribute: &str| {
            let item: syn::ItemUse = syn::parse_str(&format!("{attribute} use a;")).unwrap();
            is_for_tests(&item.attrs)
        };
        for yes in
            ["#[test]", "#[cfg(test)]", "#[cfg(all(unix, test))]", "#[cfg(any(test, all(test, unix)))]"]
        {
            assert!(is(yes), "{yes}");
        }
        for no in ["", "#[cfg(not(test))]", "#[cfg(any(test, unix))]", "#[cfg(unix)]", "#[doc = \"test\"]"] {
            assert!(!is(no), "{no}");
        }
    }

    #[test]
    fn nothing_is_left_to_do_not_even_in_tests() {
        let text = format!("//! A.\n#[test]\nfn f() {{\n    {}!();\n}}\n", "todo");
        assert_eq!(found("a.rs", &text), ["a.rs:4: has `todo!`: finish it"]);
        let text = format!("//! A.\nfn f() -> u8 {{\n    std::{}!(1)\n}}\n", "dbg");
        assert_eq!(found("a.rs", &text), ["a.rs:3: has `dbg!`: finish it"]);
    }

    #[test]
    fn white_space_is_plain() {
        assert_eq!(
            found("a.md", "a\n\tb\nc \n"),
            ["a.md:2: has a tab: use spaces, or `\\t` in a string", "a.md:3: ends with white space"]
        );
        assert_eq!(found("a.toml", "a"), ["a.toml:1: does not end with a new line"]);
        assert_eq!(found("a.toml", "a\r\n"), ["a.toml:1: ends with white space"]);
    }
}
