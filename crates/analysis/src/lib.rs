//! From trials to estimates and findings. Everything here is derived: opening a
//! run again may make it anew, by the version that reads it.

mod bottleneck;
pub mod comparison;
mod deviation;
mod estimate;
pub mod heat;
mod measure;
#[cfg(test)]
mod said;
mod siblings;
mod utilization;
mod validity;

use model::run::{AnalysisInfo, CaseResult};
use model::study::{Controls, Expect};
use model::workload::Catalogue;
use model::{Machine, Run};

pub use deviation::promise::keeps_expectations;
pub use estimate::{CONFIDENCE, headline, watched};
pub use siblings::Siblings;
pub use utilization::measured_limits;

/// Raised when estimates or rules change.
pub const VERSION: u32 = 6;

/// A resource as English sentences call it.
pub(crate) fn called(resource: &str) -> String {
    language::resource_name(language::Language::English.words(), resource)
}

/// One rule: looks at a case and says what it finds.
pub trait Rule: Sync {
    /// Its name, the code of its findings.
    fn code(&self) -> &'static str;
    /// What it looks for, in a sentence or two.
    fn doc(&self) -> &'static str;
    /// What it finds.
    fn check(&self, case: &CaseResult, context: &Context<'_>) -> Vec<model::Finding>;
}

/// What rules may look at beside the case.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// How the study was measured.
    pub controls: &'a Controls,
    /// The metric that the case's workload shows first.
    pub headline: Option<&'a str>,
    /// The machine that was measured.
    pub machine: Option<&'a Machine>,
    /// What the user was promised.
    pub expect: Option<&'a Expect>,
    /// All cases of the run, this one too.
    pub siblings: &'a Siblings<'a>,
}

/// Every rule.
pub const RULES: &[&dyn Rule] = &[
    &validity::failed::Failed,
    &validity::precision::Precision,
    &validity::stalled::Stalled,
    &validity::settling::Settling,
    &validity::late::Late,
    &validity::memory_backed::MemoryBacked,
    &validity::page_cache::PageCache,
    &validity::cache_speed::CacheSpeed,
    &validity::loop_cache::LoopCache,
    &validity::cache_too_small::CacheTooSmall,
    &validity::sparse::Sparse,
    &validity::drive_cache::DriveCache,
    &validity::same_place::SamePlace,
    &validity::unwritten::Unwritten,
    &validity::content::Content,
    &validity::burst::Burst,
    &validity::never_steady::NeverSteady,
    &validity::durable::Durable,
    &validity::engine_forbidden::EngineForbidden,
    &validity::placement::Placement,
    &validity::reconcile::Reconcile,
    &validity::uncounted::Uncounted,
    &validity::split::Split,
    &validity::merged::Merged,
    &validity::read_ahead::ReadAhead,
    &validity::nothing_driven::NothingDriven,
    &validity::others_io::OthersIo,
    &validity::little::Little,
    &validity::queue_measured::QueueMeasured,
    &validity::uneven::Uneven,
    &validity::disturbed::Disturbed,
    &validity::steal::Steal,
    &validity::throttled::Throttled,
    &validity::slowed_down::SlowedDown,
    &validity::temperature::Temperature,
    &validity::more_threads::MoreThreads,
    &validity::more_than_quota::MoreThanQuota,
    &validity::smt_shared::SmtShared,
    &validity::numa_remote::NumaRemote,
    &validity::cost_per_operation::CostPerOperation,
    &validity::fits_in_cache::FitsInCache,
    &validity::cache_claim::CacheClaim,
    &validity::swapping::Swapping,
    &validity::generator::Generator,
    &validity::no_wire::NoWire,
    &validity::other_route::OtherRoute,
    &validity::packet_size::PacketSize,
    &validity::packet_unknown::PacketUnknown,
    &validity::packets_dropped::PacketsDropped,
    &validity::paused::Paused,
    &validity::short_transfer::ShortTransfer,
    &validity::few_trials::FewTrials,
    &deviation::promise::Promise,
];

/// What each finding means: its code and a sentence or two, rules first, then
/// what may hold a result back.
#[must_use]
pub fn explained() -> Vec<(&'static str, &'static str)> {
    let rules = RULES.iter().map(|rule| (rule.code(), rule.doc()));
    rules.chain([deviation::untested::CODE]).chain(bottleneck::CODES.iter().copied()).collect()
}

/// Makes the estimates of one case, for the news of it; its findings need the
/// whole run.
pub fn estimate_case(case: &mut CaseResult, catalogue: &Catalogue) {
    estimate::estimate_case(case, catalogue);
}

/// Makes all estimates, shares of limits and findings of a run anew.
pub fn derive(run: &mut Run, catalogue: &Catalogue) {
    import::v1::with_profiles(run, |run| derive_all(run, catalogue));
}

fn derive_all(run: &mut Run, catalogue: &Catalogue) {
    for case in &mut run.cases {
        estimate::estimate_case(case, catalogue);
        case.utilization = run.machines.first().map(|m| utilization::of_case(case, m)).unwrap_or_default();
        let far: Vec<_> = run.machines.iter().skip(1).flat_map(|m| utilization::of_far(case, m)).collect();
        case.utilization.extend(far);
        case.utilization.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    }
    let siblings = Siblings::of(&run.cases);
    let findings: Vec<Vec<model::Finding>> = run
        .cases
        .iter()
        .map(|case| {
            let context = Context {
                controls: &run.study.controls,
                headline: headline(case, catalogue).map(|(name, _)| name),
                machine: run.machines.first(),
                expect: Some(&run.study.expect),
                siblings: &siblings,
            };
            let mut found: Vec<_> = RULES.iter().flat_map(|rule| rule.check(case, &context)).collect();
            found.extend(bottleneck::check(case, &context));
            found
        })
        .collect();
    for (case, findings) in run.cases.iter_mut().zip(findings) {
        case.findings = findings;
    }
    run.findings = deviation::untested::check(run, catalogue);
    run.analysis = AnalysisInfo { version: VERSION };
}
