//! Writes that nobody syncs and that wait all the same until they are on the device: the file system is mounted so (`sync`,
//! `dirsync` of mount(8)), or the file has that attribute (`S` of chattr(1)), which no program tells. Then each write through the
//! page cache is a request of its own at the device, and the writer waits for it.

use model::finding::{Evidence, Place};
use model::profile::{Durability, OperationClass};
use model::run::CaseResult;
use model::{Finding, Resource, ResourceKind, Severity};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::measure::End;
use crate::{Context, measure};

/// So many requests at the device for each write: none was joined with another.
const EACH: f64 = 0.8;
/// And so many bytes, at least.
const BYTES: f64 = 0.9;
/// Writers that are slowed down for the sake of dirty pages for less than this share wait for something else.
const SLOWED: f64 = 0.1;

/// Verdicts on what a load waits for at a device.
const WAITS: [&str; 3] = ["latency-bound", "device-bound", "cannot-tell"];

pub(super) const ENGLISH: &str = r#"
evidence-mounted-sync =
    { RESOURCE($resource) } { verb-is } mounted with the option { $option }: { $option ->
        [sync] each write waits until it is on the device
       *[dirsync] each change of a directory waits until it is on the device
    }
evidence-each-write =
    { RESOURCE($resource) } take{ verb-s } { FIXED($each, decimals: 2) } writes for each of the load, whose workers wait { PERCENT($share) }
    of the time
"#;

/// The file system of a load with the option by which it waits for each change.
fn option(case: &CaseResult, context: &Context<'_>) -> Option<(Resource, &'static str)> {
    let is_one = |resource: &&Resource| resource.is_named(ResourceKind::FileSystem);
    let files = case.path.iter().map(|step| &step.resource).find(is_one)?;
    let point = files.name().rsplit_once(" (").map_or(files.name(), |(point, _)| point);
    let mut mounts = context.machine?.inventory.block.iter().flat_map(|device| &device.mounts);
    let options = &mounts.find(|mount| mount.point == point)?.options;
    let has = |name: &str| options.split(',').any(|option| option == name);
    // The option `sync` is one for directories, too.
    let wanted = [
        ("sync", measure::does(case, OperationClass::Write) || measure::does(case, OperationClass::Metadata)),
        ("dirsync", measure::does(case, OperationClass::Metadata)),
    ];
    let (option, _) = wanted.into_iter().find(|(option, is_felt)| *is_felt && has(option))?;
    Some((files.clone(), option))
}

/// That a file system is mounted so that each change waits.
pub(super) fn told(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let (files, option) = option(case, context).filter(|_| WAITS.contains(&named.code.as_str()))?;
    let place = Place::Inventory(measure::device(case)?.clone());
    Some(Evidence::at("mounted-sync", place).arg("resource", files.as_str()).arg("option", option))
}

/// Whether each write of a load waits though it syncs none, by an option of the mount.
pub(super) fn is_mounted(case: &CaseResult, context: &Context<'_>) -> bool {
    option(case, context).is_some()
        && matches!(measure::profile(case).durability, Durability::None | Durability::End)
}

/// A load that writes through the page cache, syncs nothing, and waits for each of its writes all the same.
pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Option<Verdict> {
    let syncs = !matches!(measure::profile(case).durability, Durability::None | Durability::End);
    if syncs || !measure::does(case, OperationClass::Write) || measure::is_direct(case) {
        return None;
    }
    let (_, all) = measure::operations(case)?;
    let own = all * measure::share(case, OperationClass::Write);
    let device = measure::devices_name(case)?;
    let [step] = measure::devices(case)[..] else { return None };
    let median = |name: &str| measure::median(case, |trial| measure::rate(trial, &step.resource, name));
    let bytes = measure::median(case, |trial| measure::moved_in(case, trial, OperationClass::Write))?;
    let each = median("writes").filter(|_| own > 0.0)? / own;
    let is_passed = each >= EACH && median("written_sectors")? >= BYTES * bytes;
    let is_slowed = measure::writeback(case).is_some_and(|found| found.throttled >= SLOWED);
    let used = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case))?;
    let share = (1.0 - used).max(0.0);
    let place = measure::place(case, &step.resource, "writes")?;
    if !is_passed || is_slowed || share < DECIDES {
        return None;
    }
    let evidence = Evidence::at("each-write", place).arg("resource", step.resource.as_str());
    let evidence = evidence.arg("each", each).arg("share", share);
    let mounted = option(case, context);
    let found = finding("device-bound", Severity::Note)
        .on(device)
        .arg("how", "each")
        .arg("share", share)
        .arg("option", mounted.as_ref().map_or("none", |(_, option)| *option));
    Some(Verdict::Full(Box::new(found.because(evidence))))
}

/// So many requests at the device for each change of a directory, at least: each waits for a commit, and those of several threads
/// share one.
const EACH_CHANGE: f64 = 0.2;

