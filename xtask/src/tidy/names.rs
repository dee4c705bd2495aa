//! Who names a workload, a parameter, a metric or a kind of resource: the workloads
//! themselves, what reads documents of others, and `model` for what any load may have.
//! The types see to most of it (`model::WorkloadName` and its like cannot be compared with
//! a text, nor looked up by one); this rule sees to it that nobody makes a name of a
//! literal, compares a text that is a name with one, or has a table of such texts. All else
//! reads a load's profile, so that a new area changes no file but its own. Who may name them
//! is in [`FREE`]; nothing else is excepted.
//!
//! It knows texts by what they are called and literals by what is declared. It does not
//! follow a text through variables, and passes over literals that mean much else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, ExprLit, Ident, Lit, LitStr, Member, Pat, Token};

use super::Problem;
use super::source::{Source, Sources};
use super::style::is_for_tests;
use crate::error::Error;

/// Where workloads say what they are called.
const WORKLOADS: &str = "crates/load/src/";

/// Where metrics are named that any load may have.
const METRICS: &str = "crates/model/src/metric.rs";

/// Where kinds of resources are named.
const RESOURCES: &str = "crates/model/src/resource.rs";

/// Who may name them: who defines them, who reads documents of others, settings, which are
/// parameters of a machine, and a file of the kernel's own keys.
const FREE: &[&str] = &[
    "crates/load/",
    "crates/import/",
    "crates/machine/src/inventory/cgroup.rs",
    "crates/machine/src/sampler/",
    "crates/machine/src/setting/",
    "crates/model/src/name.rs",
    "crates/model/src/parameter.rs",
    "crates/model/src/workload.rs",
    METRICS,
    RESOURCES,
];

/// Who reads the facts and series of trials.
const READERS: &[&str] = &["crates/analysis/", "crates/chart/", "crates/report/"];

/// What is made of a text: by `new` of one that is in the program, by `intern` of any.
const NAMES: &[&str] =
    &["WorkloadName", "ParameterName", "ParameterSpec", "MetricName", "FactName", "SeriesName", "ClassName"];

/// What asks for a part of a text.
const PARTS: &[&str] =
    &["starts_with", "ends_with", "strip_prefix", "strip_suffix", "contains", "split_once", "rsplit_once"];

/// What takes a resource apart, at its colon.
const SPLITS: &[&str] = &["split", "split_once", "rsplit", "rsplit_once"];

/// What looks facts up.
const LOOK_UPS: &[&str] = &["get", "contains_key"];

/// What hands on a text as it is.
const VIEWS: &[&str] = &["as_str", "as_deref", "as_ref"];

/// The literals of each file, in order, with their lines.
type Found = BTreeMap<String, Vec<(usize, String)>>;

/// Which files name what they may not.
pub(super) fn check(_: &Path, sources: &Sources) -> Result<Vec<Problem>, Error> {
    let mut problems = Vec::new();
    for (path, literals) in found(sources) {
        for (line, literal) in literals {
            let message = format!(
                "{literal} names a workload, a parameter, a metric, a resource, a fact or a series: use the \
                 load's profile or a constant, or ask the resource for its kind"
            );
            problems.push(Problem::new(&path, line, message));
        }
    }
    Ok(problems)
}

/// The names in each file that is not free to have them.
fn found(sources: &Sources) -> Found {
    let named = sources.rust().filter(|(_, facts)| !facts.names.is_empty());
    named.map(|(source, facts)| (source.path.clone(), facts.names.clone())).collect()
}

/// The names in a file, if it is not free to have them, in order, with their lines.
pub(super) fn in_file(source: &Source, file: &syn::File, declared: &Declared) -> Vec<(usize, String)> {
    if !is_held(source) {
        return Vec::new();
    }
    let reads_trials = READERS.iter().any(|reader| source.path.starts_with(reader));
    let mut names = Names { declared, reads_trials, found: BTreeMap::new() };
    names.visit_file(file);
    names.found.into_iter().map(|((line, _), literal)| (line, literal)).collect()
}

