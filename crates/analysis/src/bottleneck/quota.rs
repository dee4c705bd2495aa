//! What somebody imposed: a control group's CPU quota or I/O throttle, what a
//! queueing discipline lets through, what a provider lets a rented machine have.

use std::collections::BTreeSet;

use language::format::Rates;
use model::finding::{Evidence, Place};
use model::limit::{Allowance, LimitKind};
use model::profile::Transport;
use model::run::{CaseResult, Utilization};
use model::trial::Counter;
use model::{Finding, Resource, ResourceKind, Severity, metric};

use super::link::{self, NEARLY_ALL};
use super::reach::{in_most_intervals, is_reached};
use super::{BEYOND, FULL, Verdict, allowance, end_of, finding, of_limit, shown};
use crate::measure::End;
use crate::{Context, measure};

/// A quota that stopped each worker for this share of a window held it back.
const STOPPED: f64 = 0.02;

/// So many times as much as an imposed rate was not held by it; in a short window a bucket lets much more through.
const PASSED: f64 = 2.0;

/// What passes an interface whose rate is used up, of what payload gets: heads of packets count too, unless packets were joined.
const CARRIED: f64 = 0.98;

pub(super) const ENGLISH: &str = r#"
finding-io-quota =
    an imposed limit holds this back: { $shared ->
        [yes] { SHORT($carried, $unit) } pass { RESOURCE($resource) }{ of-end }, of which the load has { SHORT($own, $unit) };
            payload may have { SHORT($limit, $unit) }
       *[no] { PERCENT($fraction) } of the { SHORT($limit, $unit) } that { RESOURCE($resource) }{ of-end } may do
    } ({ $source })
    .advice =
        { $network ->
            [rented] a larger instance type is allowed more{ $flows ->
                [yes] ; over a network of Amazon's one TCP flow alone has at most 5 Gbit/s (10 within a placement group),
                    several have more
               *[no] {""}
            }
            [shared] stop what else sends over it, send more in each packet, raise the rate, or remove the queueing discipline
                (tc qdisc)
            [yes] raise the rate, or remove the queueing discipline (tc qdisc)
           *[no] raise or remove the throttle, or measure outside of the group
        }

finding-cpu-quota =
    the control group's CPU quota{ of-end } holds this back: { $counted ->
        [no] its threads use { PERCENT($fraction) } of it
       *[yes] each of its threads was stopped for { SHORT($stopped_s, unit: "s") } of each second
    }
    .advice = raise cpu.max (cpu.cfs_quota_us) of the group, or measure outside of it

evidence-quota = { PERCENT($fraction) } of the quota on { RESOURCE($resource) }{ of-end }
evidence-quota-unclear =
    { $why ->
        [beyond] { RESOURCE($resource) } had { PERCENT($fraction) } of what its provider is known to allow, so what is known is wrong
        [passed] { RESOURCE($resource) } had { PERCENT($fraction) } of what is imposed on it, so that this does not hold it
        [shared] { RESOURCE($resource) } had { PERCENT($fraction) } of what its provider allows all such resources together
       *[baseline] { RESOURCE($resource) } had { PERCENT($fraction) } of what its provider allows all the time, and nobody
            counts what was held back
    }
