//! Gathers runs of many machines, so that not all of them need be in memory at once.

use std::collections::BTreeMap;

use model::run::{CaseResult, CaseRole};
use model::trial::Status;
use model::{MetricName, Run};

use super::facts::{self, MachineFact};
use super::{Fleet, FleetFigure, FleetMachine, FleetMissing};
use crate::measure;
use crate::trend::{figure, work_key};

/// What was gathered.
#[derive(Default)]
pub struct FleetGathering {
    metric: Option<MetricName>,
    machines: Vec<FleetMachine>,
    facts: Vec<Vec<MachineFact>>,
    /// When the newest run of each machine began.
    started: Vec<String>,
    /// The place of each machine by its name.
    places: BTreeMap<String, usize>,
    works: Vec<Work>,
    /// The place of each work by what tells it from others.
    work_places: BTreeMap<String, usize>,
    /// Why a work gave nothing on a machine, by work and machine.
    failed: BTreeMap<(String, usize), String>,
}

/// A figure in the making.
struct Work {
    /// The work, without the figure that is taken of it.
    key: String,
    figure: FleetFigure,
    /// Of each machine when its run began, and what it came to.
    values: BTreeMap<usize, (String, f64)>,
}

impl FleetGathering {
    /// For this metric; for the one that each workload shows first where none is named.
    #[must_use]
    pub fn new(metric: Option<MetricName>) -> Self {
        Self { metric, ..Self::default() }
    }

    /// How many machines there are.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.machines.len()
    }

    /// Takes a run with its tags, in any order. Of a machine that has several runs of the same work, the newest with
    /// a result counts.
    pub fn add(&mut self, run: &Run, tags: &BTreeMap<String, String>) {
        let hostname = run.machines.first().map(|machine| machine.hostname.trim()).unwrap_or_default();
        // A recording's masked name is of no machine.
        let is_name = !hostname.is_empty() && !hostname.bytes().all(|byte| byte == b'x');
        let name = if is_name { hostname } else { &run.id };
        let machine = self.put_machine(name, run, tags);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for case in run.cases.iter().filter(|case| case.role == CaseRole::Asked) {
            let work = work_key(run, case);
            // A run may do the same work twice.
            let count = seen.entry(work.clone()).or_default();
            *count += 1;
            self.put_case(format!("{work}#{count}"), (machine, &run.started), case);
        }
    }

    /// The place of a machine, with what its newest run says of it.
    fn put_machine(&mut self, name: &str, run: &Run, tags: &BTreeMap<String, String>) -> usize {
        let known = self.places.get(name).copied();
        if let Some(place) = known.filter(|place| self.started[*place] >= run.started) {
            return place;
        }
        let machine = FleetMachine {
            name: name.to_owned(),
            run: run.id.clone(),
            rack: tags.get("rack").cloned(),
            position: tags.get("position").cloned(),
        };
        let facts = facts::of(run, tags);
        let Some(place) = known else {
            self.machines.push(machine);
            self.facts.push(facts);
            self.started.push(run.started.clone());
            self.places.insert(name.to_owned(), self.machines.len() - 1);
            return self.machines.len() - 1;
        };
        self.machines[place] = machine;
        self.facts[place] = facts;
        self.started[place].clone_from(&run.started);
        place
    }

    fn put_case(&mut self, work: String, (machine, started): (usize, &str), case: &CaseResult) {
        let Some((metric, estimate)) = figure(case, self.metric) else {
            let told = case.trials.iter().filter(|trial| trial.status != Status::Ok);
            if let Some(reason) = told.filter_map(|trial| trial.reason.clone()).next() {
                self.failed.entry((work, machine)).or_insert(reason);
            }
            return;
        };
        let key = format!("{work} {metric} {}", estimate.unit.symbol());
        let place = *self.work_places.entry(key).or_insert_with(|| {
            let figure = FleetFigure {
                case: case.label.clone(),
                workload: case.loads.main.workload,
                rate_unit: measure::profile(case).rate_unit,
                metric,
                unit: estimate.unit,
                better: estimate.better,
                values: Vec::new(),
                scores: Vec::new(),
                median: None,
                spread: None,
                missing: Vec::new(),
            };
            self.works.push(Work { key: work, figure, values: BTreeMap::new() });
            self.works.len() - 1
        });
        let values = &mut self.works[place].values;
        if values.get(&machine).is_none_or(|(other, _)| other.as_str() < started) {
            values.insert(machine, (started.to_owned(), estimate.median));
        }
    }

    /// What was gathered, judged; a difference of less than `margin`, a fraction, does not matter.
    #[must_use]
    pub fn finish(self, margin: f64) -> Fleet {
        let Self { machines, facts, works, failed, .. } = self;
        let mut order: Vec<usize> = (0..machines.len()).collect();
        order.sort_by_cached_key(|place| sort_key(&machines[*place]));
        let figure = |work: Work| FleetFigure {
            values: order.iter().map(|machine| work.values.get(machine).map(|(_, v)| *v)).collect(),
            missing: order
                .iter()
                .enumerate()
                .filter(|(_, machine)| !work.values.contains_key(*machine))
                .map(|(place, machine)| {
                    let reason = failed.get(&(work.key.clone(), *machine)).cloned();
                    FleetMissing { machine: place, reason }
                })
                .collect(),
            ..work.figure
        };
        let all = works.len();
        let shared: Vec<FleetFigure> =
            works.into_iter().filter(|work| work.values.len() > 1).map(figure).collect();
        let alone = all - shared.len();
        let of = |place: &usize| (machines[*place].clone(), facts[*place].clone());
        let (machines, facts): (Vec<_>, Vec<_>) = order.iter().map(of).unzip();
        Fleet { alone, ..Fleet::judged(machines, &facts, shared, margin) }
    }
}

/// Rack, position and name, each with its numbers as numbers: `node9` before `node10`.
fn sort_key(machine: &FleetMachine) -> [Vec<(u64, String)>; 3] {
    let text = |text: &Option<String>| parts(text.as_deref().unwrap_or_default());
    [text(&machine.rack), text(&machine.position), parts(&machine.name)]
}

fn parts(text: &str) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at(digits);
        let letters = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (word, behind) = behind.split_at(letters);
        all.push((number.parse().unwrap_or(0), word.to_owned()));
        rest = behind;
    }
    all
}
