//! `offloads` and `offload-...`: what an interface does in place of the kernel, and what the kernel does in
//! large pieces for it (`ETHTOOL_GFEATURES` and `ETHTOOL_SFEATURES` of `include/uapi/linux/ethtool.h`,
//! ethtool(8), `Documentation/networking/netdev-features.rst`).
//!
//! The kernel keeps of each feature whether it is wanted and whether it is active. What is wanted is
//! written down and put back, each feature by its name. What is active the kernel works out of all that is
//! wanted (`netdev_fix_features` in `net/core/dev.c`): without scatter-gather there is no segmentation, and
//! with it that is there again by itself. The older calls (`ETHTOOL_STSO`) change several features at
//! once, and are not used.
//!
//! Features that only add to TCP segmentation (`tx-tcp-ecn-segmentation` and those of `mangleid` and
//! `accecn`) are left as they are. Without it they do nothing (`net_gso_ok` in `include/linux/netdevice.h`),
//! and with it not all of them are on in most drivers.

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};
use rustix::io::Errno;

use super::journal::SideEffect;
use super::link::{self, Link};
use super::{Setting, SettingError, interface, named_parts};
use crate::inventory::network::ethtool_socket::{EthtoolSocket, Feature};

const TCP4: &str = "tx-tcp-segmentation";
const TCP6: &str = "tx-tcp6-segmentation";
const UDP: &str = "tx-udp-segmentation";
const GENERIC: &str = "tx-generic-segmentation";
const RECEIVE: &str = "rx-gro";
const RECEIVE_HARDWARE: &str = "rx-gro-hw";
const LARGE_RECEIVE: &str = "rx-lro";
const SCATTER_GATHER_NAME: &str = "tx-scatter-gather";
const RX_CHECKSUM_NAME: &str = "rx-checksum";
const TX_CHECKSUM_NAMES: &[&str] = &["tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6"];

/// What the kernel does itself, so that no driver makes its queues anew for it, as some do for others
/// (`ixgbe_set_features`).
const OF_KERNEL: &[&str] = &[GENERIC, RECEIVE];

/// What a feature is not active without, each time one of several (`netdev_fix_features`; of LRO drivers
/// say so themselves).
const NEEDS: &[(&str, &[&str])] = &[
    (TCP4, &["tx-checksum-ip-generic", "tx-checksum-ipv4"]),
    (TCP6, &["tx-checksum-ip-generic", "tx-checksum-ipv6"]),
    (UDP, TX_CHECKSUM_NAMES),
    (TCP4, &[SCATTER_GATHER_NAME]),
    (TCP6, &[SCATTER_GATHER_NAME]),
    (GENERIC, &[SCATTER_GATHER_NAME]),
    (LARGE_RECEIVE, &[RX_CHECKSUM_NAME]),
    (RECEIVE_HARDWARE, &[RX_CHECKSUM_NAME]),
];

/// How a feature stands that is wanted and active; neither; active and not wanted; wanted and not active.
const ON: &str = "on";
const OFF: &str = "off";
const FORCED: &str = "on, not wanted";
const INACTIVE: &str = "off, wanted";
/// The last one, where it is known what it is not active without.
const WAITS: &str = "off without ";

/// One or several features that are switched together.
pub(super) struct Offload {
    spec: &'static SettingSpec,
    /// Those that are all on where it is on, of those that the interface has.
    on: &'static [&'static str],
    /// Those that are off, too, where it is off, and left as they are where it is on.
    off_too: &'static [&'static str],
    /// Settings of the same features.
    beside: &'static [&'static str],
}

pub(super) const ALL: Offload = Offload {
    spec: &ALL_SPEC,
    on: &[TCP4, TCP6, GENERIC, RECEIVE],
    off_too: &[UDP, LARGE_RECEIVE, RECEIVE_HARDWARE],
    beside: &["offload-tso", "offload-gso", "offload-gro", "offload-lro"],
};
pub(super) const TSO: Offload = one(&TSO_SPEC, &[TCP4, TCP6]);
pub(super) const GSO: Offload = one(&GSO_SPEC, &[GENERIC]);
pub(super) const GRO: Offload = one(&GRO_SPEC, &[RECEIVE]);
pub(super) const LRO: Offload = one(&LRO_SPEC, &[LARGE_RECEIVE]);
pub(super) const TX_CHECKSUM: Offload = one(&TX_CHECKSUM_SPEC, TX_CHECKSUM_NAMES);
pub(super) const RX_CHECKSUM: Offload = one(&RX_CHECKSUM_SPEC, &[RX_CHECKSUM_NAME]);
pub(super) const SCATTER_GATHER: Offload = one(&SCATTER_GATHER_SPEC, &[SCATTER_GATHER_NAME]);

