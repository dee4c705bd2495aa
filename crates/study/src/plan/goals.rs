//! Whether the goals of a study fit its cases: a goal that is for no case, that is about a metric which a case does not
//! have, or that no result could keep beside another, is refused before anything is measured.

use model::definition::Definitions;
use model::plan::Case;
use model::workload::Catalogue;
use model::{Goal, MetricSpec, Study, metric};

use super::PlanError;
use crate::read::goal::there_are;

/// So many cases are named where a goal is for none of them.
const NAMED: usize = 5;

/// Holds the goals and the conditions against all cases, those too that cannot be measured here.
pub(super) fn check<'a>(
    study: &Study,
    catalogue: &Catalogue,
    cases: impl Iterator<Item = &'a Case>,
) -> Result<(), PlanError> {
    if study.goals.is_empty() && study.abort_when.is_empty() {
        return Ok(());
    }
    let cases: Vec<&Case> = cases.collect();
    let workloads = cases.iter().filter_map(|case| case.loads.first()).map(|load| load.workload);
    let definitions = catalogue.definitions(workloads);
    for goal in study.goals.iter().chain(&study.abort_when) {
        let own: Vec<&Case> = cases.iter().copied().filter(|case| is_for(goal, case, &definitions)).collect();
        if own.is_empty() {
            return Err(fits_none(goal, &cases));
        }
        own.into_iter().try_for_each(|case| has_metric(goal, case, catalogue))?;
    }
    cases.into_iter().try_for_each(|case| can_be_kept(study, case, &definitions))
}

fn is_for(goal: &Goal, case: &Case, definitions: &Definitions) -> bool {
    let Some(main) = case.loads.first() else { return false };
    let mut parameters = main.parameters.clone();
    if let Some(searched) = case.search {
        // It is 1 until it is known.
        parameters.remove(searched);
    }
    goal.is_for((main.workload, &parameters), &case.label, definitions)
}

fn fits_none(goal: &Goal, cases: &[&Case]) -> PlanError {
    let mut named: Vec<String> = cases.iter().take(NAMED).map(|case| case.label.to_string()).collect();
    if cases.len() > NAMED {
        named.push(format!("and {} more", cases.len() - NAMED));
    }
    PlanError::invalid(
        &goal.text,
        "no case of this study is meant by that".to_owned(),
        format!("correct what stands behind `where`; the cases are: {}", named.join("; ")),
    )
}

/// Whether the main load of a case has the metric, in the unit of the goal.
fn has_metric(goal: &Goal, case: &Case, catalogue: &Catalogue) -> Result<(), PlanError> {
    let Some(workload) = case.loads.first().and_then(|load| catalogue.workload(load.workload)) else {
        return Ok(());
    };
    let metrics = || workload.metrics.iter().chain(metric::OF_HARDWARE);
    let found: Option<&MetricSpec> = metrics().find(|spec| spec.name == goal.metric);
    match found {
        _ if goal.metric == metric::ERRORS => Ok(()),
        Some(spec) if spec.unit == goal.unit => Ok(()),
        Some(spec) => Err(PlanError::invalid(
            &case.label,
            format!("its {} has another unit, {}, than `{}`", spec.name, spec.unit.symbol(), goal.text),
            "say behind `where` which cases it is for, such as workload=NAME",
        )),
        None => Err(PlanError::invalid(
            &case.label,
            format!("it has no metric `{}`, which `{}` is about", goal.metric, goal.text),
            format!(
                "say behind `where` which cases it is for, such as workload=NAME, or take another metric; {}",
                there_are(goal.metric.as_str(), metrics().map(|spec| spec.name))
            ),
        )),
    }
}

/// Whether some result of a case could keep all goals that are for it.
fn can_be_kept(study: &Study, case: &Case, definitions: &Definitions) -> Result<(), PlanError> {
    let own: Vec<&Goal> = study.goals.iter().filter(|goal| is_for(goal, case, definitions)).collect();
    for (place, one) in own.iter().enumerate() {
        if let Some(other) = own[..place].iter().find(|other| other.contradicts(one)) {
            return Err(PlanError::invalid(
                &case.label,
                format!("no result keeps both `{}` and `{}`", other.text, one.text),
                "leave one of them out, or say behind `where` which cases each is for",
            ));
        }
    }
    Ok(())
}
