//! lmbench: what its programs print, and the summary that it makes of all of them. A line of one program is a result;
//! several of the same are its repetitions.

use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, metric};

use super::lmbench_summary;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::{CommandLine, program};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Lmbench;

pub(super) const NAME: &str = "lmbench";

/// What its programs are called. Those of `bw_` print two numbers and no word.
pub(super) const PROGRAMS: &[&str] = &[
    NAME,
    "bw_mem",
    "bw_file_rd",
    "bw_mmap_rd",
    "bw_pipe",
    "bw_unix",
    "bw_tcp",
    "lat_mem_rd",
    "lat_syscall",
    "lat_ctx",
    "lat_pipe",
    "lat_proc",
    "lat_sig",
    "lat_unix",
    "lat_tcp",
    "lat_udp",
    "lat_connect",
    "lat_select",
    "lat_pagefault",
    "lat_fcntl",
    "lat_fifo",
    "lat_sem",
    "lat_ops",
];

/// Those that print a size and a rate.
const RATES: &[&str] = &["bw_mem", "bw_file_rd", "bw_mmap_rd", "bw_tcp"];

pub(super) const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x, 3.x",
    units: "MB and MB/s of bw_; a copied byte counts once",
    counting: Counting::Decimal,
    proof: "lmbench-3.0-made: of `bw_mem 512k` it prints the size as 0.524288, and 512 KiB are 0.524288 of 1000 * 1000 bytes; bandwidth \
            of lib_timing.c divides by MB, which is 1000000.",
};

const RULES: &[CountingRule] = &[
    DECIMAL,
    CountingRule {
        tool: NAME,
        versions: "2.x, 3.x",
        units: "MB before the times of lat_mem_rd",
        counting: Counting::Binary,
        proof: "the first size that lat_mem_rd.c tries is 512 bytes, and it prints 0.00049, which are 0.000488 of 1024 * 1024; of 1000 * 1000 \
                they are 0.00051",
    },
];

impl ToolReader for Lmbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what the programs of lmbench print (lat_syscall, lat_mem_rd, lat_ctx and others; the numbers of bw_mem, bw_file_rd and bw_mmap_rd \
         only below their command line), and the tables of its summary"
    }

    fn programs(&self) -> &'static [&'static str] {
        PROGRAMS
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "microseconds",
            "usecs",
            "nanoseconds",
            "MB/sec",
            "\"stride=",
            "\"size=",
            "L M B E N C H",
            " is better",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_first =
            Labelled::of(text).is_some() || Head::of(text).is_some() || lmbench_summary::begins(text);
        is_first.then_some(Beginning::Certain)
    }

    fn begins_below(&self, line: &ToolLine, command: Option<&CommandLine>) -> Option<Beginning> {
        let words = command.and_then(|command| command.invocation(PROGRAMS));
        let is_rate = || is_of_rates(words) && size_and_rate(&line.text).is_some();
        self.begins(line).or_else(|| is_rate().then_some(Beginning::Likely))
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some((last, before))) = (lines.first(), lines.split_last()) else {
            return Extent::More;
        };
        if lmbench_summary::begins(&first.text) {
            return lmbench_summary::extent(last, before);
        }
        if Head::of(&first.text).is_none() {
            return Extent::EndsHere;
        }
        let belongs = before.is_empty() || two_numbers(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        if lmbench_summary::begins(&first.text) {
            return lmbench_summary::read(block);
        }
        let mut result = block.result(NAME, PROGRAMS);
        if let Some(head) = Head::of(&first.text) {
            head.fill(block.lines, &mut result);
        } else if let Some(labelled) = Labelled::of(&first.text) {
            result.options.insert("test".to_owned(), labelled.label.to_owned());
            result.whole = labelled.measured(first.number);
        } else if let Some((size, rate)) =
            size_and_rate(&first.text).filter(|_| is_of_rates(Some(result.command.as_slice())))
        {
            let program = result.command.first().map_or("", |word| program(word));
            let operation = operation(&result.command).unwrap_or_default();
            let test = format!("{program} {operation}");
            result.options.insert("test".to_owned(), test.trim_end().to_owned());
            result.options.insert("size".to_owned(), format!("{size} MB"));
            let rate = quantity(first.number, &format!("{rate} MB/s"), DECIMAL.counting);
            result.whole.add(metric::THROUGHPUT, rate);
        }
        let is_any = !result.whole.figures.is_empty();
        if is_any { Ok(vec![result]) } else { Err(NotUnderstood::CutShort) }
    }
}

