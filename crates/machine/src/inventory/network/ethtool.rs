//! What drivers tell of their interfaces: the `SIOCETHTOOL` calls of
//! `include/uapi/linux/ethtool.h`, the probe `ethtool/NAME`.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use serde::{Deserialize, Serialize};

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
const GET_DRIVER: u32 = 0x03;
const GET_RINGS: u32 = 0x10;
const GET_STRINGS: u32 = 0x1b;
const GET_STATISTICS: u32 = 0x1d;
const GET_STRING_COUNTS: u32 = 0x37;
const GET_FEATURES: u32 = 0x3a;
const GET_CHANNELS: u32 = 0x3c;
const GET_LINK: u32 = 0x4c;
const STRINGS_STATISTICS: u32 = 1;
const STRINGS_FEATURES: u32 = 4;
const STRINGS_LINK_MODES: u32 = 9;
/// `ETH_GSTRING_LEN`.
const STRING_BYTES: usize = 32;
/// More than the kernel has of either: it answers no more than it counted.
const STRINGS_MAX: usize = 4096;
/// Words of 32 bits before the masks of `struct ethtool_link_settings`.
const LINK_HEAD: usize = 12;

/// `SIOCETHTOOL` (`include/uapi/linux/sockios.h`).
const SIOCETHTOOL: rustix::ioctl::Opcode = 0x8946;

/// `struct ifreq` with a pointer (netdevice(7)), not smaller than the kernel's.
#[repr(C)]
struct Request {
    name: [u8; 16],
    data: *mut std::ffi::c_void,
    rest: [u8; 16],
}

/// An interface to ask.
struct EthtoolQuery<'a> {
    socket: OwnedFd,
    name: &'a str,
}

impl EthtoolQuery<'_> {
    /// Hands `buffer`, whose first word is the command, to the driver, which
    /// fills it in.
    ///
    /// # Safety
    /// `buffer` must be as large as what the kernel writes for this command.
    unsafe fn call(&self, buffer: &mut [u32]) -> Option<()> {
        let mut request = Request { name: [0; 16], data: buffer.as_mut_ptr().cast(), rest: [0; 16] };
        let name = self.name.as_bytes();
        // The last byte ends the name.
        request.name[..15].get_mut(..name.len())?.copy_from_slice(name);
        // SAFETY: the request outlives the call and points to a buffer that is
        // large enough, as the caller promises.
        unsafe {
            let call = rustix::ioctl::Updater::<SIOCETHTOOL, Request>::new(&mut request);
            rustix::ioctl::ioctl(&self.socket, call).ok()
        }
    }

    /// A structure of `N` words that the kernel fills in.
    ///
    /// # Safety
    /// `N` must be at least the size of the command's structure.
    unsafe fn get<const N: usize>(&self, command: u32) -> Option<[u32; N]> {
        let mut buffer = [0; N];
        buffer[0] = command;
        // SAFETY: as large as the structure, as the caller promises.
        unsafe { self.call(&mut buffer) }.map(|()| buffer)
    }

    /// The names of a string set, in the order of their bits.
    fn strings(&self, set: u32) -> Option<Vec<String>> {
        // Command, reserved, mask of sets (64 bits), one count.
        let mut counts = [GET_STRING_COUNTS, 0, 0, 0, 0];
        let mask = 1_u64 << set;
        counts[2..4].copy_from_slice(&halves(mask));
        // SAFETY: one count for the one set that is asked for.
        unsafe { self.call(&mut counts) }?;
        let count = usize::try_from(counts[4]).ok().filter(|n| (1..=STRINGS_MAX).contains(n))?;
        // Command, set, count, strings.
        let mut buffer = vec![0_u32; 3 + STRINGS_MAX * STRING_BYTES / 4];
        buffer[..2].copy_from_slice(&[GET_STRINGS, set]);
        // SAFETY: room for more strings than any set has.
        unsafe { self.call(&mut buffer) }?;
        let bytes: Vec<u8> =
            buffer[3..3 + count * STRING_BYTES / 4].iter().flat_map(|w| w.to_ne_bytes()).collect();
        Some(bytes.chunks(STRING_BYTES).map(text).collect())
    }

    fn driver(&self, answer: &mut Answer) {
        // Command, five texts of 32 bytes, 12 bytes reserved, five counts.
        // SAFETY: 196 bytes.
        let Some(found) = (unsafe { self.get::<49>(GET_DRIVER) }) else { return };
        let bytes: Vec<u8> = found[1..].iter().flat_map(|w| w.to_ne_bytes()).collect();
        let mut texts = bytes.chunks(32).map(text).map(|t| Some(t).filter(|t| !t.is_empty()));
        answer.driver = texts.next().flatten();
        answer.version = texts.next().flatten();
        answer.firmware = texts.next().flatten();
        answer.bus = texts.next().flatten();
    }

    fn rings(&self) -> Option<Rings> {
        // SAFETY: `struct ethtool_ringparam` has nine words.
        let found = unsafe { self.get::<9>(GET_RINGS) }?;
        Some(Rings { rx: pair(found[5], found[1]), tx: pair(found[8], found[4]) })
    }

    fn channels(&self) -> Option<Channels> {
        // SAFETY: `struct ethtool_channels` has nine words.
        let found = unsafe { self.get::<9>(GET_CHANNELS) }?;
        Some(Channels {
            rx: pair(found[5], found[1]),
            tx: pair(found[6], found[2]),
            combined: pair(found[8], found[4]),
        })
    }

    fn offloads(&self) -> Option<BTreeMap<String, bool>> {
        const BLOCKS: usize = STRINGS_MAX / 32;
        let names = self.strings(STRINGS_FEATURES)?;
        // Command, size, then blocks of available, requested, active and never
        // changed features.
        let mut buffer = vec![0_u32; 2 + 4 * BLOCKS];
        buffer[..2].copy_from_slice(&[GET_FEATURES, u32::try_from(BLOCKS).ok()?]);
        // SAFETY: the kernel writes as many blocks as the size says at most.
        unsafe { self.call(&mut buffer) }?;
        Some(offloads(&names, &buffer[2..]))
    }

    fn link(&self, answer: &mut Answer) -> Option<()> {
        // First the kernel says, as a negative number, how long its masks are;
        // then it answers to one who knows.
        // SAFETY: without masks the structure has its head only.
        let head = unsafe { self.get::<LINK_HEAD>(GET_LINK) }?;
        let words = masks_words(&head)?;
        let mut buffer = vec![0_u32; LINK_HEAD + 3 * words];
        buffer[0] = GET_LINK;
        set_masks_words(&mut buffer, words)?;
        // SAFETY: room for three masks of the length that is handed over.
        unsafe { self.call(&mut buffer) }?;
        let bytes: Vec<u8> = buffer[1..3].iter().flat_map(|w| w.to_ne_bytes()).collect();
        answer.speed_mbit = Some(u64::from(buffer[1])).filter(|speed| (1..=super::MBIT_MAX).contains(speed));
        answer.duplex = match bytes[4] {
            0 => Some("half".to_owned()),
            1 => Some("full".to_owned()),
            _ => None,
        };
        let names = self.strings(STRINGS_LINK_MODES)?;
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
    socket: OwnedFd,
    name: String,
    count: usize,
    /// `struct ethtool_stats`: command, count, then 64 bits each; with room for as
    /// many more as any driver may have added meanwhile.
    buffer: Vec<u32>,
}

