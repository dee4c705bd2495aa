//! A look at a machine on which a node of the same run is, too: its agent waits
//! for us, and is no stranger that could disturb.

use model::machine::Diagnosis;
use model::{Finding, Value};

/// What the doctor calls another Headroom that is there.
const OTHER_HEADROOM: &str = "other-headroom";

/// The findings without the one about another Headroom, where there is one only:
/// that is the node.
pub(crate) fn without_our_node(mut look: Diagnosis) -> Diagnosis {
    let is_ours = |f: &Finding| f.code == OTHER_HEADROOM && f.args.get("count") == Some(&Value::Integer(1));
    look.findings.retain(|f| !is_ours(f));
    look
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::clock;
    use model::message::{Reply, Request};
    use model::{FindingKind, Severity};

    use super::*;
    use crate::{Agent, AgentError, AgentGroup, CallContext, FarEnd};

    /// Sees one thing, by a clock that is so far ahead.
    struct Watchman {
        ahead_ns: u64,
        sees: &'static str,
    }

    impl Agent for Watchman {
        fn call(&mut self, request: Request, _watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
            let seen = Finding::new(FindingKind::Condition, self.sees, Severity::Note)
                .worded("seen")
                .arg("count", 1_u64);
            Ok(match request {
                Request::Time => Reply::Time(clock::now_ns() + self.ahead_ns),
                Request::Diagnose => {
                    Reply::Diagnose(Diagnosis { findings: vec![seen], ..Diagnosis::default() })
                }
                _ => Reply::Done,
            })
        }
    }

    #[test]
    fn every_machine_is_looked_at_once() {
        let codes = |machine: Option<&str>, ahead_ns: u64| -> Vec<Option<Vec<String>>> {
            let far = FarEnd {
                agent: Box::new(Watchman { ahead_ns, sees: "governor" }),
                address: [192, 0, 2, 1].into(),
                dials: None,
                machine: machine.map(str::to_owned),
            };
            let near = Box::new(Watchman { ahead_ns: 0, sees: OTHER_HEADROOM });
            let mut pair = AgentGroup::new(near, BTreeMap::from([("peer".to_owned(), far)]));
            let looks = pair.looks(&mut CallContext { on_event: &mut |_| {}, cancelled: &|| false });
            looks.into_iter().map(|look| Some(look?.findings.into_iter().map(|f| f.code).collect())).collect()
        };
        let code = |code: &str| Some(vec![code.to_owned()]);
        // A kernel that started five seconds before this one.
        assert_eq!(codes(Some("peer"), 5_000_000_000), [code(OTHER_HEADROOM), code("governor")]);
        assert_eq!(codes(Some("peer"), 0), [Some(vec![]), None], "the node is on this machine");
        assert_eq!(codes(None, 0), [code(OTHER_HEADROOM)]);
    }

    #[test]
    fn the_node_of_this_run_is_no_other_headroom_and_a_second_one_is() {
        let found = |code: &str, count: u64| {
            Finding::new(FindingKind::Condition, code, Severity::Warning).worded("seen").arg("count", count)
        };
        let left = |findings: Vec<Finding>| {
            without_our_node(Diagnosis { findings, ..Diagnosis::default() }).findings
        };
        assert_eq!(left(vec![found(OTHER_HEADROOM, 1)]), []);
        let others = vec![found(OTHER_HEADROOM, 2), found("steal", 1)];
        assert_eq!(left(others.clone()), others);
    }
}
