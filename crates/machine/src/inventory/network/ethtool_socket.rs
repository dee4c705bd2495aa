//! The `SIOCETHTOOL` calls of `include/uapi/linux/ethtool.h`, by which the driver of an interface is
//! asked and by which settings change it. An ioctl acts in the network namespace of this process.
//!
//! All structures of these calls that are used here are words of 32 bits, the first of which is the
//! command. What the numbers mean is for the caller to know.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

/// Commands.
const GET_DRIVER: u32 = 0x03;
const GET_COALESCING: u32 = 0x0e;
const SET_COALESCING: u32 = 0x0f;
const GET_RINGS: u32 = 0x10;
const SET_RINGS: u32 = 0x11;
const GET_STRINGS: u32 = 0x1b;
const GET_STRING_COUNTS: u32 = 0x37;
const GET_FEATURES: u32 = 0x3a;
const SET_FEATURES: u32 = 0x3b;
const PER_QUEUE: u32 = 0x4b;
/// `ETH_SS_FEATURES`.
const STRINGS_FEATURES: u32 = 4;
/// `ETH_GSTRING_LEN`.
const STRING_BYTES: usize = 32;
/// More than the kernel has of either: it answers no more than it counted.
pub(super) const STRINGS_MAX: usize = 4096;
/// Blocks of 32 features, as many as strings.
const BLOCKS_MAX: usize = STRINGS_MAX / 32;
/// `MAX_NUM_QUEUE`, and the words of a mask of so many.
pub(crate) const QUEUES_MAX: u32 = 4096;
const QUEUES_WORDS: usize = 128;

/// `SIOCETHTOOL` (`include/uapi/linux/sockios.h`).
const SIOCETHTOOL: rustix::ioctl::Opcode = 0x8946;

/// `struct ethtool_coalesce`.
pub(crate) type CoalescingWords = [u32; 23];
/// `struct ethtool_ringparam`: the most of rx, rx-mini, rx-jumbo and tx, then as many as there are.
pub(crate) type RingWords = [u32; 9];
/// `struct ethtool_drvinfo`: five texts of 32 bytes, 12 bytes reserved, five counts.
pub(super) type DriverWords = [u32; 49];

/// `struct ifreq` with a pointer (netdevice(7)), not smaller than the kernel's.
#[repr(C)]
struct Request {
    name: [u8; 16],
    data: *mut std::ffi::c_void,
    rest: [u8; 16],
}

/// A feature of an interface (`struct ethtool_get_features_block`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    /// Its bit in the masks.
    pub(crate) bit: usize,
    /// What `ethtool -k` calls it.
    pub(crate) name: String,
    /// Whether the driver lets it be switched; `ethtool -k` says `[fixed]` of others.
    pub(crate) is_switchable: bool,
    /// Whether it is to be on, where it can be (`requested`).
    pub(crate) is_wanted: bool,
    /// Whether it is on (`active`).
    pub(crate) is_active: bool,
}

/// A socket by which the driver of one interface is asked, and told.
#[derive(Debug)]
pub(crate) struct EthtoolSocket {
    socket: OwnedFd,
    name: String,
}

impl EthtoolSocket {
    /// One for an interface, which may not be there.
    ///
    /// # Errors
    /// If there is no socket to be had.
    pub(crate) fn open(name: &str) -> Result<Self, Errno> {
        let socket =
            rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
        Ok(Self { socket, name: name.to_owned() })
    }

    /// Hands `buffer`, whose first word is the command, to the driver, which
    /// fills it in.
    ///
    /// # Errors
    /// What the kernel or the driver says; `ENODEV` where there is no such interface.
    ///
    /// # Safety
    /// `buffer` must be as large as what the kernel reads and writes for this command.
    pub(super) unsafe fn call(&self, buffer: &mut [u32]) -> Result<(), Errno> {
        let mut request = Request { name: [0; 16], data: buffer.as_mut_ptr().cast(), rest: [0; 16] };
        let name = self.name.as_bytes();
        // The last byte ends the name; a longer one is nobody's.
        request.name[..15].get_mut(..name.len()).ok_or(Errno::NODEV)?.copy_from_slice(name);
        // SAFETY: the request outlives the call and points to a buffer that is
        // large enough, as the caller promises.
        unsafe {
            let call = rustix::ioctl::Updater::<SIOCETHTOOL, Request>::new(&mut request);
            rustix::ioctl::ioctl(&self.socket, call)
        }
    }

    /// A structure of `N` words that the kernel fills in.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    ///
    /// # Safety
    /// `N` must be at least the size of the command's structure.
    pub(super) unsafe fn get<const N: usize>(&self, command: u32) -> Result<[u32; N], Errno> {
        let mut buffer = [0; N];
        buffer[0] = command;
        // SAFETY: as large as the structure, as the caller promises.
        unsafe { self.call(&mut buffer) }?;
        Ok(buffer)
    }

