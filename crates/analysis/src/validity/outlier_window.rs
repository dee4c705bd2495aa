//! What was different in the window of a trial that lies apart, as far as samples tell: what slows a load down or speeds
//! it up from outside, and is not itself made by how fast the load is. What a device or a CPU did for the load differs
//! in any case, and says nothing.

use model::finding::{Evidence, Place};
use model::trial::{Series, Trial};
use model::{Resource, SeriesName, Unit, series};

use crate::measure;

/// What is looked at, with the difference that matters at least, in its unit.
const OUTSIDE: &[(SeriesName, f64)] = &[
    (series::STEAL, 0.05),
    (series::FREQUENCY, 100e6),
    (series::TEMPERATURE, 5.0),
    (series::CORE_THROTTLES, 0.1),
    (series::PACKAGE_THROTTLES, 0.1),
    (series::SWAPPED_IN, 1e6),
    (series::SWAPPED_OUT, 1e6),
    (series::RETRANSMITTED_SEGMENTS, 1.0),
    (series::TCP_TIMEOUTS, 0.1),
    (series::RX_DROP, 1.0),
    (series::TX_DROP, 1.0),
];
/// It must be so many times as far from the median of the others as any of these.
const TIMES: f64 = 3.0;
/// And off by this part of it.
const OFF: f64 = 0.1;
/// CPU seconds a second of another program that are felt more than in the other trials.
const PROGRAM: f64 = 0.1;
/// Differences that are told, at most.
const MOST: usize = 3;

pub(super) const ENGLISH: &str = r#"
evidence-outlier-sampled =
    { $name } of { RESOURCE($resource) } was { SHORT($own, $unit) } in its window, and { SHORT($usual, $unit) } in those of
    the others
evidence-outlier-program =
    { $name } used { FIXED($cpu, decimals: 2) } CPU seconds a second in it, and at most { FIXED($others, decimals: 2) } in the
    others
"#;

/// What was different in trial `at` of these, the greatest difference of each kind first.
pub(super) fn different(trials: &[&Trial], at: usize) -> Vec<Evidence> {
    let Some(own) = trials.get(at) else { return Vec::new() };
    let others: Vec<&Trial> =
        trials.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, trial)| *trial).collect();
    let sampled = OUTSIDE.iter().filter_map(|(name, least)| sampled(own, &others, *name, *least));
    program(own, &others).into_iter().chain(sampled).take(MOST).collect()
}

/// The resource whose mean over the window is furthest from that in the others.
fn sampled(own: &Trial, others: &[&Trial], name: SeriesName, least: f64) -> Option<Evidence> {
    let difference = |series: &Series| {
        let mine = mean(own, series)?;
        let theirs: Option<Vec<f64>> =
            others.iter().map(|trial| mean_of(trial, &series.resource, name)).collect();
        let theirs = theirs?;
        let usual = stats::interval::median(&theirs)?;
        let spread = theirs.iter().map(|value| (value - usual).abs()).fold(0.0, f64::max);
        let off = (mine - usual).abs();
        let differs = off >= least && off >= OFF * usual.abs() && off >= TIMES * spread;
        differs.then(|| (off, series.resource.clone(), series.unit, mine, usual))
    };
    let all = own.result.local().series.iter().filter(|series| series.name == name);
    let furthest = all.filter_map(difference).max_by(|a, b| a.0.total_cmp(&b.0));
    furthest.map(|(_, resource, unit, mine, usual)| told(name, resource, unit, (mine, usual)))
}

fn told(name: SeriesName, resource: Resource, unit: Unit, (own, usual): (f64, f64)) -> Evidence {
    let text = resource.to_string();
    Evidence::at("outlier-sampled", Place::Series { resource, name })
        .arg("name", name.as_str())
        .arg("resource", text.as_str())
        .arg("own", own)
        .arg("usual", usual)
        .arg("unit", unit.symbol())
}

/// The other program that used the CPUs more than in any other trial.
fn program(own: &Trial, others: &[&Trial]) -> Option<Evidence> {
    let used = |trial: &Trial, name: &str| -> f64 {
        let called = programs(trial).filter(|(other, _)| *other == name);
        called.map(|(_, cpu)| cpu).sum()
    };
    let more = |name: &str| {
        let most = others.iter().map(|trial| used(trial, name)).fold(0.0, f64::max);
        (used(own, name), most)
    };
    let felt = programs(own).map(|(name, _)| (name, more(name)));
    let felt = felt.filter(|(_, (cpu, most))| cpu - most >= PROGRAM);
    let (name, (cpu, most)) = felt.max_by(|a, b| (a.1.0 - a.1.1).total_cmp(&(b.1.0 - b.1.1)))?;
    let evidence = Evidence::at("outlier-program", Place::Process(name.to_owned()));
    Some(evidence.arg("name", name).arg("cpu", cpu).arg("others", most))
}

