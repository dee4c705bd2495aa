//! Every piece of evidence must stand in the document that it cites.

use model::Run;

/// All findings of a run, with what they cite looked up.
pub(crate) fn assert_resolves(run: &Run) {
    for case in &run.cases {
        for finding in &case.findings {
            assert!(!finding.text.is_empty() && !finding.evidence.is_empty(), "{finding:?}");
            for evidence in finding.evidence.iter().chain(&finding.ruled_out) {
                if let Some(place) = &evidence.at {
                    assert!(place.resolves(run, Some(case)), "{}: {place:?}", finding.code);
                }
                if let Some(metric) = &evidence.metric {
                    assert!(case.loads.main.estimates.contains_key(metric), "{}: {metric}", finding.code);
                }
            }
        }
    }
    for look in run.machines.iter().flat_map(|m| &m.looks) {
        for place in look.findings.iter().flat_map(|f| &f.evidence).filter_map(|e| e.at.as_ref()) {
            assert!(place.resolves(run, None), "{place:?}");
        }
    }
}
