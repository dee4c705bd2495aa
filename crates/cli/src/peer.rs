//! Other ends: what was typed for the parameter `peer`, and what is reached by
//! it. A join string holds a key, so it is taken out of the study before
//! anything of it is printed or kept; what stays is the address. Of one that dials
//! the address is known when it is here.

use std::collections::BTreeMap;
use std::time::Duration;

use ::node::{Fingerprint, JoinString, NodeAgent};
use agent::FarEnd;
use agent::iperf3::{self, Iperf3End};
use model::profile::Aspect;
use model::study::StudyWorkload;
use model::{ParameterName, Study, Value};

use crate::accept_nodes::{self, NodeWait};
use crate::exit::Failure;
use crate::mask_keys;

/// The other end that is this machine.
pub(crate) const SELF: &str = "self";

/// The parameter of a load that names its other end, or the node that presents what it drives.
fn naming(workload: &StudyWorkload) -> Option<ParameterName> {
    let catalogue = agent::catalogue();
    let spec = catalogue.workload(workload.kind)?;
    [Aspect::Peer, Aspect::Presenter].into_iter().find_map(|says| catalogue.parameter_for(spec, says))
}

/// The other ends that a load names.
fn ends(workload: &mut StudyWorkload) -> impl Iterator<Item = &mut Value> {
    let levels = naming(workload).and_then(|name| workload.parameters.get_mut(&name));
    levels.into_iter().flatten().flatten()
}

/// How a join string begins.
const SCHEME: &str = "headroom://";

/// By the names that stay in the study: the join strings.
pub(crate) type Peers = BTreeMap<String, String>;

/// Takes the join strings out of `study`. Fails if a peer is neither a join string nor the name of
/// one.
pub(crate) fn take(study: &mut Study) -> Result<Peers, Failure> {
    let named = std::mem::take(&mut study.peers);
    let mut peers = Peers::new();
    for workload in &mut study.workloads {
        take_of(workload, &named, &mut peers)?;
        misplaced(workload)?;
    }
    let texts =
        [&mut study.title, &mut study.question, &mut study.author, &mut study.purpose, &mut study.price];
    let texts = texts.into_iter().flatten().chain(&mut study.references).chain(&mut study.notes);
    texts.for_each(|text| *text = mask_keys::shortened(text));
    Ok(peers)
}

/// Refuses a join string where something else belongs: it would be printed and
/// kept with the case.
fn misplaced(workload: &StudyWorkload) -> Result<(), Failure> {
    let peer = naming(workload);
    for (name, levels) in &workload.parameters {
        // What `peer` has now is no join string any more.
        let texts = levels.iter().flatten().filter(|_| Some(*name) != peer).map(ToString::to_string);
        if let Some(text) = texts.into_iter().find(|text| text.contains(SCHEME) && text.contains('#')) {
            return Err(Failure::arguments(
                format!("`{}` is given as `{name}`, and it is a join string", mask_keys::shortened(&text)),
                "give it as `peer`: it holds a key, which no other parameter keeps to itself",
            ));
        }
    }
    workload.with.iter().try_for_each(misplaced)
}

fn take_of(
    workload: &mut StudyWorkload,
    named: &BTreeMap<String, String>,
    peers: &mut Peers,
) -> Result<(), Failure> {
    for value in ends(workload) {
        let text = value.to_string();
        if text == SELF {
            continue;
        }
        if text.starts_with(iperf3::SCHEME) || text.starts_with(accept_nodes::SCHEME) {
            peers.insert(text.clone(), text);
            continue;
        }
        // First, so that no key is taken for a name, which stays.
        let (name, join) = match (address_of(&text), named.get(&text)) {
            (Some(address), _) => (address.to_owned(), text),
            (None, Some(join)) => (text, join.clone()),
            (None, None) => return Err(no_peer(&text, named)),
        };
        *value = Value::Text(name.clone());
        peers.insert(name, join);
    }
    workload.with.iter_mut().try_for_each(|with| take_of(with, named, peers))
}

/// `10.0.0.2:7117` of `headroom://10.0.0.2:7117#...`.
fn address_of(join: &str) -> Option<&str> {
    let (address, _) = join.strip_prefix(SCHEME)?.split_once('#')?;
    Some(address).filter(|a| !a.is_empty())
}

