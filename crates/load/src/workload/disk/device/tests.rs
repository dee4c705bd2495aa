//! Tests of the judgement with devices as data, and of the claim with a real
//! loop device.

use std::path::PathBuf;
use std::process::Command;

use model::identity::{DeviceIdentity, Identity};
use model::plan::ProblemKind;
use proptest::prelude::*;

use super::*;

fn state() -> DeviceState {
    DeviceState { path: "/dev/sdb".to_owned(), bytes: 1 << 30, logical_block: 512, ..DeviceState::default() }
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|s| (*s).to_owned()).collect()
}

/// What is said of writing to `/dev/sdb`.
fn writing(state: &DeviceState, destroy: &[&str], wipe: &[&str]) -> Result<Ownership, Problem> {
    check("/dev/sdb", true, state, &texts(destroy), &texts(wipe))
}

#[test]
fn reading_needs_nothing() {
    let state = DeviceState {
        in_use: texts(&["/dev/sdb1 is mounted at /srv"]),
        signatures: texts(&["gpt", "ext4 on /dev/sdb1"]),
        unknown: Some("nobody knows".to_owned()),
        read_only: true,
        ..state()
    };
    assert_eq!(check("/dev/sdb", false, &state, &[], &[]), Ok(Ownership::Borrowed));
}

#[test]
fn an_empty_device_is_written_if_it_was_given_up_by_a_name_of_its_own() {
    assert_eq!(writing(&state(), &["/dev/sdb"], &[]), Ok(Ownership::Surrendered));
    for destroy in [&[][..], &["/dev/sdc"], &["/dev/sdb1"], &["sdb"], &["/dev/null"], &["/"]] {
        let problem = writing(&state(), destroy, &["ext4"]).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Refused);
        assert!(problem.help.ends_with("add --destroy /dev/sdb"), "{problem:?}");
        assert!(problem.message.contains("no signature was found on it"), "{problem:?}");
    }
    // The name that was typed, and the real one.
    for name in ["/dev/disk/by-id/x", "/dev/sdb"] {
        let given = check("/dev/disk/by-id/x", true, &state(), &texts(&[name]), &[]);
        assert_eq!(given, Ok(Ownership::Surrendered));
    }
}

#[test]
fn every_signature_must_be_given_up_by_its_type() {
    let held =
        DeviceState { signatures: texts(&["gpt", "ext4 on /dev/sdb1", "ext4 on /dev/sdb2"]), ..state() };
    assert_eq!(writing(&held, &["/dev/sdb"], &["ext4", "gpt"]), Ok(Ownership::Surrendered));
    for (destroy, wipe, missing) in [
        (&[][..], &[][..], "--destroy /dev/sdb --wipe ext4 --wipe gpt"),
        (&["/dev/sdb"], &[], "--wipe ext4 --wipe gpt"),
        (&["/dev/sdb"], &["gpt"], "--wipe ext4"),
        (&["/dev/sdb"], &["ext4", "gp", "gpt2", "ext4 on /dev/sdb1"], "--wipe gpt"),
        (&["/dev/sdb"], &["GPT", "EXT4", ""], "--wipe ext4 --wipe gpt"),
    ] {
        let problem = writing(&held, destroy, wipe).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Refused);
        assert!(problem.help.ends_with(&format!(", add {missing}")), "{problem:?}");
        assert!(problem.message.contains("gpt, ext4 on /dev/sdb1, ext4 on /dev/sdb2"), "{problem:?}");
    }
}

#[test]
fn what_no_option_allows_is_refused_with_all_reasons() {
    let all = ["/dev/sdb1 is mounted at /srv", "/dev/sdb2 is in use as swap"];
    let problem = writing(&DeviceState { in_use: texts(&all), ..state() }, &["/dev/sdb"], &[]).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(all.iter().all(|reason| problem.message.contains(reason)), "{problem:?}");
    assert!(!problem.help.contains("--destroy") && problem.help.contains("no option"), "{problem:?}");

    let unknown = DeviceState { unknown: Some("wipefs is not installed".to_owned()), ..state() };
    let problem = writing(&unknown, &["/dev/sdb"], &[]).unwrap_err();
    assert!(problem.message.contains("wipefs is not installed"), "{problem:?}");

    let problem = writing(&DeviceState { read_only: true, ..state() }, &["/dev/sdb"], &[]).unwrap_err();
    assert!(problem.message.contains("read-only"), "{problem:?}");

    for writes in [false, true] {
        let problem = check("/dev/sdb", writes, &DeviceState { bytes: 0, ..state() }, &[], &[]).unwrap_err();
        assert!(problem.message.contains("without a medium"), "{problem:?}");
    }
}

