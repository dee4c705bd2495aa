//! Whether a target still is what was looked at. Its name may have come to mean
//! something else: hours may lie between the survey and the first write, and an
//! agent that died is followed by one that opens everything anew. So what an
//! existing target is goes with its fixture, and is compared on the *open* file
//! before anything is done with it; what its name means then does not matter any
//! more.
//!
//! A file is told by its device, its inode and when it was made (an inode is used
//! again as soon as its file is gone). Which device a block device is, is read by
//! others.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use engine::fault::Fault;
use model::identity::{DeviceIdentity, FileIdentity, Identity};
use model::plan::{FixtureKey, Ownership, Problem};
use model::scalar::binary;
use rustix::fs::StatFs;

use crate::workload::disk::pseudo;

/// Which file is at `path`, whose metadata is known.
pub(super) fn of_file(path: &Path, metadata: &Metadata) -> Identity {
    identity(metadata, rustix::fs::statfs(path).ok())
}

fn identity(metadata: &Metadata, on: Option<StatFs>) -> Identity {
    /// Of `include/uapi/linux/magic.h`. There a file that is opened for writing
    /// becomes a copy of itself, made at that moment.
    const OVERLAYFS: u64 = 0x794c_7630;
    let is_overlay = on.is_some_and(|stat| pseudo::magic_of(&stat) == OVERLAYFS);
    let made = metadata.created().ok().filter(|_| !is_overlay);
    let made_ns = made.and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    Identity::File(FileIdentity {
        device: metadata.dev(),
        inode: metadata.ino(),
        made_ns: made_ns.and_then(|since| u64::try_from(since.as_nanos()).ok()),
        names: metadata.nlink(),
    })
}

/// Whether all names of a file that may be overwritten were given up: what is
/// written to one is written to all.
pub(super) fn check_names(text: &str, metadata: &Metadata, destroy: &[String]) -> Result<(), Problem> {
    let names = metadata.nlink();
    let given: BTreeSet<_> = destroy.iter().filter_map(|name| place_of(name, metadata)).collect();
    if names <= 1 || given.len() as u64 >= names {
        return Ok(());
    }
    Err(Problem::refused(
        format!(
            "{text} is one file with {names} names (hard links), and what is written to it is lost under all of \
             them; {} of them given up",
            match given.len() {
                1 => "1 was".to_owned(),
                more => format!("{more} were"),
            }
        ),
        format!(
            "give a copy of it; or, if all may be lost, name each of them with --destroy (`find DIR -xdev -samefile \
             {text}` lists those below DIR)"
        ),
    ))
}

/// Where the name `name` stands, if it is one of the file with this metadata: a
/// folder and the name in it, for a folder may be mounted at several places.
fn place_of(name: &str, file: &Metadata) -> Option<(u64, u64, OsString)> {
    let real = Path::new(name).canonicalize().ok()?;
    let found = real.metadata().ok()?;
    let folder = real.parent()?.metadata().ok()?;
    if (found.dev(), found.ino()) != (file.dev(), file.ino()) {
        return None;
    }
    Some((folder.dev(), folder.ino(), real.file_name()?.to_owned()))
}

/// Whether the open `file` is what `key` was looked at as; if not, what changed, and
/// that nothing is done with it.
pub(super) fn compare_file(key: &FixtureKey, file: &File, metadata: &Metadata) -> Result<(), Fault> {
    compare(key, &identity(metadata, rustix::fs::fstatfs(file).ok()))
}

/// The same of an open device.
pub(super) fn compare_device(key: &FixtureKey, now: &DeviceIdentity) -> Result<(), Fault> {
    compare(key, &Identity::Device(now.clone()))
}

fn compare(key: &FixtureKey, now: &Identity) -> Result<(), Fault> {
    let writes = key.ownership == Ownership::Surrendered;
    let why = match &key.identity {
        None if !writes => return Ok(()),
        None => "nobody looked at what it is".to_owned(),
        Some(then) => match difference(then, now, writes) {
            None => return Ok(()),
            Some(difference) => format!("since it was looked at, {difference}"),
        },
    };
    let done = if writes { "written to" } else { "read from" };
    Err(Fault::Other(format!(
        "nothing is {done} {}: {why}; see what it is now, and leave a target alone while it is measured",
        key.target
    )))
}

