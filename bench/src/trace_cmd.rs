//! trace-cmd as a peer of `headroom trace`: `trace-cmd record` of the events that we switch on, with
//! the same filters and as much room for each CPU, into a file in memory.
//!
//! What it changes is put back:
//!
//! - It mounts tracefs where that is not mounted. So it runs in a namespace of mounts of its own
//!   (unshare(1)), with which that mount goes.
//! - Instances are the whole kernel's, and it leaves its own where it fails. So the instance has a
//!   name of this process, and is removed by us. (A kill of this program leaves it:
//!   `rmdir /sys/kernel/tracing/instances/headroom-bench-N`.)
//! - It touches no file of the function tracer: kernels may refuse them, and it would give up. `-d`
//!   and `-k` (leave all as it is at the end) keep it from them, and so does the lack of a command.
//! - While it writes its file it may read the kernel's addresses (the sysctl `kernel.kptr_restrict`),
//!   and puts that back itself.
//! - If nobody ends it, timeout(1) does.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command as Process;
use std::time::{Duration, Instant};

use machine::trace::{CaptureOptions, KernelCounts, resolve};
use tempfile::TempDir;
use trace::ring::{EVENTS, EventClass};

use crate::background::Background;
use crate::context::BenchContext;
use crate::random_file;
use crate::trace_counts::{BUFFER_MIB, TraceCounts, seconds_most};
use xtask::Error;

/// What must be free in memory for each second: 4 million events of 64 bytes, twice, for at the end
/// they are there by CPU and in one file.
const ROOM_EACH_S: u64 = 512 << 20;

/// How long the instance may be held by others before we give up removing it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Prints what the kernel counted of the instance `$0` on each CPU, and removes it.
const REMOVE: &str = r#"mount -t tracefs tracefs /sys/kernel/tracing && cd /sys/kernel/tracing/instances || exit
[ -d "$0" ] || exit 0
cat "$0"/per_cpu/cpu*/stats && rmdir "$0""#;

/// A trace that is under way. The program ends before its instance is removed.
#[derive(Debug)]
pub(crate) struct TraceCmd {
    program: Background,
    instance: TraceInstance,
    /// Where it writes.
    _folder: TempDir,
}

impl TraceCmd {
    /// Begins to trace the device that `path` means.
    pub(crate) fn begin(context: &BenchContext, path: &Path) -> Result<Self, Error> {
        let devices = resolve(path).map_err(|e| Error::Bench(e.to_string()))?;
        let folder = folder_in_memory(context)?;
        let instance = TraceInstance::of_this_process();
        let (file, buffer) = (folder.path().join("trace.dat"), (BUFFER_MIB * 1024).to_string());
        let most = seconds_most(context).to_string();
        let alone = ["--mount", "timeout", "--foreground", "--signal=INT", "--kill-after=5", &most];
        let how = ["trace-cmd", "record", "-q", "-i", "-d", "-k", "--compression", "none", "-b", &buffer];
        let file = file.to_string_lossy();
        let place = ["-B", &instance.name, "-o", &*file];
        let events = event_words(&CaptureOptions::of(&devices));
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let words = [&alone[..], &how, &place, events.as_slice()].concat();
        let program = Background::start(context, "unshare", &words)?;
        let mut trace = Self { program, instance, _folder: folder };
        let name = trace.instance.name.clone();
        trace.program.await_begun(context, |program| is_on(program.id(), &name))?;
        Ok(trace)
    }

    /// Ends it; what the kernel counted.
    pub(crate) fn end(self, context: &BenchContext) -> Result<TraceCounts, Error> {
        let Self { program, mut instance, _folder } = self;
        program.end(context)?;
        counts(&instance.remove()?)
    }
}

/// An instance in the kernel's tracefs.
#[derive(Debug)]
struct TraceInstance {
    name: String,
    is_removed: bool,
}

impl TraceInstance {
    fn of_this_process() -> Self {
        Self { name: format!("headroom-bench-{}", std::process::id()), is_removed: false }
    }

