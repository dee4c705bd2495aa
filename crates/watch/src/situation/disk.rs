//! Disks: operations, bytes, latency and depth, against what was measured at mixes like this, and against links and
//! datasheets.

use model::limit::{Access, Direction, LimitKind};
use model::machine::BlockDevice;
use model::{Limit, Resource, ResourceKind, Unit, metric};

use super::{KnownLimit, LimitOrigin, LimitShare, ResourceActivity, ResourceRow, SituationInput, UseMeasure};
use crate::limit_book::age_s;
use crate::mix::{IoMix, MeasuredMix, range};

/// A demand that is so much more than what was measured says that it was something else.
const BEYOND: f64 = 1.15;
/// A datasheet's figure for a size holds for operations so much larger.
const LARGER: f64 = 1.1;
/// What the kernel calls them: orders to the device to make durable what it has in its cache.
const FLUSHES: &str = "flushes";
/// From this share of operations on, flushes are a part of the mix.
const SYNCED: f64 = 0.05;
/// Fewer operations in each second are no load to tell a mix of.
const FEW: f64 = 1.0;

pub(super) fn rows(input: &SituationInput<'_>) -> Vec<ResourceRow> {
    let known = |name: &String| input.inventory.block_device(name);
    input.scope.block.iter().filter_map(|name| row(input, name, known(name))).collect()
}

fn row(input: &SituationInput<'_>, name: &str, device: Option<&BlockDevice>) -> Option<ResourceRow> {
    let resource = Resource::of(ResourceKind::Block, name);
    let rate = |column: &str| input.readings.rate(&resource, column);
    let operations = [rate("reads")?, rate("writes")?];
    let bytes = [rate("read_sectors")?, rate("written_sectors")?];
    let times = [rate("read_ms"), rate("write_ms")];
    let latency_s = [0, 1].map(|way| Some(times[way]? / operations[way]).filter(|s| s.is_finite()));
    let depth = times.iter().flatten().sum();
    let all: f64 = operations.iter().sum();
    let mix = (all >= FEW)
        .then(|| IoMix { block_bytes: bytes.iter().sum::<f64>() / all, read_share: operations[0] / all });
    let mut uses = Vec::new();
    if let Some(mix) = mix {
        let flushes = rate(FLUSHES).unwrap_or_default();
        // What was measured of mixes was measured without syncs, which take time of their own.
        if flushes > SYNCED * all {
            uses.push(by_flushes(input, name, device, mix, flushes));
        } else {
            uses.extend(by_measured(input, name, device, mix, all));
        }
        uses.extend(by_limits(input, name, device, mix, operations, bytes));
    }
    let activity = ResourceActivity::Disk { operations, bytes, latency_s, depth, mix };
    Some(ResourceRow::new(resource, activity, uses))
}

/// A disk that is told to flush its cache so often, against what a run got that synced its writes.
fn by_flushes(
    input: &SituationInput<'_>,
    name: &str,
    device: Option<&BlockDevice>,
    mix: IoMix,
    demand: f64,
) -> LimitShare {
    let known = input.book.flushes.get(name).filter(|known| known.per_s > 0.0);
    let limit = known.filter(|known| demand <= known.per_s * BEYOND).map(|known| {
        let origin = LimitOrigin::Syncs { run: known.run.clone(), age_s: age_s(&known.started, input.now) };
        KnownLimit { low: known.per_s, high: known.per_s, origin }
    });
    let study = limit.is_none().then(|| study(device, IoMix { read_share: 0.0, ..mix })).flatten();
    let study = study.map(|words| words.into_iter().chain(["--sync", "fsync"].map(str::to_owned)).collect());
    LimitShare { measure: UseMeasure::Flushes, demand, unit: Unit::PerSecond, limit, study }
}

/// Against the nearest mixes that were measured.
fn by_measured(
    input: &SituationInput<'_>,
    name: &str,
    device: Option<&BlockDevice>,
    mix: IoMix,
    demand: f64,
) -> Option<LimitShare> {
    let of_disk: Vec<MeasuredMix> =
        input.book.mixes.iter().filter(|known| known.device == name).cloned().collect();
    let found = range(&of_disk, mix).filter(|range| demand <= range.high * BEYOND);
    let limit = found.map(|range| {
        let from: Vec<&MeasuredMix> = range.from.iter().filter_map(|place| of_disk.get(*place)).collect();
        let mut runs: Vec<String> = from.iter().map(|known| known.run.clone()).collect();
        runs.sort();
        runs.dedup();
        let origin = LimitOrigin::Mixes {
            runs,
            age_s: from.iter().filter_map(|known| age_s(&known.started, input.now)).max(),
            mixes: from.iter().map(|known| (known.mix, known.order.clone())).collect(),
            by_latency: range.by_latency,
            knee: range.knee,
            is_shallow: range.is_shallow,
        };
        KnownLimit { low: range.low, high: range.high, origin }
    });
    let study = limit.is_none().then(|| study(device, mix)).flatten();
    // A device that holds no file system cannot be measured without harm to it.
    (limit.is_some() || study.is_some() || device.is_some_and(|d| d.mounts.is_empty())).then_some(
        LimitShare { measure: UseMeasure::Operations, demand, unit: Unit::PerSecond, limit, study },
    )
}

