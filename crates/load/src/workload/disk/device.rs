//! Whether a block device may be driven, and how it is opened (design,
//! section 8). What is known of it is found out elsewhere; here it is judged.
//!
//! Reading is always allowed: it changes nothing, whoever uses the device.
//! Writing, which discarding is too, is allowed if the device was given up by
//! name, nobody uses it, and every signature on it was given up as well.
//!
//! **Check, claim, check.** The survey checks before anything is touched; hours
//! may lie between it and the first write. So whoever makes the fixture
//! [`claim`]s it: it is opened for nobody else, and only written if the open file
//! is the device that was looked at, and looks as it did. From the claim on the
//! kernel refuses mounts, swap, md and the device mapper, on partitions too. (Loop
//! devices and programs that claim nothing are let in, and root may write past any
//! claim.)
//!
//! **One claim for one device.** The kernel gives a claim to an open file, not
//! to a process: while it is open, a second [`open`] for writing fails with
//! EBUSY, by ourselves too. More files for workers are had by opening
//! `/proc/self/fd/N` of the first without `O_EXCL`; they hold no claim of their
//! own, so the first must outlive them.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use engine::fault::Fault;
use model::plan::{DeviceState, FixtureKey, Ownership, Problem};

use crate::workload::DeviceProbe;
use crate::workload::disk::identity;
use crate::workload::disk::reopen::flag;

/// Whether the device that was called `text`, of which `state` is known, may be
/// driven by a load that `writes` or not; and whose it is then. Refused with why it
/// may not, and what to do about it.
pub(in crate::workload) fn check(
    text: &str,
    writes: bool,
    state: &DeviceState,
    destroy: &[String],
    wipe: &[String],
) -> Result<Ownership, Problem> {
    if state.bytes == 0 {
        return Err(Problem::invalid(
            format!("{text} is a block device without a medium: it has 0 bytes"),
            "put one in, or give another target",
        ));
    }
    if !writes {
        return Ok(Ownership::Borrowed);
    }
    if !state.in_use.is_empty() {
        return Err(Problem::refused(
            format!("{text} may not be written to, because it is in use: {}", state.in_use.join("; ")),
            "end that use first, or give another target; there is no option that overrides this",
        ));
    }
    if state.read_only {
        return Err(Problem::refused(
            format!("{text} is read-only, so nothing can be written to it"),
            "use a pattern that reads, or give another target",
        ));
    }
    if let Some(reason) = &state.unknown {
        return Err(Problem::refused(
            format!("{text} may not be written to, because it is not known what would be lost: {reason}"),
            "see to that first, or give another target",
        ));
    }
    let given_up = destroy.iter().any(|name| is_same(name, text, &state.path));
    let mut missing = if given_up { String::new() } else { format!(" --destroy {text}") };
    let held: BTreeSet<&str> = state.signatures.iter().map(|held| kind_of(held)).collect();
    for kind in held.into_iter().filter(|held| !wipe.iter().any(|kind| kind == held)) {
        missing.push_str(&format!(" --wipe {kind}"));
    }
    if missing.is_empty() {
        return Ok(Ownership::Surrendered);
    }
    let held = match &state.signatures[..] {
        [] => "no signature was found on it".to_owned(),
        all => format!("it holds {}", all.join(", ")),
    };
    Err(Problem::refused(
        format!("{text} is a block device, and its content would be overwritten: {held}"),
        format!("give a folder as target; or, if that may be lost, add{missing}"),
    ))
}

/// What a signature is, without where it was found: `ext4` of `ext4 on
/// /dev/sdb1`.
fn kind_of(signature: &str) -> &str {
    signature.split(' ').next().unwrap_or(signature)
}

/// Whether `name`, as given with `--destroy`, means the device that was called
/// `text` and is really `path`: the same name, a link to it, or another node of
/// the same device.
fn is_same(name: &str, text: &str, path: &str) -> bool {
    if name == text || name == path {
        return true;
    }
    let device = |of: &str| {
        let metadata = std::fs::metadata(of).ok()?;
        metadata.file_type().is_block_device().then(|| metadata.rdev())
    };
    device(name).is_some_and(|number| device(path) == Some(number))
}

/// Claims the device at `path`, its real path, for writing; and looks at it
/// again, for hours may lie between the survey and now. What `key` holds was given
/// up on it: less than that is what our own writes leave, more is somebody's. It fails
/// if it is another device, claimed or used by others, or holds what was not given up.
pub(in crate::workload) fn claim(path: &Path, key: &FixtureKey, look: DeviceProbe) -> Result<File, Fault> {
    let fault = |e| Fault::system(format!("claiming {} for writing", path.display()), e);
    let file = once_free(|| open(path, true, false)).map_err(fault)?;
    identity::compare_device(key, &(look.identity)(&file).map_err(fault)?)?;
    let state = (look.state)(path).map_err(fault)?;
    // It is looked at by its name, which may mean another device than the one that
    // is claimed.
    identity::compare_device(key, &state.identity)?;
    let new: Vec<&str> =
        state.signatures.iter().filter(|found| !key.holds.contains(found)).map(String::as_str).collect();
    let why = if let Some(reason) = &state.unknown {
        format!("it is not known any more what would be lost: {reason}")
    } else if !state.in_use.is_empty() {
        format!("it has come into use: {}", state.in_use.join("; "))
    } else if !new.is_empty() {
        format!("it holds what was not given up: {}", new.join(", "))
    } else {
        return Ok(file);
    };
    Err(Fault::Other(format!("nothing is written to {}, for since it was looked at {why}", path.display())))
}

/// Opens the device at `path`, its real path, to read it, if it is the one that was
/// looked at.
pub(super) fn open_to_read(path: &Path, key: &FixtureKey, look: DeviceProbe) -> Result<File, Fault> {
    let fault = |e| Fault::system(format!("opening {}", path.display()), e);
    let file = open(path, false, false).map_err(fault)?;
    if key.identity.is_some() {
        identity::compare_device(key, &(look.identity)(&file).map_err(fault)?)?;
    }
    Ok(file)
}

/// Opens a device that may only just have been given up: a process that is being
/// started holds the files of its parent until it runs its program. It waits up to half
/// a second.
fn once_free(mut open: impl FnMut() -> io::Result<File>) -> io::Result<File> {
    for _ in 0..20 {
        match open() {
            Err(e) if e.kind() == ErrorKind::ResourceBusy => std::thread::sleep(Duration::from_millis(25)),
            opened => return opened,
        }
    }
    open()
}

/// Opens the device at `path`, its real path, for reading, or for writing with
/// a claim (`O_EXCL`) that holds until the file and its duplicates are closed.
/// Its name may have come to mean something else since the survey: a link or
/// anything but a block device is not opened for use.
///
/// # Errors
/// `ResourceBusy` if it is in use or claimed; or as the kernel says.
pub(super) fn open(path: &Path, write: bool, direct: bool) -> io::Result<File> {
    let asked = flag(write, libc::O_EXCL) | flag(direct, libc::O_DIRECT);
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | asked;
    let file = OpenOptions::new().read(true).write(write).custom_flags(flags).open(path)?;
    if file.metadata()?.file_type().is_block_device() {
        return Ok(file);
    }
    let text = format!("{} is no block device any more", path.display());
    Err(io::Error::new(ErrorKind::InvalidInput, text))
}

#[cfg(test)]
mod tests;
