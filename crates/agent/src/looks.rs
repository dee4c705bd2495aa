//! A look at a machine on which a node of the same run is, too: its agent waits
//! for us, and is no stranger that could disturb.

use model::{Finding, Value};

/// What the doctor calls another Headroom that is there.
const OTHER_HEADROOM: &str = "other-headroom";

/// The findings without the one about another Headroom, where there is one only:
/// that is the node.
pub(crate) fn without_our_node(mut findings: Vec<Finding>) -> Vec<Finding> {
    let is_ours = |f: &Finding| f.code == OTHER_HEADROOM && f.args.get("count") == Some(&Value::Integer(1));
    findings.retain(|f| !is_ours(f));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{FindingKind, Severity};

    #[test]
    fn the_node_of_this_run_is_no_other_headroom_and_a_second_one_is() {
        let found = |code: &str, count: u64| {
            Finding::new(FindingKind::Condition, code, Severity::Warning, "seen").arg("count", count)
        };
        assert_eq!(without_our_node(vec![found(OTHER_HEADROOM, 1)]), []);
        let others = vec![found(OTHER_HEADROOM, 2), found("steal", 1)];
        assert_eq!(without_our_node(others.clone()), others);
    }
}
