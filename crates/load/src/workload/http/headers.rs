//! Requests as bytes, and the headers that a user adds to them from a file.

use std::path::Path;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use model::plan::Problem;

use crate::workload::http::USER_AGENT;
use crate::workload::http::url::Url;

/// A file of headers may have so many bytes.
const FILE_MOST: u64 = 32 << 10;

/// Headers that are ours to write: they say how the request and its answer are framed.
const OURS: [&str; 6] =
    ["host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect"];

/// Headers that say something of a connection of HTTP/1.1, and have no place in HTTP/2 (RFC 9113,
/// section 8.2.2), beside those that are ours.
const OF_CONNECTIONS: [&str; 4] = ["keep-alive", "proxy-connection", "te", "upgrade"];

/// Lines `Name: value`, each ended, as they go into a request.
///
/// A value may be a secret, so no message has one.
#[derive(Clone, Default)]
pub(super) struct Headers(String);

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Headers(..)")
    }
}

impl Headers {
    /// Those of a file, one a line; empty lines and those that begin with `#` say nothing.
    ///
    /// # Errors
    /// If it cannot be read, or a line is no header that a user may set.
    pub(super) fn read(path: &Path) -> Result<Self, Problem> {
        let shown = path.display();
        let failed = |e: std::io::Error| {
            Problem::invalid(format!("the headers in {shown} cannot be read: {e}"), "name a file that can be")
        };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if !metadata.is_file() || metadata.len() > FILE_MOST {
            return Err(Problem::invalid(
                format!("{shown} is no file of headers: it is not a file of at most {} KiB", FILE_MOST >> 10),
                "name a file with a line `Name: value` for each header",
            ));
        }
        Self::parse(&std::fs::read_to_string(path).map_err(failed)?)
            .map_err(|(line, why)| Problem::invalid(format!("{shown}, line {line}: {why}"), "mend the file"))
    }

    /// Names, in small letters, and values.
    fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.lines().filter_map(|line| line.split_once(": "))
    }

    /// The first one that has no place in HTTP/2.
    pub(super) fn refused_by_http2(&self) -> Option<&str> {
        self.fields().map(|(name, _)| name).find(|name| OF_CONNECTIONS.contains(name))
    }

    /// The same of their text; the number of the line that is wrong, and why.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut all = String::new();
        for (number, line) in text.lines().enumerate() {
            let wrong = |why: &str| (number + 1, why.to_owned());
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once(':').ok_or_else(|| wrong("it is no line `Name: value`"))?;
            let name = http::HeaderName::from_bytes(name.trim().as_bytes())
                .map_err(|_| wrong("what stands before the colon is no name of a header"))?;
            let value = http::HeaderValue::from_str(value.trim())
                .map_err(|_| wrong("what stands behind the colon is no value of a header"))?;
            let value = value.to_str().map_err(|_| wrong("its value has more than ASCII"))?;
            if OURS.contains(&name.as_str()) {
                return Err(wrong(&format!("`{name}` is set by Headroom")));
            }
            all.push_str(&format!("{name}: {value}\r\n"));
        }
        Ok(Self(all))
    }
}

/// What a request says beside its headers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// `GET`.
    pub(super) method: &'a str,
    /// Path and query.
    pub(super) path: &'a str,
    /// Whether more requests may follow on the connection.
    pub(super) keeps: bool,
    /// Whether it says which program asks (RFC 9110, section 10.1.5), which content is welcome, and that it is not to
    /// be compressed (section 12.5).
    pub(super) introduces: bool,
    /// Bytes of the body, if it has one.
    pub(super) body: Option<u64>,
}

/// The head of a request to `url`.
pub(super) fn head_of(request: Request<'_>, url: &Url, headers: &Headers) -> String {
    let Request { method, path, keeps, introduces, body } = request;
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", url.authority);
    let has = |name: &str| headers.0.lines().any(|line| line.starts_with(name));
    if introduces {
        if !has("user-agent:") {
            head.push_str(&format!("User-Agent: {USER_AGENT}\r\n"));
        }
        if !has("accept:") {
            head.push_str("Accept: */*\r\n");
        }
        // What is measured is what was asked for, not how well it can be compressed.
        head.push_str("Accept-Encoding: identity\r\n");
    }
    head.push_str(&headers.0);
    if let Some(bytes) = body {
        head.push_str(&format!("Content-Length: {bytes}\r\n"));
    }
    if !keeps {
        head.push_str("Connection: close\r\n");
    }
    head.push_str("\r\n");
    head
}