evidence-throttled = { SHORT($stopped_s, unit: "s") } stopped each second
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let stopped = stopped(case, context);
    let (clear, doubtful): (Vec<&Utilization>, Vec<&Utilization>) =
        imposed(case).into_iter().partition(|used| doubt(case, used).is_none());
    // What is reached comes before what is passed by more than a bucket lets through, and that before what is published;
    // then the tightest. Of two that are as tight the nearer one, which stands first.
    let rank = |used: &Utilization| {
        let is_held = used.allowance.is_none() && is_reached(case, used);
        u8::from(is_held) + u8::from(is_held && used.fraction <= BEYOND)
    };
    let order =
        |a: &Utilization, b: &Utilization| rank(a).cmp(&rank(b)).then(a.fraction.total_cmp(&b.fraction));
    let tightest = clear.iter().copied().rev().max_by(|a, b| order(a, b));
    let reached = tightest.filter(|used| is_reached(case, used));
    // Of a rate that is reached for certain, or a full link, more CPU time brings no more than what is left of it.
    if let Some(used) =
        reached.filter(|used| stopped.is_none() || used.allowance.is_none() && used.fraction <= BEYOND)
    {
        let is_other = |other: &&Utilization| rank(other) > 0 && !std::ptr::eq(*other, used);
        let others = clear.iter().copied().filter(is_other).map(|other| of_limit(other, "quota"));
        let others = others.chain(stopped.into_iter().flat_map(|found| found.evidence));
        let others: Vec<Evidence> = others.map(|one| Evidence { beside: true, ..one }).collect();
        return Verdict::Full(Box::new(held(case, used).because_all(others)));
    }
    let shared = clear.iter().find_map(|used| Some((*used, carried_with_others(case, used)?)));
    if let Some((used, carried)) = shared {
        return Verdict::Full(Box::new(held_with_others(case, used, carried)));
    }
    let of_time = if link::is_full(case) { None } else { stopped.or_else(|| uncounted(case, context)) };
    if let Some(found) = of_time {
        return Verdict::Full(Box::new(found));
    }
    let doubtful = doubtful.into_iter().find_map(|used| Some((used, doubt(case, used)?)));
    match (doubtful, tightest) {
        (Some((used, why)), _) => Verdict::Unknown(of_limit(used, "quota-unclear").arg("why", why)),
        (None, Some(used)) => Verdict::Free(of_limit(used, "quota")),
        (None, None) => Verdict::Elsewhere,
    }
}

/// What was imposed on the resources of a path. What a provider allows is decided by the
/// counters of what it held back, where there are any. That of CPU time shows in how long
/// it stopped us.
fn imposed(case: &CaseResult) -> Vec<&Utilization> {
    let quotas = case.utilization.iter().filter(|u| u.kind == LimitKind::Quota && u.quantity != metric::CPU);
    quotas.filter(|used| used.allowance.is_none() || !allowance::is_counted(case, used)).collect()
}

/// Why a limit that was imposed, or the figure that a provider published, says nothing for certain.
fn doubt(case: &CaseResult, used: &Utilization) -> Option<&'static str> {
    let is_same = |u: &Utilization| u.allowance == used.allowance && u.quantity == used.quantity;
    let is_other = |u: &Utilization| u.resource != used.resource && u.source == used.source && is_same(u);
    let Some(allowance) = used.allowance else { return (used.fraction > PASSED).then_some("passed") };
    match allowance {
        _ if used.fraction > BEYOND => Some("beyond"),
        // Who has credits passes it, and who has none is held below it too.
        Allowance::Baseline if used.fraction >= FULL => Some("baseline"),
        _ if used.fraction < FULL && case.utilization.iter().any(is_other) => Some("shared"),
        _ => None,
    }
}

/// That a limit holds the case back.
fn held(case: &CaseResult, used: &Utilization) -> Finding {
    let (value, unit) = measure::written(used.limit, used.unit, &used.resource);
    let is_network = Rates::of_resource(&used.resource) == Rates::Bits;
    let network = match used.allowance {
        Some(_) => "rented",
        None if is_network => "yes",
        None => "no",
    };
    let demand =
        case.loads.main.estimates.contains_key(&used.quantity).then(|| shown("demand", used.quantity));
    finding("io-quota", Severity::Warning)
        .on(used.resource.clone())
        .arg("fraction", used.fraction)
        .arg("limit", value)
        .arg("unit", unit)
        .arg("source", used.source.as_str())
        .arg("network", network)
        .arg("shared", false)
        .arg("flows", is_network)
        .arg("end", end_of(used).word())
        .arg("machine", used.machine.as_deref().unwrap_or_default())
        .because(of_limit(used, "quota"))
        .because_all(in_most_intervals(case, used))
        .because_all(demand)
}

/// What left by an interface in each second, where that is all that its queueing discipline lets through and a good part of
/// it is not the payload of the load: others send as well, or the load sends again what was dropped.
fn carried_with_others(case: &CaseResult, used: &Utilization) -> Option<f64> {
    // What is lost behind it was sent all the same, and small datagrams are half heads.
    let is_udp = measure::profile(case).transport == Some(Transport::Udp);
    if is_udp || used.allowance.is_some() || !used.resource.is_named(ResourceKind::Nic) {
        return None;
    }
    // It holds what is sent, at either end.
    let end = end_of(used);
    let carried = measure::median(case, |trial| end.rate(trial, &used.resource, "tx_bytes"))?;
    let is_full = (CARRIED * used.limit..=BEYOND * used.limit).contains(&carried);
    (is_full && used.demand < NEARLY_ALL * carried).then_some(carried)
}

