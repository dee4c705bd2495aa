//! A stack that a node makes and presents: what the node is asked for, what each of the two machines makes of it, and what
//! no node can be asked for.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use model::plan::{FixtureKey, LoadSpec, Problem};
use model::present::{AttachOrder, PresentOrder};
use model::profile::Aspect;
use model::stack::{LayerStack, StackLayer};

use crate::workload::catalogue;
use crate::workload::disk::stack::fixture::STACKS;
use crate::workload::disk::stack::present::remote;
use crate::workload::disk::stack::request::{StackOrder, StackRequest};
use crate::workload::disk::stack::{LayerKind, find, zram};

/// What stands for this machine where a peer is named.
const OWN_END: &str = "self";

impl StackOrder {
    /// What its node is asked for; none where this machine makes the stack.
    fn of_node(&self) -> Option<(&str, PresentOrder)> {
        let text = |path: &PathBuf| path.to_str().map(str::to_owned);
        let order = PresentOrder {
            stack: self.stack.clone(),
            targets: self.targets.iter().map(text).collect::<Option<_>>()?,
            member_bytes: self.member_bytes,
            // Who knows the node's address puts it there.
            listen: Ipv4Addr::UNSPECIFIED.into(),
        };
        Some((self.peer.as_deref()?, order))
    }

    /// What its node presents, among what is known of nodes.
    pub(super) fn attached<'a>(&self, known: &'a [AttachOrder]) -> Option<&'a AttachOrder> {
        let (peer, asked) = self.of_node()?;
        known.iter().find(|known| known.peer == peer && known.order.is_same(&asked))
    }

    /// The layers above the ground that this machine makes, the lowest first, each with its kind.
    pub(super) fn kinds<'a>(&self, stack: &'a LayerStack) -> Vec<(&'a StackLayer, &'static dyn LayerKind)> {
        let layers = stack.layers.iter().take(self.height).enumerate();
        let kind = |(index, layer): (usize, &'a StackLayer)| {
            let (name, is_top) = (layer.spec.name, index + 1 == self.height);
            let kind = match (&self.peer, self.listen) {
                (Some(_), _) if is_top => remote::session_of(name),
                (Some(_), _) => None,
                (None, Some(_)) if is_top => remote::target_of(name),
                (None, _) => find(name),
            };
            Some((layer, kind?))
        };
        layers.filter_map(kind).collect()
    }
}

/// What a node is asked for to make a fixture, and what the study calls it; none where this machine makes it alone.
#[must_use]
pub fn presented_by(key: &FixtureKey) -> Option<(String, PresentOrder)> {
    if key.kind != STACKS.name {
        return None;
    }
    let order = StackOrder::of(key).ok()?;
    order.of_node().map(|(peer, asked)| (peer.to_owned(), asked))
}

/// The same of what a load drives.
#[must_use]
pub fn presented_for(load: &LoadSpec) -> Option<(String, PresentOrder)> {
    let catalogue = catalogue();
    let target = catalogue.parameter_for(catalogue.workload(load.workload)?, Aspect::Targets);
    let request = StackRequest::of(&load.parameters, target).ok()??;
    presented_by(&request.key(&[]))
}

/// Whether a node can present the top of a stack.
///
/// # Errors
/// Why none can.
pub(super) fn check_top(stack: &LayerStack) -> Result<(), Problem> {
    let is_memory = stack.ground.as_ref().is_some_and(|ground| ground.spec.name == zram::SPEC.name);
    let why = match stack.layers.last() {
        _ if is_memory => {
            Some(format!("a node presents what lies on its targets, and {} is memory", zram::SPEC.name))
        }
        Some(top) => remote::refuses(top),
        None => Some("nothing presents this stack".to_owned()),
    };
    match why {
        Some(why) => Err(Problem::invalid(why, "see `headroom workloads disk`")),
        None => Ok(()),
    }
}

