//! A trace in a file, by the reader of every format: what is not of a format has no records, and nothing has more
//! than it has bytes.
#![cfg_attr(feature = "libfuzzer", no_main)]

use libfuzzer_sys::fuzz_target;
use trace::format::{FORMATS, RECOGNIZED_BYTES, recognize};

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let known = recognize(&bytes[..bytes.len().min(RECOGNIZED_BYTES)]);
    for format in FORMATS {
        let Some(count) = format.count else { continue };
        let records = count(bytes);
        assert!(records <= bytes.len() as u64, "{}: {records} of {} bytes", format.name, bytes.len());
        assert!(records == 0 || known.is_some(), "{}: {records} of an unknown format", format.name);
    }
});
