//! The settings of a case: which resource each belongs to, and every combination
//! of their levels. They are conditions, not work: the work's id does not know
//! them.

use machine::setting::{MACHINE, find};
use model::label::LabelPart;
use model::plan::{LoadSpec, Problem};
use model::setting::{Binds, Change};
use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{Kind, Machine, Study};

use super::PlanError;
use crate::read::setting_parts;

/// The parameter that names the other end.
const PEER: &str = "peer";
/// The peer that is this machine.
const SELF: &str = "self";

/// Every combination of the levels of the settings that have a meaning for these
/// loads; one without any where there are none.
pub(super) fn combinations(study: &Study, loads: &[LoadSpec]) -> Vec<Vec<Change>> {
    let peer = loads.iter().find_map(|load| load.parameters.text(PEER).ok());
    let mut sets = vec![Vec::new()];
    for (key, levels) in &study.settings {
        let Some(made) = changes(key, levels, peer) else { continue };
        sets = sets
            .iter()
            .flat_map(|set: &Vec<Change>| {
                made.iter().map(move |c| [&set[..], std::slice::from_ref(c)].concat())
            })
            .collect();
    }
    sets
}

/// How many combinations there are for a workload.
pub(super) fn count(study: &Study) -> usize {
    study.settings.values().map(Vec::len).fold(1, usize::saturating_mul)
}

/// One change for each level; none where the setting has no meaning.
fn changes(key: &str, levels: &[Level], peer: Option<&str>) -> Option<Vec<Change>> {
    let (name, resource) = setting_parts(key);
    let spec = find(name)?.spec();
    let peer = match (spec.binds, resource, peer) {
        (Binds::Nic, Some(_), _) => None,
        (Binds::Nic, None, peer) => Some(peer?),
        // With both ends here it would be changed twice.
        (Binds::Machine, _, peer) => peer.filter(|p| *p != SELF),
    };
    let one = |level: &Level| {
        Some(Change {
            name: name.to_owned(),
            resource: resource.map(str::to_owned),
            peer: peer.map(str::to_owned),
            towards: None,
            value: level.first()?.clone(),
        })
    };
    Some(levels.iter().filter_map(one).collect())
}

/// Refuses a setting of which nothing says what it belongs to, and one of an
/// interface that is not there.
pub(super) fn check(study: &Study, catalogue: &Catalogue) -> Result<(), PlanError> {
    let has_peer = |load: &StudyWorkload| {
        let spec = catalogue.workload(&load.kind);
        spec.is_some_and(|spec| catalogue.parameter(spec, PEER).is_some())
    };
    let loads = study.workloads.iter().flat_map(|w| std::iter::once(w).chain(&w.with));
    let any_peer = loads.into_iter().any(has_peer);
    for key in study.settings.keys() {
        let (name, resource) = setting_parts(key);
        let is_nic = find(name).is_some_and(|s| s.spec().binds == Binds::Nic);
        if is_nic && resource.is_none() && !any_peer {
            let problem = Problem::invalid(
                format!(
                    "`{name}` belongs to the network interface towards the peer, and no load here has one"
                ),
                format!("name the interface: {name}@eth0"),
            );
            return Err(PlanError::Impossible { label: study.name.clone(), problem });
        }
    }
    Ok(())
}

/// Refuses interfaces that the machine does not have.
pub(super) fn check_resources(study: &Study, machine: &Machine) -> Result<(), PlanError> {
    let there: Vec<&str> = machine.inventory.network.iter().map(|n| n.name.as_str()).collect();
    for key in study.settings.keys() {
        let (name, Some(resource)) = setting_parts(key) else { continue };
        if resource != MACHINE && !there.contains(&resource) {
            let problem = Problem::invalid(
                format!("there is no network interface `{resource}` here, which `{name}` should belong to"),
                format!("there are: {}", there.join(", ")),
            );
            return Err(PlanError::Impossible { label: study.name.clone(), problem });
        }
    }
    Ok(())
}

/// Whether some setting names its resource.
pub(super) fn names_resources(study: &Study) -> bool {
    study.settings.keys().any(|key| setting_parts(key).1.is_some())
}

/// What a case's label says of settings: those with several levels, or all of them
/// in a study of one case.
pub(super) fn label_parts(study: &Study, changes: &[Change], single: bool) -> Vec<LabelPart> {
    let varies = |c: &&Change| single || study.settings.get(&c.key()).is_some_and(|levels| levels.len() > 1);
    let part = |change: &Change| {
        let kind = find(&change.name).map_or(Kind::Text, |setting| setting.spec().value.kind);
        LabelPart { name: change.key(), kind, value: change.value.clone() }
    };
    changes.iter().filter(varies).map(part).collect()
}

#[cfg(test)]
mod tests {
    use model::{Parameters, Value};

    use super::*;

    fn loads(peer: Option<&str>) -> Vec<LoadSpec> {
        let mut parameters = Parameters::default();
        if let Some(peer) = peer {
            parameters.set(PEER, peer);
        }
        vec![LoadSpec::new("x", parameters)]
    }

    fn study(settings: &[(&str, &[u64])]) -> Study {
        let levels = |values: &[u64]| values.iter().map(|v| vec![Value::from(*v)]).collect();
        let settings = settings.iter().map(|(key, values)| ((*key).to_owned(), levels(values))).collect();
        Study { settings, ..Study::default() }
    }

    #[test]
    fn every_combination_is_there_and_none_without_a_meaning() {
        let study = study(&[("mtu", &[1500, 9000]), ("mtu@eth0", &[1400]), ("socket-buffer-max", &[1, 2])]);
        assert_eq!(combinations(&study, &loads(Some("b"))).len(), 4);
        assert_eq!(count(&study), 4);
        let alone = combinations(&study, &loads(None));
        assert_eq!(alone.len(), 2, "without a peer there is no interface towards it");
        assert!(alone.iter().flatten().all(|c| c.peer.is_none()));
        let mut keys: Vec<String> = alone[0].iter().map(Change::key).collect();
        keys.sort();
        assert_eq!(keys, ["mtu@eth0", "socket-buffer-max"]);
        assert_eq!(combinations(&Study::default(), &loads(None)), [vec![]]);
    }

    #[test]
    fn both_ends_are_changed_where_the_peer_is_another_machine() {
        let study = study(&[("mtu", &[9000]), ("mtu@eth0", &[9000]), ("socket-buffer-max", &[1])]);
        let peers = |peer: &str| {
            let all = combinations(&study, &loads(Some(peer))).remove(0);
            all.into_iter().map(|c| (c.key(), c.peer)).collect::<Vec<_>>()
        };
        let named = |key: &str, peer: Option<&str>| (key.to_owned(), peer.map(str::to_owned));
        assert_eq!(
            peers("b"),
            [named("mtu", Some("b")), named("mtu@eth0", None), named("socket-buffer-max", Some("b"))]
        );
        assert_eq!(
            peers("self"),
            [named("mtu", Some("self")), named("mtu@eth0", None), named("socket-buffer-max", None)]
        );
    }

    #[test]
    fn labels_name_what_varies() {
        let study = study(&[("mtu@eth0", &[1500, 9000]), ("socket-buffer-max", &[1 << 20])]);
        let case = combinations(&study, &loads(None)).remove(1);
        let words = |is_single| -> Vec<String> {
            label_parts(&study, &case, is_single).iter().map(ToString::to_string).collect()
        };
        assert_eq!(words(false), ["mtu@eth0=9000"]);
        assert_eq!(words(true), ["mtu@eth0=9000", "socket-buffer-max=1MiB"]);
    }
}
