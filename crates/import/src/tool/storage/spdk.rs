//! SPDK's `perf` (spdk_nvme_perf) and `bdevperf`: their tables, with each device as a part, and the JSON of bdevperf.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};
use serde_json::{Map, Value};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, plain, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Spdk;

const NAME: &str = "spdk";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "17 to 25",
    units: "MiB/s, and MB/s in early versions",
    counting: Counting::Binary,
    proof: "app/spdk_nvme_perf/perf.c divides operations * their size by 1024 * 1024: 652439.48 operations of 4096 bytes are 2548.59",
};

const RULES: &[CountingRule] = &[BINARY];

/// What the line of all devices begins with.
const TOTAL: &str = "Total";

/// How lines begin above and between the tables.
const AROUND: &[&str] = &[
    "Initializing NVMe Controllers",
    "Attaching to ",
    "Attached to ",
    "Associating ",
    "Initialization complete",
    "Controller IO queue size ",
    "Consider using lower queue depth",
    "WARNING: Some requested NVMe devices were skipped",
    "Running I/O for ",
    "Received shutdown signal",
    "Verification LBA range",
    "Using job config with ",
    "Thread name:",
    "Logical core:",
];

/// Above the percentiles, and above a histogram, both of `-L`.
const SUMMARY: &str = "Summary latency data for ";
const HISTOGRAM: &str = "Latency histogram for ";

impl ToolReader for Spdk {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of SPDK's perf (spdk_nvme_perf), with the percentiles of -L, and of bdevperf, and its JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["spdk_nvme_perf", "bdevperf", "bdevperf.py", "perf"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Device Information", "Job: ", "Initializing NVMe Controllers"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (is_heading(text) || JobLine::of(text).is_some() || text == "Initializing NVMe Controllers")
            .then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let begins_again = text == "Initializing NVMe Controllers" || is_heading(text);
        let is_over = || {
            before
                .iter()
                .rev()
                .take(LINES_MAX)
                .any(|line| Row::of(&line.text).is_some_and(|row| row.is_total()))
        };
        if begins_again && is_over() {
            return Extent::EndsBefore;
        }
        let belongs = before.is_empty()
            || text.is_empty()
            || begins_again
            || is_rule(text)
            || text == "Latency(us)"
            || Row::of(text).is_some()
            || JobLine::of(text).is_some()
            || AROUND.iter().any(|beginning| text.starts_with(beginning))
            || text.starts_with(SUMMARY)
            || text.starts_with(HISTOGRAM)
            || text.starts_with("Range in us")
            || rank(text).is_some()
            || is_bucket(text);
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        ["\"mibps\"", "\"iops\"", "\"io_failed\"", "\"queue_depth\""].iter().all(|name| text.contains(name))
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with(['{', '['])) {
            return of_json(block);
        }
        let block = block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        options(&mut result);
        let mut percentiles: Vec<(MetricName, PrintedValue)> = Vec::new();
        let mut summaries = 0;
        for line in block.lines {
            let text = line.text.trim();
            if let Some(job) = JobLine::of(text) {
                job.keep(&mut result);
            } else if let Some(row) = Row::of(text) {
                let measured = row.measured(line.number);
                if row.is_total() {
                    result.whole = measured;
                } else {
                    let part = ToolPart {
                        kind: ToolPartKind::Target,
                        name: row.name.to_owned(),
                        start_s: None,
                        measured,
                    };
                    result.parts.push(part);
                }
            } else if text.starts_with(SUMMARY) {
                summaries += 1;
            } else if let Some((metric, value)) = rank(text).filter(|_| summaries == 1) {
                let printed = time(line.number, value, "us");
                percentiles.extend(metric.zip(printed));
            }
        }
        if let [only] = result.parts.as_slice() {
            let is_cut = result.whole.figures.is_empty();
            // What the device says of its time holds for all.
            let window = only.measured.window.clone();
            if is_cut {
                result.whole = only.measured.clone();
            } else if result.whole.window.is_none() {
                result.whole.window = window;
            }
        }
        // Of several devices each has its own.
        if summaries == 1 && result.parts.len() <= 1 {
            for (metric, printed) in percentiles {
                result.whole.add(metric, Some(printed));
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        // So many queues are asked for as there are devices and cores.
        let queues = result.parts.len().max(1);
        if result.options.contains_key("queues") {
            result.options.insert("threads".to_owned(), queues.to_string());
        }
        if result.parts.len() == 1 {
            let device = result.parts.remove(0).name;
            result.options.insert("device".to_owned(), device);
        }
        Ok(vec![result])
    }
}

