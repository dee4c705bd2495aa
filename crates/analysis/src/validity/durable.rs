//! What syncs made durable: whether they reached the disks as flushes, and what
//! the kernel believes of the disks' caches.

use model::finding::{Evidence, Place};
use model::machine::{BlockDevice, BlockKind, Machine};
use model::profile::{Durability, OperationClass};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity, metric};

use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// So few syncs per second, and none of their flushes may be in the window.
const FEW: f64 = 1.0;

pub(crate) const RULE: Rule = Rule {
    code: "what-was-durable",
    doc: "What syncs made durable. A disk with a volatile cache needs a flush, or writes that go through it (FUA); of one \
         that says it has none the kernel asks neither. Syncs without a flush on a disk that needs one are no syncs.",
    english: r#"
finding-what-was-durable =
    { $how ->
        [through] the kernel takes { RESOURCE($resource) } to have no volatile cache and sends no flushes: what was
            synced is durable only if that is right
        [flushed] { SHORT($flushes, unit: "1/s") } flushes reached { RESOURCE($resource) } for
            { SHORT($syncs, unit: "1/s") } syncs: what was synced is durable if the disk{ plural-s } report{ verb-s } truthfully
        [fua] each write to { RESOURCE($resource) } went through { pronoun-its } cache{ plural-s } (FUA) and needs no flush: what was
            written is durable if { pronoun-it } report{ verb-s } truthfully
       *[none] no flush reached { RESOURCE($resource) } for { SHORT($syncs, unit: "1/s") } syncs, and the kernel
            takes { pronoun-them } to have a volatile cache: what was synced is not durable, and these are the figures of no sync
    }
    .advice =
        { $how ->
            [none] look for barrier=0 or nobarrier among the mount's options, or a layer that keeps flushes
           *[other] {""}
        }

evidence-write-cache =
    { $through ->
        [yes] cache: write through
       *[no] cache: write back
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let sync = &measure::profile(case).durability;
    let writes = measure::does(case, OperationClass::Write) && !measure::is_null(case);
    if *sync == Durability::None || !writes {
        return None;
    }
    let disks = disks(case, context.machine);
    let (Some(first), false) = (disks.first(), disks.iter().any(|d| d.write_cache.is_none())) else {
        return None;
    };
    let names: Vec<&str> = disks.iter().map(|d| d.name.as_str()).collect();
    let resource = Resource::of(ResourceKind::Block, names.join("+"));
    let place = Place::Inventory(Resource::of(ResourceKind::Block, &first.name));
    let cache = first.write_cache.clone().unwrap_or_default();
    let believed = Evidence::at("write-cache", place).arg("through", cache.contains("through"));
    let new = |severity, how: &str| {
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .general()
            .on(resource.clone())
            .arg("how", how)
            .because(believed.clone())
    };
    if disks.iter().any(|d| d.write_cache.as_deref() == Some("write through")) {
        return Some(new(Severity::Note, "through"));
    }
    let flushes = measure::median(case, |t| {
        disks.iter().map(|d| measure::rate(t, &Resource::of(ResourceKind::Block, &d.name), "flushes")).sum()
    });
    let (flushes, syncs) = (flushes?, syncs(case, sync)?);
    if flushes > 0.0 {
        return Some(new(Severity::Note, "flushed").arg("flushes", flushes).arg("syncs", syncs));
    }
    if *sync == Durability::EachWrite && disks.iter().all(|d| d.fua == Some(true)) {
        return Some(new(Severity::Note, "fua"));
    }
    if syncs < FEW {
        return None;
    }
    Some(new(Severity::Warning, "none").arg("syncs", syncs))
}

/// The disks at the bottom of the path, those below partitions, arrays and
/// files of loop devices too.
fn disks<'a>(case: &CaseResult, machine: Option<&'a Machine>) -> Vec<&'a BlockDevice> {
    let Some(machine) = machine else { return Vec::new() };
    let names = case.path.iter().filter_map(|s| s.resource.named(ResourceKind::Block));
    let found = names.filter_map(|name| machine.inventory.block_device(name));
    found.filter(|d| d.kind == BlockKind::Disk).collect()
}

/// Syncs per second; with each write, as many as writes.
fn syncs(case: &CaseResult, sync: &Durability) -> Option<f64> {
    let of = |name| measure::estimated(case, name);
    match sync {
        Durability::EachWrite => Some(of(metric::IOPS)? * measure::share(case, OperationClass::Write)),
        Durability::Syncs => of(metric::SYNCS_PER_SECOND),
        // The one at the end is after the window.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture::{self, counter};
    use model::study::Controls;
    use model::{Better, Unit};

    fn hows(sync: &str, cache: &str, fua: bool, flushes: u64) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            write_cache: Some(cache.to_owned()),
            fua: Some(fua),
            ..BlockDevice::default()
        });
        let mut case = fixture::disk_case("randwrite", 4e6, 4e6);
        fixture::set(&mut case, "sync", sync);
        for name in [metric::IOPS, metric::SYNCS_PER_SECOND] {
            let rate = fixture::estimate(1000.0, Unit::PerSecond, Better::Higher);
            case.loads.main.estimates.insert(name, rate);
        }
        for trial in &mut case.trials {
            trial.result.local_mut().counters.push(counter(
                "block:sda",
                "/proc/diskstats flushes",
                1.0,
                flushes,
            ));
        }
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        let found = fixture::found(&RULE, &case, &context);
        found.iter().map(|f| format!("{} {:?}", f.args["how"], f.severity)).collect()
    }

    #[test]
    fn a_sync_is_one_where_a_flush_reaches_a_disk_that_needs_it() {
        let none = Vec::<String>::new();
        assert_eq!(hows("fsync", "write back", false, 900), ["flushed Note"]);
        assert_eq!(hows("fsync", "write back", true, 0), ["none Warning"]);
        assert_eq!(hows("dsync", "write back", true, 0), ["fua Note"]);
        assert_eq!(hows("dsync", "write back", false, 0), ["none Warning"]);
        assert_eq!(hows("fsync", "write through", false, 0), ["through Note"]);
        assert_eq!(hows("end", "write through", false, 0), ["through Note"]);
        assert_eq!(hows("end", "write back", false, 0), none, "it comes after the window");
        assert_eq!(hows("none", "write back", false, 0), none);
    }
}
