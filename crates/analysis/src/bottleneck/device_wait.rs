//! A device that a load waits for, of which nothing shows how much it can do: one behind the page cache, or one that does
//! not keep a rate.
//!
//! What the page cache answers, or takes over, costs processor time and no waiting. So a load that neither computes nor
//! stands ready without a CPU waits for what the page cache does not hold, or until what it syncs is on the device; that
//! the device had to do with it, its own counters say. Whether it is full shows only past the page cache.
//!
//! Of a rate that is not kept: where all operations that may be in flight are (Little's law, by the time since each was
//! sent), those that are due wait for these.

use model::finding::{Evidence, Place};
use model::limit::Direction;
use model::profile::{Durability, OperationClass, WaitsFor};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Finding, Resource, Severity, Trial, Value, metric};

use super::flushed::Flushed;
use super::network::DECIDES;
use super::{Verdict, device_queue, finding, mounted_sync, shown};
use crate::measure::End;
use crate::validity::page_cache;
use crate::{Context, measure};

/// Less of what a load reads or writes that passes the device is the edges of a window, or others'.
const PASSED: f64 = 0.05;

/// Who has pages read before it writes to them has as many bytes read as it writes, or hardly waits for these.
const FILLED: f64 = 1.0;

/// A page.
const PAGE: u64 = 4096;

/// From this share of the operations that may be in flight on, all are.
const ALL: f64 = 0.8;

/// Workers that compute for more than this share may be what does not keep the rate.
const BUSY: f64 = 0.8;

pub(super) const ENGLISH: &str = r#"
finding-device-bound =
    { RESOURCE($resource) } hold{ verb-s } this back: { $how ->
        [reads] the load waits { PERCENT($share) } of the time for { pronoun-them } to deliver what the page cache does not hold{ $ahead ->
            [off] , and nothing is read ahead (read_ahead_kb)
           *[yes] {""}
        }
        [syncs] the load waits { PERCENT($share) } of the time until what it wrote is there{ $flushed ->
            [yes] , and a flush is under way { PERCENT($flushing) } of the time ({ SHORT($flushes, unit: "1/s") })
           *[no] {""}
        }
        [each] the load waits { PERCENT($share) } of the time until each of its writes is there, though it syncs nothing: { $option ->
            [none] a mount option or an attribute of the file has it so (sync, chattr +S)
           *[sync] its file system is mounted with { $option }
        }
        [fills] the load waits { PERCENT($share) } of the time until the pages are read that it writes to
        [flight] all { FIXED($depth) } operations that the load may have in flight are there, each for
            { SHORT($latency_s, unit: "s") }, and more are due
       *[stream] { PERCENT($share) } of the time the client waits for { pronoun-them } to take the data, and the server waits meanwhile
    }
    .advice =
        { $how ->
            [reads] { $ahead ->
                [yes] a longer read-ahead (--set read-ahead) or more --threads have
                [off] a read-ahead (--set read-ahead) or more --threads have
               *[no] more --threads have
            } more read at once; --direct yes --queue-depth 1..64 shows what the device can do
            [syncs] fewer syncs, each of more writes, or a device whose flushes are quick: one with a cache that outlives a
                power cut; more --threads may share syncs
            [each] writes need not wait without that option or attribute; larger writes wait less often
            [fills] writes of whole pages (4 KiB) to a file that is not mapped read nothing before; more --threads have more read at once
            [flight] a greater --queue-depth or more --threads ask for more at once; without --rate they show the most that { pronoun-it } give{ verb-s }
           *[stream] headroom run disk --pattern write --block-size { BINARY($buffer) } shows what the device can do alone;
                a larger --buffer makes larger writes, and more --streams write more at once
        }

evidence-device-wait =
    each worker waits { PERCENT($share) } of the time, and { RESOURCE($resource) } { $how ->
        [reads] deliver{ verb-s } { FIXED($passed, decimals: 2) } bytes for each that is read
        [fills] deliver{ verb-s } { FIXED($passed, decimals: 2) } bytes for each that is written
       *[syncs] take{ verb-s } { FIXED($passed, decimals: 2) } bytes for each that is written
    }
evidence-device-synced =
    each worker waits { PERCENT($share) } of the time, and { RESOURCE($resource) } take{ verb-s } { SHORT($rate, unit: "1/s") } writes
    meanwhile, for { SHORT($synced, unit: "1/s") } operations whose changes are synced
