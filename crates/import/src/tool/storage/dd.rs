//! dd of GNU coreutils, BSD, macOS and busybox. Its words are translated into many languages, and in
//! some locales decimals follow a comma, so lines are known by their numbers and units.

use std::borrow::Cow;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolRemedy, ToolResult};
use model::{Unit, metric};

use super::{dd_operands, dd_remedy, failure};
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{self, exact, leading, quantity, signed, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Dd;

const NAME: &str = "dd";

/// The variant of FreeBSD and macOS.
pub(super) const BSD: &str = "BSD";

/// So many lines are looked at for what stands at the beginning of an output.
const HEAD: usize = 8;

/// GNU's, by its version 9.1; those since 8.25 print the same.
const GNU: CountingRule = CountingRule {
    tool: NAME,
    versions: "GNU coreutils",
    units: "kB/s, MB/s, GB/s",
    counting: Counting::Decimal,
    proof: "dd-9.1-partial: 100000 bytes in 0.000305333 s are 327.5 decimal MB/s; it prints 328 MB/s",
};

const BUSYBOX: CountingRule = CountingRule {
    tool: NAME,
    versions: "busybox",
    units: "KB/s, MB/s, GB/s",
    counting: Counting::Binary,
    proof: "coreutils/dd.c prints by make_human_readable_str, which divides by 1024: 67108864 bytes are `64.0MB` there",
};

const TOYBOX: CountingRule = CountingRule {
    tool: NAME,
    versions: "toybox (Android)",
    units: "k/s, M/s, G/s, without a B",
    counting: Counting::Binary,
    proof: "lib/lib.c divides by 1024 in human_readable: 268435456 bytes are `256 M` there",
};

const RULES: &[CountingRule] = &[GNU, BUSYBOX, TOYBOX];

/// The words before the numbers of a line are no longer, in any language.
const WORDS_BEFORE_MAX: usize = 16;

/// A unit of time is no longer, in any language.
const UNIT_MAX: usize = 12;

impl ToolReader for Dd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what dd prints at its end or with status=progress, of GNU coreutils in any language, of BSD, macOS, busybox and \
         toybox, and the error that ended it"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["dd", "gdd"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["+", "/", "dd: ", "dd.exe: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if records(&line.text).is_some() {
            return Some(Beginning::Certain);
        }
        let is_error = || failure::reason(&line.text, self.programs()).is_some();
        (copied(line).is_some() || is_error()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        // One line counts what was read, one what was written, and they stand at the beginning.
        let counted = before.iter().take(HEAD).filter(|line| records(&line.text).is_some()).count();
        let is_counted = counted > 0;
        match (records(&last.text), copied(last)) {
            (Some(_), _) if counted < 2 => Extent::More,
            (_, Some(_)) if is_counted => Extent::EndsHere,
            // Progress, which the figures of the end follow.
            (_, Some(_)) if before.is_empty() => Extent::More,
            _ if is_counted && is_truncated(&last.text) => Extent::More,
            // What ended it stands before what it counted.
            _ if !is_counted && failure::reason(&last.text, self.programs()).is_some() => Extent::More,
            _ => Extent::EndsBefore,
        }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        // `67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s`
        for (line, text) in sheet.lines().filter(|(_, text)| text.contains(" bytes (")) {
            let Some((bytes, rest)) = text.split_once(" bytes (") else { continue };
            let bytes = nth_of(line, bytes, 0).exact();
            for size in rest.split(')').next().unwrap_or_default().split(", ") {
                // GNU rounds up, and busybox writes MB for MiB.
                let readings = [Counting::Binary, Counting::Decimal]
                    .map(|counting| Term::of(quantity(line, size, counting).map(number::cut_off)));
                sheet.equal_to_any(&bytes, readings.to_vec(), 0.0);
            }
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let copied = block.lines.iter().filter_map(copied).next_back().ok_or(NotUnderstood::CutShort)?;
        let mut result = block.result(NAME, self.programs());
        result.version = copied.variant.map(str::to_owned);
        let written = block.lines.iter().rev().find_map(|line| Some((line.number, records(&line.text)?)));
        if let Some((line, (full, partial))) = written {
            let text = format!("{full}+{partial}");
            let value = full.saturating_add(partial);
            result.whole.operations = Some(PrintedValue { text, ..exact(line, value, Unit::One) });
        }
        result.whole.bytes = Some(copied.bytes);
        result.whole.window = Some(copied.seconds);
        result.whole.add(metric::THROUGHPUT, copied.rate);
        let is_passed = block.command.is_some_and(|command| command.is_passed(self.programs()));
        let contradicts = |(_, (full, _)): (u64, (u64, u64))| dd_operands::contradict(&result, full);
        // Between the outputs of one command somebody left out another.
        if is_passed && written.is_some_and(contradicts) {
            result.command.clear();
        }
        dd_operands::fill(&mut result);
        let error = block.lines.iter().find_map(|line| failure::reason(&line.text, self.programs()));
        result.options.extend(error.map(|error| (failure::OPTION.to_owned(), error.to_owned())));
        Ok(vec![result])
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        Some(dd_remedy::corrected(result, remedies))
    }
}

/// A text with the marks of Latin letters in place of wide ones, and without those of Markdown, which stand around a figure
/// that is to be seen.
fn with_latin_marks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains(['`', '*']) {
        return Cow::Borrowed(text);
    }
    let text = text.replace(['\u{ff0c}', '\u{3001}'], ", ");
    Cow::Owned(text.replace('\u{ff08}', " (").replace('\u{ff09}', ")").replace(['`', '*'], ""))
}

