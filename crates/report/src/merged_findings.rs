//! Findings that several cases share, each shown once: merged by their codes and
//! arguments, before any sentence is made.

use std::cmp::Reverse;

use model::run::CaseResult;
use model::{Finding, FindingKind, Run};

/// A finding that many cases share.
pub(crate) struct MergedFinding<'a> {
    /// The cases that have it; none where it is about the whole run.
    pub(crate) cases: Vec<&'a CaseResult>,
    /// Each case's own, or the run's.
    pub(crate) findings: Vec<&'a Finding>,
}

/// All findings of a run, the gravest first, alike ones together.
pub(crate) fn merged(run: &Run) -> Vec<MergedFinding<'_>> {
    let of_cases = run.cases.iter().flat_map(|c: &CaseResult| c.findings.iter().map(move |f| (Some(c), f)));
    let mut all: Vec<_> = run.findings.iter().map(|f| (None, f)).chain(of_cases).collect();
    all.sort_by_key(|(_, f)| Reverse(f.severity));
    let mut all_merged: Vec<MergedFinding<'_>> = Vec::new();
    for (case, finding) in all {
        let same = |s: &&mut MergedFinding<'_>| s.findings.first().is_some_and(|f| alike(f, finding));
        match all_merged.iter_mut().find(same) {
            Some(shared) => {
                // A case may have several, such as one for each reason of a failure.
                let is_known = |case: &&CaseResult| shared.cases.iter().any(|c| std::ptr::eq(*c, *case));
                let new = case.filter(|case| !is_known(case));
                shared.cases.extend(new);
                shared.findings.push(finding);
            }
            None => {
                all_merged.push(MergedFinding { cases: case.into_iter().collect(), findings: vec![finding] })
            }
        }
    }
    all_merged
}