/// Programs that are not ours, with the CPU seconds that they used in each second.
fn programs(trial: &Trial) -> impl Iterator<Item = (&str, f64)> {
    let all = trial.result.local().processes.iter();
    let theirs = all.filter(|process| !process.own && !process.kernel && process.watched_s > 0.0);
    theirs.map(|process| (process.name.as_str(), process.cpu_s / process.watched_s))
}

/// The mean over the window of the series of a resource.
fn mean_of(trial: &Trial, resource: &Resource, name: SeriesName) -> Option<f64> {
    let all = &trial.result.local().series;
    mean(trial, all.iter().find(|series| series.name == name && series.resource == *resource)?)
}

/// The mean of a series over the window.
fn mean(trial: &Trial, series: &Series) -> Option<f64> {
    let inside = measure::within_window(trial, series)?.iter().copied();
    let values: Vec<f64> = inside.filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use model::ResourceKind;
    use model::trial::{ProcessUse, Window};

    use super::*;
    use crate::validity::fixture;

    /// Trials in which so many CPUs were stolen, one after the other.
    fn trials(stolen: &[f64]) -> model::run::CaseResult {
        let mut case = fixture::case(u32::try_from(stolen.len()).unwrap());
        for (trial, stolen) in case.trials.iter_mut().zip(stolen) {
            trial.result.window = Some(Window { start_ns: 100, end_ns: 300 });
            trial.result.local_mut().series.push(Series {
                resource: Resource::CPUS,
                name: series::STEAL,
                unit: Unit::One,
                start_ns: 0,
                interval_ns: 100,
                // What was before the window is not looked at.
                values: vec![9.0, *stolen, *stolen],
            });
        }
        case
    }

    fn codes(case: &model::run::CaseResult, at: usize) -> Vec<String> {
        let all: Vec<&Trial> = case.trials.iter().collect();
        different(&all, at).into_iter().map(|evidence| evidence.code).collect()
    }

    #[test]
    fn what_was_stolen_in_one_window_only_is_told() {
        let case = trials(&[0.01, 0.02, 0.6, 0.01, 0.0]);
        let all: Vec<&Trial> = case.trials.iter().collect();
        let told = different(&all, 2);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].code, "outlier-sampled");
        assert_eq!(told[0].args["own"], 0.6.into());
        let code = crate::validity::outlier::RULE.code;
        let about = model::Finding::new(model::FindingKind::Validity, code, model::Severity::Note);
        let about = about.arg("trial", 3_u64).arg("of", 5_u64).arg("share", 0.4).because_all(told);
        let text = crate::said::written(vec![about]).remove(0).evidence.remove(0).text;
        assert!(text.is_some_and(|text| text.contains("was 0.6 in its window, and 0.01 in")));
        assert!(codes(&case, 1).is_empty(), "it is as the others are");
        assert!(codes(&trials(&[0.5, 0.1, 0.6, 0.3, 0.0]), 2).is_empty(), "the others differ as well");
    }

    #[test]
    fn what_the_load_does_itself_is_no_difference() {
        let mut case = trials(&[0.0; 5]);
        for (at, trial) in case.trials.iter_mut().enumerate() {
            trial.result.local_mut().series.push(Series {
                resource: Resource::of(ResourceKind::Block, "sda"),
                name: series::READ_SECTORS,
                unit: Unit::BytesPerSecond,
                start_ns: 0,
                interval_ns: 100,
                values: vec![if at == 2 { 1e6 } else { 9e8 }; 3],
            });
        }
        assert!(codes(&case, 2).is_empty());
    }

    #[test]
    fn another_program_that_computed_in_one_window_is_named() {
        let mut case = trials(&[0.0; 5]);
        for (at, trial) in case.trials.iter_mut().enumerate() {
            let cpu_s = if at == 3 { 0.9 } else { 0.02 };
            let process = |name: &str, own, cpu_s| ProcessUse {
                pid: 7,
                name: name.to_owned(),
                own,
                kernel: false,
                cpu_s,
                watched_s: 1.0,
            };
            trial.result.local_mut().processes =
                vec![process("headroom", true, 5.0), process("apt", false, cpu_s)];
        }
        assert_eq!(codes(&case, 3), ["outlier-program"]);
        assert!(codes(&case, 0).is_empty());
    }
}