/// The fields of a request over HTTP/2: what [`head_of`] has of them over HTTP/1.1.
///
/// # Errors
/// If a name or a value is none.
pub(super) fn fields_of(headers: &Headers) -> Result<HeaderMap, http::Error> {
    let mut all = HeaderMap::new();
    for (name, value) in headers.fields() {
        let mut value = HeaderValue::from_str(value)?;
        // It may be a key, which no table of a compressor is to keep (RFC 7541, section 7.1.3).
        value.set_sensitive(true);
        all.append(HeaderName::from_bytes(name.as_bytes())?, value);
    }
    all.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(USER_AGENT));
    all.entry(header::ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    all.entry(header::ACCEPT_ENCODING).or_insert(HeaderValue::from_static("identity"));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_stand_in_the_request() {
        let headers =
            Headers::parse("# of the test\nAuthorization: Bearer  x y\n\nX-One:1\nUser-Agent: me\n").unwrap();
        let url = Url::parse("http://a.example:81/b").unwrap();
        let request = Request { method: "PUT", path: "/b", keeps: false, introduces: true, body: Some(7) };
        assert_eq!(
            head_of(request, &url, &headers),
            "PUT /b HTTP/1.1\r\nHost: a.example:81\r\nAccept: */*\r\nAccept-Encoding: identity\r\n\
             authorization: Bearer  x y\r\nx-one: 1\r\nuser-agent: me\r\nContent-Length: 7\r\n\
             Connection: close\r\n\r\n"
        );
        assert_eq!(
            head_of(Request { keeps: true, introduces: false, body: None, ..request }, &url, &headers),
            "PUT /b HTTP/1.1\r\nHost: a.example:81\r\nauthorization: Bearer  x y\r\nx-one: 1\r\n\
             user-agent: me\r\n\r\n"
        );
        let bare = Request { method: "GET", path: "/", keeps: true, introduces: false, body: None };
        assert_eq!(head_of(bare, &url, &Headers::default()), "GET / HTTP/1.1\r\nHost: a.example:81\r\n\r\n");
        assert_eq!(format!("{headers:?}"), "Headers(..)");
    }

    #[test]
    fn the_fields_of_both_versions_are_the_same() {
        let headers = Headers::parse("Authorization: secret\nX-One: 1\nx-one: 2\nUser-Agent: me\n").unwrap();
        let fields = fields_of(&headers).unwrap();
        assert!(!format!("{fields:?}").contains("secret"), "{fields:?}");
        let mut fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        let url = Url::parse("http://a.example/").unwrap();
        let request = Request { method: "GET", path: "/", keeps: true, introduces: true, body: None };
        let head = head_of(request, &url, &headers);
        let lower =
            |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let mut lines: Vec<String> = head
            .lines()
            .filter_map(lower)
            .filter(|(name, _)| name != "host")
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        fields.sort();
        lines.sort();
        assert_eq!(fields, lines);
    }

    #[test]
    fn what_has_no_place_in_http2_is_found() {
        let of = |text: &str| Headers::parse(text).unwrap().refused_by_http2().map(str::to_owned);
        assert_eq!(of("A: b\nUpgrade: h2c\n").as_deref(), Some("upgrade"));
        assert_eq!(of("TE: trailers\n").as_deref(), Some("te"));
        assert_eq!(of("A: keep-alive\n"), None);
    }

    #[test]
    fn a_line_that_is_no_header_is_refused_without_its_value() {
        for (text, line, why) in [
            ("secret", 1, "no line"),
            ("A: b\nb c: secret", 2, "no name"),
            ("A: secret\u{7f}", 1, "no value"),
            ("Host: secret", 1, "set by Headroom"),
            ("content-length: 1", 1, "set by Headroom"),
        ] {
            let (at, said) = Headers::parse(text).unwrap_err();
            assert!(at == line && said.contains(why) && !said.contains("secret"), "{text}: {said}");
        }
        assert!(Headers::read(Path::new("/")).unwrap_err().message.contains("no file"));
        assert!(Headers::read(Path::new("/nowhere")).unwrap_err().message.contains("cannot be read"));
    }
}
