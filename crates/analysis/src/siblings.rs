//! The cases of a run by what they have in common. A rule that looked through
//! all cases for each of them would take minutes for a plan of ten thousand, so
//! what is asked of every case is put in order once, when it is first asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use model::profile::Aspect;
use model::run::{CaseResult, CaseRole, LevelSearch};

use crate::measure;

/// All cases of a run.
#[derive(Debug)]
pub struct Siblings<'a> {
    cases: &'a [CaseResult],
    groups: Mutex<BTreeMap<Likeness, Arc<Groups>>>,
    firsts: Mutex<BTreeMap<&'static str, Option<usize>>>,
    /// The places of those that were observed, by the places of the cases that they are twins of.
    twins: OnceLock<HashMap<usize, usize>>,
}

/// What cases of a group have in common: all parameters but those that say one of these, and the
/// company by workload and parameters. Wholly also the path and the company's
/// machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    but: [Aspect; 2],
    wholly: bool,
}

/// The groups of a likeness.
#[derive(Debug, Default)]
struct Groups {
    /// By all that the likeness is made of, written out.
    by_key: HashMap<String, Arc<[Member]>>,
    /// By each of their cases, told by where it lies: rules ask again and again for the groups of one.
    by_case: HashMap<usize, Arc<[Member]>>,
}

/// One case of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its place among all cases of the run.
    pub(crate) place: usize,
    /// Operations under way at once.
    pub(crate) depth: f64,
    /// Operations per second, where they are known.
    pub(crate) rate: Option<f64>,
    /// Whether any trial said anything of it.
    pub(crate) is_estimated: bool,
}

impl<'a> Siblings<'a> {
    /// Nothing is put in order yet.
    #[must_use]
    pub const fn of(cases: &'a [CaseResult]) -> Self {
        Siblings {
            cases,
            groups: Mutex::new(BTreeMap::new()),
            firsts: Mutex::new(BTreeMap::new()),
            twins: OnceLock::new(),
        }
    }

