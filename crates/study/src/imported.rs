//! A run document of what other tools measured: each result is a trial, and what was done several
//! times in the same way is one case, with as many trials. Estimates and findings are made as of any
//! other run.

use std::collections::{BTreeMap, HashMap};

use model::label::{Label, LabelPart, LoadLabel};
use model::plan::LoadSpec;
use model::profile::Aspect;
use model::run::{AnalysisInfo, Build, CaseLoad, CaseResult, LoadRole, Loads, Origin, Outcome, Run, SCHEMA};
use model::tool_result::{RepeatedWork, ToolMeasurement, ToolResult};
use model::trial::{LOCAL, LoadTrial, Status, Trial, TrialResult, Window};
use model::workload::Catalogue;
use model::{
    Definitions, Finding, FindingKind, Kind, LoadProfile, Machine, MetricName, ParameterName, Parameters,
    Quantity, Study, ToolOutput, Value, WorkloadName, metric,
};
use sha2::{Digest, Sha256};

use crate::plan::{shortened, work_id};
use crate::run::{Invocation, run_id, timestamp};

/// What is known of loads, to make cases of them.
pub struct KnownLoads<'a> {
    /// The workloads that there are.
    pub catalogue: &'a Catalogue,
    /// What a load of these parameters is; `None` where they make none.
    pub profile: &'a dyn Fn(&LoadSpec) -> Option<LoadProfile>,
}

/// A run of outputs.
pub struct ImportedRun {
    /// It, with its findings.
    pub run: Run,
    /// What was found in each result, by its place among all.
    pub found: Vec<Vec<Finding>>,
}

/// The run of these outputs, with its findings. `machines` are those on which they were measured, as far
/// as they are known.
#[must_use]
pub fn from_outputs(
    outputs: Vec<ToolOutput>,
    machines: Vec<Machine>,
    identity: &Invocation,
    loads: &KnownLoads<'_>,
) -> ImportedRun {
    let results: Vec<&ToolResult> = outputs.iter().flat_map(|output| &output.results).collect();
    let started = timestamp();
    let cases = cases(&results, loads, &started);
    let mut run = Run {
        schema: SCHEMA.to_owned(),
        id: run_id(jiff::Timestamp::now(), 0),
        started: started.clone(),
        finished: Some(started),
        outcome: Some(Outcome::Complete),
        resumptions: Vec::new(),
        origin: origin(&results),
        headroom: Build { version: identity.version.clone(), build: identity.build.clone() },
        study: Study { name: name(&outputs), ..Study::default() },
        seed: 0,
        machines,
        definitions: Definitions::default(),
        cases,
        findings: Vec::new(),
        tool_outputs: Vec::new(),
        analysis: AnalysisInfo { version: analysis::VERSION },
    };
    run.definitions = loads.catalogue.definitions(run.workloads());
    run.tool_outputs = outputs;
    let found = analysis::derive_with_results(&mut run);
    ImportedRun { run, found }
}

/// What somebody watched, and did not drive.
pub struct WatchedRun {
    /// The machine.
    pub machine: Machine,
    /// What each resource did.
    pub cases: Vec<CaseResult>,
    /// When watching began, RFC 3339.
    pub started: String,
    /// When it ended.
    pub finished: String,
    /// What the run is called by.
    pub name: String,
}

/// The run of what was watched, with its findings.
#[must_use]
pub fn of_watched(watched: WatchedRun, identity: &Invocation) -> Run {
    let (version, command) = (identity.version.clone(), identity.command.clone());
    let mut run = Run {
        schema: SCHEMA.to_owned(),
        id: run_id(jiff::Timestamp::now(), 0),
        started: watched.started,
        finished: Some(watched.finished),
        outcome: Some(Outcome::Complete),
        resumptions: Vec::new(),
        origin: Origin { tool: "headroom".to_owned(), version: version.clone(), command },
        headroom: Build { version, build: identity.build.clone() },
        study: Study { name: watched.name, ..Study::default() },
        seed: 0,
        machines: vec![watched.machine],
        definitions: Definitions::default(),
        cases: watched.cases,
        findings: Vec::new(),
        tool_outputs: Vec::new(),
        analysis: AnalysisInfo { version: analysis::VERSION },
    };
    analysis::derive(&mut run);
    // What a benchmark must look out for (blocks never written, too few trials) says nothing of what others do.
    for case in &mut run.cases {
        case.findings.retain(|finding| finding.kind == FindingKind::Bottleneck);
    }
    run
}

/// The most files that the name of a run has.
const NAMED: usize = 5;

