//! What an x86 processor says of itself and of the hypervisor below it.

use serde::{Deserialize, Serialize};

use crate::Host;
use crate::inventory::line;

/// The answer to the probe `cpuid`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::inventory) struct CpuId {
    /// The hypervisor's signature: `KVMKVMKVM`.
    pub(in crate::inventory) hypervisor: Option<String>,
    /// `GenuineIntel`.
    pub(in crate::inventory) vendor: Option<String>,
    /// The model's name.
    pub(in crate::inventory) brand: Option<String>,
}

/// Asks the processor of `host`; absent where it is no x86.
pub(in crate::inventory) fn ask(host: &Host) -> Option<CpuId> {
    let answer: CpuId = host.probe("cpuid", ask_processor).ok()?;
    Some(CpuId {
        hypervisor: answer.hypervisor.as_deref().and_then(line),
        vendor: answer.vendor.as_deref().and_then(line),
        brand: answer.brand.as_deref().and_then(line),
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn ask_processor() -> Result<CpuId, String> {
    Err("not supported".to_owned())
}

/// Intel 64 and IA-32 SDM, volume 2A, CPUID: leaf 0 is the vendor, bit 31 of
/// ECX of leaf 1 a hypervisor, leaves 0x80000002 to 4 the brand.
#[cfg(target_arch = "x86_64")]
fn ask_processor() -> Result<CpuId, String> {
    use std::arch::x86_64::__cpuid;
    const HYPERVISOR: u32 = 1 << 31;
    let words = |words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
        String::from_utf8(bytes).ok().and_then(|text| line(&text))
    };
    let zero = __cpuid(0);
    let vendor = words(&[zero.ebx, zero.edx, zero.ecx]);
    let brand = (__cpuid(0x8000_0000).eax >= 0x8000_0004).then(|| {
        let leaves = (0x8000_0002..=0x8000_0004).map(__cpuid);
        leaves.flat_map(|r| [r.eax, r.ebx, r.ecx, r.edx]).collect::<Vec<u32>>()
    });
    let signature = |leaf: u32| {
        let r = __cpuid(leaf);
        (r.eax >= leaf && r.eax < leaf + 0x100).then(|| words(&[r.ebx, r.ecx, r.edx])).flatten()
    };
    let hypervisor = (__cpuid(1).ecx & HYPERVISOR != 0).then(|| {
        // Xen and KVM may pass themselves off as Hyper-V at the first place
        // and show what they are at the second
        // (`arch/x86/include/asm/cpuid/api.h`, cpuid_base_hypervisor).
        let first = signature(0x4000_0000);
        match (first.as_deref(), signature(0x4000_0100)) {
            (Some("Microsoft Hv"), Some(second)) => Some(second),
            _ => first,
        }
    });
    Ok(CpuId { hypervisor: hypervisor.flatten(), vendor, brand: brand.and_then(|b| words(&b)) })
}
