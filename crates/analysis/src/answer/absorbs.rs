//! Whether a sink takes all that a source brings, for as long as it likes: three figures of a study, each
//! with its interval, against one another.
//!
//! Bytes may go either way: from a network to a disk, or from a disk to a network. A source reads, receives or
//! makes them, a sink writes, sends or uses them up, and all three figures are bytes per second: an operation
//! of one workload is none of another, so that rates of operations are not compared.
//!
//! What comes and what is taken alone are the best cases of their workloads, of those that left
//! the machine as it was for both together: larger packets for the one alone bring the other nothing. What
//! is taken of what comes is looked at with each of the settings. There a page cache may have taken the first
//! bytes: the rate that counts is the one after the kernel slowed the writer down. If it never came to that,
//! the rate until all was on the device is a lower bound, and what the sink takes alone decides.

use model::finding::Evidence;
use model::limit::Direction;
use model::profile::OperationClass;
use model::run::CaseResult;
use model::setting::SettingState;
use model::study::StudyVerdict;
use model::{Finding, FindingKind, Run, Severity, WorkloadName, metric};

use super::rate::{ENOUGH, Rate};
use crate::goal::is_doubted;
use crate::measure;

/// The code of what this finds, and what it says.
pub(crate) const CODE: (&str, &str) = (
    "absorbs",
    "About the whole run: whether a sink takes all that a source brings (`kind = \"absorbs\"` in a study's `[verdict]`), \
     that is at least 95 % of it by the interval of the ratio over trials, for as long as it comes. What the page cache \
     took before the kernel slowed the writer down does not count.",
);

/// The same in English.
pub(crate) const ENGLISH: &str = r#"
absorbs-source = { SHORT($source, unit: "B/s") } ({ SHORT($source_bits, unit: "bit/s") }) can arrive
absorbs-lasting = { SHORT($lasting, unit: "B/s") } ({ SHORT($lasting_bits, unit: "bit/s") })

finding-absorbs =
    { $answer ->
        [yes] { absorbs-source }, and all of it is taken for as long as it comes: { absorbs-lasting }
        [head] { absorbs-source }; { $least ->
            [yes] at least the first { SHORT($bytes, unit: "B") }
           *[no] the first { SHORT($bytes, unit: "B") }
        } are taken at { SHORT($head, unit: "B/s") } ({ SHORT($head_bits, unit: "bit/s") }), into memory; what lasts is
            { absorbs-lasting }
        [no] { absorbs-source }, but only { absorbs-lasting } is taken
        [elsewhere] { absorbs-source }, and the sink alone takes { SHORT($sink, unit: "B/s") }
            ({ SHORT($sink_bits, unit: "bit/s") }), but both together only reach { absorbs-lasting }: something else holds
            them back
       *[unknown] { $why ->
            [source] what can arrive was not measured
            [joint] nothing was measured that takes what arrives
            [doubt] { absorbs-source }, and all of it was taken, but an error among the findings says that this is not to be
                trusted
            [trials] two trials of each at least are needed to compare
            [short] { absorbs-source }, and all that was sent went into memory first: it was too little to see what lasts
           *[spread] { absorbs-source }, and { absorbs-lasting } is taken, but the trials differ too much to tell whether
                that is less
        }
    }

absorbs-interval =
    { $known ->
        [yes] {" "}({ SHORT($low, unit: "B/s") } to { SHORT($high, unit: "B/s") })
       *[no] {""}
    }

evidence-absorbs-source =
    the source alone: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-absorbs-sink =
    the sink alone: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-absorbs-joint =
    both together: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }{ $part ->
        [after] , after the first { SHORT($bytes, unit: "B") } at { SHORT($head, unit: "B/s") }
        [until] {" "}until all was on the device, { SHORT($head, unit: "B/s") } until it was in memory
       *[all] {""}
    }
"#;

/// So many times as much as what lasts makes a head.
const FASTER: f64 = crate::validity::cache_absorbed::FASTER;

/// From this share of the window on, the writer was slowed down for all of it.
const SLOWED: f64 = 0.9;

/// What was taken of what came, with one of the settings.
struct Joint<'a> {
    rate: Rate<'a>,
    /// Whether that lasts.
    lasts: bool,
    /// Whether at least that lasts: all of it was on the device in the end.
    is_bound: bool,
    /// What memory took first: so many bytes at so many per second.
    head: Option<(f64, f64)>,
}

