//! Lines over an ordered factor of three levels or more; a second factor makes
//! a line of each of its levels.

use chart::plot::{Line, Lines, Mark, Measured};
use language::Words;
use model::parameter::Kind;
use model::run::CaseResult;
use model::{Better, Value};

use crate::figure::factors::{Factor, Group};
use crate::figure::metric::{self, Metric};
use crate::figure::{Figure, Scene, reference};

pub(super) const KIND: &str = "lines";

/// Fewer points are bars.
pub(super) const LEVELS_LEAST: usize = 3;

/// Lines that are told apart at a glance.
pub(super) const LINES_MOST: usize = 6;

/// References of one line alone, and of the whole chart, at most.
const OWN_MOST: usize = 1;
const REFERENCES_MOST: usize = 4;

/// Growth of less than this with each doubling is the flat part behind a knee.
/// The analysis calls a device full below 5 % and needs latency as a witness;
/// what is merely drawn may be named a little earlier.
const DOUBLING_GAIN: f64 = 0.10;

/// The factor whose ideal is to multiply the rate: more workers.
const WORKERS: &str = "threads";

/// Whether lines show this group.
pub(super) fn applies(group: &Group<'_>) -> bool {
    group.axis().is_some_and(|a| a.levels.len() >= LEVELS_LEAST)
        && group.factors.len() <= 2
        && !group.collides()
}

pub(super) fn charts(scene: &Scene<'_>) -> Vec<Figure> {
    scene.groups.iter().filter(|g| applies(g)).filter_map(|g| chart(scene, g)).collect()
}

fn chart(scene: &Scene<'_>, group: &Group<'_>) -> Option<Figure> {
    let words = scene.view.words;
    let metric = metric::common(words, &group.cases, scene.spec)?;
    let axis = group.axis()?;
    let (series, thinned) = chosen(group, &metric);
    let (plot, without) = lines(scene, group, &metric, &series)?;
    let title = words.tell(
        "figure-over",
        &[("metric", Value::Text(metric.title.clone())), ("factor", Value::Text(axis.title.clone()))],
    );
    let is_ideal = plot.lines.iter().any(|l| l.name == words.say("figure-ideal"));
    Some(
        Figure::new(KIND, scene.title(&title, group), plot)
            .note(thinned.then(|| {
                let of = group.series().map_or(0, |f| f.levels.len()) as u64;
                words.tell(
                    "figure-lines-some",
                    &[("shown", Value::from(series.len() as u64)), ("all", of.into())],
                )
            }))
            .note(is_ideal.then(|| words.say("figure-ideal-note")))
            .note((without > 0).then(|| words.tell("figure-without", &[("cases", Value::from(without))]))),
    )
}

