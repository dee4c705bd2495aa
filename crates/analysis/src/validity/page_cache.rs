//! Reads and writes through the page cache: how much of them the device saw.

use model::finding::{Evidence, Place};
use model::profile::{Aspect, OperationClass};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, fact};

use super::counted::{rate, sectors};
use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// The edges of a window make a share no larger than this.
const MOST: f64 = 1.05;

/// With so much of the bytes at the device, the page cache had no part in the
/// figure: it was cold, or each write went through it (`sync=dsync`).
const ALL: f64 = 0.98;

pub(crate) const RULE: Rule = Rule {
    code: "page-cache-included",
    doc: "Reads and writes through the page cache (direct=no, or a mapped file): how much of them the device saw.",
    english: r#"
read-passed =
    the device delivered { PERCENT($device_share) } of the bytes read; the page cache answered the rest
finding-page-cache-included =
    { evidence-buffered }: { $how ->
        [both] { read-passed }; in the window the device took { PERCENT($written_share) } of the bytes written; the rest
            was then in the page cache, or overwritten there
        [read] { read-passed }
        [write] in the window the device took { PERCENT($device_share) } of the bytes written; the rest was then in the
            page cache, or overwritten there
       *[unknown] what the page cache answered or took over is part of this figure; it is not the disk's alone
    }
    .advice = use direct=yes, with an engine other than mmap, to measure the device

evidence-buffered =
    { $by ->
        [mmap] engine=mmap
       *[buffered] direct=no
    }
evidence-device = { PERCENT($share) } of the bytes passed the device
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    if measure::is_direct(case) || measure::is_null(case) {
        return None;
    }
    let mapped = measure::profile(case).interface.as_deref() == Some("mmap");
    let (by, aspect) = if mapped { ("mmap", Aspect::Interface) } else { ("buffered", Aspect::Caches) };
    let parameter = Evidence::maybe_at("buffered", measure::said(case, aspect)).arg("by", by);
    let new = |how: &str| {
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .arg("by", by)
            .arg("how", how)
            .because(parameter.clone())
    };
    // Where more was read than was asked for, how much of that was asked for
    // is not known.
    let told = |(share, place): (f64, Place)| (share <= MOST).then_some((share.min(1.0), place));
    let read = on_device(case, OperationClass::Read).and_then(told);
    let written = on_device(case, OperationClass::Write).and_then(told);
    let shares: Vec<f64> = [&read, &written].into_iter().flatten().map(|(share, _)| *share).collect();
    if !shares.is_empty() && shares.iter().all(|share| *share >= ALL) {
        return None;
    }
    Some(match (read, written) {
        (Some((read, place)), Some((written, other))) => {
            let found = new("both").arg("device_share", read).arg("written_share", written);
            found.because(passed(read, place)).because(passed(written, other))
        }
        (Some((share, place)), None) => new("read").arg("device_share", share).because(passed(share, place)),
        // How much of it was not on the device yet is said with the rate
        // until it was.
        (None, Some(_)) if super::cache_speed::has_both(case) => return None,
        (None, Some((share, place))) => new("write").arg("device_share", share).because(passed(share, place)),
        (None, None) => new("unknown"),
    })
}

/// Evidence of the share of bytes that passed the device.
pub(super) fn passed(share: f64, counter: Place) -> Evidence {
    Evidence::at("device", counter).arg("share", share)
}

/// The share of the bytes that the program read, or wrote, that the devices saw
/// in the window, and the counter that says so. Reading ahead, and the edges of
/// a window, may make it more than 1.
pub(crate) fn on_device(case: &CaseResult, kind: OperationClass) -> Option<(f64, Place)> {
    let (steps, name) = (measure::devices(case), sectors(kind));
    let first = steps.first()?;
    let counts = |trial: &model::Trial| {
        ["reads", "writes"].iter().any(|n| rate(trial, &steps, n).is_some_and(|c| c > 0.0))
    };
    // A device that keeps no counts, or one that nothing reached at all: the
    // first is said elsewhere, of the second the file's own pages tell.
    let resident = |trial: &model::Trial| trial.result.main().facts.contains_key(&fact::CACHED_SHARE_AFTER);
    if !measure::good(case).any(|t| counts(t) || resident(t)) {
        return None;
    }
    let share = measure::median(case, |trial| {
        let program = measure::moved_in(case, trial, kind)?;
        (program > 0.0).then_some(rate(trial, &steps, name)? / program)
    })?;
    Some((share, measure::place(case, &first.resource, name)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn only_buffered_cases_are_named() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "pattern", "randread");
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        fixture::set(&mut case, "direct", true);
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        fixture::set(&mut case, "direct", false);
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 1);
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "engine", "mmap");
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert!(found[0].text.starts_with("engine=mmap: "), "{}", found[0].text);
    }

    #[test]
    fn what_all_went_to_the_device_is_no_matter_of_the_cache() {
        for (device, count) in [(99e6, 0), (90e6, 1)] {
            let mut case = fixture::disk_case("write", 100e6, device);
            fixture::set(&mut case, "direct", false);
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), count, "{device}");
        }
    }

    #[test]
    fn of_a_mix_both_shares_are_told() {
        let mut case = fixture::disk_case("randrw", 100e6, 10e6);
        fixture::set(&mut case, "direct", false);
        for trial in &mut case.trials {
            let counter = fixture::counter("block:sda", "/proc/diskstats read_sectors", 512.0, 50_000);
            trial.result.local_mut().counters.push(counter);
        }
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        let text = &found[0].text;
        assert!(text.contains("delivered 51 %") && text.contains("took 20 %"), "{text}");
    }

    #[test]
    fn the_share_that_the_device_saw_is_counted() {
        let mut case = fixture::disk_case("read", 100e6, 5e6);
        fixture::set(&mut case, "direct", false);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert!(found[0].text.contains("delivered 5 %"), "{}", found[0].text);
        let mut case = fixture::disk_case("write", 100e6, 40e6);
        fixture::set(&mut case, "direct", false);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert!(found[0].text.contains("took 40 %"), "{}", found[0].text);
        // Three times as much, read ahead: what of it was wanted nobody knows.
        let mut case = fixture::disk_case("randread", 100e6, 300e6);
        fixture::set(&mut case, "direct", false);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert_eq!(found[0].args["how"], "unknown".into());
    }
}