fn no_peer(text: &str, named: &BTreeMap<String, String>) -> Failure {
    let known: Vec<&str> = named.keys().map(String::as_str).chain([SELF]).collect();
    let shown = text.split_once('#').map_or(text, |(address, _)| address);
    Failure::arguments(
        format!("there is no peer `{shown}` (there is {})", known.join(", ")),
        "run `headroom node` on the other machine and give the string that it prints, which begins with \
         headroom:// and has a # in it (quote it); `listen://:7117` waits for one that can only dial out, and \
         `iperf3://ADDRESS` takes one on which `iperf3 -s` runs",
    )
}

/// The far end behind a join string. Fails if it is no join string, or the node cannot be reached,
/// or does not come.
pub(crate) fn reach(
    name: &str,
    join: &str,
    patience: Duration,
    waiting: &NodeWait,
) -> Result<FarEnd, Failure> {
    if join.starts_with(accept_nodes::SCHEME) {
        let agent = waiting.receive(join, patience)?;
        let (address, dials) = (agent.address(), agent.dials());
        let machine = Some(if name == join { address.to_string() } else { name.to_owned() });
        return Ok(FarEnd { agent: Box::new(agent), address, dials, machine });
    }
    if join.starts_with(iperf3::SCHEME) {
        let help = "give the address of a machine on which `iperf3 -s` runs";
        let end = Iperf3End::of(join).map_err(|error| Failure::arguments(error.to_string(), help))?;
        let address = end.address().ip();
        return Ok(FarEnd { agent: Box::new(end), address, dials: None, machine: Some(name.to_owned()) });
    }
    let join = JoinString::parse(join).map_err(|error| {
        Failure::arguments(
            format!("the join string of `{name}` is none: {error}"),
            "copy it whole, as `headroom node` prints it, in quotes",
        )
    })?;
    let help = "`headroom node` on the other machine prints the string to give here";
    let agent = NodeAgent::dial(join, patience).map_err(|error| Failure::refused(error.to_string(), help))?;
    let address = agent.address();
    Ok(FarEnd { agent: Box::new(agent), address, dials: None, machine: Some(name.to_owned()) })
}

/// Calls a peer `to` wherever the study says `from`.
pub(crate) fn rename(study: &mut Study, from: &str, to: &str) {
    study.workloads.iter_mut().for_each(|workload| rename_in(workload, from, to));
}

fn rename_in(workload: &mut StudyWorkload, from: &str, to: &str) {
    for value in ends(workload) {
        if value.to_string() == from {
            *value = Value::Text(to.to_owned());
        }
    }
    workload.with.iter_mut().for_each(|with| rename_in(with, from, to));
}

/// What the run document calls the machine behind each peer: one node is one
/// machine, however many of its addresses the study names, and is called by the
/// first.
pub(crate) fn machines(peers: &Peers) -> BTreeMap<String, String> {
    let mut known: Vec<(Fingerprint, &String)> = Vec::new();
    let mut machines = BTreeMap::new();
    for (name, join) in peers {
        // A peer that is none is reported when it is dialled.
        let Ok(join) = JoinString::parse(join) else { continue };
        let first =
            known.iter().find(|(print, _)| *print == join.fingerprint).map_or(name, |(_, first)| *first);
        known.push((join.fingerprint, first));
        machines.insert(name.clone(), first.clone());
    }
    machines
}

#[cfg(test)]
mod tests {
    use model::WorkloadName;

    use super::*;

    fn study(peers: &[&str]) -> Study {
        let levels = peers.iter().map(|p| vec![Value::from(*p)]).collect();
        let parameters = BTreeMap::from([(ParameterName::new("peer"), levels)]);
        let workload =
            StudyWorkload { kind: WorkloadName::new("net.stream"), parameters, ..StudyWorkload::default() };
        Study { workloads: vec![workload], ..Study::default() }
    }