/// That a rate holds the case back which others use, too.
fn held_with_others(case: &CaseResult, used: &Utilization, carried: f64) -> Finding {
    let written = |value| measure::written(value, used.unit, &used.resource);
    let (carried, unit) = written(carried);
    let evidence = of_limit(used, "link-carried").arg("carried", carried).arg("unit", unit);
    let found = held(case, used).arg("network", "shared").arg("shared", true);
    found.arg("carried", carried).arg("own", written(used.demand).0).because(evidence)
}

/// A quota of CPU time, by how long it stopped each worker of an end.
fn stopped(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    // A control group is a process's own, whether both ends are under one kernel or not.
    let ends: &[End] = if measure::is_net(case) { &[End::Drives, End::Answers] } else { &[End::Drives] };
    let of_ends = ends.iter().filter_map(|end| stopped_at(case, context, *end));
    let worst = of_ends.max_by(|a, b| a.stopped.total_cmp(&b.stopped));
    let Stopped { end, stopped, place } = worst.filter(|worst| worst.stopped >= STOPPED)?;
    let evidence = Evidence::at("throttled", place).arg("stopped_s", stopped);
    let found = of_cpu_time(case, end).arg("stopped_s", stopped).arg("counted", true);
    Some(found.because(evidence))
}

/// That a quota stopped the threads of a load whose link is full: raised alone it would bring hardly more.
pub(super) fn beside_link(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let found = stopped(case, context).filter(|_| named.code == "link-full")?;
    found.evidence.into_iter().next()
}

fn of_cpu_time(case: &CaseResult, end: End) -> Finding {
    let found = finding("cpu-quota", Severity::Warning).on(Resource::CGROUP_CPU);
    found.arg("end", end.word()).arg("machine", end.machine(case).unwrap_or_default())
}

/// A quota of CPU time that the threads use up, where nobody counted for how long it stopped them. One that is for more
/// CPUs than they may use holds nobody.
fn uncounted(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if measure::good(case).any(|trial| End::Drives.counters(trial).iter().any(is_stop)) {
        return None;
    }
    let cpus = measure::workers(case).min(measure::cpus_allowed(case, context.machine));
    let is_it = |used: &&Utilization| used.kind == LimitKind::Quota && used.quantity == metric::CPU;
    let used = case.utilization.iter().filter(is_it).max_by(|a, b| a.fraction.total_cmp(&b.fraction))?;
    let is_used_up = (FULL..=BEYOND).contains(&used.fraction) && used.limit < cpus;
    is_used_up.then(|| {
        let found = of_cpu_time(case, End::Drives).arg("fraction", used.fraction).arg("counted", false);
        found.because(of_limit(used, "quota"))
    })
}

/// Whether a counter is of the time for which a quota stopped threads.
fn is_stop(counter: &Counter) -> bool {
    counter.resource == Resource::CGROUP_CPU && counter.source.ends_with(" throttled_time")
}

/// How long a quota stopped each worker.
struct Stopped {
    end: End,
    /// Seconds in each second.
    stopped: f64,
    place: Place,
}

/// A quota may stand at any level; the one that stopped the workers most counts.
fn stopped_at(case: &CaseResult, context: &Context<'_>, end: End) -> Option<Stopped> {
    let threads = measure::workers(case);
    let cpus = match end {
        End::Drives => context.machine.map(|_| measure::cpus_allowed(case, context.machine).max(1.0)),
        End::Answers => end.cpus(case),
    };
    let workers = threads.min(cpus.unwrap_or(threads));
    let is_quota = |c: &&Counter| is_stop(c);
    let sources: BTreeSet<&str> = measure::good(case)
        .flat_map(|t| end.counters(t))
        .filter(is_quota)
        .map(|c| c.source.as_str())
        .collect();
    let stopped_by = |source: &str| {
        let stopped = measure::median(case, |t| {
            let counter = end.counters(t).iter().filter(is_quota).find(|c| c.source == source)?;
            Some(counter.change()? / counter.seconds()).filter(|rate| rate.is_finite())
        })?;
        let place = Place::Counter { resource: Resource::CGROUP_CPU, source: source.to_owned() };
        // The kernel adds up the stopped time of each CPU, be it of others in the group; who computes is not stopped.
        let stopped = (stopped / workers).min(1.0 - end.worker_share(case).unwrap_or_default());
        Some(Stopped { end, stopped, place })
    };
    sources.into_iter().filter_map(stopped_by).max_by(|a, b| a.stopped.total_cmp(&b.stopped))
}

