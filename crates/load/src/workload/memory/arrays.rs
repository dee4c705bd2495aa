//! What bandwidth is measured with: arrays of one worker that are read, written,
//! copied or combined, a piece at a time.

use engine::fault::Fault;
use engine::queue::{Operate, Operation};
use model::plan::Problem;
use model::{FactName, Parameters, Value};

use crate::workload::memory::buffer::Buffer;
use crate::workload::memory::kernel::{self, Isa, LINE, Span, Stores};
use crate::workload::memory::layout::Layout;
use crate::workload::named;

/// The fact that tells of which kind the stores were.
pub const STORE_KIND: FactName = FactName::new("stores");

/// What is done with the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// One array is read.
    Read,
    /// One is written.
    Write,
    /// One is copied to another.
    Copy,
    /// `a = b + 3 c`.
    Triad,
}

impl Kernel {
    /// As the parameter `operation` says.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn of(parameters: &Parameters) -> Result<Self, Problem> {
        Ok(match parameters.text(named("operation"))? {
            "read" => Kernel::Read,
            "write" => Kernel::Write,
            "copy" => Kernel::Copy,
            "triad" => Kernel::Triad,
            other => {
                return Err(Problem::invalid(format!("`{other}` is nothing that is done with arrays"), ""));
            }
        })
    }

    /// How many arrays it works on.
    #[must_use]
    pub fn arrays(self) -> u64 {
        match self {
            Kernel::Read | Kernel::Write => 1,
            Kernel::Copy => 2,
            Kernel::Triad => 3,
        }
    }

    /// Whether it writes one of them.
    #[must_use]
    pub fn writes(self) -> bool {
        self != Kernel::Read
    }
}

/// How a worker passes over its arrays.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    kernel: Kernel,
    isa: Isa,
    stores: Stores,
    lines: usize,
    lines_at_once: usize,
    times: usize,
}

impl Passes {
    /// Over arrays of `size` bytes together, in operations of about
    /// `operation_bytes`.
    pub(super) fn of((kernel, stores): (Kernel, Stores), size: u64, operation_bytes: u64) -> Self {
        let lines = lines(kernel, size);
        let wanted = ((operation_bytes / kernel.arrays()) as usize / LINE).max(2);
        let isa = kernel::widest();
        Self {
            kernel,
            isa,
            stores: if isa == Isa::Base { Stores::Ordinary } else { stores },
            lines,
            // Equal pieces, so that all of the working set is passed over.
            lines_at_once: lines / lines.div_ceil(wanted) / 2 * 2,
            times: (wanted / lines).max(1),
        }
    }

    /// Bytes that one operation moves.
    #[must_use]
    pub fn operation_bytes(&self) -> u64 {
        self.lines_at_once as u64 * LINE as u64 * self.kernel.arrays() * self.times as u64
    }
}

/// Lines of each array of a set of `size` bytes: an even number.
fn lines(kernel: Kernel, size: u64) -> usize {
    (size / kernel.arrays() / LINE as u64) as usize / 2 * 2
}

/// Bytes from one array to the next of `lines` each: whole pages.
fn stride(lines: usize) -> usize {
    (lines * LINE).next_multiple_of(4096)
}

/// What a worker's arrays take, with what lies between them.
#[must_use]
pub fn bytes_taken(kernel: Kernel, size: u64) -> u64 {
    kernel.arrays() * (size / kernel.arrays()).checked_next_multiple_of(4096).unwrap_or(u64::MAX / 4)
}

/// The least size of a set.
#[must_use]
pub fn least_bytes(kernel: Kernel) -> u64 {
    kernel.arrays() * 2 * LINE as u64
}

/// The arrays of one worker, and how far it has come.
pub struct Arrays {
    passes: Passes,
    buffer: Buffer,
    layout: Layout,
    at: usize,
    sum: u64,
}

