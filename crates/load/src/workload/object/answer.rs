//! What a store says in XML: why it refuses, and what it calls an upload (Amazon S3 API Reference, "Error
//! responses").

use roxmltree::{Document, Node};

/// So many characters of a store's own words are repeated, at most. Each error is compared with the keys while
/// time counts, too.
const MESSAGE_MOST: usize = 500;

/// What loads make of an answer of a store with this status and body: what they say of it, and how many
/// uploads of parts it names. For tests and the fuzzer; it does nothing else.
#[must_use]
pub fn heard(status: u16, body: &[u8]) -> (String, usize) {
    let said = Refusal::of(status, body).map(|refusal| refusal.explained("bucket") + &refusal.name());
    let id = text(body, "UploadId").unwrap_or_default();
    let next = next_uploads(body).map(|next| next.key + &next.id.unwrap_or_default()).unwrap_or_default();
    (said.unwrap_or_default() + &id + &next, uploads(body).len())
}

/// An answer that is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// 0 if there was no whole answer.
    pub(super) status: u16,
    /// `NoSuchBucket`.
    pub(super) code: Option<String>,
    /// The store's own words, or the first of them.
    message: Option<String>,
    /// The region or the endpoint at which the bucket is, where the store says that it is another.
    place: Option<String>,
}

impl Refusal {
    /// What an answer with this status and body is; nothing if it is a success. An upload of parts may be
    /// refused with a status of 200 (Amazon S3 API Reference, `CompleteMultipartUpload`).
    pub(super) fn of(status: u16, body: &[u8]) -> Option<Self> {
        let is_error = root(body).is_some_and(|name| name == "Error");
        if (200..300).contains(&status) && !is_error {
            return None;
        }
        let of = |name| if is_error { text(body, name) } else { None };
        let code = of("Code").filter(|code| is_code(code));
        // Where it is wrong, the signature says one region and the store another.
        let place = ["Region", "Endpoint"].into_iter().find_map(of).filter(|place| is_place(place));
        let message = of("Message").map(|text| text.chars().take(MESSAGE_MOST).collect());
        Some(Self { status, code, message, place })
    }

    /// The same without what has something of a key: a store may repeat what was sent to it.
    pub(super) fn without(self, has_key: impl Fn(&str) -> bool) -> Self {
        let clean = |text: Option<String>| text.filter(|text| !has_key(text));
        let Self { status, code, message, place } = self;
        Self { status, code: clean(code), message: clean(message), place: clean(place) }
    }

    /// What it is counted as: its code, or its status.
    pub(super) fn name(&self) -> String {
        match (&self.code, self.status) {
            (Some(code), _) => code.clone(),
            (None, 0) => "no answer".to_owned(),
            (None, status) => status.to_string(),
        }
    }

    /// Whether the same request may succeed a moment later.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.status, 0 | 408 | 429 | 500..=599)
    }

    /// What it means for a request of `method` for `bucket`.
    pub(super) fn explained(&self, bucket: &str) -> String {
        let why = match self.code.as_deref().unwrap_or_default() {
            "SignatureDoesNotMatch" => {
                "the secret key does not fit the access key, or requests are changed on the way".to_owned()
            }
            "InvalidAccessKeyId" => "the store does not know the access key".to_owned(),
            "NoSuchBucket" => format!("there is no bucket {bucket}: make it first"),
            "RequestTimeTooSkewed" => {
                "the clock of this machine and that of the store are too far apart: set them by NTP"
                    .to_owned()
            }
            "ExpiredToken" | "InvalidToken" | "TokenRefreshRequired" => {
                "the session token has expired, or is not valid".to_owned()
            }
            "AccessDenied" | "AllAccessDisabled" => {
                "the key must be allowed to put, get, list and delete objects there".to_owned()
            }
            "AuthorizationHeaderMalformed"
            | "PermanentRedirect"
            | "TemporaryRedirect"
            | "Redirect"
            | "IllegalLocationConstraintException" => self.elsewhere(),
            "EntityTooSmall" => {
                "a part is smaller than the store takes (5m with AWS): use a larger part-size".to_owned()
            }
            "SlowDown" | "ServiceUnavailable" => {
                "the store asks for fewer requests: give a smaller concurrency, or a rate".to_owned()
            }
            "" if (300..400).contains(&self.status) => self.elsewhere(),
            _ => self.message.clone().unwrap_or_default(),
        };
        let name = match (&self.code, self.status) {
            (Some(code), 0) => code.clone(),
            (Some(code), status) => format!("{status} {code}"),
            (None, 0) => "an incomplete response".to_owned(),
            (None, status) => status.to_string(),
        };
        if why.is_empty() { name } else { format!("{name}: {why}") }
    }

    /// That the bucket is at another place, and at which if the store says so.
    fn elsewhere(&self) -> String {
        let place =
            self.place.as_ref().map(|place| format!(" (the store names {place})")).unwrap_or_default();
        format!("the bucket is in another region or at another endpoint{place}: give region and endpoint")
    }
}

