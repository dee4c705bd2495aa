//! One end of a trial: it says what its machine is, prepares, loads, samples
//! and cleans. The local agent is a child process, because a load can kill its
//! process (SIGBUS, the memory killer) or get stuck in the kernel, and the run
//! must go on.
//!
//! [`Agent`] is what a study talks to; [`LocalAgent`] reaches [`serve`] in a
//! child process over a socketpair, [`node::NodeAgent`] one on another machine.

mod agent_group;
mod calibrate;
pub mod child;
mod condition_check;
pub mod converse;
mod describe;
mod held_groups;
pub mod iperf3;
mod layers;
mod link;
mod local;
mod loopback;
mod network_storage;
mod observers;
mod paired_settings;
mod presenter_watch;
mod rate_search;
mod result;
mod route_facts;
mod run_connections;
mod sampling;
mod serve;
mod settings;
mod stacked;
pub mod stale_files;
mod survey;
mod take_cpu;
mod trial;
mod trial_observer;
mod use_watch;
pub mod wire;

use model::machine::Diagnosis;
use model::message::{Reply, Request};
use model::plan::{LoadSpec, Problem};
use model::setting::SettingSpec;
use model::workload::Catalogue;
use model::{AgentEvent, Machine};

pub use agent_group::{AgentGroup, FarEnd};
pub use child::ChildCommand;
pub use describe::{DescribeError, describe_host, examine_host, host_errors, record_host};
pub use held_groups::HeldGroups;
pub use local::LocalAgent;
pub use sampling::{MachineObserver, SampleBuffer, SampledColumn, watching_cost};
pub use serve::{ServeError, serve};

/// Why an agent did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// Its process ended; the next request starts another.
    #[error("{0}")]
    Died(String),
    /// It made no progress and was killed; the next request starts another.
    #[error("the load made no progress for {0} s and was killed")]
    Hung(u64),
    /// It could not do this, and lives on.
    #[error("{0}")]
    Failed(String),
    /// The person asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// It cannot be started or reached.
    #[error("the agent cannot be reached: {0}")]
    Unreachable(String),
}

/// What the caller wants to know, and be asked, while a request is under way.
pub struct CallContext<'a> {
    /// Called with each event.
    pub on_event: &'a mut dyn FnMut(AgentEvent),
    /// Asked now and then: whether to stop.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// Sends a request that has no reply of its own.
pub type OutOfBand = Box<dyn Fn(&Request) -> std::io::Result<()> + Send + Sync>;

/// Ends the connection to an agent by force.
pub type Disconnect = Box<dyn Fn() + Send + Sync>;

/// One end of a trial, near or far.
pub trait Agent {
    /// Asks for something and waits for the answer.
    ///
    /// # Errors
    /// If the agent died, hung, failed, or was told to stop.
    fn call(&mut self, request: Request, watch: &mut CallContext<'_>) -> Result<Reply, AgentError>;

    /// Why it cannot be the far end of `loads`; none where it can.
    fn refuses(&self, _loads: &[LoadSpec]) -> Option<Problem> {
        None
    }

    /// What sends it something while a request is under way; none where that
    /// cannot be done.
    ///
    /// # Errors
    /// If it cannot be reached.
    fn out_of_band(&mut self) -> Result<OutOfBand, AgentError> {
        Err(AgentError::Failed("this agent takes nothing beside a request".to_owned()))
    }

    /// What ends its connection while a request is under way, which then fails at
    /// once; none where there is no connection that can be lost.
    fn disconnect(&mut self) -> Option<Disconnect> {
        None
    }

    /// Whether it can be asked without being reached anew, which may take time.
    fn lives(&self) -> bool {
        true
    }

    /// The machines that take part, the one that drives first.
    ///
    /// # Errors
    /// As [`Agent::call`].
    fn machines(&mut self, watch: &mut CallContext<'_>) -> Result<Vec<Machine>, AgentError> {
        Ok(vec![self.describe(watch)?])
    }

    /// What could disturb a measurement now, of each machine in the order of
    /// [`Agent::machines`]; absent of one that cannot look, which measures all the
    /// same.
    fn looks(&mut self, watch: &mut CallContext<'_>) -> Vec<Option<Diagnosis>> {
        match self.call(Request::Diagnose, watch) {
            Ok(Reply::Diagnose(diagnosis)) => vec![Some(diagnosis)],
            _ => vec![None],
        }
    }

    /// What machine this is.
    ///
    /// # Errors
    /// As [`Agent::call`].
    fn describe(&mut self, watch: &mut CallContext<'_>) -> Result<Machine, AgentError> {
        match self.call(Request::Describe, watch)? {
            Reply::Machine(machine) => Ok(*machine),
            other => Err(unexpected(other)),
        }
    }
}

/// What to make of a reply that does not fit the request.
#[must_use]
pub fn unexpected(reply: Reply) -> AgentError {
    match reply {
        Reply::Failed { reason } => AgentError::Failed(reason),
        Reply::Cancelled => AgentError::Cancelled,
        other => AgentError::Failed(format!("the agent answered something else: {other:?}")),
    }
}

/// The settings that the agents of this build can change, in documentation
/// order.
#[must_use]
pub fn settings() -> Vec<&'static SettingSpec> {
    machine::setting::TABLE.iter().map(|setting| setting.spec()).collect()
}

/// What the agents of this build can run.
#[must_use]
pub fn catalogue() -> Catalogue {
    load::workload::catalogue()
}
