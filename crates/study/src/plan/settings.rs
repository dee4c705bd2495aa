//! The settings of a case: which resource each belongs to, and every combination
//! of their levels. They are conditions, not work: the work's id does not know
//! them.

use std::{iter, slice};

use machine::Host;
use machine::setting::find;
use model::label::LabelPart;
use model::plan::{LoadSpec, Problem};
use model::profile::Aspect;
use model::resource::Symbol;
use model::setting::{Change, LayerPlace, host_of};
use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{Kind, Study, Value, WorkloadSpec};

use super::layer_settings::StackedLoad;
use super::{PlanError, each_with_each, layers};
use crate::read::setting_parts;

/// The peer, or the server, that is this machine.
pub(super) const SELF: &str = "self";

/// Where a server of this program is.
const LOOPBACK: &str = "127.0.0.1";

/// What the resources of a change lie towards, and under.
#[derive(Clone, Debug, Default, PartialEq)]
struct Towards {
    peer: Option<String>,
    targets: Vec<String>,
    layers: Vec<LayerPlace>,
    servers: Vec<String>,
}

/// Every combination of the levels of the settings that have a meaning for these
/// loads; one without any where there are none.
///
/// # Errors
/// If one has no place on the stack of a load.
pub(super) fn combinations(
    study: &Study,
    workload: &StudyWorkload,
    loads: &[LoadSpec],
    catalogue: &Catalogue,
) -> Result<Vec<Vec<Change>>, Problem> {
    let mut sets = vec![Vec::new()];
    for (key, levels) in study.settings_of(workload) {
        let Some(towards) = place(key, loads, study, catalogue)? else { continue };
        sets = each_with_each(&sets, &changes(key, levels, &towards));
    }
    Ok(sets)
}

/// How many combinations there are for a workload.
pub(super) fn count(study: &Study, workload: &StudyWorkload) -> usize {
    study.settings_of(workload).values().map(|levels| levels.len()).fold(1, usize::saturating_mul)
}

/// Where a setting belongs; none where it has no meaning for these loads.
fn place(
    key: &str,
    loads: &[LoadSpec],
    study: &Study,
    catalogue: &Catalogue,
) -> Result<Option<Towards>, Problem> {
    let (name, named) = setting_parts(key);
    let Some(setting) = find(name) else { return Ok(None) };
    let Some(symbol) = setting.spec().binds else {
        return Ok(Some(Towards { peer: other_machine(loads, catalogue), ..Towards::default() }));
    };
    let is_of_layers = is_of_layers(symbol);
    let stacked = |load: &LoadSpec| {
        StackedLoad::of(load, catalogue)
            .filter(|_| is_of_layers && passes(catalogue.workload(load.workload), symbol))
    };
    let on_stacks: Vec<StackedLoad> = loads.iter().filter_map(stacked).collect();
    let is_layer = |named: &str| {
        // A file system of the machine is named by where it is mounted.
        let is_no_path = symbol == Symbol::TargetFileSystem && !named.starts_with('/');
        is_of_layers
            && (is_no_path && !on_stacks.is_empty()
                || layers::all_names(study, catalogue).iter().any(|layer| layer == named))
    };
    match named {
        Some(named) if !is_layer(named) => return Ok(Some(Towards::default())),
        Some(_) if on_stacks.is_empty() => return Ok(None),
        None if on_stacks.is_empty() => return Ok(towards(symbol, loads, catalogue)),
        _ if setting.outlives_boot() => {
            return Err(Problem::invalid(
                format!("`{name}` is kept by a disk itself, also when the stack is gone"),
                format!("name the disk: {name}@sda"),
            ));
        }
        _ => {}
    }
    let mut found = Towards::default();
    for load in &on_stacks {
        let place = load.place((name, symbol), named)?;
        if !found.layers.contains(&place) {
            found.layers.push(place);
        }
    }
    if named.is_none() {
        let others: Vec<LoadSpec> = loads.iter().filter(|load| stacked(load).is_none()).cloned().collect();
        found.targets = towards(symbol, &others, catalogue).map(|others| others.targets).unwrap_or_default();
    }
    Ok(Some(found))
}