#[cfg(test)]
mod tests {
    use model::machine::Machine;
    use model::resource::PathStep;
    use model::study::Controls;
    use model::{Better, Limit, Unit, Value};

    use super::super::tests::{disk, used, verdict};
    use super::*;
    use crate::utilization::of_case;
    use crate::validity::fixture;

    /// What a provider allows `block:sda`, or another, and how much of it is used.
    fn allowed(resource: &str, allowance: Allowance, fraction: f64) -> Utilization {
        Utilization { allowance: Some(allowance), ..used(resource, LimitKind::Quota, fraction) }
    }

    fn with(utilization: Vec<Utilization>) -> CaseResult {
        CaseResult { utilization, ..disk(32, 1000.0, 32_000.0, 2.0) }
    }

    /// Why it cannot be told, or `full` or `free`.
    fn said(case: &CaseResult) -> String {
        match examine(case, &fixture::context(&Controls::default())) {
            Verdict::Unknown(evidence) => evidence.args["why"].to_string(),
            Verdict::Full(found) => format!("full: {}", found.args["network"]),
            Verdict::Free(_) => "free".to_owned(),
            Verdict::Elsewhere => "elsewhere".to_owned(),
        }
    }

    #[test]
    fn of_what_a_provider_allows_only_the_most_is_named() {
        for (allowance, fraction, expected) in [
            (Allowance::Most, 0.5, "free"),
            (Allowance::Most, 0.97, "full: rented"),
            (Allowance::Most, 1.1, "full: rented"),
            (Allowance::Most, 1.2, "beyond"),
            (Allowance::Baseline, 0.5, "free"),
            (Allowance::Baseline, 0.97, "baseline"),
            (Allowance::Baseline, 1.02, "baseline"),
        ] {
            assert_eq!(said(&with(vec![allowed("block:sda", allowance, fraction)])), expected, "{fraction}");
        }
        let found = verdict(&[with(vec![allowed("block:sda", Allowance::Most, 0.97)])]);
        assert_eq!((found.code.as_str(), &found.args["network"]), ("io-quota", &Value::from("rented")));
        assert_eq!(
            found.advice.as_deref(),
            Some("a larger instance type is allowed more"),
            "a disk has no flows"
        );
    }

    /// Bug: the published figure convicted, though a counter said that nothing was held back.
    #[test]
    fn where_somebody_counts_no_published_figure_decides() {
        let mut case = with(vec![allowed("block:sda", Allowance::Most, 0.97)]);
        let count = |case: &mut CaseResult, resource: &str| {
            let source = "NVMe log page D0h ec2_instance_ebs_performance_exceeded_tp";
            for trial in &mut case.trials {
                trial.result.local_mut().counters.push(fixture::counter(resource, source, 1e-6, 0));
            }
        };
        count(&mut case, "block:sdb");
        assert_eq!(said(&case), "full: rented", "another volume");
        count(&mut case, "block:sda");
        assert_eq!(said(&case), "elsewhere");
        let found = verdict(&[case]);
        assert!(found.ruled_out.iter().any(|e| e.code == "allowance-time"), "{found:?}");
    }

