//! Other programs computed while the window was open, at either end. The agents of
//! both ends are ours, and where they are under one kernel, neither is another to
//! the other.
//!
//! It is a balance: what all CPUs did, less what is ours. The kernel counts a program's
//! time at the CPU, so one that came and went between two looks at the processes is in
//! it, and so is what a program has the kernel do. What the kernel does in its own
//! threads (`kworker`, `kswapd`) or in an interrupt's wake may be for us as well as for
//! others, and is nobody's: but where our loads do nothing but compute, interrupts are
//! none of ours.
//!
//! `/proc/stat` tells by the clock's ticks what a CPU did (`account_process_tick` in
//! `kernel/sched/cputime.c`), so a load that wakes up with the clock may seem to compute all
//! the time. How long CPUs were idle is counted without ticks (`get_cpu_idle_time_us` in
//! `kernel/time/tick-sched.c`): what was not idle is the most that others can have used.

use std::collections::BTreeMap;

use language::format;
use model::database::metric as names;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::{ProcessUse, Trial};
use model::{Finding, FindingKind, Resource, Severity, Value};

use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// CPU seconds of others in each second that are felt: a tenth of one CPU. The
/// daemons of an idle server need less than a hundredth.
pub(crate) const FELT: f64 = 0.10;
/// And a share of all CPUs: on a machine with many a tenth of one is not felt.
const SHARE: f64 = 0.01;

/// Of what others used, less than this share by the processes that were seen leaves some to
/// those that came and went.
const SEEN: f64 = 0.5;
/// So many starts a second are worth a word then: an idle server has a few.
const FORKS: f64 = 20.0;

pub(crate) const RULE: Rule = Rule {
    code: "disturbed-by-others",
    doc: "Other programs computed while the window was open.",
    english: r#"
finding-disturbed-by-others =
    other programs used { PERCENT($others_cpu) } of a CPU{ of-end } during the measurement{ $who ->
        [none] {""}
       *[other] : { $who }
    }{ $server ->
        [yes] ; the server is on this machine, and may be one of them
       *[no] {""}
    }
    .advice =
        { $server ->
            [yes] stop what is not the server, or measure again when it is idle
           *[no] stop them, or measure again when they are idle
        }

evidence-others-cpu = { FIXED($cpu, decimals: 2) } CPU seconds a second beside ours
evidence-forks =
    { FIXED($rate) } processes or threads were started in each second: most ended before they were seen
evidence-process = { $name } used { FIXED($cpu, decimals: 2) } CPU seconds a second
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
    let cpus = measure::cpus_online(case, context.machine).max(1.0);
    measure::kernels(case).iter().filter_map(|end| of_end(case, *end, cpus)).collect()
}

fn of_end(case: &CaseResult, end: End, cpus: f64) -> Option<Finding> {
    // What a server computes that is on this machine is no disturbance; of that of a database it is known how much.
    let is_served = !end.answers() && measure::is_served_here(case);
    let servers =
        |trial: &Trial| measure::measured(trial, names::SERVER_CPU).filter(|_| is_served).unwrap_or_default();
    let others = measure::median(case, |trial| {
        Some((Account::of(case, trial, end)?.others()? - servers(trial)).max(0.0))
    })?;
    let cpus = if end.answers() { end.cpus(case).unwrap_or(cpus) } else { cpus };
    if others < FELT || others < SHARE * cpus {
        return None;
    }
    let counter =
        measure::good(case).find_map(|t| measure::named(end.counters(t), &Resource::CPUS, "user"))?;
    let worst = programs(case, end);
    let seen: f64 = worst.iter().map(|(_, used)| used).sum();
    let who = worst.iter().take(3).map(|(name, used)| format!("{name} ({})", format::percent(*used)).into());
    let severity = if is_served { Severity::Note } else { Severity::Warning };
    let mut finding = Finding::new(FindingKind::Validity, RULE.code, severity)
        .on(Resource::CPUS)
        .arg("server", is_served)
        .arg("others_cpu", others)
        .arg("who", Value::List(who.collect()))
        .arg("end", end.word())
        .arg("machine", end.machine(case).unwrap_or_default())
        .because(Evidence::at("others-cpu", measure::place_of(counter)).arg("cpu", others));
    if let Some(forks) = forks(case, end).filter(|_| seen < SEEN * others) {
        finding = finding.because(forks);
    }
    for (name, used) in worst.into_iter().take(3) {
        let process = Evidence::at("process", Place::Process(name.clone()));
        finding = finding.because(process.arg("name", name.as_str()).arg("cpu", used));
    }
    Some(finding)
}

