//! What an object store answers in XML: errors, and lists of uploads. The first two bytes are the status. The same
//! runs in CI, with fewer cases, as a test of `object/answer.rs` in the crate `load`.
#![cfg_attr(feature = "libfuzzer", no_main)]

use libfuzzer_sys::fuzz_target;
use load::workload::object::heard;

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let Some((status, body)) = bytes.split_first_chunk::<2>() else { return };
    let (_, uploads) = heard(u16::from_be_bytes(*status), body);
    // The shortest that names one is longer than this.
    assert!(uploads <= body.len() / 8);
});
