//! A rate that rises within each block until the load breaks.

use model::trial::Status;
use model::{ParameterName, Value};

use super::pretending::{Pretender, execute, planned, study};

/// A target that does 210 operations a second at most.
fn limited() -> Pretender {
    Pretender {
        waits: true,
        gives: Some(|load, _| load.parameters.number(ParameterName::new("rate")).unwrap().min(210.0)),
        ..Pretender::default()
    }
}

#[test]
fn each_block_rises_until_the_load_breaks_and_leaves_out_the_rest() {
    let ramp = study("null", &[("rate", "100..800"), ("queue-depth", "1"), ("trials", "2"), ("ramp", "yes")]);
    let mut agent = limited();
    let (run, store) = execute(&ramp, &mut agent, None);
    assert_eq!((agent.trials, store.trials.len()), (6, 8), "the highest rate is not measured");
    let mut rates: Vec<f64> = Vec::new();
    for (case, trial) in &store.trials {
        let rate = run.cases[*case].loads.main.profile.concurrency.rate_per_s.unwrap();
        let status = if rate > 400.0 { Status::Skipped } else { Status::Ok };
        assert_eq!(trial.status, status, "{rate}");
        rates.push(rate);
    }
    assert_eq!(rates, [100.0, 200.0, 400.0, 800.0, 100.0, 200.0, 400.0, 800.0]);
    let found = run.findings.iter().find(|finding| finding.code == "ramp").unwrap();
    assert_eq!(
        (found.args["rate"].clone(), found.args["held"].clone()),
        (Value::from(400.0), Value::from(200.0))
    );
    assert_eq!(found.args["bound"], Value::from("rate"));
}

#[test]
fn a_ramp_over_anything_but_rates_is_refused() {
    for options in [
        &[("rate", "100"), ("ramp", "yes")][..],
        &[("ramp", "yes")],
        &[("rate", "100..800"), ("queue-depth", "1,8"), ("ramp", "1ms@99%")],
    ] {
        let error = planned(&study("null", options), &mut Pretender::default()).unwrap_err();
        assert!(error.is_invalid() && error.to_string().contains("over the levels of `rate`"), "{error}");
    }
}
