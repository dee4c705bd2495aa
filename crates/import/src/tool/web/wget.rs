//! GNU wget 1.x: its log in any language, with dots or a bar, and the bar alone. Lines are known by
//! their numbers, for all words of it are translated.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::{CommandOptions, folder, one_download, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, leading, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Wget;

const NAME: &str = "wget";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "KB/s, MB/s, GB/s; K, M and G of sizes",
    counting: Counting::Binary,
    proof: "wget-1.21-several: 9000000 bytes in 2.05 to 2.15 s are 3.99 to 4.19 MiB/s, and 4.19 to 4.39 decimal MB/s; it \
            prints 4.10 MB/s, and of the size `9000000 (8.6M)`",
};

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x with --report-speed=bits",
    units: "Kb/s, Mb/s, Gb/s",
    counting: Counting::Decimal,
    proof: "wget-1.21-bits: 9000000 bytes in 2.1 s are 33.5 to 35.1 decimal Mb/s, and at most 33.5 with 1024; it prints \
            34.5 Mb/s",
};

const RULES: &[CountingRule] = &[BYTES, BITS];

/// So many lines behind each other without progress are no log of one transfer.
const QUIET_LINES: usize = 40;

impl ToolReader for Wget {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the log of wget 1.x in any language, with dots, with a bar, or the bar alone, and its sum of several files"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["wget"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["--", "["]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if started(text).is_some() || saved(line).is_some() || is_finished(text) {
            return Some(Beginning::Certain);
        }
        Bar::of(line).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let Some(first) = before.first() else {
            return if saved(last).is_some() { Extent::EndsHere } else { Extent::More };
        };
        if is_finished(&first.text) {
            return sum_extent(last, before);
        }
        if saved(last).is_some() {
            return Extent::EndsHere;
        }
        // Of the bar alone, the line of the end may follow.
        if Bar::of(first).is_some() {
            return if last.is_blank() && before.len() < 3 { Extent::More } else { Extent::EndsBefore };
        }
        let recent = before.get(before.len().saturating_sub(QUIET_LINES)..).unwrap_or(before);
        let has_progress = recent.iter().any(is_progress);
        let is_start = started(&last.text).is_some();
        let is_own = is_start || is_progress(last) || last.is_blank() || last.is_indented();
        let follows_blank = before.last().is_some_and(ToolLine::is_blank);
        match () {
            // An error, or a connection that broke: `2026-11-27 20:07:28 ERROR 404: Not Found.`
            () if begins_with_moment(&last.text) => Extent::EndsHere,
            () if is_finished(&last.text) || follows_blank && !is_own => Extent::EndsBefore,
            // A redirection has the beginning once more.
            () if is_start && has_progress => Extent::EndsBefore,
            () if before.len() < QUIET_LINES || has_progress => Extent::More,
            () => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(|line| is_finished(&line.text)) {
            sum(block, &mut result)?;
            return Ok(vec![result]);
        }
        // What counts is the last try.
        let start = block.lines.iter().rposition(|line| started(&line.text).is_some());
        let lines = block.lines.get(start.unwrap_or(0)..).unwrap_or(block.lines);
        let bar = lines.iter().filter_map(Bar::of).next_back();
        let saved = lines.iter().find_map(saved);
        let progress = lines.iter().rev().find_map(dots_end).or_else(|| bar.as_ref()?.window.clone());
        result.whole.window = progress;
        if let Some(saved) = saved {
            let remaining = lines.iter().find_map(length).and_then(|(_, remaining)| remaining);
            result.whole.bytes = Some(remaining.unwrap_or(saved.bytes));
            result.whole.add(metric::THROUGHPUT, Some(saved.rate));
            result.moment = Some(saved.moment);
        } else {
            // The speed of the bar is that of the last 3 s, not of the whole (src/progress.c).
            let bar = bar.filter(|bar| bar.window.is_some()).ok_or(NotUnderstood::CutShort)?;
            result.whole.bytes = bar.bytes;
            result.whole.add(MetricName::new("recent_throughput"), bar.rate);
        }
        let url = start.and_then(|at| started(&block.lines.get(at)?.text)).map(|(_, url)| url.to_owned());
        options(&mut result, url);
        Ok(vec![result])
    }
}

/// The time and the address of `--2026-11-27 20:07:25--  http://a/b`, with `(try: 2)` before the address or
/// without.
fn started(text: &str) -> Option<(&str, &str)> {
    let (moment, rest) = text.strip_prefix("--")?.split_once("--")?;
    let address = rest.split_whitespace().next_back()?;
    (is_moment(moment) && address.contains("://")).then_some((moment, address))
}

