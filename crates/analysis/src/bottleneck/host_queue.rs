//! Requests that wait in the host, though the device is not shown to be full: it is given no more at once,
//! by an I/O scheduler or for want of requests that the kernel allots. A trace of the kernel's events
//! tells this wait from the device's own time. Without one it shows where the device has all of the requests that it is
//! allotted (nr_requests), which are fewer than it takes; and where throttling of writeback keeps what is written from the
//! page cache to one at a time.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, Resource, ResourceKind, Severity, Value};

use super::allotted::{self, UsedUp};
use super::device::{self, Deepening};
use super::phases::{self, WaitPlace};
use super::{Verdict, finding, latency};
use crate::measure::{BlockPhases, DeviceWork};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-host-queue =
    { $by ->
        [allotted] requests wait in the host: the kernel allots { RESOURCE($resource) } { FIXED($most) } at once (nr_requests), of the
            { FIXED($takes) } that it takes, and all of these are in use, while the load has { FIXED($under_way) } under way
        [writeback] throttling of writeback holds this back: to keep reads of { RESOURCE($resource) } within { SHORT($kept_s, unit: "s") }
            (wbt_lat_usec), the kernel lets it have { FIXED($had, decimals: 1) } writes at once, of those that wait in the page cache
       *[trace] { host-queue-traced }
    }
    .advice =
        { $by ->
            [allotted] more requests for the device (--set queue-requests, nr_requests) show whether it can do more at once
            [writeback] a longer latency, or none (--set wbt=0), lets more writes at once to the device
           *[trace] { host-queue-advice }
        }

host-queue-traced =
    { $to ->
        [0] {""}
       *[other] with { FIXED($to) } operations in flight instead of { FIXED($from) } the rate { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) }, and{" "}
    }requests wait for { RESOURCE($resource) } in the host { PERCENT($waiting) } of their time
    ({ SHORT($wait_s, unit: "s") } of { SHORT($whole_s, unit: "s") }): { pronoun-it } { verb-was } never given more than { FIXED($most) } at once{ $takes ->
        [0] {""}
       *[other] {" "}of the { FIXED($takes) } that { pronoun-it } take{ verb-s }
    }
host-queue-advice =
        a greater depth only makes that queue longer; another I/O scheduler (--set scheduler=none), more requests for the device
        (--set queue-requests) or more of its driver's own queue show whether it can do more at once

evidence-requests-in-use =
    { RESOURCE($resource) } has { FIXED($had, decimals: 1) } of the { FIXED($most) } requests that it is allotted under way in the
    mean
evidence-writes-at-once =
    { RESOURCE($resource) } has { FIXED($had, decimals: 1) } writes under way in the mean
evidence-block-phases =
    by the kernel's events, { RESOURCE($resource) } had each { $requests ->
        [no] bio for { SHORT($device_s, unit: "s") }
       *[yes] request for { SHORT($device_s, unit: "s") } of { SHORT($whole_s, unit: "s") }, and { PERCENT($waiting) } of its
            time it waited in the host
    }{ $direct ->
        [yes] ; the load waited { SHORT($latency_s, unit: "s") } for an operation
       *[no] {""}
    }: { $most ->
        [device] most of it is the device's own time
        [host] most of it is the queue before it
        [upper] most of it is spent in { RESOURCE($other) }, which passes bios on to it
        [above] most of it is spent above the block layer
       *[both] neither the device nor the queue before it is most of it
    }
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    // What is written back waits in a queue as well, and nobody waits for it.
    if !measure::is_direct(case) {
        return Verdict::Elsewhere;
    }
    if let Some((wait, deepening)) = device::added_wait(case, context) {
        return match wait.place {
            WaitPlace::Host => Verdict::Full(Box::new(held(&wait.phases, Some(deepening), context))),
            _ => Verdict::Elsewhere,
        };
    }
    let own = phases::of_case(case, context).filter(|wait| matches!(wait.place, WaitPlace::Host));
    // What waits to be merged and sorted may do more with a greater depth.
    if latency::deeper_and_better(case, context).is_some() {
        return Verdict::Elsewhere;
    }
    let by_count =
        || if measure::block_phases(case, context).is_some() { None } else { by_count(case, context) };
    let found = own.map(|wait| held(&wait.phases, None, context)).or_else(by_count);
    found.map_or(Verdict::Elsewhere, |found| Verdict::Full(Box::new(found)))
}

