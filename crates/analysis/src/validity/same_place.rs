//! Random operations over a small part of a device. Study B touched the same
//! 0.13 % of a drive, and wrote faster than its maker promises.

use model::finding::Evidence;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Machine, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// A part as small as this: the drive's tables of it stay in its memory, a
/// disk's heads hardly move.
const TINY: f64 = 0.01;
/// A share smaller than this is told as less than this.
const SHOWN: f64 = 0.001;

pub(crate) const RULE: Rule = Rule {
    code: "same-place",
    doc: "Random operations over less than 1 % of the device, said once in a run: caches on the way may hold so little, a \
         flash drive's tables of it do, and a disk's heads hardly move.",
    english: r#"
finding-same-place =
    random operations over { BINARY($span) }, { $how ->
        [less] less than{" "}
       *[share] {""}
    }{ PERCENT($share) } of { RESOURCE($resource) }: caches on the way may hold that, and more of it may be slower
    .advice = use a larger size, or sweep span
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !context.siblings.is_first(case, RULE.code, |c| is_tiny(c, context.machine)) {
        return None;
    }
    let (span, share) = share(case, context.machine)?;
    let resource = measure::devices_name(case)?;
    // Nobody reads "0.0 %".
    let (how, least) = if share < SHOWN { ("less", SHOWN) } else { ("share", share) };
    let evidence = Evidence::maybe_at("touched", measure::said(case, Aspect::Span)).arg("bytes", span);
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
            .general()
            .on(resource)
            .arg("span", span)
            .arg("how", how)
            .arg("share", least)
            .because(evidence),
    )
}

/// Whether the load goes to random places of a small part of its devices.
pub(super) fn is_tiny(case: &CaseResult, machine: Option<&Machine>) -> bool {
    let random = measure::is_random(case) && measure::is_direct(case) && !measure::is_null(case);
    random && share(case, machine).is_some_and(|(_, share)| share < TINY)
}

/// The bytes that are touched of one target, and their share of the largest
/// device under any.
fn share(case: &CaseResult, machine: Option<&Machine>) -> Option<(u64, f64)> {
    let disks = measure::wholes(case, machine).into_iter().filter(|d| !measure::is_memory(d));
    let largest = disks.map(|d| d.bytes).max().filter(|bytes| *bytes > 0)?;
    let span = measure::span(case)?;
    Some((span, span as f64 / largest as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::machine::BlockDevice;
    use model::study::Controls;

    #[test]
    fn a_very_small_share_is_told_as_less_than_one() {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            bytes: 1_600_000_000_000,
            ..BlockDevice::default()
        });
        let mut case = fixture::disk_case("randread", 100e6, 100e6);
        fixture::set(&mut case, "span", 128u64 << 20);
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        let text = &fixture::found(&RULE, &case, &context)[0].text;
        assert!(text.contains("128 MiB, less than 0.1 % of disk sda"), "{text}");
    }

    #[test]
    fn a_small_part_of_a_drive_is_named_once() {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            bytes: 1_600_000_000_000,
            ..BlockDevice::default()
        });
        let case = |pattern: &str, span: u64| {
            let mut case = fixture::disk_case(pattern, 100e6, 100e6);
            fixture::set(&mut case, "direct", true);
            fixture::set(&mut case, "span", span);
            case
        };
        let cases = [
            case("read", 2 << 30),
            case("randwrite", 100 << 30),
            case("randwrite", 2 << 30),
            case("randread", 2 << 30),
        ];
        let controls = Controls::default();
        let context = Context {
            machine: Some(&machine),
            siblings: &crate::Siblings::of(&cases),
            ..fixture::context(&controls)
        };
        let found: Vec<_> = cases.iter().map(|c| fixture::found(&RULE, c, &context)).collect();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 1, 0]);
        assert!(found[2][0].text.contains("0.1 % of disk sda"), "{}", found[2][0].text);
    }
}
