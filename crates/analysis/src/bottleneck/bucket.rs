//! A bucket that was used up: for some time a rented resource gives more than it gives for good.
//! Providers meter volumes and networks so: tokens come in at the base rate and are kept up to a
//! capacity, operations or bytes take them out, and while there are some the resource is as fast
//! as it may be in a burst ("Amazon EBS volume types" of the EBS user guide on I/O credits and
//! the burst bucket; "Amazon EC2 instance network bandwidth" on network I/O credits; tc-tbf(8)).
//!
//! It shows as a rate that falls from one level to another at once and stays there
//! ([`stats::bucket`]). What a device does by itself may fall as well, and is told apart:
//!
//! * the fast cache of a flash drive that is full (`not-preconditioned`) is of writes only, and
//!   what comes after it is uneven, for the drive moves data meanwhile: of writes both levels must
//!   be as even as only a clock makes them;
//! * a read that leaves a cache may fall too, and is as uneven as the device behind it: the lower
//!   level must be even;
//! * a clock that falls, or CPU time that others get, is felt by loads that compute: workers must
//!   be mostly idle, and little may be stolen, by what the rate lost;
//! * a neighbour that begins is no meter: shares of two loads are uneven. One that is even cannot
//!   be told from a bucket.
//!
//! What is known by its own figure (a throttle, a queueing discipline) is named before.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::profile::OperationClass;
use model::run::CaseResult;
use model::trial::Series;
use model::{Resource, ResourceKind, SeriesName, Severity, Trial, Unit, series};
use stats::bucket::{Bounded, Fall, LevelSpread};

use super::{Verdict, cores, finding};
use crate::{Context, measure};

/// Means of five intervals of a metered level differ by no more than this: 1 % is the measure of
/// what is flat, and 100 ms of a meter that lets through quanta are a few per cent off, which five
/// of them make good.
const EVEN: f64 = 0.01;
const METERED: f64 = 0.03;
/// What comes late is made good by a clock: five intervals are a fifth as uneven as one, and of
/// what is independent 0.45 times.
const MADE_GOOD: f64 = 1.0 / 3.0;
/// Of writes: flash that has used up its cache is off by several per cent (SNIA, Solid State Storage
/// Performance Test Specification 2.0.2, section 2.1, allows 20 % for steady).
const EVEN_WRITES: f64 = 0.005;
/// The burst may be as fast as the device is, and as uneven.
const EVEN_BURST: f64 = 0.05;
/// Base rates of several trials are one if they lie within this.
const SAME: f64 = 0.03;
/// Workers that compute for more than this share may be what got slower.
const BUSY: f64 = 0.80;
/// CPU time that was stolen is no more than this share of what the rate lost, or it may be why.
const STOLEN: f64 = 0.1;
/// From this size on an operation is metered by its bytes: of EBS one of up to 256 KiB counts as one,
/// so that a rate of smaller ones is one of operations first.
const LARGE: f64 = 65536.0;
/// Something imposed that is known so near is what was reached.
const NEAR: f64 = 0.1;

pub(super) const ENGLISH: &str = r#"
bucket-fill =
    { $counts ->
        [bytes] { SHORT($fill, unit: "B") } ({ SHORT($fill_low, unit: "B") } to { SHORT($fill_high, unit: "B") })
       *[operations] { FIXED($fill) } operations ({ FIXED($fill_low) } to { FIXED($fill_high) })
    }

finding-bucket-used-up =
    { RESOURCE($resource) } { verb-is } metered: { $full ->
        [yes] a bucket of about { bucket-fill }
       *[no] what had been saved up, about { bucket-fill },
    } was used up after { SHORT($after_s, unit: "s") } at { SHORT($burst, $unit) }; from then on { pronoun-it } give{ verb-s }
    { SHORT($base, $unit) }, and { SHORT($refill_s, unit: "s") } without work bring as much back
    .advice =
        what lasts is the lower rate: quote that one, or measure only while there is something in the bucket; a larger
        size of what is rented is allowed more

evidence-bucket-fall =
    { SHORT($burst, $unit) } until { SHORT($after_s, unit: "s") } of work, then { SHORT($base, $unit) }, in { $trials } of
    { $of } trials
"#;

