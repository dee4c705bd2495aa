//! To what rates the queueing disciplines of an interface hold what it sends: all of it, each connection, or a part of the
//! packets.

use std::collections::BTreeSet;

use super::netlink::Node;
use super::wire::ROOT;

/// Those whose classes have rates of their own.
pub(super) const CLASSFUL: [&str; 2] = ["htb", "hfsc"];
/// Deeper stacks than anybody builds.
const DEPTH: usize = 8;

/// Whether a queueing discipline stands below another.
fn is_below(child: &Node, node: &Node) -> bool {
    child.parent != ROOT && child.parent >> 16 == node.handle >> 16
}

/// Bytes per second that each connection by itself gets through the queueing disciplines of one interface: `maxrate` of fq at
/// the root, below what passes all on to it, or on each queue of the hardware.
pub(super) fn each_held_to(qdiscs: &[&Node]) -> Option<u64> {
    let mut at = qdiscs.iter().find(|node| node.parent == ROOT)?;
    for _ in 0..DEPTH {
        let mut below = qdiscs.iter().filter(|child| is_below(child, at));
        match at.kind.as_str() {
            "fq" => return at.flow_rate,
            // Which queue a connection takes nobody tells: the one that lets most through.
            "mq" => {
                return below.map(|queue| queue.flow_rate).try_fold(0, |most, rate| Some(rate?.max(most)));
            }
            "tbf" | "netem" => at = below.next()?,
            _ => return None,
        }
    }
    None
}

/// Bytes per second to which some packets are held and not all: rates of classes and of queueing disciplines below the root,
/// where these are less than what holds everything.
pub(super) fn parts_held_to(qdiscs: &[&Node], classes: &[Node], whole: Option<u64>) -> Vec<u64> {
    let below = qdiscs.iter().filter(|node| node.parent != ROOT).map(|node| node.rate);
    let all = below.chain(classes.iter().map(|class| class.rate)).flatten();
    let rates: BTreeSet<u64> =
        all.filter(|rate| *rate > 0 && whole.is_none_or(|whole| *rate < whole)).collect();
    rates.into_iter().take(PARTS_MOST).collect()
}

/// So many rates of classes are kept: with more, one is near any rate.
const PARTS_MOST: usize = 8;

/// Bytes per second that all packets together get through the queueing
/// disciplines of one interface.
///
/// TBF holds everything to its rate (tc-tbf(8)), and so do netem and CAKE where
/// they have one (tc-netem(8), tc-cake(8)), and what stands alone below netem or
/// TBF. HTB holds what has a class: its classes at
/// the root, which do not borrow of one another, to the sum of their ceilings,
/// unless packets that no filter names pass by all classes, as they do where
/// there is no default class (tc-htb(8)).
pub(super) fn held_to(qdiscs: &[&Node], classes: &[Node]) -> Option<u64> {
    let mut tightest: Option<u64> = None;
    let mut at = qdiscs.iter().find(|node| node.parent == ROOT);
    for _ in 0..DEPTH {
        let Some(node) = at else { break };
        let rate = if node.kind == "htb" { htb_ceiling(node, classes) } else { node.rate };
        tightest = tightest.into_iter().chain(rate.filter(|r| *r > 0)).min();
        let only_child = matches!(node.kind.as_str(), "tbf" | "netem");
        at = qdiscs.iter().find(|child| only_child && is_below(child, node));
    }
    tightest
}

