//! Responses as they come in, piece by piece (RFC 9112).

use httparse::Status;

use crate::workload::http::parsed_head::{Parsed, parse};

/// A head may have so many bytes: what nginx, Apache and curl take at most is 8 to 300 KiB.
const HEAD_MOST: usize = 64 << 10;

/// And so many lines.
pub(super) const HEADERS_MOST: usize = 96;

/// The line that says how large a chunk is, with its extensions.
const LINE_MOST: usize = 4 << 10;

/// What the head of a response says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::workload) struct Head {
    /// The three digits.
    pub(in crate::workload) status: u16,
    /// Bytes of the body, where the server says it beforehand.
    pub(in crate::workload) length: Option<u64>,
    /// Where a redirect leads.
    pub(in crate::workload) location: Option<String>,
    /// What the server calls itself.
    pub(in crate::workload) server: Option<String>,
    /// Which version of the content this is (RFC 9110, section 8.8.3).
    pub(in crate::workload) etag: Option<String>,
    /// How the body is coded, where it is.
    pub(in crate::workload) encoding: Option<String>,
    /// Whether more requests may follow on the connection.
    pub(in crate::workload) keeps: bool,
    /// `HTTP/1.x`: x.
    pub(in crate::workload) minor: u8,
    /// Whether it is of HTTP/2, which has no such number.
    pub(in crate::workload) is_http2: bool,
}

impl Head {
    /// Whether it is neither an error nor a redirect.
    pub(in crate::workload) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why bytes are no response of HTTP/1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::workload) enum Malformed {
    #[error("its head has more than {} KiB or {HEADERS_MOST} lines", HEAD_MOST >> 10)]
    LongHead,
    #[error("its head is none of HTTP/1.1")]
    Head,
    #[error("its Content-Length is no number, or several that differ")]
    Length,
    #[error("a Transfer-Encoding that is not `chunked`")]
    Encoding,
    #[error("a chunk of its body is malformed")]
    Chunk,
    #[error("it sent more than it said")]
    Surplus,
}

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::workload) enum Piece<'a> {
    /// The head is whole.
    Head,
    /// Bytes of the body.
    Body(&'a [u8]),
    /// The response is whole.
    End,
    /// Nothing more without more bytes.
    More,
}

/// How far a response came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    /// So many bytes of the body are to come.
    Length(u64),
    /// The body ends with the connection.
    Close,
    ChunkSize,
    /// So many bytes of this chunk are to come.
    Chunk(u64),
    /// So many bytes of the line end behind a chunk.
    ChunkEnd(u8),
    Trailer,
    Done,
}

/// Reads responses, one after the other.
#[derive(Debug)]
pub(in crate::workload) struct Reader {
    state: State,
    /// What came of a head, or of a line, that is not whole.
    kept: Vec<u8>,
    head: Head,
    /// Whether the request was one for the head only.
    head_only: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self { state: State::Done, kept: Vec::new(), head: Head::default(), head_only: false }
    }
}

impl Reader {
    /// The next response begins, to a request of the head only or not.
    #[inline]
    pub(in crate::workload) fn begin(&mut self, head_only: bool) {
        self.state = State::Head;
        self.kept.clear();
        self.head_only = head_only;
    }

    /// The last head that was whole.
    pub(in crate::workload) fn head(&self) -> &Head {
        &self.head
    }

    /// Bytes of the body that are still to come, where that is known.
    pub(in crate::workload) fn left(&self) -> Option<u64> {
        match self.state {
            State::Length(left) => Some(left),
            _ => None,
        }
    }

    /// So many bytes of the body were taken past this reader; no more than are [left](Self::left),
    /// or any number where the body ends with the connection.
    pub(in crate::workload) fn skip(&mut self, bytes: u64) -> bool {
        if let State::Length(left) = &mut self.state {
            *left = left.saturating_sub(bytes);
            if *left == 0 {
                self.state = State::Done;
            }
        }
        self.state == State::Done
    }

    /// Whether all of the response was taken.
    pub(in crate::workload) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether what comes next is plain body, without anything between.
    pub(in crate::workload) fn is_plain_body(&self) -> bool {
        matches!(self.state, State::Length(_) | State::Close)
    }

    /// Whether a connection that ends now makes the response whole.
    pub(in crate::workload) fn ends_with_connection(&self) -> bool {
        matches!(self.state, State::Close | State::Done)
    }