fn some_state() -> impl Strategy<Value = DeviceState> {
    let kinds =
        prop::sample::subsequence(vec!["ext4", "gpt", "swap", "ext4 on /dev/sdb1", "LVM2_member"], 0..=5);
    let uses = prop::collection::vec("[a-z /]{0,12}", 0..3);
    let unknown = prop::option::of("[a-z]{0,5}");
    (kinds, uses, unknown, any::<bool>(), 0..3u64).prop_map(|(kinds, in_use, unknown, read_only, bytes)| {
        DeviceState { signatures: texts(&kinds), in_use, unknown, read_only, bytes, ..state() }
    })
}

proptest! {
    /// Nothing that a user gives makes a device in use one to be written to;
    /// and of others no condition is forgotten, nor one invented.
    #[test]
    fn a_device_in_use_is_never_written(
        state in some_state(),
        destroy in prop::sample::subsequence(vec!["/dev/sdb", "/dev/sdc", ""], 0..=3),
        wipe in prop::sample::subsequence(vec!["ext4", "gpt", "swap", "LVM2_member", ""], 0..=5),
    ) {
        let allowed = writing(&state, &destroy, &wipe) == Ok(Ownership::Surrendered);
        prop_assert!(!allowed || state.in_use.is_empty());
        let all_wiped = state.signatures.iter().all(|s| wipe.iter().any(|w| s == w || s.starts_with(&format!("{w} on "))));
        let expected = state.in_use.is_empty()
            && state.unknown.is_none()
            && !state.read_only
            && state.bytes > 0
            && destroy.contains(&"/dev/sdb")
            && all_wiped;
        prop_assert_eq!(allowed, expected);
    }
}

/// A loop device on a file of its own, detached again however the test ends.
struct Loop {
    device: PathBuf,
    _folder: tempfile::TempDir,
}

impl Loop {
    /// None, said on the way, where there are no loop devices for us.
    fn new(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        File::create(&file).unwrap().set_len(bytes).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        match output {
            Ok(output) if output.status.success() => {
                let device = String::from_utf8(output.stdout).unwrap().trim().into();
                Some(Self { device, _folder: folder })
            }
            other => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {other:?}");
                println!("skipped: no loop device can be made: {other:?}");
                None
            }
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}

#[test]
fn a_claim_keeps_others_out_and_lets_our_own_workers_in() {
    use std::os::fd::AsRawFd;
    let Some(disk) = Loop::new(1 << 20) else { return };
    let busy =
        |result: io::Result<File>| result.map_err(|e| e.kind()).unwrap_err() == ErrorKind::ResourceBusy;
    let again = |file: &File, flags: i32| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(flags);
        options.open(format!("/proc/self/fd/{}", file.as_raw_fd()))
    };

    let claim = open(&disk.device, true, true).unwrap();
    assert!(busy(open(&disk.device, true, false)), "two claims");
    assert!(busy(again(&claim, libc::O_EXCL)), "a second claim of our own");
    assert!(open(&disk.device, false, true).is_ok(), "readers are let in");
    // What the kernel itself does for a mount is such a claim.
    let made = Command::new("mkswap").arg(&disk.device).output().unwrap();
    assert!(!made.status.success(), "{made:?}");

    let worker = again(&claim, libc::O_DIRECT).unwrap();
    drop(claim);
    assert!(open(&disk.device, true, true).is_ok(), "a worker holds no claim");
    drop(worker);
}

/// A device at `path` on which things are not as they were.
fn seen(path: &Path, change: impl FnOnce(&mut DeviceState)) -> io::Result<DeviceState> {
    // While it is looked at it is claimed already.
    assert_eq!(open(path, true, false).unwrap_err().kind(), ErrorKind::ResourceBusy);
    let identity = DeviceIdentity { number: 7, ..DeviceIdentity::default() };
    let mut state = DeviceState { path: path.to_string_lossy().into_owned(), identity, ..state() };
    change(&mut state);
    Ok(state)
}

/// Says of every open device that it is the same one.
const LOOK: DeviceProbe = DeviceProbe {
    state: |path| seen(path, |_| {}),
    identity: |_| Ok(DeviceIdentity { number: 7, ..DeviceIdentity::default() }),
};

