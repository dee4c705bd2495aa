//! What drivers tell of their interfaces (`include/uapi/linux/ethtool.h`), the probe
//! `ethtool/NAME`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ethtool_socket::{EthtoolSocket, Feature, STRINGS_MAX, texts};

/// A number now, and the most it may be.
type NowAndMost = Option<(u32, u32)>;

/// What a driver answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) driver: Option<String>,
    pub(super) version: Option<String>,
    pub(super) firmware: Option<String>,
    pub(super) bus: Option<String>,
    pub(super) speed_mbit: Option<u64>,
    pub(super) duplex: Option<String>,
    /// The fastest mode that this end can.
    pub(super) supported_max_mbit: Option<u64>,
    /// The fastest mode that the other end offers and this one can.
    pub(super) partner_max_mbit: Option<u64>,
    pub(super) rings: Rings,
    pub(super) channels: Channels,
    pub(super) offloads: BTreeMap<String, bool>,
}

/// Descriptors of each ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Rings {
    pub(super) rx: NowAndMost,
    pub(super) tx: NowAndMost,
}

/// Queues with an interrupt each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Channels {
    pub(super) rx: NowAndMost,
    pub(super) tx: NowAndMost,
    pub(super) combined: NowAndMost,
}

impl Answer {
    /// The fastest that both ends could use, or that this one can.
    pub(super) fn most_mbit(&self) -> Option<u64> {
        match (self.supported_max_mbit, self.partner_max_mbit) {
            (Some(own), Some(partner)) => Some(own.min(partner)),
            (own, partner) => own.or(partner),
        }
    }

    /// Queues of one direction, with those for both.
    pub(super) fn queues(&self, one_way: NowAndMost) -> Option<u32> {
        let now = |channel: NowAndMost| channel.map_or(0, |(now, _)| now);
        now(one_way).checked_add(now(self.channels.combined)).filter(|n| *n > 0)
    }
}

/// Offloads that shape a measurement.
fn matters(feature: &str) -> bool {
    const NAMES: &[&str] = &[
        "rx-checksum",
        "rx-gro",
        "rx-gro-hw",
        "rx-lro",
        "tx-generic-segmentation",
        "tx-scatter-gather",
        "tx-tcp-segmentation",
        "tx-tcp6-segmentation",
        "tx-udp-segmentation",
    ];
    NAMES.contains(&feature) || feature.starts_with("tx-checksum-")
}

/// Commands and string sets of `ethtool.h`.
const GET_STATISTICS: u32 = 0x1d;
const GET_CHANNELS: u32 = 0x3c;
const GET_LINK: u32 = 0x4c;
const STRINGS_STATISTICS: u32 = 1;
const STRINGS_LINK_MODES: u32 = 9;
/// Words of 32 bits before the masks of `struct ethtool_link_settings`.
const LINK_HEAD: usize = 12;

/// An interface to ask.
struct EthtoolQuery {
    socket: EthtoolSocket,
}

impl EthtoolQuery {
    fn driver(&self, answer: &mut Answer) {
        let Ok(found) = self.socket.driver_words() else { return };
        let mut texts = texts(&found[1..]).map(|t| Some(t).filter(|t| !t.is_empty()));
        answer.driver = texts.next().flatten();
        answer.version = texts.next().flatten();
        answer.firmware = texts.next().flatten();
        answer.bus = texts.next().flatten();
    }

    fn rings(&self) -> Option<Rings> {
        let found = self.socket.rings().ok()?;
        Some(Rings { rx: pair(found[5], found[1]), tx: pair(found[8], found[4]) })
    }

    fn channels(&self) -> Option<Channels> {
        // SAFETY: `struct ethtool_channels` has nine words.
        let found = unsafe { self.socket.get::<9>(GET_CHANNELS) }.ok()?;
        Some(Channels {
            rx: pair(found[5], found[1]),
            tx: pair(found[6], found[2]),
            combined: pair(found[8], found[4]),
        })
    }

