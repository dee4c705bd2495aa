//! CPUs are held back for heat or power.

use model::{Resource, Severity};

use super::{Check, condition, seen};

const CODE: &str = "throttling";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "CPUs are throttled now, or were since the machine was started",
    english: r#"
condition-throttling =
    { $how ->
        [now] CPUs are throttled now, { $now } times in { FIXED($seconds, decimals: 1) } s
       *[ever] CPUs were throttled { $ever } times since the start, not now
    }
    .advice = improve the cooling or let the machine cool down; watch the clock rate of the trials

evidence-throttle-count = thermal_throttle: { $now } times during the check, at most { $ever } times since the start
"#,
    look: |context| {
        let Some(activity) = context.activity else { return Vec::new() };
        let (now, ever) = (activity.throttled.unwrap_or(0), activity.throttled_ever.unwrap_or(0));
        let (severity, how) = match (now, ever) {
            (0, 0) => return Vec::new(),
            (0, _) => (Severity::Note, "ever"),
            _ => (Severity::Warning, "now"),
        };
        vec![
            condition(CODE, severity)
                .on(Resource::CPUS)
                .arg("how", how)
                .arg("now", now)
                .arg("ever", ever)
                .arg("seconds", activity.seconds)
                .because(seen("throttle-count").arg("now", now).arg("ever", ever)),
        ]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose};

    #[test]
    fn counts_that_move_are_a_warning_and_others_a_note() {
        let tree = |now: u64, ever: u64| {
            format!(
                "==> /probe/activity\n{{\"seconds\": 0.2, \"throttled\": {now}, \"throttled_ever\": {ever}}}\n"
            )
        };
        diagnose(&CHECK, &tree(3, 90)).one(Severity::Warning, "throttled now, 3 times in 0.2 s");
        diagnose(&CHECK, &tree(0, 90)).one(Severity::Note, "90 times since the start");
        assert_eq!(diagnose(&CHECK, &tree(0, 0)), CheckResult::nothing());
        assert_eq!(diagnose(&CHECK, "==> /probe/activity\n{}\n"), CheckResult::nothing());
    }
}
