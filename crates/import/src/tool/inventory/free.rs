//! free of procps and of busybox, in any language of it: the memory of a machine, and what holds it. Without an option
//! it counts in KiB; in which unit it counted otherwise only its command tells, or the letters behind its numbers.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::{printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::leading;
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Free;

const NAME: &str = "free";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "procps 3.x and 4.x, busybox",
    units: "numbers alone; Ki, Mi, Gi, and K, M, G",
    counting: Counting::Binary,
    proof: "free-4.0.2-plain and free-4.0.2-human: 24684092 are 23Gi, and 24684092 * 1024 bytes are 23.54 GiB",
};

const RULES: &[CountingRule] = &[BYTES];

/// How the heading begins, in the languages of procps.
const HEADINGS: &[[&str; 2]] = &[
    ["total", "used"],
    ["gesamt", "benutzt"],
    ["total", "usado"],
    ["total", "utilis\u{e9}"],
    ["total", "usada"],
    ["total", "utilizat\u{103}"],
    ["totalt", "anv\u{e4}nt"],
    ["razem", "u\u{17c}yte"],
    ["\u{cd1d}\u{acc4}", "\u{c0ac}\u{c6a9}"],
    [
        "\u{437}\u{430}\u{433}\u{430}\u{43b}\u{43e}\u{43c}",
        "\u{432}\u{438}\u{43a}\u{43e}\u{440}\u{438}\u{441}\u{442}.",
    ],
];

/// The columns of the first row, by how many there are, with those of versions before 3.3.10 apart.
const COLUMNS: &[&str] = &[
    "memory_total",
    "memory_used",
    "memory_free",
    "memory_shared",
    "memory_buffers_and_page_cache",
    "memory_available",
];
const COLUMNS_WIDE: &[&str] = &[
    "memory_total",
    "memory_used",
    "memory_free",
    "memory_shared",
    "memory_buffers",
    "memory_page_cache",
    "memory_available",
];
const COLUMNS_OLD: &[&str] =
    &["memory_total", "memory_used", "memory_free", "memory_shared", "memory_buffers", "memory_page_cache"];

/// What the part of the first row is called.
const MEMORY: &str = "memory";

/// Those of the row of swap.
const OF_SWAP: &[&str] = &["swap_total", "swap_used", "swap_free"];

/// Rows that say again what others say.
const OTHERS: &[&str] = &["Low", "High", "Total", "Comm"];

/// What a row of versions before 3.3.10 begins with, which is of memory without buffers and cache.
const OLD: &str = "-/+";

/// Less than so many KiB may be MiB: without a command nobody can tell.
const KIB_LEAST: f64 = 1_048_576.0;

