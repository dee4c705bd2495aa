//! The storage mountain: what a disk gives over the bytes that are touched. Its
//! plateaus are the caches on the way, of which some can be named: the page
//! cache where a load goes through it, the drive's own memory where its
//! datasheet is known. Of the others nobody can tell from here whose they are.

use language::{Words, format};
use model::machine::BlockKind;
use model::run::CaseResult;
use model::{Better, Machine, Value, WorkloadSpec};
use stats::plateau::{Plateau, plateaus};

use super::factors::{self, Group};
use super::metric::{self, Metric};
use super::{reference, resource};
use crate::page::View;

/// The parameter that says how many bytes are touched.
pub(crate) const SPAN: &str = "span";

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
    /// Whether one stretch is all that was seen.
    pub(crate) is_flat: bool,
}

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
    /// Whose it is.
    pub(crate) whose: Whose,
}

/// Whose a cache is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Whose {
    /// The kernel's: so many bytes were free for it.
    PageCache(u64),
    /// A drive's with so much memory by its datasheet.
    Drive(String, u64),
    /// A drive's, a controller's or, in a guest, a hypervisor's.
    Unknown {
        /// Whether the machine is a guest.
        guest: bool,
    },
}

/// The mountain of these lines of a group, whose axis is the span; those with
/// the same spans are looked at together. The values are of the first.
pub(crate) fn of(
    machine: Option<&Machine>,
    group: &Group<'_>,
    metric: &Metric,
    lines: &[Vec<&CaseResult>],
) -> Option<Mountain> {
    let axis = group.axis().filter(|a| a.name == SPAN)?;
    let points = |cases: &Vec<&CaseResult>| {
        let mut all: Vec<(f64, f64, f64)> = cases
            .iter()
            .filter_map(|c| Some((axis.number_of(c)?, value(c, metric)?, noise(c, metric))))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all
    };
    let all: Vec<Vec<(f64, f64, f64)>> = lines.iter().map(points).collect();
    let spans: Vec<f64> = all.first()?.iter().map(|p| p.0).collect();
    let same = all.iter().filter(|line| line.iter().map(|p| p.0).eq(spans.iter().copied()));
    let curves: Vec<Vec<f64>> = same.map(|line| line.iter().map(|p| p.1).collect()).collect();
    let noises: Vec<f64> = all.iter().flatten().map(|p| p.2).filter(|n| *n > 0.0).collect();
    let noise = stats::interval::median(&noises).unwrap_or(0.0);
    let found = plateaus(&curves.iter().map(Vec::as_slice).collect::<Vec<_>>(), noise);
    let first = |p: &Plateau| p.values.first().copied();
    let levels = found.iter().filter_map(|p| Some((spans[p.first], spans[p.last], first(p)?))).collect();
    let falls = |a: f64, b: f64| if metric.better == Better::Higher { b < a } else { b > a };
    let cases = lines.first()?;
    let edge = |pair: &[Plateau]| {
        let (a, b) = (first(&pair[0])?, first(&pair[1])?);
        let (holds, exceeds) = (spans[pair[0].last], spans[pair[0].last + 1]);
        let whose = whose(machine, cases, (holds, exceeds));
        falls(a, b).then_some(Edge { holds, exceeds, before: a, behind: (spans[pair[1].first], b), whose })
    };
    let edges = found.windows(2).filter_map(edge).collect();
    let is_flat = matches!(found.as_slice(), [only] if only.first == 0 && only.last + 1 == spans.len());
    (!found.is_empty()).then_some(Mountain { levels, edges, is_flat })
}

/// Every mountain that these cases of one workload show, each with its place and
/// its metric.
pub(crate) fn of_cases(
    view: &View<'_>,
    cases: &[&CaseResult],
    spec: Option<&WorkloadSpec>,
) -> Vec<(String, Metric, Mountain)> {
    let groups = factors::groups(view.words, view.catalogue, cases);
    let one = |group: &Group<'_>| {
        group.axis().filter(|a| a.name == SPAN)?;
        let metric = metric::common(view.words, &group.cases, spec)?;
        let levels = group.series().map_or(1, |s| s.levels.len());
        let of_level = |level: usize| {
            let fits = |c: &&CaseResult| group.series().is_none_or(|s| s.level_of(c) == Some(level));
            group.cases.iter().copied().filter(fits).collect::<Vec<_>>()
        };
        let lines: Vec<Vec<&CaseResult>> = (0..levels).map(of_level).collect();
        let found = of(view.run.machines.first(), group, &metric, &lines)?;
        Some((group.place_text(), metric, found))
    };
    groups.iter().filter_map(one).collect()
}