/// Regions and endpoints are words of these characters: nothing else of a foreign text is repeated as one.
fn is_place(place: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '_');
    (1..=255).contains(&place.len()) && place.chars().all(fits)
}

/// Codes are words: nothing else of a foreign text becomes a name of ours.
fn is_code(code: &str) -> bool {
    (1..=64).contains(&code.len()) && code.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The name of the outermost element.
fn root(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    Some(Document::parse(text).ok()?.root_element().tag_name().name().to_owned())
}

/// The text of the first element of this name.
pub(super) fn text(body: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let document = Document::parse(text).ok()?;
    let found = document.descendants().find(|node| node.tag_name().name() == name)?;
    found.text().map(|text| text.trim().to_owned())
}

/// The uploads of parts that a list has: the object and the name of each.
pub(super) fn uploads(body: &[u8]) -> Vec<(String, String)> {
    let Ok(text) = std::str::from_utf8(body) else { return Vec::new() };
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let of = |node: Node<'_, '_>, name: &str| {
        let child = node.children().find(|child| child.tag_name().name() == name)?;
        child.text().map(str::to_owned)
    };
    let all = document.descendants().filter(|node| node.tag_name().name() == "Upload");
    all.filter_map(|node| Some((of(node, "Key")?, of(node, "UploadId")?))).collect()
}

/// Where a list of uploads goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UploadMarker {
    /// Behind this object,
    pub(super) key: String,
    /// and behind this upload of it.
    pub(super) id: Option<String>,
}

/// Where the next page of a list of uploads begins, if there is one (Amazon S3 API Reference,
/// `ListMultipartUploads`).
pub(super) fn next_uploads(body: &[u8]) -> Option<UploadMarker> {
    if text(body, "IsTruncated")? != "true" {
        return None;
    }
    let id = text(body, "NextUploadIdMarker").filter(|id| !id.is_empty());
    Some(UploadMarker { key: text(body, "NextKeyMarker")?, id })
}

