//! What the kernel tells of an array of md: its files in sysfs (`Documentation/admin-guide/md.rst`, `drivers/md/md.c`).
//! Levels without copies lack most of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::fault::Fault;

use crate::workload::disk::stack::command::Commands;

/// Bytes of a sector, in which md counts.
const SECTOR: u64 = 512;
/// Bytes of a kibibyte, in which md gives speeds and sizes of members.
const KIBIBYTE: u64 = 1024;

/// A synchronisation goes on for as long as it takes; the person may end it.
const SYNC_WITHIN: Duration = Duration::from_secs(7 * 24 * 3600);
/// How often it is told how far it is.
pub(super) const TELL: Duration = Duration::from_secs(1);
/// For so long an array may lack a member while nothing is rebuilt: what rebuilds begins within seconds.
const LACKING: Duration = Duration::from_secs(30);

/// The files of one array.
#[derive(Clone, Debug)]
pub(super) struct MdFolder(PathBuf);

/// How far a synchronisation is, as md counts it: on each member, and of `raid10`, where copies are compared, on the
/// array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload::disk) struct SyncProgress {
    /// Bytes done.
    pub(in crate::workload::disk) done: u64,
    /// Bytes in all.
    pub(in crate::workload::disk) of: u64,
}

impl SyncProgress {
    /// How far it is after so long, how fast, and when it ends if it goes on so.
    pub(super) fn said(self, took: Duration) -> String {
        let (done, of, seconds) = (self.done as f64, self.of as f64, took.as_secs_f64());
        if done <= 0.0 || seconds <= 0.0 {
            return "the array is synchronised".to_owned();
        }
        let rate = done / seconds;
        let left_s = (of - done).max(0.0) / rate;
        let left = if left_s < 120.0 {
            format!("{left_s:.0} s")
        } else if left_s < 7200.0 {
            format!("{:.0} min", left_s / 60.0)
        } else {
            format!("{:.1} h", left_s / 3600.0)
        };
        let (percent, mega) = (done / of * 100.0, rate / 1e6);
        format!(
            "the array is synchronised at {mega:.0} MB/s of each member: {percent:.0} % done, {left} left"
        )
    }
}

/// What is known of how fast an array is synchronised; bytes per second, as [`SyncProgress`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SyncSpeeds {
    /// What it takes beside other work at least (`sync_speed_min`).
    pub(super) least: Option<u64>,
    /// What it takes at most (`sync_speed_max`).
    pub(super) most: Option<u64>,
    /// What the first synchronisation had, in the mean.
    pub(super) initial: Option<f64>,
}

impl MdFolder {
    /// That of the array `device`.
    pub(super) fn of(device: &Path) -> Self {
        Self(Path::new("/sys/block").join(device.file_name().unwrap_or_default()).join("md"))
    }

