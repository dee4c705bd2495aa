//! The tables that blkparse prints behind the events: of each CPU and of all.

use std::collections::BTreeMap;

use super::event_lines::is_of_device;

/// Rows by their names.
type Rows = BTreeMap<String, String>;

/// The tables of two captures must be the same. What is left out:
/// - the depths, which go by the order of events of different CPUs;
/// - the rates, which go by the times of the first event and the last;
/// - whether an unplug was by a timer, which the kernel's trace event does not tell.
pub(super) fn assert_same_totals(theirs: &str, ours: &str) {
    let (theirs, ours) = (tables(theirs), tables(ours));
    assert!(theirs.keys().any(|title| title.starts_with("CPU")), "{theirs:#?}");
    assert_eq!(theirs, ours, "blktrace's and ours");
}

/// The tables by their titles; what stands below them has none.
fn tables(text: &str) -> BTreeMap<String, Rows> {
    let mut tables: BTreeMap<String, Rows> = BTreeMap::new();
    let mut title = String::new();
    for line in text.lines().filter(|line| !is_of_device(line)) {
        if line.starts_with(' ') {
            let rows = tables.entry(title.clone()).or_default();
            rows.extend(line.split('\t').filter_map(row));
        } else if let Some((named, "")) = line.split_once(':') {
            named.clone_into(&mut title);
        } else {
            title.clear();
            tables.entry(title.clone()).or_default().extend(row(line));
        }
    }
    for rows in tables.values_mut() {
        for left_out in ["Read depth", "Write depth", "Throughput (R/W)"] {
            rows.remove(left_out);
        }
        join_unplugs(rows);
    }
    // Messages are entries to newer versions, and may be all that a CPU has.
    let messages = text.lines().filter(|line| is_message(line)).count() as u64;
    for (name, value) in tables.entry(String::new()).or_default() {
        if name.starts_with("Events") {
            *value = (number(value) - messages).to_string();
        }
    }
    tables.retain(|title, rows| title.is_empty() || rows.values().any(|value| number(value) > 0));
    tables
}

/// A row, without the separators of thousands and with single spaces.
fn row(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once(':')?;
    let value: Vec<String> = value.split_whitespace().map(|word| word.replace(',', "")).collect();
    Some((name.trim().to_owned(), value.join(" ")))
}

/// All unplugs as one row.
fn join_unplugs(rows: &mut Rows) {
    let [io, timer] = ["IO unplugs", "Timer unplugs"].map(|name| rows.remove(name));
    if let Some((io, timer)) = io.zip(timer) {
        rows.insert("unplugs".to_owned(), (number(&io) + number(&timer)).to_string());
    }
}

/// The number with which a value begins.
fn number(value: &str) -> u64 {
    let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|e| panic!("`{value}`: {e}"))
}

fn is_message(line: &str) -> bool {
    is_of_device(line) && line.split_whitespace().nth(5) == Some("m")
}
