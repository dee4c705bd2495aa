//! Lines over an ordered factor of three levels or more; a second factor makes
//! a line of each of its levels. Where another figure of the same cases belongs
//! to it, that stands in a panel below.

use chart::plot::{Axis, Line, LinePanels, Lines, Measured, Reference, Spread, Zone};
use language::Words;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Better, Value};

use super::{knee, matrix, pair, scaling};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, mountain, reference, some_of};

const KIND: &str = "lines";

/// Fewer points are bars.
pub(super) const LEVELS_LEAST: usize = 3;

/// Lines that are told apart at a glance.
pub(super) const LINES_MOST: usize = 6;

/// References of one line alone, and of the whole chart, at most.
const OWN_MOST: usize = 1;
const REFERENCES_MOST: usize = 4;

/// Plateaus so many times apart need a logarithmic axis, or the lowest is a line
/// on the ground.
const FAR_APART: f64 = 10.0;

/// Whether lines show this group.
pub(super) fn applies(group: &CaseGroup<'_>) -> bool {
    group.axis().is_some_and(|a| a.levels.len() >= LEVELS_LEAST)
        && group.factors.len() <= 2
        && !group.collides()
        && matrix::sides(group).is_none()
}

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let axis = group.axis().filter(|_| applies(group))?;
    let metric = match pair::by_size(input, group) {
        Some((rate, _)) => rate,
        None => quantity::common(words, &group.cases)?,
    };
    let (series, thinned) = chosen(group, &metric);
    let (mut plot, without) = lines(input, group, &metric, &series)?;
    let below = pair::below(input, group, &plot, &series);
    let is_ideal = plot.lines.iter().any(|l| l.name == words.say("figure-ideal"));
    let law = is_ideal.then(|| scaling::law(input, group, &metric, (series[0], ""))).flatten();
    let (curve, laws) = law.map_or((None, Vec::new()), scaling::AmdahlFit::into_parts);
    plot.lines.extend(curve.map(|points| Line { name: words.say("figure-amdahl"), points }));
    let (name, factor) = (("metric", metric.title.as_str()), ("factor", axis.title.as_str()));
    let title = match &below {
        Some(below) => words.tell_texts("figure-over-both", &[name, ("other", &below.title), factor]),
        None => words.tell_texts("figure-over", &[name, factor]),
    };
    let title = input.title(&title, group);
    let figure = match below {
        Some(below) => Figure::new(KIND, title, LinePanels { panels: vec![plot, below.lines] }),
        None => Figure::new(KIND, title, plot),
    };
    Some(
        figure
            .note(is_ideal.then(|| words.say("figure-ideal-note")))
            .note(laws)
            .note(thinned.then(|| {
                let all = group.series().map_or(0, |f| f.levels.len());
                some_of(words, "figure-lines-some", (series.len(), all))
            }))
            .note((without > 0).then(|| words.tell("figure-without", &[("cases", Value::from(without))]))),
    )
}

/// The levels of the second factor that get a line: all, or of many, spread
/// evenly with both ends where they have an order, else those with the highest
/// figures.
pub(super) fn chosen(group: &CaseGroup<'_>, metric: &Metric) -> (Vec<usize>, bool) {
    let Some(series) = group.series() else { return (vec![0], false) };
    let count = series.levels.len();
    if count <= LINES_MOST {
        return ((0..count).collect(), false);
    }
    if series.is_ordered() {
        return (evenly(count, LINES_MOST), true);
    }
    let highest = |level: usize| {
        let of_level = group.cases.iter().filter(|c| series.level_of(c) == Some(level));
        of_level.filter_map(|c| metric.at(c)).map(|m| m.value).fold(f64::MIN, f64::max)
    };
    let mut by_height: Vec<usize> = (0..count).collect();
    by_height.sort_by(|a, b| highest(*b).total_cmp(&highest(*a)));
    by_height.truncate(LINES_MOST);
    by_height.sort_unstable();
    (by_height, true)
}

