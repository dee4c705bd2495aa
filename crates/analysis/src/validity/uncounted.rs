//! A device whose requests the kernel does not count: nothing can be held
//! against it.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::counted;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "counts-unsupported",
    doc: "The kernel keeps no counts of the device's requests (`queue/iostats` is 0, or the device is memory), so the \
         load's own figures are held against nothing.",
    english: r#"
finding-counts-unsupported =
    the kernel keeps no counts for { RESOURCE($resource) }: what the load says it moved is held against nothing
    .advice = write 1 into queue/iostats of the device, where it counts at all

evidence-no-counts = it counts no requests
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let drives = !measure::is_null(case) && measure::is_direct(case);
    let resource = measure::devices_name(case).filter(|_| drives)?;
    if !counted::uncounted(case, context.machine) {
        return None;
    }
    let first = measure::device(case).cloned().unwrap_or_default();
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
            .general()
            .on(resource)
            .because(Evidence::at("no-counts", Place::Inventory(first))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::{BlockDevice, BlockKind};
    use model::study::Controls;

    #[test]
    fn only_a_device_that_counts_nothing_is_named() {
        let controls = Controls::default();
        let count = |device: f64, kind, counts| {
            let mut machine = Machine::default();
            let disk = BlockDevice { name: "sda".to_owned(), kind, counts, ..BlockDevice::default() };
            machine.inventory.block.push(disk);
            let mut case = fixture::disk_case("randread", 100e6, device);
            fixture::set(&mut case, "direct", true);
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&RULE, &case, &context).len()
        };
        assert_eq!(count(0.0, BlockKind::Disk, Some(false)), 1);
        assert_eq!(count(0.0, BlockKind::Zram, None), 1);
        assert_eq!(count(0.0, BlockKind::Disk, Some(true)), 0, "it was never reached");
        assert_eq!(count(50e6, BlockKind::Zram, Some(false)), 0, "it counts all the same");
    }
}