/// Whether a layer of a storage stack can be what a symbol means.
pub(super) fn is_of_layers(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::TargetDevice | Symbol::TargetFileSystem)
}

/// One change for each level.
fn changes(key: &str, levels: &[Level], towards: &Towards) -> Vec<Change> {
    let (name, resource) = setting_parts(key);
    let change = |level: &Level| {
        let Towards { peer, targets, layers, servers } = towards.clone();
        let resource = resource.map(str::to_owned);
        Some(Change { resource, peer, targets, layers, servers, ..Change::new(name, value(level)?) })
    };
    levels.iter().filter_map(change).collect()
}

/// What a setting is to be: of several parts their texts, joined as they were written.
fn value(level: &Level) -> Option<Value> {
    match &level[..] {
        [] => None,
        [one] => Some(one.clone()),
        parts => Some(Value::Text(parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("+"))),
    }
}

/// What the resources lie towards, or under, that a symbol means for these loads; none where none of
/// them passes it.
fn towards(symbol: Symbol, loads: &[LoadSpec], catalogue: &Catalogue) -> Option<Towards> {
    if symbol == Symbol::PeerInterface {
        return towards_ends(loads, catalogue);
    }
    let mut passing = loads.iter().filter(|l| passes(catalogue.workload(l.workload), symbol)).peekable();
    passing.peek()?;
    let Some(aspect) = symbol.words().aspect else {
        return Some(Towards { peer: other_machine(loads, catalogue), ..Towards::default() });
    };
    let named = |load: &LoadSpec| catalogue.parameter_for(catalogue.workload(load.workload)?, aspect);
    let values = passing.filter_map(|load| load.parameters.texts(named(load)?).ok()).flatten();
    let mut targets: Vec<String> = Vec::new();
    for value in values {
        if !targets.iter().any(|known| known == value) {
            targets.push(value.to_owned());
        }
    }
    (!targets.is_empty()).then(|| Towards { targets, ..Towards::default() })
}

/// The other end of these loads, which is one, and the hosts of their servers; none where they have
/// neither.
fn towards_ends(loads: &[LoadSpec], catalogue: &Catalogue) -> Option<Towards> {
    let mut found = Towards::default();
    for load in loads {
        let Some(spec) = catalogue.workload(load.workload) else { continue };
        let says = |aspect| load.parameters.text(catalogue.parameter_for(spec, aspect)?).ok();
        if catalogue.has_far_end(spec, &load.parameters) {
            found.peer = found.peer.take().or_else(|| says(Aspect::Peer).map(str::to_owned));
        } else if passes(Some(spec), Symbol::ServerInterface)
            && let Some(server) = says(Aspect::Server)
        {
            let host = if server == SELF { LOOPBACK } else { host_of(server) };
            if !found.servers.iter().any(|known| known == host) {
                found.servers.push(host.to_owned());
            }
        }
    }
    (found != Towards::default()).then_some(found)
}

/// The peer, if it is another machine: with both ends here a setting of the machine
/// would be changed twice.
fn other_machine(loads: &[LoadSpec], catalogue: &Catalogue) -> Option<String> {
    let named = |load: &LoadSpec| catalogue.parameter_for(catalogue.workload(load.workload)?, Aspect::Peer);
    let peer = loads.iter().find_map(|load| load.parameters.text(named(load)?).ok())?;
    (peer != SELF).then(|| peer.to_owned())
}

/// Whether data of a workload passes what `symbol` means.
fn passes(spec: Option<&WorkloadSpec>, symbol: Symbol) -> bool {
    spec.is_some_and(|spec| spec.path.contains(&symbol))
}

/// Whether a setting of `symbol` has a meaning for a workload: what belongs to the interface towards
/// the peer belongs to that towards the server where there is one instead.
fn has_meaning(spec: Option<&WorkloadSpec>, symbol: Symbol) -> bool {
    let is_of_server = symbol == Symbol::PeerInterface && passes(spec, Symbol::ServerInterface);
    is_of_server || passes(spec, symbol)
}

