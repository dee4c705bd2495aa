//! A store of objects that recomputes every signature, and errs where it is told to.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use crate::http::server::{Server, receive};

pub(super) const KEY_ID: &str = "AKIDTEST";
pub(super) const SECRET: &str = "such/a+Secret=";
pub(super) const BUCKET: &str = "data";

/// What the store has, and what was asked of it.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) objects: BTreeMap<String, Vec<u8>>,
    /// By upload, its object, and its parts by their numbers.
    pub(super) uploads: BTreeMap<String, Upload>,
    /// Requests by their kinds.
    pub(super) counts: BTreeMap<&'static str, u64>,
    /// Objects that were ever put, by their lengths.
    pub(super) lengths: BTreeSet<usize>,
    pub(super) unsigned: u64,
    next: u64,
}

type Upload = (String, BTreeMap<u64, Vec<u8>>);

/// A request whose signature was right.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) kind: &'static str,
    key: String,
    pub(super) query: BTreeMap<String, String>,
    body: &'a [u8],
}

/// The status of an answer that nobody gets: the connection ends without a word, before the request does
/// anything, or after it did.
pub(super) const CLOSED: &str = "closed";
pub(super) const LOST: &str = "lost";

/// The status of a page of uploads that is empty and leads to another one, which leads back to it.
pub(super) const CIRCLE: &str = "circle";

/// Uploads of one page of a list.
const PAGE: usize = 2;

