//! Which charts a workload's cases get: decided by their factors and metrics,
//! never by the workload's name. The rules stand in [`rule::RULES`].

mod block_phases;
mod factors;
pub(crate) mod mountain;
mod overview;
mod proofs;
mod quantity;
mod reference;
mod rule;
mod samples;

pub(crate) use quantity::measured;
pub(crate) use rule::rounds::verdict as rounds_verdict;
pub use samples::latency_map;
pub(crate) use samples::{OverlaidRun, overlaid, sampled_trials};

#[cfg(test)]
pub(crate) mod tests;

use chart::plot::Plot;
use language::Words;
use model::run::CaseResult;
use model::{MetricName, Value};

use self::factors::CaseGroup;
use crate::document::Block;
use crate::view::View;

/// Charts of one workload, at most: a page is read, not searched.
const MOST: usize = 16;

/// Charts of all workloads together, at most, so that a long study stays a page
/// that a browser draws at once.
const MOST_OF_RUN: usize = 60;

/// Sizes of operations that are at most so many times apart belong to one curve.
const NEAR: f64 = 8.0;

/// The charts of one workload's cases, each a [`Block::Chart`].
pub(crate) fn of_workload(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    figures(view, cases, most(view)).into_iter().map(Figure::into_block).collect()
}

/// How many charts one workload of this run may have.
fn most(view: &View<'_>) -> usize {
    let mut workloads: Vec<&str> = view.cases().map(|c| c.loads.main.workload.as_str()).collect();
    workloads.sort_unstable();
    workloads.dedup();
    (MOST_OF_RUN / workloads.len().max(1)).clamp(2, MOST)
}

/// Charts of one workload's cases of several runs, each chart with the sides
/// over each other. The side of a case is its parameter [`SIDE`](model::ParameterName::SIDE).
pub(crate) fn of_sides(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    let most = most(view);
    figures_of(view, cases, most, |rule| rule.overlays).into_iter().map(Figure::into_block).collect()
}

/// The charts of the whole run, over what several workloads measured.
pub(crate) fn of_run(view: &View<'_>) -> Vec<Block> {
    overview::figures(view).into_iter().map(Figure::into_block).collect()
}

/// What was taken or given to prove the verdicts on these cases, and what that did.
pub(crate) fn of_proofs(view: &View<'_>, cases: &[&CaseResult]) -> Option<Block> {
    proofs::figure(view, cases).map(Figure::into_block)
}

/// Where the requests of the first cases that were traced spent their time.
pub(crate) fn of_traces(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    let is_one = cases.len() == 1;
    let all = cases.iter().filter_map(|case| block_phases::figure(view, case, is_one));
    all.take(block_phases::MOST).map(Figure::into_block).collect()
}

/// Samples of the trials that tell most, in panels on one clock.
pub(crate) fn of_samples(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    samples::figures(view, cases).into_iter().map(Figure::into_block).collect()
}

/// Samples of a trial that a reader chose, by its place among those of its case.
pub(crate) fn of_trial(view: &View<'_>, case: &CaseResult, trial: usize) -> Vec<Block> {
    samples::of_trial(view, case, trial).into_iter().map(Figure::into_block).collect()
}

/// A chart with its words.
struct Figure {
    /// What it shows, in a line.
    title: String,
    /// What to know when reading it, in sentences.
    notes: Vec<String>,
    /// The rule that made it, by which tests name it.
    #[cfg_attr(not(test), allow(dead_code))]
    kind: &'static str,
    plot: Box<dyn Plot>,
}

impl Figure {
    fn new(kind: &'static str, title: String, plot: impl Plot + 'static) -> Self {
        Self { title, notes: Vec::new(), kind, plot: Box::new(plot) }
    }