    fn link(&self, answer: &mut Answer) -> Option<()> {
        // First the kernel says, as a negative number, how long its masks are;
        // then it answers to one who knows.
        // SAFETY: without masks the structure has its head only.
        let head = unsafe { self.socket.get::<LINK_HEAD>(GET_LINK) }.ok()?;
        let words = masks_words(&head)?;
        let mut buffer = vec![0_u32; LINK_HEAD + 3 * words];
        buffer[0] = GET_LINK;
        set_masks_words(&mut buffer, words)?;
        // SAFETY: room for three masks of the length that is handed over.
        unsafe { self.socket.call(&mut buffer) }.ok()?;
        let bytes: Vec<u8> = buffer[1..3].iter().flat_map(|w| w.to_ne_bytes()).collect();
        answer.speed_mbit = Some(u64::from(buffer[1])).filter(|speed| (1..=super::MBIT_MAX).contains(speed));
        answer.duplex = match bytes[4] {
            0 => Some("half".to_owned()),
            1 => Some("full".to_owned()),
            _ => None,
        };
        let names = self.socket.strings(STRINGS_LINK_MODES).ok().filter(|names| !names.is_empty())?;
        let (supported, rest) = buffer[LINK_HEAD..].split_at(words);
        let partner: Vec<u32> =
            supported.iter().zip(&rest[words..]).map(|(own, other)| own & other).collect();
        answer.supported_max_mbit = fastest(&names, supported);
        answer.partner_max_mbit = fastest(&names, &partner);
        Some(())
    }
}

/// The counters of a driver, as `ethtool -S` shows them.
#[derive(Debug)]
pub(crate) struct Statistics {
    socket: EthtoolSocket,
    count: usize,
    /// `struct ethtool_stats`: command, count, then 64 bits each; with room for as
    /// many more as any driver may have added meanwhile.
    buffer: Vec<u32>,
}

impl Statistics {
    /// Those of this machine's interface, and what its driver calls them, in order;
    /// none where it has none.
    pub(crate) fn open(name: &str) -> Option<(Self, Vec<String>)> {
        let socket = EthtoolSocket::open(name).ok()?;
        let names = socket.strings(STRINGS_STATISTICS).ok().filter(|names| !names.is_empty())?;
        let count = names.len();
        let buffer = vec![0; 2 + 2 * (count + STRINGS_MAX)];
        Some((Self { socket, count, buffer }, names))
    }

    /// The counters now; none where the driver has others than it had.
    pub(crate) fn read(&mut self) -> Option<impl Fn(usize) -> Option<u64> + '_> {
        self.buffer[..2].copy_from_slice(&[GET_STATISTICS, u32::try_from(self.count).ok()?]);
        // SAFETY: room for thousands more than the driver counted.
        unsafe { self.socket.call(&mut self.buffer) }.ok()?;
        let values = self.buffer.get(2..)?;
        let is_same = usize::try_from(self.buffer[1]).ok()? == self.count;
        is_same.then_some(move |at: usize| {
            let [low, high] = *values.get(2 * at..)?.first_chunk()?;
            let [a, b] = [low, high].map(u32::to_ne_bytes);
            Some(u64::from_ne_bytes([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]))
        })
    }
}

/// Asks the driver of this machine's interface.
pub(super) fn ask(name: &str) -> Result<Answer, String> {
    let asker = EthtoolQuery { socket: EthtoolSocket::open(name).map_err(|e| e.to_string())? };
    let mut answer = Answer::default();
    asker.driver(&mut answer);
    let _ = asker.link(&mut answer);
    answer.rings = asker.rings().unwrap_or_default();
    answer.channels = asker.channels().unwrap_or_default();
    answer.offloads = asker.socket.features().map(|all| offloads(&all)).unwrap_or_default();
    Ok(answer)
}

/// The length of the masks in `link_mode_masks_nwords`, byte 7 of what follows
/// the speed, as the kernel says it: negative.
fn masks_words(head: &[u32]) -> Option<usize> {
    let byte = head.get(3)?.to_ne_bytes()[3];
    usize::try_from(-i16::from(byte.cast_signed())).ok().filter(|words| *words > 0)
}

fn set_masks_words(buffer: &mut [u32], words: usize) -> Option<()> {
    let words = i8::try_from(words).ok()?;
    *buffer.get_mut(3)? = u32::from_ne_bytes([0, 0, 0, words.cast_unsigned()]);
    Some(())
}

