//! Stacks that a node makes and presents: the node is asked first, then this end attaches what it presents; at the end this
//! end lets go first. The node holds nothing whose controller is gone, and this end nothing that it did not write down.

use std::collections::BTreeMap;
use std::net::IpAddr;

use load::workload::disk::stack::presented_by;
use model::message::{Reply, Request};
use model::plan::{FixtureKey, Problem, Survey};
use model::present::{AttachOrder, PresentOrder};

use super::{FarEnd, of_far};
use crate::{Agent, AgentError, CallContext, unexpected};

/// What helps where a node refuses.
const HELP: &str =
    "see that the node has what it needs, and was started for this target: `headroom node --present PATH`";

/// What `fixtures` need of nodes, each with what the study calls the node.
fn asked(fixtures: &[FixtureKey], far: &BTreeMap<String, FarEnd>) -> Vec<(String, PresentOrder)> {
    let of_one = |(peer, order): (String, PresentOrder)| {
        let listen = far.get(&peer).map_or(order.listen, |end| end.address);
        (peer, PresentOrder { listen, ..order })
    };
    fixtures.iter().filter_map(presented_by).map(of_one).collect()
}

/// Refuses what the nodes cannot present, in their words.
pub(super) fn check(
    far: &mut BTreeMap<String, FarEnd>,
    surveys: &mut [Survey],
    watch: &mut CallContext<'_>,
) -> Result<(), AgentError> {
    let mut known: Vec<((String, PresentOrder), Option<Problem>)> = Vec::new();
    for survey in surveys.iter_mut().filter(|survey| survey.problem.is_none()) {
        for one in asked(&survey.fixtures, far) {
            let found = known.iter().find(|(looked_at, _)| *looked_at == one).map(|(_, found)| found.clone());
            let problem = match found {
                Some(problem) => problem,
                None => {
                    let problem = why_not(far, &one.0, &one.1, watch)?;
                    known.push((one, problem.clone()));
                    problem
                }
            };
            survey.problem = survey.problem.take().or(problem);
        }
    }
    Ok(())
}

/// Why the node `peer` cannot present this; none where it can. It touches nothing.
fn why_not(
    far: &mut BTreeMap<String, FarEnd>,
    peer: &str,
    order: &PresentOrder,
    watch: &mut CallContext<'_>,
) -> Result<Option<Problem>, AgentError> {
    let Some(end) = far.get_mut(peer).filter(|end| end.machine.is_some()) else {
        let help = "give what `headroom node` printed there";
        return Ok(Some(Problem::invalid(format!("there is no node `{peer}`"), help)));
    };
    if !end.is_ours() {
        return Ok(Some(Problem::invalid(
            format!("{peer} is another tool's server, which presents nothing"),
            "run `headroom node` there",
        )));
    }
    if end.dials.is_some() {
        return Ok(Some(Problem::invalid(
            format!("{peer} can only dial out, so that nothing of it can be attached here"),
            "start the node so that it listens, where this machine reaches it",
        )));
    }
    let refused = |why: String| Some(Problem::refused(format!("the node {peer}: {why}"), HELP));
    match end.agent.call(Request::LookAtPresented(order.clone()), watch).map_err(of_far)? {
        Reply::Missing(found) => Ok(found.into_iter().flatten().next().and_then(refused)),
        Reply::Failed { reason } => Ok(refused(reason)),
        other => Err(unexpected(other)),
    }
}

/// Has nodes present what `fixtures` need of them, and makes these here.
pub(super) fn prepare(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    fixtures: Vec<FixtureKey>,
    watch: &mut CallContext<'_>,
) -> Result<Reply, AgentError> {
    let all = asked(&fixtures, far);
    let made = all
        .iter()
        .try_for_each(|(peer, order)| present(near, far, peer, order, watch))
        .and_then(|()| near.call(Request::Prepare { fixtures }, watch));
    if !matches!(made, Ok(Reply::Done)) {
        // What could not be attached is of no use to anybody.
        let mut to_the_end = CallContext { on_event: &mut *watch.on_event, cancelled: &|| false };
        let _ = withdraw(far, &all, &mut to_the_end);
    }
    made
}

