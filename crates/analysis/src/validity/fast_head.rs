//! One pass of writes whose rate drops at a place: a cache of the drive took what came first, as that of an SSD in cells
//! which hold one bit. What lasts is the rate behind the drop.

use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, Severity, Value, metric};

use super::finding;
use crate::{Context, PlaceCourse, Rule, RuleCheck, measure};

/// So many times as fast as the rest is a head.
const FASTER: f64 = 1.5;
/// So many parts lie before the drop, and behind it.
const EDGE: usize = 2;
/// So much of the difference lies within two parts around it.
const SHARP: f64 = 0.6;
/// Such a share of the parts may be on the wrong side.
const STRAYS: f64 = 0.1;

pub(crate) const RULE: Rule = Rule {
    code: "fast-cache-ends",
    doc: "In one pass of writes around the page cache the rate drops at a place to less than two thirds of what it was, and \
         stays there: a cache of the drive took the first bytes, such as that of an SSD. Not of hard disks.",
    english: r#"
finding-fast-cache-ends =
    the first { SHORT($bytes, unit: "B") } are written at { SHORT($head, unit: "B/s") }, what follows at
    { SHORT($rest, unit: "B/s") }: a cache, or a burst that is allowed, took the beginning, and the mean is neither
    .advice = the rate after the drop is the one that lasts
"#,
    check: RuleCheck::One(check),
};

/// Where the rate drops.
struct CacheEnd {
    bytes: f64,
    head: f64,
    rest: f64,
}

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let writes = measure::does(case, OperationClass::Write) && !measure::is_mixed(case);
    // Places that were left out were not written.
    if !writes || measure::profile(case).places.is_some() {
        return None;
    }
    let disks = measure::wholes(case, context.machine);
    if disks.iter().any(|disk| measure::is_platter(context.machine, disk)) {
        return None;
    }
    let courses = measure::place_courses(case);
    let CacheEnd { bytes, head, rest } = courses.iter().find_map(drop_in)?;
    let args =
        [("bytes", Value::Number(bytes)), ("head", Value::Number(head)), ("rest", Value::Number(rest))];
    Some(finding(RULE.code, Severity::Warning, &args, Some(metric::THROUGHPUT)))
}

/// The drop that parts a course best, if it is one.
fn drop_in(course: &PlaceCourse) -> Option<CacheEnd> {
    let rates: Vec<f64> = course.points.iter().map(|(_, rate)| *rate).collect();
    let parts = rates.len();
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let sides = |at: usize| (mean(&rates[..at]), mean(&rates[at..]));
    let parted = |at: &usize| {
        let (head, rest) = sides(*at);
        (head - rest).powi(2) * *at as f64 * (parts - at) as f64
    };
    let places = EDGE..parts.saturating_sub(EDGE);
    let at = places.max_by(|a, b| parted(a).total_cmp(&parted(b)))?;
    let (head, rest) = sides(at);
    let near = mean(&rates[at - EDGE..at]) - mean(&rates[at..at + EDGE]);
    let middle = (head * rest).sqrt();
    let strays = rates[..at].iter().filter(|rate| **rate < middle).count()
        + rates[at..].iter().filter(|rate| **rate > middle).count();
    let is_drop =
        head >= FASTER * rest && near >= SHARP * (head - rest) && strays as f64 <= STRAYS * parts as f64;
    let begin = course.points.first()?.0;
    let each = (course.points.last()?.0 - begin) / (parts - 1) as f64;
    is_drop.then_some(CacheEnd { bytes: each * at as f64, head, rest })
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::measure::by_place::tests::pass;
    use crate::validity::fixture;

    fn texts(pattern: &str, rates: Vec<f64>) -> Vec<String> {
        let controls = Controls::default();
        let case = pass(pattern, &[("/dev/nvme0n1", rates)]);
        fixture::found(&RULE, &case, &fixture::context(&controls)).into_iter().map(|f| f.text).collect()
    }

    #[test]
    fn the_end_of_a_cache_is_told_in_bytes() {
        // 2 s at 1 GB/s, then 8 s at 250 MB/s.
        let rates = [vec![1000e6; 20], vec![250e6; 80]].concat();
        let found = texts("write", rates.clone());
        assert!(
            found[0].starts_with("the first 2 GB are written at 1 GB/s, what follows at 250 MB/s"),
            "{found:?}"
        );
        assert!(texts("read", rates).is_empty());
        assert!(texts("write", vec![1000e6; 100]).is_empty());
        let falling = (0..100).map(|at| 1000e6 - f64::from(at) * 7e6).collect();
        assert!(texts("write", falling).is_empty(), "that is no drop");
    }
}