/// Whether a command is of a program that prints a size and a rate.
fn is_of_rates(command: Option<&[String]>) -> bool {
    command.and_then(<[String]>::first).is_some_and(|word| RATES.contains(&program(word)))
}

/// What is done with files, whose names stand behind it.
const WITH_FILES: &[&str] = &["io_only", "open2close", "mmap_only"];

/// What a program of [`RATES`] does: as a rule its last word tells.
fn operation(command: &[String]) -> Option<&str> {
    let words = || command.iter().skip(1).map(String::as_str);
    words().find(|word| WITH_FILES.contains(word)).or_else(|| words().next_back())
}

/// Two numbers and nothing else.
fn two_numbers(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let is_number = |word| leading(word, false).is_some_and(|number| number.rest.is_empty());
    (words.next().is_none() && is_number(first) && is_number(second)).then_some((first, second))
}

/// `16.00 9453.23`, `0.524288 302.91`, or `0.065536 4512.22 MB/sec`.
fn size_and_rate(text: &str) -> Option<(&str, &str)> {
    let (size, rate) = two_numbers(text.trim().trim_end_matches(" MB/sec"))?;
    (size.contains('.') && rate.contains('.')).then_some((size, rate))
}

/// What labels begin with.
const LABELS: &[&str] = &[
    "Simple ",
    "Signal handler ",
    "Protection fault",
    "Pipe ",
    "AF_UNIX ",
    "Process fork",
    "Select on ",
    "FIFO latency",
    "Fcntl lock latency",
    "Semaphore latency",
    "UDP latency using ",
    "TCP latency using ",
    "TCP/IP connection cost",
    "RPC/",
    "Pagefaults on ",
    "integer ",
    "int64 ",
    "uint64 ",
    "float ",
    "double ",
];

/// A line with a label: `Simple syscall: 0.0391 microseconds`, `Pipe bandwidth: 3213.22 MB/sec`.
struct Labelled<'a> {
    label: &'a str,
    value: &'a str,
    /// As the units of times are written elsewhere; nothing of a rate.
    unit: Option<&'static str>,
}

impl<'a> Labelled<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (label, rest) = text.trim().rsplit_once(": ")?;
        let (value, unit) = rest.split_once(' ')?;
        let unit = match unit.trim() {
            "microseconds" | "usecs" => Some("us"),
            "nanoseconds" => Some("ns"),
            "MB/sec" => None,
            _ => return None,
        };
        let is_number = leading(value, false).is_some_and(|number| number.rest.is_empty());
        let is_known = LABELS.iter().any(|beginning| label.starts_with(beginning));
        (is_number && is_known).then_some(Self { label, value, unit })
    }

    fn measured(&self, line: u64) -> ToolMeasurement {
        let mut measured = ToolMeasurement::default();
        match self.unit {
            Some(unit) => {
                let is_call = self.label.starts_with("Simple ");
                let name = if is_call { metric::CALL_TIME } else { metric::LATENCY_MEAN };
                measured.add(name, time(line, self.value, unit));
            }
            None => {
                let text = format!("{} MB/sec", self.value);
                measured.add(metric::THROUGHPUT, quantity(line, &text, DECIMAL.counting));
            }
        }
        measured
    }
}

