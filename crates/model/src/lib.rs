//! The words of Headroom as plain, versioned data: what a study asks, what a
//! plan will do, what an agent is told and answers, and what a run found.
//!
//! Every other crate speaks in these types, so they know nothing of files,
//! clocks or terminals. Units are SI base (`B/s`, `1/s`, `s`); only
//! histograms are in nanoseconds. Missing is absent, never zero.

mod aspect;
pub mod block_trace;
pub mod comparison;
pub mod database;
pub mod definition;
pub mod event;
pub mod fact;
pub mod finding;
mod gain;
pub mod goal;
pub mod identity;
pub mod label;
mod latency_over_time;
pub mod layer;
pub mod limit;
pub mod machine;
pub mod machine_use;
pub mod message;
pub mod metric;
pub mod name;
pub mod observer;
pub mod parallel;
pub mod parameter;
mod pin;
pub mod plan;
pub mod present;
pub mod price;
pub mod process_stat;
pub mod profile;
pub mod quantity;
pub mod resource;
mod resumption;
pub mod run;
pub mod scalar;
pub mod search;
pub mod series;
pub mod setting;
pub mod stack;
pub mod stack_top;
pub mod study;
mod study_verdict;
pub mod tool_arithmetic;
pub mod tool_result;
pub mod trial;
pub mod unit;
pub mod value;
pub mod workload;
mod written_layer;

pub use comparison::Comparison;
pub use definition::Definitions;
pub use event::{AgentEvent, Phase};
pub use fact::FactName;
pub use finding::{Finding, FindingKind, Severity};
pub use goal::Goal;
pub use label::Label;
pub use latency_over_time::LatencyOverTime;
pub use limit::Limit;
pub use machine::Machine;
pub use metric::{Better, MetricName, MetricSpec};
pub use observer::ObserverKind;
pub use parameter::{Kind, ParameterName, ParameterSpec};
pub use plan::{Case, Plan};
pub use profile::LoadProfile;
pub use resource::{Resource, ResourceKind};
pub use run::Run;
pub use scalar::ScalarError;
pub use series::SeriesName;
pub use study::Study;
pub use tool_result::{ToolOutput, ToolResult};
pub use trial::{Status, Trial};
pub use unit::{Quantity, Unit};
pub use value::{Parameters, Value};
pub use workload::{WorkloadName, WorkloadSpec};