impl Statistics {
    /// Those of this machine's interface, and what its driver calls them, in order;
    /// none where it has none.
    pub(crate) fn open(name: &str) -> Option<(Self, Vec<String>)> {
        let asker = EthtoolQuery { socket: socket().ok()?, name };
        let names = asker.strings(STRINGS_STATISTICS)?;
        let count = names.len();
        let buffer = vec![0; 2 + 2 * (count + STRINGS_MAX)];
        Some((Self { socket: asker.socket, name: name.to_owned(), count, buffer }, names))
    }

    /// The counters now; none where the driver has others than it had.
    pub(crate) fn read(&mut self) -> Option<impl Fn(usize) -> Option<u64> + '_> {
        self.buffer[..2].copy_from_slice(&[GET_STATISTICS, u32::try_from(self.count).ok()?]);
        let asker = EthtoolQuery { socket: self.socket.try_clone().ok()?, name: &self.name };
        // SAFETY: room for thousands more than the driver counted.
        unsafe { asker.call(&mut self.buffer) }?;
        let values = self.buffer.get(2..)?;
        let is_same = usize::try_from(self.buffer[1]).ok()? == self.count;
        is_same.then_some(move |at: usize| {
            let [low, high] = *values.get(2 * at..)?.first_chunk()?;
            let [a, b] = [low, high].map(u32::to_ne_bytes);
            Some(u64::from_ne_bytes([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]))
        })
    }
}

/// A socket to ask about interfaces with.
fn socket() -> rustix::io::Result<OwnedFd> {
    rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
}

/// Asks the driver of this machine's interface.
pub(super) fn ask(name: &str) -> Result<Answer, String> {
    let asker = EthtoolQuery { socket: socket().map_err(|e| e.to_string())?, name };
    let mut answer = Answer::default();
    asker.driver(&mut answer);
    let _ = asker.link(&mut answer);
    answer.rings = asker.rings().unwrap_or_default();
    answer.channels = asker.channels().unwrap_or_default();
    answer.offloads = asker.offloads().unwrap_or_default();
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

fn halves(value: u64) -> [u32; 2] {
    let bytes = value.to_ne_bytes();
    let half = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    [half(0), half(4)]
}

/// A number and its most, where the driver has such a thing.
fn pair(now: u32, most: u32) -> NowAndMost {
    (most > 0).then_some((now, most))
}

/// A text that ends with a zero or with its place.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

fn bit(words: &[u32], index: usize) -> bool {
    words.get(index / 32).is_some_and(|word| word >> (index % 32) & 1 == 1)
}

/// The offloads that matter and that the driver has: those that are on, or that
/// could be.
fn offloads(names: &[String], blocks: &[u32]) -> BTreeMap<String, bool> {
    let of = |which: usize| blocks.chunks(4).map(|b| b.get(which).copied().unwrap_or(0)).collect::<Vec<_>>();
    let (available, active, fixed) = (of(0), of(2), of(3));
    let all = names.iter().enumerate().filter(|(_, name)| matters(name));
    all.filter(|(i, _)| bit(&active, *i) || (bit(&available, *i) && !bit(&fixed, *i)))
        .map(|(i, name)| (name.clone(), bit(&active, i)))
        .collect()
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
        let names: Vec<String> =
            ["rx-lro", "rx-gro", "tx-tcp-segmentation", "highdma", "rx-gro-hw"].map(str::to_owned).into();
        // Available, requested, active, never changed.
        let found = offloads(&names, &[0b1_0111, 0, 0b1_1010, 0b1_0001]);
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
