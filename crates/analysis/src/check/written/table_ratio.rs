//! Columns of tables that compare others: ratios, differences, shares more or less.

use super::table::{CellNumber, WrittenTable};

/// Words in the heading of such a column.
const HEADINGS: &[&str] = &[
    "ratio",
    "speedup",
    "speed-up",
    "factor",
    "relative",
    "change",
    "diff",
    "delta",
    "δ",
    "gain",
    "improvement",
    "increase",
    "decrease",
    "reduction",
    "overhead",
    "slowdown",
    " vs",
    "vs ",
    "compared",
    "비율",
    "변화",
    "차이",
    "향상",
    "증가",
    "감소",
    "比率",
    "変化",
    "差",
    "向上",
    "増減",
];

/// So many rows of several have to agree on how a column was computed before another one is wrong.
const AGREEING: f64 = 0.66;

/// A cell that is not what the others of its row make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrongRatio {
    pub(super) line: u64,
    pub(super) printed: String,
    /// The two figures, as written.
    pub(super) one: String,
    pub(super) other: String,
    /// The second divided by the first.
    pub(super) ratio: f64,
}

/// How many cells can be held against others, and those that are wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RatiosOfTable {
    pub(super) held: usize,
    pub(super) wrong: Vec<WrongRatio>,
}

/// How a column may be computed of two others.
const FORMULAS: &[fn(f64, f64) -> f64] = &[
    |a, b| b / a,
    |a, b| a / b,
    |a, b| b / a - 1.0,
    |a, b| a / b - 1.0,
    |a, b| 1.0 - b / a,
    |a, b| 1.0 - a / b,
    |a, b| b - a,
    |a, b| (b - a) / ((a + b) / 2.0),
];

/// The place of the difference among them: it has the unit of the others.
const DIFFERENCE: usize = 6;

/// Columns that compare two others of their row.
pub(super) fn of_columns(table: &WrittenTable) -> RatiosOfTable {
    let mut all = RatiosOfTable::default();
    for column in 1..table.width() {
        let is_named = is_comparison(&table.heading(column));
        let cells = || table.rows.iter().filter_map(move |row| row.cells.get(column)?.number.as_ref());
        // A column of shares may be of anything; differences have signs, and factors their mark.
        let is_marked = |number: &CellNumber| number.is_factor() || number.is_share() && number.is_signed;
        let are_marked = cells().count() > 1 && cells().all(is_marked);
        if is_named || are_marked {
            of_column(table, column, is_named, &mut all);
        }
    }
    all
}

fn is_comparison(heading: &str) -> bool {
    HEADINGS.iter().any(|word| heading.contains(word))
}

/// A way in which a column may be computed: of which two others, and how.
#[derive(Clone, Copy)]
struct Way {
    one: usize,
    other: usize,
    formula: usize,
}

fn of_column(table: &WrittenTable, column: usize, is_named: bool, all: &mut RatiosOfTable) {
    let others: Vec<usize> = (1..table.width())
        .filter(|other| *other != column && !is_comparison(&table.heading(*other)))
        .filter(|other| {
            table.rows.iter().filter(|row| has_number(row, *other)).count() * 2 > table.rows.len()
        })
        .collect();
    let rows: Vec<usize> = (0..table.rows.len()).filter(|at| has_number(&table.rows[*at], column)).collect();
    let mut ways = Vec::new();
    for (at, one) in others.iter().enumerate() {
        for other in others.iter().skip(at + 1) {
            ways.extend((0..FORMULAS.len()).map(|formula| Way { one: *one, other: *other, formula }));
        }
    }
    let fits = |way: &Way, row: &usize| fit(table, *row, column, *way);
    let known = |way: &Way| rows.iter().filter(|row| fits(way, row).is_some()).count();
    let good = |way: &Way| rows.iter().filter(|row| fits(way, row) == Some(true)).count();
    let Some(best) = ways.iter().max_by_key(|way| good(way)) else { return };
    let (known, good) = (known(best), good(best));
    let is_agreed = good >= 2 && good as f64 >= AGREEING * known as f64;
    // Of one row, two figures and a heading leave no doubt what it compares.
    let is_only =
        is_named && others.len() == 2 && (known == 1 || good == 0 && known == rows.len() && rows.len() <= 3);
    if is_agreed || is_only && good < known {
        all.held += known;
        let wrong = rows.iter().filter(|row| fits(best, row) == Some(false));
        all.wrong.extend(wrong.filter_map(|row| wrong_ratio(table, *row, column, *best)));
    } else if good > 0 {
        all.held += good;
    }
}

