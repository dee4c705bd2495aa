//! The messages of a language, each parsed when it is first asked for. There are some two thousand, and a
//! command says few of them: to parse all took longer than to read a paste of 100 KB.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use fluent_syntax::ast::{CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement};

use crate::{Language, function};

/// Fluent texts by the names of their messages.
pub(crate) struct Messages {
    language: Language,
    by_name: HashMap<&'static str, Message>,
}

/// One message, or one term: its name begins with a dash.
struct Message {
    text: &'static str,
    /// The message with all that it refers to. A bundle for each, so that a function that is called while one is written
    /// can ask for another.
    bundle: OnceLock<FluentBundle<FluentResource>>,
}

impl Messages {
    /// None yet.
    pub(crate) fn new(language: Language) -> Self {
        Self { language, by_name: HashMap::new() }
    }

    /// Adds those of a Fluent text.
    pub(crate) fn add(&mut self, text: &'static str) {
        for (name, text) in entries(text) {
            let added = Message { text, bundle: OnceLock::new() };
            let before = self.by_name.insert(name, added);
            debug_assert!(before.is_none(), "{name} is there twice");
        }
    }

    /// Whether a message has a text, or an attribute of this name.
    pub(crate) fn has(&self, name: &str, attribute: Option<&str>) -> bool {
        let message = self.bundle(name).and_then(|bundle| bundle.get_message(name));
        message.is_some_and(|message| match attribute {
            Some(attribute) => message.get_attribute(attribute).is_some(),
            None => message.value().is_some(),
        })
    }

    /// The filled text of a message, or of an attribute of it; `None` where it is missing or lacks an argument.
    pub(crate) fn filled(
        &self,
        name: &str,
        attribute: Option<&str>,
        arguments: &FluentArgs<'_>,
    ) -> Option<String> {
        let bundle = self.bundle(name)?;
        let message = bundle.get_message(name)?;
        let pattern = match attribute {
            Some(attribute) => message.get_attribute(attribute)?.value(),
            None => message.value()?,
        };
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, Some(arguments), &mut errors);
        errors.is_empty().then(|| text.into_owned())
    }

    /// The names of messages whose texts are damaged, or refer to what is not there.
    pub(crate) fn damaged(&self) -> Vec<&'static str> {
        let is_damaged = |message: &Message| match FluentResource::try_new(message.text.to_owned()) {
            Ok(whole) => {
                whole.entries().count() != 1
                    || named_in(&whole).iter().any(|name| !self.by_name.contains_key(name.as_str()))
            }
            Err(_) => true,
        };
        self.by_name.iter().filter(|(_, message)| is_damaged(message)).map(|(name, _)| *name).collect()
    }

    fn bundle(&self, name: &str) -> Option<&FluentBundle<FluentResource>> {
        let message = self.by_name.get(name)?;
        Some(message.bundle.get_or_init(|| self.made(message)))
    }

    /// The bundle of a message.
    fn made(&self, message: &Message) -> FluentBundle<FluentResource> {
        let tag = self.language.tag().parse().expect("the tags of the table are valid");
        let mut bundle = FluentBundle::new_concurrent(vec![tag]);
        // Marks of direction around every argument would stand in copied text.
        bundle.set_use_isolating(false);
        // A long sentence goes on in the next line of its file.
        bundle.set_transform(Some(|text| match text.contains('\n') {
            true => text.replace('\n', " ").into(),
            false => text.into(),
        }));
        let (mut texts, mut known) = (vec![message.text], HashSet::new());
        let mut has_calls = false;
        while let Some(text) = texts.pop() {
            has_calls |= text.contains('(');
            // Tests read every text strictly; what a damaged one still holds is
            // better than none.
            let resource = match FluentResource::try_new(text.to_owned()) {
                Ok(whole) => whole,
                Err((part, errors)) => {
                    debug_assert!(errors.is_empty(), "{errors:?}: {text}");
                    part
                }
            };
            for name in named_in(&resource) {
                let other = self.by_name.get(name.as_str()).map(|other| other.text);
                texts.extend(other.filter(|other| *other != message.text && known.insert(*other)));
            }
            let added = bundle.add_resource(resource);
            debug_assert!(added.is_ok(), "{added:?}");
        }
        if has_calls {
            function::add_all(&mut bundle, self.language);
        }
        bundle
    }
}

