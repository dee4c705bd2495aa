//! Where the bytes that a TCP stream sends lie, and how they come to the socket.

use std::net::TcpStream;
use std::os::fd::OwnedFd;

use engine::fault::Fault;
use model::parameter::Word;
use model::value::ParameterError;
use model::{FactName, Parameters, Value};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::workload::memory::buffer::Buffer;
use crate::workload::named;
use crate::workload::net::stream::message::Message;
use crate::workload::net::stream::ring::SendRing;

/// How bytes come from the sender's memory to the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload::net) enum Way {
    /// The kernel copies them (send(2)).
    Copied,
    /// It sends the pages of a file in memory (sendfile(2)).
    Sendfile,
    /// It sends the pages of the process (`MSG_ZEROCOPY`).
    Message,
    /// Likewise, by a ring (`IORING_OP_SEND_ZC`).
    Ring,
}

/// The words of `zero-copy-by`.
pub(super) const WORDS: &[Word] = &[
    Word { word: "sendfile", doc: "the pages of a file in memory (sendfile), as iperf3 -Z does" },
    Word { word: "msg-zerocopy", doc: "the pages of the process, with send and MSG_ZEROCOPY (Linux 4.14)" },
    Word { word: "io_uring", doc: "the pages of the process, with io_uring's SEND_ZC (Linux 6.0)" },
];

impl Way {
    /// The way that `parameters` ask for.
    ///
    /// # Errors
    /// If one has the wrong type.
    pub(super) fn of(parameters: &Parameters) -> Result<Self, ParameterError> {
        if !parameters.flag(named("zero-copy"))? {
            return Ok(Way::Copied);
        }
        Ok(match parameters.given(named("zero-copy-by"), Parameters::text)? {
            Some("msg-zerocopy") => Way::Message,
            Some("io_uring") => Way::Ring,
            _ => Way::Sendfile,
        })
    }
}

/// Where the bytes to be sent lie.
#[derive(Debug)]
pub(in crate::workload::net) enum Source {
    /// In memory of this process, from which the kernel copies them.
    Memory(Buffer),
    /// In a file in memory.
    File(OwnedFd),
    /// In memory of this process, which the kernel reads later.
    Message(Message),
    /// Likewise, by a ring.
    Ring(SendRing),
}

impl Source {
    /// `bytes` bytes that no link makes shorter, for `stream`.
    ///
    /// # Errors
    /// If the kernel does not know the way, or has no memory.
    pub(in crate::workload::net) fn new(
        stream: &TcpStream,
        bytes: usize,
        way: Way,
        seed: u64,
    ) -> Result<Self, Fault> {
        let mut buffer = Buffer::new(bytes)?;
        Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut buffer.as_mut_slice()[..bytes]);
        Ok(match way {
            Way::Copied => Source::Memory(buffer),
            Way::Sendfile => Source::File(file(&buffer.as_mut_slice()[..bytes])?),
            Way::Message => Source::Message(Message::new(stream, buffer)?),
            Way::Ring => Source::Ring(SendRing::new(stream, buffer)?),
        })
    }

    /// Where the bytes lie, if in memory of this process that the kernel copies.
    pub(super) fn range(&self) -> Option<std::ops::Range<*const u8>> {
        match self {
            Source::Memory(buffer) => Some(buffer.range()),
            _ => None,
        }
    }

    /// Hands up to `bytes` bytes to the socket; as many as it took.
    #[inline]
    pub(super) fn send(&mut self, stream: &TcpStream, bytes: usize) -> rustix::io::Result<usize> {
        match self {
            Source::Memory(buffer) => {
                rustix::net::send(stream, &buffer.as_mut_slice()[..bytes], SendFlags::NOSIGNAL)
            }
            Source::File(file) => rustix::fs::sendfile(stream, file, Some(&mut 0), bytes),
            Source::Message(message) => message.send(stream, bytes),
            Source::Ring(ring) => ring.send(bytes),
        }
    }

    /// Waits until nothing of it is under way to the socket, so that something else can follow.
    ///
    /// # Errors
    /// [`Errno::AGAIN`] if that takes longer than a look; whatever a send may fail with.
    pub(super) fn settle(&mut self) -> rustix::io::Result<()> {
        match self {
            Source::Ring(ring) => ring.settle(),
            Source::Memory(_) | Source::File(_) | Source::Message(_) => Ok(()),
        }
    }

    /// What the kernel did with it.
    pub(super) fn facts(&self) -> Option<(FactName, Value)> {
        match self {
            Source::Message(message) => message.told(),
            Source::Ring(ring) => ring.told(),
            Source::Memory(_) | Source::File(_) => Told::default(),
        }
        .share()
        .map(|share| (FactName::new("copied_share"), Value::Number(share)))
    }
}

/// What the kernel told of calls that it was to send without copying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Calls whose bytes it needs no more.
    pub(super) calls: u64,
    /// Those of them that it copied after all.
    pub(super) copied: u64,
}

impl Told {
    /// The share of the calls that it copied after all; absent where it told of none.
    fn share(self) -> Option<f64> {
        (self.calls > 0).then(|| self.copied as f64 / self.calls as f64)
    }
}

/// A file in memory that holds `content`.
fn file(content: &[u8]) -> Result<OwnedFd, Fault> {
    let failed = |e: Errno| Fault::system("making a file in memory to send from", e);
    let file = rustix::fs::memfd_create(c"headroom-send", MemfdFlags::CLOEXEC).map_err(failed)?;
    let mut left = content;
    while !left.is_empty() {
        let written = rustix::io::write(&file, left).map_err(failed)?;
        left = &left[written..];
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 10_000;

    #[test]
    fn all_ways_send_the_same_bytes() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut got = Vec::new();
        for way in [Way::Copied, Way::Sendfile, Way::Message, Way::Ring] {
            let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (mut far, _) = listener.accept().unwrap();
            let reader = std::thread::spawn(move || {
                let mut all = Vec::new();
                std::io::Read::read_to_end(&mut far, &mut all).unwrap();
                all
            });
            let mut source = Source::new(&near, BYTES, way, 7).unwrap();
            let mut sent = 0;
            for _ in 0..500 {
                let now = loop {
                    match source.send(&near, BYTES) {
                        Err(Errno::AGAIN) => {}
                        other => break other.unwrap(),
                    }
                };
                sent += now;
            }
            source.settle().unwrap();
            if matches!(way, Way::Message | Way::Ring) {
                let (name, share) = source.facts().unwrap();
                // Loopback has no interface that could read the pages later.
                assert_eq!((name.as_str(), share), ("copied_share", Value::Number(1.0)), "{way:?}");
            }
            near.shutdown(std::net::Shutdown::Write).unwrap();
            let all = reader.join().unwrap();
            assert_eq!(all.len(), sent, "{way:?}");
            got.push(all[..BYTES].to_vec());
        }
        assert!(got.iter().all(|bytes| *bytes == got[0]));
        assert!(got[0].iter().any(|b| *b != got[0][0]), "not all alike");
    }

    #[test]
    fn a_socket_that_takes_no_more_says_so_in_every_way() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        for way in [Way::Copied, Way::Sendfile, Way::Message, Way::Ring] {
            let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (_far, _) = listener.accept().unwrap();
            near.set_nonblocking(true).unwrap();
            let mut source = Source::new(&near, BYTES, way, 7).unwrap();
            let refused = (0..100_000).find_map(|_| source.send(&near, BYTES).err());
            assert_eq!(refused, Some(Errno::AGAIN), "{way:?}");
        }
    }
}
