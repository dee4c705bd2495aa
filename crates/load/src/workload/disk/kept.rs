//! Files of ours that are kept in the target for later runs because that was asked for (`keep-data`): a large one need not
//! be written again. Only loads that change nothing of them keep them.
//!
//! A list says what is kept, and which file it is: without it nothing is used, and nothing removed. What a file holds is a
//! function of a seed that stands in the list, so that blocks of it are made again and compared before it is used. A
//! file gets its name once all of it is written, and never in place of another one.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership, Problem};
use model::scalar::binary;
use rustix::fs::{AtFlags, CWD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fixture::Progress;
use crate::host::HostInfo;
use crate::workload::disk::content::{Content, Source};
use crate::workload::disk::files::Files;
use crate::workload::disk::fixture::{CONTENT_BLOCK, check_room, nameless, write_all};
use crate::workload::disk::plan::DiskPlan;
use crate::workload::disk::reopen::forget_cached;
use crate::workload::kept_name::{is_kept_name, kept_name};
use crate::workload::left_records::{self, LeftRecord};

/// How files are made: another number, if other bytes come of the same seed.
const VERSION: u32 = 1;

/// The folder of the list, in the folder of states.
const FOLDER: &str = "kept-files";

/// So many blocks are compared, evenly spaced, with the first and the last.
const SAMPLES: u64 = 256;

/// A file that is kept, as it was when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDiskFile {
    path: PathBuf,
    bytes: u64,
    content: Content,
    /// What its content is made of.
    seed: u64,
    inode: u64,
    /// When it was written last: seconds and nanoseconds.
    modified: (i64, i64),
}

impl KeptDiskFile {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is one that a run makes up: nothing else is ever removed.
    fn is_ours(&self) -> bool {
        let name = self.path.file_name().and_then(|name| name.to_str());
        self.path.is_absolute() && name.is_some_and(is_kept_name)
    }

    /// Whether a file is the one that was kept, and nobody has written to it.
    ///
    /// # Errors
    /// What it is instead.
    fn is_same(&self, about: &Metadata) -> Result<(), String> {
        if !about.is_file() || about.uid() != rustix::process::geteuid().as_raw() {
            return Err("it is no file of this user".to_owned());
        }
        if about.ino() != self.inode {
            return Err("it is another file".to_owned());
        }
        if about.len() != self.bytes {
            return Err(format!("it has {}, and not {}", binary(about.len()), binary(self.bytes)));
        }
        match (about.mtime(), about.mtime_nsec()) == self.modified {
            true => Ok(()),
            false => Err("somebody has written to it".to_owned()),
        }
    }

    /// Whether an open file holds what was written.
    ///
    /// # Errors
    /// What is otherwise.
    fn holds(&self, file: &File) -> Result<(), String> {
        let about = file.metadata().map_err(|e| e.to_string())?;
        self.is_same(&about)?;
        if self.content == Content::Random && about.blocks().saturating_mul(512) < self.bytes {
            return Err("it has holes".to_owned());
        }
        let source = Source::new(self.content, self.seed);
        let (mut made, mut found) = (vec![0; CONTENT_BLOCK], vec![0; CONTENT_BLOCK]);
        for number in samples(self.bytes / CONTENT_BLOCK as u64) {
            source.fill(&mut made, number);
            file.read_exact_at(&mut found, number * CONTENT_BLOCK as u64).map_err(|e| e.to_string())?;
            if made != found {
                return Err(format!("block {number} does not hold what was written"));
            }
        }
        Ok(())
    }
}

/// Which of so many blocks are compared.
fn samples(blocks: u64) -> impl Iterator<Item = u64> {
    let count = blocks.min(SAMPLES);
    (0..count).map(move |at| at * (blocks - 1) / (count - 1).max(1))
}

/// A kept file that a run uses: nobody else does meanwhile.
#[derive(Debug)]
pub(super) struct KeptUse {
    /// Whether an earlier run made it.
    pub(super) was_found: bool,
    _record: LeftRecord,
}

/// The refusal of what cannot be kept.
pub(super) fn refused(why: &str) -> Problem {
    Problem::invalid(format!("nothing can be kept: {why}"), "leave keep-data out")
}