const fn one(spec: &'static SettingSpec, on: &'static [&'static str]) -> Offload {
    Offload { spec, on, off_too: &[], beside: &[] }
}

static ALL_SPEC: SettingSpec = spec(
    "offloads",
    "Whether data passes through the kernel in pieces larger than a packet, which are cut when sent and joined when \
     received: TCP segmentation by the interface (TSO, for IPv4 and IPv6), segmentation by the kernel just before \
     sending (GSO), and joining by the kernel (GRO), as far as the interface has them. `off` also switches off UDP \
     segmentation and joining by the interface (LRO, rx-gro-hw), which `on` leaves as they are. With `off`, each \
     packet passes through the protocols by itself, which costs processor time. If the driver keeps one of them on, \
     `off` is refused (rx-gro-hw in many virtual machines); then switch each by its own setting. Some drivers take the \
     link down for a moment; Headroom waits until it is back. Without `@INTERFACE` it is the interface towards the \
     peer, at both ends.",
    "whether an interface and the kernel cut and join packets (TSO, GSO, GRO, LRO)",
);

static TSO_SPEC: SettingSpec = spec(
    "offload-tso",
    "Whether the interface cuts TCP data into segments (tx-tcp-segmentation and tx-tcp6-segmentation; ethtool -K tso). \
     Without it, the kernel does that just before sending (GSO). It has no effect unless the interface also does \
     scatter-gather and checksums. Without `@INTERFACE` it is the interface towards the peer, at both ends.",
    "whether an interface cuts the data of TCP into segments",
);

static GSO_SPEC: SettingSpec = spec(
    "offload-gso",
    "Whether the kernel cuts data into packets just before it hands them to the interface (tx-generic-segmentation; \
     ethtool -K gso), unless the interface does it itself. It has no effect without scatter-gather. \
     Without `@INTERFACE` it is the interface towards the peer, at both ends.",
    "whether the kernel cuts data into packets only before it sends them",
);

static GRO_SPEC: SettingSpec = spec(
    "offload-gro",
    "Whether the kernel joins packets of a connection that arrive together, before the protocols see them (rx-gro; \
     ethtool -K gro). Joining by the interface (LRO, rx-gro-hw) is left as it is. On a veth interface it also decides \
     whether packets are polled (NAPI). Without `@INTERFACE` it is the interface towards the peer, at both ends.",
    "whether the kernel joins packets that arrive together",
);

static LRO_SPEC: SettingSpec = spec(
    "offload-lro",
    "Whether the interface joins the packets of a connection before the kernel sees them (rx-lro; ethtool -K lro). \
     Most drivers that support it leave it off by default. For a bond, a team or a bridge, the kernel also switches it \
     off on the interfaces below; that is put back. Without `@INTERFACE` it is the interface towards the peer, at both \
     ends.",
    "whether an interface joins packets that it received",
);

static TX_CHECKSUM_SPEC: SettingSpec = spec(
    "offload-tx-checksum",
    "Whether the interface computes the checksums of TCP and UDP packets that are sent (tx-checksum-ip-generic, or \
     tx-checksum-ipv4 and -ipv6; ethtool -K tx). Without this, the kernel also switches off TSO, and switches it on \
     again with it. Without `@INTERFACE` it is the interface towards the peer, at both ends.",
    "whether an interface computes the checksums of sent packets",
);

static RX_CHECKSUM_SPEC: SettingSpec = spec(
    "offload-rx-checksum",
    "Whether the interface verifies the checksums of received packets (rx-checksum; ethtool -K rx). Without this, most \
     drivers also switch off LRO, and switch it on again with it. Without `@INTERFACE` it is the interface towards the \
     peer, at both ends.",
    "whether an interface verifies the checksums of received packets",
);

static SCATTER_GATHER_SPEC: SettingSpec = spec(
    "offload-scatter-gather",
    "Whether the interface sends a packet from several pieces of memory (tx-scatter-gather; ethtool -K sg). Without \
     it, the kernel copies each packet into one piece and also switches off TSO and GSO, which come on again with it. \
     Without `@INTERFACE` it is the interface towards the peer, at both ends.",
    "whether an interface sends packets out of several pieces of memory",
);

const fn spec(name: &'static str, doc: &'static str, summary: &'static str) -> SettingSpec {
    SettingSpec {
        value: ParameterSpec::new(name, Kind::Flag, doc),
        unit: Unit::One,
        binds: Some(Symbol::PeerInterface),
        holds: None,
        summary,
    }
}

impl Setting for Offload {
    fn spec(&self) -> &'static SettingSpec {
        self.spec
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    fn may_drop(&self) -> bool {
        self.on.iter().any(|name| !OF_KERNEL.contains(name))
    }

    fn not_beside(&self) -> &'static [&'static str] {
        self.beside
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let socket = interface::ethtool(self.spec, resource)?;
        Ok(self.state(&self.features(&socket, resource)?))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        let socket = interface::ethtool(self.spec, resource)?;
        Ok(self.saved(&self.features(&socket, resource)?))
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        is_as_before(now, before)
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        interface::has_link(resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let socket = interface::ethtool(self.spec, resource)?;
        let all = self.features(&socket, resource)?;
        let refused = |reason: String| SettingError::refused(self.spec, resource, value, reason);
        let (changes, fixed) = self.changes(&all, value).map_err(refused)?;
        // One that is not switchable keeps no other from its own.
        if !changes.is_empty() {
            let changed = socket.set_features(&changes);
            changed.map_err(|error| interface::unchanged(self.spec, resource, value, error, ""))?;
        }
        if fixed.is_empty() {
            return Ok(());
        }
        Err(refused(format!("its driver does not let {} be switched any more", fixed.join(" and "))))
    }

    // Other features of the interface, and those of interfaces above it, are worked out anew from what is
    // wanted of them, which is not touched, there and back. Below a bond, a team or a bridge the kernel makes
    // LRO unwanted when it is not active above (`netdev_sync_lower_features` in `net/core/dev.c`).
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let socket = interface::ethtool(self.spec, resource)?;
        let all = self.features(&socket, resource)?;
        if let Some(reason) = self.fixed(&all, value) {
            return Err(SettingError::refused(self.spec, resource, value, reason));
        }
        let links = link::all().map_err(|reason| SettingError::unreadable(self.spec, resource, reason))?;
        let name = interface::name(resource);
        let Some(own) = links.iter().find(|link| link.name == name) else {
            return Err(SettingError::gone(self.spec, resource));
        };
        let joins = |link: &&Link| LRO.read(&interface::resource(&link.name)) == Ok(Value::Bool(true));
        let effect = |link: &Link| SideEffect {
            setting: LRO.spec.name().to_owned(),
            resource: interface::resource(&link.name),
            before: Value::Bool(true),
        };
        Ok(link::below(&links, own).into_iter().filter(joins).map(effect).collect())
    }
}

