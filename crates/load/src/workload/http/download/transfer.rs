//! How bytes come from the socket to where they go.

use model::parameter::Word;

/// A way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    /// By a buffer of this program (recv(2), pwrite(2)).
    Buffer,
    /// By a pipe of the kernel (splice(2)).
    Splice,
    /// By two buffers and a ring (`io_uring`).
    Ring,
}

impl Transfer {
    /// Every way, in documentation order.
    const ALL: [Self; 3] = [Self::Buffer, Self::Splice, Self::Ring];

    /// The words for them.
    pub(super) const WORDS: &'static [Word] = &[Self::Buffer.word(), Self::Splice.word(), Self::Ring.word()];

    const fn word(self) -> Word {
        match self {
            Self::Buffer => Word { word: "buffer", doc: "via a buffer of this program, as most clients do" },
            Self::Splice => Word {
                word: "splice",
                doc: "via a kernel pipe (splice(2)): only with http:// and the page cache, and not with chunks",
            },
            Self::Ring => Word {
                word: "io_uring",
                doc: "via a ring that receives into one buffer while another is written: only with http://; \
                      chunks are received without it",
            },
        }
    }

    /// The one that `word` stands for.
    pub(super) fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == word)
    }

    /// Its word.
    pub(super) fn name(self) -> &'static str {
        self.word().word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_found_by_its_word() {
        assert_eq!(Transfer::WORDS.len(), Transfer::ALL.len());
        for (way, word) in Transfer::ALL.into_iter().zip(Transfer::WORDS) {
            assert_eq!(Transfer::find(word.word), Some(way));
        }
        assert_eq!(Transfer::find("sendfile"), None);
    }
}
