//! iozone: the table of sizes of files and records, each row a result, and what children saw with `-t`. Where only its
//! reports for spreadsheets are given, these are read.

use std::collections::BTreeMap;

use model::tool_result::{Counting, PrintedValue, ToolFigure, ToolMeasurement, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use super::iozone_excel;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::program;
use crate::tool::counting::CountingRule;
use crate::tool::number::{LeadingNumber, leading, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Iozone;

const NAME: &str = "iozone";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "kB, KB, kBytes/sec, kB/sec",
    counting: Counting::Binary,
    proof: "iozone.c divides by 1024 before it prints, and takes `-s 100m` for 102400 kB",
};

const RULES: &[CountingRule] = &[BYTES];

const KIB: f64 = 1024.0;

/// Its tests, in the order of the columns.
const TESTS: [&str; 13] = [
    "write",
    "rewrite",
    "read",
    "reread",
    "random read",
    "random write",
    "backward read",
    "record rewrite",
    "stride read",
    "fwrite",
    "frewrite",
    "fread",
    "freread",
];

/// A number ends so many places from the end of its heading at most.
const OFF_MAX: usize = 4;

/// So many tests are those of `-i 0`, `-i 0 -i 1` and `-i 0 -i 1 -i 2`, the usual ones: they need no places.
const LEADING_TESTS: &[usize] = &[2, 4, 6, TESTS.len()];

/// What stands around the figures, where white space at the beginning of lines is lost.
const AROUND: &[&str] = &[
    "Iozone:",
    "Version $Revision",
    "Compiled for",
    "Build:",
    "Contributors:",
    "Run began:",
    "Auto Mode",
    "Record Size",
    "File size set",
    "Command line used:",
    "Output is in",
    "Time Resolution",
    "Processor cache",
    "File stride size",
    "O_DIRECT",
    "Include ",
    "Using ",
    "Throughput test",
    "Each process",
    "Children see",
    "Parent sees",
    "Min ",
    "Max ",
    "Avg ",
];

impl ToolReader for Iozone {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of iozone 3.x, each row a result with a figure for each test, in kB/s or with `-O` in operations, and what \
         its children saw with `-t`; or its reports for spreadsheets (`-R`), a result for each size"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "Iozone: Performance Test of File I/O",
            "reclen",
            "random",
            "Children see throughput for",
            "Throughput test with ",
            "Command line used:",
            "\"",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim_start();
        let is_first = text.starts_with("Iozone: Performance Test of File I/O");
        let is_one = is_first
            || is_heading(text)
            || is_upper_heading(text)
            || children(line).is_some()
            || is_throughput_test(text)
            || tells_command(text)
            || iozone_excel::begins(text);
        is_one.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        let is_of_iozone =
            is_heading(text) || row(text).is_some() || AROUND.iter().any(|known| text.starts_with(known));
        match () {
            () if before.is_empty() || text.starts_with(COMPLETE) => Extent::More,
            // The same report again is of another run.
            () if iozone_excel::begins(text)
                && before.first().is_some_and(|first| first.text == last.text) =>
            {
                Extent::EndsBefore
            }
            // Only reports stand behind its end.
            () if is_over(before) && !iozone_excel::belongs(text) => Extent::EndsBefore,
            () if iozone_excel::belongs(text) => Extent::More,
            () if last.is_blank() || last.is_indented() || is_of_iozone => Extent::More,
            () => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let figure = Figure::of(block).ok_or(NotUnderstood::OtherText)?;
        let told = ToldCommand::of(block);
        let mut columns: Vec<usize> = Vec::new();
        let mut results = Vec::new();
        let mut of_children = ToolMeasurement::default();
        let mut waiting = None;
        for line in block.lines {
            if is_heading(&line.text) {
                columns = ends(&line.text).skip(2).collect();
            } else if let Some(sizes) = row(&line.text) {
                let own = ToolBlock { lines: std::slice::from_ref(line), ..*block };
                results.extend(of_row(line, &columns, figure).map(|whole| ToolResult {
                    whole,
                    options: sizes.options(),
                    ..told.result(&own)
                }));
            } else if let Some((count, own)) = children(line) {
                waiting = Some(count);
                of_children.figures.push(own);
            }
        }
        if let Some(count) = waiting {
            let mut options = BTreeMap::from([("threads".to_owned(), count.to_string())]);
            if let Some((size, record)) = block.lines.iter().find_map(|line| each_file(&line.text)) {
                options.insert("size".to_owned(), format!("{}k", size.saturating_mul(count)));
                options.insert("record".to_owned(), format!("{record}k"));
            }
            results.push(ToolResult { whole: of_children, options, ..told.result(block) });
        }
        if results.is_empty() {
            results = iozone_excel::results(block, figure, &told);
        }
        if let Some(first) = results.first_mut() {
            let invalid = block.lines.iter().filter(|line| line.text.contains(INVALID));
            let warning =
                |line: &ToolLine| ToolWarning { line: line.number, text: line.text.trim().to_owned() };
            first.warnings = invalid.map(warning).collect();
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// Its last line, behind which only reports for spreadsheets stand.
const COMPLETE: &str = "iozone test complete";

/// What it says of its own figures, of its diagnostic mode.
const INVALID: &str = "Performance measurements are invalid";

/// `Command line used: ./iozone -a -I`, which stands in its heading.
fn tells_command(text: &str) -> bool {
    let told = text.strip_prefix("Command line used:").and_then(|told| told.split_whitespace().next());
    told.is_some_and(|word| program(word) == NAME)
}

/// So many lines are looked at for it.
const LOOKED_BACK: usize = 512;

/// Whether its last line was printed: behind it stand empty lines and reports.
fn is_over(before: &[ToolLine]) -> bool {
    let mut last = before.iter().rev().take(LOOKED_BACK).map(|line| line.text.trim_start());
    last.find(|text| !iozone_excel::belongs(text)).is_some_and(|text| text.starts_with(COMPLETE))
}

/// `Throughput test with 2 processes`, above what children did.
fn is_throughput_test(text: &str) -> bool {
    let rest = text.strip_prefix("Throughput test with ").and_then(whole);
    rest.is_some_and(|(_, rest)| matches!(rest, " process" | " processes" | " thread" | " threads"))
}

/// The command that its heading tells, by its words.
pub(super) struct ToldCommand(Vec<String>);

impl ToldCommand {
    fn of(block: &ToolBlock<'_>) -> Self {
        let mut lines = block.lines.iter().map(|line| line.text.trim_start());
        let told = lines.find_map(|text| text.strip_prefix("Command line used:")).unwrap_or_default();
        Self(told.split_whitespace().map(str::to_owned).collect())
    }

    /// A result of these lines, with this command where none stands above.
    pub(super) fn result(&self, own: &ToolBlock<'_>) -> ToolResult {
        let mut result = own.result(NAME, Iozone.programs());
        if result.command.is_empty() {
            result.command.clone_from(&self.0);
        }
        result
    }
}

/// What its numbers are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) metric: MetricName,
    unit: Unit,
    scale: f64,
}

impl Figure {
    /// By the line that says it; KiB a second where it is missing. Times, of `-N`, are of no one meaning.
    fn of(block: &ToolBlock<'_>) -> Option<Self> {
        let told = block.lines.iter().find_map(|line| {
            // In reports it stands in quotes.
            line.text.trim_start_matches([' ', '\t', '"']).strip_prefix("Output is in ")
        });
        let told = told.map_or_else(|| "kbytes/sec".to_owned(), str::to_ascii_lowercase);
        if told.starts_with("kbytes") {
            return Some(Self { metric: metric::THROUGHPUT, unit: Unit::BytesPerSecond, scale: KIB });
        }
        told.starts_with("ops").then_some(Self { metric: metric::IOPS, unit: Unit::PerSecond, scale: 1.0 })
    }

    /// A whole number, of which the rest was cut off.
    pub(super) fn printed(self, line: u64, text: &str, value: f64) -> PrintedValue {
        let counting = (self.unit == Unit::BytesPerSecond).then_some(BYTES.counting);
        let half_step = self.scale;
        PrintedValue { half_step, counting, ..plain(line, text, value * self.scale, self.unit) }
    }
}

/// `              kB  reclen    write  rewrite    read    reread    read     write ...`.
fn is_heading(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().is_some_and(|word| word.eq_ignore_ascii_case("kB"));
    first && words.next() == Some("reclen") && words.next() == Some("write")
}

/// `        random    random     bkwd    record    stride`, above it, or as much of it as there are tests.
fn is_upper_heading(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next() == Some("random") && words.next() == Some("random");
    let further: Vec<&str> = words.collect();
    // In prose one space stands between words.
    first
        && (text.contains("random  ") || further.first() == Some(&"bkwd"))
        && further.iter().all(|word| ["bkwd", "record", "stride"].contains(word))
}

/// The sizes that a row begins with.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSizes {
    pub(super) file_kib: u64,
    pub(super) record_kib: u64,
}

impl RowSizes {
    pub(super) fn options(self) -> std::collections::BTreeMap<String, String> {
        let option = |name: &str, kib: u64| (name.to_owned(), format!("{kib}k"));
        [option("size", self.file_kib), option("record", self.record_kib)].into()
    }
}

/// The sizes of a row: of nothing but numbers, three at least.
fn row(text: &str) -> Option<RowSizes> {
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let mut words = text.split_whitespace();
    let (file, record) = (words.next()?, words.next()?);
    let are_numbers = words.clone().count() > 0 && text.split_whitespace().all(is_number);
    let sizes = RowSizes { file_kib: whole(file)?.0, record_kib: whole(record)?.0 };
    (are_numbers && (1..=sizes.file_kib).contains(&sizes.record_kib)).then_some(sizes)
}

/// Where the words of a line end.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let letters: Vec<char> = text.chars().collect();
    let is_end = move |at: &usize| {
        let next = letters.get(at + 1).is_none_or(|c| c.is_whitespace());
        next && letters.get(*at).is_some_and(|c| !c.is_whitespace())
    };
    (0..text.chars().count()).filter(is_end)
}

/// The tests of a row: by the place of each number below the headings, or where these are lost by their count.
fn of_row(line: &ToolLine, columns: &[usize], figure: Figure) -> Option<ToolMeasurement> {
    let numbers: Vec<&str> = line.text.split_whitespace().skip(2).collect();
    let nearest = |end: usize| {
        let (at, heading) = columns.iter().enumerate().min_by_key(|(_, heading)| heading.abs_diff(end))?;
        (heading.abs_diff(end) <= OFF_MAX).then_some(at)
    };
    let by_place = ends(&line.text).skip(2).map(nearest).collect::<Option<Vec<usize>>>();
    let is_in_place =
        |places: &Vec<usize>| line.text.contains("  ") && places.is_sorted_by(|one, other| one < other);
    let by_count = || LEADING_TESTS.contains(&numbers.len()).then(|| (0..numbers.len()).collect());
    let places: Vec<usize> = by_place.filter(is_in_place).or_else(by_count)?;
    let mut whole = ToolMeasurement::default();
    for (place, number) in places.into_iter().zip(&numbers) {
        let printed = figure.printed(line.number, number, leading(number, false)?.value);
        whole.figures.push(of_test(TESTS.get(place)?, figure.metric, printed)?);
    }
    (!whole.is_empty()).then_some(whole)
}

/// The figure of a test: `random_read_throughput`.
pub(super) fn of_test(test: &str, metric: MetricName, printed: PrintedValue) -> Option<ToolFigure> {
    let test = test.replace([' ', '-'], "_");
    let metric = MetricName::intern(&format!("{test}_{}", metric.as_str()))?;
    Some(ToolFigure { metric, printed })
}

/// What children did in a test, of a report.
pub(super) fn children_test(
    test: &str,
    figure: Figure,
    line: u64,
    number: &LeadingNumber<'_>,
) -> Option<ToolFigure> {
    let exact = figure.printed(line, number.digits, number.value);
    let printed = PrintedValue { half_step: number.half_step * figure.scale, ..exact };
    of_test(&test.to_ascii_lowercase(), figure.metric, printed)
}

/// The KiB of `Each process writes a 4096 Kbyte file in 4 Kbyte records`.
fn each_file(text: &str) -> Option<(u64, u64)> {
    let text = text.trim_start().to_ascii_lowercase();
    let each = ["each process writes a ", "each thread writes a "];
    let (size, rest) = whole(each.iter().find_map(|each| text.strip_prefix(*each))?)?;
    let (record, rest) = whole(rest.strip_prefix(" kbyte file in ")?)?;
    (rest == " kbyte records").then_some((size, record))
}

/// `Children see throughput for  4 initial writers  =  123456.78 kB/sec`: how many, and what they did.
fn children(line: &ToolLine) -> Option<(u64, ToolFigure)> {
    let rest = line.text.trim_start().strip_prefix("Children see throughput for")?;
    let (who, rate) = rest.split_once('=')?;
    let (count, who) = whole(who)?;
    let number = leading(rate, false)?;
    let (metric, unit, scale) = match number.rest.trim().to_ascii_lowercase().as_str() {
        "kb/sec" | "kbytes/sec" => (metric::THROUGHPUT, Unit::BytesPerSecond, KIB),
        "ops/sec" => (metric::IOPS, Unit::PerSecond, 1.0),
        _ => return None,
    };
    let printed = PrintedValue {
        half_step: number.half_step * scale,
        counting: (unit == Unit::BytesPerSecond).then_some(BYTES.counting),
        ..plain(line.number, rate.trim(), number.value * scale, unit)
    };
    Some((count, of_test(who.trim(), metric, printed)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite frewrite    fread  freread";

    fn names(text: &str) -> Vec<String> {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        let results = Iozone.read(&ToolBlock { lines: &lines, command: None }).unwrap();
        let figures = results.iter().flat_map(|result| &result.whole.figures);
        figures.map(|figure| figure.metric.as_str().trim_end_matches("_throughput").to_owned()).collect()
    }

    #[test]
    fn numbers_are_of_the_heading_above_them() {
        let row = "          102400       4    11111    22222                     33333    44444";
        let expected = ["write", "rewrite", "random_read", "random_write"];
        assert_eq!(names(&format!("{HEADING}\n{row}\n")), expected);
        let squeezed = "kB reclen write rewrite read reread\n102400 4 11111 22222 33333 44444\n";
        assert_eq!(names(squeezed), ["write", "rewrite", "read", "reread"]);
    }

    #[test]
    fn the_upper_heading_has_as_many_words_as_there_are_tests() {
        let begins = |text: &str| Iozone.begins(&ToolLine { number: 1, text: text.to_owned() }).is_some();
        assert!(begins("          random    random     bkwd    record    stride"));
        assert!(begins("random random bkwd record stride") && begins("     random    random"));
        assert!(!begins("random random") && !begins("random    random reads are slow"));
    }

    #[test]
    fn kilobytes_are_of_1024_and_operations_are_none() {
        let value = |text: &str| {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let figure = &output.results[0].whole.figures[0];
            (figure.metric.as_str().to_owned(), figure.printed.value)
        };
        let row = "          102400       4    11111    22222\n";
        assert_eq!(value(&format!("{HEADING}\n{row}")), ("write_throughput".to_owned(), 11_111.0 * 1024.0));
        let operations =
            format!(" Iozone: Performance Test of File I/O\n Output is in ops/sec\n{HEADING}\n{row}");
        assert_eq!(value(&operations), ("write_iops".to_owned(), 11_111.0));
        let children = " Children see throughput for  4 initial writers  =  1000.50 kB/sec\n";
        assert_eq!(value(children), ("initial_writers_throughput".to_owned(), 1000.5 * 1024.0));
    }

    #[test]
    fn the_files_of_children_have_a_size_together() {
        assert_eq!(
            each_file("    Each process writes a 4096 Kbyte file in 4 Kbyte records"),
            Some((4096, 4))
        );
        assert_eq!(each_file("Each process writes a file"), None);
        let text = " Iozone: Performance Test of File I/O\n Throughput test with 2 processes\n \
                    Each process writes a 4096 kByte file in 4 kByte records\n\n \
                    Children see throughput for  2 initial writers  =  1000.50 kB/sec\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!(output.results[0].options["size"], "8192k");
    }

    #[test]
    fn rows_of_other_tables_are_none() {
        for text in ["4 102400 5 6", "102400 4", "102400 4 x", "", "1.5 1 2"] {
            assert!(row(text).is_none(), "{text}");
        }
    }
}
