//! A recorded machine of somebody else: what it is made of, as text, as a document
//! and as a picture, and what could disturb a measurement on it.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::{chosen, file, headroom};
use libfuzzer_sys::fuzz_target;

const COMMANDS: &[&[&str]] = &[
    &["machine", "--all", "--host"],
    &["machine", "--json", "--host"],
    &["machine", "--svg", "-", "--host"],
    &["doctor", "--host"],
];

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let mut text = b"==> /proc/version\n".to_vec();
    let is_whole = bytes.windows(4).any(|four| four == b"==> ");
    if is_whole {
        text.clear();
    }
    text.extend(bytes);
    text.extend(b"\n==> end\n");
    let path = file("x.host", &text);
    headroom(&[COMMANDS[chosen(bytes, COMMANDS.len())], &[path.as_str()]].concat());
});
