//! Options, values and metrics of other tools that are typed out of habit on the command line of this one, for loads of every
//! kind: what they are called here. Those of fio's job files and of tools for databases have files of their own
//! ([`crate::fio::command_line`], [`crate::database_options`]). Sources: the manuals of sysbench 1.0, iperf3 3.12, netperf
//! 2.7, wrk 4.1, wrk2, ab 2.4, hey 0.1 and hdparm 9.65.

mod commands;
mod metrics;
mod operands;
mod options;
mod values;
mod workloads;

pub use commands::command;
pub use metrics::metric;
pub use operands::operand;
pub use options::option;
pub use values::{VALUES, value};
pub use workloads::{WORKLOADS, workload};
