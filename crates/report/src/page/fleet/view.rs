//! How the sections of a fleet's report call machines, figures and facts.

use analysis::fleet::{FactTie, Fleet, FleetFigure, FleetRatio, FleetSplit, TiedFact, TiedWhat};
use language::Words;
use language::format::{self, Rates};
use model::{Unit, Value};

use super::FleetSubject;
use crate::document::Tone;
use crate::page::comparison::value_in_words;
use crate::{change, label};

/// Machines that a sentence names at most.
const NAMED: usize = 6;
/// Facts of a tie that are told at most.
const FACTS: usize = 4;

/// A fleet as its report sees it.
pub(super) struct FleetView<'a> {
    pub(super) subject: &'a FleetSubject<'a>,
}

impl<'a> FleetView<'a> {
    pub(super) fn words(&self) -> &'static Words {
        self.subject.words
    }

    pub(super) fn say(&self, key: &str) -> String {
        self.words().say(key)
    }

    pub(super) fn tell(&self, key: &str, texts: &[(&str, &str)]) -> String {
        self.words().tell_texts(key, texts)
    }

    pub(super) fn counts(&self, key: &str, counts: &[(&str, usize)]) -> String {
        let counts: Vec<_> = counts.iter().map(|(name, n)| (*name, Value::from(*n as u64))).collect();
        self.words().tell(key, &counts)
    }

    pub(super) fn fleet(&self) -> &'a Fleet {
        self.subject.fleet
    }

    /// A work with its figure.
    pub(super) fn name(&self, figure: &FleetFigure) -> String {
        let own = label::short_form(&figure.case).map(|own| format!(" {own}")).unwrap_or_default();
        let metric = label::metric(self.words(), figure.metric);
        self.tell("comparison-row", &[("case", &format!("{}{own}", figure.workload)), ("metric", &metric)])
    }

    /// A figure below its metric's title.
    pub(super) fn figure(&self, figure: &FleetFigure, value: f64) -> String {
        let title = label::title(figure.metric);
        Rates::of(figure.rate_unit).under_title(value, figure.unit, &title)
    }

    /// The spread between machines: a share where all values are above 0.
    pub(super) fn spread(&self, figure: &FleetFigure) -> String {
        let Some(spread) = figure.spread else { return String::new() };
        let is_ratio = figure.values.iter().flatten().all(|value| *value > 0.0);
        if is_ratio { format::fine_percent(spread) } else { self.figure(figure, spread) }
    }

    /// How much one side is of the other: `-9.1 %`, and the interval.
    pub(super) fn change(&self, ratio: Option<&FleetRatio>) -> (String, String) {
        let Some(ratio) = ratio else { return (self.say("trend-no-ratio"), String::new()) };
        let change = change::of_parts(ratio.ratio, ratio.low, ratio.high);
        let interval = match &change.interval {
            Some((low, high)) => self.tell("range", &[("low", low), ("high", high)]),
            None => self.say("interval-wide"),
        };
        (change.point, interval)
    }

    /// The names of machines; of many the first.
    pub(super) fn machines(&self, all: &[usize]) -> String {
        let names = all.iter().filter_map(|place| self.fleet().machines.get(*place));
        let mut named: Vec<String> = names.take(NAMED).map(|machine| machine.name.clone()).collect();
        if all.len() > named.len() {
            named.push(self.words().count("and-more", all.len() - named.len()));
        }
        named.join(", ")
    }

    /// Whether it is good, and what it is called.
    pub(super) fn badge(&self, split: &FleetSplit) -> (Tone, String) {
        match split.is_worse {
            true => (Tone::Error, self.say("fleet-worse")),
            false => (Tone::Plain, self.say("fleet-better")),
        }
    }

    /// Facts that part the machines alike, in words.
    pub(super) fn tie(&self, tie: &FactTie) -> String {
        let has = |fact: &TiedFact| is_of_own(fact).then(|| fact.code.clone());
        let said: Vec<String> = tie.facts.iter().filter_map(has).collect();
        // What the others have instead need not be told of a fact of which it is told what these have.
        let all = tie.facts.iter().filter(|fact| is_of_own(fact) || !said.contains(&fact.code));
        let mut told: Vec<String> = all.map(|fact| self.fact(fact)).collect();
        let more = told.len().saturating_sub(FACTS);
        told.truncate(FACTS);
        if more > 0 {
            told.push(self.words().count("and-more", more));
        }
        told.join("; ")
    }

    fn fact(&self, fact: &TiedFact) -> String {
        let name = self.words().or(&format!("environment-{}", fact.code), &fact.text);
        match &fact.what {
            TiedWhat::Has { value, own, others } => {
                let value = value_in_words(self.words(), value);
                let key = if is_of_own(fact) { "fleet-fact-has" } else { "fleet-fact-lacks" };
                let number = |n: usize| Value::from(n as u64);
                let arguments = [
                    ("name", Value::from(name.as_str())),
                    ("value", Value::from(value.as_str())),
                    ("own", number(own.0)),
                    ("own_all", number(own.1)),
                    ("others", number(others.0)),
                    ("others_all", number(others.1)),
                ];
                self.words().tell(key, &arguments)
            }
            TiedWhat::Number { own, others } => {
                let (own, others) = (quantity(&fact.code, *own), quantity(&fact.code, *others));
                self.tell("fleet-fact-number", &[("name", &name), ("own", &own), ("others", &others)])
            }
        }
    }
}

/// Whether it is these machines that have it, and not the others.
fn is_of_own(fact: &TiedFact) -> bool {
    match &fact.what {
        TiedWhat::Has { own, others, .. } => own.0 * others.1 >= others.0 * own.1,
        TiedWhat::Number { .. } => true,
    }
}

/// A number of a fact, in its unit.
fn quantity(code: &str, value: f64) -> String {
    match code {
        "memory" => format::rough_binary(value.max(0.0) as u64),
        "temperature" => format::quantity(value, Unit::Celsius),
        "cpu-frequency" => format::quantity(value, Unit::Hertz),
        _ => format::short(value),
    }
}
