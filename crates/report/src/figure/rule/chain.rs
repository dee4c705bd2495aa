//! The path of the case that tells most, with the share of each resource.

use analysis::{LimitUse, PathPart, PathUse};
use chart::plot::{Chain, Link};
use language::{Words, format, resource_label};
use model::limit::LimitKind;
use model::run::CaseResult;
use model::{Better, Finding, FindingKind, Resource, ResourceKind, Unit, Value};

use crate::figure::{Figure, RuleInput, capitalized, factors, quantity};
use crate::load;

/// The finding that operations wait for a resource that is not full.
const WAITED_FOR: &str = "latency-bound";
/// The finding that nobody knows what holds a result back.
const UNKNOWN: &str = "cannot-tell";

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    let Some((case, reason)) = by_findings(&input.cases) else { return Vec::new() };
    let words = input.view.words;
    let steps = analysis::path_of(input.view.run, case);
    let held = held(case, &steps);
    let is_open = !is_verdict_known(case);
    let links = steps
        .iter()
        .zip(held)
        .map(|(step, held)| Link { may_be_fullest: is_open && is_of_rate(step), ..link(words, step, held) });
    let links: Vec<Link> = links.collect();
    let says = links.iter().any(|l| l.share.is_some() || l.is_bottleneck);
    // One resource alone is no path.
    if links.len() < 2 || !says {
        return Vec::new();
    }
    let factors = factors::of(input.view, &input.cases);
    let title = match input.cases.len() {
        1 => words.say("figure-path"),
        _ => words.tell("figure-path-of", &[("case", Value::Text(factors::label(&factors, case)))]),
    };
    let note = reason.text(words);
    vec![Figure::new("chain", capitalized(&title), Chain { links }).note(note)]
}

/// Why a case was chosen to stand for its workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Reason {
    /// It is the only one.
    Only,
    /// It comes nearest to a limit.
    NearestLimit,
    /// No case is near a limit that tells; its figure is the best.
    BestCase,
    /// The same, of those whose bottleneck is known.
    BestKnown,
    /// A reader chose it, and the trial.
    Chosen,
}

impl Reason {
    /// In words; of the only case there is nothing to say.
    pub(in crate::figure) fn text(self, words: &Words) -> Option<String> {
        match self {
            Reason::Only | Reason::Chosen => None,
            Reason::NearestLimit => Some(words.say("figure-path-nearest")),
            Reason::BestCase => Some(words.say("figure-path-best")),
            Reason::BestKnown => Some(words.say("figure-path-best-known")),
        }
    }
}

/// The case that tells most: the one nearest to a limit that tells; where there
/// is none, the one with the best headline, of those whose bottleneck is known
/// if there are any.
pub(in crate::figure) fn by_findings<'a>(cases: &[&'a CaseResult]) -> Option<(&'a CaseResult, Reason)> {
    if let [only] = cases {
        return Some((only, Reason::Only));
    }
    let shares = |c: &CaseResult| {
        c.utilization.iter().filter(|u| load::tells(u)).map(|u| u.fraction).fold(0.0, f64::max)
    };
    let near = cases.iter().copied().filter(|c| shares(c) > 0.0);
    if let Some(nearest) = near.max_by(|a, b| shares(a).total_cmp(&shares(b))) {
        return Some((nearest, Reason::NearestLimit));
    }
    let headline = |c: &CaseResult| {
        let load = &c.loads.main;
        let own = load.estimates.get(&load.profile.headline);
        let estimate = own.or_else(|| load.estimates.get(&quantity::figure(c)?))?;
        Some(if estimate.better == Better::Higher { estimate.median } else { -estimate.median })
    };
    let value = |c: &CaseResult| headline(c).unwrap_or(f64::MIN);
    let best = |known: bool| {
        let fits = cases.iter().copied().filter(|c| !known || names_bottleneck(c));
        fits.max_by(|a, b| value(a).total_cmp(&value(b)))
    };
    best(true)
        .map(|case| (case, Reason::BestKnown))
        .or_else(|| best(false).map(|case| (case, Reason::BestCase)))
}

/// Whether the finding that says what holds a case back names a resource.
fn names_bottleneck(case: &CaseResult) -> bool {
    let mut found = case.findings.iter().filter(|f| f.kind == FindingKind::Bottleneck);
    found.any(|f| f.resource.is_some())
}

/// Whether it is known what holds a case back, be it a step of the path or not.
fn is_verdict_known(case: &CaseResult) -> bool {
    case.findings.iter().any(|f| f.kind == FindingKind::Bottleneck && f.code != UNKNOWN)
}

/// Whether the share of a step is of what it can do: not of what may wait there, nor of what was promised.
fn is_of_rate(step: &PathUse) -> bool {
    let is_promise = step.used.as_ref().is_some_and(|used| used.kind == LimitKind::Promise);
    step.part != PathPart::Queue && step.resource != Resource::PAGE_CACHE && !is_promise
}

