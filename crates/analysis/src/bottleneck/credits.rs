//! CPU credits that are used up. A burstable machine earns credits all the time and spends them
//! while it computes ("Burstable performance instances" of Amazon's EC2 user guide: a credit is a
//! minute of one CPU). When none are left the hypervisor lets it have its base rate only, and a
//! guest sees the rest as stolen (`steal` in proc_stat(5)).
//!
//! A neighbour that begins to compute is stolen time too. What tells them apart is a step: the
//! CPU time that was had falls from one level to another at once, the stolen time rises by as much, both
//! stay there, and the lower one is as even as a clock makes it. What was saved up follows as for
//! any bucket ([`stats::bucket`]).

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::Series;
use model::{Resource, SeriesName, Severity, Trial, series};
use stats::bucket::{Bounded, Fall};

use super::{Verdict, finding};
use crate::measure;

/// The stolen time must rise by this share of what was lost at least, and by no more than its
/// inverse.
const AS_MUCH: f64 = 0.7;
/// Before the fall at most so much of what was wanted was stolen, as of `cpu-stolen`.
const UNFELT: f64 = 0.05;
/// Means of five intervals of the lower level differ by no more: a tick of 10 ms in 100 ms of a CPU is
/// 10 %, of five times as much 2 %.
const EVEN: f64 = 0.05;

/// Where CPUs spend time for somebody.
const HAD: [SeriesName; 5] = [series::USER, series::NICE, series::SYSTEM, series::IRQ, series::SOFTIRQ];

pub(super) const ENGLISH: &str = r#"
finding-credits-used-up =
    the CPU credits of this machine were used up after { SHORT($after_s, unit: "s") }: until then it had
    { FIXED($burst, decimals: 1) } CPUs, from then on { FIXED($base, decimals: 1) }; about { SHORT($fill, unit: "s") } of CPU
    time ({ SHORT($fill_low, unit: "s") } to { SHORT($fill_high, unit: "s") }) had been saved up, and
    { SHORT($refill_s, unit: "s") } without work bring as much back
    .advice =
        what lasts is the lower rate: quote that one, or use a machine that has its CPUs to itself or credits without
        limit

evidence-credits-steal =
    { FIXED($before, decimals: 1) } CPUs were stolen before, { FIXED($behind, decimals: 1) } after; in { $trials } of { $of }
    trials
"#;

/// A trial in which credits ended.
struct Fell {
    fall: Fall,
    /// CPUs that were stolen before and behind.
    stolen: [f64; 2],
    order: u32,
}

pub(super) fn examine(case: &CaseResult) -> Verdict {
    let mut fell: Vec<Fell> = measure::good(case).filter_map(of_trial).collect();
    fell.sort_by_key(|fell| fell.order);
    let Some(first) = fell.first().filter(|first| stays(case, first)) else { return Verdict::Elsewhere };
    let fill = first.fall.fill(0.0);
    let place = Place::Series { resource: Resource::CPUS, name: series::STEAL };
    let evidence = Evidence::at("credits-steal", place)
        .arg("before", first.stolen[0])
        .arg("behind", first.stolen[1])
        .arg("trials", fell.len() as u64)
        .arg("of", measure::good(case).count() as u64);
    let mut found = finding("credits-used-up", Severity::Warning).on(Resource::CPUS);
    let figures = [
        ("fill", fill),
        ("after_s", first.fall.burst_s),
        ("refill_s", first.fall.refill_s(fill)),
        ("burst", first.fall.burst),
        ("base", first.fall.base),
    ];
    for (name, Bounded { value, low, high }) in figures {
        found = found.arg(name, value).arg(&format!("{name}_low"), low).arg(&format!("{name}_high"), high);
    }
    Verdict::Full(Box::new(found.because(evidence)))
}

/// Where a trial's CPU time fell and as much more was stolen.
fn of_trial(trial: &Trial) -> Option<Fell> {
    let (had, stolen, interval_s) = course(trial)?;
    let fall = stats::bucket::fall(&had, interval_s)?;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let [before, behind] = [mean(&stolen[..fall.at]), mean(&stolen[fall.at + 1..])];
    let (lost, more) = (fall.burst.value - fall.base.value, behind - before);
    let is_as_much = more >= AS_MUCH * lost && more * AS_MUCH <= lost;
    let is_felt = before <= UNFELT * (fall.burst.value + before);
    let is_even = fall.base_spread.of_five <= EVEN;
    (is_as_much && is_felt && is_even).then_some(Fell { fall, stolen: [before, behind], order: trial.order })
}

