//! Reads a trace from a file: one of ours, blktrace's own, or fio's iolog.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use report::trace::TraceCaution;
use trace::event::{Action, BlockOperation, Flags, IoDirection, TaskName};
use trace::format::blktrace::{BlktraceReader, BlktraceSummary, WallClock};
use trace::format::iolog::{IologReader, WaitRule};
use trace::format::saved::{SavedHeader, SavedReader};
use trace::format::{
    EachRecord, FormatError, FormatSpec, RECOGNIZED_BYTES, RecordReader, TraceContent, recognize,
};
use trace::replay::{Step, StepAction};
use trace::{AnalysisOptions, BlockEvent, Device, TraceRecord};

use super::arguments::TraceArguments;
use super::sinks::{Sinks, TraceOrigin};
use super::traced::Traced;
use crate::exit::Failure;

/// Of which of the first records the device of a file for one device is looked for.
const FIRST_RECORDS: usize = 4096;

/// Files of one trace, and their format.
pub(super) struct RecognizedFiles {
    spec: &'static FormatSpec,
    paths: Vec<PathBuf>,
}

/// The files of a trace that were named; nothing where devices or paths were.
///
/// # Errors
/// If some are traces and others are not, or one is of no use.
pub(super) fn recognized(arguments: &TraceArguments) -> Result<Option<RecognizedFiles>, Failure> {
    let mut found: Vec<(&'static FormatSpec, PathBuf)> = Vec::new();
    let mut others = Vec::new();
    for target in &arguments.targets {
        let path = PathBuf::from(target);
        match spec_of(&path)? {
            Some(spec) => found.push((spec, path)),
            None => others.push(target),
        }
    }
    let Some((spec, _)) = found.first() else { return Ok(None) };
    if let Some(other) = others.first() {
        return Err(Failure::arguments(
            format!("`{other}` is no trace that can be read, and another file is one"),
            "name files of one trace, or devices to be traced",
        ));
    }
    if !arguments.command.is_empty() || arguments.duration.is_some() {
        return Err(Failure::arguments(
            "a trace from a file has no COMMAND and no --duration: it is over",
            "name a device to trace a command",
        ));
    }
    let spec = *spec;
    if found.len() > 1 && (spec.name != "blktrace" || found.iter().any(|(own, _)| own.name != spec.name)) {
        return Err(Failure::arguments("these files are not of one trace", "read them one by one"));
    }
    let mut paths: Vec<PathBuf> = found.into_iter().map(|(_, path)| path).collect();
    if let ("blktrace", [only]) = (spec.name, paths.as_slice()) {
        paths = of_all_cpus(only);
    }
    if let Some(save) = &arguments.save
        && paths.iter().any(|path| is_same(path, save))
    {
        return Err(Failure::arguments(
            format!("`{}` would be written while it is read", save.display()),
            "name another file with --save",
        ));
    }
    Ok(Some(RecognizedFiles { spec, paths }))
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// Which format a file has; nothing where it is none, so that its device is meant.
fn spec_of(path: &Path) -> Result<Option<&'static FormatSpec>, Failure> {
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    let mut head = Vec::new();
    let file = File::open(path).and_then(|file| file.take(RECOGNIZED_BYTES as u64).read_to_end(&mut head));
    if let Err(source) = file {
        return Err(Failure::File { what: "reading", path: path.to_owned(), source });
    }
    let spec = recognize(&head);
    // An empty file of a CPU, or what is left of a trace, must not be taken for a wish to trace
    // the disk that it lies on.
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if spec.is_none() && is_name_of_trace(&name) {
        let what = if head.is_empty() { "is empty" } else { "begins like no trace that can be read" };
        return Err(Failure::arguments(
            format!("`{}` {what}", path.display()),
            "name a file that --save kept, blktrace's NAME.blktrace.0, or fio's iolog; or a device",
        ));
    }
    Ok(spec)
}

fn is_name_of_trace(name: &str) -> bool {
    let is_of_cpu = name.rsplit_once(".blktrace.").is_some_and(|(_, cpu)| cpu.parse::<u32>().is_ok());
    is_of_cpu || [".hrt", ".trace", ".iolog"].iter().any(|end| name.ends_with(end))
}

/// With the files of the other CPUs, where it is called as blktrace calls one. Those without any
/// event are empty.
fn of_all_cpus(path: &Path) -> Vec<PathBuf> {
    let name = path.to_string_lossy();
    let Some((stem, _)) = name.rsplit_once(".blktrace.").filter(|_| is_name_of_trace(&name)) else {
        return vec![path.to_owned()];
    };
    let files = (0..).map(|cpu: u32| PathBuf::from(format!("{stem}.blktrace.{cpu}")));
    let there: Vec<PathBuf> = files.take_while(|file| file.is_file()).collect();
    // One of a trace whose first files are missing.
    if there.iter().any(|file| file == path) { there } else { vec![path.to_owned()] }
}

/// Reads all of a trace.
pub(super) fn read(files: RecognizedFiles, arguments: &TraceArguments) -> Result<Traced, Failure> {
    match (files.spec.name, files.spec.content) {
        (_, TraceContent::Steps) => read_steps(&files, arguments),
        ("blktrace", _) => read_blktrace(&files, arguments),
        _ => read_saved(&files, arguments),
    }
}

fn read_saved(files: &RecognizedFiles, arguments: &TraceArguments) -> Result<Traced, Failure> {
    let [path] = files.paths.as_slice() else { return Err(unreadable_path()) };
    let mut reader = SavedReader::new(open(path)?).map_err(|e| unreadable(path, e))?;
    let header = reader.header().clone();
    let names: BTreeMap<Device, String> =
        header.devices.iter().map(|device| (device.device, device.name.clone())).collect();
    let clock = header.begin_unix_ns.map(|unix_ns| WallClock { trace_ns: header.begin_ns, unix_ns });
    let first = header.devices.first().map(|device| device.device);
    let source = Source { names, header, clock, first };
    let (mut traced, _) = through(&mut reader, path, source, arguments)?;
    let summary = reader.summary();
    let file = path.display().to_string();
    if summary.is_torn || summary.written.is_none() && summary.damaged_blocks == 0 {
        traced.cautions.push(TraceCaution::Torn { file });
    } else if !summary.is_whole() {
        traced.cautions.push(TraceCaution::Damaged { file });
    }
    if summary.damaged_records > 0 {
        traced.cautions.push(TraceCaution::Unread { events: summary.damaged_records });
    }
    Ok(traced)
}

fn read_blktrace(files: &RecognizedFiles, arguments: &TraceArguments) -> Result<Traced, Failure> {
    let Some(path) = files.paths.first() else { return Err(unreadable_path()) };
    let inputs = files.paths.iter().map(|path| open(path)).collect::<Result<Vec<File>, Failure>>()?;
    let mut reader = BlktraceReader::new(inputs).map_err(|e| unreadable(path, e))?;
    let source = Source {
        names: BTreeMap::new(),
        header: SavedHeader { writer: writer(), ..SavedHeader::default() },
        clock: None,
        first: None,
    };
    let (mut traced, device) = through(&mut reader, path, source, arguments)?;
    // blktrace names its files by the device.
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let (Some(device), Some((stem, _))) = (device, name.rsplit_once(".blktrace.")) {
        traced.names.insert(device, stem.to_owned());
    }
    traced.cautions.extend(blktrace_cautions(reader.summary(), &files.paths));
    Ok(traced)
}

fn blktrace_cautions(summary: &BlktraceSummary, paths: &[PathBuf]) -> Vec<TraceCaution> {
    let name = |place: usize| paths.get(place).map(|path| path.display().to_string()).unwrap_or_default();
    let torn = summary.torn.iter().map(|place| TraceCaution::Torn { file: name(*place) });
    let damaged = summary.damaged.iter().map(|(place, _)| TraceCaution::Damaged { file: name(*place) });
    let mut cautions: Vec<TraceCaution> = torn.chain(damaged).collect();
    if summary.garbled > 0 {
        cautions.push(TraceCaution::Unread { events: summary.garbled });
    }
    cautions
}

/// Steps are given as if each were a bio that was queued, on a device for each file.
fn read_steps(files: &RecognizedFiles, arguments: &TraceArguments) -> Result<Traced, Failure> {
    let [path] = files.paths.as_slice() else { return Err(unreadable_path()) };
    let reader = BufReader::with_capacity(1 << 16, open(path)?);
    let mut reader = IologReader::new(reader, WaitRule::default()).map_err(|e| unreadable(path, e))?;
    let source = Source {
        names: BTreeMap::new(),
        header: SavedHeader { writer: writer(), ..SavedHeader::default() },
        clock: None,
        first: None,
    };
    let records = reader.by_ref().filter_map(|step| step.map(|step| record_of(&step)).transpose());
    let (mut traced, _) = through(&mut EachRecord(records), path, source, arguments)?;
    traced.is_steps = true;
    for (number, name) in (0..).zip(reader.files()) {
        traced.names.insert(device_of(number), name.to_owned());
    }
    Ok(traced)
}

/// A device that stands for a file of an iolog.
const fn device_of(file: u32) -> Device {
    Device { major: 0, minor: file.saturating_add(1) }
}

/// The record of a step that moves data or flushes.
fn record_of(step: &Step) -> Option<TraceRecord> {
    let direction = match step.action {
        StepAction::Read => IoDirection::Read,
        StepAction::Write => IoDirection::Write,
        StepAction::WriteZeroes => IoDirection::WriteZeroes,
        StepAction::Trim => IoDirection::Discard,
        StepAction::Sync | StepAction::DataSync => IoDirection::Flush,
        StepAction::Add | StepAction::Open | StepAction::Close | StepAction::Wait => return None,
    };
    let moves_data = direction != IoDirection::Flush;
    Some(TraceRecord::Block(BlockEvent {
        time_ns: step.at_ns,
        cpu: 0,
        action: Action::Queue,
        device: Some(device_of(step.file)),
        sector: step.offset / trace::analysis::SECTOR_BYTES,
        bytes: if moves_data { step.length } else { 0 },
        operation: BlockOperation { direction, flags: Flags::default() },
        thread: step.thread,
        task: TaskName::default(),
        error: 0,
    }))
}

/// What is known of a trace before its records.
struct Source {
    names: BTreeMap<Device, String>,
    header: SavedHeader,
    clock: Option<WallClock>,
    /// The device that was traced, where the file says so.
    first: Option<Device>,
}

/// Takes all records; also gives the device that a file for one device is of.
fn through(
    reader: &mut dyn RecordReader,
    path: &Path,
    source: Source,
    arguments: &TraceArguments,
) -> Result<(Traced, Option<Device>), Failure> {
    let mut before = Vec::new();
    let mut device = source.first;
    while device.is_none() && before.len() < FIRST_RECORDS {
        let read = before.len();
        let is_more = reader.read_records(&mut before, 1).map_err(|e| unreadable(path, e))?;
        if let Some(TraceRecord::Block(event)) = before.get(read) {
            device = event.device;
        }
        if !is_more {
            break;
        }
    }
    let Source { names, header, clock, .. } = source;
    let named = device.and_then(|device| names.get(&device).cloned());
    let origin = TraceOrigin {
        header,
        device: device.unwrap_or_default(),
        device_name: named.or_else(|| device.map(|device| device.to_string())).unwrap_or_default(),
        clock,
    };
    let mut sinks = Sinks::open(arguments, &origin, AnalysisOptions::default())?;
    before.iter().for_each(|record| sinks.take(record));
    sinks.take_all(reader).map_err(|e| unreadable(path, e))?;
    let (report, unwritten) = sinks.finish();
    let traced = Traced {
        report,
        names,
        target: arguments.target(),
        capture: None,
        command: None,
        is_steps: false,
        cautions: Vec::new(),
        is_interrupted: false,
        unwritten,
    };
    Ok((traced, device))
}

fn writer() -> String {
    format!("headroom {}", env!("CARGO_PKG_VERSION"))
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|source| Failure::File { what: "reading", path: path.to_owned(), source })
}

