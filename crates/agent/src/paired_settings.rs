//! Settings at both ends of a pair: each end finds the resource that lies
//! towards the other, for only it knows its own interfaces. What belongs to a
//! whole machine is changed once where both ends are under one kernel, as in two
//! network namespaces.

use std::collections::BTreeMap;
use std::net::IpAddr;

use machine::{route, setting};
use model::message::{Reply, Request};
use model::setting::{Change, SettingStates};

use crate::{Agent, AgentError, CallContext, FarEnd, unexpected};

/// Makes `changes` hold: those towards a peer at this end and at that peer, the
/// others at this end. Far ends of which nothing is asked put back what they had
/// changed. After an error some may be changed: [`restore`] puts them back.
pub(crate) fn set(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    changes: &[Change],
    watch: &mut CallContext<'_>,
) -> Result<SettingStates, AgentError> {
    let mut ours = Vec::new();
    let mut theirs: BTreeMap<&str, Vec<Change>> = BTreeMap::new();
    for change in changes {
        let Some(peer) = &change.peer else {
            ours.push(change.clone());
            continue;
        };
        let end =
            far.get_mut(peer).ok_or_else(|| AgentError::Failed(format!("there is no peer `{peer}`")))?;
        ours.push(Change { towards: Some(end.address), ..change.clone() });
        if is_of_machine(change) && end.shares_kernel(watch) {
            continue;
        }
        if let Some(source) = source_towards(end)? {
            // What lies towards a server is this end's.
            let own = Change { towards: Some(source), servers: Vec::new(), ..change.clone() };
            theirs.entry(peer).or_default().push(own);
        }
    }
    let mut states = ask(near, ours, watch)?;
    // Those that put back come first: two of them may be ways to one machine,
    // which one at a time changes.
    let (rest, asked): (Vec<_>, Vec<_>) =
        far.iter_mut().partition(|(name, _)| !theirs.contains_key(name.as_str()));
    for (name, end) in rest.into_iter().chain(asked) {
        let Some(machine) = &end.machine else { continue };
        let own = theirs.remove(name.as_str()).unwrap_or_default();
        let is_asked = !own.is_empty();
        match ask(&mut *end.agent, own, watch) {
            Ok(found) => {
                for (setting, mut all) in found {
                    all.iter_mut().for_each(|state| state.machine.clone_from(machine));
                    states.entry(setting).or_default().append(&mut all);
                }
            }
            // One that cannot be reached and is not needed now put back its own.
            Err(AgentError::Unreachable(_) | AgentError::Died(_)) if !is_asked => {}
            Err(error) => return Err(named(name, error)),
        }
    }
    Ok(states)
}

/// Why each of `changes` cannot be made, at this end or at that of its peer, in their order. Nothing is
/// touched; a far end that cannot be reached now says it when it is to change something.
pub(crate) fn look(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    mut changes: Vec<Change>,
    watch: &mut CallContext<'_>,
) -> Result<Vec<Option<String>>, AgentError> {
    for change in &mut changes {
        let peer = change.peer.as_ref().and_then(|peer| far.get(peer));
        change.towards = peer.map(|end| end.address);
    }
    let mut reasons = missing(near, changes.clone(), watch)?;
    for (name, end) in far {
        let Ok(Some(source)) = source_towards(end) else { continue };
        let is_theirs = |at: &usize| changes[*at].peer.as_ref() == Some(name);
        let mut places: Vec<usize> = (0..changes.len()).filter(is_theirs).collect();
        let is_common = |at: &usize| is_of_machine(&changes[*at]);
        if places.iter().any(is_common) && end.shares_kernel(watch) {
            places.retain(|at| !is_common(at));
        }
        if places.is_empty() {
            continue;
        }
        let theirs = |at: &usize| Change { towards: Some(source), ..changes[*at].clone() };
        let found = match missing(&mut *end.agent, places.iter().map(theirs).collect(), watch) {
            Err(AgentError::Failed(reason)) => vec![Some(reason); places.len()],
            Err(AgentError::Unreachable(_) | AgentError::Died(_)) => continue,
            found => found?,
        };
        for (at, reason) in places.into_iter().zip(found) {
            let there = reason.map(|reason| format!("the other end ({name}): {reason}"));
            reasons[at] = reasons[at].take().or(there);
        }
    }
    Ok(reasons)
}

