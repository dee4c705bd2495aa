//! How a rate grows with the threads: as many times that of one, the ideal
//! beside it, and what share of the work Amdahl's law calls serial. What the
//! law is and how its interval is made says [`stats::amdahl`].
//!
//! A rate of one line has its chart already, lines or bars, and gets the law
//! added there. Several lines, and the time of a fixed amount of work, get a
//! chart of how many times one thread's rate they have.

use chart::plot::{Axis, Line, Measured, Numbers, Spread};
use language::format;
use model::profile::Aspect;
use model::run::CaseResult;
use model::trial::Status;
use model::{Better, MetricName, ResourceKind, Value, metric};
use stats::amdahl::{self, Fit, ScalingPoint};
use stats::interval::{Interval, median, of_center};

use super::sweep::{LINES_MOST, plain_lines};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput};

/// What a fixed amount of work is asked for.
const ELAPSED: MetricName = metric::ELAPSED;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Numbers of threads of which a law can be checked; two always follow it.
const LEVELS_LEAST: usize = 3;

/// A speed-up whose interval reaches over so many times its lower end is none.
const VAGUE: f64 = 1.5;

/// A share that is nearer to none than this is none.
const ABOVE_LEAST: f64 = 0.001;

/// The end of keys for a few words, of a line among others.
const SHORT: &str = "-short";

/// Devices on a path that make the serial share theirs, not the program's.
const DEVICES: &[ResourceKind] = &[
    ResourceKind::Memory,
    ResourceKind::Block,
    ResourceKind::FileSystem,
    ResourceKind::Nic,
    ResourceKind::Sata,
    ResourceKind::Usb,
    ResourceKind::Pci,
    ResourceKind::Dmi,
];

/// What threads can have of the machine in every case: CPUs that we may run on, and no more than a
/// quota gives.
pub(super) fn cpus(input: &RuleInput<'_>) -> Option<f64> {
    let machine = input.view.run.machines.first()?;
    let of = |case: &&CaseResult| analysis::cpus_allowed(case, Some(machine));
    let allowed = input.cases.iter().map(of).reduce(f64::min).filter(|n| *n > 0.0)?;
    Some(machine.inventory.cgroup.cpu_quota.filter(|q| *q > 0.0).map_or(allowed, |q| q.min(allowed)))
}

/// The fit of Amdahl's law to one line over threads.
pub(super) struct AmdahlFit {
    /// The law at the levels that it was fitted to, where it fits.
    pub(super) curve: Option<Vec<(f64, Measured)>>,
    pub(super) notes: Vec<String>,
    /// That there are more threads than CPUs, which holds for every line.
    pub(super) beyond: Option<String>,
}

impl AmdahlFit {
    /// The curve, and all sentences.
    pub(super) fn into_parts(mut self) -> (Option<Vec<(f64, Measured)>>, Vec<String>) {
        self.notes.extend(self.beyond);
        (self.curve, self.notes)
    }
}

/// How many threads each case has, and what they did; those of one line.
struct SweepLine<'a> {
    /// By threads; the first has one.
    cases: Vec<(f64, &'a CaseResult)>,
    metric: &'a Metric,
}

