//! Whether a rate that somebody needs is kept, and how much room is left.
//!
//! What counts are sequential writes to the whole: of a storage stack, to its topmost layer; without a stack, to the
//! target; where clients write through a network, what these get. Of several such cases the fastest counts, since
//! whoever needs the rate can choose how to write. What only went into memory is no rate that is kept: of writes
//! through the page cache it is the rate until all was on the device. Of a device that is metered it is the rate once
//! what was saved up is used (`bucket-used-up`): a trial that begins with a full bucket has more in the mean, and nobody
//! keeps that.

use std::borrow::Cow;

use model::finding::{Evidence, Place};
use model::profile::{Aspect, OperationClass};
use model::run::CaseResult;
use model::stack::presented;
use model::stack_top::top_layer;
use model::study::StudyVerdict;
use model::{Finding, FindingKind, Run, Severity, Unit, Value, metric};

use super::rate::{ENOUGH, Rate};
use crate::goal::is_doubted;
use crate::{CONFIDENCE, measure};

/// The code of what this finds, and what it says.
pub(crate) const CODE: (&str, &str) = (
    "sustains",
    "About the whole run: whether sequential writes to the whole keep a rate (`kind = \"sustains\"` in a study's \
     `[verdict]`), by the interval over trials, and how much room is left. Of a storage stack its topmost layer counts, \
     and where clients have that through a network, what they get; of a device that is metered its base rate.",
);

/// The same in English.
pub(crate) const ENGLISH: &str = r#"
finding-sustains =
    { $answer ->
        [yes] { SHORT($rate, unit: "B/s") } are written where { SHORT($needed, unit: "B/s") } are needed: { PERCENT($room) }
            more, at least { PERCENT($room_least) } by the interval over trials
        [no] only { SHORT($rate, unit: "B/s") } are written where { SHORT($needed, unit: "B/s") } are needed:
            { PERCENT($short) } less
       *[unknown] { $why ->
            [none] nothing was measured that writes one block after the other to the whole
            [doubt] { SHORT($rate, unit: "B/s") } were written where { SHORT($needed, unit: "B/s") } are needed, but an error
                among the findings says that this is not to be trusted
            [trials] { SHORT($rate, unit: "B/s") } were written where { SHORT($needed, unit: "B/s") } are needed, but two
                trials at least are needed to tell
           *[spread] { SHORT($rate, unit: "B/s") } are written where { SHORT($needed, unit: "B/s") } are needed, but the
                trials differ too much to tell
        }
    }

evidence-sustains-rate =
    to the whole: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-clients =
    by clients, through a network: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-local =
    without the network: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-base =
    { SHORT($rate, unit: "B/s") } remain once { RESOURCE($resource) } { verb-has } used up what { pronoun-it } had saved; the mean over
    trials, { SHORT($mean, unit: "B/s") }, includes that
evidence-sustains-below =
    one layer further down: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
"#;

/// A case that writes, and where in a stack.
struct Written<'a> {
    rate: Rate<'a>,
    /// Layers of its stack, 0 where it has none.
    layers: usize,
    /// Whether it drives the topmost.
    is_top: bool,
    /// The layer that it drives.
    layer: Option<String>,
    /// Whether it is a client that writes, through a network.
    is_client: bool,
}

impl<'a> Written<'a> {
    fn of(case: &'a CaseResult) -> Option<Self> {
        let writes = measure::does(case, OperationClass::Write) && !measure::is_mixed(case);
        if !writes || measure::is_random(case) || measure::is_null(case) {
            return None;
        }
        let through_cache = measure::writes_through_cache(measure::profile(case));
        let name = if through_cache { metric::THROUGHPUT_DURABLE } else { metric::THROUGHPUT };
        let rate = Rate::of_metric(case, name)?;
        let main = &case.loads.main;
        let said = |aspect| main.parameters.get(main.profile.parameter(aspect)?).map(ToString::to_string);
        let (stack, by) = (said(Aspect::Stack), said(Aspect::Presented));
        let layer = said(Aspect::Layer);
        let is_client = measure::storage_server(case).is_some();
        // What presents a stack is its topmost layer to clients; without them the stack is whole by itself.
        let whole = match is_client {
            true => presented(stack.as_deref(), by.as_deref()),
            false => stack.as_deref().map(Cow::Borrowed),
        };
        let (layers, is_top) = match whole.as_deref().and_then(top_layer) {
            Some((layers, top)) => (layers, layer.as_ref().is_none_or(|layer| *layer == top)),
            None => (0, true),
        };
        Some(Self { rate, layers, is_top, layer, is_client })
    }
}

