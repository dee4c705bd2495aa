//! What holds the clock of cores that are full: they compute as fast as it goes. Policy may keep it below what the hardware
//! can, a governor may keep it low, and heat or power may slow it down. Where the clock was seen to be that low while the cores were
//! full, it is what holds the load back, and has the name: more cores, or less work, are not the only ways to more. Where
//! nobody saw the clock, it stands beside the cores.

use std::ops::RangeInclusive;

use model::finding::{Evidence, Place};
use model::machine::Frequency;
use model::run::CaseResult;
use model::trial::LOCAL;
use model::{Finding, Resource, Severity, Trial, Value, series};

use super::finding as of_code;
use crate::validity::throttled;
use crate::{Context, measure};

/// Verdicts on the cores of the machine that drives.
const OF_CORES: [&str; 3] = ["one-core-full", "own-cores-full", "all-cores-full"];

/// Policies are whole steps, and what is read of a clock is rounded: what differs by less is the same.
const SAME: f64 = 0.02;

/// A clock that is this share of what it could be, or less, is what holds cores back; the nearer one is, the more it is the cores.
const LOW: f64 = 0.9;

/// Governors that keep one clock whatever the load, and drivers for which the word means another one: those choose by
/// themselves, within a preference (`Documentation/admin-guide/pm/intel_pstate.rst`, `amd-pstate.rst`).
const STEADY: [&str; 2] = ["powersave", "userspace"];
const CHOOSING: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

/// The setting that holds the clock.
const SETTING: &str = "frequency-max";

pub(super) const ENGLISH: &str = r#"
finding-clock-held =
    the clock of the processor holds this back: { $by ->
        [policy] policy holds it to { SHORT($most_hz, unit: "Hz") }, of { SHORT($could_hz, unit: "Hz") } that the hardware can
        [governor] the governor { $governor } keeps it at { SHORT($seen_hz, unit: "Hz") }, of { SHORT($could_hz, unit: "Hz") } that it
            may have
        [power] a limit of power slowed it down to { SHORT($seen_hz, unit: "Hz") }, of { SHORT($could_hz, unit: "Hz") }
       *[heat] heat slowed it down to { SHORT($seen_hz, unit: "Hz") }, of { SHORT($could_hz, unit: "Hz") }
    }, and { $cores ->
        [one] the core of each of its threads is full
        [own] the CPUs that it may run on are full
       *[all] all CPUs are full
    } at that
    .advice =
        { $by ->
            [policy] raise scaling_max_freq (`cpupower frequency-set -u`, --set frequency-max), or look at who holds it: a tuning service,
                a profile of power
            [governor] take the governor performance (`cpupower frequency-set -g performance`, --set governor=performance)
            [power] look at the limits of power (powercap, firmware, the supply)
           *[heat] look at fans, dust and the temperature of the room
        }

evidence-clock-held =
    policy holds the clock to { SHORT($most_hz, unit: "Hz") }, of { SHORT($hardware_hz, unit: "Hz") } that the hardware can
evidence-clock-seen = the fastest CPU was seen at { SHORT($seen_hz, unit: "Hz") }
"#;

/// That policy holds the clock below what the hardware can.
pub(super) fn held(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    if !is_of_cores(named) {
        return None;
    }
    let (most_hz, hardware_hz) = held_to(case, frequency(context)?)?;
    let evidence = Evidence::at("clock-held", Place::Inventory(Resource::CPUS));
    Some(evidence.arg("most_hz", most_hz).arg("hardware_hz", hardware_hz))
}

fn frequency<'a>(context: &Context<'a>) -> Option<&'a Frequency> {
    context.machine?.inventory.cpu.frequency.as_ref()
}

/// What policy holds the clock to, and what the hardware can, Hz.
fn held_to(case: &CaseResult, frequency: &Frequency) -> Option<(f64, f64)> {
    let set = case.settings.get(SETTING).and_then(|states| {
        let ours = states.iter().find(|state| state.machine == LOCAL);
        ours?.read_back.as_ref()?.number()
    });
    let (most_hz, hardware_hz) =
        (set.or(frequency.max_hz.map(|hz| hz as f64))?, frequency.hardware_max_hz? as f64);
    // Without turbo the highest rate is out of reach anyway.
    let has_turbo = frequency.boost != Some(false);
    let is_held = most_hz > 0.0 && most_hz < (1.0 - SAME) * hardware_hz;
    let clocks = measure::good(case).flat_map(|trial| &trial.result.local().series);
    let clocks = clocks.filter(|one| one.name == series::FREQUENCY);
    let highest = clocks.flat_map(|one| one.values.iter().copied()).reduce(f64::max);
    // A setting of the study may have lifted it since.
    let is_passed = highest.is_some_and(|hz| hz > (1.0 + SAME) * most_hz);
    (has_turbo && is_held && !is_passed).then_some((most_hz, hardware_hz))
}

