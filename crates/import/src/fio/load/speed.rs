//! How fast a job may go: a rate, or the latency that it has to hold.

use super::pattern::Doing;
use super::place::TargetLayout;
use super::{Load, block, percent, seconds};
use crate::diagnostic::Diagnostic;

/// The most that is asked, in percent: that all operations keep to something,
/// no number of them can show.
const KEPT_MAX: f64 = 99.9;

pub(super) fn take(
    load: &mut Load<'_>,
    doing: &Doing,
    sizes: &[block::Part],
    place: &TargetLayout,
) -> Result<(), Diagnostic> {
    let job = load.job;
    let Some(target) = job.seconds("latency_target") else { return rate(load, doing, sizes, place) };
    for name in ["rate_iops", "rate"] {
        load.note(name, "with latency_target, the rate is what is searched");
    }
    let asked = job.decimal("latency_percentile").unwrap_or(100.0);
    if asked > KEPT_MAX {
        load.note(
            "latency_target",
            "fio would ask it of all operations, which no number of them can show; here of 99.9 %",
        );
    }
    let kept = asked.min(KEPT_MAX);
    load.put("latency-target", "latency_target", format!("{}@{}", seconds(target), percent(kept / 100.0)))
}

/// Operations per second of all clones. fio has a rate for each kind of
/// operation; here the whole has one.
fn rate(
    load: &mut Load<'_>,
    doing: &Doing,
    sizes: &[block::Part],
    place: &TargetLayout,
) -> Result<(), Diagnostic> {
    let job = load.job;
    let from =
        if job.each("rate_iops").iter().any(|r| r.is_some_and(|r| r > 0)) { "rate_iops" } else { "rate" };
    let unit = if from == "rate" { block::mean(sizes) } else { 1.0 };
    let used = job.each(from).into_iter().zip(doing.shares()).filter(|(_, share)| *share > 0.0);
    let used: Vec<(u64, f64)> = used.map(|(rate, share)| (rate.unwrap_or(0), share)).collect();
    let sum = used.iter().fold(0u64, |sum, (rate, _)| sum.saturating_add(*rate));
    if sum == 0 {
        return Ok(());
    }
    if used.iter().any(|(rate, _)| *rate == 0) {
        load.note(from, "fio would limit reads or writes alone; here neither is");
        return Ok(());
    }
    if used.iter().any(|(rate, share)| (*rate as f64 / sum as f64 - share).abs() > 0.005) {
        load.note(
            from,
            "fio would hold reads and writes each to a rate; here both together, in the shares of the mix",
        );
    }
    let rate = sum as f64 / unit * place.clones as f64;
    load.put("rate", from, format!("{}/s", (rate * 1000.0).round() / 1000.0))?;
    match job.word("rate_process") {
        Some(("poisson", _)) => load.put("arrivals", "rate_process", "poisson"),
        _ => Ok(()),
    }
}
