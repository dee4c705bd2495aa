//! Where the operations of a greater depth wait that gives no more, where nobody watched the kernel's events: by what the
//! device has under way in the mean, which the kernel counts (`/proc/diskstats`, the time of reads and writes). It counts a
//! request from when the block layer has it, so that those which wait for a lock of the file system or for a throttle of a
//! control group are none of it. A device that has hardly any of what the load has under way, and no more of it at twice the
//! depth, is not what they wait for.

use model::finding::{Evidence, Place};
use model::profile::Durability;
use model::run::CaseResult;
use model::{Resource, Trial};

use super::phases;
use crate::measure::{DeviceWork, UnderWay};
use crate::{Context, measure};

/// From so many times as many under way at the device on it was given more.
const GIVEN: f64 = 1.5;

/// At more than this share of what the load has under way, most of it is at the device.
const MOST: f64 = 0.5;

/// A device that counts fewer operations than this share of the load's does not count them, or joins them.
const COUNTED: f64 = 0.8;

/// From this share of the requests that a device takes, or that the kernel allots it, on it has all of them.
const IN_USE: f64 = 0.75;

/// Evidence that a device has few of the operations that are under way.
pub(super) const FEW: &str = "device-has-few";

pub(super) const ENGLISH: &str = r#"
evidence-device-has-few =
    of the { FIXED($under_way, decimals: 1) } operations that are in flight in the mean, { RESOURCE($resource) } { verb-has }
    { FIXED($queue, decimals: 2) } by { pronoun-its } own count: the others wait above the block layer, for a throttle of a control group,
    a file system or the program
"#;

/// Evidence that most of what a load has under way is neither at its device, which would take more, nor with a thread that
/// computes.
pub(super) fn few(case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let [step] = measure::devices(case)[..] else { return None };
    let found = UnderWay::of(case, &step.resource).filter(UnderWay::is_above)?;
    let most = phases::most_at_once(&step.resource, case, context);
    let has_room = most.is_none_or(|most| found.device < IN_USE * most);
    let place = measure::place(case, &step.resource, "read_ms").unwrap_or(Place::Path(step.resource.clone()));
    let evidence = Evidence::at(FEW, place).arg("resource", step.resource.as_str());
    has_room.then(|| evidence.arg("under_way", found.load).arg("queue", found.device))
}

/// Evidence, with this code, that what `more` has under way beyond `less` is not at the device.
pub(super) fn waits_above(
    code: &str,
    less: &CaseResult,
    more: &CaseResult,
    context: &Context<'_>,
) -> Option<Evidence> {
    // A flush is neither a read nor a write.
    let syncs = !matches!(measure::profile(more).durability, Durability::None | Durability::End);
    let [step] = measure::devices(more)[..] else { return None };
    let (shallow, deep) = (queue(less, &step.resource)?, queue(more, &step.resource)?);
    let (from, to) = (measure::concurrency(less), measure::concurrency(more));
    let is_elsewhere = deep <= MOST * from && deep < GIVEN * shallow;
    // One that has all that it takes, or is let have, keeps the others waiting.
    let most = phases::most_at_once(&step.resource, more, context);
    let has_room = most.is_none_or(|most| deep < IN_USE * most);
    let place = measure::place(more, &step.resource, "read_ms").unwrap_or(Place::Path(step.resource.clone()));
    let evidence = Evidence::at(code, place).arg("resource", step.resource.as_str());
    (is_elsewhere && has_room && !syncs).then(|| evidence.arg("from", from).arg("to", to))
}

/// How many operations a device has under way in the mean, where it counts those of the load.
fn queue(case: &CaseResult, device: &Resource) -> Option<f64> {
    let (_, rate) = measure::operations(case)?;
    let of = |trial: &Trial| DeviceWork::of(trial, device).filter(|work| work.operations >= COUNTED * rate);
    measure::median(case, |trial| Some(of(trial)?.queue)).filter(|queue| *queue > 0.0)
}

#[cfg(test)]
mod tests {
    use model::Finding;
    use model::machine::BlockDevice;

    use super::super::tests::{disk, machine, verdict, verdict_on};
    use crate::measure::layers::tests::did;
    use crate::validity::fixture;

    /// 25,000 reads a second, with 16 and with 8 under way, of which the device had so many; it takes `takes` at once.
    fn flat(had: [f64; 2], takes: u32) -> Finding {
        let cases = [(16_u64, had[0]), (8, had[1])].map(|(depth, had)| {
            let mut case = disk(depth, 25_000.0, depth as f64 * 40.0, 0.1);
            for trial in &mut case.trials {
                let counters = &mut trial.result.local_mut().counters;
                counters.retain(|counter| !counter.source.ends_with(" reads"));
                let counted = [
                    ("reads", 1.0, 25_000),
                    ("read_ms", 1e-3, (had * 1e3) as u64),
                    ("writes", 1.0, 0),
                    ("write_ms", 1e-3, 0),
                    ("written_sectors", 512.0, 0),
                ];
                counters.extend(counted.map(|(name, scale, steps)| {
                    fixture::counter("block:sda", &format!("/proc/diskstats {name}"), scale, steps)
                }));
            }
            case
        });
        let mut machine = machine();
        let (name, hardware_requests) = ("sda".to_owned(), Some(takes));
        machine.inventory.block = vec![BlockDevice { name, hardware_requests, ..BlockDevice::default() }];
        verdict_on(&machine, &cases)
    }

    /// Bug: a disk was called full though those that a greater depth added waited for a lock of the file system.
    #[test]
    fn a_device_that_has_hardly_any_of_what_is_under_way_is_not_full() {
        let found = flat([1.0, 1.0], 256);
        assert_eq!((found.code.as_str(), found.evidence[0].code.as_str()), ("cannot-tell", "device-above"));
        assert!(found.text.contains("those added wait above the block layer"), "{}", found.text);
    }

    #[test]
    fn one_that_has_most_of_it_or_more_of_it_or_all_that_it_takes_is() {
        assert_eq!(flat([15.9, 7.9], 256).code, "device-full");
        assert_eq!(flat([3.8, 2.0], 256).code, "device-full", "it was given more");
        assert_eq!(flat([1.0, 1.0], 1).code, "device-full", "it takes one at a time");
    }

    /// Bug: of a read that a throttle which nobody tells holds for nearly all of its time, it was said only that nothing
    /// known is full.
    #[test]
    fn one_at_a_time_that_its_device_hardly_ever_has_waits_above_it() {
        let few = |queue: f64| {
            let mut case = disk(1, 1_000.0, 1_000.0, 20.0);
            did(&mut case, "sda", 4096e3, 0.0, queue);
            let found = verdict(&[case]);
            assert_eq!(found.code, "latency-bound", "{found:?}");
            found.evidence.into_iter().find(|evidence| evidence.code == super::FEW)?.text
        };
        let text = "of the 1.0 operations that are in flight in the mean, disk sda has 0.12 by its own count";
        assert!(few(0.12).is_some_and(|said| said.starts_with(text)), "{:?}", few(0.12));
        assert_eq!(few(0.9), None);
    }
}
