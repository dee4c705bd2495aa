//! Loads on databases: transactions of a few statements each, by several clients at once.
//!
//! A load is data: statements, how their values are drawn, and the transactions that they make
//! ([`transaction::TransactionMix`]); and so are its tables ([`dataset::DataSet`]). A client executes one statement
//! ([`client::DatabaseClient`]); a worker drives it ([`worker::ClientWorker`]), or many of a server at once
//! ([`wire::multiplexed::MultiplexedWorker`]), and knows neither the load nor the database. So a load runs on every
//! database, and a database under every load.

pub(in crate::workload) mod client;
pub(in crate::workload) mod connect_times;
pub(in crate::workload) mod counter_watch;
pub(in crate::workload) mod counters;
pub(in crate::workload) mod counts;
pub(in crate::workload) mod dataset;
pub mod durability;
pub(in crate::workload) mod expression;
pub(in crate::workload) mod generator;
pub(in crate::workload) mod group_quota;
pub(in crate::workload) mod isolation;
pub(in crate::workload) mod kept;
pub(in crate::workload) mod kept_tables;
pub mod left;
pub mod left_restore;
pub(in crate::workload) mod load;
pub(in crate::workload) mod load_facts;
pub(in crate::workload) mod metrics;
pub(in crate::workload) mod mysql;
pub mod oltp;
pub mod orders;
pub(in crate::workload) mod parameters;
pub mod password;
pub(in crate::workload) mod planned;
pub(in crate::workload) mod planned_sqlite;
pub(in crate::workload) mod postgres;
pub(in crate::workload) mod rate_series;
pub(in crate::workload) mod remote;
pub mod remote_fixture;
pub(in crate::workload) mod remote_tables;
pub(in crate::workload) mod round_trip;
pub mod script;
pub mod server;
pub(in crate::workload) mod server_process;
pub mod server_settings;
pub(in crate::workload) mod server_sizes;
pub(in crate::workload) mod session_metrics;
pub(in crate::workload) mod session_states;
pub mod slap;
pub mod sqlite;
pub(in crate::workload) mod target_space;
pub mod tpcb;
pub(in crate::workload) mod transaction;
pub(in crate::workload) mod url;
pub(in crate::workload) mod wire;
pub(in crate::workload) mod worker;
