//! Limits that are held against what devices counted: a throttle of a device below a loop device or the page cache, or of
//! one of several that are driven at once, one of writes that flushes count against, and a link to the members of an array
//! with parity.

use std::ops::RangeInclusive;

use model::layer::{LayerArray, LayerDevice};
use model::limit::{Direction, Limit, LimitKind};
use model::profile::{Durability, OperationClass};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Machine, Resource, ResourceKind, Trial, metric};

use crate::measure::{self, DeviceWork, End, UnderWay};

/// How much more or less than the load asks for may pass a device below a loop device or the page cache, as
/// times of it: a file system keeps and adds a little, others much.
const ALIKE: RangeInclusive<f64> = 0.5..=1.5;
/// Of writes through the page cache no less: what memory takes meanwhile does not wait for the device.
const NEARLY_ALL: f64 = 0.9;
/// But writers that are slowed down for this share of the time wait for it, whatever memory took before; and so do readers
/// that neither compute nor stand ready without a CPU for so long.
const SLOWED: f64 = 0.5;
/// Members of a stripe have as much to do, but for so much of it by chance.
const MEMBER: f64 = 0.1;
/// Of what passes a device the load has less than this, or nobody else's is worth naming.
const OWN: f64 = 0.9;
/// A page.
const PAGE: f64 = 4096.0;
/// From this share of a throttle on it is used up.
pub(super) const REACHED: f64 = 0.95;
/// What a device moves is the loads' where it differs by no more than the edges of a window do.
const SAME: f64 = 0.05;
/// More than this of a throttle passed it unheld.
pub(super) const HELD: f64 = 1.15;

/// Whether what passes a step is what the load does: not behind the page cache, nor below a loop device.
pub(super) fn is_told(case: &CaseResult, step: &PathStep) -> bool {
    measure::is_direct(case) && !measure::below_loop(case, step)
}

/// Whether a load may read as well as write, so that a limit of one way is of a part of it.
pub(super) fn is_both_ways(case: &CaseResult) -> bool {
    // A discard counts as a write (`bio_data_dir` in include/linux/bio.h).
    measure::is_mixed(case)
        || measure::does_transactions(case)
        || measure::does(case, OperationClass::Trim)
        || measure::reads_before_writing(case)
}

/// Whether an imposed limit at a step is held against what its device did: where the load does not tell, where it is one of
/// several that the load drives, and where the load is one on a database, whose reads and writes are of pages.
pub(super) fn is_counted(case: &CaseResult, step: &PathStep) -> bool {
    measure::does_transactions(case) || !is_told(case, step) || is_one_of_several(case, step)
}

/// Whether a step is one of several devices of a load, and counts what it does: each target has workers of its own, so that
/// one which is held does less than the others, and nothing follows from what all do.
fn is_one_of_several(case: &CaseResult, step: &PathStep) -> bool {
    let counts = |trial: &Trial| DeviceWork::of(trial, &step.resource).is_some();
    measure::devices(case).len() > 1
        && step.resource.is_named(ResourceKind::Block)
        && measure::good(case).any(counts)
}

/// What a device counts of operations that go this way: their bytes, the requests made of them, and those that were joined
/// with others.
pub(super) fn counters(direction: Direction) -> [&'static str; 3] {
    match direction {
        Direction::Read => ["read_sectors", "reads", "reads_merged"],
        Direction::Write => ["written_sectors", "writes", "writes_merged"],
    }
}

