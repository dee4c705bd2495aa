//! The hypervisor gave our CPUs to somebody else.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, Status, Trial, Unit, Value};

use crate::{Context, Rule, RuleCheck, measure};

/// Steal below this share of CPU time is within the noise of any guest.
pub(crate) const FELT: f64 = 0.02;

/// And of one trial by itself: a few ticks of a short window are more than the above.
const FELT_IN_ONE: f64 = 0.05;

/// Trials in which so many times as much was stolen as in any other are of another time.
const TIMES: f64 = 2.0;

pub(crate) const RULE: Rule = Rule {
    code: "cpu-stolen",
    doc: "The hypervisor gave our CPUs to somebody else: at least 2 % of the CPU time that was wanted, in the median over trials; or \
          at least 5 % in some trials, twice as much as in any other, where these gave less: then it says in which.",
    english: r#"
finding-cpu-stolen =
    { $some ->
        [yes] in { stolen-trials } the hypervisor gave others { PERCENT($steal_share) } of the CPU time that this machine wanted, and
            in the others at most { PERCENT($others) }: { $differs ->
                [yes] these gave { PERCENT($ratio) } of what the others gave, and the interval is of both
               *[no] the figures of these may differ
            }
       *[no] the hypervisor gave others { PERCENT($steal_share) } of the CPU time that this machine wanted: the figures may differ
            at another time
    }
    .advice = measure again at another time, or on a machine with CPUs of its own

stolen-trials =
    { $count ->
        [1] trial { $trials } of { $of }
       *[other] trials { $trials } of { $of }
    }

evidence-steal = { PERCENT($share) } stolen
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let place = measure::place(case, &Resource::CPUS, "steal")?;
    let found = |share: f64| {
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::CPUS)
            .arg("steal_share", share)
            .because(Evidence::at("steal", place).arg("share", share))
    };
    if let Some(uneven) = StolenTrials::of(case, context) {
        return Some(uneven.told(found(uneven.share)).arg("some", true));
    }
    share_of(case).filter(|share| *share >= FELT).map(|share| found(share).arg("some", false))
}

/// The trials in which far more was stolen than in the others.
pub(crate) struct StolenTrials {
    /// Their places among all trials of the case, from 1 on.
    pub(crate) numbers: Vec<usize>,
    /// How many trials there are.
    pub(crate) of: usize,
    /// What was stolen in them, of what the CPUs were wanted: the median.
    pub(crate) share: f64,
    /// The most that was stolen in another.
    pub(crate) others: f64,
    /// What they gave, as a share of what the others gave, where that is known.
    pub(crate) ratio: Option<f64>,
}

/// What differs by less than this in a trial is no matter.
const DIFFERS: f64 = 0.05;

impl StolenTrials {
    /// None where all trials are much alike, and where those of which more was stolen gave no less than the others.
    pub(crate) fn of(case: &CaseResult, context: &Context<'_>) -> Option<Self> {
        let good = case.trials.iter().enumerate().filter(|(_, trial)| trial.status == Status::Ok);
        let all: Vec<(usize, &Trial, f64)> =
            good.map(|(place, trial)| (place + 1, trial, share(trial).unwrap_or(0.0))).collect();
        let (stolen, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(.., share)| *share >= FELT_IN_ONE);
        let shares =
            |all: &[(usize, &Trial, f64)]| all.iter().map(|(.., share)| *share).collect::<Vec<f64>>();
        let least = shares(&stolen).into_iter().reduce(f64::min)?;
        let most = shares(&others).into_iter().reduce(f64::max).filter(|most| least >= TIMES * most)?;
        let rate = |all: &[(usize, &Trial, f64)]| {
            let metric = context.headline?;
            let rates: Vec<f64> =
                all.iter().filter_map(|(_, trial, _)| measure::measured(trial, metric)).collect();
            stats::interval::median(&rates).filter(|rate| *rate > 0.0)
        };
        let ratio = rate(&stolen).zip(rate(&others)).map(|(slow, usual)| slow / usual);
        // Of times, more is less.
        let is_time =
            context.headline_estimate(case).is_some_and(|(_, estimate)| estimate.unit == Unit::Seconds);
        let is_less = |ratio: f64| if is_time { ratio >= 1.0 + DIFFERS } else { ratio <= 1.0 - DIFFERS };
        if ratio.is_some_and(|ratio| !is_less(ratio)) {
            return None;
        }
        Some(Self {
            numbers: stolen.iter().map(|(number, ..)| *number).collect(),
            of: case.trials.len(),
            share: stats::interval::median(&shares(&stolen))?,
            others: most,
            ratio,
        })
    }

