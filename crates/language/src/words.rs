//! The tables, and how a sentence is made from one.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use model::comparison::Remark;
use model::finding::Evidence;
use model::{Finding, FindingKind, Value};

use crate::function;

/// A language that pages can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Korean.
    Korean,
    /// Japanese.
    Japanese,
}

/// One language of the table.
struct Entry {
    language: Language,
    /// Its BCP 47 tag.
    tag: &'static str,
    /// What its speakers call it.
    name: &'static str,
    /// Its Fluent files.
    files: &'static [(&'static str, &'static str)],
}

macro_rules! files {
    ($tag:literal: $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../words/", $tag, "/", $file, ".ftl")))),+]
    };
}

const TABLE: &[Entry] = &[
    Entry {
        language: Language::English,
        tag: "en",
        name: "English",
        files: files!("en": "page", "figure", "chart", "machine", "comparison"),
    },
    Entry {
        language: Language::Korean,
        tag: "ko",
        name: "한국어",
        files: files!("ko": "page", "figure", "chart", "machine", "comparison", "finding", "compute", "network", "condition", "catalogue"),
    },
    Entry {
        language: Language::Japanese,
        tag: "ja",
        name: "日本語",
        files: files!("ja": "page", "figure", "chart", "machine", "comparison", "finding", "compute", "network", "condition", "catalogue"),
    },
];

/// Every language, in documentation order.
pub const LANGUAGES: &[Language] = &[Language::English, Language::Korean, Language::Japanese];

impl Language {
    fn entry(self) -> &'static Entry {
        TABLE.iter().find(|e| e.language == self).expect("every language is in the table")
    }

    /// Its tag, as `--lang` and HTML have it: `en`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        self.entry().tag
    }

    /// What its speakers call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The language with this tag.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        TABLE.iter().find(|e| e.tag == tag).map(|e| e.language)
    }

    /// Its words.
    #[must_use]
    pub fn words(self) -> &'static Words {
        static ALL: [OnceLock<Words>; 3] = [const { OnceLock::new() }; 3];
        let index = TABLE.iter().position(|e| e.language == self).unwrap_or_default();
        ALL[index].get_or_init(|| Words::new(self))
    }
}

/// What fills a sentence: a name and its value.
pub type Argument<'a> = (&'a str, Value);

/// The words of one language.
pub struct Words {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Words {
    fn new(language: Language) -> Self {
        let tag = language.tag().parse().expect("the tags of the table are valid");
        let mut bundle = FluentBundle::new_concurrent(vec![tag]);
        // Marks of direction around every argument would stand in copied text.
        bundle.set_use_isolating(false);
        function::add_all(&mut bundle, language);
        for (file, text) in language.entry().files {
            // The tests read every file strictly; what a damaged one still
            // holds is better than none.
            let resource = match FluentResource::try_new((*text).to_owned()) {
                Ok(whole) => whole,
                Err((part, errors)) => {
                    debug_assert!(errors.is_empty(), "{file}.ftl: {errors:?}");
                    part
                }
            };
            let added = bundle.add_resource(resource);
            debug_assert!(added.is_ok(), "{file}.ftl: {added:?}");
        }
        Self { language, bundle }
    }

    /// Whose words they are.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text of `key`, which needs no arguments. What a language lacks is
    /// said in English; a key that nobody has is shown as it is.
    #[must_use]
    pub fn say(&self, key: &str) -> String {
        self.tell(key, &[])
    }

    /// The text of `key`, filled.
    #[must_use]
    pub fn tell(&self, key: &str, arguments: &[Argument<'_>]) -> String {
        let filled = fluent_args(arguments.iter().map(|(name, value)| (*name, value)));
        if let Some(text) = self.look_up(key, &filled) {
            return text;
        }
        match self.language {
            Language::English => key.to_owned(),
            _ => Language::English.words().tell(key, arguments),
        }
    }

    /// The text of `key`, or, where this language has none, `english`: for
    /// texts whose English stands with the thing they describe (a workload, a
    /// metric, a ready study).
    #[must_use]
    pub fn or(&self, key: &str, english: &str) -> String {
        self.look_up(&identifier(key), &FluentArgs::new()).unwrap_or_else(|| english.to_owned())
    }

    /// Whether this language itself has the text of `key`, as [`Words::or`]
    /// takes it, or of `key.attribute`.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        let message = |id: &str| self.bundle.get_message(id);
        let is_whole = message(&identifier(key)).is_some_and(|m| m.value().is_some());
        let (id, attribute) = parts(key);
        is_whole || attribute.is_some_and(|a| message(id).is_some_and(|m| m.get_attribute(a).is_some()))
    }

    /// A finding's sentence.
    #[must_use]
    pub fn finding(&self, finding: &Finding) -> String {
        self.of_finding(finding, "").unwrap_or_else(|| finding.text.clone())
    }

    /// A finding's advice.
    #[must_use]
    pub fn advice(&self, finding: &Finding) -> Option<String> {
        let english = finding.advice.clone()?;
        Some(self.of_finding(finding, ".advice").unwrap_or(english))
    }

