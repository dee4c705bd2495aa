//! The lists of vmstat: what each disk did since the machine started (`-d`), and what memory holds (`-s`).

use std::collections::HashMap;

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use crate::tool::block::ToolLine;
use crate::tool::number::{exact, plain, whole};
use crate::tool::reader::Extent;

/// The headings of `-d`, behind the name of the disk.
const OF_DISKS: &[&str] =
    &["total", "merged", "sectors", "ms", "total", "merged", "sectors", "ms", "cur", "sec"];

/// What stands below them.
const COUNTERS: &[(MetricName, CounterUnit)] = &[
    (MetricName::new("read_operations"), CounterUnit::Count),
    (MetricName::new("read_merges"), CounterUnit::Count),
    (MetricName::new("read_bytes"), CounterUnit::Sectors),
    (MetricName::new("read_time"), CounterUnit::Milliseconds),
    (MetricName::new("write_operations"), CounterUnit::Count),
    (MetricName::new("write_merges"), CounterUnit::Count),
    (MetricName::new("written_bytes"), CounterUnit::Sectors),
    (MetricName::new("write_time"), CounterUnit::Milliseconds),
    (MetricName::new("in_flight"), CounterUnit::Count),
    (MetricName::new("busy_time"), CounterUnit::Seconds),
];

/// What a counter counts. Sectors are of 512 bytes, whatever the device has (the kernel's
/// Documentation/admin-guide/iostats.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CounterUnit {
    Count,
    Sectors,
    Milliseconds,
    Seconds,
}

/// Lines of `-s` that have an amount of memory, behind its unit.
const MEMORY: &[(&str, MetricName)] = &[
    ("total memory", MetricName::new("memory_total")),
    ("used memory", MetricName::new("memory_used")),
    ("active memory", MetricName::new("memory_active")),
    ("inactive memory", MetricName::new("memory_inactive")),
    ("free memory", MetricName::new("memory_free")),
    ("buffer memory", MetricName::new("memory_buffers")),
    ("swap cache", MetricName::new("memory_page_cache")),
    ("total swap", MetricName::new("swap_total")),
    ("used swap", MetricName::new("swap_used")),
    ("free swap", MetricName::new("swap_free")),
    ("paged in", MetricName::new("read_bytes")),
    ("paged out", MetricName::new("written_bytes")),
];

/// Those that have a count.
const COUNTS: &[(&str, MetricName)] = &[
    ("interrupts", MetricName::new("interrupts")),
    ("CPU context switches", MetricName::new("context_switches")),
    ("forks", MetricName::new("forks")),
];

/// Others, of which nothing is read.
const OTHERS: &[&str] = &[
    "cpu ticks",
    "CPU ticks",
    "pages paged in",
    "pages paged out",
    "pages swapped in",
    "pages swapped out",
    "boot time",
];

/// `disk- ------------reads------------ ------------writes----------- -----IO------`.
fn is_title_of_disks(text: &str) -> bool {
    text.starts_with("disk-") && ["-reads-", "-writes-", "-IO-"].iter().all(|word| text.contains(word))
}

fn is_heading_of_disks(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(OF_DISKS.len()).collect();
    words == OF_DISKS
}

/// Whether a list begins with this line.
pub(super) fn begins(text: &str) -> bool {
    is_title_of_disks(text)
        || is_heading_of_disks(text)
        || memory(text).is_some_and(|row| row.0 == "total memory")
}

/// Whether `last` belongs to the list that begins with `first`; `None` if no list does.
pub(super) fn extent(first: &ToolLine, last: &ToolLine) -> Option<Extent> {
    if !begins(&first.text) {
        return None;
    }
    let text = last.text.as_str();
    let belongs = match memory(&first.text) {
        Some(_) => is_of_summary(text) && (last.number == first.number || !begins(text)),
        None => is_title_of_disks(text) || is_heading_of_disks(text) || disk(last).is_some(),
    };
    Some(if belongs { Extent::More } else { Extent::EndsBefore })
}

fn is_of_summary(text: &str) -> bool {
    let Some((_, rest)) = whole(text) else { return false };
    let what = rest.trim();
    memory(text).is_some()
        || COUNTS.iter().any(|(name, _)| *name == what)
        || OTHERS.iter().any(|end| what.ends_with(end))
}

/// The number, its unit and what it is of: `24684092 K total memory`.
fn memory(text: &str) -> Option<(&str, f64, u64)> {
    let (number, rest) = whole(text)?;
    let (unit, what) = rest.strip_prefix(' ')?.split_once(' ')?;
    let scale = match unit {
        "B" => 1.0,
        "k" => 1e3,
        // Early versions leave it out.
        "" | "K" => 1024.0,
        "m" => 1e6,
        "M" => 1_048_576.0,
        _ => return None,
    };
    MEMORY.iter().any(|(name, _)| *name == what).then_some((what, scale, number))
}