fn has_number(row: &super::table::Row, column: usize) -> bool {
    row.cells.get(column).is_some_and(|cell| cell.number.is_some())
}

fn number(table: &WrittenTable, row: usize, column: usize) -> Option<&CellNumber> {
    table.rows.get(row)?.cells.get(column)?.number.as_ref()
}

/// Whether a cell is what this way makes of the others; `None` where they are not there, or have other units.
fn fit(table: &WrittenTable, row: usize, column: usize, way: Way) -> Option<bool> {
    let (one, other) = (number(table, row, way.one)?, number(table, row, way.other)?);
    let printed = number(table, row, column)?;
    let are_shares = one.is_share() || one.is_factor();
    if one.unit != other.unit || are_shares || one.value <= 0.0 || other.value <= 0.0 {
        return None;
    }
    let is_difference = way.formula == DIFFERENCE;
    if is_difference == (printed.is_factor() || printed.is_share()) && is_difference {
        return Some(false);
    }
    Some(is_value_of(printed, one, other, way.formula, &table.heading(column)))
}

/// Whether a number is what a formula makes of two, each of which may have been rounded. Whether more is better, the sign says as
/// often as not.
fn is_value_of(
    printed: &CellNumber,
    one: &CellNumber,
    other: &CellNumber,
    formula: usize,
    heading: &str,
) -> bool {
    let make = FORMULAS[formula];
    let half = |number: &CellNumber| number.step / 2.0;
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 0.0)];
    let values: Vec<f64> = corners
        .iter()
        .map(|(a, b)| make(one.value + a * half(one), other.value + b * half(other)))
        .filter(|value| value.is_finite())
        .collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let in_percent =
        formula != DIFFERENCE && (printed.is_share() || heading.contains('%') && !printed.is_factor());
    let scale = if in_percent { 0.01 } else { 1.0 };
    let own = printed.value * scale;
    let room = printed.step * scale;
    let is_within = |own: f64| own + room >= least && own - room <= most;
    is_within(own) || is_within(-own)
}

fn wrong_ratio(table: &WrittenTable, row: usize, column: usize, way: Way) -> Option<WrongRatio> {
    let text = |column: usize| Some(table.rows.get(row)?.cells.get(column)?.text.clone());
    let (one, other) = (number(table, row, way.one)?, number(table, row, way.other)?);
    Some(WrongRatio {
        line: table.rows.get(row)?.line,
        printed: text(column)?,
        one: text(way.one)?,
        other: text(way.other)?,
        ratio: other.value / one.value,
    })
}

/// Columns that compare each row with one of them: `1.00`, `1.52`, `2.10` beside `100`, `152`, `210`.
pub(super) fn of_base_rows(table: &WrittenTable) -> RatiosOfTable {
    let mut all = RatiosOfTable::default();
    for column in 1..table.width() {
        let is_named = is_comparison(&table.heading(column));
        let rows: Vec<usize> =
            (0..table.rows.len()).filter(|at| has_number(&table.rows[*at], column)).collect();
        let is_base = |at: &usize| {
            number(table, *at, column).is_some_and(|number| match () {
                () if number.is_share() => number.value == 100.0 || number.value == 0.0,
                () => number.value == 1.0,
            })
        };
        let bases: Vec<usize> = rows.iter().copied().filter(is_base).collect();
        if let ([base], true, true) = (bases.as_slice(), is_named, rows.len() >= 3) {
            of_base_row(table, column, *base, &rows, &mut all);
        }
    }
    all
}

