//! An agent that answers what a plan asks and touches nothing.

use agent::{Agent, AgentError, CallContext};
use model::message::{Reply, Request};
use model::plan::Survey;
use model::{Plan, Study};
use study::plan;

struct Pretender;

impl Agent for Pretender {
    fn call(&mut self, request: Request, _watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        Ok(match request {
            Request::Describe => Reply::Machine(Box::default()),
            Request::Survey { cases, .. } => {
                Reply::Survey(cases.into_iter().map(|loads| Survey { loads, ..Survey::default() }).collect())
            }
            _ => Reply::Failed { reason: "nobody pretends that".to_owned() },
        })
    }
}

/// The plan of a study, if it has one. That something is wrong with it is no fault.
pub fn plan(study: &Study) -> Option<Plan> {
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    let planned = plan::make(study, &agent::catalogue(), &mut Pretender, &mut watch);
    planned.ok().map(|planned| planned.plan)
}
