//! Memory: what cannot be had at once.

use model::{Resource, Unit, series};

use super::{KnownLimit, LimitOrigin, LimitShare, ResourceActivity, ResourceRow, SituationInput, UseMeasure};

/// The kernel's estimate of what a program could have without swapping (`/proc/meminfo`).
const AVAILABLE: &str = "MemAvailable";

pub(super) fn row(input: &SituationInput<'_>) -> Option<ResourceRow> {
    let total = input.inventory.memory.total_bytes as f64;
    let available = input.readings.gauge(&Resource::MEMORY, AVAILABLE)?;
    let moved = [series::SWAPPED_IN, series::SWAPPED_OUT];
    let swapped = moved.iter().filter_map(|name| input.readings.rate(&Resource::MEMORY, name.as_str())).sum();
    let used = (total - available).max(0.0);
    let limit = KnownLimit { low: total, high: total, origin: LimitOrigin::Hardware };
    let of_all = LimitShare {
        measure: UseMeasure::Memory,
        demand: used,
        unit: Unit::Bytes,
        limit: (total > 0.0).then_some(limit),
        study: None,
    };
    Some(ResourceRow::new(Resource::MEMORY, ResourceActivity::Memory { used, total, swapped }, vec![of_all]))
}