/// Whether the node `peer` can be asked for so many layers of a stack on targets with these paths.
///
/// # Errors
/// Why not.
pub(super) fn check(peer: &str, stack: &LayerStack, height: usize, paths: &[&str]) -> Result<(), Problem> {
    check_top(stack)?;
    if peer == OWN_END {
        return Err(Problem::invalid(
            format!("`{OWN_END}` is no node: this machine presents the stack to itself"),
            "leave presented-by out",
        ));
    }
    if height < stack.height() {
        return Err(Problem::invalid(
            "the layers of a stack at a node are there, and only its top can be driven from here",
            "leave the layer out; to compare layers, have a stack up to each presented in turn: --stack \"loop,loop > luks\"",
        ));
    }
    match paths.iter().find(|path| !Path::new(path).is_absolute()) {
        Some(path) => Err(Problem::invalid(
            format!("the target {path} is no whole path, and the node has folders of its own"),
            "give the path for which the node was started: `headroom node --present PATH`",
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use model::{Parameters, Value};

    use super::*;
    use crate::host::HostInfo;
    use crate::workload::named;

    /// What a load asks for that drives a stack of the node `b`.
    fn asked(more: &[(&'static str, Value)]) -> Result<StackRequest, Problem> {
        let mut parameters = Parameters::default();
        let usual =
            [("target", "/srv/disks"), ("stack", "loop > luks"), ("present", "iscsi"), ("presented-by", "b")];
        usual.into_iter().for_each(|(name, text)| parameters.set(named(name), text));
        more.iter().for_each(|(name, value)| parameters.set(named(name), value.clone()));
        StackRequest::of(&parameters, Some(named("target"))).map(Option::unwrap)
    }

    #[test]
    fn a_node_is_asked_for_the_whole_stack_on_its_own_paths() {
        let request = asked(&[("member-size", Value::from(1u64 << 28))]).unwrap();
        let key = request.key(&[]);
        let (peer, order) = presented_by(&key).unwrap();
        let paths = vec!["/srv/disks".to_owned()];
        assert_eq!(
            (peer.as_str(), order.stack.as_str(), &order.targets),
            ("b", "loop > luks > iscsi", &paths)
        );
        assert_eq!((order.member_bytes, key.target.as_str()), (1 << 28, "b:/srv/disks"));
        // What this machine makes alone asks nobody.
        assert!(presented_by(&FixtureKey { kind: "file".to_owned(), ..key.clone() }).is_none());
        let alone = StackOrder { peer: None, ..StackOrder::of(&key).unwrap() };
        assert!(presented_by(&FixtureKey { details: serde_json::json!(alone), ..key }).is_none());
    }

    #[test]
    fn a_load_says_what_it_drives_of_which_node() {
        let mut parameters = Parameters::default();
        for (name, text) in [("target", "/dev/sdb"), ("present", "iscsi"), ("presented-by", "b")] {
            parameters.set(named(name), text);
        }
        let disk = model::WorkloadName::new("disk");
        let (peer, order) = presented_for(&LoadSpec::new(disk, parameters.clone())).unwrap();
        assert_eq!((peer.as_str(), order.stack.as_str()), ("b", "iscsi"));
        parameters.remove(named("presented-by"));
        assert!(presented_for(&LoadSpec::new(disk, parameters)).is_none());
        assert!(presented_for(&LoadSpec::new(disk, Parameters::default())).is_none());
    }

    #[test]
    fn each_machine_makes_its_own_part() {
        let request = asked(&[]).unwrap();
        let names = |order: &StackOrder, stack: &LayerStack| {
            order.kinds(stack).into_iter().map(|(_, kind)| kind.spec().name).collect::<Vec<_>>()
        };
        let near = StackOrder::of(&request.key(&[])).unwrap();
        let stack = LayerStack::parse(&near.stack, crate::workload::disk::stack::LAYERS).unwrap();
        assert_eq!(names(&near, &stack), ["iscsi-session"]);
        let listen = Some(Ipv4Addr::LOCALHOST.into());
        let far = StackOrder { peer: None, listen, ..near.clone() };
        assert_eq!(names(&far, &stack), ["luks", "iscsi-target"]);
        assert_eq!(names(&StackOrder { peer: None, ..near }, &stack), ["luks", "iscsi"]);
    }

    #[test]
    fn what_no_node_presents_is_refused_before_it_is_asked() {
        for (more, why) in [
            (("presented-by", Value::from("self")), "no node"),
            (("layer", "luks".into()), "only its top"),
            (("target", "disks".into()), "no whole path"),
            (("present", "nvme-tcp(bit-rate=16m)".into()), "bit-rate"),
            (("stack", "ext4".into()), "nothing can stand on"),
            (("stack", "zram > luks".into()), "zram is memory"),
        ] {
            let problem = asked(std::slice::from_ref(&more)).unwrap_err();
            assert!(problem.message.contains(why), "{more:?}: {problem:?}");
        }
        let share = PresentOrder {
            stack: "loop > ext4 > nfs".to_owned(),
            targets: vec!["/srv/disks".to_owned()],
            member_bytes: 1,
            listen: Ipv4Addr::LOCALHOST.into(),
        };
        assert!(StackRequest::to_present(&share).unwrap_err().message.contains("nfs is neither"));
        let bare = PresentOrder { stack: "loop > luks".to_owned(), ..share };
        assert!(StackRequest::to_present(&bare).unwrap_err().message.contains("luks is neither"));
    }

    #[test]
    fn what_a_node_presents_is_known_by_what_it_was_asked_for() {
        let key = asked(&[]).unwrap().key(&[]);
        let (peer, order) = presented_by(&key).unwrap();
        let target = model::present::PresentedTarget {
            layer: "headroom_0123456789abcdef_2".to_owned(),
            uuid: String::new(),
            secret: model::present::TargetSecret::new(String::new()),
        };
        let address = Ipv4Addr::LOCALHOST.into();
        let known = AttachOrder { peer, order, address, target };
        let host = HostInfo {
            attached: vec![AttachOrder { peer: "c".to_owned(), ..known.clone() }, known.clone()],
            ..HostInfo::default()
        };
        let asked = StackOrder::of(&key).unwrap();
        assert_eq!(asked.attached(&host.attached), Some(&known));
        assert_eq!(StackOrder { member_bytes: 1, ..asked }.attached(&host.attached), None);
    }
}
