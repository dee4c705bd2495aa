//! Places of a target instead of all of it (`disk --places`), and the rate over them.

use serde_json::json;

use crate::common::StoryFolder;

#[test]
fn places_are_visited_instead_of_the_whole_span() {
    let place = StoryFolder::new();
    let words =
        ["run", "disk", "--pattern", "read", "--size", "288MiB", "--block-size", "1MiB", "--trials", "1"];
    let (code, document) = place.document(&[&words[..], &["--until", "end", "--places", "3"]].concat());
    assert_eq!(code, 0, "{document}");
    let profile = &document["cases"][0]["loads"][0]["profile"];
    let mib = 1_u64 << 20;
    assert_eq!(profile["places"], json!({ "count": 3, "bytes": 64 * mib, "every": 96 * mib }));
    // What was read is what is touched, and not the span.
    assert_eq!(profile["span_bytes"], json!(192 * mib));
    let metrics = &document["cases"][0]["trials"][0]["loads"][0]["metrics"];
    let moved =
        metrics["throughput"]["value"].as_f64().unwrap() * metrics["elapsed"]["value"].as_f64().unwrap();
    // A slow start may be cut off.
    assert!(moved < 1.05 * (192 * mib) as f64 && moved > (48 * mib) as f64, "{moved}");
}