/// The device with what was given up on it.
fn key(disk: &Loop, held: &[&str]) -> FixtureKey {
    let identity = Some(Identity::Device((LOOK.identity)(&File::open("/dev/null").unwrap()).unwrap()));
    let key = FixtureKey::new("device", disk.device.to_string_lossy(), 1 << 20, Ownership::Surrendered);
    FixtureKey { holds: texts(held), identity, ..key }
}

#[test]
fn another_device_under_the_name_is_not_claimed() {
    let Some(disk) = Loop::new(1 << 20) else { return };
    let claimed = |look| claim(&disk.device, &key(&disk, &[]), look).map_err(|e| e.to_string());
    let other: fn(&File) -> io::Result<DeviceIdentity> =
        |_| Ok(DeviceIdentity { number: 7, sequence: Some(2), ..DeviceIdentity::default() });
    let open = claimed(DeviceProbe { identity: other, state: |_| panic!("looked at another device") });
    assert!(open.unwrap_err().contains("since it was looked at, it was taken away"));
    // The open one is right, and the name means another.
    let named = claimed(DeviceProbe { state: |path| seen(path, |s| s.identity.number = 8), ..LOOK });
    assert!(named.unwrap_err().contains("its name came to mean another device"));
    assert!(claimed(LOOK).is_ok());
    // Nor is it read.
    let key = FixtureKey { ownership: Ownership::Borrowed, ..key(&disk, &[]) };
    let read = |look| open_to_read(&disk.device, &key, look).map_err(|e| e.to_string());
    assert!(read(DeviceProbe { identity: other, ..LOOK }).unwrap_err().contains("nothing is read from"));
    assert!(read(LOOK).is_ok());
}

#[test]
fn what_a_claim_finds_is_judged_again() {
    let Some(disk) = Loop::new(1 << 20) else { return };
    let claimed = |held: &[&str], look| {
        claim(&disk.device, &key(&disk, held), DeviceProbe { state: look, ..LOOK }).map_err(|e| e.to_string())
    };
    let used = claimed(&["xfs"], |path| seen(path, |s| s.in_use = texts(&["/dev/vm is open"])));
    assert!(used.unwrap_err().ends_with("come into use: /dev/vm is open"));
    let unknown = claimed(&["xfs"], |path| seen(path, |s| s.unknown = Some("it is gone".to_owned())));
    assert!(unknown.unwrap_err().ends_with("what would be lost: it is gone"));
    for held in [&[][..], &["ext4"], &["xfs on /dev/sdb1"]] {
        let formatted = claimed(held, |path| seen(path, |s| s.signatures = texts(&["xfs"])));
        assert!(formatted.unwrap_err().ends_with("not given up: xfs"));
    }
    assert!(claimed(&[], |_| Err(io::Error::other("no answer"))).unwrap_err().contains("no answer"));
    // As it was, or less.
    let same = claimed(&["gpt", "xfs"], |path| seen(path, |s| s.signatures = texts(&["xfs"]))).unwrap();
    assert!(claimed(&[], |_| panic!("looked at without a claim")).unwrap_err().contains("busy"));
    drop(same);
    assert!(claimed(&[], |path| seen(path, |_| {})).is_ok());
}

#[test]
fn only_a_device_by_its_real_name_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    for write in [false, true] {
        assert_eq!(open(&file, write, false).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    let Some(disk) = Loop::new(1 << 20) else { return };
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    assert!(open(&link, true, false).is_err());
    // It is the same device, though, when it is given up.
    let state = DeviceState { path: disk.device.to_string_lossy().into_owned(), ..state() };
    let given = check("typed", true, &state, &[link.to_string_lossy().into_owned()], &[]);
    assert_eq!(given, Ok(Ownership::Surrendered));
}

#[test]
fn a_device_that_is_given_up_in_a_moment_is_waited_for_and_no_other() {
    let opened = |busy: usize, then: fn() -> io::Result<File>| {
        let mut tries = 0;
        let result = once_free(|| {
            tries += 1;
            if tries <= busy { Err(ErrorKind::ResourceBusy.into()) } else { then() }
        });
        (tries, result.map(drop).map_err(|e| e.kind()))
    };
    let free = || File::open("/dev/null");
    assert_eq!(opened(0, free), (1, Ok(())));
    assert_eq!(opened(2, free), (3, Ok(())));
    assert_eq!(opened(usize::MAX, free), (21, Err(ErrorKind::ResourceBusy)));
    assert_eq!(opened(1, || Err(ErrorKind::NotFound.into())), (2, Err(ErrorKind::NotFound)));
}
