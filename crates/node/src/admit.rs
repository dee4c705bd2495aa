//! What a node does for a controller: the one table of requests. A request is
//! read whole, looked at, and written anew for the agent, so that the agent sees
//! what was looked at and nothing else.

use std::net::IpAddr;

use agent::wire;
use engine::clock;
use load::workload;
use model::message::{RendezvousKind, Request, TrialOrder, TrialRole};
use model::parameter::Kind as ParameterKind;
use model::plan::LoadSpec;
use model::present::PresentOrder;
use model::profile::Aspect;
use model::setting::Change;
use model::{AgentEvent, Value};

use super::bounds::{self, CASES_MAX, CHANGES_MAX, LOADS_MAX};
use super::limits::Limits;
use super::presentable::presentable;

/// What becomes of a request that is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is answered.
    Ask,
    /// It is answered when nobody else measures.
    Open,
    /// It is answered if a rendezvous address is open.
    Trial,
    /// It is answered when nobody else measures, and nobody else does until
    /// settings are put back.
    Set,
    /// It is answered, and others may measure again.
    PutBack,
    /// It is answered when nobody else measures, and nobody else does until what is presented is taken down.
    Present,
    /// It is answered, and others may measure again.
    Withdraw,
    /// It goes beside what is under way.
    Begin,
    /// So does this.
    Cancel,
    /// It ends the session.
    Finish,
}

/// A request that is let through.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) kind: Kind,
    /// The frame for the agent.
    pub(crate) frame: Vec<u8>,
    /// What it presents or withdraws, if it does.
    pub(crate) presents: Option<PresentOrder>,
}

/// Looks at the body of a frame; `here` is the address at which the controller
/// reached this machine, `from` the one that it came from, and `limits` say which files it may have sent and what may be
/// presented to it.
///
/// # Errors
/// Why it is not let through, in words for who asked.
pub(crate) fn admit(body: &[u8], here: IpAddr, from: IpAddr, limits: &Limits) -> Result<Admitted, String> {
    let mut request: Request =
        serde_json::from_slice(body).map_err(|e| format!("this node knows no such request: {e}"))?;
    let kind = rule(&mut request, here, from, limits)?;
    let frame = wire::frame(&request).map_err(|e| e.to_string())?;
    let presents = match request {
        Request::Present(order) | Request::Withdraw(order) => Some(order),
        _ => None,
    };
    Ok(Admitted { kind, frame, presents })
}

/// The table. A request that is new to it does not compile, so that nothing is
/// let through because nobody thought of it.
fn rule(request: &mut Request, here: IpAddr, from: IpAddr, limits: &Limits) -> Result<Kind, String> {
    let files = &limits.files;
    let never = |what: &str| Err(format!("a node {what}"));
    match request {
        Request::Describe | Request::Diagnose | Request::Time | Request::LookAtUse { .. } => Ok(Kind::Ask),
        Request::Survey { cases, destroy, wipe } => {
            if !destroy.is_empty() || !wipe.is_empty() {
                return never("overwrites nothing");
            }
            if cases.len() > CASES_MAX || cases.iter().any(|loads| loads.len() > LOADS_MAX) {
                return Err(format!(
                    "a node surveys {CASES_MAX} cases of {LOADS_MAX} loads at once at most, not {}",
                    cases.len()
                ));
            }
            cases.iter().try_for_each(|loads| two_ended(loads, files))?;
            Ok(Kind::Ask)
        }
        Request::Open(order) => {
            order.listen = here;
            // Behind a translated address the near end does not know its own.
            order.near = order.near.map(|_| from);
            order.loads.clear();
            Ok(Kind::Open)
        }
        // Settings are those of the agent's table, no others; it puts them back
        // itself when the session ends.
        Request::Set { changes } if changes.is_empty() => Ok(Kind::PutBack),
        Request::Set { changes } => towards(changes, from).map(|()| Kind::Set),
        Request::Restore => Ok(Kind::PutBack),
        Request::Trial(order) => far_end(order, from, files).map(|()| Kind::Trial),
        Request::Begin(times) => bounds::times(times, clock::now_ns()).map(|()| Kind::Begin),
        Request::LookAtPresented(order) => presentable(order, here, limits).map(|()| Kind::Ask),
        Request::Present(order) => presentable(order, here, limits).map(|()| Kind::Present),
        Request::Withdraw(order) => presentable(order, here, limits).map(|()| Kind::Withdraw),
        Request::Watch(order) => presentable(order, here, limits).map(|()| Kind::Trial),
        Request::Attach(_) => never("attaches nothing that others present"),
        Request::Cancel => Ok(Kind::Cancel),
        Request::Finish => Ok(Kind::Finish),
        // It only reads what it might change.
        Request::LookAtSettings { changes } => towards(changes, from).map(|()| Kind::Ask),
        Request::LookAtObservers { .. } => never("is not observed"),
        Request::Calibrate { .. } => never("runs no load of its own to calibrate"),
        Request::Prepare { .. } | Request::Release { .. } => never("makes no files and takes none away"),
    }
}

