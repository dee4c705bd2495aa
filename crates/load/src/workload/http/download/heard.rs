//! What a download makes of the bytes that a server sends, without a server: for tests and the fuzzer.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use engine::fault::Fault;

use crate::workload::http::client::Server;
use crate::workload::http::download::exchange::{Exchange, Received, Receiving};
use crate::workload::http::download::http1::Http1;
use crate::workload::http::download::http2::Http2;
use crate::workload::http::download::sink::{Sink, SinkOptions};
use crate::workload::http::download::transfer::Transfer;
use crate::workload::http::headers::Headers;
use crate::workload::http::stream::Stream;
use crate::workload::http::tls::Trust;
use crate::workload::http::url::Url;

/// What the fault of an answer says of which so many turns took in all bytes and found no end.
pub const ENDLESS: &str = "the answer does not end";

/// How long the socket may take nothing: nothing else is on it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Turns beside those that bring bytes.
const TURNS: usize = 1000;

/// What a download makes of `bytes` as the answer to its request when they come in pieces of `cut`: how many
/// bytes of content that is. It does nothing else.
///
/// # Errors
/// Why it is no whole answer.
pub fn heard(bytes: &[u8], cut: usize, is_http2: bool) -> Result<u64, Fault> {
    let cut = cut.max(1);
    if is_http2 { by::<Http2>(bytes, cut) } else { by::<Http1>(bytes, cut) }
}

/// The server.
struct Feed<'a> {
    far: UnixStream,
    left: &'a [u8],
    cut: usize,
    turns: usize,
}

impl Feed<'_> {
    /// Sends the next piece; when there is none, that no more comes.
    fn more(&mut self) -> Result<(), Fault> {
        self.turns = self.turns.checked_sub(1).ok_or_else(|| Fault::Other(ENDLESS.to_owned()))?;
        // What the download says is taken and forgotten.
        let mut room = [0; 4096];
        while self.far.read(&mut room).is_ok_and(|read| read > 0) {}
        let piece = &self.left[..self.cut.min(self.left.len())];
        if piece.is_empty() {
            // That it was said before is no fault.
            let _ = self.far.shutdown(Shutdown::Write);
            return Ok(());
        }
        match self.far.write(piece) {
            Ok(written) => self.left = &self.left[written..],
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // The download has gone.
            Err(_) => self.left = &[],
        }
        Ok(())
    }
}

fn by<E: Exchange>(bytes: &[u8], cut: usize) -> Result<u64, Fault> {
    let failed = |e: std::io::Error| Fault::system("making a pair of sockets", e);
    let (near, far) = UnixStream::pair().map_err(failed)?;
    near.set_nonblocking(true).map_err(failed)?;
    far.set_nonblocking(true).map_err(failed)?;
    let mut feed = Feed { far, left: bytes, cut, turns: 2 * bytes.len().div_ceil(cut) + TURNS };
    let mut server = Server::find(Url::parse("http://127.0.0.1:1/")?, &Trust::Machine, PATIENCE)?;
    E::offer(&mut server);
    let request = E::request(&server.url, &Headers::default())?;
    let stream = Stream::new(near.into(), None).map_err(|e| Fault::Other(e.to_string()))?;
    let mut exchange = E::over(&server, stream, cut)?;
    exchange.ask(&server, &request)?;
    let head = loop {
        feed.more()?;
        if let Some(head) = exchange.listen(&server)? {
            break head;
        }
    };
    let transfer = Transfer::Buffer;
    let options = SinkOptions { folder: None, direct: false, preallocates: false, buffer: cut, transfer };
    let mut sink = Sink::new(options)?;
    sink.begin(head.length)?;
    let mut got = 0;
    let mut is_over = exchange.is_whole();
    while !is_over {
        feed.more()?;
        let of = Receiving { server: &server, sink: &mut sink, digest: None, got };
        if let Some(Received { bytes, is_whole }) = exchange.receive(of)? {
            got += bytes;
            is_over = is_whole;
        }
    }
    sink.end()?;
    Ok(got)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings, the head of an answer (`:status` 200), and content that ends it.
    const HTTP2: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\x04\0\0\0\x01\x88\0\0\x05\0\x01\0\0\0\x01hello";

    const HTTP1: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

    #[test]
    fn an_answer_is_heard_however_it_is_cut() {
        for cut in [1, 3, 64, 4096] {
            assert_eq!(heard(HTTP1, cut, false).unwrap(), 5, "{cut}");
            assert_eq!(heard(HTTP2, cut, true).unwrap(), 5, "{cut}");
        }
        for (bytes, is_http2) in [(HTTP1, false), (HTTP2, true)] {
            let fault = heard(&bytes[..bytes.len() - 1], 4096, is_http2).unwrap_err().to_string();
            assert!(fault.contains("ended") && !fault.contains(ENDLESS), "{fault}");
            assert!(heard(bytes, 7, !is_http2).is_err());
        }
    }

    proptest::proptest! {
        /// The same as the fuzz target, `fuzz/fuzz_targets/http_response.rs`.
        #[test]
        fn any_answer_ends(bytes: Vec<u8>, cut in 1_usize..64, is_http2: bool, from in 0_usize..60) {
            let front = if is_http2 { HTTP2 } else { HTTP1 };
            let all = [&front[..from.min(front.len())], &bytes].concat();
            match heard(&all, cut, is_http2) {
                Ok(got) => proptest::prop_assert!(got <= all.len() as u64),
                Err(fault) => proptest::prop_assert!(!fault.to_string().contains(ENDLESS), "{fault}"),
            }
        }
    }
}