    /// All cases of the run.
    pub(crate) const fn all(&self) -> &'a [CaseResult] {
        self.cases
    }

    /// How the concurrency of `case` was found: of its own, or as what gives nearly as much.
    pub(crate) fn search_of(&self, case: &'a CaseResult) -> Option<(&'a CaseResult, &'a LevelSearch)> {
        let searched = match case.role {
            CaseRole::Knee { of } => self.cases.get(of)?,
            _ => case,
        };
        Some((searched, searched.search.as_ref()?))
    }

    /// The case of the least concurrency that gives nearly as much as one that was searched.
    pub(crate) fn knee_of(&self, searched: &'a CaseResult) -> &'a CaseResult {
        crate::knee_of(self.cases, searched)
    }

    /// The levels that a search measured.
    pub(crate) fn levels_of(&self, searched: &CaseResult) -> impl Iterator<Item = &'a CaseResult> + use<'a> {
        let place = self.place_of(searched);
        let is_level = move |case: &&CaseResult| match case.role {
            CaseRole::Level { of } => Some(of) == place,
            _ => false,
        };
        self.cases.iter().filter(is_level)
    }

    /// The place of a case among all of the run.
    pub(crate) fn place_of(&self, case: &CaseResult) -> Option<usize> {
        self.cases.iter().position(|own| std::ptr::eq(own, case))
    }

    /// The twin of a case that was observed.
    pub(crate) fn twin_of(&self, case: &CaseResult) -> Option<&'a CaseResult> {
        let twins = self.twins.get_or_init(|| {
            let all = self.cases.iter().enumerate();
            let twin = |(place, case): (usize, &CaseResult)| match case.role {
                CaseRole::Observed { of } => Some((of, place)),
                _ => None,
            };
            all.filter_map(twin).collect()
        });
        // Most runs have none, and a case is looked for among all.
        if twins.is_empty() {
            return None;
        }
        self.cases.get(*twins.get(&self.place_of(case)?)?)
    }

    /// The case at a place of the run.
    pub(crate) fn at(&self, place: usize) -> Option<&'a CaseResult> {
        self.cases.get(place)
    }

    /// The case of a member of a group.
    pub(crate) fn case(&self, member: &Member) -> &'a CaseResult {
        &self.cases[member.place]
    }

    /// The cases that do the work of `case`, in the order of the run, with
    /// whatever value of the parameter that says this; `case` is one of them.
    pub(crate) fn same_but(&self, case: &CaseResult, aspect: Aspect) -> Arc<[Member]> {
        self.group(case, Likeness { but: [aspect; 2], wholly: false })
    }

    /// The same at any queue depth too: of cases that are full at theirs, that makes no difference.
    pub(crate) fn same_but_at_any_depth(&self, case: &CaseResult, aspect: Aspect) -> Arc<[Member]> {
        self.group(case, Likeness { but: [aspect, Aspect::Depth], wholly: false })
    }

    /// The cases that do the work of `case` on the same path, in the order of the
    /// run: at other queue depths, and with other numbers of threads. `case`
    /// is in both.
    pub(crate) fn at_depths(&self, case: &CaseResult) -> [Arc<[Member]>; 2] {
        [Aspect::Depth, Aspect::Workers].map(|but| self.group(case, Likeness { but: [but; 2], wholly: true }))
    }

    fn group(&self, case: &CaseResult, likeness: Likeness) -> Arc<[Member]> {
        let groups = {
            let mut all = locked(&self.groups);
            Arc::clone(all.entry(likeness).or_insert_with(|| Arc::new(self.in_groups(likeness))))
        };
        let own = groups.by_case.get(&address(case));
        own.or_else(|| groups.by_key.get(&likeness.of(case))).cloned().unwrap_or_default()
    }

    fn in_groups(&self, likeness: Likeness) -> Groups {
        let mut by_key: HashMap<String, Vec<Member>> = HashMap::new();
        // What was perturbed, or only searched, is nobody's neighbour.
        let all = self.cases.iter().enumerate().filter(|(_, case)| !case.is_auxiliary());
        for (place, case) in all {
            let rate = measure::operations(case).map(|(_, rate)| rate);
            let (depth, is_estimated) = (measure::concurrency(case), !case.loads.main.estimates.is_empty());
            let member = Member { place, depth, rate, is_estimated };
            by_key.entry(likeness.of(case)).or_default().push(member);
        }
        let mut groups = Groups::default();
        for (key, members) in by_key {
            let members: Arc<[Member]> = members.into();
            let of_case = |member: &Member| (address(self.case(member)), Arc::clone(&members));
            groups.by_case.extend(members.iter().map(of_case));
            groups.by_key.insert(key, members);
        }
        groups
    }

    /// Whether this is the first case of the run about which something holds that
    /// need not be said of every one. What holds is asked of each case once, by
    /// name, so it must not depend on `case`.
    pub(crate) fn is_first(
        &self,
        case: &CaseResult,
        what: &'static str,
        holds: impl Fn(&CaseResult) -> bool,
    ) -> bool {
        if !holds(case) {
            return false;
        }
        let mut firsts = locked(&self.firsts);
        let first = *firsts.entry(what).or_insert_with(|| self.cases.iter().position(holds));
        first.is_none_or(|place| std::ptr::eq(&raw const self.cases[place], case))
    }
}

impl Likeness {
    /// What a case has in common with those like it. `Debug` writes everything
    /// that counts, and writes different things differently.
    fn of(self, case: &CaseResult) -> String {
        let aspects = &measure::profile(case).aspects;
        let all = case.loads.main.parameters.iter();
        let parameters: Vec<_> =
            all.filter(|(name, _)| !aspects.get(name).is_some_and(|said| self.but.contains(said))).collect();
        let company: Vec<_> = case
            .loads
            .beside
            .iter()
            .map(|c| (&c.workload, &c.parameters, self.wholly.then_some(&c.endpoints)))
            .collect();
        let settings: Vec<_> = case
            .settings
            .iter()
            .map(|(name, states)| (name, states.iter().map(|s| &s.asked).collect::<Vec<_>>()))
            .collect();
        let wholly = self.wholly.then_some((&case.path, settings));
        format!("{:?}", (&case.loads.main.workload, parameters, company, wholly))
    }
}

/// Where a case lies. No other lies where one of the run does as long as that is borrowed.
fn address(case: &CaseResult) -> usize {
    std::ptr::from_ref(case).addr()
}

