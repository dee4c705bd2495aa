//! Two run documents, an array of both, compared.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::{chosen, file, headroom, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::Value;

const MORE: &[&[&str]] = &[&[], &["--json"], &["--metric", "all"], &["--margin", "0%", "--fail-if-worse"]];

const PAGES: &[&str] = &["page.html", "page.md", "page.csv"];

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let Ok(Value::Array(both)) = serde_json::from_slice::<Value>(bytes) else { return };
    let [one, other, ..] = &both[..] else { return };
    let one = file("one.json", one.to_string().as_bytes());
    let other = file("other.json", other.to_string().as_bytes());
    let page = file(PAGES[chosen(bytes, PAGES.len())], b"");
    let _ = std::fs::remove_file(&page);
    let more = match chosen(bytes, MORE.len() + 1) {
        0 => &["-o", page.as_str()],
        number => MORE[number - 1],
    };
    headroom(&[&["compare", one.as_str(), other.as_str()], more].concat());
    let _ = std::fs::remove_file(page);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let whole = if seed.is_multiple_of(8) { None } else { mutate(data, size, max_size, seed) };
    whole.unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});
