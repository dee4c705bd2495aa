//! Reading a recording of any format that this program knows, operation by operation.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use trace::format::iolog::{IologReader, WaitRule};
use trace::format::{FormatError, RECOGNIZED_BYTES, blktrace, recognize, saved};
use trace::replay::StepAction;

use crate::workload::disk::pattern::Kind;
use crate::workload::disk::playback::Step;
use crate::workload::disk::replay::events;

/// What takes the operations of a recording.
pub(super) trait StepSink {
    /// The next one. It may be due before the last.
    ///
    /// # Errors
    /// If nothing more is to be read.
    fn step(&mut self, step: Step) -> Result<(), Fault>;

    /// Operation `number` took so long.
    fn took(&mut self, number: u64, ns: u64);
}

/// What was found in a recording beside its operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Its format.
    pub(super) format: &'static str,
    /// Whether the format has the ends of operations, so that it is known how long they took.
    pub(super) has_ends: bool,
    /// Its files and devices, by number.
    pub(super) sources: Vec<FoundSource>,
    /// Why it is not whole, where it is not.
    pub(super) torn: Option<String>,
    /// Events that it lacks, as it says itself.
    pub(super) lost: u64,
    /// Operations that cannot be done again.
    pub(super) impossible: u64,
    /// Writes that were on the medium when they ended (FUA).
    pub(super) forced: u64,
    /// Operations that are done as something else.
    pub(super) replaced: Replaced,
}

/// How many operations there were for which something near is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Replaced {
    /// Writes before which the device's cache was flushed: they are done, without that.
    pub(super) preflushes: u64,
    /// Discards after which nothing can be read again: they are done as ordinary ones.
    pub(super) secure_erases: u64,
    /// Syncs of a file with its times (fsync): they are done without these (fdatasync).
    pub(super) full_syncs: u64,
}

/// A file or device of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FoundSource {
    pub(super) name: String,
    /// Whether it got its operations from another device of the recording that stands on it.
    pub(super) is_beneath: bool,
    /// The most operations that were under way there at once, where their ends are known.
    pub(super) in_flight: Option<u64>,
}

/// Behind this nothing is read or written: file offsets are signed.
pub(super) const END_MAX: u64 = 1 << 62;

/// Whether an operation lies where one can be.
pub(super) fn is_possible(kind: Kind, offset: u64, bytes: u64) -> bool {
    kind == Kind::Sync || bytes > 0 && offset.checked_add(bytes).is_some_and(|end| end <= END_MAX)
}

/// What does the same as `action`, if anything does.
pub(super) fn kind_of(action: StepAction) -> Option<Kind> {
    match action {
        StepAction::Read => Some(Kind::Read),
        StepAction::Write => Some(Kind::Write),
        StepAction::Sync | StepAction::DataSync => Some(Kind::Sync),
        StepAction::Trim => Some(Kind::Trim),
        StepAction::WriteZeroes => Some(Kind::Zero),
        StepAction::Add | StepAction::Open | StepAction::Close | StepAction::Wait => None,
    }
}

/// Reads the recording at `path` to its end. What is torn off is told; what is no recording, or is
/// wrong in the middle, is a fault.
pub(super) fn read(path: &Path, sink: &mut dyn StepSink) -> Result<Found, Fault> {
    let files = files(path)?;
    // blktrace leaves an empty file of each CPU that had nothing to tell.
    let is_empty = |file: &&PathBuf| file.metadata().is_ok_and(|m| m.is_file() && m.len() == 0);
    let filled = files.iter().find(|file| !is_empty(file)).or(files.first());
    let first = filled.map_or(path, PathBuf::as_path);
    let mut head = Vec::new();
    let opened = open(first)?.take(RECOGNIZED_BYTES as u64).read_to_end(&mut head);
    opened.map_err(|e| Fault::system(format!("reading {}", first.display()), e))?;
    let Some(format) = recognize(&head) else {
        return Err(Fault::Other(format!(
            "{} is no recording that is known here: a saved trace, files of blktrace, or an iolog of fio in version \
             2 or 3",
            path.display()
        )));
    };
    if format.name == saved::SPEC.name {
        return events::of_saved(first, sink);
    }
    if format.name == blktrace::SPEC.name {
        return events::of_blktrace(&files, sink);
    }
    of_iolog(first, format.name, sink)
}

/// The files that `path` means: those of all CPUs where it is one of blktrace's, or what they have in
/// common.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let of_cpu = |name: &str| {
        let (base, cpu) = name.rsplit_once('.')?;
        base.ends_with(".blktrace").then_some((base.to_owned(), cpu.parse::<u32>().ok()?))
    };
    let base = match of_cpu(&name) {
        Some((base, _)) => base,
        None if path.exists() => return Ok(vec![path.to_owned()]),
        None if name.ends_with(".blktrace") => name,
        None => format!("{name}.blktrace"),
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let (own, cpu) = of_cpu(&entry.file_name().to_string_lossy())?;
            (own == base).then(|| (cpu, entry.path()))
        })
        .collect();
    all.sort_unstable();
    match path.metadata() {
        Err(missing) if all.is_empty() => Err(Fault::system(format!("reading {}", path.display()), missing)),
        // A folder that may not be listed.
        Ok(_) if all.is_empty() => Ok(vec![path.to_owned()]),
        _ => Ok(all.into_iter().map(|(_, path)| path).collect()),
    }
}