/// Refuses a setting of what no load passes, which nothing says where it belongs.
pub(super) fn check(study: &Study, catalogue: &Catalogue) -> Result<(), PlanError> {
    let of_all = study.settings.keys().map(|key| (key, &study.workloads[..]));
    let of_one =
        study.workloads.iter().flat_map(|one| one.settings.keys().map(|key| (key, slice::from_ref(one))));
    for (key, workloads) in of_all.chain(of_one) {
        let (name, None) = setting_parts(key) else { continue };
        let Some(symbol) = find(name).and_then(|s| s.spec().binds) else { continue };
        let mut loads = workloads.iter().flat_map(|w| iter::once(w).chain(&w.with));
        if !loads.any(|load: &StudyWorkload| has_meaning(catalogue.workload(load.kind), symbol)) {
            let words = symbol.words();
            return Err(PlanError::invalid(
                &study.name,
                format!("`{name}` belongs to {}, and no load here has one", words.phrase(None)),
                words.example.map_or_else(
                    || "leave it out, or add a load that has it".to_owned(),
                    |example| format!("name the {}: {name}@{example}", words.noun),
                ),
            ));
        }
    }
    Ok(())
}

/// Why a setting of a case would not hold one of its loads; none where all do. `host` is the machine that drives.
pub(super) fn missed(host: &Host, changes: &[Change], loads: &[LoadSpec]) -> Option<Problem> {
    let reason = |change: &Change| {
        let setting = find(&change.name)?;
        loads
            .iter()
            .filter_map(|load| load.profile.as_ref())
            .find_map(|profile| setting.misses(host, profile))
    };
    let help = "write directly (direct=yes) or with sync=dsync, leave the setting out, or use a machine with control \
                groups of version 2";
    changes.iter().find_map(reason).map(|reason| Problem::refused(reason, help))
}

/// What a case's label says of settings: those with several levels, those of its workload alone,
/// or all of them in a study of one case.
pub(super) fn label_parts(
    study: &Study,
    workload: &StudyWorkload,
    changes: &[Change],
    single: bool,
) -> Vec<LabelPart> {
    let varies = |change: &&Change| {
        let key = change.key();
        let levels = study.settings_of(workload).get(key.as_str()).map_or(0, |levels| levels.len());
        single || levels > 1 || workload.settings.contains_key(&key)
    };
    let part = |change: &Change| {
        let kind = find(&change.name).map_or(Kind::Text, |setting| setting.spec().value.kind);
        LabelPart { name: change.key(), kind, value: change.value.clone() }
    };
    changes.iter().filter(varies).map(part).collect()
}

#[cfg(test)]
mod tests {
    use model::{ParameterName, Parameters, WorkloadName};

    use super::*;

    fn loads(peer: Option<&str>) -> Vec<LoadSpec> {
        let mut parameters = Parameters::default();
        if let Some(peer) = peer {
            parameters.set(ParameterName::new("peer"), peer);
        }
        vec![LoadSpec::new(WorkloadName::new("net.stream"), parameters)]
    }

    fn combinations(study: &Study, loads: &[LoadSpec]) -> Vec<Vec<Change>> {
        super::combinations(study, &StudyWorkload::default(), loads, &agent::catalogue()).unwrap()
    }

    fn study(settings: &[(&str, &[u64])]) -> Study {
        let levels = |values: &[u64]| values.iter().map(|v| vec![Value::from(*v)]).collect();
        let settings = settings.iter().map(|(key, values)| ((*key).to_owned(), levels(values))).collect();
        Study { settings, ..Study::default() }
    }

    #[test]
    fn parts_of_a_level_are_joined_as_they_were_written() {
        let levels = vec![vec![Value::from("noatime"), Value::from("barrier=0")], vec!["relatime".into()]];
        let settings = [("mount-options@/data".to_owned(), levels)].into_iter().collect();
        let made = combinations(&Study { settings, ..Study::default() }, &loads(None));
        let values: Vec<String> = made.iter().flatten().map(|change| change.value.to_string()).collect();
        assert_eq!(values, ["noatime+barrier=0", "relatime"]);
        assert_eq!(made[0][0].resource.as_deref(), Some("/data"));
    }

