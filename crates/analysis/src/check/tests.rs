//! Real captures, with checks that each trips and others that it does not. They were made for this on
//! a virtual machine with two CPUs, by Debian's tools.

use std::path::{Path, PathBuf};

use model::{Finding, Severity};

use super::{ToolCheckContext, ToolCheckLook, checks};

/// A capture, the checks that it trips, and some that it does not.
type Capture = (&'static str, &'static [&'static str], &'static [&'static str]);

const CAPTURES: &[Capture] = &[
    (
        include_str!("captures/fio-3.33-deep-queue.txt"),
        &["latency-is-queue", "shorter-than-caches"],
        &["latency-contradicts-rate", "ended-by-size", "too-short-for-clock", "impossible-value"],
    ),
    (
        include_str!("captures/fio-3.33-shallow.txt"),
        &[],
        &[
            "latency-is-queue",
            "percentile-beyond-count",
            "shorter-than-caches",
            "ended-by-size",
            "clocks-disagree",
        ],
    ),
    (
        include_str!("captures/fio-3.33-early.txt"),
        &["ended-by-size", "percentile-beyond-count"],
        &["latency-contradicts-rate", "size-contradicts-operations", "shorter-than-caches"],
    ),
    (
        include_str!("captures/fio-3.33-uneven-jobs.txt"),
        &["ended-by-size", "too-short-for-clock"],
        &["sum-of-means", "total-contradicts-parts", "size-contradicts-operations"],
    ),
    (
        include_str!("captures/dd-9.1-two-at-once.txt"),
        &[],
        &["sum-of-means", "units-mixed", "rate-contradicts-amount"],
    ),
    (
        include_str!("../../../import/tests/tool/fixtures/hyperfine/hyperfine-1.15.0-no-winner.out"),
        &["within-spread"],
        &["own-warning", "single-run", "too-short-for-clock"],
    ),
    (
        include_str!("../../../import/tests/tool/fixtures/hyperfine/hyperfine-1.15.0-two-commands.out"),
        &[],
        &["within-spread", "own-warning", "single-run"],
    ),
    (
        include_str!("../../../import/tests/tool/fixtures/hyperfine/hyperfine-1.15.0-too-fast.out"),
        &["own-warning"],
        &["within-spread"],
    ),
];

/// What all checks find in a text, each said in every language.
fn found(text: &[u8]) -> Vec<Finding> {
    let output = import::tool::read("", text).unwrap();
    let context = ToolCheckContext::new(std::slice::from_ref(&output), None);
    let of_one = |look: &ToolCheckLook| -> Vec<Finding> {
        match look {
            ToolCheckLook::All(look) => look(&context),
            ToolCheckLook::EachResult(look) => {
                context.results.iter().flat_map(|result| look(result, &context)).collect()
            }
        }
    };
    crate::said::written(checks().flat_map(|check| of_one(&check.look)).collect())
}

#[test]
fn a_capture_trips_what_is_wrong_with_it() {
    for (text, trips, trips_not) in CAPTURES {
        let found = found(text.as_bytes());
        let codes: Vec<&str> = found.iter().map(|finding| finding.code.as_str()).collect();
        let title = text.lines().next().unwrap_or_default();
        for code in *trips {
            assert!(codes.contains(code), "{title}: {code} is missing in {codes:?}");
        }
        for code in *trips_not {
            assert!(!codes.contains(code), "{title}: {code}");
        }
    }
}

#[test]
fn two_copies_at_once_do_not_add_up_to_the_sum_of_their_means() {
    let copies = include_str!("captures/dd-9.1-two-at-once.txt");
    let codes = |said: &str| -> Vec<String> {
        found(format!("{copies}{said}\n").as_bytes()).into_iter().map(|finding| finding.code).collect()
    };
    assert!(codes("Both disks together: 1230 MB/s").contains(&"sum-of-means".to_owned()));
    assert!(!codes("Both disks together: 975 MB/s").contains(&"sum-of-means".to_owned()));
}

/// Codes of what is found in a text.
fn codes(text: &str) -> Vec<String> {
    found(text.as_bytes()).into_iter().map(|finding| finding.code).collect()
}

#[test]
fn what_arrived_is_held_against_the_link_that_ethtool_lists() {
    let text = |speed: &str| {
        format!(
            "Settings for eth0:\n\tSpeed: {speed}\n\tLink detected: yes\n\nConnecting to host 10.0.0.2, port 5201\n\
             [  5] local 10.0.0.1 port 50000 connected to 10.0.0.2 port 5201\n\
             [ ID] Interval           Transfer     Bitrate         Retr\n\
             [  5]   0.00-10.00  sec  1.10 GBytes   945 Mbits/sec    0             sender\n\
             [  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  receiver\n"
        )
    };
    assert!(codes(&text("100Mb/s")).contains(&"above-limit".to_owned()));
    assert!(!codes(&text("1000Mb/s")).contains(&"above-limit".to_owned()));
}

#[test]
fn a_mean_above_the_longest_round_trip_cannot_be() {
    let text = |mean: &str| {
        format!(
            "--- h ping statistics ---\n4 packets transmitted, 4 received, 0% packet loss, time 609ms\n\
             rtt min/avg/max/mdev = 0.036/{mean}/0.217/0.073 ms\n"
        )
    };
    assert!(codes(&text("0.391")).contains(&"impossible-value".to_owned()));
    assert!(!codes(&text("0.091")).contains(&"impossible-value".to_owned()));
}

#[test]
fn what_ab_transferred_is_held_against_its_rate() {
    let text = |rate: &str| {
        format!(
            "Concurrency Level:      5\nTime taken for tests:   2.250 seconds\nComplete requests:      500\n\
             Failed requests:        0\nTotal transferred:      150010250 bytes\n\
             Requests per second:    222.22 [#/sec] (mean)\nTransfer rate:          {rate} [Kbytes/sec] received\n"
        )
    };
    assert!(codes(&text("6510.86")).contains(&"rate-contradicts-amount".to_owned()));
    assert!(!codes(&text("65108.62")).contains(&"rate-contradicts-amount".to_owned()));
}

/// Captures of the importers, but those that were written or changed by hand.
fn captures_of_importers() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/tool/fixtures");
    let files = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_real = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_made = ["made", "from-documentation", "from-source", "lies", "published"];
        name.ends_with(".out") && !is_made.iter().any(|word| name.contains(word))
    };
    files(folder).filter(|path| path.is_dir()).flat_map(files).filter(is_real).collect()
}

#[test]
fn what_tools_really_printed_contradicts_nothing() {
    let captures = captures_of_importers();
    assert!(captures.len() > 10, "{captures:?}");
    let mut wrong = Vec::new();
    for path in captures {
        let errors = found(&std::fs::read(&path).unwrap()).into_iter();
        // Work that failed is no contradiction.
        let is_wrong =
            |finding: &Finding| finding.severity == Severity::Error && finding.code != "failed-operations";
        let errors = errors.filter(is_wrong);
        wrong.extend(errors.map(|finding| format!("{}: {}", path.display(), finding.text)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
