//! Writes on a device that was not brought to a steady state. A flash drive
//! that is new, or was left alone, has room prepared and a fast cache; when both
//! are used up it writes slower, for as long as it is written (SNIA, Solid State
//! Storage Performance Test Specification 2.0.2, section 2.1). Before twice the
//! span and any known cache were written, a figure is that of a burst.

use model::finding::{Evidence, Place};
use model::profile::{LoadEnd, OperationClass, TargetState};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, metric};

use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// The span must be written so many times before its end is not its start.
const TIMES: u64 = 2;

pub(crate) const RULE: Rule = Rule {
    code: "not-preconditioned",
    doc: "Writes on a device that was not brought to a steady state first. A burst: fewer bytes were written than twice \
         the span, or than the drive's own cache. Hard disks have no such state.",
    english: r#"
finding-not-preconditioned =
    { $how ->
        [span] a burst: { BINARY($written) } were written, less than twice the { BINARY($span) } that are
            touched; { RESOURCE($resource) } may be slower when { pronoun-it } { verb-is } written for longer
        [cache] a burst: { BINARY($written) } were written, less than the { BINARY($cache) } of cache on
            { RESOURCE($resource) }
       *[state] nothing was preconditioned: { RESOURCE($resource) } may be slower in a steady state
    }
    .advice = precondition=full brings a device that was given up to its steady state; it takes hours

evidence-written = { BINARY($bytes) } written
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let writes = measure::does(case, OperationClass::Write) && measure::is_direct(case);
    let full = is_steady(case);
    if !writes || full || measure::is_null(case) {
        return None;
    }
    let disks = measure::wholes(case, context.machine);
    let has_state = |d: &&&model::machine::BlockDevice| {
        !measure::is_platter(context.machine, d) && !measure::is_memory(d)
    };
    let resource = measure::devices_name(case)?;
    if !disks.is_empty() && !disks.iter().any(|d| has_state(&d)) {
        return None;
    }
    let written = written(case)?;
    let profile = measure::profile(case);
    let targets = profile.targets.max(1);
    // What each trial fills to the end is written whole.
    let is_whole = profile.end == LoadEnd::Full;
    let span = measure::span(case).filter(|_| !is_whole).map(|span| span.saturating_mul(targets));
    let twice = span.map(|span| span.saturating_mul(TIMES)).filter(|least| written < *least);
    let cache = disks.iter().filter_map(|d| d.cache_bytes).sum::<u64>();
    let how = match twice {
        Some(_) => "span",
        None if written < cache => "cache",
        // Once is enough to know.
        None if is_first(case, context) => "state",
        None => return None,
    };
    let metric = if measure::is_mixed(case) { metric::WRITE_THROUGHPUT } else { metric::THROUGHPUT };
    let evidence = Evidence::at("written", Place::Metric(metric));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
            .general()
            .on(resource)
            .arg("how", how)
            .arg("written", written)
            .arg("span", span.unwrap_or(0))
            .arg("cache", cache)
            .because(evidence.arg("bytes", written)),
    )
}

fn is_first(case: &CaseResult, context: &Context<'_>) -> bool {
    context.siblings.is_first(case, "burst", |c| {
        let writes = measure::does(c, OperationClass::Write) && measure::is_direct(c);
        writes && !is_steady(c) && written(c).is_some()
    })
}

/// Whether its targets were brought to a steady state first.
fn is_steady(case: &CaseResult) -> bool {
    measure::profile(case).target_state == TargetState::Steady
}

/// Bytes that the windows of all trials wrote.
fn written(case: &CaseResult) -> Option<u64> {
    let of = |t| measure::bytes_in(case, t, OperationClass::Write);
    let all: Vec<f64> = measure::good(case).filter_map(of).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::BlockDevice;
    use model::study::Controls;

    fn machine(rotational: bool, cache: Option<u64>) -> Machine {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            rotational: Some(rotational),
            transport: Some("sata".to_owned()),
            cache_bytes: cache,
            ..BlockDevice::default()
        });
        machine
    }

    /// Three trials of one second.
    fn hows(machine: &Machine, rate: f64, change: impl Fn(&mut CaseResult)) -> Vec<String> {
        let mut case = fixture::disk_case("randwrite", rate, rate);
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "span", 128u64 << 20);
        change(&mut case);
        let controls = Controls::default();
        let context = Context { machine: Some(machine), ..fixture::context(&controls) };
        fixture::found(&RULE, &case, &context).iter().map(|f| f.args["how"].to_string()).collect()
    }

    #[test]
    fn writes_of_a_moment_are_a_burst() {
        let drive = machine(false, Some(512 << 20));
        assert_eq!(hows(&drive, 50e6, |_| {}), ["span"]);
        assert_eq!(hows(&drive, 150e6, |_| {}), ["cache"]);
        assert_eq!(hows(&drive, 300e6, |_| {}), ["state"]);
        let none = Vec::<String>::new();
        assert_eq!(hows(&drive, 50e6, |c| fixture::set(c, "precondition", "full")), none);
        assert_eq!(hows(&drive, 50e6, |c| fixture::set(c, "direct", false)), none);
        assert_eq!(hows(&drive, 50e6, |c| fixture::set(c, "pattern", "randread")), none);
        assert_eq!(hows(&machine(true, None), 50e6, |_| {}), none, "platters have no such state");
    }

    #[test]
    fn that_a_device_is_in_no_known_state_is_said_once() {
        let mut case = fixture::disk_case("randwrite", 300e6, 300e6);
        fixture::set(&mut case, "direct", true);
        let cases = [case.clone(), case];
        let controls = Controls::default();
        let context = Context { siblings: &crate::Siblings::of(&cases), ..fixture::context(&controls) };
        let count = |case| fixture::found(&RULE, case, &context).len();
        assert_eq!((count(&cases[0]), count(&cases[1])), (1, 0));
    }
}