    /// Where a file of it is.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes `text` to a file of it.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.file(name), text)
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.file(name)).ok().map(|text| text.trim().to_owned())
    }

    /// Whether a file says this word, or is not there.
    fn says(&self, name: &str, word: &str) -> bool {
        self.read(name).is_none_or(|text| text == word)
    }

    /// Whether there is something to synchronise.
    pub(super) fn has_copies(&self) -> bool {
        self.file("sync_action").exists()
    }

    /// Whether nothing is synchronised and nothing is to be: at the very start the thread that does it may not have
    /// begun. An array of RAID 5 that is made lacks a member until its parity is there.
    pub(super) fn is_whole(&self) -> bool {
        self.says("sync_action", "idle")
            && self.says("resync_start", "none")
            && self.says("degraded", "0")
            && self.says("reshape_position", "none")
    }

    /// Whether a member is missing, and nothing takes its place.
    fn lacks_member(&self) -> bool {
        self.says("sync_action", "idle")
            && self.says("reshape_position", "none")
            && self.read("degraded").is_some_and(|text| text != "0")
    }

    /// Keeps in `since` from when on a member has been missing while nothing was rebuilt.
    ///
    /// # Errors
    /// If that has been so for 30 s.
    pub(super) fn check_members(&self, since: &mut Option<Instant>) -> Result<(), Fault> {
        if !self.lacks_member() {
            *since = None;
            return Ok(());
        }
        if since.get_or_insert_with(Instant::now).elapsed() < LACKING {
            return Ok(());
        }
        Err(Fault::Other("the array lacks a member and nothing is rebuilt: a device failed".to_owned()))
    }

    /// How far what it is at is.
    pub(super) fn progress(&self) -> Option<SyncProgress> {
        progress(&self.read("sync_completed")?)
    }

    /// Waits until it is whole, and tells how far it is; how many bytes were synchronised for that, where it was seen at
    /// it.
    ///
    /// # Errors
    /// If nobody wants it any more, if a member is missing and nothing is rebuilt, or after a week.
    pub(super) fn wait_until_whole(
        &self,
        begin: Instant,
        commands: &mut Commands<'_>,
    ) -> Result<Option<u64>, Fault> {
        let status = commands.status();
        let (mut bytes, mut told) = (None::<u64>, begin);
        let (mut lacking, mut failed) = (None, None);
        let is_whole = commands.wait_until(SYNC_WITHIN, || {
            let progress = self.progress();
            bytes = bytes.max(progress.map(|progress| progress.of));
            if let Some(progress) = progress.filter(|_| told.elapsed() >= TELL) {
                told = Instant::now();
                status.tell(&progress.said(begin.elapsed()));
            }
            failed = self.check_members(&mut lacking).err();
            failed.is_some() || self.is_whole()
        })?;
        status.tell("");
        if let Some(fault) = failed {
            return Err(fault);
        }
        let late = || Fault::Other("an array is still synchronised after a week".to_owned());
        if is_whole { Ok(bytes) } else { Err(late()) }
    }

    /// How fast it may be synchronised.
    pub(super) fn speeds(&self) -> SyncSpeeds {
        let speed = |name| speed(&self.read(name)?);
        SyncSpeeds { least: speed("sync_speed_min"), most: speed("sync_speed_max"), initial: None }
    }

    /// On how many members it stands, spares not counted.
    pub(super) fn members(&self) -> Option<u64> {
        first_number(&self.read("raid_disks")?)
    }

    /// Sectors that differed when copies were compared last (`mismatch_cnt`).
    pub(super) fn mismatches(&self) -> Option<u64> {
        first_number(&self.read("mismatch_cnt")?)
    }

    /// Whether the state of this member has the word: `in_sync`, `spare`.
    pub(super) fn member_is(&self, member: &Path, word: &str) -> bool {
        let name = member.file_name().unwrap_or_default().to_string_lossy();
        let state = self.read(&format!("dev-{name}/state"));
        state.is_some_and(|state| state.split(',').any(|known| known.trim() == word))
    }
}

/// `1024 / 2048` of `sync_completed`; `none` and `delayed` say nothing.
fn progress(text: &str) -> Option<SyncProgress> {
    let (done, of) = text.split_once('/')?;
    let bytes = |text: &str| text.trim().parse::<u64>().ok()?.checked_mul(SECTOR);
    Some(SyncProgress { done: bytes(done)?, of: bytes(of)? })
}

/// `200000 (system)` of `sync_speed_max`, in bytes per second.
fn speed(text: &str) -> Option<u64> {
    first_number(text)?.checked_mul(KIBIBYTE)
}

/// A speed as md takes it.
pub(super) fn written_speed(bytes_per_s: u64) -> String {
    (bytes_per_s / KIBIBYTE).max(1).to_string()
}

/// What the machine sets for arrays that are told nothing else, bytes per second.
pub(super) fn usual_speed_most() -> Option<u64> {
    speed(&fs::read_to_string("/proc/sys/dev/raid/speed_limit_max").ok()?)
}