/// So many lines a table has at most, with what stands around it.
const LINES_MAX: usize = 256;

/// `Device Information                     :       IOPS      MiB/s    Average        min        max`.
fn is_heading(text: &str) -> bool {
    text.strip_prefix("Device Information")
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .is_some_and(|columns| columns.split_whitespace().any(|word| word == "IOPS"))
}

fn is_rule(text: &str) -> bool {
    text.len() > 20 && text.bytes().all(|byte| byte == b'=')
}

/// ` 99.00000% :   110.123us` of the percentiles; the metric is `None` for one that is none of ours.
fn rank(text: &str) -> Option<(Option<MetricName>, &str)> {
    let (percent, value) = text.split_once("% :")?;
    let value = value.trim().strip_suffix("us")?;
    percent.trim().parse::<f64>().ok()?;
    // The first one is of the shortest.
    let metric = crate::tool::latency::percentile(percent.trim());
    Some((metric, value))
}

/// `   62.416 -    62.720:    0.0012%  (        3)`.
fn is_bucket(text: &str) -> bool {
    let number = |word: &str| word.trim().parse::<f64>().is_ok();
    text.split_once(" - ").is_some_and(|(low, rest)| {
        number(low) && rest.split_once(':').is_some_and(|(high, share)| number(high) && share.contains('%'))
    })
}

/// `Job: Nvme0n1 (Core Mask 0x1, workload: verify, depth: 128, IO size: 4096)` of bdevperf.
struct JobLine<'a> {
    inside: &'a str,
}

impl<'a> JobLine<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (_, inside) = text.strip_prefix("Job: ")?.split_once("(Core Mask ")?;
        // It may end with an error.
        let (inside, _) = inside.split_once(')')?;
        Some(Self { inside })
    }

    fn keep(&self, result: &mut ToolResult) {
        for (name, value) in self.inside.split(',').filter_map(|part| part.trim().split_once(": ")) {
            let name = match name {
                "workload" => "operation",
                "depth" => "queues",
                "IO size" => "block-size",
                _ => continue,
            };
            result.options.insert(name.to_owned(), value.trim().to_owned());
        }
    }
}

/// A row of a table, or its last line.
#[derive(Clone, Debug, PartialEq)]
struct Row<'a> {
    name: &'a str,
    /// Seconds, where they are told.
    runtime: Option<&'a str>,
    iops: &'a str,
    rate: &'a str,
    /// Mean, least, greatest, in µs.
    latencies: Option<[&'a str; 3]>,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (name, values) = text.rsplit_once(':')?;
        let (name, words) = (name.trim(), values.split_whitespace().collect::<Vec<_>>());
        let is_number = |word: &&str| word.parse::<f64>().is_ok_and(|value| value >= 0.0);
        if name.is_empty() || name == "Job" {
            return None;
        }
        // Early versions of bdevperf have the units in their rows.
        if let [iops, "IO/s", rate, "MiB/s" | "MB/s", ..] = words.as_slice() {
            let is_row = is_number(iops) && is_number(rate);
            return is_row.then_some(Self { name, runtime: None, iops, rate, latencies: None });
        }
        if !words.iter().all(is_number) {
            return None;
        }
        match words.as_slice() {
            // perf.
            [iops, rate, mean, least, most] => {
                Some(Self { name, runtime: None, iops, rate, latencies: Some([mean, least, most]) })
            }
            // bdevperf, with operations that failed and that took too long.
            [iops, rate, _, _, mean, least, most] => {
                Some(Self { name, runtime: None, iops, rate, latencies: Some([mean, least, most]) })
            }
            [runtime, iops, rate, _, _, mean, least, most] => {
                Some(Self { name, runtime: Some(runtime), iops, rate, latencies: Some([mean, least, most]) })
            }
            _ => None,
        }
    }

    fn is_total(&self) -> bool {
        self.name == TOTAL
    }

    fn measured(&self, line: u64) -> ToolMeasurement {
        let window = self.runtime.and_then(|seconds| time(line, seconds, "s"));
        let mut measured = ToolMeasurement { window, ..ToolMeasurement::default() };
        measured.add(metric::IOPS, bare(line, self.iops, Unit::PerSecond));
        measured.add(metric::THROUGHPUT, quantity(line, &format!("{} MiB/s", self.rate), BINARY.counting));
        if let Some([mean, least, most]) = self.latencies {
            measured.add(metric::LATENCY_MEAN, time(line, mean, "us"));
            measured.add(MetricName::new("latency_min"), time(line, least, "us"));
            measured.add(metric::LATENCY_MAX, time(line, most, "us"));
        }
        measured
    }
}

