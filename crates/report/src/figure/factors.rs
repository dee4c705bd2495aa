//! What differs between the cases of one workload, and how irregular sets of
//! them fall apart into grids of at most two factors that a chart can show.

use std::collections::BTreeSet;

use language::{Words, format};
use model::parameter::Kind;
use model::profile::Aspect;
use model::run::{CaseLoad, CaseResult};
use model::setting::level;
use model::{Definitions, Label, ParameterName, Unit, Value, WorkloadName};

use crate::load;
use crate::view::View;
use crate::view::label::{level_in_words, stacks_in_short, title, together};

/// Where a parameter stands in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParameterOwner {
    /// It is the main load's.
    Own,
    /// It is that of a load that runs with it, by place.
    With(usize),
    /// It is no parameter: which loads run with it.
    Company,
}

/// A parameter that differs between cases.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    owner: ParameterOwner,
    /// Its name, as a person types it.
    pub(crate) name: String,
    /// How it is called on an axis.
    pub(crate) title: String,
    /// What it says of the load whose parameter it is.
    pub(crate) says: Option<Aspect>,
    /// What values it takes; absent of a parameter that this build does not know.
    pub(crate) kind: Option<Kind>,
    /// The levels that occur, in order.
    pub(crate) levels: Vec<Level>,
}

#[derive(Clone, Debug)]
pub(crate) struct Level {
    /// As it stands in the case; absent where the parameter is not set there.
    value: Option<Value>,
    /// The number, of what has an order.
    pub(crate) number: Option<f64>,
    /// As it is shown.
    pub(crate) text: String,
}

impl Factor {
    /// Whether its levels are numbers that stand on an axis.
    pub(crate) fn is_ordered(&self) -> bool {
        self.levels.iter().all(|l| l.number.is_some())
    }

    /// Whether its levels are understood without its name.
    pub(crate) fn speaks(&self) -> bool {
        let speaks = matches!(self.kind, Some(Kind::Choice | Kind::Size | Kind::Path));
        speaks && !matches!(self.owner, ParameterOwner::With(_))
    }

    /// A level with the factor's name where it needs it.
    pub(crate) fn named(&self, level: &Level) -> String {
        if self.speaks() { level.text.clone() } else { format!("{} {}", self.title, level.text) }
    }

    /// Whether its levels are the sides of a comparison.
    pub(crate) fn is_side(&self) -> bool {
        self.name == ParameterName::SIDE.as_str()
    }

    /// Which level a case has.
    pub(crate) fn level_of(&self, case: &CaseResult) -> Option<usize> {
        let value = value_at(case, self.owner, &self.name);
        self.levels.iter().position(|l| l.value == value)
    }

    /// Whether a case has the parameter; the loads beside it always
    /// count, also where there are none.
    fn is_set(&self, case: &CaseResult) -> bool {
        self.owner != ParameterOwner::Own || value_at(case, self.owner, &self.name).is_some()
    }

    /// Whether a label has a level of it.
    fn is_in(&self, label: &Label) -> bool {
        match self.owner {
            ParameterOwner::Own => label.says(&self.name),
            ParameterOwner::With(place) => label.with().get(place).is_some_and(|load| load.says(&self.name)),
            ParameterOwner::Company => false,
        }
    }

    /// The number of the level that a case has.
    pub(crate) fn number_of(&self, case: &CaseResult) -> Option<f64> {
        self.levels.get(self.level_of(case)?)?.number
    }

    /// The text of the level that a case has.
    pub(crate) fn text_of(&self, case: &CaseResult) -> &str {
        self.level_of(case).and_then(|i| self.levels.get(i)).map_or("", |l| &l.text)
    }

    /// Whether each level of `self` comes with one level of `other` only.
    fn decides(&self, other: &Factor, cases: &[&CaseResult]) -> bool {
        let mut with = vec![None; self.levels.len()];
        cases.iter().all(|case| match (self.level_of(case), other.level_of(case)) {
            (Some(own), Some(its)) => *with[own].get_or_insert(its) == its,
            _ => false,
        })
    }
}

