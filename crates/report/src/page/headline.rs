//! The headline figures: a tile for the best case of each kind of load, with
//! its interval and what it is held against.

use model::limit::LimitKind;
use model::metric::{self, Statistic};
use model::run::{CaseResult, Utilization};
use model::{Finding, FindingKind, MetricName, Severity};

use super::View;
use super::highlights::{self, BestCase};
use super::{case_table, class, findings};
use crate::breakdown;
use crate::document::{Against, Block, Doubt, Rank, Section, Tile};
use crate::format;
use crate::inventory::limit;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section { names_rows: true, ..Section::new("figures", view.say("figures-title")) };
    let best = highlights::best(view);
    if best.is_empty() {
        return section;
    }
    let left_out = view.cases().filter(|c| !c.loads.main.estimates.is_empty()).count() > best.len();
    // Where all cases have room on a screen, their tables say more.
    let (figures, remark) = match case_table::are_few(view) {
        true => (Rank::Detail, Rank::Detail),
        false => (Rank::Figure, Rank::Remark),
    };
    section.put(figures, Block::Figures(best.iter().map(|b| tile(view, b)).collect()));
    if left_out {
        section.put(remark, Block::Paragraph(view.say("figures-best").into()));
    }
    section
}

fn tile(view: &View<'_>, best: &BestCase<'_>) -> Tile {
    let BestCase { case, metric, estimate, section } = best;
    let trials = view.count("trials", estimate.n);
    let rates = crate::load::rates(case);
    let interval = match view.interval(rates, estimate) {
        Some(range) => view.tell("figures-interval", &[("range", &range), ("trials", &trials)]),
        None => trials,
    };
    Tile {
        label: view.whole(case),
        group: view.called(case.loads.main.workload.as_str()),
        value: view.figure(rates, *metric, estimate),
        metric: view.metric(*metric),
        interval: Some(interval),
        beside: beside(view, case, *metric),
        against: against(view, case),
        doubt: doubt(view, case),
        link: Some(section.clone()),
    }
}

/// The other rate of a transfer, and its latency; the rate of each phase.
fn beside(view: &View<'_>, case: &CaseResult, metric: MetricName) -> Vec<String> {
    let shown = |name: MetricName| {
        let estimate = case.loads.main.estimates.get(&name).filter(|_| name != metric)?;
        let value = view.figure(crate::load::rates(case), name, estimate);
        Some(match name.statistic() {
            Some((_, Statistic::Percentile(percent))) => format!("p{percent} {value}"),
            _ if name == metric::IOPS => format!("{value} {}", view.metric(name)),
            _ => value,
        })
    };
    let mut all: Vec<String> = [metric::IOPS, metric::THROUGHPUT, metric::LATENCY_P50, metric::LATENCY_P99]
        .into_iter()
        .filter_map(shown)
        .collect();
    // Of phases each is an answer.
    let phases = breakdown::phases(view.words, &case.loads.main).into_iter();
    all.extend(phases.map(|(called, e)| format!("{called} {}", format::quantity(e.median, e.unit))));
    all
}

/// What a case is held against: the limit it is nearest to, promises, and what is usual for its part.
pub(super) fn against(view: &View<'_>, case: &CaseResult) -> Vec<Against> {
    let limits = highlights::nearest(case).map(|used| Against {
        label: share_of_limit(view, used, used.fraction, &format::percent(used.fraction)),
        share: Some(used.fraction),
        good: None,
    });
    let promises = case.findings.iter().filter(|f| f.kind == FindingKind::Deviation);
    let promises = promises.map(|f| promise(view, case, f));
    limits.into_iter().chain(promises).take(3).chain(class::against(view, case)).collect()
}

/// `75 % of memory: 41.01 GB/s, measured`; of a share that several cases have, `most` of it at most.
pub(super) fn share_of_limit(view: &View<'_>, used: &Utilization, most: f64, share: &str) -> String {
    let is_low = used.kind == LimitKind::Measured && most > analysis::MEASURED_TOO_LOW;
    let kind = view.say(if is_low { "limit-measured-low" } else { limit::kind(used.kind) });
    let of = (&used.resource, used.quantity);
    let kind = match used.usual.map(|range| limit::usual_range(view.words, range, used.unit, of)) {
        Some(range) => view.tell("limit-with-usual", &[("kind", &kind), ("range", &range)]),
        None => kind,
    };
    let texts = [
        ("share", share.to_owned()),
        ("resource", view.resource_of(&used.resource, used.machine.as_deref())),
        ("limit", limit::bound(used.limit, used.unit, of)),
        ("kind", kind),
    ];
    view.tell("figures-of-limit", &texts.each_ref().map(|(name, text)| (*name, text.as_str())))
}

fn promise(view: &View<'_>, case: &CaseResult, finding: &Finding) -> Against {
    let number = |name: &str| finding.args.get(name)?.number();
    let kept = finding.severity == Severity::Note;
    let used = case.utilization.iter().find(|u| {
        matches!(u.kind, LimitKind::Promise | LimitKind::Datasheet) && Some(u.limit) == number("promised")
    });
    let share = number("fraction");
    let label = match (used, share) {
        (Some(used), Some(share)) => {
            let key =
                if used.kind == LimitKind::Datasheet { "figures-of-datasheet" } else { "figures-of-promise" };
            let limit = limit::bound(used.limit, used.unit, (&used.resource, used.quantity));
            view.tell(key, &[("share", &format::percent(share)), ("limit", &limit)])
        }
        _ => view.words.finding(finding),
    };
    Against { label, share, good: Some(kept) }
}

/// Why a case's figures may not be trusted as they are.
fn doubt(view: &View<'_>, case: &CaseResult) -> Option<Doubt> {
    let grave =
        case.findings.iter().filter(|f| f.kind == FindingKind::Validity && f.severity >= Severity::Warning);
    let severity = grave.clone().map(|f| f.severity).max()?;
    let key = if severity == Severity::Error { "errors" } else { "warnings" };
    let count = grave.filter(|f| f.severity == severity).count();
    Some(Doubt { severity, text: view.count(key, count), link: findings::first_of(view, case) })
}
