//! A run document of somebody else, and what is made of it: text, pages in each
//! language, every export but PDF, a comparison of its own cases.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::{chosen, file, headroom, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

/// What is done with it. A page is made three times, for most is done for it.
const COMMANDS: &[&[&str]] = &[
    &["show", "@"],
    &["export", "--format", "json", "@"],
    &["export", "--format", "csv", "@"],
    &["export", "--format", "md", "@"],
    &["export", "--format", "html", "@"],
    &["export", "--format", "html", "--lang", "ko", "@"],
    &["export", "--format", "html", "--lang", "ja", "@"],
    &["export", "--format", "svg", "@"],
    &["compare", "@", "--by", "threads"],
];

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let path = file("run.json", bytes);
    let command = COMMANDS[chosen(bytes, COMMANDS.len())];
    let words: Vec<&str> =
        command.iter().map(|word| if *word == "@" { path.as_str() } else { word }).collect();
    headroom(&words);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let whole = if seed.is_multiple_of(8) { None } else { mutate(data, size, max_size, seed) };
    whole.unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});
