//! One of several equal disks that is slower than all others: the slowest of an array sets the pace of all. Disks are
//! driven at once as the targets of one case, or each alone in cases that differ in nothing else.

use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, Machine, Severity, Value, metric};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// Fewer others are no range.
const OTHERS: usize = 2;
/// Disks of one kind differ by as much as this share.
const NOISE: f64 = 0.05;

/// The argument that names it.
const TARGET: &str = "target";

pub(crate) const RULE: Rule = Rule {
    code: "slow-target",
    doc: "One of at least three equal disks, driven at once or each alone, is slower in each trial than the slowest trial of \
         all others, by more than these differ among one another and by 5 %. In an array all wait for the slowest.",
    english: r#"
finding-slow-target =
    { $target } moves { SHORT($rate, unit: "B/s") }, and the slowest of the { $others } others
    { SHORT($least, unit: "B/s") }: where all have to keep up, as in an array, it sets the pace
    .advice = look at its errors, its cable and its slot (smartctl -a)
"#,
    check: RuleCheck::One(check),
};

/// Whether this was found of a target.
#[must_use]
pub fn is_slow(case: &CaseResult, target: &str) -> bool {
    let is_it = |finding: &&Finding| finding.code == RULE.code;
    let named = case.findings.iter().find(is_it).and_then(|finding| finding.args.get(TARGET));
    named.is_some_and(|named| named.to_string() == target)
}

/// A target with its rate in each trial.
type Rates = (String, Vec<f64>);

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let (all, own) = match case.loads.main.targets.len() {
        0 | 1 => alone(case, context)?,
        _ => (at_once(case, context.machine)?, None),
    };
    let (slow, least) = slowest(&all)?;
    // Of several cases, the one that is slow.
    if own.is_some_and(|own| own != slow.0) {
        return None;
    }
    let rate = stats::interval::median(&slow.1)?;
    let args = [
        (TARGET, Value::from(slow.0.as_str())),
        ("rate", Value::Number(rate)),
        ("others", Value::Integer((all.len() - 1) as u64)),
        ("least", Value::Number(least)),
    ];
    Some(finding(RULE.code, Severity::Warning, &args, Some(metric::THROUGHPUT)))
}

/// The one that is below the range of the others by more than their range, and the least of these.
fn slowest(all: &[Rates]) -> Option<(&Rates, f64)> {
    let greatest = |rates: &Rates| rates.1.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let slow = all.iter().min_by(|a, b| greatest(a).total_cmp(&greatest(b)))?;
    let others = || all.iter().filter(|one| one.0 != slow.0).flat_map(|one| one.1.iter().copied());
    let (low, high) = (others().reduce(f64::min)?, others().reduce(f64::max)?);
    let noise = (high - low).max(low * NOISE);
    (all.len() > OTHERS && greatest(slow) < low - noise).then_some((slow, low))
}

/// The targets of one case.
fn at_once(case: &CaseResult, machine: Option<&Machine>) -> Option<Vec<Rates>> {
    let targets = &case.loads.main.targets;
    if !are_equal(&[case], targets.len(), machine) {
        return None;
    }
    let of = |name: &str| -> Vec<f64> {
        let own = |trial: &model::Trial| {
            let target = trial.result.main().targets.iter().find(|target| target.target == name)?;
            Some(target.metrics.get(&metric::THROUGHPUT)?.value)
        };
        measure::good(case).filter_map(own).collect()
    };
    let all = targets.iter().map(|target| (target.target.clone(), of(&target.target)));
    Some(all.filter(|(_, rates)| !rates.is_empty()).collect())
}

/// The targets of the cases that do the same to one target each, and that of this case.
fn alone(case: &CaseResult, context: &Context<'_>) -> Option<(Vec<Rates>, Option<String>)> {
    let path = |case: &CaseResult| match measure::profile(case).paths.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let own = path(case)?;
    let members = context.siblings.same_but(case, Aspect::Targets);
    let of_one = members.iter().map(|member| context.siblings.case(member));
    let cases: Vec<&CaseResult> =
        of_one.filter(|case| !case.is_auxiliary() && path(case).is_some()).collect();
    if !are_equal(&cases, cases.len(), context.machine) {
        return None;
    }
    let rates = |case: &&CaseResult| -> Option<Rates> {
        let rates = measure::good(case).filter_map(|trial| measure::measured(trial, metric::THROUGHPUT));
        Some((path(case)?, rates.collect()))
    };
    let all: Vec<Rates> = cases.iter().filter_map(rates).filter(|(_, rates)| !rates.is_empty()).collect();
    Some((all, Some(own)))
}