/// Has the node `peer` present this, and this end know of it.
fn present(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    peer: &str,
    order: &PresentOrder,
    watch: &mut CallContext<'_>,
) -> Result<(), AgentError> {
    let missing = || AgentError::Failed(format!("there is no peer `{peer}`"));
    let end = far.get_mut(peer).ok_or_else(missing)?;
    let address: IpAddr = end.address;
    let target = match end.agent.call(Request::Present(order.clone()), watch).map_err(of_far)? {
        Reply::Presented(target) => target,
        other => return Err(of_far(unexpected(other))),
    };
    let attached = AttachOrder { peer: peer.to_owned(), order: order.clone(), address, target };
    done(near.call(Request::Attach(Box::new(attached)), watch))
}

/// Puts fixtures away here, and then what nodes presented for them.
pub(super) fn release(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    fixtures: Vec<FixtureKey>,
    watch: &mut CallContext<'_>,
) -> Result<Reply, AgentError> {
    let all = asked(&fixtures, far);
    let released = near.call(Request::Release { fixtures }, watch);
    match (withdraw(far, &all, watch), released) {
        (Err(error), Ok(Reply::Done)) => Err(error),
        (_, released) => released,
    }
}

/// Has nodes take down what they presented; the first that could not.
fn withdraw(
    far: &mut BTreeMap<String, FarEnd>,
    all: &[(String, PresentOrder)],
    watch: &mut CallContext<'_>,
) -> Result<(), AgentError> {
    let mut first = Ok(());
    for (peer, order) in all {
        // One whose connection is lost has taken everything down itself.
        let Some(end) = far.get_mut(peer).filter(|end| end.agent.lives()) else { continue };
        let answer = done(end.agent.call(Request::Withdraw(order.clone()), watch));
        match answer {
            Ok(()) | Err(AgentError::Died(_) | AgentError::Unreachable(_)) => {}
            Err(error) => first = first.and(Err(of_far(error))),
        }
    }
    first
}

