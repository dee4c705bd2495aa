//! A constant limit of unknown origin: a rate that is the same whatever is asked, while nothing
//! that is known is near it. A hypervisor, a provider, a controller or a link that does not say its
//! rate may meter it; who it is cannot be seen from here, unless the figure is published.
//!
//! A device that is full gives a rate that more depth does not raise, too (`device-full`), so that
//! a rate which is flat over depth accuses nobody. What a clock meters differs from what a device
//! can do in what the rate does *not* depend on, and each of these signs alone is one that devices do
//! not give. All are shown to 1 % by the 90 % interval of trials beside each other, not by
//! medians that happen to agree.
//!
//! * **sizes, operations**: as many operations per second of sizes that differ four times and more.
//!   A device moves bytes as well: at 10 GB/s, which no disk has, 12 KiB more take 1.2 us, of the
//!   15 us between two operations of a disk of 68,000/s 8 %. Sizes below 4 KiB are the same work
//!   for many. Platters are left out: what turns takes 8 ms for 4 or 16 KiB.
//! * **sizes, bytes**: as many bytes per second of random operations of 16 KiB or less and of ones
//!   sixteen times larger. From some size on every device is full by its bytes, which says nothing;
//!   small ones cost each a command, a look-up and a page that is read whole.
//! * **idle**: random reads, one at a time and several give the same. While the program takes in an
//!   answer and asks again (`cpu_per_operation`), a device that is asked for one at a time has
//!   nothing to do; were it what is full, a second read would use that time, and the rate would
//!   grow by its share. A clock goes on meanwhile. Only of reads: buffers that take writes empty
//!   themselves in such pauses.
//! * **paced**: random reads are far more regular than their waiting. If some take 0.1 ms and some
//!   20 ms by themselves, the number that ends in a time varies: of times that are independent, the
//!   variance of the count over its mean is the squared coefficient of variation of one time (Cox,
//!   "Renewal Theory", 1962, section 4.2), and a queue before one server makes it more, not less. A
//!   throttle lets pass so many in each period: all waiting, no variance.
//!
//! A link of which nobody states the speed is just such a limit, and TCP knows that it waited for
//! the path ([`path`]). It is named where no processor of either end is near full, no window is, and either
//! one stream and four get the same, or a queue stands before the link (the round trip is well
//! above its least) and the rate is flat to 1 % over trials and within each.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::profile::{Aspect, OperationClass};
use model::run::{CaseResult, Utilization};
use model::{MetricName, Resource, Severity, Trial, Unit, metric, series};
use stats::comparison::{paired_ratio, unpaired_ratio};

use super::{FULL, Verdict, cores, device, end_core, finding, path, pushed_back, server, shown};
use crate::measure::End;
use crate::{Context, measure};

/// What is flat, as a share.
const FLAT: f64 = 0.01;
/// No known limit lies within this share.
const NEAR: f64 = 0.1;
/// Of a line rate, payload gets a share that nobody knows (`link`).
const NEAR_LINE: f64 = 0.25;
/// A processor that is busier may be the limit.
const BUSY: f64 = 0.80;
/// Sizes of operations must differ so many times.
const SIZES: u64 = 4;
/// From which on they are different work.
const SIZE_LEAST: u64 = 4096;
/// Of bytes: the smaller ones are at most so large, and the larger so many times.
const SMALL: u64 = 16384;
const SIZES_OF_BYTES: u64 = 16;
/// So many times as much under way.
const DEEPER: f64 = 4.0;
/// The program must take so much of the time for itself that the rate would tell it: rates are
/// compared to half of it, and no counter of seconds is surer than a tenth of this.
const PAUSE: f64 = 0.004;
/// The squared coefficient of variation of latencies from which on they vary much.
const VARIED: f64 = 0.3;
/// Counts that vary by less than this share of what independent times give are paced.
const PACED: f64 = 0.1;
/// Means of five intervals that are needed to tell.
const CHUNKS: usize = 8;
/// So many others of which one may be held are looked at.
const ASKED_MOST: usize = 4;
/// So many times as many streams.
const STREAMS: f64 = 4.0;

