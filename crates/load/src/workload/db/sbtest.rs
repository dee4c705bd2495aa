//! The tables of sysbench's OLTP loads: `sbtest1`, `sbtest2`, ... (sysbench 1.0, `src/lua/oltp_common.lua`).

use model::scalar::binary;
use serde::{Deserialize, Serialize};

use crate::workload::db::dataset::TableLayout;
use crate::workload::db::generator::{IntegerRange, RowDistribution, ValueGenerator, ValueRandom, fill};
use crate::workload::db::url::DatabaseSystem;
use crate::workload::disk::distribution::random;

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

impl Sbtest {
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
}

impl Sbtest {
    /// The tables with their rows, which are those of [`RowMaker`].
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

/// Makes the rows of a table.
#[derive(Debug)]
pub(in crate::workload) struct RowMaker {
    k: IntegerRange,
    pub(in crate::workload) c: String,
    pub(in crate::workload) pad: String,
}

impl RowMaker {
    /// For tables like these. `k` is drawn as sysbench draws it where nobody asks otherwise.
    pub(in crate::workload) fn new(data: &Sbtest) -> Self {
        let k = IntegerRange::new(1, data.rows, RowDistribution::Special, SEED);
        Self { k, c: String::new(), pad: String::new() }
    }

    /// Makes the row of this number in this table; returns its `k`.
    pub(in crate::workload) fn make(&mut self, table: u64, row: u64) -> i64 {
        let mut random = ValueRandom::new(random(SEED.wrapping_add(table), row));
        let k = self.k.draw(&mut random);
        fill(C_TEMPLATE, &mut random, &mut self.c);
        fill(PAD_TEMPLATE, &mut random, &mut self.pad);
        k
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::generator::SqlValue;

    #[test]
    fn rows_are_as_sysbench_makes_them() {
        let mut maker = RowMaker::new(&Sbtest { tables: 1, rows: 1000 });
        let k = maker.make(1, 7);
        let is_form = |text: &str, groups: usize| {
            let all: Vec<&str> = text.split('-').collect();
            all.len() == groups && all.iter().all(|g| g.len() == 11 && g.bytes().all(|b| b.is_ascii_digit()))
        };
        assert!((1..=1000).contains(&k) && is_form(&maker.c, 10) && is_form(&maker.pad, 5), "{maker:?}");
        assert_eq!((C_TEMPLATE.len(), PAD_TEMPLATE.len()), (119, 59));
        let before = maker.c.clone();
        maker.make(1, 8);
        assert_ne!(maker.c, before);
        maker.make(1, 7);
        assert_eq!(maker.c, before);
        maker.make(2, 7);
        assert_ne!(maker.c, before);
    }

    #[test]
    fn rows_are_the_same_ones_as_data() {
        let data = Sbtest { tables: 2, rows: 1000 };
        let (mut maker, layouts) = (RowMaker::new(&data), data.layouts(DatabaseSystem::Sqlite));
        for (table, layout) in (1..).zip(&layouts) {
            assert_eq!(layout.insert(), Sbtest::insert(table));
            let mut values = layout.values();
            for row in [0, 999] {
                layout.make(row, &mut values);
                let k = maker.make(table, row);
                let texts = [maker.c.clone(), maker.pad.clone()].map(SqlValue::Text);
                assert_eq!((&values[1], &values[2..]), (&SqlValue::Integer(k), &texts[..]));
            }
        }
    }

    #[test]
    fn what_is_made_is_told() {
        assert!(Sbtest { tables: 1, rows: 10 }.about().starts_with("a table of 10 rows (about "));
        assert!(Sbtest { tables: 3, rows: 10 }.about().starts_with("3 tables of 10 rows each (about "));
    }
}
