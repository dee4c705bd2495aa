//! NetPIPE: what `NPtcp` and its kin write on the screen, and the file that they leave (`np.out`). Each
//! size is a part; of the whole the shortest time and the highest rate are kept.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::given::{GivenOptions, OptionSpec};
use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{LeadingNumber, exact, leading, plain, quantity, seconds, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct NetPipe;

const NAME: &str = "netpipe";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x to 3.x",
    units: "Mbps",
    counting: Counting::Binary,
    proof: "netpipe-3.7.2-range: 1600 bytes in 11.39 us (11.385 to 11.395) are 1071.3 to 1072.2 times 2^20 bits a second, and 1123 million or more; it prints 1072.15 Mbps",
};

const LATER: CountingRule = CountingRule {
    tool: NAME,
    versions: "5.x",
    units: "Mbps, Gbps, KB, MB",
    counting: Counting::Decimal,
    proof: "netpipe-5-mpi-made, in the form that netpipe.c 5.1 prints: 24.576 KB, which are 24576 bytes, in 800.000 nsecs are 245.760 * 10^9 bits a second",
};

const RULES: &[CountingRule] = &[BITS, LATER];

/// Bytes per second of one Mbps.
const MBPS: f64 = 1_048_576.0 / 8.0;

/// The shortest time of all sizes.
const SHORTEST: MetricName = MetricName::new("half_round_trip_min");
/// The highest rate of all sizes.
const HIGHEST: MetricName = MetricName::new("throughput_max");

/// Lines that it may begin with.
const HEADS: &[&str] = &[
    "Sending output to ",
    "Passing data in both directions simultaneously",
    "Streaming in one direction only.",
    "Using no perturbations",
    "Using a perturbation value of ",
    "Doing an integrity check instead of ",
    "Clock resolution ~",
    START,
];

/// The line above the sizes of version 5.
const START: &str = "Start testing with ";

/// The last line of version 5.
const END: &str = "Completed with ";

const LINES: &[&str] = &[
    "Send and receive buffers are ",
    "(A bug in Linux doubles ",
    "Now starting the main loop",
    "Sending output to ",
    "Passing data in both directions ",
    "Output is for the combined bandwidth",
    "The socket buffer size limits ",
    "Streaming in one direction only",
    "Sockets are reset between trials",
    "degradation from a collapsing",
    "Streaming does not provide",
    "measurement of the latency since",
    "messages may get bundled",
    "Using no perturbations",
    "Using a perturbation value of ",
    "Using ",
    "Doing an integrity check ",
    "Performance measured without cache effects",
    "Preposted asynchronous",
    "NetPIPE: ",
    "NetPipe ",
    "Latency: ",
    "Synchronizing ",
    "NOTE: Be leary of timings",
    "Clock resolution ~",
    START,
];

impl ToolReader for NetPipe {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what NetPIPE 3 and 5 write on the screen, and the file np.out of three columns"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["NPtcp", "NPtcp6", "NPmpi", "NPmpich", "NPopenmpi", "NPsctp", "NPib", "NPmemcpy"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[HEADS, &["-->", "Now starting the main loop", "Send and receive buffers are "]])
            .or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_sure = Size::of_screen(line).is_some()
            || line.text == "Now starting the main loop"
            || line.text.starts_with("Send and receive buffers are ");
        if is_sure {
            return Some(Beginning::Certain);
        }
        let is_own = |size: Size| (0.4..2.5).contains(&size.ratio());
        let is_head = HEADS.iter().any(|head| line.text.trim_start().starts_with(head));
        (is_head || Size::of_file(line).is_some_and(is_own)).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if lines.first().is_some_and(|first| Size::of_file(first).is_some()) {
            return if Size::of_file(last).is_some() { Extent::More } else { Extent::EndsBefore };
        }
        let figures = |line: &ToolLine| Size::of_screen(line).is_some();
        let is_line = LINES.iter().any(|beginning| last.text.trim_start().starts_with(beginning));
        if last.text.starts_with(END) && before.iter().any(figures) {
            return Extent::EndsHere;
        }
        match figures(last) {
            // Another run begins with its first size.
            true if number(&last.text) == Some(0) && before.iter().any(figures) => Extent::EndsBefore,
            true => Extent::More,
            false if last.is_blank() => Extent::More,
            false if is_line && !before.iter().any(figures) => Extent::More,
            false if last.text.contains("Integrity check passed") => Extent::More,
            false => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let sizes: Vec<Size> = block.lines.iter().filter_map(Size::of).collect();
        if sizes.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let mut result = block.result(NAME, self.programs());
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        // With -2 both directions are told together.
        let is_both = block.lines.iter().any(|line| line.text.starts_with("Passing data in both directions"));
        // The file does not say so.
        let is_file = block.lines.first().is_some_and(|first| Size::of_file(first).is_some());
        let is_both = is_both || is_file && sizes.iter().all(|size| (1.8..2.2).contains(&size.ratio()));
        let time = sizes.iter().map(|size| &size.time).min_by(|a, b| a.value.total_cmp(&b.value));
        let rate = sizes.iter().map(|size| &size.rate).max_by(|a, b| a.value.total_cmp(&b.value));
        let (most, mean) = block.lines.iter().find_map(completed).unzip();
        result.whole.add(SHORTEST, time.cloned());
        result.whole.add(HIGHEST, most.or_else(|| rate.cloned()));
        result.whole.add(metric::HALF_ROUND_TRIP, mean);
        for size in &sizes {
            result.parts.push(part(ToolPartKind::Phase, size.bytes.text.as_str(), size.measured(is_both)));
        }
        let is_later =
            |line: &ToolLine| Size::of_early_screen(line).is_none() && Size::of_later_screen(line).is_some();
        let is_later = block.lines.iter().any(is_later);
        result.version = is_later.then(|| "5".to_owned());
        let given = GivenOptions::of(&result.command, TABLE);
        result.options = given.options;
        Ok(vec![result])
    }
}