/// Whether a file is product code that may not name them. Some files are for tests
/// though their name is another: one of several of a module, or an example.
fn is_held(source: &Source) -> bool {
    let path = &source.path;
    path.starts_with("crates/")
        && !FREE.iter().any(|free| path.starts_with(free))
        && !source.is_test()
        && !path.ends_with("_tests.rs")
        && !path.contains("/examples/")
}

/// The names that workloads and `model` declare.
#[derive(Default)]
pub(super) struct Declared {
    workloads: BTreeSet<String>,
    parameters: BTreeSet<String>,
    metrics: BTreeSet<String>,
    /// The words of kinds of resources.
    kinds: BTreeSet<String>,
}

impl Declared {
    pub(super) fn of(sources: &Sources) -> Self {
        let mut all = Self::default();
        for source in sources.ending(".rs").filter(|source| !source.is_test()) {
            let text = source.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            match source.path.as_str() {
                METRICS => all.metrics.extend(constants(text)),
                RESOURCES => all.kinds.extend(constants(text)),
                path if path.starts_with(WORKLOADS) => {
                    all.workloads.extend(made(text, "WorkloadName::new("));
                    all.parameters.extend(made(text, "ParameterSpec::new("));
                    all.metrics.extend(made(text, "MetricName::new("));
                }
                _ => {}
            }
        }
        all
    }

    /// All names but those of resources, by sort.
    fn sorts(&self) -> [&BTreeSet<String>; 3] {
        [&self.workloads, &self.parameters, &self.metrics]
    }

    /// Whether a literal is a name of any sort.
    fn has(&self, literal: &str) -> bool {
        self.sorts().iter().any(|names| names.contains(literal))
    }
}

/// The literals that a file makes names of by this function.
fn made(text: &str, maker: &str) -> impl Iterator<Item = String> {
    let behind = text.split(maker).skip(1);
    behind.filter_map(|behind| Some(behind.trim_start().strip_prefix('"')?.split('"').next()?.to_owned()))
}

/// The literals that constants and variants of a file stand for: `IOPS = "iops"`,
/// `(Self::Cpu, "cpu")`.
fn constants(text: &str) -> impl Iterator<Item = String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.filter_map(|line| {
        let (before, behind) = line.split_once('"')?;
        let before = before.trim_end_matches([' ', ',', '=', '>']);
        let constant = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        let literal = behind.split('"').next()?;
        constant.starts_with(char::is_uppercase).then(|| literal.to_owned())
    })
}

/// Collects names outside tests.
struct Names<'a> {
    declared: &'a Declared,
    /// Whether facts and series that are looked up by a literal count.
    reads_trials: bool,
    /// The literals, by line and column: one may be seen twice.
    found: BTreeMap<(usize, usize), String>,
}

