//! Preconditioning of real files and of a loop device.

use std::io::Read;
use std::os::unix::fs::FileExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use model::{FactName, Value};

use super::*;
use crate::fixture::FixtureStore;
use crate::host::HostInfo;
use crate::workload::FIXTURES;
use crate::workload::disk::content::Content;
use crate::workload::disk::files::Details;

const ONE: Details = Details { files: 1, content: Content::Random, purge: false, kept: false };

/// A file that was given up.
fn key(target: &Path, bytes: u64, state: TargetState) -> FixtureKey {
    let key = FixtureKey::new(FILE, target.to_string_lossy(), bytes, Ownership::Surrendered);
    ONE.put(FixtureKey { state, ..key })
}

/// Files that are open.
fn opened(key: &FixtureKey, file: File) -> Files {
    let details = Details::of(key).unwrap();
    Files { key: key.clone(), details, files: vec![file], look: None, kept: None }
}

/// A file with zeros, and how it is open for who preconditions it.
fn file(folder: &Path, bytes: u64) -> (PathBuf, File) {
    let path = folder.join("data");
    std::fs::write(&path, vec![0u8; bytes as usize]).unwrap();
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    (path, file)
}

/// The first eight bytes of each 4 KiB.
fn marks(path: &Path) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    File::open(path).unwrap().read_to_end(&mut all).unwrap();
    all.chunks(4096).map(|block| block[..8.min(block.len())].to_vec()).collect()
}

/// An odd size: whole blocks of 128 KiB, and a rest with a part of a page.
const BYTES: u64 = (3 << 20) + (40 << 10) + 700;

#[test]
fn all_of_a_file_is_written_over_once_or_twice() {
    let folder = tempfile::tempdir_in(".").unwrap();
    for (state, passes) in [(TargetState::Filled, 1), (TargetState::Steady, 2)] {
        let (path, file) = file(folder.path(), BYTES);
        let key = key(&path, BYTES, state);
        assert_eq!((key.written, key.discarded), (passes * BYTES, 0));
        let mut after_each = Vec::new();
        let mut last = 0;
        bring(&opened(&key, file), &mut |done| {
            assert!(done >= last, "{done} after {last}");
            last = done;
            // Told last when a pass is over.
            if done.is_multiple_of(BYTES) && done / BYTES > after_each.len() as u64 {
                after_each.push(marks(&path));
            }
            true
        })
        .unwrap();
        assert_eq!((last, after_each.len() as u64), (passes * BYTES, passes));
        for block in &after_each[0] {
            assert!(block.iter().any(|byte| *byte != 0), "something was left out");
        }
        for pass in after_each.windows(2) {
            assert!(pass[0].iter().zip(&pass[1]).all(|(a, b)| a != b), "not all of it was written again");
        }
        assert_eq!(std::fs::metadata(&path).unwrap().len(), BYTES, "the file grew");
    }
}

#[test]
fn it_stops_when_told_to() {
    let folder = tempfile::tempdir_in(".").unwrap();
    // Much more than is written until the desk looks up, which is every 200 ms.
    let bytes = 1 << 30;
    let (path, file) = file(folder.path(), 0);
    file.set_len(bytes).unwrap();
    let key = key(&path, bytes, TargetState::Steady);
    let told = bring(&opened(&key, file), &mut |done| done < 1 << 20);
    assert!(matches!(told, Err(Fault::Cancelled)), "{told:?}");
    let mut last = [1; 4096];
    File::open(&path).unwrap().read_exact_at(&mut last, bytes - 4096).unwrap();
    assert_eq!(last, [0; 4096], "it went on to the end");
}

#[test]
fn files_of_ours_are_whole_after_it_and_say_their_state() {
    let folder = tempfile::tempdir_in(".").unwrap();
    for (state, word) in
        [(TargetState::Discarded, "none"), (TargetState::Filled, "fill"), (TargetState::Steady, "full")]
    {
        let users = key(folder.path(), 5 << 20, state);
        let key = Details { files: 2, purge: true, ..ONE }
            .put(FixtureKey { ownership: Ownership::Created, ..users });
        let (mut store, mut most) = (FixtureStore::new(FIXTURES), 0);
        let made = store.make(&key, &HostInfo::default(), &mut |done| {
            most = most.max(done);
            true
        });
        made.unwrap();
        assert_eq!(most, key.written, "{word}");
        let fixture = store.find::<Files>(&key).unwrap();
        let facts = fixture.facts();
        for (name, value) in [
            ("target_kind", "file".into()),
            ("preconditioned", word.into()),
            ("purged", "a new file".into()),
            ("allocated_share", Value::Number(1.0)),
        ] {
            assert!(facts.contains(&(FactName::new(name), value)), "{name}: {facts:?}");
        }
        for file in fixture.open(OpenMode::default()).unwrap() {
            assert_eq!(file.metadata().unwrap().len(), 5 << 19);
        }
    }
}

/// A loop device on a file, detached when dropped.
struct Loop(PathBuf);

impl Loop {
    fn on(file: &Path) -> Option<Self> {
        let output = Command::new("losetup").args(["--find", "--show"]).arg(file).output();
        match output {
            Ok(output) if output.status.success() => {
                Some(Self(String::from_utf8_lossy(&output.stdout).trim().into()))
            }
            other => {
                assert!(std::env::var_os("CI").is_none(), "CI must have loop devices: {other:?}");
                println!("skipped: a loop device needs root and losetup");
                None
            }
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

#[test]
fn a_device_is_discarded_before_it_is_written() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let path = folder.path().join("disk");
    let bytes = 8 << 20;
    std::fs::write(&path, vec![7u8; bytes as usize]).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    let Some(device) = Loop::on(&path) else { return };
    let open = || {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_EXCL).open(&device.0).unwrap()
    };
    let allocated = || std::fs::metadata(&path).unwrap().blocks() * 512;
    assert!(allocated() >= bytes);

    let kind = DEVICE.to_owned();
    let given_up = FixtureKey { kind, ..key(&device.0, bytes, TargetState::Discarded) };
    let purge = Details { purge: true, ..ONE }.put(given_up);
    assert_eq!((purge.written, purge.discarded), (0, bytes));
    let files = opened(&purge, open());
    bring(&files, &mut |_| true).unwrap();
    assert!(allocated() < bytes / 8, "{} bytes are still there", allocated());
    assert!(files.facts().contains(&(FactName::new("purged"), "discarded".into())), "{:?}", files.facts());
    drop(files);

    let full = FixtureKey { state: TargetState::Steady, ..purge };
    let mut last = 0;
    bring(&opened(&full, open()), &mut |done| {
        last = done;
        true
    })
    .unwrap();
    assert_eq!(last, 3 * bytes, "discarded once, written twice");
    assert!(allocated() >= bytes && marks(&path).iter().all(|mark| *mark != [0; 8] && *mark != [7; 8]));
}

#[test]
fn what_contradicts_a_state_is_named() {
    let mut p = Parameters::default();
    p.set(named("precondition"), "full");
    let mut plan = plan_with(p).unwrap();
    assert_eq!((&plan.state, plan.purge), (&TargetState::Steady, false));
    plan.until = Some(StopRule::Full);
    assert!(check(&plan, &[]).unwrap_err().message.contains("empty"));
    plan.until = None;
    assert_eq!(check(&plan, &[]), Ok(()));
    plan.purge = true;
    let users = key(Path::new("data"), 1 << 20, TargetState::Discarded);
    assert!(check(&plan, &[users]).unwrap_err().message.contains("data is a file"));
}