/// A trial whose rate fell.
struct Fell<'a> {
    trial: &'a Trial,
    fall: Fall,
    /// When its series began, ns.
    start_ns: u64,
}

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(resource) = metered(case) else { return Verdict::Elsewhere };
    let is_busy = cores::each(case, context).is_some_and(|(_, each)| each > BUSY);
    if is_busy {
        return Verdict::Elsewhere;
    }
    let is_bytes = measure::is_net(case) || measure::block(case).is_some_and(|block| block >= LARGE);
    let name = if is_bytes { series::THROUGHPUT } else { series::OPERATIONS };
    let fell = falls(case, name);
    let Some(first) = fell.first().filter(|_| is_one_meter(case, &fell, name)) else {
        return Verdict::Elsewhere;
    };
    let lost = 1.0 - first.fall.base.value / first.fall.burst.value;
    let is_stolen = crate::validity::steal::share_of(case).is_some_and(|share| share >= STOLEN * lost);
    if is_stolen || is_known(case, first.fall.base.value, is_bytes) {
        return Verdict::Elsewhere;
    }
    Verdict::Full(Box::new(used_up(case, &resource, &fell, name, context)))
}

/// The device or interface that may be metered.
fn metered(case: &CaseResult) -> Option<Resource> {
    if measure::is_net(case) {
        let is_wire = !measure::is_loopback(case) && measure::profile(case).is_stream();
        let nic = case.path.iter().find(|step| step.resource.is_named(ResourceKind::Nic));
        return nic.filter(|_| is_wire).map(|step| step.resource.clone());
    }
    measure::devices_name(case).filter(|_| measure::is_direct(case) && !measure::is_null(case))
}

/// The trials whose rate fell, in the order of time.
fn falls<'a>(case: &'a CaseResult, name: SeriesName) -> Vec<Fell<'a>> {
    let mut all: Vec<(&Trial, &Series)> =
        measure::good(case).filter_map(|t| Some((t, measure::course(case, t, name)?))).collect();
    all.sort_by_key(|(_, series)| series.start_ns);
    let writes = measure::does(case, OperationClass::Write);
    let mut fell = Vec::new();
    for (trial, series) in all {
        let values = in_trial(trial, series);
        let fall = stats::bucket::fall(values, series.interval_ns as f64 / 1e9);
        if let Some(fall) = fall.filter(|fall| is_even(fall, writes)) {
            fell.push(Fell { trial, fall, start_ns: series.start_ns });
        }
    }
    fell
}

/// The values of whole intervals, warm-up included, until the window closes: what came after it is
/// the end of the load.
fn in_trial<'a>(trial: &Trial, series: &'a Series) -> &'a [f64] {
    let Some(window) = trial.result.window else { return &[] };
    let count = window.end_ns.saturating_sub(series.start_ns) / series.interval_ns;
    &series.values[..series.values.len().min(usize::try_from(count).unwrap_or(usize::MAX))]
}

/// Whether both levels are as even as a meter makes them.
fn is_even(fall: &Fall, writes: bool) -> bool {
    let base = fall.base_spread;
    if writes {
        let is_flat = |spread: LevelSpread| spread.of_five <= EVEN_WRITES;
        return is_flat(base) && fall.burst_spread.is_some_and(is_flat);
    }
    let is_metered = base.of_five <= METERED && base.of_five <= MADE_GOOD * base.of_one;
    let is_flat = base.of_five <= EVEN || is_metered;
    is_flat && fall.burst_spread.is_none_or(|burst| burst.of_five <= EVEN_BURST)
}