/// Whether these are settings of what lies towards the controller, which the
/// agent finds by the address that the controller came from.
fn towards(changes: &mut [Change], from: IpAddr) -> Result<(), String> {
    if changes.len() > CHANGES_MAX {
        return Err(format!("a node changes {CHANGES_MAX} settings at once at most, not {}", changes.len()));
    }
    for change in changes {
        let is_elsewhere =
            !change.targets.is_empty() || !change.layers.is_empty() || !change.servers.is_empty();
        if change.resource.is_some() || is_elsewhere {
            let key = change.key();
            return Err(format!(
                "a node changes only what lies towards its controller, and `{key}` names something"
            ));
        }
        change.towards = Some(from);
    }
    Ok(())
}

/// Whether a trial is one of a far end, and no larger than a node bears. Where the
/// far end is to dial, it goes to who asks and to nobody else.
fn far_end(order: &mut TrialOrder, from: IpAddr, files: &[String]) -> Result<(), String> {
    let TrialRole::Answers { rendezvous } = &mut order.role else {
        return Err("a node is only ever the far end of a trial: it runs no load alone".to_owned());
    };
    match rendezvous {
        Some(rendezvous) if rendezvous.kind != RendezvousKind::Ours => {
            return Err("a node dials nobody but its controller".to_owned());
        }
        Some(rendezvous) => rendezvous.address = from,
        None => {}
    }
    if !order.observe.is_empty() {
        return Err("a node does not trace its own devices for its controller".to_owned());
    }
    // First: no other load is read any further.
    two_ended(&order.loads, files)?;
    bounds::order(order)?;
    // The near end is on another machine, or takes its CPUs as any other program.
    order.from_last = false;
    Ok(())
}

/// Whether these are loads of two ends that touch no file but one of `files`, which is sent.
fn two_ended(loads: &[LoadSpec], files: &[String]) -> Result<(), String> {
    loads.iter().try_for_each(|load| {
        let name = &load.workload;
        let found = workload::find(*name).ok_or_else(|| format!("this node has no workload `{name}`"))?;
        let spec = found.spec();
        if !workload::has_far_end(load) {
            let help = match workload::catalogue().parameter_for(spec, Aspect::Peer) {
                Some(_) => " as it is asked for",
                None => "",
            };
            return Err(format!("a node is only the other end of a load, and `{name}` has one end{help}"));
        }
        let paths = spec.parameters.iter().filter(|p| p.kind == ParameterKind::Path);
        paths.filter_map(|p| Some((p, load.parameters.get(p.name)?))).try_for_each(|(parameter, value)| {
            let is_sent = parameter.says == Some(Aspect::ServedFile);
            match value {
                Value::Text(path) if is_sent && files.contains(path) => Ok(()),
                path if is_sent => Err(format!(
                    "this node was not started to send {path}: `headroom node --serve-file PATH` there says what it \
                     may send, by the same path"
                )),
                _ => Err(format!("a node touches no files, and `{}` names one", parameter.name)),
            }
        })
    })
}

