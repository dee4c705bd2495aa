//! Intel's Memory Latency Checker: latencies and bandwidths of memory, idle and under load, by node.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct MemoryLatencyChecker;

const NAME: &str = "mlc";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "MB/sec",
    counting: Counting::Decimal,
    proof: "it prints: Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)",
};

const RULES: &[CountingRule] = &[BYTES];

/// What its banner begins with.
const BANNER: &str = "Intel(R) Memory Latency Checker";

/// What it measures, by what the first line of it begins with.
const SECTIONS: &[(&str, Section)] = &[
    ("Measuring idle latencies", Section::IdleMatrix),
    ("Measuring Peak Injection Memory Bandwidths", Section::Peak),
    ("Measuring Maximum Memory Bandwidths", Section::Peak),
    ("Measuring Memory Bandwidths between nodes", Section::BandwidthMatrix),
    ("Measuring Loaded Latencies", Section::Loaded),
    ("Measuring cache-to-cache transfer latency", Section::CacheToCache),
];

/// What else its lines begin with.
const WORDS: &[&str] = &[
    "Command line parameters",
    "Using ",
    "Bandwidths are in ",
    "Will take several minutes",
    "Numa node",
    "Inject",
    "Delay",
    "Reader Numa Node",
    "Writer Numa Node",
    "Remote Socket",
    "Memory node",
    "(data address homed",
    "***",
    "Each iteration took",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    IdleMatrix,
    Peak,
    BandwidthMatrix,
    Loaded,
    CacheToCache,
}