/// The messages and terms of a Fluent text with their names, each to where the next one or a comment begins: these alone
/// begin with a letter, a dash or a number sign at the beginning of a line.
fn entries(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    let (mut begun, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        let begins = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-');
        if begins || line.starts_with('#') {
            all.extend(begun.take().map(|start| &text[start..at]));
        }
        if begins {
            begun = Some(at);
        } else {
            let is_between = line.trim_end().is_empty() || line.starts_with('#');
            debug_assert!(begun.is_some() || is_between, "{line:?} is of no message");
        }
        at += line.len();
    }
    all.extend(begun.map(|start| &text[start..]));
    let name = |entry: &'static str| {
        let end = entry.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        (&entry[..end.unwrap_or(entry.len())], entry)
    };
    all.into_iter().map(name).collect()
}

/// What a text refers to: the names of messages, and those of terms with their dash.
fn named_in(resource: &FluentResource) -> Vec<String> {
    let mut names = Vec::new();
    for entry in resource.entries() {
        let (value, attributes) = match entry {
            Entry::Message(message) => (message.value.as_ref(), &message.attributes),
            Entry::Term(term) => (Some(&term.value), &term.attributes),
            _ => continue,
        };
        value.into_iter().chain(attributes.iter().map(|a| &a.value)).for_each(|p| in_pattern(p, &mut names));
    }
    names
}

fn in_pattern(pattern: &Pattern<&str>, names: &mut Vec<String>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            in_expression(expression, names);
        }
    }
}

fn in_expression(expression: &Expression<&str>, names: &mut Vec<String>) {
    match expression {
        Expression::Inline(inline) => in_inline(inline, names),
        Expression::Select { selector, variants } => {
            in_inline(selector, names);
            variants.iter().for_each(|variant| in_pattern(&variant.value, names));
        }
    }
}

fn in_inline(inline: &InlineExpression<&str>, names: &mut Vec<String>) {
    let in_arguments = |arguments: &CallArguments<&str>, names: &mut Vec<String>| {
        arguments.positional.iter().for_each(|argument| in_inline(argument, names));
        arguments.named.iter().for_each(|argument| in_inline(&argument.value, names));
    };
    match inline {
        InlineExpression::MessageReference { id, .. } => names.push(id.name.to_owned()),
        InlineExpression::TermReference { id, arguments, .. } => {
            names.push(format!("-{}", id.name));
            arguments.iter().for_each(|arguments| in_arguments(arguments, names));
        }
        InlineExpression::FunctionReference { arguments, .. } => in_arguments(arguments, names),
        InlineExpression::Placeable { expression } => in_expression(expression, names),
        InlineExpression::StringLiteral { .. }
        | InlineExpression::NumberLiteral { .. }
        | InlineExpression::VariableReference { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A comment.\none = One { two }\n    .more = { -name(case: \"x\") }\n\n# Another.\ntwo = { $n ->\n    \
                        [1] { three.more }\n   *[other] several\n}\n-name = a name\nthree = x\n    .more = of three\nlong = a\n\n    b\n";

    #[test]
    fn a_text_is_parted_where_messages_begin() {
        let names: Vec<&str> = entries(TEXT).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["one", "two", "-name", "three", "long"]);
        let whole: usize = entries(TEXT).iter().map(|(_, text)| text.len()).sum();
        assert_eq!(whole, TEXT.len() - "# A comment.\n# Another.\n".len());
        assert!(entries("").is_empty() && entries("# x").is_empty());
    }

    #[test]
    fn a_message_has_all_that_it_refers_to() {
        let mut messages = Messages::new(Language::English);
        messages.add(TEXT);
        assert_eq!(messages.damaged(), Vec::<&str>::new());
        let mut filled = FluentArgs::new();
        filled.set("n", 1);
        let say = |name, attribute| messages.filled(name, attribute, &filled);
        assert_eq!(say("one", None).as_deref(), Some("One of three"));
        assert_eq!(say("one", Some("more")).as_deref(), Some("a name"));
        assert_eq!(say("long", None).as_deref(), Some("a  b"));
        assert_eq!((say("four", None), say("one", Some("less"))), (None, None));
        assert!(
            messages.has("one", Some("more"))
                && !messages.has("two", Some("more"))
                && !messages.has("-name", None)
        );
    }

    #[test]
    fn what_is_damaged_is_named() {
        let mut messages = Messages::new(Language::English);
        messages.add("whole = x\nto-nobody = { nobody }\nopen = { $x\n");
        let mut damaged = messages.damaged();
        damaged.sort_unstable();
        assert_eq!(damaged, ["open", "to-nobody"]);
    }
}