impl<'a> Joint<'a> {
    fn of(case: &'a CaseResult) -> Option<Self> {
        let slowed = Rate::of(case, |trial| {
            measure::absorbed(measure::profile(case), &case.path, &trial.result).map(|found| found.sustained)
        });
        let trials = measure::good(case).count();
        if let Some(rate) = slowed.filter(|rate| rate.values.len() * 2 >= trials) {
            let head = measure::middle(case, |trial| {
                let found = measure::absorbed(measure::profile(case), &case.path, &trial.result)?;
                Some((found.sustained, (found.bytes, found.head)))
            });
            let head = head.filter(|(_, head)| *head >= FASTER * rate.median);
            return Some(Self { rate, lasts: true, is_bound: true, head });
        }
        // What is read or sent is in no memory first.
        if !measure::writes_through_cache(measure::profile(case)) {
            let rate = Rate::of_metric(case, metric::THROUGHPUT)?;
            return Some(Self { rate, lasts: true, is_bound: true, head: None });
        }
        let lasts = measure::writeback(case).is_some_and(|found| found.throttled >= SLOWED);
        let Some(rate) = Rate::of_metric(case, metric::THROUGHPUT_DURABLE) else {
            // For a duration: how much of it was only in memory is not known.
            let rate = Rate::of_metric(case, metric::THROUGHPUT)?;
            return Some(Self { rate, lasts, is_bound: lasts, head: None });
        };
        let head = measure::middle(case, |trial| {
            let head = measure::measured(trial, metric::THROUGHPUT)?;
            Some((head, (measure::bytes_in(case, trial, OperationClass::Write)?, head)))
        });
        Some(Self { rate, lasts, is_bound: true, head: head.filter(|_| !lasts) })
    }

    fn evidence(&self) -> Evidence {
        let part = match (self.head.is_some(), self.lasts) {
            (true, true) => "after",
            (true, false) => "until",
            (false, _) => "all",
        };
        let (bytes, head) = self.head.unwrap_or_default();
        let evidence = self.rate.evidence("absorbs-joint");
        evidence.arg("part", part).arg("bytes", bytes).arg("head", head)
    }
}

/// What the question comes to, and the rate that lasts.
struct Answer<'a> {
    word: &'static str,
    why: &'static str,
    lasting: Option<&'a Rate<'a>>,
}

impl<'a> Answer<'a> {
    fn is(word: &'static str, lasting: &'a Rate<'a>) -> Self {
        Self { word, why: "none", lasting: Some(lasting) }
    }

    fn unknown(why: &'static str, lasting: Option<&'a Rate<'a>>) -> Self {
        Self { word: "unknown", why, lasting }
    }
}

fn decide<'a>(
    source: Option<&Rate<'_>>,
    sink: Option<&'a Rate<'a>>,
    joint: Option<&'a Joint<'a>>,
) -> Answer<'a> {
    let Some(source) = source else { return Answer::unknown("source", None) };
    let Some(joint) = joint else { return Answer::unknown("joint", None) };
    let own = &joint.rate;
    if source.values.len() < ENOUGH || own.values.len() < ENOUGH {
        return Answer::unknown("trials", Some(own));
    }
    let alone = sink.and_then(|sink| sink.is_all_of(source));
    match (own.is_all_of(source), joint.lasts) {
        (Some(true), _) if joint.is_bound && (is_doubted(source.case) || is_doubted(own.case)) => {
            Answer::unknown(super::DOUBT, Some(own))
        }
        (Some(true), _) if joint.is_bound => Answer::is("yes", own),
        (Some(false), true) if alone == Some(true) => Answer::is("elsewhere", own),
        (Some(false), true) => Answer::is(if joint.head.is_some() { "head" } else { "no" }, own),
        (None, true) => Answer::unknown("spread", Some(own)),
        (_, _) => match (sink, alone) {
            (Some(sink), Some(false)) => {
                let is_head = joint.head.is_some_and(|(_, head)| head >= FASTER * sink.median);
                Answer::is(if is_head { "head" } else { "no" }, sink)
            }
            _ => Answer::unknown("short", Some(own)),
        },
    }
}

