//! Modules beside one another that know each other both ways. Inside a crate
//! they are as folders are to crates: where one of them is a folder, what it uses
//! must not use it, or neither can be read, tried or moved alone.
//!
//! A module and those inside it may know each other, and so may plain files.
//! What macros name is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, UseTree};

use super::Problem;
use super::facts::Facts;
use super::source::{Source, Sources};
use super::style::is_for_tests;
use crate::error::Error;

/// A module: its names from the crate's root.
pub(super) type Module = Vec<String>;

/// Which modules use one another in a circle.
pub(super) fn check(_: &Path, sources: &Sources) -> Result<Vec<Problem>, Error> {
    let mut crates: BTreeMap<&str, Vec<(&Source, &Facts)>> = BTreeMap::new();
    for (source, facts) in sources.rust().filter(|(source, _)| !source.is_test()) {
        if let Some((root, _)) = source.path.split_once("/src/") {
            crates.entry(root).or_default().push((source, facts));
        }
    }
    Ok(crates.into_iter().flat_map(|(root, files)| circles(root, &files)).collect())
}

/// What a file names inside its crate, outside tests, with the lines.
pub(super) fn uses(source: &Source, file: &syn::File) -> Vec<(Module, usize)> {
    let Some((root, _)) = source.path.split_once("/src/").filter(|_| !source.is_test()) else {
        return Vec::new();
    };
    let mut names = Names { at: module_of(root, &source.path), found: Vec::new() };
    names.visit_file(file);
    names.found
}

/// One module uses another that lies beside it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    from: String,
    to: String,
    path: String,
    line: usize,
}

/// The circles between modules of one crate.
fn circles(root: &str, files: &[(&Source, &Facts)]) -> Vec<Problem> {
    let modules: BTreeMap<Module, (&Source, &Facts)> =
        files.iter().map(|file| (module_of(root, &file.0.path), *file)).collect();
    let mut uses: BTreeMap<Module, BTreeSet<Use>> = BTreeMap::new();
    for (module, (file, facts)) in &modules {
        for (named, line) in &facts.uses {
            let known = (0..=named.len()).rev().find(|n| modules.contains_key(&named[..*n]));
            let target = &named[..known.unwrap_or(0)];
            let shared = module.iter().zip(target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                let (from, to) = (from.clone(), to.clone());
                let place = Use { from, to, path: file.path.clone(), line: *line };
                uses.entry(module[..shared].to_vec()).or_default().insert(place);
            }
        }
    }
    let is_folder = |parent: &Module, name: &String| {
        modules
            .keys()
            .any(|m| m.len() > parent.len() + 1 && m.starts_with(parent) && m[parent.len()] == *name)
    };
    let told = |(parent, uses)| told(parent, uses, |name| is_folder(parent, name));
    uses.iter().flat_map(told).collect()
}

/// The circles among the modules beside one another in `parent`.
fn told(parent: &Module, uses: &BTreeSet<Use>, is_folder: impl Fn(&String) -> bool) -> Vec<Problem> {
    let reached = |start: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start.clone()]);
        while let Some(name) = open.pop() {
            for next in uses.iter().filter(|u| u.from == name) {
                if seen.insert(next.to.clone()) {
                    open.push(next.to.clone());
                }
            }
        }
        seen
    };
    let names: BTreeSet<String> = uses.iter().map(|u| u.from.clone()).collect();
    let reach: BTreeMap<String, BTreeSet<String>> = names.iter().map(|n| (n.clone(), reached(n))).collect();
    let mut problems = Vec::new();
    let mut done = BTreeSet::new();
    for name in &names {
        if !reach[name].contains(name) || done.contains(name) {
            continue;
        }
        let circle: BTreeSet<&String> =
            names.iter().filter(|n| reach[name].contains(*n) && reach[*n].contains(name)).collect();
        done.extend(circle.iter().map(|n| (*n).clone()));
        if !circle.iter().any(|n| is_folder(n)) {
            continue;
        }
        let within = uses.iter().filter(|u| circle.contains(&u.from) && circle.contains(&u.to));
        let mut pairs: BTreeMap<(&String, &String), (usize, &Use)> = BTreeMap::new();
        for u in within {
            pairs.entry((&u.from, &u.to)).or_insert((0, u)).0 += 1;
        }
        let list: Vec<String> = pairs
            .iter()
            .map(|((from, to), (n, u))| format!("{from} -> {to} ({n}, {}:{})", u.path, u.line))
            .collect();
        let inside = if parent.is_empty() { "the crate".to_owned() } else { parent.join("::") };
        let message = format!("folders in {inside} know one another in a circle: {}", list.join(", "));
        let first = pairs.values().next().map_or("", |(_, u)| &u.path);
        problems.push(Problem::new(first, None, message));
    }
    problems
}

