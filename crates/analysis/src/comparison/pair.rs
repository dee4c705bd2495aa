//! Which case of one run is the same work as which of another.
//!
//! `work_id` decides: it hashes the workloads, their definitions, and the parameters that are part
//! of the work. Where (`target`) and how long (`duration`) are not, so that the same work on another
//! disk can be compared; the difference is then noted. Where several cases of a run are the same
//! work, those that agree in more of the rest belong together.

use std::collections::{BTreeSet, HashMap};

use model::comparison::{Differs, Unmatched};
use model::definition::{MetricDefinition, ParameterDefinition};
use model::run::{CaseLoad, CaseResult, CaseRole};
use model::{Definitions, Label, MetricName, ParameterName, Parameters, Run, WorkloadName};

use super::error::ComparisonError;
use super::words;

/// Two cases that are held against each other.
pub(super) struct CasePair<'a> {
    pub(super) baseline_side: usize,
    pub(super) side: usize,
    pub(super) baseline: &'a CaseResult,
    pub(super) new: &'a CaseResult,
    /// What they are called, without what they differ in.
    pub(super) case: Label,
    /// What their runs say of their workloads.
    pub(super) definitions: BothDefinitions<'a>,
    /// Whether both are of one run, so that blocks mean the same time.
    pub(super) is_one_run: bool,
}

/// What each of two runs says of its workloads.
#[derive(Clone, Copy)]
pub(super) struct BothDefinitions<'a> {
    pub(super) baseline: &'a Definitions,
    pub(super) new: &'a Definitions,
}

impl<'a> BothDefinitions<'a> {
    /// The parameter of a workload as each run has it; as the other has it where it does not.
    fn parameter(
        &self,
        workload: WorkloadName,
        name: ParameterName,
    ) -> Option<(&'a ParameterDefinition, &'a ParameterDefinition)> {
        let of = |all: &'a Definitions| all.parameter(workload, name.as_str());
        let (baseline, new) = (of(self.baseline), of(self.new));
        baseline.or(new).zip(new.or(baseline))
    }

    /// A metric of a workload, as the baseline has it if it does.
    pub(super) fn metric(&self, workload: WorkloadName, name: MetricName) -> Option<MetricDefinition> {
        self.baseline.metric(workload, name).or_else(|| self.new.metric(workload, name))
    }
}

/// The cases of two runs, as far as they belong together.
pub(super) struct MatchedCases<'a> {
    pub(super) pairs: Vec<CasePair<'a>>,
    pub(super) unmatched: Vec<Unmatched>,
}

