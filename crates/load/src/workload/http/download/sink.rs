//! Where what comes goes: a file without a name, or nowhere.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use engine::clock;
use engine::fault::Fault;
use model::scalar::binary;
use rustix::fs::{FallocateFlags, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags};

use crate::workload::disk::fixture::nameless;
use crate::workload::http::download::transfer::Transfer;
use crate::workload::http::download::transfer_ring::TransferRing;
use crate::workload::http::stream::Nothing;
use crate::workload::memory::buffer::Buffer;

/// What O_DIRECT wants of addresses, offsets and lengths: a multiple of this serves every device whose
/// logical blocks are no larger.
const BLOCK: usize = 4096;

/// How content is taken.
#[derive(Clone, Debug)]
pub(super) struct SinkOptions {
    /// The folder; none for nowhere.
    pub(super) folder: Option<String>,
    pub(super) direct: bool,
    pub(super) preallocates: bool,
    /// Bytes of the buffer.
    pub(super) buffer: usize,
    /// How it comes here.
    pub(super) transfer: Transfer,
}

/// One file, or none.
#[derive(Debug)]
pub(super) struct Sink {
    options: SinkOptions,
    // The order matters: the ring goes before the file that it writes to.
    ring: Option<TransferRing>,
    file: Option<File>,
    /// One page only where the ring has buffers of its own.
    buffer: Buffer,
    /// Bytes at the front of the buffer that are not written.
    filled: usize,
    /// Where the next byte goes.
    offset: u64,
    pipe: Option<(OwnedFd, OwnedFd)>,
    /// What takes bytes that go nowhere, where they are spliced.
    null: Option<File>,
    /// How long calls that write to the file took, ns.
    spent_ns: u64,
}

impl Sink {
    /// One as it is asked for.
    pub(super) fn new(options: SinkOptions) -> Result<Self, Fault> {
        let file = options.folder.as_deref().map(|folder| nameless(Path::new(folder))).transpose()?;
        let (pipe, null) = if options.transfer == Transfer::Splice {
            let failed = |e| Fault::system("making a pipe", e);
            let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
            // As much as a user may have; less is slower, and no fault.
            let _ = rustix::pipe::fcntl_setpipe_size(&write, options.buffer.max(64 << 10));
            let null = File::options().write(true).open("/dev/null");
            let null = null.map_err(|e| Fault::system("opening /dev/null", e))?;
            (Some((read, write)), file.is_none().then_some(null))
        } else {
            (None, None)
        };
        let bytes = if options.direct { options.buffer.next_multiple_of(BLOCK) } else { options.buffer };
        let by_ring = options.transfer == Transfer::Ring;
        let ring = by_ring.then(|| TransferRing::new(bytes.max(BLOCK), file.as_ref())).transpose()?;
        let buffer = Buffer::new(if by_ring { BLOCK } else { bytes.max(BLOCK) })?;
        let sink = Self {
            options: SinkOptions { buffer: bytes, ..options },
            ring,
            file,
            buffer,
            filled: 0,
            offset: 0,
            pipe,
            null,
            spent_ns: 0,
        };
        sink.set_direct(sink.options.direct)?;
        Ok(sink)
    }