/// Full and partial records of a line such as `64+0 records in`; in Chinese `记录了64+0 的读入`, where words
/// stand before the numbers, too.
fn records(text: &str) -> Option<(u64, u64)> {
    let (before, numbers) = text.split_at_checked(text.find(|c: char| c.is_ascii_digit())?)?;
    let is_letter = |c: char| !c.is_ascii() && c.is_alphabetic();
    let are_words = before.trim().chars().all(|c| is_letter(c) || c == ' ');
    if before.trim().chars().count() > WORDS_BEFORE_MAX || !are_words {
        return None;
    }
    let (full, rest) = whole(numbers)?;
    let (partial, rest) = whole_behind(rest, '+')?;
    let is_words =
        rest.starts_with(|c: char| c == ' ' || is_letter(c)) && rest.chars().any(char::is_alphabetic);
    (is_words && !rest.contains(|c: char| c.is_ascii_digit())).then_some((full, partial))
}

fn whole_behind(text: &str, mark: char) -> Option<(u64, &str)> {
    let text = text.strip_prefix(mark)?;
    if text.starts_with(|c: char| c.is_ascii_digit()) { whole(text) } else { None }
}

/// `1 truncated record`.
fn is_truncated(text: &str) -> bool {
    whole(text).is_some_and(|(_, rest)| rest.trim_start().starts_with(|c: char| c.is_alphabetic()))
}

/// What dd says of what it copied.
struct Copied {
    bytes: PrintedValue,
    seconds: PrintedValue,
    rate: Option<PrintedValue>,
    /// Whose it is, where that shows.
    variant: Option<&'static str>,
}

/// A rate that is so many times what its bytes and seconds make is of something else: no unit explains it.
const OFF_MAX: f64 = 1e4;

impl Copied {
    /// Whether one line tells all three of one copy: prose may have as many figures.
    fn is_possible(&self) -> bool {
        let Some(rate) = self.rate.as_ref().filter(|rate| rate.value > 0.0) else { return true };
        // A time below zero is told as such.
        let off = (rate.value * self.seconds.value / self.bytes.value).abs();
        // Of nothing, or in no time, nothing follows.
        off == 0.0 || !off.is_finite() || (1.0 / OFF_MAX..=OFF_MAX).contains(&off)
    }
}

/// Reads the line with bytes, seconds and rate.
fn copied(line: &ToolLine) -> Option<Copied> {
    // Every line of any text is asked; each of these has a rate. The commas are of Chinese and Japanese.
    let text = Some(&line.text).filter(|text| text.contains('/'))?;
    let text = with_latin_marks(text);
    let start = text.find(|c: char| c.is_ascii_digit())?;
    // Words may stand before the number, but no sentence.
    if text.get(..start)?.chars().count() > WORDS_BEFORE_MAX {
        return None;
    }
    let (bytes, rest) = whole(text.get(start..)?)?;
    if !rest.starts_with(|c: char| c == ' ' || !c.is_ascii() && c.is_alphabetic()) {
        return None;
    }
    let bytes = exact(line.number, bytes, Unit::Bytes);
    transferred(line, &bytes, rest)
        .or_else(|| on_the_way(line, &bytes, rest))
        .or_else(|| of_three_parts(line, &bytes, rest))
        .filter(Copied::is_possible)
}

/// `67108864 bytes transferred in 0.030532 secs (2197984606 bytes/sec)`, of BSD and macOS.
fn transferred(line: &ToolLine, bytes: &PrintedValue, rest: &str) -> Option<Copied> {
    let (before, rate) = rest.rsplit_once('(')?;
    let rate = rate.trim_end().strip_suffix(')')?;
    if !rate.contains("/sec") {
        return None;
    }
    let at = before.find(|c: char| c.is_ascii_digit())?;
    let seconds = time(line, before.get(at..)?.trim())?;
    let rate = quantity(line.number, rate, Counting::Decimal)?;
    // GNU's printed the same before coreutils 5.3, with the whole word.
    let variant = if before.contains("seconds") { "GNU" } else { BSD };
    Some(Copied { bytes: bytes.clone(), seconds, rate: Some(rate), variant: Some(variant) })
}

