//! Memory is being swapped, or was.

use model::{Finding, Resource, Severity};

use super::{Check, CheckContext, condition, listed, seen};

const CODE: &str = "swapping";

/// The check. Any page that moves is one too many: whoever touches it waits for
/// a device, a thousand times as long as for memory. What lies in swap and
/// stays there costs nothing until it is touched.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "pages move to or from swap (warning), or lie there (note)",
    english: r#"
condition-swapping =
    { $how ->
        [moving] memory is being swapped: { $pages_in } pages in and { $pages_out } out in
            { FIXED($seconds, decimals: 1) } s
       *[lying] { BINARY($used_bytes) } of memory lies in swap, and none moves now
    }
    .advice =
        { $how ->
            [moving] end what holds memory; then `swapoff -a && swapon -a` brings all back into memory
           *[lying] if memory suffices, `swapoff -a && swapon -a` brings all back into it
        }

evidence-vmstat = { condition-swapping }
evidence-swap-used = { condition-swapping }
"#,
    look: |context| moving(context).or_else(|| lying(context)).into_iter().collect(),
};

fn moving(context: &CheckContext<'_>) -> Option<Finding> {
    let activity = context.activity?;
    let (pages_in, pages_out) = (activity.swapped_in.unwrap_or(0), activity.swapped_out.unwrap_or(0));
    if pages_in == 0 && pages_out == 0 {
        return None;
    }
    let finding = condition(CODE, Severity::Warning)
        .on(Resource::MEMORY)
        .arg("how", "moving")
        .arg("pages_in", pages_in)
        .arg("pages_out", pages_out)
        .arg("seconds", activity.seconds);
    Some(finding.because_same(seen("vmstat")))
}

fn lying(context: &CheckContext<'_>) -> Option<Finding> {
    let areas = &context.inventory.memory.swap;
    let used = areas.iter().fold(0u64, |sum, s| sum.saturating_add(s.used_bytes));
    if used == 0 {
        return None;
    }
    let finding =
        condition(CODE, Severity::Note).on(Resource::MEMORY).arg("how", "lying").arg("used_bytes", used);
    Some(finding.because_same(listed("swap-used", &Resource::MEMORY)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with};
    use model::machine::{Inventory, Memory, Swap};

    fn inventory(used_bytes: u64) -> Inventory {
        let swap = vec![Swap { used_bytes, ..Swap::default() }];
        Inventory { memory: Memory { swap, ..Memory::default() }, ..Inventory::default() }
    }

    #[test]
    fn pages_that_move_are_worse_than_pages_that_lie() {
        let moving = "==> /probe/activity\n{\"seconds\": 0.2, \"swapped_in\": 12, \"swapped_out\": 0}\n";
        diagnose_with(&CHECK, moving, inventory(1 << 30))
            .one(Severity::Warning, "12 pages in and 0 out in 0.2 s");
        let still = "==> /probe/activity\n{\"seconds\": 0.2, \"swapped_in\": 0, \"swapped_out\": 0}\n";
        diagnose_with(&CHECK, still, inventory(1 << 30)).one(Severity::Note, "1 GiB of memory lies in swap");
        assert_eq!(diagnose_with(&CHECK, still, inventory(0)), CheckResult::nothing());
    }
}
