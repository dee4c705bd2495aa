//! The mountain of a disk or of memory: what is had over the bytes that are
//! touched. Its plateaus are the caches on the way. Of a disk some can be named:
//! the page cache where a load goes through it, the drive's own memory where its
//! datasheet is known; of the others nobody can tell from here whose they are.
//! Those of a processor are named by the sizes that it claims ([`caches`]).

mod caches;

pub(crate) use caches::claims;

use language::{Words, format, resource_label};
use model::machine::BlockKind;
use model::profile::{Aspect, Caches, WaitsFor};
use model::run::CaseResult;
use model::{Better, Machine, Resource, ResourceKind, Value};
use stats::plateau::{Plateau, STEP_LEAST, plateaus};

use super::factors::{self, CaseGroup};
use super::quantity::{self, Metric};
use super::reference;
use crate::load;
use crate::view::View;

/// Whether an axis is of bytes that are touched.
fn is_touched(axis: &factors::Factor) -> bool {
    axis.says == Some(Aspect::Span)
}

/// A cache holds this share of its memory at least: most of a drive's may hold
/// tables, and of what is free some is taken before it is full.
const HELD_LEAST: f64 = 0.25;

/// Half of a 95 % interval of five trials is this many standard deviations of
/// their middle, Student's t with four degrees of freedom.
const DEVIATIONS: f64 = 2.78;

/// What one line, or several, are made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mountain {
    /// The level stretches: first and last span, and the value there.
    pub(crate) levels: Vec<(f64, f64, f64)>,
    /// What lies between.
    pub(crate) edges: Vec<Edge>,
    /// A description of the whole where no step was seen.
    pub(crate) shape: Shape,
}

/// The whole of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// The same from the first span to the last.
    Flat(f64, f64),
    /// From one extreme to the other, each a span and its value, without a step.
    Slope((f64, f64), (f64, f64)),
    /// It has steps, or the trials do not tell whether it changes.
    Other,
}

/// Values less than this factor apart are the same to anybody.
const SAME: f64 = 1.1;

/// Where a cache ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The largest span that it still holds.
    pub(crate) holds: f64,
    /// The next one, which it does not.
    pub(crate) exceeds: f64,
    /// What is had up to there.
    pub(crate) before: f64,
    /// The first span of the next plateau, and what is had from there on.
    pub(crate) behind: (f64, f64),
    /// Whose cache it is.
    pub(crate) whose: CacheOwner,
}

/// Whose a cache is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CacheOwner {
    /// The kernel's: so many bytes were free for it.
    PageCache(u64),
    /// A drive's with so much memory by its datasheet.
    Drive(Resource, u64),
    /// A drive's, a controller's or, in a guest, a hypervisor's.
    Unknown {
        /// Whether the machine is a guest.
        guest: bool,
    },
    /// The processor's of this level, of which a thread has so much.
    Processor(u32, u64),
    /// By its place the processor's of this level, which claims another size.
    Claimed(u32, u64),
    /// Something of the processor that is no cache of those it tells of.
    Untold,
}

/// The mountain of these lines of a group, whose axis is the span; those with
/// the same spans are looked at together. The values are of the first.
pub(crate) fn of(
    machine: Option<&Machine>,
    group: &CaseGroup<'_>,
    metric: &Metric,
    lines: &[Vec<&CaseResult>],
) -> Option<Mountain> {
    let axis = group.axis().filter(|a| is_touched(a))?;
    // More threads have less of a cache each: those of the first line are looked at.
    let waits = |what| group.cases.iter().any(|c| load::profile(c).may_wait_for(&what));
    let (of_memory, of_device) = (waits(WaitsFor::Memory), waits(WaitsFor::Device));
    let by_threads = of_memory && group.series().is_some_and(|s| s.says == Some(Aspect::Workers));
    let lines = if by_threads { lines.get(..1)? } else { lines };
    let points = |cases: &Vec<&CaseResult>| {
        let mut all: Vec<Point> = cases
            .iter()
            .filter_map(|c| Some(Point { span: axis.number_of(c)?, ..Point::of(c, metric)? }))
            .collect();
        all.sort_by(|a, b| a.span.total_cmp(&b.span));
        all
    };
    let all: Vec<Vec<Point>> = lines.iter().map(points).collect();
    let spans: Vec<f64> = all.first()?.iter().map(|p| p.span).collect();
    let has_same = |line: &&Vec<Point>| line.iter().map(|p| p.span).eq(spans.iter().copied());
    let same: Vec<&Vec<Point>> = all.iter().filter(has_same).collect();
    let curves: Vec<Vec<f64>> = same.iter().map(|line| line.iter().map(|p| p.value).collect()).collect();
    let noises: Vec<f64> = all.iter().flatten().map(Point::noise).filter(|n| *n > 0.0).collect();
    let noise = stats::interval::median(&noises).unwrap_or(0.0);
    let found = plateaus(&curves.iter().map(Vec::as_slice).collect::<Vec<_>>(), noise);
    let first = |p: &Plateau| p.values.first().copied();
    let levels = found.iter().filter_map(|p| Some((spans[p.first], spans[p.last], first(p)?))).collect();
    let falls = |a: f64, b: f64| if metric.better == Better::Higher { b < a } else { b > a };
    let cases = lines.first()?;
    let edge = |pair: &[Plateau]| {
        let (a, b) = (first(&pair[0])?, first(&pair[1])?);
        let (holds, exceeds) = (spans[pair[0].last], spans[pair[0].last + 1]);
        let whose = if of_device { whose(machine, cases, (holds, exceeds)) } else { CacheOwner::Untold };
        falls(a, b).then_some(Edge { holds, exceeds, before: a, behind: (spans[pair[1].first], b), whose })
    };
    let mut edges: Vec<Edge> = found.windows(2).filter_map(edge).collect();
    if of_memory {
        caches::name(&mut edges, &caches::claims(machine, cases));
    }
    let shape = if found.len() == 1 { shape(&same) } else { Shape::Other };
    (!found.is_empty()).then_some(Mountain { levels, edges, shape })
}