/// The levels of the second factor that get a line: all, or of many, spread
/// evenly with both ends where they have an order, else those with the highest
/// figures.
pub(super) fn chosen(group: &Group<'_>, metric: &Metric) -> (Vec<usize>, bool) {
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
fn lines(scene: &Scene<'_>, group: &Group<'_>, metric: &Metric, levels: &[usize]) -> Option<(Lines, u64)> {
    let words = scene.view.words;
    let axis = group.axis()?;
    let series = group.series();
    let of_level = |level: usize| -> Vec<&CaseResult> {
        let fits = |c: &&&CaseResult| series.is_none_or(|f| f.level_of(c) == Some(level));
        group.cases.iter().filter(fits).copied().collect()
    };
    let mut all: Vec<Line> = levels
        .iter()
        .map(|level| Line {
            name: series.and_then(|f| Some(f.named(f.levels.get(*level)?))).unwrap_or_default(),
            points: points(axis, metric, &of_level(*level)),
        })
        .filter(|l| !l.points.is_empty())
        .collect();
    if all.iter().map(|l| l.points.len()).max()? < 2 {
        return None;
    }
    let marks = marks(words, axis, metric, &all);
    let cpus = scene.view.run.machines.first().map(|m| m.inventory.cpu.allowed.len()).filter(|n| *n > 0);
    if let ([only], Some(cpus)) = (all.as_slice(), cpus)
        && let Some(mut ideal) = ideal(axis, metric, only, cpus)
    {
        ideal.name = words.say("figure-ideal");
        // Beside a line that has a name the other needs one.
        all.iter_mut().filter(|l| l.name.is_empty()).for_each(|l| l.name = words.say("figure-measured"));
        all.push(ideal);
    }
    let without = group.cases.iter().filter(|c| metric.at(c).is_none()).count() as u64;
    let mut references = reference::of(words, &group.cases, metric);
    if let Some(series) = series {
        for level in levels {
            let name = series.levels.get(*level).map_or("", |l| &l.text);
            let own = reference::of_some(words, (name, &of_level(*level)), metric, &references);
            references.extend(own.into_iter().take(OWN_MOST));
        }
        references.truncate(REFERENCES_MOST);
    }
    let (x, y) = (metric::factor_axis(axis), metric.axis());
    Some((
        Lines { x, y, lines: all, references, marks, zones: Vec::new(), better: Some(metric.better) },
        without,
    ))
}

fn points(axis: &Factor, metric: &Metric, cases: &[&CaseResult]) -> Vec<(f64, Measured)> {
    let mut points: Vec<(f64, Measured)> =
        cases.iter().filter_map(|c| Some((axis.number_of(c)?, metric.at(c)?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// A rate that grows with the workers as far as there are CPUs for them, from
/// the first point on.
fn ideal(axis: &Factor, metric: &Metric, line: &Line, cpus: usize) -> Option<Line> {
    if axis.name != WORKERS || !metric.is_rate() || metric.better != Better::Higher || line.points.len() < 2 {
        return None;
    }
    let (from, first) = line.points.first().filter(|(x, m)| *x > 0.0 && m.value > 0.0)?;
    let at = |x: f64| first.value / from * x.min((cpus as f64).max(*from));
    let points = line.points.iter().map(|(x, _)| (*x, Measured { value: at(*x), interval: None }));
    Some(Line { name: String::new(), points: points.collect() })
}

/// A knee is named on a single line, or on the highest of several.
fn marks(words: &Words, axis: &Factor, metric: &Metric, lines: &[Line]) -> Vec<Mark> {
    let counts = matches!(axis.kind, Some(Kind::Count | Kind::Rate));
    if !counts || metric.better != Better::Higher {
        return Vec::new();
    }
    let top = |l: &Line| l.points.iter().map(|(_, m)| m.value).fold(f64::MIN, f64::max);
    let Some(highest) = lines.iter().max_by(|a, b| top(a).total_cmp(&top(b))) else { return Vec::new() };
    let values: Vec<(f64, f64)> = highest.points.iter().map(|(x, m)| (*x, m.value)).collect();
    let Some(at) = knee(&values) else { return Vec::new() };
    let percent = Value::Number(DOUBLING_GAIN);
    let label = match lines.len() {
        1 => words.tell("figure-knee", &[("gain", percent)]),
        _ => words.tell("figure-knee-of", &[("gain", percent), ("line", Value::Text(highest.name.clone()))]),
    };
    vec![Mark { x: values[at].0, label }]
}

/// The first point from which no later one gains [`DOUBLING_GAIN`] with each
/// doubling, while the step to it still did: neither end is a knee.
pub(super) fn knee(points: &[(f64, f64)]) -> Option<usize> {
    let gain = |from: (f64, f64), to: (f64, f64)| {
        let doublings = (to.0 / from.0).log2();
        (to.1 / from.1).powf(1.0 / doublings) - 1.0
    };
    if points.iter().any(|(x, y)| !(*x > 0.0 && *y > 0.0)) {
        return None;
    }
    let is_flat = |at: usize| points[at + 1..].iter().all(|later| gain(points[at], *later) < DOUBLING_GAIN);
    let inner = 1..points.len().saturating_sub(1);
    inner.into_iter().find(|at| is_flat(*at) && gain(points[at - 1], points[*at]) >= DOUBLING_GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::fixture::{case, disk, run, seen};
    use model::Unit;

    fn drawn(cases: Vec<CaseResult>) -> Lines {
        let run = run(cases);
        seen(&run, |view| {
            let scene = Scene::new(view, &run.cases.iter().collect::<Vec<_>>());
            let group = &scene.groups[0];
            let metric = metric::common(view.words, &group.cases, scene.spec).unwrap();
            let (levels, _) = chosen(group, &metric);
            lines(&scene, group, &metric, &levels).unwrap().0
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
        // Four times 16 gives 1.25 % more: the knee of the highest line.
        assert_eq!(plot.marks.len(), 1);
        assert_eq!(plot.marks[0].x, 16.0);
        assert!(plot.marks[0].label.starts_with("sequential read: "), "{}", plot.marks[0].label);
    }

    #[test]
    fn the_ideal_grows_with_the_threads_to_the_number_of_cpus() {
        let of = |threads: u64, rate| {
            case("cpu.primes", &[("threads", threads.into())], ("events_per_second", Unit::PerSecond, rate))
        };
        let plot = drawn(vec![of(1, 100.0), of(2, 190.0), of(4, 300.0), of(8, 310.0)]);
        assert_eq!(plot.lines.len(), 2);
        let ideal: Vec<f64> = plot.lines[1].points.iter().map(|(_, m)| m.value).collect();
        assert_eq!(ideal, [100.0, 200.0, 400.0, 400.0]);
        assert!(plot.lines.iter().all(|l| !l.name.is_empty()), "{:?}", plot.lines);
        assert_eq!(plot.marks[0].x, 4.0);
    }

    #[test]
    fn a_knee_is_where_doubling_stops_to_pay() {
        let curve = [(1.0, 10.0), (2.0, 19.0), (4.0, 34.0), (8.0, 36.0), (16.0, 37.0)];
        assert_eq!(knee(&curve), Some(2));
        // 44 % over two doublings are 20 % each: no knee yet.
        assert_eq!(knee(&[(1.0, 10.0), (4.0, 30.0), (16.0, 43.2)]), None);
        assert_eq!(knee(&[(1.0, 10.0), (4.0, 30.0), (16.0, 33.0)]), Some(1));
        // Flat from the start, still growing, falling, too few, not positive.
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 10.1), (4.0, 10.0)]), None);
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0)]), None);
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 5.0), (4.0, 2.0)]), None);
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 11.0)]), None);
        assert_eq!(knee(&[]), None);
        assert_eq!(knee(&[(0.0, 1.0), (1.0, 5.0), (2.0, 5.0)]), None);
        // What dips and grows again has no knee at the dip.
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 20.0), (4.0, 19.0), (8.0, 60.0)]), None);
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