fn done(answer: Result<Reply, AgentError>) -> Result<(), AgentError> {
    match answer? {
        Reply::Done => Ok(()),
        other => Err(unexpected(other)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use load::workload::disk::stack::STACKS;
    use model::plan::Ownership;
    use model::present::{PresentedTarget, TargetSecret};

    use super::*;

    /// What was asked of either end, in order.
    type Asked = Arc<Mutex<Vec<(&'static str, Request)>>>;

    /// One end, which does what it is asked, but for what it refuses.
    struct ScriptedEnd {
        name: &'static str,
        asked: Asked,
        refuses: fn(&Request) -> bool,
    }

    impl Agent for ScriptedEnd {
        fn call(&mut self, request: Request, _: &mut CallContext<'_>) -> Result<Reply, AgentError> {
            self.asked.lock().unwrap().push((self.name, request.clone()));
            if (self.refuses)(&request) {
                return Ok(Reply::Failed { reason: "a full disk".to_owned() });
            }
            Ok(match request {
                Request::Present(_) => Reply::Presented(PresentedTarget {
                    layer: "headroom_0123456789abcdef_2".to_owned(),
                    uuid: "u".to_owned(),
                    secret: TargetSecret::new("s".to_owned()),
                }),
                Request::LookAtPresented(_) => Reply::Missing(vec![None]),
                _ => Reply::Done,
            })
        }
    }

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    struct Ends {
        near: ScriptedEnd,
        far: BTreeMap<String, FarEnd>,
        asked: Asked,
    }

    fn ends(refuses: fn(&Request) -> bool, machine: Option<&str>, dials: Option<IpAddr>) -> Ends {
        let asked = Asked::default();
        let end = |name| ScriptedEnd { name, asked: Arc::clone(&asked), refuses };
        let agent = Box::new(end("far"));
        let far = FarEnd { agent, address: ADDRESS, dials, machine: machine.map(str::to_owned) };
        Ends { near: end("near"), far: BTreeMap::from([("b".to_owned(), far)]), asked }
    }

    /// A stack that the node `b` presents.
    fn key() -> FixtureKey {
        let details = serde_json::json!({
            "stack": "loop > nvme-tcp", "height": 1, "member_bytes": 1 << 30, "targets": ["/srv"], "peer": "b",
        });
        FixtureKey { details, ..FixtureKey::new(STACKS.name, "b:/srv", 0, Ownership::Created) }
    }

    /// Does something with both ends; what came of it, and what each was asked.
    fn told(
        mut ends: Ends,
        does: impl FnOnce(&mut Ends, &mut CallContext<'_>) -> Result<Reply, AgentError>,
    ) -> (Result<Reply, AgentError>, Vec<(&'static str, Request)>) {
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        let outcome = does(&mut ends, &mut watch);
        let asked = ends.asked.lock().unwrap().clone();
        (outcome, asked)
    }

    fn prepared(refuses: fn(&Request) -> bool) -> (Result<Reply, AgentError>, Vec<(&'static str, Request)>) {
        told(ends(refuses, Some("b"), None), |ends, watch| {
            prepare(&mut ends.near, &mut ends.far, vec![key()], watch)
        })
    }

    #[test]
    fn a_node_presents_before_this_end_attaches_and_takes_down_after_it() {
        let (outcome, asked) = prepared(|_| false);
        assert_eq!(outcome, Ok(Reply::Done));
        let [("far", Request::Present(order)), ("near", Request::Attach(attached)), last] = &asked[..] else {
            panic!("{asked:?}")
        };
        assert!(matches!(last, ("near", Request::Prepare { .. })), "{last:?}");
        assert_eq!((order.listen, attached.address, &attached.order), (ADDRESS, ADDRESS, order));
        let (outcome, asked) = told(ends(|_| false, Some("b"), None), |ends, watch| {
            release(&mut ends.near, &mut ends.far, vec![key()], watch)
        });
        assert_eq!(outcome, Ok(Reply::Done));
        assert!(
            matches!(&asked[..], [("near", Request::Release { .. }), ("far", Request::Withdraw(_))]),
            "{asked:?}"
        );
    }

    #[test]
    fn what_cannot_be_attached_is_taken_down_at_the_node_at_once() {
        let (outcome, asked) = prepared(|request| matches!(request, Request::Prepare { .. }));
        assert_eq!(outcome, Ok(Reply::Failed { reason: "a full disk".to_owned() }));
        assert!(matches!(asked.last(), Some(("far", Request::Withdraw(_)))), "{asked:?}");
        // What a node does not present is not waited for here.
        let (outcome, asked) = prepared(|request| matches!(request, Request::Present(_)));
        assert_eq!(outcome, Err(AgentError::Failed("the other end: a full disk".to_owned())));
        assert!(asked.iter().all(|(end, _)| *end == "far"), "{asked:?}");
    }

    #[test]
    fn what_no_node_presents_concerns_this_end_alone() {
        let file = FixtureKey { kind: "file".to_owned(), ..key() };
        let (outcome, asked) = told(ends(|_| false, Some("b"), None), |ends, watch| {
            prepare(&mut ends.near, &mut ends.far, vec![file], watch)
        });
        assert_eq!((outcome, asked.len()), (Ok(Reply::Done), 1));
    }

    #[test]
    fn a_node_that_cannot_present_it_refuses_the_plan() {
        let problem = |refuses: fn(&Request) -> bool, machine: Option<&str>, dials: Option<IpAddr>| {
            let mut ends = ends(refuses, machine, dials);
            let mut surveys = [Survey { fixtures: vec![key()], ..Survey::default() }];
            let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
            check(&mut ends.far, &mut surveys, &mut watch).unwrap();
            surveys[0].problem.take().map(|problem| problem.message)
        };
        assert_eq!(problem(|_| false, Some("b"), None), None);
        let looks = |request: &Request| matches!(request, Request::LookAtPresented(_));
        assert!(problem(looks, Some("b"), None).unwrap().contains("the node b: a full disk"));
        assert!(problem(|_| false, Some("b"), Some(ADDRESS)).unwrap().contains("only dial out"));
        assert!(problem(|_| false, Some("iperf3://b"), None).unwrap().contains("another tool"));
        assert!(problem(|_| false, None, None).unwrap().contains("no node"));
    }
}
