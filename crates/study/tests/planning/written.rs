//! What the trials of a plan write to disks.

use study::plan::written::{PlannedWrites, most_trials, writes};

use super::pretending::{Pretender, planned, study};

const USUAL: [(&str, &str); 4] =
    [("target", "/x"), ("block-size", "4k"), ("duration", "10s"), ("warm-up", "1s")];

/// What is written to the disk at the end of each path, with a file of 1 MiB that is made once.
fn to_disk(options: &[(&str, &str)]) -> Option<PlannedWrites> {
    let all = [&USUAL[..], options].concat();
    let planned = planned(&study("disk", &all), &mut Pretender::default()).unwrap();
    let plan = &planned.plan;
    let all = writes(plan, |case| most_trials(plan, case), |name| name == "sda");
    assert!(all.keys().all(|name| name == "sda"), "{all:?}");
    all.get("sda").copied()
}

#[test]
fn a_rate_and_a_size_are_known_and_what_has_neither_is_told_as_time() {
    const FILE: f64 = 1_048_576.0;
    let write = [("pattern", "write"), ("trials", "3")];
    let known = |bytes: f64| Some(PlannedWrites { known_bytes: FILE + bytes, open_s: 0.0 });
    // Three windows of 10 s, with warm-ups of 1 s.
    let at_a_rate = to_disk(&[&write[..], &[("rate", "100")]].concat());
    assert_eq!(at_a_rate, known(3.0 * 11.0 * 100.0 * 4096.0));
    let open = to_disk(&write);
    assert_eq!(open, Some(PlannedWrites { known_bytes: FILE, open_s: 33.0 }));
    // Bug: the warm-ups of loads of a size were left out.
    let of_a_size = to_disk(&[&write[..], &[("bytes", "8m")]].concat());
    assert_eq!(of_a_size, Some(PlannedWrites { known_bytes: FILE + 3.0 * 8.0 * FILE, open_s: 3.0 }));
    // The most trials that may come.
    let bounds = [("pattern", "write"), ("trials", "3..6"), ("precision", "2%"), ("rate", "100")];
    assert_eq!(to_disk(&bounds), known(6.0 * 11.0 * 100.0 * 4096.0));
    let read = to_disk(&[("pattern", "read"), ("trials", "3")]);
    assert_eq!(read, known(0.0), "the file alone");
}

/// Bug: of a rate that is searched one window counted, and its search is several.
#[test]
fn a_search_of_a_rate_writes_in_each_of_its_windows() {
    let searched = to_disk(&[("pattern", "write"), ("trials", "3"), ("latency-target", "10ms@99%")]);
    // Four windows of 10 s, and a warm-up of 1 s.
    assert_eq!(searched, Some(PlannedWrites { known_bytes: 1_048_576.0, open_s: 3.0 * 41.0 }));
}
