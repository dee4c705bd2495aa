//! A removal of what a killed run left that does not come to its end: the next one goes on where it ended.

use std::path::Path;

use super::store::Store;
use super::{LEFT, leaves, listed, prepared};

/// How often the store was asked for something when the next run was ready, one request at a time.
fn asked(store: &Store, state: &Path, kind: &str) -> u64 {
    let before = store.count(kind);
    drop(prepared(store, &[("concurrency", "1")], state).unwrap());
    store.count(kind) - before
}

fn is_listed(state: &Path) -> bool {
    !load::workload::object::objects_left(state, false).is_empty()
}

/// Each run has a minute for it.
#[test]
fn regression_the_removal_of_left_objects_began_with_the_first_one_each_time() {
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    // The first one is the object by which stores are tried: the twelfth is number 10.
    let store = Store::start(|contents, request| {
        let is_refused = request.kind == "delete" && contents.counts["delete"] == 12;
        is_refused.then_some(("403 Forbidden", "AccessDenied"))
    });
    for number in 0..40 {
        store.contents.lock().unwrap().objects.insert(format!("{LEFT}{number:08}"), b"left".to_vec());
    }
    let text = format!(
        "{{\"endpoint\":\"{}\",\"bucket\":\"data\",\"below\":\"{LEFT}\",\"objects\":40,\"has_parts\":false}}",
        store.endpoint()
    );
    std::fs::create_dir_all(state.path().join("objects")).unwrap();
    std::fs::write(state.path().join("objects").join(LEFT.trim_end_matches('/')), text).unwrap();
    // Each run also puts and removes the object by which it tries the store.
    assert_eq!(asked(&store, state.path(), "delete"), 12 + 1);
    assert!(is_listed(state.path()) && !store.is_as_before());
    assert_eq!(asked(&store, state.path(), "delete"), 1 + 30 + 1);
    assert!(!is_listed(state.path()) && store.is_as_before());
}

/// The store lists uploads of one object only, and refuses to abort the one of number 2 at first.
#[test]
fn regression_the_uploads_of_left_objects_were_listed_from_the_first_one_each_time() {
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = Store::start(|contents, request| {
        let is_refused = match request.kind {
            "list-uploads" => request.query["prefix"].ends_with('/'),
            "abort" => contents.counts["abort"] == 1,
            _ => false,
        };
        is_refused.then_some(("403 Forbidden", "AccessDenied"))
    });
    leaves(&store);
    listed(state.path(), &store.endpoint());
    assert_eq!(asked(&store, state.path(), "list-uploads"), 1 + 3);
    assert!(is_listed(state.path()) && !store.is_as_before());
    assert_eq!(asked(&store, state.path(), "list-uploads"), 1 + 1);
    assert!(!is_listed(state.path()) && store.is_as_before());
}
