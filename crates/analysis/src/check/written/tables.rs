//! Tables whose averages, totals, ratios or shares are not what their own figures make, and sentences that say of two of their rows or
//! columns what these do not show.

use model::finding::Evidence;
use model::{Finding, FindingKind, Severity, ToolOutput, Unit};

use super::table::WrittenTable;
use super::table_ratio::{self, WrongRatio};
use super::table_sums::{self, WrongSum};
use crate::check::claim::{Pair, Sentence};
use crate::check::statistics::claiming_sentences;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// So many cells of one table are told: where there are more, it was made in another way.
const TOLD: usize = 3;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "table-contradicts-itself",
    doc: "A table that somebody wrote has an average, a total, a ratio, a difference or a share that its own figures do not make, or a \
          sentence says of two of its rows or columns what they do not show.",
    english: r#"
finding-table-contradicts-itself =
    { $how ->
        [mean] the table has { $printed } as the mean of { $count } figures ({ $name }), which is { $other }
        [median] the table has { $printed } as the median of { $count } figures ({ $name }), which is { $other }
        [total] the table has { $printed } as the total of { $count } figures ({ $name }), which is { $other }
        [least] the table has { $printed } as the least of { $count } figures ({ $name }), which is { $other }
        [greatest] the table has { $printed } as the greatest of { $count } figures ({ $name }), which is { $other }
        [claim] the text says “{ $printed }” of { $name } and { $other }, but nothing that the table has of both makes that: nearest are
            { $example } and { $amount }, the greater { FIXED($ratio, decimals: 2) } times the other
       *[ratio] the table has { $printed } beside { $example } and { $amount }, of which the second is { FIXED($ratio, decimals: 3) } times
            the first
    }
    .advice = compute the table again from its figures

evidence-table-line =
    line { $line }: { $printed }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    context.outputs.iter().flat_map(of_text).collect()
}

/// What can be held against what in a table.
struct HeldTable {
    held: usize,
    sums: Vec<WrongSum>,
    ratios: Vec<WrongRatio>,
}

impl HeldTable {
    fn of(table: &WrittenTable) -> Self {
        let sums = [table_sums::of_rows(table), table_sums::of_columns(table)];
        let turned = table.turned();
        let ratios = [
            table_ratio::of_columns(table),
            table_ratio::of_base_rows(table),
            table_ratio::in_cells(table),
            with_lines(table_ratio::of_columns(&turned), table),
        ];
        let held =
            sums.iter().map(|one| one.held).sum::<usize>() + ratios.iter().map(|one| one.held).sum::<usize>();
        let sums = sums.into_iter().flat_map(|one| one.wrong).collect();
        let mut ratios: Vec<WrongRatio> = ratios.into_iter().flat_map(|one| one.wrong).collect();
        ratios.dedup();
        Self { held, sums, ratios }
    }
}

/// Rows of a table that was turned around have no line: the last of the table stands for it.
fn with_lines(mut ratios: table_ratio::RatiosOfTable, table: &WrittenTable) -> table_ratio::RatiosOfTable {
    let line_of = |text: &str| {
        let has = |row: &&super::table::Row| row.cells.iter().any(|cell| cell.text == text);
        table.rows.iter().rev().find(has).map_or(0, |row| row.line)
    };
    ratios.wrong.iter_mut().for_each(|wrong| wrong.line = line_of(&wrong.printed));
    ratios
}

/// Whether a text has a table of which anything can be held against anything.
pub(super) fn any(output: &ToolOutput) -> bool {
    WrittenTable::all(output).iter().any(|table| HeldTable::of(table).held > 0)
}

fn of_text(output: &ToolOutput) -> Vec<Finding> {
    let tables = WrittenTable::all(output);
    let mut all = Vec::new();
    for table in &tables {
        let HeldTable { sums, ratios, .. } = HeldTable::of(table);
        all.extend(sums.iter().take(TOLD).map(of_sum));
        all.extend(ratios.iter().take(TOLD).map(of_ratio));
    }
    if !tables.is_empty() {
        let sentences = claiming_sentences(output);
        all.extend(sentences.iter().flat_map(|sentence| of_sentence(sentence, &tables)));
    }
    all
}

fn finding(how: &str, line: u64, printed: &str) -> Finding {
    let evidence = Evidence::maybe_at("table-line", None).arg("line", line).arg("printed", printed);
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("how", how)
        .arg("printed", printed)
        .because(evidence)
}

fn of_sum(wrong: &WrongSum) -> Finding {
    let WrongSum { kind, line, of, printed, count, computed, decimals } = wrong;
    let decimals = decimals + 1;
    finding(kind.code(), *line, printed)
        .arg("count", u64::try_from(*count).unwrap_or_default())
        .arg("name", if of.is_empty() { "-" } else { of.as_str() })
        .arg("other", format!("{computed:.decimals$}"))
}

fn of_ratio(wrong: &WrongRatio) -> Finding {
    let WrongRatio { line, printed, one, other, ratio } = wrong;
    finding("ratio", *line, printed)
        .arg("example", one.as_str())
        .arg("amount", other.as_str())
        .arg("ratio", *ratio)
}

