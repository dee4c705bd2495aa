//! The cases of one run, divided by one thing in which they differ.
//!
//! Two cases belong together when they agree in everything else that was asked for. What was not
//! asked for follows from what was (the stores of `memory.bandwidth` from its size), and a note
//! names it where it differs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::comparison::Unmatched;
use model::run::CaseResult;
use model::{Label, ParameterName, Run, WorkloadName};

use super::error::ComparisonError;
use super::pair::{BothDefinitions, CasePair};
use super::words;

/// Something in which the cases of a run differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Its name: a parameter, a setting, or one of a few others.
    pub name: String,
    /// Its levels, in the order of the cases, as a person writes them.
    pub levels: Vec<String>,
}

/// What may differ between cases beside their parameters: the name, and a case's level.
type Special = (&'static str, fn(&Run, &CaseResult) -> Option<String>);

/// What runs with the main load.
const WITH: &str = "with";

const SPECIAL: &[Special] = &[
    (WITH, |run, case| Some(words::with(case, &run.definitions))),
    ("machine", |run, _| run.machines.first().map(|m| m.hostname.clone())),
];

/// A run divided by one thing.
pub(super) struct Divided<'a> {
    pub(super) levels: Vec<String>,
    pub(super) pairs: Vec<CasePair<'a>>,
    pub(super) unmatched: Vec<Unmatched>,
}

/// A level of a parameter that is not set and has no default.
const NOT_SET: &str = "not set";

/// What the cases of a run can be compared by: all in which two of them differ alone.
#[must_use]
pub fn factors(run: &Run) -> Vec<Factor> {
    let parameters: BTreeSet<&str> =
        run.cases.iter().flat_map(|c| c.loads.main.parameters.names()).map(ParameterName::as_str).collect();
    let settings: BTreeSet<&str> =
        run.cases.iter().flat_map(|c| c.settings.keys()).map(String::as_str).collect();
    let names = parameters.into_iter().chain(settings).chain(SPECIAL.iter().map(|(name, _)| *name));
    names
        .filter_map(|name| {
            let levels = levels(run, name);
            if levels.len() < 2 {
                return None;
            }
            let divided = divide_at(run, name, levels, None);
            (!divided.pairs.is_empty()).then(|| Factor { name: name.to_owned(), levels: divided.levels })
        })
        .collect()
}

/// Divides a run by `by`; every case is held against that of the same group at the baseline, or at
/// the group's first level.
pub(super) fn divide<'a>(
    run: &'a Run,
    by: &str,
    baseline: Option<&str>,
) -> Result<Divided<'a>, ComparisonError> {
    let levels = levels(run, by);
    let known = || {
        let named = |f: Factor| format!("{} ({})", f.name, f.levels.join(", "));
        factors(run).into_iter().map(named).collect::<Vec<_>>()
    };
    if levels.len() < 2 {
        return Err(ComparisonError::NoFactor { run: run.id.clone(), by: by.to_owned(), factors: known() });
    }
    let base = baseline.map(|value| baseline_level(run, by, value, &levels)).transpose()?;
    let divided = divide_at(run, by, levels, base);
    if divided.pairs.is_empty() {
        return Err(ComparisonError::NeverAlone { run: run.id.clone(), by: by.to_owned(), factors: known() });
    }
    Ok(divided)
}

/// Divides a run by `by` at these levels, held against the level at `base`.
fn divide_at<'a>(run: &'a Run, by: &str, levels: Vec<String>, base: Option<usize>) -> Divided<'a> {
    let mut divided = Divided { levels, pairs: Vec::new(), unmatched: Vec::new() };
    for group in groups(run, by) {
        pair_up(run, by, base, &group, &mut divided);
    }
    divided
}

fn levels(run: &Run, by: &str) -> Vec<String> {
    let mut all = Vec::new();
    for found in run.cases.iter().filter_map(|case| level(run, case, by)) {
        if !all.contains(&found) {
            all.push(found);
        }
    }
    all
}

