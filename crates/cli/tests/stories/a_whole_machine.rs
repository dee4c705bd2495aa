//! All of this machine in one run. It takes longer than any other story, and stories begin in the
//! order of their names: named otherwise, it would be waited for alone at the end.

use crate::common::StoryFolder;

#[test]
fn the_overview_measures_all_and_leaves_nothing() {
    let place = StoryFolder::new();
    let (code, document) = place.document(&[
        "run",
        "--duration",
        "50ms",
        "--warm-up",
        "10ms",
        "--trials",
        "2",
        "--size",
        "16MiB",
    ]);
    assert_eq!(code, 0, "{document}");
    let names: Vec<&str> = document["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["loads"][0]["workload"].as_str().unwrap())
        .collect();
    for workload in ["cpu.primes", "memory.bandwidth", "disk"] {
        assert!(names.contains(&workload), "{names:?}");
    }
    assert_eq!(place.names(), Vec::<String>::new());
}
