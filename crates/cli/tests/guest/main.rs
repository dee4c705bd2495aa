//! Stories that need a kernel with everything: md, device mapper, null_blk,
//! quotas, devices that lie or fail. `cargo xtask test --only guest` boots one
//! and runs them there, one after the other; elsewhere each is named as ignored.
//!
//! The guest's CPU is emulated: no story looks at how fast something was.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used)]

mod adapter;
#[path = "../stories/common.rs"]
#[allow(dead_code)]
mod common;
mod failing;
mod full;
#[path = "../stories/hosts.rs"]
mod hosts;
mod lying;
mod machine;
mod network;
mod numa;
mod observed;
mod poll;
mod power_cut;
mod presented;
mod presented_by_node;
mod rebuild;
mod refusal;
mod stack;
mod stack_full;
mod test_bed;
mod trace;
#[path = "../../../../lab/src/wire.rs"]
#[allow(dead_code)]
mod wire;
mod write_log;
