//! ext4 still writes the inode tables that mkfs left out.

use model::Severity;

use super::{Check, condition, seen};

const CODE: &str = "lazy-init";
/// The kernel's thread, which lives only while there is work
/// (`fs/ext4/super.c`, `ext4_lazyinit_thread`).
pub(super) const THREAD: &str = "ext4lazyinit";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "ext4 initialises a new file system in the background",
    english: r#"
condition-lazy-init = ext4 initialises a new file system in the background and writes to it
    .advice =
        wait until it has ended, or make the file system with `-E lazy_itable_init=0,lazy_journal_init=0`

evidence-lazy-init-thread = the kernel's thread { $thread } runs
"#,
    look: |context| {
        let is_there = context.activity.is_some_and(|a| a.process(THREAD).is_some_and(|p| p.kernel));
        if !is_there {
            return Vec::new();
        }
        vec![
            condition(CODE, Severity::Warning)
                .on("filesystem")
                .arg("thread", THREAD)
                .because(seen("lazy-init-thread").arg("thread", THREAD)),
        ]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose};

    #[test]
    fn the_kernels_thread_gives_it_away() {
        let tree = |kernel| {
            format!(
                "==> /probe/activity\n{{\"processes\": [{{\"name\": \"ext4lazyinit\", \"kernel\": {kernel}}}]}}\n"
            )
        };
        diagnose(&CHECK, &tree(true)).one(Severity::Warning, "ext4 initialises");
        assert_eq!(diagnose(&CHECK, &tree(false)), CheckResult::nothing());
    }
}
