//! rsync: what it says at its end, with `--stats` or without, and of each file with `--progress`. Its rate is of all
//! that was sent and received, and of a time in whole seconds with half a second more (main.c).

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::failure;
use crate::tool::arithmetic::FigureSheet;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::{plain, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Rsync;

const NAME: &str = "rsync";

const PROGRESS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all, of --progress",
    units: "kB/s, MB/s, GB/s",
    counting: Counting::Binary,
    proof: "progress.c divides bytes for each second by 1024 for kB/s, and again for MB/s and GB/s",
};

const AMOUNTS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all, of the amounts at its end; with -hh of 1024",
    units: "K, M, G",
    counting: Counting::Decimal,
    proof: "rsync-3.5.0-human: 4000000 bytes are `4.00M` there, and 3.81 binary M",
};

const RULES: &[CountingRule] = &[PROGRESS, AMOUNTS];

/// Lines that stand above names of files.
const LISTS: &[&str] = &[
    "sending incremental file list",
    "receiving incremental file list",
    "building file list ...",
    "receiving file list ...",
];

/// Further lines at its end and of errors.
const FURTHER: &[&str] = &[
    "Number of ",
    "Total file size:",
    "Total transferred file size:",
    "Literal data:",
    "Matched data:",
    "File list ",
    "Total bytes ",
    "rsync: ",
    "rsync error: ",
    "rsync warning: ",
    "total size is ",
];

/// What a quotient may be off by beyond its rounding.
const NEAR: f64 = 0.001;

impl ToolReader for Rsync {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the last lines of rsync, with `--stats` and `-h` or without, and the files of `--progress` and `--info=progress2`. Its \
         rate is of a time in whole seconds with half a second more"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[LISTS, &["%", " bytes  received ", "rsync: ", "rsync.exe: ", "Number of files: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_sure = is_list(text) || progress(line).is_some() || is_sum(text);
        let is_error = || failure::reason(text, self.programs()).is_some();
        if is_sure {
            return Some(Beginning::Certain);
        }
        (is_error() || text.starts_with("Number of files: ")).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let (Some(first), Some(previous)) = (before.first(), before.last()) else { return Extent::More };
        let text = last.text.as_str();
        let was_sum = is_sum(&previous.text);
        match () {
            () if text.starts_with("total size is ") => Extent::EndsHere,
            () if was_sum || is_list(text) => Extent::EndsBefore,
            () if last.is_blank() || is_known(last) => Extent::More,
            // A name.
            () if is_list(&first.text) && !has_statistics(before) => Extent::More,
            () => Extent::EndsBefore,
        }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let (sent, received) = (sheet.count("sent "), sheet.within_count("sent ", " received "));
        let (total, speedup) =
            (sheet.count("total size is "), sheet.within_count("total size is ", " speedup is "));
        // With -h it rounds.
        let is_exact =
            !sheet.lines().any(|(_, text)| text.starts_with("sent ") && text.contains(['K', 'M', 'G']));
        if is_exact {
            sheet.equal(&speedup, &total.exact() / &(&sent.exact() + &received.exact()), NEAR);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let counting = counting(block);
        let mut result = block.result(NAME, self.programs());
        let sum = block.lines.iter().find_map(|line| sum(line, counting));
        let mut name = None;
        let mut files = Vec::new();
        for line in block.lines {
            match progress(line) {
                Some(measured) => files.push(ToolPart {
                    kind: ToolPartKind::Phase,
                    name: name.take().unwrap_or_default(),
                    start_s: None,
                    measured,
                }),
                None => {
                    name =
                        Some(line.text.trim().to_owned()).filter(|_| !is_known(line) && !is_list(&line.text))
                }
            }
        }
        // Of all files together there is no name.
        let is_whole = |files: &[ToolPart]| matches!(files, [only] if only.name.is_empty());
        match sum {
            Some(sum) => result.whole = sum,
            None if is_whole(&files) => {
                result.whole = files.pop().map(|only| only.measured).unwrap_or_default()
            }
            None if files.is_empty() => return Err(NotUnderstood::CutShort),
            None => {}
        }
        result.parts = files;
        let error = block.lines.iter().find_map(|line| failure::reason(&line.text, self.programs()));
        result.options.extend(error.map(|error| (failure::OPTION.to_owned(), error.to_owned())));
        Ok(vec![result])
    }
}

