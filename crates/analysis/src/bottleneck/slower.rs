//! One of several devices that a load drives at once which takes far longer for an operation than the others: who waits for all
//! of them waits there.

use model::Finding;
use model::finding::{Evidence, Place};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Resource, Trial};

use crate::measure::DeviceWork;
use crate::{Context, measure};

/// A device whose operations take so many times as long as those of the others is far from them (as of members of an array).
const FAR: f64 = 3.0;

/// Verdicts on what a load waits for at its devices.
const WAITS: [&str; 2] = ["latency-bound", "device-bound"];

pub(super) const ENGLISH: &str = r#"
evidence-slower-device =
    operations of { RESOURCE($resource) } take { SHORT($latency_s, unit: "s") }, those of the other devices of the load
    { SHORT($others_s, unit: "s") } at the median
"#;

/// The slowest device of a trial, how long its operations take, and those of the others at the median.
fn slowest<'a>(devices: &[&'a PathStep], trial: &Trial) -> Option<(&'a Resource, f64, f64)> {
    let latency =
        |step: &&'a PathStep| Some((&step.resource, DeviceWork::of(trial, &step.resource)?.latency_s()?));
    let all: Vec<(&Resource, f64)> = devices.iter().map(latency).collect::<Option<_>>()?;
    let slowest = *all.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others: Vec<f64> = all.iter().filter(|one| one.0 != slowest.0).map(|one| one.1).collect();
    Some((slowest.0, slowest.1, stats::interval::median(&others)?))
}

/// That one of the devices of a load that waits for these is far slower than the others, in each trial.
pub(super) fn told(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let devices = measure::devices(case);
    if devices.len() < 2 || !WAITS.contains(&named.code.as_str()) {
        return None;
    }
    let (resource, ..) = measure::good(case).find_map(|trial| slowest(&devices, trial))?;
    let is_it = |trial: &Trial| {
        slowest(&devices, trial).filter(|(one, own_s, others_s)| *one == resource && *own_s >= FAR * others_s)
    };
    if !measure::good(case).all(|trial| is_it(trial).is_some()) {
        return None;
    }
    let (latency_s, others_s) =
        measure::middle(case, |trial| is_it(trial).map(|(_, own_s, others_s)| (own_s, (own_s, others_s))))?;
    let place = measure::place(case, resource, "read_ms").unwrap_or(Place::Path(resource.clone()));
    let evidence = Evidence::at("slower-device", place).arg("resource", resource.as_str());
    Some(evidence.arg("latency_s", latency_s).arg("others_s", others_s))
}

/// The verdict on that device, where there is one.
pub(super) fn named(finding: Finding, around: &[Evidence]) -> Finding {
    let slower = around.iter().find(|evidence| evidence.code == "slower-device");
    match slower.and_then(|evidence| evidence.args.get("resource")) {
        Some(device) => finding.on(device.to_string().as_str()),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::measure::layers::tests::did;

    /// Reads of two disks with one under way at each, of which the second takes so many times as long.
    fn found(times: f64) -> Finding {
        let mut case = disk(2, 1_100.0, 1_800.0, 5.0);
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 0.5 };
        case.path = ["block:sda", "block:sdb"].map(step).to_vec();
        did(&mut case, "sda", 1_000.0 * 4096.0, 0.0, 0.95);
        did(&mut case, "sdb", 1_000.0 / times * 4096.0, 0.0, 0.95);
        verdict(&[case])
    }

    /// Bug: of two disks, of which one is slow, both were named.
    #[test]
    fn the_slow_one_of_the_devices_of_a_load_is_named() {
        let slow = found(10.0);
        assert_eq!(slow.code, "latency-bound");
        assert_eq!(slow.resource.as_ref().map(Resource::as_str), Some("block:sdb"));
        let told = slow.evidence.iter().find(|e| e.code == "slower-device").and_then(|e| e.text.as_deref());
        assert_eq!(
            told,
            Some(
                "operations of disk sdb take 9.5 ms, those of the other devices of the load 950 us at the median"
            )
        );
        assert_eq!(found(1.5).resource.as_ref().map(Resource::as_str), Some("block:sda+sdb"));
    }
}