/// What lasts of a rate that is metered, with its bounds, B/s.
struct Base<'a> {
    verdict: &'a Finding,
    value: f64,
    low: f64,
    high: f64,
}

impl<'a> Base<'a> {
    fn of(rate: &Rate<'a>) -> Option<Self> {
        let is_it =
            |found: &&Finding| found.kind == FindingKind::Bottleneck && found.code == "bucket-used-up";
        let verdict = rate.case.findings.iter().find(is_it)?;
        let is_bytes = verdict.args.get("unit") == Some(&Value::from(Unit::BytesPerSecond.symbol()));
        let number = |name: &str| verdict.args.get(name).and_then(Value::number).filter(|_| is_bytes);
        let value = number("base")?;
        let (low, high) = (number("base_low").unwrap_or(value), number("base_high").unwrap_or(value));
        Some(Self { verdict, value, low, high })
    }

    fn evidence(&self, rate: &Rate<'_>) -> Evidence {
        let resource = self.verdict.resource.as_ref().map_or("", |resource| resource.as_str());
        Evidence::at("sustains-base", Place::Case(rate.case.label.to_string()))
            .arg("rate", self.value)
            .arg("mean", rate.median)
            .arg("resource", resource)
    }
}

/// The fastest of these that can be compared.
fn best<'w, 'a>(all: &'w [Written<'a>], is_one: impl Fn(&Written<'a>) -> bool) -> Option<&'w Rate<'a>> {
    let chosen = all.iter().filter(|&written| is_one(written));
    chosen.map(|written| &written.rate).max_by(|a, b| a.order(b))
}

/// What the run's question comes to.
pub(super) fn check(run: &Run, verdict: &StudyVerdict) -> Option<Finding> {
    let needed = verdict.rate? as f64;
    let cases = run.cases.iter().filter(|case| !case.is_auxiliary());
    let of_sink: Vec<&CaseResult> = cases.filter(|case| case.loads.main.workload == verdict.sink).collect();
    if of_sink.is_empty() {
        return None;
    }
    let all: Vec<Written<'_>> = of_sink.into_iter().filter_map(Written::of).collect();
    // The stack that was to be driven whole is the highest; who writes to it through a network has less of it.
    let own = all.iter().filter(|written| !written.is_client);
    let most = own.map(|written| written.layers).max().unwrap_or(0);
    let local = best(&all, |written| !written.is_client && written.layers == most && written.is_top);
    let clients = best(&all, |written| written.is_client && written.is_top);
    let whole = clients.or(local);
    let new = |answer: &str, why: &str| {
        Finding::new(FindingKind::Answer, CODE.0, Severity::Note)
            .arg("answer", answer)
            .arg("why", why)
            .arg("needed", needed)
    };
    let Some(rate) = whole else { return Some(new("unknown", "none").arg("rate", 0.0)) };
    let interval = stats::interval::of_center(&rate.values, CONFIDENCE);
    let base = Base::of(rate);
    let over_trials = interval.map(|interval| (interval.low, interval.high));
    let (answer, why) = match base.as_ref().map(|base| (base.low, base.high)).or(over_trials) {
        _ if rate.values.len() < ENOUGH => ("unknown", "trials"),
        Some((low, _)) if low >= needed && is_doubted(rate.case) => ("unknown", super::DOUBT),
        Some((low, _)) if low >= needed => ("yes", "none"),
        Some((_, high)) if high < needed => ("no", "none"),
        _ => ("unknown", "spread"),
    };
    let lasts = base.as_ref().map_or(rate.median, |base| base.value);
    let over_trials = over_trials.map_or(rate.median, |(low, _)| low);
    let least = base.as_ref().map_or(over_trials, |base| base.low);
    let found = new(answer, why)
        .arg("rate", lasts)
        .arg("room", lasts / needed - 1.0)
        .arg("room_least", least / needed - 1.0)
        .arg("short", 1.0 - lasts / needed);
    let code = if clients.is_some() { "sustains-clients" } else { "sustains-rate" };
    let without_network = local.filter(|_| clients.is_some()).map(|rate| rate.evidence("sustains-local"));
    let next = || below(&all, most).map(|rate| rate.evidence("sustains-below"));
    let evidence = std::iter::once(rate.evidence(code))
        .chain(base.as_ref().map(|base| base.evidence(rate)))
        .chain(without_network.or_else(next));
    Some(found.because_all(evidence))
}

