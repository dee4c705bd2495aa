//! One measures at a time.

use std::time::Duration;

use model::message::{FromAgent, OpenOrder, Reply, Request, TrialOrder, TrialRole};
use model::plan::LoadSpec;
use model::study::Pin;
use model::{AgentEvent, ParameterName, Parameters, WorkloadName};

use super::fixture::{Fixture, Raw};

fn open() -> Request {
    Request::Open(OpenOrder { listen: "127.0.0.1".parse().unwrap(), near: None, loads: Vec::new() })
}

fn waits(raw: &mut Raw) -> String {
    match raw.hear() {
        Some(FromAgent::Event(AgentEvent::Waiting { why })) => why,
        other => panic!("{other:?}"),
    }
}

fn opened(raw: &mut Raw) {
    let heard = raw.hear();
    assert!(matches!(heard, Some(FromAgent::Reply(Reply::Open(_)))), "{heard:?}");
}

#[test]
fn others_wait_until_the_one_that_measures_is_done() {
    let fixture = Fixture::new();
    let [mut first, mut second, mut third] = [fixture.raw(), fixture.raw(), fixture.raw()];
    first.ask(&open());
    opened(&mut first);
    second.ask(&open());
    assert_eq!(waits(&mut second), "the node measures for another controller, at 127.0.0.1");
    third.ask(&open());
    assert!(waits(&mut third).ends_with("and another waits before this one"));
    // Who waits may give up, and ask for other things meanwhile.
    second.ask(&Request::Cancel);
    assert_eq!(second.hear(), Some(FromAgent::Reply(Reply::Cancelled)));
    second.ask(&Request::Time);
    assert!(matches!(second.hear(), Some(FromAgent::Reply(Reply::Time(_)))));
    // A rendezvous address anew is no second turn.
    first.ask(&open());
    opened(&mut first);
    first.ask(&Request::Finish);
    assert_eq!(first.hear(), None);
    opened(&mut third);
    second.ask(&open());
    waits(&mut second);
    drop(third);
    opened(&mut second);
}

#[test]
fn a_door_without_a_trial_keeps_nobody_waiting_for_long() {
    let fixture = Fixture::with(|options| options.limits.rendezvous = Duration::from_millis(300));
    let [mut first, mut second] = [fixture.raw(), fixture.raw()];
    first.ask(&open());
    opened(&mut first);
    second.ask(&open());
    waits(&mut second);
    opened(&mut second);
    // Its rendezvous address does not count any more; with a build that has loads of two ends
    // the trial would be refused for that, else for its load.
    first.ask(&open());
    waits(&mut first);
}

#[test]
fn who_waits_hears_so_now_and_then() {
    let fixture = Fixture::with(|options| options.limits.waiting = Duration::from_millis(100));
    let [mut first, mut second] = [fixture.raw(), fixture.raw()];
    first.ask(&open());
    opened(&mut first);
    second.ask(&open());
    for _ in 0..3 {
        waits(&mut second);
    }
}

/// Bug: a controller could ask of a far end what no person may ask of a load.
#[test]
fn a_far_end_is_asked_for_nothing_that_would_fill_its_memory() {
    for (workload, parameter, value) in
        [("net.pingpong", "message-size", 1_u64 << 45), ("net.stream", "buffer", 1 << 45)]
    {
        let fixture = Fixture::new();
        let mut raw = fixture.raw();
        raw.ask(&open());
        opened(&mut raw);
        let mut parameters = Parameters::default();
        parameters.set(ParameterName::new(parameter), value);
        let order = TrialOrder {
            loads: vec![LoadSpec::new(WorkloadName::new(workload), parameters)],
            seed: 1,
            warm_up_s: 0.0,
            interval_s: None,
            cut_least_s: 0.0,
            pin: Pin::None,
            role: TrialRole::Answers { rendezvous: None },
            take_cpu: None,
            observe: Vec::new(),
            from_last: false,
            lines_s: None,
            log_operations: None,
        };
        raw.ask(&Request::Trial(Box::new(order)));
        match raw.hear() {
            Some(FromAgent::Reply(Reply::Failed { reason })) => {
                assert!(reason.contains("memory") || reason.contains(parameter), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
}
