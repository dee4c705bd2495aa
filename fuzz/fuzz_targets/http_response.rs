//! What a server answers to a download, over HTTP/1.1 or HTTP/2. The first byte says which, and in what pieces the
//! rest comes. The same runs in CI, with fewer cases, as a test of `download/heard.rs` in the crate `load`.
#![cfg_attr(feature = "libfuzzer", no_main)]

use libfuzzer_sys::fuzz_target;
use load::workload::http::download::{ENDLESS, heard};

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let cut = 1 + 16 * usize::from(first >> 1);
    match heard(rest, cut, first & 1 == 1) {
        // What frames content is never shorter than nothing.
        Ok(got) => assert!(got <= rest.len() as u64),
        Err(fault) => assert!(!fault.to_string().contains(ENDLESS), "{fault}"),
    }
});
