//! Values and lists as people write them.

use model::run::{CaseLoad, CaseResult};
use model::setting::level;
use model::{Definitions, Value, WorkloadName};

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

/// A parameter's value as a person writes it.
pub(super) fn value(workload: WorkloadName, name: &str, value: &Value, definitions: &Definitions) -> String {
    definitions.parameter(workload, name).map_or_else(|| value.to_string(), |p| p.show(value))
}

/// A parameter of a case as a person writes it, its default where it is not set.
pub(super) fn parameter(case: &CaseResult, name: &str, definitions: &Definitions) -> Option<String> {
    match case.loads.main.parameters.iter().find(|(own, _)| own.as_str() == name) {
        Some((_, found)) => Some(value(case.loads.main.workload, name, found, definitions)),
        None => default(case.loads.main.workload, name, definitions),
    }
}

/// A setting of a case as a person writes it: what was asked for.
pub(super) fn setting(case: &CaseResult, key: &str) -> Option<String> {
    level(&case.settings, key).map(|state| state.show(&state.asked))
}

/// What stands for a parameter that is not set; `None` where it has no default.
pub(super) fn default(workload: WorkloadName, name: &str, definitions: &Definitions) -> Option<String> {
    let parameter = definitions.parameter(workload, name)?;
    parameter.default.as_ref().map(|value| parameter.show(value))
}

/// The loads that run with a case, as a person would write them but for their defaults.
pub(super) fn with(case: &CaseResult, definitions: &Definitions) -> String {
    let one = |c: &CaseLoad| {
        let set = c.parameters.iter().filter_map(|(name, found)| {
            let shown = value(c.workload, name.as_str(), found, definitions);
            let usual = default(c.workload, name.as_str(), definitions);
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