/// What a controller hears while others measure.
pub(crate) fn waiting(holder: IpAddr, before: usize) -> AgentEvent {
    let others = match before {
        0 => String::new(),
        1 => ", and another waits before this one".to_owned(),
        n => format!(", and {n} others wait before this one"),
    };
    AgentEvent::Waiting { why: format!("the node measures for another controller, at {holder}{others}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::message::OpenOrder;
    use model::message::RendezvousAddress;
    use model::plan::FixtureKey;
    use model::setting::LayerPlace;
    use model::study::Pin;
    use model::trial::Timeline;
    use model::{ParameterName, Parameters, WorkloadName};

    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    const FROM: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    const FAR: TrialRole = TrialRole::Answers { rendezvous: None };

    fn judged(request: &Request) -> Result<Kind, String> {
        admit(&serde_json::to_vec(request).unwrap(), HERE, FROM, &Limits::default())
            .map(|admitted| admitted.kind)
    }

    /// A load of two ends, if this build has one.
    fn two_ends() -> Option<WorkloadName> {
        let catalogue = agent::catalogue();
        let all = catalogue.workloads.iter();
        all.map(|w| w.name).find(|name| workload::has_far_end(&LoadSpec::new(*name, Parameters::default())))
    }

    fn order(workload: WorkloadName, parameters: &[(&str, u64)], role: TrialRole) -> Request {
        let parameter =
            |(name, value): &(&str, u64)| Some((ParameterName::intern(name)?, Value::Integer(*value)));
        let load = LoadSpec::new(workload, parameters.iter().filter_map(parameter).collect());
        let interval_s = None;
        let order = TrialOrder {
            loads: vec![load],
            seed: 1,
            warm_up_s: 1.0,
            cut_least_s: 0.0,
            interval_s,
            pin: Pin::None,
            role,
            take_cpu: None,
            observe: Vec::new(),
            from_last: false,
            lines_s: None,
            log_operations: None,
        };
        Request::Trial(Box::new(order))
    }

    /// The same order in the form that has two ends, of loads that have another one too.
    fn of_two_ends(request: Request) -> Request {
        let Request::Trial(mut order) = request else { return request };
        let catalogue = agent::catalogue();
        for load in &mut order.loads {
            let url = catalogue.workload(load.workload).and_then(|spec| catalogue.parameter(spec, "url"));
            url.into_iter().for_each(|url| load.parameters.set(url.name, "peer"));
        }
        Request::Trial(order)
    }

    #[test]
    fn a_node_serves_content_of_its_memory_and_no_file() {
        let download = WorkloadName::new("http.download");
        let asked = |parameters: &[(&str, u64)]| of_two_ends(order(download, parameters, FAR));
        assert_eq!(judged(&asked(&[("answer", 1 << 40), ("streams", 8)])), Ok(Kind::Trial));
        assert_eq!(judged(&of_two_ends(order(WorkloadName::new("http.upload"), &[], FAR))), Ok(Kind::Trial));
        // What asks another server is no load of two ends.
        let alone = judged(&order(download, &[], FAR)).unwrap_err();
        assert!(alone.contains("has one end as it is asked for"), "{alone}");
        for path in ["target", "headers", "ca-file"] {
            let Request::Trial(mut order) = asked(&[]) else { unreachable!() };
            order.loads[0].parameters.set(ParameterName::intern(path).unwrap(), "/etc/passwd");
            let refused = judged(&Request::Trial(order)).unwrap_err();
            assert!(refused.contains("touches no files") && refused.contains(path), "{refused}");
        }
    }

    #[test]
    fn a_node_sends_the_files_that_it_was_started_for_and_no_others() {
        let asked = |path: Value| {
            let download = WorkloadName::new("http.download");
            let Request::Trial(mut order) = of_two_ends(order(download, &[], FAR)) else { unreachable!() };
            order.loads[0].parameters.set(ParameterName::intern("serve-file").unwrap(), path);
            let limits = Limits { files: vec!["/srv/big.iso".to_owned()], ..Limits::default() };
            let body = serde_json::to_vec(&Request::Trial(order)).unwrap();
            admit(&body, HERE, FROM, &limits).map(|admitted| admitted.kind)
        };
        assert_eq!(asked("/srv/big.iso".into()), Ok(Kind::Trial));
        let list = |path: &str| Value::List(vec![Value::from(path)]);
        for other in [
            "/etc/shadow".into(),
            "/srv/../etc/shadow".into(),
            "/srv//big.iso".into(),
            "/srv/big.iso/".into(),
            "".into(),
            list("/srv/big.iso"),
            Value::Integer(1),
        ] {
            let refused = asked(other).unwrap_err();
            assert!(refused.contains("was not started to send"), "{refused}");
        }
    }

    #[test]
    fn something_is_presented_of_what_the_node_was_started_for_and_where_the_controller_came_in() {
        let limits = Limits { presents: vec!["/srv".to_owned()], ..Limits::default() };
        let order = PresentOrder {
            stack: "loop > iscsi".to_owned(),
            targets: vec!["/srv".to_owned()],
            member_bytes: 1 << 30,
            listen: FROM,
        };
        let here = PresentOrder { listen: HERE, ..order.clone() };
        for (asked, seen, kind) in [
            (Request::LookAtPresented(order.clone()), Request::LookAtPresented(here.clone()), Kind::Ask),
            (Request::Present(order.clone()), Request::Present(here.clone()), Kind::Present),
            (Request::Watch(order.clone()), Request::Watch(here.clone()), Kind::Trial),
            (Request::Withdraw(order), Request::Withdraw(here), Kind::Withdraw),
        ] {
            let body = serde_json::to_vec(&asked).unwrap();
            let admitted = admit(&body, HERE, FROM, &limits).unwrap();
            assert_eq!(admitted.kind, kind);
            assert_eq!(serde_json::from_slice::<Request>(&admitted.frame[4..]).unwrap(), seen);
            // One that was started for nothing presents nothing.
            assert!(judged(&asked).unwrap_err().contains("was not started to present"));
        }
    }

    #[test]
    fn only_what_the_table_names_is_let_through() {
        let now_ns = clock::now_ns();
        let times = Timeline {
            start_ns: now_ns,
            window_ns: now_ns,
            interval_ns: 1_000_000,
            end_ns: now_ns + 1_000_000_000,
        };
        for (request, kind) in [
            (Request::Describe, Kind::Ask),
            (Request::Diagnose, Kind::Ask),
            (Request::Time, Kind::Ask),
            (Request::LookAtUse { window_s: 10.0 }, Kind::Ask),
            (Request::Begin(times), Kind::Begin),
            (Request::Cancel, Kind::Cancel),
            (Request::Finish, Kind::Finish),
        ] {
            assert_eq!(judged(&request), Ok(kind));
        }
        let survey = |destroy: Vec<String>| Request::Survey { cases: vec![], destroy, wipe: vec![] };
        assert_eq!(judged(&survey(vec![])), Ok(Kind::Ask));
        let fixtures: Vec<FixtureKey> = Vec::new();
        for refused in [
            survey(vec!["/dev/sda".to_owned()]),
            Request::Calibrate { loads: vec![] },
            Request::Begin(Timeline { interval_ns: 1, ..times }),
            Request::Survey { cases: vec![vec![]; CASES_MAX + 1], destroy: vec![], wipe: vec![] },
            Request::Prepare { fixtures: fixtures.clone() },
            Request::Release { fixtures },
        ] {
            assert!(judged(&refused).is_err(), "{refused:?}");
        }
        for body in [&b"null"[..], b"", b"{", b"\"shell\"", b"[1]", b"\xff\xfe", &[b'['; 10_000]] {
            assert!(admit(body, HERE, FROM, &Limits::default()).is_err());
        }
    }

    #[test]
    fn a_door_is_opened_where_the_controller_came_in_and_nowhere_else() {
        let order =
            Request::Open(OpenOrder { listen: "0.0.0.0".parse().unwrap(), near: None, loads: Vec::new() });
        let admitted = admit(&serde_json::to_vec(&order).unwrap(), HERE, FROM, &Limits::default()).unwrap();
        assert_eq!(admitted.kind, Kind::Open);
        let seen: Request = serde_json::from_slice(&admitted.frame[4..]).unwrap();
        assert_eq!(seen, Request::Open(OpenOrder { listen: HERE, near: None, loads: Vec::new() }));
        // The way back is the way to who asked.
        let near = Some("192.168.0.9".parse().unwrap());
        let order = Request::Open(OpenOrder { listen: HERE, near, loads: Vec::new() });
        let admitted = admit(&serde_json::to_vec(&order).unwrap(), HERE, FROM, &Limits::default()).unwrap();
        let seen: Request = serde_json::from_slice(&admitted.frame[4..]).unwrap();
        assert_eq!(seen, Request::Open(OpenOrder { listen: HERE, near: Some(FROM), loads: Vec::new() }));
    }

    #[test]
    fn settings_are_those_towards_the_controller_and_no_others() {
        let change = |resource: Option<&str>| Change {
            resource: resource.map(str::to_owned),
            peer: Some("b".to_owned()),
            towards: Some("192.0.2.1".parse().unwrap()),
            ..Change::new("mtu", Value::Integer(9000))
        };
        let set = |changes: Vec<Change>| Request::Set { changes };
        let admitted =
            admit(&serde_json::to_vec(&set(vec![change(None)])).unwrap(), HERE, FROM, &Limits::default())
                .unwrap();
        assert_eq!(admitted.kind, Kind::Set);
        let seen: Request = serde_json::from_slice(&admitted.frame[4..]).unwrap();
        assert_eq!(seen, set(vec![Change { towards: Some(FROM), ..change(None) }]));
        assert!(judged(&set(vec![change(Some("eth0"))])).unwrap_err().contains("mtu@eth0"));
        let under = Change { targets: vec!["/data".to_owned()], ..change(None) };
        assert!(judged(&set(vec![under])).unwrap_err().contains("towards its controller"));
        let place = LayerPlace { stack: "loop".to_owned(), targets: Vec::new(), layer: "loop".to_owned() };
        let of_layer = Change { layers: vec![place], ..change(None) };
        assert!(judged(&set(vec![of_layer])).unwrap_err().contains("towards its controller"));
        let elsewhere = Change { servers: vec!["192.0.2.7".to_owned()], ..change(None) };
        assert!(judged(&set(vec![elsewhere])).unwrap_err().contains("towards its controller"));
        assert!(judged(&set(vec![change(None); CHANGES_MAX + 1])).is_err());
        // Before it changes any it looks at the same, and at no others.
        let look = |change: Change| Request::LookAtSettings { changes: vec![change] };
        let admitted =
            admit(&serde_json::to_vec(&look(change(None))).unwrap(), HERE, FROM, &Limits::default()).unwrap();
        assert_eq!(admitted.kind, Kind::Ask);
        let seen: Request = serde_json::from_slice(&admitted.frame[4..]).unwrap();
        assert_eq!(seen, look(Change { towards: Some(FROM), ..change(None) }));
        assert!(judged(&look(change(Some("eth0")))).unwrap_err().contains("mtu@eth0"));
        assert_eq!(judged(&set(vec![])), Ok(Kind::PutBack));
        assert_eq!(judged(&Request::Restore), Ok(Kind::PutBack));
    }

    #[test]
    fn a_trial_is_a_far_end_of_a_load_with_two_ends_or_nothing() {
        let why = |request: Request| judged(&request).unwrap_err();
        assert!(
            why(order(WorkloadName::new("disk"), &[], TrialRole::Alone)).contains("only ever the far end")
        );
        assert!(why(order(WorkloadName::new("disk"), &[], FAR)).contains("has one end"));
        assert!(why(order(WorkloadName::new("cpu.primes"), &[], FAR)).contains("has one end"));
        assert!(why(order(WorkloadName::new("../sh"), &[], FAR)).contains("no workload"));
        let Some(name) = two_ends() else { return };
        assert_eq!(judged(&order(name, &[("streams", 8), ("buffer", 1 << 20)], FAR)), Ok(Kind::Trial));
        let (way, kind) = (BTreeMap::new(), RendezvousKind::Ours);
        let rendezvous =
            RendezvousAddress { address: HERE, tcp: 1, udp: 1, cookie: String::new(), way, kind };
        let near = TrialRole::Drives { rendezvous: Some(rendezvous.clone()), lead_ns: 1 };
        assert!(judged(&order(name, &[], near)).is_err());
        // It dials who asks, wherever it was told to go.
        let dials = |rendezvous: RendezvousAddress| {
            order(name, &[], TrialRole::Answers { rendezvous: Some(rendezvous) })
        };
        let admitted =
            admit(&serde_json::to_vec(&dials(rendezvous.clone())).unwrap(), HERE, FROM, &Limits::default())
                .unwrap();
        let seen: Request = serde_json::from_slice(&admitted.frame[4..]).unwrap();
        assert_eq!(seen, dials(RendezvousAddress { address: FROM, ..rendezvous.clone() }));
        assert!(
            why(dials(RendezvousAddress { kind: RendezvousKind::Iperf3, ..rendezvous }))
                .contains("nobody but its controller")
        );
        let catalogue = agent::catalogue();
        let two_ended = |w: &&&model::WorkloadSpec| catalogue.parameter_for(w, Aspect::Peer).is_some();
        for spec in catalogue.workloads.iter().filter(two_ended) {
            for parameter in catalogue.parameters(spec) {
                let (Some(most), called) = (parameter.remote_max, parameter.name.as_str()) else { continue };
                let asked = of_two_ends(order(spec.name, &[(called, most + 1)], FAR));
                assert!(why(asked).contains(called), "{}", spec.name);
            }
        }
        assert!(why(order(name, &[("hue", 1)], FAR)).contains("no parameter `hue`"));
        for time in ["duration", "idle", "cool-down"] {
            assert!(why(order(name, &[(time, 86_401)], FAR)).contains(time));
        }
        assert!(why(order(name, &[("latency-target", 1)], FAR)).contains("searches no rate"));
        let Request::Trial(mut many) = order(name, &[("streams", 1000)], FAR) else { unreachable!() };
        many.loads = vec![many.loads[0].clone(); 5];
        assert!(why(Request::Trial(many)).contains("5000 threads"));
        let Request::Trial(mut many) = order(name, &[], FAR) else { unreachable!() };
        many.loads = vec![many.loads[0].clone(); LOADS_MAX + 1];
        assert!(why(Request::Trial(many)).contains("16 loads"));
    }
}
