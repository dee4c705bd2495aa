//! Both ends while all is well, and when one of them dies.

use std::net::Shutdown;
use std::time::Duration;

use model::AgentEvent;
use model::message::{FromAgent, OpenOrder, Reply, Request};

use rustix::process::{Pid, Signal, kill_process};

use super::fixture::{Fixture, describe, eventually};
use crate::NodeEvent;
use agent::{Agent, AgentError, CallContext};

fn went(fixture: &Fixture, why: &str) {
    fixture.tells(why, |event| matches!(event, NodeEvent::Went { why: w, .. } if w.contains(why)));
}

fn kill(process: i32) {
    kill_process(Pid::from_raw(process).unwrap(), Signal::KILL).unwrap();
}

fn stop(process: i32) {
    kill_process(Pid::from_raw(process).unwrap(), Signal::STOP).unwrap();
    eventually("it is stopped", || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.starts_with('T')
    });
}

#[test]
fn a_controller_with_the_key_is_answered_and_leaves_nothing() {
    let fixture = Fixture::new();
    let mut agent = fixture.dial().unwrap();
    assert_eq!(agent.address(), std::net::IpAddr::from([127, 0, 0, 1]));
    assert!(fixture.processes().is_empty(), "nothing is started before something is asked");
    let here = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(describe(&mut agent).unwrap(), here.trim());
    let processes = fixture.processes();
    assert_eq!(processes.len(), 1);
    let bounds = std::fs::read_to_string(format!("/proc/{}/limits", processes[0])).unwrap();
    let memory = bounds.lines().find(|line| line.starts_with("Max data size")).unwrap();
    assert_eq!(memory.split_whitespace().nth(3), Some("4294967296"));
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    let before = engine::clock::now_ns();
    let Reply::Time(there) = agent.call(Request::Time, &mut watch).unwrap() else { panic!() };
    assert!((before..=engine::clock::now_ns()).contains(&there));
    agent.finish();
    // It waits for the node, so this needs no patience.
    assert!(fixture.processes().is_empty());
    went(&fixture, "it is done");
    // The next request makes a connection anew.
    assert!(describe(&mut agent).is_ok());
}

#[test]
fn a_door_is_where_the_controller_came_in() {
    let fixture = Fixture::new();
    let mut agent = fixture.dial().unwrap();
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    let order = OpenOrder { listen: "192.0.2.1".parse().unwrap(), near: None, loads: Vec::new() };
    let Reply::Open(rendezvous) = agent.call(Request::Open(order), &mut watch).unwrap() else { panic!() };
    assert_eq!((rendezvous.address, rendezvous.cookie.len()), (agent.address(), 32));
    assert!(std::net::TcpStream::connect((rendezvous.address, rendezvous.tcp)).is_ok());
}