fn htb_ceiling(root: &Node, classes: &[Node]) -> Option<u64> {
    let own = |class: &&Node| class.handle >> 16 == root.handle >> 16;
    classes.iter().filter(own).find(|class| Some(class.handle) == root.fallback)?;
    let tops = classes.iter().filter(own).filter(|class| class.parent == ROOT);
    tops.map(|class| class.rate).try_fold(0_u64, |sum, rate| sum.checked_add(rate?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn qdisc(handle: u32, parent: u32, kind: &str, rate: Option<u64>, fallback: Option<u32>) -> Node {
        let kind = kind.to_owned();
        Node { index: 1, handle, parent, kind, rate, flow_rate: None, limit: None, fallback, quantum: None }
    }

    #[test]
    fn a_token_bucket_holds_everything_even_below_netem() {
        let tbf = qdisc(0x1_0000, ROOT, "tbf", Some(125_000_000), None);
        let leaf = qdisc(0x2_0000, 0x1_0001, "fq_codel", None, None);
        assert_eq!(held_to(&[&leaf, &tbf], &[]), Some(125_000_000));
        let netem = qdisc(0x1_0000, ROOT, "netem", None, None);
        let below = qdisc(0x2_0000, 0x1_0001, "tbf", Some(1000), None);
        assert_eq!(held_to(&[&netem, &below], &[]), Some(1000));
        // One band of several holds nobody else.
        let prio = qdisc(0x1_0000, ROOT, "prio", None, None);
        assert_eq!(held_to(&[&prio, &below], &[]), None);
        let ring = qdisc(0x1_0000, 0x1_0001, "tbf", Some(7), None);
        assert_eq!(held_to(&[&tbf, &ring], &[]), Some(7));
        assert_eq!(held_to(&[], &[]), None);
    }

    #[test]
    fn a_hierarchy_holds_what_has_a_class() {
        let top = qdisc(0x1_0001, ROOT, "htb", Some(1000), None);
        let leaf = qdisc(0x1_0010, 0x1_0001, "htb", Some(400), None);
        let second = qdisc(0x1_0002, ROOT, "htb", Some(500), None);
        let classes = [top, leaf, second];
        let root = |fallback| qdisc(0x1_0000, ROOT, "htb", None, fallback);
        assert_eq!(held_to(&[&root(Some(0x1_0010))], &classes), Some(1500));
        assert_eq!(held_to(&[&root(None)], &classes), None, "what no filter names passes by");
        assert_eq!(held_to(&[&root(Some(0x1_0099))], &classes), None, "a default that is not there");
    }

    #[test]
    fn each_connection_is_held_by_fq_wherever_all_pass_it() {
        let fq = |handle, parent, rate| Node { flow_rate: rate, ..qdisc(handle, parent, "fq", None, None) };
        let root = fq(0x1_0000, ROOT, Some(1_250_000));
        assert_eq!((each_held_to(&[&root]), held_to(&[&root], &[])), (Some(1_250_000), None));
        let (netem, below) =
            (qdisc(0x1_0000, ROOT, "netem", None, None), fq(0x2_0000, 0x1_0001, Some(1_250_000)));
        assert_eq!(each_held_to(&[&below, &netem]), Some(1_250_000));
        let mq = qdisc(0, ROOT, "mq", None, None);
        let queues = |second| [fq(0x3_0000, 1, Some(1000)), fq(0x4_0000, 2, second)];
        let of = |second| {
            let [one, two] = queues(second);
            each_held_to(&[&mq, &one, &two])
        };
        assert_eq!((of(Some(2000)), of(None)), (Some(2000), None), "one queue lets any through");
        let prio = qdisc(0x1_0000, ROOT, "prio", None, None);
        assert_eq!(each_held_to(&[&prio, &below]), None, "one band of several");
        assert_eq!(each_held_to(&[&fq(0x1_0000, ROOT, None)]), None);
    }

    #[test]
    fn rates_that_hold_some_packets_are_told_where_none_holds_all() {
        let root = qdisc(0x1_0000, ROOT, "htb", None, None);
        let classes =
            [qdisc(0x1_0010, 0x1_0000, "htb", Some(400), None), qdisc(0x1_0020, 0x1_0000, "htb", None, None)];
        assert_eq!(parts_held_to(&[&root], &classes, held_to(&[&root], &classes)), [400]);
        let prio = qdisc(0x1_0000, ROOT, "prio", None, None);
        let band = qdisc(0x2_0000, 0x1_0001, "tbf", Some(1000), None);
        assert_eq!(parts_held_to(&[&prio, &band], &[], None), [1000]);
        let tbf = qdisc(0x1_0000, ROOT, "tbf", Some(125), None);
        assert!(parts_held_to(&[&tbf], &[], held_to(&[&tbf], &[])).is_empty(), "it holds all");
        // Packets that no filter names pass a class of 1000, those that one names a class of 100.
        let root = qdisc(0x1_0000, ROOT, "htb", None, Some(0x1_0010));
        let classes =
            [qdisc(0x1_0010, ROOT, "htb", Some(1000), None), qdisc(0x1_0020, ROOT, "htb", Some(100), None)];
        assert_eq!(parts_held_to(&[&root], &classes, held_to(&[&root], &classes)), [100, 1000]);
    }
}