    /// The file, if there is one.
    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Where what comes is kept on its way.
    pub(super) fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        let of_ring = self.ring.iter().flat_map(TransferRing::ranges);
        of_ring.chain([self.buffer.range()]).collect()
    }

    /// How long calls that write to the file took so far, ns.
    pub(super) fn spent_ns(&self) -> u64 {
        self.spent_ns
    }

    /// How bytes come here.
    #[inline]
    pub(super) fn transfer(&self) -> Transfer {
        self.options.transfer
    }

    /// The next content begins, of so many bytes where that is known.
    pub(super) fn begin(&mut self, length: Option<u64>) -> Result<(), Fault> {
        let was_written = self.offset > 0;
        (self.offset, self.filled) = (0, 0);
        let Some(file) = &self.file else { return Ok(()) };
        if was_written {
            self.set_direct(self.options.direct)?;
            return Ok(());
        }
        let Some(length) = length else { return Ok(()) };
        let folder = self.options.folder.as_deref().unwrap_or_default();
        let free = rustix::fs::fstatvfs(file)
            .map(|at| at.f_bavail.saturating_mul(at.f_frsize))
            .map_err(|e| Fault::system(format!("looking how much is free in {folder}"), e))?;
        if length > free {
            return Err(Fault::Other(format!(
                "{folder} has {} free, which is no room for the {} that the server sends",
                binary(free),
                binary(length)
            )));
        }
        if self.options.preallocates && length > 0 {
            rustix::fs::fallocate(file, FallocateFlags::empty(), 0, length).map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    /// Where the next bytes are to be put.
    #[inline]
    pub(super) fn room(&mut self) -> &mut [u8] {
        let (filled, end) = (self.filled, self.options.buffer);
        let buffer = self.ring.as_mut().map_or(&mut self.buffer, TransferRing::buffer);
        &mut buffer.as_mut_slice()[filled..end]
    }

    /// Receives at most `most` bytes from `socket` by the ring into the [room](Self::room), whence they are
    /// [put](Self::put); 0 if no more comes.
    pub(super) fn receive(&mut self, socket: &impl AsFd, most: usize) -> Result<usize, Nothing> {
        let (filled, room) = (self.filled, self.options.buffer - self.filled);
        let ring = self.ring.as_mut().ok_or(Nothing::Broken(Errno::BADF))?;
        ring.receive(socket, filled, most.min(room))
    }

    /// Whether the ring is to receive, and has not.
    pub(super) fn is_receiving(&self) -> bool {
        self.ring.as_ref().is_some_and(TransferRing::is_receiving)
    }

    /// Waits until the ring has received; whether that was before `until_ns`.
    pub(super) fn wait(&mut self, until_ns: u64) -> Result<bool, Fault> {
        let waited = self.ring.as_mut().map_or(Ok(true), |ring| ring.wait(until_ns));
        waited.map_err(|e| Fault::system("receiving by io_uring", e))
    }

    /// So many bytes were put into the [room](Self::room): writes them, once that can be.
    pub(super) fn put(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.file.is_none() {
            return Ok(());
        }
        self.filled += bytes;
        if !self.options.direct || self.filled == self.options.buffer { self.write() } else { Ok(()) }
    }

    /// Takes bytes that lie elsewhere, and writes them once that can be.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.append(bytes)?;
        self.flush()
    }

    /// Takes bytes that lie elsewhere; what fills no buffer is not written before it is
    /// [flushed](Self::flush).
    pub(super) fn append(&mut self, mut bytes: &[u8]) -> Result<(), Fault> {
        if self.file.is_none() {
            return Ok(());
        }
        while !bytes.is_empty() {
            let room = self.room();
            let most = room.len().min(bytes.len());
            room[..most].copy_from_slice(&bytes[..most]);
            bytes = &bytes[most..];
            self.filled += most;
            if self.filled == self.options.buffer {
                self.write()?;
            }
        }
        Ok(())
    }

    /// Writes what was appended, where that can be before the buffer is full.
    pub(super) fn flush(&mut self) -> Result<(), Fault> {
        if self.filled > 0 && !self.options.direct { self.write() } else { Ok(()) }
    }

    /// All of the content came: writes what is left of it.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        if self.filled > 0 {
            if self.options.direct && !self.filled.is_multiple_of(BLOCK) {
                // The last block is not whole.
                self.settle()?;
                self.set_direct(false)?;
            }
            self.write()?;
        }
        self.settle()
    }

    /// Waits until what is handed over is written.
    pub(super) fn settle(&mut self) -> Result<(), Fault> {
        let Some(ring) = &mut self.ring else { return Ok(()) };
        let begun_ns = clock::now_ns();
        let settled = ring.settle();
        self.spent_ns += clock::now_ns().saturating_sub(begun_ns);
        settled.map_err(|e| self.failed(e))
    }

    fn write(&mut self) -> Result<(), Fault> {
        let Self { ring, file, buffer, filled, offset, spent_ns, .. } = self;
        let bytes = std::mem::take(filled);
        let Some(file) = file.as_ref().filter(|_| bytes > 0) else { return Ok(()) };
        let begun_ns = clock::now_ns();
        let written = match ring {
            Some(ring) => {
                *offset += bytes as u64;
                ring.write(bytes, *offset - bytes as u64)
            }
            None => write_all(file, &buffer.as_mut_slice()[..bytes], offset),
        };
        *spent_ns += clock::now_ns().saturating_sub(begun_ns);
        written.map_err(|e| self.failed(e))
    }

    /// Moves at most `most` bytes from `socket`, which has some; 0 if no more comes.
    pub(super) fn splice(&mut self, socket: &impl AsFd, most: u64) -> Result<u64, Splice> {
        let Some((read, write)) = &self.pipe else { return Ok(0) };
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(self.options.buffer);
        let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
        let got = match rustix::pipe::splice(socket, None, write, None, most, flags) {
            Ok(got) => got,
            Err(Errno::AGAIN | Errno::INTR) => return Err(Splice::Came(Nothing::Yet)),
            Err(e) => return Err(Splice::Came(Nothing::Broken(e))),
        };
        let begun_ns = clock::now_ns();
        let mut left = got;
        while left > 0 {
            let result = match (&self.file, &self.null) {
                (Some(file), _) => {
                    rustix::pipe::splice(read, None, file, Some(&mut self.offset), left, SpliceFlags::MOVE)
                }
                (None, Some(null)) => rustix::pipe::splice(read, None, null, None, left, SpliceFlags::MOVE),
                (None, None) => Ok(left),
            };
            match result {
                Ok(moved) if moved > 0 => left -= moved,
                Err(Errno::INTR) => {}
                Ok(_) => return Err(Splice::Went(self.failed(Errno::NOSPC))),
                Err(e) => return Err(Splice::Went(self.failed(e))),
            }
        }
        if self.file.is_some() {
            self.spent_ns += clock::now_ns().saturating_sub(begun_ns);
        }
        Ok(got as u64)
    }

    /// Brings all of it to the device; whether there was anything.
    pub(super) fn sync(&self) -> Result<bool, Fault> {
        let Some(file) = &self.file else { return Ok(false) };
        rustix::fs::fdatasync(file).map_err(|e| self.failed(e))?;
        Ok(true)
    }

    fn set_direct(&self, direct: bool) -> Result<(), Fault> {
        let Some(file) = &self.file else { return Ok(()) };
        let folder = self.options.folder.as_deref().unwrap_or_default();
        let failed = |e: Errno| match e {
            Errno::INVAL => {
                Fault::Other(format!("the file system of {folder} has no O_DIRECT: use direct=no"))
            }
            e => Fault::system(format!("setting O_DIRECT in {folder}"), e),
        };
        let now = fcntl_getfl(file).map_err(failed)?;
        let wanted = if direct { now | OFlags::DIRECT } else { now - OFlags::DIRECT };
        if wanted == now { Ok(()) } else { fcntl_setfl(file, wanted).map_err(failed) }
    }

    #[cold]
    fn failed(&self, error: Errno) -> Fault {
        let folder = self.options.folder.as_deref().unwrap_or("nowhere");
        match error {
            Errno::NOSPC | Errno::DQUOT => Fault::Other(format!(
                "the file system of {folder} is full after {} of the download",
                binary(self.offset)
            )),
            e => Fault::system(format!("writing what was downloaded to {folder}"), e),
        }
    }
}

