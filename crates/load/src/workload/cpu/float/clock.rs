//! How fast the core's clock runs, from a chain of additions: each needs the
//! result of the one before, and a core of today takes one cycle for it (Agner
//! Fog, "Instruction tables", `ADD r,r`, latency 1 on every x86 core since the
//! Pentium; Arm's software optimization guides, `ADD`, latency 1). So a million
//! additions take a million cycles, whatever else the core could do beside
//! them.
//!
//! Both operands are registers: some cores carry out an addition of a small
//! constant while they rename registers, in no cycle at all. It is the clock of
//! this core at this moment, not the highest, nor what the kernel set.

/// How many additions one chain has: some 40 us, against which what the engine
/// does between two operations is 0.1 %.
pub(super) const ADDITIONS: u64 = 131_072;
/// Additions that stand in a row, so that the loop around them is hidden.
const ROW: u64 = 64;

/// Runs a chain of [`ADDITIONS`]; returns what they add up to. `None` on
/// processors for which it is not written.
#[inline(never)]
pub(super) fn chain(step: u64) -> Option<u64> {
    let mut sum: u64 = 0;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: additions in registers, and nothing else.
    unsafe {
        core::arch::asm!(
            ".p2align 4",
            "2:",
            ".rept 64",
            "add {sum}, {step}",
            ".endr",
            "dec {rows}",
            "jnz 2b",
            sum = inout(reg) sum,
            step = in(reg) step,
            rows = inout(reg) ADDITIONS / ROW => _,
            options(pure, nomem, nostack)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            ".p2align 4",
            "2:",
            ".rept 64",
            "add {sum}, {sum}, {step}",
            ".endr",
            "subs {rows}, {rows}, #1",
            "b.ne 2b",
            sum = inout(reg) sum,
            step = in(reg) step,
            rows = inout(reg) ADDITIONS / ROW => _,
            options(pure, nomem, nostack)
        );
    }
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return Some(sum);
    }
    sum = sum.wrapping_add(step);
    (sum == 0).then_some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_addition_of_the_chain_is_made() {
        assert_eq!(ADDITIONS % ROW, 0);
        assert_eq!(chain(3), Some(3 * ADDITIONS));
        assert_eq!(chain(1 << 60), Some((1u64 << 60).wrapping_mul(ADDITIONS)));
    }
}
