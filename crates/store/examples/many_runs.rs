//! Keeps the newest run of a store under other names until it has so many, to try long lists with:
//! `cargo run --release -p store --example many_runs -- STORE COUNT`.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use store::{SqliteStore, Store};

fn main() {
    let mut words = std::env::args().skip(1);
    let (path, count) = (words.next().expect("a store"), words.next().expect("a count"));
    let mut store = SqliteStore::open(Path::new(&path)).unwrap();
    let count: usize = count.parse().expect("a number");
    let id = store.resolve("last").unwrap();
    let mut run = store.load(&id).unwrap();
    for number in 1..count {
        run.id = format!("copy-{number}");
        store.begin(&run).unwrap();
        for (case, measured) in run.cases.iter().enumerate() {
            for trial in &measured.trials {
                store.add_trial(&run.id, case, trial).unwrap();
            }
        }
        store.finish(&run).unwrap();
    }
}
