//! Others use the CPUs now.

use model::{Finding, Resource, Severity};

use super::activity::{Activity, Process};
use super::{Check, clip_to, condition, seen};

const CODE: &str = "other-load";
/// Above this share of all CPUs a load on all of them loses as much, which is
/// the size of the differences that people compare.
const SHARE: f64 = 0.05;
/// At least so much, or it is one tick of the clock more or less.
const LEAST_S: f64 = 0.025;
/// A load that takes half of one CPU may meet a worker there, however many
/// CPUs there are.
const CPUS: f64 = 0.5;
/// Processes are named down to this number of CPUs, two ticks in a look.
const NAMED_CPUS: f64 = 0.08;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "other programs use 5 % of all CPUs, or half of one",
    english: r#"
condition-other-load =
    while nothing was measured, other programs used { FIXED($cpus_used, decimals: 1) } of { $cpus } CPUs ({ PERCENT($share) }): { $how ->
        [named] { $processes }
       *[hidden] processes that are not visible or have ended
    }
    .advice = stop what uses the CPUs (see `top`), or wait until it has finished

evidence-cpu-time =
    { FIXED($cpu_s, decimals: 2) } CPU seconds of other programs in { FIXED($seconds, decimals: 2) } s
evidence-busy-process = { $name } used { FIXED($cpus, decimals: 2) } CPUs
"#,
    look: |context| context.activity.and_then(judge).into_iter().collect(),
};

fn judge(activity: &Activity) -> Option<Finding> {
    let others_s = activity.others_s.filter(|s| *s >= LEAST_S)?;
    let cpus = activity.as_cpus(others_s)?;
    let share = cpus / f64::from(activity.cpus);
    let severity = match (share >= SHARE, cpus >= CPUS) {
        (true, _) => Severity::Warning,
        (false, true) => Severity::Note,
        _ => return None,
    };
    let named: Vec<(&Process, f64)> = activity
        .processes
        .iter()
        .filter_map(|p| Some((p, activity.as_cpus(p.cpu_s)?)))
        .filter(|(_, cpus)| *cpus >= NAMED_CPUS)
        .collect();
    let words: Vec<String> = named.iter().take(4).map(|(p, cpus)| format!("{} {cpus:.1}", name(p))).collect();
    let watched = seen("cpu-time").arg("cpu_s", others_s).arg("seconds", activity.seconds);
    let mut finding = condition(CODE, severity)
        .on(Resource::CPUS)
        .arg("cpus_used", cpus)
        .arg("cpus", u64::from(activity.cpus))
        .arg("share", share)
        .arg("how", if words.is_empty() { "hidden" } else { "named" })
        .arg("processes", words.join(", "))
        .because(watched);
    for (process, cpus) in named.iter().take(8) {
        finding = finding.because(seen("busy-process").arg("name", name(process)).arg("cpus", *cpus));
    }
    Some(finding)
}

/// A thread of the kernel in brackets, as ps writes it; with how many there are.
fn name(process: &Process) -> String {
    let name = clip_to(&process.name, 15);
    let name = if process.kernel { format!("[{name}]") } else { name };
    if process.count > 1 { format!("{name} ({} processes)", process.count) } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::written;

    fn activity(others_s: f64, cpus: u32) -> Activity {
        let process = |name: &str, kernel, cpu_s, count| Process {
            name: name.to_owned(),
            kernel,
            cpu_s,
            active: true,
            count,
        };
        let processes = vec![
            process("rustc", false, others_s * 0.7, 3),
            process("md0_resync", true, others_s * 0.2, 1),
            process("sshd", false, 0.0, 1),
        ];
        Activity { seconds: 0.2, cpus, others_s: Some(others_s), processes, ..Activity::default() }
    }

    #[test]
    fn who_uses_the_cpus_is_named() {
        let finding = written(judge(&activity(0.26, 2)).unwrap());
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(
            finding.text,
            "while nothing was measured, other programs used 1.3 of 2 CPUs (65 %): rustc (3 processes) 0.9, [md0_resync] 0.3"
        );
    }

    #[test]
    fn one_busy_cpu_of_many_is_a_note() {
        assert_eq!(judge(&activity(0.2, 64)).unwrap().severity, Severity::Note);
    }

    #[test]
    fn a_few_ticks_are_nothing() {
        assert_eq!(judge(&activity(0.02, 1)), None);
        assert_eq!(judge(&activity(0.05, 64)), None);
        assert_eq!(judge(&Activity { seconds: 0.0, ..activity(1.0, 2) }), None);
        assert_eq!(judge(&activity(f64::INFINITY, 2)), None);
    }

    #[test]
    fn what_is_not_visible_is_said_so() {
        let hidden = Activity { processes: Vec::new(), ..activity(0.3, 2) };
        let finding = written(judge(&hidden).unwrap());
        assert!(finding.text.ends_with("processes that are not visible or have ended"));
    }
}
