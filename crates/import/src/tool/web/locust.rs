//! locust: the tables that it prints at its end and meanwhile, and the file `_stats.csv`. Each table is of all requests
//! until then, so that only the last one counts.

use std::collections::BTreeMap;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use super::CommandOptions;
use super::locust_lines::{is_log, is_rule};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{exact, leading, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::secret::hide_in_line;

/// The importer.
pub(super) struct Locust;

const NAME: &str = "locust";

/// The name of the row of all requests.
const ALL: &str = "Aggregated";

/// Its name in early versions, which leave out the times.
const EARLY_ALL: &str = "Total";

/// The heading that the errors stand below.
const ERRORS: &str = "Error report";

/// The column of the rate.
const RATE: &str = "req/s";

/// The heading of the second table, which stands below the last one of the first kind.
const PERCENTILES: &str = "Response time percentiles (approximated)";

/// So many lines above an error its heading is looked for.
const ERRORS_MAX: usize = 100;

impl ToolReader for Locust {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of locust 1 and 2, of which the last counts, and its file _stats.csv"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["# reqs", "Requests/s", "locust.main: Starting Locust "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_first = heading(text).is_some() || csv_heading(text).is_some() || version(text).is_some();
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some((last, before))) = (lines.first(), lines.split_last()) else {
            return Extent::More;
        };
        let text = last.text.as_str();
        if before.is_empty() {
            return Extent::More;
        }
        let belongs = if csv_heading(&first.text).is_some() {
            csv_heading(text).is_none() && cells(text).len() == cells(&first.text).len()
        } else {
            let is_error = || {
                let mut above = before.iter().rev().take(ERRORS_MAX);
                whole(text).is_some() && above.any(|line| line.text.trim() == ERRORS)
            };
            let is_other = last.is_blank() || is_rule(text) || is_log(text) || is_title(text);
            // Another execution begins.
            version(text).is_none()
                && (is_other
                    || heading(text).is_some()
                    || is_row(text)
                    || early_all(last).is_some()
                    || is_error())
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::locust_sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let is_csv = block.lines.first().is_some_and(|line| csv_heading(&line.text).is_some());
        let rows = if is_csv { csv_rows(block.lines) } else { table_rows(block.lines, &mut result) };
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for row in &rows {
            row.fill(&mut result, &mut places, is_csv);
        }
        result.parts.retain(|part| !part.measured.is_empty());
        if result.whole.figures.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// `2.47.0` of `[2026-11-28 10:42:19,042] vm/INFO/locust.main: Starting Locust 2.47.0`.
fn version(text: &str) -> Option<&str> {
    let (_, version) = text.strip_prefix('[')?.split_once("locust.main: Starting Locust ")?;
    version.split_whitespace().next()
}

/// What stands above tables.
fn is_title(text: &str) -> bool {
    let text = text.trim();
    text == PERCENTILES || text == ERRORS || text.starts_with("# occurrences")
}

/// The columns of a table behind the name, by their words: `reqs` of `# reqs`.
fn heading(text: &str) -> Option<Vec<&str>> {
    let text = text.trim_start();
    if !text.starts_with("Type ") && !text.starts_with("Name ") || !text.contains("# reqs") {
        return None;
    }
    let words = text.split_whitespace().skip_while(|word| *word != "Name").skip(1);
    let columns: Vec<&str> = words.filter(|word| !matches!(*word, "#" | "|")).collect();
    let is_one = columns.starts_with(&["reqs", "fails"]) || columns.starts_with(&["50%"]);
    is_one.then_some(columns)
}

/// The words of a line, without what parts columns.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().filter(|word| *word != "|").collect()
}

/// Whether a line looks like a row of a table: it ends with numbers.
fn is_row(text: &str) -> bool {
    let words = words(text);
    let is_number = |word: &&str| leading(word, false).is_some_and(|number| number.rest.is_empty());
    words.len() > 5 && words.iter().rev().take(3).all(is_number)
}

/// A row of a table, or of the file.
struct Row {
    line: u64,
    /// The method and the name of the request.
    name: String,
    /// Each column with its text.
    values: Vec<(String, String)>,
}

/// The rows of the last table of requests, and of the percentiles that follow. Puts aside what else the text says.
fn table_rows(lines: &[ToolLine], result: &mut ToolResult) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut columns: Option<Vec<&str>> = None;
    let (mut is_error, mut is_at_end) = (false, false);
    for line in lines {
        let text = line.text.as_str();
        if let Some(found) = heading(text) {
            if found.contains(&"fails") {
                rows.clear();
                is_at_end = false;
            }
            is_error = false;
            columns = Some(found);
        } else if let Some(version) = version(text) {
            result.version = Some(version.to_owned());
        } else if is_title(text) || is_log(text) {
            is_at_end |= text.trim() == PERCENTILES;
            is_error = text.trim() == ERRORS || is_error && is_title(text);
            columns = None;
        } else if is_error && whole(text).is_some() {
            let words: Vec<&str> = text.split_whitespace().collect();
            result.warnings.push(ToolWarning { line: line.number, text: words.join(" ") });
        } else if let Some(columns) = &columns {
            rows.extend(early_all(line).or_else(|| row(line, columns)));
        }
    }
    // Meanwhile its rate is of the last seconds alone (current_rps of stats.py).
    if !is_at_end {
        rows.iter_mut().for_each(|row| row.values.retain(|(column, _)| column != RATE));
    }
    rows
}

