//! Which bucket, where in it, and how requests for it are written (path-style addressing).

use model::plan::Problem;

use crate::workload::http::USER_AGENT;
use crate::workload::http::url::Url;
use crate::workload::object::answer::Refusal;
use crate::workload::object::signature::{Canonical, Signer, Stamp, sha256};

/// What stands in place of a hash where the body is not signed.
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// Where objects are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) name: String,
    /// What the names of all objects begin with; it ends with a slash where it is not empty.
    pub(super) prefix: String,
}

impl Bucket {
    /// What `s3://bucket/prefix` says.
    ///
    /// # Errors
    /// If it is no such thing.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let wrong = |why: &str| {
            Problem::invalid(
                format!("`{text}` names no bucket: {why}"),
                "write it as s3://bucket or s3://bucket/prefix",
            )
        };
        let behind = text.strip_prefix("s3://").ok_or_else(|| wrong("it does not begin with s3://"))?;
        let (name, prefix) = behind.split_once('/').unwrap_or((behind, ""));
        // Amazon S3 User Guide, "Bucket naming rules"; older buckets may have an underscore or capitals.
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if !(3..=255).contains(&name.len()) || !name.chars().all(fits) {
            return Err(wrong("a name has 3 to 255 letters, digits, dots and hyphens"));
        }
        let prefix = prefix.trim_matches('/');
        if prefix.chars().any(char::is_control) || prefix.len() > 512 {
            return Err(wrong("a prefix has at most 512 bytes, and no control characters"));
        }
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self { name: name.to_owned(), prefix })
    }
}

/// `text` as a URL has it: all but letters, digits and `-._~` in hexadecimal digits (RFC 3986, section 2.3).
pub(super) fn encoded(text: &str, keeps_slash: bool) -> String {
    let mut all = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => all.push(char::from(byte)),
            b'/' if keeps_slash => all.push('/'),
            _ => all.push_str(&format!("%{byte:02X}")),
        }
    }
    all
}

/// A body, and its SHA-256 in hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a> {
    pub(super) bytes: u64,
    pub(super) sha256: &'a str,
}

/// What is asked of a store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask<'a> {
    pub(super) method: &'a str,
    /// The object; empty for the bucket itself.
    pub(super) key: &'a str,
    /// Names and values, encoded, in the order of the names.
    pub(super) query: &'a str,
    pub(super) payload: Option<Payload<'a>>,
}

/// Writes requests, each signed.
#[derive(Clone, Debug)]
pub(super) struct RequestBuilder {
    authority: String,
    /// The path of the bucket, encoded.
    base: String,
    signer: Signer,
    /// Whether bodies are signed.
    signs_payload: bool,
    /// The hash of no body.
    empty: String,
}

impl RequestBuilder {
    /// For a bucket of the store at `endpoint`.
    pub(super) fn new(endpoint: &Url, bucket: &Bucket, signer: Signer, signs_payload: bool) -> Self {
        let path = endpoint.path.split('?').next().unwrap_or_default().trim_end_matches('/');
        Self {
            authority: endpoint.authority.clone(),
            base: format!("{path}/{}", encoded(&bucket.name, false)),
            signer,
            signs_payload,
            empty: sha256(b""),
        }
    }

    /// What an answer with this status and body is, if it is no success, without what it repeats of a key.
    pub(super) fn refusal(&self, status: u16, body: &[u8]) -> Option<Refusal> {
        Some(Refusal::of(status, body)?.without(|text| self.signer.has_key_in(text)))
    }

    /// The head of a request, signed with the time that it is now.
    pub(super) fn head(&mut self, ask: Ask<'_>) -> Vec<u8> {
        self.head_at(&Stamp::now(), ask).into_bytes()
    }

