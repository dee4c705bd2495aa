//! The first line and the rows, of situations that are made here.

use language::{LANGUAGES, Language};

use super::*;
use crate::limit_book::LimitBook;
use crate::phases::{DiskPhases, TracedPhases};
use crate::situation::tests::{Fake, book, situation};

fn english(readings: &Fake, book: &LimitBook) -> String {
    first_line(Language::English.words(), &situation(readings, book, &[]))
}

#[test]
fn the_first_line_says_what_is_nearest_to_full_and_how_much_more_it_would_bear() {
    let known = book(&[(4096.0, 10_000.0), (65_536.0, 2_000.0)]);
    let disk = Fake::default().cpu(0.2).disk("sda", 3_000.0, 1_000.0, 8_192.0, 0.002);
    assert_eq!(
        english(&disk, &known),
        "disk sda: 40 to 80 % of what it gave at mixes like this; about 1.2 to 2.5 times this load until it is full"
    );
    assert_eq!(
        english(&Fake::default().cpu(0.5), &known),
        "all CPUs: 25 % of all 2; about 4.0 times this load until it is full"
    );
    assert_eq!(english(&Fake::default().cpu(1.98), &known), "all CPUs: full, with 99 % of all 2");
    let idle = english(&Fake::default().cpu(0.004), &known);
    assert!(idle.starts_with("all CPUs: ") && idle.ends_with(" of all 2; hardly used"), "{idle}");
}

#[test]
fn one_sample_tells_nothing_yet() {
    let found = situation(&Fake::default().cpu(0.5), &LimitBook::default(), &[]);
    let words = Language::English.words();
    assert_ne!(first_line(words, &found), words.say("watch-starting"));
    let begun = Situation { window_s: 0.0, ..found };
    assert_eq!(first_line(words, &begun), words.say("watch-starting"));
}

/// Where several are full, more of one alone would not help.
#[test]
fn what_else_is_full_is_named_too() {
    let known = book(&[(4096.0, 10_000.0)]);
    let both = Fake::default().cpu(2.0).disk("sda", 9_900.0, 0.0, 4096.0, 0.001);
    assert_eq!(english(&both, &known), "all CPUs: full, with 100 % of all 2; also full: disk sda");
}

/// What works and was never measured may be full before what is nearest of the rest.
#[test]
fn what_works_and_nobody_measured_is_named_behind_what_is_nearest() {
    let download = Fake::default().cpu(0.2).nic("eth0", 12e6, 8_300.0);
    assert_eq!(
        english(&download, &LimitBook::default()),
        "all CPUs: 10 % of all 2; about 10 times this load until it is full; what network interface eth0 could do is \
         unknown"
    );
    let trickle = Fake::default().cpu(0.2).nic("eth0", 12e3, 83.0);
    assert!(!english(&trickle, &LimitBook::default()).contains("unknown"));
    let full = Fake::default().cpu(2.0).nic("eth0", 12e6, 8_300.0);
    assert_eq!(english(&full, &LimitBook::default()), "all CPUs: full, with 100 % of all 2");
    let disk = Fake::default().cpu(0.2).disk("sda", 700.0, 0.0, 4096.0, 0.001);
    assert!(english(&disk, &LimitBook::default()).ends_with("; what disk sda could do is unknown"));
}

#[test]
fn a_machine_that_does_not_answer_is_named() {
    let found = situation(&Fake::default().cpu(0.5), &LimitBook::default(), &[]);
    let silent = Situation { silent: vec!["db2".to_owned()], ..found };
    let line = first_line(Language::English.words(), &silent);
    assert!(line.ends_with("; db2 does not answer"), "{line}");
}

#[test]
fn the_row_of_a_disk_tells_where_the_time_went() {
    let disk = Fake::default().disk("sda", 4_000.0, 0.0, 4096.0, 0.001);
    let way = WayPhases {
        class: IoClass::Read,
        count: 4_000,
        request_s: Some(1.2e-6),
        driver_s: Some(9e-6),
        device_s: Some(1.1e-4),
        device_slow_s: Some(3e-4),
    };
    let disks = vec![DiskPhases { device: "sda".to_owned(), ways: vec![way] }];
    let traced = TracedPhases { disks, events_per_s: 16_000.0, broken: None };
    let found = situation(&disk, &LimitBook::default(), &[]);
    let found = Situation { traced: Some(traced), own_cpu: Some(0.02), ..found };
    let words = Language::English.words();
    let all = rows(words, &found);
    let row = all.iter().find(|row| row.name == "disk sda").unwrap();
    assert_eq!(
        row.phases,
        "reads: 9 us until the driver had them, of it 1.2 us for a request, then 110 us at the device, 1 in 100 more \
         than 300 us"
    );
    let cost = crate::screen::cost_text(words, &found).unwrap();
    assert_eq!(
        cost,
        "Watching and tracing take 2 % of a CPU; events at 16 k/s also take time of who does I/O"
    );
}

#[test]
fn the_row_of_a_disk_names_the_mixes_their_age_and_the_knee() {
    let known = book(&[(4096.0, 10_000.0)]);
    let disk = Fake::default().disk("sda", 4_000.0, 0.0, 4096.0, 0.001);
    let all = rows(Language::English.words(), &situation(&disk, &known, &[]));
    let row = all.iter().find(|row| row.name == "disk sda").unwrap();
    assert_eq!((row.share.as_str(), row.fullness), ("40 %", Fullness::Free));
    assert_eq!(row.limit, "10 k/s (measured 28 d 0 h ago: 4 KiB random, 100 % reads; full from 8 in flight)");
    assert_eq!(row.now, "read 4 k/s, 16.4 MB/s, 1 ms; write 0 /s, 0 B/s, -; 4.0 in flight");
}

#[test]
fn what_nobody_measured_is_unknown_and_its_study_can_be_typed() {
    let disk = Fake::default().disk("sda", 700.0, 300.0, 16_384.0, 0.001);
    let all = rows(Language::English.words(), &situation(&disk, &LimitBook::default(), &[]));
    let row = all.iter().find(|row| row.name == "disk sda").unwrap();
    assert_eq!((row.share.as_str(), row.fullness), ("unknown", Fullness::Unknown));
    assert!(row.limit.ends_with("headroom run disk --target /data --pattern randrw --read-share 70% --block-size 16k,32k --queue-depth 1..64"), "{row:?}");
    assert_eq!(command(&["run".to_owned(), "a b".to_owned()]), "headroom run 'a b'");
}

#[test]
fn every_language_says_it_with_the_same_figures() {
    let known = book(&[(4096.0, 10_000.0)]);
    let disk = Fake::default().cpu(0.1).disk("sda", 4_000.0, 0.0, 4096.0, 0.001);
    let found = situation(&disk, &known, &[]);
    for language in LANGUAGES {
        let line = first_line(language.words(), &found);
        assert!(line.contains("sda") && line.contains("40 %") && line.contains("2.5"), "{line}");
    }
}

#[test]
fn a_name_of_a_machine_moves_no_cursor() {
    let named = name(Language::English.words(), &Resource::from("cgroup:/a\u{1b}[2J@sda"));
    assert_eq!(named, "control group /a\u{fffd}[2J on sda");
}
