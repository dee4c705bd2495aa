//! What a case says of each resource: whether it is on the case's path, and how
//! much of its limit the case used.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use language::{Words, format};
use model::run::CaseResult;
use model::{Resource, ResourceKind};

use super::wording;

/// A case whose path is drawn.
#[derive(Clone)]
pub struct DrawnCase<'a> {
    /// The case.
    pub case: &'a CaseResult,
    /// What the picture calls it.
    pub name: Cow<'a, str>,
}

impl<'a> From<&'a CaseResult> for DrawnCase<'a> {
    fn from(case: &'a CaseResult) -> Self {
        Self { case, name: case.label.to_string().into() }
    }
}

/// A case as the picture looks at it; without a case all is equal.
pub(super) struct CaseView<'a> {
    pub(super) case: Option<DrawnCase<'a>>,
    pub(super) words: &'a Words,
    path: BTreeSet<&'a Resource>,
    shares: BTreeMap<&'a Resource, f64>,
    peak: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Mark {
    /// Whether the case's data passes it.
    pub(super) on: bool,
    /// The lowest and the highest share of the resources that it stands for.
    pub(super) share: Option<(f64, f64)>,
    /// Whether the highest share of the whole picture is here.
    pub(super) peak: bool,
}

impl<'a> CaseView<'a> {
    pub(super) fn new(case: Option<DrawnCase<'a>>, words: &'a Words) -> Self {
        let path = case.iter().flat_map(|c| &c.case.path).map(|step| &step.resource).collect();
        let mut shares: BTreeMap<&Resource, f64> = BTreeMap::new();
        for used in case.iter().flat_map(|c| &c.case.utilization) {
            if used.fraction.is_finite() && used.fraction >= 0.0 {
                let most = shares.entry(&used.resource).or_insert(used.fraction);
                *most = most.max(used.fraction);
            }
        }
        Self { case, words, path, shares, peak: None }
    }

    /// Settles which share is the highest of those that the picture shows.
    pub(super) fn settle<'r>(&mut self, shown: impl Iterator<Item = &'r Resource>) {
        self.peak = shown.filter_map(|r| self.shares.get(r)).copied().reduce(f64::max).filter(|p| *p > 0.0);
    }

    /// Whether there is a case, so that what is off its path steps back.
    pub(super) fn active(&self) -> bool {
        self.case.is_some()
    }

    /// Whether the picture has a scale to explain.
    pub(super) fn has_shares(&self) -> bool {
        self.peak.is_some()
    }

    pub(super) fn passes(&self, resources: &[Resource]) -> bool {
        resources.iter().any(|r| self.path.contains(r) || self.shares.contains_key(r))
    }

    pub(super) fn mark(&self, resources: &[Resource]) -> Mark {
        let shares = || resources.iter().filter_map(|r| self.shares.get(r)).copied();
        let share = shares().reduce(f64::min).zip(shares().reduce(f64::max));
        Mark {
            on: self.passes(resources),
            share,
            peak: share.is_some_and(|(_, high)| self.peak.is_some_and(|peak| high >= peak)),
        }
    }

    pub(super) fn share(&self, resource: &Resource) -> Option<f64> {
        self.shares.get(resource).copied()
    }

    /// The case's resources, on its path or with a share, for which `wanted`.
    pub(super) fn resources(&self, wanted: impl Fn(&Resource) -> bool) -> Vec<Resource> {
        let all: BTreeSet<&Resource> = self.path.iter().chain(self.shares.keys()).copied().collect();
        all.into_iter().filter(|r| wanted(r)).cloned().collect()
    }

    /// The case's resources that mean some of these CPUs: `cpu`, `cpu:0-3`.
    pub(super) fn cpus(&self, cpus: &[u32]) -> Vec<Resource> {
        let are_meant = |list: &str| cpus.is_empty() || meets(list, cpus);
        self.resources(|r| *r == Resource::CPUS || r.named(ResourceKind::Cpu).is_some_and(are_meant))
    }

    /// The case's resources that mean the file system mounted at `point`:
    /// `filesystem:/data (xfs)`.
    pub(super) fn file_system(&self, point: &str) -> Vec<Resource> {
        self.resources(|r| {
            let rest = r.named(ResourceKind::FileSystem).and_then(|name| name.strip_prefix(point));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        })
    }
}

impl Mark {
    /// The share in words: `83 %`, of several parts `61 to 83 %`.
    pub(super) fn words(&self, words: &Words) -> Option<String> {
        let (low, high) = self.share?;
        let (low, high) = (format::rough_percent(low), format::rough_percent(high));
        let figure = match low == high {
            true => high,
            false => wording::fill(words, "range", &[("low", low.trim_end_matches(" %")), ("high", &high)]),
        };
        Some(match self.peak {
            true => wording::fill(words, "highest", &[("share", &figure)]),
            false => figure,
        })
    }
}

/// Whether a list of CPUs as the kernel writes it (`0-3,8`) has some of `cpus`.
fn meets(list: &str, cpus: &[u32]) -> bool {
    list.split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            (Ok(first), Ok(last)) => cpus.iter().any(|cpu| (first..=last).contains(cpu)),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_cpus_meets_a_package_without_being_written_out() {
        assert!(meets("0-3,8", &[8, 9]));
        assert!(meets("0-4294967295", &[77]));
        assert!(!meets("0-3", &[4, 5]));
        assert!(!meets("x,-,", &[0]));
    }

    #[test]
    fn shares_of_several_parts_are_written_as_a_range() {
        let words = language::Language::English.words();
        let mark = Mark { on: true, share: Some((0.61, 0.834)), peak: false };
        assert_eq!(mark.words(words).as_deref(), Some("61 to 83 %"));
        let mark = Mark { on: true, share: Some((0.9, 0.9)), peak: true };
        assert_eq!(mark.words(words).as_deref(), Some("90 %, highest"));
        assert_eq!(Mark::default().words(words), None);
    }
}
