//! The rate over the place on a target, of loads that pass through each from its first byte to its last: the zones of hard
//! disks, where the cache of an SSD ends, and several disks over each other, slow ones marked.

use analysis::{PlaceCourse, is_slow_target, place_courses};
use chart::plot::{Axis, Line, Lines, Measured, Numbers, Spread};
use model::run::CaseResult;
use model::{Unit, metric};

use crate::figure::factors::{CaseGroup, short_path};
use crate::figure::quantity::Metric;
use crate::figure::{Figure, RuleInput, capitalized};

/// Lines of one chart.
const LINES_MOST: usize = 12;

/// A chart of the cases with one target each, over each other, and one of each case with several targets.
pub(super) fn charts(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Vec<Figure> {
    let all = group.cases.iter().map(|case| (*case, place_courses(case)));
    let passes: Vec<(&CaseResult, Vec<PlaceCourse>)> =
        all.filter(|(_, courses)| !courses.is_empty()).collect();
    let (several, single): (Vec<_>, Vec<_>) = passes.into_iter().partition(|(_, courses)| courses.len() > 1);
    let alone = group.cases.len() == 1;
    let mut figures = Vec::new();
    let mut lines = Vec::new();
    for (case, courses) in &single {
        let name = if alone { String::new() } else { group.label(case) };
        lines.extend(courses.iter().map(|course| line(input, case, course, &name)));
    }
    figures.extend(single.first().and_then(|(case, _)| chart(input, group, case, lines, None)));
    for (case, courses) in &several {
        let lines = courses.iter().map(|course| line(input, case, course, &short_path(&course.target)));
        let label = (!alone).then(|| group.label(case));
        figures.extend(chart(input, group, case, lines.collect(), label));
    }
    figures
}

/// One target; a slow one is called so.
fn line(input: &RuleInput<'_>, case: &CaseResult, course: &PlaceCourse, name: &str) -> Line {
    let name = match is_slow_target(case, &course.target) {
        true => {
            let shown = if name.is_empty() { short_path(&course.target) } else { name.to_owned() };
            input.view.tell("figure-places-slow", &[("name", &shown)])
        }
        false => name.to_owned(),
    };
    let measured = |value: f64| Measured { value, interval: None };
    Line { name, points: course.points.iter().map(|(place, rate)| (*place, measured(*rate))).collect() }
}

fn chart(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    case: &CaseResult,
    mut lines: Vec<Line>,
    label: Option<String>,
) -> Option<Figure> {
    let view = input.view;
    lines.truncate(LINES_MOST);
    if lines.is_empty() {
        return None;
    }
    let metric = Metric::of_quantity(view.words, case, (metric::THROUGHPUT, Unit::BytesPerSecond));
    let title = view.say("figure-places");
    let title = match label {
        Some(label) => view.tell("figure-where", &[("title", &title), ("where", &label)]),
        None => input.title(&title, group),
    };
    let plot = Lines {
        x: Axis {
            title: view.say("figure-places-axis"),
            numbers: Numbers::Unit(Unit::Bytes),
            spread: Spread::Linear,
        },
        // Zones are seen on an even axis.
        y: Axis { spread: Spread::Linear, ..metric.axis() },
        lines,
        references: Vec::new(),
        marks: Vec::new(),
        zones: Vec::new(),
        better: Some(metric.better),
    };
    Some(Figure::new("places", capitalized(&title), plot).note(Some(view.say("figure-places-note"))))
}
