//! Where a load broke whose rate rose within each block of trials: each block is a ramp of its own, and ends with the
//! first trial that breaks.

use std::collections::BTreeMap;

use model::run::{CaseResult, CaseRole};
use model::study::{Ramp, RampLatency};
use model::trial::{Status, Trial};
use model::{Finding, FindingKind, Run, Severity, metric};

use crate::{goal, measure};

/// Below this share of its rate a load broke. The finding `rate-not-kept` comes at 98 % already, but of all trials
/// together; here one decides.
const KEPT: f64 = 0.95;

/// What broke a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RampBreak {
    /// The trial failed.
    Failed,
    /// Operations failed.
    Errors,
    /// The rate was not kept.
    Rate,
    /// Too few operations kept to the latency.
    Latency,
}

impl RampBreak {
    fn code(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Errors => "errors",
            Self::Rate => "rate",
            Self::Latency => "latency",
        }
    }
}

/// What broke the load in a trial of a case, if anything did.
#[must_use]
pub fn ramp_break(ramp: &Ramp, case: &CaseResult, trial: &Trial) -> Option<RampBreak> {
    match trial.status {
        Status::Skipped => None,
        Status::Failed => Some(RampBreak::Failed),
        Status::Ok if goal::has_errors(trial) => Some(RampBreak::Errors),
        Status::Ok if !keeps_rate(case, trial) => Some(RampBreak::Rate),
        Status::Ok => ramp.latency.filter(|bound| !keeps_latency(bound, trial)).map(|_| RampBreak::Latency),
    }
}

/// Whether as many operations were done as were due; where nobody counted them, they are taken to be.
fn keeps_rate(case: &CaseResult, trial: &Trial) -> bool {
    let asked = measure::profile(case).concurrency.rate_per_s;
    let got = measure::rate_of(&trial.result.main().metrics);
    let (Some(asked), Some(got), Some(window)) = (asked, got, trial.result.window) else { return true };
    // Poisson arrivals vary by the square root of their number.
    let arrivals = asked * window.seconds();
    got / asked >= KEPT - 4.0 / arrivals.sqrt()
}

/// Whether operations enough kept to a latency; where none was told, they are taken to have.
fn keeps_latency(bound: &RampLatency, trial: &Trial) -> bool {
    let latency = measure::distribution(&trial.result.main().histograms, metric::LATENCY);
    let Some(latency) = latency.filter(|latency| !latency.is_empty()) else { return true };
    let longest_ns = (bound.latency_s * 1e9).round() as u64;
    let kept: u64 = latency
        .buckets()
        .iter()
        .take_while(|bucket| bucket.low <= longest_ns)
        .map(|bucket| bucket.count)
        .sum();
    kept as f64 >= bound.share * latency.len() as f64
}

/// How far one ramp came.
#[derive(Clone, Copy, Debug, Default)]
struct Ascent {
    /// The highest rate below the break that held, or of all.
    held: Option<f64>,
    /// The rate at which it broke, and by what.
    broke: Option<(f64, RampBreak)>,
}

/// The ramps of a run, one for each block that began at the lowest rate, and broke or came to the highest. Another block
/// was interrupted, or had only those rates that lacked trials.
fn ascents(ramp: &Ramp, run: &Run) -> Vec<Ascent> {
    let asked = || {
        let asked = run.cases.iter().filter(|case| case.role == CaseRole::Asked);
        asked.filter_map(|case| Some((measure::profile(case).concurrency.rate_per_s?, case)))
    };
    let lowest = asked().map(|(rate, _)| rate).reduce(f64::min);
    let highest = asked().map(|(rate, _)| rate).reduce(f64::max);
    let mut blocks: BTreeMap<u32, Vec<(f64, Option<RampBreak>)>> = BTreeMap::new();
    for (rate, case) in asked() {
        for trial in case.trials.iter().filter(|trial| trial.status != Status::Skipped) {
            blocks.entry(trial.block).or_default().push((rate, ramp_break(ramp, case, trial)));
        }
    }
    let ascent = |mut trials: Vec<(f64, Option<RampBreak>)>| {
        trials.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let begins = trials.first().map(|(rate, _)| *rate);
        let ends = trials.last().map(|(rate, _)| *rate);
        let mut ascent = Ascent::default();
        for (rate, broke) in trials {
            if let Some(by) = broke {
                ascent.broke = Some((rate, by));
                break;
            }
            ascent.held = Some(rate);
        }
        let is_whole = begins == lowest && (ascent.broke.is_some() || ends == highest);
        is_whole.then_some(ascent)
    };
    blocks.into_values().filter_map(ascent).collect()
}

