//! Reading back around the page cache what was written.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use engine::drive::WorkerContext;
use engine::fault::Fault;

use crate::workload::disk::reopen::{self, OpenMode};
use crate::workload::memory::buffer::Buffer;

/// Bytes that are read at once at most.
const CHUNK: u64 = 1 << 20;
/// Bytes that were not written are read too, as long as it saves another read.
const GAP: u64 = 64 << 10;
/// What O_DIRECT wants at most: offsets and lengths are multiples of it.
const ALIGN: u64 = 4096;

/// A target's files, opened for reading them back.
#[derive(Debug)]
pub(super) struct ReadBack {
    files: Vec<File>,
    /// Bytes of each file, 0 where there is one.
    file_bytes: u64,
    /// Whether the page cache has no part in it.
    pub(super) direct: bool,
    buffer: Buffer,
    /// Of each so many bytes ([`ALIGN`]) whether they could be read.
    readable: Vec<bool>,
}

/// A part of one file that was read.
#[derive(Debug)]
pub(super) struct ReadPiece<'a> {
    /// The first byte, counted through all files.
    pub(super) at: u64,
    pub(super) file: usize,
    /// Where it begins in that file.
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
    /// Where the buffer's first byte lies in the file.
    first: u64,
    readable: &'a [bool],
}

impl ReadPiece<'_> {
    /// So many bytes from byte `from` of the piece on, if they could be read.
    pub(super) fn part(&self, from: usize, bytes: usize) -> Option<&[u8]> {
        let chunk = (self.offset + from as u64 - self.first) / ALIGN;
        if !self.readable.get(chunk as usize).copied().unwrap_or_default() {
            return None;
        }
        self.bytes.get(from..from + bytes)
    }
}

impl ReadBack {
    /// Opens `files` once more so that the device answers: around the page
    /// cache, or where the file system cannot do that, after what it holds was
    /// dropped.
    pub(super) fn open(files: &[File], file_bytes: u64, name: &str) -> Result<Self, Fault> {
        let open = |direct: bool| {
            let how = OpenMode { direct, write: false, dsync: false };
            files.iter().map(|file| reopen::reopen(file, how, name)).collect::<Result<Vec<_>, _>>()
        };
        let (files, direct) = match open(true) {
            Ok(files) => (files, true),
            Err(_) => {
                files.iter().try_for_each(reopen::forget_cached)?;
                (open(false)?, false)
            }
        };
        let buffer = Buffer::new((CHUNK + 2 * ALIGN) as usize)?;
        Ok(Self { files, file_bytes, direct, buffer, readable: Vec::new() })
    }

