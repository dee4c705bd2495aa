//! What limits a load, in a sentence as a person would say it: what it is, how much it lets
//! through, from where on more gives no more. Of each workload one sentence for each kind of its
//! cases; cases that differ only in how much is under way are one sweep, whose best case answers.

use model::definition::ParameterDefinition;
use model::label::LabelPart;
use model::metric::Better;
use model::profile::{Aspect, OperationClass};
use model::run::{CaseResult, CaseRole, Estimate, LevelSearch, SearchEnd};
use model::{Finding, FindingKind, Kind, MetricName, ParameterName, Unit, Value, WorkloadName, metric};

use super::{View, findings, highlights};
use crate::document::{Block, Rank, Section, Text};
use crate::view::label;

/// At least this share of the most is nearly all of it, as a search has it.
const NEARLY: f64 = 0.95;

/// So many sentences stand in the section of a workload.
const MOST: usize = 12;

/// A sentence about a case.
pub(super) struct Conclusion<'a> {
    /// The section of its workload.
    pub(super) section: String,
    /// Its workload.
    workload: WorkloadName,
    /// The case whose verdict it is.
    pub(super) case: &'a CaseResult,
    /// What sets it apart from others of its workload.
    pub(super) name: Option<String>,
    /// The sentence.
    pub(super) text: String,
}

impl Conclusion<'_> {
    /// What it is about, among all of the run.
    pub(super) fn title(&self, view: &View<'_>) -> String {
        let workload = view.called(self.workload.as_str());
        self.name.as_ref().map_or_else(|| workload.clone(), |own| format!("{workload}, {own}"))
    }
}

/// A sentence for each kind of load, in the order of the run.
pub(super) fn all<'a>(view: &View<'a>) -> Vec<Conclusion<'a>> {
    let mut all: Vec<Conclusion<'a>> = Vec::new();
    for best in highlights::best(view) {
        let sweep = Sweep::of(view, best.case, best.metric);
        let Some(text) = sweep.sentence(view) else { continue };
        let case = sweep.answer;
        // Of kinds that share a case one sentence is enough.
        if all.iter().any(|known| std::ptr::eq(known.case, case)) {
            continue;
        }
        let workload = case.loads.main.workload;
        let name = label::without(view, case, &sweep.varied);
        all.push(Conclusion { section: best.section, workload, case, name, text });
    }
    all
}

/// The sentences of a workload, in its section.
pub(super) fn put(view: &View<'_>, section: &mut Section, conclusions: &[Conclusion<'_>]) {
    let own: Vec<&Conclusion<'_>> = conclusions.iter().filter(|c| c.section == section.id).collect();
    if let [one] = own[..] {
        section.put(Rank::Detail, Block::Paragraph(Text::default().strong(one.text.clone())));
        return;
    }
    let line = |one: &&Conclusion<'_>| match &one.name {
        Some(name) => Text::default().strong(name.clone()).plain(format!(": {}", one.text)),
        None => one.text.clone().into(),
    };
    let mut lines: Vec<Text> = own.iter().take(MOST).map(line).collect();
    if own.len() > MOST {
        lines.push(view.count("and-more", own.len() - MOST).into());
    }
    if !lines.is_empty() {
        section.put(Rank::Detail, Block::List(lines));
    }
}

/// The verdict on a case, where it names something.
fn verdict(case: &CaseResult) -> Option<&Finding> {
    case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck)
}

fn is_named(case: &CaseResult) -> bool {
    verdict(case).is_some_and(|f| f.code != "cannot-tell")
}

/// The cases that differ only in how much is under way, and the one that answers for them.
struct Sweep<'a> {
    answer: &'a CaseResult,
    metric: MetricName,
    estimate: Option<&'a Estimate>,
    /// All of them.
    cases: Vec<&'a CaseResult>,
    /// The parameters in which they differ.
    varied: Vec<ParameterName>,
    search: Option<&'a LevelSearch>,
}

/// From where on there is no more.
struct Position {
    /// `from`, `at`, or `none`.
    position: &'static str,
    /// The parameters with their values.
    place: String,
    /// What more of them does.
    then: &'static str,
}

impl<'a> Sweep<'a> {
    fn of(view: &View<'a>, best: &'a CaseResult, metric: MetricName) -> Self {
        let cases: Vec<&CaseResult> = view.cases().filter(|other| is_same_work(best, other)).collect();
        let value = |case: &CaseResult| Some(case.loads.main.estimates.get(&metric)?.median);
        let is_near = |case: &&&CaseResult| {
            let near = value(case).zip(value(best));
            near.is_some_and(|(own, most)| own >= NEARLY * most && own * NEARLY <= most)
        };
        // A level that was added for a verdict has none of its own: those below it answer.
        let is_added = matches!(best.role, CaseRole::Extra { .. });
        let named = cases.iter().filter(|case| is_added || is_near(case)).filter(|case| is_named(case));
        let named =
            named.max_by(|a, b| value(a).unwrap_or_default().total_cmp(&value(b).unwrap_or_default()));
        let answer = if is_named(best) { best } else { named.copied().unwrap_or(best) };
        // What a search found stands for what is nearly as much.
        let answer = match answer.role {
            CaseRole::Knee { of } => view.run.cases.get(of).unwrap_or(answer),
            _ => answer,
        };
        let differs = |name: &ParameterName| {
            let own = answer.loads.main.parameters.get(*name);
            cases.iter().any(|case| case.loads.main.parameters.get(*name) != own)
        };
        let search = answer.search.as_ref();
        let varied = concurrency(answer)
            .filter(|name| differs(name) || search.is_some_and(|search| search.parameter == *name))
            .collect();
        let estimate = answer.loads.main.estimates.get(&metric);
        Self { answer, metric, estimate, cases, varied, search }
    }