/// The module that a file is.
fn module_of(root: &str, path: &str) -> Module {
    let inside = path.strip_prefix(root).and_then(|p| p.strip_prefix("/src/")).unwrap_or(path);
    let mut names: Module = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// Collects what a file names inside its crate, outside tests.
struct Names {
    at: Module,
    found: Vec<(Module, usize)>,
}

impl Names {
    fn outside_tests(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        if !is_for_tests(attributes) {
            visit(self);
        }
    }

    /// A path from the crate's root, if it lies in this crate.
    fn add(&mut self, path: &[String], line: usize) {
        let ups = path.iter().take_while(|name| *name == "super").count();
        let found = match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [&self.at, &path[1..]].concat(),
            Some("super") if ups <= self.at.len() => [&self.at[..self.at.len() - ups], &path[ups..]].concat(),
            _ => return,
        };
        self.found.push((found, line));
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |ident: &syn::Ident| [before, &[ident.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.add(&with(&name.ident), name.ident.span().start().line),
            UseTree::Rename(name) => self.add(&with(&name.ident), name.ident.span().start().line),
            UseTree::Glob(glob) => self.add(before, glob.star_token.span.start().line),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.outside_tests(&module.attrs, |this| {
            this.at.push(module.ident.to_string());
            visit::visit_item_mod(this, module);
            this.at.pop();
        });
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.outside_tests(&function.attrs, |this| visit::visit_item_fn(this, function));
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        self.outside_tests(&block.attrs, |this| visit::visit_item_impl(this, block));
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        self.outside_tests(&import.attrs, |this| this.add_tree(&[], &import.tree));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |s| s.ident.span().start().line);
        self.add(&names, line);
        visit::visit_path(self, path);
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().map(|(path, text)| Source::made_up(&format!("crates/c/src/{path}"), text)).collect();
        let found = check(Path::new(""), &Sources::new(files)).unwrap();
        found.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn folders_that_know_one_another_both_ways_are_found() {
        let circle = found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod x;"),
            ("a/x.rs", "use crate::b::B;\npub(crate) struct A;"),
            ("b.rs", "\n\npub(crate) struct B(super::a::A);"),
        ]);
        let told = "crates/c/src/a/x.rs: folders in the crate know one another in a circle: \
                    a -> b (1, crates/c/src/a/x.rs:1), b -> a (1, crates/c/src/b.rs:3)";
        assert_eq!(circle, [told]);
    }

    #[test]
    fn a_circle_may_go_over_three() {
        let circle = found(&[
            ("lib.rs", ""),
            ("a/mod.rs", "use crate::b;"),
            ("a/x.rs", ""),
            ("b.rs", "fn f() { crate::c::g() }"),
            ("c.rs", "use super::{a, d};"),
            ("d.rs", ""),
        ]);
        assert_eq!(circle.len(), 1);
        assert!(circle[0].contains("c -> a") && !circle[0].contains("-> d"), "{circle:?}");
    }

    #[test]
    fn inside_a_folder_counts_too() {
        let files = [
            ("lib.rs", ""),
            ("a/mod.rs", "pub(in crate::a) mod x; use x::X;"),
            ("a/x/mod.rs", "use super::y;"),
            ("a/x/z.rs", ""),
            ("a/y.rs", "use crate::a::x::z;"),
        ];
        assert!(found(&files)[0].contains("folders in a know one another"));
    }

    #[test]
    fn files_parents_and_tests_may_know_one_another() {
        assert!(found(&[("lib.rs", ""), ("a.rs", "use crate::b;"), ("b.rs", "use crate::a;")]).is_empty());
        let parents = [("lib.rs", ""), ("a/mod.rs", "use x::X;"), ("a/x.rs", "use super::A; use crate::T;")];
        assert!(found(&parents).is_empty());
        let tests = [
            ("lib.rs", ""),
            ("a/mod.rs", "use crate::b;"),
            ("a/x.rs", ""),
            ("b.rs", "#[cfg(test)]\nmod tests { use crate::a; }"),
        ];
        assert!(found(&tests).is_empty());
    }
}