/// The code of what this finds, and what it says.
pub(crate) const CODE: (&str, &str) = (
    "ramp",
    "About the whole run: at which rate a load broke that rose within each block (`--ramp`), by what, and which rate \
     below it held. It breaks where a trial fails, operations in it do, less than 95 % of the rate are done, or fewer \
     operations than asked for keep to the latency from the moment they were due.",
);

/// The same in English.
pub(crate) const ENGLISH: &str = r#"
finding-ramp =
    { $how ->
        [held] the load did not break: { SHORT($rate, unit: "1/s") }, the highest rate, held in each ramp
       *[broke] the load broke in { $broke } of { $ramps } ramps; in the middle one of these, at { SHORT($rate, unit: "1/s") }: { finding-ramp.bound }; { $below ->
            [none] no lower rate was tried
           *[some] { SHORT($held, unit: "1/s") } had held
        }
    }
    .bound = { $bound ->
        [failed] the trial failed
        [errors] operations failed
        [rate] less than 95 % of the operations that were due were done
       *[latency] fewer than { PERCENT($share) } of the operations ended within { SHORT($latency, unit: "s") } of the moment they were due
    }
"#;

/// Where the load of a study with a ramp broke.
pub(crate) fn check(run: &Run) -> Option<Finding> {
    let ramp = run.study.controls.ramp.as_ref()?;
    let ascents = ascents(ramp, run);
    let found =
        Finding::new(FindingKind::Validity, CODE.0, Severity::Note).arg("ramps", ascents.len() as u64);
    let mut broken: Vec<(f64, RampBreak, Option<f64>)> =
        ascents.iter().filter_map(|a| a.broke.map(|(rate, by)| (rate, by, a.held))).collect();
    broken.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let Some((rate, by, held)) = broken.get(broken.len().saturating_sub(1) / 2).copied() else {
        let highest = ascents.iter().filter_map(|a| a.held).reduce(f64::max)?;
        return Some(found.arg("how", "held").arg("rate", highest));
    };
    let found = found
        .arg("how", "broke")
        .arg("broke", broken.len() as u64)
        .arg("rate", rate)
        .arg("bound", by.code())
        .arg("below", if held.is_some() { "some" } else { "none" });
    let found = match held {
        Some(held) => found.arg("held", held),
        None => found,
    };
    Some(match (by, ramp.latency) {
        (RampBreak::Latency, Some(bound)) => found.arg("share", bound.share).arg("latency", bound.latency_s),
        _ => found,
    })
}

#[cfg(test)]
mod tests {
    use model::trial::Window;
    use model::{Quantity, Study, Unit, Value};
    use stats::histogram::{encode, new_latency};

    use super::*;
    use crate::validity::fixture;

    const BOUND: RampLatency = RampLatency { latency_s: 0.01, share: 0.99 };

    /// A case at a rate with so many trials, each of which does so much of it; one operation in fifty is slow.
    fn case(rate: f64, done: &[f64], slow_ms: u64) -> CaseResult {
        let mut case = fixture::case(done.len() as u32);
        case.loads.main.profile.concurrency.rate_per_s = Some(rate);
        let mut latency = new_latency();
        for operation in 0..1000 {
            let ms = if operation % 50 == 0 { slow_ms } else { 1 };
            latency.record(ms * 1_000_000).unwrap();
        }
        for (block, (trial, share)) in (0..).zip(case.trials.iter_mut().zip(done)) {
            trial.block = block;
            trial.result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
            let load = trial.result.main_mut();
            load.metrics.insert(metric::IOPS, Quantity { value: rate * share, unit: Unit::PerSecond });
            load.histograms.insert(metric::LATENCY, encode(&latency).unwrap());
        }
        case
    }