/// What contradicts that the files of a load are kept.
pub(super) fn check(plan: &DiskPlan, fixtures: &[FixtureKey]) -> Result<(), Problem> {
    if !plan.keeps {
        return Ok(());
    }
    if plan.changes() {
        return Err(refused("the load, or what is done before it, changes the file"));
    }
    if plan.files > 1 {
        return Err(refused("one file of each target is kept, and not several"));
    }
    let is_folder = |key: &FixtureKey| key.ownership == Ownership::Created && Path::new(&key.target).is_dir();
    if let Some(key) = fixtures.iter().find(|key| !is_folder(key)) {
        return Err(refused(&format!("{} is no folder", key.target)));
    }
    let is_twice = |(place, key): (usize, &FixtureKey)| {
        fixtures[..place].iter().any(|before| before.target == key.target)
    };
    match fixtures.iter().enumerate().any(is_twice) {
        true => Err(refused("each part of a target needs a folder of its own")),
        false => Ok(()),
    }
}

/// Where the file with so many bytes of this content is kept in `folder`.
fn place(folder: &Path, bytes: u64, content: Content) -> PathBuf {
    let text = serde_json::json!({ "version": VERSION, "bytes": bytes, "content": content }).to_string();
    let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    folder.join(kept_name(&digest))
}

/// Whether there is such a file in `folder`, which needs no room any more.
pub(super) fn is_there(folder: &Path, bytes: u64, content: Content) -> bool {
    fs::symlink_metadata(place(folder, bytes, content)).is_ok_and(|about| about.is_file())
}

/// Finds the file that `asked` wants in its folder, or makes it.
///
/// # Errors
/// If another run uses it, it is not as it was, it cannot be made, or it is told to stop.
pub(super) fn make(
    asked: &Files,
    host: &HostInfo,
    progress: &mut Progress<'_>,
) -> Result<(File, KeptUse), Fault> {
    let (bytes, content) = (asked.key.bytes, asked.details.content);
    let folder = Path::new(&asked.key.target);
    let path = place(folder, bytes, content);
    let state = host.state_folder.as_deref().ok_or_else(|| {
        Fault::Other("kept data can be written down nowhere, so that nobody would know of it".to_owned())
    })?;
    let list = state.join(FOLDER);
    let told = path.display();
    match (find(&list, &path)?, open(&path)?) {
        (Some((kept, record)), Some(file)) => {
            kept.holds(&file).map_err(|why| {
                Fault::Other(format!(
                    "{told} is not as it was when it was kept: {why}. Remove it by hand; `headroom fixtures --remove {told}` then \
                     takes it off the list"
                ))
            })?;
            forget_cached(&file)?;
            Ok((file, KeptUse { was_found: true, _record: record }))
        }
        (Some(_), None) => Err(Fault::Other(format!(
            "{told} was kept, and is not there: mount its disk, or take it off the list by `headroom fixtures --remove {told}`"
        ))),
        (None, Some(_)) => Err(Fault::Other(format!(
            "{told} is there, and no run of this machine keeps it: remove it, or give another target"
        ))),
        (None, None) => {
            let (file, record) = make_anew(asked, folder, &path, &list, progress)?;
            Ok((file, KeptUse { was_found: false, _record: record }))
        }
    }
}

/// What the list has of the file at `path`, locked as long as it is there.
fn find(list: &Path, path: &Path) -> Result<Option<(KeptDiskFile, LeftRecord)>, Fault> {
    let free = left_records::left::<KeptDiskFile>(list).into_iter().find(|(kept, _)| kept.path == path);
    match free {
        None if left_records::listed::<KeptDiskFile>(list).iter().any(|kept| kept.path == path) => {
            Err(Fault::Other(format!("another run uses the kept data {} now", path.display())))
        }
        found => Ok(found),
    }
}

/// Opens the file at `path` to be read, if there is one.
fn open(path: &Path) -> Result<Option<File>, Fault> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    match options.open(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Fault::system(format!("opening {}", path.display()), e)),
    }
}

/// Writes the file, writes down that it is kept, and gives it its name.
fn make_anew(
    asked: &Files,
    folder: &Path,
    path: &Path,
    list: &Path,
    progress: &mut Progress<'_>,
) -> Result<(File, LeftRecord), Fault> {
    let (bytes, content) = (asked.key.bytes, asked.details.content);
    let seed = engine::clock::now_ns();
    let file = nameless(folder)?;
    check_room(&file, &asked.key, bytes)?;
    write_all(&file, asked, seed, progress)?;
    let failed = |e: io::Error| Fault::system(format!("keeping {}", path.display()), e);
    let about = file.metadata().map_err(failed)?;
    let modified = (about.mtime(), about.mtime_nsec());
    let kept = KeptDiskFile { path: path.to_owned(), bytes, content, seed, inode: about.ino(), modified };
    let record = LeftRecord::write(list, &format!("{seed:016x}-{}", std::process::id()), &kept);
    let record = record.map_err(failed)?;
    if let Err(e) = give_name(&file, path) {
        // Whatever has the name is another's.
        record.remove();
        return Err(failed(e));
    }
    // With its name it stays in the list.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok((file, record))
}

