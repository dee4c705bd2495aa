//! Earlier writes are still on their way to disks.

use model::{Resource, Severity};

use super::{Check, condition, seen};
use crate::inventory::memory::field;

const CODE: &str = "dirty-pages";
/// Above this share of memory, half of where the kernel begins to write by
/// itself (`dirty_background_ratio`, 10 %, `Documentation/admin-guide/
/// sysctl/vm.rst`), it writes for seconds into the measurement.
const SHARE: u64 = 20;
/// Or above this: two seconds of a SATA SSD, ten of a hard disk.
const BYTES: u64 = 1 << 30;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "more than 5 % of memory, or 1 GiB, waits to be written",
    english: r#"
condition-dirty-pages = { BINARY($bytes) } of earlier writes are not on disk yet
    .advice = run `sync` and wait until it finishes

evidence-meminfo = Dirty { BINARY($dirty) }, Writeback { BINARY($writeback) }
"#,
    look: |context| {
        let text = context.host.text("/proc/meminfo").unwrap_or_default();
        let Some(dirty) = field(&text, "Dirty").zip(field(&text, "Writeback")) else { return Vec::new() };
        let waiting = dirty.0.saturating_add(dirty.1);
        let most = field(&text, "MemTotal").map_or(BYTES, |total| BYTES.min(total / SHARE));
        if waiting <= most {
            return Vec::new();
        }
        let evidence = seen("meminfo").arg("dirty", dirty.0).arg("writeback", dirty.1);
        vec![condition(CODE, Severity::Warning).on(Resource::MEMORY).arg("bytes", waiting).because(evidence)]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose};

    fn look(total_mib: u64, dirty_mib: u64, writeback: &str) -> CheckResult {
        let (total, dirty) = (total_mib * 1024, dirty_mib * 1024);
        diagnose(
            &CHECK,
            &format!(
                "==> /proc/meminfo\nMemTotal: {total} kB\nDirty: {dirty} kB\nWriteback: {writeback} kB\n"
            ),
        )
    }

    #[test]
    fn much_that_waits_to_be_written_is_seen() {
        look(1024, 100, "0").one(Severity::Warning, "100 MiB of earlier writes");
        look(1 << 20, 1000, "102400").one(Severity::Warning, "1.07 GiB of earlier writes");
        assert_eq!(look(1 << 20, 900, "0"), CheckResult::nothing());
        assert_eq!(look(1024, 20, "0"), CheckResult::nothing());
        assert_eq!(look(1024, 1000, "18446744073709551615"), CheckResult::nothing());
    }
}