impl<'a> SweepLine<'a> {
    /// `None` where one thread alone was not measured, or nothing beside it, or
    /// the metric is nothing that grows with threads.
    fn of(axis: &Factor, metric: &'a Metric, cases: &[&'a CaseResult]) -> Option<Self> {
        let is_rate = metric.is_rate() && metric.better == Better::Higher;
        if axis.says != Some(Aspect::Workers) || !(is_rate || metric.name == ELAPSED) {
            return None;
        }
        let with = |c: &&'a CaseResult| metric.at(c).and_then(|_| Some((axis.number_of(c)?, *c)));
        let mut cases: Vec<(f64, &CaseResult)> = cases.iter().filter_map(with).collect();
        cases.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_sound = cases.len() >= 2 && cases[0].0 == 1.0 && cases.windows(2).all(|p| p[0].0 < p[1].0);
        is_sound.then_some(Self { cases, metric })
    }

    /// A value as a rate: what takes half the time is done twice as fast.
    fn rate(&self, value: f64) -> f64 {
        if self.metric.better == Better::Higher { value } else { 1.0 / value }
    }

    /// The rate of a case in each round.
    fn by_round(&self, case: &CaseResult) -> Vec<(u32, f64)> {
        let ok = case.trials.iter().filter(|t| t.status == Status::Ok);
        let value = |t: &model::trial::Trial| t.result.main().metrics.get(&self.metric.name).map(|q| q.value);
        ok.filter_map(|t| Some((t.block, self.rate(value(t)?)))).collect()
    }

    /// How many times the rate of one thread a case has: of rounds in which both
    /// ran, so that what slows a whole round does not count.
    fn times(&self, case: &CaseResult) -> Option<Measured> {
        let one = self.by_round(self.cases[0].1);
        let ratio = |(round, rate): &(u32, f64)| {
            let of_one = one.iter().find(|(r, _)| r == round)?.1;
            Some(rate / of_one).filter(|r| r.is_finite() && *r > 0.0)
        };
        let ratios: Vec<f64> = self.by_round(case).iter().filter_map(ratio).collect();
        if let (Some(value), Some(interval)) = (median(&ratios), of_center(&ratios, CONFIDENCE)) {
            return Some(Measured { value, interval: Some((interval.low, interval.high)) });
        }
        let value =
            self.rate(self.metric.at(case)?.value) / self.rate(self.metric.at(self.cases[0].1)?.value);
        value.is_finite().then_some(Measured { value, interval: None })
    }

    /// The speed-up at each number of threads.
    fn speedups(&self) -> Vec<(f64, Measured)> {
        // One thread has once its own rate, exactly.
        let one =
            |n: f64, c| if n == 1.0 { Some(Measured { value: 1.0, interval: None }) } else { self.times(c) };
        self.cases.iter().filter_map(|(n, c)| Some((*n, one(*n, c)?))).collect()
    }

    /// Whether the rounds do not agree on what the most threads bring, so that
    /// there is nothing to report.
    fn is_vague(&self, most: f64) -> bool {
        let speedups = self.speedups();
        let last = speedups.iter().rev().find(|(n, _)| *n <= most && *n > 1.0);
        last.and_then(|(_, m)| m.interval).is_some_and(|(low, high)| high > low * VAGUE)
    }

    fn points(&self, most: f64) -> Vec<ScalingPoint> {
        let point = |(n, c): &(f64, &CaseResult)| {
            (*n <= most).then_some(())?;
            Some(ScalingPoint { threads: *n, rate: self.rate(self.metric.at(c)?.value) })
        };
        self.cases.iter().filter_map(point).collect()
    }

    /// Each round as a curve of its own.
    fn rounds(&self, most: f64) -> Vec<Vec<ScalingPoint>> {
        let of_case = |(threads, case): &(f64, &CaseResult)| {
            let threads = *threads;
            self.by_round(case).into_iter().map(move |(round, rate)| (round, ScalingPoint { threads, rate }))
        };
        let cases = self.cases.iter().filter(|(n, _)| *n <= most);
        crate::grouped(cases.flat_map(of_case)).into_iter().map(|(_, points)| points).collect()
    }
}

/// What there is to say of one line of a group over threads, in sentences; `short` ends the
/// keys of a few words, for a line among others.
pub(super) fn law(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    metric: &Metric,
    (level, short): (usize, &str),
) -> Option<AmdahlFit> {
    let words = input.view.words;
    let cases = group.of_level(level);
    let course = SweepLine::of(group.axis()?, metric, &cases)?;
    let most = cpus(input).unwrap_or(f64::MAX);
    let points = course.points(most);
    if course.is_vague(most) {
        let notes = vec![words.say(&format!("figure-scaling-vague{short}"))];
        return Some(AmdahlFit { curve: None, notes, beyond: None });
    }
    let mut notes: Vec<String> = efficiency(input, &course, most, short).into_iter().collect();
    let is_beyond = course.cases.iter().any(|(n, _)| *n > most);
    let waits = cases.iter().flat_map(|c| &c.path).any(|s| DEVICES.contains(&s.resource.kind()));
    let mut curve = None;
    // What a device gives says nothing of how the work divides.
    if let Some(fit) = amdahl::fit(&points).filter(|_| !waits) {
        let interval = amdahl::of_rounds(&course.rounds(most), CONFIDENCE);
        if let Some(best) = amdahl::falls(&points) {
            let args = [("threads", Value::Text(format::short(best.threads)))];
            notes.push(words.tell(&format!("figure-scaling-falls{short}"), &args));
        } else if !fit.is_good() {
            let args = [("off", Value::Text(format::percent(fit.worst)))];
            notes.push(words.tell(&format!("figure-scaling-bad{short}"), &args));
        } else {
            notes.push(serial(input, &fit, interval, short));
            let at = |p: &ScalingPoint| (p.threads, Measured { value: fit.at(p.threads), interval: None });
            curve = (fit.levels >= LEVELS_LEAST).then(|| points.iter().map(at).collect());
        }
    }
    let beyond = is_beyond.then(|| {
        let cpus = ("cpus", Value::Text(format::short(most)));
        words.tell("figure-scaling-beyond", &[cpus])
    });
    Some(AmdahlFit { curve, notes, beyond })
}

