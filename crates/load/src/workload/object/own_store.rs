//! A store of this program, for a load that names no other: it knows the names and sizes of objects, and
//! forgets their contents. It looks at no signature.

use std::collections::BTreeMap;

use crate::workload::http::own_server::{Asked, Reply, Service};

/// Names in one answer, at most, as with AWS.
const PAGE_MOST: usize = 1_000;

/// What it has.
#[derive(Debug)]
pub(super) struct OwnStore {
    /// What all paths begin with.
    path: String,
    /// Objects and their sizes.
    objects: BTreeMap<String, u64>,
    /// Uploads of parts: bytes of each.
    uploads: BTreeMap<String, u64>,
    next: u64,
}

impl OwnStore {
    /// An empty one, for those who know the word.
    pub(super) fn new(word: &str) -> Self {
        Self { path: format!("/{word}/"), objects: BTreeMap::new(), uploads: BTreeMap::new(), next: 0 }
    }

    fn of_upload(&mut self, asked: Asked<'_>, key: &str, id: &str) -> Reply {
        let Some(bytes) = self.uploads.get_mut(id) else { return refused("404 Not Found", "NoSuchUpload") };
        match asked.method {
            "PUT" => {
                *bytes += asked.body;
                Reply { headers: "ETag: \"part\"\r\n".to_owned(), ..Reply::default() }
            }
            "POST" => {
                let bytes = *bytes;
                self.uploads.remove(id);
                self.objects.insert(key.to_owned(), bytes);
                let text = "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>".to_owned();
                Reply { text, ..Reply::default() }
            }
            _ => {
                self.uploads.remove(id);
                Reply { status: "204 No Content", ..Reply::default() }
            }
        }
    }

    fn list(&self, query: &[(&str, &str)]) -> Reply {
        let value = |name: &str| query.iter().find(|(own, _)| *own == name).map(|(_, value)| decoded(value));
        let prefix = value("prefix").unwrap_or_default();
        let after = value("start-after").unwrap_or_default();
        let most = value("max-keys").and_then(|text| text.parse().ok()).unwrap_or(PAGE_MOST).min(PAGE_MOST);
        let from = if after < prefix { prefix.clone() } else { after.clone() };
        let fits = self.objects.range(from..).filter(|(key, _)| key.starts_with(&prefix) && **key != after);
        let mut text = String::from("<ListBucketResult>");
        for (key, bytes) in fits.take(most) {
            let key = key.replace('&', "&amp;").replace('<', "&lt;");
            text.push_str(&format!("<Contents><Key>{key}</Key><Size>{bytes}</Size></Contents>"));
        }
        text.push_str("</ListBucketResult>");
        Reply { text, ..Reply::default() }
    }
}

fn refused(status: &'static str, code: &str) -> Reply {
    Reply { status, text: format!("<Error><Code>{code}</Code></Error>"), ..Reply::default() }
}

/// What a query encodes.
fn decoded(text: &str) -> String {
    let (mut all, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        let digits =
            more.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                all.push(byte);
                rest = &more[2..];
            }
            None => all.push(*first),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

impl Service for OwnStore {
    fn answer(&mut self, asked: Asked<'_>) -> Option<Reply> {
        let (path, query) = asked.path.split_once('?').unwrap_or((asked.path, ""));
        let within = path.strip_prefix(&self.path)?;
        let key = decoded(within.split_once('/').map_or("", |(_, key)| key));
        let query: Vec<(&str, &str)> =
            query.split('&').map(|each| each.split_once('=').unwrap_or((each, ""))).collect();
        let has = |name: &str| query.iter().any(|(own, _)| *own == name);
        let id = query.iter().find(|(name, _)| *name == "uploadId").map(|(_, id)| decoded(id));
        Some(match (asked.method, id) {
            (_, Some(id)) => self.of_upload(asked, &key, &id),
            ("POST", None) if has("uploads") => {
                self.next += 1;
                self.uploads.insert(self.next.to_string(), 0);
                let id = self.next;
                let text = format!(
                    "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                );
                Reply { text, ..Reply::default() }
            }
            ("GET", None) if has("uploads") => {
                Reply { text: "<ListMultipartUploadsResult/>".to_owned(), ..Reply::default() }
            }
            ("GET", None) if has("list-type") => self.list(&query),
            ("GET" | "HEAD", None) => match self.objects.get(&key) {
                Some(bytes) => Reply { bytes: *bytes, ..Reply::default() },
                None => refused("404 Not Found", "NoSuchKey"),
            },
            ("PUT", None) if !key.is_empty() => {
                self.objects.insert(key, asked.body);
                Reply { headers: "ETag: \"object\"\r\n".to_owned(), ..Reply::default() }
            }
            ("DELETE", None) => {
                self.objects.remove(&key);
                Reply { status: "204 No Content", ..Reply::default() }
            }
            _ => refused("400 Bad Request", "InvalidRequest"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(store: &mut OwnStore, method: &str, path: &str, body: u64) -> Reply {
        store.answer(Asked { method, path: &format!("/word{path}"), body }).unwrap()
    }

    #[test]
    fn objects_are_there_from_put_to_delete() {
        let mut store = OwnStore::new("word");
        assert!(store.answer(Asked { method: "GET", path: "/other/b/x", body: 0 }).is_none());
        assert_eq!(ask(&mut store, "GET", "/b/x", 0).status, "404 Not Found");
        for key in ["p/1", "p/2", "p/3", "q%20r/1"] {
            ask(&mut store, "PUT", &format!("/b/{key}"), 7);
        }
        assert_eq!(ask(&mut store, "GET", "/b/p/2", 0).bytes, 7);
        let keys = |reply: &Reply| reply.text.matches("<Key>").count();
        assert_eq!(keys(&ask(&mut store, "GET", "/b?list-type=2&prefix=p%2F", 0)), 3);
        assert_eq!(keys(&ask(&mut store, "GET", "/b?list-type=2&prefix=p%2F&start-after=p%2F1", 0)), 2);
        assert_eq!(keys(&ask(&mut store, "GET", "/b?list-type=2&max-keys=1&prefix=", 0)), 1);
        assert!(ask(&mut store, "GET", "/b?list-type=2&prefix=q", 0).text.contains("<Key>q r/1</Key>"));
        assert_eq!(ask(&mut store, "DELETE", "/b/p/2", 0).status, "204 No Content");
        assert_eq!(ask(&mut store, "GET", "/b/p/2", 0).status, "404 Not Found");
    }

    #[test]
    fn an_upload_of_parts_is_an_object_once_it_is_complete() {
        let mut store = OwnStore::new("word");
        let reply = ask(&mut store, "POST", "/b/x?uploads=", 0);
        assert!(reply.text.contains("<UploadId>1</UploadId>"), "{reply:?}");
        for part in 1..=2 {
            let reply = ask(&mut store, "PUT", &format!("/b/x?partNumber={part}&uploadId=1"), 10);
            assert!(reply.headers.starts_with("ETag: "), "{reply:?}");
        }
        assert_eq!(ask(&mut store, "GET", "/b/x", 0).status, "404 Not Found");
        ask(&mut store, "POST", "/b/x?uploadId=1", 99);
        assert_eq!(ask(&mut store, "GET", "/b/x", 0).bytes, 20);
        assert_eq!(ask(&mut store, "DELETE", "/b/x?uploadId=1", 0).status, "404 Not Found");
    }
}
