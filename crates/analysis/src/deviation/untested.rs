//! Promises that no figure of the run can be held against, each with the reason.

use model::limit::{Access, Direction, LimitKind};
use model::run::CaseResult;
use model::study::Promise;
use model::{Finding, FindingKind, Run, Severity, Value};

use super::promise;
use crate::measure;
use crate::utilization::{Unfit, unfit};

/// The code of what this finds, and what it says.
pub(crate) const CODE: (&str, &str) = (
    "promise-not-tested",
    "About the whole run: a promise of the user's `[expect]` that no case was held against, and why. Random figures are \
     for at least 32 operations at once, sequential ones for blocks of at least 128 KiB and 4 MiB at once, both around \
     the page cache.",
);

/// The same in English.
pub(crate) const ENGLISH: &str = r#"
promised-loads =
    { $direction ->
        [read] reads
        [write] writes
       *[both] operations
    }

finding-promise-not-tested =
    { SHORT($promised, $unit) }, promised as { $promise }, is not tested: { finding-promise-not-tested.reason }
    .reason = { $reason ->
        [metric] no load measures that
        [direction] no load does { promised-loads } alone
        [access] { $access ->
            [random] no { promised-loads } were at random places
           *[sequential] no { promised-loads } were in sequence
        }
        [block] no { promised-loads } were of { BINARY($least) }
        [small] no { promised-loads } were of { BINARY($least) } or more
        [depth] it is for { $least } or more { promised-loads } at once, and at most { $had } were
        [bytes] it is for { BINARY($least) } or more at once, and at most { BINARY($had) } were
        [cache] the { promised-loads } went through the page cache
        [device] the drive that answers is not known
        [array] several drives share the operations
       *[failed] no trial gave a result
    }
"#;

/// What is promised and was not tested, in the order of the study.
pub(crate) fn check(run: &Run) -> Vec<Finding> {
    let own = run.study.expect.promises.iter().map(|p| (p.clone(), "study"));
    let mut all: Vec<(Promise, &str)> = Vec::new();
    for (promise, by) in own.chain(of_sheet(run).map(|p| (p, "datasheet"))) {
        // The same sheet stands for each drive, and may be what the study says.
        if all.iter().all(|(known, _)| *known != promise) {
            all.push((promise, by));
        }
    }
    all.iter().filter(|(p, _)| !is_held(run, p)).map(|(p, by)| finding(run, p, by)).collect()
}

/// The promises of the datasheet that the study names, as the limits of its
/// drives have them.
fn of_sheet(run: &Run) -> impl Iterator<Item = Promise> {
    let is_named = run.study.expect.datasheet.is_some();
    let limits = run.machines.iter().flat_map(|m| &m.limits);
    limits.filter(move |l| is_named && l.kind == LimitKind::Promise && l.promise.is_none()).filter_map(
        |limit| {
            Some(Promise {
                key: promise::sheet_key(limit),
                metric: limit.quantity,
                direction: limit.direction,
                access: limit.access,
                block_bytes: limit.block_bytes,
                value: limit.bound()?,
                unit: limit.unit,
            })
        },
    )
}

/// Whether a case was held against it.
fn is_held(run: &Run, promise: &Promise) -> bool {
    let is_it = |f: &Finding| {
        f.code == "promise"
            && f.args.get("promise").is_some_and(|key| *key == Value::from(promise.key.as_str()))
            && f.args.get("promised").is_some_and(|value| *value == Value::from(promise.value))
    };
    run.cases.iter().flat_map(|c| &c.findings).any(is_it)
}

/// Why a case says nothing of a promise, from what is furthest from it to what
/// is nearest.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Reason {
    /// Its load has no such metric.
    Metric,
    /// It does something else.
    Load(Unfit),
    /// The page cache answers, or takes over.
    Cache,
    /// Nobody knows which drive answers.
    Device,
    /// Several drives answer.
    Array,
    /// No trial gave a result.
    Failed,
}

