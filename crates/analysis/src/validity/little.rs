//! Little's law: the mean number of operations under way is their rate times
//! their mean duration (Little, "A proof for the queuing formula L = lambda W",
//! Operations Research 9, 1961). More than were ever started at once is
//! impossible; far less than the depth says that the load was not ready. It is
//! held against the whole load and each of its targets, and where operations are
//! told apart, by kind or by stage, the parts must make the whole.

use model::finding::{Evidence, Place};
use model::profile::{Aspect, OperationClass};
use model::run::CaseResult;
use model::trial::{TargetTrial, Trial};
use model::{Finding, FindingKind, MetricName, Quantity, Severity, metric};
use std::collections::BTreeMap;

use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// How far beyond the depth the product may be: the rate counts operations
/// partly in the window, the histogram those that end in it.
const BEYOND: f64 = 0.05;
/// How far below: a worker starts its operations one after the other, and
/// hands over an interval's record now and then.
const BELOW: f64 = 0.25;
/// Operations as short as this are mostly what the worker does beside them.
const SHORT_S: f64 = 10e-6;
/// So few operations, for each one under way, and the edges decide.
const FEW: f64 = 20.0;
/// How far the parts may be from the whole: each histogram rounds by itself.
const PARTS: f64 = 0.10;
/// A target that ends before this share of the last one's time leaves the rest
/// of the depth unused.
const TOGETHER: f64 = 0.95;

pub(crate) const RULE: Rule = Rule {
    code: "littles-law-broken",
    doc: "Little's law: the mean number of operations under way is their rate times their mean duration. More than were \
         ever started at once is impossible. In an open loop the duration is the service time; of several targets each \
         is looked at; reads, writes and trims must make all operations, submission and device the whole duration.",
    english: r#"
finding-littles-law-broken =
    { $named ->
        [yes] { $target }:{" "}
       *[no] {""}
    }{ $how ->
        [impossible] Little's law is broken: a rate of { SHORT($rate, unit: "1/s") } at
            { SHORT($latency_s, unit: "s") } each needs { FIXED($under_way, decimals: 1) } operations in flight, and only
            { FIXED($depth) } were; the rate or the latency is wrong
        [idle] a rate of { SHORT($rate, unit: "1/s") } at { SHORT($latency_s, unit: "s") } each makes
            { FIXED($under_way, decimals: 1) } operations in flight, { PERCENT($share) } of the { FIXED($depth) } asked
            for: the rest of the time the load itself was not ready
        [kinds] Little's law is broken: reads, writes and trims together make { PERCENT($share) } of the operations
            under way; a rate or a latency is wrong
       *[stages] submission and device together make { PERCENT($share) } of the duration of an operation; one of the
            three is wrong
    }

evidence-parts = parts: { PERCENT($share) }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    if measure::is_null(case) {
        return Vec::new();
    }
    let mut found: Vec<Finding> = whole(case).into_iter().collect();
    if found.is_empty() {
        found.extend(targets(case));
    }
    found.extend(parts(case));
    found
}

/// The distribution that says how long an operation was under way: from its due
/// time a load that is late would count what was not yet started.
fn duration(case: &CaseResult) -> MetricName {
    if measure::is_closed(case) { metric::LATENCY } else { metric::SERVICE_TIME }
}

/// Operations that take turns with those that count, and wait for the same: messages
/// a few bytes shorter and longer.
const TAKE_TURNS: &[&str] = &["below", "above"];

/// Operations that failed: each had its place meanwhile. In an open loop it is known since when they were
/// due, and not for how long they were under way.
const FAILED: &str = "error";

/// How many of `name` there were for each operation that counts, times their mean
/// duration, s.
fn in_turn(histograms: &BTreeMap<MetricName, String>, name: MetricName, duration: MetricName) -> Option<f64> {
    let count = |name: MetricName| Some(measure::distribution(histograms, name)?.len() as f64);
    let each = count(name)? / count(duration).filter(|n| *n > 0.0)?;
    Some(each * measure::mean_of(histograms, name)?)
}

