//! free of procps and of busybox, in any language of it: the memory of a machine, and what holds it. Without an option
//! it counts in KiB; in which unit it counted otherwise its command tells, or the letters behind its numbers, or that these are of pages.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::{printed, result_of, target};
use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::{count, cut_off, leading};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

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

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "procps 3.3 and 4.x, with --si",
    units: "K, M, G; numbers alone of -k, -m, -g",
    counting: Counting::Decimal,
    proof: "its manual, of --si: powers of 1000, and not of 1024",
};

const RULES: &[CountingRule] = &[BYTES, DECIMAL];

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

/// As many MiB no machine has.
const MIB_MAX: f64 = 16_777_216.0;

/// Less than so many bytes of memory no machine has.
const BYTES_LEAST: f64 = 16_777_216.0;

/// The kernel counts pages, which have at least so many bytes, or so many KiB.
const PAGE_BYTES: f64 = 4096.0;
const PAGE_KIB: f64 = 4.0;

/// Fewer numbers show nothing by what they are multiples of.
const NUMBERS_MIN: usize = 3;

/// What is read at several moments differs by so much, and what is rounded for people to read.
const SHOWN: f64 = 0.02;

impl ToolReader for Free {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "free of procps and busybox, in any language of it: memory and swap. Numbers without letters are read in the unit \
         that the command above them tells, or that they show themselves: the kernel counts pages"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "used",
            "benutzt",
            "usado",
            "utilis\u{e9}",
            "usada",
            "utilizat\u{103}",
            "anv\u{e4}nt",
            "u\u{17c}yte",
            "\u{c0ac}\u{c6a9}",
            "\u{432}\u{438}\u{43a}\u{43e}\u{440}",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        // The column of the names has no heading; where white space is lost, prose may begin so.
        let beginning = if line.is_indented() { Beginning::Certain } else { Beginning::Likely };
        is_heading(&line.text).then_some(beginning)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs = before.is_empty() || row(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let heading = sheet.lines().find(|(_, text)| text.starts_with("total "));
        let columns: Vec<&str> = heading.map_or_else(Vec::new, |(_, text)| text.split_whitespace().collect());
        let of = |label: &str, column: &str| {
            let at = columns.iter().position(|own| *own == column)?;
            let (line, row) = sheet.behind(label).next()?;
            let value = row.split_whitespace().nth(at)?.trim_end_matches('B');
            count(line, value, Counting::Binary, Unit::Bytes)
        };
        let of = |label: &str, column: &str| Term::of(of(label, column));
        sheet.equal(&of("Swap:", "total"), &of("Swap:", "used") + &of("Swap:", "free"), SHOWN);
        // What is used is all that is not free and no cache, or, of late versions, all that is not available.
        let (used, free) = (of("Mem:", "used"), of("Mem:", "free"));
        let caches = ["buff/cache", "buffers", "cache"].map(|column| of("Mem:", column));
        let caches: Vec<Term> = caches.into_iter().filter(|term| term.value().is_some()).collect();
        let is_late = columns.contains(&"available");
        let early = if is_late { Term::default() } else { &used + &free };
        let cached = if is_late { &(&used + &free) + &Term::sum(&caches) } else { Term::default() };
        let available = &used + &of("Mem:", "available");
        sheet.equal_to_any(&of("Mem:", "total"), vec![early, cached, available], SHOWN);
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let rows: Vec<(u64, &str, Vec<&str>)> = block
            .lines
            .iter()
            .skip(1)
            .filter_map(|line| row(&line.text).map(|(name, values)| (line.number, name, values)))
            .collect();
        let command = block.command.and_then(|command| command.invocation(self.programs()));
        let asked = command.map(AskedUnits::of);
        let values = rows.first().map(|(_, _, values)| values.as_slice()).unwrap_or_default();
        let units = AskedUnits { plain: plain_unit(asked, values), ..asked.unwrap_or_default() };
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
            parts.extend(target(name.to_owned(), measured(*line, values, columns, units)));
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
    // The cheap question first: every line of any text is asked.
    let mut first = text.split_whitespace();
    let first = [first.next().unwrap_or_default(), first.next().unwrap_or_default()];
    if !HEADINGS.contains(&first) {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    let is_alone = || words.iter().all(|word| leading(word, false).is_none());
    (3..=7).contains(&words.len()) && is_alone()
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

/// What numbers count, by the options of a command.
#[derive(Clone, Copy, Debug, Default)]
struct AskedUnits {
    /// How many bytes a number without a letter is, where an option says it.
    plain: Option<f64>,
    /// Whether letters without an i are of 1000.
    is_decimal: bool,
}

impl AskedUnits {
    fn of(command: &[String]) -> Self {
        let is_decimal = command.iter().any(|word| word == "--si");
        let base: f64 = if is_decimal { 1000.0 } else { 1024.0 };
        let mut plain = None;
        for word in command.iter().skip(1).filter(|word| word.starts_with('-')) {
            plain = match word.as_str() {
                "--bytes" => Some(1.0),
                "--kilo" => Some(1e3),
                "--mega" => Some(1e6),
                "--giga" => Some(1e9),
                "--tera" => Some(1e12),
                "--kibi" => Some(1024.0),
                "--mebi" => Some(1_048_576.0),
                "--gibi" => Some(1_073_741_824.0),
                "--tebi" => Some(1_099_511_627_776.0),
                long if long.starts_with("--") => plain,
                letters => letters.chars().fold(plain, |plain, letter| match letter {
                    'b' => Some(1.0),
                    'k' => Some(base),
                    'm' => Some(base.powi(2)),
                    'g' => Some(base.powi(3)),
                    _ => plain,
                }),
            };
        }
        Self { plain, is_decimal }
    }
}

/// How many bytes a number without a letter in the first row is: as the command says, or as these numbers show, which are
/// multiples of a page.
fn plain_unit(asked: Option<AskedUnits>, values: &[&str]) -> Option<f64> {
    if let Some(unit) = asked.and_then(|asked| asked.plain) {
        return Some(unit);
    }
    let numbers: Vec<f64> =
        values.iter().filter_map(|value| leading(value, false)).map(|n| n.value).collect();
    let total = *numbers.first()?;
    let are_multiples = |of: f64| {
        let others = || numbers.iter().filter(|number| **number > 0.0);
        others().count() >= NUMBERS_MIN && others().all(|number| number % of == 0.0)
    };
    match total {
        // That of toybox counts bytes where nobody asks.
        _ if total >= BYTES_LEAST && are_multiples(PAGE_BYTES) => Some(1.0),
        // In some versions it changes nothing of numbers without a letter.
        _ if asked.is_some_and(|asked| asked.is_decimal) => {
            Some(if are_multiples(PAGE_KIB) { 1024.0 } else { 1000.0 })
        }
        _ if asked.is_some() || total >= MIB_MAX => Some(1024.0),
        _ => (total >= KIB_LEAST && are_multiples(PAGE_KIB)).then_some(1024.0),
    }
}

/// The figures of a row.
fn measured(line: u64, values: &[&str], columns: &[&'static str], units: AskedUnits) -> ToolMeasurement {
    let mut measured = ToolMeasurement::default();
    for (name, value) in columns.iter().zip(values) {
        measured.add(MetricName::new(name), amount(line, value, units));
    }
    measured
}

fn amount(line: u64, text: &str, units: AskedUnits) -> Option<PrintedValue> {
    let number = leading(text, false)?;
    let counting = if units.is_decimal { DECIMAL.counting } else { BYTES.counting };
    let scale = match number.rest {
        "" => units.plain?,
        "B" => 1.0,
        prefix => factor(prefix.trim_end_matches('B'), counting)?,
    };
    let half_step = if scale > 1.0 { number.half_step * scale } else { 0.0 };
    // What is left of a unit is cut off.
    Some(cut_off(printed(line, text, number.value * scale, half_step, Unit::Bytes)))
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
        assert_eq!(of(format!("$ free -m --si\n{table}")), Some(24_105e6));
        assert_eq!(of(table.to_owned()), None, "they may be of KiB or MiB");
    }

    #[test]
    fn numbers_that_are_no_pages_are_of_nobody_knows_what() {
        let of = |numbers: &str| {
            let head = "               total        used        free      shared  buff/cache   available";
            let text = format!("{head}\nMem: {numbers}\n");
            read(&text).and_then(|result| value(&result, 0, "memory_total"))
        };
        // 2 TiB in MiB, 2 GiB in KiB, and 24 GiB in bytes.
        assert_eq!(of("2063849 700123 900001 12 463725 1300000"), None);
        assert_eq!(of("2063848 700120 900000 12 463728 1300000"), Some(2_063_848.0 * 1024.0));
        assert_eq!(
            of("25276510208 838258688 15238037504 9068544 9610194944 24438251520"),
            Some(25_276_510_208.0)
        );
    }

    #[test]
    fn letters_are_of_1000_where_it_is_asked_for() {
        let of = |command: &str| {
            let head = "               total        used        free      shared  buff/cache   available";
            let text = format!("$ {command}\n{head}\nMem: 25G 1.8G 21G 8.7M 1.1G 21G\n");
            read(&text).and_then(|result| value(&result, 0, "memory_total"))
        };
        assert_eq!(of("free -h --si"), Some(25e9));
        assert_eq!(of("free -h"), Some(25.0 * 1_073_741_824.0));
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