pub(super) const ENGLISH: &str = r#"
finding-constant-limit =
    { $published ->
        [yes] { RESOURCE($resource) }{ of-end } { verb-is } held at { SHORT($rate, $unit) }, as published ({ $source })
       *[no] { RESOURCE($resource) }{ of-end } { verb-is } held at { SHORT($rate, $unit) } by a constant limit of unknown origin
    }: { evidence-constant }
    .advice =
        somebody meters it: a hypervisor, a provider, a controller, or a link that does not say its rate; ask whoever
        runs the machine what is allowed

evidence-constant =
    { $by ->
        [operations] as many operations of { BINARY($from) } as of { BINARY($to) }, to { PERCENT($within) }
        [bytes] as many bytes in operations of { BINARY($from) } as in ones of { BINARY($to) }, to { PERCENT($within) }
        [idle] { FIXED($to) } at a time give as much as { FIXED($from) }, to { PERCENT($within) }, though one at a time
            leaves it { PERCENT($pause) } of the time without work
        [paced] reads that take between nothing and long end as regularly as by a clock: their number varies by
            { PERCENT($within) } of what such times make it
        [streams] { FIXED($to) } streams get as much as { FIXED($from) }, to { PERCENT($within) }
       *[course] the connection waits for the path { PERCENT($path) } of the time, a queue stands there, and the rate is
            flat to { PERCENT($within) }
    }, and nothing known is near it
"#;

/// What shows that a clock meters it.
struct Sign {
    by: &'static str,
    from: f64,
    to: f64,
    /// How far the rate may differ, as a share.
    within: f64,
    /// The metric that is constant.
    metric: MetricName,
    /// Of the time: what the program takes, or the connection waits for the path.
    share: f64,
    /// Where it is seen.
    place: Place,
}

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    if case.utilization.iter().any(is_near) || !measure::is_closed(case) || measure::is_null(case) {
        return Verdict::Elsewhere;
    }
    let found = if measure::is_net(case) {
        of_path(case, context).zip(path::interface(case))
    } else {
        of_device(case, context).zip(measure::devices_name(case).map(|device| (device, End::Drives)))
    };
    found.map_or(Verdict::Elsewhere, |(sign, place)| Verdict::Full(Box::new(held(case, &sign, place))))
}

/// Whether a limit that is known is so near that it may be the one. A baseline that is published
/// is what it is called if it is reached.
fn is_near(used: &Utilization) -> bool {
    let least = match used.usual {
        Some(range) => (1.0 - NEAR) * range.least / used.limit,
        None if used.line_only => 1.0 - NEAR_LINE,
        None => 1.0 - NEAR,
    };
    let is_bound =
        !matches!(used.kind, LimitKind::Promise) && ![metric::CPU, metric::DIRTY].contains(&used.quantity);
    is_bound && used.allowance.is_none() && (least..=1.0 + NEAR).contains(&used.fraction)
}

fn held(case: &CaseResult, sign: &Sign, (resource, end): (Resource, End)) -> model::Finding {
    let rate = measure::estimated(case, sign.metric).unwrap_or_default();
    let unit = if sign.metric == metric::THROUGHPUT { Unit::BytesPerSecond } else { Unit::PerSecond };
    let (written, symbol) = measure::written(rate, unit, &resource);
    let is_published = |used: &&Utilization| {
        used.allowance.is_some() && used.quantity == sign.metric && (used.fraction - 1.0).abs() <= 1.0 - FULL
    };
    let published = case.utilization.iter().find(is_published);
    let mut evidence = Evidence::at("constant", sign.place.clone());
    let mut found = finding("constant-limit", Severity::Warning)
        .on(resource)
        .arg("end", end.word())
        .arg("machine", end.machine(case).unwrap_or_default())
        .arg("rate", written)
        .arg("unit", symbol)
        .arg("published", if published.is_some() { "yes" } else { "no" })
        .arg("source", published.map_or("", |used| used.source.as_str()));
    for (name, value) in [
        ("from", sign.from),
        ("to", sign.to),
        ("within", sign.within),
        ("pause", sign.share),
        ("path", sign.share),
    ] {
        evidence = evidence.arg(name, value);
        found = found.arg(name, value);
    }
    found.arg("by", sign.by).because(evidence.arg("by", sign.by)).because(shown("demand", sign.metric))
}