    /// Reads all of `start` to `end` (counted through all files) that is
    /// `wanted`, told by units of so many bytes, and shows it piece by piece.
    pub(super) fn read(
        &mut self,
        (start, end, unit): (u64, u64, u64),
        wanted: &dyn Fn(u64) -> bool,
        life: &WorkerContext<'_>,
        show: &mut dyn FnMut(ReadPiece<'_>),
    ) -> Result<(), Fault> {
        let mut at = start;
        while at < end {
            if !wanted(at) {
                at += unit - (at - start) % unit;
                continue;
            }
            let limit = (at + CHUNK).min(end).min(self.file_end(at));
            let until = far(at, limit, start, unit, wanted);
            life.beat()?;
            self.piece(at, until, show)?;
            at = until;
        }
        Ok(())
    }

    /// Where the file ends in which byte `at` lies.
    fn file_end(&self, at: u64) -> u64 {
        at.checked_div(self.file_bytes).map_or(u64::MAX, |file| (file + 1) * self.file_bytes)
    }

    fn piece(&mut self, at: u64, until: u64, show: &mut dyn FnMut(ReadPiece<'_>)) -> Result<(), Fault> {
        let (file, offset) = match self.file_bytes {
            0 => (0, at),
            bytes => ((at / bytes) as usize, at % bytes),
        };
        let first = offset / ALIGN * ALIGN;
        let end = (offset + (until - at)).next_multiple_of(ALIGN);
        let length = (end - first) as usize;
        let opened = self.files.get(file).ok_or_else(|| Fault::Other(format!("there is no file {file}")))?;
        let buffer = &mut self.buffer.as_mut_slice()[..length];
        // What lies behind the end of the file holds nothing of ours.
        buffer.fill(0);
        self.readable.clear();
        let pieces = length / ALIGN as usize;
        if read(opened, buffer, first).is_ok() {
            self.readable.resize(pieces, true);
        } else {
            // Which of them it is that cannot be read.
            let each = (first..).step_by(ALIGN as usize).zip(buffer.chunks_mut(ALIGN as usize));
            self.readable.extend(each.map(|(at, part)| read(opened, part, at).is_ok()));
        }
        let from = (offset - first) as usize;
        let bytes = &buffer[from..from + (until - at) as usize];
        show(ReadPiece { at, file, offset, bytes, first, readable: &self.readable });
        Ok(())
    }
}

/// How far reading goes that begins at `at`: until a gap is worth another read.
fn far(at: u64, limit: u64, start: u64, unit: u64, wanted: &dyn Fn(u64) -> bool) -> u64 {
    let mut until = at;
    let mut next = at;
    while next < limit && next - until <= GAP {
        let end = (next + unit - (next - start) % unit).min(limit);
        if wanted(next) {
            until = end;
        }
        next = end;
    }
    until
}

/// Reads into all of `buffer`, or as far as the file goes.
fn read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], offset + done as u64) {
            Ok(0) => break,
            // O_DIRECT goes on only where it is aligned: a piece of less is the
            // end of the file.
            Ok(n) if !n.is_multiple_of(512) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use engine::drive::Heartbeat;

    /// The pieces that are read of `bytes` bytes in files of `file_bytes`.
    fn pieces(
        file_bytes: u64,
        range: (u64, u64, u64),
        wanted: &dyn Fn(u64) -> bool,
    ) -> Vec<(u64, usize, u64, u64)> {
        let folder = tempfile::tempdir_in(".").unwrap();
        let count = if file_bytes == 0 { 1 } else { 4 };
        let files: Vec<File> = (0..count)
            .map(|number| {
                let path = folder.path().join(number.to_string());
                let bytes = if file_bytes == 0 { range.1 } else { file_bytes };
                let content: Vec<u8> = (0..bytes).map(|i| (i / 512) as u8 ^ number).collect();
                std::fs::write(&path, content).unwrap();
                File::open(path).unwrap()
            })
            .collect();
        let mut back = ReadBack::open(&files, file_bytes, "files").unwrap();
        let (pulse, off) = (Heartbeat::default(), AtomicBool::new(false));
        let mut all = Vec::new();
        back.read(range, wanted, &WorkerContext { pulse: &pulse, off: &off }, &mut |piece| {
            for from in (0..piece.bytes.len()).step_by(512) {
                let part = piece.part(from, 512).unwrap();
                let expected = ((piece.offset + from as u64) / 512) as u8 ^ piece.file as u8;
                assert_eq!(part, [expected; 512], "{} + {from}", piece.at);
            }
            all.push((piece.at, piece.file, piece.offset, piece.bytes.len() as u64));
        })
        .unwrap();
        all
    }

    #[test]
    fn what_is_wanted_is_read_in_large_pieces_and_wide_gaps_are_not() {
        let unit = 4096;
        assert_eq!(
            pieces(0, (0, 3 << 20, unit), &|_| true),
            [(0, 0, 0, 1 << 20), (1 << 20, 0, 1 << 20, 1 << 20), (2 << 20, 0, 2 << 20, 1 << 20)]
        );
        let some = |at: u64| matches!(at / 4096, 1 | 3 | 100);
        assert_eq!(
            pieces(0, (0, 1 << 20, unit), &some),
            [(4096, 0, 4096, 12288), (409_600, 0, 409_600, 4096)]
        );
        // Blocks that are no multiple of what O_DIRECT wants, in a file that is
        // none either.
        let odd = |at: u64| matches!((at - 512) / 512, 3 | 19);
        assert_eq!(pieces(0, (512, 512 * 21, 512), &odd), [(2048, 0, 2048, 512 * 17)]);
    }

    #[test]
    fn a_piece_ends_with_its_file() {
        assert_eq!(
            pieces(8192, (4096, 24576, 4096), &|_| true),
            [(4096, 0, 4096, 4096), (8192, 1, 0, 8192), (16384, 2, 0, 8192)]
        );
    }

    #[test]
    fn reading_back_stops_when_told_to() {
        let file = tempfile::tempfile_in(".").unwrap();
        file.set_len(1 << 20).unwrap();
        let mut back = ReadBack::open(&[file], 0, "a file").unwrap();
        let (pulse, off) = (Heartbeat::default(), AtomicBool::new(true));
        let life = WorkerContext { pulse: &pulse, off: &off };
        let result = back.read((0, 1 << 20, 4096), &|_| true, &life, &mut |_| {});
        assert!(matches!(result, Err(Fault::Cancelled)), "{result:?}");
    }
}
