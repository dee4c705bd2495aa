//! A store that is damaged, or somebody else's.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::{chosen, file, headroom};
use libfuzzer_sys::fuzz_target;

const COMMANDS: &[&[&str]] = &[
    &["list"],
    &["show", "last"],
    &["export", "last"],
    &["export", "last"],
    &["trend"],
    &["tag", "last", "rack=3"],
    &["rm", "last"],
];

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let path = file("store.db", bytes);
    // What the one before left beside its own.
    for beside in ["-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(path.clone() + beside);
    }
    headroom(&[COMMANDS[chosen(bytes, COMMANDS.len())], &["--store", &path]].concat());
});
