//! What holds a result back. Each candidate is one file and one line in
//! [`CANDIDATES`]: it looks at the measurements and says that it is full, that
//! it is not, or what is missing to tell. The first that is full is named, and
//! all that are not are listed as ruled out. Where none is full, the case is
//! bound by latency, or nobody can tell.

mod allotted;
mod allowance;
mod also;
mod bucket;
mod bus;
mod chase;
mod client_time;
mod clock;
mod codes;
mod connecting;
mod constant;
mod contention;
mod cores;
mod credits;
mod database;
mod datagrams;
pub(crate) mod device;
mod device_queue;
mod device_wait;
mod end_core;
mod flushed;
mod host_queue;
mod huge_pages;
mod inside;
mod interrupts;
mod io_control;
mod large_answers;
mod late_answers;
mod latency;
mod layer;
mod limit;
mod link;
mod loss;
pub(crate) mod memory;
mod mounted_sync;
mod network;
mod overloaded;
mod path;
mod pcie_state;
mod phases;
mod presenter;
mod pushed_back;
mod quota;
mod reach;
mod reclaim;
mod refused;
mod remade;
mod reorder;
mod round_trips;
mod scheduler;
mod served_disk;
mod server;
mod shaped;
mod slower;
mod steal;
mod stopped;
mod swap;
#[cfg(test)]
pub(crate) mod tests;
mod unsent;
mod upload_way;
mod weight;
mod window;
mod writeback;
mod written;

use model::finding::Evidence;
use model::run::{CaseResult, Utilization};
use model::{Finding, Severity};

use crate::measure::End;
use crate::{Context, measure};
pub(crate) use codes::CODES;
pub(crate) use datagrams::BY_DATAGRAMS;
use written::{end_of, finding, of_limit, shown};

/// Full means at least this share of what payload can get (design, section 7).
pub(crate) const FULL: f64 = 0.95;

/// More than a resource can is no full resource.
const BEYOND: f64 = 1.15;

/// How much of a limit is used, of what a full one gives at most.
pub(crate) fn share_of_full(used: &Utilization) -> f64 {
    used.usual.map_or(used.fraction, |range| used.demand / range.most)
}

/// What candidates say, in English.
pub(crate) const ENGLISH: &[&str] = &[
    OWN,
    allowance::ENGLISH,
    bucket::ENGLISH,
    bus::ENGLISH,
    chase::ENGLISH,
    clock::ENGLISH,
    connecting::ENGLISH,
    constant::ENGLISH,
    contention::ENGLISH,
    cores::ENGLISH,
    credits::ENGLISH,
    database::clients::ENGLISH,
    database::locks::ENGLISH,
    database::log::ENGLISH,
    database::processor::ENGLISH,
    database::reads::ENGLISH,
    database::round_trip::ENGLISH,
    database::temporary::ENGLISH,
    datagrams::ENGLISH,
    device::ENGLISH,
    device_queue::ENGLISH,
    device_wait::ENGLISH,
    end_core::ENGLISH,
    flushed::ENGLISH,
    host_queue::ENGLISH,
    huge_pages::ENGLISH,
    inside::ENGLISH,
    interrupts::ENGLISH,
    io_control::ENGLISH,
    large_answers::ENGLISH,
    late_answers::ENGLISH,
    latency::ENGLISH,
    layer::copied::ENGLISH,
    layer::held::ENGLISH,
    layer::journal::ENGLISH,
    layer::member::ENGLISH,
    layer::parity::ENGLISH,
    layer::thread::ENGLISH,
    layer::work::ENGLISH,
    limit::ENGLISH,
    link::ENGLISH,
    loss::ENGLISH,
    memory::ENGLISH,
    mounted_sync::ENGLISH,
    network::ENGLISH,
    overloaded::ENGLISH,
    path::ENGLISH,
    pcie_state::ENGLISH,
    presenter::ENGLISH,
    pushed_back::ENGLISH,
    quota::ENGLISH,
    reach::ENGLISH,
    reclaim::ENGLISH,
    refused::ENGLISH,
    remade::ENGLISH,
    reorder::ENGLISH,
    round_trips::ENGLISH,
    scheduler::ENGLISH,
    server::ENGLISH,
    shaped::ENGLISH,
    slower::ENGLISH,
    steal::ENGLISH,
    stopped::ENGLISH,
    swap::ENGLISH,
    unsent::ENGLISH,
    upload_way::ENGLISH,
    weight::ENGLISH,
    window::ENGLISH,
    writeback::ENGLISH,
];

const OWN: &str = r#"
finding-cannot-tell =
    { $missing ->
        [0] the bottleneck is unknown: nothing that was measured shows it
       *[other] the bottleneck is unknown: { $evidence }
    }

evidence-result = the result itself
evidence-more-would-do =
    { $more ->
        [one] one more trial of each
       *[other] { $more } more trials of each
    }, about { SHORT($seconds, unit: "s") }, would probably do ({ $by ->
        [budget] --budget { FIXED($budget) }s
        [extra] without --no-extra
       *[trials] --trials { FIXED($trials) }
    })
"#;

