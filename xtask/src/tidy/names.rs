//! Who names a workload, a parameter or a metric: the workloads themselves, what reads
//! documents of others, and `model` for what any load may have. The types see to most
//! of it (`model::WorkloadName` and its like cannot be compared with a text, nor looked
//! up by one); this rule sees to it that nobody makes a name of a literal. All else
//! reads a load's profile, so that a new area opens no file but its own. What is left
//! is counted by file in `xtask/tidy-names.toml`; a count may only shrink.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Lit};

use super::Problem;
use super::source::{Source, Sources};
use super::style::is_for_tests;
use crate::error::Error;

/// Where the counts lie.
const PATH: &str = "xtask/tidy-names.toml";

/// Who may name them.
const FREE: &[&str] = &["crates/load/", "crates/import/", "crates/model/"];

/// Where settings describe themselves, which are parameters of a machine.
const SETTINGS: &str = "crates/machine/src/setting/";

/// What makes a name of a text, by type and function.
const MAKERS: &[(&str, &str)] = &[
    ("WorkloadName", "new"),
    ("WorkloadName", "written"),
    ("ParameterName", "new"),
    ("ParameterName", "written"),
    ("ParameterSpec", "new"),
    ("MetricName", "new"),
    ("MetricName", "written"),
];

/// Where workloads say what they are called.
const WORKLOADS: &str = "crates/load/src/workload/";

/// What asks for a part of a workload's name.
const PARTS: &[&str] = &["starts_with", "ends_with", "strip_prefix", "split_once"];

/// Which files name more than they may, and which counts are wrong.
pub(super) fn check(root: &Path, sources: &Sources) -> Result<Vec<Problem>, Error> {
    let path = root.join(PATH);
    let list = match fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        list => list.map_err(Error::file("read", &path))?,
    };
    Ok(hold(&list, &counts(sources)))
}

/// How many names each file has that is not free to have them.
fn counts(sources: &Sources) -> BTreeMap<String, Vec<usize>> {
    let workloads: BTreeSet<String> =
        sources.0.iter().filter(|s| s.path.starts_with(WORKLOADS)).flat_map(|s| declared(&s.text)).collect();
    let is_ours = |s: &&Source| {
        s.path.starts_with("crates/")
            && s.path.ends_with(".rs")
            && !FREE.iter().any(|f| s.path.starts_with(f))
            && !s.path.starts_with(SETTINGS)
    };
    let mut found = BTreeMap::new();
    for source in sources.0.iter().filter(is_ours).filter(|s| !s.is_test() && !is_beside_tests(&s.path)) {
        // A file that cannot be parsed is told by the rule of sizes.
        let Ok(file) = syn::parse_file(&source.text) else { continue };
        let mut names = Names { workloads: &workloads, lines: Vec::new() };
        names.visit_file(&file);
        if !names.lines.is_empty() {
            found.insert(source.path.clone(), names.lines);
        }
    }
    found
}

/// Whether a file is for tests though its name is another: one of several of a module,
/// or an example.
fn is_beside_tests(path: &str) -> bool {
    path.ends_with("_tests.rs") || path.contains("/examples/")
}

/// The names of the workloads that a file describes.
fn declared(text: &str) -> impl Iterator<Item = String> {
    text.split("WorkloadSpec {\n").skip(1).filter_map(|behind| {
        let name = behind.trim_start().strip_prefix("name: WorkloadName::new(\"")?;
        Some(name.split('"').next()?.to_owned())
    })
}

/// What is wrong with these counts by this list.
fn hold(list: &str, found: &BTreeMap<String, Vec<usize>>) -> Vec<Problem> {
    let allowed: BTreeMap<String, usize> = match toml::from_str(list) {
        Ok(allowed) => allowed,
        Err(e) => return vec![Problem::new(PATH, None, format!("cannot be read: {}", e.message()))],
    };
    let mut problems = Vec::new();
    for (path, lines) in found {
        let (most, count) = (allowed.get(path).copied().unwrap_or(0), lines.len());
        if count > most {
            let message = format!(
                "makes names of workloads, parameters or metrics from literals {count} times, {most} are allowed: \
                 read the load's profile, or take a constant of `model::metric`"
            );
            problems.push(Problem::new(path, lines.last().copied(), message));
        }
    }
    for (path, most) in &allowed {
        let count = found.get(path).map_or(0, Vec::len);
        if count < *most {
            let message = format!("`{path}` has only {count} names now: shrink its count from {most}");
            problems.push(Problem::new(PATH, None, message));
        }
    }
    problems
}

/// Collects the lines of names outside tests.
struct Names<'a> {
    workloads: &'a BTreeSet<String>,
    lines: Vec<usize>,
}

