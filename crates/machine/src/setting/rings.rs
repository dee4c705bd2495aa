//! `rings`, `ring-rx` and `ring-tx`: descriptors in the rings between an interface and its driver
//! (`ETHTOOL_GRINGPARAM` and `ETHTOOL_SRINGPARAM` of `include/uapi/linux/ethtool.h`, ethtool(8)).
//!
//! The rings of jumbo and of small frames (`rx_jumbo`, `rx_mini`) are left as they are; a driver that works
//! them out of the ring of others does so there and back.

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, interface, named_parts};
use crate::inventory::network::ethtool_socket::RingWords;

const NONE: &str = "its driver tells of no rings, as those of veth, bridges and tunnels do not";

/// The ring of one direction.
struct Ring {
    name: &'static str,
    /// Where `struct ethtool_ringparam` has its most, and how many there are.
    max: usize,
    now: usize,
}

const RX: Ring = Ring { name: "rx", max: 1, now: 5 };
const TX: Ring = Ring { name: "tx", max: 4, now: 8 };

const RX_NAME: &str = "ring-rx";
const TX_NAME: &str = "ring-tx";

/// The rings of one direction or of both.
pub(super) struct Rings {
    spec: &'static SettingSpec,
    rings: &'static [Ring],
    /// Settings of the same rings.
    beside: &'static [&'static str],
    /// The ring of the other direction, which a driver may change with it, and the setting of it.
    other: Option<(Ring, &'static str)>,
}

pub(super) const BOTH: Rings =
    Rings { spec: &BOTH_SPEC, rings: &[RX, TX], beside: &[RX_NAME, TX_NAME], other: None };
pub(super) const RECEIVE: Rings =
    Rings { spec: &RECEIVE_SPEC, rings: &[RX], beside: &[], other: Some((TX, TX_NAME)) };
pub(super) const TRANSMIT: Rings =
    Rings { spec: &TRANSMIT_SPEC, rings: &[TX], beside: &[], other: Some((RX, RX_NAME)) };

static BOTH_SPEC: SettingSpec = spec(
    "rings",
    "How many descriptors each ring of the interface has, for what is received and for what is sent (ethtool -G rx and \
     tx): so many packets, or parts of packets, may wait between the interface and the kernel. A small ring loses \
     packets in bursts; a large one uses more cache. More than the driver's maximum is refused, and the message names \
     the maximum; if the driver rounds a number, the trials of that level fail and say what it took. Most drivers take \
     the link down for a moment to change it, and drop waiting packets; Headroom waits until it is back. Without \
     `@INTERFACE` it is the interface towards the peer, at both ends.",
    "descriptors in each ring of a network interface",
);

static RECEIVE_SPEC: SettingSpec = spec(
    RX_NAME,
    "How many descriptors the receive rings of the interface have (ethtool -G rx); see `rings` for details. Without \
     `@INTERFACE` it is the interface towards the peer, at both ends.",
    "descriptors in the rings of a network interface for what is received",
);

static TRANSMIT_SPEC: SettingSpec = spec(
    TX_NAME,
    "How many descriptors the transmit rings of the interface have (ethtool -G tx); see `rings` for details. Without \
     `@INTERFACE` it is the interface towards the peer, at both ends.",
    "descriptors in the rings of a network interface for what is sent",
);

const fn spec(name: &'static str, doc: &'static str, summary: &'static str) -> SettingSpec {
    SettingSpec {
        value: ParameterSpec::new(name, Kind::Count, doc),
        unit: Unit::One,
        binds: Some(Symbol::PeerInterface),
        holds: None,
        summary,
    }
}

impl Setting for Rings {
    fn spec(&self) -> &'static SettingSpec {
        self.spec
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    // The queues are made anew.
    fn may_drop(&self) -> bool {
        true
    }

    fn not_beside(&self) -> &'static [&'static str] {
        self.beside
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(self.state(&self.words(resource)?))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(self.saved(&self.words(resource)?))
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        interface::has_link(resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let words = self.words(resource)?;
        let refused = |reason: String| SettingError::refused(self.spec, resource, value, reason);
        let changed = self.changed(&words, value).map_err(refused)?;
        if changed == words {
            return Ok(());
        }
        let set = interface::ethtool(self.spec, resource)?.set_rings(changed);
        set.map_err(|error| interface::unchanged(self.spec, resource, value, error, &self.takes(&words)))
    }

    // A driver makes the queues of the interface anew with the same interrupts, coalescing and MTU. The link
    // may go for a moment, and with it nothing that was set: addresses and routes stay as long as the
    // interface is up. Counters of rings may begin at 0.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let words = self.words(resource)?;
        if let Err(reason) = self.changed(&words, value) {
            return Err(SettingError::refused(self.spec, resource, value, reason));
        }
        let effect = |(ring, setting): &(Ring, &'static str)| SideEffect {
            setting: (*setting).to_owned(),
            resource: resource.clone(),
            before: Value::Integer(ring.now(&words).into()),
        };
        Ok(self.other.iter().filter(|(ring, _)| ring.max(&words) > 0).map(effect).collect())
    }
}

impl Ring {
    fn now(&self, words: &RingWords) -> u32 {
        words[self.now]
    }

