//! Mounting the file system at the top of a stack, and unmounting it if it is the one that was made: by where it is
//! mounted, which nobody else knows before, and by the UUID of what is mounted there.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::StackLayer;

use crate::workload::disk::stack::BuildSite;
use crate::workload::disk::stack::blkid;
use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::named;

pub(super) const MOUNT: Program = Program { name: "mount", package: "mount", version: &["--version"] };
pub(super) const UMOUNT: Program = Program { name: "umount", package: "mount", version: &["--version"] };

/// How long a file system may be busy after the last file on it was closed.
const BUSY: Duration = Duration::from_secs(10);

/// The option with the words that a file system is mounted with.
pub(super) const OPTIONS: ParameterSpec = ParameterSpec::new(
    "mount",
    Kind::Text,
    "Options of mount(8), in quotes where there is a comma: \"noatime,discard\".",
);

/// What may be asked of mount(8): what the file systems of these kinds do, and nothing that mounts something else.
const KNOWN: &[&str] = &[
    "async",
    "autodefrag",
    "barrier",
    "commit",
    "compress",
    "compress-force",
    "data",
    "datacow",
    "datasum",
    "defaults",
    "delalloc",
    "dioread_nolock",
    "discard",
    "flushoncommit",
    "inode64",
    "journal_async_commit",
    "journal_checksum",
    "lazytime",
    "logbsize",
    "logbufs",
    "max_batch_time",
    "min_batch_time",
    "noatime",
    "noauto_da_alloc",
    "noautodefrag",
    "nobarrier",
    "nodatacow",
    "nodatasum",
    "nodelalloc",
    "nodiratime",
    "nodiscard",
    "nolazytime",
    "relatime",
    "space_cache",
    "ssd",
    "stripe",
    "strictatime",
    "swalloc",
    "sync",
    "thread_pool",
];

/// Why the options of a layer cannot be given to mount(8).
pub(super) fn refuses(layer: &StackLayer) -> Option<String> {
    let text = words(layer)?;
    let unknown = text.split(',').find(|word| {
        let name = word.split('=').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "=_-:".contains(c);
        !KNOWN.contains(&name) || !word.chars().all(is_plain)
    })?;
    Some(format!("`{unknown}` is no option of mount(8) that a stack may have: {}", KNOWN.join(", ")))
}

fn words(layer: &StackLayer) -> Option<String> {
    layer.option(named("mount")).map(|value| value.to_string())
}

/// Mounts what was made on the devices of `site`, which is of this kind, with `more` options before those that were
/// asked for; where it is.
pub(super) fn mount(site: &mut BuildSite<'_, '_>, kind: &str, more: &[String]) -> Result<PathBuf, Fault> {
    let place = place_of(site.record)?.to_owned();
    make_folder(&place)?;
    let device = site.device()?.to_owned();
    let point = text(&place)?;
    let options = more.iter().cloned().chain(words(site.layer)).collect::<Vec<_>>().join(",");
    let mut all = vec!["-t", kind];
    if !options.is_empty() {
        all.extend(["-o", &options]);
    }
    all.extend([device.as_str(), point]);
    site.commands.run(&MOUNT, &all)?;
    Ok(place)
}

/// Makes the folder where something is mounted.
pub(super) fn make_folder(place: &Path) -> Result<(), Fault> {
    fs::DirBuilder::new()
        .mode(0o700)
        .create(place)
        .map_err(|e| Fault::system(format!("making the folder {}", place.display()), e))
}

/// Unmounts what a record says, and removes the folder. Whether it was mounted.
pub(super) fn unmount(record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
    let place = place_of(record)?;
    let Some(source) = source_at(place)? else {
        return remove_folder(place).map(|()| false);
    };
    let shown = place.display();
    let found = blkid::uuid(Path::new(&source), commands);
    // From a device that failed nothing can be read: then it is known by the device, and by the folder, which is ours alone.
    let is_failed = found.is_none() && stands_on(record, Path::new(&source));
    if found.as_deref() != Some(record.uuid.as_str()) && !is_failed {
        let found = found.unwrap_or_else(|| "none that can be read".to_owned());
        return Err(Fault::Other(format!(
            "what is mounted at {shown} ({source}) has the UUID {found}, and {} was made: it is left alone",
            record.uuid
        )));
    }
    release(place, &[], commands).map(|()| true)
}