/// What the device of an imposed limit below a loop device or the page cache did. Which requests the file
/// system above it makes of the load's is not known, but bytes are about as many, if it is
/// the load that they are of. Of a database nobody knows how many; but more than a throttle lets through is not its own.
pub(super) fn at_device(case: &CaseResult, machine: &Machine, limit: &Limit) -> Option<f64> {
    let direction = limit.direction?;
    let synced = synced_each(case, limit);
    if synced.is_some() {
        return synced;
    }
    let [bytes, requests, joined] = counters(direction);
    let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
    let is_database = measure::does_transactions(case);
    let whole = PathStep { resource: limit.resource.clone(), amplification: 1.0 };
    let is_own = || {
        let all = measure::of_load(measure::profile(case), &case.loads.main.estimates)?;
        // What is written has its page read before.
        let is_filled = direction == Direction::Read && measure::reads_before_writing(case);
        let own = all.of(Some(if is_filled { Direction::Write } else { direction }));
        let own = Some(own).filter(|own| *own > 0.0)?;
        let times = rate(bytes)? / own;
        // Of several devices one has a part of it, however small.
        let is_alike = ALIKE.contains(&times) || measure::devices(case).len() > 1 && times <= *ALIKE.end();
        let passed = if limit.quantity == metric::IOPS { rate(requests) } else { rate(bytes) };
        let is_read = direction == Direction::Read && !is_told(case, &whole) && is_used_up(limit, passed);
        let is_ahead = || is_read && is_read_ahead(case, machine, limit, times);
        let is_rest = || is_read && times < 1.0 && waits_mostly(case);
        Some(
            (is_alike || is_ahead() || is_rest())
                && (measure::is_direct(case) || times >= NEARLY_ALL || waits_for_it(case, direction)),
        )
    };
    if !is_database && is_own() != Some(true) {
        return None;
    }
    let passed = match limit.quantity {
        metric::IOPS => {
            // What was joined with a neighbour had passed the throttle before.
            let before = if is_one_of_several(case, &whole) { rate(joined) } else { None };
            with_flushes(case, limit, &whole, rate(requests)? + before.unwrap_or_default())
        }
        _ => rate(bytes)?,
    };
    // What is written back later no throttle of version 1 of control groups holds.
    let is_held = limit.bound().is_none_or(|bound| passed <= HELD * bound);
    (is_held || measure::is_direct(case) && !is_database).then_some(passed)
}

/// What a load that writes through the page cache and syncs each write has pass a throttle of writes, where that uses it up: its
/// pages pass before a sync returns. What a journal's thread writes beside them is not throttled with the load.
fn synced_each(case: &CaseResult, limit: &Limit) -> Option<f64> {
    let is_write = limit.direction == Some(Direction::Write)
        && !measure::is_direct(case)
        && !measure::does_transactions(case);
    let all = measure::estimated(case, metric::IOPS).filter(|_| is_write)?;
    let operations = all * measure::share(case, OperationClass::Write);
    let syncs = match measure::profile(case).durability {
        Durability::EachWrite => operations,
        Durability::Syncs => measure::estimated(case, metric::SYNCS_PER_SECOND)?,
        _ => return None,
    };
    let [bytes, requests, _] = counters(Direction::Write);
    let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
    let whole = PathStep { resource: limit.resource.clone(), amplification: 1.0 };
    let (own, least, passed) = match limit.quantity {
        metric::IOPS => (with_flushes(case, limit, &whole, operations), operations, rate(requests)?),
        _ => {
            let pages = operations * measure::block(case)?.max(PAGE);
            (pages, pages, rate(bytes)?)
        }
    };
    let is_used_up = (REACHED..=HELD).contains(&(own / limit.bound()?));
    let is_each = operations > 0.0 && syncs >= NEARLY_ALL * operations;
    (is_used_up && is_each && passed >= NEARLY_ALL * least).then_some(own)
}

/// Whether what passes a device uses up its throttle: that of others alone would be near it by chance only.
fn is_used_up(limit: &Limit, passed: Option<f64>) -> bool {
    let share = passed.zip(limit.bound()).map(|(passed, bound)| passed / bound);
    share.is_some_and(|share| (REACHED..=HELD).contains(&share))
}