/// Every mountain that these cases of one workload show, each with its place and
/// its metric.
pub(crate) fn of_cases(view: &View<'_>, cases: &[&CaseResult]) -> Vec<(String, Metric, Mountain)> {
    let groups = factors::groups(view, cases);
    let one = |group: &CaseGroup<'_>| {
        group.axis().filter(|a| is_touched(a))?;
        let metric = quantity::common(view.words, &group.cases)?;
        let levels = group.series().map_or(1, |s| s.levels.len());
        let lines: Vec<Vec<&CaseResult>> = (0..levels).map(|level| group.of_level(level)).collect();
        let found = of(view.run.machines.first(), group, &metric, &lines)?;
        Some((group.place_text(), metric, found))
    };
    groups.iter().filter_map(one).collect()
}

/// A span with what was had there.
#[derive(Clone, Copy, Debug)]
struct Point {
    span: f64,
    value: f64,
    /// The ends of its interval; the value where it has none.
    ends: (f64, f64),
}

impl Point {
    /// Of a case, but for its span.
    fn of(case: &CaseResult, metric: &Metric) -> Option<Self> {
        let measured = metric.at(case)?;
        let ends = measured.interval.unwrap_or((measured.value, measured.value));
        Some(Self { span: 0.0, value: measured.value, ends })
    }

    /// How far the middle of its trials is off by chance, as a fraction.
    fn noise(&self) -> f64 {
        (self.ends.1 - self.ends.0) / 2.0 / DEVIATIONS / self.value
    }
}

/// Lines of one stretch may still change from end to end, a little from span to
/// span: they count as constant only where the trials agree.
fn shape(lines: &[&Vec<Point>]) -> Shape {
    let extremes = |line: &Vec<Point>| {
        let by_value = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
        line.iter().min_by(by_value).copied().zip(line.iter().max_by(by_value).copied())
    };
    let apart = |(least, most): (Point, Point)| most.value / least.value;
    // Every interval holds what lies between the last begin and the first end.
    let overlap = |line: &Vec<Point>| {
        let begin = line.iter().map(|p| p.ends.0).fold(f64::MIN, f64::max);
        begin <= line.iter().map(|p| p.ends.1).fold(f64::MAX, f64::min)
    };
    let is_same = |line: &Vec<Point>| {
        let apart = extremes(line).map_or(f64::MAX, apart);
        apart < SAME || apart < STEP_LEAST && overlap(line)
    };
    let span = |point: Option<&Point>| point.map(|p| p.span);
    if lines.iter().all(|line| is_same(line)) {
        let ends = lines.first().and_then(|line| span(line.first()).zip(span(line.last())));
        return ends.map_or(Shape::Other, |(low, high)| Shape::Flat(low, high));
    }
    let changed = lines.iter().find(|line| !is_same(line) && !overlap(line));
    match changed.and_then(|line| extremes(line)) {
        Some((least, most)) => {
            let (a, b) = if least.span < most.span { (least, most) } else { (most, least) };
            Shape::Slope((a.span, a.value), (b.span, b.value))
        }
        None => Shape::Other,
    }
}

