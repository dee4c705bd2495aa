//! Whether a machine is to be accepted: whether every part that was loaded worked without errors. Each part is judged by itself:
//! processors by throttling for heat, memory and links by what they counted, drives by what they say of themselves before
//! and after, networks by broken frames. What was written is read back by the loads, and a window in which anything failed is
//! one that was not there: the share of the others is the availability.
//!
//! How hot the hottest part got is told, too. What counts in the windows is `hardware-errors`; what came between them is what the doctor found after the run and not before.

use model::finding::Evidence;
use model::machine::CheckTime;
use model::profile::WaitsFor;
use model::run::{CaseLoad, CaseResult};
use model::study::StudyVerdictKind;
use model::trial::Status;
use model::{Finding, FindingKind, Resource, ResourceKind, Run, Severity, Trial, Value, series};

use crate::validity::{hardware_errors, throttled};

/// The code of what this finds, and what it says.
pub(crate) const CODE: (&str, &str) = (
    "accepts",
    "About the whole run: whether every part that was loaded worked without errors (`kind = \"accepts\"` in a study's \
     `[verdict]`), with how many windows did, and what each part came to.",
);

/// The same in English.
pub(crate) const ENGLISH: &str = r#"
accepts-part =
    { $part ->
        [processors] processors
        [memory] memory
        [drives] drives
        [links] PCI Express links
       *[network] network
    }

finding-accepts =
    { $answer ->
        [yes] no part that was loaded had an error in { $of } windows, { SPAN($seconds) } in all
        [no] { $why ->
            [failed] { $failed } of { $of } windows failed
            [heat] the processors were throttled for heat
           *[errors] there were errors: { accepts-part }
        }
       *[unknown] nothing was measured
    }

evidence-accepts-windows = { $ok } of { $of } windows without a failure: available for { PERCENT($availability) }
evidence-accepts-part =
    { accepts-part }: { $outcome ->
        [passed] passed
        [uncounted] passed, but nothing here counts its errors
        [heat] failed, throttled for heat
        [errors] failed, errors: { FIXED($count) }
       *[idle] not loaded
    }
evidence-accepts-hottest = the hottest sensor, { RESOURCE($resource) }, reached { FIXED($value) } °C
"#;

/// Parts that are judged, and what they are called.
const PARTS: [(ResourceKind, &str); 5] = [
    (ResourceKind::Cpu, "processors"),
    (ResourceKind::Memory, "memory"),
    (ResourceKind::Block, "drives"),
    (ResourceKind::Pci, "links"),
    (ResourceKind::Nic, "network"),
];

/// What the doctor calls errors of a part.
const CONDITIONS: [&str; 3] = ["counted-errors", "drive-health", "array-degraded"];

/// What a part came to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PartOutcome {
    Passed,
    /// It passed, but had no way to fail.
    Uncounted,
    Heat,
    Errors(f64),
    Idle,
}

impl PartOutcome {
    /// As the evidence has it.
    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Uncounted => "uncounted",
            Self::Heat => "heat",
            Self::Errors(_) => "errors",
            Self::Idle => "idle",
        }
    }

    fn has_failed(self) -> bool {
        matches!(self, Self::Heat | Self::Errors(_))
    }
}

/// Cases that are results of their own.
fn cases(run: &Run) -> impl Iterator<Item = &CaseResult> {
    run.cases.iter().filter(|case| !case.is_auxiliary())
}

/// Trials that were tried.
fn tried(run: &Run) -> impl Iterator<Item = &Trial> {
    cases(run).flat_map(|case| &case.trials).filter(|trial| trial.status != Status::Skipped)
}

fn findings(run: &Run) -> impl Iterator<Item = &Finding> {
    cases(run).flat_map(|case| &case.findings)
}

fn is_of(found: &Finding, kind: ResourceKind) -> bool {
    found.resource.as_ref().is_some_and(|resource| resource.kind() == kind)
}

/// Whether a load works with parts of this kind; a link is passed on the way to a drive or a network.
fn is_loaded(load: &CaseLoad, kind: ResourceKind) -> bool {
    let profile = &load.profile;
    let (drives, network) = (profile.targets > 0, profile.peer.is_some());
    match kind {
        ResourceKind::Memory => profile.waits_for.contains(&WaitsFor::Memory),
        ResourceKind::Block => drives,
        ResourceKind::Nic => network,
        ResourceKind::Pci => drives || network,
        _ => true,
    }
}

/// Whether anything on the machines counts errors of such parts. What a drive writes is read back.
fn is_counted(run: &Run, kind: ResourceKind) -> bool {
    let machines = tried(run).flat_map(|trial| &trial.result.machines);
    let mut counters = machines.flat_map(|machine| &machine.counters).filter(|c| c.resource.kind() == kind);
    match kind {
        ResourceKind::Block => true,
        ResourceKind::Cpu => counters.any(throttled::is_counter),
        _ => counters.any(hardware_errors::is_counter),
    }
}

