//! What only configuration space tells of a PCI Express function.

use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

/// Where the list of capabilities starts, and the status register that says
/// whether there is one (PCI Local Bus Specification 3.0, 6.1 and 6.7).
const STATUS: usize = 0x06;
const STATUS_CAPABILITIES: u16 = 1 << 4;
const CAPABILITIES: usize = 0x34;
/// PCI Express, and its Device Control register (PCI Express Base
/// Specification, 7.5.3).
const CAPABILITY_EXPRESS: u8 = 0x10;
const DEVICE_CONTROL: usize = 0x08;
/// Capabilities lie after the head of 64 bytes, four bytes each at least, so
/// that there can be no more than these.
const HEAD: usize = 0x40;
const CAPABILITIES_MAX: usize = (256 - HEAD) / 4;

/// Sizes of packets in bytes, the probe `pcie/ADDRESS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Sizes {
    max_payload: Option<u32>,
    max_read_request: Option<u32>,
}

impl Sizes {
    /// Payload and request, as far as they are sizes that the standard has.
    pub(super) fn checked(self) -> (Option<u32>, Option<u32>) {
        let is_size = |n: &u32| n.is_power_of_two() && (128..=4096).contains(n);
        (self.max_payload.filter(is_size), self.max_read_request.filter(is_size))
    }
}

/// Reads the sizes of this machine's function: no more than the words that lead
/// to them, for each is a transaction on the bus, takes a microsecond, and may
/// be a register that is not to be read in passing.
pub(super) fn read(address: &str) -> Result<Sizes, String> {
    let path = format!("{}/{address}/config", super::DEVICES);
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    read_words(|at| {
        let mut bytes = [0; 2];
        file.read_exact_at(&mut bytes, at as u64).ok()?;
        Some(u16::from_le_bytes(bytes))
    })
}

/// Without privilege the kernel shows the first 64 bytes only.
fn read_words(word: impl Fn(usize) -> Option<u16>) -> Result<Sizes, String> {
    sizes(&word).ok_or_else(|| {
        let is_cut = word(STATUS).is_some() && word(HEAD).is_none();
        if is_cut { "permission denied" } else { "no PCI Express capability" }.to_owned()
    })
}

/// Finds the PCI Express capability by the words of a function's space and takes
/// the sizes that are set out of its Device Control register: bits 7:5 are the
/// largest payload, bits 14:12 the largest request to read, both 128 bytes
/// shifted (7.5.3.4).
fn sizes(word: &impl Fn(usize) -> Option<u16>) -> Option<Sizes> {
    if word(STATUS)? & STATUS_CAPABILITIES == 0 {
        return None;
    }
    let mut at = usize::from(word(CAPABILITIES)?.to_le_bytes()[0] & !3);
    // A device that is gone reads as ones, and a broken one may lead in a ring.
    for _ in 0..CAPABILITIES_MAX {
        if at < HEAD {
            return None;
        }
        let [identity, next] = word(at)?.to_le_bytes();
        if identity == CAPABILITY_EXPRESS {
            let control = word(at + DEVICE_CONTROL)?;
            let size = |code: u16| (code <= 5).then(|| 128 << code);
            return Some(Sizes {
                max_payload: size(control >> 5 & 7),
                max_read_request: size(control >> 12 & 7),
            });
        }
        at = usize::from(next & !3);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn sizes(space: &[u8]) -> Option<Sizes> {
        super::sizes(&|at: usize| Some(u16::from_le_bytes([*space.get(at)?, *space.get(at + 1)?])))
    }

    /// Configuration space with these capabilities: offset, identity, next.
    fn space(first: u8, list: &[(usize, u8, u8)]) -> Vec<u8> {
        let mut space = vec![0; 256];
        space[STATUS] = 0x10;
        space[CAPABILITIES] = first;
        for &(at, id, next) in list {
            (space[at], space[at + 1]) = (id, next);
        }
        space
    }

    #[test]
    fn the_sizes_of_an_82599_are_found_behind_its_other_capabilities() {
        // Power management, MSI, MSI-X, PCI Express, as lspci -xxx shows them.
        let mut bytes =
            space(0x40, &[(0x40, 1, 0x50), (0x50, 5, 0x70), (0x70, 0x11, 0xa0), (0xa0, 0x10, 0xe0)]);
        bytes[0xa8..0xaa].copy_from_slice(&0x5837_u16.to_le_bytes());
        let found = sizes(&bytes).unwrap();
        assert_eq!((found.max_payload, found.max_read_request), (Some(256), Some(4096)));
        bytes[0xa8..0xaa].copy_from_slice(&0x2810_u16.to_le_bytes());
        assert_eq!(sizes(&bytes).unwrap().checked(), (Some(128), Some(512)));
    }

    #[test]
    fn a_list_that_loops_or_leads_nowhere_ends() {
        assert_eq!(sizes(&space(0x40, &[(0x40, 1, 0x48), (0x48, 5, 0x40)])), None);
        assert_eq!(sizes(&space(0x40, &[(0x40, 1, 0x40)])), None);
        assert_eq!(sizes(&space(0x40, &[(0x40, 1, 0x04)])), None);
        assert_eq!(sizes(&[0xff; 256]), None);
        assert_eq!(sizes(&[0; 256]), None);
        assert_eq!(sizes(&space(0xfc, &[(0xfc, 0x10, 0)])), None, "cut short");
        for length in 0..256 {
            assert!(sizes(&vec![0x10; length]).is_none_or(|s| s.max_payload.is_some()), "{length}");
        }
        let mut reserved = space(0x40, &[(0x40, 0x10, 0)]);
        reserved[0x48..0x4a].copy_from_slice(&0xffff_u16.to_le_bytes());
        assert_eq!(sizes(&reserved).unwrap().checked(), (None, None));
    }

    #[test]
    fn only_the_words_on_the_way_are_read() {
        let bytes = space(0x50, &[(0x50, 1, 0x70), (0x70, 0x10, 0xe0)]);
        let asked = RefCell::new(Vec::new());
        let found = read_words(|at| {
            asked.borrow_mut().push(at);
            Some(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
        });
        assert_eq!(found.unwrap().checked(), (Some(128), Some(128)));
        let mut asked = asked.into_inner();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(asked, [STATUS, CAPABILITIES, 0x50, 0x70, 0x78]);
        let head_only = read_words(|at| (at < HEAD).then_some(0x50));
        assert_eq!(head_only.unwrap_err(), "permission denied");
    }
}
