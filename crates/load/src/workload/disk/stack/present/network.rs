//! The network of a layer that is presented: a namespace that has nothing but one end of a pair of virtual interfaces,
//! whose other end is this machine's. Its addresses are of the block that is kept for measurements (198.18.0.0/15,
//! RFC 2544 and RFC 6890), which networks of others should not have; which of them says the name of the layer.

use std::net::Ipv4Addr;
use std::path::Path;

use engine::fault::Fault;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::present::namespace::NETWORKS;
use crate::workload::disk::stack::present::rate::{self, TC};
use crate::workload::disk::stack::random::digits_of_stack;
use crate::workload::disk::stack::record::LayerRecord;

pub(super) const IP: Program = Program { name: "ip", package: "iproute2", version: &["-V"] };

/// The first address of the block, and how many networks of four addresses it has.
const BLOCK: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
const NETWORKS_OF_BLOCK: u64 = 1 << 15;

/// Bytes that a packet of it has at most, as the kernel makes such interfaces (`ETH_DATA_LEN`).
pub(super) const MTU: u32 = 1500;

/// The names and the addresses of one layer's network, all of them by the layer's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerNetwork {
    /// The network namespace.
    pub(super) namespace: String,
    /// 16 hexadecimal digits and the number of the layer, of which other names are made.
    pub(super) digits: String,
    /// The same as one number, for who needs numbers that nobody else has.
    pub(super) number: u64,
    /// The interface that stays on this machine.
    near: String,
    /// That of the server.
    far: String,
    /// The network itself.
    network: Ipv4Addr,
    /// The address of this machine on it.
    pub(super) client: Ipv4Addr,
    /// That of the server.
    pub(super) server: Ipv4Addr,
}

impl LayerNetwork {
    /// That of the layer that a record says.
    ///
    /// # Errors
    /// If its name is none of ours.
    pub(super) fn of(record: &LayerRecord) -> Result<Self, Fault> {
        let wrong = || Fault::Other(format!("`{}` is no name of a layer", record.name));
        let (stack, place) = record.name.rsplit_once('_').ok_or_else(wrong)?;
        let place: u64 = place.parse().ok().filter(|place| (1..=15).contains(place)).ok_or_else(wrong)?;
        let digits = digits_of_stack(stack).ok_or_else(wrong)?;
        let random = u64::from_str_radix(digits, 16).map_err(|_| wrong())?;
        let number = random.wrapping_add(place);
        let network = u32::try_from(number % NETWORKS_OF_BLOCK).map_err(|_| wrong())? * 4;
        let address = |host: u32| Ipv4Addr::from(u32::from(BLOCK) + network + host);
        // A name of an interface has 15 characters.
        let interface = |end: char| format!("hr{}{place:x}{end}", &digits[..11]);
        Ok(Self {
            namespace: record.name.clone(),
            digits: format!("{digits}.{place}"),
            number,
            near: interface('a'),
            far: interface('b'),
            network: address(0),
            client: address(1),
            server: address(2),
        })
    }

    /// The interface that stays on this machine.
    pub(super) fn interface(&self) -> &str {
        &self.near
    }

    /// Makes it, each end held to `bit_rate`, if there is one.
    ///
    /// # Errors
    /// If somebody has its addresses, or what ip(8) or tc(8) said.
    pub(super) fn make(&self, bit_rate: Option<f64>, commands: &mut Commands<'_>) -> Result<(), Fault> {
        self.check_free(commands)?;
        let Self { namespace, near, far, .. } = self;
        let [client, server] = [self.client, self.server].map(|address| format!("{address}/30"));
        let mut run = |words: &[&str]| commands.run(&IP, words).map(drop);
        run(&["netns", "add", namespace])?;
        run(&["link", "add", near, "type", "veth", "peer", "name", far, "netns", namespace])?;
        run(&["address", "add", &client, "dev", near])?;
        run(&["link", "set", near, "up"])?;
        run(&["-netns", namespace, "address", "add", &server, "dev", far])?;
        run(&["-netns", namespace, "link", "set", far, "up"])?;
        run(&["-netns", namespace, "link", "set", "lo", "up"])?;
        match bit_rate {
            Some(bits_per_s) => self.hold(bits_per_s, commands),
            None => Ok(()),
        }
    }

