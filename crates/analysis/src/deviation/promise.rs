//! What a datasheet or the user's `[expect]` promises, and what was measured.

use language::format::part;
use model::finding::{Evidence, Place};
use model::limit::{Access, Direction, LimitKind};
use model::run::{CaseResult, Estimate, Utilization};
use model::{Better, Finding, FindingKind, Limit, MetricName, ResourceKind, Run, Severity, Value};

use crate::bottleneck::share_of_full;
use crate::{Context, Rule, RuleCheck, measure};

/// A promise is kept within this share: datasheets say "up to", and a file
/// system costs a little.
const KEPT: f64 = 0.95;
/// So much more than a datasheet's figure is not that drive's.
const BEYOND: f64 = 1.05;
/// A link or a quota as full as this is what falls short, not the drive.
const FULL: f64 = 0.95;

/// A datasheet's figure under the key that a study would have for it.
pub(crate) fn sheet_key(limit: &Limit) -> String {
    let direction = match limit.direction {
        Some(Direction::Read) => "read",
        Some(Direction::Write) => "write",
        None => return limit.quantity.to_string(),
    };
    match (limit.access, limit.block_bytes) {
        (Some(Access::Random), Some(bytes)) => {
            let size = part(bytes).replace(' ', "").to_lowercase();
            format!("random-{direction}-{}", size.strip_suffix("ib").unwrap_or(&size))
        }
        _ => direction.to_owned(),
    }
}

/// Whether every case keeps what the study's `[expect]` promises, as far as it was
/// held against it. What a drive's datasheet says that nobody named does not
/// count, nor a promise that was not tested.
#[must_use]
pub fn keeps_expectations(run: &Run) -> bool {
    let is = |finding: &Finding, name: &str, value: &str| {
        finding.args.get(name).is_some_and(|v| *v == Value::from(value))
    };
    let short = |finding: &Finding| {
        finding.code == RULE.code && is(finding, "how", "short") && !is(finding, "by", "datasheet")
    };
    !run.cases.iter().flat_map(|case| &case.findings).any(short)
}

/// Whether an estimate's interval says the same of a bound as its median, or
/// has no ends to say anything else.
fn is_sure(got: &Estimate, bound: f64) -> bool {
    let side = |value: f64| value >= bound;
    [got.low, got.high].into_iter().flatten().all(|end| side(end) == side(got.median))
}

pub(crate) const RULE: Rule = Rule {
    code: "promise",
    doc: "What a datasheet or the user's `[expect]` promises, and what was measured. A datasheet is asked only about a \
         load that drives the drive itself as hard as the sheet's own.",
    english: r#"
promise-whose =
    { $by ->
        [datasheet] its datasheet
       *[study] the study
    }
promise-share = { PERCENT($fraction) } of { SHORT($promised, $unit) } ({ $source })

finding-promise =
    { $by ->
        [metric] { WORDS($metric) } is { SHORT($measured, $unit) }, and the study promises { $bound ->
            [most] at most
           *[least] at least
        } { SHORT($promised, $unit) }: { $how ->
            [kept] kept
           *[short] not kept
        }
       *[limit] { RESOURCE($resource) } { $how ->
            [short] fall{ verb-s } short of what { promise-whose } promises: { promise-share }
            [beyond] give{ verb-s } more than { promise-whose } promises: { promise-share }; a cache may have answered, or the
                drive is another
           *[kept] keep{ verb-s } what { promise-whose } promises: { promise-share }
        }
    }

evidence-promised = { SHORT($promised, $unit) } promised ({ $source })
evidence-measured = the result: { SHORT($measured, $unit) }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
    let sheets = case.utilization.iter().filter(|u| u.kind == LimitKind::Datasheet && is_asked(case, u));
    let own = case.utilization.iter().filter(|u| u.kind == LimitKind::Promise);
    let mut found: Vec<Finding> = sheets.chain(own).map(|used| rate(case, used, context)).collect();
    found.extend(others(case, context));
    found
}

