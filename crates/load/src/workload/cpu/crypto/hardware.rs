//! Switching off the processor's cipher instructions and wide vectors.
//!
//! AWS-LC chooses its code by a few words that say what the processor can do
//! (`OPENSSL_ia32cap_P` on x86, `OPENSSL_armcap_P` on Arm, in
//! `crypto/fipsmodule/cpucap/`); the environment variable `OPENSSL_ia32cap` sets
//! them once, before the first use. They are asked anew whenever a key is set
//! up and in each call, so that changing them between two trials changes the
//! code that the next one runs. They hold for the whole process: loads with and
//! without cannot run at the same time, and that is refused.
//!
//! Off are AES, carry-less multiplication, SHA, AVX and everything wider. What
//! stays is what every x86-64 processor of the last 15 years has (SSE2, SSSE3)
//! or every 64-bit Arm (NEON): so ciphers run in constant time from vector
//! permutations, as on a processor that has no cipher instructions.

use std::sync::{Mutex, PoisonError};

use engine::fault::Fault;

/// How many hold the switch on each side, and what was there before.
struct Switch {
    with: usize,
    without: usize,
    saved: Words,
}

static SWITCH: Mutex<Switch> = Mutex::new(Switch { with: 0, without: 0, saved: NONE });

/// Holds the switch where a load needs it; lets go when dropped.
#[derive(Debug)]
pub(super) struct FeatureGuard {
    hardware: bool,
}

impl FeatureGuard {
    /// Puts the switch to `hardware`.
    ///
    /// # Errors
    /// If another load of this process needs it the other way.
    pub(super) fn take(hardware: bool) -> Result<Self, Fault> {
        let mut switch = SWITCH.lock().unwrap_or_else(PoisonError::into_inner);
        if (if hardware { switch.without } else { switch.with }) > 0 {
            return Err(Fault::Other(
                "hardware=yes and hardware=no cannot run at the same time: the switch holds for the whole process; \
                 make them two cases"
                    .to_owned(),
            ));
        }
        // The words are filled in at the first use of the library.
        // SAFETY: it takes nothing and may be called at any time.
        unsafe { aws_lc_sys::CRYPTO_library_init() };
        if hardware {
            switch.with += 1;
        } else {
            switch.without += 1;
            if switch.without == 1 {
                switch.saved = read();
                write(reduced(switch.saved));
            }
        }
        Ok(Self { hardware })
    }

    /// Whether the load lets the library use them.
    pub(super) fn allows(&self) -> bool {
        self.hardware
    }

    /// What of the instructions that are switched the library may use now.
    pub(super) fn instructions(&self) -> Vec<&'static str> {
        named(read())
    }
}

impl Drop for FeatureGuard {
    fn drop(&mut self) {
        let mut switch = SWITCH.lock().unwrap_or_else(PoisonError::into_inner);
        if self.hardware {
            switch.with -= 1;
        } else {
            switch.without -= 1;
            if switch.without == 0 {
                write(switch.saved);
            }
        }
    }
}

/// Whether the switch is of use on this kind of processor.
pub(super) const SWITCHABLE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

#[cfg(target_arch = "x86_64")]
use x86::{NONE, Words, named, read, reduced, write};

#[cfg(target_arch = "x86_64")]
mod x86 {
    /// CPUID 1 EDX and ECX, CPUID 7 EBX and ECX.
    pub(super) type Words = [u32; 4];
    pub(super) const NONE: Words = [0; 4];

    unsafe extern "C" {
        // The name has the library's version in it: a new one does not link
        // until it is changed here, which is the time to look whether the words
        // still mean the same.
        #[link_name = "aws_lc_0_47_0_OPENSSL_ia32cap_P"]
        static mut CAPABILITIES: Words;
    }

    /// Word, bit and name of everything that is switched (Intel SDM, volume 2A,
    /// `CPUID`, leaves 1 and 7).
    const SWITCHED: &[(usize, u32, &str)] = &[
        (1, 25, "AES"),
        (1, 1, "PCLMULQDQ"),
        (2, 29, "SHA"),
        (1, 28, "AVX"),
        (2, 5, "AVX2"),
        (2, 16, "AVX-512"),
        (3, 9, "VAES"),
        (3, 10, "VPCLMULQDQ"),
    ];
    /// What goes with them without a name of its own: FMA and XOP; AVX-512 DQ,
    /// IFMA, BW and VL; AVX-512 VBMI and VBMI2.
    const BESIDE: &[(usize, u32)] = &[(1, 12), (1, 11), (2, 17), (2, 21), (2, 30), (2, 31), (3, 1), (3, 6)];

