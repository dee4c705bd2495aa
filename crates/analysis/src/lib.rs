//! From trials to estimates and findings. Everything here is derived: opening a
//! run again may make it anew, by the version that reads it.

mod amplification;
mod answer;
mod beside;
mod bottleneck;
pub mod check;
pub mod class;
pub mod comparison;
mod deviation;
mod estimate;
pub mod fleet;
mod gain;
mod goal;
pub mod heat;
mod measure;
mod observed;
mod path_use;
pub mod proof;
mod ramp;
mod remedy;
#[cfg(test)]
mod said;
mod siblings;
pub mod trend;
mod utilization;
mod validity;

use std::sync::OnceLock;

use language::{Language, Words};
use model::run::{AnalysisInfo, CaseResult, CaseRole, Estimate, Gain};
use model::study::{Controls, Expect};
use model::trial::Status;
use model::{Machine, MetricName, Run, parallel};

pub use amplification::{Amplification, amplification};
pub use answer::{is_answer_doubted, is_not_accepted};
pub use beside::{CpuBeside, cpu_beside};
pub use deviation::promise::keeps_expectations;
pub use estimate::{
    CONFIDENCE, estimate_case, headline, is_operation_rate, knee_of, operations_per_second, search_rate,
};
pub use goal::{AbortCause, abort_cause, goals_outcome};
pub use measure::{
    PlaceCourse, cpus_allowed, cpus_online, peak as peak_throughput, place_courses,
    sustained as sustained_throughput,
};
pub use path_use::{BY_PACKETS, LimitUse, PathPart, PathUse, is_of_other_end, path_of};
pub use ramp::{RampBreak, ramp_break};
pub use remedy::{Remedy, remedies};
pub use siblings::Siblings;
pub use utilization::measured_limits;
pub use validity::late::is_kept as keeps_rate;
pub use validity::slow_target::is_slow as is_slow_target;

/// Raised when estimates or rules change.
pub const VERSION: u32 = 22;

/// Above this share of a limit that was measured, the limit was measured too low: what
/// differs by chance from run to run is less.
pub const MEASURED_TOO_LOW: f64 = 1.05;

/// What the findings of all rules say in English, in Fluent.
pub fn english() -> impl Iterator<Item = &'static str> {
    let of_rules = RULES.iter().map(|rule| rule.english);
    let shared = [measure::ENGLISH, deviation::untested::ENGLISH, proof::ENGLISH, ramp::ENGLISH];
    let of_checks = check::checks().map(|check| check.english);
    of_rules
        .chain(of_checks)
        .chain(shared)
        .chain(answer::ENGLISH)
        .chain(validity::SHARED.iter().chain(bottleneck::ENGLISH).chain(comparison::ENGLISH).copied())
}

/// The words of a language; those of English have the sentences that stand beside
/// the rules.
#[must_use]
pub fn words(language: Language) -> &'static Words {
    static ENGLISH: OnceLock<Words> = OnceLock::new();
    match language {
        Language::English => ENGLISH.get_or_init(|| Words::english_with(english())),
        _ => language.words(),
    }
}

/// Writes what findings of rules say in English.
pub fn write_english<'a>(findings: impl IntoIterator<Item = &'a mut model::Finding>) {
    findings.into_iter().for_each(|finding| words(Language::English).write(finding));
}

/// One rule: looks at a case and says what it finds.
pub struct Rule {
    /// Its name, the code of its findings.
    pub code: &'static str,
    /// What it looks for, in a sentence or two.
    pub doc: &'static str,
    /// What its findings and their evidence say in English, in Fluent.
    pub english: &'static str,
    /// How it looks.
    pub check: RuleCheck,
}

impl Rule {
    /// What it finds. The sentences are made from codes and arguments at the end.
    #[must_use]
    pub fn look(&self, case: &CaseResult, context: &Context<'_>) -> Vec<model::Finding> {
        match self.check {
            RuleCheck::One(check) => check(case, context).into_iter().collect(),
            RuleCheck::Many(check) => check(case, context),
        }
    }
}

