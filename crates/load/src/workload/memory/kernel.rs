//! The inner loops: read, write, copy and triad over 64-byte lines, with the
//! widest vectors that the processor has. Chosen at run time, so that one
//! binary measures every machine at its best.
//!
//! Ordinary stores first fetch the line they overwrite (write-allocate);
//! non-temporal ones do not, but bypass the caches. So each serves where it is
//! the faster: the former within the caches, the latter beyond.

use std::fmt;

/// Bytes of a cache line, the unit of all loops.
pub(super) const LINE: usize = 64;

/// The vector instructions used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    /// 64 bytes at once.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 32 bytes at once.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler makes for the base instruction set.
    Base,
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "AVX2",
            Isa::Base => "base",
        })
    }
}

/// The widest that this processor has.
pub(super) fn widest() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512dq") {
            return Isa::Avx512;
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return Isa::Avx2;
        }
    }
    Isa::Base
}

/// How stores are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stores {
    Ordinary,
    NonTemporal,
}

/// A range of lines to work on: `lines` lines from each pointer that the
/// operation uses, so many times over. The pointers are aligned to [`LINE`].
///
/// The loops repeat a span themselves: of a set of 4 KiB, a call and a sum of
/// lanes for each pass would take as long as the pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) a: *mut f64,
    pub(super) b: *mut f64,
    pub(super) c: *mut f64,
    pub(super) lines: usize,
    pub(super) times: usize,
}

/// Makes the compiler believe that all memory was looked at and changed, so that
/// it can leave out no pass of several that are alike.
#[inline(always)]
fn each_pass_counts() {
    // SAFETY: no instruction at all.
    unsafe { std::arch::asm!("", options(nostack, preserves_flags)) };
}

/// What triad multiplies by, as in STREAM.
pub(super) const SCALAR: f64 = 3.0;
pub(super) const WRITTEN: f64 = 1.0;

/// Lines of a page of 4 KiB, the largest piece in which a processor fetches ahead.
const PAGE: usize = 4096 / LINE;
/// Pages that are passed over side by side where stores go around the caches:
/// each has its own fetching ahead, and their rows of memory are open at once. One
/// page after the other, a copy in C was 0.74 times as fast here (memcpy of glibc,
/// which does likewise, 0.92 times); eight gave no more.
const PAGES: usize = 4;

/// Does something for each pair of lines of `lines`, whose place is `at`, in
/// numbers: in order, or if `woven` four pages side by side.
macro_rules! each_pair {
    ($woven:expr, $lines:expr, |$at:ident| $body:block) => {
        let whole = if $woven { $lines / (PAGES * PAGE) * (PAGES * PAGE) } else { 0 };
        for block in (0..whole).step_by(PAGES * PAGE) {
            for row in (0..PAGE).step_by(2) {
                for page in 0..PAGES {
                    let $at = (block + page * PAGE + row) * (LINE / 8);
                    $body
                }
            }
        }
        for line in (whole..$lines / 2 * 2).step_by(2) {
            let $at = line * (LINE / 8);
            $body
        }
    };
}