/// Whether its setting belongs to the whole machine, and not to a part of it or to a network namespace.
fn is_of_machine(change: &Change) -> bool {
    setting::find(&change.name)
        .is_some_and(|setting| !setting.is_of_namespace() && setting.spec().binds.is_none())
}

fn missing(
    agent: &mut dyn Agent,
    changes: Vec<Change>,
    watch: &mut CallContext<'_>,
) -> Result<Vec<Option<String>>, AgentError> {
    let asked = changes.len();
    match agent.call(Request::LookAtSettings { changes }, watch)? {
        Reply::Missing(reasons) if reasons.len() == asked => Ok(reasons),
        other => Err(unexpected(other)),
    }
}

fn ask(
    agent: &mut dyn Agent,
    changes: Vec<Change>,
    watch: &mut CallContext<'_>,
) -> Result<SettingStates, AgentError> {
    match agent.call(Request::Set { changes }, watch)? {
        Reply::Set(states) => Ok(states),
        other => Err(unexpected(other)),
    }
}

/// The address of ours that the far end sees; none where it is on this very
/// machine, whose settings are changed already.
fn source_towards(end: &FarEnd) -> Result<Option<IpAddr>, AgentError> {
    if end.machine.is_none() {
        return Ok(None);
    }
    let route = route::towards(end.address).map_err(|e| AgentError::Failed(e.to_string()))?;
    Ok(route.source.filter(|_| !route.local))
}

/// Puts everything back, at both ends.
///
/// # Errors
/// The first that could not; the others are asked all the same.
pub(crate) fn restore(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    watch: &mut CallContext<'_>,
) -> Result<Reply, AgentError> {
    let mut first = done(near.call(Request::Restore, watch)).err();
    for (name, end) in far.iter_mut().filter(|(_, end)| end.machine.is_some()) {
        match done(end.agent.call(Request::Restore, watch)) {
            Ok(()) => {}
            // An agent whose controller is gone puts its own back.
            Err(AgentError::Unreachable(_) | AgentError::Died(_)) => {}
            Err(error) => {
                first.get_or_insert(named(name, error));
            }
        }
    }
    first.map_or(Ok(Reply::Done), Err)
}

fn done(answer: Result<Reply, AgentError>) -> Result<(), AgentError> {
    match answer? {
        Reply::Done => Ok(()),
        other => Err(unexpected(other)),
    }
}

