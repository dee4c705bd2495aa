//! A span that a cache below the page cache may hold: O_DIRECT goes around
//! neither the drive's memory nor a controller's nor a hypervisor's.

use model::finding::{Evidence, Place};
use model::profile::{Aspect, OperationClass};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity};

use super::same_place;
use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// A span smaller than this may be held by what nobody told us of: controllers
/// have up to 8 GiB, most of them 4 or less.
const SMALL: u64 = 4 << 30;
/// A device so many times larger than the span has more to be measured.
const LARGER: u64 = 4;

pub(crate) const RULE: Rule = Rule {
    code: "span-fits-cache",
    doc: "A span that fits the drive's own cache, by its datasheet; or, once in a run, one that is read again and again \
         and so small that a cache nobody told us of may hold it. O_DIRECT goes around the page cache only.",
    english: r#"
finding-span-fits-cache =
    { $how ->
        [drive] the { BINARY($span) } that are touched fit the { BINARY($cache) } of cache on { RESOURCE($resource) },
            and direct=yes does not go around that
       *[unknown] the { BINARY($span) } that are read again and again may fit a cache of a drive, a controller or a
            hypervisor, which direct=yes does not go around
    }
    .advice = sweep span: the steps of the rate are the caches

evidence-drive-cache = { BINARY($bytes) } of cache
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let (span, resource) = touched(case)?;
    let disks = measure::wholes(case, context.machine);
    let touched = Evidence::maybe_at("touched", measure::said(case, Aspect::Span)).arg("bytes", span);
    let new = |severity, how: &str| {
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .on(resource.clone())
            .arg("how", how)
            .arg("span", span)
            .because(touched.clone())
    };
    let known = disks.iter().filter_map(|d| Some((d.cache_bytes?, d)));
    if let Some((cache, disk)) = known.min_by_key(|(cache, _)| *cache).filter(|(cache, _)| span <= *cache) {
        let place = Place::Inventory(Resource::of(ResourceKind::Block, &disk.name));
        let says = Evidence::at("drive-cache", place).arg("bytes", cache);
        return Some(new(Severity::Warning, "drive").arg("cache", cache).because(says));
    }
    if !context.siblings.is_first(case, RULE.code, |c| may_be_held(c, context)) {
        return None;
    }
    Some(new(Severity::Note, "unknown").general())
}

/// The bytes that are touched on each device, and the devices, of a load that
/// goes around the page cache to some.
fn touched(case: &CaseResult) -> Option<(u64, String)> {
    let trims = measure::does(case, OperationClass::Trim);
    if measure::is_null(case) || !measure::is_direct(case) || trims {
        return None;
    }
    let devices = measure::devices(case).len().max(1) as f64;
    let targets = measure::concurrency(case) / measure::at_once(case);
    let span = measure::span(case)? as f64 * (targets / devices).max(1.0);
    Some((span as u64, measure::devices_name(case)?.to_string()))
}

/// Whether a cache that nobody told us of may hold what is read.
fn may_be_held(case: &CaseResult, context: &Context<'_>) -> bool {
    let Some((span, _)) = touched(case) else { return false };
    let disks = measure::wholes(case, context.machine);
    let is_held = |d: &&model::machine::BlockDevice| {
        let unknown = d.cache_bytes.is_none() && !measure::is_memory(d);
        unknown && !measure::is_platter(context.machine, d) && d.bytes >= span.saturating_mul(LARGER)
    };
    span < SMALL
        && disks.iter().any(is_held)
        && is_read_again(case, span)
        && !same_place::is_tiny(case, context.machine)
}

/// Whether a trial reads more than the span.
fn is_read_again(case: &CaseResult, span: u64) -> bool {
    let read = measure::median(case, |t| measure::bytes_in(case, t, OperationClass::Read));
    read.is_some_and(|bytes| bytes > span as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::BlockDevice;
    use model::study::Controls;

    fn hows(cache: Option<u64>, span: u64, pattern: &str, disk: u64) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            bytes: disk,
            cache_bytes: cache,
            ..BlockDevice::default()
        });
        let mut case = fixture::disk_case(pattern, 2e9, 2e9);
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "span", span);
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        let found = fixture::found(&RULE, &case, &context);
        found.iter().map(|f| format!("{} {:?}", f.args["how"], f.severity)).collect()
    }

    #[test]
    fn a_known_cache_is_held_against_the_span_and_an_unknown_one_is_only_mentioned() {
        let none = Vec::<String>::new();
        let (sheet, disk) = (Some(512 << 20), 256_000_000_000);
        assert_eq!(hows(sheet, 256 << 20, "randread", disk), ["drive Warning"]);
        assert_eq!(hows(sheet, 256 << 20, "write", disk), ["drive Warning"]);
        assert_eq!(hows(sheet, 1 << 30, "read", disk), none);
        assert_eq!(hows(None, 1 << 30, "read", disk), ["unknown Note"]);
        assert_eq!(hows(None, 1 << 30, "write", disk), none, "a burst is another matter");
        assert_eq!(hows(None, 8 << 30, "read", disk), none);
        assert_eq!(hows(None, 1 << 30, "read", 2 << 30), none, "nearly all of it");
        assert_eq!(hows(None, 1 << 30, "randread", disk), none, "said by the same place");
    }
}
