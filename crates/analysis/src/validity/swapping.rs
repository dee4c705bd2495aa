//! Memory was swapped while the window was open.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// Bytes per second that are felt: a stray page fetched back is not.
pub(crate) const FELT: f64 = 1e6;

/// What counts pages that went to a swap device or came from one, or from compressed memory in its place.
/// Nothing else is swapping: not the idle task, which is called `swapper`, and no I/O of other kinds.
pub(crate) const COUNTED: [&str; 4] = ["pswpin", "pswpout", "zswpin", "zswpout"];

/// Bytes per second by one of them.
pub(crate) fn rate(case: &CaseResult, name: &str) -> f64 {
    measure::median(case, |trial| measure::rate(trial, &Resource::MEMORY, name)).unwrap_or(0.0)
}

/// Bytes per second by all of them, in and out.
pub(crate) fn rate_of_all(case: &CaseResult) -> f64 {
    COUNTED.iter().map(|name| rate(case, name)).sum()
}

pub(crate) const RULE: Rule = Rule {
    code: "swapping",
    doc: "Memory was swapped while the window was open: pages went to or came from a swap device (pswpin, pswpout in \
         /proc/vmstat), or compressed memory in its place (zswpin, zswpout).",
    english: r#"
finding-swapping =
    the machine swapped in the window ({ SHORT($in, unit: "B/s") } in, { SHORT($out, unit: "B/s") } out): the figure
    may hold { $zswap ->
        [yes] what compressing memory costs (zswap)
       *[no] the swap device's speed
    }
    .advice = use smaller sizes, free memory, or switch swap off for the measurement

evidence-swap = { SHORT($rate, unit: "B/s") } swapped
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let all = COUNTED.map(|name| (name, rate(case, name)));
    let [(_, from_device), (_, to_device), (_, from_memory), (_, to_memory)] = all;
    let (into, out) = (from_device + from_memory, to_device + to_memory);
    let (worst, most) = all.into_iter().fold(("", 0.0), |most, one| if one.1 > most.1 { one } else { most });
    let place = measure::place(case, &Resource::MEMORY, worst).filter(|_| into.max(out) >= FELT)?;
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::MEMORY)
            .arg("in", into)
            .arg("out", out)
            .arg("zswap", from_memory + to_memory > from_device + to_device)
            .because(Evidence::at("swap", place).arg("rate", most)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_page_or_two_is_no_swapping() {
        let count = |pages: u64| {
            let mut case = fixture::case(1);
            case.trials[0].result.local_mut().counters =
                vec![fixture::counter("memory", "/proc/vmstat pswpout", 4096.0, pages)];
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!((count(0), count(2), count(10_000)), (0, 0, 1));
    }

    #[test]
    fn what_only_looks_like_it_is_no_swapping() {
        let mut case = fixture::case(1);
        let counter = |resource: &str, source: &str| fixture::counter(resource, source, 4096.0, 100_000);
        case.trials[0].result.local_mut().counters = vec![
            counter("memory", "/proc/vmstat pgpgout"),
            counter("memory", "/proc/vmstat pgmajfault"),
            counter("memory", "/proc/vmstat nr_dirtied"),
            counter("cpu", "/proc/stat iowait"),
            counter("block:sda", "/proc/diskstats written_sectors"),
        ];
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
    }

    #[test]
    fn compressed_memory_is_no_device() {
        let text = |name: &str| {
            let mut case = fixture::case(1);
            case.trials[0].result.local_mut().counters =
                vec![fixture::counter("memory", &format!("/proc/vmstat {name}"), 4096.0, 10_000)];
            fixture::found(&RULE, &case, &fixture::context(&Controls::default()))[0].text.clone()
        };
        assert!(text("pswpin").contains("the swap device's speed"), "{}", text("pswpin"));
        assert!(text("zswpout").contains("(zswap)"), "{}", text("zswpout"));
    }
}