/// A device that has all of the requests which it is allotted, by its own count.
fn by_count(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let UsedUp { resource, had, most, takes } = allotted::used_up(case, context)?;
    // One that gave as much with fewer than it is allotted is full by itself.
    let groups = context.siblings.at_depths(case);
    let mut fewer =
        groups.iter().flat_map(|group| group.iter()).filter(|other| other.is_estimated && other.depth < most);
    if fewer.any(|other| device::gives_no_more(context.siblings.case(other), case)) {
        return None;
    }
    let place = measure::place(case, &resource, "read_ms").unwrap_or(Place::Path(resource.clone()));
    let evidence = Evidence::at("requests-in-use", place).arg("resource", resource.as_str());
    let evidence = evidence.arg("had", had).arg("most", most);
    let found = finding("host-queue", Severity::Note).on(resource).arg("by", "allotted");
    let found = found.arg("most", most).arg("takes", takes).arg("under_way", measure::concurrency(case));
    Some(found.because(evidence))
}

/// Verdicts on writes into the page cache that wait for what their device takes.
const WRITING: [&str; 2] = ["dirty-throttled", "device-bound"];

/// Throttling of writeback counts where it is asked for no more than this latency: what the kernel chooses by itself is 75 ms for
/// what turns and 2 ms for what does not (`wbt_default_latency_nsec` in block/blk-wbt.c), s.
const CHOSEN_S: [f64; 2] = [2e-3, 75e-3];

/// Writes at once at most, where it lets them through one after the other.
const ONE: f64 = 1.5;

/// A verdict on a writer of which throttling of writeback lets hardly one at once to its device, though its latency was set by
/// somebody, shorter than the kernel's own and than a write takes: then that has the name.
pub(super) fn named(found: Finding, case: &CaseResult, context: &Context<'_>) -> Finding {
    let is_read = found.code == "device-bound" && found.args.get("how") != Some(&Value::from("syncs"));
    let is_writing = WRITING.contains(&found.code.as_str()) && !is_read;
    let by = || if is_writing { by_writeback(case, context) } else { None };
    let Some((resource, had, kept_s)) = by() else { return found };
    let place = measure::place(case, &resource, "write_ms").unwrap_or(Place::Path(resource.clone()));
    let evidence = Evidence::at("writes-at-once", place).arg("resource", resource.as_str()).arg("had", had);
    let held = finding("host-queue", Severity::Warning).on(resource).arg("by", "writeback");
    let held = held.arg("kept_s", kept_s).arg("had", had).because(evidence).because_all(found.evidence);
    Finding { ruled_out: found.ruled_out, ..held }
}

fn by_writeback(case: &CaseResult, context: &Context<'_>) -> Option<(Resource, f64, f64)> {
    let [step] = measure::devices(case)[..] else { return None };
    let device = measure::whole(context.machine?, step.resource.named(ResourceKind::Block)?)?;
    let resource = Resource::of(ResourceKind::Block, &device.name);
    let set = case.settings.iter().filter(|(key, _)| key.split('@').next() == Some("wbt"));
    let set = set.flat_map(|(_, states)| states).find_map(|state| state.read_back.as_ref()?.number());
    let kept_s = set.or(device.writeback_latency_us.map(|us| us as f64))? / 1e6;
    let [fast, turning] = CHOSEN_S;
    let chosen_s = if device.rotational == Some(true) { turning } else { fast };
    let (had, each_s) = measure::middle(case, |trial| {
        let work = DeviceWork::of(trial, &resource)?;
        Some((work.queue, (work.queue, work.latency_s()?)))
    })?;
    let is_short = kept_s > 0.0 && kept_s < chosen_s && kept_s < each_s;
    (is_short && had <= ONE).then_some((resource, had, kept_s))
}

fn held(phases: &BlockPhases, deepening: Option<Deepening>, context: &Context<'_>) -> model::Finding {
    let (wait_s, whole_s) = phases.in_host();
    let Deepening { from, to, more } = deepening.unwrap_or(Deepening { from: 0.0, to: 0.0, more: 0.0 });
    finding("host-queue", Severity::Note)
        .on(phases.resource.clone())
        .arg("by", "trace")
        .arg("from", from)
        .arg("to", to)
        .arg("change", if more < 0.0 { "less" } else { "more" })
        .arg("more", more.abs())
        .arg("waiting", wait_s / whole_s)
        .arg("wait_s", wait_s)
        .arg("whole_s", whole_s)
        .arg("most", phases.depth_max as f64)
        .arg("takes", phases::takes(phases, context).unwrap_or(0.0))
        .because(phases.evidence())
}

#[cfg(test)]
mod tests {
    use model::machine::BlockDevice;
    use model::{Finding, ResourceKind};

    use super::super::tests::{disk, machine, verdict, verdict_on};
    use crate::measure::layers::tests::did;
    use crate::observed::tests::traced;
    use crate::validity::cache_absorbed;