/// A number and its most, where the driver has such a thing.
fn pair(now: u32, most: u32) -> NowAndMost {
    (most > 0).then_some((now, most))
}

fn bit(words: &[u32], index: usize) -> bool {
    words.get(index / 32).is_some_and(|word| word >> (index % 32) & 1 == 1)
}

/// The offloads that matter and that the driver has: those that are on, or that
/// could be.
fn offloads(all: &[Feature]) -> BTreeMap<String, bool> {
    let has = |feature: &&Feature| matters(&feature.name) && (feature.is_active || feature.is_switchable);
    all.iter().filter(has).map(|feature| (feature.name.clone(), feature.is_active)).collect()
}

/// Mbit/s of the fastest mode in `mask`; modes are named `10000baseT/Full`, and
/// what is no mode (`Autoneg`, `TP`, `Pause`) has no number in front.
fn fastest(names: &[String], mask: &[u32]) -> Option<u64> {
    let speed = |name: &String| name.split_once("base").and_then(|(number, _)| number.parse::<u64>().ok());
    let set = names.iter().enumerate().filter(|(index, _)| bit(mask, *index));
    set.filter_map(|(_, name)| speed(name)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_mode_is_told_by_its_name() {
        let names: Vec<String> = [
            "10baseT/Half",
            "Autoneg",
            "1000baseT/Full",
            "10000baseT/Full",
            "10baseT1S_P2MP/Half",
            "FEC_BASER",
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(fastest(&names, &[0b11_0111]), Some(1000));
        assert_eq!(fastest(&names, &[0b00_1111]), Some(10_000));
        assert_eq!(fastest(&names, &[0b10_0010]), None);
        assert_eq!(fastest(&names, &[]), None);
        let answer =
            |own, partner| Answer { supported_max_mbit: own, partner_max_mbit: partner, ..Answer::default() };
        assert_eq!(answer(Some(10_000), Some(1000)).most_mbit(), Some(1000));
        assert_eq!(answer(Some(10_000), None).most_mbit(), Some(10_000));
    }

    #[test]
    fn offloads_that_a_driver_lacks_are_left_out() {
        let feature = |name: &str, is_switchable, is_active| Feature {
            bit: 0,
            name: name.to_owned(),
            is_switchable,
            is_wanted: is_active,
            is_active,
        };
        let found = offloads(&[
            feature("rx-lro", false, false),
            feature("rx-gro", true, true),
            feature("tx-tcp-segmentation", true, false),
            feature("highdma", true, true),
            feature("rx-gro-hw", false, true),
        ]);
        let expected = [("rx-gro", true), ("rx-gro-hw", true), ("tx-tcp-segmentation", false)];
        assert_eq!(found, expected.map(|(name, on)| (name.to_owned(), on)).into());
    }

    #[test]
    fn the_length_of_masks_is_handed_over_and_back() {
        let mut head = [0; LINK_HEAD];
        assert_eq!(masks_words(&head), None);
        head[3] = u32::from_ne_bytes([0, 0, 0, (-4_i8).cast_unsigned()]);
        assert_eq!(masks_words(&head), Some(4));
        set_masks_words(&mut head, 4).unwrap();
        assert_eq!(head[3].to_ne_bytes()[3], 4);
        assert_eq!(set_masks_words(&mut head, 1000), None);
    }

    #[test]
    fn counters_of_a_driver_are_as_many_as_their_names() {
        assert!(Statistics::open("lo").is_none() && Statistics::open("no-such").is_none());
        for entry in std::fs::read_dir("/sys/class/net").unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some((mut all, names)) = Statistics::open(&name) else { continue };
            let count = names.len();
            let value = all.read().unwrap();
            assert!(names.iter().all(|n| !n.is_empty()), "{names:?}");
            assert!((0..count).all(|at| value(at).is_some()), "{name}");
        }
    }

    #[test]
    fn the_loopback_of_this_machine_answers() {
        let lo = ask("lo").unwrap();
        // The kernel does not let anybody switch it off there.
        assert_eq!(lo.offloads.get("tx-scatter-gather").copied(), Some(true), "{lo:?}");
        assert!(ask("no-such-interface-at-all").unwrap() == Answer::default());
    }
}
