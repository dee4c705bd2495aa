//! A depth far beyond the knee: latency is then the length of the queue (study
//! B's 64 jobs, each 512 deep). By Little's law it is the depth over the rate,
//! whatever the device does.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity};

use crate::siblings::Member;
use crate::{Context, Rule, RuleCheck, measure};

/// A shallower case with this share of the rate has all of it.
const SAME: f64 = 0.95;
/// So many times the depth for nothing, or for more than the device takes, and
/// most of the latency is waiting.
const DEEP: f64 = 4.0;

pub(crate) const RULE: Rule = Rule {
    code: "queue-measured",
    doc: "So many operations at once that latency is the length of the queue: a case with a quarter of the depth, or less, \
         has the same rate; or at least four times as many are under way as the device takes.",
    english: r#"
finding-queue-measured =
    { $how ->
        [knee] latency here is the length of the queue: with { FIXED($from) } operations at once instead of
            { FIXED($depth) } the rate is { PERCENT($share) } of this, and each is answered
            { FIXED($times, decimals: 1) } times as fast
       *[device] latency here is mostly waiting: { FIXED($depth) } operations are under way at once, and
            { FIXED($takes) } fit the queues of { RESOURCE($resource) }
    }
    .advice = use a depth at the knee, where more gives no more

evidence-depth-rate = { SHORT($rate, unit: "1/s") } with { FIXED($depth) } operations in flight
evidence-takes = { FIXED($takes) } at once
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if measure::does_transactions(case) {
        return None;
    }
    let depth = measure::concurrency(case);
    let resource = measure::devices_name(case)?;
    let queues = measure::is_closed(case) && measure::is_direct(case) && !measure::is_null(case);
    let mean = measure::mean_latency(case).filter(|_| queues)?;
    let (_, rate) = measure::operations(case)?;
    let new = |how: &str| {
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(resource.clone())
            .arg("how", how)
            .arg("depth", depth)
            .because(measure::latency_evidence(mean))
    };
    if let Some(knee) = knee(case, context) {
        let times = mean / measure::mean_latency(knee).unwrap_or(mean);
        let (from, less) = (measure::concurrency(knee), measure::operations(knee).map_or(0.0, |(_, r)| r));
        let share = less / rate;
        let evidence = Evidence::at("depth-rate", Place::Case(knee.label.to_string()));
        let found = new("knee").arg("from", from).arg("share", share).arg("times", times);
        return Some(found.because(evidence.arg("rate", less).arg("depth", from)));
    }
    let takes = takes(case, context).filter(|takes| depth >= DEEP * takes)?;
    let first =
        measure::wholes(case, context.machine).first().map(|d| Resource::of(ResourceKind::Block, &d.name));
    let evidence = Evidence::at("takes", Place::Inventory(first.unwrap_or_default())).arg("takes", takes);
    Some(new("device").arg("takes", takes).because(evidence))
}

/// The shallowest case of the same work, at most a quarter as deep, that has all
/// of the rate.
fn knee<'a>(case: &CaseResult, context: &Context<'a>) -> Option<&'a CaseResult> {
    let (depth, (_, rate)) = (measure::concurrency(case), measure::operations(case)?);
    let groups = context.siblings.at_depths(case);
    let fits =
        |other: &&Member| other.depth * DEEP <= depth && other.rate.is_some_and(|less| less >= SAME * rate);
    let all = groups.iter().flat_map(|group| group.iter()).filter(fits);
    let knee = all.min_by(|a, b| a.depth.total_cmp(&b.depth).then(a.place.cmp(&b.place)));
    knee.map(|member| context.siblings.case(member))
}

/// Operations that the devices take at once, by what the kernel says of their
/// queues; absent where it says nothing of one.
fn takes(case: &CaseResult, context: &Context<'_>) -> Option<f64> {
    let disks = measure::wholes(case, context.machine);
    let one = |d: &&model::machine::BlockDevice| {
        let queues = || Some(d.queue_requests? * d.hardware_queues.unwrap_or(1));
        d.device_queue_depth.or_else(queues).filter(|n| *n > 0).map(f64::from)
    };
    let all: Vec<f64> = disks.iter().map(one).collect::<Option<_>>()?;
    (!all.is_empty()).then(|| all.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::machine::BlockDevice;
    use model::metric;
    use model::study::Controls;
    use model::{Better, Machine, Unit};

    fn case(depth: u64, threads: u64, rate: f64) -> CaseResult {
        let mut case = fixture::disk_case("randread", rate * 4096.0, rate * 4096.0);
        fixture::named(&mut case, &format!("depth {depth}"));
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "queue-depth", depth);
        fixture::set(&mut case, "threads", threads);
        case.loads
            .main
            .estimates
            .insert(metric::IOPS, fixture::estimate(rate, Unit::PerSecond, Better::Higher));
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n(((depth * threads) as f64 / rate * 1e9) as u64, 1000).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        for trial in &mut case.trials {
            trial.result.main_mut().histograms.insert(metric::LATENCY, text.clone());
        }
        case
    }

    fn texts(cases: &[CaseResult], machine: Option<&Machine>) -> Vec<String> {
        let controls = Controls::default();
        let context =
            Context { machine, siblings: &crate::Siblings::of(cases), ..fixture::context(&controls) };
        fixture::found(&RULE, &cases[0], &context).into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn a_depth_beyond_the_knee_measures_its_own_queue() {
        let deep = case(512, 1, 100e3);
        let text = texts(&[deep.clone(), case(128, 1, 101e3), case(64, 1, 97e3), case(16, 1, 60e3)], None);
        assert!(text[0].contains("with 64 operations at once instead of 512 the rate is 97 %"), "{text:?}");
        assert!(text[0].contains("7.8 times as fast"), "{text:?}");
        assert!(texts(&[deep.clone(), case(256, 1, 100e3)], None).is_empty(), "half is no quarter");
        assert!(texts(&[deep, case(16, 1, 60e3)], None).is_empty());
    }

    /// Study B, from one case alone.
    #[test]
    fn more_than_a_device_takes_waits() {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            queue_requests: Some(1023),
            hardware_queues: Some(8),
            ..BlockDevice::default()
        });
        let text = texts(&[case(512, 64, 184e3)], Some(&machine));
        assert!(
            text[0].contains("32768 operations are under way at once, and 8184 fit the queues of disk sda"),
            "{text:?}"
        );
        assert!(texts(&[case(512, 8, 184e3)], Some(&machine)).is_empty());
        machine.inventory.block[0].device_queue_depth = Some(32);
        assert_eq!(
            texts(&[case(128, 1, 90e3)], Some(&machine)).len(),
            1,
            "what the drive itself says comes first"
        );
    }
}
