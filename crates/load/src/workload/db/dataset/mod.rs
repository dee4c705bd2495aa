//! What tables loads work on, as data: how each is made, and how the values of its rows are.

pub(in crate::workload) mod orders;
pub(in crate::workload) mod sbtest;
pub(in crate::workload) mod slap;
pub(in crate::workload) mod tpcb;

use std::fmt;

use model::scalar::binary;
use serde::{Deserialize, Serialize};

use crate::workload::db::dataset::orders::OrdersSize;
use crate::workload::db::dataset::sbtest::Sbtest;
use crate::workload::db::dataset::slap::SlapTable;
use crate::workload::db::dataset::tpcb::TpcbSize;
use crate::workload::db::expression::{ArithmeticOperator, ValueExpression};
use crate::workload::db::generator::{SqlValue, ValueGenerator, ValueRandom};
use crate::workload::db::url::DatabaseSystem;
use crate::workload::disk::distribution::random;

/// The variable that has the number of the row, from 0, where the values of a row are made. That of each column is
/// its place, from 1.
pub(in crate::workload) const ROW: usize = 0;

/// What counts rows: how many times `every` rows there were before this one, from 1, and from 1 again after `cycle`.
pub(in crate::workload) fn counted(every: u64, cycle: Option<u64>) -> ValueExpression {
    let number = |number| ValueExpression::Constant(i64::try_from(number).unwrap_or(i64::MAX));
    let join = ValueExpression::join;
    let mut count = ValueExpression::Variable(ROW);
    if every > 1 {
        count = join(ArithmeticOperator::Divide, count, number(every));
    }
    if let Some(cycle) = cycle {
        count = join(ArithmeticOperator::Remainder, count, number(cycle.max(1)));
    }
    join(ArithmeticOperator::Add, count, ValueExpression::Constant(1))
}

/// A column that has this value.
pub(in crate::workload) fn computed(
    name: &'static str,
    value: ValueExpression,
) -> (&'static str, ValueGenerator) {
    (name, ValueGenerator::Computed(value))
}

/// A column that has this number in every row.
pub(in crate::workload) fn constant(name: &'static str, number: i64) -> (&'static str, ValueGenerator) {
    computed(name, ValueExpression::Constant(number))
}

/// A table, and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload) struct TableLayout {
    pub(in crate::workload) name: String,
    /// The statements that make it.
    pub(in crate::workload) create: Vec<String>,
    /// The columns that have values of their own, and how these are made: of the row's number, and of those before.
    pub(in crate::workload) columns: Vec<(&'static str, ValueGenerator)>,
    pub(in crate::workload) rows: u64,
    /// The statements that follow when its rows are there.
    pub(in crate::workload) indexes: Vec<String>,
    /// What decides the values that are drawn: the same in every run.
    pub(in crate::workload) seed: u64,
}

impl TableLayout {
    /// The statement that puts a row in.
    pub(in crate::workload) fn insert(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let values = vec!["?"; names.len()];
        format!("INSERT INTO {} ({}) VALUES ({})", self.name, names.join(", "), values.join(", "))
    }

    /// Room for the number of a row and its values, in the order of the columns.
    pub(in crate::workload) fn values(&self) -> Vec<SqlValue> {
        vec![SqlValue::Integer(0); self.columns.len() + 1]
    }

    /// Makes the row of this number, from 0.
    pub(in crate::workload) fn make(&self, row: u64, values: &mut [SqlValue]) {
        let mut random = ValueRandom::new(random(self.seed, row));
        values[ROW] = SqlValue::Integer(i64::try_from(row).unwrap_or(i64::MAX));
        for (place, (_, generator)) in (1..).zip(&self.columns) {
            generator.set(place, values, &mut random);
        }
    }
}

/// What tables there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tables-of", rename_all = "kebab-case")]
pub(in crate::workload) enum DataSet {
    /// Those of sysbench's OLTP loads.
    Sbtest(Sbtest),
    /// Those of pgbench.
    Tpcb(TpcbSize),
    /// That of mysqlslap.
    Slap(SlapTable),
    /// Those of `db.orders`.
    Orders(OrdersSize),
    /// What these statements of the user's make.
    Statements { statements: Vec<String> },
    /// Those that are in the database of a server already, which are only read.
    Existing,
}

impl DataSet {
    /// The tables that are filled here.
    pub(in crate::workload) fn layouts(&self, system: DatabaseSystem) -> Vec<TableLayout> {
        match self {
            Self::Sbtest(data) => data.layouts(system),
            Self::Tpcb(size) => size.layouts(),
            Self::Slap(table) => table.layouts(system),
            Self::Orders(size) => size.layouts(system),
            Self::Statements { .. } | Self::Existing => Vec::new(),
        }
    }

    /// The statements of the user's that make tables.
    pub(in crate::workload) fn statements(&self) -> &[String] {
        match self {
            Self::Statements { statements } => statements,
            _ => &[],
        }
    }

    /// About how many bytes all of it takes; 0 where that is not known.
    pub(in crate::workload) fn bytes(&self) -> u64 {
        match self {
            Self::Sbtest(data) => data.bytes(),
            Self::Tpcb(size) => size.bytes(),
            Self::Slap(table) => table.bytes(),
            Self::Orders(size) => size.bytes(),
            Self::Statements { .. } | Self::Existing => 0,
        }
    }
}

/// What is made, in words.
impl fmt::Display for DataSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = binary(self.bytes());
        match self {
            Self::Sbtest(data) => f.write_str(&data.about()),
            Self::Tpcb(size) => write!(f, "the tables of pgbench at scale {} (about {bytes})", size.scale),
            Self::Slap(table) => write!(f, "a table of {} rows (about {bytes})", table.rows),
            Self::Orders(size) => {
                write!(f, "the tables of {} warehouses (about {bytes})", size.warehouses)
            }
            Self::Statements { .. } => f.write_str("the tables of the file"),
            Self::Existing => f.write_str("nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_the_same_after_a_journey() {
        for data in [
            DataSet::Sbtest(Sbtest { tables: 2, rows: 3 }),
            DataSet::Tpcb(TpcbSize { scale: 4 }),
            DataSet::Orders(OrdersSize { warehouses: 1, customers: 2, items: 3 }),
            DataSet::Statements { statements: vec!["CREATE TABLE a (x INTEGER)".to_owned()] },
            DataSet::Existing,
        ] {
            let value = serde_json::json!(data);
            assert_eq!(serde_json::from_value::<DataSet>(value).unwrap(), data);
        }
    }
}