/// Writes all of `bytes` from `offset` on, which moves behind them.
#[inline]
fn write_all(file: &File, mut bytes: &[u8], offset: &mut u64) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::pwrite(file, bytes, *offset) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(written) => {
                *offset += written as u64;
                bytes = &bytes[written..];
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Why nothing was moved.
#[derive(Debug)]
pub(super) enum Splice {
    /// Nothing came.
    Came(Nothing),
    /// It could not be put where it goes.
    Went(Fault),
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn content(bytes: usize) -> Vec<u8> {
        (0..bytes as u64).map(|place| (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
    }

    fn sink(direct: bool, transfer: Transfer, buffer: usize) -> (tempfile::TempDir, Sink) {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let name = folder.path().to_str().unwrap().to_owned();
        let options = SinkOptions { folder: Some(name), direct, preallocates: true, buffer, transfer };
        (folder, Sink::new(options).unwrap())
    }

    fn held(sink: &Sink, bytes: usize) -> Vec<u8> {
        // Opened anew: what is read here goes through the page cache.
        let path = format!("/proc/self/fd/{}", sink.file().unwrap().as_raw_fd());
        let mut all = vec![0; bytes];
        File::open(path).unwrap().read_exact_at(&mut all, 0).unwrap();
        all
    }

    /// A content after the other, whatever their lengths: all bytes are where they belong.
    #[test]
    fn a_file_holds_what_was_put_into_it() {
        let ways = [Transfer::Buffer, Transfer::Ring].into_iter();
        for (transfer, direct, buffer) in ways.flat_map(|way| [(way, false, 10_000), (way, true, 16 << 10)]) {
            let (_folder, mut sink) = sink(direct, transfer, buffer);
            for bytes in [0, 1, 4096, 100_003, 65_536] {
                let all = content(bytes);
                sink.begin(Some(bytes as u64)).unwrap();
                let (head, rest) = all.split_at(bytes / 7);
                sink.take(head).unwrap();
                for mut piece in rest.chunks(3_001) {
                    while !piece.is_empty() {
                        let room = sink.room();
                        let most = room.len().min(piece.len());
                        room[..most].copy_from_slice(&piece[..most]);
                        sink.put(most).unwrap();
                        piece = &piece[most..];
                    }
                }
                sink.end().unwrap();
                assert!(held(&sink, bytes) == all, "{transfer:?} {direct} {bytes}");
            }
            assert!(sink.sync().unwrap());
        }
    }

    #[test]
    fn what_is_spliced_arrives_in_order() {
        let (_folder, mut sink) = sink(false, Transfer::Splice, 64 << 10);
        let (mut near, far) = UnixStream::pair().unwrap();
        let all = content(500_000);
        let sent = all.clone();
        let sender = std::thread::spawn(move || near.write_all(&sent).unwrap());
        sink.begin(None).unwrap();
        sink.take(&[]).unwrap();
        let mut left = all.len() as u64;
        while left > 0 {
            match sink.splice(&far, left) {
                Ok(bytes) => left -= bytes,
                Err(Splice::Came(Nothing::Yet)) => std::thread::yield_now(),
                Err(other) => panic!("{other:?}"),
            }
        }
        sender.join().unwrap();
        assert!(held(&sink, all.len()) == all);
        // The other end is gone.
        assert!(matches!(sink.splice(&far, 1), Ok(0)));
        let mut nothing = [0; 1];
        assert_eq!((&far).read(&mut nothing).unwrap(), 0);
    }

    /// What a ring received is written where it belongs, and a server that says nothing keeps nobody from going.
    #[test]
    fn what_a_ring_receives_arrives_in_order() {
        for (direct, buffer) in [(false, 10_000), (true, 16 << 10)] {
            let (_folder, mut sink) = sink(direct, Transfer::Ring, buffer);
            let (mut near, far) = UnixStream::pair().unwrap();
            far.set_nonblocking(true).unwrap();
            let all = content(500_003);
            let (head, rest) = all.split_at(1_001);
            sink.begin(Some(all.len() as u64)).unwrap();
            sink.take(head).unwrap();
            let sent = rest.to_vec();
            let sender = std::thread::spawn(move || near.write_all(&sent).map(|()| near).unwrap());
            let mut left = rest.len();
            while left > 0 {
                match sink.receive(&far, left) {
                    Ok(bytes) => {
                        let from = all.len() - left;
                        assert!(sink.room()[..bytes] == all[from..from + bytes], "{direct} {left}");
                        sink.put(bytes).unwrap();
                        left -= bytes;
                    }
                    Err(Nothing::Yet) => {
                        sink.wait(clock::now_ns() + 10_000_000).unwrap();
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
            let near = sender.join().unwrap();
            sink.end().unwrap();
            assert!(held(&sink, all.len()) == all, "{direct}");
            assert!(matches!(sink.receive(&far, 1), Err(Nothing::Yet)));
            drop(sink);
            drop(near);
        }
    }

    #[test]
    fn more_than_is_free_is_refused_beforehand() {
        let (_folder, mut sink) = sink(false, Transfer::Buffer, 4096);
        let fault = sink.begin(Some(1 << 60)).unwrap_err().to_string();
        assert!(fault.contains("no room for the"), "{fault}");
    }
}
