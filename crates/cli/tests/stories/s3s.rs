//! Loads on objects against `s3s-fs`, an object store of another project that verifies signatures. The long
//! test installs it. It keeps each object as a file, and what it knows beside them in files of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::{StoryFolder, eventually, trials};

const KEY_ID: &str = "AKIDSTORY";
const SECRET: &str = "of/no+use=Elsewhere";
const BUCKET: &str = "story-bucket";

/// A running store with one bucket; it ends when it is dropped.
struct Store {
    child: Child,
    root: PathBuf,
    endpoint: String,
    place: StoryFolder,
}

impl Store {
    /// None where it is not installed. In CI it is.
    fn start() -> Option<Self> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let program = target.join("tools/bin/s3s-fs");
        if !program.exists() {
            assert!(std::env::var_os("CI").is_none(), "CI has no s3s-fs");
            println!("skipped: there is no s3s-fs; `cargo xtask test --long` installs it");
            return None;
        }
        let place = StoryFolder::new();
        let root = place.path().join("store");
        std::fs::create_dir_all(root.join(BUCKET)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--access-key", KEY_ID, "--secret-key", SECRET])
            .arg(&root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut store = Self { child, root, endpoint: format!("http://127.0.0.1:{port}"), place };
        eventually("the store listens", || {
            assert!(store.child.try_wait().unwrap().is_none(), "it ended");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(store)
    }

    /// One trial of each case, with these keys.
    fn run(&self, keys: [&str; 2], workload: &str, words: &[&str]) -> (i32, Value) {
        let [key_id, secret] = keys;
        let text = format!("[default]\naws_access_key_id = {key_id}\naws_secret_access_key = {secret}\n");
        std::fs::write(self.place.path().join("keys"), text).unwrap();
        let usual = ["run", workload, "--trials", "1", "--endpoint", &self.endpoint, "--credentials", "keys"];
        let (code, document) = self.place.document(&[&usual[..], words].concat());
        let text = document.to_string();
        assert!(!text.contains(secret) && !text.contains(key_id), "keys are in the document");
        (code, document)
    }

    /// The same with its own keys, where all goes well.
    fn good(&self, workload: &str, words: &[&str]) -> Value {
        let (code, document) = self.run([KEY_ID, SECRET], workload, words);
        assert_eq!(code, 0, "{document:#}");
        for trial in trials(&document) {
            assert_eq!(trial["status"], "ok", "{trial:#}");
            assert_eq!(trial["loads"][0]["metrics"]["error_share"]["value"], 0.0, "{trial:#}");
        }
        self.assert_empty();
        document
    }

    /// Nothing of a trial stays: the store has no object. It leaves the folders that it made for them.
    fn assert_empty(&self) {
        let mut folders = vec![self.root.join(BUCKET)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                assert!(path.is_dir(), "{} stays", path.display());
                folders.push(path);
            }
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answers(trial: &Value) -> &str {
    trial["loads"][0]["facts"]["answers"].as_str().unwrap()
}

/// Names that have to be encoded in paths and queries, each in its way.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_store_that_verifies_signatures_takes_every_operation() {
    let Some(store) = Store::start() else { return };
    let bucket = format!("s3://{BUCKET}/a b/é&c=d~(x)!*/50%");
    let usual = ["--bucket", &bucket, "--payload", "signed,unsigned", "--concurrency", "4", "--warm-up", "0"];
    let cases: [(&str, &[&str]); 4] = [
        ("object.put", &["--size", "20000", "--objects", "8", "--requests", "40"]),
        ("object.get", &["--size", "20000", "--objects", "8", "--requests", "40"]),
        ("object.list", &["--objects", "30", "--max-keys", "7", "--requests", "40"]),
        ("object.delete", &["--objects", "40"]),
    ];
    for (workload, words) in cases {
        let document = store.good(workload, &[&usual[..], words].concat());
        let all = trials(&document);
        assert_eq!(all.len(), 2);
        for trial in all {
            let (status, count) = answers(trial).split_once(": ").unwrap();
            assert_eq!(status, if workload == "object.delete" { "204" } else { "200" }, "{trial:#}");
            assert!(count.parse::<u64>().unwrap() >= 40, "{workload}: {count}");
        }
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn objects_in_parts_are_completed_and_parts_that_are_too_small_are_told() {
    let Some(store) = Store::start() else { return };
    let bucket = format!("s3://{BUCKET}/parts");
    let usual = ["--bucket", &bucket, "--concurrency", "2", "--objects", "2", "--warm-up", "0"];
    let parts = ["--size", "11m", "--part-size", "5m", "--parts", "1,2", "--requests", "4"];
    let document = store.good("object.put", &[&usual[..], &parts].concat());
    for trial in trials(&document) {
        // Each begins, sends three parts, and is completed.
        let (status, count) = answers(trial).split_once(": ").unwrap();
        let count: u64 = count.parse().unwrap();
        assert!(status == "200" && count >= 20 && count.is_multiple_of(5), "{trial:#}");
    }
    let small = ["--size", "30k", "--part-size", "10k", "--requests", "10"];
    let (code, document) = store.run([KEY_ID, SECRET], "object.put", &[&usual[..], &small].concat());
    assert_eq!(code, 1, "{document:#}");
    // This store then refuses to abort them, which must not hide why they failed.
    let reason = trials(&document)[0]["reason"].as_str().unwrap();
    let place = reason.find("EntityTooSmall").unwrap_or_else(|| panic!("{reason}"));
    assert!(reason.find("could not be removed").is_none_or(|left| left > place), "{reason}");
    store.assert_empty();
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_store_that_verifies_signatures_refuses_wrong_keys_and_these_are_told() {
    let Some(store) = Store::start() else { return };
    let bucket = format!("s3://{BUCKET}");
    // Amazon's word for a key that is not known is InvalidAccessKeyId; this store has another.
    let cases: [([&str; 2], &[&str]); 2] = [
        ([KEY_ID, "another/Secret"], &["403 SignatureDoesNotMatch"]),
        (["AKIDNOBODY", SECRET], &["403 InvalidAccessKeyId", "403 NotSignedUp"]),
    ];
    for (keys, codes) in cases {
        for workload in ["object.put", "object.get", "object.list", "object.delete"] {
            let (code, document) = store.run(keys, workload, &["--bucket", &bucket]);
            assert_eq!(code, 1, "{document:#}");
            let reason = trials(&document)[0]["reason"].as_str().unwrap();
            assert!(codes.iter().any(|code| reason.contains(code)), "{reason}");
            store.assert_empty();
        }
    }
}
