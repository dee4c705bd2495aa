//! The loads of mysqlslap as data: each transaction is one statement (MariaDB 10.11, `client/mysqlslap.c`).

use engine::queue::Class;
use model::parameter::Word;

use crate::workload::db::dataset::slap::SlapTable;
use crate::workload::db::generator::{IntegerRange, RowDistribution, SqlValue, ValueGenerator, ValueRandom};
use crate::workload::db::metrics::{self, FIRST_STATEMENT, OF_TRANSACTIONS};
use crate::workload::db::transaction::{
    Execution, SqlStatement, Transaction, TransactionMix, TransactionStep,
};
use crate::workload::disk::distribution::random;

/// The words for [`SlapMix`].
pub(super) const WORDS: &[Word] = &[
    Word { word: "mixed", doc: "as many insertions as selections of the whole table (mysqlslap's default)" },
    Word { word: "read", doc: "the whole table selected" },
    Word { word: "key", doc: "a row selected by its key" },
    Word { word: "update", doc: "a row changed, by its key" },
    Word { word: "write", doc: "a row put in" },
];

/// One of mysqlslap's loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlapMix {
    Mixed,
    Read,
    Key,
    Update,
    Write,
}

/// The different insertions of a load that repeats them (`--auto-generate-sql-unique-write-number`).
pub(super) const REPEATED: u64 = 10;

/// The classes of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlapStatement {
    Select,
    KeySelect,
    Update,
    Insert,
}

const CLASSES: &[Class] = &[
    OF_TRANSACTIONS[0],
    OF_TRANSACTIONS[1],
    metrics::statement("table_select"),
    metrics::statement("point_select"),
    metrics::statement("non_index_update"),
    metrics::statement("insert"),
];

impl SlapStatement {
    fn class(self) -> u8 {
        FIRST_STATEMENT + self as u8
    }
}

impl SlapMix {
    /// The one with this word.
    pub(super) fn called(word: &str) -> Self {
        match word {
            "read" => Self::Read,
            "key" => Self::Key,
            "update" => Self::Update,
            "write" => Self::Write,
            _ => Self::Mixed,
        }
    }

    /// The classes of operations up to its last.
    pub(super) fn classes(self) -> &'static [Class] {
        let last = match self {
            Self::Read => SlapStatement::Select,
            Self::Key => SlapStatement::KeySelect,
            Self::Update => SlapStatement::Update,
            Self::Write | Self::Mixed => SlapStatement::Insert,
        };
        &CLASSES[..=usize::from(last.class())]
    }

    /// Its transactions. Where it `repeats`, it has ten insertions whose values are in their texts.
    pub(super) fn transactions(self, table: &SlapTable, repeats: bool) -> TransactionMix {
        let mut mix = TransactionMix::default();
        match self {
            Self::Read => select(&mut mix, table, 1),
            Self::Key => with_key(&mut mix, table, false),
            Self::Update => with_key(&mut mix, table, true),
            Self::Write => insert(&mut mix, table, repeats),
            Self::Mixed => {
                select(&mut mix, table, if repeats { REPEATED } else { 1 });
                insert(&mut mix, table, repeats);
            }
        }
        mix
    }
}

/// The columns beside the key, joined.
fn names(table: &SlapTable) -> String {
    table.columns.all().map(|(name, _)| name).collect::<Vec<_>>().join(",")
}

/// Adds a transaction of one statement, behind the steps that set its values.
fn add(
    mix: &mut TransactionMix,
    (statement, kind): (SqlStatement, SlapStatement),
    generators: Vec<ValueGenerator>,
    weight: u64,
) {
    let parameters: Vec<usize> = (0..generators.len()).collect();
    mix.variables = mix.variables.max(parameters.len());
    let set = |(variable, generator)| TransactionStep::Set(variable, generator);
    let mut steps: Vec<_> = generators.into_iter().enumerate().map(set).collect();
    let (number, class) = (mix.statements.len(), kind.class());
    mix.statements.push(statement);
    let execution = Execution { statement: number, table: None, class, parameters };
    steps.push(TransactionStep::Execute(execution));
    mix.transactions.push(Transaction { weight, steps });
}

/// The whole table.
fn select(mix: &mut TransactionMix, table: &SlapTable, weight: u64) {
    let statement = SqlStatement::new(&format!("SELECT {} FROM t1", names(table)), false);
    add(mix, (statement, SlapStatement::Select), Vec::new(), weight);
}