evidence-device-in-flight =
    { FIXED($under_way, decimals: 1) } of { FIXED($depth) } operations are in flight in the mean, each for
    { SHORT($latency_s, unit: "s") }
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    // What a client writes that comes over a network is judged with the server.
    let Some(device) = measure::devices_name(case).filter(|_| !measure::is_net(case)) else {
        return Verdict::Elsewhere;
    };
    let found = if measure::does(case, OperationClass::Metadata) {
        names_synced(case, device).or_else(|| mounted_sync::of_names(case, context))
    } else if !measure::is_direct(case) {
        behind_the_cache(case, device, context).or_else(|| mounted_sync::examine(case, context))
    } else if !measure::is_closed(case) {
        in_flight(case, device, context)
    } else {
        None
    };
    found.unwrap_or(Verdict::Elsewhere)
}

fn bound(device: Resource, how: &str) -> Finding {
    finding("device-bound", Severity::Note).on(device).arg("how", how)
}

/// With what flushes have of the time, where that is most of it.
fn with_flushes(found: Finding, case: &CaseResult) -> Finding {
    let flushed = Flushed::of(case).filter(|flushed| flushed.decides(case));
    let found = found.arg("flushed", flushed.is_some());
    match flushed {
        Some(flushed) => found.arg("flushing", flushed.share).arg("flushes", flushed.rate),
        None => found,
    }
}

/// What a load through the page cache can wait for at its device, and in which operations.
fn waits_in(case: &CaseResult) -> Option<(&'static str, OperationClass)> {
    let syncs = !matches!(measure::profile(case).durability, Durability::None | Durability::End);
    let direction = measure::direction(case).or_else(|| slower(case))?;
    match direction {
        Direction::Read => Some(("reads", OperationClass::Read)),
        // What is not synced waits for the device only where the page cache is full (`writeback`).
        Direction::Write => syncs.then_some(("syncs", OperationClass::Write)),
    }
}

/// Of a load that reads and writes, what has more of its time; its syncs are of what it writes.
fn slower(case: &CaseResult) -> Option<Direction> {
    let time = |class: OperationClass| {
        measure::median(case, |trial| {
            let mean_s =
                measure::mean_of(&trial.result.main().histograms, metric::LATENCY.of(class.name())?)?;
            Some(measure::measured(trial, metric::IOPS.of(class.name())?)? * mean_s)
        })
    };
    let (read, written) = (time(OperationClass::Read)?, time(OperationClass::Write)?);
    Some(if read >= written + syncing(case) { Direction::Read } else { Direction::Write })
}

/// How many syncs are under way in the mean.
fn syncing(case: &CaseResult) -> f64 {
    let of = |trial: &Trial| measure::mean_of(&trial.result.main().histograms, metric::SYNC_LATENCY);
    let rate = measure::estimated(case, metric::SYNCS_PER_SECOND);
    rate.zip(measure::median(case, of)).map_or(0.0, |(rate, mean_s)| rate * mean_s)
}

/// A load that makes and removes files, and syncs what it did: it waits until the file system has written that.
fn names_synced(case: &CaseResult, device: Resource) -> Option<Verdict> {
    let (_, synced) =
        measure::operations(case).filter(|_| measure::profile(case).may_wait_for(&WaitsFor::Flush))?;
    let used = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case))?;
    let share = (1.0 - used).max(0.0);
    let devices = measure::devices(case);
    let first = &devices.first()?.resource;
    // Several that end together are written at once.
    let rate = measure::median(case, |trial| measure::rate(trial, first, "writes"))?;
    let place = measure::place(case, first, "writes").filter(|_| rate >= PASSED * synced)?;
    let evidence = Evidence::at("device-synced", place)
        .arg("resource", device.as_str())
        .arg("share", share)
        .arg("rate", rate)
        .arg("synced", synced);
    if share < DECIDES {
        return Some(Verdict::Free(evidence));
    }
    let found = with_flushes(bound(device, "syncs").arg("share", share), case);
    Some(Verdict::Full(Box::new(found.because(evidence))))
}

/// What of a load through the page cache passes its device, in bytes for each of its own, with what it waits for there.
fn passed_in(case: &CaseResult) -> Option<(&'static str, f64, Place)> {
    let own = waits_in(case).and_then(|(how, class)| {
        let (passed, place) = page_cache::on_device(case, class).filter(|(passed, _)| *passed >= PASSED)?;
        Some((how, passed, place))
    });
    own.or_else(|| filled(case))
}