fn value_at(case: &CaseResult, owner: ParameterOwner, name: &str) -> Option<Value> {
    match owner {
        ParameterOwner::Own => {
            let set = || level(&case.settings, name).map(|s| s.asked.clone());
            load_value(&case.loads.main, name).or_else(set)
        }
        ParameterOwner::With(place) => load_value(case.loads.beside.get(place)?, name),
        ParameterOwner::Company => {
            let names: Vec<&str> = case.loads.beside.iter().map(|c| c.workload.as_str()).collect();
            (!names.is_empty()).then(|| Value::Text(names.join(" + ")))
        }
    }
}

fn load_value(load: &CaseLoad, name: &str) -> Option<Value> {
    load.parameters.iter().find(|(own, _)| own.as_str() == name).map(|(_, value)| value.clone())
}

/// What a parameter says of the load that has it.
fn says(cases: &[&CaseResult], owner: ParameterOwner, name: &str) -> Option<Aspect> {
    cases.iter().find_map(|case| match owner {
        ParameterOwner::Own => load::says(&case.loads.main, name),
        ParameterOwner::With(place) => load::says(case.loads.beside.get(place)?, name),
        ParameterOwner::Company => None,
    })
}

/// A value of a parameter as a reader sees it.
fn shown(words: &Words, name: &str, kind: Option<Kind>, value: Option<&Value>) -> String {
    if let Some(Value::Text(word)) = value
        && let Some(said) = level_in_words(words, name, word)
    {
        return said;
    }
    match (kind, value) {
        (_, None) => words.say("figure-not-set"),
        (Some(Kind::Size), Some(Value::Integer(bytes))) => format::part(*bytes),
        (Some(Kind::Rate), Some(Value::Number(rate))) => format::setting(*rate, Unit::PerSecond),
        (Some(Kind::Duration), Some(Value::Number(s))) => format::setting(*s, Unit::Seconds),
        (Some(Kind::Share), Some(Value::Number(share))) => format::percent(*share),
        (Some(Kind::Size), Some(sizes @ Value::List(_))) => load::sizes(sizes),
        (Some(Kind::Path), Some(Value::List(parts))) => together(words, parts.len()),
        (_, Some(Value::Number(number))) => format::short(*number),
        (Some(Kind::Path), Some(Value::Text(path))) => short_path(path),
        (_, Some(Value::Bool(yes))) => words.say(if *yes { "figure-yes" } else { "figure-no" }),
        (_, Some(other)) => other.to_string(),
    }
}

/// A path as long as a label may be: of a longer one its last part.
pub(crate) fn short_path(path: &str) -> String {
    const LONGEST: usize = 20;
    let last = path.trim_end_matches('/').rsplit_once('/').map(|(_, last)| last);
    match last {
        Some(last) if path.chars().count() > LONGEST => format!("…/{last}"),
        _ => path.to_owned(),
    }
}

/// The number of a value on an axis; words and choices have none.
fn number(kind: Option<Kind>, value: Option<&Value>) -> Option<f64> {
    let number = value?.number()?;
    (kind.is_none_or(Kind::ordered) && number.is_finite()).then_some(number)
}

