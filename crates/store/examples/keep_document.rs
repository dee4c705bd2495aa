//! Keeps the run of a document in a store, to try large ones with:
//! `cargo run --release -p store --example keep_document -- STORE DOCUMENT`.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use store::{SqliteStore, Store};

fn main() {
    let mut words = std::env::args().skip(1);
    let (path, document) = (words.next().expect("a store"), words.next().expect("a document"));
    let mut store = SqliteStore::open(Path::new(&path)).unwrap();
    let run: model::Run = serde_json::from_slice(&std::fs::read(document).unwrap()).unwrap();
    store.begin(&run).unwrap();
    for (case, measured) in run.cases.iter().enumerate() {
        for trial in &measured.trials {
            store.add_trial(&run.id, case, trial).unwrap();
        }
    }
    store.finish(&run).unwrap();
}