/// Operations under way at once, by a load's figures. A sync is one of its own.
fn under_way(
    metrics: &BTreeMap<MetricName, Quantity>,
    histograms: &BTreeMap<MetricName, String>,
    duration: MetricName,
) -> Option<f64> {
    let syncs = metrics.get(&metric::SYNCS_PER_SECOND).map(|q| q.value);
    let syncing = syncs.zip(measure::mean_of(histograms, metric::SYNC_LATENCY)).map_or(0.0, |(n, s)| n * s);
    let others: f64 =
        TAKE_TURNS.iter().filter_map(|kind| in_turn(histograms, metric::LATENCY.of(kind)?, duration)).sum();
    let failed = metric::LATENCY.of(FAILED).filter(|_| duration == metric::LATENCY);
    let failed = failed.and_then(|name| in_turn(histograms, name, duration)).unwrap_or(0.0);
    Some(measure::rate_of(metrics)? * (measure::mean_of(histograms, duration)? + others + failed) + syncing)
}

/// The longest operation, as a share of the window.
fn longest(histograms: &BTreeMap<MetricName, String>, duration: MetricName, trial: &Trial) -> Option<f64> {
    let longest_ns = measure::distribution(histograms, duration)?.max().unwrap_or_default();
    Some(longest_ns as f64 / 1e9 / trial.result.window?.seconds())
}

/// What Little's law says of a load or of one of its targets.
struct Product<'a> {
    target: &'a str,
    depth: f64,
    rate: f64,
    /// The mean duration of an operation, s.
    mean: f64,
    /// The longest one, as a share of the window.
    longest: f64,
    under_way: f64,
}

impl Product<'_> {
    /// Whether there is enough to judge by.
    fn is_told(&self, window_s: f64) -> bool {
        self.mean >= SHORT_S && self.rate * window_s >= FEW * self.depth
    }

    /// The finding where the law is broken, `waits` where the load always has
    /// its depth under way.
    fn finding(&self, waits: bool) -> Option<Finding> {
        let ratio = self.under_way / self.depth;
        let low = if waits { 1.0 - BELOW } else { 0.0 };
        // Those that were under way at the window's start are counted with all
        // of their duration.
        let high = 1.0 + BEYOND + self.longest.min(1.0);
        if !ratio.is_finite() || (low..=high).contains(&ratio) {
            return None;
        }
        let (severity, how) =
            if ratio > 1.0 { (Severity::Error, "impossible") } else { (Severity::Warning, "idle") };
        Some(
            new(severity, how, !self.target.is_empty())
                .arg("target", self.target)
                .arg("depth", self.depth)
                .arg("under_way", self.under_way)
                .arg("share", ratio)
                .arg("rate", self.rate)
                .arg("latency_s", self.mean),
        )
    }
}

fn new(severity: Severity, how: &str, named: bool) -> Finding {
    Finding::new(FindingKind::Validity, RULE.code, severity).arg("how", how).arg("named", named)
}

/// Whether the depth is always there to be used: in a closed loop, unless
/// targets end one after the other, or workers wait for their syncs.
fn waits(case: &CaseResult) -> bool {
    let of = |name| measure::estimated(case, name);
    let ends = of(metric::FIRST_DONE).zip(of(metric::LAST_DONE));
    let together = ends.is_none_or(|(first, last)| first >= TOGETHER * last);
    let syncs = of(metric::SYNCS_PER_SECOND).is_some_and(|n| n > 0.0);
    let queued = measure::concurrency(case) > measure::workers(case);
    measure::is_closed(case) && together && !(syncs && queued)
}

fn window_s(case: &CaseResult) -> f64 {
    measure::median(case, |t| Some(t.result.window?.seconds())).unwrap_or(0.0)
}

/// Of all operations.
fn whole(case: &CaseResult) -> Option<Finding> {
    let name = duration(case);
    let (metric, rate) = measure::operations(case)?;
    let mean = measure::median(case, |t| measure::mean_of(&t.result.main().histograms, name))?;
    // Of each trial by itself: rates and latencies of different trials have
    // no law.
    let product = |t: &Trial| under_way(&t.result.main().metrics, &t.result.main().histograms, name);
    let under_way = measure::median(case, product)?;
    let longest = measure::median(case, |t| longest(&t.result.main().histograms, name, t))?;
    let product = Product { target: "", depth: measure::concurrency(case), rate, mean, longest, under_way };
    if !product.is_told(window_s(case)) {
        return None;
    }
    let evidence = Evidence::at("rate", Place::Metric(metric)).arg("rate", rate);
    let found = product.finding(waits(case))?.because(evidence);
    Some(found.because(measure::latency_evidence(mean)))
}