    /// What limits it; nothing of a load that was not driven as hard as it goes.
    fn sentence(&self, view: &View<'_>) -> Option<String> {
        let estimate = self.estimate?;
        let found = verdict(self.answer);
        if found.is_none() && self.search.is_none() {
            return None;
        }
        let Position { position, place, then } = self.position(view);
        let code = found.map_or("cannot-tell", |found| found.code.as_str());
        // What only some verdicts of a code say; the finding's own arguments, which follow, stand for it.
        let mut texts: Vec<(&str, Value)> = vec![("syncs", Value::Bool(false))];
        texts.extend(
            found.into_iter().flat_map(|f| &f.args).map(|(name, value)| (name.as_str(), value.clone())),
        );
        texts.extend(found.into_iter().flat_map(syncs));
        let resource = found.map(|found| findings::resource(view, found)).unwrap_or_default();
        let said = found.map(|found| findings::verdict(view, found)).unwrap_or_default();
        let is_counted = estimate.unit == Unit::PerSecond;
        texts.extend([
            ("resource", Value::Text(resource)),
            ("several", found.map_or(Value::Bool(false), findings::is_about_several)),
            ("verdict", Value::Text(said)),
            ("rate", Value::Text(self.rate(view, estimate))),
            ("position", Value::from(position)),
            ("place", Value::Text(place)),
            ("then", Value::from(then)),
            ("counted", Value::Bool(is_counted)),
            ("spare", Value::Integer(found.map_or(0, spare))),
            ("slowed", Value::from(slowed(self.answer))),
            ("others", Value::Bool(found.is_some_and(is_others))),
            ("client", Value::Bool(crate::load::profile(self.answer).parameter(Aspect::Server).is_some())),
        ]);
        let key = format!("conclusion-{code}");
        let text = view.words.tell(&key, &texts);
        // What a later version, or an earlier document, has no words or arguments for.
        let text = if text == key { view.words.tell("conclusion-other", &texts) } else { text };
        Some(findings::sentence(&text))
    }

    /// The rate with what it counts: `60.56 k reads a second`.
    fn rate(&self, view: &View<'_>, estimate: &Estimate) -> String {
        let rates = crate::load::rates(self.answer);
        let flows = &crate::load::profile(self.answer).flows;
        let what = match flows.first().filter(|flow| flow.share >= 1.0).map(|flow| &flow.class) {
            Some(OperationClass::Read) => "reads",
            Some(OperationClass::Write) => "writes",
            _ => return view.with_metric(rates, self.metric, estimate),
        };
        if self.metric != metric::IOPS {
            return view.with_metric(rates, self.metric, estimate);
        }
        let figure = view.figure(rates, self.metric, estimate);
        view.tell("conclusion-rate", &[("figure", &figure), ("what", what)])
    }

    fn position(&self, view: &View<'_>) -> Position {
        let at = |position, case: &CaseResult, then| {
            let value = |name: &ParameterName| part(view, case, *name, None);
            let place: Vec<String> = self.varied.iter().filter_map(value).collect();
            Position {
                position: if place.is_empty() { "none" } else { position },
                place: place.join(", "),
                then,
            }
        };
        if let Some(search) = self.search {
            let knee = analysis::knee_of(&view.run.cases, self.answer);
            let best = |then| {
                let place = part(view, self.answer, search.parameter, Some(search.best)).unwrap_or_default();
                Position { position: "at", place, then }
            };
            return match search.ended {
                SearchEnd::Flat | SearchEnd::Unsure => at("from", knee, self.waits()),
                SearchEnd::Latency => best("little"),
                SearchEnd::Bound => best("tried"),
                SearchEnd::Budget | SearchEnd::Other => best("time"),
            };
        }
        if self.varied.is_empty() {
            return at("none", self.answer, "none");
        }
        let under_way = |case: &CaseResult| {
            let concurrency = &case.loads.main.profile.concurrency;
            concurrency.operations.max(concurrency.workers)
        };
        let most = self.cases.iter().map(|case| under_way(case)).max().unwrap_or_default();
        let enough = self.cases.iter().copied().filter(|case| self.is_nearly_all(case));
        match enough.min_by_key(|case| under_way(case)) {
            Some(knee) if under_way(knee).saturating_mul(2) <= most => at("from", knee, self.waits()),
            _ if under_way(self.answer) == most => at("at", self.answer, "tried"),
            _ => at("at", self.answer, "none"),
        }
    }