/// A step with the code of the finding that it holds the result back, if there is one.
fn link(words: &Words, step: &PathUse, held: Option<&str>) -> Link {
    Link {
        name: name(words, step),
        detail: match step.part {
            PathPart::Unseen => Some(words.say("figure-path-unseen")),
            _ => step.used.as_ref().map(|used| detail(words, step, used)),
        },
        share: step.used.as_ref().map(LimitUse::share),
        amplification: step.amplification,
        is_bottleneck: held.is_some(),
        is_waited_for: held.is_some_and(|code| code == WAITED_FOR),
        may_be_fullest: false,
    }
}

/// For each step the code of the finding that it holds the result back. CPUs that are no step by themselves
/// are among those of their end.
fn held<'a>(case: &'a CaseResult, steps: &[PathUse]) -> Vec<Option<&'a str>> {
    let held: Vec<Option<&str>> = steps.iter().map(|step| holds(case, step)).collect();
    if held.iter().any(Option::is_some) {
        return held;
    }
    steps.iter().map(|step| holds_some(case, step)).collect()
}

/// The same of CPUs of which some do.
fn holds_some<'a>(case: &'a CaseResult, step: &PathUse) -> Option<&'a str> {
    let (found, resource) = named(case)?;
    let are_cpus = step.part == PathPart::Whole && step.resource.kind() == ResourceKind::Cpu;
    let is_its = are_cpus && resource.kind() == ResourceKind::Cpu;
    (is_its && is_at(case, found, step)).then_some(found.code.as_str())
}

/// The finding that says which resource holds the result back.
fn named(case: &CaseResult) -> Option<(&Finding, &Resource)> {
    let mut all = case.findings.iter().filter(|f| f.kind == FindingKind::Bottleneck);
    all.find_map(|found| Some((found, found.resource.as_ref()?)))
}

/// Whether a finding is of the machine that a step is of.
fn is_at(case: &CaseResult, found: &Finding, step: &PathUse) -> bool {
    analysis::is_of_other_end(case, found) == step.machine.is_some()
}

/// The code of the finding that a step holds the result back.
fn holds<'a>(case: &'a CaseResult, step: &PathUse) -> Option<&'a str> {
    let mut all = case.findings.iter().filter(|f| f.kind == FindingKind::Bottleneck);
    let of_server = |f: &&Finding| f.code == "server-bound" && step.part == PathPart::Unseen;
    if let Some(found) = all.find(of_server) {
        return Some(&found.code);
    }
    let (found, resource) = named(case)?;
    let is_its = match step.part {
        // Several devices are one finding's resource: `block:sda+sdb`.
        PathPart::Whole | PathPart::Memory => resource.holds(&step.resource),
        // A thread may fill the same CPU.
        PathPart::SoftInterrupts => {
            *resource == step.resource && analysis::BY_PACKETS.contains(&found.code.as_str())
        }
        PathPart::Queue | PathPart::Unseen => false,
    };
    (is_its && is_at(case, found, step)).then_some(found.code.as_str())
}

fn name(words: &Words, step: &PathUse) -> String {
    let label = match step.part {
        PathPart::SoftInterrupts => words.tell_texts("figure-path-softirq", &[("cpu", step.resource.name())]),
        PathPart::Queue => words.tell_texts("figure-path-queue", &[("name", step.resource.name())]),
        PathPart::Whole | PathPart::Memory | PathPart::Unseen => resource_label(words, &step.resource),
    };
    match &step.machine {
        Some(machine) => words
            .tell_texts("figure-path-of-machine", &[("name", label.as_str()), ("machine", machine.as_str())]),
        None => label,
    }
}