/// Errors of parts of a kind: those in the windows, or all between the looks before and after the run where these are more.
fn errors(run: &Run, kind: ResourceKind) -> f64 {
    let is_error = |found: &&Finding| found.code == hardware_errors::RULE.code && is_of(found, kind);
    let in_windows: f64 = findings(run).filter(is_error).map(count).sum();
    in_windows.max(between_looks(run, kind))
}

/// How many errors a finding tells; of one without a count it is one.
fn count(found: &Finding) -> f64 {
    let named = ["count", "media_errors"].into_iter().find_map(|name| found.args.get(name));
    named.and_then(Value::number).unwrap_or(1.0)
}

/// What the doctor found after the run and not before, added up.
fn between_looks(run: &Run, kind: ResourceKind) -> f64 {
    let mut sum = 0.0;
    for machine in &run.machines {
        let mut looks = machine.looks.iter();
        let before = looks.find(|look| look.moment == CheckTime::Before);
        let after = looks.rfind(|look| look.moment == CheckTime::After);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let is_error = |found: &&Finding| CONDITIONS.contains(&found.code.as_str()) && is_of(found, kind);
        for found in after.findings.iter().filter(is_error) {
            let is_same = |other: &&Finding| {
                other.code == found.code
                    && other.resource == found.resource
                    && other.args.get("what") == found.args.get("what")
            };
            let earlier = before.findings.iter().find(is_same).map_or(0.0, count);
            sum += (count(found) - earlier).max(0.0);
        }
    }
    sum
}

/// Whether processors were throttled for heat in a window, a failed one too.
fn was_hot(run: &Run) -> bool {
    let machines = tried(run).flat_map(|trial| &trial.result.machines);
    machines.flat_map(|machine| &machine.counters).any(throttled::is_heat)
}

fn outcome(run: &Run, kind: ResourceKind) -> PartOutcome {
    let errors = errors(run, kind);
    if errors > 0.0 {
        return PartOutcome::Errors(errors);
    }
    if kind == ResourceKind::Cpu && was_hot(run) {
        return PartOutcome::Heat;
    }
    match (
        cases(run).flat_map(|case| case.loads.iter()).any(|load| is_loaded(load, kind)),
        is_counted(run, kind),
    ) {
        (false, _) => PartOutcome::Idle,
        (true, false) => PartOutcome::Uncounted,
        (true, true) => PartOutcome::Passed,
    }
}