/// Whether all trials fit one meter: those that fell have one base rate, and none that came after
/// the first of them was as fast all the time.
fn is_one_meter(case: &CaseResult, fell: &[Fell<'_>], name: SeriesName) -> bool {
    let Some(first) = fell.first() else { return false };
    let base = first.fall.base.value;
    let middle = f64::midpoint(first.fall.burst.value, base);
    let is_after = |trial: &&Trial| trial.order > first.trial.order;
    let has_fallen = |trial: &Trial| fell.iter().any(|fell| fell.trial.order == trial.order);
    let is_slow = |trial: &Trial| {
        let values =
            measure::course(case, trial, name).map(|series| in_trial(trial, series)).unwrap_or_default();
        stats::interval::median(values).is_some_and(|rate| rate < middle)
    };
    fell.iter().all(|fell| (fell.fall.base.value / base - 1.0).abs() <= SAME)
        && measure::good(case).filter(is_after).all(|trial| has_fallen(trial) || is_slow(trial))
}

/// Whether something that is known bounds the lower rate: then that has the name.
fn is_known(case: &CaseResult, base: f64, is_bytes: bool) -> bool {
    let unit = if is_bytes { Unit::BytesPerSecond } else { Unit::PerSecond };
    let imposed = case.utilization.iter().filter(|used| used.kind == LimitKind::Quota && used.unit == unit);
    imposed.filter(|used| used.allowance.is_none()).any(|used| (base / used.limit - 1.0).abs() <= NEAR)
}

/// For how long before a time nothing was asked for of what is metered, by any case of the run; none
/// before the first.
fn idle_s(resource: &Resource, at_ns: u64, context: &Context<'_>) -> Option<f64> {
    let is_on_path = |case: &CaseResult| case.path.iter().any(|step| step.resource == *resource);
    let uses = |case: &&CaseResult| metered(case).as_ref() == Some(resource) || is_on_path(case);
    let trials = context.siblings.all().iter().filter(uses).flat_map(|case| &case.trials);
    let ends = trials.filter_map(|trial| trial.result.window).map(|window| window.end_ns);
    let last = ends.filter(|end| *end <= at_ns).max()?;
    Some((at_ns - last) as f64 / 1e9)
}

fn used_up(
    case: &CaseResult,
    resource: &Resource,
    fell: &[Fell<'_>],
    name: SeriesName,
    context: &Context<'_>,
) -> model::Finding {
    // A rest that brings back more than was used filled it, whatever had been in it.
    let is_full = |fell: &&Fell<'_>| {
        let refill = fell.fall.refill_s(fell.fall.fill(0.0));
        idle_s(resource, fell.start_ns, context).is_some_and(|idle| idle >= refill.high)
    };
    let full = fell.iter().find(is_full);
    let Fell { fall, .. } = full.unwrap_or(&fell[0]);
    let fill = fall.fill(0.0);
    let (rate_unit, counts) = match name {
        series::THROUGHPUT => (Unit::BytesPerSecond, "bytes"),
        _ => (Unit::PerSecond, "operations"),
    };
    let written = |rate: f64| measure::written(rate, rate_unit, resource);
    let place = Place::Series { resource: Resource::LOAD, name };
    let evidence = Evidence::at("bucket-fall", place)
        .arg("burst", written(fall.burst.value).0)
        .arg("base", written(fall.base.value).0)
        .arg("unit", written(0.0).1)
        .arg("after_s", fall.burst_s.value)
        .arg("trials", fell.len() as u64)
        .arg("of", measure::good(case).count() as u64);
    let ends = |name: &str, value: Bounded| {
        [
            (name.to_owned(), value.value),
            (format!("{name}_low"), value.low),
            (format!("{name}_high"), value.high),
        ]
    };
    let figures = ends("fill", fill)
        .into_iter()
        .chain(ends("after_s", fall.burst_s))
        .chain(ends("refill_s", fall.refill_s(fill)))
        .chain(ends("burst", fall.burst).map(|(name, rate)| (name, written(rate).0)))
        .chain(ends("base", fall.base).map(|(name, rate)| (name, written(rate).0)));
    let mut found = finding("bucket-used-up", Severity::Warning)
        .on(resource.clone())
        .arg("full", if full.is_some() { "yes" } else { "no" })
        .arg("counts", counts)
        .arg("unit", written(0.0).1);
    // What has no bound is not said.
    found
        .args
        .extend(figures.filter(|(_, value)| value.is_finite()).map(|(name, value)| (name, value.into())));
    found.because(evidence)
}

#[cfg(test)]
pub(super) mod tests {
    use model::resource::PathStep;
    use model::trial::Window;
    use model::{Finding, Value};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    const NS: u64 = 1_000_000_000;

    /// A little to and fro, as of quanta: never more than this share.
    fn shaken(values: Vec<f64>, share: f64) -> Vec<f64> {
        let of = |(i, value): (usize, f64)| value * (1.0 + share * [0.9, -0.4, 0.2, -0.7, 1.0, -1.0][i % 6]);
        values.into_iter().enumerate().map(of).collect()
    }

    /// Gives the trials of a case series of a tenth of a second, and so much rest between them.
    pub(crate) fn course(case: &mut CaseResult, name: SeriesName, unit: Unit, rest_s: u64, all: &[Vec<f64>]) {
        let mut start_ns = NS;
        for (trial, values) in case.trials.iter_mut().zip(all) {
            let end_ns = start_ns + values.len() as u64 * NS / 10;
            trial.result.window = Some(Window { start_ns, end_ns });
            let values = values.clone();
            let resource = Resource::LOAD;
            let one = Series { resource, name, unit, start_ns, interval_ns: NS / 10, values };
            trial.result.main_mut().series = vec![one];
            trial.order = u32::try_from(start_ns / NS).unwrap();
            start_ns = end_ns + rest_s * NS;
        }
    }

    fn operations(case: &mut CaseResult, rest_s: u64, all: &[Vec<f64>]) {
        course(case, series::OPERATIONS, Unit::PerSecond, rest_s, all);
    }

    /// Fast for so many tenths of a second, then slow.
    fn falling(fast: usize, slow: usize) -> Vec<f64> {
        shaken([vec![3000.0; fast], vec![500.0; slow]].concat(), 0.005)
    }

    fn codes(case: CaseResult) -> Finding {
        verdict(&[case])
    }

    #[test]
    fn a_bucket_is_read_off_with_what_was_in_it() {
        let mut case = disk(32, 500.0, 64_000.0, 2.0);
        operations(&mut case, 3, &[falling(40, 100), vec![500.0; 100], vec![500.0; 100]]);
        let found = codes(case);
        assert_eq!(found.code, "bucket-used-up");
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("block:sda"));
        // 2500/s more than the base, for 4 s, are 10,000; 500/s bring them back in 20 s.
        let figure = |name: &str| found.args[name].number().unwrap();
        assert!((figure("fill") / 10_000.0 - 1.0).abs() < 0.03, "{found:?}");
        assert!(figure("fill_low") < 10_000.0 && 10_000.0 < figure("fill_high"), "{found:?}");
        assert!((figure("refill_s") / 20.0 - 1.0).abs() < 0.03 && (figure("after_s") - 4.0).abs() < 0.1);
        assert_eq!(found.args["full"], Value::from("no"), "{}", found.text);
        let saved = "what had been saved up, about 10000 operations (";
        assert!(found.text.contains(saved) && found.text.contains("500 /s"), "{}", found.text);
    }

    #[test]
    fn it_was_full_if_it_rested_for_as_long_as_it_takes_to_fill() {
        let full = |rest: u64| {
            let mut case = disk(32, 500.0, 64_000.0, 2.0);
            operations(&mut case, rest, &vec![falling(40, 100); 3]);
            codes(case).args["full"].clone()
        };
        assert_eq!((full(30), full(10)), (Value::from("yes"), Value::from("no")));
        // Bug: it did not rest where another case used it meanwhile.
        let mut case = disk(32, 500.0, 64_000.0, 2.0);
        operations(&mut case, 30, &vec![falling(40, 100); 3]);
        let mut shallow = disk(1, 400.0, 2500.0, 2.0);
        for (trial, own) in shallow.trials.iter_mut().zip(&case.trials) {
            let end_ns = own.result.window.unwrap().end_ns + 25 * NS;
            trial.result.window = Some(Window { start_ns: end_ns - 20 * NS, end_ns });
        }
        assert_eq!(verdict(&[case, shallow]).args["full"], Value::from("no"));
    }

    /// Bug: two hundredths that the hypervisor took were enough for a rate that fell to a quarter to be
    /// no bucket.
    #[test]
    fn a_little_stolen_time_is_no_reason_for_a_deep_fall() {
        let said = |stolen: u64| {
            let mut case = disk(32, 500.0, 64_000.0, 2.0);
            operations(&mut case, 3, &[falling(40, 100), vec![500.0; 100], vec![500.0; 100]]);
            for trial in &mut case.trials {
                trial.result.local_mut().counters = vec![
                    fixture::counter("cpu", "/proc/stat user", 0.01, 1000),
                    fixture::counter("cpu", "/proc/stat steal", 0.01, stolen),
                ];
            }
            codes(case).code
        };
        assert_eq!(said(30), "bucket-used-up");
        assert_ne!(said(150), "bucket-used-up");
    }

    #[test]
    fn a_network_s_bucket_is_one_of_bytes() {
        let mut case = fixture::case(3);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        fixture::set(&mut case, "direction", "send");
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, model::Better::Higher);
        case.loads.main.estimates.insert(model::metric::THROUGHPUT, estimate);
        case.path = vec![PathStep { resource: Resource::from("nic:ens5"), amplification: 1.0 }];
        let values = shaken([vec![275e6; 120], vec![100e6; 60]].concat(), 0.005);
        course(
            &mut case,
            series::THROUGHPUT,
            Unit::BytesPerSecond,
            1,
            &[values, vec![100e6; 40], vec![100e6; 40]],
        );
        let found = codes(case);
        assert_eq!(found.code, "bucket-used-up");
        assert!(found.text.contains("2.1 GB") && found.text.contains("800 Mbit/s"), "{}", found.text);
    }

    /// Bug: a send buffer takes in lumps what the wire takes evenly.
    #[test]
    fn of_a_stream_the_receiver_s_count_is_what_is_flat() {
        let mut case = fixture::case(3);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        fixture::set(&mut case, "direction", "send");
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, model::Better::Higher);
        case.loads.main.estimates.insert(model::metric::THROUGHPUT, estimate);
        case.path = vec![PathStep { resource: Resource::from("nic:ens5"), amplification: 1.0 }];
        let all = [[vec![275e6; 60], vec![100e6; 60]].concat(), vec![100e6; 40], vec![100e6; 40]];
        course(&mut case, series::THROUGHPUT, Unit::BytesPerSecond, 1, &all);
        let lumps = [1.9, 0.3, 1.4, 0.3];
        for trial in &mut case.trials {
            let mut far = model::trial::LoadTrial::of(0, "10.0.0.2:7117");
            far.series = trial.result.main().series.clone();
            trial.result.loads.push(far);
            let own = &mut trial.result.main_mut().series[0].values;
            own.iter_mut().zip(lumps.iter().cycle()).for_each(|(value, lump)| *value *= lump);
        }
        assert_eq!(codes(case.clone()).code, "bucket-used-up");
        // What a sender alone counted tells nothing.
        for trial in &mut case.trials {
            trial.result.loads.truncate(1);
        }
        assert_ne!(codes(case).code, "bucket-used-up");
    }

    /// Whatever is not flat, comes back, or is known by another name.
    #[test]
    fn what_falls_for_other_reasons_is_no_bucket() {
        let said = |change: &dyn Fn(&mut CaseResult), first: Vec<f64>, rest: Vec<f64>| {
            let mut case = disk(32, 500.0, 64_000.0, 2.0);
            operations(&mut case, 1, &[first, rest.clone(), rest]);
            change(&mut case);
            codes(case).code
        };
        let low = || vec![500.0; 100];
        assert_eq!(said(&|_| {}, falling(40, 100), low()), "bucket-used-up");
        let uneven = shaken([vec![3000.0; 40], vec![500.0; 100]].concat(), 0.3);
        let slow: Vec<f64> =
            (0..140).map(|i| if i < 40 { 3000.0 } else { 500.0 + f64::from(i % 40) * 8.0 }).collect();
        let dip = [vec![3000.0; 40], vec![500.0; 40], vec![3000.0; 60]].concat();
        for (why, first, rest) in [
            ("uneven", slow, low()),
            ("a dip that recovers", dip, vec![3000.0; 100]),
            ("later trials are fast", falling(40, 100), vec![3000.0; 100]),
        ] {
            assert_ne!(said(&|_| {}, first, rest), "bucket-used-up", "{why}");
        }
        // A flash drive whose cache is full: of writes both must be even.
        let writes = |case: &mut CaseResult| fixture::set(case, "pattern", "randwrite");
        assert_ne!(said(&writes, uneven, low()), "bucket-used-up");
        assert_eq!(said(&writes, falling(40, 100), low()), "bucket-used-up");
        let buffered = |case: &mut CaseResult| fixture::set(case, "direct", false);
        assert_ne!(said(&buffered, falling(40, 100), low()), "bucket-used-up");
        let known = |case: &mut CaseResult| {
            let mut used = super::super::tests::used("block:sda", LimitKind::Quota, 0.9);
            (used.unit, used.limit) = (Unit::PerSecond, 500.0);
            case.utilization = vec![used];
        };
        assert_ne!(said(&known, falling(40, 100), low()), "bucket-used-up");
    }
}
