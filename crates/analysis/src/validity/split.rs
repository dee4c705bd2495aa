//! Operations that the kernel split: a device saw more and smaller requests than
//! the load made.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity};

use super::requests::{self, Requests};
use crate::{Context, Rule, RuleCheck, measure};

/// Fewer for each operation than this are others' and metadata.
const MORE: f64 = 1.05;
/// And without a reason that is known, fewer than this.
const UNEXPLAINED: f64 = 1.25;
/// How far beyond what is expected is still explained.
const SLACK: f64 = 1.10;

pub(crate) const RULE: Rule = Rule {
    code: "requests-split",
    doc: "The device saw more requests than the load has operations: the kernel splits what a device does not take at once \
         (`max_sectors_kb`, `max_segments`), which is how it was done; without such a reason a layer above cuts them up, \
         or the file lies in pieces.",
    english: r#"
finding-requests-split =
    each operation became { FIXED($each, decimals: 1) } requests at { RESOURCE($resource) }, { $how ->
        [size] where { BINARY($bytes) } are the most at once (max_sectors_kb)
        [pieces] where { $pieces } pieces of memory are the most at once (max_segments)
       *[unexplained] and not for their size: a layer above cuts them up, or the file lies in pieces
    }

evidence-request-size = at most { BINARY($bytes) } in one request
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let expected = requests::expected(case, context.machine)?;
    let all = Requests::of(case).into_iter().filter(|r| r.each() > MORE);
    let worst = all.max_by(|a, b| a.each().total_cmp(&b.each()))?;
    let each = worst.each();
    let (severity, how) = match (expected.bytes, expected.pieces) {
        (Some(_), _) if expected.by_size > 1.0 && each <= expected.by_size * SLACK => {
            (Severity::Note, "size")
        }
        (_, Some(_)) if expected.by_pieces > 1.0 && each <= expected.by_pieces * SLACK => {
            (Severity::Note, "pieces")
        }
        _ if each > UNEXPLAINED.max(expected.by_size * SLACK) => (Severity::Warning, "unexplained"),
        _ => return None,
    };
    let mut found = Finding::new(FindingKind::Validity, RULE.code, severity)
        .on(worst.resource.clone())
        .arg("how", how)
        .arg("each", each)
        .arg("bytes", expected.bytes.unwrap_or(0))
        .arg("pieces", u64::from(expected.pieces.unwrap_or(0)))
        .because(requests::evidence(&worst));
    let at_once = expected.bytes.filter(|_| how == "size");
    if let (Some(bytes), Some(disk)) = (at_once, measure::wholes(case, context.machine).first()) {
        let place = Place::Inventory(Resource::of(ResourceKind::Block, &disk.name));
        found = found.because(Evidence::at("request-size", place).arg("bytes", bytes));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture::{self, counter};
    use model::machine::{BlockDevice, BlockKind};
    use model::metric;
    use model::study::Controls;
    use model::{Machine, Quantity, Resource, ResourceKind, Unit};

    /// A load with so many requests for each of its 1,000 operations a second.
    pub(super) fn hows(block: u64, each: f64, bytes: Option<u64>, pieces: Option<u32>) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            kind: BlockKind::Disk,
            request_bytes: bytes,
            request_segments: pieces,
            ..BlockDevice::default()
        });
        let moved = 1000.0 * block as f64;
        let mut case = fixture::disk_case("randread", moved, moved);
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "block-size", block);
        for trial in &mut case.trials {
            let rate = Quantity { value: 1000.0, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
            trial.result.local_mut().counters.retain(|c| c.source.ends_with("_sectors"));
            let mut put = |name: &str, steps: f64| {
                let source = format!("/proc/diskstats {name}");
                trial.result.local_mut().counters.push(counter("block:sda", &source, 1.0, steps as u64));
            };
            put("reads", 1000.0 * each);
            put("reads_merged", 0.0);
        }
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        let found = fixture::found(&RULE, &case, &context);
        found.iter().map(|f| format!("{} {:?}", f.args["how"], f.severity)).collect()
    }

    #[test]
    fn what_a_device_does_not_take_at_once_is_split_and_the_rest_is_not_explained() {
        let none = Vec::<String>::new();
        assert_eq!(hows(4096, 1.0, Some(524_288), None), none);
        assert_eq!(hows(1 << 20, 2.0, Some(524_288), None), ["size Note"]);
        assert_eq!(hows(1 << 20, 3.0, Some(524_288), None), ["unexplained Warning"]);
        assert_eq!(hows(1 << 20, 1.5, Some(1 << 22), Some(128)), ["pieces Note"], "two with no piece joined");
        assert_eq!(hows(4096, 1.08, Some(524_288), Some(128)), none, "others' requests");
        assert_eq!(hows(4096, 1.2, Some(524_288), None), none, "others' requests");
        assert_eq!(hows(4096, 2.0, None, None), ["unexplained Warning"]);
    }

    #[test]
    fn a_mix_of_sizes_falls_into_pieces_by_its_shares() {
        let mut case = fixture::case(1);
        let parts = ["4k:50%", "1M:50%"].map(model::Value::from).to_vec();
        fixture::set(&mut case, "block-size", model::Value::List(parts));
        fixture::set(&mut case, "pattern", "randread");
        let step = model::resource::PathStep {
            resource: Resource::of(ResourceKind::Block, "sda"),
            amplification: 1.0,
        };
        case.path = vec![step];
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            request_bytes: Some(256 << 10),
            ..BlockDevice::default()
        });
        assert_eq!(requests::expected(&case, Some(&machine)).unwrap().by_size, 2.5);
    }
}
