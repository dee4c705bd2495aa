//! A load of a study in the making: its parameters, checked against the catalogue,
//! whatever they were read from.

use model::parameter::{AUTO, Parts};
use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{ParameterSpec, Value, WorkloadSpec, scalar};

use crate::diagnostic::{Diagnostic, SourceRange, suggest};
use crate::habits;

/// The most levels that one factor may have, and the most parts of one level.
pub const LEVELS_MAX: usize = 1000;

/// Parameters that a load which runs with a case cannot have: it shares the
/// case's window.
const NOT_WITH: &[&str] = &["duration", "until"];

/// The workload named `name`.
pub fn workload(
    catalogue: &Catalogue,
    name: &str,
    place: &SourceRange,
) -> Result<&'static WorkloadSpec, Diagnostic> {
    let names = catalogue.workloads.iter().map(|w| w.name.as_str());
    catalogue.called(name).ok_or_else(|| match habits::workload(name) {
        Some(ours) => {
            place.diagnostic(format!("there is no workload `{name}`"), format!("did you mean `{ours}`?"))
        }
        None => place.unknown("workload", name, names),
    })
}

/// The parameter `name` of `spec`.
pub fn parameter(
    catalogue: &Catalogue,
    spec: &WorkloadSpec,
    name: &str,
    with: bool,
    place: &SourceRange,
) -> Result<&'static ParameterSpec, Diagnostic> {
    if with && NOT_WITH.contains(&name) {
        return Err(place.diagnostic(
            format!("`{name}` cannot be given for a load that runs with a case"),
            "it shares the window of the case; `requests` or `bytes` end it earlier",
        ));
    }
    only_typed(name, place)?;
    catalogue.parameter(spec, name).ok_or_else(|| {
        let names: Vec<&str> = catalogue.parameters(spec).map(|p| p.name.as_str()).collect();
        let help = of_family(catalogue, spec, name).unwrap_or_else(|| suggest(name, names));
        place.diagnostic(format!("`{}` has no parameter `{name}`", spec.name), help)
    })
}

/// That a workload of the same family, such as `disk.replay` of `disk`, has a parameter of this name; nothing
/// where none has.
fn of_family(catalogue: &Catalogue, spec: &WorkloadSpec, name: &str) -> Option<String> {
    let family = format!("{}.", spec.name);
    let mut others = catalogue.workloads.iter().filter(|other| other.name.as_str().starts_with(&family));
    let other = others.find(|other| catalogue.parameter(other, name).is_some())?;
    Some(format!("it is one of `{0}`: headroom run {0} --{name} ...", other.name))
}

/// What gives data up is typed each time, by whoever loses it: a study comes from
/// others, and is run again on other machines.
pub fn only_typed(name: &str, place: &SourceRange) -> Result<(), Diagnostic> {
    if !["destroy", "wipe"].contains(&name) {
        return Ok(());
    }
    Err(place.diagnostic(
        format!("`{name}` cannot stand in a study"),
        format!("type --{name} after `headroom run`, so that nobody's data is lost by running a file"),
    ))
}

/// Adds the levels of one parameter; each may be given once.
pub fn put(
    load: &mut StudyWorkload,
    spec: &ParameterSpec,
    levels: Vec<Level>,
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    match load.parameters.insert(spec.name, levels) {
        None => Ok(()),
        Some(_) => Err(twice(&format!("`{}`", spec.name), place)),
    }
}

/// Only one concurrency of a load is searched, and none of a load that runs with a case. What was
/// given last stands at `place`.
pub fn searched_once(
    catalogue: &Catalogue,
    load: &StudyWorkload,
    with: bool,
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    let is_auto = |value: &Value| matches!(value, Value::Text(text) if text == AUTO.word);
    let Some(spec) = catalogue.workload(load.kind) else { return Ok(()) };
    let mut searched = catalogue
        .parameters(spec)
        .filter(|p| p.is_concurrency())
        .filter(|p| load.parameters.get(&p.name).is_some_and(|levels| levels.iter().flatten().any(is_auto)));
    match (searched.next(), searched.next()) {
        (Some(one), _) if with => Err(place.diagnostic(
            format!("`{}` of a load that runs with a case cannot be searched", one.name),
            "give it a number; that of the case itself may be auto",
        )),
        (Some(one), Some(other)) => Err(place.diagnostic(
            format!("`{}` and `{}` cannot both be searched", one.name, other.name),
            "give one of them numbers: for each of several, such as 1,4, the other is searched",
        )),
        _ => Ok(()),
    }
}

/// That `given`, which makes levels by a comma, stands there again.
#[must_use]
pub fn twice(given: &str, place: &SourceRange) -> Diagnostic {
    place.diagnostic(format!("{given} is given twice"), "give it once; a comma makes levels")
}

/// The shares of a mix make a whole, or there are none.
fn check_weights(spec: &ParameterSpec, level: &Level, place: &SourceRange) -> Result<(), Diagnostic> {
    let weight = |part: &Value| match part {
        Value::Text(text) => text.rsplit_once(':')?.1.strip_suffix('%')?.parse::<f64>().ok(),
        _ => None,
    };
    let weights: Vec<Option<f64>> = level.iter().map(weight).collect();
    let sum: f64 = weights.iter().flatten().sum();
    if spec.parts != Parts::Weighted
        || weights.iter().all(Option::is_none)
        || weights.iter().all(Option::is_some) && (sum - 100.0).abs() < 1e-6
    {
        return Ok(());
    }
    Err(place.diagnostic(
        format!("the shares of `{}` do not make 100%", spec.name),
        "give each part its share, as 4k:70%+64k:30%",
    ))
}

/// No part of a level stands twice: the shares of a mix, and the figures of two
/// targets that are one, would be nonsense. Nor are there more than anybody drives.
pub fn each_part_once(spec: &ParameterSpec, level: &Level, place: &SourceRange) -> Result<(), Diagnostic> {
    if level.len() > LEVELS_MAX {
        let message = format!("`{}` has more than {LEVELS_MAX} parts in one level", spec.name);
        return Err(place.diagnostic(message, "give fewer"));
    }
    check_weights(spec, level, place)?;
    match level.iter().enumerate().find(|(index, part)| level[..*index].contains(part)) {
        Some((_, part)) => Err(place.diagnostic(
            format!("`{}` has the part {} twice in one level", spec.name, scalar::show(spec.kind, part)),
            "give each part once",
        )),
        None => Ok(()),
    }
}
