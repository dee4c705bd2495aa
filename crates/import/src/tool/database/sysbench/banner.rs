//! What sysbench says before it begins, and lines without figures. Each version has other words for
//! the same: they become the options of sysbench 1.0.

use super::report::SysbenchTest;
use super::report::SysbenchTest::{Cpu, Fileio, Memory, Mutex, Oltp, Threads};

/// What a line of the heading tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BannerLine {
    /// The test, where only that one prints such a line.
    pub(super) test: Option<SysbenchTest>,
    /// Options with their values.
    pub(super) options: Vec<(&'static str, String)>,
}

/// Names before a colon, with the option whose value follows.
const LABELS: &[(&str, &str, Option<SysbenchTest>)] = &[
    ("Number of threads", "threads", None),
    ("Warmup time", "warmup-time", None),
    ("Target transaction rate", "rate", None),
    ("Prime numbers limit", "cpu-max-prime", Some(Cpu)),
    ("Primer numbers limit", "cpu-max-prime", Some(Cpu)),
    ("Maximum prime number checked in CPU test", "cpu-max-prime", Some(Cpu)),
    ("block size", "memory-block-size", Some(Memory)),
    ("total size", "memory-total-size", Some(Memory)),
    ("operation", "memory-oper", Some(Memory)),
    ("scope", "memory-scope", Some(Memory)),
    ("Memory block size", "memory-block-size", Some(Memory)),
    ("Memory transfer size", "memory-total-size", Some(Memory)),
    ("Memory operations type", "memory-oper", Some(Memory)),
    ("Memory scope type", "memory-scope", Some(Memory)),
    ("Extra file open flags", "file-extra-flags", Some(Fileio)),
    ("Number of IO requests", "events", Some(Fileio)),
    ("Number of random requests for random IO", "events", Some(Fileio)),
    ("Read/Write ratio for combined random IO test", "file-rw-ratio", Some(Fileio)),
];

/// What stands before and behind a value, with its option.
const SENTENCES: &[(&str, &str, &str)] = &[
    ("Periodic FSYNC enabled, calling fsync() each ", " requests.", "file-fsync-freq"),
    ("Maximum number of requests for OLTP test is limited to ", "", "events"),
];

/// Lines that say an option.
const WORDS: &[(&str, &str, &str)] = &[
    ("Calling fsync() at the end of test, Enabled.", "file-fsync-end", "on"),
    ("Calling fsync() after each write operation.", "file-fsync-all", "on"),
    ("Using synchronous I/O mode", "file-io-mode", "sync"),
    ("Using asynchronous I/O mode", "file-io-mode", "async"),
    ("Using fast mmaped I/O mode", "file-io-mode", "mmap"),
    ("Using slow mmaped I/O mode", "file-io-mode", "mmap"),
    ("Doing sequential write (creation) test", "file-test-mode", "seqwr"),
    ("Doing sequential rewrite test", "file-test-mode", "seqrewr"),
    ("Doing sequential read test", "file-test-mode", "seqrd"),
    ("Doing random read test", "file-test-mode", "rndrd"),
    ("Doing random write test", "file-test-mode", "rndwr"),
    ("Doing random r/w test", "file-test-mode", "rndrw"),
];

/// Lines that tell the test.
const TESTS: &[(&str, SysbenchTest)] = &[
    ("Doing CPU performance benchmark", Cpu),
    ("Doing memory operations speed test", Memory),
    ("Running memory speed test with the following options", Memory),
    ("Doing thread subsystem performance test", Threads),
    ("Doing mutex performance test", Mutex),
    ("Doing OLTP test", Oltp),
    ("Running mixed OLTP test", Oltp),
    ("Running simple OLTP test", Oltp),
    ("Running non-transactional test", Oltp),
    ("Running stored procedure test", Oltp),
];

/// Beginnings of other lines that it prints.
const PHRASES: &[&str] = &[
    "Running the test with following options",
    "Initializing ",
    "No DB drivers specified, using ",
    "Random number generator seed is ",
    "Threads started",
    "Done.",
    "WARNING: ",
    "Debug mode enabled",
    "Validation ",
    "Additional request validation",
    "Using checksums validation",
    "Forcing shutdown in ",
    "Report checkpoint(s) at ",
    "Merging requests ",
    "Warming up for ",
    "Time limit exceeded",
    "(last message repeated",
    "Number of unfinished transactions",
    "Doing read-only test",
    "Reconnecting to server",
    "Using Uniform distribution",
    "Using Normal distribution",
    "Using Special distribution",
    "Using \"",
    "Using auto_inc",
    "Not using auto_inc",
    "Skipping BEGIN/COMMIT",
    "Creating ",
    "Reusing existing file ",
    "Extending existing file ",
    "Inserting ",
    "Removing test files",
    "Dropping table ",
    "No bytes written",
    "Latency histogram",
];

/// The version on its first line: `sysbench 1.0.20 (using ...)`, `sysbench v0.4.7:  multi-threaded ...`.
pub(super) fn version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("sysbench ")?;
    let rest = rest.strip_prefix('v').unwrap_or(rest);
    let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_first =
        version.ends_with(':') && rest.contains("system evaluation") || rest.starts_with("(using ");
    let version = version.trim_end_matches(':');
    (is_first && version.starts_with(|c: char| c.is_ascii_digit())).then_some(version)
}

