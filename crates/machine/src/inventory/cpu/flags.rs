//! Instruction sets and features that decide what a measurement means. A
//! processor has hundreds; these are the ones by which two machines with the
//! same name measure differently.

use super::info::CpuInfo;

/// By the kernel's names (`arch/x86/include/asm/cpufeatures.h`,
/// `Documentation/arch/arm64/elf_hwcaps.rst`).
const KEPT: &[&str] = &[
    // x86, encryption (TLS, dm-crypt): one block at a time, then several.
    "aes",
    "vaes",
    // GCM's and CRC's carry-less products, likewise.
    "pclmulqdq",
    "vpclmulqdq",
    // SHA-1 and SHA-256 by instruction.
    "sha_ni",
    // CRC-32C by instruction: checksums of file systems, databases, iSCSI.
    "sse4_2",
    // How wide parity, copies and numeric loops work; wide ones may lower the
    // clock rate.
    "avx2",
    "avx512f",
    // Which copy the kernel and the C library use.
    "erms",
    "fsrm",
    // Pages of 1 GiB.
    "pdpe1gb",
    // Whether reading the time is an instruction that can be trusted.
    "rdtscp",
    "constant_tsc",
    "nonstop_tsc",
    "tsc_reliable",
    // A guest's rates depend on its neighbours.
    "hypervisor",
    // Several CPUs may share a core.
    "ht",
    // ARM, encryption and checksums as above (`aes` is there too).
    "pmull",
    "sha1",
    "sha2",
    "crc32",
    // Locks by one instruction (LSE): decides contended databases.
    "atomics",
    // Vectors of 128 bits, then of more.
    "asimd",
    "sve",
    "sve2",
];

/// Those of the first CPU that are kept, in the order of the table.
pub(super) fn of(info: &CpuInfo) -> Vec<String> {
    let all: std::collections::HashSet<&str> = info.features().into_iter().collect();
    KEPT.iter().filter(|flag| all.contains(**flag)).map(|flag| (*flag).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_flag_stands_once_in_the_table() {
        let mut flags = super::KEPT.to_vec();
        flags.sort_unstable();
        flags.dedup();
        assert_eq!(flags.len(), super::KEPT.len());
    }
}
