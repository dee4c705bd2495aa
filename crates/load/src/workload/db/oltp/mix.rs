//! The loads of sysbench's OLTP as data: which statements a transaction has, how often, and with which values
//! (sysbench 1.0, `src/lua/oltp_*.lua`).

use engine::queue::Class;
use model::parameter::Word;
use model::plan::Effect;

use crate::workload::db::dataset::sbtest::{C_TEMPLATE, PAD_TEMPLATE, Sbtest};
use crate::workload::db::generator::{IntegerRange, RowDistribution, ValueGenerator};
use crate::workload::db::metrics::{self, FIRST_STATEMENT, OF_TRANSACTIONS};
use crate::workload::db::transaction::{
    Execution, SqlStatement, Transaction, TransactionMix, TransactionStep,
};
use crate::workload::db::url::DatabaseSystem;

/// A kind of statement, in the order of the classes of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum OltpStatement {
    Begin,
    Commit,
    PointSelect,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    Delete,
    Insert,
}

impl OltpStatement {
    fn class(self) -> u8 {
        FIRST_STATEMENT + self as u8
    }

    /// Its text for a table.
    fn text(self, system: DatabaseSystem, writes: bool, table: u64) -> String {
        let table = format!("sbtest{table}");
        match self {
            // A transaction of SQLite that reads before it writes cannot wait for another that writes: it would be
            // refused, and begun again. So one that writes takes the lock when it begins, as SQLite advises.
            Self::Begin if system == DatabaseSystem::Sqlite && writes => "BEGIN IMMEDIATE".to_owned(),
            Self::Begin => "BEGIN".to_owned(),
            Self::Commit => "COMMIT".to_owned(),
            Self::PointSelect => format!("SELECT c FROM {table} WHERE id=?"),
            Self::SimpleRange => format!("SELECT c FROM {table} WHERE id BETWEEN ? AND ?"),
            Self::SumRange => format!("SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?"),
            Self::OrderRange => format!("SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c"),
            Self::DistinctRange => {
                format!("SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::IndexUpdate => format!("UPDATE {table} SET k=k+1 WHERE id=?"),
            Self::NonIndexUpdate => format!("UPDATE {table} SET c=? WHERE id=?"),
            Self::Delete => format!("DELETE FROM {table} WHERE id=?"),
            Self::Insert => format!("INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)"),
        }
    }

    fn writes(self) -> bool {
        matches!(self, Self::IndexUpdate | Self::NonIndexUpdate | Self::Delete | Self::Insert)
    }
}

/// The classes of operations: transactions, then statements in their order.
const CLASSES: &[Class] = &[
    OF_TRANSACTIONS[0],
    OF_TRANSACTIONS[1],
    metrics::statement("begin"),
    metrics::statement("commit"),
    metrics::statement("point_select"),
    metrics::statement("simple_range"),
    metrics::statement("sum_range"),
    metrics::statement("order_range"),
    metrics::statement("distinct_range"),
    metrics::statement("index_update"),
    metrics::statement("non_index_update"),
    metrics::statement("delete"),
    metrics::statement("insert"),
];

/// What a transaction does several times, with one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// One row by its key.
    Point,
    /// A statement over a range of rows.
    Range(OltpStatement),
    IndexUpdate,
    NonIndexUpdate,
    /// Removes a row, and puts one with its key in.
    DeleteInsert,
    Delete,
    /// Puts a row in under the next key.
    Append,
}

/// One of sysbench's loads.
#[derive(Debug)]
pub(super) struct OltpMix {
    /// Its word, and what it does.
    word: Word,
    /// Whether its statements are one transaction; otherwise there is one statement, which is one by itself.
    begins: bool,
    /// What it does, in this order, and how often.
    parts: &'static [(Part, u32)],
    /// What it leaves of the tables.
    pub(super) effect: Effect,
}

const READS: [(Part, u32); 5] = [
    (Part::Point, 10),
    (Part::Range(OltpStatement::SimpleRange), 1),
    (Part::Range(OltpStatement::SumRange), 1),
    (Part::Range(OltpStatement::OrderRange), 1),
    (Part::Range(OltpStatement::DistinctRange), 1),
];
const WRITES: [(Part, u32); 3] = [(Part::IndexUpdate, 1), (Part::NonIndexUpdate, 1), (Part::DeleteInsert, 1)];
const BOTH: [(Part, u32); 8] =
    [READS[0], READS[1], READS[2], READS[3], READS[4], WRITES[0], WRITES[1], WRITES[2]];

const fn mix(
    word: &'static str,
    doc: &'static str,
    begins: bool,
    parts: &'static [(Part, u32)],
    effect: Effect,
) -> OltpMix {
    OltpMix { word: Word { word, doc }, begins, parts, effect }
}

/// All of them.
pub(super) const MIXES: [OltpMix; 8] = [
    mix(
        "read-write",
        "10 rows by their keys, 4 ranges, 2 updates, and a row removed and put in again (oltp_read_write)",
        true,
        &BOTH,
        Effect::Dirty,
    ),
    mix("read-only", "10 rows by their keys, and 4 ranges (oltp_read_only)", true, &READS, Effect::Clean),
    mix(
        "write-only",
        "2 updates, and a row removed and put in again (oltp_write_only)",
        true,
        &WRITES,
        Effect::Dirty,
    ),
    mix(
        "point-select",
        "a row by its key, without BEGIN (oltp_point_select)",
        false,
        &[(Part::Point, 1)],
        Effect::Clean,
    ),
    mix(
        "update-index",
        "a row changed, with its place in the second index (oltp_update_index)",
        false,
        &[(Part::IndexUpdate, 1)],
        Effect::Dirty,
    ),
    mix(
        "update-non-index",
        "a row changed, without any index (oltp_update_non_index)",
        false,
        &[(Part::NonIndexUpdate, 1)],
        Effect::Dirty,
    ),
    mix("insert", "a row added (oltp_insert)", false, &[(Part::Append, 1)], Effect::Dirty),
    mix(
        "delete",
        "a row removed, if it is still there (oltp_delete): the tables are made anew for each trial",
        false,
        &[(Part::Delete, 1)],
        Effect::UsedUp,
    ),
];

/// The words for them.
pub(super) const WORDS: &[Word] = &{
    let mut words = [MIXES[0].word; MIXES.len()];
    let mut place = 0;
    while place < words.len() {
        words[place] = MIXES[place].word;
        place += 1;
    }
    words
};

impl OltpMix {
    /// The one that is called so.
    pub(super) fn called(word: &str) -> Option<&'static Self> {
        const ALL: &[OltpMix] = &MIXES;
        ALL.iter().find(|mix| mix.word.word == word)
    }

