//! The interfaces of this network namespace, how they lie on one another, and
//! which of them the kernel gives another MTU when one of them gets it
//! (`NETDEV_CHANGEMTU` in `net/8021q/vlan.c`, `drivers/net/macvlan.c`,
//! `drivers/net/ipvlan`, `net/bridge/br_if.c`, `drivers/net/bonding`).
//!
//! Where a kind is not known it is taken to follow: what is remembered in vain
//! does no harm, for after the change only what did change is kept.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::inventory::network::wire::{
    self, GET_LINK, IFLA_IFNAME, IFLA_INFO_KIND, IFLA_LINKINFO, IFLA_MTU, LINK_HEAD, attribute, number, text,
};

const GET_NAMESPACE_ID: u16 = 90;
/// Bytes of `struct rtgenmsg`, filled up to four.
const NAMESPACE_HEAD: usize = 4;
const IFLA_LINK: u16 = 5;
const IFLA_MASTER: u16 = 10;
const IFLA_TXQLEN: u16 = 13;
const IFLA_LINK_NETNSID: u16 = 37;
const NETNSA_NSID: u16 = 1;
const NETNSA_FD: u16 = 3;
/// `IFF_UP` of `include/uapi/linux/if.h`.
const UP: u32 = 1;
/// `ARPHRD_ETHER` of `include/uapi/linux/if_arp.h`.
const ETHERNET: u16 = 1;

const OWN_NAMESPACE: &str = "/proc/thread-self/ns/net";

/// Kinds that name another interface without following its MTU: the other end
/// of a pair, and tunnels that leave by it.
const APART: &[&str] = &[
    "veth",
    "netkit",
    "vxcan",
    "vxlan",
    "geneve",
    "gre",
    "gretap",
    "erspan",
    "ip6gre",
    "ip6gretap",
    "ip6erspan",
    "ipip",
    "sit",
    "ip6tnl",
    "vti",
    "vti6",
    "xfrm",
    "wireguard",
    "ifb",
];
/// Kinds that are cut to the MTU of the interface below, and do not grow with it
/// again.
const CUT: &[&str] = &["vlan", "macvlan", "macvtap"];
/// Masters that do not follow the interfaces in them.
const OF_ITS_OWN: &[&str] = &["bond", "team", "vrf", "openvswitch"];
/// Masters that leave the interfaces in them alone.
const LENIENT: &[&str] = &["bridge", "vrf", "openvswitch"];

/// An interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) mtu: u64,
    /// Whether it is set up (`IFF_UP`).
    pub(super) is_up: bool,
    /// Whether its packets begin with a head of Ethernet.
    pub(super) is_ethernet: bool,
    /// How many packets may wait to be sent, where the kernel says it.
    pub(super) queue_length: Option<u32>,
    /// `vlan`, `bridge`; absent for a card.
    pub(super) kind: Option<String>,
    /// The interface that it lies on.
    pub(super) below: Option<u32>,
    /// The network namespace of that one, by this namespace's number for it;
    /// absent where it is the same.
    pub(super) below_in: Option<u32>,
    /// The bridge, bond or other master that it is in.
    pub(super) master: Option<u32>,
}

impl Link {
    fn read(message: &[u8]) -> Option<Self> {
        let all = message.get(LINK_HEAD..)?;
        let own = |kind| attribute(all, kind).and_then(|bytes| number(bytes, 0));
        let kind = attribute(all, IFLA_LINKINFO).and_then(|info| attribute(info, IFLA_INFO_KIND));
        Some(Self {
            index: number(message, 4)?,
            name: text(attribute(all, IFLA_IFNAME)?)?,
            mtu: own(IFLA_MTU)?.into(),
            is_up: number(message, 8)? & UP != 0,
            is_ethernet: short(message, 2)? == ETHERNET,
            queue_length: own(IFLA_TXQLEN),
            kind: kind.and_then(text),
            below: own(IFLA_LINK).filter(|index| *index > 0),
            below_in: own(IFLA_LINK_NETNSID),
            master: own(IFLA_MASTER).filter(|index| *index > 0),
        })
    }

    /// Whether it is of one of these kinds.
    pub(super) fn is(&self, kinds: &[&str]) -> bool {
        self.kind.as_deref().is_some_and(|kind| kinds.contains(&kind))
    }

    /// What it gets when the interface that it lies on gets `mtu`.
    fn follows(&self, mtu: u64) -> u64 {
        match self {
            apart if apart.is(APART) => self.mtu,
            cut if cut.is(CUT) => self.mtu.min(mtu),
            _ => mtu,
        }
    }
}

/// A number of 16 bits at an offset.
fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_ne_bytes(*b))
}