/// Whether one sentence does for both: of one code, about the same thing, and only
/// numbers differ.
fn alike(a: &Finding, b: &Finding) -> bool {
    let is_same = (a.kind, a.severity, &a.code, &a.resource) == (b.kind, b.severity, &b.code, &b.resource);
    // A finding without arguments, from another version, keeps its own words.
    let is_told = !a.args.is_empty() || a.text == b.text;
    let shown = |finding: &Finding| -> Vec<_> {
        let missing = finding.evidence.iter().filter(|e| !e.beside);
        missing.map(|e| (e.code.clone(), e.args.clone())).collect()
    };
    is_same
        && is_told
        && language::are_alike(&a.args, &b.args)
        && match a.kind {
            // How much of the same promise was kept.
            FindingKind::Deviation => a.args.get("promised") == b.args.get("promised"),
            // It says of each what is missing.
            FindingKind::Bottleneck if a.code == "cannot-tell" => shown(a) == shown(b),
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use model::finding::{Evidence, Place};
    use model::{MetricName, Severity, Value};

    use super::*;

    /// A run whose cases have these findings.
    fn found(all: &[Vec<Finding>]) -> Run {
        let mut run = crate::tests::run();
        let case = run.cases.remove(0);
        run.cases = all.iter().map(|own| CaseResult { findings: own.clone(), ..case.clone() }).collect();
        run
    }

    /// What is said of how many cases.
    fn said(all: &[Vec<Finding>]) -> Vec<(usize, String)> {
        let words = analysis::words(language::Language::English);
        let one = |s: &MergedFinding<'_>| (s.cases.len(), words.findings(&s.findings).join(" "));
        merged(&found(all)).iter().map(one).collect()
    }

    fn doubt(share: f64) -> Finding {
        Finding::new(FindingKind::Validity, "disturbed-by-others", Severity::Warning)
            .arg("others_cpu", share)
            .arg("end", "near")
            .arg("server", false)
            .arg("who", Value::List(vec![]))
    }

    #[test]
    fn one_doubt_about_several_cases_is_told_once() {
        let text = "other programs used 50 to 60 % of a CPU during the measurement".to_owned();
        assert_eq!(said(&[vec![doubt(0.5)], vec![doubt(0.6)]]), [(2, text)]);
        // Two that cannot be told lack two things.
        let missing = |code: &str| {
            let evidence = Evidence::at(code, Place::Metric(MetricName::new("y"))).worded("of it");
            let finding = Finding::new(FindingKind::Bottleneck, "cannot-tell", Severity::Note);
            vec![finding.arg("missing", 1u64).because(evidence)]
        };
        assert_eq!(said(&[missing("a"), missing("b"), missing("a")]).len(), 2);
        // What only stands beside may differ.
        let seen = |share: f64| {
            let place = Place::Metric(MetricName::new("y"));
            let waited = Evidence { beside: true, ..Evidence::at("waited", place).arg("share", share) };
            let mut all = missing("a");
            all[0].evidence.push(waited.worded("waited"));
            all
        };
        assert_eq!(said(&[seen(0.5), seen(0.6), missing("a")]).len(), 1);
    }

    #[test]
    fn a_promise_is_one_with_the_share_of_it_that_was_kept() {
        let kept = |promised: f64, fraction: f64| {
            let finding = Finding::new(FindingKind::Deviation, "promise", Severity::Note);
            vec![finding.arg("promised", promised).arg("fraction", fraction)]
        };
        assert_eq!(said(&[kept(5e8, 0.97), kept(5e8, 0.99), kept(4e8, 0.99)]).len(), 2);
    }

    #[test]
    fn findings_without_arguments_are_told_in_the_words_of_their_document() {
        let old = |text: &str| vec![Finding::new(FindingKind::Validity, "late", Severity::Note).worded(text)];
        let told = said(&[old("3 % came late"), old("9 % came late"), old("3 % came late")]);
        assert_eq!(told, [(2, "3 % came late".to_owned()), (1, "9 % came late".to_owned())]);
    }

    #[test]
    fn regression_what_was_true_of_one_case_was_said_of_three() {
        let bound = |depth: f64, latency_s: f64| {
            Finding::new(FindingKind::Bottleneck, "latency-bound", Severity::Note)
                .arg("depth", depth)
                .arg("latency_s", latency_s)
                .arg("others", false)
        };
        let syncs = bound(1.0, 70e-6).arg("syncs", true).arg("sync_share", 0.5).arg("sync_s", 1e-3);
        let without = |depth, latency_s| vec![bound(depth, latency_s).arg("syncs", false)];
        let told = said(&[without(1.0, 66.75e-6), vec![syncs], without(4.0, 90e-6)]);
        assert_eq!(told.len(), 2);
        assert_eq!(
            told[0],
            (
                2,
                "latency-bound: 1 to 4 operations in flight, each 66.75 to 90 us; nothing known is full"
                    .to_owned()
            )
        );
        assert!(
            told[1].1.starts_with("latency-bound: 1 operation in flight, each 70 us, and 50 %"),
            "{told:?}"
        );
    }

    #[test]
    fn regression_reasons_of_failures_were_shown_as_one() {
        let failed = |count: u64, reason: &str| {
            Finding::new(FindingKind::Validity, "trials-failed", Severity::Error)
                .arg("count", count)
                .arg("trials", 2u64)
                .arg("how", "failed")
                .arg("reason", reason)
        };
        let first = failed(1, "wrong data at 16994304: 512 bytes");
        let two = vec![first.clone(), failed(1, "wrong data at 29224960: 512 bytes")];
        let told = said(std::slice::from_ref(&two));
        let each = ["16994304", "29224960"]
            .map(|at| (1, format!("1 of 2 trials failed: wrong data at {at}: 512 bytes")));
        assert_eq!(told, each);
        // The same reason is one finding, whatever the number of trials.
        let told = said(&[two, vec![first.arg("count", 2u64)]]);
        let merged = (2, "1 to 2 of 2 trials failed: wrong data at 16994304: 512 bytes".to_owned());
        assert!(told.contains(&merged), "{told:?}");
    }

    #[test]
    fn regression_one_case_with_two_findings_was_counted_as_two_cases() {
        let text = "other programs used 30 to 90 % of a CPU during the measurement".to_owned();
        assert_eq!(said(&[vec![doubt(0.3), doubt(0.9)]]), [(1, text)]);
    }
}
