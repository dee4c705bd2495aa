//! How many multiply-adds a core can start in one cycle, for the cores of which
//! it is known. It decides what the peak is that a rate is held against.
//!
//! From Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs" and
//! "Instruction tables" (rows `VFMADD`), the vendors' optimization manuals, and
//! for server parts with AMX Intel's statement that all have two 512-bit units.
//! Where parts of one model differ, or nobody says, it is unknown: there is no
//! guess. It is not known for anything but x86.

use crate::workload::cpu::vectors::Set;

/// What decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Core {
    /// `GenuineIntel` or `AuthenticAMD`.
    intel: bool,
    family: u32,
    model: u32,
    /// Has AMX: a server core from Sapphire Rapids on, whatever model a
    /// hypervisor tells.
    amx: bool,
    /// Cores of several kinds: which one runs us is not known.
    hybrid: bool,
}

impl Core {
    /// The one that this runs on; `None` where it is of no known vendor.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn here() -> Option<Self> {
        use std::arch::x86_64::{__cpuid, __cpuid_count};

        let zero = __cpuid(0);
        let intel = match (zero.ebx, zero.edx, zero.ecx) {
            // "GenuineIntel" and "AuthenticAMD", four letters a register.
            (0x756e_6547, 0x4965_6e69, 0x6c65_746e) => true,
            (0x6874_7541, 0x6974_6e65, 0x444d_4163) => false,
            _ => return None,
        };
        let signature = __cpuid(1).eax;
        let seven = if zero.eax >= 7 { __cpuid_count(7, 0).edx } else { 0 };
        let base = signature >> 8 & 0xf;
        Some(Self {
            intel,
            family: if base == 0xf { base + (signature >> 20 & 0xff) } else { base },
            model: (signature >> 4 & 0xf) | (signature >> 12 & 0xf0),
            amx: seven & 1 << 24 != 0,
            hybrid: seven & 1 << 15 != 0,
        })
    }

    /// Nothing is known of others.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn here() -> Option<Self> {
        None
    }

    /// Multiply-adds of this width that start in one cycle. `fused` is whether
    /// one instruction does both: what two instructions can do differs too much
    /// from core to core to say.
    pub(super) fn units(self, set: Set, fused: bool) -> Option<u32> {
        if !fused || self.hybrid {
            return None;
        }
        if self.intel { self.intel_units(set) } else { self.amd_units(set) }
    }

    fn intel_units(self, set: Set) -> Option<u32> {
        // Sierra Forest, Grand Ridge, Alder Lake N and Clearwater Forest are
        // made of small cores only.
        if self.family != 6 || matches!(self.model, 0xaf | 0xb6 | 0xbe | 0xdd) {
            return None;
        }
        match set {
            Set::Avx512 if self.amx => Some(2),
            // Ice Lake servers.
            Set::Avx512 if matches!(self.model, 0x6a | 0x6c) => Some(2),
            // Ice Lake, Tiger Lake and Rocket Lake clients: both 256-bit units
            // together.
            Set::Avx512 if matches!(self.model, 0x7d | 0x7e | 0x8c | 0x8d | 0xa7) => Some(1),
            // Skylake servers (0x55) have one or two, by the part.
            Set::Avx512 => None,
            // Two since Haswell, the first that has it.
            Set::Avx2 | Set::Scalar => Some(2),
            Set::Sse2 | Set::Neon => None,
        }
    }

    fn amd_units(self, set: Set) -> Option<u32> {
        match (set, self.family, self.model) {
            // Zen 1: two units of 128 bits, which make one of 256.
            (Set::Avx2, 0x17, ..=0x2f) => Some(1),
            (Set::Avx2 | Set::Scalar, 0x17 | 0x19 | 0x1a, _) => Some(2),
            // Zen 4: two units of 256 bits, which make one of 512.
            (Set::Avx512, 0x19, _) => Some(1),
            // Zen 5 of servers and desktops; others have narrower units.
            (Set::Avx512, 0x1a, ..=0x1f | 0x40..=0x4f) => Some(2),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn core(intel: bool, family: u32, model: u32) -> Core {
        Core { intel, family, model, amx: false, hybrid: false }
    }

    #[test]
    fn known_cores_have_their_units_and_unknown_ones_none() {
        let haswell = core(true, 6, 0x3c);
        assert_eq!(haswell.units(Set::Avx2, true), Some(2));
        assert_eq!(haswell.units(Set::Sse2, false), None);
        let skylake_server = core(true, 6, 0x55);
        assert_eq!(skylake_server.units(Set::Avx512, true), None);
        let rocket_lake = core(true, 6, 0xa7);
        assert_eq!(rocket_lake.units(Set::Avx512, true), Some(1));
        // A hypervisor that tells another model than the instructions do.
        assert_eq!(Core { amx: true, ..rocket_lake }.units(Set::Avx512, true), Some(2));
        assert_eq!(Core { hybrid: true, ..core(true, 6, 0x97) }.units(Set::Avx2, true), None);
        assert_eq!(core(true, 6, 0xaf).units(Set::Avx2, true), None);
        assert_eq!(core(false, 0x17, 0x01).units(Set::Avx2, true), Some(1));
        assert_eq!(core(false, 0x17, 0x31).units(Set::Avx2, true), Some(2));
        assert_eq!(core(false, 0x19, 0x11).units(Set::Avx512, true), Some(1));
        assert_eq!(core(false, 0x1a, 0x02).units(Set::Avx512, true), Some(2));
        assert_eq!(core(false, 0x1a, 0x24).units(Set::Avx512, true), None);
    }
}