/// All interfaces of the calling thread's network namespace.
///
/// # Errors
/// Why they cannot be listed.
pub(super) fn all() -> Result<Vec<Link>, String> {
    let answers = wire::dump(GET_LINK, &[0; LINK_HEAD])?;
    Ok(answers.iter().filter_map(|message| Link::read(message)).collect())
}

/// The interfaces whose MTU may change when `first` gets `mtu`, each with what it
/// may become: `first` itself, then always one that lies below before one above.
pub(super) fn affected<'a>(links: &'a [Link], first: &'a Link, mtu: u64) -> Vec<(&'a Link, u64)> {
    let mut found = vec![(first, mtu)];
    let mut at = 0;
    while let Some((of, mtu)) = found.get(at).copied() {
        at += 1;
        for other in links {
            let lies_on = other.below == Some(of.index) && other.below_in.is_none();
            let becomes = if lies_on {
                other.follows(mtu)
            } else if of.master == Some(other.index) && !other.is(OF_ITS_OWN)
                || other.master == Some(of.index) && !of.is(LENIENT)
            {
                mtu
            } else {
                continue;
            };
            if becomes != other.mtu && !found.iter().any(|(link, _)| link.index == other.index) {
                found.push((other, becomes));
            }
        }
    }
    found
}

/// Whether the interface `other` may get another MTU when `first` does, at whatever depth: whatever both
/// have now.
pub(super) fn may_follow(links: &[Link], first: &str, other: &str) -> bool {
    let Some(first) = links.iter().find(|link| link.name == first) else { return false };
    let mut found = vec![first];
    let mut at = 0;
    while let Some(of) = found.get(at).copied() {
        at += 1;
        let follows = |link: &&Link| {
            let lies_on = link.below == Some(of.index) && link.below_in.is_none() && !link.is(APART);
            let has_it = of.master == Some(link.index) && !link.is(OF_ITS_OWN);
            lies_on || has_it || link.master == Some(of.index) && !of.is(LENIENT)
        };
        for link in links.iter().filter(follows) {
            if !found.iter().any(|known| known.index == link.index) {
                found.push(link);
            }
        }
    }
    found.iter().skip(1).any(|link| link.name == other)
}

/// The interfaces of this network namespace that lie below `first`, at whatever depth: those that it
/// lies on, and those in it.
pub(super) fn below<'a>(links: &'a [Link], first: &Link) -> Vec<&'a Link> {
    let mut found: Vec<&Link> = Vec::new();
    let mut left = vec![first.index];
    while let Some(of) = left.pop().and_then(|index| links.iter().find(|link| link.index == index)) {
        let lies_on = |link: &Link| of.below == Some(link.index) && of.below_in.is_none() && !of.is(APART);
        for link in links.iter().filter(|link| lies_on(link) || link.master == Some(of.index)) {
            let is_known = link.index == first.index || found.iter().any(|known| known.index == link.index);
            if !is_known {
                found.push(link);
                left.push(link.index);
            }
        }
    }
    found
}

/// An interface of another network namespace that lies on `link` and would follow
/// it to `mtu`, and that namespace; none where there is none, or none that this
/// process may see.
pub(super) fn abroad(link: &Link, mtu: u64) -> Option<(Link, PathBuf)> {
    let own = File::open(OWN_NAMESPACE).ok()?;
    let index = link.index;
    namespaces(own.metadata().ok()?.ino()).into_iter().find_map(|path| {
        // A thread of its own: the one that asks stays where it is.
        let look = || {
            let there = File::open(&path).ok()?;
            move_into_link_name_space(there.as_fd(), Some(LinkNameSpaceType::Network)).ok()?;
            let lies_on =
                |l: &Link| l.below == Some(index) && l.below_in.is_some() && l.follows(mtu) != l.mtu;
            let mut candidates = all().ok()?.into_iter().filter(lies_on).peekable();
            candidates.peek()?;
            let number = number_of(&own)?;
            candidates.find(|l| l.below_in == Some(number))
        };
        let found = std::thread::scope(|scope| scope.spawn(look).join().ok().flatten());
        found.map(|link| (link, path))
    })
}

/// A way into each network namespace but the one with inode `own`.
fn namespaces(own: u64) -> Vec<PathBuf> {
    let list = |folder: &str| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let named = list("/run/netns");
    let of_processes = list("/proc").map(|process| process.join("ns/net"));
    let mut seen = BTreeSet::from([own]);
    named.chain(of_processes).filter(|p| std::fs::metadata(p).is_ok_and(|m| seen.insert(m.ino()))).collect()
}

