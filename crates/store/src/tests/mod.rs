//! Tests of the store as a whole: what is kept, and what is opened.

mod annotating;
mod example;
mod journal;
mod keeping;
mod listing;
mod opening;
mod removing;
mod resuming;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rustix::process::geteuid;
use rustix::thread::{Gid, Uid, set_thread_res_gid, set_thread_res_uid};

/// Every file in a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let bytes = fs::read(entry.path()).unwrap_or_default();
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect()
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    contents(folder).into_keys().collect()
}

/// Does something without root's right to pass over file modes: on Linux the
/// ids belong to the thread, so a thread of its own gives them away. For an
/// ordinary user nothing changes.
fn as_ordinary_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const NOBODY: u32 = 65_534;
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                if geteuid().is_root() {
                    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
                    set_thread_res_gid(group, group, group).unwrap();
                    set_thread_res_uid(user, user, user).unwrap();
                }
                work()
            })
            .join()
            .unwrap()
    })
}