fn of_base_row(table: &WrittenTable, column: usize, base: usize, rows: &[usize], all: &mut RatiosOfTable) {
    let others =
        (1..table.width()).filter(|other| *other != column && !is_comparison(&table.heading(*other)));
    let mut best: Option<(usize, usize, usize)> = None;
    let judge = |other: usize, formula: usize, row: usize| {
        let (one, own) = (number(table, base, other)?, number(table, row, other)?);
        let printed = number(table, row, column)?;
        let is_alike = one.unit == own.unit && one.value > 0.0 && own.value > 0.0;
        is_alike.then(|| is_value_of(printed, one, own, formula, &table.heading(column)))
    };
    for other in others {
        for formula in 0..DIFFERENCE {
            let good =
                rows.iter().filter(|row| **row != base && judge(other, formula, **row) == Some(true)).count();
            if best.is_none_or(|(most, ..)| good > most) {
                best = Some((good, other, formula));
            }
        }
    }
    let Some((good, other, formula)) = best else { return };
    let known: Vec<usize> =
        rows.iter().copied().filter(|row| *row != base && judge(other, formula, *row).is_some()).collect();
    if good >= 2 && good as f64 >= AGREEING * known.len() as f64 {
        all.held += known.len();
        let wrong = known.iter().filter(|row| judge(other, formula, **row) == Some(false));
        all.wrong.extend(wrong.filter_map(|row| {
            let text = |row: usize, column: usize| Some(table.rows.get(row)?.cells.get(column)?.text.clone());
            Some(WrongRatio {
                line: table.rows.get(*row)?.line,
                printed: text(*row, column)?,
                one: text(base, other)?,
                other: text(*row, other)?,
                ratio: number(table, *row, other)?.value / number(table, base, other)?.value,
            })
        }));
    }
}