/// What completes an upload of parts with these tags, in their order.
pub(super) fn completion(tags: &[String]) -> String {
    let mut all = String::from("<CompleteMultipartUpload>");
    for (tag, number) in tags.iter().zip(1_u64..) {
        let tag = tag.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        all.push_str(&format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>"));
    }
    all.push_str("</CompleteMultipartUpload>");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchBucket</Code>\
        <Message>The specified bucket does not exist</Message></Error>";

    #[test]
    fn an_error_is_told_by_its_code() {
        let refusal = Refusal::of(404, ERROR).unwrap();
        assert_eq!(refusal.name(), "NoSuchBucket");
        assert!(refusal.explained("data").contains("404 NoSuchBucket: there is no bucket data"));
        assert!(Refusal::of(200, ERROR).is_some(), "an error with the status of a success");
        assert_eq!(Refusal::of(204, b""), None);
        assert_eq!(Refusal::of(200, b"<ListBucketResult/>"), None);
        let plain = Refusal::of(503, b"<html>busy").unwrap();
        assert!(plain.is_passing() && plain.name() == "503" && plain.explained("data") == "503");
        assert!(!refusal.is_passing());
        let odd = b"<Error><Code>a b; c</Code></Error>";
        assert_eq!(Refusal::of(400, odd).unwrap().name(), "400");
        assert_eq!(Refusal::of(0, b"").unwrap().name(), "no answer");
        let long = format!("<Error><Code>A</Code><Message>{}</Message></Error>", "é".repeat(1 << 20));
        let told = Refusal::of(400, long.as_bytes()).unwrap().explained("data");
        assert_eq!(told, format!("400 A: {}", "é".repeat(MESSAGE_MOST)));
    }

    #[test]
    fn a_bucket_that_is_elsewhere_is_told_with_where() {
        let of = |status: u16, text: &str| Refusal::of(status, text.as_bytes()).unwrap().explained("data");
        let malformed =
            of(400, "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>");
        assert!(malformed.contains("(the store names eu-west-1): give region and endpoint"), "{malformed}");
        for (status, code) in [(301, "PermanentRedirect"), (307, "TemporaryRedirect")] {
            let text = format!(
                "<Error><Code>{code}</Code><Endpoint>data.s3.eu-west-1.amazonaws.com</Endpoint></Error>"
            );
            let told = of(status, &text);
            assert!(
                told.contains(&format!("{status} {code}")) && told.contains("names data.s3.eu-west-1"),
                "{told}"
            );
        }
        assert!(of(301, "").starts_with("301: the bucket is in another region"));
        let odd = of(301, "<Error><Code>PermanentRedirect</Code><Endpoint>a b\u{1b}[2J</Endpoint></Error>");
        assert!(odd.contains("another endpoint: give"), "{odd}");
    }

    #[test]
    fn what_a_store_repeats_of_a_key_is_left_out() {
        let text =
            b"<Error><Code>hunter2</Code><Message>of hunter2</Message><Region>hunter2</Region></Error>";
        let refusal = Refusal::of(418, text).unwrap();
        assert_eq!(refusal.explained("data"), "418 hunter2: of hunter2");
        let clean = refusal.without(|text| text.contains("hunter2"));
        assert_eq!((clean.explained("data"), clean.name()), ("418".to_owned(), "418".to_owned()));
    }

    #[test]
    fn names_are_found_in_any_name_space() {
        let body = b"<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
            <Bucket>b</Bucket><UploadId> a&amp;b </UploadId></InitiateMultipartUploadResult>";
        assert_eq!(text(body, "UploadId").as_deref(), Some("a&b"));
        assert_eq!(text(body, "Nothing"), None);
        let list = b"<ListMultipartUploadsResult xmlns=\"x\"><Prefix>p</Prefix><Upload><Key>k1</Key>\
            <UploadId>u1</UploadId></Upload><Upload><Key>k2</Key><UploadId>u2</UploadId></Upload>\
            </ListMultipartUploadsResult>";
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(uploads(list), [pair("k1", "u1"), pair("k2", "u2")]);
        assert_eq!(next_uploads(list), None);
        let more = |truncated: &str, id: &str| {
            let text = format!(
                "<L xmlns=\"x\"><IsTruncated>{truncated}</IsTruncated><NextKeyMarker>k2</NextKeyMarker>{id}</L>"
            );
            next_uploads(text.as_bytes()).map(|next| (next.key, next.id))
        };
        let id = "<NextUploadIdMarker>u2</NextUploadIdMarker>";
        assert_eq!(more("false", id), None);
        assert_eq!(more("true", id), Some(("k2".to_owned(), Some("u2".to_owned()))));
        assert_eq!(more("true", "<NextUploadIdMarker/>"), Some(("k2".to_owned(), None)));
    }

    #[test]
    fn parts_are_completed_in_their_order() {
        let tags = ["\"a\"".to_owned(), "b&c".to_owned()];
        assert_eq!(
            completion(&tags),
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>\
             <Part><PartNumber>2</PartNumber><ETag>b&amp;c</ETag></Part></CompleteMultipartUpload>"
        );
    }

    /// Pieces of answers, in any order.
    const PIECES: &str = "(<(/?(Error|Upload|Code|Key|UploadId)|!DOCTYPE a)>?|&[a-z#]*;?|.){0,40}";

    proptest::proptest! {
        /// The same as the fuzz target, `fuzz/fuzz_targets/store_answer.rs`.
        #[test]
        fn any_answer_is_read(status: u16, text in PIECES) {
            let (said, uploads) = heard(status, text.as_bytes());
            proptest::prop_assert!(uploads <= text.len() / 8 && said.len() <= 8 * text.len() + 256);
        }

        #[test]
        fn any_bytes_are_read(status: u16, bytes: Vec<u8>) {
            let _ = heard(status, &bytes);
        }
    }
}
