//! A study file, up to the plan.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::pretending;
use libfuzzer_sys::fuzz_target;
use study::read::from_toml;

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match from_toml(&agent::catalogue(), "x", "x.toml", text) {
        Ok(study) => drop(pretending::plan(&study)),
        Err(mistake) => {
            // It points into the text, or nothing could be drawn.
            assert!(mistake.source_text.text.get(mistake.span.clone()).is_some(), "{mistake:?}");
            assert!(!mistake.message.is_empty());
        }
    }
});