/// What the run is called by: its files, or how many there are.
fn name(outputs: &[ToolOutput]) -> String {
    match outputs {
        several if several.len() > NAMED => format!("{} files", several.len()),
        few => few.iter().map(|output| output.source.as_str()).collect::<Vec<_>>().join(", "),
    }
}

/// The tool; several are named together, and have no command in common.
fn origin(results: &[&ToolResult]) -> Origin {
    let mut tools: Vec<&str> = Vec::new();
    for result in results {
        // There are some forty tools.
        if !tools.contains(&result.tool.as_str()) {
            tools.push(&result.tool);
        }
    }
    let first = results.first();
    let has_one_version = results.windows(2).all(|pair| pair[0].version == pair[1].version);
    let has_one_command = results.windows(2).all(|pair| pair[0].command == pair[1].command);
    Origin {
        tool: tools.join(" + "),
        version: first
            .filter(|_| has_one_version)
            .and_then(|first| first.version.clone())
            .unwrap_or_default(),
        command: first.filter(|_| has_one_command).map(|first| first.command.clone()).unwrap_or_default(),
    }
}

/// The cases, each with its trials.
fn cases(results: &[&ToolResult], loads: &KnownLoads<'_>, started: &str) -> Vec<CaseResult> {
    let mut groups: Vec<Vec<(u32, &ToolResult)>> = Vec::new();
    let mut places: HashMap<RepeatedWork<'_>, usize> = HashMap::new();
    // What tells of a machine, and not of a load, makes no case.
    let is_load = |(_, result): &(u32, &ToolResult)| {
        !result.is_since_boot() && (!result.whole.figures.is_empty() || result.whole.bytes.is_some())
    };
    for (order, result) in (0..).zip(results.iter().copied()).filter(is_load) {
        let next = groups.len();
        let place = result.repeated_work().map_or(next, |work| *places.entry(work).or_insert(next));
        match groups.get_mut(place) {
            Some(group) => group.push((order, result)),
            None => groups.push(vec![(order, result)]),
        }
    }
    groups.into_iter().map(|group| case(&group, loads, started)).collect()
}

fn case(group: &[(u32, &ToolResult)], loads: &KnownLoads<'_>, started: &str) -> CaseResult {
    let first = group[0].1;
    let asked = load(first);
    let load = spanning(asked.clone(), loads.catalogue);
    let known = loads.catalogue.workload(load.workload);
    let mut profile = (loads.profile)(&load).unwrap_or_default();
    // The tool may not print what the workload shows first.
    if first.whole.figure(profile.headline).is_none() {
        profile.headline = headline(&first.whole);
    }
    let trial = |(block, (order, result)): (u32, &(u32, &ToolResult))| Trial {
        order: *order,
        block,
        started: started.to_owned(),
        status: Status::Ok,
        reason: None,
        result: measured(&result.whole),
    };
    CaseResult {
        work_id: match known {
            Some(_) => work_id(std::slice::from_ref(&load), loads.catalogue),
            None => own_work_id(&load, first),
        },
        label: label(&asked, loads.catalogue),
        loads: Loads {
            main: CaseLoad {
                role: LoadRole::Main,
                workload: load.workload,
                definition_version: known.map(|spec| spec.definition_version),
                parameters: load.parameters,
                profile,
                ..CaseLoad::default()
            },
            beside: Vec::new(),
        },
        trials: (0..).zip(group).map(trial).collect(),
        ..CaseResult::default()
    }
}

/// The load: of the workload that does the same work, or else one of the tool's own, with the
/// options in its words.
fn load(result: &ToolResult) -> LoadSpec {
    if let Some(workload) = result.workload {
        return LoadSpec::new(workload, result.parameters.clone());
    }
    let named =
        |(name, value): (&String, &String)| Some((ParameterName::intern(name)?, Value::from(value.as_str())));
    let parameters: Parameters = result.options.iter().filter_map(named).collect();
    LoadSpec::new(WorkloadName::intern(&result.tool).unwrap_or_default(), parameters)
}

/// With the bytes that are touched, where only those are known among which they are: a tool touches all of them, and
/// a load of ours says in its document how many that were.
fn spanning(mut load: LoadSpec, catalogue: &Catalogue) -> LoadSpec {
    let parameters = catalogue.workload(load.workload).map(|spec| spec.parameters).unwrap_or_default();
    let of_span = || parameters.iter().filter(|known| known.says == Some(Aspect::Span));
    let given = of_span().find_map(|known| load.parameters.get(known.name).cloned());
    if let Some(given) = given {
        let missing: Vec<ParameterName> =
            of_span().map(|known| known.name).filter(|name| load.parameters.get(*name).is_none()).collect();
        missing.into_iter().for_each(|name| load.parameters.set(name, given.clone()));
    }
    load
}