    /// What a piece of evidence says.
    #[must_use]
    pub fn evidence(&self, evidence: &Evidence) -> Option<String> {
        let english = evidence.text.clone()?;
        Some(self.of_evidence(evidence).unwrap_or(english))
    }

    /// What a comparison remarks, or why it decides nothing.
    #[must_use]
    pub fn remark(&self, remark: &Remark) -> String {
        self.of_remark(remark).unwrap_or_else(|| remark.text.clone())
    }

    /// Whether this language has the words of a remark, and the remark what fills
    /// them: else it is said in English. For tests of those that make remarks.
    #[must_use]
    pub fn says(&self, remark: &Remark) -> bool {
        self.language == Language::English || self.of_remark(remark).is_some()
    }

    fn of_remark(&self, remark: &Remark) -> Option<String> {
        if self.language == Language::English {
            return None;
        }
        let filled = fluent_args(remark.args.iter().map(|(name, value)| (name.as_str(), value)));
        self.look_up(&format!("remark-{}", remark.code), &filled)
    }

    /// The keys that this language needs to say a finding with its advice, its
    /// evidence and what it rules out, and lacks, or whose arguments it lacks:
    /// what would be said in English. For tests of those that make findings.
    #[must_use]
    pub fn lacking(&self, finding: &Finding) -> Vec<String> {
        let mut lacking = Vec::new();
        if self.language == Language::English {
            return lacking;
        }
        if self.of_finding(finding, "").is_none() {
            lacking.push(key_of(finding));
        }
        if finding.advice.is_some() && self.of_finding(finding, ".advice").is_none() {
            lacking.push(format!("{}.advice", key_of(finding)));
        }
        let evidence = finding.evidence.iter().chain(&finding.ruled_out);
        let unsaid = evidence.filter(|e| e.text.is_some() && self.of_evidence(e).is_none());
        lacking.extend(unsaid.map(|e| format!("evidence-{}", e.code)));
        lacking
    }

    /// English stands in the document; documents of earlier versions may lack
    /// arguments that a sentence needs, and then it is what there is. A
    /// sentence may use what the finding is about, `$resource`, and what its
    /// evidence says, `$evidence`, beside its own arguments.
    fn of_finding(&self, finding: &Finding, attribute: &str) -> Option<String> {
        if self.language == Language::English {
            return None;
        }
        let mut filled = fluent_args(finding.args.iter().map(|(name, value)| (name.as_str(), value)));
        if let Some(resource) = &finding.resource {
            filled.set("resource", resource.as_str());
        }
        let said: Vec<String> = finding.evidence.iter().filter_map(|e| self.evidence(e)).collect();
        filled.set("evidence", said.join("; "));
        self.look_up(&format!("{}{attribute}", key_of(finding)), &filled)
    }

    fn of_evidence(&self, evidence: &Evidence) -> Option<String> {
        if self.language == Language::English {
            return None;
        }
        let filled = fluent_args(evidence.args.iter().map(|(name, value)| (name.as_str(), value)));
        self.look_up(&format!("evidence-{}", evidence.code), &filled)
    }

    /// The filled text of `key` or `key.attribute`; `None` where it is missing
    /// or lacks an argument.
    fn look_up(&self, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
        let (id, attribute) = parts(key);
        let message = self.bundle.get_message(id)?;
        let pattern = match attribute {
            Some(attribute) => message.get_attribute(attribute)?.value(),
            None => message.value()?,
        };
        let mut errors = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(arguments), &mut errors);
        errors.is_empty().then(|| text.into_owned())
    }
}

/// The key of a finding's sentence. Conditions have keys of their own: a quota
/// is a condition of the machine, and of a case what holds it back.
fn key_of(finding: &Finding) -> String {
    match finding.kind {
        FindingKind::Condition => format!("condition-{}", finding.code),
        _ => format!("finding-{}", finding.code),
    }
}

/// A key, and the attribute behind its point.
fn parts(key: &str) -> (&str, Option<&str>) {
    key.split_once('.').map_or((key, None), |(id, attribute)| (id, Some(attribute)))
}

