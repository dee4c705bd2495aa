//! Verification through every engine: devices that keep what they are given
//! pass, and devices that lie are told by the kind of their lie. The liar is a
//! loop device whose file changes under it, after the last write and before the
//! first byte is read back.

use engine::{Fault, Observer};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use model::trial::Timeline;
use model::{Phase, Value};

use crate::support::{Facts, Silent, parameters, run, survey};

/// One trial of what these words ask for.
fn trial(target: &Path, words: &str, observer: &dyn Observer, cancel: &AtomicBool) -> Result<Facts, Fault> {
    let changes: Vec<(&str, &str)> = words
        .split_whitespace()
        .map(|word| word.split_once('=').unwrap())
        .chain([("verify", "crc32c")])
        .collect();
    let (parameters, kept) =
        survey(parameters(target, &changes)).unwrap_or_else(|problem| panic!("{words}: {problem:?}"));
    run(&parameters, &kept, observer, cancel).map(|(_, facts)| facts)
}

fn verified(facts: &Facts) -> u64 {
    match facts.iter().find(|(name, _)| *name == model::fact::VERIFIED_BLOCKS) {
        Some((_, Value::Integer(blocks))) => *blocks,
        other => panic!("{other:?}"),
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[test]
fn what_an_honest_disk_keeps_is_verified() {
    let folder = folder();
    let mix = "block-size=4k:70%+64k:30%";
    for (words, least) in [
        ("engine=io_uring queue-depth=8 pattern=write until=end", 4096),
        ("engine=io_uring queue-depth=8 pattern=randwrite distribution=once until=end threads=3", 4095),
        (&format!("engine=io_uring queue-depth=8 pattern=randwrite threads=2 requests=1500 {mix}"), 500),
        (&format!("engine=aio queue-depth=4 pattern=write bytes=30MiB {mix} files=4"), 500),
        // Many writes of one block in flight at once.
        ("engine=io_uring queue-depth=32 pattern=randwrite span=16k requests=5000", 4),
        ("engine=io_uring queue-depth=32 pattern=randwrite distribution=zipf zipf-theta=2 requests=3000", 20),
        (
            "engine=aio queue-depth=16 pattern=randwrite distribution=hot span=1MiB threads=2 requests=3000",
            150,
        ),
        ("engine=io_uring queue-depth=4 pattern=randrw files=4 sync=fsync sync-every=8 requests=800", 200),
        ("engine=sync pattern=readwrite sync=dsync bytes=2MiB", 150),
        ("engine=sync direct=no pattern=randwrite duration=100ms", 10),
        ("engine=sync direct=no pattern=write block-size=512 offset=1536 requests=700", 700),
        ("engine=mmap direct=no pattern=randwrite threads=2 requests=2000", 1000),
        ("engine=io_uring pattern=write block-size=3MiB size=30MiB threads=2 sync=end until=end", 8),
        ("engine=io_uring queue-depth=2 pattern=write content=compressible until=end", 4096),
    ] {
        let size = if words.contains(" size=") { "" } else { " size=16MiB" };
        let words = format!("{words}{size}");
        let facts = trial(folder.path(), &words, &Silent, &AtomicBool::new(false))
            .unwrap_or_else(|fault| panic!("{words}: {fault}"));
        assert!(verified(&facts) >= least, "{words}: {facts:?}");
    }
    let others = self::folder();
    let two = format!(
        "target={}+{} pattern=write size=16MiB until=end",
        folder.path().display(),
        others.path().display()
    );
    assert_eq!(verified(&trial(folder.path(), &two, &Silent, &AtomicBool::new(false)).unwrap()), 8192);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn what_cannot_be_verified_is_refused_with_the_reason() {
    let folder = folder();
    let refused = |words: &str| {
        let changes: Vec<_> = words.split_whitespace().map(|word| word.split_once('=').unwrap()).collect();
        let parameters = parameters(folder.path(), &[&changes[..], &[("verify", "crc32c")]].concat());
        survey(parameters).err().unwrap_or_else(|| panic!("{words} is let through")).message
    };
    for (words, reason) in [
        ("pattern=randread", "writes nothing"),
        ("pattern=trim", "writes nothing"),
        ("pattern=write content=zeros", "none would be zeros"),
        ("pattern=write content=duplicate", "a copy of another"),
        ("pattern=write direct=no block-size=1000", "1000 is no multiple"),
        ("pattern=write direct=no offset=100", "100 is no multiple"),
        ("pattern=write until=full size=16MiB threads=2", "each other's places"),
        ("pattern=randwrite size=16MiB block-size=16MiB threads=2", "one of 2 shares"),
    ] {
        assert!(refused(words).contains(reason), "{words}: {}", refused(words));
    }
}

/// Does something when the last write is over.
struct Then<F: Fn() + Sync>(F);

impl<F: Fn() + Sync> Observer for Then<F> {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, phase: Phase, _at_ns: u64) {
        if phase == Phase::Verify {
            (self.0)();
        }
    }
}

#[test]
fn a_verification_is_cancelled() {
    let folder = folder();
    let cancel = AtomicBool::new(false);
    let stop = Then(|| cancel.store(true, Ordering::Relaxed));
    let words = "engine=sync pattern=write size=16MiB until=end threads=4";
    let result = trial(folder.path(), words, &stop, &cancel);
    assert!(matches!(result, Err(Fault::Cancelled)), "{result:?}");
}

/// A loop device over a file, detached again however the test ends.
struct Loop {
    device: PathBuf,
    file: File,
    _folder: tempfile::TempDir,
}

const DEVICE_BYTES: u64 = 8 << 20;

impl Loop {
    /// None, said on the way, where there are no loop devices for us.
    fn new() -> Option<Self> {
        let folder = folder();
        let path = folder.path().join("disk");
        std::fs::write(&path, vec![0xab; DEVICE_BYTES as usize]).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&path).output();
        match output {
            Ok(output) if output.status.success() => {
                let device = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
                let file = File::options().read(true).write(true).open(&path).unwrap();
                Some(Self { device, file, _folder: folder })
            }
            _ => {
                assert!(std::env::var_os("CI").is_none(), "no loop device in CI");
                println!("skipped: a loop device needs root and losetup");
                None
            }
        }
    }

    fn block(&self, number: u64) -> Vec<u8> {
        let mut block = vec![0; 4096];
        self.file.read_exact_at(&mut block, number * 4096).unwrap();
        block
    }

    fn put(&self, number: u64, block: &[u8]) {
        self.file.write_all_at(block, number * 4096).unwrap();
    }

    /// What is said of a device that does `lie` before it is read.
    fn said(&self, words: &str, lie: impl Fn(&Self) + Sync) -> String {
        let then = Then(|| lie(self));
        let result = trial(&self.device, words, &then, &AtomicBool::new(false));
        result.map(|facts| format!("{facts:?}")).unwrap_or_else(|fault| fault.to_string())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}

#[test]
fn a_device_that_lies_is_told_by_its_lie() {
    let Some(device) = Loop::new() else { return };
    let name = device.device.display().to_string();
    let threads =
        ["engine=io_uring queue-depth=8 threads=2", "engine=sync threads=3", "engine=aio queue-depth=4"];
    for engine in threads {
        for pattern in ["write", "randwrite distribution=once"] {
            let words = format!("{engine} pattern={pattern} until=end");
            device.file.write_all_at(&vec![0xab; DEVICE_BYTES as usize], 0).unwrap();
            let said = device.said(&words, |device| {
                device.put(5, &[0xab; 4096]);
                device.put(100, &[0xab; 512]);
                device.put(700, &device.block(1300));
                let mut flipped = device.block(1500);
                flipped[2000] ^= 1;
                device.put(1500, &flipped);
            });
            assert_eq!(
                said,
                format!(
                    "verification failed: 4 of 2,048 blocks of {name} are wrong (1 lost, 1 torn, 1 misplaced, 1 \
                     corrupted): lost at 20480, torn at 409600, misplaced at 2867200, corrupted at 6144000"
                ),
                "{words}"
            );
            let honest = device.said(&words, |_| {});
            assert!(honest.contains("verified_blocks"), "{words}: {honest}");
            // A trial before it wrote the very same places in the same order.
            let before = device.block(9);
            let said = device.said(&words, |device| device.put(9, &before));
            assert!(said.contains("1 lost") && said.contains("lost at 36864"), "{words}: {said}");
        }
    }
}

#[test]
fn a_device_that_takes_a_write_back_is_stale() {
    let Some(device) = Loop::new() else { return };
    // Two passes over 256 blocks; between two writes of one lie 1.3 seconds.
    let words = "engine=io_uring pattern=write span=1MiB requests=512 rate=200/s";
    let first = Mutex::new(None);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            let written = || Some(device.block(17)).filter(|block| block[0] != 0xab);
            let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
            while first.lock().unwrap().is_none() && std::time::Instant::now() < end {
                *first.lock().unwrap() = written();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        device.said(words, |device| {
            let old = first.lock().unwrap().clone().unwrap();
            assert_ne!(old, device.block(17), "the first write of the block was missed");
            device.put(17, &old);
        })
    });
    let expected =
        format!("1 of 256 blocks of {} are wrong (1 stale): stale at 69632", device.device.display());
    assert!(said.ends_with(&expected), "{said}");
}

#[test]
fn what_cannot_be_read_back_is_said() {
    let Some(device) = Loop::new() else { return };
    // The loop's file ends earlier now: reading behind it fails or gives zeros.
    let said = device.said("engine=sync pattern=write until=end", |device| {
        device.file.set_len(DEVICE_BYTES - 8192).unwrap();
    });
    device.file.set_len(DEVICE_BYTES).unwrap();
    assert!(said.contains("2 of 2,048 blocks"), "{said}");
    assert!(said.contains("unreadable at 8380416") || said.contains("lost at 8380416"), "{said}");
}

/// A small file system that is unmounted again however the test ends.
struct Mount(tempfile::TempDir);

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_file_system_that_is_filled_up_is_verified_to_its_end() {
    let mount = Mount(folder());
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=96m", "tmpfs"]).arg(mount.0.path()).status();
    if !mounted.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "no mount in CI");
        println!("skipped: a mount needs root");
        return;
    }
    let words = "engine=sync pattern=write size=auto until=full block-size=64k";
    let facts = trial(mount.0.path(), words, &Silent, &AtomicBool::new(false)).unwrap();
    // 96 MiB of blocks, less what the file system itself needs.
    assert!((1500..=1536).contains(&verified(&facts)), "{facts:?}");
}
