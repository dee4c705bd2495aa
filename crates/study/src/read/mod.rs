//! Reading a study from arguments, from TOML or from a job file of fio: all end
//! in the same checks.

pub mod arguments;
mod controls;
mod document;
pub mod expect;
pub mod fio;
mod settings;

use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{ParameterSpec, WorkloadSpec};

pub use controls::{CONTROLS, Control};
pub use document::from_toml;
pub(crate) use settings::parts as setting_parts;

use crate::mistake::{Mistake, Place, suggest};

/// Parameters that a load which runs with a case cannot have: it shares the
/// case's window.
const NOT_WITH: &[&str] = &["duration", "until"];

/// The workload named `name`.
fn workload(catalogue: &Catalogue, name: &str, place: &Place) -> Result<&'static WorkloadSpec, Mistake> {
    catalogue.workload(name).ok_or_else(|| {
        let names: Vec<&str> = catalogue.workloads.iter().map(|w| w.name).collect();
        place.mistake(format!("there is no workload `{name}`"), suggest(name, names))
    })
}

/// The parameter `name` of `spec`.
fn parameter(
    catalogue: &Catalogue,
    spec: &WorkloadSpec,
    name: &str,
    with: bool,
    place: &Place,
) -> Result<&'static ParameterSpec, Mistake> {
    if with && NOT_WITH.contains(&name) {
        return Err(place.mistake(
            format!("`{name}` cannot be given for a load that runs with a case"),
            "it shares the window of the case; `requests` or `bytes` end it earlier",
        ));
    }
    only_typed(name, place)?;
    catalogue.parameter(spec, name).ok_or_else(|| {
        let names: Vec<&str> = catalogue.parameters(spec).map(|p| p.name).collect();
        place.mistake(format!("`{}` has no parameter `{name}`", spec.name), suggest(name, names))
    })
}

/// What gives data up is typed each time, by whoever loses it: a study comes from
/// others, and is run again on other machines.
///
/// # Errors
/// If `name` is such an option.
fn only_typed(name: &str, place: &Place) -> Result<(), Mistake> {
    if !["destroy", "wipe"].contains(&name) {
        return Ok(());
    }
    Err(place.mistake(
        format!("`{name}` cannot stand in a study"),
        format!("type --{name} after `headroom run`, so that nobody's data is lost by running a file"),
    ))
}

/// Adds the levels of one parameter; each may be given once.
fn put(
    load: &mut StudyWorkload,
    spec: &ParameterSpec,
    levels: Vec<Level>,
    place: &Place,
) -> Result<(), Mistake> {
    match load.parameters.insert(spec.name.to_owned(), levels) {
        None => Ok(()),
        Some(_) => {
            Err(place
                .mistake(format!("`{}` is given twice", spec.name), "give it once; a comma makes levels"))
        }
    }
}
