//! Processors: how many of them are busy.

use model::{Resource, ResourceKind, Unit};

use super::{KnownLimit, LimitOrigin, LimitShare, ResourceActivity, ResourceRow, SituationInput, UseMeasure};

/// What a CPU does that is work.
const BUSY: [&str; 5] = ["user", "nice", "system", "irq", "softirq"];

pub(super) fn row(input: &SituationInput<'_>) -> Option<ResourceRow> {
    let busy = |resource: &Resource| {
        BUSY.iter().filter_map(|name| input.readings.rate(resource, name)).reduce(|a, b| a + b)
    };
    let all = busy(&Resource::CPUS)?;
    let stolen = input.readings.rate(&Resource::CPUS, "steal").unwrap_or_default();
    let each = input.inventory.cpu.online.iter().map(|cpu| Resource::of(ResourceKind::Cpu, cpu));
    let busiest = each.filter_map(|cpu| busy(&cpu)).fold(0.0, f64::max).min(1.0);
    let online = input.inventory.cpu.online.len();
    // What a hypervisor gives to others is not there for more.
    let most = (online as f64 - stolen).max(0.0);
    let limit = KnownLimit { low: most, high: most, origin: LimitOrigin::Hardware };
    let used = LimitShare {
        measure: UseMeasure::Cpu,
        // Ticks of a counter, and edges of a window, may make it a little more.
        demand: all.min(online as f64),
        unit: Unit::One,
        limit: (online > 0).then_some(limit),
        study: None,
    };
    let activity = ResourceActivity::Processors { busy: all, online, stolen, busiest };
    Some(ResourceRow::new(Resource::CPUS, activity, vec![used]))
}
