//! Where the operations wait that a greater depth adds and that give no more, by the kernel's events.
//!
//! Twice the depth is twice as much under way for the load, and need not be for the device. What is added
//! waits in one of four places:
//!
//! * **at the driver and the device** (issue to complete): the device had more at once, and took as much
//!   longer. It is full; what stands behind its driver (a hypervisor, a file, a controller) counts with it.
//! * **in the host** (queue to issue): in an I/O scheduler, or for one of the requests that the kernel
//!   allots; and above that, where those who send are held until they have one ([`BlockPhases`]). Of the
//!   device that says nothing, but in two cases: it has all that it takes at once, by the
//!   tags of its hardware queues and the commands of a SCSI disk; or it gave as much to a case in which it
//!   had fewer. Then it is full all the same.
//! * **in a device that passes bios on** (a mapping, an array): that has them, and is what is full.
//! * **above the block layer** (before queue): a throttle of a control group holds bios there
//!   (`blk_throtl_bio` comes before `trace_block_bio_queue` in `block/blk-core.c`), a lock of a file
//!   system, or the program. Then no device is what is full.
//!
//! What limits of the kernel's come between queue and issue: `nr_requests`, the scheduler, writeback
//! throttling, `io.latency` and `io.cost` (`rq_qos_throttle` in `block/blk-mq.c`).

use model::run::CaseResult;

use super::allotted;
pub(super) use super::allotted::{most_at_once, not_reached, takes};
use super::device;
use crate::measure::BlockPhases;
use crate::{Context, measure};

/// From so many times as much at the device on it was given more.
pub(super) const GIVEN: f64 = 1.5;
/// From this share of what it takes at once on, in the mean, a device has all of it. Those who wait for a
/// request are woken in batches of up to an eighth of all (`sbq_calc_wake_batch` in `lib/sbitmap.c`).
pub(super) const IN_USE: f64 = 0.75;

/// Where what is added waits.
#[derive(Clone, Copy, Debug)]
pub(super) enum WaitPlace<'a> {
    /// At the device, or in one above it that passes bios on.
    Device,
    /// In the host, while the device has all of the requests that it takes at once: so many.
    HardwareQueue(f64),
    /// In the host, and the device gave as much in this case, in which it had fewer at once.
    FullBefore(&'a CaseResult),
    /// In the host, and the device was given no more.
    Host,
    /// Above the block layer.
    Above,
}

/// Where what is added waits, with what shows it.
#[derive(Clone, Debug)]
pub(super) struct AddedWait<'a> {
    pub(super) place: WaitPlace<'a>,
    pub(super) phases: BlockPhases,
}

/// A part of the time that a load waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Device,
    Host,
    Above,
}

/// Where what `more` has under way beyond `less` waits; nothing where nobody watched, or where that does
/// not decide.
pub(super) fn of_step<'c>(
    less: &'c CaseResult,
    more: &'c CaseResult,
    context: &Context<'c>,
) -> Option<AddedWait<'c>> {
    let of = |case| measure::block_phases(case, context);
    let (part, phases, case) = match (of(less), of(more)) {
        (Some(shallow), Some(deep)) => (between(&shallow, &deep)?, deep, more),
        // What was added is half of what waits at twice the depth.
        (None, Some(deep)) => (most_of(&deep)?, deep, more),
        // What is at the device says nothing of what is added to it.
        (Some(shallow), None) => (most_of(&shallow).filter(|part| *part != Part::Device)?, shallow, less),
        (None, None) => return None,
    };
    Some(settled(part, phases, case, context))
}

/// The same of one case by itself, where its requests wait in the host for most of the time, or for as long as
/// they are at a device that has all that the kernel allots it.
pub(super) fn of_case<'c>(case: &'c CaseResult, context: &Context<'c>) -> Option<AddedWait<'c>> {
    let phases = measure::block_phases(case, context)?;
    let is_in_host = most_of(&phases) == Some(Part::Host) || allotted::is_held(&phases, case, context);
    is_in_host.then(|| settled(Part::Host, phases, case, context))
}

fn most_of(phases: &BlockPhases) -> Option<Part> {
    match phases.most() {
        "device" | "upper" => Some(Part::Device),
        "host" => Some(Part::Host),
        "above" => Some(Part::Above),
        _ => None,
    }
}