/// Whether so many times what a load reads through the page cache, or from a loop device, may pass its device because the kernel
/// reads ahead, and uses up a throttle with it.
fn is_read_ahead(case: &CaseResult, machine: &Machine, limit: &Limit, times: f64) -> bool {
    let own = limit.resource.named(ResourceKind::Block).and_then(|name| measure::whole(machine, name));
    let devices = measure::wholes(case, Some(machine)).into_iter().chain(own);
    let ahead = devices.filter_map(|disk| disk.read_ahead_bytes).max();
    let of_block = |block: f64| (block.max(PAGE) + ahead.unwrap_or_default() as f64 + PAGE) / block;
    measure::block(case).is_some_and(|block| (1.0..=of_block(block)).contains(&times))
}

/// Whether the workers of a load wait for most of their time: of reads through the page cache for what that does not hold,
/// however little that is.
fn waits_mostly(case: &CaseResult) -> bool {
    let used = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case));
    used.is_some_and(|used| 1.0 - used >= SLOWED)
}

/// The share of a load's operations that discard, which a throttle of write operations holds as well.
pub(super) fn trims(case: &CaseResult, limit: &Limit) -> f64 {
    if limit.kind == LimitKind::Quota { measure::share(case, OperationClass::Trim) } else { 0.0 }
}

/// Whether a load through the page cache waits for the device though memory has a part in it: what memory does not hold is
/// read, and writers are slowed down to what the device takes.
fn waits_for_it(case: &CaseResult, direction: Direction) -> bool {
    match direction {
        Direction::Read => true,
        Direction::Write => measure::writeback(case).is_some_and(|found| found.throttled >= SLOWED),
    }
}

/// Operations per second of the load, `own`, with the flushes that count against a throttle of write operations: one that
/// comes of a sync is a bio that writes nothing (`blkdev_issue_flush` in `block/blk-flush.c`), and throttled as any other.
/// A journal's flushes are its own thread's, and not throttled with the load; nobody counts them apart. So flushes are
/// added only where all fit the throttle.
pub(super) fn with_flushes(case: &CaseResult, limit: &Limit, step: &PathStep, own: f64) -> f64 {
    let is_of_writes = limit.kind == LimitKind::Quota && limit.direction == Some(Direction::Write);
    let share = step.amplification;
    let own = in_pieces(case, limit, step, own);
    let Some(bound) = limit.bound().filter(|_| is_of_writes && share > 0.0) else { return own };
    let syncs = match measure::profile(case).durability {
        // How many a database makes only its device knows.
        _ if measure::does_transactions(case) => f64::INFINITY,
        Durability::EachWrite => own,
        Durability::Syncs => measure::estimated(case, metric::SYNCS_PER_SECOND).unwrap_or_default(),
        _ => 0.0,
    };
    let flushed = measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, "flushes"));
    let all = own + syncs.min(flushed.unwrap_or_default() / share);
    if all * share <= HELD * bound { all } else { own }
}

/// Operations per second of the load, `own`, as its device has them. What is too large for one request is split, and since
/// Linux 5.18 each piece counts against a throttle of operations (`bio_submit_split` in block/blk-merge.c); so do those of
/// loads beside it. Where all of these fit the throttle, they are what it held.
fn in_pieces(case: &CaseResult, limit: &Limit, step: &PathStep, own: f64) -> f64 {
    let pieces = || {
        let (_, [_, requests, joined]) = of_loads(case, limit, step)?;
        let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
        let count = rate(requests)? + rate(joined).unwrap_or_default();
        (count <= HELD * limit.bound()?).then_some(count)
    };
    pieces().or_else(|| with_others(case, limit, step)).filter(|count| *count > own).unwrap_or(own)
}

/// What passes the device of a throttle in each second, where all of that uses it up, a good part is not the load's, and the
/// load's operations wait before they come to the device: others in its control group have the rest.
fn with_others(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    let is_whole = (step.amplification - 1.0).abs() < 1e-9;
    let direction = limit.direction.filter(|_| is_whole && limit.kind == LimitKind::Quota)?;
    let [bytes, requests, joined] = counters(direction);
    let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
    let all = rate(bytes)?;
    let passed = match limit.quantity {
        metric::IOPS => rate(requests)? + rate(joined).unwrap_or_default(),
        _ => all,
    };
    let own = measure::of_load(measure::profile(case), &case.loads.main.estimates)?.of(Some(direction));
    let is_shared = own > 0.0 && own < OWN * all;
    let is_used_up = (REACHED..=HELD).contains(&(passed / limit.bound()?));
    let waits = || UnderWay::of(case, &limit.resource).is_some_and(|found| found.is_above());
    (is_shared && is_used_up && waits()).then_some(passed)
}