/// The factors of these cases, in the order in which their workload declares
/// its parameters; settings and those of companions follow.
pub(crate) fn of(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Factor> {
    let (words, definitions) = (view.words, &view.run.definitions);
    let mut all = Vec::new();
    let parameters = cases.iter().map(|c| (c.loads.main.workload, &c.loads.main.parameters));
    for (name, kind) in names(definitions, parameters) {
        all.extend(factor(words, cases, ParameterOwner::Own, &name, title(words, &name), kind));
    }
    let settings: BTreeSet<&str> = cases.iter().flat_map(|c| c.settings.keys()).map(String::as_str).collect();
    for name in settings {
        let kind = machine::setting::find(name.split('@').next().unwrap_or(name));
        let kind = kind.map(|s| s.spec().value.kind);
        all.extend(factor(words, cases, ParameterOwner::Own, name, title(words, name), kind));
    }
    let company = factor(
        words,
        cases,
        ParameterOwner::Company,
        "with",
        words.say("figure-company"),
        Some(Kind::Choice),
    );
    all.extend(company.map(|mut factor| {
        for level in factor.levels.iter_mut().filter(|l| l.value.is_none()) {
            level.text = words.say("figure-alone");
        }
        factor
    }));
    for place in 0..cases.iter().map(|c| c.loads.beside.len()).max().unwrap_or(0) {
        let with: Vec<_> = cases.iter().filter_map(|c| c.loads.beside.get(place)).collect();
        for (name, kind) in names(definitions, with.iter().map(|c| (c.workload, &c.parameters))) {
            let title = with.first().map(|c| format!("{} {}", c.workload, title(words, &name)));
            all.extend(factor(
                words,
                cases,
                ParameterOwner::With(place),
                &name,
                title.unwrap_or_default(),
                kind,
            ));
        }
    }
    without_followers(all, cases)
}

/// The names that occur with their kinds: as declared, then unknown ones.
fn names<'a>(
    definitions: &Definitions,
    loads: impl Iterator<Item = (WorkloadName, &'a model::Parameters)> + Clone,
) -> Vec<(String, Option<Kind>)> {
    let definition = loads.clone().next().and_then(|(workload, _)| definitions.workload(workload));
    let occurs = |name: ParameterName| loads.clone().any(|(_, p)| p.get(name).is_some());
    let declared = definition.into_iter().flat_map(|d| &d.parameters);
    let mut all: Vec<(String, Option<Kind>)> =
        declared.filter(|p| occurs(p.name)).map(|p| (p.name.to_string(), Some(p.kind))).collect();
    let known = all.len();
    for (_, parameters) in loads {
        for name in parameters.names().map(ParameterName::as_str) {
            if !all.iter().any(|(n, _)| n == name) {
                all.push((name.to_owned(), (name == ParameterName::SIDE.as_str()).then_some(Kind::Choice)));
            }
        }
    }
    all[known..].sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn factor(
    words: &Words,
    cases: &[&CaseResult],
    owner: ParameterOwner,
    name: &str,
    title: String,
    kind: Option<Kind>,
) -> Option<Factor> {
    let mut levels: Vec<Level> = Vec::new();
    for case in cases {
        let value = value_at(case, owner, name);
        if !levels.iter().any(|l| l.value == value) {
            let number = number(kind, value.as_ref());
            levels.push(Level { number, text: shown(words, name, kind, value.as_ref()), value });
        }
    }
    if levels.len() < 2 {
        return None;
    }
    if kind == Some(Kind::Stack) {
        stacks_in_short(levels.iter_mut().map(|level| &mut level.text));
    }
    // Choices stay as the study has them; numbers ascend.
    if levels.iter().all(|l| l.number.is_some()) {
        levels.sort_by(|a, b| a.number.unwrap_or(0.0).total_cmp(&b.number.unwrap_or(0.0)));
    }
    let says = says(cases, owner, name);
    Some(Factor { owner, name: name.to_owned(), title, says, kind, levels })
}

/// Leaves out what only follows from another factor, such as the kind of stores
/// that a working set's size brings with it: nobody asked for it, so that no
/// case's label names it.
///
/// Likewise what only follows from the side of a comparison, such as the disk
/// that the same work was done on: the sides are what is looked at.
fn without_followers(mut all: Vec<Factor>, cases: &[&CaseResult]) -> Vec<Factor> {
    if let Some(side) = all.iter().find(|f| f.is_side()).cloned() {
        all.retain(|f| f.is_side() || !side.decides(f, cases));
    }
    let is_asked = |f: &Factor| {
        f.is_side() || f.owner == ParameterOwner::Company || cases.iter().any(|c| f.is_in(&c.label))
    };
    let mut at = all.len();
    while at > 0 {
        at -= 1;
        let follows = |f: &Factor| all.iter().any(|o| !std::ptr::eq(o, f) && o.decides(f, cases));
        if !is_asked(&all[at]) && follows(&all[at]) {
            all.remove(at);
        }
    }
    all
}

/// Cases that one chart can show.
#[derive(Clone, Debug)]
pub(crate) struct CaseGroup<'a> {
    /// What they have in common that others do not: factor and level.
    pub(crate) place: Vec<(String, String)>,
    pub(crate) cases: Vec<&'a CaseResult>,
    /// What differs between them: at most two factors, the axis first.
    pub(crate) factors: Vec<Factor>,
}

impl<'a> CaseGroup<'a> {
    /// The cases of one level of the second factor; all where there is none.
    pub(crate) fn of_level(&self, level: usize) -> Vec<&'a CaseResult> {
        self.of_level_of(self.series(), level)
    }

    /// The same of a factor that may be another.
    pub(crate) fn of_level_of(&self, by: Option<&Factor>, level: usize) -> Vec<&'a CaseResult> {
        let fits = |c: &&CaseResult| by.is_none_or(|f| f.level_of(c) == Some(level));
        self.cases.iter().copied().filter(fits).collect()
    }

    /// What the line of one level of the second factor is called.
    pub(crate) fn name_of(&self, level: usize) -> String {
        name_of(self.series(), level)
    }

    /// `block size 4 KiB, threads 2`.
    pub(crate) fn place_text(&self) -> String {
        let all: Vec<String> = self.place.iter().map(|(factor, level)| format!("{factor} {level}")).collect();
        all.join(", ")
    }

    /// The ordered factor that stands on the axis.
    pub(crate) fn axis(&self) -> Option<&Factor> {
        self.factors.first().filter(|f| f.is_ordered())
    }

    /// The other factor.
    pub(crate) fn series(&self) -> Option<&Factor> {
        match self.axis() {
            Some(_) => self.factors.get(1),
            None => self.factors.first(),
        }
    }

    /// How a case is called among these.
    pub(crate) fn label(&self, case: &CaseResult) -> String {
        if self.collides() { case.label.to_string() } else { label(&self.factors, case) }
    }

    /// The same, without names of what is counted.
    pub(crate) fn short_label(&self, case: &CaseResult) -> String {
        if self.collides() { case.label.to_string() } else { short_label(&self.factors, case) }
    }

    /// Whether two cases stand in one place.
    pub(crate) fn collides(&self) -> bool {
        let mut places: Vec<Vec<Option<usize>>> =
            self.cases.iter().map(|c| self.factors.iter().map(|f| f.level_of(c)).collect()).collect();
        places.sort();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// What the line of one level of a factor is called.
pub(crate) fn name_of(by: Option<&Factor>, level: usize) -> String {
    by.and_then(|f| Some(f.named(f.levels.get(level)?))).unwrap_or_default()
}

/// How a case is called by what differs, choices first: these and sizes speak
/// for themselves, counts need their name.
pub(crate) fn label(factors: &[Factor], case: &CaseResult) -> String {
    let sizes = factors.iter().filter(|f| f.kind == Some(Kind::Size)).count();
    let one = |f: &Factor| match f.speaks() && (sizes < 2 || f.kind != Some(Kind::Size)) {
        true => f.text_of(case).to_owned(),
        false => format!("{} {}", f.title, f.text_of(case)),
    };
    joined_texts(factors, case, one)
}

/// As [`label`], without names of what is counted: for places that say those
/// elsewhere, in the title.
fn short_label(factors: &[Factor], case: &CaseResult) -> String {
    joined_texts(factors, case, |f| f.text_of(case).to_owned())
}

fn joined_texts(factors: &[Factor], case: &CaseResult, text: impl Fn(&Factor) -> String) -> String {
    if factors.is_empty() {
        return case.label.to_string();
    }
    // What a case does not have says nothing: a share of reads of what only reads.
    let set = factors.iter().filter(|f| f.is_set(case));
    let (ordered, choices): (Vec<&Factor>, Vec<&Factor>) = set.partition(|f| f.is_ordered());
    choices.into_iter().chain(ordered).map(text).collect::<Vec<_>>().join(", ")
}

/// Splits cases until each group has two factors at most.
///
/// Of more than two, the ordered one with most levels stays for the axis; the
/// others are tried in turn, and the one that leaves the fewest groups of at
/// most two factors splits. A set that is no full grid falls apart into such
/// grids by itself, because what is the same within a group is no factor there.
pub(crate) fn groups<'a>(view: &View<'_>, cases: &[&'a CaseResult]) -> Vec<CaseGroup<'a>> {
    split(view, cases, Vec::new())
}

fn split<'a>(view: &View<'_>, cases: &[&'a CaseResult], place: Vec<(String, String)>) -> Vec<CaseGroup<'a>> {
    let mut factors = merged(of(view, cases), cases);
    let axis = axis_of(&factors);
    if let Some(axis) = axis {
        let first = factors.remove(axis);
        factors.insert(0, first);
    }
    if factors.len() <= 2 {
        return vec![CaseGroup { place, cases: cases.to_vec(), factors }];
    }
    let parts = |f: &Factor| -> Vec<Vec<&'a CaseResult>> {
        (0..f.levels.len())
            .map(|l| cases.iter().copied().filter(|c| f.level_of(c) == Some(l)).collect())
            .collect()
    };
    let cost = |f: &Factor| {
        let left: Vec<usize> = parts(f).iter().map(|part| merged(of(view, part), part).len()).collect();
        let too_many = left.iter().map(|n| n.saturating_sub(2)).sum::<usize>();
        (too_many, left.len(), left.iter().sum::<usize>())
    };
    // Sides stay together, and where a hand-off goes to with where it comes from.
    let is_way = |f: &Factor| matches!(f.says, Some(Aspect::From | Aspect::To));
    let has = |aspect| factors.iter().any(|f| f.says == Some(aspect));
    let is_matrix = has(Aspect::From) && has(Aspect::To);
    let is_kept = |f: &&Factor| f.is_side() || is_matrix && is_way(f);
    let skip = usize::from(axis.is_some() && !is_matrix);
    let candidates = factors.iter().skip(skip).filter(|f| !is_kept(f));
    let Some(by) = candidates.min_by_key(|f| cost(f)) else {
        return vec![CaseGroup { place, cases: cases.to_vec(), factors }];
    };
    let levels = by.levels.iter().zip(parts(by));
    levels
        .flat_map(|(level, part)| {
            let mut place = place.clone();
            if level.value.is_some() || by.owner != ParameterOwner::Own {
                place.push((by.title.clone(), level.text.clone()));
            }
            split(view, &part, place)
        })
        .collect()
}

/// What turns the load up and leaves the work as it is.
const LOADS: &[Aspect] = &[Aspect::Depth, Aspect::Workers, Aspect::Rate, Aspect::Streams];

impl Factor {
    /// Whether it turns the load up.
    pub(crate) fn is_load(&self) -> bool {
        self.owner == ParameterOwner::Own
            && self.is_ordered()
            && self.says.is_some_and(|says| LOADS.contains(&says))
    }
}

/// The factor for the axis: of the ordered ones that with most levels; of
/// equals one that turns the load up, then the first.
fn axis_of(factors: &[Factor]) -> Option<usize> {
    let ordered = factors.iter().enumerate().filter(|(_, f)| f.is_ordered());
    let key = |(at, f): &(usize, &Factor)| (std::cmp::Reverse(f.levels.len()), !f.is_load(), *at);
    ordered.min_by_key(key).map(|(at, _)| at)
}

/// Factors that go hand in hand, level by level, as one.
fn merged(all: Vec<Factor>, cases: &[&CaseResult]) -> Vec<Factor> {
    let mut kept: Vec<Factor> = Vec::new();
    for factor in all {
        let same = kept.iter_mut().find(|k| k.decides(&factor, cases) && factor.decides(k, cases));
        match same {
            Some(kept) => *kept = joined(kept, &factor, cases),
            None => kept.push(factor),
        }
    }
    kept
}

/// Two such factors: the one with an order leads and gives its name, and the
/// other's level says its own where it needs one: `threads 4, io_uring`.
fn joined(one: &Factor, other: &Factor, cases: &[&CaseResult]) -> Factor {
    let (lead, follow) = if !one.is_ordered() && other.is_ordered() { (other, one) } else { (one, other) };
    let mut both = lead.clone();
    if !follow.speaks() {
        both.title = format!("{}, {}", lead.title, follow.title);
    }
    for (at, level) in both.levels.iter_mut().enumerate() {
        if let Some(case) = cases.iter().find(|c| lead.level_of(c) == Some(at)) {
            level.text = format!("{}, {}", level.text, follow.text_of(case));
        }
    }
    both
}
