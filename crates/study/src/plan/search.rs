//! Cases whose concurrency is searched: `queue-depth=auto`. What the plan knows of them is which
//! parameter it is, that it can be searched, and about how long that takes.

use model::plan::{Case, LoadSpec, Problem, Survey};
use model::profile::Arrival;
use model::workload::Catalogue;
use model::{Kind, ParameterName, Value, parameter};
use sha2::{Digest, Sha256};

use super::{Candidate, counts, shortened, work_id};

/// How many trials of levels a search takes, about: the simulation of [`stats::capacity`] takes
/// 18 to 33.
const LEVEL_TRIALS: f64 = 26.0;

/// A level's window is this share of that of the case,
const WINDOW_SHARE: f64 = 0.25;
/// at least so long, in seconds, where the case's own is not shorter,
const WINDOW_LEAST: f64 = 0.25;
/// and at most so long.
const WINDOW_MOST: f64 = 2.0;

/// Puts 1 where the main load has a word for a concurrency that is searched; returns the
/// parameter. Fails, with what is wrong and what to do, if there are several, or one of a load
/// beside it.
pub(super) fn begin(
    loads: &mut [LoadSpec],
    catalogue: &Catalogue,
) -> Result<Option<ParameterName>, (String, &'static str)> {
    let mut found: Option<ParameterName> = None;
    for (place, load) in loads.iter_mut().enumerate() {
        let Some(spec) = catalogue.workload(load.workload) else { continue };
        let searched = catalogue.parameters(spec).filter(|p| p.is_concurrency()).map(|p| p.name);
        for name in
            searched.filter(|name| load.parameters.is_word(*name, parameter::AUTO.word)).collect::<Vec<_>>()
        {
            if place > 0 {
                let message = format!(
                    "`{name}` of {}, which runs beside another load, cannot be searched",
                    load.workload
                );
                return Err((message, "give it a number"));
            }
            if let Some(other) = found.replace(name) {
                return Err((
                    format!("`{other}` and `{name}` cannot both be searched"),
                    "give one of them a number",
                ));
            }
            load.parameters.set(name, 1u64);
        }
    }
    Ok(found)
}

/// Why a case cannot be searched, once the agent has said what its load is.
pub(super) fn problem(candidate: &Candidate, survey: &Survey) -> Option<Problem> {
    let name = candidate.search?;
    let profile = survey.loads.first()?.profile.as_ref()?;
    let wrong =
        |why: &str, help: &str| Some(Problem::invalid(format!("`{name}` cannot be searched: {why}"), help));
    if profile.concurrency.arrival == Arrival::Open {
        return wrong(
            "operations start at a rate, however many are under way",
            "leave out the rate, or give a number",
        );
    }
    if profile.target_state == model::profile::TargetState::Steady {
        return wrong("the target is brought to a steady state of one concurrency", "give a number");
    }
    None
}

/// What makes a case the same work as others. Of words that stand for numbers the numbers count, which `loads` have as
/// the agent saw them. A case that is searched has other numbers each time, so there the words count; but for what a
/// content is told by, which stays as it is.
pub(super) fn work_id_of(candidate: &Candidate, loads: &[LoadSpec], catalogue: &Catalogue) -> String {
    if candidate.search.is_none() {
        return work_id(loads, catalogue);
    }
    let mut digests = String::new();
    for (asked, load) in candidate.loads.iter().zip(loads) {
        let Some(spec) = catalogue.workload(load.workload) else { continue };
        for parameter in catalogue.parameters(spec).filter(|parameter| parameter.digest.is_some()) {
            let found = load.parameters.get(parameter.name);
            let found = found.filter(|value| counts(Some(parameter), value));
            if let Some(value) = found.filter(|value| asked.parameters.get(parameter.name) != Some(*value)) {
                digests.push_str(&format!(" {}={value}", parameter.name));
            }
        }
    }
    if digests.is_empty() {
        return candidate.work_id.clone();
    }
    shortened(Sha256::new_with_prefix(format!("{}{digests}", candidate.work_id)))
}

/// How long the window of a trial of a level is, of a case with this window; s.
pub(crate) fn window_s(own: f64) -> f64 {
    (own * WINDOW_SHARE).clamp(WINDOW_LEAST, WINDOW_MOST).min(own)
}

/// The parameter that says how long a load's window is, if it has one that counts, and its value
/// in seconds.
pub(crate) fn duration(load: &LoadSpec, catalogue: &Catalogue) -> Option<(ParameterName, f64)> {
    let spec = catalogue.workload(load.workload)?;
    let named = catalogue.parameters(spec).find(|p| p.kind == Kind::Duration && p.ends_trial)?;
    match load.parameters.get(named.name) {
        Some(Value::Number(seconds)) => Some((named.name, *seconds)),
        _ => None,
    }
}

/// How long the levels of a search take, about, in seconds.
pub(crate) fn usual_s(case: &Case) -> f64 {
    LEVEL_TRIALS * level_s(case)
}

/// How long one trial of a level takes, about, in seconds.
pub(super) fn level_s(case: &Case) -> f64 {
    let own = case.loads.first().and_then(|load| load.profile.as_ref()?.window_s).unwrap_or(case.trial_s);
    (case.trial_s - own + window_s(own)).max(0.0)
}

#[cfg(test)]
mod tests {
    use model::label::Label;
    use model::{Parameters, WorkloadName};

    use super::*;

    fn loads(parameters: &[(&'static str, &str)]) -> Vec<LoadSpec> {
        let all = parameters.iter().map(|(name, value)| (ParameterName::new(name), Value::from(*value)));
        vec![LoadSpec::new(WorkloadName::new("disk.replay"), all.collect::<Parameters>())]
    }

    #[test]
    fn a_recording_is_told_by_its_content_also_where_the_depth_is_searched() {
        let catalogue = agent::catalogue();
        let id = |path: &str, digits: &str, depth: &str, search: Option<ParameterName>| {
            let asked = loads(&[("replay", path)]);
            let candidate = Candidate {
                work_id: work_id(&asked, &catalogue),
                loads: asked,
                search,
                settings: Vec::new(),
                observe: Vec::new(),
                label: Label::default(),
                test: 0,
            };
            let content = format!("sha256:{digits}");
            let seen = loads(&[("replay", path), ("recording", &content), ("engine", depth)]);
            work_id_of(&candidate, &seen, &catalogue)
        };
        let (depth, digits) = (Some(ParameterName::new("queue-depth")), ["0a".repeat(32), "0b".repeat(32)]);
        for search in [None, depth] {
            let one = id("a", &digits[0], "io_uring", search);
            assert_eq!(one, id("b", &digits[0], "io_uring", search));
            assert_ne!(one, id("a", &digits[1], "io_uring", search));
            // What else the agent found counts only where nothing is searched.
            assert_eq!(one == id("a", &digits[0], "sync", search), search.is_some());
        }
    }
}