/// The row of all requests of early versions: ` Total             2571     0(0.00%)             35.90`.
fn early_all(line: &ToolLine) -> Option<Row> {
    let words = words(&line.text);
    let [EARLY_ALL, requests, failed, rate] = words.as_slice() else { return None };
    let is_one = whole(requests).is_some() && whole(failed).is_some_and(|(_, rest)| rest.starts_with('('));
    let values = [("reqs", *requests), ("fails", *failed), (RATE, *rate)];
    let values = values.map(|(column, value)| (column.to_owned(), value.to_owned()));
    is_one.then(|| Row { line: line.number, name: ALL.to_owned(), values: values.to_vec() })
}

/// A row below these columns.
fn row(line: &ToolLine, columns: &[&str]) -> Option<Row> {
    let words = words(&line.text);
    let (names, values) = words.split_at_checked(words.len().checked_sub(columns.len())?)?;
    let is_one = !names.is_empty() && values.iter().all(|value| leading(value, false).is_some());
    let values = columns.iter().zip(values).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    is_one.then(|| Row { line: line.number, name: names.join(" "), values: values.collect() })
}

/// The columns of `_stats.csv`, called as those of the table are.
const CSV_COLUMNS: &[(&str, &str)] = &[
    ("request count", "reqs"),
    ("# requests", "reqs"),
    ("failure count", "fails"),
    ("# failures", "fails"),
    ("median response time", "Med"),
    ("average response time", "Avg"),
    ("min response time", "Min"),
    ("max response time", "Max"),
    ("requests/s", RATE),
];

/// The columns of the first line of `_stats.csv`.
fn csv_heading(text: &str) -> Option<Vec<String>> {
    if !text.contains("Requests/s") {
        return None;
    }
    let mut columns = cells(text);
    let is_one = columns.get(1).is_some_and(|column| column == "Name")
        && columns.iter().any(|column| column.eq_ignore_ascii_case("median response time"));
    for column in &mut columns {
        let lower = column.to_ascii_lowercase();
        if let Some((_, own)) = CSV_COLUMNS.iter().find(|(name, _)| *name == lower) {
            (*own).clone_into(column);
        }
    }
    is_one.then_some(columns)
}

fn csv_rows(lines: &[ToolLine]) -> Vec<Row> {
    let Some((columns, rows)) =
        lines.split_first().and_then(|(first, rows)| Some((csv_heading(&first.text)?, rows)))
    else {
        return Vec::new();
    };
    let one = |line: &ToolLine| {
        let mut values = cells(&line.text).into_iter();
        let (method, name) = (values.next()?, values.next()?);
        let name = format!("{method} {name}").trim().to_owned();
        Some(Row { line: line.number, name, values: columns.iter().skip(2).cloned().zip(values).collect() })
    };
    rows.iter().filter_map(one).collect()
}

/// The cells of a line of CSV. A quote within quotes stands twice.
fn cells(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    cells
}

