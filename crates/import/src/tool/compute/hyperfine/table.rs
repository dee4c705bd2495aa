//! What hyperfine exports as CSV, in seconds, and as Markdown, in the unit of its heading.

use model::Unit;
use model::tool_result::{Counting, LineRange, PrintedValue, ToolResult};

use super::Benchmark;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{plain, quantity};

/// Which table a line is the heading of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TableForm {
    /// CSV, with its columns.
    Csv(Vec<String>),
    /// Markdown, with the unit of its times.
    Markdown(String),
}

impl TableForm {
    /// `command,mean,stddev,median,user,system,min,max`, or `| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |`.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.starts_with("command,mean,stddev,") {
            return Some(Self::Csv(fields(text)));
        }
        let rest = text.strip_prefix("| Command | Mean [")?;
        let (unit, rest) = rest.split_once(']')?;
        rest.contains("Min").then(|| Self::Markdown(unit.to_owned()))
    }

    /// Whether a line below it is one of its own.
    pub(super) fn has(&self, text: &str) -> bool {
        match self {
            Self::Csv(columns) => fields(text).len() == columns.len(),
            Self::Markdown(_) => text.trim_start().starts_with('|'),
        }
    }

    fn row(&self, line: &ToolLine) -> Option<Benchmark> {
        match self {
            Self::Csv(columns) => of_csv(line, columns),
            Self::Markdown(unit) => of_markdown(line, unit),
        }
    }
}

/// The benchmarks of a table.
pub(super) fn read(block: &ToolBlock<'_>, form: TableForm) -> Vec<ToolResult> {
    let mut results: Vec<ToolResult> = Vec::new();
    let is_ruler = |text: &str| text.chars().all(|c| matches!(c, '|' | ':' | '-' | ' '));
    for (place, line) in block.lines.iter().enumerate().skip(1) {
        let own = ToolBlock { lines: block.lines.get(place..=place).unwrap_or_default(), ..*block };
        match form.row(line).and_then(|benchmark| benchmark.result(&own)) {
            Some(result) => results.push(result),
            None if is_ruler(&line.text) => {}
            // What is above it belongs to the same table.
            None => {
                if let Some(before) = results.last_mut() {
                    before.unread.push(LineRange { first: line.number, last: line.number });
                }
            }
        }
    }
    results
}

fn of_csv(line: &ToolLine, columns: &[String]) -> Option<Benchmark> {
    let fields = fields(&line.text);
    let field = |name: &str| {
        let place = columns.iter().position(|column| column == name)?;
        fields.get(place).map(String::as_str)
    };
    let seconds = |name: &str| {
        let text = field(name)?;
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(plain(line.number, format!("{text} s"), value, Unit::Seconds))
    };
    Some(Benchmark {
        command: field("command").map(str::to_owned),
        mean: Some(seconds("mean")?),
        deviation: seconds("stddev"),
        median: seconds("median"),
        least: seconds("min"),
        greatest: seconds("max"),
        user: seconds("user"),
        system: seconds("system"),
        runs: None,
    })
}

/// `` | `sleep 1` | 308.9 ± 0.4 | 308.5 | 309.4 | 1.00 | ``; of early versions the fastest and the slowest stand in one
/// cell, `308.5…309.4`.
fn of_markdown(line: &ToolLine, unit: &str) -> Option<Benchmark> {
    let inside = line.text.trim().strip_prefix('|')?;
    // The command may have bars, each with a stroke before it.
    let (command, values) = inside.trim().strip_prefix('`')?.rsplit_once("` |")?;
    let cells: Vec<&str> = values.split(['|', '\u{2026}']).map(str::trim).collect();
    let time = |text: &str| -> Option<PrintedValue> {
        quantity(line.number, &format!("{} {unit}", text.trim()), Counting::Decimal)
    };
    let [mean, least, greatest, ..] = cells.as_slice() else { return None };
    let (mean, deviation) = match mean.split_once('\u{b1}') {
        Some((mean, deviation)) => (mean, time(deviation)),
        None => (*mean, None),
    };
    Some(Benchmark {
        command: Some(command.replace("\\|", "|")),
        mean: Some(time(mean)?),
        deviation,
        least: time(least),
        greatest: time(greatest),
        ..Benchmark::default()
    })
}

/// The fields of a line of CSV (RFC 4180); a quoted one may have commas, and a quote twice.
fn fields(text: &str) -> Vec<String> {
    let (mut all, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                field.push('"');
                letters.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => all.push(std::mem::take(&mut field)),
            letter => field.push(letter),
        }
    }
    all.push(field);
    all
}

#[cfg(test)]
mod tests {
    use model::metric;

    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn commands_of_csv_may_have_commas_and_quotes() {
        let results = read(
            "command,mean,stddev,median,user,system,min,max\n\
             \"echo \"\"a\"\", b\",0.5,0.25,0.5,0.125,0.0625,0.25,0.75\n",
        );
        assert_eq!(results[0].options["command"], "echo \"a\", b");
        assert_eq!(results[0].whole.figure(metric::ELAPSED_STDDEV).unwrap().value, 0.25);
        assert_eq!(results[0].whole.figure(metric::CPU_SYSTEM_TIME).unwrap().value, 0.0625);
    }

    #[test]
    fn times_of_markdown_have_the_unit_of_the_heading() {
        for (heading, row) in [
            (
                "| Command | Mean [s] | Min [s] | Max [s] | Relative |",
                "| 0.5 \u{b1} 0.1 | 0.4 | 0.6 | 1.00 |",
            ),
            (
                "| Command | Mean [ms] | Min\u{2026}Max [ms] | Relative |",
                "| 500.0 \u{b1} 100.0 | 400\u{2026}600 | 1.0 |",
            ),
        ] {
            let results = read(&format!("{heading}\n|:---|---:|---:|---:|---:|\n| `a \\| b` {row}\n"));
            let value = |metric| results[0].whole.figure(metric).unwrap().value;
            assert_eq!(results[0].options["command"], "a | b", "{heading}");
            let near = |metric, expected: f64| (value(metric) - expected).abs() < 1e-12;
            assert!(near(metric::ELAPSED_MEAN, 0.5) && near(metric::ELAPSED_STDDEV, 0.1), "{heading}");
            assert!(near(super::super::ELAPSED_MAX, 0.6), "{heading}");
        }
    }
}