impl Reason {
    fn of(run: &Run, case: &CaseResult, promise: &Promise) -> Self {
        let has = run.definitions.metric(case.loads.main.workload, promise.metric).is_some()
            || case.loads.main.estimates.contains_key(&promise.metric);
        if !has {
            return Reason::Metric;
        }
        if let Some(why) = unfit(case, promise.direction, promise.block_bytes, promise.access) {
            return Reason::Load(why);
        }
        if promise.access.is_some() && !measure::is_direct(case) {
            return Reason::Cache;
        }
        if !case.loads.main.estimates.contains_key(&promise.metric) {
            return Reason::Failed;
        }
        let step = measure::devices(case).first().copied();
        if step.is_some_and(|s| (s.amplification - 1.0).abs() > 1e-9) {
            Reason::Array
        } else {
            Reason::Device
        }
    }

    fn code(self) -> &'static str {
        match self {
            Reason::Metric => "metric",
            Reason::Load(Unfit::Direction) => "direction",
            Reason::Load(Unfit::Access) => "access",
            Reason::Load(Unfit::Block) => "block",
            Reason::Load(Unfit::Small(_)) => "small",
            Reason::Load(Unfit::Depth(..)) => "depth",
            Reason::Load(Unfit::Bytes(..)) => "bytes",
            Reason::Cache => "cache",
            Reason::Device => "device",
            Reason::Array => "array",
            Reason::Failed => "failed",
        }
    }
}

