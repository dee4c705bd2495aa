//! A loop device whose file is read and written through the page cache: a load
//! that goes around the cache above it does not go around that one.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::counted::Counts;
use crate::{Context, Rule, RuleCheck, measure};

/// From this share of bytes on the disk below has seen nearly all.
const SEEN: f64 = 0.95;

pub(crate) const RULE: Rule = Rule {
    code: "loop-through-cache",
    doc: "A loop device passes its file through the page cache (`loop/dio` is 0): O_DIRECT above it does not go around \
         that.",
    english: r#"
finding-loop-through-cache =
    { RESOURCE($resource) } read{ verb-s } and write{ verb-s } { pronoun-its } file{ plural-s } through the page cache, which direct=yes does not go around:
    { $how ->
        [seen] { RESOURCE($below) } saw { PERCENT($share) } of the bytes
       *[unknown] this is not the speed of a disk
    }
    .advice = losetup --direct-io=on

evidence-loop-buffered = dio = 0
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let drives = !measure::is_null(case) && measure::is_direct(case);
    let resource = measure::devices_name(case).filter(|_| drives)?;
    if measure::loops_are_direct(case, context.machine) != Some(false) {
        return None;
    }
    let bottom = measure::lowest(case);
    let is_below = bottom.first().is_some_and(|step| measure::below_loop(case, step));
    let counts = Counts::at_the_bottom(case).into_iter().filter(|_| is_below);
    let least = counts.min_by(|a, b| (a.device / a.program).total_cmp(&(b.device / b.program)));
    let first = measure::device(case).cloned().unwrap_or_default();
    let evidence = Evidence::at("loop-buffered", Place::Inventory(first));
    let new = |how: &str| {
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(resource.clone())
            .arg("how", how)
            .because(evidence.clone())
    };
    let Some(counts) = least else {
        return Some(new("unknown"));
    };
    let share = counts.device / counts.program;
    if share >= SEEN {
        return None;
    }
    let below = counts.resource.as_str();
    Some(new("seen").arg("below", below).arg("share", share).because(counts.evidence()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture::{self, counter};
    use model::machine::{BlockDevice, BlockKind};
    use model::resource::PathStep;
    use model::study::Controls;
    use model::{Machine, Resource};

    fn texts(path: &[&str], below: f64, direct: Option<bool>) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "loop0".to_owned(),
            kind: BlockKind::Loop,
            backing_direct: direct,
            ..BlockDevice::default()
        });
        let mut case = fixture::disk_case("randread", 100e6, 0.0);
        fixture::set(&mut case, "direct", true);
        let step = |resource: &&str| PathStep { resource: Resource::from(*resource), amplification: 1.0 };
        case.path = path.iter().map(step).collect();
        for trial in &mut case.trials {
            let bytes = (below / 512.0) as u64;
            trial.result.local_mut().counters =
                vec![counter("block:vda", "/proc/diskstats read_sectors", 512.0, bytes)];
        }
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        fixture::found(&RULE, &case, &context).into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn the_cache_below_a_loop_device_is_named_where_it_answers() {
        let path = ["block:loop0", "filesystem:/ (ext4)", "block:vda"];
        assert!(texts(&path, 3e6, Some(false))[0].ends_with("disk vda saw 3 % of the bytes"));
        assert!(texts(&path, 99e6, Some(false)).is_empty());
        assert!(texts(&path, 3e6, Some(true)).is_empty());
        assert!(texts(&path, 3e6, None).is_empty(), "nobody knows");
        assert_eq!(texts(&["block:loop0", "filesystem:/dev/shm (tmpfs)"], 0.0, Some(false)).len(), 1);
    }
}
