//! Reads and writes through the page cache: how much of them the device saw.

use language::format;
use model::finding::{Evidence, Place};
use model::limit::Direction;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, Value};

use crate::{Context, Rule, measure};

/// The rule.
pub(crate) struct PageCache;

impl Rule for PageCache {
    fn code(&self) -> &'static str {
        "page-cache-included"
    }

    fn doc(&self) -> &'static str {
        "Reads and writes through the page cache: how much of them the device saw."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        if case.parameters.get("direct") != Some(&Value::Bool(false)) || measure::is_null(case) {
            return Vec::new();
        }
        let parameter = Evidence::at("buffered", Place::Parameter("direct".to_owned()), "direct=no");
        let new = |how: &str, text: String| {
            Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
                .arg("how", how)
                .because(parameter.clone())
                .advise("use direct=yes to measure the device")
        };
        let Some((share, place)) = on_device(case) else {
            return vec![new(
                "unknown",
                "direct=no: what the page cache answered or took over is part of this figure; it is not the disk's \
                 alone"
                    .to_owned(),
            )];
        };
        let (how, text) = match measure::direction(case) {
            Some(Direction::Write) => (
                "write",
                format!(
                    "direct=no: in the window the device took {} of the bytes written; the rest was in the page cache at \
                     its end",
                    format::percent(share)
                ),
            ),
            _ => (
                "read",
                format!(
                    "direct=no: the device delivered {} of the bytes read; the page cache answered the rest",
                    format::percent(share)
                ),
            ),
        };
        vec![new(how, text).arg("device_share", share).because(passed(share, place))]
    }
}

/// Evidence of the share of bytes that passed the device.
pub(super) fn passed(share: f64, counter: Place) -> Evidence {
    let text = format!("{} of the bytes passed the device", format::percent(share));
    Evidence::at("device", counter, text).arg("share", share)
}

/// The share of the program's bytes that the device saw in the window, and the
/// counter that says so.
pub(super) fn on_device(case: &CaseResult) -> Option<(f64, Place)> {
    let device = measure::device(case)?;
    let name = match measure::direction(case)? {
        Direction::Read => "read_sectors",
        Direction::Write => "written_sectors",
    };
    let counts = |trial: &model::Trial| {
        ["reads", "writes"].iter().any(|n| measure::change(trial, device, n).is_some_and(|c| c > 0.0))
    };
    // A device that keeps no counts, or one that nothing reached at all: the
    // first is said elsewhere, of the second the file's own pages tell.
    let resident = |trial: &model::Trial| trial.result.facts.contains_key("cached_share_after");
    if !measure::good(case).any(|t| counts(t) || resident(t)) {
        return None;
    }
    let share = measure::median(case, |trial| {
        let program = trial.result.metrics.get("throughput")?.value;
        (program > 0.0).then_some(measure::rate(trial, device, name)? / program)
    })?;
    // Read ahead, and the edges of a window, may make it a little more.
    Some((share.min(1.0), measure::place(case, device, name)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn only_buffered_cases_are_named() {
        let mut case = fixture::case(1);
        assert_eq!(fixture::count(&PageCache, &case, &Controls::default()), 0);
        case.parameters.set("direct", true);
        assert_eq!(fixture::count(&PageCache, &case, &Controls::default()), 0);
        case.parameters.set("direct", false);
        assert_eq!(fixture::count(&PageCache, &case, &Controls::default()), 1);
    }

    #[test]
    fn the_share_that_the_device_saw_is_counted() {
        let mut case = fixture::disk_case("read", 100e6, 5e6);
        case.parameters.set("direct", false);
        let found = fixture::found(&PageCache, &case, &fixture::context(&Controls::default()));
        assert!(found[0].text.contains("delivered 5 %"), "{}", found[0].text);
        let mut case = fixture::disk_case("write", 100e6, 40e6);
        case.parameters.set("direct", false);
        let found = fixture::found(&PageCache, &case, &fixture::context(&Controls::default()));
        assert!(found[0].text.contains("took 40 %"), "{}", found[0].text);
    }
}