/// Where the time of the CPUs of an end went in one trial, CPU seconds for each second.
struct Account {
    /// In programs, outside of the kernel: all, and our own.
    user: f64,
    own_user: f64,
    /// In programs, in the kernel on their behalf, and in interrupts where none are ours; none where it is not
    /// known what the kernel's own threads had of that.
    busy: Option<f64>,
    /// Our own, in and outside of the kernel.
    own: f64,
    /// All that the CPUs were not idle, the kernel's own threads taken off.
    most: Option<f64>,
}

impl Account {
    fn of(case: &CaseResult, trial: &Trial, end: End) -> Option<Self> {
        let rate = |name: &str| end.rate(trial, &Resource::CPUS, name);
        let some = |name: &str| rate(name).unwrap_or(0.0);
        let own = |name: &str| {
            let of = |end: End| end.rate(trial, &Resource::OWN_PROCESS, name);
            // The far end's agent on this machine is ours, too.
            let of_far = if measure::is_one_machine(case) { of(End::Answers) } else { None };
            Some(of(end)? + of_far.unwrap_or(0.0))
        };
        let (user, own_user) = (rate("user")? + some("nice"), own("user")?);
        let own = own_user + own("system").unwrap_or(0.0);
        let interrupts = if only_computes(case) { some("irq") + some("softirq") } else { 0.0 };
        let threads = kernel_threads(trial, end);
        let busy = threads.map(|threads| user + some("system") + interrupts - threads);
        let most = || {
            let idle = rate("idle")? + some("iowait") + some("steal");
            Some(end.cpus_in(trial)? - idle - threads?)
        };
        Some(Self { user, own_user, busy, own, most: most() })
    }

    /// What others used. What softirqs took from our threads may be counted as ours, so that the
    /// whole balance can be less than that of what is outside of the kernel.
    fn others(&self) -> Option<f64> {
        let outside = self.user - self.own_user;
        let all = self.busy.map_or(outside, |busy| outside.max(busy - self.own));
        let most = self.most.map_or(all, |most| all.min(most - self.own));
        Some(most.max(0.0))
    }
}

/// Whether none of the loads has the kernel do anything for it in an interrupt.
fn only_computes(case: &CaseResult) -> bool {
    case.loads.iter().all(|load| measure::computes_by_kind(&load.profile))
}

/// The CPU time of the kernel's own threads; none where none of them is to be seen, as in a PID
/// namespace. That of `ksoftirqd` is counted as softirq.
fn kernel_threads(trial: &Trial, end: End) -> Option<f64> {
    let watched_s = processes(trial, end).map(|p| p.watched_s).fold(0.0, f64::max);
    let is_one = |p: &&ProcessUse| p.kernel && !p.name.starts_with("ksoftirqd/");
    let is_seen = processes(trial, end).any(|p| p.kernel);
    let used: f64 = processes(trial, end).filter(is_one).map(|p| p.cpu_s).sum();
    (is_seen && watched_s > 0.0).then(|| used / watched_s)
}

/// How many processes and threads were started.
fn forks(case: &CaseResult, end: End) -> Option<Evidence> {
    let rate = measure::median(case, |trial| end.rate(trial, &Resource::CPUS, "processes"));
    let rate = rate.filter(|rate| *rate >= FORKS)?;
    let named = |trial| measure::named(end.counters(trial), &Resource::CPUS, "processes");
    let counter = measure::good(case).find_map(named)?;
    Some(Evidence::at("forks", measure::place_of(counter)).arg("rate", rate))
}

fn processes(trial: &Trial, end: End) -> impl Iterator<Item = &ProcessUse> {
    end.watched(trial).into_iter().flat_map(|machine| &machine.processes)
}

