//! How near each case came to a limit: below the table of its workload, a line
//! for each limit that was the nearest of a case.

use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};

use super::machine::limit::{bound, kind};
use crate::format::percent;
use crate::text::paragraph;

/// The lines; `label` says how a case is called in the table above.
pub(super) fn text(cases: &[&CaseResult], label: impl Fn(&CaseResult) -> String) -> String {
    let mut limits: Vec<(&Utilization, Vec<(&CaseResult, f64)>)> = Vec::new();
    for case in cases {
        // Most first, as the document says.
        let Some(nearest) = case.utilization.iter().find(|u| tells(u)) else { continue };
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
    let only = cases.len() == 1;
    limits.iter().map(|(limit, shares)| line(limit, shares, only, &label)).collect()
}

/// A load on all CPUs keeps them busy whatever it waits for: that is no limit
/// that it is near to until hardly anything is left.
pub(crate) fn tells(used: &Utilization) -> bool {
    const CPUS_NEARLY_FULL: f64 = 0.9;
    let is_hardware = used.quantity == "cpu" && used.kind == LimitKind::Hardware;
    used.fraction.is_finite() && (!is_hardware || used.fraction >= CPUS_NEARLY_FULL)
}

/// ` of a limit: 12 to 96 % of sata:sda (560 MB/s, link), most by read 1MiB`;
/// the `only` case of a table needs no name.
fn line(
    limit: &Utilization,
    shares: &[(&CaseResult, f64)],
    only: bool,
    label: &impl Fn(&CaseResult) -> String,
) -> String {
    let least = shares.iter().map(|s| s.1).fold(f64::MAX, f64::min);
    let Some((case, most)) = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return String::new() };
    let (low, high) = (percent(least), percent(*most));
    let bound = bound(limit.limit, limit.unit, (&limit.resource, &limit.quantity));
    let of = match limit.kind {
        // That there are two CPUs is no promise, no quota and no measurement.
        LimitKind::Hardware => format!("of {} ({bound})", limit.resource),
        other => format!("of {} ({bound}, {})", limit.resource, kind(other)),
    };
    let text = match shares.len() {
        1 if only => format!("share of a limit: {high} {of}"),
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

    fn case(label: &str, resource: &str, fraction: f64) -> CaseResult {
        let nearest = Utilization {
            machine: None,
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
            label_parts: None,
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
    fn the_only_case_needs_no_name() {
        let one = case("target=/tmp/try queue-depth=8 rate=300k/s", "sata:sda", 0.5);
        assert_eq!(
            text(&[&one], |c| c.label.clone()),
            " share of a limit: 50 % of sata:sda (560 MB/s, link)\n"
        );
    }

    #[test]
    fn busy_cpus_are_a_limit_when_hardly_anything_of_them_is_left() {
        let mut busy = case("read l3", "memory", 0.5);
        let cpus = |fraction| Utilization {
            machine: None,
            resource: "cpu:0-1".to_owned(),
            quantity: "cpu".to_owned(),
            kind: LimitKind::Hardware,
            limit: 2.0,
            unit: Unit::One,
            fraction,
            ..busy.utilization[0].clone()
        };
        let (most, nearly) = (cpus(0.97), cpus(0.75));
        busy.utilization.insert(0, nearly);
        assert!(text(&[&busy], |c| c.label.clone()).contains("50 % of memory"));
        busy.utilization[0] = most;
        assert!(text(&[&busy], |c| c.label.clone()).contains("97 % of cpu:0-1"));
    }

    #[test]
    fn a_case_without_limits_says_nothing() {
        let case = crate::tests::run().cases.remove(0);
        assert_eq!(text(&[&case], |c| c.label.clone()), "");
    }
}