/// Cells with a share in parentheses that no other of its row or column makes: `150 MB/s (+50%)`.
pub(super) fn in_cells(table: &WrittenTable) -> RatiosOfTable {
    let mut all = RatiosOfTable::default();
    for (at, row) in table.rows.iter().enumerate() {
        for (column, cell) in row.cells.iter().enumerate().skip(1) {
            let Some(own) = cell.number.as_ref().filter(|number| number.share.is_some()) else { continue };
            let of_row = row.cells.iter().enumerate().skip(1).filter(|(other, _)| *other != column);
            let of_row = of_row.filter_map(|(_, cell)| cell.number.as_ref().map(|number| (cell, number)));
            let of_column = table.rows.iter().enumerate().filter(|(other, _)| *other != at);
            let of_column = of_column.filter_map(|(_, row)| {
                let cell = row.cells.get(column)?;
                Some((cell, cell.number.as_ref()?))
            });
            let bases: Vec<_> = of_row
                .chain(of_column)
                .filter(|(_, base)| base.unit == own.unit && base.value > 0.0)
                .collect();
            let Some(share) = own.share.filter(|_| !bases.is_empty() && own.value > 0.0) else { continue };
            let fits = |base: &CellNumber| {
                let least = (own.value - own.step / 2.0) / (base.value + base.step / 2.0);
                let most =
                    (own.value + own.step / 2.0) / (base.value - base.step / 2.0).max(f64::MIN_POSITIVE);
                let readings = [
                    (least - 1.0, most - 1.0),
                    (1.0 - most, 1.0 - least),
                    (1.0 / most - 1.0, 1.0 / least - 1.0),
                    (1.0 - 1.0 / least, 1.0 - 1.0 / most),
                ];
                readings
                    .iter()
                    .any(|(low, high)| share + own.share_step >= *low && share - own.share_step <= *high)
            };
            all.held += 1;
            if !bases.iter().any(|(_, base)| fits(base))
                && let Some((base, number)) = bases.iter().find(|(_, base)| base.share.is_none())
            {
                all.wrong.push(WrongRatio {
                    line: row.line,
                    printed: cell.text.clone(),
                    one: base.text.clone(),
                    other: cell.text.clone(),
                    ratio: own.value / number.value,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (usize, usize) {
        let output = import::tool::read("", text.as_bytes()).unwrap();
        let table = WrittenTable::all(&output).remove(0);
        let all = [of_columns(&table), of_base_rows(&table), in_cells(&table), of_columns(&table.turned())];
        (all.iter().map(|one| one.held).sum(), all.iter().map(|one| one.wrong.len()).sum())
    }

    fn changes(heading: &str, cells: [&str; 3]) -> String {
        let [a, b, c] = cells;
        format!(
            "| test | before | after | {heading} |\n|---|---|---|---|\n| read | 100 | 150 | {a} |\n| write | 80 | 100 | {b} |\n| mixed | 60 | 90 | {c} |\n"
        )
    }

    #[test]
    fn a_column_of_changes_is_made_in_one_way() {
        for (heading, cells) in [
            ("change", ["+50%", "+25%", "+50%"]),
            ("speedup", ["1.5x", "1.25x", "1.5x"]),
            ("ratio", ["0.67", "0.8", "0.67"]),
            ("diff", ["50", "20", "30"]),
            ("slower %", ["33", "20", "33"]),
            ("change", ["+50%", "+25%", "-50%"]),
        ] {
            assert_eq!(of(&changes(heading, cells)).1, 0, "{heading} {cells:?}");
        }
        for (heading, cells) in [
            ("change", ["+50%", "+45%", "+50%"]),
            ("speedup", ["1.5x", "1.25x", "2.5x"]),
            ("diff", ["50", "20", "40"]),
        ] {
            assert_eq!(of(&changes(heading, cells)).1, 1, "{heading} {cells:?}");
        }
    }

    #[test]
    fn shares_without_a_heading_are_no_comparison() {
        let text = "Time        load %cpu %sys %usr %nice %io %irq   Temp\n15:41:59:     1.06  19%   2%  12%   0%   3%   0%  66.6°C\n\
                    15:48:32:     1.01  22%   1%  18%   0%   1%   0%  70.8°C\n15:53:42:     3.36  80%   2%  75%   0%   2%   0%  75.8°C\n";
        let output = import::tool::read("", text.as_bytes()).unwrap();
        assert!(WrittenTable::all(&output).iter().all(|table| of_columns(table).wrong.is_empty()));
    }

    #[test]
    fn of_one_row_two_figures_and_a_heading_tell() {
        let text = |change: &str| {
            format!(
                "| test | before | after | change |\n|---|---|---|---|\n| read | 100 | 150 | {change} |\n| note | n/a | n/a | n/a |\n| write | x | y | - |\n"
            )
        };
        let parse = |change: &str| {
            let output = import::tool::read("", text(change).as_bytes()).unwrap();
            WrittenTable::all(&output).first().map(|table| of_columns(table).wrong.len())
        };
        assert_eq!((parse("+50%"), parse("+80%")), (None, None), "a table has numbers in two rows");
        let two = |a: &str, b: &str| {
            format!(
                "| test | before | after | change |\n|---|---|---|---|\n| read | 100 | 150 | {a} |\n| write | 80 | 100 | {b} |\n"
            )
        };
        assert_eq!((of(&two("+50%", "+25%")).1, of(&two("+80%", "+90%")).1), (0, 2));
        assert_eq!(of(&two("+50%", "+95%")).1, 0, "one of two does not tell how it was made");
    }

    #[test]
    fn rows_are_compared_with_the_one_that_is_one() {
        let text = |c: &str| {
            format!(
                "| disk | MB/s | relative |\n|---|---|---|\n| A | 100 | 1.00 |\n| B | 152 | 1.52 |\n| C | 210 | 2.10 |\n| D | 90 | {c} |\n"
            )
        };
        assert_eq!((of(&text("0.90")).1, of(&text("0.60")).1), (0, 1));
    }

    #[test]
    fn a_share_in_a_cell_is_of_another_cell() {
        let text = |share: &str| {
            format!(
                "| test | A | B |\n|---|---|---|\n| read | 100 MB/s | 150 MB/s ({share}) |\n| write | 80 MB/s | 100 MB/s (+25%) |\n"
            )
        };
        assert_eq!((of(&text("+50%")).1, of(&text("-33%")).1, of(&text("+70%")).1), (0, 0, 1));
    }

    #[test]
    fn rows_that_compare_others_are_columns_turned_around() {
        let text = |change: &str| {
            format!(
                "| | read | write | mixed |\n|---|---|---|---|\n| before | 100 | 80 | 60 |\n| after | 150 | 100 | 90 |\n| change | +50% | {change} | +50% |\n"
            )
        };
        assert_eq!((of(&text("+25%")).1, of(&text("+45%")).1), (0, 1));
    }
}