/// `2026-11-27 20:07:25`, or the time alone, as versions before 1.12 have it.
fn is_moment(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | ' ');
    text.trim().len() >= 8 && text.contains(':') && text.chars().all(is_part)
}

fn begins_with_moment(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    match words.next().filter(|_| first.contains('-')) {
        Some(second) => is_moment(&format!("{first} {second}")),
        None => is_moment(first),
    }
}

/// `FINISHED --2026-11-27 20:12:49--`.
fn is_finished(text: &str) -> bool {
    let moment = text.strip_suffix("--").and_then(|text| text.rsplit_once(" --")).map(|(_, moment)| moment);
    moment.is_some_and(is_moment)
}

/// The line at the end of a transfer.
struct Saved {
    moment: String,
    rate: PrintedValue,
    bytes: PrintedValue,
}

/// `2026-11-27 20:07:25 (530 MB/s) - 'x' saved [67108864/67108864]`; of unknown length `[67108864]`.
fn saved(line: &ToolLine) -> Option<Saved> {
    // Every line of every text is asked.
    if !line.text.starts_with(|c: char| c.is_ascii_digit()) || !line.text.contains('[') {
        return None;
    }
    let text = line.text.replace('\u{ff08}', "(").replace('\u{ff09}', ")");
    let (moment, rest) = text.split_once('(')?;
    let (rate, rest) = rest.split_once(')')?;
    if !is_moment(moment) {
        return None;
    }
    let rate = rate_of(line.number, rate)?;
    // The Chinese translation has a parenthesis too many.
    let (_, amount) = rest.trim_end_matches([')', '.', ' ']).strip_suffix(']')?.rsplit_once('[')?;
    let (bytes, rest) = whole(amount)?;
    let is_amount =
        rest.is_empty() || rest.strip_prefix('/').and_then(whole).is_some_and(|(_, r)| r.is_empty());
    is_amount.then(|| Saved {
        moment: moment.trim().to_owned(),
        rate,
        bytes: exact(line.number, bytes, Unit::Bytes),
    })
}

/// `530 MB/s`, `34.5 Mb/s`.
fn rate_of(line: u64, text: &str) -> Option<PrintedValue> {
    let rule = if text.contains("b/s") { &BITS } else { &BYTES };
    quantity(line, text, rule.counting).filter(|rate| rate.unit == Unit::BytesPerSecond)
}

/// All bytes, and those that remain where a part was there before, of a line such as
/// `Length: 9000000 (8.6M), 5000000 (4.8M) remaining [text/plain]`.
fn length(line: &ToolLine) -> Option<(PrintedValue, Option<PrintedValue>)> {
    let text = line.text.as_str();
    let (text, has_type) = match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((before, kind)) => (before, kind.contains('/') && kind.contains(char::is_alphabetic)),
        None => (text, false),
    };
    let mut outside = text.to_owned();
    let mut has_size = false;
    while let Some((before, rest)) = outside.split_once('(') {
        let (inside, after) = rest.split_once(')')?;
        has_size |= leading(inside, false).is_some_and(|size| matches!(size.rest, "K" | "M" | "G" | "T"));
        outside = format!("{before}{after}");
    }
    if !has_type && !has_size {
        return None;
    }
    let is_start = |c: char| c.is_ascii_digit();
    let mut rest = outside.as_str();
    let mut numbers = Vec::new();
    while let Some(at) = rest.find(is_start) {
        // Versions before 1.11 group digits.
        let number = leading(rest.get(at..)?, true)?;
        let digits = number.digits.replace(',', "");
        numbers.push(exact(line.number, digits.parse().ok()?, Unit::Bytes));
        rest = number.rest;
    }
    match numbers.len() {
        1 => Some((numbers.pop()?, None)),
        2 => {
            let remaining = numbers.pop();
            Some((numbers.pop()?, remaining))
        }
        _ => None,
    }
}

/// Whether a line is a row of dots: `  3072K ,,,,,,,, ........ 69% 5.70M 1s`.
fn is_dots(text: &str) -> bool {
    let Some((_, rest)) = whole(text) else { return false };
    rest.strip_prefix('K').is_some_and(|rest| rest.starts_with(' '))
}

fn is_progress(line: &ToolLine) -> bool {
    is_dots(&line.text) || Bar::of(line).is_some()
}

