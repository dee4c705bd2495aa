//! Random operations over a small part of a device. Study B touched the same
//! 0.13 % of a drive, and wrote faster than its maker promises. The heads of a disk move over that part only: a
//! disk is said to be short-stroked then, and answers sooner than it would over all of it.

use model::finding::Evidence;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Machine, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// A part as small as this: the drive's tables of it stay in its memory, a
/// disk's heads hardly move.
const TINY: f64 = 0.01;
/// Over less than this part of a disk with heads seeks are clearly shorter: by the model of the HP 97560 a mean one takes
/// 13.2 ms over the whole disk, and 8.3 ms over a quarter (Ruemmler and Wilkes, "An introduction to disk drive
/// modeling", IEEE Computer 27, 1994).
const SHORT_STROKE: f64 = 0.25;
/// A share smaller than this is told as less than this.
const SHOWN: f64 = 0.001;

pub(crate) const RULE: Rule = Rule {
    code: "same-place",
    doc: "Random operations over less than 1 % of the device, said once in a run: caches on the way may hold so little, and a \
         flash drive's tables of it do. Or over less than a quarter of a disk with heads, which then move less.",
    english: r#"
finding-same-place =
    random operations over { BINARY($span) }, { $how ->
        [less] less than{" "}
       *[share] {""}
    }{ PERCENT($share) } of { RESOURCE($resource) }: { $heads ->
        [yes] { pronoun-its } heads move over that part only, so that seeks are shorter than over the whole disk{ plural-s }
       *[no] caches on the way may hold that, and more of it may be slower
    }
    .advice = use a larger size, or sweep span
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !context.siblings.is_first(case, RULE.code, |c| is_small(c, context.machine)) {
        return None;
    }
    let heads = has_heads(case, context.machine);
    let (span, share) = share(case, context.machine)?;
    let resource = measure::devices_name(case)?;
    // Nobody reads "0.0 %".
    let (how, least) = if share < SHOWN { ("less", SHOWN) } else { ("share", share) };
    let evidence = Evidence::maybe_at("touched", measure::said(case, Aspect::Span)).arg("bytes", span);
    let found = if heads {
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
    } else {
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note).general()
    };
    let found = found.on(resource).arg("span", span).arg("how", how).arg("share", least).arg("heads", heads);
    Some(found.because(evidence))
}

/// Whether the load goes to random places of a part of its devices over which they are faster than over all.
fn is_small(case: &CaseResult, machine: Option<&Machine>) -> bool {
    let part = if has_heads(case, machine) { SHORT_STROKE } else { TINY };
    is_within(case, machine, part)
}

/// Whether the devices have heads that move.
fn has_heads(case: &CaseResult, machine: Option<&Machine>) -> bool {
    measure::wholes(case, machine).into_iter().any(|disk| measure::is_platter(machine, disk))
}

/// Whether the load goes to random places of a small part of its devices.
pub(super) fn is_tiny(case: &CaseResult, machine: Option<&Machine>) -> bool {
    is_within(case, machine, TINY)
}

fn is_within(case: &CaseResult, machine: Option<&Machine>, part: f64) -> bool {
    let random = measure::is_random(case) && measure::is_direct(case) && !measure::is_null(case);
    random && share(case, machine).is_some_and(|(_, share)| share < part)
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

    /// Bug: that a disk was short-stroked was told as of any other device, and below 1 % only.
    #[test]
    fn a_part_of_a_disk_with_heads_is_one_over_which_they_move_less() {
        let told = |rotational: bool, span: u64| {
            let mut machine = Machine::default();
            machine.inventory.block.push(BlockDevice {
                name: "sda".to_owned(),
                bytes: 8_000_000_000_000,
                transport: Some("sata".to_owned()),
                rotational: Some(rotational),
                ..BlockDevice::default()
            });
            let mut case = fixture::disk_case("randread", 1e6, 1e6);
            fixture::set(&mut case, "direct", true);
            fixture::set(&mut case, "span", span);
            let controls = Controls::default();
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            let found = fixture::found(&RULE, &case, &context);
            found.into_iter().map(|f| (f.severity, f.text)).next()
        };
        let (severity, text) = told(true, 800_000_000_000).unwrap();
        assert_eq!(severity, Severity::Warning);
        assert!(text.contains("10 % of disk sda: its heads move over that part only"), "{text}");
        assert_eq!(told(true, 4_000_000_000_000), None, "half of it");
        assert_eq!(told(false, 800_000_000_000), None, "flash");
        assert_eq!(told(false, 8_000_000_000).map(|(severity, _)| severity), Some(Severity::Note));
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
