//! Other programs computed while the window was open.

use language::format;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::Trial;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, measure};

/// CPU seconds of others in each second that are felt: a tenth of one CPU. The
/// daemons of an idle server need less than a hundredth.
const FELT: f64 = 0.10;
/// And a share of all CPUs: on a machine with many a tenth of one is not felt.
const SHARE: f64 = 0.01;

/// The rule.
pub(crate) struct Disturbed;

impl Rule for Disturbed {
    fn code(&self) -> &'static str {
        "disturbed-by-others"
    }

    fn doc(&self) -> &'static str {
        "Other programs computed while the window was open."
    }

    fn check(&self, case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
        let cpus = context.machine.map_or(1, |m| m.inventory.cpu.online.len().max(1)) as f64;
        let (Some(others), Some(place)) =
            (measure::median(case, others), measure::place(case, "cpu", "user"))
        else {
            return Vec::new();
        };
        if others < FELT || others < SHARE * cpus {
            return Vec::new();
        }
        let worst = culprits(case);
        let names: Vec<String> =
            worst.iter().take(3).map(|(name, used)| format!("{name} ({})", format::percent(*used))).collect();
        let (who, named) = (names.join(", "), !names.is_empty());
        let text = format!(
            "other programs used {} of a CPU in the window{}{who}",
            format::percent(others),
            if named { ": " } else { "" }
        );
        let mut finding = Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
            .on("cpu")
            .arg("others_cpu", others)
            .arg("named", named)
            .arg("who", who.as_str())
            .because(
                Evidence::at("others-cpu", place, format!("{others:.2} CPU seconds a second beside ours"))
                    .arg("cpu", others),
            )
            .advise("end them, or measure again when they are quiet");
        for (name, used) in worst.into_iter().take(3) {
            let says = format!("{name} used {used:.2} CPU seconds a second");
            let process = Evidence::at("process", Place::Process(name.clone()), says);
            finding = finding.because(process.arg("name", name.as_str()).arg("cpu", used));
        }
        vec![finding]
    }
}

/// CPU seconds in user mode of all but us for each second. Kernel threads that
/// work for our load compute in the kernel only, so they are not in it.
fn others(trial: &Trial) -> Option<f64> {
    let all = measure::rate(trial, "cpu", "user")? + measure::rate(trial, "cpu", "nice").unwrap_or(0.0);
    Some((all - measure::rate(trial, "self", "user")?).max(0.0))
}

/// The programs that used most, with CPU seconds for each second.
fn culprits(case: &CaseResult) -> Vec<(String, f64)> {
    let mut sums: std::collections::BTreeMap<&str, (f64, f64)> = std::collections::BTreeMap::new();
    for process in measure::good(case).flat_map(|t| &t.result.processes).filter(|p| !p.own && !p.kernel) {
        let sum = sums.entry(&process.name).or_default();
        sum.0 += process.cpu_s;
        sum.1 += process.watched_s;
    }
    let mut all: Vec<(String, f64)> = sums
        .into_iter()
        .filter(|(_, (_, watched))| *watched > 0.0)
        .map(|(name, (cpu, watched))| (name.to_owned(), cpu / watched))
        .filter(|(_, used)| *used >= 0.01)
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_busy_neighbour_is_named_and_a_quiet_machine_is_not() {
        let controls = Controls::default();
        let mut case = fixture::case(3);
        assert_eq!(fixture::count(&Disturbed, &case, &controls), 0);
        for trial in &mut case.trials {
            trial.result.counters = vec![
                fixture::counter("cpu", "/proc/stat user", 0.01, 203),
                fixture::counter("self", "getrusage user", 1e-6, 2_000_000),
            ];
        }
        assert_eq!(fixture::count(&Disturbed, &case, &controls), 0);
        for trial in &mut case.trials {
            trial.result.counters[0].after = 300;
        }
        assert_eq!(fixture::count(&Disturbed, &case, &controls), 1, "by nobody that was seen");
        for trial in &mut case.trials {
            trial.result.processes = vec![model::trial::ProcessUse {
                machine: String::new(),
                pid: 7,
                name: "burner".to_owned(),
                own: false,
                kernel: false,
                cpu_s: 1.0,
                watched_s: 1.0,
            }];
        }
        let found = fixture::found(&Disturbed, &case, &fixture::context(&controls));
        assert!(
            found[0].text.contains("100 % of a CPU") && found[0].text.contains("burner"),
            "{}",
            found[0].text
        );
    }
}