/// Opens a file of a recording. Nothing waits for a named pipe that nobody writes to.
pub(super) fn open(path: &Path) -> Result<File, Fault> {
    let fault = |e| Fault::system(format!("reading {}", path.display()), e);
    if !path.metadata().map_err(fault)?.is_file() {
        return Err(Fault::Other(format!("{} is no regular file, so it is no recording", path.display())));
    }
    File::open(path).map_err(fault)
}

/// What is wrong with the trace at `path`.
pub(super) fn wrong(path: &Path, error: &FormatError) -> Fault {
    Fault::Other(format!("{}: {error}", path.display()))
}

fn of_iolog(path: &Path, format: &'static str, sink: &mut dyn StepSink) -> Result<Found, Fault> {
    let reader = BufReader::with_capacity(1 << 18, open(path)?);
    let mut reader = IologReader::new(reader, WaitRule::default()).map_err(|e| wrong(path, &e))?;
    let mut found = Found { format, ..Found::default() };
    for step in reader.by_ref() {
        let step = match step {
            Ok(step) => step,
            Err(FormatError::Line { line, .. }) if is_torn_line(path, line)? => {
                found.torn = Some(format!("it ends within line {line}"));
                break;
            }
            Err(error) => return Err(wrong(path, &error)),
        };
        let (Some(kind), Ok(source)) = (kind_of(step.action), u16::try_from(step.file)) else { continue };
        if !is_possible(kind, step.offset, step.length) {
            found.impossible += 1;
            continue;
        }
        found.replaced.full_syncs += u64::from(step.action == StepAction::Sync);
        let (due_ns, offset, bytes) = (step.at_ns, step.offset, step.length);
        sink.step(Step { due_ns, offset, bytes, latency_ns: 0.0, source, kind, is_forced: false })?;
    }
    let name = |name: &str| FoundSource { name: name.to_owned(), ..FoundSource::default() };
    found.sources = reader.files().map(name).collect();
    Ok(found)
}

/// Whether line number `line` is the last one and has no end: the file was cut off there.
fn is_torn_line(path: &Path, line: u64) -> Result<bool, Fault> {
    let fault = |e| Fault::system(format!("reading {}", path.display()), e);
    let mut reader = BufReader::with_capacity(1 << 18, open(path)?);
    let mut ends = 0;
    loop {
        let bytes = reader.fill_buf().map_err(fault)?;
        if bytes.is_empty() {
            return Ok(ends + 1 == line);
        }
        ends += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let used = bytes.len();
        reader.consume(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_all_cpus_belong_to_one_trace() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["sda.blktrace.10", "sda.blktrace.2", "sdb.blktrace.0", "sda.blktrace.x", "log"] {
            std::fs::write(at(name), b"").unwrap();
        }
        let both = vec![at("sda.blktrace.2"), at("sda.blktrace.10")];
        for name in ["sda", "sda.blktrace", "sda.blktrace.2"] {
            assert_eq!(files(&at(name)).unwrap(), both, "{name}");
        }
        assert_eq!(files(&at("log")).unwrap(), [at("log")]);
        assert!(files(&at("sdc")).unwrap_err().to_string().contains("sdc"));
    }

    /// Bug: where CPU 0 had nothing to tell, its empty file was taken for no recording.
    #[test]
    fn a_cpu_that_had_nothing_to_tell_leaves_an_empty_file() {
        struct Counted(u64);
        impl StepSink for Counted {
            fn step(&mut self, _step: Step) -> Result<(), Fault> {
                self.0 += 1;
                Ok(())
            }

            fn took(&mut self, _number: u64, _ns: u64) {}
        }
        let folder = tempfile::tempdir_in(".").unwrap();
        let made = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/tests/data/blktrace/made.blktrace.0");
        std::fs::copy(made, folder.path().join("sda.blktrace.1")).unwrap();
        std::fs::write(folder.path().join("sda.blktrace.0"), b"").unwrap();
        let mut counted = Counted(0);
        let found = read(&folder.path().join("sda"), &mut counted).unwrap();
        assert_eq!((found.format, found.torn), ("blktrace", None));
        assert!(counted.0 > 0);
    }

    #[test]
    fn only_a_last_line_without_an_end_is_torn() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let log = folder.path().join("log");
        let is_torn = |text: &str, line| {
            std::fs::write(&log, text).unwrap();
            is_torn_line(&log, line).unwrap()
        };
        assert!(is_torn("a\nb", 2));
        assert!(!is_torn("a\nb\n", 2));
        assert!(!is_torn("a\nb", 1));
    }
}