/// What another thread left half done is no more than an index that is not
/// there yet.
fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use model::profile::Aspect;
    use model::{ParameterName, Resource, ResourceKind};
    use std::cell::Cell;

    use super::*;
    use crate::validity::fixture;

    fn case(depth: u64, threads: u64, pattern: &str) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "queue-depth", depth);
        fixture::set(&mut case, "threads", threads);
        fixture::set(&mut case, "pattern", pattern);
        case
    }

    fn places(members: &[Member]) -> Vec<usize> {
        members.iter().map(|m| m.place).collect()
    }

    #[test]
    fn cases_that_differ_in_depth_or_in_threads_are_found_in_their_order() {
        let cases = [
            case(4, 1, "randread"),
            case(1, 1, "randread"),
            case(1, 2, "randread"),
            case(1, 1, "randwrite"),
            case(8, 2, "randread"),
        ];
        let siblings = Siblings::of(&cases);
        let [depths, threads] = siblings.at_depths(&cases[1]);
        assert_eq!(places(&depths), [0, 1]);
        assert_eq!(places(&threads), [1, 2]);
        assert_eq!(places(&siblings.same_but(&cases[3], Aspect::Depth)), [3]);
        assert_eq!(places(&siblings.same_but(&case(1, 1, "none"), Aspect::Depth)), [0; 0]);
        assert_eq!(depths[0].depth, 4.0);
        // They are put in order once, not for each case that asks.
        assert!(Arc::ptr_eq(&depths, &siblings.at_depths(&cases[0])[0]));
    }

    #[test]
    fn another_path_is_other_work_only_where_it_counts() {
        let mut cases = [case(1, 1, "randread"), case(2, 1, "randread")];
        cases[1].path = vec![model::resource::PathStep {
            resource: Resource::of(ResourceKind::Block, "sdb"),
            amplification: 1.0,
        }];
        let siblings = Siblings::of(&cases);
        assert_eq!(places(&siblings.at_depths(&cases[0])[0]), [0]);
        assert_eq!(places(&siblings.same_but(&cases[0], Aspect::Depth)), [0, 1]);
    }

    #[test]
    fn the_first_of_many_is_looked_for_once() {
        let cases: Vec<CaseResult> =
            (0..2000).map(|n| case(1, 1, if n < 1000 { "randread" } else { "randwrite" })).collect();
        let siblings = Siblings::of(&cases);
        let asked = Cell::new(0);
        let writes = |case: &CaseResult| {
            asked.set(asked.get() + 1);
            case.loads.main.parameters.is_word(ParameterName::new("pattern"), "randwrite")
        };
        let first: Vec<usize> =
            (0..cases.len()).filter(|n| siblings.is_first(&cases[*n], "test", writes)).collect();
        assert_eq!(first, [1000]);
        assert!(asked.get() <= 4000, "{} looks at 2000 cases", asked.get());
    }

    /// A plan of the most cases there may be: 25 block sizes at 100 depths, with 4
    /// numbers of threads. One look at each other case by each took an hour.
    #[test]
    #[ignore = "long: cargo xtask test --long"]
    fn regression_a_run_of_ten_thousand_cases_was_not_analysed_within_an_hour() {
        let sizes = (1..=25_u64).flat_map(|size| (1..=100_u64).map(move |depth| (size, depth)));
        let cases = sizes.flat_map(|(size, depth)| (1..=4_u64).map(move |threads| (size, depth, threads)));
        let cases: Vec<CaseResult> = cases
            .map(|(size, depth, threads)| {
                let iops = 10_000.0 * (depth as f64).min(20.0);
                // By Little's law: what is more than the device takes waits.
                let latency_us = depth as f64 / iops * 1e6;
                let mut case = crate::bottleneck::tests::disk(depth, iops, latency_us, 5.0);
                fixture::set(&mut case, "block-size", 512 * size);
                fixture::set(&mut case, "threads", threads);
                case
            })
            .collect();
        let mut run = crate::comparison::tests::run("many", &[], cases);
        crate::derive(&mut run);
        let found =
            |code: &str| run.cases.iter().flat_map(|c| &c.findings).filter(|f| f.code == code).count();
        assert!(found("device-full") > 1000, "{}", found("device-full"));
    }
}
