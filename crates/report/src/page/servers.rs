//! What loads ran against, as it told of itself: versions and settings side by side, how far away each is, and how
//! much of the latency that makes. Which facts are told says the language: those that have words there, and others
//! where they are not the same everywhere.

use std::collections::{BTreeMap, BTreeSet};

use model::run::CaseResult;
use model::{FactName, Status, Value};

use super::View;
use crate::document::{Block, Column, Section, Table, Text};

/// Columns that are read side by side.
const COLUMNS_MOST: usize = 6;

/// What stands where one told nothing.
const NOTHING: &str = "–";

/// One server with its settings, or whatever else loads ran against.
pub(super) struct ServerColumn<'a> {
    /// What tells it from the others.
    pub(super) title: String,
    cases: Vec<&'a CaseResult>,
}

impl ServerColumn<'_> {
    /// The same under another title.
    pub(super) fn titled(self, title: String) -> Self {
        Self { title, ..self }
    }

    /// What it tells of itself in words: the same in all of its cases.
    fn told(&self, view: &View<'_>) -> BTreeMap<FactName, Value> {
        self.cases.first().map(|case| told(view, case)).unwrap_or_default()
    }

    /// The least and the greatest median of a number that its cases have.
    fn range(&self, name: FactName) -> Option<(f64, f64)> {
        let values = self.cases.iter().filter_map(|case| crate::load::fact(case, name));
        values.fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((value.min(low), value.max(high)))
        })
    }
}

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("servers", view.say("servers-title"));
    section.extend(blocks(view, columns(view)));
    section
}

/// A table of these, with what must be said beside it.
pub(super) fn blocks(view: &View<'_>, mut columns: Vec<ServerColumn<'_>>) -> Vec<Block> {
    let more = columns.len().saturating_sub(COLUMNS_MOST);
    columns.truncate(COLUMNS_MOST);
    let rows = rows(view, &columns);
    if rows.is_empty() {
        return Vec::new();
    }
    let head = Column::words(view.say("column-what"));
    let titles = columns.iter().map(|column| Column::words(column.title.clone()));
    let columns = std::iter::once(head).chain(titles).collect();
    let table = Table { caption: view.say("servers-caption"), columns, rows, groups: Vec::new() };
    let more = (more > 0).then(|| Block::Paragraph(view.count("and-more", more).into()));
    std::iter::once(Block::Table(table)).chain(more).collect()
}

/// What the cases of a run ran against: a column for each that told other things of itself.
pub(super) fn columns<'a>(view: &View<'a>) -> Vec<ServerColumn<'a>> {
    let mut all: Vec<(BTreeMap<FactName, Value>, Vec<&'a CaseResult>)> = Vec::new();
    for case in view.cases().filter(|case| names(view, case).next().is_some()) {
        let told = told(view, case);
        match all.iter_mut().find(|(known, _)| *known == told) {
            Some((_, cases)) => cases.push(case),
            None => all.push((told, vec![case])),
        }
    }
    let groups: Vec<Vec<&CaseResult>> = all.into_iter().map(|(_, cases)| cases).collect();
    let titles = titles(view, &groups);
    titles.into_iter().zip(groups).map(|(title, cases)| ServerColumn { title, cases }).collect()
}

/// The facts of a case that have words, each once.
fn names<'a>(view: &View<'_>, case: &'a CaseResult) -> impl Iterator<Item = FactName> + use<'a> {
    let words = view.words;
    let good = case.trials.iter().filter(|trial| trial.status == Status::Ok);
    let all: BTreeSet<FactName> = good.flat_map(|trial| trial.result.main().facts.keys().copied()).collect();
    all.into_iter().filter(move |name| words.has(&key(*name)))
}

/// The words of a fact.
fn key(name: FactName) -> String {
    format!("fact-{name}")
}

/// What a case tells in words, in every trial the same; of one trial alone only what is known to be told so.
fn told(view: &View<'_>, case: &CaseResult) -> BTreeMap<FactName, Value> {
    let good = || case.trials.iter().filter(|trial| trial.status == Status::Ok);
    let Some(first) = good().next() else { return BTreeMap::new() };
    let is_told = |name: FactName, value: &Value| {
        let is_word = matches!(value, Value::Text(_) | Value::Bool(_));
        let is_known = good().nth(1).is_some() || view.words.has(&key(name));
        is_word && is_known && good().all(|trial| trial.result.main().facts.get(&name) == Some(value))
    };
    let facts = first.result.main().facts.iter().filter(|&(name, value)| is_told(*name, value));
    facts.map(|(name, value)| (*name, value.clone())).collect()
}

/// What tells columns apart: the first parameter of which no two have a value in common, or else the first case of each.
fn titles(view: &View<'_>, groups: &[Vec<&CaseResult>]) -> Vec<String> {
    if groups.len() < 2 {
        return groups.iter().map(|_| view.say("servers-told")).collect();
    }
    let all: Vec<&CaseResult> = groups.iter().flatten().copied().collect();
    let parameters: BTreeSet<_> = all.iter().flat_map(|case| case.loads.main.parameters.names()).collect();
    let values = |name| {
        let of = |group: &Vec<&CaseResult>| -> BTreeSet<String> {
            let set = group.iter().map(|case| case.loads.main.parameters.get(name));
            set.map(|value| value.map_or_else(|| NOTHING.to_owned(), ToString::to_string)).collect()
        };
        let each: Vec<BTreeSet<String>> = groups.iter().map(of).collect();
        let count: usize = each.iter().map(BTreeSet::len).sum();
        let together: BTreeSet<&String> = each.iter().flatten().collect();
        (together.len() == count && each.iter().all(|values| values.len() == 1)).then_some(each)
    };
    let told = parameters.into_iter().find_map(values);
    let told: Option<Vec<String>> = told.map(|each| each.into_iter().flatten().collect());
    told.unwrap_or_else(|| groups.iter().filter_map(|group| Some(view.name(group.first()?))).collect())
}

