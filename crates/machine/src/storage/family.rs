//! Every device that shares content with one: its partitions, what it is a
//! partition of, what stands on any of them, and other ways to the same bytes
//! (a second path to one disk, a second loop device on one file). To write to
//! the one is to write to them all. Siblings on the same disk do not share, nor
//! does what lies below md and the device mapper: those hold it for themselves.

use std::collections::BTreeSet;

use super::loop_device::Loops;
use super::node::Node;
use crate::Host;
use crate::host::mapping::uuid_front;

/// A device with its kin.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// Every device that shares content, the one asked about first.
    pub(super) members: Vec<Node>,
    /// Those of them of which every byte may be changed: the one asked about, and
    /// other names of it. No partitions of another one, nor what stands on them.
    pub(super) roots: Vec<Node>,
    /// How the others use it, as sentences.
    pub(super) uses: Vec<String>,
    /// Numbers of devices that were looked at, and whether with their partitions.
    met: BTreeSet<(String, bool)>,
}

impl Family {
    /// The kin of `node`.
    pub(super) fn of(host: &Host, node: &Node) -> Self {
        let loops = Loops::of(host);
        let mut family = Self::default();
        family.root(host, &loops, node);
        // A loop device that stands on a device is another name of it, and the
        // kernel lets both be used at once.
        let mut below = node.clone();
        while let Some(next) = loops.below(host, &below)
            && !family.members.contains(&next)
        {
            family.root(host, &loops, &next);
            below = next;
        }
        family
    }

    /// Adds `node` as one whose every byte may be changed.
    fn root(&mut self, host: &Host, loops: &Loops, node: &Node) {
        self.roots.push(node.clone());
        self.add(host, loops, node, true);
        let whole = node.whole(host);
        if let Some(whole) = &whole {
            self.add(host, loops, whole, false);
        }
        for twin in twins(host, whole.as_ref().unwrap_or(node)) {
            let Some(number) = node.partition(host) else {
                self.add(host, loops, &twin, true);
                self.roots.push(twin);
                continue;
            };
            self.add(host, loops, &twin, false);
            for part in twin.partitions(host) {
                if part.partition(host) == Some(number) {
                    self.add(host, loops, &part, true);
                    self.roots.push(part);
                }
            }
        }
        for same in loops.on_same_file(host, node) {
            self.say(format!("{} has the same backing file as {}", same.shown(), node.shown()));
            self.add(host, loops, &same, true);
        }
    }

    /// Adds a device and what stands on it, with its partitions or without.
    fn add(&mut self, host: &Host, loops: &Loops, node: &Node, parts: bool) {
        let mut open = vec![(node.clone(), parts)];
        while let Some((node, parts)) = open.pop() {
            if !self.met.insert((node.number.clone(), parts)) {
                continue;
            }
            if parts {
                open.extend(node.partitions(host).into_iter().map(|p| (p, true)));
            }
            for name in host.names(node.file("holders")) {
                let holder = Node::named(host, &name);
                self.say(held(host, &node, &name, holder.as_ref()));
                open.extend(holder.map(|h| (h, true)));
            }
            if host.exists(node.file("bcache")) {
                self.say(format!("{} is registered with bcache", node.shown()));
            }
            for (stands, file) in loops.above(host, &node) {
                if !self.members.contains(&stands) {
                    let (stands, node) = (stands.shown(), node.shown());
                    self.say(match file {
                        Some(file) => format!("the loop device {stands} stands on {file}, a file on {node}"),
                        None => format!("the loop device {stands} stands on {node}"),
                    });
                }
                open.push((stands, true));
            }
            if !self.members.contains(&node) {
                self.members.push(node);
            }
        }
    }

    /// Adds a sentence, once.
    pub(super) fn say(&mut self, sentence: String) {
        if !self.uses.contains(&sentence) {
            self.uses.push(sentence);
        }
    }
}

/// What it means that `holder`, called `name` by the kernel, holds `node`.
fn held(host: &Host, node: &Node, name: &str, holder: Option<&Node>) -> String {
    let below = node.shown();
    let above = holder.map_or_else(|| format!("/dev/{}", name.replace('!', "/")), Node::shown);
    let numbered =
        |front: &str| name.strip_prefix(front).is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    if holder.is_some_and(|h| host.exists(h.file("md"))) || numbered("md") {
        return format!("{below} is a member of the array {above}");
    }
    if numbered("bcache") {
        return format!("{below} is part of the bcache device {above}");
    }
    let uuid = holder.and_then(|h| host.text(h.file("dm/uuid"))).unwrap_or_default();
    match uuid_front(&uuid) {
        Some("LVM") => format!("{below} is part of the LVM volume {above}"),
        Some(kind) if kind.starts_with("CRYPT-LUKS") => format!("{below} is opened with LUKS as {above}"),
        Some(kind) if kind.starts_with("CRYPT") => format!("{below} is opened by cryptsetup as {above}"),
        Some("mpath") => format!("{below} is a path of the multipath device {above}"),
        Some(kind) => format!("{below} is part of {above} ({kind})"),
        None => format!("{below} is part of {above}"),
    }
}

/// Other whole devices that lead to the same disk: two paths without multipath
/// software are two names of the same bytes. Told by the identifier that the
/// disk itself gives (`wwid` in `drivers/scsi/scsi_sysfs.c` and
/// `drivers/nvme/host/sysfs.c`).
fn twins(host: &Host, whole: &Node) -> Vec<Node> {
    let identifier = |node: &Node| {
        let text = host.text(node.file("device/wwid")).or_else(|| host.text(node.file("wwid")))?;
        Some(text.trim().to_owned()).filter(|t| !t.is_empty())
    };
    let Some(wanted) = identifier(whole) else { return Vec::new() };
    let all = Node::all_whole(host).into_iter();
    all.filter(|other| other.number != whole.number && identifier(other).as_ref() == Some(&wanted)).collect()
}