/// Matches the cases of `run`, which is at `side`, with those of the baseline at 0.
pub(super) fn of_runs<'a>(baseline: &'a Run, run: &'a Run, side: usize) -> MatchedCases<'a> {
    let definitions = BothDefinitions { baseline: &baseline.definitions, new: &run.definitions };
    let mut partner: Vec<Option<usize>> = vec![None; baseline.cases.len()];
    let mut taken = vec![false; run.cases.len()];
    let mut by_work: HashMap<_, Vec<usize>> = HashMap::new();
    // What a search, or a verdict, needed besides is another run's own matter.
    let is_asked = |case: &CaseResult| case.role == CaseRole::Asked;
    for (place, case) in run.cases.iter().enumerate().filter(|(_, case)| is_asked(case)) {
        by_work.entry(work_key(case)).or_default().push(place);
    }
    for exactly in [true, false] {
        for (index, case) in baseline.cases.iter().enumerate() {
            if partner[index].is_some() || !is_asked(case) {
                continue;
            }
            let alike = by_work.get(&work_key(case)).into_iter().flatten().copied();
            let free = alike.filter(|place| {
                let other = &run.cases[*place];
                !taken[*place]
                    && is_same_work(case, other, definitions)
                    && (!exactly || circumstances(case, other, definitions).is_empty())
            });
            let differ = |place: &usize| circumstances(case, &run.cases[*place], definitions).len();
            if let Some(place) = free.min_by_key(differ) {
                partner[index] = Some(place);
                taken[place] = true;
            }
        }
    }
    let both = partner.iter().enumerate().filter_map(|(index, place)| Some((index, (*place)?)));
    let pairs = both.map(|(index, place)| CasePair {
        baseline_side: 0,
        side,
        baseline: &baseline.cases[index],
        new: &run.cases[place],
        case: baseline.cases[index].label.clone(),
        definitions,
        is_one_run: false,
    });
    let mut looks = LOOKS_MAX;
    let mut alone = |at: usize, case: &CaseResult, missing_in: usize, others: &Run| {
        let near = (looks > 0).then(|| nearest(case, &others.cases, at > 0, definitions)).flatten();
        looks = looks.saturating_sub(others.cases.len());
        Unmatched {
            side: at,
            case: case.label.to_string(),
            missing_in,
            nearest: near.as_ref().map(|(label, _)| label.clone()),
            differs: near.map(|(_, differs)| differs).unwrap_or_default(),
        }
    };
    let mut unmatched = Vec::new();
    for (case, _) in baseline.cases.iter().zip(&partner).filter(|(c, place)| is_asked(c) && place.is_none()) {
        unmatched.push(alone(0, case, side, run));
    }
    for (case, _) in run.cases.iter().zip(&taken).filter(|(c, taken)| is_asked(c) && !**taken) {
        unmatched.push(alone(side, case, 0, baseline));
    }
    MatchedCases { pairs: pairs.collect(), unmatched }
}

/// That two runs have no work in common, with the nearest cases and what differs.
pub(super) fn unlike(baseline: &Run, run: &Run) -> ComparisonError {
    let definitions = BothDefinitions { baseline: &baseline.definitions, new: &run.definitions };
    let mut differs = BTreeSet::new();
    let enough = 1 + LOOKS_MAX / run.cases.len().max(1);
    for case in baseline.cases.iter().take(enough) {
        differs.insert(match nearest(case, &run.cases, false, definitions) {
            Some((_, found)) => {
                let found: Vec<String> = found.iter().map(difference).collect();
                format!("{}: {}", case.loads.main.workload, words::list(&found))
            }
            None => format!("it has no {}", case.loads.main.workload),
        });
    }
    if differs.is_empty() {
        differs.insert(format!("run {} has no cases", baseline.id));
    }
    // Of many cases a few show what is the matter.
    let more = differs.len().saturating_sub(NAMED_MAX);
    let mut differs: Vec<String> = differs.into_iter().take(NAMED_MAX).collect();
    if more > 0 {
        differs.push(format!("and {more} more"));
    }
    ComparisonError::Unlike { baseline: baseline.id.clone(), other: run.id.clone(), differs }
}

/// For the nearest of cases without a partner, so many pairs of cases are held
/// against each other: all of two runs of 500. Of larger ones the first cases
/// have theirs, rather than that everybody waits for all. Tests need not go so
/// far.
pub(super) const LOOKS_MAX: usize = if cfg!(test) { 1000 } else { 250_000 };

/// So many differences are named in a message.
const NAMED_MAX: usize = 4;

/// `block-size 4KiB against 8KiB`.
fn difference(d: &Differs) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    format!("{} {} against {}", d.name, side(&d.baseline), side(&d.other))
}

/// The case that differs least from `case` in what is work, of the same workload.
fn nearest(
    case: &CaseResult,
    others: &[CaseResult],
    is_other: bool,
    definitions: BothDefinitions<'_>,
) -> Option<(String, Vec<Differs>)> {
    let same_kind = others.iter().filter(|o| o.loads.main.workload == case.loads.main.workload);
    let with_differences = same_kind.map(|o| {
        let found = if is_other { work(o, case, definitions) } else { work(case, o, definitions) };
        (o, found)
    });
    let (near, differs) = with_differences.min_by_key(|(_, differs)| differs.len())?;
    Some((near.label.to_string(), differs))
}

