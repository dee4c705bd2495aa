//! What a workload is, as data: everything that the command line, the study
//! file and the reference pages need to know of it.

use serde::Serialize;

use crate::definition::{Definitions, MetricDefinition, ParameterDefinition, WorkloadDefinition};
use crate::metric::{MetricName, MetricSpec};
pub use crate::name::WorkloadName;
use crate::parameter::{ParameterName, ParameterSpec};
use crate::profile::Aspect;
use crate::resource::Symbol;
use crate::value::Parameters;

/// The description that a workload carries in its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WorkloadSpec {
    /// Its name.
    pub name: WorkloadName,
    /// Raised whenever a change makes new figures differ in meaning from old.
    pub definition_version: u32,
    /// One line for lists.
    pub summary: &'static str,
    /// What it does and what its figures mean, in sentences.
    pub doc: &'static str,
    /// Its own parameters; the common ones are beside it in the catalogue.
    pub parameters: &'static [ParameterSpec],
    /// The metric to show first.
    pub headline: MetricName,
    /// Its metrics.
    pub metrics: &'static [MetricSpec],
    /// The resources that its data passes, in order.
    pub path: &'static [Symbol],
    /// What may be typed behind `headroom run`, the usual first: at most 64 columns each, so that a
    /// line of a terminal holds it. Part of the help and of no document.
    #[serde(skip)]
    pub examples: &'static [&'static str],
}

impl WorkloadSpec {
    /// The metric named `name`, if this workload has it.
    #[must_use]
    pub fn metric(&self, name: MetricName) -> Option<&'static MetricSpec> {
        self.metrics.iter().find(|m| m.name == name)
    }
}

/// Every workload that an agent can run, and the parameters all of them share.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// The workloads, in documentation order.
    pub workloads: Vec<&'static WorkloadSpec>,
    /// Parameters that every workload has, because the engine gives them.
    pub common: &'static [ParameterSpec],
}

impl Catalogue {
    /// The workload of this name.
    #[must_use]
    pub fn workload(&self, name: WorkloadName) -> Option<&'static WorkloadSpec> {
        self.workloads.iter().copied().find(|w| w.name == name)
    }

    /// The workload that a person calls `name`.
    #[must_use]
    pub fn called(&self, name: &str) -> Option<&'static WorkloadSpec> {
        self.workloads.iter().copied().find(|w| w.name.as_str() == name)
    }

    /// All parameters of `workload`, its own first: one of its own in place of a
    /// common one of the same name, where it has another default.
    pub fn parameters(
        &self,
        workload: &WorkloadSpec,
    ) -> impl Iterator<Item = &'static ParameterSpec> + use<> {
        let own = workload.parameters;
        let is_common = move |common: &&ParameterSpec| own.iter().all(|p| p.name != common.name);
        own.iter().chain(self.common.iter().filter(is_common))
    }

    /// Takes out what has no meaning beside the rest: a share of reads where
    /// nothing is mixed.
    pub fn drop_idle(&self, workload: &WorkloadSpec, parameters: &mut Parameters) {
        // What goes may be what gave others their meaning.
        loop {
            let is_idle = |p: &&ParameterSpec| parameters.get(p.name).is_some() && !p.applies(parameters);
            let Some(idle) = self.parameters(workload).find(is_idle) else { return };
            parameters.remove(idle.name);
        }
    }

    /// Puts in the defaults of what is not there, for those who carry it out.
    pub fn fill(&self, workload: &WorkloadSpec, parameters: &mut Parameters) {
        for spec in self.parameters(workload) {
            if parameters.get(spec.name).is_none()
                && let Some(value) = spec.default_value()
            {
                parameters.set(spec.name, value);
            }
        }
    }

    /// What readers of a run need to know of these workloads.
    #[must_use]
    pub fn definitions(&self, names: impl IntoIterator<Item = WorkloadName>) -> Definitions {
        names.into_iter().filter_map(|name| Some((name, self.definition(self.workload(name)?)))).collect()
    }

    fn definition(&self, workload: &WorkloadSpec) -> WorkloadDefinition {
        let parameter = |p: &ParameterSpec| ParameterDefinition {
            name: p.name,
            kind: p.kind,
            default: p.default_value(),
            work: p.work,
            telling: p.telling,
        };
        let metric = |m: &MetricSpec| (m.name, MetricDefinition { unit: m.unit, better: m.better });
        WorkloadDefinition {
            summary: workload.summary.to_owned(),
            parameters: self.parameters(workload).map(parameter).collect(),
            metrics: workload.metrics.iter().map(metric).collect(),
        }
    }

    /// The parameter of `workload` that says this of a load.
    #[must_use]
    pub fn parameter_for(&self, workload: &WorkloadSpec, aspect: Aspect) -> Option<ParameterName> {
        self.parameters(workload).find(|p| p.says == Some(aspect)).map(|p| p.name)
    }

    /// Whether a load with these parameters has another end of ours: whether what names one has a
    /// meaning beside the rest.
    #[must_use]
    pub fn has_far_end(&self, workload: &WorkloadSpec, parameters: &Parameters) -> bool {
        self.parameters(workload).any(|p| p.says == Some(Aspect::Peer) && p.applies(parameters))
    }

    /// The parameter of `workload` that a person calls `name`, its own or a common one.
    #[must_use]
    pub fn parameter(&self, workload: &WorkloadSpec, name: &str) -> Option<&'static ParameterSpec> {
        self.parameters(workload).find(|p| p.name.as_str() == name)
    }
}
