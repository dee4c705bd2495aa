//! A node that dials, and a run that waits for it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use model::message::{OpenOrder, Reply, Request};

use super::fixture::{PATIENCE, agent, describe, eventually, processes};
use crate::{
    DialError, Fingerprint, JoinString, Key, Limits, NodeAgent, NodeEvent, NodeIdentity, ReverseAccept,
    ReverseConnect, ReverseConnectEvent,
};
use agent::{Agent, AgentError, CallContext};

/// A run that waits.
struct Run {
    reception: Option<ReverseAccept>,
    join: JoinString,
    events: Arc<Mutex<Vec<NodeEvent>>>,
}

impl Run {
    fn new() -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&events);
        let tell = Box::new(move |event| heard.lock().unwrap().push(event));
        let at = "127.0.0.1:0".parse().unwrap();
        let reception = ReverseAccept::open(at, NodeIdentity::new().unwrap(), PATIENCE, tell).unwrap();
        let join = reception.join_strings()[0].clone();
        assert_eq!(reception.address().port(), join.port);
        Self { reception: Some(reception), join, events }
    }

    fn receive(&mut self) -> NodeAgent {
        let reception = self.reception.take().unwrap();
        NodeAgent::receive(reception, PATIENCE, &mut || true, Box::new(|| true)).unwrap()
    }

    fn tcp(&self) -> TcpStream {
        let tcp = TcpStream::connect(("127.0.0.1", self.join.port)).unwrap();
        tcp.set_read_timeout(Some(PATIENCE)).unwrap();
        tcp
    }
}

/// A node that dials, in a thread.
struct Dialler {
    events: Arc<Mutex<Vec<ReverseConnectEvent>>>,
    mark: String,
    stop: UnixStream,
    thread: Option<JoinHandle<Result<(), DialError>>>,
}

impl Dialler {
    fn new(join: &JoinString, once: bool) -> Self {
        let (agent, mark) = agent();
        let node = ReverseConnect { join: join.clone(), once, limits: Limits::default(), agent };
        let events = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&events);
        let (stop, theirs) = UnixStream::pair().unwrap();
        let tell = move |event| heard.lock().unwrap().push(event);
        let thread = std::thread::spawn(move || node.serve(theirs.as_fd(), &tell));
        Self { events, mark, stop, thread: Some(thread) }
    }

    fn tells(&self, what: &str, is: impl Fn(&ReverseConnectEvent) -> bool) {
        eventually(what, || self.events.lock().unwrap().iter().any(&is));
    }

    fn joins(&self) -> usize {
        self.events.lock().unwrap().iter().filter(|e| **e == ReverseConnectEvent::Joined).count()
    }

    fn ended(&mut self) -> Result<(), DialError> {
        let thread = self.thread.take().unwrap();
        eventually("the node ends", || thread.is_finished());
        thread.join().unwrap()
    }
}

impl Drop for Dialler {
    fn drop(&mut self) {
        let _ = self.stop.write_all(b"x");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        assert!(std::thread::panicking() || processes(&self.mark).is_empty());
    }
}

#[test]
fn a_node_that_dials_is_as_one_that_was_dialled() {
    let mut run = Run::new();
    let mut node = Dialler::new(&run.join, true);
    let mut agent = run.receive();
    let here = std::net::IpAddr::from([127, 0, 0, 1]);
    assert_eq!((agent.address(), agent.dials(), agent.place()), (here, Some(here), here.to_string()));
    assert!(!describe(&mut agent).unwrap().is_empty());
    assert_eq!(processes(&node.mark).len(), 1);
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    let order = OpenOrder { listen: "192.0.2.1".parse().unwrap(), near: None, loads: Vec::new() };
    let Reply::Open(rendezvous) = agent.call(Request::Open(order), &mut watch).unwrap() else { panic!() };
    assert_eq!(rendezvous.address, here);
    // What a node never does it does not do here either.
    let refused = agent.call(Request::Calibrate { loads: Vec::new() }, &mut watch).unwrap();
    assert!(matches!(&refused, Reply::Failed { reason } if reason.contains("no load of its own")));
    drop(agent);
    assert!(node.ended().is_ok());
    assert!(processes(&node.mark).is_empty());
    node.tells("done", |event| matches!(event, ReverseConnectEvent::Went { why } if why == "it is done"));
    let events = run.events.lock().unwrap();
    assert!(matches!(&events[..], [NodeEvent::Came { from, .. }] if *from == here), "{events:?}");
}

#[test]
fn who_has_not_the_whole_string_gets_nothing_and_the_run_waits_on() {
    let mut run = Run::new();
    let wait = std::thread::spawn({
        let reception = run.reception.take().unwrap();
        move || NodeAgent::receive(reception, PATIENCE, &mut || true, Box::new(|| true)).unwrap()
    });
    let wrong = JoinString { key: Key::random().unwrap(), ..run.join.clone() };
    let error = Dialler::new(&wrong, false).ended().unwrap_err();
    assert!(matches!(error, DialError::WrongKey(_)) && error.at_node().contains("the run at"), "{error}");
    let wrong = JoinString { fingerprint: Fingerprint([7; 32]), ..run.join.clone() };
    let error = Dialler::new(&wrong, false).ended().unwrap_err();
    assert!(matches!(error, DialError::Other(_)) && error.at_node().contains("was not sent"), "{error}");
    // A controller with the right string: both would wait for requests.
    let error = NodeAgent::dial(run.join.clone(), PATIENCE).unwrap_err();
    assert!(matches!(error, DialError::Alike { .. }) && error.to_string().contains("--join"), "{error}");
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4096], &[0xff; 70_000]] {
        let mut tcp = run.tcp();
        let _ = tcp.write_all(bytes);
        let _ = tcp.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = tcp.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.len() == 7 && answer[0] == 21, "{answer:?}");
    }
    // One that says nothing holds up nobody.
    let _idle = run.tcp();
    assert!(!wait.is_finished());
    let _node = Dialler::new(&run.join, true);
    let mut agent = wait.join().unwrap();
    assert!(describe(&mut agent).is_ok());
    let events = run.events.lock().unwrap();
    for why in ["the key is not this run's", "waits there for its node", "spoke something else"] {
        let is = |e: &NodeEvent| matches!(e, NodeEvent::Refused { why: w, .. } if w.contains(why));
        assert!(events.iter().any(is), "{why}: {events:?}");
    }
}

