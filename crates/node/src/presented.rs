//! What a node presents to one controller, by what it was asked for: others may measure again once all of it is withdrawn.

use model::message::Reply;
use model::present::PresentOrder;

/// What is presented in a session.
#[derive(Debug, Default)]
pub(super) struct PresentedOrders {
    /// What is there.
    there: Vec<PresentOrder>,
    /// What the request under way asks for, if it presents or withdraws something.
    asked: Option<PresentOrder>,
    /// Whether something may be left where the agent's process died.
    may_leave: bool,
}

impl PresentedOrders {
    /// A request is under way that presents or withdraws `order`, or neither.
    pub(super) fn ask(&mut self, order: Option<PresentOrder>) {
        self.asked = order;
    }

    /// The request under way goes to the agent's process. One that waits for its turn, or is cancelled before it, leaves
    /// nothing.
    pub(super) fn begin(&mut self) {
        self.may_leave |= self.asked.is_some();
    }

    /// The request under way was answered so. What could not be withdrawn is there still.
    pub(super) fn answered(&mut self, reply: Option<&Reply>) {
        let Some(order) = self.asked.take() else { return };
        match reply {
            Some(Reply::Presented(_)) if !self.there.iter().any(|known| known.is_same(&order)) => {
                self.there.push(order);
            }
            Some(Reply::Done) => self.there.retain(|known| !known.is_same(&order)),
            _ => {}
        }
    }

    /// Whether nothing is presented.
    pub(super) fn is_empty(&self) -> bool {
        self.there.is_empty()
    }

    /// The agent's process is gone, and all that it presented with it; whether something of it may be left.
    pub(super) fn end(&mut self) -> bool {
        std::mem::take(self).may_leave
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use model::present::{PresentedTarget, TargetSecret};

    use super::*;

    fn order(target: &str) -> PresentOrder {
        PresentOrder {
            stack: "loop > iscsi".to_owned(),
            targets: vec![target.to_owned()],
            member_bytes: 1 << 30,
            listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }

    /// Bug: the first of several that was withdrawn let others measure, and so did one that could not be.
    #[test]
    fn others_wait_until_all_is_withdrawn_that_was_presented() {
        let mut presented = PresentedOrders::default();
        let target = PresentedTarget {
            layer: "headroom_0123456789abcdef_1".to_owned(),
            uuid: "u".to_owned(),
            secret: TargetSecret::new("s".to_owned()),
        };
        let mut told = |order: PresentOrder, reply: &Reply| {
            presented.ask(Some(order));
            presented.answered(Some(reply));
            presented.is_empty()
        };
        let failed = Reply::Failed { reason: "a full disk".to_owned() };
        let there = Reply::Presented(target);
        assert!(told(order("/a"), &failed));
        // What is presented already is asked for again before each trial.
        for name in ["/a", "/b", "/b"] {
            assert!(!told(order(name), &there), "{name}");
        }
        assert!(!told(order("/b"), &Reply::Done), "one is there still");
        assert!(!told(order("/a"), &failed), "it could not be withdrawn");
        assert!(told(order("/a"), &Reply::Done));
    }

    #[test]
    fn what_a_process_may_have_left_is_known_once() {
        let mut presented = PresentedOrders::default();
        presented.ask(None);
        presented.begin();
        assert!(!presented.end());
        // It was cancelled before its turn came.
        presented.ask(Some(order("/a")));
        presented.ask(None);
        assert!(!presented.end());
        presented.ask(Some(order("/a")));
        presented.begin();
        presented.ask(None);
        assert!(presented.end() && presented.is_empty());
        assert!(!presented.end());
    }
}
