//! The connections on which a run itself depends: to the agents of other machines, and the SSH session of
//! who started it, or, at another machine, of who started the node. A setting that may take a link down or drop packets
//! ([`Setting::may_drop`]) is refused, before anything is changed, at an interface that one of them goes over.
//!
//! The interface towards a load's own other end is what is measured: whoever asks for a setting of it names no
//! interface, and means the link that the run's own connection goes over, too. That one waits for it and is made
//! for it; a person's session is not.
//!
//! [`Setting::may_drop`]: super::Setting::may_drop

use std::fmt;
use std::net::IpAddr;

use model::ResourceKind;
use model::setting::Change;

use super::link::{self, Link};
use super::{SettingError, find, resources};
use crate::route;

/// By which sshd(8) says whose session a process is of: address and port of the client, then of the server.
const SSH: &str = "SSH_CONNECTION";
/// More processes than there are between a shell and what is started in it.
const ANCESTORS_MAX: usize = 64;
/// What no link lies behind.
const LOOPBACK: &str = "lo";

/// A connection on which a run depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunConnection {
    /// The address of its other end.
    address: IpAddr,
    /// The interface, where the address is of one link alone (`fe80::1%eth0`).
    zone: Option<String>,
    /// The peer that it leads to; none of an SSH session.
    peer: Option<String>,
}

impl fmt::Display for RunConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.peer {
            Some(peer) if *peer == self.address.to_string() => write!(f, "the connection to the peer {peer}"),
            Some(peer) => write!(f, "the connection to the peer {peer} ({})", self.address),
            None => write!(f, "the SSH session from {}, in which Headroom was started", self.address),
        }
    }
}

impl RunConnection {
    /// The one to the agent of a peer.
    #[must_use]
    pub fn to_peer(peer: &str, address: IpAddr) -> Self {
        Self { address: address.to_canonical(), zone: None, peer: Some(peer.to_owned()) }
    }

    /// The SSH session in which this process was started; none at a console. Programs that change users
    /// (sudo) hide the variable from what they start, and have it themselves. An empty one says that
    /// there is none.
    #[must_use]
    pub fn ssh_session() -> Option<Self> {
        if let Some(own) = std::env::var_os(SSH) {
            return Self::parse(own.to_str()?);
        }
        let mut process = rustix::process::getppid()?.as_raw_nonzero().get();
        for _ in 0..ANCESTORS_MAX {
            let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            if let Some(text) = variable(&environment) {
                return Self::parse(text);
            }
            process = parent(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)?;
        }
        None
    }

    /// What the variable says.
    fn parse(text: &str) -> Option<Self> {
        let client = text.split_whitespace().next()?;
        let (address, zone) = match client.split_once('%') {
            Some((address, zone)) => (address, Some(zone.to_owned())),
            None => (client, None),
        };
        Some(Self { address: address.parse::<IpAddr>().ok()?.to_canonical(), zone, peer: None })
    }

    /// The interfaces that it goes over: the one that leads to its other end, and those that this lies on.
    /// None where both ends are on this machine, or nothing leads there from here.
    fn carriers(&self) -> Vec<String> {
        let towards = || route::towards(self.address).ok().filter(|way| !way.local).map(|way| way.interface);
        let Some(first) = self.zone.clone().or_else(towards).filter(|name| name != LOOPBACK) else {
            return Vec::new();
        };
        carriers_of(&link::all().unwrap_or_default(), first)
    }
}

/// The interface and all that it lies on.
fn carriers_of(links: &[Link], first: String) -> Vec<String> {
    let own = links.iter().find(|link| link.name == first);
    let below = own.map(|own| link::below(links, own)).unwrap_or_default();
    std::iter::once(first).chain(below.into_iter().map(|link| link.name.clone())).collect()
}

/// The variable of an environment as the kernel shows it.
fn variable(environment: &[u8]) -> Option<&str> {
    let mut texts = environment.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    texts.find_map(|text| text.strip_prefix(SSH)?.strip_prefix('='))
}

/// The process that started another, by its line in /proc/PID/stat; none of the first.
fn parent(stat: &str) -> Option<i32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
}

/// The first of these connections that a change of `interface` may cut off; `is_named` is whether a
/// person named it.
fn first_cut<'a>(
    interface: &str,
    is_named: bool,
    connections: &'a [(RunConnection, Vec<String>)],
) -> Option<&'a RunConnection> {
    let is_protected = |connection: &RunConnection| is_named || connection.peer.is_none();
    let goes_over = |carriers: &[String]| carriers.iter().any(|carrier| carrier == interface);
    let mut cut = connections.iter().filter(|(one, carriers)| is_protected(one) && goes_over(carriers));
    cut.next().map(|(connection, _)| connection)
}