/// A device that is full and gives a sign. Without one it is just full.
fn of_device(case: &CaseResult, context: &Context<'_>) -> Option<Sign> {
    let disks = measure::wholes(case, context.machine);
    let is_plain = |disk: &&model::machine::BlockDevice| {
        measure::is_memory(disk) || measure::is_platter(context.machine, disk)
    };
    let is_busy = cores::each(case, context).is_some_and(|(_, each)| each > BUSY)
        || end_core::most_busy(case, End::Drives).is_some_and(|busy| busy > 1.0 - NEAR);
    if !measure::is_direct(case) || is_busy || disks.iter().any(is_plain) || measure::is_mixed(case) {
        return None;
    }
    // What is given back is counted; that somebody meters it would be concluded.
    if pushed_back::felt(case, context).is_some() {
        return None;
    }
    let own = of_itself(case, context);
    let is_full = is_full(case, context);
    own.or_else(|| if is_full { as_another(case, context) } else { None }).filter(|_| is_full)
}

/// Whether more under way gives no more.
fn is_full(case: &CaseResult, context: &Context<'_>) -> bool {
    device::is_flat(case, context)
}

/// How far a rate may be from another's, as a share: the further end of the interval that decides
/// on "same". Trials of one block ran beside each other; a level of a search has blocks of its own.
fn apart(a: &CaseResult, b: &CaseResult, of: impl Fn(&Trial) -> Option<f64>) -> Option<f64> {
    let pairs = measure::pairs(a, b, &of);
    let all = |case: &CaseResult| measure::good(case).filter_map(&of).collect::<Vec<f64>>();
    let apart = || unpaired_ratio(&all(a), &all(b), crate::CONFIDENCE);
    let same = paired_ratio(&pairs, crate::CONFIDENCE).or_else(apart)?.equivalence;
    Some((same.high - 1.0).abs().max((same.low - 1.0).abs()))
}

/// Whether the medians are near enough for trials to be asked.
fn may_agree(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a > 0.0 && (b / a - 1.0).abs() <= FLAT)
}

/// The same operations, or the same bytes, of sizes that differ much.
fn over_sizes(case: &CaseResult, context: &Context<'_>) -> Option<Sign> {
    let own = measure::one_block(case).filter(|size| *size >= SIZE_LEAST)?;
    // A search finds a depth of its own for each size.
    let members = match context.siblings.search_of(case) {
        Some(_) => context.siblings.same_but_at_any_depth(case, Aspect::Sizes),
        None => context.siblings.same_but(case, Aspect::Sizes),
    };
    let others = || members.iter().filter(|member| member.is_estimated).map(|m| context.siblings.case(m));
    let fits = |other: &CaseResult, times: u64| {
        let (less, more) = measure::one_block(other).map(|size| (size.min(own), size.max(own)))?;
        (less >= SIZE_LEAST && more / less >= times).then_some((less, more))
    };
    let sign = |by, metric: MetricName, other: &CaseResult, (less, more): (u64, u64)| {
        let of = |case: &CaseResult| measure::estimated(case, metric);
        let near = may_agree(of(case), of(other)) && is_full(other, context);
        let within = near.then(|| apart(case, other, |t| measure::measured(t, metric)))??;
        let place = Place::Case(other.label.to_string());
        (within <= FLAT).then_some(Sign {
            by,
            from: less as f64,
            to: more as f64,
            within,
            metric,
            share: 0.0,
            place,
        })
    };
    let operations = |other| sign("operations", metric::IOPS, other, fits(other, SIZES)?);
    let bytes = |other| {
        let sizes =
            fits(other, SIZES_OF_BYTES).filter(|(less, _)| *less <= SMALL && measure::is_random(case))?;
        sign("bytes", metric::THROUGHPUT, other, sizes)
    };
    others().find_map(operations).or_else(|| others().find_map(bytes))
}

