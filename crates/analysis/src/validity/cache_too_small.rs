//! A file that does not fit the memory that may cache it.

use model::finding::{Evidence, Place};
use model::profile::{Aspect, OperationClass};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use super::page_cache::{on_device, passed};
use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// From this share of bytes the device has a say in the figure.
const FELT: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    code: "cache-too-small",
    doc: "A file that does not fit the memory that may cache it.",
    english: r#"
finding-cache-too-small =
    the { BINARY($span) } that are read do not fit the { BINARY($room) } of memory that may cache them: the device
    delivered { PERCENT($device_share) } of the bytes, and the figure is neither the cache's nor the disk's
    .advice = use a span that fits, or direct=yes

evidence-memory-room = { BINARY($bytes) } of memory
evidence-span = { BINARY($bytes) } are read
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let reads = measure::does(case, OperationClass::Read);
    let buffered = !measure::is_direct(case);
    let machine = context.machine.filter(|_| reads && buffered && !measure::is_null(case))?;
    let memory = &machine.inventory.memory;
    let (room, place) = match memory.limit_bytes {
        Some(limit) if limit <= memory.total_bytes => (limit, Resource::CGROUP_MEMORY),
        _ => (memory.total_bytes, Resource::MEMORY),
    };
    let span = measure::span(case)?;
    let (share, counter) = on_device(case, OperationClass::Read)?;
    if room == 0 || span <= room || share < FELT {
        return None;
    }
    let held = Evidence::at("memory-room", Place::Inventory(place.clone()));
    let read = Evidence::maybe_at("span", measure::said(case, Aspect::Span));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(place)
            .arg("span", span)
            .arg("room", room)
            .arg("device_share", share)
            .because(passed(share, counter))
            .because(held.arg("bytes", room))
            .because(read.arg("bytes", span)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::study::Controls;

    #[test]
    fn only_a_span_beyond_memory_is_named() {
        let mut case = fixture::disk_case("randread", 100e6, 60e6);
        fixture::set(&mut case, "direct", false);
        fixture::set(&mut case, "span", 1u64 << 30);
        let mut machine = Machine::default();
        machine.inventory.memory.total_bytes = 8 << 30;
        let controls = Controls::default();
        let count = |machine: &Machine, case: &CaseResult| {
            let context = Context { machine: Some(machine), ..fixture::context(&controls) };
            fixture::found(&RULE, case, &context).len()
        };
        assert_eq!(count(&machine, &case), 0);
        machine.inventory.memory.limit_bytes = Some(256 << 20);
        assert_eq!(count(&machine, &case), 1);
        let cached = fixture::disk_case("randread", 100e6, 1e6);
        assert_eq!(count(&machine, &cached), 0);
    }
}
