//! Figures of sysbench that others of it determine: the sums of its statements, of what it did with files, and of what it
//! moved.

use model::Unit;
use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::PrintedValue;

use super::text::before_1_0;
use crate::tool::arithmetic::{Computed, unequal};
use crate::tool::block::ToolLine;
use crate::tool::database::behind;
use crate::tool::number::{exact, whole};

/// Kinds of statements, as far as they were told since their heading.
#[derive(Default)]
struct Statements {
    read: Option<PrintedValue>,
    write: Option<PrintedValue>,
    other: Option<PrintedValue>,
}

/// What the text of one execution contradicts itself in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let mut statements = Statements::default();
    let mut found = Vec::new();
    for line in lines {
        let text = line.text.trim();
        let Some((name, value)) = text.split_once(':') else {
            found.extend(moved(line.number, text));
            continue;
        };
        let count = || whole(value).map(|(count, _)| exact(line.number, count, Unit::One));
        let Statements { read, write, other } = &statements;
        match name.trim() {
            "queries performed" => statements = Statements::default(),
            "read" => statements.read = count(),
            "write" => statements.write = count(),
            "other" => statements.other = count(),
            "total" => found.extend(is_sum_of(count().as_ref(), [read, write, other])),
            "read/write requests" => found.extend(is_sum_of(count().as_ref(), [read, write])),
            "other operations" => found.extend(is_sum_of(count().as_ref(), [other])),
            "queries" => found.extend(is_sum_of(count().as_ref(), [read, write, other])),
            "Operations performed" => found.extend(of_files(line.number, value)),
            _ => {}
        }
    }
    found
}

/// That a count is not the sum of these, where all are told.
fn is_sum_of<const N: usize>(
    total: Option<&PrintedValue>,
    parts: [&Option<PrintedValue>; N],
) -> Option<FigureDisagreement> {
    let parts: Vec<&PrintedValue> = parts.into_iter().map(Option::as_ref).collect::<Option<_>>()?;
    unequal(total?, Computed::sum(parts), 0.0)
}

/// `6000 Read, 4000 Write, 12800 Other = 22800 Total`.
fn of_files(line: u64, value: &str) -> Option<FigureDisagreement> {
    let (parts, total) = value.split_once(" = ")?;
    let count = |text: &str| whole(text).map(|(count, _)| exact(line, count, Unit::One));
    let parts: Vec<PrintedValue> = parts.split(',').map(count).collect::<Option<_>>()?;
    unequal(&count(total)?, Computed::sum(&parts), 0.0)
}

/// `Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (9.2857Mb/sec)`.
fn moved(line: u64, text: &str) -> Option<FigureDisagreement> {
    if !text.starts_with("Read ") {
        return None;
    }
    let size = |name: &str| before_1_0(line, behind(text, name)?);
    let parts = [size("Read ")?, size("Written ")?];
    unequal(&size("Total transferred ")?, Computed::sum(&parts), 0.0)
}

#[cfg(test)]
mod tests {
    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        output.results[0].disagreements.iter().map(|wrong| wrong.printed.text.clone()).collect()
    }

    #[test]
    fn what_was_done_with_files_is_added_up() {
        let text = |other: u64, total: &str| {
            format!(
                "Operations performed:  6000 Read, 4000 Write, {other} Other = 22800 Total\n\
                 Read 93.75Mb  Written 62.5Mb  Total transferred {total}  (9.2857Mb/sec)\n  594.28 Requests/sec executed\n"
            )
        };
        assert_eq!(wrong(&text(12_800, "156.25Mb")), Vec::<String>::new());
        assert_eq!(wrong(&text(12_900, "156.25Mb")), ["22800"]);
        assert_eq!(wrong(&text(12_800, "256.25Mb")), ["256.25Mb"]);
    }

    #[test]
    fn statements_are_added_up() {
        let text = |total: u64, requests: u64| {
            format!(
                "sysbench 0.5:  multi-threaded system evaluation benchmark\n\nOLTP test statistics:\n    queries performed:\n        \
                 read:                            140\n        write:                           40\n        other:                           \
                 20\n        total:                           {total}\n    transactions:                        10     (5.00 per sec.)\n    \
                 read/write requests:                 {requests}    (90.00 per sec.)\n    other operations:                    20     \
                 (10.00 per sec.)\n\nGeneral statistics:\n    total time:                          2.0000s\n"
            )
        };
        assert_eq!(wrong(&text(200, 180)), Vec::<String>::new());
        assert_eq!(wrong(&text(210, 180)), ["210"]);
        assert_eq!(wrong(&text(200, 200)), ["200"]);
    }
}