/// The same work at another depth or of another size that gives as much and is held so: who meters
/// one meters both. Its trials say to 1 % that it is held, and the medians of both that they are one.
fn as_another(case: &CaseResult, context: &Context<'_>) -> Option<Sign> {
    let rate = |case: &CaseResult| measure::operations(case).map(|(_, rate)| rate);
    let depths = device::neighbours(case, context).into_iter().filter_map(|at| context.siblings.at(at));
    let sizes = context.siblings.same_but(case, Aspect::Sizes);
    let sizes = sizes.iter().filter(|member| member.is_estimated).map(|m| context.siblings.case(m));
    // One of many that has no sign speaks for the others.
    let near = depths.chain(sizes).filter(|other| !std::ptr::eq(*other, case));
    let others = near.filter(|other| may_agree(rate(case), rate(other))).take(ASKED_MOST);
    // Of another size only as many operations are the same.
    let is_same = |sign: &Sign, other: &CaseResult| {
        sign.metric != metric::THROUGHPUT || measure::one_block(case) == measure::one_block(other)
    };
    let sign = |other: &CaseResult| {
        is_full(other, context)
            .then(|| of_itself(other, context))
            .flatten()
            .filter(|sign| is_same(sign, other))
            .map(|sign| Sign { place: Place::Case(other.label.to_string()), ..sign })
    };
    others.into_iter().find_map(sign)
}

/// What the trials of a case show by themselves, or beside those of other sizes and depths.
fn of_itself(case: &CaseResult, context: &Context<'_>) -> Option<Sign> {
    over_sizes(case, context).or_else(|| idle(case, context)).or_else(|| paced(case))
}

/// Whether the load only reads at random places.
fn reads_at_random(case: &CaseResult) -> bool {
    let profile = measure::profile(case);
    let only = profile.does(OperationClass::Read) && !profile.does(OperationClass::Write);
    only && measure::is_random(case)
}

/// One at a time gives as much as several, though it leaves the device without work.
fn idle(case: &CaseResult, context: &Context<'_>) -> Option<Sign> {
    if !reads_at_random(case) {
        return None;
    }
    let own = measure::concurrency(case);
    let rate = |case: &CaseResult| measure::operations(case).map(|(_, rate)| rate);
    let groups = context.siblings.at_depths(case);
    let members = groups.iter().flat_map(|group| group.iter()).filter(|other| other.is_estimated);
    let levels = context.siblings.search_of(case).map(|(searched, _)| context.siblings.levels_of(searched));
    let others = members.map(|member| context.siblings.case(member)).chain(levels.into_iter().flatten());
    let sign = |other: &CaseResult| {
        let (one, several) = if own <= 1.0 { (case, other) } else { (other, case) };
        let (from, to) = (measure::concurrency(one), measure::concurrency(several));
        if from > 1.0 || to < DEEPER || !may_agree(rate(one), rate(several)) {
            return None;
        }
        let pause = measure::worker_cpu(one).map(|(_, share)| share).filter(|share| *share >= PAUSE)?;
        let within = apart(several, one, measure::trial_operations)?;
        let (name, _) = measure::operations(case)?;
        let place = Place::Case(other.label.to_string());
        let sign = Sign { by: "idle", from, to, within, metric: name, share: pause, place };
        (within <= FLAT && within <= pause / 2.0).then_some(sign)
    };
    others.filter(|other| !std::ptr::eq(*other, case)).find_map(sign)
}

