//! `winsat` of Windows: the rates of its drive, processors and memory, and how long reads took while it wrote. Each is of a run
//! of its own. Its scores are made of these, and are not kept.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Winsat;

const NAME: &str = "winsat";

/// Nothing that it prints has bytes and seconds beside a rate.
const UNKNOWN: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB/s",
    counting: Counting::Other,
    proof: "nobody tells, and no output has bytes and seconds beside a rate: a figure is taken for one of 1000**2 bytes that may be \
            4.9 % more",
};

const RULES: &[CountingRule] = &[UNKNOWN];

/// How much more bytes a second there are if a MB has 1024**2.
const MORE: f64 = 1.048_576 - 1.0;

/// Its first line in English.
const TITLE: &str = "Windows System Assessment Tool";

impl ToolReader for Winsat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the rates of `winsat disk` in any language, and in English how long reads took while it wrote, and the rates of processors and \
         memory; each is a result. Not its scores"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[OTHERS, &[TITLE, "Disk "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = unmarked(&line.text);
        (text == TITLE || Rate::of(text).is_some() || other(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = unmarked(&last.text);
        let is_own = last.is_blank()
            || Rate::of(text).is_some()
            || other(text).is_some()
            || latency(text).is_some()
            || last.text.trim_start().starts_with("> ")
            || text == "NV Cache not present."
            || text == "...";
        // Another run begins with its title.
        if before.is_empty() || is_own && text != TITLE { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let common = block.result(NAME, self.programs());
        let mut results: Vec<ToolResult> = Vec::new();
        for line in block.lines {
            let text = unmarked(&line.text);
            if let Some(rate) = Rate::of(text) {
                results.extend(rate.result(line.number, &common));
            } else if let Some((test, value)) = other(text) {
                let mut result = of_test(line.number, &test.to_lowercase(), &common);
                result.whole.add(metric::THROUGHPUT, throughput(line.number, &value));
                results.push(result);
            } else if let Some((test, metric, value)) = latency(text) {
                if results.last().is_none_or(|last| last.options.get("test") != Some(&test)) {
                    results.push(of_test(line.number, &test, &common));
                }
                if let Some(result) = results.last_mut() {
                    result.lines.last = line.number;
                    result.whole.add(metric, milliseconds(line.number, value));
                }
            }
        }
        results.retain(|result| !result.whole.figures.is_empty());
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// A line without the mark before most of them, and without marks of a quotation.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches(['>', ' ']).trim_end()
}

/// A result of this test.
fn of_test(line: u64, test: &str, common: &ToolResult) -> ToolResult {
    let mut result = common.clone();
    result.lines.first = line;
    result.lines.last = line;
    result.options.insert("test".to_owned(), test.to_owned());
    result
}

/// A line `Disk  Random 16.0 Read                       674.46 MB/s          8.5`. These words are the same in every language.
struct Rate<'a> {
    pattern: &'static str,
    /// KiB.
    size: &'a str,
    operation: &'static str,
    /// With its unit.
    value: String,
}

impl<'a> Rate<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let mut words = text.strip_prefix("Disk ")?.split_whitespace();
        let pattern = match words.next()? {
            "Random" => "random",
            "Sequential" => "sequential",
            _ => return None,
        };
        let size = words.next().filter(|size| leading(size, false).is_some())?;
        let operation = match words.next()? {
            "Read" => "read",
            "Write" => "write",
            _ => return None,
        };
        let (value, unit) = (words.next()?, words.next()?);
        let value = format!("{value} {unit}");
        (unit == "MB/s").then_some(Self { pattern, size, operation, value })
    }

    fn result(&self, line: u64, common: &ToolResult) -> Option<ToolResult> {
        let printed = throughput(line, &self.value)?;
        let Self { pattern, size, operation, .. } = self;
        let mut result = of_test(line, &format!("{pattern} {operation}"), common);
        result.options.insert("size".to_owned(), format!("{size} KiB"));
        result.whole.add(metric::THROUGHPUT, Some(printed));
        Some(result)
    }
}

/// A rate with its unit, which may be of 1000 or of 1024.
fn throughput(line: u64, value: &str) -> Option<PrintedValue> {
    let printed = quantity(line, value, UNKNOWN.counting)?;
    let half_step = printed.half_step.max(printed.value * MORE);
    Some(PrintedValue { half_step, ..printed })
}

/// What its other tests are called that print a rate.
const OTHERS: &[&str] = &[
    "CPU LZW Compression",
    "CPU AES256 Encryption",
    "CPU Vista Compression",
    "CPU SHA1 Hash",
    "Uniproc CPU LZW Compression",
    "Uniproc CPU AES256 Encryption",
    "Uniproc CPU Vista Compression",
    "Uniproc CPU SHA1 Hash",
    "Memory Performance",
    "Video Memory Throughput",
];

/// The test and the rate of `> Memory Performance                           21565.85 MB/s`.
fn other(text: &str) -> Option<(&'static str, String)> {
    OTHERS.iter().find_map(|label| {
        let mut words = text.strip_prefix(*label)?.split_whitespace();
        let value = words.next().filter(|value| leading(value, false).is_some())?;
        (words.next() == Some("MB/s")).then(|| (*label, format!("{value} MB/s")))
    })
}

