//! What the sections of a comparison's report look at, and how they call cases
//! and sides.

use language::Words;
use model::comparison::{Row, Side, Verdict};
use model::run::Estimate;
use model::{Comparison, Run, Value};

use super::ComparisonSubject;
use crate::change;
use crate::document::{Piece, Text, Tone};
use crate::format::Rates;
use crate::label::short_form;
use crate::page;
use crate::page::method::moment;

/// So many levels stand in a title.
const LEVELS: usize = 6;

/// The label of a row that has it as text only, without its workload.
fn without_workload(row: &Row) -> Option<String> {
    let rest = row.case.strip_prefix(row.workload.as_str());
    let own = match rest {
        Some("") => "",
        Some(rest) => rest.strip_prefix(' ').unwrap_or(&row.case),
        None => &row.case,
    };
    (!own.is_empty()).then(|| own.to_owned())
}

/// A verdict in words, and how good it is.
pub(in crate::page) fn verdict_in_words(words: &Words, verdict: Verdict) -> (Tone, String) {
    let (tone, key) = match verdict {
        Verdict::Better => (Tone::Good, "comparison-verdict-better"),
        Verdict::Worse => (Tone::Error, "comparison-verdict-worse"),
        Verdict::Same => (Tone::Plain, "comparison-verdict-same"),
        Verdict::CannotTell => (Tone::Warning, "comparison-verdict-cannot-tell"),
    };
    (tone, words.say(key))
}

/// A comparison as its report sees it.
pub(super) struct ComparisonView<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) command: &'a [String],
    /// The cases of all sides.
    pub(super) all: page::View<'a>,
    /// The cases of each run.
    pub(super) runs: Vec<page::View<'a>>,
    /// Each run with all its cases, those too that have no partner.
    pub(super) whole: Vec<page::View<'a>>,
}

impl<'a> ComparisonView<'a> {
    pub(super) fn new(subject: &ComparisonSubject<'a>, all: &'a Run, sides: &'a [Run]) -> Self {
        let of = |run: &'a Run| page::View::new(&page::Subject { run, words: subject.words });
        Self {
            comparison: subject.comparison,
            command: subject.command,
            all: of(all),
            runs: sides.iter().map(of).collect(),
            whole: subject.runs.iter().map(of).collect(),
        }
    }

