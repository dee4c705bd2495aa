//! Settings that a machine does not have: said before anything runs, or left out.

use crate::pretending::Pretender;
use agent::CallContext;
use model::setting::Change;
use model::{Study, Value};
use study::plan::{self, FeasiblePlan, PlanError};

/// The plan of a study on a machine without what `lacks` says.
fn planned(text: &str, lacks: fn(&Change) -> Option<String>) -> Result<FeasiblePlan, PlanError> {
    let catalogue = agent::catalogue();
    let study: Study = study::read::from_toml(&catalogue, "s", "s.toml", text).unwrap();
    let mut agent = Pretender { lacks: Some(lacks), ..Pretender::default() };
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    plan::make(&study, &catalogue, &mut agent, &mut watch)
}

const TWO: &str = "
[[workload]]
kind = 'null'
[workload.settings]
swap = ['on', 'off']
dirty-bytes = ['64MiB', '128MiB']
";

fn all_of_swap(change: &Change) -> Option<String> {
    (change.name == "swap").then(|| "there is none".to_owned())
}

fn swap_on(change: &Change) -> Option<String> {
    all_of_swap(change).filter(|_| change.value == Value::from("on"))
}

#[test]
fn a_setting_that_is_missing_stops_a_study_before_anything_runs() {
    let error = planned(TWO, all_of_swap).unwrap_err();
    assert!(!error.is_invalid(), "{error}");
    assert!(error.to_string().contains("there is none"), "{error}");
    assert!(error.help().unwrap().contains("headroom settings"), "{error}");
}

#[test]
fn it_is_left_out_where_what_is_impossible_may_be_skipped() {
    let skipping = format!("impossible = 'skip'\n{TWO}");
    let plan = planned(&skipping, all_of_swap).unwrap();
    let settings = |plan: &FeasiblePlan| -> Vec<Vec<String>> {
        let keys = |changes: &[Change]| changes.iter().map(|c| format!("{}={}", c.key(), c.value)).collect();
        plan.plan.cases.iter().map(|case| keys(&case.settings)).collect()
    };
    assert_eq!(settings(&plan), [["dirty-bytes=67108864"], ["dirty-bytes=134217728"]]);
    assert_eq!(plan.left_out.len(), 1, "it is said once");
    assert!(plan.plan.cases.iter().all(|case| !case.label.to_string().contains("swap")));

    // One level of it alone.
    let plan = planned(&skipping, swap_on).unwrap();
    assert_eq!(
        settings(&plan),
        [["dirty-bytes=67108864", "swap=off"], ["dirty-bytes=134217728", "swap=off"]]
    );
    assert_eq!(plan.left_out.len(), 2);
}
