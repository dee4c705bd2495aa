//! Which of some devices are mounted, in our mount namespace and in others,
//! and which belong to a file system that has several.

use std::collections::BTreeSet;

use super::node::Node;
use crate::Host;
use crate::inventory::block::mount::{self, Line};

/// The mounts of this machine, a table for each mount namespace.
#[derive(Debug)]
pub(super) struct Mounts {
    own: Vec<Line>,
    others: Vec<Line>,
}

impl Mounts {
    /// All that can be seen; without a table of our own nothing can be said.
    pub(super) fn of(host: &Host) -> Option<Self> {
        let own = mount::parse(&host.text("/proc/self/mountinfo")?);
        let others: Vec<String> = host.probe("mounts-elsewhere", || Ok(elsewhere())).unwrap_or_default();
        Some(Self { own, others: others.iter().flat_map(|text| mount::parse(text)).collect() })
    }

    /// A mount of the file system with this number.
    pub(super) fn numbered(&self, number: &str) -> Option<&Line> {
        self.own.iter().chain(&self.others).find(|line| line.number == number)
    }

    /// How `members` are mounted, as sentences. Where a device is mounted in our
    /// own namespace, what others see of it is not told.
    pub(super) fn uses(&self, host: &Host, members: &[Node]) -> Vec<String> {
        let mut uses = Vec::new();
        for node in members {
            let shown = node.shown();
            let here: Vec<&Line> = self.own.iter().filter(|line| is_of(host, line, node)).collect();
            let there = || self.others.iter().filter(|line| is_of(host, line, node)).collect::<Vec<_>>();
            let (lines, place) = match here.is_empty() {
                false => (here, ""),
                true => (there(), ", in another mount namespace"),
            };
            if let Some(points) = points(&lines) {
                uses.push(format!("{shown} is mounted at {points}{place}"));
            }
            if let Some(sentence) = self.shared_btrfs(host, node).filter(|_| lines.is_empty()) {
                uses.push(sentence);
            }
        }
        uses
    }

    /// What it means that `node` is one of several devices of a btrfs: the table
    /// of mounts names only one of them.
    fn shared_btrfs(&self, host: &Host, node: &Node) -> Option<String> {
        let devices = |id: &String| host.names(format!("/sys/fs/btrfs/{id}/devices"));
        let all = host.names("/sys/fs/btrfs").into_iter().map(|id| devices(&id));
        let names = all.into_iter().find(|names| names.contains(&node.name))?;
        let others: Vec<Node> = names.iter().filter_map(|name| Node::named(host, name)).collect();
        let lines = self.own.iter().chain(&self.others);
        let mounted = lines.filter(|line| others.iter().any(|other| is_of(host, line, other)));
        let shown = node.shown();
        Some(match points(&mounted.collect::<Vec<_>>()) {
            Some(points) => format!("{shown} is one of the devices of the btrfs mounted at {points}"),
            None => format!("{shown} is a device of a btrfs in use"),
        })
    }
}

/// Whether the file system of `line` is on `node`: by its number; or, where it
/// has none of its own, by its source (several with colons between, bcachefs);
/// or by an option that names a device (`logdev=` of XFS).
fn is_of(host: &Host, line: &Line, node: &Node) -> bool {
    let named = |text: &str| text.starts_with("/dev/") && node.is_called(host, text);
    let without_number = line.number.starts_with("0:");
    line.number == node.number
        || without_number && line.source.split(':').any(named)
        || line.options.split(',').filter_map(|o| o.split_once('=')).any(|(_, value)| named(value))
}

/// The first place, and how many more.
fn points(lines: &[&Line]) -> Option<String> {
    let all: BTreeSet<&str> = lines.iter().map(|line| line.point.as_str()).collect();
    let first = &lines.first()?.point;
    Some(match all.len() - 1 {
        0 => first.clone(),
        1 => format!("{first} and one more place"),
        more => format!("{first} and {more} more places"),
    })
}

/// The tables of the other mount namespaces that some process is in, as far as
/// we may see.
fn elsewhere() -> Vec<String> {
    let namespace = |process: &str| std::fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
    let mut met = BTreeSet::from_iter(namespace("self"));
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut tables = Vec::new();
    for process in processes.filter_map(|entry| entry.file_name().into_string().ok()) {
        if !process.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let Some(namespace) = namespace(&process).filter(|n| !met.contains(n)) else { continue };
        // It may end between the two; then another one of its kind is asked.
        let Ok(table) = std::fs::read(format!("/proc/{process}/mountinfo")) else { continue };
        if !table.is_empty() {
            met.insert(namespace);
            tables.push(String::from_utf8_lossy(&table).into_owned());
        }
    }
    tables
}
