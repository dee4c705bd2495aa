//! Every piece of evidence must stand in the document that it cites.

use model::Run;
use model::finding::Place;
use model::run::CaseResult;

/// All findings of a run, with what they cite looked up.
pub(crate) fn assert_resolves(run: &Run) {
    for case in &run.cases {
        for finding in &case.findings {
            assert!(!finding.text.is_empty() && !finding.evidence.is_empty(), "{finding:?}");
            for evidence in finding.evidence.iter().chain(&finding.ruled_out) {
                if let Some(place) = &evidence.at {
                    assert!(stands_in(place, run, Some(case)), "{}: {place:?}", finding.code);
                }
                if let Some(metric) = &evidence.metric {
                    assert!(case.loads.main.estimates.contains_key(metric), "{}: {metric}", finding.code);
                }
            }
        }
    }
    for look in run.machines.iter().flat_map(|m| &m.looks) {
        for place in look.findings.iter().flat_map(|f| &f.evidence).filter_map(|e| e.at.as_ref()) {
            assert!(stands_in(place, run, None), "{place:?}");
        }
    }
}

/// Whether `place` stands in `run`, of `case` where it is about one.
fn stands_in(place: &Place, run: &Run, case: Option<&CaseResult>) -> bool {
    let trials = || case.into_iter().flat_map(|c| &c.trials);
    let machines = || run.machines.iter();
    let watched = || trials().flat_map(|t| &t.result.machines);
    match place {
        Place::Metric(name) => trials().any(|t| t.result.main().metrics.contains_key(name)),
        Place::Parameter(name) => case.is_some_and(|c| c.loads.main.parameters.get(*name).is_some()),
        Place::Counter { resource, source } => {
            let mut all = watched().flat_map(|m| &m.counters);
            all.any(|c| c.resource == *resource && c.source == *source)
        }
        Place::Series { resource, name } => {
            trials().flat_map(|t| t.result.series()).any(|s| s.resource == *resource && s.name == *name)
        }
        Place::Fact(name) => trials().any(|t| t.result.main().facts.contains_key(name)),
        Place::Path(resource) => case.is_some_and(|c| c.path.iter().any(|step| step.resource == *resource)),
        Place::Limit { resource, quantity } => {
            machines().flat_map(|m| &m.limits).any(|l| l.resource == *resource && l.quantity == *quantity)
                || case.is_some_and(|c| {
                    c.utilization.iter().any(|u| u.resource == *resource && u.quantity == *quantity)
                })
        }
        Place::Calibration(name) => machines().flat_map(|m| &m.calibration).any(|c| c.name == *name),
        Place::Process(name) => watched().flat_map(|m| &m.processes).any(|p| p.name == *name),
        Place::Trial(order) => trials().any(|t| t.order == *order),
        Place::Condition(code) => {
            machines().flat_map(|m| &m.looks).flat_map(|l| &l.findings).any(|f| f.code == *code)
        }
        Place::Case(label) => run.cases.iter().any(|c| c.label.to_string() == *label),
        Place::Inventory(resource) => machines().any(|m| m.inventory.has(resource)),
    }
}