/// A claim of two rows, or two columns, that a sentence names, none of whose figures make it.
fn of_sentence(sentence: &Sentence, tables: &[WrittenTable]) -> Option<Finding> {
    let [claim] = sentence.claims.as_slice() else { return None };
    let lower = sentence.text.to_lowercase();
    // An average over rows, or a figure of its own, is nothing that a pair shows.
    let is_of_several = ["average", "mean", "all ", "every", "overall", "평균", "平均"]
        .iter()
        .any(|word| lower.contains(word));
    if is_of_several || !sentence.numbers.is_empty() {
        return None;
    }
    let named: Vec<NamedRows> = tables
        .iter()
        .flat_map(|table| [table.clone(), table.turned()])
        .filter_map(|table| named_rows(&table, &lower))
        .collect();
    // Which of several tables is meant nobody knows.
    let [NamedRows { one, other, pairs }] = named.as_slice() else { return None };
    let distance = |pair: &Pair| pair.distance(claim);
    let (greater, smaller, nearest) =
        pairs.iter().min_by(|a, b| distance(&a.2).total_cmp(&distance(&b.2)))?;
    if distance(nearest) == 0.0 {
        return None;
    }
    let line = Evidence::maybe_at("table-line", None)
        .arg("line", sentence.line)
        .arg("printed", sentence.text.as_str());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("how", "claim")
        .arg("printed", claim.text.as_str())
        .arg("name", one.as_str())
        .arg("other", other.as_str())
        .arg("example", greater.as_str())
        .arg("amount", smaller.as_str())
        .arg("ratio", nearest.greater / nearest.smaller)
        .because(line);
    Some(finding)
}

/// Two rows that a sentence names.
struct NamedRows {
    one: String,
    other: String,
    /// Their figures, the greater one of each column first, as written.
    pairs: Vec<(String, String, Pair)>,
}

/// The two rows whose names stand in a sentence, with the pairs of their figures: those of the columns that it names, too, or of all.
fn named_rows(table: &WrittenTable, lower: &str) -> Option<NamedRows> {
    let is_named = |text: &str| {
        let text = text.trim().to_lowercase();
        let is_word = |at: usize| {
            let before = lower.get(..at).is_some_and(|before| !before.ends_with(char::is_alphanumeric));
            let after =
                lower.get(at + text.len()..).is_some_and(|after| !after.starts_with(char::is_alphanumeric));
            before && after
        };
        text.chars().count() >= 2
            && text.parse::<f64>().is_err()
            && lower.match_indices(&text).any(|(at, _)| is_word(at))
    };
    let rows: Vec<_> =
        table.rows.iter().filter(|row| row.cells.first().is_some_and(|cell| is_named(&cell.text))).collect();
    let [one, other] = rows.as_slice() else { return None };
    let columns: Vec<usize> = (1..table.width()).filter(|column| is_named(&table.heading(*column))).collect();
    let columns = if columns.is_empty() { (1..table.width()).collect() } else { columns };
    let pair = |column: usize| {
        let (a, b) = (one.cells.get(column)?, other.cells.get(column)?);
        let (x, y) = (a.number.as_ref()?, b.number.as_ref()?);
        if x.unit != y.unit || x.is_share() || x.is_factor() {
            return None;
        }
        // Whether it is a time, its unit or its heading says; of a time a share may be of either.
        let heading = table.heading(column);
        let is_time = ["ms", "us", "µs", "s", "sec", "ns"].contains(&x.unit.as_str())
            || ["ms", "latency", "time", "sec", "(s)", "지연", "시간", "時間", "遅延"]
                .iter()
                .any(|word| heading.contains(word));
        let unit = if is_time { Unit::Seconds } else { Unit::One };
        let blur = |number: &super::table::CellNumber| number.step / 2.0 / number.value;
        let pair = Pair::of((x.value, blur(x)), (y.value, blur(y)), unit)?;
        let (greater, smaller) = if x.value >= y.value { (a, b) } else { (b, a) };
        Some((greater.text.clone(), smaller.text.clone(), pair))
    };
    let pairs: Vec<_> = columns.into_iter().filter_map(pair).collect();
    let name = |row: &super::table::Row| row.cells.first().map(|cell| cell.text.clone()).unwrap_or_default();
    (!pairs.is_empty()).then(|| NamedRows { one: name(one), other: name(other), pairs })
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn told(text: &str) -> Vec<Value> {
        fixture::found_in_prose(&CHECK, text).iter().map(|finding| finding.args["how"].clone()).collect()
    }

    const TABLE: &str = "| file system | read MB/s | write MB/s |\n|---|---|---|\n| ext4 | 500 | 400 |\n| XFS | 550 | 480 |\n| Btrfs | 450 | 300 |\n";

    #[test]
    fn a_claim_of_two_rows_is_one_that_they_show() {
        for right in [
            "XFS is 20% faster than ext4.",
            "XFS writes are 20% faster than those of ext4.",
            "Btrfs is 25% slower than ext4 in write.",
            "On average XFS is 35% faster than ext4.",
            "XFS should be 60% faster than ext4.",
            "XFS is 60% faster.",
            "XFS and ext4 need 60% more containers",
        ] {
            assert_eq!(told(&format!("{TABLE}\n{right}\n")), [], "{right}");
        }
        assert_eq!(told(&format!("{TABLE}\nXFS is 60% faster than ext4.\n")), [Value::from("claim")]);
        assert_eq!(told(&format!("{TABLE}\nXFS is twice as fast as Btrfs.\n")), [Value::from("claim")]);
    }

    #[test]
    fn a_total_and_a_change_are_told() {
        let text = "| run | MB/s |\n|---|---|\n| 1 | 500 |\n| 2 | 520 |\n| Average | 560 |\n\n\
                    | test | before | after | change |\n|---|---|---|---|\n| read | 100 | 150 | +50% |\n| write | 80 | 100 | +45% |\n| mixed | 60 | 90 | +50% |\n";
        assert_eq!(told(text), [Value::from("mean"), Value::from("ratio")]);
    }
}
