//! The tables, and how a sentence is made from one.

use std::sync::OnceLock;

use fluent_bundle::{FluentArgs, FluentValue};
use model::Value;
use model::comparison::Remark;

use crate::messages::Messages;

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
        files: files!("en": "page", "figure", "chart", "machine", "comparison", "observer", "stack", "trace", "trend", "fleet", "server", "check", "goal", "class", "verb", "wear", "watch", "serve"),
    },
    Entry {
        language: Language::Korean,
        tag: "ko",
        name: "한국어",
        files: files!("ko": "page", "figure", "chart", "machine", "comparison", "observer", "stack", "trace", "trend", "fleet", "finding", "compute", "network", "condition", "catalogue", "database", "server", "study", "check", "check-arithmetic", "check-written", "check-compared", "check-limits", "check-metrics", "check-statistics", "check-storage", "check-time", "goal", "class", "wear", "watch", "serve"),
    },
    Entry {
        language: Language::Japanese,
        tag: "ja",
        name: "日本語",
        files: files!("ja": "page", "figure", "chart", "machine", "comparison", "observer", "stack", "trace", "trend", "fleet", "finding", "compute", "network", "condition", "catalogue", "database", "server", "study", "check", "check-arithmetic", "check-written", "check-compared", "check-limits", "check-metrics", "check-statistics", "check-storage", "check-time", "goal", "class", "wear", "watch", "serve"),
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
    messages: Messages,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("language", &self.language).finish_non_exhaustive()
    }
}

/// The words of areas that the tables of this program do not have.
static ADDED: OnceLock<&'static [(Language, &'static str)]> = OnceLock::new();

/// Adds words, as Fluent, to those of all languages: before any is asked for, and
/// once.
pub fn add(words: &'static [(Language, &'static str)]) {
    let first = ADDED.set(words).is_ok();
    debug_assert!(first, "words are added once");
}

impl Words {
    fn new(language: Language) -> Self {
        let mut words = Self { language, messages: Messages::new(language) };
        language.entry().files.iter().for_each(|(_, text)| words.messages.add(text));
        let added = ADDED.get().copied().unwrap_or_default().iter().filter(|(of, _)| *of == language);
        added.for_each(|(_, text)| words.messages.add(text));
        words
    }

    /// English, and the sentences in Fluent that stand beside what says them.
    #[must_use]
    pub fn english_with(sentences: impl IntoIterator<Item = &'static str>) -> Self {
        let mut words = Self::new(Language::English);
        sentences.into_iter().for_each(|text| words.messages.add(text));
        words
    }

    /// The keys whose texts are damaged, or refer to keys that are not there: for tests of who has sentences.
    #[must_use]
    pub fn damaged(&self) -> Vec<&'static str> {
        self.messages.damaged()
    }

    /// Whose words they are.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text of `key`, which needs no arguments. What a language lacks is
    /// shown in English; a key that nobody has is shown as it is.
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

    /// The text of `key`, filled with texts.
    #[must_use]
    pub fn tell_texts(&self, key: &str, texts: &[(&str, &str)]) -> String {
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, Value::from(*text))).collect();
        self.tell(key, &texts)
    }

    /// The text of `key` about so many.
    #[must_use]
    pub fn count(&self, key: &str, count: usize) -> String {
        self.tell(key, &[("count", Value::Integer(count as u64))])
    }

    /// The text of `key`, or, where this language has none, `english`: for
    /// texts whose English stands with the thing they describe (a workload, a
    /// metric, a built-in study).
    #[must_use]
    pub fn or(&self, key: &str, english: &str) -> String {
        self.look_up(&identifier(key), &FluentArgs::new()).unwrap_or_else(|| english.to_owned())
    }

    /// Whether this language itself has the text of `key`, as [`Words::or`]
    /// takes it, or of `key.attribute`.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        let (id, attribute) = parts(key);
        self.messages.has(&identifier(key), None) || attribute.is_some_and(|a| self.messages.has(id, Some(a)))
    }

    /// What a comparison remarks, or why it decides nothing.
    #[must_use]
    pub fn remark(&self, remark: &Remark) -> String {
        self.of_remark(remark).unwrap_or_else(|| remark.text.clone())
    }

    /// Whether this language has the words of a remark, and the remark what fills
    /// them: otherwise it is shown in English. For tests of rules that make remarks.
    #[must_use]
    pub fn says(&self, remark: &Remark) -> bool {
        self.language == Language::English || self.of_remark(remark).is_some()
    }

    /// Writes into a remark what a document says of it: in English, by the words of who
    /// made it.
    pub fn write_remark(&self, remark: &mut Remark) {
        if let Some(text) = self.of_remark(remark) {
            remark.text = text;
        }
    }

    fn of_remark(&self, remark: &Remark) -> Option<String> {
        let filled = fluent_args(remark.args.iter().map(|(name, value)| (name.as_str(), value)));
        self.look_up(&format!("remark-{}", remark.code), &filled)
    }

    /// The filled text of `key` or `key.attribute`; `None` where it is missing
    /// or lacks an argument.
    pub(crate) fn look_up(&self, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
        let (id, attribute) = parts(key);
        self.messages.filled(id, attribute, arguments)
    }
}

/// A key, and the attribute behind its point.
fn parts(key: &str) -> (&str, Option<&str>) {
    key.split_once('.').map_or((key, None), |(id, attribute)| (id, Some(attribute)))
}

/// A name of ours as a key: `workload-cpu.primes` is `workload-cpu-primes`.
pub(crate) fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

pub(crate) fn fluent_args<'a>(all: impl Iterator<Item = (&'a str, &'a Value)>) -> FluentArgs<'a> {
    let mut filled = FluentArgs::new();
    all.for_each(|(name, value)| filled.set(name, fluent_value(value)));
    filled
}

/// A value as sentences have it: of a list its parts, or `none`.
pub(crate) fn fluent_value(value: &Value) -> FluentValue<'_> {
    match value {
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::Integer(whole) => (*whole).into(),
        Value::Number(number) => (*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(parts) if parts.is_empty() => "none".into(),
        Value::List(parts) => parts.iter().map(Value::to_string).collect::<Vec<_>>().join(", ").into(),
    }
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
        let mut english = keys(&TABLE[0]);
        // Verbs, nouns and pronouns have a form for several in English only.
        let agrees = |key: &str| ["verb-", "plural-", "pronoun-"].iter().any(|begin| key.starts_with(begin));
        english.retain(|key, _| !agrees(key));
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
    fn every_text_is_read_whole() {
        for language in LANGUAGES {
            assert_eq!(language.words().damaged(), Vec::<&str>::new(), "{language:?}");
        }
    }

    #[test]
    fn what_a_language_lacks_is_said_in_english() {
        let korean = Language::Korean.words();
        assert_eq!(korean.say("no-such-key"), "no-such-key");
        assert_eq!(korean.or("no-such-key", "as the thing says"), "as the thing says");
    }

    #[test]
    fn a_language_has_the_keys_that_stand_in_its_tables() {
        let korean = Language::Korean.words();
        assert!(korean.has("workload-cpu.primes") && korean.has("condition-steal.advice"));
        assert!(!korean.has("workload-no-such") && !korean.has("condition-steal.no-such"));
        assert!(!Language::English.words().has("condition-steal"));
    }
}