fn unreadable(path: &Path, error: FormatError) -> Failure {
    match error {
        FormatError::Read(source) if source.kind() != ErrorKind::InvalidData => {
            Failure::File { what: "reading", path: path.to_owned(), source }
        }
        other => Failure::arguments(
            format!("{}: {other}", path.display()),
            "it is damaged, cut short, or of another program: copy or make it again",
        ),
    }
}

/// Several files where one is meant were refused before.
fn unreadable_path() -> Failure {
    Failure::arguments("a trace of one file was expected", "name one file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_cpus_belong_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["sda.blktrace.0", "sda.blktrace.1", "sda.blktrace.3", "other"] {
            std::fs::write(path(name), b"x").unwrap();
        }
        let all = of_all_cpus(&path("sda.blktrace.1"));
        assert_eq!(all, [path("sda.blktrace.0"), path("sda.blktrace.1")]);
        assert_eq!(of_all_cpus(&path("sda.blktrace.3")), [path("sda.blktrace.3")]);
        assert_eq!(of_all_cpus(&path("other")), [path("other")]);
    }

    #[test]
    fn what_is_called_a_trace_and_is_none_is_not_taken_for_its_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sda.trace");
        for path in [&folder.path().join("day.hrt"), &path] {
            std::fs::write(path, b"").unwrap();
            let failure = spec_of(path).unwrap_err();
            assert!(failure.message().ends_with("is empty"), "{}", failure.message());
            assert_eq!(failure.code(), crate::exit::INVALID);
        }
        let plain = folder.path().join("data");
        std::fs::write(&plain, b"anything").unwrap();
        assert!(spec_of(&plain).unwrap().is_none());
        std::fs::write(&path, b"fio version 3 iolog\n").unwrap();
        assert_eq!(spec_of(&path).unwrap().unwrap().name, "iolog-v3");
    }

    #[test]
    fn steps_that_move_nothing_are_no_records() {
        let step = |action| Step { offset: 4096, length: 512, ..Step::new(7, 1, action) };
        assert!(record_of(&step(StepAction::Open)).is_none());
        let Some(TraceRecord::Block(event)) = record_of(&step(StepAction::Write)) else { panic!("a write") };
        assert_eq!((event.sector, event.bytes, event.time_ns), (8, 512, 7));
        assert_eq!(event.device, Some(Device { major: 0, minor: 2 }));
        let Some(TraceRecord::Block(event)) = record_of(&step(StepAction::Sync)) else { panic!("a flush") };
        assert_eq!(event.bytes, 0);
    }
}