/// Gives a file without a name this one, which nothing may have (open(2), O_TMPFILE).
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

/// The files that are kept and not in use, each locked as long as its record is there.
fn free(state: &Path) -> Vec<(KeptDiskFile, LeftRecord)> {
    let mut all = left_records::left::<KeptDiskFile>(&state.join(FOLDER));
    all.retain(|(kept, _)| kept.is_ours());
    all
}

/// What is kept for later runs and not in use, by the list in the folder `state`.
#[must_use]
pub fn kept_disk_files(state: &Path) -> Vec<KeptDiskFile> {
    free(state).into_iter().map(|(kept, _)| kept).collect()
}

/// Removes the files that are kept and not in use, by the list in the folder `state`. What does not succeed stays in the
/// list, and so does a file that is not there.
#[must_use]
pub fn remove_kept_disk_files(state: &Path) -> Vec<RemovedDiskFile> {
    free(state).into_iter().map(|one| remove(one, false)).collect()
}

/// The same of the file at `path` alone, which is taken off the list where it is not there; none where the list has no
/// such file, or a run uses it.
#[must_use]
pub fn remove_kept_disk_file(state: &Path, path: &Path) -> Option<RemovedDiskFile> {
    free(state).into_iter().find(|(kept, _)| kept.path == path).map(|one| remove(one, true))
}

/// Removes a file that is still the one that was kept, and its record; that of a file that is not there if it `forgets`.
fn remove((kept, record): (KeptDiskFile, LeftRecord), forgets: bool) -> RemovedDiskFile {
    let (stays, is_missing) = match fs::symlink_metadata(&kept.path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            let help = || format!("`headroom fixtures --remove {}` takes it off", kept.path.display());
            ((!forgets).then(help), true)
        }
        Err(e) => (Some(e.to_string()), false),
        Ok(about) => {
            let removed =
                kept.is_same(&about).and_then(|()| fs::remove_file(&kept.path).map_err(|e| e.to_string()));
            (removed.err(), false)
        }
    };
    if stays.is_none() {
        record.remove();
    }
    RemovedDiskFile { path: kept.path, stays, is_missing }
}

/// A file that was kept, and what became of it.
#[derive(Debug)]
pub struct RemovedDiskFile {
    path: PathBuf,
    stays: Option<String>,
    /// One that is not there was removed by somebody, or its file system is not mounted now.
    is_missing: bool,
}

impl RemovedDiskFile {
    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stays.is_none()
    }
}