fn is_list(text: &str) -> bool {
    LISTS.iter().any(|list| text.starts_with(list))
}

/// So many lines `--stats` has at most, with empty ones.
const STATISTICS_MAX: usize = 32;

/// Whether the statistics began, which stand behind all names. There may be a hundred thousand of these.
fn has_statistics(before: &[ToolLine]) -> bool {
    before.iter().rev().take(STATISTICS_MAX).any(|line| is_statistic(&line.text))
}

/// A line of `--stats`, which stands behind all names.
fn is_statistic(text: &str) -> bool {
    text.starts_with("Number of files: ") || is_sum(text)
}

/// `sent 4,001,133 bytes  received 54 bytes  8,002,374.00 bytes/sec`.
fn is_sum(text: &str) -> bool {
    text.starts_with("sent ") && text.contains(" bytes  received ") && text.ends_with("bytes/sec")
}

/// Whether rsync prints such a line, whatever the files are called.
fn is_known(line: &ToolLine) -> bool {
    let text = line.text.as_str();
    progress(line).is_some() || is_sum(text) || FURTHER.iter().any(|known| text.starts_with(known))
}

/// What multiples at its end are of.
fn counting(block: &ToolBlock<'_>) -> Counting {
    let words = block.command.and_then(|command| command.invocation(Rsync.programs())).unwrap_or_default();
    let letters = words.iter().filter(|word| word.starts_with('-') && !word.starts_with("--"));
    let times: usize = letters.map(|word| word.matches('h').count()).sum();
    if times > 1 { Counting::Binary } else { AMOUNTS.counting }
}

/// What the line with the sum of all says.
fn sum(line: &ToolLine, counting: Counting) -> Option<ToolMeasurement> {
    let (sent, rest) = line.text.strip_prefix("sent ")?.split_once(" bytes  received ")?;
    let (received, rest) = rest.split_once(" bytes ")?;
    let rate = rest.trim().strip_suffix("bytes/sec")?.trim();
    let (one, other) = (amount(sent, counting)?, amount(received, counting)?);
    let bytes = PrintedValue {
        text: format!("{sent} + {received} bytes"),
        half_step: one.half_step + other.half_step,
        counting: one.counting,
        ..plain(line.number, "", one.value + other.value, Unit::Bytes)
    };
    let rate = rated(line.number, rate, &bytes, counting)?;
    let mut measured = ToolMeasurement { bytes: Some(bytes), ..ToolMeasurement::default() };
    measured.add(metric::THROUGHPUT, Some(rate));
    Some(measured)
}

/// The rate: nobody knows which second began when it started, so the time is one off at most.
fn rated(line: u64, text: &str, bytes: &PrintedValue, counting: Counting) -> Option<PrintedValue> {
    let Amount { value, half_step, counting } = amount(text, counting)?;
    let seconds = bytes.value / value;
    let of_clock = if seconds.is_finite() && seconds > 0.0 { value / seconds } else { 0.0 };
    Some(PrintedValue {
        text: format!("{text} bytes/sec"),
        half_step: half_step + of_clock.min(value),
        counting,
        ..plain(line, "", value, Unit::BytesPerSecond)
    })
}

/// A number as rsync prints it.
struct Amount {
    value: f64,
    half_step: f64,
    counting: Option<Counting>,
}