/// What cases that are the same work have in common, and few others.
fn work_key(case: &CaseResult) -> (&str, Option<u32>, &str) {
    (case.loads.main.workload.as_str(), case.loads.main.definition_version, &case.work_id)
}

fn is_same_work(a: &CaseResult, b: &CaseResult, definitions: BothDefinitions<'_>) -> bool {
    if a.loads.main.workload != b.loads.main.workload
        || a.loads.main.definition_version != b.loads.main.definition_version
    {
        return false;
    }
    // A document without ids is compared by what the ids are made of.
    if a.work_id.is_empty() && b.work_id.is_empty() {
        return work(a, b, definitions).is_empty();
    }
    a.work_id == b.work_id
}

/// In what two cases of one workload are other work.
fn work(a: &CaseResult, b: &CaseResult, definitions: BothDefinitions<'_>) -> Vec<Differs> {
    let mut found = Vec::new();
    if a.loads.main.definition_version != b.loads.main.definition_version {
        let version = |case: &CaseResult| case.loads.main.definition_version.map(|v| v.to_string());
        let name = "definition version".to_owned();
        found.push(Differs { name, baseline: version(a), other: version(b) });
    }
    found.extend(parameters("", &a.loads.main, &b.loads.main, true, definitions));
    for place in 0..a.loads.beside.len().max(b.loads.beside.len()) {
        found.extend(companions(a.loads.beside.get(place), b.loads.beside.get(place), definitions));
    }
    if found.is_empty() && a.work_id != b.work_id {
        let id = |case: &CaseResult| Some(case.work_id.clone());
        found.push(Differs { name: "work".to_owned(), baseline: id(a), other: id(b) });
    }
    found
}

fn companions(a: Option<&CaseLoad>, b: Option<&CaseLoad>, definitions: BothDefinitions<'_>) -> Vec<Differs> {
    match (a, b) {
        (Some(a), Some(b)) if a.workload == b.workload => {
            let prefix = format!("of {} beside it: ", a.workload);
            parameters(&prefix, a, b, true, definitions)
        }
        _ => {
            let name = |c: Option<&CaseLoad>| c.map(|c| c.workload.to_string());
            vec![Differs { name: "beside it".to_owned(), baseline: name(a), other: name(b) }]
        }
    }
}

/// In what the same work was done otherwise: where, how long, with which settings.
pub(super) fn circumstances(
    a: &CaseResult,
    b: &CaseResult,
    definitions: BothDefinitions<'_>,
) -> Vec<Differs> {
    let mut found = parameters("", &a.loads.main, &b.loads.main, false, definitions);
    let keys: BTreeSet<&String> = a.settings.keys().chain(b.settings.keys()).collect();
    for key in keys {
        let (baseline, other) = (words::setting(a, key), words::setting(b, key));
        if baseline != other {
            found.push(Differs { name: key.clone(), baseline, other });
        }
    }
    found
}

/// Which parameters differ, of those that are part of the work or of the others. One that is not
/// set has its default.
fn parameters(
    prefix: &str,
    a: &CaseLoad,
    b: &CaseLoad,
    is_work: bool,
    definitions: BothDefinitions<'_>,
) -> Vec<Differs> {
    let (workload, a, b) = (a.workload, &a.parameters, &b.parameters);
    let names: BTreeSet<ParameterName> = a.names().chain(b.names()).collect();
    let shown = |side: &Parameters, name: ParameterName, known: Option<&ParameterDefinition>| {
        let value = side.get(name).or_else(|| known?.default.as_ref())?;
        Some(words::shown(value, known))
    };
    let differing = names.into_iter().filter_map(|name| {
        let known = definitions.parameter(workload, name);
        if known.is_none_or(|(baseline, _)| baseline.work) != is_work {
            return None;
        }
        let (of_a, of_b) = known.unzip();
        let (baseline, other) = (shown(a, name, of_a), shown(b, name, of_b));
        (baseline != other).then(|| Differs { name: format!("{prefix}{name}"), baseline, other })
    });
    differing.collect()
}