/// `104857600 bytes (105 MB, 100 MiB) transferred 1.003s, 105 MB/s`, of BSD and macOS with `status=progress`.
fn on_the_way(line: &ToolLine, bytes: &PrintedValue, rest: &str) -> Option<Copied> {
    let (seconds, speed) = rest.rsplit_once(" transferred ")?.1.split_once(", ")?;
    let rate = Some(rate(line.number, speed.trim(), Counting::Decimal)?);
    Some(Copied { bytes: bytes.clone(), seconds: time(line, seconds)?, rate, variant: Some(BSD) })
}

/// `67108864 bytes (67 MB, 64 MiB) copied, 0.039679 s, 1.7 GB/s`, of GNU; without what is in
/// parentheses where that says no more than the number, or before 8.25 without the binary one; and of
/// busybox `67108864 bytes (64.0MB) copied, 0.030532 seconds, 2.0GB/s`.
fn of_three_parts(line: &ToolLine, bytes: &PrintedValue, rest: &str) -> Option<Copied> {
    let outside = match (rest.find('('), rest.find(')')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}{}", rest.get(..open)?, rest.get(close + 1..)?)
        }
        _ => rest.to_owned(),
    };
    let mut parts = outside.rsplit(", ");
    let (speed, seconds) = (parts.next()?.trim(), parts.next()?.trim());
    parts.next()?;
    let seconds = time(line, seconds)?;
    let copied = |rate, variant| Copied { bytes: bytes.clone(), seconds, rate, variant: Some(variant) };
    // Nothing took no time.
    if speed.starts_with(|c: char| c.is_alphabetic()) && speed.ends_with("B/s") {
        return Some(copied(None, "GNU"));
    }
    if rest.starts_with(" bytes")
        && let Some(rate) = without_bytes(line.number, speed)
    {
        return Some(copied(Some(rate), "toybox"));
    }
    let is_busybox = !leading(speed, false)?.rest.starts_with(' ');
    let (rule, variant) = if is_busybox { (&BUSYBOX, "busybox") } else { (&GNU, "GNU") };
    Some(copied(Some(rate(line.number, speed, rule.counting)?), variant))
}

/// `2.2 GB/s`, in the words of early versions `2.2 GB/秒`.
fn rate(line: u64, text: &str, counting: Counting) -> Option<PrintedValue> {
    let (amount, second) = text.split_once('/').filter(|(_, second)| is_unit_of_time(second))?;
    let is_amount = second.chars().next().is_some_and(char::is_alphabetic);
    let printed = quantity(line, &format!("{amount}/s"), counting).filter(|_| is_amount)?;
    (printed.unit == Unit::BytesPerSecond).then(|| PrintedValue { text: text.to_owned(), ..printed })
}

/// `486 M/s`, of toybox.
fn without_bytes(line: u64, text: &str) -> Option<PrintedValue> {
    let amount = text.strip_suffix("/s").filter(|amount| amount.ends_with(['k', 'K', 'M', 'G', 'T']))?;
    let printed = quantity(line, &format!("{amount}B/s"), TOYBOX.counting)?;
    Some(PrintedValue { text: text.to_owned(), ..printed })
}

/// Seconds, in whichever language their unit is.
fn time(line: &ToolLine, text: &str) -> Option<PrintedValue> {
    let number = signed(text)?;
    is_unit_of_time(number.rest.trim()).then(|| PrintedValue {
        text: text.to_owned(),
        half_step: number.half_step,
        ..number::plain(line.number, "", number.value, Unit::Seconds)
    })
}

