//! `7z b`, the benchmark of 7-Zip and p7zip: LZMA compression and decompression of each size of dictionary,
//! and their averages. A rating is in MIPS of a processor that 7-Zip takes as a measure, no count of
//! instructions; of one version, dictionary and number of threads they compare. Usage is of one
//! processor.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning,
};
use model::{MetricName, Unit};

use super::add_unread;
use crate::tool::arithmetic::{Computed, unequal};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{cut_off, leading, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct SevenZip;

const NAME: &str = "7z";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "KiB/s; of 9.20 and p7zip up to 16.02 KB/s or KiB/s, the same",
    counting: Counting::Binary,
    proof: "CPP/7zip/UI/Common/Bench.cpp, PrintResults divides the bytes of a second by 1024, whatever stands above the column",
};

const RULES: &[CountingRule] = &[BINARY];

/// The two sides of the table, with the name of what is done.
const SIDES: [&str; 2] = ["compress", "decompress"];

impl ToolReader for SevenZip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of `7z b` of 7-Zip and p7zip; each size of dictionary is a part, and the averages are of the whole"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["7z", "7za", "7zr", "7zz"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Compressing", "7-Zip ", "RAM size:", "Avr:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if is_title(text) {
            return Some(Beginning::Certain);
        }
        // What it prints of itself stands above other outputs of it, too.
        let is_likely = version(text).is_some() || text.starts_with("RAM size:") || is_averages(text);
        is_likely.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.len() > HEAD_LINES_MAX && !before.iter().any(|line| is_title(line.text.trim())) {
            return Extent::EndsBefore;
        }
        if version(text).is_some() && !before.is_empty() {
            return Extent::EndsBefore;
        }
        let is_of_table = |line: &ToolLine| is_title(line.text.trim()) || is_averages(line.text.trim());
        let is_in_table = before.iter().any(is_of_table);
        match is_in_table {
            true if text.starts_with("Tot:") => Extent::EndsHere,
            true if last.is_blank() || last.is_indented() || is_row(text) => Extent::More,
            true => Extent::EndsBefore,
            false => Extent::More,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let own = block.without_blank_end();
        let mut reading = Reading { result: own.result(NAME, self.programs()), ..Reading::default() };
        own.lines.iter().filter(|line| !line.is_blank()).for_each(|line| reading.take(line));
        if !reading.is_in_table {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = reading.result;
        result.disagreements = disagreements(&result);
        if result.whole.figures.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// The head has fewer lines.
const HEAD_LINES_MAX: usize = 40;

/// The version of `7-Zip (z) 26.02 (x64) : Copyright (c) 1999-2026 Igor Pavlov`, also of p7zip.
fn version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("7-Zip ").filter(|rest| rest.contains("Igor Pavlov"))?;
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    rest.split_whitespace().find(is_number)
}

/// What stands above the table: `Compressing  |                  Decompressing`, up to 9.20 behind the first heading.
fn is_title(text: &str) -> bool {
    let sides = text.strip_prefix("Dict").unwrap_or(text).split_once('|');
    sides.is_some_and(|(one, other)| (one.trim(), other.trim()) == ("Compressing", "Decompressing"))
}

/// The averages of p7zip, which many paste without the table above: `Avr:  189   4706   8891  |  200   4208   8403`.
fn is_averages(text: &str) -> bool {
    let Some(values) = text.strip_prefix("Avr:") else { return false };
    let mut words = values.split_whitespace().filter(|word| *word != "|");
    words.clone().count() == 6 && words.all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A line of the table, with its headings and its ruler.
fn is_row(text: &str) -> bool {
    let is_ruler = text.starts_with("----");
    let name = text.split([':', ' ']).next().unwrap_or_default();
    is_ruler
        || matches!(name, "Dict" | "Avr" | "Tot" | "Break")
        || whole(text).is_some() && text.contains(':')
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    result: ToolResult,
    is_in_table: bool,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        self.is_in_table |= is_averages(text);
        if is_title(text) {
            self.is_in_table = true;
        } else if !self.is_in_table {
            self.head(text);
        } else if let Some((name, values)) = text.split_once(':') {
            self.row(line, name.trim(), values);
        } else if text.starts_with("Break signaled") || text.contains("ERROR") {
            self.result.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
        } else if !is_heading(text) {
            add_unread(&mut self.result.unread, line.number);
        }
    }

    fn head(&mut self, text: &str) {
        if let Some(version) = version(text) {
            self.result.version = Some(version.to_owned());
        }
        let threads = text.split_once("# Benchmark threads:").and_then(|(_, threads)| whole(threads));
        if let Some((threads, _)) = threads {
            self.result.options.insert("threads".to_owned(), threads.to_string());
        }
    }

    /// `18:       5956    90   5865   5306  |      41942    93   3658   3392`.
    fn row(&mut self, line: &ToolLine, name: &str, values: &str) {
        let sides: Vec<&str> = values.split('|').collect();
        let mut measured = ToolMeasurement::default();
        match sides.as_slice() {
            [compress, decompress] => {
                for (side, values) in SIDES.into_iter().zip([compress, decompress]) {
                    add_side(&mut measured, line.number, side, values);
                }
            }
            [total] if name == "Tot" => add_total(&mut measured, line.number, total),
            // Up to 9.20 no bar stands between the averages.
            [both] if name == "Avr" && both.split_whitespace().count() == 6 => {
                let words: Vec<&str> = both.split_whitespace().collect();
                for (side, values) in SIDES.into_iter().zip(words.chunks(3)) {
                    add_side(&mut measured, line.number, side, &values.join(" "));
                }
            }
            _ => {}
        }
        if measured.is_empty() {
            add_unread(&mut self.result.unread, line.number);
            return;
        }
        if matches!(name, "Avr" | "Tot") {
            self.result.whole.figures.extend(measured.figures);
            return;
        }
        // The dictionary is of two to the power of this number of bytes.
        let name = format!("dictionary 2^{name}");
        self.result.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
    }
}

/// What a row has of each side, and the line of totals of both.
const COLUMNS: [&str; 3] = ["rating", "cpu_share", "rating_per_cpu"];

/// Averages that are not the mean of their rows, totals that are not the mean of both sides, and ratings that are not what
/// each processor used makes.
fn disagreements(result: &ToolResult) -> Vec<FigureDisagreement> {
    let whole = &result.whole;
    let figure = |measured: &ToolMeasurement, side: &str, column: &str| {
        measured.figure(MetricName::intern(&format!("{side}_{column}"))?).cloned().map(cut_off)
    };
    let mut all = Vec::new();
    for column in COLUMNS {
        let sides = SIDES.map(|side| figure(whole, side, column));
        for (side, average) in SIDES.into_iter().zip(&sides) {
            let rows = result.parts.iter().map(|part| figure(&part.measured, side, column));
            let rows = rows.collect::<Option<Vec<_>>>().unwrap_or_default();
            all.extend(average.as_ref().and_then(|average| unequal(average, Computed::mean(&rows), 0.0)));
        }
        if let ([Some(one), Some(other)], Some(total)) = (&sides, figure(whole, "total", column)) {
            all.extend(unequal(&total, Computed::mean([one, other]), 0.0));
        }
    }
    for part in &result.parts {
        for side in SIDES {
            let of = |column: &str| figure(&part.measured, side, column);
            if let (Some(rating), Some(usage), Some(each)) =
                (of("rating"), of("cpu_share"), of("rating_per_cpu"))
            {
                all.extend(unequal(&rating, Some(Computed::of(&usage).times(&Computed::of(&each))), 0.01));
            }
        }
    }
    all
}

/// What stands below the title, and between the rows and their averages.
fn is_heading(text: &str) -> bool {
    ["Dict", "Speed", "---"].iter().any(|start| text.starts_with(start)) || text.contains("MIPS")
}

/// Speed, usage, rating for each processor used, rating. Of the averages p7zip leaves out the speed.
fn add_side(measured: &mut ToolMeasurement, line: u64, side: &str, values: &str) {
    let words: Vec<&str> = values.split_whitespace().collect();
    let (speed, rest) = match words.as_slice() {
        [speed, rest @ ..] if rest.len() == 3 => (Some(*speed), rest),
        rest => (None, rest),
    };
    let [usage, per_usage, rating] = rest else { return };
    let mut add = |what: &str, printed: Option<PrintedValue>| {
        if let Some(metric) = MetricName::intern(&format!("{side}_{what}")) {
            measured.add(metric, printed);
        }
    };
    add("rating", mips(line, rating));
    add("throughput", speed.and_then(|speed| quantity(line, &format!("{speed} KiB/s"), BINARY.counting)));
    add("cpu_share", share(line, usage));
    add("rating_per_cpu", mips(line, per_usage));
}

/// `Tot:              92   4762   4349`.
fn add_total(measured: &mut ToolMeasurement, line: u64, values: &str) {
    let words: Vec<&str> = values.split_whitespace().collect();
    let [usage, per_usage, rating] = words.as_slice() else { return };
    measured.add(MetricName::new("total_rating"), mips(line, rating));
    measured.add(MetricName::new("total_cpu_share"), share(line, usage));
    measured.add(MetricName::new("total_rating_per_cpu"), mips(line, per_usage));
}

/// Millions of instructions a second.
fn mips(line: u64, text: &str) -> Option<PrintedValue> {
    let number = leading(text, false).filter(|number| number.rest.is_empty())?;
    let value = plain(line, format!("{text} MIPS"), number.value * 1e6, Unit::PerSecond);
    Some(PrintedValue { half_step: number.half_step * 1e6, ..value })
}

/// Percent of one processor.
fn share(line: u64, text: &str) -> Option<PrintedValue> {
    let number = leading(text, false).filter(|number| number.rest.is_empty())?;
    let value = plain(line, format!("{text}%"), number.value * 0.01, Unit::One);
    Some(PrintedValue { half_step: number.half_step * 0.01, ..value })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\
7-Zip (a) [64] 16.02 : Copyright (c) 1999-2016 Igor Pavlov : 2016-05-21
p7zip Version 16.02 (locale=C,Utf16=off,HugeFiles=on,64 bits,2 CPUs x64)

RAM size:    7963 MB,  # CPU hardware threads:   2
RAM usage:    441 MB,  # Benchmark threads:      2

                       Compressing  |                  Decompressing
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating
         KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS

22:       5000   150   3000   4500  |      50000   200   2000   4000
";

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn averages_without_the_table_are_known() {
        let text = "$ 7z b -mmt1\nAvr:              99   1022   1010  |               99   1796   1783\nTot:              99   1409   1396\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name: &'static str| result.whole.figure(MetricName::new(name)).map(|p| p.value);
        assert_eq!((value("decompress_rating"), value("total_rating")), (Some(1.783e9), Some(1.396e9)));
        assert!(output.unread.is_empty(), "{output:?}");
    }

    #[test]
    fn averages_are_read_with_their_speed_or_without() {
        for row in [
            "Avr:             150   3000   4500  |              200   2000   4000",
            "Avr:      5000   150   3000   4500  |      50000   200   2000   4000",
        ] {
            let results = read(&format!(
                "{HEAD}----------------------------------  | ------------------------------\n{row}\nTot:             175   2500   4250\n"
            ));
            let value = |name: &'static str| results[0].whole.figure(MetricName::new(name)).map(|p| p.value);
            assert_eq!(
                (value("compress_rating"), value("decompress_rating")),
                (Some(4.5e9), Some(4e9)),
                "{row}"
            );
            assert_eq!(
                (value("total_rating"), value("total_cpu_share")),
                (Some(4.25e9), Some(1.75)),
                "{row}"
            );
            assert_eq!(results[0].options["threads"], "2");
            assert_eq!(results[0].version.as_deref(), Some("16.02"));
            let part = &results[0].parts[0];
            let speed = part.measured.figure(MetricName::new("compress_throughput")).unwrap();
            assert_eq!((part.name.as_str(), speed.value), ("dictionary 2^22", 5_120_000.0));
        }
    }

    #[test]
    fn the_table_of_early_versions_has_no_bar_between_its_averages() {
        let results = read(
            "7-Zip (A) [64] 9.20  Copyright (c) 1999-2010 Igor Pavlov  2010-11-18\n\n\
             RAM usage:    850 MB,  # Benchmark threads:      4\n\n\
             Dict        Compressing          |        Decompressing\n\
             \x20     Speed Usage    R/U Rating  |    Speed Usage    R/U Rating\n\
             \x20      KB/s     %   MIPS   MIPS  |     KB/s     %   MIPS   MIPS\n\n\
             22:    5000   300   2000   6000  |    50000   400   1500   5500\n\
             ----------------------------------------------------------------\n\
             Avr:          300   2000   6000               400   1500   5500\n\
             Tot:          350   1750   5750\n",
        );
        let result = &results[0];
        let value = |name: &'static str| result.whole.figure(MetricName::new(name)).map(|p| p.value);
        assert_eq!((value("compress_rating"), value("decompress_rating")), (Some(6e9), Some(5.5e9)));
        assert_eq!((value("decompress_cpu_share"), value("total_rating")), (Some(4.0), Some(5.75e9)));
        assert_eq!(
            (result.version.as_deref(), result.parts.len(), result.unread.len()),
            (Some("9.20"), 1, 0)
        );
    }

    #[test]
    fn totals_and_averages_are_held_against_their_rows() {
        let wrong = |average: &str, total: &str| -> Vec<String> {
            let rows = "23:       4000   160   2500   4000  |      40000   200   1500   3000\n\
                        ----------------------------------  | ------------------------------";
            let results =
                read(&format!("{HEAD}{rows}\nAvr:             {average}\nTot:             {total}\n"));
            results[0].disagreements.iter().map(|wrong| wrong.printed.text.clone()).collect()
        };
        let average = "155   2750   4250  |              200   1750   3500";
        assert_eq!(wrong(average, "177   2250   3875"), Vec::<String>::new(), "177.5 may be either");
        assert_eq!(wrong(average, "177   2250   4875"), ["4875 MIPS"]);
        assert_eq!(wrong(average, "187   2250   3875"), ["187%"]);
        let other = "155   2750   4500  |              200   1750   3500";
        assert_eq!(wrong(other, "177   2250   4000"), ["4500 MIPS"]);
        let row = HEAD.replace("4000\n", "5000\n");
        assert_eq!(read(&row)[0].disagreements[0].arithmetic, "200% x 2000 MIPS");
    }

    #[test]
    fn what_was_broken_off_is_told() {
        let results = read(&format!("{HEAD}\nBreak signaled\n"));
        assert_eq!(results[0].warnings[0].text, "Break signaled");
        let head: String = HEAD.lines().take(5).map(|line| format!("{line}\n")).collect();
        assert!(read(&format!("{head}Scanning the drive:\n1 file, 5 bytes\n")).is_empty(), "an archive");
    }
}
