//! One member of an array that is slower than the others: all have the same to do, so all wait for it.

use model::finding::{Evidence, Place};
use model::layer::{LayerDevice, StorageLayers};
use model::run::CaseResult;
use model::{Resource, Severity, Trial};

use crate::bottleneck::{Verdict, finding};
use crate::measure::DeviceWork;
use crate::measure::layers::is_resynced;
use crate::{Context, measure};

/// A member whose operations take so many times as long as those of the others is far from them.
const FAR: f64 = 3.0;
/// Of all operations that members have under way, so many must be at the one that all wait for.
const MOST: f64 = 0.5;
/// A member that has none under way for most of the time is waited for by nobody.
const WAITED_FOR: f64 = 0.5;
/// Where each operation of the load is one of all members, as with whole stripes, they wait idle for one that takes half
/// as long again: it has hardly ever nothing under way, and they have nothing for a third of the time.
const LONGER: f64 = 1.5;
const NEVER_IDLE: f64 = 0.95;
const IDLE: f64 = 0.67;
/// Members that move as many bytes have the same to do.
const ALIKE: std::ops::RangeInclusive<f64> = 0.67..=1.5;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-slow-member =
    { RESOURCE($resource) } is slower than the other members of { RESOURCE($other) }, which all wait for it: its operations take
    { SHORT($latency_s, unit: "s") }, those of the others { SHORT($others_s, unit: "s") }, and
    { PERCENT($share) } of all that members have under way are there
    .advice = an array is as fast as its slowest member: look at the health and the temperature of this one, its link, and who else uses it

evidence-member =
    operations of { RESOURCE($resource) } take { SHORT($latency_s, unit: "s") }, those of the other members
    { SHORT($others_s, unit: "s") } at the median
"#;

/// The slowest member of a layer in a trial.
struct SlowMember<'a> {
    array: &'a LayerDevice,
    member: &'a Resource,
    latency_s: f64,
    others_s: f64,
    /// The share of all that members had under way, and how many that were.
    share: f64,
    queue: f64,
    /// How many the others had under way, at the median.
    others_queue: f64,
    /// Its bytes against those of the others.
    bytes: f64,
}

impl<'a> SlowMember<'a> {
    fn of(array: &'a LayerDevice, trial: &Trial) -> Option<Self> {
        let all: Vec<(&Resource, DeviceWork)> = array
            .below
            .iter()
            .map(|member| Some((member, DeviceWork::of(trial, member)?)))
            .collect::<Option<_>>()?;
        let latency = |work: &DeviceWork| work.latency_s().unwrap_or(0.0);
        let slowest = all.iter().max_by(|a, b| latency(&a.1).total_cmp(&latency(&b.1)))?;
        let others: Vec<&(&Resource, DeviceWork)> = all.iter().filter(|one| one.0 != slowest.0).collect();
        let of_others = |of: &dyn Fn(&DeviceWork) -> f64| {
            stats::interval::median(&others.iter().map(|other| of(&other.1)).collect::<Vec<f64>>())
        };
        let (others_s, others_bytes) = (of_others(&latency)?, of_others(&DeviceWork::bytes)?);
        let others_queue = of_others(&|work: &DeviceWork| work.queue)?;
        let queue: f64 = all.iter().map(|one| one.1.queue).sum();
        (others_s > 0.0 && others_bytes > 0.0 && queue > 0.0).then(|| Self {
            array,
            member: slowest.0,
            latency_s: latency(&slowest.1),
            others_s,
            share: slowest.1.queue / queue,
            queue: slowest.1.queue,
            others_queue,
            bytes: slowest.1.bytes() / others_bytes,
        })
    }

    fn times(&self) -> f64 {
        self.latency_s / self.others_s
    }

    fn holds_the_others(&self) -> bool {
        let is_far = self.times() >= FAR && self.share >= MOST && self.queue >= WAITED_FOR;
        let is_last = self.times() >= LONGER && self.queue >= NEVER_IDLE && self.others_queue <= IDLE;
        (is_far || is_last) && ALIKE.contains(&self.bytes)
    }

    fn evidence(&self, case: &CaseResult) -> Evidence {
        let place = measure::place(case, self.member, "write_ms").unwrap_or(Place::Path(self.member.clone()));
        Evidence::at("member", place)
            .arg("resource", self.member.as_str())
            .arg("latency_s", self.latency_s)
            .arg("others_s", self.others_s)
    }
}

