//! What another tool printed: by every importer, up to the report, with every check. Of what was
//! read each figure stands on a line that there is, and no number is what JSON cannot hold.
#![cfg_attr(feature = "libfuzzer", no_main)]

use libfuzzer_sys::fuzz_target;

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let Ok(output) = import::tool::read("x", bytes) else { return };
    for result in &output.results {
        assert!(result.lines.first <= result.lines.last && result.lines.last <= output.lines, "{result:?}");
        for (_, measured) in result.measurements() {
            let amounts = [&measured.window, &measured.bytes, &measured.operations].into_iter().flatten();
            for printed in measured.figures.iter().map(|figure| &figure.printed).chain(amounts) {
                assert!(printed.value.is_finite() && printed.half_step.is_finite(), "{printed:?}");
                assert!(printed.line <= output.lines, "{printed:?}");
            }
        }
    }
    let file = headroom_fuzz::file("x.txt", bytes);
    headroom_fuzz::headroom(&["check", &file, "--lang", ["en", "ko", "ja"][headroom_fuzz::chosen(bytes, 3)]]);
    headroom_fuzz::headroom(&["check", &file, "--json=full"]);
});
