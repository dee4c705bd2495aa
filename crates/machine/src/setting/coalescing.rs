//! `coalescing`: how long an interface may wait with the interrupt for what it received
//! (`ETHTOOL_GCOALESCE` and `ETHTOOL_SCOALESCE` of `include/uapi/linux/ethtool.h`, ethtool(8)).
//!
//! An interrupt comes when that time is over, or so many packets are there (`rx-frames`), whichever is
//! first. With a time of 0 the packets alone decide, so that one must be enough: 0 of both is illegal, for
//! no interrupt would ever come (`struct ethtool_coalesce`). A driver that knows no packets says 0 of them,
//! and takes no other number; by it that is an interrupt for each packet. Of what is sent (`tx-usecs`)
//! nothing is changed: drivers with one interrupt for both directions have one time for both, and others
//! wait with it for nothing that somebody waits for.

use model::parameter::Word;
use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};
use rustix::io::Errno;

use super::journal::SideEffect;
use super::{Setting, SettingError, interface, named_parts};
use crate::inventory::network::ethtool_socket::{CoalescingWords, EthtoolSocket, QUEUES_MAX};

const ADAPTIVE: &str = "adaptive";
const NONE: &str = "its driver cannot coalesce interrupts, as those of veth, bridges and tunnels cannot";

/// Where `struct ethtool_coalesce` has `rx_coalesce_usecs`, `rx_max_coalesced_frames` and
/// `use_adaptive_rx_coalesce`.
const TIME: usize = 1;
const PACKETS: usize = 2;
const IS_ADAPTIVE: usize = 10;

/// Their names in the journal, as ethtool(8) calls them.
const TIME_NAME: &str = "rx-usecs";
const PACKETS_NAME: &str = "rx-frames";
const ADAPTIVE_NAME: &str = "adaptive-rx";

/// Drivers by which a time of a few microseconds stands for "adaptive", with the one that they begin with
/// (`e1000_set_coalesce` in `drivers/net/ethernet/intel/e1000` and `e1000e`, `igb_set_coalesce`,
/// `igc_ethtool_set_coalesce`, `ixgbe_set_coalesce`, `ixgbevf_set_coalesce`).
const SPECIAL: &[(&str, u32, &[u32])] = &[
    ("e1000", 3, &[1, 3, 4]),
    ("e1000e", 3, &[1, 3, 4]),
    ("igb", 3, &[1, 3]),
    ("igc", 3, &[1, 3]),
    ("ixgbe", 1, &[1]),
    ("ixgbevf", 1, &[1]),
];
/// Drivers that with a time of 0 also switch off how the adapter joins its accesses to memory (DMA
/// coalescing), and not on again (`igb_set_coalesce`, `igc_ethtool_set_coalesce`).
const LOSE_AT_ZERO: &[&str] = &["igb", "igc"];
/// Drivers of which it is known that they have rx-frames (`supported_coalesce_params` of
/// `struct ethtool_ops`), so that 0 of them is not for want of any.
const HAVE_PACKETS: &[&str] = &["bnxt_en", "mlx4_en", "mlx5_core", "tg3", "tun", "virtio_net"];
/// What it is where the queues are not alike: none of the levels.
const DIFFERENT: &str = "rx-usecs differs by queue";

pub(super) struct Coalescing;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "coalescing",
        Kind::Count,
        "How many microseconds the interface may delay the interrupt for received packets (ethtool -C rx-usecs), so \
         that one interrupt serves several; the driver then no longer chooses the time itself. 0 is an interrupt for \
         each packet (rx-frames is set to 1 where the driver has it). A long time costs latency, a short one processor \
         time. If rx-frames packets are there earlier, the interrupt comes then; an rx-frames of 1 is set to 0, so \
         that the time alone decides. The time for sending (tx-usecs) is left as it is; some adapters have one time \
         for both directions. A time that the driver rounds, or does not support, cannot be a level. Some virtual \
         machines and most virtual interfaces have no such setting. Without `@INTERFACE` it is the interface towards \
         the peer, at both ends.",
    )
    .or_zero()
    .words(&[Word { word: ADAPTIVE, doc: "the driver chooses the time by what comes" }]),
    unit: Unit::One,
    binds: Some(Symbol::PeerInterface),
    holds: None,
    summary: "microseconds that a network interface waits with an interrupt",
};

