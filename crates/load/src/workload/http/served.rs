//! What the end of a load that is its server has for who asks: content of its memory, a file, or nothing.

use std::net::TcpStream;
use std::sync::Arc;

use engine::fault::Fault;
pub(super) use model::fact::SERVED_CACHED_SHARE;
use model::{FactName, Value};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::io;
use rustix::net::SendFlags;

use crate::workload::http::served_file::ServedFile;

/// Bytes that content of memory is made of, again and again: random, so that nothing on the way packs them.
pub(super) const CONTENT: usize = 1 << 20;

/// Where content comes from, and how much of a file the page cache of its machine held after; how much it held
/// before is a fact that others read.
pub(super) const SERVED_FROM: FactName = FactName::new("served_from");
pub(super) const SERVED_CACHED_SHARE_AFTER: FactName = FactName::new("served_cached_share_after");

/// What each answer has.
#[derive(Clone, Debug)]
pub(in crate::workload) enum Served {
    /// So many bytes of memory.
    Memory {
        /// How many.
        bytes: u64,
        /// What they are, again and again.
        content: Arc<[u8]>,
    },
    /// All of a file.
    File(ServedFile),
    /// Nothing: bodies are taken.
    Bodies,
}

impl Served {
    /// Answers of so many random bytes.
    pub(in crate::workload) fn memory(bytes: u64) -> Self {
        let mut content = vec![0; CONTENT];
        Xoshiro256PlusPlus::seed_from_u64(1).fill_bytes(&mut content);
        Self::Memory { bytes, content: content.into() }
    }

    /// Whether there is anything to be sent.
    pub(super) fn is_sent(&self) -> bool {
        !matches!(self, Self::Bodies)
    }

    /// Bytes of an answer.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Memory { bytes, .. } => *bytes,
            Self::File(file) => file.bytes(),
            Self::Bodies => 0,
        }
    }

    /// Sends, by one call, at most `most` bytes of an answer of which `left` are to be sent; what the socket
    /// says.
    ///
    /// # Errors
    /// If there is nothing to be sent, which is not the socket's doing.
    #[inline]
    pub(super) fn send(
        &self,
        stream: &TcpStream,
        left: u64,
        most: usize,
    ) -> Result<io::Result<usize>, Fault> {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(most);
        match self {
            Self::Memory { bytes, content } if !content.is_empty() => {
                let from = (bytes.saturating_sub(left) % content.len() as u64) as usize;
                let end = (from + most).min(content.len());
                Ok(rustix::net::send(stream, &content[from..end], SendFlags::NOSIGNAL))
            }
            Self::File(file) => file.send(stream, file.bytes().saturating_sub(left), most),
            Self::Memory { .. } | Self::Bodies => Ok(Ok(0)),
        }
    }

    /// What is told of it beforehand.
    pub(super) fn facts(&self) -> Vec<(FactName, Value)> {
        let from = |text: &str| (SERVED_FROM, Value::Text(text.to_owned()));
        match self {
            Self::Memory { .. } => vec![from("memory")],
            Self::File(file) => {
                let share = file.cached_share().map(|share| (SERVED_CACHED_SHARE, share));
                [from("a file, by sendfile")].into_iter().chain(share).collect()
            }
            Self::Bodies => Vec::new(),
        }
    }

    /// Whether all answers were the same.
    ///
    /// # Errors
    /// If somebody wrote to the file meanwhile.
    pub(super) fn verdict(&self) -> Result<(), Fault> {
        match self {
            Self::File(file) => file.check_unchanged(),
            Self::Memory { .. } | Self::Bodies => Ok(()),
        }
    }

    /// What is told of it in the end.
    pub(super) fn facts_after(&self) -> Vec<(FactName, Value)> {
        let Self::File(file) = self else { return Vec::new() };
        file.cached_share().map(|share| (SERVED_CACHED_SHARE_AFTER, share)).into_iter().collect()
    }
}
