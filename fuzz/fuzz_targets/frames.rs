//! What a node hears: bytes become frames, frames requests, and requests are let
//! through or not. The first byte says in what pieces the rest comes. The same
//! runs in CI, with fewer cases, as a test of `crates/agent/src/node/frame.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((cut, rest)) = bytes.split_first() {
        let through = agent::node::heard(rest, usize::from(*cut));
        // A frame of a request has a head and at least a word.
        assert!(through <= rest.len() / 5);
    }
});