fn value(case: &CaseResult, metric: &Metric) -> Option<f64> {
    metric.at(case).map(|m| m.value)
}

/// How far the middle of a case's trials is off by chance, as a fraction.
fn noise(case: &CaseResult, metric: &Metric) -> f64 {
    let ends = metric.at(case).and_then(|m| Some((m.value, m.interval?)));
    ends.map_or(0.0, |(value, (low, high))| (high - low) / 2.0 / DEVIATIONS / value)
}

/// Whose the cache is that holds one span and not the next.
fn whose(machine: Option<&Machine>, cases: &[&CaseResult], (holds, exceeds): (f64, f64)) -> Whose {
    let fits = |bytes: u64| holds <= bytes as f64 && exceeds >= bytes as f64 * HELD_LEAST;
    let Some(machine) = machine else { return Whose::Unknown { guest: true } };
    let free = machine.inventory.memory.available_bytes;
    let is_buffered = cases.iter().all(|c| c.parameters.get("direct") == Some(&Value::Bool(false)));
    if is_buffered && free > 0 && fits(free) {
        return Whose::PageCache(free);
    }
    let drive = machine.inventory.block.iter().find_map(|disk| {
        let is_on_path =
            |c: &&CaseResult| c.path.iter().any(|s| s.resource == format!("block:{}", disk.name));
        let bytes = disk.cache_bytes.filter(|b| disk.kind == BlockKind::Disk && fits(*b))?;
        cases.iter().all(is_on_path).then(|| (format!("block:{}", disk.name), bytes))
    });
    match drive {
        Some((disk, bytes)) => Whose::Drive(disk, bytes),
        None => Whose::Unknown { guest: machine.inventory.system.virtualization.is_some() },
    }
}

impl Edge {
    /// In a few words, for a chart.
    pub(crate) fn label(&self, words: &Words) -> String {
        let (low, high) = (self.size(self.holds), self.size(self.exceeds));
        let ends = [("low", low), ("high", high)];
        match &self.whose {
            Whose::PageCache(_) => words.tell("figure-edge-page-cache", &ends),
            Whose::Drive(disk, _) => {
                let [low, high] = ends;
                let name = Value::Text(resource::name(words, disk));
                words.tell("figure-edge-drive", &[low, high, ("resource", name)])
            }
            Whose::Unknown { .. } => words.tell("figure-edge-unknown", &ends),
        }
    }

    /// In a sentence.
    pub(crate) fn sentence(&self, words: &Words, metric: &Metric) -> String {
        let whose = match &self.whose {
            Whose::PageCache(free) => words.tell("figure-whose-page-cache", &[("bytes", part(*free))]),
            Whose::Drive(disk, bytes) => {
                let name = Value::Text(resource::name(words, disk));
                words.tell("figure-whose-drive", &[("resource", name), ("bytes", part(*bytes))])
            }
            Whose::Unknown { guest: true } => words.say("figure-whose-guest"),
            Whose::Unknown { guest: false } => words.say("figure-whose-host"),
        };
        let shown = |value: f64| Value::Text(reference::shown(value, metric));
        words.tell(
            "figure-edge-sentence",
            &[
                ("low", self.size(self.holds)),
                ("high", self.size(self.exceeds)),
                ("whose", Value::Text(whose)),
                ("metric", Value::Text(metric.title.clone())),
                ("before", shown(self.before)),
                ("from", self.size(self.behind.0)),
                ("behind", shown(self.behind.1)),
            ],
        )
    }

    fn size(&self, bytes: f64) -> Value {
        part(bytes as u64)
    }
}

/// A size as it is shown.
pub(crate) fn part(bytes: u64) -> Value {
    Value::Text(format::part(bytes))
}
