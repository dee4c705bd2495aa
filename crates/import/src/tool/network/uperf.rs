//! uperf: what each transaction of a profile moved, and all of them together; what both ends counted, and the interfaces.
//! Whether an operation sends or receives is a matter of the profile, so that its bytes are of no direction.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, count, exact, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Uperf;

const NAME: &str = "uperf";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.0",
    units: "KB, MB, GB",
    counting: Counting::Binary,
    proof: "its manual: 65.36GB / 30.23(s) = 18.57Gb/s, which is 65.36 * 1024^3 * 8 / 30.23 / 10^9",
};

const BITS: CountingRule = CountingRule { units: "Kb/s, Mb/s, Gb/s", counting: Counting::Decimal, ..BYTES };

const RULES: &[CountingRule] = &[BYTES, BITS];

/// Between the number of threads and the profile, on the line above all.
const PROFILE: &str = " running profile:";

/// The row of all transactions.
const TOTAL: &str = "Total";

/// The row of the end that was asked to print.
const MASTER: &str = "master";

/// What ends it.
const DIFFERENCE: &str = "Difference(%)";

/// How other lines begin that it prints.
const OTHERS: &[&str] = &[
    "Netstat statistics for this run",
    "Run Statistics",
    "Hostname ",
    "Nic ",
    "Txn ",
    "Flowop ",
    "timestamp_ms:",
    "TX command [",
    "Sending signal ",
    "called out",
];

impl ToolReader for Uperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the transactions of uperf and their total, what both ends and the interfaces counted; not its tables of flow operations"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[PROFILE, "Txn"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_first =
            profile(text).is_some() || Row::of(line).is_some_and(|row| row.name.starts_with("Txn"));
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        if text.starts_with(DIFFERENCE) {
            return Extent::EndsHere;
        }
        let is_rule = !text.is_empty() && text.chars().all(|c| c == '-');
        let is_own = last.is_blank()
            || is_rule
            || is_columns(text)
            || Row::of(last).is_some()
            || OTHERS.iter().any(|other| text.starts_with(*other));
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        for line in block.lines {
            take(&mut result, line);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// Takes what a line says into the result.
fn take(result: &mut ToolResult, line: &ToolLine) {
    let text = line.text.trim();
    if let Some((threads, profile)) = profile(text) {
        result.options.insert("threads".to_owned(), threads.to_owned());
        result.options.insert("profile".to_owned(), profile.to_owned());
    } else if let Some(row) = Row::of(line) {
        if row.name == TOTAL {
            result.whole = row.measured;
        } else if !row.measured.figures.is_empty() {
            // What a terminal overwrote may be there, too: the last row of a transaction counts.
            result.parts.retain(|part| part.name != row.name);
            result.parts.push(part(ToolPartKind::Phase, row.name, row.measured));
        }
    } else if let Some((host, measured)) = host(line) {
        if host == MASTER && result.whole.is_empty() {
            result.whole = measured;
        } else if host != MASTER {
            result.parts.push(part(ToolPartKind::Other, host, measured));
        }
    } else if let Some(interface) = interface(line) {
        result.parts.push(interface);
    }
}

/// The threads or processes and the profile of `Starting 2 threads running profile:iperf ...   0.01 seconds`.
fn profile(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.strip_prefix("Starting ")?.split_once(PROFILE)?;
    Some((before.split_whitespace().next()?, rest.split_whitespace().next()?))
}

/// A row of a transaction, or of all.
struct Row<'a> {
    name: &'a str,
    measured: ToolMeasurement,
}

impl<'a> Row<'a> {
    /// `Txn2     3.37GB /  30.25(s) =   957.36Mb/s       15049op/s`.
    fn of(line: &'a ToolLine) -> Option<Self> {
        let (left, right) = line.text.split_once('=')?;
        let (left, seconds) = left.split_once('/')?;
        let seconds = seconds.trim().strip_suffix("(s)")?;
        let mut left = left.split_whitespace();
        let (name, bytes) = (left.next()?, left.next()?);
        let mut right = right.split_whitespace();
        let (rate, operations) = (right.next()?, right.next()?.strip_suffix("op/s")?);
        let mut measured = moved(line.number, bytes, rate);
        measured.window = Some(bare(line.number, seconds, Unit::Seconds)?);
        let operations = count(line.number, operations, Counting::Decimal, Unit::PerSecond);
        // A step that moves nothing is no load.
        measured.add(metric::OPERATIONS_PER_SECOND, operations.filter(|_| measured.bytes.is_some()));
        (name == TOTAL || name.starts_with("Txn")).then_some(Self { name, measured })
    }
}

/// The bytes and their rate, where there are any: nothing is printed as a nought without a unit.
fn moved(line: u64, bytes: &str, rate: &str) -> ToolMeasurement {
    let of = |text: &str, counting: Counting, unit: Unit| -> Option<PrintedValue> {
        quantity(line, text, counting).filter(|printed| printed.unit == unit)
    };
    let mut measured =
        ToolMeasurement { bytes: of(bytes, BYTES.counting, Unit::Bytes), ..ToolMeasurement::default() };
    measured.add(metric::THROUGHPUT, of(rate, BITS.counting, Unit::BytesPerSecond));
    measured
}

