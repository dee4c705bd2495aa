//! Documents of `headroom.run/1`, as version 0.1 wrote them, read into the present form.
//! What was read is not written anew.
//!
//! A case had one load with all its figures in it and others `with` it, and a trial had
//! the figures of the main load with `parts` for all else.

use std::collections::BTreeMap;

use model::finding::Finding;
use model::machine::{Machine, ObserverCost};
use model::resource::PathStep;
use model::run::{
    AnalysisInfo, Build, CaseLoad, CaseResult, CaseRole, Endpoint, EndpointRole, Estimate, LoadRole, Loads,
    Origin, Outcome, Rounds, SCHEMA, TargetResult, Utilization,
};
use model::setting::SettingStates;
use model::trial::{
    Counter, LOCAL, LoadTrial, MachineTrial, Placement, ProcessUse, Series, Status, Steady, TargetTrial,
    TrialResult, Window,
};
use model::{
    Definitions, FactName, MetricName, Parameters, Quantity, Resource, Run, Study, Trial, Value, WorkloadName,
};
use serde::Deserialize;

use super::{label, limit};

/// The name of these documents.
pub const SCHEMA_V1: &str = "headroom.run/1";

/// A run.
#[derive(Clone, Debug, Deserialize)]
pub struct RunV1 {
    id: String,
    started: String,
    finished: Option<String>,
    outcome: Option<Outcome>,
    origin: Origin,
    headroom: Build,
    study: Study,
    seed: u64,
    machines: Vec<Machine>,
    /// Its cases.
    pub cases: Vec<CaseV1>,
    #[serde(default)]
    findings: Vec<Finding>,
    analysis: AnalysisInfo,
}

/// A case and what was measured of it.
#[derive(Clone, Debug, Deserialize)]
pub struct CaseV1 {
    pub(super) workload: WorkloadName,
    definition_version: u32,
    work_id: String,
    pub(super) label: String,
    pub(super) parameters: Parameters,
    #[serde(default)]
    pub(super) with: Vec<Companion>,
    block: usize,
    #[serde(default)]
    settings: SettingStates,
    path: Vec<PathStep>,
    /// Its trials.
    pub trials: Vec<TrialV1>,
    rounds: Option<Rounds>,
    #[serde(default)]
    targets: Vec<TargetResult>,
    #[serde(default)]
    estimates: BTreeMap<MetricName, Estimate>,
    #[serde(default)]
    utilization: Vec<Utilization>,
    #[serde(default)]
    findings: Vec<Finding>,
}

/// A load that ran with a case.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Companion {
    workload: WorkloadName,
    pub(super) parameters: Parameters,
    machine: String,
    #[serde(default)]
    estimates: BTreeMap<MetricName, Estimate>,
}

/// A trial.
#[derive(Clone, Debug, Deserialize)]
pub struct TrialV1 {
    order: u32,
    block: u32,
    started: String,
    status: Status,
    reason: Option<String>,
    window: Option<Window>,
    steady: Option<Steady>,
    placement: Option<Placement>,
    #[serde(default)]
    facts: BTreeMap<FactName, Value>,
    #[serde(default)]
    metrics: BTreeMap<MetricName, Quantity>,
    #[serde(default)]
    histograms: BTreeMap<MetricName, String>,
    #[serde(default)]
    series: Vec<Series>,
    #[serde(default)]
    counters: Vec<Counter>,
    #[serde(default)]
    processes: Vec<ProcessUse>,
    observer: Option<ObserverCost>,
    #[serde(default)]
    parts: Vec<Part>,
}

/// What one load that ran with the case did, one target of a load that drives several, or
/// the other end of the main load.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct Part {
    machine: String,
    load: Option<usize>,
    target: Option<String>,
    #[serde(default)]
    metrics: BTreeMap<MetricName, Quantity>,
    #[serde(default)]
    histograms: BTreeMap<MetricName, String>,
    #[serde(default)]
    series: Vec<Series>,
    #[serde(default)]
    facts: BTreeMap<FactName, Value>,
    #[serde(default)]
    counters: Vec<Counter>,
    #[serde(default)]
    processes: Vec<ProcessUse>,
}

/// Reads a run document of any version that is known. Fails if it is not JSON, or none of a run.
pub fn read(text: &[u8]) -> Result<Run, serde_json::Error> {
    // Once, of the form that nearly all have.
    match serde_json::from_slice::<Run>(text) {
        Ok(run) if run.schema != SCHEMA_V1 => Ok(run),
        _ if is_v1(text) => serde_json::from_slice(text).map(RunV1::upgrade),
        other => other,
    }
}

/// Whether a text is a document of `headroom.run/1`.
#[must_use]
pub fn is_v1(text: &[u8]) -> bool {
    serde_json::from_slice::<Head>(text).is_ok_and(|head| head.schema == SCHEMA_V1)
}

