//! What a node hears: bytes become frames, frames requests, and requests are let
//! through or not. The first byte says in what pieces the rest comes. The same
//! runs in CI, with fewer cases, as a test of `crates/node/src/frame.rs`.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::{mutate, pretending};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use model::message::{OpenOrder, Request, TrialOrder, TrialRole};
use model::plan::LoadSpec;
use model::study::Pin;
use model::trial::Timeline;
use study::read::from_toml;

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    if let Some((cut, rest)) = bytes.split_first() {
        let through = ::node::heard(rest, usize::from(*cut));
        // A frame of a request has a head and at least a word.
        assert!(through <= rest.len() / 5);
    }
});

/// The loads of a small study, as a controller asks for them.
fn loads() -> Vec<LoadSpec> {
    let text = "[[workload]]\nkind = \"net.stream\"\nprotocol = \"udp\"\nrate = \"10m/s\"\n\
                [[workload]]\nkind = \"net.pingpong\"\n[[workload]]\nkind = \"net.connect\"\n";
    let study = from_toml(&agent::catalogue(), "x", "x.toml", text).expect("it is a study");
    pretending::plan(&study).expect("it has a plan").cases.into_iter().flat_map(|case| case.loads).collect()
}

/// A request that a controller may send.
fn request(number: u32) -> Request {
    let loads = loads();
    let order = || TrialOrder {
        loads: loads[..1].to_vec(),
        seed: 1,
        warm_up_s: 0.1,
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
    let local = std::net::Ipv4Addr::LOCALHOST.into();
    let times = Timeline { start_ns: 1, window_ns: 2, interval_ns: 1_000_000, end_ns: 1_000_000_000 };
    match number % 9 {
        0 => Request::Describe,
        1 => Request::Survey { cases: vec![loads], destroy: Vec::new(), wipe: Vec::new() },
        2 => Request::Diagnose,
        3 => Request::Calibrate { loads },
        4 => Request::Set { changes: Vec::new() },
        5 => Request::Trial(Box::new(order())),
        6 => Request::Open(OpenOrder { listen: local, near: Some(local), loads }),
        7 => Request::Begin(times),
        _ => Request::Restore,
    }
}

/// The frame of a body.
fn framed(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes()[..], body].concat()
}

// The first frame stays one with JSON in it; what follows is bytes.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let most = max_size.min(data.len());
    let put = |data: &mut [u8], cut: u8, frames: Vec<u8>| {
        let whole = [&[cut][..], &frames].concat();
        let length = whole.len().min(most);
        data[..length].copy_from_slice(&whole[..length]);
        length
    };
    let body = |data: &[u8]| {
        let (head, rest) = data.get(1..size)?.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*head) as usize;
        rest.get(..length).map(|body| (body.to_vec(), rest[length..].to_vec()))
    };
    match (seed % 8, body(data)) {
        (0, _) => {
            let request = serde_json::to_vec(&request(seed / 8)).expect("a request is JSON");
            put(data, 255, framed(&request))
        }
        (1, _) | (_, None) => fuzzer_mutate(data, size, max_size),
        (_, Some((mut body, rest))) => {
            let length = body.len();
            body.resize(length * 2 + 4096, 0);
            let room = body.len();
            match mutate(&mut body, length, room, seed) {
                Some(length) => put(data, data[0], [framed(&body[..length]), rest].concat()),
                None => fuzzer_mutate(data, size, max_size),
            }
        }
    }
});