/// How long it took, from the last row of dots: `100%  306M=0.7s`.
fn dots_end(line: &ToolLine) -> Option<PrintedValue> {
    let (_, time) = line.text.rsplit_once('=').filter(|_| is_dots(&line.text))?;
    span(line.number, time)
}

/// A bar in its last state: `x  100%[=====>]  8.58M  4.11MB/s    in 2.1s`; of unknown length `x  [ <=> ]  8.58M ...`.
struct Bar {
    bytes: Option<PrintedValue>,
    rate: Option<PrintedValue>,
    /// How long it took; absent where it is not at its end.
    window: Option<PrintedValue>,
}

impl Bar {
    fn of(line: &ToolLine) -> Option<Self> {
        let (before, behind) = line.text.split_once('[')?;
        let (bar, behind) = behind.split_once(']')?;
        let is_bar = bar.chars().all(|c| matches!(c, '=' | '>' | '<' | ' ' | '+'));
        let is_known = before.ends_with('%');
        if !(is_bar && bar.len() > 4 && (is_known || bar.contains("<=>"))) {
            return None;
        }
        let mut words = behind.split_whitespace();
        let bytes = count(line.number, words.next()?, BYTES.counting, Unit::Bytes);
        let rate = words.next().filter(|rate| rate.ends_with("/s"))?;
        let end = words.collect::<Vec<_>>().join(" ");
        // While it is on the way, the time that remains stands there.
        let is_over = !is_known || before.ends_with("100%");
        let time = end.find(|c: char| c.is_ascii_digit()).and_then(|at| end.get(at..)).filter(|_| is_over);
        Some(Self {
            bytes,
            rate: rate_of(line.number, rate),
            window: time.and_then(|time| span(line.number, time)),
        })
    }
}

/// Whether a line belongs to the sum of several files.
fn sum_extent(last: &ToolLine, before: &[ToolLine]) -> Extent {
    if started(&last.text).is_some() || last.is_blank() {
        return Extent::EndsBefore;
    }
    match before.len() {
        1 if summed(last).is_none() => Extent::More,
        1 | 2 if summed(last).is_some() => Extent::EndsHere,
        _ => Extent::EndsBefore,
    }
}

/// What several files were together.
struct Summed {
    files: u64,
    bytes: Option<PrintedValue>,
    window: Option<PrintedValue>,
    rate: PrintedValue,
}

/// `Downloaded: 3 files, 81M in 2.2s (36.3 MB/s)`.
fn summed(line: &ToolLine) -> Option<Summed> {
    let text = line.text.replace('\u{ff08}', " (").replace('\u{ff09}', ")");
    let (before, rate) = text.trim_end_matches(['.', ' ']).strip_suffix(')')?.rsplit_once('(')?;
    let rate = rate_of(line.number, rate)?;
    let at = before.find(|c: char| c.is_ascii_digit())?;
    let (files, rest) = whole(before.get(at..)?)?;
    let at = rest.find(|c: char| c.is_ascii_digit())?;
    let rest = rest.get(at..)?;
    let size_end = rest.find(' ')?;
    let bytes = count(line.number, rest.get(..size_end)?, BYTES.counting, Unit::Bytes);
    let rest = rest.get(size_end..)?;
    let window = rest.find(|c: char| c.is_ascii_digit()).and_then(|at| span(line.number, rest.get(at..)?));
    Some(Summed { files, bytes, window, rate })
}

fn sum(block: &ToolBlock<'_>, result: &mut ToolResult) -> Result<(), NotUnderstood> {
    let total = block.lines.iter().find_map(summed).ok_or(NotUnderstood::CutShort)?;
    result.whole.bytes = total.bytes;
    result.whole.window = total.window;
    result.whole.add(metric::THROUGHPUT, Some(total.rate));
    // With what was between the files: `Total wall clock time: 2.2s`.
    let wall = block.lines.get(1).filter(|line| summed(line).is_none());
    let wall = wall.and_then(|line| {
        let at = line.text.find(|c: char| c.is_ascii_digit())?;
        span(line.number, line.text.get(at..)?)
    });
    result.whole.add(metric::ELAPSED, wall);
    result.options.insert("files".to_owned(), total.files.to_string());
    Ok(())
}

/// Options that change nothing of the work, or that are read.
const KNOWN: &[&str] = &[
    "O",
    "P",
    "output-document",
    "directory-prefix",
    "o",
    "a",
    "output-file",
    "append-output",
    "q",
    "v",
    "no-verbose",
    "quiet",
    "verbose",
    "show-progress",
    "progress",
    "report-speed",
];