/// Whether a case asks a drive for all that its datasheet promises.
fn is_asked(case: &CaseResult, used: &Utilization) -> bool {
    let mut blocks = case.path.iter().filter(|s| s.resource.is_named(ResourceKind::Block));
    let alone = blocks.all(|s| (s.amplification - 1.0).abs() < 1e-9);
    let holds =
        |u: &Utilization| matches!(u.kind, LimitKind::Link | LimitKind::Quota) && share_of_full(u) >= FULL;
    let held = case.utilization.iter().any(holds);
    measure::is_closed(case) && alone && !held && used.fraction.is_finite()
}

/// The key of the promise that a limit is.
fn key(used: &Utilization, context: &Context<'_>) -> String {
    if let Some(key) = &used.promise {
        return key.clone();
    }
    let is_it = |l: &&Limit| {
        (l.kind, l.bound()) == (used.kind, Some(used.limit))
            && (&l.resource, &l.quantity, &l.known_from()) == (&used.resource, &used.quantity, &used.source)
    };
    let mut limits = context.machine.iter().flat_map(|m| &m.limits);
    limits.find(is_it).map_or_else(|| used.quantity.to_string(), sheet_key)
}

/// A promised rate.
fn rate(case: &CaseResult, used: &Utilization, context: &Context<'_>) -> Finding {
    let place = Place::Limit { resource: used.resource.clone(), quantity: used.quantity };
    let sheet = used.kind == LimitKind::Datasheet;
    let (severity, how) = match used.fraction {
        f if f < KEPT => (Severity::Warning, "short"),
        f if f > BEYOND && sheet => (Severity::Warning, "beyond"),
        _ => (Severity::Note, "kept"),
    };
    let by = if sheet { "datasheet" } else { "study" };
    // The sentence says already that it is a promise, and whose.
    let source =
        used.promise.as_deref().or_else(|| used.source.strip_prefix("promised, ")).unwrap_or(&used.source);
    // The share of the promise that the case's own figure has, without the
    // loads beside it and what an array adds.
    let scale = |e: &Estimate| e.median / used.demand;
    let own = case.loads.main.estimates.get(&used.quantity);
    let sure = own.is_none_or(|e| is_sure(e, used.limit * KEPT * scale(e)));
    let unit = used.unit.symbol();
    let promise = Evidence::at("promised", place).arg("by", by).arg("source", source);
    let result = Evidence::at("measured", Place::Metric(used.quantity));
    Finding::new(FindingKind::Deviation, RULE.code, severity)
        .on(used.resource.clone())
        .arg("by", by)
        .arg("promise", key(used, context).as_str())
        .arg("metric", used.quantity.as_str())
        .arg("sure", if sure { "yes" } else { "no" })
        .arg("how", how)
        .arg("source", source)
        .arg("fraction", used.fraction)
        .arg("promised", used.limit)
        .arg("unit", unit)
        .because(promise.arg("promised", used.limit).arg("unit", unit))
        .because(result.arg("measured", used.demand).arg("unit", unit))
}

