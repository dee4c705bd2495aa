//! Rounds of a load that never became steady.

use model::run::CaseResult;
use model::{Finding, Severity, Value};

use super::finding;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "never-steady",
    doc: "The rounds before the trials never became steady, as SNIA's specification asks: of the last five the range within \
         20 % of their mean and the fitted line within 10 %.",
    english: r#"
finding-never-steady =
    { $how ->
        [failed] not brought to a steady state: round { $next } failed: { $reason }
        [unsteady] not steady after { $rounds } rounds: the last { $window } are within { PERCENT($range) } of their mean
            (20 % allowed) and move by { PERCENT($slope) } (10 % allowed)
       *[few] { $rounds } rounds are too few to tell a steady state, which takes { $window }
    }
    .advice = longer rounds, or more of them, may settle; until then quote the figure with its rounds
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let rounds = case.rounds.as_ref().filter(|r| !r.steady)?;
    let count = rounds.values.len() as u64;
    let mut args = vec![("rounds", count.into()), ("window", (rounds.window as u64).into())];
    let how = match (&rounds.failed, rounds.range.zip(rounds.slope)) {
        (Some(reason), _) => {
            args.push(("reason", reason.as_str().into()));
            "failed"
        }
        (None, Some((range, slope))) => {
            args.extend([("range", Value::Number(range)), ("slope", Value::Number(slope.abs()))]);
            "unsteady"
        }
        (None, None) => "few",
    };
    args.extend([("how", how.into()), ("next", (count + 1).into())]);
    Some(finding(RULE.code, Severity::Warning, &args, context.headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Unit;
    use model::metric;
    use model::run::Rounds;
    use model::study::Controls;

    fn hows(change: impl Fn(&mut Rounds)) -> Vec<String> {
        let mut rounds = Rounds {
            metric: metric::IOPS,
            unit: Unit::PerSecond,
            values: vec![5.0, 4.0, 3.0, 2.0, 1.0],
            failed: None,
            round_s: 60.0,
            window: 5,
            steady: false,
            range: Some(1.33),
            slope: Some(-1.33),
            most: 25,
            written: (0, 0),
        };
        change(&mut rounds);
        let mut case = fixture::case(1);
        case.rounds = Some(rounds);
        let controls = Controls::default();
        let found = fixture::found(&RULE, &case, &fixture::context(&controls));
        found.iter().map(|f| f.args["how"].to_string()).collect()
    }

    #[test]
    fn only_rounds_that_did_not_settle_are_named() {
        assert_eq!(hows(|_| {}), ["unsteady"]);
        assert_eq!(hows(|r| r.steady = true), Vec::<String>::new());
        assert_eq!(hows(|r| r.failed = Some("no space left".to_owned())), ["failed"]);
        let few = |r: &mut Rounds| {
            r.values.truncate(3);
            (r.range, r.slope) = (None, None);
        };
        assert_eq!(hows(few), ["few"]);
        assert_eq!(fixture::count(&RULE, &fixture::case(1), &Controls::default()), 0);
    }
}
