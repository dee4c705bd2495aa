//! Observers that cases cannot have here: asked before anything runs.

use agent::{Agent, CallContext, unexpected};
use model::Study;
use model::message::{ObservedCase, Reply, Request};
use model::plan::{Problem, Survey};
use model::workload::Catalogue;

use super::missing::LeftOut;
use super::{Candidate, PlanError, to_case};

/// Why each case cannot be observed, where it is to be and cannot: by a look, or by a try.
pub(super) fn missing(
    (expanded, surveys): (&[Candidate], &[Survey]),
    agent: &mut dyn Agent,
    watch: &mut CallContext<'_>,
    is_tried: bool,
) -> Result<Vec<Option<String>>, PlanError> {
    let is_asked =
        |candidate: &Candidate, survey: &Survey| !candidate.observe.is_empty() && survey.problem.is_none();
    let pairs = || expanded.iter().zip(surveys);
    let case = |(candidate, survey): (&Candidate, &Survey)| ObservedCase {
        loads: survey.loads.clone(),
        observe: candidate.observe.clone(),
        is_tried,
    };
    let cases: Vec<ObservedCase> = pairs().filter(|(c, s)| is_asked(c, s)).map(case).collect();
    if cases.is_empty() {
        return Ok(vec![None; expanded.len()]);
    }
    let asked = cases.len();
    let reasons = match agent.call(Request::LookAtObservers { cases }, watch)? {
        Reply::Missing(reasons) if reasons.len() == asked => reasons,
        other => return Err(unexpected(other).into()),
    };
    let mut reasons = reasons.into_iter();
    Ok(pairs().map(|(c, s)| if is_asked(c, s) { reasons.next().flatten() } else { None }).collect())
}

/// Leaves the observers of a case out, which is said once for each workload: the case is then
/// measured without.
///
/// # Errors
/// If the study leaves nothing out.
pub(super) fn leave_out(
    (study, catalogue): (&Study, &Catalogue),
    candidate: &mut Candidate,
    (survey, reason): (&Survey, String),
    left_out: &mut LeftOut,
) -> Result<(), PlanError> {
    let names: Vec<&str> = candidate.observe.iter().map(|kind| kind.name()).collect();
    let names = names.join(", ");
    let problem =
        Problem::refused(format!("it cannot be observed by {names}: {reason}"), "leave out `observe`");
    if !study.skip_impossible {
        return Err(PlanError::Impossible { label: candidate.label.to_string(), problem });
    }
    let once = (candidate.test, format!("observe {names}"));
    if !left_out.told.contains(&once) {
        let case = to_case(candidate.clone(), survey.clone(), study, catalogue);
        left_out.cases.push((case, problem));
        left_out.told.push(once);
    }
    candidate.observe.clear();
    Ok(())
}
