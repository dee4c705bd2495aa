//! One load, traced by blktrace and by `headroom trace` at the same time: blktrace begins before and ends after,
//! with the disks idle, so that both have the same events. That the disks are idle is checked: their counters must
//! be the same before blktrace begins and when the load begins, and also when the load has ended and after blktrace
//! has. So an event that only blktrace has is one that Headroom lost. The files of both lie in memory, where writing
//! them is no I/O of a disk.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use super::disk_counters::{DiskCounters, assert_idle};
use crate::common::{StoryFolder, signal, stderr, stdout};
use crate::test_bed::eventually;

/// Both captures of a load.
pub(super) struct Captures {
    folder: TempDir,
    place: StoryFolder,
    /// What `headroom trace --json` printed while it traced.
    pub(super) live: Value,
}

impl Captures {
    /// Traces these disks, by the kernel's names, while a shell runs the script. That must write back what it wrote.
    pub(super) fn of(disks: &[&str], script: &str) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let [theirs, ours, saved, begun, ended] =
            ["theirs", "ours", SAVED, "begun", "ended"].map(|name| folder.path().join(name));
        std::fs::create_dir(&theirs).unwrap();
        std::fs::create_dir(&ours).unwrap();
        let place = StoryFolder::new();
        let paths: Vec<String> = disks.iter().map(|disk| format!("/dev/{disk}")).collect();
        let counters = DiskCounters::of(disks);
        let look = counters.command();
        // The kernel wakes who waits for a request just before it counts it: so the last look is a little later.
        let script = format!("{look} > {}\n{script}\nsleep 0.5\n{look} > {}", shown(&begun), shown(&ended));
        let mut words = vec!["trace"];
        words.extend(paths.iter().map(String::as_str));
        // The script has written back all, and Headroom would send another flush after the last look.
        words.extend(["--save", shown(&saved), "--no-sync", "--json", "--", "sh", "-ec", &script]);
        let before = counters.once_idle();
        let blktrace = Blktrace::start(disks, &theirs);
        let output = place.run(&words);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        blktrace.end(disks.len());
        let [begun, ended] = [&begun, &ended].map(|file| std::fs::read_to_string(file).unwrap());
        assert_idle("until both traced", &before, &begun);
        assert_idle("once the load had ended", &ended, &counters.read());
        let live: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(live["lost"]["times"], 0, "{:#}", live["lost"]);
        assert_eq!(live["capture"]["is_accounted_for"], true, "{:#}", live["capture"]);
        Self { folder, place, live }
    }

    /// The folder with blktrace's files.
    pub(super) fn theirs(&self) -> PathBuf {
        self.folder.path().join("theirs")
    }

    /// The folder with ours in blktrace's format, once they are written.
    pub(super) fn ours(&self) -> PathBuf {
        self.folder.path().join("ours")
    }

    /// Writes what Headroom saved as blktrace's files of a disk.
    pub(super) fn write_as_blktrace(&self, disk: &str) {
        let (saved, name) = (self.folder.path().join(SAVED), self.ours().join(disk));
        self.headroom(&["trace", shown(&saved), "--format", "blktrace", "-o", shown(&name)]);
    }

    /// What Headroom saved in Headroom's own form of blkparse's text.
    pub(super) fn text(&self) -> String {
        let saved = self.folder.path().join(SAVED);
        self.headroom(&["trace", shown(&saved), "--format", "blkparse"])
    }

    /// All figures that Headroom makes of blktrace's files of a disk.
    pub(super) fn read_theirs(&self, disk: &str) -> Value {
        // That of a CPU without events is empty.
        let files = files_of(&self.theirs(), disk);
        let file = files.iter().find(|file| file.metadata().unwrap().len() > 0).unwrap();
        serde_json::from_str(&self.headroom(&["trace", shown(file), "--json"])).unwrap()
    }

    fn headroom(&self, words: &[&str]) -> String {
        let output = self.place.run(words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
        stdout(&output)
    }
}

/// The file that `headroom trace --save` keeps.
const SAVED: &str = "saved.trace";

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// blktrace under way. It is ended, and its trace with it, when this is dropped.
struct Blktrace {
    child: Option<Child>,
}

impl Blktrace {
    /// Starts it, and waits until the kernel traces all of these disks.
    fn start(disks: &[&str], folder: &Path) -> Self {
        let mut command = Command::new("blktrace");
        command.args(["-b", "4", "-n", "1024", "-D"]).arg(folder);
        for disk in disks {
            command.args(["-d", &format!("/dev/{disk}")]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut this = Self { child: Some(command.spawn().unwrap()) };
        for disk in disks {
            eventually("blktrace traces", || this.traces(disk, folder));
        }
        this
    }

    /// Whether the kernel traces a disk. blktrace does not tell. But a message (`msg` in `kernel/trace/blktrace.c`) is
    /// kept only while a trace is on, and 26 of these fill a piece of 4 KiB of a CPU's buffer, which
    /// blktrace then writes. blkparse and Headroom pass messages over.
    fn traces(&mut self, disk: &str, folder: &Path) -> bool {
        let ended = self.child.as_mut().unwrap().try_wait().unwrap();
        assert!(ended.is_none(), "blktrace ended: {ended:?}");
        for _ in 0..60 {
            // The file is there as soon as the trace is prepared.
            let _ = std::fs::write(format!("/sys/kernel/debug/block/{disk}/msg"), [b'.'; 100]);
        }
        let is_written = |file: &PathBuf| file.metadata().is_ok_and(|metadata| metadata.len() > 0);
        files_of(folder, disk).iter().any(is_written)
    }

    /// Ends it as Ctrl-C does. It must not have lost an event.
    fn end(mut self, disks: usize) {
        let child = self.child.take().unwrap();
        signal(child.id(), Signal::INT);
        let output = child.wait_with_output().unwrap();
        let said = stdout(&output);
        assert!(output.status.success(), "{said}{}", stderr(&output));
        assert_eq!(said.matches("(dropped 0)").count(), disks, "{said}{}", stderr(&output));
    }
}

impl Drop for Blktrace {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            signal(child.id(), Signal::INT);
            let _ = child.wait();
        }
    }
}

/// blktrace's files of a disk, one for each CPU.
fn files_of(folder: &Path, disk: &str) -> Vec<PathBuf> {
    let files = (0_u32..).map(|cpu| folder.join(format!("{disk}.blktrace.{cpu}")));
    files.take_while(|file| file.exists()).collect()
}

/// When the first event in blktrace's files of a disk was, in nanoseconds of the trace's clock
/// (`struct blk_io_trace` in `include/uapi/linux/blktrace_api.h`).
pub(super) fn first_event_ns(folder: &Path, disk: &str) -> u64 {
    /// What has it is a note of a name, of the time or of a message (`BLK_TC_NOTIFY`).
    const NOTE: u32 = 1 << 26;
    let mut first = u64::MAX;
    for file in files_of(folder, disk) {
        let bytes = std::fs::read(file).unwrap();
        let mut rest = bytes.as_slice();
        while let Some((head, after)) = rest.split_first_chunk::<48>() {
            let time_ns = u64::from_le_bytes(head[8..16].try_into().unwrap());
            let action = u32::from_le_bytes(head[28..32].try_into().unwrap());
            let behind = u16::from_le_bytes(head[46..48].try_into().unwrap());
            if action & NOTE == 0 {
                first = first.min(time_ns);
            }
            rest = after.get(usize::from(behind)..).unwrap_or_default();
        }
    }
    first
}
