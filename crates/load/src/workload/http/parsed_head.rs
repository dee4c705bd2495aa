//! The head of a response as it stands in what was received (RFC 9112, sections 4 and 5).

use std::mem::MaybeUninit;

use httparse::{ParserConfig, Status};

use crate::workload::http::response::{HEADERS_MOST, Head, Malformed};

/// A head as it stands in what was received.
pub(super) struct Parsed<'a> {
    pub(super) status: u16,
    minor: u8,
    keeps: bool,
    /// Bytes of the body, where that has no chunks and the server says it.
    pub(super) length: Option<u64>,
    pub(super) is_chunked: bool,
    /// How long the head is.
    pub(super) used: usize,
    location: Option<&'a [u8]>,
    server: Option<&'a [u8]>,
    etag: Option<&'a [u8]>,
    encoding: Option<&'a [u8]>,
}

impl Parsed<'_> {
    /// Puts what it says in the place of what `head` said. One response is mostly as the one before: nothing
    /// is allocated for what stays the same.
    pub(super) fn put_into(&self, head: &mut Head) {
        let put = |kept: &mut Option<String>, found: Option<&[u8]>| {
            if kept.as_deref().map(str::as_bytes) != found {
                *kept = found.map(|text| String::from_utf8_lossy(text).into_owned());
            }
        };
        (head.status, head.minor, head.keeps) = (self.status, self.minor, self.keeps);
        head.length = self.length;
        put(&mut head.location, self.location);
        put(&mut head.server, self.server);
        put(&mut head.etag, self.etag);
        put(&mut head.encoding, self.encoding);
    }
}

/// The head at the front of `bytes`, once it is whole.
///
/// # Errors
/// If it is none.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<Parsed<'_>>, Malformed> {
    // To clear the room for all lines that may come would take longer than to read those that do.
    let mut headers = [MaybeUninit::uninit(); HEADERS_MOST];
    let mut response = httparse::Response::new(&mut []);
    let parser = ParserConfig::default();
    let used = match parser.parse_response_with_uninit_headers(&mut response, bytes, &mut headers) {
        Ok(Status::Complete(used)) => used,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Malformed::LongHead),
        Err(_) => return Err(Malformed::Head),
    };
    let minor = response.version.unwrap_or(1);
    let mut parsed = Parsed {
        status: response.code.unwrap_or(0),
        minor,
        keeps: minor >= 1,
        length: None,
        is_chunked: false,
        used,
        location: None,
        server: None,
        etag: None,
        encoding: None,
    };
    let mut closes = false;
    for header in response.headers.iter() {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        let text = Some(header.value.trim_ascii());
        let has = |word: &str| {
            let words = header.value.split(|byte| *byte == b',');
            words.map(<[u8]>::trim_ascii).any(|each| each.eq_ignore_ascii_case(word.as_bytes()))
        };
        // Longest first tells most headers apart by their lengths.
        match header.name.len() {
            17 if is("transfer-encoding") => {
                if !has("chunked") {
                    return Err(Malformed::Encoding);
                }
                parsed.is_chunked = true;
            }
            14 if is("content-length") => {
                let length = parse_length(header.value).ok_or(Malformed::Length)?;
                if parsed.length.is_some_and(|before| before != length) {
                    return Err(Malformed::Length);
                }
                parsed.length = Some(length);
            }
            16 if is("content-encoding") => parsed.encoding = text,
            10 if is("connection") => {
                // `close` counts whatever stands beside it (RFC 9112, section 9.3).
                closes |= has("close");
                parsed.keeps = !closes && (parsed.keeps || has("keep-alive"));
            }
            8 if is("location") => parsed.location = text,
            4 if is("etag") => parsed.etag = text,
            6 if is("server") => parsed.server = text,
            _ => {}
        }
    }
    if parsed.is_chunked {
        parsed.length = None;
    }
    Ok(Some(parsed))
}

/// Digits and nothing else (RFC 9110, section 8.6).
fn parse_length(value: &[u8]) -> Option<u64> {
    let value = value.trim_ascii();
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()
}