    /// Whether a case gives nearly as much as the one that answers.
    fn is_nearly_all(&self, case: &CaseResult) -> bool {
        let value = |case: &CaseResult| case.loads.main.estimates.get(&self.metric).map(|e| e.median);
        let both = value(case).zip(self.estimate);
        both.is_some_and(|(own, most)| match most.better {
            Better::Higher => own >= NEARLY * most.median,
            Better::Lower => own * NEARLY <= most.median,
        })
    }

    /// What more does where it adds nothing: operations wait (Little's law), or threads and
    /// connections add nothing.
    fn waits(&self) -> &'static str {
        let aspects = &self.answer.loads.main.profile.aspects;
        let is_depth = |name: &ParameterName| aspects.get(name) == Some(&model::profile::Aspect::Depth);
        if self.varied.iter().any(is_depth) { "waits" } else { "nothing" }
    }
}

/// The parameters that say how much is under way.
fn concurrency(case: &CaseResult) -> impl Iterator<Item = ParameterName> {
    let aspects = case.loads.main.profile.aspects.iter();
    aspects.filter(|(_, aspect)| aspect.is_concurrency()).map(|(name, _)| *name)
}

/// Whether two cases differ at most in how much is under way.
fn is_same_work(a: &CaseResult, b: &CaseResult) -> bool {
    let (of_a, of_b) = (&a.loads.main, &b.loads.main);
    if of_a.workload != of_b.workload || a.path != b.path || a.loads.beside.len() != b.loads.beside.len() {
        return false;
    }
    let free: Vec<ParameterName> = concurrency(a).chain(concurrency(b)).collect();
    let names = of_a.parameters.names().chain(of_b.parameters.names());
    let is_same =
        |name: ParameterName| free.contains(&name) || of_a.parameters.get(name) == of_b.parameters.get(name);
    let beside = a.loads.beside.iter().zip(&b.loads.beside);
    let asked = |case: &CaseResult| -> Vec<(String, Vec<Value>)> {
        let all = case.settings.iter();
        all.map(|(name, states)| (name.clone(), states.iter().map(|s| s.asked.clone()).collect())).collect()
    };
    names.into_iter().all(is_same)
        && beside.into_iter().all(|(a, b)| (a.workload, &a.parameters) == (b.workload, &b.parameters))
        && asked(a) == asked(b)
}

/// A parameter of a case in words: `queue depth 32`, `2 threads`; with another value where one is
/// given.
pub(super) fn part(
    view: &View<'_>,
    case: &CaseResult,
    name: ParameterName,
    value: Option<u64>,
) -> Option<String> {
    let load = &case.loads.main;
    let definition: Option<&ParameterDefinition> =
        view.run.definitions.parameter(load.workload, name.as_str());
    let kind = definition.map_or(Kind::Count, |definition| definition.kind);
    let value = value.map_or_else(|| load.parameters.get(name).cloned(), |value| Some(value.into()))?;
    Some(label::level(view, &LabelPart { name: name.to_string(), kind, value }, false))
}

/// CPUs that a load whose own are full leaves free.
fn spare(finding: &Finding) -> u64 {
    let number = |name: &str| finding.args.get(name)?.number();
    let more = finding.args.get("more") == Some(&Value::Bool(true));
    let both = number("cpus").zip(number("threads")).filter(|_| more);
    both.map_or(0, |(cpus, threads)| (cpus - threads).max(0.0) as u64)
}

/// What stands beside a verdict of syncs, as a verdict that knows of them itself says it.
fn syncs(finding: &Finding) -> Vec<(&str, Value)> {
    let seen = finding.evidence.iter().find(|evidence| evidence.code == "in-syncs");
    let of = |name: &str| seen?.args.get(name).cloned();
    let Some((share, sync_s)) = of("share").zip(of("sync_s")) else { return Vec::new() };
    vec![("syncs", Value::Bool(true)), ("sync_share", share), ("sync_s", sync_s)]
}

/// Whether at least as much passed what is named beside the load as of it: what others do there, or a file system adds.
fn is_others(finding: &Finding) -> bool {
    finding.evidence.iter().any(|evidence| evidence.code == "others-there")
}

/// Why processors slowed down in at least half of the trials, by what a rule found: `heat`, `power`, or `no`.
fn slowed(case: &CaseResult) -> &'static str {
    let found = case.findings.iter().find(|f| f.kind == FindingKind::Validity && f.code == "throttled");
    let number = |name: &str| found?.args.get(name)?.number();
    let is_most = number("trials").zip(number("of")).is_some_and(|(trials, of)| 2.0 * trials >= of);
    let is_power = found.is_some_and(|f| f.args.get("why") == Some(&Value::from("power")));
    match (is_most, is_power) {
        (false, _) => "no",
        (true, true) => "power",
        (true, false) => "heat",
    }
}

#[cfg(test)]
mod tests;
