//! `[inputs]`: what a study asks of its user, such as how many streams there are. Each input has a default that says where
//! it comes from. `{NAME}` stands in the study for its value, and `{NAME:bytes}` for the bytes per second of a rate in
//! bits. Values are put in before the study is read, so that a message shows them where they count.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use import::diagnostic::{Diagnostic, Source, SourceRange, suggest};
use model::{Kind, Value, scalar};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::CONTROLS;
use super::arguments::{Arguments, Typed, value_place};

/// The key of the inputs of a study.
pub const KEY: &str = "inputs";

/// Every key of an input, with what it means, in documentation order.
pub const KEYS: &[(&str, &str)] = &[
    ("default", "The value where none is typed."),
    ("doc", "What it is."),
    ("source", "Where the default comes from: a document, or why this value was taken."),
];

/// What stands behind the name where bytes per second of a rate in bits are meant.
const BYTES: &str = ":bytes";

/// Bytes per second are rounded up to so many, which every device takes at once.
const BLOCK: u64 = 4096;

/// A longer value is no figure and no word.
const VALUE_MAX: usize = 100;

/// An input as a study declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyInput {
    /// What it is called: its option, and what stands in braces.
    pub name: String,
    /// The value where none is typed.
    pub default: String,
    /// What it is.
    pub doc: String,
    /// Where the default comes from.
    pub source: String,
}

/// An input, and where its default stands.
struct DeclaredInput {
    input: StudyInput,
    place: SourceRange,
}

/// A study with the values put in.
pub(super) struct FilledStudy {
    pub(super) text: String,
    pub(super) values: BTreeMap<String, String>,
}

/// The inputs that a study declares. Of a text that is no TOML there are none: whoever reads the study says why.
///
/// # Errors
/// If an input is not declared as it should be.
pub fn declared(path: &str, text: &str) -> Result<Vec<StudyInput>, Diagnostic> {
    Ok(all(path, text)?.into_iter().map(|one| one.input).collect())
}

/// Takes what was typed for these inputs out of the arguments: options of their names, and all `--input`.
#[must_use]
pub fn take(inputs: &[StudyInput], arguments: &mut Arguments) -> Vec<Typed> {
    let is_input = |option: &Typed| inputs.iter().any(|input| input.name == option.name);
    let options = std::mem::take(&mut arguments.options);
    let (mut own, rest): (Vec<Typed>, Vec<Typed>) = options.into_iter().partition(is_input);
    arguments.options = rest;
    own.append(&mut arguments.inputs);
    own
}

/// Puts the values into a study: those that were typed, and the study's own for the others.
pub(super) fn fill(path: &str, text: &str, typed: &[Typed]) -> Result<FilledStudy, Diagnostic> {
    let declared = all(path, text)?;
    for (place, option) in typed.iter().enumerate() {
        let names = declared.iter().map(|one| one.input.name.as_str());
        if !names.clone().any(|name| name == option.name) {
            let names: Vec<&str> = names.collect();
            return Err(value_place(option).unknown("input of this study", &option.name, names));
        }
        if typed[..place].iter().any(|other| other.name == option.name) {
            let message = format!("--{} is given twice", option.name);
            return Err(value_place(option).diagnostic(message, "give it once: an input has one value"));
        }
    }
    let (mut values, mut holes) = (BTreeMap::new(), BTreeMap::new());
    for DeclaredInput { input, place } in &declared {
        let option = typed.iter().find(|option| option.name == input.name);
        let value = option.map_or(&input.default, |option| &option.value);
        let place = option.map_or_else(|| place.clone(), value_place);
        check_value(value, &place)?;
        let in_bytes = format!("{}{BYTES}", input.name);
        if text.contains(&format!("{{{in_bytes}}}")) {
            holes.insert(in_bytes, bytes(value, &place)?);
        }
        holes.insert(input.name.clone(), value.clone());
        values.insert(input.name.clone(), value.clone());
    }
    Ok(FilledStudy { text: filled(text, &holes), values })
}

fn all(path: &str, text: &str) -> Result<Vec<DeclaredInput>, Diagnostic> {
    let source = Arc::new(Source { name: path.to_owned(), text: text.to_owned() });
    let Ok(table) = DeTable::parse(text) else { return Ok(Vec::new()) };
    let found = table.get_ref().iter().find(|(key, _)| key.get_ref().as_ref() == KEY);
    let Some((_, value)) = found else { return Ok(Vec::new()) };
    let DeValue::Table(inputs) = value.get_ref() else {
        return Err(at(&source, value.span())
            .diagnostic("`inputs` is a table here", "write [inputs.NAME] and its keys below"));
    };
    let mut declared = Vec::new();
    for (key, value) in inputs {
        declared.push(one(&source, (key.get_ref().as_ref(), key.span()), value)?);
    }
    Ok(declared)
}