#[test]
fn an_agents_process_that_is_killed_fails_what_it_did_and_another_follows() {
    let fixture = Fixture::new();
    let mut raw = fixture.raw();
    // The request may come to the node only after its process is dead, and then
    // another answers: once more.
    for _ in 0..50 {
        raw.ask(&Request::Time);
        assert!(matches!(raw.hear(), Some(FromAgent::Reply(Reply::Time(_)))));
        let process = fixture.processes()[0];
        // Stopped, it cannot answer before it is dead.
        stop(process);
        raw.ask(&Request::Time);
        std::thread::sleep(Duration::from_millis(20));
        kill(process);
        match raw.hear() {
            Some(FromAgent::Reply(Reply::Time(_))) => {}
            Some(FromAgent::Reply(Reply::Failed { reason })) => {
                assert!(reason.contains("SIGKILL"), "{reason}");
                raw.ask(&Request::Time);
                assert!(matches!(raw.hear(), Some(FromAgent::Reply(Reply::Time(_)))));
                assert_ne!(fixture.processes(), [process]);
                return;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the request never came in time");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_agents_process_that_is_stopped_fails_what_it_did_and_another_follows() {
    let fixture = Fixture::with(|options| options.limits.stuck = Duration::from_secs(3));
    let mut raw = fixture.raw();
    raw.ask(&Request::Time);
    assert!(matches!(raw.hear(), Some(FromAgent::Reply(Reply::Time(_)))));
    let process = fixture.processes()[0];
    stop(process);
    raw.ask(&Request::Time);
    let Some(FromAgent::Reply(Reply::Failed { reason })) = raw.hear() else { panic!() };
    assert!(reason.contains("no sign of life for 3 s"), "{reason}");
    eventually("it is ended", || fixture.processes().is_empty());
    raw.ask(&Request::Time);
    assert!(matches!(raw.hear(), Some(FromAgent::Reply(Reply::Time(_)))));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_node_that_says_nothing_for_too_long_is_given_up_and_one_that_lives_is_not() {
    let fixture = Fixture::new();
    let agent = fixture.dial().unwrap();
    agent.bears(Duration::from_secs(4));
    // It has nothing to say but that it lives.
    std::thread::sleep(Duration::from_secs(5));
    assert!(agent.is_connected());
    // Shorter than the time between its words.
    agent.bears(Duration::from_millis(100));
    eventually("it is given up", || !agent.is_connected());
}

#[test]
fn a_controller_that_vanishes_leaves_no_process() {
    let fixture = Fixture::new();
    let mut raw = fixture.raw();
    raw.ask(&Request::Time);
    assert!(raw.hear().is_some());
    assert_eq!(fixture.processes().len(), 1);
    raw.0.0.tcp().shutdown(Shutdown::Both).unwrap();
    eventually("the agent's process is gone", || fixture.processes().is_empty());
    went(&fixture, "it closed the connection");
    fixture.serves();
}

#[test]
fn a_controller_that_says_nothing_for_too_long_is_gone() {
    let fixture = Fixture::with(|options| options.limits.silence = Duration::from_millis(300));
    let mut raw = fixture.raw();
    let Some(FromAgent::Reply(Reply::Failed { reason })) = raw.hear() else { panic!() };
    assert!(reason.contains("nothing was heard"), "{reason}");
    assert_eq!(raw.hear(), None);
    went(&fixture, "nothing was heard");
}

#[test]
fn a_connection_that_breaks_fails_the_request_at_once() {
    let fixture = Fixture::new();
    let holder = &mut fixture.dial().unwrap();
    let listen = std::net::IpAddr::from([127, 0, 0, 1]);
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    holder.call(Request::Open(OpenOrder { listen, near: None, loads: Vec::new() }), &mut watch).unwrap();
    // The second one waits for its turn while its connection is cut.
    let mut second = fixture.dial().unwrap();
    let cut = second.cutter();
    let mut hear = |event| {
        assert!(matches!(event, AgentEvent::Waiting { .. }));
        cut.shutdown(Shutdown::Both).unwrap();
    };
    let mut watch = CallContext { on_event: &mut hear, cancelled: &|| false };
    let error = second
        .call(Request::Open(OpenOrder { listen, near: None, loads: Vec::new() }), &mut watch)
        .unwrap_err();
    assert!(matches!(&error, AgentError::Died(why) if why.contains("was lost: ")), "{error}");
    assert!(describe(&mut second).is_ok());
}

#[test]
fn a_node_that_is_told_to_end_ends_with_all_its_sessions() {
    let mut fixture = Fixture::new();
    let mut agent = fixture.dial().unwrap();
    describe(&mut agent).unwrap();
    let _stranger = fixture.tcp();
    assert_eq!(fixture.processes().len(), 1);
    fixture.stop();
    assert!(fixture.processes().is_empty());
    eventually("the connection is seen to be closed", || !agent.is_connected());
    let error = describe(&mut agent).unwrap_err();
    assert!(matches!(&error, AgentError::Unreachable(why) if why.contains("nobody listens")), "{error}");
}

#[test]
fn a_node_for_one_session_ends_after_it() {
    let mut fixture = Fixture::with(|options| options.once = true);
    // PendingConnections are no session.
    drop(fixture.tcp());
    let mut agent = fixture.dial().unwrap();
    describe(&mut agent).unwrap();
    let error = fixture.dial().unwrap_err();
    assert!(error.to_string().contains("serves one session only"), "{error}");
    drop(agent);
    fixture.ended();
}
