//! What a node reads of the answers of its agent: it passes them on as they are, and must know only whether one is an answer,
//! and of some short ones how they turned out.

use model::message::{FromAgent, Reply};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The longest reply that is looked at: that a rendezvous address is open or something is presented, or why not, bytes.
const SHORT: usize = 4096;

/// Whether a frame of the agent is the answer.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ControllerMessage {
    Event(IgnoredAny),
    Reply(IgnoredAny),
}

/// Whether a frame of the agent is an answer, and no event.
pub(super) fn is_reply(frame: &[u8]) -> bool {
    matches!(serde_json::from_slice(frame), Ok(ControllerMessage::Reply(_)))
}

/// The reply in a frame of the agent, where it is a short one.
pub(super) fn short_reply(frame: &[u8]) -> Option<Reply> {
    match (frame.len() < SHORT).then(|| serde_json::from_slice(frame))? {
        Ok(FromAgent::Reply(reply)) => Some(reply),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_events_and_only_short_ones_are_read() {
        let body = |message: &FromAgent| serde_json::to_vec(message).unwrap();
        let event = body(&FromAgent::Event(model::AgentEvent::Working { beat: 1 }));
        assert!(!is_reply(&event) && short_reply(&event).is_none());
        let failed = |length: usize| FromAgent::Reply(Reply::Failed { reason: "x".repeat(length) });
        assert!(is_reply(&body(&failed(1))) && is_reply(&body(&failed(SHORT))));
        assert!(matches!(short_reply(&body(&failed(1))), Some(Reply::Failed { .. })));
        assert_eq!(short_reply(&body(&failed(SHORT))), None);
    }
}
