//! Making the tree small: equal siblings become one card, and what is too much
//! to show becomes a number.

use std::collections::{BTreeMap, BTreeSet};

use super::share::CaseView;
use super::tree::{Kind, Link, Node, Tree};
use super::wording;

/// Cards that hang below one card at most.
const MOST_SIBLINGS: usize = 24;
/// Cards of the whole picture at most.
const MOST_CARDS: usize = 60;

/// Merges equal siblings, from the leaves up.
pub(super) fn equal(nodes: Vec<Node>, view: &CaseView) -> Vec<Node> {
    let mut kept: Vec<(String, Node)> = Vec::new();
    let mut index = BTreeMap::new();
    for mut node in nodes {
        node.children = equal(std::mem::take(&mut node.children), view);
        let signature = signature(&node, view);
        match index.get(&signature) {
            Some(&i) if merges(&node) => {
                let (_, first): &mut (String, Node) = &mut kept[i];
                merge(first, node);
            }
            _ => {
                index.insert(signature.clone(), kept.len());
                kept.push((signature, node));
            }
        }
    }
    kept.into_iter().map(|(_, node)| node).collect()
}

/// Packages stay apart: each has its own place.
fn merges(node: &Node) -> bool {
    matches!(node.kind, Kind::Hub | Kind::Disk | Kind::Network)
}

/// What two cards must have in common to become one. Names are left out, except
/// where nothing else is known.
fn signature(node: &Node, view: &CaseView) -> String {
    let link = |link: &Option<Link>| {
        let l = link.as_ref()?;
        let passed = view.passes(&l.resources);
        Some(format!("{}|{:?}|{:?}|{:?}|{passed}", l.what, l.rate, l.warnings, l.notes))
    };
    let children: Vec<String> = node.children.iter().map(|c| signature(c, view)).collect();
    format!(
        "{:?}/{}/{}/{:?}/{:?}/{:?}/{}/{}/{children:?}",
        node.kind,
        node.count,
        node.head,
        node.lines,
        link(&node.link),
        link(&node.out),
        node.usage,
        view.passes(&node.resources),
    )
}

fn merge(into: &mut Node, other: Node) {
    into.count += other.count;
    into.names.extend(other.names);
    into.resources.extend(other.resources);
    merge_link(&mut into.link, other.link);
    merge_link(&mut into.out, other.out);
    for (first, second) in into.children.iter_mut().zip(other.children) {
        merge(first, second);
    }
}

fn merge_link(into: &mut Option<Link>, other: Option<Link>) {
    if let (Some(into), Some(other)) = (into, other) {
        // Functions of one slot have the same link.
        let same = !other.resources.is_empty() && other.resources.iter().all(|r| into.resources.contains(r));
        if same {
            return;
        }
        into.count += other.count;
        into.resources.extend(other.resources);
    }
}

/// Leaves out what there is no room for, and says how much that was. What a case
/// passes stays before what it does not.
pub(super) fn bound(tree: &mut Tree, view: &CaseView) {
    let mut left = MOST_CARDS;
    cut(&mut tree.packages, "more-packages", &mut left, view);
    cut(&mut tree.loose, "more", &mut left, view);
    cut(&mut tree.across, "more", &mut left, view);
    // Level by level, so that a deep branch does not use up the room of others.
    let mut level: Vec<&mut Node> = tree.packages.iter_mut().chain(&mut tree.loose).collect();
    while !level.is_empty() {
        let mut next = Vec::new();
        for node in level {
            cut(&mut node.children, "more", &mut left, view);
            next.extend(node.children.iter_mut());
        }
        level = next;
    }
}

fn cut(nodes: &mut Vec<Node>, key: &str, left: &mut usize, view: &CaseView) {
    let most = MOST_SIBLINGS.min(*left);
    if nodes.len() > most {
        // What the case passes, then what is not one more of many disks.
        let rank = |node: &Node| if passes(node, view) { 0 } else { 1 + u8::from(node.kind == Kind::Disk) };
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_cached_key(|at| rank(&nodes[*at]));
        let kept: BTreeSet<usize> = order.into_iter().take(most).collect();
        let (mut at, mut hidden, mut numa) = (0, 0, None);
        nodes.retain(|node| {
            let keep = kept.contains(&at);
            at += 1;
            if !keep {
                hidden += node.leaves();
                numa = node.numa;
            }
            keep
        });
        let mut more = Node::new(Kind::More, wording::counted(view.words, key, hidden));
        more.numa = numa;
        nodes.push(more);
    }
    *left = left.saturating_sub(nodes.len());
}

fn passes(node: &Node, view: &CaseView) -> bool {
    let mut found = false;
    node.walk(&mut |n| found = found || view.mark(&n.all_resources().cloned().collect::<Vec<_>>()).on);
    found
}