/// Whether a layer was made on the device `source`, whichever of its names that is.
fn stands_on(record: &LayerRecord, source: &Path) -> bool {
    let of = |path: &Path| path.canonicalize().ok();
    of(source).is_some_and(|source| record.below.iter().any(|below| of(below).as_ref() == Some(&source)))
}

/// Unmounts what is at `place`, with these words more, and removes the folder.
pub(super) fn release(place: &Path, more: &[&str], commands: &mut Commands<'_>) -> Result<(), Fault> {
    let words = [more, &[text(place)?]].concat();
    commands.run_until_done(BUSY, &UMOUNT, &words).map_err(|fault| match fault {
        Fault::Cancelled => fault,
        why => Fault::Other(format!("{} is still mounted: {why}", place.display())),
    })?;
    remove_folder(place)
}

/// Where the file system of a record is mounted, as programs are told.
pub(super) fn point_of(record: &LayerRecord) -> Result<&str, Fault> {
    text(place_of(record)?)
}

/// Where a record says that it is mounted.
pub(super) fn place_of(record: &LayerRecord) -> Result<&Path, Fault> {
    let missing = || Fault::Other(format!("nobody wrote down where {} is mounted", record.kind));
    record.place.as_deref().ok_or_else(missing)
}

fn text(path: &Path) -> Result<&str, Fault> {
    let wrong = || Fault::Other(format!("{} is no name that programs can be given", path.display()));
    path.to_str().ok_or_else(wrong)
}

/// Removes the folder where something was mounted, if it is there.
pub(super) fn remove_folder(place: &Path) -> Result<(), Fault> {
    match fs::remove_dir(place) {
        Err(e) if e.kind() != ErrorKind::NotFound => {
            Err(Fault::system(format!("removing the folder {}", place.display()), e))
        }
        _ => Ok(()),
    }
}

/// What was mounted last at `place` in this mount namespace (proc_pid_mountinfo(5)).
pub(super) fn source_at(place: &Path) -> Result<Option<String>, Fault> {
    let all = fs::read_to_string("/proc/self/mountinfo")
        .map_err(|e| Fault::system("reading /proc/self/mountinfo", e))?;
    Ok(all.lines().filter_map(|line| source_of(line, place)).next_back())
}

/// The source of a line of mountinfo, if it is of this mount point.
fn source_of(line: &str, place: &Path) -> Option<String> {
    let (before, after) = line.split_once(" - ")?;
    let point = unescaped(before.split(' ').nth(4)?);
    (Path::new(&point) == place).then(|| after.split(' ').nth(1).map(unescaped))?
}

/// A field of mountinfo without the octal numbers that stand for spaces.
fn unescaped(field: &str) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(field.to_owned(), |text, (code, character)| text.replace(code, character))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    #[test]
    fn a_mount_is_found_by_its_place() {
        let line = "36 35 7:3 / /var/lib/head\\040room/x rw,noatime shared:1 - ext4 /dev/loop3 rw";
        assert_eq!(source_of(line, Path::new("/var/lib/head room/x")).as_deref(), Some("/dev/loop3"));
        assert_eq!(source_of(line, Path::new("/var/lib/head room")), None);
        assert_eq!(source_of("garbled", Path::new("/")), None);
        assert_eq!(source_at(Path::new("/no/such/place")).unwrap(), None);
    }

    #[test]
    fn options_that_mount_something_else_are_refused() {
        let with = |text: &str| {
            let mut options = Parameters::default();
            options.set(named("mount"), text);
            refuses(&StackLayer { spec: &super::super::ext4::SPEC, beside: None, options })
        };
        for good in ["noatime", "noatime,data=journal,commit=30", "compress=zstd:3"] {
            assert_eq!(with(good), None, "{good}");
        }
        for bad in ["bind", "noatime,loop", "remount", "x-systemd.automount", "offset=4096", "", "data=a b"] {
            assert!(with(bad).is_some(), "{bad}");
        }
    }
}
