//! The multiply-adds: chains `x = x * m + a` that do not depend on each other,
//! enough of them to keep every unit busy while each waits for its own result,
//! and few enough to stay in registers.
//!
//! A unit of today takes 3 to 5 cycles for a multiply-add and there are two of
//! them (four on large Arm cores), so 8 to 16 chains keep them busy. SSE2 and
//! processors without FMA take two instructions, a multiplication and an
//! addition.
//!
//! The numbers are chosen so that a chain neither overflows nor settles nor meets
//! a subnormal within a batch: each step turns it around and takes 2^-14 of it
//! away. What comes out depends on every step, to the last bit, and is known
//! from computing it one number at a time.
//!
//! Arm's instruction adds to its target, so that there a chain is
//! `x = x + m * a`; the other form would need a copy for each step.

use std::fmt;

use crate::workload::cpu::vectors::Set;

/// Whether one instruction multiplies and adds, rounding once.
pub(super) fn fused(set: Set) -> bool {
    match set {
        Set::Sse2 => false,
        #[cfg(target_arch = "x86_64")]
        Set::Scalar => std::arch::is_x86_feature_detected!("fma"),
        _ => true,
    }
}

/// Numbers in one vector.
pub(super) fn lanes<R: Real>(set: Set) -> usize {
    set.bytes().map_or(1, |bytes| bytes / size_of::<R>())
}

/// Chains of vectors: as many as there are registers for, but one for the factor
/// and one for what is added. x86 has 16, Arm (which has the most units) and
/// AVX-512 have 32.
pub(super) fn chains(set: Set) -> usize {
    match set {
        Set::Avx512 | Set::Neon => WIDE_CHAINS,
        Set::Scalar if cfg!(target_arch = "aarch64") => WIDE_CHAINS,
        _ => CHAINS,
    }
}

/// Chains where there are 16 registers.
const CHAINS: usize = 12;
/// Chains where there are 32.
const WIDE_CHAINS: usize = 24;

/// A number that the chains are made of.
pub(super) trait Real: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// What chain `index` begins with: between 1 and 2, each other.
    fn begin(index: usize) -> Self;
    /// One step, one number, by the compiler's own arithmetic.
    fn step(self, fused: bool) -> Self;
    /// Takes every number so many steps on. `values` holds as many as
    /// [`chains`] vectors.
    ///
    /// # Safety
    /// The processor has `set`.
    unsafe fn run(set: Set, values: &mut [Self], steps: usize);
}