/// That a processor slowed itself down, for heat or to keep within its power, by its own count.
pub(super) fn slowed(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let found = throttled::RULE.look(case, context).into_iter().next().filter(|_| is_of_cores(named))?;
    found.evidence.into_iter().next()
}

fn is_of_cores(named: &Finding) -> bool {
    OF_CORES.contains(&named.code.as_str())
}

/// Why a clock is low.
struct Low {
    by: &'static str,
    /// What it could be, Hz.
    could_hz: f64,
    /// What policy allows, Hz.
    most_hz: f64,
    governor: String,
}

/// The verdict on full cores whose clock was seen to be low: it is the clock that holds the load back.
pub(super) fn named(finding: Finding, case: &CaseResult, context: &Context<'_>) -> Finding {
    let low = || {
        let seen_hz = seen(case).filter(|_| is_of_cores(&finding))?;
        Some((low(case, context, seen_hz)?, seen_hz))
    };
    let Some((Low { by, could_hz, most_hz, governor }, seen_hz)) = low() else { return finding };
    let cores = match finding.code.as_str() {
        "one-core-full" => "one",
        "own-cores-full" => "own",
        _ => "all",
    };
    let place = |trial: &Trial| {
        let all = trial.result.local().series.iter().find(|one| one.name == series::FREQUENCY)?;
        Some(Place::Series { resource: all.resource.clone(), name: series::FREQUENCY })
    };
    let place = measure::good(case).find_map(place);
    let evidence = Evidence::maybe_at("clock-seen", place).arg("seen_hz", seen_hz);
    let held = of_code("clock-held", Severity::Warning)
        .on(Resource::CPUS)
        .arg("by", by)
        .arg("could_hz", could_hz)
        .arg("most_hz", most_hz)
        .arg("seen_hz", seen_hz)
        .arg("governor", governor)
        .arg("cores", cores);
    Finding { ruled_out: finding.ruled_out, ..held.because(evidence).because_all(finding.evidence) }
}

/// The clock of the fastest CPU in the window, Hz: that of a thread that computes, for the others sleep or are as fast.
fn seen(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let clocks = trial.result.local().series.iter().filter(|one| one.name == series::FREQUENCY);
        let middle = |one| {
            let inside = measure::within_window(trial, one).filter(|values| !values.is_empty());
            stats::interval::median(inside.unwrap_or(&one.values))
        };
        clocks.filter_map(middle).reduce(f64::max).filter(|hz| *hz > 0.0)
    };
    measure::median(case, of)
}

fn low(case: &CaseResult, context: &Context<'_>, seen_hz: f64) -> Option<Low> {
    let frequency = frequency(context)?;
    let hardware_hz = frequency.hardware_max_hz.map(|hz| hz as f64);
    let low = |by, could_hz: f64, most_hz: f64, governor: &str| {
        (seen_hz <= LOW * could_hz).then(|| Low { by, could_hz, most_hz, governor: governor.to_owned() })
    };
    let is_at = |hz: f64| -> bool {
        let same: RangeInclusive<f64> = (1.0 - SAME) * hz..=(1.0 + SAME) * hz;
        same.contains(&seen_hz)
    };
    let by_policy = || {
        let (most_hz, hardware_hz) = held_to(case, frequency)?;
        low("policy", hardware_hz, most_hz, "").filter(|_| is_at(most_hz))
    };
    // With all cores at work turbo goes less high than with one: what is guaranteed is what a cool processor has.
    let sustained_hz = frequency.base_hz.map(|hz| hz as f64).or(if frequency.boost == Some(false) {
        hardware_hz
    } else {
        None
    });
    let by_governor = || {
        let [governor] = &frequency.governors[..] else { return None };
        let chooses = frequency.driver.as_deref().is_some_and(|driver| CHOOSING.contains(&driver));
        let is_steady = STEADY.contains(&governor.as_str()) && !chooses;
        let could_hz = sustained_hz.or(frequency.max_hz.map(|hz| hz as f64))?;
        low("governor", could_hz, seen_hz, governor).filter(|_| is_steady)
    };
    let by_itself = || {
        let found = throttled::RULE.look(case, context).into_iter().next()?;
        let of = |name: &str| found.args.get(name)?.number();
        let is_usual = of("trials")? * 2.0 >= of("of")?;
        let is_power = found.args.get("why").is_some_and(|why| *why == Value::from("power"));
        low(if is_power { "power" } else { "heat" }, sustained_hz?, seen_hz, "").filter(|_| is_usual)
    };
    by_policy().or_else(by_governor).or_else(by_itself)
}

#[cfg(test)]
mod tests;
