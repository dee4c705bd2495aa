//! What a load does, by its profile and by what was measured of it: which way its
//! bytes go, in what sizes, how many operations at once. Of a load that drives no
//! target no way is said.

use std::collections::BTreeMap;

use model::limit::Direction;
use model::profile::{Arrival, Caches, Flow, OperationClass, Order};
use model::run::{CaseLoad, CaseResult, Estimate};
use model::{LoadProfile, MetricName, Quantity, SeriesName, Trial, metric, series};

/// What the main load of a case is.
pub(crate) fn profile(case: &CaseResult) -> &LoadProfile {
    &case.loads.main.profile
}

/// The operations that block devices count.
pub(crate) const ON_BLOCKS: [OperationClass; 3] =
    [OperationClass::Read, OperationClass::Write, OperationClass::Trim];

/// Whether the main load does operations of this kind.
pub(crate) fn does(case: &CaseResult, kind: OperationClass) -> bool {
    profile(case).does(kind)
}

/// Whether a load both reads and writes.
fn mixes(profile: &LoadProfile) -> bool {
    profile.does(OperationClass::Read) && profile.does(OperationClass::Write)
}

/// Whether the main load both reads and writes.
pub(crate) fn is_mixed(case: &CaseResult) -> bool {
    mixes(profile(case))
}

/// Whether the main load only reads, only writes; absent where it does neither
/// or both.
pub(crate) fn direction(case: &CaseResult) -> Option<Direction> {
    let profile = profile(case);
    match (profile.does(OperationClass::Read), profile.does(OperationClass::Write)) {
        (true, false) => Some(Direction::Read),
        (false, true) => Some(Direction::Write),
        _ => None,
    }
}

/// The share of its operations that a load asks to be of this kind.
fn asked_share(profile: &LoadProfile, kind: OperationClass) -> f64 {
    profile.flow(kind).map_or(0.0, |flow| flow.share)
}

/// The share of the main load's operations of this kind: as measured, or else
/// as asked.
pub(crate) fn share(case: &CaseResult, kind: OperationClass) -> f64 {
    let of = |kind: OperationClass| super::estimated(case, metric::IOPS.of(kind.name())?);
    let all: f64 = ON_BLOCKS.into_iter().filter_map(of).sum();
    let profile = profile(case);
    let own = of(kind).filter(|_| mixes(profile) && all > 0.0);
    own.map_or_else(|| asked_share(profile, kind), |own| own / all)
}

/// Bytes per second that a load moved with operations of this kind, by the
/// metrics of one trial: of a mix as measured, or else by the share asked for,
/// which has the same sizes. Absent where it does none.
pub(crate) fn moved(
    profile: &LoadProfile,
    metrics: &BTreeMap<MetricName, Quantity>,
    kind: OperationClass,
) -> Option<f64> {
    let of = |name: MetricName| metrics.get(&name).map(|q| q.value);
    let share = profile.flow(kind)?.share;
    let own = metric::THROUGHPUT.of(kind.name()).and_then(of).filter(|_| mixes(profile));
    own.or_else(|| Some(of(metric::THROUGHPUT)? * share))
}

/// The same of the main load in one trial, over all of its window. Where targets
/// end one after the other, its own figure is of the time when all were at work.
pub(crate) fn moved_in(case: &CaseResult, trial: &Trial, kind: OperationClass) -> Option<f64> {
    let profile = profile(case);
    let own = moved(profile, &trial.result.main().metrics, kind)?;
    if mixes(profile) || !ends_apart(trial) {
        return Some(own);
    }
    mean_in_window(trial, series::THROUGHPUT)
}

/// The bytes that it moved so in all of its window.
pub(crate) fn bytes_in(case: &CaseResult, trial: &Trial, kind: OperationClass) -> Option<f64> {
    Some(moved_in(case, trial, kind)? * trial.result.window?.seconds())
}

/// Operations per second of the main load in one trial, over all of its window.
pub(crate) fn operations_in(trial: &Trial) -> Option<f64> {
    if ends_apart(trial) { mean_in_window(trial, series::OPERATIONS) } else { super::trial_operations(trial) }
}

/// Whether the targets of a trial were done at different times.
fn ends_apart(trial: &Trial) -> bool {
    let of = |name| super::measured(trial, name);
    of(metric::FIRST_DONE).zip(of(metric::LAST_DONE)).is_some_and(|(first, last)| first < last)
}