/// Of the first target where it is broken.
fn targets(case: &CaseResult) -> Option<Finding> {
    let (name, window_s) = (duration(case), window_s(case));
    case.loads.main.targets.iter().find_map(|target| {
        let each = |f: &dyn Fn(&TargetTrial, &Trial) -> Option<f64>| {
            measure::median(case, |t| {
                f(t.result.main().targets.iter().find(|t| t.target == target.target)?, t)
            })
        };
        let product = Product {
            target: &target.target,
            depth: measure::at_once(case),
            rate: each(&|p, _| measure::rate_of(&p.metrics))?,
            mean: each(&|p, _| measure::mean_of(&p.histograms, name))?,
            longest: each(&|p, t| longest(&p.histograms, name, t))?,
            under_way: each(&|p, _| under_way(&p.metrics, &p.histograms, name))?,
        };
        let found = product.is_told(window_s).then(|| product.finding(waits(case)))??;
        let place = measure::said(case, Aspect::Targets);
        Some(found.because(Evidence::maybe_at("rate", place).arg("rate", product.rate)))
    })
}

/// The parts of operations that are told apart: their kinds, their stages.
fn parts(case: &CaseResult) -> Vec<Finding> {
    let name = duration(case);
    let kinds = |t: &Trial| {
        let one = |kind: OperationClass| {
            let rate = measure::measured(t, metric::IOPS.of(kind.name())?)?;
            Some(rate * measure::mean_of(&t.result.main().histograms, metric::LATENCY.of(kind.name())?)?)
        };
        let all: Vec<f64> = measure::ON_BLOCKS.into_iter().filter_map(one).collect();
        let whole =
            measure::trial_operations(t)? * measure::mean_of(&t.result.main().histograms, metric::LATENCY)?;
        (all.len() > 1 && whole > 0.0).then(|| all.iter().sum::<f64>() / whole)
    };
    let stages = |t: &Trial| {
        let of = |name: MetricName| measure::mean_of(&t.result.main().histograms, name);
        // The stages are those of syncs too, the whole is not.
        if t.result.main().histograms.contains_key(&metric::SYNC_LATENCY) {
            return None;
        }
        let whole = of(name).filter(|whole| *whole >= SHORT_S)?;
        Some((of(metric::SUBMIT_LATENCY)? + of(metric::DEVICE_LATENCY)?) / whole)
    };
    let mut found = Vec::new();
    for (how, ratio, place) in [
        ("kinds", measure::median(case, kinds), metric::IOPS),
        ("stages", measure::median(case, stages), metric::LATENCY_MAX),
    ] {
        let Some(ratio) = ratio.filter(|r| !(1.0 - PARTS..=1.0 + PARTS).contains(r)) else { continue };
        let evidence = Evidence::at("parts", Place::Metric(place)).arg("share", ratio);
        found.push(new(Severity::Error, how, false).arg("share", ratio).because(evidence));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::{Better, Unit};

    fn histogram(latency_ns: u64, count: u64) -> String {
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n(latency_ns, count).unwrap();
        stats::histogram::encode(&histogram).unwrap()
    }

    fn put(case: &mut CaseResult, name: MetricName, value: f64) {
        let quantity = Quantity { value, unit: Unit::PerSecond };
        case.trials[0].result.main_mut().metrics.insert(name, quantity);
        case.loads.main.estimates.insert(name, fixture::estimate(value, Unit::PerSecond, Better::Higher));
    }

    fn lasts(case: &mut CaseResult, name: MetricName, ns: u64) {
        case.trials[0].result.main_mut().histograms.insert(name, histogram(ns, 1000));
    }

    fn case(rate: f64, latency_ns: u64, depth: u64) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "queue-depth", depth);
        let window = model::trial::Window { start_ns: 0, end_ns: 1_000_000_000 };
        case.trials[0].result.window = Some(window);
        lasts(&mut case, metric::LATENCY, latency_ns);
        put(&mut case, metric::IOPS, rate);
        case
    }

    fn hows(case: &CaseResult) -> Vec<String> {
        let controls = Controls::default();
        let found = fixture::found(&RULE, case, &fixture::context(&controls));
        found.iter().map(|f| f.args["how"].to_string()).collect()
    }

    #[test]
    fn what_cannot_be_is_found() {
        let of = |rate, ns, depth| hows(&case(rate, ns, depth)).join(" ");
        assert_eq!(of(10_000.0, 100_000, 1), "");
        assert_eq!(of(9_000.0, 100_000, 1), "", "a worker's own time");
        assert_eq!(of(12_000.0, 100_000, 1), "impossible", "more than one at once");
        assert_eq!(of(10_000.0, 100_000, 4), "idle", "three of four were idle");
        assert_eq!(of(1_000_000.0, 100, 1), "", "too short to judge");
        assert_eq!(of(10.0, 100_000_000, 1), "", "too few to judge");
    }

    /// Four late ones wait in an open loop, and one is under way.
    #[test]
    fn an_open_loop_is_judged_by_what_is_under_way_not_by_what_is_due() {
        let mut open = case(10_000.0, 400_000, 1);
        fixture::set(&mut open, "rate", 10_000.0);
        assert_eq!(hows(&open), Vec::<String>::new(), "nothing is known of what was under way");
        lasts(&mut open, metric::SERVICE_TIME, 90_000);
        assert_eq!(hows(&open), Vec::<String>::new());
        lasts(&mut open, metric::SERVICE_TIME, 20_000);
        assert_eq!(hows(&open), Vec::<String>::new(), "an open loop may be idle");
        lasts(&mut open, metric::SERVICE_TIME, 200_000);
        assert_eq!(hows(&open), ["impossible"]);
    }

    /// Bug: connections whose requests failed were taken for a load that was not ready.
    #[test]
    fn regression_operations_that_fail_are_under_way_too() {
        let mut failing = case(5_000.0, 100_000, 1);
        assert_eq!(hows(&failing), ["idle"]);
        lasts(&mut failing, metric::LATENCY.of(FAILED).unwrap(), 100_000);
        assert_eq!(hows(&failing), Vec::<String>::new());
        lasts(&mut failing, metric::LATENCY.of(FAILED).unwrap(), 200_000);
        assert_eq!(hows(&failing), ["impossible"]);
    }

    #[test]
    fn a_worker_that_waits_for_its_syncs_is_not_idle() {
        let mut synced = case(2_000.0, 100_000, 1);
        assert_eq!(hows(&synced), ["idle"]);
        put(&mut synced, metric::SYNCS_PER_SECOND, 100.0);
        lasts(&mut synced, metric::SYNC_LATENCY, 8_000_000);
        assert_eq!(hows(&synced), Vec::<String>::new());
        lasts(&mut synced, metric::SYNC_LATENCY, 12_000_000);
        assert_eq!(hows(&synced), ["impossible"]);
    }

    /// Bug: one connection asks while others fill the link, and these were taken for
    /// a depth of which half was idle.
    #[test]
    fn streams_that_fill_a_link_are_no_messages_under_way() {
        let mut loaded = case(22_692.0, 44_020, 1);
        fixture::workload(&mut loaded, "net.loaded");
        fixture::set(&mut loaded, "streams", 1_u64);
        for direction in ["none", "send", "receive", "both"] {
            fixture::set(&mut loaded, "direction", direction);
            assert_eq!(hows(&loaded), Vec::<String>::new(), "{direction}");
        }
        // Half of the time nothing is asked; and more than one at once is impossible.
        lasts(&mut loaded, metric::LATENCY, 22_000);
        assert_eq!(hows(&loaded), ["idle"]);
        lasts(&mut loaded, metric::LATENCY, 88_000);
        assert_eq!(hows(&loaded), ["impossible"]);
    }

    /// Bug: 16 messages under way on one connection were called impossible.
    #[test]
    fn messages_one_behind_the_other_are_under_way_at_once() {
        let mut many = case(76_782.0, 207_600, 1);
        fixture::workload(&mut many, "net.pingpong");
        assert_eq!(hows(&many), ["impossible"]);
        fixture::set(&mut many, "outstanding", 16_u64);
        assert_eq!(hows(&many), Vec::<String>::new());
    }

    /// Bug: two of three messages are a little shorter or longer, and a load that
    /// never rested was called idle.
    #[test]
    fn messages_that_take_turns_are_no_rest() {
        let mut turns = case(4_000.0, 80_000, 1);
        fixture::workload(&mut turns, "net.pingpong");
        assert_eq!(hows(&turns), ["idle"]);
        lasts(&mut turns, MetricName::new("below_latency"), 79_000);
        lasts(&mut turns, MetricName::new("above_latency"), 81_000);
        assert_eq!(hows(&turns), Vec::<String>::new());
    }

    #[test]
    fn reads_and_writes_make_all_operations() {
        let mut mix = case(10_000.0, 100_000, 1);
        for (kind, rate, ns) in [("read", 6_000.0, 50_000), ("write", 4_000.0, 175_000)] {
            put(&mut mix, metric::IOPS.of(kind).unwrap(), rate);
            lasts(&mut mix, metric::LATENCY.of(kind).unwrap(), ns);
        }
        assert_eq!(hows(&mix), Vec::<String>::new());
        lasts(&mut mix, MetricName::new("write_latency"), 300_000);
        assert_eq!(hows(&mix), ["kinds"]);
    }

    #[test]
    fn submission_and_device_make_the_whole() {
        let mut staged = case(10_000.0, 100_000, 1);
        lasts(&mut staged, metric::SUBMIT_LATENCY, 10_000);
        lasts(&mut staged, metric::DEVICE_LATENCY, 90_000);
        assert_eq!(hows(&staged), Vec::<String>::new());
        lasts(&mut staged, metric::DEVICE_LATENCY, 60_000);
        assert_eq!(hows(&staged), ["stages"]);
        lasts(&mut staged, metric::SYNC_LATENCY, 1_000_000);
        assert_eq!(hows(&staged), Vec::<String>::new(), "a sync has stages and is not of the whole");
    }

    #[test]
    fn each_target_has_its_own_queue() {
        let mut case = case(10_000.0, 200_000, 1);
        let targets = ["/a", "/b"].map(model::Value::from).to_vec();
        fixture::set(&mut case, "target", model::Value::List(targets));
        let target = |target: &str, rate: f64| TargetTrial {
            target: target.to_owned(),
            metrics: BTreeMap::from([(metric::IOPS, Quantity { value: rate, unit: Unit::PerSecond })]),
            histograms: BTreeMap::from([(metric::LATENCY, histogram(200_000, 1000))]),
            ..TargetTrial::default()
        };
        let mut with = |a: f64, b: f64| {
            case.trials[0].result.main_mut().targets = vec![target("/a", a), target("/b", b)];
            crate::estimate::estimate_case(&mut case, &model::Definitions::default());
            hows(&case)
        };
        assert_eq!(with(5_000.0, 5_000.0), Vec::<String>::new());
        assert_eq!(with(3_000.0, 7_000.0), ["idle"]);
        assert_eq!(with(4_000.0, 6_000.0), ["impossible"]);
    }

    /// Bug: of 238 writes one took 230 ms, begun before the window: 1.1 of 1.
    #[test]
    fn an_operation_longer_than_the_window_lets_on_is_no_breach() {
        let mut stalled = case(1_000.0, 900_000, 1);
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n(900_000, 1000).unwrap();
        histogram.record_n(230_000_000, 1).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        stalled.trials[0].result.main_mut().histograms.insert(metric::LATENCY, text);
        assert_eq!(hows(&stalled), Vec::<String>::new());
    }

    #[test]
    fn targets_that_end_early_leave_the_depth_unused() {
        let mut case = case(10_000.0, 100_000, 2);
        assert_eq!(hows(&case), ["idle"]);
        put(&mut case, metric::FIRST_DONE, 5.0);
        put(&mut case, metric::LAST_DONE, 10.0);
        assert_eq!(hows(&case), Vec::<String>::new());
    }
}
