//! The compressors: zstd and LZ4, the C libraries that stores and file systems
//! use, with their working memory kept from block to block.

use std::io;

use engine::fault::Fault;

/// A compressor with its working memory.
pub(super) enum Codec {
    /// zstd of a level.
    Zstd { pack: zstd::bulk::Compressor<'static>, unpack: zstd::bulk::Decompressor<'static> },
    /// LZ4's fast mode, in blocks without a frame.
    Lz4,
}

impl Codec {
    pub(super) fn zstd(level: i32) -> Result<Self, Fault> {
        let failed = |e: io::Error| Fault::system("setting up zstd", e);
        let pack = zstd::bulk::Compressor::new(level).map_err(failed)?;
        Ok(Codec::Zstd { pack, unpack: zstd::bulk::Decompressor::new().map_err(failed)? })
    }

    /// Compresses into `to`, which has room for it; returns how much it became.
    #[inline]
    pub(super) fn pack(&mut self, from: &[u8], to: &mut [u8]) -> Result<usize, Fault> {
        match self {
            Codec::Zstd { pack, .. } => pack.compress_to_buffer(from, to),
            Codec::Lz4 => lz4::block::compress_to_buffer(from, None, false, to),
        }
        .map_err(|e| Fault::system("compressing a block", e))
    }

    /// Decompresses into `to`, which is as long as what was compressed.
    #[inline]
    pub(super) fn unpack(&mut self, from: &[u8], to: &mut [u8]) -> Result<usize, Fault> {
        match self {
            Codec::Zstd { unpack, .. } => unpack.decompress_to_buffer(from, to),
            Codec::Lz4 => lz4::block::decompress_to_buffer(from, i32::try_from(to.len()).ok(), to),
        }
        .map_err(|e| Fault::system("decompressing a block", e))
    }

    /// How large `bytes` can become.
    pub(super) fn bound(bytes: usize) -> usize {
        // LZ4_compressBound and ZSTD_compressBound, whichever is larger, and a
        // little more: bytes / 255 + 16 and bytes / 256 + 64.
        bytes + bytes / 255 + 128
    }
}
