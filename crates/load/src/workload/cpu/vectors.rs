//! The sets of vector instructions that kernels are written for, and the
//! parameter `vectors` that chooses one. Which are there is found out at run
//! time, so that one binary measures every machine at its best.

use std::fmt;

use model::Parameters;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::Aspect;
use model::value::ParameterError;

use crate::workload::named;

pub(super) const VECTORS: ParameterSpec =
    ParameterSpec::new("vectors", Kind::Choice, "The instructions that compute.")
        .says(Aspect::Vectors)
        .default("auto")
        .words(&[
            Word { word: "auto", doc: "the widest vectors that the processor has" },
            Word { word: "scalar", doc: "one number, or one word of 64 bits, at a time" },
            Word {
                word: "sse2",
                doc: "16 bytes at once; a multiplication and an addition where both are needed",
            },
            Word { word: "avx2", doc: "32 bytes at once, with FMA" },
            Word { word: "avx512", doc: "64 bytes at once" },
            Word { word: "neon", doc: "16 bytes at once, on Arm" },
        ]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// One number or word at a time.
    Scalar,
    /// 16 bytes at once, without FMA.
    Sse2,
    /// 32 bytes at once, with FMA.
    Avx2,
    /// 64 bytes at once, bytes too (F and BW).
    Avx512,
    /// 16 bytes at once.
    Neon,
}

impl Set {
    /// Every set, narrowest first.
    const ALL: [Set; 5] = [Set::Scalar, Set::Sse2, Set::Neon, Set::Avx2, Set::Avx512];

    /// The set of this word; the widest that is here for any other.
    pub(super) fn of(word: &str) -> Self {
        let named = Self::ALL.into_iter().find(|set| set.word() == word);
        named.or_else(|| Self::here().last()).unwrap_or(Set::Scalar)
    }

    /// Those that this processor has, narrowest first.
    pub(super) fn here() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|set| set.is_here())
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Set::Scalar => "scalar",
            Set::Sse2 => "sse2",
            Set::Avx2 => "avx2",
            Set::Avx512 => "avx512",
            Set::Neon => "neon",
        }
    }

    /// Bytes of one vector, where there are vectors.
    pub(super) fn bytes(self) -> Option<usize> {
        match self {
            Set::Scalar => None,
            Set::Sse2 | Set::Neon => Some(16),
            Set::Avx2 => Some(32),
            Set::Avx512 => Some(64),
        }
    }

    /// Whether this processor has it.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn is_here(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        match self {
            Set::Scalar | Set::Sse2 => true,
            Set::Avx2 => has!("avx2") && has!("fma"),
            Set::Avx512 => has!("avx512f") && has!("avx512bw"),
            Set::Neon => false,
        }
    }

    /// Whether this processor has it: every 64-bit Arm has NEON.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn is_here(self) -> bool {
        self == Set::Scalar || (self == Set::Neon && cfg!(target_arch = "aarch64"))
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Set::Scalar => "none",
            Set::Sse2 => "SSE2",
            Set::Avx2 => "AVX2",
            Set::Avx512 => "AVX-512",
            Set::Neon => "NEON",
        })
    }
}

/// The set that a load asks for.
#[derive(Clone, Debug)]
pub(super) struct AskedSet {
    word: String,
    set: Set,
}

impl AskedSet {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, ParameterError> {
        let word = parameters.text(named("vectors"))?.to_owned();
        Ok(Self { set: Set::of(&word), word })
    }

    /// Refuses a set that this processor has not.
    pub(super) fn checked(&self) -> Result<Set, Problem> {
        if self.set.is_here() {
            return Ok(self.set);
        }
        let here: Vec<&str> = Set::here().map(Set::word).collect();
        Err(Problem::refused(
            format!("this processor has no {} instructions", self.word),
            format!("it has {}; vectors = auto takes the widest", here.join(", ")),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_auto_stands_for_the_widest() {
        let widest = Set::of("auto");
        assert!(widest.is_here());
        assert!(Set::here().all(|set| set.bytes() <= widest.bytes()));
        for set in Set::ALL {
            assert_eq!(Set::of(set.word()), set);
            assert!(VECTORS.words.iter().any(|word| word.word == set.word()));
        }
    }
}
