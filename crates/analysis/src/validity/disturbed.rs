//! Other programs computed while the window was open, at either end. The agents of
//! both ends are ours, and where they are under one kernel, neither is another to
//! the other.

use std::collections::BTreeMap;

use language::format;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::{ProcessUse, Trial};
use model::{Finding, FindingKind, Resource, Severity, Value};

use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// CPU seconds of others in each second that are felt: a tenth of one CPU. The
/// daemons of an idle server need less than a hundredth.
const FELT: f64 = 0.10;
/// And a share of all CPUs: on a machine with many a tenth of one is not felt.
const SHARE: f64 = 0.01;

pub(crate) const RULE: Rule = Rule {
    code: "disturbed-by-others",
    doc: "Other programs computed while the window was open.",
    english: r#"
finding-disturbed-by-others =
    other programs used { PERCENT($others_cpu) } of a CPU{ of-end } during the measurement{ $who ->
        [none] {""}
       *[other] : { $who }
    }
    .advice = stop them, or measure again when they are idle

evidence-others-cpu = { FIXED($cpu, decimals: 2) } CPU seconds a second beside ours
evidence-process = { $name } used { FIXED($cpu, decimals: 2) } CPU seconds a second
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
    let cpus = context.machine.map_or(1, |m| m.inventory.cpu.online.len().max(1)) as f64;
    measure::kernels(case).iter().filter_map(|end| of_end(case, *end, cpus)).collect()
}

fn of_end(case: &CaseResult, end: End, cpus: f64) -> Option<Finding> {
    let others = measure::median(case, |trial| others(case, trial, end))?;
    let cpus = if end.answers() { end.cpus(case).unwrap_or(cpus) } else { cpus };
    if others < FELT || others < SHARE * cpus {
        return None;
    }
    let counter =
        measure::good(case).find_map(|t| measure::named(end.counters(t), &Resource::CPUS, "user"))?;
    let worst = culprits(case, end);
    let who = worst.iter().take(3).map(|(name, used)| format!("{name} ({})", format::percent(*used)).into());
    let mut finding = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .on(Resource::CPUS)
        .arg("others_cpu", others)
        .arg("who", Value::List(who.collect()))
        .arg("end", end.word())
        .arg("machine", end.machine(case).unwrap_or_default())
        .because(Evidence::at("others-cpu", measure::place_of(counter)).arg("cpu", others));
    for (name, used) in worst.into_iter().take(3) {
        let process = Evidence::at("process", Place::Process(name.clone()));
        finding = finding.because(process.arg("name", name.as_str()).arg("cpu", used));
    }
    Some(finding)
}

/// CPU seconds in user mode of all but us for each second. Kernel threads that
/// work for our load compute in the kernel only, so they are not in it.
fn others(case: &CaseResult, trial: &Trial, end: End) -> Option<f64> {
    let rate = |end: End, resource: &Resource, name: &str| end.rate(trial, resource, name);
    let own = Resource::OWN_PROCESS;
    let all = rate(end, &Resource::CPUS, "user")? + rate(end, &Resource::CPUS, "nice").unwrap_or(0.0);
    // The far end's agent on this machine is ours, too.
    let of_far = if measure::is_one_machine(case) { rate(End::Answers, &own, "user") } else { None };
    Some((all - rate(end, &own, "user")? - of_far.unwrap_or(0.0)).max(0.0))
}

fn processes(trial: &Trial, end: End) -> impl Iterator<Item = &ProcessUse> {
    end.watched(trial).into_iter().flat_map(|machine| &machine.processes)
}