/// Of all layers with several members, the one whose slowest is furthest from the others.
fn slowest<'a>(layers: &'a StorageLayers, trial: &Trial) -> Option<SlowMember<'a>> {
    let arrays = layers.devices.iter().filter(|device| device.below.len() > 1);
    let each = arrays.filter_map(|array| SlowMember::of(array, trial));
    each.max_by(|a, b| a.times().total_cmp(&b.times()))
}

/// Whether a member was the slowest of its layer in most trials: what is slow now and then is chance.
fn is_always(case: &CaseResult, layers: &StorageLayers, member: &Resource) -> bool {
    let all: Vec<bool> =
        measure::good(case).filter_map(|trial| Some(slowest(layers, trial)?.member == member)).collect();
    2 * all.iter().filter(|is_it| **is_it).count() > all.len()
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let Some(layers) = measure::stacked(case).filter(|_| !is_resynced(case)) else {
        return Verdict::Elsewhere;
    };
    let found = measure::middle(case, |trial| slowest(layers, trial).map(|slow| (slow.times(), slow)));
    let Some(slow) = found else { return Verdict::Elsewhere };
    let evidence = slow.evidence(case);
    if !slow.holds_the_others() || !is_always(case, layers, slow.member) {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("slow-member", Severity::Note)
            .on(slow.member.clone())
            .arg("other", slow.array.resource.as_str())
            .arg("latency_s", slow.latency_s)
            .arg("others_s", slow.others_s)
            .arg("share", slow.share)
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bottleneck::tests::{disk, verdict};
    use crate::measure::layers::tests::{did, put, stack};

    /// What holds back a load on four members that each write so much, of which the last has so many under way.
    fn found(bytes: [f64; 4], queue: f64) -> model::Finding {
        let mut case = disk(8, 9_000.0, 110.0, 15.0);
        put(&mut case, &stack("raid0"));
        for (name, bytes) in ["sda", "sdb", "sdc"].into_iter().zip(bytes) {
            did(&mut case, name, 0.0, bytes, 0.4);
        }
        did(&mut case, "sdd", 0.0, bytes[3], queue);
        verdict(&[case])
    }

    #[test]
    fn a_member_that_all_others_wait_for_is_named() {
        let slow = found([4096e3; 4], 6.0);
        assert_eq!(slow.code, "slow-member", "{slow:?}");
        assert_eq!(slow.resource.as_ref().map(Resource::as_str), Some("block:sdd"));
        assert!(slow.text.contains("take 6 ms, those of the others 400 us"), "{}", slow.text);
    }

    /// Bug: with whole stripes a member that takes twice as long has only some of what is under way.
    #[test]
    fn a_member_that_whole_stripes_wait_for_is_named() {
        let striped = |last: f64, others: f64| {
            let mut case = disk(1, 1_000.0, 950.0, 15.0);
            put(&mut case, &stack("raid6"));
            for name in ["sda", "sdb", "sdc"] {
                did(&mut case, name, 0.0, 4096e3, others);
            }
            did(&mut case, "sdd", 0.0, 4096e3, last);
            verdict(&[case])
        };
        let slow = striped(0.98, 0.5);
        assert_eq!(slow.code, "slow-member", "{slow:?}");
        assert_eq!(slow.resource.as_ref().map(Resource::as_str), Some("block:sdd"));
        assert_ne!(striped(0.98, 0.8).code, "slow-member", "hardly longer");
        assert_ne!(striped(0.6, 0.3).code, "slow-member", "something else takes time, too");
        assert_ne!(striped(9.8, 5.0).code, "slow-member", "all have enough to do");
    }

    #[test]
    fn another_member_in_each_trial_is_chance() {
        let mut case = disk(8, 9_000.0, 110.0, 15.0);
        put(&mut case, &stack("raid0"));
        for name in ["sda", "sdb", "sdc", "sdd"] {
            did(&mut case, name, 0.0, 4096e3, 0.4);
        }
        for (trial, slow) in case.trials.iter_mut().zip(["block:sda", "block:sdb", "block:sdc"]) {
            let counters = &mut trial.result.local_mut().counters;
            let is_time = |c: &&mut model::trial::Counter| {
                c.resource.as_str() == slow && c.source.ends_with(" write_ms")
            };
            counters.iter_mut().filter(is_time).for_each(|counter| counter.after = 6_000);
        }
        assert_ne!(verdict(&[case]).code, "slow-member");
    }

    #[test]
    fn members_that_are_alike_or_have_other_work_hold_nobody() {
        assert_ne!(found([4096e3; 4], 0.5).code, "slow-member");
        assert_ne!(
            found([4096e3, 4096e3, 4096e3, 40_960e3], 60.0).code,
            "slow-member",
            "it has ten times as much"
        );
    }
}
