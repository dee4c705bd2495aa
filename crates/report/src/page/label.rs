//! What cases and workloads are called: in words that a reader of the page
//! knows, not as they are typed.

use model::run::CaseResult;
use model::{Kind, ParameterSpec, Value};

use super::View;
use crate::figure;
use crate::label::own_label;

/// Parameters, each with a value as it is typed.
type Levels<'a> = Vec<(&'static ParameterSpec, &'a str)>;

/// The title of a workload: `Memory bandwidth`; its name where it has none.
pub(super) fn workload(view: &View<'_>, name: &str) -> String {
    view.words.or(&format!("workload-title-{name}"), name)
}

/// What sets a case apart from others of its workload: `random read, 4 KiB,
/// queue depth 32`. Absent where nothing does.
pub(super) fn own(view: &View<'_>, case: &CaseResult) -> Option<String> {
    let typed = own_label(case, view.catalogue)?;
    Some(in_words(view, case).unwrap_or(typed))
}

/// What a reader must know of a load beside its figure, also where all cases
/// have it or nobody asked for it.
const TELLING: &[&str] = &["block-size", "queue-depth"];

/// Parameters whose words say nothing where they are the default: nobody expects
/// writes to be verified.
const SILENT: &[&str] = &["content", "distribution", "precondition", "sync", "verify"];

/// What a case is, to one who has not read what the cases have in common.
pub(super) fn whole(view: &View<'_>, case: &CaseResult) -> Option<String> {
    let (Some(spec), Some(Typed { levels: typed, settings, with })) =
        (view.catalogue.workload(&case.workload), typed(view, case))
    else {
        return own(view, case);
    };
    let shown = |parameter: &'static ParameterSpec| {
        if let Some((_, value)) = typed.iter().find(|(p, _)| p.name == parameter.name) {
            return Some((parameter, (*value).to_owned()));
        }
        let value = case.parameters.get(parameter.name)?;
        let text = model::scalar::show(parameter.kind, value);
        let is_silent = SILENT.contains(&parameter.name) && parameter.default == Some(text.as_str());
        let tells = TELLING.contains(&parameter.name)
            || !is_silent && figure::level_in_words(view.words, parameter.name, &text).is_some();
        tells.then_some((parameter, text))
    };
    let levels: Vec<_> = view.catalogue.parameters(spec).filter_map(shown).collect();
    let levels = levels.iter().map(|(p, value)| (*p, value.as_str())).collect();
    let text = joined(view, case, Typed { levels, settings, with });
    (!text.is_empty()).then_some(text)
}

/// What a label has.
struct Typed<'a> {
    /// The parameters, each with its value as it was typed.
    levels: Levels<'a>,
    /// The settings, likewise.
    settings: Vec<(&'a str, &'a str)>,
    /// What ran beside.
    with: &'a str,
}

/// What a label has; nothing of one that has anything else in it.
fn typed<'a>(view: &View<'_>, case: &'a CaseResult) -> Option<Typed<'a>> {
    let spec = view.catalogue.workload(&case.workload)?;
    let label = case.label.strip_prefix(&case.workload)?.trim();
    let (typed, with) = label.split_at(label.find("with ").unwrap_or(label.len()));
    let (mut levels, mut settings) = (Levels::new(), Vec::new());
    for word in typed.split_whitespace() {
        let (name, value) = match word.split_once('=') {
            Some(pair) => pair,
            None => (choice(case, word)?, word),
        };
        match view.catalogue.parameter(spec, name) {
            Some(parameter) => levels.push((parameter, value)),
            None if case.settings.contains_key(name) => settings.push((name, value)),
            None => return None,
        }
    }
    Some(Typed { levels, settings, with })
}

/// The label with every parameter in words.
fn in_words(view: &View<'_>, case: &CaseResult) -> Option<String> {
    Some(joined(view, case, typed(view, case)?)).filter(|text| !text.is_empty())
}

fn joined(view: &View<'_>, case: &CaseResult, typed: Typed<'_>) -> String {
    let Typed { levels, settings, with } = typed;
    let sizes = levels.iter().filter(|(p, _)| p.kind == Kind::Size).count();
    let said = levels.iter().map(|(parameter, value)| match case.parameters.texts(parameter.name) {
        Ok(parts) if parts.len() > 1 => figure::together(view.words, parts.len()),
        _ => level(view, parameter, value, sizes == 1),
    });
    let mut parts: Vec<String> = said.collect();
    let set = |(name, value): (&str, &str)| format!("{} {}", figure::title(view.words, name), spaced(value));
    parts.extend(settings.into_iter().map(set));
    parts.extend(Some(with.trim().to_owned()).filter(|w| !w.is_empty()));
    parts.join(", ")
}

/// The parameter whose value is this word.
fn choice<'a>(case: &'a CaseResult, word: &str) -> Option<&'a str> {
    let is = |value: &Value| matches!(value, Value::Text(text) if text == word);
    case.parameters.0.iter().find(|(_, value)| is(value)).map(|(name, _)| name.as_str())
}

/// One level, with the parameter's name where it does not speak for itself.
fn level(view: &View<'_>, parameter: &ParameterSpec, value: &str, is_only_size: bool) -> String {
    if let Some(said) = figure::level_in_words(view.words, parameter.name, value) {
        return said;
    }
    if let ("threads", Ok(count)) = (parameter.name, value.parse()) {
        return view.count("machine-threads", count);
    }
    let value = spaced(value);
    match parameter.kind {
        Kind::Choice => value,
        Kind::Size if is_only_size => value,
        _ => format!("{} {value}", figure::title(view.words, parameter.name)),
    }
}

/// `4 KiB` of `4KiB`.
fn spaced(value: &str) -> String {
    let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(0);
    let (number, unit) = value.split_at(digits);
    let is_unit = !number.is_empty() && unit.chars().all(|c| c.is_ascii_alphabetic());
    if is_unit { format!("{number} {unit}") } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_apart_from_numbers() {
        for (typed, read) in
            [("4KiB", "4 KiB"), ("1.5s", "1.5 s"), ("32", "32"), ("/dev/sda1", "/dev/sda1"), ("", "")]
        {
            assert_eq!(spaced(typed), read);
        }
        assert_eq!(spaced("4k:70%"), "4k:70%");
    }
}