    #[test]
    fn a_throttle_that_is_reached_comes_before_what_is_allowed() {
        let throttle = |fraction| used("block:sda", LimitKind::Quota, fraction);
        let most = |fraction| allowed("block:sda", Allowance::Most, fraction);
        assert_eq!(said(&with(vec![most(1.1), throttle(0.99)])), "full: no");
        assert_eq!(said(&with(vec![most(1.2), throttle(0.99)])), "full: no");
        assert_eq!(said(&with(vec![most(1.1), throttle(0.9)])), "full: rented");
        // What is imposed here is held against what was done.
        assert_eq!(said(&with(vec![throttle(1.2)])), "full: no");
        // What is passed by far holds nobody, and hides no other.
        assert_eq!(said(&with(vec![throttle(4.0)])), "passed");
        assert_eq!(said(&with(vec![throttle(4.0), used("block:sdb", LimitKind::Quota, 0.97)])), "full: no");
    }

    /// Bug: a stream beside others under one rate was said to be held back by a path of unknown width.
    #[test]
    fn a_rate_that_others_use_as_well_is_named() {
        let found = |own: f64, carried: u64| {
            let mut case = with(vec![used("nic:eth0", LimitKind::Quota, own)]);
            for trial in &mut case.trials {
                let sent = fixture::counter("nic:eth0", "/proc/net/dev tx_bytes", 1.0, carried);
                trial.result.local_mut().counters.push(sent);
            }
            verdict(&[case])
        };
        let shared = found(0.5, 104);
        assert_eq!((shared.code.as_str(), &shared.args["network"]), ("io-quota", &Value::from("shared")));
        let text = "832 bit/s pass network interface eth0, of which the load has 400 bit/s; payload may have 800 bit/s";
        assert!(shared.text.contains(text), "{}", shared.text);
        assert!(shared.advice.is_some_and(|advice| advice.starts_with("stop what else sends over it")));
        assert_eq!(found(0.97, 104).args["network"], Value::from("yes"), "it is the load's alone");
        for (own, carried, why) in [(0.5, 90, "there is room"), (0.5, 130, "it held none of that")] {
            assert_ne!(found(own, carried).code, "io-quota", "{why}");
        }
    }