/// Puts what a list says into a result; false if it says nothing.
pub(super) fn fill(lines: &[ToolLine], result: &mut ToolResult) -> bool {
    let mut places: HashMap<String, usize> = HashMap::new();
    for line in lines {
        let Some(part) = disk(line) else {
            summary(line, &mut result.whole);
            continue;
        };
        // They are counters: the last list has all of those before.
        let place = *places.entry(part.name.clone()).or_insert(result.parts.len());
        match result.parts.get_mut(place) {
            Some(known) => *known = part,
            None => result.parts.push(part),
        }
    }
    result.options.insert("since".to_owned(), "boot".to_owned());
    !result.parts.is_empty() || !result.whole.figures.is_empty()
}

fn summary(line: &ToolLine, whole_of_it: &mut ToolMeasurement) {
    if let Some((what, scale, number)) = memory(&line.text) {
        let metric = MEMORY.iter().find(|(name, _)| *name == what).map(|(_, metric)| *metric);
        let text = line.text.trim().trim_end_matches(what).trim_end();
        let half_step = if scale > 1.0 { scale / 2.0 } else { 0.0 };
        let printed =
            PrintedValue { half_step, ..plain(line.number, text, number as f64 * scale, Unit::Bytes) };
        if let Some(metric) = metric {
            whole_of_it.add(metric, Some(printed));
        }
    } else if let Some((number, rest)) = whole(&line.text)
        && let Some((_, metric)) = COUNTS.iter().find(|(name, _)| *name == rest.trim())
    {
        whole_of_it.add(*metric, Some(exact(line.number, number, Unit::One)));
    }
}

/// A row of `-d`. A moment may stand behind it.
fn disk(line: &ToolLine) -> Option<ToolPart> {
    let mut words = line.text.split_whitespace();
    let name = words.next().filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let mut measured = ToolMeasurement::default();
    for (metric, unit) in COUNTERS {
        let (number, "") = whole(words.next()?)? else { return None };
        let value = number as f64;
        let printed = match unit {
            CounterUnit::Count => exact(line.number, number, Unit::One),
            CounterUnit::Sectors => {
                plain(line.number, format!("{number} sectors"), value * 512.0, Unit::Bytes)
            }
            CounterUnit::Milliseconds => {
                plain(line.number, format!("{number} ms"), value / 1e3, Unit::Seconds)
            }
            CounterUnit::Seconds => plain(line.number, format!("{number} s"), value, Unit::Seconds),
        };
        measured.add(*metric, Some(printed));
    }
    Some(ToolPart { kind: ToolPartKind::Target, name: name.to_owned(), start_s: None, measured })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<ToolLine> {
        (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
    }

    #[test]
    fn counters_of_disks_are_of_the_last_list() {
        let lines = lines(
            "disk- ------------reads------------ ------------writes----------- -----IO------\n       \
             total merged sectors      ms  total merged sectors      ms    cur    sec\n\
             vda  10 1 8 4 20 2 16 1500 0 7\nvda  11 1 16 4 20 2 16 1500 0 8\n",
        );
        let first = &lines[0];
        assert!(lines.iter().all(|line| extent(first, line) == Some(Extent::More)));
        let mut result = ToolResult::default();
        assert!(fill(&lines, &mut result));
        let figure = |name: &'static str| {
            result.parts[0].measured.figure(MetricName::new(name)).map(|printed| printed.value)
        };
        assert_eq!(
            (result.parts.len(), figure("read_bytes"), figure("write_time")),
            (1, Some(8192.0), Some(1.5))
        );
        assert_eq!(
            extent(first, &ToolLine { number: 9, text: "vda is full".to_owned() }),
            Some(Extent::EndsBefore)
        );
    }

    #[test]
    fn memory_has_the_unit_of_its_line() {
        let lines = lines(
            "     2000 K total memory\n      100 m used memory\n     12 nice user cpu ticks\n      7 forks\n",
        );
        assert!(lines.iter().all(|line| extent(&lines[0], line) == Some(Extent::More)));
        let mut result = ToolResult::default();
        assert!(fill(&lines, &mut result));
        let values: Vec<f64> = result.whole.figures.iter().map(|figure| figure.printed.value).collect();
        assert_eq!(values, [2_048_000.0, 1e8, 7.0]);
        assert_eq!(memory("  1030800  total memory"), Some(("total memory", 1024.0, 1_030_800)));
        assert!(!begins("12 K of them") && !begins("100 K used memory"));
    }
}