/// What the run's question comes to.
pub(super) fn check(run: &Run, verdict: &StudyVerdict) -> Option<Finding> {
    let mut joints: Vec<Joint<'_>> = of(run, verdict.joint).filter_map(Joint::of).collect();
    // What the best of the settings takes can be taken.
    joints.sort_by(|a, b| b.rate.order(&a.rate));
    let best = joints.first().map(|joint| joint.rate.case);
    let source = alone(run, verdict.source, best, End::Source);
    let sink = alone(run, verdict.sink, best, End::Sink);
    if source.is_none() && sink.is_none() && joints.is_empty() {
        return None;
    }
    let answer = decide(source.as_ref(), sink.as_ref(), joints.first());
    let (bytes, head) = joints.first().and_then(|joint| joint.head).unwrap_or_default();
    let is_least = joints.first().is_some_and(|joint| !joint.lasts);
    let mut found = Finding::new(FindingKind::Answer, CODE.0, Severity::Note)
        .arg("answer", answer.word)
        .arg("why", answer.why)
        .arg("least", if is_least { "yes" } else { "no" })
        .arg("bytes", bytes);
    let median = |rate: Option<&Rate<'_>>| rate.map_or(0.0, |rate| rate.median);
    let rates = [
        ("source", median(source.as_ref())),
        ("sink", median(sink.as_ref())),
        ("lasting", median(answer.lasting)),
        ("head", head),
    ];
    for (name, rate) in rates {
        found = found.arg(name, rate).arg(&format!("{name}_bits"), rate * 8.0);
    }
    let alone = [("absorbs-source", &source), ("absorbs-sink", &sink)];
    let alone = alone.into_iter().filter_map(|(code, rate)| Some(rate.as_ref()?.evidence(code)));
    Some(found.because_all(alone).because_all(joints.iter().map(Joint::evidence)))
}

/// The cases of a workload that are results.
fn of(run: &Run, workload: WorkloadName) -> impl Iterator<Item = &CaseResult> {
    run.cases.iter().filter(move |case| !case.is_auxiliary() && case.loads.main.workload == workload)
}

fn best<'a>(rates: impl Iterator<Item = Rate<'a>>) -> Option<Rate<'a>> {
    rates.max_by(|a, b| a.order(b))
}

/// An end of the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Source,
    Sink,
}

impl End {
    /// Whether a case can be this end: bytes only come from it, or only go to it. One that neither moves data
    /// between machines nor reads or writes makes bytes, or uses them up.
    fn can_be(self, case: &CaseResult) -> bool {
        let (direction, classes) = match self {
            Self::Source => (Direction::Read, [OperationClass::Write, OperationClass::Trim]),
            Self::Sink => (Direction::Write, [OperationClass::Read, OperationClass::Trim]),
        };
        if measure::is_net(case) {
            return !measure::goes_both_ways(case) && measure::way(case).is_none_or(|way| way == direction);
        }
        !classes.iter().any(|class| measure::does(case, *class))
    }
}

/// What an end does alone: the best case of those that were measured in the state in which `joint` was, where
/// there are any, and that go through their target as it does; around the page cache, or else, of writes,
/// until all was on the device.
fn alone<'a>(run: &'a Run, workload: WorkloadName, joint: Option<&CaseResult>, end: End) -> Option<Rate<'a>> {
    let is_random = joint.is_some_and(measure::is_random);
    // What has no target is in no order.
    let is_ordered =
        |case: &CaseResult| measure::profile(case).targets == 0 || measure::is_random(case) == is_random;
    let fits = |case: &&CaseResult| end.can_be(case) && is_ordered(case);
    let rates = |is_direct: bool, is_like: bool| {
        let is_one = move |case: &&CaseResult| {
            measure::is_direct(case) == is_direct
                && (!is_like || joint.is_some_and(|joint| is_as_in(case, joint)))
        };
        let cases = of(run, workload).filter(fits).filter(is_one);
        best(cases.filter_map(|case| {
            let writes = measure::writes_through_cache(measure::profile(case));
            let name = if writes { metric::THROUGHPUT_DURABLE } else { metric::THROUGHPUT };
            Rate::of_metric(case, name)
        }))
    };
    [(true, true), (true, false), (false, true), (false, false)]
        .into_iter()
        .find_map(|(is_direct, is_like)| rates(is_direct, is_like))
}

/// Whether what was changed for a case was so in `other`, too: changed to the same, or left as it was found.
fn is_as_in(case: &CaseResult, other: &CaseResult) -> bool {
    let asked = |states: &[SettingState]| states.iter().map(|state| state.asked.clone()).collect::<Vec<_>>();
    case.settings.iter().all(|(key, states)| match other.settings.get(key) {
        Some(others) => asked(states) == asked(others),
        None => states.iter().all(|state| state.before.as_ref() == Some(&state.asked)),
    })
}

#[cfg(test)]
mod tests;
