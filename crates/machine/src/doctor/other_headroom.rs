//! Another Headroom runs.

use model::{Resource, Severity};

use super::{Check, condition, seen};

const CODE: &str = "other-headroom";
/// The name that the kernel has of our processes.
pub(super) const NAME: &str = "headroom";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "another Headroom is running: a warning if it is measuring, a note if it is idle",
    english: r#"
condition-other-headroom =
    { $busy ->
        [yes] { $count ->
            [1] another Headroom is measuring, perhaps the same parts of the machine
           *[other] { $count } other Headrooms are running, and at least one of them is measuring
        }
       *[no] { $count ->
            [1] another Headroom is running, but idle
           *[other] { $count } other Headrooms are running, but idle
        }
    }
    .advice = wait until it has finished (see `pgrep -a headroom`)

evidence-headroom-process =
    { $count ->
        [1] 1 process named headroom that is not ours
       *[other] { $count } processes named headroom that are not ours
    }
"#,
    look: |context| {
        let Some(activity) = context.activity.filter(|a| a.other_headrooms > 0) else { return Vec::new() };
        let is_busy = activity.process(NAME).is_some_and(|p| p.active);
        let severity = if is_busy { Severity::Warning } else { Severity::Note };
        let count = u64::from(activity.other_headrooms);
        vec![
            condition(CODE, severity)
                .on(Resource::CPUS)
                .arg("count", count)
                .arg("busy", is_busy)
                .because(seen("headroom-process").arg("count", count)),
        ]
    },
};

#[cfg(test)]
mod tests {
    use crate::doctor::tests::{CheckResult, diagnose};
    use model::Severity;

    fn tree(count: u32, active: bool) -> String {
        format!(
            "==> /probe/activity\n{{\"other_headrooms\": {count}, \
             \"processes\": [{{\"name\": \"headroom\", \"active\": {active}}}]}}\n"
        )
    }

    #[test]
    fn another_headroom_is_seen_by_whether_it_works() {
        diagnose(&super::CHECK, &tree(1, true)).one(Severity::Warning, "another Headroom is measuring");
        diagnose(&super::CHECK, &tree(1, false)).one(Severity::Note, "another Headroom is running, but idle");
        diagnose(&super::CHECK, &tree(2, false))
            .one(Severity::Note, "2 other Headrooms are running, but idle");
        let evidence =
            |count| diagnose(&super::CHECK, &tree(count, true)).findings[0].evidence[0].text.clone().unwrap();
        assert!(evidence(1).starts_with("1 process named") && evidence(2).starts_with("2 processes named"));
        assert_eq!(diagnose(&super::CHECK, &tree(0, false)), CheckResult::nothing());
    }
}