    /// Takes what comes next from the front of `bytes`.
    ///
    /// # Errors
    /// If it is no response.
    #[inline]
    pub(in crate::workload) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Result<Piece<'a>, Malformed> {
        loop {
            match &mut self.state {
                State::Done => {
                    return if bytes.is_empty() { Ok(Piece::End) } else { Err(Malformed::Surplus) };
                }
                State::Length(0) => self.state = State::Done,
                _ if bytes.is_empty() => return Ok(Piece::More),
                State::Length(left) | State::Chunk(left) if *left > 0 => {
                    let most = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    let (body, rest) = bytes.split_at(most);
                    *left -= most as u64;
                    *bytes = rest;
                    return Ok(Piece::Body(body));
                }
                State::Length(_) => {}
                State::Chunk(_) => self.state = State::ChunkEnd(2),
                State::Close => return Ok(Piece::Body(std::mem::take(bytes))),
                State::Head => {
                    if let Some(whole) = self.read_head(bytes)? {
                        self.state = whole;
                        return Ok(Piece::Head);
                    }
                }
                State::ChunkSize => self.read_chunk_size(bytes)?,
                State::ChunkEnd(left) => {
                    if bytes[0] != if *left == 2 { b'\r' } else { b'\n' } {
                        return Err(Malformed::Chunk);
                    }
                    *bytes = &bytes[1..];
                    *left -= 1;
                    if *left == 0 {
                        self.state = State::ChunkSize;
                    }
                }
                State::Trailer => self.read_trailer(bytes)?,
            }
        }
    }

    /// The state after the head, once that is whole.
    fn read_head(&mut self, bytes: &mut &[u8]) -> Result<Option<State>, Malformed> {
        // Mostly all of it comes at once.
        let before = self.kept.len();
        let of = if before == 0 {
            bytes.len()
        } else {
            let room = (HEAD_MOST + 1).saturating_sub(before).min(bytes.len());
            self.kept.extend_from_slice(&bytes[..room]);
            room
        };
        let whole = *bytes;
        let front = if before == 0 { whole } else { &self.kept[..] };
        let Some(parsed) = parse(front)? else {
            if before == 0 {
                self.kept.extend_from_slice(bytes);
            }
            if self.kept.len() > HEAD_MOST {
                return Err(Malformed::LongHead);
            }
            *bytes = &bytes[of..];
            return Ok(None);
        };
        let Parsed { status, used, .. } = parsed;
        let framing = match parsed.length {
            _ if parsed.is_chunked => State::ChunkSize,
            Some(length) => State::Length(length),
            None => State::Close,
        };
        // 1xx are followed by the response itself (RFC 9110, section 15.2).
        if status >= 200 {
            parsed.put_into(&mut self.head);
        }
        *bytes = &bytes[used.saturating_sub(before)..];
        self.kept.clear();
        if status < 200 {
            return Ok(None);
        }
        let has_no_body = self.head_only || matches!(status, 204 | 304);
        if framing == State::Close && !has_no_body {
            self.head.keeps = false;
        }
        Ok(Some(if has_no_body { State::Length(0) } else { framing }))
    }

    fn read_chunk_size(&mut self, bytes: &mut &[u8]) -> Result<(), Malformed> {
        let Some(line) = self.line(bytes)? else { return Ok(()) };
        match httparse::parse_chunk_size(&line) {
            // No digit is no size.
            _ if !line[0].is_ascii_hexdigit() => return Err(Malformed::Chunk),
            Ok(Status::Complete((_, 0))) => self.state = State::Trailer,
            Ok(Status::Complete((_, size))) => self.state = State::Chunk(size),
            _ => return Err(Malformed::Chunk),
        }
        Ok(())
    }

    fn read_trailer(&mut self, bytes: &mut &[u8]) -> Result<(), Malformed> {
        while let Some(line) = self.line(bytes)? {
            if matches!(line.as_slice(), b"\r\n" | b"\n") {
                self.state = State::Done;
                break;
            }
        }
        Ok(())
    }

    /// The next line with its end, once that is there.
    fn line(&mut self, bytes: &mut &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
        let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        let (piece, rest) = bytes.split_at(end);
        self.kept.extend_from_slice(piece);
        *bytes = rest;
        if self.kept.len() > LINE_MOST {
            return Err(Malformed::Chunk);
        }
        Ok(self.kept.ends_with(b"\n").then(|| std::mem::take(&mut self.kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of `bytes` that arrive `step` at a time: heads, body and how it ended.
    fn read(bytes: &[u8], step: usize, head_only: bool) -> Result<(Head, Vec<u8>, bool), Malformed> {
        let mut reader = Reader::default();
        reader.begin(head_only);
        let mut body = Vec::new();
        let mut whole = false;
        for piece in bytes.chunks(step) {
            let mut rest = piece;
            loop {
                match reader.next(&mut rest)? {
                    Piece::Head => {}
                    Piece::Body(more) => body.extend_from_slice(more),
                    Piece::End => {
                        whole = true;
                        break;
                    }
                    Piece::More => break,
                }
            }
        }
        Ok((reader.head().clone(), body, whole || reader.ends_with_connection()))
    }

    const STEPS: [usize; 5] = [1, 2, 7, 64, 1 << 20];

    #[test]
    fn bodies_of_every_framing_come_whole_however_they_are_cut() {
        let cases: [(&[u8], &[u8]); 6] = [
            (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nA: b\r\n\r\n",
                b"hello0123456789abcdef",
            ),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
            (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
            (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b""),
        ];
        for (bytes, body) in cases {
            for step in STEPS {
                let (head, got, whole) = read(bytes, step, false).unwrap();
                assert_eq!((got.as_slice(), whole), (body, true), "{step}: {head:?}");
                assert!(head.is_success());
            }
        }
    }

    #[test]
    fn the_head_says_whether_more_may_follow() {
        let keeps = |bytes: &[u8]| read(bytes, 1 << 20, false).unwrap().0.keeps;
        assert!(keeps(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        assert!(!keeps(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
        assert!(!keeps(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"));
        assert!(keeps(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n"));
        let both =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n";
        assert!(!keeps(both.as_bytes()), "close counts, wherever it stands");
        // A body that ends with the connection.
        assert!(!keeps(b"HTTP/1.1 200 OK\r\n\r\n"));
        let (head, body, whole) =
            read(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 1 << 20, true).unwrap();
        assert_eq!((head.length, body.len(), whole), (Some(9), 0, true), "a head that was asked for alone");
    }

    #[test]
    fn a_head_says_nothing_of_the_one_before() {
        let mut reader = Reader::default();
        let mut of = |head: &[u8]| {
            reader.begin(false);
            let mut rest = head;
            assert_eq!(reader.next(&mut rest), Ok(Piece::Head));
            reader.head().clone()
        };
        let first = of(b"HTTP/1.1 302 Found\r\nServer: a\r\nETag:  \"1\" \r\nLocation: /b\r\n\
              Content-Length: 3\r\n\r\n");
        assert_eq!(first.server.as_deref(), Some("a"));
        assert_eq!((first.etag.as_deref(), first.location.as_deref()), (Some("\"1\""), Some("/b")));
        assert_eq!((first.status, first.length, first.keeps), (302, Some(3), true));
        let second =
            of(b"HTTP/1.1 200 OK\r\nServer: a\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
        assert_eq!((second.server.as_deref(), second.encoding.as_deref()), (Some("a"), Some("gzip")));
        assert_eq!((second.etag, second.location, second.length), (None, None, None));
        assert_eq!((second.status, second.keeps), (200, false));
        // What is no text of UTF-8 is read as well as it can be.
        assert_eq!(of(b"HTTP/1.1 200 OK\r\nServer: \xff\r\n\r\n").server.as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn what_ends_too_early_is_not_whole() {
        let (_, body, whole) = read(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", 3, false).unwrap();
        assert_eq!((body.as_slice(), whole), (b"hello".as_slice(), false));
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        assert!(!read(chunked, 3, false).unwrap().2);
    }

    #[test]
    fn what_is_no_response_is_told_apart() {
        let wrong = |bytes: &[u8]| STEPS.map(|step| read(bytes, step, false).unwrap_err());
        let all = |each: Malformed| [each; STEPS.len()];
        assert_eq!(wrong(b"SSH-2.0-OpenSSH_9.2\r\n"), all(Malformed::Head));
        assert_eq!(
            wrong(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            all(Malformed::Length)
        );
        assert_eq!(wrong(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), all(Malformed::Length));
        assert_eq!(wrong(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), all(Malformed::Encoding));
        assert_eq!(
            wrong(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n"),
            all(Malformed::Chunk)
        );
        assert_eq!(
            wrong(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n"),
            all(Malformed::Chunk)
        );
        assert_eq!(wrong(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"), all(Malformed::Surplus));
        let mut huge = b"HTTP/1.1 200 OK\r\nX: ".to_vec();
        huge.resize(HEAD_MOST + 100, b'x');
        assert_eq!(wrong(&huge), all(Malformed::LongHead));
        let mut many = b"HTTP/1.1 200 OK\r\n".to_vec();
        (0..200).for_each(|_| many.extend_from_slice(b"X: y\r\n"));
        many.extend_from_slice(b"\r\n");
        assert_eq!(wrong(&many), all(Malformed::LongHead));
    }

    proptest::proptest! {
        /// Whatever comes, nothing panics, and all is taken or refused.
        #[test]
        fn any_bytes_end(bytes: Vec<u8>, step in 1_usize..64) {
            let _ = read(&bytes, step, false);
            let mut framed = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            framed.extend_from_slice(&bytes);
            let _ = read(&framed, step, false);
        }
    }
}
