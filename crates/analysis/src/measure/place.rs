//! Which devices a case drives, as its path tells: those that its targets lie
//! on, and what these stand on.

use model::resource::PathStep;
use model::run::CaseResult;

/// What a path may be off by: its shares are sums of halves and thirds.
const ROUNDING: f64 = 1e-6;

/// The steps of the path that are block devices.
fn blocks(case: &CaseResult) -> impl Iterator<Item = &PathStep> {
    case.path.iter().filter(|s| s.resource.starts_with("block:"))
}

/// The block device that the case's load drives: the first of its path.
pub(crate) fn device(case: &CaseResult) -> Option<&str> {
    blocks(case).map(|s| s.resource.as_str()).next()
}

/// The block devices that the load's targets lie on. They come first in a path,
/// and all of its bytes pass them once.
pub(crate) fn devices(case: &CaseResult) -> Vec<&PathStep> {
    let mut sum = 0.0;
    let is_more = |step: &&PathStep| {
        let more = sum < 1.0 - ROUNDING;
        sum += step.amplification;
        more
    };
    blocks(case).take_while(is_more).collect()
}

/// All of them as one resource: `block:sda`, `block:sda+sdb`.
pub(crate) fn devices_name(case: &CaseResult) -> Option<String> {
    let all = devices(case);
    let names: Vec<&str> = all.iter().filter_map(|s| s.resource.strip_prefix("block:")).collect();
    (!names.is_empty()).then(|| format!("block:{}", names.join("+")))
}

/// Whether a step of the path stands below a loop device that the load drives:
/// a file system lies between, which may keep, join and add requests.
pub(crate) fn below_loop(case: &CaseResult, step: &PathStep) -> bool {
    let top = devices(case);
    top.iter().any(|s| s.resource.starts_with("block:loop"))
        && !top.iter().any(|s| s.resource == step.resource)
        && device(case).is_some_and(|first| {
            let at = |name: &str| case.path.iter().position(|s| s.resource == name);
            at(&step.resource) > at(first)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;

    fn with(path: &[(&str, f64)]) -> CaseResult {
        let mut case = fixture::case(1);
        let step = |(resource, amplification): &(&str, f64)| PathStep {
            resource: (*resource).to_owned(),
            amplification: *amplification,
        };
        case.path = path.iter().map(step).collect();
        case
    }

    #[test]
    fn targets_lie_on_the_first_devices_of_a_path() {
        let name = |path: &[(&str, f64)]| devices_name(&with(path));
        assert_eq!(name(&[("cpu:0", 1.0)]), None);
        let partition = [("filesystem:/", 1.0), ("block:sda1", 1.0), ("block:sda", 1.0)];
        assert_eq!(name(&partition).as_deref(), Some("block:sda1"));
        let array = [("block:md0", 1.0), ("block:sda", 0.5), ("block:sdb", 0.5)];
        assert_eq!(name(&array).as_deref(), Some("block:md0"));
        let third = 1.0 / 3.0;
        let three = [("block:sda", third), ("block:sdb", third), ("block:sdc", third), ("pci:x", 1.0)];
        assert_eq!(name(&three).as_deref(), Some("block:sda+sdb+sdc"));
    }

    #[test]
    fn only_what_stands_below_a_loop_device_is_that_far() {
        let case = with(&[
            ("cpu:0", 1.0),
            ("filesystem:/mnt (ext4)", 1.0),
            ("block:loop0", 1.0),
            ("filesystem:/ (ext4)", 1.0),
            ("block:vda", 1.0),
        ]);
        let far: Vec<bool> = case.path.iter().map(|s| below_loop(&case, s)).collect();
        assert_eq!(far, [false, false, false, true, true]);
        let disk = with(&[("block:sda1", 1.0), ("block:sda", 1.0)]);
        assert!(disk.path.iter().all(|s| !below_loop(&disk, s)));
    }
}