/// Bytes that the device delivers for each of a load that only writes, of which pages are read before that the page cache does
/// not hold.
fn filled(case: &CaseResult) -> Option<(&'static str, f64, Place)> {
    let devices = measure::devices(case);
    let first = devices.first().filter(|_| measure::reads_before_writing(case))?;
    let passed = measure::median(case, |trial| {
        let written = measure::moved_in(case, trial, OperationClass::Write).filter(|bytes| *bytes > 0.0)?;
        let read = |step: &&PathStep| measure::rate(trial, &step.resource, "read_sectors");
        Some(devices.iter().map(read).sum::<Option<f64>>()? / written)
    })?;
    let place = measure::place(case, &first.resource, "read_sectors").filter(|_| passed >= FILLED)?;
    Some(("fills", passed, place))
}

/// How the kernel may read ahead of a load: not at all where its places are random, or where no more than a page is allowed.
fn ahead(case: &CaseResult, context: &Context<'_>) -> Value {
    if measure::is_random(case) {
        return Value::Bool(false);
    }
    let disks = measure::wholes(case, context.machine);
    let most = disks.iter().filter_map(|disk| disk.read_ahead_bytes).max();
    // A setting of the study may have changed it since.
    let is_set = case.settings.keys().any(|key| key.split('@').next() == Some("read-ahead"));
    if most.is_some_and(|bytes| bytes <= PAGE) && !is_set { "off".into() } else { Value::Bool(true) }
}

fn behind_the_cache(case: &CaseResult, device: Resource, context: &Context<'_>) -> Option<Verdict> {
    let (how, passed, place) = passed_in(case)?;
    let used = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case))?;
    let share = (1.0 - used).max(0.0);
    let evidence = Evidence::at("device-wait", place)
        .arg("resource", device.as_str())
        .arg("how", how)
        .arg("share", share)
        .arg("passed", passed);
    if share < DECIDES {
        return Some(Verdict::Free(evidence));
    }
    let found = bound(device, how).arg("share", share).arg("ahead", ahead(case, context));
    let found = with_flushes(found, case);
    Some(Verdict::Full(Box::new(found.because(evidence))))
}

/// A rate that is not kept while all operations that may be in flight are.
fn in_flight(case: &CaseResult, device: Resource, context: &Context<'_>) -> Option<Verdict> {
    let (rate_of, rate) = measure::operations(case)?;
    let mean = |t: &Trial| measure::mean_of(&t.result.main().histograms, metric::SERVICE_TIME);
    let latency_s = measure::median(case, mean)?;
    let (under_way, depth) = (rate * latency_s + syncing(case), measure::concurrency(case));
    let is_free = End::Drives.worker_share(case).is_some_and(|share| share <= BUSY);
    if !is_free || under_way < ALL * depth {
        return None;
    }
    // They may wait before they come to it.
    if let Some(few) = device_queue::few(case, context) {
        return Some(Verdict::Unknown(few));
    }
    let evidence = shown("device-in-flight", rate_of)
        .arg("under_way", under_way.min(depth))
        .arg("depth", depth)
        .arg("latency_s", latency_s);
    let found = bound(device, "flight").arg("depth", depth).arg("latency_s", latency_s);
    Some(Verdict::Full(Box::new(found.because(evidence))))
}

#[cfg(test)]
mod tests {
    use model::machine::BlockDevice;
    use model::profile::{Arrival, Flow, FlowUnit};
    use model::{Quantity, Unit, fact};

    use super::super::tests::{disk, machine, verdict, verdict_on};
    use super::*;
    use crate::measure::layers::tests::did;
    use crate::validity::fixture;

    /// Reads through the page cache, of which the device delivers all; a worker computes for `cpu_us` of each 110 us.
    fn buffered(cpu_us: f64) -> CaseResult {
        let mut case = disk(1, 9_000.0, 110.0, cpu_us);
        fixture::set(&mut case, "direct", false);
        case
    }