/// What is switched, by the places of the features, and why others cannot be.
type Changes = (Vec<(usize, bool)>, Vec<String>);

impl Offload {
    /// All features of the interface.
    fn features(&self, socket: &EthtoolSocket, resource: &Resource) -> Result<Vec<Feature>, SettingError> {
        let none = "this kernel tells of no features";
        let all =
            socket.features().and_then(|all| if all.is_empty() { Err(Errno::OPNOTSUPP) } else { Ok(all) });
        all.map_err(|error| interface::unanswered(self.spec, resource, error, none))
    }

    fn is_own(&self, name: &str) -> bool {
        self.on.iter().chain(self.off_too).any(|own| *own == name)
    }

    /// Its features that are on or could be.
    fn own<'a>(&self, all: &'a [Feature]) -> impl Iterator<Item = &'a Feature> {
        let has = |feature: &Feature| feature.is_active || feature.is_switchable;
        all.iter().filter(move |feature| self.is_own(&feature.name) && has(feature))
    }

    /// Yes or no, or each where they differ. One that only waits for another feature is not off: it
    /// would be on with that one.
    fn state(&self, all: &[Feature]) -> Value {
        let is_on = |feature: &Feature| feature.is_active || feature.is_switchable && feature.is_wanted;
        if !self.own(all).any(is_on) {
            return Value::Bool(false);
        }
        let mut on = self.own(all).filter(|feature| self.on.contains(&feature.name.as_str())).peekable();
        if on.peek().is_some() && on.all(|feature| feature.is_active) {
            return Value::Bool(true);
        }
        named_parts::value(self.own(all).map(|feature| (feature.name.as_str(), shown(all, feature))))
    }

    /// Each that can be switched; where none can, yes or no.
    fn saved(&self, all: &[Feature]) -> Value {
        let mut own = self.own(all).filter(|feature| feature.is_switchable).peekable();
        if own.peek().is_none() {
            return self.state(all);
        }
        named_parts::value(own.map(|feature| (feature.name.as_str(), shown(all, feature))))
    }

    /// Which bits are to be wanted or not, of those that are not so; and the names of those that the
    /// driver does not let be switched.
    fn changes(&self, all: &[Feature], value: &Value) -> Result<Changes, String> {
        let switchable = self.own(all).filter(|feature| feature.is_switchable);
        let wanted: Vec<(String, bool)> = match value {
            Value::Bool(true) => {
                let on = switchable.filter(|feature| self.on.contains(&feature.name.as_str()));
                on.map(|feature| (feature.name.clone(), true)).collect()
            }
            Value::Bool(false) => switchable.map(|feature| (feature.name.clone(), false)).collect(),
            saved => {
                let saved = named_parts::parse(saved).ok_or("it is neither yes nor no")?;
                saved.into_iter().map(|(name, text)| (name, is_wanted(&text))).collect()
            }
        };
        let (mut changes, mut fixed) = (Vec::new(), Vec::new());
        for (name, is_wanted) in wanted {
            let feature = all.iter().find(|feature| feature.name == name && self.is_own(&name));
            match feature {
                Some(feature) if feature.is_wanted == is_wanted => {}
                Some(feature) if feature.is_switchable => changes.push((feature.bit, is_wanted)),
                _ => fixed.push(name),
            }
        }
        Ok((changes, fixed))
    }

    /// Why it cannot be switched, or not off; none where it can.
    fn fixed(&self, all: &[Feature], value: &Value) -> Option<String> {
        let mut own = self.own(all);
        if !own.any(|feature| feature.is_switchable) {
            let names: Vec<&str> = self.on.iter().chain(self.off_too).copied().collect();
            return Some(format!("its driver lets none of them be switched: {}", names.join(", ")));
        }
        let stay = self.own(all).filter(|feature| feature.is_active && !feature.is_switchable);
        let stay: Vec<&str> = stay.map(|feature| feature.name.as_str()).collect();
        if *value != Value::Bool(false) || stay.is_empty() {
            return None;
        }
        let each = match self.beside {
            [] => String::new(),
            beside => format!("; there are settings for each: {}", beside.join(", ")),
        };
        Some(format!(
            "its driver keeps {} on, so that not all of them would be off{each}",
            stay.join(" and ")
        ))
    }
}