const WITH_VALUE: &[&str] =
    &["O", "P", "o", "a", "output-document", "directory-prefix", "output-file", "append-output", "progress"];

/// Fills in what the log and the command say of the work.
fn options(result: &mut ToolResult, url: Option<String>) {
    let Some(url) = url.or_else(|| only_url(&result.command)) else { return };
    result.options.insert("url".to_owned(), url.clone());
    if result.command.is_empty() {
        return;
    }
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    result.options.extend(given.options.clone());
    let is_it = |own: &String| own.trim_end_matches('/') == url.trim_end_matches('/');
    if !given.are_all(KNOWN) || !url.starts_with("http") || !given.operands.iter().any(is_it) {
        return;
    }
    let output = given.get(&["O", "output-document"]);
    let target = match output {
        Some("-") => return,
        Some(path) => folder(path),
        None => Some(given.get(&["P", "directory-prefix"]).unwrap_or(".")),
    };
    one_download(result, &url, target);
}

/// The address of a command that has one.
fn only_url(command: &[String]) -> Option<String> {
    let mut urls = command.iter().filter(|word| word.contains("://"));
    let url = urls.next()?;
    urls.next().is_none().then(|| url.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn the_end_of_a_transfer_is_known_in_any_language() {
        for (text, bytes, rate) in [
            ("2026-11-27 20:07:25 (530 MB/s) - `/dev/null' 저장함 [67108864/67108864]", 67_108_864.0, 530.0),
            ("2026-11-27 20:07:25 (1,5 MB/s) — « x » sauvegardé [100]", 100.0, 1.5),
            ("2026-11-27 20:12:04 (1.5 MB/s) - 已保存 “/dev/null” [67/67])", 67.0, 1.5),
            ("17:01:03 (10.72 MB/s) - `x' saved [500/500]", 500.0, 10.72),
        ] {
            let read = saved(&line(text)).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.bytes.value, bytes, "{text}");
            assert!((read.rate.value / (rate * 1_048_576.0) - 1.0).abs() < 1e-12, "{text}");
        }
        for text in
            ["2026-11-27 20:07:28 ERROR 404: Not Found.", "(530 MB/s) - saved [1/1]", "at 10:20 (x) [1]"]
        {
            assert!(saved(&line(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn of_a_transfer_that_goes_on_the_rest_is_what_moved() {
        let read =
            |text: &str| length(&line(text)).map(|(all, rest)| (all.value, rest.map(|rest| rest.value)));
        assert_eq!(
            read("Length: 9000000 (8.6M), 5000000 (4.8M) remaining [text/plain]"),
            Some((9e6, Some(5e6)))
        );
        assert_eq!(read("长度：67108864 (64M) [text/plain]"), Some((67_108_864.0, None)));
        assert_eq!(read("Length: 67,108,864 (64M) [text/plain]"), Some((67_108_864.0, None)));
        assert_eq!(read("Length: 6 [text/html]"), Some((6.0, None)));
        assert_eq!(read("HTTP request sent, awaiting response... 200 OK"), None);
        assert_eq!(read("Length: unspecified [text/html]"), None);
    }

    #[test]
    fn a_bar_on_its_way_has_no_time_yet() {
        let window = |text: &str| Bar::of(&line(text)).map(|bar| bar.window.map(|window| window.value));
        assert_eq!(window("x  100%[=======>]   8.58M  4.11MB/s    in 2.1s"), Some(Some(2.1)));
        assert_eq!(window("x   84%[=====> ]   7.29M  3.85MB/s    eta 3s"), Some(None));
        assert_eq!(window("x  [    <=>     ]   8.58M  4.11MB/s    in 1m 2s"), Some(Some(62.0)));
        assert_eq!(window("a list [x] of 3 things"), None);
    }

    #[test]
    fn the_sum_of_several_files_is_read() {
        let read = summed(&line("Downloaded: 3 files, 81M in 2.2s (36.3 MB/s)")).unwrap();
        assert_eq!((read.files, read.window.map(|window| window.value)), (3, Some(2.2)));
        assert_eq!(read.bytes.map(|bytes| bytes.value), Some(81.0 * 1_048_576.0));
        assert!(is_finished("FINISHED --2026-11-27 20:12:49--"));
        assert!(!is_finished("a -- b --"));
    }
}
