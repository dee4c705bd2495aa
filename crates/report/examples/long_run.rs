//! Writes the long run, those of disks, a server's baseline and the odd ones of the tests as documents, to try pages
//! with: `cargo run --release -p report --example long_run -- FOLDER`.
#![allow(clippy::unwrap_used)]

#[path = "../src/tests/baseline.rs"]
mod baseline;
#[path = "../src/tests/disks.rs"]
mod disks;
#[path = "../src/tests/long/mod.rs"]
#[allow(dead_code)]
mod long;
#[path = "../src/tests/odd.rs"]
#[allow(dead_code)]
mod odd;
#[path = "../src/tests/server.rs"]
mod server;

use std::fs;
use std::path::PathBuf;

fn main() {
    let folder: PathBuf = std::env::args_os().nth(1).expect("a folder to write to").into();
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, run: &model::Run| {
        fs::write(folder.join(format!("{name}.json")), serde_json::to_vec(run).unwrap()).unwrap();
    };
    write("long", &long::long());
    write("baseline", &baseline::baseline());
    for (name, run) in disks::disks() {
        write(&format!("disk-{name}"), &run);
    }
    for (name, run) in odd::odd() {
        write(&format!("odd-{name}"), &run);
    }
}