    fn max(&self, words: &RingWords) -> u32 {
        words[self.max]
    }
}

impl Rings {
    /// What the driver tells, of all the rings that are meant.
    fn words(&self, resource: &Resource) -> Result<RingWords, SettingError> {
        let socket = interface::ethtool(self.spec, resource)?;
        let words = socket.rings().map_err(|e| interface::unanswered(self.spec, resource, e, NONE))?;
        match self.rings.iter().find(|ring| ring.max(&words) == 0) {
            None => Ok(words),
            Some(none) => {
                let reason = format!("its driver tells of no {} ring", none.name);
                Err(SettingError::unreadable(self.spec, resource, reason))
            }
        }
    }

    /// One number where all are alike, else that of each.
    fn state(&self, words: &RingWords) -> Value {
        let mut numbers = self.rings.iter().map(|ring| ring.now(words));
        let first = numbers.next().unwrap_or(0);
        if numbers.all(|number| number == first) { Value::Integer(first.into()) } else { self.each(words) }
    }

    /// What is written down: of one ring its number, of several that of each.
    fn saved(&self, words: &RingWords) -> Value {
        if let [_] = self.rings { self.state(words) } else { self.each(words) }
    }

    fn each(&self, words: &RingWords) -> Value {
        named_parts::value(self.rings.iter().map(|ring| (ring.name, ring.now(words).to_string())))
    }

    /// What the driver is to have, or why it cannot.
    fn changed(&self, words: &RingWords, value: &Value) -> Result<RingWords, String> {
        let saved = named_parts::parse(value);
        let mut changed = *words;
        for ring in self.rings {
            let number = match (value, &saved) {
                (Value::Integer(number), _) => u32::try_from(*number).ok(),
                (_, Some(saved)) => saved.get(ring.name).and_then(|text| text.parse().ok()),
                _ => return Err("it is no number of descriptors".to_owned()),
            };
            let fits = number.filter(|number| *number <= ring.max(words));
            changed[ring.now] = fits.ok_or_else(|| self.takes(words))?;
        }
        Ok(changed)
    }

    /// What the driver would take.
    fn takes(&self, words: &RingWords) -> String {
        let most = |ring: &Ring| format!("{} up to {}", ring.name, ring.max(words));
        format!("it takes {}", self.rings.iter().map(most).collect::<Vec<_>>().join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to 4096 for what is received, of which there are `rx`, and up to 1024 for what is sent.
    fn words(rx: u32, tx: u32) -> RingWords {
        [0, 4096, 0, 2048, 1024, rx, 0, 77, tx]
    }

    #[test]
    fn rings_are_read_changed_and_put_back() {
        let before = words(512, 256);
        assert_eq!((RECEIVE.state(&before), TRANSMIT.state(&before)), (512_u64.into(), 256_u64.into()));
        assert_eq!(BOTH.state(&before).to_string(), "rx:512+tx:256");
        let changed = BOTH.changed(&before, &Value::Integer(1024)).unwrap();
        assert_eq!(changed, words(1024, 1024), "the ring of jumbo frames is left as it is");
        assert_eq!(BOTH.state(&changed), Value::Integer(1024));
        assert_eq!(BOTH.changed(&changed, &BOTH.saved(&before)), Ok(before));
        assert_eq!(BOTH.saved(&changed).to_string(), "rx:1024+tx:1024", "each, also where they are alike");
        let received = RECEIVE.changed(&before, &Value::Integer(64)).unwrap();
        assert_eq!(received, words(64, 256));
        assert_eq!(RECEIVE.changed(&received, &RECEIVE.saved(&before)), Ok(before));
    }

    #[test]
    fn more_than_the_driver_has_is_refused_with_the_most() {
        let before = words(512, 256);
        let refused = BOTH.changed(&before, &Value::Integer(4096)).unwrap_err();
        assert_eq!(refused, "it takes rx up to 4096 and tx up to 1024");
        assert_eq!(
            TRANSMIT.changed(&before, &Value::Integer(4096)),
            Err("it takes tx up to 1024".to_owned())
        );
        assert!(RECEIVE.changed(&before, &Value::Integer(4096)).is_ok());
        assert!(RECEIVE.changed(&before, &Value::Integer(1 << 40)).is_err());
        assert!(RECEIVE.changed(&before, &Value::from("many")).is_err());
        let other = named_parts::value([("tx", "7".to_owned())]);
        assert!(BOTH.changed(&before, &other).is_err(), "one of both is not said");
    }

    #[test]
    fn the_loopback_has_no_rings_and_says_so() {
        for setting in [BOTH, RECEIVE, TRANSMIT] {
            let none = setting.read(&Resource::from("nic:lo")).unwrap_err().to_string();
            assert!(none.contains("tells of no rings"), "{none}");
            let gone = Resource::from("nic:hr-none");
            assert!(matches!(setting.read(&gone), Err(SettingError::Gone { .. })));
            let value = Value::Integer(256);
            assert!(matches!(setting.write(&gone, &value), Err(SettingError::Gone { .. })));
            assert!(matches!(setting.side_effects(&gone, &value), Err(SettingError::Gone { .. })));
        }
    }
}
