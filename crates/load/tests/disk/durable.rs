//! The rate until all was on the device: of which loads it is known.

use model::{Value, metric};
use std::sync::atomic::AtomicBool;

use load::workload::Load;
use load::workload::disk::Disk;

use crate::support::{self, Silent};

/// The rate until all was on the device, bytes written until then, and the fact
/// that is told where that is not known. The target has 4 MiB, 1024 blocks.
fn told(words: &str) -> (Option<(f64, f64)>, Option<f64>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let pair = |word: &'static str| word.split_once('=').unwrap();
    let words: Vec<_> = words.split_whitespace().map(|word| word.to_owned().leak() as &str).collect();
    let usual = [("size", "4MiB"), ("engine", "sync")];
    let changes: Vec<_> = words.iter().map(|word| pair(word)).chain(usual).collect();
    let (parameters, kept) = support::survey(support::parameters(folder.path(), &changes)).unwrap();
    let (outcome, facts) = support::run(&parameters, &kept, &Silent, &AtomicBool::new(false)).unwrap();
    let load = &outcome.loads[0];
    let metrics = Load::new(&Disk, parameters, 2).unwrap().metrics(load, outcome.window);
    let rate = metrics.get(&metric::THROUGHPUT_DURABLE).map(|q| q.value);
    let seconds = load.settled_ns.zip(load.span_ns).map(|(end, (start, _))| (end - start) as f64 / 1e9);
    let passes = facts.iter().find(|(name, _)| name.as_str() == "rewritten").map(|(_, value)| match value {
        Value::Number(passes) => *passes,
        other => panic!("{words:?}: {other:?}"),
    });
    (rate.map(|rate| (rate, rate * seconds.unwrap())), passes)
}

#[test]
fn what_was_overwritten_in_the_page_cache_is_on_no_device() {
    for (words, passes) in [
        ("direct=no pattern=randwrite requests=4096", Some(4.0)),
        ("direct=no pattern=randwrite requests=204", Some(0.199)),
        ("direct=no pattern=randwrite requests=100", None),
        ("direct=no pattern=randwrite requests=100 distribution=zipf", Some(0.0977)),
        ("direct=no pattern=randwrite requests=100 distribution=hot", Some(0.0977)),
        ("direct=no pattern=randwrite requests=1024 distribution=once", None),
        ("direct=no pattern=randwrite requests=1025 distribution=once", Some(1.0)),
        ("direct=no pattern=randwrite until=end distribution=once threads=2", None),
        ("direct=no pattern=write until=end", None),
        ("direct=no pattern=write until=end threads=3", None),
        ("direct=no pattern=write requests=1024", None),
        ("direct=no pattern=write requests=1100", Some(1.07)),
        ("direct=no pattern=write requests=512 span=1MiB", Some(2.0)),
        ("direct=no pattern=write requests=1100 sync=end", Some(1.07)),
        ("direct=yes pattern=write requests=1100 sync=end", None),
        ("direct=yes pattern=randwrite requests=1100 sync=end", None),
        ("engine=mmap pattern=randwrite requests=4096", Some(4.0)),
    ] {
        let (rate, rewritten) = told(words);
        assert_eq!(rewritten, passes, "{words}");
        assert_eq!(rate.is_some(), passes.is_none(), "{words}: {rate:?}");
    }
}

#[test]
fn reads_are_no_bytes_on_the_device() {
    for words in ["pattern=randrw read-share=60% requests=200", "pattern=readwrite read-share=60% until=end"]
    {
        let (rate, passes) = told(&format!("direct=no {words}"));
        assert_eq!(passes, None, "{words}");
        let moved = if words.contains("requests") { 200.0 * 4096.0 } else { 4194304.0 };
        let (_, written) = rate.unwrap();
        assert!(written < moved * 0.6 && written > moved * 0.2, "{words}: {written} of {moved}");
    }
    // Two passes of which the half writes: a quarter is written twice.
    let (rate, passes) = told("direct=no pattern=readwrite requests=2048");
    assert!(rate.is_none() && passes.is_some_and(|p| (0.8..1.2).contains(&p)), "{rate:?} {passes:?}");
}

#[test]
fn a_load_that_neither_writes_nor_settles_has_no_such_rate() {
    for words in
        ["pattern=randread requests=9", "pattern=write requests=9", "pattern=write requests=2000 sync=dsync"]
    {
        assert_eq!(told(words), (None, None), "{words}");
    }
}