/// Where more of the time goes at the greater depth.
fn between(shallow: &BlockPhases, deep: &BlockPhases) -> Option<Part> {
    let had = shallow.at_device().zip(deep.at_device());
    if had.is_some_and(|(shallow, deep)| deep >= GIVEN * shallow) {
        return Some(Part::Device);
    }
    let (a, b) = (shallow.parts(), deep.parts());
    // What passes bios on keeps those that the device below does not let it send.
    let of_upper = if deep.are_senders_held() { Part::Host } else { Part::Device };
    let grown = [
        (Part::Device, b.device_s - a.device_s),
        (of_upper, b.upper_s - a.upper_s),
        (Part::Host, b.host_s - a.host_s),
        (Part::Above, b.above_s - a.above_s),
    ];
    let (part, most_s) = grown.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most_s > 0.0).then_some(part)
}

fn settled<'c>(
    part: Part,
    phases: BlockPhases,
    case: &'c CaseResult,
    context: &Context<'c>,
) -> AddedWait<'c> {
    let place = match part {
        Part::Device => WaitPlace::Device,
        Part::Above => WaitPlace::Above,
        Part::Host => in_host(&phases, case, context),
    };
    AddedWait { place, phases }
}

/// Whether the device is full though what is added waits before it.
fn in_host<'c>(phases: &BlockPhases, case: &'c CaseResult, context: &Context<'c>) -> WaitPlace<'c> {
    let had = phases.depth_mean.unwrap_or(phases.depth_max as f64);
    if let Some(takes) = takes(phases, context).filter(|takes| had >= IN_USE * takes) {
        return WaitPlace::HardwareQueue(takes);
    }
    full_before(phases, case, context).map_or(WaitPlace::Host, WaitPlace::FullBefore)
}