/// Reads that end more regularly than their latencies would have it.
fn paced(case: &CaseResult) -> Option<Sign> {
    if !reads_at_random(case) {
        return None;
    }
    let of = |trial: &Trial| {
        let course = measure::course(case, trial, series::OPERATIONS)?;
        let inside = measure::within_window(trial, course)?;
        let spread = stats::bucket::spread(inside)?;
        let latency = measure::distribution(&trial.result.main().histograms, metric::LATENCY)?;
        let varies = latency.variation()?.powi(2);
        let each = inside.iter().sum::<f64>() / inside.len() as f64 * course.interval_ns as f64 / 1e9;
        // Of five intervals: the variance of their count over its mean.
        let dispersion = spread.of_five.powi(2) * each * 5.0;
        (varies >= VARIED).then_some((dispersion / varies, inside.len() / 5))
    };
    let all: Vec<(f64, usize)> = measure::good(case).filter_map(of).collect();
    let chunks: usize = all.iter().map(|(_, chunks)| chunks).sum();
    let within = all.iter().map(|(share, n)| share * *n as f64).sum::<f64>() / chunks.max(1) as f64;
    let (name, _) = measure::operations(case)?;
    let place = Place::Series { resource: Resource::LOAD, name: series::OPERATIONS };
    let is_paced = chunks >= CHUNKS && within <= PACED && all.len() == measure::good(case).count();
    is_paced.then_some(Sign { by: "paced", from: 0.0, to: 0.0, within, metric: name, share: 0.0, place })
}

/// A stream that waits for the path, which has a constant rate.
fn of_path(case: &CaseResult, context: &Context<'_>) -> Option<Sign> {
    let watched = Some(case).filter(|case| path::is_watched(case));
    let waits = watched.and_then(|case| path::waited_for(case).or_else(|| waited_for_server(case)))?;
    over_streams(case, context, waits).or_else(|| course(case, waits))
}

/// The share of the time for which the client waited for a server, and for no window of its own.
fn waited_for_server(case: &CaseResult) -> Option<f64> {
    server::waited(case).filter(|_| server::window(case).is_none())
}

fn over_streams(case: &CaseResult, context: &Context<'_>, waits: f64) -> Option<Sign> {
    let rate = |case: &CaseResult| measure::estimated(case, metric::THROUGHPUT);
    let own = measure::concurrency(case);
    let members = context.siblings.same_but(case, Aspect::Streams);
    let others = members.iter().filter(|member| member.is_estimated).map(|m| context.siblings.case(m));
    let sign = |other: &CaseResult| {
        let (from, to) = (own.min(measure::concurrency(other)), own.max(measure::concurrency(other)));
        if to < STREAMS * from || !may_agree(rate(case), rate(other)) {
            return None;
        }
        let within = apart(case, other, |t| measure::measured(t, metric::THROUGHPUT))?;
        let place = Place::Case(other.label.to_string());
        let sign = Sign { by: "streams", from, to, within, metric: metric::THROUGHPUT, share: waits, place };
        (within <= FLAT).then_some(sign)
    };
    others.into_iter().find_map(sign)
}

/// Flat over trials and within each, with a queue before it.
fn course(case: &CaseResult, waits: f64) -> Option<Sign> {
    // Of a server nobody knows whether a queue stands before it.
    let is_queued = match path::round_trips(case) {
        Some((rtt, least)) => rtt >= path::QUEUED * least,
        None => server::waited(case).is_some(),
    };
    let rates: Vec<f64> =
        measure::good(case).filter_map(|t| measure::measured(t, metric::THROUGHPUT)).collect();
    let around = stats::interval::of_center(&rates, crate::CONFIDENCE)?;
    let middle = stats::interval::median(&rates).filter(|rate| *rate > 0.0)?;
    let over_trials = (around.high / middle - 1.0).max(1.0 - around.low / middle);
    let inside = |trial: &Trial| {
        let course = measure::course(case, trial, series::THROUGHPUT)?;
        stats::bucket::spread(measure::within_window(trial, course)?).map(|spread| spread.of_five)
    };
    let spreads: Vec<f64> = measure::good(case).filter_map(inside).collect();
    let within = spreads.iter().copied().fold(over_trials, f64::max);
    let is_flat = within <= FLAT && is_queued && spreads.len() == rates.len();
    let place = Place::Series { resource: Resource::LOAD, name: series::THROUGHPUT };
    is_flat.then_some(Sign {
        by: "course",
        from: 0.0,
        to: 0.0,
        within,
        metric: metric::THROUGHPUT,
        share: waits,
        place,
    })
}

#[cfg(test)]
pub(super) mod tests;