    /// A finding that says which they are.
    pub(crate) fn told(&self, finding: Finding) -> Finding {
        let args = self.args();
        args.into_iter().fold(finding, |finding, (name, value)| finding.arg(name, value))
    }

    /// What says which they are.
    pub(crate) fn args(&self) -> [(&'static str, Value); 6] {
        let numbers: Vec<Value> = self.numbers.iter().map(|number| Value::Integer(*number as u64)).collect();
        [
            ("trials", Value::List(numbers)),
            ("count", (self.numbers.len() as u64).into()),
            ("of", (self.of as u64).into()),
            ("others", self.others.into()),
            ("differs", self.ratio.is_some().into()),
            ("ratio", self.ratio.unwrap_or_default().into()),
        ]
    }
}

/// The share that was stolen, the median over trials.
pub(crate) fn share_of(case: &CaseResult) -> Option<f64> {
    measure::median(case, share)
}

/// Stolen time as a share of the time that the CPUs were wanted.
fn share(trial: &Trial) -> Option<f64> {
    let of = |name: &str| measure::rate(trial, &Resource::CPUS, name);
    let steal = of("steal")?;
    let busy: f64 = ["user", "nice", "system", "irq", "softirq"].iter().filter_map(|n| of(n)).sum();
    // A stray tick on an idle machine is no share of anything.
    (busy + steal > 0.05).then_some(steal / (busy + steal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::{Quantity, metric};

    /// What is said of trials of which so many ticks were stolen beside 100, and that did so much each.
    fn told(trials: &[(u64, f64)]) -> Option<String> {
        let mut case = fixture::case(u32::try_from(trials.len()).unwrap());
        for (trial, (steal, rate)) in case.trials.iter_mut().zip(trials) {
            trial.result.local_mut().counters = vec![
                fixture::counter("cpu", "/proc/stat user", 0.01, 100),
                fixture::counter("cpu", "/proc/stat steal", 0.01, *steal),
            ];
            let rate = Quantity { value: *rate, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
        }
        fixture::found(&RULE, &case, &fixture::context(&Controls::default()))
            .into_iter()
            .map(|f| f.text)
            .next()
    }

    #[test]
    fn only_steal_that_is_felt_is_named() {
        let of = |steal: u64| told(&[(steal, 100.0)]);
        assert_eq!((of(0), of(1)), (None, None));
        assert!(of(10).is_some_and(|text| text.starts_with("the hypervisor gave others 9 %")));
    }

    /// Bug: what the hypervisor took in one trial of five the median hid, and nobody knew why that trial was slow.
    #[test]
    fn steal_in_some_trials_is_named_with_these() {
        let text = told(&[(0, 100.0), (67, 60.0), (0, 101.0), (1, 99.0), (40, 71.0)]).unwrap();
        let expected = "in trials 2, 5 of 5 the hypervisor gave others 34 % of the CPU time that this machine wanted, and in the \
                        others at most 1 %: these gave 66 % of what the others gave";
        assert!(text.starts_with(expected), "{text}");
        let one = |rate: f64| told(&[(0, 100.0), (0, 100.0), (10, rate)]);
        assert!(one(90.0).is_some_and(|text| text.starts_with("in trial 3 of 3")));
        assert_eq!((one(99.0), one(130.0)), (None, None), "it gave as much as the others, or more");
        let all = told(&[(20, 100.0), (25, 100.0), (30, 100.0)]).unwrap();
        assert!(all.starts_with("the hypervisor gave others 20 %"), "all are alike: {all}");
        assert_eq!(told(&[(0, 100.0), (4, 100.0), (0, 100.0)]), None, "a few ticks");
        assert!(
            told(&[(4, 100.0), (6, 100.0), (4, 100.0)])
                .is_some_and(|text| text.starts_with("the hypervisor"))
        );
    }
}