/// The sensor that got hottest in the windows, and how hot, in degrees Celsius.
fn hottest(run: &Run) -> Option<(&Resource, f64)> {
    let sampled = tried(run).flat_map(|trial| &trial.result.machines).flat_map(|machine| &machine.series);
    let temperatures = sampled.filter(|sampled| sampled.name == series::TEMPERATURE);
    let peaks = temperatures.filter_map(|sensor| {
        let peak = sensor.values.iter().copied().filter(|value| value.is_finite()).reduce(f64::max)?;
        Some((&sensor.resource, peak))
    });
    peaks.max_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// Whether a run was asked whether the machine is to be accepted, and it is not.
#[must_use]
pub fn is_not_accepted(run: &Run) -> bool {
    let is_asked =
        run.study.verdict.as_ref().is_some_and(|verdict| verdict.kind == StudyVerdictKind::Accepts);
    let has_failed = || tried(run).any(|trial| trial.status != Status::Ok);
    is_asked && (has_failed() || PARTS.iter().any(|(kind, _)| outcome(run, *kind).has_failed()))
}

/// What the run's question comes to.
pub(super) fn check(run: &Run) -> Option<Finding> {
    let of = tried(run).count() as u64;
    let is_ok = |trial: &&Trial| trial.status == Status::Ok;
    let ok = tried(run).filter(is_ok).count() as u64;
    let seconds: f64 =
        tried(run).filter(is_ok).filter_map(|trial| Some(trial.result.window?.seconds())).sum();
    let parts = PARTS.map(|(kind, part)| (part, outcome(run, kind)));
    let failed = parts.iter().find(|(_, outcome)| outcome.has_failed());
    let (answer, why) = match failed {
        _ if of == 0 => ("unknown", "none"),
        _ if ok < of => ("no", "failed"),
        Some((_, outcome)) => ("no", outcome.word()),
        None => ("yes", "none"),
    };
    let windows = Evidence::maybe_at("accepts-windows", None)
        .arg("ok", ok)
        .arg("of", of)
        .arg("availability", if of > 0 { ok as f64 / of as f64 } else { 0.0 });
    let told = parts.iter().map(|(part, outcome)| {
        let count = if let PartOutcome::Errors(count) = outcome { *count } else { 0.0 };
        let evidence = Evidence::maybe_at("accepts-part", None).arg("part", *part);
        evidence.arg("outcome", outcome.word()).arg("count", count)
    });
    let heat = hottest(run).map(|(resource, value)| {
        let evidence = Evidence::maybe_at("accepts-hottest", None).arg("resource", resource.as_str());
        evidence.arg("value", value)
    });
    Some(
        Finding::new(FindingKind::Answer, CODE.0, Severity::Note)
            .arg("answer", answer)
            .arg("why", why)
            .arg("part", failed.map_or("none", |(part, _)| *part))
            .arg("failed", of - ok)
            .arg("of", of)
            .arg("seconds", seconds)
            .because(windows)
            .because_all(told)
            .because_all(heat),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::Unit;
    use model::machine::{ConditionCheck, Machine};
    use model::study::StudyVerdict;
    use model::trial::{Series, Window};

    use super::*;
    use crate::validity::fixture;

    /// A run of three windows of a minute each on a disk.
    fn run() -> Run {
        let mut case = fixture::case(3);
        case.loads.main.profile.targets = 1;
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 0, end_ns: 60_000_000_000 });
            trial.result.local_mut().counters =
                vec![fixture::counter("pci:0000:01:00.0", "/sys/x aer_correctable", 1.0, 0)];
        }
        let mut run = crate::comparison::tests::run("r", &[], vec![case]);
        let name = run.cases[0].loads.main.workload;
        let kind = StudyVerdictKind::Accepts;
        let verdict = StudyVerdict { kind, source: name, sink: name, joint: name, rate: None, count: None };
        run.study.verdict = Some(verdict);
        run
    }

    /// The answer, and what each part came to.
    fn said(run: &Run) -> (String, Vec<String>) {
        let found = crate::said::written(vec![crate::answer::check(run).unwrap()]).pop().unwrap();
        let evidence = found.evidence.iter().filter_map(|evidence| evidence.text.clone()).collect();
        assert_eq!(is_not_accepted(run), found.args["answer"].to_string() == "no", "{found:?}");
        (found.text, evidence)
    }

    #[test]
    fn a_machine_without_errors_passes_and_says_what_it_cannot_tell() {
        let (text, parts) = said(&run());
        assert_eq!(text, "no part that was loaded had an error in 3 windows, 3 min 0 s in all");
        assert_eq!(
            parts,
            [
                "3 of 3 windows without a failure: available for 100 %",
                "processors: passed, but nothing here counts its errors",
                "memory: not loaded",
                "drives: passed",
                "PCI Express links: passed",
                "network: not loaded",
            ]
        );
    }

    #[test]
    fn the_hottest_sensor_is_told() {
        let mut run = run();
        let sensor = |name: &str, values: Vec<f64>| Series {
            resource: format!("sensor:coretemp/{name}").into(),
            name: series::TEMPERATURE,
            unit: Unit::Celsius,
            start_ns: 0,
            interval_ns: 1_000_000_000,
            values,
        };
        let machine = run.cases[0].trials[0].result.local_mut();
        machine.series =
            vec![sensor("Core 0", vec![40.0, 71.0]), sensor("Core 1", vec![f64::NAN, 88.4, 60.0])];
        assert_eq!(said(&run).1[6], "the hottest sensor, coretemp/Core 1, reached 88 °C");
    }

    #[test]
    fn a_part_that_erred_fails_and_so_does_a_window() {
        let mut erred = run();
        let errors = Finding::new(FindingKind::Validity, hardware_errors::RULE.code, Severity::Warning);
        erred.cases[0].findings = vec![errors.on("pci:0000:01:00.0").arg("count", 4.0)];
        let (text, parts) = said(&erred);
        assert_eq!(text, "there were errors: PCI Express links");
        assert_eq!(parts[4], "PCI Express links: failed, errors: 4");
        let mut hot = run();
        let throttles = |name: &str| fixture::counter("cpu:1", name, 1.0, 3);
        let counters = &mut hot.cases[0].trials[2].result.local_mut().counters;
        counters.push(throttles("/x core_power_limit_count"));
        assert!(said(&hot).0.starts_with("no part"), "a limit of power is no fault");
        // Bug: a machine passed that its power had slowed down before its heat did.
        hot.cases[0].trials[2].result.local_mut().counters.push(throttles("/x core_throttle_count"));
        assert_eq!(said(&hot).0, "the processors were throttled for heat");
        let mut failed = run();
        failed.cases[0].trials[1].status = Status::Failed;
        let (text, parts) = said(&failed);
        assert_eq!(
            (text.as_str(), parts[0].as_str()),
            ("1 of 3 windows failed", "2 of 3 windows without a failure: available for 67 %")
        );
        let mut nothing = run();
        nothing.cases[0].trials.clear();
        assert_eq!(said(&nothing).0, "nothing was measured");
    }

    #[test]
    fn what_came_between_the_windows_counts_and_what_was_there_before_does_not() {
        let look = |moment: CheckTime, sectors: u64| {
            let found = Finding::new(FindingKind::Condition, CONDITIONS[0], Severity::Warning);
            let found = found.on("block:sda").arg("what", "pending-sectors").arg("count", sectors);
            ConditionCheck { moment, findings: vec![found], written_bytes: BTreeMap::new() }
        };
        let with = |before: u64, after: u64| {
            let mut run = run();
            let looks = vec![look(CheckTime::Before, before), look(CheckTime::After, after)];
            run.machines = vec![Machine { looks, ..Machine::default() }];
            said(&run).1[3].clone()
        };
        assert_eq!(with(8, 8), "drives: passed");
        assert_eq!(with(8, 10), "drives: failed, errors: 2");
    }
}