/// `10.0.0.2      61.80s    57.26GB     7.96Gb/s      3752501        0.00`: what one end counted.
fn host(line: &ToolLine) -> Option<(&str, ToolMeasurement)> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [.., host, seconds, bytes, rate, operations, _errors] = words.as_slice() else { return None };
    let mut measured = moved(line.number, bytes, rate);
    measured.window = Some(bare(line.number, seconds.strip_suffix('s')?, Unit::Seconds)?);
    measured.operations = operations.parse().ok().map(|count| exact(line.number, count, Unit::One));
    (!measured.figures.is_empty()).then_some((*host, measured))
}

/// `eth0        47663        2575     7.98Gb/s     1.37Mb/s`: what an interface sent and received.
fn interface(line: &ToolLine) -> Option<ToolPart> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [name, sent_packets, received_packets, sent, received] = words.as_slice() else { return None };
    let are_counts = [sent_packets, received_packets].iter().all(|word| word.parse::<u64>().is_ok());
    let mut measured = ToolMeasurement::default();
    let mut add = |metric: MetricName, text: &str| {
        let printed = quantity(line.number, text, BITS.counting);
        measured.add(metric, printed.filter(|printed| printed.unit == Unit::BytesPerSecond));
    };
    add(metric::SEND_THROUGHPUT, sent);
    add(metric::RECEIVE_THROUGHPUT, received);
    let is_one = are_counts && !measured.figures.is_empty();
    is_one.then(|| part(ToolPartKind::Other, *name, measured))
}

/// Whether it is a row of one of its tables: a name, and numbers with their units.
fn is_columns(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.len() >= 5 && words.iter().rev().take(4).all(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    const MADE: &str = "Starting 2 threads running profile:iperf ...   0.01 seconds\n\
        Txn1          0 /   1.00(s) =            0           2op/s\n\
        Txn2     1.00GB /  10.00(s) =   858.99Mb/s       13107op/s\n\
        Txn3          0 /   0.00(s) =            0           0op/s\n\
        -------------------------------------------------------------------------------\n\
        Total    1.00GB /  12.00(s) =   715.83Mb/s       10923op/s\n\n\
        Netstat statistics for this run\n\
        -------------------------------------------------------------------------------\n\
        Nic       opkts/s     ipkts/s      obits/s      ibits/s\n\
        eth0        61000        2575   740.00Mb/s     1.37Mb/s\n\
        lo              0           0            0            0\n\
        -------------------------------------------------------------------------------\n\n\
        Run Statistics\n\
        Hostname            Time       Data   Throughput   Operations      Errors\n\
        -------------------------------------------------------------------------------\n\
        10.0.0.2          12.00s     0.99GB   708.67Mb/s       129761        0.00\n\
        master            12.00s     1.00GB   715.83Mb/s       131072        0.00\n\
        -------------------------------------------------------------------------------\n\
        Difference(%)     -0.00%      1.00%        1.00%        1.00%       0.00%\n\nprose\n";

    #[test]
    fn the_total_and_its_transactions_are_read() {
        let output = crate::tool::read("", MADE.as_bytes()).unwrap();
        let result = &output.results[0];
        let rate = |measured: &ToolMeasurement, name| measured.figure(name).map(|rate| rate.value.round());
        assert_eq!(rate(&result.whole, metric::THROUGHPUT), Some(89_478_750.0));
        assert_eq!(rate(&result.whole, metric::OPERATIONS_PER_SECOND), Some(10_923.0));
        assert_eq!(result.whole.bytes.as_ref().map(|bytes| bytes.value), Some(1_073_741_824.0));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(12.0));
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["Txn2", "eth0", "10.0.0.2"]);
        assert_eq!(rate(&result.parts[0].measured, metric::THROUGHPUT), Some(107_373_750.0));
        assert_eq!(rate(&result.parts[1].measured, metric::SEND_THROUGHPUT), Some(92_500_000.0));
        assert_eq!((result.options["threads"].as_str(), result.options["profile"].as_str()), ("2", "iperf"));
        assert_eq!((output.unread.len(), output.unread[0].text.as_str()), (1, "prose"));
    }

    #[test]
    fn raw_statistics_have_the_row_of_the_master() {
        let results = read(
            "Starting 1 threads running profile:stream ...   0.00 seconds\n\
             timestamp_ms:1678434982950.2659 name:Txn1 nr_bytes:0 nr_ops:0\n\n\
             Run Statistics\nHostname            Time       Data   Throughput   Operations      Errors\n\
             10.0.0.2          12.00s     0.99GB   708.67Mb/s       129761        0.00\n\
             master            12.00s     1.00GB   715.83Mb/s       131072        0.00\n\
             Difference(%)     -0.00%      1.00%        1.00%        1.00%       0.00%\n",
        );
        assert_eq!(results[0].whole.operations.as_ref().map(|count| count.value), Some(131_072.0));
        assert_eq!(results[0].parts.len(), 1);
    }
}