/// Whether so many targets lie on as many disks, of one model as far as it is known. Files behind loop devices are none.
fn are_equal(cases: &[&CaseResult], targets: usize, machine: Option<&Machine>) -> bool {
    let mut names: Vec<_> =
        cases.iter().flat_map(|case| measure::devices(case)).map(|step| &step.resource).collect();
    names.sort_unstable();
    names.dedup();
    let known: Vec<_> = cases.iter().flat_map(|case| measure::wholes(case, machine)).collect();
    let is_like_first = |disk: &&model::machine::BlockDevice| {
        known.first().is_some_and(|first| {
            (first.kind, &first.model, first.rotational, first.bytes)
                == (disk.kind, &disk.model, disk.rotational, disk.bytes)
        })
    };
    // Partitions of one disk are no equals.
    let mut disks: Vec<&str> = known.iter().map(|disk| disk.name.as_str()).collect();
    disks.sort_unstable();
    disks.dedup();
    targets > OTHERS
        && names.len() == targets
        && names.iter().all(|name| !name.name().starts_with("loop"))
        && disks.len() == known.len()
        && known.iter().all(is_like_first)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::resource::PathStep;
    use model::run::TargetResult;
    use model::study::Controls;
    use model::trial::TargetTrial;
    use model::{Quantity, Resource, ResourceKind, Unit};

    use super::*;
    use crate::Siblings;
    use crate::validity::fixture;

    fn path(name: &str) -> PathStep {
        PathStep { resource: Resource::of(ResourceKind::Block, name), amplification: 1.0 }
    }

    /// Disks driven at once, each with its rates of three trials.
    fn case(disks: &[(&str, [f64; 3])]) -> CaseResult {
        let mut case = fixture::disk_case("read", 1.0, 1.0);
        case.path = disks
            .iter()
            .map(|(name, _)| PathStep { amplification: 1.0 / disks.len() as f64, ..path(name) })
            .collect();
        let result = |(name, _): &(&str, [f64; 3])| TargetResult {
            target: format!("/dev/{name}"),
            estimates: BTreeMap::new(),
        };
        case.loads.main.targets = disks.iter().map(result).collect();
        for (place, trial) in case.trials.iter_mut().enumerate() {
            let target = |(name, rates): &(&str, [f64; 3])| {
                let rate = Quantity { value: rates[place] * 1e6, unit: Unit::BytesPerSecond };
                let metrics = BTreeMap::from([(metric::THROUGHPUT, rate)]);
                TargetTrial { target: format!("/dev/{name}"), metrics, ..TargetTrial::default() }
            };
            trial.result.main_mut().targets = disks.iter().map(target).collect();
        }
        case
    }

    fn texts(case: &CaseResult) -> Vec<String> {
        let controls = Controls::default();
        fixture::found(&RULE, case, &fixture::context(&controls)).into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn a_disk_below_the_range_of_its_equals_is_named() {
        let equal = [("sdb", [206.0, 204.0, 205.0]), ("sdc", [203.0, 201.0, 202.0])];
        let with = |rates: [f64; 3]| case(&[&equal[..], &[("sdd", rates)]].concat());
        let found = texts(&with([150.0, 151.0, 149.0]));
        assert!(
            found[0].starts_with("/dev/sdd moves 150 MB/s, and the slowest of the 2 others 201 MB/s"),
            "{found:?}"
        );
        let files = case(&[("loop0", [206.0; 3]), ("loop1", [201.0; 3]), ("loop2", [150.0; 3])]);
        assert!(texts(&files).is_empty(), "files have no cable");
        assert!(texts(&with([195.0, 196.0, 197.0])).is_empty(), "that much equal disks differ");
        assert!(texts(&with([150.0, 151.0, 202.0])).is_empty(), "it was as fast once");
        assert!(texts(&with([300.0, 300.0, 300.0])).is_empty(), "one that is faster is not slow");
        assert!(
            texts(&case(&[equal[0], ("sdd", [100.0; 3])])).is_empty(),
            "of two nobody knows which is usual"
        );
    }

    #[test]
    fn disks_that_were_driven_alone_are_held_against_one_another() {
        let one = |name: &str, rate: f64| {
            let mut case = fixture::disk_case("read", rate, rate);
            let target = format!("/dev/{name}");
            fixture::set(&mut case, "target", target.as_str());
            case.loads.main.profile.paths = vec![target];
            case.loads.main.profile.aspects.insert(model::ParameterName::new("target"), Aspect::Targets);
            case.path = vec![path(name)];
            case
        };
        let cases = [one("sdb", 205e6), one("sdc", 201e6), one("sdd", 120e6)];
        let siblings = Siblings::of(&cases);
        let controls = Controls::default();
        let context = Context { siblings: &siblings, ..fixture::context(&controls) };
        let found = |case| fixture::found(&RULE, case, &context).len();
        assert_eq!([found(&cases[0]), found(&cases[1]), found(&cases[2])], [0, 0, 1]);
    }
}