/// The CPUs that were had and those that were stolen, from when the load began until the window
/// closed, and the length of an interval.
fn course(trial: &Trial) -> Option<(Vec<f64>, Vec<f64>, f64)> {
    let all = &trial.result.local().series;
    let of = |name: SeriesName| all.iter().find(|s| s.resource == Resource::CPUS && s.name == name);
    let steal = of(series::STEAL)?;
    let window = trial.result.window?;
    let start_ns = trial.result.main().series.iter().map(|s| s.start_ns).min().unwrap_or(window.start_ns);
    // What was interrupted is on another grid, and nothing is known.
    let is_same = |s: &&Series| {
        (s.start_ns, s.interval_ns, s.values.len()) == (steal.start_ns, steal.interval_ns, steal.values.len())
    };
    let parts: Vec<&Series> = HAD.into_iter().filter_map(of).collect();
    if parts.is_empty() || !parts.iter().all(is_same) || steal.interval_ns == 0 {
        return None;
    }
    let place = |at: u64| usize::try_from(at.saturating_sub(steal.start_ns).div_ceil(steal.interval_ns)).ok();
    let last = place(window.end_ns)?.min(steal.values.len());
    let inside = place(start_ns)?.min(last)..last;
    let had = inside.clone().map(|at| parts.iter().map(|s| s.values[at]).sum()).collect();
    Some((had, steal.values[inside].to_vec(), steal.interval_ns as f64 / 1e9))
}

/// Whether no later trial had as much as before.
fn stays(case: &CaseResult, first: &Fell) -> bool {
    let middle = f64::midpoint(first.fall.burst.value, first.fall.base.value);
    let is_low = |trial: &Trial| {
        let had = course(trial).map(|(had, ..)| had).unwrap_or_default();
        of_trial(trial).is_some() || stats::interval::median(&had).is_some_and(|had| had < middle)
    };
    measure::good(case).filter(|trial| trial.order > first.order).all(is_low)
}

#[cfg(test)]
mod tests {
    use model::Unit;
    use model::trial::Window;

    use super::super::tests::verdict;
    use super::*;
    use crate::validity::fixture;

    const NS: u64 = 1_000_000_000;

    /// Trials of primes on two CPUs: what was had and what was stolen in each tenth of a second.
    fn case(trials: &[Vec<(f64, f64)>]) -> CaseResult {
        let mut case = fixture::case(trials.len() as u32);
        fixture::workload(&mut case, "cpu.primes");
        fixture::set(&mut case, "threads", 2u64);
        let estimate = fixture::estimate(1000.0, Unit::PerSecond, model::Better::Higher);
        case.loads.main.estimates.insert(model::metric::EVENTS_PER_SECOND, estimate);
        for (trial, values) in case.trials.iter_mut().zip(trials) {
            let end_ns = NS + values.len() as u64 * NS / 10;
            trial.result.window = Some(Window { start_ns: NS, end_ns });
            let mut of = |name, values: Vec<f64>| {
                let (resource, unit) = (Resource::CPUS, Unit::One);
                let one = Series { resource, name, unit, start_ns: NS, interval_ns: NS / 10, values };
                trial.result.local_mut().series.push(one);
            };
            of(series::USER, values.iter().map(|(had, _)| *had).collect());
            of(series::STEAL, values.iter().map(|(_, stolen)| *stolen).collect());
        }
        case
    }

    /// So many tenths of a second with both CPUs, then with what is left.
    fn falling(fast: usize, slow: usize, left: (f64, f64)) -> Vec<(f64, f64)> {
        [vec![(1.98, 0.01); fast], vec![left; slow]].concat()
    }

    #[test]
    fn credits_that_end_are_read_off_with_what_was_saved_up() {
        let low = vec![(0.4, 1.6); 60];
        let found = verdict(&[case(&[falling(100, 60, (0.4, 1.6)), low.clone(), low])]);
        assert_eq!(found.code, "credits-used-up");
        // 1.58 CPUs more than the base, for 10 s.
        let figure = |name: &str| found.args[name].number().unwrap();
        assert!((figure("fill") - 15.8).abs() < 0.1 && (figure("refill_s") - 39.5).abs() < 0.5, "{found:?}");
        assert!(found.text.contains("until then it had 2.0 CPUs, from then on 0.4"), "{}", found.text);
    }

    #[test]
    fn a_neighbour_and_a_load_that_asks_for_less_are_no_credits() {
        let named = |trials: &[Vec<(f64, f64)>]| verdict(&[case(trials)]).code;
        // It computes less by itself.
        assert_ne!(named(&[falling(100, 60, (0.4, 0.01))]), "credits-used-up");
        // Stolen, and given back.
        let neighbour = [falling(40, 40, (1.0, 1.0)), falling(60, 0, (0.0, 0.0))].concat();
        assert_ne!(named(&[neighbour]), "credits-used-up");
        // By fits and starts.
        let uneven = (0..60).map(|i| if i / 8 % 2 == 0 { (0.3, 1.7) } else { (0.8, 1.2) });
        let uneven: Vec<(f64, f64)> = falling(100, 0, (0.0, 0.0)).into_iter().chain(uneven).collect();
        assert_ne!(named(&[uneven]), "credits-used-up");
        // The next trial has all of it again.
        assert_ne!(named(&[falling(100, 60, (0.4, 1.6)), falling(100, 0, (0.0, 0.0))]), "credits-used-up");
    }
}
