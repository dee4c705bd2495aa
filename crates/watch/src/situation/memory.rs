//! Memory: what cannot be had at once, and what passes between it and the processors, where something counts that.

use machine::sampler::MEMORY_TRAFFIC;
use model::{Resource, ResourceKind, Unit, WorkloadName, series};

use super::{KnownLimit, LimitOrigin, LimitShare, ResourceActivity, ResourceRow, SituationInput, UseMeasure};
use crate::limit_book::age_s;

/// The kernel's estimate of what a program could have without swapping (`/proc/meminfo`).
const AVAILABLE: &str = "MemAvailable";

/// A demand that is so much more than what was measured says that it was something else.
const BEYOND: f64 = 1.15;

pub(super) fn rows(input: &SituationInput<'_>) -> Vec<ResourceRow> {
    row(input).into_iter().chain(traffic(input)).collect()
}

/// What passes between it and the processors, against what a run of the machine moved.
fn traffic(input: &SituationInput<'_>) -> Option<ResourceRow> {
    let bytes = input.readings.rate(&Resource::MEMORY, MEMORY_TRAFFIC)?;
    let limit = input.book.memory.as_ref().filter(|known| bytes <= known.per_s * BEYOND).map(|known| {
        let origin = LimitOrigin::Goodput { run: known.run.clone(), age_s: age_s(&known.started, input.now) };
        KnownLimit { low: known.per_s, high: known.per_s, origin }
    });
    let words = ["run", WorkloadName::MEMORY_BANDWIDTH.as_str()].map(str::to_owned);
    let study = limit.is_none().then(|| words.to_vec());
    let used =
        LimitShare { measure: UseMeasure::Bytes, demand: bytes, unit: Unit::BytesPerSecond, limit, study };
    let resource = Resource::of(ResourceKind::Memory, "bandwidth");
    Some(ResourceRow::new(resource, ResourceActivity::MemoryTraffic { bytes }, vec![used]))
}

fn row(input: &SituationInput<'_>) -> Option<ResourceRow> {
    let total = input.inventory.memory.total_bytes as f64;
    let available = input.readings.gauge(&Resource::MEMORY, AVAILABLE)?;
    let moved = [series::SWAPPED_IN, series::SWAPPED_OUT];
    let swapped = moved.iter().filter_map(|name| input.readings.rate(&Resource::MEMORY, name.as_str())).sum();
    let has_traffic = Some(input.readings.rate(&Resource::MEMORY, MEMORY_TRAFFIC).is_some());
    let used = (total - available).max(0.0);
    let limit = KnownLimit { low: total, high: total, origin: LimitOrigin::Hardware };
    let of_all = LimitShare {
        measure: UseMeasure::Memory,
        demand: used,
        unit: Unit::Bytes,
        limit: (total > 0.0).then_some(limit),
        study: None,
    };
    Some(ResourceRow::new(
        Resource::MEMORY,
        ResourceActivity::Memory { used, total, swapped, has_traffic },
        vec![of_all],
    ))
}