fn at(source: &Arc<Source>, span: Range<usize>) -> SourceRange {
    SourceRange { source: Arc::clone(source), span }
}

/// Reads one input.
fn one(
    source: &Arc<Source>,
    (name, name_span): (&str, Range<usize>),
    value: &Spanned<DeValue<'_>>,
) -> Result<DeclaredInput, Diagnostic> {
    let name_place = at(source, name_span);
    check_name(name, source, &name_place)?;
    let DeValue::Table(table) = value.get_ref() else {
        let help = format!("write [inputs.{name}] with {}", keys().join(", "));
        return Err(at(source, value.span()).diagnostic("an input is a table", help));
    };
    let mut texts: BTreeMap<&str, (String, SourceRange)> = BTreeMap::new();
    for (key, value) in table {
        let key_text: &str = key.get_ref().as_ref();
        let Some(known) = keys().into_iter().find(|known| *known == key_text) else {
            let message = format!("an input has no key `{key_text}`");
            return Err(at(source, key.span()).diagnostic(message, suggest(key_text, keys())));
        };
        let place = at(source, value.span());
        let DeValue::String(text) = value.get_ref() else {
            return Err(place.diagnostic("text in quotes is wanted here", ""));
        };
        texts.insert(known, (text.to_string(), place));
    }
    let mut of = |key: &str| {
        let found = texts.remove(key).filter(|(text, _)| !text.is_empty());
        found.ok_or_else(|| {
            let help = "each says what it is by default, and where that comes from";
            name_place.diagnostic(format!("the input `{name}` has no {key}"), help)
        })
    };
    let ((default, place), (doc, _), (origin, _)) = (of("default")?, of("doc")?, of("source")?);
    Ok(DeclaredInput { input: StudyInput { name: name.to_owned(), default, doc, source: origin }, place })
}

fn keys() -> Vec<&'static str> {
    KEYS.iter().map(|(key, _)| *key).collect()
}

/// Whether an input may be called so, and stands somewhere in the study.
fn check_name(name: &str, source: &Source, place: &SourceRange) -> Result<(), Diagnostic> {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_word) {
        return Err(place.diagnostic("this is no name of an input", "small letters, digits and `-`"));
    }
    if CONTROLS.iter().any(|control| control.name == name) {
        let message = format!("`{name}` says how it is measured, so that no input can be called so");
        return Err(place.diagnostic(message, "call it something else"));
    }
    let stands = |end: &str| source.text.contains(&format!("{{{name}{end}}}"));
    if !stands("") && !stands(BYTES) {
        let help = format!("write {{{name}}} where its value counts");
        return Err(place.diagnostic(format!("the input `{name}` stands nowhere in this study"), help));
    }
    Ok(())
}

/// Whether a value can stand in a study: a figure or a word. It cannot be a list, which is a factor, nor end a text, nor be
/// an address, which may hold a password.
fn check_value(value: &str, place: &SourceRange) -> Result<(), Diagnostic> {
    let may_stand = |c: char| c.is_ascii_alphanumeric() || " ._-+%/".contains(c);
    if value.is_empty() || value.len() > VALUE_MAX || !value.chars().all(may_stand) {
        return Err(
            place.diagnostic("this cannot be the value of an input", "a figure or a word, such as 24 or 8M")
        );
    }
    Ok(())
}

/// The bytes per second of a rate in bits, in whole blocks.
fn bytes(value: &str, place: &SourceRange) -> Result<String, Diagnostic> {
    match scalar::parse(Kind::Rate, value).map_err(|error| place.unread(error))? {
        Value::Number(bits) => Ok(((bits / 8.0 / BLOCK as f64).ceil() as u64 * BLOCK).to_string()),
        other => Err(place.diagnostic(format!("`{other}` is no rate"), Kind::Rate.hint())),
    }
}

