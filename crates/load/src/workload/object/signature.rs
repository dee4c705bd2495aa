//! Signature Version 4 of AWS, in the header `Authorization` (Amazon S3 API Reference, "Authenticating
//! Requests: Using the Authorization Header").

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::workload::object::credentials::Credentials;

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// A moment as requests are signed with it: `20130524T000000Z`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp(String);

impl Stamp {
    /// So many seconds after 1970 began.
    pub(super) fn of(unix_s: u64) -> Self {
        let (days, second) = (unix_s / 86_400, unix_s % 86_400);
        // Eras of 400 years that begin in March (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
        // civil_from_days).
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        Self(format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z"))
    }

    /// The moment that this machine's clock shows.
    pub(super) fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self::of(since.map(|since| since.as_secs()).unwrap_or_default())
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Its day: `20130524`.
    fn day(&self) -> &str {
        &self.0[..8]
    }
}

/// What is signed of a request, each part as it is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Canonical<'a> {
    pub(super) method: &'a str,
    /// The path, encoded.
    pub(super) path: &'a str,
    /// Names and values, encoded, in the order of the names.
    pub(super) query: &'a str,
    /// Headers by their names in lower case, in the order of these.
    pub(super) headers: &'a [(&'a str, &'a str)],
    /// What `x-amz-content-sha256` says.
    pub(super) payload: &'a str,
}

/// Signs requests for one region and service.
#[derive(Clone)]
pub(super) struct Signer {
    credentials: Credentials,
    region: String,
    service: &'static str,
    /// The key of a day, and the day.
    day: String,
    key: [u8; 32],
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("region", &self.region).finish_non_exhaustive()
    }
}

impl Signer {
    /// One for S3.
    pub(super) fn new(credentials: Credentials, region: &str) -> Self {
        Self { credentials, region: region.to_owned(), service: "s3", day: String::new(), key: [0; 32] }
    }

    /// The token of a session, which is one of the headers that are signed.
    pub(super) fn token(&self) -> Option<&str> {
        self.credentials.token.as_deref()
    }

    /// Whether a text has a piece of a key.
    pub(super) fn has_key_in(&self, text: &str) -> bool {
        self.credentials.are_in(text)
    }

    /// The value of `Authorization`.
    pub(super) fn authorization(&mut self, at: &Stamp, request: Canonical<'_>) -> String {
        if self.day != at.day() {
            self.day = at.day().to_owned();
            let mut key = hmac(format!("AWS4{}", self.credentials.secret).as_bytes(), self.day.as_bytes());
            for part in [self.region.as_str(), self.service, "aws4_request"] {
                key = hmac(&key, part.as_bytes());
            }
            self.key = key;
        }
        let Canonical { method, path, query, headers, payload } = request;
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines: String =
            headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let canonical = format!("{method}\n{path}\n{query}\n{lines}\n{names}\n{payload}");
        let scope = format!("{}/{}/{}/aws4_request", self.day, self.region, self.service);
        let signed = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", at.text(), sha256(canonical.as_bytes()));
        let signature = hex(&hmac(&self.key, signed.as_bytes()));
        let key_id = &self.credentials.key_id;
        format!("AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={names}, Signature={signature}")
    }
}

/// The SHA-256 of these bytes, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // A text takes all that is written to it.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// HMAC with SHA-256 (RFC 2104).
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let keyed = |pad: u8| Sha256::new().chain_update(block.map(|byte| byte ^ pad));
    let inner = keyed(0x36).chain_update(message).finalize();
    keyed(0x5c).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn signer(key_id: &str, service: &'static str) -> Signer {
        let secret =
            "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".replace('+', if service == "s3" { "/" } else { "+" });
        let credentials = Credentials { key_id: key_id.to_owned(), secret, token: None };
        Signer { service, ..Signer::new(credentials, "us-east-1") }
    }

    fn signature(signer: &mut Signer, at: &str, request: Canonical<'_>) -> String {
        let all = signer.authorization(&Stamp(at.to_owned()), request);
        all.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    const HOST: (&str, &str) = ("host", "examplebucket.s3.amazonaws.com");
    const DATE: (&str, &str) = ("x-amz-date", "20130524T000000Z");
    const NOTHING: (&str, &str) = ("x-amz-content-sha256", EMPTY);

    fn get<'a>(path: &'a str, query: &'a str, headers: &'a [(&'a str, &'a str)]) -> Canonical<'a> {
        Canonical { method: "GET", path, query, headers, payload: EMPTY }
    }

    /// The examples of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header".
    #[test]
    fn the_examples_of_s3_have_the_signatures_that_are_published() {
        let mut signer = signer("AKIAIOSFODNN7EXAMPLE", "s3");
        let body = sha256(b"Welcome to Amazon S3.");
        let cases = [
            (
                get("/test.txt", "", &[HOST, ("range", "bytes=0-9"), NOTHING, DATE]),
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ),
            (
                Canonical {
                    method: "PUT",
                    path: "/test%24file.text",
                    query: "",
                    headers: &[
                        ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                        HOST,
                        ("x-amz-content-sha256", &body),
                        DATE,
                        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                    ],
                    payload: &body,
                },
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
            ),
            (
                get("/", "lifecycle=", &[HOST, NOTHING, DATE]),
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
            ),
            (
                get("/", "max-keys=2&prefix=J", &[HOST, NOTHING, DATE]),
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            ),
        ];
        for (request, published) in cases {
            assert_eq!(signature(&mut signer, DATE.1, request), published, "{request:?}");
        }
    }

    /// `get-vanilla` of the Signature Version 4 test suite.
    #[test]
    fn the_first_case_of_the_test_suite_has_the_signature_that_is_published() {
        let headers = &[("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z")];
        let request = Canonical { method: "GET", path: "/", query: "", headers, payload: EMPTY };
        assert_eq!(
            signer("AKIDEXAMPLE", "service").authorization(&Stamp("20150830T123600Z".to_owned()), request),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, \
             Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        );
    }

    /// RFC 4231, test cases 2 and 6.
    #[test]
    fn hmac_is_that_of_the_standard() {
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(&hmac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (unix_s, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_369_353_600, "20130524T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(Stamp::of(unix_s).text(), text);
        }
    }

    #[test]
    fn keys_are_in_no_debug_text() {
        let text = format!("{:?}", signer("AKIDEXAMPLE", "s3"));
        assert!(!text.contains("AKID") && !text.contains("wJal"), "{text}");
    }
}