/// `4,001,133`, `8.002.374,00`, `4.00M`. What parts digits is a point in some locales, and there the decimals
/// follow a comma; there are two of these, or none.
fn amount(text: &str, counting: Counting) -> Option<Amount> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = factor(text.get(digits.len()..)?, counting)?;
    let (integer, decimals) = match digits.rfind(['.', ',']) {
        Some(at) if digits.len() - at == DECIMALS + 1 => (digits.get(..at)?, digits.get(at + 1..)?),
        _ => (digits, ""),
    };
    let integer = integer.replace([',', '.'], "");
    if integer.is_empty() || !integer.chars().chain(decimals.chars()).all(|c| c.is_ascii_digit()) {
        return None;
    }
    let value: f64 = format!("{integer}.{decimals}0").parse().ok()?;
    let is_exact = decimals.is_empty();
    Some(Amount {
        value: value * scale,
        half_step: if is_exact { 0.0 } else { HALF_OF_LAST * scale },
        counting: (digits.len() < text.len()).then_some(counting),
    })
}

/// So many digits stand behind the point, where there is one.
const DECIMALS: usize = 2;

/// Half of what the last of them counts.
const HALF_OF_LAST: f64 = 0.005;

/// `      3,000,000 100%  176.86MB/s    0:00:00 (xfr#1, to-chk=1/3)`: the rate of all of the file, once it is whole.
fn progress(line: &ToolLine) -> Option<ToolMeasurement> {
    let mut words = line.text.split_whitespace();
    let (bytes, share, rate, clock) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let percent = share.strip_suffix('%')?;
    let is_clock = clock.split(':').count() == 3 && clock.chars().all(|c| c.is_ascii_digit() || c == ':');
    if !is_clock || !percent.chars().all(|c| c.is_ascii_digit()) || !line.is_indented() {
        return None;
    }
    let Amount { value, half_step, counting } = amount(bytes, AMOUNTS.counting)?;
    let rate =
        quantity(line.number, rate, PROGRESS.counting).filter(|rate| rate.unit == Unit::BytesPerSecond)?;
    let bytes = PrintedValue { half_step, counting, ..plain(line.number, bytes, value, Unit::Bytes) };
    let mut measured = ToolMeasurement { bytes: Some(bytes), ..ToolMeasurement::default() };
    measured.add(metric::THROUGHPUT, Some(rate).filter(|_| percent == "100"));
    Some(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn the_last_lines_of_every_version_and_locale_are_read() {
        for (text, bytes, rate) in [
            ("sent 4,001,133 bytes  received 54 bytes  8,002,374.00 bytes/sec", 4_001_187.0, 8_002_374.0),
            ("sent 4.001.133 bytes  received 54 bytes  8.002.374,00 bytes/sec", 4_001_187.0, 8_002_374.0),
            ("sent 4001133 bytes  received 54 bytes  8002374.00 bytes/sec", 4_001_187.0, 8_002_374.0),
            ("sent 4.00M bytes  received 54 bytes  8.00M bytes/sec", 4_000_054.0, 8e6),
        ] {
            let read = sum(&line(text), Counting::Decimal).unwrap_or_else(|| panic!("{text}"));
            assert!(is_sum(text));
            assert_eq!(read.bytes.as_ref().unwrap().value, bytes, "{text}");
            let printed = read.figure(metric::THROUGHPUT).unwrap();
            assert_eq!(printed.value, rate, "{text}");
            assert!(printed.half_step >= rate / 2.0, "half a second is no time");
        }
    }

    #[test]
    fn files_have_their_names() {
        let text = "sending incremental file list\na b\n      3,000,000 100%  176.86MB/s    0:00:00 (xfr#1, to-chk=1/3)\nc\n      \
                    1,000,000  50%   47.68MB/s    0:00:01\n\nsent 4,001,133 bytes  received 54 bytes  8,002,374.00 bytes/sec\n\
                    total size is 4,000,000  speedup is 1.00\nSo it was.\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let result = &output.results[0];
        assert_eq!((output.results.len(), result.lines.last, output.unread.len()), (1, 8, 1));
        let names: Vec<_> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["a b", "c"]);
        assert_eq!(result.parts[1].measured.figure(metric::THROUGHPUT), None, "it is not whole");
    }

    #[test]
    fn other_lines_are_none_of_rsync() {
        for text in ["sent 5 bytes", "100% done", "    1 100% 2 3", "building is hard", "total size is 5"] {
            assert!(Rsync.begins(&line(text)).is_none(), "{text}");
        }
    }
}
