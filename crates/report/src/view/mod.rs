//! What the sections of a report look at: the run, and what several of them
//! need to know of it.

pub(crate) mod label;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use language::{Language, Words};
use model::run::{CaseResult, CaseRole, Estimate};
use model::{Kind, MetricName, ParameterName, Resource, Run, Status, WorkloadName, metric};

use crate::format::Rates;
use crate::merged_findings::{MergedFinding, merged};

/// What a report is made from.
pub struct Subject<'a> {
    /// The run.
    pub run: &'a Run,
    /// The words.
    pub words: &'static Words,
}

/// A run as a report sees it.
pub struct View<'a> {
    /// The run.
    pub run: &'a Run,
    /// The words.
    pub words: &'static Words,
    /// All findings, the gravest first, alike ones together.
    pub(crate) findings: Vec<MergedFinding<'a>>,
}

/// The cases of one workload.
pub(crate) struct WorkloadGroup<'a> {
    pub(crate) name: WorkloadName,
    /// Its place among the workloads of the run, from 0.
    pub(crate) place: usize,
    /// Its cases, in the order of the run.
    pub(crate) cases: Vec<&'a CaseResult>,
}

impl WorkloadGroup<'_> {
    /// The section about it.
    pub(crate) fn id(&self) -> String {
        format!("workload-{}", self.place + 1)
    }
}

