//! What the head of a program says (elf.h): for which processor it is, and whether it needs an interpreter
//! that loads shared libraries. Both architectures have 64 bits and the lowest byte first.

/// `PT_INTERP`: the segment with the name of an interpreter.
const INTERPRETER: u32 = 3;
/// The size of a head of a segment.
const SEGMENT_BYTES: usize = 56;

/// What a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ElfHead {
    /// `e_machine`.
    pub(super) machine: u16,
    /// Whether it may lie anywhere in memory (`ET_DYN`).
    pub(super) is_position_independent: bool,
    /// Whether it names an interpreter, and so is not static.
    pub(super) has_interpreter: bool,
}

/// Reads the head; `None` if this is no program of such an architecture.
pub(super) fn head(bytes: &[u8]) -> Option<ElfHead> {
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let first = usize::try_from(u64::from_le_bytes(array(bytes, 32)?)).ok()?;
    let size = usize::from(u16::from_le_bytes(array(bytes, 54)?));
    let count = usize::from(u16::from_le_bytes(array(bytes, 56)?));
    if size < SEGMENT_BYTES {
        return None;
    }
    let kinds: Option<Vec<u32>> = (0..count)
        .map(|n| Some(u32::from_le_bytes(array(bytes, first.checked_add(n.checked_mul(size)?)?)?)))
        .collect();
    Some(ElfHead {
        machine: u16::from_le_bytes(array(bytes, 18)?),
        is_position_independent: u16::from_le_bytes(array(bytes, 16)?) == 3,
        has_interpreter: kinds?.contains(&INTERPRETER),
    })
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A program that has a head and nothing else.
    pub(in crate::release) fn program(machine: u16, segments: &[u32]) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(64, 0);
        bytes[16] = 3;
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = u8::try_from(segments.len()).unwrap();
        for segment in segments {
            bytes.extend(segment.to_le_bytes());
            bytes.resize(bytes.len() + SEGMENT_BYTES - 4, 0);
        }
        bytes
    }

    #[test]
    fn a_program_with_libraries_names_an_interpreter() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(head(&own).unwrap().has_interpreter);
        let still = head(&program(183, &[1, 1, 2])).unwrap();
        assert_eq!(still, ElfHead { machine: 183, is_position_independent: true, has_interpreter: false });
        assert!(head(&program(62, &[1, INTERPRETER])).unwrap().has_interpreter);
    }

    #[test]
    fn what_is_cut_or_other_is_no_program() {
        let whole = program(62, &[1, 1]);
        for n in [0, 5, 20, 63, 100, 123] {
            assert_eq!(head(&whole[..n]), None, "{n}");
        }
        assert_eq!(head(b"#!/bin/sh\n"), None);
    }
}
