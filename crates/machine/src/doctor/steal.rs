//! The hypervisor gives our CPU time to others.

use model::{Finding, Resource, Severity};

use super::{Check, CheckContext, clip_to, condition, seen};

const CODE: &str = "steal";
/// Time that is stolen is missing from every result; 1 % is as much as an
/// interval over trials can tell.
const SHARE: f64 = 0.01;
/// More than one tick, which may be a matter of rounding.
const LEAST_S: f64 = 0.015;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the hypervisor takes 1 % of CPU time, or took it since the start",
    english: r#"
condition-steal =
    { $how ->
        [now] the hypervisor takes { PERCENT($share) } of the CPUs' time for others (steal)
        [ever-not-now] the hypervisor took { PERCENT($share) } of the CPUs' time since the start, hardly any now
       *[ever] the hypervisor took { PERCENT($share) } of the CPUs' time since the start
    }
    .advice = measure when the host is less busy, or ask for CPUs of your own (dedicated or pinned)

evidence-steal-time =
    { FIXED($stolen_s, decimals: 2) } CPU seconds stolen in { FIXED($seconds, decimals: 2) } s
evidence-steal-ever = /proc/stat: { $line }
"#,
    look: |context| now(context).or_else(|| ever(context)).into_iter().collect(),
};

fn now(context: &CheckContext<'_>) -> Option<Finding> {
    let activity = context.activity?;
    let stolen_s = activity.steal_s.filter(|s| *s >= LEAST_S)?;
    let share = activity.as_cpus(stolen_s)? / f64::from(activity.cpus);
    if share < SHARE {
        return None;
    }
    let evidence = seen("steal-time").arg("stolen_s", stolen_s).arg("seconds", activity.seconds);
    let finding = condition(CODE, Severity::Warning).on(Resource::CPUS).arg("how", "now").arg("share", share);
    Some(finding.because(evidence))
}

/// Since the machine was started: what came before may come again.
fn ever(context: &CheckContext<'_>) -> Option<Finding> {
    let text = context.host.text("/proc/stat")?;
    let line = text.lines().find_map(|l| l.strip_prefix("cpu "))?;
    // proc_stat(5): the eighth field is steal; the two after it are in others.
    let times: Vec<f64> = line.split_whitespace().take(8).map_while(|w| w.parse().ok()).collect();
    let (stolen, all) = (*times.get(7)?, times.iter().sum::<f64>());
    let share = stolen / all;
    if !(SHARE..=1.0).contains(&share) {
        return None;
    }
    let is_seen = context.activity.is_some_and(|a| a.steal_s.and_then(|s| a.as_cpus(s)).is_some());
    let how = if is_seen { "ever-not-now" } else { "ever" };
    let evidence = seen("steal-ever").arg("line", clip_to(line.trim(), 200));
    let finding = condition(CODE, Severity::Note).on(Resource::CPUS).arg("how", how).arg("share", share);
    Some(finding.because(evidence))
}

#[cfg(test)]
mod tests {
    use crate::doctor::tests::{CheckResult, diagnose};
    use model::Severity;

    #[test]
    fn steal_is_seen_now_and_since_the_start() {
        let now = r#"{"seconds": 0.2, "cpus": 2, "steal_s": 0.02}"#;
        let shown = diagnose(&super::CHECK, &format!("==> /probe/activity\n{now}\n"));
        shown.one(Severity::Warning, "takes 5 % of the CPUs' time");
        let since = "==> /proc/stat\ncpu  100 0 100 700 0 0 0 100 50 0\n";
        let unseen = diagnose(&super::CHECK, since);
        unseen.one(Severity::Note, "took 10 % of the CPUs' time since the start");
        assert!(!unseen.findings[0].text.contains("now"), "{:?}", unseen.texts());
        let little = r#"{"seconds": 0.2, "cpus": 2, "steal_s": 0.0}"#;
        diagnose(&super::CHECK, &format!("{since}==> /probe/activity\n{little}\n"))
            .one(Severity::Note, "since the start, hardly any now");
    }

    #[test]
    fn a_tick_or_nothing_is_no_steal() {
        let now = r#"{"seconds": 0.2, "cpus": 1, "steal_s": 0.01}"#;
        let tree = format!("==> /probe/activity\n{now}\n==> /proc/stat\ncpu  100 0 100 700 0 0 0 1 0 0\n");
        assert_eq!(diagnose(&super::CHECK, &tree), CheckResult::nothing());
        let hardware = "==> /proc/stat\ncpu  0 0 0 0 0 0 0 0 0 0\n";
        assert_eq!(diagnose(&super::CHECK, hardware), CheckResult::nothing());
    }
}