/// The short study that would measure what this disk gives at mixes around this one, in a folder on it.
fn study(device: Option<&BlockDevice>, mix: IoMix) -> Option<Vec<String>> {
    let device = device?;
    let is_data = |point: &&str| !point.starts_with("/boot") && *point != "/etc";
    let point = device.mounts.iter().map(|mount| mount.point.as_str()).find(is_data)?;
    let pattern = match mix.read_share {
        share if share > 0.975 => "randread",
        share if share < 0.025 => "randwrite",
        _ => "randrw",
    };
    let below = power_of_two_below(mix.block_bytes);
    let sizes = [below, below.saturating_mul(2)].map(|size| size.clamp(512, 16 << 20));
    let written = |size: u64| if size < 1024 { format!("{size}") } else { format!("{}k", size / 1024) };
    let mut words: Vec<String> =
        ["run", "disk", "--target", point, "--pattern", pattern].map(str::to_owned).into();
    if pattern == "randrw" {
        words.extend(["--read-share".to_owned(), format!("{:.0}%", mix.read_share * 100.0)]);
    }
    words.extend(["--block-size".to_owned(), sizes.map(written).join(",")]);
    words.extend(["--queue-depth", "1..64"].map(str::to_owned));
    Some(words)
}

fn power_of_two_below(bytes: f64) -> u64 {
    let whole = bytes.max(512.0) as u64;
    1 << whole.ilog2()
}

/// Against what links and datasheets say.
fn by_limits(
    input: &SituationInput<'_>,
    name: &str,
    device: Option<&BlockDevice>,
    mix: IoMix,
    operations: [f64; 2],
    bytes: [f64; 2],
) -> Vec<LimitShare> {
    let own =
        [ResourceKind::Block, ResourceKind::Sata, ResourceKind::Usb].map(|kind| Resource::of(kind, name));
    let link = device.and_then(|d| d.pci.as_ref()).map(|address| Resource::of(ResourceKind::Pci, address));
    let is_here = |limit: &&Limit| own.contains(&limit.resource) || link.as_ref() == Some(&limit.resource);
    let used = |limit: &Limit| {
        // A control group's throttle holds that group; it has a line of its own.
        if limit.kind == LimitKind::Quota && limit.allowance.is_none() {
            return None;
        }
        let most = limit.bound()?;
        let is_random = limit.access == Some(Access::Random);
        if limit.block_bytes.is_some_and(|block| mix.block_bytes > block as f64 * LARGER || !is_random) {
            return None;
        }
        let (measure, demand) = match (limit.quantity, limit.direction) {
            (metric::THROUGHPUT, Some(Direction::Read)) => (UseMeasure::BytesIn, bytes[0]),
            (metric::THROUGHPUT, Some(Direction::Write)) => (UseMeasure::BytesOut, bytes[1]),
            // What carries both ways at once is full when one of them is.
            (metric::THROUGHPUT, None) if limit.resource.kind().is_full_duplex() => {
                (UseMeasure::Bytes, bytes[0].max(bytes[1]))
            }
            (metric::THROUGHPUT, None) => (UseMeasure::Bytes, bytes.iter().sum()),
            (metric::IOPS, Some(Direction::Read)) => (UseMeasure::Reads, operations[0]),
            (metric::IOPS, Some(Direction::Write)) => (UseMeasure::Writes, operations[1]),
            (metric::IOPS, None) => (UseMeasure::Operations, operations.iter().sum()),
            _ => return None,
        };
        let origin = match limit.kind {
            LimitKind::Link => LimitOrigin::Link(limit.known_from()),
            LimitKind::Datasheet | LimitKind::Promise => LimitOrigin::Datasheet(limit.known_from()),
            LimitKind::Quota => LimitOrigin::Quota(limit.known_from()),
            LimitKind::Measured | LimitKind::Hardware => LimitOrigin::Hardware,
        };
        let known = KnownLimit { low: most, high: most, origin };
        Some(LimitShare { measure, demand, unit: limit.unit, limit: Some(known), study: None })
    };
    input.book.limits.iter().filter(is_here).filter_map(used).collect()
}