/// Tells works of a tool apart that is no workload here. Without options, all that is known of the
/// work is how much it was.
fn own_work_id(load: &LoadSpec, result: &ToolResult) -> String {
    let parameters = serde_json::to_string(&load.parameters).unwrap_or_default();
    let amount = result.whole.bytes.as_ref().filter(|_| result.options.is_empty());
    let amount = amount.map(|bytes| bytes.value.to_string()).unwrap_or_default();
    shortened(Sha256::new_with_prefix(format!("tool {} {parameters} {amount}", load.workload)))
}

fn label(load: &LoadSpec, catalogue: &Catalogue) -> Label {
    let spec = catalogue.workload(load.workload);
    let kind = |name: ParameterName| {
        let known = spec.and_then(|spec| catalogue.parameter(spec, name.as_str()));
        known.map_or(Kind::Text, |parameter| parameter.kind)
    };
    let part = |(name, value): (ParameterName, &Value)| LabelPart {
        name: name.to_string(),
        kind: kind(name),
        value: value.clone(),
    };
    let parameters = load.parameters.iter().map(part).collect();
    Label { loads: vec![LoadLabel { workload: load.workload, parameters }], settings: Vec::new() }
}

/// The figure to show first.
fn headline(whole: &ToolMeasurement) -> MetricName {
    let first = [metric::THROUGHPUT, metric::IOPS, metric::OPERATIONS_PER_SECOND]
        .into_iter()
        .find(|name| whole.figure(*name).is_some());
    first.or_else(|| whole.figures.first().map(|figure| figure.metric)).unwrap_or_default()
}

fn measured(whole: &ToolMeasurement) -> TrialResult {
    let quantity = |figure: &model::tool_result::ToolFigure| {
        let quantity = Quantity { value: figure.printed.value, unit: figure.printed.unit };
        (figure.metric, quantity)
    };
    let metrics: BTreeMap<MetricName, Quantity> = whole.figures.iter().map(quantity).collect();
    let window = whole
        .window
        .as_ref()
        .map(|window| Window { start_ns: 0, end_ns: model::scalar::nanoseconds(window.value) });
    TrialResult {
        window,
        loads: vec![LoadTrial { metrics, ..LoadTrial::of(0, LOCAL) }],
        ..TrialResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Run {
        let catalogue = agent::catalogue();
        let loads = KnownLoads { catalogue: &catalogue, profile: &|_| None };
        let identity = Invocation { command: Vec::new(), version: "1".to_owned(), build: "test".to_owned() };
        let output = import::tool::read("x.txt", text.as_bytes()).unwrap();
        from_outputs(vec![output], Vec::new(), &identity, &loads).run
    }

    const DD: &str =
        "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";

    #[test]
    fn repetitions_of_one_command_are_trials_of_one_case() {
        let run =
            run(&format!("$ dd if=/dev/zero of=x bs=1M count=64\n{DD}{DD}{DD}$ dd if=a of=b bs=1M\n{DD}"));
        let trials: Vec<Vec<u32>> =
            run.cases.iter().map(|case| case.trials.iter().map(|trial| trial.order).collect()).collect();
        assert_eq!(trials, [vec![0, 1, 2], vec![3]]);
        let estimate = &run.cases[0].loads.main.estimates[&metric::THROUGHPUT];
        assert_eq!((estimate.n, estimate.median), (3, 1.7e9));
        let workloads: Vec<&str> = run.cases.iter().map(|case| case.loads.main.workload.as_str()).collect();
        assert_eq!(workloads, ["disk", "dd"]);
        assert_ne!(run.cases[0].work_id, run.cases[1].work_id);
        let codes: Vec<&str> = run.cases[1].findings.iter().map(|finding| finding.code.as_str()).collect();
        assert!(codes.contains(&"single-run"), "{codes:?}");
    }

    #[test]
    fn the_document_is_read_again_with_the_same_findings() {
        let run = run(&format!("$ dd if=/dev/zero of=x bs=1M count=64\n{DD}"));
        let text = serde_json::to_string(&run).unwrap();
        let mut read: Run = serde_json::from_str(&text).unwrap();
        assert_eq!(read, run);
        analysis::derive(&mut read);
        assert_eq!(read.cases[0].findings, run.cases[0].findings);
        assert_eq!(read.origin.tool, "dd");
    }
}
