//! Preconditioning of real files and of a loop device.

use std::io::Read;
use std::os::unix::fs::FileExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::workload::DeviceProbe;

fn key(target: &Path, bytes: u64, ownership: Ownership, precondition: Precondition) -> FixtureKey {
    FixtureKey { precondition, ..FixtureKey::new(target.to_string_lossy(), bytes, ownership) }
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
    for (state, passes) in [(Precondition::Fill, 1), (Precondition::Full, 2)] {
        let (path, file) = file(folder.path(), BYTES);
        let key = key(&path, BYTES, Ownership::Surrendered, state);
        assert_eq!((key.written(), key.discarded()), (passes * BYTES, 0));
        let mut after_each = Vec::new();
        let mut last = 0;
        bring(&key, &[file], &mut |done| {
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
    let key = key(&path, bytes, Ownership::Surrendered, Precondition::Full);
    let told = bring(&key, &[file], &mut |done| done < 1 << 20);
    assert!(matches!(told, Err(Fault::Cancelled)), "{told:?}");
    let mut last = [1; 4096];
    File::open(&path).unwrap().read_exact_at(&mut last, bytes - 4096).unwrap();
    assert_eq!(last, [0; 4096], "it went on to the end");
}

#[test]
fn files_of_ours_are_whole_after_it_and_say_their_state() {
    let folder = tempfile::tempdir_in(".").unwrap();
    for (state, word) in
        [(Precondition::None, "none"), (Precondition::Fill, "fill"), (Precondition::Full, "full")]
    {
        let key =
            FixtureKey { files: 2, purge: true, ..key(folder.path(), 5 << 20, Ownership::Created, state) };
        let mut most = 0;
        let fixture = fixture::Fixture::make(&key, DeviceProbe::default(), &mut |done| {
            most = most.max(done);
            true
        })
        .unwrap();
        assert_eq!(most, key.written(), "{word}");
        let facts = fixture.facts();
        for (name, value) in [
            ("target_kind", "file".into()),
            ("preconditioned", word.into()),
            ("purged", "a new file".into()),
            ("allocated_share", Value::Number(1.0)),
        ] {
            assert!(facts.contains(&(name, value)), "{name}: {facts:?}");
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

    let purge = FixtureKey {
        device: true,
        purge: true,
        ..key(&device.0, bytes, Ownership::Surrendered, Precondition::None)
    };
    assert_eq!((purge.written(), purge.discarded()), (0, bytes));
    bring(&purge, &[open()], &mut |_| true).unwrap();
    assert!(allocated() < bytes / 8, "{} bytes are still there", allocated());
    assert!(facts(&purge).contains(&("purged", "discarded".into())), "{:?}", facts(&purge));

    let full = FixtureKey { precondition: Precondition::Full, ..purge };
    let mut last = 0;
    bring(&full, &[open()], &mut |done| {
        last = done;
        true
    })
    .unwrap();
    assert_eq!(last, 3 * bytes, "discarded once, written twice");
    assert!(allocated() >= bytes && marks(&path).iter().all(|mark| *mark != [0; 8] && *mark != [7; 8]));
}

#[test]
fn what_contradicts_a_state_is_named() {
    let mut p = defaults();
    p.set("precondition", "full");
    assert_eq!(of(&p).unwrap(), (Precondition::Full, false));
    p.set("until", "full");
    assert!(check(&p, &[]).unwrap_err().message.contains("empty"));
    p.set("until", "time");
    assert_eq!(check(&p, &[]), Ok(()));
    let users = FixtureKey {
        purge: true,
        ..key(Path::new("data"), 1 << 20, Ownership::Surrendered, Precondition::None)
    };
    assert!(check(&p, &[users]).unwrap_err().message.contains("data is a file"));
}