macro_rules! vector_loops {
    ($name:ident $feature:literal $lanes:literal $zero:ident $load:ident $store:ident $stream:ident $set:ident
        $add:ident $mul:ident $xor:ident) => {
        /// The loops for one vector width.
        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::{LINE, PAGE, PAGES, SCALAR, Span, WRITTEN, each_pass_counts};
            use std::arch::x86_64::{_mm_sfence, $add, $load, $mul, $set, $store, $stream, $xor, $zero};

            /// f64 lanes of one vector, and vectors of a pair of lines.
            const LANES: usize = $lanes;
            const STEPS: usize = 2 * LINE / 8 / LANES;

            /// # Safety
            /// The span's `a` must be readable for its lines, which are even.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn read(span: Span) -> f64 {
                let mut sums = [$zero(); STEPS];
                for _ in 0..span.times {
                    each_pair!(false, span.lines, |at| {
                        for (step, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: within the span by the caller's promise.
                            *sum = $xor(*sum, unsafe { $load(span.a.add(at + step * LANES)) });
                        }
                    });
                    each_pass_counts();
                }
                let mut all = sums[0];
                for sum in &sums[1..] {
                    all = $xor(all, *sum);
                }
                let mut lanes = [0.0; LANES];
                // SAFETY: the array has as many lanes as the vector; the store
                // is followed by nothing that needs alignment beyond its own.
                unsafe {
                    std::ptr::copy_nonoverlapping((&raw const all).cast::<f64>(), lanes.as_mut_ptr(), LANES)
                };
                f64::from_bits(lanes.iter().fold(0, |bits, lane| bits ^ lane.to_bits()))
            }

            /// # Safety
            /// The span's `a` must be writable for its lines, which are even.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn write<const NT: bool>(span: Span) {
                let value = $set(WRITTEN);
                for _ in 0..span.times {
                    each_pair!(NT, span.lines, |at| {
                        for step in 0..STEPS {
                            // SAFETY: within the span, aligned to a line.
                            unsafe {
                                let to = span.a.add(at + step * LANES);
                                if NT { $stream(to, value) } else { $store(to, value) }
                            }
                        }
                    });
                    each_pass_counts();
                }
                if NT {
                    _mm_sfence();
                }
            }

            /// # Safety
            /// The span's `a` must be writable and `b` readable for its lines,
            /// which are even.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn copy<const NT: bool>(span: Span) {
                for _ in 0..span.times {
                    each_pair!(NT, span.lines, |at| {
                        for step in 0..STEPS {
                            // SAFETY: within the span, aligned to a line.
                            unsafe {
                                let value = $load(span.b.add(at + step * LANES));
                                let to = span.a.add(at + step * LANES);
                                if NT { $stream(to, value) } else { $store(to, value) }
                            }
                        }
                    });
                    each_pass_counts();
                }
                if NT {
                    _mm_sfence();
                }
            }

            /// # Safety
            /// The span's `a` must be writable, `b` and `c` readable for its
            /// lines, which are even.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn triad<const NT: bool>(span: Span) {
                let scalar = $set(SCALAR);
                for _ in 0..span.times {
                    each_pair!(NT, span.lines, |at| {
                        for step in 0..STEPS {
                            let at = at + step * LANES;
                            // SAFETY: within the span, aligned to a line.
                            unsafe {
                                let value = $add($load(span.b.add(at)), $mul(scalar, $load(span.c.add(at))));
                                if NT {
                                    $stream(span.a.add(at), value)
                                } else {
                                    $store(span.a.add(at), value)
                                }
                            }
                        }
                    });
                    each_pass_counts();
                }
                if NT {
                    _mm_sfence();
                }
            }
        }
    };
}

vector_loops! {
    avx512 "avx512f,avx512dq" 8 _mm512_setzero_pd _mm512_load_pd _mm512_store_pd _mm512_stream_pd
    _mm512_set1_pd _mm512_add_pd _mm512_mul_pd _mm512_xor_pd
}
vector_loops! {
    avx2 "avx2" 4 _mm256_setzero_pd _mm256_load_pd _mm256_store_pd _mm256_stream_pd
    _mm256_set1_pd _mm256_add_pd _mm256_mul_pd _mm256_xor_pd
}

/// The loops for any processor.
mod base {
    use super::{LINE, SCALAR, Span, WRITTEN, each_pass_counts};

    const LANES: usize = LINE / 8;

    /// # Safety
    /// The span's `a` must be readable for its lines.
    pub(super) unsafe fn read(span: Span) -> f64 {
        // SAFETY: by the caller's promise.
        let values = unsafe { std::slice::from_raw_parts(span.a.cast::<u64>(), span.lines * LANES) };
        let mut sums = [0u64; LANES];
        for _ in 0..span.times {
            for line in values.chunks_exact(LANES) {
                for (sum, value) in sums.iter_mut().zip(line) {
                    *sum ^= value;
                }
            }
            each_pass_counts();
        }
        f64::from_bits(sums.iter().fold(0, |a, b| a ^ b))
    }

    /// # Safety
    /// The span's `a` must be writable for its lines.
    pub(super) unsafe fn write(span: Span) {
        // SAFETY: by the caller's promise.
        let values = unsafe { std::slice::from_raw_parts_mut(span.a, span.lines * LANES) };
        for _ in 0..span.times {
            values.fill(WRITTEN);
            each_pass_counts();
        }
    }

    /// # Safety
    /// The span's `a` must be writable and `b` readable for its lines.
    pub(super) unsafe fn copy(span: Span) {
        for _ in 0..span.times {
            // SAFETY: by the caller's promise; the two do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(span.b, span.a, span.lines * LANES) };
            each_pass_counts();
        }
    }

    /// # Safety
    /// The span's `a` must be writable, `b` and `c` readable for its lines.
    pub(super) unsafe fn triad(span: Span) {
        let count = span.lines * LANES;
        // SAFETY: by the caller's promise; the three do not overlap.
        let (a, b, c) = unsafe {
            (
                std::slice::from_raw_parts_mut(span.a, count),
                std::slice::from_raw_parts(span.b, count),
                std::slice::from_raw_parts(span.c, count),
            )
        };
        for _ in 0..span.times {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + SCALAR * c;
            }
            each_pass_counts();
        }
    }
}

/// Reads all of `a`; the result depends on every byte if the times are odd, and
/// no load is left out in any case.
///
/// # Safety
/// `span.a` must be readable for `span.lines` lines, an even number.
pub(super) unsafe fn read(isa: Isa, span: Span) -> f64 {
    // SAFETY: the caller's promise; the instructions were detected.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::read(span),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::read(span),
            Isa::Base => base::read(span),
        }
    }
}

macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub(super) unsafe fn $name(isa: Isa, stores: Stores, span: Span) {
            // SAFETY: the caller's promise; the instructions were detected.
            unsafe {
                match (isa, stores) {
                    #[cfg(target_arch = "x86_64")]
                    (Isa::Avx512, Stores::Ordinary) => avx512::$name::<false>(span),
                    #[cfg(target_arch = "x86_64")]
                    (Isa::Avx512, Stores::NonTemporal) => avx512::$name::<true>(span),
                    #[cfg(target_arch = "x86_64")]
                    (Isa::Avx2, Stores::Ordinary) => avx2::$name::<false>(span),
                    #[cfg(target_arch = "x86_64")]
                    (Isa::Avx2, Stores::NonTemporal) => avx2::$name::<true>(span),
                    (Isa::Base, _) => base::$name(span),
                }
            }
        }
    };
}

dispatch!(
    /// Writes all of `a`.
    ///
    /// # Safety
    /// `span.a` must be writable for `span.lines` lines, an even number.
    write
);
dispatch!(
    /// Copies `b` to `a`.
    ///
    /// # Safety
    /// As [`write`], and `span.b` readable.
    copy
);
dispatch!(
    /// `a = b + SCALAR * c`.
    ///
    /// # Safety
    /// As [`copy`], and `span.c` readable.
    triad
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::memory::buffer::Buffer;

    fn every_isa() -> Vec<Isa> {
        let mut all = vec![Isa::Base];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                all.push(Isa::Avx2);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                all.push(Isa::Avx512);
            }
        }
        all
    }

    /// Values that each of three arrays has room for.
    const ROOM: usize = 9 * PAGE * LINE / 8;

    fn touches_all_of(lines: usize, isa: Isa, stores: Stores) {
        let values = lines * LINE / 8;
        let buffer = Buffer::new(3 * ROOM * 8).unwrap();
        let start = buffer.as_mut_ptr().cast::<f64>();
        // SAFETY: the buffer has room for three arrays, each longer than the span.
        let (span, arrays) = unsafe {
            let span = Span { a: start, b: start.add(ROOM), c: start.add(2 * ROOM), lines, times: 1 };
            (span, std::slice::from_raw_parts_mut(start, 3 * ROOM))
        };
        for (i, value) in arrays.iter_mut().enumerate() {
            *value = i as f64;
        }
        // SAFETY: the span lies in the buffer.
        unsafe { triad(isa, stores, span) };
        for (i, found) in arrays[..ROOM].iter().enumerate() {
            let sum = (ROOM + i) as f64 + 3.0 * (2 * ROOM + i) as f64;
            let wanted = if i < values { sum } else { i as f64 };
            assert_eq!(*found, wanted, "triad {isa} {stores:?} of {lines} lines at {i}");
        }
        // SAFETY: as above.
        unsafe { copy(isa, stores, span) };
        assert!(arrays[..values] == arrays[ROOM..ROOM + values], "copy {isa} {stores:?} of {lines} lines");
        assert_eq!(arrays[values], values as f64);
        // SAFETY: as above.
        unsafe { write(isa, stores, span) };
        assert!(arrays[..values].iter().all(|v| *v == WRITTEN), "write {isa} {stores:?} of {lines} lines");
        assert_eq!(arrays[values], values as f64);
    }

    #[test]
    fn every_loop_of_every_width_touches_all_of_its_span_and_no_more() {
        for isa in every_isa() {
            for stores in [Stores::Ordinary, Stores::NonTemporal] {
                // Less than pages side by side, some of them, and a rest behind.
                for lines in [6, PAGES * PAGE, 2 * PAGES * PAGE + 6] {
                    touches_all_of(lines, isa, stores);
                }
            }
        }
    }

    #[test]
    fn reading_depends_on_every_value() {
        const LINES: usize = 4;
        for isa in every_isa() {
            let mut buffer = Buffer::new(4096).unwrap();
            let span = |b: &Buffer| {
                let a = b.as_mut_ptr().cast::<f64>();
                Span { a, b: a, c: a, lines: LINES, times: 3 }
            };
            // SAFETY: the span lies in the buffer.
            let before = unsafe { read(isa, span(&buffer)) }.to_bits();
            for at in 0..LINES * LINE {
                buffer.as_mut_slice()[at] ^= 0x10;
                // SAFETY: as above.
                let after = unsafe { read(isa, span(&buffer)) }.to_bits();
                assert_ne!(before, after, "{isa}: byte {at} was not read");
                buffer.as_mut_slice()[at] ^= 0x10;
            }
        }
    }
}