    #[test]
    fn keys_leave_the_study_and_addresses_stay() {
        let mut study = study(&["self", "headroom://10.0.0.2:7117#abc.def", "switch"]);
        study.peers.insert("switch".to_owned(), "headroom://[fd00::2]:7117#ghi.jkl".to_owned());
        let peers = take(&mut study).unwrap();
        let left: Vec<String> = study.workloads[0].parameters[&ParameterName::new("peer")]
            .iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        assert_eq!(left, ["self", "10.0.0.2:7117", "switch"]);
        assert_eq!(peers["10.0.0.2:7117"], "headroom://10.0.0.2:7117#abc.def");
        assert_eq!(peers["switch"], "headroom://[fd00::2]:7117#ghi.jkl");
        assert!(!serde_json::to_string(&study).unwrap().contains("jkl"));
    }

    #[test]
    fn the_key_of_a_node_that_presents_a_disk_leaves_the_study_too() {
        let name = ParameterName::new("presented-by");
        let given = vec![vec![Value::from("headroom://10.0.0.2:7117#abc.def")]];
        let parameters = BTreeMap::from([(name, given)]);
        let workload =
            StudyWorkload { kind: WorkloadName::new("disk"), parameters, ..StudyWorkload::default() };
        let mut study = Study { workloads: vec![workload], ..Study::default() };
        let peers = take(&mut study).unwrap();
        assert_eq!(study.workloads[0].parameters[&name], [vec![Value::from("10.0.0.2:7117")]]);
        assert_eq!(peers["10.0.0.2:7117"], "headroom://10.0.0.2:7117#abc.def");
    }

    #[test]
    fn a_join_string_in_another_place_is_refused_or_not_kept() {
        let mut wrong = study(&["self"]);
        let join = "headroom://10.0.0.2:7117#secret.key";
        wrong.workloads[0].parameters.insert(ParameterName::new("target"), vec![vec![Value::from(join)]]);
        let failure = take(&mut wrong).unwrap_err();
        assert!(failure.message().contains("`target`") && !failure.message().contains("secret"));
        let mut named = study(&[join]);
        named.peers.insert(join.to_owned(), join.to_owned());
        take(&mut named).unwrap();
        assert!(!serde_json::to_string(&named).unwrap().contains("secret"), "{named:?}");
        let mut told = study(&["self"]);
        told.title = Some(format!("with {join}"));
        told.notes = vec![join.to_owned()];
        take(&mut told).unwrap();
        assert!(!serde_json::to_string(&told).unwrap().contains("secret"), "{told:?}");
    }

    #[test]
    fn addresses_of_one_node_are_paths_to_one_machine() {
        let key = "ICEiIyQlJicoKSorLC0uLw";
        let one = format!("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.{key}");
        let other = format!("BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.{key}");
        let peers = [("10.0.0.2:1", &one), ("10.0.1.2:1", &one), ("10.0.2.2:1", &other)];
        let mut peers: Peers = peers.map(|(p, s)| (p.to_owned(), format!("headroom://{p}#{s}"))).into();
        peers.insert("iperf3://10.0.0.2".to_owned(), "iperf3://10.0.0.2".to_owned());
        let machines = machines(&peers);
        let named: Vec<_> =
            machines.iter().map(|(peer, machine)| (peer.as_str(), machine.as_str())).collect();
        let expected =
            [("10.0.0.2:1", "10.0.0.2:1"), ("10.0.1.2:1", "10.0.0.2:1"), ("10.0.2.2:1", "10.0.2.2:1")];
        assert_eq!(named, expected);
    }

    #[test]
    fn one_that_dials_is_called_by_its_address_when_it_is_here() {
        let mut study = study(&["self", "listen://:7117", "far"]);
        study.peers.insert("far".to_owned(), "listen://:7118".to_owned());
        let peers = take(&mut study).unwrap();
        assert_eq!(peers["listen://:7117"], "listen://:7117");
        assert_eq!(peers["far"], "listen://:7118");
        rename(&mut study, "listen://:7117", "10.0.0.2");
        let left: Vec<String> = study.workloads[0].parameters[&ParameterName::new("peer")]
            .iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        assert_eq!(left, ["self", "10.0.0.2", "far"]);
    }

    #[test]
    fn what_is_no_peer_is_refused_without_its_key() {
        for wrong in ["10.0.0.2", "headroom://10.0.0.2:7117", "headroom://#key", "http://a#secret"] {
            let failure = take(&mut study(&[wrong])).unwrap_err();
            assert!(failure.message().contains("there is no peer"), "{wrong}");
            assert!(!failure.message().contains("secret"));
        }
    }
}
