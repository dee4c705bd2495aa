//! The tables of pgbench (PostgreSQL, `src/bin/pgbench/pgbench.c`, `initCreateTables`), with its names and columns.

use model::plan::Problem;
use serde::{Deserialize, Serialize};

use crate::workload::db::dataset::{TableLayout, computed, constant, counted};
use crate::workload::db::generator::ValueGenerator;

/// Rows at scale 1.
const BRANCHES: u64 = 1;
const TELLERS: u64 = 10;
const ACCOUNTS: u64 = 100_000;

/// Bytes of an account in a file of SQLite, from above: 84 of its filler, up to 12 of its numbers, 8 of lengths, and
/// what does not fit into a page of 4096.
const ACCOUNT_BYTES: u64 = 112;

/// 84 blanks: PostgreSQL pads the column `filler` of an account so.
const FILLER: &str = "                                                                                    ";

/// How large they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct TpcbSize {
    /// Times 100,000 accounts, 10 tellers and a branch.
    pub(in crate::workload) scale: u64,
}

/// The largest scale whose accounts have keys of 32 bits with a sign (`SCALE_32BIT_THRESHOLD` is 20000, from which
/// pgbench takes longer ones).
const SCALE_MOST: u64 = 20_000;

impl TpcbSize {
    /// Tables of this scale.
    ///
    /// # Errors
    /// If that is more than the keys allow.
    pub(in crate::workload) fn new(scale: u64) -> Result<Self, Problem> {
        if scale > SCALE_MOST {
            return Err(Problem::invalid(
                format!("a scale of {scale} has more accounts than keys of 32 bits"),
                format!("at most {SCALE_MOST}"),
            ));
        }
        Ok(Self { scale })
    }

    /// About how many bytes all of it takes.
    pub(in crate::workload) fn bytes(&self) -> u64 {
        self.scale.saturating_mul(ACCOUNTS * ACCOUNT_BYTES)
    }

    /// The tables.
    pub(in crate::workload) fn layouts(&self) -> Vec<TableLayout> {
        let rows = |rows: u64| self.scale.saturating_mul(rows);
        let table = |name: &str, create: &str, columns, rows| TableLayout {
            name: format!("pgbench_{name}"),
            create: vec![format!("CREATE TABLE pgbench_{name} ({create})")],
            columns,
            rows,
            indexes: Vec::new(),
            seed: 0,
        };
        vec![
            table(
                "branches",
                "bid INTEGER NOT NULL, bbalance INTEGER, filler CHAR(88), PRIMARY KEY (bid)",
                vec![computed("bid", counted(1, None)), constant("bbalance", 0)],
                rows(BRANCHES),
            ),
            table(
                "tellers",
                "tid INTEGER NOT NULL, bid INTEGER, tbalance INTEGER, filler CHAR(84), PRIMARY KEY (tid)",
                vec![
                    computed("tid", counted(1, None)),
                    computed("bid", counted(TELLERS, None)),
                    constant("tbalance", 0),
                ],
                rows(TELLERS),
            ),
            table(
                "accounts",
                "aid INTEGER NOT NULL, bid INTEGER, abalance INTEGER, filler CHAR(84), PRIMARY KEY (aid)",
                vec![
                    computed("aid", counted(1, None)),
                    computed("bid", counted(ACCOUNTS, None)),
                    constant("abalance", 0),
                    ("filler", ValueGenerator::Text(FILLER.into())),
                ],
                rows(ACCOUNTS),
            ),
            table(
                "history",
                "tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime TIMESTAMP NULL, filler CHAR(22)",
                Vec::new(),
                0,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::generator::SqlValue;

    #[test]
    fn rows_belong_to_their_branches() {
        let layouts = TpcbSize { scale: 3 }.layouts();
        let rows: Vec<u64> = layouts.iter().map(|table| table.rows).collect();
        assert_eq!(rows, [3, 30, 300_000, 0]);
        let accounts = &layouts[2];
        let mut values = accounts.values();
        for (row, aid, bid) in [(0, 1, 1), (99_999, 100_000, 1), (100_000, 100_001, 2), (299_999, 300_000, 3)]
        {
            accounts.make(row, &mut values);
            assert_eq!(values[1..4], [aid, bid, 0].map(SqlValue::Integer));
        }
        assert!(matches!(&values[4], SqlValue::Text(text) if text.len() == 84), "{values:?}");
        assert_eq!(
            accounts.insert(),
            "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) VALUES (?, ?, ?, ?)"
        );
    }
}