/// A row by its key: read, or changed.
fn with_key(mix: &mut TransactionMix, table: &SlapTable, changes: bool) {
    let key = IntegerRange::new(1, table.rows, RowDistribution::Uniform, 0);
    let key = ValueGenerator::Integer(key);
    if !changes {
        let text = format!("SELECT {} FROM t1 WHERE id = ?", names(table));
        add(mix, (SqlStatement::new(&text, false), SlapStatement::KeySelect), vec![key], 1);
        return;
    }
    let set = table.columns.all().map(|(name, _)| format!("{name} = ?")).collect::<Vec<_>>().join(",");
    let text = format!("UPDATE t1 SET {set} WHERE id = ?");
    let generators = table.columns.all().map(|(_, generator)| generator).chain([key]);
    add(mix, (SqlStatement::new(&text, true), SlapStatement::Update), generators.collect(), 1);
}

/// A row with values of its own, or one of ten that are the same each time.
fn insert(mix: &mut TransactionMix, table: &SlapTable, repeats: bool) {
    let marks = vec!["?"; table.columns.all().count()].join(",");
    let statement = SqlStatement::new(&format!("INSERT INTO t1 ({}) VALUES ({marks})", names(table)), true);
    let generators: Vec<_> = table.columns.all().map(|(_, generator)| generator).collect();
    if !repeats {
        add(mix, (statement, SlapStatement::Insert), generators, 1);
        return;
    }
    let columns: Vec<usize> = (0..generators.len()).collect();
    let mut values = vec![SqlValue::Integer(0); generators.len()];
    for number in 0..REPEATED {
        let mut drawn = ValueRandom::new(random(REPEATED, number));
        for (place, generator) in generators.iter().enumerate() {
            generator.set(place, &mut values, &mut drawn);
        }
        let mut text = String::new();
        statement.with_values(&values, &columns, &mut text);
        add(mix, (SqlStatement::new(&text, true), SlapStatement::Insert), Vec::new(), 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::dataset::slap::SlapColumns;

    fn texts(mix: SlapMix, repeats: bool) -> Vec<String> {
        let table = SlapTable { rows: 100, columns: SlapColumns { integers: 2, texts: 1 } };
        let made = mix.transactions(&table, repeats);
        for transaction in &made.transactions {
            let TransactionStep::Execute(execution) = transaction.steps.last().unwrap() else {
                panic!("{transaction:?}");
            };
            let statement = &made.statements[execution.statement];
            assert_eq!(statement.parameters(), execution.parameters.len());
            assert!(execution.parameters.iter().all(|variable| *variable < made.variables));
            assert!(usize::from(execution.class) < mix.classes().len());
        }
        made.statements.iter().map(SqlStatement::text).collect()
    }

    #[test]
    fn statements_are_those_of_mysqlslap() {
        let select = "SELECT intcol1,intcol2,charcol1 FROM t1";
        let insert = "INSERT INTO t1 (intcol1,intcol2,charcol1) VALUES (?,?,?)";
        assert_eq!(texts(SlapMix::Read, false), [select]);
        assert_eq!(texts(SlapMix::Key, false), [format!("{select} WHERE id = ?")]);
        assert_eq!(
            texts(SlapMix::Update, false),
            ["UPDATE t1 SET intcol1 = ?,intcol2 = ?,charcol1 = ? WHERE id = ?"]
        );
        assert_eq!(texts(SlapMix::Mixed, false), [select, insert]);
        assert_eq!(texts(SlapMix::Write, false), [insert]);
    }

    #[test]
    fn ten_insertions_may_be_repeated() {
        let all = texts(SlapMix::Write, true);
        let different: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!((all.len(), different.len()), (10, 10));
        assert!(all.iter().all(|text| text.len() > 126 && !text.contains('?')), "{all:?}");
        assert_eq!(all, texts(SlapMix::Write, true));
        let table = SlapTable { rows: 100, columns: SlapColumns { integers: 1, texts: 1 } };
        let mixed = SlapMix::Mixed.transactions(&table, true);
        let weights: Vec<u64> = mixed.transactions.iter().map(|one| one.weight).collect();
        assert_eq!(weights[0], weights[1..].iter().sum::<u64>(), "as many of each");
    }

    #[test]
    fn words_are_those_of_the_mixes() {
        let all = [SlapMix::Mixed, SlapMix::Read, SlapMix::Key, SlapMix::Update, SlapMix::Write];
        assert_eq!(WORDS.iter().map(|word| SlapMix::called(word.word)).collect::<Vec<_>>(), all);
    }
}