/// What is written to the layer below the topmost of stacks of so many.
fn below<'w, 'a>(all: &'w [Written<'a>], most: usize) -> Option<&'w Rate<'a>> {
    // Layers are measured from the lowest up; what is added to a layer for its verdict comes after all.
    let mut lower: Vec<&Option<String>> = Vec::new();
    for written in all.iter().filter(|written| written.layers == most && !written.is_top) {
        if !lower.contains(&&written.layer) {
            lower.push(&written.layer);
        }
    }
    let next = *lower.last()?;
    best(all, |written| written.layers == most && !written.is_top && written.layer == *next)
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;
    use model::study::StudyVerdictKind;
    use model::{ParameterName, Quantity, Resource, Unit, Value, WorkloadName};

    use super::*;
    use crate::validity::fixture;

    const DISK: WorkloadName = WorkloadName::new("disk");
    const STACK: &str = "raid6(a+b+c+d; chunk=64k) > luks > xfs";

    /// Writes to a layer of the stack, one trial for each rate.
    fn layer(name: &str, rates: &[f64]) -> CaseResult {
        let mut case = fixture::disk_case("write", 1.0, 1.0);
        case.trials.truncate(rates.len());
        for (trial, rate) in case.trials.iter_mut().zip(rates) {
            let quantity = Quantity { value: *rate, unit: Unit::BytesPerSecond };
            trial.result.main_mut().metrics.insert(metric::THROUGHPUT, quantity);
        }
        fixture::set(&mut case, "direct", true);
        let main = &mut case.loads.main;
        for (name, aspect, value) in [("stack", Aspect::Stack, STACK), ("layer", Aspect::Layer, name)] {
            main.parameters.set(ParameterName::new(name), Value::from(value));
            main.profile.aspects.insert(ParameterName::new(name), aspect);
        }
        case
    }

    fn evidence(cases: Vec<CaseResult>) -> Vec<f64> {
        let found = found(cases);
        found.evidence.iter().filter_map(|evidence| evidence.args.get("rate")?.number()).collect()
    }

    fn said(cases: Vec<CaseResult>) -> (String, String) {
        let found = found(cases);
        (found.args["answer"].to_string(), found.text)
    }

    fn found(cases: Vec<CaseResult>) -> Finding {
        let mut run = crate::comparison::tests::run("r", &[], cases);
        let kind = StudyVerdictKind::Sustains;
        let rate = Some(300_000_000);
        run.study.verdict =
            Some(StudyVerdict { kind, source: DISK, sink: DISK, joint: DISK, rate, count: None });
        let found = crate::answer::check(&run).unwrap();
        crate::said::written(vec![found]).pop().unwrap()
    }

    #[test]
    fn the_topmost_layer_counts_and_room_is_told() {
        let fast = [429e6, 430e6, 431e6];
        let (answer, text) = said(vec![layer("raid6", &fast), layer("xfs", &[314e6, 315e6, 316e6])]);
        assert_eq!(answer, "yes");
        let rates = evidence(vec![layer("members", &fast), layer("luks", &[320e6; 3]), layer("xfs", &fast)]);
        assert_eq!(rates, [430e6, 320e6], "the whole, and the layer below it");
        let added = ["members", "luks", "xfs", "members"].map(|name| layer(name, &fast)).to_vec();
        assert_eq!(evidence(added).len(), 2, "what was added for a verdict is not above");
        assert!(text.starts_with("315 MB/s are written where 300 MB/s are needed: 5 % more"), "{text}");
        let (answer, text) = said(vec![layer("raid6", &fast), layer("xfs", &[270e6, 271e6, 272e6])]);
        assert_eq!(answer, "no");
        assert!(text.starts_with("only 271 MB/s are written where 300 MB/s are needed"), "{text}");
    }

    /// What a client has, though another stack of the study has more layers.
    #[test]
    fn what_clients_get_counts_where_there_are_some() {
        let exported = |rates: &[f64]| {
            let mut case = layer("xfs", rates);
            let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 1.0 };
            case.path = ["block:sda", "nic:hr0a", "server:198.18.0.2", "block:md127"].map(step).to_vec();
            case
        };
        let local = || vec![layer("luks", &[440e6; 3]), layer("xfs", &[429e6, 430e6, 431e6])];
        let with = |rates: &[&[f64]]| {
            local().into_iter().chain(rates.iter().map(|r| exported(r))).collect::<Vec<_>>()
        };
        let slow = [270e6, 271e6, 272e6];
        assert_eq!(said(local()).0, "yes");
        let (answer, text) = said(with(&[&slow]));
        assert!(answer == "no" && text.starts_with("only 271 MB/s are written"), "{text}");
        assert_eq!(evidence(with(&[&slow])), [271e6, 430e6], "the clients, and the same without the network");
        let codes: Vec<String> = found(with(&[&slow])).evidence.into_iter().map(|e| e.code).collect();
        assert_eq!(codes, ["sustains-clients", "sustains-local"]);
        assert_eq!(
            said(with(&[&slow, &[310e6, 311e6, 312e6]])).0,
            "yes",
            "whoever needs it can choose how to write"
        );
        assert_eq!(evidence(vec![exported(&slow)]), [271e6]);
    }

    /// Where the machine has no server for it, the layers below are measured nevertheless.
    #[test]
    fn a_stack_that_could_not_be_presented_is_whole_without_that() {
        let mut case = layer("xfs", &[429e6, 430e6, 431e6]);
        let present = ParameterName::new("present");
        case.loads.main.parameters.set(present, "nfs");
        case.loads.main.profile.aspects.insert(present, Aspect::Presented);
        let (answer, text) = said(vec![layer("luks", &[440e6; 3]), case]);
        assert!(answer == "yes" && text.starts_with("430 MB/s"), "{text}");
    }

    /// Bug: a rate that a bucket gave for some seconds was said to be kept.
    #[test]
    fn of_a_metered_device_the_base_rate_is_what_lasts() {
        let metered = |base: f64, unit: Unit| {
            let mut case = layer("xfs", &[429e6, 430e6, 431e6]);
            let verdict = Finding::new(FindingKind::Bottleneck, "bucket-used-up", Severity::Warning);
            let verdict = verdict.on("block:sda").arg("unit", unit.symbol()).arg("base", base);
            case.findings = vec![verdict.arg("base_low", 0.99 * base).arg("base_high", 1.01 * base)];
            case
        };
        let (answer, text) = said(vec![metered(200e6, Unit::BytesPerSecond)]);
        assert!(answer == "no" && text.starts_with("only 200 MB/s are written"), "{text}");
        let (answer, text) = said(vec![metered(350e6, Unit::BytesPerSecond)]);
        assert!(answer == "yes" && text.starts_with("350 MB/s are written"), "{text}");
        assert_eq!(said(vec![metered(300e6, Unit::BytesPerSecond)]).0, "unknown");
        assert_eq!(evidence(vec![metered(200e6, Unit::BytesPerSecond)]), [430e6, 200e6]);
        // Operations per second are no rate of bytes.
        assert_eq!(said(vec![metered(200.0, Unit::PerSecond)]).0, "yes");
    }

    #[test]
    fn what_the_trials_do_not_tell_is_unknown() {
        let (answer, text) = said(vec![layer("xfs", &[200e6, 300e6, 400e6])]);
        assert!(answer == "unknown" && text.contains("differ too much"), "{text}");
        let (answer, text) = said(vec![layer("xfs", &[500e6])]);
        assert!(answer == "unknown" && text.contains("two trials"), "{text}");
        let (answer, text) = said(vec![layer("raid6", &[500e6; 3])]);
        assert!(answer == "unknown" && text.contains("nothing was measured"), "{text}");
        let failed = |rates: &[f64]| {
            let mut case = layer("xfs", rates);
            case.findings = vec![Finding::new(FindingKind::Validity, "trials-failed", Severity::Error)];
            vec![case]
        };
        let (answer, text) = said(failed(&[500e6; 3]));
        assert!(answer == "unknown" && text.contains("not to be trusted"), "{text}");
        assert_eq!(said(failed(&[200e6; 3])).0, "no");
    }
}
