//! What cases and workloads are called: in words that a reader of the page
//! knows, not as they are typed.

use model::run::CaseResult;
use model::{Kind, ParameterSpec};

use super::View;
use crate::figure;
use crate::section::workload;

/// The title of a workload: `Memory bandwidth`; its name where it has none.
pub(super) fn workload(view: &View<'_>, name: &str) -> String {
    view.words.or(&format!("workload-title-{name}"), name)
}

/// What sets a case apart from others of its workload: `random read, 4 KiB,
/// queue depth 32`. Absent where nothing does.
pub(super) fn own(view: &View<'_>, case: &CaseResult) -> Option<String> {
    let typed = workload::own_label(case, view.catalogue)?;
    Some(in_words(view, case).unwrap_or(typed))
}

/// The label with every parameter in words; none of a label that has anything
/// else in it.
fn in_words(view: &View<'_>, case: &CaseResult) -> Option<String> {
    let spec = view.catalogue.workload(&case.workload)?;
    let label = case.label.strip_prefix(&case.workload)?.trim();
    let (typed, with) = label.split_at(label.find("with ").unwrap_or(label.len()));
    let mut levels: Vec<(&ParameterSpec, &str)> = Vec::new();
    for word in typed.split_whitespace() {
        let (name, value) = word.split_once('=')?;
        levels.push((view.catalogue.parameter(spec, name)?, value));
    }
    let sizes = levels.iter().filter(|(p, _)| p.kind == Kind::Size).count();
    let said = |(parameter, value): &(&ParameterSpec, &str)| level(view, parameter, value, sizes == 1);
    let mut parts: Vec<String> = levels.iter().map(said).collect();
    parts.extend(Some(with.trim().to_owned()).filter(|w| !w.is_empty()));
    (!parts.is_empty()).then(|| parts.join(", "))
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