/// How a rule looks at a case.
pub enum RuleCheck {
    /// It finds one thing or nothing.
    One(fn(&CaseResult, &Context<'_>) -> Option<model::Finding>),
    /// It may find several.
    Many(fn(&CaseResult, &Context<'_>) -> Vec<model::Finding>),
}

/// What rules may look at beside the case.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// How the study was measured.
    pub controls: &'a Controls,
    /// The metric that the case's workload shows first.
    pub headline: Option<MetricName>,
    /// The machine that was measured.
    pub machine: Option<&'a Machine>,
    /// What the user was promised.
    pub expect: Option<&'a Expect>,
    /// All cases of the run, this one too.
    pub siblings: &'a Siblings<'a>,
}

impl<'a> Context<'a> {
    /// What there is to look at beside a case of `run`.
    pub(crate) fn of(run: &'a Run, case: &CaseResult, siblings: &'a Siblings<'a>) -> Self {
        Self {
            controls: &run.study.controls,
            headline: headline(case).map(|(name, _)| name),
            machine: run.machines.first(),
            expect: Some(&run.study.expect),
            siblings,
        }
    }

    /// The metric that the case's workload shows first, with its estimate.
    pub(crate) fn headline_estimate<'c>(&self, case: &'c CaseResult) -> Option<(MetricName, &'c Estimate)> {
        let metric = self.headline?;
        Some((metric, case.loads.main.estimates.get(&metric)?))
    }
}

/// Every rule.
pub const RULES: &[Rule] = &[
    validity::failed::RULE,
    validity::operations_failed::RULE,
    validity::precision::RULE,
    validity::outlier::RULE,
    validity::stalled::RULE,
    validity::settling::RULE,
    validity::late::RULE,
    validity::memory_backed::RULE,
    validity::page_cache::RULE,
    validity::cache_speed::RULE,
    validity::cache_absorbed::RULE,
    validity::loop_cache::RULE,
    validity::cache_too_small::RULE,
    validity::sparse::RULE,
    validity::drive_cache::RULE,
    validity::same_place::RULE,
    validity::unwritten::RULE,
    validity::content::RULE,
    validity::burst::RULE,
    validity::never_steady::RULE,
    validity::durable::RULE,
    validity::engine_forbidden::RULE,
    validity::placement::RULE,
    validity::reconcile::RULE,
    validity::uncounted::RULE,
    validity::split::RULE,
    validity::merged::RULE,
    validity::read_ahead::RULE,
    validity::nothing_driven::RULE,
    validity::others_io::RULE,
    validity::array_busy::RULE,
    validity::stripe_lost::RULE,
    validity::small_sectors::RULE,
    validity::misaligned_start::RULE,
    validity::discard_lost::RULE,
    validity::little::RULE,
    validity::queue_measured::RULE,
    validity::uneven::RULE,
    validity::slow_target::RULE,
    validity::zones::RULE,
    validity::fast_head::RULE,
    validity::disturbed::RULE,
    validity::steal::RULE,
    validity::throttled::RULE,
    validity::slowed_down::RULE,
    validity::hardware_errors::RULE,
    validity::temperature::RULE,
    validity::more_threads::RULE,
    validity::more_than_quota::RULE,
    validity::smt_shared::RULE,
    validity::core_kinds::RULE,
    validity::instructions_absent::RULE,
    validity::numa_remote::RULE,
    validity::device_node::RULE,
    validity::cost_per_operation::RULE,
    validity::fits_in_cache::RULE,
    validity::cache_claim::RULE,
    validity::swapping::RULE,
    validity::setting_without_effect::RULE,
    validity::generator::RULE,
    validity::no_wire::RULE,
    validity::other_route::RULE,
    validity::packet_size::RULE,
    validity::packet_unknown::RULE,
    validity::packets_dropped::RULE,
    validity::paused::RULE,
    validity::short_transfer::RULE,
    validity::durability_off::RULE,
    validity::database_in_memory::RULE,
    validity::buffers_small::RULE,
    validity::buffers_filling::RULE,
    validity::checkpoint_stalls::RULE,
    validity::server_counts::RULE,
    validity::extra_work::RULE,
    validity::repeated_inserts::RULE,
    validity::few_trials::RULE,
    validity::observer_cost::RULE,
    validity::trace_lost::RULE,
    validity::acknowledged::RULE,
    validity::resync_held::RULE,
    deviation::promise::RULE,
];

/// What each finding means: its code and a sentence or two, rules first, then
/// what may hold a result back.
#[must_use]
pub fn explained() -> Vec<(&'static str, &'static str)> {
    let rules = RULES.iter().map(|rule| (rule.code, rule.doc));
    let verdicts = bottleneck::CODES.iter().chain(proof::CODES).copied();
    let rules = rules.chain(check::checks().map(|check| (check.code, check.doc)));
    rules.chain([deviation::untested::CODE, ramp::CODE]).chain(answer::CODES).chain(verdicts).collect()
}

/// What more would buy of each case of a run whose findings are made.
fn gains(run: &Run) -> Vec<Vec<Gain>> {
    let siblings = Siblings::of(&run.cases);
    let of = |case: &CaseResult| {
        let rules = Context::of(run, case, &siblings);
        let context = gain::GainContext { rules, definitions: &run.definitions, cases: &run.cases };
        gain::of_case(case, &context)
    };
    let remembered = measure::Remembered::of(run);
    parallel::map(&run.cases, |case| remembered.with(|| of(case)))
}

/// The codes of all verdicts.
pub fn verdicts() -> impl Iterator<Item = &'static str> {
    bottleneck::CODES.iter().map(|(code, _)| *code)
}

/// What cases of a role say of each case: `of` looks through all of them, and most runs have none.
fn of_each<T>(
    run: &Run,
    is_told_by: fn(&CaseRole) -> bool,
    of: fn(&Run, usize) -> Option<T>,
) -> Vec<Option<T>> {
    let is_told = run.cases.iter().any(|case| is_told_by(&case.role));
    (0..run.cases.len()).map(|place| is_told.then(|| of(run, place)).flatten()).collect()
}

/// Makes all estimates, shares of limits and findings of a run anew.
pub fn derive(run: &mut Run) {
    derive_with_results(run);
}

/// The same. Returns what is found in each result of another tool, by its place among all: which of the results of a case
/// a finding is about. The sentences of these findings are not written.
pub fn derive_with_results(run: &mut Run) -> Vec<Vec<model::Finding>> {
    parallel::update(&mut run.cases, |case| {
        estimate_case(case, &run.definitions);
        case.utilization = run.machines.first().map(|m| utilization::of_case(case, m)).unwrap_or_default();
        let far: Vec<_> = run.machines.iter().skip(1).flat_map(|m| utilization::of_far(case, m)).collect();
        case.utilization.extend(far);
        case.utilization.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    });
    let proofs = of_each(run, |role| matches!(role, CaseRole::Proof { .. }), proof::of_case);
    for (case, proof) in run.cases.iter_mut().zip(proofs) {
        case.proof = proof;
    }
    let effects = of_each(run, |role| matches!(role, CaseRole::Observed { .. }), observed::of_case);
    for (case, effect) in run.cases.iter_mut().zip(effects) {
        case.observer_effect = effect;
    }
    let siblings = Siblings::of(&run.cases);
    let judge = |case: &CaseResult| {
        let context = Context::of(run, case, &siblings);
        // Of what was left out there are no figures to doubt.
        if !case.trials.is_empty() && case.trials.iter().all(|trial| trial.status == Status::Skipped) {
            return validity::failed::RULE.look(case, &context);
        }
        if case.is_auxiliary() {
            // What it is there for is the search; only that it failed is news,
            let mut found = validity::failed::RULE.look(case, &context);
            // and of a share of the most that it was none.
            if matches!(case.role, model::run::CaseRole::Share { .. }) {
                found.extend(validity::late::RULE.look(case, &context));
            }
            return found;
        }
        let mut found: Vec<_> = RULES.iter().flat_map(|rule| rule.look(case, &context)).collect();
        found.extend(bottleneck::check(case, &context).into_iter().map(|mut verdict| {
            if verdict.code == "cannot-tell" {
                let more = remedy::more_would_do(case, &context, &verdict.evidence);
                verdict.evidence.extend(more);
            }
            verdict
        }));
        // A level that was added for another's verdict needs none of its own.
        let is_extra = matches!(case.role, model::run::CaseRole::Extra { .. });
        found.retain(|finding| !(is_extra && finding.code == "cannot-tell"));
        found
    };
    let remembered = measure::Remembered::of(&*run);
    // What another tool printed is judged by checks of its own.
    let is_ours = run.tool_outputs.is_empty();
    let look = |case: &CaseResult| if is_ours { remembered.with(|| judge(case)) } else { Vec::new() };
    let findings = parallel::map(&run.cases, look);
    for (case, findings) in run.cases.iter_mut().zip(findings) {
        case.findings = findings;
    }
    let proofs: Vec<_> = (0..run.cases.len()).map(|place| proof::finding(run, place)).collect();
    for (case, proof) in run.cases.iter_mut().zip(proofs) {
        case.findings.extend(proof);
    }
    let (gains, held) = (gains(run), goal::of_cases(run));
    for ((case, gains), held) in run.cases.iter_mut().zip(gains).zip(held) {
        (case.gains, case.goals) = (gains, held);
    }
    run.findings = deviation::untested::check(run);
    run.findings.extend(answer::check(run));
    run.findings.extend(ramp::check(run));
    let found = check::derive(run);
    parallel::update(&mut run.cases, |case| write_english(&mut case.findings));
    write_english(&mut run.findings);
    run.analysis = AnalysisInfo { version: VERSION };
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_of_a_rule_is_read_whole() {
        assert_eq!(words(Language::English).damaged(), Vec::<&str>::new());
    }
}