impl ToolReader for MemoryLatencyChecker {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "Intel's Memory Latency Checker: idle latencies and bandwidths by node, peak bandwidths by mix, latencies under load, and \
         those between caches of one socket"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "mlc_avx512", "mlc_avx512.sh"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[BANNER, "Measuring "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (text.starts_with(BANNER) || section(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_rule = !text.is_empty() && text.chars().all(|c| matches!(c, '=' | '-'));
        let is_named = WORDS.iter().any(|start| text.starts_with(start)) || section(text).is_some();
        let is_row = labelled(text).is_some() || transfer(text).is_some() || numbers(text).is_some();
        let belongs = before.is_empty() || last.is_blank() || is_rule || is_named || is_row;
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut now = None;
        for line in block.lines.iter().filter(|line| !line.is_blank()) {
            let text = line.text.trim();
            if let Some((_, version)) = text.strip_prefix(BANNER).and_then(|rest| rest.rsplit_once("- ")) {
                result.version = Some(version.trim_start_matches('v').to_owned());
            } else if let Some(found) = section(text) {
                now = Some(found);
            } else if let Some(parts) = now.and_then(|now| row(now, line.number, text)) {
                result.parts.extend(parts);
            } else if let Some(idle) = each_iteration(line.number, text) {
                result.whole.add(metric::LOAD_LATENCY, Some(idle));
            } else {
                continue;
            }
            result.lines.last = line.number;
        }
        best(&mut result);
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

fn section(text: &str) -> Option<Section> {
    SECTIONS.iter().find(|(start, _)| text.starts_with(start)).map(|(_, section)| *section)
}

/// The parts of a row of a table.
fn row(section: Section, line: u64, text: &str) -> Option<Vec<ToolPart>> {
    let latency = |word: &str| time(line, word, "ns");
    let rate = |word: &str| quantity(line, &format!("{word} MB/s"), BYTES.counting);
    match section {
        Section::IdleMatrix | Section::BandwidthMatrix => {
            let (node, words) = numbers(text)?;
            let one = |(to, word): (usize, &&str)| {
                let (what, metric, printed) = match section {
                    Section::IdleMatrix => ("idle", metric::LOAD_LATENCY, latency(word)),
                    _ => ("bandwidth", metric::THROUGHPUT, rate(word)),
                };
                part(format!("{what} of node {to} from node {node}"), [(metric, printed)])
            };
            // A line of nothing but nodes is a heading.
            let is_row = !words.is_empty() && words.iter().all(|word| word.contains('.'));
            is_row.then(|| words.iter().enumerate().map(one).collect())
        }
        Section::Peak => {
            let (name, word) = labelled(text)?;
            Some(vec![part(name.to_owned(), [(metric::THROUGHPUT, rate(word))])])
        }
        Section::Loaded => {
            let (delay, words) = numbers(text)?;
            let [nanoseconds, moved] = words.as_slice() else { return None };
            let figures = [(metric::LOAD_LATENCY, latency(nanoseconds)), (metric::THROUGHPUT, rate(moved))];
            Some(vec![part(format!("loaded, delay {delay}"), figures)])
        }
        Section::CacheToCache => {
            let (name, word) = transfer(text)?;
            Some(vec![part(name.to_owned(), [(MetricName::new("transfer_latency"), latency(word))])])
        }
    }
}

fn part<const N: usize>(name: String, figures: [(MetricName, Option<PrintedValue>); N]) -> ToolPart {
    let mut measured = ToolMeasurement::default();
    for (metric, printed) in figures {
        measured.add(metric, printed);
    }
    ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured }
}

/// `ALL Reads        :  158844.5`.
fn labelled(text: &str) -> Option<(&str, &str)> {
    let (name, word) = text.rsplit_once(':')?;
    let word = word.trim();
    let is_number = leading(word, false).is_some_and(|number| number.rest.is_empty());
    (is_number && word.contains('.') && name.len() < 40).then(|| (name.trim(), word))
}

/// `Local Socket L2->L2 HIT  latency  53.1`.
fn transfer(text: &str) -> Option<(&str, &str)> {
    let (name, word) = text.split_once(" latency")?;
    let word = word.trim();
    let is_number = leading(word, false).is_some_and(|number| number.rest.is_empty());
    (is_number && name.contains("->")).then(|| (name.trim(), word))
}

/// The first number of a row of nothing but numbers, and the others; a node has no figure with itself where a dash is.
fn numbers(text: &str) -> Option<(&str, Vec<&str>)> {
    let is_number = |word: &str| leading(word, false).is_some_and(|number| number.rest.is_empty());
    let mut words = text.split_whitespace();
    let first = words.next().filter(|word| is_number(word))?;
    let others: Vec<&str> = words.collect();
    others.iter().all(|word| *word == "-" || is_number(word)).then_some((first, others))
}

/// `Each iteration took 257.0 base frequency clocks (  82.4  ns)`.
fn each_iteration(line: u64, text: &str) -> Option<PrintedValue> {
    let (_, inside) = text.strip_prefix("Each iteration took ")?.split_once('(')?;
    let (number, _) = inside.trim().split_once(char::is_whitespace)?;
    time(line, number, "ns")
}

/// What most look for: the latency of the first node from itself, and the highest bandwidth.
fn best(result: &mut ToolResult) {
    let of = |metric| result.parts.iter().filter_map(move |part| part.measured.figure(metric));
    let idle = of(metric::LOAD_LATENCY).next().cloned();
    let peak = of(metric::THROUGHPUT).max_by(|a, b| a.value.total_cmp(&b.value)).cloned();
    result.whole.add(metric::THROUGHPUT, peak);
    if result.whole.figure(metric::LOAD_LATENCY).is_none() {
        result.whole.add(metric::LOAD_LATENCY, idle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_what_they_stand_below() {
        let parts = |section, text| row(section, 1, text).unwrap_or_default();
        let idle = parts(Section::IdleMatrix, "0\t  82.1\t 141.0");
        assert_eq!(idle[1].name, "idle of node 1 from node 0");
        let latency = idle[1].measured.figure(metric::LOAD_LATENCY).map(|printed| printed.value);
        assert!(latency.is_some_and(|latency| (latency - 141e-9).abs() < 1e-15));
        assert!(parts(Section::IdleMatrix, "0 1").is_empty(), "a heading");
        let loaded = parts(Section::Loaded, "00000\t329.26\t 159154.0");
        let moved = loaded[0].measured.figure(metric::THROUGHPUT).map(|printed| printed.value);
        assert_eq!((loaded[0].name.as_str(), moved), ("loaded, delay 00000", Some(159_154e6)));
        let cache = parts(Section::CacheToCache, "Local Socket L2->L2 HIT  latency\t53.1");
        assert_eq!(cache[0].name, "Local Socket L2->L2 HIT");
    }
}