/// `429 MB/s of 560 MB/s`; of CPUs, how many of how many are busy.
fn detail(words: &Words, step: &PathUse, used: &LimitUse) -> String {
    let is_count = used.kind == LimitKind::Hardware && used.unit == Unit::One;
    let shown = |value: f64| match is_count {
        true => format::fixed(value, 1, ""),
        false => format::Rates::of_resource(&step.resource).setting(value, used.unit),
    };
    let limit = if is_count { format::short(used.limit) } else { shown(used.limit) };
    let key = match used.kind {
        _ if step.part == PathPart::Queue => "figure-used-queue",
        LimitKind::Hardware if is_count => "figure-used-hardware",
        LimitKind::Hardware => "figure-used",
        LimitKind::Measured => "figure-used-measured",
        LimitKind::Datasheet | LimitKind::Promise => "figure-used-promised",
        LimitKind::Link | LimitKind::Quota => "figure-used",
    };
    words.tell(key, &[("used", Value::Text(shown(used.used))), ("limit", Value::Text(limit))])
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};
    use model::Severity;
    use model::trial::{LOCAL, LoadTrial, Status, Trial, TrialResult};

    use super::*;

    fn step(part: PathPart, resource: &str, machine: Option<&str>) -> PathUse {
        let used = LimitUse { used: 0.62, limit: 1.0, unit: Unit::One, kind: LimitKind::Hardware };
        PathUse {
            machine: machine.map(str::to_owned),
            part,
            resource: Resource::from(resource),
            amplification: 1.0,
            used: (part != PathPart::Unseen).then_some(used),
        }
    }

    fn held_by(code: &str, resource: Option<&str>, end: &str) -> CaseResult {
        let mut case = crate::tests::run().cases.remove(0);
        let loads = vec![LoadTrial::of(0, LOCAL), LoadTrial::of(0, "web1")];
        case.trials.push(Trial {
            order: 0,
            block: 0,
            started: String::new(),
            status: Status::Ok,
            reason: None,
            result: TrialResult { loads, ..TrialResult::default() },
        });
        let mut found = Finding::new(FindingKind::Bottleneck, code, Severity::Note).arg("end", end);
        found.resource = resource.map(Resource::from);
        case.findings = vec![found];
        case
    }

    #[test]
    fn steps_are_called_by_what_of_a_resource_is_passed_and_by_their_machine() {
        let words = Language::English.words();
        let told = |step: PathUse| {
            let link = link(words, &step, None);
            (link.name, link.detail.unwrap_or_default())
        };
        let text = |name: &str, detail: &str| (name.to_owned(), detail.to_owned());
        let softirq = step(PathPart::SoftInterrupts, "cpu:1", None);
        assert_eq!(told(softirq), text("softirq, CPU 1", "0.6 of 1 busy"));
        let queue = step(PathPart::Queue, "block:sda", None);
        assert_eq!(told(queue), text("queue of sda", "0.6 of 1 requests"));
        let far = step(PathPart::Whole, "nic:eth1", Some("10.0.0.2:7117"));
        assert_eq!(told(far).0, "network eth1 of 10.0.0.2:7117");
        let unseen = step(PathPart::Unseen, "server:web1", None);
        assert_eq!(told(unseen), text("server web1", "not seen from here"));
        for language in LANGUAGES {
            let said = name(language.words(), &step(PathPart::Queue, "block:sda", Some("web1")));
            assert!(said.contains("sda") && said.contains("web1") && !said.contains("figure"), "{said}");
        }
    }

    #[test]
    fn the_step_that_holds_a_result_back_is_that_of_the_right_end() {
        let is_held = |case: &CaseResult, step: &PathUse| holds(case, step).is_some();
        let full = held_by("receiver-cpu", Some("cpu:1"), "near");
        assert!(is_held(&full, &step(PathPart::SoftInterrupts, "cpu:1", None)));
        assert!(!is_held(&full, &step(PathPart::SoftInterrupts, "cpu:1", Some("web1"))));
        let far = held_by("sender-cpu", Some("cpu"), "far");
        assert!(is_held(&far, &step(PathPart::Whole, "cpu:0-3", Some("web1"))));
        assert!(!is_held(&far, &step(PathPart::Whole, "cpu:0-3", None)));
        // The disk is full, not the queue before it.
        let disk = held_by("device-full", Some("block:sda"), "near");
        assert!(is_held(&disk, &step(PathPart::Whole, "block:sda", None)));
        assert!(!is_held(&disk, &step(PathPart::Queue, "block:sda", None)));
        // A CPU that threads fill is not full of what is done for packets.
        let one = held_by("one-core-full", Some("cpu:1"), "near");
        assert!(!is_held(&one, &step(PathPart::SoftInterrupts, "cpu:1", None)));
        // A server that nobody sees has no resource in the finding.
        let server = held_by("server-bound", None, "near");
        assert!(is_held(&server, &step(PathPart::Unseen, "server:web1", None)));
        assert!(!is_held(&server, &step(PathPart::Whole, "nic:eth0", None)));
    }

    #[test]
    fn a_cpu_that_is_no_step_is_among_those_of_its_end() {
        let steps = [
            step(PathPart::Whole, "cpu:0-3", Some("web1")),
            step(PathPart::SoftInterrupts, "cpu:0", None),
            step(PathPart::Whole, "cpu:0-3", None),
        ];
        let marked = |code: &str, cpu: &str, end: &str| {
            let case = held_by(code, Some(cpu), end);
            held(&case, &steps).iter().map(Option::is_some).collect::<Vec<_>>()
        };
        assert_eq!(marked("one-core-full", "cpu:2", "near"), [false, false, true]);
        assert_eq!(marked("sender-cpu", "cpu:2", "far"), [true, false, false]);
        assert_eq!(marked("receiver-cpu", "cpu:0", "near"), [false, true, false]);
        assert_eq!(marked("device-full", "block:sda", "near"), [false; 3]);
    }

    #[test]
    fn no_step_is_the_fullest_where_the_verdict_is_another_and_no_stock_is() {
        assert!(is_verdict_known(&held_by("window-bound", None, "near")));
        assert!(!is_verdict_known(&held_by("cannot-tell", None, "near")));
        assert!(is_of_rate(&step(PathPart::Whole, "block:sda", None)));
        assert!(!is_of_rate(&step(PathPart::Queue, "block:sda", None)));
        assert!(!is_of_rate(&step(PathPart::Whole, "page-cache", None)));
        let mut promised = step(PathPart::Whole, "block:sda", None);
        promised.used = promised.used.map(|used| LimitUse { kind: LimitKind::Promise, ..used });
        assert!(!is_of_rate(&promised));
    }
}
