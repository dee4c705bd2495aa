//! What version 0.1 wrote, as it lies in `tests/corpus`.

use std::fs;
use std::path::PathBuf;

use model::Run;
use store::{SqliteStore, Store};

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus"))
}

/// The documents' names, sorted.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder().join("documents"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".json.zst")?.to_owned()))
        .collect();
    names.sort();
    names
}

/// A document with the figures and findings that version 0.1 derived.
pub(crate) fn as_written(name: &str) -> Run {
    let path = folder().join("documents").join(format!("{name}.json.zst"));
    let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    import::v1::document::read(&zstd::decode_all(&bytes[..]).unwrap()).unwrap()
}

/// A document with the figures and findings that this version derives.
pub(crate) fn document(name: &str) -> Run {
    let mut run = as_written(name);
    analysis::derive(&mut run);
    run
}

/// The runs of the store.
pub(crate) fn store() -> Vec<Run> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("headroom.db");
    let packed = fs::read(folder().join("store-0.1.db.zst")).unwrap();
    fs::write(&path, zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let entries = store.list().unwrap();
    let load = |entry: &store::RunEntry| {
        let mut run = store.load(&entry.id).unwrap();
        analysis::derive(&mut run);
        run
    };
    entries.iter().map(load).collect()
}