/// What a line of the heading says; `None` if it is no such line.
pub(super) fn read(text: &str) -> Option<BannerLine> {
    let label = text.split_once(':').and_then(|(label, value)| {
        let (_, option, test) = LABELS.iter().find(|(known, ..)| *known == label)?;
        Some(BannerLine { test: *test, options: value_of(option, value.trim()) })
    });
    label.or_else(|| threads_test(text)).or_else(|| sizes(text)).or_else(|| sentence(text)).or_else(|| {
        let is_known = PHRASES.iter().any(|phrase| text.starts_with(phrase)) || is_histogram(text);
        is_known.then(BannerLine::default)
    })
}

fn value_of(option: &'static str, value: &str) -> Vec<(&'static str, String)> {
    let value = match (option, value) {
        (_, "") | ("file-extra-flags", "(none)" | "0") => return Vec::new(),
        ("file-extra-flags", flags) => flags.replace("directio", "direct"),
        ("rate", rate) => rate.trim_end_matches("/sec").to_owned(),
        ("warmup-time", time) => time.trim_end_matches('s').to_owned(),
        (_, value) => value.to_owned(),
    };
    vec![(option, value)]
}

/// `Thread yields per test: 1000 Locks used: 8`.
fn threads_test(text: &str) -> Option<BannerLine> {
    let (yields, locks) = text.strip_prefix("Thread yields per test: ")?.split_once(" Locks used: ")?;
    let options =
        vec![("thread-yields", yields.trim().to_owned()), ("thread-locks", locks.trim().to_owned())];
    Some(BannerLine { test: Some(Threads), options })
}

/// `128 files, 16MiB each`, `2GiB total file size`, `Block size 16KiB`.
fn sizes(text: &str) -> Option<BannerLine> {
    let of = |options: Vec<(&'static str, &str)>| {
        let options = options.into_iter().map(|(option, value)| (option, value.to_owned())).collect();
        Some(BannerLine { test: Some(Fileio), options })
    };
    if let Some(size) = text.strip_prefix("Block size ") {
        return of(vec![("file-block-size", size)]);
    }
    if let Some(size) = text.strip_suffix(" total file size") {
        return of(vec![("file-total-size", size)]);
    }
    let (files, rest) = text.split_once(" files, ")?;
    let is_number = !files.is_empty() && files.chars().all(|c| c.is_ascii_digit());
    let (_, rest) = rest.split_once(" each").filter(|_| is_number)?;
    match rest.strip_prefix(", ").and_then(|rest| rest.strip_suffix(" total")) {
        Some(total) => of(vec![("file-num", files), ("file-total-size", total)]),
        None => of(vec![("file-num", files)]),
    }
}

fn sentence(text: &str) -> Option<BannerLine> {
    for (before, behind, option) in SENTENCES {
        if let Some(value) = text.strip_prefix(*before).and_then(|rest| rest.strip_suffix(*behind)) {
            return Some(BannerLine { test: None, options: vec![(*option, value.to_owned())] });
        }
    }
    if let Some((_, option, value)) = WORDS.iter().find(|(words, ..)| text == *words) {
        return Some(BannerLine { test: Some(Fileio), options: vec![(*option, (*value).to_owned())] });
    }
    let (_, test) = TESTS.iter().find(|(words, _)| text.starts_with(*words))?;
    Some(BannerLine { test: Some(*test), options: Vec::new() })
}

/// A line of a histogram, `0.004 |****    934`, or its heading.
fn is_histogram(text: &str) -> bool {
    if text.starts_with("value ") && text.ends_with(" count") {
        return true;
    }
    let Some((value, rest)) = text.split_once(" |") else { return false };
    let count = rest.trim_start_matches('*').trim();
    value.parse::<f64>().is_ok() && count.parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_every_version_is_known() {
        for (text, expected) in [
            ("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)", Some("1.0.20")),
            ("sysbench 1.1.0-de18a03 (using bundled LuaJIT 2.1.0-beta3)", Some("1.1.0-de18a03")),
            ("sysbench 0.4.12:  multi-threaded system evaluation benchmark", Some("0.4.12")),
            ("sysbench v0.4.7:  multi-threaded system evaluation benchmark", Some("0.4.7")),
            ("sysbench 0.5 is older", None),
            ("sysbench cpu run", None),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
    }

    #[test]
    fn headings_of_every_version_become_the_same_options() {
        let options = |text: &str| {
            let read = read(text).unwrap_or_else(|| panic!("{text}"));
            let each: Vec<String> =
                read.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
            each.join(" ")
        };
        for (text, expected) in [
            ("Primer numbers limit: 20000", "cpu-max-prime=20000"),
            ("Memory block size: 1K", "memory-block-size=1K"),
            ("block size: 1KiB", "memory-block-size=1KiB"),
            ("Target transaction rate: 50/sec", "rate=50"),
            ("128 files, 16Mb each", "file-num=128"),
            ("4 files, 8192Kb each, 32Mb total", "file-num=4 file-total-size=32Mb"),
            ("Extra file open flags: directio", "file-extra-flags=direct"),
            ("Extra file open flags: (none)", ""),
            ("Periodic FSYNC enabled, calling fsync() each 100 requests.", "file-fsync-freq=100"),
            ("Doing random r/w test", "file-test-mode=rndrw"),
            ("Thread yields per test: 1000 Locks used: 8", "thread-yields=1000 thread-locks=8"),
            ("0.004 |**** 934", ""),
            ("Threads started!", ""),
        ] {
            assert_eq!(options(text), expected, "{text}");
        }
        assert_eq!(read("It was a good day"), None);
        assert_eq!(read("many files, 3 of each"), None);
    }
}