    #[test]
    fn a_wait_in_the_host_is_told_from_the_device_s_own_time() {
        // 32 in flight for 320 us each, of which the device has them 50 us.
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let found = verdict(&traced(&case, 310.0, 50.0, 5));
        assert_eq!(found.code, "host-queue");
        assert!(found.text.contains("in the host 84 % of their time ("), "{}", found.text);
        assert!(found.text.contains("more than 5 at once"), "{}", found.text);
        let said: Vec<&str> = found.evidence.iter().filter_map(|e| e.text.as_deref()).collect();
        assert!(said[0].contains("most of it is the queue before it"), "{said:?}");
    }

    #[test]
    fn a_device_that_has_them_most_of_the_time_is_not_waited_for_in_the_host() {
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let found = verdict(&traced(&case, 310.0, 300.0, 32));
        assert_ne!(found.code, "host-queue");
        // A load that waits elsewhere.
        let found = verdict(&traced(&case, 100.0, 20.0, 5));
        assert_ne!(found.code, "host-queue");
        // At a depth of one the device's time stands beside the verdict.
        let alone = disk(1, 3_000.0, 330.0, 2.0);
        let found = verdict(&traced(&alone, 310.0, 300.0, 1));
        assert_eq!(found.code, "latency-bound");
        let beside = found.evidence.iter().find(|e| e.code == "block-phases").unwrap();
        assert!(beside.text.as_ref().unwrap().contains("most of it is the device's own time"), "{beside:?}");
    }

    /// What is said of a load with 64 under way, of which a device that takes 128 has so many and is allotted so many, and of one with
    /// `fewer` under way that gives so much of that.
    fn allotted(most: u32, had: f64, fewer: Option<(u64, f64)>) -> Finding {
        let of = |depth: u64, rate: f64, had: f64| {
            let mut case = disk(depth, rate, depth as f64 / rate * 1e6, 1.0);
            did(&mut case, "sda", rate * 4096.0, 0.0, had);
            case
        };
        let mut cases = vec![of(64, 10_000.0, had)];
        cases.extend(fewer.map(|(depth, share)| of(depth, 10_000.0 * share, had.min(depth as f64))));
        let mut machine = machine();
        let (name, hardware_requests, queue_requests) = ("sda".to_owned(), Some(128), Some(most));
        machine.inventory.block =
            vec![BlockDevice { name, hardware_requests, queue_requests, ..BlockDevice::default() }];
        verdict_on(&machine, &cases)
    }

    /// Bug: of a disk that the kernel allots two requests it was said that nobody can tell what holds it back.
    #[test]
    fn requests_that_the_kernel_allots_and_that_are_all_in_use_hold_a_load_back() {
        let found = allotted(4, 3.9, None);
        assert_eq!(found.code, "host-queue", "{found:?}");
        let text = "requests wait in the host: the kernel allots disk sda 4 at once (nr_requests), of the 128 that it takes, and all of \
                    these are in use, while the load has 64 under way";
        assert_eq!(found.text, text);
        assert_eq!(allotted(4, 3.9, Some((32, 1.0))).code, "host-queue", "more under way gives no more");
        assert_ne!(allotted(128, 63.0, None).code, "host-queue", "it may have all that it takes");
        assert_ne!(allotted(4, 1.0, None).code, "host-queue", "it has few of them");
        assert_ne!(allotted(4, 3.9, Some((2, 1.0))).code, "host-queue", "it gives as much with two");
    }

    #[test]
    fn writeback_that_is_throttled_to_one_at_a_time_is_named_before_its_device() {
        let found = |kept_us: u64, at_once: f64| {
            let mut case = cache_absorbed::tests::case(500e6, 500e6, 13e6);
            let device = case
                .path
                .iter()
                .find_map(|step| step.resource.named(ResourceKind::Block))
                .unwrap()
                .to_owned();
            did(&mut case, &device, 0.0, 500e6, at_once);
            let mut machine = machine();
            let writeback_latency_us = Some(kept_us);
            let disk = BlockDevice { name: device, writeback_latency_us, ..BlockDevice::default() };
            machine.inventory.block = vec![disk];
            verdict_on(&machine, &[case])
        };
        let held = found(1, 1.0);
        assert_eq!(held.code, "host-queue", "{held:?}");
        assert!(held.text.starts_with("throttling of writeback holds this back"), "{}", held.text);
        assert_eq!(found(2000, 1.0).code, "dirty-throttled", "the kernel's own latency");
        assert_eq!(found(0, 1.0).code, "dirty-throttled", "it is off");
        assert_eq!(found(1, 8.0).code, "dirty-throttled", "many are at the device");
    }

    #[test]
    fn of_a_trace_with_holes_nothing_is_concluded() {
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let mut cases = traced(&case, 310.0, 50.0, 5);
        for trial in &mut cases[1].trials {
            trial.result.local_mut().block_trace.as_mut().unwrap().lost_events = 1_000_000;
        }
        assert_ne!(verdict(&cases).code, "host-queue");
    }
}
