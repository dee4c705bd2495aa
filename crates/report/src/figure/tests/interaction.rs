//! Two factors of two levels: what each does, alone and together.

use model::run::CaseResult;
use model::{Unit, Value, WorkloadName, metric};

use super::fixture::{case, charts, run};

/// A case of a pattern and whether it is direct, with its figure.
fn cell(pattern: &str, direct: bool, iops: f64) -> CaseResult {
    let parameters = [("pattern", pattern.into()), ("direct", Value::Bool(direct))];
    case(WorkloadName::new("disk"), &parameters, (metric::IOPS, Unit::PerSecond, iops))
}

/// The notes of the bars of four cells: neither, the first, the second, both.
fn said(iops: [f64; 4], trials: usize) -> String {
    let [neither, first, second, both] = iops;
    let mut cases = vec![
        cell("read", false, neither),
        cell("write", false, first),
        cell("read", true, second),
        cell("write", true, both),
    ];
    cases.iter_mut().for_each(|case| case.trials.truncate(trials));
    let run = run(cases);
    let figures = charts(&run);
    let bars = figures.iter().find(|figure| figure.kind == "bars").unwrap();
    bars.notes.join(" ")
}

#[test]
fn what_each_change_does_is_told_alone_and_together() {
    // Each halves; both make three quarters of what they would.
    let said = said([1000.0, 500.0, 500.0, 187.5], 5);
    for part in [
        "0.50 times as much (0.49 to 0.51)",
        "Both together: 0.19 times as much",
        "That is 0.75 times what the two alone would give (0.73 to 0.77)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn changes_that_do_not_depend_on_each_other_are_told_apart_from_what_is_unknown() {
    let apart = said([1000.0, 500.0, 500.0, 250.0], 5);
    assert!(apart.contains("Whether one depends on the other cannot be told: that is 0.9"), "{apart}");
    let same = said([1000.0, 1000.0, 500.0, 500.0], 5);
    assert!(same.contains("cannot tell (0.98 to 1.02 times)"), "{same}");
    // One trial has no spread.
    let few = said([1000.0, 500.0, 500.0, 250.0], 1);
    assert!(!few.contains("Both together"), "{few}");
}