    fn run(cases: Vec<CaseResult>, latency: Option<RampLatency>) -> Run {
        let mut study = Study::default();
        study.controls.ramp = Some(Ramp { latency });
        let json = serde_json::json!({
            "schema": model::run::SCHEMA, "id": "a", "started": "", "seed": 1, "machines": [], "cases": [],
            "origin": { "tool": "headroom", "version": "", "command": [] },
            "headroom": { "version": "", "build": "" }, "analysis": { "version": 1 },
            "study": study,
        });
        let run: Run = serde_json::from_value(json).unwrap();
        Run { cases, ..run }
    }

    fn said(cases: Vec<CaseResult>, latency: Option<RampLatency>) -> String {
        let found = check(&run(cases, latency)).unwrap();
        crate::said::written(vec![found]).remove(0).text
    }

    #[test]
    fn the_middle_of_the_ramps_that_broke_is_told_with_what_broke_it_and_what_held() {
        let (low, middle) = (case(1000.0, &[1.0, 1.0, 1.0], 2), case(2000.0, &[1.0, 0.5, 0.5], 2));
        let run = run(vec![case(4000.0, &[0.5], 2), low, middle], None);
        let found = check(&run).unwrap();
        let arg = |name: &str| found.args[name].clone();
        assert_eq!((arg("ramps"), arg("broke")), (Value::from(3_u64), Value::from(3_u64)));
        assert_eq!((arg("rate"), arg("held")), (Value::from(2000.0), Value::from(1000.0)));
        assert_eq!(arg("bound"), Value::from("rate"));
    }

    /// Bug: of a ramp that was interrupted the highest rate that it came to was told as the highest of all, which held.
    #[test]
    fn a_block_that_neither_broke_nor_came_to_the_highest_rate_is_no_ramp() {
        let found = |low: &[f64], high: &[f64]| {
            let found = check(&run(vec![case(1000.0, low, 2), case(2000.0, high, 2)], None))?;
            Some((found.args["ramps"].clone(), found.args["how"].clone()))
        };
        let told = |ramps: u64, how: &str| Some((Value::from(ramps), Value::from(how)));
        assert_eq!(found(&[1.0], &[]), None);
        assert_eq!(found(&[1.0, 1.0], &[1.0]), told(1, "held"));
        assert_eq!(found(&[1.0, 0.5], &[0.5]), told(2, "broke"));
    }

    #[test]
    fn latency_breaks_a_ramp_only_where_it_is_asked_for() {
        let cases = || vec![case(1000.0, &[1.0], 2), case(2000.0, &[1.0], 30)];
        let text = said(cases(), None);
        assert!(text.starts_with("the load did not break"), "{text}");
        let text = said(cases(), Some(BOUND));
        assert!(text.contains("fewer than 99 % of the operations ended within 10"), "{text}");
        let text = said(vec![case(1000.0, &[1.0], 30)], Some(BOUND));
        assert!(text.contains("no lower rate was tried"), "{text}");
    }

    #[test]
    fn what_failed_or_was_left_out_needs_no_figures() {
        let mut case = case(1000.0, &[1.0, 1.0], 1);
        let ramp = Ramp::default();
        assert_eq!(ramp_break(&ramp, &case, &case.trials[0]), None);
        case.trials[0].status = Status::Failed;
        case.trials[1].status = Status::Skipped;
        assert_eq!(ramp_break(&ramp, &case, &case.trials[0]), Some(RampBreak::Failed));
        assert_eq!(ramp_break(&ramp, &case, &case.trials[1]), None);
        let share = Quantity { value: 0.01, unit: Unit::One };
        case.trials[1].status = Status::Ok;
        case.trials[1].result.main_mut().metrics.insert(metric::ERROR_SHARE, share);
        assert_eq!(ramp_break(&ramp, &case, &case.trials[1]), Some(RampBreak::Errors));
    }
}
