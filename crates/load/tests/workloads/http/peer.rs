//! Loads whose server is their other end: what one sent the other got, whichever goes to the other, and the
//! end that answers goes when the one that asks does.

use std::time::{Duration, Instant};

use load::workload::Workload;
use model::metric;

use super::*;
use crate::contract::has_what_it_says;
use crate::two_ends::{self, Both, One, TrialConditions, attempt, fact, surveyed};

const UPLOAD: &str = "http.upload";

fn called(name: &str) -> &'static dyn Workload {
    find(WorkloadName::intern(name).unwrap()).unwrap()
}

/// A trial of a load with these parameters, and the other end as its server.
fn both(workload: &str, given: Given<'_>, inward: bool) -> Both {
    let all = [&[("url", "peer")], given].concat();
    let workload = called(workload);
    let parameters = surveyed(workload, &all).unwrap();
    let both = if inward {
        two_ends::run_inward(workload, &parameters)
    } else {
        two_ends::run(workload, &parameters)
    };
    for metrics in
        [&both.near.result.main().metrics, &both.far.result.main().metrics, &both.united.main().metrics]
    {
        has_what_it_says(workload, metrics);
    }
    both
}

/// What TCP says of why a sender waited.
fn has_account(sender: &One) {
    for name in ["busy_time", "receive_window_limited_time", "send_buffer_limited_time"] {
        assert!(matches!(fact(sender, name), Value::Number(seconds) if seconds >= 0.0), "{name}");
    }
}

/// Bytes that were counted in parts are those that went.
fn is_same(counted: f64, bytes: f64) -> bool {
    (counted - bytes).abs() < 0.5
}

#[test]
fn every_byte_of_a_transfer_that_ends_is_counted_at_both_ends() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let target = folder.path().to_str().unwrap();
    let bytes = 2.0 * 3_000_017.0;
    for inward in [false, true] {
        for others in [
            &[][..],
            &[("target", target), ("sync", "end")],
            &[("target", target), ("move", "splice")],
            &[("move", "splice"), ("window", "64k")],
            &[("target", target), ("move", "io_uring"), ("buffer", "10007"), ("sync", "end")],
            &[("target", target), ("move", "io_uring"), ("direct", "yes"), ("buffer", "64k")],
            &[("move", "io_uring"), ("window", "64k")],
        ] {
            let given = [&[("streams", "2"), ("until", "end"), ("answer", "3000017")], others].concat();
            let both = both(DOWNLOAD, &given, inward);
            let (came, went) = (both.near.outcome.done_bytes, both.far.outcome.done_bytes);
            assert!(is_same(came, bytes) && is_same(went, bytes), "{given:?} {inward}: {came} {went}");
            assert!(both.metric(metric::ELAPSED) > 0.0);
        }
        let given = [("streams", "2"), ("until", "end"), ("size", "3000017")];
        let both = both(UPLOAD, &given, inward);
        let (went, came) = (both.near.outcome.done_bytes, both.far.outcome.done_bytes);
        assert!(is_same(came, bytes) && is_same(went, bytes), "{inward}: {went} {came}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// The window closes in the middle of an answer: the end that sends goes all the same.
#[test]
fn both_ends_say_what_they_know_of_a_transfer_that_time_ends() {
    for way in ["buffer", "splice", "io_uring"] {
        let download = both(DOWNLOAD, &[("answer", "1t"), ("duration", "300ms"), ("move", way)], false);
        for moved in [metric::THROUGHPUT, metric::SENDER_THROUGHPUT] {
            assert!(download.metric(moved) > 0.0, "{way}: {moved}");
        }
        assert!(download.metric(metric::RTT) > 0.0 && download.metric(metric::RETRANSMITS) >= 0.0);
        assert!(download.metric(metric::PEER_CPU_PER_BYTE) > 0.0);
        has_account(&download.far);
        assert!(!download.near.result.main().facts.contains_key(&FactName::new("busy_time")));
    }
    let upload = both(UPLOAD, &[("size", "100k"), ("duration", "300ms")], false);
    assert!(upload.metric(metric::THROUGHPUT) > 0.0 && upload.metric(metric::PEER_CPU_PER_BYTE) > 0.0);
    assert!(upload.metric(metric::RTT) > 0.0 && upload.metric(metric::ERROR_SHARE) == 0.0);
    // The time of one call that receives is none of an upload, and this end knows of no errors.
    let of_far = &upload.far.result.main().metrics;
    let names: Vec<&str> = of_far.keys().map(|name| name.as_str()).collect();
    assert!(of_far.contains_key(&metric::THROUGHPUT), "{names:?}");
    assert!(!of_far.contains_key(&metric::ERROR_SHARE), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("latency_")), "{names:?}");
    has_account(&upload.near);
}

#[test]
fn an_answer_is_the_same_however_it_is_sent() {
    let workload = called(DOWNLOAD);
    let fetched = |way: &str, buffer: &str, streams: &str, sum: &str| {
        let given = [
            ("url", "peer"),
            ("answer", "5000001"),
            ("until", "end"),
            ("move", way),
            ("buffer", buffer),
            ("streams", streams),
            ("verify", sum),
        ];
        attempt(workload, &surveyed(workload, &given).unwrap(), &TrialConditions::default()).0
    };
    let wrong = fetched("buffer", "64k", "1", &sha256(b"another")).unwrap_err().to_string();
    let (_, found) = wrong.split_once("sha256:").unwrap();
    let found = format!("sha256:{}", &found[..64]);
    for (way, buffer, streams) in [("buffer", "4k", "1"), ("buffer", "1m", "2"), ("io_uring", "64k", "2")] {
        assert!(fetched(way, buffer, streams, &found).unwrap().outcome.done_bytes > 5e6, "{way} {buffer}");
    }
}

#[test]
fn a_file_of_the_other_end_arrives_as_it_is() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("served");
    let bytes = content(3_000_017);
    std::fs::write(&path, &bytes).unwrap();
    let (path, sum) = (path.to_str().unwrap(), sha256(&bytes));
    for (streams, inward) in [("1", false), ("2", true)] {
        let given = [("serve-file", path), ("verify", &*sum), ("until", "end"), ("streams", streams)];
        let both = both(DOWNLOAD, &given, inward);
        let all = bytes.len() as f64 * streams.parse::<f64>().unwrap();
        let (came, went) = (both.near.outcome.done_bytes, both.far.outcome.done_bytes);
        assert!(is_same(came, all) && is_same(went, all), "{streams}: {came} {went}");
        assert_eq!(fact(&both.far, "served_from").to_string(), "a file, by sendfile");
        // What was just written is in the page cache, and the end that asks tells it too.
        let facts = &both.united.main().facts;
        let share = facts.get(&FactName::new("served_cached_share")).and_then(Value::number);
        assert!(share.is_none_or(|share| share > 0.9), "{facts:?}");
        assert!(facts.contains_key(&FactName::new("served_from")), "{facts:?}");
    }
    let problem = surveyed(called(DOWNLOAD), &[("url", "peer"), ("serve-file", "served")]).unwrap_err();
    assert!(problem.message.contains("not an absolute path"), "{problem:?}");
    // Nothing of the other machine's files is asked here.
    let far = [("url", "peer"), ("peer", "headroom://b:7117#x"), ("serve-file", "/no/such/file")];
    surveyed(called(DOWNLOAD), &far).unwrap();
    let problem = surveyed(called(DOWNLOAD), &[far[0], far[2]]).unwrap_err();
    assert!(problem.message.contains("cannot be read"), "{problem:?}");
}