/// The programs of others that used most, with CPU seconds for each second.
pub(crate) fn programs(case: &CaseResult, end: End) -> Vec<(String, f64)> {
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

    /// Of a second: ticks of user, system, idle and softirq of two CPUs, those that our process
    /// used, and those of a kernel thread.
    fn balance(ticks: [u64; 4], own: [u64; 2], kworker: u64) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "cpu.primes");
        let result = &mut case.trials[0].result;
        let all = ["user", "system", "idle", "softirq"].into_iter().zip(ticks);
        let mut counters: Vec<Counter> =
            all.map(|(name, n)| fixture::counter("cpu", &format!("/proc/stat {name}"), 0.01, n)).collect();
        let ours = ["user", "system"].into_iter().zip(own);
        let of = |(name, n)| fixture::counter("self", &format!("getrusage(2) {name}"), 1e-6, n * 10_000);
        counters.extend(ours.map(of));
        counters.extend((0..2).map(|cpu| fixture::counter(format!("cpu:{cpu}"), "/proc/stat user", 0.01, 1)));
        counters.push(fixture::counter("cpu", "/proc/stat processes", 1.0, 1900));
        result.local_mut().counters = counters;
        let kworker =
            ProcessUse { kernel: true, cpu_s: kworker as f64 / 100.0, ..process(9, "kworker/0:1", false) };
        let own = ProcessUse { cpu_s: (own[0] + own[1]) as f64 / 100.0, ..process(1, "headroom", true) };
        result.local_mut().processes = vec![own, kworker];
        case
    }

    fn told(case: &CaseResult) -> Option<model::Finding> {
        let controls = Controls::default();
        fixture::found(&RULE, case, &fixture::context(&controls)).into_iter().next()
    }

    /// Bug: of what others had the kernel do for them, and of processes that came and went,
    /// nothing was told: 0.38 of 0.71 CPUs of a fork storm.
    #[test]
    fn what_others_do_in_the_kernel_and_in_short_processes_is_in_the_balance() {
        let found = told(&balance([125, 46, 29, 0], [100, 0], 0)).unwrap();
        assert!(found.text.starts_with("other programs used 71 % of a CPU"), "{}", found.text);
        let forks = found.evidence.iter().find(|e| e.code == "forks").unwrap();
        assert!(forks.text.as_deref().unwrap().starts_with("1900 processes"), "{forks:?}");
        // What was seen to use as much needs no other word.
        let mut seen = balance([125, 46, 29, 0], [100, 0], 0);
        seen.trials[0].result.local_mut().processes.push(process(5, "burner", false));
        assert!(told(&seen).unwrap().evidence.iter().all(|e| e.code != "forks"));
    }

    #[test]
    fn what_the_kernel_does_for_us_is_not_others() {
        assert_eq!(told(&balance([2, 98, 100, 0], [2, 97], 0)), None, "our own calls");
        assert_eq!(told(&balance([2, 98, 100, 0], [2, 40], 57)), None, "a thread of the kernel");
        assert!(told(&balance([2, 98, 100, 0], [2, 40], 0)).is_some(), "nobody of ours");
        // Bug: in a container, where no thread of the kernel is to be seen, they were others.
        let mut container = balance([2, 98, 100, 0], [2, 40], 57);
        container.trials[0].result.local_mut().processes.retain(|process| !process.kernel);
        assert_eq!(told(&container), None, "in a container");
        // Packets of others: a load that only computes has none.
        let packets = balance([100, 0, 70, 30], [100, 0], 0);
        assert!(told(&packets).unwrap().text.starts_with("other programs used 30 %"));
        let mut ours = packets.clone();
        fixture::workload(&mut ours, "net.stream");
        assert_eq!(told(&ours), None);
        // Where no process was looked at, nobody knows whose the kernel's time is.
        let mut unseen = balance([2, 98, 100, 0], [2, 40], 0);
        unseen.trials[0].result.local_mut().processes.clear();
        assert_eq!(told(&unseen), None);
    }

    /// A load that wakes up with the clock seems to compute whenever the clock looks.
    #[test]
    fn what_was_idle_is_nobodys_whatever_the_ticks_say() {
        assert_eq!(told(&balance([100, 0, 185, 0], [15, 0], 0)), None);
        assert!(told(&balance([100, 0, 100, 0], [15, 0], 0)).is_some());
    }

    /// Bug: a server that the load drove was called a disturbance that is to be stopped.
    #[test]
    fn a_server_on_this_machine_is_no_disturbance() {
        let mut case = balance([100, 0, 70, 0], [20, 0], 0);
        case.trials[0].result.local_mut().processes.push(process(5, "postgres", false));
        let found = told(&case).unwrap();
        assert!(found.severity == Severity::Warning && found.text.starts_with("other programs used 80 %"));
        let main = case.trials[0].result.main_mut();
        main.facts.insert(model::database::fact::SERVER_IS_HERE, true.into());
        let found = told(&case).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert!(
            found.text.ends_with("the server is on this machine, and may be one of them"),
            "{}",
            found.text
        );
        let used = model::Quantity { value: 0.75, unit: model::Unit::One };
        case.trials[0].result.main_mut().metrics.insert(names::SERVER_CPU, used);
        assert_eq!(told(&case), None, "it is known how much of it is the server's");
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