impl Arrays {
    /// Makes and fills them. To be called in the thread that uses them: what it
    /// touches first lies in its node.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn new(passes: Passes, layout: &Layout) -> Result<Self, Fault> {
        let arrays = passes.kernel.arrays() as usize;
        let stride = stride(passes.lines);
        let mut buffer = layout.buffer(arrays * stride)?;
        for (number, array) in buffer.as_mut_slice().chunks_exact_mut(stride).take(arrays).enumerate() {
            fill(array, number);
        }
        Ok(Self { passes, buffer, layout: layout.clone(), at: 0, sum: 0 })
    }

    /// The next operation; returns the bytes it moved.
    #[inline]
    pub fn advance(&mut self) -> u64 {
        let Passes { lines, lines_at_once, times, .. } = self.passes;
        if self.at + lines_at_once > lines {
            self.at = 0;
        }
        self.pass(Span { times, ..self.span(self.at, lines_at_once) });
        self.at += lines_at_once;
        self.passes.operation_bytes()
    }

    fn array(&self, number: usize) -> *mut f64 {
        self.buffer.as_mut_ptr().wrapping_add(number * stride(self.passes.lines)).cast()
    }

    fn span(&self, at: usize, lines: usize) -> Span {
        let arrays = self.passes.kernel.arrays() as usize;
        // What an operation does not use points to what there is.
        let pointer = |i: usize| self.array(if i < arrays { i } else { 0 }).wrapping_add(at * LINE / 8);
        Span { a: pointer(0), b: pointer(1), c: pointer(2), lines, times: 1 }
    }

    #[inline]
    fn pass(&mut self, span: Span) {
        let Passes { kernel, isa, stores, .. } = self.passes;
        // SAFETY: the span lies within the buffer that this worker owns, on
        // lines; its length is even; different arrays do not overlap.
        unsafe {
            match kernel {
                Kernel::Read => self.sum ^= kernel::read(isa, span).to_bits(),
                Kernel::Write => kernel::write(isa, stores, span),
                Kernel::Copy => kernel::copy(isa, stores, span),
                Kernel::Triad => kernel::triad(isa, stores, span),
            }
        }
    }

    /// Whether every value is the result of a whole pass.
    fn check(&self) -> Result<(), Fault> {
        let count = self.passes.lines * LINE / 8;
        let value = |array: usize, index: usize| -> f64 {
            // SAFETY: index is below the number of values of each array.
            unsafe { self.array(array).add(index).read() }
        };
        for index in 0..count {
            let (found, wanted) = match self.passes.kernel {
                Kernel::Read => return Ok(()),
                Kernel::Write => (value(0, index), kernel::WRITTEN),
                Kernel::Copy => (value(0, index), value(1, index)),
                Kernel::Triad => (value(0, index), value(1, index) + kernel::SCALAR * value(2, index)),
            };
            if found.to_bits() != wanted.to_bits() {
                return Err(Fault::Verification(format!(
                    "value {index} is {found} where it must be {wanted}"
                )));
            }
        }
        Ok(())
    }
}

/// Passes over the working set, a piece an operation.
impl Operate for Arrays {
    #[inline]
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        Ok(self.advance())
    }

    /// Whether every value is what the operation must leave.
    fn verify(&mut self) -> Result<(), Fault> {
        self.layout.note(&self.buffer);
        std::hint::black_box(self.sum);
        // One whole pass more, so that every line must hold its result however
        // short the trial was; then every value is looked at.
        let whole = self.span(0, self.passes.lines);
        self.pass(whole);
        self.check()
    }

    /// The vectors and the stores that were used.
    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = vec![(FactName::new("vectors"), Value::Text(self.passes.isa.to_string()))];
        if self.passes.kernel.writes() {
            let stores = match self.passes.stores {
                Stores::Ordinary => "ordinary",
                Stores::NonTemporal => "non-temporal",
            };
            facts.push((STORE_KIND, Value::from(stores)));
        }
        facts
    }
}

/// Fills an array with numbers that triad keeps exact.
fn fill(array: &mut [u8], number: usize) {
    for (index, value) in array.chunks_exact_mut(8).enumerate() {
        let number = (index % 1000 + 1000 * number) as f64;
        value.copy_from_slice(&number.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use engine::numa::RequestedNodes;

    use super::*;

    fn layout() -> Layout {
        let mut parameters = Parameters::default();
        parameters.set(named("page-size"), "base");
        Layout::of(&parameters, RequestedNodes::default()).unwrap()
    }

    #[test]
    fn every_operation_passes_over_all_of_its_set() {
        for kernel in [Kernel::Read, Kernel::Write, Kernel::Copy, Kernel::Triad] {
            for size in [1000, 4096, 100_000, 1 << 20] {
                let passes = Passes::of((kernel, Stores::Ordinary), size, 10_000);
                let mut arrays = Arrays::new(passes, &layout()).unwrap();
                assert!(arrays.buffer.len() as u64 <= kernel.arrays() * 4096 + size);
                let mut moved = 0;
                while moved < size {
                    let bytes = arrays.advance();
                    assert!(bytes > 0 && bytes <= 10_000 + 64 * 6, "{kernel:?} {size} {bytes}");
                    moved += bytes;
                }
                // A piece at the end may be left out; never as much as one.
                assert!(passes.lines % passes.lines_at_once < passes.lines_at_once);
                arrays.verify().unwrap();
            }
        }
    }

    #[test]
    fn a_wrong_value_fails_the_verification() {
        let passes = Passes::of((Kernel::Copy, Stores::Ordinary), 8192, 4096);
        let mut arrays = Arrays::new(passes, &layout()).unwrap();
        arrays.verify().unwrap();
        // SAFETY: value 511 is the last of the first array.
        unsafe { *arrays.array(0).add(511) += 1.0 };
        let fault = arrays.check().unwrap_err();
        assert!(fault.to_string().contains("value 511"), "{fault}");
        arrays.verify().unwrap();
    }
}