/// The level of a case; `None` where its workload knows nothing of it.
fn level(run: &Run, case: &CaseResult, by: &str) -> Option<String> {
    if let Some((_, read)) = SPECIAL.iter().find(|(name, _)| *name == by) {
        return read(run, case);
    }
    let set = words::parameter(case, by, &run.definitions).or_else(|| words::setting(case, by));
    let known = run.definitions.parameter(case.loads.main.workload, by).is_some();
    set.or_else(|| known.then(|| NOT_SET.to_owned()))
}

/// The place of the level that a person wrote, in whatever form: `4k` is `4KiB`.
fn baseline_level(run: &Run, by: &str, value: &str, levels: &[String]) -> Result<usize, ComparisonError> {
    let mut forms = vec![value.to_owned()];
    for case in &run.cases {
        let parameter = run.definitions.parameter(case.loads.main.workload, by);
        forms.extend(parameter.and_then(|p| p.shown_as(value)));
    }
    let place = levels.iter().position(|level| forms.contains(level));
    place.ok_or_else(|| ComparisonError::NoLevel {
        by: by.to_owned(),
        value: value.to_owned(),
        levels: levels.to_vec(),
    })
}

/// Cases by all but `by`, in the order of their first.
fn groups(run: &Run, by: &str) -> Vec<Vec<usize>> {
    type Key = (WorkloadName, BTreeMap<String, String>, String);
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (index, case) in run.cases.iter().enumerate() {
        if level(run, case, by).is_none() {
            continue;
        }
        let names = asked(run, case).into_iter().map(ParameterName::as_str).filter(|name| *name != by);
        let values =
            names.filter_map(|name| Some((name.to_owned(), words::parameter(case, name, &run.definitions)?)));
        let settings = case.settings.keys().filter(|key| *key != by);
        let settings = settings.filter_map(|key| Some((key.clone(), words::setting(case, key)?)));
        let values = values.chain(settings).collect();
        let with = if by == WITH { String::new() } else { words::with(case, &run.definitions) };
        let key = (case.loads.main.workload, values, with);
        let place = *places.entry(key).or_insert_with(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[place].push(index);
    }
    all
}

/// The parameters that were asked of a case's workload; all, where the document has no study.
fn asked(run: &Run, case: &CaseResult) -> BTreeSet<ParameterName> {
    let entries = run.study.workloads.iter().filter(|w| w.kind == case.loads.main.workload);
    let named: Vec<_> = entries.collect();
    if named.is_empty() {
        return case.loads.main.parameters.names().collect();
    }
    named.iter().flat_map(|w| w.parameters.keys()).copied().collect()
}

fn pair_up<'a>(run: &'a Run, by: &str, base: Option<usize>, group: &[usize], divided: &mut Divided<'a>) {
    let place = |index: &usize| {
        let own = level(run, &run.cases[*index], by)?;
        divided.levels.iter().position(|l| *l == own)
    };
    let members: Vec<(usize, usize)> = group.iter().filter_map(|i| Some((*i, place(i)?))).collect();
    let first = match base {
        Some(base) => members.iter().find(|(_, level)| *level == base),
        None => members.first(),
    };
    let others: Vec<_> = members.iter().filter(|m| Some(*m) != first).collect();
    for (index, side) in others {
        let case = &run.cases[*index];
        let partner = first.filter(|(_, level)| level != side);
        match partner {
            Some((baseline, baseline_side)) => divided.pairs.push(CasePair {
                baseline_side: *baseline_side,
                side: *side,
                baseline: &run.cases[*baseline],
                new: case,
                case: without(case, by),
                definitions: BothDefinitions { baseline: &run.definitions, new: &run.definitions },
                is_one_run: true,
            }),
            None => divided.unmatched.push(alone(case, *side, base.unwrap_or(0))),
        }
    }
    if let ([(index, side)], Some(_)) = (members.as_slice(), first) {
        let missing_in = usize::from(*side == 0);
        divided.unmatched.push(alone(&run.cases[*index], *side, missing_in));
    }
}

fn alone(case: &CaseResult, side: usize, missing_in: usize) -> Unmatched {
    Unmatched { side, case: case.label.to_string(), missing_in, nearest: None, differs: Vec::new() }
}

/// What a case is called without its level.
fn without(case: &CaseResult, by: &str) -> Label {
    let label = case.label.clone();
    if by == WITH { label.alone() } else { label.without(by) }
}