/// The mean of a series of the main load over the trial's window.
fn mean_in_window(trial: &Trial, name: SeriesName) -> Option<f64> {
    let window = trial.result.window?;
    let series = trial.result.main().series.iter().find(|s| s.name == name)?;
    let length = series.interval_ns.max(1);
    let starts = (0..).map(|i: u64| series.start_ns.saturating_add(i.saturating_mul(length)));
    // A count ends with its last operation: the interval of that has no more.
    let inside = |(start, value): (u64, &f64)| {
        let end = start.saturating_add(length);
        value * end.saturating_sub(start.max(window.start_ns)) as f64 / 1e9
    };
    let all = starts.zip(&series.values).take_while(|(start, _)| *start < window.end_ns);
    let sum: f64 = all.map(inside).sum();
    (window.seconds() > 0.0).then(|| sum / window.seconds())
}

/// Bytes per second each way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bytes {
    pub(crate) read: f64,
    pub(crate) written: f64,
}

impl Bytes {
    /// One way of it, or both together.
    pub(crate) fn of(self, direction: Option<Direction>) -> f64 {
        match direction {
            Some(Direction::Read) => self.read,
            Some(Direction::Write) => self.written,
            None => self.read + self.written,
        }
    }

    /// With those of another load.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { read: self.read + other.read, written: self.written + other.written }
    }
}

/// The first flow that reads, writes or discards on a load's targets.
fn to_targets(profile: &LoadProfile) -> Option<&Flow> {
    let is = |flow: &&Flow| ON_BLOCKS.contains(&flow.class);
    profile.flows.iter().find(is).filter(|_| profile.targets > 0)
}

/// Bytes per second that a load moves each way; absent where it drives no targets
/// or has no figure. What it trims is no data.
pub(crate) fn of_load(profile: &LoadProfile, estimates: &BTreeMap<MetricName, Estimate>) -> Option<Bytes> {
    to_targets(profile)?;
    let of = |name: MetricName| estimates.get(&name).map(|e| e.median);
    let both = of(metric::READ_THROUGHPUT).zip(of(metric::WRITE_THROUGHPUT)).filter(|_| mixes(profile));
    if let Some((read, written)) = both {
        return Some(Bytes { read, written });
    }
    let all = of(metric::THROUGHPUT)?;
    let share = |kind| asked_share(profile, kind);
    Some(Bytes { read: all * share(OperationClass::Read), written: all * share(OperationClass::Write) })
}

/// Bytes per second of the loads beside it that drive one of its targets.
pub(crate) fn company(case: &CaseResult) -> Bytes {
    let profile = profile(case);
    let same = |c: &&CaseLoad| c.profile.paths.iter().any(|path| profile.paths.contains(path));
    let of = |c: &CaseLoad| of_load(&c.profile, &c.estimates);
    case.loads.beside.iter().filter(same).filter_map(of).fold(Bytes::default(), Bytes::and)
}

/// Bytes of one operation in the mean over operations, if the load has blocks.
pub(crate) fn block(case: &CaseResult) -> Option<f64> {
    // Of a mix of kinds all have the same sizes.
    let profile = profile(case);
    let sizes = &profile.flows.first().filter(|f| !f.sizes.is_empty() && profile.peer.is_none())?.sizes;
    Some(sizes.iter().map(|part| part.bytes as f64 * part.share).sum())
}

/// Bytes of every operation, where all have the same.
pub(crate) fn one_block(case: &CaseResult) -> Option<u64> {
    let profile = profile(case);
    match profile.flows.first().filter(|_| profile.peer.is_none())?.sizes[..] {
        [size] => Some(size.bytes),
        _ => None,
    }
}

/// Bytes of one message and of its answer, where every one has the same.
pub(crate) fn message(case: &CaseResult) -> Option<u64> {
    match profile(case).flow(OperationClass::Exchange)?.sizes[..] {
        [size] => Some(size.bytes),
        _ => None,
    }
}

/// Workers of the main load: threads, for each of its targets.
pub(crate) fn workers(case: &CaseResult) -> f64 {
    profile(case).concurrency.workers as f64
}

/// Operations under way at once in a closed loop.
pub(crate) fn concurrency(case: &CaseResult) -> f64 {
    profile(case).concurrency.operations as f64
}

