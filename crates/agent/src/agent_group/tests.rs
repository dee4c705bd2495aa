//! Two agents that are played: who is told what, and whose failure is told.

use engine::clock;
use model::study::Pin;
use model::trial::{LoadTrial, TrialResult};
use model::{ParameterName, Parameters, WorkloadName};

use super::*;

/// Answers what it is told to; to a trial with nothing, until it is cancelled.
struct ScriptedAgent {
    trial: Option<Reply>,
    /// What it tells before.
    event: Option<AgentEvent>,
    asked: std::sync::Arc<std::sync::Mutex<Vec<Request>>>,
}

impl Agent for ScriptedAgent {
    fn call(&mut self, request: Request, watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        self.asked.lock().unwrap().push(request.clone());
        match request {
            Request::Time => Ok(Reply::Time(clock::now_ns())),
            Request::Open(order) => {
                let (cookie, way, kind) = ("00".repeat(16), BTreeMap::new(), RendezvousKind::Ours);
                Ok(Reply::Open(RendezvousAddress {
                    address: order.listen,
                    tcp: 1,
                    udp: 2,
                    cookie,
                    way,
                    kind,
                }))
            }
            Request::Trial(_) => match self.trial.clone() {
                Some(reply) => {
                    self.event.take().into_iter().for_each(|event| (watch.on_event)(event));
                    Ok(reply)
                }
                None => {
                    while !(watch.cancelled)() {
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                    Err(AgentError::Cancelled)
                }
            },
            _ => Ok(Reply::Done),
        }
    }

    fn out_of_band(&mut self) -> Result<OutOfBand, AgentError> {
        Ok(Box::new(|_| Ok(())))
    }
}

/// What comes of a trial, and what each end was asked.
fn trial(ends: [Option<Reply>; 2], dials: Option<IpAddr>) -> (Result<Reply, AgentError>, [Vec<Request>; 2]) {
    told(ends, dials, None)
}

/// The same, with what the near end tells meanwhile.
fn told(
    [near, far]: [Option<Reply>; 2],
    dials: Option<IpAddr>,
    event: Option<AgentEvent>,
) -> (Result<Reply, AgentError>, [Vec<Request>; 2]) {
    let asked = [(); 2].map(|()| std::sync::Arc::default());
    let play = |trial, end: usize, event| {
        Box::new(ScriptedAgent { trial, event, asked: std::sync::Arc::clone(&asked[end]) })
    };
    let far = FarEnd {
        agent: play(far, 1, None),
        address: "127.0.0.1".parse().unwrap(),
        dials,
        machine: Some("b".to_owned()),
    };
    let mut pair = AgentGroup::new(play(near, 0, event), BTreeMap::from([("b".to_owned(), far)]));
    let mut parameters = Parameters::default();
    parameters.set(ParameterName::new("peer"), "b");
    let order = TrialOrder {
        loads: vec![LoadSpec {
            profile: Some(model::LoadProfile::default()),
            ..LoadSpec::new(WorkloadName::new("net.stream"), parameters)
        }],
        seed: 1,
        warm_up_s: 0.1,
        interval_s: None,
        cut_least_s: 0.0,
        pin: Pin::None,
        role: TrialRole::Alone,
        take_cpu: None,
        observe: Vec::new(),
        from_last: false,
        lines_s: None,
        log_operations: None,
    };
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    let outcome = pair.call(Request::Trial(Box::new(order)), &mut watch);
    (outcome, asked.map(|asked| asked.lock().unwrap().clone()))
}

fn failed(reason: &str) -> Option<Reply> {
    Some(Reply::Failed { reason: reason.to_owned() })
}

#[test]
fn regression_a_far_end_that_failed_first_passed_for_a_person_who_stopped_the_run() {
    let (outcome, _) = trial([None, failed("no port")], None);
    assert_eq!(outcome, Err(AgentError::Failed("the other end: no port".to_owned())));
}

#[test]
fn regression_a_far_end_was_left_waiting_for_a_near_one_that_had_failed() {
    let (outcome, _) = trial([failed("no window"), None], None);
    assert_eq!(outcome, Err(AgentError::Failed("no window".to_owned())));
}

/// Bug: where large packets vanished, the reason had no word of it.
#[test]
fn a_trial_that_fails_over_a_narrow_path_has_that_in_its_reason() {
    let narrow = Some(AgentEvent::Narrow { route: 1500, carried: 1400 });
    for ends in [[failed("silence"), None], [failed("silence"), failed("silence")]] {
        let (outcome, _) = told(ends, None, narrow.clone());
        let Err(AgentError::Failed(why)) = outcome else { panic!("{outcome:?}") };
        assert!(why.contains("silence") && why.contains("packets of 1500 bytes do not reach"), "{why}");
    }
}

/// Bug: a node in a namespace of this machine had its receiver on the CPU of the sender.
#[test]
fn two_ends_of_one_kernel_begin_at_different_cpus() {
    let (_, [near, far]) = trial([failed("a"), None], None);
    let from_last = |asked: &[Request]| {
        let orders = asked.iter().filter_map(|request| match request {
            Request::Trial(order) => Some(order.from_last),
            _ => None,
        });
        orders.collect::<Vec<_>>()
    };
    assert_eq!((from_last(&near), from_last(&far)), (vec![true], vec![false]));
    // The end that drives watches the machine nevertheless: nobody else does.
    let watched_there = near.iter().any(|request| match request {
        Request::Trial(order) => crate::trial::is_watched_there(order),
        _ => false,
    });
    assert!(!watched_there);
}

/// A profile may have words that only the area of the load knows, and a node reads no new ones.
#[test]
fn the_other_end_is_asked_without_the_profile() {
    let (_, [near, far]) = trial([failed("a"), None], None);
    let profiles = |asked: &[Request]| {
        let loads = asked.iter().filter_map(|request| match request {
            Request::Open(order) => Some(&order.loads),
            Request::Trial(order) => Some(&order.loads),
            _ => None,
        });
        loads.flatten().map(|load| load.profile.is_some()).collect::<Vec<_>>()
    };
    assert_eq!((profiles(&near), profiles(&far)), (vec![true], vec![false, false]));
}

#[test]
fn the_end_that_cannot_be_reached_goes_to_a_door_of_the_other() {
    let orders = |asked: &[Request]| {
        let opens = asked.iter().filter_map(|r| match r {
            Request::Open(order) => Some(order.listen),
            _ => None,
        });
        let ends = asked.iter().filter_map(|r| match r {
            Request::Trial(order) => Some(order.role.clone()),
            _ => None,
        });
        (opens.collect::<Vec<_>>(), ends.collect::<Vec<_>>())
    };
    let (there, here): (IpAddr, IpAddr) = ("127.0.0.1".parse().unwrap(), "127.0.0.9".parse().unwrap());
    let is_at = |rendezvous: &Option<RendezvousAddress>, at: IpAddr| {
        rendezvous.as_ref().is_some_and(|rendezvous| rendezvous.address == at)
    };
    let (_, [near, far]) = trial([failed("a"), None], None);
    let ((opened, near), (opens, far)) = (orders(&near), orders(&far));
    assert_eq!((opened, opens), (vec![], vec![there]));
    assert!(
        matches!(&near[..], [TrialRole::Drives { rendezvous, .. }] if is_at(rendezvous, there)),
        "{near:?}"
    );
    assert_eq!(far, [TrialRole::Answers { rendezvous: None }]);
    // It has its turn by a rendezvous address of its own all the same.
    let (_, [near, far]) = trial([failed("a"), None], Some(here));
    let ((opened, near), (opens, far)) = (orders(&near), orders(&far));
    assert_eq!((opened, opens), (vec![here], vec![there]));
    assert!(matches!(&near[..], [TrialRole::Drives { rendezvous: None, .. }]), "{near:?}");
    assert!(matches!(&far[..], [TrialRole::Answers { rendezvous }] if is_at(rendezvous, here)), "{far:?}");
}

/// Bug: what a stream beside another carried stood only where it arrived, so that a proof thought
/// that it had taken nothing.
#[test]
fn a_load_beside_has_what_its_other_end_counted() {
    use model::{MetricName, Quantity, Unit, metric};
    let mut parameters = Parameters::default();
    for (name, value) in [("peer", "b"), ("direction", "send"), ("protocol", "tcp")] {
        parameters.set(ParameterName::new(name), value);
    }
    let spec = |name: &'static str| LoadSpec::new(WorkloadName::new(name), parameters.clone());
    let order = TrialOrder {
        // The far end is asked for the first and the last.
        loads: vec![spec("net.stream"), spec("cpu.primes"), spec("net.stream")],
        seed: 1,
        warm_up_s: 0.1,
        interval_s: None,
        cut_least_s: 0.0,
        pin: Pin::None,
        role: TrialRole::Alone,
        take_cpu: None,
        observe: Vec::new(),
        from_last: false,
        lines_s: None,
        log_operations: None,
    };
    let result = |name: MetricName, rates: &[(usize, f64)]| {
        let load = |(place, rate): &(usize, f64)| {
            let rate = Quantity { value: *rate, unit: Unit::BytesPerSecond };
            LoadTrial { metrics: [(name, rate)].into(), ..LoadTrial::of(*place, model::trial::LOCAL) }
        };
        let window = Some(model::trial::Window { start_ns: 1, end_ns: 1_000_000_001 });
        TrialResult { window, loads: rates.iter().map(load).collect(), ..TrialResult::default() }
    };
    let mut near = result(metric::SENDER_THROUGHPUT, &[(0, 101.0), (1, 7.0), (2, 51.0)]);
    let far = result(metric::THROUGHPUT, &[(0, 100.0), (1, 50.0)]);
    merge(&order, &mut near, far, Some("b"), Offset { ns: 0, uncertainty_ns: 1 }).unwrap();
    let arrived = |place: usize| Some(near.load(place)?.metrics.get(&metric::THROUGHPUT)?.value);
    assert_eq!([arrived(0), arrived(1), arrived(2)], [Some(100.0), None, Some(50.0)]);
    let there: Vec<usize> = near.loads.iter().filter(|l| l.machine == "b").map(|l| l.load).collect();
    assert_eq!((there, near.loads.len()), (vec![0, 2], 5));
}

#[test]
fn files_are_the_near_end_s_and_a_load_on_another_server_is_its_alone() {
    let load = |url: &str| {
        let mut parameters = Parameters::default();
        let given = [("url", url), ("peer", "b"), ("target", "/data"), ("move", "splice")];
        for (name, value) in given.into_iter().chain([("serve-file", "/srv/big.iso")]) {
            parameters.set(ParameterName::intern(name).unwrap(), value);
        }
        LoadSpec::new(WorkloadName::new("http.download"), parameters)
    };
    let theirs = two_ended(&[load("http://web1/"), load("peer"), load("self")]);
    let names: Vec<String> = theirs[0].parameters.iter().map(|(name, _)| name.to_string()).collect();
    let known = ["move", "peer", "serve-file", "url"];
    assert_eq!((theirs.len(), names), (1, known.map(str::to_owned).to_vec()));
}