/// What the most threads that have a CPU each gave.
fn efficiency(input: &RuleInput<'_>, course: &SweepLine<'_>, most: f64, short: &str) -> Option<String> {
    let speedups = course.speedups();
    let (threads, times) = speedups.iter().rev().find(|(n, _)| *n <= most && *n > 1.0)?;
    let args = [
        ("threads", Value::Text(format::short(*threads))),
        ("times", Value::Text(language::format::ratio(times.value))),
        ("share", Value::Text(format::percent(times.value / threads))),
    ];
    Some(input.view.words.tell(&format!("figure-scaling-efficiency{short}"), &args))
}

/// The serial share, as far as it is known. Two points always follow the law, and
/// that stands with them.
fn serial(input: &RuleInput<'_>, fit: &Fit, interval: Option<Interval>, short: &str) -> String {
    let words = input.view.words;
    let percent = |share: f64| Value::Text(format::fine_percent(share.max(0.0)));
    let (value, range) = match interval {
        None => (fit.serial, String::new()),
        Some(i) => {
            let ends = [("low", percent(i.low)), ("high", percent(i.high))];
            (f64::midpoint(i.low, i.high), words.tell("figure-scaling-range", &ends))
        }
    };
    let is_checked = if fit.levels < LEVELS_LEAST { "two" } else { "more" };
    match interval {
        Some(i) if i.high < -ABOVE_LEAST => words.say(&format!("figure-scaling-above{short}")),
        Some(i) if i.low <= ABOVE_LEAST => {
            words.tell(&format!("figure-scaling-at-most{short}"), &[("high", percent(i.high))])
        }
        _ => words.tell(
            &format!("figure-scaling-serial{short}"),
            &[("share", percent(value)), ("range", Value::Text(range)), ("points", Value::from(is_checked))],
        ),
    }
}

/// A chart of speed-ups, of what has none of its rate yet.
pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let axis = group.axis()?;
    let metric = quantity::common(words, &group.cases)?;
    let levels = group.series().map_or(1, |s| s.levels.len());
    let is_shown = levels == 1 && metric.name != ELAPSED;
    if is_shown || levels > LINES_MOST || group.collides() {
        return None;
    }
    let (mut lines, mut notes): (Vec<Line>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut curve, mut beyond) = (None, None);
    for level in 0..levels {
        let cases = group.of_level(level);
        let Some(course) = SweepLine::of(axis, &metric, &cases) else { continue };
        let mut name = group.name_of(level);
        let short = if name.is_empty() { "" } else { SHORT };
        let Some(law) = law(input, group, &metric, (level, short)) else { continue };
        let text = law.notes.join(if name.is_empty() { " " } else { ", " });
        if name.is_empty() {
            notes.push(text);
        } else if !text.is_empty() {
            let said = [("name", Value::Text(name.clone())), ("text", Value::Text(text))];
            notes.push(words.tell("figure-scaling-line", &said));
        }
        if name.is_empty() {
            name = words.say("figure-measured");
        }
        (curve, beyond) = (law.curve, law.beyond);
        lines.push(Line { name, points: course.speedups() });
    }
    lines.retain(|l| l.points.len() > 1);
    let [first, ..] = lines.as_slice() else { return None };
    let first_levels = first.points.len();
    let one = curve.filter(|_| lines.len() == 1);
    let most = cpus(input).unwrap_or(f64::MAX);
    let exact = |n: f64| (n, Measured { value: n.min(most.max(1.0)), interval: None });
    let ideal = first.points.iter().map(|(n, _)| exact(*n)).collect();
    lines.push(Line { name: words.say("figure-ideal"), points: ideal });
    lines.extend(one.map(|points| Line { name: words.say("figure-amdahl"), points: of_one(points) }));
    let title = words.tell_texts("figure-scaling", &[("metric", &metric.title), ("factor", &axis.title)]);
    let y = Axis { title: words.say("figure-speedup"), numbers: Numbers::Times, spread: Spread::Auto };
    let plot = plain_lines(quantity::factor_axis(axis), y, lines, Better::Higher);
    if levels > 1 && !notes.is_empty() {
        let checked = if first_levels < LEVELS_LEAST { "two" } else { "more" };
        notes.push(words.tell("figure-scaling-lines", &[("points", Value::from(checked))]));
    }
    notes.extend(beyond);
    Some(Figure::new("scaling", input.title(&title, group), plot).note(notes))
}

/// A curve as multiples of its first point.
fn of_one(points: Vec<(f64, Measured)>) -> Vec<(f64, Measured)> {
    let first = points.first().map_or(1.0, |p| p.1.value);
    points.into_iter().map(|(n, m)| (n, Measured { value: m.value / first, interval: None })).collect()
}