fn rows(view: &View<'_>, columns: &[ServerColumn<'_>]) -> Vec<Vec<Text>> {
    let told: Vec<BTreeMap<FactName, Value>> = columns.iter().map(|column| column.told(view)).collect();
    let with_words: BTreeSet<FactName> =
        columns.iter().flat_map(|column| &column.cases).flat_map(|case| names(view, case)).collect();
    let differs = |name: &FactName| told.iter().any(|facts| facts.get(name) != told[0].get(name));
    let others: BTreeSet<FactName> = told.iter().flat_map(|facts| facts.keys().copied()).collect();
    let others = others.into_iter().filter(|name| !with_words.contains(name) && differs(name));
    let row = |name: FactName| {
        let called = view.words.or(&key(name), name.as_str());
        let cells = columns.iter().zip(&told).map(|(column, facts)| cell(view, column, facts, name));
        std::iter::once(called).chain(cells).map(Text::from).collect()
    };
    with_words.iter().copied().chain(others).map(row).collect()
}

fn cell(
    view: &View<'_>,
    column: &ServerColumn<'_>,
    facts: &BTreeMap<FactName, Value>,
    name: FactName,
) -> String {
    match facts.get(&name) {
        Some(Value::Bool(yes)) => return view.say(if *yes { "yes" } else { "no" }),
        Some(value) => return value.to_string(),
        None => {}
    }
    let key = format!("fact-value-{}", name.as_str().replace('_', "-"));
    let shown = |value: f64| view.words.tell(&key, &[("value", Value::Number(value))]);
    match column.range(name).map(|(low, high)| (shown(low), shown(high))) {
        Some((low, high)) if low == high => low,
        Some((low, high)) => view.tell("range", &[("low", &low), ("high", &high)]),
        None => NOTHING.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::trial::{Trial, TrialResult};
    use model::{ParameterName, Run};

    use super::*;
    use crate::page::Subject;

    /// A case on the server of a URL, with a fact that is the same in each trial, and one that is not.
    fn case(url: &str, clients: u64, version: &str, trip_s: f64, fsync: &str) -> CaseResult {
        let mut case = crate::tests::run().cases.remove(0);
        case.loads.main.parameters.set(ParameterName::new("url"), url);
        case.loads.main.parameters.set(ParameterName::new("clients"), clients);
        crate::tests::named(&mut case, &format!("disk url={url} clients={clients}"));
        case.trials = (0..2).map(|order| trial(order, version, trip_s, fsync)).collect();
        case
    }

    fn trial(order: u32, version: &str, trip_s: f64, fsync: &str) -> Trial {
        let mut result = TrialResult::default();
        let errors = format!("deadlock: {order}");
        result.main_mut().facts.extend([
            (FactName::new("database_version"), Value::Text(version.to_owned())),
            (FactName::new("database_round_trip"), Value::Number(trip_s)),
            (FactName::new("database_round_trip_share"), Value::Number(0.25)),
            (FactName::new("fsync"), Value::Text(fsync.to_owned())),
            (FactName::new("wal_level"), Value::Text("replica".to_owned())),
            (FactName::new("transaction_errors"), Value::Text(errors)),
        ]);
        let (block, started, reason) = (order, String::new(), None);
        Trial { order, block, started, status: Status::Ok, reason, result }
    }

    /// The titles of the columns, and the rows.
    fn shown(cases: Vec<CaseResult>) -> (Vec<String>, Vec<Vec<String>>) {
        let run = Run { cases, ..crate::tests::run() };
        let view = View::new(&Subject { run: &run, words: Language::English.words() });
        let columns = columns(&view);
        let titles = columns.iter().map(|column| column.title.clone()).collect();
        let rows = rows(&view, &columns);
        (titles, rows.iter().map(|row| row.iter().map(Text::words).collect()).collect())
    }

    #[test]
    fn two_servers_stand_side_by_side_with_what_differs() {
        let (titles, rows) = shown(vec![
            case("a:", 1, "16.1", 1e-4, "on"),
            case("a:", 8, "16.1", 2e-4, "on"),
            case("b:", 1, "15.5", 1e-3, "off"),
            case("b:", 8, "15.5", 1e-3, "off"),
        ]);
        assert_eq!(titles, ["a:", "b:"]);
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        // What is the same in both, or not the same in each trial, has no row.
        assert_eq!(names, ["round trip", "share of the latency that is round trips", "version", "fsync"]);
        assert_eq!(rows[2][1..], ["16.1", "15.5"]);
        assert_eq!(rows[3][1..], ["on", "off"]);
        assert!(rows[0][1].contains(" to ") && !rows[0][2].contains(" to "), "{rows:?}");
        assert_eq!(rows[1][1..], ["25 %", "25 %"]);
    }

    #[test]
    fn one_server_tells_what_has_words() {
        let (titles, rows) =
            shown(vec![case("a:", 1, "16.1", 1e-4, "on"), case("a:", 8, "16.1", 1e-4, "on")]);
        assert_eq!((titles, rows.len()), (vec!["as it said".to_owned()], 3));
    }

    #[test]
    fn what_ran_against_nothing_has_no_section() {
        let view =
            |run: &Run| write(&View::new(&Subject { run, words: Language::English.words() })).is_empty();
        assert!(view(&crate::tests::run()));
        let run = Run { cases: vec![case("a:", 1, "16.1", 1e-4, "on")], ..crate::tests::run() };
        assert!(!view(&run));
    }
}