    /// Whether it changes rows.
    pub(super) fn writes(&self) -> bool {
        self.effect != Effect::Clean
    }

    /// The classes of operations that it has: a record has room for each, so that those behind the last are left out.
    pub(super) fn classes(&self) -> &'static [Class] {
        let of = |part: &Part| match part {
            Part::Point => OltpStatement::PointSelect,
            Part::Range(statement) => *statement,
            Part::IndexUpdate => OltpStatement::IndexUpdate,
            Part::NonIndexUpdate => OltpStatement::NonIndexUpdate,
            Part::Delete => OltpStatement::Delete,
            Part::DeleteInsert | Part::Append => OltpStatement::Insert,
        };
        let last = self.parts.iter().map(|(part, _)| of(part)).max().unwrap_or(OltpStatement::Commit);
        &CLASSES[..=usize::from(last.class())]
    }

    /// Its statements and transaction, over tables of `shape`.
    pub(super) fn transactions(&self, shape: &OltpShape) -> TransactionMix {
        let mut builder = MixBuilder {
            shape: *shape,
            writes: self.writes(),
            known: Vec::new(),
            mix: TransactionMix::default(),
            steps: Vec::new(),
        };
        if self.begins {
            builder.execute(OltpStatement::Begin, None, &[]);
        }
        for (part, times) in self.parts {
            builder.part(*part, *times);
        }
        if self.begins {
            builder.execute(OltpStatement::Commit, None, &[]);
        }
        let only = Transaction { weight: 1, steps: builder.steps };
        TransactionMix { transactions: vec![only], ..builder.mix }
    }
}