const TABLE: &[OptionSpec] = &[
    OptionSpec::value(Some('h'), "host"),
    OptionSpec::value(Some('l'), "lower-bound"),
    OptionSpec::value(Some('u'), "upper-bound"),
    OptionSpec::value(Some('p'), "perturbation"),
    OptionSpec::value(Some('n'), "repeats"),
    OptionSpec::value(Some('o'), "output"),
    OptionSpec::value(Some('b'), "buffer"),
    OptionSpec::value(Some('O'), "offset"),
    OptionSpec::value(Some('P'), "port"),
    OptionSpec::flag(Some('s'), "stream"),
    OptionSpec::flag(Some('2'), "bidirectional"),
    OptionSpec::flag(Some('a'), "asynchronous"),
    OptionSpec::flag(Some('I'), "invalidate-cache"),
    OptionSpec::flag(Some('i'), "integrity"),
    OptionSpec::flag(Some('r'), "reset"),
];

/// The number of a line of the screen: `  3:       4 bytes`.
fn number(text: &str) -> Option<u64> {
    let (number, rest) = whole(text)?;
    rest.starts_with(':').then_some(number)
}

/// What is told of one size.
struct Size {
    line: u64,
    bytes: PrintedValue,
    /// How often it was sent there and back.
    times: Option<u64>,
    rate: PrintedValue,
    /// From one end to the other.
    time: PrintedValue,
}

impl Size {
    fn of(line: &ToolLine) -> Option<Self> {
        Self::of_screen(line).or_else(|| Self::of_file(line))
    }

    fn of_screen(line: &ToolLine) -> Option<Self> {
        Self::of_early_screen(line).or_else(|| Self::of_later_screen(line))
    }

    /// `  0:       1 bytes  11588 times -->      0.84 Mbps in       9.04 usec`.
    fn of_early_screen(line: &ToolLine) -> Option<Self> {
        let (_, rest) = whole(&line.text)?;
        let (bytes, rest) = whole(rest.strip_prefix(':')?)?;
        let (times, rest) = rest.trim_start().strip_prefix("bytes").and_then(whole)?;
        let rest = rest.trim_start().strip_prefix("times")?.trim_start().strip_prefix("-->")?;
        let rate = leading(rest, false)?;
        let rest = rate.rest.trim_start().strip_prefix("Mbps in")?;
        let time = leading(rest, false)?;
        let unit = time.rest.trim();
        let scale = seconds(unit)?;
        Some(Self {
            line: line.number,
            bytes: exact(line.number, bytes, Unit::Bytes),
            times: Some(times),
            rate: printed_rate(line.number, &rate, " Mbps"),
            time: printed_time(line.number, &time, scale, unit),
        })
    }

    /// ` 72:  24.576 KB      1000 times -->  256.751 Gbps  in  765.755 nsecs`, as version 5 prints it.
    fn of_later_screen(line: &ToolLine) -> Option<Self> {
        let (_, rest) = whole(&line.text)?;
        let words: Vec<&str> = rest.strip_prefix(':')?.split_whitespace().collect();
        let [size, size_unit, times, "times", "-->", rate, rate_unit, "in", time, time_unit, ..] =
            words.as_slice()
        else {
            return None;
        };
        let bytes = quantity(line.number, &format!("{size} {size_unit}"), Counting::Decimal);
        let bytes = bytes.filter(|bytes| bytes.unit == Unit::Bytes)?;
        // Without a multiple it is exact.
        let half_step = if *size_unit == "B" { 0.0 } else { bytes.half_step };
        Some(Self {
            line: line.number,
            bytes: PrintedValue { half_step, ..bytes },
            times: Some(times.parse().ok()?),
            rate: later_rate(line.number, rate, rate_unit)?,
            time: later_time(line.number, time, time_unit)?,
        })
    }