/// The test, the metric and the value of a line such as `Latency: Maximum                             3.091 ms          8.7`.
fn latency(text: &str) -> Option<(String, MetricName, &str)> {
    const LABELS: &[(&str, &str, MetricName)] = &[
        ("Average Read Time with Sequential Writes", "read beside sequential writes", metric::LATENCY_MEAN),
        ("Latency: 95th Percentile", "read beside sequential writes", MetricName::new("latency_p95")),
        ("Latency: Maximum", "read beside sequential writes", metric::LATENCY_MAX),
        ("Average Read Time with Random Writes", "read beside random writes", metric::LATENCY_MEAN),
    ];
    let known = LABELS.iter().find_map(|(label, test, metric)| {
        let value = text.strip_prefix(*label)?.trim_start();
        Some(((*test).to_owned(), *metric, value))
    });
    known.filter(|(_, _, value)| value.contains(" ms"))
}

/// The number before `ms`.
fn milliseconds(line: u64, value: &str) -> Option<PrintedValue> {
    let (number, _) = value.split_once(" ms")?;
    time(line, number, "ms").filter(|time| time.unit == Unit::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "C:\\Windows\\system32>winsat disk -drive c\n\
                           Windows System Assessment Tool\n\
                           > Running: Feature Enumeration ''\n> Run Time 00:00:00.00\n\
                           > Running: Storage Assessment '-drive c -ran -read'\n> Run Time 00:00:00.86\n\
                           > Dshow Video Encode Time                      0.00000 s\n\
                           > Disk  Random 16.0 Read                       200.00 MB/s          7.5\n\
                           > Disk  Sequential 64.0 Read                   3000.00 MB/s          9.2\n\
                           > Disk  Sequential 64.0 Write                  2000.00 MB/s          9.1\n\
                           > Average Read Time with Sequential Writes     0.050 ms          8.9\n\
                           > Latency: 95th Percentile                     0.150 ms          8.9\n\
                           > Latency: Maximum                             3.000 ms          8.7\n\
                           > Average Read Time with Random Writes         0.060 ms          8.9\n\
                           > Total Run Time 00:00:04.34\n";

    #[test]
    fn each_test_is_a_result() {
        let output = crate::tool::read("", format!("{ENGLISH}so it was\n").as_bytes()).unwrap();
        let tests: Vec<&str> = output.results.iter().map(|result| result.options["test"].as_str()).collect();
        let beside = ["read beside sequential writes", "read beside random writes"];
        let expected = ["random read", "sequential read", "sequential write"];
        assert_eq!(tests, [expected.as_slice(), beside.as_slice()].concat());
        let rate = output.results[0].whole.figure(metric::THROUGHPUT).unwrap();
        assert_eq!((rate.value, output.results[0].options["size"].as_str()), (200e6, "16.0 KiB"));
        assert!(rate.most() >= 200.0 * 1_048_576.0, "a MB may have 1024**2 bytes");
        let latency = |name: MetricName| output.results[3].whole.figure(name).map(|time| time.value);
        assert_eq!(latency(metric::LATENCY_MAX), Some(0.003));
        assert_eq!(output.results[3].whole.figures.len(), 3);
        assert_eq!((output.results[0].command.len(), output.unread.len()), (4, 1));
    }

    #[test]
    fn rates_of_processors_and_memory_are_read() {
        let text = "> CPU LZW Compression                          350.00 MB/s\n\
                    > Uniproc CPU SHA1 Hash                        400.50 MB/s\n\
                    > Memory Performance                           20000.00 MB/s\n\
                    > Direct3D Batch Performance                   42.00 F/s\n\
                    > Total Run Time 00:00:04.34\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let tests: Vec<&str> = output.results.iter().map(|result| result.options["test"].as_str()).collect();
        assert_eq!(tests, ["cpu lzw compression", "uniproc cpu sha1 hash", "memory performance"]);
        let rate = output.results[1].whole.figure(metric::THROUGHPUT).unwrap();
        assert_eq!((rate.value, rate.line), (400.5e6, 2));
        assert_eq!((output.unread.len(), other("Memory Performance is fine")), (0, None));
    }

    #[test]
    fn rates_are_read_in_other_languages_and_without_marks() {
        let text = "Windows 系统评估工具\n> 运行时间 00:00:00.86\n\
                    > Disk  Random 16.0 Read                       674.46 MB/s          8.5\n\
                    > 延迟: 最大                                       3.167 ms          8.7\n";
        let bare = "Disk Random 16.0 Read 99.93 MB/s 7.1\nDisk Sequential 64.0 Read 255.00 MB/s 7.5\n";
        for (text, count) in [(text, 1), (bare, 2)] {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            assert_eq!(output.results.len(), count, "{text}");
        }
        assert!(Rate::of("Disk Random 16.0 Read is slow today").is_none());
    }
}