    pub(super) fn words(&self) -> &'static language::Words {
        self.all.words
    }

    pub(super) fn say(&self, key: &str) -> String {
        self.all.say(key)
    }

    pub(super) fn tell(&self, key: &str, texts: &[(&str, &str)]) -> String {
        self.all.tell(key, texts)
    }

    /// A text of the page about so many of so many.
    pub(super) fn counts(&self, key: &str, counts: &[(&str, usize)]) -> String {
        let counts: Vec<_> = counts.iter().map(|(name, n)| (*name, Value::from(*n as u64))).collect();
        self.words().tell(key, &counts)
    }

    /// `6.18 against 6.1`; of one run, what it is divided by.
    pub(super) fn title(&self) -> String {
        let sides = &self.comparison.sides;
        let Some(baseline) = sides.first() else { return self.say("page-untitled") };
        let labels = self.labels();
        let what = match (&self.comparison.by, &labels[..]) {
            (Some(by), [one, other]) => {
                self.tell("comparison-title-levels", &[("by", by), ("new", other), ("baseline", one)])
            }
            (Some(by), levels) => {
                let mut shown = levels[..levels.len().min(LEVELS)].join(", ");
                shown.push_str(if levels.len() > LEVELS { ", …" } else { "" });
                self.tell("comparison-title-by", &[("by", by), ("levels", &shown)])
            }
            (None, [baseline, others @ ..]) => {
                let others = others.join(", ");
                self.tell("comparison-title", &[("new", &others), ("baseline", baseline)])
            }
            (None, []) => String::new(),
        };
        let title = baseline.title.trim();
        let is_shared = sides.iter().all(|s| s.title == baseline.title) && !title.is_empty();
        if !is_shared {
            return what;
        }
        // A built-in study has its title in every language.
        let study = self.runs.first().map(page::View::title);
        let title = study.filter(|_| self.all.run.study.title.is_some());
        self.tell(
            "comparison-title-of",
            &[("title", title.as_deref().unwrap_or(&baseline.title)), ("what", &what)],
        )
    }

    /// The shortest names that tell the sides apart: of the study, of the
    /// machine, of the run.
    pub(super) fn labels(&self) -> Vec<String> {
        let sides = &self.comparison.sides;
        let names: &[fn(&Side) -> &str] = &[|s| &s.title, |s| &s.hostname];
        let tells = |name: &&fn(&Side) -> &str| {
            let all: Vec<&str> = sides.iter().map(|s| name(s).trim()).collect();
            let is_own = |(at, n): (usize, &&str)| !n.is_empty() && !all[..at].contains(n);
            self.comparison.by.is_none() && all.iter().enumerate().all(is_own)
        };
        let chosen = names.iter().find(tells).copied().unwrap_or(|s| &s.name);
        sides.iter().map(|s| chosen(s).trim().to_owned()).collect()
    }

    /// Which sides are compared, each with its run, machine and time.
    pub(super) fn described(&self) -> Vec<(String, Text)> {
        let sides = &self.comparison.sides;
        let of_run = |side: &Side| {
            let facts = [side.run.clone(), side.title.clone(), side.hostname.clone(), moment(&side.started)];
            let facts: Vec<String> = facts.into_iter().filter(|f| !f.trim().is_empty()).collect();
            Text::from(facts.join(" · "))
        };
        match (&self.comparison.by, sides.first()) {
            (_, None) => Vec::new(),
            (Some(by), Some(first)) => {
                let levels: Vec<&str> = sides.iter().map(|s| s.name.as_str()).collect();
                vec![(self.say("comparison-run"), of_run(first)), (by.clone(), levels.join(", ").into())]
            }
            (None, Some(_)) => {
                sides.iter().enumerate().map(|(place, s)| (self.role(place), of_run(s))).collect()
            }
        }
    }

    /// Baseline, or new.
    pub(super) fn role(&self, place: usize) -> String {
        self.say(if place == 0 { "comparison-baseline" } else { "comparison-new" })
    }

    /// A side by role and, of several, by name.
    pub(super) fn side(&self, place: usize) -> String {
        let label = self.labels().get(place).cloned().unwrap_or_default();
        match &self.comparison.by {
            Some(by) => self.tell("comparison-level", &[("by", by), ("level", &label)]),
            None => self.tell("comparison-side", &[("role", &self.role(place)), ("name", &label)]),
        }
    }

    /// A case, with what is held against what where that is not the same for all.
    pub(super) fn called(&self, row: &Row) -> String {
        let own = row.case_parts.as_ref().map_or_else(|| without_workload(row), short_form);
        let is_one = self.comparison.rows.iter().all(|r| r.workload == row.workload);
        let case = match own {
            Some(own) if is_one => own,
            Some(own) => format!("{} {own}", row.workload),
            None => row.workload.to_string(),
        };
        let name = |place: usize| self.comparison.sides.get(place).map_or("", |s| s.name.as_str());
        let (new, baseline) = (name(row.side), name(row.baseline_side));
        match &self.comparison.by {
            Some(by) => self.tell(
                "comparison-case-by",
                &[("case", &case), ("by", by), ("new", new), ("baseline", baseline)],
            ),
            None if self.comparison.sides.len() > 2 => format!("{case}, {new}"),
            None => case,
        }
    }

    /// A figure of a row below its metric's title.
    pub(super) fn figure(&self, row: &Row, estimate: Option<&Estimate>) -> String {
        estimate.map_or_else(|| "–".to_owned(), |e| self.all.figure(Rates::of(row.rate_unit), row.metric, e))
    }

    /// A row's change, and the interval behind it.
    pub(super) fn change(&self, row: &Row) -> Option<(String, String)> {
        let change = change::of(row.ratio.as_ref()?);
        let interval = match &change.interval {
            Some((low, high)) => self.tell("range", &[("low", low), ("high", high)]),
            None => self.say("interval-wide"),
        };
        Some((change.point, interval))
    }

    /// A verdict in words, and how good it is.
    pub(super) fn verdict(&self, verdict: Verdict) -> (Tone, String) {
        verdict_in_words(self.words(), verdict)
    }

    pub(super) fn badge(&self, verdict: Verdict) -> Piece {
        let (tone, text) = self.verdict(verdict);
        Piece::Badge(tone, text)
    }

    /// A case with the metric of its row.
    pub(super) fn name(&self, row: &Row) -> String {
        let (case, metric) = (self.called(row), self.all.metric(row.metric));
        self.tell("comparison-row", &[("case", &case), ("metric", &metric)])
    }

    pub(super) fn judged(&self) -> usize {
        self.comparison.rows.iter().filter(|r| r.judged).count()
    }
}
