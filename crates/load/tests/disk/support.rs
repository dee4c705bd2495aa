//! What tests of the disk workload share: one trial from survey to metrics.

use std::io::Seek;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use engine::numa::Confinement;
use engine::outcome::SessionOutcome;
use engine::{Fault, LoadPlan, Observer, Prepared, Session};
use load::fixture::FixtureStore;
use load::workload::common::LoadSchedule;
use load::workload::disk::Disk;
use load::workload::{DeviceProbe, FIXTURES, HostInfo, Load, LoadContext, Requirements, Workload, catalogue};
use model::identity::DeviceIdentity;
use model::plan::{DeviceState, FixtureKey, Problem};
use model::trial::Timeline;
use model::{FactName, ParameterName, Parameters, Phase, Value};

/// Hears nothing.
pub(crate) struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

/// Fixtures that are ready, and what they were made for.
pub(crate) struct Kept(pub(crate) FixtureStore, pub(crate) Vec<FixtureKey>);

/// Makes one ready.
pub(crate) fn make(key: &FixtureKey, look: DeviceProbe) -> Result<FixtureStore, Fault> {
    let mut fixtures = FixtureStore::new(FIXTURES);
    let host = HostInfo { look, ..HostInfo::default() };
    fixtures.make(key, &host, &mut |_| true).map(|()| fixtures)
}

/// What is prepared of a load alone.
pub(crate) fn context(fixtures: &FixtureStore) -> LoadContext<'_> {
    LoadContext { fixtures, endpoint: None, watch: load::workload::Watch::NONE }
}

/// The defaults of `disk` with `changes`, as a person writes them.
pub(crate) fn parameters(target: &Path, changes: &[(&str, &str)]) -> Parameters {
    let catalogue = catalogue();
    let mut parameters = Parameters::default();
    for spec in catalogue.parameters(Disk.spec()) {
        let changed = changes.iter().find(|(name, _)| *name == spec.name.as_str()).map(|(_, text)| *text);
        let Some(text) = changed.or(spec.default) else { continue };
        let mut parts = text.split('+').map(|part| spec.parse(part).unwrap()).collect::<Vec<_>>();
        let value = if parts.len() == 1 { parts.remove(0) } else { Value::List(parts) };
        parameters.set(spec.name, value);
    }
    if !changes.iter().any(|(name, _)| *name == "target") {
        parameters.set(ParameterName::new("target"), target.to_string_lossy().as_ref());
    }
    parameters
}

/// What a load needs on a machine.
pub(crate) fn needs(parameters: Parameters, host: &HostInfo) -> Result<Requirements, Problem> {
    Load::new(&Disk, parameters, host.cpus)?.survey(host)
}

/// What the survey makes of parameters; all files and devices named may be
/// overwritten.
pub(crate) fn survey(parameters: Parameters) -> Result<(Parameters, Kept), Problem> {
    let destroy =
        parameters.texts(ParameterName::new("target")).unwrap().into_iter().map(str::to_owned).collect();
    let look = DeviceProbe { state: free, identity: |_| Ok(DeviceIdentity::default()) };
    let host = HostInfo { cpus: 2, memory_available: 1 << 30, destroy, look, ..HostInfo::default() };
    let mut load = Load::new(&Disk, parameters, host.cpus)?;
    let needs = load.survey(&host)?;
    let mut fixtures = FixtureStore::new(FIXTURES);
    for key in &needs.fixtures {
        fixtures.make(key, &host, &mut |_| true).unwrap();
    }
    Ok((load.parameters, Kept(fixtures, needs.fixtures)))
}

/// Says of a device that a test made that nobody uses it.
fn free(path: &Path) -> std::io::Result<DeviceState> {
    let bytes = std::fs::File::open(path)?.seek(std::io::SeekFrom::End(0))?;
    let path = path.to_string_lossy().into_owned();
    Ok(DeviceState { path, bytes, logical_block: 512, ..DeviceState::default() })
}

/// What was known after a trial.
pub(crate) type Facts = Vec<(FactName, Value)>;

/// Runs one trial of surveyed parameters, without a warm-up. What was known
/// after it comes with its outcome.
pub(crate) fn run(
    parameters: &Parameters,
    kept: &Kept,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<(SessionOutcome, Facts), Fault> {
    let load = Load::new(&Disk, parameters.clone(), 2)?;
    let prepared = load.prepare(&context(&kept.0))?;
    let outcome = drive(&load.schedule, &*prepared, observer, cancel)?;
    let after = prepared.facts_after(&outcome.loads[0]);
    Ok((outcome, after))
}

fn drive(
    schedule: &LoadSchedule,
    prepared: &dyn Prepared,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<SessionOutcome, Fault> {
    let plan = LoadPlan {
        prepared,
        cpus: vec![None; prepared.workers(schedule.threads as usize)],
        confinement: Confinement::default(),
        rate: schedule.open_loop(),
        stop: schedule.stop(),
        seed: 1,
    };
    Session { loads: vec![plan], warm_up_ns: 0, interval_ns: None, cut_least_ns: 0 }.run(observer, cancel)
}
