//! Whether a number may be trusted: one file a rule.

pub(crate) mod buffered;
pub(crate) mod failed;
pub(crate) mod late;
pub(crate) mod memory_backed;
pub(crate) mod placement;
pub(crate) mod precision;
pub(crate) mod settling;
pub(crate) mod sparse;
pub(crate) mod stalled;

use std::collections::BTreeMap;

use model::finding::Evidence;
use model::{Finding, FindingKind, Severity, Value};

/// A validity finding with one piece of evidence.
fn finding(
    code: &str,
    severity: Severity,
    args: &[(&str, Value)],
    metric: Option<&str>,
    text: String,
) -> Finding {
    let args: BTreeMap<String, Value> = args.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let metric = metric.map(str::to_owned);
    let evidence = Evidence { code: code.to_owned(), args: args.clone(), metric, ..Evidence::default() };
    Finding { args, ..Finding::new(FindingKind::Validity, code, severity, text) }.because(evidence)
}

/// A share as a person reads it.
fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

#[cfg(test)]
pub(crate) mod fixture {
    //! A case to find something in.

    use model::run::CaseResult;
    use model::study::Controls;
    use model::trial::{Status, Trial, TrialResult};

    use crate::{Context, Rule};

    /// A case with `n` good trials.
    pub(crate) fn case(n: u32) -> CaseResult {
        let trial = |order| Trial {
            order,
            block: order,
            started: String::new(),
            status: Status::Ok,
            reason: None,
            result: TrialResult::default(),
        };
        CaseResult {
            workload: "disk".to_owned(),
            definition_version: 1,
            work_id: String::new(),
            label: "disk".to_owned(),
            parameters: model::Parameters::default(),
            with: vec![],
            block: 0,
            path: vec![],
            trials: (0..n).map(trial).collect(),
            estimates: std::collections::BTreeMap::new(),
            utilization: vec![],
            findings: vec![],
        }
    }

    /// How many findings `rule` has in `case`.
    pub(crate) fn count(rule: &dyn Rule, case: &CaseResult, controls: &Controls) -> usize {
        let found = rule.check(case, &Context { controls, headline: Some("iops") });
        assert!(found.iter().all(|f| f.code == rule.code() && !f.text.is_empty()));
        found.len()
    }
}
