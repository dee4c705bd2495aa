//! Devices that are full, and those that seem so.

use model::ParameterName;
use model::run::{CaseRole, Doubling};

use super::super::tests::{disk, verdict};
use super::*;

/// A case whose depth was searched.
fn searched(ended: SearchEnd, growth: &[(f64, Option<f64>)]) -> CaseResult {
    let growth = (0..).zip(growth).map(|(n, (gain, high))| Doubling {
        from: 32 << n,
        to: 64 << n,
        gain: *gain,
        high: *high,
    });
    let parameter = ParameterName::new("queue-depth");
    let search = LevelSearch { parameter, best: 32, knee: 24, ended, growth: growth.collect() };
    CaseResult { search: Some(search), ..disk(32, 100_000.0, 320.0, 5.0) }
}

#[test]
fn a_device_that_a_search_filled_is_full_from_where_it_gives_nearly_all() {
    let flat = searched(SearchEnd::Flat, &[(0.01, Some(0.03)), (0.0, Some(0.02))]);
    let knee = CaseResult { role: CaseRole::Knee { of: 1 }, ..disk(24, 96_000.0, 250.0, 5.0) };
    let found = verdict(std::slice::from_ref(&flat));
    assert_eq!((found.code.as_str(), &found.args["how"]), ("device-full", &"search".into()));
    // Nothing less was measured anew.
    assert_eq!(found.args["knee"], 32.0.into());
    let beside = verdict(&[knee.clone(), flat]);
    assert_eq!((beside.code.as_str(), &beside.args["knee"]), ("device-full", &24.0.into()));
    // Without the search that it belongs to, nothing is beside it.
    assert_eq!(verdict(&[knee]).code, "cannot-tell");
    let runs_away = searched(SearchEnd::Latency, &[(0.12, Some(0.15)), (0.1, Some(0.12))]);
    assert_eq!(verdict(&[runs_away]).args["how"], "latency".into());
}

#[test]
fn a_search_that_was_not_sure_says_so_unless_it_was_nearly() {
    let nearly = searched(SearchEnd::Unsure, &[(0.01, Some(0.10)), (0.0, Some(0.12))]);
    assert_eq!(verdict(&[nearly]).code, "device-full");
    let shaken = searched(SearchEnd::Unsure, &[(0.01, Some(0.40)), (0.0, Some(0.12))]);
    let few = searched(SearchEnd::Unsure, &[(0.01, None), (0.0, None)]);
    let bound = searched(SearchEnd::Bound, &[(0.9, None), (0.8, None)]);
    for (case, evidence) in [(shaken, "device-unsure"), (few, "device-few-trials"), (bound, "device-deepest")]
    {
        let found = verdict(&[case]);
        let codes: Vec<&str> = found.evidence.iter().map(|e| e.code.as_str()).collect();
        assert_eq!((found.code.as_str(), codes), ("cannot-tell", vec![evidence]));
    }
}