impl ToolReader for Free {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "free of procps and busybox, in any language of it: memory and swap. Numbers without letters are read where the command \
         above them tells the unit, or where they are too large to be of MiB"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_heading(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs = before.is_empty() || row(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let rows: Vec<(u64, &str, Vec<&str>)> = block
            .lines
            .iter()
            .skip(1)
            .filter_map(|line| row(&line.text).map(|(name, values)| (line.number, name, values)))
            .collect();
        let command = block.command.and_then(|command| command.invocation(self.programs()));
        let total = rows.first().and_then(|(_, _, values)| leading(values.first()?, false));
        let is_large = total.is_some_and(|total| total.value >= KIB_LEAST);
        let unit = command.map(asked_unit).or_else(|| is_large.then_some(1024.0));
        let is_old = rows.iter().any(|(_, name, _)| name.starts_with(OLD))
            || block.lines.first().is_some_and(|line| line.text.contains(" cached"));
        let mut parts: Vec<ToolPart> = Vec::new();
        let own = rows.iter().filter(|(_, name, _)| !OTHERS.contains(name) && !name.starts_with(OLD));
        for (at, (line, _, values)) in own.take(2).enumerate() {
            let (name, columns) = match (at, values.len()) {
                (0, 7..) => (MEMORY, COLUMNS_WIDE),
                (0, _) if is_old => (MEMORY, COLUMNS_OLD),
                (0, _) => (MEMORY, COLUMNS),
                _ => ("swap", OF_SWAP),
            };
            parts.extend(target(name.to_owned(), measured(*line, values, columns, unit)));
        }
        // Of swap alone nobody asks: the numbers are in an unknown unit.
        if parts.first().is_none_or(|part| part.name != MEMORY) {
            return Err(NotUnderstood::OtherText);
        }
        result_of(block, self, parts)
    }
}

/// Whether these are the names of the columns.
fn is_heading(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    let begins = HEADINGS.iter().any(|heading| words.starts_with(heading));
    let is_alone = || words.iter().all(|word| leading(word, false).is_none());
    begins && (3..=7).contains(&words.len()) && is_alone()
}

/// The name of a row, and its numbers.
fn row(text: &str) -> Option<(&str, Vec<&str>)> {
    // In Chinese the colon is a wide one.
    let (name, values) = text.split_once([':', '\u{ff1a}'])?;
    let values: Vec<&str> = values.split_whitespace().collect();
    let is_number = |value: &&str| leading(value, false).is_some_and(|number| is_prefix(number.rest));
    let is_row = (2..=7).contains(&values.len()) && values.iter().all(is_number);
    is_row.then(|| (name.trim(), values))
}

/// Whether it is what may stand behind a number.
fn is_prefix(text: &str) -> bool {
    text.is_empty() || text == "B" || factor(text.trim_end_matches('B'), Counting::Binary).is_some()
}

/// How many bytes a number without a letter counts, by the options of the command.
fn asked_unit(command: &[String]) -> f64 {
    let mut unit = 1024.0;
    for word in command.iter().skip(1).filter(|word| word.starts_with('-')) {
        unit = match word.as_str() {
            "--bytes" => 1.0,
            "--kilo" => 1e3,
            "--mega" => 1e6,
            "--giga" => 1e9,
            "--tera" => 1e12,
            "--mebi" => 1_048_576.0,
            "--gibi" => 1_073_741_824.0,
            "--tebi" => 1_099_511_627_776.0,
            long if long.starts_with("--") => unit,
            letters => letters.chars().fold(unit, |unit, letter| match letter {
                'b' => 1.0,
                'k' => 1024.0,
                'm' => 1_048_576.0,
                'g' => 1_073_741_824.0,
                _ => unit,
            }),
        };
    }
    unit
}

/// The figures of a row. `unit` is how many bytes a number without a letter counts, where that is known.
fn measured(line: u64, values: &[&str], columns: &[&'static str], unit: Option<f64>) -> ToolMeasurement {
    let mut measured = ToolMeasurement::default();
    for (name, value) in columns.iter().zip(values) {
        if let Some(printed) = amount(line, value, unit) {
            measured.add(MetricName::new(name), Some(printed));
        }
    }
    measured
}

fn amount(line: u64, text: &str, plain_unit: Option<f64>) -> Option<PrintedValue> {
    let number = leading(text, false)?;
    let scale = match number.rest {
        "" => plain_unit?,
        "B" => 1.0,
        prefix => factor(prefix.trim_end_matches('B'), BYTES.counting)?,
    };
    // What is left of a unit is cut off.
    let half_step = if scale > 1.0 { 2.0 * number.half_step * scale } else { 0.0 };
    Some(printed(line, text, number.value * scale, half_step, Unit::Bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results.into_iter().next()
    }

    fn value(result: &ToolResult, part: usize, name: &'static str) -> Option<f64> {
        result.parts.get(part)?.measured.figure(MetricName::new(name)).map(|printed| printed.value)
    }

    #[test]
    fn numbers_without_a_unit_are_read_where_it_is_known() {
        let table = "               total        used        free      shared  buff/cache   available\n\
                     Mem:           24105         799       14531           8        9174       23305\nSwap:              0           0           0\n";
        let of = |text: String| read(&text).and_then(|result| value(&result, 0, "memory_total"));
        assert_eq!(of(format!("$ free -m\n{table}")), Some(24_105.0 * 1_048_576.0));
        assert_eq!(of(format!("$ free\n{table}")), Some(24_105.0 * 1024.0));
        assert_eq!(of(format!("$ free --mega\n{table}")), Some(24_105e6));
        assert_eq!(of(table.to_owned()), None, "they may be of KiB or MiB");
    }

    #[test]
    fn old_tables_have_buffers_and_cache_apart() {
        let result = read(
            "             total       used       free     shared    buffers     cached\n\
             Mem:       4048320    3921840     126480          0     203148    2890016\n\
             -/+ buffers/cache:     828676    3219644\nSwap:       524284         12     524272\n",
        )
        .unwrap();
        assert_eq!(value(&result, 0, "memory_page_cache"), Some(2_890_016.0 * 1024.0));
        assert_eq!(value(&result, 0, "memory_available"), None);
        assert_eq!(value(&result, 1, "swap_used"), Some(12.0 * 1024.0));
    }

    #[test]
    fn rows_of_other_languages_are_told_by_their_place() {
        let result = read(
            "               \u{cd1d}\u{acc4}         \u{c0ac}\u{c6a9}        \u{c5ec}\u{bd84}      \u{acf5}\u{c720}    \u{bc84}\u{d37c}/\u{ce90}\u{c2dc}    \u{ac00}\u{c6a9}\n\
             \u{ba54}\u{baa8}\u{b9ac}:         23Gi       2.3Gi        12Gi       109Mi       8.7Gi        21Gi\n\
             \u{c2a4}  \u{c651}:           0B          0B          0B\n",
        )
        .unwrap();
        assert_eq!(value(&result, 0, "memory_shared"), Some(109.0 * 1_048_576.0));
        assert_eq!(value(&result, 1, "swap_total"), Some(0.0));
    }
}