/// `most` of `count` places, spread evenly, the first and the last among them.
pub(super) fn evenly(count: usize, most: usize) -> Vec<usize> {
    if count <= most || most < 2 {
        return (0..count.min(most)).collect();
    }
    (0..most).map(|i| (i * (count - 1) + (most - 1) / 2) / (most - 1)).collect()
}

/// The lines, and how many cases have no figure.
fn lines(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    metric: &Metric,
    levels: &[usize],
) -> Option<(Lines, u64)> {
    let words = input.view.words;
    let axis = group.axis()?;
    let mut all: Vec<Line> = levels
        .iter()
        .map(|level| Line {
            name: group.name_of(*level),
            points: points(axis, metric, &group.of_level(*level)),
        })
        .filter(|l| !l.points.is_empty())
        .collect();
    if all.iter().map(|l| l.points.len()).max()? < 2 {
        return None;
    }
    let marks = knee::marks(words, group, metric, levels);
    if let ([only], Some(cpus)) = (all.as_slice(), scaling::cpus(input))
        && let Some(mut ideal) = ideal(axis, metric, only, cpus)
    {
        ideal.name = words.say("figure-ideal");
        // Beside a line that has a name the other needs one.
        all.iter_mut().filter(|l| l.name.is_empty()).for_each(|l| l.name = words.say("figure-measured"));
        all.push(ideal);
    }
    let without = group.cases.iter().filter(|c| metric.at(c).is_none()).count() as u64;
    let references = references(words, group, metric, levels);
    let (x, mut y) = (quantity::factor_axis(axis), metric.axis());
    let zones = zones(input, group, metric, levels);
    if !zones.is_empty() && spread(&all) > FAR_APART {
        y.spread = Spread::Decades;
    }
    let better = Some(metric.better);
    Some((Lines { x, y, lines: all, references, marks, zones, better }, without))
}

/// Lines with nothing beside them.
pub(super) fn plain_lines(x: Axis, y: Axis, lines: Vec<Line>, better: Better) -> Lines {
    let (references, marks, zones) = (Vec::new(), Vec::new(), Vec::new());
    Lines { x, y, lines, references, marks, zones, better: Some(better) }
}

/// How many times the greatest value is the least.
fn spread(lines: &[Line]) -> f64 {
    let values = || lines.iter().flat_map(|l| &l.points).map(|(_, m)| m.value);
    values().fold(f64::MIN, f64::max) / values().fold(f64::MAX, f64::min)
}

/// The caches that a curve over the bytes that are touched shows: its plateaus,
/// of a single line, and where they end.
fn zones(input: &RuleInput<'_>, group: &CaseGroup<'_>, metric: &Metric, levels: &[usize]) -> Vec<Zone> {
    let lines: Vec<Vec<&CaseResult>> = levels.iter().map(|level| group.of_level(*level)).collect();
    let found = mountain::of(input.view.run.machines.first(), group, metric, &lines);
    let Some(found) = found.filter(|m| !m.edges.is_empty()) else { return Vec::new() };
    let edge = |e: &mountain::Edge| {
        let label = e.label(input.view.words);
        Zone { from: e.holds, to: e.exceeds, level: None, label }
    };
    let plateau = |(from, to, value): &(f64, f64, f64)| Zone {
        from: *from,
        to: *to,
        level: Some(*value),
        label: String::new(),
    };
    let plateaus = found.levels.iter().filter(|_| lines.len() == 1).map(plateau);
    plateaus.chain(found.edges.iter().map(edge)).collect()
}

/// What all lines are held against, and some of them alone.
pub(super) fn references(
    words: &Words,
    group: &CaseGroup<'_>,
    metric: &Metric,
    levels: &[usize],
) -> Vec<Reference> {
    let mut references = reference::of(words, &group.cases, metric);
    if let Some(series) = group.series() {
        for level in levels {
            let name = series.levels.get(*level).map_or("", |l| &l.text);
            let own = reference::of_some(words, (name, &group.of_level(*level)), metric, &references);
            references.extend(own.into_iter().take(OWN_MOST));
        }
        references.truncate(REFERENCES_MOST);
    }
    references
}

