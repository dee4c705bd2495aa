//! The picture as a tree, before anything has a place: what hangs below what,
//! by which link, with what on top.

use language::Words;
use model::Resource;

use super::wording;
use crate::svg::join;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Package,
    Memory,
    /// A chipset, switch, bridge or controller.
    Hub,
    Disk,
    /// A network interface or a card with some.
    Network,
    /// Something built from several of the others: an array, a bond.
    Across,
    /// What there was no room for.
    More,
}

/// One card of the picture, with all that hangs below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// How many equal things it stands for.
    pub(super) count: usize,
    /// What it is, as far as a title says it.
    pub(super) head: String,
    /// The kernel's names of what it stands for.
    pub(super) names: Vec<String>,
    pub(super) lines: Vec<String>,
    pub(super) tip: Vec<String>,
    pub(super) resources: Vec<Resource>,
    /// The link towards the CPU.
    pub(super) link: Option<Link>,
    /// The link out of the machine.
    pub(super) out: Option<Link>,
    /// What stands on it.
    pub(super) rungs: Vec<StackLevel>,
    pub(super) memory: Option<Box<Node>>,
    pub(super) children: Vec<Node>,
    pub(super) numa: Option<u32>,
    /// How it is used, in the same words for what is used alike.
    pub(super) usage: String,
}

impl Node {
    /// A card with nothing but its kind and what it is.
    pub(super) fn new(kind: Kind, head: impl Into<String>) -> Self {
        Self { kind, count: 1, head: head.into(), ..Self::default() }
    }

    /// What stands on the card in bold.
    pub(super) fn title(&self, words: &Words) -> String {
        let names = wording::names(words, &self.names);
        match (self.kind, self.count) {
            (Kind::Network, _) if !names.is_empty() => names,
            (Kind::Disk, 1) if self.head.is_empty() => names,
            (Kind::Disk, 1) => wording::named(words, &names, &self.head),
            (Kind::Disk, n) if self.head.is_empty() => format!("{n} × {names}"),
            (Kind::Disk, n) => wording::named(words, &format!("{n} × {}", self.head), &names),
            (_, 1) => self.head.clone(),
            (_, n) => format!("{n} × {}", self.head),
        }
    }

    pub(super) fn tooltip(&self, words: &Words) -> String {
        const MOST_NAMES: usize = 32;
        let mut parts = vec![self.title(words)];
        if self.names.len() > 3 {
            let mut names = self.names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
            if self.names.len() > MOST_NAMES {
                names = wording::more_names(words, &names, self.names.len() - MOST_NAMES);
            }
            parts.push(names);
        }
        parts.extend(self.lines.iter().chain(&self.tip).cloned());
        parts.join("\n")
    }

    /// Cards from here down, this one first, memory before what hangs below.
    pub(super) fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        visit(self);
        if let Some(memory) = &self.memory {
            memory.walk(visit);
        }
        for child in &self.children {
            child.walk(visit);
        }
    }

    pub(super) fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Node)) {
        visit(self);
        if let Some(memory) = &mut self.memory {
            memory.walk_mut(visit);
        }
        for child in &mut self.children {
            child.walk_mut(visit);
        }
    }

    /// How many things are here at the ends of the tree.
    pub(super) fn leaves(&self) -> usize {
        if self.children.is_empty() {
            return self.count;
        }
        self.children.iter().map(Node::leaves).sum()
    }

    /// Every resource that the card and its links stand for, not what is below.
    pub(super) fn all_resources(&self) -> impl Iterator<Item = &Resource> {
        let links = self.link.iter().chain(&self.out).flat_map(|l| &l.resources);
        self.resources.iter().chain(links).chain(self.rungs.iter().flat_map(|r| &r.resources))
    }
}

/// A link between two cards, or out of the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Link {
    /// What it is: `PCIe 3.0 x4`.
    pub(super) what: String,
    /// Its rate as text: `3.9 GB/s`.
    pub(super) rate: Option<String>,
    /// What else there is to say: what payload can get, what was imposed.
    pub(super) notes: Vec<String>,
    /// What is wrong with it, before the notes and in another colour.
    pub(super) warnings: Vec<String>,
    /// Bytes per second that decide how wide it is drawn.
    pub(super) bytes_per_second: Option<f64>,
    pub(super) count: usize,
    pub(super) resources: Vec<Resource>,
    /// Where its figures are from, for the tooltip.
    pub(super) tip: Vec<String>,
}

impl Link {
    /// What is written beside it: `PCIe 3.0 x4, 3.9 GB/s`.
    pub(super) fn label(&self, words: &Words) -> String {
        let several = self.count > 1;
        let rate = self.rate.as_deref().map(|rate| match several {
            true => wording::fill(words, "each", &[("rate", rate)]),
            false => rate.to_owned(),
        });
        let label = wording::list(words, [self.what.as_str(), rate.as_deref().unwrap_or_default()]);
        if several && !label.is_empty() { format!("{} × {label}", self.count) } else { label }
    }

    pub(super) fn tooltip(&self, words: &Words) -> String {
        let said = self.warnings.iter().chain(&self.notes).chain(&self.tip);
        join(std::iter::once(&self.label(words)).chain(said), "\n")
    }
}

/// One rung of the ladder of what stands on a disk or an interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StackLevel {
    /// How many rungs it stands upon.
    pub(super) depth: usize,
    /// What it is: `md0: RAID 6 of 8 disks, 6 TB`.
    pub(super) text: String,
    /// Where it is mounted: `xfs on /data`.
    pub(super) mount: String,
    pub(super) resources: Vec<Resource>,
    pub(super) tip: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The CPU packages, each with what hangs below.
    pub(super) packages: Vec<Node>,
    /// What hangs somewhere that is not known.
    pub(super) loose: Vec<Node>,
    /// What stands on several of the cards at once.
    pub(super) across: Vec<Node>,
}

impl Tree {
    pub(super) fn walk<'a>(&'a self, mut visit: impl FnMut(&'a Node)) {
        for node in self.packages.iter().chain(&self.loose).chain(&self.across) {
            node.walk(&mut visit);
        }
    }

    pub(super) fn walk_mut(&mut self, mut visit: impl FnMut(&mut Node)) {
        for node in self.packages.iter_mut().chain(&mut self.loose).chain(&mut self.across) {
            node.walk_mut(&mut visit);
        }
    }
}