/// The programs that used most, with CPU seconds for each second.
fn culprits(case: &CaseResult, end: End) -> Vec<(String, f64)> {
    let one_machine = measure::is_one_machine(case);
    let mut used: BTreeMap<&str, f64> = BTreeMap::new();
    let mut watched_s = 0.0;
    for trial in measure::good(case) {
        // Ours is there all the time; another may have come late, or gone.
        watched_s += processes(trial, end).map(|p| p.watched_s).fold(0.0, f64::max);
        // Ours, by what each end says of itself.
        let ours: Vec<u32> =
            processes(trial, End::Answers).filter(|p| one_machine && p.own).map(|p| p.pid).collect();
        let others = processes(trial, end).filter(|p| !p.own && !p.kernel && !ours.contains(&p.pid));
        for process in others {
            // Several of one name are one program.
            *used.entry(&process.name).or_default() += process.cpu_s;
        }
    }
    let each = |(name, cpu_s): (&str, f64)| (name.to_owned(), cpu_s / watched_s);
    if watched_s <= 0.0 {
        return Vec::new();
    }
    let mut all: Vec<(String, f64)> = used.into_iter().map(each).filter(|(_, used)| *used >= 0.01).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::fact;
    use model::study::Controls;
    use model::trial::Counter;

    #[test]
    fn a_busy_neighbour_is_named_and_a_quiet_machine_is_not() {
        let controls = Controls::default();
        let mut case = fixture::case(3);
        assert_eq!(fixture::count(&RULE, &case, &controls), 0);
        for trial in &mut case.trials {
            trial.result.local_mut().counters = vec![
                fixture::counter("cpu", "/proc/stat user", 0.01, 203),
                fixture::counter("self", "getrusage user", 1e-6, 2_000_000),
            ];
        }
        assert_eq!(fixture::count(&RULE, &case, &controls), 0);
        for trial in &mut case.trials {
            trial.result.local_mut().counters[0].after = 300;
        }
        assert_eq!(fixture::count(&RULE, &case, &controls), 1, "by nobody that was seen");
        for trial in &mut case.trials {
            trial.result.local_mut().processes = vec![model::trial::ProcessUse {
                pid: 7,
                name: "burner".to_owned(),
                own: false,
                kernel: false,
                cpu_s: 1.0,
                watched_s: 1.0,
            }];
        }
        let found = fixture::found(&RULE, &case, &fixture::context(&controls));
        assert!(
            found[0].text.contains("100 % of a CPU") && found[0].text.contains("burner"),
            "{}",
            found[0].text
        );
    }

    /// Bug: two burners were told as half of what they used.
    #[test]
    fn processes_of_one_name_are_added_and_one_that_came_late_used_less() {
        let mut case = fixture::case(2);
        for trial in &mut case.trials {
            trial.result.local_mut().counters = counters(300, 1_000_000);
            let late = ProcessUse { watched_s: 0.5, ..process(4, "late", false) };
            trial.result.local_mut().processes = vec![
                process(1, "headroom", true),
                process(2, "burner", false),
                process(3, "burner", false),
                late,
            ];
        }
        let controls = Controls::default();
        let found = fixture::found(&RULE, &case, &fixture::context(&controls));
        assert!(found[0].text.ends_with(": burner (100 %), late (50 %)"), "{}", found[0].text);
    }

    fn process(pid: u32, name: &str, own: bool) -> ProcessUse {
        let name = name.to_owned();
        ProcessUse { pid, name, own, kernel: false, cpu_s: 0.5, watched_s: 1.0 }
    }

    fn counters(user: u64, own: u64) -> Vec<Counter> {
        vec![
            fixture::counter("cpu", "/proc/stat user", 0.01, user),
            fixture::counter("self", "getrusage user", 1e-6, own),
        ]
    }

    /// Bug: the other end's agent on this machine was called another program.
    #[test]
    fn the_other_end_on_this_machine_is_no_other_and_one_elsewhere_has_its_own() {
        let controls = Controls::default();
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        let result = &mut case.trials[0].result;
        result.local_mut().counters = counters(90, 400_000);
        result.local_mut().processes = vec![process(1, "headroom", true), process(2, "headroom", false)];
        fixture::far(&mut case);
        fixture::far_machine(&mut case).counters = counters(95, 450_000);
        fixture::far_machine(&mut case).processes =
            vec![process(2, "headroom", true), process(3, "rustc", false)];
        let told = |case: &CaseResult| {
            let found = fixture::found(&RULE, case, &fixture::context(&controls));
            found.into_iter().map(|f| f.text).collect::<Vec<_>>()
        };
        let apart = told(&case);
        assert_eq!(apart.len(), 2);
        assert!(apart[0].ends_with("during the measurement: headroom (50 %)"), "{apart:?}");
        assert!(
            apart[1].ends_with("50 % of a CPU of 10.0.0.2:7117 during the measurement: rustc (50 %)"),
            "{apart:?}"
        );
        case.trials[0].result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
        assert_eq!(told(&case), Vec::<String>::new(), "0.90 less 0.40 and 0.45");
        case.trials[0].result.local_mut().counters = counters(120, 400_000);
        assert_eq!(told(&case), ["other programs used 35 % of a CPU during the measurement"]);
    }
}