/// Operations per second of the load of which a member of a stripe or an array has its part, by what it counted, where an
/// imposed limit is of that member and it moves about the part of the load's bytes that the path says.
pub(super) fn at_member(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    let is_member = step.resource.is_named(ResourceKind::Block) && step.amplification > 0.0;
    let direction = limit.direction.filter(|_| is_member && limit.kind == LimitKind::Quota)?;
    let [bytes, requests, joined] = counters(direction);
    let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
    let own = measure::of_load(measure::profile(case), &case.loads.main.estimates)?.of(Some(direction));
    let times = rate(bytes)? / (own * step.amplification);
    // What was joined with a neighbour had passed the throttle before.
    let count = rate(requests)? + rate(joined).unwrap_or_default();
    let is_alike = (times - 1.0).abs() <= MEMBER;
    is_alike.then_some(count / step.amplification)
}

/// Bytes per second that pass the device of a throttle, which all loads of the case together make, with the counters of it.
/// Where others use it, or a load drives another one as well, it is not known whose they are.
fn of_loads(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<(f64, [&'static str; 3])> {
    let is_whole = (step.amplification - 1.0).abs() < 1e-9;
    let direction = limit.direction.filter(|_| is_whole && limit.kind == LimitKind::Quota)?;
    let counters = counters(direction);
    let [bytes, ..] = counters;
    let passed = measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, bytes))?;
    let all = case.loads.iter().filter_map(|load| measure::of_load(&load.profile, &load.estimates));
    let all: f64 = all.map(|moved| moved.of(Some(direction))).sum();
    (all > 0.0 && (passed / all - 1.0).abs() <= SAME).then_some((passed, counters))
}

/// Bytes per second that pass a limit, where counters tell it better than the load: a throttle of a device that loads beside
/// it drive too, in whatever files, and a link to members of arrays with parity.
pub(super) fn passed(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    let shared = || of_loads(case, limit, step).filter(|_| !case.loads.beside.is_empty());
    behind_link(case, limit, step)
        .or_else(|| shared().map(|(passed, _)| passed))
        .or_else(|| with_others(case, limit, step))
}

/// Bytes per second that pass a link to members of arrays with parity, by what these counted. Writes of whole stripes
/// make as much of each byte as the path says; smaller ones read first, and write parity more often. Members have about
/// as much to do, so the link's share of them is that of the path.
fn behind_link(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    let layers = measure::stacked(case).filter(|_| limit.kind == LimitKind::Link)?;
    let has_parity = |device: &&LayerDevice| device.array.as_ref().is_some_and(LayerArray::has_parity);
    let arrays = layers.devices.iter().filter(has_parity);
    let below: Vec<&Resource> = arrays.flat_map(|array| &array.below).collect();
    if below.is_empty() {
        return None;
    }
    let is_member = |step: &&PathStep| below.contains(&&step.resource);
    let all: f64 = case.path.iter().filter(is_member).map(|step| step.amplification).sum();
    let is_duplex = step.resource.kind().is_full_duplex();
    let counted = measure::median(case, |trial| {
        let members = below.iter().map(|member| DeviceWork::of(trial, member));
        let members: Vec<DeviceWork> = members.collect::<Option<_>>()?;
        let read: f64 = members.iter().map(|work| work.read).sum();
        let written: f64 = members.iter().map(|work| work.written).sum();
        Some(match limit.direction {
            Some(Direction::Read) => read,
            Some(Direction::Write) => written,
            None if is_duplex => read.max(written),
            None => read + written,
        })
    })?;
    (all > 0.0).then(|| counted * (step.amplification / all).min(1.0))
}

#[cfg(test)]
mod tests;
