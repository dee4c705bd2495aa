//! Who does not know the key, speaks something else, or asks for what a node
//! does not do: each gets a closed connection or a refusal, and the node goes on.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use model::message::{FromAgent, Reply, Request};

use super::fixture::{Fixture, Raw};
use crate::dial::introduce;
use crate::handshake::{Dialer, HandshakeRequest, PROTOCOL};
use crate::{Allow, DialError, Fingerprint, JoinString, Key, Limits, NodeAgent, NodeEvent};
use agent::wire;

const SHORT: Duration = Duration::from_millis(300);

fn refused(fixture: &Fixture, why: &str) {
    fixture.tells(why, |event| matches!(event, NodeEvent::Refused { why: w, .. } if w.contains(why)));
}

#[test]
fn a_wrong_key_a_wrong_certificate_and_another_version_are_told_apart() {
    let fixture = Fixture::new();
    let dial = |join: &JoinString| NodeAgent::dial(join.clone(), SHORT).unwrap_err();
    let wrong_key = JoinString { key: Key::random().unwrap(), ..fixture.join.clone() };
    assert!(matches!(dial(&wrong_key), DialError::WrongKey(_)));
    refused(&fixture, "the key is not this node's");
    let other = JoinString { fingerprint: Fingerprint([7; 32]), ..fixture.join.clone() };
    let error = dial(&other);
    assert!(matches!(error, DialError::Other(_)), "{error}");
    let hello = |headroom| {
        let (program, key) = ("9.0".to_owned(), fixture.join.key.secret());
        let hello = HandshakeRequest { headroom, program, key, joins: false };
        introduce(fixture.tcp(), &fixture.join, &wire::frame(&hello).unwrap(), None).map(|_| ())
    };
    let error = hello(PROTOCOL + 1).unwrap_err();
    assert!(matches!(error, DialError::Version { protocol: PROTOCOL, .. }), "{error}");
    refused(&fixture, &format!("the controller headroom 9.0 (protocol {})", PROTOCOL + 1));
    assert!(hello(PROTOCOL).is_ok());
    fixture.serves();
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_speaks_something_else_gets_an_alert_of_tls_at_most() {
    let fixture = Fixture::with(|options| options.limits.stranger = Duration::from_secs(1));
    let garbage: [&[u8]; 4] =
        [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"SSH-2.0-x\r\n", &[0; 4096], &[0xff; 70_000]];
    for bytes in garbage {
        let mut tcp = fixture.tcp();
        let _ = tcp.write_all(bytes);
        let mut answer = Vec::new();
        let _ = tcp.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.len() == 7 && answer[0] == 21, "{answer:?}");
    }
    refused(&fixture, "it spoke something else");
    // Nothing, half a record of TLS, a byte now and then: over after a while.
    for bytes in [&b""[..], &[22, 3, 1, 2, 0, 1]] {
        let mut tcp = fixture.tcp();
        tcp.write_all(bytes).unwrap();
        assert_eq!(tcp.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
    let mut tcp = fixture.tcp();
    for byte in [22, 3, 1, 2, 0, 1, 0, 1].iter().cycle().take(1000) {
        if tcp.write_all(&[*byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!matches!(tcp.read(&mut [0; 64]), Ok(1..)), "it listened for ten seconds");
    refused(&fixture, "did not show the key in time");
    fixture.tcp().shutdown(Shutdown::Both).unwrap();
    refused(&fixture, "it went without showing the key");
    fixture.serves();
}

#[test]
fn within_tls_too_nothing_is_heard_before_the_key() {
    let fixture = Fixture::with(|options| options.limits.stranger = Duration::from_secs(1));
    let hello = HandshakeRequest::frame(&fixture.join.key, Dialer::Controller).unwrap();
    let huge = [&(1_u32 << 30).to_le_bytes()[..], &[0; 100]].concat();
    let long = [&2000_u32.to_le_bytes()[..], &[b' '; 2000]].concat();
    let request = wire::frame(&Request::Describe).unwrap();
    for bytes in [&huge, &long, &request, &hello[..20].to_vec(), &vec![0; 4]] {
        let error = introduce(fixture.tcp(), &fixture.join, bytes, None).map(|_| ()).unwrap_err();
        assert!(matches!(error, DialError::Closed(_)), "{error}");
    }
    refused(&fixture, "1024 are the most");
    refused(&fixture, "its first word was no greeting");
    assert!(fixture.processes().is_empty());
    fixture.serves();
}

fn failed(raw: &mut Raw) -> String {
    match raw.hear() {
        Some(FromAgent::Reply(Reply::Failed { reason })) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_node_does_not_do_is_answered_and_what_none_says_ends_the_session() {
    let fixture = Fixture::with(|options| options.limits.slow = SHORT);
    let mut raw = fixture.raw();
    raw.ask(&Request::Calibrate { loads: Vec::new() });
    assert!(failed(&mut raw).contains("runs no load of its own"));
    raw.say(&[3, 0, 0, 0, b'"', b'x', b'"']);
    assert!(failed(&mut raw).contains("knows no such request"));
    // Not one of them came to an agent's process.
    assert!(fixture.processes().is_empty());
    // A sign of life is not answered.
    raw.say(&[0; 4]);
    raw.ask(&Request::Time);
    assert!(matches!(raw.hear(), Some(FromAgent::Reply(Reply::Time(_)))));

    raw.say(&(5_u32 << 20).to_le_bytes());
    assert!(failed(&mut raw).contains("a frame claims 5242880 bytes"));
    assert_eq!(raw.hear(), None);

    let mut half = fixture.raw();
    half.say(&[100, 0, 0, 0, b'{']);
    assert!(failed(&mut half).contains("too slowly"));
    assert_eq!(half.hear(), None);

    let mut hasty = fixture.raw();
    hasty.say(&[wire::frame(&Request::Diagnose).unwrap(), wire::frame(&Request::Diagnose).unwrap()].concat());
    assert!(failed(&mut hasty).contains("before the last was answered"));
    assert_eq!(hasty.hear(), None);
    fixture.serves();
}

#[test]
fn from_an_address_that_is_not_allowed_nothing_is_heard() {
    let fixture = Fixture::with(|options| options.allow = Allow::parse("10.0.0.0/8,::1").unwrap());
    let error = fixture.dial().unwrap_err();
    assert!(matches!(error, DialError::NotAllowed(_)), "{error}");
    refused(&fixture, "its address is not allowed (allowed: 10.0.0.0/8, ::1/128)");
    let allowed = Fixture::with(|options| options.allow = Allow::parse("127.0.0.0/8").unwrap());
    allowed.serves();
}

#[test]
fn there_are_only_so_many_controllers() {
    let fixture = Fixture::with(|options| options.limits.sessions = 1);
    let first = fixture.dial().unwrap();
    let error = fixture.dial().unwrap_err();
    assert!(matches!(&error, DialError::Full { reason, .. } if reason.contains("1 sessions")), "{error}");
    drop(first);
    super::fixture::eventually("the place is free again", || fixture.dial().is_ok());
}

/// A connection from an address of the loopback that says nothing.
fn silent(fixture: &Fixture, from: [u8; 4]) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddr::new(from.into(), 0)).unwrap();
    connect(&socket, &SocketAddr::new([127, 0, 0, 1].into(), fixture.join.port)).unwrap();
    TcpStream::from(socket)
}

/// Bug: 32 connections from 4 addresses that said nothing kept everybody out.
#[test]
fn strangers_that_say_nothing_do_not_lock_a_controller_out() {
    let fixture = Fixture::new();
    let strangers = Limits::default().strangers as u8;
    let of_four = (0..2 * strangers).map(|i| silent(&fixture, [127, 0, 0, 2 + i % 4]));
    let crowd: Vec<_> = of_four.collect();
    for _ in 0..3 {
        fixture.serves();
    }
    refused(&fixture, "more than 32 connections had not shown the key");
    drop(crowd);
    // Nor do those that come from its own address.
    let _crowd: Vec<_> = (0..2 * strangers).map(|_| silent(&fixture, [127, 0, 0, 1])).collect();
    fixture.serves();
}

/// Bug: connections from addresses that `--allow` does not name took the places of
/// those that it does.
#[test]
fn addresses_that_are_not_allowed_take_no_place_of_those_that_are() {
    let fixture = Fixture::with(|options| {
        options.allow = Allow::parse("127.0.0.1").unwrap();
        options.limits.strangers = 1;
    });
    let stranger = silent(&fixture, [127, 0, 0, 1]);
    let _crowd: Vec<_> = (0..40).map(|i| silent(&fixture, [127, 0, 0, 2 + i % 5])).collect();
    refused(&fixture, "its address is not allowed");
    // What is allowed is still heard: it may say who it is.
    let hello = HandshakeRequest::frame(&fixture.join.key, Dialer::Controller).unwrap();
    assert!(introduce(stranger, &fixture.join, &hello, None).is_ok());
    fixture.serves();
}

/// Who showed the key holds no stranger's place.
#[test]
fn controllers_that_were_let_in_are_not_driven_out_by_strangers() {
    let fixture = Fixture::with(|options| options.limits.strangers = 1);
    let mut raw = fixture.raw();
    let _crowd: Vec<_> = (0..10).map(|_| silent(&fixture, [127, 0, 0, 1])).collect();
    refused(&fixture, "more than 1 connections");
    raw.ask(&Request::Time);
    assert!(matches!(raw.hear(), Some(FromAgent::Reply(Reply::Time(_)))));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_is_no_node_is_told_from_one_that_is_not_there() {
    let fixture = Fixture::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let join = JoinString { port, ..fixture.join.clone() };
    let dial = |join: &JoinString| NodeAgent::dial(join.clone(), SHORT).map(|_| ()).unwrap_err();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| listener.accept().unwrap().0.write_all(b"SSH-2.0-OpenSSH_9.6\r\n").unwrap());
        dial(&join)
    });
    assert!(matches!(error, DialError::NoNode { .. } | DialError::Closed(_)), "{error}");
    // It takes the connection and says nothing.
    let error = dial(&join);
    assert!(matches!(error, DialError::Silent(_)), "{error}");
    drop(listener);
    let error = dial(&join);
    assert!(matches!(error, DialError::Nobody(_)), "{error}");
    let nowhere = JoinString { host: "no-such-machine.invalid".to_owned(), ..join };
    let error = dial(&nowhere);
    assert!(matches!(error, DialError::Name { .. }), "{error}");
}
