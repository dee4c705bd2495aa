//! Writes through the page cache that took the first bytes faster than the device: the mean is neither
//! the one's rate nor the other's.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// So many times as much as the rest makes a head.
pub(crate) const FASTER: f64 = 1.25;

pub(crate) const RULE: Rule = Rule {
    code: "cache-absorbed-the-head",
    doc: "The page cache took the first bytes faster than the device could, until the kernel slowed the writer down: \
         the mean mixes both rates. What came before and what came after are divided at the moment when as much waited \
         to be written as the kernel lets wait (`dirty_freerun_ceiling` in mm/page-writeback.c).",
    english: r#"
finding-cache-absorbed-the-head =
    the page cache took the first { SHORT($bytes, unit: "B") } at { SHORT($head, unit: "B/s") }; from then on it was
    { SHORT($sustained, unit: "B/s") }{ $known ->
        [yes] , as much as { RESOURCE($resource) } took
       *[no] {""}
    }. The mean, { SHORT($mean, unit: "B/s") }, depends on how long the measurement took
    .advice = quote { SHORT($sustained, unit: "B/s") } as the sustained rate

evidence-full-cache = at most { BINARY($dirty) } waited to be written, and writers are slowed down from { BINARY($limit) } on
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let found = measure::middle(case, |trial| {
        let found = measure::absorbed(measure::profile(case), &case.path, &trial.result)?;
        Some((found.sustained, found))
    })?;
    if found.head < FASTER * found.sustained {
        return None;
    }
    let cache = measure::writeback(case)?;
    let evidence = Evidence::at("full-cache", cache.place())
        .arg("dirty", cache.dirty as u64)
        .arg("limit", cache.limit as u64);
    let device = measure::devices_name(case).filter(|_| took(case, found.sustained));
    let mut told = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .arg("bytes", found.bytes)
        .arg("head", found.head)
        .arg("sustained", found.sustained)
        .arg("mean", found.mean)
        .arg("known", device.is_some())
        .because(evidence);
    told.resource = device;
    Some(told)
}

/// The device took as much, to this share of it.
const NEAR: f64 = 0.25;