    /// What the driver says of itself.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    pub(super) fn driver_words(&self) -> Result<DriverWords, Errno> {
        // SAFETY: 196 bytes.
        unsafe { self.get(GET_DRIVER) }
    }

    /// What the driver is called; none where it does not say.
    pub(crate) fn driver(&self) -> Option<String> {
        let words = self.driver_words().ok()?;
        texts(words.get(1..9)?).next().filter(|name| !name.is_empty())
    }

    /// Where the adapter is, as its driver says: its PCI function, `0000:00:03.0`, if it is one; none where
    /// the driver does not say.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`]; `EOPNOTSUPP` where there is no driver.
    pub(crate) fn bus(&self) -> Result<Option<String>, Errno> {
        let words = self.driver_words()?;
        Ok(texts(words.get(1..).unwrap_or_default()).nth(3).filter(|place| !place.is_empty()))
    }

    /// The names of a string set, in the order of their bits; none where it is empty.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    pub(super) fn strings(&self, set: u32) -> Result<Vec<String>, Errno> {
        // Command, reserved, mask of sets (64 bits), one count.
        let mut counts = [GET_STRING_COUNTS, 0, 0, 0, 0];
        let mask = 1_u64 << set;
        counts[2..4].copy_from_slice(&halves(mask));
        // SAFETY: one count for the one set that is asked for.
        unsafe { self.call(&mut counts) }?;
        let count = usize::try_from(counts[4]).unwrap_or(usize::MAX);
        if !(1..=STRINGS_MAX).contains(&count) {
            return Ok(Vec::new());
        }
        // Command, set, count, strings.
        let mut buffer = vec![0_u32; 3 + STRINGS_MAX * STRING_BYTES / 4];
        buffer[..2].copy_from_slice(&[GET_STRINGS, set]);
        // SAFETY: room for more strings than any set has.
        unsafe { self.call(&mut buffer) }?;
        Ok(texts(&buffer[3..3 + count * STRING_BYTES / 4]).collect())
    }

    /// All features that the kernel knows, and how they stand at this interface.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    pub(crate) fn features(&self) -> Result<Vec<Feature>, Errno> {
        let names = self.strings(STRINGS_FEATURES)?;
        Ok(features(&names, &self.feature_blocks()?))
    }

    /// Blocks of available, requested, active and never changed features, as many as this
    /// kernel has.
    fn feature_blocks(&self) -> Result<Vec<u32>, Errno> {
        // Command, size, blocks.
        let mut buffer = vec![0_u32; 2 + 4 * BLOCKS_MAX];
        buffer[..2].copy_from_slice(&[GET_FEATURES, u32::try_from(BLOCKS_MAX).unwrap_or(0)]);
        // SAFETY: the kernel writes as many blocks as the size says at most.
        unsafe { self.call(&mut buffer) }?;
        // It says how many it has.
        let count = usize::try_from(buffer[1]).unwrap_or(usize::MAX).min(BLOCKS_MAX);
        Ok(buffer[2..2 + 4 * count].to_vec())
    }

    /// Makes features wanted or not, each by its bit. The kernel leaves out what is not to be
    /// switched, and what another feature keeps from being on stays off: read it again.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    pub(crate) fn set_features(&self, changes: &[(usize, bool)]) -> Result<(), Errno> {
        // The kernel takes exactly as many blocks as it has.
        let count = self.feature_blocks()?.len() / 4;
        let mut buffer = feature_request(count, changes).ok_or(Errno::INVAL)?;
        // SAFETY: the kernel reads as many blocks as it has, which are there, and writes none.
        unsafe { self.call(&mut buffer) }
    }

    /// Interrupt coalescing.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`]; `EOPNOTSUPP` where the driver has none.
    pub(crate) fn coalescing(&self) -> Result<CoalescingWords, Errno> {
        // SAFETY: `struct ethtool_coalesce` has 23 words.
        unsafe { self.get(GET_COALESCING) }
    }

    /// Interrupt coalescing of one queue, counted from 0.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`]; `EOPNOTSUPP` where the driver has none for each queue, any error
    /// where there are not so many queues.
    pub(crate) fn queue_coalescing(&self, queue: u32) -> Result<CoalescingWords, Errno> {
        const HEAD: usize = 2 + QUEUES_WORDS;
        // `struct ethtool_per_queue_op`: command, the command for each, a mask of queues, and a
        // structure for each queue in it.
        let mut buffer = [0; HEAD + 23];
        buffer[..2].copy_from_slice(&[PER_QUEUE, GET_COALESCING]);
        let word = usize::try_from(queue / 32).unwrap_or(usize::MAX);
        *buffer[2..HEAD].get_mut(word).ok_or(Errno::INVAL)? = 1 << (queue % 32);
        // SAFETY: room for the one queue that is asked for.
        unsafe { self.call(&mut buffer) }?;
        buffer[HEAD..].try_into().map_err(|_| Errno::INVAL)
    }

    /// Changes interrupt coalescing of all queues; the first word is put in.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    pub(crate) fn set_coalescing(&self, words: CoalescingWords) -> Result<(), Errno> {
        let mut buffer = words;
        buffer[0] = SET_COALESCING;
        // SAFETY: `struct ethtool_coalesce` has 23 words.
        unsafe { self.call(&mut buffer) }
    }

    /// The sizes of rings.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`]; `EOPNOTSUPP` where the driver has none.
    pub(crate) fn rings(&self) -> Result<RingWords, Errno> {
        // SAFETY: `struct ethtool_ringparam` has nine words.
        unsafe { self.get(GET_RINGS) }
    }

    /// Changes the sizes of rings; the first word is put in.
    ///
    /// # Errors
    /// As [`EthtoolSocket::call`].
    pub(crate) fn set_rings(&self, words: RingWords) -> Result<(), Errno> {
        let mut buffer = words;
        buffer[0] = SET_RINGS;
        // SAFETY: `struct ethtool_ringparam` has nine words.
        unsafe { self.call(&mut buffer) }
    }
}