/// The text with what stands in braces replaced, where that is an input.
fn filled(text: &str, holes: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, behind) = rest.split_at(start);
        out.push_str(before);
        let named = behind[1..].split_once('}').and_then(|(name, left)| Some((holes.get(name)?, left)));
        rest = match named {
            Some((value, left)) => {
                out.push_str(value);
                left
            }
            None => {
                out.push('{');
                &behind[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use model::Study;

    use super::*;
    use crate::read::from_toml_with;

    const TEXT: &str = "question = \"{streams} at {bit-rate}?\"\n[inputs.streams]\ndefault = \"24\"\ndoc = \"Streams.\"\n\
                        source = \"a guess\"\n[inputs.bit-rate]\ndefault = \"8M\"\ndoc = \"Bits.\"\nsource = \"a guess\"\n\
                        [[workload]]\nkind = \"disk\"\nthreads = \"{streams}\"\nblock-size = \"{bit-rate:bytes}\"\n";

    fn typed(options: &[(&str, &str)]) -> Vec<Typed> {
        let one = |(name, value): &(&str, &str)| Typed { name: (*name).into(), value: (*value).into() };
        options.iter().map(one).collect()
    }

    fn read(text: &str, options: &[(&str, &str)]) -> Result<Study, Diagnostic> {
        from_toml_with(&agent::catalogue(), "s", "s.toml", text, &typed(options))
    }

    fn values(study: &Study) -> Vec<String> {
        let levels = study.workloads[0].parameters.values();
        levels.map(|levels| format!("{:?}", levels[0][0])).collect()
    }

    #[test]
    fn inputs_stand_where_their_names_do() {
        let own = read(TEXT, &[]).unwrap();
        assert_eq!(own.question.as_deref(), Some("24 at 8M?"));
        // 8 Mbit/s are 1,000,000 bytes, in whole blocks 245 of 4 KiB.
        assert!(values(&own).contains(&format!("{:?}", Value::Integer(245 * 4096))), "{:?}", values(&own));
        let other = read(TEXT, &[("streams", "3"), ("bit-rate", "32768")]).unwrap();
        assert_eq!(other.question.as_deref(), Some("3 at 32768?"));
        assert!(values(&other).contains(&format!("{:?}", Value::Integer(4096))), "{:?}", values(&other));
        assert!(values(&other).contains(&format!("{:?}", Value::Integer(3))), "{:?}", values(&other));
        let kept: Vec<_> = other.inputs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(kept, [("bit-rate", "32768"), ("streams", "3")]);
    }

    #[test]
    fn what_is_typed_for_an_input_is_no_parameter() {
        let mut arguments = Arguments {
            options: typed(&[("streams", "3"), ("queue-depth", "4")]),
            inputs: typed(&[("bit-rate", "4M")]),
            ..Arguments::default()
        };
        let own = take(&declared("s.toml", TEXT).unwrap(), &mut arguments);
        assert_eq!(own, typed(&[("streams", "3"), ("bit-rate", "4M")]));
        assert_eq!(arguments.options, typed(&[("queue-depth", "4")]));
        assert!(arguments.inputs.is_empty());
    }

    #[test]
    fn what_is_no_input_is_refused() {
        for (options, says) in [
            (&[("stream", "3")][..], "no input of this study `stream`"),
            (&[("streams", "3"), ("streams", "4")], "--streams"),
            (&[("streams", "\"\nx = 1")], "cannot be the value"),
            (&[("streams", "a://b")], "cannot be the value"),
            (&[("streams", "1,2")], "cannot be the value"),
            (&[("streams", "")], "cannot be the value"),
            (&[("bit-rate", "fast")], "does not start with a number"),
        ] {
            let found = read(TEXT, options).unwrap_err();
            assert!(found.message.contains(says), "{options:?}: {}", found.message);
            // A list, which is a factor, cannot be the value of an input.
            let help = found.help.unwrap_or_default();
            assert!(!help.contains("levels"), "{options:?}: {help}");
        }
        for (from, to, says) in [
            ("source = \"a guess\"\n", "", "the input `streams` has no source"),
            ("doc =", "docs =", "an input has no key `docs`"),
            ("\"24\"", "24", "text in quotes"),
            ("\"{streams}\"", "1", "the input `streams` stands nowhere"),
            ("inputs.streams", "inputs.seed", "no input can be called so"),
            ("[inputs.streams]", "inputs = 1\n[other]", "`inputs` is a table here"),
        ] {
            let text = TEXT.replacen(from, to, 1).replacen("{streams} at", "", 1);
            let text =
                if says.contains("is a table") { text.replace("[inputs.bit-rate]", "[more]") } else { text };
            let found = read(&text, &[]).unwrap_err();
            assert!(found.message.contains(says), "{says}: {}", found.message);
            assert!(found.source_text.text.get(found.span.clone()).is_some());
        }
    }

    #[test]
    fn braces_that_name_nothing_stay() {
        let holes = BTreeMap::from([("a".to_owned(), "{b}".to_owned()), ("b".to_owned(), "1".to_owned())]);
        assert_eq!(filled("{a} {b} { b } {c} {{b}} {", &holes), "{b} 1 { b } {c} {1} {");
    }
}