/// A shallower case of the same work that gives as much, of which the device had fewer at once.
fn full_before<'c>(
    phases: &BlockPhases,
    case: &'c CaseResult,
    context: &Context<'c>,
) -> Option<&'c CaseResult> {
    let had = phases.at_device()?;
    let groups = context.siblings.at_depths(case);
    let members = groups.iter().flat_map(|group| group.iter());
    let shallower = members.filter(|other| other.is_estimated && other.depth < measure::concurrency(case));
    let mut others = shallower.map(|other| context.siblings.case(other));
    others.find(|other| {
        let fewer = measure::block_phases(other, context).and_then(|phases| phases.at_device());
        fewer.is_some_and(|fewer| had >= GIVEN * fewer) && device::gives_no_more(other, case)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::block_trace::DeviceTrace;
    use model::finding::Evidence;
    use model::machine::{BlockDevice, Machine};
    use model::run::{Doubling, LevelSearch, SearchEnd};
    use model::setting::SettingState;
    use model::trial::LOCAL;
    use model::{Finding, ParameterName, Resource, Unit, metric};

    use super::super::tests::{disk, machine, verdict, verdict_on};
    use super::*;
    use crate::observed::tests::{traced, traced_all};

    /// A case that gives 25,000 operations per second at its depth, by Little's law.
    fn flat(depth: u64) -> CaseResult {
        disk(depth, 25_000.0, depth as f64 * 40.0, 0.1)
    }

    /// The same, whose requests took all but 10 us of what the load waited, and of which the device had at
    /// most so many.
    fn seen(depth: u64, most: u64) -> (CaseResult, f64, f64, u64) {
        let had = depth.min(most);
        (flat(depth), depth as f64 * 40.0 - 10.0, had as f64 * 40.0 - 10.0, had)
    }

    /// The cases of these depths, the first judged.
    fn watched(depths: &[u64], most: u64) -> Vec<CaseResult> {
        traced_all(&depths.iter().map(|depth| seen(*depth, most)).collect::<Vec<_>>())
    }

    /// A machine whose disk has one hardware queue of so many requests, of which the kernel allots so many.
    fn with_queue(takes: u32, allotted: u32) -> Machine {
        let mut machine = machine();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            queue_requests: Some(allotted),
            hardware_queues: Some(1),
            hardware_requests: Some(takes),
            ..BlockDevice::default()
        });
        machine
    }

    fn codes(evidence: &[Evidence]) -> Vec<&str> {
        evidence.iter().map(|evidence| evidence.code.as_str()).collect()
    }

    fn phases_of(found: &Finding) -> &Evidence {
        found.evidence.iter().find(|evidence| evidence.code == "block-phases").unwrap()
    }

    #[test]
    fn a_device_that_had_twice_as_many_and_gave_no_more_is_full() {
        for depths in [[32, 16], [16, 32]] {
            let found = verdict(&watched(&depths, 1000));
            assert_eq!((found.code.as_str(), &found.args["how"]), ("device-full", &"depth".into()));
            assert!(!phases_of(&found).beside, "it rests on what was seen");
            assert_eq!(phases_of(&found).args["most"], "device".into());
        }
    }

    #[test]
    fn a_device_that_was_given_no_more_is_not_called_full() {
        for depths in [[64, 16], [16, 64], [4, 8]] {
            let found = verdict(&watched(&depths, 4));
            assert_eq!(found.code, "host-queue", "{depths:?}: {}", found.text);
            let [from, to] = [depths[0].min(depths[1]), depths[0].max(depths[1])];
            let text = format!("with {to} operations in flight instead of {from} the rate grows by 0 %, and");
            assert!(found.text.starts_with(&text), "{}", found.text);
            assert!(found.text.ends_with("it was never given more than 4 at once"), "{}", found.text);
            assert!(codes(&found.ruled_out).contains(&"device-not-given-more"), "{found:?}");
        }
        // Its driver takes many more.
        let found = verdict_on(&with_queue(256, 4), &watched(&[64, 16], 4));
        assert_eq!(found.code, "host-queue");
        assert!(found.text.ends_with("more than 4 at once of the 256 that it takes"), "{}", found.text);
    }

    #[test]
    fn a_device_that_has_all_that_it_takes_is_full_though_others_wait_in_the_host() {
        let ncq = with_queue(32, 64);
        let found = verdict_on(&ncq, &watched(&[64, 128], 32));
        assert_eq!((found.code.as_str(), &found.args["how"]), ("device-full", &"queue".into()));
        assert!(found.text.contains("it has all 32 requests that it takes at once"), "{}", found.text);
        // Nothing beside it is needed to see that.
        let alone = verdict_on(&ncq, &watched(&[128], 32));
        assert_eq!((alone.code.as_str(), &alone.args["how"]), ("device-full", &"queue".into()));
        // What a SCSI disk takes may be less than the tags of its controller.
        let mut scsi = with_queue(256, 256);
        scsi.inventory.block[0].device_queue_depth = Some(32);
        assert_eq!(verdict_on(&scsi, &watched(&[64, 128], 32)).code, "device-full");
        // A scheduler that passes on eight of them in the mean leaves room.
        let mut idles = watched(&[64, 128], 32);
        for trial in idles.iter_mut().skip(2).flat_map(|twin| &mut twin.trials) {
            let device = &mut trial.result.local_mut().block_trace.as_mut().unwrap().devices[0];
            device.depth_mean = Some(8.0);
        }
        assert_eq!(verdict_on(&ncq, &idles).code, "host-queue");
    }

    #[test]
    fn a_device_that_gave_as_much_with_fewer_is_full_wherever_the_others_wait() {
        let found = verdict(&watched(&[64, 16, 1], 4));
        assert_eq!(found.code, "device-full", "{}", found.text);
        let depths: Vec<f64> =
            found.evidence.iter().filter_map(|evidence| evidence.args.get("depth")?.number()).collect();
        assert_eq!(depths, [16.0, 64.0, 1.0]);
        // One that gave less with one shows nothing.
        let slower = (disk(1, 12_000.0, 83.0, 0.1), 73.0, 73.0, 1);
        assert_eq!(verdict(&traced_all(&[seen(64, 4), seen(16, 4), slower])).code, "host-queue");
    }

    #[test]
    fn what_waits_above_the_block_layer_is_no_device_s() {
        let throttled = |depth: u64| (flat(depth), 35.0, 30.0, 2);
        let mut cases = traced_all(&[throttled(16), throttled(8)]);
        let found = verdict(&cases);
        assert_eq!((found.code.as_str(), codes(&found.evidence)[0]), ("cannot-tell", "device-above"));
        assert!(found.text.contains("a throttle of a control group"), "{}", found.text);
        // What a throttle lets pass comes in lots, and has its requests soon.
        waiting_for_a_request(&mut cases, 4.0);
        assert_eq!(verdict(&cases).code, "cannot-tell");
    }

    /// Twins whose bios waited so many microseconds for a request.
    fn waiting_for_a_request(cases: &mut [CaseResult], each_us: f64) {
        let mut histogram = stats::histogram::new_latency();
        // As many as the load had operations.
        histogram.record_n((each_us * 1e3) as u64, 1000).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        for trial in cases.iter_mut().flat_map(|case| &mut case.trials) {
            let Some(trace) = &mut trial.result.local_mut().block_trace else { continue };
            let device = trace.devices.last_mut().unwrap();
            device.phases.insert(metric::QUEUE_TO_GET, text.clone());
        }
    }

    #[test]
    fn what_waits_because_all_requests_are_in_use_waits_in_the_host() {
        // Four requests, 40 us apart. Of a ring eight workers wait for one, and one thread in `io_submit`.
        for (whole_us, for_request_us) in [(470.0, 320.0), (190.0, 40.0)] {
            let case = |depth: u64| (flat(depth), whole_us, 150.0, 4);
            for depths in [[64, 16], [16, 64]] {
                let mut cases = traced_all(&depths.map(case));
                waiting_for_a_request(&mut cases, for_request_us);
                let found = verdict(&cases);
                assert_eq!(found.code, "host-queue", "{depths:?}: {}", found.text);
                assert!(found.text.contains("in the host 94 % of their time ("), "{}", found.text);
                assert_eq!(phases_of(&found).args["most"], "host".into());
                // They are all that the disk takes.
                let found = verdict_on(&with_queue(4, 4), &cases);
                assert_eq!((found.code.as_str(), &found.args["how"]), ("device-full", &"queue".into()));
            }
        }
    }

    #[test]
    fn half_a_wait_in_the_host_counts_where_the_kernel_allots_fewer_requests_than_the_device_takes() {
        // Eight threads and four requests: each has the device half of its time.
        let alone = traced_all(&[(flat(8), 300.0, 155.0, 4)]);
        let on = |takes, allotted| verdict_on(&with_queue(takes, allotted), &alone);
        let found = on(256, 4);
        assert_eq!(found.code, "host-queue", "{}", found.text);
        assert_eq!(phases_of(&found).args["most"], "both".into());
        assert_ne!(on(256, 256).code, "host-queue", "more are allotted than it had");
        assert_ne!(on(4, 4).code, "host-queue", "it takes no more");
    }

    #[test]
    fn what_is_never_let_wait_for_a_request_waits_in_the_host() {
        let case = |depth: u64| (flat(depth), 150.0, 150.0, 4);
        let with = |come_back: u64| {
            let mut cases = traced_all(&[case(64), case(16)]);
            for trial in cases.iter_mut().skip(2).flat_map(|twin| &mut twin.trials) {
                let trace = trial.result.local_mut().block_trace.as_mut().unwrap();
                trace.devices[0].counts.would_block = come_back;
            }
            verdict(&cases).code
        };
        // Of 100,000 each. Once each says nothing: they may be larger than one request.
        assert_eq!([with(5_000_000), with(100_000)], ["host-queue", "cannot-tell"]);
    }

    /// A mapping above `sda`, where bios are for so many microseconds.
    fn mapped(cases: &mut [CaseResult], whole_us: f64) {
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n((whole_us * 1e3) as u64, 1000).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        for trial in cases.iter_mut().flat_map(|case| &mut case.trials) {
            let trace = trial.result.local_mut().block_trace.as_mut().unwrap();
            let mapping = DeviceTrace {
                resource: Resource::from("block:dm-0"),
                phases: BTreeMap::from([(metric::QUEUE_TO_COMPLETE, text.clone())]),
                ..DeviceTrace::default()
            };
            trace.devices.insert(0, mapping);
        }
    }

    #[test]
    fn a_mapping_that_has_what_is_added_is_full_itself() {
        let mut cases = traced_all(&[(flat(16), 35.0, 30.0, 2), (flat(8), 35.0, 30.0, 2)]);
        mapped(&mut cases[2..3], 630.0);
        mapped(&mut cases[3..4], 310.0);
        let found = verdict(&cases);
        assert_eq!((found.code.as_str(), &phases_of(&found).args["most"]), ("device-full", &"upper".into()));
        assert_eq!(phases_of(&found).args["other"], "block:dm-0".into());
        // What it may not send on waits for the disk below.
        waiting_for_a_request(&mut cases, 30.0);
        assert_eq!(verdict(&cases).code, "host-queue");
    }

    #[test]
    fn a_device_without_requests_has_its_bios_from_the_start() {
        let bios = |whole_us: [f64; 2]| {
            let mut cases = traced_all(&[(flat(16), 35.0, 30.0, 2), (flat(8), 35.0, 30.0, 2)]);
            for (place, whole_us) in [2, 3].into_iter().zip(whole_us) {
                mapped(&mut cases[place..=place], whole_us);
                for trial in &mut cases[place].trials {
                    let trace = trial.result.local_mut().block_trace.as_mut().unwrap();
                    trace.devices.truncate(1);
                }
            }
            verdict(&cases)
        };
        let found = bios([630.0, 310.0]);
        assert_eq!(found.code, "device-full");
        assert!(phases_of(&found).text.as_ref().unwrap().contains("had each bio for 630 us"), "{found:?}");
        // A throttle before it.
        assert_eq!(codes(&bios([30.0, 30.0]).evidence)[0], "device-above");
    }

    #[test]
    fn a_greater_depth_that_gives_more_is_no_queue_in_the_host() {
        let shallow = disk(32, 100_000.0, 320.0, 2.0);
        let deep = (disk(64, 150_000.0, 427.0, 2.0), 417.0, 60.0, 9);
        let found = verdict(&traced_all(&[(shallow, 310.0, 50.0, 5), deep]));
        assert_eq!(found.code, "latency-bound", "{}", found.text);
    }

    #[test]
    fn a_search_that_ended_is_decided_by_the_case_that_it_found() {
        let doubling = |from: u64| Doubling { from, to: 2 * from, gain: 0.01, high: Some(0.02) };
        let search = LevelSearch {
            parameter: ParameterName::new("queue-depth"),
            best: 32,
            knee: 32,
            ended: SearchEnd::Flat,
            growth: vec![doubling(32), doubling(64)],
        };
        let case = CaseResult { search: Some(search), ..disk(32, 100_000.0, 320.0, 2.0) };
        let found = verdict(&traced(&case, 310.0, 50.0, 5));
        assert_eq!((found.code.as_str(), &found.args["to"]), ("host-queue", &64.0.into()));
        assert_eq!(verdict(&traced(&case, 310.0, 300.0, 32)).code, "device-full");
    }

    #[test]
    fn a_depth_that_the_kernel_does_not_pass_on_says_nothing_of_the_device() {
        let cases = [flat(64), flat(16)];
        let found = verdict_on(&with_queue(256, 4), &cases);
        assert_eq!((found.code.as_str(), codes(&found.evidence)[0]), ("cannot-tell", "device-not-reached"));
        assert!(found.text.contains("at most 4 of the 256 requests"), "{}", found.text);
        // All of it reaches the device, or the device takes no more.
        assert_eq!(verdict_on(&with_queue(256, 256), &cases).code, "device-full");
        assert_eq!(verdict_on(&with_queue(4, 4), &cases).code, "device-full");
        assert_eq!(verdict_on(&with_queue(256, 4), &[flat(4), flat(2)]).code, "device-full");
        // What a setting makes of it counts.
        let state = SettingState {
            machine: LOCAL.to_owned(),
            resource: Some(Resource::from("block:sda")),
            asked: 4_u64.into(),
            before: Some(256_u64.into()),
            read_back: Some(4_u64.into()),
            unit: Unit::One,
        };
        let set = cases.map(|mut case| {
            case.settings.insert("queue-requests".to_owned(), vec![state.clone()]);
            case
        });
        assert_eq!(verdict_on(&with_queue(256, 256), &set).code, "cannot-tell");
    }
}
