//! What a layer of a stack costs against the layer below, as a sentence: how much of the rate, and what is full now. A
//! layer that costs less than what matters is told from one of which the trials do not tell, as comparisons do.

use analysis::comparison::MARGIN;
use language::format::fixed;
use model::comparison::{Ratio, Row, Verdict};
use model::run::CaseResult;
use model::{Finding, FindingKind};

use super::{View, findings};
use crate::layers;

/// A layer and the one that it stands on, with what they are called.
pub(super) struct LayerStep<'a> {
    pub(super) name: &'a str,
    pub(super) case: &'a CaseResult,
    pub(super) name_below: &'a str,
    pub(super) below: &'a CaseResult,
}

/// What is full, in a few words; that nobody can tell is said, too.
pub(super) fn full(view: &View<'_>, case: &CaseResult) -> Option<String> {
    verdict(case).map(|found| findings::verdict(view, found))
}

fn verdict(case: &CaseResult) -> Option<&Finding> {
    case.findings.iter().find(|found| found.kind == FindingKind::Bottleneck)
}

/// What is full, where that is known.
fn limit(case: &CaseResult) -> Option<&Finding> {
    verdict(case).filter(|found| found.code != "cannot-tell")
}

/// The sentence about a layer whose rate stands so against that of the one below; none where there is no ratio.
pub(super) fn sentence(view: &View<'_>, step: &LayerStep<'_>, row: &Row) -> Option<String> {
    let (ratio, verdict) = (row.ratio.as_ref()?, row.verdict?);
    let (layer, below) = (("layer", step.name), ("below", step.name_below));
    Some(match verdict {
        Verdict::Same => {
            let margin = fixed(MARGIN * 100.0, 0, "");
            view.tell("waterfall-costs-little", &[layer, below, ("margin", &margin)])
        }
        Verdict::CannotTell => {
            let change = layers::written(view, ratio);
            view.tell("waterfall-untold", &[layer, below, ("change", &change)])
        }
        Verdict::Better => {
            let more = share(view, ratio);
            view.tell("waterfall-gives-more", &[layer, below, ("cost", &more)])
        }
        Verdict::Worse => costs(view, step, ratio),
    })
}

fn costs(view: &View<'_>, step: &LayerStep<'_>, ratio: &Ratio) -> String {
    let (now, before) = (limit(step.case), limit(step.below));
    let words =
        |found: Option<&Finding>| found.map(|found| findings::verdict(view, found)).unwrap_or_default();
    let is_other = now.zip(before).is_some_and(|(now, before)| now.code != before.code);
    let (cost, reason, earlier) = (share(view, ratio), words(now), words(before));
    let texts = [
        ("layer", step.name),
        ("below", step.name_below),
        ("cost", cost.as_str()),
        ("why", if now.is_some() { "known" } else { "unknown" }),
        ("reason", reason.as_str()),
        ("changed", if is_other { "yes" } else { "no" }),
        ("before", earlier.as_str()),
    ];
    view.tell("waterfall-costs", &texts)
}

/// How far a rate is from the one below, with its interval, whichever way.
fn share(view: &View<'_>, ratio: &Ratio) -> String {
    let away = |ratio: f64| (1.0 - ratio).abs() * 100.0;
    let (low, high) = (away(ratio.low).min(away(ratio.high)), away(ratio.low).max(away(ratio.high)));
    // Where the interval is narrow, whole percents are too coarse.
    let decimals = match high - low {
        width if width < 1.0 => 2,
        width if width < 5.0 => 1,
        _ => 0,
    };
    let written = |percent: f64| fixed(percent, decimals, "");
    let range = view.tell("range", &[("low", &written(low)), ("high", &written(high))]);
    format!("{} % ({range})", written(away(ratio.point)))
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::run::Run;
    use model::{Better, Resource, ResourceKind, Severity, metric};

    use super::*;
    use crate::page::Subject;
    use crate::page::comparison::tests::{ratio, row};
    use crate::tests::run;

    fn case(run: &Run, limit: Option<&str>) -> CaseResult {
        let mut case = run.cases[0].clone();
        let found = |code: &str| {
            Finding::new(FindingKind::Bottleneck, code, Severity::Note)
                .on(Resource::of(ResourceKind::Block, "dm-0"))
        };
        case.findings = limit.map(found).into_iter().collect();
        case
    }

    fn said(limits: [Option<&str>; 2], verdict: Verdict, found: Ratio, language: Language) -> String {
        let run = run();
        let view = View::new(&Subject { run: &run, words: language.words() });
        let (below, case) = (case(&run, limits[0]), case(&run, limits[1]));
        let step = LayerStep { name: "luks", case: &case, name_below: "raid6", below: &below };
        let row = row("disk", metric::IOPS, Some(verdict), Some(found));
        assert_eq!(row.better, Better::Higher);
        sentence(&view, &step, &row).unwrap()
    }

    #[test]
    fn a_layer_that_costs_something_is_told_with_what_is_full_now() {
        let cost = || ratio(0.69, 0.66, 0.72);
        let limits = [Some("device-full"), Some("kernel-work-full")];
        let english = said(limits, Verdict::Worse, cost(), Language::English);
        assert!(english.starts_with("luks costs 31 % (28 to 34) of the rate of raid6, because"), "{english}");
        assert!(english.contains("CPUs are full") && english.contains("no longer the limit"), "{english}");
        let same = said([Some("device-full"); 2], Verdict::Worse, cost(), Language::English);
        assert!(!same.contains("no longer"), "{same}");
        let unknown = said([None, Some("cannot-tell")], Verdict::Worse, cost(), Language::English);
        assert_eq!(unknown, "luks costs 31 % (28 to 34) of the rate of raid6");
        for language in [Language::Japanese, Language::Korean] {
            let other = said(limits, Verdict::Worse, cost(), language);
            assert!(other.contains("31 %") && other.contains("28") && other.contains("34"), "{other}");
            assert!(!other.contains(['{', '}', '$']), "{other}");
        }
    }

    #[test]
    fn that_a_layer_costs_nothing_that_matters_is_more_than_that_nobody_can_tell() {
        let little = said([None; 2], Verdict::Same, ratio(0.995, 0.99, 1.001), Language::English);
        assert_eq!(little, "luks costs at most 2 % of the rate of raid6");
        let untold = said([None; 2], Verdict::CannotTell, ratio(0.99, 0.95, 1.03), Language::English);
        assert!(
            untold.contains("cannot tell whether luks costs anything: -1.0 % (-5.0 to 3.0) against raid6"),
            "{untold}"
        );
        let more = said([None; 2], Verdict::Better, ratio(1.07, 1.05, 1.09), Language::English);
        assert!(more.starts_with("luks gives 7.0 % (5.0 to 9.0) more than raid6"), "{more}");
    }
}