/// The number that the calling thread's namespace has for another one
/// (`RTM_GETNSID`, ip-netns(8)).
fn number_of(namespace: &File) -> Option<u32> {
    let mut payload = vec![0; NAMESPACE_HEAD];
    wire::push_attribute(&mut payload, NETNSA_FD, &namespace.as_raw_fd().to_ne_bytes());
    let answer = wire::ask(GET_NAMESPACE_ID, &payload).ok()?;
    number(attribute(answer.get(NAMESPACE_HEAD..)?, NETNSA_NSID)?, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(index: u32, kind: &str, mtu: u64) -> Link {
        let kind = Some(kind.to_owned()).filter(|k| !k.is_empty());
        Link { index, name: format!("{index}"), mtu, kind, ..Link::default() }
    }

    fn on(below: u32, link: Link) -> Link {
        Link { below: Some(below), ..link }
    }

    fn within(master: u32, link: Link) -> Link {
        Link { master: Some(master), ..link }
    }

    fn indices(links: &[Link], mtu: u64) -> Vec<(u32, u64)> {
        affected(links, &links[0], mtu).iter().map(|(l, mtu)| (l.index, *mtu)).collect()
    }

    #[test]
    fn what_lies_above_is_cut_and_does_not_grow() {
        let links = [
            link(1, "", 9000),
            on(2, link(3, "macvlan", 4000)),
            on(1, link(2, "vlan", 9000)),
            on(1, link(4, "vlan", 1280)),
            on(1, link(5, "ipvlan", 9000)),
            on(1, link(6, "vxlan", 8950)),
            on(1, link(7, "veth", 1500)),
            // Its 1 is another namespace's.
            Link { below_in: Some(0), ..on(1, link(8, "macvlan", 9000)) },
        ];
        assert_eq!(indices(&links, 1500), [(1, 1500), (2, 1500), (5, 1500), (3, 1500)]);
        assert_eq!(indices(&links, 9216), [(1, 9216), (5, 9216)]);
    }

    #[test]
    fn a_bridge_follows_its_ports_and_ports_follow_a_bond() {
        let port = [within(2, link(1, "", 1500)), link(2, "bridge", 1500), within(2, link(3, "", 1500))];
        assert_eq!(indices(&port, 9000), [(1, 9000), (2, 9000)], "not the other ports");
        let bond = [link(1, "bond", 1500), within(1, link(2, "", 1500)), on(2, link(3, "macvlan", 1500))];
        assert_eq!(indices(&bond, 1400), [(1, 1400), (2, 1400), (3, 1400)]);
        let slave = [within(2, link(1, "", 1500)), link(2, "bond", 1500)];
        assert_eq!(indices(&slave, 9000), [(1, 9000)]);
    }

    #[test]
    fn what_may_follow_is_found_whatever_it_has_now() {
        let links = [
            link(1, "", 1500),
            on(1, link(2, "vlan", 1500)),
            within(4, on(2, link(3, "macvlan", 1280))),
            link(4, "bridge", 1280),
            on(1, link(5, "veth", 1500)),
            link(6, "bond", 1500),
            within(6, link(7, "", 1500)),
        ];
        let follow = |first: &str| {
            let follows = |link: &&Link| may_follow(&links, first, &link.name);
            links.iter().filter(follows).map(|link| link.index).collect::<Vec<_>>()
        };
        assert_eq!((follow("1"), follow("2"), follow("3")), (vec![2, 3, 4], vec![3, 4], vec![4]));
        assert_eq!((follow("4"), follow("6"), follow("7")), (vec![], vec![7], vec![]));
        assert!(follow("8").is_empty());
    }

    #[test]
    fn what_lies_below_is_found_at_whatever_depth() {
        let links = [
            on(2, link(1, "vlan", 1500)),
            within(9, link(2, "bond", 1500)),
            within(2, link(3, "", 1500)),
            within(2, link(4, "", 1500)),
            // The other end of a pair does not lie below.
            within(2, on(6, link(5, "veth", 1500))),
            link(6, "veth", 1500),
            // Its 6 is another namespace's.
            within(2, Link { below_in: Some(0), ..on(6, link(7, "macvlan", 1500)) }),
            link(9, "bridge", 1500),
        ];
        let of = |at: usize| {
            let mut found: Vec<u32> = below(&links, &links[at]).iter().map(|link| link.index).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(of(0), [2, 3, 4, 5, 7]);
        assert_eq!(of(7), [2, 3, 4, 5, 7]);
        assert!(of(2).is_empty());
    }

    #[test]
    fn interfaces_are_read_and_garbled_messages_are_none() {
        let links = all().unwrap();
        let lo = links.iter().find(|l| l.name == "lo").unwrap();
        assert!(lo.below.is_none() && lo.mtu > 0 && !lo.is_ethernet && lo.queue_length.is_some(), "{lo:?}");
        let message = wire::dump(GET_LINK, &[0; LINK_HEAD]).unwrap().remove(0);
        for length in 0..message.len().min(64) {
            let _ = Link::read(&message[..length]);
        }
        assert_eq!(Link::read(&message[..LINK_HEAD]), None);
    }
}