/// What is known of a driver.
#[derive(Clone, Copy, Debug, Default)]
struct Driver {
    /// Its line in [`SPECIAL`].
    special: Option<(u32, &'static [u32])>,
    /// Whether it is in [`HAVE_PACKETS`].
    has_packets: bool,
}

/// What is changed, and put back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moderation {
    is_adaptive: bool,
    time_us: u32,
    packets: u32,
}

impl Setting for Coalescing {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    // Some drivers make their queues anew (`ixgbe_set_coalesce`, `bnxt_set_coalesce`).
    fn may_drop(&self) -> bool {
        true
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let (socket, words) = ask(resource)?;
        if differ(queues(&socket)) {
            return Ok(DIFFERENT.into());
        }
        Ok(Moderation::of(&words).state(Driver::of(&socket)))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        let (_, words) = ask(resource)?;
        Ok(Moderation::of(&words).saved())
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        is_as_before(now, before)
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        interface::has_link(resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let (socket, words) = ask(resource)?;
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let (now, driver) = (Moderation::of(&words), Driver::of(&socket));
        let wanted = now.changed(value, driver).map_err(refused)?;
        let set = |wanted: Moderation| {
            wanted.steps().into_iter().try_for_each(|step| socket.set_coalescing(step.within(words)))
        };
        let done = match (set(wanted), wanted.without_packets(now, driver)) {
            (Err(Errno::OPNOTSUPP | Errno::INVAL), Some(without)) => set(without),
            (other, _) => other,
        };
        done.map_err(|error| interface::unchanged(&SPEC, resource, value, error, ""))
    }

    // The kernel changes nothing else with it (`ethtool_set_coalesce` in `net/ethtool/ioctl.c`). ixgbe
    // joins no packets (LRO) below 8 us, and does again above.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let (socket, words) = ask(resource)?;
        let refused = |reason: String| Err(SettingError::refused(&SPEC, resource, value, reason));
        if differ(queues(&socket)) {
            let reason = "its queues have different times (ethtool -Q), which would all become the same and could not \
                          be put back";
            return refused(reason.to_owned());
        }
        if let Err(reason) = Moderation::of(&words).changed(value, Driver::of(&socket)) {
            return refused(reason);
        }
        let loses = |driver: &String| LOSE_AT_ZERO.contains(&driver.as_str());
        if *value == Value::Integer(0)
            && let Some(driver) = socket.driver().filter(loses)
        {
            return refused(format!(
                "with 0, the driver {driver} also switches off DMA coalescing, and never on again; use 10 or more"
            ));
        }
        Ok(Vec::new())
    }
}

/// What the driver tells.
fn ask(resource: &Resource) -> Result<(EthtoolSocket, CoalescingWords), SettingError> {
    let socket = interface::ethtool(&SPEC, resource)?;
    let words = socket.coalescing().map_err(|e| interface::unanswered(&SPEC, resource, e, NONE))?;
    Ok((socket, words))
}

/// What the driver tells of each queue, where it does.
fn queues(socket: &EthtoolSocket) -> impl Iterator<Item = Moderation> {
    let each = (0..QUEUES_MAX).map_while(|queue| socket.queue_coalescing(queue).ok());
    each.map(|words| Moderation::of(&words))
}

impl Driver {
    fn of(socket: &EthtoolSocket) -> Self {
        let Some(driver) = socket.driver() else { return Self::default() };
        let special = SPECIAL.iter().find(|(name, ..)| *name == driver);
        Self {
            special: special.map(|(_, first, all)| (*first, *all)),
            has_packets: HAVE_PACKETS.contains(&driver.as_str()),
        }
    }