/// The line above a table of two columns, for gnuplot.
#[derive(Clone, Copy)]
enum Head<'a> {
    /// Of lat_mem_rd, `"stride=128`: sizes in MB, and nanoseconds of one load.
    Loads { stride: &'a str },
    /// Of lat_ctx, `"size=16k ovr=0.93`: numbers of processes, and microseconds of one switch.
    Switches { size: &'a str },
}

impl<'a> Head<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let is_size = |word: &str| {
            let number = leading(word, false);
            number.is_some_and(|number| matches!(number.rest, "" | "k" | "K" | "m" | "M"))
        };
        if let Some(stride) = text.strip_prefix("\"stride=") {
            return is_size(stride).then_some(Self::Loads { stride });
        }
        let (size, _) = text.strip_prefix("\"size=")?.split_once(" ovr=")?;
        is_size(size).then_some(Self::Switches { size })
    }

    /// Reads the rows; the last one, of the largest size or of the most processes, is of the whole.
    fn fill(self, lines: &[ToolLine], result: &mut ToolResult) {
        let (metric, unit, option, value, column) = match self {
            Self::Loads { stride } => (metric::LOAD_LATENCY, "ns", "stride", stride, "size"),
            Self::Switches { size } => {
                (MetricName::new("context_switch_time"), "us", "size", size, "processes")
            }
        };
        result.options.insert(option.to_owned(), value.to_owned());
        for line in lines {
            let Some((first, second)) = two_numbers(&line.text) else { continue };
            let name = match self {
                Self::Loads { .. } => format!("{first} MB"),
                Self::Switches { .. } => format!("{first} processes"),
            };
            let mut measured = ToolMeasurement::default();
            measured.add(metric, time(line.number, second, unit));
            let told = if column == "size" { name.clone() } else { first.to_owned() };
            result.options.insert(column.to_owned(), told);
            result.whole.clone_from(&measured);
            result.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|figure| figure.value)
    }

    #[test]
    fn two_numbers_are_a_rate_below_its_command_only() {
        let results = read("$ taskset -c 0 ./bw_mem -N 3 512k rd\n0.524288 9453.50\n0.524288 9451.00\n");
        let [first, second] = results.as_slice() else { panic!("{results:?}") };
        assert_eq!(value(first, metric::THROUGHPUT), Some(9453.5e6));
        assert_eq!((first.options["test"].as_str(), &first.options), ("bw_mem rd", &second.options));
        assert!(read("$ cat numbers\n16.00 9453.50\n").is_empty());
        assert!(read("16.00 9453.50\n").is_empty());
    }

    #[test]
    fn reads_of_files_differ_by_what_is_timed() {
        let test = |command: &str| {
            let results = read(&format!("$ {command}\n512.00 4512.22\n"));
            results.first().map(|result| result.options["test"].clone())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(test("bw_file_rd -N 3 512m io_only /mnt/f"), some("bw_file_rd io_only"));
        assert_eq!(test("bw_mmap_rd 512m open2close /mnt/f"), some("bw_mmap_rd open2close"));
        assert_eq!(test("bw_mem 512m fcp"), some("bw_mem fcp"));
    }

    #[test]
    fn labels_tell_the_test() {
        let results = read(
            "Simple open/close: 1.5000 microseconds\nTCP latency using ::1: 11.0 microseconds\nPipe bandwidth: 3213.00 MB/sec\n\
             integer mul: 0.50 nanoseconds\n",
        );
        let tests: Vec<&str> = results.iter().map(|result| result.options["test"].as_str()).collect();
        assert_eq!(tests, ["Simple open/close", "TCP latency using ::1", "Pipe bandwidth", "integer mul"]);
        assert!(value(&results[0], metric::CALL_TIME).is_some_and(|time| (time - 1.5e-6).abs() < 1e-15));
        assert_eq!(value(&results[2], metric::THROUGHPUT), Some(3213e6));
    }

    #[test]
    fn the_largest_size_is_that_of_the_whole() {
        let results =
            read("\"stride=128\n0.00049 1.500\n64.00000 80.250\n\n\"size=16k ovr=0.93\n2 1.50\n8 2.25\n");
        let [loads, switches] = results.as_slice() else { panic!("{results:?}") };
        assert!(value(loads, metric::LOAD_LATENCY).is_some_and(|time| (time - 80.25e-9).abs() < 1e-15));
        assert_eq!(
            (loads.options["stride"].as_str(), loads.options["size"].as_str()),
            ("128", "64.00000 MB")
        );
        assert_eq!((loads.parts.len(), switches.parts[1].name.as_str()), (2, "8 processes"));
        assert_eq!(switches.options["size"], "16k");
    }
}
