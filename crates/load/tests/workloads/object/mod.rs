//! Loads on stores of objects, against one that checks every signature: what is counted, what stays, and what is
//! told of what goes wrong.

mod removal;
mod store;

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Fault, Prepared};
use load::fixture::FixtureStore;
use load::workload::{FIXTURES, Load, LoadContext, Watch, catalogue, find};
use model::{Parameters, WorkloadName};
use tempfile::NamedTempFile;

use crate::http::server::{Server, ok};
use crate::http::{Given, Measured, run};
use store::{BUCKET, CIRCLE, CLOSED, KEY_ID, LOST, SECRET, Store};

const PUT: &str = "object.put";
const GET: &str = "object.get";
const LIST: &str = "object.list";
const DELETE: &str = "object.delete";

/// A file with keys.
fn keys(secret: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    writeln!(file, "[default]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {secret}").unwrap();
    file
}

/// One trial against a store, with its keys.
fn against(store: &Store, workload: &str, given: Given<'_>) -> Result<Measured, String> {
    let file = keys(SECRET);
    let (endpoint, bucket) = (store.endpoint(), format!("s3://{BUCKET}/a b/c"));
    let usual = [
        ("endpoint", endpoint.as_str()),
        ("bucket", bucket.as_str()),
        ("credentials", file.path().to_str().unwrap()),
        ("concurrency", "4"),
    ];
    run(workload, &[usual.as_slice(), given].concat())
}