    /// Removes it, if it is there; what the kernel counted of it.
    fn remove(&mut self) -> Result<String, Error> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let failed = |why: String| {
                Error::Bench(format!("the trace `{}` cannot be removed from the kernel: {why}", self.name))
            };
            let script = ["--mount", "sh", "-c", REMOVE, &self.name];
            let output = Process::new("unshare").args(script).output().map_err(|e| failed(e.to_string()))?;
            if output.status.success() {
                self.is_removed = true;
                return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
            }
            // Who reads it may take a moment to leave.
            if Instant::now() > deadline {
                return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for TraceInstance {
    fn drop(&mut self) {
        if !self.is_removed
            && let Err(e) = self.remove()
        {
            eprintln!("xtask: {e}");
        }
    }
}

/// Whether the process, in its own mounts, has switched the trace on. A new instance is on from its
/// start; before trace-cmd sets it up, it switches it off.
fn is_on(process: u32, instance: &str) -> bool {
    let folder = format!("/proc/{process}/root/sys/kernel/tracing/instances/{instance}");
    let has_one =
        |file: &str| fs::read_to_string(format!("{folder}/{file}")).is_ok_and(|text| text.trim_end() == "1");
    has_one("events/block/block_bio_queue/enable") && has_one("tracing_on")
}

/// A folder in memory, where there is a place for it: one that everybody may write to, so the
/// folder's name is not to be guessed.
fn folder_in_memory(context: &BenchContext) -> Result<TempDir, Error> {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory } else { context.target() };
    let folder = tempfile::Builder::new().prefix("headroom-bench-").tempdir_in(place);
    let folder = folder.map_err(Error::file("make a folder in", place))?;
    let open = File::open(folder.path()).map_err(Error::file("open", folder.path()))?;
    let seconds = u64::from(context.seconds) + 1;
    random_file::require_room(&open, folder.path(), ROOM_EACH_S * seconds)?;
    Ok(folder)
}

/// The words that choose the events which [`machine::trace::Capture`] has without calls such as fsync,
/// each with its filter. The kernel may lack some (`-i`).
fn event_words(options: &CaptureOptions) -> Vec<String> {
    let mut words = Vec::new();
    for event in EVENTS {
        let parts: Vec<String> = match event.class {
            EventClass::Block => {
                let fields: &[&str] = if event.has_origin() { &["dev", "old_dev"] } else { &["dev"] };
                let numbers = options.devices.iter().map(|device| device.to_kernel());
                numbers.flat_map(|n| fields.iter().map(move |field| format!("{field} == {n}"))).collect()
            }
            EventClass::Dirtied if options.backings.is_empty() => continue,
            EventClass::Dirtied => {
                options.backings.iter().map(|name| format!("name == \"{name}\"")).collect()
            }
            EventClass::Plugging => Vec::new(),
            EventClass::SyncCall | EventClass::AnyCall => continue,
        };
        words.extend(["-e".to_owned(), format!("{}:{}", event.system, event.name)]);
        if !parts.is_empty() {
            words.extend(["-f".to_owned(), parts.join(" || ")]);
        }
    }
    words
}

/// Out of the counts of each CPU, which begin with `entries`.
fn counts(stats: &str) -> Result<TraceCounts, Error> {
    let unusable = || Error::Bench(format!("the kernel does not say how many events there were: `{stats}`"));
    let mut sum = TraceCounts { read: 0, lost: 0 };
    let mut cpus = 0;
    for (start, _) in stats.match_indices("entries:") {
        let cpu = KernelCounts::parse(&stats[start..]).ok_or_else(unusable)?;
        sum.read += cpu.read;
        // What nobody read is lost as well, as with ours.
        sum.lost += cpu.lost() + cpu.entries;
        cpus += 1;
    }
    if cpus == 0 { Err(unusable()) } else { Ok(sum) }
}

/// `trace-cmd 3.1.6`.
pub(crate) fn version(context: &BenchContext) -> Result<String, Error> {
    // It has no word for it, and says so before its help.
    let text = context.output(None, "sh", &["-c", "trace-cmd --version; true"])?;
    let number = text.lines().find_map(|line| line.strip_prefix("trace-cmd version "));
    let number = number.and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    Ok(format!("trace-cmd {number}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::Device;

    /// Of Linux 6.18, two CPUs, beside `trace-cmd record`.
    const STATS: &str = "entries: 0\noverrun: 5\ncommit overrun: 0\nbytes: 0\noldest event ts:   647.140974\n\
        now ts:   647.356730\ndropped events: 2\nread events: 138\nentries: 3\noverrun: 0\ncommit overrun: 0\n\
        bytes: 0\noldest event ts:   647.155178\nnow ts:   647.356792\ndropped events: 0\nread events: 1206\n";

    #[test]
    fn the_counts_of_all_cpus_are_added() {
        assert_eq!(counts(STATS).unwrap(), TraceCounts { read: 1344, lost: 10 });
        counts("").unwrap_err();
        counts("entries: 1\noverrun: 2\n").unwrap_err();
    }

    #[test]
    fn events_and_filters_are_those_of_ours() {
        let options = CaptureOptions {
            devices: vec![Device { major: 253, minor: 1 }],
            backings: vec!["253:1".to_owned()],
            ..CaptureOptions::default()
        };
        let words = event_words(&options).join(" ");
        assert!(words.starts_with("-e block:block_bio_queue -f dev == 265289729 -e "), "{words}");
        assert!(
            words.contains("-e block:block_bio_remap -f dev == 265289729 || old_dev == 265289729 "),
            "{words}"
        );
        assert!(words.contains("-e block:block_plug -e block:block_unplug -e "), "{words}");
        assert!(words.contains("-e writeback:writeback_dirty_folio -f name == \"253:1\""), "{words}");
        assert!(!words.contains("sys_enter"), "{words}");
        let without = CaptureOptions { backings: Vec::new(), ..options };
        assert!(!event_words(&without).join(" ").contains("writeback"));
    }

    #[test]
    fn a_trace_sees_what_a_disk_does_and_leaves_nothing() {
        if let Some(why) = xtask::tools::missing(&["trace-cmd"]) {
            return println!("skipped: {why}");
        }
        let zram = match crate::zram::Zram::new(1 << 20) {
            Ok(made) => made,
            Err(error) => return println!("skipped: {error}"),
        };
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        let trace = TraceCmd::begin(&context, &zram.path).unwrap();
        let source = format!("if={}", zram.path.display());
        let words = [source.as_str(), "of=/dev/null", "bs=4k", "count=100", "iflag=direct", "status=none"];
        context.output(None, "dd", &words).unwrap();
        let counts = trace.end(&context).unwrap();
        assert_eq!(counts.lost, 0);
        counts.require(100.0).unwrap();
        let mut instance = TraceInstance::of_this_process();
        assert_eq!(instance.remove().unwrap(), "", "it was still there");
    }
}
