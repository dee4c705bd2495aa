//! Stories of the whole program, as a user would meet them: real loads, real
//! signals, real files.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used)]

mod a_whole_machine;
mod both_ends;
mod burn_in;
mod check;
mod check_growth;
mod common;
mod compare;
mod database;
mod database_durability;
mod database_passwords;
mod device;
mod engines;
mod far;
mod faults;
mod filling;
mod fio;
mod first_minutes;
mod fit;
mod fixtures;
mod fleet;
mod full;
mod goals;
mod hosts;
mod http;
mod http_faults;
mod in_memory;
mod invalid;
mod iperf3;
mod joined;
mod left;
mod machine;
mod network;
mod network_faults;
mod network_six;
mod nginx;
mod node;
mod observed;
mod other_area;
mod places;
mod replay;
mod resume;
mod run;
mod s3s;
mod schedule;
mod secrets;
mod serve;
mod settings;
mod settings_left;
mod settings_refused;
mod stack;
mod stack_settings;
mod steady;
mod trace;
mod trace_faults;
mod trend;
mod verdicts;
mod verify_tool;
mod watch;
mod watch_more;
mod web_server;
#[path = "../../../../lab/src/wire.rs"]
#[allow(dead_code)]
mod wire;
