//! What a database acknowledged and did not have any more when its process had been killed. That it kept all is told,
//! too, with what that does not show.

use model::run::CaseResult;
use model::{Finding, Severity, metric};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "acknowledged-but-lost",
    doc: "Commits that a database acknowledged and that were not there after a kill of its process (SIGKILL): it tells clients \
          that they are done before they are out of its own memory. That none is lost is told, too. A power cut takes what is in the \
          page cache of the kernel as well, which no kill of a process shows.",
    english: r#"
finding-acknowledged-but-lost =
    { $how ->
        [lost] { $lost } of { $acknowledged } commits were acknowledged, and gone after a kill of the process ({ PERCENT($share, decimals: 1) });
            a power cut may take more
       *[kept] none of { $acknowledged } commits that were acknowledged was lost by a kill of the process; a power cut is not shown by
            this, which also takes what only the kernel has
    }
    .advice =
        { $how ->
            [lost] have the database wait for its log at each commit: innodb_flush_log_at_trx_commit=1, synchronous_commit=on, or a
                journal-mode of SQLite that can be rolled back
           *[kept] {""}
        }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let sum =
        |name| measure::good(case).filter_map(|trial| measure::measured(trial, name)).reduce(|a, b| a + b);
    let (acknowledged, lost) = (sum(metric::ACKNOWLEDGED_COMMITS)?, sum(metric::LOST_COMMITS)?);
    if acknowledged <= 0.0 {
        return None;
    }
    let (severity, how) = if lost > 0.0 { (Severity::Warning, "lost") } else { (Severity::Note, "kept") };
    // They are counts.
    let whole = |count: f64| count.round() as u64;
    let args = [
        ("how", how.into()),
        ("acknowledged", whole(acknowledged).into()),
        ("lost", whole(lost).into()),
        ("share", (lost / acknowledged).into()),
    ];
    Some(finding(RULE.code, severity, &args, Some(metric::LOST_COMMITS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Unit;
    use model::study::Controls;
    use model::unit::Quantity;

    fn said(lost: &[f64]) -> Vec<(Severity, String)> {
        let mut case = fixture::case(u32::try_from(lost.len()).unwrap());
        for (trial, lost) in case.trials.iter_mut().zip(lost) {
            let metrics = &mut trial.result.main_mut().metrics;
            metrics.insert(metric::LOST_COMMITS, Quantity { value: *lost, unit: Unit::One });
            metrics.insert(metric::ACKNOWLEDGED_COMMITS, Quantity { value: 500.0, unit: Unit::One });
        }
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        found.into_iter().map(|finding| (finding.severity, finding.text)).collect()
    }

    #[test]
    fn a_commit_that_is_lost_is_a_warning_and_none_is_no_proof_against_a_power_cut() {
        let lost = said(&[0.0, 25.0]);
        assert_eq!(lost[0].0, Severity::Warning);
        assert!(lost[0].1.starts_with("25 of 1000 commits were acknowledged, and gone"), "{lost:?}");
        assert!(lost[0].1.contains("2.5 %"), "{lost:?}");
        let kept = said(&[0.0, 0.0]);
        assert_eq!(kept[0].0, Severity::Note);
        assert!(kept[0].1.contains("none of 1000 commits") && kept[0].1.contains("power cut"), "{kept:?}");
        assert!(said(&[]).is_empty());
    }

    #[test]
    fn other_loads_have_no_such_finding() {
        assert_eq!(fixture::count(&RULE, &fixture::case(3), &Controls::default()), 0);
    }
}