/// How a feature stands, as it is written down.
fn shown(all: &[Feature], feature: &Feature) -> String {
    match (feature.is_wanted, feature.is_active) {
        (true, true) => ON.to_owned(),
        (false, false) => OFF.to_owned(),
        // What cannot be switched is as it is, whatever is wanted.
        (false, true) if !feature.is_switchable => ON.to_owned(),
        (false, true) => FORCED.to_owned(),
        (true, false) => match lacking(all, &feature.name) {
            Some(other) => format!("{WAITS}{other}"),
            None => INACTIVE.to_owned(),
        },
    }
}

/// Another feature without which one is not active, and that is not.
fn lacking(all: &[Feature], name: &str) -> Option<&'static str> {
    let is_active = |name: &str| all.iter().any(|other| other.name == name && other.is_active);
    let (_, needs) =
        NEEDS.iter().find(|(of, needs)| *of == name && !needs.iter().any(|other| is_active(other)))?;
    needs.first().copied()
}

fn is_wanted(text: &str) -> bool {
    matches!(text, ON | INACTIVE) || text.starts_with(WAITS)
}

fn is_active(text: &str) -> bool {
    matches!(text, ON | FORCED)
}

/// Whether each feature is wanted or not as before, and is in force, waits for another one, or is in
/// force as little as it was.
fn is_as_before(now: &Value, before: &Value) -> bool {
    let parts = (named_parts::parse(now), named_parts::parse(before));
    match (parts, before) {
        ((Some(now), Some(before)), _) => before.iter().all(|(name, before)| {
            now.get(name).is_some_and(|now| {
                let is_in_force = is_active(now) == is_wanted(now) || now.starts_with(WAITS);
                is_wanted(now) == is_wanted(before) && (is_in_force || now == before)
            })
        }),
        // As a side effect it is yes or no.
        ((Some(now), None), Value::Bool(is_on)) => now.values().all(|text| is_active(text) == *is_on),
        _ => now == before,
    }
}

#[cfg(test)]
mod tests;