/// What statements go over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OltpShape {
    pub(super) system: DatabaseSystem,
    pub(super) data: Sbtest,
    /// Rows of a range.
    pub(super) range_size: u64,
    pub(super) distribution: RowDistribution,
}

/// Which rows Zipf's law takes often: the same ones in every run.
const PLACES: u64 = 0x6f6c_7470;

struct MixBuilder {
    shape: OltpShape,
    writes: bool,
    /// The statements that there are already, and the number of the first of each.
    known: Vec<(OltpStatement, usize)>,
    mix: TransactionMix,
    steps: Vec<TransactionStep>,
}

impl MixBuilder {
    /// A variable that gets such a value here.
    fn set(&mut self, generator: ValueGenerator) -> usize {
        let variable = self.mix.variables;
        self.mix.variables += 1;
        self.steps.push(TransactionStep::Set(variable, generator));
        variable
    }

    /// The number of a row, or a value of `k`.
    fn row(&mut self) -> usize {
        let OltpShape { data, distribution, .. } = self.shape;
        self.set(ValueGenerator::Integer(IntegerRange::new(1, data.rows, distribution, PLACES)))
    }

    /// The number of a table, where there are several.
    fn table(&mut self) -> Option<usize> {
        let tables = self.shape.data.tables;
        let any = IntegerRange::new(0, tables, RowDistribution::Uniform, 0);
        (tables > 1).then(|| self.set(ValueGenerator::Integer(any)))
    }

    fn execute(&mut self, asked: OltpStatement, table: Option<usize>, parameters: &[usize]) {
        let known = self.known.iter().find(|(known, _)| *known == asked).map(|(_, first)| *first);
        let statement = known.unwrap_or_else(|| self.add(asked));
        let parameters = parameters.to_vec();
        let class = asked.class();
        self.steps.push(TransactionStep::Execute(Execution { statement, table, class, parameters }));
    }

    /// Adds a statement, for each table where it names one.
    fn add(&mut self, asked: OltpStatement) -> usize {
        let first = self.mix.statements.len();
        let names_one = !matches!(asked, OltpStatement::Begin | OltpStatement::Commit);
        let tables = if names_one { self.shape.data.tables } else { 1 };
        for table in 1..=tables {
            let text = asked.text(self.shape.system, self.writes, table);
            self.mix.statements.push(SqlStatement::new(&text, asked.writes()));
        }
        self.known.push((asked, first));
        first
    }

    /// The same table for all times, as sysbench has it.
    fn part(&mut self, part: Part, times: u32) {
        let table = self.table();
        for _ in 0..times {
            match part {
                Part::Point => {
                    let id = self.row();
                    self.execute(OltpStatement::PointSelect, table, &[id]);
                }
                Part::Range(statement) => {
                    let from = self.row();
                    let more = i64::try_from(self.shape.range_size).unwrap_or(i64::MAX).saturating_sub(1);
                    let to = self.set(ValueGenerator::Sum { of: from, more });
                    self.execute(statement, table, &[from, to]);
                }
                Part::IndexUpdate => {
                    let id = self.row();
                    self.execute(OltpStatement::IndexUpdate, table, &[id]);
                }
                Part::NonIndexUpdate => {
                    let c = self.set(ValueGenerator::Text(C_TEMPLATE.into()));
                    let id = self.row();
                    self.execute(OltpStatement::NonIndexUpdate, table, &[c, id]);
                }
                Part::DeleteInsert => {
                    let id = self.row();
                    let k = self.row();
                    let c = self.set(ValueGenerator::Text(C_TEMPLATE.into()));
                    let pad = self.set(ValueGenerator::Text(PAD_TEMPLATE.into()));
                    self.execute(OltpStatement::Delete, table, &[id]);
                    self.execute(OltpStatement::Insert, table, &[id, k, c, pad]);
                }
                Part::Delete => {
                    let id = self.row();
                    self.execute(OltpStatement::Delete, table, &[id]);
                }
                Part::Append => self.append(table),
            }
        }
    }

