//! Things that stand on one another, as an indented text. Neighbours that are
//! alike, with all below them, are one entry: twelve equal disks are a line.

use std::collections::BTreeSet;

use super::layout::{entry, names};

/// Levels that are followed; below them is what only a garbled machine has.
const DEPTH_MAX: usize = 32;

/// One thing of a tree.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// What it is called.
    pub(super) name: String,
    /// What it is; shown behind the name.
    pub(super) head: String,
    /// What it is without what tells equal ones apart, where that is in `head`.
    pub(super) kind: Option<String>,
    /// What else is to be said of it.
    pub(super) lines: Vec<String>,
    /// What differs among equal ones: a word before, and each one's own.
    pub(super) own: Option<(&'static str, String)>,
    /// What stands on it, by place among the nodes.
    pub(super) children: Vec<usize>,
}

/// The text of all that is reached from `roots`; then of those of `all` that
/// are not, which stand on one another in a circle.
pub(super) fn text(nodes: &[Node], roots: &[usize], all: impl IntoIterator<Item = usize>) -> String {
    let mut tree = Tree { nodes, seen: BTreeSet::new(), out: String::new() };
    tree.siblings(0, &[roots.to_vec()]);
    for index in all {
        tree.group(0, &[index]);
    }
    tree.out
}

struct Tree<'a> {
    nodes: &'a [Node],
    seen: BTreeSet<usize>,
    out: String,
}

impl Tree<'_> {
    /// Writes siblings; of several equal families, the first stands for all and
    /// the names are of all.
    fn siblings(&mut self, level: usize, families: &[Vec<usize>]) {
        let Some(first) = families.first().filter(|_| level < DEPTH_MAX) else { return };
        let shapes: Vec<String> = first.iter().map(|i| self.shape(*i, level)).collect();
        let mut start = 0;
        for run in shapes.chunk_by(|a, b| a == b) {
            let places = start..start + run.len();
            start = places.end;
            let group: Vec<usize> =
                families.iter().flat_map(|f| f.get(places.clone()).unwrap_or_default()).copied().collect();
            self.group(level, &group);
        }
    }

    /// Writes equal ones as one entry, then what stands on them.
    fn group(&mut self, level: usize, group: &[usize]) {
        let new: Vec<usize> = group.iter().copied().filter(|i| self.seen.insert(*i)).collect();
        let members: Vec<&Node> = new.iter().filter_map(|i| self.nodes.get(*i)).collect();
        let Some(first) = members.first() else { return };
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
        self.out.push_str(&entry(level, &format!("{}  {head}", names(&all)), lines));
        let families: Vec<Vec<usize>> = members.iter().map(|n| n.children.clone()).collect();
        self.siblings(level + 1, &families);
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
        let shown = text(&nodes, &[0, 1, 2], 0..5);
        let expected = "  sda, sdb  disk\n      at bay of sda, bay of sdb\n    sda1, sdb1  part\n        at bay of sda1, \
                        bay of sdb1\n  sdc  other\n      at bay of sdc\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_stands_on_itself_ends() {
        let nodes = [node("a", "x", &[1]), node("b", "y", &[0])];
        assert_eq!(text(&nodes, &[], 0..nodes.len()).matches("bay of").count(), 2);
        let nodes = [node("a", "x", &[0, 7])];
        assert_eq!(text(&nodes, &[], 0..nodes.len()).matches("bay of").count(), 1);
    }
}
