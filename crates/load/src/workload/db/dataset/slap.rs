//! The table of mysqlslap's loads, `t1` (MariaDB 10.11, `client/mysqlslap.c`, `build_table_string`).

use serde::{Deserialize, Serialize};

use crate::workload::db::dataset::TableLayout;
use crate::workload::db::generator::{IntegerRange, RowDistribution, ValueGenerator};
use crate::workload::db::url::DatabaseSystem;

/// Characters of a text (`RAND_STRING_SIZE`).
const TEXT_LENGTH: usize = 126;
/// What `random()` gives is below this.
const RANDOM_END: u64 = 1 << 31;
/// The rows are the same ones in every run.
const SEED: u64 = 0x736c_6170_0000_0000;

/// What the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct SlapTable {
    /// Rows before the first transaction.
    pub(in crate::workload) rows: u64,
    /// Columns beside the key.
    pub(in crate::workload) columns: SlapColumns,
}

/// How many columns of each type: at most as many as there are names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct SlapColumns {
    pub(in crate::workload) integers: u64,
    pub(in crate::workload) texts: u64,
}

/// The names of columns, of whole numbers and of texts.
const INTEGERS: [&str; 16] = [
    "intcol1", "intcol2", "intcol3", "intcol4", "intcol5", "intcol6", "intcol7", "intcol8", "intcol9",
    "intcol10", "intcol11", "intcol12", "intcol13", "intcol14", "intcol15", "intcol16",
];
const TEXTS: [&str; 16] = [
    "charcol1",
    "charcol2",
    "charcol3",
    "charcol4",
    "charcol5",
    "charcol6",
    "charcol7",
    "charcol8",
    "charcol9",
    "charcol10",
    "charcol11",
    "charcol12",
    "charcol13",
    "charcol14",
    "charcol15",
    "charcol16",
];

/// The most columns of each type.
pub(in crate::workload) const COLUMNS_MOST: u64 = INTEGERS.len() as u64;

impl SlapColumns {
    /// Their names, and how their values are drawn: whole numbers first.
    pub(in crate::workload) fn all(self) -> impl Iterator<Item = (&'static str, ValueGenerator)> {
        let number = || IntegerRange::new(0, RANDOM_END, RowDistribution::Uniform, 0);
        let of = |names: &'static [&'static str], count: u64| {
            names.iter().take(usize::try_from(count).unwrap_or(usize::MAX))
        };
        let integers =
            of(&INTEGERS, self.integers).map(move |name| (*name, ValueGenerator::Integer(number())));
        let texts = of(&TEXTS, self.texts).map(|name| (*name, ValueGenerator::Alphanumeric(TEXT_LENGTH)));
        integers.chain(texts)
    }
}

impl SlapTable {
    /// About how many bytes it takes.
    pub(in crate::workload) fn bytes(&self) -> u64 {
        let row = 16 + self.columns.integers * 5 + self.columns.texts * (TEXT_LENGTH as u64 + 2);
        self.rows.saturating_mul(row)
    }

    /// The table.
    pub(in crate::workload) fn layouts(&self, system: DatabaseSystem) -> Vec<TableLayout> {
        let id = match system {
            DatabaseSystem::Sqlite => "id INTEGER NOT NULL PRIMARY KEY",
            DatabaseSystem::MySql | DatabaseSystem::Postgres => "id SERIAL PRIMARY KEY",
        };
        let columns = self.columns.all().map(|(name, generator)| match generator {
            ValueGenerator::Integer(_) => format!(", {name} INTEGER"),
            _ => format!(", {name} VARCHAR(128)"),
        });
        vec![TableLayout {
            name: "t1".to_owned(),
            create: vec![format!("CREATE TABLE t1 ({id}{})", columns.collect::<String>())],
            columns: self.columns.all().collect(),
            rows: self.rows,
            indexes: Vec::new(),
            seed: SEED,
        }]
    }
}
