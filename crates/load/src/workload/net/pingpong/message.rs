//! The messages of a worker: of one size, or of that and its neighbours in turn.
//! Each begins with its number, as much of it as fits, so that a reply is known
//! to be that of its request.

use engine::fault::Fault;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::memory::buffer::Buffer;

/// Bytes of a number.
const STAMP: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload::net) struct Message {
    /// Its place among those of its worker.
    pub(in crate::workload::net) number: u64,
    pub(in crate::workload::net) bytes: usize,
    /// Its class: that of its size.
    pub(in crate::workload::net) class: u8,
}

/// The sizes of messages, which take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload::net) struct Sizes {
    /// The one that was asked for.
    pub(in crate::workload::net) bytes: usize,
    /// How far its neighbours are, 0 where there are none.
    pub(in crate::workload::net) apart: usize,
    /// The class of the size asked for; its neighbours have the two that follow.
    pub(in crate::workload::net) class: u8,
}

impl Sizes {
    #[inline]
    pub(in crate::workload::net) fn at(&self, number: u64) -> Message {
        let Self { bytes, apart, class } = *self;
        if apart == 0 {
            return Message { number, bytes, class };
        }
        match number % 3 {
            0 => Message { number, bytes, class },
            1 => Message { number, bytes: bytes.saturating_sub(apart).max(1), class: class + 1 },
            _ => Message { number, bytes: bytes + apart, class: class + 2 },
        }
    }

    pub(in crate::workload::net) fn most(&self) -> usize {
        self.bytes + self.apart
    }
}

/// What is sent and what comes back.
#[derive(Debug)]
pub(in crate::workload::net) struct Messages {
    sizes: Sizes,
    number: u64,
    out: Buffer,
    back: Buffer,
}

impl Messages {
    pub(in crate::workload::net) fn new(sizes: Sizes, seed: u64) -> Result<Self, Fault> {
        let (mut out, mut back) = (Buffer::new(sizes.most())?, Buffer::new(sizes.most())?);
        Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(out.as_mut_slice());
        back.as_mut_slice().fill(0);
        Ok(Self { sizes, number: 0, out, back })
    }

    #[inline]
    pub(in crate::workload::net) fn next(&mut self) -> Message {
        self.number += 1;
        self.sizes.at(self.number - 1)
    }

    #[inline]
    pub(in crate::workload::net) fn stamp(&mut self, message: Message) {
        let stamp = message.number.to_le_bytes();
        let length = message.bytes.min(STAMP);
        self.out.as_mut_slice()[..length].copy_from_slice(&stamp[..length]);
    }

    #[inline]
    pub(in crate::workload::net) fn out(&mut self, message: Message) -> &[u8] {
        &self.out.as_mut_slice()[..message.bytes]
    }

    #[inline]
    pub(in crate::workload::net) fn reply(&mut self, message: Message) -> &mut [u8] {
        &mut self.back.as_mut_slice()[..message.bytes]
    }

    #[inline]
    pub(in crate::workload::net) fn room(&mut self) -> &mut [u8] {
        self.back.as_mut_slice()
    }

    /// Whether what came is the answer to `message`, by its number.
    #[inline]
    pub(in crate::workload::net) fn answers(&mut self, message: Message, got: usize) -> bool {
        let length = message.bytes.min(STAMP);
        got == message.bytes && self.back.as_mut_slice()[..length] == message.number.to_le_bytes()[..length]
    }

    /// Compares the reply with its request, byte by byte.
    ///
    /// # Errors
    /// If they differ, with the first place where they do.
    pub(in crate::workload::net) fn check(&mut self, message: Message) -> Result<(), Fault> {
        let stamp = message.number.to_le_bytes();
        let length = message.bytes.min(STAMP);
        let back = &self.back.as_mut_slice()[..message.bytes];
        let out = &self.out.as_mut_slice()[..message.bytes];
        if back[..length] == stamp[..length] && back[length..] == out[length..] {
            return Ok(());
        }
        let right = stamp[..length].iter().chain(&out[length..]);
        let at = back.iter().zip(right).position(|(a, b)| a != b).unwrap_or_default();
        Err(Fault::Verification(format!(
            "the reply to message {} of {} bytes differs from it at byte {at}",
            message.number, message.bytes
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_take_turns_and_none_is_empty() {
        let sizes = Sizes { bytes: 64, apart: 3, class: 0 };
        let all: Vec<_> = (0..4).map(|n| (sizes.at(n).bytes, sizes.at(n).class)).collect();
        assert_eq!(all, [(64, 0), (61, 1), (67, 2), (64, 0)]);
        assert_eq!(Sizes { bytes: 2, apart: 3, class: 0 }.at(1).bytes, 1);
        assert_eq!(Sizes { bytes: 2, apart: 0, class: 5 }.at(1), Message { number: 1, bytes: 2, class: 5 });
    }

    #[test]
    fn a_reply_that_differs_is_found() {
        for bytes in [1, 5, 8, 9, 5000] {
            let mut messages = Messages::new(Sizes { bytes, apart: 0, class: 0 }, 3).unwrap();
            let (_, message) = (messages.next(), messages.next());
            messages.stamp(message);
            let sent = messages.out(message).to_vec();
            messages.reply(message).copy_from_slice(&sent);
            // Another was sent since.
            let next = messages.next();
            messages.stamp(next);
            messages.check(message).unwrap();
            assert!(messages.answers(message, bytes) && !messages.answers(next, bytes));
            messages.reply(message)[bytes - 1] ^= 1;
            let fault = messages.check(message).unwrap_err().to_string();
            assert!(fault.contains(&format!("at byte {}", bytes - 1)), "{fault}");
        }
    }
}