#[test]
fn an_other_end_that_dies_is_noticed_at_once() {
    for given in [[("answer", "1t"), ("duration", "60s")], [("size", "1m"), ("duration", "60s")]] {
        let workload = called(if given[0].0 == "size" { UPLOAD } else { DOWNLOAD });
        let all = [&[("url", "peer")], &given[..]].concat();
        let begin = Instant::now();
        let beside =
            TrialConditions { far_dies: Some(Duration::from_millis(100)), ..TrialConditions::default() };
        let (near, _) = attempt(workload, &surveyed(workload, &all).unwrap(), &beside);
        let fault = near.unwrap_err().to_string();
        assert!(fault.contains("closed its connection in the middle"), "{fault}");
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn what_an_other_end_cannot_be_is_refused() {
    let alone = super::run(DOWNLOAD, &[("url", "peer")]).unwrap_err();
    assert!(alone.contains("there is no other one"), "{alone}");
    let alone = super::run(REQUESTS, &[("url", "peer")]).unwrap_err();
    assert!(alone.contains("no URL of HTTP"), "{alone}");
    for workload in [DOWNLOAD, UPLOAD] {
        let given = [("url", "peer"), ("headers", "/dev/null")];
        let problem = surveyed(called(workload), &given).unwrap_err();
        assert!(problem.message.contains("url=peer is none"), "{problem:?}");
    }
    let problem = surveyed(called(DOWNLOAD), &[("url", "peer"), ("http", "2")]).unwrap_err();
    assert!(problem.message.contains("the other end of a load speaks HTTP/1.1 only"), "{problem:?}");
}

/// The end that answers is surveyed too, with the parameters of the other one but for those that name files.
#[test]
fn the_end_that_answers_needs_no_file_for_what_the_other_one_does_with_it() {
    let given = [("url", "peer"), ("direct", "yes"), ("move", "io_uring"), ("sync", "end")];
    surveyed(called(DOWNLOAD), &given).unwrap();
}