impl Row {
    /// Puts the row where it belongs: `places` are those of the parts.
    fn fill(&self, result: &mut ToolResult, places: &mut BTreeMap<String, usize>, is_csv: bool) {
        let measured = match self.name.as_str() {
            ALL => &mut result.whole,
            name => part(&mut result.parts, places, name),
        };
        for (column, value) in &self.values {
            self.take(column, value, is_csv, measured);
        }
        let failed = self.values.iter().find(|(column, _)| column == "fails");
        let failed = failed.and_then(|(_, value)| whole(value));
        if let (Some((failed, _)), Some(all)) = (failed, &measured.operations)
            && all.value > 0.0
        {
            let text = format!("{failed}/{}", all.text);
            let share = plain(self.line, text, failed as f64 / all.value, Unit::One);
            measured.add(metric::ERROR_SHARE, Some(share));
        }
    }

    fn take(&self, column: &str, value: &str, is_csv: bool, measured: &mut ToolMeasurement) {
        let line = self.line;
        let (name, printed) = match column {
            "reqs" => {
                if measured.operations.is_none() {
                    measured.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One));
                }
                return;
            }
            // A row without a request has zeros.
            _ if measured.operations.as_ref().is_some_and(|all| all.value <= 0.0) => return,
            "Avg" => (metric::LATENCY_MEAN, milliseconds(line, value, is_csv)),
            "Min" => (MetricName::new("latency_min"), milliseconds(line, value, is_csv)),
            "Max" => (metric::LATENCY_MAX, milliseconds(line, value, is_csv)),
            "Med" | "Median" => (metric::LATENCY_P50, rounded(line, value)),
            RATE => {
                let rate = leading(value, false).filter(|rate| rate.value > 0.0);
                let rate = rate.map(|rate| PrintedValue {
                    half_step: rate.half_step,
                    ..plain(line, rate.digits, rate.value, Unit::PerSecond)
                });
                (metric::REQUESTS_PER_SECOND, rate)
            }
            percent if percent.ends_with('%') => match percentile(percent) {
                Some(name) => (name, rounded(line, value)),
                None => return,
            },
            _ => return,
        };
        if measured.figure(name).is_none() {
            measured.add(name, printed);
        }
    }
}

/// The part of the requests of this name, without what stands behind a question mark. There may be many thousands.
fn part<'a>(
    parts: &'a mut Vec<ToolPart>,
    places: &mut BTreeMap<String, usize>,
    name: &str,
) -> &'a mut ToolMeasurement {
    let name = hide_in_line(name.split('?').next().unwrap_or_default());
    let at = *places.entry(name.clone()).or_insert(parts.len());
    if at == parts.len() {
        let measured = ToolMeasurement::default();
        parts.push(ToolPart { kind: ToolPartKind::Direction, name, start_s: None, measured });
    }
    &mut parts[at].measured
}

/// A time in milliseconds; in the tables the rest is cut off (`%7d` of stats.py).
fn milliseconds(line: u64, value: &str, is_csv: bool) -> Option<PrintedValue> {
    let printed = time(line, value, "ms")?;
    let half_step = if is_csv { printed.half_step } else { 2.0 * printed.half_step };
    Some(PrintedValue { half_step, ..printed })
}

/// A time that locust has rounded before it counted it: to 10 ms from 100 ms on, to 100 ms from one second on, to
/// one second from ten on (stats.py).
fn rounded(line: u64, value: &str) -> Option<PrintedValue> {
    let printed = time(line, value, "ms")?;
    let step = match printed.value {
        value if value < 0.1 => 1e-3,
        value if value < 1.0 => 10e-3,
        value if value < 10.0 => 100e-3,
        _ => 1.0,
    };
    Some(PrintedValue { half_step: step / 2.0, ..printed })
}

const WITH_VALUE: &[&str] = &[
    "f",
    "locustfile",
    "H",
    "host",
    "u",
    "users",
    "r",
    "spawn-rate",
    "t",
    "run-time",
    "csv",
    "html",
    "L",
    "loglevel",
    "logfile",
    "T",
    "tags",
    "E",
    "exclude-tags",
    "s",
    "stop-timeout",
    "P",
    "web-port",
    "web-host",
    "web-auth",
    "processes",
    "config",
];