/// A load that makes and removes files and syncs nothing, on a file system that is mounted so that each of these changes waits.
pub(super) fn of_names(case: &CaseResult, context: &Context<'_>) -> Option<Verdict> {
    let (_, option) = option(case, context)?;
    let (_, changes) = measure::operations(case).filter(|(_, changes)| *changes > 0.0)?;
    let device = measure::devices_name(case)?;
    let [step] = measure::devices(case)[..] else { return None };
    let written = measure::median(case, |trial| measure::rate(trial, &step.resource, "writes"))?;
    let used = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case))?;
    let (each, share) = (written / changes, (1.0 - used).max(0.0));
    let place = measure::place(case, &step.resource, "writes")?;
    if each < EACH_CHANGE || share < DECIDES {
        return None;
    }
    let evidence = Evidence::at("each-write", place).arg("resource", step.resource.as_str());
    let found = finding("device-bound", Severity::Note).on(device).arg("how", "each").arg("share", share);
    let found = found.arg("option", option).because(evidence.arg("each", each).arg("share", share));
    Some(Verdict::Full(Box::new(found)))
}

#[cfg(test)]
mod tests {
    use model::machine::{BlockDevice, Mount};
    use model::resource::PathStep;

    use super::super::tests::{disk, machine, verdict_on};
    use super::*;
    use crate::measure::layers::tests::did;
    use crate::validity::fixture;

    /// 1,000 writes of 4 KiB a second to a file, each of 1 ms, that nobody syncs; the device has so many requests, of 4 KiB.
    fn found(direct: bool, options: &str, requests: f64, cpu_us: f64) -> Finding {
        let mut case = disk(1, 1_000.0, 1_000.0, cpu_us);
        fixture::set(&mut case, "pattern", "randwrite");
        fixture::set(&mut case, "direct", direct);
        let files = PathStep { resource: Resource::from("filesystem:/data (ext4)"), amplification: 1.0 };
        case.path.insert(0, files);
        did(&mut case, "sda", 0.0, requests * 4096.0, 0.9);
        for trial in &mut case.trials {
            let bytes = model::Quantity { value: 4096e3, unit: model::Unit::BytesPerSecond };
            trial.result.main_mut().metrics.insert(model::metric::THROUGHPUT, bytes);
        }
        let mut machine = machine();
        let (point, kind) = ("/data".to_owned(), "ext4".to_owned());
        machine.inventory.block = vec![BlockDevice {
            name: "sda".to_owned(),
            mounts: vec![Mount { point, kind, options: options.to_owned() }],
            ..BlockDevice::default()
        }];
        verdict_on(&machine, &[case])
    }

    /// Bug: of writes to a file system that is mounted with `sync` nothing was told.
    #[test]
    fn writes_that_wait_by_an_option_of_the_mount_say_so() {
        let buffered = found(false, "rw,sync,relatime", 1_200.0, 15.0);
        assert_eq!(buffered.code, "device-bound", "{buffered:?}");
        assert!(buffered.text.contains("its file system is mounted with sync"), "{}", buffered.text);
        assert!(buffered.evidence.iter().any(|e| e.code == "mounted-sync"), "{buffered:?}");
        let flagged = found(false, "rw,relatime", 1_200.0, 15.0);
        assert_eq!(flagged.code, "device-bound", "by the file's own attribute");
        assert!(flagged.text.contains("chattr +S"), "{}", flagged.text);
        let direct = found(true, "rw,sync", 1_000.0, 15.0);
        assert_eq!(direct.code, "latency-bound");
        assert!(direct.text.contains("mounted so that each write waits"), "{}", direct.text);
    }

    /// Bug: of files that are made on a file system which is mounted so that each change waits it was not known what they wait for.
    #[test]
    fn files_that_are_made_wait_by_an_option_of_the_mount() {
        let found = |depth: u64, options: &str, requests: f64, cpu_us: f64| {
            let mut case = disk(depth, 1_000.0, 1_000.0 * depth as f64, cpu_us);
            fixture::workload(&mut case, "file.metadata");
            let files = PathStep { resource: Resource::from("filesystem:/data (ext4)"), amplification: 1.0 };
            case.path.insert(0, files);
            did(&mut case, "sda", 0.0, requests * 4096.0, 0.9);
            let mut machine = machine();
            let (point, kind) = ("/data".to_owned(), "ext4".to_owned());
            machine.inventory.block = vec![BlockDevice {
                name: "sda".to_owned(),
                mounts: vec![Mount { point, kind, options: options.to_owned() }],
                ..BlockDevice::default()
            }];
            verdict_on(&machine, &[case])
        };
        let mounted = found(4, "rw,dirsync", 3_000.0, 15.0);
        assert_eq!(mounted.code, "device-bound", "{mounted:?}");
        assert!(mounted.text.contains("its file system is mounted with dirsync"), "{}", mounted.text);
        assert!(found(1, "rw,dirsync", 3_000.0, 15.0).text.contains("mounted so that each write waits"));
        assert_ne!(found(4, "rw", 3_000.0, 15.0).code, "device-bound", "nothing has it wait");
        assert_ne!(found(4, "rw,dirsync", 10.0, 15.0).code, "device-bound", "nothing comes to the device");
        assert_ne!(found(4, "rw,dirsync", 3_000.0, 900.0).code, "device-bound", "it computes");
    }

    #[test]
    fn writes_that_the_page_cache_takes_over_wait_for_nobody() {
        assert_eq!(found(false, "rw", 100.0, 15.0).code, "cannot-tell", "written later, and together");
        assert_eq!(found(false, "rw", 1_200.0, 700.0).code, "cannot-tell", "its thread computes");
        assert!(found(true, "rw,async", 1_000.0, 15.0).text.ends_with("nothing known is full"));
    }
}