/// Whose the cache is that holds one span and not the next.
fn whose(machine: Option<&Machine>, cases: &[&CaseResult], (holds, exceeds): (f64, f64)) -> CacheOwner {
    let fits = |bytes: u64| holds <= bytes as f64 && exceeds >= bytes as f64 * HELD_LEAST;
    let Some(machine) = machine else { return CacheOwner::Unknown { guest: true } };
    let free = machine.inventory.memory.available_bytes;
    let is_buffered = cases.iter().all(|c| load::profile(c).caches == Caches::PageCache);
    if is_buffered && free > 0 && fits(free) {
        return CacheOwner::PageCache(free);
    }
    let drive = machine.inventory.block.iter().find_map(|disk| {
        let is_on_path = |c: &&CaseResult| {
            c.path.iter().any(|s| s.resource == Resource::of(ResourceKind::Block, &disk.name))
        };
        let bytes = disk.cache_bytes.filter(|b| disk.kind == BlockKind::Disk && fits(*b))?;
        cases.iter().all(is_on_path).then(|| (Resource::of(ResourceKind::Block, &disk.name), bytes))
    });
    match drive {
        Some((disk, bytes)) => CacheOwner::Drive(disk, bytes),
        None => CacheOwner::Unknown { guest: machine.inventory.system.virtualization.is_some() },
    }
}

impl Mountain {
    /// The description of the whole, in a sentence.
    pub(crate) fn sentence(&self, words: &Words, metric: &Metric) -> Option<String> {
        let shown = |value: f64| Value::Text(reference::shown(value, metric));
        let title = ("metric", Value::Text(metric.title.clone()));
        match self.shape {
            Shape::Flat(low, high) => {
                Some(words.tell("figure-no-edge", &[("low", size(low)), ("high", size(high)), title]))
            }
            Shape::Slope(a, b) => {
                let ends =
                    [("low", size(a.0)), ("before", shown(a.1)), ("high", size(b.0)), ("behind", shown(b.1))];
                Some(words.tell("figure-slope", &[ends.as_slice(), &[title]].concat()))
            }
            Shape::Other => None,
        }
    }
}

impl Edge {
    /// In a few words, for a chart.
    pub(crate) fn label(&self, words: &Words) -> String {
        let mut args = vec![("low", size(self.holds)), ("high", size(self.exceeds))];
        let key = match &self.whose {
            CacheOwner::PageCache(_) => "figure-edge-page-cache",
            CacheOwner::Drive(disk, _) => {
                args.push(("resource", Value::Text(resource_label(words, disk))));
                "figure-edge-drive"
            }
            CacheOwner::Unknown { .. } => "figure-edge-unknown",
            CacheOwner::Processor(level, _) => {
                args.push(("level", level_of(*level)));
                "figure-edge-processor"
            }
            CacheOwner::Claimed(level, bytes) => {
                args.extend([("level", level_of(*level)), ("bytes", part(*bytes))]);
                "figure-edge-claimed"
            }
            CacheOwner::Untold => "figure-edge-untold",
        };
        words.tell(key, &args)
    }

    /// In a sentence.
    pub(crate) fn sentence(&self, words: &Words, metric: &Metric) -> String {
        let whose = match &self.whose {
            CacheOwner::PageCache(free) => words.tell("figure-whose-page-cache", &[("bytes", part(*free))]),
            CacheOwner::Drive(disk, bytes) => {
                let name = Value::Text(resource_label(words, disk));
                words.tell("figure-whose-drive", &[("resource", name), ("bytes", part(*bytes))])
            }
            CacheOwner::Unknown { guest: true } => words.say("figure-whose-guest"),
            CacheOwner::Unknown { guest: false } => words.say("figure-whose-host"),
            CacheOwner::Processor(level, bytes) | CacheOwner::Claimed(level, bytes) => {
                let is_claimed = matches!(self.whose, CacheOwner::Claimed(..));
                let key = if is_claimed { "figure-whose-claimed" } else { "figure-whose-processor" };
                words.tell(key, &[("level", level_of(*level)), ("bytes", part(*bytes))])
            }
            CacheOwner::Untold => words.say("figure-whose-untold"),
        };
        let shown = |value: f64| Value::Text(reference::shown(value, metric));
        words.tell(
            "figure-edge-sentence",
            &[
                ("low", size(self.holds)),
                ("high", size(self.exceeds)),
                ("whose", Value::Text(whose)),
                ("metric", Value::Text(metric.title.clone())),
                ("before", shown(self.before)),
                ("from", size(self.behind.0)),
                ("behind", shown(self.behind.1)),
            ],
        )
    }
}

fn size(bytes: f64) -> Value {
    part(bytes as u64)
}

/// `L2`.
fn level_of(level: u32) -> Value {
    Value::Text(format!("L{level}"))
}

/// A size as it is shown.
pub(crate) fn part(bytes: u64) -> Value {
    Value::Text(format::part(bytes))
}