/// Options whose values are told, with their short names.
const TOLD: &[(&str, &str)] =
    &[("users", "u"), ("spawn-rate", "r"), ("run-time", "t"), ("host", "H"), ("processes", "processes")];

/// Fills in what the command says. Users may wait between their requests: they are no concurrency.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    for (name, short) in TOLD {
        if let Some(value) = given.get(&[*name, *short]) {
            result.options.insert((*name).to_owned(), value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_versions_call_all_requests_total() {
        let text = " Name                    # reqs      # fails     Avg     Min     Max  |  Median   req/s\n\
                    ---------------------------------------------------------------------------------\n \
                    GET /                     1725     0(0.00%)     749     376    1495  |     740   24.10\n \
                    GET /api                   275    20(7.27%)    1630     921    2324  |    1600    5.70\n\
                    ---------------------------------------------------------------------------------\n \
                    Total                     2000    20(1.00%)                                      29.80\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.operations.as_ref().map(|all| all.value), Some(2000.0));
        assert_eq!(result.whole.figure(metric::ERROR_SHARE).map(|share| share.value), Some(0.01));
        assert_eq!((result.parts.len(), output.unread.len()), (2, 0));
    }

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    const HEADING: &str = "Type     Name        # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n\
                           --------|----------|-------|-------------|-------|-------|-------|-------|--------|-----------\n";

    #[test]
    fn of_several_tables_the_last_counts() {
        let table = |count: u64| {
            format!(
                "{HEADING}GET      /a?token=x   {count}     0(0.00%) |     16       3      72    150 |    0.00        0.00\n\
                 --------|----------|-------|-------------|-------|-------|-------|-------|--------|-----------\n         \
                 Aggregated   {count}     {}(50.00%) |     16       3      72    150 |    9.50        0.00\n\n",
                count / 2
            )
        };
        let log = "[2026-11-28 10:42:21,651] vm/INFO/locust.main: --run-time limit reached, shutting down\n";
        let result = read(&format!("{}{log}{}{log}", table(10), table(20)));
        assert_eq!(result.whole.operations.as_ref().map(|all| all.value), Some(20.0));
        let share = result.whole.figure(metric::ERROR_SHARE).map(|share| share.value);
        assert_eq!((share, result.parts.len()), (Some(0.5), 1));
        assert_eq!(result.parts[0].name, "GET /a");
        let median = result.whole.figure(metric::LATENCY_P50).unwrap();
        assert!((median.value - 0.15).abs() < 1e-12 && (median.half_step - 5e-3).abs() < 1e-12);
    }

    #[test]
    fn columns_stand_in_other_places_in_other_versions() {
        let heading =
            " Name     # reqs      # fails  |     Avg     Min     Max  Median  |   req/s failures/s\n";
        let row = " Aggregated     52    11(21.15%)  |      12       3      72       8  |   19.96    4.22\n";
        let result = read(&format!("{heading}{row}\n{PERCENTILES}\n"));
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!(value(metric::REQUESTS_PER_SECOND), Some(19.96));
        assert!(value(metric::LATENCY_P50).is_some_and(|median| (median - 8e-3).abs() < 1e-12));
        let meanwhile = read(&format!("{heading}{row}"));
        assert!(meanwhile.whole.figure(metric::REQUESTS_PER_SECOND).is_none(), "that of the last seconds");
        assert!(meanwhile.whole.figure(metric::LATENCY_MEAN).is_some());
    }

    #[test]
    fn cells_may_have_commas_and_quotes() {
        assert_eq!(cells("GET,\"/a,b \"\"c\"\"\",5"), ["GET", "/a,b \"c\"", "5"]);
        assert_eq!(cells(",Aggregated,"), ["", "Aggregated", ""]);
    }

    #[test]
    fn users_are_told_by_either_name() {
        for words in ["locust -f a.py --headless -u 4 -t 3s", "locust --users 4 --headless"] {
            let command = words.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            options(&mut result);
            assert_eq!(result.options.get("users").map(String::as_str), Some("4"), "{words}");
        }
    }
}