    /// Whether by this time it means that it chooses the time itself.
    fn is_special(&self, time_us: u32) -> bool {
        self.special.is_some_and(|(_, all)| all.contains(&time_us))
    }
}

/// Whether not all queues are alike. Of those whose time the driver chooses, the time is left out.
fn differ(mut queues: impl Iterator<Item = Moderation>) -> bool {
    let Some(first) = queues.next() else { return false };
    let is_alike = |other: &Moderation| match (first.is_adaptive, other.is_adaptive) {
        (true, true) => true,
        _ => first == *other,
    };
    queues.any(|other| !is_alike(&other))
}

impl Moderation {
    fn of(words: &CoalescingWords) -> Self {
        Self { is_adaptive: words[IS_ADAPTIVE] != 0, time_us: words[TIME], packets: words[PACKETS] }
    }

    /// These in the place of those in `words`.
    fn within(self, mut words: CoalescingWords) -> CoalescingWords {
        words[IS_ADAPTIVE] = self.is_adaptive.into();
        words[TIME] = self.time_us;
        words[PACKETS] = self.packets;
        words
    }

    /// Microseconds or the word, or what it is else: with so few packets the time means nothing, and
    /// with 0 and several packets, or none, there is no time.
    fn state(self, driver: Driver) -> Value {
        match self {
            _ if self.is_adaptive || driver.is_special(self.time_us) => ADAPTIVE.into(),
            Self { time_us: 0, packets: 1, .. } => Value::Integer(0),
            Self { time_us: 0, packets: 0, .. } if !driver.has_packets => Value::Integer(0),
            Self { time_us: 1.., packets: 0 | 2.., .. } => Value::Integer(self.time_us.into()),
            Self { time_us, packets, .. } => {
                Value::Text(format!("{TIME_NAME} {time_us} with {PACKETS_NAME} {packets}"))
            }
        }
    }

    fn saved(self) -> Value {
        named_parts::value([
            (ADAPTIVE_NAME, u32::from(self.is_adaptive).to_string()),
            (TIME_NAME, self.time_us.to_string()),
            (PACKETS_NAME, self.packets.to_string()),
        ])
    }

    /// What [`Moderation::saved`] wrote.
    fn parse(value: &Value) -> Option<Self> {
        let parts = named_parts::parse(value)?;
        let number = |name: &str| parts.get(name)?.parse::<u32>().ok();
        Some(Self {
            is_adaptive: number(ADAPTIVE_NAME)? != 0,
            time_us: number(TIME_NAME)?,
            packets: number(PACKETS_NAME)?,
        })
    }

    /// What it is to be, or why it cannot.
    fn changed(self, value: &Value, driver: Driver) -> Result<Self, String> {
        match value {
            Value::Integer(time_us) => {
                let time_us = u32::try_from(*time_us).map_err(|_| "it is too long".to_owned())?;
                if driver.is_special(time_us) {
                    return Err(format!(
                        "by {time_us} us its driver means that it chooses the time itself: use `{ADAPTIVE}`"
                    ));
                }
                let packets = match (time_us, self.packets) {
                    (0, _) => 1,
                    (_, 1) => 0,
                    (_, packets) => packets,
                };
                Ok(Self { is_adaptive: false, time_us, packets })
            }
            Value::Text(word) if word == ADAPTIVE => Ok(match driver.special {
                Some((first, _)) => Self { time_us: first, ..self },
                None => Self { is_adaptive: true, ..self },
            }),
            // What is as it is, for who asks how it stands.
            Value::Text(_) if *value == self.state(driver) => Ok(self),
            saved => Self::parse(saved).ok_or_else(|| "it is no time in microseconds".to_owned()),
        }
    }