macro_rules! real {
    ($real:ident, $scalar:ident, $scalar_fused:ident, $sse2:ident, $avx2:ident, $avx512:ident, $neon:ident, $neon_scalar:ident) => {
        impl Numbers for $real {
            const NUMBERS: ($real, $real) = (-1.0 + 1.0 / 16384.0, 0.3);
        }

        impl Real for $real {
            fn begin(index: usize) -> Self {
                1.0 + index as $real / 512.0
            }

            fn step(self, fused: bool) -> Self {
                let (m, a) = $real::NUMBERS;
                if cfg!(target_arch = "aarch64") {
                    return m.mul_add(a, self);
                }
                if fused { self.mul_add(m, a) } else { self * m + a }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn run(set: Set, values: &mut [Self], steps: usize) {
                // SAFETY: by the caller's promise; FMA was detected.
                unsafe {
                    match set {
                        Set::Scalar if fused(set) => x86::$scalar_fused(values, steps),
                        Set::Scalar => x86::$scalar(values, steps),
                        Set::Sse2 => x86::$sse2(values, steps),
                        Set::Avx2 => x86::$avx2(values, steps),
                        Set::Avx512 => x86::$avx512(values, steps),
                        Set::Neon => {}
                    }
                }
            }

            #[cfg(target_arch = "aarch64")]
            unsafe fn run(set: Set, values: &mut [Self], steps: usize) {
                // SAFETY: by the caller's promise.
                unsafe {
                    match set {
                        Set::Scalar => arm::$neon_scalar(values, steps),
                        Set::Neon => arm::$neon(values, steps),
                        Set::Sse2 | Set::Avx2 | Set::Avx512 => {}
                    }
                }
            }

            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            unsafe fn run(_set: Set, _values: &mut [Self], _steps: usize) {}
        }
    };
}

real!(f64, scalar_f64, scalar_fused_f64, sse2_f64, avx2_f64, avx512_f64, neon_f64, scalar_f64);
real!(f32, scalar_f32, scalar_fused_f32, sse2_f32, avx2_f32, avx512_f32, neon_f32, scalar_f32);

/// The factor and what is added: the same numbers in both precisions.
trait Numbers: Sized {
    const NUMBERS: (Self, Self);
}

/// The loop over vectors that `load` reads and `step` takes on.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! vectors {
    ($($name:ident $feature:literal [$real:ident; $lanes:literal] $chains:ident $set:ident $load:ident $store:ident
        |$x:ident, $m:ident, $a:ident| $step:expr;)*) => {$(
        /// # Safety
        /// The processor has the instructions.
        #[target_feature(enable = $feature)]
        pub(super) unsafe fn $name(values: &mut [$real], steps: usize) {
            let ($m, $a) = ($set($real::NUMBERS.0), $set($real::NUMBERS.1));
            let mut chains = [$m; $chains];
            for (chain, from) in chains.iter_mut().zip(values.chunks_exact($lanes)) {
                // SAFETY: the chunk is one vector long; no alignment is asked for.
                *chain = unsafe { $load(from.as_ptr()) };
            }
            for _ in 0..steps {
                for chain in &mut chains {
                    let $x = *chain;
                    *chain = $step;
                }
            }
            for (chain, to) in chains.iter().zip(values.chunks_exact_mut($lanes)) {
                // SAFETY: as above.
                unsafe { $store(to.as_mut_ptr(), *chain) };
            }
        }
    )*};
}

