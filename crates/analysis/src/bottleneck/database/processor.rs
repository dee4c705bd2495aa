//! The processors of the database: of a server's processes on this machine, or of SQLite in the threads of its clients.

use model::database::{fact as facts, metric as names};
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Machine, Resource, Severity, Trial, Value, fact, metric};

use super::{
    CROWDED, busy_cpus, client_cpu, client_option, clients, each_statement, is_one, is_served, known,
    median_of, shared_cpus,
};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{FULL, Verdict, finding, shown};
use crate::{Context, measure};

/// Threads that stand ready without a CPU for this share of the time are short of CPUs.
const QUEUES: f64 = 0.25;

/// From this share of a quota on a server uses it up: its CPU time is counted in ticks of 10 ms.
const QUOTA_USED: f64 = 0.9;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-server-cpu-bound =
    { $engine ->
        [library] bound by the processor: SQLite, in the threads of its clients,
       *[server] server-CPU-bound: the server
    } { $how ->
        [cpus] uses { FIXED($used, decimals: 2) } of the { FIXED($cpus) } CPUs that it may
        [quota] uses { FIXED($used, decimals: 2) } of the { FIXED($cpus, decimals: 2) } CPUs that the quota of its control group
            lets it have
        [shared] uses { FIXED($used, decimals: 2) } of { FIXED($cpus) } CPUs, which it fills together with the clients
       *[turns] computes { PERCENT($share) } of the time of a transaction
    }, { SHORT($each_s, unit: "s") } for each statement
    .advice =
        { $how ->
            [cpus] make each statement cheaper (an index, fewer rows, prepared statements), or use more or faster CPUs
            [quota] raise the quota (cpu.max, cpu.cfs_quota_us, CPUQuota= of a unit of systemd), or make each statement cheaper
            [shared] clients on another machine leave these CPUs to the server
           *[turns] make each statement cheaper (an index, fewer rows, prepared statements){ $room ->
                [yes] ; more --{ $option } can use more CPUs
               *[no] {""}
            }
        }

evidence-server-cpu = the server uses { FIXED($used, decimals: 2) } CPUs
evidence-server-unseen =
    { $here ->
        [yes] the server is on this machine, and its processes were not found
       *[no] the server is not on this machine, so its processors are not seen
    }
"#;

pub(in crate::bottleneck) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    if !is_one(case) {
        return Verdict::Elsewhere;
    }
    let is_server = is_served(case);
    let used = if is_server { median_of(case, names::SERVER_CPU) } else { client_cpu(case) };
    let Some(used) = used else { return if is_server { unseen(case) } else { Verdict::Elsewhere } };
    let metric = if is_server { names::SERVER_CPU } else { metric::CPU_PER_OPERATION };
    let evidence = if is_server {
        shown("server-cpu", metric).arg("used", used)
    } else {
        shown("worker-cpu", metric).arg("share", (used / clients(case)).min(1.0))
    };
    let of_server = known(case, facts::SERVER_CPUS).filter(|_| is_server);
    let cpus = of_server.unwrap_or_else(|| measure::cpus_allowed(case, context.machine));
    let shared = shared_cpus(case).filter(|shared| is_server && shared.server >= shared.clients);
    let share = used / clients(case);
    let is_used_up = |quota: &f64| (cpus <= 0.0 || *quota < cpus) && used >= QUOTA_USED * *quota;
    let quota = known(case, facts::SERVER_CPU_QUOTA).filter(|quota| is_server && is_used_up(quota));
    let (how, all) = match (quota, shared) {
        (Some(quota), _) => ("quota", quota),
        (None, _) if cpus > 0.0 && used >= full_of(case, cpus) => ("cpus", cpus),
        (None, Some(shared)) => ("shared", shared.cpus),
        (None, None) if share >= DECIDES => ("turns", cpus),
        (None, None) => return Verdict::Free(evidence),
    };
    let Some(each_s) = each_statement(case, used) else { return Verdict::Elsewhere };
    Verdict::Full(Box::new(
        finding("server-cpu-bound", Severity::Note)
            .on(Resource::CPUS)
            .arg("engine", if is_server { "server" } else { "library" })
            .arg("how", how)
            .arg("used", used)
            .arg("cpus", all)
            .arg("share", share.min(1.0))
            .arg("each_s", each_s)
            .arg("room", clients(case) < cpus)
            .arg("option", client_option(case))
            .because(evidence),
    ))
}

/// How many of so many CPUs a database uses at least where they are full.
fn full_of(case: &CaseResult, cpus: f64) -> f64 {
    // What packets and interrupts take there is charged to nobody.
    if clients(case) > cpus { CROWDED * cpus } else { FULL * cpus }
}

/// All CPUs are full, mostly of other programs, and the clients stand ready without one.
pub(in crate::bottleneck) fn examine_crowd(case: &CaseResult, context: &Context<'_>) -> Verdict {
    if !is_one(case) {
        return Verdict::Elsewhere;
    }
    crowd(case, context).unwrap_or(Verdict::Elsewhere)
}

fn crowd(case: &CaseResult, context: &Context<'_>) -> Option<Verdict> {
    let all = busy_cpus(case).filter(|all| all.busy >= FULL)?;
    let server = median_of(case, names::SERVER_CPU);
    // What a server uses that is here and was not found is not other programs'.
    let is_here = is_served(case) && said_to_be_here(case) != Some(false);
    let used = client_cpu(case)? + if is_here { server? } else { 0.0 };
    let ready = known(case, fact::RUN_DELAY)? / measure::workers(case).max(1.0);
    if all.are_mostly(used) || ready < QUEUES {
        return None;
    }
    let place = measure::place(case, &Resource::CPUS, "idle")?;
    // All are busy, so it is about the cores of all, not of those that the clients may run on.
    let online = |machine: &Machine| {
        let cpus = measure::CaseCpus::of(case, Some(machine));
        cpus.online_cores(&machine.inventory.cpu)
    };
    let cores = context.machine.map(online).filter(|cores| *cores > 0).map_or(all.cpus, |cores| cores as f64);
    Some(Verdict::Full(Box::new(
        finding("all-cores-full", Severity::Note)
            .on(Resource::CPUS)
            .arg("cpus", all.cpus)
            .arg("cores", cores)
            .arg("smt", cores < all.cpus)
            .arg("shared", true)
            .arg("beside", false)
            .because(Evidence::at("busy", place).arg("share", all.busy)),
    )))
}

/// Whether the server is on this machine, where that is known.
fn said_to_be_here(case: &CaseResult) -> Option<bool> {
    let said = |trial: &Trial| trial.result.main().facts.get(&facts::SERVER_IS_HERE).cloned();
    measure::good(case).find_map(said).map(|said| said == Value::Bool(true))
}

/// Of a server whose processes are not seen nobody can say what they compute.
fn unseen(case: &CaseResult) -> Verdict {
    let Some(is_here) = said_to_be_here(case) else { return Verdict::Elsewhere };
    let evidence = Evidence::at("server-unseen", Place::Fact(facts::SERVER_IS_HERE));
    Verdict::Unknown(evidence.arg("here", is_here))
}
