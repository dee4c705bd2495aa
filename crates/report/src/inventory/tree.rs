//! Things that stand on one another. Neighbours that are
//! alike, with all below them, are one entry: twelve equal disks are a line.

use std::collections::BTreeSet;

use super::layout::names;
use crate::document::{Branch, Text};

/// Levels that are followed; below them is what only a garbled machine has.
const DEPTH_MAX: usize = 32;

/// One thing of a tree.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) name: String,
    /// What it is; shown behind the name.
    pub(super) head: String,
    /// What it is without what tells equal ones apart, where that is in `head`.
    pub(super) kind: Option<String>,
    /// Further facts, a line each.
    pub(super) lines: Vec<String>,
    /// What differs among equal ones: a word before, and each one's own.
    pub(super) own: Option<(&'static str, String)>,
    /// What stands on it, by place among the nodes.
    pub(super) children: Vec<usize>,
}

/// All that is reached from `roots`; then those that are not, which stand on one
/// another in a circle.
pub(super) fn branches(nodes: &[Node], roots: &[usize]) -> Vec<Branch> {
    let mut tree = Tree { nodes, seen: BTreeSet::new() };
    let mut out = tree.siblings(0, &[roots.to_vec()]);
    out.extend((0..nodes.len()).filter_map(|index| tree.group(0, &[index])));
    out
}

struct Tree<'a> {
    nodes: &'a [Node],
    seen: BTreeSet<usize>,
}

impl Tree<'_> {
    /// Siblings; of several equal families, the first stands for all and
    /// the names are of all.
    fn siblings(&mut self, level: usize, families: &[Vec<usize>]) -> Vec<Branch> {
        let Some(first) = families.first().filter(|_| level < DEPTH_MAX) else { return Vec::new() };
        let shapes: Vec<String> = first.iter().map(|i| self.shape(*i, level)).collect();
        let mut start = 0;
        let mut out = Vec::new();
        for run in shapes.chunk_by(|a, b| a == b) {
            let places = start..start + run.len();
            start = places.end;
            let group: Vec<usize> =
                families.iter().flat_map(|f| f.get(places.clone()).unwrap_or_default()).copied().collect();
            out.extend(self.group(level, &group));
        }
        out
    }

    /// Equal ones as one entry, with what stands on them.
    fn group(&mut self, level: usize, group: &[usize]) -> Option<Branch> {
        let new: Vec<usize> = group.iter().copied().filter(|i| self.seen.insert(*i)).collect();
        let members: Vec<&Node> = new.iter().filter_map(|i| self.nodes.get(*i)).collect();
        let first = members.first()?;
        let all: Vec<&str> = members.iter().map(|n| n.name.as_str()).collect();
        let mut own: Vec<&str> = members.iter().filter_map(|n| Some(n.own.as_ref()?.1.as_str())).collect();
        own.dedup();
        let mut lines = first.lines.clone();
        if let (Some((word, _)), false) = (&first.own, own.is_empty()) {
            lines.push(format!("{word} {}", names(&own)));
        }
        let head = match &first.kind {
            Some(kind) if members.len() > 1 => kind,
            _ => &first.head,
        };
        let families: Vec<Vec<usize>> = members.iter().map(|n| n.children.clone()).collect();
        lines.retain(|line| !line.trim().is_empty());
        Some(Branch {
            head: Text::default().strong(names(&all)).plain(format!("  {head}")),
            lines: lines.into_iter().map(Text::from).collect(),
            children: self.siblings(level + 1, &families),
        })
    }

    /// What is equal of equal ones: all but the names.
    fn shape(&self, index: usize, level: usize) -> String {
        let Some(node) = self.nodes.get(index).filter(|_| level < DEPTH_MAX) else { return String::new() };
        let mut shape = format!(
            "{}\n{}\n{}",
            node.kind.as_ref().unwrap_or(&node.head),
            node.lines.join("\n"),
            node.own.is_some()
        );
        for child in &node.children {
            shape.push_str(&format!("\n[{}]", self.shape(*child, level + 1)));
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, head: &str, children: &[usize]) -> Node {
        Node {
            name: name.to_owned(),
            head: head.to_owned(),
            children: children.to_vec(),
            own: Some(("at", format!("bay of {name}"))),
            ..Node::default()
        }
    }

    #[test]
    fn equal_families_are_one_with_all_names() {
        let nodes = [
            node("sda", "disk", &[3]),
            node("sdb", "disk", &[4]),
            node("sdc", "other", &[]),
            node("sda1", "part", &[]),
            node("sdb1", "part", &[]),
        ];
        let shown = branches(&nodes, &[0, 1, 2]);
        let words = |all: &[Branch]| all.iter().map(|b| b.head.words()).collect::<Vec<_>>();
        assert_eq!(words(&shown), ["sda, sdb  disk", "sdc  other"]);
        assert_eq!(shown[0].lines[0].words(), "at bay of sda, bay of sdb");
        assert_eq!(words(&shown[0].children), ["sda1, sdb1  part"]);
    }

    #[test]
    fn what_stands_on_itself_ends() {
        let nodes = [node("a", "x", &[1]), node("b", "y", &[0])];
        let all = branches(&nodes, &[]);
        assert_eq!((all.len(), all[0].children.len()), (1, 1));
        let nodes = [node("a", "x", &[0, 7])];
        assert!(branches(&nodes, &[])[0].children.is_empty());
    }
}
