//! Others use the device: the kernel counted more there than the load moved.

use model::finding::{Evidence, Place};
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::counted::{Counts, journal, rate, sectors};
use super::disturbed;
use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// Less than this share beyond the load's bytes is a file system's own
/// bookkeeping (journal, metadata).
const JOURNAL: f64 = 0.10;
/// Below a loop device a second file system keeps books, and allocates what
/// holes of the file are written to.
const JOURNAL_BELOW: f64 = 0.25;

/// Bytes per second that are felt: a daemon that writes its log is not.
const FELT: f64 = 1e6;

/// So many of the programs that computed most are told.
const PROGRAMS: usize = 2;

pub(crate) const RULE: Rule = Rule {
    code: "others-use-the-device",
    doc: "Others use the device: the kernel counted more there than the load moved, be it of what the load does or of \
         what it does not. A file system's own bookkeeping is allowed for.",
    english: r#"
finding-others-use-the-device =
    { RESOURCE($resource) } moved { SHORT($beyond, unit: "B/s") } more than the { SHORT($program, unit: "B/s") } of the
    load: others use { pronoun-them } too, or requests were made larger on the way
    .advice = `headroom doctor` lists who is busy; measure again when they are not

evidence-foreign =
    { SHORT($bytes_per_s, unit: "B/s") } of { $kind ->
        [read] reads
       *[write] writes
    } that no load asked for
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let all = Counts::at_the_bottom(case);
    let first = all.first()?;
    let program: f64 = all.iter().map(|c| c.program).sum();
    let tolerance: f64 = all.iter().map(|c| c.tolerance).sum();
    let foreign = foreign(case, &all);
    let beyond: f64 = all.iter().map(|c| (c.device - c.program).max(0.0)).sum::<f64>()
        + foreign.iter().map(|f| f.1).sum::<f64>();
    let bottom = measure::lowest(case);
    let is_below = bottom.first().is_some_and(|step| measure::below_loop(case, step));
    let kept = program * if is_below { JOURNAL_BELOW } else { JOURNAL } + journal(case);
    if beyond <= (tolerance + kept).max(FELT) {
        return None;
    }
    // The kind that is furthest off shows it best.
    let off = |c: &&Counts| c.device / c.program;
    let worst = all.iter().max_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(first);
    let mut found = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .on(first.resource.clone())
        .arg("beyond", beyond)
        .arg("program", program)
        .because(worst.evidence());
    for (kind, bytes) in foreign.into_iter().filter(|(_, bytes)| *bytes > 0.0) {
        let place = bottom.first().and_then(|s| measure::place(case, &s.resource, sectors(kind)));
        let foreign = place.map(|place| Evidence::at("foreign", place).arg("kind", kind.name()));
        found = found.because_all(foreign.map(|e| e.arg("bytes_per_s", bytes)));
    }
    // Who computes meanwhile may be who moves it.
    let programs = disturbed::programs(case, End::Drives).into_iter().take(PROGRAMS);
    Some(found.because_all(programs.map(|(name, cpu)| {
        let process = Evidence::at("process", Place::Process(name.clone()));
        process.arg("name", name.as_str()).arg("cpu", cpu)
    })))
}

/// Bytes per second of what no load does: reads beside writers, writes beside
/// readers.
fn foreign(case: &CaseResult, own: &[Counts]) -> Vec<(OperationClass, f64)> {
    let steps = measure::lowest(case);
    let kinds = [OperationClass::Read, OperationClass::Write]
        .into_iter()
        .filter(|kind| own.iter().all(|c| c.kind != *kind));
    let of = |kind| Some((kind, measure::median(case, |t| rate(t, &steps, sectors(kind)))?));
    kinds.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture::{self, counter};
    use model::metric;
    use model::resource::PathStep;
    use model::study::Controls;
    use model::trial::ProcessUse;
    use model::{Resource, ResourceKind, Unit};

    fn reads(device: &str, read: f64, written: f64) -> CaseResult {
        let mut case = fixture::disk_case("randread", 100e6, 0.0);
        fixture::set(&mut case, "direct", true);
        for trial in &mut case.trials {
            trial.result.local_mut().counters.clear();
            for (name, bytes) in [("read_sectors", read), ("written_sectors", written)] {
                let source = format!("/proc/diskstats {name}");
                trial.result.local_mut().counters.push(counter(
                    device,
                    &source,
                    512.0,
                    (bytes / 512.0) as u64,
                ));
            }
        }
        case
    }

    /// Bug: of a program that reads the same disk nothing was told but that there is one.
    #[test]
    fn programs_that_run_meanwhile_are_told() {
        let mut case = reads("block:sda", 400e6, 0.0);
        for trial in &mut case.trials {
            let name = "fstrim".to_owned();
            let other = ProcessUse { pid: 7, name, own: false, kernel: false, cpu_s: 0.2, watched_s: 1.0 };
            trial.result.local_mut().processes = vec![other];
        }
        let controls = Controls::default();
        let found = fixture::found(&RULE, &case, &fixture::context(&controls)).remove(0);
        let told = found.evidence.iter().find(|evidence| evidence.code == "process").unwrap();
        assert_eq!(told.text.as_deref(), Some("fstrim used 0.20 CPU seconds a second"));
    }

    fn count(case: &CaseResult) -> usize {
        fixture::count(&RULE, case, &Controls::default())
    }

    #[test]
    fn writes_of_others_beside_a_reader_are_theirs() {
        assert_eq!(count(&reads("block:sda", 100e6, 5e6)), 0);
        assert_eq!(count(&reads("block:sda", 100e6, 50e6)), 1);
        assert_eq!(count(&reads("block:sda", 40e6, 50e6)), 1, "what is missing does not make up for it");
    }

    #[test]
    fn the_file_system_below_a_loop_device_keeps_its_own_books() {
        let below = |read| {
            let mut case = reads("block:vda", read, 0.0);
            let step = |resource: &str| PathStep { resource: Resource::from(resource), amplification: 1.0 };
            case.path = ["block:loop0", "filesystem:/ (ext4)", "block:vda"].map(step).to_vec();
            count(&case)
        };
        assert_eq!((below(115e6), below(150e6)), (0, 1));
        assert_eq!(count(&reads("block:sda", 115e6, 0.0)), 1);
    }

    #[test]
    fn the_journal_of_syncs_is_not_of_others() {
        let mut case = fixture::disk_case("randwrite", 4e6, 20e6);
        fixture::set(&mut case, "direct", true);
        assert_eq!(count(&case), 1);
        let rate = fixture::estimate(1000.0, Unit::PerSecond, model::Better::Higher);
        case.loads.main.estimates.insert(metric::SYNCS_PER_SECOND, rate);
        assert_eq!(count(&case), 1, "a device has no journal");
        let fs =
            PathStep { resource: Resource::of(ResourceKind::FileSystem, "/ (ext4)"), amplification: 1.0 };
        case.path.insert(0, fs);
        assert_eq!(count(&case), 0);
    }
}