/// Whether a change leaves these connections alone.
///
/// # Errors
/// If it may cut one off, with the interface and whose connection it is. What cannot be changed for another
/// reason is no error here.
pub fn spare(change: &Change, connections: &[RunConnection]) -> Result<(), SettingError> {
    if connections.is_empty() {
        return Ok(());
    }
    let Some(setting) = find(&change.name).filter(|setting| setting.may_drop()) else { return Ok(()) };
    let with_carriers = |one: &RunConnection| (one.clone(), one.carriers());
    let connections: Vec<(RunConnection, Vec<String>)> = connections.iter().map(with_carriers).collect();
    for resource in resources(change).unwrap_or_default() {
        let Some(interface) = resource.named(ResourceKind::Nic) else { continue };
        let Some(cut) = first_cut(interface, change.resource.is_some(), &connections) else { continue };
        // What is so already is not changed.
        if setting.read_as(&resource, &change.value).is_ok_and(|now| now == change.value) {
            continue;
        }
        let what_else = match cut.peer {
            Some(_) => "change another interface",
            None => {
                "change another interface, or start Headroom at a console or over another interface; with \
                 `SSH_CONNECTION=` before the command the session may be lost"
            }
        };
        let reason = format!(
            "{interface} carries {cut}, and the change may take its link down or drop its packets; {what_else}"
        );
        return Err(SettingError::refused(setting.spec(), &resource, &change.value, reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::TABLE;

    #[test]
    fn the_session_of_who_started_it_is_read_from_an_environment() {
        let parse = |text: &str| RunConnection::parse(text).map(|one| (one.address.to_string(), one.zone));
        let of = |address: &str, zone: Option<&str>| Some((address.to_owned(), zone.map(str::to_owned)));
        assert_eq!(parse("192.0.2.7 50022 192.0.2.1 22"), of("192.0.2.7", None));
        assert_eq!(parse("::ffff:192.0.2.7 50022 ::ffff:192.0.2.1 22"), of("192.0.2.7", None));
        assert_eq!(parse("fe80::1%eth0 50022 fe80::2%eth0 22"), of("fe80::1", Some("eth0")));
        for none in ["", "UNKNOWN 65535 UNKNOWN 65535", "eth0"] {
            assert_eq!(parse(none), None, "{none}");
        }
        let environment = b"A=b\0SSH_CONNECTIONS=x\0SSH_CONNECTION=192.0.2.7 1 192.0.2.1 22\0C=\xff\0";
        assert_eq!(variable(environment), Some("192.0.2.7 1 192.0.2.1 22"));
        assert_eq!((variable(b""), variable(b"A=SSH_CONNECTION=1\0")), (None, None));
        assert_eq!(parent("77 (a) b (c) S 12 77 77 0"), Some(12));
        assert_eq!((parent("1 (init) S 0 1 1 0"), parent("1 (init")), (None, None));
        let own = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert_eq!(parent(&own), rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()));
    }

    #[test]
    fn what_a_connection_goes_over_is_its_interface_and_all_that_lies_below() {
        let link = |index: u32, name: &str| Link { index, name: name.to_owned(), ..Link::default() };
        let links = [
            Link { below: Some(2), ..link(1, "br0.10") },
            link(2, "br0"),
            Link { master: Some(2), ..link(3, "eth0") },
            link(4, "eth1"),
        ];
        assert_eq!(carriers_of(&links, "br0.10".to_owned()), ["br0.10", "br0", "eth0"]);
        assert_eq!(carriers_of(&links, "eth1".to_owned()), ["eth1"]);
        assert_eq!(carriers_of(&links, "gone".to_owned()), ["gone"]);
        for own in ["127.0.0.1", "::1"] {
            let to_itself = RunConnection::to_peer("self", own.parse().unwrap());
            assert!(to_itself.carriers().is_empty(), "the loopback carries nothing that can be lost");
        }
    }

    #[test]
    fn a_session_is_spared_always_and_the_link_to_a_peer_unless_it_is_what_is_measured() {
        let peer = RunConnection::to_peer("b", "192.0.2.2".parse().unwrap());
        let ssh = RunConnection::parse("192.0.2.7 50022 192.0.2.1 22").unwrap();
        let over = |one: &RunConnection, name: &str| (one.clone(), vec![name.to_owned()]);
        let all = [over(&peer, "eth0"), over(&ssh, "eth1")];
        let cut = |interface: &str, is_named| first_cut(interface, is_named, &all);
        assert_eq!((cut("eth0", true), cut("eth0", false)), (Some(&peer), None));
        assert_eq!((cut("eth1", true), cut("eth1", false)), (Some(&ssh), Some(&ssh)));
        assert_eq!((cut("eth2", true), cut("lo", true)), (None, None));
        // Of one interface for both the session counts.
        let both = [over(&peer, "eth0"), over(&ssh, "eth0")];
        assert_eq!(first_cut("eth0", false, &both), Some(&ssh));
        assert_eq!(peer.to_string(), "the connection to the peer b (192.0.2.2)");
        assert!(ssh.to_string().starts_with("the SSH session from 192.0.2.7"), "{ssh}");
    }

    #[test]
    fn settings_say_whether_they_may_drop_a_link_or_its_packets() {
        let drop = TABLE.iter().filter(|setting| setting.may_drop()).map(|setting| setting.spec().name());
        assert_eq!(
            drop.collect::<Vec<_>>(),
            [
                "mtu",
                "tx-queue-length",
                "interface-rate",
                "queueing-discipline",
                "offloads",
                "offload-tso",
                "offload-lro",
                "offload-tx-checksum",
                "offload-rx-checksum",
                "offload-scatter-gather",
                "coalescing",
                "rings",
                "ring-rx",
                "ring-tx"
            ]
        );
        let change = Change { resource: Some("lo".to_owned()), ..Change::new("mtu", 1500_u64.into()) };
        let own = RunConnection::to_peer("self", "127.0.0.1".parse().unwrap());
        assert_eq!(spare(&change, &[own]), Ok(()));
    }
}