    /// Holds what each end sends to a rate.
    fn hold(&self, bits_per_s: f64, commands: &mut Commands<'_>) -> Result<(), Fault> {
        let there = ["-netns", self.namespace.as_str()];
        let ends = [(&there[..0], &self.near), (&there[..], &self.far)];
        ends.into_iter().try_for_each(|(place, interface)| {
            let words = rate::words(interface, bits_per_s);
            let words: Vec<&str> = place.iter().copied().chain(words.iter().map(String::as_str)).collect();
            commands.run(&TC, &words).map(drop)
        })
    }

    /// Whether nobody else has its addresses.
    fn check_free(&self, commands: &mut Commands<'_>) -> Result<(), Fault> {
        let network = format!("{}/30", self.network);
        let words = ["-4", "-oneline", "route", "show", "table", "all", "to", "match", &network];
        let all = commands.ask(&IP, &words).unwrap_or_default();
        match all.lines().find(|line| is_of_somebody(line)) {
            Some(line) => Err(Fault::Other(format!(
                "the network {network}, which was drawn for this layer, is somebody's already ({}); try again, or remove \
                 that route for the time of the run if it covers 198.18.0.0/15",
                line.trim()
            ))),
            None => Ok(()),
        }
    }

    /// Removes it. Whether there was something of it.
    ///
    /// # Errors
    /// What stays, and what ip(8) said.
    pub(super) fn take_down(&self, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let has_interface = commands.ask(&IP, &["link", "show", "dev", &self.near]).is_some();
        if has_interface {
            commands.run(&IP, &["link", "delete", "dev", &self.near])?;
        }
        let has_namespace = Path::new(NETWORKS).join(&self.namespace).exists();
        if has_namespace {
            commands.run(&IP, &["netns", "delete", &self.namespace])?;
        }
        Ok(has_interface || has_namespace)
    }
}

/// Whether a route that covers our addresses, as ip-route(8) prints it, leads to a network of somebody: what everything
/// goes to does not, nor do the halves by which a VPN takes everything.
fn is_of_somebody(route: &str) -> bool {
    let mut words = route.split_whitespace();
    let kinds = ["unicast", "unreachable", "blackhole", "prohibit", "throw"];
    let first = words.next();
    let target = if first.is_some_and(|word| kinds.contains(&word)) { words.next() } else { first };
    let everything = ["default", "0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1"];
    target.is_some_and(|target| !everything.contains(&target))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Result<LayerNetwork, Fault> {
        LayerNetwork::of(&LayerRecord {
            kind: "iscsi".to_owned(),
            name: name.to_owned(),
            uuid: String::new(),
            below: Vec::new(),
            beside: None,
            on_devices: false,
            place: None,
            access: None,
        })
    }

    #[test]
    fn names_and_addresses_are_those_of_the_layer() {
        let network = named("headroom_0123456789abcdef_2").unwrap();
        assert_eq!(network.namespace, "headroom_0123456789abcdef_2");
        assert_eq!((network.near.as_str(), network.far.as_str()), ("hr0123456789a2a", "hr0123456789a2b"));
        assert_eq!(network.near.len(), 15);
        // 0xcdef + 2 is 0xcdf1, and 0x4df1 of 0x8000: 4 * 0x4df1 is 0x137c4.
        assert_eq!(network.network, Ipv4Addr::new(198, 19, 0x37, 0xc4));
        assert_eq!(network.client, Ipv4Addr::new(198, 19, 0x37, 0xc5));
        assert_eq!(network.server, Ipv4Addr::new(198, 19, 0x37, 0xc6));
        let last = named("headroom_ffffffffffff7ffe_1").unwrap();
        assert_eq!(last.server, Ipv4Addr::new(198, 19, 255, 254));
        for wrong in ["", "headroom_0123456789abcdef", "headroom_0123_1", "headroom_0123456789abcdef_x"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
        assert!(named("headroom_0123456789abcdef_16").is_err());
    }

    #[test]
    fn only_what_everything_goes_to_may_cover_our_addresses() {
        for (route, found) in [
            ("default via 10.0.0.1 dev eth0 proto dhcp", false),
            ("unreachable default dev lo metric 4294967295", false),
            ("198.18.0.0/15 via 10.0.0.9 dev eth1", true),
            ("128.0.0.0/1 via 10.8.0.1 dev tun0", false),
            ("throw default", false),
            ("blackhole 198.18.0.0/16", true),
            ("throw 198.18.0.0/16", true),
            ("", false),
        ] {
            assert_eq!(is_of_somebody(route), found, "{route}");
        }
    }
}