/// What tells one from the other, as a sentence without a full stop.
fn difference(then: &Identity, now: &Identity, writes: bool) -> Option<String> {
    match (then, now) {
        (Identity::File(then), Identity::File(now)) => of_files(then, now, writes),
        (Identity::Device(then), Identity::Device(now)) => of_devices(then, now),
        _ => Some("it came to be something else".to_owned()),
    }
}

fn of_files(then: &FileIdentity, now: &FileIdentity, writes: bool) -> Option<String> {
    let which = |of: &FileIdentity| (of.device, of.inode);
    // A server of files may leave the time out once.
    let was_made = then.made_ns.zip(now.made_ns);
    if which(then) != which(now) || was_made.is_some_and(|(then, now)| then != now) {
        return Some("another file was put in its place".to_owned());
    }
    // Of a name that went away nothing is lost.
    (writes && now.names > then.names).then(|| "the file got one more name (a hard link)".to_owned())
}

fn of_devices(then: &DeviceIdentity, now: &DeviceIdentity) -> Option<String> {
    // By a pattern, so that nothing is left out that is kept.
    let DeviceIdentity { number, sequence, bytes, start, called, backing } = then;
    let changes = [
        (*number != now.number, "its name came to mean another device"),
        (*backing != now.backing, "the loop device was attached to another file"),
        (*called != now.called, "another drive came in its place (it has another serial number)"),
        (*sequence != now.sequence, "it was taken away and attached again, or its medium was changed"),
        (*start != now.start, "the partition came to begin at another place"),
    ];
    let first = changes.into_iter().find(|(is_other, _)| *is_other).map(|(_, what)| what.to_owned());
    let size = || format!("its size went from {} to {}", binary(*bytes), binary(now.bytes));
    first.or_else(|| (*bytes != now.bytes).then(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_device_is_told_apart() {
        let drive = DeviceIdentity {
            number: 0x810,
            sequence: Some(7),
            bytes: 1 << 30,
            start: Some(2048),
            called: Some(3),
            backing: Some((1, 2)),
        };
        let told = |change: &dyn Fn(&mut DeviceIdentity)| {
            let mut now = drive.clone();
            change(&mut now);
            difference(&Identity::Device(drive.clone()), &Identity::Device(now), true).unwrap_or_default()
        };
        assert_eq!(told(&|_| {}), "");
        assert!(told(&|d| d.number = 0x820).contains("another device"));
        assert!(told(&|d| (d.backing, d.sequence) = (Some((1, 3)), Some(8))).contains("another file"));
        assert!(told(&|d| (d.called, d.sequence) = (Some(4), Some(8))).contains("serial number"));
        assert!(told(&|d| d.called = None).contains("serial number"));
        assert!(told(&|d| d.sequence = Some(8)).contains("attached again"));
        assert!(told(&|d| d.start = Some(4096)).contains("begin at another place"));
        assert_eq!(told(&|d| d.bytes = 2 << 30), "its size went from 1 GiB to 2 GiB");
    }

    #[test]
    fn a_target_that_nobody_looked_at_is_not_written_to() {
        let key = |ownership| FixtureKey::new("device", "/dev/sdb", 1 << 20, ownership);
        let now = DeviceIdentity::default();
        let told = compare_device(&key(Ownership::Surrendered), &now).unwrap_err().to_string();
        assert!(told.contains("nothing is written to /dev/sdb: nobody looked"), "{told}");
        assert!(compare_device(&key(Ownership::Borrowed), &now).is_ok());
        let of_file = Some(Identity::File(FileIdentity::default()));
        let told = compare_device(&FixtureKey { identity: of_file, ..key(Ownership::Borrowed) }, &now);
        assert!(told.unwrap_err().to_string().contains("nothing is read from /dev/sdb"), "said otherwise");
    }
}
