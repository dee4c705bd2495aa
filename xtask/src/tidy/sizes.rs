//! How long a Rust file (500 lines) and a function (70 lines, from `fn` to its
//! last brace) may be. Tests' functions may be longer; their files may not.

use std::fs;
use std::io;
use std::path::Path;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::Problem;
use super::exceptions::{self, Measured};
use super::source::{Source, Sources};
use super::style::is_for_tests;
use crate::error::Error;

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;

/// What is too long, and which exceptions are wrong.
pub(super) fn check(root: &Path, sources: &Sources) -> Result<Vec<Problem>, Error> {
    let path = root.join(exceptions::PATH);
    let list = match fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        list => list.map_err(Error::file("read", &path))?,
    };
    let mut measured = Vec::new();
    let mut problems = Vec::new();
    for (_, facts) in sources.rust() {
        measured.extend_from_slice(&facts.lengths);
        problems.extend(facts.broken.clone());
    }
    problems.extend(exceptions::hold(&list, &measured));
    Ok(problems)
}

/// The file and each of its functions with their lengths.
pub(super) fn measure(source: &Source, file: &syn::File) -> Vec<Measured> {
    let path = &source.path;
    let whole = Measured {
        what: path.clone(),
        path: path.clone(),
        line: 1,
        lines: source.text.lines().count(),
        limit: FILE_LINES,
    };
    let mut functions = Functions { path, of: Vec::new(), found: vec![whole] };
    if !source.is_test() {
        functions.visit_file(file);
    }
    functions.found
}

/// Collects functions outside tests.
struct Functions<'a> {
    path: &'a str,
    /// The types and traits around the present place.
    of: Vec<String>,
    found: Vec<Measured>,
}

impl Functions<'_> {
    fn add(&mut self, name: &syn::Ident, from: Span, to: Span) {
        let (line, last) = (from.start().line, to.end().line);
        let mut what = vec![self.path.to_owned()];
        what.extend(self.of.last().cloned());
        what.push(name.to_string());
        self.found.push(Measured {
            what: what.join("::"),
            path: self.path.to_owned(),
            line,
            lines: last - line + 1,
            limit: FUNCTION_LINES,
        });
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.of.push(name);
        visit(self);
        self.of.pop();
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        if is_for_tests(&block.attrs) {
            return;
        }
        let name = match &*block.self_ty {
            syn::Type::Path(ty) => ty.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        self.within(name.unwrap_or_else(|| "impl".to_owned()), |this| visit::visit_item_impl(this, block));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.within(item.ident.to_string(), |this| visit::visit_item_trait(this, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.add(&item.sig.ident, item.sig.fn_token.span(), item.block.span());
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig.ident, item.sig.fn_token.span(), item.block.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig.ident, item.sig.fn_token.span(), block.span());
        }
        visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(path: &str, text: &str) -> Vec<Measured> {
        measure(&Source::made_up(path, text), &syn::parse_file(text).unwrap())
    }

    fn lengths(path: &str, text: &str) -> Vec<(String, usize, usize)> {
        measured(path, text).into_iter().map(|m| (m.what, m.line, m.lines)).collect()
    }

    #[test]
    fn a_function_counts_from_fn_to_its_last_brace() {
        let text = "//! A.\n\n/// Doc.\n#[inline]\npub fn f(\n    a: u8,\n) {\n    a;\n}\nfn g() {}\n";
        let expected = [("a.rs", 1, 10), ("a.rs::f", 5, 5), ("a.rs::g", 10, 1)];
        assert_eq!(lengths("a.rs", text), expected.map(|(what, line, lines)| (what.to_owned(), line, lines)));
    }

    #[test]
    fn methods_carry_their_type_and_inner_functions_count_alone_too() {
        let text = "impl<T> A<T> {\n fn f() {\n  fn inner() {\n  }\n }\n}\ntrait B {\n fn g() {\n }\n fn h();\n}\n\
                    impl B for x::C {\n fn g() {}\n}\nmod m {\n fn k() {}\n}\n";
        let whats: Vec<_> = lengths("a.rs", text).into_iter().map(|(what, ..)| what).collect();
        assert_eq!(whats, ["a.rs", "a.rs::A::f", "a.rs::A::inner", "a.rs::B::g", "a.rs::C::g", "a.rs::k"]);
    }

    #[test]
    fn functions_of_tests_do_not_count_but_their_lines_do() {
        let text = "#[cfg(test)]\nmod tests {\n fn f() {}\n}\n#[cfg(all(test, unix))]\nimpl A {\n fn g() {}\n}\n\
                    #[test]\nfn h() {}\n";
        assert_eq!(lengths("a.rs", text), [("a.rs".to_owned(), 1, 10)]);
        assert_eq!(lengths("tests/a.rs", "fn f() {}\n"), [("tests/a.rs".to_owned(), 1, 1)]);
    }

    #[test]
    fn too_long_a_file_and_too_long_a_function_are_found() {
        let body = "    x();\n".repeat(69);
        let text = format!("fn f() {{\n{body}}}\n");
        let found = exceptions::hold("", &measured("a.rs", &text));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "a.rs:1: `a.rs::f` has 71 lines, 70 are allowed: split it");
        let found = exceptions::hold("", &measured("tests/a.rs", &"\n".repeat(501)));
        assert_eq!(found.len(), 1);
    }
}