/// What a candidate says.
pub(crate) enum Verdict {
    /// It is what holds the result back.
    Full(Box<Finding>),
    /// It was looked at and is not.
    Free(Evidence),
    /// It cannot be judged: what is missing.
    Unknown(Evidence),
    /// It is not on this case's path.
    Elsewhere,
}

/// One resource that may hold a case back: what it says of this one.
type Candidate = fn(&CaseResult, &Context<'_>) -> Verdict;

/// Every candidate, in order of how sure its evidence is: what is imposed and
/// what is counted comes before what is concluded.
const CANDIDATES: &[Candidate] = &[
    allowance::examine,
    quota::examine,
    |case, _| credits::examine(case),
    bucket::examine,
    link::examine,
    limit::examine,
    swap::examine,
    chase::examine,
    steal::examine,
    memory::examine,
    stopped::examine,
    database::clients::examine,
    database::processor::examine,
    database::locks::examine,
    database::log::examine,
    database::reads::examine,
    database::round_trip::examine,
    |case, _| lost_of_database(case),
    database::processor::examine_crowd,
    database::reads::examine_rest,
    database::round_trip::examine_rest,
    |case, _| end_core::examine(case, End::Drives, false),
    |case, _| end_core::examine(case, End::Answers, false),
    layer::work::examine,
    layer::thread::examine,
    layer::member::examine,
    writeback::examine,
    reclaim::examine,
    |case, context| of_others(case, context, interrupts::examine),
    |case, context| of_others(case, context, constant::examine),
    datagrams::examine,
    |case, context| of_others(case, context, refused::examine),
    |case, context| of_others(case, context, network::examine),
    served_disk::examine,
    upload_way::examine,
    |case, _| end_core::examine(case, End::Drives, true),
    |case, context| of_others(case, context, cores::examine),
    |case, context| of_others(case, context, presenter::examine),
    |case, context| of_others(case, context, layer::parity::examine),
    |case, context| of_others(case, context, layer::copied::examine),
    |case, context| of_others(case, context, layer::journal::examine),
    |case, context| of_others(case, context, io_control::examine),
    |case, context| of_others(case, context, pushed_back::examine),
    |case, context| of_others(case, context, device::examine),
    |case, context| of_others(case, context, host_queue::examine),
    |case, context| of_others(case, context, latency::examine),
    |case, context| of_others(case, context, device_wait::examine),
    scheduler::examine,
    overloaded::examine,
];

/// What a candidate says of loads that are none on a database: a transaction is no operation of a device, of one more is
/// known than how long its answers take, and a server may be what fills the CPUs.
fn of_others(case: &CaseResult, context: &Context<'_>, candidate: Candidate) -> Verdict {
    if database::is_one(case) { Verdict::Elsewhere } else { candidate(case, context) }
}

/// Transactions on a server that wait until TCP sends again what was lost; of other requests the rule of networks says so.
fn lost_of_database(case: &CaseResult) -> Verdict {
    let lost = || if measure::is_net(case) { loss::by_timeouts(case) } else { None };
    if database::is_one(case) { lost().unwrap_or(Verdict::Elsewhere) } else { Verdict::Elsewhere }
}

/// What holds this case back, if it was driven as hard as it goes.
pub(crate) fn check(case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
    if case.loads.main.estimates.is_empty() || measure::is_null(case) {
        return Vec::new();
    }
    // An open loop that is kept asks for no more.
    let is_open = !measure::is_closed(case);
    if is_open && crate::validity::late::is_kept(case) || measure::has_its_bit_rate(case) {
        return Vec::new();
    }
    let mut named: Option<Finding> = None;
    let (mut free, mut unknown, mut full) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in CANDIDATES {
        match candidate(case, context) {
            Verdict::Full(other) => match &named {
                Some(named) => full.extend(also::told(named, &other)),
                None => named = Some(*other),
            },
            Verdict::Free(evidence) => free.push(evidence),
            Verdict::Unknown(evidence) => unknown.push(evidence),
            Verdict::Elsewhere => {}
        }
    }
    let finding = named.unwrap_or_else(|| cannot_tell(context, unknown));
    let finding = inside::told(finding.because_all(full), case, context);
    // What is told beside a verdict is not ruled out.
    free.retain(|one| {
        finding.evidence.iter().all(|told| !told.beside || (&told.code, &told.args) != (&one.code, &one.args))
    });
    let mut finding = finding.not_because(free);
    // Where the requests spend their time stands beside every verdict on a case that was traced.
    if let Some(phases) = measure::block_phases(case, context).map(|found| found.evidence())
        && finding.evidence.iter().all(|evidence| evidence.code != phases.code)
    {
        finding = finding.because(Evidence { beside: true, ..phases });
    }
    let served = server::served(case).map(|evidence| Evidence { beside: true, ..evidence });
    vec![finding.because_all(served)]
}

fn cannot_tell(context: &Context<'_>, missing: Vec<Evidence>) -> Finding {
    let mut finding = finding("cannot-tell", Severity::Note).arg("missing", missing.len() as u64);
    finding.evidence = missing;
    if finding.evidence.is_empty() {
        finding.evidence.extend(context.headline.map(|metric| shown("result", metric)));
    }
    finding
}
