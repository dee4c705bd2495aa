//! blkparse and btt, over blktrace's files of a disk.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{stderr, stdout};

/// Runs a program in a folder, where it may leave files.
fn run_in(folder: &Path, words: &[&str]) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder).stdin(Stdio::null());
    let output = command.output().unwrap_or_else(|e| panic!("{words:?} cannot be run: {e}"));
    assert!(output.status.success(), "{words:?}: {}{}", stdout(&output), stderr(&output));
}

/// blkparse's text of a disk. It also leaves what btt reads.
pub(super) fn blkparse(folder: &Path, disk: &str) -> String {
    let (dump, text) = (format!("{disk}.dump"), format!("{disk}.text"));
    run_in(folder, &["blkparse", "-i", disk, "-d", &dump, "-o", &text]);
    std::fs::read_to_string(folder.join(text)).unwrap()
}

/// A line of btt's table "All Devices", in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct BttTimes {
    min_ns: f64,
    mean_ns: f64,
    max_ns: f64,
    count: u64,
}

/// What btt prints, of one disk.
#[derive(Debug)]
pub(super) struct BttReport {
    /// By btt's letters: `D2C`.
    pub(super) times: BTreeMap<String, BttTimes>,
    /// Q, D, their ratio, and the least, mean, most and sum of sectors of completions.
    pub(super) merges: Vec<String>,
    /// How many times the place of the next one was looked at, of Q and of D.
    seeks: Vec<String>,
}

/// What btt says of a disk that [`blkparse`] read.
pub(super) fn btt(folder: &Path, disk: &str) -> BttReport {
    let (dump, name) = (format!("{disk}.dump"), format!("{disk}.btt"));
    run_in(folder, &["btt", "-i", &dump, "-o", &name]);
    BttReport::parse(&std::fs::read_to_string(folder.join(format!("{name}.avg"))).unwrap())
}

/// btt counts two events of one nanosecond as 1 apart, and rounds to whole ones.
const ROUNDED_NS: f64 = 2.0;

impl BttReport {
    fn parse(text: &str) -> Self {
        let mut report = Self { times: BTreeMap::new(), merges: Vec::new(), seeks: Vec::new() };
        let mut section = "";
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("==================== ") {
                section = title.trim_end_matches(['=', ' ']);
            }
            // A device's row begins with its number in brackets.
            let columns: Vec<&str> = line.split('|').collect();
            let is_of_device = line.trim_start().starts_with('(');
            match (section, columns.as_slice()) {
                ("All Devices", _) => report.times.extend(times(line)),
                ("Device Merge Information", [_, counts, blocks]) if is_of_device => {
                    let words = counts.split_whitespace().chain(blocks.split_whitespace());
                    report.merges.extend(words.map(str::to_owned));
                }
                ("Device Q2Q Seek Information" | "Device D2D Seek Information", [_, seeks, ..])
                    if is_of_device =>
                {
                    report.seeks.extend(seeks.split_whitespace().next().map(str::to_owned));
                }
                _ => {}
            }
        }
        assert!(report.merges.len() == 7 && report.seeks.len() == 2, "{report:?}\n{text}");
        report
    }

    /// Another's must be the same but for times, which may differ by so much. Left out is what goes by the order of
    /// events of different CPUs: the distances of seeks, the requests at Q, and how long the disk was plugged.
    pub(super) fn assert_same(&self, other: &Self, spread_ns: f64) {
        let counts = |report: &Self| -> BTreeMap<String, u64> {
            report.times.iter().map(|(name, times)| (name.clone(), times.count)).collect()
        };
        assert_eq!(counts(self), counts(other));
        assert_eq!((&self.merges, &self.seeks), (&other.merges, &other.seeks));
        for (name, times) in &self.times {
            let other = other.times[name];
            for (one, two) in
                [(times.min_ns, other.min_ns), (times.mean_ns, other.mean_ns), (times.max_ns, other.max_ns)]
            {
                let differs = (one - two).abs() > spread_ns + ROUNDED_NS;
                assert!(!differs, "{name}: {times:?}, {other:?}, events within {spread_ns} ns");
            }
        }
    }

    /// A mean must be btt's of the same capture, of as many.
    pub(super) fn assert_has(&self, name: &str, found: Option<(u64, f64)>) {
        let times = self.times.get(name);
        assert_eq!(times.map(|times| times.count), found.map(|(count, _)| count), "{name}: btt's N and ours");
        if let Some((times, (_, mean_ns))) = times.zip(found) {
            let differs = (times.mean_ns - mean_ns).abs() > ROUNDED_NS;
            assert!(!differs, "{name}: btt's mean is {} ns, ours {mean_ns} ns", times.mean_ns);
        }
    }
}

/// A line of times.
fn times(line: &str) -> Option<(String, BttTimes)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, min, mean, max, count] = words.as_slice() else { return None };
    let ns = |word: &str| word.parse::<f64>().ok().map(|seconds| seconds * 1e9);
    let times =
        BttTimes { min_ns: ns(min)?, mean_ns: ns(mean)?, max_ns: ns(max)?, count: count.parse().ok()? };
    Some(((*name).to_owned(), times))
}
