//! The clients themselves: their threads compute all the time, or for most of a transaction.

use model::profile::Aspect;
use model::run::CaseResult;
use model::{Resource, Severity, metric};

use super::{client_cpu, clients, each_statement, is_served, shared_cpus};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{FULL, Verdict, finding, shown};
use crate::{Context, measure};

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-client-bound =
    client-bound: { $how ->
        [threads] { $threads ->
            [1] the thread of the clients computes
           *[other] each of the { FIXED($threads) } threads of the clients computes
        } { PERCENT($share) } of the time
        [cpus] the { FIXED($threads) } threads of the clients use { FIXED($used, decimals: 2) } of the { $cpus ->
            [1] one CPU
           *[other] { FIXED($cpus) } CPUs
        } that they may
        [shared] all { FIXED($cpus) } CPUs are busy, and the clients use { FIXED($used, decimals: 2) } of them, more than
            the server does
        [requests] { PERCENT($share) } of the time until an answer is there is the client's own computing
       *[turns] { PERCENT($share) } of a transaction is the client's own computing
    }, { SHORT($each_s, unit: "s") } for each { $how ->
        [requests] request
       *[other] statement
    }
    .advice =
        { $how ->
            [threads] { $more ->
                [yes] { $named ->
                    [yes] more --{ $option } let the clients use more CPUs; clients on another machine leave these to the
                        server
                   *[no] clients on another machine have more CPUs
                }
               *[no] clients on another machine have more CPUs
            }
            [cpus] let the clients run on more CPUs (--pin, taskset, a cpuset), or on another machine
            [shared] clients on another machine leave these CPUs to the server
            [requests] what is measured here is mostly the client: connections that are kept take less of it, TLS above all,
                and more --{ $option } keep the server busy meanwhile
           *[turns] what is measured here is mostly the client; more clients at once keep the server busy meanwhile
        }
"#;

pub(in crate::bottleneck) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    if !is_served(case) {
        return Verdict::Elsewhere;
    }
    found(case, context).unwrap_or(Verdict::Elsewhere)
}

fn found(case: &CaseResult, context: &Context<'_>) -> Option<Verdict> {
    let used = client_cpu(case)?;
    let threads = measure::workers(case).max(1.0);
    let each_s = each_statement(case, used)?;
    let shared = shared_cpus(case).filter(|shared| shared.clients > shared.server);
    let (in_thread, in_transaction) = (used / threads, used / clients(case));
    let evidence = shown("worker-cpu", metric::CPU_PER_OPERATION).arg("share", in_thread.min(1.0));
    // Threads that are pinned to fewer CPUs than there are threads have no more than these.
    let allowed = measure::cpus_allowed(case, context.machine);
    let is_narrow = allowed >= 1.0 && allowed < threads;
    let (how, share) = match &shared {
        _ if in_thread >= FULL => ("threads", in_thread),
        None if is_narrow && used >= FULL * allowed => ("cpus", used / allowed),
        Some(_) => ("shared", in_thread),
        None if in_transaction >= DECIDES => ("turns", in_transaction),
        None => return Some(Verdict::Free(evidence)),
    };
    let workers = measure::profile(case).parameter(Aspect::Workers);
    let has_room = allowed > threads && clients(case) > threads;
    let found = finding("client-bound", Severity::Note)
        .on(Resource::CPUS)
        .arg("how", how)
        .arg("threads", threads)
        .arg("share", share.min(1.0))
        .arg("used", used)
        .arg("cpus", shared.map_or(allowed, |shared| shared.cpus))
        .arg("each_s", each_s)
        .arg("more", has_room)
        .arg("named", workers.is_some())
        .arg("option", workers.map_or_else(|| "threads".to_owned(), |name| name.to_string()));
    Some(Verdict::Full(Box::new(found.because(evidence))))
}