    /// Puts a row in whose key the database chooses.
    fn append(&mut self, table: Option<usize>) {
        let first = self.mix.statements.len();
        for table in 1..=self.shape.data.tables {
            self.mix.statements.push(SqlStatement::new(&Sbtest::insert(table), true));
        }
        let k = self.row();
        let c = self.set(ValueGenerator::Text(C_TEMPLATE.into()));
        let pad = self.set(ValueGenerator::Text(PAD_TEMPLATE.into()));
        let class = OltpStatement::Insert.class();
        let parameters = vec![k, c, pad];
        self.steps.push(TransactionStep::Execute(Execution { statement: first, table, class, parameters }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(tables: u64) -> OltpShape {
        let (system, data) = (DatabaseSystem::Sqlite, Sbtest { tables, rows: 1000 });
        OltpShape { system, data, range_size: 100, distribution: RowDistribution::Uniform }
    }

    fn executions(mix: &TransactionMix) -> Vec<&Execution> {
        let mut all = Vec::new();
        for step in mix.transactions.iter().flat_map(|transaction| &transaction.steps) {
            if let TransactionStep::Execute(execution) = step {
                all.push(execution);
            }
        }
        all
    }

    #[test]
    fn each_has_as_many_statements_as_sysbench_executes() {
        // What `sysbench oltp_* run` prints as queries, divided by transactions.
        let expected = [
            ("read-write", 20),
            ("read-only", 16),
            ("write-only", 6),
            ("point-select", 1),
            ("update-index", 1),
            ("update-non-index", 1),
            ("insert", 1),
            ("delete", 1),
        ];
        assert_eq!(expected.map(|(word, _)| word), MIXES.map(|mix| mix.word.word));
        for (word, statements) in expected {
            for tables in [1, 3] {
                let mix = OltpMix::called(word).unwrap();
                let made = mix.transactions(&shape(tables));
                assert_eq!(executions(&made).len(), statements, "{word}");
                for execution in executions(&made) {
                    let one = &made.statements[execution.statement];
                    assert_eq!(one.parameters(), execution.parameters.len(), "{word}: {}", one.text());
                    assert!(usize::from(execution.class) < mix.classes().len(), "{word}");
                    assert!(execution.parameters.iter().all(|variable| *variable < made.variables));
                    let of_table = one.text().contains("sbtest1");
                    assert_eq!(execution.table.is_some(), of_table && tables > 1, "{word}: {}", one.text());
                }
            }
        }
        assert!(OltpMix::called("other").is_none());
    }

    #[test]
    fn a_transaction_that_writes_takes_the_lock_of_sqlite_when_it_begins() {
        let first = |word: &str, system| {
            let shape = OltpShape { system, ..shape(1) };
            OltpMix::called(word).unwrap().transactions(&shape).statements[0].text()
        };
        assert_eq!(first("read-write", DatabaseSystem::Sqlite), "BEGIN IMMEDIATE");
        assert_eq!(first("read-only", DatabaseSystem::Sqlite), "BEGIN");
        assert_eq!(first("read-write", DatabaseSystem::Postgres), "BEGIN");
    }

    #[test]
    fn classes_are_in_the_order_of_statements() {
        let of = |statement: OltpStatement| CLASSES[usize::from(statement.class())].name;
        assert_eq!(
            [OltpStatement::Begin, OltpStatement::SumRange, OltpStatement::Insert].map(of),
            ["begin", "sum_range", "insert"]
        );
        assert_eq!(CLASSES.len(), usize::from(OltpStatement::Insert.class()) + 1);
        assert_eq!(OltpMix::called("read-only").unwrap().classes().last().unwrap().name, "distinct_range");
    }
}