/// The words of a language. Those of English have the sentences that stand beside the rules and
/// beside the checks of the doctor, so that English makes them from codes and arguments as every
/// other language does.
pub(crate) fn words(language: Language) -> &'static Words {
    static ENGLISH: OnceLock<Words> = OnceLock::new();
    match language {
        Language::English => {
            ENGLISH.get_or_init(|| Words::english_with(analysis::english().chain(machine::doctor::english())))
        }
        _ => language.words(),
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(subject: &Subject<'a>) -> Self {
        let findings = merged(subject.run);
        Self { run: subject.run, words: words(subject.words.language()), findings }
    }

    /// The report's title.
    #[must_use]
    pub fn title(&self) -> String {
        let study = &self.run.study;
        // Without a file, a study has the name of its workload.
        let title = study.title.clone().unwrap_or_else(|| self.called(&study.name));
        let title = self.words.or(&format!("study-{}-title", study.name), &title);
        if title.trim().is_empty() { self.say("page-untitled") } else { title }
    }

    /// A text of the page.
    pub(crate) fn say(&self, key: &str) -> String {
        self.words.say(key)
    }

    /// A text of the page, filled with texts.
    pub(crate) fn tell(&self, key: &str, texts: &[(&str, &str)]) -> String {
        self.words.tell_texts(key, texts)
    }

    /// A text of the page about so many.
    pub(crate) fn count(&self, key: &str, count: usize) -> String {
        self.words.count(key, count)
    }

    /// The cases that are results: all but the levels of searches and what was measured for proofs.
    pub(crate) fn cases(&self) -> impl Iterator<Item = &'a CaseResult> + Clone + use<'a> {
        self.run.cases.iter().filter(|case| !case.is_auxiliary())
    }

    /// The levels of all searches of a workload.
    pub(crate) fn levels(&self, workload: WorkloadName) -> Vec<&'a CaseResult> {
        let is_of = |case: &&CaseResult| {
            matches!(case.role, CaseRole::Level { .. }) && case.loads.main.workload == workload
        };
        self.run.cases.iter().filter(is_of).collect()
    }

    /// The shares of what searches of a workload found, where they were measured.
    pub(crate) fn shares(&self, workload: WorkloadName) -> Vec<&'a CaseResult> {
        let is_of = |case: &&CaseResult| {
            let is_share = matches!(case.role, CaseRole::Share { .. }) && !case.trials.is_empty();
            is_share && case.loads.main.workload == workload
        };
        self.run.cases.iter().filter(is_of).collect()
    }

    /// The run's cases by workload, in the order in which they first come.
    pub(crate) fn groups(&self) -> Vec<WorkloadGroup<'a>> {
        let cases = self.cases().map(|case| (case.loads.main.workload, case));
        let group = |(place, (name, cases))| WorkloadGroup { name, place, cases };
        crate::grouped(cases).into_iter().enumerate().map(group).collect()
    }

    /// What a case is called beside others of its workload.
    pub(crate) fn short(&self, case: &CaseResult) -> String {
        label::own(self, case).unwrap_or_else(|| self.say("case-defaults"))
    }

    /// What a case is, with what it has in common with others.
    pub(crate) fn whole(&self, case: &CaseResult) -> String {
        label::whole(self, case).unwrap_or_else(|| self.say("case-defaults"))
    }

    /// What a case is called among all of the run.
    pub(crate) fn name(&self, case: &CaseResult) -> String {
        let title = self.called(case.loads.main.workload.as_str());
        match label::own(self, case) {
            Some(own) if !self.is_only(case) => format!("{title}, {own}"),
            _ => title,
        }
    }

    /// What a workload is called.
    pub(crate) fn called(&self, workload: &str) -> String {
        label::workload(self, workload)
    }

    fn is_only(&self, case: &CaseResult) -> bool {
        self.cases().filter(|c| c.loads.main.workload == case.loads.main.workload).nth(1).is_none()
    }

    /// What people call a resource.
    pub(crate) fn resource(&self, resource: &Resource) -> String {
        language::resource_name(self.words, resource)
    }

    /// The same of a machine with this name, where it is not the one that drives.
    pub(crate) fn resource_of(&self, resource: &Resource, machine: Option<&str>) -> String {
        let name = self.resource(resource);
        match machine.filter(|machine| !machine.is_empty()) {
            Some(machine) => self.tell("figure-path-of-machine", &[("name", &name), ("machine", machine)]),
            None => name,
        }
    }

    /// The title of a metric.
    pub(crate) fn metric(&self, name: MetricName) -> String {
        crate::label::metric(self.words, name)
    }

    /// A case's figure of a metric, below the metric's title.
    pub(crate) fn figure(&self, rates: Rates, metric: MetricName, estimate: &Estimate) -> String {
        rates.under_title(estimate.median, estimate.unit, &crate::label::title(metric))
    }

    /// A case's figure with what it counts, which bytes a second say themselves.
    pub(crate) fn with_metric(&self, rates: Rates, metric: MetricName, estimate: &Estimate) -> String {
        let figure = self.figure(rates, metric, estimate);
        if metric == metric::THROUGHPUT {
            return figure;
        }
        self.tell("figures-with-metric", &[("figure", &figure), ("metric", &self.metric(metric))])
    }

    /// An estimate's interval, or that it is too wide to show.
    pub(crate) fn interval(&self, rates: Rates, estimate: &Estimate) -> Option<String> {
        let (low, high) = rates.interval_ends(estimate)?;
        Some(match (low.is_empty(), high.is_empty()) {
            (true, _) | (_, true) => self.say("interval-wide"),
            _ => self.tell("range", &[("low", &low), ("high", &high)]),
        })
    }

    /// The names of parameters of a kind that differ among cases.
    pub(crate) fn varying(
        &self,
        cases: &[&'a CaseResult],
        fits: impl Fn(Kind) -> bool,
    ) -> Vec<ParameterName> {
        let names: BTreeSet<ParameterName> =
            cases.iter().flat_map(|c| c.loads.main.parameters.names()).collect();
        let of_kind = |name: ParameterName, case: &CaseResult| {
            let parameter = self.run.definitions.parameter(case.loads.main.workload, name.as_str());
            parameter.is_some_and(|p| fits(p.kind))
        };
        let varies = |name: &ParameterName| {
            let first = cases.first().map(|c| c.loads.main.parameters.get(*name));
            cases.iter().any(|c| Some(c.loads.main.parameters.get(*name)) != first)
                && cases.iter().any(|c| of_kind(*name, c))
        };
        names.into_iter().filter(varies).collect()
    }

    /// How many trials there are of this status.
    pub(crate) fn trials(&self, status: Status) -> usize {
        self.run.cases.iter().flat_map(|c| &c.trials).filter(|t| t.status == status).count()
    }
}