/// Whether the devices took about `sustained` bytes per second in all of the window: they are at it
/// from the head on.
fn took(case: &CaseResult, sustained: f64) -> bool {
    let devices = measure::devices(case);
    let rate = measure::median(case, |trial| {
        devices.iter().map(|step| measure::rate(trial, &step.resource, "written_sectors")).sum()
    });
    rate.is_some_and(|rate| (rate / sustained - 1.0).abs() <= NEAR)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::resource::PathStep;
    use model::study::Controls;
    use model::trial::{Series, Window};
    use model::{Better, Resource, SeriesName, Unit, metric, series};

    /// Ten seconds: so many bytes per second before and after the third second, when `waiting` bytes
    /// wait to be written, of 12 MB from which writers are slowed down.
    pub(crate) fn case(head: f64, rest: f64, waiting: f64) -> CaseResult {
        let mut case = fixture::disk_case("write", (3.0 * head + 7.0 * rest) / 10.0, rest);
        fixture::set(&mut case, "direct", false);
        let mean = fixture::estimate((3.0 * head + 7.0 * rest) / 10.0, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, mean);
        let series = |resource: Resource, name: SeriesName, unit, values: Vec<f64>| Series {
            resource,
            name,
            unit,
            start_ns: 0,
            interval_ns: 100_000_000,
            values,
        };
        let step = |before: f64, after: f64| (0..100).map(|i| if i < 30 { before } else { after }).collect();
        // A reading is of the end of its interval.
        let read = |before: f64, after: f64| (0..100).map(|i| if i < 29 { before } else { after }).collect();
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 0, end_ns: 10_000_000_000 });
            let own = series(Resource::LOAD, series::THROUGHPUT, Unit::BytesPerSecond, step(head, rest));
            trial.result.main_mut().series = vec![own];
            trial.result.local_mut().series = [
                (series::DIRTY_PAGES, read(waiting / 4.0, waiting - 1e6)),
                (series::WRITEBACK_PAGES, step(1e6, 1e6)),
                (series::DIRTY_THRESHOLD, step(16e6, 16e6)),
                (series::DIRTY_BACKGROUND_THRESHOLD, step(8e6, 8e6)),
            ]
            .into_iter()
            .map(|(name, values)| series(Resource::MEMORY, name, Unit::Bytes, values))
            .collect();
        }
        case
    }

    fn found(case: &CaseResult) -> Vec<String> {
        let found = fixture::found(&RULE, case, &fixture::context(&Controls::default()));
        found.into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn what_the_cache_took_first_is_told_apart_from_what_lasts() {
        let told = case(900e6, 440e6, 13e6);
        let sustained = |case: &CaseResult| {
            measure::sustained(measure::profile(case), &case.path, &case.trials[0].result)
        };
        assert!(sustained(&told).is_some_and(|rate| (rate - 440e6).abs() < 1e6), "{:?}", sustained(&told));
        assert_eq!(sustained(&case(900e6, 440e6, 11e6)), None);
        let text = found(&told).join("");
        assert!(text.contains("the first 2.7 GB at 900 MB/s; from then on it was 440 MB/s"), "{text}");
        assert!(text.contains("The mean, 578 MB/s"), "{text}");
        assert_eq!(found(&case(900e6, 440e6, 11e6)), [""; 0], "the kernel let all of it wait");
        assert_eq!(found(&case(500e6, 440e6, 13e6)), [""; 0], "it was hardly faster");
        // A series of nothing but zeros is not kept.
        let mut unwritten = case(900e6, 440e6, 14e6);
        for trial in &mut unwritten.trials {
            trial.result.local_mut().series.retain(|series| series.name != series::WRITEBACK_PAGES);
        }
        assert_eq!(found(&unwritten).len(), 1, "regression: without it, nothing was said of the page cache");
        let mut direct = case(900e6, 440e6, 13e6);
        fixture::set(&mut direct, "direct", true);
        assert_eq!(found(&direct), [""; 0]);
    }

    /// The same in a control group whose files take 10 of the 100 MB that may be dirty, so that writers
    /// are slowed down from 1.2 MB on.
    fn grouped(case: CaseResult, limit: Option<f64>, waiting: f64) -> CaseResult {
        let mut case = case;
        let flat = |resource: Resource, name: SeriesName, value: f64| (resource, name, vec![value; 100]);
        let (machine, group) = (Resource::MEMORY, Resource::CGROUP_MEMORY);
        let mut added = vec![
            flat(machine.clone(), series::FREE_PAGES, 60e6),
            flat(machine.clone(), series::ACTIVE_FILE_PAGES, 20e6),
            flat(machine, series::INACTIVE_FILE_PAGES, 20e6),
            flat(group.clone(), series::GROUP_ACTIVE_FILE, 6e6),
            flat(group.clone(), series::GROUP_INACTIVE_FILE, 4e6),
            flat(group.clone(), series::GROUP_DIRTY, waiting),
        ];
        // A series of nothing but zeros is not kept: nothing is left of the limit.
        added.extend(limit.map(|limit| flat(group, series::GROUP_LIMIT, limit)));
        for trial in &mut case.trials {
            let all = &mut trial.result.local_mut().series;
            let like = all[0].clone();
            let of = |(resource, name, values)| Series { resource, name, values, ..like.clone() };
            all.extend(added.iter().cloned().map(of));
        }
        case
    }

    #[test]
    fn a_control_group_has_its_own_part_of_what_may_wait() {
        let verdict = |case: &CaseResult| {
            let found = crate::bottleneck::check(case, &fixture::context(&Controls::default()));
            crate::said::written(found).into_iter().next().map(|f| (f.code, f.text)).unwrap_or_default()
        };
        // As much as the machine lets wait.
        let free = || case(900e6, 440e6, 11e6);
        let limit = Some(f64::from(20u32 << 20));
        let (code, text) = verdict(&grouped(free(), limit, 1.3e6));
        assert_eq!(code, "dirty-throttled");
        assert!(text.contains("of the control group, whose memory is held to 20 MiB, waits"), "{text}");
        assert_ne!(verdict(&grouped(free(), limit, 1.1e6)).0, "dirty-throttled", "less than its part");
        assert_ne!(verdict(&grouped(free(), None, 1.3e6)).0, "dirty-throttled", "nothing limits it");
        let mut elsewhere = grouped(free(), limit, 1.3e6);
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 1.0 };
        elsewhere.path = vec![step("filesystem:/m (ntfs3)"), step("block:sda")];
        assert_ne!(verdict(&elsewhere).0, "dirty-throttled", "it does not write back by groups");
        // Where the machine's are reached as well, these are told.
        let (code, text) = verdict(&grouped(case(900e6, 440e6, 13e6), limit, 1.1e6));
        assert_eq!(code, "dirty-throttled");
        assert!(text.contains("so much of the page cache waits to be written"), "{text}");
    }

    #[test]
    fn a_writer_that_is_slowed_down_for_most_of_the_time_is_held_back_by_that() {
        let verdict = |case: &CaseResult| {
            let found = crate::bottleneck::check(case, &fixture::context(&Controls::default()));
            found.first().map(|f| f.code.clone()).unwrap_or_default()
        };
        assert_eq!(verdict(&case(900e6, 440e6, 13e6)), "dirty-throttled");
        assert_ne!(verdict(&case(900e6, 440e6, 11e6)), "dirty-throttled");
    }
}
