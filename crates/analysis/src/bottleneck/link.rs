//! A link between the device and the CPU that is full.

use language::format::Rates;
use model::finding::Evidence;
use model::limit::{LimitKind, UsualRange};
use model::run::{CaseResult, Utilization};
use model::{Finding, Resource, ResourceKind, Severity, metric};

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
    { $bound ->
        [storage] the network link to { RESOURCE($server) } is full:
            { SHORT($moved, unit: "B/s") } of { SHORT($bytes, unit: "B/s") } ({ PERCENT($fraction) } of the { SHORT($limit, $unit) } that payload can get of
            { RESOURCE($resource) }: { $source })
        [line] { RESOURCE($resource) } is full: { PERCENT($fraction) } of its line rate of { SHORT($limit, $unit) } ({ $source })
        [range] { RESOURCE($resource) } is full: { PERCENT($fraction) } of the { SHORT($limit, $unit) } that payload can get at
            most, where { SHORT($least, $unit) } to { SHORT($most, $unit) } are usual ({ $source })
       *[payload] { RESOURCE($resource) } is full: { PERCENT($fraction) } of the { SHORT($limit, $unit) } that payload can get
            ({ $source })
    }
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
        return Verdict::Full(Box::new(full(case, fullest)));
    }
    if let Some(range) = fullest.usual.filter(|range| fullest.demand >= FULL * range.least) {
        return Verdict::Unknown(with_range(of_limit(fullest, "link-range"), fullest, range));
    }
    if fullest.usual.is_none() && fullest.line_only && fullest.fraction > LINE {
        return Verdict::Unknown(of_limit(fullest, "link-line-rate"));
    }
    Verdict::Free(of_limit(fullest, "link"))
}

fn full(case: &CaseResult, used: &Utilization) -> Finding {
    let (limit, unit) = measure::written(used.limit, used.unit, &used.resource);
    let server = server_behind(case, used);
    let bound = match used.usual {
        _ if server.is_some() => "storage",
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
    if let Some(server) = server {
        // Storage is read in bytes, though its link is in bits.
        found = found.arg("server", server.as_str()).arg("moved", used.demand).arg("bytes", used.limit);
    }
    found.because(of_limit(used, "link")).because(shown("demand", metric::THROUGHPUT))
}

/// The server of the storage that the case drives, where this is the interface towards it.
fn server_behind<'a>(case: &'a CaseResult, used: &Utilization) -> Option<&'a Resource> {
    let server = measure::storage_server(case).filter(|_| used.resource.is_named(ResourceKind::Nic))?;
    case.path.get(server).map(|step| &step.resource)
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
    use model::resource::PathStep;

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

    /// What a client of exported storage has of a link of 16 Mbit/s.
    fn exported(fraction: f64) -> CaseResult {
        let mut case = disk(32, 30.0, 300.0, 2.0);
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 1.0 };
        case.path = ["block:sda", "nic:hr0a", "server:198.18.0.2", "block:md127"].map(step).to_vec();
        let link = used("nic:hr0a", LimitKind::Link, fraction);
        case.utilization = vec![Utilization { demand: fraction * 2e6, limit: 2e6, ..link }];
        case
    }

    #[test]
    fn the_link_to_a_server_of_storage_is_told_in_bytes() {
        let found = verdict(&[exported(0.95)]);
        assert_eq!((found.code.as_str(), found.args["bound"].to_string().as_str()), ("link-full", "storage"));
        assert_eq!(found.resource, Some(Resource::from("nic:hr0a")));
        assert!(
            found.text.contains("198.18.0.2 is full: 1.9 MB/s of 2 MB/s (95 % of the 16 Mbit/s"),
            "{}",
            found.text
        );
        assert_ne!(verdict(&[exported(0.6)]).code, "link-full");
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