    #[test]
    fn every_combination_is_there_and_none_without_a_meaning() {
        let study = study(&[("mtu", &[1500, 9000]), ("mtu@eth0", &[1400]), ("socket-buffer-max", &[1, 2])]);
        assert_eq!(combinations(&study, &loads(Some("b"))).len(), 4);
        assert_eq!(count(&study, &StudyWorkload::default()), 4);
        let alone = combinations(&study, &loads(None));
        assert_eq!(alone.len(), 2, "without a peer there is no interface towards it");
        assert!(alone.iter().flatten().all(|c| c.peer.is_none()));
        let mut keys: Vec<String> = alone[0].iter().map(Change::key).collect();
        keys.sort();
        assert_eq!(keys, ["mtu@eth0", "socket-buffer-max"]);
        assert_eq!(combinations(&Study::default(), &loads(None)), [vec![]]);
    }

    #[test]
    fn what_a_workload_says_counts_for_it_alone() {
        let mut study = study(&[("socket-buffer-max", &[1, 2]), ("mtu", &[1500])]);
        study.workloads = vec![StudyWorkload::default(), StudyWorkload::default()];
        let levels = |values: &[u64]| values.iter().map(|v| vec![Value::from(*v)]).collect::<Vec<_>>();
        study.workloads[1].settings =
            [("socket-buffer-max".to_owned(), levels(&[3])), ("swap".to_owned(), levels(&[0, 1]))].into();
        let of = |place: usize| {
            let workload = &study.workloads[place];
            super::combinations(&study, workload, &loads(Some("b")), &agent::catalogue()).unwrap()
        };
        assert_eq!((of(0).len(), of(1).len()), (2, 2));
        assert_eq!((count(&study, &study.workloads[0]), count(&study, &study.workloads[1])), (2, 2));
        let named = |changes: &[Change], place: usize| -> Vec<String> {
            let parts = label_parts(&study, &study.workloads[place], changes, false);
            parts.iter().map(ToString::to_string).collect()
        };
        assert_eq!(named(&of(0)[0], 0), ["socket-buffer-max=1B"]);
        assert_eq!(named(&of(1)[1], 1), ["socket-buffer-max=3B", "swap=1"]);
    }

    #[test]
    fn a_symbol_is_bound_by_what_the_loads_that_pass_it_say() {
        let mut disk = LoadSpec::new(WorkloadName::new("disk"), Parameters::default());
        disk.parameters.set(ParameterName::new("target"), Value::List(vec!["/a".into(), "/b".into()]));
        let (both, own) = ([loads(Some("b")), vec![disk]].concat(), loads(Some(SELF)));
        let of = |symbol, loads: &[LoadSpec]| towards(symbol, loads, &agent::catalogue());
        let targets = Towards { targets: vec!["/a".to_owned(), "/b".to_owned()], ..Towards::default() };
        let peer = Towards { peer: Some("b".to_owned()), ..Towards::default() };
        assert_eq!(of(Symbol::TargetDevice, &both), Some(targets.clone()));
        assert_eq!(of(Symbol::TargetFileSystem, &both), Some(targets.clone()));
        assert_eq!(of(Symbol::PeerInterface, &both), Some(peer.clone()));
        assert_eq!(of(Symbol::WorkerCpus, &both), Some(peer));
        assert_eq!(of(Symbol::WorkerCpus, &own), Some(Towards::default()));
        assert_eq!(of(Symbol::TargetDevice, &both[..1]), None, "a network has no target");
        assert_eq!(of(Symbol::Memory, &both), None, "neither measures it");
        let mut again = both[1].clone();
        again.parameters.set(ParameterName::new("target"), "/a");
        let thrice = [both[1].clone(), again].to_vec();
        assert_eq!(of(Symbol::TargetDevice, &thrice), Some(targets));
    }

