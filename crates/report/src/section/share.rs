//! How near each case came to a limit: below the table of its workload, a line
//! for each limit that was the nearest of a case.

use model::run::{CaseResult, Utilization};

use super::machine::limit::{bound, kind};
use crate::format::percent;
use crate::text::paragraph;

/// The lines; `label` says how a case is called in the table above.
pub(super) fn text(cases: &[&CaseResult], label: impl Fn(&CaseResult) -> String) -> String {
    let mut limits: Vec<(&Utilization, Vec<(&CaseResult, f64)>)> = Vec::new();
    for case in cases {
        // Most first, as the document says.
        let Some(nearest) = case.utilization.first().filter(|u| u.fraction.is_finite()) else { continue };
        let same = |u: &Utilization| {
            (&u.resource, &u.quantity, u.kind, u.limit)
                == (&nearest.resource, &nearest.quantity, nearest.kind, nearest.limit)
        };
        match limits.iter_mut().find(|(u, _)| same(u)) {
            Some((_, cases)) => cases.push((case, nearest.fraction)),
            None => limits.push((nearest, vec![(case, nearest.fraction)])),
        }
    }
    let highest = |cases: &[(&CaseResult, f64)]| cases.iter().map(|c| c.1).fold(f64::MIN, f64::max);
    limits.sort_by(|a, b| highest(&b.1).total_cmp(&highest(&a.1)));
    limits.iter().map(|(limit, shares)| line(limit, shares, &label)).collect()
}

/// ` of a limit: 12 to 96 % of sata:sda (560 MB/s, link), most by read 1MiB`
fn line(
    limit: &Utilization,
    shares: &[(&CaseResult, f64)],
    label: &impl Fn(&CaseResult) -> String,
) -> String {
    let least = shares.iter().map(|s| s.1).fold(f64::MAX, f64::min);
    let Some((case, most)) = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return String::new() };
    let (low, high) = (percent(least), percent(*most));
    let of = format!(
        "of {} ({}, {})",
        limit.resource,
        bound(limit.limit, limit.unit, &limit.quantity),
        kind(limit.kind)
    );
    let text = match shares.len() {
        1 => format!("share of a limit: {high} {of}: {}", label(case)),
        _ if low == high => format!("share of a limit: {high} {of}"),
        _ => {
            let low = low.trim_end_matches(" %");
            format!("share of a limit: {low} to {high} {of}, most by {}", label(case))
        }
    };
    paragraph(" ", "   ", &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Unit;
    use model::limit::LimitKind;

    fn case(label: &str, resource: &str, fraction: f64) -> CaseResult {
        let nearest = Utilization {
            line_only: false,
            resource: resource.to_owned(),
            quantity: "throughput".to_owned(),
            kind: LimitKind::Link,
            demand: fraction * 560e6,
            limit: 560e6,
            unit: Unit::BytesPerSecond,
            fraction,
            source: String::new(),
        };
        let other = Utilization { resource: "dmi".to_owned(), fraction: 0.01, ..nearest.clone() };
        CaseResult {
            label: label.to_owned(),
            utilization: vec![nearest, other],
            ..crate::tests::run().cases.remove(0)
        }
    }

    #[test]
    fn each_nearest_limit_has_a_line_with_the_highest_share() {
        let cases = [
            case("read 4KiB", "sata:sda", 0.12),
            case("read 1MiB", "sata:sda", 0.957),
            case("x", "dmi", 0.5),
        ];
        let found = text(&cases.iter().collect::<Vec<_>>(), |c| c.label.clone());
        let expected = " share of a limit: 12 to 96 % of sata:sda (560 MB/s, link), most by read 1MiB\n \
                        share of a limit: 50 % of dmi (560 MB/s, link): x\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn a_case_without_limits_says_nothing() {
        let case = crate::tests::run().cases.remove(0);
        assert_eq!(text(&[&case], |c| c.label.clone()), "");
    }
}