impl Names<'_> {
    fn outside_tests(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        if !is_for_tests(attributes) {
            visit(self);
        }
    }

    fn find(&mut self, span: Span, literal: String) {
        let start = span.start();
        self.found.insert((start.line, start.column), literal);
    }

    fn find_text(&mut self, literal: &LitStr) {
        self.find(literal.span(), format!("{:?}", literal.value()));
    }

    /// The names among the tokens of a macro that nobody can parse.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => self.visit_lit(&Lit::new(literal)),
                _ => {}
            }
        }
    }

    /// Whether `value` is a name that is compared with this literal.
    fn is_compared(&self, value: &Expr, literal: &str) -> bool {
        let Declared { kinds, .. } = self.declared;
        let of = called(value).map(ToString::to_string);
        match of.as_deref() {
            Some("workload" | "resource") => !literal.is_empty(),
            Some("kind" | "kind_word") => kinds.contains(literal),
            Some("parameter" | "metric" | "quantity" | "headline") => self.declared.has(literal),
            // `s.name`; a `s` that is a text has no fields.
            Some("s" | "series") if matches!(unwrapped(value), Expr::Field(_)) => self.reads_trials,
            _ => {
                let is_resource = literal.split_once(':').is_some_and(|(kind, _)| kinds.contains(kind));
                // Of names of one word (`disk`, `sync`) most are of something else.
                let is_name = literal.contains(['.', '-', '_']) && self.declared.has(literal);
                is_resource || (is_name && is_text_of(value))
            }
        }
    }

    /// Whether this literal is looked for in `value`, which is a name.
    fn is_part(&self, value: &Expr, literal: &str) -> bool {
        let of = called(value).map(ToString::to_string);
        matches!(of.as_deref(), Some("parameter" | "metric" | "quantity" | "headline"))
            || self.is_compared(value, literal)
    }

    /// The names in a pattern that `value` is matched with.
    fn pattern(&mut self, value: &Expr, pattern: &Pat) {
        match (value, pattern) {
            (_, Pat::Lit(ExprLit { lit: Lit::Str(literal), .. }))
                if self.is_compared(value, &literal.value()) =>
            {
                self.find_text(literal);
            }
            (_, Pat::Or(any)) => any.cases.iter().for_each(|case| self.pattern(value, case)),
            (_, Pat::TupleStruct(inner)) => inner.elems.iter().for_each(|part| self.pattern(value, part)),
            (Expr::Tuple(values), Pat::Tuple(parts)) => {
                values.elems.iter().zip(&parts.elems).for_each(|(value, part)| self.pattern(value, part));
            }
            _ => {}
        }
    }

    /// The names in a constant: two of one sort make a table of them.
    fn constant(&mut self, attributes: &[Attribute], value: &Expr, visit: impl FnOnce(&mut Self)) {
        let declared = self.declared;
        self.outside_tests(attributes, |this| {
            for sort in declared.sorts() {
                let mut names = texts(value);
                names.retain(|name| sort.contains(&name.value()));
                if names.iter().map(|name| name.value()).collect::<BTreeSet<_>>().len() > 1 {
                    names.into_iter().for_each(|name| this.find_text(name));
                }
            }
            visit(this);
        });
    }
}

/// The text of a literal.
fn text(expression: &Expr) -> Option<&LitStr> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// The texts among the elements of a table, and of those that are tuples.
fn texts(table: &Expr) -> Vec<&LitStr> {
    match table {
        Expr::Array(array) => array.elems.iter().flat_map(texts).collect(),
        Expr::Tuple(tuple) => tuple.elems.iter().flat_map(texts).collect(),
        Expr::Reference(inner) => texts(&inner.expr),
        other => text(other).into_iter().collect(),
    }
}

/// Whether a call makes a name of what is in the program: `MetricName::new` does, and
/// `intern` of a literal or of what is put together there.
fn is_made(call: &syn::ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let mut segments = path.path.segments.iter().rev();
    let (Some(maker), Some(of)) = (segments.next(), segments.next()) else { return false };
    let given = call.args.first().map(unwrapped);
    NAMES.iter().any(|name| of.ident == name)
        && match given {
            Some(Expr::Lit(_) | Expr::Macro(_)) => maker.ident == "new" || maker.ident == "intern",
            // What a sampler's column is called is the kernel's word.
            Some(Expr::Field(_)) | None => false,
            Some(_) => maker.ident == "new",
        }
}

/// What an expression is of, without what hands it on as it is: `s.name` of
/// `&s.name.as_str()`.
fn unwrapped(value: &Expr) -> &Expr {
    match value {
        Expr::Reference(inner) => unwrapped(&inner.expr),
        Expr::Paren(inner) => unwrapped(&inner.expr),
        Expr::Unary(inner) => unwrapped(&inner.expr),
        Expr::MethodCall(call) if is_one_of(VIEWS, &call.method) => unwrapped(&call.receiver),
        other => other,
    }
}