#[test]
fn every_operation_is_counted_and_nothing_of_it_stays() {
    let cases: [(&str, &str, Given<'_>); 4] = [
        (PUT, "put", &[("size", "100003"), ("requests", "60"), ("objects", "7")]),
        (GET, "get", &[("size", "100003"), ("requests", "60"), ("objects", "5")]),
        (LIST, "list", &[("objects", "30"), ("requests", "60"), ("max-keys", "10")]),
        (DELETE, "delete", &[("objects", "50")]),
    ];
    for (workload, kind, given) in cases {
        let store = Store::start(|_, _| None);
        let measured = against(&store, workload, given).unwrap();
        assert!(measured.metric("operations_per_second") > 0.0, "{workload}: {measured:?}");
        assert_eq!(measured.metric("error_share"), 0.0, "{workload}: {measured:?}");
        assert!(measured.metric("first_byte_p50") <= measured.metric("latency_p50"), "{workload}");
        assert!(store.is_as_before(), "{workload}");
        assert!(store.count(kind) >= 50, "{workload}");
        let facts = format!("{measured:?}");
        assert!(!facts.contains(SECRET) && !facts.contains(KEY_ID), "{facts}");
        assert!(measured.fact("objects_below").contains("s3://data/a b/c/headroom-"), "{facts}");
        let contents = store.contents.lock().unwrap();
        assert_eq!(contents.unsigned, 0, "{workload}");
        if matches!(workload, PUT | GET) {
            assert!(contents.lengths.iter().eq([&0, &100_003]), "{:?}", contents.lengths);
            assert!(measured.done_bytes >= 60.0 * 100_003.0, "{measured:?}");
        }
    }
}

#[test]
fn objects_are_put_in_parts_one_after_the_other_or_at_once() {
    for parts in ["1", "3"] {
        let store = Store::start(|_, _| None);
        let given = [("size", "100001"), ("part-size", "20000"), ("parts", parts), ("requests", "20")];
        let measured = against(&store, PUT, &given).unwrap();
        assert_eq!(measured.metric("error_share"), 0.0, "{measured:?}");
        assert!(store.is_as_before());
        let [creates, sent, completes] = ["create", "part", "complete"].map(|kind| store.count(kind));
        assert!(creates >= 20 && sent == 6 * creates && completes == creates, "{creates} {sent} {completes}");
        assert!(store.contents.lock().unwrap().lengths.contains(&100_001));
        let connections = 4 * parts.parse::<u64>().unwrap();
        assert_eq!(measured.fact("connections_made"), connections.to_string());
    }
}

#[test]
fn uploads_of_parts_that_fail_are_aborted() {
    // Each second upload, at its third part; and each third at its end.
    let store = Store::start(|contents, request| match request.kind {
        "part" if contents.counts["part"].is_multiple_of(9) => Some(("500 Internal Error", "InternalError")),
        "complete" if contents.counts["complete"].is_multiple_of(3) => Some(("200 OK", "InternalError")),
        _ => None,
    });
    let given = [("size", "50000"), ("part-size", "10000"), ("parts", "2"), ("requests", "40")];
    let measured = against(&store, PUT, &given).unwrap();
    assert!(measured.metric("error_share") > 0.1, "{measured:?}");
    assert!(measured.fact("error_codes").contains("InternalError: "), "{measured:?}");
    assert!(store.count("abort") > 0 && store.is_as_before());
}

/// Each answer but those to the parts is a success.
#[test]
fn regression_uploads_whose_parts_all_fail_are_no_good_trial() {
    let store =
        Store::start(|_, request| (request.kind == "part").then_some(("400 Bad Request", "EntityTooSmall")));
    let given = [("size", "50000"), ("part-size", "10000"), ("requests", "20")];
    let why = against(&store, PUT, &given).unwrap_err();
    assert!(why.contains("succeeded") && why.contains("400 EntityTooSmall: a part is smaller"), "{why}");
    assert!(store.is_as_before());
}

/// A store may forget an upload when it refuses to complete it, and then refuse to abort it.
#[test]
fn regression_why_all_uploads_failed_is_said_before_what_stays() {
    let store = Store::start(|_, request| match request.kind {
        "complete" => Some(("400 Bad Request", "EntityTooSmall")),
        "abort" => Some(("403 Forbidden", "AccessDenied")),
        _ => None,
    });
    let given = [("size", "50000"), ("part-size", "10000"), ("requests", "20")];
    let why = against(&store, PUT, &given).unwrap_err();
    let place = |words: &str| why.find(words).unwrap_or_else(|| panic!("no {words}: {why}"));
    assert!(place("400 EntityTooSmall: a part is smaller") < place("could not be removed"), "{why}");
    assert!(why.contains("AccessDenied"), "{why}");
}

/// The objects, and the other uploads, are removed all the same.
#[test]
fn regression_an_upload_that_cannot_be_aborted_left_all_objects() {
    let store = Store::start(|contents, request| match request.kind {
        "complete" if contents.counts["complete"].is_multiple_of(4) => {
            Some(("500 Internal Error", "InternalError"))
        }
        "abort" => Some(("403 Forbidden", "AccessDenied")),
        _ => None,
    });
    let given = [("size", "50000"), ("part-size", "10000"), ("requests", "40")];
    let why = against(&store, PUT, &given).unwrap_err();
    assert!(why.contains("could not be removed") && why.contains("403 AccessDenied"), "{why}");
    let contents = store.contents.lock().unwrap();
    assert_eq!(contents.objects.keys().collect::<Vec<_>>(), ["keep"]);
    // Each was asked for by the worker, and once more in the end.
    assert!(contents.counts["abort"] >= 2 * contents.uploads.len() as u64, "{:?}", contents.counts);
}

#[test]
fn regression_objects_that_all_have_another_size_are_no_good_trial() {
    let server = Server::answering(|request, client| match request.starts_with("GET ") {
        true => ok(client, b"short"),
        false => ok(client, b""),
    });
    let file = keys(SECRET);
    let credentials = ("credentials", file.path().to_str().unwrap());
    let why = run(GET, &[("endpoint", &server.url("")), ("size", "1k"), credentials]).unwrap_err();
    assert!(why.contains("do not have the 1024 bytes") && why.contains("another size: "), "{why}");
}

/// A connection that breaks is no reason to leave objects.
#[test]
fn regression_broken_connections_do_not_end_the_removal() {
    let store = Store::start(|contents, request| {
        let breaks = request.kind == "delete" && (4..10).contains(&contents.counts["delete"]);
        breaks.then_some((CLOSED, ""))
    });
    against(&store, GET, &[("size", "1k"), ("objects", "20"), ("requests", "40")]).unwrap();
    assert!(store.is_as_before() && store.count("delete") >= 10);
    // The first request of all is done, and its answer is lost: the object is removed all the same.
    let lost = Store::start(|contents, request| {
        let loses = request.kind == "put" && contents.counts["put"] == 1;
        loses.then_some((LOST, ""))
    });
    against(&lost, PUT, &[("size", "1k"), ("requests", "20")]).unwrap();
    assert!(lost.is_as_before());
}

/// Uploads whose names got lost are found by lists, however many pages these have.
#[test]
fn regression_uploads_of_all_pages_are_aborted() {
    let given = [("size", "50000"), ("part-size", "10000"), ("requests", "20")];
    let store = Store::start(|contents, request| {
        (request.kind == "create" && contents.counts["create"] <= 7).then_some((LOST, ""))
    });
    against(&store, PUT, &given).unwrap();
    assert!(store.is_as_before() && store.count("list-uploads") >= 4, "{}", store.count("list-uploads"));
    // One that lists those of one object only.
    let by_object = Store::start(|contents, request| match request.kind {
        "create" if contents.counts["create"] <= 7 => Some((LOST, "")),
        "list-uploads" if request.query["prefix"].ends_with('/') => Some(("403 Forbidden", "AccessDenied")),
        _ => None,
    });
    let measured = against(&by_object, PUT, &given).unwrap();
    assert!(by_object.is_as_before() && !format!("{measured:?}").contains("uploads_not_listed"));
    // One that lists none.
    let silent = Store::start(|_, request| {
        (request.kind == "list-uploads").then_some(("403 Forbidden", "AccessDenied"))
    });
    let measured = against(&silent, PUT, &given).unwrap();
    assert!(measured.fact("uploads_not_listed").contains("AccessDenied"), "{measured:?}");
    assert!(silent.is_as_before());
}

#[test]
fn regression_lists_of_uploads_that_lead_in_a_circle_had_no_end() {
    let store = Store::start(|_, request| (request.kind == "list-uploads").then_some((CIRCLE, "")));
    let given = [("size", "50000"), ("part-size", "10000"), ("requests", "20")];
    let measured = against(&store, PUT, &given).unwrap();
    assert!(measured.fact("uploads_not_listed").contains("has no end"), "{measured:?}");
    assert!(store.is_as_before() && store.count("list-uploads") == 2_000, "{}", store.count("list-uploads"));
}

#[test]
fn bodies_may_go_unsigned() {
    let store = Store::start(|_, _| None);
    let given = [("payload", "unsigned"), ("size", "20000"), ("requests", "10")];
    against(&store, PUT, &given).unwrap();
    assert!(store.contents.lock().unwrap().unsigned >= 10);
}

#[test]
fn what_the_store_refuses_for_a_moment_is_an_error_and_counted() {
    let store = Store::start(|contents, request| {
        let is_full = request.kind == "get" && contents.counts["get"].is_multiple_of(4);
        is_full.then_some(("503 Slow Down", "SlowDown"))
    });
    let measured = against(&store, GET, &[("size", "1k"), ("objects", "10"), ("requests", "300")]).unwrap();
    let share = measured.metric("error_share");
    assert!((0.2..0.3).contains(&share), "{share}");
    assert!(measured.fact("error_codes").starts_with("SlowDown: "), "{measured:?}");
    assert!(measured.fact("answers").contains("503: ") && store.is_as_before());
}

#[test]
fn what_is_wrong_from_the_start_is_told_by_its_code() {
    let store = Store::start(|_, _| None);
    let (endpoint, wrong) = (store.endpoint(), keys("another secret of no use"));
    let wrong = ("credentials", wrong.path().to_str().unwrap());
    let why = run(PUT, &[("endpoint", &endpoint), ("bucket", "s3://data"), wrong]).unwrap_err();
    assert!(why.contains("403 SignatureDoesNotMatch") && why.contains("secret key"), "{why}");
    assert!(!why.contains("of no use"), "{why}");
    let right = keys(SECRET);
    let right = ("credentials", right.path().to_str().unwrap());
    let why = run(GET, &[("endpoint", &endpoint), ("bucket", "s3://other"), right]).unwrap_err();
    assert!(why.contains("404 NoSuchBucket") && why.contains("no bucket other"), "{why}");
    assert!(store.is_as_before());
    let skewed = Store::start(|_, _| Some(("403 Forbidden", "RequestTimeTooSkewed")));
    let why = against(&skewed, PUT, &[]).unwrap_err();
    assert!(why.contains("RequestTimeTooSkewed") && why.contains("clock"), "{why}");
    // Objects that could not be removed are not put in the first place.
    let keeps =
        Store::start(|_, request| (request.kind == "delete").then_some(("403 Forbidden", "AccessDenied")));
    let why = against(&keeps, GET, &[("objects", "3")]).unwrap_err();
    assert!(why.contains("DELETE") && why.contains("AccessDenied"), "{why}");
    assert_eq!(keeps.count("put"), 1);
}

#[test]
fn a_store_that_sends_elsewhere_is_told_with_what_to_do() {
    let cases: [(store::Errs, &str); 3] = [
        (|_, _| Some(("301 Moved Permanently", "PermanentRedirect")), "301 PermanentRedirect"),
        (|_, _| Some(("307 Temporary Redirect", "TemporaryRedirect")), "307 TemporaryRedirect"),
        (|_, _| Some(("400 Bad Request", "AuthorizationHeaderMalformed")), "AuthorizationHeaderMalformed"),
    ];
    for (errs, told) in cases {
        let store = Store::start(errs);
        let why = against(&store, PUT, &[("size", "1k")]).unwrap_err();
        assert!(why.contains(told) && why.contains("give region and endpoint"), "{why}");
        assert!(store.is_as_before());
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_store_that_asks_for_fewer_requests_all_the_time_is_told_with_what_to_do() {
    let store = Store::start(|_, request| (request.kind == "put").then_some(("503 Slow Down", "SlowDown")));
    let why = against(&store, PUT, &[("size", "1k")]).unwrap_err();
    assert!(why.contains("503 SlowDown") && why.contains("a smaller concurrency, or a rate"), "{why}");
    assert!(store.is_as_before() && store.count("put") > 1, "it was asked once more");
}

#[test]
fn what_cannot_be_removed_in_the_end_is_told() {
    let store = Store::start(|contents, request| {
        let is_late = request.kind == "delete" && contents.counts["delete"] > 3;
        is_late.then_some(("403 Forbidden", "AccessDenied"))
    });
    let why = against(&store, GET, &[("objects", "10"), ("requests", "20")]).unwrap_err();
    assert!(why.contains("could not be removed") && why.contains("s3://data/a b/c/headroom-"), "{why}");
}

/// Who ends a run while objects are put leaves none.
#[test]
fn regression_objects_are_not_put_any_more_once_it_is_ended() {
    let store = Store::start(|_, _| None);
    let file = keys(SECRET);
    let (endpoint, path) = (store.endpoint(), file.path().to_str().unwrap());
    let workload = find(WorkloadName::intern(GET).unwrap()).unwrap();
    let mut parameters = Parameters::default();
    let given = [("endpoint", &*endpoint), ("bucket", "s3://data"), ("credentials", path), ("size", "1k")];
    for (name, text) in given.iter().chain(&[("objects", "500")]) {
        let spec = catalogue().parameter(workload.spec(), name).unwrap();
        parameters.set(spec.name, spec.parse(text).unwrap());
    }
    let load = Load::new(workload, parameters, 2).unwrap();
    let (fixtures, asked) = (FixtureStore::new(FIXTURES), AtomicU64::new(0));
    let look = || {
        asked.fetch_add(1, Ordering::Relaxed);
        Err(Fault::Cancelled)
    };
    let context = LoadContext { fixtures: &fixtures, endpoint: None, watch: Watch::new(&look) };
    let fault = load.prepare(&context).unwrap_err();
    assert!(matches!(fault, Fault::Cancelled) && asked.load(Ordering::Relaxed) > 0, "{fault}");
    assert!(store.count("put") < 500 && store.is_as_before());
}

/// A load made ready, with a list of what is left in `state`.
fn prepared(store: &Store, given: Given<'_>, state: &Path) -> Result<Box<dyn Prepared>, Fault> {
    prepared_in(store, given, &FixtureStore::new(FIXTURES).listing_in(state.to_owned()))
}

/// The same in a run that has these fixtures.
fn prepared_in(store: &Store, given: Given<'_>, fixtures: &FixtureStore) -> Result<Box<dyn Prepared>, Fault> {
    let file = keys(SECRET);
    let (endpoint, path) = (store.endpoint(), file.path().to_str().unwrap());
    let workload = find(WorkloadName::intern(PUT).unwrap()).unwrap();
    let mut parameters = Parameters::default();
    let usual = [("endpoint", &*endpoint), ("bucket", "s3://data"), ("credentials", path), ("size", "1k")];
    for (name, text) in usual.iter().chain(given) {
        let spec = catalogue().parameter(workload.spec(), name).unwrap();
        parameters.set(spec.name, spec.parse(text).unwrap());
    }
    let load = Load::new(workload, parameters, 2).unwrap();
    load.prepare(&LoadContext { fixtures, endpoint: None, watch: Watch::NONE })
}

const LEFT: &str = "headroom-0123456789abcdef0123456789abcdef/";

/// What the list has of a run that was killed against `endpoint`.
fn listed(state: &Path, endpoint: &str) {
    let list = state.join("objects");
    std::fs::create_dir_all(&list).unwrap();
    let text = format!(
        "{{\"endpoint\":\"{endpoint}\",\"bucket\":\"data\",\"below\":\"{LEFT}\",\"objects\":3,\"has_parts\":true}}"
    );
    std::fs::write(list.join(LEFT.trim_end_matches('/')), text).unwrap();
}

/// What a killed run left in `store`.
fn leaves(store: &Store) {
    let mut contents = store.contents.lock().unwrap();
    let key = |number: u64| format!("{LEFT}{number:08}");
    contents.objects.insert(key(1), b"left".to_vec());
    contents.uploads.insert("id=77".to_owned(), (key(2), std::collections::BTreeMap::new()));
}

/// Objects and uploads of a killed run are removed by the next one on the bucket, and by no other.
#[test]
fn what_a_killed_run_left_is_removed_by_the_next_one() {
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = Store::start(|_, _| None);
    leaves(&store);
    listed(state.path(), "http://another:9000");
    drop(prepared(&store, &[], state.path()).unwrap());
    assert!(!store.is_as_before(), "it was of another store");
    let all = || load::workload::object::objects_left(state.path(), false);
    assert_eq!(all().len(), 1, "the trial itself left nothing");
    assert!(all()[0].to_string().contains("s3://data/headroom-0123"), "{:?}", all());
    listed(state.path(), &store.endpoint());
    let next = prepared(&store, &[], state.path()).unwrap();
    assert!(next.facts().iter().any(|(name, _)| name.as_str() == "removed_of_killed_runs"));
    drop(next);
    assert!(store.is_as_before() && all().is_empty(), "{:?}", all());
    // What cannot be removed is told, and stays in the list.
    let keeps =
        Store::start(|_, request| (request.kind == "abort").then_some(("403 Forbidden", "AccessDenied")));
    leaves(&keeps);
    listed(state.path(), &keeps.endpoint());
    let next = prepared(&keeps, &[], state.path()).unwrap();
    let told = next.facts().into_iter().find(|(name, _)| name.as_str() == "left_of_killed_runs").unwrap();
    assert!(told.1.to_string().contains("AccessDenied"), "{told:?}");
    drop(next);
    assert_eq!(all().len(), 1);
}

/// That may take a minute. It is told by every trial all the same.
#[test]
fn regression_each_trial_tried_again_to_remove_what_cannot_be() {
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store =
        Store::start(|_, request| (request.kind == "abort").then_some(("403 Forbidden", "AccessDenied")));
    leaves(&store);
    listed(state.path(), &store.endpoint());
    let run = || FixtureStore::new(FIXTURES).listing_in(state.path().to_owned());
    let trial = |fixtures: &FixtureStore| {
        let facts = prepared_in(&store, &[], fixtures).unwrap().facts();
        let told = facts.into_iter().find(|(name, _)| name.as_str() == "left_of_killed_runs").unwrap();
        assert!(told.1.to_string().contains("AccessDenied"), "{told:?}");
        store.count("abort")
    };
    let first = run();
    assert_eq!([trial(&first), trial(&first), trial(&first)], [1; 3]);
    assert_eq!(trial(&run()), 2, "another run tries once more");
}

/// A trial that was not cleaned up stands in the list while it may have put something.
#[test]
fn what_is_under_way_is_in_the_list_and_nobody_else_s_to_remove() {
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let files = || std::fs::read_dir(state.path().join("objects")).unwrap().count();
    let store = Store::start(|_, _| None);
    let first = prepared(&store, &[], state.path()).unwrap();
    let second = prepared(&store, &[], state.path()).unwrap();
    assert_eq!(files(), 2);
    assert!(load::workload::object::objects_left(state.path(), true).is_empty());
    drop((first, second));
    assert_eq!(files(), 0);
}

#[test]
fn regression_what_stays_is_told_beside_why_a_trial_failed() {
    let store = Store::start(|contents, request| {
        let is_late = request.kind == "delete" && contents.counts["delete"] > 22;
        is_late.then_some(("403 Forbidden", "AccessDenied"))
    });
    let given = [("objects", "20"), ("until", "time"), ("duration", "5s")];
    let why = against(&store, DELETE, &given).unwrap_err();
    assert!(why.contains("all 20 objects were deleted") && why.contains("could not be removed"), "{why}");
}

#[test]
fn more_deletions_than_objects_are_told() {
    let store = Store::start(|_, _| None);
    let given = [("objects", "20"), ("until", "time"), ("duration", "5s")];
    let why = against(&store, DELETE, &given).unwrap_err();
    assert!(why.contains("all 20 objects were deleted"), "{why}");
    assert!(store.is_as_before());
}

#[test]
fn what_contradicts_itself_is_refused() {
    let cases: [(&str, Given<'_>, &str); 7] = [
        (PUT, &[("bucket", "data")], "names no bucket"),
        (PUT, &[("endpoint", "store:9000")], "no URL of HTTP"),
        (PUT, &[("endpoint", "http://127.0.0.1:1"), ("credentials", "/nowhere")], "cannot be read"),
        (PUT, &[("parts", "2")], "without a part-size"),
        (PUT, &[("size", "1g"), ("part-size", "1k")], "parts are more than the 10000"),
        (PUT, &[("objects", "2"), ("concurrency", "3")], "names are too few"),
        (GET, &[("threads", "4"), ("concurrency", "2")], "4 threads are more"),
    ];
    for (workload, given, told) in cases {
        let why = run(workload, given).unwrap_err();
        assert!(why.contains(told), "{given:?}: {why}");
    }
}