    /// `       1 0.844121   0.00000904`: bytes, Mbps, seconds.
    fn of_file(line: &ToolLine) -> Option<Self> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let [bytes, rate, time] = words.as_slice() else { return None };
        let bytes: u64 = bytes.parse().ok().filter(|bytes| *bytes > 0)?;
        let all = |text: &str| {
            leading(text, false).is_some_and(|number| number.rest.is_empty() && text.contains('.'))
        };
        if !all(rate) || !all(time) {
            return None;
        }
        let (rate, time) = (leading(rate, false)?, leading(time, false)?);
        // With eight decimals of seconds; many tables have three numbers.
        let decimals = time.digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        (decimals >= 6 && time.value > 0.0).then(|| Self {
            line: line.number,
            bytes: exact(line.number, bytes, Unit::Bytes),
            times: None,
            rate: printed_rate(line.number, &rate, ""),
            time: printed_time(line.number, &time, 1.0, "s"),
        })
    }

    /// The rate as a multiple of what the bytes and the time give: 1, or 2 of both directions.
    fn ratio(&self) -> f64 {
        self.rate.value * self.time.value / self.bytes.value
    }

    fn measured(&self, is_both: bool) -> ToolMeasurement {
        let own = &self.bytes;
        let bytes = match is_both {
            true => PrintedValue {
                text: format!("2 x {}", own.text),
                value: own.value * 2.0,
                half_step: own.half_step * 2.0,
                ..own.clone()
            },
            false => own.clone(),
        };
        let mut measured = ToolMeasurement {
            window: Some(self.time.clone()),
            bytes: Some(bytes),
            ..ToolMeasurement::default()
        };
        measured.add(metric::THROUGHPUT, Some(self.rate.clone()));
        measured.add(metric::HALF_ROUND_TRIP, Some(self.time.clone()));
        let times = self.times.map(|times| exact(self.line, times, Unit::One));
        measured.add(MetricName::new("repetitions"), times);
        measured
    }
}

/// The highest rate and the mean of the shortest times:
/// `Completed with        max bandwidth   311.403 Gbps     107.216 nsecs latency`.
fn completed(line: &ToolLine) -> Option<(PrintedValue, PrintedValue)> {
    let words: Vec<&str> = line.text.strip_prefix(END)?.split_whitespace().collect();
    let ["max", "bandwidth", rate, rate_unit, time, time_unit, "latency"] = words.as_slice() else {
        return None;
    };
    Some((later_rate(line.number, rate, rate_unit)?, later_time(line.number, time, time_unit)?))
}

/// A rate of version 5, whose multiples are decimal.
fn later_rate(line: u64, number: &str, unit: &str) -> Option<PrintedValue> {
    let rate = quantity(line, &format!("{number} {unit}"), Counting::Decimal);
    rate.filter(|rate| rate.unit == Unit::BytesPerSecond)
}

/// A time of version 5: `765.755 nsecs`.
fn later_time(line: u64, number: &str, unit: &str) -> Option<PrintedValue> {
    let scale = seconds(unit.strip_suffix('s').unwrap_or(unit))?;
    Some(printed_time(line, &leading(number, false)?, scale, unit))
}

fn printed_rate(line: u64, number: &LeadingNumber<'_>, unit: &str) -> PrintedValue {
    PrintedValue {
        half_step: number.half_step * MBPS,
        counting: Some(Counting::Binary),
        ..plain(line, format!("{}{unit}", number.digits), number.value * MBPS, Unit::BytesPerSecond)
    }
}

fn printed_time(line: u64, number: &LeadingNumber<'_>, scale: f64, unit: &str) -> PrintedValue {
    PrintedValue {
        half_step: number.half_step * scale,
        ..plain(line, format!("{} {unit}", number.digits), number.value * scale, Unit::Seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn a_megabit_is_one_of_2_to_the_20() {
        let size =
            Size::of(&line(" 10:    1600 bytes   3242 times -->   1072.15 Mbps in      11.39 usec")).unwrap();
        assert!((size.ratio() - 1.0).abs() < 0.001, "{}", size.ratio());
        let size = Size::of(&line("    1600 1072.150885   0.00001139")).unwrap();
        assert!((size.ratio() - 1.0).abs() < 0.001, "{}", size.ratio());
    }

    #[test]
    fn three_numbers_are_not_always_netpipes() {
        for text in ["1 2 3", "1024 0.5 0.25", "1600 1072.150885 0.50001139", "0 1.0 0.00000001"] {
            assert!(NetPipe.begins(&line(text)).is_none(), "{text}");
        }
    }
}