impl fmt::Display for RemovedDiskFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file {}, which was kept", self.path.display())?;
        match (&self.stays, self.is_missing) {
            (None, false) => f.write_str(": it is removed"),
            (None, true) => f.write_str(
                ", is not there: it is taken off the list; if its disk is only not mounted, remove it by hand when it is",
            ),
            (Some(why), true) => write!(f, ", is not there: it stays in the list; {why}"),
            (Some(why), false) => write!(f, ", stays: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::disk::files::{Details, FILE};

    const BYTES: u64 = 1 << 20;

    /// A folder for files, and one for states.
    fn folders() -> (tempfile::TempDir, HostInfo, tempfile::TempDir) {
        let (target, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir_in(".").unwrap());
        let host = HostInfo { state_folder: Some(state.path().to_owned()), ..HostInfo::default() };
        (target, host, state)
    }

    fn asked(target: &Path) -> Files {
        let details = Details { files: 1, content: Content::Random, purge: false, kept: true };
        let folder = target.canonicalize().unwrap();
        let key = FixtureKey::new(FILE, folder.to_string_lossy(), BYTES, Ownership::Created);
        Files { key: details.put(key), details, files: Vec::new(), look: None, kept: None }
    }

    fn made(target: &Path, host: &HostInfo) -> Result<(File, KeptUse), Fault> {
        make(&asked(target), host, &mut |_| true)
    }

    fn refusal(target: &Path, host: &HostInfo) -> String {
        made(target, host).map_or_else(|fault| fault.to_string(), |_| String::new())
    }

    #[test]
    fn a_file_is_kept_found_again_and_removed() {
        let (target, host, state) = folders();
        let (file, first) = made(target.path(), &host).unwrap();
        assert!(!first.was_found);
        assert!(kept_disk_files(state.path()).is_empty(), "it is in use");
        assert!(refusal(target.path(), &host).contains("another run uses"));
        let inode = file.metadata().unwrap().ino();
        drop((file, first));
        let (file, second) = made(target.path(), &host).unwrap();
        assert!(second.was_found && file.metadata().unwrap().ino() == inode);
        drop((file, second));
        let kept = kept_disk_files(state.path());
        let path = kept[0].path().to_owned();
        assert!(kept.len() == 1 && path.is_file(), "{kept:?}");
        assert!(remove_kept_disk_file(state.path(), Path::new("/other")).is_none());
        let removed = remove_kept_disk_file(state.path(), &path).unwrap();
        assert!(removed.is_settled() && removed.to_string().ends_with("it is removed"), "{removed}");
        assert!(!path.exists() && kept_disk_files(state.path()).is_empty());
    }

    /// Bug: of two runs at once the second left a line in the list by which the file of the first was another one, so that
    /// it was neither used nor removed.
    #[test]
    fn who_comes_second_leaves_no_line_in_the_list() {
        let (target, host, state) = folders();
        let (_file, first) = made(target.path(), &host).unwrap();
        let list = state.path().join(FOLDER);
        let lines = || left_records::listed::<KeptDiskFile>(&list);
        let before = lines();
        let [kept] = &before[..] else { panic!("{before:?}") };
        let folder = target.path().canonicalize().unwrap();
        let asked = asked(target.path());
        assert!(make_anew(&asked, &folder, kept.path(), &list, &mut |_| true).is_err());
        assert_eq!(lines().len(), 1);
        drop(first);
        assert!(made(target.path(), &host).unwrap().1.was_found);
    }

    #[test]
    fn what_is_not_as_it_was_is_neither_used_nor_removed() {
        let (target, host, state) = folders();
        drop(made(target.path(), &host).unwrap());
        let path = kept_disk_files(state.path())[0].path().to_owned();
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        file.set_len(BYTES / 2).unwrap();
        assert!(refusal(target.path(), &host).contains("is not as it was when it was kept"));
        let removed = remove_kept_disk_files(state.path());
        assert!(removed.len() == 1 && !removed[0].is_settled() && path.is_file(), "{removed:?}");
        // Of the right length, but with other content.
        file.set_len(BYTES).unwrap();
        let (mut kept, _) = free(state.path()).remove(0);
        let about = file.metadata().unwrap();
        kept.modified = (about.mtime(), about.mtime_nsec());
        kept.content = Content::Compressible(500);
        assert!(kept.holds(&file).is_err());
        // Without a list it is nobody's.
        fs::remove_dir_all(state.path().join(FOLDER)).unwrap();
        assert!(refusal(target.path(), &host).contains("no run of this machine keeps it"));
        assert!(path.is_file());
    }

    #[test]
    fn a_file_that_is_not_there_stays_in_the_list_until_it_is_named() {
        let (target, host, state) = folders();
        drop(made(target.path(), &host).unwrap());
        let path = kept_disk_files(state.path())[0].path().to_owned();
        fs::remove_file(&path).unwrap();
        assert!(refusal(target.path(), &host).contains("is not there"));
        assert!(!remove_kept_disk_files(state.path())[0].is_settled());
        let removed = remove_kept_disk_file(state.path(), &path).unwrap();
        assert!(removed.is_settled() && removed.to_string().contains("taken off the list"), "{removed}");
        assert!(kept_disk_files(state.path()).is_empty());
    }

    #[test]
    fn other_sizes_and_contents_have_other_names() {
        let of = |bytes, content| place(Path::new("/"), bytes, content);
        assert_eq!(of(1, Content::Random), of(1, Content::Random));
        assert_ne!(of(1, Content::Random), of(2, Content::Random));
        assert_ne!(of(1, Content::Compressible(300)), of(1, Content::Compressible(301)));
        assert!(is_kept_name(of(1, Content::Zeros).file_name().unwrap().to_str().unwrap()));
    }

    #[test]
    fn the_first_and_the_last_block_are_among_the_samples() {
        assert_eq!(samples(0).count(), 0);
        assert_eq!(samples(1).collect::<Vec<_>>(), [0]);
        assert_eq!(samples(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<u64> = samples(1 << 40).collect();
        assert_eq!((many.len() as u64, many[0], many.last()), (SAMPLES, 0, Some(&((1 << 40) - 1))));
    }
}