fn finding(run: &Run, promise: &Promise, by: &str) -> Finding {
    let reasons = run.cases.iter().map(|case| Reason::of(run, case, promise));
    let reason = reasons.reduce(|a, b| if b > a { b } else { a }).unwrap_or(Reason::Failed);
    let direction = match promise.direction {
        Some(Direction::Read) => "read",
        Some(Direction::Write) => "write",
        None => "both",
    };
    let finding = Finding::new(FindingKind::Deviation, CODE.0, Severity::Note)
        .arg("promise", promise.key.as_str())
        .arg("by", by)
        .arg("promised", promise.value)
        .arg("unit", promise.unit.symbol())
        .arg("reason", reason.code())
        .arg("direction", direction);
    let Reason::Load(unfit) = reason else { return finding };
    match unfit {
        Unfit::Direction => finding,
        Unfit::Access if promise.access == Some(Access::Random) => finding.arg("access", "random"),
        Unfit::Access => finding.arg("access", "sequential"),
        Unfit::Block => finding.arg("least", promise.block_bytes.unwrap_or(0)),
        Unfit::Small(least) => finding.arg("least", least),
        Unfit::Depth(least, had) | Unfit::Bytes(least, had) => finding.arg("least", least).arg("had", had),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::limit::Limit;
    use model::metric;
    use model::resource::PathStep;
    use model::study::Expect;
    use model::{Better, Resource, ResourceKind, Unit};

    fn promise(key: &str) -> Promise {
        let random = key.starts_with("random");
        Promise {
            key: key.to_owned(),
            metric: if random { metric::IOPS } else { metric::THROUGHPUT },
            direction: Some(Direction::Read),
            access: Some(if random { Access::Random } else { Access::Sequential }),
            block_bytes: random.then_some(4096),
            value: if random { 20e3 } else { 560e6 },
            unit: if random { Unit::PerSecond } else { Unit::BytesPerSecond },
        }
    }

    fn run(case: CaseResult, promises: Vec<Promise>) -> Run {
        let mut run = crate::comparison::tests::run("r", &[], Vec::new());
        run.study.expect = Expect { promises, datasheet: None };
        run.machines = vec![model::Machine::default()];
        run.cases = vec![case];
        run.definitions = model::Definitions::default();
        run
    }

    fn case(pattern: &str, depth: u64) -> CaseResult {
        let mut case = fixture::disk_case(pattern, 90e6, 90e6);
        fixture::set(&mut case, "direct", true);
        fixture::set(&mut case, "queue-depth", depth);
        for (name, value, unit) in
            [(metric::IOPS, 22e3, Unit::PerSecond), (metric::THROUGHPUT, 90e6, Unit::BytesPerSecond)]
        {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, Better::Higher));
        }
        case
    }

    fn reasons(run: &Run) -> Vec<String> {
        let found = crate::said::written(check(run));
        found.iter().map(|f| format!("{}: {}", f.args["promise"], f.args["reason"])).collect()
    }

    /// A user's first try: 4 KiB at random, depths that are too small.
    #[test]
    fn every_promise_has_its_reason() {
        let shallow = run(case("randread", 16), vec![promise("random-read-4k"), promise("read")]);
        assert_eq!(reasons(&shallow), ["random-read-4k: depth", "read: access"]);
        let text = &crate::said::written(check(&shallow))[0].text;
        assert!(text.contains("32 or more reads at once") && text.contains("at most 16"), "{text}");
        let small = run(case("read", 64), vec![promise("random-read-4k"), promise("read")]);
        assert_eq!(reasons(&small), ["random-read-4k: access", "read: small"]);
        let mut one = case("read", 1);
        fixture::set(&mut one, "block-size", 1u64 << 20);
        assert_eq!(reasons(&run(one, vec![promise("read")])), ["read: bytes"]);
        assert_eq!(reasons(&run(case("write", 64), vec![promise("read")])), ["read: direction"]);
        let mut eight = case("randread", 64);
        fixture::set(&mut eight, "block-size", 8192u64);
        assert_eq!(reasons(&run(eight, vec![promise("random-read-4k")])), ["random-read-4k: block"]);
    }

    #[test]
    fn what_fits_and_has_no_figure_says_what_is_missing() {
        let of = |change: fn(&mut CaseResult)| {
            let mut case = case("randread", 64);
            change(&mut case);
            reasons(&run(case, vec![promise("random-read-4k")])).remove(0)
        };
        assert_eq!(of(|c| fixture::set(c, "direct", false)), "random-read-4k: cache");
        assert_eq!(of(|c| c.path.clear()), "random-read-4k: device");
        let array = |c: &mut CaseResult| {
            c.path =
                vec![PathStep { resource: Resource::of(ResourceKind::Block, "md0"), amplification: 2.0 }];
        };
        assert_eq!(of(array), "random-read-4k: array");
        assert_eq!(of(|c| c.loads.main.estimates.clear()), "random-read-4k: metric", "nobody defined it");
    }

    #[test]
    fn what_was_held_against_a_case_is_not_said_again() {
        let limit = Limit {
            resource: Resource::of(ResourceKind::Block, "sda"),
            quantity: metric::IOPS,
            direction: Some(Direction::Read),
            kind: LimitKind::Promise,
            line: None,
            effective: Some(20e3),
            usual: Vec::new(),
            unit: Unit::PerSecond,
            block_bytes: Some(4096),
            access: Some(Access::Random),
            chipset: None,
            promise: None,
            allowance: None,
            scope: model::limit::LimitScope::All,
            payload: None,
            source: "promised by the study: random-read-4k".to_owned(),
        };
        let of_sheet = Limit {
            effective: Some(90e3),
            source: "promised, as a drive: a sheet".to_owned(),
            ..limit.clone()
        };
        let derived = |depth| {
            let mut run = run(case("randread", depth), vec![promise("random-read-4k")]);
            run.study.expect.datasheet = Some("a-drive".to_owned());
            run.machines[0].limits = vec![limit.clone(), of_sheet.clone(), of_sheet.clone()];
            for case in &mut run.cases {
                case.utilization = crate::utilization::of_case(case, &run.machines[0]);
                let found = {
                    let controls = model::study::Controls::default();
                    let context =
                        crate::Context { machine: run.machines.first(), ..fixture::context(&controls) };
                    super::promise::RULE.look(case, &context)
                };
                case.findings = found;
            }
            reasons(&run)
        };
        assert_eq!(derived(32), Vec::<String>::new());
        assert_eq!(
            derived(16),
            ["random-read-4k: depth", "random-read-4k: depth"],
            "the user's and the sheet's"
        );
    }
}