/// The loop over single numbers. In instructions, because a compiler would put
/// several numbers into one vector.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! scalars {
    ($name:ident, $class:ident, $real:ident, $chains:expr, $($line:literal),+) => {
        /// # Safety
        /// The processor has the instructions.
        pub(super) unsafe fn $name(values: &mut [$real], steps: usize) {
            let (m, a) = $real::NUMBERS;
            let mut chains = [m; $chains];
            for (chain, from) in chains.iter_mut().zip(&*values) {
                *chain = *from;
            }
            for _ in 0..steps {
                for x in &mut chains {
                    // SAFETY: arithmetic in registers, by the caller's promise.
                    unsafe {
                        core::arch::asm!(
                            $($line),+,
                            x = inout($class) *x,
                            m = in($class) m,
                            a = in($class) a,
                            options(pure, nomem, nostack, preserves_flags)
                        );
                    }
                }
            }
            for (chain, to) in chains.iter().zip(values) {
                *to = *chain;
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm_add_pd, _mm_add_ps, _mm_loadu_pd, _mm_loadu_ps, _mm_mul_pd, _mm_mul_ps, _mm_set1_pd, _mm_set1_ps,
        _mm_storeu_pd, _mm_storeu_ps, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_loadu_pd, _mm256_loadu_ps,
        _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd, _mm256_storeu_ps, _mm512_fmadd_pd, _mm512_fmadd_ps,
        _mm512_loadu_pd, _mm512_loadu_ps, _mm512_set1_pd, _mm512_set1_ps, _mm512_storeu_pd, _mm512_storeu_ps,
    };

    use super::{CHAINS, Numbers, WIDE_CHAINS};

    scalars!(scalar_f64, xmm_reg, f64, CHAINS, "mulsd {x}, {m}", "addsd {x}, {a}");
    scalars!(scalar_f32, xmm_reg, f32, CHAINS, "mulss {x}, {m}", "addss {x}, {a}");
    scalars!(scalar_fused_f64, xmm_reg, f64, CHAINS, "vfmadd213sd {x}, {m}, {a}");
    scalars!(scalar_fused_f32, xmm_reg, f32, CHAINS, "vfmadd213ss {x}, {m}, {a}");
    vectors! {
        sse2_f64 "sse2" [f64; 2] CHAINS _mm_set1_pd _mm_loadu_pd _mm_storeu_pd
            |x, m, a| _mm_add_pd(_mm_mul_pd(x, m), a);
        sse2_f32 "sse2" [f32; 4] CHAINS _mm_set1_ps _mm_loadu_ps _mm_storeu_ps
            |x, m, a| _mm_add_ps(_mm_mul_ps(x, m), a);
        avx2_f64 "avx2,fma" [f64; 4] CHAINS _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd
            |x, m, a| _mm256_fmadd_pd(x, m, a);
        avx2_f32 "avx2,fma" [f32; 8] CHAINS _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps
            |x, m, a| _mm256_fmadd_ps(x, m, a);
        avx512_f64 "avx512f" [f64; 8] WIDE_CHAINS _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd
            |x, m, a| _mm512_fmadd_pd(x, m, a);
        avx512_f32 "avx512f" [f32; 16] WIDE_CHAINS _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps
            |x, m, a| _mm512_fmadd_ps(x, m, a);
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::{
        vdupq_n_f32, vdupq_n_f64, vfmaq_f32, vfmaq_f64, vld1q_f32, vld1q_f64, vst1q_f32, vst1q_f64,
    };

    use super::{Numbers, WIDE_CHAINS};

    scalars!(scalar_f64, vreg, f64, WIDE_CHAINS, "fmadd {x:d}, {m:d}, {a:d}, {x:d}");
    scalars!(scalar_f32, vreg, f32, WIDE_CHAINS, "fmadd {x:s}, {m:s}, {a:s}, {x:s}");
    vectors! {
        neon_f64 "neon" [f64; 2] WIDE_CHAINS vdupq_n_f64 vld1q_f64 vst1q_f64 |x, m, a| vfmaq_f64(x, m, a);
        neon_f32 "neon" [f32; 4] WIDE_CHAINS vdupq_n_f32 vld1q_f32 vst1q_f32 |x, m, a| vfmaq_f32(x, m, a);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<R: Real>(set: Set) {
        for steps in [0, 1, 1000, 16_384] {
            let count = chains(set) * lanes::<R>(set);
            let mut values: Vec<R> = (0..count).map(R::begin).collect();
            // SAFETY: the set is here.
            unsafe { R::run(set, &mut values, steps) };
            for (index, value) in values.into_iter().enumerate() {
                let wanted = (0..steps).fold(R::begin(index), |x, _| x.step(fused(set)));
                assert_eq!(value, wanted, "{set:?}, {steps} steps, number {index}");
            }
        }
    }

    #[test]
    fn every_set_computes_what_single_steps_do() {
        assert!(Set::here().count() > 0);
        for set in Set::here() {
            agrees::<f64>(set);
            agrees::<f32>(set);
        }
    }

    /// A step more or less, or one that rounds otherwise, is seen at the end.
    #[test]
    fn the_result_depends_on_every_step_and_stays_ordinary() {
        let after = |steps: usize, fused| (0..steps).fold(1.5f64, |x, _| x.step(fused));
        let end = after(16_384, true);
        assert!(end.is_normal() && end.abs() > 0.1 && end.abs() < 1e4, "{end}");
        assert_ne!(end, after(16_382, true));
        assert!(cfg!(target_arch = "aarch64") || end != after(16_384, false));
        let single = (0..16_384).fold(1.5f32, |x, _| x.step(true));
        assert!(single.is_normal() && single.abs() > 0.1 && single.abs() < 1e4, "{single}");
    }
}