    fn head_at(&mut self, at: &Stamp, ask: Ask<'_>) -> String {
        let Ask { method, key, query, payload } = ask;
        let path = match key {
            "" => self.base.clone(),
            key => format!("{}/{}", self.base, encoded(key, true)),
        };
        let hash = match payload {
            Some(_) if !self.signs_payload => UNSIGNED,
            Some(payload) => payload.sha256,
            None => self.empty.as_str(),
        };
        let token = self.signer.token().map(str::to_owned);
        let mut headers = vec![
            ("host", self.authority.as_str()),
            ("x-amz-content-sha256", hash),
            ("x-amz-date", at.text()),
        ];
        headers.extend(token.as_deref().map(|token| ("x-amz-security-token", token)));
        let canonical = Canonical { method, path: &path, query, headers: &headers, payload: hash };
        let authorization = self.signer.authorization(at, canonical);
        let mark = if query.is_empty() { "" } else { "?" };
        let mut head = format!("{method} {path}{mark}{query} HTTP/1.1\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!(
            "authorization: {authorization}\r\nuser-agent: {USER_AGENT}\r\naccept-encoding: identity\r\n"
        ));
        // A POST without a body says so (RFC 9110, section 8.6).
        if payload.is_some() || method == "POST" {
            let bytes = payload.map_or(0, |payload| payload.bytes);
            head.push_str(&format!("content-length: {bytes}\r\n"));
        }
        head.push_str("\r\n");
        head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::object::credentials::Credentials;

    #[test]
    fn a_bucket_and_its_prefix_are_read() {
        let of = |text: &str| Bucket::parse(text).map(|b| (b.name, b.prefix));
        assert_eq!(of("s3://data"), Ok(("data".to_owned(), String::new())));
        assert_eq!(of("s3://data/"), Ok(("data".to_owned(), String::new())));
        assert_eq!(of("s3://my.data/a/b/"), Ok(("my.data".to_owned(), "a/b/".to_owned())));
        for (text, why) in [
            ("data", "does not begin"),
            ("s3://", "a name has"),
            ("s3://a", "a name has"),
            ("s3://a b c", "a name has"),
            ("s3://data/a\nb", "control characters"),
        ] {
            let problem = Bucket::parse(text).unwrap_err();
            assert!(problem.message.contains(why), "{text:?}: {problem:?}");
        }
    }

    #[test]
    fn what_is_not_plain_is_encoded() {
        assert_eq!(encoded("a b/ü~$", true), "a%20b/%C3%BC~%24");
        assert_eq!(encoded("a/b", false), "a%2Fb");
    }

    #[test]
    fn a_request_says_what_it_is_signed_with() {
        let url = Url::parse("http://store:9000/minio/").unwrap();
        let bucket = Bucket::parse("s3://data").unwrap();
        let token = Some("tok".to_owned());
        let credentials = Credentials { key_id: "AKID".to_owned(), secret: "hidden".to_owned(), token };
        let mut builder = RequestBuilder::new(&url, &bucket, Signer::new(credentials, "eu-west-1"), false);
        let payload = Some(Payload { bytes: 7, sha256: "0" });
        let ask = Ask { method: "PUT", key: "a b", query: "partNumber=1&uploadId=x", payload };
        let head = builder.head_at(&Stamp::of(0), ask);
        assert!(
            head.starts_with(
                "PUT /minio/data/a%20b?partNumber=1&uploadId=x HTTP/1.1\r\nhost: store:9000\r\n\
                 x-amz-content-sha256: UNSIGNED-PAYLOAD\r\nx-amz-date: 19700101T000000Z\r\n\
                 x-amz-security-token: tok\r\nauthorization: AWS4-HMAC-SHA256 \
                 Credential=AKID/19700101/eu-west-1/s3/aws4_request, \
                 SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature="
            ),
            "{head}"
        );
        assert!(head.ends_with("content-length: 7\r\n\r\n") && !head.contains("hidden"), "{head}");
        let list = Ask { method: "GET", key: "", query: "list-type=2", payload: None };
        let head = builder.head_at(&Stamp::of(0), list);
        assert!(head.starts_with("GET /minio/data?list-type=2 HTTP/1.1\r\n"), "{head}");
        assert!(
            head.contains("x-amz-content-sha256: e3b0c442") && !head.contains("content-length"),
            "{head}"
        );
    }
}