    /// Bug: of reads through the page cache that wait for the disk nothing was told.
    #[test]
    fn reads_that_wait_for_what_the_page_cache_does_not_hold_are_the_device_s() {
        let found = verdict(&[buffered(10.0)]);
        assert_eq!(found.code, "device-bound");
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("block:sda"));
        assert_eq!(
            found.text,
            "disk sda holds this back: the load waits 91 % of the time for it to deliver what the page cache does not hold"
        );
        assert!(found.advice.as_ref().is_some_and(|advice| !advice.contains("read-ahead")), "{found:?}");
        let mut in_order = buffered(10.0);
        fixture::set(&mut in_order, "pattern", "read");
        assert!(verdict(&[in_order]).advice.is_some_and(|advice| advice.contains("--set read-ahead")));
    }

    #[test]
    fn reads_that_compute_or_stand_ready_or_that_the_page_cache_answers_are_not() {
        let found = verdict(&[buffered(70.0)]);
        assert_eq!(found.code, "cannot-tell");
        assert!(found.ruled_out.iter().any(|evidence| evidence.code == "device-wait"), "{found:?}");
        let mut ready = buffered(10.0);
        for trial in &mut ready.trials {
            trial.result.main_mut().facts.insert(fact::RUN_DELAY, 0.6.into());
        }
        assert_eq!(verdict(&[ready]).code, "cannot-tell");
        let mut cached = buffered(10.0);
        for trial in &mut cached.trials {
            trial.result.local_mut().counters[0].after = 1;
        }
        assert_eq!(verdict(&[cached]).code, "cannot-tell");
    }

    #[test]
    fn writes_through_the_page_cache_wait_for_the_device_where_they_are_synced() {
        let written = |sync: &str| {
            let mut case = buffered(10.0);
            fixture::set(&mut case, "pattern", "randwrite");
            fixture::set(&mut case, "sync", sync);
            for trial in &mut case.trials {
                trial.result.local_mut().counters[0].source = "/proc/diskstats written_sectors".to_owned();
            }
            verdict(&[case])
        };
        let found = written("fsync");
        assert_eq!(found.code, "device-bound");
        assert!(found.text.contains("waits 91 % of the time until what it wrote is there"), "{}", found.text);
        assert_eq!(written("dsync").code, "device-bound");
        assert_eq!(written("end").code, "cannot-tell");
    }

    /// Bug: of small writes through the page cache, each of which waits until its page is read, nothing was told.
    #[test]
    fn writes_of_parts_of_pages_wait_for_what_the_page_cache_does_not_hold() {
        let written = |block: u64, sectors: u64| {
            let mut case = buffered(10.0);
            fixture::set(&mut case, "pattern", "randwrite");
            fixture::set(&mut case, "block-size", block);
            for trial in &mut case.trials {
                trial.result.local_mut().counters[0].after = sectors;
            }
            verdict(&[case])
        };
        // 9,000 writes a second, which the fixture has as bytes of 4 KiB each.
        let found = written(512, 2 * 9_000 * 8);
        assert_eq!(found.code, "device-bound", "{found:?}");
        assert!(found.text.contains("until the pages are read that it writes to"), "{}", found.text);
        let said = found.evidence.iter().filter_map(|evidence| evidence.text.as_deref()).collect::<Vec<_>>();
        assert!(
            said.iter().any(|text| text.contains("delivers 2.00 bytes for each that is written")),
            "{said:?}"
        );
        assert_eq!(written(512, 9_000).code, "cannot-tell", "the page cache holds most pages");
        assert_eq!(written(4096, 2 * 9_000 * 8).code, "cannot-tell", "of whole pages nothing is read");
    }

    /// Bug: where read-ahead is off, reads in order were said to want a longer one.
    #[test]
    fn reads_in_order_without_read_ahead_say_so() {
        let found = |pattern: &str, ahead: u64| {
            let mut case = buffered(10.0);
            fixture::set(&mut case, "pattern", pattern);
            let mut machine = machine();
            let (name, read_ahead_bytes) = ("sda".to_owned(), Some(ahead));
            machine.inventory.block = vec![BlockDevice { name, read_ahead_bytes, ..BlockDevice::default() }];
            let found = verdict_on(&machine, &[case]);
            assert_eq!(found.code, "device-bound");
            found
        };
        let off = found("read", 0);
        assert!(off.text.ends_with(", and nothing is read ahead (read_ahead_kb)"), "{}", off.text);
        assert!(off.advice.is_some_and(|advice| advice.starts_with("a read-ahead (--set read-ahead)")));
        assert!(!found("read", 131_072).text.contains("ahead"));
        assert!(!found("randread", 0).text.contains("ahead"));
    }

    /// Bug: of a load that reads and writes through the page cache nothing was told, though its reads wait for the disk.
    #[test]
    fn of_reads_and_writes_through_the_page_cache_the_slower_kind_is_what_it_waits_for() {
        let mixed = |read_ns: u64, write_ns: u64, sync: &str| {
            let mut case = buffered(10.0);
            fixture::set(&mut case, "pattern", "randrw");
            fixture::set(&mut case, "sync", sync);
            for trial in &mut case.trials {
                let all = &mut trial.result.local_mut().counters;
                let written = fixture::counter("block:sda", "/proc/diskstats written_sectors", 512.0, 20_000);
                all.push(written);
                for (class, latency_ns) in [("read", read_ns), ("write", write_ns)] {
                    let mut histogram = stats::histogram::new_latency();
                    histogram.record(latency_ns).unwrap();
                    let text = stats::histogram::encode(&histogram).unwrap();
                    let main = trial.result.main_mut();
                    main.histograms.insert(metric::LATENCY.of(class).unwrap(), text);
                    let rate = Quantity { value: 4500.0, unit: Unit::PerSecond };
                    main.metrics.insert(metric::IOPS.of(class).unwrap(), rate);
                }
            }
            verdict(&[case])
        };
        let found = mixed(200_000, 10_000, "none");
        assert_eq!(found.code, "device-bound", "{found:?}");
        assert!(found.text.contains("to deliver what the page cache does not hold"), "{}", found.text);
        assert!(mixed(50_000, 160_000, "fsync").text.contains("until what it wrote is there"));
        assert_eq!(
            mixed(10_000, 200_000, "none").code,
            "cannot-tell",
            "what is not synced waits for nothing"
        );
    }

    /// Bug: of files that are made and synced by several threads the device was said to be full.
    #[test]
    fn files_that_are_made_and_synced_wait_for_their_device_and_do_not_fill_it() {
        let made = |threads: u64, waits_for: &[WaitsFor], writes: u64| {
            let mut case = disk(1, 1000.0, 1000.0 * threads as f64, 10.0);
            fixture::set(&mut case, "threads", threads);
            let profile = &mut case.loads.main.profile;
            profile.flows = vec![Flow::only(OperationClass::Metadata, FlowUnit::Operations)];
            profile.waits_for = waits_for.iter().cloned().collect();
            for trial in &mut case.trials {
                let counter = fixture::counter("block:sda", "/proc/diskstats writes", 1.0, writes);
                trial.result.local_mut().counters.push(counter);
            }
            case
        };
        let of = |waits_for: &[WaitsFor], writes: u64| {
            verdict(&[made(8, waits_for, writes), made(4, waits_for, writes)])
        };
        let found = of(&[WaitsFor::Device, WaitsFor::Flush], 600);
        assert_eq!(found.code, "device-bound", "{found:?}");
        assert!(found.text.contains("until what it wrote is there"), "{}", found.text);
        assert_eq!(of(&[WaitsFor::Device, WaitsFor::Flush], 10).code, "cannot-tell", "it hardly writes");
        assert_eq!(of(&[WaitsFor::Device], 600).code, "cannot-tell", "nothing is synced");
    }

    /// Reads that are due 20,000 times a second, of which 10,000 are done, each after so long; at most 32 are in flight.
    fn open(service_ns: u64, cpu_us: f64) -> CaseResult {
        let mut case = disk(32, 10_000.0, 500_000.0, cpu_us);
        let concurrency = &mut case.loads.main.profile.concurrency;
        (concurrency.arrival, concurrency.rate_per_s) = (Arrival::Open, Some(20_000.0));
        let mut service = stats::histogram::new_latency();
        service.record(service_ns).unwrap();
        let service = stats::histogram::encode(&service).unwrap();
        for trial in &mut case.trials {
            trial.result.main_mut().histograms.insert(metric::SERVICE_TIME, service.clone());
        }
        case
    }

    /// Bug: of a rate that a disk does not keep nothing was told.
    #[test]
    fn a_rate_that_is_not_kept_is_the_device_s_where_all_operations_are_there() {
        let of = |service_ns: u64, cpu_us: f64| verdict(&[open(service_ns, cpu_us)]);
        let found = of(3_200_000, 5.0);
        assert_eq!(found.code, "device-bound");
        assert!(
            found.text.contains("all 32 operations that the load may have in flight are there"),
            "{}",
            found.text
        );
        assert_eq!(of(1_000_000, 5.0).code, "cannot-tell", "most have nothing to wait for");
        assert_eq!(of(3_200_000, 90.0).code, "cannot-tell", "its worker computes");
    }

    /// Bug: a disk was said to have all operations that a throttle before it held back, which nobody tells.
    #[test]
    fn a_rate_that_is_not_kept_is_not_the_device_s_where_it_has_hardly_any_of_them() {
        let found = |queue: f64| {
            let mut case = open(3_200_000, 5.0);
            did(&mut case, "sda", 10_000.0 * 4096.0, 0.0, queue);
            verdict(&[case])
        };
        let before = found(1.5);
        assert_eq!(before.code, "cannot-tell", "{before:?}");
        assert!(before.text.contains("disk sda has 1.50 by its own count"), "{}", before.text);
        assert_eq!(found(31.0).code, "device-bound");
    }
}