/// Bug: as many connections as there are places for, and the node was not heard.
#[test]
fn strangers_that_say_nothing_do_not_keep_the_node_from_its_run() {
    let mut run = Run::new();
    let _crowd: Vec<_> = (0..2 * Limits::default().strangers).map(|_| run.tcp()).collect();
    let _node = Dialler::new(&run.join, true);
    let mut agent = run.receive();
    assert!(describe(&mut agent).is_ok());
}

#[test]
fn a_node_that_waits_and_one_that_dials_do_not_meet() {
    let fixture = super::fixture::Fixture::new();
    let error = Dialler::new(&fixture.join, false).ended().unwrap_err();
    assert!(matches!(error, DialError::Alike { .. }) && error.to_string().contains("--peer"), "{error}");
    fixture.serves();
}

#[test]
fn a_connection_that_was_cut_comes_about_again() {
    let mut run = Run::new();
    let node = Dialler::new(&run.join, false);
    let mut agent = run.receive();
    describe(&mut agent).unwrap();
    agent.cutter().shutdown(Shutdown::Both).unwrap();
    node.tells("gone", |event| matches!(event, ReverseConnectEvent::Went { .. }));
    assert!(describe(&mut agent).is_ok());
    assert_eq!(node.joins(), 2);
}

#[test]
fn one_joins_and_another_is_told_so_until_it_has_gone() {
    let mut run = Run::new();
    let mut first = Dialler::new(&run.join, true);
    let mut agent = run.receive();
    let second = Dialler::new(&run.join, false);
    second.tells("it waits", |event| {
        matches!(event, ReverseConnectEvent::Waits { why, .. } if why.contains("another node has joined it"))
    });
    agent.cutter().shutdown(Shutdown::Both).unwrap();
    assert!(first.ended().is_ok());
    // What is lost first shows at the next request, and then the other is there.
    eventually("the other serves", || describe(&mut agent).is_ok());
    assert_eq!(second.joins(), 1);
}

#[test]
fn where_no_run_waits_a_node_tries_again_until_one_does_or_it_is_told_to_end() {
    let mut run = Run::new();
    let join = run.join.clone();
    run.reception = None;
    let node = Dialler::new(&join, false);
    node.tells("it waits", |event| {
        matches!(event, ReverseConnectEvent::Waits { why, every } if why.contains("no run waits there now") && every.as_secs() == 5)
    });
    // Told once, however often it tries.
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(node.events.lock().unwrap().len(), 1);
    drop(node);
}

#[test]
fn a_wait_ends_with_its_time_or_when_it_is_told_to() {
    let mut run = Run::new();
    let reception = run.reception.take().unwrap();
    let none = NodeAgent::receive(reception, Duration::from_millis(50), &mut || true, Box::new(|| true));
    assert!(none.is_none());
    assert!(TcpStream::connect(("127.0.0.1", run.join.port)).is_err(), "it listens no more");
    let reception = Run::new().reception.take().unwrap();
    assert!(NodeAgent::receive(reception, PATIENCE, &mut || false, Box::new(|| true)).is_none());
}

#[test]
fn a_node_that_does_not_come_again_is_named_with_its_address() {
    let mut run = Run::new();
    let mut node = Dialler::new(&run.join, true);
    let reception = run.reception.take().unwrap();
    let goes_on = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let asked = Arc::clone(&goes_on);
    let asks = Box::new(move || asked.load(std::sync::atomic::Ordering::Relaxed));
    let mut agent = NodeAgent::receive(reception, PATIENCE, &mut || true, asks).unwrap();
    agent.cutter().shutdown(Shutdown::Both).unwrap();
    node.ended().unwrap();
    // A person who stops the run need not wait for it.
    goes_on.store(false, std::sync::atomic::Ordering::Relaxed);
    let error = loop {
        match describe(&mut agent) {
            Err(AgentError::Died(why)) => assert!(why.contains("127.0.0.1 was lost"), "{why}"),
            other => break other.unwrap_err(),
        }
    };
    assert_eq!(error, AgentError::Cancelled);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_node_that_stays_away_is_waited_for_once_and_served_when_it_comes() {
    let mut run = Run::new();
    let mut node = Dialler::new(&run.join, true);
    let mut agent = run.receive();
    agent.cutter().shutdown(Shutdown::Both).unwrap();
    node.ended().unwrap();
    eventually("it is gone", || !agent.lives());
    let began = std::time::Instant::now();
    for _ in 0..30 {
        let error = describe(&mut agent).unwrap_err();
        assert!(matches!(error, AgentError::Died(_) | AgentError::Unreachable(_)), "{error}");
    }
    // Each of them waiting would be 300 s.
    assert!(began.elapsed().as_secs() < 100, "{:?}", began.elapsed());
    let later = Dialler::new(&run.join, false);
    eventually("it is served", || describe(&mut agent).is_ok());
    assert!(agent.lives());
    drop(later);
}