fn named(peer: &str, error: AgentError) -> AgentError {
    match error {
        AgentError::Failed(reason) => AgentError::Failed(format!("the other end ({peer}): {reason}")),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use model::setting::SettingState;
    use model::{Unit, Value};

    use super::*;

    /// An agent that writes down what it is asked.
    #[derive(Clone, Default)]
    struct Scribe {
        asked: Arc<Mutex<Vec<Request>>>,
        refuses: bool,
        clock_ahead_ns: u64,
    }

    impl Agent for Scribe {
        fn call(&mut self, request: Request, _watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
            self.asked.lock().unwrap().push(request.clone());
            match request {
                Request::Set { changes } if self.refuses && !changes.is_empty() => {
                    Ok(Reply::Failed { reason: "no".to_owned() })
                }
                Request::Set { changes } => {
                    let state = |c: &Change| (c.name.clone(), vec![SettingState::asked(c, Unit::Bytes)]);
                    Ok(Reply::Set(changes.iter().map(state).collect()))
                }
                Request::LookAtSettings { changes } => {
                    let reason = Some("it has none".to_owned()).filter(|_| self.refuses);
                    Ok(Reply::Missing(vec![reason; changes.len()]))
                }
                Request::Time => Ok(Reply::Time(engine::clock::now_ns() + self.clock_ahead_ns)),
                _ => Ok(Reply::Done),
            }
        }
    }

    fn change(peer: Option<&str>) -> Change {
        Change { peer: peer.map(str::to_owned), ..Change::new("mtu", Value::from(9000_u64)) }
    }

    fn far_end(scribe: &Scribe, address: &str, machine: Option<&str>) -> FarEnd {
        let machine = machine.map(str::to_owned);
        let address = address.parse().unwrap();
        FarEnd { agent: Box::new(scribe.clone()), address, dials: None, machine }
    }

    fn watch<R>(act: impl FnOnce(&mut CallContext<'_>) -> R) -> R {
        act(&mut CallContext { on_event: &mut |_| {}, cancelled: &|| false })
    }

    #[test]
    fn a_far_end_on_this_machine_is_asked_for_nothing() {
        let (near, own, node) = (Scribe::default(), Scribe::default(), Scribe::default());
        let mut far = BTreeMap::from([
            ("self".to_owned(), far_end(&own, "127.0.0.1", None)),
            ("here".to_owned(), far_end(&node, "127.0.0.1", Some("peer-1"))),
        ]);
        let asked = [change(Some("here"))];
        let states = watch(|w| set(&mut near.clone(), &mut far, &asked, w)).unwrap();
        assert_eq!(states["mtu"].len(), 1);
        let towards = Change { towards: Some("127.0.0.1".parse().unwrap()), ..change(Some("here")) };
        assert_eq!(*near.asked.lock().unwrap(), [Request::Set { changes: vec![towards] }]);
        assert_eq!(*node.asked.lock().unwrap(), [Request::Set { changes: vec![] }]);
        assert!(own.asked.lock().unwrap().is_empty());
        let unknown = watch(|w| set(&mut near.clone(), &mut far, &[change(Some("nobody"))], w));
        assert!(unknown.unwrap_err().to_string().contains("nobody"));
    }

    #[test]
    fn who_puts_back_is_asked_before_who_changes() {
        // Of addresses that are not here: their settings are changed too.
        let log = Arc::new(Mutex::new(Vec::new()));
        struct Named(&'static str, Arc<Mutex<Vec<(&'static str, usize)>>>);
        impl Agent for Named {
            fn call(&mut self, request: Request, _: &mut CallContext<'_>) -> Result<Reply, AgentError> {
                let Request::Set { changes } = request else { panic!("{request:?}") };
                self.1.lock().unwrap().push((self.0, changes.len()));
                Ok(Reply::Set(SettingStates::new()))
            }
        }
        let end = |name: &'static str| FarEnd {
            agent: Box::new(Named(name, Arc::clone(&log))),
            address: "192.0.2.1".parse().unwrap(),
            dials: None,
            machine: Some("one".to_owned()),
        };
        let mut far = BTreeMap::from(["a", "b", "c"].map(|name| (name.to_owned(), end(name))));
        if source_towards(&far["b"]).ok().flatten().is_none() {
            println!("skipped: there is no route to anywhere");
            return;
        }
        watch(|w| set(&mut Scribe::default(), &mut far, &[change(Some("b"))], w)).unwrap();
        assert_eq!(*log.lock().unwrap(), [("a", 0), ("c", 0), ("b", 1)]);
    }

    #[test]
    fn regression_a_setting_that_the_far_end_lacks_was_told_by_the_first_trial() {
        let (near, lacks, has) =
            (Scribe::default(), Scribe { refuses: true, ..Scribe::default() }, Scribe::default());
        // Of addresses that are not here; on this machine nobody is asked twice.
        let mut far = BTreeMap::from([
            ("a".to_owned(), far_end(&lacks, "198.51.100.1", Some("one"))),
            ("b".to_owned(), far_end(&has, "198.51.100.2", Some("two"))),
            ("here".to_owned(), far_end(&lacks, "127.0.0.1", Some("three"))),
        ]);
        if source_towards(&far["a"]).ok().flatten().is_none() {
            println!("skipped: there is no route to anywhere");
            return;
        }
        let asked = ["b", "a", "here"].map(|peer| change(Some(peer)));
        let asked = [&asked[..], &[change(None)]].concat();
        let found = watch(|w| look(&mut near.clone(), &mut far, asked.clone(), w)).unwrap();
        assert_eq!(found, [None, Some("the other end (a): it has none".to_owned()), None, None]);
        let of = |scribe: &Scribe| scribe.asked.lock().unwrap().len();
        assert_eq!((of(&near), of(&lacks), of(&has)), (1, 1, 1));
        // What this end lacks is told of it.
        let mut near = Scribe { refuses: true, ..Scribe::default() };
        let found = watch(|w| look(&mut near, &mut far, asked, w)).unwrap();
        assert_eq!(found, vec![Some("it has none".to_owned()); 4]);
    }

    #[test]
    fn regression_two_namespaces_of_one_machine_set_what_is_the_machine_s_twice() {
        // A node in another namespace: its clock is ours. Another machine's is hours ahead.
        let (near, here, other) = (
            Scribe::default(),
            Scribe::default(),
            Scribe { clock_ahead_ns: 3_600_000_000_000, ..Scribe::default() },
        );
        let mut far = BTreeMap::from([
            ("here".to_owned(), far_end(&here, "198.51.100.1", Some("one"))),
            ("other".to_owned(), far_end(&other, "198.51.100.2", Some("two"))),
        ]);
        if source_towards(&far["here"]).ok().flatten().is_none() {
            println!("skipped: there is no route to anywhere");
            return;
        }
        let swap = |peer: &str| Change { peer: Some(peer.to_owned()), ..Change::new("swap", "off".into()) };
        let asked = |scribe: &Scribe| {
            let all = scribe.asked.lock().unwrap();
            let changes = |request: &Request| match request {
                Request::Set { changes } | Request::LookAtSettings { changes } => changes.len(),
                _ => 0,
            };
            all.iter().map(changes).sum::<usize>()
        };
        for peer in ["here", "other"] {
            let found = watch(|w| look(&mut near.clone(), &mut far, vec![swap(peer)], w)).unwrap();
            assert_eq!(found, [None]);
            watch(|w| set(&mut near.clone(), &mut far, &[swap(peer)], w)).unwrap();
        }
        assert_eq!((asked(&near), asked(&here), asked(&other)), (4, 0, 2));
        // An interface is of each namespace.
        watch(|w| set(&mut near.clone(), &mut far, &[change(Some("here"))], w)).unwrap();
        assert_eq!(asked(&here), 1);
    }

    #[test]
    fn all_are_asked_to_put_back_and_the_first_trouble_is_told() {
        let (near, node) = (Scribe::default(), Scribe::default());
        let mut far = BTreeMap::from([("b".to_owned(), far_end(&node, "127.0.0.1", Some("peer-1")))]);
        assert_eq!(watch(|w| restore(&mut near.clone(), &mut far, w)), Ok(Reply::Done));
        assert_eq!(*near.asked.lock().unwrap(), [Request::Restore]);
        assert_eq!(*node.asked.lock().unwrap(), [Request::Restore]);
    }

    #[test]
    fn a_refusal_here_is_told() {
        let near = Scribe { refuses: true, ..Scribe::default() };
        let error = watch(|w| set(&mut near.clone(), &mut BTreeMap::new(), &[change(None)], w)).unwrap_err();
        assert_eq!(error, AgentError::Failed("no".to_owned()));
    }
}
