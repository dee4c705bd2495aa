//! Values and lists as people write them.

use model::definition::ParameterDefinition;
use model::run::{CaseLoad, CaseResult};
use model::setting::level;
use model::{Definitions, Value};

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list<T: AsRef<str>>(all: &[T]) -> String {
    match all {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", rest.join(", "), last.as_ref())
        }
    }
}

/// A parameter of a case as a person writes it, its default where it is not set.
pub(super) fn parameter(case: &CaseResult, name: &str, definitions: &Definitions) -> Option<String> {
    let load = &case.loads.main;
    let known = definitions.parameter(load.workload, name);
    let set = load.parameters.iter().find(|(own, _)| own.as_str() == name).map(|(_, value)| value);
    set.or_else(|| known?.default.as_ref()).map(|value| shown(value, known))
}

/// A value as a person writes it.
pub(crate) fn shown(value: &Value, known: Option<&ParameterDefinition>) -> String {
    known.map_or_else(|| value.to_string(), |known| known.show(value))
}

/// A setting of a case as a person writes it: what was asked for.
pub(crate) fn setting(case: &CaseResult, key: &str) -> Option<String> {
    level(&case.settings, key).map(|state| state.show(&state.asked))
}

/// The loads that run with a case, as a person would write them but for their defaults.
pub(super) fn with(case: &CaseResult, definitions: &Definitions) -> String {
    let one = |c: &CaseLoad| {
        let set = c.parameters.iter().filter_map(|(name, value)| {
            let known = definitions.parameter(c.workload, name.as_str());
            let shown = shown(value, known);
            let usual = known.and_then(|known| Some(known.show(known.default.as_ref()?)));
            (usual.as_ref() != Some(&shown)).then(|| format!(" {name}={shown}"))
        });
        format!("{}{}", c.workload, set.collect::<String>())
    };
    if case.loads.beside.is_empty() {
        return "alone".to_owned();
    }
    case.loads.beside.iter().map(one).collect::<Vec<_>>().join(" + ")
}

/// A span of time in rough words, as a number and what it counts: `12 minute`,
/// `3 day`.
pub(super) fn span(seconds: f64) -> (usize, &'static str) {
    let count = |unit: f64, noun| ((seconds / unit).round() as usize, noun);
    match seconds {
        s if s >= 36.0 * 3600.0 => count(86_400.0, "day"),
        s if s >= 5400.0 => count(3600.0, "hour"),
        s if s >= 90.0 => count(60.0, "minute"),
        _ => count(1.0, "second"),
    }
}