/// Answers instead of the store where it returns something: a status and the code of an error.
pub(super) type Errs = fn(&Contents, &Request<'_>) -> Option<(&'static str, &'static str)>;

pub(super) struct Store {
    server: Server,
    pub(super) contents: Arc<Mutex<Contents>>,
}

impl Store {
    pub(super) fn start(errs: Errs) -> Self {
        let contents = Arc::new(Mutex::new(Contents::default()));
        contents.lock().unwrap().objects.insert("keep".to_owned(), b"mine".to_vec());
        let own = Arc::clone(&contents);
        let server = Server::start(move |client| {
            while let Some((head, body)) = receive(client)? {
                let (status, headers, text) = answer(&mut own.lock().unwrap(), &head, &body, errs);
                if matches!(status, CLOSED | LOST) {
                    break;
                }
                say(client, status, &headers, &text)?;
            }
            Ok(())
        });
        Self { server, contents }
    }

    pub(super) fn endpoint(&self) -> String {
        self.server.url("")
    }

    /// Nothing but what was there before.
    pub(super) fn is_as_before(&self) -> bool {
        let contents = self.contents.lock().unwrap();
        contents.objects.len() == 1 && contents.objects["keep"] == b"mine" && contents.uploads.is_empty()
    }

    pub(super) fn count(&self, kind: &str) -> u64 {
        self.contents.lock().unwrap().counts.get(kind).copied().unwrap_or(0)
    }
}

fn say(client: &mut TcpStream, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    client.write_all(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n").as_bytes())?;
    client.write_all(body)
}

type Reply = (&'static str, String, Vec<u8>);

fn error(status: &'static str, code: &str) -> Reply {
    let text = format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>so</Message></Error>");
    (status, String::new(), text.into_bytes())
}

fn text(text: String) -> Reply {
    ("200 OK", String::new(), text.into_bytes())
}

fn answer(contents: &mut Contents, head: &str, body: &[u8], errs: Errs) -> Reply {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap().split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let (path, query_text) = target.split_once('?').unwrap_or((target, ""));
    let headers: BTreeMap<String, &str> =
        lines.filter_map(|line| line.split_once(": ")).map(|(k, v)| (k.to_ascii_lowercase(), v)).collect();
    if let Err(code) = check(method, path, query_text, &headers, body) {
        return error("403 Forbidden", code);
    }
    if headers["x-amz-content-sha256"] == "UNSIGNED-PAYLOAD" {
        contents.unsigned += 1;
    }
    let (bucket, key) = path[1..].split_once('/').unwrap_or((&path[1..], ""));
    if bucket != BUCKET {
        return error("404 Not Found", "NoSuchBucket");
    }
    let query: BTreeMap<String, String> = query_text
        .split('&')
        .filter_map(|each| each.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.replace("%2F", "/").replace("%3D", "=")))
        .collect();
    let has = |name: &str| query.contains_key(name);
    let kind = match method {
        "POST" if has("uploads") => "create",
        "POST" => "complete",
        "PUT" if has("partNumber") => "part",
        "PUT" => "put",
        "DELETE" if has("uploadId") => "abort",
        "DELETE" => "delete",
        _ if has("uploads") => "list-uploads",
        _ if has("list-type") => "list",
        _ => "get",
    };
    *contents.counts.entry(kind).or_default() += 1;
    let request = Request { kind, key: key.to_owned(), query, body };
    match errs(contents, &request) {
        Some((LOST, _)) => {
            act(contents, request);
            error(LOST, "")
        }
        Some((CIRCLE, _)) => text(format!(
            "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>{}</NextKeyMarker>\
             </ListMultipartUploadsResult>",
            contents.counts[kind] % 2
        )),
        Some((status, code)) => error(status, code),
        None => act(contents, request),
    }
}

fn act(contents: &mut Contents, request: Request<'_>) -> Reply {
    let Request { kind, key, query, body } = request;
    let id = query.get("uploadId").cloned().unwrap_or_default();
    let tagged = |tag: String| ("200 OK", format!("ETag: \"{tag}\"\r\n"), Vec::new());
    let gone = || ("204 No Content", String::new(), Vec::new());
    match kind {
        "put" => {
            contents.lengths.insert(body.len());
            contents.objects.insert(key, body.to_vec());
            tagged("whole".to_owned())
        }
        "get" => match contents.objects.get(&key) {
            Some(bytes) => ("200 OK", String::new(), bytes.clone()),
            None => error("404 Not Found", "NoSuchKey"),
        },
        "delete" => {
            contents.objects.remove(&key);
            gone()
        }
        "list" => {
            let most: usize = query["max-keys"].parse().unwrap();
            let keys = contents.objects.keys().filter(|key| key.starts_with(&query["prefix"]));
            let keys = keys.filter(|key| **key > query["start-after"]).take(most);
            text(keys.map(|key| format!("<Key>{key}</Key>")).collect())
        }
        "create" => {
            contents.next += 1;
            let id = format!("id={}", contents.next);
            contents.uploads.insert(id.clone(), (key, BTreeMap::new()));
            text(format!("<Result xmlns=\"x\"><UploadId>{id}</UploadId></Result>"))
        }
        "part" => match contents.uploads.get_mut(&id) {
            Some((_, parts)) => {
                let number: u64 = query["partNumber"].parse().unwrap();
                parts.insert(number, body.to_vec());
                tagged(format!("part{number}"))
            }
            None => error("404 Not Found", "NoSuchUpload"),
        },
        "complete" => match contents.uploads.remove(&id) {
            Some((_, parts)) => {
                let named = std::str::from_utf8(body).unwrap();
                let all: Vec<String> = parts.keys().map(|number| format!("\"part{number}\"")).collect();
                let tags: Vec<&str> =
                    named.split("<ETag>").skip(1).map(|t| t.split('<').next().unwrap()).collect();
                assert_eq!(tags, all, "{named}");
                let whole: Vec<u8> = parts.into_values().flatten().collect();
                contents.lengths.insert(whole.len());
                contents.objects.insert(key, whole);
                text("<CompleteMultipartUploadResult/>".to_owned())
            }
            None => error("404 Not Found", "NoSuchUpload"),
        },
        "abort" => match contents.uploads.remove(&id) {
            Some(_) => gone(),
            None => error("404 Not Found", "NoSuchUpload"),
        },
        _ => {
            let of = |name: &str| query.get(name).cloned().unwrap_or_default();
            let (prefix, from) = (of("prefix"), (of("key-marker"), of("upload-id-marker")));
            let mut all: Vec<(String, String)> =
                contents.uploads.iter().map(|(id, (key, _))| (key.clone(), id.clone())).collect();
            all.retain(|each| each.0.starts_with(&prefix) && *each > from);
            all.sort();
            let is_truncated = all.len() > PAGE;
            all.truncate(PAGE);
            let mut list = String::from("<ListMultipartUploadsResult>");
            for (key, id) in &all {
                let key = key.replace("%20", " ");
                list.push_str(&format!("<Upload><Key>{key}</Key><UploadId>{id}</UploadId></Upload>"));
            }
            if let (true, Some((key, id))) = (is_truncated, all.last()) {
                let key = key.replace("%20", " ");
                list.push_str(&format!(
                    "<IsTruncated>true</IsTruncated><NextKeyMarker>{key}</NextKeyMarker>\
                     <NextUploadIdMarker>{id}</NextUploadIdMarker>"
                ));
            }
            text(list + "</ListMultipartUploadsResult>")
        }
    }
}

/// Whether a request is signed by the key and the secret: the code of the error if not.
fn check(
    method: &str,
    path: &str,
    query: &str,
    headers: &BTreeMap<String, &str>,
    body: &[u8],
) -> Result<(), &'static str> {
    let authorization = headers["authorization"].strip_prefix("AWS4-HMAC-SHA256 ").unwrap();
    let mut fields = authorization.split(", ").map(|field| field.split_once('=').unwrap().1);
    let [credential, names, signature] = [(); 3].map(|()| fields.next().unwrap());
    let (key_id, scope) = credential.split_once('/').unwrap();
    if key_id != KEY_ID {
        return Err("InvalidAccessKeyId");
    }
    let payload = headers["x-amz-content-sha256"];
    if payload != "UNSIGNED-PAYLOAD" && payload != hex(&Sha256::digest(body)) {
        return Err("XAmzContentSHA256Mismatch");
    }
    let lines: String = names.split(';').map(|name| format!("{name}:{}\n", headers[name])).collect();
    let canonical = format!("{method}\n{path}\n{query}\n{lines}\n{names}\n{payload}");
    let date = headers["x-amz-date"];
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let first = format!("AWS4{SECRET}").into_bytes();
    let key = scope.split('/').fold(first, |key, part| hmac(&key, part.as_bytes()));
    assert!(date.starts_with(scope.split('/').next().unwrap()), "{date} {scope}");
    if hex(&hmac(&key, text.as_bytes())) == signature { Ok(()) } else { Err("SignatureDoesNotMatch") }
}

/// HMAC of a key that is no longer than a block (RFC 2104).
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let padded = |pad: u8| -> Vec<u8> { (0..64).map(|at| key.get(at).copied().unwrap_or(0) ^ pad).collect() };
    let inner = Sha256::digest([padded(0x36), message.to_vec()].concat());
    Sha256::digest([padded(0x5c), inner.to_vec()].concat()).to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
