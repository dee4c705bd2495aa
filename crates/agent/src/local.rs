//! The agent as a child process: started when needed, watched, and started
//! again after it died.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use model::message::{Reply, Request};

use crate::child::{AgentProcess, ChildCommand, FINISH_GRACE};
use crate::converse::{AgentTransport, converse};
use crate::{Agent, AgentError, CallContext, OutOfBand, wire};

/// An agent in a child process of this one.
#[derive(Debug)]
pub struct LocalAgent {
    command: ChildCommand,
    /// How long a request may take without progress, and the child stop in the middle of a word.
    patience: Duration,
    link: Option<Link>,
}

#[derive(Debug)]
struct Link {
    process: AgentProcess,
    stream: UnixStream,
}

impl LocalAgent {
    /// An agent that is started as `program arguments...`, with its end of a
    /// socketpair as standard input, and must then call [`crate::serve`]. A
    /// request without progress for `patience` is given up.
    #[must_use]
    pub fn new(program: OsString, arguments: Vec<OsString>, patience: Duration) -> Self {
        Self { command: ChildCommand { program, arguments }, patience, link: None }
    }

    /// Tells the child to put everything away and waits for its end.
    pub fn finish(&mut self) {
        if let Some(mut link) = self.link.take() {
            let _ = wire::send(&mut link.stream, &Request::Finish);
            link.process.finish_within(FINISH_GRACE);
        }
    }
}

impl Drop for LocalAgent {
    fn drop(&mut self) {
        self.finish();
    }
}

impl AgentTransport for LocalAgent {
    fn stream(&mut self) -> Result<&mut UnixStream, AgentError> {
        let unreachable = |e: io::Error| AgentError::Unreachable(e.to_string());
        if self.link.is_none() {
            let (process, stream) = self.command.start().map_err(unreachable)?;
            // An agent that stops in the middle of a word must not stop us.
            stream.set_read_timeout(Some(self.patience)).map_err(unreachable)?;
            self.link = Some(Link { process, stream });
        }
        let link = self.link.as_mut().ok_or_else(|| AgentError::Unreachable("no link".to_owned()))?;
        Ok(&mut link.stream)
    }

    fn lost(&mut self) -> AgentError {
        AgentError::Died(match self.link.take() {
            Some(mut link) => link.process.ended(),
            None => "the load's process ended".to_owned(),
        })
    }

    fn abandon(&mut self) {
        if let Some(mut link) = self.link.take() {
            let _ = link.process.kill();
        }
    }
}

impl Agent for LocalAgent {
    fn out_of_band(&mut self) -> Result<OutOfBand, AgentError> {
        let stream = self.stream()?.try_clone().map_err(|e| AgentError::Unreachable(e.to_string()))?;
        Ok(Box::new(move |request| wire::send(&mut &stream, request)))
    }

    fn call(&mut self, request: Request, watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        let patience = self.patience;
        converse(self, patience, &request, watch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_an_agent_that_stopped_in_the_middle_of_a_word_was_said_to_speak_nonsense() {
        // A frame of 64 bytes, of which one comes.
        let script = "printf '\\100\\000\\000\\000{' >&0; exec sleep 30";
        let arguments = ["-c", script].map(OsString::from).to_vec();
        let mut agent = LocalAgent::new("/bin/sh".into(), arguments, Duration::from_millis(200));
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        let answer = agent.call(Request::Cancel, &mut watch);
        assert!(matches!(answer, Err(AgentError::Hung(_))), "{answer:?}");
    }
}