/// Whether an expression is the text of something: `other.as_str()`.
fn is_text_of(value: &Expr) -> bool {
    matches!(value, Expr::MethodCall(call) if call.method == "as_str" || call.method == "name")
}

/// How an expression is called: a variable, a field, or what has it for a name.
fn called(value: &Expr) -> Option<&Ident> {
    match unwrapped(value) {
        Expr::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        Expr::Field(field) => match &field.member {
            Member::Named(name) if name == "name" => called(&field.base),
            Member::Named(name) => Some(name),
            Member::Unnamed(_) => None,
        },
        Expr::MethodCall(call) if call.method == "kind_word" => Some(&call.method),
        _ => None,
    }
}

/// Whether a method is one of these.
fn is_one_of(methods: &[&str], method: &Ident) -> bool {
    methods.iter().any(|name| method == name)
}

/// What stands in `matches!`: a value, its pattern, and a condition.
fn matched(input: ParseStream<'_>) -> syn::Result<(Expr, Pat, Option<Expr>)> {
    let value = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Pat::parse_multi_with_leading_vert(input)?;
    let condition = input.parse::<Option<Token![if]>>()?.map(|_| input.parse()).transpose()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((value, pattern, condition))
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

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.outside_tests(&function.attrs, |this| visit::visit_impl_item_fn(this, function));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(&item.attrs, &item.expr, |this| visit::visit_item_const(this, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant(&item.attrs, &item.expr, |this| visit::visit_item_static(this, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(&item.attrs, &item.expr, |this| visit::visit_impl_item_const(this, item));
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        // Of names of one word (`disk`) most are of something else.
        let value = literal.value();
        let is_workload = || value.contains('.') && self.declared.workloads.contains(&value);
        let is_resource = || {
            let parts = value.split_once(':').filter(|(_, name)| !name.contains([' ', '{', ':']));
            parts.is_some_and(|(kind, _)| self.declared.kinds.contains(kind))
        };
        if is_workload() || is_resource() {
            self.find_text(literal);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("matches")
            && let Ok((value, pattern, condition)) = call.parse_body_with(matched)
        {
            self.pattern(&value, &pattern);
            self.visit_expr(&value);
            self.visit_pat(&pattern);
            condition.iter().for_each(|condition| self.visit_expr(condition));
        } else if let Ok(parts) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            parts.iter().for_each(|part| self.visit_expr(part));
        } else {
            self.tokens(call.tokens.clone());
        }
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        choice.arms.iter().for_each(|arm| self.pattern(&choice.expr, &arm.pat));
        visit::visit_expr_match(self, choice);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            for (value, other) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
                if let Some(literal) = text(other)
                    && self.is_compared(value, &literal.value())
                {
                    self.find_text(literal);
                }
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let of = |name: &str| called(&call.receiver).is_some_and(|ident| ident == name);
        match call.args.first() {
            Some(Expr::Lit(ExprLit { lit: Lit::Str(literal), .. })) => {
                let is_part =
                    is_one_of(PARTS, &call.method) && self.is_part(&call.receiver, &literal.value());
                let is_fact = self.reads_trials && is_one_of(LOOK_UPS, &call.method) && of("facts");
                // `metric::IOPS.of("stamp")`
                let is_class = call.method == "of"
                    && called(&call.receiver)
                        .is_some_and(|of| of.to_string().starts_with(char::is_uppercase));
                if is_part || is_fact || is_class {
                    self.find_text(literal);
                }
            }
            Some(Expr::Lit(ExprLit { lit: Lit::Char(colon), .. }))
                if colon.value() == ':' && is_one_of(SPLITS, &call.method) && of("resource") =>
            {
                self.find(colon.span(), "':'".to_owned());
            }
            _ => {}
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if is_made(call)
            && let Some(given) = call.args.first()
        {
            match text(given) {
                Some(literal) => self.find_text(literal),
                None => self.find(given.span(), "what is put together here".to_owned()),
            }
        }
        visit::visit_expr_call(self, call);
    }
}

#[cfg(test)]
mod tests;