/// The same for one of its targets.
pub(crate) fn at_once(case: &CaseResult) -> f64 {
    let profile = profile(case);
    profile.concurrency.operations as f64 / profile.targets.max(1) as f64
}

/// The same for each device that its targets lie on, taken to be evenly spread.
pub(crate) fn each_device(case: &CaseResult) -> f64 {
    let share = super::devices(case).first().map_or(1.0, |step| step.amplification);
    concurrency(case) * if share > 0.0 && share < 1.0 { share } else { 1.0 }
}

/// Whether operations go to random places of a target.
pub(crate) fn is_random(case: &CaseResult) -> bool {
    to_targets(profile(case)).is_some_and(|flow| flow.order == Order::Random)
}

/// Bytes that the load touches of each target, or each worker of memory.
pub(crate) fn span(case: &CaseResult) -> Option<u64> {
    profile(case).span_bytes
}

/// Whether the load goes around the page cache, if it reads or writes files at all. A
/// mapped file is the page cache.
pub(crate) fn is_direct(case: &CaseResult) -> bool {
    let profile = profile(case);
    to_targets(profile).is_none() || profile.caches == Caches::None
}

/// A page.
const PAGE: f64 = 4096.0;

/// Whether a load that only writes has pages read before that the page cache does not hold: it writes parts of them there, or
/// maps its file.
pub(crate) fn reads_before_writing(case: &CaseResult) -> bool {
    let only_writes = direction(case) == Some(Direction::Write) && !is_direct(case);
    let is_mapped = profile(case).interface.as_deref() == Some("mmap");
    only_writes && (is_mapped || block(case).is_some_and(|block| block < PAGE))
}

/// Whether a load writes what the page cache takes first.
pub(crate) fn writes_through_cache(profile: &LoadProfile) -> bool {
    let reaches_cache = to_targets(profile).is_some() && profile.caches != Caches::None;
    reaches_cache && !profile.is_null && profile.does(OperationClass::Write)
}

/// Whether the load starts a new operation only when one ends. One that looks
/// for the rate that holds a latency is driven at rates.
pub(crate) fn is_closed(case: &CaseResult) -> bool {
    profile(case).concurrency.arrival == Arrival::Closed
}

