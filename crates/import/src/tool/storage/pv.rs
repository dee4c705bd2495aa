//! pv: the line that it leaves of what passed a pipe. At its end the rate is the mean of all; the time is cut to
//! whole seconds.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Pv;

const NAME: &str = "pv";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x, without --si; until 1.4 without the i",
    units: "MiB, GiB, MiB/s; MB and MB/s of early versions",
    counting: Counting::Binary,
    proof: "pv-1.6.20-bar: a file of 3000000 bytes is `2.86MiB` there, and 3.00 decimal MB",
};

const SI: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x, with --si",
    units: "kB, MB, GB, MB/s",
    counting: Counting::Decimal,
    proof: "its manual, of -k, --si: suffixes are multiples of 1000, not of 1024",
};

const RULES: &[CountingRule] = &[BYTES, SI];

/// Options of one letter that have a value: behind one, no further letters stand in a word.
const VALUED: &str = "mAFDsiwHNuxoLBZUdRP";

/// A name that `-N` puts in front is no longer.
const TITLE_MAX: usize = 40;

impl ToolReader for Pv {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the line of pv, with a bar or without, with the mean of `-a` beside the rate, and with the name of `-N`"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["["]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        measured(line, BYTES.counting).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        if lines.len() == 1 { Extent::EndsHere } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let result = block.result(NAME, self.programs());
        let rule = if is_si(&result.command) { &SI } else { &BYTES };
        let mut lines = block.lines.iter();
        let whole = lines.find_map(|line| measured(line, rule.counting)).ok_or(NotUnderstood::OtherText)?;
        Ok(vec![ToolResult { whole, ..result }])
    }
}

/// Whether the command has `--si`, or `-k` for it, which may stand among other letters.
fn is_si(command: &[String]) -> bool {
    let is_k = |word: &String| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        letters.chars().take_while(|letter| !VALUED.contains(*letter)).any(|letter| letter == 'k')
    };
    command.iter().skip(1).any(|word| word == "--si" || is_k(word))
}

/// `2.86MiB 0:00:01 [1.98MiB/s] [1.98MiB/s] [=======>] 100%`.
fn measured(line: &ToolLine, counting: Counting) -> Option<ToolMeasurement> {
    let text = line.text.trim_start();
    let text = match text.split_once(": ") {
        Some((title, rest)) if title.len() <= TITLE_MAX => rest.trim_start(),
        _ => text,
    };
    let (bytes, rest) = text.split_once(' ')?;
    let (clock, rest) = rest.trim_start().split_once(' ')?;
    let bytes = quantity(line.number, bytes, counting).filter(|bytes| bytes.unit == Unit::Bytes)?;
    let mut rates = rest.split('[').skip(1).filter_map(|part| rate(line.number, part, counting));
    let first = rates.next()?;
    // The mean of all, where it is told; the rate of the last second is none.
    let mean = rates.next().or_else(|| Some(first).filter(|_| is_at_end(rest)));
    let mut measured = ToolMeasurement {
        window: Some(window(line.number, clock)?),
        bytes: Some(bytes),
        ..ToolMeasurement::default()
    };
    measured.add(metric::THROUGHPUT, mean);
    Some(measured)
}

/// Whether all has passed, or nobody knew how much that is: a time to come is told only on the way.
fn is_at_end(rest: &str) -> bool {
    rest.contains("100%") || !rest.contains("ETA")
}

/// `1.98MiB/s]`; with spaces before the number in early versions.
fn rate(line: u64, part: &str, counting: Counting) -> Option<PrintedValue> {
    let inside = part.split_once(']')?.0.trim();
    quantity(line, inside, counting).filter(|rate| rate.unit == Unit::BytesPerSecond)
}

/// `0:00:01`, of a day and more `1:02:03:04`: up to a second more.
fn window(line: u64, clock: &str) -> Option<PrintedValue> {
    let parts: Vec<u64> = clock.split(':').map(only_digits).collect::<Option<Vec<u64>>>()?;
    let seconds = match parts.as_slice() {
        [hours, minutes, seconds] => (hours * 60 + minutes) * 60 + seconds,
        [days, hours, minutes, seconds] => ((days * 24 + hours) * 60 + minutes) * 60 + seconds,
        _ => return None,
    };
    let middle = seconds as f64 + 0.5;
    Some(PrintedValue { half_step: 0.5, ..plain(line, clock, middle, Unit::Seconds) })
}

/// A number of a clock.
fn only_digits(text: &str) -> Option<u64> {
    whole(text)
        .filter(|(_, rest)| rest.is_empty())
        .map(|(number, _)| number)
        .filter(|number| *number < 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn lines_of_all_versions_are_read() {
        for (text, rate) in [
            ("2.86MiB 0:00:01 [1.98MiB/s] [================================>] 100%", 1.98 * 1_048_576.0),
            ("2.86MB 0:00:01 [1.98MB/s] [================================>] 100%", 1.98 * 1_048_576.0),
            (" 976KiB 0:00:00 [1.12GiB/s] [1.00GiB/s]", 1_073_741_824.0),
            ("disk: 1.00GiB 0:01:30 [11.4MiB/s]", 11.4 * 1_048_576.0),
        ] {
            let read = measured(&line(text), BYTES.counting).unwrap_or_else(|| panic!("{text}"));
            assert!((read.figure(metric::THROUGHPUT).unwrap().value / rate - 1.0).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn on_the_way_there_is_no_mean() {
        let on_the_way = line("2.00MiB 0:00:01 [1.85MiB/s] [======>     ] 69% ETA 0:00:00");
        let read = measured(&on_the_way, BYTES.counting).unwrap();
        assert_eq!(read.figure(metric::THROUGHPUT), None);
        assert_eq!(read.bytes.map(|bytes| bytes.value), Some(2_097_152.0));
        let window = read.window.unwrap();
        assert_eq!((window.least(), window.most()), (1.0, 2.0));
    }

    #[test]
    fn the_command_tells_of_what_multiples_are() {
        for (command, bytes) in [
            ("pv --si a", 3e6),
            ("pv -trbk a", 3e6),
            ("pv a", 3.0 * 1_048_576.0),
            ("pv -Nk a", 3.0 * 1_048_576.0),
        ] {
            let text = format!("$ {command} > b\n3.00MB 0:00:01 [2.00MB/s]\n");
            let results = crate::tool::read("", text.as_bytes()).unwrap().results;
            assert_eq!(
                results[0].whole.bytes.as_ref().map(|printed| printed.value),
                Some(bytes),
                "{command}"
            );
        }
    }

    #[test]
    fn other_lines_are_none_of_pv() {
        for text in [
            "10MB in 5 s",
            "2.86MiB 0:00:01",
            "at 2:00:00 [1.98MiB/s]",
            "[  5]   0.00-1.00   sec  1.2 GBytes",
            "2.86MiB 100%  [1 MB/s]",
        ] {
            assert!(Pv.begins(&line(text)).is_none(), "{text}");
        }
    }
}
