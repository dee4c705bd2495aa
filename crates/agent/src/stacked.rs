//! Loads that run on a storage stack, which is made for them: the load is surveyed in a folder that is there, and once
//! more on the stack when that is made; in a trial it drives the top of the stack in the place of its target.

use std::borrow::Cow;

use engine::Fault;
use load::fixture::FixtureStore;
use load::host::HostInfo;
use load::workload::disk::stack::{BuiltStack, HeldLink, StackRequest};
use load::workload::{self, Load, Requirements};
use machine::limit;
use machine::setting::{self, SettingError};
use model::plan::{FixtureKey, LoadSpec, Problem};
use model::profile::Aspect;
use model::setting::Change;
use model::{FactName, Limit, Parameters, Resource, Value, WorkloadName};

fn request(load: WorkloadName, parameters: &Parameters) -> Result<Option<StackRequest>, Problem> {
    let catalogue = workload::catalogue();
    let spec = catalogue.workload(load);
    let target = spec.and_then(|spec| catalogue.parameter_for(spec, Aspect::Targets));
    StackRequest::of(parameters, target)
}

/// Refuses a device for a load that works in folders.
fn check_folder(load: WorkloadName, request: &StackRequest) -> Result<(), Problem> {
    let catalogue = workload::catalogue();
    let spec = catalogue.workload(load);
    let targets = spec.and_then(|spec| catalogue.parameters(spec).find(|p| p.says == Some(Aspect::Targets)));
    if request.is_device() && targets.is_some_and(|targets| targets.folder) {
        return Err(Problem::invalid(
            format!("{load} works in a folder, and what it would drive of the stack is a device"),
            "end the stack with a file system, or name a layer that is one",
        ));
    }
    Ok(())
}

/// What a load is surveyed with.
pub(crate) struct SurveySite<'a> {
    pub(crate) parameters: Parameters,
    pub(crate) host: Cow<'a, HostInfo>,
    stack: Option<(StackRequest, FixtureKey)>,
    is_made: bool,
    /// What the networks between its layers carry.
    limits: Vec<Limit>,
}

impl<'a> SurveySite<'a> {
    /// Looks at the stack, if `parameters` ask for one.
    pub(crate) fn of(
        load: WorkloadName,
        parameters: Parameters,
        host: Cow<'a, HostInfo>,
        fixtures: &FixtureStore,
    ) -> Result<Self, Problem> {
        let Some(request) = request(load, &parameters)? else {
            return Ok(Self { parameters, host, stack: None, is_made: false, limits: Vec::new() });
        };
        check_folder(load, &request)?;
        let mut host = host.into_owned();
        let built = request.built(fixtures);
        let limits = built.map(BuiltStack::links).unwrap_or_default().iter().map(link_limit).collect();
        let (parameters, key, is_made) = match built {
            Some(built) => {
                // It is ours, and all of it may be overwritten.
                host.destroy.extend(built.tops().iter().map(|top| top.to_string_lossy().into_owned()));
                (request.on(&parameters, built.tops()), built.key().clone(), true)
            }
            None => {
                let surveyed = request.survey(&host)?;
                host.room = Some(surveyed.room);
                (request.on_folder(&parameters), surveyed.key, false)
            }
        };
        Ok(Self { parameters, host: Cow::Owned(host), stack: Some((request, key)), is_made, limits })
    }

    /// Puts the stack to what the surveyed load needs, for one trial alone if that uses it up; the load's parameters as
    /// they were asked for.
    pub(crate) fn finish(
        self,
        needs: &mut Requirements,
        surveyed: Parameters,
        uses_up_stack: bool,
    ) -> Result<Parameters, Problem> {
        let Some((request, mut key)) = self.stack else { return Ok(surveyed) };
        key.used_up = uses_up_stack;
        if needs.fixtures.iter().any(FixtureKey::has_state) {
            return Err(Problem::invalid(
                "a target on a stack is new, and nothing brings it into another state before it is measured",
                "leave the precondition or the purge out, or drive the device itself",
            ));
        }
        if self.is_made {
            needs.fixtures.insert(0, key);
            needs.limits.extend(self.limits);
            return Ok(request.as_asked(&surveyed));
        }
        // What lies on it is known when it is there.
        needs.fixtures = vec![key];
        Ok(request.as_planned(&surveyed, &self.parameters))
    }
}

/// What a network between two layers carries, which is this machine's at both ends.
fn link_limit(link: &HeldLink) -> Limit {
    let source = format!("a token bucket at both ends (tc-tbf(8)), by the bit-rate of {}", link.layer);
    limit::held_link(&link.interface, link.bits_per_s, link.mtu, source)
}

/// A load as a trial drives it.
pub(crate) fn load(spec: &LoadSpec, fixtures: &FixtureStore, cpus: usize) -> Result<Load, Fault> {
    let parameters = match request(spec.workload, &spec.parameters)? {
        Some(request) => request.on(&spec.parameters, built(&request, fixtures)?.tops()),
        None => spec.parameters.clone(),
    };
    Ok(Load::named(spec.workload, parameters, cpus)?)
}

/// What is known of the stack that a load drives.
pub(crate) fn facts(spec: &LoadSpec, fixtures: &FixtureStore) -> Vec<(FactName, Value)> {
    let request = request(spec.workload, &spec.parameters).ok().flatten();
    let built = request.and_then(|request| request.built(fixtures).map(BuiltStack::facts));
    built.map(<[_]>::to_vec).unwrap_or_default()
}

/// The resources of a change that belongs to layers of stacks: what these layers are, now that they are made.
///
/// # Errors
/// If a stack or a layer is not there, or has no such resource.
pub(crate) fn resources(change: &Change, fixtures: &FixtureStore) -> Result<Vec<Resource>, SettingError> {
    let mut all = Vec::new();
    for place in &change.layers {
        let mut stacks = fixtures.all::<BuiltStack>();
        let missing = || SettingError::NotThere {
            setting: change.name.clone(),
            place: format!("layer {} of the stack {}", place.layer, place.stack),
            reason: "it is not made".to_owned(),
        };
        let places = stacks.find_map(|stack| stack.places_of(place)).ok_or_else(missing)?;
        let targets = places.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let under = Change { targets, ..Change::new(&change.name, change.value.clone()) };
        all.extend(setting::resources(&under)?);
    }
    Ok(all)
}

fn built<'a>(request: &StackRequest, fixtures: &'a FixtureStore) -> Result<&'a BuiltStack, Fault> {
    request
        .built(fixtures)
        .ok_or_else(|| Fault::Other("the stack that the load drives is not there".to_owned()))
}
