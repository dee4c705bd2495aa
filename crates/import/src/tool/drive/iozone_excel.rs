//! iozone's reports for spreadsheets (`-R`): a table for each test, of sizes of files by sizes of records.

use std::collections::BTreeMap;

use model::tool_result::{ToolFigure, ToolMeasurement, ToolResult};

use super::iozone::{Figure, RowSizes, ToldCommand, children_test, of_test};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{leading, whole};

/// The titles of its tables, with what the columns of its other table call the test.
const TITLES: &[(&str, &str)] = &[
    ("Writer report", "write"),
    ("Re-writer report", "rewrite"),
    ("Reader report", "read"),
    ("Re-reader report", "reread"),
    ("Random read report", "random read"),
    ("Random write report", "random write"),
    ("Backward read report", "backward read"),
    ("Record rewrite report", "record rewrite"),
    ("Stride read report", "stride read"),
    ("Fwrite report", "fwrite"),
    ("Re-fwrite report", "frewrite"),
    ("Fread report", "fread"),
    ("Re-fread report", "freread"),
];

/// The title above what children did, with `-t`.
const THROUGHPUT: &str = "\"Throughput report Y-axis is";

/// Whether a report begins with this line.
pub(super) fn begins(text: &str) -> bool {
    title(text).is_some() || text.starts_with(THROUGHPUT)
}

/// Whether a line may stand in a report.
pub(super) fn belongs(text: &str) -> bool {
    text.is_empty() || text.starts_with('"') || text == "Excel output is below:"
}

/// The test of `"Re-Reader report"`; versions differ in capital letters.
fn title(text: &str) -> Option<&'static str> {
    let title = text.strip_prefix('"')?.strip_suffix('"')?;
    TITLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(title)).map(|(_, test)| *test)
}

/// What stands between quotes at the beginning of a line, and behind them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('"')?.split_once('"')
}

/// The sizes of records of a line that has nothing else: `        "4"  "16"`.
fn records(text: &str) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((size, behind)) = quoted(rest) {
        all.push(whole(size).filter(|(_, unit)| unit.is_empty())?.0);
        rest = behind;
    }
    (!all.is_empty() && rest.trim().is_empty()).then_some(all)
}

/// The results of a text that has only reports: one for each size of a file and of a record.
pub(super) fn results(block: &ToolBlock<'_>, figure: Figure, told: &ToldCommand) -> Vec<ToolResult> {
    let mut all: BTreeMap<(u64, u64), ToolResult> = BTreeMap::new();
    let mut of_children = ToolMeasurement::default();
    let mut test = None;
    let mut sizes: Vec<u64> = Vec::new();
    for line in block.lines {
        let text = line.text.trim();
        if let Some(title) = title(text) {
            (test, sizes) = (Some(title), Vec::new());
        } else if let Some(records) = records(text) {
            sizes = records;
        } else if let Some(test) = test {
            for (sizes, number) in row(line, &sizes) {
                let key = (sizes.file_kib, sizes.record_kib);
                let own = all
                    .entry(key)
                    .or_insert_with(|| ToolResult { options: sizes.options(), ..told.result(block) });
                let printed = leading(number, false).map(|n| figure.printed(line.number, number, n.value));
                own.whole.figures.extend(printed.and_then(|printed| of_test(test, figure.metric, printed)));
            }
        } else {
            of_children.figures.extend(of_child(line, figure));
        }
    }
    let mut results: Vec<ToolResult> = all.into_values().filter(|own| !own.whole.is_empty()).collect();
    if !of_children.is_empty() {
        results.push(ToolResult { whole: of_children, ..told.result(block) });
    }
    results
}

/// The rates of `"65536"   512345  812345`, each with its sizes.
fn row<'a>(line: &'a ToolLine, records: &[u64]) -> Vec<(RowSizes, &'a str)> {
    let Some((file, rates)) = quoted(&line.text) else { return Vec::new() };
    let Some((file_kib, "")) = whole(file) else { return Vec::new() };
    let sizes = records.iter().map(|record_kib| RowSizes { file_kib, record_kib: *record_kib });
    // What was not done is 0.
    sizes.zip(rates.split_whitespace()).filter(|(_, rate)| *rate != "0").collect()
}

/// `"  Initial write "  912345.50`, below the title of what children did.
fn of_child(line: &ToolLine, figure: Figure) -> Option<ToolFigure> {
    let (test, rate) = quoted(&line.text)?;
    let number = leading(rate, false).filter(|number| number.rest.trim().is_empty())?;
    children_test(test.trim(), figure, line.number, &number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn figures(result: &ToolResult) -> Vec<(&str, f64)> {
        result.whole.figures.iter().map(|f| (f.metric.as_str(), f.printed.value / 1024.0)).collect()
    }

    const REPORTS: &str = "\"Writer report\"\n        \"4\"  \"16\"\n\"512\"   1000  2000 \n\"1024\"   0  4000 \n\n\
                           \"Re-Reader report\"\n        \"4\"  \"16\"\n\"512\"   5000  6000 \n";

    #[test]
    fn each_size_of_a_report_is_a_result() {
        let results = read(REPORTS);
        let sizes: Vec<(&str, &str)> = results
            .iter()
            .map(|result| (result.options["size"].as_str(), result.options["record"].as_str()))
            .collect();
        assert_eq!(sizes, [("512k", "4k"), ("512k", "16k"), ("1024k", "16k")]);
        assert_eq!(figures(&results[0]), [("write_throughput", 1000.0), ("reread_throughput", 5000.0)]);
        assert_eq!(figures(&results[2]), [("write_throughput", 4000.0)]);
    }

    #[test]
    fn the_same_reports_again_are_of_another_run() {
        let results = read(&format!("{REPORTS}\n{REPORTS}"));
        assert_eq!(results.len(), 6);
        assert_eq!(figures(&results[0]), figures(&results[3]));
    }

    #[test]
    fn what_the_table_has_is_not_read_twice() {
        let table = "kB reclen write rewrite read reread\n512 4 1000 1 2 5000\n\niozone test complete.\n\
                     Excel output is below:\n\n";
        let output = crate::tool::read("", format!("{table}{REPORTS}\nThat is all.\n").as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (1, 1));
        assert_eq!(output.unread[0].text, "That is all.");
    }

    #[test]
    fn what_children_did_is_read() {
        let text = "\"Throughput report Y-axis is type of test X-axis is number of processes\"\n\
                    \"Record size = 4 kBytes \"\n\"Output is in kBytes/sec\"\n\n\"  Initial write \"  912345.50 \n\n\
                    \"        Rewrite \" 1012345.50 \n";
        let results = read(text);
        let expected = [("initial_write_throughput", 912_345.5), ("rewrite_throughput", 1_012_345.5)];
        assert_eq!(figures(&results[0]), expected);
    }
}