impl Names<'_> {
    fn outside_tests(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        if !is_for_tests(attributes) {
            visit(self);
        }
    }

    /// The names among the tokens of a macro, which nobody has parsed.
    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Group(group) => self.tokens(group.stream()),
                proc_macro2::TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if self.workloads.iter().any(|name| name.contains('.') && text == format!("{name:?}")) {
                        self.lines.push(literal.span().start().line);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The text of a literal.
fn text(expression: &Expr) -> Option<&syn::LitStr> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// Whether an expression is a function that makes a name: `MetricName::new`.
fn is_maker(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let mut segments = path.path.segments.iter().rev();
    let (Some(function), Some(of)) = (segments.next(), segments.next()) else { return false };
    MAKERS.iter().any(|(name, maker)| of.ident == name && function.ident == maker)
}

/// Whether an expression is called so: a variable, a field.
fn is_called(expression: &Expr, name: &str) -> bool {
    match expression {
        Expr::Path(path) => path.path.segments.last().is_some_and(|s| s.ident == name),
        Expr::Field(field) => matches!(&field.member, syn::Member::Named(ident) if ident == name),
        Expr::Reference(inner) => is_called(&inner.expr, name),
        Expr::Paren(inner) => is_called(&inner.expr, name),
        Expr::Unary(inner) => is_called(&inner.expr, name),
        Expr::MethodCall(call) if call.method == "as_str" => is_called(&call.receiver, name),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.outside_tests(&module.attrs, |this| visit::visit_item_mod(this, module));
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.outside_tests(&function.attrs, |this| visit::visit_item_fn(this, function));
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        self.outside_tests(&block.attrs, |this| visit::visit_item_impl(this, block));
    }

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        // Of names of one word (`disk`) most are of something else.
        let value = literal.value();
        if value.contains('.') && self.workloads.contains(&value) {
            self.lines.push(literal.span().start().line);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.outside_tests(&function.attrs, |this| visit::visit_impl_item_fn(this, function));
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        for (name, literal) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
            if let Some(literal) =
                text(literal).filter(|l| is_called(name, "workload") && !l.value().contains('.'))
            {
                self.lines.push(literal.span().start().line);
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let by_name = call.args.first().and_then(text);
        let is_area = PARTS.iter().any(|name| call.method == name) && is_called(&call.receiver, "workload");
        if let Some(literal) = by_name.filter(|_| is_area) {
            self.lines.push(literal.span().start().line);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let made = call.args.first().and_then(text).filter(|_| is_maker(&call.func));
        self.lines.extend(made.map(|literal| literal.span().start().line));
        visit::visit_expr_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let spec = "pub const SPEC: WorkloadSpec = WorkloadSpec {\n    name: WorkloadName::new(\"net.stream\"),\n};\n";
        let of = Source::made_up("crates/load/src/workload/net/stream.rs", spec);
        let sources = Sources(vec![of, Source::made_up(path, text)]);
        counts(&sources).remove(path).unwrap_or_default()
    }

    #[test]
    fn names_are_found_wherever_they_are_compared_or_looked_up() {
        let path = "crates/analysis/src/a.rs";
        for (text, lines) in [
            ("fn f() { g(case.workload != \"net.stream\"); }", 1),
            ("fn f() { match case.workload.as_str() { \"net.stream\" => 1, _ => 2 }; }", 1),
            ("fn f() { case.workload.starts_with(\"net.\"); }", 1),
            ("fn f() { case.workload == \"null\"; }", 1),
            ("fn f() { parameters.get(ParameterName::new(\"direct\")); }", 1),
            ("const A: MetricName = model::MetricName::new(\"hue\");", 1),
            ("const A: ParameterSpec = ParameterSpec::new(\"hue\", Kind::Flag, \"\");", 1),
            ("fn f() { WorkloadName::written(\"disk\"); MetricName::written(text); }", 1),
            ("fn f() { matches!(case.workload.as_str(), \"net.stream\" | \"x\"); }", 1),
            ("const A: &[&str] = &[\"net.stream\"];", 1),
            ("fn f() { g(\"net.other\"); other.get(\"size\"); case.parameters.get(name); }", 0),
            ("#[cfg(test)]\nmod tests { fn f() { ParameterName::new(\"size\"); } }", 0),
        ] {
            assert_eq!(found(path, text).len(), lines, "{text}");
        }
        let text = "fn f() { ParameterName::new(\"size\"); }";
        assert_eq!(found("crates/load/src/b.rs", text), [0; 0]);
        assert_eq!(found("crates/analysis/src/tests.rs", text), [0; 0]);
    }

    #[test]
    fn a_count_may_only_shrink() {
        let counts = BTreeMap::from([("a.rs".to_owned(), vec![3, 9])]);
        let held = |list: &str| hold(list, &counts).iter().map(Problem::to_string).collect::<Vec<_>>();
        assert_eq!(held("\"a.rs\" = 2"), [""; 0]);
        assert!(held("\"a.rs\" = 1")[0].starts_with("a.rs:9: makes names of workloads"));
        assert!(held("")[0].contains("0 are allowed"));
        assert!(held("\"a.rs\" = 3")[0].ends_with("shrink its count from 3"));
        assert!(held("\"a.rs\" = 2\n\"b.rs\" = 1")[0].contains("has only 0 names now"));
        assert!(held("=")[0].contains("cannot be read"));
    }
}
