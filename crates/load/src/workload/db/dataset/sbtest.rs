//! The tables of sysbench's OLTP loads: `sbtest1`, `sbtest2`, ... (sysbench 1.0, `src/lua/oltp_common.lua`).

use model::plan::Problem;
use model::scalar::binary;
use serde::{Deserialize, Serialize};

use crate::workload::db::dataset::TableLayout;
use crate::workload::db::generator::{IntegerRange, RowDistribution, ValueGenerator};
use crate::workload::db::url::DatabaseSystem;

/// What the column `c` has: 119 characters.
pub(in crate::workload) const C_TEMPLATE: &str = "###########-###########-###########-###########-###########-\
                                                  ###########-###########-###########-###########-###########";
/// What the column `pad` has: 59 characters.
pub(in crate::workload) const PAD_TEMPLATE: &str =
    "###########-###########-###########-###########-###########";

/// The rows of every table are the same ones, in every run.
const SEED: u64 = 0x7362_7465_7374_0000;

/// Bytes that a row has in a file of SQLite, with its place in both indexes, from above: 178 of texts, 8 to 12 of
/// numbers and lengths, 12 to 14 in the second index, and what does not fit into a page of 4096.
const ROW_BYTES: u64 = 240;

/// How many tables, and how many rows in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct Sbtest {
    pub(in crate::workload) tables: u64,
    pub(in crate::workload) rows: u64,
}

/// Each has a layout, and statements of its own.
const TABLES_MOST: u64 = 10_000;

/// Keys are numbers of 32 bits with a sign, in sysbench's tables.
const ROWS_MOST: u64 = i32::MAX as u64;

impl Sbtest {
    /// So many tables of so many rows.
    ///
    /// # Errors
    /// If that is more than there may be.
    pub(in crate::workload) fn new(tables: u64, rows: u64) -> Result<Self, Problem> {
        if tables > TABLES_MOST {
            return Err(Problem::invalid(
                format!("{tables} tables are more than a load may have"),
                format!("at most {TABLES_MOST}"),
            ));
        }
        if rows > ROWS_MOST {
            return Err(Problem::invalid(
                format!("{rows} rows are more than the keys of a table"),
                "give fewer rows",
            ));
        }
        Ok(Self { tables, rows })
    }

    /// About how many bytes so many rows take.
    pub(in crate::workload) fn bytes_of(rows: u64) -> u64 {
        rows.saturating_mul(ROW_BYTES)
    }

    /// Rows of all tables.
    pub(in crate::workload) fn all_rows(&self) -> u64 {
        self.tables.saturating_mul(self.rows)
    }

    /// About how many bytes all of it takes.
    pub(in crate::workload) fn bytes(&self) -> u64 {
        Self::bytes_of(self.all_rows())
    }

    /// What is made, in words.
    pub(in crate::workload) fn about(&self) -> String {
        let (rows, bytes) = (self.rows, binary(self.bytes()));
        match self.tables {
            1 => format!("a table of {rows} rows (about {bytes})"),
            tables => format!("{tables} tables of {rows} rows each (about {bytes})"),
        }
    }

    /// The statement that makes the table of this number, from 1.
    pub(in crate::workload) fn create(system: DatabaseSystem, table: u64) -> String {
        let id = match system {
            DatabaseSystem::Sqlite => "INTEGER NOT NULL",
            DatabaseSystem::MySql => "INTEGER NOT NULL AUTO_INCREMENT",
            DatabaseSystem::Postgres => "SERIAL",
        };
        format!(
            "CREATE TABLE sbtest{table} (id {id}, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
             pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id))"
        )
    }

    /// The statement that makes its second index.
    pub(in crate::workload) fn index(table: u64) -> String {
        format!("CREATE INDEX k_{table} ON sbtest{table} (k)")
    }

    /// The statement that puts a row in, with `k`, `c` and `pad`.
    pub(in crate::workload) fn insert(table: u64) -> String {
        format!("INSERT INTO sbtest{table} (k, c, pad) VALUES (?, ?, ?)")
    }

    /// The tables with their rows. `k` is drawn as sysbench draws it where nobody asks otherwise.
    pub(in crate::workload) fn layouts(&self, system: DatabaseSystem) -> Vec<TableLayout> {
        let k = IntegerRange::new(1, self.rows, RowDistribution::Special, SEED);
        let columns = || {
            vec![
                ("k", ValueGenerator::Integer(k)),
                ("c", ValueGenerator::Text(C_TEMPLATE.into())),
                ("pad", ValueGenerator::Text(PAD_TEMPLATE.into())),
            ]
        };
        let layout = |table| TableLayout {
            name: format!("sbtest{table}"),
            create: vec![Self::create(system, table)],
            columns: columns(),
            rows: self.rows,
            indexes: vec![Self::index(table)],
            seed: SEED.wrapping_add(table),
        };
        (1..=self.tables).map(layout).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::generator::SqlValue;

    #[test]
    fn rows_are_as_sysbench_makes_them() {
        let layouts = Sbtest { tables: 2, rows: 1000 }.layouts(DatabaseSystem::Sqlite);
        let row = |table: usize, row| {
            let mut values = layouts[table].values();
            layouts[table].make(row, &mut values);
            values
        };
        let is_form = |value: &SqlValue, groups: usize| {
            let SqlValue::Text(text) = value else { return false };
            let all: Vec<&str> = text.split('-').collect();
            all.len() == groups && all.iter().all(|g| g.len() == 11 && g.bytes().all(|b| b.is_ascii_digit()))
        };
        let first = row(0, 7);
        assert!(matches!(first[1], SqlValue::Integer(1..=1000)), "{first:?}");
        assert!(is_form(&first[2], 10) && is_form(&first[3], 5), "{first:?}");
        assert_eq!((C_TEMPLATE.len(), PAD_TEMPLATE.len()), (119, 59));
        assert_ne!(row(0, 8)[2], first[2]);
        assert_eq!(row(0, 7), first);
        assert_ne!(row(1, 7)[2], first[2]);
        assert_eq!(layouts[1].insert(), Sbtest::insert(2));
    }

    #[test]
    fn what_is_made_is_told() {
        assert!(Sbtest { tables: 1, rows: 10 }.about().starts_with("a table of 10 rows (about "));
        assert!(Sbtest { tables: 3, rows: 10 }.about().starts_with("3 tables of 10 rows each (about "));
    }
}