    pub(super) fn read() -> Words {
        // SAFETY: initialised, four words, changed only under the switch's lock.
        unsafe { (&raw const CAPABILITIES).read_volatile() }
    }

    /// Only under the switch's lock, and while no load of this process uses the
    /// library.
    pub(super) fn write(words: Words) {
        // SAFETY: four words that the library reads only; whoever reads them in
        // another thread meanwhile gets code that this processor has either
        // way, because bits are only taken away and put back.
        unsafe { (&raw mut CAPABILITIES).write_volatile(words) };
    }

    pub(super) fn reduced(mut words: Words) -> Words {
        let named = SWITCHED.iter().map(|(word, bit, _)| (*word, *bit));
        for (word, bit) in named.chain(BESIDE.iter().copied()) {
            words[word] &= !(1 << bit);
        }
        words
    }

    pub(super) fn named(words: Words) -> Vec<&'static str> {
        let here = SWITCHED.iter().filter(|(word, bit, _)| words[*word] & 1 << bit != 0);
        here.map(|(_, _, name)| *name).collect()
    }
}

#[cfg(target_arch = "aarch64")]
use arm::{NONE, Words, named, read, reduced, write};

#[cfg(target_arch = "aarch64")]
mod arm {
    pub(super) type Words = u32;
    pub(super) const NONE: Words = 0;

    unsafe extern "C" {
        // As on x86: the version is in the name.
        #[link_name = "aws_lc_0_47_0_OPENSSL_armcap_P"]
        static mut CAPABILITIES: Words;
    }

    /// Bit and name (`include/openssl/arm_arch.h`).
    const SWITCHED: &[(u32, &str)] =
        &[(2, "AES"), (5, "PMULL"), (3, "SHA1"), (4, "SHA256"), (6, "SHA512"), (11, "SHA3")];

    pub(super) fn read() -> Words {
        // SAFETY: initialised, one word, changed only under the switch's lock.
        unsafe { (&raw const CAPABILITIES).read_volatile() }
    }

    /// As on x86.
    pub(super) fn write(words: Words) {
        // SAFETY: one word that the library reads only; bits are only taken
        // away and put back.
        unsafe { (&raw mut CAPABILITIES).write_volatile(words) };
    }

    pub(super) fn reduced(words: Words) -> Words {
        SWITCHED.iter().fold(words, |words, (bit, _)| words & !(1 << bit))
    }

    pub(super) fn named(words: Words) -> Vec<&'static str> {
        SWITCHED.iter().filter(|(bit, _)| words & 1 << bit != 0).map(|(_, name)| *name).collect()
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use other::{NONE, Words, named, read, reduced, write};

/// Nothing is switched, and the survey says so.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod other {
    pub(super) type Words = ();
    pub(super) const NONE: Words = ();

    pub(super) fn read() -> Words {}
    pub(super) fn write(_words: Words) {}
    pub(super) fn reduced(_words: Words) -> Words {}
    pub(super) fn named(_words: Words) -> Vec<&'static str> {
        Vec::new()
    }
}

/// Tests of this process that need the switch take turns.
#[cfg(test)]
pub(super) static TURN: Mutex<()> = Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    /// What the library itself says of its AES path, not how fast it is.
    #[test]
    fn the_switch_takes_the_librarys_aes_hardware_away_and_gives_it_back() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: it takes nothing.
        let has = || unsafe { aws_lc_sys::EVP_has_aes_hardware() } == 1;
        let before = {
            let held = FeatureGuard::take(true).unwrap();
            assert_eq!(has(), held.instructions().contains(&"AES"));
            assert!(FeatureGuard::take(false).is_err(), "both at once");
            has()
        };
        {
            let held = FeatureGuard::take(false).unwrap();
            assert!(!has());
            assert_eq!(held.instructions(), Vec::<&str>::new());
            let second = FeatureGuard::take(false).unwrap();
            drop(held);
            assert!(!has(), "one still needs it");
            assert!(FeatureGuard::take(true).is_err());
            drop(second);
        }
        assert_eq!(has(), before);
        assert!(FeatureGuard::take(true).is_ok());
    }
}
