//! What `db.orders` is, as data.

use model::parameter::{Kind, ParameterSpec};
use model::{MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::db::metrics::{OF_LOAD, joined, statement_latency};
use crate::workload::db::parameters;
use crate::workload::db::script::OF_VERBS;

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("db.orders"),
    definition_version: 1,
    summary: "how many transactions of a wholesaler's per second a database does, and how long one takes (not TPC-C)",
    doc: "Orders, payments, questions for the last order, deliveries and questions for the stock, in the shares of TPC-C (45, 43, 4, 4 \
          and 4 of 100), with several tables, inserts, ranges and a join. It is not TPC-C, and no figure of it may be \
          compared with one of that: nobody waits at terminals, customers are found by their numbers, orders are for their own \
          warehouse, and the tables are as large as is asked for (TPC-C has 3,000 customers of a district and 100,000 items). \
          After each trial seven conditions of TPC-C's must hold, or the trial fails. The tables grow with each order. The \
          database is a new one of SQLite in the target, or on a server, as that of db.oltp; in SQLite a transaction that writes \
          takes the lock when it begins.",
    parameters: &PARAMETERS,
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &METRICS,
    path: parameters::PATH,
    examples: &[
        "db.orders --target /data",
        "db.orders --start postgres --target /data --clients 1,8",
        "db.orders --url mysql://me@db1/ --warehouses 10 --clients 50",
    ],
};

/// Those that only this load has, and how many clients.
const OWN: [ParameterSpec; 4] = [
    parameters::CLIENTS,
    ParameterSpec::new("warehouses", Kind::Count, "Warehouses, each with 10 districts.")
        .remote_max(100_000)
        .default("1")
        .costly(),
    ParameterSpec::new(
        "customers",
        Kind::Count,
        "Customers of each district, each with an order of 10 lines.",
    )
    .remote_max(100_000)
    .default("300")
    .costly(),
    ParameterSpec::new("items", Kind::Count, "Items that every warehouse has.")
        .remote_max(10_000_000)
        .default("10000")
        .costly(),
];

const PARAMETERS: [ParameterSpec; parameters::COMMON + OWN.len()] = parameters::with_common(&OWN);

/// Those of each kind of transaction.
const OF_TRANSACTIONS: [MetricSpec; 10] = statement_latency![
    "new_order" is "orders",
    "payment" is "payments",
    "order_status" is "questions for the last order",
    "delivery" is "deliveries",
    "stock_level" is "questions for the stock",
];

const OF_BOTH: [MetricSpec; OF_VERBS.len() + OF_TRANSACTIONS.len()] = joined(&OF_VERBS, &OF_TRANSACTIONS);

const METRICS: [MetricSpec; OF_LOAD.len() + OF_BOTH.len()] = joined(&OF_LOAD, &OF_BOTH);