/// A name of ours as a key: `workload-cpu.primes` is `workload-cpu-primes`.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn fluent_args<'a>(all: impl Iterator<Item = (&'a str, &'a Value)>) -> FluentArgs<'a> {
    let mut filled = FluentArgs::new();
    for (name, value) in all {
        let value: FluentValue<'a> = match value {
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
            Value::Integer(whole) => (*whole).into(),
            Value::Number(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            parts @ Value::List(_) => parts.to_string().into(),
        };
        filled.set(name, value);
    }
    filled
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use fluent_syntax::ast::{Entry as Item, Expression, InlineExpression, Pattern, PatternElement};

    use super::*;

    /// Every key of a language with the arguments that it uses.
    fn keys(entry: &Entry) -> BTreeMap<String, BTreeSet<String>> {
        let mut keys = BTreeMap::new();
        for (file, text) in entry.files {
            let parsed = fluent_syntax::parser::parse(*text)
                .unwrap_or_else(|(_, errors)| panic!("{}/{file}.ftl: {errors:?}", entry.tag));
            for item in parsed.body {
                let Item::Message(message) = item else { continue };
                if let Some(value) = &message.value {
                    let known = keys.insert(message.id.name.to_owned(), used(value));
                    assert!(known.is_none(), "{}/{file}.ftl has {} twice", entry.tag, message.id.name);
                }
                for attribute in &message.attributes {
                    keys.insert(format!("{}.{}", message.id.name, attribute.id.name), used(&attribute.value));
                }
            }
        }
        keys
    }

    fn used(pattern: &Pattern<&str>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                of_expression(expression, &mut found);
            }
        }
        found
    }

    fn of_expression(expression: &Expression<&str>, found: &mut BTreeSet<String>) {
        match expression {
            Expression::Inline(inline) => of_inline(inline, found),
            Expression::Select { selector, variants } => {
                of_inline(selector, found);
                variants.iter().for_each(|v| found.extend(used(&v.value)));
            }
        }
    }

    fn of_inline(inline: &InlineExpression<&str>, found: &mut BTreeSet<String>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                found.insert(id.name.to_owned());
            }
            InlineExpression::FunctionReference { arguments, .. } => {
                arguments.positional.iter().for_each(|a| of_inline(a, found));
                arguments.named.iter().for_each(|a| of_inline(&a.value, found));
            }
            InlineExpression::Placeable { expression } => of_expression(expression, found),
            _ => {}
        }
    }

    #[test]
    fn every_language_has_every_key_of_the_page() {
        let english = keys(&TABLE[0]);
        for entry in &TABLE[1..] {
            let own = keys(entry);
            let missing: Vec<_> = english.keys().filter(|k| !own.contains_key(*k)).collect();
            assert!(missing.is_empty(), "{} lacks {missing:?}", entry.tag);
            for (key, arguments) in &english {
                let more: Vec<_> = own[key].difference(arguments).collect();
                assert!(more.is_empty(), "{}: {key} uses {more:?}, which nobody gives", entry.tag);
            }
        }
    }

    #[test]
    fn languages_other_than_english_have_the_same_keys() {
        let (korean, japanese) = (keys(&TABLE[1]), keys(&TABLE[2]));
        for (key, arguments) in &korean {
            assert_eq!(Some(arguments), japanese.get(key), "{key}");
        }
        assert_eq!(korean.len(), japanese.len());
    }

    #[test]
    fn what_a_language_lacks_is_said_in_english() {
        let korean = Language::Korean.words();
        assert_eq!(korean.say("no-such-key"), "no-such-key");
        assert_eq!(korean.or("no-such-key", "as the thing says"), "as the thing says");
        let finding = Finding::new(
            model::FindingKind::Validity,
            "no-such-code",
            model::Severity::Note,
            "The sentence in English.",
        );
        assert_eq!(korean.finding(&finding), "The sentence in English.");
        assert_eq!(korean.lacking(&finding), ["finding-no-such-code"]);
        assert_eq!(Language::English.words().lacking(&finding), Vec::<String>::new());
    }

    #[test]
    fn a_language_has_the_keys_that_stand_in_its_tables() {
        let korean = Language::Korean.words();
        assert!(korean.has("workload-cpu.primes") && korean.has("condition-steal.advice"));
        assert!(!korean.has("workload-no-such") && !korean.has("condition-steal.no-such"));
        assert!(!Language::English.words().has("condition-steal"));
    }

    #[test]
    fn what_is_lacking_is_named() {
        let finding = Finding::new(
            model::FindingKind::Bottleneck,
            "cannot-tell",
            model::Severity::Note,
            "The sentence in English.",
        );
        let place = model::finding::Place::Metric("iops".to_owned());
        let known = Evidence::at("rate", place.clone(), "9 k/s").arg("rate", 9000.0);
        let whole = finding.arg("missing", 1u64).because(known);
        assert_eq!(Language::Korean.words().lacking(&whole), Vec::<String>::new());
        // What its evidence says stands in the sentence.
        assert!(Language::Korean.words().finding(&whole).ends_with(": 9 k/s"));
        let without = Evidence::at("rate", place.clone(), "9 k/s");
        let other = Evidence::at("no-such-code", place, "something");
        let lacking = whole.clone().because(without).not_because(vec![other]).advise("Do it again.");
        let named = ["finding-cannot-tell.advice", "evidence-rate", "evidence-no-such-code"];
        assert_eq!(Language::Japanese.words().lacking(&lacking), named);
        assert_eq!(Language::English.words().lacking(&lacking), Vec::<String>::new());
        let empty = Finding { args: BTreeMap::new(), ..whole };
        assert_eq!(Language::Korean.words().lacking(&empty), ["finding-cannot-tell"]);
    }
}
