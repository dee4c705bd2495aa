//! A link between the device and the CPU that is full.

use language::format::Rates;
use model::finding::Evidence;
use model::limit::{LimitKind, UsualRange};
use model::run::{CaseResult, Utilization};
use model::{Finding, Resource, Severity, metric};

use super::{BEYOND, FULL, Verdict, finding, of_limit, share_of_full, shown};
use crate::{Context, measure};

/// Payload gets 76 to 94 % of a line rate, by packet size; above this share of
/// one nobody can say that there is room.
const LINE: f64 = 0.75;

/// More of a bound than this did not pass: no transfer exceeds one, but a clock may run
/// fast, and what was under way at both edges of a window is counted in one.
const BOUND: f64 = 1.05;

pub(super) const ENGLISH: &str = r#"
finding-link-full =
    { RESOURCE($resource) } is full: { PERCENT($fraction) } of { $bound ->
        [line] its line rate of { SHORT($limit, $unit) }
        [range] the { SHORT($limit, $unit) } that payload can get at most, where { SHORT($least, $unit) } to
            { SHORT($most, $unit) } are usual
       *[payload] the { SHORT($limit, $unit) } that payload can get
    } ({ $source })
    .advice =
        { $network ->
            [yes] only a faster link can raise it, or larger packets, whose heads take less of it
           *[no] only a faster or wider link can raise it; a faster device behind it cannot
        }

evidence-link = { PERCENT($fraction) } of { RESOURCE($resource) }
evidence-link-beyond =
    { SHORT($demand, $unit) } would pass { RESOURCE($resource) }, { PERCENT($fraction) } of what it can, so something
    else answered or the path is another
evidence-link-line-rate =
    { RESOURCE($resource) } is at { PERCENT($fraction) } of its line rate, and what payload can get of it is not known
evidence-link-range =
    { RESOURCE($resource) } is at { PERCENT($fraction) } of what payload can get at most; a full one usually gives
    { SHORT($least, $unit) } to { SHORT($most, $unit) }, so whether it is full cannot be told
evidence-demand = the rate measured
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    // What memory modules carry is a link too, and judged with the memory.
    let links =
        case.utilization.iter().filter(|u| u.kind == LimitKind::Link && u.resource != Resource::MEMORY);
    // Of two that are as full the nearer one, which stands first.
    let Some(fullest) = links.rev().max_by(|a, b| share_of_full(a).total_cmp(&share_of_full(b))) else {
        return Verdict::Elsewhere;
    };
    // Where nothing is known to be usual, the limit was reckoned with packets that may be larger
    // than those there were.
    let beyond = if fullest.usual.is_some() { BOUND } else { BEYOND };
    if fullest.fraction > beyond {
        let (demand, unit) = measure::written(fullest.demand, fullest.unit, &fullest.resource);
        let missing = of_limit(fullest, "link-beyond").arg("demand", demand);
        return Verdict::Unknown(missing.arg("unit", unit));
    }
    if share_of_full(fullest) >= FULL {
        return Verdict::Full(Box::new(full(fullest)));
    }
    if let Some(range) = fullest.usual.filter(|range| fullest.demand >= FULL * range.least) {
        return Verdict::Unknown(with_range(of_limit(fullest, "link-range"), fullest, range));
    }
    if fullest.usual.is_none() && fullest.line_only && fullest.fraction > LINE {
        return Verdict::Unknown(of_limit(fullest, "link-line-rate"));
    }
    Verdict::Free(of_limit(fullest, "link"))
}

fn full(used: &Utilization) -> Finding {
    let (limit, unit) = measure::written(used.limit, used.unit, &used.resource);
    let bound = match used.usual {
        Some(_) => "range",
        None if used.line_only => "line",
        None => "payload",
    };
    let is_network = Rates::of_resource(&used.resource) == Rates::Bits;
    let mut found = finding("link-full", Severity::Note)
        .on(used.resource.clone())
        .arg("fraction", used.fraction)
        .arg("limit", limit)
        .arg("unit", unit)
        .arg("bound", bound)
        .arg("source", used.source.as_str())
        .arg("network", is_network);
    if let Some(range) = used.usual {
        let [(least, _), (most, _)] = ends(used, range);
        found = found.arg("least", least).arg("most", most);
    }
    found.because(of_limit(used, "link")).because(shown("demand", metric::THROUGHPUT))
}

/// Both ends of what is usual, in the unit that people read the resource in.
fn ends(used: &Utilization, range: UsualRange) -> [(f64, &'static str); 2] {
    [range.least, range.most].map(|value| measure::written(value, used.unit, &used.resource))
}

fn with_range(evidence: Evidence, used: &Utilization, range: UsualRange) -> Evidence {
    let [(least, unit), (most, _)] = ends(used, range);
    evidence.arg("least", least).arg("most", most).arg("unit", unit)
}

#[cfg(test)]
mod tests {
    use model::limit::Direction;

    use super::*;
    use crate::bottleneck::tests::{disk, used, verdict};

    /// Study E's link: 5 GT/s x 2 lanes at a payload of 128 bytes, with a demand in B/s.
    fn study_e(demand: f64, direction: Direction) -> CaseResult {
        let (line, skips) = (1e9, 1534.0 / 1538.0);
        let least = match direction {
            Direction::Read => 128.0 / 152.0,
            Direction::Write => 64.0 / 86.0,
        };
        let limit = line * 128.0 / 148.0;
        let usual = UsualRange {
            direction: Some(direction),
            least: line * skips * least,
            most: line * skips * 128.0 / 148.0,
        };
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        let link = used("pci:0000:02:00.0", LimitKind::Link, demand / limit);
        case.utilization = vec![Utilization { demand, limit, usual: Some(usual), ..link }];
        case
    }

    /// Issue 25: a limit that was exceeded is none. Eight disks moved 865 MB/s.
    #[test]
    fn eight_disks_fill_study_es_link_and_do_not_pass_its_bound() {
        for direction in [Direction::Read, Direction::Write] {
            let found = verdict(&[study_e(865e6, direction)]);
            assert_eq!(found.code, "link-full", "{found:?}");
            let text = found.text;
            assert!(text.contains("100 % of the 864.9 MB/s that payload can get at most"), "{text}");
            assert!(text.contains("862.6 MB/s are usual"), "{text}");
        }
    }

    #[test]
    fn within_the_range_nobody_can_tell_and_below_it_there_is_room() {
        let code = |demand, direction| {
            let found = verdict(&[study_e(demand, direction)]);
            assert_eq!(found.code, "cannot-tell", "{found:?}");
            let is = |code: &str| found.evidence.iter().chain(&found.ruled_out).any(|e| e.code == code);
            ["link-range", "link-beyond", "link"].into_iter().find(|&code| is(code)).unwrap()
        };
        assert_eq!(code(800e6, Direction::Read), "link-range");
        assert_eq!(code(572e6, Direction::Read), "link");
        // Completions may be of 64 bytes.
        assert_eq!(code(720e6, Direction::Write), "link-range");
        assert_eq!(code(720e6, Direction::Read), "link");
        assert_eq!(code(572e6, Direction::Write), "link");
        // Only what is beyond the bound is impossible.
        assert_eq!(code(920e6, Direction::Read), "link-beyond");
    }
}
