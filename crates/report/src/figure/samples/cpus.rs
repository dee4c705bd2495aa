//! How busy each CPU was, a row a CPU.

use chart::plot::{CpuLoad, CpuRow};
use language::Words;
use model::trial::{Placement, Series};
use model::{ResourceKind, SeriesName, series};

use super::{SampledTrial, extent};

/// States in which a CPU works, or is kept from it by a hypervisor. Waiting for
/// I/O is idleness.
const BUSY: &[SeriesName] =
    &[series::USER, series::NICE, series::SYSTEM, series::IRQ, series::SOFTIRQ, series::STEAL];

/// The load of each CPU, where there are several.
pub(super) fn of(sampled_trial: &SampledTrial<'_>) -> Option<CpuLoad> {
    let mut numbers: Vec<u32> = sampled_trial.series().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() < 2 {
        return None;
    }
    let words = sampled_trial.view.words;
    // Where workers were placed is known of the end that drives.
    let placement = sampled_trial.trial.result.placement.as_ref().filter(|_| sampled_trial.far.is_none());
    let cpus: Vec<CpuRow> =
        numbers.into_iter().filter_map(|cpu| row(sampled_trial, cpu, note(words, placement, cpu))).collect();
    if cpus.len() < 2 {
        return None;
    }
    let span = extent(cpus.iter().map(|c| (c.start_s, c.interval_s, c.busy.len())), &sampled_trial.window);
    Some(CpuLoad { span, window: Some((0.0, sampled_trial.window.seconds())), cpus })
}

fn number(series: &Series) -> Option<u32> {
    let states = BUSY.iter().chain(&[series::IDLE, series::IOWAIT]);
    let number = series.resource.named(ResourceKind::Cpu)?;
    if states.into_iter().any(|s| *s == series.name) { number.parse().ok() } else { None }
}

/// The busy share of one CPU. States that never occurred have no series; a CPU
/// that was idle all the time has that one.
fn row(sampled_trial: &SampledTrial<'_>, cpu: u32, note: Option<String>) -> Option<CpuRow> {
    let own: Vec<&Series> = sampled_trial.series().filter(|s| number(s) == Some(cpu)).collect();
    let mut base = sampled_trial.track(own.first()?, String::new(), 0.0)?;
    for series in own.iter().filter(|s| BUSY.contains(&s.name)) {
        let Some(track) = sampled_trial.track(series, String::new(), 1.0) else { continue };
        // Of one sampler, so that intervals match; what does not is left out.
        if track.start_s == base.start_s && track.interval_s == base.interval_s {
            base.values.resize(base.values.len().max(track.values.len()), 0.0);
            base.values.iter_mut().zip(&track.values).for_each(|(sum, v)| *sum += v);
        }
    }
    let busy = base.values.into_iter().map(|v| if v.is_finite() { v.clamp(0.0, 1.0) } else { v }).collect();
    Some(CpuRow { cpu, start_s: base.start_s, interval_s: base.interval_s, busy, note })
}

/// What else the CPU did: workers of the load, interrupts of its device.
fn note(words: &Words, placement: Option<&Placement>, cpu: u32) -> Option<String> {
    let placement = placement?;
    let works = placement.workers.iter().any(|w| w.cpu == Some(cpu));
    let takes = placement.interrupts.iter().any(|i| i.cpus.contains(&cpu));
    match (works, takes) {
        (true, true) => Some(words.say("figure-cpu-both")),
        (true, false) => Some(words.say("figure-cpu-works")),
        (false, true) => Some(words.say("figure-cpu-interrupts")),
        (false, false) => None,
    }
}