/// What the command asks for, in our words for it.
fn options(result: &mut ToolResult) {
    const OPTIONS: &[(&[&str], &str)] = &[
        (&["-q", "--io-depth"], "queues"),
        (&["-o", "--io-size"], "block-size"),
        (&["-w", "--io-pattern"], "operation"),
        (&["-t", "--time"], "time"),
        (&["-M", "--rwmixread"], "read-share"),
    ];
    let mut told = Vec::new();
    for pair in result.command.windows(2) {
        let [name, value] = pair else { continue };
        let option = OPTIONS.iter().find(|(names, _)| names.contains(&name.as_str()));
        told.extend(option.map(|(_, own)| ((*own).to_owned(), value.clone())));
    }
    result.options.extend(told);
}

/// What bdevperf answers over RPC: each job is a result.
fn of_json(block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
    let document: Value = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let jobs = document.get("results").unwrap_or(&document);
    let jobs = jobs.as_array().ok_or(NotUnderstood::OtherText)?;
    let results: Vec<ToolResult> =
        jobs.iter().filter_map(Value::as_object).filter_map(|job| of_job(job, block)).collect();
    if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
}

fn of_job(job: &Map<String, Value>, block: &ToolBlock<'_>) -> Option<ToolResult> {
    let line = block.range().first;
    let number = |key: &str| job.get(key).and_then(Value::as_f64);
    let mut result = block.result(NAME, Spdk.programs());
    let told = |key: &str| match job.get(key)? {
        Value::String(text) => Some(text.clone()),
        other => other.as_u64().map(|number| number.to_string()),
    };
    for (key, name) in
        [("job", "device"), ("workload", "operation"), ("queue_depth", "queues"), ("io_size", "block-size")]
    {
        result.options.extend(told(key).map(|value| (name.to_owned(), value)));
    }
    result.options.insert("threads".to_owned(), "1".to_owned());
    let whole = &mut result.whole;
    whole.window = number("runtime").map(|value| plain(line, format!("{value} s"), value, Unit::Seconds));
    whole.add(
        metric::IOPS,
        number("iops").map(|value| plain(line, value.to_string(), value, Unit::PerSecond)),
    );
    let rate = number("mibps").and_then(|value| quantity(line, &format!("{value} MiB/s"), BINARY.counting));
    whole.add(metric::THROUGHPUT, rate);
    for (key, name) in [
        ("avg_latency_us", metric::LATENCY_MEAN),
        ("min_latency_us", MetricName::new("latency_min")),
        ("max_latency_us", metric::LATENCY_MAX),
    ] {
        let value = number(key).map(|value| plain(line, format!("{value} us"), value / 1e6, Unit::Seconds));
        // Its decimals are cut off in some versions.
        whole.add(name, value.map(|value| PrintedValue { half_step: 1e-6, ..value }));
    }
    whole.figure(metric::IOPS).is_some().then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a report to SPDK on GitHub, of version 24.
    const PERF: &str = "Initializing NVMe Controllers\n\
        Attached to NVMe Controller at 0000:06:00.0 [8086:0a54]\n\
        Associating PCIE (0000:06:00.0) NSID 1 with lcore 0\n\
        Initialization complete. Launching workers.\n\
        ========================================================\n\
        \x20                                                                          Latency(us)\n\
        Device Information                     :       IOPS      MiB/s    Average        min        max\n\
        PCIE (0000:06:00.0) NSID 1 from core  0:  652439.48    2548.59      49.03       5.12    1617.14\n\
        ========================================================\n\
        Total                                  :  652439.48    2548.59      49.03       5.12    1617.14\n";

    fn value(result: &ToolResult, metric: MetricName) -> f64 {
        result.whole.figure(metric).unwrap().value
    }

    #[test]
    fn the_table_of_perf_is_a_result() {
        let text =
            format!("# ./build/examples/perf -q 32 -w randwrite -t 60 -c 0x1 -o 4096\n{PERF}\nThat is it.\n");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(value(result, metric::IOPS), 652_439.48);
        assert_eq!(value(result, metric::THROUGHPUT), 2548.59 * 1_048_576.0);
        assert!((value(result, metric::LATENCY_MAX) - 1617.14e-6).abs() < 1e-12);
        let option = |name: &str| result.options[name].as_str();
        assert_eq!((option("queues"), option("threads"), option("block-size")), ("32", "1", "4096"));
        assert_eq!(option("device"), "PCIE (0000:06:00.0) NSID 1 from core  0");
        assert_eq!(output.unread.len(), 1, "{:?}", output.unread);
    }

    #[test]
    fn two_runs_are_apart_and_percentiles_are_read() {
        let percentiles = "Summary latency data for PCIE (0000:06:00.0) NSID 1                  from core 0:\n\
                           =================================================================================\n\
                           \x20 1.00000% :    10.123us\n 50.00000% :    48.123us\n 99.90000% :   148.123us\n\n\
                           Latency histogram for PCIE (0000:06:00.0) NSID 1                  from core 0:\n\
                           ==============================================================================\n\
                           \x20      Range in us     Cumulative    IO count\n    5.103 -     5.120:    0.0012%  (        3)\n";
        let output = crate::tool::read("", format!("{PERF}\n{percentiles}{PERF}").as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (2, 0), "{:?}", output.unread);
        assert!((value(&output.results[0], metric::LATENCY_P99_9) - 148.123e-6).abs() < 1e-12);
        assert_eq!(output.results[1].whole.figure(metric::LATENCY_P99_9), None);
    }

    #[test]
    fn bdevperf_is_read_in_its_versions() {
        let of_24 = "Running I/O for 5 seconds...\n\n\
            \x20                                                                                       Latency(us)\n\
            Device Information          : runtime(s)       IOPS      MiB/s     Fail/s     TO/s    Average        min        max\n\
            Job: null0 (Core Mask 0x1, workload: randread, depth: 16, IO size: 4096)\n\
            \t null0               :       5.00 12463996.06   48687.48       0.00     0.00       1.23       0.82   21546.08\n\
            ===================================================================================================================\n\
            Total                       :            12463996.06   48687.48       0.00     0.00       1.23       0.82   21546.08\n";
        let output = crate::tool::read("", of_24.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(value(result, metric::IOPS), 12_463_996.06);
        assert_eq!(result.whole.window.as_ref().unwrap().value, 5.0);
        assert_eq!(result.options["queues"], "16");
        let early = "Job: Malloc0 (Core Mask 0x1)\n\t Malloc0             :   14521.47 IO/s      56.72 MiB/s\n\
                     =====================================================\n\
                     Total               :   14521.47 IO/s      56.72 MiB/s\n";
        let output = crate::tool::read("", early.as_bytes()).unwrap();
        assert_eq!(value(&output.results[0], metric::THROUGHPUT), 56.72 * 1_048_576.0);
        let json = r#"{"results": [{"job": "Nvme0n1", "core_mask": "0x1", "workload": "verify", "status": "finished",
            "queue_depth": 128, "io_size": 4096, "runtime": 1.007, "iops": 14521.47, "mibps": 56.72, "io_failed": 0,
            "io_timeout": 0, "avg_latency_us": 8777.64, "min_latency_us": 1232.29, "max_latency_us": 9830.4}], "core_count": 1}"#;
        let output = crate::tool::read("", json.as_bytes()).unwrap();
        assert_eq!(output.results.len(), 1, "{:?}", output.unread);
        assert!((value(&output.results[0], metric::LATENCY_MEAN) - 8777.64e-6).abs() < 1e-12);
    }

    #[test]
    fn other_tables_are_none() {
        for text in
            ["Total: 5 6 7", "Device Information: a disk", "Total : 1 2 3 4 x", "Job: sort (Core Mask"]
        {
            assert!(Row::of(text).is_none() && !is_heading(text) && JobLine::of(text).is_none(), "{text}");
        }
    }
}