/// Whether it may be a word for seconds, in whichever language.
fn is_unit_of_time(text: &str) -> bool {
    // In Latin letters it is `s` in nearly all of them: GB, ms and files are no seconds.
    let is_latin = || text.starts_with(['s', 'S', 'c']) || ["mp", "detik"].contains(&text);
    let are_letters = text.chars().all(|c| c.is_alphabetic() || c == '.');
    (1..=UNIT_MAX).contains(&text.chars().count()) && are_letters && (!text.is_ascii() || is_latin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn lines_of_every_variant_are_known_by_their_numbers() {
        for (text, variant, bytes, seconds, rate) in [
            ("67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s", "GNU", 67_108_864.0, 0.04, 1.7e9),
            ("100 bytes copied, 8.76e-05 s, 1.1 MB/s", "GNU", 100.0, 8.76e-5, 1.1e6),
            ("100 bytes (100 B) copied, 0.5 s, **200 B/s**", "GNU", 100.0, 0.5, 200.0),
            ("1000 bytes (1.0 kB) copied, 0.5 seconds, `2.0 kB/s`", "GNU", 1000.0, 0.5, 2000.0),
            ("104857600 Bytes (105 MB) kopiert, 0,0036 s, 28,9 GB/s", "GNU", 104_857_600.0, 0.0036, 28.9e9),
            ("已复制 512 字节，0.5 秒，1.0 kB/s", "GNU", 512.0, 0.5, 1000.0),
            ("1024 bytes (1.0KB) copied, 0.5 seconds, 2.0KB/s", "busybox", 1024.0, 0.5, 2048.0),
            ("1024 bytes transferred in 0.5 secs (2048 bytes/sec)", "BSD", 1024.0, 0.5, 2048.0),
            ("1024 bytes transferred in 0.5 seconds (2048 bytes/sec)", "GNU", 1024.0, 0.5, 2048.0),
            ("1024 bytes (1 kB, 1 KiB) transferred 0.5s, 2048 B/s", "BSD", 1024.0, 0.5, 2048.0),
            ("1048576 bytes (1 M) copied, 0.5 s, 2 M/s", "toybox", 1_048_576.0, 0.5, 2_097_152.0),
            ("67108864字节(67 MB)已复制，0.5 秒，134 MB/秒", "GNU", 67_108_864.0, 0.5, 134e6),
            (
                "67108864 バイト (67 MB) コピーされました、 0.5 秒、 134 MB/秒",
                "GNU",
                67_108_864.0,
                0.5,
                134e6,
            ),
            ("скопировано 512 байт, 0,5 c, 1,0 kB/s", "GNU", 512.0, 0.5, 1000.0),
            ("512 바이트 복사됨, 0.5 초, 1.0 kB/초", "GNU", 512.0, 0.5, 1000.0),
        ] {
            let read = copied(&line(text)).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.variant, Some(variant));
            assert_eq!((read.bytes.value, read.seconds.value), (bytes, seconds), "{text}");
            assert!((read.rate.unwrap().value / rate - 1.0).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn prose_with_numbers_is_no_output_of_dd() {
        for text in [
            "64+0 is a sum with 3 parts",
            "I copied 5 files, 3 of them twice, at night",
            "100 bytes copied",
            "12 apples, 3 pears, 4 plums",
            "I copied 3 files, 17 GB, 120 MB/s",
            "42 files, 17 dirs, 3 MB/s",
            "6 requests completed in 552 us, 5417 iops, 21.2 MiB/s",
            "I copied 3 files, 17 s, 120 MB/s",
            "Got 30 files, 5 s, 3 M/s",
        ] {
            assert!(Dd.begins(&line(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn records_are_counted_in_every_language() {
        for text in [
            "64+0 레코드 입력함",
            "64+0개의 레코드를 입력하였습니다",
            "输入了 64+0 块记录",
            "记录了64+0 的读入",
            "輸入 64+0 個紀錄",
            "64+0 レコード入力",
            "64+0 записей получено",
        ] {
            assert_eq!(records(text), Some((64, 0)), "{text}");
        }
        for text in ["about 64+0 records", "64+0", "64+0 of 70", "v64+0 x"] {
            assert_eq!(records(text), None, "{text}");
        }
    }

    #[test]
    fn the_error_that_ended_it_stands_with_its_figures() {
        let text = "dd: error writing '/mnt/x': No space left on device\n12+0 records in\n11+0 records out\n\
                    11534336 bytes (12 MB, 11 MiB) copied, 0.5 s, 23.1 MB/s\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!((results.len(), results[0].lines.first), (1, 1));
        assert_eq!(results[0].error(), Some("No space left on device"));
        let refused = "dd: failed to open '/mnt/x': Permission denied\n";
        assert_eq!(Dd.begins(&line(refused)), None, "it did nothing");
    }

    #[test]
    fn regression_the_output_of_another_command_was_held_against_the_one_above() {
        let printed = |count: u64, bytes: u64| {
            format!("{count}+0 records in\n{count}+0 records out\n{bytes} bytes copied, 0.5 s, 1.0 GB/s\n")
        };
        let (first, other) = (printed(8, 8 << 20), printed(16384, 8 << 20));
        let text = format!("$ dd if=/dev/zero of=x bs=1M\n{first}mv x y\n{other}");
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let has_command: Vec<bool> = results.iter().map(|result| !result.command.is_empty()).collect();
        assert_eq!(has_command, [true, false]);
        let typed =
            crate::tool::read("", format!("$ dd if=/dev/zero of=x bs=1M\n{other}").as_bytes()).unwrap();
        assert!(!typed.results[0].command.is_empty(), "what stands right below it is of it");
    }
}