    /// With these sentences, if there are any.
    fn note(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    fn into_block(self) -> Block {
        let note = (!self.notes.is_empty()).then(|| self.notes.join(" "));
        Block::Chart { title: self.title, note, plot: self.plot }
    }
}

/// That only some are shown of all: how many, and of how many.
fn some_of(words: &Words, key: &str, (shown, all): (usize, usize)) -> String {
    words.tell(key, &[("shown", Value::from(shown as u64)), ("all", Value::from(all as u64))])
}

/// What the rules look at.
struct RuleInput<'a> {
    view: &'a View<'a>,
    /// All cases of the workload.
    cases: Vec<&'a CaseResult>,
    /// Those that have a figure, in groups that one chart can show; those that
    /// tell most first.
    groups: Vec<CaseGroup<'a>>,
}

impl<'a> RuleInput<'a> {
    fn new(view: &'a View<'a>, cases: &[&'a CaseResult]) -> Self {
        let groups = factors::groups(view, cases);
        let groups = groups.into_iter().flat_map(|g| one_figure_each(view, g)).collect();
        let groups = by_results(view, groups);
        Self { view, cases: cases.to_vec(), groups }
    }

    /// A title with the place of a group behind it.
    fn title(&self, text: &str, group: &CaseGroup<'_>) -> String {
        let text = match group.place.is_empty() {
            true => text.to_owned(),
            false => self.view.tell("figure-where", &[("title", text), ("where", &group.place_text())]),
        };
        capitalized(&text)
    }
}

/// Groups, the most informative first: those with the most results; of equals, the
/// one with the highest value of each figure before the next of any.
fn by_results<'a>(view: &View<'_>, groups: Vec<CaseGroup<'a>>) -> Vec<CaseGroup<'a>> {
    let mut figures: Vec<Option<MetricName>> = Vec::new();
    let mut keyed: Vec<(usize, usize, f64, CaseGroup<'a>)> = Vec::new();
    for group in groups {
        let metric = quantity::common(view.words, &group.cases);
        let values = group.cases.iter().filter_map(|c| metric.as_ref()?.at(c)).map(|m| m.value);
        let (count, best) = values.fold((0, f64::MIN), |(n, best), v| (n + 1, best.max(v)));
        let name = metric.map(|m| m.name);
        let figure = figures.iter().position(|f| *f == name).unwrap_or_else(|| {
            figures.push(name);
            figures.len() - 1
        });
        keyed.push((count, figure, best, group));
    }
    keyed.sort_by(|a, b| b.0.cmp(&a.0).then(b.2.total_cmp(&a.2)));
    let mut seen = vec![0usize; figures.len()];
    let mut ranked: Vec<(usize, usize, usize, CaseGroup<'a>)> = Vec::new();
    for (count, figure, _, group) in keyed {
        ranked.push((count, seen[figure], figure, group));
        seen[figure] += 1;
    }
    ranked.sort_by_key(|(count, rank, figure, _)| (std::cmp::Reverse(*count), *rank, *figure));
    ranked.into_iter().map(|(_, _, _, group)| group).collect()
}

/// A group whose cases ask for different figures, for operations are small in
/// some and large in others: a group for each figure, where the second factor
/// decides it.
fn one_figure_each<'a>(view: &View<'_>, group: CaseGroup<'a>) -> Vec<CaseGroup<'a>> {
    let Some(by) = group.series().filter(|_| group.factors.len() == 2) else { return vec![group] };
    let mut classes: Vec<(MetricName, Vec<usize>)> = Vec::new();
    for level in 0..by.levels.len() {
        let own = group.cases.iter().filter(|c| by.level_of(c) == Some(level));
        let mut figures = own.filter_map(|c| quantity::figure(c));
        let Some(first) = figures.next() else { continue };
        if figures.any(|f| f != first) {
            return vec![group];
        }
        match classes.iter_mut().find(|(figure, _)| *figure == first) {
            Some((_, levels)) => levels.push(level),
            None => classes.push((first, vec![level])),
        }
    }
    if classes.len() < 2 || is_one_family(by, &classes) {
        return vec![group];
    }
    let of_class = |(_, levels): &(MetricName, Vec<usize>)| {
        let is_in = |c: &&CaseResult| by.level_of(c).is_some_and(|l| levels.contains(&l));
        let cases: Vec<&'a CaseResult> = group.cases.iter().copied().filter(is_in).collect();
        let texts: Vec<&str> = levels.iter().map(|l| by.levels[*l].text.as_str()).collect();
        let text = match texts.as_slice() {
            [first, .., last] if by.is_ordered() => format!("{first}\u{2013}{last}"),
            all => all.join(", "),
        };
        let mut place = group.place.clone();
        place.push((by.title.clone(), text));
        // The axis stays first.
        let mut factors = factors::of(view, &cases);
        factors.sort_by_key(|f| Some(&f.name) != group.factors.first().map(|f| &f.name));
        CaseGroup { place, cases, factors }
    };
    classes.iter().map(of_class).collect()
}

/// Whether one size stands alone beside others that it is near to, such as 64 KiB
/// in a sweep of smaller ones: a chart of its own would tear a curve apart.
fn is_one_family(by: &factors::Factor, classes: &[(MetricName, Vec<usize>)]) -> bool {
    let [(_, one), (_, other)] = classes else { return false };
    let sizes = |levels: &[usize]| -> Option<(f64, f64)> {
        let all: Option<Vec<f64>> = levels.iter().map(|l| by.levels[*l].number).collect();
        let all = all.filter(|_| by.kind == Some(model::Kind::Size))?;
        Some((all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(0.0, f64::max)))
    };
    let (Some((low, high)), Some((from, to))) = (sizes(one), sizes(other)) else { return false };
    let apart = (from / high).max(low / to);
    one.len().min(other.len()) == 1 && apart <= NEAR
}

/// A title as a sentence begins, but for names such as `p99`.
fn capitalized(text: &str) -> String {
    if text.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The charts, the most informative first: of each rule first what it wants, then more
/// of each while there is room. What is left out is named below the last.
fn figures(view: &View<'_>, cases: &[&CaseResult], most: usize) -> Vec<Figure> {
    figures_of(view, cases, most, |_| true)
}

/// As [`figures`], by some of the rules.
fn figures_of(
    view: &View<'_>,
    cases: &[&CaseResult],
    most: usize,
    by: fn(&rule::Rule) -> bool,
) -> Vec<Figure> {
    if cases.is_empty() {
        return Vec::new();
    }
    let input = RuleInput::new(view, cases);
    let mut made: Vec<(&rule::Rule, std::vec::IntoIter<Figure>)> =
        rule::RULES.iter().filter(|r| by(r)).map(|r| (r, (r.charts)(&input).into_iter())).collect();
    let mut kept: Vec<Vec<Figure>> = made.iter().map(|_| Vec::new()).collect();
    let mut room = most;
    for wave in [true, false] {
        for (kept, (rule, rest)) in kept.iter_mut().zip(&mut made) {
            let want = if wave { rule.first } else { most };
            // What is only more of the same has less room.
            let least = if wave { 0 } else { most.saturating_sub(rule.filled) };
            while room > least && kept.len() < want {
                let Some(figure) = rest.next() else { break };
                kept.push(figure);
                room -= 1;
            }
        }
    }
    let left: Vec<Figure> = made.into_iter().flat_map(|(_, rest)| rest).collect();
    let mut all: Vec<Figure> = kept.into_iter().flatten().collect();
    if let Some(last) = all.last_mut() {
        last.notes.extend(left_out(view, &left));
    }
    all
}

/// Titles that are named of those left out; the rest is counted.
const NAMED: usize = 3;

fn left_out(view: &View<'_>, left: &[Figure]) -> Option<String> {
    let names: Vec<String> = left.iter().take(NAMED).map(|f| f.title.clone()).collect();
    let more = left.len().saturating_sub(NAMED);
    let names = Value::Text(names.join("; "));
    match (left.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(view.words.tell("figure-left-out", &[("charts", names)])),
        _ => {
            let more = Value::from(more as u64);
            Some(view.words.tell("figure-left-out-more", &[("charts", names), ("more", more)]))
        }
    }
}