/// Promises of other metrics, such as a latency.
fn others(case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
    let is_limit = |metric: MetricName| {
        case.utilization.iter().any(|u| u.kind == LimitKind::Promise && u.quantity == metric)
    };
    let fits = |p: &&model::study::Promise| {
        let direction = p.direction.is_none() || p.direction == measure::direction(case);
        let block = p.block_bytes.is_none() || p.block_bytes == measure::one_block(case);
        direction && block && p.access.is_none() && !is_limit(p.metric)
    };
    let promises = context.expect.map(|e| e.promises.as_slice()).unwrap_or_default().iter().filter(fits);
    promises
        .filter_map(|promise| {
            let got = case.loads.main.estimates.get(&promise.metric).filter(|e| e.unit == promise.unit)?;
            let (least, most) = (promise.value * KEPT, promise.value / KEPT);
            let (kept, limit, bound) = match got.better {
                Better::Higher => (got.median >= least, least, "least"),
                Better::Lower => (got.median <= most, most, "most"),
            };
            let severity = if kept { Severity::Note } else { Severity::Warning };
            let unit = promise.unit.symbol();
            let evidence = Evidence::at("measured", Place::Metric(promise.metric));
            let finding = Finding::new(FindingKind::Deviation, RULE.code, severity)
                .arg("by", "metric")
                .arg("promise", promise.key.as_str())
                .arg("sure", if is_sure(got, limit) { "yes" } else { "no" })
                .arg("how", if kept { "kept" } else { "short" })
                .arg("bound", bound)
                .arg("metric", promise.metric.as_str())
                .arg("promised", promise.value)
                .arg("measured", got.median)
                .arg("unit", unit)
                .because(evidence.arg("measured", got.median).arg("unit", unit));
            Some(finding)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::metric;
    use model::resource::PathStep;
    use model::study::{Controls, Expect};
    use model::{Resource, ResourceKind, Unit};

    fn used(kind: LimitKind, fraction: f64) -> Utilization {
        Utilization {
            machine: None,
            resource: Resource::of(ResourceKind::Block, "sda"),
            quantity: metric::THROUGHPUT,
            kind,
            demand: fraction * 560e6,
            limit: 560e6,
            unit: Unit::BytesPerSecond,
            fraction,
            promise: None,
            allowance: None,
            flows: None,
            line_only: false,
            usual: None,
            source: "a sheet".to_owned(),
        }
    }

    fn severities(case: &CaseResult, expect: Option<&Expect>) -> Vec<Severity> {
        let controls = Controls::default();
        let context = Context { expect, ..fixture::context(&controls) };
        fixture::found(&RULE, case, &context).iter().map(|f| f.severity).collect()
    }

    #[test]
    fn a_drive_is_held_to_its_sheet_only_where_it_was_asked_for_that() {
        let mut case = fixture::disk_case("read", 300e6, 300e6);
        case.utilization = vec![used(LimitKind::Datasheet, 0.55)];
        assert_eq!(severities(&case, None), [Severity::Warning]);
        case.utilization = vec![used(LimitKind::Datasheet, 0.97)];
        assert_eq!(severities(&case, None), [Severity::Note]);
        case.utilization = vec![used(LimitKind::Datasheet, 2.0)];
        assert_eq!(severities(&case, None), [Severity::Warning]);
        // A member of an array, a full link before it, a given rate.
        case.utilization = vec![used(LimitKind::Datasheet, 0.14)];
        case.path.push(PathStep { resource: Resource::of(ResourceKind::Block, "sdb"), amplification: 0.125 });
        assert!(severities(&case, None).is_empty());
        case.path.pop();
        case.utilization = vec![used(LimitKind::Link, 0.97), used(LimitKind::Datasheet, 0.5)];
        assert!(severities(&case, None).is_empty());
        case.utilization = vec![used(LimitKind::Datasheet, 0.5)];
        fixture::set(&mut case, "rate", 1000.0);
        assert!(severities(&case, None).is_empty());
    }

    #[test]
    fn more_than_one_asked_for_oneself_is_no_fault() {
        let mut case = fixture::disk_case("read", 900e6, 900e6);
        case.utilization = vec![used(LimitKind::Promise, 1.8)];
        assert_eq!(severities(&case, None), [Severity::Note]);
        case.utilization = vec![used(LimitKind::Promise, 0.8)];
        assert_eq!(severities(&case, None), [Severity::Warning]);
    }

    #[test]
    fn a_promised_latency_is_compared_by_its_direction() {
        let mut case = fixture::case(3);
        let estimate = fixture::estimate(0.003, Unit::Seconds, Better::Lower);
        case.loads.main.estimates.insert(metric::LATENCY_P99, estimate);
        let promise = |value| Expect {
            promises: vec![model::study::Promise {
                key: "latency_p99".to_owned(),
                metric: metric::LATENCY_P99,
                direction: None,
                access: None,
                block_bytes: None,
                value,
                unit: Unit::Seconds,
            }],
            datasheet: None,
        };
        assert_eq!(severities(&case, Some(&promise(0.002))), [Severity::Warning]);
        assert_eq!(severities(&case, Some(&promise(0.005))), [Severity::Note]);
        let estimate = fixture::estimate(0.003, Unit::Seconds, Better::Higher);
        case.loads.main.estimates.insert(metric::LATENCY_P99, estimate);
        assert_eq!(severities(&case, Some(&promise(0.005))), [Severity::Warning]);
    }
}