/// What tells the version of a document.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl RunV1 {
    /// The same run in the present form.
    #[must_use]
    pub fn upgrade(self) -> Run {
        let Self { id, started, finished, outcome, origin, headroom, study, .. } = self;
        let Self { seed, mut machines, cases, findings, analysis, .. } = self;
        machines.iter_mut().flat_map(|machine| &mut machine.limits).for_each(limit::complete);
        let mut run = Run {
            schema: SCHEMA.to_owned(),
            id,
            started,
            finished,
            outcome,
            resumptions: Vec::new(),
            origin,
            headroom,
            study,
            seed,
            machines,
            definitions: Definitions::default(),
            cases: cases.into_iter().map(CaseV1::upgrade).collect(),
            findings,
            tool_outputs: Vec::new(),
            analysis,
        };
        run.definitions = super::definitions(run.workloads());
        run
    }
}

impl CaseV1 {
    fn upgrade(self) -> CaseResult {
        let beside = self.with.iter().map(|load| (load.workload, &load.parameters));
        let loads: Vec<_> = std::iter::once((self.workload, &self.parameters)).chain(beside).collect();
        let label = label::read(&self.label, &loads);
        let profile = super::profile(self.workload, &self.parameters);
        let drives = |machine: &str| Endpoint { machine: machine.to_owned(), role: EndpointRole::Drives };
        let main = CaseLoad {
            role: LoadRole::Main,
            definition_version: Some(self.definition_version),
            endpoints: vec![drives(LOCAL)],
            profile,
            workload: self.workload,
            parameters: self.parameters,
            targets: self.targets,
            estimates: self.estimates,
        };
        let beside = self.with.into_iter().map(|load| CaseLoad {
            role: LoadRole::Beside,
            definition_version: None,
            endpoints: vec![drives(&load.machine)],
            profile: super::profile(load.workload, &load.parameters),
            workload: load.workload,
            parameters: load.parameters,
            targets: Vec::new(),
            estimates: load.estimates,
        });
        let promised = |used: Utilization| Utilization { promise: limit::promise(&used.source), ..used };
        let mut case = CaseResult {
            work_id: self.work_id,
            role: CaseRole::Asked,
            search: None,
            taken: None,
            proof: None,
            observer_effect: None,
            label,
            loads: Loads { main, beside: beside.collect() },
            block: self.block,
            settings: self.settings,
            path: self.path,
            limits: Vec::new(),
            trials: Vec::new(),
            rounds: self.rounds,
            utilization: self.utilization.into_iter().map(promised).collect(),
            gains: Vec::new(),
            goals: Vec::new(),
            findings: self.findings,
        };
        self.trials.into_iter().for_each(|trial| case.add_trial(trial.upgrade()));
        case
    }
}

impl TrialV1 {
    /// The histograms and series of the main load, then those of each part: a store keeps
    /// them apart.
    pub fn bulk(&mut self) -> impl Iterator<Item = (&mut BTreeMap<MetricName, String>, &mut Vec<Series>)> {
        let parts = self.parts.iter_mut().map(|part| (&mut part.histograms, &mut part.series));
        std::iter::once((&mut self.histograms, &mut self.series)).chain(parts)
    }

    /// The same trial in the present form.
    #[must_use]
    pub fn upgrade(self) -> Trial {
        let main = Part {
            machine: LOCAL.to_owned(),
            metrics: self.metrics,
            histograms: self.histograms,
            series: self.series,
            facts: self.facts,
            counters: self.counters,
            processes: self.processes,
            ..Part::default()
        };
        let mut result = TrialResult {
            window: self.window,
            steady: self.steady,
            placement: self.placement,
            observer: self.observer,
            ..TrialResult::default()
        };
        // A trial that failed gave no figure of any load.
        if !(main.is_empty() && self.parts.is_empty()) {
            main.add_to(&mut result);
        }
        self.parts.into_iter().for_each(|part| part.add_to(&mut result));
        let Self { order, block, started, status, reason, .. } = self;
        Trial { order, block, started, status, reason, result }
    }
}

impl Part {
    fn is_empty(&self) -> bool {
        *self == Self { machine: self.machine.clone(), ..Self::default() }
    }

    fn add_to(self, result: &mut TrialResult) {
        let Self { machine, metrics, histograms, facts, counters, processes, .. } = self;
        let place = self.load.map_or(0, |beside| beside + 1);
        let (own, sampled): (Vec<_>, Vec<_>) =
            self.series.into_iter().partition(|s| s.resource == Resource::LOAD);
        let at = |load: &LoadTrial| load.load == place && load.machine == machine;
        if let Some(target) = self.target {
            let found = result.loads.iter().position(at).unwrap_or_else(|| {
                result.loads.push(LoadTrial::of(place, &machine));
                result.loads.len() - 1
            });
            result.loads[found].targets.push(TargetTrial { target, metrics, histograms, series: own });
            return;
        }
        if !(counters.is_empty() && processes.is_empty() && sampled.is_empty()) {
            let machine = machine.clone();
            result.machines.push(MachineTrial {
                machine,
                counters,
                processes,
                series: sampled,
                ..MachineTrial::default()
            });
        }
        let targets = Vec::new();
        result.loads.push(LoadTrial {
            load: place,
            machine,
            metrics,
            histograms,
            series: own,
            latency_over_time: None,
            facts,
            targets,
        });
    }
}