    #[test]
    fn without_a_peer_the_interface_is_the_one_towards_the_server_at_this_end() {
        let fetching = |url: &str| {
            let mut load = LoadSpec::new(WorkloadName::new("http.requests"), Parameters::default());
            load.parameters.set(ParameterName::new("url"), url);
            load
        };
        let study = study(&[("mtu", &[9000]), ("socket-buffer-max", &[1])]);
        let of = |loads: &[LoadSpec]| {
            let all = combinations(&study, loads).remove(0);
            all.into_iter().map(|c| (c.key(), c.peer, c.servers)).collect::<Vec<_>>()
        };
        let change = |key: &str, peer: Option<&str>, servers: &[&str]| {
            let servers: Vec<String> = servers.iter().map(|host| (*host).to_owned()).collect();
            (key.to_owned(), peer.map(str::to_owned), servers)
        };
        let two = [fetching("http://web1:81/x"), fetching("https://[fd00::2]/"), fetching("http://web1/y")];
        assert_eq!(
            of(&two),
            [change("mtu", None, &["web1", "fd00::2"]), change("socket-buffer-max", None, &[])]
        );
        assert_eq!(of(&[fetching(SELF)])[0], change("mtu", None, &[LOOPBACK]));
        // Beside a load with another end, both.
        let beside = [loads(Some("b")), vec![fetching("http://web1/")]].concat();
        assert_eq!(of(&beside)[0], change("mtu", Some("b"), &["web1"]));
        let workload = StudyWorkload { kind: WorkloadName::new("http.requests"), ..StudyWorkload::default() };
        let sound = Study { workloads: vec![workload], ..study.clone() };
        assert!(check(&sound, &agent::catalogue()).is_ok());
        let workload = StudyWorkload { kind: WorkloadName::new("disk"), ..StudyWorkload::default() };
        let wrong = Study { workloads: vec![workload], ..study.clone() };
        assert!(check(&wrong, &agent::catalogue()).is_err());
    }

    #[test]
    fn a_limit_that_would_not_hold_a_load_is_a_problem_of_the_case() {
        use model::profile::{Caches, Flow, FlowUnit, LoadProfile, OperationClass};
        let host = |groups: &str| Host::parse(&format!("==> /proc/self/cgroup\n{groups}\n"));
        let write = Flow::only(OperationClass::Write, FlowUnit::Bytes);
        let buffered =
            LoadProfile { flows: vec![write], caches: Caches::PageCache, ..LoadProfile::default() };
        let load = |profile| LoadSpec { profile, ..loads(None).remove(0) };
        let limit = [Change::new("cgroup-io-write-bytes", Value::from(1_u64 << 20))];
        let all = [load(None), load(Some(buffered))];
        let problem = missed(&host("3:blkio:/"), &limit, &all).unwrap();
        assert!(problem.message.contains("version 1") && problem.help.contains("direct=yes"), "{problem:?}");
        assert_eq!(missed(&host("0::/"), &limit, &all), None);
        assert_eq!(missed(&host("3:blkio:/"), &limit, &all[..1]), None);
        assert_eq!(missed(&host("3:blkio:/"), &[Change::new("swap", "off".into())], &all), None);
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
    fn no_setting_is_called_as_a_parameter_is() {
        let catalogue = agent::catalogue();
        for workload in &catalogue.workloads {
            for parameter in catalogue.parameters(workload) {
                assert!(find(parameter.name.as_str()).is_none(), "{} of {}", parameter.name, workload.name);
            }
        }
    }

    #[test]
    fn labels_name_what_varies() {
        let study = study(&[("mtu@eth0", &[1500, 9000]), ("socket-buffer-max", &[1 << 20])]);
        let case = combinations(&study, &loads(None)).remove(1);
        let words = |is_single| -> Vec<String> {
            label_parts(&study, &StudyWorkload::default(), &case, is_single)
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(words(false), ["mtu@eth0=9000"]);
        assert_eq!(words(true), ["mtu@eth0=9000", "socket-buffer-max=1MiB"]);
    }
}
