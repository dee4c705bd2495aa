//! What rules read of the node that presents what a load drives: its processors and its devices, as it counted them in the
//! window of this machine.

use model::run::CaseResult;
use model::trial::{LOCAL, MachineTrial, ProcessUse, Trial};
use model::{Resource, Value, fact};

use super::{good, median, middle, named};

/// The machine of that node in a trial; none where this machine presents what is driven itself, or nobody does.
fn watched(trial: &Trial) -> Option<&MachineTrial> {
    trial.result.main().facts.get(&fact::PRESENTED_ON)?;
    trial.result.machines.iter().find(|machine| machine.machine != LOCAL)
}

/// What the document calls the node; none where there is none, or it is under this very kernel, whose processors and devices
/// are judged as this machine's.
pub(crate) fn presenter(case: &CaseResult) -> Option<&str> {
    let is_here =
        |trial: &&Trial| trial.result.main().facts.get(&fact::ONE_MACHINE) == Some(&Value::Bool(true));
    let watched = good(case).filter(|trial| !is_here(trial)).find_map(watched)?;
    Some(&watched.machine)
}

/// The devices of the node that the data pass, the highest first.
pub(crate) fn presented_on(case: &CaseResult) -> Vec<Resource> {
    let list = good(case).find_map(|trial| trial.result.main().facts.get(&fact::PRESENTED_ON));
    let Some(Value::List(devices)) = list else { return Vec::new() };
    let text = |device: &Value| match device {
        Value::Text(name) => Some(Resource::from(name.as_str())),
        _ => None,
    };
    devices.iter().filter_map(text).collect()
}

/// The share of the time in which the CPUs of the node together were busy.
pub(crate) fn presenter_busy(case: &CaseResult) -> Option<f64> {
    median(case, |trial| {
        let counters = &watched(trial)?.counters;
        let of = |name: &str| named(counters, &Resource::CPUS, name)?.change();
        let idle = of("idle")? + of("iowait").unwrap_or_default();
        let kinds = ["user", "nice", "system", "irq", "softirq", "steal"];
        let busy: f64 = kinds.into_iter().filter_map(of).sum();
        (idle + busy > 0.0).then(|| busy / (idle + busy))
    })
}

/// The thread of the node's kernel that computed most, with the share of the time.
pub(crate) fn presenter_thread(case: &CaseResult) -> Option<(String, f64)> {
    middle(case, |trial| {
        let threads = watched(trial)?.processes.iter().filter(|one| one.kernel && one.watched_s > 0.0);
        let share = |thread: &ProcessUse| thread.cpu_s / thread.watched_s;
        let most = threads.max_by(|a, b| share(a).total_cmp(&share(b)))?;
        Some((share(most), (most.name.clone(), share(most))))
    })
}

/// How many reads and writes were under way at a device of the node in the mean: their times, of each second.
pub(crate) fn presenter_queue(case: &CaseResult, device: &Resource) -> Option<f64> {
    median(case, |trial| {
        let counters = &watched(trial)?.counters;
        let rate = |name: &str| {
            let counter = named(counters, device, name)?;
            let seconds = counter.seconds();
            (seconds > 0.0).then_some(counter.change()? / seconds)
        };
        Some(rate("read_ms")? + rate("write_ms")?)
    })
}
