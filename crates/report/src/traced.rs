//! A case whose block devices were traced: the trials of its twin, with what the kernel's events
//! say of the first device on its path that has requests.

use model::block_trace::{BlockTrace, DeviceTrace};
use model::run::{CaseResult, CaseRole, Run};
use model::trial::{Status, Trial};
use model::{MetricName, Resource, metric};
use stats::distribution::Distribution;

/// One of them.
pub(crate) struct TracedCase<'a> {
    pub(crate) device: Resource,
    trials: Vec<(&'a Trial, &'a BlockTrace)>,
}

impl<'a> TracedCase<'a> {
    /// What was traced of a case of `run`, if anything was.
    pub(crate) fn of(run: &'a Run, case: &CaseResult) -> Option<Self> {
        let of = run.cases.iter().position(|own| std::ptr::eq(own, case))?;
        let twin = run.cases.iter().find(|other| other.role == CaseRole::Observed { of })?;
        let good = twin.trials.iter().filter(|trial| trial.status == Status::Ok);
        let trials: Vec<(&Trial, &BlockTrace)> =
            good.filter_map(|trial| Some((trial, trial.result.local().block_trace.as_ref()?))).collect();
        let (_, first) = trials.first()?;
        // One with requests tells more than one without that stands on it.
        let with_requests = first.devices.iter().find(|device| device.has_requests);
        let device = with_requests.or(first.devices.first())?.resource.clone();
        Some(Self { device, trials })
    }

    /// What each trial says of the device.
    pub(crate) fn devices(&self) -> impl Iterator<Item = &'a DeviceTrace> + '_ {
        let own = |device: &&DeviceTrace| device.resource == self.device;
        self.trials.iter().filter_map(move |(_, trace)| trace.devices.iter().find(own))
    }

    /// The times of a part of the way of bios, of all trials.
    pub(crate) fn phase(&self, phase: MetricName) -> Option<Distribution> {
        together(self.devices().filter_map(|device| device.phases.get(&phase)))
    }

    /// How long the load itself waited for its operations, in the same trials.
    pub(crate) fn latency(&self) -> Option<Distribution> {
        together(self.trials.iter().filter_map(|(t, _)| t.result.main().histograms.get(&metric::LATENCY)))
    }

    /// Events that were read, and those that the kernel had no room for.
    pub(crate) fn events(&self) -> (u64, u64) {
        self.trials
            .iter()
            .fold((0, 0), |(read, lost), (_, trace)| (read + trace.events, lost + trace.lost_events))
    }
}

fn together<'t>(texts: impl Iterator<Item = &'t String>) -> Option<Distribution> {
    let mut all = Distribution::default();
    texts.filter_map(|text| Distribution::decode(text).ok()).for_each(|one| all.add(&one));
    (!all.is_empty()).then_some(all)
}