/// Whether the load drives nothing: its own cost is what it measures.
pub(crate) fn is_null(case: &CaseResult) -> bool {
    profile(case).is_null
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::{Better, Resource, ResourceKind, Unit, Value};

    fn rates(case: &mut CaseResult, rates: &[(MetricName, f64)]) {
        for (name, value) in rates {
            let estimate = fixture::estimate(*value, Unit::BytesPerSecond, Better::Higher);
            case.loads.main.estimates.insert(*name, estimate);
        }
    }

    #[test]
    fn each_pattern_goes_its_way() {
        let mut case = fixture::case(1);
        rates(&mut case, &[(metric::THROUGHPUT, 100.0)]);
        fixture::set(&mut case, "read-share", 0.6);
        for (pattern, way, read, written) in [
            ("read", Some(Direction::Read), 100.0, 0.0),
            ("randread", Some(Direction::Read), 100.0, 0.0),
            ("write", Some(Direction::Write), 0.0, 100.0),
            ("randwrite", Some(Direction::Write), 0.0, 100.0),
            ("readwrite", None, 60.0, 40.0),
            ("randrw", None, 60.0, 40.0),
            ("trim", None, 0.0, 0.0),
            ("randtrim", None, 0.0, 0.0),
        ] {
            fixture::set(&mut case, "pattern", pattern);
            assert_eq!(direction(&case), way, "{pattern}");
            let bytes = of_load(profile(&case), &case.loads.main.estimates).unwrap();
            assert_eq!((bytes.read, bytes.written), (read, written), "{pattern}");
        }
        assert_eq!(of_load(&LoadProfile::default(), &case.loads.main.estimates), None, "no targets");
    }

    #[test]
    fn what_was_measured_of_a_mix_comes_before_what_was_asked() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "pattern", "randrw");
        rates(
            &mut case,
            &[(metric::THROUGHPUT, 100.0), (metric::READ_THROUGHPUT, 70.0), (metric::WRITE_THROUGHPUT, 30.0)],
        );
        assert_eq!(
            of_load(profile(&case), &case.loads.main.estimates).unwrap(),
            Bytes { read: 70.0, written: 30.0 }
        );
        assert_eq!(share(&case, OperationClass::Read), 0.5, "as asked");
        rates(&mut case, &[(metric::READ_IOPS, 3.0), (metric::WRITE_IOPS, 1.0)]);
        assert_eq!((share(&case, OperationClass::Read), share(&case, OperationClass::Write)), (0.75, 0.25));
    }

    /// Bug: connections were no operations, so that nobody knew how much of a CPU making them took.
    #[test]
    fn connections_are_operations() {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.connect");
        let told = [(metric::CONNECTIONS_PER_SECOND, 10_000.0), (metric::CPU_PER_OPERATION, 95e-6)];
        rates(&mut case, &told);
        assert_eq!(super::super::operations(&case), Some((metric::CONNECTIONS_PER_SECOND, 10_000.0)));
        let (name, cpu) = super::super::worker_cpu(&case).unwrap();
        assert_eq!(name, metric::CPU_PER_OPERATION);
        assert!((cpu - 0.95).abs() < 1e-9, "{cpu}");
    }

    #[test]
    fn every_target_has_its_own_threads() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "queue-depth", 8u64);
        fixture::set(&mut case, "threads", 2u64);
        assert_eq!((concurrency(&case), at_once(&case)), (16.0, 16.0));
        let targets = ["/a", "/b", "/c"].map(Value::from).to_vec();
        fixture::set(&mut case, "target", Value::List(targets));
        assert_eq!((concurrency(&case), workers(&case), at_once(&case)), (48.0, 6.0, 16.0));
    }

    /// Bug: the streams that fill a link counted as if they asked, and of messages
    /// under way at once only one did.
    #[test]
    fn messages_under_way_are_those_of_who_asks_and_not_the_streams_beside() {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.loaded");
        fixture::set(&mut case, "streams", 4u64);
        for (direction, threads) in [("none", 1.0), ("send", 5.0), ("receive", 5.0), ("both", 9.0)] {
            fixture::set(&mut case, "direction", direction);
            assert_eq!((concurrency(&case), workers(&case)), (1.0, threads), "{direction}");
        }
        fixture::workload(&mut case, "net.stream");
        assert_eq!((concurrency(&case), workers(&case)), (8.0, 8.0));
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "outstanding", 16u64);
        fixture::set(&mut case, "threads", 2u64);
        assert_eq!((concurrency(&case), workers(&case)), (32.0, 2.0));
    }

    #[test]
    fn a_mix_of_sizes_has_a_mean() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "pattern", "randread");
        fixture::set(&mut case, "block-size", 4096u64);
        assert_eq!((block(&case), one_block(&case)), (Some(4096.0), Some(4096)));
        let parts = ["4k:75%", "64k:25%"].map(Value::from).to_vec();
        fixture::set(&mut case, "block-size", Value::List(parts));
        assert_eq!((block(&case), one_block(&case)), (Some(19456.0), None));
    }

    /// Half a second with both, half with one: 150 in the mean, 200 together.
    #[test]
    fn targets_that_end_apart_moved_less_in_the_mean_than_together() {
        let mut case = fixture::disk_case("write", 200.0, 0.0);
        let trial = &mut case.trials[0];
        let put = |trial: &mut Trial, name: MetricName, value| {
            let quantity = Quantity { value, unit: Unit::Seconds };
            trial.result.main_mut().metrics.insert(name, quantity);
        };
        trial.result.main_mut().series = vec![model::trial::Series {
            resource: Resource::whole(ResourceKind::Load),
            name: series::THROUGHPUT,
            unit: Unit::BytesPerSecond,
            start_ns: 0,
            interval_ns: 250_000_000,
            values: vec![200.0, 200.0, 100.0, 100.0],
        }];
        put(trial, metric::FIRST_DONE, 1.0);
        put(trial, metric::LAST_DONE, 1.0);
        assert_eq!(moved_in(&case, &case.trials[0], OperationClass::Write), Some(200.0));
        put(&mut case.trials[0], metric::FIRST_DONE, 0.5);
        assert_eq!(moved_in(&case, &case.trials[0], OperationClass::Write), Some(150.0));
        assert_eq!(moved_in(&case, &case.trials[0], OperationClass::Read), None);
    }

    #[test]
    fn a_mapped_file_is_the_page_cache() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "pattern", "randread");
        fixture::set(&mut case, "direct", true);
        assert!(is_direct(&case));
        fixture::set(&mut case, "engine", "mmap");
        assert!(!is_direct(&case));
    }
}
