//! memtier_benchmark: its table, in which each kind of operation has a row, and all have one, or its JSON.

mod json;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Memtier;

const NAME: &str = "memtier_benchmark";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.2 to 2.x",
    units: "KB/sec",
    counting: Counting::Binary,
    proof: "run_stats.cpp divides the bytes by 1024",
};

const RULES: &[CountingRule] = &[BYTES];

/// The row of all operations.
const TOTALS: &str = "Totals";

/// What stands where a row has no such figure.
const NONE: &str = "---";

/// What a sum may be off by beyond its rounding.
const NEAR: f64 = 0.001;

impl ToolReader for Memtier {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of memtier_benchmark, of any version, or its JSON (`--json-out-file`); of several runs (`-x`) each table is a \
         result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Ops/sec", THREADS, " RUN RESULTS", "RUN #", "AGGREGATED AVERAGE RESULTS ("]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if columns(&line.text).is_some() {
            return Some(Beginning::Certain);
        }
        let is_first =
            setting(&line.text).is_some_and(|(name, _)| name == THREADS) || run(&line.text).is_some();
        is_first.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        // A distribution may have more rows than a table.
        let goes_on = before.last().is_some_and(|line| !line.is_blank() && is_of_distribution(&line.text));
        let is_over = goes_on || before.iter().rev().take(ROWS_MAX).any(|line| row(&line.text, TOTALS));
        let is_rule = !text.is_empty() && text.chars().all(|c| matches!(c, '=' | '-'));
        let is_title = text == "ALL STATS" || text.ends_with(" RESULTS") || text.contains(" RESULTS (");
        let is_told = last.is_blank() || is_rule || is_title || setting(text).is_some();
        let belongs = if is_over {
            is_of_distribution(text)
                || is_rule && before.last().is_some_and(|line| is_of_distribution(&line.text))
        } else {
            is_told || columns(text).is_some() || is_row(text)
        };
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        json::knows(text)
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let heading = sheet.lines().find(|(_, text)| text.starts_with("Type ") && text.contains("Ops/sec"));
        let columns = heading.map_or_else(Vec::new, |(_, text)| {
            text.replace("Avg. Latency", "Mean")
                .replace(" Latency", "")
                .split_whitespace()
                .map(str::to_owned)
                .collect()
        });
        let cell = |row: &str, column: &str| {
            let place = columns.iter().position(|own: &String| own == column);
            let row = sheet.lines().find(|(_, text)| text.split_whitespace().next() == Some(row));
            let value =
                place.zip(row).and_then(|(at, (line, text))| Some((line, text.split_whitespace().nth(at)?)));
            value.map_or_else(Term::default, |(line, value)| nth_of(line, value, 0))
        };
        for column in ["Ops/sec", "KB/sec"] {
            let rows: Vec<Term> = ["Sets", "Gets", "Waits"]
                .map(|row| cell(row, column))
                .into_iter()
                .filter(Term::is_some)
                .collect();
            sheet.equal(&cell("Totals", column), Term::sum(&rows), NEAR);
        }
        let asked = &cell("Gets", "Hits/sec") + &cell("Gets", "Misses/sec");
        if asked.is_some() {
            sheet.equal(&cell("Gets", "Ops/sec"), asked, NEAR);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            return json::read(block);
        }
        let mut result = block.result(NAME, self.programs());
        let mut heading: Option<Vec<&str>> = None;
        for line in block.lines {
            if let Some((name, number)) = setting(&line.text) {
                // As a rule threads share the connections: they are no concurrency of their own.
                let name = if name == THREADS { "benchmark-threads".to_owned() } else { lower(name) };
                result.options.insert(name, number.to_string());
            } else if let Some(title) = run(&line.text) {
                result.options.insert("run".to_owned(), title.to_lowercase());
            } else if let Some(columns) = columns(&line.text) {
                heading = Some(columns);
            } else if let Some(columns) = heading.as_deref().filter(|_| is_row(&line.text)) {
                take(line, columns, &mut result);
                result.lines.last = line.number;
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// A table has fewer rows.
const ROWS_MAX: usize = 100;

/// The line above its table with which its settings begin.
const THREADS: &str = "Threads";

/// The title of one table of several: `BEST RUN RESULTS`, `RUN #1 RESULTS`, `AGGREGATED AVERAGE RESULTS (2 runs)`.
fn run(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_one = text.ends_with(" RUN RESULTS")
        || text.starts_with("RUN #") && text.ends_with(" RESULTS")
        || text.starts_with("AGGREGATED AVERAGE RESULTS (");
    is_one.then_some(text)
}

/// A name as an option is written.
fn lower(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// `4         Threads`, `50        Connections per thread`.
fn setting(text: &str) -> Option<(&str, u64)> {
    let (number, rest) = whole(text)?;
    let name = rest.trim();
    let names = [THREADS, "Connections per thread", "Requests per client", "Seconds"];
    names.contains(&name).then_some((name, number))
}

/// The columns of a heading, each by its first word: `Avg.` of `Avg. Latency`.
fn columns(text: &str) -> Option<Vec<&str>> {
    // The cheap question first: every line of any text is asked.
    if !text.trim_start().starts_with("Type ") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_heading =
        words.first() == Some(&"Type") && words.get(1) == Some(&"Ops/sec") && words.contains(&"KB/sec");
    let is_second = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        words.get(at) == Some(&"Latency")
            && before.is_some_and(|word| *word == "Avg." || word.starts_with('p'))
    };
    let firsts = (0..words.len()).filter(|at| !is_second(*at));
    is_heading.then(|| firsts.filter_map(|at| words.get(at)).copied().collect())
}

/// A name, and numbers or dashes in each column.
fn is_row(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let has_name = words.next().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_cell =
        |word: &str| word == NONE || leading(word, false).is_some_and(|number| number.rest.is_empty());
    has_name && words.clone().count() > 3 && words.all(is_cell)
}

/// Whether it is the row of this name.
fn row(text: &str, name: &str) -> bool {
    text.trim_start().starts_with(name) && is_row(text)
}

/// A line of the distribution of latencies below the table: its title, its heading, `SET      0.079      12.500`.
fn is_of_distribution(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &&&str| leading(word, false).is_some_and(|number| number.rest.is_empty());
    match words.as_slice() {
        ["Request", "Latency", "Distribution"] | ["Type", "<=", "msec", "Percent"] | ["---"] => true,
        [_, numbers @ ..] => numbers.len() == 2 && numbers.iter().filter(is_number).count() == 2,
        [] => true,
    }
}

/// Puts a row where it belongs.
fn take(line: &ToolLine, columns: &[&str], result: &mut ToolResult) {
    let mut measured = ToolMeasurement::default();
    let words: Vec<&str> = line.text.split_whitespace().collect();
    for (column, word) in columns.iter().zip(&words).skip(1).filter(|(_, word)| **word != NONE) {
        let rate = || count(line.number, word, Counting::Decimal, Unit::PerSecond);
        let milliseconds = || time(line.number, word, "ms");
        match *column {
            "Ops/sec" => measured.add(metric::OPERATIONS_PER_SECOND, rate()),
            "Hits/sec" => measured.add(MetricName::new("hits_per_second"), rate()),
            "Misses/sec" => measured.add(MetricName::new("misses_per_second"), rate()),
            "Avg." | "Latency" => measured.add(metric::LATENCY_MEAN, milliseconds()),
            "KB/sec" => {
                let rate = quantity(line.number, &format!("{word} KB/s"), BYTES.counting);
                measured.add(metric::THROUGHPUT, rate);
            }
            percentile => {
                if let Some(metric) = statistic(percentile) {
                    measured.add(metric, milliseconds());
                }
            }
        }
    }
    let is_done = measured.figure(metric::OPERATIONS_PER_SECOND).is_some_and(|rate| rate.value > 0.0);
    match words.first() {
        Some(&TOTALS) => result.whole = measured,
        Some(name) if is_done => {
            let kind = ToolPartKind::Direction;
            result.parts.push(ToolPart { kind, name: (*name).to_owned(), start_s: None, measured });
        }
        _ => {}
    }
}

/// Options of the command that are told, with our names for them.
const TOLD: &[(&str, &str)] = &[
    ("pipeline", "pipeline"),
    ("ratio", "ratio"),
    ("data-size", "data-size"),
    ("key-pattern", "key-pattern"),
    ("protocol", "protocol"),
    ("rate-limiting", "rate"),
];

/// How many connections there are in all, and what the command says of them.
fn options(result: &mut ToolResult) {
    let number = |name: &str| result.options.get(name).and_then(|value| value.parse::<u64>().ok());
    let connections = number("benchmark-threads").zip(number("connections-per-thread"));
    if let Some((threads, each)) = connections {
        let all = threads.saturating_mul(each).to_string();
        result.options.insert("connections".to_owned(), all);
    }
    let command = std::mem::take(&mut result.command);
    for (at, word) in command.iter().enumerate() {
        for (own, name) in TOLD {
            let behind = word.strip_prefix("--").and_then(|word| word.strip_prefix(*own));
            let value = match behind {
                Some("") => command.get(at + 1).map(String::as_str),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            };
            result.options.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
        }
    }
    result.command = command;
    super::unknown_pipeline(result);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_all_versions_have_the_same_columns() {
        let read = |text| columns(text).unwrap();
        assert_eq!(
            read("Type        Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec"),
            ["Type", "Ops/sec", "Hits/sec", "Misses/sec", "Latency", "KB/sec"]
        );
        assert_eq!(
            read("Type         Ops/sec    Avg. Latency     p50 Latency   p99.9 Latency       KB/sec"),
            ["Type", "Ops/sec", "Avg.", "p50", "p99.9", "KB/sec"]
        );
        assert_eq!(columns("Type     <= msec         Percent"), None);
    }

    #[test]
    fn what_is_in_flight_is_known_with_the_command_alone() {
        let told = |command: &str| {
            let command = command.split_whitespace().map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            for (name, value) in [("benchmark-threads", "4"), ("connections-per-thread", "50")] {
                result.options.insert(name.to_owned(), value.to_owned());
            }
            options(&mut result);
            ["connections", "pipeline", "rate"].map(|name| result.options.get(name).cloned())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(told("memtier_benchmark --pipeline=16"), [some("200"), some("16"), None]);
        assert_eq!(told("memtier_benchmark --rate-limiting 5"), [some("200"), None, some("5")]);
        assert_eq!(told(""), [some("200"), some("unknown"), None]);
    }

    #[test]
    fn tables_of_several_runs_have_their_titles() {
        let table = "Type         Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec\n\
                     Totals        100.00        50.00        50.00         1.00        10.00\n\n";
        let text = format!("4         Threads\n\nBEST RUN RESULTS\n{table}\nWORST RUN RESULTS\n{table}");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let runs: Vec<&str> = output.results.iter().map(|result| result.options["run"].as_str()).collect();
        assert_eq!(
            (runs.as_slice(), output.unread.len()),
            (["best run results", "worst run results"].as_slice(), 0)
        );
    }

    #[test]
    fn regression_a_long_distribution_was_of_no_tool() {
        let rows: String = (0..300).map(|row| format!("GET       {row}.079        12.500\n")).collect();
        let table = "Type         Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec\n\
                     Totals        100.00        50.00        50.00         1.00        10.00\n\n";
        let heading = "Request Latency Distribution\nType     <= msec         Percent\n------\n";
        let text = format!("{table}{heading}{rows}---\nWAIT      0.000      100.000\nand so on, it was\n");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (1, 1), "{:?}", output.unread);
    }

    #[test]
    fn rows_are_told_from_words() {
        assert!(is_row("Sets        47686.59          ---          ---        62.87207"));
        assert!(!is_row("Totals of the last four runs"));
        assert!(is_of_distribution("SET       0.079        12.500") && !is_of_distribution("SET of 3 words"));
    }
}