pub(super) fn points(axis: &Factor, metric: &Metric, cases: &[&CaseResult]) -> Vec<(f64, Measured)> {
    let mut points: Vec<(f64, Measured)> =
        cases.iter().filter_map(|c| Some((axis.number_of(c)?, metric.at(c)?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// A rate that grows with the workers as far as there are CPUs for them, from
/// the first point on.
fn ideal(axis: &Factor, metric: &Metric, line: &Line, cpus: f64) -> Option<Line> {
    if axis.says != Some(Aspect::Workers)
        || !metric.is_rate()
        || metric.better != Better::Higher
        || line.points.len() < 2
    {
        return None;
    }
    let (from, first) = line.points.first().filter(|(x, m)| *x > 0.0 && m.value > 0.0)?;
    let at = |x: f64| first.value / from * x.min(cpus.max(*from));
    let points = line.points.iter().map(|(x, _)| (*x, Measured { value: at(*x), interval: None }));
    Some(Line { name: String::new(), points: points.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::fixture::{case, disk, run, seen};
    use model::metric;
    use model::{Unit, WorkloadName};

    fn drawn(cases: Vec<CaseResult>) -> Lines {
        let run = run(cases);
        seen(&run, |view| {
            let input = RuleInput::new(view, &run.cases.iter().collect::<Vec<_>>());
            let group = &input.groups[0];
            let metric = quantity::common(view.words, &group.cases).unwrap();
            let (levels, _) = chosen(group, &metric);
            lines(&input, group, &metric, &levels).unwrap().0
        })
    }

    #[test]
    fn points_are_the_medians_with_their_intervals_in_order() {
        let of = |pattern, depth, iops| disk(pattern, 4096, depth, iops);
        let plot = drawn(vec![
            of("read", 16, 80e3),
            of("read", 1, 10e3),
            of("read", 4, 40e3),
            of("read", 64, 81e3),
            of("write", 1, 5e3),
        ]);
        let names: Vec<&str> = plot.lines.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["sequential read", "sequential write"]);
        let points: Vec<(f64, f64)> = plot.lines[0].points.iter().map(|(x, m)| (*x, m.value)).collect();
        assert_eq!(points, [(1.0, 10e3), (4.0, 40e3), (16.0, 80e3), (64.0, 81e3)]);
        assert_eq!(plot.lines[0].points[0].1.interval, Some((9_800.0, 10_200.0)));
        // Four times 16 gives 1.25 % more: the knee of that line.
        assert_eq!(plot.marks.len(), 1);
        assert_eq!(plot.marks[0].x, 16.0);
        assert!(plot.marks[0].label.starts_with("sequential read: "), "{}", plot.marks[0].label);
    }

    #[test]
    fn the_ideal_grows_with_the_threads_to_the_number_of_cpus() {
        let of = |threads: u64, rate| {
            case(
                WorkloadName::new("cpu.primes"),
                &[("threads", threads.into())],
                (metric::EVENTS_PER_SECOND, Unit::PerSecond, rate),
            )
        };
        let plot = drawn(vec![of(1, 100.0), of(2, 190.0), of(4, 300.0), of(8, 310.0)]);
        assert_eq!(plot.lines.len(), 2);
        let ideal: Vec<f64> = plot.lines[1].points.iter().map(|(_, m)| m.value).collect();
        assert_eq!(ideal, [100.0, 200.0, 400.0, 400.0]);
        assert!(plot.lines.iter().all(|l| !l.name.is_empty()), "{:?}", plot.lines);
        assert_eq!(plot.marks[0].x, 4.0);
    }

    #[test]
    fn places_are_spread_with_both_ends() {
        assert_eq!(evenly(3, 6), [0, 1, 2]);
        assert_eq!(evenly(11, 6), [0, 2, 4, 6, 8, 10]);
        for count in 7..100 {
            let places = evenly(count, 6);
            assert!(places.windows(2).all(|p| p[0] < p[1]), "{places:?}");
            assert_eq!((places[0], places[5]), (0, count - 1));
        }
    }
}