    /// Bug: a quota of CPU time that stopped threads now and then was named, though a rate of the disk was reached.
    #[test]
    fn a_rate_that_is_reached_comes_before_cpu_time_that_is_stopped() {
        let found = |fraction: f64, stopped_us: u64| {
            let mut case = with(vec![used("block:sda", LimitKind::Quota, fraction)]);
            for trial in &mut case.trials {
                let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, stopped_us);
                trial.result.local_mut().counters.push(stopped);
            }
            verdict(&[case])
        };
        let both = found(0.99, 100_000);
        assert_eq!(both.code, "io-quota", "{both:?}");
        assert!(both.evidence.iter().any(|e| e.beside && e.code == "throttled"), "{both:?}");
        assert_eq!(found(0.9, 100_000).code, "cpu-quota");
        // A rate that is passed by half did not hold it; the stops that were counted did.
        assert_eq!(found(1.5, 100_000).code, "cpu-quota");
        assert_eq!(found(1.5, 0).code, "io-quota");
        assert!(!found(0.99, 0).evidence.iter().any(|e| e.code == "throttled"));
    }

    /// Bug: a quota of CPU time that stopped threads now and then was named, though their link was full.
    #[test]
    fn a_link_that_is_full_comes_before_cpu_time_that_is_stopped() {
        let found = |fraction: f64| {
            let mut case = with(vec![used("nic:eth0", LimitKind::Link, fraction)]);
            for trial in &mut case.trials {
                let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 100_000);
                trial.result.local_mut().counters.push(stopped);
            }
            verdict(&[case])
        };
        let both = found(0.97);
        assert_eq!(both.code, "link-full", "{both:?}");
        assert!(both.evidence.iter().any(|e| e.beside && e.code == "throttled"), "{both:?}");
        assert_eq!(found(0.9).code, "cpu-quota");
    }

    /// Bug: a rate that was passed hid one that was reached, and stops of CPU time had the name.
    #[test]
    fn a_rate_that_is_passed_hides_none_that_is_reached() {
        let throttle = |name: &str, fraction| used(name, LimitKind::Quota, fraction);
        let mut case = with(vec![throttle("block:sda", 1.5), throttle("block:sdb", 0.98)]);
        for trial in &mut case.trials {
            let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 100_000);
            trial.result.local_mut().counters.push(stopped);
        }
        let found = verdict(&[case]);
        assert_eq!(
            (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
            ("io-quota", Some("block:sdb"))
        );
        let beside = found.evidence.iter().filter(|evidence| evidence.beside);
        assert_eq!(beside.map(|e| e.code.as_str()).collect::<Vec<_>>(), ["quota", "throttled"]);
    }

    /// Bug: of requests over an interface the rate in bytes was named as evidence, though nobody measured it.
    #[test]
    fn a_rate_that_was_not_measured_is_no_evidence() {
        let is_shown = |is_measured: bool| {
            let mut case = with(vec![used("nic:eth0", LimitKind::Quota, 0.98)]);
            if !is_measured {
                case.loads.main.estimates.remove(&metric::THROUGHPUT);
            }
            let found = verdict(&[case]);
            assert_eq!(found.code, "io-quota", "{found:?}");
            found.evidence.iter().any(|e| e.code == "demand")
        };
        assert!(is_shown(true));
        assert!(!is_shown(false));
    }

    /// Bug: where `cpu.stat` was not read, nothing was said of a quota of CPU time that is used up.
    #[test]
    fn a_quota_of_cpu_time_that_is_used_up_is_named_without_a_count_of_stops() {
        let quota = |fraction: f64, cpus: f64| Utilization {
            quantity: metric::CPU,
            unit: Unit::One,
            demand: fraction * cpus,
            limit: cpus,
            ..used("cpu", LimitKind::Quota, fraction)
        };
        let found = verdict(&[with(vec![quota(0.98, 0.5)])]);
        assert_eq!(found.code, "cpu-quota", "{found:?}");
        assert!(found.text.contains("its threads use 98 % of it"), "{}", found.text);
        assert_ne!(verdict(&[with(vec![quota(0.7, 0.5)])]).code, "cpu-quota");
        assert_ne!(verdict(&[with(vec![quota(0.98, 1.0)])]).code, "cpu-quota", "its one thread has no more");
        let mut counted = with(vec![quota(0.98, 0.5)]);
        for trial in &mut counted.trials {
            let stopped = fixture::counter("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 0);
            trial.result.local_mut().counters.push(stopped);
        }
        assert_ne!(verdict(&[counted]).code, "cpu-quota", "it stopped nobody");
    }

    #[test]
    fn volumes_that_share_an_allowance_are_not_ruled_out_each_by_itself() {
        let volume = |name: &str, source: &str| Utilization {
            source: source.to_owned(),
            ..allowed(name, Allowance::Most, 0.5)
        };
        let of = |others: &str| said(&with(vec![volume("block:sda", "x"), volume("block:sdb", others)]));
        assert_eq!((of("x"), of("y")), ("shared".to_owned(), "free".to_owned()));
        // Those of operations and of bytes are published at one place.
        let operations = Utilization { quantity: metric::IOPS, ..volume("block:sdb", "x") };
        assert_eq!(said(&with(vec![volume("block:sda", "x"), operations])), "free");
    }

    /// Who has credits passes the baseline; who has none is held at it.
    #[test]
    fn a_baseline_counts_where_it_is_not_passed() {
        let limit = |allowance: Option<Allowance>, rate: f64| {
            let (resource, kind) = (Resource::from("nic:ens5"), LimitKind::Quota);
            let bound = Limit::new(resource, metric::THROUGHPUT, Unit::BytesPerSecond, kind, "x".to_owned());
            Limit { effective: Some(rate), allowance, ..bound }
        };
        let baseline = || limit(Some(Allowance::Baseline), 100e6);
        let at = |rate: f64, limits: Vec<Limit>| {
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "net.stream");
            fixture::set(&mut case, "peer", "10.0.0.2:7117");
            fixture::set(&mut case, "direction", "send");
            let estimate = fixture::estimate(rate, Unit::BytesPerSecond, Better::Higher);
            case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
            case.path = vec![PathStep { resource: Resource::from("nic:ens5"), amplification: 1.0 }];
            case.utilization = of_case(&case, &Machine { limits, ..Machine::default() });
            case
        };
        assert_eq!(said(&at(102e6, vec![baseline()])), "baseline");
        assert_eq!(said(&at(110e6, vec![baseline()])), "elsewhere", "credits are spent");
        let throttled = at(110e6, vec![baseline(), limit(None, 110e6 / 0.99)]);
        assert_eq!(said(&throttled), "full: yes");
    }
}
