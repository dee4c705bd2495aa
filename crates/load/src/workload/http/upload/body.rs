//! What is sent: random bytes, others in every block, or those of a file.

use std::fs::File;
use std::ops::Range;

use engine::fault::Fault;
use rustix::io::Errno;

use crate::workload::disk::content::{Content, Source};
use crate::workload::http::stream::{Nothing, Stream};

/// Why nothing of a body was sent.
#[derive(Debug)]
pub(super) enum Unsent {
    /// The connection takes nothing.
    Stream(Nothing),
    /// There is nothing to be sent.
    Body(Fault),
}

impl From<Nothing> for Unsent {
    fn from(nothing: Nothing) -> Self {
        Self::Stream(nothing)
    }
}

/// Where bytes come from.
#[derive(Debug)]
enum Origin {
    /// They are made, block by block: the number of the next one.
    Made(Source, u64),
    /// A file, by its name.
    File(File, String),
}

/// The bodies of one stream, one after the other.
#[derive(Debug)]
pub(super) struct Body {
    origin: Origin,
    /// What was made or read.
    buffer: Vec<u8>,
    /// What of it is not sent.
    ready: Range<usize>,
    /// Bytes of this body that were handed over.
    sent: u64,
}

impl Body {
    /// Bodies of random bytes, `buffer` at a time.
    pub(super) fn random(buffer: usize, seed: u64) -> Self {
        Self::of(Origin::Made(Source::new(Content::Random, seed), 0), buffer)
    }

    /// Bodies from the front of `file`, which is at `path`.
    pub(super) fn file(file: File, path: &str, buffer: usize) -> Self {
        Self::of(Origin::File(file, path.to_owned()), buffer)
    }

    fn of(origin: Origin, buffer: usize) -> Self {
        Self { origin, buffer: vec![0; buffer.max(1)], ready: 0..0, sent: 0 }
    }

    /// The next body begins.
    pub(super) fn begin(&mut self) {
        (self.ready, self.sent) = (0..0, 0);
    }

    /// Bytes of this body that were handed over.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// Hands over, by one call, what can be of a body of `bytes` bytes.
    ///
    /// # Errors
    /// If nothing can.
    pub(super) fn send(&mut self, stream: &mut Stream, bytes: u64) -> Result<(), Unsent> {
        let left = bytes.saturating_sub(self.sent);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(self.buffer.len());
        if let Origin::File(file, path) = &self.origin
            && stream.is_plain()
        {
            // The kernel moves pages of the file by itself.
            let mut from = self.sent;
            return match rustix::fs::sendfile(&*stream, file, Some(&mut from), most) {
                Ok(0) if most > 0 => Err(Unsent::Body(shorter(path, self.sent, bytes))),
                Ok(sent) => {
                    self.sent += sent as u64;
                    Ok(())
                }
                Err(Errno::INTR) => Ok(()),
                Err(Errno::AGAIN) => Err(Nothing::Yet.into()),
                Err(e @ (Errno::PIPE | Errno::CONNRESET | Errno::TIMEDOUT)) => Err(Nothing::Broken(e).into()),
                Err(e) => Err(Unsent::Body(Fault::system(format!("sending {path} by sendfile"), e))),
            };
        }
        if self.ready.is_empty() {
            self.ready = self.make(most, bytes).map_err(Unsent::Body)?;
        }
        let sent = stream.send(&self.buffer[self.ready.clone()])?;
        self.ready.start += sent;
        self.sent += sent as u64;
        Ok(())
    }

    /// Puts the next bytes into the buffer, at most `most`; where they are.
    fn make(&mut self, most: usize, bytes: u64) -> Result<Range<usize>, Fault> {
        let room = &mut self.buffer[..most];
        match &mut self.origin {
            Origin::Made(source, number) => {
                source.fill(room, *number);
                *number += 1;
                Ok(0..most)
            }
            Origin::File(file, path) => {
                let read = rustix::io::retry_on_intr(|| rustix::io::pread(&*file, &mut *room, self.sent));
                match read.map_err(|e| Fault::system(format!("reading {path}"), e))? {
                    0 if most > 0 => Err(shorter(path, self.sent, bytes)),
                    read => Ok(0..read),
                }
            }
        }
    }
}

/// The fault of a file that ends before it should.
fn shorter(path: &str, got: u64, wanted: u64) -> Fault {
    Fault::Short { what: format!("{path} became shorter while it was sent: an upload"), got, wanted }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// What arrives of a body, sent over a plain connection.
    fn arrives(body: &mut Body, bytes: u64) -> Vec<u8> {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            far.read_to_end(&mut all).unwrap();
            all
        });
        let mut stream = Stream::new(near.into(), None).unwrap();
        body.begin();
        while body.sent() < bytes {
            match body.send(&mut stream, bytes) {
                Ok(()) => {}
                Err(Unsent::Stream(Nothing::Yet)) => std::thread::yield_now(),
                Err(other) => panic!("{other:?}"),
            }
        }
        drop(stream);
        reader.join().unwrap()
    }

    #[test]
    fn a_body_has_as_many_bytes_as_asked_and_no_two_are_alike() {
        let mut body = Body::random(10_000, 7);
        let bodies: Vec<Vec<u8>> =
            [100_003, 100_003, 1].into_iter().map(|bytes| arrives(&mut body, bytes)).collect();
        assert_eq!(bodies.iter().map(Vec::len).collect::<Vec<_>>(), [100_003, 100_003, 1]);
        assert!(bodies[0] != bodies[1]);
        let zeros = bodies[0].iter().filter(|byte| **byte == 0).count();
        assert!(zeros < 1_000, "{zeros}");
    }

    #[test]
    fn a_file_is_sent_from_its_front_each_time() {
        let content: Vec<u8> = (0..300_000_u32).map(|place| (place % 251) as u8).collect();
        let mut file = tempfile::NamedTempFile::new_in(".").unwrap();
        file.write_all(&content).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let mut body = Body::file(File::open(&path).unwrap(), &path, 4096);
        for bytes in [300_000, 1_000, 300_000] {
            assert!(arrives(&mut body, bytes as u64) == content[..bytes]);
        }
        file.as_file().set_len(10).unwrap();
        let (near, _far) = UnixStream::pair().unwrap();
        let mut stream = Stream::new(near.into(), None).unwrap();
        body.begin();
        body.send(&mut stream, 300_000).unwrap();
        let Err(Unsent::Body(fault)) = body.send(&mut stream, 300_000) else { panic!("it has no more") };
        assert!(fault.to_string().contains("became shorter"), "{fault}");
    }
}