    /// The same without packets, for a driver that may have none: by it there are none `now`.
    fn without_packets(self, now: Self, driver: Driver) -> Option<Self> {
        let may_have_none = now.packets == 0 && !driver.has_packets;
        (may_have_none && self.time_us == 0 && self.packets == 1).then_some(Self { packets: 0, ..self })
    }

    /// The calls that lead there. Some drivers take no time while they choose it themselves
    /// (`ice_set_rc_coalesce` in `drivers/net/ethernet/intel/ice`), so that it goes before that.
    fn steps(self) -> Vec<Self> {
        let mut steps = vec![Self { is_adaptive: false, ..self }];
        if self.is_adaptive {
            steps.push(self);
        }
        steps
    }
}

/// Whether all is as it was; the time not where the driver chooses it.
fn is_as_before(now: &Value, before: &Value) -> bool {
    match (Moderation::parse(now), Moderation::parse(before)) {
        (Some(now), Some(before)) => now == before || now.is_adaptive && before.is_adaptive,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moderation(is_adaptive: bool, time_us: u32, packets: u32) -> Moderation {
        Moderation { is_adaptive, time_us, packets }
    }

    const PLAIN: Driver = Driver { special: None, has_packets: false };
    const WITH_PACKETS: Driver = Driver { special: None, has_packets: true };
    const E1000E: Driver = Driver { special: Some((3, &[1, 3, 4])), has_packets: false };

    #[test]
    fn a_time_is_one_only_where_it_decides() {
        for (now, state) in [
            (moderation(false, 50, 0), Value::Integer(50)),
            (moderation(false, 50, 32), Value::Integer(50)),
            (moderation(false, 0, 0), Value::Integer(0)),
            (moderation(false, 0, 1), Value::Integer(0)),
            (moderation(true, 50, 32), ADAPTIVE.into()),
            (moderation(false, 50, 1), "rx-usecs 50 with rx-frames 1".into()),
            (moderation(false, 0, 32), "rx-usecs 0 with rx-frames 32".into()),
        ] {
            assert_eq!(now.state(PLAIN), state);
            assert_eq!(now.changed(&state, PLAIN).map(|same| same.state(PLAIN)), Ok(state));
        }
        assert_eq!(moderation(false, 3, 0).state(PLAIN), Value::Integer(3));
        assert_eq!(moderation(false, 3, 0).state(E1000E), ADAPTIVE.into());
    }

    #[test]
    fn every_level_is_read_back_and_put_back() {
        for before in [moderation(true, 8, 128), moderation(false, 8, 128), moderation(false, 0, 32)] {
            for asked in [Value::Integer(0), Value::Integer(100), ADAPTIVE.into()] {
                let changed = before.changed(&asked, PLAIN).unwrap();
                assert_eq!(changed.state(PLAIN), asked, "{before:?}");
                assert_eq!(changed.changed(&before.saved(), PLAIN), Ok(before));
                assert_eq!(changed.steps().last(), Some(&changed));
            }
        }
        let one = moderation(false, 0, 1).changed(&Value::Integer(50), PLAIN);
        assert_eq!(one, Ok(moderation(false, 50, 0)), "one packet would not wait for the time");
        assert_eq!(moderation(true, 9, 2).steps(), [moderation(false, 9, 2), moderation(true, 9, 2)]);
        let mut words: CoalescingWords = [7; 23];
        words[IS_ADAPTIVE] = 1;
        let changed = moderation(false, 50, 32).within(words);
        assert_eq!((changed[TIME], changed[PACKETS], changed[IS_ADAPTIVE]), (50, 32, 0));
        assert_eq!(changed.iter().filter(|word| **word == 7).count(), 20, "nothing else is changed");
    }

    #[test]
    fn regression_no_interrupt_would_have_come_with_neither_a_time_nor_packets() {
        // No time and no packets is illegal, but by a driver that knows no packets.
        for driver in [PLAIN, WITH_PACKETS] {
            for before in [moderation(false, 50, 0), moderation(false, 0, 0), moderation(false, 0, 32)] {
                let changed = before.changed(&Value::Integer(0), driver);
                assert_eq!(changed, Ok(moderation(false, 0, 1)), "{before:?}");
                let may_have_none = before.packets == 0 && !driver.has_packets;
                let without = may_have_none.then_some(moderation(false, 0, 0));
                assert_eq!(changed.unwrap().without_packets(before, driver), without, "{before:?}");
            }
        }
        let none = moderation(false, 0, 0);
        assert_eq!(none.state(PLAIN), Value::Integer(0));
        assert_eq!(none.state(WITH_PACKETS), "rx-usecs 0 with rx-frames 0".into());
        assert_eq!(none.changed(&none.state(WITH_PACKETS), WITH_PACKETS), Ok(none));
        let saved = moderation(false, 0, 1).changed(&none.saved(), WITH_PACKETS);
        assert_eq!(saved, Ok(none), "what was found is put back");
        assert_eq!(moderation(false, 50, 0).without_packets(none, PLAIN), None);
    }

    #[test]
    fn regression_queues_that_differ_were_a_level() {
        let level = Value::from(DIFFERENT);
        assert!(!SPEC.value.words.iter().any(|word| word.word == DIFFERENT));
        assert!(moderation(false, 8, 0).changed(&level, PLAIN).is_err());
    }

    #[test]
    fn a_time_that_means_something_else_is_refused() {
        let now = moderation(false, 50, 0);
        let error = now.changed(&Value::Integer(3), E1000E).unwrap_err();
        assert!(error.contains("by 3 us its driver") && error.contains("`adaptive`"), "{error}");
        assert_eq!(now.changed(&ADAPTIVE.into(), E1000E), Ok(moderation(false, 3, 0)));
        assert_eq!(now.changed(&moderation(false, 3, 0).saved(), E1000E), Ok(moderation(false, 3, 0)));
        assert!(now.changed(&Value::Integer(1 << 40), PLAIN).is_err());
        for odd in [Value::Bool(true), "long".into(), named_parts::value([("rx-usecs", "1".to_owned())])] {
            assert!(now.changed(&odd, PLAIN).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_time_that_the_driver_chooses_is_as_before_whatever_it_is() {
        let saved = |is_adaptive, time_us| moderation(is_adaptive, time_us, 32).saved();
        assert_eq!(saved(true, 8).to_string(), "adaptive-rx:1+rx-usecs:8+rx-frames:32");
        assert!(is_as_before(&saved(true, 64), &saved(true, 8)));
        assert!(!is_as_before(&saved(false, 64), &saved(false, 8)));
        assert!(!is_as_before(&saved(true, 8), &saved(false, 8)));
        assert!(!is_as_before(&Value::Integer(8), &saved(false, 8)));
        let queues = |all: &[Moderation]| differ(all.iter().copied());
        assert!(!queues(&[]) && !queues(&[moderation(false, 8, 0)]));
        assert!(!queues(&[moderation(true, 8, 0), moderation(true, 9, 0)]));
        assert!(queues(&[moderation(false, 8, 0), moderation(false, 8, 0), moderation(false, 9, 0)]));
        assert!(queues(&[moderation(false, 8, 0), moderation(true, 8, 0)]));
    }

    #[test]
    fn the_loopback_has_none_and_says_so() {
        let none = Coalescing.read(&Resource::from("nic:lo")).unwrap_err().to_string();
        assert!(none.contains("cannot coalesce interrupts"), "{none}");
        let (gone, value) = (Resource::from("nic:hr-none"), Value::Integer(50));
        assert!(matches!(Coalescing.read(&gone), Err(SettingError::Gone { .. })));
        assert!(matches!(Coalescing.write(&gone, &value), Err(SettingError::Gone { .. })));
        assert!(matches!(Coalescing.side_effects(&gone, &value), Err(SettingError::Gone { .. })));
    }
}
