//! The figures that Headroom makes of a capture: of its own, of blktrace's, and those of btt beside them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::tools::BttReport;

/// What is said of a disk.
pub(super) fn of_disk<'a>(document: &'a Value, disk: &str) -> &'a Value {
    let devices = document["devices"].as_array().unwrap();
    devices.iter().find(|device| device["name"] == disk).unwrap_or_else(|| panic!("{disk}: {document:#}"))
}

/// Counts that do not go by the order of events of different CPUs.
const COUNTS: &[&str] = &[
    "/queued",
    "/merged",
    "/issued",
    "/requeued",
    "/completed",
    "/split",
    "/remapped",
    "/bios_per_request",
    "/asked/operations",
    "/sent/operations",
    "/flushes/asked",
    "/flushes/sent",
    "/errors",
    "/unfinished",
];

/// The same of sizes.
const SIZES: &[&str] = &["count", "bytes", "min", "median", "max", "each", "others"];

/// What Headroom makes of its own capture and of blktrace's must be the same, but for times, which
/// may differ by so much.
pub(super) fn assert_same_figures(own: &Value, theirs: &Value, disk: &str, spread_ns: f64) {
    assert_eq!(theirs["lost"]["times"], 0, "{:#}", theirs["lost"]);
    assert_eq!(own["block_events"], theirs["block_events"]);
    assert_eq!(threads(own), threads(theirs));
    let (own, theirs) = (of_disk(own, disk), of_disk(theirs, disk));
    for pointer in COUNTS {
        assert_same(own, theirs, pointer);
    }
    for way in ["asked", "sent"] {
        for class in ["read", "write", "other"] {
            for figure in SIZES {
                assert_same(own, theirs, &format!("/{way}/sizes/{class}/{figure}"));
            }
        }
    }
    let (own, theirs) = (phases(own), phases(theirs));
    assert_eq!(own.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    for (name, (count, mean_ns)) in &own {
        let (their_count, their_mean_ns) = theirs[name];
        assert_eq!(*count, their_count, "{name}");
        let differs = (mean_ns - their_mean_ns).abs() > spread_ns + 1.0;
        assert!(!differs, "{name}: {mean_ns} and {their_mean_ns}, events within {spread_ns} ns");
    }
}

fn assert_same(own: &Value, theirs: &Value, pointer: &str) {
    assert_eq!(own.pointer(pointer), theirs.pointer(pointer), "{pointer} of our capture and of blktrace's");
}

/// What each thread asked for.
fn threads(document: &Value) -> BTreeMap<u64, [&Value; 5]> {
    let threads = document["threads"].as_array().unwrap().iter();
    threads
        .map(|thread| {
            let figures = ["reads", "writes", "others", "flushes", "completed"].map(|name| &thread[name]);
            (thread["thread"].as_u64().unwrap(), figures)
        })
        .collect()
}

/// How many times of each phase there are, of whatever class, and their mean in nanoseconds.
fn phases(device: &Value) -> BTreeMap<String, (u64, f64)> {
    let phases = device["phases_ns"].as_object().unwrap().iter();
    phases
        .map(|(name, classes)| {
            let (mut count, mut total) = (0, 0.0);
            for class in classes.as_object().unwrap().values() {
                let times = class["count"].as_u64().unwrap();
                count += times;
                total += times as f64 * class["mean"].as_f64().unwrap();
            }
            (name.clone(), (count, total / count as f64))
        })
        .collect()
}

/// btt's names of phases, and ours.
const PHASES: &[(&str, &str)] = &[
    ("Q2G", "q2g"),
    ("Q2M", "q2m"),
    ("G2I", "g2i"),
    ("I2D", "i2d"),
    ("M2D", "m2d"),
    ("D2C", "d2c"),
    ("Q2C", "q2c"),
];

/// What Headroom makes of a capture must be what btt makes of it: how many were queued, merged and sent, what was
/// completed, and where the time went.
pub(super) fn assert_fits_btt(device: &Value, btt: &BttReport) {
    let data = |way: &str| -> u64 {
        let sizes = device[way]["sizes"].as_object().unwrap().values();
        sizes.map(|size| size["count"].as_u64().unwrap()).sum()
    };
    let both = |figure: &str, what: &str| -> u64 {
        ["reads", "writes"].iter().map(|way| device[figure][way][what].as_u64().unwrap()).sum()
    };
    // btt looks at what moves data, and counts what came back undone as queued once more.
    let issued = data("sent");
    let queued = (data("asked") + both("requeued", "count")).max(issued);
    let sectors = both("completed", "bytes") / 512;
    let [of_q, of_d, _, _, _, _, total] = btt.merges.as_slice() else { panic!("{btt:?}") };
    let found = [queued, issued, sectors].map(|count| count.to_string());
    assert_eq!([of_q, of_d, total], found.each_ref(), "btt's #Q, #D and sectors, and ours");
    let phases = phases(device);
    for (theirs, ours) in PHASES {
        btt.assert_has(theirs, phases.get(*ours).copied());
    }
    // And there was something to compare.
    assert!(btt.times.contains_key("D2C") && btt.times.contains_key("Q2Q"), "{btt:?}");
}