/// Features by their names in order, and the blocks that the kernel tells.
fn features(names: &[String], blocks: &[u32]) -> Vec<Feature> {
    let is_in = |mask: usize, bit: usize| {
        let word = blocks.chunks(4).nth(bit / 32).and_then(|block| block.get(mask));
        word.is_some_and(|word| word >> (bit % 32) & 1 == 1)
    };
    let feature = |(bit, name): (usize, &String)| Feature {
        bit,
        name: name.clone(),
        is_switchable: is_in(0, bit) && !is_in(3, bit),
        is_wanted: is_in(1, bit),
        is_active: is_in(2, bit),
    };
    // Bits that stand for nothing have no name.
    names.iter().enumerate().filter(|(_, name)| !name.is_empty()).map(feature).collect()
}

/// `struct ethtool_sfeatures` of so many blocks: in each those that are meant, and of these those that
/// are to be on. None where a bit is in none of them.
fn feature_request(count: usize, changes: &[(usize, bool)]) -> Option<Vec<u32>> {
    let mut buffer = vec![0; 2 + 2 * count];
    buffer[..2].copy_from_slice(&[SET_FEATURES, u32::try_from(count).ok()?]);
    for (bit, is_wanted) in changes {
        let at = 2 + 2 * (bit / 32);
        let block = buffer.get_mut(at..at + 2)?;
        block[0] |= 1 << (bit % 32);
        if *is_wanted {
            block[1] |= 1 << (bit % 32);
        }
    }
    Some(buffer)
}

fn halves(value: u64) -> [u32; 2] {
    let bytes = value.to_ne_bytes();
    let half = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    [half(0), half(4)]
}

/// Texts of 32 bytes each.
pub(super) fn texts(words: &[u32]) -> impl Iterator<Item = String> + use<> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let texts: Vec<String> = bytes.chunks(STRING_BYTES).map(text).collect();
    texts.into_iter()
}

/// A text that ends with a zero or with its place.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_told_by_their_bits_in_every_block() {
        let names: Vec<String> = (0..34)
            .map(|bit| match bit {
                0 => "rx-lro".to_owned(),
                1 => "rx-gro".to_owned(),
                33 => "rx-gro-hw".to_owned(),
                _ => String::new(),
            })
            .collect();
        // Available, requested, active, never changed.
        let found = features(&names, &[0b01, 0b10, 0b10, 0b10, 0b11, 0b10, 0b01, 0b01]);
        let shown: Vec<_> = found
            .iter()
            .map(|f| (f.bit, f.name.as_str(), f.is_switchable, f.is_wanted, f.is_active))
            .collect();
        assert_eq!(
            shown,
            [
                (0, "rx-lro", true, false, false),
                (1, "rx-gro", false, true, true),
                (33, "rx-gro-hw", true, true, false)
            ]
        );
        assert!(!features(&names[..1], &[])[0].is_active);
    }

    #[test]
    fn a_request_names_what_is_meant_and_what_is_to_be_on() {
        let request = feature_request(2, &[(0, true), (1, false), (33, true)]).unwrap();
        assert_eq!(request, [SET_FEATURES, 2, 0b11, 0b01, 0b10, 0b10]);
        assert_eq!(feature_request(1, &[(33, true)]), None);
    }

    #[test]
    fn the_loopback_answers_and_a_stranger_is_not_there() {
        let lo = EthtoolSocket::open("lo").unwrap();
        let features = lo.features().unwrap();
        let of = |name: &str| features.iter().find(|feature| feature.name == name).unwrap();
        let fixed = of("tx-scatter-gather");
        assert!(fixed.is_active && !fixed.is_switchable, "{fixed:?}");
        assert!(of("tx-tcp-segmentation").is_switchable);
        assert_eq!((lo.coalescing(), lo.rings()), (Err(Errno::OPNOTSUPP), Err(Errno::OPNOTSUPP)));
        assert_eq!(lo.queue_coalescing(0), Err(Errno::OPNOTSUPP));
        for none in ["hr-none", "a-name-that-is-too-long"] {
            let none = EthtoolSocket::open(none).unwrap();
            assert_eq!((none.coalescing(), none.driver()), (Err(Errno::NODEV), None));
            assert!(none.features().is_err());
        }
    }
}