/// The number before what stands behind it: while an array grows, `4 (3)`.
fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_is_read() {
        assert_eq!(progress("1024 / 2048"), Some(SyncProgress { done: 512 << 10, of: 1 << 20 }));
        for nothing in ["none", "delayed", "", "1 /", "/ 1", "a / b"] {
            assert_eq!(progress(nothing), None, "{nothing}");
        }
        assert_eq!(speed("200000 (system)"), Some(204_800_000));
        assert_eq!(speed("1000 (local)\n"), Some(1_024_000));
        assert_eq!(speed(""), None);
        assert_eq!(first_number("4 (3)"), Some(4));
        assert_eq!((written_speed(8 << 20).as_str(), written_speed(1).as_str()), ("8192", "1"));
    }

    #[test]
    fn an_array_that_is_to_be_synchronised_is_not_yet() {
        let folder = tempfile::tempdir().unwrap();
        let md = MdFolder(folder.path().to_owned());
        assert!(md.is_whole() && !md.has_copies(), "levels without copies have no such files");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        for (action, start, degraded, is_whole) in [
            ("idle\n", "0\n", "0\n", false),
            ("resync\n", "1024\n", "0\n", false),
            ("idle\n", "none\n", "1\n", false),
            ("idle\n", "none\n", "0\n", true),
        ] {
            write("sync_action", action);
            write("resync_start", start);
            write("degraded", degraded);
            assert_eq!(md.is_whole(), is_whole, "{action} {start} {degraded}");
        }
        write("reshape_position", "2048\n");
        assert!(md.has_copies() && !md.is_whole());
    }

    #[test]
    fn an_array_may_lack_a_member_only_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let md = MdFolder(folder.path().to_owned());
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let long_ago = || Instant::now().checked_sub(LACKING);
        assert!(long_ago().is_some() && md.check_members(&mut long_ago()).is_ok());
        for (action, degraded, reshape, is_lacking) in [
            ("recover\n", "1\n", "none\n", false),
            ("idle\n", "0\n", "none\n", false),
            ("idle\n", "1\n", "2048\n", false),
            ("idle\n", "1\n", "none\n", true),
        ] {
            write("sync_action", action);
            write("degraded", degraded);
            write("reshape_position", reshape);
            let (mut now, mut before) = (None, long_ago());
            assert!(md.check_members(&mut now).is_ok(), "it may just begin");
            assert_eq!(now.is_some(), is_lacking, "{action} {degraded} {reshape}");
            assert_eq!(md.check_members(&mut before).is_err(), is_lacking, "{action} {degraded} {reshape}");
            assert_eq!(before.is_some(), is_lacking, "{action} {degraded} {reshape}");
        }
    }

    #[test]
    fn how_far_it_is_is_told_with_its_end() {
        let said = |done: u64, of: u64, seconds| SyncProgress { done, of }.said(Duration::from_secs(seconds));
        let begin = "the array is synchronised at 100 MB/s of each member: ";
        assert_eq!(said(1_000_000_000, 5_000_000_000, 10), format!("{begin}20 % done, 40 s left"));
        assert_eq!(said(10_000_000_000, 100_000_000_000, 100), format!("{begin}10 % done, 15 min left"));
        assert_eq!(
            said(1_000_000_000_000, 4_000_000_000_000, 10_000),
            format!("{begin}25 % done, 8.3 h left")
        );
        assert_eq!(said(0, 5, 10), "the array is synchronised");
    }

    #[test]
    fn the_state_of_a_member_is_several_words() {
        let folder = tempfile::tempdir().unwrap();
        let md = MdFolder(folder.path().to_owned());
        fs::create_dir(folder.path().join("dev-ram0")).unwrap();
        fs::write(folder.path().join("dev-ram0/state"), "in_sync,write_mostly\n").unwrap();
        let member = Path::new("/dev/ram0");
        assert!(md.member_is(member, "in_sync") && !md.member_is(member, "spare"));
        assert!(!md.member_is(Path::new("/dev/ram1"), "in_sync"));
    }
}
